"""What a CPMpy expression is: a number, a sum, one value of one variable, a product of variables."""

from typing import Any

import numpy as np
from cpmpy.expressions.core import BoolVal, Comparison, Operator
from cpmpy.expressions.globalfunctions import Multiplication
from cpmpy.expressions.utils import argval
from cpmpy.expressions.variables import NegBoolView, _BoolVarImpl, _NumVarImpl

from ..core.errors import BadInput


def is_number(stated: Any) -> bool:
    """A constant, truth values included."""
    return isinstance(stated, int | float | np.integer | np.floating | np.bool_ | BoolVal)


def whole(number: Any, stated: Any) -> int:
    """A constant of an expression as a whole number."""
    value = argval(number)
    if int(value) != value:
        raise BadInput(f"{short(stated)}: {value} is not a whole number")
    return int(value)


def is_sum(stated: Any) -> bool:
    """A sum, weighted or not, or a negative."""
    return isinstance(stated, Operator) and stated.name in ("sum", "wsum", "-")


def is_literal(stated: Any) -> bool:
    """Whether it says of one variable that it has a value, or has not."""
    if isinstance(stated, _BoolVarImpl):
        return True
    if not isinstance(stated, Comparison) or stated.name not in ("==", "!="):
        return False
    left, right = stated.args
    return isinstance(left, _NumVarImpl) and not isinstance(left, NegBoolView) and is_number(right)


def is_plain(stated: Any) -> bool:
    """A sum of variables and constants and nothing else."""
    if is_sum(stated):
        return all(map(is_plain, stated.args[1] if stated.name == "wsum" else stated.args))
    return is_number(stated) or (isinstance(stated, _NumVarImpl) and not isinstance(stated, NegBoolView))


def factors(stated: Any) -> list[Any] | None:
    """The variables of a product of nothing else."""
    if not isinstance(stated, Multiplication):
        return None
    found: list[Any] = []
    for part in stated.args:
        inner = [part] if isinstance(part, _NumVarImpl) else factors(part)
        if inner is None:
            return None
        found += inner
    return found


def short(stated: Any) -> str:
    """An expression as a message quotes it."""
    text = str(stated)
    return text if len(text) <= 80 else f"{text[:77]}…"
