"""Runs a suite: each case and seed in a fresh process, each row appended as soon as it is there."""

import datetime
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from ..core.errors import BadUsage
from ..core.files import reason
from ..terminal import Display
from .suites import Case, Suite

GRACE_S = 120.0  # for starting, compiling and drawing, on top of the budget


def run(suite: Suite, only: str | None, display: Display) -> Iterator[dict[str, Any]]:
    """Rows: suite, case, seed, when, and the run's report or what went wrong instead."""
    cases = [case for case in suite.cases if only is None or only in case.name]
    if not cases:
        raise BadUsage(f"no case of {suite.name} has {only!r} in its name")
    for case in cases:
        for seed in range(case.seeds):
            display.note(f"{suite.name}: {case.name}, seed {seed + 1} of {case.seeds}")
            when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            row = {"suite": suite.name, "case": case.name, "seed": seed, "when": when, **_fresh(case, seed)}
            _append(suite, row)
            if row["report"] is None:
                display.note(f"{suite.name}: {case.name}, seed {seed}: {row['result']} {row.get('message', '')}")
            yield row


def located(puzzle: str) -> str:
    """The path with $DOVETAIL_DATA filled in: benchmark sets that cannot be shipped lie where the user has them."""
    path = os.path.expandvars(puzzle)
    if path.startswith("$DOVETAIL_DATA"):
        raise BadUsage("this suite needs the benchmark sets: set DOVETAIL_DATA to their folder (benchmarks/README.md)")
    return path


def _fresh(case: Case, seed: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "dovetail", case.verb, located(case.puzzle), "--solver", case.solver]
    command += ["--json", "--quiet"]
    if case.verb == "solve":
        command += ["--seed", str(seed)]
    if case.time_s is not None:
        command += ["--time", str(case.time_s)]
    if case.steps is not None:
        command += ["--steps", str(case.steps)]
    for key, value in case.set.items():
        command += ["--set", f"{key}={value}"]
    limit = None if case.time_s is None else case.time_s + GRACE_S
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"result": "time-out", "report": None}
    if done.returncode == 2:
        return {"result": "refused", "report": None, "message": done.stderr.strip()}
    if done.returncode not in (0, 1) or not done.stdout.strip():
        return {"result": "crashed", "report": None, "message": done.stderr.strip()[-500:]}
    report = json.loads(done.stdout)
    return {"result": "solved" if done.returncode == 0 else "not solved", "report": report}


def _append(suite: Suite, row: dict[str, Any]) -> None:
    try:
        suite.results.parent.mkdir(parents=True, exist_ok=True)
        with suite.results.open("a") as file:
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise BadUsage(f"cannot write {suite.results}: {reason(error)}") from None
