"""Shredded paper from elsewhere: strips side by side in one picture, or one picture a strip, and what the user says."""

from dataclasses import replace

import numpy as np

from ...core.errors import BadInput, BadUsage
from ..cutting import listed
from ..images import OpenPicture, Pixels
from ..puzzle import Jigsaw, Reading
from .puzzle import MOST_STRIPS, Strips, as_strips, parsed_cross

LEAST_SIDE = 2  # pixels of a strip


def wanted(settings: Reading) -> bool:
    """Whether the user says that it is shredded paper; what else is said of that makes no sense without."""
    if settings.strips is not None and settings.cross is not None:
        raise BadUsage("paper is cut into strips or cross-cut: set strips or cross, not both")
    if settings.strips is None and settings.cross is None:
        for name in ("pages", "flip"):
            if getattr(settings, name) is not None:
                raise BadUsage(f"{name} is for shredded paper: set strips too, how many there are, or cross")
        return False
    return True


def of_picture(picture: OpenPicture, settings: Reading) -> Strips:
    """Cut where strips must have their edges; a scan is seldom a whole number of pixels for each.

    Of pieces with two sides the backs lie below, in the same order.
    """
    for name in ("piece", "spacing", "margin", "gap"):
        if getattr(settings, name) is not None:
            raise BadUsage(f"{name} cannot be set together with strips or cross, which say it")
    rows, cols = (1, settings.strips or 0) if settings.cross is None else parsed_cross(settings.cross)
    sides = settings.sides or 1
    pixels = picture.pixels
    height, width = pixels.shape[0] // (rows * sides), pixels.shape[1] // cols
    if min(height, width) < LEAST_SIDE:
        raise BadInput(f"a picture of {picture.size} pixels is too small for {cols} columns and {rows * sides} rows")
    pieces = _cut(pixels, rows * sides, cols, height, width)
    pieces = pieces.reshape(sides, rows * cols, *pieces.shape[1:]).swapaxes(0, 1)
    if settings.pieces is not None:
        if settings.pieces > len(pieces):
            raise BadUsage(f"there is room for {len(pieces)} pieces, not for {settings.pieces}")
        pieces = pieces[: settings.pieces]
    return as_told(listed(pieces), settings)


def as_told(puzzle: Jigsaw, settings: Reading) -> Strips:
    """These pieces as shredded paper."""
    if settings.foreign:
        raise BadUsage("foreign is not for shredded paper: every strip belongs to a page")
    if puzzle.count > MOST_STRIPS:
        raise BadInput(f"a bag of shredded paper holds 2 to {MOST_STRIPS} pieces here, not {puzzle.count}")
    if settings.strips not in (None, puzzle.count) and settings.pieces is None:
        raise BadUsage(f"strips is set to {settings.strips}, and there are {puzzle.count} pieces")
    down = 1 if settings.cross is None else settings.rows or parsed_cross(settings.cross)[0]
    if settings.cross is None and settings.rows not in (None, 1):
        raise BadUsage("strips lie in one row; for shreds in several rows set cross, as in cross=6x10")
    pages = settings.pages or (None if settings.mixed else 1)
    frame: tuple[int | None, int | None] = (None, None)
    if pages == 1:
        cols = settings.cols or -(-puzzle.count // down)
        if cols * down < puzzle.count:
            raise BadUsage(
                f"{puzzle.count} pieces are more than {cols} columns of {down} hold; set pages or mixed=true"
            )
        frame = down, cols
    elif settings.cols is not None:
        raise BadUsage("cols cannot be set where there may be several pages")
    flip = bool(settings.flip or settings.rotate)
    return as_strips(replace(puzzle, rows=frame[0], cols=frame[1], rotate=flip, mixed=pages != 1), down, pages)


def _cut(pixels: Pixels, rows: int, cols: int, height: int, width: int) -> Pixels:
    """Pieces of one size from places as even as can be. [rows * cols, height, width, channels]"""
    tops, lefts = (
        np.rint(np.arange(number) * (length - side) / max(1, number - 1)).astype(int)
        for number, length, side in ((rows, pixels.shape[0], height), (cols, pixels.shape[1], width))
    )
    return np.stack([pixels[top : top + height, left : left + width] for top in tops for left in lefts])
