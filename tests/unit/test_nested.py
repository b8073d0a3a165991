"""The solver `nested`: what it finds, how it ends, and that it can be repeated."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from dovetail.core.puzzle import Moves
from dovetail.core.solver import Budget, Clock, Outcome, Progress
from dovetail.moves.games.samegame import SCORE, Making, SameGame, SameGameKind
from dovetail.moves.nested import Nested, Settings

KIND = SameGameKind()
CLEARABLE, _ = KIND.make(Making(6, 6, 3), 4)
RANDOM = replace(KIND.make(Making(8, 8, 4, random=True), 4)[0], target=0)
FEW = Settings(level=2, runs=20)


def solved(puzzle: SameGame, settings: Settings = FEW, seed: int = 1, **budget: Any) -> tuple[Outcome, list[Progress]]:
    seen: list[Progress] = []
    run = Nested().solve(puzzle, settings, Clock(Budget(**budget)), seed)
    while True:
        try:
            seen.append(next(run))
        except StopIteration as end:
            return end.value, seen


def points(puzzle: SameGame, outcome: Outcome) -> float:
    assert outcome.solution is not None
    verdict = KIND.check(puzzle, outcome.solution)
    assert verdict.valid
    return verdict.scores["points"]


def test_it_clears_a_board_and_ends() -> None:
    outcome, _ = solved(CLEARABLE, steps=100_000)
    assert outcome.status == "complete"
    assert outcome.solution is not None
    assert KIND.check(CLEARABLE, outcome.solution).passes
    assert outcome.counters["plays"] < 100_000


def test_it_plays_for_points_until_the_budget_is_spent() -> None:
    outcome, seen = solved(RANDOM, steps=3000)
    assert outcome.status == "out_of_budget"
    assert outcome.counters["plays"] == 3000
    assert outcome.counters["restarts"] == 3000 // 400
    assert points(RANDOM, outcome) == outcome.counters["best"]
    shown = [
        KIND.check(RANDOM, progress.solution).scores["points"] for progress in seen if progress.solution is not None
    ]
    assert shown == sorted({*shown}), "a solution is shown when it is better"
    assert shown[-1] == outcome.counters["best"]


def test_learning_beats_chance() -> None:
    """As many plays that nothing is learnt from score less, on boards where that takes more than luck."""
    boards = [replace(KIND.make(Making(12, 12, 5, random=True), seed)[0], target=0) for seed in (2, 3, 4)]
    totals = []
    for alpha in (1.0, 0.0):
        settings = Settings(level=3, runs=20, alpha=alpha)
        totals.append(sum(solved(puzzle, settings, steps=8000)[0].counters["best"] for puzzle in boards))
    assert totals[0] > 1.2 * totals[1]


def test_a_target_is_enough() -> None:
    best = solved(RANDOM, steps=3000)[0].counters["best"]
    aimed = replace(RANDOM, target=int(best) // 2)
    outcome, _ = solved(aimed, steps=3000)
    assert outcome.status == "complete"
    assert outcome.solution is not None
    assert KIND.check(aimed, outcome.solution).passes
    assert outcome.counters["plays"] < 3000


def test_the_same_however_it_is_cut_and_shared() -> None:
    """The answer depends on seed, budget and number of workers, not on who works."""
    outcomes = []
    for settings, executor in ((FEW, None), (replace(FEW, workers=2), None), (replace(FEW, workers=2), 3)):
        for _ in range(2):
            with ThreadPoolExecutor(executor) as pool:
                solver = Nested(pool if executor else None)
                run = solver.solve(RANDOM, settings, Clock(Budget(steps=2000)), 5)
                try:
                    while True:
                        next(run)
                except StopIteration as end:
                    outcomes.append(end.value)
    one, two = outcomes[:2], outcomes[2:]
    assert one[0] == one[1]
    assert all(outcome == two[0] for outcome in two)
    assert two[0].counters["plays"] == 2000
    assert solved(RANDOM, seed=6, steps=2000)[0] != one[0]


@pytest.mark.parametrize(
    ("puzzle", "status", "solution"),
    [
        (SameGame(1, 3, (1, 2, 1)), "proved_none", None),
        (SameGame(1, 3, (1, 2, 1), SCORE), "complete", Moves(())),
        (SameGame(1, 3, (1, 2, 1), SCORE, 5), "proved_none", None),
    ],
)
def test_a_board_without_a_move(puzzle: SameGame, status: str, solution: Moves | None) -> None:
    outcome, _ = solved(puzzle, steps=10)
    assert (outcome.status, outcome.solution) == (status, solution)
    assert solution is None or KIND.check(puzzle, solution).passes


def test_nothing_to_spend() -> None:
    outcome, seen = solved(RANDOM, steps=0)
    assert (outcome.status, outcome.solution, seen) == ("out_of_budget", Moves(()), [])


def test_it_takes_games_without_chance_and_prefers_points() -> None:
    fits = [Nested().accepts(puzzle) for puzzle in (CLEARABLE, RANDOM)]
    assert all(fit.accepted for fit in fits)
    assert fits[0].preference < 0.1 < 0.5 < fits[1].preference


def test_levels_end_early_where_the_best_came_again() -> None:
    """With fewer plays a restart, there are more restarts."""
    usual, early = (solved(RANDOM, replace(FEW, repeats=n), steps=3000)[0].counters["restarts"] for n in (0, 2))
    assert early > usual
