"""Light-up: what is refused, the checker against walking rays, the model against the checker, generator, pictures."""

import random
from itertools import product
from typing import Any

import pytest

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Assignment
from dovetail.core.settings import fill
from dovetail.grids.engine import answers, grade
from dovetail.grids.model import holds
from dovetail.grids.puzzles.lightup import PLAIN, WHITE, Lightup, LightupKind, Making
from dovetail.grids.puzzles.lightup_draw import UNMET
from dovetail.picture import MISTAKE

KIND = LightupKind()


def board(*lines: str) -> Lightup:
    return KIND.decode({"board": [*lines]})


@pytest.mark.parametrize(
    ("rows", "cols", "cells", "message"),
    [
        (0, 3, (), "1 to 100 rows and columns, not 0x3"),
        (2, 2, (WHITE,) * 3, "a 2x2 board has 4 cells, but 3 are given"),
        (2, 2, (WHITE, 0, 6, WHITE), "row 2, column 1: a black cell has a number from 0 to 4 or none, not 6"),
        (1, 2, (PLAIN, 0), "at least one white cell"),
    ],
)
def test_malformed_boards_are_refused(rows: int, cols: int, cells: tuple[int, ...], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Lightup(rows, cols, cells)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "needs a list 'board' of texts"),
        ({"board": []}, "needs a list 'board' of texts"),
        ({"board": ["..", 3]}, "needs a list 'board' of texts"),
        ({"board": ["...", ".."]}, "row 2 has 2 cells, but row 1 has 3"),
        ({"board": ["...", ".7."]}, "row 2, column 2: a cell is '.', '#' or a number from 0 to 4, not '7'"),
    ],
)
def test_malformed_files_are_refused_with_the_place(data: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        KIND.decode(data)
    assert message in str(caught.value)


def solved_by_walking(puzzle: Lightup, values: tuple[int, ...]) -> bool:
    """The rules by rays: every bulb lights cell after cell in four directions and must meet no other bulb."""
    bulbs = {divmod(index, puzzle.cols) for index, value in zip(puzzle.white, values, strict=True) if value}
    white = {divmod(index, puzzle.cols) for index in puzzle.white}
    lit = set(bulbs)
    for row, col in bulbs:
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            at = (row + down, col + right)
            while at in white:
                if at in bulbs:
                    return False
                lit.add(at)
                at = (at[0] + down, at[1] + right)
    for index, clue in enumerate(puzzle.cells):
        row, col = divmod(index, puzzle.cols)
        beside = {(row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)}
        if clue in range(5) and len(beside & bulbs) != clue:
            return False
    return lit == white


def test_checker_and_model_agree_with_walking_on_every_answer() -> None:
    rng, solved = random.Random(9), 0
    for rows, cols in ((1, 1), (1, 5), (2, 4), (3, 3), (4, 2)) * 4:
        cells = tuple(rng.choice((WHITE, WHITE, WHITE, PLAIN, 0, 1, 2)) for _ in range(rows * cols - 1))
        puzzle = Lightup(rows, cols, (*cells, WHITE))
        constraints = puzzle.model().constraints
        for values in product((0, 1), repeat=len(puzzle.white)):
            expected = solved_by_walking(puzzle, values)
            assert KIND.check(puzzle, Assignment(values)).solved is expected
            assert all(holds(constraint, values) for constraint in constraints) is expected
            solved += expected
    assert solved > 10


def test_a_clue_among_black_cells_cannot_be_met() -> None:
    puzzle = board(".#.", "#1#", ".#.")
    assert answers(puzzle.model()) == []
    verdict = KIND.check(puzzle, Assignment((1, 1, 1, 1)))
    assert verdict.valid and not verdict.solved
    assert verdict.violations == ("the clue 1 in row 2, column 2 has 0 bulbs beside it",)
    assert len(answers(board(".#.", "#0#", ".#.").model())) == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((1, 1, 0, 1), "the bulbs in row 1, column 1 and in row 1, column 2 light each other"),
        ((0, 0, 0, 1), "row 1, column 1 is not lit"),
        ((1, 0, 0, 0), "the clue 1 in row 2, column 2 has 0 bulbs beside it"),
        ((2, 0, 0, 1), "row 1, column 1: a white cell has 1 bulb or 0, not 2"),
        ((None, 0, 0, 1), "1 of 4 values are still open"),
    ],
)
def test_verdicts_name_the_place(values: tuple[int | None, ...], message: str) -> None:
    assert KIND.check(board("..#", ".1."), Assignment((1, 0, 0, 1))).passes
    verdict = KIND.check(board("..#", ".1."), Assignment(values))
    assert not verdict.passes
    assert message in verdict.violations
    assert verdict.valid is (2 not in values)


def test_an_open_cell_is_no_fault_yet() -> None:
    verdict = KIND.check(board("...."), Assignment((0, 0, None, 0)))
    assert verdict.valid
    assert verdict.violations == ("1 of 4 values are still open",)


def test_constraints_say_what_they_are_about() -> None:
    about = [constraint.about for constraint in board(".2", "..").model().constraints]
    assert "the light in row 2, column 1" in about
    assert "the stretch from row 2, column 1 to row 2, column 2" in about
    assert "the clue 2 in row 1, column 2" in about


@pytest.mark.parametrize("name", KIND.samples())
def test_samples_have_one_answer(name: str) -> None:
    puzzle = KIND.samples()[name]()
    assert isinstance(puzzle, Lightup)
    (answer,) = answers(puzzle.model(), 2)
    assert KIND.check(puzzle, Assignment(answer)).passes
    assert KIND.decode(puzzle.encode()) == puzzle


@pytest.mark.parametrize("difficulty", ["easy", "medium"])
@pytest.mark.parametrize("symmetric", [True, False])
def test_made_boards_are_unique_and_as_asked(difficulty: str, symmetric: bool) -> None:
    settings = Making(width=7, height=6, difficulty=difficulty, symmetric=symmetric)
    puzzle, answer = KIND.make(settings, seed=3)
    assert (puzzle.rows, puzzle.cols) == (6, 7)
    assert answers(puzzle.model(), 2) == [answer.values]
    assert KIND.check(puzzle, answer).passes
    assert grade(puzzle.model()) == ("easy", "medium").index(difficulty)
    black = [found != WHITE for found in puzzle.cells]
    assert sum(black) >= 0.2 * len(black)
    assert (black == black[::-1]) is symmetric


def test_a_difficulty_that_light_up_does_not_have() -> None:
    with pytest.raises(BadUsage, match="difficulty is one of easy, medium, not 'hard'"):
        fill(Making, {"difficulty": "hard"})


def test_pictures_show_mistakes() -> None:
    puzzle = board("..#", ".1.")
    for values, wrong in (
        (None, False),
        ((1, 0, 0, 1), False),
        ((1, 1, 0, 1), True),
        ((0, 0, 0, 1), True),
        ((7, 0, 0, 1), True),
    ):
        drawn = KIND.draw(puzzle, None if values is None else Assignment(values))
        assert (MISTAKE in drawn.svg().decode()) is wrong, values
        assert drawn.png()
    assert UNMET in KIND.draw(puzzle, Assignment((0, 1, 0, 1))).svg().decode(), "the number"


def test_pictures_show_marks() -> None:
    drawn = KIND.draw_marked(board("..#", ".1."), None, {2: "#ABCDEF"}).svg().decode()
    assert drawn.count("#ABCDEF") == 1
