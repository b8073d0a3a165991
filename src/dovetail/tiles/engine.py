"""One restarting depth-first search over corner-arrow tiles: the state around the kernel."""

import numpy as np
from numpy.typing import NDArray

from . import kernels
from .corners import Layout, candidates


class CornerSearch:
    """A search that can be advanced by any number of placements; how it is sliced never changes its path.

    Restarts follow Luby's sequence times ``restart`` placements (0: never), each with newly shuffled candidates drawn
    from ``seeds`` and the number of the restart. The sequence grows without bound, so a search that can be exhausted
    is, in the end, exhausted.
    """

    def __init__(
        self,
        layout: Layout,
        stock: NDArray[np.uint16],
        scarce_first: bool,
        restart: int,
        seeds: tuple[int, ...],
    ) -> None:
        self.layout = layout
        self.full = self.exhausted = False
        self.placements = 0
        self.restarts = -1
        self._depth = 0
        self._whole_stock = stock
        self._scarce_first, self._restart, self._seeds = scarce_first, restart, seeds
        cells = len(layout.cells)
        self._best = np.zeros(1, dtype=np.uint32)
        self._best_placed = np.zeros(cells, dtype=np.uint32)
        self._cursor = np.zeros(cells, dtype=np.uint32)
        self._placed = np.zeros(cells, dtype=np.uint32)
        self.tally = np.zeros(3, dtype=np.int64)
        self._begin()

    @property
    def best(self) -> int:
        """Most tiles laid so far."""
        return int(self._best[0])

    def best_board(self) -> NDArray[np.int64]:
        """Oriented codes of that board, row-major, -1 for holes."""
        board = np.full(len(self.layout.cells), -1, dtype=np.int64)
        board[self.layout.cells[: self.best]] = self._best_placed[: self.best] & 255
        return board

    def advance(self, placements: int, counting: bool = False, cols: int = 0) -> int:
        """Make up to ``placements`` more; fewer when the board fills up or nothing is left to try."""
        left = placements
        while left > 0 and not (self.full or self.exhausted):
            if self._until_restart == 0:
                self._begin()
            limit = left if self._until_restart is None else min(left, self._until_restart)
            ended, self._depth, made = kernels.search_corners(
                self._first, self._records, self.layout.read, self.layout.write, self.layout.pattern,
                self._stock, self._arrows, self._cursor, self._placed, self._depth, limit,
                self._best, self._best_placed, counting, self.tally, cols,
            )  # fmt: skip
            left -= made
            if self._until_restart is not None:
                self._until_restart -= made
            self.full = ended == kernels.FULL
            self.exhausted = ended == kernels.EXHAUSTED
        self.placements += placements - left
        return placements - left

    def _begin(self) -> None:
        """Start again from the empty board with a new shuffle."""
        self.restarts += 1
        self._until_restart = luby(self.restarts + 1) * self._restart if self._restart else None
        rng = np.random.default_rng([*self._seeds, self.restarts])
        self._first, self._records = candidates(self._whole_stock, self.layout.masks, self._scarce_first, rng)
        self._stock = self._whole_stock.copy()
        self._arrows = np.zeros(self.layout.vertices, dtype=np.uint8)
        self._cursor[0] = self._first[self.layout.pattern[0]]
        self._depth = 0


def luby(i: int) -> int:
    """The i-th term, from 1, of 1 1 2 1 1 2 4 … (Luby, Sinclair, Zuckerman 1993): within a log of optimal restarts."""
    while True:
        k = i.bit_length()
        if i == (1 << k) - 1:
            return 1 << (k - 1)
        i -= (1 << (k - 1)) - 1
