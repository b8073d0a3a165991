"""Pieces laid one by one around those that lie: always where, with its neighbours, a piece is most certain.

The board has walls, and a box that all pieces must stay within; the box floats as long as it is not full. What no
list of candidates knows a place for is laid last, where the mean colours of its edges differ least.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernel import kernel
from .joining import EAGER
from .poses import VOID, edge_at, holds, listed, pose_with, stands

FORCED = -(1 << 30)  # a least weight that every place has


class Table(NamedTuple):
    """A board, and room for what growing needs."""

    board: NDArray[np.int32]  # [cells]: poses, VOID or WALL
    where: NDArray[np.int32]  # [pieces]: cells, or VOID
    step: NDArray[np.int64]  # to the neighbour at each side
    box: NDArray[np.int64]  # top, bottom, left, right of what lies
    width: int
    sums: NDArray[np.int32]  # [poses]
    found: NDArray[np.int32]
    lines: NDArray[np.int8]  # [cells, 2]: where the lines of the grid lie, seen from a cell's left and top
    spares: NDArray[np.int32]  # [pieces]: how many that look like this one are laid for certain
    version: NDArray[np.int32]  # [cells]: of the cell's neighbourhood
    gains: NDArray[np.int32]  # the queue: what a pose weighs, in which cell, at what version
    cells: NDArray[np.int32]
    poses: NDArray[np.int32]
    versions: NDArray[np.int32]

    def copied(self) -> "Table":
        """One that shares nothing with this one."""
        return self._replace(**{name: part.copy() for name, part in self._asdict().items() if name != "width"})


def empty_table(rows: int, cols: int, count: int, span: int, most: int) -> Table:
    """An empty board of so many rows and columns inside its walls."""
    cells, width = (rows + 2) * (cols + 2), cols + 2
    gains, places, poses, versions = np.zeros((4, 6 * cells + 4 * count), np.int32)
    return Table(
        board=walled(rows, cols),
        where=np.full(count, VOID, np.int32),
        step=np.array([-width, 1, width, -1]),
        box=np.array([rows, 1, cols, 1]),  # of nothing
        width=width,
        sums=np.zeros(count * span, np.int32),
        found=np.zeros(4 * most, np.int32),
        lines=np.zeros((cells, 2), np.int8),
        spares=np.zeros(count, np.int32),
        version=np.zeros(cells, np.int32),
        gains=gains,
        cells=places,
        poses=poses,
        versions=versions,
    )


def walled(rows: int, cols: int) -> NDArray[np.int32]:
    """Empty cells with a wall around them, flat."""
    board = np.full((rows + 2, cols + 2), -2, np.int32)
    board[1:-1, 1:-1] = VOID
    return board.ravel()


@kernel
def spare(fits, table, piece):
    """A piece not yet laid that looks like this one, or VOID. While pieces are only laid, none before it is left."""
    while table.spares[piece] < fits.number[piece]:
        other = fits.alike[fits.begin[piece] + table.spares[piece]]
        if table.where[other] < 0:
            return other
        table.spares[piece] += 1
    return VOID


@kernel
def likeliest(fits, table, cell):
    """The pose of a piece not yet laid that weighs most in a cell with its neighbours, and what it weighs."""
    found = neighbours = 0
    for side in range(4):
        neighbour = table.board[cell + table.step[side]]
        if neighbour < 0:
            continue
        neighbours += 1
        others, weights = listed(fits, edge_at(neighbour, side + 2))
        for k in range(len(others)):
            if others[k] < 0:
                break
            if spare(fits, table, others[k] // fits.span) < 0:
                continue
            pose = pose_with(others[k], side)
            if table.sums[pose] == 0:
                table.found[found] = pose
                found += 1
            table.sums[pose] += weights[k] - fits.worst + 1  # more than nothing, so that 0 means not found
    best, most = VOID, FORCED
    for k in range(found):
        pose = table.found[k]
        weight = table.sums[pose] + stands(fits, table.lines, pose, cell)
        table.sums[pose] = 0
        if weight > most:
            best, most = pose, weight
    if best >= 0:
        best = spare(fits, table, best // fits.span) * fits.span + best % fits.span
    return best, most + neighbours * (fits.worst - 1), neighbours


@kernel
def within(table, limits, cell):
    """Whether the box still holds with this cell in it."""
    row, col = cell // table.width, cell % table.width
    box = table.box
    return holds(limits, max(box[1], row) - min(box[0], row) + 1, max(box[3], col) - min(box[2], col) + 1)


@kernel
def lay(table, cell, pose, span):
    """Put a piece on the board."""
    table.board[cell] = pose
    table.where[pose // span] = cell
    row, col = cell // table.width, cell % table.width
    box = table.box
    box[0], box[1], box[2], box[3] = min(box[0], row), max(box[1], row), min(box[2], col), max(box[3], col)


@kernel
def look(fits, table, cell, limits, least, length):
    """Queue what is likeliest in a cell, if it is empty and within the limits; the queue's new length."""
    if table.board[cell] != VOID or not within(table, limits, cell):
        return length
    table.version[cell] += 1
    pose, weight, neighbours = likeliest(fits, table, cell)
    if pose < 0 or weight <= least:
        return length
    return queued(table, length, weight + neighbours * EAGER, cell, pose)


@kernel
def queued(table, length, gain, cell, pose):
    """Into the queue; its new length."""
    at = length
    while at > 0 and table.gains[(at - 1) >> 1] < gain:
        above = (at - 1) >> 1
        table.gains[at], table.cells[at] = table.gains[above], table.cells[above]
        table.poses[at], table.versions[at] = table.poses[above], table.versions[above]
        at = above
    table.gains[at], table.cells[at], table.poses[at], table.versions[at] = gain, cell, pose, table.version[cell]
    return length + 1


@kernel
def dropped(table, length):
    """The queue without its first; its new length."""
    length -= 1
    gain, cell, pose, version = table.gains[length], table.cells[length], table.poses[length], table.versions[length]
    at = 0
    while 2 * at + 1 < length:
        below = 2 * at + 1
        if below + 1 < length and table.gains[below + 1] > table.gains[below]:
            below += 1
        if table.gains[below] <= gain:
            break
        table.gains[at], table.cells[at] = table.gains[below], table.cells[below]
        table.poses[at], table.versions[at] = table.poses[below], table.versions[below]
        at = below
    table.gains[at], table.cells[at], table.poses[at], table.versions[at] = gain, cell, pose, version
    return length


@kernel
def grow(fits, table, limits, least):
    """Lay pieces next to those that lie as long as one weighs more than ``least``; how many were laid."""
    length = laid = 0
    table.spares[:] = 0
    for piece in range(len(table.where)):
        if table.where[piece] >= 0:
            for side in range(4):
                cell = table.where[piece] + table.step[side]
                if table.board[cell] == VOID:
                    length = look(fits, table, cell, limits, least, length)
    while length > 0:
        cell, pose, version = table.cells[0], table.poses[0], table.versions[0]
        length = dropped(table, length)
        if table.board[cell] != VOID or version != table.version[cell] or not within(table, limits, cell):
            continue
        if table.where[pose // fits.span] >= 0:  # laid elsewhere meanwhile
            length = look(fits, table, cell, limits, least, length)
            continue
        lay(table, cell, pose, fits.span)
        laid += 1
        for side in range(4):
            length = look(fits, table, cell + table.step[side], limits, least, length)
    return laid


@kernel
def enclosed(table, cell):
    """Neighbours of a cell that lie."""
    neighbours = 0
    for side in range(4):
        neighbours += table.board[cell + table.step[side]] >= 0
    return neighbours


@kernel
def nearest(table, means, cell, loose, number, turns, span):
    """Of the loose pieces the one, and its pose, whose edges differ least in colour from those around a cell."""
    best, at, least = VOID, 0, np.inf
    last = means.shape[1] - 1
    for i in range(number):
        for turn in turns:  # 4 and more are turns of the back
            pose = loose[i] * span + turn
            apart = 0.0
            for side in range(4):
                neighbour = table.board[cell + table.step[side]]
                if neighbour < 0 or apart >= least:
                    continue
                ours, theirs = means[edge_at(pose, side)], means[edge_at(neighbour, side + 2)]
                for x in range(last + 1):
                    for band in range(3):
                        apart += abs(ours[x, band] - theirs[last - x, band])
            if apart < least:
                best, at, least = pose, i, apart
    return best, at


@kernel
def fill(table, means, turns, span):
    """Lay what is left into the box, cells with most neighbours first; how many found room."""
    box = table.box
    loose = np.flatnonzero(table.where < 0)
    number, length, laid = len(loose), 0, 0
    for row in range(box[0], box[1] + 1):
        for cell in range(row * table.width + box[2], row * table.width + box[3] + 1):
            if table.board[cell] == VOID:
                table.version[cell] += 1
                length = queued(table, length, enclosed(table, cell), cell, 0)
    while number > 0 and length > 0:
        cell, version = table.cells[0], table.versions[0]
        length = dropped(table, length)
        if table.board[cell] != VOID or version != table.version[cell]:
            continue
        pose, at = nearest(table, means, cell, loose, number, turns, span)
        lay(table, cell, pose, span)
        number -= 1
        loose[at] = loose[number]
        laid += 1
        for side in range(4):
            beside = cell + table.step[side]
            row, col = beside // table.width, beside % table.width
            if table.board[beside] == VOID and box[0] <= row <= box[1] and box[2] <= col <= box[3]:
                table.version[beside] += 1
                length = queued(table, length, enclosed(table, beside), beside, 0)
    return laid
