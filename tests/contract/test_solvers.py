"""What every registered solver must do on every sample it accepts."""

import dataclasses
import time
from typing import Any, ClassVar

import pytest

from dovetail import pipeline
from dovetail.core import registry, settings
from dovetail.core.errors import Refused
from dovetail.core.puzzle import Puzzle
from dovetail.core.solver import Budget
from support.registered import SAMPLES, SOLVERS, sample, samples_for, solver, steps

each_solver = pytest.mark.parametrize(("family", "name"), SOLVERS)
STEPS = 200_000


@dataclasses.dataclass(frozen=True)
class Nothing(Puzzle):
    """A puzzle no solver can know."""

    kind: ClassVar[str] = "nothing"
    size: ClassVar[str] = "0x0"

    def encode(self) -> dict[str, Any]:
        return {}


@each_solver
def test_says_what_it_is(family: str, name: str) -> None:
    chosen = solver(family, name)
    assert (chosen.family, chosen.name) == (family, name)
    assert chosen.title and chosen.accepts_text and chosen.status
    assert samples_for(chosen), "a solver accepts at least one sample"
    for described in settings.describe(chosen.settings_type):
        assert described["help"]


@each_solver
def test_refuses_wrong_kinds_with_a_reason(family: str, name: str) -> None:
    fit = solver(family, name).accepts(Nothing())
    assert not fit.accepted
    assert fit.why


def test_a_solver_of_another_family_is_refused_by_name() -> None:
    refused = 0
    for kind, sample_name in SAMPLES:
        own = [s.name for s in registry.solvers(registry.kind(kind).family)]
        for name in {name for _, name in SOLVERS if name not in own}:
            refused += 1
            with pytest.raises(Refused, match=name):
                registry.choose(sample(kind, sample_name), name)
    assert refused


@each_solver
def test_same_seed_same_result(family: str, name: str) -> None:
    for puzzle in samples_for(solver(family, name)):
        runs = [pipeline.solve(puzzle, solver=name, time_s=None, steps=steps(name, STEPS), seed=3) for _ in range(2)]
        first, second = ((run.solution, run.verdict, run.outcome) for run in runs)
        assert first == second


@each_solver
def test_claims_agree_with_the_checker(family: str, name: str) -> None:
    for puzzle in samples_for(solver(family, name)):
        answer = pipeline.solve(puzzle, solver=name, time_s=4, seed=1)
        assert answer.outcome.status != "failed"
        if answer.outcome.status == "complete":
            assert answer.verdict.passes
        assert answer.verdict.valid, answer.verdict.violations


@each_solver
@pytest.mark.parametrize("budget", [Budget(wall_s=0.0), Budget(steps=0), Budget(steps=1)])
def test_nearly_nothing_to_spend_still_gives_an_answer(family: str, name: str, budget: Budget) -> None:
    for puzzle in samples_for(solver(family, name)):
        answer = pipeline.solve(puzzle, solver=name, time_s=budget.wall_s, steps=budget.steps)
        assert answer.outcome.status in ("out_of_budget", "complete", "proved_none", "partial")
        assert answer.verdict.valid or answer.solution is None


@each_solver
@pytest.mark.parametrize("how", ["cancelled", "out of time"])
def test_stops_soon_with_a_valid_best(family: str, name: str, how: str) -> None:
    for puzzle in samples_for(solver(family, name)):
        job = pipeline.Job(puzzle, name, Budget(wall_s=60 if how == "cancelled" else 0.01), seed=0)
        job.warm_up()
        begin = time.monotonic()
        for _ in job:
            if how == "cancelled":
                job.cancel()
                begin = time.monotonic()
        assert time.monotonic() - begin < 2.0  # a twentieth of that, if nobody else wants the machine
        assert job.answer.verdict.valid


@each_solver
def test_cancelled_before_it_began(family: str, name: str) -> None:
    for puzzle in samples_for(solver(family, name)):
        job = pipeline.Job(puzzle, name, Budget(wall_s=60), seed=0)
        job.cancel()
        assert not list(job)
        assert job.answer.outcome.status == "out_of_budget"


@each_solver
def test_counts_what_it_finds(family: str, name: str) -> None:
    chosen = solver(family, name)
    for puzzle in samples_for(chosen):
        job = pipeline.Job(puzzle, name, Budget(steps=steps(name, STEPS)), seed=0)
        if not chosen.can_count():
            with pytest.raises(Refused):
                list(job.counting(2))
            continue
        job.warm_up()
        list(job.counting(None))
        report = job.report()
        assert report.run is not None
        counters = report.run.outcome.counters
        assert counters.get("solutions_with_rotations", counters["solutions"]) >= counters["solutions"] >= 0
