"""The algebraic representation, by enumeration of all placements of small puzzles. Larger ones: tests/naive."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from dovetail.tiles.algebra import (
    QUARTER,
    SIXTH,
    Element,
    Function,
    Representation,
    Type,
    augmented,
    complete_system,
    delta,
    exactly,
    indicator,
    is_solution,
    monomial,
    on_locations,
    power,
    residual,
    turned,
    type_of,
)  # fmt: skip
from dovetail.tiles.boxes import Boxes, BoxesKind
from dovetail.tiles.boxes import Making as BoxesMaking
from dovetail.tiles.hexagons import HexagonsKind
from dovetail.tiles.hexagons import Making as HexagonsMaking
from dovetail.tiles.linear_system import system
from dovetail.tiles.puzzle import Tiles
from dovetail.tiles.representing import Preset, represent

EAST, SOUTH = (0, 1), (1, 0)
Vector = tuple[int, ...]


def grown(preset: Preset) -> list[Vector]:
    """The locations of the board and all around it."""
    own = {tuple(point) for point in preset.points.tolist()}
    beyond = {tuple((np.array(point) + 2 * step).tolist()) for point in own for step in preset.directions}
    return sorted(own | beyond)


def boxes(shape: str, colours: int, seed: int) -> tuple[Representation, Preset]:
    """Boxes in elements; up to five are free to lie one off the board too."""
    puzzle, _ = BoxesKind().make(BoxesMaking(shape, colours), seed)
    preset = represent(puzzle)
    looks = np.repeat(np.arange(len(preset.shows)), preset.stock).tolist()
    return exactly(preset, looks, grown(preset) if len(preset.points) < 6 else None), preset


def placed(puzzle: Representation, chosen: tuple[int, ...]) -> list[Vector]:
    return [puzzle.locations[at] for at in chosen]


def every_solution(puzzle: Representation) -> set[tuple[int, ...]]:
    """By (4.4) itself, over all placements."""
    everywhere = itertools.product(range(len(puzzle.locations)), repeat=len(puzzle.pieces))
    return {chosen for chosen in everywhere if is_solution(puzzle, placed(puzzle, chosen))}


def roots(puzzle: Representation, equations: list[tuple[Type, Function]]) -> set[tuple[int, ...]]:
    return set(on_locations(puzzle, equations).roots())


def test_the_signed_indicator() -> None:
    right = Type(7, EAST)
    assert [indicator(Element((0, 0), 7, d), right) for d in (EAST, (0, -1), SOUTH)] == [1, -1, 0]
    assert indicator(Element((0, 0), 8, EAST), right) == 0
    assert type_of(Element((0, 0), 7, (0, -1))) == right
    assert type_of(Element((0, 0), 7, (-1, 1))) == Type(7, (1, -1))


def test_functions_of_a_place() -> None:
    assert power(2)((3, -1)) == Fraction(2**6, 3**2)
    assert monomial((1, 2))((3, -1)) == Fraction(8, 9)
    assert [delta((1, 2))(u) for u in ((1, 2), (2, 1))] == [1, 0]
    places = itertools.product(range(-3, 4), repeat=3)
    assert len({power(1)(u) for u in places}) == 7**3, "2^x 3^y 5^z tells all places apart"


def test_every_function_vanishes_on_a_solution() -> None:
    """Proposition 4.1."""
    rng = random.Random(0)
    for shape in ("4", "2x3", "1x2x2"):
        puzzle, _ = boxes(shape, 2, 1)
        board = next(r for r in roots(puzzle, complete_system(puzzle)))
        value: dict[Vector, Fraction] = {}

        def anything(u: Vector, value: dict[Vector, Fraction] = value) -> Fraction:
            return value.setdefault(u, Fraction(rng.randrange(-99, 99), rng.randrange(1, 99)))

        assert all(residual(puzzle, placed(puzzle, board), t, anything) == 0 for t in puzzle.types)
        swapped = placed(puzzle, (board[1], board[0], *board[2:]))
        if not is_solution(puzzle, swapped):
            assert any(residual(puzzle, swapped, t, anything) for t in puzzle.types)


@pytest.mark.parametrize(("shape", "colours", "seeds"), [("3", 2, 4), ("4", 1, 1), ("1x3", 2, 1)])
def test_roots_are_the_solutions(shape: str, colours: int, seeds: int) -> None:
    """Proposition 4.2, over all placements, two pieces at one place and off the board by one included."""
    for seed in range(seeds):
        puzzle, _ = boxes(shape, colours, seed)
        solutions = every_solution(puzzle)
        assert solutions
        assert roots(puzzle, complete_system(puzzle)) == solutions
        seams = {tuple((np.array(at) + e.offset).tolist()) for at in puzzle.locations for e in puzzle.pieces[0]}
        assert roots(puzzle, [(t, delta(seam)) for t in puzzle.types for seam in seams]) == solutions


def test_solutions_of_the_representation_are_those_of_the_rules() -> None:
    for seed in range(3):
        puzzle, preset = boxes("2x2", 2, seed)
        on_board = {tuple(p): n for n, p in enumerate(preset.points.tolist())}
        looks = np.repeat(np.arange(len(preset.shows)), preset.stock)
        found = set()
        for order in itertools.permutations(range(4)):
            if preset.solves(looks[list(order)]):
                at = {piece: cell for cell, piece in enumerate(order)}
                found.add(tuple(at[piece] for piece in range(4)))
        assert found == {
            tuple(on_board[at] for at in placed(puzzle, r)) for r in roots(puzzle, complete_system(puzzle))
        }


def test_equations_needed_are_as_many_as_edges() -> None:
    boxes_in_a_row = represent(Boxes((2,), ((1, 2), (2, 1)), (1, 1)))
    puzzle = exactly(boxes_in_a_row, [0, 1])
    assert {t.colour: puzzle.equations_needed(t) for t in puzzle.types} == {0: 2, 1: 1}
    assert len(complete_system(puzzle)) == 3


def edges(facing: Vector, *places: Vector) -> tuple[Element, ...]:
    return tuple(Element(place, 1, facing) for place in places)


def test_with_one_equation_fewer_independent_edges_have_wrong_roots() -> None:
    """1 + 9 = 4 + 6: what lemma A.1 says of edges that belong to no closed piece needs all K equations."""
    single = edges(EAST, (0, 0))
    where = ((0, 0), (0, 2), (2, 0), (1, 1))  # T = 1, 9, 4, 6
    puzzle = Representation(edges((0, -1), (2, 0), (1, 1)), (single, single), where)
    equations = complete_system(puzzle)
    assert len(equations) == 2
    assert roots(puzzle, equations) == {(2, 3), (3, 2)} == every_solution(puzzle)
    assert roots(puzzle, equations[:1]) == {(2, 3), (3, 2), (0, 1), (1, 0)}


def test_an_uneven_number_of_edges_needs_as_many_equations_as_the_larger_side() -> None:
    """2 + 1 = 3: one edge against two, which the paper excludes."""
    single = edges(EAST, (0, 0))
    puzzle = Representation(edges((0, -1), (0, 1)), (single, single), ((0, 0), (1, 0)))  # 3 against 1, 2
    assert roots(puzzle, complete_system(puzzle)[:1]) == {(0, 1), (1, 0)}
    assert roots(puzzle, complete_system(puzzle)) == set() == every_solution(puzzle)


def test_closed_pieces_in_the_plane_do_without_any_one_type() -> None:
    """One equation fewer, or none at all, for one type never adds a root there; so there is no puzzle to show.

    The edges of the other directions, all colours together, are those of the board only if the pieces cover it once: a
    bounded set is told by its edges in one direction. Then all edges of the left-out direction match too, all colours
    together, and those of every other colour do by themselves.
    """
    for seed in range(2):
        puzzle, _ = boxes("1x3", 2, seed)
        solutions = every_solution(puzzle)
        for left_out in puzzle.types:
            assert roots(puzzle, [(t, f) for t, f in complete_system(puzzle) if t != left_out]) == solutions


def test_with_one_equation_fewer_for_two_types_there_are_wrong_roots() -> None:
    """Two boxes that differ in one colour each change places, and nobody notices."""
    preset = represent(Boxes((2, 1), ((9, 9, 1, 9), (9, 9, 2, 9)), (9, 1, 9, 9, 2, 9)))
    puzzle = exactly(preset, [0, 1])
    assert every_solution(puzzle) == {(0, 1)} == roots(puzzle, complete_system(puzzle))
    once = [t for t in puzzle.types if puzzle.equations_needed(t) == 1]
    assert len(once) == 2
    assert roots(puzzle, [(t, f) for t, f in complete_system(puzzle) if t not in once]) == {(0, 1), (1, 0)}


def test_turning_a_piece_all_the_way_round() -> None:
    square = represent(Boxes((1, 1), ((1, 2, 3, 4),), None))
    (piece,) = exactly(square, [0]).pieces
    assert turned(piece, QUARTER, 4) == piece != turned(piece, QUARTER, 2)
    hexagon = tuple(Element(d, n, d) for n, d in enumerate([(0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0)]))
    once = {e.direction: e.colour for e in turned(hexagon, SIXTH)}
    assert all(once[e.direction] == (e.colour - 1) % 6 for e in hexagon), "the colour on side i comes to side i + 1"
    assert set(turned(hexagon, SIXTH, 6)) == set(hexagon)


def squares_that_turn(seed: int) -> tuple[Tiles, Preset, Representation]:
    """1×2 tiles, listed as they are, and r = 4 rotated copies of everything."""
    rng = random.Random(seed)
    seam = rng.randrange(3)
    tiles = [[rng.randrange(3) for _ in range(4)] for _ in range(2)]
    tiles[0][1] = tiles[1][3] = seam
    (n1, _, s1, w1), (n2, e2, s2, _) = tiles
    frame = (n1, n2, e2, s2, s1, w1)
    listed = [tuple(tile[k:] + tile[:k]) for tile, k in zip(tiles, (rng.randrange(4), rng.randrange(4)), strict=True)]
    puzzle = Tiles(1, 2, tuple(listed), True, frame=frame)  # type: ignore[arg-type]
    preset = represent(puzzle)
    return puzzle, preset, augmented(exactly(preset, _as_listed(puzzle, preset)), QUARTER, 4, (4, 6))


def _as_listed(puzzle: Tiles, preset: Preset) -> list[int]:
    """The look of every tile that is not turned."""
    found = []
    for number in range(len(puzzle.tiles)):
        for look in range(len(preset.shows)):
            board = np.full(len(preset.points), -1)
            board[0] = look
            alone = preset.place(board)
            if puzzle.turned(puzzle.tiles[alone.pieces[0][0]], alone.turns[0][0]) == puzzle.tiles[number]:
                found.append(look)
                break
    return found


def test_four_rotated_copies_stand_for_pieces_that_turn() -> None:
    """Proposition 6.1, and its converse through proposition 4.2 on the augmented puzzle."""
    for seed in range(6):
        puzzle, _, puzzles = squares_that_turn(seed)
        found = set()
        for chosen in roots(puzzles, complete_system(puzzles)):
            # location n lies on copy n // 2 of the board: there the piece is turned by as much less
            assert sorted(n % 2 for n in chosen) == [0, 1]
            found.add(tuple((n % 2, -(n // 2) % 4) for n in chosen))
        expected = set()
        for first, (t1, t2) in itertools.product((0, 1), itertools.product(range(4), repeat=2)):
            board = [(0, t1), (1, t2)] if first == 0 else [(1, t2), (0, t1)]
            left, right = (puzzle.turned(puzzle.tiles[piece], turns) for piece, turns in board)
            assert puzzle.frame is not None
            rim = (left[0], right[0], right[1], right[2], left[2], left[3])
            if left[1] == right[3] and rim == puzzle.frame:
                expected.add(((first, t1), (1 - first, t2)))
        assert found == expected != set()


def test_over_deltas_the_copies_say_what_one_board_says_of_turned_pieces() -> None:
    """One row a seam and colour: the entries of (6.4) are those of the solver's matrix."""
    _, preset, puzzles = squares_that_turn(3)
    whole = system(preset, blocks=False)
    inner = preset.edges[0][preset.inner]
    assert len(inner) == 1 and len(whole.value) > 0
    moved = tuple((inner[0] + (4, 6)).tolist())
    for n, row in enumerate(range(len(whole.rhs) - len(whole.value), len(whole.rhs))):
        terms = on_locations(puzzles, [(Type(int(whole.value[n]), EAST), delta(moved))]).terms
        for variable, (location, look) in enumerate(zip(whole.location, whole.look, strict=True)):
            board = np.full(len(preset.points), -1)
            board[location] = look
            alone = preset.place(board)
            piece, turns = alone.pieces[0][location], alone.turns[0][location]
            copy = -turns % 4
            assert terms[piece][2 * copy + location][0] == whole.matrix[row, variable]


def test_six_rotated_copies_stand_for_hexagons_that_turn() -> None:
    for seed in range(3):
        puzzle, _ = HexagonsKind().make(HexagonsMaking(1, 3, True, "coloured"), seed)
        preset = represent(puzzle)
        listed = exactly(preset, [0])
        puzzles = augmented(listed, SIXTH, 6, (4, 4))
        found = {at for (at,) in roots(puzzles, complete_system(puzzles))}
        shown = dict(enumerate(preset.shows[0].tolist()))
        wanted = preset.demands[0].tolist()
        fitting = {t for t in range(6) if all(wanted[(side + t) % 6] == shown[side] for side in range(6))}
        assert found == {-t % 6 for t in fitting} != set()
