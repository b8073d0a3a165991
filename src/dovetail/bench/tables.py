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
                r["outcome"]["counters"].get(suite.rate, 0) / r["seconds"]["solve"]
                for r in reports
                if r["seconds"]["solve"]
            ]
            entry[f"{suite.rate}_per_s"] = statistics.median(rates) if rates else None
        if suite.best:
            reached = [r["outcome"]["counters"].get(suite.best, 0) for r in reports]
            entry[suite.best] = statistics.median(reached) if reached else None
        entries.append(entry)
    return entries


def text(suite: Suite, rows: list[dict[str, Any]]) -> str:
    """The same for a terminal."""
    lines = _cells(suite, rows)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    table = ("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines)
    return "\n".join([suite.title, *table])


def markdown(suite: Suite, rows: list[dict[str, Any]]) -> str:
    """The same for a page."""
    head, *lines = _cells(suite, rows)
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines])


def _cells(suite: Suite, rows: list[dict[str, Any]]) -> list[list[str]]:
    extras = [key for key in (suite.best, f"{suite.rate}_per_s" if suite.rate else None) if key]
    lines = [["case", "solved", "median s", "range s", *(key.replace("_", " ") for key in extras), "paper"]]
    for entry in summary(suite, rows):
        timed = entry["median_s"] is not None
        lines.append(
            [
                entry["case"],
                f"{entry['solved']}/{entry['runs']}",
                f"{entry['median_s']:.3f}" if timed else "–",
                f"{entry['least_s']:.3f}–{entry['most_s']:.3f}" if timed else "–",
                *("–" if entry[key] is None else short(entry[key]) for key in extras),
                entry["paper"],
            ]
        )
    return lines
