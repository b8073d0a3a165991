"""Positions of a Sokoban level that are lost, and pushes that can wait: freeze deadlocks and PI-corrals."""

from collections import namedtuple

import numpy as np

from ...kernel import kernel

# scratch of one search. occupied [squares + 1]: boxes and the wall. reached [squares + 1]: stamped where the player can
# walk to. around [squares + 1]: a second such area. frozen, area, edge [squares + 1]: stamped boxes that cannot move;
# the squares of a corral; the boxes around it. queue, list [squares + 1]. seen, done, spots, areas, before [4 *
# squares + 4]: of a box on its way, see ``slides``. stamp [1]: the last one given away.
Scratch = namedtuple(
    "Scratch",
    [
        "occupied", "reached", "around", "frozen", "area", "edge", "queue", "list", "seen", "done", "spots", "areas",
        "before", "stamp",
    ],
)  # fmt: skip


def scratch(squares: int) -> Scratch:
    """For a level of so many squares."""
    occupied = np.zeros(squares + 1, np.uint8)
    occupied[squares] = 1
    stamps = [np.zeros(squares + 1, np.int64) for _ in range(5)]
    lists = [np.zeros(squares + 1, np.int32) for _ in range(2)]
    turns = [np.zeros(4 * squares + 4, np.int64) for _ in range(2)]
    spots = [np.zeros(4 * squares + 4, np.int32) for _ in range(3)]
    return Scratch._make([occupied, *stamps, *lists, *turns, *spots, np.zeros(1, np.int64)])


@kernel
def frozen(board, s, square):
    """Whether the box here, with those around it, can never move again while one of them is not on a goal.

    Of all boxes that touch, those are taken out that can be pushed along a line though the others stay; what is left
    holds itself fast. It is stamped in ``s.frozen``.
    """
    near, wall = board.near, len(board.near) - 1
    s.stamp[0] += 1
    stamp = s.stamp[0]
    s.list[0] = square
    s.frozen[square] = stamp
    length, at = 1, 0
    while at < length:
        here = s.list[at]
        at += 1
        for way in range(4):
            beside = near[here, way]
            if beside != wall and s.occupied[beside] and s.frozen[beside] != stamp:
                s.frozen[beside] = stamp
                s.list[length] = beside
                length += 1
    changed = True
    while changed:
        changed = False
        for i in range(length):
            box = s.list[i]
            if s.frozen[box] != stamp:
                continue
            for way in range(2):
                one, other = near[box, way], near[box, way + 2]
                if one == wall or other == wall or s.frozen[one] == stamp or s.frozen[other] == stamp:
                    continue
                if board.dead[one] and board.dead[other]:
                    continue
                s.frozen[box] = 0
                changed = True
                break
    lost = False
    for i in range(length):
        lost |= s.frozen[s.list[i]] == stamp and not board.goal[s.list[i]]
    return lost


@kernel
def corral(board, s, reached):
    """Find squares that the player cannot reach, closed by boxes that can only be pushed in, all of them now.

    Some push into these squares comes sooner or later and may as well come first (Damgaard's PI-corrals). Returns the
    stamp in ``s.area`` and ``s.edge`` of the one with the fewest such pushes, or 0 if there is none. ``reached``: the
    stamp of the player's area in ``s.reached``.
    """
    first = s.stamp[0] + 1
    chosen, fewest = -1, 1 << 30
    for start in range(len(board.near) - 1):
        if s.occupied[start] or s.reached[start] == reached or s.area[start] >= first:
            continue
        _, edges, needed = enclose(board, s, start)
        if needed:
            pushes = _pushes_in(board, s, reached, s.stamp[0], edges)
            if 0 <= pushes < fewest:
                chosen, fewest = start, pushes
    if chosen < 0:
        return 0
    enclose(board, s, chosen)  # a box may stand at the edge of two, and the last one stamped it
    return s.stamp[0]


@kernel
def enclose(board, s, start):
    """Stamp the area around a square (listed in ``s.queue``) and the boxes at its edge (``s.list``).

    Returns how many these are of both, and if some push is due.
    """
    near, wall = board.near, len(board.near) - 1
    s.stamp[0] += 1
    stamp = s.stamp[0]
    length, edges, at, needed = 1, 0, 0, False
    s.queue[0] = start
    s.area[start] = stamp
    while at < length:
        here = s.queue[at]
        at += 1
        needed |= board.goal[here] != 0
        for way in range(4):
            beside = near[here, way]
            if not s.occupied[beside]:
                if s.area[beside] != stamp:
                    s.area[beside] = stamp
                    s.queue[length] = beside
                    length += 1
            elif beside != wall and s.edge[beside] != stamp:
                s.edge[beside] = stamp
                s.list[edges] = beside
                edges += 1
                needed |= board.goal[beside] == 0
    return length, edges, needed


@kernel
def _pushes_in(board, s, reached, stamp, edges):
    """How many pushes lead into the corral; -1 if there are, or may come, others of its boxes."""
    near, wall = board.near, len(board.near) - 1
    pushes = 0
    for i in range(edges):
        box = s.list[i]
        for way in range(4):
            to, stand = near[box, way], near[box, way ^ 2]
            if to == wall or stand == wall or board.lost[to, way]:
                continue
            if s.area[stand] == stamp or s.edge[stand] == stamp:  # only after a push of these boxes
                continue
            if s.edge[to] == stamp:
                continue
            if s.area[to] != stamp or s.reached[stand] != reached:
                return -1
            pushes += 1
    return pushes
