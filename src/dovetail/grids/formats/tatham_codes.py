"""What Simon Tatham's descriptions are made of: grids of numbers, letters for empty runs, lines between blocks."""

import re
from collections.abc import Iterable, Sequence

from ...core.errors import BadUsage
from ...core.text import Code

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LONGEST = len(_LETTERS)
_LONGEST_LINE_RUN = 25  # z is 25 places without a line that go on behind it
_GRID = re.compile(r"[a-z]|_|[1-9][0-9]{0,4}")
_REPEAT = re.compile(r"[0-9]{1,4}")


def read_grid(code: Code, count: int) -> list[int]:
    """Numbers with a letter for every run of cells without one; ``_`` keeps two numbers apart. 0 is no number."""
    found: list[int] = []
    index = 0
    while index < len(code.text):
        token = _GRID.match(code.text, index)
        if token is None:
            raise code.unknown(index)
        if token[0] in _LETTERS:
            found += [0] * (_LETTERS.index(token[0]) + 1)
        elif token[0] != "_":
            found.append(int(token[0]))
        index = token.end()
    if len(found) != count:
        raise code.wrong_length(len(found), count, "cells")
    return found


def write_grid(values: Sequence[int]) -> str:
    """The way back."""
    text, run = "", 0
    for value in values:
        if not value:
            run += 1
            continue
        text += (_empty(run) or ("_" if text else "")) + str(value)
        run = 0
    return text + _empty(run)


def _empty(run: int) -> str:
    longest, rest = divmod(run, _LONGEST)
    return "z" * longest + (_LETTERS[rest - 1] if rest else "")


def read_cells(code: Code, meaning: dict[str, int], empty: int, count: int) -> list[int]:
    """One character a cell, with a letter for every run of empty ones."""
    found: list[int] = []
    for index, letter in enumerate(code.text):
        if letter in meaning:
            found.append(meaning[letter])
        elif letter in _LETTERS:
            found += [empty] * (_LETTERS.index(letter) + 1)
        else:
            raise code.unknown(index)
    if len(found) != count:
        raise code.wrong_length(len(found), count, "cells")
    return found


def write_cells(values: Iterable[int], letters: dict[int, str], empty: int) -> str:
    """The way back."""
    text, run = "", 0
    for value in values:
        if value == empty:
            run += 1
        else:
            text += _empty(run) + letters[value]
            run = 0
    return text + _empty(run)


def read_blocks(code: Code, n: int) -> list[int]:
    """The block of every cell of an ``n`` × ``n`` board, from the lines between them; numbered as they turn up.

    The text walks through the places for a line, those within the rows by row, then those within the columns by
    column, and says how many places in a row have none: ``_`` is 0, ``a`` 1. A count behind a letter repeats it.
    """
    places = _places(n)
    parent = [*range(n * n)]

    def root(cell: int) -> int:
        while parent[cell] != cell:
            cell = parent[cell]
        return cell

    done, index = 0, 0
    while index < len(code.text):
        letter = code.text[index]
        if letter not in _LETTERS and letter != "_":
            raise code.unknown(index)
        times = _REPEAT.match(code.text, index + 1)
        for _ in range(int(times[0]) if times else 1):
            run = _LONGEST_LINE_RUN if letter == "z" else 0 if letter == "_" else _LETTERS.index(letter) + 1
            if done + run > len(places):
                raise code.fault(index, f"the blocks go on after all {len(places)} places for a line")
            for one, other in places[done : done + run]:
                first, second = sorted((root(one), root(other)))
                parent[second] = first
            done += run + (letter != "z")
        index = times.end() if times else index + 1
    if done != len(places) + 1:  # there is a line behind the last place
        raise code.wrong_length(min(done, len(places)), len(places), "places for a line")
    numbers: dict[int, int] = {}
    return [numbers.setdefault(root(cell), len(numbers)) for cell in range(n * n)]


def write_blocks(blocks: Sequence[int], n: int, repeats: bool) -> str:
    """The way back; BadUsage where blocks are not what lines can bound. With ``repeats`` equal letters are counted."""
    text, run = "", 0
    for one, other in [*_places(n), (0, None)]:
        if other is not None and blocks[one] == blocks[other]:
            run += 1
            continue
        while run > _LONGEST_LINE_RUN:
            text += "z"
            run -= _LONGEST_LINE_RUN
        text += _LETTERS[run - 1] if run else "_"
        run = 0
    numbers: dict[int, int] = {}
    if read_blocks(Code(text), n) != [numbers.setdefault(block, len(numbers)) for block in blocks]:
        raise BadUsage("a game id has no words for a region or cage that does not hang together")
    return re.sub(r"(.)\1{2,}", lambda same: f"{same[1]}{len(same[0])}", text) if repeats else text


def _places(n: int) -> list[tuple[int, int]]:
    """The pairs of neighbours between which a line may be, in the order of the description."""
    across = [(row * n + col, row * n + col + 1) for row in range(n) for col in range(n - 1)]
    down = [(row * n + col, (row + 1) * n + col) for col in range(n) for row in range(n - 1)]
    return across + down
