"""The rims of the pieces as colours: the outermost line of pixels of every side, and the line behind it.

Sides are numbered north, east, south, west. Both lines of a side run from left to right or from top to bottom, so that
pixel k of one side touches pixel k of the side it faces.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .puzzle import Jigsaw

NORTH, EAST, SOUTH, WEST = 0, 1, 2, 3
SIDES = (NORTH, EAST, SOUTH, WEST)

Colours = NDArray[np.float32]  # [pieces, pixels, 3]


@dataclass(frozen=True)
class Edges:
    """Both lines of every side, in colours of 0 to 255."""

    outer: tuple[Colours, ...]
    inner: tuple[Colours, ...]

    @property
    def count(self) -> int:
        """Pieces."""
        return len(self.outer[0])

    @property
    def length(self) -> int:
        """Pixels along the longer sides."""
        return int(max(line.shape[1] for line in self.outer))


def facing(side: int) -> int:
    """The side that touches this one."""
    return (side + 2) % 4


def edges(puzzle: Jigsaw) -> Edges:
    """The rims of a puzzle's pieces as they lie."""
    pieces = puzzle.array
    outer = (pieces[:, 0], pieces[:, :, -1], pieces[:, -1], pieces[:, :, 0])
    inner = (pieces[:, 1], pieces[:, :, -2], pieces[:, -2], pieces[:, :, 1])
    return Edges(tuple(map(colours_of, outer)), tuple(map(colours_of, inner)))


def colours_of(pixels: NDArray[np.uint8 | np.uint16]) -> Colours:
    """Red, green and blue from 0 to 255; grey is all three alike, and what is transparent lies on white."""
    scaled = pixels.astype(np.float32) * np.float32(255 / np.iinfo(pixels.dtype).max)
    channels = pixels.shape[-1]
    colours: Colours = scaled[..., :3] if channels >= 3 else scaled[..., :1].repeat(3, axis=-1)
    if channels in (2, 4):
        opacity = scaled[..., -1:] / np.float32(255)
        colours = (colours * opacity + 255 * (1 - opacity)).astype(np.float32)
    return np.ascontiguousarray(colours)


# sRGB to CIE XYZ under D65, each row divided by what white has (IEC 61966-2-1, CIE 15)
_TO_XYZ = np.array(
    [
        [0.412453 / 0.95047, 0.357580 / 0.95047, 0.180423 / 0.95047],
        [0.212671, 0.715160, 0.072169],
        [0.019334 / 1.08883, 0.119193 / 1.08883, 0.950227 / 1.08883],
    ]
)


def lab(colours: Colours, steps: int) -> Colours:
    """L*a*b* in whole numbers, so many a unit: what is computed from whole numbers is the same on every machine."""
    share = colours.astype(np.float64) / 255
    linear = np.where(share > 0.04045, ((share + 0.055) / 1.055) ** 2.4, share / 12.92)
    xyz = linear @ _TO_XYZ.T
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    x, y, z = f[..., 0], f[..., 1], f[..., 2]
    # L* less 50: what all have in common cancels, and smaller numbers leave more room
    bands = np.stack([116 * y - 66, 500 * (x - y), 200 * (y - z)], axis=-1)
    whole: Colours = np.rint(bands * steps).astype(np.float32)
    return whole
