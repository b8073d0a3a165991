"""Plots of numbers over sizes, as pictures; and of straight lines in logarithms their exponents."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..picture import Line, Picture, Polygon, Text

WIDE, HIGH, MARGIN, WORDS = 620.0, 340.0, 56.0, 190.0
INK, FAINT = "#303030", "#D8D8D8"
COLOURS = ("#0072B2", "#56B4E9", "#009E73", "#D55E00", "#CC79A7", "#E69F00")  # told apart by everyone (Okabe and Ito)
MARK = 3.5


@dataclass(frozen=True)
class Curve:
    """Numbers over sizes; those of others are dashed."""

    name: str
    points: Sequence[tuple[float, float]]
    others: bool = False


def drawn(title: str, curves: Sequence[Curve], *, logarithmic: bool = False, percent: bool = False) -> Picture:
    """Sizes are always on a logarithmic scale; the numbers if asked for."""
    xs = [math.log10(x) for curve in curves for x, _ in curve.points]
    ys = [math.log10(y) if logarithmic else y for curve in curves for _, y in curve.points]
    left, right = min(xs), max(xs)
    low, high = (math.floor(min(ys)), math.ceil(max(ys))) if logarithmic else (math.floor(min(ys)), max(ys))
    picture = Picture(WIDE + MARGIN + WORDS, HIGH + 2 * MARGIN)

    def at(x: float, y: float) -> tuple[float, float]:
        y = math.log10(y) if logarithmic else y
        across, up = (math.log10(x) - left) / (right - left), (y - low) / (high - low)
        return MARGIN + WIDE * across, MARGIN + HIGH * (1 - up)

    picture.add(Text((MARGIN + WIDE / 2, MARGIN / 2), title, 14, INK))
    for number in _ticks(low, high, logarithmic):
        y = at(10**left, number)[1]
        word = f"{number:g} %" if percent else f"{number:g} s"
        picture.add(Line(((MARGIN, y), (MARGIN + WIDE, y)), FAINT, 1.0), Text((MARGIN / 2, y), word, 11, INK))
    for size in sorted({x for curve in curves for x, _ in curve.points}):
        x = at(size, 10**low if logarithmic else low)[0]
        picture.add(Line(((x, MARGIN), (x, MARGIN + HIGH)), FAINT, 0.5))
        picture.add(Text((x, MARGIN + HIGH + 14), f"{size:,.0f}", 9, INK))
    picture.add(Text((MARGIN + WIDE / 2, MARGIN + HIGH + 34), "pieces", 12, INK))
    for place, (curve, colour) in enumerate(zip(curves, COLOURS, strict=False)):
        points = [at(*point) for point in curve.points]
        if curve.others:
            picture.add(*_dashed(points, colour))
        else:
            picture.add(Line(tuple(points), colour, 2.0))
        for x, y in points:
            corners = ((x - MARK, y), (x, y - MARK), (x + MARK, y), (x, y + MARK))
            picture.add(Polygon(corners, "#FFFFFF" if curve.others else colour, colour, 1.0))
        picture.add(Text((MARGIN + WIDE + WORDS / 2, MARGIN + 12 + 20 * place), curve.name, 12, colour))
    return picture


def _ticks(low: float, high: float, logarithmic: bool) -> list[float]:
    if logarithmic:
        return [10.0**power for power in range(int(low), int(high) + 1)]
    step = next(step for step in (1, 2, 5, 10, 20, 50) if (high - low) / step <= 8)
    return [float(number) for number in range(step * math.ceil(low / step), int(high) + 1, step)]


def _dashed(points: Sequence[tuple[float, float]], colour: str, dash: float = 7.0) -> list[Line]:
    """Short lines along a path."""
    parts = []
    for (x, y), (to_x, to_y) in pairwise(points):
        count = max(1, round(math.hypot(to_x - x, to_y - y) / dash))
        for number in range(0, count, 2):
            a, b = number / count, min(1.0, (number + 1) / count)
            parts.append(Line(((x + a * (to_x - x), y + a * (to_y - y)), (x + b * (to_x - x), y + b * (to_y - y))),
                              colour, 2.0))  # fmt: skip
    return parts


def exponents(curves: Sequence[Curve]) -> str:
    """In words: how each curve grows, by a straight line through its logarithms."""
    said = (f"{curve.name} like n^{_exponent(curve.points):.2f}" for curve in curves)
    return f"\nFitted: {'; '.join(said)}."


def _exponent(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the least-squares line in logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    slope: float = sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)
    return slope
