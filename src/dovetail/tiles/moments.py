"""Bases of functions for Algorithm 2, and the moments that stand for the unknown locations.

A location t becomes the values y of many functions at t (its moments, Kovalsky et al. 5.11). Equation 6.2 is linear in
them; that they belong to one location is what a matrix of rank one says (5.12, B.2).

`Chebyshev`: products of Chebyshev polynomials in u, the location on the piece's own box scaled to [-1, 1]. All numbers
stay within [-1, 1], and besides the moment matrix two localising matrices keep the location in its box.
`Exponential`: the paper's own e^{k·t} with the matrix of B.2. Its numbers grow so fast that small puzzles alone work.
"""

from abc import ABC, abstractmethod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .paths import Floats, Free, Path

Degrees: TypeAlias = NDArray[np.int64]  # [functions, 2]

SLACK = 0.01  # of the frame's longer side: how much larger a piece's box is on every side
SQRT2 = float(np.sqrt(2))


class Basis(ABC):
    """A family of functions f of a location, the first of them constant, up to twice the degree K."""

    degrees: Degrees  # of the functions
    matrices: tuple[
        Floats, ...
    ]  # each [entries of an upper triangle by columns, functions]; the first must be rank one
    sides: tuple[int, ...]  # of those matrices
    nonnegative: bool  # whether moments are demanded to be

    def __init__(self, puzzle: Free, degree: int) -> None:
        self.puzzle, self.degree = puzzle, degree
        longer = float(np.ptp(puzzle.box, axis=0).max())
        self.centre = (puzzle.low + puzzle.high) / 2
        self.half = np.maximum((puzzle.high - puzzle.low) / 2, 0) + SLACK * longer

    def equations(self) -> tuple[Floats, Floats]:
        """Equation 6.2 for every type and function: rows [equations, pieces, functions] and right-hand sides."""
        count = len(self.degrees)
        rows = np.zeros((self.puzzle.types, count, len(self.puzzle.pieces), count))
        right = np.zeros((self.puzzle.types, count))
        for i, paths in enumerate(self.puzzle.pieces):
            for path in paths:
                rows[path.type, :, i] += path.sign * self.shifted(i, path)
        for path in self.puzzle.frame:
            right[path.type] += path.sign * self.integrals(path)
        return rows.reshape(-1, len(self.puzzle.pieces), count), right.reshape(-1)

    @abstractmethod
    def integrals(self, path: Path) -> Floats:
        """∫ f(z) dz along an edge of the frame, [functions]."""

    @abstractmethod
    def shifted(self, piece: int, path: Path) -> Floats:
        """∫ f(t + z) dz along an edge of a piece at t, as sums of its moments, [functions, moments]."""

    @abstractmethod
    def locations(self, moments: Floats) -> Floats:
        """Where the pieces are, [pieces, 2], from the moments of degree one."""

    @abstractmethod
    def vectors(self, at: Floats) -> Floats:
        """What the moment matrices of pieces at these locations are the squares of, [pieces, side]."""


class Chebyshev(Basis):
    """See the module text."""

    def __init__(self, puzzle: Free, degree: int) -> None:
        super().__init__(puzzle, degree)
        most = 2 * degree
        self.degrees, self._own = total_degrees(most), total_degrees(degree)
        inner = total_degrees(degree - 1)
        one, x, y = ((1.0, 0, 0),), ((0.5, 0, 0), (-0.5, 2, 0)), ((0.5, 0, 0), (-0.5, 0, 2))  # 1 − u² = (T₀ − T₂) / 2
        self.matrices = tuple(
            _triangle(basis, weight, self.degrees) for basis, weight in ((self._own, one), (inner, x), (inner, y))
        )
        self.sides = (len(self._own), len(inner), len(inner))
        self.nonnegative = False
        self._middle, self._reach = puzzle.box.mean(axis=0), np.ptp(puzzle.box, axis=0) / 2
        # polynomials of degree 2K from their values at so many nodes: coefficients [degree, node]
        self._nodes = np.cos(np.pi * (np.arange(most + 1) + 0.5) / (most + 1))
        self._from_values = polynomials(most, self._nodes).T * 2 / (most + 1)
        self._from_values[0] /= 2

    def integrals(self, path: Path) -> Floats:
        """See Basis."""
        a, b = self.degrees.T
        x, y = (polynomials(2 * self.degree, value) for value in ((path.points - self._middle) / self._reach).T)
        return np.asarray(path.weights @ (x[:, a] * y[:, b]))

    def shifted(self, piece: int, path: Path) -> Floats:
        """See Basis. A moved polynomial is one of the same degree again, so this is exact."""
        a, b = self.degrees.T
        x, y = (self._moved(piece, path.points[:, axis], axis) for axis in (0, 1))
        return np.asarray(np.einsum("g,gij,gij->ij", path.weights, x[:, a][:, :, a], y[:, b][:, :, b]))

    def _moved(self, piece: int, offsets: Floats, axis: int) -> Floats:
        """T_p at (location + offset) in T_a of u, [offsets, p, a]."""
        located = self.centre[piece, axis] + self.half[piece, axis] * self._nodes
        values = polynomials(2 * self.degree, (located + offsets[:, None] - self._middle[axis]) / self._reach[axis])
        return np.asarray(np.einsum("an,gnp->gpa", self._from_values, values))

    def locations(self, moments: Floats) -> Floats:
        """See Basis."""
        return np.asarray(self.centre + self.half * moments[:, 1:3])

    def vectors(self, at: Floats) -> Floats:
        """See Basis."""
        x, y = (polynomials(self.degree, value) for value in np.moveaxis((at - self.centre) / self.half, 1, 0))
        return np.asarray(x[:, self._own[:, 0]] * y[:, self._own[:, 1]])


class Exponential(Basis):
    """See the module text. Locations are those of low corners, of a piece's box from the frame's, in its own units."""

    def __init__(self, puzzle: Free, degree: int) -> None:
        super().__init__(puzzle, degree)
        powers = np.arange(degree + 1)
        self._own = np.array([(0, 0), *((k, 0) for k in powers[1:]), *((0, k) for k in powers[1:])])  # B.2
        products = {(int(a), int(b)) for a, b in (self._own[:, None] + self._own[None]).reshape(-1, 2)}
        self.degrees = np.array(sorted(products, key=lambda ab: (sum(ab), -ab[0])))
        number = {(int(a), int(b)): k for k, (a, b) in enumerate(self.degrees)}
        pairs = [(i, j) for j in range(len(self._own)) for i in range(j + 1)]
        matrix = np.zeros((len(pairs), len(self.degrees)))
        for row, (i, j) in enumerate(pairs):
            a, b = self._own[i] + self._own[j]
            matrix[row, number[int(a), int(b)]] = 1 if i == j else SQRT2
        self.matrices, self.sides, self.nonnegative = (matrix,), (len(self._own),), True

    def integrals(self, path: Path) -> Floats:
        """See Basis."""
        return np.asarray(path.weights @ np.exp((path.points - self.puzzle.box[0]) @ self.degrees.T))

    def shifted(self, piece: int, path: Path) -> Floats:
        """See Basis. Every function stays itself but for a factor, the α of equation 4.9."""
        points = path.points + self.puzzle.low[piece] - self.puzzle.box[0]
        return np.diag(path.weights @ np.exp(points @ self.degrees.T))

    def locations(self, moments: Floats) -> Floats:
        """See Basis."""
        return np.asarray(np.log(np.maximum(moments[:, 1:3], np.finfo(float).tiny)) + self.puzzle.low)

    def vectors(self, at: Floats) -> Floats:
        """See Basis."""
        return np.asarray(np.exp((at - self.puzzle.low) @ self._own.T))


def total_degrees(most: int) -> Degrees:
    """(a, b) with a + b up to ``most``, lower degrees first."""
    return np.array([(total - b, b) for total in range(most + 1) for b in range(total + 1)], dtype=np.int64)


def polynomials(most: int, at: Floats) -> Floats:
    """Chebyshev polynomials T_0 … T_most, [..., most + 1]."""
    values = np.ones((*np.shape(at), most + 1))
    if most:
        values[..., 1] = at
    for k in range(2, most + 1):
        values[..., k] = 2 * at * values[..., k - 1] - values[..., k - 2]
    return values


def _triangle(basis: Degrees, weight: tuple[tuple[float, int, int], ...], degrees: Degrees) -> Floats:
    """The matrix of all weight · T T' of a basis, off-diagonal entries times √2 as clarabel has its cones.

    T_a T_b = (T_{a+b} + T_{|a−b|}) / 2, in both directions.
    """
    number = {(int(a), int(b)): k for k, (a, b) in enumerate(degrees)}
    rows = []
    for j, (c, d) in enumerate(basis):
        for i, (a, b) in enumerate(basis[: j + 1]):
            row = np.zeros(len(degrees))
            for factor, along, across in weight:
                xs, ys = _products(int(a), int(c), along), _products(int(b), int(d), across)
                for x in xs:
                    for y in ys:
                        row[number[x, y]] += factor / (len(xs) * len(ys))
            rows.append(row * (1 if i == j else SQRT2))
    return np.array(rows)


def _products(*degrees: int) -> list[int]:
    """The degrees that a product of Chebyshev polynomials is the mean of."""
    found = [0]
    for degree in degrees:
        found = [k for earlier in found for k in (earlier + degree, abs(earlier - degree))]
    return found
