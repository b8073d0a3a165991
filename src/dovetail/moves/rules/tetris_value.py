"""The value function of Tetris, learnt by temporal differences: what is to come of a board after a piece has landed.

It is a sum of table entries, an n-tuple network whose tuples are shared by all places of the board: every four
neighbouring steps of the skyline, every window of three rows and four columns up to the highest cell, and a few counts.
Walls and floor count as filled, so that boards of any size can be judged. Learnt is the sum of all costs to come, each
counting less than the one before; a board costs the more, the higher it is. benchmarks/teach_tetris.py makes
``weights/tetris.bin``: the SHA-256 of the rest, then the compressed entries.
"""

import hashlib
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import BadInput
from ...kernel import kernel
from .tetris_board import COLS, EMPTY_ROWS, ROWS

SHIPPED = Path(__file__).parents[1] / "weights" / "tetris.bin"
DISCOUNT = 0.9  # what the next cost counts, of one now
OVER = -40.0  # what a lost game is worth
STEEP = 4  # higher steps of the skyline look alike
STEPS = 2 * STEEP + 1
SKYLINE, WINDOWS, COUNT = STEPS**4, 1 << 12, 64  # entries of a table
MOST_ROOM, MOST_HOLES = 20, 15
WINDOWS_AT = SKYLINE
COUNTS_AT = WINDOWS_AT + WINDOWS
ROOM_AT = COUNTS_AT + 4 * COUNT
ENTRIES = ROOM_AT + (MOST_ROOM + 1) * (MOST_HOLES + 1)
MOST_LOOKED_UP = 40 * 15 + 20  # on the largest board


@cache
def weights(path: Path = SHIPPED) -> Any:
    """The entries [ENTRIES] float32 of the shipped file."""
    data = path.read_bytes()
    if hashlib.sha256(data[32:]).digest() != data[:32]:
        raise BadInput(f"{path.name}, the value function of Tetris, is damaged (its SHA-256 differs); install it again")
    return np.frombuffer(zlib.decompress(data[32:]), np.float32).copy()


def packed(learnt: Any) -> bytes:
    """What such a file holds."""
    body = zlib.compress(np.asarray(learnt, np.float32).tobytes(), 9)
    return hashlib.sha256(body).digest() + body


@kernel
def cost(state):
    """Of a board as it is: the square of its mean height, in tens of rows; as what it is worth, below 0."""
    height = state.tops.sum() / (10.0 * state.tally[COLS])
    return -height * height


@kernel
def worth(state, weights, room):
    """What a board costs now and later. ``room`` [MOST_LOOKED_UP]: for the entries."""
    found = np.float64(0.0)
    for i in range(entries(state, room)):
        found += weights[room[i]]
    return cost(state) + DISCOUNT * found


@kernel
def entries(state, out):
    """Which entries a board has; how many."""
    number = _skyline(state, out)
    number = _windows(state, out, number)
    return _counts(state, out, number)


@kernel
def _skyline(state, out):
    """Steps between neighbouring columns, four at a time; a mirror image has the same entry."""
    cols = state.tally[COLS]
    a, b, c, d = 0, 0, 0, 0
    number = 0
    for col in range(cols + 1):
        step = -STEEP
        if col == cols:
            step = STEEP
        elif col:
            step = max(-STEEP, min(STEEP, state.tops[col] - state.tops[col - 1]))
        a, b, c, d = b, c, d, step + STEEP
        if col >= 3:
            seen = ((a * STEPS + b) * STEPS + c) * STEPS + d
            out[number] = min(seen, SKYLINE - 1 - (((d * STEPS + c) * STEPS + b) * STEPS + a))
            number += 1
    return number


@kernel
def _windows(state, out, number):
    """Three rows of four cells, the middle row with something in it or above it."""
    board, rows, cols = state.board, state.tally[ROWS], state.tally[COLS]
    walls = np.int64(1) | np.int64(1) << (cols + 1)
    below, middle = (np.int64(1) << (cols + 2)) - 1, board[0] << 1 | walls
    for row in range(rows - state.tally[EMPTY_ROWS]):
        above = board[row + 1] << 1 | walls if row + 1 < rows else walls
        for col in range(cols - 1):
            out[number] = WINDOWS_AT + (below >> col & 15 | (middle >> col & 15) << 4 | (above >> col & 15) << 8)
            number += 1
        below, middle = middle, above
    return number


@kernel
def _counts(state, out, number):
    """How many holes and rows with holes there are, how deep wells and holes are; and holes by the room left."""
    board, cols = state.board, state.tally[COLS]
    high = np.int64(1) << (cols - 1)
    covered, holed, well, two, three, four = (
        np.int64(0),
        np.int64(0),
        np.int64(0),
        np.int64(0),
        np.int64(0),
        np.int64(0),
    )
    holes, holed_rows, wells, above = 0, 0, 0, 0
    for row in range(state.tally[ROWS] - state.tally[EMPTY_ROWS] - 1, -1, -1):
        bits = board[row]
        inside = covered & ~bits
        holes += _ones(inside)
        holed_rows += inside != 0
        holed |= inside
        covered |= bits
        above += _ones(bits & ~holed)
        # a cell in a well counts as often as there are such cells from it upwards, up to four
        four, three, two, well = three, two, well, ~bits & (bits << 1 | 1) & (bits >> 1 | high)
        two &= well
        three &= two
        four &= three
        wells += _ones(well) + _ones(two) + _ones(three) + _ones(four)
    for col in range(cols):
        if not holed >> col & 1:
            above -= state.tops[col]
    found = (holes, holed_rows, wells, above)
    for i in range(4):
        out[number + i] = COUNTS_AT + i * COUNT + min(COUNT - 1, found[i])
    room = min(MOST_ROOM, state.tally[EMPTY_ROWS])
    out[number + 4] = ROOM_AT + room * (MOST_HOLES + 1) + min(MOST_HOLES, holes)
    return number + 5


@kernel
def _ones(bits):
    """How many bits are set, of 16."""
    bits = bits - (bits >> 1 & 0x5555)
    bits = (bits & 0x3333) + (bits >> 2 & 0x3333)
    bits = (bits + (bits >> 4)) & 0x0F0F
    return (bits + (bits >> 8)) & 0x1F
