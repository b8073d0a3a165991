"""Teach the assembler how sure a pair of edges is: makes src/dovetail/jigsaw/odds.json anew.

    python benchmarks/teach_odds.py FOLDER … grid|pairs|loops [--on-grid]

``grid`` teaches where the steps are that compression leaves (``grid.py``), ``pairs`` what pairs of edges say by
themselves (``comparing.py``), ``loops`` what squares of four say (``loops.py``), by the pairs that odds.json knows of.
The latter two once without a grid and once on one: with ``--on-grid``.

Every second picture of each folder is taken, from the first one on in the first folder, from the second one on in the
second, and so on in turn. Parts of them are cut to puzzles, of known and of unknown orientation; small networks then
learn from pairs of edges whether they were neighbours. For the grid, pictures are taken as they are (they have to be
JPEGs with colours of half the resolution), scaled down, and scaled down and compressed anew in two ways. Ours were
taught on sholomon-5015 (01, 03, …), sholomon-10375 (02, 04, …) and sholomon-22755 (01, 03, …). They never saw the other
half of these sets, nor any picture of another set.
"""

import argparse
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from dovetail.core.puzzle import EMPTY, Placement
from dovetail.jigsaw import comparing, grid, grid_seams, loops, odds
from dovetail.jigsaw.candidates import closed_by, compared, likenesses, paired, reconsidered
from dovetail.jigsaw.cutting import cut, shuffled
from dovetail.jigsaw.driving import done as done
from dovetail.jigsaw.edges import colours_of
from dovetail.jigsaw.images import Pixels, open_picture
from dovetail.jigsaw.poses import EAST, NORTH, SOUTH, VOID, WEST
from dovetail.jigsaw.puzzle import Jigsaw

PIECE = 28  # pixels
MOST_LISTED = 24  # candidates of an edge that are learned from: the best ones, where telling apart is hard
HIDDEN = 24  # numbers between inputs and odds
STEPS, BATCH, RATE = 40_000, 4096, 0.01
LOOP_STEPS = 15_000
BLIND = 8  # one in so many parts is judged without the network that looks at seams on a grid
MISSING = 0.1  # of the pieces of some puzzles: around a hole no square closes
LOOKS = 3  # at all squares, each with a network of its own
DIGITS = 5  # of a weight
GRID_PIECES, GRID_ROUNDS, GRID_RIDGE = 800, 12, 1.0
ODDS = Path(odds.__file__).with_name("odds.json")

Numbers: TypeAlias = NDArray[np.float32]
Weights: TypeAlias = tuple[NDArray[np.float64], ...]  # into the hidden numbers, their biases, out of them, a shift


class Lesson(NamedTuple):
    """A part of a picture to be cut, the share of its edges that is learned from, and what is lost of it."""

    rows: int
    cols: int
    rotate: bool
    share: float
    missing: float = 0.0  # of its pieces


class Part(NamedTuple):
    """A part of a picture as a puzzle, and which of its edges are learned from."""

    puzzle: Jigsaw
    truth: Placement
    wanted: NDArray[np.bool_]  # [edges, 1]


class Examples(NamedTuple):
    """Pairs of edges: what the network is told of them, and whether they are neighbours."""

    inputs: Numbers  # [pairs, INPUTS]
    right: NDArray[np.bool_]


WIDE = Lesson(96, 116, False, 0.03)


def lessons(number: int) -> Sequence[Lesson]:
    """Those of one picture: the more rivals there are, the harder it is, so there are small puzzles and large ones."""
    large = Lesson(48, 58, number % 2 == 1, 0.1)
    return Lesson(18, 24, False, 0.8), Lesson(25, 32, True, 0.4), Lesson(25, 32, False, 0.4), large


def grid_lessons(number: int) -> Sequence[Lesson]:
    """On a grid: skies of the largest pictures besides, where an edge has thousands of rivals."""
    return *lessons(number), WIDE


def grid_loop_lessons(number: int) -> Sequence[Lesson]:
    """The same of squares."""
    return *loop_lessons(number), WIDE


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


def puzzles(
    pictures: Iterable[Pixels], lessons: Callable[[int], Sequence[Lesson]], rng: np.random.Generator
) -> Iterator[Part]:
    """Parts of all pictures."""
    for number, pixels in enumerate(pictures):
        for lesson in lessons(number):
            puzzle, truth = part_of(pixels, lesson, rng)
            yield Part(puzzle, truth, rng.random((4 * puzzle.count, 1)) < lesson.share)


def examples(part: Part, use_grid: bool, blind: bool = False) -> Examples:
    """Pairs of a part of a picture; ``blind``: as where the network of the grid does not look."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        pairs = done(compared(part.puzzle, pool, use_grid, look=not blind))
    listed, measured = pairs.listed[:, :MOST_LISTED], (*pairs[:3], comparing.FLOORS)
    wanted = (listed != VOID) & part.wanted
    inputs = np.empty((int(wanted.sum()), comparing.INPUTS + pairs.told.shape[2]), np.float32)
    rivals = comparing.rivals(*measured)
    for row, (edge, at) in zip(inputs, np.argwhere(wanted).tolist(), strict=True):
        comparing.standing(*measured, *rivals, edge, at, row)
    return Examples(inputs, neighbours(part.puzzle, part.truth, listed)[wanted])


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

    def __init__(self, part: Part, use_grid: bool) -> None:
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            self.edges, self.start, _, self.on_grid, self.worn, _ = done(paired(part.puzzle, pool, use_grid))
        self.weights, self.wanted = self.start, part.wanted
        self.right = neighbours(part.puzzle, part.truth, self.edges)

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


def compressions(pixels: Pixels, rng: np.random.Generator) -> Sequence[tuple[Pixels, slice]]:
    """A picture as it came, scaled down, and that compressed anew in two ways; and the kinds of their grids."""
    scale = rng.uniform(0.3, 0.6)
    image = Image.fromarray(pixels)
    small = image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS)
    parts = [(pixels, grid.COARSE), (np.asarray(small), grid.NONE)]
    for kind, subsampling in ((grid.COARSE, 2), (grid.FINE, 0)):
        saved = io.BytesIO()
        small.save(saved, "JPEG", quality=int(rng.integers(50, 93)), subsampling=subsampling)
        parts.append((np.asarray(Image.open(saved)), kind))
    return parts


def steps_of(pixels: Pixels, kind: slice, rng: np.random.Generator) -> tuple[Numbers, NDArray[np.int64]]:
    """The steps of the pieces of a picture, cut anywhere, in any size; and where the grid lies."""
    height, width = (int(each) for each in rng.integers(16, 41, 2)) if rng.random() < 0.5 else (PIECE, PIECE)
    top, left = (int(each) for each in rng.integers(0, grid.PERIOD, 2))
    rows, cols = (pixels.shape[0] - top) // height, (pixels.shape[1] - left) // width
    pieces = cut(pixels[top : top + rows * height, left : left + cols * width], height, width)
    at = np.stack([np.tile(left + width * np.arange(cols), rows), np.repeat(top + height * np.arange(rows), cols)], 1)
    some = rng.permutation(rows * cols)[:GRID_PIECES]
    folded = np.empty((len(some), 2, grid.STEPS), np.float32)
    grid.steps(colours_of(pieces[some]), folded)
    return folded.reshape(-1, grid.STEPS), kind.start + -at[some].ravel() % (kind.stop - kind.start)


def learned_grid(parts: Sequence[tuple[Numbers, NDArray[np.int64]]]) -> list[float]:
    """The weights of the steps, by Newton's method: the likelihood of the truth has but one maximum."""
    inputs = grid.inputs(np.concatenate([folded for folded, _ in parts])).astype(np.float64)
    places = np.concatenate([each for _, each in parts])
    true = inputs[np.arange(len(places)), places]

    def likely(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        scores = inputs @ weights
        scores -= scores.max(axis=1, keepdims=True)
        sums = np.exp(scores).sum(axis=1)
        log = scores[np.arange(len(places)), places] - np.log(sums)
        return np.exp(scores) / sums[:, None], float(log.sum() - GRID_RIDGE / 2 * weights @ weights)

    weights = np.zeros(inputs.shape[2])
    shares, best = likely(weights)
    for _ in range(GRID_ROUNDS):
        means = np.einsum("np,npi->ni", shares, inputs)
        slope = (true - means).sum(axis=0) - GRID_RIDGE * weights
        bend = np.einsum("npi,npj->ij", shares[..., None] * inputs, inputs, optimize=True) - means.T @ means
        step = np.linalg.solve(bend + GRID_RIDGE * np.eye(len(weights)), slope)
        while (after := likely(weights + step))[1] < best:
            step /= 2
        weights, (shares, best) = weights + step, after
    return [round(float(weight), DIGITS) for weight in weights]


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("what", choices=("grid", "pairs", "loops"))
    parser.add_argument("--on-grid", action="store_true", help="by pieces that know how they lie on the grid")
    asked = parser.parse_args()
    rng = np.random.default_rng(5)
    data, kind = odds.data(), odds.kind(asked.on_grid)
    pictures = (open_picture(path.read_bytes(), str(path)).pixels for path in chosen(asked.folders))
    if asked.what == "grid":
        data["grid"] = learned_grid([steps_of(*each, rng) for pixels in pictures for each in compressions(pixels, rng)])
    elif asked.what == "pairs":  # of parts that show no grid, nothing is learned about one
        parts = puzzles(pictures, grid_lessons if asked.on_grid else lessons, rng)
        pairs = [examples(part, asked.on_grid, number % BLIND == 0) for number, part in enumerate(parts)]
        width = comparing.INPUTS + (grid.TOLD + grid_seams.TOLD if asked.on_grid else 0)
        data[kind] = {"pairs": learned([some for some in pairs if some.inputs.shape[1] == width], STEPS), "loops": []}
    else:
        parts = puzzles(pictures, grid_loop_lessons if asked.on_grid else loop_lessons, rng)
        squares = [Squares(part, asked.on_grid) for part in parts]
        data[kind]["loops"] = learned_loops([some for some in squares if some.on_grid == asked.on_grid], LOOP_STEPS)
    ODDS.write_text(json.dumps(data, separators=(",", ":")))


if __name__ == "__main__":
    main()
