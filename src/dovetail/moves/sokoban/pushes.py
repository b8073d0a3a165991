"""Weighted A* over single pushes of a Sokoban level: the search for small levels, with short solutions."""

from collections import namedtuple

import numpy as np

from ...kernel import kernel, overwrite
from .deadlocks import corral, frozen
from .matching import match, rematch
from .reach import FAR, flood
from .table import LOST, find, is_full, put, remember, take

SPENT, SOLVED, EXHAUSTED, FULL = 0, 1, 2, 3  # why a search paused

# root [1]: of the heap of positions to expand. solved [1]: the node that solves it. before, after: matchings. costs
# [boxes, boxes].
Queue = namedtuple("Queue", ["root", "solved", "before", "after", "costs"])


@kernel
def begin(board, s, pool, queue, boxes, player, weight):
    """The root."""
    for box in boxes:
        s.occupied[box] = 1
    s.stamp[0] += 1
    area = flood(board.near, s.occupied, player, s.reached, s.stamp[0], s.queue)
    key = board.player_key[area]
    for i in range(len(boxes)):
        s.occupied[boxes[i]] = 0
        pool.boxes[0, i] = boxes[i]
        key ^= board.box_key[boxes[i]]
        for goal in range(len(boxes)):
            queue.costs[i, goal] = board.distance[boxes[i], board.sides[boxes[i], player], goal]
    estimate = match(queue.before, queue.costs)
    pool.player[0] = area
    pool.estimate[0] = estimate
    remember(pool, find(pool.keys, key), key, 0)
    pool.used[0] = 1
    if estimate < FAR:
        _put(pool, queue, 0, weight)


@kernel
def _put(pool, queue, node, weight):
    pool.rank[node] = np.int32(pool.depth[node] + weight * pool.estimate[node])
    put(pool, queue.root, 0, node)


@kernel
def search(board, s, pool, queue, weight, expansions):
    """Expand so many positions; resumable. Returns why it ended and how many it expanded."""
    for expanded in range(expansions):
        if is_full(pool, 4 * pool.boxes.shape[1]):
            return FULL, expanded
        if queue.root[0] < 0:
            return EXHAUSTED, expanded
        node = take(pool, queue.root, 0)
        if pool.estimate[node] == 0:
            queue.solved[0] = node
            return SOLVED, expanded
        boxes = pool.boxes[node]
        for box in boxes:
            s.occupied[box] = 1
        _expand(board, s, pool, queue, node, weight)
        for box in boxes:
            s.occupied[box] = 0
    return SPENT, expansions


@kernel
def _expand(board, s, pool, queue, node, weight):
    """All pushes worth a node."""
    near, boxes, n = board.near, pool.boxes[node], pool.boxes.shape[1]
    player = np.int64(pool.player[node])
    key = board.player_key[player]
    for i in range(n):
        key ^= board.box_key[boxes[i]]
        overwrite(queue.costs[i], board.distance[boxes[i], board.sides[boxes[i], player]])
    key ^= board.player_key[player]
    match(queue.before, queue.costs)
    s.stamp[0] += 1
    reached = s.stamp[0]
    flood(near, s.occupied, player, s.reached, reached, s.queue)
    inside = corral(board, s, reached)
    for i in range(n):
        box = np.int64(boxes[i])
        if inside and s.edge[box] != inside:
            continue
        for way in range(4):
            to = near[box, way]
            if s.occupied[to] or board.lost[to, way] or s.reached[near[box, way ^ 2]] != reached:
                continue
            if inside and s.area[to] != inside:
                continue
            s.occupied[box] = 0
            s.occupied[to] = 1
            s.stamp[0] += 1
            area = flood(near, s.occupied, box, s.around, s.stamp[0], s.queue)
            after = key ^ board.box_key[box] ^ board.box_key[to] ^ board.player_key[area]
            place = find(pool.keys, after)
            if not pool.keys[place]:
                estimate = FAR
                if not frozen(board, s, to):
                    overwrite(queue.costs[i], board.distance[to, board.side[to, way ^ 2]])
                    estimate = rematch(queue.before, queue.after, queue.costs, i + 1)
                    overwrite(queue.costs[i], board.distance[box, board.sides[box, player]])
                if estimate >= FAR:
                    remember(pool, place, after, LOST)
                else:
                    child = pool.used[0]
                    pool.used[0] += 1
                    remember(pool, place, after, child)
                    overwrite(pool.boxes[child], boxes)
                    pool.boxes[child, i] = to
                    pool.player[child] = area
                    pool.parent[child] = node
                    pool.move[child] = 4 * box + way
                    pool.depth[child] = pool.depth[node] + 1
                    pool.estimate[child] = estimate
                    _put(pool, queue, child, weight)
            s.occupied[to] = 0
            s.occupied[box] = 1
