"""The solver `sat`: the encoding as clauses, for an engine that learns from every conflict.

The engine keeps what it learnt from one answer to the next: while cuts are added for loops and paths, and while further
answers are looked for. It runs in slices of conflicts, fixed by the size of the formula so that a run is repeatable.
"""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from random import Random

from ..core.memory import MB
from ..core.puzzle import Assignment, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from .encoding import Encoding
from .exact import LOOK_S, WITNESSES, fit, grid, unanswered, values
from .model import Model

MOST_VALUES = 250_000
# clauses × conflicts of one slice, and its limits
SLICE_WORK, SHORTEST, LONGEST = 20_000_000, 10, 1000


@dataclass(frozen=True)
class Settings:
    """Which engine searches, and whether it goes on after the first answer."""

    engine: str = setting("cadical195", "the SAT engine", choices=("cadical195", "cadical153", "minisat22"))
    prove: bool = setting(False, "also look for a second answer: counters.solutions is 1 if there is none, or 2")


class Sat(Solver):
    """See the module text."""

    name = "sat"
    family = "grids"
    title = "clause learning on a SAT encoding; proves that an answer is the only one, or that there is none"
    accepts_text = "every logic grid, up to about 250,000 values in all (a 25x25 sudoku has 15,625)"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Every logic grid up to a size."""
        return fit(puzzle, MOST_VALUES, "clause learning settles logic grids of every kind quickly", 0.8)

    def memory_mb(self, puzzle: Puzzle, settings: Settings) -> float:
        """Some hundred clauses for each value that a variable may take, here and in the engine."""
        return 120 + 4600 * values(grid(puzzle, self.name)) / MB

    def resumes(self, settings: Settings) -> bool:
        """What the engine has learnt cannot be written down, and without it a count is another run."""
        return False

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Load the engine."""
        from pysat.solvers import Solver as Engine

        Engine(name=settings.engine).delete()

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Search until an answer is found, none can exist, or the clock runs out."""
        return _solve(grid(puzzle, self.name).model(), settings, clock, seed)

    def count(self, puzzle: Puzzle, settings: Settings, clock: Clock, limit: int | None) -> Run:
        """Find answers one by one, forbidding each; the first two are shown as progress."""
        return _count(grid(puzzle, self.name).model(), settings, clock, limit)


class _Search:
    """A pysat engine loaded with a model, which spends a clock."""

    def __init__(self, model: Model, name: str, clock: Clock, seed: int = 0) -> None:
        from pysat.solvers import Solver as Engine

        self.model, self.clock = model, clock
        self.encoding = Encoding(model)
        self.engine = Engine(name=name)
        self.clauses = self.conflicts = self.cuts = self.solutions = 0
        self.exhausted = False
        self._add(self.encoding.clauses())
        if seed:  # which value is tried first
            random = Random(seed)
            self.engine.set_phases([random.choice((n, -n)) for n in range(2, self.encoding.literals + 1)])

    def next(self) -> Generator[Progress, None, tuple[int, ...] | None]:
        """An answer unlike those before it; None if there is none (``exhausted``) or the clock ran out."""
        due_s = self.clock.elapsed_s + LOOK_S
        while not self.clock.expired:
            found = self._advance()
            self.exhausted = found is False
            if self.exhausted:
                return None
            if found:
                values = self.encoding.decode(self.engine.get_model())
                cuts = [clause for group in self.encoding.cuts(values).values() for clause in group]
                if not cuts:
                    self.solutions += 1
                    self._add([self.encoding.other_than(values)])
                    return values[: self.model.answers]
                self._add(cuts)
                self.cuts += len(cuts)
            if self.clock.elapsed_s >= due_s:
                yield Progress(self.clock.steps, "conflicts", self.solutions, best_name="solutions")
                due_s = self.clock.elapsed_s + LOOK_S
        return None

    @property
    def counters(self) -> dict[str, float]:
        """For the outcome."""
        names = ("conflicts", "clauses", "cuts")
        return {**{name: getattr(self, name) for name in names}, "variables": self.encoding.literals}

    def close(self) -> None:
        """Give the memory back."""
        self.engine.delete()

    def _add(self, clauses: Iterable[list[int]]) -> None:
        add = self.engine.solver.add_clause  # there may be many
        for clause in clauses:
            add(clause)
            self.clauses += 1

    def _advance(self) -> bool | None:
        """Search for a slice: an answer, none, or not yet known."""
        self.engine.conf_budget(self.clock.allowance(min(LONGEST, max(SHORTEST, SLICE_WORK // self.clauses))))
        answer: bool | None = self.engine.solve_limited()
        conflicts = self.engine.accum_stats()["conflicts"]
        self.clock.spend(conflicts - self.conflicts)
        self.conflicts = conflicts
        return answer


def _solve(model: Model, settings: Settings, clock: Clock, seed: int) -> Run:
    if clock.expired:
        return Outcome("out_of_budget", unanswered(model))
    search = _Search(model, settings.engine, clock, seed)
    try:
        answer = yield from search.next()
        if answer is None:
            status: Status = "proved_none" if search.exhausted else "out_of_budget"
            return Outcome(status, unanswered(model), search.counters)
        proof = {}
        if settings.prove:
            yield from search.next()
            proof = {"solutions": search.solutions} if search.exhausted or search.solutions == WITNESSES else {}
        return Outcome("complete", Assignment(answer), {**search.counters, **proof})
    finally:
        search.close()


def _count(model: Model, settings: Settings, clock: Clock, limit: int | None) -> Run:
    if clock.expired:
        return Outcome("out_of_budget", None, {"solutions": 0})
    search = _Search(model, settings.engine, clock)
    try:
        first = None
        while not (search.exhausted or clock.expired or (limit and search.solutions >= limit)):
            answer = yield from search.next()
            if answer is not None and search.solutions <= WITNESSES:
                first = first or Assignment(answer)
                yield Progress(
                    clock.steps, "conflicts", search.solutions, best_name="solutions", solution=Assignment(answer)
                )
        stopped: Status = "out_of_budget" if clock.expired else "partial"
        counters = {"solutions": search.solutions, **search.counters}
        return Outcome("complete" if search.exhausted else stopped, first, counters)
    finally:
        search.close()
