"""How pzpr writes the cells of a board: one character a clue, one letter for a run of cells without any.

As in ``variety-common/Encode.js`` and ``variety/kakuro.js`` of pzprjs, whose names stand in brackets below.
"""

import re
from collections.abc import Iterable, Sequence

from ...core.text import Code

BLANK, UNKNOWN = -1, -2  # a cell without a clue; with a clue that is not told ("?")
_NUMBER = re.compile(r"[0-9a-f]|-[0-9a-f]{2}|\+[0-9a-f]{3}")
_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RUN, _WHITE = _LETTERS.index("g") - 1, _LETTERS.index("k") - 1  # the letter of a run of one is the next
_LONGEST_RUN, _LONGEST_WHITE = 20, 16
_SUMS = {letter: value for value, letter in enumerate("0123456789abcdefghij")}
_SUMS |= {letter: value for value, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ", start=20)}
_NO_SUM = "-"


def read_numbers(code: Code, count: int, what: str = "cells") -> list[int]:
    """Numbers up to 4095 [decodeNumber16]: ``count`` of them, BLANK or UNKNOWN where there is none."""
    found: list[int] = []
    index = 0
    while index < len(code.text):
        letter = code.text[index]
        if number := _NUMBER.match(code.text, index):
            found.append(int(number[0].lstrip("-+"), 16))
            index = number.end()
            continue
        if "g" <= letter <= "z":
            found += [BLANK] * (_LETTERS.index(letter) - _RUN)
        elif letter == ".":
            found.append(UNKNOWN)
        elif letter in "-+":
            raise code.fault(index, f"after {letter!r} a number of {2 if letter == '-' else 3} digits is missing")
        else:
            raise code.unknown(index)
        index += 1
    if len(found) != count:
        raise code.wrong_length(len(found), count, what)
    return found


def write_numbers(values: Iterable[int]) -> str:
    """The way back [encodeNumber16]."""
    return _with_runs((_number(value) for value in values), _RUN, _LONGEST_RUN)


def _number(value: int) -> str:
    if value == BLANK:
        return ""
    if value == UNKNOWN:
        return "."
    sign = "" if value < 16 else "-" if value < 256 else "+"
    return f"{sign}{value:x}"


def _with_runs(clues: Iterable[str], first: int, longest: int) -> str:
    """The clues in order, with letters for the runs of cells that have none."""
    text, run = [], 0
    for clue in clues:
        run += not clue
        if run and (clue or run == longest):
            text.append(_LETTERS[first + run])
            run = 0
        text.append(clue)
    return "".join(text) + (_LETTERS[first + run] if run else "")


def read_clues(code: Code, count: int) -> list[int]:
    """Clues from 0 to 4 [decode4Cell]: 5 to 9 and a to e are the same with one or two cells without a clue behind.

    Those cells may lie behind the end of the board: that is how pzpr writes a clue in the last cell.
    """
    found: list[int] = []
    for index, letter in enumerate(code.text):
        if len(found) >= count:
            raise code.wrong_length(count + 1, count, "cells")
        if letter == ".":
            found.append(UNKNOWN)
        elif "g" <= letter <= "z":
            found += [BLANK] * (_LETTERS.index(letter) - _RUN)
        elif letter in _LETTERS[:15]:
            behind, clue = divmod(_LETTERS.index(letter), 5)
            found += [clue, *[BLANK] * min(behind, count - len(found) - 1)]
        else:
            raise code.unknown(index)
    if len(found) != count:
        raise code.wrong_length(len(found), count, "cells")
    return found


def write_clues(values: Sequence[int]) -> str:
    """The way back [encode4Cell]."""
    filled = [value != BLANK for value in values] + [False, False]
    clues: list[str] = []
    cell = 0
    while cell < len(values):
        value = values[cell]
        if value < 0:
            clues.append("." if value == UNKNOWN else "")
        else:
            behind = 0 if filled[cell + 1] else 1 if filled[cell + 2] else 2
            clues.append(_LETTERS[5 * behind + value])
            cell += behind
        cell += 1
    return _with_runs(clues, _RUN, _LONGEST_RUN)


def read_sums(code: Code, rows: int, cols: int) -> list[tuple[int, int] | None]:
    """A kakuro [decodeKakuro]: the board without its black top row and left column, then the sums that stand there.

    The board comes back with them, of ``rows + 1`` × ``cols + 1`` cells: None or (down, across), 0 for no sum.
    """
    inner: list[tuple[int, int] | None] = []
    index = 0
    while len(inner) < rows * cols and index < len(code.text):
        letter = code.text[index]
        if "k" <= letter <= "z":
            inner += [None] * (_LETTERS.index(letter) - _WHITE)
        elif letter == ".":
            inner.append((0, 0))
        else:
            inner.append((_sum(code, index), _sum(code, index + 1)))
            index += 1
        index += 1
    if len(inner) != rows * cols:
        raise code.wrong_length(len(inner), rows * cols, "cells")
    down = [col for col in range(cols) if inner[col] is None]
    across = [row for row in range(rows) if inner[row * cols] is None]
    edge = code[index:]
    if len(edge.text) != len(down) + len(across):
        raise edge.wrong_length(len(edge.text), len(down) + len(across), "sums on the top and left edges")
    sums = [_sum(edge, place) for place in range(len(edge.text))]
    below, beside = dict(zip(down, sums, strict=False)), dict(zip(across, sums[len(down) :], strict=True))
    board: list[tuple[int, int] | None] = [(0, 0), *((below.get(col, 0), 0) for col in range(cols))]
    for row in range(rows):
        board += [(0, beside.get(row, 0)), *inner[row * cols : (row + 1) * cols]]
    return board


def _sum(code: Code, index: int) -> int:
    if index >= len(code.text):
        raise code.fault(index, "the text ends in the middle of a black cell")
    letter = code.text[index]
    if letter != _NO_SUM and letter not in _SUMS:
        raise code.unknown(index)
    return _SUMS.get(letter, 0)


def write_sums(board: Sequence[tuple[int, int] | None], rows: int, cols: int) -> str:
    """The way back [encodeKakuro], of a board of ``rows`` × ``cols`` cells whose top row and left column are black."""
    letters = {value: letter for letter, value in _SUMS.items()} | {0: _NO_SUM}
    inner = [board[row * cols + col] for row in range(1, rows) for col in range(1, cols)]
    cells = ("" if sums is None else "." if sums == (0, 0) else letters[sums[0]] + letters[sums[1]] for sums in inner)
    text = _with_runs(cells, _WHITE, _LONGEST_WHITE)
    for col in range(1, cols):
        if board[cols + col] is None:
            text += letters[(board[col] or (0, 0))[0]]
    for row in range(1, rows):
        if board[row * cols + 1] is None:
            text += letters[(board[row * cols] or (0, 0))[1]]
    return text
