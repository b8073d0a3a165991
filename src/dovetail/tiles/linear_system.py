"""The polytope of Algorithm 1 (Kovalsky, 5.10) over delta functions, assembled.

A variable p[look, location] says how much of that look lies there. Rows: every class is used as often as there are
pieces of it; every location holds one piece; and for every seam and value, as much shows it from one side as from the
other, which is (4.6) for the function that is 1 on that seam and 0 elsewhere. The frame, the fixed piece 0, is the
right-hand side of its own rows: they leave only looks that show what it asks for, and then say the same as the rows
of the locations, so only the first of this is kept (``Preset.fits``).

A row whose entries have one sign and whose right-hand side is 0 makes all its variables 0: they are left out, again and
again until there is none. That says nothing the program does not say itself; ``narrowing`` does.
"""

from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core.solver import Clock
from .highs import Highs, LinearProgram
from .narrowing import narrowing, representatives
from .representing import Bools, Ints, Preset

Floats: TypeAlias = NDArray[np.float64]
SCALE = 2**20  # of multipliers that become whole numbers, to hold a proof against exact arithmetic


@dataclass(frozen=True)
class System:
    """Which variables there are, and the rows they satisfy."""

    preset: Preset
    location: Ints  # [variables]
    look: Ints  # [variables]
    matrix: Any  # [rows, columns] scipy.sparse: classes, then locations, then seams and values; variables come first
    rhs: Floats  # [rows]
    seam: Ints  # [seam rows] of which seam
    value: Ints  # [seam rows] and which value
    group: (
        Ints  # [columns] of every solution, one column of each group is 1: locations first, then blocks (``lifting``)
    )
    dead: bool = False  # whether some block cannot be laid

    @property
    def variables(self) -> int:
        """How many."""
        return len(self.look)

    @cached_property
    def hopeless(self) -> bool:
        """Whether a class, a location or a block has too little left: an exact proof that there is no solution."""
        held = np.bincount(self.location, minlength=len(self.preset.points))
        usable = np.bincount(self.preset.class_of[self.look], minlength=len(self.preset.stock))
        return bool(self.dead or (held == 0).any() or (usable < self.preset.stock).any())

    def program(self, objective: Floats, method: str = "ipm", **more: Any) -> LinearProgram:
        """To maximise this over the polytope; ``more``: cuts and upper bounds, see ``LinearProgram``."""
        objective = np.concatenate([objective, np.zeros(len(self.group) - self.variables)])
        return LinearProgram(objective, self.matrix, self.rhs, method=method, **more)

    def share(self, p: Floats) -> Floats:
        """[looks, locations] P as a matrix, 0 where there is no variable."""
        whole = np.zeros((len(self.preset.shows), len(self.preset.points)))
        whole[self.look, self.location] = p
        return whole

    def rounded(self, p: Floats) -> Ints:
        """[locations] the look at each, of the assignment of pieces to locations that P says most for."""
        from scipy.optimize import linear_sum_assignment

        preset = self.preset
        share = self.share(p) + 1e-6 * preset.fits.T
        weight = np.zeros((len(preset.stock), share.shape[1]))
        np.maximum.at(weight, preset.class_of, share)
        pieces = np.repeat(np.arange(len(preset.stock)), preset.stock)
        row, at = linear_sum_assignment(weight[pieces], maximize=True)
        board = np.empty(share.shape[1], dtype=np.int64)
        for class_, location in zip(pieces[row], at, strict=True):
            own = np.flatnonzero(preset.class_of == class_)
            board[location] = own[share[own, location].argmax()]
        return board


def system(preset: Preset, blocks: bool = True) -> System:
    """Assemble it; ``blocks``: without the variables that ``narrowing`` finds too."""
    slices = assembling(preset, blocks)
    while True:
        try:
            next(slices)
        except StopIteration as end:
            whole: System = end.value
            return whole


def assembling(preset: Preset, blocks: bool = True) -> Generator[None, None, System]:
    """``system`` in slices of a tenth of a second or less."""
    fits = preset.fits & representatives(preset)
    seams = _Seams(preset)
    while True:
        location, look = np.nonzero(fits)
        entries, both, kept = seams.one_sided(location, look)
        while not kept.all():
            yield
            location, look = location[kept], look[kept]
            entries, both, kept = seams.one_sided(location, look)
        left = np.zeros_like(fits)
        left[location, look] = True
        fits = (yield from narrowing(preset, left)) if blocks else left
        if (fits == left).all():
            return _assembled(preset, location, look, entries, both)


class _Seams:
    """The inner seams, numbered, and what is shown on them."""

    def __init__(self, preset: Preset) -> None:
        self.preset = preset
        self.inner = np.flatnonzero(preset.inner)
        number = np.full(len(preset.inner), -1)
        number[self.inner] = np.arange(len(self.inner))
        self.of_face = number[preset.seam_of]  # [locations, faces] −1 on the rim

    def one_sided(self, location: Ints, look: Ints) -> tuple[list[tuple[Ints, Ints]], Bools, Bools]:
        """Face by face its variables and their rows; [rows] which rows have both signs; [variables] which are in none
        that has one sign only."""
        preset = self.preset
        entries = [_shown(preset, self.of_face, location, look, face) for face in range(preset.shows.shape[1])]
        seen = np.zeros((2, len(self.inner) * len(preset.values)), dtype=bool)
        for (_, row), sign in zip(entries, preset.signs, strict=True):
            seen[int(sign < 0), row] = True
        both = seen[0] & seen[1]
        kept = np.ones(len(look), dtype=bool)
        for on, row in entries:
            kept[on] &= both[row]
        return entries, both, kept


def refuting(system: System, highs: Highs, clock: Clock) -> Generator[None, None, bool | None]:
    """Whether it is proved that the program, and so the puzzle, has no solution; None if the clock ran out.

    Multipliers y come from the program with slack, in floating point, and become whole numbers. For every solution p,
    y · rhs = (yᵀ matrix) p, of which each location, which holds one piece, gives at most its largest entry, and so does
    every block. If these add up to less than y · rhs, there is none: that is held against whole numbers, so rounding
    proves nothing wrong.
    """
    rows = len(system.rhs)
    slack = sparse.hstack([system.matrix, sparse.eye_array(rows), -sparse.eye_array(rows)], format="csr")
    objective = np.concatenate([np.zeros(len(system.group)), -np.ones(2 * rows)])
    found = yield from highs.solve(LinearProgram(objective, slack, system.rhs), clock)
    if found is None:
        return None
    if found.duals is None:
        return False
    multipliers = np.rint(found.duals * SCALE).astype(np.int64)
    worth = multipliers @ system.matrix.astype(np.int64)
    largest = np.full(int(system.group.max()) + 1, np.iinfo(np.int64).min)
    np.maximum.at(largest, system.group, worth)
    return bool(multipliers @ system.rhs.astype(np.int64) > largest.sum())


def _shown(preset: Preset, of_seam: Ints, location: Ints, look: Ints, face: int) -> tuple[Ints, Ints]:
    """The variables whose face lies on an inner seam, and the row (seam and value) of each."""
    seam = of_seam[location, face]
    on = np.flatnonzero(seam >= 0)
    return on, seam[on] * len(preset.values) + preset.shows[look[on], face]


def _assembled(preset: Preset, location: Ints, look: Ints, entries: list[tuple[Ints, Ints]], used: Bools) -> System:
    classes, locations = len(preset.stock), len(preset.points)
    first = classes + locations
    number = np.cumsum(used) - 1 + first
    every = np.arange(len(look))
    rows = [preset.class_of[look], classes + location, *(number[row] for _, row in entries)]
    cols = [every, every, *(on for on, _ in entries)]
    signs = [1, 1, *preset.signs]
    data = np.concatenate([np.full(len(col), sign, dtype=float) for col, sign in zip(cols, signs, strict=True)])
    size = (first + int(used.sum()), len(look))
    matrix = sparse.csr_array((data, (np.concatenate(rows), np.concatenate(cols))), shape=size)
    rhs = np.zeros(size[0])
    rhs[:classes], rhs[classes:first] = preset.stock, 1
    seam, value = np.divmod(np.flatnonzero(used), len(preset.values))
    return System(preset, location, look, matrix, rhs, np.flatnonzero(preset.inner)[seam], value, location)
