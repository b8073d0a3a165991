"""The solver `partial`: as many matched seams as can be found, for boards whose full solution is out of reach."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.puzzle import Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from ..core.state import Misfit
from ..workers import collected, stretch, workers
from .accepting import refusal
from .race import take_up
from .terracotta import Terracotta

if TYPE_CHECKING:
    from .breaks import BreakSearch

SHORT_ROUNDS, LONG_ROUND = 16, 8  # rounds of one slice; then, for every two starts, so many slices to a round


@dataclass(frozen=True)
class Settings:
    """How to search."""

    parallel: int = setting(1, "independent starts, each on a thread; they tell each other the best", least=1, most=64)
    restart: int = setting(25_000_000, "placements before a new shuffle", least=1000)
    depleted: float = setting(0.18, "share of the inner colours to use up early; 0: none", least=0, most=0.9)


class Partial(Solver):
    """See the module text and breaks.py."""

    name = "partial"
    family = "tiles"
    title = "best score: depth-first search with a break schedule and colour quotas, then polishing"
    accepts_text = "tiles, terracotta"
    status = "thoroughly tested"
    settings_type = Settings
    spread_by = "parallel"

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

    def resumes(self, settings: Settings) -> bool:
        """Always."""
        return True

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Compile the kernels, or load them from the cache."""
        (start,) = _starts(puzzle, Settings(), 0)
        start.advance(1)
        start.improve(start.board)

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Look for better and better boards until the clock runs out or one is perfect.

        Starts advance in rounds of equally many placements and hear of each other's best only in between, so that the
        result depends neither on which was quicker nor on how a round is cut into slices.
        """
        starts = _starts(puzzle, settings, seed)
        seams = puzzle.rows * (puzzle.cols - 1) + (puzzle.rows - 1) * puzzle.cols  # type: ignore[attr-defined]
        number = left = 0  # of the round, and slices until its end
        if clock.kept is not None:
            take_up(starts, clock.kept)
            number, left = _round_of(clock.kept)
        clock.keep(lambda: {"starts": [start.state() for start in starts], "round": [number, left]})
        best = min(starts, key=lambda start: start.cost)
        shown: tuple[int, int] | None = None
        slice_ = starts[0].chunk * min(len(starts), 2) // len(starts)  # so that one of many starts is not longer
        with workers(self.executor, len(starts)) as pool:
            while not clock.expired and not (left == 0 and (best.perfect or all(start.over for start in starts))):
                if left == 0:
                    number, left = number + 1, 1 if number < SHORT_ROUNDS else LONG_ROUND * -(-len(starts) // 2)
                several = min(left, stretch(self.executor))
                if clock.allowance(slice_ * len(starts) * several) < slice_ * len(starts) * several:
                    several = 1  # near the end of the steps everybody cuts them alike
                share = clock.allowance(slice_ * len(starts)) // len(starts)
                rest = clock.allowance(1) if share == 0 else 0  # fewer steps left than starts
                before = sum(start.placements for start in starts)
                at_work = starts if share else starts[:1]
                jobs = {pool.submit(_advanced, start, max(share, rest), several): start for start in at_work}
                starts[: len(jobs)] = collected(jobs, clock)
                clock.spend(sum(start.placements for start in starts) - before)
                left -= several
                best = min(starts, key=lambda start: start.cost)
                if not best.misfits and left == 0:
                    for start in starts:
                        start.aim(best.breaks - 1)
                board = best.placement() if best.cost != shown else None
                shown = best.cost
                details = {"restarts": best.restarts}
                yield Progress(clock.steps, "placements", seams - best.breaks, seams, "matched", details, board)
        counters = {"placements": clock.steps, "restarts": best.restarts, "starts": len(starts), "breaks": best.breaks}
        ended: Status = "complete" if best.perfect else "out_of_budget" if clock.expired else "partial"
        return Outcome(ended, best.placement(), counters)


def _round_of(kept: Mapping[str, Any]) -> tuple[int, int]:
    """Which round an earlier run was in, and how many slices were left of it."""
    told = kept.get("round")
    if not isinstance(told, list) or len(told) != 2 or not all(type(one) is int and 0 <= one < 2**62 for one in told):
        raise Misfit("round")
    return told[0], told[1]


def _advanced(start: "BreakSearch", placements: int, several: int) -> "BreakSearch":
    """The start, so many slices later: here if the executor has threads, a copy if it has processes."""
    for _ in range(several):
        start.advance(placements)
    return start


def _starts(puzzle: Puzzle, settings: Settings, seed: int) -> list["BreakSearch"]:
    from .breaks import BreakSearch
    from .oriented import oriented

    tiles = oriented(puzzle)
    return [BreakSearch(tiles, (seed, n), settings.restart, settings.depleted) for n in range(settings.parallel)]
