"""Where pieces lie in the picture of an answer: there the very piece is seen."""

from typing import Any

import numpy as np
import pytest

import dovetail
from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.puzzle import EMPTY, Placement
from dovetail.jigsaw.draw import Raster


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        ("jigsaw", {"image": "chelsea", "piece": "75x100"}),
        ("jigsaw", {"image": "chelsea", "piece": "75", "missing": "0.3"}),
        ("jigsaw", {"image": "chelsea", "piece": "75", "frame": "false"}),
        ("gapped", {"image": "chelsea"}),
    ],
)
@pytest.mark.parametrize("left_out", [False, True])
def test_a_cell_shows_its_piece(kind: str, made: dict[str, str], left_out: bool) -> None:
    puzzle, truth = pipeline.make(kind, 0, made)
    assert isinstance(truth, Placement)
    if left_out:  # the first piece is not laid: it lies below the board
        laid = [[EMPTY if piece == 0 else piece for piece in row] for row in truth.pieces]
        truth = Placement(tuple(map(tuple, laid)), truth.turns)
    cells = registry.kind(kind).cells(puzzle, truth)
    drawing: Any = dovetail.draw(puzzle, truth)
    assert cells is not None and isinstance(drawing, Raster)
    pieces: Any = puzzle
    for row, line in enumerate(truth.pieces):
        for col, piece in enumerate(line):
            top = cells.top + (row - cells.first_row) * cells.step_y
            left = cells.left + (col - cells.first_col) * cells.step_x
            shown = drawing.pixels[top : top + cells.height, left : left + cells.width]
            if piece != EMPTY:
                assert np.array_equal(shown, pieces.faces[piece, 0])


def test_what_is_no_single_board_has_no_cells() -> None:
    puzzle = dovetail.read("jigsaw-bag")
    truth = Placement(((*range(2),),), ((0, 0),))
    assert registry.kind("jigsaw").cells(puzzle, truth) is None
    sudoku = dovetail.read("sudoku-9x9")
    assert registry.kind("sudoku").cells(sudoku, truth) is None
