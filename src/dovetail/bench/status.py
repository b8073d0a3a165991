"""docs/status.md: of every solver how well tested it is, what its rows say, and what is known not to work well.

From the registry, the rows in ``benchmarks/results``, and ``benchmarks/weaknesses.toml``; ``make pages`` writes it.
"""

import json
import tomllib
from collections import Counter
from pathlib import Path

from ..core import registry
from ..core.files import write_atomically
from . import suites

BEGIN = """# Status

How far each solver can be trusted, written by `make pages` from the registry, the rows in `benchmarks/results` and
`benchmarks/weaknesses.toml`. *Thoroughly tested*: slow twins of its kernels, golden runs, properties, and many runs
judged by the checker. *Lightly tested*: the same tests, but fewer runs or kinds of puzzle. Every answer of every solver
is judged by the kind's checker, which shares no code with it: a weak solver finds less, but what is called solved is
solved.
"""
HEADS = "| solver | status | benchmark runs | known not to work well |\n|---|---|---|---|"


def written(folder: Path) -> str:
    """The page; ``folder`` is benchmarks/."""
    weak = tomllib.loads((folder / "weaknesses.toml").read_text(encoding="utf-8"))
    runs = _runs(folder / "results")
    blocks = [BEGIN.rstrip()]
    for family in registry.families():
        lines = []
        for solver in registry.solvers(family):
            problem = weak.get(family, {}).pop(solver.name, "–")
            about = f"`{solver.name}`: {solver.title}"
            lines.append(f"| {about} | {solver.status} | {runs[family, solver.name]:,} | {problem} |")
        blocks.append("\n".join([f"## {family}\n", HEADS, *lines]))
    if left := {family: names for family, names in weak.items() if names}:
        raise ValueError(f"weaknesses.toml names solvers that there are not: {left}")
    return "\n\n".join(blocks) + "\n"


def _runs(folder: Path) -> Counter[tuple[str, str]]:
    """Rows by family and solver."""
    counted: Counter[tuple[str, str]] = Counter()
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            report = json.loads(line).get("report")
            if isinstance(report, dict) and report.get("solver") and report.get("puzzle"):
                family = registry.kind(report["puzzle"]["kind"]).family
                counted[family, report["solver"]["name"]] += 1
    return counted


if __name__ == "__main__":
    checkout = suites.folder().parents[1]
    write_atomically(checkout / "docs" / "status.md", written(checkout / "benchmarks").encode())
