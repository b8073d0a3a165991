"""How a puzzle is solved: Budget and Clock bound a run, Progress tells of it, Outcome ends it, a Solver makes it."""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from .confidence import Confidence
from .errors import BadUsage, Refused
from .kind import Drawing
from .puzzle import Puzzle, Solution
from .settings import NoSettings

Status: TypeAlias = Literal["complete", "partial", "proved_none", "out_of_budget", "failed"]


@dataclass(frozen=True)
class Budget:
    """What a run may cost: seconds of solving (compile time apart), steps of its solver, or both."""

    wall_s: float | None = None
    steps: int | None = None

    def __post_init__(self) -> None:
        if self.wall_s is not None and not (0 <= self.wall_s < math.inf):
            raise BadUsage(f"the time budget must be a number of seconds, 0 or more, not {self.wall_s}")
        if self.steps is not None and self.steps < 0:
            raise BadUsage(f"the step budget must be 0 or more, not {self.steps}")


class Clock:
    """Runs down a Budget. A solver asks it between slices of work of at most a tenth of a second or so."""

    def __init__(self, budget: Budget, now: Callable[[], float] = time.monotonic) -> None:
        self.budget = budget
        self.steps = 0
        self._now = now
        self._start = now()
        self._cancelled = False

    @property
    def elapsed_s(self) -> float:
        """Seconds since the clock was made."""
        return self._now() - self._start

    @property
    def expired(self) -> bool:
        """Whether to stop now: time or steps are used up, or somebody cancelled."""
        return (
            self._cancelled
            or (self.budget.wall_s is not None and self.elapsed_s >= self.budget.wall_s)
            or (self.budget.steps is not None and self.steps >= self.budget.steps)
        )

    def allowance(self, most: int) -> int:
        """How many of ``most`` further steps the step budget still covers."""
        return most if self.budget.steps is None else max(0, min(most, self.budget.steps - self.steps))

    def spend(self, steps: int) -> None:
        """Book steps that were taken."""
        self.steps += steps

    def cancel(self) -> None:
        """Ask the solver to stop at its next look; safe from a signal handler or another thread."""
        self._cancelled = True


@dataclass(frozen=True)
class Progress:
    """One glance at a running solver, as plain data."""

    steps: int
    unit: str  # what a step is: "placements", "generations", …
    best: float  # best so far, out of ``goal`` where that is known
    goal: float | None = None
    best_name: str = "best"
    details: Mapping[str, float] = field(default_factory=dict)
    solution: Solution | None = None  # the best so far, where showing it costs nothing
    view: Callable[[], Drawing] | None = None  # what the solver has in hand, where that is more than a solution


@dataclass(frozen=True)
class Outcome:
    """How a run ended, in the solver's own words. Whether it is solved is for the checker to say."""

    status: Status
    solution: Solution | None = None
    counters: Mapping[str, float] = field(default_factory=dict)
    confidence: Confidence | None = None  # how sure it is of the solution, where it says so


@dataclass(frozen=True)
class Fit:
    """A solver's answer to "is this yours?". The highest ``preference`` among those that accept is ``auto``."""

    accepted: bool
    why: str
    preference: float = 0.0


Run: TypeAlias = Generator[Progress, None, Outcome]


class Solver(ABC):
    """One method. Solvers hold no state between runs; all of a run is in its arguments and its seed.

    ``solve`` is a generator: it yields Progress whenever it likes, looks at the clock at least ten times a
    second, and returns its Outcome with the best solution so far, however it ends. The same puzzle, settings,
    seed and step budget give the same Outcome.
    """

    name: ClassVar[str]  # the same name means the same method in every family
    family: ClassVar[str]
    title: ClassVar[str]  # one line, for lists
    accepts_text: ClassVar[str]  # what it accepts, in words
    status: ClassVar[Literal["thoroughly tested", "lightly tested", "known problem"]] = "lightly tested"
    tells_confidence: ClassVar[bool] = False  # whether its outcomes say how sure they are
    settings_type: ClassVar[type[Any]] = NoSettings

    @abstractmethod
    def accepts(self, puzzle: Puzzle) -> Fit:
        """Whether this solver can work on this puzzle, and why (not)."""

    def check_settings(self, puzzle: Puzzle, settings: Any) -> None:  # noqa: B027 (optional)
        """Raise Refused, before any work, if these settings make no sense for this puzzle."""

    def warm_up(self, puzzle: Puzzle, settings: Any) -> None:  # noqa: B027 (optional)
        """Compile and load whatever ``solve`` needs, so that its seconds count solving only."""

    @abstractmethod
    def solve(self, puzzle: Puzzle, settings: Any, clock: Clock, seed: int) -> Run:
        """Solve; see the class text."""

    def count(self, puzzle: Puzzle, settings: Any, clock: Clock, limit: int | None) -> Run:
        """Count all solutions (``counters['solutions']``); solvers that cannot, refuse."""
        raise Refused(f"{self.name} cannot count solutions")

    @classmethod
    def can_count(cls) -> bool:
        """Whether this solver counts."""
        return cls.count is not Solver.count
