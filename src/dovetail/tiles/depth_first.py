"""Depth-first search for every square-tile puzzle, and the Terracotta paper's two algorithms.

"A depth-first search approach to the Terracotta puzzle": arrangements I and II are its figure 2, parallel starts and
deterministic shuffles its section 2.2.1. The fast engine departs from it by looking candidates up by the sides already
known (plan.py), by restarting, and by trying tiles with few orientations first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..core.errors import Refused
from ..core.memory import MB
from ..core.puzzle import Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Run, Solver
from .accepting import refusal
from .puzzle import Tiles
from .race import Start, race
from .terracotta import Terracotta

if TYPE_CHECKING:
    from .engine import TileSearch

MOST_RECURSION = 400  # tiles: as deep as Python's own stack safely goes
SYNONYMS = {"I": "rows", "II": "columns"}


@dataclass(frozen=True)
class Settings:
    """How to search."""

    algorithm: str = setting(
        "fast",
        "fast engine, or the paper's Algorithm 1 or 2 in plain Python (terracotta only)",
        choices=("fast", "1", "2"),
    )
    arrangement: str = setting(
        "auto",
        "fill order: rows (I), columns (II), diagonal, spiral outwards from the hints, constrained: the cell with "
        "fewest candidates first; auto: along the shorter side, or constrained if hints make that the smaller search",
        choices=("auto", "rows", "columns", "diagonal", "spiral", "constrained", "I", "II"),
    )
    parallel: int = setting(1, "independent starts, or workers when counting, each on its own thread", least=1, most=64)
    restart: int = setting(20_000, "placements before a new shuffle, times Luby's sequence; 0: never", least=0)
    scarce_first: bool = setting(True, "try tiles with few orientations first")

    @property
    def order(self) -> str:
        """The fill order by its own name."""
        return SYNONYMS.get(self.arrangement, self.arrangement)


class DepthFirst(Solver):
    """See the module text."""

    name = "depth-first"
    family = "tiles"
    title = "depth-first search with restarts, compiled"
    accepts_text = "tiles, terracotta"
    status = "thoroughly tested"
    settings_type = Settings
    spread_by = "parallel"

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Square tiles of every rule; the larger the search to expect, the less it recommends itself."""
        if (refused := refusal(puzzle)) is not None:
            return refused
        if isinstance(puzzle, Terracotta):
            return Fit(True, "corner arrows leave at most four tiles a cell, so a plain search runs deep at once", 1.0)
        from .estimate import IN_REACH, effort

        placements = effort(puzzle)
        if placements <= IN_REACH:
            return Fit(True, f"a plain search should need some {placements:.0e} placements, 50 million a second", 1.0)
        return Fit(True, f"a plain search would need some {placements:.0e} placements", 0.3)

    def check_settings(self, puzzle: Puzzle, settings: Settings) -> None:
        """The paper's recursion is as deep as the board has tiles, and knows corner arrows."""
        if settings.algorithm == "fast":
            return
        if not isinstance(puzzle, Terracotta):
            raise Refused("the paper's algorithms are for terracotta; use --set algorithm=fast")
        if len(puzzle.tiles) > MOST_RECURSION:
            raise Refused(f"the paper's recursion reaches {MOST_RECURSION} tiles at most; use --set algorithm=fast")

    def resumes(self, settings: Settings) -> bool:
        """The paper's recursion cannot be written down."""
        return settings.algorithm == "fast"

    def check_parts(self, puzzle: Puzzle, settings: Settings) -> None:
        """The paper's recursion cannot be sent from one process to another."""
        if settings.algorithm != "fast":
            raise Refused("the paper's algorithms run on one machine; leave out algorithm, or the cluster")
        super().check_parts(puzzle, settings)

    def memory_mb(self, puzzle: Puzzle, settings: Settings) -> float | None:
        """Candidates for every pair of seam values that tiles leave, of each of the four sorts of cells (plan.py)."""
        assert isinstance(puzzle, Tiles | Terracotta)
        if settings.algorithm != "fast":
            return None  # plain Python, without tables
        values = 16 if isinstance(puzzle, Terracotta) else len({side for tile in puzzle.tiles for side in tile})
        return 175 + 4 * 8 * values * min(values, 4 * len(puzzle.tiles)) / MB

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Compile the kernel, or load it from the cache."""
        if settings.algorithm == "fast":
            searches(puzzle, replace(settings, parallel=1), 0)[0].advance(1)

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Search until the board is full, the tree is exhausted or the clock runs out."""
        starts = (searches if settings.algorithm == "fast" else _recursive)(puzzle, settings, seed)
        assert isinstance(puzzle, Tiles | Terracotta)
        return race(starts, len(puzzle.tiles), clock, self.executor)

    def count(self, puzzle: Puzzle, settings: Settings, clock: Clock, limit: int | None) -> Run:
        """Visit the whole tree once, whatever the number of workers."""
        from .counting import count

        if settings.algorithm != "fast":
            raise Refused("counting takes the fast engine; leave out algorithm")
        (search,) = searches(puzzle, replace(settings, restart=0, parallel=1), seed=0)
        return count(search, clock, limit, settings.parallel, self.executor)


def searches(puzzle: Puzzle, settings: Settings, seed: int) -> Sequence["TileSearch"]:
    """One search of the fast engine for every start; they share all that does not change."""
    from .engine import TileSearch
    from .estimate import best_order
    from .oriented import oriented
    from .plan import ORDERS, Candidates, plan

    tiles = oriented(puzzle)
    order = plan(tiles, ORDERS[best_order(tiles) if settings.order == "auto" else settings.order](tiles))
    candidates = Candidates(tiles, order, settings.scarce_first)
    return [TileSearch(tiles, order, candidates, settings.restart, (seed, n)) for n in range(settings.parallel)]


def _recursive(puzzle: Any, settings: Settings, seed: int) -> Sequence[Start]:
    """The paper's algorithms. Being plain Python, several starts take turns rather than run at once."""
    from .recursive import RecursiveSearch

    by_columns = settings.order == "columns" or (settings.order == "auto" and puzzle.rows < puzzle.cols)
    return [RecursiveSearch(puzzle, settings.algorithm, by_columns, f"{seed}/{n}") for n in range(settings.parallel)]
