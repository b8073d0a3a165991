"""Set averages: of each picture the mean over its seeds, of a set the mean over its pictures. From rows only."""

import statistics
from collections.abc import Callable
from typing import Any

from .commands import FAILED
from .suites import Case

# the checker's scores that are shares of 1, so that a run that failed has none of them
SHARES = ("direct", "neighbour", "perfect", "direct_content", "neighbour_content", "perfect_content")
HEAD = (
    "case", "pictures", "seeds", "direct %", "neighbour %", "perfect", "neighbour by content %", "median s", "mean s",
    "peak MB", "paper",
)  # fmt: skip


def summary(case: Case, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The averages of a case, and of each of its pictures."""
    names = dict.fromkeys(row["image"] for row in rows)
    return {
        "case": case.name,
        "solver": case.solver,
        "pictures": len(names),
        "seeds": len({row["seed"] for row in rows}),
        **_averages(rows),
        "paper": case.paper,
        "by_picture": [{"image": name, **_averages([r for r in rows if r["image"] == name])} for name in names],
    }


def cells(case: Case, entry: dict[str, Any]) -> list[list[str]]:
    """The table's line of a case; of one that is a part of a set, also a line a picture."""
    each = entry["by_picture"] if case.first is not None and entry["pictures"] > 1 else []
    shown = [_line({**entry, "pictures": 1, "paper": "", **p}, f"– picture {p['image']}") for p in each]
    return [_line(entry, entry["case"]), *shown]


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
        "perfect_runs": sum(_scores(row).get("perfect") == 1 for row in rows),
        **{name: _share(rows, name) for name in SHARES},
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
    scores: dict[str, float] = {} if row["report"] is None else row["report"]["verdict"]["scores"]
    return scores


def _line(entry: dict[str, Any], name: str) -> list[str]:
    def shown(key: str, say: Callable[[float], str]) -> str:
        return "–" if entry[key] is None else say(entry[key])

    return [
        name
        + "".join(
            f" ({entry[key]} of {entry['runs']} runs {said})"
            for key, said in (("failed", "failed"), ("cut_short", "out of time"))
            if entry[key]
        ),
        str(entry["pictures"]),
        str(entry["seeds"]),
        shown("direct", _percent),
        shown("neighbour", _percent),
        shown("perfect", lambda _: f"{entry['perfect_runs']}/{entry['runs']}"),
        shown("neighbour_content", _percent),
        shown("median_s", "{:.2f}".format),
        shown("seconds_per_puzzle", "{:.2f}".format),
        shown("memory_mb", "{:.0f}".format),
        entry["paper"],
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"
