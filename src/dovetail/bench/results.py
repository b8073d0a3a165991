"""docs/results.md: what Dovetail does better than the literature and where it does not, from raw rows and nothing else.

``benchmarks/headlines.toml`` says which numbers are compared; ``python -m dovetail.bench.results`` (``make pages``)
writes the page and its plots. The same rows give the same bytes.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..core.errors import BadInput
from ..core.files import write_atomically
from . import pages, plots, suites, tables

SHARES = ("neighbour", "direct", "puzzle", "patch", "accuracy", "neighbour_content")  # of 1: shown in per cent
HEADS = "| | theirs | ours | times better | spread | runs |\n|---|---|---|---|---|---|"
BEGIN = """# Results

Made by `make pages` from the rows in `benchmarks/results`, and from nothing else; `benchmarks/headlines.toml` says what
is compared with what. *Times better*: above 1 is better than theirs, for seconds as well; **bold** where it is not.
*Spread*: the lowest and the highest picture, puzzle or seed. Our seconds are of two shared cores, theirs of other
machines, years ago: read such ratios as orders of magnitude. Only lines that say so are from the same run.

## In one minute
"""


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

    @cache  # noqa: B019 (one object, which lives as long as the program)
    def entries(self, suite: str) -> list[dict[str, Any]]:
        """Of a suite."""
        loaded = suites.load(suite)
        return tables.summary(loaded, pages.latest(loaded))

    def found(self, line: dict[str, Any], solver: str | None = None) -> Found:
        """What a line of the headlines asks for; of another solver, if it is named."""
        if "rows" in line:
            return self._row(line)
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

    def _row(self, line: dict[str, Any]) -> Found:
        text = (self.folder / "results" / f"{line['rows']}.jsonl").read_text(encoding="utf-8")
        rows = [json.loads(each) for each in text.splitlines()]
        met = [row for row in rows if all(row.get(key) == value for key, value in line["where"].items())]
        if not met:
            raise BadInput(f"headlines.toml: there is no row of {line['rows']} with {line['where']}")
        value: Any = met[-1]
        for part in line["of"].split("."):
            value = value[part]
        return Found(float(value), None, int(met[-1].get("puzzles", 1)))


def _spread(entry: dict[str, Any], of: str) -> tuple[float, float] | None:
    """Over pictures, or over seeds."""
    parts = [part[of] for part in entry.get("by_picture", ()) if part.get(of) is not None]
    if len(parts) > 1:
        return min(parts), max(parts)
    if of == "median_s" and entry.get("least_s") is not None:
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
        behind += [f"- {paper['name']}: {line.split(' | ')[0].removeprefix('| ')}" for line in lines if "**" in line]
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
    yield Path("docs", "results.md"), ("\n\n".join(blocks) + "\n").encode()


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


if __name__ == "__main__":
    checkout = suites.folder().parents[1]
    for path, content in written(checkout / "benchmarks"):
        write_atomically(checkout / path, content)
