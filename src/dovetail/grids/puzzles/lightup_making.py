"""Light-up boards: black cells and bulbs at random, more black cells where two answers differ, then as few numbers as
will do."""

from collections.abc import Sequence

import numpy as np

from ...core.errors import BadUsage
from ...core.puzzle import Assignment
from ..engine import answers, grade
from ..making import DIFFICULTIES, thinned
from .lightup import PLAIN, WHITE, Lightup, Making

TRIES = 40  # boards until one is as difficult as asked
LAYOUTS = 3  # of bulbs, before black cells are added


def made(settings: Making, seed: int) -> tuple[Lightup, Assignment]:
    """A puzzle and its only answer."""
    rng = np.random.default_rng(seed)
    wanted = DIFFICULTIES.index(settings.difficulty)
    for _ in range(TRIES):
        full = _numbered(settings, wanted, rng)
        puzzle = _thinned(full, wanted, rng)
        if grade(puzzle.model()) == wanted:
            (answer,) = answers(puzzle.model(), 2)
            return puzzle, Assignment(answer)
    raise BadUsage(
        f"none of {TRIES} boards of {settings.height}x{settings.width} cells came out {settings.difficulty}; "
        "another size, seed or difficulty may do"
    )


def _numbered(settings: Making, wanted: int, rng: np.random.Generator) -> Lightup:
    """A board with a number in every black cell that has one answer and is not too hard."""
    cells = _blackened(settings, rng)
    while True:
        for _ in range(LAYOUTS):
            board = _lit(Lightup(settings.height, settings.width, tuple(cells)), rng)
            found = answers(board.model(), 2)
            if len(found) == 1 and grade(board.model()) <= wanted:
                return board
        differing = [index for index, *two in zip(board.white, *found, strict=True) if len({*two}) > 1]
        _blacken(cells, int(rng.choice(differing or board.white)), settings.symmetric)


def _blackened(settings: Making, rng: np.random.Generator) -> list[int]:
    """As many black cells as asked for, and one white cell at least."""
    cells = [WHITE] * (settings.width * settings.height)
    for index in rng.permutation(len(cells)).tolist():
        if (len(cells) - cells.count(WHITE)) * 100 < settings.black * len(cells):
            _blacken(cells, index, settings.symmetric)
    return cells


def _blacken(cells: list[int], index: int, symmetric: bool) -> None:
    cells[index] = PLAIN
    if symmetric:
        cells[-1 - index] = PLAIN


def _lit(board: Lightup, rng: np.random.Generator) -> Lightup:
    """Numbers as they are with bulbs at random: every next one on a dark cell, so none sees another."""
    bulbs, lit = [0] * len(board.white), set[int]()
    for variable in rng.permutation(len(bulbs)).tolist():
        if variable not in lit:
            bulbs[variable] = 1
            lit.update(board.seen[variable])
    cells = (
        found if found == WHITE else [bulbs[variable] for variable in board.beside(index)].count(1)
        for index, found in enumerate(board.cells)
    )
    return Lightup(board.rows, board.cols, tuple(cells))


def _thinned(full: Lightup, wanted: int, rng: np.random.Generator) -> Lightup:
    """The same board with as few numbers as leave one answer and are not too hard."""
    numbers = [index for index, found in enumerate(full.cells) if found not in (WHITE, PLAIN)]
    return _keeping(full, thinned(numbers, lambda kept: _keeping(full, kept).model(), rng, wanted))


def _keeping(full: Lightup, kept: Sequence[int]) -> Lightup:
    """The same board with some of its numbers only."""
    few = set(kept)
    cells = (found if found == WHITE or index in few else PLAIN for index, found in enumerate(full.cells))
    return Lightup(full.rows, full.cols, tuple(cells))
