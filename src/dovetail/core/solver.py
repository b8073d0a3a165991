"""How a puzzle is solved: Budget and Clock bound a run, Progress tells of it, Outcome ends it, a Solver makes it."""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self, TypeAlias

from .confidence import Confidence
from .errors import BadUsage, Refused
from .kind import Drawing
from .puzzle import Puzzle, Solution
from .settings import NoSettings

Status: TypeAlias = Literal["complete", "partial", "proved_none", "out_of_budget", "failed"]


@dataclass(frozen=True)
class Budget:
    """What a run may cost: seconds of solving (compile time apart), steps of its solver, or both; and memory."""

    wall_s: float | None = None
    steps: int | None = None
    memory_mb: float | None = None  # that the process may come to hold; None: all that the machine has left

    def __post_init__(self) -> None:
        if self.wall_s is not None and not (0 <= self.wall_s < math.inf):
            raise BadUsage(f"the time budget must be a number of seconds, 0 or more, not {self.wall_s}")
        if self.steps is not None and self.steps < 0:
            raise BadUsage(f"the step budget must be 0 or more, not {self.steps}")
        if self.memory_mb is not None and not (0 < self.memory_mb < math.inf):
            raise BadUsage(f"the memory budget must be a number of megabytes above 0, not {self.memory_mb}")


class Clock:
    """Runs down a Budget. A solver asks it between slices of work of at most a tenth of a second or so."""

    def __init__(self, budget: Budget, now: Callable[[], float] = time.monotonic) -> None:
        self.budget = budget
        self.steps = 0
        self._now = now
        self._start = now()
        self._cancelled = False
        self.kept: Mapping[str, Any] | None = None  # where an earlier run was, for a solver to go on from
        self.snapshot: Callable[[], dict[str, Any]] | None = None  # where this one is

    @property
    def elapsed_s(self) -> float:
        """Seconds since the clock was made, and those of the run that it goes on with."""
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

    def keep(self, snapshot: Callable[[], dict[str, Any]]) -> None:
        """Be told by a solver how to describe where it is, in JSON types and arrays (``core/state.py``).

        It may be asked at each of its yields, and after it ended unfinished.
        """
        self.snapshot = snapshot

    def spent(self) -> dict[str, float]:
        """What has been used up, to be saved."""
        return {"steps": self.steps, "elapsed_s": self.elapsed_s}

    def resume(self, spent: Mapping[str, float], kept: Mapping[str, Any] | None) -> None:
        """Go on where an earlier run was."""
        self.steps = int(spent["steps"])
        self._start = self._now() - float(spent["elapsed_s"])
        self.kept = kept

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
    spread_by: ClassVar[str] = ""  # the setting that says how many parts its work has, if they can run apart

    def __init__(self, executor: Executor | None = None) -> None:
        self.executor = executor  # where those parts run; threads of our own if there is none

    def on(self, executor: Executor) -> Self:
        """The same solver with its parts on this executor. The answer depends on how many parts, never on that."""
        if not self.spread_by:
            raise Refused(f"{self.name} works in one process, and has no parts to run on a cluster")
        return type(self)(executor)

    def check_parts(self, puzzle: Puzzle, settings: Any) -> None:
        """Raise Refused if, with these settings, solving has no parts that could run apart."""
        if getattr(settings, self.spread_by) == 1:
            raise Refused(f"{self.name} has one part only with {self.spread_by}=1; add --set {self.spread_by}=4, say")

    @abstractmethod
    def accepts(self, puzzle: Puzzle) -> Fit:
        """Whether this solver can work on this puzzle, and why (not)."""

    def check_settings(self, puzzle: Puzzle, settings: Any) -> None:  # noqa: B027 (optional)
        """Raise Refused, before any work, if these settings make no sense for this puzzle."""

    def resumes(self, settings: Any) -> bool:
        """Whether, with these settings, it goes on from ``Clock.kept`` and tells ``Clock.keep`` where it is."""
        return False

    def memory_mb(self, puzzle: Puzzle, settings: Any) -> float | None:
        """About how much the process will hold at most, from the sizes of its tables; None if the puzzle hardly counts.

        Asked before any work, so that a run that would need more than there is is refused, and not killed on its way.
        """
        return None

    def leaner(self, puzzle: Puzzle, settings: Any, room_mb: float) -> Any | None:
        """Settings by which the same method fits into so much memory; None if there are none that it may choose."""
        return None

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
