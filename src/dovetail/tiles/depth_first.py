"""Depth-first search for Terracotta: the paper's two algorithms, and the fast engine that is the default.

"A depth-first search approach to the Terracotta puzzle": arrangements I and II are its figure 2, parallel starts and
deterministic shuffles its section 2.2.1. The fast engine departs from it by searching in vertex form with candidate
tables (corners.py), by restarting, and by trying tiles with few orientations first.
"""

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..core.errors import BadInput, Refused
from ..core.puzzle import Placement, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from .terracotta import Terracotta

FIRST_SLICE, LONGEST_SLICE = 50_000, 2_000_000  # placements between two looks at the clock: 1 to 40 ms


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
    restart: int = setting(100_000, "placements before a new shuffle, times Luby's sequence; 0: never", least=0)
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
            _search(_terracotta(puzzle), settings, 0, 0).advance(1)

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
        search = _search(terracotta, settings, 0, 0, restart=0)
        turns = 4 if terracotta.rows == terracotta.cols else 2
        while not search.exhausted and not clock.expired:
            if limit is not None and search.tally[0] >= limit * turns:
                break
            clock.spend(search.advance(clock.allowance(LONGEST_SLICE), counting=True, cols=terracotta.cols))
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


def _fast(puzzle: Terracotta, settings: Settings, clock: Clock, seed: int) -> Run:
    """Advance all starts by equal slices; of several that finish in one round the one with fewest placements wins.

    So the answer depends on the number of starts, never on which thread was quicker.
    """
    searches = [_search(puzzle, settings, seed, start) for start in range(settings.parallel)]
    slice_ = FIRST_SLICE
    with _threads(settings.parallel) as pool:
        while not clock.expired:
            share, rest = divmod(clock.allowance(slice_ * len(searches)), len(searches))
            shares = [share + (start < rest) for start in range(len(searches))]
            clock.spend(sum(pool.map(lambda pair: pair[0].advance(pair[1]), zip(searches, shares, strict=True))))
            ended = [s for s in searches if s.full or s.exhausted]
            if ended:
                break
            yield Progress(
                clock.steps,
                "placements",
                best=max(s.best for s in searches),
                goal=len(puzzle.tiles),
                best_name="tiles",
                details={"restarts": sum(s.restarts for s in searches)},
                solution=_placement(puzzle, max(searches, key=lambda s: s.best)),
            )
            slice_ = min(2 * slice_, LONGEST_SLICE)
    winner = min(ended, key=lambda s: s.placements) if ended else max(searches, key=lambda s: s.best)
    status: Status = "complete" if winner.full else "proved_none" if winner.exhausted else "out_of_budget"
    counters = {
        "placements": clock.steps,
        "restarts": sum(s.restarts for s in searches),
        "starts": len(searches),
        "most_placed": winner.best,
    }
    return Outcome(status, _placement(puzzle, winner), counters)


def _search(puzzle: Terracotta, settings: Settings, seed: int, start: int, restart: int | None = None) -> Any:
    import numpy as np

    from .corners import CLASSES, codes_of, layout, rotations
    from .engine import CornerSearch

    stock = np.bincount(rotations().class_of[codes_of(puzzle.tiles)], minlength=CLASSES).astype(np.uint16)
    return CornerSearch(
        layout(puzzle.rows, puzzle.cols, settings.by_columns(puzzle)),
        stock,
        settings.scarce_first,
        settings.restart if restart is None else restart,
        (seed, start),
    )


def _placement(puzzle: Terracotta, search: Any) -> Placement:
    from .corners import codes_of, place

    return Placement.from_flat(*place(codes_of(puzzle.tiles), search.best_board()), puzzle.cols)


def _terracotta(puzzle: Puzzle) -> Terracotta:
    if not isinstance(puzzle, Terracotta):
        raise BadInput(f"depth-first knows corner-arrow tiles, and this is a {puzzle.kind} puzzle")
    return puzzle


class _InTurn:
    """What one start needs of an executor, without a thread."""

    map = staticmethod(map)


@contextmanager
def _threads(number: int) -> Iterator[Executor | _InTurn]:
    if number == 1:
        yield _InTurn()
    else:
        with ThreadPoolExecutor(number) as pool:  # the kernel releases the GIL
            yield pool
