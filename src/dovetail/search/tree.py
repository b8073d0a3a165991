"""A search tree in flat arrays, the selection rules that walk it, and what it knows of positions met twice."""

from collections import namedtuple

import numpy as np

from ..kernel import kernel

NONE = -1

# [nodes] parent: NONE at the root; move: what leads here from the parent; first, count: the children, which lie side by
# side (first is NONE before the node is expanded); visits, value: how often and with what mean (equation 7); square:
# the sum of squares; best: the highest value seen below; dead: nothing below can be a solution; twin: the node that
# stands for this position, itself unless another was there before.
# used [1]: nodes in use. root [2]: the node where walks begin, and how many moves led there.
# key, owner [slots]: which node (plus 1, 0 if none) stands for a position. graves [slots]: positions known to be dead.
Tree = namedtuple(
    "Tree",
    [
        "parent", "move", "first", "count", "visits", "value", "square", "best", "dead", "twin", "used", "root", "key",
        "owner", "graves",
    ],
)  # fmt: skip
NODE_FIELDS = Tree._fields[: Tree._fields.index("used")]


def tree(nodes: int, positions: int = 1, graves: int = 1) -> Tree:
    """An empty tree with room for so many nodes: a root, not yet expanded.

    ``positions`` and ``graves``, powers of two, are there for searches that recognise a position: more than the nodes
    that are ever visited, and as many dead ends as are worth remembering.
    """
    words = (np.int32, np.int32, np.int32, np.int32, np.int64, float, float, float, np.uint8, np.int32)
    grown = Tree._make(
        (
            *(np.zeros(nodes, word) for word in words),
            np.zeros(1, np.int64),
            np.zeros(2, np.int64),
            np.zeros(positions, np.uint64),
            np.zeros(positions, np.int32),
            np.zeros(graves, np.uint64),
        )
    )
    clear(grown)
    return grown


def larger(small: Tree, factor: int) -> Tree:
    """The same tree, with so many times the room (a power of two)."""
    nodes, positions, graves = len(small.move), len(small.key), len(small.graves)
    large = tree(factor * nodes, factor * positions if positions > 1 else 1, factor * graves if graves > 1 else 1)
    for name in NODE_FIELDS:
        getattr(large, name)[:nodes] = getattr(small, name)
    large.used[:], large.root[:] = small.used, small.root
    enter(small, large)
    return large


@kernel
def clear(tree):
    """Forget all nodes but a root, and what it has seen. Dead positions stay known."""
    if tree.used[0] > 1:
        tree.owner[:] = 0
    tree.used[0] = 1
    tree.root[:] = 0
    _begin(tree, 0, NONE, 0)


@kernel
def _begin(tree, node, parent, move):
    tree.parent[node] = parent
    tree.move[node] = move
    tree.first[node] = NONE
    tree.count[node] = 0
    tree.visits[node] = 0
    tree.value[node] = 0.0
    tree.square[node] = 0.0
    tree.best[node] = -np.inf
    tree.dead[node] = 0
    tree.twin[node] = node


@kernel
def expand(tree, node, moves, number):
    """Give a node its children, one a move; False if there is no room for them."""
    begin = tree.used[0]
    if begin + number > len(tree.move):
        return False
    for i in range(number):
        _begin(tree, begin + i, node, moves[i])
    tree.first[node] = begin
    tree.count[node] = number
    tree.used[0] = begin + number
    return True


@kernel
def gone(tree, child):
    """Whether a child, or the node that stands for its position, is dead."""
    return tree.dead[child] or tree.dead[tree.twin[child]]


@kernel
def passed(tree, node, other):
    """Whether the way up from a node leads through another one."""
    while node != NONE:
        if node == other:
            return True
        node = np.int64(tree.parent[node])
    return False


@kernel
def uct(tree, node, exploration):
    """The child to follow: an unvisited one first, in order; else by mean and exploration. NONE if all are dead."""
    return select(tree, node, exploration, -1.0, 0.0)


@kernel
def select(tree, node, exploration, deviation, top):
    """As ``uct``, and as Schadd et al. 2012 do for games with one player.

    ``top`` of a child's worth is the highest value below it, the rest the mean. ``deviation``, if not negative, is
    their D: children whose values scatter are worth more, all the more while they are little visited.
    """
    chosen, highest = np.int64(NONE), -np.inf
    wide = np.log(max(1, tree.visits[node]))
    for child in range(tree.first[node], tree.first[node] + tree.count[node]):
        if gone(tree, child):
            continue
        seen = tree.twin[child]
        visits = tree.visits[seen]
        if visits == 0:
            return np.int64(child)
        mean = tree.value[seen]
        worth = mean + exploration * np.sqrt(wide / visits)
        worth = alone(worth, visits, mean, tree.square[seen], tree.best[seen], deviation, top)
        if worth > highest:
            chosen, highest = np.int64(child), worth
    return chosen


@kernel
def alone(worth, visits, mean, square, best, deviation, top):
    """What is added to a child's worth where nobody plays against us; see ``select``."""
    if top > 0.0:
        worth += top * (best - mean)
    if deviation >= 0.0:
        worth += np.sqrt(max(0.0, square - visits * mean * mean + deviation) / visits)
    return worth


@kernel
def back_up(tree, node, value):
    """Tell a node and all above it what a rollout below was worth (Kiarostami et al. 2021, eq. 7)."""
    while node != NONE:
        tree.visits[node] += 1
        tree.value[node] += (value - tree.value[node]) / tree.visits[node]
        tree.square[node] += value * value
        if value > tree.best[node]:
            tree.best[node] = value
        node = np.int64(tree.parent[node])


@kernel
def kill(tree, node):
    """A node without solutions below: it is dead, and so is its parent if no child is left, and so on."""
    while node != NONE:
        tree.dead[node] = 1
        parent = np.int64(tree.parent[node])
        if parent == NONE:
            return
        for child in range(tree.first[parent], tree.first[parent] + tree.count[parent]):
            if not gone(tree, child):
                return
        node = parent


@kernel
def stands_for(tree, node, key):
    """The node that stands for this position: the first that came to it, else this one from now on."""
    last = np.uint64(len(tree.key) - 1)
    slot = key & last
    while tree.owner[slot]:
        if tree.key[slot] == key:
            return np.int64(tree.owner[slot] - 1)
        slot = (slot + np.uint64(1)) & last
    tree.key[slot] = key
    tree.owner[slot] = node + 1
    return np.int64(node)


@kernel
def bury(tree, key):
    """Remember a dead position; it takes the place of another one where they meet."""
    tree.graves[key & np.uint64(len(tree.graves) - 1)] = key


@kernel
def buried(tree, key):
    """Whether a position is remembered as dead."""
    return tree.graves[key & np.uint64(len(tree.graves) - 1)] == key


@kernel
def enter(small, large):
    """What one tree knows of positions, for another one."""
    for slot in range(len(small.owner)):
        if small.owner[slot]:
            stands_for(large, small.owner[slot] - 1, small.key[slot])
    for position in small.graves:
        bury(large, position)
