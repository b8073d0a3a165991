"""The solver `nested`: nested rollout policy adaptation, for high scores (Rosin 2011; Cazenave 2016, 2020)."""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from ..core.puzzle import Moves, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from .accepting import refusal
from .kind import MovesPuzzle

if TYPE_CHECKING:
    from .nested_search import NestedSearch

APART = 1_000_003  # between the seeds of searches side by side
WARMING = 3  # plays


@dataclass(frozen=True)
class Settings:
    """How to search."""

    level: int = setting(3, "levels of adaptation above the plays", least=1, most=6)
    runs: int = setting(100, "runs of the level below that each level makes", least=1)
    alpha: float = setting(1.0, "how much likelier a move becomes with each adaptation", least=0)
    plays: int = setting(1, "plays of the lowest level between two adaptations", least=1)
    repeats: int = setting(0, "a level ends when its best score came again so often; 0: never", least=0)
    workers: int = setting(1, "searches side by side, each with random numbers of its own", least=1, most=64)


class Nested(Solver):
    """See the module text. It begins anew until the budget is spent, or the goal reached where there is one."""

    name = "nested"
    family = "moves"
    title = "nested rollout policy adaptation, for high scores"
    accepts_text = "every game without chance"
    settings_type = Settings
    spread_by = "workers"

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Every game of class B; it recommends itself where points are counted."""
        if (refused := refusal(puzzle)) is not None:
            return refused
        assert isinstance(puzzle, MovesPuzzle)
        if puzzle.for_points:
            return Fit(True, "it learns from play to play what scores", 0.9)
        return Fit(True, "it learns from play to play what comes near the goal", 0.08)

    def resumes(self, settings: Settings) -> bool:
        """Always."""
        return True

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Compile, on this very puzzle: a play takes no time."""
        _search(puzzle, settings, 0).advance(WARMING)

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Plays in slices, until the goal is reached or the budget spent."""
        from ..search.race import Race

        assert isinstance(puzzle, MovesPuzzle)
        race = Race([_search(puzzle, settings, seed + APART * n) for n in range(settings.workers)], clock.budget.steps)
        written = import_module(puzzle.rules).written
        shown: tuple[int, ...] = ()
        for _ in race.run(clock, self.executor):
            leader = race.leader
            if better := leader.path != shown:
                shown = leader.path
            found = Moves(written(puzzle, shown)) if better else None
            details = {"restarts": leader.restarts}
            yield Progress(race.steps, "plays", leader.best, None, "score", details, found)
        clock.spend(race.steps - clock.steps)
        leader = race.leader
        counters = {"plays": race.steps, "restarts": leader.restarts, "best": leader.best if leader.steps else 0.0}
        status: Status = "out_of_budget"
        if leader.ended:  # without a move there is one play
            status = "complete" if leader.solved or puzzle.endless else "proved_none"
        return Outcome(status, None if status == "proved_none" else Moves(written(puzzle, leader.path)), counters)


def _search(puzzle: Puzzle, settings: Settings, seed: int) -> "NestedSearch":
    from .nested_search import NestedSearch

    assert isinstance(puzzle, MovesPuzzle)
    return NestedSearch(puzzle, settings, seed)
