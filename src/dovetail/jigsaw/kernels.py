"""The hot loops of picture jigsaws: costs stored, compared and ranked; kernel-growing crossover.

Flat arrays in, flat arrays out. Twins in plain Python: tests/support/naive_jigsaw.py.
"""

import numpy as np

from ..kernel import kernel, overwrite
from ..search.chance import mixed

NONE = np.uint16(65_535)  # no piece has this number
TIED = np.uint16(65_534)  # nor this: several pieces fit best
AGREED, BUDDY, COMPATIBLE = 0, 1, 2  # the three phases of a crossover

_1, _7, _13, _17, _32 = (np.uint64(shift) for shift in (1, 7, 13, 17, 32))


@kernel
def differences(ours, our_rims, theirs, their_rims, out):
    """Sums of the roots of what differs: what we predict from their rims, and what they predict from ours. [rows, n]

    Ours have a row a piece, theirs a column, so that neighbouring sums are computed at once.
    """
    tile = 1024  # columns: what a row's pixels are compared with stays in the cache
    sums = np.empty(tile, np.float32)
    for start in range(0, out.shape[1], tile):
        end = min(start + tile, out.shape[1])
        for i in range(out.shape[0]):
            sums[:] = 0
            for k in range(ours.shape[1]):
                predicted, rim = ours[i, k], our_rims[i, k]
                rims, predictions = their_rims[k, start:end], theirs[k, start:end]
                for j in range(end - start):
                    sums[j] += np.sqrt(abs(predicted - rims[j])) + np.sqrt(abs(rim - predictions[j]))
            overwrite(out[i, start:end], sums[: end - start])


@kernel
def store(sums, costs, factor):
    """The root of every sum, as a cost of 16 bits. [rows, n]"""
    for i in range(sums.shape[0]):
        for j in range(sums.shape[1]):
            costs[i, j] = np.uint16(min(65535.0, np.rint(factor * np.sqrt(np.float64(sums[i, j])))))


@kernel
def turn(costs, turned, first, last):
    """The same seams seen from the other piece: these rows become columns, tile by tile for the sake of the cache."""
    tile = 64
    for i in range(first, last, tile):
        for j in range(0, costs.shape[1], tile):
            for b in range(j, min(j + tile, costs.shape[1])):
                for a in range(i, min(i + tile, last)):
                    turned[b, a] = costs[a, b]


@kernel
def compare(costs, numbers, first, rivals, their_first, their_rivals, logs, least, most):
    """A cost becomes how it compares with the best other choice of either side; from ``least`` to ``most``, 16 bits.

    ``rivals`` are the logarithms of the best and second best cost: the best is compared with the second.
    """
    scale, second = 65535.0 / (most - least), rivals.shape[1] - 1  # two pieces have no second choice
    for i in range(costs.shape[0]):
        piece = numbers[i]
        for j in range(costs.shape[1]):
            ours = rivals[i, second] if first[i] == j else rivals[i, 0]
            theirs = their_rivals[j, second] if their_first[j] == piece else their_rivals[j, 0]
            ratio = logs[costs[i, j]] - np.float32(0.5) * (ours + theirs)
            costs[i, j] = np.uint16(np.rint(scale * (min(max(ratio, least), most) - least)))


@kernel
def rank(costs, ranked, numbers):
    """The best pieces for every row, best first; of equals the lower number. No piece is its own neighbour."""
    most = ranked.shape[1]
    kept = np.empty(most, costs.dtype)
    for i in range(costs.shape[0]):
        held = 0
        for j in range(costs.shape[1]):
            cost = costs[i, j]
            if (held == most and cost >= kept[most - 1]) or j == numbers[i]:
                continue
            at = held if held < most else most - 1
            held = min(held + 1, most)
            while at > 0 and kept[at - 1] > cost:
                kept[at] = kept[at - 1]
                ranked[i, at] = ranked[i, at - 1]
                at -= 1
            kept[at] = cost
            ranked[i, at] = j


@kernel
def seeded(seed, number):
    """The state of a generator of its own for every child: who computes it does not matter."""
    return mixed(np.add(mixed(np.uint64(seed)), np.uint64(number))) | _1


@kernel
def following(state):
    """The next state (Xorshift64)."""
    state ^= state << _13
    state ^= state >> _7
    return state ^ (state << _17)


@kernel
def below(state, bound):
    """A number from 0 to before ``bound``, from a state."""
    return np.int64(((state >> _32) * np.uint64(bound)) >> _32)


@kernel
def scatter(boards, first, last, seed, rows, cols):
    """Random chromosomes. A board has a rim of NONE around it. [boards, (rows + 2) * (cols + 2)]"""
    count = rows * cols
    pieces = np.empty(count, np.uint16)
    for number in range(first, last):
        state = seeded(seed, number)
        for i in range(count):
            pieces[i] = i
        for i in range(count - 1, 0, -1):
            state = following(state)
            j = below(state, i + 1)
            pieces[i], pieces[j] = pieces[j], pieces[i]
        for i in range(count):
            boards[number, (i // cols + 1) * (cols + 2) + i % cols + 1] = pieces[i]


@kernel
def evaluate(boards, where, totals, first, last, costs, rows, cols):
    """The fitness of each chromosome (Sholomon 2013, equation 2), and where each piece lies in it."""
    width = cols + 2
    for number in range(first, last):
        board = boards[number]
        total = np.int64(0)
        for row in range(1, rows + 1):
            for cell in range(row * width + 1, row * width + cols + 1):
                piece = np.uint64(board[cell])
                where[number, piece] = cell
                if board[cell + 1] != NONE:
                    total += costs[1, piece, np.uint64(board[cell + 1])]
                if board[cell + width] != NONE:
                    total += costs[2, piece, np.uint64(board[cell + width])]
        totals[number] = total


@kernel
def cross(boards, where, parents, children, phases, first, last, seed, costs, ranked, best, buddy, rows, cols, rate):
    """Sholomon 2013, algorithm 2: each child grows from one piece, consulting its two parents.

    A boundary is a piece and a side, ``4 * piece + side``; each of the three pools holds those that a phase may use.
    A boundary that cannot be used now (its cell is taken or outside the frame, its piece is used) never can be, so it
    is dropped for good when it is drawn. ``phases`` counts placements by phase. [children, 3]
    """
    count, width, wide = rows * cols, cols + 2, 2 * cols + 1
    step = np.array([-width, 1, width, -1])  # to the neighbour at each side, on a parent's board
    stride = np.array([-wide, 1, wide, -1])  # and on the canvas, which has room for growing in all directions
    canvas = np.empty((2 * rows + 1) * wide, np.uint16)
    cell_of = np.empty(count, np.int32)
    bank, slot = np.empty(count, np.uint16), np.empty(count, np.uint16)  # pieces left, and where in the bank each is
    used = np.empty(count, np.uint8)
    pools = np.empty((3, 4 * count), np.uint32)
    size = np.zeros(3, np.int64)
    chance = np.uint64(rate * 4294967296.0)
    for number in range(first, last):
        state = seeded(seed, number)
        one, other = boards[parents[number, 0]], boards[parents[number, 1]]
        where_one, where_other = where[parents[number, 0]], where[parents[number, 1]]
        canvas[:] = NONE
        used[:] = 0
        size[:] = 0
        phases[number] = 0
        for i in range(count):
            bank[i] = i
            slot[i] = i
        left = count
        state = following(state)
        piece = below(state, count)
        cell = np.int64(rows * wide + cols)
        top = bottom = rows
        west = east = cols
        side = np.int64(0)
        while True:
            canvas[cell] = piece
            cell_of[piece] = cell
            used[piece] = 1
            left -= 1
            bank[slot[piece]] = bank[left]
            slot[bank[left]] = slot[piece]
            row = cell // wide
            col = cell - row * wide
            top, bottom, west, east = min(top, row), max(bottom, row), min(west, col), max(east, col)
            if left == 0:
                break
            at_one, at_other = np.int64(where_one[piece]), np.int64(where_other[piece])
            for direction in range(4):
                side = np.int64(direction)
                if canvas[cell + stride[side]] != NONE:
                    continue
                boundary = np.uint32(4 * piece + side)
                next_one, next_other = one[at_one + step[side]], other[at_other + step[side]]
                if next_one == next_other:
                    if next_one != NONE and used[next_one] == 0:
                        pools[AGREED, size[AGREED]] = boundary
                        size[AGREED] += 1
                else:
                    friend = parents_buddy(next_one, next_other, piece, side, used, costs, best, buddy)
                    if friend != NONE:
                        pools[BUDDY, size[BUDDY]] = boundary
                        size[BUDDY] += 1
                pools[COMPATIBLE, size[COMPATIBLE]] = boundary
                size[COMPATIBLE] += 1
            phase = AGREED
            while True:  # there is always a boundary: the pieces left fit into the frame, next to those that lie
                if size[phase] == 0:
                    phase += 1
                    continue
                state = following(state)
                drawn = below(state, size[phase])
                boundary = pools[phase, drawn]
                size[phase] -= 1
                pools[phase, drawn] = pools[phase, size[phase]]
                neighbour, side = np.int64(boundary >> 2), np.int64(boundary & 3)
                cell = cell_of[neighbour] + stride[side]
                if canvas[cell] != NONE:
                    continue
                row = cell // wide
                col = cell - row * wide
                if row <= bottom - rows or row >= top + rows or col <= east - cols or col >= west + cols:
                    continue
                if phase == AGREED:
                    piece = np.int64(one[where_one[neighbour] + step[side]])
                elif phase == BUDDY:
                    next_one = one[where_one[neighbour] + step[side]]
                    next_other = other[where_other[neighbour] + step[side]]
                    friend = parents_buddy(next_one, next_other, neighbour, side, used, costs, best, buddy)
                    if friend == NONE:
                        continue
                    piece = np.int64(friend)
                else:
                    piece = np.int64(-1)
                if piece < 0 or used[piece] == 0:
                    break
            phases[number, phase] += 1
            state = following(state)
            if phase != BUDDY and (state >> _32) < chance:
                state = following(state)
                piece = np.int64(bank[below(state, left)])
            elif phase == COMPATIBLE:
                piece = most_compatible(costs[side, neighbour], ranked[side, neighbour], used, bank, left)
        for row in range(rows):
            for col in range(cols):
                children[number, (row + 1) * width + col + 1] = canvas[(top + row) * wide + west + col]


@kernel
def parents_buddy(next_one, next_other, piece, side, used, costs, best, buddy):
    """Sholomon 2013, equation 3: a neighbour in one of the parents that is a best buddy and not used, or NONE.

    Where several pieces fit equally well there is no one buddy, but every mutual first choice is one.
    """
    friend = buddy[side, piece]
    if friend != TIED:
        if friend != NONE and (next_one == friend or next_other == friend) and used[friend] == 0:
            return friend
        return NONE
    first, there = best[side, piece], (side + 2) % 4
    for other in (next_one, next_other):
        if other == NONE or used[other] != 0:
            continue
        if costs[side, piece, other] == first and best[there, other] == first:
            return other
    return NONE


@kernel
def most_compatible(costs, ranked, used, bank, left):
    """Of the pieces left the one that fits best; of equals the lower number."""
    for k in range(len(ranked)):
        if used[ranked[k]] == 0:
            return np.int64(ranked[k])
    best = np.int64(bank[0])
    for k in range(1, left):
        piece = np.int64(bank[k])
        if costs[piece] < costs[best] or (costs[piece] == costs[best] and piece < best):
            best = piece
    return best
