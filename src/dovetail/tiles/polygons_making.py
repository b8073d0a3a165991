"""Polygon puzzles in the making: silhouettes grown from tangram pieces, squares cut up, pieces moved apart."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import shapely
from numpy.typing import NDArray

from ..core.errors import BadInput, BadUsage
from ..core.puzzle import Locations
from .polygons import MOST_CORNERS, Making, Point, Polygons, Ring

if TYPE_CHECKING:
    from shapely import Polygon

Corners: TypeAlias = NDArray[np.float64]  # [corners, 2], counter-clockwise

HALF = math.sqrt(0.5)
# one set: two large triangles, one in between, two small ones, a square, a parallelogram; it fills a square of side 4
SET: tuple[Ring, ...] = (
    ((0, 0), (4, 0), (2, 2)),
    ((0, 0), (4, 0), (2, 2)),
    ((0, 0), (2, 0), (2, 2)),
    ((0, 0), (2, 0), (1, 1)),
    ((0, 0), (2, 0), (1, 1)),
    ((0, 0), (1, -1), (2, 0), (1, 1)),
    ((0, 0), (2, 0), (3, 1), (1, 1)),
)
# eighths of a turn, cosine and sine
TURNS = ((1, 0), (HALF, HALF), (0, 1), (-HALF, HALF), (-1, 0), (-HALF, -HALF), (0, -1), (HALF, -HALF))
SIDE = 8  # of a square that is cut up
GRID = 1e-9  # of the longest side: corners nearer than this are one
STRAIGHT = 1e-7  # the sine of a bend that is none
LEAST_SHARE = 0.2  # of a piece that is cut: what either part has at least
GAP = 1  # between pieces that lie apart


def make(settings: Making, seed: int) -> tuple[Polygons, Locations]:
    """A puzzle and its answer; pieces in random order."""
    rng = np.random.default_rng([seed, settings.pieces])
    planted = _grown(settings.pieces, rng) if settings.style == "tangram" else _cut(settings.pieces, rng)
    return taken_apart([_ring(planted[i]) for i in rng.permutation(len(planted))])


def taken_apart(rings: Sequence[Ring]) -> tuple[Polygons, Locations]:
    """Pieces that lie together as a puzzle: their silhouette, and the pieces side by side below it, in rows."""
    frame = silhouette(rings)
    low = [np.min(ring, axis=0) for ring in rings]
    size = [np.max(ring, axis=0) - np.min(ring, axis=0) for ring in rings]
    corner = np.min([np.min(ring, axis=0) for ring in frame], axis=0)
    width = max(float(np.ptp(np.concatenate([np.asarray(ring) for ring in frame])[:, 0])), *(s[0] for s in size))
    answer, pieces, x, y, height = [], [], 0, -GAP, 0
    for ring, start, extent in zip(rings, low, size, strict=True):
        if x and x + extent[0] > width:
            x, y, height = 0, y - height - GAP, 0
        # by whole numbers, which leave whole and half coordinates as they are
        dx, dy = math.ceil(corner[0] + x - start[0]), math.floor(corner[1] + y - extent[1] - start[1])
        pieces.append(tuple((px + dx, py + dy) for px, py in ring))
        answer.append((float(-dx), float(-dy)))
        x, height = x + math.ceil(extent[0]) + GAP, max(height, math.ceil(extent[1]))
    return Polygons(tuple(pieces), frame), Locations(tuple(answer))


def silhouette(rings: Sequence[Ring]) -> tuple[Ring, ...]:
    """The outlines and holes of what polygons cover together: what is left when edges that meet cancel each other."""
    polygons = [shapely.Polygon(ring) for ring in rings]
    for i, one in enumerate(polygons):
        if not one.is_valid or one.area == 0:
            raise BadInput(f"polygon {i + 1} is not simple")
        for j, other in enumerate(polygons[:i]):
            if one.intersection(other).area > GRID * one.area:
                raise BadInput(f"polygons {j + 1} and {i + 1} overlap")
    corners = [np.asarray(ring if _area(np.asarray(ring)) > 0 else ring[::-1], dtype=float) for ring in rings]
    points, numbers = _merged(np.concatenate(corners))
    left: Counter[tuple[int, int]] = Counter()
    for own in np.split(numbers, np.cumsum([len(ring) for ring in corners])[:-1]):
        for edge in zip(own.tolist(), np.roll(own, -1).tolist(), strict=True):
            for start, end in pairwise(_along(points, *edge)):
                if left[end, start]:
                    left[end, start] -= 1
                else:
                    left[start, end] += 1
    found = [_without_straight(points[loop]) for loop in _loops(list(left.elements()))]
    if any(len(ring) > MOST_CORNERS for ring in found):
        raise BadInput(f"the silhouette has more than {MOST_CORNERS} corners")
    return tuple(_ring(ring) for ring in found)


def _merged(corners: Corners) -> tuple[Corners, NDArray[np.intp]]:
    """The points that are different, [points, 2], and which of them every corner is."""
    near = GRID * float(np.ptp(corners, axis=0).max())
    same = np.abs(corners[:, None] - corners[None]).max(axis=2) < near
    firsts, numbers = np.unique(same.argmax(axis=1), return_inverse=True)
    return corners[firsts], numbers


def _along(points: Corners, start: int, end: int) -> list[int]:
    """The points on an edge in order, from its start to its end."""
    edge = points[end] - points[start]
    length = float(np.hypot(*edge))
    share = (points - points[start]) @ edge / length**2
    away = np.abs((points - points[start]) @ (-edge[1], edge[0])) / length
    between = np.flatnonzero((away < 10 * GRID * length) & (share > GRID) & (share < 1 - GRID))
    return [start, *between[np.argsort(share[between])].tolist(), end]


def _loops(edges: list[tuple[int, int]]) -> list[list[int]]:
    """Directed edges, as many into every point as out of it, as loops that pass no point twice."""
    out: dict[int, list[int]] = {}
    for start, end in edges:
        out.setdefault(start, []).append(end)
    loops: list[list[int]] = []
    path: list[int] = []
    while any(out.values()):
        if not path:
            path = [next(start for start, ends in out.items() if ends)]
        path.append(out[path[-1]].pop())
        if path[-1] in path[:-1]:
            first = path.index(path[-1])
            loops.append(path[first:-1])
            path = path[: first + 1] if first else []
    return loops


def _without_straight(points: Corners) -> Corners:
    """Without corners at which the ring goes straight on."""
    before, after = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
    bend = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0])
    kept: Corners = points[bend > STRAIGHT * np.hypot(*before.T) * np.hypot(*after.T)]
    return kept


def _grown(pieces: int, rng: np.random.Generator) -> list[Corners]:
    """Sets of tangram pieces, each laid with an edge along an edge of those before it, corner on corner."""
    if pieces % len(SET):
        raise BadUsage(f"tangram pieces come in sets of {len(SET)}, so there are no puzzles of {pieces}")
    order = rng.permutation(np.arange(pieces) % len(SET))
    laid = [_turned(SET[order[0]], rng)]
    shapes = [shapely.Polygon(laid[0])]
    for number in order[1:]:
        while True:
            piece = _beside(laid[rng.integers(len(laid))], _turned(SET[number], rng), rng)
            if piece is not None and _free(shape := shapely.Polygon(piece), shapes):
                break
        laid.append(piece)
        shapes.append(shape)
    return laid


def _turned(ring: Ring, rng: np.random.Generator) -> Corners:
    """Turned by eighths, and a mirror image every other time."""
    points = np.asarray(ring, dtype=float)
    if rng.integers(2):
        points = points[::-1] * (-1, 1)
    cos, sin = TURNS[rng.integers(len(TURNS))]
    x, y = points.T
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=1)  # no matrix product, which rounds as it likes


def _beside(laid: Corners, piece: Corners, rng: np.random.Generator) -> Corners | None:
    """Moved so that one of its edges runs against one of the laid piece's edges, with a corner in common."""
    i, j = rng.integers(len(laid)), rng.integers(len(piece))
    start, end = laid[i], laid[(i + 1) % len(laid)]
    own_start, own_end = piece[j], piece[(j + 1) % len(piece)]
    along, own = end - start, own_end - own_start
    if abs(along[0] * own[1] - along[1] * own[0]) > GRID or along @ own > 0:
        return None
    moved: Corners = piece + (end - own_start if rng.integers(2) else start - own_end)
    return moved


def _free(shape: "Polygon", others: Sequence["Polygon"]) -> bool:
    return all(shape.intersection(other).area < GRID for other in others)


def _cut(pieces: int, rng: np.random.Generator) -> list[Corners]:
    """A square, the largest part of which is cut in two again and again, between points on its edges."""
    parts = [np.array([(0.0, 0.0), (SIDE, 0.0), (SIDE, SIDE), (0.0, SIDE)])]
    while len(parts) < pieces:
        largest = max(range(len(parts)), key=lambda i: _area(parts[i]))
        part = parts.pop(largest)
        while True:
            halves = _halves(part, rng)
            if min(map(_area, halves)) >= LEAST_SHARE * _area(part):
                break
        parts.extend(halves)
    return parts


def _halves(part: Corners, rng: np.random.Generator) -> tuple[Corners, Corners]:
    """Between two edges of a convex polygon, each met at a quarter, a half, or three quarters of its length."""
    i, j = sorted(rng.choice(len(part), 2, replace=False))
    ends = np.roll(part, -1, axis=0)
    one, other = (part[k] + rng.integers(1, 4) / 4 * (ends[k] - part[k]) for k in (i, j))
    return np.vstack([one, part[i + 1 : j + 1], other]), np.vstack([other, part[j + 1 :], part[: i + 1], one])


def _area(points: Corners) -> float:
    x, y = points.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()) / 2


def _ring(points: Corners) -> Ring:
    return tuple(map(_point, points.tolist()))


def _point(point: list[float]) -> Point:
    return point[0], point[1]
