"""The slitherlink generator: a random winding loop, all its clues, and then as many of them away as can be.

The loop is the border of a region, grown as Simon Tatham's Loopy does it: cells are coloured inside or outside one by
one, each beside its own colour, where both colours stay in one piece, and where the fewest neighbours have that colour
already. So both grow long arms, and the border winds.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ...core.errors import BadUsage
from ...core.puzzle import Assignment
from ..engine import answers, grade
from ..making import DIFFICULTIES, thinned
from ..model import Model
from .slitherlink import NO_CLUE, Making, Slitherlink

Cell: TypeAlias = tuple[int, int]
Colours: TypeAlias = dict[Cell, int]

TRIES = 20  # loops until one makes a puzzle as difficult as asked
LOOSENED = 0.1  # part of the cells that are turned over in the end, where they can be
OUTSIDE, INSIDE, UNDECIDED = 0, 1, 2
RING = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))  # around a cell
SIDES = RING[1::2]


def make(settings: Making, seed: int) -> tuple[Slitherlink, Assignment]:
    """A puzzle of the wanted difficulty with exactly one answer."""
    rng = np.random.default_rng(seed)
    rows, cols, wanted = settings.rows, settings.cols, DIFFICULTIES.index(settings.difficulty)

    def build(clues: Sequence[tuple[int, int]]) -> Slitherlink:
        given = dict(clues)
        return Slitherlink(rows, cols, tuple(given.get(cell, NO_CLUE) for cell in range(rows * cols)))

    def model(clues: Sequence[tuple[int, int]]) -> Model:
        return build(clues).model()

    for _ in range(TRIES):
        lines = random_loop(build([]), rng)
        clues = [
            (cell, sum(lines[line] for line in build([]).around(*divmod(cell, cols)))) for cell in range(rows * cols)
        ]
        if answers(model(clues), 2) == [lines] and grade(model(clues)) <= wanted:
            puzzle = build(thinned(clues, model, rng, wanted))
            if grade(puzzle.model()) == wanted:
                return puzzle, Assignment(lines)
    raise BadUsage(
        f"none of {TRIES} loops on a {rows}x{cols} board made a puzzle that is {settings.difficulty}: ask for another "
        "seed, size or difficulty"
    )


def random_loop(blank: Slitherlink, rng: np.random.Generator) -> tuple[int, ...]:
    """The lines of a loop on a board."""
    lines = [0] * len(blank.grid.ends)
    for cell, colour in random_region(blank.rows, blank.cols, rng).items():
        for line in blank.around(*cell):
            lines[line] ^= colour  # between two cells inside there is no border
    return tuple(lines)


def random_region(rows: int, cols: int, rng: np.random.Generator) -> Colours:
    """A colour for every cell; both hang together side by side, the one OUTSIDE with all the world around."""
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    order = dict(zip(cells, rng.permutation(len(cells)).tolist(), strict=True))  # who goes first among equals
    colours = dict.fromkeys(cells, UNDECIDED)
    willing: tuple[set[Cell], set[Cell]] = (set(), set())

    def look_at(cell: Cell) -> None:
        for colour in (OUTSIDE, INSIDE):
            if colours.get(cell) == UNDECIDED and _may_take(colours, cell, colour):
                willing[colour].add(cell)
            else:
                willing[colour].discard(cell)

    colours[cells[int(rng.integers(len(cells)))]] = INSIDE
    for cell in cells:
        look_at(cell)
    while any(willing):
        colour = int(rng.integers(2))
        if willing[colour]:
            taken = min(willing[colour], key=lambda cell: (_alike(colours, cell, colour), order[cell]))
            colours[taken] = colour
            for row, col in ((0, 0), *RING):
                look_at((taken[0] + row, taken[1] + col))
    _wind(colours, rng)
    return colours


def _wind(colours: Colours, rng: np.random.Generator) -> None:
    """Turn cells over while that makes the loop longer, then a few more, so that there are bays and open spaces too."""
    cells = [*colours]
    order = [cells[i] for i in rng.permutation(len(cells)).tolist()]

    def turn(cell: Cell) -> bool:
        other = 1 - colours[cell]
        turned = _may_take(colours, cell, other)
        if turned:
            colours[cell] = other
        return turned

    while sum(turn(cell) for cell in order if _alike(colours, cell, 1 - colours[cell]) == 1):
        pass
    for cell, chance in zip(order, rng.random(len(order)).tolist(), strict=True):
        if chance < LOOSENED:
            turn(cell)


def _alike(colours: Colours, cell: Cell, colour: int) -> int:
    """How many of the four neighbours have a colour."""
    return sum(colours.get((cell[0] + row, cell[1] + col), OUTSIDE) == colour for row, col in SIDES)


def _may_take(colours: Colours, cell: Cell, colour: int) -> bool:
    """Whether a cell can have a colour with both colours staying in one piece: around it, they change just twice."""
    ring = [colours.get((cell[0] + row, cell[1] + col), OUTSIDE) == colour for row, col in RING]
    changes = sum(one != other for one, other in zip(ring, ring[1:] + ring[:1], strict=True))
    return changes == 2 and any(ring[1::2])
