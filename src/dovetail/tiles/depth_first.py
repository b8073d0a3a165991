"""Depth-first search for Terracotta: the paper's two algorithms, and the fast engine that is the default.

"A depth-first search approach to the Terracotta puzzle": arrangements I and II are its figure 2, parallel starts and
deterministic shuffles its section 2.2.1. The fast engine departs from it by searching in vertex form with candidate
tables (corners.py), by restarting, and by trying tiles with few orientations first.
"""

import math
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from ..core.errors import BadInput, Refused
from ..core.puzzle import Placement, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from .terracotta import Terracotta

CHUNK = 50_000  # placements between two looks at the race: about a millisecond
LOOK_S = 0.05  # between two looks at the clock
COUNTED = 2_000_000  # placements between two looks at the clock when counting


@dataclass(frozen=True)
class Settings:
    """How to search."""

    algorithm: str = setting(
        "fast", "fast engine, or the paper's Algorithm 1 or 2 in plain Python", choices=("fast", "1", "2")
    )
    arrangement: str = setting(
        "auto",
        "fill order: I by rows, II by columns, auto along the shorter side",
        choices=("auto", "I", "II"),
    )
    parallel: int = setting(1, "independent starts, each on its own thread; the first solution wins", least=1, most=256)
    restart: int = setting(20_000, "placements before a new shuffle, times Luby's sequence; 0: never", least=0)
    scarce_first: bool = setting(True, "try tiles with few orientations first")

    def by_columns(self, puzzle: Terracotta) -> bool:
        """Whether arrangement II is meant."""
        return self.arrangement == "II" or (self.arrangement == "auto" and puzzle.rows < puzzle.cols)


class DepthFirst(Solver):
    """See the module text."""

    name = "depth-first"
    family = "tiles"
    title = "depth-first search with restarts, compiled"
    accepts_text = "terracotta"
    status = "thoroughly tested"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Terracotta of any size."""
        if isinstance(puzzle, Terracotta):
            return Fit(
                True,
                "corner arrows leave at most four tiles a cell, so a plain search runs deep at once",
                1.0,
            )
        return Fit(False, f"it knows corner-arrow tiles, and this is a {puzzle.kind} puzzle")

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Compile the kernel, or load it from the cache."""
        if settings.algorithm == "fast":
            _searches(_terracotta(puzzle), settings, 0)[0].advance(1)

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Search until the board is full, the tree is exhausted or the clock runs out."""
        if settings.algorithm == "fast":
            return _fast(_terracotta(puzzle), settings, clock, seed)
        from .recursive import MOST_CELLS, search

        if len(_terracotta(puzzle).tiles) > MOST_CELLS:
            raise Refused(f"the paper's recursion reaches {MOST_CELLS} tiles at most; use --set algorithm=fast")
        return search(_terracotta(puzzle), settings, clock, seed)

    def count(self, puzzle: Puzzle, settings: Settings, clock: Clock, limit: int | None) -> Run:
        """Visit the whole tree once. Boards that look alike count once, whichever of two equal tiles lies where."""
        terracotta = _terracotta(puzzle)
        search = _searches(terracotta, settings, 0, restart=0)[0]
        turns = 4 if terracotta.rows == terracotta.cols else 2
        while not search.exhausted and not clock.expired:
            if limit is not None and search.tally[0] >= limit * turns:
                break
            clock.spend(search.advance(clock.allowance(COUNTED), counting=True, cols=terracotta.cols))
            yield Progress(clock.steps, "placements", int(search.tally[0]), best_name="solutions with rotations")
        total, half, quarter = (int(t) for t in search.tally)
        # Burnside: orbits = mean number of solutions that a turn of the board maps to themselves
        fixed = half + 2 * quarter if turns == 4 else half
        solutions = (total + fixed) // turns if search.exhausted else -(-total // turns)
        counters = {"solutions": solutions, "solutions_with_rotations": total, "placements": clock.steps}
        return Outcome(
            "complete" if search.exhausted else "out_of_budget" if clock.expired else "partial",
            None,
            counters,
        )


class _Race:
    """Independent starts, each on its own thread; the kernel releases the GIL.

    The one that ends after fewest placements wins, and the others go on until they have made as many: so the answer
    depends on the number of starts, never on which thread was quicker.
    """

    def __init__(self, searches: list[Any]) -> None:
        self.searches = searches
        self.bound = math.inf  # fewest placements after which a start has ended
        self.stopped = False
        self._lock = threading.Lock()

    def run(self, search: Any, most: float) -> None:
        """Advance one start until it ends, is beaten, has made ``most`` placements, or is stopped."""
        while not (self.stopped or search.ended) and search.placements < min(most, self.bound):
            search.advance(min(CHUNK, most - search.placements))
        if search.ended:
            with self._lock:
                self.bound = min(self.bound, search.placements)

    @property
    def leader(self) -> Any:
        """The winner, or while there is none the start that got furthest."""
        ended = [s for s in self.searches if s.ended]
        return min(ended, key=lambda s: s.placements) if ended else max(self.searches, key=lambda s: s.best)

    @property
    def placements(self) -> int:
        """All starts together, each up to where the race was won, so that it is the same number every time."""
        return sum(min(s.placements, self.bound) for s in self.searches)


def _fast(puzzle: Terracotta, settings: Settings, clock: Clock, seed: int) -> Run:
    """Run the race in slices, with a look at the clock between them."""
    race = _Race(_searches(puzzle, settings, seed))
    shares = [
        math.inf if clock.budget.steps is None else (clock.budget.steps + start) // settings.parallel
        for start in range(settings.parallel)
    ]
    race.stopped = clock.expired
    with ThreadPoolExecutor(settings.parallel) as pool:
        running = [pool.submit(race.run, *pair) for pair in zip(race.searches, shares, strict=True)]
        try:
            while wait(running, timeout=LOOK_S).not_done and not clock.expired:
                yield Progress(
                    race.placements,
                    "placements",
                    best=race.leader.best,
                    goal=len(puzzle.tiles),
                    best_name="tiles",
                    details={"restarts": race.leader.restarts},
                    solution=_placement(puzzle, race.leader),
                )
        finally:  # also when nobody wants the rest: no thread outlives the run
            race.stopped = True
    for thread in running:
        thread.result()
    clock.spend(race.placements)
    leader = race.leader
    status: Status = "complete" if leader.full else "proved_none" if leader.exhausted else "out_of_budget"
    counters = {
        "placements": clock.steps,
        "restarts": leader.restarts,
        "starts": len(race.searches),
        "most_placed": leader.best,
    }
    return Outcome(status, _placement(puzzle, leader), counters)


def _searches(puzzle: Terracotta, settings: Settings, seed: int, restart: int | None = None) -> list[Any]:
    """One search for every start; they share all that does not change."""
    import numpy as np

    from .corners import CLASSES, Candidates, codes_of, layout, rotations
    from .engine import CornerSearch

    stock = np.bincount(rotations().class_of[codes_of(puzzle.tiles)], minlength=CLASSES).astype(np.uint16)
    plan = layout(puzzle.rows, puzzle.cols, settings.by_columns(puzzle))
    candidates = Candidates(stock, plan.masks, settings.scarce_first)
    restart = settings.restart if restart is None else restart
    return [CornerSearch(plan, stock, candidates, restart, (seed, start)) for start in range(settings.parallel)]


def _placement(puzzle: Terracotta, search: Any) -> Placement:
    from .corners import codes_of, place

    return Placement.from_flat(*place(codes_of(puzzle.tiles), search.best_board()), puzzle.cols)


def _terracotta(puzzle: Puzzle) -> Terracotta:
    if not isinstance(puzzle, Terracotta):
        raise BadInput(f"depth-first knows corner-arrow tiles, and this is a {puzzle.kind} puzzle")
    return puzzle
