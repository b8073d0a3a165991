"""Nonograms as text: ``.non`` files, one or many with ``====`` between them, and plain lists of numbers.

A plain list has the rows' numbers, a line each, then a blank line (or ``&``), then the columns'; 0 is a line without
runs. ``.non`` is Steve Simpson's format with the colours of the nonogram database.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from ...core.errors import BadInput, BadUsage
from ...core.puzzle import Assignment
from ...core.source import Source
from ...core.text import at, size
from ..draw import PALETTE
from ..puzzles.nonogram import BLACK, Line, Nonogram

_BUNDLE = re.compile(r"^====+\s*$", re.MULTILINE)
_KEYS = re.compile(r"^(?:width|height|rows|columns)\b", re.MULTILINE)
_HALVES = re.compile(r"\n[ \t\r]*(?:&[ \t\r]*)?\n(?:[ \t\r]*\n)*|\n[ \t\r]*&[ \t\r]*\n")
_NUMBERS = re.compile(r"[0-9]{1,4}(?:[ \t,]+[0-9]{1,4})*")
_RUN = re.compile(r"([0-9]{1,4})\s*([a-z]?)")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass
class _File:
    """What a ``.non`` file says, as texts."""

    clues: dict[str, list[str]] = field(default_factory=dict)  # of rows and columns
    sides: dict[str, int] = field(default_factory=dict)  # width and height
    colours: dict[str, str] = field(default_factory=dict)  # by letter
    goal: str | None = None


def is_non(source: Source) -> bool:
    """Whether the keys of a ``.non`` file are there."""
    return source.is_text and {*_KEYS.findall(source.text[:100_000])} == {"width", "height", "rows", "columns"}


def read_non(source: Source) -> list[Nonogram]:
    """Every nonogram of the file."""
    return [puzzle for puzzle, _ in _bundle(source)]


def read_goals(source: Source, puzzle: Nonogram) -> list[Assignment]:
    """The pictures that a file gives as ``goal``."""
    cells = len(puzzle.rows) * len(puzzle.cols)
    found = []
    for _, goal in _bundle(source):
        if goal is None or len(goal) != cells:
            raise BadInput(f"{source.name}: there is no goal with {cells} cells")
        found.append(Assignment(goal))
    return found


def _bundle(source: Source) -> list[tuple[Nonogram, tuple[int, ...] | None]]:
    """Every nonogram with its goal."""
    texts = [text for text in _BUNDLE.split(source.text) if text.strip()]
    found = []
    for number, text in enumerate(texts, start=1):
        with at(source.name if len(texts) == 1 else f"{source.name}, nonogram {number}"):
            file = _parsed(text)
            puzzle, letters = _nonogram(file)
            found.append((puzzle, _goal(file.goal, letters)))
    return found


def _goal(text: str | None, letters: Sequence[str]) -> tuple[int, ...] | None:
    if text is None:
        return None
    values = {letter: number for number, letter in enumerate(letters, start=1)} | {"0": 0}
    if len(letters) == 1:
        values["1"] = 1
    if not {*text} <= {*values}:
        raise BadInput(f"the goal has {min({*text} - {*values})!r} for a cell, which is neither 0 nor a colour")
    return tuple(values[letter] for letter in text)


def _parsed(text: str) -> _File:
    """Keys in any order; a key that is not known is left out."""
    file = _File()
    lines = iter(text.removesuffix("\n").split("\n"))
    for line in lines:
        key, _, value = line.strip().partition(" ")
        value = value.strip()
        if key in ("width", "height"):
            file.sides[key] = size(value, "columns" if key == "width" else "rows")
        elif key in ("rows", "columns"):
            side = "height" if key == "rows" else "width"
            if side not in file.sides:
                raise BadInput(f"{side} must be given before {key}")
            clues = [clue.strip() for clue in islice(lines, file.sides[side])]
            if len(clues) < file.sides[side]:
                raise BadInput(f"the file ends after {len(clues)} of {file.sides[side]} {key}")
            file.clues[key] = clues
        elif key in ("color", "colour"):
            colour = re.fullmatch(r"([a-z])\s+(#[0-9a-fA-F]{6})", value)
            if colour is None:
                raise BadInput(f"a colour is a letter and a value like #ff8000, not {value[:20]!r}")
            file.colours[colour[1]] = colour[2]
        elif key == "goal":
            file.goal = value.strip('"')
    return file


def _nonogram(file: _File) -> tuple[Nonogram, list[str]]:
    """The puzzle, and the letters of its colours."""
    lines: dict[str, list[list[tuple[int, str]]]] = {}
    for key in ("rows", "columns"):
        if key not in file.clues:
            raise BadInput(f"there are no {key}")
        lines[key] = [_runs(f"{key[:-1]} {n}", text) for n, text in enumerate(file.clues[key], start=1)]
    used = {letter for of in lines.values() for line in of for _, letter in line}
    if used <= {""} and not file.colours:
        return Nonogram(_numbered(lines["rows"], [""]), _numbered(lines["columns"], [""])), [""]
    if "" in used:
        raise BadInput("some runs have no colour, though colours are given")
    letters = [*file.colours] or sorted(used)
    if not used <= {*letters}:
        raise BadInput(f"the colour {min(used - {*letters})!r} is used but not given")
    colours = [file.colours.get(letter, PALETTE[number % len(PALETTE)]) for number, letter in enumerate(letters)]
    return Nonogram(_numbered(lines["rows"], letters), _numbered(lines["columns"], letters), tuple(colours)), letters


def _runs(place: str, text: str) -> list[tuple[int, str]]:
    """The runs of a line with the letters of their colours; none for a blank line or 0."""
    found: list[tuple[int, str]] = []
    for part in re.split(r"[\s,]+", text) if text not in ("", "0") else ():
        run = _RUN.fullmatch(part)
        if run is None:
            raise BadInput(f"{place}: a run is a number, and perhaps a letter for its colour, not {part[:20]!r}")
        found.append((int(run[1]), run[2]))
    return found


def _numbered(lines: Sequence[Sequence[tuple[int, str]]], letters: Sequence[str]) -> tuple[Line, ...]:
    return tuple(tuple((length, letters.index(letter) + 1) for length, letter in line) for line in lines)


def write_non(puzzle: Nonogram) -> str:
    """A ``.non`` file; colours are a, b, c in the order of the puzzle."""
    plain = puzzle.colours == BLACK
    if len(puzzle.colours) > len(_LETTERS):
        raise BadUsage(f"a .non file has letters for {len(_LETTERS)} colours, and this has {len(puzzle.colours)}")

    def clue(line: Line) -> str:
        return ",".join(f"{length}{'' if plain else _LETTERS[colour - 1]}" for length, colour in line) or "0"

    colours = (
        [] if plain else [f"color {letter} {colour}" for letter, colour in zip(_LETTERS, puzzle.colours, strict=False)]
    )
    parts = [*colours, f"width {len(puzzle.cols)}", f"height {len(puzzle.rows)}", "", "rows", *map(clue, puzzle.rows)]
    return "\n".join([*parts, "", "columns", *map(clue, puzzle.cols)])


def is_list(source: Source) -> bool:
    """Whether there are two blocks of numbers that fill as many cells by rows as by columns."""
    if not source.is_text:
        return False
    halves = _HALVES.split(source.text.strip())
    if len(halves) != 2 or not all(_NUMBERS.fullmatch(line.strip()) for half in halves for line in half.split("\n")):
        return False
    rows, cols = (sum(map(int, re.findall("[0-9]+", half))) for half in halves)
    return rows == cols > 0


def read_list(source: Source) -> list[Nonogram]:
    """The nonogram of a plain list."""
    with at(source.name):
        halves = _HALVES.split(source.text.strip())
        if len(halves) != 2:
            raise BadInput("a list has the rows, a blank line, and the columns; a line without runs is 0")
        rows, cols = (half.split("\n") for half in halves)
        return [
            Nonogram(
                _numbered([_plain(f"row {n}", text) for n, text in enumerate(rows, start=1)], [""]),
                _numbered([_plain(f"column {n}", text) for n, text in enumerate(cols, start=1)], [""]),
            )
        ]


def _plain(place: str, text: str) -> list[tuple[int, str]]:
    runs = _runs(place, text.strip())
    if any(letter for _, letter in runs):
        raise BadInput(f"{place}: a list has no colours, and here is {text.strip()[:20]!r}")
    return runs


def write_list(puzzle: Nonogram) -> str:
    """A plain list."""
    if puzzle.colours != BLACK:
        raise BadUsage("a plain list has no words for colours")
    rows, cols = (
        "\n".join(" ".join(str(length) for length, _ in line) or "0" for line in lines)
        for lines in (puzzle.rows, puzzle.cols)
    )
    return f"{rows}\n\n{cols}"
