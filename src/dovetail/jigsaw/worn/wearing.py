"""Pieces as time and machines leave them: their margins worn away, some brighter than others, noisy, compressed.

What they show suffers, where they belong does not: the truth of a puzzle stays what it was.
"""

import io

import numpy as np

from ...core.errors import BadUsage
from ..images import Pixels, eight_bits
from ..puzzle import Making


def is_worn(settings: Making) -> bool:
    """Whether anything is to be done."""
    return bool(settings.erode or settings.noise or settings.brightness or settings.jpeg)


def worn(pieces: Pixels, settings: Making, rng: np.random.Generator) -> Pixels:
    """The same pieces after all that was asked for, in the order of a scan: light, then noise, then compression.

    [count, sides, height, width, channels]
    """
    lost = settings.erode
    if min(pieces.shape[2:4]) - 2 * lost < 2:
        size = f"{pieces.shape[3]}x{pieces.shape[2]}"
        raise BadUsage(
            f"pieces of {size} pixels that lose {lost} on every side have too little left; set erode to less"
        )
    left = pieces[:, :, lost : pieces.shape[2] - lost, lost : pieces.shape[3] - lost]
    if settings.brightness or settings.noise:
        left = _lit(left, settings.brightness, settings.noise, rng)
    if settings.jpeg:
        left = _compressed(left, settings.jpeg)
    return left


def _lit(pieces: Pixels, brightness: float, noise: float, rng: np.random.Generator) -> Pixels:
    """Each piece brighter or darker by a factor of its own, and normal noise of this standard deviation (of 255)."""
    most = np.iinfo(pieces.dtype).max
    gains = rng.uniform(1 - brightness, 1 + brightness, len(pieces))
    changed = pieces.astype(np.float64)
    colours = slice(None) if pieces.shape[-1] % 2 else slice(-1)  # how opaque a piece is stays
    changed[..., colours] *= gains[:, None, None, None, None]
    changed[..., colours] += rng.normal(0.0, noise * most / 255, changed[..., colours].shape)
    return np.clip(np.rint(changed), 0, most).astype(pieces.dtype)


def _compressed(pieces: Pixels, quality: int) -> Pixels:
    """Each piece saved as a JPEG of its own, which holds eight bits, and read again."""
    from PIL import Image

    if pieces.shape[-1] not in (1, 3):
        raise BadUsage("pieces with transparent parts cannot be saved as JPEG; leave jpeg out")
    pieces = eight_bits(pieces)
    flat, saved = pieces.reshape(-1, *pieces.shape[2:]), np.empty_like(pieces)
    for piece, place in zip(flat, saved.reshape(flat.shape), strict=True):
        file = io.BytesIO()
        Image.fromarray(piece[..., 0] if piece.shape[-1] == 1 else piece).save(file, "JPEG", quality=quality)
        place[...] = np.asarray(Image.open(file)).reshape(piece.shape)
    return saved
