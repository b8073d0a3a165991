"""The solvers `mcts-standard`, `-optimized`, `-reliable` (Kiarostami et al. 2021), `-single` (Schadd et al. 2012)."""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

from ..core.memory import MB
from ..core.puzzle import Moves, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from .accepting import refusal
from .kind import MovesPuzzle

if TYPE_CHECKING:
    from .tree_search import TreeSearch

ORDERS, TREES = ("fixed", "during"), ("game", "move")
WARMING = 2  # rollouts
APART = 1_000_003  # between the seeds of searches side by side


@dataclass(frozen=True)
class Standard:
    """The paper's plain tree search; each improvement can be switched on by itself."""

    order: str = setting(
        "fixed", "order of solving: moves as listed, or sorted during search, the most welcome first", choices=ORDERS
    )
    fast: bool = setting(False, "fast rollouts: changes of one shared state are taken back, not built anew")
    accurate: bool = setting(False, "accurate randomness: random moves are weighed, and validated by the rules")
    reliable: bool = setting(False, "dead ends are pruned, and it goes back until solved or proved impossible")
    transpositions: bool = setting(False, "positions that are met again share what is known of them")
    points: bool = setting(False, "what counts is the score of a play, not its share of the goal")
    tree: str = setting("game", "one tree for the whole game, or one for each move", choices=TREES)
    per_move: int = setting(1000, "tree=move: rollouts after which the best move is made", least=1)
    restart: int = setting(0, "rollouts after which a new tree is begun; 0: only when it is full", least=0)
    rollouts: int = setting(1000, "rollouts after which it gives up; 0: never", least=0)
    exploration: float = setting(0.02, "weight of little visited nodes in the selection", least=0)
    top: float = setting(0.0, "weight of the highest value below a node, beside the mean", least=0, most=1)
    deviation: float = setting(-1.0, "Schadd's D, for children whose values scatter; -1: not looked at", least=-1)
    backtracks: int = setting(3, "how often a reliable rollout goes back before it ends", least=0)
    workers: int = setting(
        1, "searches side by side with seeds of their own; the first to solve it wins", least=1, most=64
    )


@dataclass(frozen=True)
class Optimized(Standard):
    """With order of solving, fast rollouts and accurate randomness."""

    order: str = setting(
        "during", "order of solving: moves as listed, or sorted during search, the most welcome first", choices=ORDERS
    )
    fast: bool = setting(True, "fast rollouts: changes of one shared state are taken back, not built anew")
    accurate: bool = setting(True, "accurate randomness: random moves are weighed, and validated by the rules")


@dataclass(frozen=True)
class Reliable(Optimized):
    """And pruning: it does not stop before the puzzle is solved or its tree exhausted."""

    reliable: bool = setting(True, "dead ends are pruned, and it goes back until solved or proved impossible")
    transpositions: bool = setting(True, "positions that are met again share what is known of them")
    rollouts: int = setting(0, "rollouts after which it gives up; 0: never", least=0)


@dataclass(frozen=True)
class Single(Optimized):
    """For points: mean, maximum and deviation in the selection."""

    points: bool = setting(True, "what counts is the score of a play, not its share of the goal")
    rollouts: int = setting(0, "rollouts after which it gives up; 0: never", least=0)
    exploration: float = setting(0.1, "weight of little visited nodes in the selection", least=0)
    top: float = setting(0.02, "weight of the highest value below a node, beside the mean", least=0, most=1)
    deviation: float = setting(0.1, "Schadd's D, for children whose values scatter; -1: not looked at", least=-1)


class Mcts(Solver):
    """What the four have in common; they differ in their settings only."""

    family = "moves"
    accepts_text = "every game without chance"
    preference: ClassVar[float] = 0
    spread_by = "workers"

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Every game of class B."""
        if (refused := refusal(puzzle)) is not None:
            return refused
        return Fit(True, "tree search takes every game without chance", self.preference)

    def memory_mb(self, puzzle: Puzzle, settings: Standard) -> float | None:
        """A full tree, and the smaller one that it grew from, for every search; one that gives up soon is small."""
        from .tree_search import GRAVES, MOST_NODES, POSITIONS

        a_node = 57 + (12 * POSITIONS + 8 * GRAVES if settings.transpositions else 0)  # bytes (search/tree.py)
        return None if settings.rollouts else 190 + 1.25 * settings.workers * MOST_NODES * a_node / MB

    def resumes(self, settings: Standard) -> bool:
        """Always."""
        return True

    def warm_up(self, puzzle: Puzzle, settings: Standard) -> None:
        """Compile, on this very puzzle: a rollout takes no time."""
        assert isinstance(puzzle, MovesPuzzle)
        warmed = search(puzzle, settings, 0)
        warmed.advance(WARMING)
        warmed.grow()
        import_module(puzzle.rules).written(puzzle, warmed.path)

    def solve(self, puzzle: Puzzle, settings: Standard, clock: Clock, seed: int) -> Run:
        """Rollouts in slices, until solved, exhausted, or out of budget."""
        from ..search.race import Race

        assert isinstance(puzzle, MovesPuzzle)
        rules = import_module(puzzle.rules)
        allowed = [most for most in (clock.budget.steps, settings.rollouts or None) if most is not None]
        starts = [search(puzzle, settings, seed + APART * n) for n in range(settings.workers)]
        race = Race(starts, min(allowed, default=None))
        goal, name = (None, "score") if settings.points else (1.0, "share of the goal")
        shown: tuple[int, ...] = ()
        for _ in race.run(clock, self.executor):
            leader = race.leader
            if better := leader.path != shown:
                shown = leader.path
            found = Moves(rules.written(puzzle, shown)) if better else None
            details = {"nodes": leader.nodes, "restarts": leader.restarts}
            yield Progress(race.steps, "rollouts", leader.reached, goal, name, details, found)
        clock.spend(race.steps - clock.steps)
        leader = race.leader
        best = Moves(rules.written(puzzle, leader.path))
        counters = {
            "rollouts": race.steps,
            "nodes": leader.nodes,
            "restarts": leader.restarts,
            "best": leader.reached,
        }
        status: Status = "out_of_budget" if clock.expired else "partial"
        if leader.solved or (leader.exhausted and puzzle.endless):
            status = "complete"
        elif leader.exhausted and not puzzle.plays_cut_off:
            return Outcome("proved_none", best if leader.path else None, counters)
        return Outcome(status, best, counters)


def search(puzzle: MovesPuzzle, settings: Standard, seed: int) -> "TreeSearch":
    """The search that these settings mean for this puzzle, before its first rollout."""
    from .tree_search import TreeSearch

    shared = settings.transpositions and not (settings.points or puzzle.for_points)
    return TreeSearch(puzzle, settings, seed, shared, settings.reliable and not puzzle.endless)


class MctsStandard(Mcts):
    """Moves as they come, random rollouts, the state built anew at every step."""

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


class MctsSingle(Mcts):
    """Schadd's selection for one player."""

    name = "mcts-single"
    title = "single-player Monte-Carlo tree search as in Schadd et al. 2012, for points"
    settings_type = Single
    preference = 0.02
