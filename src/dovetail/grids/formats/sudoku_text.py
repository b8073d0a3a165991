"""Sudokus as people write them: all cells on one line, or a grid with or without lines between its boxes.

A blank is a dot, a zero or an underscore. Above nine rows a line has letters: A is 10, as in ``1…9A…G``; but where
letters stand alone and go beyond that, A is 1 (``A…P``), and where 0 stands beside other blanks, digits count from 0
(``0…F``). A grid may have numbers with spaces between them instead. The lines of a grid show its boxes; without them
they are the usual ones, 3x3 of nine rows, 2x3 of six.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...core import limits
from ...core.errors import BadInput, BadUsage
from ...core.puzzle import Assignment
from ...core.source import Source
from ...core.text import at, numbered_lines
from ..puzzles.sudoku import Sudoku, boxes

MOST = limits.SUDOKU_SIDE
SIDES = tuple(n for n in range(4, MOST + 1) if any(n % side == 0 for side in range(2, n)))
BLANKS = "._0"
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BORDER = re.compile(r"[-+=|*:\s]*[-+=][-+=|*:\s]*")
_BLANK_LINE = re.compile(r"\n\s*\n")
_SEPARATOR = re.compile(r"[\s,;]+")
_LOOKED_AT = 8000  # characters, to tell whether it is a sudoku


def usual_box(n: int) -> tuple[int, int]:
    """Rows and columns of the boxes of a sudoku that says nothing of them: as near to a square as can be."""
    rows = next(side for side in range(math.isqrt(n), 0, -1) if n % side == 0)
    return rows, n // rows


def is_lines(source: Source) -> bool:
    """Whether every line begins with the cells of a sudoku; the first ones are looked at."""
    if not source.is_text:
        return False
    lines = source.text[:_LOOKED_AT].split("\n")
    if len(source.text) > _LOOKED_AT and len(lines) > 1:
        del lines[-1]  # it may be cut
    words = [_SEPARATOR.split(line.strip())[0] for line in lines if line.strip() and not line.startswith("#")]
    return bool(words) and all(_is_cells(word) for word in words)


def _is_cells(word: str) -> bool:
    n = math.isqrt(len(word))
    if n * n != len(word) or n not in SIDES or not word.isascii():
        return False
    letters = set(word.upper()) - set(BLANKS)
    if n <= 9:
        return letters <= set(_DIGITS[1 : n + 1])
    return letters <= set(_DIGITS[: n + 10]) and any(letter in "._0123456789" for letter in word)


def is_grid(source: Source) -> bool:
    """Whether the rows of a text have one length, with signs that only sudokus have."""
    if not source.is_text:
        return False
    text = source.text[:_LOOKED_AT].strip()
    for part in (text, _BLANK_LINE.split(text)[0]):
        lines = [line for line in part.split("\n") if line.strip()]
        rows = [line for line in lines if not _BORDER.fullmatch(line)]
        n = len(rows)
        cells = [_cells(row, n) for row in rows]
        if n not in SIDES or any(len(row) != n or not all(_is_word(word, n) for word in row) for row in cells):
            continue
        marked = any("|" in line for line in lines) or any(word in "._" for row in cells for word in row)
        digits = ([word for word in row if word != "0"] for row in cells)
        return marked or (n > 4 and all(len({*row}) == len(row) for row in digits))
    return False


def _is_word(word: str, n: int) -> bool:
    letter = n > 9 and len(word) == 1 and word.isascii() and word.isalpha()
    return word in BLANKS or letter or (_is_number(word) and int(word) <= n)


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 2


def _cells(line: str, n: int) -> list[str]:
    """The words of a row, if there are so many, else its characters."""
    words = line.replace("|", " ").split()
    return words if len(words) == n else [*"".join(words)]


def read(source: Source) -> list[Sudoku]:
    """Every sudoku of a text, with the boxes that it shows, or the usual ones."""
    return [_sudoku(found) for found in _boards(source)]


def read_solutions(source: Source, puzzle: Sudoku) -> list[Assignment] | None:
    """Filled sudokus of the same size; blanks are still open. None if the text holds none."""
    if not (is_lines(source) or is_grid(source)):
        return None
    boards = _boards(source)
    for board in boards:
        if board.n != puzzle.n:
            raise BadInput(f"{board.place}: a solution of {board.n} rows does not fit a sudoku of {puzzle.n}")
    return [Assignment(tuple(value or None for value in board.numbers)) for board in boards]


@dataclass(frozen=True)
class _Board:
    """The numbers of a board, 0 for a blank, and the boxes, where the text shows them."""

    place: str
    n: int
    numbers: tuple[int, ...]
    box_rows: int | None = None
    box_cols: int | None = None


def _sudoku(board: _Board) -> Sudoku:
    n, box_rows, box_cols = board.n, board.box_rows, board.box_cols
    if box_rows is None and box_cols is None:
        box_rows, box_cols = usual_box(n)
    box_rows, box_cols = box_rows or n // (box_cols or 1), box_cols or n // (box_rows or 1)
    with at(board.place):
        if box_rows * box_cols != n:
            raise BadInput(f"boxes of {box_rows}x{box_cols} cells do not fit a sudoku of {n} rows")
        return Sudoku(n, board.numbers, boxes(box_rows, box_cols))


def _boards(source: Source) -> list[_Board]:
    """On one line each if the first line is too long for a row of a grid, or the only one; else grids."""
    lines = numbered_lines(source)
    row = len(lines) > 1 and len(_SEPARATOR.split(lines[0][1])[0].replace("|", "")) <= MOST
    if row and not is_lines(source):
        return _grids(source)
    boards = []
    for place, line in lines:
        if not line.startswith("#"):
            with at(place):
                word = _SEPARATOR.split(line)[0]
                n = _side(word)
                boards.append(_Board(place, n, tuple(_numbers(word, n))))
    return boards


def _side(word: str) -> int:
    n = math.isqrt(len(word))
    if n * n != len(word) or n not in SIDES or not word.isascii():
        raise BadInput(f"a sudoku on one line has 16, 36, 81, 256 or 625 characters, not {len(word)}")
    return n


def _numbers(word: str, n: int) -> list[int]:
    """The numbers that the characters of a sudoku stand for, 0 for a blank."""
    letters = set(word.upper()) - set(BLANKS)
    digits, blanks = _DIGITS[1 : n + 1], BLANKS
    alone = n > 9 and letters and all(letter.isalpha() for letter in letters)
    if alone and not letters <= set(digits):
        digits = _DIGITS[10 : n + 10]
    elif n > 9 and "0" in word and set(word) & set("._") and digits[-1] not in letters:
        digits, blanks = _DIGITS[:n], "._"
    meaning = {digit: value for value, digit in enumerate(digits, start=1)} | dict.fromkeys(blanks, 0)
    numbers = [meaning.get(letter, -1) for letter in word.upper()]
    if -1 in numbers:
        index = numbers.index(-1)
        place = f"row {index // n + 1}, column {index % n + 1}"
        raise BadInput(f"{place}: {word[index]!r} is neither a blank nor one of {digits[0]} to {digits[-1]}")
    return numbers


def write_line(puzzle: Sudoku) -> str:
    """All cells on one line: for up to nine rows and the usual boxes."""
    _refuse_variants(puzzle)
    if puzzle.n > 9:
        raise BadUsage(f"a line has one digit for every cell, and this sudoku has {puzzle.n} rows; write a grid")
    if puzzle.box != usual_box(puzzle.n):
        raise BadUsage("a line does not show boxes other than the usual ones; write a grid")
    return "".join(str(given or ".") for given in puzzle.givens)


def _refuse_variants(puzzle: Sudoku) -> None:
    if puzzle.diagonals or puzzle.cages or puzzle.box is None or 1 in puzzle.box:
        raise BadUsage("a plain sudoku text has no words for diagonals, cages and jigsaw regions")


def _grids(source: Source) -> list[_Board]:
    """All grids of a text, with blank lines between them (or, of a single one, between its boxes)."""
    blocks = [block.split("\n") for block in _BLANK_LINE.split(source.text.strip())]
    rows = [line for block in blocks for line in block if not _BORDER.fullmatch(line)]
    if len(blocks) > 1 and len(_cells(rows[0], len(rows))) == len(rows):
        blocks = [[line for block in blocks for line in (*block, "---")][:-1]]
    boards = []
    for number, block in enumerate(blocks, start=1):
        place = source.name if len(blocks) == 1 else f"{source.name}, grid {number}"
        with at(place):
            boards.append(_grid(place, block))
    return boards


def _grid(place: str, lines: Sequence[str]) -> _Board:
    borders = [bool(_BORDER.fullmatch(line)) for line in lines]
    texts = [line for line, border in zip(lines, borders, strict=True) if not border]
    n = len(texts)
    if n not in SIDES:
        raise BadInput(f"a sudoku has 4, 6, 9, 16 or 25 rows, or another product of two sides of a box, not {n}")
    rows = [_cells(text, n) for text in texts]
    for number, row in enumerate(rows, start=1):
        if len(row) != n:
            raise BadInput(f"row {number} has {len(row)} cells, and there are {n} rows")
    words = [word for row in rows for word in row]
    if all(len(word) == 1 for word in words):
        numbers = _numbers("".join(words), n)
    else:
        numbers = [0 if word in BLANKS else _number(word, index, n) for index, word in enumerate(words)]
    widths = [len(_cells(part, 0)) for part in texts[0].split("|") if part.strip()]
    if len(words) != sum(len(word) for word in words):
        widths = [len(part.split()) for part in texts[0].split("|") if part.strip()]
    return _Board(place, n, tuple(numbers), _regular(_heights(borders), "rows"), _regular(widths, "columns"))


def _number(word: str, index: int, n: int) -> int:
    if not _is_number(word):
        raise BadInput(f"row {index // n + 1}, column {index % n + 1}: {word!r} is neither a blank nor a number")
    return int(word)


def _heights(borders: Sequence[bool]) -> list[int]:
    """How many rows there are between two lines."""
    marks = "".join("-" if border else "x" for border in borders)
    return [len(part) for part in marks.split("-") if part]


def _regular(parts: Sequence[int], what: str) -> int | None:
    """The size of a box, if lines show it."""
    if len(parts) < 2:
        return None
    if len({*parts}) > 1:
        raise BadInput(f"the lines of the grid leave {' and '.join(map(str, sorted({*parts})))} {what} to its boxes")
    return parts[0]


def write_grid(puzzle: Sudoku) -> str:
    """A grid with lines between the boxes, and spaces between the numbers."""
    _refuse_variants(puzzle)
    assert puzzle.box is not None
    (box_rows, box_cols), n = puzzle.box, puzzle.n
    width = len(str(n))
    lines = []
    for row in range(n):
        words = [str(given or ".").rjust(width) for given in puzzle.givens[row * n : (row + 1) * n]]
        boxed = [" ".join(words[start : start + box_cols]) for start in range(0, n, box_cols)]
        if row and row % box_rows == 0:
            lines.append("-+-".join("-" * len(part) for part in boxed))
        lines.append(" | ".join(boxed))
    return "\n".join(lines)
