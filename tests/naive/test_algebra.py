"""Proposition 4.2 on larger boards: the roots of the system against trying every order of the pieces by the rules."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

from dovetail.core.kind import Kind
from dovetail.tiles.algebra import Representation, complete_system, delta, exactly, is_solution, on_locations
from dovetail.tiles.boxes import Boxes, BoxesKind
from dovetail.tiles.boxes import Making as BoxesMaking
from dovetail.tiles.hexagons import HexagonsKind
from dovetail.tiles.hexagons import Making as HexagonsMaking
from dovetail.tiles.representing import Preset, represent

Vector = tuple[int, ...]
HEXAGONS = (HexagonsKind(), HexagonsMaking(2, 2, False, "coloured"))


def by_the_rules(puzzle: Any) -> set[tuple[int, ...]]:
    """The cell of every piece, of all boards whose touching faces and rim are right, in the puzzle's own words."""
    layout, frame = puzzle.layout, [*puzzle.wanted]
    found = set()
    for order in itertools.permutations(range(len(puzzle.pieces))):
        board = [puzzle.pieces[piece] for piece in order]
        if all(board[a][f] == board[b][g] for a, f, b, g in layout.seams) and all(
            board[cell][face] == colour for cell, face, colour in frame
        ):
            cell_of = {piece: cell for cell, piece in enumerate(order)}
            found.add(tuple(cell_of[piece] for piece in range(len(order))))
    return found


def representation(puzzle: Any, preset: Preset, around: bool) -> Representation:
    looks = {tuple(preset.values[v] for v in look): n for n, look in enumerate(preset.shows.tolist())}
    locations = {tuple(point) for point in preset.points.tolist()}
    more = {tuple((np.array(at) + 2 * step).tolist()) for at in locations for step in preset.directions}
    own = [tuple(point) for point in preset.points.tolist()]
    everywhere = [*own, *sorted(more - locations)] if around else own
    return exactly(preset, [looks[piece] for piece in puzzle.pieces], everywhere)


@pytest.mark.parametrize(
    ("kind", "settings", "around"),
    [
        (BoxesKind(), BoxesMaking("5", 2), True),
        (BoxesKind(), BoxesMaking("2x2", 2), True),
        (BoxesKind(), BoxesMaking("2x3", 2), True),
        (BoxesKind(), BoxesMaking("2x3", 1), True),
        (BoxesKind(), BoxesMaking("2x2x2", 2), False),
        (*HEXAGONS, False),
    ],
    ids=lambda x: x.name if isinstance(x, Kind) else str(x),
)
def test_roots_are_the_solutions(kind: Kind, settings: Any, around: bool) -> None:
    """Whatever else can be placed: pieces on one another, and where ``around``, off the board by one."""
    puzzle, _ = kind.make(settings, 0)
    exact = representation(puzzle, represent(puzzle), around)
    solutions = by_the_rules(puzzle)
    assert solutions
    assert set(on_locations(exact, complete_system(exact)).roots()) == solutions


def test_deltas_are_complete_too() -> None:
    kind, settings = HEXAGONS
    puzzle, _ = kind.make(settings, 1)
    preset = represent(puzzle)
    exact = representation(puzzle, preset, False)
    seams = [tuple(seam) for seam in preset.edges[0].tolist()]
    equations = [(t, delta(seam)) for t in exact.types for seam in seams]
    assert set(on_locations(exact, equations).roots()) == by_the_rules(puzzle)


def test_placements_that_are_solutions_by_the_definition() -> None:
    """(4.4) read literally, on a sample of the placements of a 2×2 board and on its solutions."""
    rng = random.Random(4)
    puzzle, _ = BoxesKind().make(BoxesMaking("2x2", 2), 3)
    exact = representation(puzzle, represent(puzzle), True)
    roots = set(on_locations(exact, complete_system(exact)).roots())
    sample = {tuple(rng.randrange(len(exact.locations)) for _ in range(4)) for _ in range(3000)}
    for chosen in roots | sample | {*itertools.permutations(range(4))}:
        assert is_solution(exact, [exact.locations[at] for at in chosen]) == (chosen in roots)


def test_in_the_plane_no_puzzle_needs_all_equations_of_one_type() -> None:
    """With one equation fewer for any one type, and with none of that type, the roots stay the same."""
    for seed, colours in itertools.product(range(3), (1, 2, 3)):
        puzzle, _ = BoxesKind().make(BoxesMaking("2x2", colours), seed)
        exact = representation(puzzle, represent(puzzle), True)
        complete = complete_system(exact)
        everything = set(on_locations(exact, complete).roots())
        for type_ in exact.types:
            last = max(n for n, (t, _) in enumerate(complete) if t == type_)
            fewer = [equation for n, equation in enumerate(complete) if n != last]
            assert set(on_locations(exact, fewer).roots()) == everything
            without = [(t, f) for t, f in complete if t != type_]
            if any(t.direction != type_.direction for t, _ in without):
                assert set(on_locations(exact, without).roots()) == everything


def test_on_a_line_none_was_found_either() -> None:
    """There the proof for the plane fails; these are all puzzles of up to four boxes of two colours and its frame."""
    tried = 0
    for length in (2, 3, 4):
        for seams in itertools.product((0, 1), repeat=length + 1):
            pieces = tuple(itertools.pairwise(seams))
            preset = represent(Boxes((length,), pieces, (seams[0], seams[-1])))
            looks = {tuple(preset.values[v] for v in look): n for n, look in enumerate(preset.shows.tolist())}
            wide = [(2 * x,) for x in range(-1, length + 1)]
            exact = exactly(preset, [looks[piece] for piece in pieces], wide)
            complete = complete_system(exact)
            everything = set(on_locations(exact, complete).roots())
            for type_ in exact.types:
                last = max(n for n, (t, _) in enumerate(complete) if t == type_)
                fewer = [equation for n, equation in enumerate(complete) if n != last]
                assert set(on_locations(exact, fewer).roots()) == everything
                tried += 1
    assert tried > 80
