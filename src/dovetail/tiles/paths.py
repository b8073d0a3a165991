"""Puzzles as Algorithm 2 sees them: every edge a path of some type with a sign, every piece free to move in a box.

Kovalsky et al., section 3 and 6.2: an edge counts by its colour and by its direction modulo half a turn (that is its
type); which of the two directions it has is its sign. Integrals along the edges are sums over points.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .polygons import Polygons, Ring
from .puzzle import SIGNED, Tiles

Floats: TypeAlias = NDArray[np.float64]

GAUSS = 16  # points on an edge: exact for polynomials up to degree 31
SAME_ANGLE = 1e-6  # radians
NUDGE = 1e-5  # of an edge's length: how far beside it the frame is probed
MIDDLES = np.array([(0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)])  # of a tile's sides N, E, S, W; y is the row


@dataclass(frozen=True)
class Path:
    """One edge: ∫ f along it is sign · Σ weights · f(points)."""

    type: int
    sign: float
    points: Floats  # [points, 2], of a piece: from its own origin
    weights: Floats  # [points]


@dataclass(frozen=True)
class Free:
    """A puzzle of pieces without preset locations."""

    types: int
    pieces: tuple[tuple[Path, ...], ...]
    frame: tuple[Path, ...]
    box: Floats  # [2, 2]: the frame's low and high corner
    low: Floats  # [pieces, 2]: where pieces may be
    high: Floats  # [pieces, 2]


def free(puzzle: Polygons | Tiles) -> Free:
    """The puzzle in these terms."""
    return _free_tiles(puzzle) if isinstance(puzzle, Tiles) else _free_polygons(puzzle)


def counter_clockwise(ring: Ring) -> Floats:
    """The corners of a piece in that order, [corners, 2]."""
    points = np.asarray(ring, dtype=float)
    x, y = points.T
    return points if np.roll(y, -1) @ x > np.roll(x, -1) @ y else points[::-1]


def frame_edges(rings: Sequence[Ring]) -> tuple[Floats, Floats]:
    """Starts and ends of the frame's edges, [edges, 2], each with the frame's inside on its left."""
    loops = [np.asarray(ring, dtype=float) for ring in rings]
    starts = np.concatenate(loops)
    ends = np.concatenate([np.roll(loop, -1, axis=0) for loop in loops])
    beside = NUDGE * (ends - starts)[:, ::-1] * (-1, 1)
    left = _inside((starts + ends) / 2 + beside, starts, ends)
    return np.where(left[:, None], starts, ends), np.where(left[:, None], ends, starts)


def _inside(points: Floats, starts: Floats, ends: Floats) -> NDArray[np.bool_]:
    """Of which points an odd number of edges lies to the right."""
    x, y = points[:, 0, None], points[:, 1, None]
    (x1, y1), (x2, y2) = starts.T, ends.T
    crossed = (y1 > y) != (y2 > y)
    run = np.where(y1 == y2, 1.0, y2 - y1)
    right = crossed & (x < x1 + (y - y1) * (x2 - x1) / run)
    return np.asarray(right.sum(axis=1) % 2 == 1)


def _free_polygons(puzzle: Polygons) -> Free:
    rings = [counter_clockwise(ring) for ring in puzzle.pieces]
    edges = [(ring, np.roll(ring, -1, axis=0)) for ring in rings]
    edges.append(frame_edges(puzzle.frame))
    along = np.concatenate([ends - starts for starts, ends in edges])
    types, signs = directions(along)
    nodes, weights = np.polynomial.legendre.leggauss(GAUSS)
    paths: list[tuple[Path, ...]] = []
    first = 0
    for starts, ends in edges:
        own = range(first, first := first + len(starts))
        paths.append(
            tuple(
                Path(
                    int(types[k]),
                    float(signs[k]),
                    start + np.outer((nodes + 1) / 2, end - start),
                    weights / 2 * np.hypot(*(end - start)),
                )
                for k, start, end in zip(own, starts, ends, strict=True)
            )
        )
    box = np.stack([edges[-1][0].min(axis=0), edges[-1][0].max(axis=0)])
    low = np.stack([box[0] - ring.min(axis=0) for ring in rings])
    high = np.stack([box[1] - ring.max(axis=0) for ring in rings])
    return Free(int(types.max()) + 1, tuple(paths[:-1]), paths[-1], box, low, high)


def directions(along: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Directions modulo half a turn, numbered, and for each edge 1 or −1: along its number's direction or against."""
    angles = np.arctan2(along[:, 1], along[:, 0])
    half = np.mod(angles, np.pi)
    half = np.where(half > np.pi - SAME_ANGLE, half - np.pi, half)
    order = np.argsort(half, kind="stable")
    steps = np.diff(half[order], prepend=half[order[0]]) > SAME_ANGLE
    types = np.empty(len(half), dtype=np.intp)
    types[order] = np.cumsum(steps)
    return types, np.where(np.cos(angles - half) > 0, 1.0, -1.0)


def _free_tiles(puzzle: Tiles) -> Free:
    """Unit squares whose location is their column and row; the integral along a side is the value in its middle."""
    assert puzzle.frame is not None
    numbers: dict[tuple[int, int], int] = {}

    def path(colour: int, side: int, corner: tuple[float, float]) -> Path:
        """East and south count up, west and north down: a seam's two sides cancel."""
        forward = side in (1, 2)
        if puzzle.match == SIGNED and not forward:
            colour = -colour
        number = numbers.setdefault((colour, side % 2), len(numbers))
        return Path(number, 1.0 if forward else -1.0, (MIDDLES[side] + corner)[None], np.ones(1))

    pieces = tuple(tuple(path(tile[side], side, (0, 0)) for side in range(4)) for tile in puzzle.tiles)
    around = rim(puzzle.rows, puzzle.cols)
    frame = tuple(path(colour, side, (c, r)) for colour, (r, c, side) in zip(puzzle.frame, around, strict=True))
    last = np.array([puzzle.cols - 1, puzzle.rows - 1], dtype=float)
    low, high = np.zeros((len(pieces), 2)), np.tile(last, (len(pieces), 1))
    for pin in puzzle.pins:
        low[pin.tile] = high[pin.tile] = (pin.col, pin.row)
    return Free(len(numbers), pieces, frame, np.stack([np.zeros(2), last + 1]), low, high)


def rim(rows: int, cols: int) -> list[tuple[int, int, int]]:
    """(row, column, side) of every edge of a board's rim, clockwise from the top left as ``Tiles.frame`` has it."""
    top, right = [(0, c, 0) for c in range(cols)], [(r, cols - 1, 1) for r in range(rows)]
    return top + right + [(rows - 1, c, 2) for c in range(cols)][::-1] + [(r, 0, 3) for r in range(rows)][::-1]
