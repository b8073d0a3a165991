"""Islands that join: every piece begins as one, and the two whose contact weighs most become one, again and again.

A contact is judged by all the seams it makes, not only by the one that proposed it: seams that close a loop agree or
not, and the larger the islands, the more certain the contact. Islands that overlap, or would not fit the frame, never
join. What proposes a contact is a pair of edges; the queue of them is lazy: a weight that has become less since is
looked at again when its turn comes, one that has become more was queued again when its island grew.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernel import kernel
from .poses import ACROSS, DOWN, PERIOD, UNIT, VOID, behind, flipped, holds, listed, one_of, rotated, seam, spun

PROPOSED = 8  # candidates that each open edge proposes
TRIES = 16  # to find one of several pieces that look alike
LEAST = -4 * UNIT  # weight of a pair that is proposed
EAGER = 5 * UNIT  # for every seam of a contact: most of what one seam has against it from the start counts but once
NONE = -(1 << 40)  # less than anything weighs
_OFFSET = 1 << 20
_SPREAD = np.int64(-7046029254386353131)


class Islands(NamedTuple):
    """Which island each piece is part of, and where; the members of each; which piece is where; the queue."""

    of: NDArray[np.int32]  # [pieces]
    row: NDArray[np.int32]
    col: NDArray[np.int32]
    pose: NDArray[np.int32]
    since: NDArray[np.int32]  # how many joins there were when a piece first was not alone; 0 for one that still is
    after: NDArray[np.int32]  # the next member, VOID after the last
    first: NDArray[np.int32]  # [islands]
    last: NDArray[np.int32]
    size: NDArray[np.int32]
    box: NDArray[np.int32]  # [islands, 4]: top, bottom, left, right
    lines: NDArray[np.int32]  # [islands, 2, PERIOD]: what its pieces weigh by where lines of the grid lie in it
    keys: NDArray[np.int64]  # a table by island, row and column
    pieces: NDArray[np.int32]
    taken: NDArray[np.int64]  # [1]: places of the table
    gains: NDArray[np.int32]  # the queue: what a contact weighs, and the edges that touch
    ours: NDArray[np.int32]
    theirs: NDArray[np.int32]
    moving: NDArray[np.int32]  # [2, PERIOD]: room for one that moves


def alone(count: int, span: int) -> Islands:
    """Every piece an island of its own."""
    pieces = np.arange(count, dtype=np.int32)
    table, queue = 1 << (16 * count + 64).bit_length(), 200 * count + 1000
    return Islands(
        of=pieces.copy(),
        row=np.zeros(count, np.int32),
        col=np.zeros(count, np.int32),
        pose=pieces * np.int32(span),
        since=np.zeros(count, np.int32),
        after=np.full(count, VOID, np.int32),
        first=pieces.copy(),
        last=pieces.copy(),
        size=np.ones(count, np.int32),
        box=np.zeros((count, 4), np.int32),
        lines=np.zeros((count, 2, PERIOD), np.int32),
        keys=np.full(table, VOID, np.int64),
        pieces=np.zeros(table, np.int32),
        taken=np.zeros(1, np.int64),
        gains=np.zeros(queue, np.int32),
        ours=np.zeros(queue, np.int32),
        theirs=np.zeros(queue, np.int32),
        moving=np.zeros((2, PERIOD), np.int32),
    )


@kernel
def place(islands, island, row, col):
    """Where in the table a piece is, or would be."""
    key = (np.int64(island) << 42) | (np.int64(row + _OFFSET) << 21) | np.int64(col + _OFFSET)
    mask = len(islands.keys) - 1
    at = np.multiply(key, _SPREAD)  # uncompiled, * would warn of overflow
    at = (at ^ (at >> 32)) & mask
    while islands.keys[at] != VOID and islands.keys[at] != key:
        at = (at + 1) & mask
    return at, key


@kernel
def put(islands, piece):
    """A piece into the table."""
    at, key = place(islands, islands.of[piece], islands.row[piece], islands.col[piece])
    if islands.keys[at] == VOID:
        islands.taken[0] += 1
    islands.keys[at] = key
    islands.pieces[at] = piece


@kernel
def tabulate(islands):
    """The table anew, without what islands were before they joined."""
    islands.keys[:] = VOID
    islands.taken[0] = 0
    for piece in range(len(islands.of)):
        put(islands, piece)


@kernel
def begin(fits, islands):
    """Put down where pieces are, and what they say of the grid."""
    tabulate(islands)
    islands.lines[:] = 0
    for piece in range(len(islands.of)):
        tell(fits, islands.lines[islands.of[piece]], islands.pose[piece], islands.row[piece], islands.col[piece])


@kernel
def broken(fits, board, where, step, width, least, islands):
    """Islands of what a board holds together by seams above ``least``."""
    for piece in range(len(where)):
        if where[piece] < 0 or islands.size[islands.of[piece]] > 1 or islands.of[piece] != piece:
            continue
        last = piece
        hold(islands, board, where, width, piece, piece)
        at = piece
        while at != VOID:
            cell = where[at]
            for side in range(4):
                other = board[cell + step[side]]
                if other >= 0 and seam(fits, board[cell], other, side) > least:
                    beside = other // fits.span
                    if islands.of[beside] == beside and islands.size[beside] == 1 and beside != piece:
                        islands.after[last], islands.size[beside] = beside, 0
                        hold(islands, board, where, width, beside, piece)
                        last = beside
                        islands.size[piece] += 1
            at = islands.after[at]
        islands.last[piece] = last


@kernel
def hold(islands, board, where, width, piece, island):
    """A piece in an island, where it lies on a board."""
    row, col = where[piece] // width, where[piece] % width
    islands.of[piece], islands.pose[piece] = island, board[where[piece]]
    islands.row[piece], islands.col[piece] = row, col
    box = islands.box[island]
    if piece == island:
        box[0], box[1], box[2], box[3] = row, row, col, col
    box[0], box[1], box[2], box[3] = min(box[0], row), max(box[1], row), min(box[2], col), max(box[3], col)


@kernel
def lying(islands, island, row, col):
    """The pose at a place of an island, or VOID."""
    box = islands.box[island]
    if row < box[0] or row > box[1] or col < box[2] or col > box[3]:
        return VOID
    at, _ = place(islands, island, row, col)
    return VOID if islands.keys[at] == VOID else islands.pose[islands.pieces[at]]


@kernel
def motion(islands, edge, other, span):
    """What moves an edge's island so that the edge faces another: over or not, turn, row and column of its piece."""
    piece, neighbour = edge // span, other // span
    side = (other - islands.pose[neighbour]) & 3  # of the neighbour, as its island lies
    over = ((edge ^ islands.pose[piece]) & ~3) != 0
    pose = flipped(islands.pose[piece]) if over else islands.pose[piece]
    turn = (edge - side - 2 - pose) & 3
    return over, turn, islands.row[neighbour] + DOWN[side], islands.col[neighbour] + ACROSS[side]


@kernel
def moved(row, col, pose, pivot_row, pivot_col, over, turn, to_row, to_col):
    """Where a member comes to lie, and how, when its island is moved about a pivot."""
    down, across = row - pivot_row, col - pivot_col
    if over:
        across, pose = -across, flipped(pose)
    down, across = rotated(down, across, turn)
    return to_row + down, to_col + across, spun(pose, turn)


@kernel
def carried(islands, piece, pivot_row, pivot_col, over, turn, to_row, to_col):
    """The same of a piece."""
    row, col, pose = islands.row[piece], islands.col[piece], islands.pose[piece]
    return moved(row, col, pose, pivot_row, pivot_col, over, turn, to_row, to_col)


@kernel
def contact(fits, islands, edge, other, limits):
    """Whether an edge's island can go where the edge faces another; what the seams weigh then, and how many."""
    span = fits.span
    island, target = islands.of[edge // span], islands.of[other // span]
    over, turn, to_row, to_col = motion(islands, edge, other, span)
    pivot_row, pivot_col = islands.row[edge // span], islands.col[edge // span]
    box, there = islands.box[island], islands.box[target]
    top, bottom, left, right = there[0], there[1], there[2], there[3]
    for vertical in range(2):
        for horizontal in range(2, 4):
            row, col, _ = moved(box[vertical], box[horizontal], 0, pivot_row, pivot_col, over, turn, to_row, to_col)
            top, bottom, left, right = min(top, row), max(bottom, row), min(left, col), max(right, col)
    if not holds(limits, bottom - top + 1, right - left + 1):
        return False, 0, 0
    weights = seams = 0
    moving = islands.moving
    moving[:] = 0
    piece = islands.first[island]
    while piece != VOID:
        row, col, pose = carried(islands, piece, pivot_row, pivot_col, over, turn, to_row, to_col)
        tell(fits, moving, pose, row, col)
        if there[0] - 1 <= row <= there[1] + 1 and there[2] - 1 <= col <= there[3] + 1:
            if lying(islands, target, row, col) != VOID:
                return False, 0, 0
            for side in range(4):
                neighbour = lying(islands, target, row + DOWN[side], col + ACROSS[side])
                if neighbour != VOID:
                    weights += seam(fits, pose, neighbour, side)
                    seams += 1
        piece = islands.after[piece]
    return True, weights + agreed(moving, islands.lines[target]), seams


@kernel
def tell(fits, lines, pose, row, col):
    """Add what a pose weighs by where lines of the grid lie, counted from the left and top of row and column 0."""
    if fits.lies.shape[0] == 0:
        return
    for axis in range(2):
        at = (-fits.width * col if axis == 0 else -fits.height * row) % PERIOD
        lies = fits.lies[pose, axis]
        for place in range(PERIOD):
            lines[axis, place] += lies[(at + place) % PERIOD]


@kernel
def agreed(lines, others):
    """What two islands weigh less together than each by itself, since they lie on one grid then."""
    weights = 0
    for axis in range(2):
        one = two = both = NONE
        for place in range(PERIOD):
            one, two = max(one, lines[axis, place]), max(two, others[axis, place])
            both = max(both, lines[axis, place] + others[axis, place])
        weights += both - one - two
    return weights


@kernel
def queued(islands, length, gain, edge, other):
    """Into the queue, unless it is full; its new length."""
    gains, ours, theirs = islands.gains, islands.ours, islands.theirs
    if length == len(gains):
        return length
    at = length
    while at > 0 and gains[(at - 1) >> 1] < gain:
        above = (at - 1) >> 1
        gains[at], ours[at], theirs[at] = gains[above], ours[above], theirs[above]
        at = above
    gains[at], ours[at], theirs[at] = gain, edge, other
    return length + 1


@kernel
def dropped(islands, length):
    """The queue without its first; its new length."""
    gains, ours, theirs = islands.gains, islands.ours, islands.theirs
    length -= 1
    gain, edge, other = gains[length], ours[length], theirs[length]
    at = 0
    while 2 * at + 1 < length:
        below = 2 * at + 1
        if below + 1 < length and gains[below + 1] > gains[below]:
            below += 1
        if gains[below] <= gain:
            break
        gains[at], ours[at], theirs[at] = gains[below], ours[below], theirs[below]
        at = below
    gains[at], ours[at], theirs[at] = gain, edge, other
    return length


@kernel
def propose(fits, islands, piece, length, limits):
    """Queue the contacts that a piece's open edges ask for."""
    span = fits.span
    pose = islands.pose[piece]
    for edge in range(piece * span, (piece + 1) * span):
        if (pose & ~3) == (edge & ~3):
            side = (edge - pose) & 3
            if (
                lying(islands, islands.of[piece], islands.row[piece] + DOWN[side], islands.col[piece] + ACROSS[side])
                >= 0
            ):
                continue
        others, weights = listed(fits, edge)
        for k in range(min(PROPOSED, len(others))):
            if others[k] < 0 or weights[k] < LEAST:
                break
            other = still_alone(fits, islands, others[k], piece)
            if other < 0 or islands.of[other // span] == islands.of[piece]:
                continue
            one, two = smaller(islands, edge, other, span)
            possible, gain, seams = contact(fits, islands, one, two, limits)
            if possible:
                gain += seams * EAGER
                length = queued(islands, length, gain, one, two)
    return length


@kernel
def still_alone(fits, islands, edge, piece):
    """This edge of a piece that looks alike and has not joined another yet, or VOID; if there is but one, of that."""
    number = fits.number[edge // fits.span]
    if number == 1:
        return edge
    for k in range(min(number, TRIES)):
        other = one_of(fits, edge, (piece + k) % number)
        if islands.size[islands.of[other // fits.span]] == 1 and other // fits.span != piece:
            return other
    return VOID


@kernel
def smaller(islands, edge, other, span):
    """Both edges, that of the smaller island first: it is the one to move, to the face that the other shows."""
    if islands.size[islands.of[edge // span]] > islands.size[islands.of[other // span]]:
        edge, other = other, edge
    if (other ^ islands.pose[other // span]) & ~3:  # its other face is up: the same seam, seen from there
        return behind(edge), behind(other)
    return edge, other


@kernel
def join(fits, islands, edge, other):
    """Move an edge's island to the other's; returns its first member, which the rest follow."""
    span = fits.span
    island, target = islands.of[edge // span], islands.of[other // span]
    over, turn, to_row, to_col = motion(islands, edge, other, span)
    pivot_row, pivot_col = islands.row[edge // span], islands.col[edge // span]
    box = islands.box[target]
    piece = islands.first[island]
    while piece != VOID:
        row, col, pose = carried(islands, piece, pivot_row, pivot_col, over, turn, to_row, to_col)
        tell(fits, islands.lines[target], pose, row, col)
        islands.row[piece], islands.col[piece], islands.pose[piece], islands.of[piece] = row, col, pose, target
        put(islands, piece)
        box[0], box[1], box[2], box[3] = min(box[0], row), max(box[1], row), min(box[2], col), max(box[3], col)
        piece = islands.after[piece]
    begin = islands.first[island]
    islands.after[islands.last[target]] = begin
    islands.last[target] = islands.last[island]
    islands.size[target] += islands.size[island]
    islands.size[island] = 0
    return begin


@kernel
def agglomerate(fits, islands, limits, least):
    """Join islands until no contact weighs more than ``least``; the number of joins."""
    begin(fits, islands)
    length = joins = 0
    for piece in range(len(islands.of)):
        length = propose(fits, islands, piece, length, limits)
    while length > 0:
        gain, edge, other = islands.gains[0], islands.ours[0], islands.theirs[0]
        length = dropped(islands, length)
        if islands.of[edge // fits.span] == islands.of[other // fits.span]:
            continue
        edge, other = smaller(islands, edge, other, fits.span)
        possible, weights, seams = contact(fits, islands, edge, other, limits)
        if not possible:
            continue
        now = weights + seams * EAGER
        if now < gain and length > 0 and now < islands.gains[0]:
            length = queued(islands, length, now, edge, other)
            continue
        if weights <= least:
            continue
        joins += 1
        for piece in (edge // fits.span, other // fits.span):
            if islands.since[piece] == 0:
                islands.since[piece] = joins
        piece = join(fits, islands, edge, other)
        if 2 * islands.taken[0] > len(islands.keys):
            tabulate(islands)
        while piece != VOID:
            length = propose(fits, islands, piece, length, limits)
            piece = islands.after[piece]
    return joins
