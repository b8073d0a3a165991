"""Sudoku: what is refused, the checker against the rules, the model against the checker, generator, pictures."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Assignment
from dovetail.grids.engine import answers, grade
from dovetail.grids.making import DIFFICULTIES
from dovetail.grids.model import holds
from dovetail.grids.puzzles.sudoku import VARIANTS, Cage, Making, Sudoku, SudokuKind, boxes
from dovetail.picture import MISTAKE

KIND = SudokuKind()
EMPTY = Sudoku(4, (0,) * 16, boxes(2, 2))
SNAKE = (0, 0, 1, 0, 1, 1, 2, 2, 2)  # three regions of three cells
TINY = [
    Sudoku(2, (0, 0, 0, 0), boxes(1, 2)),
    Sudoku(2, (1, 0, 0, 0), boxes(2, 1)),
    Sudoku(2, (0, 0, 0, 0), boxes(1, 2), diagonals=True),
    Sudoku(2, (0, 0, 0, 0), boxes(1, 2), cages=(Cage(3, (0, 2)), Cage(1, (3,)))),
    Sudoku(3, (0,) * 9, SNAKE),
    Sudoku(3, (0, 0, 0, 0, 2, 0, 0, 0, 0), SNAKE),
    Sudoku(3, (0,) * 9, boxes(1, 3), cages=(Cage(4, (0, 1)), Cage(6, (4, 5, 8)))),
    Sudoku(3, (0,) * 9, boxes(3, 1), diagonals=True),
]


def boards(n: int) -> Iterator[tuple[int, ...]]:
    """All of 2×2 cells; of 3×3 those with a permutation in every row, and some others."""
    if n == 2:
        yield from itertools.product((1, 2), repeat=4)
        return
    for rows in itertools.product(itertools.permutations((1, 2, 3)), repeat=3):
        yield tuple(itertools.chain(*rows))
    rng = random.Random(3)
    for _ in range(300):
        yield tuple(rng.choices((1, 2, 3), k=9))


def is_right(puzzle: Sudoku, values: tuple[int, ...]) -> bool:
    """Said in another way: no two cells that must differ are equal."""
    n = puzzle.n

    def related(a: int, b: int) -> bool:
        (row, col), (other_row, other_col) = divmod(a, n), divmod(b, n)
        both_falling = row == col and other_row == other_col
        both_rising = row + col == other_row + other_col == n - 1
        return (
            row == other_row
            or col == other_col
            or puzzle.regions[a] == puzzle.regions[b]
            or (puzzle.diagonals and (both_falling or both_rising))
            or any({a, b} <= {*cage.cells} for cage in puzzle.cages)
        )

    return (
        all(given in (0, value) for given, value in zip(puzzle.givens, values, strict=True))
        and not any(related(a, b) and values[a] == values[b] for a, b in itertools.combinations(range(n * n), 2))
        and all(sum(values[cell] for cell in cage.cells) == cage.total for cage in puzzle.cages)
    )


@pytest.mark.parametrize("puzzle", TINY)
def test_checker_and_model_agree_with_the_rules(puzzle: Sudoku) -> None:
    model = puzzle.model()
    right = set()
    for values in boards(puzzle.n):
        solved = KIND.check(puzzle, Assignment(values)).solved
        assert solved == is_right(puzzle, values)
        in_domains = all(value in domain for value, domain in zip(values, model.domains, strict=True))
        assert solved == (in_domains and all(holds(constraint, values) for constraint in model.constraints))
        if solved:
            right.add(values)
    assert {*answers(model, 1000)} == right


def test_some_tiny_puzzles_have_answers_and_some_have_none() -> None:
    assert {bool(answers(puzzle.model(), 1)) for puzzle in TINY} == {True, False}


def test_puzzles_of_one_shape_share_their_constraints() -> None:
    one, other = replace(EMPTY, givens=(1, *(0,) * 15)), replace(EMPTY, givens=(0, 2, *(0,) * 14))
    assert one.model().constraints is other.model().constraints
    assert one.model().domains != other.model().domains


def test_names_of_constraints() -> None:
    abouts = {c.about for c in replace(EMPTY, diagonals=True, cages=(Cage(5, (1, 2)),)).model().constraints}
    assert {
        "row 3",
        "column 4",
        "the box at row 3, column 1",
        "the cage 5 at row 1, column 2",
        "the diagonal from the top right",
    } <= abouts
    assert "the region at row 1, column 3" in {c.about for c in TINY[4].model().constraints}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((1, (0,), (0,)), "2 to 25 rows"),
        ((4, (0,) * 15, boxes(2, 2)), "16 cells, but 15 givens"),
        ((4, (0,) * 16, (0,) * 15), "16 cells, but 15 regions"),
        ((4, (0,) * 16, (0,) * 5 + (1,) * 3 + (2,) * 4 + (3,) * 4), "the region at row 1, column 1 has 5 cells"),
        ((4, (0,) * 6 + (5,) + (0,) * 9, boxes(2, 2)), "row 2, column 3: 5 is no number from 1 to 4"),
        ((4, (1, 0, 0, 1) + (0,) * 12, boxes(2, 2)), "row 1 has the number 1 at row 1, column 1 and row 1, column 4"),
        ((4, (2, 0, 0, 0, 0, 2) + (0,) * 10, boxes(2, 2)), "the box at row 1, column 1 has the number 2"),
        ((4, (2,) + (0,) * 14 + (2,), boxes(2, 2), True), "the diagonal from the top left has the number 2"),
        ((4, (0,) * 16, boxes(2, 2), False, (Cage(5, (0, 3)),)), "not connected: row 1, column 4 lies apart"),
        ((4, (0,) * 16, boxes(2, 2), False, (Cage(5, (3, 4)),)), "not connected: row 2, column 1 lies apart"),
        ((4, (0,) * 16, boxes(2, 2), False, (Cage(5, (0, 1)), Cage(6, (1, 2)))), "row 1, column 2 is in two cages"),
        ((4, (0,) * 16, boxes(2, 2), False, (Cage(8, (0, 1)),)), "at row 1, column 1 has 2 cells, .* 7 at most"),
        ((4, (0,) * 16, boxes(2, 2), False, (Cage(5, (15, 16)),)), "the cell 16, which is not on the board"),
        ((4, (0,) * 16, boxes(2, 2), False, (Cage(5, ()),)), "sum 5 has no cells"),
        ((4, (0,) * 16, boxes(2, 2), False, (Cage(15, (0, 1, 2, 3, 4)),)), "only 4 different numbers"),
    ],
)
def test_malformed_puzzles_are_refused_with_the_place(arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Sudoku(*arguments)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": "4"}, "'n'"),
        ({"n": 26}, "from 2 to 25"),
        ({"givens": [[0] * 4] * 3}, "'givens' has 3 rows"),
        ({"givens": [[0] * 4, [0] * 3, [0] * 4, [0] * 4]}, "row 2 of 'givens' has 3 cells"),
        ({"givens": [[0] * 4, [0] * 4, [0, 0, "1", 0], [0] * 4]}, "row 3, column 3 of 'givens'"),
        ({"givens": None}, "needs 'givens'"),
        ({"box": [2, 3]}, "2x3 cells do not fit a 4x4"),
        ({"box": 2}, "'box'"),
        ({"diagonals": 1}, "'diagonals'"),
        ({"cages": [5]}, "cage 1 is not an object"),
        ({"cages": {}}, "'cages'"),
        ({"cages": [{"total": 5, "cells": [0, 1]}, {"total": "5", "cells": [2]}]}, "cage 2 needs a whole number"),
        ({"cages": [{"total": 5, "cells": [0, None]}]}, "cage 1 needs a list 'cells'"),
    ],
)
def test_malformed_json_is_refused_with_the_place(change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        KIND.decode({**EMPTY.encode(), **change})


@pytest.mark.parametrize("puzzle", [*TINY, *(build() for build in KIND.samples().values())])
def test_survives_json(puzzle: Sudoku) -> None:
    assert KIND.decode(puzzle.encode()) == puzzle


def test_boxes_are_recognised() -> None:
    assert boxes(2, 3)[:12] == (0, 0, 0, 1, 1, 1) * 2
    assert Sudoku(6, (0,) * 36, boxes(2, 3)).box == (2, 3)
    assert Sudoku(6, (0,) * 36, boxes(3, 2)).box == (3, 2)
    assert TINY[4].box is None


def test_regions_are_named_by_their_cells_alone() -> None:
    assert Sudoku(3, (0,) * 9, tuple(7 - region for region in SNAKE)) == TINY[4]


def test_violations_in_words() -> None:
    puzzle = replace(EMPTY, givens=(1, *(0,) * 15), cages=(Cage(5, (1, 2)),))
    verdict = KIND.check(puzzle, Assignment((2, 1, 3, 3, *(None,) * 11, 9)))
    assert not verdict.valid
    assert verdict.violations == (
        "row 1, column 1 is given as 1, not 2",
        "row 4, column 4 holds 9, which is no number from 1 to 4",
        "row 1 has two 3s",
        "the cage 5 at row 1, column 2 adds up to 4",
        "11 of 16 values are still open",
    )


@pytest.mark.parametrize("name", [*KIND.samples()])
def test_samples_have_one_answer(name: str) -> None:
    puzzle = KIND.samples()[name]()
    assert isinstance(puzzle, Sudoku)
    (answer,) = answers(puzzle.model(), 2)
    assert KIND.check(puzzle, Assignment(answer)).passes


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("difficulty", ["easy", "medium"])
def test_generator_makes_what_was_asked_for(variant: str, difficulty: str) -> None:
    n = 9 if difficulty == "medium" and variant != "killer" else 6
    puzzle, answer = KIND.make(Making(n=n, variant=variant, difficulty=difficulty), 3)
    assert answers(puzzle.model(), 2) == [answer.values]
    assert grade(puzzle.model()) == DIFFICULTIES.index(difficulty)
    assert KIND.check(puzzle, answer).passes
    assert puzzle.diagonals == (variant == "x")
    assert (puzzle.box is None) == (variant == "jigsaw")
    assert bool(puzzle.cages) == (variant == "killer")
    assert any(puzzle.givens) != bool(puzzle.cages)


def test_generator_refuses_what_there_is_not() -> None:
    with pytest.raises(BadUsage, match="variant=jigsaw"):
        KIND.make(Making(n=7), 1)
    with pytest.raises(BadUsage, match="no hard 4x4 sudoku"):
        KIND.make(Making(n=4, difficulty="hard"), 1)


def reds(puzzle: Sudoku, values: tuple[int | None, ...]) -> int:
    return KIND.draw(puzzle, Assignment(values)).svg().decode().count(f'fill="{MISTAKE}"')


def test_mistakes_are_red_and_only_they() -> None:
    answer = (1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1)
    assert KIND.check(EMPTY, Assignment(answer)).passes
    assert reds(EMPTY, answer) == 0
    assert reds(EMPTY, (2, *answer[1:])) == 3, "itself, and a 2 in its row and in its column"
    assert reds(EMPTY, (2, 2, *(None,) * 14)) == 2, "even if the row is not full"
    assert reds(replace(EMPTY, givens=(3, *(0,) * 15)), (1, *(None,) * 15)) == 1
    caged = replace(EMPTY, cages=(Cage(4, (0, 1)),))
    assert reds(caged, answer) == 2
    assert reds(replace(EMPTY, cages=(Cage(3, (0, 1)),)), answer) == 0


def test_marks_and_outlines_are_drawn() -> None:
    bare = KIND.draw(EMPTY).svg()
    assert b"#123456" in KIND.draw_marked(EMPTY, None, {5: "#123456"}).svg()
    for other in (replace(EMPTY, diagonals=True), replace(EMPTY, cages=(Cage(7, (0, 1, 4)),))):
        assert KIND.draw(other).svg() != bare
    assert b">7<" in KIND.draw(replace(EMPTY, cages=(Cage(7, (0, 1, 4)),))).svg()
