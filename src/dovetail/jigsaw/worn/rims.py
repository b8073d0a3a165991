"""Worn rims as two networks see them, taught for that (benchmarks/teach_rims.py; ``rims.json`` is their card).

*Rim* turns the outermost lines of an edge into a vector to ask with, a vector to be asked with, and half a seam of
either kind: it is run once an edge, and products of vectors find those that may face it. *Seam* adds the halves of two
edges, looks along and says how much likelier it is that they face each other than that nothing here faces either: it is
run once a pair, for the few pairs that vectors or measures speak for. Both are told how many pixels are lost between
two pieces; nobody tells us, so what makes the surest pairs likeliest is taken. A small network (odds.json, "seen")
makes one log odds of what measures, seams and vectors say of a pair and of its rivals.
"""

import json
from collections.abc import Generator, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import candidates, comparing, odds, standing
from ..candidates import KEPT, WORST, Edges, Paired
from ..deep import networks
from ..lines import outermost, segment_shares
from ..poses import UNIT, VOID
from ..puzzle import Jigsaw

DEPTH = 12  # lines of an edge that are looked at
SEGMENTS = 8  # of a rim, of whose means vectors are made
SHORTEST = 14  # pixels of a rim: the networks were not taught on shorter ones
LOST = (0, 2, 4, 6, 8)  # pixels between two pieces that they were taught on
ASKED = 100  # pairs that are asked how many are lost
CLEARLY = 0.35  # nats a pair
BY_VECTORS, BY_MEASURES = 24, 12  # candidates of an edge that are shown to the seam network
BATCH, PAIRS = 256, 1024  # edges and pairs that are looked at together
BLOCK = 4_000_000  # pairs whose vectors are multiplied at a time
MOST = 20.0  # nats
STEP = 2.5  # nats: what speaks against a pair is told in these

Reals = NDArray[np.float32]


class Rims(NamedTuple):
    """What the network makes of edges; short ones are padded."""

    ask: Reals  # [edges, width]
    asked: Reals
    ours: Reals  # [edges, numbers, pixels]
    theirs: Reals  # the same of the other edge of a seam, read the other way round


def why_not(puzzle: Jigsaw) -> str | None:
    """Why the networks cannot look at the rims of a puzzle, if they cannot."""
    if puzzle.sides != 1:
        return "its pieces have two sides, and the networks see one"
    if min(puzzle.height, puzzle.width) < SHORTEST:
        return (
            f"its pieces are {puzzle.width}x{puzzle.height}, and the networks see those of {SHORTEST} pixels and more"
        )
    return None


def paired(puzzle: Jigsaw, measured: Paired, threads: int = 0) -> Generator[float, None, Paired]:
    """What pairs say by themselves, from what measures say of them; yields the share that is done."""
    listed, values = yield from looked_at(puzzle, measured, threads)
    rivals, weights = standing.standing_out(listed, values), np.full(listed.shape, WORST, np.int32)
    edge, k = np.nonzero(listed != VOID)
    said = standing.odds_of(standing.inputs(listed, values, *rivals, edge, k), network())
    weights[edge, k] = np.clip(np.rint(UNIT * said), WORST, -WORST)
    kept, kept_weights = np.full((len(listed), KEPT), VOID, np.int32), np.full((len(listed), KEPT), WORST, np.int32)
    comparing.gather(listed, weights, False, WORST, kept, kept_weights)
    comparing.mutual(kept, kept_weights)
    return measured._replace(edges=kept, weights=kept_weights)


def looked_at(
    puzzle: Jigsaw, measured: Paired, threads: int = 0
) -> Generator[float, None, tuple[Edges, NDArray[np.float32]]]:
    """Pairs that may be, and what speaks against each: measures, seams, vectors. [edges, most], [edges, most, 3]"""
    lines, lengths = outermost(puzzle, depth=DEPTH)
    lost = lost_between(measured, lines, lengths, threads)
    yield 0.1
    rims = yield from encoded(lines, lengths, lost, threads)
    listed, vectors = _listed(puzzle, measured, rims)
    yield 0.5
    values = np.full((*listed.shape, 3), np.inf, np.float32)
    edge, k = np.nonzero(listed != VOID)
    values[edge, k, 0] = -WORST / UNIT
    at, place = np.nonzero(measured.edges != VOID)
    here = _where(listed, at, measured.edges[at, place])
    values[at[here >= 0], here[here >= 0], 0] = -measured.weights[at, place][here >= 0] / UNIT
    values[edge, k, 2] = -vectors[edge, k]
    # a pair is looked at once, whoever lists it
    other = listed[edge, k].astype(np.int64)
    low, high = np.minimum(edge, other), np.maximum(edge, other)
    pairs, which = np.unique(low * len(listed) + high, return_inverse=True)
    seams = np.empty(len(pairs), np.float32)
    for part in _parts(len(pairs), PAIRS):
        one, two = np.divmod(pairs[part], len(listed))
        seams[part] = judged(rims, one, two, np.array(lengths)[one % 2], threads)
        yield 0.5 + 0.45 * part.stop / len(pairs)
    values[edge, k, 1] = -np.clip(seams[which], -MOST, MOST)
    values /= np.float32(STEP)
    return listed, values


def eroded(puzzle: Jigsaw, measured: Paired, threads: int = 0) -> bool:
    """Whether the surest pairs are clearly likelier if pixels are lost between them than if they touch."""
    if why_not(puzzle):
        return False
    touching, apart = likely(measured, *outermost(puzzle, depth=DEPTH), LOST[:2], threads)
    return apart > touching + CLEARLY


def lost_between(measured: Paired, lines: Reals, lengths: tuple[int, int], threads: int = 0) -> int:
    """How many pixels are lost between two pieces: with so many, the surest pairs are likeliest."""
    said = likely(measured, lines, lengths, LOST, threads)
    return LOST[int(np.argmax(said))] if any(said) else LOST[1]


def likely(
    measured: Paired, lines: Reals, lengths: tuple[int, int], losses: Sequence[int], threads: int = 0
) -> Sequence[float]:
    """How likely the surest pairs are with so many pixels lost between them, in nats; zeros if there are none."""
    best = measured.edges[:, 0]
    mutual = (best != VOID) & (best[best] == np.arange(len(best))) & (np.arange(len(best)) < best)
    ours = np.flatnonzero(mutual)
    ours = ours[np.argsort(-measured.weights[ours, 0], kind="stable")][:ASKED]
    if not len(ours):
        return [0.0] * len(losses)
    edges, half = np.concatenate([ours, best[ours]]), np.arange(len(ours))
    said = []
    for lost in losses:
        rims = _run_rim(lines[edges], edges, lengths, lost, threads)
        logits = judged(rims, half, half + len(ours), np.array(lengths)[ours % 2], threads)
        said.append(float(np.clip(logits, -MOST, MOST).mean()))
    return said


def encoded(lines: Reals, lengths: tuple[int, int], lost: int, threads: int = 0) -> Generator[float, None, Rims]:
    """All edges, some at a time."""
    several = []
    for part in _parts(len(lines), BATCH):
        several.append(_run_rim(lines[part], np.arange(part.start, part.stop), lengths, lost, threads))
        yield 0.1 + 0.35 * part.stop / len(lines)
    return Rims(*(np.concatenate(each) for each in zip(*several, strict=True)))


def judged(rims: Rims, ours: NDArray[Any], theirs: NDArray[Any], length: NDArray[Any], threads: int = 0) -> Reals:
    """What the seam network says of pairs, in nats, that are so many pixels long."""
    seam, logits = _session("seam", threads), np.empty(len(ours), np.float32)
    for long in np.unique(length):
        own = np.flatnonzero(length == long)
        given = {"ours": rims.ours[ours[own], :, :long], "theirs": rims.theirs[theirs[own], :, :long]}
        logits[own] = seam.run(None, given)[0]
    return logits


def _run_rim(lines: Reals, edges: NDArray[Any], lengths: tuple[int, int], lost: int, threads: int) -> Rims:
    """Of edges of either length; what is shorter is looked at without the padding."""
    rim, parts = _session("rim", threads), {}
    for length in sorted(set(lengths)):
        own = np.flatnonzero(np.array(lengths)[edges % 2] == length)
        if len(own):
            colours = np.ascontiguousarray(lines[own, :, :length].transpose(0, 3, 1, 2)) / np.float32(255)
            told = np.full(len(own), lost, np.float32)
            parts[length] = own, rim.run(None, {"lines": colours, "lost": told, "segments": shares(length)})
    if len(parts) == 1:
        return Rims(*next(iter(parts.values()))[1])
    some = next(iter(parts.values()))[1]
    whole = Rims(
        *(np.zeros((len(edges), each.shape[1], *[max(lengths)] * (each.ndim - 2)), np.float32) for each in some)
    )
    for length, (own, found) in parts.items():
        for into, value in zip(whole, found, strict=True):
            into[(own, slice(None), slice(length))[: value.ndim]] = value
    return whole


def _listed(puzzle: Jigsaw, measured: Paired, rims: Rims) -> tuple[Edges, Reals]:
    """Those that vectors like best, and those that measures do; and what vectors say of them, in nats."""
    first, _, _, several_alike = candidates.likenesses(puzzle)
    edges = 4 * puzzle.count
    best = np.full((edges, min(BY_VECTORS, edges)), VOID, np.int32)
    least = np.empty(best.shape, np.float32)
    for ours, theirs, block in _blocks(puzzle, rims, np.unique(first)):
        comparing.kept(-block, ours, theirs, 4, several_alike, best, least)
    both = np.sort(np.concatenate([best, measured.edges[:, :BY_MEASURES]], axis=1), axis=1)[:, ::-1].copy()
    both[:, 1:][both[:, 1:] == both[:, :-1]] = VOID
    listed: Edges = np.take_along_axis(both, np.argsort(both == VOID, axis=1, kind="stable"), axis=1)
    vectors = np.zeros(listed.shape, np.float32)
    for part in _parts(edges, BATCH):
        other = np.maximum(listed[part], 0)
        vectors[part] = np.einsum("ew,ekw->ek", rims.ask[part], rims.asked[other])
        vectors[part] += np.einsum("ew,ekw->ek", rims.asked[part], rims.ask[other])
    return listed, vectors


def _blocks(puzzle: Jigsaw, rims: Rims, pieces: NDArray[np.int64]) -> Iterator[tuple[Edges, Edges, Reals]]:
    """What vectors say of all pairs that may be, some rows at a time."""
    for ours, theirs in candidates.facing(puzzle, pieces):
        rows = np.hstack([rims.ask[ours], rims.asked[ours]])
        columns = np.ascontiguousarray(np.hstack([rims.asked[theirs], rims.ask[theirs]]).T)
        for part in _parts(len(ours), max(1, BLOCK // len(theirs))):
            yield ours[part], theirs, rows[part] @ columns


def _where(listed: Edges, edge: NDArray[Any], other: Edges) -> NDArray[np.int64]:
    """At which place of its list each edge has the other, -1 if at none."""
    found = listed[edge] == other[:, None]
    return np.where(found.any(axis=1), found.argmax(axis=1), -1)


def _parts(number: int, several: int) -> Iterator[slice]:
    return (slice(begin, min(number, begin + several)) for begin in range(0, number, several))


@cache
def shares(length: int) -> Reals:
    """How much each pixel of an edge counts in the mean of each of its segments. [SEGMENTS, length]"""
    return segment_shares(length, SEGMENTS).astype(np.float32)


@cache
def network() -> odds.Model:
    """What makes one log odds of the three."""
    return odds.network(json.loads((files(__package__) / "odds.json").read_text())["seen"])


def _session(name: str, threads: int) -> Any:
    """One of the two networks, ready to run."""
    return _loaded(name, threads)


@cache
def _loaded(name: str, threads: int) -> Any:
    folder = files(__package__)
    expected = json.loads((folder / "rims.json").read_text("utf-8"))["sha256"][name]
    return networks.started(name, (folder / f"{name}.onnx").read_bytes(), expected, threads)
