"""Around a solved puzzle: run one or many with progress shown, write what was asked for, say it in words."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import picture, pipeline
from .core.errors import BadUsage
from .core.files import check_writable, write_atomically
from .core.kind import Explained
from .core.puzzle import Puzzle, Solution, Verdict, canonical_json, solution_to_json
from .core.report import Report
from .core.solver import Budget, Progress
from .film import MOST_STILLS, Film, strip
from .pipeline import Answer
from .terminal import Display, short
from .workers import Processes, width

if TYPE_CHECKING:
    from .core.checkpoint import Checkpoint

SAVE_EVERY_S = 5.0  # the solutions of a long batch are on disk by then
KEEP_EVERY_S = 1.0  # and so is the best so far of a long run


def solve_each(
    puzzles: Sequence[Puzzle],
    solver: str,
    budget: Budget,
    seed: int,
    given: Mapping[str, Any],
    jobs: int,
    stop: Any,
    display: Display,
    keep: Callable[[Puzzle, Progress], None] | None = None,
    checkpoint: "Checkpoint | None" = None,
    executor: Executor | None = None,
) -> Iterator[Answer]:
    """Answers in the order of the puzzles; ends early when ``stop`` says so. ``keep`` is shown what comes meanwhile.

    A ``checkpoint`` is of a single puzzle. On an ``executor``, many puzzles are each a piece of work, and one puzzle is
    as many as its solver has parts.
    """
    if isinstance(executor, Processes) and len(puzzles) > 1:
        jobs, executor = executor.width, None
    if executor is not None and len(puzzles) > 1:
        from .batch import solve_apart

        display.note(f"{len(puzzles)} puzzles on {width(executor, 1) // 2} workers…")
        yield from solve_apart(puzzles, solver, budget, seed, given, executor, stop)
        return
    if jobs > 1 and len(puzzles) > 1:
        from .batch import solve_many

        display.note(f"{len(puzzles)} puzzles on {min(jobs, len(puzzles))} workers…")
        for done in solve_many(puzzles, solver, budget, seed, given, jobs, stop):
            if done is not None:
                yield done
        return
    todo = [  # refusals come first
        pipeline.Job(puzzle, solver, budget, seed, given, checkpoint, executor) for puzzle in puzzles
    ]
    if executor is not None:
        for job in todo:
            job.solver.check_parts(job.puzzle, job.settings)
    for number, job in enumerate(todo, start=1):
        puzzle = job.puzzle
        stop.follow(job)
        name = f"{puzzle.kind} {puzzle.size}" + (f", {number} of {len(puzzles)}" if len(puzzles) > 1 else "")
        if number == 1:
            chosen = f"auto chose {job.solver.name}: {job.why}" if solver == "auto" else job.solver.name
            display.note(f"{name}: {chosen}; compiling if this is its first run…")
        if job.remark:
            display.note(job.remark)
        job.warm_up()
        for event in display.watch(job, f"{name}, {job.solver.name}"):
            if keep is not None:
                keep(puzzle, event)
        yield job.answer
        if stop():
            return


class Writer:
    """Writes solutions, pictures and films; finds out before any work whether it will be able to."""

    def __init__(
        self, solution: Path | None, out: Path | None, film: str | None = None, confidence: Path | None = None
    ) -> None:
        self.solution, self.out, self.confidence = solution, out, confidence
        self.film = None if film is None else Film(film)
        self.explained: Explained | None = None  # then the film shows its steps
        self._solutions: list[str] = []
        self._saved, self._saved_s = 0, 0.0  # how many of them are on disk, and since when
        self._kept: float | None = None  # how good the best solution is that a running solver has shown
        self._better: Solution | None = None  # and itself, as long as it is not on disk
        for drawn in filter(None, (out, confidence)):
            picture.check_name(drawn)
        for path in filter(None, (solution, out, confidence)):
            check_writable(path)
        files = {
            "solution": solution, "picture": out, "picture of confidence": confidence,
            "film": None if self.film is None else self.film.path,
        }  # fmt: skip
        for (one, this), (other, that) in combinations(files.items(), 2):
            if this is not None and that is not None and this.resolve() == that.resolve():
                raise BadUsage(f"the {one} and the {other} need two different files")

    def keep(self, puzzle: Puzzle, event: Progress) -> None:
        """Put the best solution so far on disk while the solver goes on, so that a run cut short has lost nothing."""
        if self.film is not None and event.solution is not None:
            self.film.show(event.solution)
        if self.film is not None and event.view is not None:
            self.film.view(event.view)
        if self.solution is None:
            return
        if event.solution is not None and (self._kept is None or event.best > self._kept):
            self._kept, self._better = event.best, event.solution
        if self._better is not None and time.monotonic() - self._saved_s >= KEEP_EVERY_S:
            write_atomically(self.solution, _solution_line(self._better, puzzle).encode())
            self._better, self._saved_s = None, time.monotonic()

    def write(self, answer: Answer, number: int | None) -> list[str]:
        """Write what was asked for; of many answers, solutions go to one JSON-lines file, pictures get a number.

        The film, which may take a while to draw, comes last. Returns what was written, in words.
        """
        puzzle, solution, seconds = answer.report.puzzle, answer.solution, answer.report.seconds
        written = []
        if self.solution is not None and solution is not None:
            self._solutions.append(_solution_line(solution, puzzle))
            if number is None or time.monotonic() - self._saved_s >= SAVE_EVERY_S:
                self.finish()
            written.append(str(self.solution))
        if self.out is not None and solution is not None:
            path = self.out if number is None else self.out.with_stem(f"{self.out.stem}-{number}")
            begin = time.perf_counter()
            write_atomically(path, render(puzzle, solution, path))
            seconds.draw += time.perf_counter() - begin
            written.append(str(path))
        sure = answer.outcome.confidence
        if self.confidence is not None and solution is not None and sure is not None:
            path = self.confidence if number is None else self.confidence.with_stem(f"{self.confidence.stem}-{number}")
            begin = time.perf_counter()
            write_atomically(path, picture.render(pipeline.draw_confidence(puzzle, solution, sure), path))
            seconds.draw += time.perf_counter() - begin
            written.append(str(path))
        if self.film is not None:
            begin = time.perf_counter()
            if self.explained is None:
                written.append(self.film.finish(puzzle, solution))
            else:
                written.append(self.film.write(puzzle, (step.draw() for step in self.explained.steps)))
            seconds.draw += time.perf_counter() - begin
        return written

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def finish(self) -> None:
        """Put all solutions so far on disk."""
        if self.solution is not None and len(self._solutions) > self._saved:
            write_atomically(self.solution, "".join(self._solutions).encode())
            self._saved, self._saved_s = len(self._solutions), time.monotonic()


class Drawer:
    """Draws a puzzle or its solution: a picture, a film strip or an animation; finds out before any work if it can."""

    def __init__(self, out: Path, stills: int | None = None) -> None:
        self.out, self.stills = out, stills
        self._animated = out.suffix.lower() in (".gif", ".webp")
        check_writable(out)
        if stills is not None:
            picture.check_name(out)
        elif not self._animated and out.suffix.lower() not in picture.FORMATS:
            kinds = " or ".join(picture.FORMATS)
            raise BadUsage(f"a picture is written as {kinds}, an animation as .gif or .webp, not {out.name!r}")
        if stills is not None and not 2 <= stills <= MOST_STILLS:
            raise BadUsage(f"a film strip has 2 to {MOST_STILLS} stills, not {stills}")

    def write(self, puzzle: Puzzle, solution: Solution | None) -> None:
        """Put it on disk."""
        if self.stills is None and not self._animated:
            write_atomically(self.out, render(puzzle, solution, self.out))
            return
        if solution is None:
            what = "an animation" if self._animated else "a film strip"
            raise BadUsage(f"{what} shows how a solution comes about, and none is given")
        if self.stills is not None:
            write_atomically(self.out, picture.render(strip(puzzle, solution, self.stills), self.out))
        else:
            Film(str(self.out)).play(puzzle, solution)


class Witnesses:
    """Solutions that a counter shows on its way, kept for a JSON-lines file."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._lines: list[str] = []
        if path is not None:
            check_writable(path)

    def keep(self, puzzle: Puzzle, event: Progress) -> None:
        """Remember what this event shows."""
        if event.solution is not None:
            self._lines.append(_solution_line(event.solution, puzzle))

    def write(self) -> None:
        """Put them on disk, if that was asked for."""
        if self.path is not None:
            write_atomically(self.path, "".join(self._lines).encode())


def _solution_line(solution: Solution, puzzle: Puzzle) -> str:
    return canonical_json(solution_to_json(solution, puzzle)) + "\n"


def render(puzzle: Puzzle, solution: Solution | None, path: Path) -> bytes:
    """The picture file's bytes."""
    return picture.render(pipeline.draw(puzzle, solution), path)


def verdict_word(verdict: Verdict) -> str:
    """The verdict in a word or two. A picture without its original can be valid, but nobody knows if it is solved."""
    if verdict.passes:
        return "solved" if verdict.solved else "done, as far as anyone can tell"
    return "not solved" if verdict.valid else "not valid"


def describe(answer: Answer, written: list[str]) -> str:
    """The answer in a few lines for a person."""
    report, verdict = answer.report, answer.verdict
    assert report.run is not None
    puzzle, outcome = report.puzzle, report.run.outcome
    words = {
        "complete": "the board is complete but not right",
        "partial": "the solver stopped early",
        "proved_none": "proved to have no solution",
        "out_of_budget": "out of budget, this is the best found",
        "failed": "the solver failed",
    }
    result = verdict_word(verdict) if answer.passes else f"not solved ({words[outcome.status]})"
    lines = [
        f"{result}: {puzzle.kind} {puzzle.size} by {report.run.solver} in {report.seconds.solve:.2f} s"
        f"{scores_text(verdict)}",
        f"  {_counters(outcome.counters)}; seed {report.run.seed}",
    ]
    lines += [] if outcome.confidence is None else [f"  {outcome.confidence.words}"]
    lines += [f"  {said}" for said in (*verdict.violations[:3], *verdict.remarks)]
    lines += [f"  {viewer}: {link}" for viewer, link in report.links.items()]
    lines += [f"  wrote {what}" for what in written]
    if not written and answer.solution is not None:
        lines.append("  to see it, add --out board.png; to keep it, --solution solution.json")
    return "\n".join(lines)


def explain(answer: Answer, writer: Writer) -> list[str]:
    """The steps that lead to the answer, into the report, the film and, in words, back."""
    explained = pipeline.explain(answer.report.puzzle)
    writer.explained = explained
    steps = [{"text": step.text, **step.data} for step in explained.steps]
    answer.report.explanation = {"difficulty": explained.difficulty, "steps": steps}
    lines = [f"  {number}. {step.text}" for number, step in enumerate(explained.steps, start=1)]
    return [*lines, f"  difficulty: {explained.difficulty}"]


def describe_count(report: Report) -> str:
    """The number of solutions in a line for a person."""
    assert report.run is not None
    puzzle, outcome = report.puzzle, report.run.outcome
    if outcome.status == "failed":
        return f"{puzzle.kind} {puzzle.size}: not counted"
    found = outcome.counters["solutions"]
    written = found if found < 10**15 else short(found)
    if outcome.status == "complete":
        number = "no solution" if not found else "exactly one solution" if found == 1 else f"{written} solutions"
    else:
        number = f"at least {written} solution{'' if found == 1 else 's'}" if found else "no solution found so far"
    others = {key: value for key, value in outcome.counters.items() if key != "solutions"}
    return f"{puzzle.kind} {puzzle.size}: {number} ({_counters(others)}) in {report.seconds.solve:.2f} s"


def describe_check(report: Report, name: str = "") -> str:
    """A verdict for a person, in one line if it is one of many; without a verdict, what is known of the puzzle."""
    verdict, what = report.verdict, f"{report.puzzle.kind} {report.puzzle.size}"
    start = f"{name}: " if name else ""
    if verdict is None:
        return "\n".join([f"{start}{what}", *facts_lines(report.facts)])
    line = f"{start}{verdict_word(verdict)}: {what}{scores_text(verdict)}"
    return "\n".join([line, *([] if name else (*verdict.violations, *verdict.remarks))])


def facts_lines(facts: Mapping[str, float | str]) -> list[str]:
    """What is known of a puzzle, a line each."""
    return [
        f"  {name.replace('_', ' ')}: {value if isinstance(value, str) else short(value)}"
        for name, value in facts.items()
    ]


def _counters(counters: Mapping[str, float]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {short(value)}" for name, value in counters.items())


def scores_text(verdict: Verdict) -> str:
    """The checker's scores, in brackets."""
    if not verdict.scores:
        return ""
    scores = (f"{name.replace('_', ' ')} {value:.6g}" for name, value in verdict.scores.items())
    return f" ({', '.join(scores)})"
