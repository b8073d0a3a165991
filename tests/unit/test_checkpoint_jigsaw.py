"""Long runs of the jigsaw solvers that are cut short, saved, and taken up again: the same end as in one go."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail import pipeline
from dovetail.core.checkpoint import Checkpoint
from dovetail.core.errors import BadInput
from dovetail.core.solver import Budget, Clock, Outcome, Solver
from dovetail.core.state import State, packed, unpacked
from dovetail.jigsaw import assembler, candidates, resuming
from dovetail.jigsaw.assembler import Assembler
from dovetail.jigsaw.deep import arranging
from dovetail.jigsaw.deep.solver import Deep
from dovetail.jigsaw.genetic import Genetic
from dovetail.jigsaw.poses import PERIOD, Fits
from dovetail.jigsaw.puzzle import Jigsaw, JigsawKind
from support.jigsaws import ended, noise

NOISE = noise((5, 6), (6, 6), 1)  # nothing belongs together, so that everything stays in doubt
SEED = 3


class Case:
    """A solver, a puzzle and settings."""

    def __init__(self, solver: Solver, puzzle: Jigsaw, **settings: Any) -> None:
        self.solver, self.puzzle, self.settings = solver, puzzle, solver.settings_type(**settings)

    def whole(self, steps: int | None = None) -> tuple[int, Outcome]:
        """In one go: how many glances, and how it ended."""
        told, outcome, _ = ended(self.solver.solve(self.puzzle, self.settings, Clock(Budget(steps=steps)), SEED))
        return len(told), outcome

    def part(self, state: State | None, glances: int | None, steps: int | None = None) -> tuple[State, Outcome | None]:
        """What is saved after so many glances, and the outcome if it ended before."""
        clock = Clock(Budget(steps=steps))
        if state is not None:
            clock.resume(state["clock"], state["solver"])
        run = self.solver.solve(self.puzzle, self.settings, clock, SEED)
        outcome: Outcome | None = None
        try:
            while glances != 0:
                next(run)
                glances = glances and glances - 1
        except StopIteration as end:
            outcome = end.value
        run.close()
        saved = {"clock": clock.spent(), "solver": clock.snapshot() if clock.snapshot else None}
        return unpacked(packed(saved)), outcome

    def resumed(self, glances: int, times: int, steps: int | None = None) -> Outcome:
        """Cut short so many times, each time after so many glances, then in one go."""
        state: State | None = None
        for _ in range(times):
            state, outcome = self.part(state, glances, steps)
            if outcome is not None:
                return outcome
        outcome = self.part(state, None, steps)[1]
        assert outcome is not None
        return outcome

    def refused(self, change: Callable[[State], None], glances: int = 10_000) -> None:
        """A state changed so is not taken up."""
        state, _ = self.part(None, glances)
        whole = self.part(state, None)[1]
        assert whole is not None
        change(state["solver"])
        with pytest.raises(BadInput):
            self.part(state, None)


def same(case: Case, steps: int, more: int) -> None:
    """Cut short anywhere, within a budget and without, the outcome is that of one go; also if the budget grows."""
    glances, whole = case.whole()
    within, some = case.whole(steps)
    assert whole.status == "complete"
    assert some.status == "out_of_budget"
    for share in (0.0, 0.5, 0.7, 0.99):
        assert case.resumed(max(1, int(share * glances)), 2) == whole
    assert case.resumed(within - 1, 2, steps) == some
    state, outcome = case.part(None, None, steps)
    assert outcome == some
    assert case.part(state, None, steps)[1] == some  # there is nothing left to do
    assert case.part(state, None, more)[1] == case.whole(more)[1]
    assert case.part(state, None)[1] == whole


# genetic

GENETIC = Case(Genetic(), NOISE, population=40, generations=8, workers=1)


@pytest.fixture(autouse=True)
def _glances_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dovetail.jigsaw.driving.GLANCE_S", 0.0)


def test_generations_are_taken_up() -> None:
    same(GENETIC, 3, 5)
    assert Case(Genetic(), NOISE, population=40, generations=8, workers=2).resumed(30, 2) == GENETIC.whole()[1]


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state["generation"]["boards"].__setitem__((0, 9), 30),
        lambda state: state["generation"]["boards"].__setitem__((0, 0), 3),
        lambda state: state["generation"]["phases"].__setitem__((0, 0), -1),
        lambda state: state.update(number=-1, totals=[]),
        lambda state: state.update(unit="1"),
        lambda state: state.pop("generation"),
    ],
)
def test_generations_of_nowhere_are_refused(change: Callable[[State], None]) -> None:
    GENETIC.refused(change, 30)


# assembler


def assembling(puzzle: Jigsaw, **settings: Any) -> Case:
    return Case(Assembler(), puzzle, **{"workers": 1, "effort": "fast", **settings})


def pinned(puzzle: Jigsaw, **hints: Any) -> Jigsaw:
    hinted = JigsawKind().with_hints(puzzle, hints, Path())
    assert isinstance(hinted, Jigsaw)
    return hinted


PIN = {"piece": 3, "row": 1, "column": 1}
BESIDE = {"piece": 1, "right": 2}
TURNED = replace(NOISE, rotate=True)
BAGS = {
    "turned": TURNED,
    "unframed": replace(TURNED, rows=None, cols=None),
    "foreign": replace(NOISE, foreign=True, rows=5, cols=5),
    "two-sided": replace(NOISE, sides=2, rows=3, cols=5),
    "mixed": replace(NOISE, mixed=True, rows=None, cols=None),
    "pinned": pinned(NOISE, pins=[PIN], neighbours=[BESIDE]),
    "pinned unframed": pinned(replace(NOISE, rows=None, cols=None), pins=[PIN]),
}


@pytest.mark.parametrize("name", BAGS)
def test_annealing_is_taken_up(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembler, "SLICE", 500)
    same(assembling(BAGS[name]), 1700, 2300)


def test_rounds_and_stages_are_taken_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """At every single glance, of several rounds, with hints of places, which begin once more."""
    monkeypatch.setattr(assembler, "SLICE", 1000)
    monkeypatch.setattr(assembler, "EFFORTS", {"best": assembler.Effort(80, 6_000_000, 2, 100)})
    case = assembling(BAGS["pinned"], effort="best")
    state, outcome = case.part(None, 50)
    met = set()
    while outcome is None:
        met.add((state["solver"]["first"] is not None, state["solver"]["rounds"]["vain"]))
        state, outcome = case.part(state, 2)
    assert outcome == case.whole()[1]
    assert met == {(stage, vain) for stage in (False, True) for vain in (0, 1)}


@pytest.fixture
def on_a_grid(monkeypatch: pytest.MonkeyPatch) -> Case:
    """Noise whose pieces say something of a grid."""

    def fits_of(puzzle: Jigsaw, *known: Any) -> Fits:
        lies = -np.random.default_rng(1).integers(0, 100, (4 * puzzle.count, 2, PERIOD)).astype(np.int16)
        return candidates_fits_of(puzzle, *known)._replace(lies=lies)

    candidates_fits_of = candidates.fits_of
    for module in (candidates, resuming):
        monkeypatch.setattr(module, "fits_of", fits_of)
    monkeypatch.setattr(assembler, "SLICE", 500)
    monkeypatch.setattr(assembler, "EFFORTS", {"best": assembler.Effort(200, 6_000_000, 2, 1)})
    return assembling(noise((8, 8), (4, 4), 2), effort="best")


def test_squares_are_taken_up(on_a_grid: Case) -> None:
    """At every single glance, of several rounds, while squares of either size change places and while pieces do."""
    glances, whole = on_a_grid.whole()
    state, outcome = on_a_grid.part(None, 60)
    met = set()
    for _ in range(glances):
        if outcome is not None:
            break
        rounds = state["solver"]["rounds"]
        met.add((rounds["cuts"], rounds["coarse"] is not None))
        state, outcome = on_a_grid.part(state, 2)
    assert outcome == whole
    assert met >= {(0, True), (1, True), (2, False)}


def test_squares_and_budgets(on_a_grid: Case) -> None:
    same(on_a_grid, 1700, 2300)


def test_squares_of_nowhere_are_refused(on_a_grid: Case) -> None:
    on_a_grid.refused(lambda state: state["rounds"]["coarse"]["boards"].__setitem__((0, 9), 4), 62)
    on_a_grid.refused(lambda state: state["rounds"].update(cuts=2), 62)
    on_a_grid.refused(lambda state: state["known"].update(lies=np.zeros((3, 2, PERIOD), np.int16)), 62)


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state["known"]["edges"].__setitem__((0, 0), 120),
        lambda state: state["known"]["weights"].__setitem__((0, 0), 2**30),
        lambda state: state["known"]["means"].__setitem__((0, 0, 0), np.nan),
        lambda state: state["known"].update(edges=state["known"]["edges"][:-1]),
        lambda state: state["rounds"]["board"].__setitem__(9, 4),  # one piece twice
        lambda state: state["rounds"]["board"].__setitem__(0, -1),  # a hole in the wall
        lambda state: state["rounds"]["chains"]["boards"].__setitem__((1, 9), 120),
        lambda state: state["rounds"]["chains"].update(random=np.zeros(3, np.uint64)),
        lambda state: state["rounds"].update(wanted=10**12),
        lambda state: state["rounds"].update(totals=[0]),
        lambda state: state.update(rounds=[]),
    ],
)
def test_boards_of_nowhere_are_refused(change: Callable[[State], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembler, "SLICE", 500)
    assembling(NOISE).refused(change, 55)


# deep


def deep(rows: int, cols: int, **settings: Any) -> Case:
    puzzle = replace(NOISE, rows=rows, cols=cols, pixels=NOISE.pixels[: 20 * 108])
    return Case(Deep(), puzzle, **{"model": "pixels", **settings})


def test_runs_are_taken_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arranging, "SLICE", 1000)
    monkeypatch.setattr(arranging, "Patience", partial(arranging.Patience, 200, 2, 3))
    same(deep(4, 5), 2500, 5300)
    holes = deep(4, 6)
    same(Case(Deep(), pinned(holes.puzzle, pins=[PIN]), model="pixels"), 2500, 5300)


def test_few_boards_are_looked_at_once_more() -> None:
    puzzle = replace(NOISE, rows=2, cols=3, pixels=NOISE.pixels[: 6 * 108])
    same(Case(Deep(), puzzle, model="pixels"), 50, 60)


def test_trees_are_taken_up() -> None:
    same(deep(4, 5, search="tree", visits=20, orders=2), 130, 170)
    case = deep(4, 5, search="tree", visits=1000, orders=1)  # so that trees outgrow their room
    assert case.resumed(7, 2) == case.whole()[1]


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state["search"]["best"].__setitem__(0, 20),
        lambda state: state["search"]["layout"]["board"].__setitem__(0, 1),
        lambda state: state["search"]["layout"].update(state=np.zeros(0, np.uint64)),
        lambda state: state["search"]["layout"].update(random={}),
        lambda state: state["search"].update(ends=[[0.0]]),
        lambda state: state["tables"].update(right=state["tables"]["right"][:5, :5]),
        lambda state: state["tables"].update(place=state["tables"]["place"] * np.nan),
        lambda state: state.update(search={}),
    ],
)
def test_runs_of_nowhere_are_refused(change: Callable[[State], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arranging, "Patience", partial(arranging.Patience, 50, 2, 3))
    deep(4, 5).refused(change, 2)


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("parent", 5, 9), ("first", 0, 0), ("count", 0, 10**6), ("move", 5, 20), ("root", 0, 1), ("played", 0, 50),
        ("path", (0, 0), -1), ("dead", slice(2, None), 1),
    ],
)  # fmt: skip
def test_trees_of_nowhere_are_refused(name: str, at: Any, value: int) -> None:
    case = deep(4, 5, search="tree", visits=20, orders=2)
    case.refused(lambda state: state["search"]["planner"]["trees"][name].__setitem__(at, value), 2)
    case.refused(lambda state: state["search"]["best_board"].__setitem__((0, 0), 20), 2)


def test_a_run_with_other_hints_is_another_run(tmp_path: Path) -> None:
    kept = tmp_path / "kept"

    def run(puzzle: Jigsaw) -> None:
        for _ in pipeline.Job(puzzle, "assembler", Budget(steps=0), 0, {"effort": "fast"}, Checkpoint(kept)):
            pass

    run(NOISE)
    before = kept.read_bytes()
    for other in (pinned(NOISE, pins=[PIN]), pinned(NOISE, neighbours=[BESIDE])):
        with pytest.raises(BadInput, match="is of other hints"):
            run(other)
        assert kept.read_bytes() == before
