"""Pictures of tile boards."""

from collections.abc import Iterable, Sequence
from math import cos, pi, sin

from ..picture import MISTAKE, Line, Picture, Polygon, Wedge

Cell = tuple[int, int]

CLAY, RIM, GROUND, HOLE = "#C5714A", "#8A4628", "#F4EDE4", "#E3D8CA"
# one colour a direction (right, up, left, down); light and dark alternate, so they differ in grey too
ARROWS = ("#F0E442", "#0B3C5D", "#FFFFFF", "#4B2E83")
INK = ("#000000", "#FFFFFF", "#000000", "#FFFFFF")
MARGIN, RADIUS, REACH = 0.25, 0.36, 0.19  # in tile widths


def draw_arrows(
    board: Sequence[Sequence[tuple[int, ...] | None]],
    gap: float = 0.0,
    marks: Iterable[tuple[Cell, Cell]] = (),
    scale: float = 56,
) -> Picture:
    """Corner-arrow tiles: a quarter disc in each corner, so that four tiles that agree make a whole one.

    ``board[row][col]`` is (TL, TR, BL, BR) or None for a hole; ``marks`` are pairs of neighbours that disagree.
    """
    rows, cols, step = len(board), len(board[0]), 1 + gap
    picture = Picture(cols * step - gap + 2 * MARGIN, rows * step - gap + 2 * MARGIN, scale, GROUND)
    for r, row in enumerate(board):
        for c, tile in enumerate(row):
            x, y = MARGIN + c * step, MARGIN + r * step
            square = ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1))
            if tile is None:
                picture.add(Polygon(square, HOLE, RIM, 0.01))
                continue
            picture.add(Polygon(square, CLAY))
            # the discs' quarters, clockwise from east: the TL corner of a tile is its disc's south-east quarter
            for arrow, (dx, dy, start) in zip(tile, ((0, 0, 0), (1, 0, 90), (0, 1, 270), (1, 1, 180)), strict=True):
                corner = (x + dx, y + dy)
                picture.add(Wedge(corner, RADIUS, start, start + 90, ARROWS[arrow]))
                inward = REACH * 0.85
                picture.add(*_arrow((x + dx + inward * (1 - 2 * dx), y + dy + inward * (1 - 2 * dy)), arrow))
            picture.add(Polygon(square, None, RIM, 0.02))
    for (r1, c1), (r2, c2) in marks:
        x, y = MARGIN + (c1 + c2 + 1) / 2 * step, MARGIN + (r1 + r2 + 1) / 2 * step
        along = (0, 0.5) if r1 == r2 else (0.5, 0)
        picture.add(Line(((x - along[0], y - along[1]), (x + along[0], y + along[1])), MISTAKE, 0.07))
    return picture


def _arrow(centre: tuple[float, float], direction: int) -> tuple[Line, Polygon]:
    """A small arrow; direction counts quarter turns counter-clockwise from east."""
    angle = direction * pi / 2
    ux, uy = cos(angle), -sin(angle)  # y points down
    x, y = centre
    half, head = 0.085, 0.075

    def at(along: float, across: float) -> tuple[float, float]:
        return (x + along * ux - across * uy, y + along * uy + across * ux)

    ink = INK[direction]
    return (
        Line((at(-half, 0), at(half - head, 0)), ink, 0.035),
        Polygon((at(half, 0), at(half - head, 0.055), at(half - head, -0.055)), ink),
    )
