"""How near the compiled row scan comes to the same loop in C, in the same run; and what hints cost.

    python benchmarks/scan_twin.py [--placements N] [--rounds N]

Builds scan_twin.c with ``gcc -O3 -march=native``, lets kernel and twin take turns on the same Eternity-like 16×16
puzzle (5 colours along the rim, 17 inside), checks that they end in the same state, prints the median rates and appends
a row to benchmarks/results/scan-twin.jsonl.
"""

import argparse
import ctypes
import datetime
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from dovetail.core.report import machine
from dovetail.tiles.depth_first import Settings, searches
from dovetail.tiles.engine import TileSearch
from dovetail.tiles.planting import plant_tiles
from dovetail.tiles.puzzle import Making

HERE = Path(__file__).parent


def start(hints: int, seed: int) -> TileSearch:
    """A row scan of a fresh puzzle."""
    making = Making(width=16, height=16, colours=17, border_colours=5, distinct=True, hints=hints)
    puzzle, _ = plant_tiles(making, seed)
    return searches(puzzle, Settings(arrangement="rows", restart=0), seed)[0]


def rate(search: TileSearch, placements: int) -> float:
    """Millions of placements a second of the compiled kernel."""
    begin = time.perf_counter()
    search.advance(placements)
    return placements / (time.perf_counter() - begin) / 1e6


class Twin:
    """The C loop on a search's own arrays."""

    def __init__(self, folder: str) -> None:
        library = str(Path(folder) / "twin.so")
        subprocess.run(
            ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", library, str(HERE / "scan_twin.c")], check=True
        )
        self._loop = ctypes.CDLL(library).search_scan
        self._loop.restype = ctypes.c_int64

    def rate(self, search: TileSearch, placements: int) -> float:
        """Advance the search by the twin; millions of placements a second."""

        def at(array: np.ndarray) -> ctypes.c_void_p:
            return ctypes.c_void_p(array.ctypes.data)

        depth, why = ctypes.c_uint32(search._depth), ctypes.c_int64()
        begin = time.perf_counter()
        made = self._loop(
            at(search._candidates.index), at(search._candidates.root), ctypes.c_uint32(search.tiles.colours),
            at(search._records), at(search._slots), at(search._stock), at(search._seams), at(search._cursor),
            at(search._placed), ctypes.c_uint32(search._top), ctypes.byref(depth), ctypes.c_int64(placements),
            at(search._best), at(search._best_at), ctypes.byref(why),
        )  # fmt: skip
        seconds = time.perf_counter() - begin
        search._depth = depth.value
        assert made == placements, "the puzzle was solved or exhausted; take another seed"
        return placements / seconds / 1e6


def measure(placements: int, rounds: int) -> dict[str, object]:
    """Kernel and twin by turns on the same puzzle, and the kernel with hints all over the board."""
    with tempfile.TemporaryDirectory() as folder:
        twin = Twin(folder)
        ours, theirs = start(0, seed=1), start(0, seed=1)
        with_hints = start(5, seed=1)
        for search in (ours, with_hints):
            search.advance(1000)
        twin.rate(theirs, 1000)
        kernel_rates, twin_rates, hint_rates = [], [], []
        for _ in range(rounds):
            kernel_rates.append(rate(ours, placements))
            twin_rates.append(twin.rate(theirs, placements))
            hint_rates.append(rate(with_hints, placements))
        assert ours._depth == theirs._depth
        assert (ours._cursor[: ours._depth] == theirs._cursor[: ours._depth]).all(), "both must walk the same tree"
    kernel, c, hints = (statistics.median(rates) for rates in (kernel_rates, twin_rates, hint_rates))
    return {
        "placements": placements,
        "rounds": rounds,
        "kernel_millions_per_s": round(kernel, 2),
        "c_millions_per_s": round(c, 2),
        "kernel_to_c": round(statistics.median(k / t for k, t in zip(kernel_rates, twin_rates, strict=True)), 4),
        "five_hints_millions_per_s": round(hints, 2),
        "hints_to_kernel": round(statistics.median(h / k for h, k in zip(hint_rates, kernel_rates, strict=True)), 4),
        "kernel_rates": [round(r, 2) for r in kernel_rates],
        "c_rates": [round(r, 2) for r in twin_rates],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--placements", type=int, default=50_000_000)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    row = measure(arguments.placements, arguments.rounds)
    gcc = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    row = {"suite": "scan-twin", "when": when, **row, "gcc": gcc, "machine": machine()}
    with (HERE / "results" / "scan-twin.jsonl").open("a") as file:
        file.write(json.dumps(row) + "\n")
    print(json.dumps({key: row[key] for key in row if key != "machine"}, indent=1))
