"""The bridge to CPMpy, both ways: our models for every engine that CPMpy knows, and CPMpy models for our solvers.

model, variables = to_cpmpy(puzzle.model())
model.solve("ortools")

solve(a_cpmpy_model)  # by tree search; the values are in its variables then
"""

import time
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

from ..core import registry, settings
from ..core.errors import BadUsage, Refused
from ..core.puzzle import Assignment
from ..core.solver import Budget, Clock, Outcome, Run, Solver
from .kind import GridPuzzle
from .model import Model

if TYPE_CHECKING:
    import cpmpy

DEFAULT_TIME_S = 60.0


def to_cpmpy(model: Model) -> "tuple[cpmpy.Model, list[Any]]":
    """The same model in CPMpy's words, and its variables in our order.

    What it needs beyond them follows from them, so that ``solveAll`` finds every answer once where all are shown.
    """
    _needed()
    from .cpmpy_writing import Writer

    written = Writer(model)
    return written.model, written.variables


def from_cpmpy(cpmpy_model: "cpmpy.Model") -> Model:
    """A CPMpy model in our words: its variables, in the order ``get_variables_model`` gives them, are the answer."""
    _needed()
    from .cpmpy_reading import Reader

    return Reader(cpmpy_model).model


def solve(
    cpmpy_model: "cpmpy.Model",
    solver: str = "mcts-reliable",
    time_s: float | None = DEFAULT_TIME_S,
    seed: int = 0,
    **given: Any,
) -> bool:
    """Solve a CPMpy model with one of our solvers, and put the values into its variables; whether there are any.

    As with CPMpy's own ``solve``, ``cpmpy_model.status()`` tells "there is none" from "none was found in time".
    """
    _needed()
    from .cpmpy_reading import Reader
    from .cpmpy_writing import put_back

    reader = Reader(cpmpy_model)
    puzzle = _Bare(reader.model)
    chosen = _solver(solver)
    if not (fit := chosen.accepts(puzzle)).accepted:
        raise Refused(f"{solver} refuses this model: {fit.why}")
    filled = settings.fill(chosen.settings_type, given)
    chosen.check_settings(puzzle, filled)
    begin = time.perf_counter()
    chosen.warm_up(puzzle, filled)
    outcome = _finished(chosen.solve(puzzle, filled, Clock(Budget(time_s)), seed))
    found = outcome.solution if outcome.status == "complete" else None
    values = found.values if isinstance(found, Assignment) else None
    put_back(cpmpy_model, reader.variables, values, solver, outcome.status, time.perf_counter() - begin)
    return values is not None


@dataclass(frozen=True)
class _Bare(GridPuzzle):
    """A model that no puzzle stands behind."""

    bare: Model
    kind: ClassVar[str] = "model"

    @property
    def size(self) -> str:
        """How many variables are the answer."""
        return f"{self.bare.answers} variables"

    def encode(self) -> dict[str, Any]:
        """What tells it from other models; nothing reads it back."""
        return {"model": repr(self.bare)}

    def model(self) -> Model:
        """The model itself."""
        return self.bare


def _solver(name: str) -> Solver:
    offered = {solver.name: solver for solver in registry.solvers("grids")}
    if name not in offered:
        raise BadUsage(f"unknown solver {name!r}; solvers of logic grids: {', '.join(offered)}")
    return offered[name]


def _finished(run: Run) -> Outcome:
    while True:
        try:
            next(run)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome


def _needed() -> None:
    if find_spec("cpmpy") is None:
        raise Refused("cpmpy is not installed; the package cpmpy brings it")
