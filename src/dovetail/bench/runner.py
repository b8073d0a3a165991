"""Runs a suite: each case, picture and seed in a fresh process, each row appended as soon as it is there.

All rows of one call carry the time it began, ``run``; so a call that was interrupted can be taken up again. Rows of a
run that has several say how many they are, ``rows``; so a run that was killed while they were written is done again.
"""

import datetime
import json
import os
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from .. import __version__
from ..core.errors import BadInput, BadUsage
from ..core.files import reason
from ..core.report import machine
from ..terminal import Display
from ..workers import Processes, workers
from . import batches, commands, data, pictures, together
from .suites import Case, Suite

Row = dict[str, Any]
LOOK_S = 1.0  # between two looks for new workers
OF_A_RUN = ("run", "case", "solver", "seed")  # what all rows of one have in common, if it has several


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

    @property
    def fixed(self) -> str:
        """Which budget the runs of the case had: seconds, steps or both."""
        steps, time_s = self.case.steps is not None, self.case.time_s is not None
        return "time and steps" if steps and time_s else "steps" if steps else "time"

    def rows(self) -> Iterator[Row]:
        """One, or of a batch one a puzzle: suite, case, what was solved, and the report or what went wrong instead."""
        case, seed = self.case, self.seed
        about: Row = {"suite": self.suite.name, "case": case.name, "version": __version__, "fixed": self.fixed}
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


def run(
    suite: Suite,
    only: str | None,
    display: Display,
    jobs: int = 1,
    resume: bool = False,
    executor: Executor | None = None,
) -> Iterator[Row]:
    """The rows of all cases, or of those that have a text in their name; as they come, if several run at once.

    On an ``executor``, whose workers have the same files in the same places, each run starts its process there.
    """
    cases = [case for case in suite.cases if only is None or only in case.name]
    if not cases:
        raise BadUsage(f"no case of {suite.name} has {only!r} in its name")
    if isinstance(executor, Processes):  # each run is a process anyway
        jobs, executor = executor.width, None
    if executor is not None:
        if any(case.script for case in cases):
            raise BadUsage(
                f"{suite.name} is made by scripts, which keep their rows themselves: run it without --cluster"
            )
        cases = [_anywhere(case) for case in cases]
    runs = [run for case in cases for run in _runs(suite, case)]  # all pictures are found before any work
    data.verify(suite, cases)
    begun = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    if suite.results is not None:
        _mend(suite.results)
    if resume:
        begun, done = _last(suite)
        runs = [run for run in runs if run.key not in done]
    stamp = {"run": begun, **({"jobs": jobs} if jobs > 1 else {}), **({"cluster": True} if executor else {})}
    for several in _finished(runs, jobs, display, executor):
        for row in several:
            row |= stamp | ({"rows": len(several)} if len(several) > 1 else {})
        if suite.results is not None:
            _append(suite.results, several)
        for row in several:
            if row["result"] in commands.FAILED:
                what = ", ".join([row["case"], *([row["image"]] if "image" in row else []), f"seed {row['seed']}"])
                display.note(f"{suite.name}: {what}: {row['result']} {row.get('message', '')}")
            yield row


def _finished(runs: list[Run], jobs: int, display: Display, executor: Executor | None) -> Iterator[list[Row]]:
    """All of them, several at once: each is a process of its own, so that threads are enough to wait for them."""
    if jobs == 1 and executor is None:
        for one in runs:
            display.note(one.name)
            yield _all(one)
        return
    with workers(executor, jobs) as pool:
        waiting = iter(runs)
        running: dict[Future[list[Row]], Run] = {}
        try:
            while True:
                at_once = getattr(executor, "width", jobs)  # workers may come and go
                running |= {pool.submit(_all, one): one for one in islice(waiting, max(0, at_once - len(running)))}
                if not running:
                    return
                for ended in wait(running, timeout=LOOK_S, return_when=FIRST_COMPLETED).done:
                    display.note(running.pop(ended).name)
                    yield ended.result()
        finally:
            for future in running:
                future.cancel()
            commands.end_all()  # what still runs here must not outlive us


def _anywhere(case: Case) -> Case:
    """The case with its files by their full names, for workers that were started in another folder."""
    return replace(case, puzzle=_absolute(case.puzzle), images=_absolute(case.images), batch=_absolute(case.batch))


def _absolute(name: str) -> str:
    try:
        return str(Path(name).absolute()) if name and Path(name).exists() else name
    except (OSError, ValueError):  # the text of a puzzle
        return name


def _all(one: Run) -> list[Row]:
    """Its rows; those without a report, which would say so, are told where they were made."""
    return [{**row, **({"machine": machine()} if row["report"] is None else {})} for row in one.rows()]


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
        raise BadInput(f"{suite.results} holds something else than rows: {error}") from None
    begun = max((row["run"] for row in rows if "run" in row), default=None)
    if begun is None:
        raise BadUsage(f"there is no run of {suite.name} to go on with: leave out --resume")
    single = {case.name for case in suite.cases if case.together}  # their rows name pictures, but they are one run
    return begun, {
        (row["case"], row.get("solver"), row["seed"], None if row["case"] in single else row.get("image"))
        for row in rows
        if row.get("run") == begun
    }


def _append(path: Path, rows: list[Row]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise BadUsage(f"cannot write {path}: {reason(error)}") from None


def _mend(path: Path) -> None:
    """Cut off what a call left that was killed while it wrote: half a row, or some rows of a run that has more."""
    try:
        whole = path.read_bytes()
        data = whole
        if not data.endswith(b"\n"):
            begin = data.rfind(b"\n") + 1
            data = data[:begin] if _row(data[begin:]) is None else data + b"\n"
        lines = data.splitlines(keepends=True)
        last = _row(lines[-1]) if lines else None
        if last is not None and "rows" in last:
            about = [last.get(key) for key in OF_A_RUN]
            ours = 0
            while ours < len(lines) and [(_row(lines[-1 - ours]) or {}).get(key) for key in OF_A_RUN] == about:
                ours += 1
            if ours % last["rows"]:
                data = b"".join(lines[: len(lines) - ours % last["rows"]])
        if data.startswith(whole):
            with path.open("ab") as file:
                file.write(data[len(whole) :])
        elif data != whole:
            os.truncate(path, len(data))
    except FileNotFoundError:
        return
    except OSError as error:
        raise BadUsage(f"cannot write {path}: {reason(error)}") from None


def _row(line: bytes) -> Row | None:
    """A whole row, or None."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None
