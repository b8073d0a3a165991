"""Picture jigsaws: rectangular pieces of one picture, all of a size, to be laid so that the picture appears.

Nothing but the pixels says which piece belongs where. A puzzle with a frame says how many rows and columns the picture
has; pieces may be fewer than cells (some are lost). With ``rotate`` the pieces lie in any of four turns (of two, if
they are not square): what the literature calls type 2. With two ``sides`` a piece shows something on its back too, and
nobody says which side belongs up; ``foreign`` pieces belong to no picture and are left out; in a ``mixed`` bag there
are several pictures, which lie side by side in an answer, with an empty column between two.
"""

import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..core import limits
from ..core.confidence import Confidence
from ..core.errors import BadInput
from ..core.kind import Cells, Drawing, Format, Kind
from ..core.puzzle import Placement, Puzzle, Solution, Verdict, canonical_json
from ..core.settings import setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .hints.told import Told

MOST_PIECES = limits.JIGSAW_PIECES
MOST_SIDE = limits.JIGSAW_PIECE_PIXELS
MOST_CELLS = limits.JIGSAW_FRAME_SIDE
MOST_PICTURES = limits.JIGSAW_PICTURES
CHANNELS = {1: "grey", 2: "grey and alpha", 3: "RGB", 4: "RGB and alpha"}


@dataclass(frozen=True)
class Jigsaw(Puzzle):
    """Pieces, and the frame if it is known.

    ``pixels`` holds the pieces one after the other, each ``height × width × channels`` numbers of ``depth`` bits
    (16-bit ones with the low byte first).
    """

    height: int  # of a piece, in pixels
    width: int
    channels: int  # 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha
    depth: int  # bits of a number: 8 or 16
    pixels: bytes = field(repr=False)
    rows: int | None = None  # of the frame, None where nobody knows
    cols: int | None = None
    rotate: bool = False
    sides: int = 1  # of a piece that show something: with 2, either may belong up
    foreign: bool = False  # some pieces may belong to no picture
    mixed: bool = False  # there may be several pictures
    found_out: tuple[str, ...] = field(default=(), compare=False, repr=False)  # by its reader, for people
    hinted: "Told | None" = field(default=None, compare=False, repr=False)  # what a person knows of the answer
    kind: ClassVar[str] = "jigsaw"

    def __post_init__(self) -> None:
        if self.sides not in (1, 2):
            raise BadInput(f"a piece has 1 or 2 sides, not {self.sides}")
        if not (2 <= self.height <= MOST_SIDE and 2 <= self.width <= MOST_SIDE):
            raise BadInput(f"a piece is 2 to {MOST_SIDE} pixels wide and high, not {self.width}x{self.height}")
        if self.channels not in CHANNELS or self.depth not in (8, 16):
            raise BadInput(f"pieces have 1 to 4 channels of 8 or 16 bits, not {self.channels} of {self.depth}")
        if not self.pixels or len(self.pixels) % self.piece_bytes:
            raise BadInput(f"{len(self.pixels)} bytes are no whole number of pieces of {self.piece_bytes} bytes")
        if not 2 <= self.count <= MOST_PIECES:
            raise BadInput(f"a jigsaw has 2 to {MOST_PIECES} pieces, not {self.count}")
        if (self.rows is None) != (self.cols is None):
            raise BadInput("of the frame, rows and columns are known or neither is")
        if self.rows is not None and self.cols is not None:
            if not (1 <= self.rows <= MOST_CELLS and 1 <= self.cols <= MOST_CELLS):
                raise BadInput(f"a frame has 1 to {MOST_CELLS} rows and columns, not {self.size}")
            if self.mixed:
                raise BadInput("of several pictures in one bag no frame is known")
            if self.count > self.rows * self.cols and not self.foreign:
                raise BadInput(f"a {self.size} frame holds {self.rows * self.cols} pieces, but {self.count} are given")

    @property
    def piece_bytes(self) -> int:
        """Of one piece."""
        return self.sides * self.height * self.width * self.channels * self.depth // 8

    @property
    def count(self) -> int:
        """Pieces."""
        return len(self.pixels) // self.piece_bytes

    @property
    def told(self) -> str:
        """Its hints."""
        return hashlib.sha256(repr(self.hinted).encode()).hexdigest() if self.hinted else ""

    @property
    def size(self) -> str:
        """Rows by columns, or the number of pieces where the frame is not known."""
        return f"{self.count} pieces" if self.rows is None else f"{self.rows}x{self.cols}"

    @property
    def missing(self) -> int:
        """Cells of the frame that no piece is left for; 0 where the frame is not known."""
        return 0 if self.rows is None or self.cols is None else max(0, self.rows * self.cols - self.count)

    @property
    def turns(self) -> tuple[int, ...]:
        """How a piece may lie: quarter turns, and 4 more for one that was turned over first, like a page."""
        turns = possible_turns(self.height, self.width, self.rotate)
        return turns if self.sides == 1 else (*turns, *(4 + turn for turn in turns))

    @cached_property
    def faces(self) -> "NDArray[np.uint8 | np.uint16]":
        """Front and back of the pieces as numbers, read only; a back as it shows when the piece is turned over like a
        page. [count, sides, height, width, channels]
        """
        import numpy as np

        flat = np.frombuffer(self.pixels, "u1" if self.depth == 8 else "<u2")
        return flat.reshape(self.count, self.sides, self.height, self.width, self.channels)

    @property
    def array(self) -> "NDArray[np.uint8 | np.uint16]":
        """The fronts of the pieces. [count, height, width, channels]"""
        return self.faces[:, 0]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the header and the pixels: how a PNG happens to be packed does not count."""
        head = canonical_json({"kind": self.kind, **self.header()})
        return hashlib.sha256(head.encode() + b"\n" + self.pixels).hexdigest()

    def header(self) -> dict[str, Any]:
        """Everything but the pixels, as JSON types; what is as usual is left out."""
        data: dict[str, Any] = {
            "piece": [self.height, self.width], "count": self.count, "channels": self.channels, "depth": self.depth,
        }  # fmt: skip
        if self.rows is not None:
            data["frame"] = [self.rows, self.cols]
        for name, usual in (("rotate", False), ("sides", 1), ("foreign", False), ("mixed", False)):
            if getattr(self, name) != usual:
                data[name] = getattr(self, name)
        return data

    def encode(self) -> dict[str, Any]:
        """As JSON types: the header, and the pixels in base 64 as they are."""
        return {**self.header(), "pixels": base64.b64encode(self.pixels).decode()}

    def __getstate__(self) -> dict[str, Any]:
        """Without the faces, which are a view of the pixels."""
        return {key: value for key, value in self.__dict__.items() if key != "faces"}


def possible_turns(height: int, width: int, rotate: bool) -> tuple[int, ...]:
    """Quarter turns after which a piece still fits its cell, if it is turned at all."""
    return (0,) if not rotate else (0, 1, 2, 3) if height == width else (0, 2)


@dataclass(frozen=True)
class Reading:
    """What a picture that is not ours does not say."""

    piece: str | None = setting(None, "size of a piece in pixels, 28 or WIDTHxHEIGHT")
    rows: int | None = setting(None, "rows of the frame", least=1, most=MOST_CELLS)
    cols: int | None = setting(None, "columns of the frame", least=1, most=MOST_CELLS)
    rotate: bool | None = setting(None, "whether the pieces may be turned")
    spacing: int | None = setting(None, "pixels between two pieces of a piece sheet", least=0, most=MOST_SIDE)
    margin: int | None = setting(None, "pixels around a piece sheet", least=0, most=MOST_SIDE)
    pieces: int | None = setting(None, "pieces on a sheet whose last row is not full", least=1, most=MOST_PIECES)
    sides: int | None = setting(None, "sides of a piece that show something: 1 or 2", least=1, most=2)
    foreign: bool | None = setting(None, "whether some pieces may belong to no picture")
    mixed: bool | None = setting(None, "whether there may be several pictures")
    gap: int | None = setting(
        None, "pixels lost between two neighbours: makes it a puzzle with gaps", least=0, most=MOST_SIDE
    )
    hints: str | None = setting(None, "of a puzzle with gaps: row:column:patch, all from 1, separated by spaces")
    strips: int | None = setting(
        None, "strips side by side, or files of strips: makes it shredded paper", least=2, most=MOST_PIECES
    )
    cross: str | None = setting(None, "of shredded paper that is cross-cut: COLUMNSxROWS of shreds, as in 6x10")
    pages: int | None = setting(None, "pages in a bag of shredded paper, if not 1", least=1, most=MOST_PICTURES)
    flip: bool | None = setting(None, "whether some strips may lie upside down")
    scan: bool | None = setting(None, "whether fragments lie apart on a plain ground, each turned by some degrees")


@dataclass(frozen=True)
class Making:
    """What to cut, and how."""

    image: str = setting(
        "coffee", "the picture: a file, or one that is built in; several, with commas between them, for a mixed bag"
    )
    piece: str = setting("28", "size of a piece in pixels, 28 or WIDTHxHEIGHT")
    rotate: bool = setting(False, "turn the pieces too (type 2)")
    missing: float = setting(0.0, "share of the pieces to lose", least=0, most=0.9)
    back: str | None = setting(None, "the picture on the back of the pieces, which then have two sides")
    foreign: float = setting(0.0, "share of foreign pieces to add, as of the picture's own", least=0, most=1)
    stranger: str | None = setting(None, "the picture that foreign pieces come from, if not one that is built in")
    frame: bool = setting(True, "tell how many rows and columns one picture has")
    erode: int = setting(0, "pixels that every piece loses on every side", least=0, most=MOST_SIDE)
    noise: float = setting(0.0, "noise on the pieces: its standard deviation, of 255", least=0, most=100)
    brightness: float = setting(0.0, "share by which a piece may be brighter or darker", least=0, most=0.9)
    jpeg: int = setting(0, "quality at which every piece is saved as a JPEG of its own; 0: not so", least=0, most=100)
    scan: bool = setting(False, "lay the pieces apart on sheets, each turned by some degrees, and scan them")
    sheet: int = setting(48, "of a scan: pieces a sheet", least=2, most=MOST_PIECES)
    degrees: float = setting(20.0, "of a scan: by how much a piece may be turned", least=0, most=44)
    shadow: float = setting(0.4, "of a scan: how dark the shadows beside pieces are", least=0, most=0.9)
    ground: str | None = setting(None, "of a scan: dark, grey, light, blue or a colour like #e2ded4; any if not set")


class JigsawKind(Kind):
    """See the module text."""

    name = "jigsaw"
    family = "jigsaw"
    title = "Picture jigsaws: rectangular pieces, put together by what they show"
    rules = (
        "Lay every piece once, inside the frame where it is known, so that the pieces show the picture they were cut "
        "from: on both sides if they have two, every picture apart if there may be several, foreign pieces left out."
    )
    solution_shape = "placement"
    demo: ClassVar[str | None] = "astronaut"
    reading_type = Reading
    making_type: ClassVar[type[Any]] = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """Photographs that come with scikit-image, cut and shuffled."""
        from .samples import SAMPLES

        return SAMPLES

    def formats(self) -> tuple[Format, ...]:
        """A picture of pieces, and a folder or archive of them."""
        from .formats import FORMATS

        return FORMATS

    def decode(self, data: Mapping[str, Any]) -> Jigsaw:
        """From Dovetail's JSON."""
        return from_header(data, decoded_pixels(data))

    def make(self, settings: Any, seed: int) -> tuple[Jigsaw, Placement]:
        """Cut a picture, shuffle its pieces, turn them and lose some if asked to."""
        from . import cutting
        from .scan import making as scan_making

        return scan_making.make(settings, seed) if settings.scan else cutting.make(settings, seed)

    def check(self, puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Verdict:
        """Every piece once; how right it is, only the truth can say."""
        from . import scores
        from .hints.checking import held_to_hints

        assert isinstance(puzzle, Jigsaw)
        return held_to_hints(puzzle, solution, scores.judge(puzzle, solution, truth))

    def with_hints(self, puzzle: Puzzle, hints: Any, folder: Path) -> Jigsaw:
        """Pins, neighbours, pieces apart, regions of an earlier answer."""
        from .hints.reading import told

        assert isinstance(puzzle, Jigsaw)
        return replace(puzzle, hinted=told(puzzle, hints, folder))

    def draw(self, puzzle: Puzzle, solution: Solution | None = None) -> Drawing:
        """The picture as laid; without a solution the pieces apart, or the sheets they were found on."""
        from .draw import draw_jigsaw
        from .scan.puzzle import Scanned

        assert isinstance(puzzle, Jigsaw)
        if solution is None and isinstance(puzzle, Scanned):
            from .scan.draw import draw_sheets

            return draw_sheets(puzzle)
        return draw_jigsaw(puzzle, solution)

    def cells(self, puzzle: Puzzle, solution: Solution) -> Cells | None:
        """Where the pieces lie in the picture."""
        from .draw import cells_of

        assert isinstance(puzzle, Jigsaw)
        return cells_of(puzzle, solution)

    def draw_confidence(self, puzzle: Puzzle, solution: Solution, confidence: Confidence) -> Drawing:
        """The picture as laid, its seams in the colours of how sure they are."""
        from .confidence.draw import overlay

        assert isinstance(puzzle, Jigsaw)
        return overlay(puzzle, solution, confidence)

    def facts(self, puzzle: Puzzle) -> dict[str, float | str]:
        """How many pieces of what size, and what is known of the frame."""
        assert isinstance(puzzle, Jigsaw)
        colours = f"{CHANNELS[puzzle.channels]}, {puzzle.depth} bits"
        facts: dict[str, float | str] = {
            "pieces": puzzle.count,
            "size_of_a_piece": f"{puzzle.width}x{puzzle.height} pixels, {colours}",
            "frame": "not known" if puzzle.rows is None else f"{puzzle.rows} rows of {puzzle.cols}",
            "orientation": "not known" if puzzle.rotate else "known",
        }
        if puzzle.missing:
            facts["missing"] = f"at least {puzzle.missing}" if puzzle.foreign else puzzle.missing
        if puzzle.sides == 2:
            facts["sides"] = "front and back, and nobody knows which belongs up"
        if puzzle.foreign:
            facts["foreign"] = "some pieces may belong to no picture"
        if puzzle.mixed:
            facts["pictures"] = f"there may be several, up to {MOST_PICTURES}"
        if puzzle.found_out:
            facts["found_out"] = "; ".join(puzzle.found_out)
        return facts


def decoded_pixels(data: Mapping[str, Any]) -> bytes:
    """What ``Jigsaw.encode`` made of the pixels, back; raises BadInput."""
    pixels = data.get("pixels")
    if not isinstance(pixels, str):
        raise BadInput("a jigsaw needs its 'pixels' in base 64")
    try:
        return base64.b64decode(pixels, validate=True)
    except (binascii.Error, ValueError):
        raise BadInput("a jigsaw's 'pixels' are not base 64") from None


def from_header(data: Mapping[str, Any], pixels: bytes) -> Jigsaw:
    """A jigsaw from what ``Jigsaw.header`` wrote, and its pixels; raises BadInput naming the place."""
    height, width = _pair(data, "piece")
    rows, cols = _pair(data, "frame") if data.get("frame") is not None else (None, None)
    for key in ("channels", "depth", "count"):
        if type(data.get(key)) is not int:
            raise BadInput(f"a jigsaw needs a whole number {key!r}")
    flags = {name: data.get(name, False) for name in ("rotate", "foreign", "mixed")}
    for name, flag in flags.items():
        if type(flag) is not bool:
            raise BadInput(f"a jigsaw's {name!r} is true or false")
    sides = data.get("sides", 1)
    if type(sides) is not int:
        raise BadInput("a jigsaw's 'sides' is 1 or 2")
    puzzle = Jigsaw(height, width, data["channels"], data["depth"], pixels, rows, cols, sides=sides, **flags)
    if puzzle.count != data["count"]:
        raise BadInput(f"{data['count']} pieces are announced, but there are {puzzle.count}")
    return puzzle


def _pair(data: Mapping[str, Any], key: str) -> tuple[int, int]:
    pair = data.get(key)
    if not (isinstance(pair, list) and len(pair) == 2 and all(type(number) is int for number in pair)):
        raise BadInput(f"a jigsaw's {key!r} is a list of two whole numbers, rows before columns")
    return pair[0], pair[1]
