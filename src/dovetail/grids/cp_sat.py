"""The solver `cp-sat`: the model for OR-Tools' CP-SAT, constraint by constraint, as near to its own words as they go.

The search runs on a thread of its own and is stopped from outside. One worker is repeatable, several are not.
"""

from dataclasses import dataclass

from ..core.errors import Refused
from ..core.memory import MB
from ..core.puzzle import Assignment, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Run, Solver, Status
from .exact import aside, fit, grid, unanswered, values
from .model import Model

MOST_VALUES = 50_000
WORKERS = 2


@dataclass(frozen=True)
class Settings:
    """How many threads search."""

    workers: int | None = setting(
        None,
        f"threads that search: {WORKERS}, or with a budget in steps 1, since more are not repeatable",
        least=1,
        most=64,
    )


class CpSat(Solver):
    """See the module text."""

    name = "cp-sat"
    family = "grids"
    title = "OR-Tools CP-SAT; proves that there is no answer"
    accepts_text = "every logic grid, up to about 50,000 values in all (a 25x25 sudoku has 15,625)"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Every logic grid up to a size."""
        return fit(puzzle, MOST_VALUES, "CP-SAT knows the rules of logic grids as they stand", 0.4)

    def memory_mb(self, puzzle: Puzzle, settings: Settings) -> float:
        """The model has a literal for each value that a variable may take; every worker has its own."""
        return 120 + (1000 + 1000 * (settings.workers or 1)) * values(grid(puzzle, self.name)) / MB

    def resumes(self, settings: Settings) -> bool:
        """What the engine has learnt cannot be written down."""
        return False

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Load the library."""
        from . import cp_sat_model  # noqa: F401

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Search until an answer is found, none can exist, or the clock runs out."""
        if clock.budget.steps is not None and (settings.workers or 1) > 1:
            raise Refused("a budget in steps takes one worker, since more are not repeatable; leave out workers")
        return _solve(grid(puzzle, self.name).model(), settings, clock, seed)


def _solve(model: Model, settings: Settings, clock: Clock, seed: int) -> Run:
    from ortools.sat.python import cp_model

    from .cp_sat_model import CpSatModel

    if clock.expired:
        return Outcome("out_of_budget", unanswered(model))
    built = CpSatModel(model)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = settings.workers or (WORKERS if clock.budget.steps is None else 1)
    solver.parameters.random_seed = seed % 2**31
    if clock.budget.steps is not None:
        solver.parameters.max_number_of_conflicts = min(clock.budget.steps, 2**62)
    found = yield from aside(lambda: solver.solve(built.model), solver.stop_search, clock, "conflicts")
    clock.spend(solver.num_conflicts)
    counters = {"conflicts": solver.num_conflicts, **built.counters}
    if found in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        answer = tuple(solver.value(variable) for variable in built.variables[: model.answers])
        return Outcome("complete", Assignment(answer), counters)
    status: Status = "proved_none" if found == cp_model.INFEASIBLE else "out_of_budget"
    return Outcome(status, unanswered(model), counters)
