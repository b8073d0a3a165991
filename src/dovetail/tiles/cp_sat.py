"""The solver `cp-sat`: the encoding for OR-Tools' CP-SAT, which takes "exactly so many" as it stands.

The search runs on a thread of its own and is stopped from outside; with one worker it is repeatable. Large
boards go without presolve, which heard of a stop up to a second late.
"""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from ..core.errors import BadInput, Refused
from ..core.memory import MB
from ..core.puzzle import Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from .exact import LOOK_S, SIMPLIFIED, batches, empty, fit, literals
from .puzzle import Tiles
from .terracotta import Terracotta

MOST_LITERALS = 3_000_000


@dataclass(frozen=True)
class Settings:
    """How many threads search."""

    workers: int = setting(1, "threads that search; more than one is not repeatable", least=1, most=64)


class CpSat(Solver):
    """See the module text."""

    name = "cp-sat"
    family = "tiles"
    title = "OR-Tools CP-SAT; proves that there is no solution"
    accepts_text = "tiles, terracotta; all rules, up to about 10x10"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Every square-tile puzzle up to a size."""
        return fit(puzzle, MOST_LITERALS, "clause learning and presolve settle hard boards of up to about 8x8", 0.4)

    def memory_mb(self, puzzle: Puzzle, settings: Settings) -> float:
        """A literal is in the model, in what presolve makes of it, and with every worker."""
        assert isinstance(puzzle, Tiles | Terracotta)
        return 95 + (60 + 45 * settings.workers) * literals(puzzle) / MB

    def resumes(self, settings: Settings) -> bool:
        """What the engine has learnt cannot be written down."""
        return False

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Load the library."""
        from ortools.sat.python import cp_model  # noqa: F401

        from . import encoding, oriented  # noqa: F401

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Search until a board is found, none can exist, or the clock runs out."""
        if not isinstance(puzzle, Tiles | Terracotta):
            raise BadInput(f"cp-sat knows square tiles, and this is a {puzzle.kind} puzzle")
        if clock.budget.steps is not None and settings.workers > 1:
            raise Refused("a budget in steps takes one worker, since more are not repeatable; leave out workers")
        return _solve(puzzle, settings, clock, seed)


def _solve(puzzle: Tiles | Terracotta, settings: Settings, clock: Clock, seed: int) -> Run:
    from ortools.sat.python import cp_model

    from .encoding import Encoding
    from .oriented import oriented

    counters = {"conflicts": 0, "variables": 0, "clauses": 0}
    if clock.expired:
        return Outcome("out_of_budget", empty(puzzle), counters)
    encoding = Encoding(oriented(puzzle), seed)
    if encoding.hopeless:
        return Outcome("proved_none", empty(puzzle), counters)
    model = cp_model.CpModel()
    variables: list[Any] = []  # of the model; the encoding counts from 1
    for lot in batches(encoding, clock):
        variables += [model.new_bool_var("") for _ in range(encoding.variables - len(variables))]
        for constraint in lot:
            if isinstance(constraint, list):
                model.add_bool_or([variables[abs(n) - 1] if n > 0 else ~variables[abs(n) - 1] for n in constraint])
            elif constraint.count == 1:
                model.add_exactly_one([variables[n - 1] for n in constraint.variables])
            else:
                model.add(sum(variables[n - 1] for n in constraint.variables) == constraint.count)
        counters["clauses"] += len(lot)
        yield Progress(0, "conflicts", 0, details={"clauses": counters["clauses"]})
    counters["variables"] = encoding.variables
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = settings.workers
    solver.parameters.random_seed = seed % 2**31
    solver.parameters.cp_model_presolve = literals(puzzle) <= SIMPLIFIED
    if clock.budget.steps is not None:
        solver.parameters.max_number_of_conflicts = min(clock.budget.steps, 2**62)
    found = yield from _run(solver, model, clock, len(puzzle.tiles))
    if found is None:
        return Outcome("out_of_budget", empty(puzzle), counters)
    counters["conflicts"] = solver.num_conflicts
    clock.spend(solver.num_conflicts)
    if found not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        status: Status = "proved_none" if found == cp_model.INFEASIBLE else "out_of_budget"
        return Outcome(status, empty(puzzle), counters)
    true = [number for number, variable in enumerate(variables, start=1) if solver.boolean_value(variable)]
    return Outcome("complete", encoding.puzzle.place(encoding.board(true)), counters)


def _run(solver: Any, model: Any, clock: Clock, tiles: int) -> Generator[Progress, None, Any]:
    """Search on a thread, and stop it when the clock says so or nobody wants the rest; how it ended, if it began."""
    if clock.expired:  # before the model was whole
        return None
    with ThreadPoolExecutor(1, "cp-sat") as pool:
        search = pool.submit(solver.solve, model)
        try:
            while not clock.expired and wait([search], timeout=LOOK_S).not_done:
                yield Progress(clock.steps, "conflicts", 0, tiles, "tiles")
        finally:
            while wait([search], timeout=LOOK_S / 10).not_done:
                solver.stop_search()  # again, should the search only be starting
    return search.result()
