"""A search tree in flat arrays, and the selection rules that walk it."""

from collections import namedtuple

import numpy as np

from ..kernel import kernel

NONE = -1

# All [nodes]. parent: NONE at the root; move: what leads here from the parent; first, count: the children, which lie
# side by side (first is NONE before the node is expanded); visits, value: how often and with what mean (equation 7);
# best: the highest value seen below; dead: nothing below can be a solution. used [1]: nodes in use.
Tree = namedtuple("Tree", ["parent", "move", "first", "count", "visits", "value", "best", "dead", "used"])


def tree(nodes: int) -> Tree:
    """An empty tree with room for so many nodes: a root, not yet expanded."""
    return Tree(
        np.full(nodes, NONE, np.int32),
        np.zeros(nodes, np.int32),
        np.full(nodes, NONE, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.float64),
        np.zeros(nodes, np.float64),
        np.zeros(nodes, np.uint8),
        np.ones(1, np.int64),
    )


@kernel
def clear(tree):
    """Forget all nodes but the root, and what the root has seen."""
    tree.used[0] = 1
    tree.first[0] = NONE
    tree.count[0] = 0
    tree.visits[0] = 0
    tree.value[0] = 0.0
    tree.best[0] = 0.0
    tree.dead[0] = 0


@kernel
def expand(tree, node, moves, number):
    """Give a node its children, one a move; False if there is no room for them."""
    begin = tree.used[0]
    if begin + number > len(tree.move):
        return False
    for i in range(number):
        child = begin + i
        tree.parent[child] = node
        tree.move[child] = moves[i]
        tree.first[child] = NONE
        tree.count[child] = 0
        tree.visits[child] = 0
        tree.value[child] = 0.0
        tree.best[child] = 0.0
        tree.dead[child] = 0
    tree.first[node] = begin
    tree.count[node] = number
    tree.used[0] = begin + number
    return True


@kernel
def uct(tree, node, exploration):
    """The child to follow: an unvisited one first, in order; else by mean and exploration. NONE if all are dead."""
    chosen, highest = np.int64(NONE), -np.inf
    wide = np.log(max(1, tree.visits[node]))
    for child in range(tree.first[node], tree.first[node] + tree.count[node]):
        if tree.dead[child]:
            continue
        if tree.visits[child] == 0:
            return np.int64(child)
        worth = tree.value[child] + exploration * np.sqrt(wide / tree.visits[child])
        if worth > highest:
            chosen, highest = np.int64(child), worth
    return chosen


@kernel
def back_up(tree, node, value):
    """Tell a node and all above it what a rollout below was worth (Kiarostami et al. 2021, eq. 7)."""
    while node != NONE:
        tree.visits[node] += 1
        tree.value[node] += (value - tree.value[node]) / tree.visits[node]
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
            if not tree.dead[child]:
                return
        node = parent
