"""Numberlink: what is refused, the checker against all ways to walk, the model against the checker, the rest."""

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Assignment
from dovetail.grids.draw import FOUND, INK, PALETTE
from dovetail.grids.engine import Search, answers, grade
from dovetail.grids.model import holds
from dovetail.grids.puzzles.numberlink import Making, Numberlink, NumberlinkKind
from dovetail.grids.puzzles.numberlink_making import random_paths
from dovetail.picture import MISTAKE

KIND = NumberlinkKind()


def board(*lines: str, fill: bool = False) -> Numberlink:
    labels = [[0 if sign == "." else int(sign) for sign in line] for line in lines]
    return KIND.decode({"labels": labels, "fill": fill})


def near(puzzle: Numberlink, cell: int) -> list[int]:
    row, col = divmod(cell, puzzle.cols)
    places = [(row, col + 1), (row + 1, col), (row, col - 1), (row - 1, col)]
    return [r * puzzle.cols + c for r, c in places if 0 <= r < puzzle.rows and 0 <= c < puzzle.cols]


def walks(puzzle: Numberlink, so_far: list[int], taken: set[int], goal: int) -> Iterator[list[int]]:
    """All ways to the goal over cells that are free and hold no number."""
    if so_far[-1] == goal:
        yield so_far
        return
    for cell in near(puzzle, so_far[-1]):
        if cell == goal or (cell not in taken and cell not in so_far and not puzzle.labels[cell]):
            yield from walks(puzzle, [*so_far, cell], taken, goal)


def all_answers(puzzle: Numberlink) -> set[tuple[int, ...]]:
    """Every way to walk from each number to its like without meeting another walk."""
    numbers = sorted(set(puzzle.labels) - {0})

    def all_walks(done: list[list[int]]) -> Iterator[list[list[int]]]:
        if len(done) == len(numbers):
            yield done
            return
        start, goal = (cell for cell, label in enumerate(puzzle.labels) if label == numbers[len(done)])
        for walk in walks(puzzle, [start], {cell for path in done for cell in path}, goal):
            yield from all_walks([*done, walk])

    cols, found = puzzle.cols, set()
    for paths in all_walks([]):
        steps = {(min(pair), max(pair)) for path in paths for pair in pairwise(path)}
        if puzzle.fill and sum(map(len, paths)) < len(puzzle.labels):
            continue
        along = [(row * cols + col, row * cols + col + 1) for row in range(puzzle.rows) for col in range(cols - 1)]
        between = [(row * cols + col, (row + 1) * cols + col) for row in range(puzzle.rows - 1) for col in range(cols)]
        found.add(tuple(int(pair in steps) for pair in along + between))
    return found


def labelled(puzzle: Numberlink, links: tuple[int, ...]) -> tuple[int, ...]:
    """The number of the path on every cell: the only ones that can be right for these links."""
    labels = [*puzzle.labels]
    for piece in puzzle.pieces(links):
        label = next((puzzle.labels[cell] for cell in sorted(piece.cells) if puzzle.labels[cell]), 1)
        for cell in piece.cells:
            labels[cell] = label
    return tuple(labels)


@pytest.mark.parametrize(
    ("rows", "cols", "labels", "message"),
    [
        (2, 0, (), "1 to 100 rows and columns, not 2x0"),
        (2, 2, (1, 1, 0), "a 2x2 board has 4 cells, but 3 are given"),
        (2, 2, (1, 1, 0, 63), "row 2, column 2: a number is 1 to 62, not 63"),
        (2, 2, (1, 1, -1, 0), "row 2, column 1: a number is 1 to 62, not -1"),
        (2, 2, (1, 1, 2, 0), "row 2, column 1: every number is there twice, but 2 is there only once"),
        (2, 2, (1, 0, 1, 1), "row 1, column 1: every number is there twice, but 1 is there 3 times"),
        (2, 2, (0, 0, 0, 0), "at least one pair of numbers"),
    ],
)
def test_malformed_boards_are_refused(rows: int, cols: int, labels: tuple[int, ...], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Numberlink(rows, cols, labels)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "a numberlink puzzle needs a list 'labels' of rows"),
        ({"labels": []}, "a numberlink puzzle needs a list 'labels' of rows"),
        ({"labels": [[1, 1], 2]}, "a numberlink puzzle needs a list 'labels' of rows"),
        ({"labels": [[1, 1], [0]]}, "row 2 has 1 cells, but row 1 has 2"),
        ({"labels": [[1, 1], [0, None]]}, "row 2, column 2: a cell is a whole number, not 'None'"),
        ({"labels": [[1, 1]], "fill": 1}, "'fill' of a numberlink puzzle is true or false, not '1'"),
    ],
)
def test_malformed_files_are_refused_with_the_place(data: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        KIND.decode(data)
    assert message in str(caught.value)


@pytest.mark.parametrize("fill", [False, True])
@pytest.mark.parametrize("lines", [("1..", "...", "..1"), ("1.2", "...", "1.2"), ("12..", "1..2")])
def test_checker_and_model_accept_all_ways_to_walk_and_nothing_else(lines: tuple[str, ...], fill: bool) -> None:
    puzzle = board(*lines, fill=fill)
    expected = all_answers(puzzle)
    assert len(expected) > 0 or fill
    model = puzzle.model()
    for links in product((0, 1), repeat=KIND.variables(puzzle)):
        solved = KIND.check(puzzle, Assignment(links)).solved
        assert solved == (links in expected), links
        values = (*links, *labelled(puzzle, links))
        possible = all(value in domain for value, domain in zip(values, model.domains, strict=True))
        assert solved == (possible and all(holds(constraint, values) for constraint in model.constraints)), links
    found = answers(model, 1000)
    assert len(found) == len(set(found)) and set(found) == expected


def test_filling_is_a_rule_of_its_own() -> None:
    assert len(all_answers(board("1..", "...", "..1"))) == 12
    assert len(all_answers(board("1..", "...", "..1", fill=True))) == 2


def violations(puzzle: Numberlink, on: set[int], still_open: set[int] | None = None) -> tuple[str, ...]:
    """What the checker says when these links are drawn."""
    unknown = still_open or set()
    links = range(KIND.variables(puzzle))
    return KIND.check(puzzle, Assignment(tuple(None if i in unknown else int(i in on) for i in links))).violations


def test_says_what_is_wrong_and_where() -> None:
    puzzle = board("1.2", "1.2")  # links 0 to 3 along the rows, 4 to 6 between them
    assert violations(puzzle, {4, 6}) == ()
    assert violations(puzzle, {0, 1, 2, 3}) == (
        "the 1 in row 1, column 1 is joined to the 2 in row 1, column 3",
        "the 2 in row 1, column 3 is joined to the 1 in row 1, column 1",
    )
    assert violations(puzzle, {4}) == (
        "the 2 in row 1, column 3 has no links, not 1",
        "the 2 in row 2, column 3 has no links, not 1",
        "the path from the 2 in row 1, column 3 does not reach the other 2",
    )
    assert violations(puzzle, {0, 2, 5, 6}) == ()
    assert violations(puzzle, {0, 2, 4, 5, 6})[0] == "the 1 in row 1, column 1 has 2 links, not 1"
    assert violations(puzzle, {0, 4, 6})[1] == "the cell in row 1, column 2 has 1 link, not none or 2"
    filled = board("1.2", "1.2", fill=True)
    assert violations(filled, {4, 6})[0] == "the cell in row 1, column 2 has no links, not 2"


def test_an_illegal_value_makes_an_answer_invalid() -> None:
    puzzle = board("1.", "1.")
    assert KIND.check(puzzle, Assignment((0, 0, 1, 0))).solved
    verdict = KIND.check(puzzle, Assignment((0, 0, 1, 3)))
    assert not verdict.valid and verdict.violations == ("the link below row 1, column 2 is 0 or 1, not 3",)
    assert KIND.check(puzzle, Assignment((0, 2, 1, 0))).violations == (
        "the link right of row 2, column 1 is 0 or 1, not 2",
    )


def test_links_that_run_in_a_circle_are_wrong() -> None:
    puzzle = board("1..", "1..")
    assert violations(puzzle, {4}) == ()
    assert violations(puzzle, {4, 1, 3, 5, 6}) == ("the links at row 1, column 2 go in a circle",)


def test_what_open_links_may_still_put_right_is_no_fault() -> None:
    puzzle = board("1.2", "1.2")
    assert violations(puzzle, {4}, {1, 3, 6}) == ("3 of 7 values are still open",)
    joined = violations(puzzle, {0, 1}, {3, 6})
    assert "the 1 in row 1, column 1 is joined to the 2 in row 1, column 3" in joined


def test_constraints_and_variables_have_names() -> None:
    model = board("1.", "1.").model()
    assert [rule.about for rule in model.constraints] == [
        "the 1 in row 1, column 1", "the cell in row 1, column 2", "the 1 in row 2, column 1",
        "the cell in row 2, column 2", "the paths",
    ]  # fmt: skip
    assert model.names[:3] == (
        "the link right of row 1, column 1", "the link right of row 2, column 1", "the link below row 1, column 1",
    )  # fmt: skip
    assert len(model.names) == len(model.domains) == len(set(model.names))
    assert model.answers == 4


def test_random_paths_fill_the_board_and_do_not_touch_themselves() -> None:
    puzzle = board("1......", *["......."] * 5, "......1")
    for seed in range(10):
        paths = random_paths(puzzle.grid, 10, np.random.default_rng(seed))
        assert sorted(cell for path in paths for cell in path) == [*range(49)]
        assert 1 < len(paths) < 20
        for path in paths:
            assert all(b in near(puzzle, a) for a, b in pairwise(path))
            assert sum(b in near(puzzle, a) for a in path for b in path) == 2 * (len(path) - 1)


@pytest.mark.parametrize("fill", [False, True])
@pytest.mark.parametrize(("difficulty", "wanted"), [("easy", 0), ("medium", 1), ("hard", 2)])
def test_made_puzzles_have_one_answer_and_the_difficulty_asked_for(difficulty: str, wanted: int, fill: bool) -> None:
    puzzle, planted = KIND.make(Making(6, 6, fill, difficulty), seed=2)
    assert (puzzle.size, puzzle.fill) == ("6x6", fill)
    assert answers(puzzle.model(), 2) == [planted.values]
    assert grade(puzzle.model()) == wanted
    assert KIND.check(puzzle, planted).solved


def test_what_cannot_be_made_is_said() -> None:
    with pytest.raises(BadUsage, match="3x3 cells made a numberlink puzzle that is hard: ask for another"):
        KIND.make(Making(3, 3, difficulty="hard"), seed=1)


def test_samples_have_one_answer() -> None:
    for build in KIND.samples().values():
        puzzle = build()
        search = Search(puzzle.model())
        while not search.look_ahead(20_000):
            pass
        assert search.advance(20_000) and search.answer is not None
        assert KIND.check(puzzle, Assignment(search.answer)).solved
        assert not search.advance(20_000) and search.exhausted


def test_the_sample_to_be_filled_needs_its_rule() -> None:
    puzzle = KIND.samples()["numberlink-6x6-fill"]()
    assert len(answers(Numberlink(puzzle.rows, puzzle.cols, puzzle.labels).model(), 2)) == 2


def test_pictures_show_paths_in_the_colours_of_their_numbers() -> None:
    puzzle = board("1.2", "1.2")
    empty = KIND.draw(puzzle).svg().decode()
    assert [empty.count(colour) for colour in PALETTE[:3]] == [2, 2, 0] and MISTAKE not in empty
    solved = KIND.draw(puzzle, Assignment((1, 0, 1, 0, 0, 1, 1))).svg().decode()
    assert [solved.count(colour) for colour in PALETTE[:2]] == [5, 3]
    assert MISTAKE not in solved and INK not in solved
    joined = KIND.draw(puzzle, Assignment((1, 1, 1, 1, 0, 0, 0))).svg().decode()
    assert joined.count(MISTAKE) == 8 and PALETTE[0] not in joined
    unfinished = KIND.draw_marked(puzzle, Assignment((0, None, None, None, None, 1, 1)), {1: "#FFE08A"}).svg().decode()
    assert unfinished.count(INK) == 1, "a wall for the link that is not there"
    assert unfinished.count(FOUND) == 1, "a link that hangs together with no number"
    assert "#FFE08A" in unfinished and MISTAKE not in unfinished


def test_a_number_without_any_link_turns_red() -> None:
    svg = KIND.draw(board("1..", "..1"), Assignment((0,) * 7)).svg().decode()
    assert svg.count(MISTAKE) == 2
