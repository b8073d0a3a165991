"""The genetic solver: its answers, what they depend on and what not, when it ends, what it tells on the way."""

import threading
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dovetail import pipeline
from dovetail.core.errors import Refused
from dovetail.core.puzzle import Placement
from dovetail.core.solver import Budget, Clock, Outcome, Progress
from dovetail.jigsaw import driving, genetic, population, seams
from dovetail.jigsaw.cutting import built_in, cut, listed, shuffled
from dovetail.jigsaw.genetic import PATIENCE, SETTLED_FOR, Genetic, Settings
from dovetail.jigsaw.measures import MEASURES
from dovetail.jigsaw.population import Population
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.jigsaw.samples import small
from dovetail.jigsaw.scores import judge
from dovetail.workers import Inline
from support.jigsaws import Looks, ended, noise, part_of, seams_of

NOISE = noise((5, 6), (6, 6), 1)  # nothing belongs together, so that the best board is found late
QUICK: dict[str, Any] = {"population": 40, "generations": 8, "workers": 1}


def run(
    puzzle: Jigsaw, seed: int = 0, clock: Clock | None = None, **settings: Any
) -> tuple[list[Progress], Outcome, Placement]:
    """What is told on the way, how it ends, and the answer."""
    return ended(Genetic().solve(puzzle, Settings(**{**QUICK, **settings}), clock or Clock(Budget()), seed))


def boards(told: list[Progress]) -> list[Progress]:
    """One a generation."""
    return [event for event in told if event.solution is not None]


def totals(told: list[Progress]) -> list[float]:
    return [event.details["fitness"] for event in boards(told)]


# answers


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("relative", [False, True])
def test_the_small_sample_is_solved_by_every_measure(measure: str, relative: bool) -> None:
    puzzle, truth = part_of("chelsea", 4, 6, top=60, left=140)
    assert puzzle == small()
    for seed in range(3):
        _, outcome, answer = run(puzzle, seed, measure=measure, relative=relative, population=100, generations=100)
        verdict = judge(puzzle, answer, truth)
        assert verdict.solved and verdict.scores["perfect"] == 1
        assert outcome.status == "complete"


@pytest.mark.parametrize(("rows", "cols"), [(1, 12), (12, 1), (2, 2), (1, 2), (2, 1)])
def test_frames_of_any_shape(rows: int, cols: int) -> None:
    puzzle, truth = part_of("coffee", rows, cols, top=40, left=120)
    _, _, answer = run(puzzle)
    assert judge(puzzle, answer, truth).solved


def test_pieces_that_are_not_square() -> None:
    pieces = cut(built_in("chelsea")[60:180, 140:300], 20, 32)
    puzzle, truth = shuffled(pieces, 6, 5, np.random.default_rng(2))
    assert judge(puzzle, run(puzzle)[2], truth).solved


def test_pieces_that_are_all_alike() -> None:
    _, outcome, answer = run(listed(np.zeros((6, 4, 4, 3), np.uint8), (2, 3)), generations=100)
    assert outcome.status == "complete" and outcome.counters["fitness"] == 0
    assert sorted(piece for row in answer.pieces for piece in row) == list(range(6))


@pytest.mark.parametrize(("image", "slack"), [("chelsea", 0.002), ("coffee", 0.003), ("astronaut", 0.003)])
def test_what_it_counts_is_what_the_checker_counts(image: str, slack: float) -> None:
    """Equation 2, with colours in quarter units and costs in whole numbers."""
    puzzle, _ = part_of(image, 4, 6, top=60, left=140)
    told, outcome, answer = run(puzzle, generations=3, exact=True)
    assert outcome.counters["fitness"] == pytest.approx(judge(puzzle, answer, None).scores["dissimilarity"], slack)
    for event in boards(told):
        assert isinstance(event.solution, Placement)
        scored = judge(puzzle, event.solution, None).scores["dissimilarity"]
        assert event.details["fitness"] == pytest.approx(scored, slack)


# what an answer depends on


@pytest.mark.parametrize("measure", ["lab", "mgc+"])
def test_workers_and_slices_change_nothing(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def answers(workers: int) -> tuple[Any, Outcome]:
        told, outcome, _ = run(NOISE, 5, measure=measure, relative=True, mutation=1.0, workers=workers)
        return boards(told), outcome

    once = answers(1)
    assert len(set(totals(once[0]))) > 3, "it had something to do"
    assert answers(2) == answers(3) == once
    for placements, numbers in ((1, 1), (100, 31)):
        monkeypatch.setattr(population, "SLICE_PLACEMENTS", placements)
        monkeypatch.setattr(seams, "BLOCK_NUMBERS", numbers)
        for workers in (1, 2, 3):
            assert answers(workers) == once


def test_the_seed_decides() -> None:
    seeds = (0, 1, 2, 2**63, 2**200)
    found = [run(NOISE, seed) for seed in seeds]
    assert [run(NOISE, seed) for seed in seeds] == found
    assert len({boards(told)[0].solution for told, _, _ in found}) == len(seeds), "other chromosomes to begin with"
    assert len({answer for _, _, answer in found}) > 1


def test_the_best_never_gets_worse() -> None:
    wild: dict[str, Any] = {"mutation": 0.5, "mutate": "placement", "generations": 30, "exact": True}
    for elite in (1, 4, 1000):
        best = totals(run(NOISE, elite=elite, **wild)[0])
        assert best == sorted(best, reverse=True)
        assert best[-1] < best[0]
    best = totals(run(NOISE, elite=0, **wild)[0])
    assert best != sorted(best, reverse=True), "without an elite it does"


def test_a_rate_a_child_is_spread_over_its_placements() -> None:
    assert run(NOISE, mutation=0.6) == run(NOISE, mutation=0.6 / 30, mutate="placement")
    assert run(NOISE, mutation=0.0) == run(NOISE, mutation=0.0, mutate="placement")
    assert run(NOISE, mutation=0.6)[2] != run(NOISE, mutation=0.0)[2]
    calm, wild = (run(small(), mutation=0.5, mutate=mutate, exact=True)[1] for mutate in ("child", "placement"))
    assert calm.counters["agreement"] > 0.95 > 0.8 > wild.counters["agreement"]


@pytest.mark.parametrize("pressure", [0.0, 1.0, 3.0])
def test_the_wheel_turns_by_rank(pressure: float) -> None:
    """Each of four chromosomes as often as its slot says."""
    settings = Settings(population=4, pressure=pressure)
    wheel = Population(seams_of(noise((1, 2), (2, 2), 0)), 1, 2, settings, 0, Inline(), 1)
    chosen: Counter[int] = Counter()
    for wheel.number in range(3000):
        parents = wheel._roulette()
        assert parents.shape == (4, 2)
        chosen.update(parents.ravel().tolist())
    slots = [(1 - rank / 4) ** pressure for rank in range(4)]
    assert [chosen[rank] / chosen.total() for rank in range(4)] == pytest.approx(
        [slot / sum(slots) for slot in slots], abs=0.015
    )


# when it ends


def test_exact_runs_all_generations() -> None:
    for generations in (1, 2, 40):
        told, outcome, _ = run(small(), generations=generations, exact=True)
        assert outcome.status == "complete"
        assert outcome.counters["generations"] == generations == len(boards(told)) - 1


def test_a_population_that_agrees_stops_soon() -> None:
    told, outcome, answer = run(small(), generations=1000, population=100)
    assert outcome.status == "complete"
    assert SETTLED_FOR <= outcome.counters["generations"] < PATIENCE
    assert len(set(totals(told)[-1 - SETTLED_FOR :])) == 1 and outcome.counters["agreement"] >= genetic.SETTLED
    assert answer == run(small(), generations=40, exact=True, population=100)[2]


def test_a_population_that_never_agrees_stops_when_nothing_gets_better() -> None:
    told, outcome, _ = run(NOISE, generations=10_000, mutation=1.0, mutate="placement")
    best = totals(told)
    assert outcome.status == "complete"
    assert outcome.counters["agreement"] < 0.5
    assert outcome.counters["generations"] == len(best) - 1 < 1000
    assert best[-1 - PATIENCE] == best[-1] < best[-2 - PATIENCE]


@pytest.mark.parametrize(("size", "elite"), [(2, 0), (2, 1), (2, 4), (5, 5), (5, 1000)])
def test_small_populations(size: int, elite: int) -> None:
    """At least one child is born in every generation, whatever the elite."""
    told, outcome, answer = run(NOISE, population=size, elite=elite, generations=60, exact=True, mutation=1.0)
    assert outcome.status == "complete" and judge(NOISE, answer, None).valid
    assert len(set(totals(told))) > 1


def test_out_of_steps_is_out_of_budget() -> None:
    whole = boards(run(NOISE)[0])
    for steps in (1, 3):
        told, outcome, answer = run(NOISE, clock=Clock(Budget(steps=steps)))
        assert (outcome.status, outcome.counters["generations"]) == ("out_of_budget", steps)
        assert boards(told) == whole[: steps + 1], "the same as without an end"
        assert answer == told[-1].solution


@pytest.mark.parametrize("relative", [False, True])
def test_out_of_time_while_measuring_gives_the_pieces_as_given(relative: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seams, "BLOCK_NUMBERS", 1)  # a look at the clock after every row
    for looks in (0, 1, 100):
        told, outcome, answer = run(NOISE, clock=Looks(looks), relative=relative)
        assert not boards(told)
        assert (outcome.status, outcome.counters) == ("out_of_budget", {"generations": 0})
        assert answer == Placement.from_flat(range(30), [0] * 30, 6)
        assert judge(NOISE, answer, None).valid


def test_out_of_time_at_any_moment_gives_a_valid_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(population, "SLICE_PLACEMENTS", 200)
    ends = set()
    for looks in range(60):
        clock = Looks(looks)
        _, outcome, answer = run(NOISE, clock=clock, generations=3)
        assert judge(NOISE, answer, None).valid
        assert clock.steps == outcome.counters["generations"], "what was not finished is not booked"
        ends.add((outcome.status, outcome.counters["generations"]))
    assert ends == {*(("out_of_budget", done) for done in range(3)), ("complete", 3)}


def test_a_run_that_nobody_watches_to_the_end_leaves_no_thread() -> None:
    before = threading.active_count()
    work = Genetic().solve(NOISE, Settings(population=40, workers=2), Clock(Budget()), 0)
    next(work)
    assert threading.active_count() > before
    work.close()
    assert threading.active_count() == before


# what it tells


def test_progress_has_a_board_for_every_generation() -> None:
    told, outcome, answer = run(NOISE)
    shown = boards(told)
    assert [event.steps for event in shown] == [event.best for event in shown] == list(range(9))
    for event in shown:
        assert (event.unit, event.best_name, event.goal) == ("generations", "generation", 8)
        assert event.details.keys() == {"fitness", "agreement"}
        assert isinstance(event.solution, Placement) and judge(NOISE, event.solution, None).valid
    agreement = [event.details["agreement"] for event in shown]
    assert agreement[0] == 0 and all(0 <= share <= 1 for share in agreement) and agreement[-1] > agreement[1]
    assert shown[-1].solution == answer
    assert {**shown[-1].details, "generations": 8} == outcome.counters


def test_glances_in_between_count_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows measured first, then parts of generations."""
    monkeypatch.setattr(driving, "GLANCE_S", 0.0)
    monkeypatch.setattr(seams, "BLOCK_NUMBERS", 30)
    monkeypatch.setattr(population, "SLICE_PLACEMENTS", 60)
    told, _, _ = run(NOISE)
    measuring = [event for event in told if event.best_name == "sides measured"]
    breeding = told[told.index(boards(told)[0]) :]
    assert all(event.best_name == "generation" for event in breeding)
    for part, goal in ((measuring, 4 * 30), (breeding, 8)):
        shares = [event.best for event in part]
        assert shares == sorted(shares) and len(set(shares)) > 50
        assert all(event.goal == goal and event.best <= goal for event in part)


def test_no_glance_tells_of_boards_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "GLANCE_S", 0.0)
    monkeypatch.setattr(population, "SLICE_PLACEMENTS", 60)
    told, _, _ = run(NOISE)
    generations = [event.best for event in told if event.best_name == "generation"]
    assert generations == sorted(generations)
    assert all(event.details.get("fitness", 1) > 0 for event in told)


# what it takes


@pytest.mark.parametrize(
    ("puzzle", "why"),
    [
        (replace(NOISE, rotate=True), "its pieces may be turned, and the genetic solver takes pieces of known"),
        (replace(NOISE, height=3, sides=2), "its pieces have two sides, and the genetic solver takes pieces with one"),
        (replace(NOISE, rows=None, cols=None, mixed=True), "there may be several pictures in it, and the genetic"),
        (replace(NOISE, foreign=True), "some of its pieces may be foreign, and the genetic solver lays all of them"),
        (replace(NOISE, rows=None, cols=None), "the size of its frame is not known; say it with --set rows="),
        (replace(NOISE, rows=6), "6 pieces are missing, and the genetic solver needs all of them"),
    ],
)
def test_refuses_what_the_paper_does_not_solve(puzzle: Jigsaw, why: str) -> None:
    fit = Genetic().accepts(puzzle)
    assert not fit.accepted and why in fit.why
    with pytest.raises(Refused, match=why.split(";")[0]):
        pipeline.solve(puzzle, solver="genetic")
    assert Genetic().accepts(NOISE).accepted


def test_refuses_other_puzzles() -> None:
    fit = Genetic().accepts(pipeline.read("terracotta-3x4"))
    assert (fit.accepted, fit.why) == (False, "it puts pictures together, and this is a terracotta puzzle")


def test_says_how_much_memory_it_will_hold() -> None:
    """Two bytes a seam, and twelve for a piece in each of two generations of chromosomes."""
    few, many = (Genetic().memory_mb(NOISE, Settings(population=number)) for number in (1000, 100_000))
    assert many - few == pytest.approx(12 * 99_000 * 30 / 1e6)
    with pytest.raises(Refused, match=f"genetic would come to hold about {many:,.0f} MB, and --memory allows 200 MB"):
        pipeline.solve(NOISE, solver="genetic", memory_mb=200, population=100_000)


@pytest.mark.parametrize("measure", MEASURES)
def test_warming_up_leaves_nothing_to_compile(measure: str) -> None:
    """Every kernel that a run needs was compiled for the very types that it is called with."""
    from dovetail.jigsaw import kernels

    def compiled() -> dict[str, int]:
        found = {name: getattr(kernels, name) for name in dir(kernels)}
        return {name: len(each.signatures) for name, each in found.items() if hasattr(each, "signatures")}

    for relative in (False, True):
        Genetic().warm_up(NOISE, Settings(measure=measure, relative=relative))
        before = compiled()
        run(NOISE, measure=measure, relative=relative)
        assert compiled() == before
        assert before["cross"] and before["rank"]
