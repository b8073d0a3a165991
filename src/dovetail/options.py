"""What the verbs of the command line have in common: options, how they are read, exit statuses."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from .core.checkpoint import Checkpoint
    from .terminal import Display

SOLVED, UNSOLVED, BAD, INTERRUPTED = 0, 1, 2, 130

Input = Annotated[
    str, typer.Argument(metavar="INPUT", help="A file or folder, '-', the text of a puzzle, or a built-in name.")
]
KindOption = Annotated[str | None, typer.Option("--kind", help="Kind of puzzle; recognised when not given.")]
SolverOption = Annotated[str, typer.Option("--solver", help="Solver; see 'dovetail list solvers'.")]
SetOption = Annotated[list[str] | None, typer.Option("--set", help="A setting, key=value; may be repeated.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Same seed, same result.")]
TimeOption = Annotated[float | None, typer.Option("--time", help="Seconds for solving; 60 unless --steps is given.")]
MemoryOption = Annotated[
    float | None, typer.Option("--memory", help="Megabytes that solving may hold; all that is left unless given.")
]
StepsOption = Annotated[int | None, typer.Option("--steps", help="Steps of the solver; makes a run repeatable.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")]
ListJsonOption = Annotated[bool, typer.Option("--json", help="Print as JSON, an object for each entry.")]
HintsOption = Annotated[
    str | None, typer.Option("--hints", help="What you know of the answer: a JSON file (docs/steering.md).")
]
CheckpointOption = Annotated[
    Path | None,
    typer.Option("--checkpoint", help="Save the run here now and then; the same command goes on from it."),
]
CheckpointEveryOption = Annotated[float, typer.Option("--checkpoint-every", help="Seconds between two saves.")]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Work there: a dask scheduler, tcp://HOST:8786, or local:N for N processes.",
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="No progress.")]


def settings_of(pairs: list[str] | None) -> dict[str, str]:
    """What ``--set`` was given, by name."""
    from .core.errors import BadUsage

    given = {}
    for pair in pairs or []:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise BadUsage(f"--set takes key=value, not {pair!r}")
        given[key.strip().replace("-", "_")] = value.strip()
    return given


def budget_of(time_s: float | None, steps: int | None, memory_mb: float | None = None) -> Any:
    """What ``--time``, ``--steps`` and ``--memory`` say."""
    from .core.solver import Budget
    from .pipeline import DEFAULT_TIME_S

    return Budget(DEFAULT_TIME_S if time_s is None and steps is None else time_s, steps, memory_mb)


def checkpoint_of(path: Path | None, every_s: float, puzzles: int, display: "Display") -> "Checkpoint | None":
    """What ``--checkpoint`` says."""
    if path is None:
        return None
    from .core.checkpoint import Checkpoint
    from .core.errors import BadUsage

    if puzzles != 1:
        raise BadUsage(f"--checkpoint is of one puzzle, and this input holds {puzzles}")
    return Checkpoint(path, every_s, lambda sentence: display.warn(f"dovetail: {sentence}"))
