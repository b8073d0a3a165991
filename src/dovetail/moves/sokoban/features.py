"""Search of a Sokoban level through the space of its features, after Shoham and Schaeffer's FESS (2020).

A move takes one box anywhere it can go. Positions are told apart by four features: how many goals are filled by the
plan, into how many parts the boxes cut the room, how many boxes stand in gates, how many stand where they are not
of use to the plan. Each combination of features is a cell with a heap of its own; the cells take turns, so that
every way of making progress is followed. Moves that advance a feature are free; all others add to the rank.
"""

from collections import namedtuple

import numpy as np

from ...kernel import kernel, overwrite
from .deadlocks import corral, frozen
from .matching import match, matching, rematch
from .pushes import EXHAUSTED, FULL, SOLVED, SPENT
from .reach import FAR, flood
from .sealed import sealed
from .slides import pushes
from .table import LOST, find, is_full, put, remember, take

PARTS, GATES, ASTRAY = 16, 16, 8  # values told apart of the features after the first
FEATURES = 5  # with the pushes to go
RANK = 1 << 14  # a move that nobody advised weighs more than any estimate
TO = 1 << 12  # a move is written TO * from + to

# roots, used [cells]: the heaps; cells that ever had a node, which are listed in active. turn [4]: how many these are,
# whose turn it is, the node that solves the level, positions left out for lack of room. before, after: matchings.
# costs [boxes, boxes].
Space = namedtuple("Space", ["roots", "used", "active", "turn", "before", "after", "costs"])


def space(boxes: int) -> Space:
    """Empty, for a level of so many boxes."""
    cells = (boxes + 1) * PARTS * GATES * ASTRAY
    lists = (np.full(cells, -1, np.int32), np.zeros(cells, np.uint8), np.zeros(cells, np.int32))
    costs = np.zeros((boxes, boxes), np.int32)
    return Space(*lists, np.array([0, -1, -1, 0], np.int64), matching(boxes), matching(boxes), costs)


@kernel
def features(board, s, plan, boxes):
    """The cell of a position whose boxes are in ``s.occupied``."""
    near, n = board.near, len(boxes)
    packed = 0
    while packed < n and s.occupied[plan.order[packed]]:
        packed += 1
    s.stamp[0] += 1
    first, parts = s.stamp[0], 0
    for square in range(len(near) - 1):
        if not s.occupied[square] and s.around[square] < first:
            parts += 1
            flood(near, s.occupied, square, s.around, first, s.queue)
    gates = 0
    for box in boxes:
        if board.gate[box] and not board.goal[box]:
            gates += 1
    astray = min(_astray(s, plan, boxes, packed), ASTRAY - 1)
    return ((packed * PARTS + min(parts, PARTS - 1)) * GATES + min(gates, GATES - 1)) * ASTRAY + astray


@kernel
def _astray(s, plan, boxes, packed):
    """Boxes out of plan: too many among those of use only before some goal is filled; on goals before their turn."""
    n = len(boxes)
    s.list[: n + 1] = 0
    early = 0
    for box in boxes:
        if plan.place[box] >= packed:
            s.list[max(plan.deadline[box] + 1, packed)] += 1
            if plan.strict[0] and plan.place[box] < n:
                early += 1
    due, astray = 0, 0
    for filled in range(packed, n + 1):
        due += s.list[filled]
        astray = max(astray, due - (filled - packed))
    return astray + early


@kernel
def begin(board, s, pool, space, plan, boxes, player):
    """The root."""
    n = len(boxes)
    for box in boxes:
        s.occupied[box] = 1
    s.stamp[0] += 1
    area = flood(board.near, s.occupied, player, s.reached, s.stamp[0], s.queue)
    key = board.player_key[area]
    for i in range(n):
        pool.boxes[0, i] = boxes[i]
        key ^= board.box_key[boxes[i]]
        overwrite(space.costs[i], board.distance[boxes[i], board.sides[boxes[i], player]])
    pool.player[0] = area
    pool.estimate[0] = match(space.before, space.costs)
    pool.cell[0] = features(board, s, plan, boxes)
    remember(pool, find(pool.keys, key), key, 0)
    pool.used[0] = 1
    for box in boxes:
        s.occupied[box] = 0
    if pool.estimate[0] < FAR:
        _put(pool, space, 0)


@kernel
def _put(pool, space, node):
    """A node into the heap of its cell."""
    cell = pool.cell[node]
    if not space.used[cell]:
        space.used[cell] = 1
        space.active[space.turn[0]] = cell
        space.turn[0] += 1
    pool.rank[node] = min(pool.depth[node], RANK) * RANK + pool.estimate[node]
    put(pool, space.roots, cell, node)


@kernel
def search(board, s, c, pool, space, plan, most, expansions):
    """Expand so many positions; resumable. Returns why it ended and how many it expanded.

    ``most``: how many children a position may have.
    """
    for expanded in range(expansions):
        if is_full(pool, most):
            return FULL, expanded
        idle = 0
        while idle < space.turn[0]:
            space.turn[1] = (space.turn[1] + 1) % space.turn[0]
            if space.roots[space.active[space.turn[1]]] >= 0:
                break
            idle += 1
        if idle == space.turn[0]:
            return FULL if space.turn[3] else EXHAUSTED, expanded
        node = take(pool, space.roots, space.active[space.turn[1]])
        if pool.estimate[node] == 0:
            space.turn[2] = node
            return SOLVED, expanded
        if _lost(board, s, c, pool, node):
            continue
        first = pool.used[0]
        _expand(board, s, pool, space, plan, node)
        solved = _advise(board, s, c, pool, space, node, first)
        if solved >= 0:
            space.turn[2] = solved
            return SOLVED, expanded
    return SPENT, expansions


@kernel
def _expand(board, s, pool, space, plan, node):
    """Every box to every place, as nodes without a rank."""
    near, n = board.near, pool.boxes.shape[1]
    player = np.int64(pool.player[node])
    boxes = pool.boxes[node].copy()
    key = np.uint64(0)
    for i in range(n):
        s.occupied[boxes[i]] = 1
        key ^= board.box_key[boxes[i]]
        overwrite(space.costs[i], board.distance[boxes[i], board.sides[boxes[i], player]])
    match(space.before, space.costs)
    s.stamp[0] += 1
    reached = s.stamp[0]
    flood(near, s.occupied, player, s.reached, reached, s.queue)
    inside = corral(board, s, reached)
    for i in range(n):
        box = np.int64(boxes[i])
        if inside and s.edge[box] != inside:
            continue
        count = pushes(board, s, box, reached, inside)
        s.occupied[box] = 0
        for at in range(count):
            area = s.areas[at]
            if area < 0:
                continue
            to, way = np.int64(s.spots[at] >> 2), s.spots[at] & 3
            after = key ^ board.box_key[box] ^ board.box_key[to] ^ board.player_key[area]
            place = find(pool.keys, after)
            if pool.keys[place]:
                continue
            if is_full(pool, 1):
                space.turn[3] += 1
                continue
            s.occupied[to] = 1
            boxes[i] = to
            estimate = FAR
            if not frozen(board, s, to):
                overwrite(space.costs[i], board.distance[to, board.side[to, way ^ 2]])
                estimate = rematch(space.before, space.after, space.costs, i + 1)
            if estimate >= FAR:
                remember(pool, place, after, LOST)
            else:
                child = pool.used[0]
                pool.used[0] += 1
                remember(pool, place, after, child)
                overwrite(pool.boxes[child], boxes)
                pool.player[child] = area
                pool.parent[child] = node
                pool.move[child] = TO * box + to
                pool.estimate[child] = estimate
                pool.cell[child] = features(board, s, plan, boxes)
            s.occupied[to] = 0
        boxes[i] = box
        s.occupied[box] = 1
        overwrite(space.costs[i], board.distance[box, board.sides[box, player]])
    for box in boxes:
        s.occupied[box] = 0


@kernel
def _advise(board, s, c, pool, space, node, first):
    """Rank the new nodes: the best by each feature, if better than their parent, come free. Returns one that solves it.

    Advice that leads into a corral which never opens is worth nothing: the next best takes its place.
    """
    for child in range(first, pool.used[0]):
        if pool.estimate[child] == 0:
            return child
        pool.depth[child] = pool.depth[node] + 1
    for feature in range(FEATURES):
        while True:
            child = _best(pool, node, first, feature)
            if child < 0 or pool.depth[child] == pool.depth[node]:
                break
            if not _lost(board, s, c, pool, child):
                pool.depth[child] = pool.depth[node]
                break
            pool.estimate[child] = FAR
    for child in range(first, pool.used[0]):
        if pool.estimate[child] < FAR:
            _put(pool, space, child)
    return -1


@kernel
def _best(pool, node, first, feature):
    """Of the new nodes the best by a feature, and nearest among equals; -1 if none is better than the parent."""
    best, least, estimate = -1, _measure(pool, node, feature), FAR
    for child in range(first, pool.used[0]):
        if pool.estimate[child] == FAR:
            continue
        found = _measure(pool, child, feature)
        if found < least or (best >= 0 and found == least and pool.estimate[child] < estimate):
            best, least, estimate = child, found, pool.estimate[child]
    return best


@kernel
def _lost(board, s, c, pool, node):
    """Whether some corral of a position is sealed."""
    for box in pool.boxes[node]:
        s.occupied[box] = 1
    lost = sealed(board, c, np.int64(pool.player[node]))
    for box in pool.boxes[node]:
        s.occupied[box] = 0
    return lost


@kernel
def _measure(pool, node, feature):
    """A feature as a number, the lower the better: 0 packed, 1 parts, 2 gates, 3 astray, 4 pushes to go."""
    cell = np.int64(pool.cell[node])
    if feature == 0:
        return -(cell // (PARTS * GATES * ASTRAY))
    if feature == 1:
        return cell // (GATES * ASTRAY) % PARTS
    if feature == 2:
        return cell // ASTRAY % GATES
    if feature == 3:
        return cell % ASTRAY
    return np.int64(pool.estimate[node])
