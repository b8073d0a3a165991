"""Edge matching with hexagons: six colours a piece, on a board that is a hexagon itself (Drive Ya Nuts).

Cells have axial coordinates in a (2·side − 1)² grid: row r, column c is a cell if side − 1 <= r + c <= 3·(side − 1).
The sides of a cell are counted counter-clockwise from east, and so are the colours of a piece.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from ..core import limits
from ..core.errors import BadInput
from ..core.kind import Drawing, Kind
from ..core.puzzle import Placement, Puzzle, Solution, Verdict, as_placement
from ..core.settings import setting
from .solids import FRAMES, Layout, Piece, Solids, decode_frame, decode_pieces
from .solids_checking import drawable, judge

MOST_SIDE = limits.HEXAGONS_SIDE
SIDES = ("east", "north-east", "north-west", "west", "south-west", "south-east")
NEIGHBOURS = ((0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0))  # (rows, columns) to go, side by side


@dataclass(frozen=True)
class Hexagons(Solids):
    """A board with ``side`` cells along each of its six sides, and as many pieces as cells.

    ``rotate``: pieces may be turned by sixths. ``frame`` lists what the rim must show: for every cell in reading order,
    for every side of it that looks outwards, a colour; None leaves the rim free. A solution is a grid of axial
    coordinates, EMPTY where there is no cell.
    """

    side: int
    pieces: tuple[Piece, ...]
    rotate: bool = True
    frame: tuple[int, ...] | None = None
    kind: ClassVar[str] = "hexagons"
    face_word: ClassVar[str] = "side"

    def __post_init__(self) -> None:
        check_side(self.side)
        self.check_parts()

    @property
    def size(self) -> str:
        """Cells along a side."""
        return f"side {self.side}"

    @cached_property
    def layout(self) -> Layout:
        """See ``hexagon_layout``."""
        return hexagon_layout(self.side)

    @property
    def face_names(self) -> tuple[str, ...]:
        """Counter-clockwise."""
        return SIDES

    @property
    def turns(self) -> range:
        """Sixths, or none."""
        return range(6 if self.rotate else 1)

    def turned(self, piece: Piece, turns: int) -> Piece:
        """The piece after sixths of a turn counter-clockwise: the colour on side i comes to side i + turns."""
        first = -turns % 6
        return piece[first:] + piece[:first]

    def where(self, cell: int) -> str:
        """The row, and the cell of that row: as one counts on a picture."""
        row, col = self.layout.cells[cell]
        return f"row {row + 1}, cell {col - max(0, self.side - 1 - row) + 1}"

    def encode(self) -> dict[str, Any]:
        """As JSON types; what is as usual is left out."""
        data = {"side": self.side, **self.encode_parts()}
        return data if self.rotate else {**data, "rotate": False}


def check_side(side: int) -> None:
    """Refuse boards that are none, and too large ones."""
    if not 1 <= side <= MOST_SIDE:
        raise BadInput(f"a board of hexagons has a side of 1 to {MOST_SIDE} cells, not {str(side)[:20]}")


def hexagon_layout(side: int) -> Layout:
    """See the module text."""
    length = 2 * side - 1
    cells = tuple((r, c) for r in range(length) for c in range(length) if side - 1 <= r + c <= 3 * (side - 1))
    number = {place: cell for cell, place in enumerate(cells)}
    beyond = tuple(tuple(number.get((r + dr, c + dc)) for dr, dc in NEIGHBOURS) for r, c in cells)
    return Layout(length, length, cells, beyond, (3, 4, 5, 0, 1, 2))


@dataclass(frozen=True)
class Making:
    """What kind of puzzle to make."""

    side: int = setting(3, "cells along one side of the board", least=1, most=MOST_SIDE)
    colours: int = setting(6, "colours of the seams", least=1, most=4000)
    rotate: bool = setting(True, "whether pieces may be turned")
    frame: str = setting("coloured", "what the rim shows: a colour for every side, grey, or nothing", choices=FRAMES)


class HexagonsKind(Kind):
    """See the module text."""

    name = "hexagons"
    family = "tiles"
    title = "Hexagons: edge matching with six colours a piece (Drive Ya Nuts)"
    rules = (
        "Lay every hexagon once, turned by sixths where the puzzle allows it, so that touching sides have the same "
        "colour; along the rim, pieces show the colours of the frame if there is one."
    )
    solution_shape = "placement"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """A classic, and one with a frame."""
        from .solids_samples import HEXAGONS

        return HEXAGONS

    def decode(self, data: Mapping[str, Any]) -> Hexagons:
        """From Dovetail's JSON."""
        side, rotate = data.get("side"), data.get("rotate", True)
        if type(side) is not int:
            raise BadInput("a hexagons puzzle needs a whole number 'side', the cells along a side of the board")
        if not isinstance(rotate, bool):
            raise BadInput(f"'rotate' is true or false, not {str(rotate)[:40]!r}")
        bare = Hexagons(side, decode_pieces(self.name, data), rotate)
        return replace(bare, frame=decode_frame(data, bare.layout))

    def make(self, settings: Making, seed: int) -> tuple[Hexagons, Placement]:
        """Plant a solution, then shuffle and turn its pieces."""
        from .solids_making import plant_hexagons

        return plant_hexagons(settings.side, settings.colours, settings.rotate, settings.frame, seed)

    def check(self, puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Verdict:
        """Every piece once, touching sides alike, the frame's colours shown."""
        assert isinstance(puzzle, Hexagons)
        return judge(puzzle, as_placement(self.name, solution), truth)

    def draw(self, puzzle: Puzzle, solution: Solution | None = None) -> Drawing:
        """The board, or the pieces laid apart when there is no solution yet."""
        from .hexagons_draw import draw_hexagons

        assert isinstance(puzzle, Hexagons)
        return draw_hexagons(puzzle, None if solution is None else drawable(puzzle, solution))
