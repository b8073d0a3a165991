"""Positions of a Sokoban level that were seen: nodes in a pool that grows, a table to find them, heaps to choose."""

from collections import namedtuple

import numpy as np

from ...kernel import kernel

LOST = -1  # in the table: seen, and not worth a node

# A position is its boxes and the area of its player (named by the lowest square).
# boxes [nodes, boxes]; player, parent, move, depth, estimate [nodes]: the move that led here from the parent, as its
# search writes it, pushes (or moves) made and pushes to go. cell [nodes]: where its features put it, if the search has
# some. rank, first, link [nodes]: of the pairing heaps: the lower the sooner, the first child, the next sibling. keys,
# nodes [a power of 2]: the table, 0 for a free place. used [2]: nodes, keys.
Pool = namedtuple(
    "Pool",
    [
        "boxes",
        "player",
        "parent",
        "move",
        "depth",
        "estimate",
        "cell",
        "rank",
        "first",
        "link",
        "keys",
        "nodes",
        "used",
    ],
)


def pool(boxes: int, nodes: int) -> Pool:
    """Room for so many nodes."""
    places = 1 << (4 * nodes - 1).bit_length()
    return Pool(
        np.zeros((nodes, boxes), np.uint16),
        np.zeros(nodes, np.uint16),
        np.full(nodes, -1, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.full(nodes, -1, np.int32),
        np.full(nodes, -1, np.int32),
        np.zeros(places, np.uint64),
        np.zeros(places, np.int32),
        np.zeros(2, np.int64),
    )


def bytes_a_node(boxes: int) -> int:
    """What one costs, with its share of the table, if their number is a power of 2."""
    return 2 * boxes + 34 + 4 * 12


def grown(old: Pool, nodes: int) -> Pool:
    """The same with more room."""
    new = pool(old.boxes.shape[1], nodes)
    used = int(old.used[0])
    for name in ("boxes", "player", "parent", "move", "depth", "estimate", "cell", "rank", "first", "link"):
        getattr(new, name)[:used] = getattr(old, name)[:used]
    rehash(old.keys, old.nodes, new.keys, new.nodes)
    new.used[:] = old.used
    return new


@kernel
def rehash(keys, nodes, new_keys, new_nodes):
    """Every entry into a larger table."""
    for i in range(len(keys)):
        if keys[i]:
            place = find(new_keys, keys[i])
            new_keys[place] = keys[i]
            new_nodes[place] = nodes[i]


@kernel
def find(keys, key):
    """Where this key is, or the free place where it belongs."""
    mask = len(keys) - 1
    place = np.int64(key >> np.uint64(20)) & mask
    while keys[place] and keys[place] != key:
        place = (place + 1) & mask
    return place


@kernel
def remember(pool, place, key, node):
    """Put a key in the free place that ``find`` named."""
    pool.keys[place] = key
    pool.nodes[place] = node
    pool.used[1] += 1


@kernel
def is_full(pool, nodes):
    """Whether room for so many more nodes might be lacking."""
    return pool.used[0] + nodes > len(pool.player) or 2 * (pool.used[1] + nodes) > len(pool.keys)


@kernel
def put(pool, roots, heap, node):
    """Add a node to a heap; of equals the last to come goes first."""
    pool.first[node] = -1
    pool.link[node] = -1
    roots[heap] = node if roots[heap] < 0 else _meld(pool, node, roots[heap])


@kernel
def take(pool, roots, heap):
    """Take the node of the lowest rank out of a heap that is not empty."""
    top = roots[heap]
    node, pairs = pool.first[top], np.int32(-1)
    while node >= 0:
        pair, after = node, pool.link[node]
        if after >= 0:
            last = after
            after = pool.link[last]
            pair = _meld(pool, node, last)
        pool.link[pair] = pairs
        pairs, node = pair, after
    root = np.int32(-1)
    while pairs >= 0:
        after = pool.link[pairs]
        pool.link[pairs] = -1
        root = pairs if root < 0 else _meld(pool, pairs, root)
        pairs = after
    roots[heap] = root
    return top


@kernel
def _meld(pool, one, other):
    """Two heaps as one; of equals the first is on top."""
    if pool.rank[other] < pool.rank[one]:
        one, other = other, one
    pool.link[other] = pool.first[one]
    pool.first[one] = other
    return one


def path(pool: Pool, node: int) -> list[int]:
    """The nodes from the root, which is left out, to this one."""
    nodes = []
    while pool.parent[node] >= 0:
        nodes.append(node)
        node = int(pool.parent[node])
    return nodes[::-1]
