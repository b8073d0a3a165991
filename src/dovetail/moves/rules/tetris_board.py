"""What compiled Tetris works on: the shapes of the pieces, and a board whose rows are bits.

The first column is the lowest bit; rows are counted from the floor here.
"""

from collections import namedtuple

import numpy as np

from ...kernel import kernel
from ..games.tetris import MOST_COLS, PIECES

PLAYED, LINES, GOAL, PREVIEW, ROWS, COLS, EMPTY_ROWS = range(7)  # of the tally; the last: rows above the stack
UNKNOWN = -1  # of a piece that has not come yet
TURN = MOST_COLS  # a move is turns * TURN + column
TURNS, SIDE = 4, 4  # of a piece

# tally: see above. board [rows]: the bits of each row. tops [cols]: how high each column is filled. bag [pieces]: what
# may come. stream [1] uint64: the puzzle's own chance. By moves played: path, the moves; pieces, what is dropped,
# with one more entry for a preview; landed, the row of a piece's lowest cells; cleared, which of its rows were full,
# as bits; words uint64, the stream before the move.
State = namedtuple(
    "State",
    ["tally", "board", "tops", "bag", "stream", "path", "pieces", "landed", "cleared", "words"],
)


def _shapes() -> tuple[np.ndarray, ...]:
    """Of every piece and turn: its bits row by row from below, its width, its height, and for each of its columns how
    far above its lowest row it begins and ends; and how many turns of each piece look different."""
    drawn = {"I": "####", "O": "##/##", "T": "###/.#.", "S": "##./.##", "Z": ".##/##.", "J": "###/#..", "L": "###/..#"}
    bits = np.zeros((len(PIECES), TURNS, SIDE), np.int64)
    below, above = np.zeros_like(bits), np.zeros_like(bits)
    width, height = np.zeros((len(PIECES), TURNS), np.int64), np.zeros((len(PIECES), TURNS), np.int64)
    different = np.zeros(len(PIECES), np.int64)
    for piece, letter in enumerate(PIECES):
        cells = [
            (row, col) for row, line in enumerate(drawn[letter].split("/")) for col, c in enumerate(line) if c == "#"
        ]
        seen = []
        for turn in range(TURNS):
            high, wide = max(row for row, _ in cells) + 1, max(col for _, col in cells) + 1
            if sorted(cells) not in seen:
                seen.append(sorted(cells))
            for row, col in cells:
                bits[piece, turn, row] |= 1 << col
            for col in range(wide):
                filled = [row for row, other in cells if other == col]
                below[piece, turn, col], above[piece, turn, col] = min(filled), max(filled) + 1
            width[piece, turn], height[piece, turn] = wide, high
            cells = [(wide - 1 - col, row) for row, col in cells]  # clockwise, rows counted upwards
        different[piece] = len(seen)
    return bits, width, height, below, above, different


BITS, WIDTH, HEIGHT, BELOW, ABOVE, DIFFERENT = _shapes()


@kernel
def measure(state):
    """How high the columns are."""
    tally, tops = state.tally, state.tops
    row, todo = tally[ROWS], (np.int64(1) << tally[COLS]) - 1
    tops[:] = 0
    while row > 0 and state.board[row - 1] == 0:
        row -= 1
    tally[EMPTY_ROWS] = tally[ROWS] - row
    while row > 0 and todo:
        found = state.board[row - 1] & todo
        todo ^= found
        for col in range(tally[COLS]):
            if found >> col & 1:
                tops[col] = row
        row -= 1
