"""The solver `linear`: Algorithm 1 of Kovalsky, Glasner, Basri, "A Global Approach for Solving Edge-Matching Puzzles".

A solution is a permutation P of pieces over locations that satisfies a linear system (5.8). Permutations are the
bistochastic matrices of the largest norm, so ⟨P', P⟩ is maximised over the bistochastic matrices that satisfy it, P'
being the last optimum, until P is a permutation, or P' is optimal itself (5.10). We depart from the paper in that the
functions are deltas instead of exponentials (``bases`` says why), that the first objective is random instead of none,
which breaks ties between solutions, and another one where the iteration stands still, and that what no solution can
hold is left out beforehand (``narrowing``). An empty polytope is a proof that there is no solution, once it is made
exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.errors import Refused
from ..core.kind import Drawing
from ..core.memory import MB
from ..core.puzzle import Placement, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver
from .accepting import refusal
from .boxes import Boxes
from .hexagons import Hexagons
from .highs import METHODS, Highs, watched
from .puzzle import Tiles
from .terracotta import Terracotta

if TYPE_CHECKING:
    from .linear_system import Floats, System

MOST_VARIABLES = 600_000  # most of which are left out before HiGHS sees them
MOST_TURNED = 17_000  # of square pieces that turn, which keep most of theirs; other solvers take those too
MOST_RAW = 36  # locations, for the bases that lose themselves in rounding
WHOLE = 1e-5  # as near as an entry of P must be to 0 or 1
STILL = 1e-6  # an objective that grows by less stands still


@dataclass(frozen=True)
class Settings:
    """Which programs to solve, and how."""

    basis: str = setting(
        "delta",
        "functions f of the system: delta (sparse and exact), or the paper's exponential, the powers of proposition "
        f"4.2, or cosine, up to {MOST_RAW} pieces; only delta proves that there is no solution",
        choices=("delta", "exponential", "powers", "cosine"),
    )
    iterations: int = setting(20, "programs for one start", least=1, most=1000)
    restarts: int = setting(20, "further starts where the iteration stands still", least=0, most=1000)
    method: str = setting(
        "ipm",
        "of HiGHS: ipm (interior point, then a vertex), centre (interior point alone) or simplex (dual)",
        choices=tuple(METHODS),
    )
    blocks: bool = setting(True, "first leave out what no block of two by two allows; false: the paper's program alone")
    lift: bool = setting(
        False, "with a variable for every block of two by two that can be laid: tighter, and far larger"
    )
    round: bool = setting(True, "take the rounded board where it fits although P is no permutation yet")


class Linear(Solver):
    """See the module text."""

    name = "linear"
    family = "tiles"
    title = "iterated linear programs over bistochastic matrices (Kovalsky, Algorithm 1)"
    accepts_text = "tiles, terracotta, boxes, hexagons; up to 24x24 squares that only move, 8x8 that turn"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """All boards with preset locations, up to a size."""
        solid = isinstance(puzzle, Boxes | Hexagons)
        if not solid and not isinstance(puzzle, Tiles | Terracotta):
            return Fit(False, f"it knows square tiles, boxes and hexagons, and this is a {puzzle.kind} puzzle")
        if not solid and (refused := refusal(puzzle)) is not None:
            return refused
        pieces, turns = _pieces_and_turns(puzzle)
        most, variables = MOST_VARIABLES if solid or turns == 1 else MOST_TURNED, pieces**2 * turns
        if variables > most:
            return Fit(False, f"its linear program would have {variables:,} variables, and {most:,} are the most")
        why = "where colours are many, a linear program or a few find the whole board at once"
        return Fit(True, why, 0.9 if solid else 0.1)

    def check_settings(self, puzzle: Puzzle, settings: Settings) -> None:
        """The other bases are for comparison, on small boards."""
        pieces, _ = _pieces_and_turns(puzzle)
        if settings.basis != "delta" and settings.lift:
            raise Refused("blocks of two by two go with delta functions; use --set basis=delta, or leave out lift")
        if settings.basis != "delta" and pieces > MOST_RAW:
            raise Refused(
                f"the basis {settings.basis} is for boards of up to {MOST_RAW} pieces, and this one has {pieces}; "
                "use --set basis=delta"
            )

    def memory_mb(self, puzzle: Puzzle, settings: Settings) -> float:
        """An interior point of a program with a variable for every look of every piece at every location."""
        pieces, turns = _pieces_and_turns(puzzle)
        return 95 + 1400 * pieces**2 * turns / MB

    def resumes(self, settings: Settings) -> bool:
        """Nearly all its time goes into programs that an engine solves, whose inner state cannot be written down."""
        return False

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Load the libraries."""
        import scipy.optimize  # noqa: F401

        from . import bases, lifting, linear_system, representing  # noqa: F401

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Iterate until a board fits, none can exist, every start stands still, or the clock runs out."""
        self.check_settings(puzzle, settings)
        return _solve(puzzle, settings, clock, seed)


def _pieces_and_turns(puzzle: Puzzle) -> tuple[int, int]:
    """How many pieces there are, and how many ways each may lie."""
    match puzzle:
        case Boxes():
            return len(puzzle.pieces), 1
        case Hexagons():
            return len(puzzle.pieces), 6 if puzzle.rotate else 1
        case Tiles():
            return len(puzzle.tiles), 4 if puzzle.rotate else 1
        case Terracotta():
            return len(puzzle.tiles), 4
        case _:
            raise Refused(f"linear knows no {puzzle.kind} puzzles")


def _solve(puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
    import numpy as np

    from .bases import over
    from .lifting import lifting
    from .linear_system import assembling, refuting
    from .representing import represent

    preset = represent(puzzle)
    run = _Algorithm1(puzzle, settings, preset.place(np.full(len(preset.points), -1)))
    if clock.expired:
        return run.outcome("out_of_budget")
    system = yield from watched(assembling(preset, settings.blocks), clock, run.progress)
    if system is None:
        return run.outcome("out_of_budget")
    if settings.lift:
        system = yield from watched(lifting(system), clock, run.progress)
        if system is None:
            return run.outcome("out_of_budget")
    run.begin(over(system, settings.basis))
    if system.hopeless:
        return run.outcome("proved_none")
    rng = np.random.default_rng([seed, system.variables])
    with Highs() as highs:
        for _ in range(settings.restarts + 1):
            objective = rng.random(system.variables)
            for iteration in range(settings.iterations):
                program = run.system.program(objective, settings.method)
                found = yield from watched(highs.solve(program, clock), clock, run.progress)
                if found is None:
                    return run.outcome("out_of_budget")
                clock.spend(1)
                if found.x is None:
                    if settings.basis != "delta" or found.status == "unclear":
                        return run.outcome("partial")
                    refuted = yield from watched(refuting(system, highs, clock), clock, run.progress)
                    return run.outcome({True: "proved_none", False: "partial", None: "out_of_budget"}[refuted])
                run.take(found.x[: system.variables], objective)
                yield run.progress(run.p)
                if run.solved:
                    return run.outcome("complete")
                if iteration > 0 and objective @ run.p <= objective @ objective + STILL:
                    break  # the last P is optimal itself: a fixed point
                objective = run.p
    return run.outcome("partial")


class _Algorithm1:
    """What a run has in hand: the best board rounded from any P, and what to say of it."""

    def __init__(self, puzzle: Puzzle, settings: Settings, empty: Placement) -> None:
        self.puzzle, self.settings = puzzle, settings
        self.board = empty  # the best so far
        self.matched = -1  # seams of it
        self.solved = False
        self.counters: dict[str, float] = {"programs": 0, "variables": 0, "rows": 0, "objective": 0.0, "fractional": 0}

    def begin(self, system: "System") -> None:
        """The system stands."""
        self.system = system
        self.goal = system.preset.asked
        self.counters |= {"variables": len(system.group), "rows": len(system.rhs)}

    def take(self, p: "Floats", objective: "Floats") -> None:
        """Round P, and keep the board if it is the best."""
        preset, self.p = self.system.preset, p
        fractional = int(((p > WHOLE) & (p < 1 - WHOLE)).sum())
        self.counters |= {"objective": round(float(objective @ p), 6), "fractional": fractional}
        self.counters["programs"] += 1
        self.rounded = board = self.system.rounded(p)
        matched = self.goal - preset.broken(board)
        self.solved = preset.solves(board) and (self.settings.round or fractional == 0)
        if matched > self.matched or self.solved:
            self.board, self.matched = preset.place(board), matched

    def progress(self, p: "Floats | None" = None) -> Progress:
        """With a view of P where there is a new one."""
        return Progress(
            int(self.counters["programs"]),
            "programs",
            max(0, self.matched),
            None if self.matched < 0 else self.goal,
            "edges matched",
            {name: self.counters[name] for name in ("objective", "fractional")},
            self.board,
            None if p is None else self._view(p),
        )

    def _view(self, p: "Floats") -> Callable[[], Drawing]:
        puzzle, system, board, counters = self.puzzle, self.system, self.rounded, dict(self.counters)

        def view() -> Drawing:
            from .linear_view import board_and_matrix

            words = f"program {counters['programs']:.0f}", f"P: {counters['fractional']:.0f} entries in between"
            return board_and_matrix(puzzle, system.preset.place(board), system, p, words)

        return view

    def outcome(self, status: Any) -> Outcome:
        """With the best so far."""
        return Outcome(status, self.board, self.counters)
