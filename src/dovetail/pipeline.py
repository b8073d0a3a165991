"""The whole flow: read → choose a solver → warm up → solve → check → draw → report. The only file that knows it."""

import dataclasses
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import __version__, reading
from .cluster import connected
from .core import registry, settings
from .core.confidence import Confidence
from .core.errors import BadInput, BadUsage, DovetailError, Refused
from .core.kind import Drawing, Explained, Laid, Reason
from .core.memory import room_mb
from .core.puzzle import Puzzle, Solution, Verdict
from .core.report import Report, RunRecord, Seconds
from .core.solver import Budget, Clock, Outcome, Progress, Run, Solver
from .core.source import MAX_BYTES, Source

if TYPE_CHECKING:
    from .core.checkpoint import Checkpoint

DEFAULT_TIME_S = 60.0


@dataclass(frozen=True)
class Answer:
    """A solution, what the checker thinks of it, and the report of the run."""

    solution: Solution | None
    verdict: Verdict
    outcome: Outcome
    report: Report
    why: str  # why this solver was chosen
    failure: str = ""  # what went wrong inside the solver, if its status is "failed"

    @property
    def passes(self) -> bool:
        """Whether it counts as solved. Where nobody can know, a solver that was cut short has not."""
        return self.verdict.passes and (self.verdict.solved is True or self.outcome.status == "complete")


class Job:
    """One run, driven from outside: ``warm_up``, iterate over its Progress, then take the ``answer``.

    With a ``checkpoint`` it is taken up where an earlier one was cut short, and saved now and then.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        solver: str,
        budget: Budget,
        seed: int,
        given: Mapping[str, Any] | None = None,
        checkpoint: "Checkpoint | None" = None,
        executor: Executor | None = None,
    ) -> None:
        if seed < 0:
            raise BadUsage(f"the seed must be 0 or more, not {seed}")
        self.puzzle, self.budget, self.seed = puzzle, budget, seed
        self.solver, self.why = registry.choose(puzzle, solver)
        self.settings = _solver_settings(puzzle, self.solver, given or {})
        self.solver.check_settings(puzzle, self.settings)
        self.settings, self.remark = _within_memory(puzzle, self.solver, self.settings, budget)
        self.checkpoint = checkpoint
        if checkpoint is not None:
            _refuse_forgetful(puzzle, self.solver, self.settings)
        if executor is not None:
            self.solver = self.solver.on(executor)
        self.seconds = Seconds()
        self.clock: Clock | None = None
        self._cancelled = False
        self._outcome: Outcome | None = None
        self.failure = ""

    def cancel(self) -> None:
        """Stop soon and keep the best; safe from a signal handler or another thread."""
        self._cancelled = True
        if self.clock is not None:
            self.clock.cancel()

    def warm_up(self) -> None:
        """Compile and load, apart from the time budget."""
        begin = time.perf_counter()
        with self._failures_reported():
            self.solver.warm_up(self.puzzle, self.settings)
            if (everywhere := getattr(self.solver.executor, "everywhere", None)) is not None:
                everywhere(_warm_up, self.solver.name, self.puzzle, self.settings)
        self.seconds.warm_up = time.perf_counter() - begin

    def __iter__(self) -> Iterator[Progress]:
        if self.solver.executor is not None:
            self.solver.check_parts(self.puzzle, self.settings)
        return self._drive("solve", None, lambda clock: self.solver.solve(self.puzzle, self.settings, clock, self.seed))

    def counting(self, limit: int | None) -> Iterator[Progress]:
        """Like iterating, but counts solutions instead of looking for one."""
        if limit is not None and limit < 1:
            raise BadUsage(f"the limit must be 1 or more, not {limit}")
        return self._drive("count", limit, lambda clock: self.solver.count(self.puzzle, self.settings, clock, limit))

    def _drive(self, verb: str, limit: int | None, begin: Callable[[Clock], Run]) -> Iterator[Progress]:
        if self.failure:  # warming up
            return
        start = time.perf_counter()
        self.clock = Clock(self.budget)
        if self._cancelled:
            self.clock.cancel()
        try:
            with self._failures_reported(), self._held(verb, limit):
                run = begin(self.clock) if self.checkpoint is None else self.checkpoint.driven(begin, self.clock)
                self._outcome = yield from run
        finally:
            self.seconds.solve = time.perf_counter() - start

    def _held(self, verb: str, limit: int | None) -> AbstractContextManager[None]:
        """The checkpoint, for this run only."""
        if self.checkpoint is None:
            return nullcontext()
        return self.checkpoint.held({
            "version": __version__, "verb": verb, "limit": limit, "puzzle": self.puzzle.digest, "seed": self.seed,
            "solver": self.solver.name, "settings": dataclasses.asdict(self.settings), "hints": self.puzzle.told,
        })  # fmt: skip

    @contextmanager
    def _failures_reported(self) -> Iterator[None]:
        """A bug in a solver must not take the report, or the rest of a batch, with it."""
        try:
            yield
        except DovetailError:
            raise
        except Exception as error:
            if os.environ.get("DOVETAIL_DEBUG"):
                raise
            self.failed(f"{type(error).__name__}: {error}")

    def failed(self, why: str) -> Answer:
        """The answer of a run that came to nothing."""
        self.failure = f"{self.solver.name} failed: {why}"
        self._outcome = Outcome("failed", None, {"steps": 0 if self.clock is None else self.clock.steps})
        return self.answer

    def report(self, verdict: Verdict | None = None) -> Report:
        """What the run says of itself, with the checker's verdict."""
        assert self._outcome is not None, "iterate over the job first"
        parameters = dataclasses.asdict(self.settings)
        run = RunRecord(self.solver.name, parameters, self.seed, self.budget, self._outcome)
        links = {} if self._outcome.solution is None else links_to(self.puzzle, self._outcome.solution)
        return Report(__version__, self.puzzle, run, verdict, self.seconds, links)

    @property
    def answer(self) -> Answer:
        """Checked by the family's checker, whatever the solver claims."""
        assert self._outcome is not None, "iterate over the job first"
        begin = time.perf_counter()
        if self._outcome.solution is None:
            verdict = Verdict(False, False, ("there is no solution to check",))
        else:
            verdict = check(self.puzzle, self._outcome.solution)
        self.seconds.check = time.perf_counter() - begin
        return Answer(self._outcome.solution, verdict, self._outcome, self.report(verdict), self.why, self.failure)


def read(what: str | Path | Source, /, kind: str | None = None, **given: Any) -> Puzzle:
    """The puzzle in a file, a folder, a text, a link, or built in under that name; settings as keywords."""
    return read_one(what, kind, given)


def read_one(what: str | Path | Source, kind: str | None, given: Mapping[str, Any]) -> Puzzle:
    """The same with the settings as a mapping."""
    puzzles, rest = reading.read_all(what, kind, given)
    if len(puzzles) != 1:
        raise BadInput(f"this input holds {len(puzzles)} puzzles, and one is needed here")
    _refuse_rest(rest, puzzles[0])
    return puzzles[0]


def read_laid(what: str | Path | Source, kind: str | None, given: Mapping[str, Any]) -> list[Laid]:
    """All puzzles of an input, each with the attempt at it that the input itself shows, if it does."""
    found, rest = reading.read_laid(what, kind, given)
    _refuse_rest(rest, found[0].puzzle)
    return found


def solve(
    puzzle: Puzzle | str | Path,
    /,
    *,
    solver: str = registry.AUTO,
    time_s: float | None = DEFAULT_TIME_S,
    steps: int | None = None,
    seed: int = 0,
    memory_mb: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    hints: Mapping[str, Any] | str | Path | None = None,
    checkpoint: str | Path | None = None,
    executor: Executor | None = None,
    cluster: str | None = None,
    **given: Any,
) -> Answer:
    """Solve and check; the solver's settings as keywords. ``progress`` is shown every Progress.

    A solver that says it would hold more than ``memory_mb``, or than the machine has left, is refused before it begins.

    ``hints`` are what is known of the answer: a mapping, or the file that holds it (docs/steering.md). ``checkpoint``
    is the file that a long run is saved to and taken up from (docs/long-runs.md). ``executor`` is where the parts of
    the work run, or ``cluster`` the address of one (docs/scale.md).
    """
    if not isinstance(puzzle, Puzzle):
        puzzle = read(puzzle)
    if hints is not None:
        puzzle = with_hints(puzzle, hints)
    kept = None
    if checkpoint is not None:
        from .core.checkpoint import Checkpoint

        kept = Checkpoint(Path(checkpoint), trouble=warnings.warn)
    with connected(cluster) as found:
        job = Job(puzzle, solver, Budget(time_s, steps, memory_mb), seed, given, kept, executor or found)
        job.warm_up()
        for event in job:
            if progress is not None:
                progress(event)
        answer = job.answer
    if kept is not None:
        kept.done()
    return answer


def with_hints(puzzle: Puzzle, hints: Mapping[str, Any] | str | Path) -> Puzzle:
    """The same puzzle, told what is known of its answer: to be solved, and to be checked."""
    told, folder = (hints, Path()) if isinstance(hints, Mapping) else reading.read_json(hints)
    return registry.kind(puzzle.kind).with_hints(puzzle, told, folder)


def refuse_unsure(puzzle: Puzzle, solver: str) -> None:
    """Refuse, before any work, to show how sure an answer is that will not say so."""
    chosen, _ = registry.choose(puzzle, solver)
    if not chosen.tells_confidence:
        family = registry.kind(puzzle.kind).family
        able = [s.name for s in registry.solvers(family) if s.tells_confidence and s.accepts(puzzle).accepted]
        instead = f"; these do: {', '.join(able)}" if able else ""
        raise Refused(f"{chosen.name} does not say how sure it is of a {puzzle.kind} puzzle's answer{instead}")


def draw_confidence(puzzle: Puzzle, solution: Solution, confidence: Confidence) -> Drawing:
    """The solution, and on it how sure its solver is of every part."""
    return registry.kind(puzzle.kind).draw_confidence(puzzle, solution, confidence)


def check(puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Verdict:
    """The independent verdict."""
    return registry.kind(puzzle.kind).check(puzzle, solution, truth)


def draw(puzzle: Puzzle, solution: Solution | None = None) -> Drawing:
    """A picture: ``.png()``, ``.svg()``, ``.save(path)``."""
    return registry.kind(puzzle.kind).draw(puzzle, solution)


def frames(puzzle: Puzzle, solution: Solution, most: int) -> Iterator[Drawing]:
    """How a solution comes about, in at most so many pictures: of a play, the moves; of all else, the solution."""
    return registry.kind(puzzle.kind).frames(puzzle, solution, most)


def links_to(puzzle: Puzzle, solution: Solution) -> dict[str, str]:
    """Where a browser shows this solution, by the name of the viewer."""
    return registry.kind(puzzle.kind).links(puzzle, solution)


def facts(puzzle: Puzzle) -> dict[str, float | str]:
    """What is known of a puzzle without solving it."""
    return registry.kind(puzzle.kind).facts(puzzle)


def explain(puzzle: Puzzle) -> Explained:
    """Why the answer is the answer: steps in words and as pictures, the cheapest first, and how hard it is."""
    return registry.kind(puzzle.kind).explain(puzzle)


def hint(puzzle: Puzzle, known: Solution | None = None) -> Reason:
    """The next step from what is known."""
    return registry.kind(puzzle.kind).hint(puzzle, known)


def checked(puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Report:
    """The verdict on a solution that somebody else found, as a report."""
    begin = time.perf_counter()
    verdict = check(puzzle, solution, truth)
    seconds = Seconds(check=time.perf_counter() - begin)
    return Report(__version__, puzzle, None, verdict, seconds, links_to(puzzle, solution))


def known(puzzle: Puzzle) -> Report:
    """What there is to say of a puzzle that nobody tried to solve, as a report."""
    return Report(__version__, puzzle, None, None, facts=facts(puzzle))


def generate(kind: str, /, seed: int = 0, **given: Any) -> tuple[Puzzle, Solution]:
    """A new puzzle and, apart from it, its planted answer; the generator's settings as keywords."""
    return make(kind, seed, given)


def make(kind: str, seed: int, given: Mapping[str, Any]) -> tuple[Puzzle, Solution]:
    """The same with the settings as a mapping."""
    if seed < 0:
        raise BadUsage(f"the seed must be 0 or more, not {seed}")
    maker = registry.kind(kind)
    return maker.make(settings.fill(maker.making_type, given), seed)


def convert(puzzle: Puzzle, to: str) -> bytes:
    """The puzzle in one of its kind's formats, or in Dovetail's own ``json``."""
    formats = {f.name: f for f in registry.kind(puzzle.kind).formats()}
    if to != "json" and to not in formats:
        raise BadUsage(f"{puzzle.kind} puzzles are written as {', '.join(['json', *formats])}, not {to!r}")
    data = reading.to_json_bytes(puzzle.to_json()) if to == "json" else formats[to].write(puzzle)
    if len(data) > MAX_BYTES:
        raise BadUsage(f"as {to} this puzzle takes more than the {MAX_BYTES // 2**20} MiB that can be read again")
    return data


def counter(puzzle: Puzzle, solver: str = registry.AUTO) -> str:
    """The name of a solver that counts the solutions of this puzzle."""
    if solver != registry.AUTO:
        return solver
    counting = [s for s in registry.solvers(registry.kind(puzzle.kind).family) if s.can_count()]
    fits = [(candidate, candidate.accepts(puzzle)) for candidate in counting]
    if accepted := [(candidate, fit) for candidate, fit in fits if fit.accepted]:
        return max(accepted, key=lambda pair: pair[1].preference)[0].name
    refusals = [f": {fit.why}" for _, fit in fits]
    raise BadUsage(f"no solver here counts the solutions of this {puzzle.kind} puzzle{''.join(refusals[:1])}")


def _warm_up(solver: str, puzzle: Puzzle, settings: Any) -> None:
    """On a worker: what ``Job.warm_up`` does here."""
    registry.choose(puzzle, solver)[0].warm_up(puzzle, settings)


def _within_memory(puzzle: Puzzle, solver: Solver, chosen: Any, budget: Budget) -> tuple[Any, str]:
    """The settings, or leaner ones that fit into the memory there is, and a word on that; Refused if nothing fits."""
    needed = solver.memory_mb(puzzle, chosen)
    if needed is None or needed <= (room := room_mb() if budget.memory_mb is None else budget.memory_mb):
        return chosen, ""
    there = f"there is room for {room:,.0f} MB" if budget.memory_mb is None else f"--memory allows {room:,.0f} MB"
    said = f"{solver.name} would come to hold about {needed:,.0f} MB, and {there}"
    if (less := solver.leaner(puzzle, chosen, room)) is not None:
        old, new = dataclasses.asdict(chosen), dataclasses.asdict(less)
        return less, f"{said}: {', '.join(f'{key}={new[key]}' for key in new if new[key] != old[key])} is used instead"
    raise Refused(f"{said}; {_what_would_fit(puzzle, solver, room)}")


def _what_would_fit(puzzle: Puzzle, refused: Solver, room: float) -> str:
    """Which other solvers take the puzzle and need no more than that, as far as they know."""
    able = []
    for other in registry.solvers(registry.kind(puzzle.kind).family):
        if other.name != refused.name and other.accepts(puzzle).accepted:
            needed = other.memory_mb(puzzle, other.settings_type())
            if needed is None or needed <= room:
                able.append(other.name)
    return f"{' or '.join(able)} would do with less" if able else "it takes a smaller puzzle or more memory"


def _refuse_rest(rest: Mapping[str, Any], puzzle: Puzzle) -> None:
    """Settings that reading had no use for, where no solver follows to take them."""
    for key in rest:
        raise BadUsage(settings.unknown_setting(key, settings.names(registry.kind(puzzle.kind).reading_type)))


def _refuse_forgetful(puzzle: Puzzle, solver: Solver, chosen: Any) -> None:
    """Say before any work that a solver could not be taken up again."""
    if not solver.resumes(chosen):
        others = registry.solvers(registry.kind(puzzle.kind).family)
        able = [s.name for s in others if s.resumes(s.settings_type()) and s.accepts(puzzle).accepted]
        instead = f"; these can: {', '.join(able)}" if able else ""
        raise Refused(f"{solver.name}, as it is set, cannot be taken up from a checkpoint{instead}")


def _solver_settings(puzzle: Puzzle, solver: Solver, given: Mapping[str, Any]) -> Any:
    """Fill the solver's settings; an unknown key is answered with everything that can be set."""
    own = settings.names(solver.settings_type)
    for key in given:
        if key not in own:
            raise BadUsage(
                settings.unknown_setting(key, [*own, *settings.names(registry.kind(puzzle.kind).reading_type)])
            )
    return settings.fill(solver.settings_type, given)
