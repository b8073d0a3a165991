"""How well strips and shreds of paper lie beside each other: what their edges say, row of pixels by row.

At every row an edge is in one of a few states: how dark its last pixel is, whether it darkens or brightens towards
the cut, and how much ink there is near it. Of every two states that face each other a table has the log odds that
they do across a true cut rather than between any two strips of a bag: ink that goes on, and white between letters
that lies on the same line of text, speak for a pair; ink that ends at the cut, or white between lines that meets
white between letters, against it. A seam is worth the sum over its rows, less what two blank edges are worth, so that
blank paper beside blank paper is worth nothing, whether it is a margin, a gutter, or the end of a page.

Rows are not independent: where a cut runs between two columns of text, all lines end near it at once. So there is a
second table that does not look at the ink near a cut, only at what is cut itself, and the better of both sums counts.
A rule that crosses the cut says more than a row of letters: it counts several times. And a cut may run just along the
beginning of all lines, or along their ends: by a third table and a fourth, ink that begins or ends there costs
nothing, but that it does so costs something once.

Nor are rows of one stroke, or the lines of one paragraph, so that sums are far too sure; and some edges like nobody.
What counts is by how much a pair is better than the best rival of either edge, blank paper beyond the rim of a page
being one of them; log odds grow like the root of that (``relative``).

``odds.json`` holds the tables; benchmarks/teach_strips.py makes it from pages of its own.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .puzzle import Strips
from .rhythm import log_odds

LEVELS = (0.08, 0.2, 0.4, 0.65)  # of darkness at the cut, between which states change
TRENDS = (-0.1, 0.1)  # by how much the last pixel is darker than the one before
INK = (0.03, 0.12, 0.3, 0.5)  # mean darkness near the cut; above the last, ink is solid: a rule, or a photograph
FLUSH = 15.0  # what it costs if all lines begin, or end, at a cut
SOLID = 5.0  # rows of letters that a row of solid ink is worth
NEAR = 10  # pixels that are near
STATES = (len(LEVELS) + 1) * (len(TRENDS) + 1) * (len(INK) + 1)
BLANK = len(INK) + 1  # the state of blank paper: no ink, and neither darker nor brighter
USUAL_HEIGHT = 1400  # pixels of a page for which the tables are; larger ones are reduced by whole factors
SPARSE = 5  # of so many rows of pixels, one tells what paper and ink look like
PART, BRIGHT = 24, 85  # rows of pixels of a part of a strip, and the percentile of grey that is its paper
UNEVEN = 0.06  # by how much paper may differ
NOISY = 0.02  # of darkness, from which on it is smoothed
SMALL = 4.0  # sums up to which it is noise
MOST = 20.0  # nats: no pair is surer, or less likely, than that
FAINT, SPOTTED = (
    0.05,
    5.0,
)  # darkness of a spot of 3x3 pixels that is taken for ink; or more than so many times the noise
STEEP = 3.0  # standard deviations of a step of ink from row to row
DARK = 0.45  # that is ink, whatever the noise
PALE = 0.25  # darkness up to which it may be paper

Numbers = NDArray[np.float32]
States = NDArray[np.uint8]


@dataclass(frozen=True)
class Seams:
    """What is known of all pieces in all poses, in nats; a pose is ``turns`` of a piece, piece by piece. [count, turns]

    Blank paper is worth 0 beside blank paper.
    """

    right: Numbers  # [poses, poses]: the second lies right of the first
    down: Numbers  # [poses, poses]: below it; all 0 of strips, which have nothing below them
    rim: Numbers  # [4, poses]: blank paper lies right of, above, left of, below it
    upright: Numbers  # [poses]: above 0 if its lines of text seem to stand on their feet
    blank: NDArray[np.bool_]  # [count]: nothing is printed on it
    inked: NDArray[np.bool_]  # [poses, rows of pixels]: whether there is ink in it
    white: NDArray[np.int64]  # [2, poses]: columns of pixels without ink at its left and at its right


@cache
def tables() -> tuple[Numbers, Numbers, float]:
    """For seams beside each other and below each other [4, STATES, STATES], and what makes log odds of their sums."""
    data = json.loads((files(__package__) / "odds.json").read_text())
    right, down = (np.stack([_table(data[name]), *_flush(_table(data[f"{name}_cut"]))]) for name in ("right", "down"))
    return right, down, float(data["scale"])


def _flush(table: Numbers) -> list[Numbers]:
    """The same, and where ink may begin at the cut, and where it may end there; solid ink may not."""
    states = np.arange(STATES)
    pale = states // (STATES // (len(LEVELS) + 1)) == 0
    letters = states % (len(INK) + 1) < len(INK)
    begins, ends = pale[:, np.newaxis] & letters, letters[:, np.newaxis] & pale
    return [table, *(np.where(free, table[BLANK, BLANK], table) for free in (begins, ends))]


@cache
def rhythm() -> Numbers:
    """What the rhythm of lines is worth, by how well it goes on. [steps]"""
    return np.array(json.loads((files(__package__) / "odds.json").read_text())["rhythm"], np.float32)


def _table(numbers: list[float]) -> Numbers:
    """[STATES, STATES], from that, or from the smaller one in which the ink near a cut does not count."""
    side = math.isqrt(len(numbers))
    table = np.array(numbers, np.float32).reshape(side, side)
    if side < STATES:
        table = table[np.ix_(without_ink(), without_ink())]
    solid = np.arange(STATES) % (len(INK) + 1) == len(INK)
    blank = table[BLANK, BLANK]
    return np.where(solid[:, np.newaxis] | solid, blank + SOLID * (table - blank), table)


def without_ink() -> NDArray[np.int64]:
    """Of every state its number where the ink near a cut counts only if it is solid. [STATES]"""
    states = np.arange(STATES)
    numbers: NDArray[np.int64] = states // (len(INK) + 1) * 2 + (states % (len(INK) + 1) == len(INK))
    return numbers


def seams(puzzle: Strips) -> Seams:
    """Look at every piece in every pose."""
    right, down, _ = tables()
    dark = darkness(puzzle)
    shown = np.stack([_posed(dark, turn) for turn in puzzle.turns], axis=1)  # [count, turns, height, width]
    poses = shown.reshape(-1, *shown.shape[2:])
    edges = [edge_states(poses, side) for side in range(4)]
    sums = [compared(right, edges[0], edges[2])]
    rims = [_at_rim(right, edges[0], True), _at_rim(right, edges[2], False)]
    if puzzle.down > 1:
        sums.append(compared(down, edges[3], edges[1]))
        rims += [_at_rim(down, edges[3], True), _at_rim(down, edges[1], False)]
    upright = _upright(poses)
    if puzzle.sides == 2:  # turned over like a page, right is left
        under = _from_behind(puzzle)
        sums = [each + (each[under][:, under] if at else each[under][:, under].T) for at, each in enumerate(sums)]
        rims = [each + rims[at if at > 1 else 1 - at][under] for at, each in enumerate(rims)]
        upright = upright + upright[under]
    turns = len(puzzle.turns)
    beside = relative(sums[0], rims[0], rims[1], turns)
    if puzzle.down > 1:
        below = relative(sums[1], rims[2], rims[3], turns)
        follows = log_odds(rhythm(), poses)
        below = (below[0] + follows, *below[1:])
    else:
        below = (np.zeros_like(beside[0]), *np.zeros((2, len(poses)), np.float32))
    blank = spots(dark).max(axis=1) < max(FAINT, SPOTTED * noise(dark))
    rim = np.stack([beside[1], below[2], beside[2], below[1]])
    return Seams(beside[0], below[0], rim, upright, blank, poses.max(axis=-1) > DARK, _white(poses))


def darkness(puzzle: Strips) -> Numbers:
    """From 0, paper, to 1, ink; the same scale for all pieces, since grey must go on across a cut as well.

    [count, sides, height, width]
    """
    faces = puzzle.faces.astype(np.float32) / np.float32(np.iinfo(puzzle.faces.dtype).max)
    grey = faces[..., 0] if puzzle.channels < 3 else faces[..., :3] @ np.array([0.299, 0.587, 0.114], np.float32)
    if puzzle.channels % 2 == 0:
        grey = grey * faces[..., -1] + (1 - faces[..., -1])
    factor = max(1, round(puzzle.height * puzzle.down / USUAL_HEIGHT))
    return scaled(_evened(_reduced(grey, factor)))


def _evened(grey: Numbers) -> Numbers:
    """As if the light had been even, where it clearly was not: a page photographed, not scanned.

    What is bright in a part of a strip is taken for its paper; if that differs over the middle half of all parts.
    """
    height = grey.shape[-2]
    tops = np.arange(0, max(1, height - PART // 2), PART)
    papers = np.stack([np.percentile(grey[..., top : top + PART, :], BRIGHT, axis=(-2, -1)) for top in tops], axis=-1)
    dim, usual, light = np.percentile(papers, [25, 50, 75])
    if light - dim < UNEVEN:
        return grey
    middles = np.minimum(tops + PART / 2, height - 1)
    rows = np.arange(height)
    local = np.apply_along_axis(lambda paper: np.interp(rows, middles, paper), -1, papers)
    evened: Numbers = (grey * (usual / np.maximum(local, 0.1))[..., np.newaxis]).clip(0, 1).astype(np.float32)
    return evened


def scaled(grey: Numbers) -> Numbers:
    """Grey levels as darkness: ink is what is darker than nearly all, paper is as bright as most of a page."""
    black, white = np.percentile(grey[..., ::SPARSE, :], [1, 70])
    dark: Numbers = ((white - grey) / max(0.12, white - black)).clip(0, 1).astype(np.float32)
    return _smoothed(dark, -2) if noise(dark) > NOISY else dark


def noise(dark: Numbers) -> float:
    """How much neighbouring pixels of blank paper differ by chance; blank is where most of a page is."""
    some = dark[..., ::SPARSE, :]
    steps = np.abs(np.diff(some, axis=-1))[np.maximum(some[..., 1:], some[..., :-1]) < PALE]
    return float(np.median(steps)) if steps.size else 0.0


def edge_states(pieces: Numbers, side: int) -> States:
    """Along the right (0), top (1), left (2) or bottom (3), from the top or the left. [..., height or width]"""
    across = pieces if side in (0, 2) else pieces.swapaxes(-1, -2)  # the cut is at an end of the last axis
    outward = across[..., ::-1] if side in (0, 3) else across  # the cut is at its beginning
    last, before = outward[..., 0], outward[..., min(1, outward.shape[-1] - 1)]
    near = _smoothed(outward[..., :NEAR].mean(axis=-1), -1)
    level, trend, ink = (
        np.searchsorted(limits, values) for limits, values in ((LEVELS, last), (TRENDS, last - before), (INK, near))
    )
    return ((level * (len(TRENDS) + 1) + trend) * (len(INK) + 1) + ink).astype(np.uint8)


def relative(sums: Numbers, end: Numbers, begin: Numbers, turns: int) -> tuple[Numbers, Numbers, Numbers]:
    """Log odds of all pairs [n, n], and of blank paper after each [n] and before each [n], from their sums.

    A piece, which has so many poses, is no rival for itself.
    """
    count = len(sums)
    own = np.arange(count) // turns
    table = np.full((count + 1, count + 1), -np.inf, np.float32)
    table[:-1, :-1] = np.where(own[:, np.newaxis] == own, -np.inf, sums)
    table[:-1, -1], table[-1, :-1] = end, begin
    rivals = np.full_like(table, -np.inf)
    for axis in (0, 1):
        second, first = np.partition(table, count - 1, axis=axis).take([count - 1, count], axis=axis).swapaxes(0, axis)
        first, second = (np.expand_dims(each, axis) for each in (first, second))
        rival = np.where(table == first, second, first)
        rival[-1 if axis == 1 else slice(None), slice(None) if axis == 1 else -1] = -np.inf  # many lie at the rim
        rivals = np.maximum(rivals, rival)
    some = np.isfinite(table) & np.isfinite(rivals)
    better = np.where(some, table - np.where(some, rivals, 0), 0)
    odds = (tables()[2] * rooted(better)).clip(-MOST, MOST)
    return odds[:-1, :-1], odds[:-1, -1], odds[-1, :-1]


def rooted(sums: Numbers) -> Numbers:
    """What grows like the root, but for small sums, which noise makes too."""
    root: Numbers = (sums / np.sqrt(np.abs(sums) + SMALL)).astype(np.float32)
    return root


def compared(tables: Numbers, ends: States, begins: States) -> Numbers:
    """Every end [n, length] with every begin [m, length]: sums over the rows, less those of blank paper. [n, m]

    By the best of the tables. [k, STATES, STATES]
    """
    from .kernels import summed

    totals = np.zeros((len(tables), len(ends), len(begins)), np.float32)
    worth = tables - tables[:, BLANK, BLANK, np.newaxis, np.newaxis]
    summed(worth, np.ascontiguousarray(ends), np.ascontiguousarray(begins), totals)
    totals -= np.array([0, 0, FLUSH, FLUSH], np.float32)[: len(tables), np.newaxis, np.newaxis]
    best: Numbers = totals.max(axis=0)
    return best


def _at_rim(tables_: Numbers, edges: States, end: bool) -> Numbers:
    """What edges are worth before, or after, blank paper. [n]"""
    blank = np.full_like(edges[:1], BLANK)
    return compared(tables_, edges, blank)[:, 0] if end else compared(tables_, blank, edges)[0]


def _posed(dark: Numbers, turn: int) -> Numbers:
    """The face that shows, turned as it lies. [count, height, width]"""
    face = dark[:, turn // 4]
    return face[:, ::-1, ::-1] if turn % 4 == 2 else face


def _from_behind(puzzle: Strips) -> NDArray[np.int64]:
    """Of every pose the one that shows when what lies is turned over like a page. [poses]"""
    turns = puzzle.turns
    other = np.array([turns.index(-turn % 4 + 4 * (turn < 4)) for turn in turns])
    poses: NDArray[np.int64] = (np.arange(puzzle.count)[:, np.newaxis] * len(turns) + other).ravel()
    return poses


def _upright(poses: Numbers) -> Numbers:
    """Lines of text end more sharply below than above: fewer letters hang down than stick out.

    So from one row of pixels to the next, ink falls off more steeply than it rises: the skewness of these steps, turned
    round, times the ink that speaks. [poses]
    """
    steps = np.diff(poses.mean(axis=-1), axis=-1)
    spread = np.sqrt((steps**2).mean(axis=-1)) + np.float32(1e-6)
    steady = (steps / spread[:, np.newaxis]).clip(-STEEP, STEEP)  # rules and photographs are steeper than letters
    upright: Numbers = -(steady**3).mean(axis=-1) * np.minimum(1, 50 * spread)
    return upright


def spots(dark: Numbers) -> Numbers:
    """The darkest spot of 3x3 pixels of every face. [count, sides]"""
    if min(dark.shape[-2:]) < 3:
        return np.asarray(dark.max(axis=(-2, -1)), np.float32)
    rows = dark[..., :-2, :] + dark[..., 1:-1, :] + dark[..., 2:, :]
    means = (rows[..., :-2] + rows[..., 1:-1] + rows[..., 2:]) / np.float32(9)
    return np.asarray(means.max(axis=(-2, -1)), np.float32)


def _white(poses: Numbers) -> NDArray[np.int64]:
    """Columns without ink at the left and at the right. [2, poses]"""
    inked = (poses > PALE).sum(axis=1) > 1  # [poses, width]
    some, width = inked.any(axis=1), inked.shape[1]
    return np.stack([np.where(some, side.argmax(axis=1), width) for side in (inked, inked[:, ::-1])])


def _reduced(grey: Numbers, factor: int) -> Numbers:
    if factor == 1:
        return grey
    height, width = (max(1, length // factor) for length in grey.shape[-2:])
    whole = grey[..., : height * factor, : width * factor]
    cells = whole.reshape(*grey.shape[:-2], height, -1, width, whole.shape[-1] // width)
    return np.asarray(cells.mean(axis=(-3, -1)), np.float32)


def _smoothed(values: Numbers, axis: int) -> Numbers:
    """Each with half of its neighbours."""
    along = np.moveaxis(values, axis, -1)
    padded = np.concatenate([along[..., :1], along, along[..., -1:]], axis=-1)
    mean = (padded[..., :-2] + 2 * padded[..., 1:-1] + padded[..., 2:]) / np.float32(4)
    return np.moveaxis(mean, -1, axis)


def as_data(named: Mapping[str, Any], scale: float) -> dict[str, Any]:
    """What ``tables`` reads."""
    rounded = {name: [round(float(number), 2) for number in np.ravel(table)] for name, table in named.items()}
    return {**rounded, "scale": scale}
