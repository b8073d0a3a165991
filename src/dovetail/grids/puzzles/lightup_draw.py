"""Light-up boards as pictures: lit cells yellow, bulbs blue, a dot where there is none."""

from collections.abc import Collection, Mapping, Sequence
from math import cos, sin, tau

from ...picture import MISTAKE, Line, Picture, Point, Polygon
from ..draw import FOUND, INK, MARGIN, PAPER, THIN, board, borders, cell, line, number
from ..kind import OPEN
from .lightup import PLAIN, WHITE, Lightup

LIGHT = "#FFF3B0"
UNMET = "#FF6060"  # the usual red is hard to read on black
MOST_PIXELS_A_SIDE = 2000


def drawn(puzzle: Lightup, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]) -> Picture:
    """Red are bulbs that break a rule, crosses on cells that stay dark, and numbers not met."""
    rows, cols = puzzle.rows, puzzle.cols
    picture = board(rows, cols, scale=min(40.0, MOST_PIXELS_A_SIDE / max(rows, cols)))
    for index, clue in enumerate(puzzle.cells):
        row, col = divmod(index, cols)
        if clue == WHITE:
            variable = puzzle.variable[index]
            lit = any(values[other] == 1 for other in puzzle.seen[variable])
            picture.add(cell(row, col, marks.get(variable, LIGHT if lit else PAPER), None))
            if values[variable] == 1:
                picture.add(_disc(row, col, 0.32, MISTAKE if variable in wrong else FOUND))
            elif values[variable] not in (OPEN, 0):
                picture.add(number(row, col, "?", 0.7, MISTAKE))
            elif variable in wrong and not lit:
                picture.add(*_cross(row, col))
            elif values[variable] == 0:
                picture.add(_disc(row, col, 0.06, INK))
        else:
            beside = [values[variable] for variable in puzzle.beside(index)]
            unmet = OPEN not in beside and beside.count(1) != clue
            picture.add(cell(row, col, INK, None))
            if clue != PLAIN:
                picture.add(number(row, col, clue, colour=UNMET if unmet else PAPER))
    # a line across the board at a time: the outlines of thousands of cells would take a PNG minutes
    picture.add(*(line(((row, 0), (row, cols)), THIN, 0.02) for row in range(1, rows)))
    picture.add(*(line(((0, col), (rows, col)), THIN, 0.02) for col in range(1, cols)))
    picture.add(*borders([0] * len(puzzle.cells), rows, cols))
    return picture


def _cross(row: float, col: float) -> tuple[Line, Line]:
    north, west, south, east = row + 0.3, col + 0.3, row + 0.7, col + 0.7
    return line(((north, west), (south, east)), MISTAKE, 0.1), line(((north, east), (south, west)), MISTAKE, 0.1)


def _disc(row: float, col: float, radius: float, colour: str) -> Polygon:
    """In the middle of a cell; a polygon of so many sides that it looks round."""
    turns = [tau * step / 40 for step in range(40)]
    points: list[Point] = [
        (col + MARGIN + 0.5 + radius * cos(turn), row + MARGIN + 0.5 + radius * sin(turn)) for turn in turns
    ]
    return Polygon(tuple(points), colour)
