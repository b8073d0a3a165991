"""Where a shuffled picture was cut, found in the picture alone: how large its tiles are, and where they lie.

Between two tiles that were no neighbours nearly every line of pixels has a sudden step, larger than those around it; in
one picture, sudden steps of many lines lie above each other only by chance. So for every column there is a share: of
the lines where anything changes nearby, those whose step here is more than twice as large as any close to it. Cuts show
as columns with a large share at all multiples of one number, which is the width of a tile. The rows are looked at in
the same way, and by themselves: tiles need not be square.

The compression of JPEG leaves lines of its own, 8 pixels apart; they are weaker, and what all such lines have in common
is taken off. Half the width of a tile promises lines that are not there, and twice the width leaves out some that are:
both cost as much as they are off (``_best``). How likely such lines are in a picture that was never cut is known from
pictures that were not, by Fisher's method, and multiplied by the number of ways to lay lines (``_chance``).
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .edges import colours_of
from .images import Pixels

LEAST, MOST_LINES = 8, 2000  # pixels along a tile; lines of pixels that are looked at, evenly spread
BLOCK = 128  # of them at a time
MOST_PIXELS = 300  # of a line that are asked whether it is even
MOST_LOOKED_AT = 30_000_000  # of all lines together: some pictures are narrow, and very long
SUDDEN, FLOOR = 2.0, 3.0  # a step is more than so many times as large as those around it, and so much more
ACTIVE = 0.05  # of all lines: where fewer change, chance has too large a share
SQUARES, USUAL = 8, 0.4  # pixels from one line of JPEG to the next; who of those lines has what all have, as a quantile
STRONG = 0.45  # more than lines of JPEG show
EXACT, FLUSH = 0.5, 0.25  # what it is worth, in lines, that tiles fill the picture; that they begin where it does
DOUBT, LEAD = 0.01, 0.4  # it is not sure above such a chance, or with so small a lead over the second best, in lines
CLEAR = 0.12  # nor if the usual line has so small a share: squares of JPEG were larger once, in pictures scaled since
EVEN, ALIKE = 5.0, 12.0  # levels by which the ground around and between pieces varies along a line, and between them
BLURRED = 2  # pixels by which compression may blur its rim
GUESSES = 3
# how rare such shares and larger ones are among columns and rows of uncut photographs, as natural logarithms: measured
# on 26 pictures of the sets of 2,360, 3,300 and 5,015 pieces (44,148 lines)
SHARES = np.array([0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5])
RARE = np.array([0.0, 3.1, 4.5, 5.8, 6.7, 7.1, 7.9, 8.6, 8.75])

Shares: TypeAlias = NDArray[np.float64]  # [pixels + 1]: of the step before each pixel; the first and last are none


class Axis(NamedTuple):
    """Tiles along one axis, in pixels."""

    first: int  # where the first begins
    side: int
    spacing: int  # between two
    number: int

    @property
    def end(self) -> int:
        """Where the last one ends."""
        return self.first + self.number * (self.side + self.spacing) - self.spacing

    @property
    def places(self) -> NDArray[np.int64]:
        """Of the pixels that belong to tiles."""
        starts = self.first + (self.side + self.spacing) * np.arange(self.number)
        places: NDArray[np.int64] = (starts[:, None] + np.arange(self.side)).ravel()
        return places


class Tiles(NamedTuple):
    """The tiles of a picture, and how sure that is."""

    down: Axis
    across: Axis
    chance: float  # that an uncut picture shows such lines somewhere, at most
    lead: float  # over the second best, in lines
    clear: float  # the share of a usual line
    guesses: tuple[str, ...]  # WIDTHxHEIGHT, the best first

    @property
    def sure(self) -> bool:
        """Whether to go on without asking."""
        return self.chance <= DOUBT and self.lead >= LEAD and self.clear >= CLEAR

    @property
    def size(self) -> str:
        """Of a tile, as people say it."""
        return f"{self.across.side}x{self.down.side}"

    def text(self, shape: tuple[int, ...]) -> str:
        """What was found, for people, in a picture of this height and width."""
        words = [f"cuts show {self.down.number} rows of {self.across.number} pieces of {self.size} pixels"]
        if self.down.spacing or self.across.spacing:
            words.append(f"{self.across.spacing}x{self.down.spacing} pixels apart")
        around = [
            f"{pixels} pixel{'s' * (pixels > 1)} {where}"
            for axis, length, places in (
                (self.down, shape[0], ("above", "below")),
                (self.across, shape[1], ("left", "right")),
            )
            for pixels, where in zip((axis.first, length - axis.end), places, strict=True)
            if pixels
        ]
        if around:
            words.append(f"left out: {', '.join(around)}")
        return "; ".join(words)


class _Comb(NamedTuple):
    """Lines that are equally far apart."""

    score: float  # lines that are there, less those that are not, and what is likely beforehand
    side: int
    first: int


def found(pixels: Pixels) -> Tiles | None:
    """The tiles of a shuffled picture, or None if it is too small to tell. [height, width, channels]"""
    if min(pixels.shape[:2]) < LEAST or max(pixels.shape[:2]) < 2 * LEAST:
        return None
    if (in_rows := apart(pixels)) is not None:
        return in_rows
    inside = [_inside(pixels, axis) for axis in (0, 1)]
    part = pixels[slice(*inside[0]), slice(*inside[1])]
    if min(part.shape[:2]) < 2:  # a single line within an even border
        return None
    shares = [_shares(part.swapaxes(0, 1)), _shares(part)]
    # the same steps may be seen on one axis alone: a picture in stripes is cut one way
    ranked = [_ranked(each) for each in shares]
    down, across = (
        _laid(combs[0], begin, end, length)
        for combs, (begin, end), length in zip(ranked, inside, pixels.shape[:2], strict=True)
    )
    if down.number * across.number < 2:
        return Tiles(down, across, 1.0, 0.0, 0.0, ())
    told = [
        (
            _chance(lines := _lines(each, combs[0]), _ways(combs[0], len(each) - 1)),
            combs[0].score - combs[1].score,
            float(np.median(lines)),
        )
        for each, combs, axis in zip(shares, ranked, (down, across), strict=True)
        if axis.number > 1  # else lines the other way must do
    ]
    chances, leads, clear = zip(*told, strict=True)
    return Tiles(down, across, max(chances), min(leads), min(clear), _guesses(*ranked))


def _shares(pixels: Pixels) -> Shares:
    """Of each column the share of lines with a sudden step before it, less what lines of JPEG have in common."""
    lines = np.unique(np.linspace(0, len(pixels) - 1, min(len(pixels), MOST_LINES)).astype(np.int64))
    length = pixels.shape[1]
    sudden, active = np.zeros(length - 1), np.full(length - 1, ACTIVE * len(lines))
    counted = np.zeros(length - 1)
    for begin in range(0, len(lines), BLOCK):
        colours = colours_of(pixels[lines[begin : begin + BLOCK]])
        steps = np.abs(np.diff(colours, axis=1)).sum(axis=2)
        around = np.pad(steps, ((0, 0), (2, 2)))
        others = np.maximum.reduce([around[:, shift : shift + length - 1] for shift in (0, 1, 3, 4)])
        sudden += (steps > SUDDEN * others + FLOOR).sum(axis=0)
        counted += (np.maximum(steps, others) > FLOOR).sum(axis=0)
    shares = np.zeros(length + 1)
    shares[1:-1] = sudden / np.maximum(counted, active)
    for place in range(1, SQUARES + 1):
        alike = shares[place:-1:SQUARES]
        common = np.quantile(alike, USUAL) if len(alike) else 0.0
        alike -= common if common < STRONG else 0.0  # stronger ones are no JPEG's: these are tiles of 8 pixels
    return np.maximum(shares, 0.0)


def _combs(shares: Shares) -> Iterator[tuple[int, NDArray[np.int64], Shares, Shares]]:
    """For every side of a tile: where the first may begin, how many lines there are then, and what they show.

    With lines wherever a tile ends or begins inside the picture. [firsts], [lines, firsts]
    """
    length = len(shares) - 1
    inside = np.ones(length + 1)
    inside[[0, -1]] = 0
    for side in range(LEAST, length // 2 + 1):
        firsts = np.arange(min(side, length - 2 * side + 1))  # two whole tiles at least
        rows = -(-(length + 1) // side)
        padded = np.zeros((2, rows * side))
        padded[0, : length + 1], padded[1, : length + 1] = shares, inside
        values, there = padded.reshape(2, rows, side)[:, :, firsts]
        yield side, firsts, values, there


def _ranked(shares: Shares) -> list[_Comb]:
    """The best combs, each of another side, and at the end of the list that there is no line at all.

    First the comb whose lines show most for their number tells how much a cut shows. Then a line that shows more than
    half of that speaks for a comb, and one that shows less against it: half the side of a tile promises as many lines
    too many as twice the side leaves out.
    """
    length, usual = len(shares) - 1, float(np.median(shares[1:-1]))
    strongest, level = 0.0, 0.0
    for side, _, values, there in _combs(shares):
        number = there.sum(axis=0)
        mean = (values.sum(axis=0) - usual * number) / np.sqrt(number)
        if mean.max() > strongest:
            strongest, best = float(mean.max()), int(mean.argmax())
            level = float(np.quantile(_lines(shares, _Comb(0.0, side, best)), 0.75))
    ranked = [_Comb(0.0, length, 0)]
    if level <= usual:
        return [*ranked, *ranked]
    half = (level - usual) / 2
    for side, firsts, values, there in _combs(shares):
        score = ((np.minimum(values, level) - usual - half) * there).sum(axis=0) / half
        score += np.where(firsts == 0, EXACT if length % side == 0 else FLUSH, 0.0)
        best = int(score.argmax())
        ranked.append(_Comb(float(score[best]), side, best))
    return sorted(ranked, reverse=True)


def _lines(shares: Shares, comb: _Comb) -> Shares:
    """What the lines of a comb show."""
    return shares[comb.first or comb.side : len(shares) - 1 : comb.side]


def _chance(lines: Shares, ways: float) -> float:
    """That an uncut picture has such lines somewhere: Fisher's sum of logarithms, by the bound of Chernoff on it, times
    the number of ways to lay them.
    """
    number, rare = len(lines), float(np.interp(lines, SHARES, RARE).sum())
    if rare <= number:
        return 1.0
    return min(1.0, ways * float(np.exp(number - rare + number * np.log(rare / number))))


def _ways(comb: _Comb, length: int) -> float:
    """How many combs are as simple as this one: three sorts, of which each has a third of the chances."""
    if comb.first == 0 and length % comb.side == 0:
        return 3.0 * sum(length % side == 0 for side in range(LEAST, length // 2 + 1))
    return 3.0 * length / 2 * (1 if comb.first == 0 else length / 4)


def _laid(comb: _Comb, begin: int, end: int, length: int) -> Axis:
    """Tiles from ``begin`` to ``end`` of the ``length``; even ones at its rim were no border if all fits then."""
    if length % comb.side == 0 and (begin + comb.first) % comb.side == 0:
        return Axis(0, comb.side, 0, length // comb.side)
    return Axis(begin + comb.first, comb.side, 0, (end - begin - comb.first) // comb.side)


def _guesses(down: list[_Comb], across: list[_Comb]) -> tuple[str, ...]:
    """The likeliest sizes."""
    pairs = sorted((one.score + other.score, one, other) for one in down[:GUESSES] for other in across[:GUESSES])
    return tuple(f"{other.side}x{one.side}" for _, one, other in pairs[::-1][:GUESSES])


def _inside(pixels: Pixels, axis: int) -> tuple[int, int]:
    """From where to where a picture is more than an even border: all of it, if its corners are not alike."""
    corners = colours_of(pixels[[0, 0, -1, -1], [0, -1, 0, -1]])
    middle, spread = _lines_of_pixels(pixels, axis)
    even = (spread <= EVEN) & (np.abs(middle - corners[0]) <= ALIKE).all(axis=1)
    if np.ptp(corners, axis=0).max() > ALIKE or even.all():
        return 0, pixels.shape[axis]
    uneven = np.flatnonzero(~even)
    return int(uneven[0]), int(uneven[-1]) + 1


def _lines_of_pixels(pixels: Pixels, axis: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The median colour of every row, or column, and how far from it its pixels are in the mean. [lines, 3], [lines]"""
    lines = pixels if axis == 0 else pixels.swapaxes(0, 1)
    most = min(lines.shape[1], MOST_PIXELS, MOST_LOOKED_AT // len(lines))
    lines = lines[:, np.linspace(0, lines.shape[1] - 1, most).astype(np.int64)]
    middles, means = [], []
    for begin in range(0, len(lines), BLOCK):
        colours = colours_of(lines[begin : begin + BLOCK])
        middles.append(np.median(colours, axis=1, keepdims=True))
        means.append(np.abs(colours - middles[-1]).mean(axis=(1, 2)))
    return np.concatenate(middles)[:, 0], np.concatenate(means)


def apart(pixels: Pixels) -> Tiles | None:
    """Pieces in rows with even ground between them, equally far apart; None if there is no such ground both ways."""
    axes = []
    for axis in (0, 1):
        middle, spread = _lines_of_pixels(pixels, axis)
        plain = spread <= EVEN
        if not plain.any():
            return None
        ground = np.median(middle[plain], axis=0)
        laid = _runs(plain & (np.abs(middle - ground) <= ALIKE).all(axis=1))
        if laid is None:
            return None
        axes.append(_sharpened(laid, _shares(pixels if axis == 1 else pixels.swapaxes(0, 1))))
    down, across = axes
    return Tiles(down, across, 0.0, float(down.number + across.number), 1.0, (f"{across.side}x{down.side}",))


def _runs(even: NDArray[np.bool_]) -> Axis | None:
    """Equal runs of what is not even, equally far apart, two at least; compression may blur them by a pixel or two."""
    borders = np.flatnonzero(np.diff(np.concatenate([[True], even, [True]]).astype(np.int8)))
    starts, ends = borders[::2], borders[1::2]
    if len(starts) < 2:
        return None
    sides = ends - starts
    period = round((starts[-1] - starts[0]) / (len(starts) - 1))
    firsts, side = starts - period * np.arange(len(starts)), int(np.median(sides))
    if np.ptp(sides) > BLURRED or np.ptp(firsts) > BLURRED or not LEAST <= side < period:
        return None
    return Axis(int(np.median(firsts)), side, period - side, len(starts))


def _sharpened(laid: Axis, shares: Shares) -> Axis:
    """The same tiles, their rims where the steps are: compression blurs the ground beside them."""
    period, most = laid.side + laid.spacing, len(shares) - 1
    rims = []
    for rim in (laid.first, laid.first + laid.side):
        shifted = range(rim - BLURRED, rim + BLURRED + 1)
        steps = [shares[np.clip(at + period * np.arange(laid.number), 0, most)].mean() for at in shifted]
        rims.append(shifted[int(np.argmax(steps))] if max(steps) >= CLEAR else rim)
    first, end = max(rims[0], 0), min(rims[1], most - period * (laid.number - 1))
    return Axis(first, end - first, period - end + first, laid.number)
