"""Moments of locations: equations that the answer satisfies, matrices that have rank one."""

import numpy as np
import pytest

from dovetail.core.puzzle import Locations
from dovetail.tiles.moments import Basis, Chebyshev, Exponential, polynomials, total_degrees
from dovetail.tiles.paths import Floats, Free, directions, frame_edges, free
from dovetail.tiles.planting import plant_tiles
from dovetail.tiles.polygons import Making, Polygons
from dovetail.tiles.polygons_making import make
from dovetail.tiles.puzzle import Making as MakingTiles
from dovetail.tiles.puzzle import Tiles

BASES = pytest.mark.parametrize("basis", [Chebyshev, Exponential])


def planted(seed: int, **settings: int | str) -> tuple[Free, Floats]:
    puzzle, answer = make(Making(**settings), seed)  # type: ignore[arg-type]
    return free(puzzle), np.array(answer.at)


def planted_tiles(seed: int, frame: str, signed: bool) -> tuple[Tiles, Floats]:
    puzzle, answer = plant_tiles(
        MakingTiles(width=4, height=3, colours=3, rotate=False, frame=frame, signed=signed), seed
    )  # fmt: skip
    at = {piece: (c, r) for r, row in enumerate(answer.pieces) for c, piece in enumerate(row)}
    return puzzle, np.array([at[piece] for piece in range(12)], dtype=float)


def moments_at(basis: Basis, at: Floats) -> Floats:
    """All functions of a basis at these locations, [pieces, functions]."""
    if isinstance(basis, Exponential):
        return np.asarray(np.exp((at - basis.puzzle.low) @ basis.degrees.T))
    x, y = (polynomials(2 * basis.degree, value) for value in ((at - basis.centre) / basis.half).T)
    return np.asarray(x[:, basis.degrees[:, 0]] * y[:, basis.degrees[:, 1]])


def left_over(basis: Basis, at: Floats) -> float:
    """How far locations are from satisfying the equations, of what there is to cancel at most."""
    rows, right = basis.equations()
    terms = rows * moments_at(basis, at)
    scale = np.abs(terms).sum(axis=(1, 2)) + np.abs(right) + 1
    return float((np.abs(terms.sum(axis=(1, 2)) - right) / scale).max())


@BASES
@pytest.mark.parametrize("style", ["tangram", "cuts"])
def test_the_answer_satisfies_every_equation_and_moved_pieces_do_not(basis: type[Basis], style: str) -> None:
    puzzle, at = planted(3, style=style)
    used = basis(puzzle, 2)
    assert left_over(used, at) < 1e-9
    moved = at.copy()
    moved[2, 0] += 0.1
    assert left_over(used, moved) > 1e-4


@pytest.mark.parametrize("frame", ["grey", "coloured"])
@pytest.mark.parametrize("signed", [False, True])
def test_tiles_in_place_satisfy_every_equation_and_tiles_exchanged_do_not(frame: str, signed: bool) -> None:
    puzzle, at = planted_tiles(1, frame, signed)
    used = Chebyshev(free(puzzle), 3)
    assert left_over(used, at) < 1e-9
    one = next(i for i in range(1, 12) if puzzle.tiles[i] != puzzle.tiles[0])
    at[[0, one]] = at[[one, 0]]
    assert left_over(used, at) > 1e-4


@BASES
def test_the_matrix_of_one_location_is_the_square_of_its_vector(basis: type[Basis]) -> None:
    puzzle, at = planted(0)
    used = basis(puzzle, 3)
    side, vectors = used.sides[0], used.vectors(at)
    upper = np.tril_indices(side)[::-1]
    entries = moments_at(used, at) @ used.matrices[0].T / np.where(upper[0] == upper[1], 1, np.sqrt(2))
    assert entries == pytest.approx((vectors[:, :, None] * vectors[:, None, :])[:, upper[0], upper[1]], rel=1e-9)
    assert used.locations(moments_at(used, at)) == pytest.approx(at)


def test_localising_matrices_are_positive_inside_the_box_and_negative_outside() -> None:
    puzzle, at = planted(0)
    used = Chebyshev(puzzle, 2)
    for axis in (0, 1):
        for place, sign in ((0.5, 1), (1.5, -1)):
            moved = used.centre.copy()
            moved[:, axis] += place * used.half[:, axis]
            corner = moments_at(used, moved) @ used.matrices[1 + axis][0]  # 1 − u², times the constant function
            assert corner == pytest.approx(np.full(len(at), 1 - place**2))
            assert (np.sign(corner) == sign).all()


def test_functions_come_by_total_degree() -> None:
    assert total_degrees(2).tolist() == [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]
    assert len(total_degrees(6)) == 28


def test_directions_are_numbered_modulo_half_a_turn() -> None:
    types, signs = directions(np.array([(1, 0), (-2, 0), (0, 1), (0, -3), (1, 1), (-1, -1.0), (-1, 1e-12)]))
    assert types.tolist() == [0, 0, 2, 2, 1, 1, 0]
    assert signs.tolist() == [1, -1, 1, -1, 1, -1, -1]


def test_frames_have_their_inside_on_the_left() -> None:
    square, hole = ((0, 0), (0, 3), (3, 3), (3, 0)), ((1, 1), (2, 1), (2, 2), (1, 2))
    puzzle = Polygons((square,), (square, hole))
    starts, ends = frame_edges(puzzle.frame)
    area = np.sum(starts[:, 0] * ends[:, 1] - starts[:, 1] * ends[:, 0]) / 2
    assert area == pytest.approx(8)


def test_pieces_may_be_anywhere_in_the_frame() -> None:
    puzzle, answer = make(Making(pieces=12, style="cuts"), 4)
    seen = free(puzzle)
    assert (seen.low <= np.array(answer.at) + 1e-9).all() and (seen.high >= np.array(answer.at) - 1e-9).all()
    assert isinstance(answer, Locations)
