"""Tables from raw rows, and from nothing else."""

import statistics
from typing import Any

from ..terminal import short
from . import averages, batches
from .suites import Case, Suite


def summary(suite: Suite, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry a case that has rows."""
    return [entry for _, entry in _entries(suite, rows)]


def _entries(suite: Suite, rows: list[dict[str, Any]]) -> list[tuple[Case, dict[str, Any]]]:
    runs = [(case, [row for row in rows if _is_of(row, case)]) for case in suite.cases]
    return [(case, _entry(suite, case, r)) for case, r in runs if r]


def _is_of(row: dict[str, Any], case: Case) -> bool:
    """Cases over one batch may differ in their solver only."""
    return row["case"] == case.name and (not case.batch or row["solver"] == case.solver)


def _entry(suite: Suite, case: Case, runs: list[dict[str, Any]]) -> dict[str, Any]:
    if case.batch:
        return batches.summary(case, runs, suite.best)
    return averages.summary(case, runs) if case.images else _seeds(suite, case, runs)


def _seeds(suite: Suite, case: Case, runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Of one puzzle: how many seeds were solved, median and range of the seconds, steps a second."""
    reports = [row["report"] for row in runs if row["report"] is not None]
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
            r["outcome"]["counters"][suite.rate] / r["seconds"]["solve"]
            for r in reports
            if r["seconds"]["solve"] and suite.rate in r["outcome"]["counters"]
        ]
        entry[f"{suite.rate}_per_s"] = statistics.median(rates) if rates else None
    if suite.best:
        reached = [value for report in reports if (value := _reached(report, suite.best)) is not None]
        entry[suite.best] = statistics.median(reached) if reached else None
        entry["least"], entry["most"] = min(reached, default=None), max(reached, default=None)
    return entry


def _reached(report: dict[str, Any], name: str) -> float | None:
    """A score of the checker if it has one of that name, else a counter of the solver, if there is one."""
    scores = (report["verdict"] or {}).get("scores", {})
    value: float | None = scores[name] if name in scores else report["outcome"]["counters"].get(name)
    return value


def text(suite: Suite, rows: list[dict[str, Any]]) -> str:
    """The same for a terminal."""
    blocks = []
    for lines in _tables(suite, rows):
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        table = ("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines)
        blocks.append("\n".join(table))
    return f"{suite.title}\n" + "\n\n".join(blocks)


def markdown(suite: Suite, rows: list[dict[str, Any]]) -> str:
    """The same for a page."""
    blocks = []
    for head, *lines in _tables(suite, rows):
        table = [head, ["---"] * len(head), *lines]
        blocks.append("\n".join("| " + " | ".join(line) + " |" for line in table))
    return "\n\n".join(blocks)


def _with_range(entry: dict[str, Any], key: str, suite: Suite) -> str:
    """The median, and of what a run reached also least and most, where they differ."""
    spread = key == suite.best and entry["least"] != entry["most"]
    return short(entry[key]) + (f" ({short(entry['least'])}–{short(entry['most'])})" if spread else "")


def _tables(suite: Suite, rows: list[dict[str, Any]]) -> list[list[list[str]]]:
    """One of the cases that are puzzles, one of batches, one of pictures; a suite may have all of them."""
    entries = _entries(suite, rows)
    found = []
    if not all(case.images or case.batch for case in suite.cases):
        found.append(_cells(suite, [entry for case, entry in entries if not (case.images or case.batch)]))
    if any(case.batch for case in suite.cases):
        found.append(batches.table([entry for case, entry in entries if case.batch], suite.best))
    if any(case.images for case in suite.cases):
        lines = [line for case, entry in entries if case.images for line in averages.cells(case, entry, suite.shown)]
        found.append([[*suite.shown], *lines])
    return found


def _cells(suite: Suite, entries: list[dict[str, Any]]) -> list[list[str]]:
    extras = [key for key in (suite.best, f"{suite.rate}_per_s" if suite.rate else None) if key]
    lines = [["case", "solved", "median s", "range s", *(key.replace("_", " ") for key in extras), "paper"]]
    for entry in entries:
        timed = entry["median_s"] is not None
        lines.append(
            [
                entry["case"],
                f"{entry['solved']}/{entry['runs']}",
                f"{entry['median_s']:.3f}" if timed else "–",
                f"{entry['least_s']:.3f}–{entry['most_s']:.3f}" if timed else "–",
                *("–" if entry[key] is None else _with_range(entry, key, suite) for key in extras),
                entry["paper"],
            ]
        )
    return lines
