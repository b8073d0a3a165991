"""What the registry holds, for tests that run over all of it by themselves."""

from functools import cache

from dovetail.core import registry
from dovetail.core.errors import BadUsage
from dovetail.core.kind import Kind
from dovetail.core.puzzle import Puzzle, Solution
from dovetail.core.solver import Solver
from dovetail.pipeline import solve

KINDS = registry.kind_names()
SAMPLES = [(kind.name, sample) for kind in registry.kinds() for sample in kind.samples()]
# a conflict or a rollout costs far more than a placement
FEWER_STEPS = {
    "sat": 1000, "cp-sat": 1000, "nested": 300, "mcts-standard": 100, "mcts-optimized": 100, "mcts-reliable": 100,
    "mcts-single": 100, "mcts-chance": 1000, "learnt-expectimax": 1000, "push": 5000, "ida-star": 200_000,
    "linear": 20, "semidefinite": 5, "linear-guided": 200,
}  # fmt: skip
SOLVERS = [(family, solver.name) for family in registry.families() for solver in registry.solvers(family)]


def sample(kind: str, name: str) -> Puzzle:
    return registry.kind(kind).samples()[name]()


def solver(family: str, name: str) -> Solver:
    return next(s for s in registry.solvers(family) if s.name == name)


def steps(solver_name: str, most: int) -> int:
    """A budget that this solver spends in a second or two, even on the largest sample."""
    return min(most, FEWER_STEPS.get(solver_name, most))


def samples_for(solver: Solver) -> list[Puzzle]:
    puzzles = [sample(kind, name) for kind, name in SAMPLES]
    return [puzzle for puzzle in puzzles if solver.accepts(puzzle).accepted]


@cache
def answered(kind: Kind) -> tuple[Puzzle, Solution]:
    """A puzzle of the kind with an answer that is right: planted, or else found."""
    try:
        return kind.make(kind.making_type(), seed=5)
    except BadUsage:
        puzzle = next(iter(kind.samples().values()))()
        answer = solve(puzzle)
        assert answer.solution is not None
        return puzzle, answer.solution
