"""Numberlink boards as pictures: numbers on discs, paths in the colour of their number."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import cos, pi, sin

from ...picture import MISTAKE, Picture, Point, Polygon
from ..draw import FOUND, INK, MARGIN, PALETTE, PAPER, board, cell, line, number
from ..kind import OPEN
from .numberlink import Numberlink

GRID = "#D8D8D8"
PATH, MARK, WALL, DISC = 0.2, 0.45, 0.06, 0.36  # widths; the discs by their radius


def picture(puzzle: Numberlink, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]) -> Picture:
    """The board. While links are still open, a bar between two cells says that there is none for certain."""
    rows, cols, grid = puzzle.rows, puzzle.cols, puzzle.grid
    canvas = board(rows, cols)
    canvas.add(*(cell(row, col, None, GRID) for row in range(rows) for col in range(cols)))
    centres = [(index // cols + 0.5, index % cols + 0.5) for index in range(rows * cols)]
    colours = {label: PALETTE[i % len(PALETTE)] for i, label in enumerate(puzzle.pairs)}
    path_colours = _path_colours(puzzle, values, colours)
    for link, colour in marks.items():
        canvas.add(line((centres[one] for one in grid.ends[link]), colour, MARK))
    for link, value in enumerate(values):
        (row, col), (to_row, to_col) = (centres[one] for one in grid.ends[link])
        down, right = to_row - row, to_col - col
        if value not in (OPEN, 0):
            colour = MISTAKE if link in wrong else path_colours.get(link, FOUND)
            beyond = PATH / 2  # so that links that meet make a full corner
            ends = (row - down * beyond, col - right * beyond), (to_row + down * beyond, to_col + right * beyond)
            canvas.add(line(ends, colour, PATH))
        elif value == 0 and OPEN in values:
            row, col = (row + to_row) / 2, (col + to_col) / 2
            ends = (row - right * 0.3, col - down * 0.3), (row + right * 0.3, col + down * 0.3)
            canvas.add(line(ends, MISTAKE if link in wrong else INK, WALL))
    for index, label in enumerate(puzzle.labels):
        if label:
            off = _is_off(grid.at[index], values, wrong)
            canvas.add(_disc(centres[index], MISTAKE if off else colours[label]))
            canvas.add(number(*divmod(index, cols), label, 0.46 if label < 10 else 0.38, PAPER))
    return canvas


def _path_colours(puzzle: Numberlink, values: Sequence[int], colours: Mapping[int, str]) -> dict[int, str]:
    """The colour of every link that hangs together with a number."""
    found: dict[int, str] = {}
    for piece in puzzle.pieces(values):
        labels = [puzzle.labels[index] for index in sorted(piece.cells) if puzzle.labels[index]]
        if labels:
            found |= dict.fromkeys(piece.links, colours[labels[0]])
    return found


def _is_off(around: Iterable[int], values: Sequence[int], wrong: Collection[int]) -> bool:
    """Whether a number is at fault: by the links it has or, if it has none, by that."""
    linked = [link for link in around if values[link] not in (OPEN, 0)]
    return any(link in wrong for link in linked) if linked else all(link in wrong for link in around)


def _disc(centre: tuple[float, float], fill: str, corners: int = 32) -> Polygon:
    row, col = centre
    turns = [2 * pi * i / corners for i in range(corners)]
    points: list[Point] = [(col + MARGIN + DISC * cos(turn), row + MARGIN + DISC * sin(turn)) for turn in turns]
    return Polygon(tuple(points), fill)
