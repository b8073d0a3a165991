"""The standard file of SameGame boards: a digit a block with spaces between them, colours from 0, row 1 on top, and a
blank line between boards."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from ...core.errors import BadInput, BadUsage
from ...core.kind import Format
from ...core.puzzle import Puzzle
from ...core.source import Source
from .samegame import CLEAR, MOST_COLOURS, SCORE, SameGame

FEWEST = 5  # columns and rows of a board: a smaller one could be a list of tiles
_ROW = re.compile(r"[0-8]( [0-8])+ ?")
_LOOKED_AT = 20_000  # characters


def _is_standard(source: Source) -> bool:
    """Whether it looks like boards that have a move, each of them; of a long file, the first ones."""
    if not source.is_text or not _ROW.match(source.text):
        return False
    boards = [*_boards(source.text[:_LOOKED_AT])]
    if len(source.text) > _LOOKED_AT and len(boards) > 1:
        del boards[-1]  # it may be cut
    return all(_is_board([words for _, words in rows]) for rows in boards)


def _is_board(rows: list[list[str]]) -> bool:
    width = len(rows[0])
    if len(rows) < FEWEST or width < FEWEST or any(len(words) != width for words in rows):
        return False
    if not all(re.fullmatch("[0-8]", word) for words in rows for word in words):
        return False
    lines: list[Sequence[str]] = [*rows, *zip(*rows, strict=True)]
    return any(one == other for words in lines for one, other in pairwise(words))


def _boards(text: str) -> Iterator[list[tuple[int, list[str]]]]:
    """The rows of each board as words, with the numbers of their lines."""
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if words := line.split():
            rows.append((number, words))
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows


def _read(source: Source, settings: Any) -> list[Puzzle]:
    goal = CLEAR if settings.goal == CLEAR else SCORE
    return [_board(source, rows, goal) for rows in _boards(source.text)]


def _board(source: Source, rows: list[tuple[int, list[str]]], goal: str) -> SameGame:
    first, width = rows[0][0], len(rows[0][1])
    for number, words in rows:
        place = f"{source.name}, line {number}"
        if len(words) != width:
            raise BadInput(f"{place}: {len(words)} blocks, but line {first} has {width}")
        for col, word in enumerate(words, start=1):
            if not re.fullmatch("[0-8]", word):
                raise BadInput(
                    f"{place}, column {col}: a block is a digit from 0 to {MOST_COLOURS - 1}, not {word[:20]!r}"
                )
    try:
        return SameGame(len(rows), width, tuple(int(word) + 1 for _, words in rows for word in words), goal)
    except BadInput as error:
        raise BadInput(f"{source.name}, line {first}: {error}") from None


def _write(puzzle: Any) -> bytes:
    if puzzle.goal != SCORE or puzzle.target or puzzle.least != 2:
        raise BadUsage("boards of the standard file are played for points, (n - 2)² a group, without a target")
    if not all(puzzle.cells):
        raise BadUsage("boards of the standard file are full, and this one is not")
    texts = [str(colour - 1) for colour in puzzle.cells]
    rows = [texts[start : start + puzzle.cols] for start in range(0, len(texts), puzzle.cols)]
    if not _is_board(rows):
        raise BadUsage(f"boards of the standard file have {FEWEST} rows and columns or more, and a move")
    return "".join(" ".join(words) + "\n" for words in rows).encode()


STANDARD = Format("samegame", "boards of digits, as in the standard set", _is_standard, _read, _write, "txt")
