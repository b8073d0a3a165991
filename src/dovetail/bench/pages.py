"""Tables in the docs, made from the raw rows: whatever stands between the marks is replaced.

``<!-- table: SUITE -->`` … ``<!-- end of table -->``; ``make pages`` does it for all of docs/, and a test holds the
pages to the rows.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from ..core.errors import BadInput
from ..core.files import write_atomically
from . import suites, tables

MARKED = re.compile(r"(<!-- table: (?P<suite>[\w-]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def filled(text: str) -> str:
    """The page with its tables as the rows have them now."""

    def table(match: re.Match[str]) -> str:
        suite = suites.load(match["suite"])
        return f"{match[1]}\n{tables.markdown(suite, latest(suite))}\n\n{match[3]}"

    return MARKED.sub(table, text)


def latest(suite: suites.Suite) -> list[dict[str, Any]]:
    """Of every case, picture or puzzle, and seed the row recorded last."""
    assert suite.results is not None
    try:
        rows = [json.loads(line) for line in suite.results.read_text().splitlines()]
    except (OSError, ValueError) as error:
        raise BadInput(f"{suite.results}: {error}") from None
    said = ("case", "image", "item", "solver", "seed")
    return [*{tuple(row.get(key) for key in said): row for row in rows}.values()]


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        write_atomically(page, filled(page.read_text()).encode())
