"""The verbs that are about no single puzzle: list, bench, train, demo, serve. ``cli.py`` has the others."""

import json
from pathlib import Path
from typing import Annotated

import typer

from .options import (
    INTERRUPTED,
    SOLVED,
    UNSOLVED,
    ClusterOption,
    ListJsonOption,
    QuietOption,
    SeedOption,
    SetOption,
    settings_of,
)


def list_(
    what: Annotated[str, typer.Argument(help="kinds, solvers or suites.")],
    json_: ListJsonOption = False,
) -> int:
    """List kinds, solvers or benchmark suites."""
    from . import listing

    rows = listing.rows(what)
    print(json.dumps(rows) if json_ else listing.table(rows))
    if what == "kinds" and not json_:
        print(listing.classes())
    return SOLVED


def bench(
    suite: Annotated[str | None, typer.Argument(help="A suite; see --list. With --set images=…, a kind.")] = None,
    only: Annotated[str | None, typer.Option(help="Run only the cases whose name contains this.")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="For own pictures: images=FOLDER, and more.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="Name all suites, and what each misses.")] = False,
    jobs: Annotated[int, typer.Option(help="Runs at once; seconds are then those of a busy machine.")] = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last call, which was interrupted.")] = False,
    cluster: ClusterOption = None,
    json_: ListJsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Run a benchmark suite and append its raw rows, or try a solver on pictures of your own; print the table."""
    from .bench import commands, own, runner, suites, tables
    from .cluster import connected
    from .core.errors import BadUsage
    from .terminal import Display

    if list_:
        for entry in suites.listed():
            print(json.dumps(entry) if json_ else f"{entry['name']}: {entry['title']} ({entry['state']})")
        return SOLVED
    if suite is None:
        raise BadUsage("bench needs a suite; dovetail bench --list names them")
    if jobs < 1:
        raise BadUsage(f"--jobs must be 1 or more, not {jobs}")
    given = settings_of(set_)
    chosen = own.suite(suite, given) if given else suites.load(suite)
    with connected(cluster) as executor:
        rows = [*runner.run(chosen, only, Display(quiet), jobs, resume, executor)]
    if json_:
        entries = tables.summary(chosen, rows)
        print(json.dumps(entries[0] if given else entries))
    else:
        print(tables.text(chosen, rows))
    return UNSOLVED if any(row["result"] in commands.FAILED for row in rows) else SOLVED


def train(
    network: Annotated[str, typer.Argument(help="near (narrow gaps), far (wide ones) or paper (Alphazzle's P and V).")],
    pictures: Annotated[list[str], typer.Argument(help="Folders or TAR archives of pictures to learn from.")],
    out: Annotated[Path, typer.Option(help="Folder for the network; if it holds a state, training goes on from it.")],
    judge: Annotated[str | None, typer.Option(help="A folder or TAR archive of pictures it never learns from.")] = None,
    time_: Annotated[float | None, typer.Option("--time", help="Seconds; the recipe's without --steps.")] = None,
    steps: Annotated[int | None, typer.Option("--steps", help="Steps; makes a run repeatable.")] = None,
    seed: SeedOption = 0,
    set_: SetOption = None,
    quiet: QuietOption = False,
) -> int:
    """Train a network of the solver deep on pictures of your own, and write it with its card and learning curve."""
    from .jigsaw.deep.train import training
    from .stopping import stoppable
    from .terminal import Display

    display = Display(quiet)
    lessons = training(
        network, pictures, out, judge, seconds=time_, steps=steps, seed=seed, given=settings_of(set_),
        trouble=lambda sentence: display.note(f"dovetail: {sentence}"),
    )  # fmt: skip
    with stoppable() as stop:
        for _ in display.watch(lessons, f"train {network}"):
            if stop():
                lessons.close()
                return INTERRUPTED
    print(f"{out}: {', '.join(sorted(path.name for path in out.glob(f'{network}*')))}")
    return SOLVED


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the pictures.")] = Path("demo"),
    quiet: QuietOption = False,
) -> int:
    """Solve one built-in puzzle of every family and draw it."""
    from . import showcase
    from .terminal import Display

    return SOLVED if showcase.run(out, Display(quiet)) else UNSOLVED


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; others than this machine's own need a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.")] = 8000,
    token: Annotated[
        str | None, typer.Option(help="Ask visitors for this; better set as DOVETAIL_TOKEN.", envvar="DOVETAIL_TOKEN")
    ] = None,
    jobs: Annotated[int | None, typer.Option(help="Jobs at once; one a core unless given.")] = None,
    folder: Annotated[Path | None, typer.Option(help="Where jobs are kept; in your data folder unless given.")] = None,
) -> int:
    """Serve the page and the REST API (docs/web.md)."""
    from .web import serving

    serving.serve(host, port, token, jobs, folder)
    return SOLVED
