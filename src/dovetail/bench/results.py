"""docs/results.md: what Dovetail does better than the literature and where it does not, from raw rows and nothing else.

``benchmarks/headlines.toml`` says which numbers are compared, ``benchmarks/cases.toml`` which single cases are shown;
``python -m dovetail.bench.results`` (``make pages``) writes the page and its plots. The same rows give the same bytes.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import BadInput
from ..core.files import write_atomically
from . import pages, plots, suites, tables

SHARES = ("neighbour", "direct", "puzzle", "patch", "accuracy", "neighbour_content")  # of 1: shown in per cent
HEADS = "| | theirs | ours | times better | spread | runs |\n|---|---|---|---|---|---|"
BEGIN = """# Results

What Dovetail does beside what five papers, record holders and other tools report. *Theirs* is what the paper says, or
the tool did; *ours* what we measured. *Times better* is theirs over ours for seconds, ours over theirs for all else,
so that above 1 is always better, and **bold** is where we are not. *Spread*: the lowest and the highest picture, puzzle
or seed. Our seconds are of two shared cores, theirs of other machines, years ago: read such ratios as orders of
magnitude. Only lines that say "beside" are from the same run. Made by `make pages` from the rows in
`benchmarks/results`, and from nothing else; `dovetail bench --list` says how to run each table again.

## In one minute
"""
CASES = """## Solved, failed, and why

On the left a case that is solved, on the right one of the same sort that is not. `python benchmarks/cases.py` makes,
solves and checks them all; their pictures come with scikit-image or from our generators. Red: seams that are wrong, and
rules that are broken. Of a jigsaw it also says how many edges fit their own neighbour best by `mgc+`, a measure that
knows nothing of worn rims: what seams are worth before any search.

| solved | failed |
|---|---|"""


@dataclass(frozen=True)
class Found:
    """A number of ours, its spread if it has one, and how many runs it comes from."""

    value: float
    spread: tuple[float, float] | None
    runs: int


class Sources:
    """Rows, read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder  # benchmarks/
        self._entries: dict[str, list[dict[str, Any]]] = {}

    def entries(self, suite: str) -> list[dict[str, Any]]:
        """Of a suite."""
        if suite not in self._entries:
            loaded = suites.load(suite)
            self._entries[suite] = tables.summary(loaded, pages.latest(loaded))
        return self._entries[suite]

    def found(self, line: dict[str, Any], solver: str | None = None) -> Found:
        """What a line of the headlines asks for; of another solver (of ``rows``: tool), if it is named."""
        if "rows" in line:
            return self._row(line, solver)
        solver = solver or line.get("solver")
        met = [
            one
            for one in self.entries(line["suite"])
            if one["case"] == line["case"] and solver in (None, one.get("solver"))
        ]
        if not met:
            raise BadInput(f"headlines.toml: there are no rows of {line['suite']}, {line['case']}")
        entry, of = met[0], line["of"]
        if entry.get(of) is None:
            raise BadInput(f"headlines.toml: {line['suite']}, {line['case']} has no {of}")
        factor = 100.0 if of in SHARES else 1.0
        spread = _spread(entry, of)
        return Found(factor * entry[of], spread and (factor * spread[0], factor * spread[1]), entry["runs"])

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Of a file of rows that a script made."""
        text = (self.folder / "results" / f"{name}.jsonl").read_text(encoding="utf-8")
        return [json.loads(each) for each in text.splitlines()]

    def _row(self, line: dict[str, Any], tool: str | None = None) -> Found:
        met = self._met(line["rows"], line["where"])
        if tool is not None:  # only the same run can be compared
            met = self._met(line["rows"], {**line["where"], "tool": tool, "run": met[-1]["run"]})
        value: Any = met[-1]
        for part in line["of"].split("."):
            value = value[part]
        if value is None:
            raise BadInput(f"headlines.toml: the last row of {line['rows']} with {line['where']} has no {line['of']}")
        return Found(float(value), None, int(met[-1].get("puzzles", 1)))

    def _met(self, name: str, where: Mapping[str, Any]) -> list[dict[str, Any]]:
        met = [row for row in self.rows(name) if all(row.get(key) == value for key, value in where.items())]
        if not met:
            raise BadInput(f"headlines.toml: there is no row of {name} with {where}")
        return met


def _spread(entry: dict[str, Any], of: str) -> tuple[float, float] | None:
    """Over pictures, puzzles or seeds; none of what is right or wrong as a whole."""
    parts = [part[of] for part in entry.get("by_picture", ()) if part.get(of) is not None]
    if len(parts) > 1:
        return None if {*parts} <= {0, 1} else (min(parts), max(parts))
    if of in ("median_s", "mean_s") and entry.get("least_s") is not None:
        return entry["least_s"], entry["most_s"]
    if of.endswith("_s") or entry.get("least") is None:
        return None
    return entry["least"], entry["most"]


def written(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """The page and its pictures, by where they belong below the checkout; ``folder`` is its benchmarks/."""
    told = tomllib.loads((folder / "headlines.toml").read_text(encoding="utf-8"))
    sources = Sources(folder)
    heads = [f"| [{paper['name']}]({paper['page']}): {_cells(sources, _head(paper))} |" for paper in told["paper"]]
    blocks = [BEGIN + "\n" + "\n".join([HEADS, *heads])]
    behind = []
    for paper in told["paper"]:
        lines = [f"| {_cells(sources, line)} |" for line in paper["line"]]
        behind += [_behind(paper["name"], line) for line in lines if "**" in line]
        about = " ".join(paper["about"].split())
        title = f"## {paper['name']}\n\n*{paper['title']}.* {about} [More]({paper['page']}).\n"
        blocks.append("\n".join([title, HEADS, *lines]))
    blocks.append("## Where we are behind\n\n" + "\n".join(behind or ["Nowhere in these tables."]))
    for plot in told["plot"]:
        place = Path("docs", "pictures", f"results-{plot['name']}.svg")
        curves = [plots.Curve(curve["name"], _points(sources, plot["of"], curve), "points" in curve)
                  for curve in plot["curves"]]  # fmt: skip
        logarithmic = bool(plot.get("logarithmic"))
        picture = plots.drawn(plot["title"], curves, logarithmic=logarithmic, percent=bool(plot.get("percent")))
        said = plots.exponents(curves) if logarithmic else ""
        blocks.append(f"## {plot['title']}\n\n![{plot['title']}](pictures/{place.name})\n{said}".rstrip())
        yield place, picture.svg()
    for plot in told.get("over_time", ()):
        place, rows = Path("docs", "pictures", f"results-{plot['name']}.svg"), sources.rows(plot["rows"])
        blocks.append(f"## {plot['title']}\n\n![{plot['title']}](pictures/{place.name})\n\n{plots.in_words(rows)}")
        yield place, plots.over_time(plot["title"], plots.watched(rows)).svg()
    blocks.append(cases(folder))
    yield Path("docs", "results.md"), ("\n\n".join(blocks) + "\n").encode()


def _behind(paper: str, line: str) -> str:
    """A line of a table in words."""
    what, theirs, ours, *_ = line.removeprefix("| ").split(" | ")
    return f"- {paper}: {what}: ours {ours}, theirs {theirs}"


def _head(paper: dict[str, Any]) -> dict[str, Any]:
    return next(line for line in paper["line"] if line.get("head"))


def _cells(sources: Sources, line: dict[str, Any]) -> str:
    """What, theirs, ours, the ratio, the spread, runs."""
    ours = sources.found(line)
    theirs = sources.found(line, line["against"]).value if "against" in line else line.get("theirs")
    unit = " %" if line["of"] in SHARES or line["of"].startswith("ours.") else " s" if _seconds(line["of"]) else ""

    def shown(value: float) -> str:
        return f"{_short(value, bool(unit == ' %'))}{unit}"

    spread = "–" if ours.spread is None else f"{_short(ours.spread[0], unit == ' %')}–{shown(ours.spread[1])}"
    cells = [line["what"], "–" if theirs is None else shown(theirs), shown(ours.value)]
    return " | ".join([*cells, _multiple(ours.value, theirs, line.get("better") == "less"), spread, f"{ours.runs:,}"])


def _multiple(ours: float, theirs: float | None, less: bool) -> str:
    """How many times better; bold if it is worse."""
    first, second = (theirs, ours) if less else (ours, theirs)
    if not first or not second:
        return "–"
    ratio = first / second
    text = f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2f}" if ratio >= 2 else f"{ratio:.3f}"
    return text if ratio >= 1 else f"**{text}**"


def _seconds(of: str) -> bool:
    return of.endswith("_s") or of == "seconds_per_puzzle"


def _short(value: float, percent: bool) -> str:
    if percent:
        return f"{value:.1f}"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def _points(sources: Sources, of: str, curve: dict[str, Any]) -> list[tuple[float, float]]:
    """Given ones, or those of a suite's cases, whose names begin with the number of pieces."""
    if "points" in curve:
        return [(float(x), float(y)) for x, y in curve["points"]]
    factor = 100.0 if of in SHARES else 1.0
    met = [entry for entry in sources.entries(curve["suite"]) if re.search(curve["match"], entry["case"])]
    return sorted((float(re.match(r"\d+", entry["case"])[0]), factor * entry[of]) for entry in met)  # type: ignore[index]


def cases(folder: Path) -> str:
    """Single cases side by side: a picture each, how it ended by its last row, and why."""
    told = tomllib.loads((folder / "cases.toml").read_text(encoding="utf-8"))["case"]
    text = (folder / "results" / "cases.jsonl").read_text(encoding="utf-8")
    rows = {row["case"]: row for row in map(json.loads, text.splitlines())}
    for case in told:
        name, row = case["name"], rows.get(case["name"], {})
        if any(row.get(key) != case[key] for key in ("make", "solve", "solved")):
            raise BadInput(f"cases.toml: the last row of {name} says something else; run benchmarks/cases.py {name}")
    solved, failed = ([case for case in told if case["solved"] is wanted] for wanted in (True, False))
    if len(solved) != len(failed):
        raise BadInput("cases.toml: to each case that is solved belongs one that is not")
    lines = [CASES]
    for pair in zip(solved, failed, strict=True):
        pictures = [f"![{case['title']}](pictures/cases/{case['picture']})" for case in pair]
        words = [_case_in_words(case, rows[case["name"]]) for case in pair]
        lines += [f"| {' | '.join(pictures)} |", f"| {' | '.join(words)} |"]
    return "\n".join(lines)


def _case_in_words(case: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """How far it came, why, and what was run."""
    scores = row["scores"]
    if "neighbour_content" in scores:
        reached = f"{100 * scores['neighbour_content']:.1f} % of neighbours right"
    elif "matched" in scores:
        reached = f"{scores['matched']} of {scores['seams']} seams match"
    else:
        reached = f"{scores['satisfied']} of {scores['constraints']} rules met"
    alone = f" ({100 * row['fits_best']:.0f} % of edges fit their own neighbour best)" if "fits_best" in row else ""
    timed_out = row["status"] == "out_of_budget"
    end = "when time was up" if timed_out else f"after {_short(row['seconds']['solve'], False)} s"
    why, ran = " ".join(case["why"].split()), f"`dovetail make {case['make']}`, `dovetail solve … {case['solve']}`"
    return f"**{case['title']}**: {reached} {end}{alone}. {why} {ran}"


if __name__ == "__main__":
    checkout = suites.folder().parents[1]
    for path, content in written(checkout / "benchmarks"):
        write_atomically(checkout / path, content)
