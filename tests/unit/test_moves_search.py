"""Tree search through games: its versions, its switches, searches side by side."""

import multiprocessing
import random
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace

import pytest

from dovetail.core import registry
from dovetail.core.puzzle import Moves
from dovetail.core.solver import Budget, Clock, Outcome, Progress
from dovetail.moves import tree_search
from dovetail.moves.games.samegame import SameGame, SameGameKind
from dovetail.moves.mcts import (
    Mcts,
    MctsOptimized,
    MctsReliable,
    MctsSingle,
    MctsStandard,
    Optimized,
    Reliable,
    Single,
    Standard,
    search,
)

VERSIONS: list[type[Mcts]] = [MctsStandard, MctsOptimized, MctsReliable, MctsSingle]
EASY = SameGame(4, 4, (1, 2, 3, 1, 1, 2, 3, 3, 2, 1, 1, 2, 2, 3, 3, 2))
# the last block of colour 3 has no other to go with
LONELY = SameGame(3, 3, (1, 2, 1, 2, 3, 2, 1, 1, 1))


def dealt(seed: int) -> SameGame:
    """A board by chance; few random plays clear it."""
    chance = random.Random(seed)
    return SameGame(11, 11, tuple(chance.randint(1, 5) for _ in range(121)))


HARD = dealt(3)
SCORED = replace(HARD, goal="score")


def run(
    solver: Mcts, puzzle: SameGame, settings: Standard, budget: Budget, seed: int = 0
) -> tuple[Outcome, list[Progress]]:
    """How it ends, and what it says until then."""
    said, running = [], solver.solve(puzzle, settings, Clock(budget), seed)
    while True:
        try:
            said.append(next(running))
        except StopIteration as end:
            assert isinstance(end.value, Outcome)
            return end.value, said


def solved(puzzle: SameGame, outcome: Outcome) -> bool:
    assert isinstance(outcome.solution, Moves)
    verdict = SameGameKind().check(puzzle, outcome.solution)
    assert verdict.valid, verdict.violations
    return bool(verdict.solved)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_clears_an_easy_board(version: type[Mcts]) -> None:
    outcome, _ = run(version(), EASY, version.settings_type(), Budget(steps=2000))
    assert outcome.status == "complete"
    assert solved(EASY, outcome)


def test_plays_that_are_cut_off_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(LONELY), "plays_cut_off", True)
    outcome, _ = run(MctsReliable(), LONELY, Reliable(), Budget(steps=5000))
    assert outcome.status == "partial"


@pytest.mark.parametrize("version", VERSIONS)
def test_what_cannot_be_cleared_is_proved(version: type[Mcts]) -> None:
    outcome, _ = run(version(), LONELY, replace(version.settings_type(), rollouts=0), Budget(steps=5000))
    assert outcome.status == "proved_none"


def test_the_versions_get_better() -> None:
    """Rollouts that are weighed and validated clear more; the reliable search does not stop before it has."""
    boards = [dealt(seed) for seed in range(4)]
    standard, optimized, reliable = (
        sum(solved(board, run(version(), board, version.settings_type(), Budget(30), seed=3)[0]) for board in boards)
        for version in VERSIONS[:3]
    )
    assert standard < optimized < reliable == len(boards)


def test_standard_gives_up_after_its_rollouts() -> None:
    outcome, _ = run(MctsStandard(), HARD, Standard(rollouts=30), Budget(20))
    assert outcome.status == "partial"
    assert outcome.counters["rollouts"] == 30
    assert not solved(HARD, outcome)


def test_fast_rollouts_are_the_same_rollouts() -> None:
    """Built anew or taken back: the state is what it is."""
    slow, fast = (run(MctsStandard(), HARD, Standard(fast=fast, rollouts=200), Budget())[0] for fast in (False, True))
    assert slow == fast


def test_progress_shows_each_better_play() -> None:
    outcome, said = run(MctsReliable(), HARD, Reliable(), Budget(20))
    shown = [progress.solution for progress in said if progress.solution is not None]
    assert shown
    assert shown[-1] == outcome.solution
    assert [progress.best for progress in said] == sorted(progress.best for progress in said)
    assert said[-1].best == said[-1].goal == 1.0


@pytest.mark.parametrize(
    "settings",
    [Single(), Single(tree="move", per_move=20), Single(restart=100), Optimized(points=True), Reliable(), Standard()],
    ids=["single", "move by move", "restarts", "optimized", "reliable", "standard"],
)
def test_points_are_played_for_until_the_budget_is_spent(settings: Standard) -> None:
    outcome, said = run(MctsSingle(), SCORED, replace(settings, rollouts=0), Budget(steps=1500))
    assert outcome.status == "out_of_budget"
    assert solved(SCORED, outcome), "any play to the end will do"
    assert outcome.counters["rollouts"] == 1500
    assert isinstance(outcome.solution, Moves)
    scores = SameGameKind().check(SCORED, outcome.solution).scores
    if settings.points:
        assert scores["points"] == outcome.counters["best"] == max(progress.best for progress in said)


def test_points_wanted_are_a_goal() -> None:
    reached, _ = run(MctsSingle(), SCORED, Single(), Budget(steps=1500))
    wanted = int(reached.counters["best"]) - 20
    outcome, _ = run(MctsSingle(), replace(SCORED, target=wanted), Single(), Budget(steps=5000))
    assert outcome.status == "complete"
    assert outcome.counters["rollouts"] <= 1500
    tiny = replace(EASY, goal="score", target=9000)
    assert run(MctsReliable(), tiny, Reliable(), Budget(steps=10**5))[0].status == "proved_none"


def test_all_plays_of_a_small_board_seen_is_complete() -> None:
    tiny = replace(LONELY, goal="score")
    outcome, _ = run(MctsSingle(), tiny, Single(), Budget(steps=10**5))
    assert outcome.status == "complete"
    assert outcome.counters["rollouts"] < 10**5


def test_a_tree_that_grows_is_the_same_search(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Optimized(transpositions=True)
    large = search(HARD, settings, 1)
    monkeypatch.setattr(tree_search, "NODES", 64)
    small = search(HARD, settings, 1)
    for one in (small, large):
        one.advance(400)
    assert (small.steps, small.path, small.nodes) == (large.steps, large.path, large.nodes)
    assert small.nodes > 64
    assert small.restarts == 0


def test_a_full_tree_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_search, "NODES", 512)
    monkeypatch.setattr(tree_search, "MOST_NODES", 512)
    outcome, _ = run(MctsReliable(), HARD, Reliable(), Budget(30))
    assert outcome.counters["restarts"] > 0
    assert outcome.counters["nodes"] <= 512
    assert solved(HARD, outcome)


def test_restarts_and_moves_come_when_they_are_due() -> None:
    started = search(SCORED, Single(restart=50), 0)
    started.advance(175)
    assert started.restarts == 3
    moved = search(SCORED, Single(tree="move", per_move=50), 0)
    moved.advance(149)
    assert moved._tree.root[1] == 2
    assert moved._tree.parent[moved._tree.parent[moved._tree.root[0]]] == 0
    moved.advance(1)
    assert moved._tree.root[1] == 3


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_searches_side_by_side_give_the_same_answer_every_time(workers: int) -> None:
    settings = Reliable(workers=workers)
    first, second = (run(MctsReliable(), HARD, settings, Budget(steps=30_000), seed=5)[0] for _ in range(2))
    assert first == second
    assert first.status == "complete"


@pytest.mark.parametrize("settings", [Reliable(workers=2), Optimized(workers=2, rollouts=61)])
def test_any_executor_gives_the_same_answer(settings: Standard) -> None:
    def answer(executor: Executor | None) -> Outcome:
        return run(MctsReliable(executor), EASY, settings, Budget(steps=200))[0]

    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert answer(pool) == answer(None)


def test_a_budget_in_steps_is_shared_by_the_workers() -> None:
    outcome, _ = run(MctsSingle(), SCORED, Single(workers=3), Budget(steps=100))
    assert outcome.counters["rollouts"] == 100
    assert outcome.status == "out_of_budget"


def test_only_games_without_chance() -> None:
    for version in VERSIONS:
        assert version().accepts(EASY).accepted
        for name in ("2048", "tetris", "sudoku"):
            puzzle = next(iter(registry.kind(name).samples().values()))()
            fit = version().accepts(puzzle)
            assert not fit.accepted
            assert name in fit.why
