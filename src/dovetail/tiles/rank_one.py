"""The semidefinite programs of Algorithm 2 (Kovalsky et al. 5.14) and the weights from one to the next (5.15)."""

from dataclasses import dataclass
from threading import Event
from typing import Any

import clarabel
import numpy as np
from scipy import sparse
from scipy.linalg import lapack

from .moments import SQRT2, Basis
from .paths import Floats

NOTHING = 1e-13  # a coefficient that is rounding
DEPENDENT = 3e-7  # what is left of a row of length one beside the others, if it follows from them
GOOD = ("Solved", "AlmostSolved", "InsufficientProgress", "MaxIterations", "MaxTime", "NumericalError")
LARGEST = 2.0  # a Chebyshev moment in size; the iterate of a program that broke down may have larger ones
STEPS = 100  # of the interior-point method


@dataclass(frozen=True)
class Relaxed:
    """The optimizer of one program."""

    moments: Floats  # [pieces, functions]
    matrices: Floats  # [pieces, side, side]: the moment matrices, Z of 5.11

    @property
    def defects(self) -> Floats:
        """How far each matrix is from rank one: the share of its trace beside the largest eigenvalue."""
        largest = np.linalg.eigvalsh(self.matrices)[:, -1]
        return np.asarray(1 - largest / np.trace(self.matrices, axis1=1, axis2=2))

    def weights(self) -> Floats:
        """W of equation 5.15: everything beside the first eigenvector."""
        return _beside(np.linalg.eigh(self.matrices)[1][:, :, -1])


def towards(basis: Basis, at: Floats) -> Floats:
    """The weights that draw the pieces to these locations, [pieces, side, side]."""
    vectors = basis.vectors(at)
    return _beside(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _beside(vectors: Floats) -> Floats:
    return np.asarray(np.eye(vectors.shape[1]) - vectors[:, :, None] * vectors[:, None, :])


class Program:
    """All of 5.14 but its objective. The constant moment, 1, is no unknown: it goes to the right-hand side."""

    def __init__(self, basis: Basis) -> None:
        rows, right = basis.equations()
        self.pieces, self.functions = rows.shape[1:]
        self.basis = basis
        equations, values = _independent(rows[:, :, 1:].reshape(len(rows), -1), right - rows[:, :, 0].sum(axis=1))
        cone = np.concatenate(basis.matrices)
        parts = [equations, sparse.block_diag([sparse.csc_matrix(-cone[:, 1:])] * self.pieces)]
        constants = [values, np.tile(cone[:, 0], self.pieces)]
        self.cones: list[Any] = [clarabel.ZeroConeT(len(values))]
        self.cones += [clarabel.PSDTriangleConeT(side) for side in basis.sides] * self.pieces
        if basis.nonnegative:
            unknowns = equations.shape[1]
            parts.append(-sparse.eye(unknowns))
            constants.append(np.zeros(unknowns))
            self.cones.append(clarabel.NonnegativeConeT(unknowns))
        self.rows, self.constants = sparse.vstack(parts).tocsc(), np.concatenate(constants)
        side = basis.sides[0]
        self._upper = np.tril_indices(side)[::-1]  # the upper triangle by columns
        self._scale = np.where(self._upper[0] == self._upper[1], 1.0, SQRT2)

    def solve(self, weights: Floats, stop: Event) -> Relaxed | None:
        """The optimizer for these weights; None if the program found none, or was stopped."""
        matrix = self.basis.matrices[0]
        objective = (weights[:, self._upper[0], self._upper[1]] * self._scale) @ matrix[:, 1:]
        unknowns = objective.size
        solver = clarabel.DefaultSolver(
            sparse.csc_matrix((unknowns, unknowns)),
            objective.ravel(),
            self.rows,
            self.constants,
            self.cones,
            _settings(),
        )
        solver.set_termination_callback(lambda _info: stop.is_set())
        solution = solver.solve()
        if stop.is_set() or str(solution.status) not in GOOD:
            return None
        moments = np.ones((self.pieces, self.functions))
        moments[:, 1:] = np.reshape(solution.x, (self.pieces, -1))
        if not np.isfinite(moments).all() or (not self.basis.nonnegative and np.abs(moments).max() > LARGEST):
            return None
        matrices = np.zeros((self.pieces, self.basis.sides[0], self.basis.sides[0]))
        entries = moments @ matrix.T / self._scale
        matrices[:, self._upper[0], self._upper[1]] = matrices[:, self._upper[1], self._upper[0]] = entries
        return Relaxed(moments, matrices)


def _settings() -> Any:
    """One thread, so that a run is repeatable."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.max_iter = STEPS
    settings.chordal_decomposition_enable = False
    settings.presolve_enable = False
    return settings


def _independent(rows: Floats, right: Floats) -> tuple[sparse.csc_matrix, Floats]:
    """Rows of length one, without those that follow from others: the program has hardly an interior as it is.

    The pivoted triangle of their products is that of a QR factorisation of the rows, and far sooner found.
    """
    lengths = np.linalg.norm(rows, axis=1)
    some = lengths > NOTHING * lengths.max(initial=0)
    rows, right = rows[some] / lengths[some, None], right[some] / lengths[some]
    rows[np.abs(rows) < NOTHING] = 0
    slim = sparse.csr_matrix(rows)
    _, order, rank, _ = lapack.dpstrf((slim @ slim.T).toarray(), tol=DEPENDENT**2)
    kept = np.sort(order[:rank] - 1)
    return slim[kept].tocsc(), right[kept]
