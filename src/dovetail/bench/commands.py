"""One ``dovetail`` command, or a script, in a fresh process: what it said, how it ended, the most memory it held."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

from ..core.errors import BadUsage
from .suites import Case, folder, script_misses

FAILED = ("refused", "crashed", "time-out", "memory")  # words for a run that came to nothing
GRACE_S = 120.0  # for starting, compiling and drawing, on top of the budget
STANDARD_ERROR = 2
POLL_S = 0.02
LOOK_S = 0.2  # between two looks at how much memory is held
MB = 2.0**20 if sys.platform == "darwin" else 2.0**10  # of what the system counts memory in

_running: set["subprocess.Popen[bytes]"] = set()
_lock = threading.Lock()


@dataclass(frozen=True)
class Limits:
    """What a command may take."""

    seconds: float | None = None
    memory_mb: float | None = None


UNLIMITED = Limits()


@dataclass(frozen=True)
class Ended:
    """A command that is over."""

    status: int | None  # None: it was ended at a limit
    out: str
    err: str
    memory_mb: float  # the most that its largest process held
    limit: str = "time-out"  # which limit it was, if it was one
    script: bool = False  # a script has shown what it said, and kept its rows itself


def run(verb: str, *arguments: str, limits: Limits = UNLIMITED) -> Ended:
    """Run a command of ours to its end or its limit."""
    return finished([sys.executable, "-m", "dovetail", verb, *arguments], limits)


def finished(command: list[str], limits: Limits = UNLIMITED, script: bool = False) -> Ended:
    """The same with any command; it never outlives us. What a script says is shown as it comes, as a note."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        shown = (STANDARD_ERROR, None) if script else (out, err)
        process = subprocess.Popen([*_mortal(), *command], stdin=subprocess.DEVNULL, stdout=shown[0], stderr=shown[1])
        with _lock:
            _running.add(process)
        try:
            status, memory_mb, limit = _wait(process, limits)
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            with _lock:
                _running.discard(process)
        return Ended(status, _text(out), _text(err), memory_mb, limit, script)


@cache
def _mortal() -> list[str]:
    """What makes a command end with us even if we are killed, where the system has it."""
    program = shutil.which("setpriv") if sys.platform == "linux" else None
    command = [] if program is None else [program, "--pdeathsig", "KILL"]
    known = command and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
    return command if known else []


def end_all() -> None:
    """End what still runs, in whatever thread."""
    with _lock:
        for process in _running:
            process.kill()


def solve(case: Case, puzzle: str, seed: int, *more: str, times: int = 1) -> Ended:
    """Solve (or count) a puzzle, or so many in one file, as the case asks for; or run its script."""
    if case.script:
        return _scripted(case)
    arguments = [puzzle, "--solver", case.solver, "--json", "--quiet", *more]
    if case.verb == "solve":
        arguments += ["--seed", str(seed)]
    if case.time_s is not None:
        arguments += ["--time", str(case.time_s)]
    if case.steps is not None:
        arguments += ["--steps", str(case.steps)]
    return run(case.verb, *arguments, *settings(case.set), limits=limits(case, times))


def _scripted(case: Case) -> Ended:
    """The script of a case, with $DOVETAIL_DATA filled in; refused before it begins if that is not there."""
    if misses := script_misses([case]):
        raise BadUsage(f"{case.name}: {misses}")
    script, *arguments = (os.path.expandvars(word) for word in case.script)
    path = folder().parents[1] / script
    if not path.is_file():
        raise BadUsage(f"{case.name}: there is no script {script} in this checkout")
    return finished([sys.executable, str(path), *arguments], limits(case), script=True)


def limits(case: Case, times: int = 1) -> Limits:
    """Of a case with so many puzzles."""
    return Limits(None if case.time_s is None else case.time_s * times + GRACE_S, case.memory_mb)


def settings(given: dict[str, Any]) -> list[str]:
    """A table as ``--set key=value``."""
    return [part for key, value in given.items() for part in ("--set", f"{key}={value}")]


def result(ended: Ended) -> dict[str, Any]:
    """What a row says of a solving that is over; of a script, whether it came to its end."""
    if ended.script:
        said = "solved" if ended.status == 0 else ended.limit if ended.status is None else "crashed"
        return {"result": said, "report": None, "memory_mb": ended.memory_mb}
    row = failure(ended)
    if row is None:
        report = concise(json.loads(ended.out))
        row = {"result": word(report, ended.status == 0), "report": report}
        if report["outcome"]["status"] == "failed":
            row |= {"result": "crashed", "message": "the solver failed"}
    return {**row, "memory_mb": ended.memory_mb}


def concise(report: dict[str, Any]) -> dict[str, Any]:
    """Without the chance of every single piece and seam."""
    if sure := report.get("confidence"):
        report["confidence"] = {key: sure[key] for key in ("words", "sure_pieces", "sure_seams")}
    return report


def word(report: dict[str, Any], solved: bool) -> str:
    """Solved or not; *wrong* if the answer is none, whatever the solver says of it."""
    verdict = report["verdict"]
    return "solved" if solved else "wrong" if verdict and verdict["valid"] is False else "not solved"


def failure(ended: Ended) -> dict[str, Any] | None:
    """The row of a command that gave no result; None if it gave one."""
    if ended.status is None:
        return {"result": ended.limit, "report": None}
    if ended.status == 2:
        return {"result": "refused", "report": None, "message": ended.err.strip()}
    if ended.status not in (0, 1) or not ended.out.strip():
        said = ended.err.strip()[-500:] or f"it ended with status {ended.status}"
        return {"result": "crashed", "report": None, "message": said}
    return None


def _wait(process: "subprocess.Popen[bytes]", limits: Limits) -> tuple[int | None, float, str]:
    """Status, memory, and which limit it was.

    A process is born with its parent's peak as its own, so whoever calls this stays light.
    """
    begun = looked = time.monotonic()
    over = ""
    while True:
        pid, status, usage = os.wait4(process.pid, 0 if over else os.WNOHANG)
        now = time.monotonic()
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return None if over else process.returncode, round(usage.ru_maxrss / MB, 1), over
        if limits.seconds is not None and now >= begun + limits.seconds:
            over = "time-out"
        elif limits.memory_mb is not None and now >= looked + LOOK_S:
            looked = now
            over = "memory" if held_mb(process.pid) > limits.memory_mb else ""
        if over:
            os.kill(process.pid, signal.SIGKILL)
        else:
            time.sleep(POLL_S)


def held_mb(pid: int) -> float:
    """What a process and those it started hold now; 0 where the system does not tell (it has no /proc)."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (OSError, IndexError, ValueError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20 + sum(held_mb(int(child)) for child in children)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
