"""Puzzles with one solution, proved by a complete search, with as few hints as can be found."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..core.puzzle import Placement
from .engine import TileSearch
from .estimate import effort
from .oriented import Oriented, oriented
from .plan import ORDERS, Candidates, plan
from .planting import pin_at
from .puzzle import Pin, Tiles

PLACEMENTS = 40_000_000  # for one proof: about a second
ORDERS_TRIED = ("auto", "constrained")


def made_unique(puzzle: Tiles, answer: Placement, seed: int) -> Tiles:
    """The puzzle with hints of its answer added until no other board fits, then without those that are not needed.

    A board that fits as well shows where a hint tells most: where it differs. While the search to expect is too
    large to be completed, hints go where they are farthest from the others.
    """
    rng = np.random.default_rng([seed, 1])
    given = puzzle.pins
    while effort(puzzle) > PLACEMENTS:
        puzzle = _with(puzzle, pin_at(answer, _loneliest(puzzle, rng), puzzle.cols))
    while (other := another_board(puzzle, answer)) is not None:
        tiles = oriented(puzzle)
        planted = board_of(tiles, answer)
        differs = np.flatnonzero(planted != other) if len(other) else np.array([_loneliest(puzzle, rng)])
        puzzle = _with(puzzle, pin_at(answer, int(rng.choice(differs)), puzzle.cols))
    extra = [pin for pin in puzzle.pins if pin not in given]
    for n in rng.permutation(len(extra)):
        fewer = replace(puzzle, pins=tuple(pin for pin in puzzle.pins if pin != extra[n]))
        if another_board(fewer, answer) is None:
            puzzle = fewer
    return puzzle


def another_board(puzzle: Tiles, answer: Placement) -> NDArray[np.int64] | None:
    """A board that looks different from the answer, however that is turned; None if there is provably none.

    An empty one if neither could be settled.
    """
    tiles = oriented(puzzle)
    same = {board.tobytes() for board in _turned(tiles, board_of(tiles, answer))}
    for order in ORDERS_TRIED:
        search = _search(tiles, order)
        while not search.exhausted and search.placements < PLACEMENTS:
            search.advance(PLACEMENTS - search.placements)
            if search.full:
                board = search.best_board()
                if board.tobytes() not in same:
                    return board
                search.go_on()
        if search.exhausted:
            return None
    return np.zeros(0, dtype=np.int64)


def board_of(tiles: Oriented, answer: Placement) -> NDArray[np.int64]:
    """A placement as oriented tiles, cell by cell."""
    cells = [
        next(look for look in tiles.looks[piece] if _faces_alike(tiles, look, piece, turn))
        for pieces, turns in zip(answer.pieces, answer.turns, strict=True)
        for piece, turn in zip(pieces, turns, strict=True)
    ]
    return np.array(cells, dtype=np.int64)


def _faces_alike(tiles: Oriented, look: int, piece: int, turn: int) -> bool:
    """Whether this tile, so turned, is that oriented tile: turns that show the same are the same."""
    return (turn - tiles.looks[piece][look]) % len(tiles.looks[piece]) == 0


def _turned(tiles: Oriented, board: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The board and what the puzzle's own symmetry makes of it."""
    boards = []
    for turns in range(0, 4, 4 // tiles.symmetry):
        turned = board.reshape(tiles.rows, tiles.cols)
        for _ in range(turns):
            turned = tiles.turn[np.rot90(turned)]
        boards.append(np.ascontiguousarray(turned).ravel())
    return boards


def _search(tiles: Oriented, order: str) -> TileSearch:
    laid = plan(tiles, ORDERS[order](tiles))
    return TileSearch(tiles, laid, Candidates(tiles, laid, True), 0, (0,))


def _with(puzzle: Tiles, pin: Pin) -> Tiles:
    return replace(puzzle, pins=(*puzzle.pins, pin))


def _loneliest(puzzle: Tiles, rng: np.random.Generator) -> int:
    """A cell as far as can be from all hints and from the frame."""
    row, col = np.divmod(np.arange(puzzle.rows * puzzle.cols), puzzle.cols)
    away = np.minimum(np.minimum(row, puzzle.rows - 1 - row), np.minimum(col, puzzle.cols - 1 - col)) + 1.0
    for pin in puzzle.pins:
        away = np.minimum(away, abs(row - pin.row) + abs(col - pin.col))
    return int(np.argmax(away + 0.5 * rng.random(len(away))))
