"""Tables from raw rows, and from nothing else."""

import statistics
from typing import Any

from ..terminal import short
from .suites import Suite


def summary(suite: Suite, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry a case: how many seeds were solved, median and range of the seconds, steps a second."""
    entries = []
    for case in suite.cases:
        runs = [row for row in rows if row["case"] == case.name]
        reports = [row["report"] for row in runs if row["report"] is not None]
        if not runs:
            continue
        seconds = [report["seconds"]["solve"] for report in reports]
        entry: dict[str, Any] = {
            "case": case.name,
            "runs": len(runs),
            "solved": sum(row["result"] == "solved" for row in runs),
            "median_s": statistics.median(seconds) if seconds else None,
            "least_s": min(seconds, default=None),
            "most_s": max(seconds, default=None),
            "paper": case.paper,
        }
        if suite.rate:
            rates = [
                r["outcome"]["counters"][suite.rate] / r["seconds"]["solve"] for r in reports if r["seconds"]["solve"]
            ]
            entry[f"{suite.rate}_per_s"] = statistics.median(rates) if rates else None
        entries.append(entry)
    return entries


def text(suite: Suite, rows: list[dict[str, Any]]) -> str:
    """The same for a person."""
    head = ["case", "solved", "median s", "range s", *([f"{suite.rate}/s"] if suite.rate else []), "paper"]
    lines = [head]
    for entry in summary(suite, rows):
        timed = entry["median_s"] is not None
        lines.append([
            entry["case"],
            f"{entry['solved']}/{entry['runs']}",
            f"{entry['median_s']:.3f}" if timed else "–",
            f"{entry['least_s']:.3f}–{entry['most_s']:.3f}" if timed else "–",
            *([short(entry[f"{suite.rate}_per_s"] or 0)] if suite.rate else []),
            entry["paper"],
        ])  # fmt: skip
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        [
            suite.title,
            *("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines),
        ]
    )
