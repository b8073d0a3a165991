"""Depth-first search on Terracotta: the paper's algorithms, parallel starts, determinism."""

import threading
from typing import Any

import pytest

from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.errors import Refused
from dovetail.core.solver import Budget, Progress
from dovetail.tiles.depth_first import DepthFirst
from dovetail.tiles.puzzle import Tiles
from dovetail.tiles.terracotta import Terracotta, standard, turned

# half the tiles are the same pinwheel, which fits beside almost nothing, itself included
HOPELESS = Terracotta(7, 10, standard().tiles[:35] + ((0, 3, 1, 2),) * 35)
GRID = pytest.mark.parametrize("arrangement", ["I", "II"])


def test_the_standard_set_is_one_tile_of_each_class() -> None:
    tiles = standard().tiles
    orbits = [frozenset(turned(tile, k) for k in range(4)) for tile in tiles]
    assert len(set(orbits)) == 70
    assert len(frozenset().union(*orbits)) == 256
    assert [sum(len(o) == size for o in orbits) for size in (4, 2, 1)] == [60, 6, 4]


@pytest.mark.parametrize("seed", range(10))
def test_solves_the_standard_puzzle(seed: int) -> None:
    answer = pipeline.solve("terracotta", seed=seed, time_s=None, steps=50_000_000)
    assert answer.verdict.solved


@GRID
@pytest.mark.parametrize("algorithm", ["1", "2"])
def test_the_papers_algorithms_solve_small_boards(algorithm: str, arrangement: str) -> None:
    for seed in range(3):
        puzzle, _ = pipeline.generate("terracotta", seed, rows=3, cols=4)
        answer = pipeline.solve(puzzle, algorithm=algorithm, arrangement=arrangement, seed=seed)
        assert answer.outcome.status == "complete"
        assert answer.verdict.solved


@GRID
def test_the_papers_two_algorithms_prove_the_same(arrangement: str) -> None:
    tiles = ((0, 0, 0, 0), (1, 3, 1, 3), (0, 1, 2, 3), (3, 3, 3, 2))
    puzzle = Terracotta(2, 2, tiles)
    results = {
        pipeline.solve(puzzle, algorithm=algorithm, arrangement=arrangement).outcome.status
        for algorithm in ("fast", "1", "2")
    }
    assert len(results) == 1


def test_the_papers_recursion_refuses_what_would_overflow_the_stack() -> None:
    puzzle, _ = pipeline.generate("terracotta", 0, rows=30, cols=30, repeats=True)
    with pytest.raises(Refused, match="400 tiles at most"):
        pipeline.solve(puzzle, algorithm="1")
    assert pipeline.solve(puzzle, steps=10_000).verdict.valid


@pytest.mark.parametrize("algorithm", ["fast", "2"])
def test_parallel_starts_are_repeatable_and_never_need_more_placements_each(algorithm: str) -> None:
    for seed in range(3):
        puzzle = standard() if algorithm == "fast" else pipeline.generate("terracotta", seed, rows=4, cols=4)[0]
        one = pipeline.solve(puzzle, seed=seed, algorithm=algorithm)
        runs = [pipeline.solve(puzzle, seed=seed, algorithm=algorithm, parallel=3) for _ in range(3)]
        assert runs[0].outcome.counters["placements"] <= 3 * one.outcome.counters["placements"]
        assert len({run.solution for run in runs}) == 1
        assert runs[0].verdict.solved
        assert runs[0].outcome.counters["starts"] == 3
        assert [run.outcome for run in runs] == [runs[0].outcome] * 3


def test_parallel_starts_share_a_step_budget_exactly() -> None:
    for steps in (1, 2, 3, 1001):
        answer = pipeline.solve("terracotta", parallel=3, steps=steps, time_s=None)
        assert answer.outcome.counters["placements"] == steps


def test_shuffles_are_deterministic_and_differ_by_seed() -> None:
    def board(seed: int, algorithm: str) -> object:
        return pipeline.solve("terracotta", seed=seed, algorithm=algorithm, steps=500, time_s=None).solution

    for algorithm in ("fast", "1", "2"):
        assert board(1, algorithm) == board(1, algorithm)
        assert board(1, algorithm) != board(2, algorithm)


def test_progress_tells_of_the_best_board_so_far() -> None:
    for parallel in (1, 2):
        seen: list[Progress] = []
        answer = pipeline.solve(HOPELESS, time_s=0.5, parallel=parallel, progress=seen.append)
        assert len(seen) >= 3
        assert all(event.unit == "placements" and event.goal == 70 for event in seen)
        for event in seen:
            if event.solution is None:
                assert parallel > 1, "another thread is at work on it just now"
                continue
            verdict = pipeline.check(HOPELESS, event.solution)
            assert verdict.valid
            assert verdict.scores["placed"] == event.best
        assert answer.outcome.counters["most_placed"] >= seen[-1].best


def test_a_run_that_nobody_watches_to_the_end_leaves_no_thread() -> None:
    job = pipeline.Job(HOPELESS, "depth-first", Budget(wall_s=60), seed=0, given={"parallel": 2})
    job.warm_up()
    before = threading.active_count()
    events = iter(job)
    next(events)
    assert threading.active_count() > before
    del events
    assert threading.active_count() == before


@pytest.mark.parametrize("algorithm", ["fast", "2"])
def test_proofs_are_repeatable_too(algorithm: str) -> None:
    """An exhausted tree costs every start equally much, so all of them end in a tie."""
    tiles = pipeline.read("terracotta-3x4")
    assert isinstance(tiles, Terracotta)
    puzzle = Terracotta(3, 4, ((0, 3, 1, 2),) * 3 + tiles.tiles[3:])
    runs = [pipeline.solve(puzzle, algorithm=algorithm, parallel=3, steps=10**7, time_s=None) for _ in range(15)]
    assert {run.outcome.status for run in runs} == {"proved_none"}
    assert len({run.solution for run in runs}) == 1
    assert len({run.outcome.counters["placements"] for run in runs}) == 1


@pytest.mark.parametrize("settings", [{"restart": 1}, {"algorithm": "1"}, {"restart": 0}])
def test_many_starts_stop_in_time(settings: dict[str, Any]) -> None:
    puzzle, _ = pipeline.generate("terracotta", 0, rows=20, cols=20, repeats=True)
    answer = pipeline.solve(puzzle, time_s=0.5, parallel=64, **settings)
    assert answer.outcome.status == "out_of_budget"
    assert answer.report.seconds.solve < 3.0  # a fifth of that, if nobody else wants the machine


def test_the_papers_algorithms_are_for_corner_arrows() -> None:
    with pytest.raises(Refused, match="for terracotta"):
        pipeline.solve("tiles-6x6", algorithm="1")


def test_auto_takes_the_solver_for_the_size_of_the_search() -> None:
    """A plain search where it ends in seconds; the best score where no search will end."""
    easy, hopeless = (
        pipeline.generate("tiles", 0, width=side, height=side, colours=colours)[0]
        for side, colours in ((5, 5), (16, 17))
    )
    assert registry.choose(easy)[0].name == "depth-first"
    assert registry.choose(hopeless)[0].name == "partial"
    assert not DepthFirst().accepts(Tiles(2, 2, ((1, 1, 1, 1),) * 3)).accepted


@pytest.mark.parametrize("arrangement", ["auto", "rows", "columns", "diagonal", "spiral", "constrained"])
def test_every_arrangement_solves_the_samples(arrangement: str) -> None:
    for name in ("tiles-frame", "tetravex", "scramble-squares"):
        assert pipeline.solve(name, solver="depth-first", arrangement=arrangement).verdict.solved


def test_the_best_board_outlives_a_restart() -> None:
    """However many restarts fall into one slice of work, the fullest board of all of them is what is told."""
    boards = [
        pipeline.solve(HOPELESS, solver="depth-first", time_s=None, steps=steps, restart=200).verdict.scores["placed"]
        for steps in (200, 5000, 200_000)
    ]
    assert boards == sorted(boards)
    assert boards[0] < boards[-1]
