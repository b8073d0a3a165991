"""Small built-in boards of boxes and hexagons, each with one solution."""

from collections.abc import Callable, Mapping

from ..core.puzzle import Puzzle
from .boxes import Boxes
from .hexagons import Hexagons


def row() -> Boxes:
    """One dimension: eight dominoes that are not turned."""
    return Boxes((8,), ((1, 1), (5, 3), (2, 3), (3, 2), (3, 6), (1, 5), (4, 2), (2, 4)))


def cube() -> Boxes:
    """Three dimensions, with a coloured frame."""
    return Boxes(
        (3, 3, 3),
        ((5, 6, 2, 1, 2, 3), (6, 4, 5, 4, 3, 3), (1, 2, 2, 3, 3, 2), (4, 1, 3, 5, 2, 1), (5, 1, 4, 2, 4, 1),
         (3, 1, 1, 2, 3, 6), (4, 3, 4, 1, 6, 3), (3, 6, 4, 2, 3, 4), (6, 3, 5, 5, 5, 3), (5, 4, 6, 4, 6, 4),
         (2, 6, 1, 1, 4, 3), (6, 4, 4, 1, 6, 5), (6, 5, 4, 5, 3, 4), (5, 2, 1, 4, 2, 3), (1, 5, 1, 3, 4, 6),
         (6, 2, 3, 1, 1, 3), (6, 6, 3, 4, 5, 1), (5, 6, 1, 6, 5, 5), (5, 4, 6, 4, 3, 4), (2, 3, 2, 5, 1, 6),
         (6, 3, 5, 1, 5, 1), (6, 1, 4, 1, 2, 6), (1, 6, 6, 3, 4, 6), (6, 6, 1, 2, 2, 5), (3, 5, 2, 6, 3, 5),
         (3, 5, 6, 2, 1, 2), (2, 5, 2, 4, 3, 5)),
        (5, 2, 2, 3, 4, 1, 6, 6, 2, 4, 2, 6, 1, 5, 4, 2, 6, 5, 5, 2, 1, 4, 2, 4, 5, 3, 2, 1, 5, 1, 4, 3, 6, 2, 2, 3, 1,
         3, 5, 6, 2, 2, 1, 4, 5, 5, 1, 2, 3, 3, 1, 4, 4, 4),
    )  # fmt: skip


def drive_ya_nuts() -> Hexagons:
    """Milton Bradley's seven nuts (https://www.jaapsch.net/puzzles/circus.htm lists them clockwise)."""
    return Hexagons(
        2,
        ((1, 6, 5, 4, 3, 2), (1, 2, 5, 6, 3, 4), (1, 5, 3, 2, 6, 4), (1, 3, 5, 4, 2, 6), (1, 3, 5, 2, 4, 6),
         (1, 4, 2, 3, 5, 6), (1, 2, 3, 4, 5, 6)),
    )  # fmt: skip


def framed() -> Hexagons:
    """Nineteen pieces in a coloured frame."""
    return Hexagons(
        3,
        ((3, 2, 1, 2, 1, 3), (4, 1, 4, 1, 3, 2), (1, 2, 4, 1, 3, 4), (2, 1, 4, 1, 1, 1), (3, 3, 3, 4, 3, 4),
         (4, 1, 3, 3, 1, 3), (2, 4, 1, 2, 4, 1), (1, 3, 2, 2, 4, 1), (1, 2, 3, 3, 3, 3), (2, 1, 2, 2, 2, 2),
         (1, 3, 4, 2, 4, 1), (3, 4, 4, 2, 4, 4), (3, 3, 1, 3, 2, 1), (4, 2, 2, 3, 4, 1), (1, 2, 3, 1, 3, 4),
         (2, 3, 3, 4, 2, 3), (2, 4, 4, 4, 1, 4), (4, 4, 2, 4, 2, 1), (1, 2, 2, 3, 3, 4)),
        frame=(4, 2, 4, 3, 3, 3, 4, 1, 4, 1, 2, 3, 4, 2, 4, 3, 2, 1, 1, 3, 1, 1, 2, 2, 2, 3, 4, 1, 1, 2),
    )  # fmt: skip


BOXES: Mapping[str, Callable[[], Puzzle]] = {"boxes-8": row, "boxes-3x3x3": cube}
HEXAGONS: Mapping[str, Callable[[], Puzzle]] = {"drive-ya-nuts": drive_ya_nuts, "hexagons-19": framed}
