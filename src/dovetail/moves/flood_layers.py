"""One search for the shortest play of a flood board, in slices: the state behind the solver `flood-search`.

Positions are visited breadth first, a layer a move. Those that a lower bound shows to take too long are left out, and
so are, of very many, all but the best. Where that never happened, nothing shorter exists. (Breadth-first heuristic
search with a beam: Zhou and Hansen 2006.)
"""

import time
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.solver import Clock
from .flood_kernels import FREE, Layer, bound, expand
from .games.flood import Flood
from .rules.flood import state

MOST_BYTES = 256 * 2**20  # of all positions together
WIDER = 8  # times as many positions a layer in the next round
SLICE_S = 0.03  # aim of one slice of work


class FloodSearch:
    """``work`` goes on; ``best`` is the shortest play so far (None before there is one), ``bound`` no play is below."""

    def __init__(self, puzzle: Flood) -> None:
        self._state = state(puzzle)
        areas, self._words = self._state.near.shape
        self.most = areas - 1  # a play that wins nothing twice has no more moves
        self.best: tuple[int, ...] | None = () if areas == 1 else None
        # two layers, and how all positions were made
        self._room = max(1000, MOST_BYTES // (32 * self._words + 150))
        self._slice = 16
        corner = self._state.owned[0].copy(), self._state.reach[0].copy(), self._state.reach[0].copy()
        self.bound, _ = bound(self._state, *corner, self.most)

    @property
    def proved(self) -> bool:
        """Whether nothing is shorter than the best play."""
        return self.best is not None and len(self.best) <= self.bound

    def work(self, clock: Clock) -> Iterator[None]:
        """Until that is so, or as many positions as there is room for do not suffice; yields between slices."""
        colours, width = len(self._state.same), 1
        while not (self.proved or clock.expired):
            yield from self._visit(clock, self.most if self.best is None else len(self.best) - 1, width, False)
            # how far as many positions reach without leaving any out
            while not (self.proved or clock.expired) and (yield from self._visit(clock, self.bound, width, True)):
                pass
            if width * colours >= self._room:
                return
            width = min(width * WIDER, -(-self._room // colours))

    def _visit(self, clock: Clock, most: int, width: int, strict: bool) -> Generator[None, None, bool]:
        """Look for a play of so many moves, with so many positions a layer; strict: give up where they are not enough.

        Returns whether nothing was left out.
        """
        room = (width + 1) * len(self._state.same)
        layer, after = _layer(room, self._words), _layer(room, self._words)
        layer.owned[0], layer.reach[0], layer.used[0] = self._state.owned[0], self._state.reach[0], 1
        made: list[tuple[Any, Any]] = []
        whole = True
        while layer.used[0]:
            finished, flooded = yield from self._next_layer(clock, layer, after, most - len(made))
            if flooded != FREE:
                self.best = (*_path(made, int(after.parent[flooded])), int(after.move[flooded]))
                break
            if not finished:
                return False
            if not strict and after.used[0] > width:
                _keep_best(after, width)
                whole = False
            made.append((after.parent[: after.used[0]].copy(), after.move[: after.used[0]].copy()))
            layer, after = after, layer
        if whole:
            self.bound = most + 1 if layer.used[0] == 0 else len(made) + 1
        return whole

    def _next_layer(
        self, clock: Clock, layer: Layer, after: Layer, most: int
    ) -> Generator[None, None, tuple[bool, int]]:
        """Whether all of it was made, and which of its positions is flooded, or FREE."""
        after.used[0], after.table[:] = 0, FREE
        spare = np.zeros((3, self._words), np.uint64)
        at = 0
        while at < layer.used[0]:
            if clock.expired:
                return False, FREE
            begin, end = time.perf_counter(), min(int(layer.used[0]), at + clock.allowance(self._slice))
            stopped, flooded = expand(self._state, layer, at, end, after, most, spare)
            clock.spend(stopped - at + (flooded != FREE))
            if flooded != FREE or stopped < end:
                return False, flooded
            took = time.perf_counter() - begin
            self._slice = max(1, min(4096, int(self._slice * min(2.0, SLICE_S / max(took, 1e-6)))))
            at = stopped
            yield
        return True, FREE


def _layer(room: int, words: int) -> Layer:
    """An empty one; its memory is taken as it is used."""
    owned, reach = np.empty((room, words), np.uint64), np.empty((room, words), np.uint64)
    places = 1 << (2 * room - 1).bit_length()
    table, used = np.full(places, FREE, np.int32), np.zeros(1, np.int64)
    return Layer(owned, reach, np.empty(room, np.int64), np.empty(room, np.int32), np.empty(room, np.int8), table, used)


def _keep_best(layer: Layer, width: int) -> None:
    """So many of its positions; the table is of no use any more."""
    ranks = layer.rank[: layer.used[0]]
    chosen = np.argpartition(ranks, width - 1)[:width]
    for column in (layer.owned, layer.reach, layer.rank, layer.parent, layer.move):
        column[:width] = column[chosen]
    layer.used[0] = width


def _path(made: Sequence[tuple[Any, Any]], at: int) -> tuple[int, ...]:
    """The moves that led to a position of the last of these layers."""
    path = []
    for parent, move in reversed(made):
        path.append(int(move[at]))
        at = int(parent[at])
    return tuple(reversed(path))
