"""The solutions of Simon Tatham's collection: the move ``S…`` with which a game solves itself."""

import re
from collections.abc import Callable
from functools import cache

from ...core.errors import BadInput, BadUsage
from ...core.puzzle import Assignment, Puzzle
from ..puzzles.calcudoku import Calcudoku
from ..puzzles.lightup import WHITE, Lightup
from ..puzzles.nonogram import Nonogram
from ..puzzles.slitherlink import Slitherlink
from ..puzzles.sudoku import Sudoku


def solution(puzzle: Puzzle, move: str) -> Assignment:
    """The solution that a solving move gives; what it leaves open is None."""
    if puzzle.kind not in _MOVES:
        raise BadUsage(f"{puzzle.kind} is no game of Simon Tatham's collection")
    if not move.startswith("S"):
        raise BadInput(f"a solving move begins with S, not {move[:1]!r}")
    return Assignment(tuple(_MOVES[puzzle.kind](puzzle, move[1:])))


def _counted(values: list[int | None], wanted: int) -> list[int | None]:
    if len(values) != wanted:
        raise BadInput(f"the solving move gives {len(values)} values, and the puzzle has {wanted}")
    return values


def _solo(puzzle: Sudoku, move: str) -> list[int | None]:
    if re.fullmatch("[0-9]{1,3}(,[0-9]{1,3})*", move) is None:
        raise BadInput("a solving move of solo is S and numbers with commas between them")
    return _counted([int(value) or None for value in move.split(",")], puzzle.n**2)


def _keen(puzzle: Calcudoku, move: str) -> list[int | None]:
    if re.fullmatch("[0-9]*", move) is None:
        raise BadInput("a solving move of keen is S and a digit for every cell")
    return _counted([int(value) or None for value in move], puzzle.n**2)


def _pattern(puzzle: Nonogram, move: str) -> list[int | None]:
    if re.fullmatch("[01]*", move) is None:
        raise BadInput("a solving move of pattern is S and 0 or 1 for every cell")
    return _counted([int(value) for value in move], len(puzzle.rows) * len(puzzle.cols))


def _lightup(puzzle: Lightup, move: str) -> list[int | None]:
    """``L`` sets a bulb, ``I`` a mark that there is none: column, row."""
    bulbs = set()
    for part in move.split(";")[1:]:
        found = re.fullmatch("[LI]([0-9]{1,4}),([0-9]{1,4})", part)
        if found is None:
            raise BadInput(f"a solving move of lightup has parts like L3,4, not {part[:20]!r}")
        row, col = int(found[2]), int(found[1])
        if row >= puzzle.rows or col >= puzzle.cols or puzzle.cells[row * puzzle.cols + col] != WHITE:
            raise BadInput(f"row {row + 1}, column {col + 1}: there is no white cell for the move {part}")
        if part[0] == "L":
            bulbs.add(row * puzzle.cols + col)
    return [int(cell in bulbs) for cell, found in enumerate(puzzle.cells) if found == WHITE]


def _loopy(puzzle: Slitherlink, move: str) -> list[int | None]:
    """Every line by its number: ``y`` for on the loop, ``n`` for not."""
    if re.fullmatch("(?:[0-9]{1,6}[ynu])*", move) is None:
        raise BadInput("a solving move of loopy is S and parts like 12y and 13n")
    lines = _lines(puzzle.rows, puzzle.cols)
    values: list[int | None] = [None] * len(lines)
    for number, state in re.findall("([0-9]+)([ynu])", move):
        if int(number) >= len(lines):
            raise BadInput(f"the solving move names the line {number}, and the board has {len(lines)}")
        values[lines[int(number)]] = {"y": 1, "n": 0}.get(state)
    return values


@cache
def _lines(rows: int, cols: int) -> list[int]:
    """Our line for each of theirs: they number them as they turn up around the cells: above, right, below, left."""
    across = (rows + 1) * cols
    order: dict[int, None] = {}
    for row in range(rows):
        for col in range(cols):
            left = across + row * (cols + 1) + col
            order |= dict.fromkeys((row * cols + col, left + 1, (row + 1) * cols + col, left))
    return [*order]


_MOVES: dict[str, Callable[..., list[int | None]]] = {
    "sudoku": _solo,
    "calcudoku": _keen,
    "nonogram": _pattern,
    "lightup": _lightup,
    "slitherlink": _loopy,
}
