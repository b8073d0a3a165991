"""Benchmark sets that cannot be shipped: where they lie, whether they are there, and whether they are what rows name.

A suite may have a table ``[data]``: paths below $DOVETAIL_DATA and their SHA-256. Of a folder it is that of the list of
its files' names and digests, as ``digest`` makes it.
"""

import hashlib
import os
from pathlib import Path

from ..core.errors import BadInput, BadUsage
from ..core.files import reason
from .suites import Case, Suite

VARIABLE = "DOVETAIL_DATA"


def located(path: str) -> str:
    """The path with $DOVETAIL_DATA filled in: benchmark sets that cannot be shipped lie where the user has them."""
    filled = os.path.expandvars(path)
    if filled.startswith(f"${VARIABLE}"):
        raise BadUsage(f"this suite needs the benchmark sets: set {VARIABLE} to their folder (benchmarks/README.md)")
    return filled


def needed(suite: Suite) -> list[str]:
    """What it takes from $DOVETAIL_DATA, as suites write it."""
    paths = (path for case in suite.cases for path in (case.puzzle, case.images, case.batch))
    return sorted({path for path in paths if path.startswith(f"${VARIABLE}")})


def missing(suite: Suite) -> str | None:
    """One line on what a suite misses and where to put it; None if it can run."""
    wanted = needed(suite)
    if wanted and VARIABLE not in os.environ:
        return f"set {VARIABLE} to the folder of benchmark sets, with {_below(wanted[0])} in it"
    gone = [path for path in wanted if not Path(located(path)).exists()]
    return f"put {', '.join(map(_below, gone))} into {os.environ[VARIABLE]}" if gone else None


def verify(suite: Suite, cases: list[Case]) -> None:
    """Raise BadInput if what these cases use is not what the suite was written for."""
    used = {_below(path) for case in cases for path in (case.puzzle, case.images, case.batch)}
    for below, said in suite.data.items():
        if below not in used:
            continue
        found = digest(Path(located(f"${VARIABLE}/{below}")))
        if found != said:
            raise BadInput(
                f"{below} in {VARIABLE} is not what {suite.name} was written for: its SHA-256 is {found[:12]}…, "
                f"not {said[:12]}…"
            )


def digest(path: Path) -> str:
    """SHA-256 of a file, or of the names and digests of all files of a folder."""
    try:
        if path.is_file():
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        files = sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
    except OSError as error:
        raise BadInput(f"cannot read {path}: {reason(error)}") from None
    listed = "".join(f"{digest(each)}  {each.name}\n" for each in files)
    return hashlib.sha256(listed.encode()).hexdigest()


def _below(path: str) -> str:
    return path.removeprefix(f"${VARIABLE}/")
