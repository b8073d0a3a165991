"""Tetris as a small text: ``tetris``, then ``goal 100``, ``seed 7`` and the like, then rows of . and #."""

from typing import Any

from ...core.errors import BadInput
from ...core.kind import Format
from ...core.puzzle import Puzzle
from ...core.source import Source
from .tetris import GOAL, PIECES, Tetris, board_lines, from_lines

HEADER = "tetris"
NUMBERS = {"goal": GOAL, "seed": 0, "preview": 0}


def detect(source: Source) -> bool:
    """By its first line."""
    if source.folder is not None or not source.is_text:
        return False
    return source.text.lstrip().partition("\n")[0].strip().lower() == HEADER


def read(source: Source, settings: Any) -> list[Puzzle]:
    """Settings may be left out and come in any order; the rows come last."""
    lines = [(number, line.strip()) for number, line in enumerate(source.text.splitlines(), start=1) if line.strip()]
    if not lines or lines[0][1].lower() != HEADER:
        raise BadInput(f"{source.name} does not begin with the line 'tetris'")
    numbers, pieces = dict(NUMBERS), PIECES
    board: list[str] = []
    first = 0  # the line of the first row
    for number, line in lines[1:]:
        name, _, given = line.partition(" ")
        if line[0] in ".#":
            first = first or number
            if number != first + len(board):
                raise BadInput(f"line {number}: the rows of the board follow each other without a gap")
            board.append(line)
        elif board:
            raise BadInput(f"line {number}: after the rows of the board comes nothing else, not {line[:20]!r}")
        elif name == "pieces":
            pieces = given.strip()
        elif name in numbers:
            if not (given.strip().isascii() and given.strip().isdigit() and len(given) < 25):
                raise BadInput(f"line {number}: the {name} is a whole number, not {given[:20]!r}")
            numbers[name] = int(given.strip())
        else:
            raise BadInput(
                f"line {number}: goal, seed, pieces, preview or a row of . and # comes here, not {line[:20]!r}"
            )
    if not board:
        raise BadInput(f"{source.name} shows no board: a line of . and # for each row")
    for number, line in enumerate(board, start=first):
        if len(line) != len(board[0]):
            raise BadInput(f"line {number} has {len(line)} cells, but line {first} has {len(board[0])}")
    return [from_lines(board, numbers["goal"], numbers["seed"], pieces, numbers["preview"])]


def write(puzzle: Puzzle) -> bytes:
    """Settings that are the usual ones are left out."""
    assert isinstance(puzzle, Tetris)
    found = {"goal": puzzle.goal, "seed": puzzle.seed, "preview": puzzle.preview}
    said = [f"{name} {number}" for name, number in found.items() if number != NUMBERS[name]]
    said += [f"pieces {puzzle.pieces}"] if puzzle.pieces != PIECES else []
    return ("\n".join([HEADER, *said, *board_lines(puzzle)]) + "\n").encode()


FORMATS = (Format("tetris", "Tetris as text: goal, seed, and rows of . and #", detect, read, write, suffix="txt"),)
