"""docs/status.md: of every solver how well tested it is, what its rows say, and what is known not to work well.

From the registry, the rows in ``benchmarks/results``, and ``benchmarks/weaknesses.toml``; ``make pages`` writes it.
"""

import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

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
READERS = """## Readers

Every reader is fed valid input garbled in every way (`benchmarks/fuzz_readers.py`; tests/fuzz says what is looked
for): it returns, or refuses in one sentence, within seconds and [limits](limits.md). So far {executions:,} executions
over {readers} readers, {led:,} of them led by coverage (atheris); found and put right on the way: {fixed}; left in
the last run of each reader: {left}.

| readers of | how many | executions | seconds | left |
|---|---|---|---|---|
{lines}"""
PICTURES = ("png", "zip", "pictures", "scans", "folder of pieces", "tar of pictures")
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
    if (rows := folder / "results" / "fuzz.jsonl").exists():
        blocks.append(_readers([json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]))
    return "\n\n".join(blocks) + "\n"


def _readers(rows: list[dict[str, Any]]) -> str:
    """What fuzzing found, in a line for each sort of reader; of findings, those that the last run still has."""
    last = {row["target"]: row for row in rows}
    sorts: dict[str, list[str]] = {}
    for target in last:
        sorts.setdefault(_sort(target), []).append(target)

    def summed(key: str, targets: list[str]) -> float:
        return sum((float(row[key]) for row in rows if row["target"] in targets), 0.0)

    def left(targets: list[str]) -> int:
        return sum(len(last[target]["findings"]) for target in targets)

    lines = [
        f"| {sort} | {len(of)} | {summed('executions', of):,.0f} | {summed('seconds', of):,.0f} | {left(of)} |"
        for sort, of in sorts.items()
    ]
    found = {(row["target"], one["what"]) for row in rows for one in row["findings"]}
    still = {(target, one["what"]) for target, row in last.items() for one in row["findings"]}
    return READERS.format(
        executions=int(summed("executions", [*last])), readers=len(last), left=left([*last]), fixed=len(found - still),
        led=sum(row["executions"] for row in rows if row["engine"] == "atheris"), lines="\n".join(lines),
    )  # fmt: skip


def _sort(target: str) -> str:
    kind, _, form = target.partition(" ")
    if target.endswith(PICTURES):
        return "pictures and archives"
    if kind in registry.kind_names():
        return {"json": "puzzles as JSON", "solution": "solutions"}.get(form, "links, ids, tables and other texts")
    return (
        "anything as it is handed over"
        if target in ("anything", "typed")
        else "hints, settings, suites, weights, states"
    )


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
