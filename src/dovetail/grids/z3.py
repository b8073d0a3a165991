"""The solver `z3`, the baseline of Kiarostami et al. 2021: the model for Microsoft's Z3, in one of two encodings.

``integers`` writes each rule down as a textbook does: whole numbers, Distinct, sums, products, implications.
``booleans`` hands Z3 the clauses that `sat` uses. Loops and paths are cut lazily in both. A step is a unit of
Z3's own resource count, which makes a run repeatable.
"""

from dataclasses import dataclass
from importlib.util import find_spec

from ..core.memory import MB
from ..core.puzzle import Assignment, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Run, Solver
from .exact import aside, fit, grid, unanswered, values
from .model import Model

MOST_VALUES = 50_000
MOST_UNITS = 2**32 - 1  # what Z3 takes for a limit


@dataclass(frozen=True)
class Settings:
    """How the model is written down."""

    encoding: str = setting(
        "booleans", "integers (as a textbook would) or booleans (the clauses of sat)", choices=("booleans", "integers")
    )


class Z3(Solver):
    """See the module text."""

    name = "z3"
    family = "grids"
    title = "Z3, the baseline of the paper; proves that there is no answer"
    accepts_text = "every logic grid, up to about 50,000 values in all, where the package z3-solver is installed"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Every logic grid up to a size, if Z3 is there."""
        if find_spec("z3") is None:
            return Fit(False, "z3 is not installed; the package z3-solver brings it")
        return fit(puzzle, MOST_VALUES, "Z3 takes every logic grid; here it serves for comparison", 0.2)

    def memory_mb(self, puzzle: Puzzle, settings: Settings) -> float:
        """Z3 keeps every constraint as a tree, and again as it was simplified."""
        return 85 + 16_500 * values(grid(puzzle, self.name)) / MB

    def resumes(self, settings: Settings) -> bool:
        """What the engine has learnt cannot be written down."""
        return False

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Load the library."""
        from .z3_models import Booleans

        Booleans(Model((), ()))

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Search until an answer is found, none can exist, or the clock runs out."""
        return _solve(grid(puzzle, self.name).model(), settings, clock, seed)


def _solve(model: Model, settings: Settings, clock: Clock, seed: int) -> Run:
    from .z3_models import NONE, SOME, Booleans, Integers

    counters = {"checks": 0, "cuts": 0}
    built = (Booleans if settings.encoding == "booleans" else Integers)(model, seed)
    while not clock.expired:
        built.limit(0 if clock.budget.steps is None else clock.allowance(MOST_UNITS))
        before = built.units
        found = yield from aside(built.solver.check, built.context.interrupt, clock, "units")
        clock.spend(built.units - before)
        counters["checks"] += 1
        if found == NONE:
            return Outcome("proved_none", unanswered(model), counters)
        if found != SOME:
            break
        values = built.values()
        cuts = built.cut(values)
        if not cuts:
            return Outcome("complete", Assignment(values[: model.answers]), counters)
        counters["cuts"] += cuts
    return Outcome("out_of_budget", unanswered(model), counters)
