"""What is known of a puzzle once its patches have been looked at: tables of how well they lie beside each other.

Networks (``networks.py``) or plain pixels (``pixel_tables``) look at every patch once. After that a search never sees
a pixel again: the score of a board is a sum of numbers looked up here.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.errors import BadInput
from ...core.puzzle import EMPTY

SHARPNESS = 3.0  # nats for a difference e times as large; with it, pixels are about as sure as they are right
FAINT = 0.01  # added to every difference, whose largest is 1: below this they are noise
CLIP = (-3.0, 2.0)  # of a comparison, in natural logarithms


class Tables(NamedTuple):
    """Scores in nats; larger is better."""

    right: NDArray[np.float32]  # [n, n]: how well the second patch lies directly right of the first; diagonal unused
    down: NDArray[np.float32]  # [n, n]: directly below it
    place: NDArray[np.float32]  # [n, cells]: how well a patch lies in a cell; cells row by row

    @property
    def count(self) -> int:  # type: ignore[override]  # nobody counts equal tables
        """Patches."""
        return len(self.place)

    @property
    def cells(self) -> int:
        """Of the board."""
        return int(self.place.shape[1])


def checked(tables: Tables, rows: int, cols: int) -> Tables:
    """The same tables as float32, in one piece in memory, if they are those of a board of this shape."""
    right, down, place = (np.ascontiguousarray(table, np.float32) for table in tables)
    count = len(place)
    if rows < 1 or cols < 1 or place.shape != (count, rows * cols):
        raise BadInput(f"a table of places for a {rows}x{cols} board is [patches, {rows * cols}], not {place.shape}")
    if right.shape != (count, count) or down.shape != (count, count):
        raise BadInput(f"tables of {count} patches are [{count}, {count}], not {right.shape} and {down.shape}")
    if not 1 <= count <= rows * cols:
        raise BadInput(f"a {rows}x{cols} board holds 1 to {rows * cols} patches, not {count}")
    beside = ~np.eye(count, dtype=bool)
    if not (np.isfinite(right[beside]).all() and np.isfinite(down[beside]).all() and np.isfinite(place).all()):
        raise BadInput("tables hold finite numbers only")
    return Tables(right, down, place)


def score(tables: Tables, board: Any, cols: int) -> float:
    """The sum over adjacent pairs and cells of a board: the patch of each cell, row by row, EMPTY where none is."""
    grid = np.asarray(board).reshape(-1, cols)
    total = 0.0
    for table, first, second in ((tables.right, grid[:, :-1], grid[:, 1:]), (tables.down, grid[:-1], grid[1:])):
        laid = (first != EMPTY) & (second != EMPTY)
        total += float(table[first[laid], second[laid]].sum(dtype=np.float64))
    cells = np.flatnonzero(grid.ravel() != EMPTY)
    return total + float(tables.place[grid.ravel()[cells], cells].sum(dtype=np.float64))


def pixel_tables(patches: NDArray[Any], rows: int, cols: int) -> Tables:
    """What facing rows of pixels say with no learning at all; no place is better than another.

    ``patches`` is [n, height, width, channels]. A seam scores by how its difference compares with that of the best
    rival on either side, on a logarithmic scale: among flat patches, where everything fits, it then says little.
    """
    colours = np.asarray(patches, np.float32)
    spread = float(colours.max() - colours.min()) or 1.0
    right = _differences(colours[:, :, -1] / spread, colours[:, :, 0] / spread)
    down = _differences(colours[:, -1] / spread, colours[:, 0] / spread)
    place = np.zeros((len(colours), rows * cols), np.float32)
    return Tables(_relative(right), _relative(down), place)


def _differences(ends: NDArray[np.float32], begins: NDArray[np.float32]) -> NDArray[np.float32]:
    """How much every end [n, length, channels] differs from every begin. [n, n]

    The root of the difference at a pixel counts, so that a contour which goes on a little to the side, as it does
    across a gap, does not outweigh all else.
    """
    ends, begins = _blurred(ends), _blurred(begins)
    return np.stack([np.sqrt(np.abs(end - begins).mean(axis=2)).mean(axis=1) for end in ends])


def _blurred(rims: NDArray[np.float32]) -> NDArray[np.float32]:
    """Smoothed along the rim by a pixel or so."""
    for _ in range(2):
        padded = np.pad(rims, ((0, 0), (1, 1), (0, 0)), mode="edge")
        rims = (padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]) / np.float32(4)
    return rims


def _relative(differences: NDArray[np.float32]) -> NDArray[np.float32]:
    """Differences as scores."""
    count = len(differences)
    if count < 3:
        return -SHARPNESS * differences
    rivals = differences + FAINT
    rivals[np.arange(count), np.arange(count)] = np.inf
    scores = np.zeros_like(differences)
    for axis in (0, 1):
        first, second = np.split(np.partition(rivals, 1, axis=axis).take([0, 1], axis=axis), 2, axis=axis)
        scores -= np.log((differences + FAINT) / np.where(rivals == first, second, first)).clip(*CLIP)
    scores[np.arange(count), np.arange(count)] = 0.0
    return (SHARPNESS * scores).astype(np.float32)
