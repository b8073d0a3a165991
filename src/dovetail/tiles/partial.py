"""The solver `partial`: as many matched seams as can be found, for boards whose full solution is out of reach."""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.puzzle import Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from ..workers import workers
from .accepting import refusal
from .terracotta import Terracotta

if TYPE_CHECKING:
    from .breaks import BreakSearch


@dataclass(frozen=True)
class Settings:
    """How to search."""

    parallel: int = setting(1, "independent starts, each on a thread; they tell each other the best", least=1, most=64)
    restart: int = setting(25_000_000, "placements before a new shuffle", least=1000)
    depleted: float = setting(0.18, "share of the inner colours to use up early; 0: none", least=0, most=0.9)


class Partial(Solver):
    """See the module text and breaks.py. ``executor``: where parallel starts run; our own threads if there is none."""

    name = "partial"
    family = "tiles"
    title = "best score: depth-first search with a break schedule and colour quotas, then polishing"
    accepts_text = "tiles, terracotta"
    status = "thoroughly tested"
    settings_type = Settings

    def __init__(self, executor: Executor | None = None) -> None:
        self.executor = executor

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Square tiles of every rule; for those that no other solver will finish."""
        if (refused := refusal(puzzle)) is not None:
            return refused
        if isinstance(puzzle, Terracotta):
            return Fit(True, "it lays every tile and leaves few seams unmatched", 0.1)
        from .estimate import IN_REACH, effort

        placements = effort(puzzle)
        why = f"a full solution should cost some {placements:.0e} placements, so the best score is what can be had"
        return Fit(True, why, 0.8 if placements > IN_REACH else 0.2)

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Compile the kernels, or load them from the cache."""
        (start,) = _starts(puzzle, Settings(), 0)
        start.advance(1)
        start.improve(start.board)

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Look for better and better boards until the clock runs out or one is perfect.

        Starts advance in rounds of equally many placements and hear of each other's best only in between, so that the
        result does not depend on which was quicker.
        """
        starts = _starts(puzzle, settings, seed)
        seams = puzzle.rows * (puzzle.cols - 1) + (puzzle.rows - 1) * puzzle.cols  # type: ignore[attr-defined]
        best = min(starts, key=lambda start: start.cost)
        shown: tuple[int, int] | None = None
        with workers(self.executor, len(starts)) as pool:
            while not clock.expired and not best.perfect and not all(start.over for start in starts):
                round_ = starts[0].chunk * min(len(starts), 2)  # so that a round of many starts is not longer
                share = clock.allowance(round_) // len(starts)
                rest = clock.allowance(1) if share == 0 else 0  # fewer steps left than starts
                before = sum(start.placements for start in starts)
                jobs = [pool.submit(_advanced, start, max(share, rest)) for start in (starts if share else starts[:1])]
                starts[: len(jobs)] = [job.result() for job in jobs]
                clock.spend(sum(start.placements for start in starts) - before)
                best = min(starts, key=lambda start: start.cost)
                if not best.misfits:
                    for start in starts:
                        start.aim(best.breaks - 1)
                board = best.placement() if best.cost != shown else None
                shown = best.cost
                details = {"restarts": best.restarts}
                yield Progress(clock.steps, "placements", seams - best.breaks, seams, "matched", details, board)
        counters = {"placements": clock.steps, "restarts": best.restarts, "starts": len(starts), "breaks": best.breaks}
        ended: Status = "complete" if best.perfect else "out_of_budget" if clock.expired else "partial"
        return Outcome(ended, best.placement(), counters)


def _advanced(start: "BreakSearch", placements: int) -> "BreakSearch":
    """The start, so many placements later: here if the executor has threads, a copy if it has processes."""
    start.advance(placements)
    return start


def _starts(puzzle: Puzzle, settings: Settings, seed: int) -> list["BreakSearch"]:
    from .breaks import BreakSearch
    from .oriented import oriented

    tiles = oriented(puzzle)
    return [BreakSearch(tiles, (seed, n), settings.restart, settings.depleted) for n in range(settings.parallel)]
