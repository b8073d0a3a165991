"""Kakuro: what is refused, what its checker and its model say of every filling of small boards, what is made."""

from itertools import product

import pytest

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Assignment
from dovetail.grids.engine import answers, grade
from dovetail.grids.model import holds
from dovetail.grids.puzzles.kakuro import Clue, Kakuro, KakuroKind, Making
from dovetail.picture import MISTAKE

KIND = KakuroKind()
B: Clue = (0, 0)
W: Clue | None = None
# 4 and 6 down, 3 and 7 across: 1 2 / 3 4
SQUARE = Kakuro(3, 3, (B, (4, 0), (6, 0), (0, 3), W, W, (0, 7), W, W))


@pytest.mark.parametrize(
    ("rows", "cols", "cells", "message"),
    [
        (0, 3, (), "1 to 100 rows and columns, not 0x3"),
        (2, 2, (B, B, B), "a 2x2 board has 4 cells, not 3"),
        (1, 2, (B, B), "needs a white cell"),
        (1, 3, ((0, 18), W, W), r"sum 18 across in row 1, column 1 is out of range: 3 to 17 for a run of 2"),
        (1, 3, ((0, 2), W, W), r"sum 2 across in row 1, column 1 is out of range"),
        (1, 3, ((0, -1), W, W), r"sum -1 across in row 1, column 1 is out of range"),
        (2, 1, ((10, 0), W), r"sum 10 down in row 1, column 1 is out of range: 1 to 9 for a run of 1"),
        (2, 2, (B, (7, 0), (0, 3), B), "needs a white cell"),
        (1, 3, (W, (0, 5), B), r"sum 5 across in row 1, column 2 has no white cells to add up"),
        (2, 2, ((3, 0), W, W, (5, 0)), r"sum 5 down in row 2, column 2 has no white cells to add up"),
        (1, 11, (B, *(W,) * 10), "the run across from row 1, column 2 has 10 cells, and a run has at most 9"),
        (10, 1, (W,) * 10, "the run down from row 1, column 1 has 10 cells"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(
    rows: int, cols: int, cells: tuple[Clue | None, ...], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        Kakuro(rows, cols, cells)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (None, "needs a list 'cells' of rows"),
        ([], "needs a list 'cells' of rows"),
        ([[None], 3], "needs a list 'cells' of rows"),
        ([[[0, 0], [3, 0]], [None]], "row 2 is of length 1, but row 1 of length 2"),
        ([[[0, 0], [3, 0, 1]], [None, None]], "row 1, column 2: a cell is null"),
        ([[[0, 0], [3, 0]], [True, None]], "row 2, column 1: a cell is null"),
        ([[[0, 0], [-3, 0]], [None, None]], "row 1, column 2: a cell is null"),
    ],
)
def test_bad_json_is_refused_with_its_place(cells: object, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        KIND.decode({"cells": cells})


def correct(puzzle: Kakuro, values: tuple[int, ...]) -> bool:
    """The rules once more, written down row by row and column by column."""
    digits = dict(zip(puzzle.white, values, strict=True))
    across = [[(r * puzzle.cols + c) for c in range(puzzle.cols)] for r in range(puzzle.rows)]
    down = [[(r * puzzle.cols + c) for r in range(puzzle.rows)] for c in range(puzzle.cols)]
    for lines, which in ((down, 0), (across, 1)):
        for line in lines:
            wanted, run = 0, list[int]()
            for cell in (*line, None):
                clue = B if cell is None else puzzle.cells[cell]
                if clue is None and cell is not None:
                    run.append(digits[cell])
                    continue
                if len({*run}) < len(run) or (wanted and sum(run) != wanted):
                    return False
                wanted, run = clue[which] if clue else 0, []
    return True


@pytest.mark.parametrize(
    "puzzle",
    [
        SQUARE,
        # a run without a sum, runs that begin at the rim, runs of a single cell, a sum of one cell
        Kakuro(2, 3, (W, W, (4, 0), (0, 7), W, W)),
        Kakuro(3, 3, (B, (4, 0), B, (0, 3), W, W, B, W, W)),
    ],
)
def test_checker_and_model_agree_with_the_rules_on_every_filling(puzzle: Kakuro) -> None:
    constraints = puzzle.model().constraints
    found = 0
    for values in product(range(1, 10), repeat=len(puzzle.white)):
        right = correct(puzzle, values)
        found += right
        assert KIND.check(puzzle, Assignment(values)).solved == right, values
        assert all(holds(constraint, values) for constraint in constraints) == right, values
    assert found == len(answers(puzzle.model(), 1000)) > 0


def test_verdict_names_what_is_wrong() -> None:
    verdict = KIND.check(SQUARE, Assignment((2, 2, 3, 4)))
    assert verdict.valid and not verdict.solved
    assert verdict.violations == (
        "the run down from row 2, column 2 adds up to 5, not to 4",
        "the run across from row 2, column 2 has more than one 2",
        "the run across from row 2, column 2 adds up to 4, not to 3",
    )
    assert not KIND.check(SQUARE, Assignment((10, 2, 3, 4))).valid
    assert "row 2, column 2 holds 0" in KIND.check(SQUARE, Assignment((0, 3, 3, 4))).violations[0]


def test_open_cells_are_no_fault_but_no_solution() -> None:
    verdict = KIND.check(SQUARE, Assignment((1, None, None, 4)))
    assert verdict.valid and not verdict.solved
    assert verdict.violations == ("2 of 4 values are still open",)
    twice = KIND.check(Kakuro(1, 4, ((0, 6), W, W, W)), Assignment((2, 2, None)))
    assert twice.violations[0] == "the run across from row 1, column 2 has more than one 2"


@pytest.mark.parametrize("name", KIND.samples())
def test_samples_have_one_answer(name: str) -> None:
    puzzle = KIND.samples()[name]()
    assert isinstance(puzzle, Kakuro)
    (answer,) = answers(puzzle.model())
    assert KIND.check(puzzle, Assignment(answer)).solved
    assert KIND.decode(puzzle.encode()) == puzzle


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        (Making(), 0),
        (Making(rows=5, cols=9), 0),
        (Making(rows=6, cols=6, difficulty="medium"), 1),
        (Making(rows=6, cols=7, blank=True), 0),
    ],
)
def test_made_puzzles_have_one_answer_and_the_grade_asked_for(settings: Making, wanted: int) -> None:
    puzzle, answer = KIND.make(settings, seed=3)
    assert (puzzle.rows, puzzle.cols) == (settings.rows, settings.cols)
    assert answers(puzzle.model()) == [answer.values]
    assert grade(puzzle.model()) == wanted
    assert KIND.check(puzzle, answer).solved
    assert settings.blank == any(run.total == 0 for run in puzzle.runs)


def test_made_boards_look_as_they_should() -> None:
    """No run of a single cell; turned by half, the black cells inside are the same."""
    for seed in range(3):
        puzzle, _ = KIND.make(Making(rows=9, cols=7), seed)
        assert all(2 <= len(run.variables) <= 9 for run in puzzle.runs)
        inner = [puzzle.cells[r * 7 + c] is None for r in range(1, 9) for c in range(1, 7)]
        assert inner == inner[::-1]
        assert 0 < inner.count(False) < len(inner) / 2


def test_sums_left_out_are_those_that_are_not_needed() -> None:
    puzzle, _ = KIND.make(Making(rows=5, cols=6, blank=True), seed=1)
    for cell, clue in enumerate(puzzle.cells):
        for fewer in [(0, clue[1]), (clue[0], 0)] if clue else []:
            if fewer != clue:
                without = Kakuro(5, 6, (*puzzle.cells[:cell], fewer, *puzzle.cells[cell + 1 :]))
                assert grade(without.model()) > 0


def test_what_cannot_be_made_is_said() -> None:
    with pytest.raises(BadUsage, match="no medium 4x4 kakuro was found in 20 tries"):
        KIND.make(Making(rows=4, cols=4, difficulty="medium"), seed=1)


def test_picture_shows_sums_digits_mistakes_and_marks() -> None:
    empty = KIND.draw(SQUARE).svg().decode()
    assert empty.count("<text") == 4 and MISTAKE not in empty
    solved = KIND.draw(SQUARE, Assignment((1, 2, 3, 4))).svg().decode()
    assert solved.count("<text") == 8 and MISTAKE not in solved
    wrong = KIND.draw(SQUARE, Assignment((2, 2, 3, 4))).svg().decode()
    assert wrong.count(f'fill="{MISTAKE}"') == 3
    assert "#ABCDEF" in KIND.draw_marked(SQUARE, None, {2: "#ABCDEF"}).svg().decode()
