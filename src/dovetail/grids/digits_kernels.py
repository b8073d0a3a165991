"""The hot loops of the 9×9 sudoku engine: all nine digits are closed at once, in words that fill a vector register.

A board is 48 words. Word ``16 * i + digit`` holds where a digit may still go in the rows i, 3 + i and 6 + i: three
fields of 16 bits, one a band, of which the low nine are the columns. So the three words of a digit lie one above the
other, bit by bit, as the rows of a band do, and neighbouring words are the same rows of other digits: every loop over
digits below is a few vector instructions. (Words 9 to 15 of each 16 are room, so that vectors may overlap nothing.)

``digits`` is always 9. It is an argument so that the compiler does not know: it would unroll the loops otherwise, and
then fail to see vectors in them.
"""

from typing import Any

import numpy as np

from ..kernel import kernel, overwrite

WORDS = 48
DEPTH, FOUND, GUESSES = 0, 1, 2  # in a tally
DEAD, OPEN, FULL = 0, 1, 2  # how a board stands after propagation

_U = np.uint64
_NONE, _1, _2, _3, _6, _9 = _U(0), _U(1), _U(2), _U(3), _U(6), _U(9)
_BAND, _TWO_BANDS = _U(16), _U(32)
COLUMNS = _COLUMNS = _U(0x01FF01FF01FF)  # all nine columns of all three fields
_CARRY = _U(0x020002000200)  # the bit above them
_FIRSTS = _U(0x004900490049)  # the first column of every box
_NOT_LASTS, _LASTS = _U(0x00DB00DB00DB), _U(0x012401240124)
_NOT_FIRSTS = _U(0x01B601B601B6)
_ROW = _U(0x1FF)


@kernel
def closed(top: Any, middle: Any, bottom: Any) -> Any:
    """The three words of a digit without what cannot be part of any placement within a band, or within a stack.

    In a band the digit goes into three different boxes, one a row: a cell may stay if its box and the boxes of the
    other two rows can be three different ones. In a stack it goes into three different columns, one a band: likewise.
    Hidden singles and locked candidates are what this finds, and the digit leaves the peers of its own cells.
    """
    # a bit for every box that a row can use, at the box's first column
    t = (top | (top >> _1) | (top >> _2)) & _FIRSTS
    m = (middle | (middle >> _1) | (middle >> _2)) & _FIRSTS
    b = (bottom | (bottom >> _1) | (bottom >> _2)) & _FIRSTS
    # the same seen from one box and from two boxes further left, going round; stray bits fall between the boxes
    t_1, t_2 = (t >> _3) | (t << _6), (t >> _6) | (t << _3)
    m_1, m_2 = (m >> _3) | (m << _6), (m >> _6) | (m << _3)
    b_1, b_2 = (b >> _3) | (b << _6), (b >> _6) | (b << _3)
    t &= (m_1 & b_2) | (m_2 & b_1)
    m &= (t_1 & b_2) | (t_2 & b_1)
    b &= (t_1 & m_2) | (t_2 & m_1)
    top &= (t << _3) - t  # times 7: all three columns of the box
    middle &= (m << _3) - m
    bottom &= (b << _3) - b
    # columns that a band can use, seen from one and two columns further left within the box
    cols = top | middle | bottom
    c_1 = ((cols >> _1) & _NOT_LASTS) | ((cols << _2) & _LASTS)
    c_2 = ((cols >> _2) & _FIRSTS) | ((cols << _1) & _NOT_FIRSTS)
    # and these seen from one and two bands further up
    one_up_1, one_up_2 = (c_1 >> _BAND) | (c_1 << _TWO_BANDS), (c_2 >> _BAND) | (c_2 << _TWO_BANDS)
    two_up_1, two_up_2 = (c_1 >> _TWO_BANDS) | (c_1 << _BAND), (c_2 >> _TWO_BANDS) | (c_2 << _BAND)
    kept = (one_up_1 & two_up_2) | (one_up_2 & two_up_1)
    return top & kept, middle & kept, bottom & kept


@kernel
def spread(fields: Any) -> Any:
    """All nine columns of every field that has any."""
    any_ = (fields + _COLUMNS) & _CARRY
    return any_ - (any_ >> _9)


@kernel
def several(fields: Any) -> Any:
    """All but the first column of every field: nothing where there is only one."""
    return fields & (fields + _COLUMNS)  # adding 511 is taking 1 away, and never borrows from the next field


@kernel
def close(board: Any, fixed: Any, before: Any, digits: int) -> Any:
    """Close every digit. Whether each still has a place in every row, and the cells that are settled, as three words.

    ``fixed`` takes, word by word, the cells where a digit has its only place in a row; ``before`` the board as it was.
    """
    alive = _CARRY
    top_cells, middle_cells, bottom_cells = _NONE, _NONE, _NONE
    for digit in range(digits):
        top, middle, bottom = board[digit], board[16 + digit], board[32 + digit]
        before[digit], before[16 + digit], before[32 + digit] = top, middle, bottom
        top, middle, bottom = closed(top, middle, bottom)
        alive &= (top + _COLUMNS) & (middle + _COLUMNS) & (bottom + _COLUMNS)
        board[digit], board[16 + digit], board[32 + digit] = top, middle, bottom
        top &= ~spread(several(top))
        middle &= ~spread(several(middle))
        bottom &= ~spread(several(bottom))
        fixed[digit], fixed[16 + digit], fixed[32 + digit] = top, middle, bottom
        # two digits fixed in one cell cancel out here, and then each takes the cell from the other in `vacate`
        top_cells ^= top
        middle_cells ^= middle
        bottom_cells ^= bottom
    return alive == _CARRY, top_cells, middle_cells, bottom_cells


@kernel
def vacate(
    board: Any, fixed: Any, before: Any, top_cells: Any, middle_cells: Any, bottom_cells: Any, digits: int
) -> Any:
    """Take settled cells from all other digits; whether the board has changed since ``before``."""
    changed = _NONE
    for digit in range(digits):
        top = board[digit] & ~(top_cells ^ fixed[digit])
        middle = board[16 + digit] & ~(middle_cells ^ fixed[16 + digit])
        bottom = board[32 + digit] & ~(bottom_cells ^ fixed[32 + digit])
        changed |= (top ^ before[digit]) | (middle ^ before[16 + digit]) | (bottom ^ before[32 + digit])
        board[digit], board[16 + digit], board[32 + digit] = top, middle, bottom
    return changed != _NONE


@kernel
def candidates(board: Any, start: int) -> Any:
    """The cells with at least one, two, three and four candidates, in the words from ``start``."""
    one, two, three, four = _NONE, _NONE, _NONE, _NONE
    for digit in range(9):
        word = board[start + digit]
        four |= three & word
        three |= two & word
        two |= one & word
        one |= word
    return one, two, three, four


@kernel
def settle(board: Any, top_cells: Any, middle_cells: Any, bottom_cells: Any, digits: int) -> Any:
    """Give cells with one candidate to it, in its row; whether no digit got two cells of a row."""
    clash = _NONE
    for digit in range(digits):
        top = board[digit] & top_cells
        middle = board[16 + digit] & middle_cells
        bottom = board[32 + digit] & bottom_cells
        clash |= several(top) | several(middle) | several(bottom)
        board[digit] &= top | ~spread(top)
        board[16 + digit] &= middle | ~spread(middle)
        board[32 + digit] &= bottom | ~spread(bottom)
    return (clash & _COLUMNS) == _NONE


@kernel
def propagate(board: Any, fixed: Any, before: Any, digits: int) -> int:
    """Go on until nothing changes: DEAD, OPEN or FULL."""
    while True:
        alive, top, middle, bottom = close(board, fixed, before, digits)
        if not alive:
            return DEAD
        changed = vacate(board, fixed, before, top, middle, bottom, digits)
        one_t, two_t, _, _ = candidates(board, 0)
        one_m, two_m, _, _ = candidates(board, 16)
        one_b, two_b, _, _ = candidates(board, 32)
        if (one_t & one_m & one_b) != _COLUMNS:
            return DEAD
        single_t, single_m, single_b = one_t & ~(two_t | top), one_m & ~(two_m | middle), one_b & ~(two_b | bottom)
        if (single_t | single_m | single_b) != _NONE:
            if not settle(board, single_t, single_m, single_b, digits):
                return DEAD
        elif not changed:
            # 81 places for 81 cells, an odd number of them in each: exactly one
            return FULL if (top & middle & bottom) == _COLUMNS else OPEN


@kernel
def choice(board: Any) -> Any:
    """Where to guess: a word of the board and a bit in it, of a cell with as few candidates as any (up to four)."""
    best, start, cells = 5, 0, _NONE
    for first in range(0, WORDS, 16):
        _, two, three, four = candidates(board, first)
        if best > 2 and two & ~three:
            best, start, cells = 2, first, two & ~three
        elif best > 3 and three & ~four:
            best, start, cells = 3, first, three & ~four
        elif best > 4 and four:
            best, start, cells = 4, first, four
    cell = cells ^ (cells & (cells - _1))
    word = start
    while board[word] & cell == _NONE:
        word += 1
    return word, cell


@kernel
def row_of(cell: Any) -> Any:
    """All nine columns of the field that a single bit is in."""
    return _ROW << (_NONE if cell <= _ROW else _BAND if cell <= _ROW << _BAND else _TWO_BANDS)


@kernel
def search(stack: Any, fixed: Any, before: Any, answer: Any, tally: Any, limit: int, most: int, digits: int) -> None:
    """Depth first, until ``limit`` answers are found, ``most`` guesses made, or nothing is left (depth below 0).

    The last answer is kept in ``answer``, as a board. Everything to go on later is in ``stack`` and ``tally``.
    """
    while tally[DEPTH] >= 0 and tally[FOUND] < limit and tally[GUESSES] < most:
        board = stack[tally[DEPTH]]
        status = propagate(board, fixed, before, digits)
        if status == OPEN:
            word, cell = choice(board)
            tally[DEPTH] += 1
            tally[GUESSES] += 1
            guess = stack[tally[DEPTH]]
            overwrite(guess, board)
            guess[word] &= cell | ~row_of(cell)
            board[word] &= ~cell
        else:
            if status == FULL:
                tally[FOUND] += 1
                overwrite(answer, board)
            tally[DEPTH] -= 1


@kernel
def place(board: Any, givens: Any) -> bool:
    """An empty board with the givens on it; whether no two of them are the same in a row."""
    board[:] = _COLUMNS
    for row in range(9):
        field = _BAND * _U(row // 3)
        for col in range(9):
            digit = givens[9 * row + col]
            if digit:
                word = 16 * (row % 3) + digit - 1
                cell = _1 << (field + _U(col))
                if board[word] & cell == _NONE:
                    return False
                board[word] &= cell | ~(_ROW << field)
    return True


@kernel
def read(board: Any, answer: Any) -> None:
    """The digits of a full board."""
    for word in range(WORDS):
        if word % 16 < 9:
            for band in range(3):
                cell = (board[word] >> (_BAND * _U(band))) & _ROW
                col = 0
                while cell > _1:
                    cell >>= _1
                    col += 1
                answer[27 * band + 9 * (word // 16) + col] = word % 16 + 1


@kernel
def search_all(
    givens: Any, counts: Any, answers: Any, stack: Any, fixed: Any, before: Any, answer: Any, tally: Any, digits: int
) -> None:
    """Every puzzle of a batch, up to two answers each, the last of them kept; ``tally`` adds up the guesses."""
    for puzzle in range(givens.shape[0]):
        tally[DEPTH], tally[FOUND] = 0, 0
        if place(stack[0], givens[puzzle]):
            search(stack, fixed, before, answer, tally, 2, np.iinfo(np.int64).max, digits)
        counts[puzzle] = tally[FOUND]
        if tally[FOUND]:
            read(answer, answers[puzzle])
