"""The hot loops of a value function for 2048: a network of n-tuples, its teaching, and looking ahead with it.

Four tuples of six cells, each looked at in all eight symmetries of the board: a table has an entry for everything six
cells can show, and what a board is worth is the sum of 32 entries (Szubert and Jaśkowski 2014; the tuples are Yeh's).
A board here is always one after a slide, before a tile comes, and its worth the points still to come.
"""

from collections import namedtuple

import numpy as np

from ..kernel import kernel
from ..search.chance import draw
from .rules.twenty48_board import count, flipped, free_cells, mirrored, slid, transposed, with_tile

ENTRIES = 1 << 24  # of a tuple: six cells of four bits
TUPLES, LOOKS = 4, 32
ALL = np.uint64(0x1111111111111111)  # every cell of a board of four by four
FOURS = 10  # one tile in so many is a 4
OPEN, TIGHT = 7, 3  # free cells: with more than these a board is open; with no more than those, tight

_SIX, _THREE, _NEXT_THREE = np.uint64(0xFFFFFF), np.uint64(0xFFF), np.uint64(0xFFF000)
_ONE, _FOUR, _16, _23, _41 = np.uint64(1), np.uint64(4), np.uint64(16), np.uint64(23), np.uint64(41)
_1ST, _2ND, _3RD = np.uint64(ENTRIES), np.uint64(2 * ENTRIES), np.uint64(3 * ENTRIES)

# table [TUPLES * ENTRIES]: float32 while it learns, int16 where it is used; unit: the points that 1 in it stands for.
Network = namedtuple("Network", ["table", "unit"])
# boards [depths, slots] uint64, worths float64: what was found for a board looking so many tiles ahead, less one.
Found = namedtuple("Found", ["boards", "worths"])
# all [TUPLES * ENTRIES] float32: sums of errors and of their sizes, by which every entry has its own rate (temporal
# coherence: Beal and Smith 1999, Jaśkowski 2016). share: of every error that is learnt at most; decay: lambda.
Memory = namedtuple("Memory", ["errors", "sizes", "share", "decay"])


@kernel
def _seen(table, board):
    """The four tuples in one symmetry: six in a row and its next, at the edge and further in; two by three likewise."""
    below = board >> _16
    total = np.float32(table[board & _SIX]) + np.float32(table[_1ST + (below & _SIX)])
    total += np.float32(table[_2ND + ((board & _THREE) | ((board >> _FOUR) & _NEXT_THREE))])
    return total + np.float32(table[_3RD + ((below & _THREE) | ((below >> _FOUR) & _NEXT_THREE))])


@kernel
def worth(network, board):
    """The points still to come after a slide."""
    table = network.table
    turned = transposed(board)
    other, turned_other = mirrored(board), mirrored(turned)
    total = _seen(table, board) + _seen(table, other)
    total += _seen(table, turned) + _seen(table, turned_other)
    total += _seen(table, flipped(board)) + _seen(table, flipped(other))
    total += _seen(table, flipped(turned)) + _seen(table, flipped(turned_other))
    return total * network.unit


@kernel
def entries(board, out):
    """Which entries those are."""
    number = 0
    for _ in range(2):
        for _ in range(2):
            for _ in range(2):
                below = board >> _16
                out[number] = board & _SIX
                out[number + 1] = _1ST + (below & _SIX)
                out[number + 2] = _2ND + ((board & _THREE) | ((board >> _FOUR) & _NEXT_THREE))
                out[number + 3] = _3RD + ((below & _THREE) | ((below >> _FOUR) & _NEXT_THREE))
                number += 4
                board = mirrored(board)
            board = flipped(board)
        board = transposed(board)


@kernel
def learn(network, memory, board, target, places):
    """Bring the worth of a board nearer to a target; returns what it was before and is now."""
    table = network.table
    entries(board, places)
    before = 0.0
    for place in places:
        before += table[place]
    error = np.float32(target - before)
    part = error * np.float32(memory.share / LOOKS)
    size = abs(error)
    now = 0.0
    for place in places:
        sizes = memory.sizes[place]
        rate = abs(memory.errors[place]) / sizes if sizes > 0 else np.float32(1.0)
        table[place] += rate * part
        memory.errors[place] += error
        memory.sizes[place] += size
    for place in places:
        now += table[place]
    return before, now


@kernel
def best_slide(network, slides, board):
    """The board after the most promising slide, the points for it, and its worth with them; -1 points if there is
    none. Boards that are alike by symmetry are worth the same: up and down are left and right of the board's mirror.
    """
    chosen, scored, highest = board, np.int64(-1), -np.inf
    for way in range(4):
        after, points = slid(slides, board, way & 1, 0)
        if after != board:
            found = points + worth(network, after)
            if found > highest:
                chosen, scored, highest = after, points, found
        if way == 1:
            board = transposed(board)
    return chosen, scored, highest


@kernel
def new_tile(board, chance):
    """A tile comes."""
    free = free_cells(board, ALL)
    place = draw(chance, count(free))
    return with_tile(board, free, place, 2 if draw(chance, FOURS) == 0 else 1)


@kernel
def play_and_learn(network, memory, slides, board, chance, boards, points, places):
    """One game of its own from a board, and then its lessons from the last slide to the first (TD(lambda) backwards).

    ``boards``, ``points`` [moves]: after each slide. Returns the number of moves; the score is the sum of points.
    """
    made = 0
    while made < len(boards):
        after, scored, _ = best_slide(network, slides, board)
        if scored < 0:
            break
        boards[made], points[made] = after, scored
        made += 1
        board = new_tile(after, chance)
    target = 0.0
    for step in range(made - 1, -1, -1):
        _, now = learn(network, memory, boards[step], target, places)
        target = points[step] + memory.decay * target + (1.0 - memory.decay) * now
    return made


@kernel
def expected(network, found, slides, board, ahead):
    """The worth of a board after a slide, by looking so many tiles ahead (expectimax).

    Boards are turned as it suits: a mirror image is worth the same. On an open board, where nothing can go wrong yet,
    one tile is enough, and more than two are for tight ones.
    """
    if ahead == 0:
        return worth(network, board)
    board = min(board, transposed(board))
    free = free_cells(board, ALL)
    number = count(free)
    if number > TIGHT:
        ahead = 1 if number > OPEN else min(ahead, 2)
    slot = np.int64((board ^ (board >> _23) ^ (board >> _41)) & np.uint64(found.boards.shape[1] - 1))
    if found.boards[ahead - 1, slot] == board:
        return found.worths[ahead - 1, slot]
    total = 0.0
    while free:
        lowest = free & (~free + _ONE)
        free ^= lowest
        for exponent in range(1, 3):
            with_it = board | (lowest << np.uint64(exponent - 1))
            highest = 0.0  # of a game that is over
            for way in range(4):
                after, points = slid(slides, with_it, way & 1, 0)
                if after != with_it:
                    highest = max(highest, points + expected(network, found, slides, after, ahead - 1))
                if way == 1:
                    with_it = transposed(with_it)
            total += (FOURS - 1) * highest if exponent == 1 else highest
    total /= FOURS * number
    found.boards[ahead - 1, slot] = board
    found.worths[ahead - 1, slot] = total
    return total
