"""Find the numbers that make honest log odds of what the network and pixels say: ``SCALES`` in jigsaw/learnt_seams.py.

    python benchmarks/fit_learnt_seams.py SET [--grid 12x16] [--patch 28] [--gaps 2,4] [--first 0] [--last 6] [--test]

Pictures of a SET, a folder, are cut into patches with gaps. Of every pair of edges that may face each other it is known
whether it does; a logistic regression finds how much of that follows from how the pair stands against its rivals, and
how much from the odds of its pixels. With ``--test`` nothing is fitted: the numbers in use are held against what is
true, and it is said of the pairs given some probability how many are right.
"""

import argparse
import os
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from dovetail.jigsaw import learnt_seams
from dovetail.jigsaw.deep.networks import relative_gap
from dovetail.jigsaw.gapped import Gapped
from dovetail.jigsaw.gapped_cutting import cut_gapped
from dovetail.jigsaw.learnt_seams import SCALES, WIDE
from dovetail.workers import workers

ROUNDS = 30  # of Newton's method
BORDERS = np.array([0.0, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 1.0])  # of probabilities


def puzzle_of(picture: Path, rows: int, cols: int, patch: int, gap: int) -> Gapped:
    """Patches in their order, which nothing here looks at; of a picture that is higher than wide, more rows."""
    pixels = np.asarray(Image.open(picture).convert("RGB"))
    if pixels.shape[0] > pixels.shape[1]:
        rows, cols = cols, rows
    patches = cut_gapped(pixels, rows, cols, patch, gap)
    return Gapped(patch, patch, 3, 8, patches.tobytes(), rows, cols, gap=gap)


def pairs_of(puzzle: Gapped) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """How all pairs stand and what their pixels say, [pairs, 2]; which of them are neighbours. [pairs]"""
    threads = os.cpu_count() or 1
    with workers(None, threads) as pool:
        work = learnt_seams.looked_at(puzzle, pool, False, threads)
        while True:
            try:
                next(work)
            except StopIteration as ended:
                known: learnt_seams.Known = ended.value
                break
    assert puzzle.cols is not None
    steps = np.array([-puzzle.cols, 1, puzzle.cols, -1])  # to the neighbour at each side
    told, true = [], []
    for ours, theirs, standing, said in learnt_seams.compared(known):
        right = theirs // 4 == (ours // 4 + steps[ours % 4])[:, None]
        lengthwise = (ours % 4 % 2 == 1)[:, None]
        right &= ~lengthwise | (theirs // 4 // puzzle.cols == (ours // 4 // puzzle.cols)[:, None])
        others = theirs // 4 != (ours // 4)[:, None]
        told.append(np.stack([standing[others], said[others]], axis=1))
        true.append(right[others])
    return np.concatenate(told).astype(np.float64), np.concatenate(true)


def fitted(told: NDArray[np.float64], true: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Factors and offset of the log odds, by Newton's method. [columns + 1]"""
    columns = np.column_stack([told, np.ones(len(told))])
    found = np.zeros(columns.shape[1])
    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-columns @ found))
        slope = columns.T @ (likely - true)
        bend = (columns * (likely * (1 - likely))[:, None]).T @ columns
        found -= np.linalg.solve(bend + 1e-6 * np.eye(len(found)), slope)
    return found


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("--grid", default="12x16")
    parser.add_argument("--patch", type=int, default=28)
    parser.add_argument("--gaps", default="2,4")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=6)
    parser.add_argument("--test", action="store_true")
    asked = parser.parse_args()
    rows, cols = map(int, asked.grid.split("x"))
    parts: dict[bool, list[tuple[NDArray[np.float64], NDArray[np.bool_]]]] = {}
    for picture in sorted(asked.set.iterdir())[asked.first : asked.last]:
        for gap in map(int, asked.gaps.split(",")):
            puzzle = puzzle_of(picture, rows, cols, asked.patch, gap)
            parts.setdefault(relative_gap(puzzle) > WIDE, []).append(pairs_of(puzzle))
    for wide, pairs in parts.items():
        told, true = (np.concatenate(column) for column in zip(*pairs, strict=True))
        for with_pixels in (False, True):
            if not asked.test:
                found = fitted(told if with_pixels else told[:, :1], true)
                print(f"wide {wide}, with pixels {with_pixels}: factors and offset {found.round(3)}")
                continue
            scale = SCALES[wide, with_pixels]
            likely = 1 / (1 + np.exp(-(told @ [scale.network, scale.pixels] + scale.offset)))
            print(f"wide {wide}, with pixels {with_pixels}: probability from, to; mean; share that is right; pairs")
            for low, high in pairwise(BORDERS):
                some = (likely >= low) & (likely <= high)
                if some.any():
                    print(f"  {low:.2f} {high:.2f}  {likely[some].mean():.4f}  {true[some].mean():.4f}  {some.sum()}")


if __name__ == "__main__":
    main()
