"""Fragments cut out of a sheet, straight: one interpolation, nothing of the ground in it.

A pixel at the rim shows the fragment in part and the ground in part. How much is known from the rectangle, and so is
the ground beside it, shadow and all: it is taken out of the pixel again. What lies further outside is continued from
the rim, so that the splines of the interpolation find no step there.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..images import Pixels
from .ground import Ground, Numbers, as_levels
from .puzzle import Place

WHOLE, HALF = 0.98, 0.4  # how much of a pixel must be fragment to be taken as it is, or to be cleaned of ground
EVEN = 0.005  # of the ground's lightness: what differs less is not evened out
MOST_UNEVEN = 0.35  # and at most so much is
SNAP_DEGREES, SNAP_PX = 0.05, 0.12  # what most fragments of a sheet that a program laid out are off whole pixels
MOST_DEGREES, MOST_PX = 1.5, 0.6  # what single ones of them may seem to be, by what they show


class Light(NamedTuple):
    """How light a sheet is where, against its mean: the ground shows it."""

    ground: Ground
    mean: NDArray[np.float64]  # [channels]
    times: int  # how many times smaller than the sheet the ground was looked at

    def at(self, rows: NDArray[np.float64], cols: NDArray[np.float64]) -> Numbers:
        """A factor. [...]"""
        shown = self.ground.at((rows - (self.times - 1) / 2) / self.times, (cols - (self.times - 1) / 2) / self.times)
        share = shown[..., : len(self.mean)].sum(axis=-1) / self.mean.sum()
        factor: Numbers = np.clip(share, 1 - MOST_UNEVEN, 1 + MOST_UNEVEN).astype(np.float32)
        return factor


def light_of(ground: Ground, channels: int, times: int) -> Light | None:
    """None where it is even, or the ground too dark to tell."""
    shown = ground.everywhere()[:: max(1, ground.size[0] // 64), :: max(1, ground.size[1] // 64), :channels]
    mean = shown.reshape(-1, channels).mean(axis=0).astype(np.float64)
    lightness = shown.sum(axis=2)
    if mean.mean() < 24 or np.ptp(lightness) < EVEN * lightness.mean():
        return None
    return Light(ground, mean, times)


def straightened(sheet: Pixels, place: Place, size: tuple[int, int], light: Light | None) -> Numbers:
    """One fragment of a sheet in colours from 0 to 255; ``size`` is its rows and columns. [height, width, channels]"""
    from scipy.ndimage import map_coordinates, spline_filter

    height, width = size
    if light is None and (exact := _as_it_lies(sheet, place, size)) is not None:
        return exact
    reach = math.hypot(place.height, place.width) / 2 + 8
    top, left = max(0, math.floor(place.row - reach)), max(0, math.floor(place.col - reach))
    bottom, right = math.ceil(place.row + reach) + 1, math.ceil(place.col + reach) + 1
    part = as_levels(sheet[top:bottom, left:right])
    clean = _without_ground(part, place._replace(row=place.row - top, col=place.col - left))
    down, aside = np.meshgrid(np.arange(height) - (height - 1) / 2, np.arange(width) - (width - 1) / 2, indexing="ij")
    rows, cols = place.outside(down, aside)
    at = np.stack([rows - top, cols - left])
    shown = np.stack(
        [
            map_coordinates(spline_filter(clean[:, :, c], output=np.float64), at, mode="nearest", prefilter=False)
            for c in range(clean.shape[2])
        ],
        axis=-1,
    )
    if light is not None:
        shown = shown / light.at(rows, cols)[:, :, np.newaxis]
    colours: Numbers = np.clip(shown, 0, 255).astype(np.float32)
    return colours


def snapped(places: Sequence[Place], size: tuple[int, int]) -> list[Place]:
    """Moved to whole pixels, if most fragments lie straight on them: then a program laid them out, not a person."""
    moved = []
    for place in places:
        top, left = (round(at - (side - 1) / 2) for at, side in zip((place.row, place.col), size, strict=True))
        on_whole = place._replace(row=top + (size[0] - 1) / 2, col=left + (size[1] - 1) / 2, angle=0.0)
        moved.append(on_whole._replace(height=size[0], width=size[1]))
    both = list(zip(places, moved, strict=True))
    off = np.array([(abs(one.angle), _apart(one, other)) for one, other in both])
    grown = max(abs(places[0].height - size[0]), abs(places[0].width - size[1]))
    if grown > 2 * SNAP_PX or (np.median(off, axis=0) > (SNAP_DEGREES, SNAP_PX)).any():
        return list(places)
    return [other if abs(one.angle) < MOST_DEGREES and _apart(one, other) < MOST_PX else one for one, other in both]


def _apart(one: Place, other: Place) -> float:
    return max(abs(one.row - other.row), abs(one.col - other.col))


def _as_it_lies(sheet: Pixels, place: Place, size: tuple[int, int]) -> Numbers | None:
    """Just the pixels, of a fragment that lies straight on whole ones."""
    if place.angle != 0 or place.height != size[0] or place.width != size[1]:
        return None
    top, left = place.row - (size[0] - 1) / 2, place.col - (size[1] - 1) / 2
    return as_levels(sheet[round(top) : round(top) + size[0], round(left) : round(left) + size[1]])


def _without_ground(part: Numbers, place: Place) -> Numbers:
    """The fragment continued to all sides; see the module text."""
    from scipy.ndimage import distance_transform_edt, uniform_filter

    rows, cols = np.mgrid[: part.shape[0], : part.shape[1]].astype(float)
    down, aside = place.inside(rows, cols)
    share = np.clip(place.height / 2 + 0.5 - abs(down), 0, 1) * np.clip(place.width / 2 + 0.5 - abs(aside), 0, 1)
    nothing = share <= 0
    weight = uniform_filter(nothing.astype(np.float32), 3)
    ground = uniform_filter(part * nothing[:, :, np.newaxis], (3, 3, 1)) / np.maximum(weight, 1e-6)[:, :, np.newaxis]
    if nothing.any():
        beside = distance_transform_edt(~nothing, return_distances=False, return_indices=True)
        ground = ground[tuple(beside)]
    clean = part.copy()
    mixed = (share >= HALF) & (share < WHOLE)
    known = share[mixed][:, np.newaxis]
    clean[mixed] = np.clip((part[mixed] - (1 - known) * ground[mixed]) / known, 0, 255)
    beyond = share < HALF
    nearest = distance_transform_edt(beyond, return_distances=False, return_indices=True)
    continued: Numbers = clean[tuple(nearest)]
    return continued
