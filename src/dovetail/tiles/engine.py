"""One restarting depth-first search over corner-arrow tiles: the state around the kernel."""

import numpy as np
from numpy.typing import NDArray

from . import kernels
from .corners import Candidates, Layout

RESTARTS_A_CALL = 20


class CornerSearch:
    """A search that can be advanced by any number of placements; how it is sliced never changes its path.

    Restarts follow Luby's sequence times ``restart`` placements (0: never), each with newly shuffled candidates. The
    sequence grows without bound, so a search that can be exhausted is, in the end, exhausted.
    """

    chunk = 50_000  # placements of about a millisecond

    def __init__(
        self, layout: Layout, stock: NDArray[np.uint16], candidates: Candidates, restart: int, seeds: tuple[int, ...]
    ) -> None:
        self.layout = layout
        self.full = self.exhausted = False
        self.placements = 0
        self.best = 0  # most tiles laid so far
        self.restarts = -1
        self.tally = np.zeros(3, dtype=np.int64)
        self._whole_stock, self._candidates, self._restart = stock, candidates, restart
        self._rng = np.random.default_rng(seeds)
        self._depth = 0
        cells = len(layout.cells)
        self._best = np.zeros(1, dtype=np.uint32)
        self._best_placed = np.zeros(cells, dtype=np.uint32)
        self._fullest = self._best_placed[:0]
        self._cursor = np.zeros(cells, dtype=np.uint32)
        self._placed = np.zeros(cells, dtype=np.uint32)
        self._arrows = np.zeros(layout.vertices, dtype=np.uint8)
        self._begin()

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to do: the board is full, or nothing is left to try."""
        return self.full or self.exhausted

    def best_board(self) -> NDArray[np.int64]:
        """Oriented codes of the fullest board so far, row-major, -1: hole. Safe to ask while another thread runs."""
        placed = self._fullest
        board = np.full(len(self.layout.cells), -1, dtype=np.int64)
        board[self.layout.cells[: len(placed)]] = placed & 255
        return board

    def advance(self, placements: int, counting: bool = False, cols: int = 0) -> int:
        """Make up to ``placements`` more; fewer when the board fills up or nothing is left to try.

        Fewer also after some restarts, so that no call takes long, however small ``restart`` is.
        """
        left, last = placements, self.restarts + RESTARTS_A_CALL
        while left > 0 and not self.ended and self.restarts <= last:
            if self._until_restart == 0:
                self._begin()
            limit = left if self._until_restart is None else min(left, self._until_restart)
            ended, self._depth, made = kernels.search_corners(
                self._candidates.first, self._records, self.layout.read, self.layout.write, self.layout.pattern,
                self._stock, self._arrows, self._cursor, self._placed, self._depth, limit,
                self._best, self._best_placed, counting, self.tally, cols,
            )  # fmt: skip
            left -= made
            if self._until_restart is not None:
                self._until_restart -= made
            self.full = ended == kernels.FULL
            self.exhausted = ended == kernels.EXHAUSTED
        self.placements += placements - left
        if self._best[0] > self.best:
            self._fullest = self._best_placed[: self._best[0]].copy()
            self.best = len(self._fullest)
        return placements - left

    def _begin(self) -> None:
        """Start again from the empty board with a new shuffle."""
        self.restarts += 1
        self._until_restart = luby(self.restarts + 1) * self._restart if self._restart else None
        self._records = self._candidates.shuffled(self._rng)
        self._stock = self._whole_stock.copy()
        self._cursor[0] = self._candidates.first[self.layout.pattern[0]]
        self._depth = 0


def luby(i: int) -> int:
    """The i-th term, from 1, of 1 1 2 1 1 2 4 … (Luby, Sinclair, Zuckerman 1993): within a log of optimal restarts."""
    while True:
        k = i.bit_length()
        if i == (1 << k) - 1:
            return 1 << (k - 1)
        i -= (1 << (k - 1)) - 1
