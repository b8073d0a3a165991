"""The solver `mcts-chance`: it plays by the rules, does not look into the chance of the puzzle, and is repeatable."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dovetail.core.solver import Budget, Clock, Outcome
from dovetail.moves.games.tetris import Tetris, TetrisKind
from dovetail.moves.games.twenty48 import Game2048, Kind2048
from dovetail.moves.kind import MovesKind, MovesPuzzle
from dovetail.moves.mcts_chance import MctsChance, Settings
from dovetail.moves.rules import tetris as rules
from dovetail.moves.rules.tetris_tree import search_chance
from dovetail.search import chance_tree
from dovetail.search.chance import seeded

SMALL = Tetris(10, 5, (False,) * 50, 3, 4)
BOTH = [(TetrisKind(), SMALL), (Kind2048(), Game2048((0,) * 16, 64, 5))]
each_game = pytest.mark.parametrize(("kind", "puzzle"), BOTH)


def run(puzzle: MovesPuzzle, settings: Settings, seed: int = 1, budget: Budget | None = None) -> Outcome:
    solving = MctsChance().solve(puzzle, settings, Clock(budget or Budget(wall_s=60)), seed)
    while True:
        try:
            next(solving)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome


@each_game
def test_it_reaches_small_goals(kind: MovesKind, puzzle: MovesPuzzle) -> None:
    outcome = run(puzzle, Settings(rollouts=200))
    assert outcome.status == "complete" and outcome.solution is not None
    verdict = kind.check(puzzle, outcome.solution)
    assert verdict.solved
    assert outcome.counters["rollouts"] == 200 * outcome.counters["moves"] == 200 * verdict.scores["moves"]


@each_game
def test_it_is_repeatable_and_stops_where_its_steps_end(kind: MovesKind, puzzle: MovesPuzzle) -> None:
    settings = Settings(rollouts=50)
    first, second, other = (run(puzzle, settings, seed, Budget(steps=320)) for seed in (1, 1, 2))
    assert first == second
    assert first.solution != other.solution
    assert first.solution is not None
    assert first.status == "out_of_budget" and first.counters["rollouts"] == 320
    assert first.counters["moves"] == 6
    assert kind.check(puzzle, first.solution).valid


def test_a_lost_play_is_no_solution() -> None:
    puzzle = Tetris(4, 10, (False,) * 40, 50, 1)
    outcome = run(puzzle, Settings(rollouts=5))
    assert outcome.status == "partial" and outcome.solution is not None
    verdict = TetrisKind().check(puzzle, outcome.solution)
    assert verdict.valid and not verdict.solved and "fits nowhere" in verdict.violations[0]


def test_milliseconds_can_be_counted_instead() -> None:
    outcome = run(SMALL, Settings(rollouts=1, ms=2))
    assert outcome.counters["rollouts"] >= 25 * outcome.counters["moves"] > 0


def test_the_first_move_does_not_depend_on_what_comes_next() -> None:
    """Two puzzles whose first pieces are the same, and whose second pieces are not."""
    pieces = {seed: rules.state(replace(SMALL, seed=seed, preview=1)).pieces[:2].tolist() for seed in range(100)}
    one = next(seed for seed in pieces if pieces[seed][0] == pieces[0][0] and pieces[seed][1] != pieces[0][1])
    found = [run(replace(SMALL, seed=seed), Settings(rollouts=100), 3, Budget(steps=101)) for seed in (0, one)]
    assert len({outcome.solution for outcome in found}) == 1


def searched(puzzle: Tetris, rollouts: int, nodes: int = 5000) -> Any:
    tree, room = chance_tree.chance_tree(nodes), np.zeros(rules.limits(puzzle)[1], np.int64)
    chance_tree.clear(tree)
    search_chance(rules.state(puzzle), tree, chance_tree.Manner(0.3, 100, 1.0, 1000.0), room, seeded(1), rollouts)
    return tree


def test_moves_that_win_are_visited_most() -> None:
    """Upright in the gap, or flat beside it; flat across it, all is lost."""
    puzzle = Tetris(5, 5, (False,) * 5 + (True, True, True, True, False) * 4, 4, 0, "I")
    tree = searched(puzzle, 300)
    visits = {int(tree.move[child]): int(tree.visits[child]) for child in range(1, 4)}
    lost = min(visits, key=lambda move: visits[move])
    assert set(rules.written(puzzle, [*visits])) == {"0,1", "0,2", "1,5"}
    assert rules.written(puzzle, [lost]) == ("0,2",)
    assert chance_tree.most_visited(tree) != lost


def test_a_full_tree_is_searched_on() -> None:
    tree = searched(SMALL, 500, nodes=40)
    assert tree.used[0] <= 40
    assert tree.visits[0] == 500
