"""Puzzles given to packages from PyPI that solve them themselves, and to CPMpy, whose back ends do."""

import importlib
from typing import Any

from compare_tools_shapes import Answer, Json, around, givens, options, placement, seams, units


def py_sudoku(puzzle: Json) -> Answer:
    """Plain Python, depth first."""
    high, wide = puzzle["box"]
    board = [[number or None for number in row] for row in puzzle["givens"]]
    solved = importlib.import_module("sudoku").Sudoku(wide, high, board=board).solve()
    return _by_row(solved.board) if solved.board[0][0] is not None else None


def dokusan(puzzle: Json) -> Answer:
    """Plain Python, the steps that people take, then depth first; 9×9 only."""
    boards: Any = importlib.import_module("dokusan.boards")
    solvers: Any = importlib.import_module("dokusan.solvers")
    board = boards.Sudoku.from_list(puzzle["givens"], box_size=boards.BoxSize(3, 3))
    cells = sorted(solvers.backtrack(board).cells(), key=lambda cell: (cell.position.row, cell.position.column))
    return {"values": [cell.value for cell in cells]}


def _board(kind: str, *arguments: Any, **named: Any) -> Any:
    """The first answer of multi-puzzle-solver, which looks for all."""
    module: Any = importlib.import_module(f"puzzle_solver.puzzles.{kind}.{kind}")
    found = module.Board(*arguments, **named).solve_and_print(verbose=False)
    return found[0].assignment if found else None


def multi_sudoku(puzzle: Json) -> Answer:
    """Numbers above nine are letters."""
    numpy: Any = importlib.import_module("numpy")
    letters = " 123456789" + "".join(chr(ord("a") + i) for i in range(16))
    board = numpy.array([[letters[number] for number in row] for row in puzzle["givens"]])
    found = _board("sudoku", board, block_size=tuple(puzzle["box"]))
    return found and {"values": [found[key] for key in sorted(found, key=lambda at: (at.y, at.x))]}


def multi_nonogram(puzzle: Json) -> Answer:
    """Runs by column and row."""
    found = _board("nonograms", top=puzzle["cols"], side=puzzle["rows"])
    return found and {"values": [int(found[key]) for key in sorted(found, key=lambda at: (at.y, at.x))]}


def multi_slitherlink(puzzle: Json) -> Answer:
    """Its answer names the sides of cells by their first letters."""
    numpy: Any = importlib.import_module("numpy")
    clues = puzzle["clues"]
    rows, cols = len(clues), len(clues[0])
    found = _board("slitherlink", numpy.array([[" " if clue is None else str(clue) for clue in row] for row in clues]))
    if found is None:
        return None
    values = [0] * ((rows + 1) * cols + rows * (cols + 1))
    for at, sides in found.items():
        edge = dict(zip("UDLR", around(rows, cols, at.y, at.x), strict=True))
        for side in sides:
            values[edge[side]] = 1
    return {"values": values}


def cpmpy_sudoku(puzzle: Json, back_end: str) -> Answer:
    """All different, as in CPMpy's manual."""
    cp: Any = importlib.import_module("cpmpy")
    n = puzzle["n"]
    cells = cp.intvar(1, n, shape=n * n)
    model = cp.Model([cp.AllDifferent([cells[cell] for cell in unit]) for unit in units(puzzle)])
    model += [cells[cell] == value for cell, value in enumerate(givens(puzzle)) if value]
    return {"values": [int(value) for value in cells.value()]} if model.solve(solver=back_end) else None


def cpmpy_tiles(puzzle: Json, back_end: str) -> Answer:
    """For every cell a row of a table: the option taken, the tile, its four colours."""
    cp: Any = importlib.import_module("cpmpy")
    every = options(puzzle)
    count = puzzle["rows"] * puzzle["cols"]
    most = max(max(tile) for tile in puzzle["tiles"])
    taken, tile = cp.intvar(0, len(every) - 1, shape=count), cp.intvar(0, count - 1, shape=count)
    sides = cp.intvar(0, most, shape=(count, 4))
    table: dict[int, list[list[int]]] = {}
    for number, option in enumerate(every):
        table.setdefault(option.cell, []).append([number, option.tile, *option.sides])
    model = cp.Model(cp.AllDifferent(tile))
    model += [cp.Table([taken[cell], tile[cell], *sides[cell]], table[cell]) for cell in range(count)]
    model += [sides[a, side] == sides[b, other] for a, b, side, other in seams(puzzle)]
    return placement(puzzle, [every[number] for number in taken.value()]) if model.solve(solver=back_end) else None


def _by_row(board: Any) -> Json:
    return {"values": [number for row in board for number in row]}
