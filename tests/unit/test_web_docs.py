"""What docs/web.md says was measured is what the rows say."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def test_numbers_are_those_of_the_rows() -> None:
    said = (ROOT / "docs" / "web.md").read_text()
    rows = [json.loads(line) for line in (ROOT / "benchmarks" / "results" / "web.jsonl").read_text().splitlines()]
    fuzzed = [row for row in rows if "tool" in row][-1]
    assert fuzzed["failures"] == 0 and f"{fuzzed['cases']:,} requests in five minutes" in said
    last = [row for row in rows if "browser" in row][-1]
    for number in table(last):
        assert number in said, number
    assert last["right"] == last["jobs"] == 50


def table(row: dict[str, Any]) -> list[str]:
    """Cells of the table, as they are written."""
    return [
        f"| {row['ready_s']} s |", f"| {row['first_view_s']} s; {row['first_pictures_s']} s |",
        f"| {row['right']} of {row['jobs']}; {row['seconds']} s |",
        *(f"| {row[who]['median_ms']} ms, {row[who]['most_ms']} ms |" for who in ("browser", "calls")),
        f"(a load of {row['load']}, its own work)",
    ]  # fmt: skip
