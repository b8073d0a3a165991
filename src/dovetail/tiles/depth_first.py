"""Depth-first search for Terracotta: the paper's two algorithms, and the fast engine that is the default.

"A depth-first search approach to the Terracotta puzzle": arrangements I and II are its figure 2, parallel starts and
deterministic shuffles its section 2.2.1. The fast engine departs from it by searching in vertex form with candidate
tables (corners.py), by restarting, and by trying tiles with few orientations first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..core.errors import BadInput, Refused
from ..core.puzzle import Placement, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver
from .race import LOOK_S, Start, race
from .terracotta import Terracotta

MOST_RECURSION = 400  # tiles: as deep as Python's own stack safely goes


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
    parallel: int = setting(1, "independent starts, each on its own thread; the first solution wins", least=1, most=64)
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

    def check_settings(self, puzzle: Puzzle, settings: Settings) -> None:
        """The paper's recursion is as deep as the board has tiles."""
        if settings.algorithm != "fast" and len(_terracotta(puzzle).tiles) > MOST_RECURSION:
            raise Refused(f"the paper's recursion reaches {MOST_RECURSION} tiles at most; use --set algorithm=fast")

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Compile the kernel, or load it from the cache."""
        if settings.algorithm == "fast":
            _compiled(_terracotta(puzzle), settings, 0)[0].advance(1)

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Search until the board is full, the tree is exhausted or the clock runs out."""
        terracotta = _terracotta(puzzle)
        starts = (_compiled if settings.algorithm == "fast" else _recursive)(terracotta, settings, seed)
        return race(starts, len(terracotta.tiles), clock)

    def count(self, puzzle: Puzzle, settings: Settings, clock: Clock, limit: int | None) -> Run:
        """Visit the whole tree once. Boards that look alike count once, whichever of two equal tiles lies where."""
        terracotta = _terracotta(puzzle)
        if settings.algorithm != "fast" or settings.parallel != 1:
            raise Refused("counting takes the fast engine and one start; leave out algorithm and parallel")
        return _count(terracotta, replace(settings, restart=0), clock, limit)


def _count(puzzle: Terracotta, settings: Settings, clock: Clock, limit: int | None) -> Run:
    (search,) = _compiled(puzzle, settings, seed=0)
    turns = 4 if puzzle.rows == puzzle.cols else 2
    due_s = LOOK_S
    while not search.exhausted and not clock.expired and not (limit and search.tally[0] >= limit * turns):
        clock.spend(search.advance(clock.allowance(search.chunk), counting=True, cols=puzzle.cols))
        if clock.elapsed_s >= due_s:
            yield Progress(clock.steps, "placements", int(search.tally[0]), best_name="solutions with rotations")
            due_s = clock.elapsed_s + LOOK_S
    total, half, quarter = (int(t) for t in search.tally)
    # Burnside: orbits = mean number of solutions that a turn of the board maps to themselves
    fixed = half + 2 * quarter if turns == 4 else half
    solutions = (total + fixed) // turns if search.exhausted else -(-total // turns)
    counters = {"solutions": solutions, "solutions_with_rotations": total, "placements": clock.steps}
    return Outcome("complete" if search.exhausted else "out_of_budget" if clock.expired else "partial", None, counters)


def _compiled(puzzle: Terracotta, settings: Settings, seed: int) -> Sequence[Any]:
    """One search of the fast engine for every start; they share all that does not change."""
    import numpy as np

    from .corners import CLASSES, Candidates, codes_of, layout, place, rotations
    from .engine import CornerSearch

    codes = codes_of(puzzle.tiles)
    stock = np.bincount(rotations().class_of[codes], minlength=CLASSES).astype(np.uint16)
    plan = layout(puzzle.rows, puzzle.cols, settings.by_columns(puzzle))
    candidates = Candidates(stock, plan.masks, settings.scarce_first)

    class FastStart(CornerSearch):
        """A search that knows which tiles its codes are."""

        def placement(self) -> Placement:
            return Placement.from_flat(*place(codes, self.best_board()), puzzle.cols)

    return [FastStart(plan, stock, candidates, settings.restart, (seed, n)) for n in range(settings.parallel)]


def _recursive(puzzle: Terracotta, settings: Settings, seed: int) -> Sequence[Start]:
    """The paper's algorithms. Being plain Python, several starts take turns rather than run at once."""
    from .recursive import RecursiveSearch

    by_columns = settings.by_columns(puzzle)
    return [RecursiveSearch(puzzle, settings.algorithm, by_columns, f"{seed}/{n}") for n in range(settings.parallel)]


def _terracotta(puzzle: Puzzle) -> Terracotta:
    if not isinstance(puzzle, Terracotta):
        raise BadInput(f"depth-first knows corner-arrow tiles, and this is a {puzzle.kind} puzzle")
    return puzzle
