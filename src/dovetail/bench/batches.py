"""A case over a file of many puzzles: all of them in one fresh process, one row a puzzle; and its line of the table."""

import json
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.errors import BadUsage
from ..core.puzzle import Puzzle
from . import commands, data
from .suites import MADE, Case

HEAD = ["case", "solver", "solved", "accuracy %", "median s", "mean s", "worst s"]


def rows(case: Case, seed: int) -> Iterator[dict[str, Any]]:
    """What is to be said of every puzzle of the file that the case is about."""
    from .. import pipeline

    with tempfile.TemporaryDirectory(prefix="dovetail-bench-") as folder:
        file = Path(folder) / "puzzles.jsonl"
        puzzles = _chosen(case)
        file.write_bytes(b"".join(pipeline.convert(puzzle, "json") for puzzle in puzzles))
        ended = commands.solve(case, str(file), seed, times=len(puzzles))
    reports = [json.loads(line) for line in ended.out.splitlines() if line.startswith("{") and line.endswith("}")]
    failed = commands.failure(ended)
    for item in range(len(puzzles)):
        if item < len(reports):
            report = short(reports[item], item)
            done = report["outcome"]["status"] if case.verb == "count" else (report["verdict"] or {}).get("solved")
            yield {"item": item, "result": commands.word(report, done in ("complete", True)), "report": report}
        else:
            yield {"item": item, **(failed or {"result": "crashed", "report": None})}


def short(report: dict[str, Any], item: int) -> dict[str, Any]:
    """Without what thousands of rows need not repeat: links, all rules that a bad answer breaks, and after the first
    row of a batch the machine and the settings, which are the same for all."""
    left_out = ("links", "machine", "budget") if item else ("links",)
    kept = {key: value for key, value in commands.concise(report).items() if key not in left_out}
    if item:
        kept["solver"] = {key: value for key, value in kept["solver"].items() if key != "parameters"}
    if kept["verdict"]:
        kept["verdict"] = {**kept["verdict"], "violations": kept["verdict"]["violations"][:1]}
    return kept


def _chosen(case: Case) -> list[Puzzle]:
    """By a text that their line holds, by their size, and not more than the first so many; or newly made."""
    from .. import pipeline, reading
    from ..core.source import Source

    if case.batch == MADE:
        return [pipeline.make(case.kind, seed, case.make)[0] for seed in range(case.first or 0)]
    path = Path(data.located(case.batch))
    try:
        text = path.read_bytes()
    except OSError as error:
        raise BadUsage(f"cannot read {path}: {error.strerror}") from None
    if case.match:
        text = b"\n".join(line for line in text.splitlines() if case.match.encode() in line)
    puzzles = reading.read_all(Source(path.name, text), case.kind or None)[0] if text else []
    puzzles = [puzzle for puzzle in puzzles if not case.sizes or puzzle.size in case.sizes][: case.first]
    if not puzzles:
        raise BadUsage(f"{path} holds no puzzle that the case {case.name!r} is about")
    return puzzles


def summary(case: Case, runs: list[dict[str, Any]], best: str | None) -> dict[str, Any]:
    """One line: how many solved, how much of the rules was met, median, mean and worst seconds.

    And of ``best``, one of the checker's scores, the sum and the mean.
    """
    reports = [row["report"] for row in runs if row["report"] is not None]
    scores = [(report["verdict"] or {}).get("scores", {}) for report in reports]
    reached = [found[best] for found in scores if best in found]
    seconds = [report["seconds"]["solve"] for report in reports]
    met = [_accuracy(row) for row in runs] if case.verb == "solve" else []
    return {
        "case": case.name,
        "solver": case.solver,
        "runs": len(runs),
        "solved": sum(row["result"] == "solved" for row in runs),
        "accuracy": statistics.fmean(met) if met else None,
        "median_s": statistics.median(seconds) if seconds else None,
        "mean_s": statistics.fmean(seconds) if seconds else None,
        "least_s": min(seconds, default=None),
        "most_s": max(seconds, default=None),
        "total": sum(reached) if reached else None,
        "mean": statistics.fmean(reached) if reached else None,
        "paper": case.paper,
    }


def _accuracy(row: dict[str, Any]) -> float:
    """The share of the rules, or of a game's goal, that the answer meets, as the checker counts them."""
    scores = ((row["report"] or {}).get("verdict") or {}).get("scores", {})
    if scores.get("constraints"):
        return float(scores["satisfied"] / scores["constraints"])
    return float(scores.get("share", row["result"] == "solved"))


def table(entries: list[dict[str, Any]], best: str | None) -> list[list[str]]:
    """The lines as texts, their heads first."""
    extra = [] if best is None else [f"{best}, total", f"{best}, mean"]
    return [[*HEAD, *extra, "paper"], *(_cells(entry, bool(extra)) for entry in entries)]


def _cells(entry: dict[str, Any], extra: bool) -> list[str]:

    def number(key: str, digits: int, factor: float = 1.0) -> str:
        return "–" if entry[key] is None else f"{factor * entry[key]:,.{digits}f}"

    return [
        entry["case"],
        entry["solver"],
        f"{entry['solved']}/{entry['runs']}",
        number("accuracy", 2, 100.0),
        number("median_s", 4),
        number("mean_s", 4),
        number("most_s", 3),
        *([number("total", 0), number("mean", 1)] if extra else []),
        entry["paper"],
    ]
