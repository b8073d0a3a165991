"""The sheets of a scan with every fragment outlined and numbered, so that a person sees which is which."""

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..draw import Raster, on_ground
from .puzzle import Place, Scanned

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

OUTLINE, HALO, LEFT_OUT = (255, 140, 0), (20, 20, 20), (214, 40, 40)
BETWEEN_PX = 12  # two sheets
NUMBER = 0.3  # its height, as a share of the fragment's shorter side


def draw_sheets(puzzle: Scanned) -> Raster:
    """Sheets below each other at their own resolution. Numbers count from 0, as solutions and hints count pieces."""
    drawn = [_drawn(puzzle, number) for number in range(len(puzzle.sheets))]
    wide = max(sheet.shape[1] for sheet in drawn)
    rows: list[NDArray[np.uint8]] = []
    for sheet in drawn:
        if rows:
            rows.append(np.full((BETWEEN_PX, wide, 3), 255, np.uint8))
        rows.append(np.pad(sheet, ((0, 0), (0, wide - sheet.shape[1]), (0, 0)), constant_values=255))
    return Raster(np.concatenate(rows))


def _drawn(puzzle: Scanned, sheet: int) -> NDArray[np.uint8]:
    from PIL import Image, ImageDraw

    image = Image.fromarray(np.ascontiguousarray(on_ground(puzzle.sheets[sheet])))
    draw = ImageDraw.Draw(image)
    side = min(puzzle.height, puzzle.width)
    line = max(1, round(side / 50))
    for place in puzzle.left_out:
        if place.sheet == sheet:
            _outline(draw, place, LEFT_OUT, line)
    for number, place in enumerate(puzzle.places):
        if place.sheet == sheet:
            _outline(draw, place, OUTLINE, line)
            draw.text(
                (place.col, place.row), str(number), OUTLINE, font_size=max(8, NUMBER * side), anchor="mm",
                stroke_width=max(1, round(side / 40)), stroke_fill=HALO,
            )  # fmt: skip
    return np.asarray(image)


def _outline(draw: "ImageDraw", place: Place, colour: tuple[int, int, int], line: int) -> None:
    """Just outside of the fragment: nothing of it is painted over."""
    high, wide = place.height / 2 + 0.5 + line / 2, place.width / 2 + 0.5 + line / 2
    corners = [
        place.outside(down, aside) for down, aside in ((-high, -wide), (-high, wide), (high, wide), (high, -wide))
    ]
    points = [(float(col), float(row)) for row, col in corners]
    slope = math.ceil(line / 2)
    draw.line([*points, points[0], points[1]], fill=HALO, width=line + 2 * slope, joint="curve")
    draw.line([*points, points[0], points[1]], fill=colour, width=line, joint="curve")
