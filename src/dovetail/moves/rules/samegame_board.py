"""The board of SameGame, compiled: a move changes it in place, and only groups near the move are looked for anew."""

from collections import namedtuple

import numpy as np

from ...kernel import generic, kernel
from ..games.samegame import BONUS, CLEAR, SameGame

EDGE = 1  # empty columns before the first and after the last, so that every cell has four neighbours
COLOUR, NUMBER = 15, 4  # a cell holds its colour in the lower four bits, above them the number of its block, from 1

# tally: moves played, then facts of the puzzle
PLAYED, SHIFT, CLEARING, TARGET, LEAST, TABU, HIGHEST = range(7)
# now: points, columns, groups, groups ever found, cells ever listed, cells ever kept
POINTS, COLUMNS, GROUPS, FOUND, LISTED, KEPT = range(6)

# Cells lie column by column, each bottom up with room for 2^shift cells, one on top always empty. Blocks keep their
# number when they fall. Groups have numbers from 1, in the order in which they were found.
# path [moves]; tally: see above. The position now: board, label [cells]: what a cell holds, and its group (0 for a
# single block); left [10]: blocks of each colour, [0] of all; first_board, first_label, first_left: before the first
# move. After each move: now [moves + 1, 6]: see above; live [moves + 1, groups]. begin, size, code, dead [groups ever]:
# where a group's cells lie in pool, how many, the number of its policy weight, and the number of the move that ended
# it, or 0. kept: columns as they were before moves. low [columns]: of a move. marks [blocks + 1], places [10, cells]:
# random words.
State = namedtuple(
    "State",
    [
        "path", "tally", "board", "label", "left", "first_board", "first_label", "first_left", "now", "live",
        "begin", "size", "code", "dead", "pool", "kept", "low", "marks", "places",
    ],
)  # fmt: skip


def limits(puzzle: SameGame) -> tuple[int, int]:
    """Every move takes two blocks or more away."""
    most = max(1, puzzle.blocks // 2)
    return most, most


def board(puzzle: SameGame, codes: int) -> State:
    """The position before the first move; ``codes``: how many policy weights there are."""
    rows, cols, blocks = puzzle.rows, puzzle.cols, puzzle.blocks
    shift, steps = rows.bit_length(), limits(puzzle)[0] + 1
    cells = (cols + 2 * EDGE) << shift
    random = np.random.default_rng(cells)
    board, left = np.zeros(cells, np.uint16), np.zeros(10, np.int64)
    number = 0
    for col in range(cols):
        for row in range(rows - 1, -1, -1):
            if colour := puzzle.cells[row * cols + col]:
                number += 1
                board[((col + EDGE) << shift) + rows - 1 - row] = (number << NUMBER) + colour
                left[colour] += 1
    left[0] = blocks
    best = sum((int(number) - puzzle.least) ** 2 for number in left[1:] if number > 1) + BONUS
    tabu = int(left[1:].argmax()) + 1
    facts = [0, shift, puzzle.goal == CLEAR, puzzle.target, puzzle.least, tabu, best]
    widest = blocks // 2 + 1
    ever = steps * widest + 1
    begin, size, code, dead = (np.zeros(ever, np.uint32) for _ in range(4))
    found = State(
        np.zeros(steps, np.int64), np.array(facts, np.int64),
        board, np.zeros(cells, np.uint32), left, board.copy(), np.zeros(cells, np.uint32), left.copy(),
        np.zeros((steps, 6), np.int64), np.zeros((steps, widest), np.uint32), begin, size, code, dead,
        np.zeros(steps * blocks, np.uint32), np.zeros(steps * cells, np.uint16),
        np.full(cols + 2 * EDGE, 1 << shift, np.int64), random.integers(codes, size=blocks + 1, dtype=np.uint32),
        random.integers(np.iinfo(np.uint64).max, size=(10, cells), dtype=np.uint64),
    )  # fmt: skip
    found.now[0, COLUMNS] = sum(map(bool, puzzle.cells[-cols:]))
    _find(found, 0, EDGE, cols + EDGE, 0)
    _survive(found, 0)
    found.first_label[:] = found.label
    return found


@generic
def take(state, group):
    """Take a group away: blocks fall, columns close up, and the groups near by are looked for."""
    board, label, pool, dead, low, now = state.board, state.label, state.pool, state.dead, state.low, state.now
    shift, step = state.tally[SHIFT], state.tally[PLAYED] + 1
    columns = now[step - 1, COLUMNS]
    now[step, COLUMNS] = columns
    for what in (FOUND, LISTED, KEPT):
        now[step, what] = now[step - 1, what]
    first, last, lowest = columns, np.int64(0), np.int64(1) << shift
    for i in range(state.begin[group], state.begin[group] + state.size[group]):
        cell = np.int64(pool[i])
        col = cell >> shift
        height = cell - (col << shift)
        first, last, lowest = min(first, col), max(last, col), min(lowest, height)
        low[col] = min(low[col], height)
    closed = 0
    for col in range(last, first - 1, -1):
        _keep(state, step, col)
        to = cell = (col << shift) + low[col]
        low[col] = np.int64(1) << shift
        while board[np.uint64(cell)]:
            held = label[np.uint64(cell)]
            dead[held] = step
            label[np.uint64(cell)] = 0
            board[np.uint64(to)] = board[np.uint64(cell)]
            to += held != group
            cell += 1
        while to < cell:
            board[np.uint64(to)] = 0
            to += 1
        if board[np.uint64(col << shift)] == 0:
            closed = col
    if closed:
        for col in range(last + 1, columns + EDGE):
            _keep(state, step, col)
        _close_up(state, step, closed)
        last, lowest = columns, np.int64(0)
    state.tally[PLAYED] = step
    _find(state, step, max(first - 1, EDGE), min(last + 1, now[step, COLUMNS]) + EDGE, max(lowest - 1, 0))
    _survive(state, step)


@generic
def _keep(state, step, col):
    """Remember a column as it is, and which it is."""
    board, kept, shift = state.board, state.kept, state.tally[SHIFT]
    at = state.now[step, KEPT]
    for height in range(1 << shift):
        kept[np.uint64(at + height)] = board[np.uint64((col << shift) + height)]
    # the cell on top is empty: there is room for the number
    kept[np.uint64(at + (1 << shift) - 1)] = col
    state.now[step, KEPT] = at + (1 << shift)


@generic
def _close_up(state, step, first):
    """Columns right of an empty one move left; ``first`` is the first empty one."""
    board, label, shift = state.board, state.label, state.tally[SHIFT]
    to = first
    for col in range(first + 1, state.now[step, COLUMNS] + EDGE):
        if board[np.uint64(col << shift)]:
            for height in range(1 << shift):
                cell = np.uint64((col << shift) + height)
                state.dead[label[cell]] = step
                label[cell] = 0
                board[np.uint64((to << shift) + height)] = board[cell]
                board[cell] = 0
            to += 1
    state.now[step, COLUMNS] = to - EDGE


@generic
def _find(state, step, first, end, low):
    """The groups of these columns from this height on that are new, or that a move changed."""
    board, label, pool, dead, marks = state.board, state.label, state.pool, state.dead, state.marks
    shift, found, listed = state.tally[SHIFT], state.now[step, FOUND], state.now[step, LISTED]
    old, stride = found, np.int64(1) << shift
    for col in range(first, end):
        cell = (col << shift) + low
        while board[np.uint64(cell)]:
            here, held = cell, np.int64(label[np.uint64(cell)])
            cell += 1
            if held and (held > old or dead[np.uint64(held)] != step):
                continue
            label[np.uint64(here)] = 0
            colour = board[np.uint64(here)] & COLOUR
            if (
                (board[np.uint64(here + 1)] & COLOUR != colour)
                & (board[np.uint64(here - 1)] & COLOUR != colour)
                & (board[np.uint64(here + stride)] & COLOUR != colour)
                & (board[np.uint64(here - stride)] & COLOUR != colour)
            ):
                continue
            found += 1
            label[np.uint64(here)] = found
            pool[np.uint64(listed)] = here
            at, last, code = listed, listed + 1, np.uint32(0)
            while at < last:
                here = np.int64(pool[np.uint64(at)])
                at += 1
                code ^= marks[board[np.uint64(here)] >> NUMBER]
                for to in (1, -1, stride, -stride):
                    near = np.uint64(here + to)
                    if board[near] & COLOUR == colour and label[near] != found:
                        dead[label[near]] = step  # the group that it was in until now, if any
                        label[near] = found
                        pool[np.uint64(last)] = near
                        last += 1
            state.begin[np.uint64(found)] = listed
            state.size[np.uint64(found)] = last - listed
            state.code[np.uint64(found)] = code
            dead[np.uint64(found)] = 0
            listed = last
    state.now[step, FOUND] = found
    state.now[step, LISTED] = listed


@generic
def _survive(state, step):
    """The groups after a move: those that it left alone, and those found since."""
    live, dead, now, number, old = state.live, state.dead, state.now, np.int64(0), np.int64(0)
    if step:
        old = now[step - 1, FOUND]
        for i in range(now[step - 1, GROUPS]):
            group = live[step - 1, i]
            live[step, np.uint64(number)] = group
            number += dead[group] == 0
    for group in range(old + 1, now[step, FOUND] + 1):
        live[step, np.uint64(number)] = group
        number += 1
    now[step, GROUPS] = number


@kernel
def untake(state, played):
    """Take moves back, to the first ``played`` of them."""
    board, label, left, dead, now = state.board, state.label, state.left, state.dead, state.now
    if played == 0 and state.tally[PLAYED] > 0:
        state.tally[PLAYED] = 0
        for cell in range(len(board)):
            board[cell] = state.first_board[cell]
            label[cell] = state.first_label[cell]
        for colour in range(10):
            left[colour] = state.first_left[colour]
        for i in range(now[0, GROUPS]):
            dead[state.live[0, i]] = 0
    stride = np.int64(1) << state.tally[SHIFT]
    while state.tally[PLAYED] > played:
        step = state.tally[PLAYED]
        for i in range(now[step - 1, LISTED], now[step, LISTED]):
            label[state.pool[i]] = 0
        for at in range(now[step - 1, KEPT], now[step, KEPT], stride):
            begin = np.int64(state.kept[at + stride - 1]) * stride
            for height in range(stride - 1):
                board[begin + height] = state.kept[at + height]
        for i in range(now[step - 1, GROUPS]):
            group = state.live[step - 1, i]
            if dead[group] == step:
                dead[group] = 0
                for k in range(state.begin[group], state.begin[group] + state.size[group]):
                    label[state.pool[k]] = group
        move = state.path[step - 1]
        number = state.size[label[move]]
        left[0] += number
        left[board[move] & COLOUR] += number
        state.tally[PLAYED] = step - 1
