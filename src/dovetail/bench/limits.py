"""docs/limits.md: how large anything may be, and how much memory solvers hold. ``make pages`` writes it.

From ``core/limits.py`` and ``web/limits.py`` with their comments, and from the rows of ``benchmarks/memory.py``.
"""

import json
import re
from pathlib import Path

from ..core import limits
from ..core.files import write_atomically
from ..pipeline import DEFAULT_TIME_S
from . import suites

PACKAGE = Path(__file__).parents[1]
BEGIN = """# Limits

Nothing that comes from outside is trusted: not a file, not a picture, not a name in an archive. What is larger than
the numbers below is refused in one sentence before it costs time or memory; what is damaged or makes no sense is
refused by its reader, likewise. Nothing is ever unpacked to disk, no name in an archive leads anywhere, and what a
file names is opened only if it is a file: no device, no pipe. No reader unpickles or evaluates anything: puzzles are
JSON, texts or pictures, networks come as ONNX with a SHA-256 on their card, and what a training kept is read by torch
as tensors only. A pipe that *you* name as the input is read to its end, as with any program.

Every reader is fed garbled input by `make test` (a little) and by `benchmarks/fuzz_readers.py` (a lot):
[status](status.md#readers) counts it. The table is made by `make pages` from `core/limits.py`, where the numbers are.
"""
WEB = """## Visitors of a server

`dovetail serve` adds limits of its own ([more](web.md)), in `web/limits.py`:
"""
MEMORY = """## Memory

Before it begins, a solver whose memory grows with the puzzle says how much the process will come to hold, from the
sizes of its tables (`Solver.memory_mb`). If that is more than there is room for, the run is refused in one sentence
that names both numbers and the solvers that would do with less, or it takes leaner settings where the solver knows
some, and says so. Room is what `--memory MB` allows; without it what the machine has left, the container (control
groups) and the limits of the process looked at too. A solver without a row holds little more than Python and its
libraries, whatever the puzzle.

What was said and what was held, in the last run of each (`benchmarks/memory.py`; some were stopped, or were done,
before they came to hold all that they may; of the assembler and the genetic solver, a test compares rows of up to
22,755 pieces too):
"""


def written(folder: Path) -> str:
    """The page; ``folder`` is benchmarks/."""
    blocks = [BEGIN.rstrip(), *_numbers(), WEB.rstrip(), _visitors(), MEMORY.rstrip(), _memory(folder / "results")]
    return "\n\n".join(blocks) + "\n"


def _numbers() -> list[str]:
    """A table for each part of core/limits.py, whose comments say what is counted."""
    blocks: list[str] = []
    for line in (PACKAGE / "core" / "limits.py").read_text(encoding="utf-8").splitlines():
        if title := re.fullmatch(r"# (.+)", line):
            blocks.append(f"## {title[1].capitalize()}\n\n| limit | most | of what |\n|---|---|---|")
        elif found := re.fullmatch(r"([A-Z0-9_]+) = .*?  # (.+)", line):
            blocks[-1] += f"\n| `{found[1]}` | {_shown(found[1], getattr(limits, found[1]))} | {found[2]} |"
    return blocks


def _visitors() -> str:
    """The same of the class in web/limits.py, read as text: nothing here needs a server."""
    lines = (PACKAGE / "web" / "limits.py").read_text(encoding="utf-8").splitlines()
    rows = ["| limit | usual | of what |\n|---|---|---|"]
    for line in lines:
        if found := re.fullmatch(r"    (\w+): (?:int|float) = ([^#]+?)(?:  # (.+))?", line):
            usual = found[2].replace("DEFAULT_TIME_S", f"{DEFAULT_TIME_S:g}").replace(" * MIB", " MiB")
            usual = re.sub(r"(?<=\d)_(?=\d)", ",", usual.removesuffix(".0"))
            rows.append(f"| `{found[1]}` | {usual} | {found[3] or found[1].replace('_', ' ')} |")
    return "\n".join(rows)


def _memory(folder: Path) -> str:
    rows = [json.loads(line) for line in (folder / "memory.jsonl").read_text(encoding="utf-8").splitlines()]
    last = {(row["family"], row["solver"], row["kind"], row["size"]): row for row in rows}
    lines = ["| solver | puzzle | said | held |\n|---|---|---|---|"]
    for row in last.values():
        if row["estimate_mb"] is not None:
            said, held = f"{row['estimate_mb']:,.0f} MB", f"{row['peak_mb']:,.0f} MB"
            lines.append(f"| `{row['solver']}` | {row['kind']} {row['size']} | {said} | {held} |")
    return "\n".join(lines)


def _shown(name: str, number: float) -> str:
    if name.endswith("_BYTES"):
        return f"{number / limits.MIB:,.0f} MiB"
    return f"{number:,.0f}" if number < 1e15 else "2^63 - 1"


if __name__ == "__main__":
    checkout = suites.folder().parents[1]
    write_atomically(checkout / "docs" / "limits.md", written(checkout / "benchmarks").encode())
