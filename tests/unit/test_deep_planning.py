"""Puzzles played to the end: by search or greedily, judged by tables or by pictures, in one order or in many."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dovetail.core.errors import BadInput
from dovetail.core.puzzle import EMPTY
from dovetail.jigsaw.deep.game import Judging, Play, new_game
from dovetail.jigsaw.deep.planning import STRONG, Attempts, Planning, Playing, play_images, play_tables, playing_tables
from dovetail.jigsaw.deep.rendering import Canvas
from dovetail.jigsaw.deep.tables import Tables, score

SIDE, GAP = 4, 2


def noisy(rows: int, cols: int, seed: int, signal: float = 2.0) -> tuple[Tables, tuple[int, ...]]:
    """Tables of noise around a board that they speak for, and the board."""
    chance = np.random.default_rng(seed)
    count = rows * cols
    grid = chance.permutation(count).reshape(rows, cols)
    right, down = chance.normal(size=(2, count, count)).astype(np.float32)
    right[grid[:, :-1].ravel(), grid[:, 1:].ravel()] += signal
    down[grid[:-1].ravel(), grid[1:].ravel()] += signal
    return Tables(right, down, np.zeros((count, count), np.float32)), tuple(grid.ravel().tolist())


def best_score(tables: Tables, rows: int, cols: int) -> float:
    """Of all boards."""
    boards = np.array([*itertools.permutations(range(rows * cols))]).reshape(-1, rows, cols)
    pairs = tables.right[boards[:, :, :-1], boards[:, :, 1:]].sum((1, 2))
    return float((pairs + tables.down[boards[:, :-1], boards[:, 1:]].sum((1, 2))).max())


def test_strong_planning_finds_the_best_board() -> None:
    puzzles = [noisy(2, 4, seed, signal=1.0)[0] for seed in range(6)]
    for tables, came in zip(puzzles, play_tables(puzzles, 2, 4, replace(STRONG, visits=400)), strict=True):
        assert score(tables, came.board, 4) == pytest.approx(best_score(tables, 2, 4), abs=1e-4)
        assert came.boards.shape == (STRONG.orders, 8)


@pytest.mark.parametrize("selection", ["puct", "uct", "single", "mixed"])
@pytest.mark.parametrize("decision", ["visits", "value"])
def test_every_selection_solves_what_is_clear(selection: str, decision: str) -> None:
    tables, board = noisy(2, 2, 1, signal=8.0)
    planning = Planning(selection=selection, decision=decision, visits=60, weight=None if decision == "value" else 0.1)
    (came,) = play_tables([tables], 2, 2, planning)
    assert came.board == board


def test_plays_are_repeatable_and_keep_hints() -> None:
    tables, _ = noisy(3, 3, 2)
    planning = Planning(visits=30, orders=3)
    first, second = (next(play_tables([tables], 3, 3, planning, 5, [{7: 4, 0: 2}])) for _ in range(2))
    assert (first.boards == second.boards).all() and (first.values == second.values).all()
    for board in first.boards:
        assert board[4] == 7 and board[2] == 0
        assert sorted(board.tolist()) == [*range(9)]


def test_fewer_patches_than_cells_leave_cells_empty() -> None:
    tables, _ = noisy(2, 3, 3)
    some = Tables(tables.right[:4, :4], tables.down[:4, :4], tables.place[:4])
    for planning in (Planning(visits=20), replace(STRONG, visits=20)):
        (came,) = play_tables([some], 2, 3, planning)
        assert sorted(came.board) == [EMPTY, EMPTY, 0, 1, 2, 3]


def test_a_move_at_a_time() -> None:
    tables, _ = noisy(2, 2, 4)
    playing = playing_tables([tables], 2, 2, Planning(visits=10, orders=2))
    laid = []
    while not playing.over:
        laid.append((playing.boards != EMPTY).sum(axis=1).tolist())
        playing.advance()
    assert laid == [[0, 0], [1, 1], [2, 2], [3, 3]]
    assert playing.visits == 2 * 10 * 4
    slices = playing_tables([tables], 2, 2, Planning(visits=10, orders=2))
    while not slices.over:
        for visits in (3, 6, 1):
            slices.visit(visits)
        slices.move()
    assert (slices.boards == playing.boards).all() and slices.visits == playing.visits


def test_the_reward_decides_where_tables_are_wrong() -> None:
    """Tables speak for one board, the truth is another: the search finds what it is rewarded for."""
    tables, board = noisy(2, 2, 6, signal=3.0)
    truth = (*board[:2], board[3], board[2])
    predicted = Planning(visits=200)
    rewarded = replace(predicted, judging=Judging(truth=True, during=False))
    (by_tables,) = play_tables([tables], 2, 2, predicted, solutions=[truth])
    (by_truth,) = play_tables([tables], 2, 2, rewarded, solutions=[truth])
    assert (by_tables.board, by_truth.board) == (board, truth)
    assert by_truth.values[0] < by_tables.values[0]  # what V says of the boards has nothing of the truth


def test_v_chooses_among_attempts() -> None:
    boards, values = np.array([[0, 1], [1, 0], [1, 0]], np.int32), np.array([0.2, 0.7, 0.7])
    came = Attempts(boards, values, np.array([[0, 1], [0, 1], [1, 0]], np.int32))
    assert (came.chosen, came.board) == (1, (1, 0))
    assert came.right((0, 1)).tolist() == [1.0, 0.0, 0.0]


def test_states_are_the_boards_in_between() -> None:
    tables, _ = noisy(2, 2, 5)
    (came,) = play_tables([tables], 2, 2, Planning(visits=20, orders=2), hints=[{2: 1}])
    for attempt in range(2):
        states, order = came.states(attempt), came.orders[attempt]
        assert states[0].tolist() == [EMPTY, 2, EMPTY, EMPTY]
        assert (states[-1] == came.boards[attempt]).all()
        for step, patch in enumerate(order):
            changed = np.flatnonzero(states[step] != states[step + 1])
            assert states[step + 1][changed].tolist() == [patch] and states[step][changed].tolist() == [EMPTY]


class Clear:
    """Networks for patches whose colour tells their number: P and V know a solution. They count what they are asked."""

    def __init__(self, solution: tuple[int, ...], sharp: float = 5.0) -> None:
        self.cell = {patch: cell for cell, patch in enumerate(solution)}
        self.solution, self.sharp = solution, sharp
        self.boards_seen, self.patches_seen = 0, 0

    @staticmethod
    def number(pixel: Any) -> Any:
        """0 is an empty cell."""
        return np.where(pixel == 0, EMPTY, np.rint((pixel + 1) * 127.5 / 20)).astype(int)

    def policy(self, boards: Any, patches: Any) -> Any:
        assert boards.dtype == patches.dtype == np.float32
        self.patches_seen += len(patches)
        wanted = [self.cell[patch] for patch in self.number(patches[:, 0, 0, 0]).tolist()]
        return 1 + self.sharp * (np.arange(4) == np.array(wanted)[:, None])

    def value(self, boards: Any) -> Any:
        self.boards_seen += len(boards)
        stride = SIDE + GAP
        laid = self.number(boards[:, 0, 1::stride, 1::stride].reshape(-1, 4))
        wrong = ((laid != EMPTY) & (laid != np.array(self.solution))).any(axis=1)
        return np.where(wrong, 0, 0.5 + 0.125 * (laid != EMPTY).sum(axis=1))


def coloured(puzzles: int) -> Any:
    patches = np.zeros((puzzles, 4, SIDE, SIDE, 3), np.uint8)
    patches[:] = (20 * np.arange(4)).reshape(4, 1, 1, 1)
    return patches


SOLUTION = (2, 0, 3, 1)


@pytest.mark.parametrize("each", [1, 3])
def test_networks_that_see_pictures(each: int) -> None:
    known = Clear(SOLUTION, sharp=0.0)
    planning = Planning(visits=40, orders=2, batch=8, each=each)
    came = [*play_images(coloured(3), 2, 2, GAP, known.policy, known.value, planning, hints=[{}, {3: 2}, {}])]
    assert [attempts.board for attempts in came] == [SOLUTION] * 3
    assert all(attempts.values.tolist() == [1.0, 1.0] for attempts in came)
    assert known.boards_seen > known.patches_seen > 0


def test_networks_are_asked_only_as_far_as_they_count() -> None:
    for judging in (Judging(policy=False), Judging(during=False), Judging(at_end=False), Judging(False, False, False)):
        known = Clear(SOLUTION)
        planning = Planning(visits=60, batch=4, judging=judging)
        (came,) = play_images(coloured(1), 2, 2, GAP, known.policy, known.value, planning)
        assert bool(known.patches_seen) == judging.policy
        assert bool(known.boards_seen) == (judging.during or judging.at_end)
        assert (came.board == SOLUTION) == (judging.policy or judging.at_end)
    known = Clear((0, 1, 2, 3))  # which is wrong, and the truth says so
    planning = Planning(visits=300, batch=4, judging=Judging(truth=True, policy=False, during=False))
    (came,) = play_images(coloured(1), 2, 2, GAP, known.policy, known.value, planning, solutions=[SOLUTION])
    assert came.board == SOLUTION and came.values[0] == 0.0


def test_greedy_plays() -> None:
    """P is asked once a step, V of every board that could be next; where they know the way, they find it."""
    for way, asked in (("policy", (4, 1)), ("value", (0, 4 + 3 + 2 + 1 + 1))):
        known = Clear(SOLUTION)
        (came,) = play_images(coloured(1), 2, 2, GAP, known.policy, known.value, Planning(way=way, batch=3))
        assert came.board == SOLUTION
        if way == "policy":  # the judge looks at a board for both
            assert known.patches_seen == asked[0]
        else:
            assert known.boards_seen == asked[1]
    tables, board = noisy(2, 2, 1, signal=8.0)
    (by_value,) = play_tables([tables], 2, 2, Planning(way="value"))
    assert by_value.board == board


def test_boards_are_drawn_as_they_lie() -> None:
    chance = np.random.default_rng(0)
    patches = chance.integers(0, 256, (2, 5, SIDE, SIDE, 3), dtype=np.uint8)
    canvas = Canvas(patches, 2, 3, GAP, batch=4)
    puzzles, laid = np.array([1, 0, 1]), np.array([[0, 1, 2, 3, 4, EMPTY], [EMPTY] * 6, [4, EMPTY, 0, EMPTY, 1, 2]])
    for _ in range(2):  # the second drawing covers the first
        drawn = canvas.draw(puzzles, laid)
        assert drawn.shape == (3, 3, 2 * SIDE + GAP, 3 * SIDE + 2 * GAP)
        expected = np.zeros(drawn.shape)
        for number, cell in itertools.product(range(3), range(6)):
            if laid[number, cell] != EMPTY:
                row, col = (cell // 3) * (SIDE + GAP), (cell % 3) * (SIDE + GAP)
                patch = patches[puzzles[number], laid[number, cell]].transpose(2, 0, 1) / 127.5 - 1
                expected[number, :, row : row + SIDE, col : col + SIDE] = patch
        assert np.allclose(drawn, expected, atol=1e-6)
        puzzles, laid = puzzles[::-1], laid[::-1]
    following = canvas.draw_next(np.array([0, 1]), np.array([3, EMPTY]))
    assert np.allclose(following[0], patches[0, 3].transpose(2, 0, 1) / 127.5 - 1, atol=1e-6)
    assert not following[1].any()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"way": "luck"}, "search, policy, value"),
        ({"selection": "best"}, "puct, uct, single, mixed"),
        ({"decision": "prior"}, "visits, value, best"),
        ({"answer": "none"}, "played, seen"),
        ({"visits": 0}, "visits is at least 1"),
        ({"orders": 0}, "orders is at least 1"),
    ],
)
def test_plans_that_are_none(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        Planning(**wrong)


def test_what_cannot_be_judged() -> None:
    with pytest.raises(BadInput, match="needs somebody"):
        Playing(new_game(2, 2, [Play(0, (0, 1))]), Planning())
    known = Clear(SOLUTION)
    with pytest.raises(BadInput, match="linked=False"):
        next(play_images(coloured(1), 2, 2, GAP, known.policy, known.value, STRONG))
    for patches, gap in ((coloured(1)[0], 0), (coloured(1).astype(float), 0), (coloured(1), -1)):
        with pytest.raises(BadInput, match="patches"):
            Canvas(patches, 2, 2, gap, 1)
