"""From the coordinates of polygon puzzles, y upwards, to those of a picture; knows neither puzzles nor their rules."""

from collections.abc import Iterable, Sequence
from math import hypot

from ..picture import Line, Picture, Point, Polygon, Shape, Text
from .polygons import Ring

GROUND, SHADOW, OUTLINE = "#F4EDE4", "#8D8577", "#1B1B20"
MARGIN, HAIRLINE, RIM, NUMBER = 0.05, 0.005, 0.012, 0.06  # of the silhouette's longer side
SIDE_PX = 560  # of the silhouette's longer side
MOST_PX = 4000  # of a picture's longer side
LEAST_NUMBER = 0.35  # of the number's size, for pieces with little room


class Canvas:
    """From the puzzle's coordinates to the picture's: the box that must be seen, turned upside down."""

    def __init__(self, rings: Iterable[Ring], unit: float) -> None:
        points = [point for ring in rings for point in ring]
        self.unit = unit
        self.left = min(x for x, _ in points) - MARGIN * unit
        self.top = max(y for _, y in points) + MARGIN * unit
        width = max(x for x, _ in points) + MARGIN * unit - self.left
        height = self.top - min(y for _, y in points) + MARGIN * unit
        self.picture = Picture(width, height, min(SIDE_PX / unit, MOST_PX / max(width, height)), GROUND)

    def ring(self, ring: Ring) -> tuple[Point, ...]:
        """In the picture."""
        return tuple((x - self.left, self.top - y) for x, y in ring)

    def add(self, *shapes: Shape) -> None:
        """On top of what is there."""
        self.picture.add(*shapes)

    def silhouette(self, rings: Sequence[Ring], fill: str) -> None:
        """The frame filled; rings are painted from the largest on, inside and outside in turns."""
        for ring in sorted(rings, key=lambda ring: -abs(area(ring))):
            depth = sum(_inside(_near(ring), other) for other in rings if other is not ring)
            self.add(Polygon(self.ring(ring), GROUND if depth % 2 else fill))

    def outline(self, rings: Sequence[Ring]) -> None:
        """The frame's rings as lines."""
        for ring in rings:
            points = self.ring(ring)
            self.add(Line((*points, points[0]), OUTLINE, RIM * self.unit))

    def piece(self, ring: Ring, fill: str) -> None:
        """In its colour."""
        self.add(Polygon(self.ring(ring), fill, OUTLINE, HAIRLINE * self.unit))

    def number(self, number: int, ring: Ring, ink: str) -> None:
        """Counted from 1, where a piece has most room."""
        (x, y), room = roomiest(ring)
        size = max(LEAST_NUMBER * NUMBER * self.unit, min(NUMBER * self.unit, 1.3 * room))
        self.add(Text((x - self.left, self.top - y), str(number + 1), size, ink))


def moved(ring: Ring, dx: float, dy: float) -> Ring:
    """By so much."""
    return tuple((x + dx, y + dy) for x, y in ring)


def longest(rings: Sequence[Ring]) -> float:
    """The longer side of the box around rings."""
    xs, ys = zip(*(point for ring in rings for point in ring), strict=True)
    return float(max(max(xs) - min(xs), max(ys) - min(ys)))


def area(ring: Ring) -> float:
    """Counter-clockwise positive."""
    return sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(ring, (*ring[1:], ring[0]), strict=True)) / 2


def roomiest(ring: Ring, fineness: int = 12) -> tuple[Point, float]:
    """The point of a grid inside a polygon that is farthest from its edges, and how far that is."""
    xs, ys = zip(*ring, strict=True)
    left, width, low, height = min(xs), max(xs) - min(xs), min(ys), max(ys) - min(ys)
    best, room = ring[0], 0.0
    for i in range(1, fineness):
        for j in range(1, fineness):
            point = (left + width * i / fineness, low + height * j / fineness)
            if _inside(point, ring) and (away := min(_away(point, *edge) for edge in _edges(ring))) > room * (1 + 1e-9):
                best, room = point, away
    return best, room


def _edges(ring: Ring) -> Iterable[tuple[Point, Point]]:
    return zip(ring, (*ring[1:], ring[0]), strict=True)


def _inside(point: Point, ring: Ring) -> bool:
    """By counting the edges to the right."""
    x, y = point
    right = [(y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1) for (x1, y1), (x2, y2) in _edges(ring)]
    return sum(right) % 2 == 1


def _near(ring: Ring) -> Point:
    """A point inside."""
    return roomiest(ring)[0]


def _away(point: Point, start: Point, end: Point) -> float:
    """From a point to an edge."""
    (x, y), (x1, y1), (x2, y2) = point, start, end
    dx, dy = x2 - x1, y2 - y1
    share = max(0.0, min(1.0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)))
    return hypot(x - x1 - share * dx, y - y1 - share * dy)
