"""The game of patches and cells: orders, hints, what is over when, who judges, and what is refused."""

from typing import Any

import numpy as np
import pytest

from dovetail.core.errors import BadInput
from dovetail.core.puzzle import EMPTY
from dovetail.jigsaw.deep.game import Game, Judging, Play, central_hint, linked_orders, new_game, orders, some_hints
from dovetail.jigsaw.deep.game_kernels import COMPILED, judge_by_tables
from dovetail.jigsaw.deep.planning import leaves_at
from dovetail.jigsaw.deep.tables import Tables
from dovetail.search.planning import Planner
from dovetail.search.puct import Leaves


def planted(board: list[list[int]], strength: float = 5.0, cells: int | None = None) -> Tables:
    """Tables that speak for this board, and say nothing else."""
    grid = np.array(board)
    count = grid.max() + 1
    right, down = np.zeros((2, count, count), np.float32)
    right[grid[:, :-1].ravel(), grid[:, 1:].ravel()] = strength
    down[grid[:-1].ravel(), grid[1:].ravel()] = strength
    return Tables(right, down, np.zeros((count, cells or grid.size), np.float32))


def leaf(game: Game, path: list[int], play: int = 0) -> Leaves:
    cells = np.full((1, game.steps + 1), EMPTY, np.int32)
    cells[0, : len(path)] = path
    return leaves_at(game, np.array([play]), cells, np.array([len(path)]))


def test_orders_are_orders() -> None:
    some = orders(6, 5, seed=3, hints={4: 0})
    assert some[0] == (0, 1, 2, 3, 5)
    assert all(sorted(order) == [0, 1, 2, 3, 5] for order in some)
    assert len({*some}) > 1
    assert some == orders(6, 5, seed=3, hints={4: 0}) != orders(6, 5, seed=4, hints={4: 0})


def test_linked_orders_go_from_neighbour_to_neighbour() -> None:
    board = [[3, 1, 5], [0, 4, 2]]
    where = {patch: (row, col) for row, patches in enumerate(board) for col, patch in enumerate(patches)}
    tables = planted(board)
    some = linked_orders(tables, 6, seed=1)
    assert {order[0] for order in some} == {*range(6)}
    for order in [*some, (4, *linked_orders(tables, 1, 1, hints={4: 4})[0])]:
        assert sorted(order) == [*range(6)]
        for step in range(1, 6):
            beside = [
                abs(where[order[step]][0] - where[p][0]) + abs(where[order[step]][1] - where[p][1])
                for p in order[:step]
            ]
            assert min(beside) == 1
    assert linked_orders(tables, 2, 0, hints={patch: patch for patch in range(6)}) == [(), ()]


def test_boards_and_moves_with_hints() -> None:
    game = new_game(2, 3, [Play(0, (3, 1, 0), {2: 4, 4: 1})])
    assert game.length.tolist() == [3]
    found = leaf(game, [5, 0])
    assert game.boards(found.tree, found.path, found.played).tolist() == [[1, 4, EMPTY, EMPTY, 2, 3]]
    assert found.moves[0, : found.number[0]].tolist() == [2, 3]
    assert leaf(game, [5, 0, 2]).number.tolist() == [0]  # no patch is left, though a cell is
    planner = Planner(game, COMPILED, 1, 3, 6)
    for _ in range(4):  # the last is one too many, and makes no difference
        planner.visit_with(lambda found: (np.ones((len(found.tree), 6)), np.ones(len(found.tree))), 30, 4)
        planner.move()
    assert len(planner.plays[0]) == 3
    assert len({*planner.plays[0], 1, 4}) == 5


def test_hints_from_the_truth() -> None:
    solution = (3, 1, 5, 0, 4, 2, EMPTY, 7, 6)
    assert central_hint(solution, 3, 3) == {4: 4}
    assert central_hint((0, 1, 2, EMPTY), 2, 2) == {}
    known = some_hints(solution, 4, seed=1)
    assert len(known) == 4 and all(solution[cell] == patch for patch, cell in known.items())
    assert known == some_hints(solution, 4, seed=1) != some_hints(solution, 4, seed=2)
    assert (some_hints(solution, 0, 1), len(some_hints(solution, 8, 1))) == ({}, 8)
    with pytest.raises(BadInput, match="0 to 8"):
        some_hints(solution, 9, 1)


def test_more_patches_than_cells_end_with_the_cells() -> None:
    game = new_game(1, 2, [Play(0, (2, 0, 1))])
    assert game.length.tolist() == [2]
    assert leaf(game, [1, 0]).number.tolist() == [0]


def test_switches() -> None:
    tables = planted([[0, 1], [2, 3]])
    plays = [Play(0, (0, 1, 2, 3), {}, (0, 1, 2, 3))]

    def judged(judging: Judging, path: list[int]) -> tuple[Any, float]:
        game = new_game(2, 2, plays, [tables], judging)
        priors, values = judge_by_tables(game, leaf(game, path))
        return priors[0] / max(priors[0].sum(), 1e-9), float(values[0])

    right, wrong = [0, 1, 2, 3], [0, 1, 3, 2]
    priors, value = judged(Judging(), [0])
    assert priors.argmax() == 1 and priors[0] == 0 and value == judged(Judging(), right)[1]
    assert judged(Judging(), wrong)[1] < judged(Judging(), right)[1] <= 1
    assert judged(Judging(policy=False), [0])[0].tolist() == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])
    hotter = judged(Judging(temperature=5), [0])[0]
    assert priors[1] > hotter[1] > hotter[2]
    no_midgame, no_endgame = Judging(during=False), Judging(at_end=False)
    assert (judged(no_midgame, [0])[1], judged(no_midgame, wrong)[1]) == (1.0, judged(Judging(), wrong)[1])
    assert (judged(no_endgame, [0])[1], judged(no_endgame, wrong)[1]) == (value, 1.0)
    truth = Judging(truth=True)
    assert (judged(truth, [0])[1], judged(truth, wrong)[1], judged(truth, right)[1]) == (value, 0.0, 1.0)


@pytest.mark.parametrize(
    ("plays", "tables", "judging", "says"),
    [
        ([], [], Judging(), "needs a play"),
        ([Play(0, (0, 1, 1))], [], Judging(), "each patch once"),
        ([Play(0, (0, 1), {1: 3})], [], Judging(), "each patch once"),
        ([Play(0, (0, 1), {2: 4})], [], Judging(), "different cells, from 0 to 3"),
        ([Play(0, (0, 1), {2: 1, 3: 1})], [], Judging(), "different cells"),
        ([Play(0, (0, 7))], [planted([[0, 1], [2, 3]])], Judging(), "do not know"),
        ([Play(1, (0, 1))], [planted([[0, 1], [2, 3]])], Judging(), "do not know"),
        ([Play(0, (0, 1))], [planted([[0, 1, 2], [3, 4, 5]])], Judging(), "2x2 board"),
        ([Play(0, (0, 1))], [], Judging(truth=True), "needs its solution"),
        ([Play(0, (0, 1), {}, (0, 1))], [], Judging(truth=True), "4 cells"),
        ([Play(0, (0, 1))], [], Judging(temperature=0), "temperature"),
    ],
)
def test_what_is_refused(plays: list[Play], tables: list[Tables], judging: Judging, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        new_game(2, 2, plays, tables, judging)


def test_a_board_has_cells() -> None:
    with pytest.raises(BadInput, match="0x3"):
        new_game(0, 3, [Play(0, (0,))])
