"""Small built-in puzzles, one for each rule, each with one solution; and a board of 256 tiles."""

from collections.abc import Callable, Mapping

from ..core.puzzle import Puzzle
from .puzzle import Making, Pin, Tiles, grey_frame


def grey() -> Tiles:
    """Eternity-like: a grey rim, colours 1 to 3 along it, 4 to 9 inside."""
    return Tiles(
        6, 6,
        ((8, 2, 0, 1), (6, 4, 5, 4), (9, 6, 7, 7), (8, 1, 0, 2), (6, 1, 0, 2), (0, 0, 1, 2), (2, 0, 3, 8), (1, 0, 1, 4),
         (5, 7, 5, 4), (2, 9, 1, 0), (6, 4, 9, 4), (6, 6, 6, 8), (5, 4, 9, 9), (0, 1, 7, 3), (6, 2, 0, 1), (3, 3, 0, 0),
         (7, 5, 4, 6), (0, 3, 8, 3), (1, 0, 1, 9), (8, 5, 7, 6), (3, 0, 2, 7), (1, 0, 3, 7), (4, 6, 5, 9), (8, 5, 8, 5),
         (9, 2, 0, 3), (0, 2, 3, 0), (3, 0, 1, 9), (7, 6, 7, 7), (9, 7, 6, 7), (5, 8, 9, 5), (2, 0, 0, 2), (8, 5, 4, 7),
         (3, 4, 1, 0), (5, 4, 5, 9), (8, 6, 8, 4), (4, 2, 0, 2)),
        frame=grey_frame(6, 6), distinct=True,
    )  # fmt: skip


def coloured() -> Tiles:
    """A coloured frame and a hint."""
    return Tiles(
        4, 5,
        ((2, 3, 5, 3), (4, 4, 2, 4), (3, 4, 1, 1), (3, 2, 6, 2), (1, 1, 6, 6), (4, 6, 3, 3), (6, 6, 3, 1), (4, 5, 2, 5),
         (3, 3, 2, 1), (5, 1, 2, 6), (6, 1, 4, 1), (2, 3, 5, 4), (1, 3, 1, 2), (1, 4, 6, 2), (2, 6, 3, 5), (2, 3, 5, 6),
         (4, 6, 6, 2), (5, 1, 5, 6), (4, 4, 5, 5), (1, 5, 5, 2)),
        frame=(2, 6, 4, 6, 1, 3, 5, 1, 5, 3, 3, 1, 4, 4, 4, 5, 2, 1), pins=(Pin(0, 0, 9, 2),),
    )  # fmt: skip


def tetravex() -> Tiles:
    """No turning, no frame."""
    return Tiles(
        4, 4,
        ((3, 6, 1, 5), (5, 5, 3, 4), (4, 7, 4, 7), (2, 2, 2, 5), (1, 2, 4, 3), (4, 7, 1, 6), (1, 1, 9, 7),
         (5, 8, 1, 2), (4, 9, 5, 6), (8, 7, 5, 1), (3, 3, 4, 2), (2, 6, 8, 8), (9, 2, 4, 6), (7, 1, 9, 3),
         (9, 4, 2, 6), (3, 6, 3, 7)),
        rotate=False,
    )  # fmt: skip


def scramble() -> Tiles:
    """Heads and tails of four pictures."""
    return Tiles(
        3, 3,
        ((-4, 4, -4, 1), (3, 1, 1, -3), (3, 4, -3, -2), (4, -2, -2, 4), (-1, 2, 1, 1), (2, -4, -4, 2), (-2, -1, 3, 2),
         (-3, -3, 3, 2), (1, -3, 3, 4)),
        match="signed", distinct=True,
    )  # fmt: skip


def large() -> Tiles:
    """256 tiles and 30 colours: as large as Eternity II, and easy."""
    from .planting import plant_tiles

    return plant_tiles(Making(width=16, height=16, colours=30, distinct=True), seed=1)[0]


TILES: Mapping[str, Callable[[], Puzzle]] = {
    "tiles-6x6": grey,
    "tiles-frame": coloured,
    "tetravex": tetravex,
    "scramble-squares": scramble,
    "tiles-16x16": large,
}
