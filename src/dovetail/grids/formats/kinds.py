"""The formats of every kind, as ``Kind.formats`` returns them, and what else a kind asks of its formats.

The first format of a kind is the one whose complaints are heard about a text that none of them recognises.
"""

from ...core.errors import BadInput, BadUsage
from ...core.kind import Format
from ...core.puzzle import Assignment, Puzzle, Solution
from ...core.source import Source
from ...core.tatham import solve_moves
from ...core.text import at, encoded, first_line, line_by_line
from ..kind import GridPuzzle
from ..puzzles.nonogram import Nonogram
from ..puzzles.sudoku import Sudoku
from . import janko, nonogram_text, pzpr, sudoku_text, tatham


def links(puzzle: Puzzle) -> dict[str, str]:
    """Where a browser shows the puzzle, by the name of the player; none where a player has no words for it."""
    found = {}
    for name, address in (("puzz.link", pzpr.address), ("tatham", tatham.address)):
        try:
            found[name] = address(puzzle)
        except BadUsage:
            continue
    return found


def read_solutions(source: Source, puzzle: Puzzle) -> list[Solution] | None:
    """Solutions in a community format; None if it is none that is known.

    Solving moves of Simon Tatham's collection, filled sudokus, goals of .non files, and the JSON of ``janko``.
    """
    if not source.is_text:
        return None
    if janko.kind_of(source) == puzzle.kind:
        return [*janko.read_solutions(source, puzzle)]
    if isinstance(puzzle, Nonogram) and nonogram_text.is_non(source):
        return [*nonogram_text.read_goals(source, puzzle)]
    if (moves := solve_moves(source)) is not None:
        return [_solved(place, puzzle, move) for place, move in moves]
    found = sudoku_text.read_solutions(source, puzzle) if isinstance(puzzle, Sudoku) else None
    return None if found is None else [*found]


def _solved(place: str, puzzle: Puzzle, move: str) -> Assignment:
    with at(place):
        return tatham.solution(puzzle, move)


def _pzpr(kind: str) -> Format:
    def read(text: str) -> GridPuzzle:
        puzzle = pzpr.read(text)
        if puzzle.kind != kind:
            raise BadInput(f"this is the address of a {puzzle.kind} puzzle, not {kind}")
        return puzzle

    return Format(
        "pzpr", "addresses of puzz.link and other pzpr players, one a line",
        lambda source: pzpr.kind_of(first_line(source)) == kind, line_by_line(read), encoded(pzpr.address),
    )  # fmt: skip


def _janko(kind: str) -> Format:
    return Format(
        "janko", "JSON: problems by name, as texts",
        lambda source: janko.kind_of(source) == kind, lambda source, settings: [*janko.read(source, kind)],
        encoded(janko.write),
    )  # fmt: skip


_LINE = Format(
    "line", "all cells on one line, one sudoku a line",
    sudoku_text.is_lines, lambda source, settings: [*sudoku_text.read(source)], encoded(sudoku_text.write_line), "txt",
)  # fmt: skip
_GRID = Format(
    "grid", "a row a line, with or without lines between the boxes",
    sudoku_text.is_grid, lambda source, settings: [*sudoku_text.read(source)], encoded(sudoku_text.write_grid),
)  # fmt: skip
_NON = Format(
    "non", ".non files, with colours, one or many with ==== between them",
    nonogram_text.is_non, lambda source, settings: [*nonogram_text.read_non(source)], encoded(nonogram_text.write_non),
)  # fmt: skip
_LIST = Format(
    "list", "numbers of the rows, a blank line, numbers of the columns",
    nonogram_text.is_list, lambda source, settings: [*nonogram_text.read_list(source)],
    encoded(nonogram_text.write_list), "txt",
)  # fmt: skip

SUDOKU_FORMATS = (_LINE, _GRID, _pzpr("sudoku"), tatham.COLLECTION.format("sudoku"))
KAKURO_FORMATS = (_pzpr("kakuro"), _janko("kakuro"))
CALCUDOKU_FORMATS = (tatham.COLLECTION.format("calcudoku"),)
LIGHTUP_FORMATS = (_pzpr("lightup"), tatham.COLLECTION.format("lightup"))
SLITHERLINK_FORMATS = (_pzpr("slitherlink"), tatham.COLLECTION.format("slitherlink"))
NUMBERLINK_FORMATS = (_pzpr("numberlink"), _janko("numberlink"))
NONOGRAM_FORMATS = (_NON, _LIST, _pzpr("nonogram"), tatham.COLLECTION.format("nonogram"))
