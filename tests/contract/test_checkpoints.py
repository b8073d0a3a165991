"""What every registered solver that can be taken up from a checkpoint must do, and what the others must say."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import dovetail as package
from dovetail.core.checkpoint import Checkpoint
from dovetail.core.errors import Refused
from dovetail.core.puzzle import Puzzle
from dovetail.core.solver import Budget, Clock, Outcome, Run
from dovetail.pipeline import Job
from support.chopped import chopped, whole
from support.command import dovetail
from support.registered import SOLVERS, samples_for, solver, steps

STEPS = 40_000
# those that show themselves by the clock need enough to do; a look ahead costs far more than a placement
OTHER_STEPS = {
    ("tiles", "depth-first"): 5_000_000,
    ("moves", "mcts-chance"): 15_000,
    ("moves", "learnt-expectimax"): 150,
}
GLANCES = (0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55)  # 0: it is cut off before it was ever saved
RESUMING = [(family, name) for family, name in SOLVERS if (s := solver(family, name)).resumes(s.settings_type())]
COUNTING = [(family, name) for family, name in RESUMING if solver(family, name).can_count()]
OTHERS = [pair for pair in SOLVERS if pair not in RESUMING]


def puzzles(family: str, name: str) -> tuple[list[Puzzle], list[Puzzle]]:
    """The first sample of every kind that it accepts, and the others."""
    first, others = dict[str, Puzzle](), list[Puzzle]()
    for puzzle in samples_for(solver(family, name)):
        if first.setdefault(puzzle.kind, puzzle) is not puzzle:
            others.append(puzzle)
    return [*first.values()], others


def refute(family: str, name: str, begin: Callable[[Puzzle, Clock], Run]) -> None:
    """Find a sample where a run that was cut short ends otherwise; where all are too short, try the rest of them."""
    budget = Budget(steps=OTHER_STEPS.get((family, name), steps(name, STEPS)))
    first, others = puzzles(family, name)
    resumed = sum(_resumed(puzzle, partial(begin, puzzle), budget) for puzzle in first)
    assert resumed or any(_resumed(puzzle, partial(begin, puzzle), budget) for puzzle in others)


def _resumed(puzzle: Puzzle, begin: Callable[[Clock], Run], budget: Budget) -> int:
    outcome, times = chopped(begin, budget, GLANCES)
    assert told(outcome) == told(whole(begin, budget)), puzzle.kind
    return times


def told(outcome: Outcome) -> tuple[object, ...]:
    return outcome.status, outcome.solution, dict(outcome.counters)


@pytest.mark.parametrize(("family", "name"), RESUMING)
def test_cut_short_and_taken_up_it_comes_to_the_same_end(family: str, name: str) -> None:
    chosen = solver(family, name)
    settings = chosen.settings_type()

    def begin(puzzle: Puzzle, clock: Clock) -> Run:
        chosen.warm_up(puzzle, settings)
        return chosen.solve(puzzle, settings, clock, 3)

    refute(family, name, begin)


@pytest.mark.parametrize(("family", "name"), COUNTING)
def test_a_count_cut_short_and_taken_up_is_the_same(family: str, name: str) -> None:
    chosen = solver(family, name)
    settings = chosen.settings_type()

    def begin(puzzle: Puzzle, clock: Clock) -> Run:
        chosen.warm_up(puzzle, settings)
        return chosen.count(puzzle, settings, clock, None)

    refute(family, name, begin)


@pytest.mark.parametrize(("family", "name"), OTHERS)
def test_a_solver_that_cannot_be_taken_up_says_so_and_who_can(family: str, name: str) -> None:
    for puzzle in puzzles(family, name)[0]:
        able = [n for f, n in RESUMING if f == family and solver(f, n).accepts(puzzle).accepted]
        instead = f"; these can: {', '.join(able)}" if able else ""
        with pytest.raises(Refused, match=re.escape(instead) + "$") as refusal:
            Job(puzzle, name, Budget(steps=1), 0, checkpoint=Checkpoint(Path("kept")))
        assert name in str(refusal.value)
    assert not Path("kept").exists()


def test_the_page_names_those_that_can_and_those_that_cannot() -> None:
    lines = []
    for family in dict.fromkeys(family for family, _ in SOLVERS):
        able, unable = (", ".join(f"`{n}`" for f, n in pairs if f == family) or "–" for pairs in (RESUMING, OTHERS))
        lines.append(f"| {family} | {able} | {unable} |")
    page = (Path(package.__file__).parents[2] / "docs" / "long-runs.md").read_text()
    table = page.partition("<!-- resuming -->\n")[2].partition("<!-- end -->")[0].splitlines()[2:]
    assert sorted(table) == sorted(lines)


def test_the_command_line_refuses_before_any_work() -> None:
    result = dovetail("solve", "sudoku-9x9", "--solver", "sat", "--checkpoint", "kept")
    assert result.status == 2
    assert result.is_one_sentence()
    assert "depth-first" in result.err
    assert not Path("kept").exists()
