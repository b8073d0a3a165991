"""Slitherlink boards as pictures: dots, clues, the loop and, once it is closed, what lies inside."""

from collections.abc import Collection, Mapping, Sequence

from ...picture import MISTAKE, Line, Picture, Polygon
from ..draw import FOUND, GIVEN, MARGIN, THIN, board, cell, line, number
from ..kind import OPEN
from .slitherlink import NO_CLUE, Slitherlink

INSIDE = "#DCE8F8"
LOOP, MARK, CROSS, DOT = 0.11, 0.26, 0.04, 0.05  # widths; the dots by their half


def picture(puzzle: Slitherlink, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]) -> Picture:
    """The board. While lines are still open, a small cross says that there is none for certain."""
    rows, cols, grid = puzzle.rows, puzzle.cols, puzzle.grid
    canvas = board(rows, cols)
    for row, col in inside(puzzle, values):
        canvas.add(cell(row, col, INSIDE, None))
    unfinished = OPEN in values
    ends = [tuple(divmod(corner, cols + 1) for corner in pair) for pair in grid.ends]
    for edge, colour in marks.items():
        canvas.add(line(_lengthened(ends[edge], -DOT), colour, MARK))
    for row, col, clue in puzzle.cells():
        if clue != NO_CLUE:
            around = puzzle.around(row, col)
            off = all(edge in wrong for edge in around) and sum(values[edge] == 1 for edge in around) != clue
            canvas.add(number(row, col, clue, 0.55, MISTAKE if off else GIVEN))
    for row in range(rows + 1):
        for col in range(cols + 1):
            canvas.add(_dot(row, col))
    for edge, value in enumerate(values):
        colour = MISTAKE if edge in wrong else FOUND
        if value not in (OPEN, 0):
            canvas.add(line(_lengthened(ends[edge], LOOP / 2), colour, LOOP))
        elif value == 0 and unfinished:
            (row, col), (to_row, to_col) = ends[edge]
            canvas.add(*_cross((row + to_row) / 2, (col + to_col) / 2, MISTAKE if edge in wrong else THIN))
    return canvas


def inside(puzzle: Slitherlink, values: Sequence[int]) -> list[tuple[int, int]]:
    """The cells within the lines, by counting the lines from the left; none while a line ends somewhere."""
    if OPEN in values or any(sum(values[edge] == 1 for edge in edges) % 2 for edges in puzzle.grid.at):
        return []
    found = []
    for row in range(puzzle.rows):
        crossed = 0
        for col in range(puzzle.cols):
            crossed += values[puzzle.grid.down(row, col)] == 1
            if crossed % 2:
                found.append((row, col))
    return found


def _lengthened(ends: tuple[tuple[int, int], ...], by: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """A little beyond both ends (or, negative, short of them): lines that meet make a full corner."""
    (row, col), (to_row, to_col) = ends
    down, right = (to_row - row) * by, (to_col - col) * by
    return (row - down, col - right), (to_row + down, to_col + right)


def _dot(row: int, col: int) -> Polygon:
    x, y = col + MARGIN, row + MARGIN
    return Polygon(((x - DOT, y - DOT), (x + DOT, y - DOT), (x + DOT, y + DOT), (x - DOT, y + DOT)), GIVEN)


def _cross(row: float, col: float, colour: str, arm: float = 0.08) -> tuple[Line, Line]:
    return (
        line(((row - arm, col - arm), (row + arm, col + arm)), colour, CROSS),
        line(((row - arm, col + arm), (row + arm, col - arm)), colour, CROSS),
    )
