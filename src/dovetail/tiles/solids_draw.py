"""What the pictures of boxes and hexagons share: faces as coloured outlines with their numbers, mistakes in red."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..picture import MISTAKE, Line, Picture, Point, Polygon, Shape, Text
from .draw import DARK, GREY, GROUND, HAIRLINE, HALO, HOLE, MOST_PIXELS, RIM, look
from .solids import Solids

MOST_WITH_NUMBERS = 1500  # pieces; on larger boards the numbers would be specks
LONGEST, MOST_SCALE = 900, 128  # of a picture in pixels; pixels a piece


@dataclass(frozen=True)
class Brush:
    """How the colours of one puzzle are painted: a grey rim without its number, all others with it."""

    grey: int | None
    numbers: bool

    @classmethod
    def of(cls, puzzle: Solids) -> "Brush":
        """The brush for a puzzle."""
        return cls(puzzle.grey, len(puzzle.pieces) <= MOST_WITH_NUMBERS)

    def facet(self, outline: Sequence[Point], colour: int, at: Point, size: float) -> Iterator[Shape]:
        """One face, its number here and at most so large."""
        if colour == self.grey:
            yield Polygon(tuple(outline), GREY, DARK, HAIRLINE)
            return
        it = look(colour)
        yield Polygon(tuple(outline), it.fill, DARK, HAIRLINE)
        if self.numbers:
            number = str(colour)
            yield Text(at, number, min(size, 2.2 * size / len(number)), it.ink)


def canvas(width: float, height: float, least_scale: float = 64) -> Picture:
    """Small boards large, large boards not too large."""
    longest = max(width, height)
    scale = min(max(least_scale, min(MOST_SCALE, LONGEST / longest)), MOST_PIXELS / longest)
    return Picture(width, height, scale, GROUND)


def hole(outline: Sequence[Point]) -> Polygon:
    """A cell without a piece."""
    return Polygon(tuple(outline), HOLE, RIM, HAIRLINE)


def outlined(outline: Sequence[Point], width: float = 2 * HAIRLINE) -> Polygon:
    """The rim of a piece."""
    return Polygon(tuple(outline), None, DARK, width)


def mistake(points: Sequence[Point], width: float = 0.08) -> tuple[Line, Line]:
    """A red line on a light one: what disagrees."""
    return Line(tuple(points), HALO, 1.6 * width), Line(tuple(points), MISTAKE, width)


def between(one: Point, other: Point, share: float) -> Point:
    """So far on the way from one point to another."""
    return one[0] + share * (other[0] - one[0]), one[1] + share * (other[1] - one[1])
