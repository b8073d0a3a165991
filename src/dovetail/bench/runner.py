"""Runs a suite: each case, picture and seed in a fresh process, each row appended as soon as it is there.

All rows of one call carry the time it began, ``run``; so a call that was interrupted can be taken up again.
"""

import datetime
import json
import os
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ..core.errors import BadInput, BadUsage
from ..core.files import reason
from ..terminal import Display
from . import batches, commands, data, pictures, together
from .suites import Case, Suite

Row = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """One process: a puzzle or a picture, or all of a batch, with one seed."""

    suite: Suite
    case: Case
    picture: pictures.Picture | None
    seed: int

    @property
    def name(self) -> str:
        """For people."""
        parts = [f"{self.suite.name}: {self.case.name}"]
        if self.case.batch or self.case.together:
            parts.append(self.case.solver)
        elif self.picture is not None:
            parts.append(self.picture.name)
        return ", ".join([*parts, f"seed {self.seed + 1} of {self.case.seeds}"])

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells it from the others of its suite, as its rows have it."""
        solver = self.case.solver if self.case.batch or self.case.together else None
        return self.case.name, solver, self.seed, None if self.picture is None else self.picture.name

    def rows(self) -> Iterator[Row]:
        """One, or of a batch one a puzzle: suite, case, what was solved, and the report or what went wrong instead."""
        case, seed = self.case, self.seed
        about: Row = {"suite": self.suite.name, "case": case.name}
        when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        if case.batch or case.together:
            for said in (together if case.together else batches).rows(case, seed):
                yield {**about, "solver": case.solver, "seed": seed, "when": when, **said}
        elif self.picture is None:
            ended = commands.solve(case, data.located(case.puzzle), seed)
            yield {**about, "seed": seed, "when": when, **commands.result(ended)}
        else:
            make = {"kind": case.kind, **case.make}
            about |= {"image": self.picture.name, "seed": seed, "when": when, "make": make}
            yield {**about, **pictures.solved(case, self.picture, seed)}


def run(suite: Suite, only: str | None, display: Display, jobs: int = 1, resume: bool = False) -> Iterator[Row]:
    """The rows of all cases, or of those that have a text in their name; as they come, if several run at once."""
    cases = [case for case in suite.cases if only is None or only in case.name]
    if not cases:
        raise BadUsage(f"no case of {suite.name} has {only!r} in its name")
    runs = [run for case in cases for run in _runs(suite, case)]  # all pictures are found before any work
    data.verify(suite, cases)
    begun = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    if resume:
        begun, done = _last(suite)
        runs = [run for run in runs if run.key not in done]
    stamp = {"run": begun, **({"jobs": jobs} if jobs > 1 else {})}
    for several in _finished(runs, jobs, display):
        for row in several:
            row |= stamp
            if suite.results is not None:
                _append(suite.results, row)
            if row["result"] in commands.FAILED:
                what = ", ".join([row["case"], *([row["image"]] if "image" in row else []), f"seed {row['seed']}"])
                display.note(f"{suite.name}: {what}: {row['result']} {row.get('message', '')}")
            yield row


def _finished(runs: list[Run], jobs: int, display: Display) -> Iterator[list[Row]]:
    """All of them, several at once: each is a process of its own, so that threads are enough to wait for them."""
    if jobs == 1:
        for one in runs:
            display.note(one.name)
            yield _all(one)
        return
    with ThreadPoolExecutor(jobs) as pool:
        waiting = iter(runs)
        running = {pool.submit(_all, one): one for one in islice(waiting, jobs)}
        try:
            while running:
                for ended in wait(running, return_when=FIRST_COMPLETED).done:
                    display.note(running.pop(ended).name)
                    running |= {pool.submit(_all, one): one for one in islice(waiting, 1)}
                    yield ended.result()
        finally:
            commands.end_all()  # what still runs must not outlive us


def _all(one: Run) -> list[Row]:
    return [*one.rows()]


def _runs(suite: Suite, case: Case) -> list[Run]:
    """Of a set of pictures, the whole set with one seed before it is all done again with the next."""
    shown: list[pictures.Picture | None] = [*pictures.found(case)] if case.images else [None]
    if case.together:
        shown = [None]
    return [Run(suite, case, picture, seed) for seed in range(case.seeds) for picture in shown]


def _last(suite: Suite) -> tuple[str, set[tuple[Any, ...]]]:
    """When the last call began, and which of its runs have rows."""
    try:
        text = "" if suite.results is None else suite.results.read_text(encoding="utf-8")
        rows = [json.loads(line) for line in text.splitlines()]
    except FileNotFoundError:
        rows = []
    except (OSError, ValueError) as error:
        raise BadInput(f"{suite.results}: {error}") from None
    begun = max((row["run"] for row in rows if "run" in row), default=None)
    if begun is None:
        raise BadUsage(f"there is no run of {suite.name} to go on with: leave out --resume")
    single = {case.name for case in suite.cases if case.together}  # their rows name pictures, but they are one run
    return begun, {
        (row["case"], row.get("solver"), row["seed"], None if row["case"] in single else row.get("image"))
        for row in rows
        if row.get("run") == begun
    }


def _append(path: Path, row: Row) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise BadUsage(f"cannot write {path}: {reason(error)}") from None
