"""The solver `depth-first`: propagation and look-ahead, then depth-first search; exact, and counts."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.puzzle import Assignment, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from ..core.state import Misfit, State, fields
from .kind import GridPuzzle

if TYPE_CHECKING:
    from .engine import Search
    from .model import Model

FIRST_SLICE = 500  # constraints run before the first look at the clock
SLICE_S = 0.05  # between two looks


@dataclass(frozen=True)
class Settings:
    """What can be set."""

    ahead: bool = setting(True, "try every value of every variable once before the search begins")
    prove: bool = setting(False, "look for a second answer too: counters.solutions is 1 or 2 then")


class DepthFirst(Solver):
    """See the module text."""

    name = "depth-first"
    family = "grids"
    title = "propagation, look-ahead and depth-first search, compiled"
    accepts_text = "every logic grid; counts solutions"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Every puzzle with a model."""
        if not isinstance(puzzle, GridPuzzle):
            return Fit(False, f"it knows logic grids, and this is a {puzzle.kind} puzzle")
        if puzzle.drawn_as_lines:
            return Fit(True, "compiled search takes every logic grid, but learns nothing of its mistakes", 0.6)
        return Fit(True, "compiled propagation leaves little to search in most logic grids", 0.9)

    def resumes(self, settings: Settings) -> bool:
        """Always."""
        return True

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Compile, on a model of two variables."""
        from .engine import Search
        from .model import AllDifferent, Model

        Search(Model(((0, 1), (0, 1)), (AllDifferent((0, 1)),))).advance(10)
        Search(Model(((0, 1), (0, 1)), (AllDifferent((0, 1)),))).look_ahead(10)

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """One answer, or a proof that there is none; with ``prove`` also whether there is another."""
        assert isinstance(puzzle, GridPuzzle)
        search = _search(puzzle.model(), seed)
        found = yield from _answers(search, clock, 2 if settings.prove else 1, settings.ahead)
        counters: dict[str, float] = {"constraints_run": search.runs}
        if settings.prove and (search.exhausted or len(found) > 1):
            counters["solutions"] = len(found)
        if found:
            return Outcome("complete", Assignment(found[0]), counters)
        if search.exhausted:
            return Outcome("proved_none", None, counters)
        return Outcome("out_of_budget", Assignment((None,) * search.model.answers), counters)

    def count(self, puzzle: Puzzle, settings: Settings, clock: Clock, limit: int | None) -> Run:
        """All answers, or up to ``limit``."""
        assert isinstance(puzzle, GridPuzzle)
        search = _search(puzzle.model(), 0)
        found = yield from _answers(search, clock, limit, settings.ahead, kept=2)
        status: Status = "complete" if search.exhausted else "out_of_budget" if clock.expired else "partial"
        counters = {"solutions": search.answers, "constraints_run": search.runs}
        return Outcome(status, Assignment(found[0]) if found else None, counters)


def _answers(
    search: "Search", clock: Clock, limit: int | None, ahead: bool, kept: int = 2
) -> Generator[Progress, None, list[tuple[int, ...]]]:
    """Up to ``limit`` answers; the first ``kept`` of them come back."""
    slice_ = FIRST_SLICE
    found: list[tuple[int, ...]] = []
    variables = len(search.model.domains)
    if clock.kept is not None:
        ahead, found = _taken_up(search, clock.kept)

    def where() -> State:
        return {"search": search.saved(), "ahead": ahead, "found": [list(answer) for answer in found]}

    clock.keep(where)
    for answer in found:  # those who collect them have not seen them
        yield Progress(search.runs, "constraints run", search.decided, variables, "decided", {}, Assignment(answer))
    while not (clock.expired or search.exhausted or (limit is not None and search.answers >= limit)):
        before, begin_s = search.runs, clock.elapsed_s
        allowed = clock.allowance(slice_)
        witness = None
        if ahead:
            ahead = not search.look_ahead(allowed)
        elif search.advance(allowed) and len(found) < kept:
            assert search.answer is not None
            found.append(search.answer)
            witness = Assignment(search.answer)
        clock.spend(search.runs - before)
        # constraints differ a thousandfold in what they cost, and at an answer few of a slice were run
        quick = (search.runs - before) / max(clock.elapsed_s - begin_s, 1e-6)
        slice_ = max(10, min(2 * slice_, int(SLICE_S * quick)))
        yield Progress(search.runs, "constraints run", search.decided, variables, "decided", solution=witness)
    return found


def _taken_up(search: "Search", kept: Any) -> tuple[bool, list[tuple[int, ...]]]:
    """Where an earlier search was, whether it was still looking ahead, and the answers it had."""
    saved = fields(kept, ("search", "ahead", "found"))
    search.take_up(saved["search"])
    ahead, found = saved["ahead"], saved["found"]
    if type(ahead) is not bool or not isinstance(found, list):
        raise Misfit("answers")
    for answer in found:
        if not isinstance(answer, list) or len(answer) != search.model.answers:
            raise Misfit("answers")
        if any(value not in domain for value, domain in zip(answer, search.model.domains, strict=False)):
            raise Misfit("answers")
    return ahead, [tuple(answer) for answer in found]


def _search(model: "Model", seed: int) -> "Search":
    from .engine import Search

    return Search(model, seed)
