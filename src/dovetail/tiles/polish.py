"""A full board made better: tiles exchanged, and sets of non-adjacent cells laid anew as well as they can be at all."""

import numpy as np
from numpy.typing import NDArray

from . import kernels
from .oriented import ANY, Oriented

MISFIT = 50.0  # what a tile costs that breaks frame, rim or hint
AT_ONCE = 128  # cells laid by one assignment
HEAT = 0.3  # mismatched seams; at this temperature exchanges pay


class Polish:
    """Works on boards of oriented tiles, -1 for a hole."""

    def __init__(self, tiles: Oriented) -> None:
        self.tiles = tiles
        self.free = np.array([cell for cell in range(tiles.cells) if cell not in tiles.pinned], dtype=np.int64)
        beyond = [tiles.neighbour(cell, side) for cell in range(tiles.cells) for side in range(4)]
        self.beyond = np.array([-1 if other is None else other for other in beyond], dtype=np.int64)
        rows, cols = np.divmod(np.arange(tiles.cells), tiles.cols)
        self._shade = (rows + cols) % 2  # of the chessboard
        self._kind, self._holding = tiles.cell_kinds
        # oriented tiles come class by class
        self.class_start = np.searchsorted(tiles.class_of, np.arange(len(tiles.stock)))
        options, starts = [], [0]
        for mask in self._holding:
            for known in range(len(tiles.stock)):
                start = self.class_start[known]
                end = start + tiles.orientations[known]
                options += [o for o in range(start, end) if mask[o]]
                starts.append(len(options))
        self._options = np.array(options or [0], dtype=np.int64)
        self._first_option = np.array(starts, dtype=np.int64)

    def breaks(self, board: NDArray[np.int64]) -> int:
        """Mismatched seams, for the search's own use: what counts is what the checker says."""
        sides, grid = self.tiles.sides, board.reshape(self.tiles.rows, self.tiles.cols)
        across = sides[grid[:, :-1], 1] != sides[grid[:, 1:], 3]
        down = sides[grid[:-1], 2] != sides[grid[1:], 0]
        return int(across.sum() + down.sum())

    def misfits(self, board: NDArray[np.int64]) -> int:
        """Tiles that break frame, rim or a hint."""
        return int((~self._holding[self._kind, board]).sum())

    def filled(self, board: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """The board with its holes filled: first the cells of one colour of the chessboard, then those of the other."""
        board = board.copy()
        holes = np.flatnonzero(board < 0)
        shade = self._shade[holes]
        held = np.bincount(self.tiles.class_of[board[board >= 0]], minlength=len(self.tiles.stock))
        left = np.repeat(np.arange(len(self.tiles.stock)), self.tiles.stock - held)
        for half in (holes[shade == 0], holes[shade == 1]):
            for begin in range(0, len(half), AT_ONCE):
                left = self._lay(board, half[begin : begin + AT_ONCE], left, rng)
        return board

    def exchange(self, board: NDArray[np.int64], moves: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Annealing by exchanges of two tiles; never worse in the end."""
        board = board.copy()
        if len(self.free) > 1:
            kernels.anneal_board(
                board, self.beyond, self.tiles.sides, self._kind, self._first_option, self._options,
                self.tiles.class_of, self.free, moves, HEAT, rng,
            )  # fmt: skip
        return board

    def relay(self, board: NDArray[np.int64], rounds: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Take up random cells of one chessboard colour and lay them as well as can be (linear assignment), repeatedly.

        No two of them touch, so each tile's mismatches depend on where it lies alone. Ties are broken at random: boards
        that are as good lead on to better ones.
        """
        board = board.copy()
        for round_ in range(rounds):
            half = self.free[self._shade[self.free] == round_ % 2]
            taken = rng.permutation(half)[: max(1, int(min(len(half), AT_ONCE) * rng.uniform(0.3, 1.0)))]
            classes = self.tiles.class_of[board[taken]]
            self._lay(board, taken, classes, rng)
        return board

    def _lay(
        self, board: NDArray[np.int64], cells: NDArray[np.int64], classes: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Lay the best of these tiles on these cells, in place; the classes that are left over come back."""
        from scipy.optimize import linear_sum_assignment

        if not len(cells):
            return classes
        sides = self.tiles.sides
        cost = np.where(self._holding[self._kind[cells]], 0.0, MISFIT)  # [cells, m]
        for side in range(4):
            others = self.beyond.reshape(-1, 4)[cells, side]
            lying = np.where(others >= 0, board[others], -1)
            wanted = np.where(lying >= 0, sides[lying, (side + 2) % 4], ANY)
            cost += (wanted[:, None] != ANY) & (sides[:, side] != wanted[:, None])
        cost += rng.random(cost.shape) * (0.4 / len(cells))
        of_class = np.minimum.reduceat(cost, self.class_start, axis=1)  # [cells, classes]
        rows, chosen = linear_sum_assignment(of_class[:, classes])
        for row, tile in zip(rows, classes[chosen], strict=True):
            start = self.class_start[tile]
            board[cells[row]] = start + int(np.argmin(cost[row, start : start + self.tiles.orientations[tile]]))
        return np.delete(classes, chosen)
