"""Algorithms 1 and 2 of "A depth-first search approach to the Terracotta puzzle", as written, in plain Python.

They are here to be read and compared with. Tiles are the paper's: 2×2 arrays as tuples (TL, TR, BL, BR); the fit
function compares the touching arrows; ``index`` walks the cells of arrangement I or II.
"""

from __future__ import annotations

import random
from collections.abc import Generator
from typing import TYPE_CHECKING

from ..core.puzzle import Placement
from ..core.solver import Clock, Outcome, Progress, Run, Status
from .terracotta import Terracotta, Tile

if TYPE_CHECKING:
    from .depth_first import Settings

LOOK = 256  # placements between two looks at the clock
MOST_CELLS = 400  # as deep as Python's own stack safely goes


class _Search:
    """What the recursion shares: the board, the order of its cells, and the best board so far."""

    def __init__(self, puzzle: Terracotta, settings: Settings, clock: Clock, seed: int) -> None:
        self.puzzle, self.clock = puzzle, clock
        rows, cols = range(puzzle.rows), range(puzzle.cols)
        if settings.by_columns(puzzle):
            self.cells = [(r, c) for c in cols for r in rows]  # arrangement II
        else:
            self.cells = [(r, c) for r in rows for c in cols]  # arrangement I
        self.board: dict[tuple[int, int], tuple[Tile, int, int]] = {}  # cell → oriented tile, piece, turns
        self.best: dict[tuple[int, int], tuple[Tile, int, int]] = {}
        self.shuffle = random.Random(seed).shuffle  # the paper's deterministic shuffle

    def fits(self, tile: Tile, index: int) -> bool:
        """Whether the touching arrows of the tiles above and to the left are the same; both orders lay those first."""
        row, col = self.cells[index]
        above, left = self.board.get((row - 1, col)), self.board.get((row, col - 1))
        return (above is None or above[0][2:] == tile[:2]) and (left is None or left[0][1::2] == tile[::2])

    def put(self, index: int, tile: Tile, piece: int, turns: int) -> Generator[Progress, None, None]:
        """Lay one tile; now and then, tell how far it got."""
        self.board[self.cells[index]] = (tile, piece, turns)
        self.clock.spend(1)
        if len(self.board) > len(self.best):
            self.best = dict(self.board)
        if self.clock.steps % LOOK == 0:
            yield Progress(
                self.clock.steps, "placements", len(self.best), len(self.cells), "tiles", {}, self.placement()
            )

    def placement(self) -> Placement:
        """The best board so far."""
        cells = [(r, c) for r in range(self.puzzle.rows) for c in range(self.puzzle.cols)]
        lain = [self.best.get(cell, (None, -1, 0)) for cell in cells]
        return Placement.from_flat([p for _, p, _ in lain], [t for _, _, t in lain], self.puzzle.cols)

    @property
    def stopped(self) -> bool:
        """Look at the wall clock only now and then; steps are exact."""
        out_of_steps = not self.clock.allowance(1)
        return out_of_steps or (self.clock.steps % LOOK == 0 and self.clock.expired)


def search(puzzle: Terracotta, settings: Settings, clock: Clock, seed: int) -> Run:
    """Run the algorithm that the settings name."""
    state = _Search(puzzle, settings, clock, seed)
    if settings.algorithm == "1":
        order = list(range(len(puzzle.tiles)))
        state.shuffle(order)
        solved = yield from _algorithm_1(state, order, 0)
    else:
        rotation, stock = _rotation_lookup(puzzle)
        oriented = list(stock.items())
        state.shuffle(oriented)
        solved = yield from _algorithm_2(state, dict(oriented), rotation, 0)
    status: Status = "complete" if solved else "out_of_budget" if state.stopped or clock.expired else "proved_none"
    return Outcome(status, state.placement(), {"placements": clock.steps, "most_placed": len(state.best)})


def _turn(tile: Tile) -> Tile:
    """rot90((tile + 1) mod 4)."""
    a, b, c, d = ((arrow + 1) % 4 for arrow in tile)
    return (b, d, a, c)


def _algorithm_1(state: _Search, pieces: list[int], index: int) -> Generator[Progress, None, bool]:
    """Algorithm 1: every available piece in all four rotations, kept if it fits."""
    if index == len(state.cells):
        return True
    for piece in pieces:
        tile = state.puzzle.tiles[piece]
        for rotation in range(4):
            if state.stopped:
                return False
            if state.fits(tile, index):
                yield from state.put(index, tile, piece, rotation)
                rest = [other for other in pieces if other != piece]
                if (yield from _algorithm_1(state, rest, index + 1)):
                    return True
                del state.board[state.cells[index]]
            tile = _turn(tile)
    return False


def _rotation_lookup(puzzle: Terracotta) -> tuple[dict[Tile, set[Tile]], dict[Tile, list[int]]]:
    """The dictionary from every oriented tile to all its rotations, and the stock of pieces by orientation."""
    rotation: dict[Tile, set[Tile]] = {}
    stock: dict[Tile, list[int]] = {}
    for piece, tile in enumerate(puzzle.tiles):
        orbit = [tile, _turn(tile), _turn(_turn(tile)), _turn(_turn(_turn(tile)))]
        for oriented in orbit:
            rotation[oriented] = set(orbit)
            if piece not in stock.setdefault(oriented, []):
                stock[oriented].append(piece)
    return rotation, stock


def _algorithm_2(
    state: _Search, pieces: dict[Tile, list[int]], rotation: dict[Tile, set[Tile]], index: int
) -> Generator[Progress, None, bool]:
    """Algorithm 2: oriented pieces; the one that is laid takes all its rotations with it, by look-up."""
    if index == len(state.cells):
        return True
    for tile, stock in pieces.items():
        if state.stopped:
            return False
        if state.fits(tile, index):
            piece = stock[0]
            yield from state.put(index, tile, piece, _turns(state.puzzle.tiles[piece], tile))
            rest = dict(pieces)
            for oriented in rotation[tile]:
                rest[oriented] = [other for other in rest[oriented] if other != piece]
                if not rest[oriented]:
                    del rest[oriented]
            if (yield from _algorithm_2(state, rest, rotation, index + 1)):
                return True
            del state.board[state.cells[index]]
    return False


def _turns(tile: Tile, oriented: Tile) -> int:
    turns = 0
    while tile != oriented:
        tile, turns = _turn(tile), turns + 1
    return turns
