"""How well scans of fragments are read and put together.

    python benchmarks/scans.py PICTURES [--first N] [--case TEXT] [--steps N]

Every picture of a folder is scaled so that 6 rows of 8 fragments fill it, of 60 to 120 pixels a side, cut, and laid on
one sheet: turned by up to 20 degrees, with shadows, uneven light, every fragment up to 10 % lighter or darker, on one
of four grounds. The sheet is read and solved; nothing is told but its pixels. Appends a row for every picture and case
to benchmarks/results/scans.jsonl.

``neighbour`` is the share of true pairs of neighbours that are neighbours again. Where a sky is white all over, nobody
can tell its fragments apart: ``neighbour_white_alike`` takes fragments for the same of which all pixels but one in two
hundred are at least 250 in all channels before they are scanned.
"""

import argparse
import datetime
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import dovetail
from dovetail.core.errors import DovetailError
from dovetail.core.puzzle import Placement
from dovetail.core.report import machine
from dovetail.jigsaw.cutting import cut, listed
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.puzzle import Reading
from dovetail.jigsaw.scan.making import laid_out, renumbered
from dovetail.jigsaw.scan.reading import looks_like_scan, read_scans

RESULTS = Path(__file__).parent / "results" / "scans.jsonl"
ROWS, COLS = 6, 8
CASES = {"noise 4": {"noise": 4.0}, "no noise": {"noise": 0.0}}
WHITE, SHARE = 250, 0.995


def scanned(picture: Path, seed: int, noise: float) -> tuple[Pixels, list[Any], Placement, Pixels]:
    """A sheet, where fragments lie on it, the truth, and the fragments as they were before."""
    rng = np.random.default_rng(seed)
    side = int(rng.integers(60, 121))
    image = Image.open(picture).convert("RGB")
    if image.height > image.width:
        image = image.transpose(Image.Transpose.ROTATE_90)
    image = image.resize((COLS * side, ROWS * side), Image.Resampling.LANCZOS)
    pieces = cut(np.asarray(image), side, side)
    order = rng.permutation(len(pieces))
    gains = rng.uniform(0.9, 1.1, len(pieces))
    lit = np.clip(np.rint(pieces * gains[:, None, None, None]), 0, 255).astype(np.uint8)
    sheets, places = laid_out(lit[order], rng, per_sheet=ROWS * COLS, degrees=20.0, noise=noise)
    truth = Placement.from_flat(np.argsort(order), np.zeros(len(order), int), COLS)
    return sheets[0], places, truth, pieces[order]


def row_of(picture: Path, seed: int, case: str, steps: int) -> dict[str, Any]:
    """One picture in one case."""
    sheet, places, planted, before = scanned(picture, seed, **CASES[case])
    row: dict[str, Any] = {"case": case, "set": picture.parent.name, "picture": picture.stem, "seed": seed}
    row |= {"side_px": before.shape[1], "sheet": [*sheet.shape[:2]], "fragments": len(before)}
    begin = time.perf_counter()
    try:
        recognised = looks_like_scan(sheet)
        puzzle = read_scans([("sheet", sheet)], Reading())
        truth = renumbered(puzzle, places, planted)
    except DovetailError as error:
        return row | {"result": "not read", "why": str(error), "neighbour": 0.0, "neighbour_white_alike": 0.0}
    read_s = time.perf_counter() - begin
    nearest = [min(places, key=lambda one: math.hypot(one.row - at.row, one.col - at.col)) for at in puzzle.places]
    off = [max(abs(at.row - one.row), abs(at.col - one.col)) for at, one in zip(puzzle.places, nearest, strict=True)]
    answer = dovetail.solve(puzzle, solver="assembler", time_s=None, steps=steps)
    if answer.solution is None:
        return row | {"result": "failed", "why": answer.failure, "neighbour": 0.0, "neighbour_white_alike": 0.0}
    scores = dovetail.check(puzzle, answer.solution, truth).scores
    white = (before >= WHITE).all(axis=3).mean(axis=(1, 2)) >= SHARE
    alike = puzzle.array.copy()
    for number, one in enumerate(nearest):
        if white[places.index(one)]:
            alike[number] = 255
    by_content = dovetail.check(listed(alike), answer.solution, truth).scores
    return row | {
        "result": "read", "recognised": recognised, "found": puzzle.count, "size_px": [puzzle.height, puzzle.width],
        "off_px_median": round(float(np.median(off)), 3), "off_px_most": round(max(off), 3),
        "white": int(white.sum()), "neighbour": scores["neighbour"],
        "neighbour_white_alike": by_content["neighbour_content"], "perfect": scores["perfect"],
        "status": answer.outcome.status, "read_s": round(read_s, 2), "solve_s": round(answer.report.seconds.solve, 2),
    }  # fmt: skip


def main() -> None:
    """See the module text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("--first", type=int)
    parser.add_argument("--case", default="")
    parser.add_argument("--steps", type=int, default=1_200_000)
    given = parser.parse_args()
    dovetail.solve(listed(np.zeros((4, 24, 24, 3), np.uint8), (2, 2)), solver="assembler")  # compile
    for case in (name for name in CASES if given.case in name):
        rows = []
        for seed, picture in enumerate(sorted(given.pictures.iterdir())[: given.first], start=1):
            when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            rows.append(row_of(picture, seed, case, given.steps))
            with RESULTS.open("a") as file:
                file.write(json.dumps(rows[-1] | {"when": when, "machine": machine()}) + "\n")
            print(
                {key: rows[-1].get(key) for key in ("picture", "found", "neighbour", "neighbour_white_alike")},
                flush=True,
            )
        means = {
            key: round(float(np.mean([row[key] for row in rows])), 4) for key in ("neighbour", "neighbour_white_alike")
        }
        print(f"{case}: {means}, all found: {all(row.get('found') == row['fragments'] for row in rows)}")


if __name__ == "__main__":
    main()
