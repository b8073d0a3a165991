"""Pictures of puzzles with gaps: the patches apart, or as they are laid, the gaps between them left open."""

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..core.puzzle import EMPTY, Placement, Solution
from . import draw
from .draw import GROUND, Raster
from .gapped import Gapped
from .scores import Board, board_of

HINT, MISTAKE = (20, 110, 190), (224, 0, 0)
FRAME = 0.06  # of a patch: how wide the frame around a hint is


def draw_gapped(puzzle: Gapped, solution: Solution | None) -> Raster:
    """The picture as laid, at its own resolution, on the ground that shows in the gaps; loose patches lie below.

    Without a solution the patches lie apart; those that hints tell of, in their cells above. Patches that lie as a hint
    has it are framed; one that lies where a hint wants another, in red.
    """
    if solution is None:
        if not puzzle.hints:
            return draw.draw_jigsaw(puzzle, None)
        solution = _hinted(puzzle)
    board = board_of(puzzle, draw.drawable(puzzle, solution))
    _refuse_too_large(puzzle)
    loose = np.setdiff1d(np.arange(puzzle.count), board.pieces)
    laid = _laid(puzzle, board)
    if not len(loose):
        return Raster(laid)
    return Raster(draw.on_table(puzzle, [[laid], draw.not_laid(puzzle, loose, laid.shape[1])]))


def _refuse_too_large(puzzle: Gapped) -> None:
    """Gaps cost a puzzle nothing, but they are painted."""
    assert puzzle.rows is not None
    assert puzzle.cols is not None
    height, width = (cells * (puzzle.height + puzzle.gap) - puzzle.gap for cells in (puzzle.rows, puzzle.cols))
    if height * width > draw.MOST_PIXELS:
        raise BadInput(f"cannot draw this solution: a picture of {width}x{height} pixels is too large")


def _hinted(puzzle: Gapped) -> Placement:
    """The board as far as it is told."""
    assert puzzle.cols is not None
    pieces = np.full(puzzle.cells, EMPTY)
    for patch, cell in puzzle.hints:
        pieces[cell] = patch
    return Placement.from_flat(pieces, np.zeros_like(pieces), puzzle.cols)


def _laid(puzzle: Gapped, board: Board) -> NDArray[np.uint8]:
    """All cells on the ground; a hole is hatched."""
    rows, cols = board.pieces.shape
    side, step = puzzle.height, puzzle.height + puzzle.gap
    canvas = np.empty((rows * step - puzzle.gap, cols * step - puzzle.gap, 3), np.uint8)
    canvas[:] = GROUND
    framed = {cell: HINT if board.pieces.flat[cell] == patch else MISTAKE for patch, cell in puzzle.hints}
    patches = draw.on_ground(puzzle.array)
    hole = draw.hatched(np.zeros_like(patches[0]), np.ones((1, 1), np.bool_), puzzle)
    for cell, patch in enumerate(board.pieces.ravel().tolist()):
        top, left = cell // cols * step, cell % cols * step
        shown = hole if patch == EMPTY else patches[patch]
        canvas[top : top + side, left : left + side] = _framed(shown, framed[cell]) if cell in framed else shown
    return canvas


def _framed(patch: NDArray[np.uint8], colour: tuple[int, int, int]) -> NDArray[np.uint8]:
    """A line along its rim, inside, since there may be no gap outside."""
    width = max(1, round(FRAME * len(patch)))
    framed = patch.copy()
    framed[:width] = framed[-width:] = colour
    framed[:, :width] = framed[:, -width:] = colour
    return framed
