"""A board cut along the lines of the grid: its squares are pieces of a coarser puzzle, and change places as such.

Seams within the squares that compression leaves (``grid.py``) are nearly sure, those between squares are not: pieces of
28 pixels make squares of 2x2 with lines of brightness around them, and of 4x4 with lines of colour. So what lies in the
wrong place of a large sky is mostly such a square, or many of them, right in themselves. A side of a square has several
edges; what it weighs beside another is the sum of what these weigh. ``annealing.py`` moves squares as it moves pieces,
and need not know; there are fewer, what it looks at lies near in memory, and what one piece names brings a square.
"""

from collections.abc import Sequence
from math import gcd
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernel import kernel
from .annealing import blocks
from .boards import Boards, Chain, Saved
from .growing import Table, empty_table
from .poses import PERIOD, VOID, Fits, edge_at, spun

LARGEST = 8  # pieces along a side of a square
FEWEST = 4  # squares
MOST = 64  # candidates of a side
ALIKE = 8  # pieces that look alike, of which each is a candidate
LUMA = 8  # pixels of a square of brightness

Poses = NDArray[np.int32]


class Cut(NamedTuple):
    """Where a board is cut: the first row and column of every square, and after the last; and how large a whole one is.

    Those at the rim of the board may be smaller.
    """

    rows: NDArray[np.int64]
    cols: NDArray[np.int64]
    height: int
    width: int


def sizes(fits: Fits) -> list[tuple[int, int]]:
    """Rows and columns of pieces that make a square with lines of the grid around it, small ones first."""
    found: list[tuple[int, int]] = []
    for period in (LUMA, PERIOD) if len(fits.lies) else ():
        size = period // gcd(fits.height, period), period // gcd(fits.width, period)
        if max(size) <= LARGEST and max(size) > 1 and size not in found:
            found.append(size)
    return found


def cut(fits: Fits, table: Table, size: tuple[int, int]) -> Cut:
    """Along the lines of the grid, or, where no seam lies on one, next to them."""
    top, bottom, left, right = (int(each) for each in table.box)
    lines = table.lines.reshape(-1, table.width, 2)
    down, across = lines[top : bottom + 1, left, 1], lines[top, left : right + 1, 0]
    rows = _begins(top, down, fits.height, size[0])
    return Cut(rows, _begins(left, across, fits.width, size[1]), *size)


def _begins(first: int, lines: NDArray[np.int8], length: int, size: int) -> NDArray[np.int64]:
    """The first places of squares of so many pieces along an axis, and the place after the last."""
    period = size * gcd(length, PERIOD) if size * length % PERIOD == 0 else size * gcd(length, LUMA)
    begins = first + np.flatnonzero(lines % period < gcd(length, period))
    return np.unique([first, *begins.tolist(), first + len(lines)])


@kernel
def sides(fits, board, table_width, where, rows, cols, height, width, of, place, edges, weights):
    """Candidates of every side of every square, heaviest first, by the pieces that lie along it.

    A side has places, clockwise; place ``a`` faces the last but ``a``. ``of`` and ``place`` are room: the square of
    each piece, and at which place of which side it lies. [pieces], [pieces, 4]
    """
    down, across = len(rows) - 1, len(cols) - 1
    for i in range(down):
        top = rows[i + 1] - height if i == 0 else rows[i]
        for j in range(across):
            left = cols[j + 1] - width if j == 0 else cols[j]
            for row in range(rows[i], rows[i + 1]):
                for col in range(cols[j], cols[j + 1]):
                    pose = board[row * table_width + col]
                    if pose < 0:
                        continue
                    piece = pose // fits.span
                    of[piece] = i * across + j
                    y, x = row - top, col - left
                    place[piece, 0] = x if y == 0 else -1
                    place[piece, 1] = y if x == width - 1 else -1
                    place[piece, 2] = width - 1 - x if y == height - 1 else -1
                    place[piece, 3] = height - 1 - y if x == 0 else -1
    sums = np.zeros(4 * down * across, np.int64)
    found = np.empty(4 * down * across, np.int32)
    for i in range(down):
        top = rows[i + 1] - height if i == 0 else rows[i]
        for j in range(across):
            left = cols[j + 1] - width if j == 0 else cols[j]
            for side in range(4):
                length, number = (width if side % 2 == 0 else height), 0
                for at in range(length):
                    row = top + (0 if side == 0 else at if side == 1 else height - 1 if side == 2 else height - 1 - at)
                    col = left + (at if side == 0 else width - 1 if side == 1 else width - 1 - at if side == 2 else 0)
                    if rows[i] <= row < rows[i + 1] and cols[j] <= col < cols[j + 1]:
                        pose = board[row * table_width + col]
                        if pose >= 0:
                            edge = fits.first[edge_at(pose, side)]
                            facing = length - 1 - at
                            number = add(
                                fits, board, where, of, place, edge, i * across + j, facing, sums, found, number
                            )
                keep(sums, found, number, length * fits.worst, 4 * (i * across + j) + side, edges, weights)


@kernel
def add(fits, board, where, of, place, edge, square, facing, sums, found, number):
    """Add what an edge of a square weighs beside the edges at one place of others' sides; how many sides are found."""
    for k in range(fits.edges.shape[1]):
        other = fits.edges[edge, k]
        if other < 0 or fits.weights[edge, k] <= fits.worst:
            break
        whose = other // fits.span
        for copy in range(min(ALIKE, fits.number[whose])):
            twin = fits.alike[fits.begin[whose] + copy]
            if where[twin] < 0 or of[twin] == square:
                continue
            side = (other - board[where[twin]]) & 3
            if place[twin, side] == facing:
                there = 4 * of[twin] + side
                if sums[there] == 0:
                    found[number] = there
                    number += 1
                sums[there] += fits.weights[edge, k] - fits.worst
    return number


@kernel
def keep(sums, found, number, least, row, edges, weights):
    """List the sides that weigh most beside a side, heaviest first, and forget all sums."""
    most, held = edges.shape[1], 0
    for i in range(number):
        there = found[i]
        weight, sums[there] = sums[there] + least, 0
        if held == most and weight <= weights[row, held - 1]:
            continue
        at = held if held < most else held - 1
        held = at + 1
        while at > 0 and weights[row, at - 1] < weight:
            edges[row, at], weights[row, at] = edges[row, at - 1], weights[row, at - 1]
            at -= 1
        edges[row, at], weights[row, at] = there, weight


@kernel
def lying(fits, board, table_width, rows, cols, height, width, lies):
    """What every square weighs, turned or not, by where lines of the grid lie from its left and top."""
    for i in range(len(rows) - 1):
        top = rows[i + 1] - height if i == 0 else rows[i]
        for j in range(len(cols) - 1):
            left = cols[j + 1] - width if j == 0 else cols[j]
            square = i * (len(cols) - 1) + j
            for row in range(rows[i], rows[i + 1]):
                for col in range(cols[j], cols[j + 1]):
                    pose = board[row * table_width + col]
                    if pose < 0:
                        continue
                    y, x, across = row - top, col - left, width
                    for turn in range(4):
                        piece = fits.lies[spun(pose, turn)]
                        for axis in range(2):
                            at = -fits.width * x if axis == 0 else -fits.height * y
                            for line in range(PERIOD):
                                lies[4 * square + turn, axis, line] += piece[axis, (line + at) % PERIOD]
                        y, x, across = across - 1 - x, y, height + width - across


class Coarse(Boards):
    """The squares of the first of some boards, and boards of these, with the random numbers of those."""

    def __init__(self, fits: Fits, chains: Sequence[Chain], size: tuple[int, int], turns: Sequence[int]) -> None:
        chain = chains[0]
        self._table, self._span = chain.table, fits.span
        self._cut = cut(fits, chain.table, size)
        rows, cols = len(self._cut.rows) - 1, len(self._cut.cols) - 1
        count = rows * cols
        super().__init__(self._fits(fits, count), [], turns)
        table = empty_table(rows, cols, count, 4, MOST)
        inside = np.arange(len(table.board)).reshape(rows + 2, cols + 2)[1:-1, 1:-1].ravel()
        table.board[inside], table.where[:] = 4 * np.arange(count, dtype=np.int32), inside
        table.box[:] = 1, rows, 1, cols
        lines = chain.table.lines.reshape(-1, chain.table.width, 2)[self._cut.rows[:-1]][:, self._cut.cols[:-1]]
        # a small one at the rim stays there, and none may come: where it would have begun does not matter
        table.lines[inside] = lines.reshape(-1, 2)
        fixed = self._fixed(chain)
        for number, state in enumerate(chain.state.copy() for chain in chains):
            room = blocks(len(table.board), count)
            room.fixed[inside[fixed]] = True
            self.chains.append(Chain(table.copied() if number else table, room, state))

    def _fits(self, fits: Fits, count: int) -> Fits:
        table, (rows, cols, height, width) = self._table, self._cut
        edges = np.full((4 * count, MOST), VOID, np.int32)
        worst = max(height, width) * fits.worst
        weights = np.full(edges.shape, worst, np.int32)
        pieces = len(table.where)
        of, place = np.full(pieces, VOID, np.int32), np.full((pieces, 4), -1, np.int32)
        sides(fits, table.board, table.width, table.where, rows, cols, height, width, of, place, edges, weights)
        numbers = np.arange(4 * count, dtype=np.int32)
        one = np.ones(count, np.int32)
        lies = np.zeros((4 * count, 2, PERIOD), fits.lies.dtype)
        lying(fits, table.board, table.width, rows, cols, height, width, lies)
        return Fits(
            edges, weights, numbers, numbers[:count], numbers[:count], one, 4, worst, max(height, width) * fits.hole,
            lies, width * fits.width, height * fits.height,
        )  # fmt: skip

    def _fixed(self, chain: Chain) -> NDArray[np.bool_]:
        """Squares that stay where they are: small ones, those with holes, and those that hold what is told."""
        rows, cols, height, width = self._cut
        free = ((chain.table.board >= 0) & ~chain.blocks.fixed).reshape(-1, chain.table.width)[: rows[-1], : cols[-1]]
        whole = np.add.reduceat(np.add.reduceat(free, rows[:-1], axis=0, dtype=np.int64), cols[:-1], axis=1)
        fixed: NDArray[np.bool_] = (whole != height * width).ravel()
        return fixed

    def laid(self, chain: int) -> Saved:
        """A board of squares as one of pieces."""
        table, (rows, cols, _, _) = self._table, self._cut
        across = len(cols) - 1
        was = table.board.reshape(-1, table.width)
        board, where = was.copy(), table.where.copy()
        lying = self.chains[chain].table
        for square, cell in enumerate(lying.where.tolist()):
            i, j = cell // lying.width - 1, cell % lying.width - 1
            turn = int(lying.board[cell]) % 4
            if i * across + j == square and not turn:
                continue
            y, x = square // across, square % across
            part = np.rot90(was[rows[y] : rows[y + 1], cols[x] : cols[x + 1]], turn)
            board[rows[i] : rows[i + 1], cols[j] : cols[j + 1]] = (part & ~3) | ((part + turn) & 3)
        flat = board.ravel()
        laid = np.flatnonzero(flat >= 0)
        where[flat[laid] // self._span] = laid
        return flat, where
