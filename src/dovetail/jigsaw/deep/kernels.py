"""The hot loops of ``arranging.py``: every board of a small puzzle, or moves on one board of a large one.

A board always is full: where patches are missing, blanks fill it, which the tables know too. Around it lies a wall,
numbered like one more cell and holding one more patch that no seam says anything of, so that no loop asks for borders.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernel import kernel, overwrite
from ..annealing import accepted
from ..poses import drawn

UP, RIGHT, DOWN, LEFT = range(4)
NAMED = 3  # candidates that a patch names for one of its sides
GUIDED = 3  # moves of 4 that bring together what names each other, when annealing
SWAPS = 12  # moves of 16 that exchange two patches only
SHIFTS = 14  # and those up to this one shift a strip; the others exchange rectangles
NEGLIGIBLE = 40.0  # nats below the best board, beyond which all boards of ten patches together weigh nothing


class Seats(NamedTuple):
    """What is known before a patch is laid."""

    pair: NDArray[np.float32]  # [4, cells + 1, cells + 1]: the second patch at that side of the first; 0 at the wall
    place: NDArray[np.float32]  # [cells + 1, cells + 1]: of a patch in a cell; 0 at the wall
    beside: NDArray[np.int32]  # [cells, 4]: the cell at that side, or the wall, which is ``cells``
    named: NDArray[np.int32]  # [4, cells, named]: who may lie at that side of a patch, likeliest first
    free: NDArray[np.bool_]  # [cells + 1]: whether the cell may change; the wall may not
    cols: int


class Room(NamedTuple):
    """Room for a move."""

    cells: NDArray[np.int32]  # [cells]: those that change
    patches: NDArray[np.int32]  # [cells]: what they get
    mark: NDArray[np.bool_]  # [cells + 1]: whether a cell is among them; all False between two moves


@kernel
def around(seats, board, room, size):
    """What the cells that change weigh, with all their seams; those between two of them once."""
    weight = 0.0
    for i in range(size):
        cell = room.cells[i]
        patch = board[cell]
        weight += seats.place[patch, cell]
        for side in range(4):
            beside = seats.beside[cell, side]
            seam = seats.pair[side, patch, board[beside]]
            weight += 0.5 * seam if room.mark[beside] else seam
    return weight


@kernel
def exchange(board, where, room, size):
    """Give the cells what they get, and note what they held, so that a second call takes it back."""
    for i in range(size):
        cell, patch = room.cells[i], room.patches[i]
        room.patches[i] = board[cell]
        board[cell] = patch
        where[patch] = cell


@kernel
def tried(seats, board, where, room, size, heat, state):
    """Make the move if it is accepted; the change of the score, 0 if it is not."""
    for i in range(size):
        room.mark[room.cells[i]] = True
    before = around(seats, board, room, size)
    exchange(board, where, room, size)
    change = around(seats, board, room, size) - before
    for i in range(size):
        room.mark[room.cells[i]] = False
    if accepted(change, heat, state):
        return change
    exchange(board, where, room, size)
    return 0.0


@kernel
def swapped(seats, board, where, here, there, heat, state):
    """Two patches change places if that is accepted; the change of the score, 0 if it is not."""
    if not (seats.free[here] and seats.free[there]):
        return 0.0
    pair, beside = seats.pair, seats.beside
    patch, other = board[here], board[there]
    change = np.float64(seats.place[other, here]) - seats.place[patch, here]
    change += np.float64(seats.place[patch, there]) - seats.place[other, there]
    for side in range(4):
        near, far = beside[here, side], beside[there, side]
        if near == there:  # they are neighbours: the seam between them counts once
            change += pair[side, other, patch] - pair[side, patch, other]
        else:
            change += pair[side, other, board[near]] - pair[side, patch, board[near]]
        if far != here:
            change += pair[side, patch, board[far]] - pair[side, other, board[far]]
    if not accepted(change, heat, state):
        return 0.0
    board[here], board[there] = other, patch
    where[other], where[patch] = here, there
    return change


@kernel
def rectangles(seats, board, room, here, there, state):
    """Two rectangles about these cells change places; how many cells change, 0 if they do not fit or overlap."""
    cols = seats.cols
    rows = len(seats.beside) // cols
    above, below, before, after = drawn(state, 3), drawn(state, 3), drawn(state, 3), drawn(state, 3)
    down, across = there // cols - here // cols, there % cols - here % cols
    height, width = above + below + 1, before + after + 1
    top, left = here // cols - above, here % cols - before
    if min(top, top + down) < 0 or max(top, top + down) + height > rows:
        return 0
    if min(left, left + across) < 0 or max(left, left + across) + width > cols:
        return 0
    if abs(down) < height and abs(across) < width:
        return 0
    size = 0
    for row in range(top, top + height):
        for col in range(left, left + width):
            first = row * cols + col
            second = first + down * cols + across
            if not (seats.free[first] and seats.free[second]):
                return 0
            room.cells[size], room.cells[size + 1] = first, second
            room.patches[size], room.patches[size + 1] = board[second], board[first]
            size += 2
    return size


@kernel
def strip(seats, board, room, here, there, state):
    """What lies between two cells shifts along its rows or its columns, end around; how many cells change."""
    cols = seats.cols
    rows = len(seats.beside) // cols
    top, bottom = min(here // cols, there // cols), max(here // cols, there // cols)
    left, right = min(here % cols, there % cols), max(here % cols, there % cols)
    if drawn(state, 3) == 0:
        top, bottom = 0, rows - 1
    if drawn(state, 3) == 0:
        left, right = 0, cols - 1
    height, width = bottom - top + 1, right - left + 1
    if height * width == 1:
        return 0
    level = height == 1 or (width > 1 and drawn(state, 2) == 0)
    length = width if level else height
    way = 1 + drawn(state, length - 1)
    if drawn(state, 2) == 0:  # by one is the commonest mistake
        way = 1 if drawn(state, 2) == 0 else length - 1
    size = 0
    for row in range(height):
        for col in range(width):
            cell = (top + row) * cols + left + col
            if level:
                source = (top + row) * cols + left + (col + way) % length
            else:
                source = (top + (row + way) % length) * cols + left + col
            if not seats.free[cell]:
                return 0
            room.cells[size], room.patches[size] = cell, board[source]
            size += 1
    return size


@kernel
def moved(seats, board, where, room, guided, heat, state):
    """Try one move; ``guided`` of 4 bring a patch to the side of another that names it, the others are by chance."""
    cells = len(seats.beside)
    here = drawn(state, cells)
    if drawn(state, 4) >= guided:
        there = drawn(state, cells)
    else:
        side = drawn(state, 4)
        there = where[seats.named[side, board[here], drawn(state, seats.named.shape[2])]]
        here = np.int64(seats.beside[here, side])
    if here in (cells, there):
        return 0.0
    sort = drawn(state, 16)
    if sort < SWAPS:
        return swapped(seats, board, where, here, there, heat, state)
    if sort < SHIFTS:
        size = strip(seats, board, room, here, there, state)
    else:
        size = rectangles(seats, board, room, here, there, state)
    return tried(seats, board, where, room, size, heat, state) if size else 0.0


@kernel
def anneal(seats, board, where, room, best, moves, hot, cold, state):
    """So many moves while the heat falls from ``hot`` to ``cold``; the largest gain on the way, whose board is kept."""
    gained, most = 0.0, 0.0
    overwrite(best, board)
    cooling = (cold / hot) ** (1.0 / moves)
    heat = hot
    for _ in range(moves):
        heat *= cooling
        change = moved(seats, board, where, room, GUIDED, heat, state)
        if change != 0.0:
            gained += change
            if gained > most:
                most = gained
                overwrite(best, board)
    return most


@kernel
def sampled(seats, board, where, room, samples, apart, seen, state):
    """Go on at heat 1 and count where the patches lie, every so many moves. ``seen`` is [patches, cells].

    Moves are by chance only: so each is as likely as its reverse, and boards come as often as they are probable.
    """
    for _ in range(samples):
        for _ in range(apart):
            moved(seats, board, where, room, 0, 1.0, state)
        for cell in range(len(seats.beside)):
            seen[board[cell], cell] += 1


@kernel
def searched(seats, held, alike, ahead, best, bests, shares, different, most_laid):
    """Every board, but for those that a bound shows to be of no interest; how many patches were laid on the way.

    ``held`` is the patch that a cell must hold, or -1; ``alike`` numbers patches that may as well change places, of
    which the first free one is laid; ``ahead`` [cells + 1] is the most that the cells from there on can bring. Of
    interest is what beats ``bests[0]``, and then is the new ``best``. If ``shares`` [patches, cells] has any rows,
    ``best`` is the best board already: then the weights e^(score - best score) of all boards are summed there for
    every patch and cell, and ``bests[1]`` becomes the best score of a board with ``different`` cells or more unlike it.
    After ``most_laid`` patches it ends, wherever it is.
    """
    cells = len(seats.beside)
    board = np.full(cells + 1, cells, np.int32)
    used = np.zeros(cells, np.bool_)
    for cell in range(cells):
        if held[cell] >= 0:
            used[held[cell]] = True
    following = np.zeros(cells + 1, np.int32)  # the patch to try next in this cell
    scores = np.zeros(cells + 1, np.float64)
    weights = np.zeros(cells + 1, np.float64)  # of all boards with what lies up to this cell
    summing = len(shares) > 0
    laid, cell = 0, 0
    while cell >= 0 and laid < most_laid:
        if cell == cells:
            if summing:
                weights[cells - 1] += np.exp(scores[cells] - bests[0])
                if scores[cells] > bests[1] and unlike(board, best) >= different:
                    bests[1] = scores[cells]
            elif scores[cells] > bests[0]:
                bests[0] = scores[cells]
                overwrite(best, board[:cells])
            cell -= 1
            continue
        patch = board[cell]
        if patch != cells:  # take up what lies here
            board[cell] = cells
            used[patch] = held[cell] >= 0
            if summing:
                shares[patch, cell] += weights[cell]
                if cell > 0:
                    weights[cell - 1] += weights[cell]
                weights[cell] = 0.0
        before = cell
        for patch in range(following[cell], cells):
            if held[cell] != patch and (held[cell] >= 0 or used[patch]):
                continue
            if alike[patch] != patch and not used[patch - 1]:
                continue
            total = scores[cell] + seats.place[patch, cell]
            total += seats.pair[LEFT, patch, board[seats.beside[cell, LEFT]]]
            total += seats.pair[UP, patch, board[seats.beside[cell, UP]]]
            most = total + ahead[cell + 1]
            if most <= (min(bests[0] - NEGLIGIBLE, bests[1]) if summing else bests[0]):
                continue
            board[cell], used[patch] = patch, True
            following[cell] = patch + 1
            cell += 1
            scores[cell], following[cell] = total, 0
            laid += 1
            break
        if cell == before:
            cell -= 1
    return laid


@kernel
def unlike(board, other):
    """In how many cells two boards differ."""
    number = 0
    for cell in range(len(other)):
        number += board[cell] != other[cell]
    return number
