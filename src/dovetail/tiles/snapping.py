"""From locations that a program left nearly right to locations that are right, and the solver's own proof of it.

Edges that nearly touch are made to touch, all at once, by least squares. Whether the pieces then fill the frame is told
by their edges alone: if the signed edges of all pieces add up to the frame's, so do their areas, for what is bounded is
determined by its boundary. (This is equation 6.2 for every function f at once.)
"""

from dataclasses import dataclass

import numpy as np

from ..core.puzzle import EMPTY, Placement
from .paths import Floats, counter_clockwise, directions, frame_edges, rim
from .polygons import Polygons
from .puzzle import SIGNED, Tiles

REACHES = (0.02, 0.004, 0.0008)  # of the frame's longer side: how far apart edges are that should touch
SHORTEST = 0.01  # of it: how much of two edges lies side by side at least
TOGETHER = 1e-5  # of it: lines that may be one line, if the area between them is forgiven
FORGIVEN = 2e-7  # of the frame's area: less than the checker's tolerance
DIGITS = 9  # after the point: locations are given with no more, if that is enough
ON_A_CELL = 0.3  # how far from a cell a tile may be


@dataclass(frozen=True)
class Edges:
    """All edges, those of the frame last: owners are pieces, or −1 for the frame, whose sign is opposite."""

    starts: Floats  # [edges, 2], of pieces as listed
    ends: Floats  # [edges, 2]
    owners: np.ndarray[tuple[int], np.dtype[np.intp]]  # [edges]
    types: np.ndarray[tuple[int], np.dtype[np.intp]]  # [edges]: directions modulo half a turn
    signs: Floats  # [edges]: which of both directions, and for the frame the other one
    pieces: int
    unit: float
    area: float


def edges_of(puzzle: Polygons) -> Edges:
    """The puzzle's edges."""
    rings = [counter_clockwise(ring) for ring in puzzle.pieces]
    frame_starts, frame_ends = frame_edges(puzzle.frame)
    starts = np.concatenate([*rings, frame_starts])
    ends = np.concatenate([*(np.roll(ring, -1, axis=0) for ring in rings), frame_ends])
    counts = [len(ring) for ring in rings]
    owners = np.concatenate([np.repeat(np.arange(len(rings)), counts), np.full(len(frame_starts), -1)])
    types, signs = directions(ends - starts)
    area = float(np.sum(frame_starts[:, 0] * frame_ends[:, 1] - frame_starts[:, 1] * frame_ends[:, 0])) / 2
    unit = float(np.ptp(frame_starts, axis=0).max())
    return Edges(starts, ends, owners, types, np.where(owners < 0, -signs, signs), len(rings), unit, area)


def snapped(edges: Edges, at: Floats) -> Floats | None:
    """Locations near these at which the pieces fill the frame, [pieces, 2]; None if there seem to be none."""
    for reach in REACHES:
        moved = at
        for _ in range(2):  # the second time finds the edges that only now lie side by side
            moved = moved + _correction(edges, moved, reach * edges.unit)
        if fills(edges, moved):
            rounded = np.round(moved, DIGITS) + 0.0
            return rounded if fills(edges, rounded) else moved
    return None


def fills(edges: Edges, at: Floats) -> bool:
    """Whether all edges cancel, but for an area that is forgiven."""
    shift = np.vstack([at, np.zeros(2)])[edges.owners]
    starts, ends = edges.starts + shift, edges.ends + shift
    wrong = 0.0
    for kind in range(int(edges.types.max()) + 1):
        own = np.flatnonzero(edges.types == kind)
        along = _unit(edges, own[0])
        across = np.array([-along[1], along[0]])
        offsets = np.stack([starts[own] @ across, ends[own] @ across])  # [2, edges]
        middle = offsets.mean(axis=0)
        order = np.argsort(middle, kind="stable")
        lines = np.split(order, np.flatnonzero(np.diff(middle[order]) > TOGETHER * edges.unit) + 1)
        for line in lines:
            spans = np.stack([starts[own[line]] @ along, ends[own[line]] @ along])
            lengths = np.ptp(spans, axis=0)
            wrong += float(np.abs(offsets[:, line] - middle[line].mean()).max(axis=0) @ lengths)
            wrong += edges.unit * _left_over(spans.min(axis=0), spans.max(axis=0), edges.signs[own[line]])
        if wrong > FORGIVEN * edges.area:
            return False
    return True


def _left_over(lows: Floats, highs: Floats, signs: Floats) -> float:
    """How much of a line is covered unequally from both sides."""
    places = np.concatenate([lows, highs])
    order = np.argsort(places, kind="stable")
    balance = np.cumsum(np.concatenate([signs, -signs])[order])[:-1]
    return float(np.diff(places[order]) @ np.abs(balance))


def _correction(edges: Edges, at: Floats, reach: float) -> Floats:
    """By how much to move the pieces so that edges within reach of each other touch, [pieces, 2]."""
    shift = np.vstack([at, np.zeros(2)])[edges.owners]
    starts, ends = edges.starts + shift, edges.ends + shift
    rows, right = [], []
    for kind in range(int(edges.types.max()) + 1):
        own = np.flatnonzero(edges.types == kind)
        along = _unit(edges, own[0])
        across = np.array([-along[1], along[0]])
        apart = (starts[own] @ across)[None] - (starts[own] @ across)[:, None]
        low, high = (side(starts[own] @ along, ends[own] @ along) for side in (np.minimum, np.maximum))
        shared = np.minimum(high[None], high[:, None]) - np.maximum(low[None], low[:, None])
        touching = (np.abs(apart) < reach) & (shared > SHORTEST * edges.unit)
        touching &= edges.signs[own][None] != edges.signs[own][:, None]
        touching &= edges.owners[own][None] != edges.owners[own][:, None]
        for i, j in np.argwhere(np.triu(touching)):
            row = np.zeros((edges.pieces + 1, 2))
            row[edges.owners[own[i]]] += across
            row[edges.owners[own[j]]] -= across
            rows.append(row[:-1].ravel())
            right.append(apart[i, j])
    if not rows:
        return np.zeros_like(at)
    return np.asarray(np.linalg.lstsq(np.array(rows), np.array(right), rcond=None)[0].reshape(-1, 2))


def _unit(edges: Edges, edge: int) -> Floats:
    along = edges.ends[edge] - edges.starts[edge]
    return np.asarray(along / np.hypot(*along))


def on_cells(puzzle: Tiles, at: Floats) -> Placement:
    """The tiles on the cells they are near, the nearest first where several are near the same."""
    cells = np.rint(at)
    away = np.abs(at - cells).max(axis=1)
    pieces = np.full((puzzle.rows, puzzle.cols), EMPTY)
    for tile in np.argsort(away, kind="stable"):
        col, row = (int(value) for value in cells[tile])
        on_board = 0 <= row < puzzle.rows and 0 <= col < puzzle.cols
        if away[tile] < ON_A_CELL and on_board and pieces[row, col] == EMPTY:
            pieces[row, col] = tile
    return Placement.from_flat(pieces.ravel(), np.zeros(pieces.size, dtype=int), puzzle.cols)


def agrees(puzzle: Tiles, placement: Placement) -> bool:
    """Whether every cell has a tile and all sides agree, with their neighbours, the frame and the hints."""
    laid = np.array(placement.pieces)
    if (laid == EMPTY).any() or puzzle.frame is None:
        return False
    north, east, south, west = np.moveaxis(np.array(puzzle.tiles)[laid], 2, 0)
    mate = -1 if puzzle.match == SIGNED else 1
    outside = [(east[:, :-1], west[:, 1:]), (south[:-1], north[1:])]
    if not all((one == mate * other).all() for one, other in outside):
        return False
    # a colour that is kept for the rim agrees with nothing inside
    if puzzle.grey is not None and any((one == puzzle.grey).any() for one, _ in outside):
        return False
    sides = (north, east, south, west)
    around = rim(puzzle.rows, puzzle.cols)
    if any(sides[side][row, col] != colour for colour, (row, col, side) in zip(puzzle.frame, around, strict=True)):
        return False
    return all(puzzle.tiles[laid[pin.row, pin.col]] == puzzle.tiles[pin.tile] for pin in puzzle.pins)
