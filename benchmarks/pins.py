"""What three correct pins do for a picture that the assembler gets wrong.

    python benchmarks/pins.py FOLDER [--effort fast|best] [--turned]    appends rows to benchmarks/results/pins.jsonl
    python benchmarks/pins.py table                                     prints what all rows say

Every picture of FOLDER is cut into pieces of 28 pixels and solved. Where the answer is not right, three of the pieces
that do not show what belongs in their cell are chosen at random (by a seed of the picture's number) and pinned to where
they belong; then it is solved once more, same seed, same effort.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import dovetail
from dovetail.core.puzzle import Placement
from dovetail.core.report import machine
from dovetail.jigsaw.board import Board
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.jigsaw.scores import contents_of

PINS = 3
RESULTS = Path(__file__).parent / "results" / "pins.jsonl"


def wrong_pieces(puzzle: Jigsaw, answer: Placement, truth: Placement) -> list[tuple[int, int, int, int]]:
    """Piece, row, column and turn of all that belong where something else shows now, however the answer lies best."""
    contents = contents_of(puzzle)
    original = _board(truth)
    wanted = contents[original.pieces, original.turns]
    ways = [_board(answer).moved(motion) for motion in puzzle.turns]
    shown = [contents[way.pieces, way.turns] for way in ways if way.pieces.shape == wanted.shape]
    best = max(shown, key=lambda each: int((each == wanted).sum()))
    cells = np.argwhere(best != wanted)
    return [(int(original.pieces[r, c]), int(r), int(c), int(original.turns[r, c])) for r, c in cells.tolist()]


def _board(placement: Placement) -> Board:
    return Board(np.array(placement.pieces, np.int64), np.array(placement.turns, np.int64))


def measured(path: Path, number: int, effort: str, turned: bool) -> dict[str, Any] | None:
    """A row, or None of a picture that is right without pins."""
    puzzle, truth = dovetail.generate("jigsaw", image=str(path), piece=28, rotate=turned, seed=0)
    assert isinstance(puzzle, Jigsaw)
    assert isinstance(truth, Placement)
    begin = time.perf_counter()
    first = dovetail.solve(puzzle, effort=effort, time_s=120)
    first_s = time.perf_counter() - begin
    before = dovetail.check(puzzle, first.solution, truth)
    if before.solved:
        return None
    assert isinstance(first.solution, Placement)
    wrong = wrong_pieces(puzzle, first.solution, truth)
    chosen = np.random.default_rng(number).permutation(len(wrong))[:PINS]
    pins = [
        {"piece": piece, "row": row + 1, "column": col + 1, **({"turn": turn} if turned else {})}
        for piece, row, col, turn in (wrong[at] for at in chosen)
    ]
    begin = time.perf_counter()
    second = dovetail.solve(puzzle, effort=effort, time_s=120, hints={"pins": pins})
    second_s = time.perf_counter() - begin
    after = dovetail.check(puzzle, second.solution, truth)
    return {
        "wrong": len(wrong), "pins": pins, "kept": not second.verdict.violations,
        "before": dict(before.scores), "after": dict(after.scores),
        "log_odds": [first.outcome.counters["log_odds"], second.outcome.counters["log_odds"]],
        "seconds": [round(first_s, 2), round(second_s, 2)],
    }  # fmt: skip


def table() -> str:
    """The latest row of every picture, as Markdown."""
    latest = {}
    for line in RESULTS.read_text().splitlines():
        row = json.loads(line)
        latest[row["case"], row["image"]] = row
    lines = [
        "| case | picture | wrong pieces | neighbour % before | with three pins | direct % before | with three pins |"
    ]
    lines.append("| --- |" + " --- |" * 6)
    for (case, image), row in sorted(latest.items()):
        if row["wrong"]:
            numbers = [
                f"{100 * row[when][f'{score}_content']:.2f}"
                for score in ("neighbour", "direct")
                for when in ("before", "after")
            ]
            lines.append(f"| {case} | {image} | {row['wrong']} | {' | '.join(numbers)} |")
    return "\n".join(lines)


def main() -> None:
    """See the module text."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--effort", choices=("fast", "best"), default="fast")
    parser.add_argument("--turned", action="store_true", help="pieces of unknown orientation")
    parser.add_argument("--only", default="", help="only pictures whose name contains this")
    given = parser.parse_args()
    if given.folder == "table":
        print(table())
        return
    for number, path in enumerate(sorted(Path(given.folder).iterdir())):
        if given.only not in path.stem:
            continue
        found = measured(path, number, given.effort, given.turned)
        row = {
            "suite": "pins", "case": f"{'type 2' if given.turned else 'type 1'}, {given.effort}", "image": path.stem,
            "when": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
            **(found or {"wrong": 0}), "machine": machine(),
        }  # fmt: skip
        with RESULTS.open("a") as file:
            file.write(json.dumps(row) + "\n")
        if found:
            scores = [f"{found[when]['neighbour_content']:.4f}" for when in ("before", "after")]
            print(path.stem, found["wrong"], *scores, found["log_odds"], found["seconds"], found["kept"], flush=True)


if __name__ == "__main__":
    main()
