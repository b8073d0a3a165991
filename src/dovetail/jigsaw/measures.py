"""Four measures of how badly two pieces fit, each for a block of pieces against all others at once.

A measure is a sum over the pixels of a seam. ``lab`` and the two of the Mahalanobis kind are quadratic in the colours,
so that a block is one matrix product; ``prediction`` adds absolute differences, which no product does.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from . import kernels
from .edges import Colours, Edges, facing, lab

Block = NDArray[np.float32]  # [pieces of the block, all pieces]
Vectors = NDArray[np.float64]

GRADIENTS = np.array(  # Gallagher 2012, section 3: steps that keep the covariance of a flat piece regular
    [[0, 0, 0], [1, 1, 1], [-1, -1, -1], [0, 0, 1], [0, 1, 0], [1, 0, 0], [-1, 0, 0], [0, -1, 0], [0, 0, -1]], float
)
UPPER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # of a symmetric matrix of three rows


class Measure(Protocol):
    """One measure over all pieces of a puzzle."""

    scale: float  # stored costs for a root of one, a pixel

    def rows(self, side: int, first: int, last: int) -> Block:
        """How badly every piece fits at that side of the pieces from ``first`` to before ``last``."""


class Lab:
    """Sholomon 2013, equation 1, before its root: squared distances in L*a*b*.

    Of whole numbers of steps the sums are exact in double precision, whatever the order of adding.
    """

    steps = 64  # a unit; fine enough for dark pictures of 16 bits
    scale = 224.0  # the largest distance between two colours still fits 16 bits

    def __init__(self, edges: Edges) -> None:
        self.lines = [_flat(lab(line, self.steps)).astype(np.float64) for line in edges.outer]
        self.squares = [np.einsum("nk,nk->n", line, line) for line in self.lines]

    def rows(self, side: int, first: int, last: int) -> Block:
        """|a - b|² = |a|² + |b|² - 2ab."""
        block = self.lines[side][first:last] @ self.lines[facing(side)].T
        block *= -2
        block += self.squares[side][first:last, None]
        block += self.squares[facing(side)]
        block *= self.steps**-2
        return block.astype(np.float32)


class Prediction:
    """Pomeranz 2011: either side continued by its own last step, against what is there, in L*a*b*.

    Roots of the differences are added, so that a few large ones do not drown the rest. (Theirs is the power 3/10, which
    ranks a little worse here and takes four times as long; their further power of the sum changes no order.)
    """

    steps = 64
    scale = 2000.0

    def __init__(self, edges: Edges) -> None:
        outer, inner = ([lab(line, self.steps) for line in lines] for lines in (edges.outer, edges.inner))
        self.rims = [_flat(line) for line in outer]
        self.continued = [_flat(2 * o - i) for o, i in zip(outer, inner, strict=True)]
        self.columns = [[np.ascontiguousarray(line.T) for line in lines] for lines in (self.rims, self.continued)]

    def rows(self, side: int, first: int, last: int) -> Block:
        """Both pieces predict."""
        block = np.empty((last - first, len(self.rims[0])), np.float32)
        ours = (self.continued[side][first:last], self.rims[side][first:last])
        rims, continued = self.columns
        kernels.differences(*ours, continued[facing(side)], rims[facing(side)], block)
        return block


class Mgc:
    """Gallagher 2012: the step across the seam against the steps inside, by the Mahalanobis distance of either piece.

    For a piece with rim e and inverse covariance S, a neighbour's rim f adds Σₖ (fₖ - aₖ)ᵀ S (fₖ - aₖ), where a is e
    and its mean step beyond. It expands to ⟨S, Σₖ fₖfₖᵀ⟩ - 2 Σₖ fₖᵀ S aₖ + Σₖ aₖᵀ S aₖ: a product of what the one piece
    knows (``form``) and of what the other shows (``shown``). In double precision, since the three nearly cancel.
    """

    scale = 200.0

    def __init__(self, edges: Edges, along: bool = False) -> None:
        lines = [
            (o.astype(np.float64) - 128, o.astype(np.float64) - i)
            for o, i in zip(edges.outer, edges.inner, strict=True)
        ]
        self.knows, self.shows = [], []
        for rim, steps in lines:
            knows = [form(rim + steps.mean(axis=1, keepdims=True), precision(steps))]
            shows = [shown(rim)]
            if along:  # how the step across changes along the seam is as likely as such a change along the rim
                changes = np.diff(rim, axis=1)
                knows.append(form(changes, precision(changes)))
                shows.append(shown(changes))
            self.knows.append(np.hstack(knows))
            self.shows.append(np.hstack(shows))

    def rows(self, side: int, first: int, last: int) -> Block:
        """Both pieces judge."""
        there = facing(side)
        block = self.knows[side][first:last] @ self.shows[there].T
        block += self.shows[side][first:last] @ self.knows[there].T
        return np.maximum(block, 0).astype(np.float32)


MEASURES: Mapping[str, Callable[[Edges], Measure]] = {
    "lab": Lab,
    "prediction": Prediction,
    "mgc": Mgc,
    "mgc+": lambda edges: Mgc(edges, along=True),
}


def _flat(lines: Colours) -> Colours:
    return np.ascontiguousarray(lines.reshape(len(lines), -1))


def precision(vectors: Vectors) -> Vectors:
    """The inverse covariance of each piece's vectors. [n, k, 3] → [n, 3, 3]"""
    padded = np.concatenate([vectors, np.broadcast_to(GRADIENTS, (len(vectors), *GRADIENTS.shape))], axis=1)
    apart = padded - padded.mean(axis=1, keepdims=True)
    inverse: Vectors = np.linalg.inv(np.einsum("nki,nkj->nij", apart, apart) / (padded.shape[1] - 1))
    return inverse


def form(centres: Vectors, precision: Vectors) -> Vectors:
    """What a piece knows: the quadratic form about its centres, as factors of ``shown``. [n, 6 + 3k + 1]"""
    linear = np.einsum("nij,nkj->nki", precision, centres)
    upper = np.stack([precision[:, i, j] for i, j in UPPER], axis=1)
    constant = np.einsum("nki,nki->n", linear, centres)
    return np.hstack([upper, -2 * linear.reshape(len(centres), -1), constant[:, None]])


def shown(vectors: Vectors) -> Vectors:
    """What a piece shows: its vectors' products, the vectors, and one. [n, 6 + 3k + 1]"""
    products = [np.einsum("nk,nk->n", vectors[..., i], vectors[..., j]) * (1 if i == j else 2) for i, j in UPPER]
    return np.hstack([np.stack(products, axis=1), vectors.reshape(len(vectors), -1), np.ones((len(vectors), 1))])
