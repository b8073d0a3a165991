"""Eroded pieces: for every edge the few that may face it, by what a network sees across the gap.

The network is one of those of the solver `deep` (``deep/networks.py``). Its encoder makes a vector of each side of a
piece, and the product of two is the logit that they face each other: it costs the same for every piece, however many
there are. How a pair stands against its rivals, and what its pixels say (``candidates.py``), make one log odds. Pixels
know the last lines, the network what goes on behind them, and together they know more than either.
"""

from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from . import candidates, comparing, loops
from .candidates import KEPT, NOWHERE, WORST, Edges, Paired
from .deep import networks
from .driving import within
from .poses import EAST, NORTH, SOUTH, UNIT, VOID, WEST
from .puzzle import Jigsaw

OUTPUT = "sides"  # of the networks [pieces, 4, width], in this order:
RIGHT, LEFT, DOWN, UP = range(4)
AT = {EAST: RIGHT, WEST: LEFT, SOUTH: DOWN, NORTH: UP}  # edges of a piece that lies as it is listed
BATCH = 64  # pieces that are encoded at a time: 0.5 s on a core
BLOCK = 4_000_000  # pairs that are compared at a time
NEVER = np.float32(-1e4)  # the logit of a piece beside itself
LEAST, MOST = np.float32(-12), np.float32(9)  # nats: how a pair may stand against its rivals
UNLISTED = np.float32(WORST / UNIT)  # what pixels say of a pair that they do not list

Vectors: TypeAlias = NDArray[np.float32]


class Scale(NamedTuple):
    """What makes honest log odds of what is known of a pair (benchmarks/fit_learnt_seams.py finds these numbers)."""

    network: float
    pixels: float
    offset: float


# by whether the gap is so wide, and whether pixels are asked too
WIDE = 9.5  # pixels of a patch of 40: from here on it is another network
SCALES = {
    (False, False): Scale(0.85, 0.0, -0.35),
    (False, True): Scale(0.52, 0.44, 0.57),
    (True, False): Scale(1.26, 0.0, 0.88),
    (True, True): Scale(0.91, 0.33, 1.44),
}


def why_not(puzzle: Jigsaw) -> str | None:
    """Why a network cannot judge the seams of a puzzle, if it cannot."""
    if puzzle.sides != 1:
        return "its pieces have two sides, and the network sees one"
    if puzzle.height != puzzle.width:
        return f"its pieces are {puzzle.width}x{puzzle.height}, and the network sees square ones"
    return None


class Known(NamedTuple):
    """What is known of the edges of a puzzle, before pairs are made of them."""

    pixels: Paired  # what their pixels say
    asking: Vectors  # [edges, width]
    asked: Vectors
    rivals: Vectors  # [edges]: the logarithm of the sum over all candidates
    groups: Sequence[tuple[Edges, Edges]]  # which may face which
    several_alike: Edges  # [pieces]


def paired(
    puzzle: Jigsaw, pool: Executor, use_grid: bool, with_pixels: bool, threads: int = 0, folder: Path | None = None
) -> Generator[float, None, Paired]:
    """As ``candidates.paired``: what pairs say by themselves; yields the share that is done."""
    known = yield from looked_at(puzzle, pool, use_grid, threads, folder)
    scale = SCALES[networks.relative_gap(puzzle) > WIDE, with_pixels]
    listed = np.full((len(known.asking), min(KEPT, len(known.asking))), VOID, np.int32)
    against = np.empty(listed.shape, np.float32)
    for ours, theirs, standing, said in compared(known):
        block = np.float32(scale.network) * standing + np.float32(scale.pixels) * said + np.float32(scale.offset)
        comparing.kept(-block, ours, theirs, 4, known.several_alike, listed, against)
    yield 0.95
    edges, weights = _lists(listed, np.where(listed == VOID, UNLISTED, -against).astype(np.float32))
    on_grid, worn = (with_pixels and said for said in (known.pixels.on_grid, known.pixels.worn))
    return Paired(edges, weights, known.pixels.means, on_grid, worn, known.pixels.lies if on_grid else NOWHERE)


def looked_at(
    puzzle: Jigsaw, pool: Executor, use_grid: bool, threads: int = 0, folder: Path | None = None
) -> Generator[float, None, Known]:
    """Pixels are compared, then pieces are shown to the network; yields the share that is done."""
    pixels = yield from within(candidates.paired(puzzle, pool, use_grid, threads), 0.0, 0.3)
    asking, asked = yield from encoded(puzzle, threads, folder)
    first, _, _, several_alike = candidates.likenesses(puzzle)
    groups = candidates.facing(puzzle, np.unique(first))
    known = Known(pixels, asking, asked, np.full(len(asking), NEVER, np.float32), groups, several_alike)
    for ours, _, logits in _blocks(known):
        known.rivals[ours] = _sum(logits)
    yield 0.93
    return known


def compared(known: Known) -> Iterator[tuple[Edges, Edges, Vectors, Vectors]]:
    """All pairs that may be, some at a time: ours, theirs, how they stand, and what their pixels say, both in nats."""
    for ours, theirs, logits in _blocks(known):
        standing = _standing(logits, known.rivals[ours], known.rivals[theirs])
        yield ours, theirs, standing, _said(known.pixels, ours, theirs)


def encoded(
    puzzle: Jigsaw, threads: int = 0, folder: Path | None = None
) -> Generator[float, None, tuple[Vectors, Vectors]]:
    """Vectors of all edges, asking and asked: their product is the logit that the edges face each other. [edges, width]

    Where nobody knows how pieces lie, each is shown in all four turns, and what the network says of the four boards on
    which two edges face each other is averaged.
    """
    card = networks.chosen(networks.relative_gap(puzzle), folder)
    assert card is not None, "networks come with the package"
    network = networks.session(card.name, threads, folder)
    if OUTPUT not in {node.name for node in network.get_outputs()}:
        raise BadInput(f"the network {card.name} does not tell what it compares: it has no output {OUTPUT!r}")
    patches, turns = networks.seen(puzzle), len(puzzle.turns)
    given = {"cells": np.zeros((2, 2), np.float32), "shape": np.zeros(3, np.float32)}  # the encoder asks for neither
    parts = []
    for turn in range(turns):
        turned, several = np.rot90(patches, turn, axes=(2, 3)), []
        for begin in range(0, len(patches), BATCH):
            batch = np.ascontiguousarray(turned[begin : begin + BATCH])
            several.append(network.run([OUTPUT], {"patches": batch, **given})[0])
            yield 0.3 + 0.6 * (turn + min(1.0, (begin + BATCH) / len(patches))) / turns
        parts.append(np.concatenate(several))
    if turns == 1:
        vectors = np.stack([parts[0][:, AT[side]] for side in range(4)], axis=1).reshape(4 * puzzle.count, -1)
        return vectors, vectors
    sides = np.stack(parts)  # [turns, pieces, 4, width]
    # turned so often, the edge at the board's side s is edge s + turn of the piece (``poses.py``)
    asking, asked = (
        np.concatenate(
            [np.stack([sides[(edge - side) % 4, :, AT[side]] for edge in range(4)], axis=1) for side in order], axis=2
        )
        for order in ((EAST, WEST, SOUTH, NORTH), (WEST, EAST, NORTH, SOUTH))
    )
    asking *= np.float32(0.25)
    return asking.reshape(4 * puzzle.count, -1), asked.reshape(4 * puzzle.count, -1)


def _blocks(known: Known) -> Iterator[tuple[Edges, Edges, Vectors]]:
    """The logits of all pairs of edges that may face each other, some rows at a time."""
    for ours, theirs in known.groups:
        columns = np.ascontiguousarray(known.asked[theirs].T)
        several = max(1, BLOCK // len(theirs))
        for begin in range(0, len(ours), several):
            some = ours[begin : begin + several]
            logits = known.asking[some] @ columns
            own = (some[:, None] // 4 == theirs // 4) & (known.several_alike[some // 4] == 1)[:, None]
            logits[own] = NEVER
            yield some, theirs, logits


def _sum(logits: Vectors) -> Vectors:
    """Of the odds in each row, as a logarithm."""
    most = logits.max(axis=1)
    total: Vectors = most + np.log(np.exp(logits - most[:, None]).sum(axis=1))
    return total


def _standing(logits: Vectors, ours: Vectors, theirs: Vectors) -> Vectors:
    """By how many nats each pair beats the rivals of either edge together, on average. [ours, theirs]

    ``ours`` and ``theirs`` are the logarithms of the sums over all candidates of an edge, the pair itself among them.
    """
    sums = np.zeros_like(logits)
    for total in (ours[:, None], theirs[None, :]):
        others = np.maximum(np.float32(1) - np.exp(np.minimum(logits - total, 0)), np.float32(1e-6))
        sums += np.clip(logits - total - np.log(others), LEAST, MOST)
    return np.float32(0.5) * sums


def _said(pixels: Paired, ours: Edges, theirs: Edges) -> Vectors:
    """What pixels say of all pairs of these edges, in nats. [ours, theirs]"""
    said = np.full((len(ours), len(theirs)), UNLISTED, np.float32)
    row, k = np.nonzero(pixels.edges[ours] >= 0)
    said[row, np.searchsorted(theirs, pixels.edges[ours[row], k])] = pixels.weights[ours[row], k] / np.float32(UNIT)
    return said


def _lists(listed: Edges, odds: Vectors) -> tuple[Edges, Edges]:
    """What either edge of a pair lists, likeliest first; a pair weighs the same from either. [edges, KEPT]"""
    shape = len(listed), KEPT
    weights = np.clip(np.rint(UNIT * odds), WORST, -WORST).astype(np.int32)
    edges, said = np.full(shape, VOID, np.int32), np.full(shape, WORST, np.int32)
    comparing.gather(listed, weights, False, WORST, edges, said)
    comparing.mutual(edges, said)
    settled = np.empty_like(said)
    loops.settle(
        edges, said / np.float32(UNIT), WORST, settled
    )  # products are rounded, either way round in its own way
    loops.resort(edges, said, settled)
    return edges, settled
