"""The hot loops of `ida-star`: filling a pattern database, and depth-first search to a bound. All boards blank last."""

from collections import namedtuple

import numpy as np

from ..kernel import kernel

UNSEEN = 255  # of a database: no such position
GAP_BITS = 32  # a position of the tiles of a pattern and of the gap is one number: position × 32 + cell of the gap
SPENT, FOUND, EXHAUSTED = 0, 1, 2  # why a search paused

# The tray. near [cells, 4]: the cells beside a cell; degree [cells]: how many; first, last: bits of the cells that have
# no cell to the left, to the right; cols: the width, as bits are shifted.
Tray = namedtuple("Tray", ["near", "degree", "first", "last", "cols"])

# Additive databases. entries [all positions of all patterns]: slides still needed, at least; weight [tiles + 1]: by how
# much a position grows if the tile lies one cell further; group [tiles + 1]: its pattern; begin [patterns]: where the
# entries of a pattern begin; mirror [cells]: the cell across the diagonal, empty if the tray is not square.
Patterns = namedtuple("Patterns", ["entries", "weight", "group", "begin", "mirror"])

# A search to a bound, resumable. board [cells]; at [2, patterns]: the position of each pattern, as it is and mirrored;
# then by depth: gap: its cell, choice: the next neighbour of it to try, sums [.., 2]: the estimates, path: the tile
# that slides there. tally: depth, bound, next bound, nodes.
Dive = namedtuple("Dive", ["board", "at", "gap", "choice", "sums", "path", "tally"])
DEPTH, BOUND, NEXT, NODES = 0, 1, 2, 3


@kernel
def region(tray, start, free):
    """All free cells that the gap reaches without moving a tile of the pattern, as bits."""
    one, cols = np.uint64(1), np.uint64(tray.cols)
    reached = start
    while True:
        wider = reached | (reached << cols) | (reached >> cols)
        wider |= ((reached & ~tray.last) << one) | ((reached & ~tray.first) >> one)
        wider &= free
        if wider == reached:
            return reached
        reached = wider


@kernel
def spread(tray, powers, frontier, number, seen, entries, level, fresh):
    """From all positions at one distance to those one slide of a pattern's tile further. Returns how many are new.

    ``seen`` [positions]: for each the cells of the gap that were reached, as bits. Slides of other tiles cost nothing.
    """
    cells, size = len(tray.degree), len(powers)
    one = np.uint64(1)
    board = (one << np.uint64(cells)) - one
    at = np.empty(size, np.int64)
    found = 0
    for i in range(number):
        position, gap = np.int64(frontier[i]) // GAP_BITS, np.int64(frontier[i]) % GAP_BITS
        taken, rest = np.uint64(0), position
        for j in range(size):
            at[j] = rest % cells
            rest //= cells
            taken |= one << np.uint64(at[j])
        reached = region(tray, one << np.uint64(gap), board & ~taken)
        for j in range(size):
            old = one << np.uint64(at[j])
            for side in range(tray.degree[at[j]]):
                to = tray.near[at[j], side]
                new = one << np.uint64(to)
                further = position + (to - at[j]) * powers[j]
                if not reached & new or np.uint64(seen[further]) & old:
                    continue
                seen[further] |= np.uint32(region(tray, old, board & ~(taken ^ old ^ new)))
                entries[further] = min(entries[further], level)
                fresh[found] = further * GAP_BITS + at[j]
                found += 1
    return found


@kernel
def begin(patterns, board, dive):
    """Set up a search from this board, with the estimate there as the bound."""
    mirror, both = patterns.mirror, len(patterns.mirror) > 0
    for g in range(len(patterns.begin)):
        dive.at[0, g] = dive.at[1, g] = patterns.begin[g]
    for cell in range(len(board)):
        tile = board[cell]
        dive.board[cell] = tile
        if tile == 0:
            dive.gap[0] = cell
            continue
        dive.at[0, patterns.group[tile]] += cell * patterns.weight[tile]
        if both:
            twin = mirror[tile - 1] + 1
            dive.at[1, patterns.group[twin]] += mirror[cell] * patterns.weight[twin]
    dive.sums[0, :] = 0
    for g in range(len(patterns.begin)):
        dive.sums[0, 0] += patterns.entries[dive.at[0, g]]
        dive.sums[0, 1] += patterns.entries[dive.at[1, g]] if both else 0
    dive.choice[0] = 0
    dive.tally[DEPTH] = dive.tally[NODES] = 0
    dive.tally[BOUND] = max(dive.sums[0, 0], dive.sums[0, 1])
    dive.tally[NEXT] = len(dive.path) + 1


@kernel
def deepen(tray, patterns, dive, nodes):
    """Search on to the bound for so many nodes. Returns why it paused; FOUND: the tiles to slide are in ``path``."""
    board, entries, weight, group = dive.board, patterns.entries, patterns.weight, patterns.group
    mirror, both = patterns.mirror, len(patterns.mirror) > 0
    depth, bound, further = dive.tally[DEPTH], dive.tally[BOUND], dive.tally[NEXT]
    if dive.sums[depth, 0] == 0 and dive.sums[depth, 1] == 0:
        return FOUND
    seen, why = 0, SPENT
    while seen < nodes:
        gap = dive.gap[depth]
        if dive.choice[depth] == tray.degree[gap]:
            if depth == 0:
                why = EXHAUSTED
                break
            depth -= 1  # the tile slides back
            home, tile = dive.gap[depth], dive.path[depth]
            board[gap], board[home] = tile, 0
            dive.at[0, group[tile]] -= (home - gap) * weight[tile]
            if both:
                twin = mirror[tile - 1] + 1
                dive.at[1, group[twin]] -= (mirror[home] - mirror[gap]) * weight[twin]
            continue
        cell = np.int64(tray.near[gap, dive.choice[depth]])
        dive.choice[depth] += 1
        if depth and cell == dive.gap[depth - 1]:
            continue
        seen += 1
        tile = board[cell]
        old = dive.at[0, group[tile]]
        new = old + (gap - cell) * weight[tile]
        plain = dive.sums[depth, 0] + entries[new] - np.int64(entries[old])
        if depth + 1 + plain > bound:
            further = min(further, depth + 1 + plain)
            continue
        mirrored = np.int64(0)
        if both:
            twin = mirror[tile - 1] + 1
            old = dive.at[1, group[twin]]
            across = old + (mirror[gap] - mirror[cell]) * weight[twin]
            mirrored = dive.sums[depth, 1] + entries[across] - np.int64(entries[old])
            if depth + 1 + mirrored > bound:
                further = min(further, depth + 1 + mirrored)
                continue
            dive.at[1, group[twin]] = across
        dive.at[0, group[tile]] = new
        board[gap], board[cell] = tile, 0
        dive.path[depth] = tile
        depth += 1
        dive.gap[depth], dive.choice[depth] = cell, 0
        dive.sums[depth, 0], dive.sums[depth, 1] = plain, mirrored
        if plain == 0 and mirrored == 0:
            why = FOUND
            break
    dive.tally[DEPTH], dive.tally[NEXT] = depth, further
    dive.tally[NODES] += seen
    return why
