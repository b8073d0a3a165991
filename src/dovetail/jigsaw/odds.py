"""How sure a pair of edges is: small networks, taught on pictures whose seams are known.

``odds.json`` holds them; benchmarks/teach_odds.py makes that file, and says from which pictures.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Model: TypeAlias = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], np.float32]


@cache
def pairs(grid: bool) -> Model:
    """Weights into the hidden numbers, their biases, weights out, and the bias of the log odds.

    There is one network for pieces that lie on a known grid (``grid.py``), and one for those that do not.
    """
    return network(data()[kind(grid)]["pairs"])


@cache
def loops(grid: bool) -> Sequence[Model]:
    """The same of the networks that look at squares of four, one after the other."""
    return [network(each) for each in data()[kind(grid)]["loops"]]


@cache
def grid() -> NDArray[np.float32]:
    """What speaks for a place of the grid: weights."""
    return np.array(data()["grid"], np.float32)


def kind(grid: bool) -> str:
    """Where in the file the networks are."""
    return "on grid" if grid else "without grid"


def network(numbers: Mapping[str, Any]) -> Model:
    """One of them from its numbers."""
    into, bias, out = (np.array(numbers[name], np.float32) for name in ("into", "bias", "out"))
    return into, bias, out, np.float32(numbers["shift"])


@cache
def data() -> Any:
    """All there is."""
    return json.loads((files(__package__) / "odds.json").read_text())
