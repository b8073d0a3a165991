"""The command line: parse, call the pipeline, print. Contract and exit statuses: docs/architecture.md."""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from . import lab
from .options import (
    BAD,
    INTERRUPTED,
    SOLVED,
    UNSOLVED,
    CheckpointEveryOption,
    CheckpointOption,
    ClusterOption,
    HintsOption,
    Input,
    JsonOption,
    KindOption,
    MemoryOption,
    QuietOption,
    SeedOption,
    SetOption,
    SolverOption,
    StepsOption,
    TimeOption,
    budget_of,
    checkpoint_of,
    settings_of,
)
from .stopping import stoppable

app = typer.Typer(
    name="dovetail", add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Puts pieces together: give it a puzzle, get a checked solution and a picture of it.",
)  # fmt: skip


def main() -> NoReturn:
    """Run, and turn every error into one sentence and a status."""
    from .core.errors import DovetailError
    from .core.files import reason

    _prepare_streams()
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        status = app(standalone_mode=False)
        sys.stdout.flush()
    except DovetailError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone; there is nobody left to tell
        _drop_output()
        status = UNSOLVED
    except OSError as error:
        _drop_output()
        _fail(f"cannot use {error.filename or 'standard output'}: {reason(error)}")
    except Exception as error:
        # the usage errors of typer, whichever click it carries; anything else is a bug of ours
        if hasattr(error, "format_message"):
            _fail(error.format_message())
        if os.environ.get("DOVETAIL_DEBUG"):
            raise
        _fail(f"internal error, please report it: {type(error).__name__}: {error}")
    if status == INTERRUPTED:
        print("dovetail: interrupted", file=sys.stderr)
    sys.exit(status if isinstance(status, int) else SOLVED)


def _fail(sentence: str) -> NoReturn:
    print("dovetail: " + " ".join(sentence.split()), file=sys.stderr)
    sys.exit(BAD)


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def _prepare_streams() -> None:
    """Closed streams swallow what is written to them; a terminal that lacks a character shows a question mark."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """Nothing more can be written; keep Python from trying again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from . import __version__

        print(__version__)
    elif context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def solve(
    input: Input,
    kind: KindOption = None,
    solver: SolverOption = "auto",
    time_: TimeOption = None,
    steps: StepsOption = None,
    memory: MemoryOption = None,
    seed: SeedOption = 0,
    set_: SetOption = None,
    solution: Annotated[Path | None, typer.Option(help="Write the solution here, as JSON.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write a picture here, .png or .svg.")] = None,
    film: Annotated[
        str | None, typer.Option(help="Write the run as a film here: .gif, .webp, .png, or a folder of frames.")
    ] = None,
    hints: HintsOption = None,
    confidence: Annotated[
        Path | None, typer.Option(help="Write here, .png or .svg, how sure the answer is of every piece and seam.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say step by step why the answer is the answer; --film shows the steps.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Worker processes for an input that holds many puzzles.")] = 1,
    checkpoint: CheckpointOption = None,
    checkpoint_every: CheckpointEveryOption = 15.0,
    cluster: ClusterOption = None,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Solve a puzzle, check the answer, draw it."""
    from . import answers, pipeline, reading
    from .cluster import connected
    from .core.errors import BadUsage
    from .core.files import refuse_overwriting
    from .terminal import Display

    budget = budget_of(time_, steps, memory)
    if jobs < 1:
        raise BadUsage(f"--jobs must be 1 or more, not {jobs}")
    refuse_overwriting(input, solution, out, confidence, None if film is None else Path(film), checkpoint)
    if hints is not None:
        refuse_overwriting(hints, solution, out, confidence)
    writer = answers.Writer(solution, out, film, confidence)
    begin = time.perf_counter()
    puzzles, rest = reading.read_all(input, kind, settings_of(set_))
    read_s = time.perf_counter() - begin
    if film is not None and len(puzzles) != 1:
        raise BadUsage(f"--film shows one puzzle being solved, and this input holds {len(puzzles)}")
    told = None
    if hints is not None:
        if len(puzzles) != 1:
            raise BadUsage(f"--hints are about one puzzle, and this input holds {len(puzzles)}")
        told, _ = reading.read_json(hints)
        puzzles = [pipeline.with_hints(puzzles[0], hints)]
    if confidence is not None:
        for puzzle in puzzles:
            pipeline.refuse_unsure(puzzle, solver)
    display = Display(quiet)
    saved = checkpoint_of(checkpoint, checkpoint_every, len(puzzles), display)
    solved = 0
    keep = writer.keep if len(puzzles) == 1 else None
    with stoppable() as stop, connected(cluster) as executor, writer:
        runs = answers.solve_each(puzzles, solver, budget, seed, rest, jobs, stop, display, keep, saved, executor)
        for number, answer in enumerate(runs, start=1):
            answer.report.seconds.read, answer.report.hints = read_s / len(puzzles), told
            steps_taken = answers.explain(answer, writer) if explain and answer.passes else []
            written = writer.write(answer, number if len(puzzles) > 1 else None)
            solved += answer.passes
            if answer.failure:
                display.note(f"dovetail: {answer.failure}")
            if json_:
                print(json.dumps(answer.report.to_json()), flush=True)
            else:
                print("\n".join([*steps_taken, answers.describe(answer, written)]), flush=True)
    if saved is not None:
        saved.done()
    if len(puzzles) > 1:
        display.note(f"{solved} of {len(puzzles)} solved")
    return SOLVED if solved == len(puzzles) else UNSOLVED


@app.command()
def hint(
    input: Input,
    known: Annotated[str | None, typer.Argument(help="What is known so far: a solution file with nulls.")] = None,
    kind: KindOption = None,
    set_: SetOption = None,
    out: Annotated[Path | None, typer.Option(help="Write a picture of the step here, .png or .svg.")] = None,
    json_: JsonOption = False,
) -> int:
    """Say the next step of a puzzle, and why it follows from what is known."""
    from . import picture, pipeline, reading
    from .core.files import refuse_overwriting, write_atomically

    refuse_overwriting(input, out)
    puzzle = pipeline.read_one(input, kind, settings_of(set_))
    step = pipeline.hint(puzzle, None if known is None else reading.read_solution(known, puzzle))
    if out is not None:
        write_atomically(out, picture.render(step.draw(), out))
    print(json.dumps({"text": step.text, **step.data}) if json_ else step.text)
    return SOLVED


@app.command()
def count(
    input: Input,
    kind: KindOption = None,
    solver: SolverOption = "auto",
    limit: Annotated[int | None, typer.Option(help="Stop after this many; 2 tells whether it is unique.")] = None,
    time_: TimeOption = None,
    steps: StepsOption = None,
    memory: MemoryOption = None,
    set_: SetOption = None,
    solution: Annotated[
        Path | None, typer.Option(help="Write witnesses here: the first two solutions, where the counter shows them.")
    ] = None,
    checkpoint: CheckpointOption = None,
    checkpoint_every: CheckpointEveryOption = 15.0,
    cluster: ClusterOption = None,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Count the solutions of a puzzle, or of each of many (rotations of the whole board count once)."""
    from . import answers, pipeline, reading
    from .cluster import connected
    from .core.files import refuse_overwriting
    from .terminal import Display

    refuse_overwriting(input, solution, checkpoint)
    witnesses = answers.Witnesses(solution)
    puzzles, rest = reading.read_all(input, kind, settings_of(set_))
    display, budget = Display(quiet), budget_of(time_, steps, memory)
    saved = checkpoint_of(checkpoint, checkpoint_every, len(puzzles), display)
    counters = [pipeline.counter(puzzle, solver) for puzzle in puzzles]
    counted = 0
    with stoppable() as stop, connected(cluster) as executor:
        jobs = [pipeline.Job(p, by, budget, 0, rest, saved, executor) for p, by in zip(puzzles, counters, strict=True)]
        for job in jobs:
            stop.follow(job)
            job.warm_up()
            for event in display.watch(job.counting(limit), f"counting {job.puzzle.kind} {job.puzzle.size}"):
                witnesses.keep(job.puzzle, event)
            report = job.report()
            print(json.dumps(report.to_json()) if json_ else answers.describe_count(report), flush=True)
            if job.failure:
                display.note(f"dovetail: {job.failure}")
            assert report.run is not None
            counted += report.run.outcome.status in ("complete", "partial")
            if stop():
                break
    witnesses.write()
    if saved is not None:
        saved.done()
    return SOLVED if counted == len(puzzles) else UNSOLVED


@app.command()
def make(
    kind: Annotated[str, typer.Argument(help="Kind of puzzle; see 'dovetail list kinds'.")],
    out: Annotated[Path, typer.Option(help="Write the puzzle here.")],
    truth: Annotated[Path | None, typer.Option(help="Write the planted answer here.")] = None,
    seed: SeedOption = 0,
    set_: SetOption = None,
) -> int:
    """Generate a puzzle; the answer goes to its own file."""
    from . import answers, pipeline, reading
    from .core import registry
    from .core.errors import BadUsage
    from .core.files import check_writable, refuse_overwriting, write_atomically
    from .core.puzzle import solution_to_json

    settings = settings_of(set_)
    for path in filter(None, (out, truth)):
        check_writable(path)
    for value in settings.values():  # a picture, say
        refuse_overwriting(value, out, truth)
    if truth is not None and truth.resolve() == out.resolve():
        raise BadUsage("the puzzle and its answer need two different files")
    names = {"json": "json", **{f.suffix or f.name: f.name for f in registry.kind(kind).formats()}}
    suffix = out.suffix.lower().removeprefix(".") or "json"
    if suffix not in names:
        raise BadUsage(f"{kind} puzzles are written as {', '.join('.' + n for n in names)}, not {out.suffix}")
    puzzle, answer = pipeline.make(kind, seed, settings)
    write_atomically(out, pipeline.convert(puzzle, names[suffix]))
    if truth is not None:
        write_atomically(truth, reading.to_json_bytes(solution_to_json(answer, puzzle)))
    facts = answers.facts_lines(pipeline.facts(puzzle))
    print("\n".join([f"{out}: {puzzle.kind} {puzzle.size}, seed {seed}", *facts]))
    return SOLVED


@app.command()
def check(
    puzzle: Input,
    solution: Annotated[str | None, typer.Argument(help="A solution file or a link.")] = None,
    truth: Annotated[Path | None, typer.Option(help="The planted answer, for scores that need it.")] = None,
    hints: HintsOption = None,
    kind: KindOption = None,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> int:
    """Judge a solution, independently of any solver; without one, the boards INPUT shows, or what is known of it."""
    from . import answers, pipeline, reading
    from .core.errors import BadUsage
    from .core.kind import Laid

    begin = time.perf_counter()
    planted = None
    if solution is None:
        if truth is not None:
            raise BadUsage("--truth is compared with a solution, and none is given")
        if hints is not None:
            raise BadUsage("--hints are held against a solution, and none is given")
        found = pipeline.read_laid(puzzle, kind, settings_of(set_))
    else:
        question = pipeline.read_one(puzzle, kind, settings_of(set_))
        if hints is not None:
            question = pipeline.with_hints(question, hints)
        laid_boards = reading.read_solutions(solution, question)
        found = [Laid(f"board {number}", question, answer) for number, answer in enumerate(laid_boards, start=1)]
        planted = None if truth is None else reading.read_solution(truth, question)
    read_s = (time.perf_counter() - begin) / len(found)
    passed = 0
    for laid in found:
        if laid.solution is None:
            report = pipeline.known(laid.puzzle)
        else:
            report = pipeline.checked(laid.puzzle, laid.solution, planted)
        report.seconds.read = read_s
        passed += report.verdict is None or report.verdict.passes
        name = laid.name if len(found) > 1 else ""
        print(json.dumps(report.to_json()) if json_ else answers.describe_check(report, name))
    return SOLVED if passed == len(found) else UNSOLVED


@app.command()
def draw(
    puzzle: Input,
    out: Annotated[Path, typer.Option(help="Write the picture here, .png or .svg; .gif or .webp for an animation.")],
    solution: Annotated[str | None, typer.Argument(help="A solution file or a link.")] = None,
    strip: Annotated[int | None, typer.Option(help="A film strip of a play: so many stills, .png or .svg.")] = None,
    kind: KindOption = None,
    set_: SetOption = None,
) -> int:
    """Draw a puzzle or its solution; of an input that shows a board, that board. Plays are drawn move by move, too."""
    from . import answers, pipeline, reading
    from .core.errors import BadInput
    from .core.files import refuse_overwriting

    refuse_overwriting(puzzle, out)
    drawing = answers.Drawer(out, strip)
    found = pipeline.read_laid(puzzle, kind, settings_of(set_))
    if len(found) != 1:
        raise BadInput(f"this input holds {len(found)} puzzles, and one is needed here")
    question, answer = found[0].puzzle, found[0].solution
    if solution is not None:
        answer = reading.read_solution(solution, question)
    drawing.write(question, answer)
    print(out)
    return SOLVED


@app.command()
def convert(
    input: Input,
    to: Annotated[str, typer.Option(help="Format; see 'dovetail list kinds'.")],
    out: Annotated[Path, typer.Option(help="Write the converted puzzle here.")],
    kind: KindOption = None,
    set_: SetOption = None,
) -> int:
    """Write a puzzle in another format."""
    from . import pipeline
    from .core.files import check_writable, refuse_overwriting, write_atomically

    check_writable(out)
    refuse_overwriting(input, out)
    write_atomically(out, pipeline.convert(pipeline.read_one(input, kind, settings_of(set_)), to))
    print(out)
    return SOLVED


app.command("list")(lab.list_)
for verb in (lab.bench, lab.train, lab.demo, lab.serve):
    app.command()(verb)
