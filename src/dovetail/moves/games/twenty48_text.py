"""2048 as a text: the line ``2048``, then the board row by row, and the goal and the seed if they are not the usual."""

from typing import Any

from ...core.errors import BadInput, BadUsage
from ...core.kind import Format
from ...core.puzzle import Puzzle
from ...core.source import Source
from .twenty48 import SIDES, Game2048, exponent

HEADER = "2048"
WORDS = ("goal", "seed")
_LOOKED_AT = 200  # bytes: the header and some more


def is_text(source: Source) -> bool:
    """Whether the first line says so."""
    return (
        source.folder is None
        and source.data[:_LOOKED_AT].decode("utf-8-sig", "replace").split("\n")[0].strip() == HEADER
    )


def read(source: Source, settings: Any) -> list[Puzzle]:
    """One puzzle."""
    lines = [(number, line.split()) for number, line in enumerate(source.text.split("\n"), start=1) if line.strip()]
    if not lines or lines[0][1] != [HEADER]:
        raise BadInput(f"{source.name} does not begin with a line {HEADER!r}")
    board: list[list[int]] = []
    told: dict[str, int] = {}
    for number, words in lines[1:]:
        if words[0] in WORDS:
            if len(words) != 2 or words[0] in told:
                raise BadInput(f"line {number}: {words[0]!r} is said once, with one number")
            told[words[0]] = _number(words[1], f"line {number}")
        elif told:
            raise BadInput(f"line {number}: after the board come 'goal' and 'seed' only, not {words[0][:20]!r}")
        else:
            board.append([_tile(word, f"line {number}, column {col}") for col, word in enumerate(words, start=1)])
            if len(board[-1]) != len(board[0]):
                raise BadInput(f"line {number} has {len(board[-1])} cells, but the first row has {len(board[0])}")
    if not board:
        raise BadInput(f"{source.name} has no board: {SIDES[1]} rows of tiles, as 0 or . where there is none")
    cells = tuple(tile for row in board for tile in row)
    return [Game2048(cells, told.get("goal", 2048), told.get("seed", 0), len(board), len(board[0]))]


def write(puzzle: Puzzle) -> bytes:
    """The board with its columns below each other."""
    if not isinstance(puzzle, Game2048):
        raise BadUsage(f"this text is for 2048, not for {puzzle.kind}")
    tiles = [str(1 << tile) if tile else "." for tile in puzzle.cells]
    wide = max(map(len, tiles))
    rows = [tiles[start : start + puzzle.cols] for start in range(0, len(tiles), puzzle.cols)]
    lines = [HEADER, *(" ".join(tile.rjust(wide) for tile in row) for row in rows)]
    return "\n".join([*lines, f"goal {puzzle.goal}", f"seed {puzzle.seed}", ""]).encode()


def _tile(word: str, place: str) -> int:
    return 0 if word == "." else exponent(_number(word, place), place)


def _number(word: str, place: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 20):
        raise BadInput(f"{place}: {word[:20]!r} is no whole number")
    return int(word)


FORMAT = Format("2048", "the board as a text", is_text, read, write, suffix="txt")
