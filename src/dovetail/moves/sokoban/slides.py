"""One box of a Sokoban level on its way: everywhere it can be pushed to, or pulled to, while the others stay."""

from ...kernel import kernel
from .reach import flood


@kernel
def pushes(board, s, box, reached, inside):
    """All places for this box, with where the player is then. Returns how many are in ``s.spots``, nearest first.

    A spot is 4 * square + direction of the last push, ``s.areas`` the name of the player's area, or -1 for one that is
    the same as another, ``s.before`` the spot it came from, or -1. ``reached``: the stamp of the player's area;
    ``inside``: of a corral, where the first push must go, or 0.
    """
    near = board.near
    s.stamp[0] += 1
    turn, count = s.stamp[0], 0
    for way in range(4):
        to = near[box, way]
        if s.occupied[to] or board.lost[to, way] or s.reached[near[box, way ^ 2]] != reached:
            continue
        if not inside or s.area[to] == inside:
            count = _note(s, turn, to, way, -1, count)
    s.occupied[box] = 0
    at = 0
    while at < count:
        here, came = s.spots[at] >> 2, s.spots[at] & 3
        if s.done[4 * here + (came ^ 2)] == turn:  # the player is where it was for another spot on this square
            s.areas[at] = -1
            at += 1
            continue
        s.occupied[here] = 1
        s.stamp[0] += 1
        stamp = s.stamp[0]
        s.areas[at] = flood(near, s.occupied, near[here, came ^ 2], s.around, stamp, s.queue)
        for way in range(4):
            if s.around[near[here, way]] == stamp:
                s.done[4 * here + way] = turn
                to = near[here, way ^ 2]
                if not s.occupied[to] and not board.lost[to, way ^ 2]:
                    count = _note(s, turn, to, way ^ 2, at, count)
        s.occupied[here] = 0
        at += 1
    s.occupied[box] = 1
    return count


@kernel
def pulls(board, s, box, player):
    """The same backwards: all squares this box can be pulled to, as 4 * square + direction the player went."""
    near = board.near
    s.stamp[0] += 1
    turn, count, at = s.stamp[0], 0, -1
    s.occupied[box] = 0
    while at < count:
        here = box if at < 0 else s.spots[at] >> 2
        start = player if at < 0 else near[here, s.spots[at] & 3]
        if at >= 0 and s.done[s.spots[at]] == turn:
            at += 1
            continue
        s.occupied[here] = 1
        s.stamp[0] += 1
        stamp = s.stamp[0]
        area = flood(near, s.occupied, start, s.around, stamp, s.queue)
        if at >= 0:
            s.areas[at] = area
        for way in range(4):
            to = near[here, way]
            if s.around[to] == stamp:
                s.done[4 * here + way] = turn
                if not s.occupied[near[to, way]]:
                    count = _note(s, turn, to, way, at, count)
        s.occupied[here] = 0
        at += 1
    s.occupied[box] = 1
    return count


@kernel
def _note(s, turn, square, way, before, count):
    """A spot, once; ``before`` is the one it was pushed from."""
    spot = 4 * square + way
    if s.seen[spot] == turn:
        return count
    s.seen[spot] = turn
    s.spots[count] = spot
    s.before[count] = before
    return count + 1
