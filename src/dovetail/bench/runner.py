"""Runs a suite: each case, picture and seed in a fresh process, each row appended as soon as it is there."""

import datetime
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.errors import BadUsage
from ..core.files import reason
from ..terminal import Display
from . import batches, commands, pictures, together
from .suites import Case, Suite


def run(suite: Suite, only: str | None, display: Display) -> Iterator[dict[str, Any]]:
    """Rows: suite, case, image, seed, when, and the run's report or what went wrong instead."""
    cases = [case for case in suite.cases if only is None or only in case.name]
    if not cases:
        raise BadUsage(f"no case of {suite.name} has {only!r} in its name")
    runs = [run for case in cases for run in _runs(case)]  # all pictures are found before any work
    for case, picture, seed in runs:
        if case.batch or case.together:
            yield from _batch(suite, case, seed, display)
            continue
        name = ", ".join([f"{suite.name}: {case.name}", *([] if picture is None else [picture.name])])
        display.note(f"{name}, seed {seed + 1} of {case.seeds}")
        when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        row: dict[str, Any] = {"suite": suite.name, "case": case.name}
        if picture is None:
            ended = commands.solve(case, commands.located(case.puzzle), seed)
            row |= {"seed": seed, "when": when, **commands.result(ended)}
        else:
            row |= {"image": picture.name, "seed": seed, "when": when, "make": {"kind": case.kind, **case.make}}
            row |= pictures.solved(case, picture, seed)
        if suite.results is not None:
            _append(suite.results, row)
        if row["result"] in commands.FAILED:
            display.note(f"{name}, seed {seed}: {row['result']} {row.get('message', '')}")
        yield row


def _batch(suite: Suite, case: Case, seed: int, display: Display) -> Iterator[dict[str, Any]]:
    """One row a puzzle of the file, or a picture."""
    display.note(f"{suite.name}: {case.name}, {case.solver}, seed {seed + 1} of {case.seeds}")
    when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    for said in (together if case.together else batches).rows(case, seed):
        row = {"suite": suite.name, "case": case.name, "solver": case.solver, "seed": seed, "when": when, **said}
        if suite.results is not None:
            _append(suite.results, row)
        if case.together and row["result"] in commands.FAILED:
            display.note(f"{suite.name}: {case.name}, {row['image']}: {row['result']} {row.get('message', '')}")
        yield row


def _runs(case: Case) -> list[tuple[Case, pictures.Picture | None, int]]:
    """Of a set of pictures, the whole set with one seed before it is all done again with the next."""
    shown: list[pictures.Picture | None] = [*pictures.found(case)] if case.images else [None]
    if case.together:
        shown = [None]
    return [(case, picture, seed) for seed in range(case.seeds) for picture in shown]


def _append(path: Path, row: dict[str, Any]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise BadUsage(f"cannot write {path}: {reason(error)}") from None
