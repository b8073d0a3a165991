"""Every solution one step away from a given one, by the shape of the solution alone."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from dovetail.core.puzzle import EMPTY, Assignment, Locations, Moves, Placement, Solution

MOST_PAIRS = 3000  # of cells; of larger boards so many are tried


def mutations(solution: Solution) -> Iterator[tuple[str, Solution]]:
    """Named, so that a checker that accepts one can be told which."""
    match solution:
        case Placement():
            return _placements(solution)
        case Assignment():
            return _assignments(solution)
        case Moves():
            return _moves(solution)
        case Locations():
            return _locations(solution)


def _placements(solution: Placement) -> Iterator[tuple[str, Solution]]:
    cells = [(r, c) for r, row in enumerate(solution.pieces) for c in range(len(row))]

    def changed(changes: dict[tuple[int, int], tuple[int, int]]) -> Placement:
        pieces, turns = [list(row) for row in solution.pieces], [list(row) for row in solution.turns]
        for (r, c), (piece, turn) in changes.items():
            pieces[r][c], turns[r][c] = piece, turn
        return Placement(tuple(map(tuple, pieces)), tuple(map(tuple, turns)))

    at = {(r, c): (solution.pieces[r][c], solution.turns[r][c]) for r, c in cells}
    for cell in cells:
        piece, turn = at[cell]
        yield f"empty {cell}", changed({cell: (EMPTY, 0)})
        for turns in (1, 2, 3):
            yield f"turn {cell} by {turns}", changed({cell: (piece, (turn + turns) % 4)})
    pairs = [*combinations(cells, 2)]
    if len(pairs) > MOST_PAIRS:
        pairs = random.Random(len(pairs)).sample(pairs, MOST_PAIRS)
    for one, other in pairs:
        yield f"swap {one} and {other}", changed({one: at[other], other: at[one]})
        yield f"copy {one} to {other}", changed({other: at[one]})


def _assignments(solution: Assignment) -> Iterator[tuple[str, Solution]]:
    domain = sorted({v for v in solution.values if v is not None})
    for i, value in enumerate(solution.values):
        for other in (None, *domain, domain[-1] + 1):
            if other != value:
                values = (*solution.values[:i], other, *solution.values[i + 1 :])
                yield f"variable {i} from {value} to {other}", replace(solution, values=values)


def _moves(solution: Moves) -> Iterator[tuple[str, Solution]]:
    for i in range(len(solution.moves)):
        yield f"without move {i}", Moves(solution.moves[:i] + solution.moves[i + 1 :])


def _locations(solution: Locations) -> Iterator[tuple[str, Solution]]:
    yield "without the last piece", Locations(solution.at[:-1])
    for i, (x, y) in enumerate(solution.at):
        for dx, dy in ((0.01, 0.0), (0.0, -0.01), (1.0, 0.0), (0.0, 1.0), (-2.5, 3.5)):
            moved = (*solution.at[:i], (x + dx, y + dy), *solution.at[i + 1 :])
            yield f"piece {i} moved by {dx}, {dy}", Locations(moved)
    for i, j in combinations(range(len(solution.at)), 2):
        at = [*solution.at]
        at[i], at[j] = at[j], at[i]
        yield f"swap {i} and {j}", Locations(tuple(at))
