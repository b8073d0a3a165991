"""The compiled rules of Flood-it and its lower bound beside plain plays. Also run with the compiler off (make test)."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from dovetail.core.puzzle import Moves
from dovetail.core.settings import NoSettings
from dovetail.core.solver import Budget, Clock, Outcome
from dovetail.moves.flood_kernels import bound
from dovetail.moves.flood_search import FloodSolver
from dovetail.moves.games.flood import Flood, FloodPlay
from dovetail.moves.rules import flood as rules
from dovetail.search import mcts, nested
from dovetail.search.chance import seeded
from dovetail.search.tree import tree


def boards(number: int) -> Iterator[Flood]:
    """Small ones, and one with more areas than bits in a word."""
    rng = random.Random(7)
    for place in range(number):
        rows, cols = (9, 9) if place == 0 else (rng.randrange(1, 5), rng.randrange(1, 5))
        colours = rng.randrange(2, 5)
        cells = tuple(rng.randrange(colours) for _ in range(rows * cols))
        yield Flood(rows, cols, cells, colours, rng.choice((0, 0, rng.randrange(1, 6))))


def played(puzzle: Flood, path: list[int]) -> FloodPlay:
    play = FloodPlay(puzzle)
    for colour in path:
        play.make(str(colour))
    return play


def useful(puzzle: Flood, path: list[int]) -> list[int]:
    """The colours that win cells, by trying them all."""
    before = played(puzzle, path)
    if before.flooded or (puzzle.most and len(path) >= puzzle.most):
        return []
    others = [colour for colour in range(puzzle.colours) if colour != before.cells[0]]
    return [colour for colour in others if len(played(puzzle, [*path, colour]).area) > len(before.area)]


def agree(puzzle: Flood, state: rules.State, path: list[int]) -> None:
    """The same position, seen from both sides."""
    out = np.zeros(puzzle.colours + 1, np.int64)
    play = played(puzzle, path)
    assert [*state.path[: state.tally[0]]] == path
    assert [*out[: rules.moves(state, out)]] == useful(puzzle, path)
    assert rules.value(state) == len(play.area) / len(play.cells)
    assert (rules.value(state) == 1.0) == play.solved
    assert rules.written(puzzle, state.path[: state.tally[0]]) == tuple(map(str, path))


def test_random_plays_agree_and_are_taken_back() -> None:
    rng = random.Random(1)
    for puzzle in boards(30):
        state, path = rules.state(puzzle), list[int]()
        most, widest = rules.limits(puzzle)
        for _ in range(12):
            agree(puzzle, state, path)
            choices = useful(puzzle, path)
            assert len(path) <= most and len(choices) <= widest
            if choices and rng.random() < 0.75:
                path.append(rng.choice(choices))
                possible = rules.play(state, path[-1])
                play = played(puzzle, path)
                outside = {colour for cell, colour in enumerate(play.cells) if cell not in play.area}
                assert possible == (len(outside) <= most - len(path)), "as many moves as colours are needed"
            else:
                path = path[: rng.randrange(len(path) + 1)]
                rules.back(state, len(path))


def test_the_same_areas_have_the_same_key_and_only_they() -> None:
    puzzle = Flood(2, 2, (0, 1, 2, 0), 3)
    keys: dict[frozenset[int], set[int]] = {}
    for path in ([], [1], [2], [1, 2], [2, 1], [1, 2, 0], [2, 1, 0]):
        state = rules.state(puzzle)
        for colour in path:
            rules.play(state, colour)
        keys.setdefault(frozenset(played(puzzle, path).area), set()).add(int(rules.key(state)))
    assert len(keys) == 5
    assert all(len(found) == 1 for found in keys.values())
    assert len(set.union(*keys.values())) == 5


@pytest.mark.parametrize(("most", "same"), [(0, True), (2, False)])
def test_moves_are_part_of_the_key_where_they_are_limited(most: int, same: bool) -> None:
    keys = set()
    for path in ([1], [2, 1]):  # 2 wins nothing yet
        state = rules.state(Flood(1, 4, (0, 1, 2, 0), 3, most))
        for colour in path:
            rules.play(state, colour)
        keys.add(int(rules.key(state)))
    assert (len(keys) == 1) == same


def test_positions_after_more_moves_are_not_taken_for_others() -> None:
    """Small numbers of moves once took the place of areas in the key, and a walk went round for ever."""
    rng, seen = random.Random(3), dict[int, tuple[frozenset[int], int]]()
    puzzle = Flood(9, 9, tuple(rng.randrange(4) for _ in range(81)), 4, 30)
    for _ in range(40):
        state, path = rules.state(puzzle), list[int]()
        while choices := useful(puzzle, path):
            path.append(rng.choice(choices))
            rules.play(state, path[-1])
            position = (frozenset(played(puzzle, path).area), len(path))
            assert seen.setdefault(int(rules.key(state)), position) == position
    assert len(seen) > 300


def test_scores_and_codes() -> None:
    puzzle = Flood(1, 4, (0, 1, 2, 1), 3)
    state, scores, codes = rules.state(puzzle), [], []
    for colour in (1, 2, 1):
        scores.append(rules.score(state))
        codes.append(rules.code(state, colour))
        rules.play(state, colour)
    assert [*scores, rules.score(state)] == [-6.0, -5.0, -4.0, -3.0], "the fewer cells left, then the fewer moves"
    assert len({*codes}) == 3 and all(0 <= code < rules.CODES for code in codes)


def fewest(puzzle: Flood, path: list[int]) -> int:
    """The fewest moves to go, breadth first."""
    free = Flood(puzzle.rows, puzzle.cols, puzzle.cells, puzzle.colours)
    layer, moves = {frozenset(played(free, path).area): path}, 0
    while not any(len(area) == len(puzzle.cells) for area in layer):
        longer = [[*way, colour] for way in layer.values() for colour in useful(free, way)]
        layer, moves = {frozenset(played(free, way).area): way for way in longer}, moves + 1
    return moves


def test_the_bound_is_never_above_the_fewest_moves_and_often_equal() -> None:
    rng, equal, seen = random.Random(3), 0, 0
    for puzzle in [*boards(30)][1:]:
        free = Flood(puzzle.rows, puzzle.cols, puzzle.cells, puzzle.colours)
        state, path = rules.state(free), list[int]()
        while True:
            at = state.tally[0]
            low, far = bound(state, state.owned[at].copy(), state.reach[at].copy(), state.reach[at].copy(), 99)
            moves = fewest(free, path)
            assert low <= moves
            assert (low == 0) == (moves == 0) == (far == 0)
            equal, seen = equal + (low == moves), seen + 1
            if not moves:
                break
            path.append(rng.choice(useful(free, path)))
            rules.play(state, path[-1])
    assert equal > seen // 2


def solved(puzzle: Flood) -> Outcome:
    run = FloodSolver().solve(puzzle, NoSettings(), Clock(Budget()), 0)
    while True:
        try:
            next(run)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome


def test_the_solver_finds_the_fewest_moves() -> None:
    for puzzle in [*boards(40)][1:]:
        outcome, moves = solved(puzzle), fewest(puzzle, [])
        if puzzle.most and moves > puzzle.most:
            assert (outcome.status, outcome.counters["bound"] > puzzle.most) == ("proved_none", True)
            continue
        assert isinstance(outcome.solution, Moves)
        assert (outcome.status, outcome.counters["optimal"], len(outcome.solution.moves)) == ("complete", 1, moves)
        assert played(puzzle, [int(move) for move in outcome.solution.moves]).solved


def test_tree_search_and_nested_search_play_by_these_rules() -> None:
    puzzle = Flood(3, 3, (0, 1, 2, 2, 0, 1, 0, 1, 2), 3, 5)
    steps, widest = rules.limits(puzzle)
    nest = nested.nest(1, rules.CODES, steps, widest)
    why, _ = rules.search_nested(rules.state(puzzle), nest, nested.Manner(20, 1.0, 1, 0), seeded(1), 50)
    assert why == nested.SOLVED
    assert played(puzzle, nest.path[-1, : nest.length[-1]].tolist()).solved
    state, room, best = rules.state(puzzle), np.zeros((steps + 2, widest + 2), np.int64), np.full(1, -1.0)
    given = (state, tree(1000), mcts.Manner(0.5, True, 10), room, seeded(1), best)
    while rules.search_tree(*given, 50)[0] == mcts.SPENT:
        pass
    assert played(puzzle, state.path[: state.tally[0]].tolist()).solved
