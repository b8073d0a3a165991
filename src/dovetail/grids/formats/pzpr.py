"""Addresses of puzz.link, pzv.jp and every other pzpr player: ``https://puzz.link/p?sudoku/9/9/…``.

``read`` takes any host (or none: ``p?…``), the old ``p.html?``, a mark of the editor (``_edit``), an empty flag and a
``/`` at the end. ``address`` writes as pzprjs itself does, with the host puzz.link; so a text comes back as it was,
except that

- the host is puzz.link and the name the usual one (akari for lightup, numlin for numberlink and for arukone/e);
- a clue in the last cell of a slitherlink or akari, and a kakuro without some sum, are written as pzprjs does today;
- a ``?`` in a slitherlink, which says nothing, is left out.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from ...core.errors import BadInput, BadUsage
from ...core.puzzle import Puzzle
from ...core.text import Code, size
from ..kind import GridPuzzle
from ..puzzles.kakuro import Kakuro
from ..puzzles.lightup import PLAIN, WHITE, Lightup
from ..puzzles.nonogram import BLACK, Line, Nonogram
from ..puzzles.numberlink import Numberlink
from ..puzzles.slitherlink import NO_CLUE, Slitherlink
from ..puzzles.sudoku import Sudoku, boxes
from .pzpr_cells import (
    BLANK,
    UNKNOWN,
    read_clues,
    read_numbers,
    read_sums,
    write_clues,
    write_numbers,
    write_sums,
)  # fmt: skip

HOST = "https://puzz.link/p"
_NAMES = {
    "sudoku": "sudoku", "kakuro": "kakuro", "nonogram": "nonogram", "akari": "lightup", "lightup": "lightup",
    "bijutsukan": "lightup", "slither": "slitherlink", "slitherlink": "slitherlink", "numlin": "numberlink",
    "numberlink": "numberlink", "arukone": "numberlink",
}  # fmt: skip
_ADDRESS = re.compile(
    r"(?:https?://[^\s?]+|[\w./-]*)\?(?:\w+=\w+&)*(?:m\+)?(?P<name>[a-z]+)(?:_edit|_test|_play)?/(?P<rest>\S*)"
)


@dataclass(frozen=True)
class _Parts:
    """An address taken apart."""

    name: str
    flags: str
    rows: int
    cols: int
    body: Code


def kind_of(text: str) -> str | None:
    """The kind of puzzle that an address shows; None if it is no address, or of a kind that is not known here."""
    found = _ADDRESS.fullmatch(text)
    return _NAMES.get(found["name"]) if found else None


def read(text: str) -> GridPuzzle:
    """The puzzle of an address."""
    kind = kind_of(text)
    if kind is None:
        raise BadInput(f"{text[:60]!r} is no puzz.link address of a kind that is read ({', '.join(_NAMES)})")
    parts = _taken_apart(text)
    allowed = {"arukone": "e", "slither": "f"}.get(parts.name, "")
    for flag in parts.flags:
        if flag not in allowed:
            raise BadInput(f"the flag {flag!r} before the size asks for a variant of {kind} that is not read")
    return _READERS[kind](parts)


def address(puzzle: Puzzle) -> str:
    """Where a player shows the puzzle; BadUsage if such addresses have no words for it."""
    if puzzle.kind not in _WRITERS:
        raise BadUsage(f"there are no puzz.link addresses of {puzzle.kind} puzzles")
    text = f"{HOST}?{_WRITERS[puzzle.kind](puzzle)}"
    return text if text[-1].isalnum() else f"{text}/"


def _taken_apart(text: str) -> _Parts:
    found = _ADDRESS.fullmatch(text)
    assert found is not None
    parts = found["rest"].split("/")
    flags = "" if parts[0].isdigit() else parts.pop(0)
    if len(parts) < 3:
        raise BadInput("the address ends before its cells: the size is followed by nothing")
    cols, rows = size(parts[0], "columns"), size(parts[1], "rows")
    start = len(text) - len("/".join(parts[2:]))
    body = "/".join(parts[2:]).removesuffix("/")
    return _Parts(found["name"], flags, rows, cols, Code(body, start + 1))


def _place(cell: int, cols: int) -> str:
    return f"row {cell // cols + 1}, column {cell % cols + 1}"


def _givens(parts: _Parts) -> tuple[int, ...]:
    """Numbers from 1; 0 where there is none."""
    values = read_numbers(parts.body, parts.rows * parts.cols)
    for cell, value in enumerate(values):
        if value in (0, UNKNOWN):
            raise BadInput(f"{_place(cell, parts.cols)}: a number is 1 or more, not {'?' if value else 0}")
    return tuple(0 if value == BLANK else value for value in values)


def _read_sudoku(parts: _Parts) -> Sudoku:
    n = parts.cols
    if parts.rows != n:
        raise BadInput(f"a sudoku is a square, not {parts.rows}x{parts.cols}")
    box = _box(n)
    if box is None:
        raise BadInput(f"of {n}x{n} cells the boxes of a sudoku are not known; addresses have 4, 6, 9, 16 or 25 rows")
    return Sudoku(n, _givens(parts), boxes(*box))


def _box(n: int) -> tuple[int, int] | None:
    """The boxes that a player draws: rows and columns of one."""
    if n == 6:
        return 2, 3
    side = math.isqrt(n)
    return (side, side) if 4 <= n <= 25 and side * side == n else None


def _write_sudoku(puzzle: Sudoku) -> str:
    n = puzzle.n
    if puzzle.diagonals or puzzle.cages:
        raise BadUsage("a puzz.link sudoku has no diagonals and no cages")
    if puzzle.box is None or puzzle.box != _box(n):
        raise BadUsage("a puzz.link sudoku has square boxes, or boxes of 2x3 on a 6x6 board")
    return f"sudoku/{n}/{n}/{write_numbers(given or BLANK for given in puzzle.givens)}"


def _read_kakuro(parts: _Parts) -> Kakuro:
    return Kakuro(parts.rows + 1, parts.cols + 1, tuple(read_sums(parts.body, parts.rows, parts.cols)))


def _write_kakuro(puzzle: Kakuro) -> str:
    rows, cols = puzzle.rows, puzzle.cols
    edge = [*range(cols), *range(0, rows * cols, cols)]
    if white := [cell for cell in edge if puzzle.cells[cell] is None]:
        place = _place(white[0], cols)
        raise BadUsage(f"a puzz.link kakuro has a black top row and left column, and {place} is white")
    return f"kakuro/{cols - 1}/{rows - 1}/{write_sums(puzzle.cells, rows, cols)}"


def _read_lightup(parts: _Parts) -> Lightup:
    meaning = {BLANK: WHITE, UNKNOWN: PLAIN}
    values = read_clues(parts.body, parts.rows * parts.cols)
    return Lightup(parts.rows, parts.cols, tuple(meaning.get(value, value) for value in values))


def _write_lightup(puzzle: Lightup) -> str:
    meaning = {WHITE: BLANK, PLAIN: UNKNOWN}
    return f"akari/{puzzle.cols}/{puzzle.rows}/{write_clues([meaning.get(value, value) for value in puzzle.cells])}"


def _read_slitherlink(parts: _Parts) -> Slitherlink:
    values = read_clues(parts.body, parts.rows * parts.cols)
    clues = tuple(NO_CLUE if value < 0 else value for value in values)
    return Slitherlink(parts.rows, parts.cols, clues, full="f" in parts.flags)


def _write_slitherlink(puzzle: Slitherlink) -> str:
    clues = [BLANK if clue == NO_CLUE else clue for clue in puzzle.clues]
    return f"slither/{'f/' if puzzle.full else ''}{puzzle.cols}/{puzzle.rows}/{write_clues(clues)}"


def _read_numberlink(parts: _Parts) -> Numberlink:
    fill = parts.name == "arukone" and "e" not in parts.flags
    return Numberlink(parts.rows, parts.cols, _givens(parts), fill)


def _write_numberlink(puzzle: Numberlink) -> str:
    name = "arukone" if puzzle.fill else "numlin"
    return f"{name}/{puzzle.cols}/{puzzle.rows}/{write_numbers(label or BLANK for label in puzzle.labels)}"


def _read_nonogram(parts: _Parts) -> Nonogram:
    """Columns first, each in as many places as it can have runs, the last run first."""
    down, across = (parts.rows + 1) // 2, (parts.cols + 1) // 2
    places = parts.cols * down + parts.rows * across
    values = read_numbers(parts.body, places, "places for clues")
    cols = [values[start : start + down] for start in range(0, parts.cols * down, down)]
    rows = [values[start : start + across] for start in range(parts.cols * down, places, across)]
    return Nonogram(
        tuple(_line(f"row {number}", line) for number, line in enumerate(rows, start=1)),
        tuple(_line(f"column {number}", line) for number, line in enumerate(cols, start=1)),
    )


def _line(place: str, values: list[int]) -> Line:
    if UNKNOWN in values:
        raise BadInput(f"{place}: a nonogram tells the length of every run, and here is a '?'")
    return tuple((value, 1) for value in reversed(values) if value != BLANK)


def _write_nonogram(puzzle: Nonogram) -> str:
    if puzzle.colours != BLACK:
        raise BadUsage("a puzz.link nonogram is black and white")
    rows, cols = len(puzzle.rows), len(puzzle.cols)
    values: list[int] = []
    for lines, room in ((puzzle.cols, (rows + 1) // 2), (puzzle.rows, (cols + 1) // 2)):
        for line in lines:
            values += [length for length, _ in reversed(line)] + [BLANK] * (room - len(line))
    return f"nonogram/{cols}/{rows}/{write_numbers(values)}"


_READERS: dict[str, Callable[[_Parts], GridPuzzle]] = {
    "sudoku": _read_sudoku,
    "kakuro": _read_kakuro,
    "lightup": _read_lightup,
    "slitherlink": _read_slitherlink,
    "numberlink": _read_numberlink,
    "nonogram": _read_nonogram,
}
_WRITERS: dict[str, Callable[..., str]] = {
    "sudoku": _write_sudoku,
    "kakuro": _write_kakuro,
    "lightup": _write_lightup,
    "slitherlink": _write_slitherlink,
    "numberlink": _write_numberlink,
    "nonogram": _write_nonogram,
}
