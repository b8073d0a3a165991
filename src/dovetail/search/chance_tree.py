"""Monte-Carlo tree search with chance nodes: for games where something random happens after each move.

A decision node has a child for every move, a chance node; a chance node has a child for every outcome that was met
below it, a decision node. Rules are kernels on a state that only they understand, but for ``state.tally[0]``, the
number of moves played:

    moves(state, out) → how many moves there are, written to ``out``; 0 when the play is over
    try_move(state, move) plays it, and nothing happens yet
    happen(state, chance) lets something happen, by this chance
    back(state, played) → the state after the first ``played`` moves
    key(state) → a number for the position, by which outcomes are told apart
    value(state) → how much of the goal is reached, 1.0 if all of it
    score(state) → the points so far
"""

from collections import namedtuple

import numpy as np

from ..kernel import generic, kernel
from .chance import draw
from .tree import NONE

# exploration: the constant of UCT, for worths from 0 to 1. length: moves of a rollout at most. survival: what a move
# survived is worth, in points. win: what it is worth to reach the goal; the later, the less.
Manner = namedtuple("Manner", ["exploration", "length", "survival", "win"])

# All [nodes], but the last two. parent: NONE at the root. move: what leads to a chance node; key: what leads to a
# decision node. first, next: the first child, and the next of the same parent, or NONE. visits, worth: how often and
# with what mean. range [2]: the lowest and the highest worth of a rollout. used [1]: nodes in use.
ChanceTree = namedtuple("ChanceTree", ["parent", "move", "key", "first", "next", "visits", "worth", "range", "used"])


def chance_tree(nodes: int) -> ChanceTree:
    """Room for so many nodes; ``clear`` it before use."""
    return ChanceTree(
        np.full(nodes, NONE, np.int32), np.zeros(nodes, np.int64), np.zeros(nodes, np.uint64),
        np.full(nodes, NONE, np.int32), np.full(nodes, NONE, np.int32), np.zeros(nodes, np.int64),
        np.zeros(nodes, np.float64), np.zeros(2, np.float64), np.zeros(1, np.int64),
    )  # fmt: skip


@kernel
def clear(tree):
    """A root, not yet expanded."""
    tree.used[0] = 0
    tree.range[0], tree.range[1] = np.inf, -np.inf
    _add(tree, np.int64(NONE), 0, np.uint64(0))


@kernel
def most_visited(tree):
    """The move to play: the most visited, of those the one with the highest mean. The root must be expanded."""
    chosen = np.int64(tree.first[0])
    child = chosen
    while child != NONE:
        more = tree.visits[child] - tree.visits[chosen]
        if more > 0 or (more == 0 and tree.worth[child] > tree.worth[chosen]):
            chosen = child
        child = np.int64(tree.next[child])
    return tree.move[chosen]


@generic
def search(moves, try_move, happen, back, key, value, score, state, tree, manner, room, chance, rollouts):
    """So many rollouts from the position of the state, which is the same afterwards; resumable.

    ``room`` [moves]: for the moves of a step. When the tree is full, rollouts begin where it ends.
    """
    floor, points = state.tally[0], score(state)
    for _ in range(rollouts):
        node = np.int64(0)
        while True:
            if tree.first[node] == NONE:
                if node and tree.visits[node] == 0:  # a new outcome: a rollout comes before its children do
                    break
                if not _expand(tree, node, room, moves(state, room)):
                    break
            child = _uct(tree, node, manner.exploration)
            try_move(state, tree.move[child])
            happen(state, chance)
            node = _outcome(tree, child, key(state))
            if node == child:
                break
        for _ in range(manner.length):
            number = moves(state, room)
            if number == 0:
                break
            try_move(state, room[draw(chance, number)])
            happen(state, chance)
        made = state.tally[0] - floor
        worth = score(state) - points + manner.survival * made
        if value(state) >= 1.0:  # the play ends there, but not for the worse
            worth = manner.win - manner.survival * made
        back(state, floor)
        _back_up(tree, node, worth)


@kernel
def _add(tree, parent, move, key):
    """A new node; NONE if there is no room."""
    node = tree.used[0]
    if node == len(tree.parent):
        return np.int64(NONE)
    tree.used[0] = node + 1
    tree.parent[node] = parent
    tree.move[node] = move
    tree.key[node] = key
    tree.first[node] = NONE
    tree.visits[node] = 0
    tree.worth[node] = 0.0
    tree.next[node] = NONE
    if parent != NONE:
        tree.next[node] = tree.first[parent]
        tree.first[parent] = node
    return node


@kernel
def _expand(tree, node, moves, number):
    """Give a decision node a child for every move; False if it has none, or there is no room for them."""
    if number == 0 or tree.used[0] + number > len(tree.parent):
        return False
    for i in range(number - 1, -1, -1):  # the last one added comes first
        _add(tree, node, moves[i], np.uint64(0))
    return True


@kernel
def _outcome(tree, node, key):
    """The child of a chance node for what has happened, a new one if need be; the node itself if there is no room."""
    child = np.int64(tree.first[node])
    while child != NONE:
        if tree.key[child] == key:
            return child
        child = np.int64(tree.next[child])
    child = _add(tree, node, 0, key)
    return node if child == NONE else child


@kernel
def _uct(tree, node, exploration):
    """The child to follow: an unvisited one first, in order; else by mean, between the extremes, and exploration."""
    low = tree.range[0]
    wide = max(tree.range[1] - low, 1e-9)
    few = np.log(max(1, tree.visits[node]))
    chosen, highest = np.int64(NONE), -np.inf
    child = np.int64(tree.first[node])
    while child != NONE:
        if tree.visits[child] == 0:
            return child
        worth = (tree.worth[child] - low) / wide + exploration * np.sqrt(few / tree.visits[child])
        if worth > highest:
            chosen, highest = child, worth
        child = np.int64(tree.next[child])
    return chosen


@kernel
def _back_up(tree, node, worth):
    """Tell a node and all above it what a rollout below was worth."""
    tree.range[0] = min(tree.range[0], worth)
    tree.range[1] = max(tree.range[1], worth)
    while node != NONE:
        tree.visits[node] += 1
        tree.worth[node] += (worth - tree.worth[node]) / tree.visits[node]
        node = np.int64(tree.parent[node])
