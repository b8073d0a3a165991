"""Nested rollout policy adaptation beside a recursive twin. Also run with the compiler off (make test)."""

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pytest

from dovetail.moves.games.samegame import SCORE, SameGame
from dovetail.moves.rules import samegame
from dovetail.search import nested
from dovetail.search.chance import draw, seeded

BOARD = SameGame(4, 5, (1, 2, 3, 1, 2, 2, 1, 1, 3, 3, 1, 3, 2, 2, 1, 3, 1, 3, 2, 1), SCORE)
Policy = dict[int, float]


@dataclass
class Played:
    """A play: its score, its moves, and at each step the codes and weights there were and which one it took."""

    score: float
    path: list[int]
    steps: list[tuple[list[tuple[int, float]], int]]


class Twin:
    """As Rosin 2011 writes it down, with recursion and policies as logarithms."""

    def __init__(self, manner: nested.Manner, seed: int) -> None:
        self.manner, self.chance, self.state = manner, seeded(seed), samegame.state(BOARD)
        self.best: Played | None = None
        self.plays: list[float] = []

    def search(self, level: int, policy: Policy) -> Played:
        if level == 0:
            return self.play(policy)
        policy, best, again, runs = defaultdict(float, policy), None, 0, 0
        while runs < self.manner.runs and not (self.manner.repeats and again >= self.manner.repeats):
            for _ in range(self.manner.plays if level == 1 else 1):
                found = self.search(level - 1, policy)
                if best is None or found.score >= best.score:
                    again = again + 1 if best is not None and found.score == best.score else 0
                    best = found
            assert best is not None
            policy = self.adapted(policy, best)
            runs += 1
        assert best is not None
        return best

    def play(self, policy: Policy) -> Played:
        state, out = self.state, np.zeros(20, np.int64)
        samegame.back(state, 0)
        steps = []
        while number := samegame.moves(state, out):
            moves = [int(move) for move in out[:number]]
            codes = [(int(samegame.code(state, move)), float(samegame.weigh(state, move))) for move in moves]
            weights = [math.exp(policy[code]) * odds for code, odds in codes]
            aim = draw(self.chance, 2**53) / 2**53 * sum(weights)
            chosen = next(i for i in range(number) if i == number - 1 or sum(weights[: i + 1]) > aim)
            steps.append((codes, chosen))
            samegame.play(state, moves[chosen])
        played = Played(float(samegame.score(state)), state.path[: len(steps)].tolist(), steps)
        self.plays.append(played.score)
        if self.best is None or played.score > self.best.score:
            self.best = played
        return played

    def adapted(self, policy: Policy, best: Played) -> Policy:
        policy, changed = defaultdict(float, policy), defaultdict(float, policy)
        for codes, chosen in best.steps:
            weights = [math.exp(policy[code]) * odds for code, odds in codes]
            for (code, _), weight in zip(codes, weights, strict=True):
                changed[code] -= self.manner.alpha * weight / sum(weights)
            changed[codes[chosen][0]] += self.manner.alpha
        return changed


@pytest.mark.parametrize(
    ("levels", "manner"),
    [
        (1, nested.Manner(12, 1.0, 1, 0)),
        (2, nested.Manner(4, 1.0, 1, 0)),
        (2, nested.Manner(4, 0.5, 3, 0)),
        (3, nested.Manner(3, 1.0, 1, 0)),
        (2, nested.Manner(6, 1.5, 1, 1)),
    ],
)
def test_the_same_plays_as_the_recursive_twin(levels: int, manner: nested.Manner) -> None:
    twin = Twin(manner, 5)
    twin.search(levels, defaultdict(float))
    twin.search(levels, defaultdict(float))  # begun anew, nothing learnt is left
    state, chance = samegame.state(BOARD), seeded(5)
    room = nested.nest(levels, samegame.CODES, *samegame.limits(BOARD))
    scores = []
    for _ in twin.plays:  # one by one, since it may be cut anywhere
        assert samegame.search_nested(state, room, manner, chance, 1) == (nested.SPENT, 1)
        scores.append(float(room.best[0]))
    assert scores == twin.plays
    assert room.counts[-1, 0] == 2
    assert twin.best is not None
    assert room.best[-1] == twin.best.score
    assert room.path[-1, : room.length[-1]].tolist() == twin.best.path


def test_weights_stay_numbers_however_long_it_learns() -> None:
    room = nested.nest(1, samegame.CODES, *samegame.limits(BOARD))
    state, chance = samegame.state(BOARD), seeded(1)
    samegame.search_nested(state, room, nested.Manner(10**9, 200.0, 1, 0), chance, 60)
    assert np.isfinite(room.weights).all()
    assert (room.weights > 0).all()


def test_it_ends_with_the_play_that_reaches_the_goal() -> None:
    puzzle = SameGame(2, 4, (1, 2, 3, 3, 1, 2, 4, 4))
    room = nested.nest(1, samegame.CODES, *samegame.limits(puzzle))
    why, made = samegame.search_nested(samegame.state(puzzle), room, nested.Manner(9, 1.0, 1, 0), seeded(1), 100)
    assert (why, made) == (nested.SOLVED, 1)
    assert room.length[-1] == 4
