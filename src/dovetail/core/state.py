"""What a running solver is made of, as plain data: JSON types and numpy arrays, nested; as bytes and back, no pickle.

A part of a solver names the attributes that change (``kept``): ``taken`` copies them, ``restore`` puts them back into
a part that was built anew for the same puzzle, settings and seed, and refuses what does not fit there.
"""

import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from .errors import BadInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

State: TypeAlias = dict[str, Any]
ARRAY = "\0array"  # marks an array in JSON: no attribute is called so
CODES = frozenset("?bBhHiIlLqQfd")  # numbers and booleans; objects could be anything
DEEPEST, ALIGN = 32, 8


class Misfit(BadInput):
    """A state that is not of this run."""

    def __init__(self, what: str) -> None:
        super().__init__(f"what was saved does not fit this run ({what})")


def taken(part: Any, names: Iterable[str]) -> State:
    """Copies of these attributes."""
    return {name: _copied(getattr(part, name)) for name in names}


def restore(part: Any, names: Iterable[str], state: Any) -> None:
    """Set these attributes; each must be of the type, and an array of the numbers and the shape, that is there."""
    values = fields(state, names)
    for name, value in values.items():
        setattr(part, name, _fitting(name, getattr(part, name), value))


def fields(state: Any, names: Iterable[str]) -> State:
    """The values of exactly these names."""
    wanted = [*names]
    if not isinstance(state, dict) or {*state} != {*wanted}:
        raise Misfit("other fields")
    return {name: state[name] for name in wanted}


def within(values: Any, least: float, most: float, what: str) -> None:
    """Refuse numbers outside of least … most: kernels do not look at bounds again."""
    import numpy as np

    array = np.asarray(values)
    if array.size and not (least <= array.min() and array.max() <= most):
        raise Misfit(f"{what} out of bounds")


def random_from(state: Any) -> "np.random.Generator":
    """Random numbers that go on from ``Generator.bit_generator.state``."""
    import numpy as np

    random = np.random.default_rng()
    try:
        random.bit_generator.state = state
    except (KeyError, TypeError, ValueError, OverflowError):
        raise Misfit("random numbers") from None
    return random


def _copied(value: Any) -> Any:
    import numpy as np

    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return [_copied(one) for one in value]
    if isinstance(value, dict):
        return {key: _copied(one) for key, one in value.items()}
    return value


def _fitting(name: str, there: Any, value: Any) -> Any:
    import numpy as np

    if isinstance(there, np.random.Generator):
        return random_from(value)
    if isinstance(there, np.ndarray):
        if not isinstance(value, np.ndarray) or value.dtype != there.dtype or value.ndim != there.ndim:
            raise Misfit(name)
        return value
    if there is None or value is None:  # what may be missing is for its owner to judge
        return value
    if isinstance(there, tuple) and isinstance(value, list):
        return tuple(tuple(one) if isinstance(one, list) else one for one in value)
    number = isinstance(there, float) and type(value) is int
    if type(value) is not type(there) and not number and not isinstance(there, np.generic):
        raise Misfit(name)
    return type(there)(value)


def packed(state: State) -> bytes:
    """As bytes: the length of a JSON text, the text, and the numbers of all arrays."""
    import numpy as np

    arrays: list[NDArray[Any]] = []
    text = json.dumps(_emptied(state, arrays, 0)).encode()
    text += b" " * (-(len(text) + 8) % ALIGN)
    parts = [len(text).to_bytes(8, "little"), text]
    for array in arrays:
        data = np.ascontiguousarray(array).tobytes()
        parts += [data, bytes(-len(data) % ALIGN)]
    return b"".join(parts)


def _emptied(value: Any, arrays: "list[NDArray[Any]]", depth: int) -> Any:
    """The same with a mark in place of each array."""
    import numpy as np

    if depth > DEEPEST:
        raise ValueError("a state is nested too deeply")
    if isinstance(value, np.ndarray):
        if value.dtype.char not in CODES:
            raise TypeError(f"a state holds numbers, not {value.dtype}")
        arrays.append(value)
        return {ARRAY: [value.dtype.str, [*value.shape]]}
    if isinstance(value, dict):
        return {str(key): _emptied(one, arrays, depth + 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_emptied(one, arrays, depth + 1) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def unpacked(data: bytes) -> State:
    """The way back; BadInput for bytes that ``packed`` never wrote."""
    try:
        length = int.from_bytes(data[:8], "little")
        text = json.loads(data[8 : 8 + length])
        state, at = _filled(text, data, 8 + length, 0)
        if not isinstance(state, dict) or at != len(data):
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
        raise BadInput("what was saved is damaged") from None
    return state


def _filled(value: Any, data: bytes, at: int, depth: int) -> tuple[Any, int]:
    """A value with its arrays, and where the next one begins."""
    import numpy as np

    if depth > DEEPEST:
        raise ValueError
    if isinstance(value, dict) and ARRAY in value:
        (code, shape) = value[ARRAY]
        kind = np.dtype(code)
        if kind.char not in CODES or not all(type(side) is int and 0 <= side < 2**48 for side in shape):
            raise ValueError
        size = math.prod(shape) * kind.itemsize
        if at + size > len(data):
            raise ValueError
        array = np.frombuffer(data, kind, math.prod(shape), at).reshape(shape).copy()
        return array, at + size + -size % ALIGN
    if isinstance(value, dict):
        whole: State = {}
        for key, one in value.items():
            whole[key], at = _filled(one, data, at, depth + 1)
        return whole, at
    if isinstance(value, list):
        several = []
        for one in value:
            filled, at = _filled(one, data, at, depth + 1)
            several.append(filled)
        return several, at
    return value, at
