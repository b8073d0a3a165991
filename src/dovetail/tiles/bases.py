"""Families of functions f for (4.6) over finitely many places, in floating point, and how well they tell them apart.

Every row of (4.6) is a sum of the rows for delta functions, with the values of f on the seams as weights: so deltas
span what any family spans, and are the best conditioned of all. The paper's exponentials span as much in exact
arithmetic and lose it to rounding within a dozen places; the powers of proposition 4.2 are enough for whole solutions,
but as rows of a linear program they are fewer, and bind less. Cosines are bounded and orthogonal, as good as deltas,
and dense.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
from scipy import sparse

from .linear_system import Floats, System
from .representing import Ints

BASES = ("delta", "exponential", "powers", "cosine")
LOGS = np.log([2.0, 3.0, 5.0])  # of the bases that keep the places of a lattice apart (``algebra.power``)
DIGITS = 250  # for exponentials that are to be exact enough


def exponential(points: Floats) -> Floats:
    """[functions, points] e^{k·u} for as many k along every axis as there are coordinates: appendix B."""
    least = points.min(axis=0)
    degrees = [range(len(np.unique(axis))) for axis in points.T]
    rows: Floats = np.exp(np.array([*product(*degrees)]) @ (points - least).T)
    return rows


def powers(points: Floats, number: int) -> Floats:
    """[functions, points] T, T², … of T = 2^x 3^y 5^z: proposition 4.2."""
    logs = (points - points.min(axis=0)) @ LOGS[: points.shape[1]]
    rows: Floats = np.exp(np.outer(np.arange(1, number + 1), logs))
    return rows


def cosine(points: Floats) -> Floats:
    """[functions, points] products of cosines, half a wave more along an axis for each of its coordinates."""
    found: Floats = np.ones((1, len(points)))
    for axis in points.T:
        places = np.unique(axis)
        # the type-II cosine transform, orthogonal over evenly spaced places
        phase = (np.searchsorted(places, axis) + 0.5) * np.pi / len(places)
        waves = np.cos(np.outer(np.arange(len(places)), phase))
        found = (found[:, None] * waves).reshape(-1, len(points))
    return found


def over(system: System, basis: str) -> System:
    """The same program with the rows of another family in place of the deltas'."""
    if basis == "delta":
        return system
    rows = len(system.rhs) - len(system.seam)
    parts = [system.matrix[:rows]]
    axis = _axes(system)
    for line, value in sorted({*zip(axis.tolist(), system.value.tolist(), strict=True)}):
        own = np.flatnonzero((axis == line) & (system.value == value))
        points = system.preset.edges[0][system.seam[own]] / 2
        if basis == "powers":
            functions = powers(points, _edges(system, line, value))
        else:
            functions = {"exponential": exponential, "cosine": cosine}[basis](points)
        functions /= abs(functions).max(axis=1, keepdims=True)
        parts.append(sparse.csr_array(functions) @ system.matrix[rows + own])
    matrix = sparse.csr_array(sparse.vstack(parts))
    rhs = np.concatenate([system.rhs[:rows], np.zeros(matrix.shape[0] - rows)])
    return replace(system, matrix=matrix, rhs=rhs)


def _axes(system: System) -> Ints:
    """[seam rows] θ mod π, as the face whose sign is + there."""
    axis_of = np.zeros(len(system.preset.inner), dtype=np.int64)
    for face in np.flatnonzero(system.preset.signs > 0):
        axis_of[system.preset.seam_of[:, face]] = face
    axis: Ints = axis_of[system.seam]
    return axis


def _edges(system: System, face: int, value: int) -> int:
    """K(c, θ): the edges of this value that face one way; of pieces that can be turned, those that face any way."""
    preset = system.preset
    opposite = int(np.flatnonzero((preset.directions == -preset.directions[face]).all(axis=1))[0])
    first = np.unique(preset.class_of, return_index=True)[1]  # a look of every class
    shown = preset.stock @ (preset.shows[first] == value)  # [faces]
    wanted = (preset.demands == value).sum(axis=0)  # [faces] of pieces, by the frame, whose own edge faces back
    if len(first) < len(preset.shows):
        return int(shown.sum() + wanted.sum())
    return int(max(shown[face] + wanted[opposite], shown[opposite] + wanted[face]))


def rank(matrix: Sequence[Sequence[Fraction]]) -> int:
    """By elimination, exactly."""
    rows, found = [list(row) for row in matrix], 0
    for col in range(len(rows[0])):
        pivot = next((r for r in range(found, len(rows)) if rows[r][col]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for r in range(found + 1, len(rows)):
            if factor := rows[r][col] / rows[found][col]:
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[found], strict=True)]
        found += 1
    return found


def exponentials_on_a_line(places: int) -> list[list[Fraction]]:
    """[k][place] e^{k·t} for k, t = 0 … places − 1, to ``DIGITS`` digits: the matrix Y of (5.6)."""
    with localcontext() as context:
        context.prec = DIGITS
        e = Decimal(1).exp()
        return [[Fraction(e ** (k * t)) for t in range(places)] for k in range(places)]


def condition(matrix: Sequence[Sequence[Fraction]]) -> float:
    """The condition number in the 2-norm, from an exact inverse: past 1/ε numpy's own is off by powers of ten."""
    both = [np.array([[float(x) for x in row] for row in m]) for m in (matrix, inverse(matrix))]
    return float(np.linalg.norm(both[0], 2) * np.linalg.norm(both[1], 2))


def inverse(matrix: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """Of a regular matrix, exactly (Gauss and Jordan)."""
    n = len(matrix)
    rows = [[*row, *(Fraction(int(i == j)) for j in range(n))] for i, row in enumerate(matrix)]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i and (factor := rows[r][i]):
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [row[n:] for row in rows]
