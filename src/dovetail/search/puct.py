"""Planning with a policy P and a value V: tree search as AlphaZero does it, for one player and many trees at once.

Paumard et al. 2020 (Alphazzle), 3.2. Rules are kernels. There is no state but the moves played so far: that is what a
leaf can be told by, in compiled code as well as to a network that judges hundreds of them in one batch.

    moves(game, tree, path, played, out) → how many moves there are after the first ``played`` of ``path``, written to
        ``out``; 0 when the play is over
    evaluate(game, tree, path, played, out, number, priors) → the value there, from 0 to 1; ``priors`` is filled for the
        moves in ``out``

A kernel of the caller's own calls ``plan`` with its rules, or ``gather`` for leaves that are evaluated elsewhere,
after which ``receive`` takes in what came out.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernel import generic, kernel
from .tree import NONE, alone, back_up, expand, kill

VISITS, VALUE, BEST = 0, 1, 2  # by what a move is chosen in the end


class Manner(NamedTuple):
    """How trees are walked; as in AlphaZero unless told otherwise."""

    exploration: float = 1.0  # C
    guided: bool = True  # by priors (PUCT, eq. 2), or not (UCT, eq. 1)
    unseen: float = 0.0  # what PUCT takes an unvisited child to be worth; if negative, as much as its parent
    bonus: float = 0.0  # W: the weight of the highest value beside the mean
    top: float = 0.0  # lambda: how much of the mean the highest value replaces
    deviation: float = -1.0  # Schadd's D; if negative, it does not count how values scatter
    loss: int = 1  # how many lost visits one counts for that still waits
    exhaust: bool = False  # a play that is over is never looked at again


RULES = {  # the four of 3.2.1, with Schadd's W; of D and lambda no number is given there
    "puct": Manner(),
    "uct": Manner(guided=False),
    "single": Manner(guided=False, bonus=0.02, deviation=0.0),
    "mixed": Manner(guided=False, top=0.125),
}


class Leaves(NamedTuple):
    """Positions to be judged."""

    tree: NDArray[np.int32]  # [leaves]
    node: NDArray[np.int32]  # [leaves]
    path: NDArray[np.int32]  # [leaves, steps + 1]: the moves that lead there, then NONE
    played: NDArray[np.int32]  # [leaves]: how many they are
    moves: NDArray[np.int32]  # [leaves, widest]: the moves that go on from there
    number: NDArray[np.int32]  # [leaves]: how many they are; 0 if the play is over


def leaves(most: int, steps: int, widest: int) -> Leaves:
    """Room for so many."""
    return Leaves(
        np.zeros(most, np.int32), np.zeros(most, np.int32), np.full((most, steps + 1), NONE, np.int32),
        np.zeros(most, np.int32), np.zeros((most, widest), np.int32), np.zeros(most, np.int32),
    )  # fmt: skip


@kernel
def choose(forest, node, manner):
    """The child to follow; of equals the one with the higher prior, then the first. NONE if all are dead.

    UCT gives no number to a child that was never visited: it comes before all that were.
    """
    chosen, highest = np.int64(NONE), -np.inf
    passed = max(1, forest.visits[node] + manner.loss * forest.waiting[node])
    wide = np.sqrt(passed) if manner.guided else np.log(passed)
    unseen = forest.value[node] if manner.unseen < 0.0 else manner.unseen
    for child in range(forest.first[node], forest.first[node] + forest.count[node]):
        if forest.dead[child]:
            continue
        visits, mean = forest.visits[child], forest.value[child]
        if forest.waiting[child]:  # as if what it waits for had come to nothing
            lost = manner.loss * forest.waiting[child]
            mean *= visits / (visits + lost)
            visits += lost
        if manner.guided:
            if visits == 0:
                mean = unseen
            worth = mean + manner.exploration * forest.prior[child] * wide / (1 + visits)  # eq. 2
        elif visits:
            worth = mean + manner.exploration * np.sqrt(wide / visits)  # eq. 1
        else:
            worth = np.inf
        if forest.visits[child]:
            worth += manner.bonus * forest.best[child]
            worth = alone(worth, visits, mean, forest.square[child], forest.best[child], manner.deviation, manner.top)
        if chosen == NONE or worth > highest or (worth == highest and forest.prior[child] > forest.prior[chosen]):
            chosen, highest = np.int64(child), worth
    return chosen


@kernel
def descend(forest, tree, manner):
    """Selection: from the root to a node without children. (the node, moves that led there; they are in the path)"""
    node, played = np.int64(forest.root[tree]), np.int64(forest.played[tree])
    while forest.first[node] != NONE:
        node = choose(forest, node, manner)
        forest.path[tree, played] = forest.move[node]
        played += 1
    return node, played


@kernel
def grow(forest, node, moves, number, priors):
    """Expansion: children for all moves, with priors that sum to 1; even ones, where all are 0."""
    expand(forest, node, moves, number)
    first = np.int64(forest.first[node])
    total = 0.0
    for i in range(number):
        total += priors[i]
    for i in range(number):
        forest.prior[first + i] = priors[i] / total if total > 0.0 else 1.0 / number
        forest.waiting[first + i] = 0


@kernel
def wait(forest, node, change):
    """A walk to this node begins or ends to wait for its evaluation."""
    while node != NONE:
        forest.waiting[node] += change
        node = np.int64(forest.parent[node])


@kernel
def settle(forest, node, number, value, manner):
    """Back-propagation (3.2.4): the first visit of a node sets its value, later ones enter into its mean."""
    back_up(forest, node, value)
    if number == 0 and manner.exhaust:
        kill(forest, node)


@generic
def plan(moves, evaluate, game, forest, manner, room, priors, left, most):
    """Visits, tree by tree, until none of ``left`` [trees] is left or ``most`` were made; resumable.

    Returns how many were made, and whether the forest is full. ``room``, ``priors`` [widest]: for the moves of a step.
    A play that was over when it was last looked at is as much worth now, and is not evaluated again.
    """
    made = 0
    for tree in range(len(left)):
        while left[tree] > 0 and made < most:
            if forest.dead[forest.root[tree]]:
                left[tree] = 0
                break
            if forest.used[0] + len(room) > len(forest.move):
                return made, True
            node, played = descend(forest, tree, manner)
            if forest.visits[node]:
                back_up(forest, node, forest.value[node])
            else:
                number = moves(game, tree, forest.path[tree], played, room)
                value = evaluate(game, tree, forest.path[tree], played, room, number, priors)
                if number:
                    grow(forest, node, room, number, priors)
                settle(forest, node, number, value, manner)
            left[tree] -= 1
            made += 1
    return made, False


@generic
def gather(moves, game, forest, manner, room, left, each, first, leaves):
    """Walks to leaves that are to be evaluated elsewhere, up to ``each`` of a tree, beginning with the tree ``first``.

    Returns how many there are, how many visits that makes with those to plays known to be over, the tree to begin with
    next time, and whether the forest is full. What they pass counts as visited in vain until ``receive`` (virtual
    loss); a walk that ends where another one waits is not made. A tree's turn is never cut short for want of room: so
    it is the same tree in whatever company it grows.
    """
    number, made, trees = 0, 0, len(left)
    for turn in range(trees):
        tree = (first + turn) % trees
        if number + each > len(leaves.tree):
            return number, made, tree, False
        if forest.used[0] + (number + each) * len(room) > len(forest.move):
            return number, made, tree, True
        waiting = 0
        while left[tree] > 0 and waiting < each:
            if forest.dead[forest.root[tree]]:
                left[tree] = 0
                break
            node, played = descend(forest, tree, manner)
            if forest.visits[node]:
                back_up(forest, node, forest.value[node])
                left[tree] -= 1
                made += 1
                continue
            if forest.waiting[node]:
                break
            wait(forest, node, 1)
            leaves.tree[number] = tree
            leaves.node[number] = node
            for step in range(leaves.path.shape[1]):
                leaves.path[number, step] = forest.path[tree, step] if step < played else NONE
            leaves.played[number] = played
            leaves.number[number] = moves(game, tree, forest.path[tree], played, leaves.moves[number])
            left[tree] -= 1
            waiting += 1
            number += 1
            made += 1
    return number, made, first, False


@kernel
def receive(forest, manner, leaves, number, priors, values):
    """What the first ``number`` leaves were judged: priors [leaves, actions] by move, values [leaves]."""
    picked = np.zeros(leaves.moves.shape[1])
    for leaf in range(number):
        node, wide = np.int64(leaves.node[leaf]), np.int64(leaves.number[leaf])
        wait(forest, node, -1)
        for i in range(wide):
            picked[i] = priors[leaf, leaves.moves[leaf, i]]
        if wide:
            grow(forest, node, leaves.moves[leaf], wide, picked)
        settle(forest, node, wide, values[leaf], manner)


@kernel
def decide(forest, tree, by):
    """The child of the root to move to: most visited, of the highest mean, or with the highest value below it.

    Of equals the one with the higher prior, then the first. A child that was never visited has no value: it is chosen
    if none was. NONE if the root has no children.
    """
    root = np.int64(forest.root[tree])
    chosen, highest = np.int64(NONE), -np.inf
    if forest.first[root] == NONE:
        return chosen
    for child in range(forest.first[root], forest.first[root] + forest.count[root]):
        worth = -np.inf
        if by == VISITS:
            worth = np.float64(forest.visits[child])
        elif forest.visits[child]:
            worth = forest.value[child] if by == VALUE else forest.best[child]
        if chosen == NONE or worth > highest or (worth == highest and forest.prior[child] > forest.prior[chosen]):
            chosen, highest = np.int64(child), worth
    return chosen
