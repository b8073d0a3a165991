"""From a picture to patches with gaps between them: its middle, scaled to the puzzle's size, cut and shuffled.

The middle is always resampled. Patches of 40 pixels with gaps of 4 lie 44 apart, which is 4 more than a multiple of 8:
cut from a JPEG as it is, every patch would show by the grid of its blocks whether its row and column are even or odd.
"""

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadUsage
from ..core.puzzle import Placement
from .cutting import listed, picture_named
from .gapped import CENTRE, Gapped, Making, with_gaps
from .images import MOST_PIXELS, Pixels, eight_bits


def make(settings: Making, seed: int) -> tuple[Gapped, Placement]:
    """Cut the picture that the settings name; the same seed gives the same puzzle."""
    return made(picture_named("image", settings.image), settings, seed)


def made(pixels: Pixels, settings: Making, seed: int) -> tuple[Gapped, Placement]:
    """The same of a picture in hand; how it is shuffled depends on the grid and the seed alone, not on hints."""
    rows, cols = settings.size
    patches = cut_gapped(pixels, rows, cols, settings.patch, settings.gap)
    rng = np.random.default_rng(seed)
    order = rng.permutation(rows * cols)  # of each patch of the puzzle: its cell
    patch_of = np.argsort(order)
    if settings.hints == CENTRE:
        told = np.array([rows // 2 * cols + cols // 2])
    else:
        told = rng.permutation(rows * cols)[: int(settings.hints)]
    hints = tuple(sorted((int(patch_of[cell]), int(cell)) for cell in told))
    puzzle = with_gaps(listed(patches[order], (rows, cols)), settings.gap, hints)
    return puzzle, Placement.from_flat(patch_of, [0] * len(order), cols)


def cut_gapped(pixels: Pixels, rows: int, cols: int, patch: int, gap: int) -> NDArray[np.uint8]:
    """Square patches, row by row, ``gap`` pixels apart. [rows * cols, patch, patch, 3]

    They are cut from the largest rectangle of their shape in the middle of the picture, scaled (Lanczos, antialiased)
    so that it just holds them. ``pixels`` is any picture, [height, width, channels].
    """
    height, width = (number * patch + (number - 1) * gap for number in (rows, cols))
    if height * width > MOST_PIXELS:
        raise BadUsage(f"a puzzle of {width}x{height} pixels is larger than the {MOST_PIXELS:,} that are cut")
    scaled = _scaled(_middle(in_colour(pixels), height, width), height, width)
    down, right = (np.arange(number) * (patch + gap) for number in (rows, cols))
    across = np.arange(patch)
    lines, columns = (starts[:, np.newaxis] + across for starts in (down, right))  # [rows, patch], [cols, patch]
    cells: NDArray[np.uint8] = scaled[lines[:, np.newaxis, :, np.newaxis], columns[np.newaxis, :, np.newaxis, :]]
    return cells.reshape(rows * cols, patch, patch, 3)


def in_colour(pixels: Pixels) -> NDArray[np.uint8]:
    """As RGB of 8 bits; what is transparent lies on white. [height, width, 3]"""
    eight = eight_bits(pixels)
    colours = eight[..., :3] if eight.shape[-1] >= 3 else eight[..., [0, 0, 0]]
    if eight.shape[-1] % 2:
        return colours
    opacity = eight[..., -1:].astype(np.uint16)
    mixed: NDArray[np.uint16] = colours * opacity + 255 * (255 - opacity)
    return ((mixed + 127) // 255).astype(np.uint8)


def _middle(pixels: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """The largest rectangle in the middle whose sides are as ``height`` to ``width``."""
    high, wide = pixels.shape[:2]
    if high * width <= wide * height:  # wider than needed
        wanted = high, max(1, round(high * width / height))
    else:
        wanted = max(1, round(wide * height / width)), wide
    top, left = (high - wanted[0]) // 2, (wide - wanted[1]) // 2
    return pixels[top : top + wanted[0], left : left + wanted[1]]


def _scaled(pixels: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    from PIL import Image

    image = Image.fromarray(np.ascontiguousarray(pixels))
    return np.asarray(image.resize((width, height), Image.Resampling.LANCZOS))
