"""Jigsaws to try kernels and solver on, and how to run what is a generator."""

import random
from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from dovetail.core.puzzle import EMPTY, Placement
from dovetail.core.solver import Budget, Clock, Outcome, Progress, Run
from dovetail.jigsaw import kernels
from dovetail.jigsaw.cutting import built_in, cut, listed, shuffled
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.population import Generation
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.jigsaw.seams import Seams, measured
from dovetail.workers import workers

from .naive_jigsaw import MOST, SIDES, Board, Costs, buddies

T = TypeVar("T")
Numbers: TypeAlias = NDArray[np.uint16]
Tables: TypeAlias = tuple[Numbers, Numbers, Numbers, Numbers]  # costs, ranks, least costs, buddies


def finished(work: Generator[Any, None, T]) -> T:
    """What a generator returns."""
    while True:
        try:
            next(work)
        except StopIteration as ended:
            value: T = ended.value
            return value


def noise(
    frame: tuple[int, int], piece: tuple[int, int], seed: int, channels: int = 3, depth: int = 8, levels: int = 0
) -> Jigsaw:
    """Pieces (height, width) of random pixels; of few ``levels``, so that many seams are equally good."""
    rng = np.random.default_rng(seed)
    most = 2**depth - 1
    shape = (frame[0] * frame[1], *piece, channels)
    pixels = rng.integers(0, levels, shape) * most // (levels - 1) if levels else rng.integers(0, most + 1, shape)
    return listed(pixels.astype(f"u{depth // 8}"), frame)


def part_of(name: str, rows: int, cols: int, top: int = 0, left: int = 0, seed: int = 1) -> tuple[Jigsaw, Placement]:
    """Some pieces of 28 pixels of a built-in picture, and where they belong."""
    pixels = built_in(name)[top : top + 28 * rows, left : left + 28 * cols]
    return shuffled(cut(pixels, 28, 28), rows, cols, np.random.default_rng(seed))


def assembled(puzzle: Jigsaw, placement: Placement, underneath: bool = False) -> Pixels:
    """The board as it shows, in plain loops; or what shows when all of it is turned over like a page. Holes are black.

    A back that is looked at through its front is mirrored: so front and back are moved in one go, and nothing needs to
    be known of how turns look from behind.
    """
    rows, cols = len(placement.pieces), len(placement.pieces[0])
    height, width = puzzle.height, puzzle.width
    top: Pixels = np.zeros((rows * height, cols * width, puzzle.channels), puzzle.faces.dtype)
    through = top.copy()
    for row in range(rows):
        for col in range(cols):
            piece, turn = placement.pieces[row][col], placement.turns[row][col]
            if piece == EMPTY:
                continue
            front, back = puzzle.faces[piece, 0], puzzle.faces[piece, -1]
            above, below = (back, front[:, ::-1]) if turn >= 4 else (front, back[:, ::-1])
            part = np.s_[row * height : (row + 1) * height, col * width : (col + 1) * width]
            top[part], through[part] = np.rot90(above, turn % 4), np.rot90(below, turn % 4)
    return through[:, ::-1] if underneath else top


def seams_of(puzzle: Jigsaw, measure: str = "lab", relative: bool = False, threads: int = 1) -> Seams:
    with workers(None, threads) as pool:
        return finished(measured(puzzle, measure, relative, pool))


# tables and chromosomes as the kernels take them


def random_costs(count: int, seed: int, levels: int = MOST) -> Costs:
    """Every seam seen alike from both of its pieces; of few ``levels``, so that many are equally good."""
    chance = random.Random(seed)
    east, south = ([[chance.randrange(levels) for _ in range(count)] for _ in range(count)] for _ in range(2))
    north, west = ([list(column) for column in zip(*rows, strict=True)] for rows in (south, east))
    return [north, east, south, west]


def ranks_of(costs: Costs, most: int) -> NDArray[np.uint16]:
    """In two parts, as threads do it."""
    count = len(costs[0])
    ranks = np.zeros((4, count, min(most, count - 1)), np.uint16)
    for side in SIDES:
        for part in (slice(0, count // 2), slice(count // 2, count)):
            kernels.rank(np.array(costs[side], np.uint16)[part], ranks[side, part], np.arange(count)[part])
    return ranks


def tables_of(costs: Costs, most: int = 24) -> Tables:
    """As the crossover takes them."""
    pieces = range(len(costs[0]))
    least, buddy = (np.zeros((4, len(pieces)), np.uint16) for _ in range(2))
    for side, mutual in enumerate(buddies(costs)):
        for piece in pieces:
            others = [costs[side][piece][p] for p in pieces if p != piece]
            least[side, piece] = min(others)
            tied = others.count(min(others)) > 1
            buddy[side, piece] = kernels.TIED if tied else min(mutual[piece], default=kernels.NONE)
    return np.array(costs, np.uint16), ranks_of(costs, most), least, buddy


def rimmed(board: Board) -> list[int]:
    """As the kernels have it: row by row, nothing around it."""
    cols = len(board[0])
    empty = [MOST] * (cols + 2)
    return [*empty, *(number for row in board for number in (MOST, *row, MOST)), *empty]


def unrimmed(flat: NDArray[np.uint16], rows: int, cols: int) -> Board:
    grid = flat.reshape(rows + 2, cols + 2)
    outside = grid.copy()
    outside[1:-1, 1:-1] = kernels.NONE
    assert (outside == kernels.NONE).all(), "nothing outside the frame"
    return tuple(map(tuple, grid[1:-1, 1:-1].tolist()))


def crossed(
    parents: list[Board], pairs: list[tuple[int, int]], tables: Tables, mutation: float, seed: int
) -> Generation:
    """All children, in two slices."""
    rows, cols = len(parents[0]), len(parents[0][0])
    old, new = (Generation.empty(size, rows, cols) for size in (len(parents), len(pairs)))
    old.boards[:] = [rimmed(parent) for parent in parents]
    kernels.evaluate(old.boards, old.where, old.totals, 0, len(parents), tables[0], rows, cols)
    new.phases[:] = -1
    for part in ((0, 1), (1, len(pairs))):
        family = (old.boards, old.where, np.array(pairs, np.int64), new.boards, new.phases)
        kernels.cross(*family, *part, np.uint64(seed), *tables, rows, cols, mutation)
    return new


class Looks(Clock):
    """Runs out after so many looks at it."""

    def __init__(self, looks: int) -> None:
        super().__init__(Budget())
        self.looks = looks

    @property
    def expired(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def ended(work: Run) -> tuple[list[Progress], Outcome, Placement]:
    """What a solver tells on the way, how it ends, and its answer."""
    told: list[Progress] = []
    while True:
        try:
            told.append(next(work))
        except StopIteration as stopped:
            outcome: Outcome = stopped.value
            assert isinstance(outcome.solution, Placement)
            return told, outcome, outcome.solution
