"""Algorithms 1 and 2 of "A depth-first search approach to the Terracotta puzzle", as written, in plain Python.

They are here to be read and compared with. Tiles are the paper's: 2×2 arrays as tuples (TL, TR, BL, BR); the fit
function compares the touching arrows; ``index`` walks the cells of arrangement I or II. The recursion yields after
every placement, so that it can be stopped there.
"""

import random
from collections.abc import Iterator
from typing import TypeAlias

from ..core.puzzle import Placement
from .boards import Tile
from .terracotta import Terracotta

Cell: TypeAlias = tuple[int, int]
Laid: TypeAlias = dict[Cell, tuple[Tile, int, int]]  # cell → oriented tile, piece, turns


class RecursiveSearch:
    """One start of either algorithm; see ``race.Start``. ``seed`` shuffles the pieces, deterministically."""

    chunk = 10
    restarts = 0

    def __init__(self, puzzle: Terracotta, algorithm: str, by_columns: bool, seed: str) -> None:
        self.puzzle = puzzle
        rows, cols = range(puzzle.rows), range(puzzle.cols)
        if by_columns:
            self.cells = [(r, c) for c in cols for r in rows]  # arrangement II
        else:
            self.cells = [(r, c) for r in rows for c in cols]  # arrangement I
        self.board: Laid = {}
        self.full = self.exhausted = False
        self.placements = 0
        self._fullest: Laid = {}
        shuffle = random.Random(seed).shuffle
        if algorithm == "1":
            pieces = list(range(len(puzzle.tiles)))
            shuffle(pieces)
            self._steps = self.algorithm_1(pieces, 0)
        else:
            self.rotation, stock = rotation_lookup(puzzle)
            oriented = list(stock.items())
            shuffle(oriented)
            self._steps = self.algorithm_2(dict(oriented), 0)

    @property
    def best(self) -> int:
        """Most tiles laid so far."""
        return len(self._fullest)

    def advance(self, placements: int) -> int:
        """Make up to so many more placements."""
        made = 0
        for _ in range(placements):
            if self.full or self.exhausted:
                break
            if next(self._steps, "over") == "over":
                self.exhausted = True
                break
            made += 1
            self.full = len(self.board) == len(self.cells)
            if len(self.board) > len(self._fullest):
                self._fullest = dict(self.board)
        self.placements += made
        return made

    def placement(self) -> Placement:
        """The fullest board so far."""
        fullest = self._fullest
        cells = [(r, c) for r in range(self.puzzle.rows) for c in range(self.puzzle.cols)]
        lain = [fullest.get(cell, (None, -1, 0)) for cell in cells]
        return Placement.from_flat([p for _, p, _ in lain], [t for _, _, t in lain], self.puzzle.cols)

    def fits(self, tile: Tile, index: int) -> bool:
        """Whether the arrows that touch the tiles above and to the left are the same; both orders lay those first."""
        row, col = self.cells[index]
        above, left = self.board.get((row - 1, col)), self.board.get((row, col - 1))
        return (above is None or above[0][2:] == tile[:2]) and (left is None or left[0][1::2] == tile[::2])

    def algorithm_1(self, pieces: list[int], index: int) -> Iterator[None]:
        """Algorithm 1: every available piece in all four rotations, kept if it fits."""
        if index == len(self.cells):
            return
        for piece in pieces:
            tile = self.puzzle.tiles[piece]
            for rotation in range(4):
                if self.fits(tile, index):
                    pieces_next = [other for other in pieces if other != piece]
                    self.board[self.cells[index]] = (tile, piece, rotation)
                    yield
                    yield from self.algorithm_1(pieces_next, index + 1)
                    del self.board[self.cells[index]]
                tile = turn(tile)

    def algorithm_2(self, pieces: dict[Tile, list[int]], index: int) -> Iterator[None]:
        """Algorithm 2: oriented pieces; the one that is laid takes all its rotations with it, by look-up."""
        if index == len(self.cells):
            return
        for tile, stock in pieces.items():
            if self.fits(tile, index):
                piece = stock[0]
                pieces_next = dict(pieces)
                for rotation in self.rotation[tile]:  # "remove according to calculated rotation dictionary"
                    rest = [other for other in pieces[rotation] if other != piece]
                    if rest:
                        pieces_next[rotation] = rest
                    else:
                        del pieces_next[rotation]
                self.board[self.cells[index]] = (tile, piece, turns_to(self.puzzle.tiles[piece], tile))
                yield
                yield from self.algorithm_2(pieces_next, index + 1)
                del self.board[self.cells[index]]


def turn(tile: Tile) -> Tile:
    """rot90((tile + 1) mod 4)."""
    a, b, c, d = ((arrow + 1) % 4 for arrow in tile)
    return (b, d, a, c)


def turns_to(tile: Tile, oriented: Tile) -> int:
    """How many turns make the one of the other."""
    turns = 0
    while tile != oriented:
        tile, turns = turn(tile), turns + 1
    return turns


def rotation_lookup(puzzle: Terracotta) -> tuple[dict[Tile, set[Tile]], dict[Tile, list[int]]]:
    """The dictionary from every oriented tile to all its rotations, and the pieces that can be each of them."""
    rotation: dict[Tile, set[Tile]] = {}
    stock: dict[Tile, list[int]] = {}
    for piece, tile in enumerate(puzzle.tiles):
        orbit = {tile, turn(tile), turn(turn(tile)), turn(turn(turn(tile)))}
        for oriented in sorted(orbit):
            rotation[oriented] = orbit
            stock.setdefault(oriented, []).append(piece)
    return rotation, stock
