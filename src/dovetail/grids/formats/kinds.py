"""The formats of every kind, as ``Kind.formats`` returns them, and what else a kind asks of its formats.

The first format of a kind is the one whose complaints are heard about a text that none of them recognises.
"""

from collections.abc import Callable
from typing import Any

from ...core.errors import BadInput, BadUsage
from ...core.kind import Format
from ...core.puzzle import Assignment, Puzzle, Solution
from ...core.source import Source
from ..kind import GridPuzzle
from ..puzzles.nonogram import Nonogram
from ..puzzles.sudoku import Sudoku
from . import janko, nonogram_text, pzpr, sudoku_text, tatham
from .tatham_games import GAMES
from .text import at, first_line, numbered_lines


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
    if (moves := _moves(source)) is not None:
        return [_solved(place, puzzle, move) for place, move in moves]
    found = sudoku_text.read_solutions(source, puzzle) if isinstance(puzzle, Sudoku) else None
    return None if found is None else [*found]


def _moves(source: Source) -> list[tuple[str, str]] | None:
    """The solving moves of a text with their places; None if a line is none."""
    found = []
    for place, line in numbered_lines(source):
        try:
            move = tatham.solve_move(line)
        except BadInput:
            return None
        if move is None:
            return None
        found.append((place, move))
    return found or None


def _solved(place: str, puzzle: Puzzle, move: str) -> Assignment:
    with at(place):
        return tatham.solution(puzzle, move)


def _line_by_line(read: Callable[[str], GridPuzzle]) -> Callable[[Source, Any], list[Puzzle]]:
    """A reader of files with one puzzle a line."""

    def reader(source: Source, settings: Any) -> list[Puzzle]:
        puzzles: list[Puzzle] = []
        for place, line in numbered_lines(source):
            with at(place):
                puzzles.append(read(line))
        return puzzles

    return reader


def _encoded(write: Callable[[Any], str]) -> Callable[[Puzzle], bytes]:
    return lambda puzzle: (write(puzzle) + "\n").encode()


def _pzpr(kind: str) -> Format:
    def read(text: str) -> GridPuzzle:
        puzzle = pzpr.read(text)
        if puzzle.kind != kind:
            raise BadInput(f"this is the address of a {puzzle.kind} puzzle, not {kind}")
        return puzzle

    return Format(
        "pzpr", "addresses of puzz.link and other pzpr players, one a line",
        lambda source: pzpr.kind_of(first_line(source)) == kind, _line_by_line(read), _encoded(pzpr.address),
    )  # fmt: skip


def _tatham(kind: str) -> Format:
    (game,) = (name for name, game in GAMES.items() if game.kind == kind)
    return Format(
        "tatham", f"ids of the game {game} of Simon Tatham's collection, one a line, and their JSON lines",
        lambda source: tatham.game_of(first_line(source)) == game, _line_by_line(lambda text: tatham.read(text, game)),
        _encoded(tatham.game_id),
    )  # fmt: skip


def _janko(kind: str) -> Format:
    return Format(
        "janko", "JSON: problems by name, as texts",
        lambda source: janko.kind_of(source) == kind, lambda source, settings: [*janko.read(source, kind)],
        _encoded(janko.write),
    )  # fmt: skip


_LINE = Format(
    "line", "all cells on one line, one sudoku a line",
    sudoku_text.is_lines, lambda source, settings: [*sudoku_text.read(source)], _encoded(sudoku_text.write_line), "txt",
)  # fmt: skip
_GRID = Format(
    "grid", "a row a line, with or without lines between the boxes",
    sudoku_text.is_grid, lambda source, settings: [*sudoku_text.read(source)], _encoded(sudoku_text.write_grid),
)  # fmt: skip
_NON = Format(
    "non", ".non files, with colours, one or many with ==== between them",
    nonogram_text.is_non, lambda source, settings: [*nonogram_text.read_non(source)], _encoded(nonogram_text.write_non),
)  # fmt: skip
_LIST = Format(
    "list", "numbers of the rows, a blank line, numbers of the columns",
    nonogram_text.is_list, lambda source, settings: [*nonogram_text.read_list(source)],
    _encoded(nonogram_text.write_list), "txt",
)  # fmt: skip

SUDOKU_FORMATS = (_LINE, _GRID, _pzpr("sudoku"), _tatham("sudoku"))
KAKURO_FORMATS = (_pzpr("kakuro"), _janko("kakuro"))
CALCUDOKU_FORMATS = (_tatham("calcudoku"),)
LIGHTUP_FORMATS = (_pzpr("lightup"), _tatham("lightup"))
SLITHERLINK_FORMATS = (_pzpr("slitherlink"), _tatham("slitherlink"))
NUMBERLINK_FORMATS = (_pzpr("numberlink"), _janko("numberlink"))
NONOGRAM_FORMATS = (_NON, _LIST, _pzpr("nonogram"), _tatham("nonogram"))
