"""One ``dovetail`` command in a fresh process: what it said, how it ended, and the most memory it held."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import IO, Any

from ..core.errors import BadUsage
from .suites import Case

FAILED = ("refused", "crashed", "time-out")  # words for a run that came to nothing
GRACE_S = 120.0  # for starting, compiling and drawing, on top of the budget
POLL_S = 0.02
MB = 2.0**20 if sys.platform == "darwin" else 2.0**10  # of what the system counts memory in


@dataclass(frozen=True)
class Ended:
    """A command that is over."""

    status: int | None  # None: it was still running at its limit
    out: str
    err: str
    memory_mb: float  # the most that its largest process held


def run(verb: str, *arguments: str, limit_s: float | None = None) -> Ended:
    """Run a command of ours to its end or its limit."""
    return finished([sys.executable, "-m", "dovetail", verb, *arguments], limit_s)


def finished(command: list[str], limit_s: float | None = None) -> Ended:
    """The same with any command; it never outlives us."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        try:
            status, memory_mb = _wait(process, limit_s)
        except BaseException:
            process.kill()
            process.wait()
            raise
        return Ended(status, _text(out), _text(err), memory_mb)


def solve(case: Case, puzzle: str, seed: int, *more: str, limit_s: float | None = None) -> Ended:
    """Solve (or count) a puzzle as the case asks for."""
    arguments = [puzzle, "--solver", case.solver, "--json", "--quiet", *more]
    if case.verb == "solve":
        arguments += ["--seed", str(seed)]
    if case.time_s is not None:
        arguments += ["--time", str(case.time_s)]
    if case.steps is not None:
        arguments += ["--steps", str(case.steps)]
    if limit_s is None and case.time_s is not None:
        limit_s = case.time_s + GRACE_S
    return run(case.verb, *arguments, *settings(case.set), limit_s=limit_s)


def settings(given: dict[str, Any]) -> list[str]:
    """A table as ``--set key=value``."""
    return [part for key, value in given.items() for part in ("--set", f"{key}={value}")]


def result(ended: Ended) -> dict[str, Any]:
    """What a row says of a solving that is over."""
    row = failure(ended)
    if row is None:
        report = json.loads(ended.out)
        row = {"result": "solved" if ended.status == 0 else "not solved", "report": report}
        if report["outcome"]["status"] == "failed":
            row |= {"result": "crashed", "message": "the solver failed"}
    return {**row, "memory_mb": ended.memory_mb}


def failure(ended: Ended) -> dict[str, Any] | None:
    """The row of a command that gave no result; None if it gave one."""
    if ended.status is None:
        return {"result": "time-out", "report": None}
    if ended.status == 2:
        return {"result": "refused", "report": None, "message": ended.err.strip()}
    if ended.status not in (0, 1) or not ended.out.strip():
        said = ended.err.strip()[-500:] or f"it ended with status {ended.status}"
        return {"result": "crashed", "report": None, "message": said}
    return None


def located(path: str) -> str:
    """The path with $DOVETAIL_DATA filled in: benchmark sets that cannot be shipped lie where the user has them."""
    filled = os.path.expandvars(path)
    if filled.startswith("$DOVETAIL_DATA"):
        raise BadUsage("this suite needs the benchmark sets: set DOVETAIL_DATA to their folder (benchmarks/README.md)")
    return filled


def _wait(process: "subprocess.Popen[bytes]", limit_s: float | None) -> tuple[int | None, float]:
    """Status and memory. A process is born with its parent's peak as its own, so whoever calls this stays light."""
    deadline = None if limit_s is None else time.monotonic() + limit_s
    late = False
    while True:
        pid, status, usage = os.wait4(process.pid, 0 if late else os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return None if late else process.returncode, round(usage.ru_maxrss / MB, 1)
        if deadline is not None and time.monotonic() >= deadline:
            os.kill(process.pid, signal.SIGKILL)
            late = True
        else:
            time.sleep(POLL_S)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
