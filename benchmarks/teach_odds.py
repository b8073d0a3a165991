"""Teach the assembler how sure a pair of edges is: makes src/dovetail/jigsaw/odds.json anew.

    python benchmarks/teach_odds.py FOLDER … [--out odds.json]
    python benchmarks/teach_odds.py FOLDER … --loops [--out odds.json]

The first teaches what pairs say by themselves (``comparing.py``), and forgets the rest; the second, what squares of
four say (``loops.py``), by the pairs that the installed odds.json knows of.

Every second picture of each folder is taken, from the first one on in the first folder, from the second one on in the
second, and so on in turn. Parts of them are cut to puzzles, of known and of unknown orientation; small networks then
learn from pairs of edges whether they were neighbours. Ours were taught on sholomon-5015 (01, 03, …), sholomon-10375
(02, 04, …) and sholomon-22755 (01, 03, …). They never saw the other half of these sets, nor any picture of another set.
"""

import argparse
import json
import os
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from dovetail.core.puzzle import EMPTY, Placement
from dovetail.jigsaw import comparing, loops, odds
from dovetail.jigsaw.candidates import closed_by, compared, likenesses, paired, reconsidered
from dovetail.jigsaw.cutting import cut, shuffled
from dovetail.jigsaw.images import Pixels, open_picture
from dovetail.jigsaw.poses import EAST, NORTH, SOUTH, VOID, WEST
from dovetail.jigsaw.puzzle import Jigsaw

PIECE = 28  # pixels
MOST_LISTED = 24  # candidates of an edge that are learned from: the best ones, where telling apart is hard
HIDDEN = 24  # numbers between inputs and odds
STEPS, BATCH, RATE = 40_000, 4096, 0.01
LOOP_STEPS = 15_000
MISSING = 0.1  # of the pieces of some puzzles: around a hole no square closes
LOOKS = 3  # at all squares, each with a network of its own
DIGITS = 5  # of a weight

Result = TypeVar("Result")
Numbers: TypeAlias = NDArray[np.float32]
Weights: TypeAlias = tuple[NDArray[np.float64], ...]  # into the hidden numbers, their biases, out of them, a shift


class Lesson(NamedTuple):
    """A part of a picture to be cut, the share of its edges that is learned from, and what is lost of it."""

    rows: int
    cols: int
    rotate: bool
    share: float
    missing: float = 0.0  # of its pieces


class Examples(NamedTuple):
    """Pairs of edges: what the network is told of them, and whether they are neighbours."""

    inputs: Numbers  # [pairs, INPUTS]
    right: NDArray[np.bool_]


def lessons(number: int) -> Sequence[Lesson]:
    """Those of one picture: the more rivals there are, the harder it is, so there are small puzzles and large ones."""
    large = Lesson(48, 58, number % 2 == 1, 0.1)
    return Lesson(18, 24, False, 0.8), Lesson(25, 32, True, 0.4), Lesson(25, 32, False, 0.4), large


def loop_lessons(number: int) -> Sequence[Lesson]:
    """Those of squares: large skies are what they are for, and small puzzles must not suffer."""
    rotate = number % 2 == 1
    large = Lesson(60, 85, rotate, 0.08), Lesson(25, 32, not rotate, 0.3), Lesson(18, 24, rotate, 0.6, MISSING)
    small = [Lesson(*size, turned, 1.0) for size in ((5, 7), (8, 11)) for turned in (False, True)]
    return *large, *small, Lesson(12, 15, rotate, 1.0, MISSING), Lesson(16, 20, not rotate, 0.6, MISSING)


def chosen(folders: Sequence[Path]) -> list[Path]:
    """Every second picture, as the module text says."""
    return [path for number, folder in enumerate(folders) for path in sorted(folder.iterdir())[number % 2 :: 2]]


def part_of(pixels: Pixels, lesson: Lesson, rng: np.random.Generator) -> tuple[Jigsaw, Placement]:
    """A puzzle of a random part of a picture, or of all of it if it is smaller than asked for."""
    rows, cols = min(lesson.rows, pixels.shape[0] // PIECE), min(lesson.cols, pixels.shape[1] // PIECE)
    top, left = (
        PIECE * int(rng.integers(0, whole // PIECE - part + 1))
        for whole, part in ((pixels.shape[0], rows), (pixels.shape[1], cols))
    )
    part = pixels[top : top + PIECE * rows, left : left + PIECE * cols]
    return shuffled(cut(part, PIECE, PIECE), rows, cols, rng, rotate=lesson.rotate, missing=lesson.missing)


def examples(pixels: Pixels, lesson: Lesson, rng: np.random.Generator) -> Examples:
    """Pairs of a part of a picture."""
    puzzle, truth = part_of(pixels, lesson, rng)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        pairs = done(compared(puzzle, pool))
    listed, values = pairs.listed[:, :MOST_LISTED], pairs.values
    wanted = (listed != VOID) & (rng.random((len(listed), 1)) < lesson.share)
    inputs, rivals = np.empty((int(wanted.sum()), comparing.INPUTS), np.float32), comparing.rivals(pairs.listed, values)
    for row, (edge, at) in zip(inputs, np.argwhere(wanted).tolist(), strict=True):
        comparing.standing(pairs.listed, values, *rivals, edge, at, row)
    return Examples(inputs, neighbours(puzzle, truth, listed)[wanted])


def done(work: Generator[float, None, Result]) -> Result:
    """What work returns in the end."""
    while True:
        try:
            next(work)
        except StopIteration as ended:
            result: Result = ended.value
            return result


def neighbours(puzzle: Jigsaw, truth: Placement, listed: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which of the listed are neighbours in the picture; those that look alike are listed by the first of them."""
    first, edges = likenesses(puzzle)[0], np.arange(len(listed))
    faced, same = facing(truth, puzzle.count), 4 * first[edges // 4] + edges % 4
    known = faced != VOID
    pairs = same[known] * len(listed) + same[faced[known]]
    right: NDArray[np.bool_] = np.isin(edges[:, None] * len(listed) + listed, pairs) & (listed != VOID)
    return right


class Squares:
    """The pairs of a puzzle, and how far it got in learning from squares."""

    def __init__(self, pixels: Pixels, lesson: Lesson, rng: np.random.Generator) -> None:
        puzzle, truth = part_of(pixels, lesson, rng)
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            self.edges, self.start, _ = done(paired(puzzle, pool))
        self.weights = self.start
        self.wanted = rng.random((len(self.edges), 1)) < lesson.share
        self.right = neighbours(puzzle, truth, self.edges)

    def examples(self) -> Examples:
        """What a network is told of the wanted pairs now."""
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            closed = done(closed_by(self.edges, self.weights, pool, 0, 1))
        leaders, wanted = loops.leaders(self.edges, self.weights, closed), (self.edges != VOID) & self.wanted
        inputs = np.empty((int(wanted.sum()), loops.INPUTS), np.float32)
        for row, (edge, at) in zip(inputs, np.argwhere(wanted).tolist(), strict=True):
            loops.standing(self.edges, self.start, self.weights, closed, *leaders, edge, at, row)
        return Examples(inputs, self.right[wanted])

    def look(self, model: odds.Model) -> None:
        """Go on with what a network makes of the squares."""
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            self.weights = done(reconsidered(self.edges, self.start, self.weights, pool, model, 0, 1))
        order = np.argsort(np.where(self.edges == VOID, 1, -self.weights), axis=1, kind="stable")
        self.right = np.take_along_axis(self.right, order, axis=1)
        loops.resort(self.edges, self.start, self.weights)


def facing(truth: Placement, count: int) -> NDArray[np.int64]:
    """The edge that each edge faces in the picture, VOID at its rim and at holes."""
    pieces, turns = np.array(truth.pieces), np.array(truth.turns)
    faced = np.full(4 * count, VOID, np.int64)
    for one, other, side, opposite in (
        (np.s_[:, :-1], np.s_[:, 1:], EAST, WEST),
        (np.s_[:-1], np.s_[1:], SOUTH, NORTH),
    ):
        ours, theirs = (4 * pieces[part] + (turns[part] + at) % 4 for part, at in ((one, side), (other, opposite)))
        laid = (pieces[one] != EMPTY) & (pieces[other] != EMPTY)
        faced[ours[laid]], faced[theirs[laid]] = theirs[laid], ours[laid]
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
    shapes: Sequence[tuple[int, ...]] = ((pairs.inputs.shape[1], HIDDEN), (HIDDEN,), (HIDDEN,), ())
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


def learned(parts: Sequence[Examples], steps: int) -> dict[str, Any]:
    """A network as odds.json has it."""
    pairs = Examples(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    names = ("into", "bias", "out", "shift")
    return {name: np.round(each, DIGITS).tolist() for name, each in zip(names, taught(pairs, steps), strict=True)}


def learned_loops(puzzles: Sequence[Squares], steps: int) -> list[dict[str, Any]]:
    """The networks that look at squares, each by what the one before it made of them."""
    models = []
    for _ in range(LOOKS):
        models.append(learned([puzzle.examples() for puzzle in puzzles], steps))
        for puzzle in puzzles:
            puzzle.look(odds.network(models[-1]))
    return models


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--loops", action="store_true", help="teach squares of four, by the pairs that are known")
    parser.add_argument("--out", type=Path, default=Path("odds.json"))
    asked = parser.parse_args()
    rng = np.random.default_rng(5)
    parts = (
        (open_picture(path.read_bytes(), str(path)).pixels, lesson)
        for number, path in enumerate(chosen(asked.folders))
        for lesson in (loop_lessons if asked.loops else lessons)(number)
    )
    if asked.loops:
        puzzles = [Squares(pixels, lesson, rng) for pixels, lesson in parts]
        data = {"pairs": odds.data()["pairs"], "loops": learned_loops(puzzles, LOOP_STEPS)}
    else:
        data = {"pairs": learned([examples(pixels, lesson, rng) for pixels, lesson in parts], STEPS), "loops": []}
    asked.out.write_text(json.dumps(data, separators=(",", ":")))


if __name__ == "__main__":
    main()
