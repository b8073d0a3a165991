"""Seams of scanned fragments: noisy, some lighter than others, the last pixel of the rim lost or doubtful.

A scan of large fragments has many pixels a side, so that noise averages out if enough of them are taken together. What
two rims show is compared at five scales, from single pixels to some thirty at once, each continued to the border by its
own slope. How much may differ there, the fragment itself tells: the same comparison is made across lines inside of it,
noise, texture and all. In logarithms light is a sum, so that what two fragments differ by on the whole counts little:
as much as scanned fragments usually do. In the dark logarithms blur that, so that levels are compared as well, but for
the factor that suits a pair best.

A fragment that is lighter than another may be overexposed: a sky's blue is cut off at 255 and tells nothing any more,
while red and green still do. Such channels are left out, block by block (``kernels.py``).

A small network, taught on other pictures (benchmarks/teach_scans.py), makes one log odds of all these measures and of
how they stand against those of rivals.
"""

import json
from collections.abc import Generator, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import candidates, comparing
from ..candidates import KEPT, WORST, Edges, Paired
from ..edges import colours_of
from ..lines import SEGMENTS, outermost, segment_shares
from ..poses import UNIT, VOID
from ..puzzle import Jigsaw
from . import kernels
from .kernels import CHANNELS, SETS

Reals: TypeAlias = NDArray[np.float64]

SCALES = ((1, 1, 1), (2, 2, 2), (5, 3, 3), (12, 6, 6), (30, 10, 10))  # pixels along; lines near the rim, and behind
ALONG = 4  # of these scales, those at which changes along the rim are compared as well
OF_LIGHT = 3  # the scale at which it is asked how much lighter one of two fragments is, and what is overexposed
MEASURES = 2 * len(SCALES) + ALONG + 2
DEPTH = 40  # lines looked at
ON = 0.7  # of its slope, by which a rim is continued
DARK = 16.0  # levels added before logarithms are taken: noise in the dark is not light
LIGHT = 0.085  # the standard deviation of the logarithm of how much lighter one fragment is than another
FLOOR = 0.0025  # what always may differ, likewise
FLOOR_LEVELS = 0.5  # and of levels of 255
TOP, BELOW_TOP = 0.999, 3.0  # overexposed is what is hardly below what is lightest, in levels
AROUND = 5  # pixels that are averaged before that is asked: noise makes single ones darker and lighter
MOSTLY = 0.2  # of a block
SLACK = 0.2  # the logarithm of by how much one fragment is lighter than another at most
LEAST = 0.05  # added to measures before logarithms are taken
OWN = 50.0  # what a fragment has against itself
LOW, HIGH = -4.0, 8.0  # what the network is told lies between
LIKE_LAB = 25.0  # by which differences of logarithms are about differences of L*a*b*
BLOCK = 400_000  # pairs compared at a time


class Scale(NamedTuple):
    """The edges of one length, at one scale, read clockwise."""

    rims: Reals  # logarithms. [edges, blocks, 3]
    levels: Reals  # as they are. [edges, blocks, 3]
    over: NDArray[np.int64]  # which channels are overexposed, a bit each. [edges, blocks]
    across: Reals  # the inverse of how much rims may differ, by channels left out. [edges, SETS, 3, 3]
    along: Reals  # the same of changes from block to block
    factors: Reals  # the same of levels


class Rivals(NamedTuple):
    """The best and second best measures an edge has with any other. [edges, MEASURES]"""

    best: Reals
    second: Reals


def paired(puzzle: Jigsaw) -> Generator[float, None, Paired]:
    """As ``candidates.paired``: what pairs say by themselves; yields the share that is done."""
    first, _, _, several_alike = candidates.likenesses(puzzle)
    groups = candidates.facing(puzzle, np.unique(first))
    scales = prepared(puzzle)
    yield 0.1
    edges = 4 * puzzle.count
    listed = np.full((edges, min(KEPT, edges)), VOID, np.int32)
    against = np.full(listed.shape, np.inf, np.float32)
    for number, (ours, theirs) in enumerate(groups):
        looks = scales[int(ours[0]) % 2]
        mine, others = rivals(looks, ours, theirs, several_alike)
        for some, measured in _blocks(looks, ours, theirs, several_alike):
            at = np.searchsorted(ours, some)
            block = log_odds(told(measured, Rivals(mine.best[at], mine.second[at]), others))
            comparing.kept(-block, some, theirs, 4, several_alike, listed, against)
        yield 0.1 + 0.85 * (number + 1) / len(groups)
    weights = np.clip(np.rint(-UNIT * against), WORST, -WORST).astype(np.int32)
    kept, kept_weights = np.full((edges, KEPT), VOID, np.int32), np.full((edges, KEPT), WORST, np.int32)
    comparing.gather(listed, weights, False, WORST, kept, kept_weights)
    comparing.mutual(kept, kept_weights)
    return Paired(kept, kept_weights, _means(puzzle), False, worn=True)


def _means(puzzle: Jigsaw) -> NDArray[np.float32]:
    """Mean colours along the edges, about as far apart as in L*a*b*. [edges, SEGMENTS, 3]"""
    lines, lengths = outermost(puzzle)
    means = np.empty((len(lines), SEGMENTS, 3), np.float32)
    for parity, length in enumerate(lengths):
        rim = np.log(lines[parity::2, :2, :length].mean(axis=1) + np.float32(DARK))
        means[parity::2] = LIKE_LAB * np.einsum("sp,epc->esc", segment_shares(length), rim)
    return means


def prepared(puzzle: Jigsaw) -> tuple[list[Scale], list[Scale]]:
    """The edges above and below, and those at the sides, at all scales; of other edges the rows hold nothing."""
    levels = colours_of(puzzle.array).astype(np.float64)
    lightest = overexposed(levels)
    looks = []
    for parity in (0, 1):
        lines, over = (
            np.concatenate([np.rot90(of, side, axes=(1, 2))[:, :DEPTH] for side in (parity, parity + 2)])
            for of in (levels, lightest)
        )
        scales = [_scale(lines, over, *scale) for scale in SCALES]
        looks.append([Scale(*(_spread(part, puzzle.count, parity) for part in scale)) for scale in scales])
    if puzzle.height == puzzle.width:
        both = [Scale(*(one + other for one, other in zip(*pair, strict=True))) for pair in zip(*looks, strict=True)]
        return both, both
    return looks[0], looks[1]


def _spread(part: NDArray[Any], count: int, parity: int) -> NDArray[Any]:
    """Rows for all edges, zero where an edge is of the other sort."""
    spread = np.zeros((4 * count, *part.shape[1:]), part.dtype)
    spread[parity::4], spread[parity + 2 :: 4] = part[:count], part[count:]
    return spread


def overexposed(levels: Reals) -> NDArray[np.bool_]:
    """Where fragments show only that they are as light as can be, channel by channel. As ``levels``."""
    from scipy.ndimage import uniform_filter

    even = uniform_filter(levels, (0, AROUND, AROUND, 0), mode="nearest")
    over: NDArray[np.bool_] = even >= np.quantile(even, TOP, axis=(0, 1, 2)) - BELOW_TOP
    return over


def _scale(lines: Reals, over: NDArray[np.bool_], wide: int, near: int, far: int) -> Scale:
    depth, length = lines.shape[1:3]
    near, far = (max(1, min(number, depth // 4)) for number in (near, far))
    blocks = _blocks_of(length, wide)
    lit = _of_blocks(blocks, np.log(lines + DARK))
    levels = _of_blocks(blocks, lines)
    shares = _of_blocks(blocks, over[:, : near + far].mean(axis=1, keepdims=True))[:, 0]
    lightest = shares > MOSTLY
    lightest &= ~lightest.all(axis=-1, keepdims=True)  # what is white all over is compared as it is
    bits = (lightest << np.arange(CHANNELS)).sum(axis=-1)
    across, along = _inside(lit, near, far)
    factors, _ = _inside(levels, near, far)
    return Scale(
        _continued(lit, near, far), _continued(levels, near, far), bits,
        forms(across, FLOOR), forms(along, 2**0.5 * FLOOR), forms(factors, FLOOR_LEVELS),
    )  # fmt: skip


def _of_blocks(blocks: Reals, lines: Reals) -> Reals:
    """[blocks, pixels], [edges, lines, pixels, 3] to [edges, lines, blocks, 3]"""
    means: Reals = np.einsum("bp,edpc->edbc", blocks, lines, optimize=True)
    return means


def _inside(means: Reals, near: int, far: int) -> tuple[Reals, Reals]:
    """What differs across lines inside, and in changes along them: mean products of channels. [edges, 3, 3]"""
    depth = means.shape[1]
    inside = [at for at in (near + far, near + far + 2, near + far + 4) if at + near + far <= depth] or [depth // 2]
    across, along = (np.zeros((len(means), CHANNELS, CHANNELS)) for _ in range(2))
    for at in inside:
        differ = _continued(means[:, at:], near, far) - _continued(means[:, :at][:, ::-1], near, far)
        across += _products(differ) / len(inside)
        along += _products(np.diff(differ, axis=1)) / len(inside)
    return across, along


def forms(products: Reals, floor: float) -> Reals:
    """The inverse of how much may differ, for every set of channels left out: as much is expected of each set.

    [edges, 3, 3] to [edges, SETS, 3, 3]
    """
    found = np.zeros((len(products), SETS, CHANNELS, CHANNELS))
    for out in range(SETS - 1):
        left = [k for k in range(CHANNELS) if not out >> k & 1]
        some = products[:, left][:, :, left] + floor**2 * np.eye(len(left))
        found[:, out, np.array(left)[:, None], left] = np.linalg.inv(some) * CHANNELS / len(left)
    return found


def _blocks_of(length: int, wide: int) -> Reals:
    """What every pixel has in every block of an edge. [blocks, pixels]"""
    borders = np.linspace(0, length, max(2, round(length / wide)) + 1)
    pixels = np.arange(length)
    shares = np.clip(np.minimum(borders[1:, None], pixels + 1) - np.maximum(borders[:-1, None], pixels), 0, 1)
    averages: Reals = shares / shares.sum(axis=1, keepdims=True)
    return averages


def _continued(means: Reals, near: int, far: int) -> Reals:
    """To the border before the first line. [edges, lines, blocks, 3] to [edges, blocks, 3]"""
    rim, behind = means[:, :near].mean(axis=1), means[:, near : near + far].mean(axis=1)
    continued: Reals = rim + ON * near / (near + far) * (rim - behind)
    return continued


def _products(differ: Reals) -> Reals:
    """Mean squares and products of channels. [edges, blocks, 3] to [edges, 3, 3]"""
    products: Reals = np.einsum("ebi,ebj->eij", differ, differ, optimize=True) / differ.shape[1]
    return products


# pairs


def _blocks(
    looks: Sequence[Scale], ours: Edges, theirs: Edges, several_alike: Edges
) -> Iterator[tuple[Edges, NDArray[np.float32]]]:
    """All pairs, some rows at a time, and the logarithms of their measures. [some, theirs, MEASURES]"""
    several = max(1, BLOCK // len(theirs))
    for begin in range(0, len(ours), several):
        some = ours[begin : begin + several]
        measured = measures(looks, some, theirs)
        own = (some[:, None] // 4 == theirs // 4) & (several_alike[some // 4] == 1)[:, None]
        measured[own] = OWN
        yield some, measured


def measures(looks: Sequence[Scale], ours: Edges, theirs: Edges) -> NDArray[np.float32]:
    """The logarithms of how much pairs differ, against what may differ. [ours, theirs, MEASURES]"""
    found = np.empty((MEASURES, len(ours), len(theirs)))
    factors, number = np.empty(found.shape[1:]), 0
    for at, (rims, levels, over, across, along, by_factor) in enumerate(looks):
        kernels.differences(ours, theirs, rims, over, across, LIGHT, SLACK, found[number])
        number += 1
        if at < ALONG:
            kernels.changes(ours, theirs, rims, over, along, found[number])
            number += 1
        kernels.but_for_a_factor(ours, theirs, levels, over, by_factor, found[number], factors)
        number += 1
        if at == OF_LIGHT:
            found[-2] = (factors / LIGHT) ** 2
            kernels.left_out(ours, theirs, over, found[-1])
    return np.moveaxis(np.log(found + LEAST), 0, -1).astype(np.float32)


def rivals(looks: Sequence[Scale], ours: Edges, theirs: Edges, several_alike: Edges) -> tuple[Rivals, Rivals]:
    """Of our edges among theirs, and the other way round."""
    rows, columns = [], np.full((2, len(theirs), MEASURES), np.inf)
    for _, measured in _blocks(looks, ours, theirs, several_alike):
        rows.append(_two_least(measured.swapaxes(0, 1)))
        columns = _two_least(np.concatenate([columns, measured]))
    mine = np.concatenate(rows, axis=1)
    return Rivals(mine[0], mine[1]), Rivals(columns[0], columns[1])


def _two_least(values: NDArray[np.floating]) -> Reals:
    """Along the first axis."""
    if len(values) == 1:
        values = np.concatenate([values, values])
    return np.partition(values, 1, axis=0)[:2].astype(np.float64)


def told(measured: NDArray[np.float32], mine: Rivals, others: Rivals) -> NDArray[np.float32]:
    """What the network is told of pairs: measures, and how they stand against rivals. [ours, theirs, 3 * MEASURES]"""
    parts = [measured]
    for best, second in ((mine.best[:, None], mine.second[:, None]), (others.best[None], others.second[None])):
        parts.append(measured - np.where(measured <= best, second, best))
    return np.clip(np.concatenate(parts, axis=-1), LOW, HIGH).astype(np.float32)


def log_odds(inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """By the network. [...]"""
    into, bias, out, shift = network()
    said: NDArray[np.float32] = np.tanh(inputs @ into + bias) @ out + shift
    return said


@cache
def network() -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], np.float32]:
    """Of one hidden layer, from odds.json: weights in, their biases, weights out, the bias of the log odds."""
    numbers = json.loads((files(__package__) / "odds.json").read_text())
    into, bias, out = (np.array(numbers[name], np.float32) for name in ("into", "bias", "out"))
    return into, bias, out, np.float32(numbers["shift"])
