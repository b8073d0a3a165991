"""Blocks that change places: simulated annealing whose moves begin at a seam that is in doubt.

The piece on one side of the seam names a candidate for the other, which lies elsewhere now. It is brought here, alone,
with all that is firmly joined to it, or with a rectangle around it, and what lay here goes where it came from. Where
both places are in one row or column, a strip may be shifted instead, end around. Only the seams around the blocks
change, so that a move costs a microsecond or so; and since blocks move whole, what fits well inside stays as it is.
Cells whose piece is known from a hint are fixed: nothing moves there.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernel import kernel, overwrite
from .kernels import following
from .poses import (
    UNIT,
    VOID,
    WALL,
    drawn,
    edge_at,
    flipped,
    listed,
    one_of,
    pose_with,
    rotated,
    seam,
    spun,
    stands,
    weight,
)

DOUBT = 2 * UNIT  # a seam that weighs less may be wrong
NAMED = 4  # candidates that a piece names
TRIES = 40  # to find a seam in doubt
CLEARLY = 4 * UNIT  # what a larger change of a board must gain
ALWAYS = 1e15  # a heat at which every move is accepted
MOST_STRIP = 1000  # cells of a strip that is tried as often as any
NOT = -(1 << 60)
_11, _FRACTION = np.uint64(11), 2.0**-53


class Blocks(NamedTuple):
    """Room for a move: two blocks, what lay there, and marks on the board."""

    here: NDArray[np.int32]  # [cells]
    there: NDArray[np.int32]
    were_here: NDArray[np.int32]
    were_there: NDArray[np.int32]
    mark: NDArray[np.int64]
    stamp: NDArray[np.int64]  # [1]: the latest mark
    doubtful: NDArray[np.int32]  # pieces
    fixed: NDArray[np.bool_]  # [cells]: what nothing moves


def blocks(cells: int, count: int) -> Blocks:
    """Room for a board of so many cells."""
    here, there, were_here, were_there = np.zeros((4, cells), np.int32)
    mark, stamp = np.zeros(cells, np.int64), np.zeros(1, np.int64)
    doubtful, fixed = np.zeros(count, np.int32), np.zeros(cells, np.bool_)
    return Blocks(here, there, were_here, were_there, mark, stamp, doubtful, fixed)


@kernel
def accepted(change, heat, state):
    """Metropolis: what is better always, what is worse the more rarely the worse it is."""
    if change >= 0:
        return True
    state[0] = following(state[0])
    return change > heat * np.log((np.float64(state[0] >> _11) + 1) * _FRACTION)


@kernel
def dubious(fits, table, cell, side):
    """Whether a seam may be wrong. A hole is as it should be, unless something fits it."""
    other = table.board[cell + table.step[side]]
    edge = edge_at(table.board[cell], side)
    if other == VOID:
        return listed(fits, edge)[1][0] >= 0
    return other >= 0 and weight(fits, edge, edge_at(other, side + 2)) < DOUBT


@kernel
def in_doubt(fits, table, doubtful):
    """List the pieces with a seam in doubt; how many."""
    number = 0
    for piece in range(len(table.where)):
        cell = table.where[piece]
        if cell < 0:
            continue
        for side in range(4):
            if dubious(fits, table, cell, side):
                doubtful[number] = piece
                number += 1
                break
    return number


@kernel
def doubted(fits, table, blocks, number, state):
    """A cell, a side where it is in doubt, and the pose that it names for that side; VOID if none was found."""
    for _ in range(TRIES):
        cell = table.where[blocks.doubtful[drawn(state, number)]]
        side = drawn(state, 4)
        if cell < 0 or not dubious(fits, table, cell, side):
            continue
        edge, beside = edge_at(table.board[cell], side), cell + table.step[side]
        other = table.board[beside]
        others, _ = listed(fits, edge)
        named = others[drawn(state, min(NAMED, len(others))) if drawn(state, 2) == 0 else 0]
        if named < 0 or (other >= 0 and fits.first[edge_at(other, side + 2)] == named):
            return VOID, 0, VOID
        copies = fits.number[named // fits.span]
        if copies > 1:
            named = one_of(fits, named, drawn(state, copies))
        if table.where[named // fits.span] == beside:
            return VOID, 0, VOID
        return cell, side, pose_with(named, side + 2)
    return VOID, 0, VOID


@kernel
def joined(fits, table, blocks, start, least, most):
    """The block of what is joined to a cell by seams above ``least``, up to ``most`` cells; its size."""
    stamp = blocks.stamp[0]
    blocks.here[0] = start
    blocks.mark[start] = stamp
    size, at = 1, 0
    while at < size:
        cell = blocks.here[at]
        at += 1
        for side in range(4):
            beside = cell + table.step[side]
            other = table.board[beside]
            if other < 0 or blocks.mark[beside] == stamp or seam(fits, table.board[cell], other, side) <= least:
                continue
            if size == most:
                return size
            blocks.mark[beside] = stamp
            blocks.here[size] = beside
            size += 1
    return size


@kernel
def rectangle(table, blocks, start, height, width, above, left):
    """The block of a rectangle about a cell, as far as it is in the box; its size."""
    top, first = start // table.width - above, start % table.width - left
    size = 0
    for row in range(max(top, table.box[0]), min(top + height - 1, table.box[1]) + 1):
        for col in range(max(first, table.box[2]), min(first + width - 1, table.box[3]) + 1):
            cell = row * table.width + col
            if table.board[cell] != WALL:
                blocks.here[size] = cell
                blocks.mark[cell] = blocks.stamp[0]
                size += 1
    return size


@kernel
def around(fits, table, blocks, cells, size, own, other, between):
    """What the seams and holes around a block weigh, whose cells are marked ``own``.

    Those between it and the block marked ``other`` count if ``between``; each hole counts with the piece that faces it.
    """
    weights = 0
    for i in range(size):
        pose = table.board[cells[i]]
        for side in range(4):
            beside = cells[i] + table.step[side]
            neighbour, mark = table.board[beside], blocks.mark[beside]
            if pose < 0:
                if neighbour >= 0 and mark != own and mark != other:
                    weights += fits.hole
            elif neighbour == VOID:
                weights += fits.hole
            elif neighbour >= 0 and mark != own and (between or mark != other):
                weights += seam(fits, pose, neighbour, side)
    return weights


@kernel
def standing(fits, table, cells, size):
    """What the pieces in some cells weigh by the grid."""
    weights = 0
    if fits.lies.shape[0] == 0:
        return weights
    for i in range(size):
        pose = table.board[cells[i]]
        if pose >= 0:
            weights += stands(fits, table.lines, pose, cells[i])
    return weights


@kernel
def put(table, cell, pose, span):
    """A pose, or nothing, into a cell."""
    table.board[cell] = pose
    if pose >= 0:
        table.where[pose // span] = cell


@kernel
def exchange(fits, table, blocks, size, start, target, over, turn, heat, state):
    """Let the block move so that ``start`` comes to ``target``, and what lies there back; the change, or NOT."""
    own = blocks.stamp[0]
    other = own - 1
    width = table.width
    for i in range(size):
        cell = blocks.here[i]
        if over or turn != 0:
            down, across = cell // width - start // width, cell % width - start % width
            down, across = rotated(down, -across if over else across, turn)
            row, col = target // width + down, target % width + across
            cell = row * width + col if 0 <= col < width else -1
        else:
            cell += target - start  # a block is of one piece, so that it would meet a wall before it goes round one
        if cell < 0 or cell >= len(table.board) or table.board[cell] == WALL or blocks.mark[cell] == own:
            return NOT
        if blocks.fixed[cell] or blocks.fixed[blocks.here[i]]:
            return NOT
        blocks.there[i] = cell
        blocks.mark[cell] = other
    before = around(fits, table, blocks, blocks.here, size, own, other, True)
    before += around(fits, table, blocks, blocks.there, size, other, own, False)
    before += standing(fits, table, blocks.here, size) + standing(fits, table, blocks.there, size)
    for i in range(size):
        blocks.were_here[i], blocks.were_there[i] = table.board[blocks.here[i]], table.board[blocks.there[i]]
    for i in range(size):
        pose = blocks.were_here[i]
        if pose >= 0:
            pose = spun(flipped(pose) if over else pose, turn)
        put(table, blocks.there[i], pose, fits.span)
        pose = blocks.were_there[i]
        if pose >= 0:
            pose = spun(pose, -turn)
            pose = flipped(pose) if over else pose
        put(table, blocks.here[i], pose, fits.span)
    after = around(fits, table, blocks, blocks.here, size, own, other, True)
    after += around(fits, table, blocks, blocks.there, size, other, own, False)
    after += standing(fits, table, blocks.here, size) + standing(fits, table, blocks.there, size)
    if accepted(after - before, heat, state):
        return after - before
    for i in range(size):
        put(table, blocks.here[i], blocks.were_here[i], fits.span)
        put(table, blocks.there[i], blocks.were_there[i], fits.span)
    return NOT


@kernel
def joint(fits, table, blocks, size, length, at, side):
    """The weights of the seams before place ``at`` of every line of a strip; ``around`` counts its holes."""
    weights = 0
    for i in range(at, size, length):
        pose, other = table.board[blocks.here[i - 1]], table.board[blocks.here[i]]
        if pose >= 0 and other >= 0:
            weights += seam(fits, pose, other, side)
    return weights


@kernel
def replace(fits, table, blocks, cell, pose, heat, state):
    """Lay a piece that was left out, and leave out what lies there; the change, or NOT."""
    own = blocks.stamp[0]
    if blocks.fixed[cell]:
        return NOT
    blocks.here[0], blocks.mark[cell] = cell, own
    was = table.board[cell]
    before = around(fits, table, blocks, blocks.here, 1, own, own - 1, True) + standing(fits, table, blocks.here, 1)
    put(table, cell, pose, fits.span)
    after = around(fits, table, blocks, blocks.here, 1, own, own - 1, True) + standing(fits, table, blocks.here, 1)
    change = after - before
    if accepted(change, heat, state):
        if was >= 0:
            table.where[was // fits.span] = VOID
        return change
    table.where[pose // fits.span] = VOID
    put(table, cell, was, fits.span)
    return NOT


@kernel
def reach(state, bits):
    """A length, short ones as likely as long ones."""
    return drawn(state, 1 << drawn(state, bits))


@kernel
def shift(fits, table, blocks, start, target, heat, state):
    """Let a strip shift so that ``start`` comes to ``target`` in its row or column, end around; the change, or NOT."""
    width, box = table.width, table.box
    level = start // width == target // width
    if level:
        begin, end, band = start % width, target % width, start // width
        near, far, top, bottom = box[2], box[3], box[0], box[1]
    else:
        begin, end, band = start // width, target // width, start % width
        near, far, top, bottom = box[0], box[1], box[2], box[3]
    depth = 1 + reach(state, 4)
    first = max(top, band - drawn(state, depth))
    last = min(bottom, first + depth - 1)
    if drawn(state, 3) == 0:
        first = top
    elif drawn(state, 3) == 0:
        last = bottom
    left = near if drawn(state, 3) == 0 else max(near, min(begin, end) - reach(state, 6))
    right = far if drawn(state, 3) == 0 else min(far, max(begin, end) + reach(state, 6))
    length = right - left + 1
    cells = length * (last - first + 1)
    if cells > MOST_STRIP and drawn(state, cells) >= MOST_STRIP:  # as dear as it is, as rare
        return NOT
    own, size = blocks.stamp[0], 0
    for i in range(first, last + 1):
        for j in range(left, right + 1):
            cell = i * width + j if level else j * width + i
            if table.board[cell] == WALL or blocks.fixed[cell]:
                return NOT
            blocks.here[size] = cell
            blocks.mark[cell] = own
            size += 1
    way, side = (end - begin) % length, 1 if level else 2
    before = around(fits, table, blocks, blocks.here, size, own, own - 1, True)
    before += joint(fits, table, blocks, size, length, length - way, side) + standing(fits, table, blocks.here, size)
    for i in range(size):
        blocks.were_here[i] = table.board[blocks.here[i]]
    for i in range(size):
        put(table, blocks.here[i - i % length + (i + way) % length], blocks.were_here[i], fits.span)
    after = around(fits, table, blocks, blocks.here, size, own, own - 1, True)
    after += joint(fits, table, blocks, size, length, way, side) + standing(fits, table, blocks.here, size)
    if accepted(after - before, heat, state):
        return after - before
    for i in range(size):
        put(table, blocks.here[i], blocks.were_here[i], fits.span)
    return NOT


@kernel
def anneal(fits, table, blocks, moves, hot, cold, state):
    """Try so many moves while the heat falls; the change of the total."""
    number = in_doubt(fits, table, blocks.doubtful)
    gained = 0
    if number == 0:
        return gained
    for move in range(moves):
        heat = hot * (cold / hot) ** (move / moves)
        cell, side, pose = doubted(fits, table, blocks, number, state)
        if cell < 0:
            continue
        target = cell + table.step[side]
        start = table.where[pose // fits.span]
        blocks.stamp[0] += 2
        if start < 0:
            change = replace(fits, table, blocks, target, pose, heat, state)
            if change != NOT:
                gained += change
            continue
        over = ((table.board[start] ^ pose) & ~3) != 0
        turn = (pose - (flipped(table.board[start]) if over else table.board[start])) & 3
        aligned = start // table.width == target // table.width or start % table.width == target % table.width
        if aligned and not over and turn == 0 and drawn(state, 8) == 0:
            change = shift(fits, table, blocks, start, target, heat, state)
        else:
            kind = drawn(state, 3)
            if kind == 0:
                size = rectangle(table, blocks, start, 1, 1, 0, 0)
            elif kind == 1:
                size = joined(fits, table, blocks, start, drawn(state, 5) * UNIT - UNIT // 2, 1 + reach(state, 7))
            else:
                height, width = 1 + reach(state, 4), 1 + reach(state, 4)
                size = rectangle(table, blocks, start, height, width, drawn(state, height), drawn(state, width))
            if blocks.mark[cell] == blocks.stamp[0]:
                continue
            change = exchange(fits, table, blocks, size, start, target, over, turn, heat, state)
        if change != NOT:
            gained += change
    return gained


@kernel
def turned_by(table, start, pose):
    """Whether the piece in a cell must be turned over to lie in a pose, and how far it must be turned then."""
    over = ((table.board[start] ^ pose) & ~3) != 0
    return over, (pose - (flipped(table.board[start]) if over else table.board[start])) & 3


@kernel
def bring(fits, table, blocks, pose, target, tries, state, board, where):
    """Bring a piece into a cell together with the block around it that makes most of the move; the change, or NOT.

    So many blocks are tried, the piece alone first. The less moves, the better: another block must clearly be worth
    more. ``board`` and ``where`` are room for the best.
    """
    start = table.where[pose // fits.span]
    over, turn = turned_by(table, start, pose)
    began, lay = table.board.copy(), table.where.copy()
    aligned = start // table.width == target // table.width or start % table.width == target % table.width
    best = NOT
    for number in range(tries):
        blocks.stamp[0] += 2
        if number > 0 and aligned and not over and turn == 0 and drawn(state, 2) == 0:
            change = shift(fits, table, blocks, start, target, ALWAYS, state)
        else:
            if number == 0:
                size = rectangle(table, blocks, start, 1, 1, 0, 0)
            elif drawn(state, 2) == 0:
                size = joined(fits, table, blocks, start, drawn(state, 5) * UNIT - UNIT // 2, 1 + reach(state, 9))
            else:
                height, width = 1 + reach(state, 5), 1 + reach(state, 5)
                size = rectangle(table, blocks, start, height, width, drawn(state, height), drawn(state, width))
            change = exchange(fits, table, blocks, size, start, target, over, turn, ALWAYS, state)
        if change == NOT:
            continue
        if change > best + (CLEARLY if best != NOT else 0):
            best = change
            overwrite(board, table.board)
            overwrite(where, table.where)
        overwrite(table.board, began)
        overwrite(table.where, lay)
    if best != NOT:
        overwrite(table.board, board)
        overwrite(table.where, where)
    return best
