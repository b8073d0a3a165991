"""Whether the search of the solver `deep` finds the best board of its tables, and how often that is the right one.

    python benchmarks/deep_search.py ARCHIVE.tar [--grid 3x3] [--gap 4] [--model pixels] [--time 1] [--first N]

Every picture of the archive is cut into one puzzle of 40-pixel patches, shuffled by its number. ``at_least_truth`` is
the share of puzzles whose board scores at least what the right one does: where it is 1 and ``puzzle`` is not, the
tables are to blame, not the search. ``seconds`` are those of the search alone, on one core; ``reading_s`` is what the
network takes. Patches are also counted by how sure the search is of them, so that one sees how far that can be
trusted. Appends a row to benchmarks/results/deep-search.jsonl.
"""

import argparse
import datetime
import io
import json
import tarfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from PIL import Image

from dovetail.core.report import machine
from dovetail.core.solver import Budget, Clock
from dovetail.jigsaw.deep import networks
from dovetail.jigsaw.deep.arranging import Arranged, Patience, arranging, best_board
from dovetail.jigsaw.deep.tables import Tables, pixel_tables, score
from dovetail.jigsaw.gapped import Gapped
from dovetail.jigsaw.gapped_cutting import cut_gapped

RESULTS = Path(__file__).parent / "results" / "deep-search.jsonl"
PATCH = 40
SURE = (0.0, 0.5, 0.8, 0.95, 0.99, 1.01)
NATS = 1e-3  # within which two scores are the same


def main() -> None:
    """One case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--grid", default="3x3")
    parser.add_argument("--gap", type=int, default=4)
    parser.add_argument("--model", default="pixels", help="pixels, auto, or the name of a network")
    parser.add_argument("--time", type=float, default=None, help="seconds of search a puzzle")
    parser.add_argument("--first", type=int, default=None)
    told = parser.parse_args()
    rows, cols = (int(number) for number in told.grid.split("x"))
    for few in (np.zeros((4, 4, 4, 3)), np.zeros((12, 4, 4, 3))):  # compiled
        best_board(pixel_tables(few, len(few) // 2, 2), len(few) // 2, 2, patience=Patience(10, 1, 1))
    card = asked(told.model, told.gap)
    found = [
        judged(tables, truth, reading_s, rows, cols, told.time, card.temper if card else 1.0)
        for tables, truth, reading_s in cases(told.archive, rows, cols, told.gap, told.model, told.first)
    ]
    seconds, right, sure = (np.array([each[k] for each in found]) for k in ("seconds", "right", "sure"))
    row = {
        "archive": told.archive.name, "grid": told.grid, "gap": told.gap, "patch": PATCH,
        "model": card.name if card else told.model, "sha256": card.sha256 if card else None,
        "budget_s": told.time, "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "puzzles": len(found), "puzzle": round(float(right.all(axis=1).mean()), 4),
        "patch_wise": round(float(right.mean()), 4),
        "at_least_truth": round(float(np.mean([each["at_least_truth"] for each in found])), 4),
        "finished": round(float(np.mean([each["finished"] for each in found])), 4),
        "seconds": {name: round(float(np.percentile(seconds, at)), 4) for name, at in
                    (("median", 50), ("p90", 90), ("p99", 99), ("most", 100))},
        "steps": round(float(np.mean([each["steps"] for each in found]))),
        "reading_s": round(float(np.median([each["reading_s"] for each in found])), 4),
        "by_sureness": by_sureness(sure, right), "machine": machine(),
    }  # fmt: skip
    with RESULTS.open("a") as file:
        file.write(json.dumps(row) + "\n")
    print(json.dumps({key: value for key, value in row.items() if key != "machine"}, indent=1))


def cases(
    archive: Path, rows: int, cols: int, gap: int, model: str, first: int | None
) -> Iterator[tuple[Tables, np.ndarray, float]]:
    """Tables, the right board, and the seconds that reading took."""
    for number, pixels in enumerate(pictures(archive, first)):
        patches = cut_gapped(pixels, rows, cols, PATCH, gap)
        order = np.random.default_rng(number).permutation(rows * cols)
        puzzle = Gapped(PATCH, PATCH, 3, 8, patches[order].tobytes(), rows, cols, gap=gap)
        begin = time.perf_counter()
        tables = read(puzzle, model)
        yield tables, np.argsort(order), time.perf_counter() - begin


def pictures(archive: Path, first: int | None) -> Iterator[np.ndarray]:
    """By name; nothing is written anywhere."""
    with tarfile.open(archive) as tar:
        for member in sorted((m for m in tar.getmembers() if m.isfile()), key=lambda m: m.name)[:first]:
            file = tar.extractfile(member)
            assert file is not None
            yield np.asarray(Image.open(io.BytesIO(file.read())).convert("RGB"))


def read(puzzle: Gapped, model: str) -> Tables:
    """By pixels, or by a network."""
    assert puzzle.rows is not None
    assert puzzle.cols is not None
    card = asked(model, networks.relative_gap(puzzle))
    return networks.read(puzzle, card) if card else pixel_tables(puzzle.array, puzzle.rows, puzzle.cols)


def asked(model: str, gap: float) -> networks.Card | None:
    """The network, None for pixels."""
    if model == "pixels":
        return None
    card = networks.chosen(gap) if model == "auto" else networks.card(model)
    if card is None:
        raise SystemExit("there is no network")
    return card


def judged(
    tables: Tables, truth: np.ndarray, reading_s: float, rows: int, cols: int, budget_s: float | None, temper: float
) -> dict[str, object]:
    """One puzzle."""
    begin = time.perf_counter()
    found = ended(tables, rows, cols, budget_s, temper)
    seconds = time.perf_counter() - begin
    sure = np.full(tables.count, np.nan) if found.sure is None else found.sure
    return {
        "right": found.board == truth, "sure": sure[found.board], "seconds": seconds, "reading_s": reading_s,
        "at_least_truth": found.score >= score(tables, truth, cols) - NATS, "steps": found.steps,
        "finished": found.finished,
    }  # fmt: skip


def ended(tables: Tables, rows: int, cols: int, budget_s: float | None, temper: float) -> Arranged:
    """The search, to its end or to the end of its time."""
    work = arranging(tables, rows, cols, Clock(Budget(budget_s)), seed=1, temper=temper)
    while True:
        try:
            next(work)
        except StopIteration as end:
            arranged: Arranged = end.value
            return arranged


def by_sureness(sure: np.ndarray, right: np.ndarray) -> list[dict[str, float]]:
    """How sure the search was of patches, and how many of these lay right."""
    bins = []
    for low, high in pairwise(SURE):
        among = (sure >= low) & (sure < high)
        if among.any():
            means = {"sure": float(sure[among].mean()), "right": float(right[among].mean())}
            bins.append({"patches": int(among.sum()), **{name: round(mean, 4) for name, mean in means.items()}})
    return bins


if __name__ == "__main__":
    main()
