"""Edge matching in one, two or three dimensions: boxes with a colour on each face, laid so that touching faces agree.

Kovalsky, Glasner, Basri, "A Global Approach for Solving Edge-Matching Puzzles", section 6.1. In one dimension these are
dominoes that are not turned, in two squares, in three cubes. Nothing is turned. The frame says what the pieces along
the rim must show outwards.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, ClassVar

from ..core import limits
from ..core.errors import BadInput, BadUsage
from ..core.kind import Drawing, Kind
from ..core.puzzle import Placement, Puzzle, Solution, Verdict, as_placement
from ..core.settings import setting
from .solids import FRAMES, MOST_CELLS, Layout, Piece, Solids, decode_frame, decode_pieces
from .solids_checking import drawable, judge

MOST_SIDE = limits.BOXES_SIDE
AXES = ("layer", "row", "column")  # a board of fewer dimensions has the last of them
FACES = ("front", "back", "north", "south", "west", "east")  # two an axis: towards lower numbers, towards higher ones


@dataclass(frozen=True)
class Boxes(Solids):
    """A board of one to three lengths, slowest axis first, and as many boxes as cells.

    A piece has two colours for every axis, in the order of ``shape``: the face towards lower coordinates, then the one
    towards higher. ``frame`` lists what the rim must show: for every cell in reading order, for every face of it that
    looks outwards, a colour; None leaves the rim free. A solution has a row for every (layer, row) in order.
    """

    shape: tuple[int, ...]
    pieces: tuple[Piece, ...]
    frame: tuple[int, ...] | None = None
    kind: ClassVar[str] = "boxes"
    face_word: ClassVar[str] = "face"

    def __post_init__(self) -> None:
        check_shape(self.shape)
        self.check_parts()

    @property
    def size(self) -> str:
        """The lengths: layers by rows by columns."""
        return "x".join(map(str, self.shape))

    @cached_property
    def layout(self) -> Layout:
        """See ``box_layout``."""
        return box_layout(self.shape)

    @property
    def face_names(self) -> tuple[str, ...]:
        """Of as many axes as there are."""
        return FACES[-2 * len(self.shape) :]

    @property
    def turns(self) -> range:
        """None."""
        return range(1)

    def turned(self, piece: Piece, turns: int) -> Piece:
        """Boxes stay as they are."""
        return piece

    def where(self, cell: int) -> str:
        """Layer, row and column, as far as there are such."""
        numbers = []
        for length in reversed(self.shape):
            cell, at = divmod(cell, length)
            numbers.append(at + 1)
        return ", ".join(
            f"{axis} {n}" for axis, n in zip(AXES[-len(self.shape) :], reversed(numbers), strict=True)
        )  # fmt: skip

    def encode(self) -> dict[str, Any]:
        """As JSON types; "shape" is what a solution file says of itself."""
        return {"lengths": list(self.shape), **self.encode_parts()}


def check_shape(shape: tuple[int, ...]) -> None:
    """Refuse boards of no or too many dimensions, and too large ones."""
    if not 1 <= len(shape) <= len(AXES):
        raise BadInput(f"a board of boxes has 1 to {len(AXES)} lengths, not {len(shape)}")
    for length in shape:
        if not 1 <= length <= MOST_SIDE:
            raise BadInput(f"the lengths of a board of boxes are 1 to {MOST_SIDE}, not {str(length)[:20]}")
    if prod(shape) > MOST_CELLS:
        raise BadInput(f"a board of boxes has at most {MOST_CELLS} cells, not {prod(shape)}")


def box_layout(shape: tuple[int, ...]) -> Layout:
    """Neighbours differ by one in one coordinate."""
    places = [*product(*map(range, shape))]
    number = {place: cell for cell, place in enumerate(places)}
    steps = [(axis, step) for axis in range(len(shape)) for step in (-1, 1)]
    beyond = tuple(
        tuple(number.get((*at[:axis], at[axis] + step, *at[axis + 1 :])) for axis, step in steps) for at in places
    )
    cols = shape[-1]
    cells = tuple(divmod(cell, cols) for cell in range(len(places)))
    return Layout(len(places) // cols, cols, cells, beyond, tuple(face ^ 1 for face in range(len(steps))))


def parse_shape(text: str) -> tuple[int, ...]:
    """From ``4x4x4``."""
    lengths = text.lower().replace("×", "x").split("x")
    if not all(length.isdecimal() and len(length) <= 4 for length in lengths):
        raise BadUsage(f"shape is one to three lengths, as in 8, 6x6 or 4x4x4, not {text[:40]!r}")
    shape = tuple(map(int, lengths))
    check_shape(shape)
    return shape


@dataclass(frozen=True)
class Making:
    """What kind of puzzle to make."""

    shape: str = setting("4x4x4", "the board: columns, rows x columns, or layers x rows x columns")
    colours: int = setting(8, "colours of the seams", least=1, most=4000)
    frame: str = setting("coloured", "what the rim shows: a colour for every face, grey, or nothing", choices=FRAMES)


class BoxesKind(Kind):
    """See the module text."""

    name = "boxes"
    family = "tiles"
    title = (
        "Boxes: edge matching in one, two or three dimensions (rows of dominoes, squares, cubes with coloured faces)"
    )
    rules = (
        "Lay every box once, as it is, so that touching faces have the same colour; along the rim, boxes show the "
        "colours of the frame if there is one."
    )
    solution_shape = "placement"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """A row and a cube."""
        from .solids_samples import BOXES

        return BOXES

    def decode(self, data: Mapping[str, Any]) -> Boxes:
        """From Dovetail's JSON."""
        lengths = data.get("lengths")
        if not isinstance(lengths, list) or not all(type(length) is int for length in lengths):
            raise BadInput("a boxes puzzle needs a list 'lengths' of one to three whole numbers")
        bare = Boxes(tuple(lengths), decode_pieces(self.name, data))
        return replace(bare, frame=decode_frame(data, bare.layout))

    def make(self, settings: Making, seed: int) -> tuple[Boxes, Placement]:
        """Plant a solution, then shuffle its boxes."""
        from .solids_making import plant_boxes

        return plant_boxes(parse_shape(settings.shape), settings.colours, settings.frame, seed)

    def check(self, puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Verdict:
        """Every box once, touching faces alike, the frame's colours shown."""
        assert isinstance(puzzle, Boxes)
        return judge(puzzle, as_placement(self.name, solution), truth)

    def draw(self, puzzle: Puzzle, solution: Solution | None = None) -> Drawing:
        """The board, layers side by side, or the boxes laid apart when there is no solution yet."""
        from .boxes_draw import draw_boxes

        assert isinstance(puzzle, Boxes)
        return draw_boxes(puzzle, None if solution is None else drawable(puzzle, solution))
