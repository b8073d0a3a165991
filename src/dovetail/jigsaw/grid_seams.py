"""Seams of a picture that JPEG compressed, as a network sees them: what the squares on both sides say of each other.

In a clear sky a seam between two squares shows nothing but how brightness and colour go on over it, to a fraction of a
level; and colours of half the resolution are smoothed when they are read, so that a rim holds a quarter of what lies
beyond it. A seam within a square must go on as the few waves do that the square is made of. The measures of
``comparing.py`` look at two lines of pixels and know none of that; this network looks at 16 lines, in pairs of pixels
along the seam, and is told how the seam lies on the grid (``grid.py``). It was taught by
benchmarks/teach_grid_seams.py; ``grid_seams.json`` is its card.
"""

import json
from collections.abc import Generator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import standing
from .candidates import Edges
from .deep import networks
from .lines import outermost, segment_shares
from .poses import VOID
from .puzzle import Jigsaw

LINES = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 8), (8, 12), (12, 16), (16, 22), (22, 28))  # from the rim inwards: means
DEPTH = LINES[-1][1]
SMALLEST = 16  # pixels: at smaller pieces the network does not look
CELL = 2  # pixels along the seam that are one: colours have half the resolution
TOLD = 4  # numbers that the odds are told of a pair
DISAGREE = -3.0  # nats against a pair by the grid: who has so much is not looked at
UNLIKE = 2.0  # by how much the first measure's logarithm may be above the best of either edge
STEP = 2.5  # nats: what speaks against a pair is told in these
LEAST, MOST = -10.0, 10.0  # nats; who is not looked at has the least
BLOCK_PIECES, BLOCK_EDGES, PAIRS = 500, 4000, 512  # looked at together
LUMA = np.array([0.299, 0.587, 0.114], np.float32)

Reals = NDArray[np.float32]


class Sides(NamedTuple):
    """What edges of one length add to the sums of a seam, as seen from themselves and from the edge that faces them.

    [edges, cells, sums], in half precision: sums are of differences of some levels at most.
    """

    near: NDArray[np.float16]
    far: NDArray[np.float16]
    at: NDArray[np.int64]  # [all edges]: which of these an edge is


def seen(puzzle: Jigsaw) -> tuple[Reals, tuple[int, int]]:
    """The outermost lines of all edges: brightness and both colours, by cells along the edge. Short ones are padded.

    And how many cells edges to the north and to the east have. [edges, cells, 3 * lines]
    """
    cells = (count(puzzle.width), count(puzzle.height))
    shown = np.zeros((4 * puzzle.count, max(cells), 3 * len(LINES)), np.float32)
    for begin in range(0, puzzle.count, BLOCK_PIECES):
        some = np.arange(begin, min(puzzle.count, begin + BLOCK_PIECES))
        lines, lengths = outermost(puzzle, some, DEPTH)
        bright = lines @ LUMA
        blue, red = (np.float32(scale) * (lines[..., at] - bright) for scale, at in ((0.564, 2), (0.713, 0)))
        planes = np.stack([bright - np.float32(128), blue, red], axis=-1)
        deep = np.stack([planes[:, first:last].mean(axis=1) for first, last in LINES], axis=1)
        for side in range(4):
            many, length = cells[side % 2], lengths[side % 2]
            shares = segment_shares(length, many).astype(np.float32)
            mean = np.einsum("sp,elpc->eslc", shares, deep[side::4, :, :length], optimize=True)
            shown[4 * begin + side : 4 * (begin + len(some)) : 4, :many] = mean.reshape(len(some), many, -1)
    return shown, cells


def count(pixels: int) -> int:
    """How many cells an edge has."""
    return max(1, round(pixels / CELL))


def asked(listed: Edges, first: Reals, told: Reals) -> NDArray[np.bool_]:
    """Which pairs are looked at: those that the grid allows, and that the first measure's logarithm does not rule out.

    [edges, most]
    """
    value = np.where(listed == VOID, np.inf, first)
    best = value.min(axis=1)
    likely: NDArray[np.bool_] = value < np.maximum(best[:, None], best[np.maximum(listed, 0)]) + UNLIKE
    likely &= (told[..., 0] > DISAGREE) & (listed != VOID)
    return likely


def kept(
    puzzle: Jigsaw, listed: Edges, first: Reals, told: Reals, most: int, threads: int = 0, look: bool = True
) -> Generator[float, None, tuple[Edges, Reals]]:
    """Of the edges listed for every edge the best ones by either judge, in turn; and what the odds are told of them.

    That is what the grid tells, and how they stand by the network. ``first`` is the logarithm of the first measure, by
    which the lists are sorted, ``told`` what the grid tells. Yields the share that is done. At pieces that are too
    small for it the network does not look, and all pairs stand alike. [edges, most], [edges, most, numbers]
    """
    if look and min(puzzle.height, puzzle.width) >= SMALLEST:
        said = yield from looked_at(puzzle, listed, first, told, threads)
    else:
        said = np.full(listed.shape, LEAST, np.float32)
    place = np.arange(listed.shape[1])
    for begin in range(0, len(listed), BLOCK_EDGES):
        part = slice(begin, begin + BLOCK_EDGES)
        by_said = np.argsort(np.argsort(-said[part], axis=1, kind="stable"), axis=1)
        turns = np.where(listed[part] == VOID, 2 * len(place), np.minimum(2 * by_said, 2 * place + 1))
        order = np.argsort(turns, axis=1, kind="stable")
        listed[part] = np.take_along_axis(listed[part], order, axis=1)
        said[part] = np.take_along_axis(said[part], order, axis=1)
        told[part] = np.take_along_axis(told[part], order[..., None], axis=1)
    listed, said = listed[:, :most].copy(), said[:, :most].copy()
    return listed, np.concatenate([told[:, :most], _standing(listed, said)], axis=2)


def looked_at(
    puzzle: Jigsaw, listed: Edges, first: Reals, told: Reals, threads: int = 0
) -> Generator[float, None, Reals]:
    """What the network says of every pair, in nats: the least of those at which it does not look. [edges, most]"""
    shown, cells = seen(puzzle)
    yield 0.05
    sides = encoded(shown, cells, threads)
    yield 0.15
    edge, k = np.nonzero(asked(listed, first, told))
    other = listed[edge, k].astype(np.int64)
    # a pair is looked at once, whoever lists it; how it lies on the grid is the same from either edge
    pairs, one, which = np.unique(
        np.minimum(edge, other) * len(listed) + np.maximum(edge, other), return_index=True, return_inverse=True
    )
    lies, answers = told[edge[one], k[one], 1:], np.empty(len(pairs), np.float32)
    ours, theirs = np.divmod(pairs, len(listed))
    for begin in range(0, len(pairs), PAIRS):
        part = slice(begin, begin + PAIRS)
        answers[part] = judged(sides, cells, ours[part], theirs[part], lies[part], threads)
        yield 0.15 + 0.85 * min(1.0, (begin + PAIRS) / len(pairs))
    said = np.full(listed.shape, LEAST, np.float32)
    said[edge, k] = np.clip(answers[which], LEAST, MOST)
    return said


def _standing(listed: Edges, said: Reals) -> Reals:
    """How pairs stand against their rivals. [edges, most, TOLD]"""
    values = np.where(listed == VOID, np.inf, -said / np.float32(STEP)).astype(np.float32)[..., None]
    rivals, (edge, k) = standing.standing_out(listed, values), np.nonzero(listed != VOID)
    stands = np.zeros((*listed.shape, TOLD), np.float32)
    stands[edge, k] = standing.inputs(listed, values, *rivals, edge, k)
    return stands


def encoded(shown: Reals, cells: tuple[int, int], threads: int = 0) -> dict[int, Sides]:
    """What every edge adds to the sums of a seam, by how many cells it has."""
    network, sides, edges = _session("grid_sides", threads), {}, np.arange(len(shown))
    for many in sorted(set(cells)):
        own = np.flatnonzero(np.array(cells)[edges % 2] == many)
        parts = [
            network.run(None, {"edges": shown[own[begin : begin + BLOCK_EDGES], :many]})
            for begin in range(0, len(own), BLOCK_EDGES)
        ]
        near, far = (np.concatenate(each) for each in zip(*parts, strict=True))
        sides[many] = Sides(near, far, np.searchsorted(own, edges))
    return sides


def judged(
    sides: dict[int, Sides], cells: tuple[int, int], ours: NDArray[Any], theirs: NDArray[Any], lies: Reals,
    threads: int = 0,
) -> Reals:  # fmt: skip
    """What the network says of pairs, in nats."""
    network, said = _session("grid_seams", threads), np.empty(len(ours), np.float32)
    for many, (near, far, at) in sides.items():
        own = np.flatnonzero(np.array(cells)[ours % 2] == many)
        if len(own):
            given = {"near": near, "far": far, "ours": at[ours[own]], "theirs": at[theirs[own]], "lies": lies[own]}
            said[own] = network.run(None, given)[0]
    return said


def _session(name: str, threads: int) -> Any:
    """One of the two parts of the network, ready to run."""
    return _loaded(name, threads)


@cache
def _loaded(name: str, threads: int) -> Any:
    folder = files(__package__)
    expected = json.loads((folder / "grid_seams.json").read_text("utf-8"))["sha256"][name]
    return networks.started(name, (folder / f"{name}.onnx").read_bytes(), expected, threads)
