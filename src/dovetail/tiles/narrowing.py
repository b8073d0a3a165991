"""What cannot be in any solution, found before a linear program is solved: exact, and beyond the paper.

Where the whole board could be turned, one piece is kept to one location of every orbit. A look stays at a location only
if the other three of every block of four locations around it can be laid so that all four seams inside match. And
where a location has one look left, or a piece one location, that is settled, and its rivals go.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np

from .representing import Bools, Ints, Preset

MOST_VALUES = 64  # pairs of values are tables; with more, matching seams alone leave little


def representatives(preset: Preset) -> Bools:
    """[locations, looks] where a look may lie if the board itself is not to be turned.

    Otherwise solutions come in fours (or twos, or sixes), and their mean is a solution of the linear program too. The
    piece is the one with fewest choices among those without a twin.
    """
    allowed = np.ones_like(preset.fits)
    choices = np.where(preset.stock == 1, np.bincount(preset.class_of, preset.fits.sum(axis=0)), np.inf)
    if preset.symmetry and choices.min() < np.inf:
        own = np.arange(len(preset.points))
        first = np.min([own, *preset.symmetry], axis=0) == own
        allowed[np.ix_(~first, preset.class_of == choices.argmin())] = False
    return allowed


def narrowing(preset: Preset, fits: Bools) -> Generator[None, None, Bools]:
    """[locations, looks] what is left of ``fits``; in slices of a tenth of a second or less."""
    fits = fits.copy()
    corners = [corner for block in blocks(preset) for corner in block.corners()]
    before = -1
    while before != (before := int(fits.sum())):
        for corner in corners if len(preset.values) <= MOST_VALUES else ():
            corner.narrow(preset, fits)
            yield
        _settle(preset, fits)
        yield
    return fits


@dataclass(frozen=True)
class _Corner:
    """One of the four locations of all blocks along two directions, and how it hangs together with the others.

    ``here`` meets ``beside`` on one seam and ``below`` on another; both meet ``across``. The faces are those of each
    location on its two seams.
    """

    here: Ints  # [blocks]
    beside: Ints
    below: Ints
    across: Ints
    faces: tuple[tuple[int, int], ...]  # of here, beside, below, across

    def narrow(self, preset: Preset, fits: Bools) -> None:
        """Leave looks here whose two values the other three can meet: a product of three tables of value pairs."""
        _, (beside, to_across), (below, also_across), (from_beside, from_below) = self.faces
        one = _pairs(preset, fits, self.beside, beside, to_across)
        two = _pairs(preset, fits, self.across, from_beside, from_below)
        three = _pairs(preset, fits, self.below, also_across, below)
        met = one @ two @ three > 0  # [blocks, values, values]
        left, right = preset.shows[:, self.faces[0][0]], preset.shows[:, self.faces[0][1]]
        fits[self.here] &= met[:, left, right]  # a location is here once


@dataclass(frozen=True)
class Block:
    """All blocks along two directions: ``corner`` and its neighbours along one, the other, and both."""

    locations: tuple[Ints, Ints, Ints, Ints]  # [blocks] corner, + first, + second, + both
    first: tuple[int, int]  # the faces towards the first direction and back
    second: tuple[int, int]

    def corners(self) -> Iterator[_Corner]:
        """Each of the four in turn as the one to narrow."""
        for i in (0, 1):
            for j in (0, 1):
                here, beside, below, across = (
                    self.locations[a + 2 * b] for a, b in ((i, j), (1 - i, j), (i, 1 - j), (1 - i, 1 - j))
                )
                along, back = self.first[i], self.first[1 - i]
                down, up = self.second[j], self.second[1 - j]
                yield _Corner(here, beside, below, across, ((along, down), (back, down), (up, along), (up, back)))


def blocks(preset: Preset) -> Iterator[Block]:
    """All blocks of four locations, by the two directions they lie along."""
    number = {tuple(point): at for at, point in enumerate(preset.points.tolist())}
    face_of = {tuple(direction): face for face, direction in enumerate(preset.directions.tolist())}
    positive = np.flatnonzero(preset.signs > 0).tolist()
    for n, one in enumerate(positive):
        for other in positive[n + 1 :]:
            a, b = preset.directions[one], preset.directions[other]
            wanted = [preset.points + 2 * step for step in (0 * a, a, b, a + b)]
            found = np.array([[number.get(tuple(p), -1) for p in points.tolist()] for points in wanted])
            corner, first, second, both = found[:, (found >= 0).all(axis=0)]
            backs = (face_of[tuple((-a).tolist())], face_of[tuple((-b).tolist())])
            yield Block((corner, first, second, both), (one, backs[0]), (other, backs[1]))


def _pairs(
    preset: Preset, fits: Bools, locations: Ints, one: int, other: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """[blocks, values, values] 1 for every pair of values that some look shows on these two faces there."""
    values = len(preset.values)
    table = np.zeros((len(locations), values, values), dtype=np.float32)
    block, look = np.nonzero(fits[locations])
    table[block, preset.shows[look, one], preset.shows[look, other]] = 1
    return table


def _settle(preset: Preset, fits: Bools) -> None:
    """Of pieces without a twin: a location's only look is nowhere else, a piece's only location takes nothing else."""
    single = preset.stock == 1
    for location in np.flatnonzero(fits.sum(axis=1) == 1):
        look = int(fits[location].argmax())
        if single[preset.class_of[look]] and fits[location, look]:
            fits[:, preset.class_of == preset.class_of[look]] = False
            fits[location, look] = True
    choices = np.bincount(preset.class_of, fits.sum(axis=0))
    for class_ in np.flatnonzero((choices == 1) & single):
        looks = np.flatnonzero(preset.class_of == class_)
        for at, look in np.argwhere(fits[:, looks]):  # once, or never: another piece may just have settled there
            fits[at] = False
            fits[at, looks[look]] = True
