"""Searches taken up from a state: with settings that the contract tests leave out, and from states nobody saved."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dovetail import pipeline
from dovetail.core import settings as setting
from dovetail.core.errors import BadInput
from dovetail.core.solver import Budget, Clock, Run, Solver
from dovetail.core.state import unpacked
from support.chopped import chopped, driven, whole
from support.kills import LEVEL
from support.registered import solver

GLANCES = (1, 1, 2, 3, 5, 8, 13)


def search(family: str, name: str, puzzle: str, given: dict[str, Any]) -> Callable[[Clock], Run]:
    chosen: Solver = solver(family, name)
    settings, read = setting.fill(chosen.settings_type, given), pipeline.read(puzzle)
    chosen.warm_up(read, settings)
    return lambda clock: chosen.solve(read, settings, clock, 3)


@pytest.mark.parametrize(
    ("family", "name", "puzzle", "given", "steps"),
    [
        ("moves", "mcts-standard", "fifteen-4x4",
         {"tree": "move", "per_move": 10, "transpositions": True, "rollouts": 0, "restart": 45}, 60),
        ("moves", "mcts-single", "samegame-score", {"tree": "move", "per_move": 50}, 400),
        ("moves", "mcts-reliable", "flood-12x12", {"workers": 2}, 3000),
        ("moves", "nested", "flood-12x12", {"workers": 2, "level": 2, "plays": 3}, 400),
        ("moves", "push", LEVEL, {"search": "pushes", "weight": 1}, 5000),
        ("moves", "push", LEVEL, {"search": "features"}, 60),
        ("grids", "mcts-reliable", "calcudoku-hard", {"accurate": False, "ahead": False}, 300),
        ("grids", "mcts-reliable", "slitherlink-10x10-hard", {"steps": True, "ahead": False}, 100),
        ("grids", "depth-first", "slitherlink-10x10-hard", {"ahead": False, "prove": True}, 5000),
    ],
)  # fmt: skip
def test_the_same_end_with_other_settings(
    family: str, name: str, puzzle: str, given: dict[str, Any], steps: int
) -> None:
    begin, budget = search(family, name, puzzle, given), Budget(steps=steps)
    outcome, resumed = chopped(begin, budget, GLANCES)
    assert resumed
    assert outcome == whole(begin, budget)


def all_to(value: int) -> Callable[[Any], None]:
    def change(array: Any) -> None:
        array[:] = value

    return change


@pytest.mark.parametrize(
    ("family", "name", "puzzle", "steps", "where", "change"),
    [
        ("moves", "nested", "flood-12x12", 50, ("runners", 0, "plays", 0, "codes"), all_to(10**6)),
        ("moves", "nested", "flood-12x12", 50, ("runners", 0, "plays", 3, "path"), all_to(9)),
        ("moves", "nested", "flood-12x12", 50, ("runners", 0, "plays", 0, "pick"), all_to(99)),
        ("moves", "mcts-reliable", "flood-12x12", 50, ("runners", 0, "tree", "move"), all_to(10**6)),
        ("moves", "mcts-reliable", "flood-12x12", 50, ("runners", 0, "tree", "first"), all_to(3)),
        ("moves", "mcts-reliable", "flood-12x12", 50, ("runners", 0, "tree", "parent"), all_to(1)),
        ("moves", "mcts-reliable", "flood-12x12", 50, ("runners", 0, "tree", "twin"), all_to(2)),
        ("moves", "mcts-reliable", "flood-12x12", 50, ("runners", 0, "path"), lambda path: path.append(0)),
        ("moves", "ida-star", "fifteen-4x4", 10**8, ("dive", "choice"), lambda tried: tried.__setitem__(0, 9)),
        ("moves", "ida-star", "fifteen-4x4", 10**8, ("best",), lambda path: path.pop()),
        ("moves", "learnt-expectimax", "2048-start", 20, ("path",), all_to(7)),
        ("moves", "push", "sokoban-cellar", 20, ("searches", 0, "pool", "boxes"), all_to(999)),
        ("moves", "push", "sokoban-cellar", 20, ("searches", 0, "pool", "link"), all_to(0)),
        ("moves", "push", "sokoban-cellar", 20, ("searches", 0, "pool", "parent"), all_to(5)),
        ("grids", "depth-first", "numberlink-10x10", 3000, ("search", "dom"), all_to(0)),
        ("grids", "depth-first", "numberlink-10x10", 3000, ("search", "trail_var"), all_to(10**5)),
        ("grids", "depth-first", "numberlink-10x10", 3000, ("search", "trail_dom"), all_to(1)),
        ("grids", "mcts-standard", "calcudoku-hard", 50, ("searches", 0, "tree", "move"), all_to(64 * 10**5)),
    ],
)  # fmt: skip
def test_a_state_that_no_search_came_to_is_refused(
    family: str, name: str, puzzle: str, steps: int, where: tuple[Any, ...], change: Callable[[Any], None]
) -> None:
    """Compiled code looks at no bounds: what it follows must be looked at before."""
    begin = search(family, name, puzzle, {})
    _, saved = driven(begin, Clock(Budget(steps=steps)), 6)
    assert saved is not None
    state = unpacked(saved)
    part = state["solver"]
    for key in where:
        part = part[key]
    assert np.size(part), "there is something to change"
    change(part)
    clock = Clock(Budget(steps=2 * steps))
    clock.resume(state["clock"], state["solver"])
    with pytest.raises(BadInput, match="does not fit this run"):
        next(begin(clock))


def test_very_many_answers_are_counted_one_by_one() -> None:
    job = pipeline.Job(pipeline.read("." * 81), "depth-first", Budget(steps=10**7), 0)
    job.warm_up()
    list(job.counting(1500))
    run = job.report().run
    assert run is not None
    assert (run.outcome.status, run.outcome.counters["solutions"]) == ("partial", 1500)
