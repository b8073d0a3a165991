"""The solvers `mcts-standard`, `mcts-optimized`, `mcts-reliable` (Kiarostami et al. 2021): tree search over a model."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..core import registry
from ..core.errors import Refused
from ..core.puzzle import Assignment, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from ..core.state import Misfit, State, fields
from .kind import GridPuzzle

if TYPE_CHECKING:
    from .tree_search import TreeSearch

NARROW_TURNS = 10  # turns of a narrower model for each of the widest
TURN = 32  # rollouts of a turn, or one slice of looking ahead
ORDERS = ("fixed", "before", "during")


@dataclass(frozen=True)
class Standard:
    """The paper's plain tree search; each of its improvements can be switched on by itself."""

    order: str = setting(
        "fixed", "order of solving: as declared, sorted before, or chosen during search", choices=ORDERS
    )
    fast: bool = setting(False, "fast rollouts: changes of one shared state are taken back, not built anew")
    accurate: bool = setting(False, "accurate randomness: random moves are validated by propagation")
    reliable: bool = setting(False, "dead ends are pruned, and it goes back until solved or proved impossible")
    ahead: bool = setting(False, "every value of every variable is tried once before the search begins")
    steps: bool = setting(False, "class AB only: played step by step, a line drawn on from its end; needs accurate")
    rollouts: int = setting(1000, "rollouts after which it gives up; 0: never", least=0)
    exploration: float = setting(0.5, "weight of little visited nodes in the selection", least=0)
    backtracks: int = setting(30, "how often a reliable rollout goes back before it ends", least=0)


@dataclass(frozen=True)
class Optimized(Standard):
    """With order of solving, fast rollouts and accurate randomness."""

    order: str = setting(
        "during", "order of solving: as declared, sorted before, or chosen during search", choices=ORDERS
    )
    fast: bool = setting(True, "fast rollouts: changes of one shared state are taken back, not built anew")
    accurate: bool = setting(True, "accurate randomness: random moves are validated by propagation")


@dataclass(frozen=True)
class Reliable(Optimized):
    """And pruning: it does not stop before the puzzle is solved or its tree exhausted."""

    reliable: bool = setting(True, "dead ends are pruned, and it goes back until solved or proved impossible")
    ahead: bool = setting(True, "every value of every variable is tried once before the search begins")
    rollouts: int = setting(0, "rollouts after which it gives up; 0: never", least=0)


class Mcts(Solver):
    """What the three have in common; they differ in their settings only."""

    family = "grids"
    accepts_text = "every logic grid"
    preference: ClassVar[float] = 0

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Every puzzle with a model."""
        if not isinstance(puzzle, GridPuzzle):
            return Fit(False, f"it knows logic grids, and this is a {puzzle.kind} puzzle")
        return Fit(True, "tree search takes every logic grid", self.preference)

    def check_settings(self, puzzle: Puzzle, settings: Standard) -> None:
        """Step by step is for puzzles that have steps, and every step is validated."""
        if settings.steps and registry.kind(puzzle.kind).puzzle_class != "AB":
            raise Refused(f"{puzzle.kind} is not played step by step; leave out steps")
        if settings.steps and not settings.accurate:
            raise Refused("every step of a play is validated: steps=true needs accurate=true")

    def resumes(self, settings: Standard) -> bool:
        """Always."""
        return True

    def warm_up(self, puzzle: Puzzle, settings: Standard) -> None:
        """Compile, on models of a few variables."""
        from .model import Loop, Model, Paths, Runs

        three, edges = ((0, 1),) * 3, ((0, 1), (1, 2), (0, 2))
        tiny = {
            "slitherlink": Model(three, (Loop((0, 1, 2), edges),)),
            "numberlink": Model((*three, (1,), (1,), (0,)), (Paths((0, 1, 2, 3, 4, 5), edges, (1, 1, 0)),)),
        }.get(puzzle.kind, Model(three, (Runs((0, 1, 2), ((1, 1),)),)))
        for _ in _search(tiny, settings, 0).work(100):
            pass

    def solve(self, puzzle: Puzzle, settings: Standard, clock: Clock, seed: int) -> Run:
        """Rollouts in slices, until solved, exhausted, or out of budget."""
        assert isinstance(puzzle, GridPuzzle)
        model = puzzle.model()
        # only a search that goes on until the end can use narrower models: it is not stuck where one has no answer
        models = puzzle.one_models() if settings.reliable else (model,)
        turns = Turns([_search(narrow, settings, seed) for narrow in models], settings.rollouts or None)
        if clock.kept is not None:
            turns.take_up(clock.kept)
        clock.keep(turns.state)
        while not (turns.ended or clock.expired):
            turns.work(clock)
            yield Progress(turns.rollouts, "rollouts", turns.last.satisfied, len(model.constraints), "satisfied")
        last = turns.last
        counters = {
            "rollouts": turns.rollouts, "nodes": sum(s.nodes for s in turns.searches), "satisfied": last.satisfied,
        }  # fmt: skip
        if last.exhausted and not last.solved:
            return Outcome("proved_none", None, counters)
        status: Status = "complete" if last.solved else "out_of_budget" if clock.expired else "partial"
        return Outcome(status, Assignment(last.answer[: model.answers]), counters)


class Turns:
    """Searches that take turns of so many rollouts each; alone, one has no use for turns."""

    def __init__(self, searches: "list[TreeSearch]", most: int | None) -> None:
        self.searches, self.most = searches, most
        # the narrower ones, where an answer is likelier, get most of the time
        self._order = [n for n in range(len(searches) - 1) for _ in range(NARROW_TURNS)] + [len(searches) - 1]
        self._turn, self._left = 0, TURN  # whose it is, and rollouts left of it

    @property
    def rollouts(self) -> int:
        """Of all together."""
        return sum(search.rollouts for search in self.searches)

    @property
    def last(self) -> "TreeSearch":
        """The one that has solved it, or else that of the whole model."""
        return next((search for search in self.searches if search.solved), self.searches[-1])

    @property
    def ended(self) -> bool:
        """Whether it is solved, or proved that it cannot be, or given up."""
        return self.last.solved or self.last.exhausted or bool(self.most and self.rollouts >= self.most)

    def work(self, clock: Clock) -> None:
        """A slice of the turn that it is."""
        while (search := self.searches[self._order[self._turn]]).exhausted:
            self._pass_on()
        looked, before = search.looking, search.rollouts
        allowed = clock.allowance(search.slice if len(self.searches) == 1 else min(search.slice, self._left))
        next(search.work(min(allowed, self.most - self.rollouts) if self.most else allowed), None)
        clock.spend(search.rollouts - before)
        self._left -= search.rollouts - before
        if looked or self._left <= 0:
            self._pass_on()

    def _pass_on(self) -> None:
        self._turn, self._left = (self._turn + 1) % len(self._order), TURN

    def state(self) -> State:
        """Where they are, for ``take_up``."""
        return {"searches": [search.state() for search in self.searches], "turn": self._turn, "left": self._left}

    def take_up(self, kept: Any) -> None:
        """Go on where an earlier run was."""
        saved = fields(kept, ("searches", "turn", "left"))
        searches, self._turn, self._left = saved["searches"], saved["turn"], saved["left"]
        if not isinstance(searches, list) or len(searches) != len(self.searches):
            raise Misfit("searches")
        if self._turn not in range(len(self._order)) or self._left not in range(TURN + 1):
            raise Misfit("turns")
        for search, state in zip(self.searches, searches, strict=True):
            search.take_up(state)


def _search(model: Any, settings: Standard, seed: int) -> "TreeSearch":
    from .tree_search import TreeSearch

    return TreeSearch(model, settings, seed)


class MctsStandard(Mcts):
    """Ordered children, random rollouts, value = satisfied / all."""

    name = "mcts-standard"
    title = "Monte-Carlo tree search as in Kiarostami et al. 2021, standard"
    settings_type = Standard


class MctsOptimized(Mcts):
    """With order of solving, fast rollouts, accurate randomness."""

    name = "mcts-optimized"
    title = "Monte-Carlo tree search as in Kiarostami et al. 2021, optimized"
    settings_type = Optimized
    preference = 0.05


class MctsReliable(Mcts):
    """And it prunes and goes back until solved, or proved impossible."""

    name = "mcts-reliable"
    title = "Monte-Carlo tree search as in Kiarostami et al. 2021, reliable: prunes until solved or proved impossible"
    settings_type = Reliable
    preference = 0.1
