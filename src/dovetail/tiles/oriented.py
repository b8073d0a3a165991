"""Every square-tile puzzle as the solvers see it: oriented tiles whose four seam values must equal their neighbours'.

Whatever the rule, two neighbours agree when the seam between them gets the same value from both sides: a plain colour
is its own value; a signed one is negated on north and west sides; a corner-arrow edge is its two arrows, read left to
right or top to bottom. Tiles that can be turned into one another are one class with a stock.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..core.errors import Refused
from ..core.puzzle import EMPTY, Placement, Puzzle
from .puzzle import SIGNED, Tiles
from .terracotta import Terracotta

NORTH, EAST, SOUTH, WEST = range(4)
ANY = -1  # a side about which nothing is known
Sides = tuple[int, int, int, int]
# the cell beyond each side: rows and columns to add
BEYOND = ((-1, 0), (0, 1), (1, 0), (0, -1))


@dataclass(frozen=True)
class Oriented:
    """Oriented tiles, their classes, and what the board demands of them."""

    rows: int
    cols: int
    sides: NDArray[np.int64]  # [m, 4] seam values of every oriented tile, 0 … colours − 1
    class_of: NDArray[np.int64]  # [m]
    stock: NDArray[np.int64]  # [classes] tiles of each class, pinned ones included
    turn: NDArray[np.int64]  # [m] the oriented tile after a quarter turn counter-clockwise; itself if it has no other
    colours: int
    demands: NDArray[np.int64]  # [cells, 4] the seam value the frame asks for, or ANY
    inside: NDArray[np.bool_]  # [m, 4] whether a side may face another tile: not if it is the grey of the rim
    pinned: dict[int, int]  # cell → oriented tile
    pinned_piece: dict[int, int]  # cell → the puzzle's own tile
    looks: tuple[dict[int, int], ...]  # for every tile of the puzzle: oriented tile → turns
    symmetry: int  # turns of the whole board that keep frame, hints and tiles: 1, 2 or 4

    @property
    def cells(self) -> int:
        """Of the board."""
        return self.rows * self.cols

    @cached_property
    def orientations(self) -> NDArray[np.int64]:
        """[classes] how many ways each class can lie."""
        return np.bincount(self.class_of, minlength=len(self.stock))

    @cached_property
    def free_stock(self) -> NDArray[np.int64]:
        """[classes] tiles that are not pinned."""
        left = self.stock.copy()
        for tile in self.pinned.values():
            left[self.class_of[tile]] -= 1
        return left

    def neighbour(self, cell: int, side: int) -> int | None:
        """The cell beyond that side, None beyond the rim."""
        row, col = cell // self.cols + BEYOND[side][0], cell % self.cols + BEYOND[side][1]
        return row * self.cols + col if 0 <= row < self.rows and 0 <= col < self.cols else None

    @cached_property
    def cell_kinds(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """[cells] the kind of every cell, and [kinds, m] the oriented tiles that a cell of each kind can hold.

        That is by frame, rim and hints, stock apart: cells that these ask the same of are of one kind.
        """
        kind_of = np.zeros(self.cells, dtype=np.int64)
        numbers: dict[tuple[object, ...], int] = {}
        masks: list[NDArray[np.bool_]] = []
        for cell in range(self.cells):
            asked = self._asked(cell)
            if asked not in numbers:
                numbers[asked] = len(masks)
                masks.append(self._holding(cell))
            kind_of[cell] = numbers[asked]
        return kind_of, np.array(masks)

    def fits(self, cell: int) -> NDArray[np.bool_]:
        """[m] which oriented tiles this cell can hold."""
        kind_of, masks = self.cell_kinds
        mask: NDArray[np.bool_] = masks[kind_of[cell]]
        return mask

    def _asked(self, cell: int) -> tuple[object, ...]:
        """What frame, rim and hints ask of a cell, side by side; None where it is nothing."""
        if cell in self.pinned:
            return (self.pinned[cell],)
        asked: list[object] = []
        for side in range(4):
            beyond = self.neighbour(cell, side)
            if beyond is None:
                demand = int(self.demands[cell, side])
                asked.append(None if demand == ANY else ("frame", demand))
            elif beyond in self.pinned:
                asked.append(("hint", int(self.sides[self.pinned[beyond], (side + 2) % 4])))
            else:
                asked.append("not grey" if self._some_grey else None)
        return tuple(asked)

    @cached_property
    def _some_grey(self) -> bool:
        return not self.inside.all()

    def _holding(self, cell: int) -> NDArray[np.bool_]:
        if cell in self.pinned:
            only: NDArray[np.bool_] = np.arange(len(self.sides)) == self.pinned[cell]
            return only
        ok: NDArray[np.bool_] = self.free_stock[self.class_of] > 0
        for side in range(4):
            beyond = self.neighbour(cell, side)
            if beyond is None:
                if self.demands[cell, side] != ANY:
                    ok &= self.sides[:, side] == self.demands[cell, side]
                continue
            ok &= self.inside[:, side]
            if beyond in self.pinned:
                ok &= self.sides[:, side] == self.sides[self.pinned[beyond], (side + 2) % 4]
        return ok

    def place(self, board: NDArray[np.int64]) -> Placement:
        """From oriented tiles on the cells (-1: hole) back to the puzzle's tiles and their turns."""
        left: dict[int, list[int]] = {}
        held = set(self.pinned_piece.values())
        for piece in range(len(self.looks) - 1, -1, -1):
            if piece not in held:
                left.setdefault(int(self.class_of[next(iter(self.looks[piece]))]), []).append(piece)
        pieces, turns = np.full(self.cells, EMPTY), np.zeros(self.cells, dtype=np.int64)
        for cell in np.flatnonzero(board >= 0):
            tile = int(board[cell])
            if cell in self.pinned_piece and self.pinned[int(cell)] == tile:
                piece = self.pinned_piece[int(cell)]
            else:
                piece = left[int(self.class_of[tile])].pop()
            pieces[cell], turns[cell] = piece, self.looks[piece][tile]
        return Placement.from_flat(pieces, turns, self.cols)


def oriented(puzzle: Puzzle) -> Oriented:
    """The reduction. Puzzles with fewer tiles than cells are refused: what is missing cannot be laid."""
    if isinstance(puzzle, Terracotta):
        faces = [[_corner_seams(puzzle.turned(tile, turns)) for turns in range(4)] for tile in puzzle.tiles]
        return _reduce(puzzle.rows, puzzle.cols, faces, None, None, {}, 4 if puzzle.rows == puzzle.cols else 2)
    assert isinstance(puzzle, Tiles)
    if puzzle.missing:
        raise Refused(f"{puzzle.missing} of the {puzzle.rows * puzzle.cols} tiles are missing, so it cannot be solved")
    sign = -1 if puzzle.match == SIGNED else 1

    def seams(tile: Sides) -> Sides:
        return (sign * tile[0], tile[1], tile[2], sign * tile[3])

    turns = range(4) if puzzle.rotate else range(1)
    faces = [[seams(puzzle.turned(tile, t)) for t in turns] for tile in puzzle.tiles]
    demands = None
    if puzzle.frame is not None:
        demands = _frame_seams(puzzle, sign)
    grey = None if puzzle.grey is None else seams((puzzle.grey,) * 4)
    pins = {pin.row * puzzle.cols + pin.col: (pin.tile, pin.turns) for pin in puzzle.pins}
    return _reduce(puzzle.rows, puzzle.cols, faces, demands, grey, pins, _symmetry(puzzle))


def _frame_seams(puzzle: Tiles, sign: int) -> dict[tuple[int, int], int]:
    """(cell, side) → what the frame asks of the seam there; the frame runs clockwise from the top left corner."""
    assert puzzle.frame is not None
    rows, cols, frame = puzzle.rows, puzzle.cols, puzzle.frame
    seams = {(c, NORTH): sign * frame[c] for c in range(cols)}
    seams |= {(r * cols + cols - 1, EAST): frame[cols + r] for r in range(rows)}
    seams |= {((rows - 1) * cols + c, SOUTH): frame[2 * cols + rows - 1 - c] for c in range(cols)}
    seams |= {(r * cols, WEST): sign * frame[2 * cols + 2 * rows - 1 - r] for r in range(rows)}
    return seams


def _corner_seams(tile: Sides) -> Sides:
    top_left, top_right, bottom_left, bottom_right = tile
    return (
        4 * top_left + top_right,
        4 * top_right + bottom_right,
        4 * bottom_left + bottom_right,
        4 * top_left + bottom_left,
    )


def _symmetry(puzzle: Tiles) -> int:
    if not puzzle.rotate or puzzle.pins:
        return 1
    frame = puzzle.frame or (0,) * puzzle.perimeter
    quarter, half = puzzle.rows + (puzzle.cols - puzzle.rows) // 2, puzzle.rows + puzzle.cols
    if puzzle.rows == puzzle.cols and frame[quarter:] + frame[:quarter] == frame:
        return 4
    return 2 if frame[half:] + frame[:half] == frame else 1


def _reduce(
    rows: int,
    cols: int,
    faces: list[list[Sides]],
    demands: dict[tuple[int, int], int] | None,
    grey: Sides | None,
    pins: dict[int, tuple[int, int]],
    symmetry: int,
) -> Oriented:
    """Number the seam values, the classes and the oriented tiles, in an order that depends on the tiles alone."""
    values = sorted({v for turns in faces for face in turns for v in face} | set((demands or {}).values()))
    number = {value: n for n, value in enumerate(values)}
    classes: dict[tuple[Sides, ...], int] = {}
    sides: list[Sides] = []
    owner: list[int] = []
    turn: list[int] = []
    stock: list[int] = []
    index: dict[tuple[int, Sides], int] = {}
    looks = []
    for turns in faces:
        orbit = tuple(sorted(set(turns)))
        if orbit not in classes:
            classes[orbit] = len(stock)
            stock.append(0)
            # one after the other as they turn, so that each knows the next
            distinct = list(dict.fromkeys(turns))
            first = len(sides)
            for n, face in enumerate(distinct):
                index[classes[orbit], face] = first + n
                sides.append(face)
                owner.append(classes[orbit])
                turn.append(first + (n + 1) % len(distinct))
        known = classes[orbit]
        stock[known] += 1
        look: dict[int, int] = {}
        for t, face in enumerate(turns):
            look.setdefault(index[known, face], t)
        looks.append(look)
    wanted = np.full((rows * cols, 4), ANY)
    for (cell, side), value in (demands or {}).items():
        wanted[cell, side] = number[value]
    raw = np.array(sides)
    pinned = {
        cell: next(o for o, t in looks[piece].items() if faces[piece][t] == faces[piece][turns])
        for cell, (piece, turns) in pins.items()
    }
    return Oriented(
        rows,
        cols,
        np.array([[number[v] for v in face] for face in sides]),
        np.array(owner),
        np.array(stock),
        np.array(turn),
        len(values),
        wanted,
        np.ones(raw.shape, dtype=bool) if grey is None else raw != np.array(grey),
        pinned,
        {cell: piece for cell, (piece, _) in pins.items()},
        tuple(looks),
        symmetry,
    )
