"""A CPMpy model in our words: what the vocabulary has as it stands, small expressions as tables of all their values."""

from collections.abc import Iterable
from itertools import product
from math import prod
from typing import Any

import numpy as np
from cpmpy.exceptions import IncompleteFunctionError
from cpmpy.expressions.core import BoolVal, Comparison, Expression, Operator
from cpmpy.expressions.globalconstraints import AllDifferent as CpmpyAllDifferent
from cpmpy.expressions.globalconstraints import GlobalConstraint
from cpmpy.expressions.globalconstraints import Table as CpmpyTable
from cpmpy.expressions.globalfunctions import Abs, Multiplication
from cpmpy.expressions.globalfunctions import Count as CpmpyCount
from cpmpy.expressions.utils import argval
from cpmpy.expressions.variables import NegBoolView, _BoolVarImpl, _NumVarImpl
from cpmpy.transformations.get_variables import get_variables, get_variables_model

from ..core.errors import BadInput
from .cpmpy_shapes import factors, is_literal, is_number, is_plain, is_sum, short, whole
from .model import (
    MOST_VALUE,
    AllDifferent,
    Clause,
    Compare,
    Constraint,
    Count,
    Difference,
    Model,
    Product,
    Sum,
    Table,
)

MOST_ROWS = 5000  # values tried for one expression
COMPARES: dict[str, Compare] = {"==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
MIRRORED: dict[Compare, Compare] = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
Literal = tuple[int, int, bool]  # variable, value, wanted: as in a Clause


class Reader:
    """``variables`` are the user's; ``model`` begins with them, helping variables follow."""

    def __init__(self, cpmpy_model: Any) -> None:
        if cpmpy_model.has_objective():
            raise BadInput("the model has an objective, and a logic puzzle has none")
        self.variables: list[Any] = get_variables_model(cpmpy_model)
        self._domains = [_domain(variable) for variable in self.variables]
        self._names = [str(variable.name) for variable in self.variables]
        self._numbers = {name: number for number, name in enumerate(self._names)}
        self._constraints: list[Constraint] = []
        self._add(cpmpy_model.constraints)
        self.model = Model(tuple(self._domains), tuple(self._constraints), len(self.variables), tuple(self._names))

    def _add(self, stated: Any) -> None:
        """One more constraint that must hold."""
        if isinstance(stated, list | tuple | np.ndarray):
            for part in stated:
                self._add(part)
        elif isinstance(stated, Operator) and stated.name == "and":
            self._add(stated.args)
        elif isinstance(stated, CpmpyAllDifferent):
            self._constraints.append(AllDifferent(self._of(stated.args), about=str(stated)))
        elif isinstance(stated, CpmpyTable):
            rows = tuple(tuple(int(value) for value in row) for row in stated.args[1])
            self._constraints.append(Table(self._of(stated.args[0]), rows, about=str(stated)))
        elif isinstance(stated, Comparison) and not is_literal(stated):
            self._compare(stated)
        elif isinstance(stated, GlobalConstraint) and self._is_small(stated):
            self._tabulate(stated)
        else:
            self._one_of(self._either(stated), str(stated))

    def _compare(self, stated: Comparison) -> None:
        """The first that fits: a product, a difference, a count, a sum, a table of all values, scaled terms."""
        left, right = stated.args
        compare, about = COMPARES[stated.name], str(stated)
        if is_number(left):
            left, right, compare = right, left, MIRRORED[compare]
        if is_number(right):
            total = whole(right, stated)
            if (parts := factors(left)) is not None:
                self._constraints.append(Product(self._of(parts), compare, total, about))
                return
            if (pair := self._apart(left)) is not None:
                self._constraints.append(Difference(pair, compare, total, about))
                return
            if isinstance(left, CpmpyCount) and is_number(left.args[1]):
                value = whole(left.args[1], stated)
                self._constraints.append(Count(self._of(left.args[0]), value, compare, total, about))
                return
        if self._is_small(stated) and not (is_plain(left) and is_plain(right)):
            self._tabulate(stated)
            return
        terms, constant = self._linear(left, stated)
        others, other_constant = self._linear(right, stated)
        for variable, weight in others.items():
            terms[variable] = terms.get(variable, 0) - weight
        self._weigh({v: w for v, w in terms.items() if w}, compare, other_constant - constant, stated)

    def _weigh(self, terms: dict[int, int], compare: Compare, total: int, stated: Comparison) -> None:
        weights = set(terms.values())
        if weights == {-1}:
            terms, compare, total, weights = dict.fromkeys(terms, 1), MIRRORED[compare], -total, {1}
        if weights <= {1}:
            self._constraints.append(Sum(tuple(terms), compare, total, str(stated)))
        elif self._is_small(stated):
            self._tabulate(stated)
        else:  # each term becomes a variable of its own, counted from its least value
            least = {v: min(w * value for value in self._domains[v]) for v, w in terms.items()}
            scaled = tuple(self._scaled(v, w, least[v], stated) for v, w in terms.items())
            self._constraints.append(Sum(scaled, compare, total - sum(least.values()), str(stated)))

    def _scaled(self, variable: int, weight: int, least: int, stated: Expression) -> int:
        if weight == 1 and least == 0:
            return variable
        rows = tuple((value, weight * value - least) for value in self._domains[variable])
        if max(row[1] for row in rows) > MOST_VALUE:
            raise BadInput(f"{short(stated)}: a term takes more than {MOST_VALUE + 1} values in steps of one")
        helper = self._helper([row[1] for row in rows], f"{weight} * {self._names[variable]} - {least}")
        self._constraints.append(Table((variable, helper), rows))
        return helper

    def _linear(self, stated: Any, around: Expression) -> tuple[dict[int, int], int]:
        """A sum as weights of variables and a constant."""
        if is_number(stated):
            return {}, whole(stated, around)
        weighted: list[tuple[int, Any]] = [(1, stated)]
        if is_sum(stated):
            weighted = [(1, part) for part in stated.args]
            if stated.name == "wsum":
                weighted = list(zip(map(int, stated.args[0]), stated.args[1], strict=True))
            elif stated.name == "-":
                weighted = [(-1, stated.args[0])]
        elif isinstance(stated, Multiplication) and is_number(stated.args[0]):
            weighted = [(whole(stated.args[0], around), stated.args[1])]
        else:
            return {self._variable(stated): 1}, 0
        terms: dict[int, int] = {}
        constant = 0
        for weight, part in weighted:
            inner, more = self._linear(part, around)
            constant += weight * more
            for variable, factor in inner.items():
                terms[variable] = terms.get(variable, 0) + weight * factor
        return terms, constant

    def _apart(self, stated: Any) -> tuple[int, int] | None:
        """The two variables of |a - b|."""
        if isinstance(stated, Abs) and is_sum(stated.args[0]):
            terms, constant = self._linear(stated.args[0], stated)
            if constant == 0 and sorted(terms.values()) == [-1, 1]:
                first, second = terms
                return first, second
        return None

    def _either(self, stated: Any) -> list[Literal] | bool:
        """As alternatives of which one must hold; True if that is settled."""
        if isinstance(stated, bool | np.bool_ | BoolVal):
            return True if bool(argval(stated)) else []
        if isinstance(stated, Operator) and stated.name == "or":
            return _joined(self._either(part) for part in stated.args)
        if isinstance(stated, Operator) and stated.name == "->":
            return _joined([self._neither(stated.args[0]), self._either(stated.args[1])])
        if isinstance(stated, Operator) and stated.name == "not":
            return self._neither(stated.args[0])
        if is_literal(stated):
            return [self._literal(stated)]
        return [(self._variable(stated), 1, True)]

    def _neither(self, stated: Any) -> list[Literal] | bool:
        """The negation, as alternatives."""
        if isinstance(stated, bool | np.bool_ | BoolVal):
            return self._either(not bool(argval(stated)))
        if isinstance(stated, Operator) and stated.name == "not":
            return self._either(stated.args[0])
        if isinstance(stated, Operator) and stated.name == "and":
            return _joined(self._neither(part) for part in stated.args)
        variable, value, wanted = self._literal(stated) if is_literal(stated) else (self._variable(stated), 1, True)
        return [(variable, value, not wanted)]

    def _literal(self, stated: Any) -> Literal:
        if isinstance(stated, NegBoolView):
            return self._numbers[stated._bv.name], 1, False
        if isinstance(stated, _BoolVarImpl):
            return self._numbers[stated.name], 1, True
        variable, value = stated.args
        return self._numbers[variable.name], whole(value, stated), stated.name == "=="

    def _one_of(self, literals: list[Literal] | bool, about: str) -> None:
        if isinstance(literals, list):
            variables, values, wanted = zip(*literals, strict=True) if literals else ((), (), ())
            self._constraints.append(Clause(variables, values, wanted, about))

    def _of(self, stated: Iterable[Any]) -> tuple[int, ...]:
        return tuple(self._variable(part) for part in np.asarray(stated, dtype=object).flat)

    def _variable(self, stated: Any) -> int:
        """The variable that has the value of an expression; a helping one, unless it is one itself."""
        if isinstance(stated, _NumVarImpl) and not isinstance(stated, NegBoolView):
            return self._numbers[stated.name]
        if is_number(stated):
            return self._helper([whole(stated, stated)], str(stated))
        if self._is_small(stated):
            return self._tabulated(stated)
        if isinstance(stated, Operator) and stated.name in ("or", "and", "->", "not"):
            return self._held(stated)
        raise BadInput(f"{short(stated)} is beyond the constraints of logic grids and too large for a table")

    def _held(self, stated: Any) -> int:
        """A helping variable that says whether a large expression holds."""
        name, positive = str(stated), True
        while isinstance(stated, Operator) and stated.name == "not":
            stated, positive = stated.args[0], not positive
        conjunction = isinstance(stated, Operator) and stated.name == "and"
        any_of = self._neither(stated) if conjunction else self._either(stated)
        then = positive != conjunction  # what it is if one of them holds
        if isinstance(any_of, bool):
            return self._helper([int(then)], name)
        held = self._helper([0, 1], name)
        self._one_of([*any_of, (held, 1, not then)], name)
        for variable, value, wanted in any_of:
            self._one_of([(variable, value, not wanted), (held, 1, then)], name)
        return held

    def _helper(self, values: Iterable[int], name: str) -> int:
        domain = tuple(sorted(set(values)))
        if any(not 0 <= value <= MOST_VALUE for value in domain):
            raise BadInput(f"{name[:80]} takes values outside 0 to {MOST_VALUE}")
        self._domains.append(domain)
        self._names.append(name)
        return len(self._domains) - 1

    def _is_small(self, stated: Any) -> bool:
        scope = get_variables(stated)
        return prod(len(self._domains[self._numbers[variable.name]]) for variable in scope) <= MOST_ROWS

    def _tabulate(self, stated: Expression) -> None:
        """Must hold: the rows that make it true."""
        scope, values = self._evaluated(stated)
        self._constraints.append(Table(scope, tuple(row for row, value in values if value), str(stated)))

    def _tabulated(self, stated: Expression) -> int:
        """A helping variable that has its value."""
        scope, values = self._evaluated(stated)
        helper = self._helper((value for _, value in values), str(stated))
        self._constraints.append(Table((*scope, helper), tuple((*row, value) for row, value in values)))
        return helper

    def _evaluated(self, stated: Expression) -> tuple[tuple[int, ...], list[tuple[tuple[int, ...], int]]]:
        """Its variables, and its value for all of theirs."""
        variables = get_variables(stated)
        scope = tuple(self._numbers[variable.name] for variable in variables)
        before = [variable._value for variable in variables]
        found = []
        try:
            for row in product(*(self._domains[number] for number in scope)):
                for variable, value in zip(variables, row, strict=True):
                    variable._value = value
                found.append((row, int(argval(stated))))
        except IncompleteFunctionError as error:
            raise BadInput(f"{short(stated)} has no value for some values of its variables") from error
        finally:
            for variable, value in zip(variables, before, strict=True):
                variable._value = value
        return scope, found


def _domain(variable: Any) -> tuple[int, ...]:
    if not 0 <= variable.lb <= variable.ub <= MOST_VALUE:
        raise BadInput(f"{variable.name} goes from {variable.lb} to {variable.ub}, and values are 0 to {MOST_VALUE}")
    return tuple(range(variable.lb, variable.ub + 1))


def _joined(parts: Iterable[list[Literal] | bool]) -> list[Literal] | bool:
    literals: list[Literal] = []
    for part in parts:
        if isinstance(part, bool):
            return True
        literals += part
    return literals
