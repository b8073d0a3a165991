"""What boards of boxes and of hexagons share: cells with faces, neighbours behind them, pieces with a colour a face.

A layout numbers its cells in reading order and lays them out on the rectangular grid of a ``Placement``.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

from ..core import limits
from ..core.errors import BadInput
from ..core.puzzle import Puzzle
from .boards import Cell

MOST_CELLS, MOST_COLOUR = limits.SOLIDS_CELLS, limits.TILES_COLOUR
FRAMES = ("coloured", "grey", "none")  # what a made puzzle's rim shows

Piece: TypeAlias = tuple[int, ...]  # a colour for every face
Seam: TypeAlias = tuple[int, int, int, int]  # cell, its face, the cell behind it, that one's face


@dataclass(frozen=True)
class Layout:
    """Where the cells of a board lie, and which of them touch.

    ``cells[i]`` is the (row, column) of cell i on the grid of a Placement; ``beyond[i][face]`` the cell behind one of
    its faces, None on the rim; ``opposite[face]`` the face that meets it there.
    """

    rows: int
    cols: int
    cells: tuple[Cell, ...]
    beyond: tuple[tuple[int | None, ...], ...]
    opposite: tuple[int, ...]

    @cached_property
    def rim(self) -> tuple[tuple[int, int], ...]:
        """(cell, face) of every face that looks outwards, in the order of a frame."""
        return tuple((i, f) for i, faces in enumerate(self.beyond) for f, other in enumerate(faces) if other is None)

    @cached_property
    def seams(self) -> tuple[Seam, ...]:
        """Every pair of touching faces once, the cell that is read first before the other."""
        return tuple(
            (i, face, other, self.opposite[face])
            for i, faces in enumerate(self.beyond)
            for face, other in enumerate(faces)
            if other is not None and i < other
        )


class Solids(Puzzle):
    """A board of cells and as many pieces; ``frame`` lists what the rim must show, in the order of ``layout.rim``."""

    pieces: tuple[Piece, ...]
    frame: tuple[int, ...] | None
    face_word: ClassVar[str]  # what a face is called

    @property
    @abstractmethod
    def turns(self) -> range:
        """That a piece may be given."""

    @property
    @abstractmethod
    def layout(self) -> Layout:
        """Of the board."""

    @property
    @abstractmethod
    def face_names(self) -> tuple[str, ...]:
        """In the order of a piece's colours."""

    @abstractmethod
    def turned(self, piece: Piece, turns: int) -> Piece:
        """The piece after turns counter-clockwise."""

    @abstractmethod
    def where(self, cell: int) -> str:
        """A cell in words."""

    @cached_property
    def rim(self) -> int | None:
        """The one colour all of the frame has, if it has one."""
        return self.frame[0] if self.frame is not None and len(set(self.frame)) == 1 else None

    @cached_property
    def grey(self) -> int | None:
        """The rim's colour if it is kept for the rim: the pieces do not have more of it than the rim takes."""
        if self.rim is None or sum(piece.count(self.rim) for piece in self.pieces) > len(self.layout.rim):
            return None
        return self.rim

    @property
    def wanted(self) -> Iterator[tuple[int, int, int]]:
        """(cell, face, colour) of everything the frame asks for."""
        if self.frame is not None:
            for colour, (cell, face) in zip(self.frame, self.layout.rim, strict=True):
                yield cell, face, colour

    def check_parts(self) -> None:
        """Refuse pieces and frames that do not suit the layout."""
        cells, faces = len(self.layout.cells), len(self.face_names)
        if len(self.pieces) != cells:
            raise BadInput(f"a {self.kind} board of {self.size} takes {cells} pieces, but {len(self.pieces)} are given")
        for number, piece in enumerate(self.pieces, start=1):
            if len(piece) != faces or not all(0 <= colour <= MOST_COLOUR for colour in piece):
                raise BadInput(f"piece {number} has not {faces} colours between 0 and {MOST_COLOUR}")
        if self.frame is None:
            return
        if len(self.frame) != len(self.layout.rim):
            raise BadInput(
                f"the frame of a {self.kind} board of {self.size} has {len(self.layout.rim)} colours, "
                f"but {len(self.frame)} are given"
            )
        for cell, face, colour in self.wanted:
            if not 0 <= colour <= MOST_COLOUR:
                raise BadInput(
                    f"the frame wants a colour that is not between 0 and {MOST_COLOUR} of the "
                    f"{self.face_names[face]} {self.face_word} at {self.where(cell)}"
                )

    def encode_parts(self) -> dict[str, Any]:
        """Pieces and frame as JSON types; a frame of one colour is one number."""
        data: dict[str, Any] = {"pieces": [list(piece) for piece in self.pieces]}
        if self.frame is not None:
            data["frame"] = self.rim if self.rim is not None else list(self.frame)
        return data


def decode_pieces(kind: str, data: Mapping[str, Any]) -> tuple[Piece, ...]:
    """The pieces of a JSON file, as lists of whole numbers."""
    pieces = data.get("pieces")
    if not isinstance(pieces, list):
        raise BadInput(f"a {kind} puzzle needs a list 'pieces'")
    return tuple(_colours(piece, f"piece {number}") for number, piece in enumerate(pieces, start=1))


def decode_frame(data: Mapping[str, Any], layout: Layout) -> tuple[int, ...] | None:
    """The frame of a JSON file, where one number stands for the same colour all around."""
    frame = data.get("frame")
    if frame is None:
        return None
    if type(frame) is int:
        return (frame,) * len(layout.rim)
    return _colours(frame, "'frame'")


def _colours(data: Any, what: str) -> tuple[int, ...]:
    if not isinstance(data, list) or not all(type(colour) is int for colour in data):
        raise BadInput(f"{what} is not a list of colours, which are whole numbers")
    return tuple(data)
