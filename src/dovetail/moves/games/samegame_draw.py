"""SameGame boards as pictures: neighbours of one colour run together, and each colour has a mark of its own."""

from collections.abc import Collection
from math import cos, pi, sin

from ...picture import Line, Picture, Point, Polygon
from .samegame import SameGame, SameGamePlay

GROUND, WELL, RIM, INK = "#FFFFFF", "#E9EBEE", "#3A3F47", "#202020"
MARGIN, GAP, RIM_WIDTH = 0.3, 0.07, 0.08
MOST_PIXELS, MOST_SCALE = 2000, 36.0
# fill and mark of each colour from 1: light and dark alternate, and no two have the same figure
LOOKS = (
    ("#2F6FB5", "#FFFFFF"), ("#F2C14E", "#4A3500"), ("#B3362B", "#FFFFFF"), ("#7CC7A2", "#0B3B27"),
    ("#5B3A8C", "#FFFFFF"), ("#F08A4B", "#3F1B00"), ("#4D4D4D", "#FFFFFF"), ("#A8D5F2", "#0A3550"),
    ("#8C5A2B", "#FFFFFF"),
)  # fmt: skip


def _star(points: int, outer: float, inner: float, turn: float = -pi / 2) -> tuple[Point, ...]:
    turns = [(turn + pi * k / points, outer if k % 2 == 0 else inner) for k in range(2 * points)]
    return tuple((radius * cos(angle), radius * sin(angle)) for angle, radius in turns)


def _bars(*boxes: tuple[float, float, float, float]) -> tuple[tuple[Point, ...], ...]:
    return tuple(((x1, y1), (x2, y1), (x2, y2), (x1, y2)) for x1, y1, x2, y2 in boxes)


# outlines about the middle of a block
MARKS: tuple[tuple[tuple[Point, ...], ...], ...] = (
    (_star(16, 0.17, 0.17),),  # disc
    (((0.0, -0.21), (0.21, 0.15), (-0.21, 0.15)),),  # triangle
    _bars((-0.21, -0.06, 0.21, 0.06), (-0.06, -0.21, 0.06, 0.21)),  # plus
    (((0.0, -0.23), (0.17, 0.0), (0.0, 0.23), (-0.17, 0.0)),),  # diamond
    (_star(5, 0.24, 0.1),),  # star
    _bars((-0.2, -0.15, 0.2, -0.05), (-0.2, 0.05, 0.2, 0.15)),  # two bars
    _bars((-0.16, -0.16, 0.16, 0.16)),  # square
    (_star(4, 0.26, 0.08, pi / 4),),  # cross
    (((-0.17, -0.2), (0.17, -0.2), (0.0, 0.0)), ((0.0, 0.0), (0.17, 0.2), (-0.17, 0.2))),  # hourglass
)


def drawn(puzzle: SameGame, play: SameGamePlay) -> Picture:
    """The board as it is; an outline says where the last group was taken from, unless nothing is left."""
    rows, cols = puzzle.rows, puzzle.cols
    scale = min(MOST_SCALE, MOST_PIXELS / max(rows, cols))
    picture = Picture(cols + 2 * MARGIN, rows + 2 * MARGIN, scale, GROUND)
    picture.add(_box(0, 0, cols, rows, WELL))
    for col, column in enumerate(play.columns):
        for height, colour in enumerate(column):
            row = rows - 1 - height
            fill, ink = LOOKS[colour - 1]
            # a block reaches over the gap to neighbours of its colour
            right = 0.0 if play.colour(col + 1, height) == colour else GAP / 2
            left = 0.0 if play.colour(col - 1, height) == colour else GAP / 2
            above = 0.0 if play.colour(col, height + 1) == colour else GAP / 2
            below = 0.0 if play.colour(col, height - 1) == colour else GAP / 2
            picture.add(_box(col + left, row + above, col + 1 - right, row + 1 - below, fill))
            for outline in MARKS[colour - 1]:
                at = ((MARGIN + col + 0.5 + x, MARGIN + row + 0.5 + y) for x, y in outline)
                picture.add(Polygon(tuple(at), ink))
    if play.columns and play.taken:
        taken = {(rows - 1 - height, col) for col, height in play.taken}
        picture.add(*_outline(taken, GROUND, 0.2), *_outline(taken, INK, 0.08))
    corners = ((0, 0), (cols, 0), (cols, rows), (0, rows), (0, 0))
    picture.add(Line(tuple((MARGIN + x, MARGIN + y) for x, y in corners), RIM, RIM_WIDTH))
    return picture


def _box(left: float, top: float, right: float, bottom: float, fill: str) -> Polygon:
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return Polygon(tuple((MARGIN + x, MARGIN + y) for x, y in corners), fill)


def _outline(cells: Collection[tuple[int, int]], colour: str, width: float) -> list[Line]:
    """The sides of these cells (row, column) that lie on the rim of all of them."""
    found = []
    for row, col in sorted(cells):
        x, y = MARGIN + col, MARGIN + row
        sides = {
            (row - 1, col): ((x, y), (x + 1, y)),
            (row + 1, col): ((x, y + 1), (x + 1, y + 1)),
            (row, col - 1): ((x, y), (x, y + 1)),
            (row, col + 1): ((x + 1, y), (x + 1, y + 1)),
        }
        found += [Line(side, colour, width) for near, side in sides.items() if near not in cells]
    return found
