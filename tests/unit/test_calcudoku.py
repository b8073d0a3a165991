"""Calcudoku: what is refused, what its checker and its model say of every filling of small squares, what is made."""

from itertools import product

import pytest

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Assignment
from dovetail.grids.engine import answers, grade
from dovetail.grids.model import holds
from dovetail.grids.puzzles.calcudoku import Cage, Calcudoku, CalcudokuKind, Making
from dovetail.picture import MISTAKE

KIND = CalcudokuKind()
SINGLES = tuple(Cage("=", value, (cell,)) for cell, value in enumerate((1, 2, 3, 2, 3, 1, 3, 1, 2)))
# 1 2 3 / 2 3 1 / 3 1 2, with every operation
ALL = Calcudoku(
    3, (Cage("/", 2, (0, 3)), Cage("+", 8, (1, 2, 4)), Cage("-", 1, (5, 8)), Cage("=", 3, (6,)), Cage("=", 1, (7,)))
)
PRODUCTS = Calcudoku(3, (Cage("*", 12, (0, 1, 3, 4)), Cage("*", 3, (2, 5)), Cage("+", 6, (6, 7, 8))))


@pytest.mark.parametrize(
    ("n", "cages", "message"),
    [
        (1, (Cage("=", 1, (0,)),), "2 to 9 rows and columns, not 1"),
        (10, (), "2 to 9 rows and columns, not 10"),
        (3, SINGLES[:-1], "row 3, column 3 is in no cage"),
        (3, (*SINGLES, Cage("=", 2, (4,))), "row 2, column 2 is in two cages: 3 and 2"),
        (3, (*SINGLES[2:], Cage("+", 3, ())), "a cage with the target 3 has no cells"),
        (3, (*SINGLES[:-1], Cage("=", 2, (9,))), "a cage has the cell 9; the cells of a 3x3 board are 0 to 8"),
        (3, (*SINGLES[1:], Cage("=", 2, (-1,))), "a cage has the cell -1"),
        (3, (*SINGLES[2:], Cage("+", 3, (0, 1, 1))), "the cage at row 1, column 1 names a cell twice"),
        (3, (Cage("+", 4, (0, 2)), SINGLES[1], *SINGLES[3:]), "not connected: row 1, column 3 lies apart"),
        (3, (Cage("+", 4, (2, 3)), *SINGLES[:2], *SINGLES[4:]), "not connected: row 2, column 1 lies apart"),
        (4, (Cage("+", 30, tuple(range(13))),), "has 13 cells; a cage has at most 12"),
        (3, (Cage("^", 1, (0,)), *SINGLES[1:]), r"the cage at row 1, column 1 has the operation '\^'"),
        (3, (Cage("", 1, (0,)), *SINGLES[1:]), "the cage at row 1, column 1 has the operation ''"),
        (3, (Cage("+", 1, (0,)), *SINGLES[1:]), "is of size 1 and has the operation '[+]'; '=' is for one cell alone"),
        (3, (Cage("=", 1, (0, 1)), *SINGLES[2:]), "is of size 2 and has the operation '='; '=' is for one cell alone"),
        (3, (Cage("-", 1, (0, 1, 2)), *SINGLES[3:]), "has 3 cells; the operation '-' takes two"),
        (3, (Cage("/", 2, (0, 1, 2)), *SINGLES[3:]), "has 3 cells; the operation '/' takes two"),
        (3, (Cage("=", 4, (0,)), *SINGLES[1:]), "has the clue 4, which is out of range: 1 to 3"),
        (3, (Cage("+", 7, (0, 1)), *SINGLES[2:]), "has the clue 7[+], which is out of range: 2 to 6"),
        (3, (Cage("*", 10, (0, 1)), *SINGLES[2:]), "has the clue 10x, which is out of range: 1 to 9"),
        (3, (Cage("-", 0, (0, 1)), *SINGLES[2:]), "has the clue 0-, which is out of range: 1 to 2"),
        (3, (Cage("/", 1, (0, 1)), *SINGLES[2:]), "has the clue 1/, which is out of range: 2 to 3"),
        (3, (Cage("=", 2, (0,)), *SINGLES[1:]), "row 1 is given two 2s, at row 1, column 1 and row 1, column 2"),
        (
            3,
            (*SINGLES[:6], Cage("=", 1, (6,)), Cage("+", 3, (7, 8))),
            "column 1 is given two 1s, at row 1, column 1 and row 3, column 1",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(n: int, cages: tuple[Cage, ...], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Calcudoku(n, cages)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"cages": []}, "needs a whole number 'n' and a list 'cages'"),
        ({"n": True, "cages": []}, "needs a whole number 'n' and a list 'cages'"),
        ({"n": 3, "cages": {}}, "needs a whole number 'n' and a list 'cages'"),
        ({"n": 3, "cages": [[]]}, "cage 1 is not an object"),
        ({"n": 3, "cages": [{"target": 1, "cells": [0]}]}, "cage 1 needs a text 'operation'"),
        ({"n": 3, "cages": [{"operation": "=", "target": "1", "cells": [0]}]}, "cage 1 needs a whole number 'target'"),
        ({"n": 3, "cages": [{"operation": "=", "target": 1, "cells": [0.5]}]}, "cage 1 needs a list 'cells'"),
    ],
)
def test_bad_json_is_refused_with_its_place(data: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        KIND.decode(data)


def test_the_order_of_cages_and_cells_does_not_matter() -> None:
    turned = Calcudoku(3, tuple(Cage(c.operation, c.target, c.cells[::-1]) for c in reversed(ALL.cages)))
    assert turned == ALL and turned.digest == ALL.digest


def correct(puzzle: Calcudoku, values: tuple[int, ...]) -> bool:
    """The rules once more, in other words."""
    n, numbers = puzzle.n, {*range(1, puzzle.n + 1)}
    rows = [values[r * n : r * n + n] for r in range(n)]
    if not all({*line} == numbers for line in (*rows, *zip(*rows, strict=True))):
        return False
    for cage in puzzle.cages:
        held = sorted((values[cell] for cell in cage.cells), reverse=True)
        result = float(held[0])
        for value in held[1:]:
            match cage.operation:
                case "+":
                    result += value
                case "-":
                    result -= value
                case "*":
                    result *= value
                case "/":
                    result /= value
        if result != cage.target:
            return False
    return True


@pytest.mark.parametrize("puzzle", [ALL, PRODUCTS, Calcudoku(2, (Cage("*", 4, (0, 1, 2, 3)),))])
def test_checker_and_model_agree_with_the_rules_on_every_filling(puzzle: Calcudoku) -> None:
    model = puzzle.model()
    found = 0
    for values in product(range(1, puzzle.n + 1), repeat=puzzle.n**2):
        right = correct(puzzle, values)
        found += right
        assert KIND.check(puzzle, Assignment(values)).solved == right, values
        in_domains = all(value in domain for value, domain in zip(values, model.domains, strict=True))
        assert (in_domains and all(holds(c, values) for c in model.constraints)) == right, values
    assert found == len(answers(model, 1000)) > 0


def test_verdict_names_what_is_wrong() -> None:
    verdict = KIND.check(ALL, Assignment((1, 2, 3, 2, 3, 1, 3, 1, 3)))
    assert verdict.valid and not verdict.solved
    assert verdict.violations == (
        "row 3 has more than one 3",
        "column 3 has more than one 3",
        "the cage 1- at row 2, column 3 holds 1, 3",
    )
    changed = KIND.check(ALL, Assignment((1, 2, 3, 2, 3, 1, 3, 2, 4)))
    assert not changed.valid
    assert changed.violations[:2] == (
        "row 3, column 3 holds 4, which is no number from 1 to 3",
        "row 3, column 2 is given as 1, not 2",
    )


def test_open_cells_are_no_fault_but_no_solution() -> None:
    verdict = KIND.check(ALL, Assignment((1, None, 3, 2, None, 1, None, 1, 2)))
    assert verdict.valid and not verdict.solved
    assert verdict.violations == ("3 of 9 values are still open",)


@pytest.mark.parametrize("name", KIND.samples())
def test_samples_have_one_answer(name: str) -> None:
    puzzle = KIND.samples()[name]()
    assert isinstance(puzzle, Calcudoku)
    (answer,) = answers(puzzle.model())
    assert KIND.check(puzzle, Assignment(answer)).solved
    assert KIND.decode(puzzle.encode()) == puzzle


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        (Making(), 1),
        (Making(n=4, difficulty="easy"), 0),
        (Making(n=5, difficulty="easy", operations="+-", largest=3), 0),
        (Making(n=6, difficulty="hard", operations="+", largest=6), 2),
    ],
)
def test_made_puzzles_have_one_answer_and_the_grade_asked_for(settings: Making, wanted: int) -> None:
    puzzle, answer = KIND.make(settings, seed=3)
    assert puzzle.n == settings.n
    assert answers(puzzle.model()) == [answer.values]
    assert grade(puzzle.model()) == wanted
    assert KIND.check(puzzle, answer).solved
    assert {cage.operation for cage in puzzle.cages} <= {*settings.operations, "="}
    assert 2 <= max(len(cage.cells) for cage in puzzle.cages) <= settings.largest


def test_what_cannot_be_made_is_said() -> None:
    with pytest.raises(BadUsage, match="no hard 3x3 calcudoku was found"):
        KIND.make(Making(n=3, difficulty="hard"), seed=1)


def test_picture_shows_clues_numbers_mistakes_and_marks() -> None:
    empty = KIND.draw(ALL).svg().decode()
    assert empty.count("<text") == 5 and MISTAKE not in empty  # three clues, two givens
    solved = KIND.draw(ALL, Assignment((1, 2, 3, 2, 3, 1, 3, 1, 2))).svg().decode()
    assert solved.count("<text") == 12 and MISTAKE not in solved
    wrong = KIND.draw(ALL, Assignment((1, 2, 3, 2, 3, 1, 3, 1, 3))).svg().decode()
    assert wrong.count(f'fill="{MISTAKE}"') == 4  # both 3s of row 3, both of column 3, and the cage
    assert "#ABCDEF" in KIND.draw_marked(ALL, None, {2: "#ABCDEF"}).svg().decode()
