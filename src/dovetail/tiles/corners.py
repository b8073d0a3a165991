"""Corner-arrow tiles as numbers for the fast engine: codes, rotation classes, fill orders, candidate tables.

An oriented tile is one byte, two bits a corner: ``TL << 6 | TR << 4 | BL << 2 | BR``. Because touching arrows are
equal, a board of ``rows × cols`` tiles is nothing but ``(rows + 1) × (cols + 1)`` arrows at its vertices, each tile a
2×2 window on them; the engine searches in this vertex form.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

CLASSES = 70
SENTINEL = np.uint32(0xFFFFFFFF)  # ends every candidate list


@dataclass(frozen=True)
class Rotations:
    """Which oriented tiles are turns of one another: the look-up of the paper's Algorithm 2."""

    turn: NDArray[np.uint8]  # [256] the code after a quarter turn counter-clockwise
    class_of: NDArray[np.uint8]  # [256] 0..69, classes numbered by their smallest code
    orbit: NDArray[np.uint8]  # [70] orientations of each class: 4, 2 or 1


@cache
def rotations() -> Rotations:
    """The table, built once."""
    code = np.arange(256)
    top_left, top_right, bottom_left, bottom_right = ((code >> s) + 1 & 3 for s in (6, 4, 2, 0))
    turn = top_right << 6 | bottom_right << 4 | top_left << 2 | bottom_left
    orbit = np.stack([code, turn, turn[turn], turn[turn[turn]]])  # [4, 256]
    smallest, class_of = np.unique(orbit.min(axis=0), return_inverse=True)
    sizes = np.bincount(class_of, minlength=len(smallest))
    return Rotations(turn.astype(np.uint8), class_of.astype(np.uint8), sizes.astype(np.uint8))


def codes_of(tiles: Any) -> NDArray[np.int64]:
    """Codes [n] of tiles given as (TL, TR, BL, BR)."""
    codes: NDArray[np.int64] = np.asarray(tiles, dtype=np.int64).reshape(-1, 4) @ np.array([64, 16, 4, 1])
    return codes


@dataclass(frozen=True)
class Layout:
    """A fill order, and for each of its cells which of the four corner arrows are known by then."""

    cells: NDArray[np.int64]  # [n] row-major cell at each depth
    write: NDArray[np.uint32]  # [n * 4] vertex of each corner
    read: NDArray[np.uint32]  # [n * 4] the same where it is known, else the vertex that is always 0
    pattern: NDArray[np.uint32]  # [n] 256 × index into ``masks``
    masks: NDArray[np.int64]  # the distinct sets of known corners, as masks on a code
    vertices: int


@cache
def layout(rows: int, cols: int, by_columns: bool) -> Layout:
    """Arrangement I of the paper's figure 2 fills row by row, arrangement II column by column."""
    cells = np.arange(rows * cols).reshape(rows, cols)
    order = (cells.T if by_columns else cells).ravel()
    r, c = np.divmod(order, cols)
    first = r * (cols + 1) + c
    write = np.stack([first, first + 1, first + cols + 1, first + cols + 2], axis=1)  # [n, 4]
    always_zero = (rows + 1) * (cols + 1)
    known = np.zeros(always_zero, dtype=bool)
    read = np.full_like(write, always_zero)
    for depth, corners in enumerate(write):
        read[depth, known[corners]] = corners[known[corners]]
        known[corners] = True
    masks, pattern = np.unique((read != always_zero) @ np.array([192, 48, 12, 3]), return_inverse=True)
    return Layout(
        order,
        write.astype(np.uint32).ravel(),
        read.astype(np.uint32).ravel(),
        (pattern * 256).astype(np.uint32),
        masks,
        always_zero + 1,
    )


class Candidates:
    """For every set of known corners and their arrows, the oriented tiles that fit.

    ``first`` [masks * 256] says where each list begins in the records, ``class << 8 | code``, ended by SENTINEL.
    ``scarce_first`` puts tiles with few orientations before the others: a tile that looks the same from all sides
    fits one hole in 256, a tile with four faces one in 64, so those left for last are what kills a search.
    """

    def __init__(self, stock: NDArray[Any], masks: NDArray[np.int64], scarce_first: bool) -> None:
        table = rotations()
        codes = np.flatnonzero(stock[table.class_of])
        scarcity = table.orbit[table.class_of[codes]] if scarce_first else np.zeros(len(codes), dtype=np.uint8)
        keys = codes & masks[:, None]  # [masks, codes]
        lists = keys + 256 * np.arange(len(masks))[:, None]
        # lists follow one another, a sentinel after each; within a list, shuffles keep to the order of ``_rank``
        self._rank = (lists * 8.0 + scarcity).ravel()
        self._records = np.tile(table.class_of[codes].astype(np.uint32) << 8 | codes.astype(np.uint32), len(masks))
        self._slots = np.arange(lists.size) + np.sort(lists, axis=None)
        sizes = np.bincount(lists.ravel(), minlength=256 * len(masks))
        self.first = (np.cumsum(sizes) - sizes + np.arange(len(sizes))).astype(np.uint32)

    def shuffled(self, rng: np.random.Generator) -> NDArray[np.uint32]:
        """The records, every list in a new order."""
        records = np.full(len(self._records) + len(self.first), SENTINEL, dtype=np.uint32)
        records[self._slots] = self._records[np.argsort(self._rank + rng.random(len(self._rank)))]
        return records


def place(tile_codes: NDArray[np.int64], board: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """From oriented codes on the board (-1: hole) back to tile indices and their turns."""
    table = rotations()
    stacks: dict[int, list[int]] = {}
    for index in range(len(tile_codes) - 1, -1, -1):
        stacks.setdefault(int(table.class_of[tile_codes[index]]), []).append(index)
    pieces, turns = np.full(len(board), -1), np.zeros(len(board), dtype=np.int64)
    for cell in np.flatnonzero(board >= 0):
        piece = pieces[cell] = stacks[int(table.class_of[board[cell]])].pop()
        code = int(tile_codes[piece])
        while code != board[cell]:
            code = int(table.turn[code])
            turns[cell] += 1
    return pieces, turns
