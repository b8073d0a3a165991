"""Kakuro and numberlink as JSON: an object of names, each with a ``problem`` and perhaps its ``solution``, as texts.

Both are a line ``rows columns`` and a line for each row. In a kakuro 0 is white and ``12,`` ``,7`` ``12,7`` are black,
sum downwards and to the right; in a numberlink numbers are the ends. ``-`` is a cell with nothing in it. A solution
shows the digits, or the sides of every cell (n, e, s, w) through which a path runs.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from ...core.errors import BadInput, BadUsage
from ...core.puzzle import Assignment, Puzzle
from ...core.source import Source
from ...core.text import at, size
from ..kind import GridPuzzle
from ..puzzles.kakuro import Clue, Kakuro
from ..puzzles.numberlink import Numberlink

_BLACK = re.compile(r"([0-9]{0,4}),([0-9]{0,4})")
_OPPOSITE = {"e": "w", "s": "n"}


def kind_of(source: Source) -> str | None:
    """Which of the two kinds a file holds, by its first problem; None if it is no such file."""
    if not (source.is_text and source.text.lstrip().startswith("{") and '"problem"' in source.text):
        return None
    try:
        problem = next(iter(_entries(source).values()))["problem"]
    except BadInput:
        return None
    cells = {*problem.split()[2:]}
    if "0" in cells:  # every kakuro has a white cell, and no numberlink a 0
        return "kakuro" if all(cell in ("-", "0") or "," in cell for cell in cells) else None
    return "numberlink" if cells and all(cell == "-" or cell.isdigit() for cell in cells) else None


def read(source: Source, kind: str) -> list[GridPuzzle]:
    """Every puzzle of a file."""
    puzzles = []
    for name, entry in _entries(source).items():
        with at(f"{source.name}, {name[:40]}"):
            puzzles.append(puzzle_of(entry["problem"], kind))
    return puzzles


def puzzle_of(problem: str, kind: str) -> GridPuzzle:
    """The puzzle of a problem's text."""
    rows, cols, words = _board(problem)
    if kind == "kakuro":
        return Kakuro(rows, cols, tuple(_kakuro_cell(word, cell, cols) for cell, word in enumerate(words)))
    return Numberlink(rows, cols, tuple(_label(word, cell, cols) for cell, word in enumerate(words)))


def solution(puzzle: Puzzle, text: str) -> Assignment:
    """The solution of a solution's text."""
    rows, cols, words = _board(text)
    match puzzle:
        case Kakuro():
            _same_size(puzzle, rows, cols)
            digits = [words[cell] for cell in puzzle.white]
            if not all(digit in ("-", *"123456789") for digit in digits):
                raise BadInput("a solution has a digit in every white cell")
            return Assignment(tuple(None if digit == "-" else int(digit) for digit in digits))
        case Numberlink():
            _same_size(puzzle, rows, cols)
            return _links(rows, cols, words)
    raise BadUsage(f"there are no such solutions of {puzzle.kind} puzzles")


def read_solutions(source: Source, puzzle: Puzzle) -> list[Assignment]:
    """The solutions that a file gives."""
    found = []
    for name, entry in _entries(source).items():
        with at(f"{source.name}, {name[:40]}"):
            if "solution" not in entry:
                raise BadInput("there is no solution")
            found.append(solution(puzzle, entry["solution"]))
    return found


def problem(puzzle: Puzzle) -> str:
    """The text of a puzzle's problem."""
    match puzzle:
        case Kakuro():
            words = ["0" if clue is None else _black(clue) for clue in puzzle.cells]
        case Numberlink():
            if puzzle.fill:
                raise BadUsage("this format has no words for a numberlink that must fill the board")
            words = [str(label or "-") for label in puzzle.labels]
        case _:
            raise BadUsage(f"there are no such problems of {puzzle.kind} puzzles")
    lines = [words[start : start + puzzle.cols] for start in range(0, len(words), puzzle.cols)]
    return "\n".join([f"{puzzle.rows} {puzzle.cols}", *(" ".join(line) for line in lines)])


def write(puzzle: Puzzle) -> str:
    """A file with one puzzle."""
    return json.dumps({f"{puzzle.kind}_{puzzle.size}": {"problem": problem(puzzle)}})


def _entries(source: Source) -> Mapping[str, dict[str, str]]:
    """The entries of a file by name, checked to be texts."""
    try:
        data: Any = json.loads(source.text)
    except (ValueError, RecursionError):
        raise BadInput(f"{source.name} is not valid JSON") from None
    if not isinstance(data, dict) or not data:
        raise BadInput(f"{source.name} is not an object of problems by name")
    for name, entry in data.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("problem"), str):
            raise BadInput(f"{source.name}, {name[:40]}: there is no text 'problem'")
        if not isinstance(entry.get("solution", ""), str):
            raise BadInput(f"{source.name}, {name[:40]}: the solution is not a text")
    return data


def _board(text: str) -> tuple[int, int, list[str]]:
    """Rows, columns, and the word in every cell."""
    first, *lines = text.strip().split("\n")
    sides = first.split()
    if len(sides) != 2:
        raise BadInput(f"the first line gives rows and columns, not {first[:20]!r}")
    rows, cols = size(sides[0], "rows"), size(sides[1], "columns")
    if len(lines) != rows:
        raise BadInput(f"there are {len(lines)} lines for {rows} rows")
    words = [line.split() for line in lines]
    for number, row in enumerate(words, start=1):
        if len(row) != cols:
            raise BadInput(f"row {number} has {len(row)} cells, not {cols}")
    return rows, cols, [word for row in words for word in row]


def _place(cell: int, cols: int) -> str:
    return f"row {cell // cols + 1}, column {cell % cols + 1}"


def _kakuro_cell(word: str, cell: int, cols: int) -> Clue | None:
    if word in ("0", "-"):
        return None if word == "0" else (0, 0)
    sums = _BLACK.fullmatch(word)
    if sums is None:
        raise BadInput(f"{_place(cell, cols)}: a cell is 0, - or sums like 12,7, not {word[:20]!r}")
    return int(sums[1] or 0), int(sums[2] or 0)


def _black(clue: Clue) -> str:
    return "-" if clue == (0, 0) else ",".join(str(total or "") for total in clue)


def _label(word: str, cell: int, cols: int) -> int:
    if word == "-":
        return 0
    if not (word.isascii() and word.isdigit() and len(word) <= 4 and int(word) > 0):
        raise BadInput(f"{_place(cell, cols)}: a cell is - or a number from 1, not {word[:20]!r}")
    return int(word)


def _same_size(puzzle: Kakuro | Numberlink, rows: int, cols: int) -> None:
    if (puzzle.rows, puzzle.cols) != (rows, cols):
        raise BadInput(f"a solution of {rows}x{cols} cells does not fit a puzzle of {puzzle.size}")


def _links(rows: int, cols: int, words: list[str]) -> Assignment:
    """Every link is said twice, from both its cells."""
    sides = [{*word} - {"-"} for word in words]
    links = [(row * cols + col, row * cols + col + 1, "e") for row in range(rows) for col in range(cols - 1)]
    links += [(row * cols + col, (row + 1) * cols + col, "s") for row in range(rows - 1) for col in range(cols)]
    for one, other, side in links:
        if (side in sides[one]) != (_OPPOSITE[side] in sides[other]):
            raise BadInput(f"{_place(one, cols)} and {_place(other, cols)}: only one of them has the path between them")
    if sum(map(len, sides)) != 2 * sum(side in sides[one] for one, _, side in links):
        raise BadInput("a path leaves the board, or a side is none of n, e, s, w")
    return Assignment(tuple(int(side in sides[one]) for one, _, side in links))
