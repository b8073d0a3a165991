"""A puzzle's tables as the kernels have them: four sides, blanks for missing patches, a wall around.

A seam with a blank scores as one with any patch does on average: much less than a seam that is right, so that holes
do not part what belongs together, and no less than one that is wrong.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import BadInput
from ...core.puzzle import EMPTY
from ...core.state import Misfit, fields, restore
from .kernels import DOWN, LEFT, NAMED, RIGHT, UP, Room, Seats
from .tables import Tables

LEAST_WORTH = 1e-3  # nats


class Layout:
    """Everything about a puzzle that stays the same, and one board on which the kernels move patches.

    A board is [cells + 1]: the patch of each cell, blanks being numbered after the patches, and of the wall.
    """

    def __init__(self, tables: Tables, rows: int, cols: int, hints: Mapping[int, int], seed: int) -> None:
        self.tables, self.cols = tables, cols
        self.count, self.cells = tables.count, rows * cols
        self.held = held(hints, self.count, self.cells)
        self.alike = np.minimum(np.arange(self.cells), self.count).astype(np.int32)  # all blanks are alike
        self.seats = seats(tables, rows, cols, self.held < 0)
        self.random = np.random.default_rng(seed)
        self.state = self.random.integers(1, 1 << 63, 1, np.uint64)
        numbers = np.zeros((3, self.cells + 1), np.int32)
        self.board, self.where, self.kept = numbers
        cells, patches = np.zeros((2, self.cells), np.int32)
        self.room = Room(cells, patches, np.zeros(self.cells + 1, np.bool_))
        self._fill(self._others())

    def _others(self) -> NDArray[np.int32]:
        """Patches and blanks that nobody knows the cell of."""
        return np.setdiff1d(np.arange(self.cells, dtype=np.int32), self.held)

    def _fill(self, others: NDArray[np.int32]) -> None:
        board = np.append(self.held, np.int32(self.cells))
        board[board < 0] = others
        self.lay(board)

    def lay(self, board: NDArray[np.int32]) -> None:
        """This board, from now on."""
        self.board[:] = board
        self.where[self.board] = np.arange(self.cells + 1)

    def scatter(self) -> None:
        """A random board; what is known lies where it is known."""
        self._fill(self.random.permutation(self._others()))

    def take_up(self, state: Any) -> None:
        """Go on with a board and random numbers that were saved."""
        values = fields(state, ("board", "state", "random"))
        board = self.fitting(values.pop("board"))
        restore(self, ("state", "random"), values)
        if len(self.state) != 1:
            raise Misfit("state")
        self.state = self.state.copy()  # kernels change it
        self.lay(board)

    def fitting(self, board: Any) -> NDArray[np.int32]:
        """A board that was saved, if every patch and blank lies on it once, and what is known in its cell."""
        if not isinstance(board, np.ndarray) or board.dtype != self.board.dtype or board.shape != self.board.shape:
            raise Misfit("board")
        held = np.append(self.held, np.int32(self.cells))
        if (np.sort(board) != np.arange(self.cells + 1)).any() or ((board != held) & (held >= 0)).any():
            raise Misfit("board")
        return board

    def total(self, board: NDArray[np.int32]) -> float:
        """The score of a board, the seams of blanks included."""
        pair, place, beside, *_ = self.seats
        patches, cells = board[:-1], np.arange(self.cells)
        total = place[patches, cells].sum(dtype=np.float64)
        for side in (RIGHT, DOWN):
            total += pair[side, patches, board[beside[:, side]]].sum(dtype=np.float64)
        return float(total)

    def ahead(self) -> NDArray[np.float64]:
        """The most that the cells from each on can bring, if each took what is best for it. [cells + 1]"""
        pair, beside = self.seats.pair[:, :-1, :-1].astype(np.float64), self.seats.beside
        pair[:, np.arange(self.cells), np.arange(self.cells)] = -np.inf
        most = self.seats.place[:-1, :-1].astype(np.float64)  # [patches, cells]
        for side in (LEFT, UP):
            most = most + np.where(beside[:, side] < self.cells, pair[side].max(axis=1)[:, None], 0.0)
        return np.append(np.cumsum(most.max(axis=0)[::-1])[::-1], 0.0)

    def unlike(self, board: NDArray[np.int32], other: NDArray[np.int32]) -> int:
        """In how many cells two boards differ, blanks being alike."""
        return int((self.alike[board[:-1]] != self.alike[other[:-1]]).sum())

    def shown(self, board: NDArray[np.int32]) -> NDArray[np.int32]:
        """A board for others: without the wall, blanks as EMPTY. [cells]"""
        return np.where(board[:-1] < self.count, board[:-1], EMPTY).astype(np.int32)


def held(hints: Mapping[int, int], count: int, cells: int) -> NDArray[np.int32]:
    """The patch that each cell is known to hold, -1 where nothing is known. [cells]"""
    known = np.full(cells, -1, np.int32)
    for patch, cell in hints.items():
        if not (0 <= patch < count and 0 <= cell < cells):
            raise BadInput(f"patch {patch} cannot be known to lie in cell {cell}: {count} patches, {cells} cells")
        if known[cell] >= 0:
            raise BadInput(f"patches {known[cell]} and {patch} are both said to lie in cell {cell}")
        known[cell] = patch
    return known


def seats(tables: Tables, rows: int, cols: int, free: NDArray[np.bool_]) -> Seats:
    """The tables of all four sides, with blanks and the wall."""
    count, cells = tables.count, rows * cols
    pair = np.zeros((4, cells + 1, cells + 1), np.float32)
    for side, opposite, table in ((RIGHT, LEFT, tables.right), (DOWN, UP, tables.down)):
        pair[side, :cells, :cells] = with_blanks(table, cells)
        pair[opposite] = pair[side].T
    place = np.zeros((cells + 1, cells + 1), np.float32)
    place[:count, :cells] = tables.place
    numbers = np.pad(np.arange(cells, dtype=np.int32).reshape(rows, cols), 1, constant_values=cells)
    sides = (numbers[:-2, 1:-1], numbers[1:-1, 2:], numbers[2:, 1:-1], numbers[1:-1, :-2])  # up, right, down, left
    beside = np.ascontiguousarray(np.stack([side.ravel() for side in sides], axis=1))
    rivals = pair[:, :cells, :cells].copy()
    rivals[:, np.arange(cells), np.arange(cells)] = -np.inf
    named = np.argsort(-rivals, axis=2, kind="stable")[:, :, : min(NAMED, cells - 1)].astype(np.int32)
    return Seats(pair, place, beside, np.ascontiguousarray(named), np.append(free, False), cols)


def with_blanks(table: NDArray[np.float32], cells: int) -> NDArray[np.float32]:
    """A table of pairs [n, n], enlarged by blanks; the diagonal, which nobody may use, is 0. [cells, cells]"""
    count = len(table)
    enlarged = np.zeros((cells, cells), np.float32)
    enlarged[:count, :count] = table
    enlarged[np.arange(count), np.arange(count)] = 0.0
    if cells > count > 1:
        others = enlarged[:count, :count] / (count - 1)
        enlarged[:count, count:] = others.sum(axis=1)[:, None]
        enlarged[count:, :count] = others.sum(axis=0)
        enlarged[count:, count:] = others.sum() / count
    return enlarged


def worth(tables: Tables) -> float:
    """What it usually is worth to lie beside whom, or where, a patch likes best, rather than anywhere, in nats."""
    count = tables.count
    beside = np.eye(count, dtype=bool)
    worths = [LEAST_WORTH]
    if count > 2:
        for table in (tables.right, tables.down):
            others = table[~beside].reshape(count, count - 1)
            worths.append(float(np.median(others.max(axis=1) - np.median(others, axis=1))))
    worths.append(float(np.median(tables.place.max(axis=1) - np.median(tables.place, axis=1))))
    return max(worths)
