"""The five games of Simon Tatham's collection that are logic grids here: their parameters and descriptions.

Parameters that only tell the generator what to make (difficulty, symmetry, how many black cells) are read and
forgotten: the collection leaves them out, too, when it shows the id of a game.
"""

import re

from ...core import limits
from ...core.errors import BadInput, BadUsage
from ...core.tatham import SIZE, Game, at_commas, width_height
from ...core.text import Code, size
from ..puzzles import calcudoku
from ..puzzles.calcudoku import Calcudoku
from ..puzzles.lightup import PLAIN, WHITE, Lightup
from ..puzzles.nonogram import BLACK, Line, Nonogram
from ..puzzles.slitherlink import NO_CLUE, Slitherlink
from ..puzzles.sudoku import Cage, Sudoku, boxes
from .tatham_codes import read_blocks, read_cells, read_grid, write_blocks, write_cells, write_grid

_OPERATIONS = {"a": "+", "s": "-", "m": "*", "d": "/"}
_CLUE = re.compile(r"[asmd][0-9]{1,9}")
_MOST_KILLER = 9  # rows, as the collection has it
_LIGHTUP = {"0": 0, "1": 1, "2": 2, "3": 3, "4": 4, "B": PLAIN}
_LOOPY = {str(clue): clue for clue in range(5)}


def _refuse_larger(n: int, most: int) -> int:
    """The rows of a board, before anything is made that has as many cells."""
    if n > most:
        raise BadInput(f"a board has at most {most} rows here, not {n}")
    return n


def _read_solo(parameters: re.Match[str], code: Code) -> Sudoku:
    height, width = width_height(parameters)  # of a box: so it is called here, c rows and r columns
    kinds = re.sub("d[a-z]", "", parameters["kinds"])
    jigsaw, diagonals, killer = ("j" in kinds), ("x" in kinds), ("k" in kinds)
    if jigsaw and parameters["height"] is None:
        width = 1
    n = _refuse_larger(width * height, limits.SUDOKU_SIDE)
    wanted = ("the givens", *["the regions"] * jigsaw, *["the cages", "the sums of the cages"] * killer)
    givens, *parts = at_commas(code, wanted)
    values = tuple(read_grid(givens, n * n))
    regions = tuple(read_blocks(parts.pop(0), n)) if jigsaw else boxes(height, width)
    cages = _read_cages(parts[0], parts[1], n) if killer else ()
    return Sudoku(n, values, regions, diagonals, cages)


def _read_cages(code: Code, sums: Code, n: int) -> tuple[Cage, ...]:
    """The sum of a cage stands in its first cell."""
    blocks = read_blocks(code, n)
    totals = read_grid(sums, n * n)
    cells: dict[int, list[int]] = {}
    for cell, block in enumerate(blocks):
        cells.setdefault(block, []).append(cell)
    for cell, total in enumerate(totals):
        if bool(total) != (cells[blocks[cell]][0] == cell):
            problem = "a sum that is not in the first cell of its cage" if total else "a cage without a sum"
            raise BadInput(f"row {cell // n + 1}, column {cell % n + 1}: {problem}")
    return tuple(Cage(totals[of[0]], tuple(of)) for of in cells.values())


def _write_solo(puzzle: Sudoku) -> tuple[str, str]:
    n = puzzle.n
    parts = [write_grid(puzzle.givens)]
    parameters = f"{n}j" if puzzle.box is None or 1 in puzzle.box else f"{puzzle.box[0]}x{puzzle.box[1]}"
    if parameters == f"{n}j":
        parts.append(write_blocks(puzzle.regions, n, repeats=False))
    if puzzle.diagonals:
        parameters += "x"
        if n < 4:
            raise BadUsage("the game solo has diagonals from 4 rows on")
    if puzzle.cages:
        parameters += "k"
        parts += _write_cages(puzzle)
    return parameters, ",".join(parts)


def _write_cages(puzzle: Sudoku) -> tuple[str, str]:
    n = puzzle.n
    block = {cell: number for number, cage in enumerate(puzzle.cages) for cell in cage.cells}
    if n > _MOST_KILLER:
        raise BadUsage(f"the game solo has cages up to {_MOST_KILLER} rows, not {n}")
    if len(block) < n * n or any(len(cage.cells) < 2 for cage in puzzle.cages):
        raise BadUsage("the game solo needs every cell in a cage, and two cells or more in each")
    totals = {min(cage.cells): cage.total for cage in puzzle.cages}
    cells = range(n * n)
    return write_blocks([block[cell] for cell in cells], n, repeats=False), write_grid(
        [totals.get(c, 0) for c in cells]
    )


def _read_keen(parameters: re.Match[str], code: Code) -> Calcudoku:
    n = _refuse_larger(size(parameters["width"], "rows"), limits.CALCUDOKU_SIDE)
    structure, clues = at_commas(code, ("the cages", "the clues"))
    cells: dict[int, list[int]] = {}
    for cell, block in enumerate(read_blocks(structure, n)):
        cells.setdefault(block, []).append(cell)
    cages: list[calcudoku.Cage] = []
    index = 0
    for of in cells.values():
        clue = _CLUE.match(clues.text, index)
        if clue is None and index < len(clues.text):
            raise clues.fault(index, "a clue is a, s, m or d and a number")
        if clue is None:
            raise clues.wrong_length(len(cages), len(cells), "clues")
        operation = "=" if len(of) == 1 else _OPERATIONS[clue[0][0]]
        cages.append(calcudoku.Cage(operation, int(clue[0][1:]), tuple(of)))
        index = clue.end()
    if index < len(clues.text):
        raise clues.wrong_length(len(cages) + 1, len(cages), "clues")
    return Calcudoku(n, tuple(cages))


def _write_keen(puzzle: Calcudoku) -> tuple[str, str]:
    if puzzle.n < 3:
        raise BadUsage("the game keen has 3 rows or more")
    letters = {operation: letter for letter, operation in _OPERATIONS.items()} | {"=": "a"}
    cages = sorted(puzzle.cages, key=lambda cage: min(cage.cells))
    block = {cell: number for number, cage in enumerate(cages) for cell in cage.cells}
    structure = write_blocks([block[cell] for cell in range(puzzle.n**2)], puzzle.n, repeats=True)
    return str(puzzle.n), f"{structure},{''.join(f'{letters[cage.operation]}{cage.target}' for cage in cages)}"


def _read_lightup(parameters: re.Match[str], code: Code) -> Lightup:
    width, height = width_height(parameters)
    return Lightup(height, width, tuple(read_cells(code, _LIGHTUP, WHITE, width * height)))


def _write_lightup(puzzle: Lightup) -> tuple[str, str]:
    if min(puzzle.rows, puzzle.cols) < 2:
        raise BadUsage("the game lightup has 2 rows and columns or more")
    letters = {value: letter for letter, value in _LIGHTUP.items()}
    return f"{puzzle.cols}x{puzzle.rows}", write_cells(puzzle.cells, letters, WHITE)


def _read_loopy(parameters: re.Match[str], code: Code) -> Slitherlink:
    width, height = width_height(parameters)
    if parameters["tiling"] not in (None, "0"):
        raise BadInput(f"the grid type t{parameters['tiling']} is not read: only squares are, t0")
    return Slitherlink(height, width, tuple(read_cells(code, _LOOPY, NO_CLUE, width * height)))


def _write_loopy(puzzle: Slitherlink) -> tuple[str, str]:
    if min(puzzle.rows, puzzle.cols) < 3:
        raise BadUsage("the game loopy has 3 rows and columns or more")
    if puzzle.full:
        raise BadUsage("the game loopy has no loops that must pass through every point")
    letters = {value: letter for letter, value in _LOOPY.items()}
    return f"{puzzle.cols}x{puzzle.rows}t0", write_cells(puzzle.clues, letters, NO_CLUE)


def _read_pattern(parameters: re.Match[str], code: Code) -> Nonogram:
    """Columns first."""
    width, height = width_height(parameters)
    (clues,) = at_commas(code, ("the clues",))
    texts = clues.text.split("/")
    if len(texts) != width + height:
        raise clues.wrong_length(len(texts), width + height, "columns and rows")
    lines = [_read_line(text, number, width) for number, text in enumerate(texts, start=1)]
    return Nonogram(tuple(lines[width:]), tuple(lines[:width]))


def _read_line(text: str, number: int, width: int) -> Line:
    place = f"column {number}" if number <= width else f"row {number - width}"
    if re.fullmatch(r"(?:[0-9]{1,4}(?:\.[0-9]{1,4})*)?", text) is None:
        raise BadInput(f"{place}: its runs are numbers with dots between them, not {text[:20]!r}")
    return tuple((int(length), 1) for length in text.split(".") if length)


def _write_pattern(puzzle: Nonogram) -> tuple[str, str]:
    if puzzle.colours != BLACK:
        raise BadUsage("the game pattern is black and white")
    lines = (".".join(str(length) for length, _ in line) for line in (*puzzle.cols, *puzzle.rows))
    return f"{len(puzzle.cols)}x{len(puzzle.rows)}", "/".join(lines)


_DIFFICULTY = "(?:d[a-z])?"
GAMES = {
    "solo": Game("sudoku", SIZE + "(?P<kinds>(?:[jxk]|r[0-9]|md?[0-9]|a|d[a-z])*)", _read_solo, _write_solo),
    "keen": Game("calcudoku", f"(?P<width>[0-9]+){_DIFFICULTY}m?", _read_keen, _write_keen),
    "lightup": Game("lightup", SIZE + "(?:b[0-9]+)?(?:s[0-9]+)?(?:d[0-9]+)?r?", _read_lightup, _write_lightup),
    "loopy": Game("slitherlink", SIZE + f"(?:t(?P<tiling>[0-9]+))?{_DIFFICULTY}", _read_loopy, _write_loopy),
    "pattern": Game("nonogram", SIZE, _read_pattern, _write_pattern),
}
