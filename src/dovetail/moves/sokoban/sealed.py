"""Corrals of a Sokoban level that can never be opened: a small search with the boxes around one, and nothing else.

If these boxes alone cannot be brought to goals, nor let the player in, then neither can they with more boxes. What was
found is kept, since the same corral is met again in many positions.
"""

from collections import namedtuple

import numpy as np

from ...kernel import kernel, overwrite
from .deadlocks import Scratch, enclose, frozen, scratch
from .reach import flood

TRIED = 200  # positions of a corral looked at before it is left in peace
EDGES = 12  # boxes around a corral, at most, for the search to be worth while
KNOWN = 1 << 18  # corrals remembered

# whole: scratch with all boxes, those of the search that asks; s: with those around one corral. boxes [TRIED, EDGES],
# player [TRIED]: the positions of the search. inside [squares + 1]: the squares of the corral. seen [4 * TRIED]: keys
# of positions; known, sealed [KNOWN]: of corrals.
Corrals = namedtuple("Corrals", ["whole", "s", "boxes", "player", "inside", "seen", "known", "sealed"])


def corrals(of: Scratch) -> Corrals:
    """Nothing known yet."""
    squares = len(of.occupied) - 1
    whole, own = scratch(squares)._replace(occupied=of.occupied), scratch(squares)
    return Corrals(
        whole,
        own,
        np.zeros((TRIED, EDGES), np.int32),
        np.zeros(TRIED, np.int32),
        np.zeros(squares + 1, np.int32),
        np.zeros(4 * TRIED, np.uint64),
        np.zeros(KNOWN, np.uint64),
        np.zeros(KNOWN, np.uint8),
    )


@kernel
def sealed(board, c, player):
    """Whether some corral can never be opened. ``player``: a square of the player's area."""
    s = c.whole
    s.stamp[0] += 1
    stamp = s.stamp[0]
    flood(board.near, s.occupied, player, s.reached, stamp, s.queue)
    for start in range(len(board.near) - 1):
        # reached by the player, or part of a corral that was looked at
        if s.occupied[start] or s.reached[start] == stamp or s.area[start] > stamp:
            continue
        if _sealed(board, c, start, player):
            return True
    return False


@kernel
def _sealed(board, c, start, player):
    """With the boxes at the edge of the corral; else with those, too, that touch one of these and may hold it."""
    s = c.whole
    size, edges, needed = enclose(board, s, start)
    if not needed or edges > EDGES:
        return False
    if _kept_shut(board, c, size, edges, player):
        return True
    stamp, held = s.stamp[0], edges
    for i in range(edges):
        for way in range(4):
            beside = board.near[s.list[i], way]
            if beside != len(board.near) - 1 and s.occupied[beside] and s.edge[beside] != stamp:
                s.edge[beside] = stamp
                s.list[held] = beside
                held += 1
    return edges < held <= EDGES and _kept_shut(board, c, size, held, player)


@kernel
def _kept_shut(board, c, size, edges, player):
    """Whether the first boxes of ``whole.list`` never open the first squares of ``whole.queue``; remembered."""
    s = c.whole
    key = np.uint64(0)
    for i in range(edges):
        c.s.occupied[s.list[i]] = 1
        c.boxes[0, i] = s.list[i]
        key ^= board.box_key[s.list[i]]
    c.s.stamp[0] += 1
    area = flood(board.near, c.s.occupied, player, c.s.reached, c.s.stamp[0], c.s.queue)
    for i in range(edges):
        c.s.occupied[s.list[i]] = 0
    key ^= board.player_key[area]
    place = np.int64(key >> np.uint64(20)) & (KNOWN - 1)
    if c.known[place] != key:
        c.player[0] = area
        for i in range(size):
            c.inside[i] = s.queue[i]
        c.sealed[place] = _never_opens(board, c, edges, size, key)
        c.known[place] = key
    return c.sealed[place] != 0


@kernel
def _never_opens(board, c, edges, size, key):
    """Try everything with these boxes; False as soon as the corral is open, or too much was tried."""
    s = c.s
    c.seen[:] = 0
    _is_new(c, key)
    waiting, count = 1, 1
    sealed = True
    while waiting and sealed:
        waiting -= 1
        # the last place is expanded and may be overwritten
        boxes = c.boxes[waiting, :edges].copy()
        player = c.player[waiting]
        bare = np.uint64(0)
        placed = True
        for box in boxes:
            s.occupied[box] = 1
            bare ^= board.box_key[box]
            placed &= board.goal[box] != 0
        s.stamp[0] += 1
        reached = s.stamp[0]
        flood(board.near, s.occupied, player, s.reached, reached, s.queue)
        shut = False
        for i in range(size):
            shut |= not s.occupied[c.inside[i]] and s.reached[c.inside[i]] != reached
        if placed or not shut:
            sealed = False
        for i in range(edges):
            box = boxes[i]
            for way in range(4):
                to = board.near[box, way]
                if not sealed or s.occupied[to] or board.lost[to, way]:
                    continue
                if s.reached[board.near[box, way ^ 2]] != reached:
                    continue
                s.occupied[box] = 0
                s.occupied[to] = 1
                s.stamp[0] += 1
                area = flood(board.near, s.occupied, box, s.around, s.stamp[0], s.queue)
                after = bare ^ board.box_key[box] ^ board.box_key[to] ^ board.player_key[area]
                if _is_new(c, after) and not frozen(board, s, to):
                    if count == TRIED or waiting == TRIED:
                        sealed = False
                    else:
                        count += 1
                        overwrite(c.boxes[waiting, :edges], boxes)
                        c.boxes[waiting, i] = to
                        c.player[waiting] = area
                        waiting += 1
                s.occupied[to] = 0
                s.occupied[box] = 1
        for box in boxes:
            s.occupied[box] = 0
    return sealed


@kernel
def _is_new(c, key):
    """Whether this position was not tried before; now it is."""
    place = np.int64(key >> np.uint64(20)) % len(c.seen)
    tries = 0
    while c.seen[place] and c.seen[place] != key and tries < len(c.seen):
        place = (place + 1) % len(c.seen)
        tries += 1
    if c.seen[place] == key:
        return False
    c.seen[place] = key
    return True
