"""Sudokus as Dovetail's JSON has them."""

from collections.abc import Mapping
from typing import Any

from ...core.errors import BadInput
from .sudoku import LEAST, MOST, Cage, Sudoku, boxes


def decode(data: Mapping[str, Any]) -> Sudoku:
    """From what ``Sudoku.encode`` wrote."""
    n, diagonals, cages = data.get("n"), data.get("diagonals", False), data.get("cages", [])
    if type(n) is not int or not LEAST <= n <= MOST:
        raise BadInput(f"a sudoku puzzle needs a whole number 'n' from {LEAST} to {MOST}")
    if not isinstance(diagonals, bool):
        raise BadInput("'diagonals' is true or false")
    if not isinstance(cages, list):
        raise BadInput("'cages' is not a list of cages")
    regions = _decode_box(data["box"], n) if "box" in data else _decode_rows(data.get("regions"), n, "regions")
    decoded = tuple(_decode_cage(cage, number) for number, cage in enumerate(cages, start=1))
    return Sudoku(n, _decode_rows(data.get("givens"), n, "givens"), regions, diagonals, decoded)


def _decode_rows(rows: Any, n: int, key: str) -> tuple[int, ...]:
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise BadInput(f"a sudoku puzzle needs {key!r}, a list of rows of whole numbers")
    if len(rows) != n:
        raise BadInput(f"{key!r} has {len(rows)} rows; a {n}x{n} sudoku has {n}")
    for number, row in enumerate(rows, start=1):
        if len(row) != n:
            raise BadInput(f"row {number} of {key!r} has {len(row)} cells; a {n}x{n} sudoku has {n}")
        for col, value in enumerate(row, start=1):
            if type(value) is not int:
                raise BadInput(f"row {number}, column {col} of {key!r} is not a whole number")
    return tuple(value for row in rows for value in row)


def _decode_box(box: Any, n: int) -> tuple[int, ...]:
    if not isinstance(box, list) or len(box) != 2 or not all(type(side) is int and side > 0 for side in box):
        raise BadInput("'box' is not a list of two whole numbers: rows and columns of a box")
    if box[0] * box[1] != n:
        raise BadInput(f"boxes of {box[0]}x{box[1]} cells do not fit a {n}x{n} sudoku")
    return boxes(box[0], box[1])


def _decode_cage(cage: Any, number: int) -> Cage:
    if not isinstance(cage, dict):
        raise BadInput(f"cage {number} is not an object with a total and cells")
    total, cells = cage.get("total"), cage.get("cells")
    if type(total) is not int:
        raise BadInput(f"cage {number} needs a whole number 'total'")
    if not isinstance(cells, list) or not all(type(cell) is int for cell in cells):
        raise BadInput(f"cage {number} needs a list 'cells' of whole numbers")
    return Cage(total, tuple(cells))
