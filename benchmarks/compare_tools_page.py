"""The tables of docs/tools.md, from benchmarks/results/tools.jsonl and nothing else; what stands between the marks is
replaced. `python benchmarks/compare_tools_page.py` (part of `make pages`); a test holds the page to the rows."""

import json
from pathlib import Path
from typing import Any

from dovetail.core.files import write_atomically

PAGE = Path(__file__).parents[1] / "docs" / "tools.md"
ROWS = Path(__file__).parent / "results" / "tools.jsonl"
BEGIN, END = "<!-- tools -->\n", "<!-- end of tools -->"
HEADS = "| | solved | median s | slowest s | times ours |\n|---|---|---|---|---|"
FIRST = "Dovetail"
Row = dict[str, Any]


def latest(rows: list[Row]) -> list[list[Row]]:
    """Of every set the rows of its last run, which are the only ones to be held against each other."""
    runs = {row["set"]: row["run"] for row in rows}
    return [[row for row in rows if row["set"] == name and row["run"] == run] for name, run in sorted(runs.items())]


def table(rows: list[Row]) -> str:
    """Of one set: ours first, then the others, the quickest first; what solved less than half of it last."""
    rows = sorted(rows, key=lambda row: (row["tool"] != FIRST, row["median_s"] is None, row["median_s"] or 0))
    limit, puzzles = rows[0]["limit_s"], rows[0]["puzzles"]
    title = f"### {rows[0]['set'].capitalize()}\n\n{puzzles} puzzles, {limit:g} s for all of them.\n\n{HEADS}"
    return "\n".join([title, *(f"| {' | '.join(_cells(row))} |" for row in rows)])


def _cells(row: Row) -> list[str]:
    faults = [f"{row[word]} {word}" for word in ("wrong", "not solved", "crashed", "unfinished") if row[word]]
    solved = f"{row['solved']}/{row['puzzles']}" + (f" ({', '.join(faults)})" if faults else "")
    name = f"**{row['tool']}**" if row["tool"] == FIRST else row["tool"]
    return [name, solved, _seconds(row["median_s"]), _seconds(row["max_s"]), _times(row)]


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}" if value < 1 else f"{value:.1f}"


def _times(row: Row) -> str:
    """How many times as long as ours; bold where it is less."""
    times = row["times_ours"]
    if times is None or row["tool"] == FIRST:
        return "–"
    text = f"{times:,.0f}" if times >= 10 else f"{times:.1f}" if times >= 1 else f"{times:.2f}"
    return text if times >= 1 else f"**{text}**"


def versions(rows: list[Row]) -> str:
    """Of every distribution that took part, those of the last run that had it."""
    found: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: row["run"]):
        found |= row["versions"]
    return "Versions: " + ", ".join(f"{name} {found[name]}" for name in sorted(found)) + "."


def filled(page: str, rows: list[Row]) -> str:
    """The page with its tables as the rows have them."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    blocks = [*map(table, latest(rows)), versions(rows)]
    return f"{before}{BEGIN}\n" + "\n\n".join(blocks) + f"\n\n{END}{after}"


def read() -> list[Row]:
    """All rows."""
    return [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    write_atomically(PAGE, filled(PAGE.read_text(encoding="utf-8"), read()).encode())
