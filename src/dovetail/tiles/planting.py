"""Boards that fit, for the generators: planted, then shuffled and turned."""

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadUsage
from ..core.puzzle import Placement
from .boards import Tile
from .engine import TileSearch
from .oriented import ANY, oriented
from .plan import ORDERS, Candidates, plan
from .puzzle import Making, Pin, Tiles, frame_sides, grey_frame
from .terracotta import Terracotta, standard

SPARSE = 60  # up to here shuffled tiles alone find a board at once; above, scarce tiles must go first
ATTEMPTS = 100  # exchanges for each tile, to make all of them differ

Place = tuple[NDArray[np.int64], int, int]  # of a seam: the array it is in, row and column


def plant_arrows(rows: int, cols: int, repeats: bool, seed: int) -> tuple[Terracotta, Placement]:
    """Corner-arrow tiles in random order and orientation, and how they were planted."""
    rng = np.random.default_rng([seed, rows, cols])
    every = standard()
    if repeats:
        arrows = rng.integers(0, 4, (rows + 1, cols + 1))
        corners = (arrows[:-1, :-1], arrows[:-1, 1:], arrows[1:, :-1], arrows[1:, 1:])
        board: list[Tile] = [
            (int(a), int(b), int(c), int(d)) for a, b, c, d in np.stack(corners, axis=-1).reshape(-1, 4)
        ]
    else:
        tiles = replace(oriented(every), rows=rows, cols=cols, demands=np.full((rows * cols, 4), ANY))
        order = plan(tiles, ORDERS["auto"](tiles))
        search = TileSearch(tiles, order, Candidates(tiles, order, rows * cols > SPARSE), 100_000, (seed, 0))
        while not search.full:
            search.advance(1_000_000)
            if search.exhausted:
                raise BadUsage(f"there is no {rows}x{cols} board without repeats")
        laid = search.placement()
        board = [
            every.turned(every.tiles[piece], turn)
            for row in zip(laid.pieces, laid.turns, strict=True)
            for piece, turn in zip(*row, strict=True)
        ]
    origin, turns = _mixed(len(board), rng, True)
    listed = tuple(every.turned(board[cell], turn) for cell, turn in zip(origin, turns, strict=True))
    return Terracotta(rows, cols, listed), _as_planted(origin, turns, cols)


def plant_tiles(settings: Making, seed: int) -> tuple[Tiles, Placement]:
    """Edge-matching tiles in random order and orientation, and how they were planted."""
    rows, cols = settings.height, settings.width
    rng = np.random.default_rng([seed, rows, cols, settings.colours])
    across, down = _seams(settings, rng)
    board = _tiles(across, down, settings.signed)
    distinct = settings.distinct or settings.unique  # two tiles alike, exchanged, are another solution
    if distinct:
        board = _made_distinct(across, down, settings, rng)
    order, turns = _mixed(rows * cols, rng, settings.rotate)
    frame = None
    if settings.frame == "grey":
        frame = grey_frame(rows, cols)
    elif settings.frame == "coloured":
        frame = tuple(board[r * cols + c][side] for r, c, side in frame_sides(rows, cols))
    tiles = tuple(_turned(board[cell], turn) for cell, turn in zip(order, turns, strict=True))
    answer = _as_planted(order, turns, cols)
    bare = Tiles(
        rows, cols, tiles, settings.rotate, "signed" if settings.signed else "equal", frame, distinct=distinct
    )  # fmt: skip
    cells = rng.permutation(rows * cols)[: settings.hints]
    return replace(bare, pins=tuple(pin_at(answer, int(cell), cols) for cell in cells)), answer


def pin_at(answer: Placement, cell: int, cols: int) -> Pin:
    """The hint that tells one cell of the answer."""
    row, col = divmod(cell, cols)
    return Pin(row, col, answer.pieces[row][col], answer.turns[row][col])


def _seams(settings: Making, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Colours of the seams: across [rows, cols + 1] between columns, down [rows + 1, cols] between rows, rim included.

    Every colour comes up as often as any other, give or take one.
    """
    rows, cols = settings.height, settings.width
    across, down = np.zeros((rows, cols + 1), dtype=np.int64), np.zeros((rows + 1, cols), dtype=np.int64)
    inner_across, inner_down = np.zeros_like(across, dtype=bool), np.zeros_like(down, dtype=bool)
    inner_across[:, 1:-1], inner_down[1:-1] = True, True
    border_across, border_down = inner_across.copy(), inner_down.copy()
    border_across[1:-1], border_down[:, 1:-1] = False, False  # seams between two tiles of the rim, along it
    first = 0
    if settings.border_colours:
        first = settings.border_colours
        _deal(((across, border_across), (down, border_down)), 1, first, rng)
        inner_across &= ~border_across
        inner_down &= ~border_down
    if settings.frame != "grey":  # then the rim is like any other side
        inner_across[:, [0, -1]] = True
        inner_down[[0, -1]] = True
    _deal(((across, inner_across), (down, inner_down)), first + 1, settings.colours, rng)
    if settings.signed:
        across *= rng.choice([-1, 1], across.shape)
        down *= rng.choice([-1, 1], down.shape)
    return across, down


def _deal(
    seams: tuple[tuple[NDArray[np.int64], NDArray[np.bool_]], ...], first: int, colours: int, rng: np.random.Generator
) -> None:
    total = sum(int(where.sum()) for _, where in seams)
    deck = rng.permutation(first + np.arange(total) % colours)
    for values, where in seams:
        number = int(where.sum())
        values[where], deck = deck[:number], deck[number:]


def _tiles(across: NDArray[np.int64], down: NDArray[np.int64], signed: bool) -> list[Tile]:
    """(N, E, S, W) row by row; the two sides of a signed seam are each other's negative."""
    sign = -1 if signed else 1
    sides = (down[:-1] * sign, across[:, 1:], down[1:], across[:, :-1] * sign)
    return [(int(n), int(e), int(s), int(w)) for n, e, s, w in np.stack(sides, axis=-1).reshape(-1, 4)]


def _made_distinct(
    across: NDArray[np.int64], down: NDArray[np.int64], settings: Making, rng: np.random.Generator
) -> list[Tile]:
    """Exchange seams of tiles that are alike with others, where that makes no more tiles alike, until none are."""
    seams = _Seams(across, down, settings)
    for _ in range(ATTEMPTS * settings.width * settings.height):
        alike = seams.alike()
        if not alike:
            return _tiles(across, down, settings.signed)
        seams.exchange(alike[rng.integers(len(alike))], rng)
    raise BadUsage(
        f"found no {settings.width * settings.height} tiles that all differ with {settings.colours} "
        f"colour{'s' if settings.colours > 1 else ''}; allow more colours, or leave out distinct and unique"
    )


class _Seams:
    """The seams of a planted board that may change places, and how often each look of a tile comes up."""

    def __init__(self, across: NDArray[np.int64], down: NDArray[np.int64], settings: Making) -> None:
        self.across, self.down, self.settings = across, down, settings
        self.cols, self.turns = settings.width, range(4 if settings.rotate else 1)
        self.places = [(array, r, c) for array in (across, down) for r, c in np.argwhere(array != 0).tolist()]
        self.looks = [self._look(cell) for cell in range(settings.width * settings.height)]
        self.counts = Counter(self.looks)

    def alike(self) -> list[int]:
        """Cells whose tile has a twin."""
        return [cell for cell, look in enumerate(self.looks) if self.counts[look] > 1]

    def exchange(self, cell: int, rng: np.random.Generator) -> None:
        """Exchange one seam of this tile with any other seam of its kind, unless more tiles are alike then."""
        row, col = divmod(cell, self.cols)
        own = [(self.across, row, col), (self.across, row, col + 1), (self.down, row, col), (self.down, row + 1, col)]
        one, other = own[rng.integers(4)], self.places[rng.integers(len(self.places))]
        if not self._same_kind(one, other):
            return
        touched = sorted({*self._cells(*one), *self._cells(*other)})
        before = self._twins(touched)
        self._swap(one, other)
        old = [self.looks[c] for c in touched]
        self._book(touched, [self._look(c) for c in touched])
        if self._twins(touched) > before:
            self._swap(one, other)
            self._book(touched, old)

    def _twins(self, cells: list[int]) -> int:
        return sum(self.counts[self.looks[cell]] > 1 for cell in cells)

    def _book(self, cells: list[int], looks: list[Tile]) -> None:
        for cell, look in zip(cells, looks, strict=True):
            self.counts[self.looks[cell]] -= 1
            self.counts[look] += 1
            self.looks[cell] = look

    def _swap(self, one: Place, other: Place) -> None:
        (a, r1, c1), (b, r2, c2) = one, other
        a[r1, c1], b[r2, c2] = b[r2, c2], a[r1, c1]

    def _same_kind(self, one: Place, other: Place) -> bool:
        """Whether two seams may change places: no rim, and both or none of the colours kept for the border."""
        (a, r1, c1), (b, r2, c2) = one, other
        border = self.settings.border_colours
        return bool(a[r1, c1] != 0 and (abs(a[r1, c1]) <= border) == (abs(b[r2, c2]) <= border))

    def _cells(self, array: NDArray[np.int64], row: int, col: int) -> list[int]:
        """The tiles on both sides of a seam."""
        rows = self.settings.height
        sides = [(row, col - 1), (row, col)] if array is self.across else [(row - 1, col), (row, col)]
        return [r * self.cols + c for r, c in sides if 0 <= r < rows and 0 <= c < self.cols]

    def _look(self, cell: int) -> Tile:
        row, col = divmod(cell, self.cols)
        sign = -1 if self.settings.signed else 1
        north, south = self.down[row, col] * sign, self.down[row + 1, col]
        west, east = self.across[row, col] * sign, self.across[row, col + 1]
        tile = (int(north), int(east), int(south), int(west))
        return min(_turned(tile, turn) for turn in self.turns)


def _turned(tile: Tile, turns: int) -> Tile:
    """After quarter turns counter-clockwise."""
    a, b, c, d = (tile[(side + turns) % 4] for side in range(4))
    return (a, b, c, d)


def _mixed(number: int, rng: np.random.Generator, rotate: bool) -> tuple[list[int], list[int]]:
    """For every tile listed, the cell it comes from and how often it is turned when listed."""
    return rng.permutation(number).tolist(), (rng.integers(0, 4, number) if rotate else np.zeros(number, int)).tolist()


def _as_planted(order: list[int], turns: list[int], cols: int) -> Placement:
    pieces, back = [0] * len(order), [0] * len(order)
    for piece, (cell, turn) in enumerate(zip(order, turns, strict=True)):
        pieces[cell], back[cell] = piece, -turn % 4
    return Placement.from_flat(pieces, back, cols)
