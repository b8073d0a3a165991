"""Nonograms from pictures: random blobs or a picture file, changed in a few cells until no other picture has the same
clues."""

import warnings
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps
from skimage.filters import threshold_otsu

from ...core.errors import BadInput, BadUsage
from ...core.puzzle import Assignment
from ..draw import PALETTE
from ..engine import SLICE, Search, grade
from ..making import DIFFICULTIES
from .nonogram import BLACK, MOST_SIDE, Making, Nonogram, nonogram_of

Cells: TypeAlias = NDArray[np.int64]  # [row, col], a colour or 0
TRIES = 60  # random pictures until one is as difficult as asked
EFFORT = 3 * SLICE  # spent at most on making a random picture the only one; on an image fifty times more
FILLED = {"easy": 0.5, "medium": 0.38, "hard": 0.32}  # of all cells: sparse pictures are harder


def made(settings: Making, seed: int) -> tuple[Nonogram, Assignment]:
    """A puzzle and its only answer."""
    rng = np.random.default_rng(seed)
    if settings.image is not None:
        return _of_image(settings.image, settings, rng)
    rows, cols = settings.height or settings.width, settings.width
    colours = BLACK if settings.colours == 1 else PALETTE[: settings.colours]
    wanted = settings.difficulty or "easy"
    # round blobs are easy, torn ones harder; large ones that are torn to shreds take long to be made unique
    smoothings = (2, 2) if wanted == "easy" else (1, 0) if rows * cols <= 256 else (1, 2)
    for attempt in range(TRIES):
        cells = blobs((rows, cols), settings.colours, smoothings[attempt % 2], FILLED[wanted], rng)
        found = _unique(cells, colours, EFFORT, rng)
        if found is not None and settings.difficulty in (None, DIFFICULTIES[grade(found[0].model())]):
            return found
    raise BadUsage(
        f"none of {TRIES} random pictures of {rows}x{cols} cells came out {wanted}; "
        "another size, seed or difficulty may do"
    )


def _of_image(path: str, settings: Making, rng: np.random.Generator) -> tuple[Nonogram, Assignment]:
    cells, colours = reduced(path, settings.width, settings.height, settings.colours)
    found = _unique(cells, colours, 50 * EFFORT, rng)
    if found is None:
        size = f"{cells.shape[0]}x{cells.shape[1]}"
        raise BadUsage(f"{path} in {size} cells could not be made a puzzle with one answer; another size may do")
    difficulty = DIFFICULTIES[grade(found[0].model())]
    if settings.difficulty not in (None, difficulty):
        raise BadUsage(f"{path} in {found[0].size} cells is a puzzle that is {difficulty}, not {settings.difficulty}")
    return found


def blobs(shape: tuple[int, int], colours: int, smoothings: int, filled: float, rng: np.random.Generator) -> Cells:
    """Noise in which every cell takes, so many times over, the mean of the cells around it; the highest are filled."""
    fields = rng.random((colours, *shape))
    around = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    for _ in range(smoothings):
        fields = np.mean([np.roll(fields, step, (1, 2)) for step in around], axis=0)
    highest = fields.max(axis=0)
    return np.where(highest >= np.quantile(highest, 1 - filled), fields.argmax(axis=0) + 1, 0)


def reduced(path: str, width: int, height: int | None, colours: int) -> tuple[Cells, tuple[str, ...]]:
    """A picture file in so many cells and colours; what is lightest is the empty ground."""
    image = _opened(path)
    height = height or min(MOST_SIDE, max(1, round(width * image.height / image.width)))
    small = image.convert("L" if colours == 1 else "RGB").resize((width, height), Image.Resampling.BOX)
    if len(small.getcolors(width * height) or []) == 1:
        raise BadInput(f"{path}: reduced to {height}x{width} cells, the picture has one colour only")
    if colours == 1:
        grey = np.asarray(small)
        return (grey <= threshold_otsu(grey)).astype(np.int64), BLACK  # type: ignore[no-untyped-call]
    # Pillow's usual way of choosing colours would lose a small spot of a colour of its own
    few = small.quantize(colours + 1, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).convert("RGB")
    shades, cells = np.unique(np.asarray(few).reshape(-1, 3), axis=0, return_inverse=True)
    lightest_first = np.argsort(-shades.astype(np.int64).sum(axis=1), kind="stable")
    palette = tuple("#{:02x}{:02x}{:02x}".format(*shades[shade].tolist()) for shade in lightest_first[1:])
    return np.argsort(lightest_first)[cells].reshape(height, width), palette


def _opened(path: str) -> Image.Image:
    """Upright, on white paper where it is transparent."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(path) as image:
                upright = ImageOps.exif_transpose(image).convert("RGBA")
    except FileNotFoundError:
        raise BadInput(f"there is no picture {path}") from None
    except Exception:  # decoders raise nearly everything on hostile bytes
        raise BadInput(f"cannot read {path}: it is no picture that can be read here, or a damaged one") from None
    return Image.alpha_composite(Image.new("RGBA", upright.size, "white"), upright).convert("RGB")


def _unique(
    cells: Cells, colours: tuple[str, ...], effort: int, rng: np.random.Generator
) -> tuple[Nonogram, Assignment] | None:
    """The puzzle of this picture or, where its clues allow another, of one changed towards that, cell by cell.

    None if a third of the cells are not enough, or it takes too much effort.
    """
    cells = cells.copy()
    for _ in range(cells.size // 3 + 1):
        puzzle = nonogram_of(cells.tolist(), colours)
        search = Search(puzzle.model())
        other = _another(search, cells, effort)
        if other is None:
            return None
        effort -= search.runs
        differing = np.argwhere(other != cells)
        if not len(differing):
            return puzzle, Assignment(tuple(cells.ravel().tolist()))
        row, col = rng.choice(differing)
        cells[row, col] = other[row, col]
    return None


def _another(search: Search, cells: Cells, effort: int) -> Cells | None:
    """A different picture with the same clues, or the same one if there is none; None if that takes too much effort."""
    while not search.exhausted:
        if search.runs > effort:
            return None
        if search.advance(SLICE):
            found = np.array(search.answer).reshape(cells.shape)
            if (found != cells).any():
                return found
    return cells
