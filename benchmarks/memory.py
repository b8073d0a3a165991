"""How much memory solvers say they will hold, and how much they do: rows in ``benchmarks/results/memory.jsonl``.

``python benchmarks/memory.py [SOLVER …]``: each puzzle is made, solved for a few seconds in a process of its own, and
the most that process ever held is put beside the estimate. docs/limits.md shows the table.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import dovetail
from dovetail import pipeline
from dovetail.bench import commands
from dovetail.core import registry, settings
from dovetail.core.files import write_atomically
from dovetail.reading import to_json_bytes

HERE = Path(__file__).resolve().parent
TILES, FREE = {"colours": 12}, {"colours": 8, "rotate": False}
# solver, kind, what is made, in sizes that grow; the solver's settings; seconds
CASES: tuple[tuple[str, str, list[dict[str, Any]], dict[str, Any], float], ...] = (
    ("assembler", "jigsaw", [{"piece": "28", "rotate": True}, {"piece": "14"}, {"piece": "7"}], {}, 100),
    ("genetic", "jigsaw", [{"piece": "14"}, {"piece": "7"}], {"generations": 2}, 30),
    ("deep", "gapped", [{"grid": "3x3"}, {"grid": "8x8"}, {"grid": "12x12"}], {}, 10),
    ("strips", "strips", [{"image": "page:1", "strips": n} for n in (30, 300)], {}, 20),
    ("depth-first", "tiles", [{**TILES, "width": n, "height": n} for n in (10, 32, 64)], {}, 5),
    ("depth-first", "terracotta", [{"rows": n, "cols": n, "repeats": True} for n in (8, 64)], {}, 5),
    ("depth-first", "tiles", [{"colours": n, "width": 64, "height": 64} for n in (1000, 4000)], {}, 5),
    ("partial", "tiles", [{**TILES, "width": n, "height": n} for n in (16, 32)], {}, 10),
    ("sat", "tiles", [{**TILES, "width": n, "height": n} for n in (8, 12, 16)], {}, 15),
    ("cp-sat", "tiles", [{**TILES, "width": n, "height": n} for n in (6, 8, 10)], {}, 15),
    ("linear", "tiles", [{**FREE, "width": n, "height": n} for n in (8, 14, 20)], {}, 15),
    ("linear-guided", "tiles", [{**FREE, "width": n, "height": n} for n in (8, 14)], {}, 15),
    ("semidefinite", "polygons", [{"pieces": n} for n in (7, 21, 49)], {}, 30),
    ("semidefinite", "tiles", [{**FREE, "width": n, "height": n} for n in (4, 6, 10)], {}, 20),
    ("depth-first", "nonogram", [{"width": n} for n in (20, 50)], {}, 5),
    ("sat", "nonogram", [{"width": n} for n in (20, 50)], {}, 15),
    ("cp-sat", "nonogram", [{"width": n} for n in (20, 50)], {}, 15),
    ("z3", "nonogram", [{"width": n} for n in (20, 40)], {}, 15),
    ("mcts-reliable", "nonogram", [{"width": n} for n in (20, 50)], {}, 15),
    ("sat", "sudoku", [{"n": n} for n in (9, 16)], {}, 10),
    ("mcts-reliable", "samegame", [{"width": n, "height": n} for n in (10, 20)], {}, 15),
    ("mcts-single", "samegame", [{"width": 15, "height": 15}], {}, 15),
    ("nested", "samegame", [{"width": n, "height": n} for n in (10, 20)], {}, 10),
    ("ida-star", "fifteen", [{"width": n, "height": n} for n in (3, 4, 5)], {}, 20),
    ("slide", "fifteen", [{"width": n, "height": n} for n in (4, 10)], {}, 10),
    ("flood-search", "flood", [{"width": n, "height": n} for n in (12, 30)], {}, 15),
    ("learnt-expectimax", "2048", [{}], {}, 10),
    ("mcts-chance", "tetris", [{}], {}, 10),
)


def said(solver: str, kind: str, make: dict[str, Any], given: dict[str, Any], file: Path) -> dict[str, Any]:
    """Make the puzzle, and ask the solver."""
    puzzle, _ = pipeline.make(kind, 1, {key: str(value) for key, value in make.items()})
    chosen, _ = registry.choose(puzzle, solver)
    write_atomically(file, to_json_bytes(puzzle.to_json()))
    estimate = chosen.memory_mb(puzzle, settings.fill(chosen.settings_type, given))
    size = puzzle.size + (f", {make['colours']} colours" if "colours" in make else "")
    return {"family": chosen.family, "solver": solver, "kind": kind, "size": size, "estimate_mb": estimate}


def measured(case: list[Any], time_s: float, file: Path) -> dict[str, Any]:
    """The row of one run. Of a process the system counts what its parent held: so others make the puzzles."""
    asked = subprocess.run([sys.executable, __file__, "--say", json.dumps([*case, str(file)])], capture_output=True)
    row: dict[str, Any] = json.loads(asked.stdout)
    ended = commands.run(
        "solve", str(file), "--solver", case[0], "--time", str(time_s), "--json", "--quiet",
        *commands.settings(case[3]), limits=commands.Limits(time_s + 200, None),
    )  # fmt: skip
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    held = {"peak_mb": ended.memory_mb, "status": ended.status, "time_s": time_s}
    return {**row, **held, "when": now, "version": dovetail.__version__}


def main() -> None:
    """See the module text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("solvers", nargs="*")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "memory.jsonl")
    parser.add_argument("--say", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.say:
        *case, file = json.loads(asked.say)
        print(json.dumps(said(*case, Path(file))))
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder  # what is filled once is filled here
        for solver, kind, sizes, given, time_s in CASES:
            for make in sizes if not asked.solvers or solver in asked.solvers else ():
                row = measured([solver, kind, make, given], time_s, Path(folder) / "puzzle.json")
                with asked.out.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(row, sort_keys=True) + "\n")
                print(f"{solver} {kind} {row['size']}: {row['estimate_mb']} said, {row['peak_mb']} held", flush=True)


if __name__ == "__main__":
    main()
