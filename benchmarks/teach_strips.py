"""Teaches the seams of shredded paper: makes src/dovetail/jigsaw/strips/odds.json from pages made up for it alone.

    python benchmarks/teach_strips.py [PAGES]

The documents are those of the seeds 10,000,000 and up; tests and benchmarks use seeds below 1,000,000. Each page is
cut at many places, across and down. Of every two states that face each other (see strips/seams.py) it is counted how
often they do across a true cut, and how often between an edge and another edge of the same page or of the page
before: the table is the logarithm of the ratio of the two; so is that of the rhythm of lines (strips/rhythm.py). Rows
of pixels say much the same as the rows above them, so that their sum is far too sure: ``scale`` is what makes log
odds of it, fitted on bags of 30 strips of other pages.
"""

import json
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from dovetail.jigsaw.strips import rhythm as strips_rhythm
from dovetail.jigsaw.strips import seams as strips_seams
from dovetail.jigsaw.strips.pages import page
from dovetail.jigsaw.strips.seams import STATES, as_data, compared, edge_states, relative, scaled

FIRST, PAGES = 10_000_000, 240
FITTING = FIRST + 100_000
NOISE = (0, 2, 4, 8, 12, 16)
CUTS = 48  # of a page, each way
RIVALS = 4  # other edges that each edge is held against
ADDED = 2.0  # to every count
OUT = Path(strips_seams.__file__).with_name("odds.json")


def scan(seed: int, rng: np.random.Generator) -> np.ndarray:
    """A page as darkness, at some resolution, with some noise."""
    image = Image.fromarray(page(seed)[:, :, 0])
    if rng.random() < 0.4:
        zoom = rng.uniform(0.6, 1.4)
        image = image.resize((round(image.width * zoom), round(image.height * zoom)), Image.Resampling.BICUBIC)
    grey = np.rint(np.asarray(image, np.float32) + rng.normal(0, rng.choice(NOISE), image.size[::-1])).clip(0, 255)
    return scaled((grey / 255).astype(np.float32))


def edges(dark: np.ndarray, rng: np.random.Generator, sides: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """States before and after cuts at random places, from the rim of the print on."""
    length = dark.shape[1] if sides == (0, 2) else dark.shape[0]
    at = rng.integers(round(0.05 * length), round(0.95 * length), CUTS)
    near = strips_seams.NEAR
    if sides == (0, 2):
        before, after = ([dark[:, c - near : c] for c in at], [dark[:, c : c + near] for c in at])
    else:
        before, after = ([dark[c - near : c] for c in at], [dark[c : c + near] for c in at])
    return edge_states(np.stack(before), sides[0]), edge_states(np.stack(after), sides[1])


def taught(pages: int, sides: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The table of cuts between these sides, and the one that does not look at the ink near a cut."""
    rng = np.random.default_rng(0)
    true, other = np.full((2, STATES * STATES), ADDED)
    last = None
    for seed in range(FIRST, FIRST + pages):
        ends, begins = edges(scan(seed, rng), rng, sides)
        true += np.bincount((ends.astype(int) * STATES + begins).ravel(), minlength=STATES**2)
        for rival in range(RIVALS):
            rivals = begins[rng.permutation(CUTS)]
            if rival == 0 and last is not None and last.shape == begins.shape:
                rivals = last
            other += np.bincount((ends.astype(int) * STATES + rivals).ravel(), minlength=STATES**2)
        last = begins
    return ratio(true, other, np.arange(STATES)), ratio(true, other, strips_seams.without_ink())


def ratio(true: np.ndarray, other: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The logarithm of how much oftener states face each other across true cuts; equal numbers count as one state."""
    tables = np.zeros((2, numbers.max() + 1, numbers.max() + 1))
    for table, counts in zip(tables, (true, other), strict=True):
        np.add.at(table, np.ix_(numbers, numbers), counts.reshape(STATES, STATES))
    return np.log(tables[0] / tables[0].sum()) - np.log(tables[1] / tables[1].sum())


def heard(pages: int) -> np.ndarray:
    """What the rhythm of lines says of shreds below each other, by how well they agree; rivals lie anywhere."""
    rng = np.random.default_rng(2)
    true, other = np.full((2, strips_rhythm.STEPS), ADDED)
    for seed in range(FITTING, FITTING + pages):
        dark = scan(seed, rng)
        height, width = dark.shape[0] // 10, dark.shape[1] // 6
        shreds = (
            dark[: 10 * height, : 6 * width].reshape(10, height, 6, width).swapaxes(1, 2).reshape(60, height, width)
        )
        steps = strips_rhythm.agreement(shreds)
        at = np.arange(54)
        for counts, found in ((true, steps[at, at + 6]), (other, steps[at, rng.integers(0, 60, (20, 54))])):
            counts += np.bincount(found[found >= 0], minlength=strips_rhythm.STEPS)
    print("rhythm", np.round(true), np.round(other))
    return np.log(true / true.sum()) - np.log(other / other.sum())


def fitted(tables: np.ndarray, pages: int) -> float:
    """By which factor sums become log odds: logistic regression on all pairs of strips of a page (Newton)."""
    rng = np.random.default_rng(1)
    sums, right = [], []
    for seed in range(FITTING, FITTING + pages):
        dark = scan(seed, rng)
        width = dark.shape[1] // 30
        strips = dark[:, : 30 * width].reshape(len(dark), 30, width).swapaxes(0, 1)
        inked = (strips > 0.3).sum(axis=(1, 2)) > 30
        ends, begins = edge_states(strips, 0), edge_states(strips, 2)
        blank = np.full_like(ends[:1], strips_seams.BLANK)
        rims = compared(tables, ends, blank)[:, 0], compared(tables, blank, begins)[0]
        found = relative(compared(tables, ends, begins), *rims, 1)[0]  # with a factor of 1 so far
        both = inked[:, None] & inked[None, :] & ~np.eye(30, dtype=bool)
        sums.append(found[both])
        right.append((np.arange(30)[:, None] + 1 == np.arange(30)[None, :])[both])
    x, y = np.concatenate(sums).astype(float), np.concatenate(right).astype(float)
    weights, inputs = np.zeros(2), np.stack([x, np.ones_like(x)], axis=1)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        slope = inputs.T @ (y - chance)
        bend = (inputs * (chance * (1 - chance))[:, None]).T @ inputs + 1e-6 * np.eye(2)
        weights += np.linalg.solve(bend, slope)
    print(f"log odds are {weights[0]:.3f} of the root of a sum, and {weights[1]:.2f}")
    return round(float(weights[0]), 3)


def main() -> None:
    """Both tables and the factor."""
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    tables = {}
    for name, sides in (("right", (0, 2)), ("down", (3, 1))):
        tables[name], tables[f"{name}_cut"] = taught(pages, sides)
    tables["rhythm"] = heard(pages)
    OUT.write_text(json.dumps(as_data(tables, 1.0)) + "\n")
    strips_seams.tables.cache_clear()
    scale = fitted(strips_seams.tables()[0], max(4, pages // 6))
    OUT.write_text(json.dumps(as_data(tables, scale)) + "\n")
    print(f"{OUT}: {OUT.stat().st_size:,} bytes, {pages} pages")


if __name__ == "__main__":
    main()
