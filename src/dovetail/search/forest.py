"""Many search trees in one set of flat arrays, with priors, and with visits that still wait to be evaluated.

The nodes of all trees lie in one pool, so that ``expand``, ``back_up`` and ``kill`` of ``tree.py`` serve here as they
are: they only follow parents and children, and do not ask whose they are. What a tree leaves behind when its root
moves on is swept away when the pool is full.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.state import Misfit, State, fields, within
from ..kernel import kernel
from .tree import NONE, _begin


class Forest(NamedTuple):
    """The first ten are those of a Tree, for the nodes of all trees."""

    parent: NDArray[np.int32]  # [nodes]: NONE at a root
    move: NDArray[np.int32]
    first: NDArray[np.int32]
    count: NDArray[np.int32]  # type: ignore[assignment]  # (tuples have a method of this name)
    visits: NDArray[np.int64]
    value: NDArray[np.float64]
    square: NDArray[np.float64]
    best: NDArray[np.float64]
    dead: NDArray[np.uint8]
    twin: NDArray[np.int32]
    prior: NDArray[np.float64]  # [nodes]: how likely the move that leads here was thought to be
    waiting: NDArray[np.int32]  # [nodes]: walks that came through here whose leaf is not evaluated yet
    used: NDArray[np.int64]  # [1]: nodes in use
    root: NDArray[np.int32]  # [trees]: the node where walks begin
    played: NDArray[np.int32]  # [trees]: how many moves led there
    path: NDArray[np.int32]  # [trees, steps + 1]: these moves, and after them those of the latest walk


def forest(trees: int, steps: int, nodes: int) -> Forest:
    """So many trees for plays of so many moves at most: roots, not yet expanded, and room for ``nodes``."""
    nodes = max(nodes, trees)
    parent, move, first, count, twin, waiting = (np.zeros(nodes, np.int32) for _ in range(6))
    value, square, best, prior = (np.zeros(nodes) for _ in range(4))
    planted = Forest(
        parent, move, first, count, np.zeros(nodes, np.int64), value, square, best, np.zeros(nodes, np.uint8), twin,
        prior, waiting, np.zeros(1, np.int64), np.zeros(trees, np.int32), np.zeros(trees, np.int32),
        np.full((trees, steps + 1), NONE, np.int32),
    )  # fmt: skip
    _plant(planted)
    return planted


def swept(old: Forest, least: int) -> Forest:
    """The same trees, from their roots on and without gaps, with room for ``least`` nodes more, and as much again."""
    trees, steps = len(old.root), old.path.shape[1] - 1
    alive = int(_alive(old, np.zeros(len(old.move), np.int32)))
    new = forest(trees, steps, max(len(old.move), 2 * (alive + least)))
    new.played[:], new.path[:] = old.played, old.path
    _transplant(old, new)
    return new


OF_NODES = ("parent", "move", "first", "count", "visits", "value", "square", "best", "dead", "prior")
OF_TREES = ("root", "played", "path")


def written(old: Forest) -> State:
    """The trees from their roots on, for ``read``; none may be waiting."""
    new = swept(old, 0)
    used = int(new.used[0])
    return {name: getattr(new, name)[:used].copy() for name in OF_NODES} | {
        name: getattr(new, name).copy() for name in OF_TREES
    }


def read(state: Any, trees: int, steps: int, actions: int, nodes: int) -> Forest:
    """Such trees, if walks on them end, and in moves that there are; with room for so many nodes more."""
    values = fields(state, (*OF_NODES, *OF_TREES))
    used = len(values["parent"]) if isinstance(values["parent"], np.ndarray) else 0
    new = forest(trees, steps, 2 * used + nodes)
    for name, value in values.items():
        there = getattr(new, name) if name in OF_TREES else getattr(new, name)[:used]
        if not isinstance(value, np.ndarray) or value.dtype != there.dtype or value.shape != there.shape:
            raise Misfit(name)
        there[:] = value
    new.twin[:used], new.used[0] = np.arange(used), used
    _check(values, trees, steps, actions)
    return new


def _check(values: State, trees: int, steps: int, actions: int) -> None:
    """As ``written`` leaves them: roots first, then the children of one node after the other, each after its parent."""
    first, count, parent, dead, played = (values[name] for name in ("first", "count", "parent", "dead", "played"))
    grown = np.flatnonzero(first != NONE)
    children = count[grown].astype(np.int64)
    within(children, 1, actions, "children")
    begins = trees + np.append(0, np.cumsum(children))
    parents = np.append(np.full(trees, NONE), np.repeat(grown, children))
    same = len(first) == begins[-1] and (first[grown] == begins[:-1]).all() and (parent == parents).all()
    if not same or (begins[:-1] <= grown).any() or (values["root"] != np.arange(trees)).any():
        raise Misfit("trees")
    if len(grown) and (np.minimum.reduceat(dead, first[grown]) & ~dead[grown] & 1).any():
        raise Misfit("dead ends")
    within(played, 0, steps, "moves")
    depth = np.append(played, np.zeros(len(first) - trees, played.dtype)).astype(np.int64)
    begin, end = 0, trees  # of a level
    while end < len(first):
        begin, end = end, int(np.searchsorted(parent[trees:], end)) + trees
        depth[begin:end] = depth[parent[begin:end]] + 1
    within(depth, 0, steps, "moves")
    within(values["move"][trees:], 0, actions - 1, "moves")
    within(values["move"], NONE, actions - 1, "moves")
    within(values["path"], NONE, actions - 1, "moves")
    within(values["path"][np.arange(steps + 1) < played[:, None]], 0, actions - 1, "moves")


@kernel
def _plant(forest):
    forest.used[0] = len(forest.root)
    for tree in range(len(forest.root)):
        forest.root[tree] = tree
        _begin(forest, tree, NONE, NONE)
        forest.prior[tree] = 1.0
        forest.waiting[tree] = 0


@kernel
def _alive(forest, queue):
    """How many nodes can still be reached from the roots."""
    number, at = len(forest.root), 0
    for tree in range(number):
        queue[tree] = forest.root[tree]
    while at < number:
        node = queue[at]
        at += 1
        if forest.first[node] != NONE:
            for child in range(forest.first[node], forest.first[node] + forest.count[node]):
                queue[number] = child
                number += 1
    return number


@kernel
def _transplant(old, new):
    """Copy what can be reached from the roots, level by level; ``twin`` says for a while where a copy comes from."""
    for tree in range(len(old.root)):
        _copy(old, new, np.int64(old.root[tree]), tree, np.int64(NONE))
    at = 0
    while at < new.used[0]:
        source = np.int64(new.twin[at])
        if old.first[source] != NONE:
            new.first[at] = new.used[0]
            new.count[at] = old.count[source]
            for child in range(old.first[source], old.first[source] + old.count[source]):
                _copy(old, new, np.int64(child), new.used[0], np.int64(at))
                new.used[0] += 1
        new.twin[at] = at
        at += 1


@kernel
def _copy(old, new, source, node, parent):
    new.parent[node] = parent
    new.move[node] = old.move[source]
    new.first[node] = NONE
    new.count[node] = 0
    new.visits[node] = old.visits[source]
    new.value[node] = old.value[source]
    new.square[node] = old.square[source]
    new.best[node] = old.best[source]
    new.dead[node] = old.dead[source]
    new.twin[node] = source
    new.prior[node] = old.prior[source]
    new.waiting[node] = old.waiting[source]


@kernel
def move_on(forest, tree, child, keep):
    """A move is made for good: the tree begins at this child, with what is known below it or without."""
    forest.path[tree, forest.played[tree]] = forest.move[child]
    forest.played[tree] += 1
    forest.root[tree] = child
    if keep:
        forest.parent[child] = NONE
    else:
        _begin(forest, child, NONE, forest.move[child])
