"""Sudokus a second, in batch, on one core, uniqueness proved: rows for benchmarks/results/sudoku-batch.jsonl.

    python benchmarks/time_sudokus.py FILE …

Each file holds one 81-character puzzle a line. The best of five runs is kept: the others met somebody else's work.
"""

import datetime
import json
import sys
import time
from collections import Counter
from pathlib import Path

from dovetail.core.report import machine
from dovetail.grids.digits import solve_lines

RESULTS = Path(__file__).parent / "results" / "sudoku-batch.jsonl"
RUNS = 5


def main(files: list[str]) -> None:
    """Time every file and append a row for it."""
    for name in files:
        lines = [line.strip() for line in Path(name).read_text().splitlines() if line.strip() and line[0] != "#"]
        counted = Counter(count for count, _ in solve_lines(lines))  # and compiled
        best_s = min(_seconds(lines) for _ in range(RUNS))
        row = {
            "list": Path(name).name,
            "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "puzzles": len(lines),
            "answers": {str(count): number for count, number in sorted(counted.items())},
            "seconds": round(best_s, 6),
            "per_s": round(len(lines) / best_s),
            "machine": machine(),
        }
        with RESULTS.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{row['list']}: {row['puzzles']} puzzles, {row['per_s']:,} a second, answers {row['answers']}")


def _seconds(lines: list[str]) -> float:
    begin = time.perf_counter()
    solve_lines(lines)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main(sys.argv[1:])
