"""Teach the assembler how sure a pair of edges is: makes src/dovetail/jigsaw/odds.json anew.

    python benchmarks/teach_odds.py FOLDER … [--out odds.json]

Every second picture of each folder is taken, from the first one on in the first folder, from the second one on in the
second, and so on in turn. Parts of them are cut to puzzles, of known and of unknown orientation; a small network then
learns from pairs of edges whether they were neighbours. Ours was taught on sholomon-5015 (01, 03, …), sholomon-10375
(02, 04, …) and sholomon-22755 (01, 03, …). It never saw the other half of these sets, nor any picture of another set.
"""

import argparse
import json
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dovetail.core.puzzle import Placement
from dovetail.jigsaw import comparing
from dovetail.jigsaw.candidates import Compared, compared, likenesses
from dovetail.jigsaw.cutting import cut, shuffled
from dovetail.jigsaw.images import Pixels, open_picture
from dovetail.jigsaw.poses import EAST, NORTH, SOUTH, VOID, WEST
from dovetail.jigsaw.puzzle import Jigsaw

PIECE = 28  # pixels
MOST_LISTED = 24  # candidates of an edge that are learned from: the best ones, where telling apart is hard
HIDDEN = 24  # numbers between inputs and odds
STEPS, BATCH, RATE = 40_000, 4096, 0.01
DIGITS = 5  # of a weight

Numbers: TypeAlias = NDArray[np.float32]
Weights: TypeAlias = tuple[NDArray[np.float64], ...]  # into the hidden numbers, their biases, out of them, a shift


class Lesson(NamedTuple):
    """A part of a picture to be cut, and the share of its edges that is learned from."""

    rows: int
    cols: int
    rotate: bool
    share: float


class Examples(NamedTuple):
    """Pairs of edges: what the network is told of them, and whether they are neighbours."""

    inputs: Numbers  # [pairs, INPUTS]
    right: NDArray[np.bool_]


def lessons(number: int) -> Sequence[Lesson]:
    """Those of one picture: the more rivals there are, the harder it is, so there are small puzzles and large ones."""
    large = Lesson(48, 58, number % 2 == 1, 0.1)
    return Lesson(18, 24, False, 0.8), Lesson(25, 32, True, 0.4), Lesson(25, 32, False, 0.4), large


def chosen(folders: Sequence[Path]) -> list[Path]:
    """Every second picture, as the module text says."""
    return [path for number, folder in enumerate(folders) for path in sorted(folder.iterdir())[number % 2 :: 2]]


def examples(pixels: Pixels, lesson: Lesson, rng: np.random.Generator) -> Examples:
    """Of a random part of a picture, or of all of it if it is smaller than asked for."""
    rows, cols = min(lesson.rows, pixels.shape[0] // PIECE), min(lesson.cols, pixels.shape[1] // PIECE)
    top, left = (
        PIECE * int(rng.integers(0, whole // PIECE - part + 1))
        for whole, part in ((pixels.shape[0], rows), (pixels.shape[1], cols))
    )
    part = pixels[top : top + PIECE * rows, left : left + PIECE * cols]
    puzzle, truth = shuffled(cut(part, PIECE, PIECE), rows, cols, rng, rotate=lesson.rotate)
    pairs = measured(puzzle)
    listed, values = pairs.listed[:, :MOST_LISTED], pairs.values
    wanted = (listed != VOID) & (rng.random((len(listed), 1)) < lesson.share)
    first = likenesses(puzzle)[0]  # those that look alike are listed by the first of them
    faced = facing(truth, puzzle.count)
    faced = np.where(faced == VOID, VOID, 4 * first[faced // 4] + faced % 4)
    inputs, rivals = np.empty((int(wanted.sum()), comparing.INPUTS), np.float32), comparing.rivals(pairs.listed, values)
    for row, (edge, at) in zip(inputs, np.argwhere(wanted).tolist(), strict=True):
        comparing.standing(pairs.listed, values, *rivals, edge, at, row)
    return Examples(inputs, (listed == faced[:, None])[wanted])


def measured(puzzle: Jigsaw) -> Compared:
    """The candidates of all edges, on all cores."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        work = compared(puzzle, pool)
        while True:
            try:
                next(work)
            except StopIteration as ended:
                pairs: Compared = ended.value
                return pairs


def facing(truth: Placement, count: int) -> NDArray[np.int64]:
    """The edge that each edge faces in the picture, VOID at its rim."""
    pieces, turns = np.array(truth.pieces), np.array(truth.turns)
    faced = np.full(4 * count, VOID, np.int64)
    for one, other, side, opposite in (
        (np.s_[:, :-1], np.s_[:, 1:], EAST, WEST),
        (np.s_[:-1], np.s_[1:], SOUTH, NORTH),
    ):
        ours, theirs = (4 * pieces[part] + (turns[part] + at) % 4 for part, at in ((one, side), (other, opposite)))
        faced[ours], faced[theirs] = theirs, ours
    return faced


def odds_of(weights: Weights, inputs: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The hidden numbers, and the log odds. [pairs, HIDDEN], [pairs]"""
    into, bias, out, shift = weights
    sums = inputs @ into + bias
    hidden = sums / (1 + np.abs(sums))
    return hidden, hidden @ out + shift


def slopes(weights: Weights, inputs: NDArray[np.float64], right: NDArray[np.bool_]) -> Weights:
    """How the mean surprise at the truth changes with every weight."""
    hidden, odds = odds_of(weights, inputs)
    wrong = (1 / (1 + np.exp(-odds)) - right) / len(right)
    back = np.outer(wrong, weights[2]) * (1 - np.abs(hidden)) ** 2
    return inputs.T @ back, back.sum(axis=0), hidden.T @ wrong, wrong.sum()


def taught(pairs: Examples, steps: int, seed: int = 0) -> Weights:
    """A network after so many steps of Adam, whose rate falls to nothing along a cosine.

    It learns from standardised inputs; that is folded into the weights in the end, which take them as they are.
    """
    rng = np.random.default_rng(seed)
    mean, spread = pairs.inputs.mean(axis=0, dtype=np.float64), pairs.inputs.std(axis=0, dtype=np.float64) + 1e-9
    shapes: Sequence[tuple[int, ...]] = ((comparing.INPUTS, HIDDEN), (HIDDEN,), (HIDDEN,), ())
    weights = [rng.normal(size=shape) * (0.3 if number in (0, 2) else 0.0) for number, shape in enumerate(shapes)]
    means, squares = ([np.zeros(shape) for shape in shapes] for _ in range(2))
    for step in range(1, steps + 1):
        some = rng.integers(0, len(pairs.right), BATCH)
        rate = RATE * (1 + np.cos(np.pi * step / steps)) / 2
        inputs = (pairs.inputs[some] - mean) / spread
        for number, slope in enumerate(slopes(tuple(weights), inputs, pairs.right[some])):
            means[number] = 0.9 * means[number] + 0.1 * slope
            squares[number] = 0.99 * squares[number] + 0.01 * slope**2
            size = np.sqrt(squares[number] / (1 - 0.99**step)) + 1e-8
            weights[number] = weights[number] - rate * means[number] / (1 - 0.9**step) / size
    into, bias, out, shift = weights
    into = into / spread[:, None]
    return into, bias - mean @ into, out, shift


def learned(pictures: Iterable[tuple[Pixels, Sequence[Lesson]]], steps: int) -> dict[str, object]:
    """The network as odds.json has it, from pictures and what is cut from each."""
    rng = np.random.default_rng(5)
    some = [examples(pixels, lesson, rng) for pixels, several in pictures for lesson in several]
    pairs = Examples(*(np.concatenate(parts) for parts in zip(*some, strict=True)))
    names = ("into", "bias", "out", "shift")
    return {name: np.round(each, DIGITS).tolist() for name, each in zip(names, taught(pairs, steps), strict=True)}


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path("odds.json"))
    asked = parser.parse_args()
    pictures = (
        (open_picture(path.read_bytes(), str(path)).pixels, lessons(number))
        for number, path in enumerate(chosen(asked.folders))
    )
    asked.out.write_text(json.dumps(learned(pictures, STEPS), separators=(",", ":")))


if __name__ == "__main__":
    main()
