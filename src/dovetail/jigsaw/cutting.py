"""From pictures to a puzzle: cut them, shuffle the pieces, turn them, lose some, add strange ones; where they belong is
told apart.

A picture in pieces is an array [rows, cols, sides, height, width, channels]. The back of a piece is kept as it shows
when the piece is turned over like a page; so does the picture on the back of the whole board, and therefore its first
column lies behind the last one of the front.
"""

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput, BadUsage
from ..core.files import read_limited
from ..core.puzzle import EMPTY, Placement
from .archive import content
from .images import Pixels, enriched, open_picture, richest
from .puzzle import MOST_CELLS, MOST_PICTURES, MOST_SIDE, Jigsaw, Making, possible_turns
from .worn import wearing

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
WEAR = 1  # beside the seed: how pieces wear has its own chances, so that they are shuffled as ever
GREY = ("camera", "coins", "moon")  # of these; the others are of colours


class Picture(NamedTuple):
    """As the user calls it, and as numbers."""

    name: str
    pixels: Pixels  # [height, width, channels]

    @property
    def size(self) -> str:
        """Width by height, as people say it."""
        return f"{self.pixels.shape[1]}x{self.pixels.shape[0]} pixels"


def make(settings: Making, seed: int) -> tuple[Jigsaw, Placement]:
    """Cut the pictures that the settings name; the same seed gives the same puzzle."""
    height, width = piece_size(settings.piece)
    fronts = _named("image", settings.image)
    backs = [] if settings.back is None else _named("back", settings.back)
    if backs and len(backs) != len(fronts):
        raise BadUsage(f"each picture needs a back of its own: image names {len(fronts)}, back {len(backs)}")
    strangers = _strangers(settings, [*fronts, *backs])
    fronts, backs, strangers = _alike(fronts, backs, strangers)
    pictures = [_in_pieces(front, height, width) for front in fronts]
    if backs:
        pictures = [_with_back(picture, back) for picture, back in zip(pictures, backs, strict=True)]
    rng = np.random.default_rng(seed)
    strange = None
    if strangers:
        own = sum(picture.shape[0] * picture.shape[1] for picture in pictures)
        strange = _some_of(strangers[0], max(1, round(settings.foreign * own)), pictures[0].shape[2:], rng)
    puzzle, truth = bagged(
        pictures, rng, rotate=settings.rotate, missing=settings.missing, strange=strange, frame=settings.frame
    )
    if wearing.is_worn(settings):
        frame = None if puzzle.rows is None or puzzle.cols is None else (puzzle.rows, puzzle.cols)
        pieces = wearing.worn(puzzle.faces, settings, np.random.default_rng((seed, WEAR)))
        puzzle = listed(pieces, frame, puzzle.rotate, foreign=puzzle.foreign, mixed=puzzle.mixed)
    return puzzle, truth


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
    """A puzzle of the pieces of one picture, given row by row, and where they belong; ``missing`` as in ``bagged``."""
    return bagged([pieces.reshape(rows, cols, 1, *pieces.shape[1:])], rng, rotate=rotate, missing=missing)


def bagged(
    pictures: Sequence[Pixels], rng: np.random.Generator, *, rotate: bool = False, missing: float = 0.0,
    strange: Pixels | None = None, frame: bool = True,
) -> tuple[Jigsaw, Placement]:  # fmt: skip
    """A puzzle of the pieces of all these pictures, and where they belong: the pictures side by side, apart.

    ``missing`` is the share to lose. Two pieces stay whatever it is; of several pictures one in each column, since an
    empty column tells them apart. ``strange`` pieces belong nowhere. [n, sides, height, width, channels]
    """
    cells, mixed = _side_by_side(pictures), len(pictures) > 1
    pieces = np.concatenate([picture.reshape(-1, *picture.shape[2:]) for picture in pictures])
    bag = _kept(cells, len(pieces), missing, rng)  # of each piece in the order of the puzzle: its number here
    if strange is not None:
        pieces = np.concatenate([pieces, strange])
        bag = rng.permutation(np.concatenate([bag, np.arange(len(pieces) - len(strange), len(pieces))]))
    _, sides, height, width, _ = pieces.shape
    quarters = possible_turns(height, width, rotate)
    given = rng.choice([4 * over + quarter for over in range(sides) for quarter in quarters], len(bag))
    lying = pieces[bag]
    if given.any():
        lying = np.stack([turned(piece, turn) for piece, turn in zip(lying, given.tolist(), strict=True)])
    at, turns = np.full(len(pieces) + 1, EMPTY), np.zeros(len(pieces) + 1, np.int64)  # the last for empty cells
    at[bag], turns[bag] = np.arange(len(bag)), np.where(given < 4, -given % 4, given)  # turned over twice is not at all
    told = (cells.shape[0], cells.shape[1]) if frame and not mixed else None
    puzzle = listed(lying, told, rotate, foreign=strange is not None, mixed=mixed)
    return puzzle, Placement.from_flat(at[cells.ravel()], turns[cells.ravel()], cells.shape[1])


def turned(piece: Pixels, turn: int) -> Pixels:
    """Both faces of a piece that is laid so, the back as it shows when what lies is turned over like a page.

    ``turn`` counts quarters counter-clockwise, and 4 more for a piece turned over before. [sides, height, width, …]
    """
    over, quarters = divmod(turn, 4)
    faces = piece[::-1] if over else piece
    ways = (quarters, -quarters)[: len(faces)]  # from behind, it turns the other way
    return np.stack([np.rot90(face, way) for face, way in zip(faces, ways, strict=True)])


def listed(
    pieces: Pixels, frame: tuple[int, int] | None = None, rotate: bool = False, *,
    foreign: bool = False, mixed: bool = False,
) -> Jigsaw:  # fmt: skip
    """The puzzle of these pieces in this order; ``frame`` is rows and columns.

    [n, height, width, channels], or with backs [n, sides, height, width, channels]
    """
    sides = pieces.shape[1] if pieces.ndim == 5 else 1
    height, width, channels = pieces.shape[-3:]
    rows, cols = frame or (None, None)
    size = pieces.dtype.itemsize
    pixels = pieces.astype(f"<u{size}").tobytes()
    return Jigsaw(height, width, channels, 8 * size, pixels, rows, cols, rotate, sides, foreign, mixed)


def built_in(name: str) -> Pixels:
    """A photograph of ``BUILT_IN``."""
    found = find_spec("skimage")
    if found is None or not found.submodule_search_locations:
        raise BadInput(f"the picture {name} comes with scikit-image, which is not installed")
    path = Path(found.submodule_search_locations[0]) / "data" / BUILT_IN[name]
    return _read(path)


def _side_by_side(pictures: Sequence[Pixels]) -> NDArray[np.int64]:
    """The board of all pictures, an empty column between two; cells are numbered picture by picture. [rows, cols]"""
    rows, cols = max(len(picture) for picture in pictures), sum(1 + picture.shape[1] for picture in pictures) - 1
    if max(rows, cols) > MOST_CELLS:
        raise BadUsage(f"a board has at most {MOST_CELLS} rows and columns, and this one would be {rows}x{cols}")
    board = np.full((rows, cols), EMPTY, np.int64)
    first = left = 0
    for picture in pictures:
        high, wide = picture.shape[:2]
        board[:high, left : left + wide] = first + np.arange(high * wide).reshape(high, wide)
        first, left = first + high * wide, left + wide + 1
    return board


def _kept(board: NDArray[np.int64], count: int, missing: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """The pieces that are not lost, in any order."""
    order = rng.permutation(count)
    safe = np.arange(max(0, count - 2), count)  # places in that order
    if (board == EMPTY).all(axis=0).any():
        place = np.append(np.argsort(order), -1)  # of each piece, and of an empty cell
        latest = place[board].max(axis=0)
        safe = latest[latest >= 0]
    lost = np.delete(np.arange(count), safe)[: round(missing * count)]
    return np.delete(order, lost)


def _in_pieces(picture: Picture, height: int, width: int) -> Pixels:
    """Of one side, as the module text has it; two pieces at least."""
    pieces = cut(picture.pixels, height, width)
    if len(pieces) < 2:
        raise BadUsage(
            f"{picture.name} is {picture.size} and gives {len(pieces)} pieces of {width}x{height}; "
            "at least 2 are needed"
        )
    return pieces.reshape(-1, picture.pixels.shape[1] // width, 1, *pieces.shape[1:])


def _with_back(pieces: Pixels, back: Picture) -> Pixels:
    """Another picture behind the pieces of one; what is too much of it is cut away at the right and below."""
    rows, cols, _, height, width, _ = pieces.shape
    needed = rows * height, cols * width
    if back.pixels.shape[0] < needed[0] or back.pixels.shape[1] < needed[1]:
        raise BadUsage(f"{back.name} is {back.size}, too small for the back of {needed[1]}x{needed[0]} pixels")
    behind = cut(back.pixels[: needed[0], : needed[1]], height, width).reshape(pieces.shape)
    return np.concatenate([pieces, behind[:, ::-1]], axis=2)


def _some_of(stranger: Picture, count: int, piece: tuple[int, ...], rng: np.random.Generator) -> Pixels:
    """So many pieces of another picture, whose sides do not belong together either. [count, *piece]"""
    sides, height, width, _ = piece
    pieces = cut(stranger.pixels, height, width)
    if len(pieces) < count * sides:
        raise BadUsage(
            f"{stranger.name} is {stranger.size} and gives {len(pieces)} pieces of {width}x{height}, too few for "
            f"{count} foreign ones{' with two sides' * (sides - 1)}; set another stranger"
        )
    return pieces[rng.permutation(len(pieces))[: count * sides]].reshape(count, *piece)


def _strangers(settings: Making, own: list[Picture]) -> list[Picture]:
    """The picture that foreign pieces come from, if there are any."""
    names = [picture.name for picture in own]
    if not settings.foreign:
        if settings.stranger is not None:
            raise BadUsage("stranger says where foreign pieces come from; set their share too, as in foreign=0.1")
        return []
    if settings.stranger is not None:
        if settings.stranger in names:
            raise BadUsage(f"pieces of {settings.stranger} are not foreign here; set another stranger")
        return [Picture(settings.stranger, picture_named("stranger", settings.stranger))]
    grey = all(picture.pixels.shape[2] < 3 for picture in own)
    rest = sorted((name for name in BUILT_IN if name not in names), key=lambda name: (name in GREY) != grey)
    if not rest:
        raise BadUsage("every picture that is built in is taken; set stranger to one of yours")
    return [Picture(rest[0], built_in(rest[0]))]


def _alike(*groups: list[Picture]) -> tuple[list[Picture], ...]:
    """The same pictures, with the channels and bits of the richest."""
    every = [picture.pixels for group in groups for picture in group]
    channels = richest({pixels.shape[2] for pixels in every})
    depth = max(8 * pixels.dtype.itemsize for pixels in every)
    return tuple([Picture(name, enriched(pixels, channels, depth)) for name, pixels in group] for group in groups)


def _named(key: str, names: str) -> list[Picture]:
    """One picture, or several separated by commas; what is one as a whole has a comma in its name."""
    if "," not in names or _found(names) is not None:
        return [Picture(names, picture_named(key, names))]
    parts = [part.strip() for part in names.split(",")]
    if len(parts) > MOST_PICTURES:
        raise BadUsage(f"{key} names {len(parts)} pictures, and {MOST_PICTURES} are the most that go into one bag")
    return [Picture(part, picture_named(key, part)) for part in parts]


def picture_named(key: str, name: str) -> Pixels:
    """A file, one in a TAR archive, or else a picture that is built in."""
    if not name:
        raise BadUsage(f"{key} is empty, or has a comma too many; it names a picture")
    if (path := _found(name)) is not None:
        return _read(path)
    if (archive := _found(str(Path(name).parent))) is not None and archive.is_file():
        return open_picture(content(archive, Path(name).name), name).pixels
    if name not in BUILT_IN:
        raise BadUsage(f"there is no picture {name[:80]!r}, and none of that name is built in ({', '.join(BUILT_IN)})")
    return built_in(name)


def _found(name: str) -> Path | None:
    """The file or folder of that name; anything else might be waited for without end."""
    try:
        path = Path(name)
        return path if path.is_file() or path.is_dir() else None
    except (OSError, ValueError):  # a name no file can have
        return None


def _read(path: Path) -> Pixels:
    return open_picture(read_limited(path), str(path)).pixels
