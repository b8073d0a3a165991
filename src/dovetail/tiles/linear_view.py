"""Figure 5.1 of Kovalsky's paper: the board rounded from P beside the matrix P itself, black for 0 and white for 1."""

from typing import cast

import numpy as np

from ..core import registry
from ..core.puzzle import Placement, Puzzle
from ..picture import Picture, Polygon, strip
from .linear_system import Floats, System

MOST_SHOWN = 128  # rows and columns of P; of a larger one each square shows the largest of several entries
FAINT = 1 / 255  # what is darker is black


def board_and_matrix(
    puzzle: Puzzle, board: Placement, system: System, p: Floats, words: tuple[str, str]
) -> Picture:  # fmt: skip
    """Both, side by side and of one size, with words below each."""
    drawn = cast(Picture, registry.kind(puzzle.kind).draw(puzzle, board))
    matrix = _squares(by_piece(system, p), drawn)
    return strip([(drawn, words[0]), (matrix, words[1])])


def by_piece(system: System, p: Floats) -> Floats:
    """[pieces, locations] how much of every piece lies where, turned in any way; twins share alike."""
    preset = system.preset
    share = system.share(p)
    whole = np.zeros((len(preset.stock), share.shape[1]))
    np.add.at(whole, preset.class_of, share)
    return np.repeat(whole / preset.stock[:, None], preset.stock, axis=0)


def _squares(matrix: Floats, like: Picture) -> Picture:
    """P as a picture as large as the board's."""
    block = -(-max(matrix.shape) // MOST_SHOWN)
    padded = np.pad(matrix, [(0, -n % block) for n in matrix.shape])
    rows, cols = (n // block for n in padded.shape)
    shown = padded.reshape(rows, block, cols, block).max(axis=(1, 3))
    side = min(like.width / cols, like.height / rows)
    left, top = (like.width - side * cols) / 2, (like.height - side * rows) / 2
    picture = Picture(like.width, like.height, like.scale, like.background)
    picture.add(_square(left, top, side * cols, side * rows, 0.0))
    for row, col in np.argwhere(shown > FAINT):
        picture.add(_square(left + col * side, top + row * side, side, side, float(shown[row, col])))
    return picture


def _square(x: float, y: float, width: float, height: float, light: float) -> Polygon:
    grey = round(255 * min(1.0, light))
    corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return Polygon(corners, f"#{grey:02X}{grey:02X}{grey:02X}")
