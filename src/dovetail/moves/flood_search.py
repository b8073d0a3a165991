"""The solver `flood-search`: beams that widen until nothing is left out, so that the play is proved shortest."""

from typing import TYPE_CHECKING

from ..core.puzzle import Moves, Puzzle
from ..core.settings import NoSettings
from ..core.solver import Budget, Clock, Fit, Outcome, Progress, Run, Solver
from .games.flood import Flood

if TYPE_CHECKING:
    from .flood_layers import FloodSearch


class FloodSolver(Solver):
    """A good play at once, then shorter ones, then the proof that there is none shorter, as far as the budget goes."""

    name = "flood-search"
    family = "moves"
    title = "breadth-first beams for Flood-it, widened until the play is proved shortest"
    accepts_text = "flood"

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Every flood board."""
        if not isinstance(puzzle, Flood):
            return Fit(False, f"it knows flood boards only, and this is a {puzzle.kind} puzzle")
        return Fit(True, "its lower bound of the moves to go proves plays of usual boards shortest in a second", 1.0)

    def resumes(self, settings: NoSettings) -> bool:
        """Usual boards are done in a second, and of large ones its layers of positions are all its memory."""
        return False

    def warm_up(self, puzzle: Puzzle, settings: NoSettings) -> None:
        """Compile the kernels, or load them from the cache."""
        for _ in _search(Flood(1, 3, (0, 1, 0), 2)).work(Clock(Budget())):
            pass

    def solve(self, puzzle: Puzzle, settings: NoSettings, clock: Clock, seed: int) -> Run:
        """Until the shortest play is known, too many moves are proved to be needed, or the budget is spent."""
        assert isinstance(puzzle, Flood)
        search = _search(puzzle)
        allowed = puzzle.most or search.most
        shown: Moves | None = None
        for _ in search.work(clock):
            found = _written(search)
            better, shown = (None if found == shown else found), found
            moves = search.most if search.best is None else len(search.best)
            details = {"bound": search.bound} if search.best is None else {"moves": moves, "bound": search.bound}
            yield Progress(
                clock.steps,
                "positions",
                search.most - moves,
                search.most - search.bound,
                "moves spared",
                details,
                better,
            )
            if search.bound > allowed:
                break
        counters = {"positions": clock.steps, "bound": search.bound, "optimal": int(search.proved)}
        if search.bound > allowed:
            return Outcome("proved_none", None, counters)
        solution = _written(search) or Moves(())
        if search.best is None or len(search.best) > allowed:
            return Outcome("out_of_budget" if clock.expired else "partial", solution, counters)
        return Outcome("complete", solution, counters)


def _search(puzzle: Flood) -> "FloodSearch":
    from .flood_layers import FloodSearch

    return FloodSearch(puzzle)


def _written(search: "FloodSearch") -> Moves | None:
    return None if search.best is None else Moves(tuple(map(str, search.best)))
