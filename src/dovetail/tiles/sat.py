"""The solver `sat`: the encoding as clauses, for an engine that learns from every conflict.

Engines run in slices of conflicts, fixed by the size of the formula so that a run is repeatable, and keep what they
learnt. On large boards CaDiCaL runs without its simplifications between conflicts, which help, but took a second or
more at a time there. Glucose is not offered: it looks at its budget only when it restarts, up to three seconds late.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.errors import BadInput
from ..core.memory import MB
from ..core.puzzle import Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from .exact import LOOK_S, SIMPLIFIED, batches, empty, fit, literals
from .puzzle import Tiles
from .terracotta import Terracotta

if TYPE_CHECKING:
    from .encoding import Encoding, Exactly

MOST_LITERALS = 15_000_000
PROMPT = 5_000_000  # literals up to which CaDiCaL's first slice is short enough
PAIRWISE = 5  # up to so many variables, forbidding each pair is the smaller way to say "at most one"
# clauses × conflicts of one slice, and its limits
SLICE_WORK, SHORTEST, LONGEST = 20_000_000, 10, 100
LOOK_EVERY = 20_000  # clauses, while loading: one constraint alone may be a million
QUIET = ("elim", "probe", "vivify", "subsume", "ternary", "transred", "decompose", "walk", "lucky", "compact")


@dataclass(frozen=True)
class Settings:
    """Which engine searches."""

    engine: str = setting(
        "auto",
        "the SAT engine; auto is cadical195, or above about 12x12, where that may stop a second late, minisat22",
        choices=("auto", "cadical195", "minisat22"),
    )


class Sat(Solver):
    """See the module text."""

    name = "sat"
    family = "tiles"
    title = "clause learning on a SAT encoding; proves that there is no solution"
    accepts_text = "tiles, terracotta; all rules, up to about 14x14"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Every square-tile puzzle up to a size."""
        return fit(puzzle, MOST_LITERALS, "clause learning settles hard boards of up to about 8x8", 0.5)

    def memory_mb(self, puzzle: Puzzle, settings: Settings) -> float:
        """A literal of a clause is some bytes here and as many in the engine."""
        assert isinstance(puzzle, Tiles | Terracotta)
        return 85 + 26 * literals(puzzle) / MB

    def resumes(self, settings: Settings) -> bool:
        """What the engine has learnt cannot be written down."""
        return False

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Load the engine."""
        from . import encoding, oriented  # noqa: F401

        _Engine(settings.engine, _square(puzzle)).close()

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Search until a board is found, none can exist, or the clock runs out."""
        return _solve(_square(puzzle), settings, clock, seed)

    def count(self, puzzle: Puzzle, settings: Settings, clock: Clock, limit: int | None) -> Run:
        """Find boards one by one, forbidding each. ``distinct_boards`` takes look-alikes and turned boards once."""
        return _count(_square(puzzle), settings, clock, limit)


class _Engine:
    """A pysat engine that counts its clauses and spends a clock."""

    def __init__(self, name: str, puzzle: Tiles | Terracotta) -> None:
        from pysat.solvers import Solver as Engine

        size = literals(puzzle)
        if name == "auto":
            name = "cadical195" if size <= PROMPT else "minisat22"
        self.engine = Engine(name=name)
        if name == "cadical195" and size > SIMPLIFIED:
            self.engine.configure(dict.fromkeys(QUIET, 0))
        self.clauses = 0
        self.conflicts = 0

    def add(self, clause: list[int]) -> None:
        """One more clause."""
        self.engine.add_clause(clause)
        self.clauses += 1

    def advance(self, clock: Clock) -> bool | None:
        """Search for a slice: a model, none, or not yet known."""
        self.engine.conf_budget(clock.allowance(min(LONGEST, max(SHORTEST, SLICE_WORK // max(1, self.clauses)))))
        answer: bool | None = self.engine.solve_limited()
        conflicts = self.engine.accum_stats()["conflicts"]
        clock.spend(conflicts - self.conflicts)
        self.conflicts = conflicts
        return answer

    def true(self) -> list[int]:
        """The variables that the model makes true."""
        return [variable for variable in self.engine.get_model() if variable > 0]

    def close(self) -> None:
        """Give the memory back."""
        self.engine.delete()


def _solve(puzzle: Tiles | Terracotta, settings: Settings, clock: Clock, seed: int) -> Run:
    from .encoding import Encoding
    from .oriented import oriented

    engine = _Engine(settings.engine, puzzle)
    try:
        if clock.expired:
            return Outcome("out_of_budget", empty(puzzle), _counters(engine, 0))
        encoding = Encoding(oriented(puzzle), seed)
        if encoding.hopeless:
            return Outcome("proved_none", empty(puzzle), _counters(engine, encoding.variables))
        yield from _load(engine, encoding, clock)
        answer = None
        due_s = 0.0
        while answer is None and not clock.expired:
            answer = engine.advance(clock)
            if clock.elapsed_s >= due_s:
                yield Progress(clock.steps, "conflicts", 0, len(puzzle.tiles), "tiles")
                due_s = clock.elapsed_s + LOOK_S
        counters = _counters(engine, encoding.variables)
        if answer:
            return Outcome("complete", encoding.puzzle.place(encoding.board(engine.true())), counters)
        return Outcome("out_of_budget" if answer is None else "proved_none", empty(puzzle), counters)
    finally:
        engine.close()


def _count(puzzle: Tiles | Terracotta, settings: Settings, clock: Clock, limit: int | None) -> Run:
    from .counting import numbers
    from .encoding import Encoding
    from .oriented import oriented

    engine = _Engine(settings.engine, puzzle)
    try:
        encoding = Encoding(oriented(puzzle), seed=0)
        boards = fixed = solutions = 0
        more = None if not encoding.hopeless else False
        if more is None:
            yield from _load(engine, encoding, clock)
        due_s = 0.0
        while more is not False and not clock.expired and not (limit and solutions >= limit):
            more = engine.advance(clock)
            if more:
                board = encoding.board(true := engine.true())
                boards += encoding.weight(board)
                fixed += encoding.weight(board) * encoding.turns_to_itself(board)
                solutions = int(numbers(encoding.puzzle, boards, fixed)["solutions"])
                engine.add([-variable for variable in true if variable in encoding.laying])
            if clock.elapsed_s >= due_s:
                yield Progress(clock.steps, "conflicts", solutions, best_name="solutions")
                due_s = clock.elapsed_s + LOOK_S
        counters = {**numbers(encoding.puzzle, boards, fixed), **_counters(engine, encoding.variables)}
        stopped: Status = "out_of_budget" if clock.expired else "partial"
        return Outcome("complete" if more is False else stopped, None, counters)
    finally:
        engine.close()


def _load(engine: _Engine, encoding: "Encoding", clock: Clock) -> Iterator[Progress]:
    """Give the engine the whole formula, unless the clock runs out."""
    for lot in batches(encoding, clock):
        for constraint in lot:
            for clause in [constraint] if isinstance(constraint, list) else _clauses(constraint, encoding):
                engine.add(clause)
                if engine.clauses % LOOK_EVERY == 0 and clock.expired:
                    return
        yield Progress(0, "conflicts", 0, details={"clauses": engine.clauses})


def _clauses(exactly: "Exactly", encoding: "Encoding") -> Iterator[list[int]]:
    """By counting along the variables: a new variable says that at least so many up to here are true."""
    variables, count = exactly.variables, exactly.count
    if count == 1:
        yield variables
        if len(variables) <= PAIRWISE:
            yield from ([-a, -b] for i, a in enumerate(variables) for b in variables[:i])
            return
    before: list[int] = []
    for place, variable in enumerate(variables):
        now = [encoding.new() for _ in range(min(count, place + 1))]
        for least, reached in enumerate(now):
            earlier = before[least] if least < len(before) else None
            fewer = before[least - 1] if least else None
            yield [-variable, reached] if fewer is None else [-variable, -fewer, reached]
            if earlier is not None:
                yield [-earlier, reached]
            # and only then, so that the last of them says that there are enough
            yield [-reached, variable] if earlier is None else [-reached, variable, earlier]
            if fewer is not None:
                yield [-reached, fewer] if earlier is None else [-reached, fewer, earlier]
        if len(before) == count:
            yield [-variable, -before[-1]]
        before = now
    yield [before[count - 1]]


def _counters(engine: _Engine, variables: int) -> dict[str, Any]:
    return {"conflicts": engine.conflicts, "variables": variables, "clauses": engine.clauses}


def _square(puzzle: Puzzle) -> Tiles | Terracotta:
    if not isinstance(puzzle, Tiles | Terracotta):
        raise BadInput(f"sat knows square tiles, and this is a {puzzle.kind} puzzle")
    return puzzle
