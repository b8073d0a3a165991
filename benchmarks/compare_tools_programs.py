"""Puzzles as mixed-integer linear programs: for SciPy's HiGHS, and sudoku as PuLP's own manual has it, for CBC."""

import importlib
from typing import Any

from compare_tools_shapes import Answer, Json, givens, options, placement, seams, units

Rows = list[tuple[list[tuple[int, int]], int]]  # each a sum of variables and factors, and what it must be


def _solved(count: int, rows: Rows) -> list[int] | None:
    """The variables that are 1, of so many that are 0 or 1 each; nothing is minimised."""
    numpy: Any = importlib.import_module("numpy")
    optimize: Any = importlib.import_module("scipy.optimize")
    sparse: Any = importlib.import_module("scipy.sparse")
    at = [(number, variable, factor) for number, (terms, _) in enumerate(rows) for variable, factor in terms]
    where, which, factors = zip(*at, strict=True)
    matrix = sparse.csr_array((factors, (where, which)), shape=(len(rows), count))
    equal = [right for _, right in rows]
    found = optimize.milp(
        numpy.zeros(count),
        constraints=optimize.LinearConstraint(matrix, equal, equal),
        integrality=numpy.ones(count),
        bounds=optimize.Bounds(0, 1),
    )
    return None if found.x is None else [variable for variable in range(count) if found.x[variable] > 0.5]


def sudoku(puzzle: Json) -> Answer:
    """Whether a cell has a number."""
    n = puzzle["n"]
    rows: Rows = [([(cell * n + number, 1) for number in range(n)], 1) for cell in range(n * n)]
    rows += [([(cell * n + number, 1) for cell in unit], 1) for unit in units(puzzle) for number in range(n)]
    rows += [([(cell * n + value - 1, 1)], 1) for cell, value in enumerate(givens(puzzle)) if value]
    found = _solved(n**3, rows)
    return found and {"values": [variable % n + 1 for variable in sorted(found)]}


def tiles(puzzle: Json) -> Answer:
    """Whether a tile lies in a cell, in a turn; at every seam as much of a colour on both sides."""
    every = options(puzzle)
    by_cell: dict[int, list[int]] = {}
    by_tile: dict[int, list[int]] = {}
    for number, option in enumerate(every):
        by_cell.setdefault(option.cell, []).append(number)
        by_tile.setdefault(option.tile, []).append(number)
    rows: Rows = [([(number, 1) for number in group], 1) for group in (*by_cell.values(), *by_tile.values())]
    for a, b, side, other in seams(puzzle):
        terms: dict[int, list[tuple[int, int]]] = {}
        for cell, which, factor in ((a, side, 1), (b, other, -1)):
            for number in by_cell[cell]:
                terms.setdefault(every[number].sides[which], []).append((number, factor))
        rows += [(each, 0) for each in terms.values()]
    found = _solved(len(every), rows)
    return None if found is None else placement(puzzle, [every[number] for number in found])


def sudoku_pulp(puzzle: Json) -> Answer:
    """The model of PuLP's case study, solved by the CBC that comes with it."""
    pulp: Any = importlib.import_module("pulp")
    n = puzzle["n"]
    problem = pulp.LpProblem("Sudoku", pulp.LpMinimize)
    chosen = pulp.LpVariable.dicts("x", (range(n * n), range(1, n + 1)), cat="Binary")
    for cell in range(n * n):
        problem += pulp.lpSum(chosen[cell][value] for value in range(1, n + 1)) == 1
    for unit in units(puzzle):
        for value in range(1, n + 1):
            problem += pulp.lpSum(chosen[cell][value] for cell in unit) == 1
    for cell, value in enumerate(givens(puzzle)):
        if value:
            problem += chosen[cell][value] == 1
    problem.solve(pulp.PULP_CBC_CMD(msg=False))
    if pulp.LpStatus[problem.status] != "Optimal":
        return None
    picked = [max(range(1, n + 1), key=lambda value: chosen[cell][value].value() or 0) for cell in range(n * n)]
    return {"values": picked}
