"""Slitherlink: what is refused, the checker against all loops there are, the model against the checker, the rest."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Assignment
from dovetail.grids.draw import FOUND, THIN
from dovetail.grids.engine import answers, grade
from dovetail.grids.model import holds
from dovetail.grids.puzzles.slitherlink import NO_CLUE, Making, Slitherlink, SlitherlinkKind
from dovetail.grids.puzzles.slitherlink_draw import INSIDE
from dovetail.grids.puzzles.slitherlink_making import random_region
from dovetail.picture import MISTAKE

KIND = SlitherlinkKind()
Cells = set[tuple[int, int]]


def board(*lines: str) -> Slitherlink:
    return KIND.decode({"clues": [[None if sign == "." else int(sign) for sign in line] for line in lines]})


def hang_together(cells: Cells) -> bool:
    """Whether one gets from each to each, side by side."""
    waiting, seen = [*cells][:1], set([*cells][:1])
    while waiting:
        row, col = waiting.pop()
        near = {(row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)} & cells - seen
        seen |= near
        waiting += near
    return seen == cells


def border(rows: int, cols: int, inside: Cells) -> tuple[int, ...]:
    """The lines with the inside on one side and the outside on the other, in the order of an answer."""
    across = [((row - 1, col) in inside) != ((row, col) in inside) for row in range(rows + 1) for col in range(cols)]
    upright = [((row, col - 1) in inside) != ((row, col) in inside) for row in range(rows) for col in range(cols + 1)]
    return tuple(map(int, across + upright))


def all_loops(rows: int, cols: int) -> set[tuple[int, ...]]:
    """The borders of all regions that are in one piece, leave the outside in one piece, and touch at no corner."""
    cells = [*product(range(rows), range(cols))]
    around = {*product(range(-1, rows + 1), range(-1, cols + 1))}
    found = set()
    for chosen in product((False, True), repeat=len(cells)):
        inside = {cell for cell, taken in zip(cells, chosen, strict=True) if taken}
        squares = [[(row, col), (row, col + 1), (row + 1, col), (row + 1, col + 1)] for row, col in around]
        pinched = any(
            [cell in inside for cell in square] in ([True, False, False, True], [False, True, True, False])
            for square in squares
        )
        if inside and not pinched and hang_together(inside) and hang_together(around - inside):
            found.add(border(rows, cols, inside))
    return found


@pytest.mark.parametrize(
    ("rows", "cols", "clues", "message"),
    [
        (0, 3, (), "1 to 100 rows and columns, not 0x3"),
        (2, 2, (3,) * 3, "a 2x2 board has 4 cells, but 3 clues are given"),
        (2, 2, (3, 3, 5, 3), "row 2, column 1: a clue is 0 to 4, not 5"),
        (2, 2, (3, -2, 3, 3), "row 1, column 2: a clue is 0 to 4, not -2"),
    ],
)
def test_malformed_boards_are_refused(rows: int, cols: int, clues: tuple[int, ...], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Slitherlink(rows, cols, clues)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "a slitherlink puzzle needs a list 'clues' of rows"),
        ({"clues": []}, "a slitherlink puzzle needs a list 'clues' of rows"),
        ({"clues": [[3], 2]}, "a slitherlink puzzle needs a list 'clues' of rows"),
        ({"clues": [[3, None], [2]]}, "row 2 has 1 cells, but row 1 has 2"),
        ({"clues": [[3, None], [2, 5]]}, "row 2, column 2: a clue is null or 0 to 4, not '5'"),
        ({"clues": [[3, True]]}, "row 1, column 2: a clue is null or 0 to 4, not 'True'"),
    ],
)
def test_malformed_files_are_refused_with_the_place(data: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        KIND.decode(data)
    assert message in str(caught.value)


@pytest.mark.parametrize("puzzle", [board("..", ".."), board("3.", ".3"), board("3..")])
def test_checker_and_model_accept_the_loops_that_meet_the_clues_and_nothing_else(puzzle: Slitherlink) -> None:
    loops = all_loops(puzzle.rows, puzzle.cols)
    constraints = puzzle.model().constraints
    accepted = 0
    for values in product((0, 1), repeat=KIND.variables(puzzle)):
        met = all(
            clue in (NO_CLUE, sum(values[line] for line in puzzle.around(row, col)))
            for row, col, clue in puzzle.cells()
        )
        solved = KIND.check(puzzle, Assignment(values)).solved
        assert solved == (values in loops and met), values
        assert solved == all(holds(constraint, values) for constraint in constraints), values
        accepted += bool(solved)
    assert accepted


def test_the_engine_finds_all_loops() -> None:
    puzzle = board("...", "...", "...")
    found = answers(puzzle.model(), 1000)
    assert len(found) == len(set(found)) == 213  # the number of cycles of a lattice of 4×4 points
    assert set(found) == all_loops(3, 3)
    assert all(KIND.check(puzzle, Assignment(values)).solved for values in found)


def test_says_what_is_wrong_and_where() -> None:
    puzzle = board("2.3", "...")

    def violations(inside: Cells, changed: dict[int, int | None]) -> tuple[str, ...]:
        values: list[int | None] = [*border(2, 3, inside)]
        for line, value in changed.items():
            values[line] = value
        return KIND.check(puzzle, Assignment(tuple(values))).violations

    assert violations({(0, 0), (0, 2)}, {}) == (
        "the clue 2 in row 1, column 1 has 4 lines around it",
        "the clue 3 in row 1, column 3 has 4 lines around it",
        "the lines make 2 loops, not one",
    )
    assert violations({(0, 0), (1, 0), (1, 1), (1, 2), (0, 2)}, {0: 0}) == (
        "1 line ends in the top left corner of row 1, column 1",
        "1 line ends in the top left corner of row 1, column 2",
    )
    assert violations(set(), {}) == (
        "the clue 2 in row 1, column 1 has no lines around it",
        "the clue 3 in row 1, column 3 has no lines around it",
        "there is no loop",
    )
    assert "the line below row 2, column 3 is 0 or 1, not 7" in violations(set(), {8: 7})
    assert "the line right of row 1, column 3 is 0 or 1, not 2" in violations(set(), {12: 2})
    assert "the line left of row 2, column 1 is 0 or 1, not 2" in violations(set(), {13: 2})


def test_an_illegal_value_makes_an_answer_invalid() -> None:
    puzzle = board("..")
    assert KIND.check(puzzle, Assignment((0, 0, 0, 0, 0, 0, 0))).valid
    assert not KIND.check(puzzle, Assignment((0, 0, 0, 0, 0, 0, 2))).valid


def test_a_loop_that_closed_too_early_is_wrong_while_others_are_open() -> None:
    puzzle = board("....")
    closed: list[int | None] = [1, None, None, 1, 1, None, None, None, 1, 1, None, None, None]
    assert KIND.check(puzzle, Assignment(tuple(closed))).violations == (
        "the lines make 2 pieces, not one loop",
        "8 of 13 values are still open",
    )
    fragments = [None if line in (8, 9) else value for line, value in enumerate(closed)]
    assert KIND.check(puzzle, Assignment(tuple(fragments))).violations == ("10 of 13 values are still open",)
    assert not KIND.check(puzzle, Assignment(tuple(fragments))).solved


def test_constraints_and_variables_have_names() -> None:
    model = board("2.", ".3").model()
    assert [rule.about for rule in model.constraints[:2]] == [
        "the clue 2 in row 1, column 1", "the clue 3 in row 2, column 2",
    ]  # fmt: skip
    assert model.constraints[2].about == "the top left corner of row 1, column 1"
    assert model.constraints[-2].about == "the bottom right corner of row 2, column 2"
    assert model.constraints[-1].about == "the loop"
    assert model.names[:3] == (
        "the line above row 1, column 1", "the line above row 1, column 2", "the line above row 2, column 1",
    )  # fmt: skip
    assert len(model.names) == len(model.domains) == len(set(model.names))


@pytest.mark.parametrize("size", [(3, 3), (4, 9), (10, 10)])
def test_random_regions_have_one_border(size: tuple[int, int]) -> None:
    around = {*product(range(-1, size[0] + 1), range(-1, size[1] + 1))}
    for seed in range(10):
        colours = random_region(*size, np.random.default_rng(seed))
        inside = {cell for cell, colour in colours.items() if colour == 1}
        assert set(colours.values()) == {0, 1}
        assert hang_together(inside) and hang_together(around - inside)
        blank = Slitherlink(*size, (NO_CLUE,) * (size[0] * size[1]))
        assert KIND.check(blank, Assignment(border(*size, inside))).solved


@pytest.mark.parametrize(("difficulty", "wanted"), [("easy", 0), ("medium", 1), ("hard", 2)])
def test_made_puzzles_have_one_answer_and_the_difficulty_asked_for(difficulty: str, wanted: int) -> None:
    puzzle, planted = KIND.make(Making(6, 7, difficulty), seed=1)
    assert puzzle.size == "6x7"
    assert answers(puzzle.model(), 2) == [planted.values]
    assert grade(puzzle.model()) == wanted
    for cell, clue in enumerate(puzzle.clues):
        fewer = Slitherlink(6, 7, (*puzzle.clues[:cell], NO_CLUE, *puzzle.clues[cell + 1 :]))
        assert clue == NO_CLUE or len(answers(fewer.model(), 2)) == 2 or grade(fewer.model()) > wanted, (
            "a clue too many"
        )


def test_what_cannot_be_made_is_said() -> None:
    with pytest.raises(BadUsage, match="3x3 board made a puzzle that is hard: ask for another"):
        KIND.make(Making(3, 3, "hard"), seed=1)


def test_samples_have_one_answer_and_rise_in_difficulty() -> None:
    puzzles = {name: build() for name, build in KIND.samples().items()}
    found = {name: answers(puzzle.model(), 2) for name, puzzle in puzzles.items()}
    assert {len(some) for some in found.values()} == {1}
    assert all(KIND.check(puzzles[name], Assignment(some[0])).solved for name, some in found.items())
    grades = [grade(puzzle.model()) for puzzle in puzzles.values()]
    assert grades == sorted(grades) and len(set(grades)) > 1


def test_pictures_show_the_loop_its_inside_and_mistakes() -> None:
    puzzle = board("..2", ".1.")
    values = border(2, 3, {*product(range(2), range(3))})
    empty = KIND.draw(puzzle).svg().decode()
    assert FOUND not in empty and MISTAKE not in empty and ">1</text>" in empty
    solved = KIND.draw(puzzle, Assignment(values)).svg().decode()
    assert solved.count(FOUND) == sum(values) and solved.count(INSIDE) == 6
    assert MISTAKE not in solved and THIN not in solved
    wrong = KIND.draw(puzzle, Assignment((0, *values[1:]))).svg().decode()
    assert MISTAKE in wrong and INSIDE not in wrong
    some = Assignment((None, *values[1:]))
    unfinished = KIND.draw_marked(puzzle, some, {0: "#FFE08A"}).svg().decode()
    assert unfinished.count(FOUND) == sum(values[1:])
    assert unfinished.count(THIN) == 2 * values.count(0), "a cross for every line that is not there"
    assert "#FFE08A" in unfinished and MISTAKE not in unfinished


def test_a_clue_without_any_line_turns_red() -> None:
    puzzle = board("2..", "...")
    values = border(2, 3, {(0, 2)})
    assert KIND.draw(puzzle, Assignment(values)).svg().decode().count(MISTAKE) == 1
