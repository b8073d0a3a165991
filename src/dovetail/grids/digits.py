"""Plain 9×9 sudokus by the thousand: every puzzle solved and its answer proved to be the only one, or not.

A batch is one array and one call of a compiled loop; nothing is built for a single puzzle. ``Search`` is the same
engine on one puzzle, to be stopped and continued.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..core.state import Misfit, State, fields, within
from . import digits_kernels as kernels

CELLS = 81
DIGITS = 9
_NO_SYMBOL = 255
_DIGIT_WORDS = [word for word in range(kernels.WORDS) if word % 16 < DIGITS]


class Search:
    """All answers of one puzzle, depth first: ``advance`` it until it is ``exhausted``."""

    def __init__(self, givens: Sequence[int]) -> None:
        self._stack, self._fixed, self._before, self._answer, self._tally = _room()
        if not kernels.place(self._stack[0], _checked([givens])[0]):
            self._tally[kernels.DEPTH] = -1

    def state(self) -> State:
        """Where it is, for ``take_up``."""
        boards = self._stack[: self._tally[kernels.DEPTH] + 1]
        return {"boards": boards.copy(), "answer": self._answer.copy(), "tally": self._tally.copy()}

    def take_up(self, state: Any) -> None:
        """Go on where a search of the same puzzle was."""
        saved = fields(state, ("boards", "answer", "tally"))
        _fill(self._tally, saved["tally"])
        depth = int(self._tally[kernels.DEPTH])
        within([depth], -1, CELLS, "depth")
        _fill(self._stack[: depth + 1], saved["boards"])
        _fill(self._answer, saved["answer"])
        for boards in (self._stack[: depth + 1], self._answer):
            if (boards & ~kernels.COLUMNS).any():
                raise Misfit("boards")
        # every guess settles where a digit goes in a row, so that there are never more of them than cells
        rows = [(self._stack[depth] >> np.uint64(16 * band)) & np.uint64(511) for band in range(3)]
        settled = sum(int(((row & (row - np.uint64(1))) == 0)[_DIGIT_WORDS].sum()) for row in rows)
        if depth > settled:
            raise Misfit("depth")

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left to try."""
        return bool(self._tally[kernels.DEPTH] < 0)

    @property
    def found(self) -> int:
        """Answers so far."""
        return int(self._tally[kernels.FOUND])

    @property
    def guesses(self) -> int:
        """Guesses so far."""
        return int(self._tally[kernels.GUESSES])

    @property
    def answer(self) -> tuple[int, ...] | None:
        """The last answer found, if there is one yet."""
        if not self.found:
            return None
        digits = np.zeros(CELLS, np.uint8)
        kernels.read(self._answer, digits)
        return tuple(digits.tolist())

    def advance(self, guesses: int, limit: int) -> None:
        """Search on, with so many more guesses at most, until there are ``limit`` answers."""
        kernels.search(
            self._stack, self._fixed, self._before, self._answer, self._tally, limit, self.guesses + guesses, DIGITS
        )


def count_to_two(givens: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """For every row of 81 givens (0: blank) how many answers it has, 2 for two or more, and one of them (or zeros)."""
    puzzles = _checked(givens)
    counts = np.zeros(len(puzzles), np.uint8)
    answers = np.zeros((len(puzzles), CELLS), np.uint8)
    kernels.search_all(puzzles, counts, answers, *_room(), DIGITS)
    return counts, answers


def solve_lines(lines: Sequence[str]) -> list[tuple[int, str]]:
    """For every line of 81 characters the number of its answers, 2 for two or more, and an answer (else "")."""
    texts = [line.strip() for line in lines]
    for number, text in enumerate(texts, start=1):
        if len(text) != CELLS:
            raise BadInput(f"line {number} has {len(text)} characters; a 9x9 sudoku has {CELLS}")
    # one look-up for all of them: a loop in Python over characters would take longer than solving
    read = np.full(256, _NO_SYMBOL, np.uint8)
    read[[*b".0123456789"]] = [0, *range(10)]
    givens = read[np.frombuffer("".join(texts).encode("ascii", "replace"), np.uint8)].reshape(-1, CELLS)
    for puzzle, cell in np.argwhere(givens == _NO_SYMBOL)[:1].tolist():
        symbol = texts[puzzle][cell]
        raise BadInput(f"line {puzzle + 1}, position {cell + 1}: {symbol!r} is neither a digit nor a blank")
    counts, answers = count_to_two(givens)
    filled = (answers + ord("0")).tobytes().decode("ascii")
    return [(count, filled[CELLS * i : CELLS * (i + 1)] if count else "") for i, count in enumerate(counts.tolist())]


def _checked(givens: Any) -> NDArray[np.uint8]:
    """As the kernels take them: they look nothing up outside the board only if every given is a digit."""
    puzzles = np.asarray(givens)
    if puzzles.ndim != 2 or puzzles.shape[1] != CELLS or not np.issubdtype(puzzles.dtype, np.integer):
        raise BadInput(f"a batch of 9x9 sudokus is rows of {CELLS} whole numbers, not {puzzles.dtype} {puzzles.shape}")
    wrong = np.argwhere((puzzles < 0) | (puzzles > DIGITS))
    if len(wrong):
        puzzle, cell = wrong[0].tolist()
        row, col = divmod(cell, DIGITS)
        raise BadInput(
            f"puzzle {puzzle + 1}, row {row + 1}, column {col + 1}: "
            f"{puzzles[puzzle, cell]} is no digit from 1 to 9 and no blank (0)"
        )
    return np.ascontiguousarray(puzzles, np.uint8)


def _fill(into: Any, values: Any) -> None:
    if not isinstance(values, np.ndarray) or values.dtype != into.dtype or values.shape != into.shape:
        raise Misfit("boards")
    into[:] = values


def _room() -> tuple[Any, Any, Any, Any, Any]:
    """What the search works in: boards one below the other, three single ones, and its tally."""
    words = kernels.WORDS
    boards = np.zeros((CELLS + 4, words), np.uint64)
    return boards[:-3], boards[-3], boards[-2], boards[-1], np.zeros(3, np.int64)
