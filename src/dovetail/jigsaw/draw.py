"""Pictures of jigsaws: the pieces apart, or the picture as far as it is laid, and what is not laid below."""

import base64
import io
from dataclasses import dataclass
from math import ceil, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core import limits
from ..core.errors import BadInput
from ..core.files import write_atomically
from ..core.kind import Cells
from ..core.puzzle import EMPTY, Placement, Solution, as_placement
from ..picture import render
from .images import Pixels, eight_bits
from .puzzle import Jigsaw
from .scores import Board, board_of, misused

if TYPE_CHECKING:
    from PIL.Image import Image

GROUND, HOLE, HATCH = (244, 237, 228), (236, 227, 216), (221, 209, 194)
GAP, MARGIN = 0.14, 0.5  # between pieces that lie apart, and around them: shares of a piece's shorter side
SHEET = 4 / 3  # width by height of pieces apart that belong to no known frame
MOST_PIXELS = limits.DRAWN_PIXELS
COMPRESSION = 2  # of a PNG: more takes four times as long for a tenth less


@dataclass(frozen=True)
class Raster:
    """A picture that is pixels to begin with. [rows, cols, channels], as in the puzzle"""

    pixels: Pixels

    def image(self) -> "Image":
        """As it is; but of 16-bit numbers, Pillow holds only grey ones, and the others are reduced to 8 bits."""
        from PIL import Image

        channels = self.pixels.shape[2]
        pixels = self.pixels if channels == 1 else eight_bits(self.pixels)
        return Image.fromarray(np.ascontiguousarray(pixels[:, :, 0] if channels == 1 else pixels))

    def png(self) -> bytes:
        """The same, packed."""
        file = io.BytesIO()
        self.image().save(file, "PNG", compress_level=COMPRESSION)
        return file.getvalue()

    def svg(self) -> bytes:
        """The PNG inside an SVG of the same size."""
        rows, cols, _ = self.pixels.shape
        size = f'width="{cols}" height="{rows}"'
        data = base64.b64encode(self.png()).decode()
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {cols} {rows}" {size}>\n'
            f'<image {size} href="data:image/png;base64,{data}"/>\n</svg>\n'
        ).encode()

    def save(self, path: str | Path) -> None:
        """Write ``.png`` or ``.svg``, by the name."""
        write_atomically(Path(path), render(self, Path(path)))


def draw_jigsaw(puzzle: Jigsaw, solution: Solution | None) -> Raster:
    """The picture as laid, at its own resolution; or on a table what is more than one picture.

    That is: without a solution the pieces apart, fronts above backs. With one, several pictures side by side; of pieces
    with two sides also what shows when the board is turned over like a page; below, the pieces that are not laid.
    """
    if solution is None:
        cols = puzzle.cols or _columns(puzzle, puzzle.count)
        return Raster(on_table(puzzle, [[_apart(puzzle, side, cols)] for side in puzzle.faces.swapaxes(0, 1)]))
    board = board_of(puzzle, drawable(puzzle, solution))
    loose = np.setdiff1d(np.arange(puzzle.count), board.pieces)
    if puzzle.sides == 1 and not puzzle.mixed and not len(loose):
        return Raster(laid_picture(puzzle, board))
    sides = (board, board.moved(4))[: puzzle.sides]
    parts = [part for side in sides for part in (side.pictures() if puzzle.mixed else [side])]
    rows = [[laid_picture(puzzle, part) for part in parts]]
    if len(loose):
        rows.append(not_laid(puzzle, loose, board.pieces.shape[1] * puzzle.width))
    return Raster(on_table(puzzle, rows))


def cells_of(puzzle: Jigsaw, solution: Solution, gap: int = 0) -> Cells | None:
    """Where the cells lie in the picture of a solution; None where it is more than one picture."""
    if puzzle.mixed or puzzle.sides == 2:
        return None
    placement = drawable(puzzle, solution)
    board, laid = board_of(puzzle, placement), np.array(placement.pieces) != EMPTY
    first = (0, 0) if puzzle.rows is not None else tuple(int(laid.any(axis).argmax()) for axis in (1, 0))
    corner = _margin(puzzle) if len(np.setdiff1d(np.arange(puzzle.count), board.pieces)) else 0
    rows, cols = board.pieces.shape
    return Cells(
        rows, cols, corner, corner, puzzle.width, puzzle.height, puzzle.width + gap, puzzle.height + gap, *first
    )


def not_laid(puzzle: Jigsaw, loose: NDArray[np.int64], width: int) -> list[Pixels]:
    """These pieces apart, a sheet a side, about as wide as the board of ``width`` pixels they lie below."""
    cols = max(width // (puzzle.width + _gap(puzzle)), _columns(puzzle, len(loose)))
    return [_apart(puzzle, side, cols) for side in puzzle.faces[loose].swapaxes(0, 1)]


def drawable(puzzle: Jigsaw, solution: Solution) -> Placement:
    """The solution, if it can be drawn at all."""
    placement = as_placement(puzzle.kind, solution)
    for fault in misused(puzzle, placement):
        raise BadInput(f"cannot draw this solution: {fault}")
    rows, cols = board_of(puzzle, placement).pieces.shape
    height, width = rows * puzzle.height, cols * puzzle.width
    if height * width * puzzle.sides > MOST_PIXELS:
        raise BadInput(f"cannot draw this solution: a picture of {width}x{height} pixels is too large")
    if not rows:
        raise BadInput("cannot draw this solution: it lays no piece")
    return placement


def laid_picture(puzzle: Jigsaw, board: Board) -> Pixels:
    """Holes are hatched, and then the picture is one of colours."""
    over, quarters = np.divmod(board.turns.ravel(), 4)
    laid = puzzle.faces[board.pieces.ravel(), over]  # where nothing lies, any piece until it is hatched
    for turn in {turn % 4 for turn in puzzle.turns} - {0}:
        laid[quarters == turn] = np.rot90(laid[quarters == turn], turn, axes=(1, 2))
    rows, cols = board.pieces.shape
    picture = _joined(laid.reshape(rows, cols, *laid.shape[1:]))
    holes = board.pieces == EMPTY
    return hatched(picture, holes, puzzle) if holes.any() else picture


def hatched(picture: Pixels, holes: NDArray[np.bool_], puzzle: Jigsaw) -> NDArray[np.uint8]:
    """A hole is pale, with thin diagonals that run on from one to the next."""
    coloured = _coloured(picture)
    empty = holes.repeat(puzzle.height, axis=0).repeat(puzzle.width, axis=1)
    step = max(4, min(puzzle.height, puzzle.width) // 3)
    diagonal = np.add.outer(*map(np.arange, empty.shape)) % step < max(1, step // 7)
    opaque = (255,) * (coloured.shape[2] - 3)
    coloured[empty] = (*HOLE, *opaque)
    coloured[empty & diagonal] = (*HATCH, *opaque)
    return coloured


def _columns(puzzle: Jigsaw, count: int) -> int:
    """Of a sheet of so many pieces that looks well by itself."""
    return ceil(sqrt(count * SHEET * puzzle.height / puzzle.width))


def _gap(puzzle: Jigsaw) -> int:
    return max(1, round(min(puzzle.height, puzzle.width) * GAP))


def _margin(puzzle: Jigsaw) -> int:
    return max(2, round(min(puzzle.height, puzzle.width) * MARGIN))


def _apart(puzzle: Jigsaw, faces: Pixels, cols: int) -> NDArray[np.uint8]:
    """A sheet of one side of some pieces in the order of their numbers, not wider than needed."""
    count, height, width, _ = faces.shape
    cols, gap = min(cols, count), _gap(puzzle)
    rows = ceil(count / cols)
    spaced = np.empty((rows * cols, height + gap, width + gap, 3), np.uint8)
    spaced[:] = GROUND
    spaced[:count, :height, :width] = on_ground(faces)
    return _joined(spaced.reshape(rows, cols, *spaced.shape[1:]))[:-gap, :-gap].astype(np.uint8, copy=False)


def on_table(puzzle: Jigsaw, rows: list[list[Pixels]]) -> NDArray[np.uint8]:
    """Pictures in rows on a quiet ground."""
    margin = _margin(puzzle)
    high = [max(len(picture) for picture in row) for row in rows]
    wide = max(sum(picture.shape[1] + margin for picture in row) for row in rows)
    table = np.empty((sum(high) + margin * (len(rows) + 1), wide + margin, 3), np.uint8)
    table[:] = GROUND
    top = margin
    for row, height in zip(rows, high, strict=True):
        left = margin
        for picture in row:
            part = np.s_[top : top + picture.shape[0], left : left + picture.shape[1]]
            table[part] = on_ground(picture)
            left += picture.shape[1] + margin
        top += height + margin
    return table


def _joined(pieces: Pixels) -> Pixels:
    """[rows, cols, height, width, channels] as one picture."""
    rows, cols, height, width, channels = pieces.shape
    return pieces.transpose(0, 2, 1, 3, 4).reshape(rows * height, cols * width, channels)


def _coloured(pixels: Pixels) -> NDArray[np.uint8]:
    """Eight bits, and grey as RGB; alpha stays."""
    eight, channels = eight_bits(pixels), pixels.shape[-1]
    return eight if channels >= 3 else eight[..., [0, 0, 0, *range(1, channels)]]


def on_ground(picture: Pixels) -> NDArray[np.uint8]:
    """RGB of 8 bits; what is transparent shows the ground."""
    pixels = _coloured(picture)
    if pixels.shape[-1] == 3:
        return pixels
    opacity = pixels[..., 3:].astype(np.uint16)
    mixed: NDArray[np.uint16] = pixels[..., :3] * opacity + np.array(GROUND, np.uint16) * (255 - opacity)
    return ((mixed + 127) // 255).astype(np.uint8)
