"""Pictures of tile boards."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, cos, pi, sin, sqrt
from typing import TypeAlias

from ..picture import MISTAKE, Line, Picture, Point, Polygon, Shape, Text, Wedge
from .boards import Board, Cell, Tile
from .puzzle import SIGNED, Tiles, frame_sides

CLAY, RIM, GROUND, HOLE = "#C5714A", "#8A4628", "#F4EDE4", "#E3D8CA"
# one colour a direction (right, up, left, down); light and dark alternate, so they differ in grey too
ARROWS = ("#F0E442", "#0B3C5D", "#FFFFFF", "#4B2E83")
ARROW_INK = ("#000000", "#FFFFFF", "#000000", "#FFFFFF")
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

    ink = ARROW_INK[direction]
    return (
        Line((at(-half, 0), at(half - head, 0)), ink, 0.035),
        Polygon((at(half, 0), at(half - head, 0.055), at(half - head, -0.055)), ink),
    )


DARK, LIGHT, GREY, HALO = "#1B1B20", "#FFFFFF", "#A3A3A3", "#FFFDF6"
# (fill, ink): lightness goes up and down along the list, and any two stay apart for colour-blind eyes (tested)
FILLS = (
    ("#F6DA4A", DARK), ("#17305E", LIGHT), ("#EF851C", DARK), ("#3434B4", LIGHT), ("#BDE37A", DARK), ("#6A1B3D", LIGHT),
    ("#7FB2F7", DARK), ("#1B7971", LIGHT), ("#DFB8E2", DARK), ("#4C80EC", DARK), ("#724122", LIGHT), ("#A756B2", LIGHT),
)  # fmt: skip
INK, PAPER = "ink", "paper"  # the two paints of a motif, until a colour gives it its own
Part: TypeAlias = Polygon | Wedge


def _block(left: float, top: float, right: float, bottom: float, paint: str = INK) -> Polygon:
    return Polygon(((left, top), (right, top), (right, bottom), (left, bottom)), paint)


def _half_star(points: int, outer: float, inner: float) -> Polygon:
    corners = [(pi * k / points, inner if k % 2 else outer) for k in range(points + 1)]
    return Polygon(tuple((radius * cos(angle), radius * sin(angle)) for angle, radius in corners), INK)


# Half figures about the middle of a north side, y into the tile: two of them meet across a seam and make a whole.
MOTIFS: dict[str, tuple[Part, ...]] = {
    "disc": (Wedge((0, 0), 0.25, 0, 180, INK),),
    "plus": (_block(-0.28, 0, 0.28, 0.055), _block(-0.055, 0, 0.055, 0.28)),
    "ring": (Wedge((0, 0), 0.27, 0, 180, INK), Wedge((0, 0), 0.17, 0, 180, PAPER)),
    "diamond": (Polygon(((-0.2, 0), (0.2, 0), (0, 0.3)), INK),),
    "pair": (Wedge((-0.16, 0), 0.12, 0, 180, INK), Wedge((0.16, 0), 0.12, 0, 180, INK)),
    "star": (_half_star(6, 0.3, 0.13),),
    "bar": (_block(-0.065, 0, 0.065, 0.3),),
    "box": (_block(-0.23, 0, 0.23, 0.21), _block(-0.14, 0, 0.14, 0.12, PAPER)),
    "saltire": (
        Polygon(((-0.07, 0), (0.07, 0), (0.24, 0.17), (0.16, 0.25), (0, 0.09), (-0.16, 0.25), (-0.24, 0.17)), INK),
    ),
    "peaks": (Polygon(((-0.22, 0.07), (0.22, 0.07), (0, 0.29)), INK),),
    "bowtie": (Polygon(((0, 0), (0.27, 0), (0.27, 0.2)), INK), Polygon(((0, 0), (-0.27, 0), (-0.27, 0.2)), INK)),
    "gate": (_block(-0.19, 0, -0.09, 0.25), _block(0.09, 0, 0.19, 0.25)),
    "chevron": (Polygon(((-0.3, 0), (0, 0.3), (0.3, 0), (0.18, 0), (0, 0.18), (-0.18, 0)), INK),),
}
FIGURES = tuple(MOTIFS)
WITH_MOTIF = len(FILLS) * len(FIGURES)  # colours that all look different: the two lengths have no common divisor

BAND, EDGING, GAP, HAIRLINE = 0.35, 0.08, 0.16, 0.012  # a frame, around it, between tiles, an outline
FACET = ((-0.5, 0.0), (0.5, 0.0), (0.0, 0.5))  # one side of a tile, lying as the motifs do
STRIP = ((-0.5, 0.0), (0.5, 0.0), (0.5 - BAND, BAND), (BAND - 0.5, BAND))  # as much of a side as a frame shows
MEDALLION, RING, ENGRAVING = 0.32, 0.27, 0.78  # of heads and tails: radii, and the size of the motif on them
BARS = (_block(-0.43, -0.075, 0.43, 0.075, HALO), _block(-0.4, -0.045, 0.4, 0.045, MISTAKE))
MOST_WITH_MOTIFS = 1500  # tiles; on larger boards the figures would be specks
MOST_PIXELS = 4000  # along one side of a picture


@dataclass(frozen=True)
class Look:
    """How a colour is painted; where there is no motif, its number is written."""

    fill: str
    ink: str
    motif: str | None


def look(colour: int) -> Look:
    """The same in every puzzle: no two colours below WITH_MOTIF look alike, and neighbours share nothing."""
    fill, ink = FILLS[colour % len(FILLS)]
    return Look(fill, ink, FIGURES[colour % len(FIGURES)] if 0 <= colour < WITH_MOTIF else None)


def draw_tiles(puzzle: Tiles, board: Board | None, marks: Sequence[tuple[Cell, Cell]]) -> Picture:
    """The board with its frame, hints and mistakes, or the tiles laid apart while there is no board.

    ``marks`` are pairs of neighbours that disagree; sides that disagree with the frame are found here.
    """
    brush = _Brush(puzzle.match == SIGNED, puzzle.grey, len(puzzle.tiles) <= MOST_WITH_MOTIFS)
    return _draw_apart(puzzle, brush) if board is None else _draw_board(puzzle, brush, board, marks)


def _draw_apart(puzzle: Tiles, brush: "_Brush") -> Picture:
    """In the order of the list, with an empty cell for every tile the puzzle lacks."""
    cells = puzzle.rows * puzzle.cols
    cols = ceil(sqrt(cells))
    picture = _canvas(cols, ceil(cells / cols), MARGIN, GAP)
    hints = {pin.tile for pin in puzzle.pins}
    for i in range(cells):
        x, y = MARGIN + i % cols * (1 + GAP), MARGIN + i // cols * (1 + GAP)
        picture.add(*brush.cell(x, y, puzzle.tiles[i] if i < len(puzzle.tiles) else None))
        if i in hints:
            picture.add(*_hint(x, y, DARK))
    return picture


def _draw_board(puzzle: Tiles, brush: "_Brush", board: Board, marks: Sequence[tuple[Cell, Cell]]) -> Picture:
    around = 0.0 if puzzle.frame is None else EDGING if puzzle.grey is not None else BAND + EDGING
    start = MARGIN + around
    picture = _canvas(puzzle.cols, puzzle.rows, start)
    wrong = [((start + (c1 + c2 + 1) / 2, start + (r1 + r2 + 1) / 2), int(r1 == r2)) for (r1, c1), (r2, c2) in marks]
    if puzzle.frame is not None:
        ground = GREY if puzzle.grey is not None else DARK
        picture.add(_block(MARGIN, MARGIN, picture.width - MARGIN, picture.height - MARGIN, ground))
        for colour, (r, c, side) in zip(puzzle.frame, frame_sides(puzzle.rows, puzzle.cols), strict=True):
            middle, tile = _middle(start + c, start + r, side), board[r][c]
            if puzzle.grey is None:
                picture.add(*brush.facet(STRIP, -colour if brush.signed else colour, middle, side + 2))
            if tile is not None and tile[side] != colour:
                wrong.append((middle, side))
    for r, row in enumerate(board):
        for c, tile in enumerate(row):
            picture.add(*brush.cell(start + c, start + r, tile))
    for pin in puzzle.pins:
        tile = board[pin.row][pin.col]
        moved = tile is not None and tile != puzzle.turned(puzzle.tiles[pin.tile], pin.turns)
        picture.add(*_hint(start + pin.col, start + pin.row, MISTAKE if moved else DARK))
    for middle, side in wrong:
        picture.add(*(_placed(bar, middle, side) for bar in BARS))
    return picture


def _canvas(cols: int, rows: int, margin: float, gap: float = 0.0) -> Picture:
    """Small boards large, large boards not too large."""
    width, height = (n * (1 + gap) - gap + 2 * margin for n in (cols, rows))
    longest = max(width, height)
    return Picture(width, height, min(max(64, min(128, 720 / longest)), MOST_PIXELS / longest), GROUND)


@dataclass(frozen=True)
class _Brush:
    """How the colours of one puzzle are painted."""

    signed: bool
    grey: int | None
    motifs: bool

    def cell(self, x: float, y: float, tile: Tile | None) -> Iterator[Shape]:
        """A tile with its top left corner here, or a hole."""
        a, b, c, d = (x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)
        if tile is None:
            yield Polygon((a, b, c, d), HOLE)
            yield Line((a, b, c, d, a), RIM, HAIRLINE)
            return
        for side, colour in enumerate(tile):
            yield from self.facet(FACET, colour, _middle(x, y, side), side)
        yield Line((a, c, b, d), DARK, HAIRLINE)  # the diagonals, and a side on the way
        yield Line((a, b, c, d, a), DARK, 2 * HAIRLINE)

    def facet(self, outline: tuple[Point, ...], colour: int, middle: Point, side: int) -> Iterator[Shape]:
        """One side, its half figure about the middle of the edge."""
        if colour == self.grey:
            yield _placed(Polygon(outline, GREY), middle, side)
            return
        it = look(abs(colour) if self.signed else colour)
        yield _placed(Polygon(outline, it.fill), middle, side)
        if not self.motifs:
            return
        if it.motif is None:
            number = f"{colour:+d}" if self.signed else str(colour)
            yield Text(_turned((0, 0.17), middle, side), number, min(0.2, 0.5 / len(number)), it.ink)
            return
        paints = {INK: it.ink, PAPER: it.fill}
        for part in self._figure(it.motif, colour):
            yield _placed(replace(part, fill=paints[str(part.fill)]), middle, side)

    def _figure(self, motif: str, colour: int) -> Iterator[Part]:
        """Plain colours show the motif; signed ones half a medallion of it, filled for a head, hollow for a tail."""
        if not self.signed or colour == 0:
            yield from MOTIFS[motif]
            return
        yield Wedge((0, 0), MEDALLION, 0, 180, INK)
        if colour < 0:
            yield Wedge((0, 0), RING, 0, 180, PAPER)
        swapped = {INK: PAPER, PAPER: INK}
        for part in MOTIFS[motif]:
            small = _resized(part, ENGRAVING)
            yield small if colour < 0 else replace(small, fill=swapped[str(small.fill)])


def _hint(x: float, y: float, outer: str) -> Iterator[Line]:
    """A double outline, seen on light and on dark."""
    for inset, stroke in ((0.025, outer), (0.07, LIGHT)):
        left, top, right, bottom = x + inset, y + inset, x + 1 - inset, y + 1 - inset
        start = (x + 0.5, top)  # not in a corner, where the two ends would leave a notch
        yield Line((start, (right, top), (right, bottom), (left, bottom), (left, top), start), stroke, 0.05)


def _middle(x: float, y: float, side: int) -> Point:
    """Of a side of the cell whose top left corner is here."""
    return _turned((0, -0.5), (x + 0.5, y + 0.5), side)


def _turned(point: Point, about: Point, quarters: int) -> Point:
    """Quarters clockwise, then moved."""
    x, y = point
    for _ in range(quarters % 4):
        x, y = -y, x
    return about[0] + x, about[1] + y


def _placed(part: Part, middle: Point, side: int) -> Part:
    """From about the middle of a north side to where it belongs."""
    if isinstance(part, Polygon):
        return replace(part, points=tuple(_turned(point, middle, side) for point in part.points))
    start = part.start + 90 * (side % 4)
    return Wedge(_turned(part.centre, middle, side), part.radius, start, start + part.end - part.start, part.fill)


def _resized(part: Part, factor: float) -> Part:
    if isinstance(part, Polygon):
        return replace(part, points=tuple((x * factor, y * factor) for x, y in part.points))
    (x, y), radius = part.centre, part.radius
    return replace(part, centre=(x * factor, y * factor), radius=radius * factor)
