"""A tighter program than Algorithm 1's, beyond the paper: with a variable for every 2×2 block that can be laid.

What depth-first search finds to be a dead end within a block has no variable, so it is cut off. Blocks that share two
locations must agree on what lies there, and with p. Solutions stay what they are, and many fractional P go; the price
is a program of ten to a hundred times the size.
"""

from collections.abc import Generator
from dataclasses import replace

import numpy as np
from scipy import sparse

from ..core.errors import Refused
from .linear_system import Floats, System
from .narrowing import Block, blocks
from .representing import Ints

MOST_LAID = 1_000_000  # blocks, beyond which a program takes hours


class _Rows:
    """Rows in the making."""

    def __init__(self) -> None:
        self.number = 0
        self._entries: list[tuple[Ints, Ints, Floats]] = []

    def add(self, row: Ints, col: Ints, value: float) -> None:
        """Entries of one value, in rows counted from the next one."""
        self._entries.append((self.number + row, col, np.full(len(col), value)))

    def matrix(self, cols: int) -> sparse.csr_array:
        """All of them."""
        row, col, data = (np.concatenate(part) for part in zip(*self._entries, strict=True))
        return sparse.csr_array((data, (row, col)), shape=(self.number, cols))


def lifting(system: System) -> Generator[None, None, System]:
    """The tighter system; in slices of a tenth of a second or so."""
    preset = system.preset
    own = [np.flatnonzero(system.location == at) for at in range(len(preset.points))]
    columns = system.variables
    group = [system.group]
    dominoes: dict[tuple[int, int], list[tuple[Ints, Ints]]] = {}  # locations → what lies there, and columns
    groups = len(preset.points)
    for block in blocks(preset):
        for locations in zip(*(of.tolist() for of in block.locations), strict=True):
            laid = _laid(system, block, [system.look[own[at]] for at in locations])
            numbers = columns + np.arange(len(laid))
            columns += len(laid)
            if columns > MOST_LAID:
                raise Refused(f"more than {MOST_LAID:,} blocks of two by two can be laid; use --set lift=false")
            if not len(laid):
                return replace(system, dead=True)
            group.append(np.full(len(laid), groups))
            groups += 1
            for a, b in ((0, 1), (2, 3), (0, 2), (1, 3)):
                pair = laid[:, a] * len(own[locations[b]]) + laid[:, b]
                dominoes.setdefault((locations[a], locations[b]), []).append((pair, numbers))
            yield
    rows = _Rows()
    for (one, other), parts in dominoes.items():
        _agree(rows, parts)
        pair, numbers = parts[0]
        for at, look in zip((one, other), np.divmod(pair, len(own[other])), strict=True):
            rows.add(look, numbers, 1.0)
            rows.add(np.arange(len(own[at])), own[at], -1.0)
            rows.number += len(own[at])
    if not dominoes:  # a single row
        return system
    more = columns - system.variables
    matrix = sparse.hstack([system.matrix, sparse.csr_array((system.matrix.shape[0], more))])
    matrix = sparse.csr_array(sparse.vstack([matrix, rows.matrix(columns)]))
    rhs = np.concatenate([system.rhs, np.zeros(rows.number)])
    return replace(system, matrix=matrix, rhs=rhs, group=np.concatenate(group))


def _agree(rows: _Rows, parts: list[tuple[Ints, Ints]]) -> None:
    """All blocks around two locations have as much of every pair there as the first."""
    first, numbers = parts[0]
    for pair, others in parts[1:]:
        pairs = np.unique(np.concatenate([first, pair]))
        rows.add(np.searchsorted(pairs, first), numbers, 1.0)
        rows.add(np.searchsorted(pairs, pair), others, -1.0)
        rows.number += len(pairs)


def _laid(system: System, block: Block, looks: list[Ints]) -> Ints:
    """[ways, 4] all ways to lay a block, as places in these four lists; no piece twice."""
    shows, class_of, stock = system.preset.shows, system.preset.class_of, system.preset.stock
    (along, back), (down, up) = block.first, block.second

    def beside(one: Ints, other: Ints) -> tuple[Ints, Ints]:
        pairs = np.argwhere(shows[one, along][:, None] == shows[other, back])
        return pairs[:, 0], pairs[:, 1]

    (a, b), (c, d) = beside(looks[0], looks[1]), beside(looks[2], looks[3])
    values = len(system.preset.values)
    above = shows[looks[0][a], down] * values + shows[looks[1][b], down]
    below = shows[looks[2][c], up] * values + shows[looks[3][d], up]
    order = np.argsort(below, kind="stable")
    low, high = (np.searchsorted(below[order], above, side) for side in ("left", "right"))
    top = np.repeat(np.arange(len(above)), high - low)
    bottom = order[np.arange(len(top)) - np.repeat(np.cumsum(high - low) - high, high - low)]
    laid = np.stack([a[top], b[top], c[bottom], d[bottom]], axis=1)
    classes = np.sort(np.stack([class_of[looks[k][laid[:, k]]] for k in range(4)], axis=1), axis=1)
    twice = ((np.diff(classes, axis=1) == 0) & (stock[classes[:, 1:]] == 1)).any(axis=1)
    ways: Ints = laid[~twice]
    return ways
