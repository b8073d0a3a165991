"""What dead ends are worth as cuts: the linear program of `linear` beside two tighter ones, on the same puzzles.

    python benchmarks/tighter_programs.py WIDTH COLOURS SEEDS

`cuts`: where no 2×2 block can be completed from two values shown at one corner, what shows them is at most as much as
what the opposite corner still allows; added while violated. `lifted`: a variable for every 2×2 block that can be laid,
of which any two that overlap agree on what they share; blocks that are dead ends have none. All maximise the same
random objective over random puzzles with a coloured frame: the lower the optimum, the tighter. Appends a row for every
puzzle and program to benchmarks/results/tighter-programs.jsonl.
"""

import datetime
import json
import sys
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dovetail import pipeline
from dovetail.core.report import machine
from dovetail.tiles import highs
from dovetail.tiles.lifting import lifting
from dovetail.tiles.linear import WHOLE
from dovetail.tiles.linear_system import Floats, System, system
from dovetail.tiles.narrowing import _pairs, blocks
from dovetail.tiles.representing import represent

RESULTS = Path(__file__).parent / "results" / "tighter-programs.jsonl"
VIOLATED = 1e-4
Ints = NDArray[np.int64]


class Matrix:
    """A sparse matrix in the making."""

    def __init__(self) -> None:
        self.rows = 0
        self._parts: list[tuple[Ints, Ints, Floats]] = []

    def add(self, rows: Ints, cols: Ints, value: float) -> None:
        """Entries, all of one value."""
        self._parts.append((rows, cols, np.full(len(cols), value)))

    def built(self, cols: int) -> sparse.csr_array:
        """All of it."""
        row, col, data = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        return sparse.csr_array((data, (row, col)), shape=(self.rows, cols))


def dead_ends(whole: System, p: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Of every violated cut, the variables at one corner of a block and those that they need at the opposite one."""
    preset = whole.preset
    number = np.full(preset.fits.shape, -1)
    number[whole.location, whole.look] = np.arange(whole.variables)
    fits = number >= 0
    for corner in (corner for block in blocks(preset) for corner in block.corners()):
        (along, down), (back, from_beside), (up, from_below), (to_beside, to_below) = corner.faces
        beside = _pairs(preset, fits, corner.beside, back, from_beside) > 0
        below = _pairs(preset, fits, corner.below, up, from_below) > 0
        for k, (here, across) in enumerate(zip(corner.here, corner.across, strict=True)):
            own, other = np.flatnonzero(fits[here]), np.flatnonzero(fits[across])
            shown = preset.shows[own][:, [along, down]]
            for one, two in np.unique(shown, axis=0):
                left = number[here, own[(shown == (one, two)).all(axis=1)]]
                meets = beside[k, one, preset.shows[other, to_beside]] & below[k, two, preset.shows[other, to_below]]
                right = number[across, other[meets]]
                if p[left].sum() > p[right].sum() + VIOLATED:
                    yield left, right


def with_cuts(whole: System, objective: Floats) -> tuple[Floats | None, int, int]:
    """The optimum when no cut is violated any more, variables, and cuts."""
    cuts, more = Matrix(), {}
    while True:
        p = highs.run(whole.program(objective, **more)).x
        if p is None:
            return None, whole.variables, cuts.rows
        before = cuts.rows
        for left, right in dead_ends(whole, p):
            cuts.add(np.full(len(left), cuts.rows), left, 1.0)
            cuts.add(np.full(len(right), cuts.rows), right, -1.0)
            cuts.rows += 1
        if cuts.rows == before:
            return p, whole.variables, cuts.rows
        more = {"below": cuts.built(whole.variables), "limits": np.zeros(cuts.rows)}


def ended(work: Generator[None, None, System]) -> System:
    """The result of work in slices."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: System = end.value
            return result


def main(width: int, colours: int, seeds: int) -> None:
    """Measure and append."""
    for seed in range(seeds):
        given = {"width": width, "height": width, "colours": colours, "rotate": False, "frame": "coloured"}
        whole = system(represent(pipeline.make("tiles", seed, given)[0]))
        objective = np.random.default_rng(seed).random(whole.variables)
        for name in ("linear", "cuts", "lifted"):
            begin = time.process_time()
            if name == "linear":
                p, variables, rows = highs.run(whole.program(objective)).x, whole.variables, len(whole.rhs)
            elif name == "cuts":
                p, variables, rows = with_cuts(whole, objective)
            else:
                tighter = ended(lifting(whole))
                found = highs.run(tighter.program(objective)).x
                p, variables, rows = (
                    None if found is None else found[: whole.variables],
                    len(tighter.group),
                    len(tighter.rhs),
                )
            row = {
                "program": name, "width": width, "colours": colours, "seed": seed, "variables": variables, "rows": rows,
                "optimum": None if p is None else round(float(objective @ p), 4),
                "fractional": None if p is None else int(((p > WHOLE) & (p < 1 - WHOLE)).sum()),
                "solved": p is not None and whole.preset.solves(whole.rounded(p)),
                "cpu_s": round(time.process_time() - begin, 2),
                "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "machine": machine(),
            }  # fmt: skip
            with RESULTS.open("a") as file:
                file.write(json.dumps(row) + "\n")
            print({key: value for key, value in row.items() if key not in ("when", "machine")}, flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
