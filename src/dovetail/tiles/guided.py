"""The solver `linear-guided`: the relaxation of `linear` as a guide, where it does not give the solution itself.

First one linear program of Algorithm 1: it may be the solution, or prove that there is none. Where its P is fractional,
a search over partial boards follows P instead (``guided_search``), with the candidates that the program has variables
for, and a depth-first search below.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.puzzle import Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from .accepting import refusal
from .highs import Highs, watched
from .linear import WHOLE, Linear

if TYPE_CHECKING:
    from .guided_search import GuidedSearch
    from .linear_system import System

LOOK_S = 0.05  # between two reports


@dataclass(frozen=True)
class Settings:
    """How far to trust P, and how far to search without it."""

    doubt: float = setting(0.02, "share of equal chances mixed into P, which may be sure and wrong", least=1e-6, most=1)
    haste: float = setting(1.5, "what a tile laid is worth, in nats; 0: the likeliest board first", least=0, most=100)
    sweeps: int = setting(200, "rounds of messages for P, at most", least=1, most=10_000)
    leaf: int = setting(5000, "placements of depth-first search that settle a partial board", least=1, most=100_000)


class LinearGuided(Solver):
    """See the module text."""

    name = "linear-guided"
    family = "tiles"
    title = "search guided by the linear relaxation, with a linear program first"
    accepts_text = "tiles, terracotta; as large as linear takes them"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Square tiles, as many as a linear program can have."""
        if (refused := refusal(puzzle)) is not None:
            return refused
        linear = Linear().accepts(puzzle)
        if not linear.accepted:
            return linear
        return Fit(True, "marginals of the linear relaxation say which partial boards are worth going on with", 0.2)

    def resumes(self, settings: Settings) -> bool:
        """Its first program may take most of the time, and the inner state of that cannot be written down."""
        return False

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Load the libraries, and compile the kernels or load them from the cache."""
        import scipy.optimize  # noqa: F401

        from . import linear_system  # noqa: F401
        from .guided_search import GuidedSearch
        from .oriented import oriented

        tiles = oriented(puzzle)
        kind_of, masks = tiles.cell_kinds
        search = GuidedSearch(tiles, masks[kind_of], sweeps=1, doubt=settings.doubt, haste=0, leaf=0, seed=0)
        if not search.ended:
            search.step()

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Search until a board fits, none can exist, or the clock runs out."""
        return _solve(puzzle, settings, clock, seed)


def _solve(puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
    from .linear_system import assembling
    from .representing import represent

    preset = represent(puzzle)
    run = _Guided(puzzle)
    if clock.expired:
        return run.outcome("out_of_budget")
    system = yield from watched(assembling(preset), clock, run.progress)
    if system is None:
        return run.outcome("out_of_budget")
    if system.hopeless:
        return run.outcome("proved_none")
    ended = yield from run.program(system, clock, seed)
    if ended is not None:
        return run.outcome(ended)
    return (yield from run.search(system, settings, clock, seed))


class _Guided:
    """What a run has in hand: the fullest board, and what to say of it."""

    def __init__(self, puzzle: Puzzle) -> None:
        import numpy as np

        from .oriented import oriented

        self.tiles = oriented(puzzle)
        self.board = np.full(self.tiles.cells, -1)
        self.counters: dict[str, float] = dict.fromkeys(
            ("programs", "fractional", "boards", "settled", "placements", "sweeps", "most_placed"), 0
        )

    def program(self, system: "System", clock: Clock, seed: int) -> Generator[Progress, None, Status | None]:
        """Solve the first program of Algorithm 1; how that ended the run, if it did."""
        import numpy as np

        from .linear_system import refuting

        objective = np.random.default_rng([seed, system.variables]).random(system.variables)
        with Highs() as highs:
            found = yield from watched(highs.solve(system.program(objective), clock), clock, self.progress)
            if found is None:
                return "out_of_budget"
            clock.spend(1)
            self.counters["programs"] += 1
            if found.status == "infeasible":
                refuted = yield from watched(refuting(system, highs, clock), clock, self.progress)
                # infeasible in floating point alone proves nothing: then the search has to
                return {True: "proved_none", None: "out_of_budget", False: None}[refuted]
        if found.x is not None:
            self.counters["fractional"] = int(((found.x > WHOLE) & (found.x < 1 - WHOLE)).sum())
            rounded = system.rounded(found.x)
            if system.preset.solves(rounded):
                self.board = rounded
                return "complete"
        return None

    def search(self, system: "System", settings: Settings, clock: Clock, seed: int) -> Run:
        """Follow P through partial boards."""
        import numpy as np

        from .guided_search import GuidedSearch

        fits = np.zeros_like(system.preset.fits)
        fits[system.location, system.look] = True
        search = GuidedSearch(self.tiles, fits, settings.sweeps, settings.doubt, settings.haste, settings.leaf, seed)
        self.board = search.best
        due_s = 0.0
        while not (search.full or search.ended or clock.expired):
            search.step()
            clock.spend(1)
            if clock.elapsed_s >= due_s:
                self._count(search)
                yield self.progress()
                due_s = clock.elapsed_s + LOOK_S
        self._count(search)
        if search.full:
            return self.outcome("complete")
        if search.ended:
            return self.outcome("partial" if search.forgot else "proved_none")
        return self.outcome("out_of_budget")

    def _count(self, search: "GuidedSearch") -> None:
        for name in ("boards", "settled", "placements", "sweeps"):
            self.counters[name] = getattr(search, name)

    def progress(self) -> Progress:
        """With the fullest board."""
        details = {name: self.counters[name] for name in ("programs", "settled")}
        laid, steps = int((self.board >= 0).sum()), int(self.counters["boards"])
        return Progress(steps, "boards", laid, len(self.board), "tiles", details, self.tiles.place(self.board))

    def outcome(self, status: Status) -> Outcome:
        """With the fullest board."""
        self.counters["most_placed"] = int((self.board >= 0).sum())
        return Outcome(status, self.tiles.place(self.board), self.counters)
