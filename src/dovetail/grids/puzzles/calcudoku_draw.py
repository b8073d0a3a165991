"""Calcudokus as pictures: thick lines around the cages, their clues in the corner of their first cell."""

from collections.abc import Collection, Mapping, Sequence

from ...picture import Picture, Text
from .. import draw
from ..kind import OPEN
from .calcudoku import Calcudoku

CLUE = 0.27  # how large clues are, in cells
LOWER = 0.1  # numbers make room for the clue above them


def board(puzzle: Calcudoku, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]) -> Picture:
    """The square; givens are there whether or not the values say them."""
    n, owner = puzzle.n, [0] * (puzzle.n * puzzle.n)
    picture = draw.board(n, n, scale=50)
    for number, cage in enumerate(puzzle.cages):
        for cell in cage.cells:
            owner[cell] = number
            picture.add(draw.cell(*divmod(cell, n), marks.get(cell, draw.PAPER)))
    picture.add(*draw.borders(owner, n, n))
    for cell, number in enumerate(owner):
        cage, value = puzzle.cages[number], values[cell]
        (row, col), given = divmod(cell, n), cage.operation == "="
        if cell == cage.cells[0] and not given:
            picture.add(_clue(row, col, cage.clue))
        if value == OPEN and given:
            value = cage.target
        if value != OPEN:
            colour = draw.ink(cell in wrong, given)
            picture.add(draw.number(row if given else row + LOWER, col, value, 0.55, colour))
    return picture


def _clue(row: int, col: int, text: str) -> Text:
    """Texts are centred on their point: the middle of this one moves with its length, so that it begins at the rim."""
    middle = 0.08 + 0.29 * CLUE * len(text)
    return Text((col + middle + draw.MARGIN, row + 0.2 + draw.MARGIN), text, CLUE, draw.GIVEN)
