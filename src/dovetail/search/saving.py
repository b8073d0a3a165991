"""A search tree as it is saved, and taken up again: its nodes in use, and what it knows of positions.

What comes from a file may be anything. Kernels follow the links of a tree without looking, so all of them are looked at
here; which moves a tree holds is for the owner of the rules to judge.
"""

from typing import Any

import numpy as np

from ..core.state import Misfit, State, fields, within
from .tree import NODE_FIELDS, NONE, Tree, enter, larger

FIELDS = (*NODE_FIELDS, "room", "root", "keys", "owners", "graves")
GROWTH = 4  # a tree that is full may get so many times the room


def tree_state(tree: Tree) -> State:
    """What ``tree_from`` takes."""
    used, owned = int(tree.used[0]), np.flatnonzero(tree.owner)
    return {
        **{name: getattr(tree, name)[:used].copy() for name in NODE_FIELDS},
        "room": len(tree.move),
        "root": tree.root.copy(),
        "keys": tree.key[owned],
        "owners": tree.owner[owned],
        "graves": tree.graves[tree.graves != 0],
    }


def tree_from(state: Any, empty: Tree, most: int) -> Tree:
    """The tree that was saved, in the place of an empty one that has grown since to ``most`` nodes at most."""
    saved = fields(state, FIELDS)
    tree = empty
    while len(tree.move) < min(most, saved["room"] if type(saved["room"]) is int else 0):
        tree = larger(tree, GROWTH)
    if len(tree.move) != saved["room"]:
        raise Misfit("room of the tree")
    used = len(saved["move"]) if isinstance(saved["move"], np.ndarray) else 0
    for name in NODE_FIELDS:
        _fill(getattr(tree, name), saved[name], used, name)
    _fill(tree.root, saved["root"], 2, "root")
    tree.used[0] = used
    _check_links(tree, used)
    _know(tree, used, *(saved[name] for name in ("keys", "owners", "graves")))
    return tree


def _fill(into: Any, values: Any, number: int, name: str) -> None:
    """The first so many places of an array."""
    if not isinstance(values, np.ndarray) or values.dtype != into.dtype or values.shape != (number,):
        raise Misfit(name)
    if not 1 <= number <= len(into):
        raise Misfit("room of the tree")
    into[:number] = values


def _check_links(tree: Tree, used: int) -> None:
    """Every node that another names is there, children come after their parents, and no way goes in a circle."""
    nodes = np.arange(used)
    links = (tree.parent, tree.first, tree.count, tree.twin)
    parent, first, count, twin = (array[:used].astype(np.int64) for array in links)
    within(parent, NONE, used - 1, "parents")
    within(twin, 0, used - 1, "twins")
    within(tree.visits[:used], 0, 2**62, "visits")
    within([tree.root[0]], 0, used - 1, "root")
    grown = first != NONE
    if (first[grown] <= nodes[grown]).any() or (count[grown] < 0).any() or (first + count)[grown].max(initial=0) > used:
        raise Misfit("children")
    if (twin[twin] != twin).any():
        raise Misfit("twins")
    above = np.append(parent, NONE)  # the last entry stands for NONE, and leads to itself
    for _ in range(used.bit_length()):
        above = above[above]
    if (above != NONE).any():
        raise Misfit("parents")


def _know(tree: Tree, used: int, keys: Any, owners: Any, graves: Any) -> None:
    """Enter positions: a node stands for one at most, and was visited by then, so that there is room for the rest."""
    for values, like in ((keys, tree.key), (owners, tree.owner), (graves, tree.graves)):
        if not isinstance(values, np.ndarray) or values.dtype != like.dtype or values.ndim != 1:
            raise Misfit("positions")
    most = len(tree.move) if len(tree.key) > 1 else 0
    if len(keys) != len(owners) or len(owners) > most or len(graves) > len(tree.graves):
        raise Misfit("positions")
    within(owners, 1, used, "positions")
    standing = owners.astype(np.int64) - 1
    if len(np.unique(standing)) < len(standing) or not (tree.visits[standing] + tree.dead[standing]).all():
        raise Misfit("positions")
    enter(tree._replace(key=keys, owner=owners, graves=graves), tree)
