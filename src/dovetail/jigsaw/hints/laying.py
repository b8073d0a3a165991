"""Hints as the assembler keeps to them.

Pieces that are told to be neighbours weigh so much beside each other that nothing separates them, pieces that are told
not to be so little that nothing joins them; groups of pieces whose places to each other are told begin as islands.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.errors import BadInput, Refused
from ..joining import Islands, alone
from ..poses import VOID, Fits
from ..puzzle import Jigsaw
from .told import Beside, Group, Lies, Told, groups

Edges: TypeAlias = NDArray[np.int32]
BOND = 1 << 20  # weight: far more than any move may lose


def settled(puzzle: Jigsaw, fits: Fits, told: Told) -> Told:
    """With a side and a turn for all neighbours: what is not told is as it fits best without contradicting anything."""
    known = [hint for hint in told.neighbours if _rigid(puzzle, hint)]
    for hint in told.neighbours:
        if not _rigid(puzzle, hint):
            known.append(_best(puzzle, fits, told, known, hint))
    return Told(told.pins, tuple(known), told.apart, told.earlier)


def _rigid(puzzle: Jigsaw, hint: Beside) -> bool:
    return hint.side is not None and (hint.turn is not None or len(puzzle.turns) == 1)


def _best(puzzle: Jigsaw, fits: Fits, told: Told, known: Sequence[Beside], hint: Beside) -> Beside:
    """The likeliest way in which two pieces can be neighbours."""
    ways = [
        Beside(hint.piece, hint.other, side, turn, hint.said)
        for side in (range(4) if hint.side is None else (hint.side,))
        for turn in (puzzle.turns if hint.turn is None else (hint.turn,))
    ]
    for way in sorted(ways, key=lambda way: -_weight(fits, *_edges(fits, way))):
        try:
            groups(puzzle, Told(told.pins, (*known, way), told.apart))
        except BadInput:
            continue
        return way
    raise Refused(f"{hint.said} cannot be kept together with the other hints: no side of the two pieces is free")


def bound(puzzle: Jigsaw, fits: Fits, told: Told) -> Fits:
    """Weights that keep neighbours together and others apart."""
    edges, weights = fits.edges.copy(), fits.weights.copy()
    for hint in told.neighbours:
        _weigh(fits, edges, weights, *_edges(fits, hint), BOND)
    for hint in told.apart:
        for side in range(4) if hint.side is None else (hint.side,):
            for turn in puzzle.turns if hint.turn is None else (hint.turn,):
                pair = Beside(hint.piece, hint.other, side, turn, hint.said)
                _weigh(fits, edges, weights, *_edges(fits, pair), -BOND)
    return fits._replace(edges=edges, weights=weights)


def _edges(fits: Fits, hint: Beside) -> tuple[int, int]:
    """The edges that face each other when two pieces are neighbours, the first one as listed."""
    assert hint.side is not None
    pose = hint.other * fits.span + (hint.turn or 0)
    return hint.piece * fits.span + hint.side, (pose & ~3) | ((pose + hint.side + 2) & 3)


def _weight(fits: Fits, edge: int, other: int) -> int:
    row = fits.first[edge]
    found = np.flatnonzero(fits.edges[row] == fits.first[other])
    return int(fits.weights[row, found[0]]) if len(found) else fits.worst


def _weigh(fits: Fits, edges: Edges, weights: Edges, edge: int, other: int, weight: int) -> None:
    """Let a pair weigh so much, whichever edge and whichever face it is seen from."""
    pairs = [(edge, other)]
    if fits.span == 8:  # of two faces: see poses.behind
        back = [((each ^ 4) & ~3) | (-each & 3) for each in (edge, other)]
        pairs.append((back[0], back[1]))
    for one, two in [*pairs, *((two, one) for one, two in pairs)]:
        row, named = fits.first[one], fits.first[two]
        found, empty = (np.flatnonzero(edges[row] == each) for each in (named, VOID))
        at = int(found[0] if len(found) else empty[0] if len(empty) else edges.shape[1] - 1)
        edges[row, at], weights[row, at] = named, weight
        held = int((edges[row] != VOID).sum())
        order = np.argsort(-weights[row, :held], kind="stable")
        edges[row, :held], weights[row, :held] = edges[row, order], weights[row, order]


def islands_of(puzzle: Jigsaw, fits: Fits, told_groups: Iterable[Group]) -> Islands:
    """Every group an island, and every other piece one of its own.

    The anchored one never moves, since it counts as larger than any other; and as large as the frame, so that nothing
    joins it that would not lie inside.
    """
    islands = alone(puzzle.count, fits.span)
    for group in told_groups:
        pieces = np.array([*group.members])
        rows, cols, turns = np.array([*group.members.values()]).T
        root = pieces[0]
        islands.of[pieces], islands.row[pieces], islands.col[pieces] = root, rows, cols
        islands.pose[pieces], islands.since[pieces] = pieces * fits.span + turns, 1
        islands.after[pieces[:-1]] = pieces[1:]
        islands.size[pieces], islands.last[root] = 0, pieces[-1]
        islands.size[root] = len(pieces) + (puzzle.count if group.anchored else 0)
        islands.box[root] = rows.min(), rows.max(), cols.min(), cols.max()
        if group.anchored and puzzle.rows is not None and puzzle.cols is not None:
            islands.box[root] = 0, puzzle.rows - 1, 0, puzzle.cols - 1
    return islands


def anchored(told_groups: Iterable[Group]) -> dict[int, Lies]:
    """The pieces whose places are told."""
    return {piece: lies for group in told_groups if group.anchored for piece, lies in group.members.items()}
