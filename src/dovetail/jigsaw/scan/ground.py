"""The ground that fragments lie on: its colour, how light it is where, and what stands out from it."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..images import Pixels

MOST_LOOKED_AT = 3_000_000  # pixels of a sheet when fragments are looked for; a larger one is looked at reduced
DEGREE = 3  # of the polynomial that says how light the ground is
FAR, STEPS = 45.0, 8  # levels of 255 that ground may be off its colour at first; how often it is fitted again
BLUR_PX = 1.2  # before pixels are compared with the ground
LEAST = 3.0  # levels that something must stand out
SIGMAS = 4.5  # of the noise, likewise

Numbers = NDArray[np.float32]


class Ground(NamedTuple):
    """What a sheet shows where nothing lies, as a polynomial in row and column."""

    coefficients: NDArray[np.float64]  # [terms, channels]
    size: tuple[int, int]  # rows and columns of the sheet it was fitted to
    noise: float  # standard deviation of its pixels, after blurring

    def at(self, rows: NDArray[np.float64], cols: NDArray[np.float64]) -> Numbers:
        """Its colour at these places, given in pixels of that sheet. [..., channels]"""
        terms = _terms(2 * rows / max(1, self.size[0] - 1) - 1, 2 * cols / max(1, self.size[1] - 1) - 1)
        colours: Numbers = np.tensordot(terms, self.coefficients, axes=(0, 0)).astype(np.float32)
        return colours

    def everywhere(self) -> Numbers:
        """[rows, cols, channels]"""
        table = np.zeros((DEGREE + 1, DEGREE + 1, self.coefficients.shape[1]))
        for coefficient, (down, aside) in zip(self.coefficients, _exponents(DEGREE), strict=True):
            table[down, aside] = coefficient
        rows, cols = (np.vander(np.linspace(-1, 1, length), DEGREE + 1, increasing=True) for length in self.size)
        colours: Numbers = np.einsum("rd,dac,wa->rwc", rows, table, cols, optimize=True).astype(np.float32)
        return colours


def as_levels(pixels: Pixels) -> Numbers:
    """Colours from 0 to 255 on white; what is transparent is a channel of its own, since it may be the ground."""
    levels: Numbers = pixels.astype(np.float32) / np.float32(1 if pixels.dtype == np.uint8 else 257)
    if levels.shape[2] % 2:
        return levels
    alpha = levels[:, :, -1:] / 255
    return np.concatenate([levels[:, :, :-1] * alpha + 255 * (1 - alpha), 255 * alpha], axis=2)


def times_smaller(pixels: Sequence[Pixels], most: int = MOST_LOOKED_AT) -> int:
    """By how much sheets are reduced to be looked at, all alike."""
    return max(1, *(math.ceil(math.sqrt(sheet.shape[0] * sheet.shape[1] / most)) for sheet in pixels))


def reduced(pixels: Pixels, times: int) -> Numbers:
    """The levels of a sheet so many times smaller: means of squares."""
    rows, cols = pixels.shape[0] // times, pixels.shape[1] // times
    if times == 1:
        return as_levels(pixels)
    strips = []
    for row in range(0, rows, 64):  # never all of a large sheet as floating-point numbers
        strip = as_levels(pixels[row * times : min(row + 64, rows) * times, : cols * times])
        strips.append(strip.reshape(-1, times, cols, times, strip.shape[2]).mean(axis=(1, 3)))
    return np.concatenate(strips)


def ground_of(levels: Numbers) -> Ground:
    """Fitted to what is like the rim of the sheet, again and again with less tolerance. [rows, cols, channels]"""
    from scipy.ndimage import gaussian_filter

    blurred = gaussian_filter(levels, (BLUR_PX, BLUR_PX, 0))
    size = levels.shape[:2]
    step = max(1, int(np.sqrt(size[0] * size[1] / 15_000)))
    rows, cols = (grid.ravel().astype(np.float64) for grid in np.mgrid[: size[0] : step, : size[1] : step])
    seen = blurred[::step, ::step].reshape(-1, levels.shape[2]).astype(np.float64)
    colour = np.median(rim(blurred), axis=0)
    coefficients = np.zeros((len(_exponents(DEGREE)), levels.shape[2]))
    coefficients[0] = colour
    ground, noise = Ground(coefficients, size, 0.0), LEAST
    for number in range(STEPS):
        off = np.abs(seen - ground.at(rows, cols)).max(axis=1)
        limit = max(FAR * 0.55**number, SIGMAS * noise, LEAST)
        near = off < limit
        if near.sum() < 100:
            break
        noise = 1.4826 * float(np.median(off[near])) / 1.6  # of the largest of some channels, about
        degree = 1 if number < 3 else DEGREE
        used = [n for n, (down, aside) in enumerate(_exponents(DEGREE)) if down + aside <= degree]
        terms = _terms(2 * rows[near] / max(1, size[0] - 1) - 1, 2 * cols[near] / max(1, size[1] - 1) - 1)[used]
        fitted = np.linalg.lstsq(terms.T, seen[near], rcond=None)[0]
        coefficients = np.zeros_like(coefficients)
        coefficients[used] = fitted
        ground = Ground(coefficients, size, noise)
    return ground._replace(noise=noise)


def standing_out(levels: Numbers, ground: Ground) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Numbers]:
    """Where a sheet is not ground; where it is not a shadow on it either; and by how much it differs, blurred.

    A shadow is ground with less light: all channels are lower by the same factor.
    """
    from scipy.ndimage import gaussian_filter

    blurred = gaussian_filter(levels, (BLUR_PX, BLUR_PX, 0))
    expected = ground.everywhere()
    difference = blurred - expected
    off = np.abs(difference).max(axis=2)
    limit = max(SIGMAS * ground.noise, LEAST)
    out = _reached(off > limit, off > 1.6 * limit)
    light = (blurred * expected).sum(axis=2) / np.maximum(1, (expected**2).sum(axis=2))
    tint = np.abs(blurred - light[:, :, np.newaxis] * expected).max(axis=2)
    shadow = (light < 1) & (light > 0.25) & (tint < limit)
    return out, out & ~shadow, difference


def _reached(some: NDArray[np.bool_], clear: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The connected parts of ``some`` in which something is ``clear``."""
    from scipy.ndimage import label

    labels, count = label(some)
    known = np.zeros(count + 1, bool)
    known[labels[clear]] = True
    known[0] = False
    reached: NDArray[np.bool_] = known[labels]
    return reached


def rim(levels: Numbers) -> Numbers:
    """The outermost pixels of a sheet. [n, channels]"""
    wide = max(2, min(levels.shape[:2]) // 100)
    inner = np.ones(levels.shape[:2], bool)
    inner[wide:-wide, wide:-wide] = False
    return levels[inner]


def _exponents(degree: int) -> list[tuple[int, int]]:
    return [(down, aside) for down in range(degree + 1) for aside in range(degree + 1 - down)]


def _terms(down: NDArray[np.float64], aside: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every power of both, up to the degree together; the first is 1. [terms, ...]"""
    return np.stack([down**high * aside**wide for high, wide in _exponents(DEGREE)])
