"""A 2048 board in one 64-bit word: four bits a cell, the exponent of its tile, row by row from the lowest bits.

A row is 16 bits, so that what a slide makes of it is looked up. Smaller boards leave the cells outside them empty.
"""

from collections import namedtuple
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...kernel import kernel

LEFT, UP, RIGHT, DOWN = 0, 1, 2, 3
HIGHEST = 15  # the largest exponent a cell can hold

_ROW = np.uint64(0xFFFF)
_ZERO, _ONE, _TWO, _FOUR = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(4)
_16, _32, _48 = np.uint64(16), np.uint64(32), np.uint64(48)
_8, _12, _24 = np.uint64(8), np.uint64(12), np.uint64(24)
_QUADS = np.uint64(0x0F0F0F0F0F0F0F0F)

# left, right [2, 65536] uint16: a row (first) or a column (second) after a slide to its start, to its end; points
# [65536] int32: what that scores, either way.
Slides = namedtuple("Slides", ["left", "right", "points"])


@cache
def slides(rows: int, cols: int) -> Slides:
    """What becomes of every row of a board of this size."""
    left, right = np.zeros((2, 65536), np.uint16), np.zeros((2, 65536), np.uint16)
    points = np.zeros(65536, np.int32)
    for which, length in enumerate((cols, rows)):
        words = np.arange(1 << (4 * length))
        tiles = (words[:, None] >> (4 * np.arange(length))) & 15
        for table, way in ((left, 1), (right, -1)):
            after, scored = _slid(tiles[:, ::way])
            table[which, words] = (after[:, ::way] << (4 * np.arange(length))).sum(axis=1)
            points[words] = scored
    return Slides(left, right, points)


def _slid(tiles: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All lines [lines, cells] pushed to their start, and their points. Two tiles of the largest exponent become one of
    it: the rules end the play there."""
    after = np.zeros_like(tiles)
    number, points, merged = np.zeros((3, len(tiles)), np.int64)
    for tile in tiles.T:
        meets = np.flatnonzero(
            (tile > 0) & (number > 0) & (merged == 0) & (after[np.arange(len(tile)), number - 1] == tile)
        )
        goes = np.setdiff1d(np.flatnonzero(tile), meets)
        after[meets, number[meets] - 1] = np.minimum(tile[meets] + 1, HIGHEST)
        points[meets] += 2 << tile[meets]
        merged[meets] = 1
        after[goes, number[goes]] = tile[goes]
        number[goes] += 1
        merged[goes] = 0
    return after, points


@kernel
def slid(slides, board, towards_end, which):
    """All rows of a board slid, and the points for it. ``which``: 0, or 1 if the rows are in truth its columns."""
    table = slides.right[which] if towards_end else slides.left[which]
    a, b = board & _ROW, (board >> _16) & _ROW
    c, d = (board >> _32) & _ROW, board >> _48
    points = np.int64(slides.points[a]) + slides.points[b] + slides.points[c] + slides.points[d]
    after = np.uint64(table[a]) | (np.uint64(table[b]) << _16)
    after |= (np.uint64(table[c]) << _32) | (np.uint64(table[d]) << _48)
    return after, points


@kernel
def moved(slides, board, move):
    """The board after a move, before a tile comes, and the points for it."""
    if move in (LEFT, RIGHT):
        return slid(slides, board, move == RIGHT, 0)
    after, points = slid(slides, transposed(board), move == DOWN, 1)
    return transposed(after), points


@kernel
def transposed(board):
    """Rows as columns."""
    swap = (board ^ (board >> _12)) & np.uint64(0x0000F0F00000F0F0)
    board = board ^ swap ^ (swap << _12)
    swap = (board ^ (board >> _24)) & np.uint64(0x00000000FF00FF00)
    return board ^ swap ^ (swap << _24)


@kernel
def mirrored(board):
    """Every row the other way round."""
    board = ((board >> _FOUR) & _QUADS) | ((board & _QUADS) << _FOUR)
    bytes_ = np.uint64(0x00FF00FF00FF00FF)
    return ((board >> _8) & bytes_) | ((board & bytes_) << _8)


@kernel
def flipped(board):
    """The last row first."""
    half = np.uint64(0x0000FFFF0000FFFF)
    board = ((board >> _16) & half) | ((board & half) << _16)
    return (board >> _32) | (board << _32)


@kernel
def free_cells(board, cells):
    """The lowest bit of every empty cell among ``cells``, which are given the same way."""
    board |= board >> _TWO
    board |= board >> _ONE
    return ~board & cells


@kernel
def count(bits):
    """How many cells such a set has."""
    bits = (bits + (bits >> _FOUR)) & _QUADS
    bits += bits >> _8
    bits += bits >> _16
    bits += bits >> _32
    return np.int64(bits & np.uint64(0x1F))


@kernel
def with_tile(board, free, place, exponent):
    """The board with a tile in one of its free cells, counted from 0 in reading order; of exponent 1 or 2."""
    for _ in range(place):
        free &= free - _ONE
    lowest = free & (~free + _ONE)
    return board | (lowest << np.uint64(exponent - 1))


@kernel
def largest(board):
    """The largest exponent on a board."""
    found = _ZERO
    while board:
        found = max(found, board & np.uint64(15))
        board >>= _FOUR
    return np.int64(found)


@kernel
def total(board):
    """The sum of all tiles."""
    found = np.int64(0)
    while board:
        tile = np.int64(board & np.uint64(15))
        if tile:
            found += 1 << tile
        board >>= _FOUR
    return found


def all_cells(rows: int, cols: int) -> np.uint64:
    """The cells of a board of this size, as ``free_cells`` takes them."""
    return np.uint64(sum(1 << (4 * (4 * row + col)) for row in range(rows) for col in range(cols)))
