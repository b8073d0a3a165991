"""Pictures of boards of hexagons: six triangles a piece, so that touching sides of one colour make a rhombus."""

from collections.abc import Iterator
from math import ceil, cos, pi, sin, sqrt

from ..picture import Picture, Point, Polygon, Shape
from .draw import EDGING, GAP, GREY, MARGIN
from .hexagons import Hexagons
from .solids import Piece
from .solids_checking import Laid, wrong_rim, wrong_seams
from .solids_draw import Brush, between, canvas, hole, mistake, outlined

# in widths of a piece, from one side to the opposite one
RADIUS = 1 / sqrt(3)  # to a corner
ROW = 1.5 * RADIUS  # from one row to the next
DEEP = 0.55  # how much of the neighbour's triangle a frame shows
NUMBER, OUTLINE = 0.19, 0.045


def draw_hexagons(puzzle: Hexagons, board: Laid | None) -> Picture:
    """The board with its frame and mistakes, or the pieces laid apart while there is no board."""
    brush = Brush.of(puzzle)
    return _draw_apart(puzzle, brush) if board is None else _draw_board(puzzle, brush, board)


def _draw_apart(puzzle: Hexagons, brush: Brush) -> Picture:
    cols = ceil(sqrt(len(puzzle.pieces)))
    rows = ceil(len(puzzle.pieces) / cols)
    across, down = 1 + GAP, 2 * RADIUS + GAP
    picture = canvas(cols * across - GAP + 2 * MARGIN, rows * down - GAP + 2 * MARGIN)
    for i, piece in enumerate(puzzle.pieces):
        centre = (MARGIN + 0.5 + i % cols * across, MARGIN + RADIUS + i // cols * down)
        picture.add(*_cell(brush, centre, piece))
    return picture


def _draw_board(puzzle: Hexagons, brush: Brush, board: Laid) -> Picture:
    around = 0.0 if puzzle.frame is None else EDGING if puzzle.grey is not None else DEEP / 2 + EDGING
    start, length = MARGIN + around, puzzle.layout.rows
    picture = canvas(length + 2 * start, (length - 1) * ROW + 2 * RADIUS + 2 * start)

    def centre(cell: int) -> Point:
        row, col = puzzle.layout.cells[cell]
        return start + 0.5 + col + (row - (puzzle.side - 1)) / 2, start + RADIUS + row * ROW

    for cell, face, colour in puzzle.wanted:
        a, b = _edge(centre(cell), face)
        outside = _outside(centre(cell), face)
        if puzzle.grey is not None:
            share = EDGING / 0.5
            picture.add(Polygon((a, b, between(b, outside, share), between(a, outside, share)), GREY, GREY, EDGING))
            continue
        strip = (a, b, between(b, outside, DEEP), between(a, outside, DEEP))
        picture.add(*brush.facet(strip, colour, between(between(a, b, 0.5), outside, 0.28), NUMBER))
    for cell, piece in enumerate(board):
        picture.add(*_cell(brush, centre(cell), piece))
    wrong = [(cell, face) for cell, face, _, _ in wrong_seams(puzzle, board)]
    wrong += [(cell, face) for cell, face, _ in wrong_rim(puzzle, board)]
    for cell, face in wrong:
        a, b = _edge(centre(cell), face)
        picture.add(*mistake((between(a, b, 0.08), between(a, b, 0.92))))
    return picture


def _cell(brush: Brush, centre: Point, piece: Piece | None) -> Iterator[Shape]:
    corners = tuple(_edge(centre, face)[0] for face in range(6))
    if piece is None:
        yield hole(corners)
        return
    for face, colour in enumerate(piece):
        a, b = _edge(centre, face)
        yield from brush.facet((a, b, centre), colour, between(between(a, b, 0.5), centre, 0.36), NUMBER)
    yield outlined(corners, OUTLINE)


def _edge(centre: Point, face: int) -> tuple[Point, Point]:
    """The ends of a side, counter-clockwise; y points down."""
    ends = [(face - 0.5) * pi / 3, (face + 0.5) * pi / 3]
    a, b = ((centre[0] + RADIUS * cos(angle), centre[1] - RADIUS * sin(angle)) for angle in ends)
    return a, b


def _outside(centre: Point, face: int) -> Point:
    """The middle of the cell beyond a side."""
    return centre[0] + cos(face * pi / 3), centre[1] - sin(face * pi / 3)
