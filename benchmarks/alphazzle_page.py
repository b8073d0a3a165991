"""The tables of docs/alphazzle.md, from the rows that alphazzle_studies.py made: ours beside the paper's.

    python benchmarks/alphazzle_page.py            fills the page
    python benchmarks/alphazzle_page.py --show 3   prints tables

What stands between ``<!-- alphazzle: 3 -->`` and ``<!-- end of table -->`` is replaced by table 3. Of rows made twice
the later one counts; a test holds the page to the rows.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Any

ROWS = Path(__file__).parent / "results" / "alphazzle.jsonl"
PAGE = Path(__file__).parents[1] / "docs" / "alphazzle.md"
MARKED = re.compile(r"(<!-- alphazzle: (?P<table>\d+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
HIDDEN = ("by patches", "mean of table 7")  # lists, and a remark on the paper's own arithmetic
ONLY = {6: ("P", "V")}  # measures of a table, if not all
BY_PATCHES = 7  # the table whose numbers are by how many patches lie
NONE_YET = "No rows yet."


def read(path: Path = ROWS) -> list[dict[str, Any]]:
    """The rows that count."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [*{(row["table"], row["row"]): row for row in rows}.values()]


def filled(text: str, rows: list[dict[str, Any]]) -> str:
    """The page with its tables as the rows have them."""
    return MARKED.sub(lambda match: f"{match[1]}\n{table(int(match['table']), rows)}\n\n{match[3]}", text)


def table(number: int, rows: list[dict[str, Any]]) -> str:
    """One table of the paper, in Markdown; a single row lies on its side."""
    own = [row for row in rows if row["table"] == number]
    if not own:
        return NONE_YET
    if number == BY_PATCHES:
        return _markdown(_by_patches(own))
    said = []
    for row in own:
        ours, paper = (
            {name: value for name, value in numbers.items() if name in ONLY.get(number, numbers)}
            for numbers in (row["ours"], row["paper"] or {})
        )
        steps = {"steps": row["steps"]} if number in ONLY else {}
        said.append({"puzzles": row["puzzles"], **steps, **_flat("ours", ours), **_flat("paper", paper)})
    keys = sorted(dict.fromkeys(key for one in said for key in one), key=_order)
    names = [row["row"] for row in own]
    if len(own) == 1:
        lines = [["", names[0]], *([key, _shown(said[0].get(key))] for key in keys)]
    else:
        lines = [
            ["", *keys],
            *([name, *(_shown(one.get(key)) for key in keys)] for name, one in zip(names, said, strict=True)),
        ]
    return _markdown(lines)


def _by_patches(rows: list[dict[str, Any]]) -> list[list[str]]:
    """A column for each number of patches that lie already; P, which lays one more, has one fewer than V."""
    most = max(len(row["ours"]["V by patches"]) for row in rows)
    lines = [["", *map(str, range(most))]]
    for row in rows:
        for name in ("P", "V"):
            for whose in ("ours", "paper"):
                if numbers := (row[whose] or {}).get(f"{name} by patches"):
                    cells = [_shown(float(value)) for value in numbers]
                    lines.append([f"{row['row']}, {name}: {whose}", *cells, *["–"] * (most - len(cells))])
    return lines


def _markdown(lines: list[list[str]]) -> str:
    head, *body = (f"| {' | '.join(cells)} |" for cells in lines)
    return "\n".join([head, f"|{'---|' * len(lines[0])}", *body])


def _flat(whose: str, numbers: dict[str, Any]) -> dict[str, Any]:
    """Names as ``puzzle, best: ours``, for numbers that may be by attempt."""
    flat: dict[str, Any] = {}
    for name, value in numbers.items():
        if isinstance(value, dict):
            flat |= {f"{inner}, {name}: {whose}": one for inner, one in value.items()}
        elif not any(part in name for part in HIDDEN):
            flat[f"{name}: {whose}"] = value
    return flat


def _order(key: str) -> tuple[bool, str, str, bool]:
    """The number of puzzles first; then ours and the paper's side by side."""
    name, _, whose = key.partition(": ")
    measure, _, which = name.partition(", ")
    return key not in ("puzzles", "steps"), which, measure, whose == "paper"


def _shown(value: Any) -> str:
    return "–" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", type=int, nargs="+")
    parser.add_argument("--rows", type=Path, default=ROWS)
    given = parser.parse_args()
    if given.show:
        print("\n\n".join(f"Table {number}\n\n{table(number, read(given.rows))}" for number in given.show))
    else:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), read(given.rows)), encoding="utf-8")
