"""Which parts of a sheet are fragments, and about where: rectangles of one size.

What stands out from the ground is a fragment with its shadow, less what of it looks like ground. So only the direction
is taken from there. Then sharp edges are looked for, since a shadow is soft: steps that cannot be foreseen from
further outside. All fragments are of one size, and the size that most pairs of edges agree on is it; where one side
cannot be seen, the other one and the size tell where it is.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .ground import Ground, Numbers, ground_of, rim, standing_out
from .puzzle import Place

SPECK = 0.04  # of the usual area: what is smaller is dust
MARGIN_PX = 8  # around what is seen when edges are looked for
CAP = 40.0  # levels: sharper steps count no more
LOST = 3.0  # levels: what half a pixel's row costs that is no shadow and yet outside
CANDIDATES = 5  # edges kept of each side
ALIKE = 0.08  # by how much the sides of fragments may differ from the usual ones before they are other things
RECTANGLE, SIDES = 0.72, 2.5  # of a rectangle with a rim like the ground so much must stand out, or its sides be seen
CLEAR = 0.18  # how much must speak for a rectangle at least
FRINGE = 0.07  # the largest share outside of its rectangle

Mask = NDArray[np.bool_]


class Seen(NamedTuple):
    """One thing on the sheet, at the scale of finding."""

    points: NDArray[np.float64]  # the corners of its convex hull: row, column. [n, 2]
    area: int
    angle: float  # degrees, between -45 and 45
    extent: tuple[float, float]  # height and width of the smallest rectangle around it
    centre: tuple[float, float]
    at_rim: bool  # of the sheet
    parts: tuple[int, ...]  # their labels


class Found(NamedTuple):
    """What lies on one sheet."""

    fragments: list[Place]
    odd: list[tuple[str, Place]]  # things that are no fragments, and why


class Looked(NamedTuple):
    """A sheet at the scale of finding."""

    ground: Ground
    out: Mask
    sure: Mask  # not shadow
    difference: Numbers
    labels: NDArray[np.int32]  # of what stands out, by connected parts
    seen: list[Seen]


def looked_at(levels: Numbers) -> Looked:
    """Everything that stands out."""
    from scipy.ndimage import binary_fill_holes, binary_opening, label

    ground = ground_of(levels)
    out, sure, difference = standing_out(levels, ground)
    filled = binary_opening(binary_fill_holes(out), iterations=1)
    labels, _ = label(filled, np.ones((3, 3)))
    return Looked(ground, filled, sure, difference, labels, things(labels))


def things(labels: NDArray[np.int32]) -> list[Seen]:
    """The connected parts, without the smallest."""
    from scipy.ndimage import find_objects

    boxes = find_objects(labels)
    areas = np.bincount(labels.ravel())[1:]
    large = areas[areas > 0.1 * areas.max()] if len(areas) else areas
    least = max(12, SPECK * float(np.median(large))) if len(large) else 0
    found = []
    for number, (box, area) in enumerate(zip(boxes, areas.tolist(), strict=True), start=1):
        if box is None or area < least:
            continue
        rows, cols = np.nonzero(labels[box] == number)
        points = np.stack([rows + box[0].start, cols + box[1].start], axis=1).astype(float)
        found.append(_thing(points, area, labels.shape, (number,)))
    return found


def _thing(points: NDArray[np.float64], area: int, shape: tuple[int, ...], parts: tuple[int, ...]) -> Seen:
    corners = _hull(points)
    angle, extent, centre = smallest_rectangle(corners)
    at_rim = bool((corners < 1.5).any() or (corners > np.array(shape[:2]) - 2.5).any())
    return Seen(corners, area, angle, extent, centre, at_rim, parts)


def _hull(points: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.spatial import ConvexHull, QhullError

    try:
        vertices = ConvexHull(points).vertices
    except (QhullError, ValueError):  # all in one line
        vertices = [0, -1]
    corners: NDArray[np.float64] = points[vertices]
    return corners


def smallest_rectangle(corners: NDArray[np.float64]) -> tuple[float, tuple[float, float], tuple[float, float]]:
    """Of least area around a convex outline: its angle, its height and width, its centre. One side lies on an edge."""
    steps = np.roll(corners, -1, axis=0) - corners
    angles = np.unique(np.round((np.degrees(np.arctan2(-steps[:, 0], steps[:, 1])) + 45) % 90 - 45, 3))
    best = (math.inf, 0.0, (0.0, 0.0), (0.0, 0.0))
    for angle in angles.tolist():
        place = Place(0, 0.0, 0.0, angle, 0, 0)
        down, aside = place.inside(corners[:, 0], corners[:, 1])
        height, width = float(np.ptp(down)) + 1, float(np.ptp(aside)) + 1
        if height * width < best[0]:
            centre = place.outside((down.max() + down.min()) / 2, (aside.max() + aside.min()) / 2)
            best = height * width, angle, (height, width), (float(centre[0]), float(centre[1]))
    return best[1:]


def merged(seen: Sequence[Seen], size: tuple[float, float], shape: tuple[int, ...]) -> list[Seen]:
    """Parts of one fragment whose middle looks like the ground, put together if they fit into the usual size."""
    whole = [thing for thing in seen if _covers(thing, size)]
    parts = [thing for thing in seen if not _covers(thing, size)]
    while parts:
        part = parts.pop(0)
        joined = True
        while joined:
            joined = False
            for other in sorted(parts, key=lambda one: math.dist(one.centre, part.centre)):
                together = np.concatenate([part.points, other.points])
                both = _thing(together, part.area + other.area, shape, part.parts + other.parts)
                slack = 0.12 * max(size)
                if both.extent[0] < size[0] + slack and both.extent[1] < size[1] + slack:
                    parts.remove(other)
                    part, joined = both, True
                    break
        whole.append(part)
    return whole


def _covers(thing: Seen, size: tuple[float, float]) -> bool:
    return thing.extent[0] > 0.85 * size[0] and thing.extent[1] > 0.85 * size[1]


# edges


class Sides(NamedTuple):
    """How sharp edges are across one direction of a straightened thing, by distance from its centre."""

    begin: Numbers  # an edge with ground before it. [positions]
    end: Numbers  # with ground behind it
    outside: Numbers  # how much that is no shadow there is before each position; the last one has it all
    first: float  # the distance of position 0, in pixels

    def at(self, place: float) -> int:
        """The position of a distance."""
        return round(2 * (place - self.first))


def sides_of(thing: Seen, difference: Numbers, sure: Mask, *, across: bool) -> Sides:
    """Sharp edges to the left and right (``across``), or above and below."""
    from scipy.ndimage import map_coordinates, uniform_filter1d

    height, width = thing.extent
    place = Place(0, *thing.centre, thing.angle, height, width)
    along, over = (height, width) if across else (width, height)
    steps = np.arange(-over / 2 - MARGIN_PX, over / 2 + MARGIN_PX + 0.25, 0.5)
    ways = np.arange(-0.4 * along, 0.4 * along + 0.5, 1.0)
    grid_along, grid_over = np.meshgrid(ways, steps, indexing="ij")
    at = place.outside(grid_along, grid_over) if across else place.outside(grid_over, grid_along)
    lines = np.stack(
        [
            map_coordinates(difference[:, :, c], np.stack(at), order=1, mode="nearest")
            for c in range(difference.shape[2])
        ]
    )
    lines = uniform_filter1d(lines, 5, axis=1)
    known = map_coordinates(sure.astype(np.float32), np.stack(at), order=1, mode="constant").mean(axis=0)
    shares = np.concatenate([[0.0], np.cumsum(known)]).astype(np.float32)
    own = np.abs(steps) < over / 2 + 1.5  # what is further outside belongs to others
    return Sides(_sharp(lines) * own, _sharp(lines[:, :, ::-1])[::-1] * own, shares, float(steps[0]))


def _sharp(lines: Numbers) -> Numbers:
    """How far steps are from what the two points before them foretell: the mean over a side. [channels, along, over]"""
    ahead, here, before = (np.roll(lines, shift, axis=2) for shift in (-4, 0, 4))
    step = np.minimum(np.abs(ahead - 2 * here + before).max(axis=0), CAP).mean(axis=0)
    step[:4] = step[-4:] = 0
    floor = float(np.percentile(step[4:-4], 10)) if len(step) > 12 else 0.0
    sharp: Numbers = np.maximum(step - floor, 0).astype(np.float32)
    return sharp


def usual_length(sides: Sequence[Sides], least: float, most: float) -> float:
    """The distance of two edges that most things agree on."""
    lengths, weights = [], []
    for one in sides:
        begins, ends = _peaks(one.begin), _peaks(one.end)
        top = max([one.begin[p] for p in begins] + [one.end[p] for p in ends], default=1.0)
        for begin in begins:
            for end in ends:
                if least <= (end - begin) / 2 <= most:
                    lengths.append((end - begin) / 2)
                    weights.append(min(float(one.begin[begin]), float(one.end[end])) / max(float(top), 1e-6))
    if not lengths:
        return 0.0
    grid = np.arange(least, most + 0.25, 0.25)
    apart = (grid[:, np.newaxis] - np.array(lengths)) / 0.8
    return float(grid[np.argmax((np.exp(-(apart**2) / 2) * np.array(weights)).sum(axis=1))])


def _peaks(sharpness: Numbers) -> list[int]:
    """The sharpest edges, none beside a sharper one."""
    inner = sharpness[1:-1]
    tops = 1 + np.flatnonzero((inner >= sharpness[:-2]) & (inner > sharpness[2:]) & (inner > 0.5))
    return sorted(tops.tolist(), key=lambda place: -float(sharpness[place]))[:CANDIDATES]


def middle(sides: Sides, length: float) -> tuple[float, float]:
    """Where the middle of a thing of this length is, by its edges; and how sharp they are."""
    from scipy.ndimage import maximum_filter1d

    begin, end = (maximum_filter1d(edge, 3) for edge in (sides.begin, sides.end))
    wide = round(2 * length)
    if wide >= len(begin):
        return 0.0, 0.0
    lost = sides.outside[: len(begin) - wide] + sides.outside[-1] - sides.outside[wide : len(begin)]
    score = begin[: len(begin) - wide] + end[wide:] - LOST * lost
    best = int(np.argmax(score))
    return sides.first + (best + wide / 2) / 2, float(begin[best] + end[best + wide])


def share_of_ground(levels: Numbers, ground: Ground) -> float:
    """Of the rim of a sheet."""
    expected = rim(ground.everywhere())
    limit = max(12.0, 6 * ground.noise)
    return float((np.abs(rim(levels) - expected).max(axis=1) < limit).mean())


def turned_long(thing: Seen) -> Seen:
    """The same seen so that its longer side is its width."""
    height, width = thing.extent
    if width >= height:
        return thing
    return thing._replace(angle=thing.angle + (90 if thing.angle < 0 else -90), extent=(width, height))
