"""Where player and boxes of a Sokoban level can come to: the kernels that walk and push. See ``board``."""

import numpy as np

from ...kernel import kernel

FAR = 10_000  # no way there; more than any distance


@kernel
def cut_all(near, side, sides):
    """For a box on each square: the parts it cuts the room into, told by its neighbours (side) and by all (sides)."""
    wall = len(near) - 1
    queue = np.empty(wall + 1, np.int32)
    seen = np.full(wall + 1, -1, np.int32)
    for square in range(wall):
        seen[square] = square
        for way in range(4):
            begin = near[square, way]
            if begin == wall:
                continue
            if seen[begin] != square:
                length = 1
                queue[0] = begin
                seen[begin] = square
                at = 0
                while at < length:
                    here = queue[at]
                    at += 1
                    sides[square, here] = way
                    for step in range(4):
                        beside = near[here, step]
                        if beside != wall and seen[beside] != square:
                            seen[beside] = square
                            queue[length] = beside
                            length += 1
            side[square, way] = sides[square, begin]


@kernel
def pulls(near, blocked, side, goal, distance):
    """Pushes to this goal by square and side of the player, found backwards. blocked: walls, boxes that never move."""
    wall = len(near) - 1
    queue = np.empty(4 * wall, np.int32)
    length = 0
    for way in range(4):
        if not blocked[near[goal, way]] and distance[goal, side[goal, way]] != 0:
            distance[goal, side[goal, way]] = 0
            queue[length] = 4 * goal + side[goal, way]
            length += 1
    at = 0
    while at < length:
        square, of = queue[at] >> 2, queue[at] & 3
        at += 1
        for way in range(4):  # the box came from there, where the player stands now, who stood one further
            came = near[square, way]
            if blocked[came] or side[square, way] != of or blocked[near[came, way]]:
                continue
            before = side[came, way]
            if distance[came, before] == FAR:
                distance[came, before] = distance[square, of] + 1
                queue[length] = 4 * came + before
                length += 1


@kernel
def flood(near, occupied, start, reached, stamp, queue):
    """Mark with the stamp all the player can walk to. Returns the lowest of these squares, the name of the area."""
    queue[0] = start
    reached[start] = stamp
    length, at, lowest = 1, 0, start
    while at < length:
        here = queue[at]
        at += 1
        if here < lowest:
            lowest = here
        for way in range(4):
            beside = near[here, way]
            if not occupied[beside] and reached[beside] != stamp:
                reached[beside] = stamp
                queue[length] = beside
                length += 1
    return lowest
