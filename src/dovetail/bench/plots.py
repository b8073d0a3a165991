"""Plots of numbers over sizes or over time, as pictures; and of straight lines in logarithms their exponents."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..picture import Line, Picture, Polygon, Text

WIDE, HIGH, MARGIN, WORDS = 620.0, 340.0, 56.0, 190.0
INK, FAINT = "#303030", "#D8D8D8"
COLOURS = ("#0072B2", "#56B4E9", "#009E73", "#D55E00", "#CC79A7", "#E69F00")  # told apart by everyone (Okabe and Ito)
APART = tuple(COLOURS[number] for number in (0, 3, 2, 4))  # where bands lie over each other
MARK = 3.5
INSTANTS = 160  # across a plot over time


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


@dataclass(frozen=True)
class Anytime:
    """How good the answers of one solver were after how many seconds: a list of points a seed, each kept until the
    next."""

    name: str
    runs: Sequence[Sequence[tuple[float, float]]]
    end_s: float

    def at(self, second: float) -> list[float]:
        """What each seed had in hand then; seeds that had nothing yet are left out."""
        before = ([value for when, value in run if when <= second] for run in self.runs)
        return [values[-1] for values in before if values]


def watched(rows: Sequence[Mapping[str, Any]]) -> list[Anytime]:
    """Of every case the runs of its last call (benchmarks/anytime.py); points, as shares of the best of them."""
    runs = {row["case"]: row["run"] for row in rows}
    found = []
    for case, run in runs.items():
        met = [row for row in rows if row["case"] == case and row["run"] == run]
        most = max(1.0, *(value for row in met for _, value in row["points"]))
        kept = [[(float(when), value / most) for when, value in row["points"]] for row in met]
        found.append(Anytime(met[0]["solver"], kept, max(row["budget_s"] for row in met)))
    return found


def in_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """What the curves are of."""
    seeds = len({row["seed"] for row in rows})
    cases = "; ".join(dict.fromkeys(row["case"] for row in rows))
    return f"The best of {seeds} seeds, and as a band all of them. By the checker: {cases}."


def over_time(title: str, curves: Sequence[Anytime]) -> Picture:
    """Shares of 1 over seconds, which are logarithmic: the best seed as a line, and from when all seeds have something
    in hand, worst to best as a band."""
    left = math.log10(min(when for curve in curves for run in curve.runs for when, _ in run))
    right = math.log10(max(curve.end_s for curve in curves))
    picture = Picture(WIDE + MARGIN + WORDS, HIGH + 2 * MARGIN)

    def at(power: float, value: float) -> tuple[float, float]:
        return MARGIN + WIDE * (power - left) / (right - left), MARGIN + HIGH * (1 - value)

    picture.add(Text((MARGIN + WIDE / 2, MARGIN / 2), title, 14, INK))
    for percent in range(0, 101, 20):
        y = at(left, percent / 100)[1]
        picture.add(Line(((MARGIN, y), (MARGIN + WIDE, y)), FAINT, 1.0), Text((MARGIN / 2, y), f"{percent} %", 11, INK))
    for power in range(math.ceil(left), math.floor(right) + 1):
        x = at(power, 0)[0]
        picture.add(Line(((x, MARGIN), (x, MARGIN + HIGH)), FAINT, 0.5))
        picture.add(Text((x, MARGIN + HIGH + 14), f"{10.0**power:g}", 9, INK))
    picture.add(Text((MARGIN + WIDE / 2, MARGIN + HIGH + 34), "seconds", 12, INK))
    powers = [left + (right - left) * number / INSTANTS for number in range(INSTANTS + 1)]
    known = [[(power, met) for power in powers if (met := curve.at(10**power))] for curve in curves]
    coloured = [*zip(curves, known, APART, strict=False)]
    for curve, values, colour in coloured:  # all bands below all lines
        every = [(power, met) for power, met in values if len(met) == len(curve.runs)]
        upper, lower = [at(power, max(met)) for power, met in every], [at(power, min(met)) for power, met in every]
        picture.add(Polygon((*upper, *reversed(lower)), _paler(colour)))
    for place, (curve, values, colour) in enumerate(coloured):
        picture.add(Line(tuple(at(power, max(each)) for power, each in values), colour, 2.0))
        picture.add(Text((MARGIN + WIDE + WORDS / 2, MARGIN + 12 + 20 * place), curve.name, 12, colour))
    return picture


def _paler(colour: str, share: float = 0.3) -> str:
    """Mixed with white."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - share * (255 - part)):02X}" for part in parts)


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
