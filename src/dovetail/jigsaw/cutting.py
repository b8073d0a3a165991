"""From a picture to a puzzle: cut it, shuffle the pieces, turn them, lose some; where they belong is told apart."""

import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ..core.errors import BadInput, BadUsage
from ..core.files import reason
from ..core.puzzle import EMPTY, Placement
from ..core.source import MAX_BYTES
from .images import Pixels, open_picture
from .puzzle import MOST_SIDE, Jigsaw, Making, possible_turns

# photographs inside the scikit-image package; its other pictures would be fetched from the net
BUILT_IN = {
    "astronaut": "astronaut.png",
    "camera": "camera.png",
    "chelsea": "chelsea.png",
    "coffee": "coffee.png",
    "coins": "coins.png",
    "hubble": "hubble_deep_field.jpg",
    "moon": "moon.png",
    "motorcycle": "motorcycle_left.png",
    "retina": "retina.jpg",
    "rocket": "rocket.jpg",
}


def make(settings: Making, seed: int) -> tuple[Jigsaw, Placement]:
    """Cut the picture that the settings name; the same seed gives the same puzzle."""
    height, width = piece_size(settings.piece)
    pixels = _picture(settings.image)
    rows, cols = pixels.shape[0] // height, pixels.shape[1] // width
    if rows * cols < 2:
        raise BadUsage(
            f"{settings.image} is {pixels.shape[1]}x{pixels.shape[0]} pixels and gives {rows * cols} pieces of "
            f"{width}x{height}; at least 2 are needed"
        )
    pieces, rng = cut(pixels, height, width), np.random.default_rng(seed)
    return shuffled(pieces, rows, cols, rng, rotate=settings.rotate, missing=settings.missing)


def piece_size(text: str) -> tuple[int, int]:
    """Height and width from ``28`` or ``WIDTHxHEIGHT``; raises BadUsage."""
    found = re.fullmatch(r"([0-9]{1,4})(?:x([0-9]{1,4}))?", text.strip().lower())
    width, height = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not (2 <= width <= MOST_SIDE and 2 <= height <= MOST_SIDE):
        raise BadUsage(f"piece is 28 or WIDTHxHEIGHT, in pixels from 2 to {MOST_SIDE}, not {text[:40]!r}")
    return height, width


def cut(pixels: Pixels, height: int, width: int) -> Pixels:
    """The pieces row by row from the top left; what does not fill a piece is cut away. [n, height, width, channels]"""
    rows, cols, channels = pixels.shape[0] // height, pixels.shape[1] // width, pixels.shape[2]
    whole = pixels[: rows * height, : cols * width].reshape(rows, height, cols, width, channels)
    return whole.swapaxes(1, 2).reshape(rows * cols, height, width, channels)


def shuffled(
    pieces: Pixels, rows: int, cols: int, rng: np.random.Generator, *, rotate: bool = False, missing: float = 0.0
) -> tuple[Jigsaw, Placement]:
    """A puzzle of the pieces of a picture, given row by row, and where they belong.

    ``missing`` is the share to lose; two pieces stay whatever it is.
    """
    cells = len(pieces)
    lost = max(0, min(round(missing * cells), cells - 2))
    home = rng.permutation(cells)[lost:]  # of each piece in the order of the puzzle: its cell
    given = rng.choice(possible_turns(pieces.shape[1], pieces.shape[2], rotate), len(home))
    lying = pieces[home]
    if rotate:
        lying = np.stack([np.rot90(piece, turn) for piece, turn in zip(lying, given, strict=True)])
    at, turns = np.full(cells, EMPTY), np.zeros(cells, np.int64)
    at[home], turns[home] = np.arange(len(home)), -given % 4
    return listed(lying, (rows, cols), rotate), Placement.from_flat(at, turns, cols)


def listed(pieces: Pixels, frame: tuple[int, int] | None = None, rotate: bool = False) -> Jigsaw:
    """The puzzle of these pieces in this order; ``frame`` is rows and columns. [n, height, width, channels]"""
    _, height, width, channels = pieces.shape
    rows, cols = frame or (None, None)
    size = pieces.dtype.itemsize
    return Jigsaw(height, width, channels, 8 * size, pieces.astype(f"<u{size}").tobytes(), rows, cols, rotate)


def built_in(name: str) -> Pixels:
    """A photograph of ``BUILT_IN``."""
    found = find_spec("skimage")
    if found is None or not found.submodule_search_locations:
        raise BadInput(f"the picture {name} comes with scikit-image, which is not installed")
    path = Path(found.submodule_search_locations[0]) / "data" / BUILT_IN[name]
    return _read(path)


def _picture(image: str) -> Pixels:
    """A file, or else a picture that is built in."""
    if not image:
        raise BadUsage("image is empty; it names a picture")
    try:
        path = Path(image)
        if path.is_file() or path.is_dir():  # anything else might be waited for without end
            return _read(path)
    except (OSError, ValueError):  # a name no file can have
        pass
    if image not in BUILT_IN:
        raise BadUsage(f"there is no picture {image[:80]!r}, and none of that name is built in ({', '.join(BUILT_IN)})")
    return built_in(image)


def _read(path: Path) -> Pixels:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(f"cannot read {path}: {reason(error)}") from None
    if len(data) > MAX_BYTES:
        raise BadInput(f"{path} is larger than {MAX_BYTES // 2**20} MiB")
    return open_picture(data, str(path)).pixels
