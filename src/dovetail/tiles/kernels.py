"""The hot loop of the tile searches. Flat arrays in, flat arrays out; naive twins in tests/naive."""

import numpy as np

from ..kernel import kernel

# what ended a call of ``search_corners``
PAUSED, FULL, EXHAUSTED = 0, 1, 2


@kernel
def search_corners(
    first, records, read, write, pattern, stock, arrows, cursor, placed, depth, limit,
    best, best_placed, counting, tally, cols,
):  # fmt: skip
    """Depth-first search over corner-arrow tiles, resumable after every placement.

    first [masks * 256], records: candidate lists; read, write [n * 4], pattern [n]: the layout; stock [70]: tiles left
    of each class; arrows [vertices]; cursor, placed [n]: next candidate and placed record at each depth; best [1] and
    best_placed [n]: the deepest board so far; tally [3]: solutions, those that a half turn and a quarter turn of the
    whole board map to themselves. Makes up to ``limit`` placements. Returns (why it ended, depth, placements).
    """
    zero, one, byte = np.uint32(0), np.uint32(1), np.uint32(8)
    cells = np.uint32(len(pattern))
    depth = np.uint32(depth)
    made = 0
    while made < limit:
        at = cursor[depth]
        record = records[at]
        while record != np.uint32(0xFFFFFFFF) and stock[record >> byte] == 0:
            at += one
            record = records[at]
        if record == np.uint32(0xFFFFFFFF):
            if depth == zero:
                return EXHAUSTED, depth, made
            depth -= one
            stock[placed[depth] >> byte] += np.uint16(1)
            continue
        cursor[depth] = at + one
        stock[record >> byte] -= np.uint16(1)
        placed[depth] = record
        corner = depth << np.uint32(2)
        arrows[write[corner]] = record >> np.uint32(6) & np.uint32(3)
        arrows[write[corner + one]] = record >> np.uint32(4) & np.uint32(3)
        arrows[write[corner + np.uint32(2)]] = record >> np.uint32(2) & np.uint32(3)
        arrows[write[corner + np.uint32(3)]] = record & np.uint32(3)
        depth += one
        made += 1
        if depth > best[0]:
            best[0] = depth
            for i in range(depth):
                best_placed[i] = placed[i]
        if depth == cells:
            if not counting:
                return FULL, depth, made
            tally[0] += 1
            tally[1] += _half_turn_fixes(arrows)
            tally[2] += _quarter_turn_fixes(arrows, cols)
            depth -= one
            stock[record >> byte] += np.uint16(1)
            continue
        corner = depth << np.uint32(2)
        key = (
            np.uint32(arrows[read[corner]]) << np.uint32(6)
            | np.uint32(arrows[read[corner + one]]) << np.uint32(4)
            | np.uint32(arrows[read[corner + np.uint32(2)]]) << np.uint32(2)
            | np.uint32(arrows[read[corner + np.uint32(3)]])
        )
        cursor[depth] = first[pattern[depth] + key]
    return PAUSED, depth, made


@kernel
def _half_turn_fixes(arrows):
    """1 if the board looks the same upside down, arrows turning with it. The last vertex is the dummy."""
    vertices = len(arrows) - 1
    for v in range(vertices):
        if arrows[vertices - 1 - v] != (arrows[v] + 2) & 3:
            return 0
    return 1


@kernel
def _quarter_turn_fixes(arrows, cols):
    """1 if a square board looks the same after a quarter turn: np.rot90(arrows + 1)."""
    side = cols + 1
    if side * side != len(arrows) - 1:
        return 0
    for r in range(side):
        for c in range(side):
            if arrows[r * side + c] != (arrows[c * side + side - 1 - r] + 1) & 3:
                return 0
    return 1
