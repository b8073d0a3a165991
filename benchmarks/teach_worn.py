"""Teach the assembler how sure a pair of worn edges is: makes src/dovetail/jigsaw/worn/odds.json anew.

    python benchmarks/teach_worn.py FOLDER … [--puzzles 150] [--seconds 170] [--steps 10000] [--seed 1]
                                    [--keep PAIRS.npz] [--from PAIRS.npz …] [--seen | --loops]

Pictures are chosen as in teach_odds.py: every second one of each folder (ours: sholomon-5015, sholomon-10375 and
sholomon-22755, never a picture of another set). They are scaled down to 650 to 1100 pixels, so that pieces show as much
as those of small pictures do; parts of them are cut to pieces of 20 to 48 pixels, shuffled, some turned, and worn by
chance: up to 3 pixels lost a side, noise, light, compression, one of them at least. What has been gathered can be kept,
and learned from again.

With ``--seen``: how much measures and the networks of ``worn/rims.py`` say together. These networks learned from all
pictures of the sets above, so that others are taken, whole folders of them: ours were mcgill-540, pomeranz-805,
pomeranz-2360 and pomeranz-3300. With ``--loops``, from the same pictures: what squares of four say of worn pairs
(``loops.py``), which are in doubt far more often than those that touch.
"""

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image
from teach_odds import DIGITS, Examples, Part, Squares, chosen, done, learned_loops, neighbours, taught

from dovetail.core.puzzle import Placement
from dovetail.jigsaw import standing
from dovetail.jigsaw.candidates import VOID
from dovetail.jigsaw.cutting import cut, listed, shuffled
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.puzzle import Jigsaw, Making
from dovetail.jigsaw.worn import rims, wearing
from dovetail.jigsaw.worn import seams as worn_seams

MOST_PAIRS = 20_000  # of a puzzle
SHARE = 0.5  # of the edges of a puzzle, whose squares are learned from
SHARP = 0.35  # of the pictures, which are scaled without smoothing them first
HARD = 24  # candidates of an edge that are learned from: the best by the first measures
ODDS = Path(worn_seams.__file__).with_name("odds.json")


def scaled(path: Path, rng: np.random.Generator) -> Pixels:
    """A picture as wide as small ones are, smooth or sharp."""
    with Image.open(path) as image:
        width = min(int(rng.integers(450, 1100)), image.width)
        size = width, round(width * image.height / image.width)
        image.draft("RGB", (2 * size[0], 2 * size[1]))  # read no finer than needed
        how = Image.Resampling.NEAREST if rng.random() < SHARP else Image.Resampling.LANCZOS
        return np.asarray(image.convert("RGB").resize(size, how))


def wear(rng: np.random.Generator) -> Making:
    """How the pieces of one puzzle are worn."""
    while True:
        worn = Making(
            erode=int(rng.choice([0, 1, 1, 2, 2, 3])),
            noise=float(rng.choice([0, 0, rng.uniform(1, 12)])),
            brightness=float(rng.choice([0, 0, rng.uniform(0.03, 0.15)])),
            jpeg=int(rng.choice([0, 0, 0, rng.integers(60, 96)])),
        )
        if wearing.is_worn(worn):
            return worn


def worn_part(pixels: Pixels, rng: np.random.Generator) -> tuple[Jigsaw, Placement]:
    """A part of a picture, cut, shuffled and worn."""
    side = 28 if rng.random() < 0.7 else int(rng.integers(20, 48))
    rows = min(pixels.shape[0] // side, int(rng.integers(10, 20)))
    cols = min(pixels.shape[1] // side, int(rng.integers(12, 26)))
    top, left = (
        int(rng.integers(0, length - number * side + 1))
        for length, number in zip(pixels.shape[:2], (rows, cols), strict=True)
    )
    part = pixels[top : top + rows * side, left : left + cols * side]
    puzzle, truth = shuffled(cut(part, side, side), rows, cols, rng, rotate=bool(rng.random() < 0.25))
    return listed(wearing.worn(puzzle.faces, wear(rng), rng), (rows, cols), puzzle.rotate), truth


def examples(pixels: Pixels, rng: np.random.Generator, seen: bool) -> Examples:
    """Pairs of a part of a picture."""
    worn, truth = worn_part(pixels, rng)
    with ThreadPoolExecutor(2) as pool:
        if seen:
            edges, values = done(rims.looked_at(worn, done(worn_seams.measured(worn, pool))))
        else:
            edges, values, _ = done(worn_seams.compared(worn, pool))
    right = neighbours(worn, truth, edges)
    best = np.argsort(np.argsort(values[..., :5].mean(axis=2), axis=1), axis=1) < HARD
    edge, k = np.nonzero((edges != VOID) & (best | right))
    some = rng.permutation(len(edge))[:MOST_PAIRS]
    edge, k = edge[some], k[some]
    told = standing.inputs(edges, values, *standing.standing_out(edges, values), edge, k)
    return Examples(told, right[edge, k])


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--puzzles", type=int, default=150)
    parser.add_argument("--seconds", type=float, default=170)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seen", action="store_true")
    parser.add_argument("--loops", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--from", dest="kept", nargs="*", type=Path, default=[])
    asked = parser.parse_args()
    rng, begin = np.random.default_rng(asked.seed), time.monotonic()
    all_of = [path for folder in asked.folders for path in sorted(folder.iterdir())]
    paths, parts = all_of if asked.seen or asked.loops else chosen(asked.folders), []
    if asked.loops:
        squares = []
        while len(squares) < asked.puzzles and time.monotonic() - begin < asked.seconds:
            puzzle, truth = worn_part(scaled(paths[int(rng.integers(len(paths)))], rng), rng)
            part = Squares(Part(puzzle, truth, rng.random((4 * puzzle.count, 1)) < SHARE), False)
            squares += [part] * part.worn
        keep({"loops": learned_loops(squares, asked.steps)})
        return
    while paths and len(parts) < asked.puzzles and time.monotonic() - begin < asked.seconds:
        parts.append(examples(scaled(paths[int(rng.integers(len(paths)))], rng), rng, asked.seen))
    for path in asked.kept:
        with np.load(path) as kept:
            parts.append(Examples(kept["inputs"].astype(np.float32), kept["right"]))
    pairs = Examples(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    print(f"{len(parts)} parts, {len(pairs.right)} pairs, {pairs.right.mean():.4f} of them right")
    if asked.keep:
        np.savez(asked.keep, inputs=pairs.inputs.astype(np.float16), right=pairs.right)
        return
    names = ("into", "bias", "out", "shift")
    weights = taught(pairs, asked.steps)
    model = {name: np.round(each, DIGITS).tolist() for name, each in zip(names, weights, strict=True)}
    keep({"seen" if asked.seen else "pairs": model})


def keep(models: dict[str, object]) -> None:
    """In the file, beside what is there."""
    ODDS.write_text(json.dumps(json.loads(ODDS.read_text()) | models, separators=(",", ":")))


if __name__ == "__main__":
    main()
