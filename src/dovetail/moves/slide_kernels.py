"""The hot loops of `slide`: the shortest way to put a few tiles in place, and a shorter way between two positions."""

from collections import namedtuple

import numpy as np

from ..kernel import kernel, overwrite

UNSEEN = -1
PROBES = 8  # places of the table of known positions to look at

# The positions of one depth of a beam search, at most ``width``. board [width, cells]; gap, came, estimate [width]: the
# gap, where it was before, the city distance; word [width]: a hash of the position.
Front = namedtuple("Front", ["board", "gap", "came", "estimate", "word"])

# What a beam search needs besides. distance [cells, cells]; words [tiles, cells]: random ones; known [power of 2]: the
# hashes of positions seen; origin, cell, estimate, word [4 × width]: positions one slide further; counts [estimates].
Beam = namedtuple("Beam", ["distance", "words", "known", "origin", "cell", "estimate", "word", "counts"])


@kernel
def place(tray, board, tiles, homes, free, parents, queue, path):
    """Put some tiles in place by breadth-first search over where they and the gap are; other tiles do not matter.

    ``free`` [cells]: the cells that may be touched, numbered from 0; -1 for the others. ``parents``, ``queue``
    [positions]: room to work. Plays the slides on ``board``, writes them to ``path``; returns (slides, positions seen).
    """
    size = len(tiles)
    cells = np.empty(len(board), np.int64)  # the other way round: the cell of a number
    wide = 0
    for cell in range(len(board)):
        if free[cell] >= 0:
            cells[free[cell]] = cell
            wide += 1
    start, goal, power = np.int64(0), np.int64(0), 1
    for j in range(size):
        for cell in range(len(board)):
            if board[cell] == tiles[j]:
                start += free[cell] * power
        goal += free[homes[j]] * power
        power *= wide
    for cell in range(len(board)):
        if board[cell] == 0:
            start += free[cell] * power
    parents[: power * wide] = UNSEEN
    parents[start] = start
    queue[0] = start
    read, written, last = 0, 1, start
    at = np.empty(size, np.int64)
    while read < written:
        position = np.int64(queue[read])
        read += 1
        rest = position
        for j in range(size):
            at[j] = rest % wide
            rest //= wide
        last = position
        if position % power == goal:
            break
        gap = cells[rest]
        for side in range(tray.degree[gap]):
            to = free[tray.near[gap, side]]
            if to < 0:
                continue
            further, weight = position + (to - rest) * power, 1
            for j in range(size):
                if at[j] == to:
                    further += (rest - to) * weight
                weight *= wide
            if parents[further] == UNSEEN:
                parents[further] = position
                queue[written] = further
                written += 1
    slides, step = 0, np.int64(last)
    while step != start:
        slides += 1
        step = np.int64(parents[step])
    step = last
    for back in range(slides - 1, -1, -1):  # first the cells that the gap goes to
        path[back] = cells[step // power]
        step = np.int64(parents[step])
    gap = cells[start // power]
    for i in range(slides):
        cell = path[i]
        path[i] = board[cell]
        board[gap], board[cell] = board[cell], 0
        gap = cell
    return slides, read


@kernel
def shorter(tray, distance, board, homes, bound, room, path, nodes):
    """A way to ``homes`` [tiles + 1: cells] of at most ``bound`` slides, by iterative deepening on the city distance.

    ``room`` [3, bound + 2]: to work. Returns (slides, or -1 if there is none or it did not find it, nodes seen).
    """
    gaps, choice, sums = room[0], room[1], room[2]
    gaps[0], sums[0] = 0, 0
    for cell in range(len(board)):
        if board[cell] == 0:
            gaps[0] = cell
        else:
            sums[0] += distance[cell, homes[board[cell]]]
    limit, seen = sums[0], 0
    while limit <= bound:
        further, depth = bound + 1, 0
        choice[0] = 0
        while True:
            if sums[depth] == 0:
                for back in range(depth, 0, -1):  # leave the board as it was
                    board[gaps[back]], board[gaps[back - 1]] = board[gaps[back - 1]], 0
                return depth, seen
            gap = gaps[depth]
            if choice[depth] == tray.degree[gap] or seen >= nodes:
                if depth == 0:
                    break
                depth -= 1
                board[gap], board[gaps[depth]] = board[gaps[depth]], 0
                continue
            to = np.int64(tray.near[gap, choice[depth]])
            choice[depth] += 1
            if depth and to == gaps[depth - 1]:
                continue
            seen += 1
            tile = board[to]
            estimate = sums[depth] + distance[gap, homes[tile]] - distance[to, homes[tile]]
            if depth + 1 + estimate > limit:
                further = min(further, depth + 1 + estimate)
                continue
            board[gap], board[to] = tile, 0
            path[depth] = tile
            depth += 1
            gaps[depth], choice[depth], sums[depth] = to, 0, estimate
        if seen >= nodes:
            break
        limit = further
    return -1, seen


@kernel
def advance(tray, beam, front, number, after, origin, tile):
    """One slide further from all positions of a beam; of those that are new the nearest to the goal are kept.

    Writes for each where it came from and which tile slid. Returns how many there are.
    """
    found = _children(tray, beam, front, number)
    width, counts = len(after.gap), beam.counts
    counts[:] = 0
    for i in range(found):
        counts[beam.estimate[i]] += 1
    cut, room = 0, width
    while cut < len(counts) - 1 and counts[cut] <= room:
        room -= counts[cut]
        cut += 1
    kept, ties = 0, 0
    for i in range(found):
        estimate = beam.estimate[i]
        if estimate > cut:
            continue
        if estimate == cut:  # of the last that find room, evenly many from everywhere
            ties += 1
            if ties * room // counts[cut] == (ties - 1) * room // counts[cut]:
                continue
        of, cell = beam.origin[i], beam.cell[i]
        gap = front.gap[of]
        overwrite(after.board[kept], front.board[of])
        origin[kept], tile[kept] = of, front.board[of, cell]
        after.board[kept, gap], after.board[kept, cell] = tile[kept], 0
        after.gap[kept], after.came[kept], after.estimate[kept], after.word[kept] = cell, gap, estimate, beam.word[i]
        kept += 1
    return kept


@kernel
def _children(tray, beam, front, number):
    """All positions one slide further that are not known."""
    found, mask = 0, np.uint64(len(beam.known) - 1)
    for i in range(number):
        gap = front.gap[i]
        for side in range(tray.degree[gap]):
            cell = tray.near[gap, side]
            if cell == front.came[i]:
                continue
            tile = np.int64(front.board[i, cell])
            estimate = front.estimate[i] + beam.distance[gap, tile - 1] - beam.distance[cell, tile - 1]
            word = front.word[i] ^ beam.words[tile, cell] ^ beam.words[tile, gap]
            if _known(beam.known, word, mask):
                continue
            beam.origin[found], beam.cell[found] = i, cell
            beam.estimate[found], beam.word[found] = estimate, word
            found += 1
    return found


@kernel
def _known(known, word, mask):
    """Whether a position was seen before; from now on it was. Where there is no room, it is forgotten."""
    for probe in range(PROBES):
        slot = (word + np.uint64(probe)) & mask
        if known[slot] == word:
            return True
        if known[slot] == 0:
            known[slot] = word
            return False
    return False
