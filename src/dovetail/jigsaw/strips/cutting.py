"""The shredder: pages into strips or shreds, turned, lost and mixed up; where they belong is told apart."""

import re
from collections.abc import Sequence
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from ...core.errors import BadUsage
from ...core.puzzle import EMPTY, Placement
from .. import cutting
from ..cutting import Picture
from ..gapped_cutting import in_colour
from ..images import Pixels, open_picture
from ..puzzle import MOST_PICTURES
from .puzzle import MOST_STRIPS, Making, Strips, as_strips

SCANS = ("page", "text")  # pictures of printed paper that scikit-image brings
_MADE_UP = re.compile(r"page:([0-9]{1,9})(?:\.([0-9]{1,4}))?")


def make(settings: Making, seed: int) -> tuple[Strips, Placement]:
    """Shred the pages that the settings name; the same seed gives the same bag."""
    fronts = _named("image", settings.image, settings.font)
    backs = [] if settings.back is None else _named("back", settings.back, settings.font)
    if backs and len(backs) != len(fronts):
        raise BadUsage(f"each page needs a back of its own: image names {len(fronts)}, back {len(backs)}")
    if settings.lose and len(fronts) > 1:
        raise BadUsage("lose is for one page: in a bag of several, an empty column stands between two pages")
    rng = np.random.default_rng(seed)
    pages = _alike([*fronts, *backs])
    noisy = [_with_noise(page, settings.noise, rng) for page in pages]
    return shredded(
        noisy[: len(fronts)], noisy[len(fronts) :], settings.grid, rng,
        flip=settings.flip, lose=settings.lose, told=settings.told,
    )  # fmt: skip


def shredded(
    fronts: Sequence[Pixels], backs: Sequence[Pixels], grid: tuple[int, int], rng: np.random.Generator,
    *, flip: bool = False, lose: float = 0.0, told: bool = False,
) -> tuple[Strips, Placement]:  # fmt: skip
    """A bag of pages of one size, and where everything belongs; ``grid`` is rows and columns of a page's pieces.

    What does not fill a piece at the right and at the bottom is cut away.
    """
    rows, cols = grid
    height, width = fronts[0].shape[0] // rows, fronts[0].shape[1] // cols
    if min(height, width) < 2:
        raise BadUsage(f"{cols} columns and {rows} rows are too many for a page of {_size(fronts[0])} pixels")
    if len(fronts) * rows * cols > MOST_STRIPS:
        raise BadUsage(f"{len(fronts) * rows * cols} pieces are more than the {MOST_STRIPS} that one bag holds")
    pieces = np.stack([_pieces(page, grid, height, width) for page in fronts])  # [pages, rows, cols, …]
    sides = [pieces]
    if backs:  # turned over like a page: the first column of the back lies behind the last of the front
        sides.append(np.stack([_pieces(page, grid, height, width)[:, ::-1] for page in backs]))
    faces = np.stack(sides, axis=3).reshape(-1, len(sides), height, width, pieces.shape[-1])
    count = len(faces)
    kept = rng.permutation(count)[: max(2, count - round(lose * count))]  # of each in the bag: its number here
    ways = [4 * over + way for over in range(len(sides)) for way in ((0, 2) if flip else (0,))]
    given = rng.choice(ways, len(kept))
    lying = np.stack([cutting.turned(faces[one], way) for one, way in zip(kept, given.tolist(), strict=True)])
    at, turns = np.full(count + 1, EMPTY), np.zeros(count + 1, np.int64)  # the last for empty cells
    at[kept], turns[kept] = np.arange(len(kept)), given  # each of these turns undoes itself
    cells = _side_by_side(len(fronts), rows, cols)
    pages = 1 if len(fronts) == 1 else len(fronts) if told else None
    bag = cutting.listed(lying, (rows, cols) if len(fronts) == 1 else None, flip, mixed=pages != 1)
    return as_strips(bag, rows, pages), Placement.from_flat(at[cells.ravel()], turns[cells.ravel()], cells.shape[1])


def _pieces(page: Pixels, grid: tuple[int, int], height: int, width: int) -> Pixels:
    """[rows, cols, height, width, channels]"""
    rows, cols = grid
    whole = page[: rows * height, : cols * width].reshape(rows, height, cols, width, -1)
    return whole.swapaxes(1, 2)


def _side_by_side(pages: int, rows: int, cols: int) -> NDArray[np.int64]:
    """The board of all pages, an empty column between two; cells are numbered page by page. [rows, …]"""
    numbers = np.arange(pages * rows * cols).reshape(pages, rows, cols)
    apart = np.pad(numbers, ((0, 0), (0, 0), (0, 1)), constant_values=EMPTY)
    return np.concatenate(apart, axis=1)[:, :-1]


def _alike(pages: list[Picture]) -> list[Pixels]:
    """Grey or RGB of 8 bits, and of one size: what is smaller than the largest lies on white."""
    coloured = any(page.pixels.shape[2] > 2 for page in pages)
    same = [in_colour(page.pixels) for page in pages]
    height, width = (max(page.shape[axis] for page in same) for axis in (0, 1))
    grown: list[Pixels] = [
        np.pad(page, ((0, height - len(page)), (0, width - page.shape[1]), (0, 0)), constant_values=255)
        for page in same
    ]
    return grown if coloured else [page[:, :, :1] for page in grown]


def _with_noise(page: Pixels, noise: float, rng: np.random.Generator) -> Pixels:
    if not noise:
        return page
    return np.rint(page + rng.normal(0, noise, page.shape)).clip(0, 255).astype(np.uint8)


def _named(key: str, names: str, font: str | None) -> list[Picture]:
    """One page, or several separated by commas."""
    parts = [part.strip() for part in names.split(",")]
    if len(parts) > MOST_PICTURES:
        raise BadUsage(f"{key} names {len(parts)} pages, and {MOST_PICTURES} are the most that go into one bag")
    return [Picture(part, _page(key, part, font)) for part in parts]


def _page(key: str, name: str, font: str | None) -> Pixels:
    """Made up, a scan that is built in, or whatever ``image`` of a jigsaw may name."""
    if found := _MADE_UP.fullmatch(name):
        from .pages import page

        return page(int(found[1]), int(found[2] or 1), font)
    if name.startswith("page:"):
        raise BadUsage(f"a page made up by us is page:SEED or page:SEED.NUMBER, as in page:7.2, not {name[:40]!r}")
    return scan(name) if name in SCANS else cutting.picture_named(key, name)


def scan(name: str) -> Pixels:
    """One of ``SCANS``."""
    return open_picture((files("skimage") / "data" / f"{name}.png").read_bytes(), name).pixels


def _size(page: Pixels) -> str:
    return f"{page.shape[1]}x{page.shape[0]}"
