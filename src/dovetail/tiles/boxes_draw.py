"""Pictures of boards of boxes: a row, a board of squares, or the layers of a block side by side.

Faces within a layer are triangles along the edges. The two faces across layers are the halves of a diamond in the
middle: the left half, a tip towards the layer before, is the front, the right half, a tip towards the next, the back.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, sqrt

from ..picture import Picture, Point, Polygon, Shape, Text
from .boxes import Boxes
from .draw import BAND, DARK, EDGING, GAP, GREY, MARGIN
from .solids import Piece
from .solids_checking import Laid, wrong_rim, wrong_seams
from .solids_draw import Brush, between, canvas, hole, mistake, outlined

EDGES: dict[str, tuple[Point, Point]] = {  # of a cell, clockwise
    "north": ((0, 0), (1, 0)), "east": ((1, 0), (1, 1)), "south": ((1, 1), (0, 1)), "west": ((0, 1), (0, 0)),
}  # fmt: skip
TIPS = {"front": -1, "back": 1}  # where the two halves of the diamond point
DIAMOND = 0.29  # from the middle of a cell to the diamond's tips
DOMINO = 0.5  # height of a box in a row
TITLE, APART, WIDE = 0.4, 0.3, 1.8  # words above a layer; between layers; so much wider than high is a picture


def draw_boxes(puzzle: Boxes, board: Laid | None) -> Picture:
    """The board with its frame and mistakes, or the boxes laid apart while there is no board."""
    cells = _Cells(Brush.of(puzzle), puzzle.face_names)
    return _draw_apart(puzzle, cells) if board is None else _draw_board(puzzle, cells, board)


def _draw_apart(puzzle: Boxes, cells: "_Cells") -> Picture:
    cols = ceil(sqrt(len(puzzle.pieces) * cells.height))
    rows = ceil(len(puzzle.pieces) / cols)
    across, down = 1 + GAP, cells.height + GAP
    picture = canvas(cols * across - GAP + 2 * MARGIN, rows * down - GAP + 2 * MARGIN, cells.scale)
    for i, piece in enumerate(puzzle.pieces):
        picture.add(*cells.cell((MARGIN + i % cols * across, MARGIN + i // cols * down), piece))
    return picture


def _draw_board(puzzle: Boxes, cells: "_Cells", board: Laid) -> Picture:
    sheet = _Sheet.of(puzzle, cells.height)
    picture = canvas(sheet.width, sheet.height, cells.scale)
    for panel, title in enumerate(sheet.titles):
        picture.add(*sheet.ground(panel, title, GREY if puzzle.grey is not None else DARK))
    for cell, face, colour in puzzle.wanted if puzzle.grey is None else ():
        name = puzzle.face_names[face]
        if name in EDGES:
            picture.add(*cells.strip(sheet.corner(cell), name, colour))
        else:  # on a panel of its own, before the first layer or behind the last
            corner = sheet.corner(cell, TIPS[name])
            picture.add(
                hole(cells.outline(corner)), *cells.facet(corner, "back" if name == "front" else "front", colour)
            )
    for cell, piece in enumerate(board):
        picture.add(*cells.cell(sheet.corner(cell), piece))
    wrong = [(cell, face) for cell, face, _ in wrong_rim(puzzle, board)]
    for cell, face, other, back in wrong_seams(puzzle, board):
        wrong += [(cell, face)] if puzzle.face_names[face] in EDGES else [(cell, face), (other, back)]
    for cell, face in wrong:
        picture.add(*mistake(cells.mark(sheet.corner(cell), puzzle.face_names[face]), cells.mark_width))
    return picture


@dataclass(frozen=True)
class _Sheet:
    """Where the layers lie: panels side by side, in several rows if there are many."""

    rows: int  # of a layer
    cols: int
    cell_height: float
    around: float  # room for the frame
    titles: tuple[str, ...]
    first: int  # panel of the first layer
    framed: bool

    @classmethod
    def of(cls, puzzle: Boxes, cell_height: float) -> "_Sheet":
        layers, rows, cols = (1, 1, *puzzle.shape)[-3:]
        coloured = puzzle.frame is not None and puzzle.grey is None
        titles = [f"layer {layer + 1}" for layer in range(layers)] if len(puzzle.shape) == 3 else [""]
        if titles[0] and coloured:
            titles = ["frame in front", *titles, "frame behind"]
        around = 0.0 if puzzle.frame is None else BAND + EDGING if coloured else EDGING
        framed = puzzle.frame is not None
        return cls(rows, cols, cell_height, around, tuple(titles), int(len(titles) > layers), framed)

    @property
    def panel(self) -> Point:
        """Width and height of a panel, its title included."""
        title = TITLE if self.titles[0] else 0.0
        return self.cols + 2 * self.around, self.rows * self.cell_height + 2 * self.around + title

    @property
    def across(self) -> int:
        """Panels side by side."""
        (width, height), number = self.panel, len(self.titles)
        across = min(number, max(1, ceil(sqrt(number * WIDE * height / width))))
        return ceil(number / ceil(number / across))  # as few, for as many below each other

    @property
    def width(self) -> float:
        """Of the picture."""
        return self.across * (self.panel[0] + APART) - APART + 2 * MARGIN

    @property
    def height(self) -> float:
        """Of the picture."""
        return ceil(len(self.titles) / self.across) * (self.panel[1] + APART) - APART + 2 * MARGIN

    def origin(self, panel: int) -> Point:
        """The top left corner of a panel's cells."""
        (width, height), (down, right) = self.panel, divmod(panel, self.across)
        title = TITLE if self.titles[0] else 0.0
        return MARGIN + right * (width + APART) + self.around, MARGIN + down * (height + APART) + title + self.around

    def corner(self, cell: int, panels: int = 0) -> Point:
        """The top left corner of a cell, so many panels from its own."""
        layer, place = divmod(cell, self.rows * self.cols)
        row, col = divmod(place, self.cols)
        x, y = self.origin(self.first + layer + panels)
        return x + col, y + row * self.cell_height

    def ground(self, panel: int, title: str, paint: str) -> Iterator[Shape]:
        """A panel's title, and what lies around its cells."""
        x, y = self.origin(panel)
        if title:
            yield Text((x + self.cols / 2, y - self.around - TITLE / 2), title, TITLE * 0.6, DARK)
        if self.framed:
            left, top, edge = x - self.around, y - self.around, 2 * self.around
            right, bottom = left + self.cols + edge, top + self.rows * self.cell_height + edge
            yield Polygon(((left, top), (right, top), (right, bottom), (left, bottom)), paint)


@dataclass(frozen=True)
class _Cells:
    """How a box is painted whose top left corner is given."""

    brush: Brush
    face_names: tuple[str, ...]

    @property
    def height(self) -> float:
        """Of a box; those of a row are dominoes."""
        return DOMINO if len(self.face_names) == 2 else 1.0

    @property
    def scale(self) -> float:
        """Pixels a box, at least, unless the picture becomes too large: six numbers take more than four."""
        return 100 if len(self.face_names) == 6 else 64

    @property
    def mark_width(self) -> float:
        """Of mistakes: numbers stay legible beside them."""
        return 0.05 if len(self.face_names) == 6 else 0.08

    def outline(self, corner: Point) -> tuple[Point, ...]:
        """Of a whole box."""
        return tuple(self._edge(corner, name)[0] for name in EDGES)

    def cell(self, corner: Point, piece: Piece | None) -> Iterator[Shape]:
        """A box, or a hole."""
        if piece is None:
            yield hole(self.outline(corner))
            return
        faces = sorted(zip(self.face_names, piece, strict=True), key=lambda face: face[0] in TIPS)
        for name, colour in faces:  # the diamond on top
            yield from self.facet(corner, name, colour)
        yield outlined(self.outline(corner))

    def facet(self, corner: Point, name: str, colour: int) -> Iterator[Shape]:
        """One face."""
        (x, y), size = self._middle(corner), 0.15 if len(self.face_names) == 6 else 0.19
        if name in TIPS:
            at = (x + TIPS[name] * DIAMOND * 0.4, y)
            yield from self.brush.facet(self._half(corner, name), colour, at, size)
            return
        a, b = self._edge(corner, name)
        inner = ((x, b[1]), (x, a[1])) if self.height == DOMINO else ((x, y),)
        depth = {2: 0.5, 4: 0.36, 6: 0.23}[len(self.face_names)]
        yield from self.brush.facet((a, b, *inner), colour, between(between(a, b, 0.5), (x, y), depth), size)

    def strip(self, corner: Point, name: str, colour: int) -> Iterator[Shape]:
        """What the frame shows beyond a face: as much of a neighbour as fits."""
        a, b = self._edge(corner, name)
        middle = between(a, b, 0.5)
        beyond = between(self._middle(corner), middle, 2)
        towards = ((beyond[0], a[1]), (beyond[0], b[1])) if self.height == DOMINO else (beyond, beyond)
        outer = (between(b, towards[1], 2 * BAND), between(a, towards[0], 2 * BAND))
        yield from self.brush.facet((a, b, *outer), colour, between(middle, beyond, 0.9 * BAND), 0.17)

    def mark(self, corner: Point, name: str) -> tuple[Point, ...]:
        """Along which a mistake is marked."""
        if name in TIPS:
            tip = self._half(corner, name)
            return (*tip, tip[0])
        a, b = self._edge(corner, name)
        return between(a, b, 0.1), between(a, b, 0.9)

    def _half(self, corner: Point, name: str) -> tuple[Point, ...]:
        x, y = self._middle(corner)
        return (x, y - DIAMOND), (x + TIPS[name] * DIAMOND, y), (x, y + DIAMOND)

    def _middle(self, corner: Point) -> Point:
        return corner[0] + 0.5, corner[1] + self.height / 2

    def _edge(self, corner: Point, name: str) -> tuple[Point, Point]:
        (x, y), height = corner, self.height
        a, b = ((x + dx, y + dy * height) for dx, dy in EDGES[name])
        return a, b
