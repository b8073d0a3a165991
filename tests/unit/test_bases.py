"""Families of functions: what they span, and how well."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dovetail.tiles.algebra import (
    Function,
    Representation,
    Type,
    complete_system,
    delta,
    exactly,
    monomial,
    on_locations,
)
from dovetail.tiles.bases import condition, cosine, exponential, exponentials_on_a_line, inverse, over, powers, rank
from dovetail.tiles.boxes import BoxesKind
from dovetail.tiles.boxes import Making as BoxesMaking
from dovetail.tiles.hexagons import HexagonsKind
from dovetail.tiles.hexagons import Making as HexagonsMaking
from dovetail.tiles.linear_system import System, system
from dovetail.tiles.puzzle import Making, TilesKind
from dovetail.tiles.representing import represent


def rows(puzzle: Representation, equations: list[tuple[Type, Function]]) -> list[list[Fraction]]:
    """[equation][piece and location]."""
    terms = on_locations(puzzle, equations).terms
    return [[at[n] for piece in terms for at in piece] for n in range(len(equations))]


def squares(side: int, colours: int, seed: int = 0, frame: str = "coloured") -> System:
    puzzle, _ = TilesKind().make(Making(side, side, colours, rotate=False, frame=frame), seed)
    return system(represent(puzzle), blocks=False)


def seam_rows(whole: System) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    first = len(whole.preset.stock) + len(whole.preset.points)
    dense: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = whole.matrix[first:].toarray()
    return dense


def test_the_condition_of_exponentials_on_a_line() -> None:
    """2·10¹¹ for 6 places; 10⁵³ for 12, of which numpy's double precision makes 10⁵⁶."""
    six, twelve = exponentials_on_a_line(6), exponentials_on_a_line(12)
    assert condition(six) == pytest.approx(2.08e11, rel=0.01)
    assert np.linalg.cond(np.array(six, dtype=float)) == pytest.approx(condition(six), rel=0.01)
    assert condition(twelve) == pytest.approx(1.03e53, rel=0.01)
    assert not 0.1 < np.linalg.cond(np.array(twelve, dtype=float)) / condition(twelve) < 10


def test_other_families_on_a_line() -> None:
    line = np.arange(12.0)[:, None]
    assert np.linalg.cond(cosine(line)) < 2, "cosines are orthogonal but for the length of the constant one"
    assert np.linalg.cond(powers(line, 12)) > 1e16
    assert np.allclose(exponential(line[:4])[2], np.exp(2 * np.arange(4.0)))
    assert np.allclose(powers(line[:4], 2)[1], 4.0 ** np.arange(4))


def test_exact_rank_and_inverse() -> None:
    matrix = [[Fraction(x) for x in row] for row in ((0, 2, 1), (1, 1, 1), (1, 3, 2))]
    assert rank(matrix) == 2
    matrix[2][2] = Fraction(3)
    back = inverse(matrix)
    product = [[sum(a * b for a, b in zip(row, col, strict=True)) for col in zip(*back, strict=True)] for row in matrix]
    assert product == [[int(i == j) for j in range(3)] for i in range(3)]


@pytest.mark.parametrize("shape", ["4", "2x3", "1x2x2"])
def test_deltas_span_what_the_others_span_exactly(shape: str) -> None:
    puzzle, _ = BoxesKind().make(BoxesMaking(shape, 2), 0)
    preset = represent(puzzle)
    exact = exactly(preset, range(len(preset.shows)))
    seams = [tuple(seam) for seam in preset.edges[0].tolist()]
    degrees = itertools.product(*(range(2 * int(length) + 1) for length in shape.split("x")))
    deltas = rows(exact, [(t, delta(seam)) for t in exact.types for seam in seams])
    tensor = rows(exact, [(t, monomial(k)) for k in degrees for t in exact.types])
    complete = rows(exact, complete_system(exact))
    assert rank(deltas) == rank(tensor) == rank([*deltas, *tensor])
    assert rank([*deltas, *complete]) == rank(deltas) >= rank(complete)


@pytest.mark.parametrize("basis", ["exponential", "powers", "cosine"])
def test_deltas_span_what_the_others_span_in_the_program(basis: str) -> None:
    hexagons, _ = HexagonsKind().make(HexagonsMaking(2, 2, True, "grey"), 0)
    for whole in (squares(3, 2), system(represent(hexagons), blocks=False)):
        deltas, others = seam_rows(whole), seam_rows(over(whole, basis))
        weights, *_ = np.linalg.lstsq(deltas.T, others.T)
        assert np.allclose(deltas.T @ weights, others.T, atol=1e-9)
        assert np.linalg.matrix_rank(others) <= np.linalg.matrix_rank(deltas)


def test_the_powers_of_proposition_4_2_bind_a_program_less() -> None:
    whole = squares(5, 3)
    ranks = {basis: np.linalg.matrix_rank(seam_rows(over(whole, basis))) for basis in ("delta", "cosine", "powers")}
    assert ranks["delta"] == ranks["cosine"] > ranks["powers"]


def test_deltas_are_left_as_they_are() -> None:
    whole = squares(2, 2)
    assert over(whole, "delta") is whole
    assert set(np.unique(whole.matrix.data)) <= {-1.0, 1.0}
