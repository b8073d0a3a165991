"""Korf's list: a line a tray, ``id t0 … t15 optimal``; also lines of the tiles alone. Lines with # are remarks."""

import math
from collections.abc import Iterator
from typing import Any

from ...core.errors import BadInput, BadUsage
from ...core.kind import Format
from ...core.puzzle import Puzzle
from ...core.source import Source
from .fifteen import MOST_SIDE, Fifteen

SIDES = range(3, MOST_SIDE + 1)  # four numbers on a line may be anything
_LOOKED_AT = 8000  # characters, to tell whether it is such a list


def is_list(source: Source) -> bool:
    """Whether every line holds a square tray; the first ones are looked at."""
    if not source.is_text:
        return False
    lines = source.text[:_LOOKED_AT].split("\n")
    if len(source.text) > _LOOKED_AT and len(lines) > 1:
        del lines[-1]  # it may be cut
    trays = [_tray(line) for _, line in _filled(lines)]
    return bool(trays) and all(tray is not None and sorted(tray) == [*range(len(tray))] for tray in trays)


def _filled(lines: list[str]) -> Iterator[tuple[int, str]]:
    return ((n, line) for n, line in enumerate(lines, start=1) if line.strip() and not line.lstrip().startswith("#"))


def _tray(line: str) -> list[int] | None:
    """The tiles of a line: all its numbers, or those after its number and before the length of the best play."""
    words = line.replace(",", " ").split()
    if not all(word.isascii() and word.isdigit() and len(word) <= 9 for word in words):
        return None
    for around in (0, 1, 2):
        side = math.isqrt(max(0, len(words) - around))
        if side in SIDES and side * side + around == len(words):
            first = min(around, 1)
            return [int(word) for word in words[first : first + side * side]]
    return None


def read(source: Source, settings: Any) -> list[Puzzle]:
    """Every tray of the list."""
    found: list[Puzzle] = []
    for number, line in _filled(source.text.split("\n")):
        tray = _tray(line)
        if tray is None:
            raise BadInput(
                f"{source.name}, line {number}: a line of Korf's list is the 9, 16, 25 … numbers of a square tray, "
                "with a number before and the length of the best play behind, if they are known"
            )
        side = math.isqrt(len(tray))
        try:
            found.append(Fifteen(side, side, tuple(tray), settings.blank == "first"))
        except BadInput as error:
            raise BadInput(f"{source.name}, line {number}: {error}") from None
    if not found:
        raise BadInput(f"{source.name} holds no tray")
    return found


def write(puzzle: Puzzle) -> bytes:
    """The tiles alone, on one line."""
    assert isinstance(puzzle, Fifteen)
    if puzzle.rows != puzzle.cols or puzzle.rows not in SIDES:
        raise BadUsage(f"Korf's list has square trays of 3 rows or more, not {puzzle.size}")
    if not puzzle.blank_first:
        raise BadUsage("in Korf's list the gap belongs first, and in this tray it belongs last")
    return (" ".join(str(tile) for tile in puzzle.tiles) + "\n").encode()


KORF = Format("korf", "Korf's list of sliding-tile puzzles", is_list, read, write)
