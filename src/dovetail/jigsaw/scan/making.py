"""Sheets of fragments, as a scanner would see them: apart on a plain ground, each turned by some degrees.

What lies on a sheet is known here, and the truth is told for the puzzle that the reader makes of it: fragments are
numbered as the reader finds them, and their pixels are those it straightened.
"""

import io
import math
import zipfile
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...core.errors import BadUsage
from ...core.puzzle import EMPTY, Placement
from ..images import MOST_PIXELS, Pixels, eight_bits, png_bytes
from ..puzzle import Jigsaw, Making, Reading
from .puzzle import Place, Scanned

APART = 0.2  # the least room between two fragments and around them: a share of the longer side
LAMP = 0.06  # by how much a sheet is darker at one end than at the other
SHADOW_PX, SHADOW_BLUR_PX = (3.0, 4.0), 2.0  # how far a shadow falls downwards and to the right, and how soft it is
GROUNDS = {"dark": (46, 52, 58), "grey": (128, 132, 130), "light": (226, 222, 212), "blue": (60, 92, 140)}

Numbers = NDArray[np.float64]


def make(settings: Making, seed: int) -> tuple[Jigsaw, Placement]:
    """Cut as ever, lay on sheets, scan, and read what was scanned."""
    from .. import cutting
    from .reading import read_scans

    plain, truth = cutting.make(replace(settings, scan=False, noise=0.0, frame=False), seed)
    if plain.sides == 2 or plain.channels in (2, 4):
        raise BadUsage("fragments on a sheet show one side, without transparent parts")
    rng = np.random.default_rng((seed, 1))
    sheets, places = laid_out(
        eight_bits(plain.array), rng, per_sheet=settings.sheet, degrees=settings.degrees,
        ground=_colour(settings.ground), shadow=settings.shadow, noise=settings.noise,
    )  # fmt: skip
    reading = Reading(rotate=settings.rotate, foreign=plain.foreign, mixed=plain.mixed)
    pictures = [(f"sheet {number}", sheet) for number, sheet in enumerate(sheets, start=1)]
    found = read_scans(pictures, reading)
    return replace(found, as_sheets=True), renumbered(found, places, truth)


def written_as_picture(puzzle: Scanned) -> bytes:
    """The sheet as it was scanned: nothing stands in it but what it shows."""
    if len(puzzle.sheets) > 1:
        raise BadUsage(f"these are {len(puzzle.sheets)} sheets, and a PNG file holds one; write them as .zip")
    return png_bytes(puzzle.sheets[0], {})


def written_as_archive(puzzle: Scanned) -> bytes:
    """A picture a sheet; equal puzzles give equal bytes."""
    from ..folder import entry

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, sheet in enumerate(puzzle.sheets, start=1):
            archive.writestr(entry(f"sheet-{number:03}.png"), png_bytes(sheet, {}))
    return packed.getvalue()


def laid_out(
    pieces: Pixels, rng: np.random.Generator, *, per_sheet: int = 48, degrees: float = 20.0,
    ground: tuple[int, ...] | None = None, shadow: float = 0.4, noise: float = 4.0,
) -> tuple[list[Pixels], list[Place]]:  # fmt: skip
    """Sheets with all pieces in the order given, and where each of them lies; ``noise`` is a standard deviation."""
    colour = np.array(ground or list(GROUNDS.values())[rng.integers(len(GROUNDS))], float)
    if pieces.shape[-1] == 1:
        colour = colour.mean(keepdims=True)
    sheets: list[Pixels] = []
    places: list[Place] = []
    for first in range(0, len(pieces), per_sheet):
        lying = _places(pieces[first : first + per_sheet], len(sheets), rng, degrees)
        size = _size(len(lying), pieces.shape[1], pieces.shape[2], degrees)
        sheets.append(_scanned(pieces[first : first + per_sheet], lying, size, colour, shadow, noise, rng))
        places += lying
    return sheets, places


def renumbered(found: Scanned, places: Sequence[Place], truth: Placement) -> Placement:
    """The truth about pieces in the order of ``places``, told for the fragments that were found there."""
    near = 0.25 * min(found.height, found.width)
    number = np.full(len(places) + 1, EMPTY)
    for at, place in enumerate(found.places):
        apart = [
            math.hypot(place.row - other.row, place.col - other.col) if place.sheet == other.sheet else math.inf
            for other in places
        ]
        nearest = int(np.argmin(apart))
        if apart[nearest] > near or number[nearest] != EMPTY:
            raise BadUsage("fragments cannot be told apart on this ground; set another ground, or less noise")
        number[nearest] = at
    if (number[:-1] == EMPTY).any():
        raise BadUsage(
            f"{(number[:-1] == EMPTY).sum()} fragments cannot be seen on this ground; set another ground, or less noise"
        )
    return Placement(tuple(tuple(int(number[piece]) for piece in row) for row in truth.pieces), truth.turns)


def _places(pieces: Pixels, sheet: int, rng: np.random.Generator, degrees: float) -> list[Place]:
    """In rows, but not quite; no two can touch, however they are turned."""
    count, height, width = pieces.shape[:3]
    cell_height, cell_width = _cell(height, width, degrees)
    cols = _columns(count, cell_height, cell_width)
    angles = [rng.uniform(-degrees, degrees) for _ in range(count)]
    places = []
    for number, angle in enumerate(angles):
        row, col = divmod(number, cols)
        slope = math.radians(abs(angle))
        free_rows = cell_height - (height * math.cos(slope) + width * math.sin(slope)) - APART * max(height, width)
        free_cols = cell_width - (width * math.cos(slope) + height * math.sin(slope)) - APART * max(height, width)
        at_row = (row + 0.5) * cell_height + free_rows * rng.uniform(-0.5, 0.5)
        at_col = (col + 0.5) * cell_width + free_cols * rng.uniform(-0.5, 0.5)
        places.append(Place(sheet, at_row, at_col, angle, height, width))
    return places


def _cell(height: int, width: int, degrees: float) -> tuple[float, float]:
    slope = math.radians(min(degrees, 45.0))
    room = APART * max(height, width) + 0.1 * min(height, width)
    return (
        height * math.cos(slope) + width * math.sin(slope) + room,
        width * math.cos(slope) + height * math.sin(slope) + room,
    )


def _columns(count: int, cell_height: float, cell_width: float) -> int:
    return max(1, math.ceil(math.sqrt(count * 4 / 3 * cell_height / cell_width)))


def _size(count: int, height: int, width: int, degrees: float) -> tuple[int, int]:
    """Rows and columns of pixels."""
    cell_height, cell_width = _cell(height, width, degrees)
    cols = _columns(count, cell_height, cell_width)
    rows, columns = math.ceil(-(-count // cols) * cell_height), math.ceil(cols * cell_width)
    if rows * columns > MOST_PIXELS:
        raise BadUsage(f"a sheet of {columns}x{rows} pixels is too large; set fewer fragments a sheet")
    return rows, columns


def _scanned(
    pieces: Pixels, places: Sequence[Place], size: tuple[int, int], ground: Numbers, shadow: float, noise: float,
    rng: np.random.Generator,
) -> Pixels:  # fmt: skip
    from scipy.ndimage import gaussian_filter

    rows, columns = size
    colours, covered = np.tile(ground, (rows, columns, 1)), np.zeros((rows, columns))
    for piece, place in zip(pieces, places, strict=True):
        _lay(piece, place, colours, covered)
    if shadow:
        dark = np.zeros_like(covered)
        down, aside = (round(px) for px in SHADOW_PX)
        dark[down:, aside:] = covered[:-down, :-aside]
        dark = gaussian_filter(dark, SHADOW_BLUR_PX) * shadow * (1 - covered)
        colours *= 1 - dark[:, :, np.newaxis]
    colours *= _lamp(rows, columns, rng)[:, :, np.newaxis]
    if noise:
        colours += rng.normal(0, noise, colours.shape)
    return np.clip(np.rint(colours), 0, 255).astype(np.uint8)


def _lay(piece: Pixels, place: Place, colours: Numbers, covered: Numbers) -> None:
    """Paint one fragment; pixels at its rim are partly it and partly ground."""
    from scipy.ndimage import map_coordinates

    height, width, channels = piece.shape
    reach = math.hypot(height, width) / 2 + 2
    top, left = max(0, math.floor(place.row - reach)), max(0, math.floor(place.col - reach))
    part = np.s_[top : math.ceil(place.row + reach) + 1, left : math.ceil(place.col + reach) + 1]
    shape = covered[part].shape
    rows, cols = np.mgrid[top : top + shape[0], left : left + shape[1]].astype(float)
    down, aside = place.inside(rows, cols)
    share = np.clip(height / 2 + 0.5 - abs(down), 0, 1) * np.clip(width / 2 + 0.5 - abs(aside), 0, 1)
    at = np.stack([down + (height - 1) / 2, aside + (width - 1) / 2])
    shown = np.stack([map_coordinates(piece[:, :, c].astype(float), at, mode="nearest") for c in range(channels)], -1)
    colours[part] += share[:, :, np.newaxis] * (np.clip(shown, 0, 255) - colours[part])
    covered[part] = np.maximum(covered[part], share)


def _lamp(rows: int, cols: int, rng: np.random.Generator) -> Numbers:
    """How light the sheet is: a slope in some direction, and a little darker towards the rims."""
    direction = rng.uniform(0, 2 * math.pi)
    down, aside = np.linspace(-1, 1, rows)[:, np.newaxis], np.linspace(-1, 1, cols)[np.newaxis]
    slope = (math.sin(direction) * down + math.cos(direction) * aside) / math.sqrt(2)
    light: Numbers = 1 - LAMP / 2 + LAMP / 3 * slope - LAMP / 12 * (down**2 + aside**2)
    return light


def _colour(text: str | None) -> tuple[int, ...] | None:
    """A name, or #rrggbb."""
    if text is None or text in GROUNDS:
        return None if text is None else GROUNDS[text]
    digits = text.removeprefix("#")
    if len(digits) == 6 and all(digit in "0123456789abcdef" for digit in digits.lower()):
        return tuple(int(digits[at : at + 2], 16) for at in (0, 2, 4))
    raise BadUsage(f"ground is one of {', '.join(GROUNDS)}, or a colour like #e2ded4, not {text[:40]!r}")
