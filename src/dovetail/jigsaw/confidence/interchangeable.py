"""Pieces that may change places and nobody could tell: equal pixels, or so little to see that seams say nothing."""

import numpy as np
from numpy.typing import NDArray

from ...core.confidence import SURE, Interchangeable
from ..poses import UNIT, Fits

NOTHING = 3.0  # nats: of some eight seams, so that an exchange that costs less changes next to nothing
MOST_TRIED = 1000  # pieces, the least sure of them


def interchangeable(fits: Fits, board: NDArray[np.int64], chances: NDArray[np.float64]) -> tuple[Interchangeable, ...]:
    """Groups of pieces that lie on a board: those that look alike first, the largest first."""
    laid = np.flatnonzero(board >= 0)
    pieces = board.ravel()[laid] // fits.span
    alike = _groups(fits.first[pieces * fits.span], pieces)
    doubtful = laid[chances.ravel()[laid] < SURE]
    tried = np.sort(doubtful[np.argsort(chances.ravel()[doubtful], kind="stable")][:MOST_TRIED])
    featureless = _groups(_exchangeable(fits, board, tried), board.ravel()[tried] // fits.span)
    return (
        *(Interchangeable(group, "alike") for group in alike),
        *(Interchangeable(group, "featureless") for group in featureless),
    )


def _groups(names: NDArray[np.int64] | NDArray[np.int32], pieces: NDArray[np.int64]) -> list[tuple[int, ...]]:
    """Pieces by their group's name, if there are two or more of it."""
    found: dict[int, list[int]] = {}
    for name, piece in zip(names.tolist(), pieces.tolist(), strict=True):
        found.setdefault(name, []).append(piece)
    several = (tuple(sorted(group)) for group in found.values() if len(group) > 1)
    return sorted(several, key=lambda group: (-len(group), group))


def _exchangeable(fits: Fits, board: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each of some cells, equal if their pieces can be exchanged at no cost, perhaps by way of others."""
    from scipy.sparse.csgraph import connected_components

    if not len(cells):
        return np.empty(0, np.int64)
    there = laid_elsewhere(fits, board, cells)
    own = np.diag(there)
    change = there + there.T - own[:, None] - own
    rows, cols = np.divmod(cells, board.shape[1])
    near = np.abs(rows[:, None] - rows) + np.abs(cols[:, None] - cols) <= 1  # share a seam: the sum would be wrong
    numbers: NDArray[np.int64] = connected_components((change > -NOTHING * UNIT) & ~near, directed=False)[1]
    return numbers


def laid_elsewhere(fits: Fits, board: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """What the seams of every one of some cells weigh if the piece of another lay there, as it lies. [cells, pieces]"""
    padded = np.pad(board, 1, constant_values=-1)
    rows, cols = np.divmod(cells, board.shape[1])
    poses = board.ravel()[cells]
    weights = np.zeros((len(cells), len(cells)), np.int64)
    table = np.full(len(fits.first), fits.worst, np.int64)  # what every edge weighs against one
    for side, (down, across) in enumerate(((-1, 0), (0, 1), (1, 0), (0, -1))):
        ours = fits.first[(poses & ~3) | ((poses + side) & 3)]
        beside = padded[rows + 1 + down, cols + 1 + across]
        for at in np.flatnonzero(beside >= 0).tolist():
            edge = fits.first[(beside[at] & ~3) | ((beside[at] + side + 2) & 3)]
            held = fits.edges[edge] >= 0
            listed = fits.edges[edge][held]
            table[listed] = fits.weights[edge][held]
            weights[at] += table[ours]
            table[listed] = fits.worst
    return weights
