"""How often the true neighbour ranks first, by every seam measure; and what measuring all seams of a picture costs.

    python benchmarks/seam_ranks.py SET … [--timed PICTURE]

A SET is a folder of pictures; they are cut into 28-pixel pieces and shuffled. Appends a row for every set and measure,
and with ``--timed`` one for every measure of that one picture (in a fresh process each, for the sake of the peak), to
benchmarks/results/seam-ranks.jsonl.
"""

import argparse
import datetime
import json
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from dovetail.core.report import machine
from dovetail.jigsaw.cutting import make
from dovetail.jigsaw.edges import EAST, NORTH, SOUTH, WEST
from dovetail.jigsaw.measures import MEASURES
from dovetail.jigsaw.puzzle import Jigsaw, Making
from dovetail.jigsaw.seams import Seams, measured

RESULTS = Path(__file__).parent / "results" / "seam-ranks.jsonl"


def seams_of(puzzle: Jigsaw, measure: str, relative: bool) -> Seams:
    """All seams, on all cores."""
    threads = os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        work = measured(puzzle, measure, relative, pool)
        while True:
            try:
                next(work)
            except StopIteration as ended:
                seams: Seams = ended.value
                return seams


def first_share(picture: Path, measure: str, relative: bool) -> float:
    """The share of the sides that have a neighbour whose neighbour ranks first."""
    puzzle, truth = make(Making(image=str(picture)), seed=0)
    first, board = seams_of(puzzle, measure, relative).ranked[:, :, 0], np.array(truth.pieces)
    west, east, north, south = board[:, :-1], board[:, 1:], board[:-1], board[1:]
    pairs = ((EAST, west, east), (WEST, east, west), (SOUTH, north, south), (NORTH, south, north))
    return float(np.concatenate([(first[side, one] == other).ravel() for side, one, other in pairs]).mean())


def timed(picture: Path, measure: str, relative: bool) -> dict[str, object]:
    """Seconds and peak memory of measuring one picture, compile time apart."""
    puzzle, _ = make(Making(image=str(picture)), seed=0)
    seams_of(Jigsaw(4, 4, 1, 8, bytes(4 * 4 * 4), 2, 2), measure, relative)
    begin = time.perf_counter()
    seams_of(puzzle, measure, relative)
    seconds = time.perf_counter() - begin
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "picture": f"{picture.parent.name}/{picture.stem}",
        "pieces": puzzle.count,
        "s": seconds,
        "memory_mb": peak_mb,
    }


def append(row: dict[str, object]) -> None:
    """One more row, shown as well."""
    when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    line = json.dumps({**row, "when": when, "machine": machine()})
    print(line)
    with RESULTS.open("a") as file:
        file.write(line + "\n")


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sets", nargs="*", type=Path)
    parser.add_argument("--timed", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)  # the measure that a fresh process is to time
    asked = parser.parse_args()
    if asked.one:
        name, _, relative = asked.one.partition(" ")
        append({"measure": name, "relative": bool(relative), **timed(asked.timed, name, bool(relative))})
        return
    for measure in MEASURES:
        for relative in (False, True):
            for folder in asked.sets:
                shares = [first_share(path, measure, relative) for path in sorted(folder.iterdir())]
                append({"measure": measure, "relative": relative, "set": folder.name, "first": float(np.mean(shares))})
            if asked.timed:
                one = f"{measure} relative" if relative else measure
                subprocess.run([sys.executable, __file__, "--timed", str(asked.timed), "--one", one], check=True)


if __name__ == "__main__":
    main()
