"""Seams of worn pieces: eroded by some pixels, noisy, compressed one by one, or some brighter than others.

``candidates.py`` compares the last lines of two pieces, and is too sure of what fits by chance where those are gone or
spoilt. Here edges are smoothed along and across, in logarithms of colours, so that light falls out as what two rims
differ by on the whole: what changes along the edge counts, and tints. A small network, taught on pieces worn in all
these ways (benchmarks/teach_worn.py), makes one log odds of thirteen measures, how they stand against those of rivals,
and how well the pieces of this puzzle fit in general: that tells it how worn they are.
"""

import json
import math
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import candidates, comparing, odds, standing
from ..candidates import KEPT, WORST, Compared, Edges, Paired
from ..driving import SLICES, spread, within
from ..edges import Colours
from ..gapped import Gapped
from ..lines import SEGMENTS, outermost, segment_shares
from ..measures import form, precision, shown
from ..poses import UNIT, VOID
from ..puzzle import Jigsaw
from . import kernels, rims

LISTED = 32  # edges kept for every edge by how their rims fit, and as many by how they change along
DARK, LEVELS = 24.0, 80.0  # colours are ``LEVELS * log(colour + DARK)``: noise in the dark is not light
FINE, SOFT, WIDE = (1, 0.7), (2, 1.0), (4, 1.5)  # lines of which a rim is the mean, pixels by which it is smoothed
AHEAD = 1.5  # pixels beyond the rim
SEGMENTS_ON = 0.6  # of what mean colours change by from the third line on, once more
# what is noise, a pair: below, all fit about equally well
FLOORS = np.array([1.5, 1.5, 1.5, 1.5, 1.5, 0.1, 0.1, 0.3, 0.5, 5, 5, 1.5, 5], np.float32)
ASKED, LEAST_ASKED = 4000, 64  # edges that are asked whether they are worn; of fewer nobody can tell
# Of pieces that touch: how far the best candidate changes otherwise along the seam, at most, in variances a pixel; and
# the same if few are sure of theirs; by how much a quarter of the clear ones differ in brightness (natural logarithms).
# 30 whole pictures of the sets 432, 540 and 805 stay below; eroded by a pixel, with noise from 5, saved as JPEG of
# quality 90, or with 5 % of differences in light, those tried are above
CHANGED, SOMEWHAT_CHANGED, DOUBTED, LIGHT = 1.9, 1.6, 0.68, 0.013
UNSURE = 0.86  # where edges are less sure than this of the best, the networks are asked whether anything is lost
VARIED = 1.0  # levels by which the edges that are asked vary at least: networks were never shown less
SLICE = 2000  # edges whose pairs are judged at a time


class Rims(NamedTuple):
    """What is measured of the edges, all read clockwise, in single precision; short ones are padded.

    [edges, pixels, 3], [edges, 6], [edges, segments, 3]
    """

    fine: Colours
    beyond: Colours  # and the mean step across the edge once more
    soft: Colours
    wide: Colours
    ahead: Colours  # where each pixel leads
    across: Colours  # the inverse covariance of the steps across the edge: the upper half
    along_fine: Colours  # those of the steps along it
    along_soft: Colours
    along_wide: Colours
    near: Colours  # mean colours of segments
    near_on: Colours  # as they become beyond the rim if they go on


def look_worn(puzzle: Jigsaw, pairs: Compared, said: Paired, threads: int = 0) -> bool:
    """Whether pieces are eroded, noisy or lit unevenly, from how pairs were compared as if they touched.

    Asked are the edges with more changes along them than half of all. If pieces touch, how the best candidate changes
    along the seam is as likely as the changes of the edge itself; and where that alone is clear, both are as bright. If
    few are sure of theirs, the networks say whether the surest pairs touch.
    Of puzzles with known gaps no: the network that looks across them was weighed against the other measures.
    """
    if isinstance(puzzle, Gapped) or puzzle.sides != 1 or len(pairs.listed) < LEAST_ASKED or pairs.listed.shape[1] < 2:
        return False
    edges = np.arange(0, len(pairs.listed), max(1, 4 * puzzle.count // ASKED | 1))  # of all four sides: steps are odd
    edges = edges[pairs.listed[edges, 1] != VOID]
    if len(edges) < LEAST_ASKED:  # most pieces look alike
        return False
    along = pairs.values[edges, :, 1]
    order = along.argsort(axis=1)[:, :2]
    best, second = np.take_along_axis(along, order, axis=1).T
    other = np.take_along_axis(pairs.listed[edges], order[:, :1], axis=1)[:, 0]
    (texture, bright), length = _looks(puzzle, edges), np.array([puzzle.width, puzzle.height])[edges % 2]
    asked = texture >= np.median(texture)
    change = float(np.quantile((best / (6 * (length - 1)))[asked], _middle(puzzle)))
    trust = float((1 / (1 + np.exp(-said.weights[edges[asked], 0] / UNIT))).mean())
    clear = asked & (best < candidates.CLEAR * second)
    apart = np.abs(bright - _looks(puzzle, other)[1])[clear]
    unlit = len(apart) >= candidates.LEAST_CLEAR and float(np.quantile(apart, 0.25)) > LIGHT
    if said.on_grid:  # pieces that agree about the grid have lost nothing; light may be uneven all the same
        return unlit and trust < UNSURE
    changed = change > CHANGED or (change > SOMEWHAT_CHANGED and trust < DOUBTED)
    seen = trust < UNSURE and float(texture[asked].mean()) > VARIED
    return unlit or changed or (seen and rims.eroded(puzzle, said, threads))


def _middle(puzzle: Jigsaw) -> float:
    """The middle of the edges that have a neighbour: those at the rim and beside lost pieces find none that fits.

    Limits were found on boards of 432 pieces and more, where hardly any edge is at the rim: there it is one half.
    """
    lost = puzzle.missing / (puzzle.count + puzzle.missing)
    return min(0.5, 0.5 * (1 - 1 / math.sqrt(puzzle.count) - lost) / (1 - 1 / math.sqrt(432)))


def _looks(puzzle: Jigsaw, edges: NDArray[np.integer[Any]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How much colours change along these edges, and the mean logarithm of their brightness at the rim. [edges]"""
    pieces, at = np.unique(edges // 4, return_inverse=True)
    lines, lengths = outermost(puzzle, pieces)
    texture, bright = (np.empty(len(edges)) for _ in range(2))
    for side in range(4):
        these = edges % 4 == side
        outer = lines[4 * at[these] + side, :2, : lengths[side % 2]].astype(np.float64)
        texture[these] = outer[:, 0].std(axis=1).mean(axis=1)
        grey = outer.mean(axis=3)
        bright[these] = np.log(np.maximum(1.5 * grey[:, 0] - 0.5 * grey[:, 1], 0) + DARK).mean(axis=1)
    return texture, bright


def paired(puzzle: Jigsaw, pool: Executor, threads: int = 0) -> Generator[float, None, Paired]:
    """What worn pairs say by themselves; yields the share that is done."""
    if rims.why_not(puzzle):
        return (yield from measured(puzzle, pool))
    said = yield from within(measured(puzzle, pool), 0.0, 0.3)
    return (yield from within(rims.paired(puzzle, said, threads), 0.3, 1.0))


def measured(puzzle: Jigsaw, pool: Executor) -> Generator[float, None, Paired]:
    """The same by measures alone."""
    listed, values, lines = yield from compared(puzzle, pool)
    rivals, weights = standing.standing_out(listed, values), np.full(listed.shape, WORST, np.int32)
    model = network()

    def judge(part: slice) -> None:
        edge, k = np.nonzero(listed[part] != VOID)
        edge += part.start
        said = standing.odds_of(standing.inputs(listed, values, *rivals, edge, k), model)
        weights[edge, k] = np.clip(np.rint(UNIT * said), WORST, -WORST)

    yield from spread(pool, judge, len(listed), SLICE, 0.8, 0.9)
    kept, kept_weights = np.full((len(listed), KEPT), VOID, np.int32), np.full((len(listed), KEPT), WORST, np.int32)
    comparing.gather(listed, weights, False, WORST, kept, kept_weights)
    comparing.mutual(kept, kept_weights)
    return Paired(kept, kept_weights, lines.near / np.float32(LEVELS / 25), False, True)


def compared(puzzle: Jigsaw, pool: Executor) -> Generator[float, None, tuple[Edges, NDArray[np.float32], Rims]]:
    """Pairs that may be, and the logarithms of their measures. [edges, most], [edges, most, MEASURES]"""
    lines, lengths = outermost(puzzle)
    rims = prepared(lines, lengths)
    yield 0.1
    listed = yield from _first(puzzle, rims, lengths, pool)
    values = np.empty((*listed.shape, kernels.MEASURES), np.float32)

    def measure(part: slice) -> None:
        kernels.measure(listed, part.start, part.stop, np.array(lengths), rims, values)
        np.log(values[part] + FLOORS, out=values[part])

    yield from spread(pool, measure, len(listed), SLICE, 0.5, 0.8)
    return listed, values, rims


def prepared(lines: Colours, lengths: tuple[int, int]) -> Rims:
    """All that is measured of edges, from their outermost lines [edges, DEPTH, pixels, 3]."""
    edges, _, longest, _ = lines.shape
    rims = Rims(
        *(np.zeros((edges, longest, 3), np.float32) for _ in range(5)),
        *(np.zeros((edges, 6), np.float32) for _ in range(4)),
        *(np.zeros((edges, SEGMENTS, 3), np.float32) for _ in range(2)),
    )
    for side in range(4):
        length = lengths[side % 2]
        for begin in range(side, edges, 4 * SLICE):
            these = slice(begin, begin + 4 * SLICE, 4)
            for into, value in zip(rims, _prepared(lines[these, :, :length].astype(np.float64)), strict=True):
                (into[these, :length] if into.shape[1] == longest and value.ndim == 3 else into[these])[...] = value
    return rims


def _prepared(lines: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """The same of edges of one length, in the order of ``Rims``."""
    from scipy.ndimage import gaussian_filter1d

    lit = LEVELS * np.log((lines + DARK) / (128 + DARK))

    def smooth(rim: NDArray[np.float64], pixels: float) -> NDArray[np.float64]:
        smoothed: NDArray[np.float64] = gaussian_filter1d(rim, pixels, axis=1)
        return smoothed

    fine, soft, wide = (smooth(lit[:, :number].mean(axis=1), pixels) for number, pixels in (FINE, SOFT, WIDE))
    steps = smooth(lit[:, 0] - lit[:, 1], FINE[1])
    slopes = smooth((lit[:, 0] + lit[:, 1] - lit[:, 2] - lit[:, 3]) / 4, FINE[1])
    upper = ([0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2])
    inverses = (precision(each)[:, *upper] for each in (steps, *(np.diff(rim, axis=1) for rim in (fine, soft, wide))))
    shares = segment_shares(lines.shape[2])
    near, far = (np.einsum("sp,epc->esc", shares, part.mean(axis=1)) for part in (lit[:, :2], lit[:, 2:5]))
    beyond = fine + steps.mean(axis=1, keepdims=True)
    return fine, beyond, soft, wide, fine + AHEAD * slopes, *inverses, near, near + SEGMENTS_ON * (near - far)


def _first(puzzle: Jigsaw, rims: Rims, lengths: tuple[int, int], pool: Executor) -> Generator[float, None, Edges]:
    """For every edge those that fit best, and those that change along most alike. [edges, up to 2 * LISTED]"""
    first, _, _, several_alike = candidates.likenesses(puzzle)
    groups, edges = candidates.facing(puzzle, np.unique(first)), 4 * puzzle.count
    most = min(LISTED, edges)
    lists = np.full((2, edges, most), VOID, np.int32)
    for number, (ours, theirs) in enumerate(groups):
        length, share = lengths[int(ours[0]) % 2], 0.4 / len(groups)
        knows, shows = _factors(rims, np.union1d(ours, theirs), length, edges)
        for into, columns in zip(lists, (slice(None), slice(7 + 3 * length, None)), strict=True):
            compare = _comparing(ours, theirs, knows[:, columns], shows[:, columns], several_alike, into)
            several = max(1, candidates.BLOCK_NUMBERS // len(theirs) // SLICES)
            begin = 0.1 + share * number
            yield from spread(pool, compare, len(ours), several, begin, begin + share)
    both = np.sort(np.concatenate([*lists], axis=1), axis=1)[:, ::-1].copy()
    both[:, 1:][both[:, 1:] == both[:, :-1]] = VOID
    listed: Edges = np.take_along_axis(both, np.argsort(both == VOID, axis=1, kind="stable"), axis=1)
    return listed


def _comparing(
    ours: Edges, theirs: Edges, knows: Colours, shows: Colours, several_alike: Edges, into: Edges
) -> Callable[[slice], None]:
    """The work of comparing some of our edges with all of theirs, of which the best are kept."""
    right = np.ascontiguousarray(np.hstack([shows[theirs], knows[theirs]]).T)
    least = np.empty(into.shape, np.float32)

    def compare(part: slice) -> None:
        some = ours[part]
        comparing.kept(np.hstack([knows[some], shows[some]]) @ right, some, theirs, 4, several_alike, into, least)

    return compare


def _factors(rims: Rims, some: NDArray[np.int32], length: int, edges: int) -> tuple[Colours, Colours]:
    """What edges know of their neighbours and show to them, across and then along: ``measures.py``. [edges, factors]"""
    width = 2 * 7 + 3 * (2 * length - 1)
    knows, shows = (np.zeros((edges, width), np.float32) for _ in range(2))
    for begin in range(0, len(some), SLICE):
        these = some[begin : begin + SLICE]
        fine, beyond = (rim[these, :length].astype(np.float64) for rim in (rims.fine, rims.beyond))
        across, along = (_full(each[these].astype(np.float64)) for each in (rims.across, rims.along_fine))
        back = fine[:, ::-1]
        knows[these] = np.hstack([form(beyond, across), form(np.diff(fine, axis=1), along)])
        shows[these] = np.hstack([shown(back), shown(np.diff(back, axis=1))])
    return knows, shows


def _full(upper: NDArray[np.float64]) -> NDArray[np.float64]:
    """Symmetric matrices from their upper halves. [n, 6] to [n, 3, 3]"""
    return upper[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)


@cache
def network() -> odds.Model:
    """What makes log odds of measures."""
    return odds.network(_data()["pairs"])


@cache
def loops() -> Sequence[odds.Model]:
    """The networks that look at squares of four, one after the other."""
    return [odds.network(each) for each in _data()["loops"]]


def _data() -> Any:
    return json.loads((files(__package__) / "odds.json").read_text())
