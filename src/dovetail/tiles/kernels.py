"""The hot loops of the tile searches. Flat arrays in, flat arrays out; naive twins in tests/naive.

A candidate is one 64-bit record, ``class << 52 | north << 39 | east << 26 | south << 13 | west``, so that looking at
the next one touches one word; END closes every list.
"""

import numpy as np

from ..kernel import kernel, overwrite

# what ended a call of a search
PAUSED, FULL, EXHAUSTED = 0, 1, 2

END = np.uint64(0xFFFFFFFFFFFFFFFF)
CLASS, NORTH, EAST, SOUTH, WEST = np.uint64(52), np.uint64(39), np.uint64(26), np.uint64(13), np.uint64(0)
VALUE = np.uint64(8191)


@kernel
def search_scan(
    first, base, colours, records, slots, stock, seams, cursor, placed, floor, top, depth, limit, best, best_at,
    counting, tally, names, orbit,
):  # fmt: skip
    """Depth-first search along an order in which only north and west sides are ever known; resumable.

    first [patterns × colours²], base [n]: where the list for (north, west) begins; records: the lists; slots [4n]:
    seams read (north, west) and written (east, south) at each depth; stock [classes]; seams: their values; cursor,
    placed [n]: next candidate and placed record at each depth; floor, top: the depths between which it searches;
    best [1], best_at [n]: the deepest board so far. With ``counting``, solutions are added to tally [3]: all, and those
    that a half and a quarter turn of the whole board (orbit, see ``add_fixed``) map to themselves. Returns (why it
    ended, depth, placements made).
    """
    one, two, three = np.uint32(1), np.uint32(2), np.uint32(3)
    floor, top, depth = np.uint32(floor), np.uint32(top), np.uint32(depth)
    made = 0
    while made < limit:
        at = cursor[depth]
        record = records[at]
        while record != END and stock[record >> CLASS] == 0:
            at += one
            record = records[at]
        if record == END:
            if depth == floor:
                return EXHAUSTED, depth, made
            depth -= one
            stock[placed[depth] >> CLASS] += np.uint16(1)
            continue
        cursor[depth] = at + one
        stock[record >> CLASS] -= np.uint16(1)
        placed[depth] = record
        slot = depth << two
        seams[slots[slot + two]] = record >> EAST & VALUE
        seams[slots[slot + three]] = record >> SOUTH & VALUE
        depth += one
        made += 1
        if depth > best[0]:
            best[0] = depth
            for i in range(depth):
                best_at[i] = cursor[i] - one
        if depth == top:
            if not counting:
                return FULL, depth, made
            tally[0] += 1
            add_fixed(tally, cursor, names, orbit)
            depth -= one
            stock[record >> CLASS] += np.uint16(1)
            continue
        slot = depth << two
        cursor[depth] = first[base[depth] + seams[slots[slot]] * colours + seams[slots[slot + one]]]
    return PAUSED, depth, made


@kernel
def search_any(
    trie, root, known, records, slots, stock, seams, cursor, placed, floor, top, depth, limit, best, best_at,
    counting, tally, names, orbit,
):  # fmt: skip
    """The same along any order: up to four sides of a cell are known, and looked up one after the other.

    trie, root [n]: for each known side the entry at (node + value) is the next node, in the end the list; known [n]:
    how many are known; slots [8n]: the seams read, known ones first, then the seams written (north, east, south, west).
    """
    one, eight = np.uint32(1), np.uint32(8)
    floor, top, depth = np.uint32(floor), np.uint32(top), np.uint32(depth)
    made = 0
    while made < limit:
        at = cursor[depth]
        record = records[at]
        while record != END and stock[record >> CLASS] == 0:
            at += one
            record = records[at]
        if record == END:
            if depth == floor:
                return EXHAUSTED, depth, made
            depth -= one
            stock[placed[depth] >> CLASS] += np.uint16(1)
            continue
        cursor[depth] = at + one
        stock[record >> CLASS] -= np.uint16(1)
        placed[depth] = record
        slot = depth * eight + np.uint32(4)
        seams[slots[slot]] = record >> NORTH & VALUE
        seams[slots[slot + one]] = record >> EAST & VALUE
        seams[slots[slot + np.uint32(2)]] = record >> SOUTH & VALUE
        seams[slots[slot + np.uint32(3)]] = record & VALUE
        depth += one
        made += 1
        if depth > best[0]:
            best[0] = depth
            for i in range(depth):
                best_at[i] = cursor[i] - one
        if depth == top:
            if not counting:
                return FULL, depth, made
            tally[0] += 1
            add_fixed(tally, cursor, names, orbit)
            depth -= one
            stock[record >> CLASS] += np.uint16(1)
            continue
        slot = depth * eight
        node = root[depth]
        for i in range(known[depth]):
            node = trie[node + seams[slots[slot + np.uint32(i)]]]
        cursor[depth] = node
    return PAUSED, depth, made


@kernel
def add_fixed(tally, cursor, names, orbit):
    """Count the board just found if a half or a quarter turn maps it to itself.

    names: the oriented tile of every record; orbit [k, 2n + m]: for the half turn and, on square boards, the quarter
    turn: the depth of the cell that each depth's cell is turned to, then each oriented tile as it looks when turned.
    """
    cells = len(cursor)
    for k in range(len(orbit)):
        fixed = 1
        for depth in range(cells):
            turned = orbit[k, cells + names[cursor[depth] - 1]]
            if names[cursor[orbit[k, depth]] - 1] != turned:
                fixed = 0
                break
        tally[1 + k] += fixed


# Records of the search with breaks: class << 51 | weight << 48 | north << 36 | east << 24 | south << 12 | west.
B_CLASS, B_WEIGHT, B_NORTH, B_EAST, B_SOUTH = np.uint64(51), np.uint64(48), np.uint64(36), np.uint64(24), np.uint64(12)
B_MOST_WEIGHT, B_VALUE = np.uint64(7), np.uint64(4095)
EXACT, BREAK_WEST, BREAK_NORTH = 0, 1, 2


@kernel
def search_breaks(
    exact, by_north, by_west, pattern, breakable, colours, records, slots, stock, seams, cursor, phase, placed, breaks,
    weight, cap, quota, depth, limit, laid, broken,
):  # fmt: skip
    """Depth-first search that may leave seams unmatched, at most ``cap[depth]`` of them by that depth; resumable.

    exact [patterns × colours²], by_north, by_west [patterns × colours]: candidates that fit north and west, or one of
    the two; pattern [n]; breakable [n]: 1 if the west seam may break, 2 if the north one, 3 if either. At each depth
    first the exact list, then the two others. ``quota[depth]``: the weight that all tiles up to there must add up to.
    laid, broken [n]: placements and those with a break, for the statistics.
    Returns (why it ended, depth, placements made); FULL leaves the board in ``cursor``.
    """
    one, two, three = np.uint32(1), np.uint32(2), np.uint32(3)
    top, depth = np.uint32(len(pattern)), np.uint32(depth)
    made = 0
    while made < limit:
        at = cursor[depth]
        record = records[at]
        stage = phase[depth]
        missing = np.int64(quota[depth]) - np.int64(weight[depth])
        if stage == EXACT:
            while record != END and (
                stock[record >> B_CLASS] == 0 or np.int64(record >> B_WEIGHT & B_MOST_WEIGHT) < missing
            ):
                at += one
                record = records[at]
        else:
            # candidates that fit both sides are in these lists too; they have had their turn
            slot = depth << two
            if stage == BREAK_WEST:
                shift, value = np.uint64(0), np.uint64(seams[slots[slot + one]])
            else:
                shift, value = B_NORTH, np.uint64(seams[slots[slot]])
            while record != END and (
                stock[record >> B_CLASS] == 0
                or (record >> shift & B_VALUE) == value
                or np.int64(record >> B_WEIGHT & B_MOST_WEIGHT) < missing
            ):
                at += one
                record = records[at]
        if record == END:
            if stage != BREAK_NORTH and breaks[depth] < cap[depth] and breakable[depth] > stage:
                slot = depth << two
                if stage == EXACT and breakable[depth] & 1:
                    phase[depth] = BREAK_WEST
                    cursor[depth] = by_north[pattern[depth] * colours + seams[slots[slot]]]
                else:
                    phase[depth] = BREAK_NORTH
                    cursor[depth] = by_west[pattern[depth] * colours + seams[slots[slot + one]]]
                continue
            if depth == 0:
                return EXHAUSTED, depth, made
            depth -= one
            stock[placed[depth] >> B_CLASS] += np.uint16(1)
            continue
        cursor[depth] = at + one
        stock[record >> B_CLASS] -= np.uint16(1)
        placed[depth] = record
        laid[depth] += 1
        slot = depth << two
        seams[slots[slot + two]] = record >> B_EAST & B_VALUE
        seams[slots[slot + three]] = record >> B_SOUTH & B_VALUE
        so_far = breaks[depth]
        if stage != EXACT:
            so_far += np.uint32(1)
            broken[depth] += 1
        heavier = weight[depth] + np.uint32(record >> B_WEIGHT & B_MOST_WEIGHT)
        depth += one
        made += 1
        breaks[depth] = so_far
        if depth == top:
            return FULL, depth, made
        weight[depth] = heavier
        phase[depth] = EXACT
        slot = depth << two
        cursor[depth] = exact[(pattern[depth] * colours + seams[slots[slot]]) * colours + seams[slots[slot + one]]]
    return PAUSED, depth, made


@kernel
def schedule_cost(ends, fitting, breaking, widths, supply):
    """Placements for each full board to expect, when break k is allowed from depth ends[k] on; natural log.

    fitting, breaking [n]: candidates at each depth without and with a break; supply: placements that one partial board
    costs to begin with; widths [breaks + 1]: scratch.
    """
    breaks = len(ends)
    widths[:] = 0.0
    widths[0] = 1.0
    total, allowed, width = supply, 0, 0.0
    for depth in range(len(fitting)):
        while allowed < breaks and ends[allowed] <= depth:
            allowed += 1
        width = 0.0
        for k in range(allowed, -1, -1):
            widths[k] *= fitting[depth]
            if k > 0:
                widths[k] += widths[k - 1] * breaking[depth]
            width += widths[k]
        total += width
        if total > 1e200:
            # only the ratio matters
            widths /= 1e200
            total /= 1e200
            width /= 1e200
    return np.log(total) - np.log(max(width, 1e-290))


@kernel
def anneal_schedule(ends, fitting, breaking, supply, rounds, rng):
    """Move the breaks about until boards cost least; simulated annealing on ``schedule_cost``. Returns the log cost."""
    depths, breaks = len(fitting), len(ends)
    widths = np.zeros(breaks + 1)
    trial, best = ends.copy(), ends.copy()
    cost = schedule_cost(ends, fitting, breaking, widths, supply)
    best_cost = cost
    for round_ in range(rounds):
        k = rng.integers(0, breaks)
        overwrite(trial, ends)
        trial[k] = min(depths - 1, max(0, trial[k] + rng.integers(-6, 7)))
        trial.sort()
        trial_cost = schedule_cost(trial, fitting, breaking, widths, supply)
        heat = 0.4 * (1.0 - round_ / rounds)
        if trial_cost < cost - heat * np.log(max(1e-12, rng.random())):
            overwrite(ends, trial)
            cost = trial_cost
            if cost < best_cost:
                best_cost = cost
                overwrite(best, ends)
    overwrite(ends, best)
    return best_cost


@kernel
def anneal_board(board, beyond, sides, pattern, first_option, options, class_of, free, moves, heat, rng):
    """Exchange two tiles, each turned as suits it best where it comes to lie; keep the best board in ``board``.

    board [cells]: oriented tiles; beyond [4 × cells]: neighbours, -1 beyond the rim; first_option [patterns × classes
    + 1], options: the orientations in which a class may lie on a cell of a pattern; free [k]: cells that may change.
    Metropolis at temperature ``heat`` in mismatched seams. Returns how many seams fewer are mismatched.
    """
    classes = (len(first_option) - 1) // (pattern.max() + 1)
    best = board.copy()
    gain = best_gain = 0
    for _ in range(moves):
        a, b = free[rng.integers(0, len(free))], free[rng.integers(0, len(free))]
        tile_a, tile_b = board[a], board[b]
        if a == b or class_of[tile_a] == class_of[tile_b]:
            continue
        to_a = pattern[a] * classes + class_of[tile_b]
        to_b = pattern[b] * classes + class_of[tile_a]
        if first_option[to_a] == first_option[to_a + 1] or first_option[to_b] == first_option[to_b + 1]:
            continue
        before = mismatches(board, beyond, sides, a, tile_a) + mismatches(board, beyond, sides, b, tile_b)
        shared = touching(board, beyond, sides, a, b)
        board[a], board[b] = options[first_option[to_a]], options[first_option[to_b]]
        board[a] = best_option(board, beyond, sides, a, options, first_option[to_a], first_option[to_a + 1])
        board[b] = best_option(board, beyond, sides, b, options, first_option[to_b], first_option[to_b + 1])
        after = mismatches(board, beyond, sides, a, board[a]) + mismatches(board, beyond, sides, b, board[b])
        change = (after - touching(board, beyond, sides, a, b)) - (before - shared)
        if change <= 0 or rng.random() < np.exp(-change / heat):
            gain -= change
            if gain > best_gain:
                best_gain = gain
                overwrite(best, board)
        else:
            board[a], board[b] = tile_a, tile_b
    overwrite(board, best)
    return best_gain


@kernel
def mismatches(board, beyond, sides, cell, tile):
    """Seams of a tile on a cell that its neighbours do not match."""
    wrong = 0
    for side in range(4):
        other = beyond[4 * cell + side]
        if other >= 0 and sides[board[other], (side + 2) & 3] != sides[tile, side]:
            wrong += 1
    return wrong


@kernel
def touching(board, beyond, sides, a, b):
    """1 if the two cells are neighbours and the seam between them is mismatched, which counts for both."""
    for side in range(4):
        if beyond[4 * a + side] == b and sides[board[b], (side + 2) & 3] != sides[board[a], side]:
            return 1
    return 0


@kernel
def best_option(board, beyond, sides, cell, options, begin, end):
    """The orientation with fewest mismatches, the first of several."""
    best, least = options[begin], 5
    for i in range(begin, end):
        wrong = mismatches(board, beyond, sides, cell, options[i])
        if wrong < least:
            best, least = options[i], wrong
    return best
