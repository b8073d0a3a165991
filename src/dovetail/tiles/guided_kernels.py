"""The hot loops of `linear-guided`. Flat arrays in, flat arrays out; naive twins in tests/naive.

A board holds an oriented tile on every cell, -1 where it is open. ``beyond`` [4 × cells] is the cell beyond each side,
-1 beyond the rim. The candidates of cell c are ``tile[start[c]:start[c + 1]]``; a cell that is laid has none.
"""

import numpy as np

from ..kernel import kernel, overwrite
from .kernels import EXHAUSTED, FULL, PAUSED

TINY = 1e-12  # the least that stands in a denominator, as a share of the whole
ONE = np.uint64(1)


@kernel
def narrow(board, left, beyond, sides, class_of, first, fitting, start, tile):
    """Lay what has no choice until all open cells have one; fill in their candidates. False: a contradiction.

    left [classes]: tiles not laid yet; first [cells + 1], fitting: what frame and hints leave to each cell.
    """
    cells, places, where = len(board), np.zeros(len(left), dtype=np.int64), np.zeros(len(left), dtype=np.int64)
    forced = True
    while forced:
        forced = False
        places[:] = 0
        end = 0
        for cell in range(cells):
            start[cell] = end
            if board[cell] >= 0:
                continue
            for i in range(first[cell], first[cell + 1]):
                option = fitting[i]
                if left[class_of[option]] > 0 and agrees(board, beyond, sides, cell, option):
                    tile[end] = option
                    end += 1
                    places[class_of[option]] += 1
                    where[class_of[option]] = cell
            if end == start[cell]:
                return False
            if end == start[cell] + 1:
                end -= 1
                board[cell] = tile[end]
                left[class_of[tile[end]]] -= 1
                forced = True
        start[cells] = end
        if forced:
            continue
        for kind in range(len(left)):
            if places[kind] < left[kind]:
                return False
            if places[kind] == 1 and left[kind] == 1:
                cell = where[kind]
                for i in range(start[cell], start[cell + 1]):
                    if class_of[tile[i]] == kind and board[cell] < 0 and agrees(board, beyond, sides, cell, tile[i]):
                        board[cell] = tile[i]
                        left[kind] = 0
                        forced = True
                if left[kind] > 0:
                    return False
    return True


@kernel
def agrees(board, beyond, sides, cell, option):
    """Whether a tile shows what its neighbours do."""
    for side in range(4):
        other = beyond[4 * cell + side]
        if other >= 0 and board[other] >= 0 and sides[board[other], (side + 2) & 3] != sides[option, side]:
            return False
    return True


@kernel
def marginals(beyond, sides, class_of, left, start, tile, seen, weight, share, sweeps, damping, settled):
    """Message passing for P: share [v] of each candidate in its cell. Returns the sweeps made.

    Its fixed points are the stationary points of the Bethe entropy on the polytope of the linear program: every cell
    and every class adds up, and both sides of a seam show each value alike. seen [4 × cells, colours]: what a cell
    hears of each side of it; weight [v]: what it hears of each candidate from the class (tiles alike count one by one).
    """
    cells, colours = len(start) - 1, seen.shape[1]
    told, heard = np.zeros((4, colours)), seen.copy()
    odds, total = np.zeros(len(tile)), np.zeros(len(left))
    for sweep in range(sweeps):
        total[:] = 0.0
        change = 0.0
        for cell in range(cells):
            if start[cell] == start[cell + 1]:
                continue
            told[:] = 0.0
            whole = 0.0
            for v in range(start[cell], start[cell + 1]):
                option = tile[v]
                a, b = seen[4 * cell, sides[option, 0]], seen[4 * cell + 1, sides[option, 1]]
                c, d = seen[4 * cell + 2, sides[option, 2]], seen[4 * cell + 3, sides[option, 3]]
                usual = weight[v] * left[class_of[option]]
                told[0, sides[option, 0]] += usual * b * c * d
                told[1, sides[option, 1]] += usual * a * c * d
                told[2, sides[option, 2]] += usual * a * b * d
                told[3, sides[option, 3]] += usual * a * b * c
                odds[v] = a * b * c * d
                whole += usual * odds[v]
            for v in range(start[cell], start[cell + 1]):
                kind = class_of[tile[v]]
                one = weight[v] * odds[v]
                now = left[kind] * one / whole
                change = max(change, abs(now - share[v]))
                share[v] = now
                odds[v] /= max(whole - one, TINY * whole)
                total[kind] += odds[v]
            for side in range(4):
                other = beyond[4 * cell + side]
                if other >= 0:
                    tell(told[side], heard[4 * other + ((side + 2) & 3)])
        for v in range(len(tile)):
            kind = class_of[tile[v]]
            weight[v] = damping * weight[v] + (1.0 - damping) / max(total[kind] - odds[v], TINY * total[kind])
        seen *= damping
        seen += (1.0 - damping) * heard
        if change < settled:
            return sweep + 1
    return sweeps


@kernel
def tell(told, heard):
    """Pass a message on, its entries adding up to 1."""
    whole = 0.0
    for value in range(len(told)):
        whole += told[value] + TINY
    for value in range(len(told)):
        heard[value] = (told[value] + TINY) / whole


@kernel
def finish(board, left, beyond, sides, class_of, holding, showing, members, limit, best):
    """Fill the open cells by depth-first search, the cell with fewest candidates first. Not resumable.

    Sets of oriented tiles are bits: holding [cells, words]: what frame and hints leave to each cell; showing [4 ×
    colours, words]: tiles with this value on this side; members [classes, words]; best [cells]: the fullest board ever.
    Returns (why it ended, placements made); board and left are used up.
    """
    cells, words = holding.shape
    colours = len(showing) // 4
    domain = holding.copy()  # what each cell can hold next to its neighbours, stock apart
    for cell in range(cells):
        for side in range(4):
            other = beyond[4 * cell + side]
            if board[cell] >= 0 and other >= 0:
                domain[other] &= showing[((side + 2) & 3) * colours + sides[board[cell], side]]
    free = np.zeros(words, dtype=np.uint64)
    for kind in range(len(left)):
        if left[kind] > 0:
            free |= members[kind]
    open_cells = np.zeros(cells, dtype=np.int64)
    height = 0
    for cell in range(cells):
        if board[cell] < 0:
            open_cells[height] = cell
            height += 1
    fullest = cells - height
    record = (best >= 0).sum()
    options = np.zeros((height + 1, words), dtype=np.uint64)
    chosen = np.zeros(height + 1, dtype=np.int64)
    saved = np.zeros((height + 1, 4, words), dtype=np.uint64)
    depth = made = 0
    descend = True
    while True:
        if descend:
            if fullest + depth > record:
                record = fullest + depth
                overwrite(best, board)
            if depth == height:
                return FULL, made
            fewest = 1 << 30
            for i in range(height):
                cell = open_cells[i]
                if board[cell] >= 0:
                    continue
                number = 0
                for word in range(words):
                    number += ones(domain[cell, word] & free[word])
                if number < fewest:
                    fewest = number
                    chosen[depth] = cell
                    if number <= 1:
                        break
            for word in range(words):
                options[depth, word] = domain[chosen[depth], word] & free[word]
        cell = chosen[depth]
        option = -1
        for word in range(words):
            bits = options[depth, word]
            if bits != 0:
                low = bits & (~bits + ONE)
                options[depth, word] = bits ^ low
                option = 64 * word + ones(low - ONE)
                break
        if option < 0:
            if depth == 0:
                return EXHAUSTED, made
            depth -= 1
            cell = chosen[depth]
            kind = class_of[board[cell]]
            board[cell] = -1
            if left[kind] == 0:
                free |= members[kind]
            left[kind] += 1
            for side in range(4):
                other = beyond[4 * cell + side]
                if other >= 0:
                    domain[other] = saved[depth, side]
            descend = False
            continue
        if made == limit:
            return PAUSED, made
        made += 1
        board[cell] = option
        left[class_of[option]] -= 1
        if left[class_of[option]] == 0:
            free &= ~members[class_of[option]]
        for side in range(4):
            other = beyond[4 * cell + side]
            if other >= 0:
                saved[depth, side] = domain[other]
                domain[other] &= showing[((side + 2) & 3) * colours + sides[option, side]]
        depth += 1
        descend = True


@kernel
def ones(bits):
    """How many bits are set."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    # uncompiled, * would warn of overflow
    return np.int64(np.multiply(bits, np.uint64(0x0101010101010101)) >> np.uint64(56))
