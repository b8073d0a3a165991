"""Set averages: of each picture the mean over its seeds, of a set the mean over its pictures. From rows only."""

import statistics
from typing import Any

from . import columns
from .commands import FAILED
from .suites import Case

# the checker's scores that are shares of 1, so that a run that failed has none of them
SHARES = ("direct", "neighbour", "perfect", "direct_content", "neighbour_content", "perfect_content")
COUNTED = ("perfect", "perfect_content")  # of these, 1 or 0 of a run
# those that only some puzzles have: patches with gaps; pieces of several pictures, or foreign ones
GAPPED = ("patch", "puzzle", "patch_content", "puzzle_content")
VARIANTS = (*GAPPED, "enhanced_direct", "enhanced_neighbour", "number_right", "foreign_left_out", "own_left_out")
FEW = 20  # pictures that have a line each


def summary(case: Case, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The averages of a case, and of each of its pictures."""
    names = dict.fromkeys(row["image"] for row in rows)
    return {
        "case": case.name,
        "solver": case.solver,
        "pictures": len(names),
        "seeds": len({row["seed"] for row in rows}),
        **_averages(rows),
        "bar": case.bar,
        "paper": case.paper,
        "by_picture": [{"image": name, **_averages([r for r in rows if r["image"] == name])} for name in names],
    }


def cells(case: Case, entry: dict[str, Any], shown: tuple[str, ...]) -> list[list[str]]:
    """The table's line of a case; of one that is a small part of a set, also a line a picture."""
    each = entry["by_picture"] if case.first is not None and 1 < entry["pictures"] <= FEW else []
    alone = {**entry, "pictures": 1, "bar": "", "paper": ""}
    entries = [entry, *({**alone, **part, "case": f"– picture {part['image']}"} for part in each)]
    return [[columns.SHOWN[name](line) for name in shown] for line in entries]


def _averages(rows: list[dict[str, Any]]) -> dict[str, Any]:
    reports = [row["report"] for row in rows if row["result"] not in FAILED]
    seconds = [report["seconds"]["solve"] for report in reports]
    memory = [row["memory_mb"] for row in rows if row["memory_mb"] is not None]
    return {
        "runs": len(rows),
        "failed": len(rows) - len(reports),
        "cut_short": sum(report["outcome"]["status"] == "out_of_budget" for report in reports),
        "messages": [*dict.fromkeys(row["message"] for row in rows if row.get("message"))],
        "solved": sum(row["result"] == "solved" for row in rows),
        **{f"{name}_runs": sum(_scores(row).get(name) == 1 for row in rows) for name in COUNTED},
        **{name: _share(rows, name) for name in SHARES},
        **{name: share for name in VARIANTS if (share := _share(rows, name)) is not None},
        "seconds_per_puzzle": statistics.fmean(seconds) if seconds else None,
        "median_s": statistics.median(seconds) if seconds else None,
        "warm_up_s": statistics.median(report["seconds"]["warm_up"] for report in reports) if reports else None,
        "memory_mb": max(memory, default=None),
    }


def _share(rows: list[dict[str, Any]], name: str) -> float | None:
    """A run without an answer has no share of it; where no run has the score, nobody knows it."""
    if not any(name in _scores(row) for row in rows):
        return None
    pictures: dict[str, list[float]] = {}
    for row in rows:
        pictures.setdefault(row["image"], []).append(_scores(row).get(name, 0.0))
    return statistics.fmean(statistics.fmean(seeds) for seeds in pictures.values())


def _scores(row: dict[str, Any]) -> dict[str, float]:
    """The checker's; and whether an answer has as many pictures as the original, where it could have others."""
    scores: dict[str, float] = {} if row["report"] is None else row["report"]["verdict"]["scores"]
    if "pictures_original" in scores:
        scores = {**scores, "number_right": float(scores["pictures"] == scores["pictures_original"])}
    return scores
