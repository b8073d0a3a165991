"""What the exact solvers `sat` and `cp-sat` share: the puzzles they take, and how they go through an encoding."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..core.puzzle import EMPTY, Placement, Puzzle
from ..core.solver import Clock, Fit
from .accepting import refusal
from .puzzle import Tiles
from .terracotta import Terracotta

if TYPE_CHECKING:
    from .encoding import Constraint, Encoding

LOOK_S = 0.05  # between two looks at the clock
SIMPLIFIED = 500_000  # literals up to which an engine's own simplifying stops soon enough when told to
BATCH = 4000  # constraints, some milliseconds of work


def fit(puzzle: Puzzle, most_literals: int, why: str, preference: float) -> Fit:
    """Every square-tile puzzle with all its tiles, up to a size at which the encoding fits in memory and time."""
    if (refused := refusal(puzzle)) is not None:
        return refused
    assert isinstance(puzzle, Tiles | Terracotta)
    if (size := literals(puzzle)) > most_literals:
        return Fit(False, f"its logic needs about {size:,} literals, and {most_literals:,} are the most")
    return Fit(True, why, preference)


def empty(puzzle: Tiles | Terracotta) -> Placement:
    """The board of a run that found nothing: an exact solver has no half solutions."""
    return Placement(((EMPTY,) * puzzle.cols,) * puzzle.rows, ((0,) * puzzle.cols,) * puzzle.rows)


def batches(encoding: "Encoding", clock: Clock) -> "Iterator[list[Constraint]]":
    """The constraints in small lots; ends early when the clock does."""
    lot = []
    for constraint in encoding.constraints():
        lot.append(constraint)
        if len(lot) == BATCH:
            if clock.expired:
                return
            yield lot
            lot = []
    yield lot


def literals(puzzle: Tiles | Terracotta) -> int:
    """About how large the encoding becomes, from the number of layings, classes and values."""
    turns = 1 if isinstance(puzzle, Tiles) and not puzzle.rotate else 4
    orbits = {frozenset(puzzle.turned(tile, turn) for turn in range(turns)) for tile in puzzle.tiles}
    values = 16 if isinstance(puzzle, Terracotta) else len({side for tile in puzzle.tiles for side in tile})
    most_alike = len(puzzle.tiles) - len(orbits) + 1
    cells = len(puzzle.tiles)
    return cells * (14 * sum(map(len, orbits)) + 8 * values * len(orbits) + 10 * most_alike)
