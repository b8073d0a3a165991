"""How sure the assembler is of a board: a chance for every seam and every piece.

A seam is judged by its own odds and those of its best rivals, by the squares of four it is part of, by what else holds
its two pieces, and by whether the boards annealed apart from each other agree on it. A small network makes a chance
of that; another one makes the chance of a piece of those of its seams. ``chances.json`` holds both;
benchmarks/calibration.py makes that file, and says from which pictures.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.confidence import Chances, Confidence
from ...core.puzzle import EMPTY, Placement
from ..hints.told import Group
from ..poses import UNIT, VOID, Fits
from .interchangeable import interchangeable
from .words import in_words

FIRM = 2.0  # nats: seams above it hold pieces together
CLIP = 12.0  # nats: what is larger tells no more
LOST = -12.0  # nats: of a seam or a rival that is not there
SEAM_INPUTS, PIECE_INPUTS = 14, 7

Numbers: TypeAlias = NDArray[np.float64]
Poses: TypeAlias = NDArray[np.int64]  # [rows, cols], VOID where nothing lies
Pair: TypeAlias = tuple[Any, Any]  # what cuts two neighbouring boards out of one
ACROSS_SEAM: Pair = (np.s_[:, :-1], np.s_[:, 1:])
DOWN_SEAM: Pair = (np.s_[:-1], np.s_[1:])


class Weights(NamedTuple):
    """What the seams of a board weigh, in nats; NaN where there is none. [rows, cols - 1] and [rows - 1, cols]"""

    right: Numbers
    down: Numbers


def judged(
    fits: Fits, placement: Placement, others: Sequence[Placement], learnt: bool, groups: Sequence[Group] = ()
) -> Confidence:
    """The chances of a board.

    ``others`` are boards that were annealed apart, ``learnt`` says if a network saw the seams, and ``groups`` of pieces
    lie together because somebody said so.
    """
    board = poses_of(fits, placement)
    right, down = seam_chances(fits, board, [poses_of(fits, other) for other in others], learnt)
    for group in groups:
        told = np.isin(board // fits.span, [*group.members]) & (board >= 0)
        for chances, (one, other) in ((right, ACROSS_SEAM), (down, DOWN_SEAM)):
            chances[told[one] & told[other]] = 1.0
    pieces = piece_chances(board, right, down)
    for group in groups:
        if group.anchored:
            pieces[np.isin(board // fits.span, [*group.members]) & (board >= 0)] = 1.0
    alike = interchangeable(fits, board, pieces)
    shown = [as_chances(grid, board.shape) for grid in (pieces, right, down)]
    return Confidence(shown[0], shown[1], shown[2], in_words(pieces, alike), alike)


def poses_of(fits: Fits, placement: Placement) -> Poses:
    """A placement as poses. [rows, cols]"""
    pieces, turns = np.array(placement.pieces, np.int64), np.array(placement.turns, np.int64)
    return np.where(pieces == EMPTY, VOID, pieces * fits.span + turns)


def seam_chances(fits: Fits, board: Poses, others: Sequence[Poses], learnt: bool) -> tuple[Numbers, Numbers]:
    """The chances of the seams to the right of every piece and below it; NaN where there is none."""
    right, down = seam_inputs(fits, board, others, learnt)
    chances = []
    for inputs in (right, down):
        there = ~np.isnan(inputs[..., 0])
        chance = np.full(there.shape, np.nan)
        chance[there] = network("seams", inputs[there])
        chances.append(chance)
    return chances[0], chances[1]


def piece_chances(board: Poses, right: Numbers, down: Numbers) -> Numbers:
    """The chances of the pieces; NaN where there is none. [rows, cols]"""
    laid = board >= 0
    chances = np.full(board.shape, np.nan)
    if laid.any():
        chances[laid] = network("pieces", piece_inputs(around(right, down))[laid])
    return chances


def seam_inputs(fits: Fits, board: Poses, others: Sequence[Poses], learnt: bool) -> tuple[Numbers, Numbers]:
    """What the network is told of every seam; NaN where there is none. [rows, cols - 1 or, of those below, cols, …]"""
    weights = Weights(*(_weights(fits, board, side, pair) for side, pair in ((1, ACROSS_SEAM), (2, DOWN_SEAM))))
    islands = _islands(board, weights)
    faced = [_faced(fits, other) for other in others]
    across = _inputs(fits, board, weights.right, weights.down, islands, faced, 1, learnt)
    # the same of the board on its side, where what was below is on the right
    below = _inputs(fits, board.T, weights.down.T, weights.right.T, islands.T, faced, 2, learnt)
    return across, below.swapaxes(0, 1)


def _inputs(
    fits: Fits, board: Poses, own: Numbers, cross: Numbers, islands: Poses, faced: list[Poses], side: int, learnt: bool
) -> Numbers:
    """Of seams between a column and the next: ``own`` are those seams, ``cross`` the ones between rows."""
    one, other = board[:, :-1], board[:, 1:]
    there = ~np.isnan(own)
    ours, theirs = _edges(fits, one, side), _edges(fits, other, side + 2)
    rivals = np.stack([_rivals(fits, ours, theirs), _rivals(fits, theirs, ours)])
    # the square above a seam: the seam above it, and the two that lead there
    above = np.full((3, *own.shape), np.nan)
    above[0, 1:], above[1, 1:], above[2, 1:] = own[:-1], cross[:, :-1], cross[:, 1:]
    under = np.full((3, *own.shape), np.nan)
    under[0, :-1], under[1, :-1], under[2, :-1] = own[1:], cross[:, :-1], cross[:, 1:]
    squares = np.stack([above, under])  # [side, seam of three, rows, cols - 1]
    closed = ~np.isnan(squares).any(axis=1)
    weakest = np.where(closed, np.clip(squares, -CLIP, CLIP).min(axis=1), LOST)
    middling = np.where(closed, np.clip(squares, -CLIP, CLIP).mean(axis=1), LOST)
    # the other seams of the two pieces
    left, farther = np.full(own.shape, np.nan), np.full(own.shape, np.nan)
    left[:, 1:], farther[:, :-1] = own[:, :-1], own[:, 1:]
    hold = np.stack([_mean([left, above[1], under[1]]), _mean([farther, above[2], under[2]])])
    sizes = np.bincount(islands[islands >= 0], minlength=1)
    smaller = np.minimum(sizes[islands[:, :-1]], sizes[islands[:, 1:]])
    size = np.log(np.maximum(smaller, 1))
    several = fits.number[theirs // fits.span] > 1
    same = [(each[ours] == theirs) | (several & (each[ours] // fits.span == theirs // fits.span)) for each in faced]
    agreed = np.mean(same, axis=0) if same else np.ones(own.shape)
    inputs = np.stack(
        [
            own, own - rivals.max(axis=0), own - rivals.min(axis=0),
            weakest.max(axis=0), weakest.min(axis=0), middling.max(axis=0), middling.min(axis=0),
            hold.max(axis=0), hold.min(axis=0),
            size, islands[:, :-1] == islands[:, 1:], agreed,
            closed.sum(axis=0), np.full(own.shape, float(learnt)),
        ],
        axis=-1,
    )  # fmt: skip
    inputs[~there] = np.nan
    clipped: Numbers = np.clip(inputs, -CLIP, CLIP)
    return clipped


def piece_inputs(seams: Numbers) -> Numbers:
    """What the network is told of every piece, of the chances of its seams, [4, rows, cols]; as logits, sorted."""
    logits = np.log(np.clip(seams, 1e-4, 1 - 1e-4) / (1 - np.clip(seams, 1e-4, 1 - 1e-4)))
    number = (~np.isnan(seams)).sum(axis=0)
    ordered = np.sort(logits, axis=0)  # what is not there comes last
    mean = _mean(list(logits))
    ranked = np.where(np.isnan(ordered), mean, ordered)
    expected = np.where(number > 0, np.nansum(seams, axis=0) / np.maximum(number, 1), 0.5)
    inputs: Numbers = np.stack([*ranked, mean, expected, number], axis=-1)
    return inputs


def around(right: Numbers, down: Numbers) -> Numbers:
    """The seams above every cell, on its right, below it, on its left; NaN where there is none. [4, rows, cols]"""
    rows, cols = len(right), down.shape[1]
    seams = np.full((4, rows, cols), np.nan)
    seams[0, 1:], seams[1, :, :-1], seams[2, :-1], seams[3, :, 1:] = down, right, down, right
    return seams


def as_chances(grid: Numbers, shape: tuple[int, ...]) -> Chances:
    """As plain data; what has no cell in its last column or row gets None there."""
    whole = np.full(shape, np.nan)
    whole[: grid.shape[0], : grid.shape[1]] = grid
    return tuple(tuple(None if chance != chance else chance for chance in row) for row in whole.tolist())


def network(which: str, inputs: Numbers) -> Numbers:
    """Chances by one of the two networks. [number]"""
    told = model()[which]
    mean, scale, into, bias, out = (np.array(told[name]) for name in ("mean", "scale", "into", "bias", "out"))
    return chances_of((inputs - mean) / scale, into, bias, out, told["shift"])


def chances_of(inputs: Numbers, into: Numbers, bias: Numbers, out: Numbers, shift: float) -> Numbers:
    """One hidden layer, and a chance."""
    logits = np.tanh(inputs @ into + bias) @ out + shift
    chances: Numbers = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
    return chances


@cache
def model() -> Any:
    """All numbers."""
    return json.loads((files(__package__) / "chances.json").read_text())


def _mean(grids: list[Numbers]) -> Numbers:
    """Of what is there, clipped; 0 of nothing."""
    stacked = np.stack(grids)
    number = (~np.isnan(stacked)).sum(axis=0)
    total: Numbers = np.nansum(np.clip(stacked, -CLIP, CLIP), axis=0) / np.maximum(number, 1)
    return total


def _edges(fits: Fits, poses: Poses, side: int) -> Poses:
    """The edges that show at a side, those of the first piece that looks alike; of nothing, any."""
    edges = np.where(poses >= 0, (poses & ~3) | ((poses + side) & 3), 0)
    return fits.first[edges].astype(np.int64)


def _weights(fits: Fits, board: Poses, side: int, pair: Pair) -> Numbers:
    """In nats; NaN where one of two is missing."""
    one, other = board[pair[0]], board[pair[1]]
    ours, theirs = _edges(fits, one, side), _edges(fits, other, side + 2)
    same = fits.edges[ours] == theirs[..., None]
    found = np.where(same, fits.weights[ours], 0).sum(axis=-1)
    alike = _logarithms(fits)
    several = np.maximum(alike[ours // fits.span], alike[theirs // fits.span])
    weights = np.where(same.any(axis=-1), found, fits.worst) / UNIT + several
    return np.where((one >= 0) & (other >= 0), weights, np.nan)


def _rivals(fits: Fits, ours: Poses, theirs: Poses) -> Numbers:
    """The best that an edge lists apart from what it faces, in nats."""
    listed, alike = fits.edges[ours], _logarithms(fits)
    weights = fits.weights[ours] / UNIT + np.maximum(alike[listed // fits.span], alike[ours // fits.span][..., None])
    # pieces that look like others show next to nothing: one of them in another turn is no rival
    several = (fits.number[theirs // fits.span] > 1)[..., None] & (
        listed // fits.span == theirs[..., None] // fits.span
    )
    others = np.where((listed >= 0) & (listed != theirs[..., None]) & ~several, weights, LOST)
    best: Numbers = others.max(axis=-1)
    return best


def _logarithms(fits: Fits) -> Numbers:
    """Of how many pieces look like each: the odds of a pair are those of one of them, and any will do. [pieces]

    In any turn, if pieces are turned: what looks exactly like others shows next to nothing.
    """
    sides = (fits.edges - np.arange(len(fits.edges))[:, None]) & 3
    turned = bool(((fits.edges >= 0) & (sides % 2 == 1)).any())
    return np.log(np.where((fits.number > 1) & turned, 4 * fits.number, fits.number))


def _faced(fits: Fits, board: Poses) -> Poses:
    """What each edge faces on a board, by the first pieces that look alike; VOID where nothing does. [edges]"""
    faced = np.full(len(fits.first), VOID, np.int64)
    for side, pair in ((1, ACROSS_SEAM), (2, DOWN_SEAM)):
        one, other = board[pair[0]], board[pair[1]]
        both = (one >= 0) & (other >= 0)
        ours, theirs = _edges(fits, one[both], side), _edges(fits, other[both], side + 2)
        faced[ours], faced[theirs] = theirs, ours
    return faced


def _islands(board: Poses, weights: Weights) -> Poses:
    """Numbers of the islands that firm seams hold together; VOID where nothing lies."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    cells = np.arange(board.size).reshape(board.shape)
    pairs = [
        (cells[pair[0]][firm], cells[pair[1]][firm])
        for pair, firm in ((ACROSS_SEAM, weights.right > FIRM), (DOWN_SEAM, weights.down > FIRM))
    ]
    ours, theirs = (np.concatenate(each) for each in zip(*pairs, strict=True))
    joined = coo_array((np.ones(len(ours), np.int8), (ours, theirs)), shape=(board.size, board.size))
    islands: Poses = connected_components(joined, directed=False)[1].reshape(board.shape)
    return np.where(board >= 0, islands, VOID)
