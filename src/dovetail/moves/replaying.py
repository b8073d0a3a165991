"""Moves that come from a file, played again by the compiled rules: these do not look whether a move is allowed."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np

from ..core.state import Misfit
from ..search.tree import NONE, Tree
from .kind import MovesPuzzle


def played(puzzle: MovesPuzzle, path: Any) -> Any:
    """The rules' state after these moves, each of them one that the rules list."""
    rules: Any = import_module(puzzle.rules)
    state, listed = rules.state(puzzle), room(puzzle)
    for move in checked(path):
        if move not in listed[: rules.moves(state, listed)]:
            raise Misfit("moves")
        rules.play(state, move)
    return state


def chance_from(value: Any) -> Any:
    """The random numbers of a search (``search.chance``) as they were saved."""
    if not isinstance(value, np.ndarray) or value.dtype != np.uint64 or value.shape != (1,):
        raise Misfit("random numbers")
    return value


def checked(path: Any) -> list[int]:
    """Moves as they are saved: a list of whole numbers."""
    moves = path.tolist() if isinstance(path, np.ndarray) else path
    if not isinstance(moves, list) or not all(type(move) is int for move in moves):
        raise Misfit("moves")
    return moves


def room(puzzle: MovesPuzzle) -> Any:
    """For the moves of one position."""
    return np.zeros(import_module(puzzle.rules).limits(puzzle)[1] + 1, np.int64)


def follow(puzzle: MovesPuzzle, tree: Tree, made: Iterable[int]) -> Any:
    """Play a whole tree, and see that it holds moves that the rules list; the state after those ``made`` for good.

    Nodes that stand for each other must be of one position, and those made must lead to the root.
    """
    rules: Any = import_module(puzzle.rules)
    state, listed = rules.state(puzzle), room(puzzle)
    first, count, move, twin = (getattr(tree, name) for name in ("first", "count", "move", "twin"))
    root, keys = int(tree.root[0]), dict[int, int]()
    todo = [(0, 0, 0)]  # nodes, after how many moves, and the last of these
    while todo:
        node, depth, last = todo.pop()
        if depth:
            rules.back(state, depth - 1)
            rules.play(state, last)
        key = int(rules.key(state))
        if node in keys:
            if keys[node] != key:
                raise Misfit("twins")
            continue
        keys[node] = key
        if first[node] == NONE:
            continue
        allowed = {*listed[: rules.moves(state, listed)].tolist()}
        for child in range(int(first[node]), int(first[node] + count[node])):
            if int(move[child]) not in allowed:
                raise Misfit("moves")
            stands = int(twin[child])
            if first[stands] != NONE or stands == root or stands != child:
                todo.append((stands, depth + 1, int(move[child])))
    after = played(puzzle, made)
    if int(after.tally[0]) != tree.root[1] or keys.get(root) != int(rules.key(after)):
        raise Misfit("root of the tree")
    return after
