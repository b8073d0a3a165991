"""The solver `semidefinite`: Algorithm 2 of Kovalsky, Glasner and Basri, for pieces whose locations are not preset.

Every location is a matrix of moments that should have rank one (5.12); without that demand the equations are a
semidefinite program (5.14), and its optimizer gives the weights of the next (5.15). The first weights are 0; where the
sequence stalls, or ends in locations that are no solution, it starts anew with weights that draw every piece to a place
at random, and after some such starts with moments of a higher degree.

Rank one is no proof: with few moments, wrong locations satisfy all equations. So locations are snapped and then tested
by the solver's own geometry before they are called complete. Nor is an infeasible program a proof that there is no
solution, since its arithmetic rounds: this solver never says so.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING, TypeVar

from ..core.errors import Refused
from ..core.puzzle import EMPTY, Locations, Placement, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver
from .polygons import Polygons
from .puzzle import Tiles

if TYPE_CHECKING:
    from .paths import Floats
    from .rank_one import Program

T = TypeVar("T")

MOST_PIECES = 100
MOST_UNKNOWNS = 6000  # moments of all pieces: beyond, a program takes minutes
MOST_EXPONENTIAL = 16  # pieces, for the paper's basis
# how many types of edges there are for each piece, down to which K begins at so much; else it begins at MOST_FIRST
FIRST_DEGREES, MOST_FIRST = {"polygons": ((0.4, 3), (0.22, 4)), "tiles": ((0.35, 2), (0.26, 3), (0.0, 4))}, 5
PATIENCE = 20  # programs of one start
STALLED = 0.98  # the sum of defects after a program, of that before: above, the sequence has stalled
NEAR = 1.0  # the sum of defects up to which locations are tested
LOOK_S = 0.02  # between two looks at the clock
SHOW_S = 0.5  # between two signs of life during one program
LINGER_S = 0.05  # that a stopped program is waited for; it ends by itself after the step it is at


@dataclass(frozen=True)
class Settings:
    """How Algorithm 2 goes on."""

    basis: str = setting(
        "chebyshev", "functions of a location; exponential is the paper's own", choices=("chebyshev", "exponential")
    )
    degree: int | None = setting(
        None, "K to begin with; by default 2 to 5, by pieces and types of edges", least=1, most=8
    )
    most_degree: int = setting(5, "K, at most", least=1, most=8)
    restarts: int = setting(2, "starts at random for every K, after the one without weights", least=0, most=1000)
    tolerance: float = setting(1e-4, "the sum of the pieces' defects that counts as rank one", least=0.0, most=1.0)


class Semidefinite(Solver):
    """See the module text."""

    name = "semidefinite"
    family = "tiles"
    title = "rank-one semidefinite relaxation for pieces at unknown locations (Kovalsky et al., Algorithm 2)"
    accepts_text = f"polygons; tiles that are not turned, with a frame; up to {MOST_PIECES} pieces"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Polygons, and square tiles as if they could lie anywhere."""
        if isinstance(puzzle, Polygons):
            if len(puzzle.pieces) > MOST_PIECES:
                return Fit(False, f"it has {len(puzzle.pieces)} pieces, and {MOST_PIECES} are the most")
            return Fit(True, "it finds locations without knowing any", 1.0)
        if not isinstance(puzzle, Tiles):
            return Fit(False, f"it knows polygons and square tiles, and this is a {puzzle.kind} puzzle")
        if puzzle.rotate:
            return Fit(False, "its tiles may be turned, and here pieces are only moved")
        if puzzle.frame is None:
            return Fit(False, "it has no frame, and without one nothing says where the tiles are")
        if puzzle.missing or len(puzzle.tiles) > MOST_PIECES:
            return Fit(False, f"it has {len(puzzle.tiles)} tiles; all are needed, and {MOST_PIECES} are the most")
        return Fit(True, "tiles as pieces that may lie anywhere; other solvers use that they lie on cells", 0.1)

    def check_settings(self, puzzle: Puzzle, settings: Settings) -> None:
        """Refuse what would break down in floating point."""
        pieces = _count(puzzle)
        if settings.basis == "exponential" and pieces > MOST_EXPONENTIAL:
            raise Refused(
                f"exponential functions of {pieces} locations are beyond floating point; {MOST_EXPONENTIAL} are the "
                "most, and basis=chebyshev has no such limit"
            )
        if settings.degree is not None and settings.degree > settings.most_degree:
            raise Refused(f"degree {settings.degree} is above most_degree, which is {settings.most_degree}")

    def memory_mb(self, puzzle: Puzzle, settings: Settings) -> float:
        """Moments of every piece, and of every two that may touch: of tiles, whose sides tell more, fewer."""
        return 85 + (6.5 if isinstance(puzzle, Polygons) else 2.2) * _count(puzzle)

    def resumes(self, settings: Settings) -> bool:
        """Nearly all its time goes into programs that an engine solves, whose inner state cannot be written down."""
        return False

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Load the numerical libraries."""
        from . import moments, paths, rank_one, snapping  # noqa: F401

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Iterate until the locations are right, nothing is left to try, or the clock runs out."""
        return _Search(_given(puzzle), settings, clock, seed).run()


class _Search:
    """One run: the best so far, and what it took."""

    def __init__(self, puzzle: Polygons | Tiles, settings: Settings, clock: Clock, seed: int) -> None:
        import numpy as np

        from .paths import free

        self.puzzle, self.settings, self.clock = puzzle, settings, clock
        self.free = free(puzzle)
        self.rng = np.random.default_rng(seed)
        self.stop = Event()
        self.best, self.settled = self._answer((self.free.low + self.free.high) / 2, False), 0.0
        self.complete = False
        self.counters = {"programs": 0, "degree": 0, "starts": 0, "wrong": 0, "broken": 0}

    def run(self) -> Run:
        """See Solver.solve."""
        for degree in range(self._first_degree(), self.settings.most_degree + 1):
            if self.clock.expired or len(self.free.pieces) * (2 * degree + 1) * (degree + 1) > MOST_UNKNOWNS:
                break
            self.counters["degree"] = degree
            program = yield from self._meanwhile(partial(self._program, degree))
            if program is None:
                break
            for start in range(1 + self.settings.restarts):
                broken = self.counters["broken"]
                yield from self._sequence(program, self._weights(program, start))
                if self.complete:
                    return Outcome("complete", self.best, self.counters)
                if self.clock.expired or (self.counters["broken"] > broken and start == 0):
                    break  # a program that is not solved for any weights: other weights will not help
        return Outcome("out_of_budget" if self.clock.expired else "partial", self.best, self.counters)

    def _first_degree(self) -> int:
        """Types give equations and pieces unknowns: the fewer types there are for a piece, the more moments."""
        if self.settings.degree is not None:
            return self.settings.degree
        share = self.free.types / len(self.free.pieces)
        enough = (degree for least, degree in FIRST_DEGREES[self.puzzle.kind] if share >= least)
        return min(next(enough, MOST_FIRST), self.settings.most_degree)

    def _program(self, degree: int) -> "Program":
        from .moments import Chebyshev, Exponential
        from .rank_one import Program

        return Program((Chebyshev if self.settings.basis == "chebyshev" else Exponential)(self.free, degree))

    def _weights(self, program: "Program", start: int) -> "Floats":
        """0 at the first start of every degree, as in Algorithm 2; then towards places at random."""
        import numpy as np

        from .rank_one import towards

        self.counters["starts"] += 1
        side = program.basis.sides[0]
        if start == 0:
            return np.zeros((program.pieces, side, side))
        high = np.maximum(self.free.low, self.free.high)
        return towards(program.basis, self.rng.uniform(self.free.low, high))

    def _sequence(self, program: "Program", weights: "Floats") -> Generator[Progress, None, None]:
        """Programs, each with weights from the one before, until rank one, a stall, or the end of the clock."""
        before = float("inf")
        for _ in range(PATIENCE):
            if self.clock.expired:
                return
            relaxed = yield from self._meanwhile(partial(program.solve, weights, self.stop))
            if self.stop.is_set():
                return
            self.clock.spend(1)
            self.counters["programs"] += 1
            if relaxed is None:
                self.counters["broken"] += 1
                return
            defects = float(relaxed.defects.sum())
            at = program.basis.locations(relaxed.moments)
            self._keep(at, defects)
            yield self._progress(defects, at)
            if self.complete:
                return
            if defects <= self.settings.tolerance:
                self.counters["wrong"] += 1
                return
            if defects > STALLED * before:
                return
            before, weights = defects, relaxed.weights()

    def _keep(self, at: "Floats", defects: float) -> None:
        """Take locations that are right, or better than any before."""
        if defects <= NEAR and (exact := self._exact(at)) is not None:
            self.best, self.complete = exact, True
        elif (settled := float(len(at) - defects)) > self.settled:
            self.best, self.settled = self._answer(at, True), settled

    def _exact(self, at: "Floats") -> Locations | Placement | None:
        """The solution near these locations, tested, if there is one."""
        from .snapping import agrees, edges_of, on_cells, snapped

        if isinstance(self.puzzle, Tiles):
            placement = on_cells(self.puzzle, at)
            return placement if agrees(self.puzzle, placement) else None
        right = snapped(edges_of(self.puzzle), at)
        return None if right is None else _locations(right)

    def _answer(self, at: "Floats", known: bool) -> Locations | Placement:
        """What there is to show for these locations."""
        from .snapping import on_cells

        if not isinstance(self.puzzle, Tiles):
            return _locations(at)
        if known:
            return on_cells(self.puzzle, at)
        rows, cols = self.puzzle.rows, self.puzzle.cols
        return Placement(((EMPTY,) * cols,) * rows, ((0,) * cols,) * rows)

    def _progress(self, defects: float | None = None, at: "Floats | None" = None) -> Progress:
        """What there is, and after a program what it shows."""
        from .semidefinite_view import view

        pieces = len(self.free.pieces)
        return Progress(
            self.clock.steps,
            "programs",
            float(pieces) if self.complete else self.settled,
            pieces,
            "settled",
            {"degree": self.counters["degree"], **({} if defects is None else {"defect": defects})},
            None if at is None else self.best,
            None if at is None else partial(view, self.puzzle, at),
        )

    def _meanwhile(self, work: Callable[[], T]) -> Generator[Progress, None, T | None]:
        """The result of work in a thread (clarabel lets others run meanwhile); None if the clock runs out before.

        A program that is stopped ends after the step of the interior-point method that it is at.
        """
        results: list[T] = []
        failures: list[BaseException] = []

        def job() -> None:
            try:
                results.append(work())
            except BaseException as failure:
                failures.append(failure)

        thread = Thread(target=job, name="semidefinite")
        thread.start()
        try:
            due_s = self.clock.elapsed_s + SHOW_S
            while thread.is_alive():
                thread.join(LOOK_S)
                if self.clock.expired and thread.is_alive():
                    return None
                if self.clock.elapsed_s >= due_s:
                    yield self._progress()
                    due_s = self.clock.elapsed_s + SHOW_S
        finally:
            if thread.is_alive():
                self.stop.set()
                thread.join(LINGER_S)
        if failures:
            raise failures[0]
        return results[0]


def _given(puzzle: Puzzle) -> Polygons | Tiles:
    assert isinstance(puzzle, Polygons | Tiles)
    return puzzle


def _count(puzzle: Puzzle) -> int:
    given = _given(puzzle)
    return len(given.tiles if isinstance(given, Tiles) else given.pieces)


def _locations(at: "Floats") -> Locations:
    return Locations(tuple((float(x), float(y)) for x, y in at))
