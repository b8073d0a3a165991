"""The 9×9 sudoku engine against its slow, obvious twin. Also run with the compiler off (make test)."""

import itertools
import random
from functools import cache

import numpy as np
import pytest

from dovetail.core.errors import BadInput
from dovetail.core.puzzle import Assignment
from dovetail.core.settings import NoSettings
from dovetail.core.solver import Budget, Clock, Outcome, Run
from dovetail.grids.digits import Search, count_to_two, solve_lines
from dovetail.grids.digits_solver import Digits
from dovetail.grids.puzzles.sudoku import Cage, Sudoku, boxes
from support import naive_sudoku

GIVENS = (17, 20, 23, 26, 28, 30, 34, 40, 55, 81)


@cache
def puzzles() -> list[list[int]]:
    """Full boards with cells left out, as they are and with one given changed: no answer, one, a few, very many."""
    rng = random.Random(9)
    made = [[0] * 81]
    for givens in GIVENS:
        board = next(naive_sudoku.answers([0] * 81, rng))
        kept = rng.sample(range(81), givens)
        puzzle = [digit if cell in kept else 0 for cell, digit in enumerate(board)]
        spoilt = puzzle.copy()
        cell = rng.choice(kept)
        spoilt[cell] = spoilt[cell] % 9 + 1
        made += [puzzle, spoilt]
    for _ in range(2):
        puzzle = thinned(rng)
        loose = [[*puzzle[:cell], 0, *puzzle[cell + 1 :]] for cell in (puzzle.index(digit) for digit in (1, 5, 9))]
        made += [*loose, puzzle]
    return made


def thinned(rng: random.Random) -> list[int]:
    """With one answer, and hardly a given too many."""
    puzzle = [*next(naive_sudoku.answers([0] * 81, rng))]
    for cell in rng.sample(range(81), 60):
        fewer = [*puzzle[:cell], 0, *puzzle[cell + 1 :]]
        if len([*itertools.islice(naive_sudoku.answers(fewer), 2)]) == 1:
            puzzle = fewer
    return puzzle


@cache
def counts_to_two() -> list[int]:
    return [len([*itertools.islice(naive_sudoku.answers(puzzle), 2)]) for puzzle in puzzles()]


def run(generator: Run) -> Outcome:
    try:
        while True:
            next(generator)
    except StopIteration as end:
        assert isinstance(end.value, Outcome)
        return end.value


def sudoku(givens: list[int]) -> Sudoku:
    return Sudoku(9, tuple(givens), boxes(3, 3))


def test_counts_of_a_batch() -> None:
    assert {*counts_to_two()} == {0, 1, 2}, "the puzzles are of every sort"
    counts, answers = count_to_two(np.array(puzzles(), np.uint8))
    assert counts.tolist() == counts_to_two()
    for puzzle, count, answer in zip(puzzles(), counts_to_two(), answers.tolist(), strict=True):
        if count:
            assert [*naive_sudoku.answers(answer)] == [tuple(answer)], "a full board that keeps the rules"
            assert all(given in (0, digit) for given, digit in zip(puzzle, answer, strict=True))
        else:
            assert not any(answer)


def test_a_batch_of_none() -> None:
    counts, answers = count_to_two(np.zeros((0, 81), np.uint8))
    assert counts.shape == (0,)
    assert answers.shape == (0, 81)


@pytest.mark.parametrize("guesses", [1, 3, 10**6])
def test_counts_all_answers_in_slices_of_any_length(guesses: int) -> None:
    several = 0
    for puzzle in puzzles()[1:]:
        wanted = len([*itertools.islice(naive_sudoku.answers(puzzle), 12)])
        search = Search(puzzle)
        while not search.exhausted and search.found < 12:
            search.advance(guesses, limit=12)
        assert search.found == wanted
        several += 2 < wanted < 12
    assert several, "some puzzles have a few answers"


def test_lines() -> None:
    lines = ["".join(map(str, puzzle)) for puzzle in puzzles()]
    dotted = [line.replace("0", ".") + "\n" for line in lines]
    found = solve_lines(lines)
    assert solve_lines(dotted) == found
    assert solve_lines([]) == []
    assert [count for count, _ in found] == counts_to_two()
    for puzzle, (count, answer) in zip(puzzles(), found, strict=True):
        if count == 1:
            assert tuple(map(int, answer)) == next(naive_sudoku.answers(puzzle))
        assert len(answer) == (81 if count else 0)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["." * 81, "." * 80], "line 2 has 80 characters"),
        (["." * 40 + "x" + "." * 40], "line 1, position 41: 'x'"),
        (["." * 81, "1" + "." * 79 + "é"], "line 2, position 81: 'é'"),
    ],
)
def test_bad_lines_are_refused_with_the_place(lines: list[str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        solve_lines(lines)


def test_bad_batches_are_refused_with_the_place() -> None:
    batch = np.zeros((2, 81), np.uint8)
    batch[1, 11] = 10
    with pytest.raises(BadInput, match="puzzle 2, row 2, column 3: 10"):
        count_to_two(batch)
    with pytest.raises(BadInput, match="rows of 81"):
        count_to_two(np.zeros((2, 80), np.uint8))


def test_the_solver_finds_the_answer_or_proves_that_there_is_none() -> None:
    statuses = set()
    for puzzle, count in zip(puzzles(), counts_to_two(), strict=True):
        try:
            made = sudoku(puzzle)
        except BadInput:  # two givens clash
            assert count == 0
            continue
        outcome = run(Digits().solve(made, NoSettings(), Clock(Budget()), seed=0))
        statuses.add(outcome.status)
        assert (outcome.status == "proved_none") == (count == 0)
        if count == 1:
            assert outcome.solution == Assignment(next(naive_sudoku.answers(puzzle)))
    assert statuses == {"complete", "proved_none"}


def test_the_solver_counts() -> None:
    for puzzle in (puzzles()[-1], puzzles()[9]):
        wanted = len([*itertools.islice(naive_sudoku.answers(puzzle), 30)])
        outcome = run(Digits().count(sudoku(puzzle), NoSettings(), Clock(Budget()), limit=30))
        assert outcome.counters["solutions"] == wanted
        assert outcome.status == ("complete" if wanted < 30 else "partial")


def test_the_solver_keeps_to_its_budget() -> None:
    outcome = run(Digits().count(sudoku([0] * 81), NoSettings(), Clock(Budget(steps=100)), limit=None))
    assert outcome.status == "out_of_budget"
    assert outcome.counters["guesses"] == 100


def test_the_solver_warms_up() -> None:
    Digits().warm_up(sudoku([0] * 81), NoSettings())


def test_the_solver_takes_plain_sudokus_only() -> None:
    empty = (0,) * 81
    rows = tuple(cell // 9 for cell in range(81))
    assert Digits().accepts(sudoku([0] * 81)).accepted
    for other in (
        Sudoku(4, (0,) * 16, boxes(2, 2)),
        Sudoku(9, empty, rows),
        Sudoku(9, empty, boxes(3, 3), diagonals=True),
        Sudoku(9, empty, boxes(3, 3), cages=(Cage(3, (0, 1)),)),
    ):
        fit = Digits().accepts(other)
        assert not fit.accepted
        assert fit.why
