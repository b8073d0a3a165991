"""What the exact solvers of logic grids share: the puzzles they take, and how a library searches beside the clock."""

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from typing import TypeVar

from ..core.errors import BadInput
from ..core.puzzle import Assignment, Puzzle
from ..core.solver import Clock, Fit, Progress
from .kind import GridPuzzle
from .model import Model

LOOK_S = 0.05  # between two looks at the clock
WITNESSES = 2  # answers that counting shows: that there are several is seen from two
T = TypeVar("T")


def fit(puzzle: Puzzle, most_values: int, why: str, preference: float) -> Fit:
    """Every logic grid up to a size, counted in values that its variables may take, all together."""
    if not isinstance(puzzle, GridPuzzle):
        return Fit(False, f"it solves logic grids, and this is a {puzzle.kind} puzzle")
    if (found := values(puzzle)) > most_values:
        return Fit(False, f"its variables have {found:,} values in all, and {most_values:,} are the most")
    return Fit(True, why, preference)


def grid(puzzle: Puzzle, solver: str) -> GridPuzzle:
    """The puzzle, if it is a logic grid."""
    if not isinstance(puzzle, GridPuzzle):
        raise BadInput(f"{solver} solves logic grids, and this is a {puzzle.kind} puzzle")
    return puzzle


def unanswered(model: Model) -> Assignment:
    """The answer of a run that found none: an exact solver has no half solutions."""
    return Assignment((None,) * model.answers)


def aside(search: Callable[[], T], stop: Callable[[], None], clock: Clock, unit: str) -> Generator[Progress, None, T]:
    """Search on a thread of its own, and stop it when the clock says so or nobody wants the rest."""
    with ThreadPoolExecutor(1, "exact") as pool:
        running = pool.submit(search)
        try:
            while wait([running], timeout=LOOK_S).not_done and not clock.expired:
                yield Progress(clock.steps, unit, 0)
        finally:
            while wait([running], timeout=LOOK_S / 10).not_done:
                stop()  # again, should the search only be starting
    return running.result()


@lru_cache(maxsize=1)  # every solver of the family is asked in turn
def values(puzzle: GridPuzzle) -> int:
    """That its variables may take, all together."""
    return sum(map(len, puzzle.model().domains))
