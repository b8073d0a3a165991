"""Rectangles fitted to fragments, to a fraction of a pixel.

Along every side the colours across it are looked at: where the change from outside to inside is half done, there is
the edge. Its place, direction and size follow from all these points by least squares that distrust outliers (Tukey's
weights), since a rim may look like the ground here and there, and what a fragment shows has edges of its own.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .ground import Numbers
from .puzzle import Place

Reals = NDArray[np.float64]

STEP = 0.5  # pixels between two samples across a side
NEAR, FAR = 1.25, 2.75  # pixels from an edge between which colours are those of either side
SOFT = 0.6  # the share of a change that the rim of a shadow may make within the two pixels around its middle
MOST_POINTS = 48  # looked at along a side
END = 0.46  # of a side's length from its middle: corners are left out
TUKEY = 1.0  # pixels from the fitted side at which a point no longer counts
WINDOWS, CLOSER = (2.5, 1.2), (1.5, 1.2)  # pixels: how far from the last fit edges are looked for, at first and again
CLOSE = 0.5  # pixels from the fitted side within which points speak for it
SURER = 1.15  # times as much must speak for another fit
CLEAR = 0.5  # of a side: if less is seen, the fit is doubted
DOUBTS = ((-2.5, 0.0), (2.5, 0.0), (0.0, -2.5), (0.0, 2.5))  # pixels from where a fit began: down, aside
NORMALS = ((-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0))  # of the sides: down, aside


class Fitted(NamedTuple):
    """A rectangle and how well it is known."""

    place: Place
    seen: tuple[float, float, float, float]  # share of each side that was seen: above, below, left, right
    off_px: float  # how far points are from the sides, in the root of the mean square
    clear: float  # how much all points together speak for it


def fitted(
    levels: Numbers, start: Place, noise: float, windows: tuple[float, ...] = WINDOWS, *, free: bool = True
) -> Fitted:
    """Improved again and again, looking ever less far; ``free`` if height and width are to be found too."""
    place, points = start, []
    for window in windows:
        points = [_points(levels, place, side, window, noise) for side in range(4)]
        place = _moved(place, points, free)
    seen = tuple(float((weight > 0.2).mean()) for _, _, weight in points)
    off, weight = (np.concatenate([one[number] for one in points]) for number in (1, 2))
    off_px = math.sqrt(float((weight * off**2).sum() / max(float(weight.sum()), 1e-9)))
    clear = float((weight * np.maximum(1 - (off / CLOSE) ** 2, 0) ** 2).mean())
    return Fitted(place, seen, off_px, clear)  # type: ignore[arg-type]


def fitted_to_size(levels: Numbers, start: Place, noise: float) -> Fitted:
    """With height and width as given. Where a side is hardly seen, one step further in each direction is tried too."""
    best = fitted(levels, start, noise, CLOSER, free=False)
    if min(best.seen) >= CLEAR:
        return best
    for down, aside in DOUBTS:
        row, col = start.outside(down, aside)
        other = fitted(levels, start._replace(row=float(row), col=float(col)), noise, WINDOWS, free=False)
        if other.clear > SURER * best.clear:
            best = other
    return best


def _points(levels: Numbers, place: Place, side: int, window: float, noise: float) -> tuple[Reals, Reals, Reals]:
    """Of places along a side: where on it, how far outside the edge is found, and how much it counts."""
    from scipy.ndimage import map_coordinates, uniform_filter1d

    normal_down, normal_aside = NORMALS[side]
    half, length = (place.height, place.width) if normal_down else (place.width, place.height)
    ways = np.linspace(-END, END, max(12, min(MOST_POINTS, round(length)))) * length
    outward = np.arange(-window - FAR - 1, window + FAR + 1 + STEP / 2, STEP)
    way, out = np.meshgrid(ways, half / 2 + outward, indexing="ij")
    at = np.stack(place.outside(normal_down * out - normal_aside * way, normal_aside * out + normal_down * way))
    lines = np.stack(
        [map_coordinates(levels[:, :, c], at, order=1, mode="nearest") for c in range(levels.shape[2])], axis=-1
    ).astype(np.float64)
    lines = uniform_filter1d(lines, 3, axis=0)  # [ways, outward, channels]
    near, far = round(NEAR / STEP), round(FAR / STEP)
    inner, outer = _means(lines, -far, -near), _means(lines, near, far)
    contrast = np.sqrt(((inner - outer) ** 2).sum(axis=-1))
    steep = np.sqrt(((_means(lines, -2, -1) - _means(lines, 1, 2)) ** 2).sum(axis=-1))
    sharp = np.maximum(steep - SOFT * contrast, 0)
    likely = sharp * np.exp(-0.5 * (outward / max(window, 0.5)) ** 2)
    likely[:, : far + 1] = likely[:, len(outward) - far - 1 :] = 0
    edge = likely.argmax(axis=1)
    each = np.arange(len(ways))
    inside, outside, clear = inner[each, edge], outer[each, edge], sharp[each, edge] / (1 - SOFT)
    window_at = edge[:, np.newaxis] + np.arange(-near, near + 1)
    change = inside - outside
    share = ((lines[each[:, np.newaxis], window_at] - outside[:, np.newaxis]) * change[:, np.newaxis]).sum(axis=-1)
    share /= np.maximum((change**2).sum(axis=-1), 1e-9)[:, np.newaxis]
    share = np.clip(share, 0, 1)
    covered = STEP * (share[:, 1:-1].sum(axis=1) + (share[:, 0] + share[:, -1]) / 2)
    found = outward[edge] - near * STEP + covered
    strength = clear**2 / (clear**2 + (3 * noise + 6.0) ** 2)
    strength[clear < 2.5 * noise + 3.0] = 0
    return ways, found, strength


def _means(lines: Reals, first: int, last: int) -> Reals:
    """Of the samples from ``first`` to ``last`` before or behind every one; where there are none, whatever wraps."""
    mean: Reals = np.mean([np.roll(lines, -shift, axis=1) for shift in range(first, last + 1)], axis=0)
    return mean


def _moved(place: Place, points: list[tuple[Reals, Reals, Reals]], free: bool) -> Place:
    """By weighted least squares: centre and angle, and height and width if they are free."""
    rows, wanted, weights = [], [], []
    for (normal_down, normal_aside), (ways, found, strength) in zip(NORMALS, points, strict=True):
        ones = np.ones_like(ways)
        moving = [normal_down * ones, normal_aside * ones, -ways]
        growing = [abs(normal_down) / 2 * ones, abs(normal_aside) / 2 * ones]
        rows.append(np.stack(moving + growing, axis=1))
        wanted.append(found)
        weights.append(strength)
    design, target, strength = np.concatenate(rows), np.concatenate(wanted), np.concatenate(weights)
    if not free:
        design = design[:, :3]
    # where nothing is seen, nothing moves
    ridge = np.diag([1e-3, 1e-3, 1e-3 * place.height**2, 2.0, 2.0][: design.shape[1]])
    scale = 4 * TUKEY
    answer: Reals = np.zeros(design.shape[1])
    for _ in range(12):
        off = (target - design @ answer) / scale
        weight = strength * np.where(np.abs(off) < 1, (1 - off**2) ** 2, 0)
        weighted = (design * weight[:, np.newaxis]).T
        answer = np.linalg.solve(weighted @ design + ridge, weighted @ target).astype(np.float64)
        scale = max(TUKEY, 0.75 * scale)
    for number, (ways, found, strength) in enumerate(points):
        off = (found - rows[number][:, : len(answer)] @ answer) / TUKEY
        points[number] = ways, off * TUKEY, strength * (np.abs(off) < 1)
    down, aside, turn = answer[:3].tolist()
    grown = answer[3:].tolist() if free else [0.0, 0.0]
    row, col = place.outside(down, aside)
    return Place(
        place.sheet,
        float(row),
        float(col),
        place.angle + math.degrees(turn),
        place.height + grown[0],
        place.width + grown[1],
    )
