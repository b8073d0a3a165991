"""Edge-matching puzzles as the algebraic approach sees them: pieces at preset locations (Kovalsky, section 5.2.1).

Locations and edges are lattice points. They are counted in half cells, so that the centres of edges are whole too:
a location is twice its cell, and the edge towards a neighbour lies one ``direction`` from it. Hexagons have axial
coordinates, in which all this holds as well.

Whatever the rule, two edges match when they lie on one seam, face each other and have the same value (``oriented``
says how). A piece as it may lie, turned, is a *look*; pieces with the same looks are one class with a stock, which
saves as many variables.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.puzzle import EMPTY, Placement, Puzzle
from .boxes import Boxes
from .hexagons import Hexagons
from .oriented import BEYOND, oriented
from .puzzle import Tiles
from .terracotta import Terracotta

ANY = -1  # an edge of which the frame says nothing
HEXAGON = ((0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0))  # counter-clockwise from east

Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Represented: TypeAlias = Tiles | Terracotta | Boxes | Hexagons


@dataclass(frozen=True)
class Preset:
    """Looks, their classes, the locations, and what the frame and the hints say."""

    shows: Ints  # [looks, faces] the value on each face, 0 … values − 1
    values: tuple[int, ...]  # what the puzzle calls them; of squares, what ``oriented`` does
    class_of: Ints  # [looks]
    stock: Ints  # [classes]
    points: Ints  # [locations, dimensions] in half cells
    directions: Ints  # [faces, dimensions] from a location to its edges
    demands: Ints  # [locations, faces] the value the frame shows there, or ANY
    fits: Bools  # [locations, looks] which looks frame and hints allow where
    symmetry: tuple[Ints, ...]  # for every turn of the board that changes nothing: where each location goes
    place: Callable[[Ints], Placement]  # from the look at each location (-1: none) back to the puzzle's pieces

    @cached_property
    def signs(self) -> Ints:
        """[faces] s of (4.5): +1 for a direction whose first coordinate that is not 0 is positive, else −1."""
        first = (self.directions != 0).argmax(axis=1)
        signs: Ints = np.sign(self.directions[np.arange(len(first)), first])
        return signs

    @cached_property
    def edges(self) -> tuple[Ints, Ints]:
        """[seams, dimensions] where the seams lie, and [locations, faces] the seam of every face."""
        every = self.points[:, None] + self.directions
        seams, seam_of = np.unique(every.reshape(-1, every.shape[-1]), axis=0, return_inverse=True)
        return seams, seam_of.reshape(every.shape[:2])

    @property
    def seam_of(self) -> Ints:
        """[locations, faces]."""
        return self.edges[1]

    @cached_property
    def inner(self) -> Bools:
        """[seams] whether it lies between two locations."""
        inner: Bools = np.bincount(self.seam_of.ravel()) == 2
        return inner

    @cached_property
    def frame(self) -> Ints:
        """[seams] what the frame, the fixed piece 0, shows there, or ANY."""
        frame = np.full(len(self.inner), ANY)
        frame[self.seam_of.ravel()] = self.demands.ravel()
        frame[self.inner] = ANY
        return frame

    @property
    def framed(self) -> bool:
        """Whether the frame closes the board, so that every edge has one to match."""
        return bool((self.inner | (self.frame != ANY)).all())

    @property
    def asked(self) -> int:
        """How many seams and edges of the frame there are to match."""
        return int((self.inner | (self.frame != ANY)).sum())

    def broken(self, board: Ints) -> int:
        """How many seams and edges of the frame do not match, of a look at each location."""
        shown = np.full((2, len(self.inner)), ANY)
        for face, sign in enumerate(self.signs):
            shown[int(sign < 0), self.seam_of[:, face]] = self.shows[board, face]
        rim = ~self.inner & (self.frame != ANY)
        outside = shown.max(axis=0)
        return int((shown[0] != shown[1])[self.inner].sum() + (outside != self.frame)[rim].sum())

    def solves(self, board: Ints) -> bool:
        """Whether a look at each location, each class as often as there are pieces, is a solution."""
        return self.broken(board) == 0 and bool(self.fits[np.arange(len(board)), board].all())


def represent(puzzle: Puzzle) -> Preset:
    """The reduction; ``Preset.place`` is the way back. Puzzles with fewer tiles than cells are refused."""
    if isinstance(puzzle, Boxes):
        return _boxes(puzzle)
    if isinstance(puzzle, Hexagons):
        return _hexagons(puzzle)
    return _squares(puzzle)


def _squares(puzzle: Puzzle) -> Preset:
    tiles = oriented(puzzle)
    cells = np.stack(np.divmod(np.arange(tiles.cells), tiles.cols), axis=1)
    fits = np.array([tiles.fits(cell) for cell in range(tiles.cells)])
    turns = []
    grid = np.arange(tiles.cells).reshape(tiles.rows, tiles.cols)
    for quarters in range(4 // tiles.symmetry, 4, 4 // tiles.symmetry):
        turns.append(np.rot90(grid, -quarters).ravel())
    return Preset(
        tiles.sides,
        tuple(range(tiles.colours)),
        tiles.class_of,
        tiles.stock,
        2 * cells,
        np.array(BEYOND),
        tiles.demands,
        fits,
        tuple(turns),
        tiles.place,
    )


def _boxes(puzzle: Boxes) -> Preset:
    axes = len(puzzle.shape)
    directions = np.zeros((2 * axes, axes), dtype=np.int64)
    for axis in range(axes):
        directions[2 * axis : 2 * axis + 2, axis] = -1, 1
    cells = np.stack([axis.ravel() for axis in np.indices(puzzle.shape)], axis=1)
    rows = len(cells) // puzzle.shape[-1]
    grid = [divmod(cell, puzzle.shape[-1]) for cell in range(len(cells))]
    return _solids(puzzle, [[piece] for piece in puzzle.pieces], cells, directions, (rows, puzzle.shape[-1]), grid)


def _hexagons(puzzle: Hexagons) -> Preset:
    length, turns = 2 * puzzle.side - 1, range(6 if puzzle.rotate else 1)
    cells = np.argwhere(abs(np.add.outer(np.arange(length), np.arange(length)) - length + 1) < puzzle.side)
    looks = [[piece[-t:] + piece[:-t] for t in turns] for piece in puzzle.pieces]
    grid = [(int(r), int(c)) for r, c in cells]
    return _solids(puzzle, looks, cells, np.array(HEXAGON), (length, length), grid)


def _solids(
    puzzle: Boxes | Hexagons,
    looks: list[list[tuple[int, ...]]],  # of every piece, turn by turn
    cells: Ints,
    directions: Ints,
    size: tuple[int, int],
    grid: Sequence[tuple[int, int]],  # where each cell is on a Placement
) -> Preset:
    """Number values, classes and looks, in an order that depends on the pieces alone."""
    beyond = {tuple(cell) for cell in cells.tolist()}
    rim = [
        (at, face)
        for at, cell in enumerate(cells)
        for face, step in enumerate(directions)
        if tuple((cell + step).tolist()) not in beyond
    ]
    values = sorted({v for turns in looks for look in turns for v in look} | set(puzzle.frame or ()))
    number = {value: n for n, value in enumerate(values)}
    classes: dict[frozenset[tuple[int, ...]], int] = {}
    index: dict[tuple[int, ...], int] = {}
    class_of: list[int] = []
    members: list[list[int]] = []
    for piece, turns in enumerate(looks):
        known = classes.setdefault(frozenset(turns), len(members))
        if known == len(members):
            members.append([])
            for look in dict.fromkeys(turns):
                index[look] = len(class_of)
                class_of.append(known)
        members[known].append(piece)
    shows = np.array([[number[v] for v in look] for look in index])
    demands = np.full((len(cells), len(directions)), ANY)
    for (at, face), colour in zip(rim, puzzle.frame or (), strict=puzzle.frame is not None):
        demands[at, face] = number[colour]
    fits = np.ones((len(cells), len(shows)), dtype=bool)
    inside = np.ones(demands.shape, dtype=bool)
    inside[tuple(np.array(rim).T)] = False
    for face in range(len(directions)):
        asked = demands[:, face, None]
        fits &= (asked == ANY) | (shows[:, face] == asked)
        if puzzle.grey is not None:
            fits &= ~inside[:, face, None] | (shows[:, face] != number[puzzle.grey])

    def place(board: Ints) -> Placement:
        left = [*map(list, members)]
        pieces, given = np.full(size, EMPTY), np.zeros(size, dtype=np.int64)
        order = [*index]
        for look, (row, col) in zip(board.tolist(), grid, strict=True):
            if look >= 0:
                piece = left[class_of[look]].pop(0)
                pieces[row, col], given[row, col] = piece, looks[piece].index(order[look])
        return Placement.from_flat(pieces.ravel(), given.ravel(), size[1])

    stock = np.array([len(alike) for alike in members])
    symmetry = _turns(cells, demands) if isinstance(puzzle, Hexagons) and puzzle.rotate else ()
    return Preset(
        shows, tuple(values), np.array(class_of), stock, 2 * cells, directions, demands, fits, symmetry, place
    )


def _turns(cells: Ints, demands: Ints) -> tuple[Ints, ...]:
    """The sixths of a turn of a hexagonal board that leave its frame as it is."""
    number = {tuple(cell): at for at, cell in enumerate(cells.tolist())}
    centre = cells[len(cells) // 2]
    step = np.array([[0, 1], [-1, 1]])  # (row, col) → (−col, row + col), by rows: a sixth counter-clockwise
    turned, kept = cells - centre, []
    for sixths in range(1, 6):
        turned = turned @ step
        goes = np.array([number[tuple(cell)] for cell in (turned + centre).tolist()])
        if (np.roll(demands, sixths, axis=1) == demands[goes]).all():
            kept.append(goes)
    return tuple(kept)
