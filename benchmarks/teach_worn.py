"""Teach the assembler how sure a pair of worn edges is: makes src/dovetail/jigsaw/worn/odds.json anew.

    python benchmarks/teach_worn.py FOLDER … [--puzzles 150] [--seconds 170] [--steps 10000] [--seed 1]
                                    [--keep PAIRS.npz] [--from PAIRS.npz …]

Pictures are chosen as in teach_odds.py: every second one of each folder (ours: sholomon-5015, sholomon-10375 and
sholomon-22755, never a picture of another set). They are scaled down to 650 to 1100 pixels, so that pieces show as much
as those of small pictures do; parts of them are cut to pieces of 20 to 48 pixels, shuffled, some turned, and worn by
chance: up to 3 pixels lost a side, noise, light, compression, one of them at least. What has been gathered can be kept,
and learned from again.
"""

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image
from teach_odds import DIGITS, Examples, chosen, done, neighbours, taught

from dovetail.jigsaw.candidates import VOID
from dovetail.jigsaw.cutting import cut, listed, shuffled
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.puzzle import Jigsaw, Making
from dovetail.jigsaw.worn import seams as worn_seams
from dovetail.jigsaw.worn import wearing

MOST_PAIRS = 20_000  # of a puzzle
HARD = 24  # candidates of an edge that are learned from: the best by the first measures
ODDS = Path(worn_seams.__file__).with_name("odds.json")


def scaled(path: Path, rng: np.random.Generator) -> Pixels:
    """A picture as wide as small ones are."""
    with Image.open(path) as image:
        width = int(rng.integers(650, 1100))
        size = width, round(width * image.height / image.width)
        image.draft("RGB", (2 * size[0], 2 * size[1]))  # read no finer than needed
        return np.asarray(image.convert("RGB").resize(size, Image.Resampling.LANCZOS))


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


def examples(pixels: Pixels, rng: np.random.Generator) -> Examples:
    """Pairs of a part of a picture."""
    side = 28 if rng.random() < 0.7 else int(rng.integers(20, 48))
    rows = min(pixels.shape[0] // side, int(rng.integers(10, 20)))
    cols = min(pixels.shape[1] // side, int(rng.integers(12, 26)))
    top, left = (
        int(rng.integers(0, length - number * side + 1))
        for length, number in zip(pixels.shape[:2], (rows, cols), strict=True)
    )
    part = pixels[top : top + rows * side, left : left + cols * side]
    puzzle, truth = shuffled(cut(part, side, side), rows, cols, rng, rotate=bool(rng.random() < 0.25))
    worn: Jigsaw = listed(wearing.worn(puzzle.faces, wear(rng), rng), (rows, cols), puzzle.rotate)
    with ThreadPoolExecutor(2) as pool:
        edges, values, _ = done(worn_seams.compared(worn, pool))
    right = neighbours(worn, truth, edges)
    best = np.argsort(np.argsort(values[..., :5].mean(axis=2), axis=1), axis=1) < HARD
    edge, k = np.nonzero((edges != VOID) & (best | right))
    some = rng.permutation(len(edge))[:MOST_PAIRS]
    edge, k = edge[some], k[some]
    return Examples(worn_seams.inputs(edges, values, *worn_seams.standing_out(edges, values), edge, k), right[edge, k])


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--puzzles", type=int, default=150)
    parser.add_argument("--seconds", type=float, default=170)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--from", dest="kept", nargs="*", type=Path, default=[])
    asked = parser.parse_args()
    rng, begin = np.random.default_rng(asked.seed), time.monotonic()
    paths, parts = chosen(asked.folders), []
    while paths and len(parts) < asked.puzzles and time.monotonic() - begin < asked.seconds:
        parts.append(examples(scaled(paths[int(rng.integers(len(paths)))], rng), rng))
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
    ODDS.write_text(json.dumps({"pairs": model}, separators=(",", ":")))


if __name__ == "__main__":
    main()
