"""Seams and crossover once more, pixel by pixel and piece by piece, as the papers define them: what the kernels are
held against. Shares no code with them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from dovetail.jigsaw.puzzle import Jigsaw

Colour = tuple[float, float, float]
Line = list[Colour]
Costs = list[list[list[int]]]  # [side][piece][piece at that side]
Buddies = list[list[set[int]]]  # [side][piece]
Board = tuple[tuple[int, ...], ...]
Cell = tuple[int, int]

SIDES = NORTH, EAST, SOUTH, WEST = 0, 1, 2, 3
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
AGREED, BUDDY, COMPATIBLE = 0, 1, 2
MOST = 65_535
MASK = 2**64 - 1


def facing(side: int) -> int:
    return {NORTH: SOUTH, EAST: WEST, SOUTH: NORTH, WEST: EAST}[side]


# the rims of the pieces


def line(puzzle: Jigsaw, piece: int, side: int, behind: int) -> Line:
    """The pixels of a side, so many lines behind the outermost one."""
    height, width = puzzle.height, puzzle.width
    if side in (NORTH, SOUTH):
        row = behind if side == NORTH else height - 1 - behind
        return [colour(puzzle, piece, row, col) for col in range(width)]
    col = behind if side == WEST else width - 1 - behind
    return [colour(puzzle, piece, row, col) for row in range(height)]


def colour(puzzle: Jigsaw, piece: int, row: int, col: int) -> Colour:
    """Red, green and blue from 0 to 255; what is transparent lies on white."""
    size = puzzle.depth // 8
    start = (((piece * puzzle.height + row) * puzzle.width + col) * puzzle.channels) * size
    numbers = [puzzle.pixels[start + k * size : start + (k + 1) * size] for k in range(puzzle.channels)]
    shares = [int.from_bytes(number, "little") / (2**puzzle.depth - 1) for number in numbers]
    opacity = shares.pop() if puzzle.channels in (2, 4) else 1.0
    red, green, blue = (255 * (opacity * share + 1 - opacity) for share in (shares if len(shares) == 3 else shares * 3))
    return red, green, blue


# four measures, each a sum over the pixels of a seam


@dataclass(frozen=True)
class Rim:
    """Both lines of one side of one piece."""

    outer: Line
    inner: Line


def lab_sum(ours: Rim, theirs: Rim) -> float:
    """Sholomon 2013, equation 1, before its root."""
    return math.fsum(
        (a - b) ** 2 for p, q in zip(ours.outer, theirs.outer, strict=True) for a, b in zip(p, q, strict=True)
    )


def prediction_sum(ours: Rim, theirs: Rim) -> float:
    """Pomeranz 2011 with the root for a power: our last step carried on against their rim, and the reverse."""
    return math.fsum(
        math.sqrt(abs(2 * ours.outer[k][b] - ours.inner[k][b] - theirs.outer[k][b]))
        + math.sqrt(abs(2 * theirs.outer[k][b] - theirs.inner[k][b] - ours.outer[k][b]))
        for k in range(len(ours.outer))
        for b in range(3)
    )


def mgc_sum(ours: Rim, theirs: Rim, along: bool) -> float:
    """Gallagher 2012, section 3, as either piece sees it; with ``along`` also how the step changes along the seam."""
    return _judged(ours, theirs, along) + _judged(theirs, ours, along)


def _judged(ours: Rim, theirs: Rim, along: bool) -> float:
    inside = [_minus(o, i) for o, i in zip(ours.outer, ours.inner, strict=True)]
    usual = tuple(sum(step[b] for step in inside) / len(inside) for b in range(3))
    across = [_minus(t, o) for t, o in zip(theirs.outer, ours.outer, strict=True)]
    total = _mahalanobis([_minus(step, usual) for step in across], inside)
    if along:
        changes = [_minus(b, a) for a, b in pairwise(across)]
        total += _mahalanobis(changes, [_minus(b, a) for a, b in pairwise(ours.outer)])
    return total


def _minus(p: Sequence[float], q: Sequence[float]) -> Colour:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def _mahalanobis(vectors: list[Colour], sample: list[Colour]) -> float:
    """How unusual vectors are, beside a sample and the nine steps that keep its covariance regular."""
    units = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    nine = [(0, 0, 0), (1, 1, 1), (-1, -1, -1), *units, *((-a, -b, -c) for a, b, c in units)]
    padded = [*sample, *nine]
    mean = [math.fsum(v[b] for v in padded) / len(padded) for b in range(3)]
    covariance = [
        [math.fsum((v[i] - mean[i]) * (v[j] - mean[j]) for v in padded) / (len(padded) - 1) for j in range(3)]
        for i in range(3)
    ]
    precision = _inverse(covariance)
    return math.fsum(v[i] * precision[i][j] * v[j] for v in vectors for i in range(3) for j in range(3))


def _inverse(m: list[list[float]]) -> list[list[float]]:
    """Of three rows, by Cramer's rule."""

    def minor(i: int, j: int) -> float:
        a, b = (row for row in range(3) if row != i)
        c, d = (col for col in range(3) if col != j)
        sign = 1 if (i + j) % 2 == 0 else -1
        return sign * (m[a][c] * m[b][d] - m[a][d] * m[b][c])

    determinant = sum(m[0][j] * minor(0, j) for j in range(3))
    return [[minor(j, i) / determinant for j in range(3)] for i in range(3)]


# costs, compared and ranked


def cost(total: float, length: int, scale: float) -> int:
    """The root of a sum a pixel, as a whole number."""
    return min(MOST, round(scale * math.sqrt(total / length)))


def ranked(costs: Costs, most: int) -> list[list[list[int]]]:
    """The best pieces for every side of every piece."""
    return [
        [sorted(set(range(len(side))) - {piece}, key=lambda p: (row[p], p))[:most] for piece, row in enumerate(side)]
        for side in costs
    ]


def buddies(costs: Costs) -> Buddies:
    """Sholomon 2013, equation 3: no other piece fits better, seen from either side."""
    pieces = range(len(costs[0]))

    def best(side: int, piece: int, there: int) -> bool:
        return all(costs[side][piece][there] <= costs[side][piece][p] for p in pieces if p != piece)

    return [
        [{p for p in pieces if p != piece and best(s, piece, p) and best(facing(s), p, piece)} for piece in pieces]
        for s in SIDES
    ]


def relative(costs: Costs, floor: float, least: float, most: float) -> list[list[list[float]]]:
    """How every cost compares with the best that either piece could have there instead; on a scale up to ``MOST``."""
    pieces = range(len(costs[0]))

    def log(number: float) -> float:
        return math.log(number**2 + floor**2)

    def rival(side: int, piece: int, than: int) -> float:
        others = [costs[side][piece][p] for p in pieces if p not in (piece, than)]
        return log(min(others, default=costs[side][piece][than]))

    def compared(side: int, piece: int, there: int) -> float:
        ratio = log(costs[side][piece][there])
        ratio -= (rival(side, piece, there) + rival(facing(side), there, piece)) / 2
        return MOST * (min(max(ratio, least), most) - least) / (most - least)

    return [[[compared(side, piece, there) for there in pieces] for piece in pieces] for side in SIDES]


# random numbers


def mixed(number: int) -> int:
    """SplitMix64."""
    number = number + 0x9E3779B97F4A7C15 & MASK
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & MASK
    return number ^ number >> 31


class Chance:
    """Xorshift64, one for every chromosome."""

    def __init__(self, seed: int, number: int) -> None:
        self.state = mixed(mixed(seed) + number & MASK) | 1

    def upper(self) -> int:
        """The upper 32 bits of the next state."""
        self.state ^= self.state << 13 & MASK
        self.state ^= self.state >> 7
        self.state ^= self.state << 17 & MASK
        return self.state >> 32

    def below(self, bound: int) -> int:
        return self.upper() * bound >> 32

    def strikes(self, rate: float) -> bool:
        return self.upper() < int(rate * 2**32)


# chromosomes


def scattered(chance: Chance, rows: int, cols: int) -> Board:
    """All pieces, shuffled from the back (Fisher and Yates)."""
    pieces = list(range(rows * cols))
    for i in reversed(range(1, len(pieces))):
        j = chance.below(i + 1)
        pieces[i], pieces[j] = pieces[j], pieces[i]
    return tuple(tuple(pieces[row * cols : (row + 1) * cols]) for row in range(rows))


def fitness(board: Board, costs: Costs) -> int:
    """Sholomon 2013, equation 2."""
    right = sum(costs[EAST][a][b] for row in board for a, b in pairwise(row))
    return right + sum(
        costs[SOUTH][a][b] for upper, lower in pairwise(board) for a, b in zip(upper, lower, strict=True)
    )


def cells_of(board: Board) -> dict[int, Cell]:
    return {piece: (row, col) for row, pieces in enumerate(board) for col, piece in enumerate(pieces)}


def beyond(cell: Cell, side: int) -> Cell:
    return cell[0] + STEPS[side][0], cell[1] + STEPS[side][1]


def relations(board: Board) -> dict[tuple[int, int], int]:
    """(piece, side) → its neighbour there."""
    at = {cell: piece for piece, cell in cells_of(board).items()}
    near = {(piece, side): at.get(beyond(cell, side)) for cell, piece in at.items() for side in SIDES}
    return {boundary: piece for boundary, piece in near.items() if piece is not None}


@dataclass(frozen=True)
class Laid:
    """One placement of a crossover."""

    phase: int
    neighbour: int
    side: int
    piece: int
    mutated: bool


@dataclass
class Growth:
    """Sholomon 2013, algorithm 2: a child that grows from one piece. The first cell is (0, 0), wherever it ends up."""

    one: Board
    other: Board
    costs: Costs
    buddies: Buddies
    mutation: float
    chance: Chance
    cells: dict[int, Cell] = field(default_factory=dict)
    trace: list[Laid] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rows, self.cols = len(self.one), len(self.one[0])
        self.parents = relations(self.one), relations(self.other)
        self.bank = list(range(self.rows * self.cols))
        self.pools: tuple[list[tuple[int, int]], ...] = ([], [], [])  # boundaries, by phase

    def child(self) -> Board:
        self.lay(self.chance.below(len(self.bank)), (0, 0))
        while self.bank:
            phase, neighbour, side = self.drawn()
            mutated = self.chance.strikes(self.mutation) and phase != BUDDY
            piece = self.any_piece() if mutated else self.wanted(phase, neighbour, side)
            self.lay(piece, beyond(self.cells[neighbour], side))
            self.trace.append(Laid(phase, neighbour, side, piece, mutated))
        top, left = (min(cell[axis] for cell in self.cells.values()) for axis in (0, 1))
        at = {cell: piece for piece, cell in self.cells.items()}
        return tuple(tuple(at[top + row, left + col] for col in range(self.cols)) for row in range(self.rows))

    def lay(self, piece: int, cell: Cell) -> None:
        """Lay a piece; what can be said of its open sides goes into the pools."""
        assert piece not in self.cells
        self.cells[piece] = cell
        self.bank[self.bank.index(piece)] = self.bank[-1]
        self.bank.pop()
        for side in SIDES:
            if beyond(cell, side) in self.cells.values():
                continue
            for phase in (AGREED, BUDDY):
                if self.proposed(phase, piece, side) is not None:
                    self.pools[phase].append((piece, side))
            self.pools[COMPATIBLE].append((piece, side))

    def drawn(self) -> tuple[int, int, int]:
        """A boundary to build on, of the earliest phase that has any; what is drawn in vain never comes back."""
        for phase, pool in enumerate(self.pools):
            while pool:
                number = self.chance.below(len(pool))
                neighbour, side = pool[number]
                pool[number] = pool[-1]
                pool.pop()
                wanted = phase == COMPATIBLE or self.proposed(phase, neighbour, side) is not None
                if wanted and self.open(neighbour, side):
                    return phase, neighbour, side
        raise AssertionError("pieces are left, and nowhere to lay them")

    def open(self, neighbour: int, side: int) -> bool:
        """Whether a piece can lie there: the cell is free, and all still fits into the frame."""
        cell = beyond(self.cells[neighbour], side)
        height, width = (
            max(c[axis] for c in [cell, *self.cells.values()]) - min(c[axis] for c in [cell, *self.cells.values()]) + 1
            for axis in (0, 1)
        )
        return cell not in self.cells.values() and height <= self.rows and width <= self.cols

    def proposed(self, phase: int, neighbour: int, side: int) -> int | None:
        """The piece on which both parents agree, or a best buddy that one of them has there; if it is left."""
        there = [parent.get((neighbour, side)) for parent in self.parents]
        if (phase == AGREED) != (there[0] == there[1]):
            return None
        wished = [piece for piece in there if phase == AGREED or piece in self.buddies[side][neighbour]]
        return next((piece for piece in wished if piece in self.bank), None)

    def wanted(self, phase: int, neighbour: int, side: int) -> int:
        piece = self.proposed(phase, neighbour, side) if phase != COMPATIBLE else None
        return piece if piece is not None else most_compatible(self.costs[side][neighbour], self.bank)

    def any_piece(self) -> int:
        return self.bank[self.chance.below(len(self.bank))]


def most_compatible(costs: list[int], bank: list[int]) -> int:
    """Of equals the lower number."""
    return min(bank, key=lambda piece: (costs[piece], piece))
