"""In which order the goals of a Sokoban level are best filled, found backwards from the solved level.

A box that can be pulled from its goal to where a box stands at first, while the others stay on their goals, can be
packed last; it is taken away, and so on. The reverse of this is the packing plan (compare Shoham and Schaeffer, "The
FESS algorithm", 2020).
"""

from collections import namedtuple

import numpy as np

from ...kernel import kernel, overwrite
from .board import Board
from .deadlocks import Scratch
from .reach import FAR, flood
from .reach import pulls as backwards
from .slides import pulls

PATIENCE = 100_000_000  # squares looked at in the search for a plan

# order [boxes]: goals in the order to fill. deadline [squares + 1]: how many goals may be filled while a box on this
# square can still reach one of the others. place [squares + 1]: where in the order a goal is; ``boxes`` if it is none.
# strict [1]: whether a box on a goal before its turn is out of plan.
Plan = namedtuple("Plan", ["order", "deadline", "place", "strict"])


def plan(board: Board, scratch: Scratch, boxes: list[int], strict: bool) -> Plan:
    """The best order found, from any place the player may end at."""
    wall = len(board.near) - 1
    starts = np.array(boxes, np.int32)
    order = np.zeros(len(board.goals), np.int32)
    best, most = order, -1
    patience = np.full(1, PATIENCE, np.int64)
    tried = board.goal.astype(np.int64)
    for player in range(wall):
        if tried[player] or patience[0] <= 0:
            continue
        scratch.occupied[board.goals] = 1
        flood(board.near, scratch.occupied, player, tried, 1, scratch.queue)
        scratch.occupied[board.goals] = 0
        taken = unpack(board, scratch, starts, player, order, patience)
        if taken > most:
            best, most = order.copy(), taken
    deadline = np.full(wall + 1, -1, np.int32)
    blocked = np.zeros(wall + 1, np.uint8)
    blocked[wall] = 1
    for filled in range(len(best)):
        distance = np.full((wall + 1, 4), FAR, np.int32)
        for goal in best[filled:]:
            backwards(board.near, blocked, board.side, goal, distance)
        deadline[distance.min(axis=1) < FAR] = filled
        blocked[best[filled]] = 1
    place = np.full(wall + 1, len(best), np.int32)
    place[best] = np.arange(len(best))
    return Plan(best, deadline, place, np.array([strict], np.uint8))


@kernel
def unpack(board, s, starts, player, order, patience):
    """Take boxes away, starting with the player here; returns how many. ``order`` is filled from its end.

    Each box goes back to a start of its own. Where none can, one that stands in the way of another is put aside first;
    it has left its goal then, and that is what the order is about. All this takes ``patience`` [1], and ends with it.
    """
    n = len(board.goals)
    at = board.goals.copy()  # where each box is, -1 if it was taken away
    left = np.zeros(n, np.uint8)
    reach, owner = np.zeros((n, n), np.uint8), np.full(n, -1, np.int32)
    for box in at:
        s.occupied[box] = 1
    taken, gone = 0, 0
    while taken < n and patience[0] > 0:
        box, stands = _loose(board, s, starts, at, player, reach, owner, patience)
        if box >= 0:
            s.occupied[at[box]] = 0
            at[box] = -1
            taken += 1
        else:
            box, square, stands = _aside(board, s, starts, at, player, reach, owner, patience)
            if box < 0:
                break
            s.occupied[at[box]] = 0
            s.occupied[square] = 1
            at[box] = square
        player = stands
        if not left[box]:
            left[box] = 1
            gone += 1
            order[n - gone] = board.goals[box]
    rest = 0
    for box in range(n):
        if at[box] >= 0:
            s.occupied[at[box]] = 0
        if not left[box]:
            order[rest] = board.goals[box]
            rest += 1
    return gone


@kernel
def _loose(board, s, starts, at, player, reach, owner, patience):
    """The box nearest to its start that can be taken away, which is then its owner; and where the player is then."""
    n = len(at)
    chosen, nearest, stands = -1, FAR, player
    for box in range(n):
        if at[box] < 0:
            continue
        far, last = _sources(board, s, starts, at, player, reach, box, patience)
        if far < nearest and _owns(reach, owner.copy(), box):
            chosen, nearest, stands = box, far, last
    if chosen >= 0:
        _sources(board, s, starts, at, player, reach, chosen, patience)
        _owns(reach, owner, chosen)
    return chosen, stands


@kernel
def _sources(board, s, starts, at, player, reach, box, patience):
    """Which starts a box can be pulled to; returns how far the nearest is, and where the player is then."""
    count = pulls(board, s, at[box], player)
    patience[0] -= count * len(board.near)
    nearest, stands = FAR, player
    for start in range(len(starts)):
        reach[box, start] = 0
    for i in range(count):
        for start in range(len(starts)):
            if starts[start] == s.spots[i] >> 2:
                reach[box, start] = 1
                far = FAR - 1
                for side in range(4):
                    far = min(far, board.distance[starts[start], side, box])
                if far < nearest:
                    nearest, stands = far, board.near[starts[start], s.spots[i] & 3]
    return nearest, stands


@kernel
def _owns(reach, owner, box):
    """Give the box a start, others moving over (Kuhn's augmenting path); False if there is none for it."""
    n = len(owner)
    came, queue = np.full(n, -2, np.int32), np.empty(n + 1, np.int32)
    queue[0] = box
    length, at = 1, 0
    while at < length:
        one = queue[at]
        at += 1
        for start in range(n):
            if not reach[one, start] or came[start] != -2:
                continue
            came[start] = one
            if owner[start] >= 0:
                queue[length] = owner[start]
                length += 1
                continue
            while True:
                one = came[start]
                before = -1
                for other in range(n):
                    if owner[other] == one:
                        before = other
                owner[start] = one
                if one == box:
                    return True
                start = before
    return False


@kernel
def _aside(board, s, starts, at, player, reach, owner, patience):
    """A box to put aside so that another one can be taken away; where to; where the player is then. -1 for none."""
    n = len(at)
    spots, areas = s.spots.copy(), s.areas.copy()
    for box in range(n):
        if at[box] < 0:
            continue
        count = pulls(board, s, at[box], player)
        overwrite(spots[:count], s.spots[:count])
        overwrite(areas[:count], s.areas[:count])
        for i in range(count):
            square = np.int64(spots[i] >> 2)
            stands = np.int64(board.near[square, spots[i] & 3])
            s.occupied[at[box]] = 0
            s.occupied[square] = 1
            helped = False
            for other in range(n):
                if other != box and at[other] >= 0 and not helped:
                    far, _ = _sources(board, s, starts, at, stands, reach, other, patience)
                    helped = far < FAR and _owns(reach, owner.copy(), other)
            s.occupied[square] = 0
            s.occupied[at[box]] = 1
            if helped:
                return box, square, stands
            if patience[0] < 0:
                return -1, np.int64(0), np.int64(0)
    return -1, np.int64(0), np.int64(0)
