"""Nonograms as pictures: the clues beside the rows and above the columns, a thicker line after every fifth cell."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from ...picture import MISTAKE, Picture, Polygon, Shape, Text
from ..draw import GIVEN, INK, MARGIN, PAPER, THIN, board, line, number
from ..kind import OPEN
from .nonogram import Line, Nonogram, runs_in

STEP = 0.72  # from one number of a clue to the next
DOUBTED = "#FBE3E3"  # behind the cells of a line that is finished and wrong
BLANK = "#F4F4F2"
MOST_PIXELS_A_SIDE = 2000


def drawn(puzzle: Nonogram, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]) -> Picture:
    """Clues of wrong lines are red, and where two such lines cross, the cell is framed in red."""
    rows, cols = len(puzzle.rows), len(puzzle.cols)
    left, top = (max(map(_room, lines)) for lines in (puzzle.rows, puzzle.cols))
    scale = min(40.0, MOST_PIXELS_A_SIDE / max(rows + top, cols + left))
    picture = board(rows, cols, left, top, scale)
    bad = [
        OPEN not in (found := [values[index] for index in cells]) and runs_in(found) != runs
        for _, runs, cells in puzzle.lines()
    ]
    for index, value in enumerate(values):
        row, col = top + index // cols, left + index % cols
        doubted = bad[index // cols] or bad[rows + index % cols]
        ground = marks.get(index, DOUBTED if doubted else PAPER if value == OPEN else BLANK)
        picture.add(_field(row, col, 0.0, ground))
        if 1 <= value <= len(puzzle.colours):
            # smaller where a mark is to be seen around it
            picture.add(_field(row, col, 0.14 if index in marks else 0.0, puzzle.colours[value - 1]))
        elif value == 0:
            picture.add(_field(row, col, 0.44, THIN))
        elif value != OPEN:
            picture.add(number(row, col, "?", 0.7, MISTAKE))
    picture.add(*_rulings(rows, cols, left, top))
    for index in wrong:
        if bad[index // cols] and bad[rows + index % cols]:
            row, col = top + index // cols, left + index % cols
            corners = ((row, col), (row, col + 1), (row + 1, col + 1), (row + 1, col), (row, col))
            picture.add(line(corners, MISTAKE, 0.1))
    for row, runs in enumerate(puzzle.rows):
        picture.add(*_clue(puzzle, runs, bad[row], row + top, left - _room(runs), 1.0, STEP))
    for col, runs in enumerate(puzzle.cols):
        picture.add(*_clue(puzzle, runs, bad[rows + col], top - _room(runs), col + left, STEP, 1.0))
    return picture


def _room(runs: Line) -> float:
    """For the numbers of a clue, and a little air before the board."""
    return STEP * max(1, len(runs)) + 0.15


def _clue(
    puzzle: Nonogram, runs: Line, bad: bool, row: float, col: float, height: float, width: float
) -> Iterator[Shape]:
    """Numbers from here to the right or downwards, whichever side of a field is a STEP; no run at all is a 0."""
    for length, colour in runs or ((0, 0),):
        ink = MISTAKE if bad else GIVEN if colour else THIN
        if len(puzzle.colours) > 1 and colour:
            ground = puzzle.colours[colour - 1]
            if bad:
                yield _field(row, col, 0.0, MISTAKE, height, width)
            yield _field(row, col, 0.1 if bad else 0.05, ground, height, width)
            ink = readable_on(ground)
        yield Text((col + MARGIN + width / 2, row + MARGIN + height / 2), str(length), 0.52, ink)
        row, col = (row, col + STEP) if width == STEP else (row + STEP, col)


def _rulings(rows: int, cols: int, left: float, top: float) -> Iterator[Shape]:
    """Thin lines first, so that the thick ones lie on top; strokes of 10,000 polygons would take a PNG minutes."""

    def look(at: int, last: int) -> tuple[str, float]:
        return (INK, 0.07) if at in (0, last) else (INK, 0.04) if at % 5 == 0 else (THIN, 0.02)

    lines = [
        *(line(((row + top, left), (row + top, left + cols)), *look(row, rows)) for row in range(rows + 1)),
        *(line(((top, col + left), (top + rows, col + left)), *look(col, cols)) for col in range(cols + 1)),
    ]
    yield from sorted(lines, key=lambda drawn_line: drawn_line.width)


def _field(row: float, col: float, inset: float, colour: str, height: float = 1.0, width: float = 1.0) -> Polygon:
    """A filled rectangle without a border."""
    x, y = col + MARGIN, row + MARGIN
    left, right, top, bottom = x + inset, x + width - inset, y + inset, y + height - inset
    return Polygon(((left, top), (right, top), (right, bottom), (left, bottom)), colour)


def readable_on(colour: str) -> str:
    """Black or white, whichever stands out from a colour."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return GIVEN if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else PAPER
