"""Tables and the best board for them: pixels, planted boards, hints, missing patches, budgets."""

import itertools
from collections.abc import Generator

import numpy as np
import pytest

from dovetail.core.errors import BadInput
from dovetail.core.solver import Budget, Clock
from dovetail.jigsaw.cutting import built_in
from dovetail.jigsaw.deep.arranging import Arranged, Patience, arranging, best_board
from dovetail.jigsaw.deep.layout import with_blanks, worth
from dovetail.jigsaw.deep.tables import Tables, checked, pixel_tables, score
from dovetail.jigsaw.gapped_cutting import cut_gapped
from support import naive_arranging as naive
from support.naive_arranging import random_tables


def planted(rows: int, cols: int, missing: int = 0, seed: int = 0, gain: float = 6.0) -> tuple[Tables, list[int]]:
    """Noise, and a board whose seams stand out of it; some of its patches are lost."""
    tables = random_tables(rows, cols, seed=seed, sharp=1.0)
    board = np.random.default_rng(seed + 1).permutation(rows * cols)
    grid = board.reshape(rows, cols)
    for table, first, second in ((tables.right, grid[:, :-1], grid[:, 1:]), (tables.down, grid[:-1], grid[1:])):
        table[first, second] += gain
    count = rows * cols - missing
    kept = Tables(tables.right[:count, :count], tables.down[:count, :count], 0 * tables.place[:count])
    return kept, np.where(board < count, board, -1).tolist()


def finish(work: Generator[object, None, Arranged]) -> tuple[int, Arranged]:
    """How often it let others look at the clock, and how it ended."""
    for glances in itertools.count():
        try:
            next(work)
        except StopIteration as ended:
            arranged: Arranged = ended.value
            return glances, arranged
    raise AssertionError


def test_the_score_of_a_board() -> None:
    tables = random_tables(2, 3, missing=1)
    for board in itertools.islice(naive.boards(5, 6), 0, 700, 70):
        assert score(tables, board, 3) == pytest.approx(naive.score(tables, board, 3), abs=1e-4)


@pytest.mark.parametrize(
    ("shapes", "why"),
    [
        (((4, 4), (4, 4), (4, 6)), r"\[patches, 4\]"),
        (((4, 3), (4, 4), (4, 4)), r"\[4, 4\]"),
        (((5, 5), (5, 5), (5, 4)), "1 to 4 patches"),
    ],
)
def test_tables_of_another_shape(shapes: tuple[tuple[int, int], ...], why: str) -> None:
    right, down, place = (np.zeros(shape, np.float32) for shape in shapes)
    with pytest.raises(BadInput, match=why):
        checked(Tables(right, down, place), 2, 2)


def test_tables_are_numbers() -> None:
    tables = random_tables(2, 2)
    tables.right[1, 1] = np.nan  # nobody looks there
    checked(tables, 2, 2)
    tables.right[1, 2] = np.inf
    with pytest.raises(BadInput, match="finite"):
        checked(tables, 2, 2)


@pytest.mark.parametrize("side", [3, 4])
def test_facing_pixels_put_a_photograph_together(side: int) -> None:
    patches = cut_gapped(built_in("astronaut"), side, side, 40, 2)
    order = np.random.default_rng(0).permutation(side * side)
    tables = pixel_tables(patches[order], side, side)
    found = best_board(tables, side, side)
    assert (order[found.board] == np.arange(side * side)).all()
    assert not tables.place.any()


def test_pixels_of_two_patches_and_of_flat_ones() -> None:
    two = np.zeros((2, 4, 4, 3), np.uint8)
    two[0, :, 3:] = two[1, :, :1] = 200  # the first ends as the second begins
    assert best_board(pixel_tables(two, 1, 2), 1, 2).board.tolist() == [0, 1]
    flat = pixel_tables(np.full((6, 4, 4, 3), 7, np.uint8), 2, 3)
    assert np.isfinite(flat.right).all()
    assert best_board(flat, 2, 3).board.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("rows", "cols", "missing"), [(3, 3, 0), (3, 3, 2), (5, 5, 0), (4, 6, 0), (5, 5, 3)])
def test_planted_boards_are_found(rows: int, cols: int, missing: int) -> None:
    tables, truth = planted(rows, cols, missing)
    found = best_board(tables, rows, cols, seed=2)
    assert found.finished
    assert found.proved == (rows * cols <= 9)
    assert found.board.tolist() == truth
    assert found.score == pytest.approx(naive.score(tables, truth, cols), abs=1e-3)
    assert found.sure is not None
    assert found.sure.shape == (rows * cols - missing,)
    assert found.sure.min() > 0.9


def test_tempered_scores_are_less_sure_of_the_same_board() -> None:
    tables, truth = planted(4, 4)
    sharp, mild = (best_board(tables, 4, 4, temper=temper) for temper in (1.0, 0.1))
    assert sharp.board.tolist() == mild.board.tolist() == truth
    assert sharp.sure is not None and mild.sure is not None
    assert sharp.sure.mean() > 0.95 > 0.7 > mild.sure.mean()


def test_two_patches_that_look_the_same_are_unsure_alike() -> None:
    tables, truth = planted(4, 3)
    one, other = truth[1], truth[8]
    for table in (tables.right, tables.down):
        table[other], table[:, other] = table[one], table[:, one]
        table[one, other] = table[other, one] = -3.0
    found = best_board(tables, 4, 3)
    assert found.sure is not None
    assert found.sure[[one, other]].max() < 0.95
    rest = [patch for patch in range(12) if patch not in (one, other)]
    assert found.sure[rest].mean() > found.sure[[one, other]].mean()


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (4, 4)])
def test_hints_are_kept_even_where_they_are_wrong(rows: int, cols: int) -> None:
    tables, truth = planted(rows, cols)
    hints = {truth[0]: 1, truth[5]: 5}
    found = best_board(tables, rows, cols, hints)
    assert found.board[1] == truth[0]
    assert found.board[5] == truth[5]
    assert sorted(found.board.tolist()) == list(range(rows * cols))


def test_all_patches_known() -> None:
    for rows, cols in ((2, 2), (3, 4)):
        hints = {patch: rows * cols - 1 - patch for patch in range(rows * cols)}
        found = best_board(random_tables(rows, cols), rows, cols, hints, patience=Patience(50, 1, 1))
        assert found.board.tolist() == list(reversed(range(rows * cols)))


@pytest.mark.parametrize(("hints", "why"), [({9: 0}, "patch 9"), ({0: 4}, "cell 4"), ({0: 1, 2: 1}, "both")])
def test_hints_that_cannot_be(hints: dict[int, int], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        best_board(random_tables(2, 2), 2, 2, hints)


def test_places_alone_are_an_assignment() -> None:
    """Where no pair says anything, the best board is known from elsewhere."""
    from scipy.optimize import linear_sum_assignment

    tables = random_tables(4, 4)
    none = np.zeros_like(tables.right)
    alone = Tables(none, none, tables.place)
    patches, cells = linear_sum_assignment(tables.place, maximize=True)
    assert best_board(alone, 4, 4).score == pytest.approx(float(tables.place[patches, cells].sum()), abs=1e-3)


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (4, 4)])
@pytest.mark.parametrize("budget", [Budget(steps=0), Budget(steps=7), Budget(wall_s=0)])
def test_a_small_budget_gives_a_whole_board(rows: int, cols: int, budget: Budget) -> None:
    clock = Clock(budget)
    _, found = finish(arranging(random_tables(rows, cols), rows, cols, clock, {0: 2}))
    assert not found.finished and not found.proved
    assert found.sure is None
    assert clock.steps == found.steps <= (budget.steps or 0)
    assert sorted(found.board.tolist()) == list(range(rows * cols))
    assert found.board[2] == 0


def test_steps_decide_alone() -> None:
    tables = random_tables(4, 4)
    runs = [finish(arranging(tables, 4, 4, Clock(Budget(steps=300_000)), seed=5))[1] for _ in range(2)]
    assert runs[0].board.tolist() == runs[1].board.tolist()
    assert runs[0].steps == runs[1].steps


def test_where_runs_disagree_the_margin_says_by_how_much() -> None:
    tables = random_tables(5, 5, sharp=1.0)
    glances, found = finish(arranging(tables, 5, 5, Clock(Budget()), seed=0, patience=Patience(40, 6, 6)))
    assert glances >= 6
    assert found.steps == 6 * 40 * 25
    assert found.margin is not None
    assert found.margin >= 0


def test_a_seam_with_a_blank_scores_as_any() -> None:
    table = np.array([[9, 2, 4], [2, 9, 6], [8, 2, 9]], np.float32)
    enlarged = with_blanks(table, 5)
    assert enlarged[:3, 3] == pytest.approx([3, 4, 5])
    assert enlarged[4, :3] == pytest.approx([5, 2, 5])
    assert enlarged[3, 4] == pytest.approx(4)


def test_what_a_right_seam_is_worth() -> None:
    tables, _ = planted(4, 4, gain=20.0)
    assert 16 < worth(tables) < 24
    nothing = np.zeros((1, 1), np.float32)
    assert worth(Tables(nothing, nothing, nothing)) > 0
