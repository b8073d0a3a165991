"""Tree search with chance nodes against a twin made of Python objects. Also run with the compiler off (make test)."""

from dataclasses import dataclass, field
from math import inf, log, sqrt
from typing import Any, Optional

import numpy as np
import pytest

from dovetail.moves.games.tetris import Tetris
from dovetail.moves.rules import tetris as rules
from dovetail.moves.rules.tetris_tree import search_chance
from dovetail.search import chance_tree
from dovetail.search.chance import draw, seeded
from dovetail.search.tree import NONE


@dataclass
class Node:
    """Children by move of a decision node, by key of a chance node."""

    above: Optional["Node"] = None
    below: dict[int, "Node"] = field(default_factory=dict)
    visits: int = 0
    mean: float = 0.0


def twin(puzzle: Tetris, manner: chance_tree.Manner, rollouts: int, seed: int, most: int) -> Node:
    """The same search, by the same chance, with at most so many nodes."""
    state, chance, room = rules.state(puzzle), seeded(seed), np.zeros(rules.limits(puzzle)[1], np.int64)
    root, nodes = Node(), 1
    seen: list[float] = []
    for _ in range(rollouts):
        node = root
        while True:
            if not node.below:
                moves = room[: rules.moves(state, room)].tolist()
                if (node is not root and not node.visits) or not moves or nodes + len(moves) > most:
                    break
                node.below = {move: Node(node) for move in moves}
                nodes += len(moves)
            low, wide = min(seen, default=inf), max(max(seen, default=-inf) - min(seen, default=inf), 1e-9)
            few = log(max(1, node.visits))
            move = max(node.below, key=lambda m: wished(node.below[m], low, wide, few, manner.exploration))
            node = node.below[move]
            rules.try_move(state, move)
            rules.happen(state, chance)
            outcome = int(rules.key(state))
            if outcome not in node.below:
                if nodes == most:
                    break
                node.below[outcome] = Node(node)
                nodes += 1
            node = node.below[outcome]
        for _ in range(manner.length):
            number = rules.moves(state, room)
            if not number:
                break
            rules.try_move(state, room[draw(chance, number)])
            rules.happen(state, chance)
        worth = rules.score(state) + manner.survival * state.tally[0]
        if rules.value(state) == 1.0:
            worth = manner.win - manner.survival * state.tally[0]
        rules.back(state, 0)
        seen.append(worth)
        above: Node | None = node
        while above is not None:
            above.visits += 1
            above.mean += (worth - above.mean) / above.visits  # rounded as the kernel rounds, or ties would differ
            above = above.above
    return root


def wished(node: Node, low: float, wide: float, few: float, exploration: float) -> float:
    if not node.visits:
        return inf
    return (node.mean - low) / wide + exploration * sqrt(few / node.visits)


def same(tree: Any, place: int, node: Node) -> int:
    """Compares all below, and counts it."""
    assert tree.visits[place] == node.visits
    if node.visits:
        assert tree.worth[place] == pytest.approx(node.mean)
    children, child = [], int(tree.first[place])
    while child != NONE:
        children.append(child)
        child = int(tree.next[child])
    assert len(children) == len(node.below)
    return 1 + sum(same(tree, child, found(tree, child, node)) for child in children)


def found(tree: Any, child: int, node: Node) -> Node:
    key = int(tree.key[child])
    return node.below[key if key else int(tree.move[child])]


@pytest.mark.parametrize(
    ("puzzle", "rollouts", "nodes"),
    [
        (Tetris(6, 4, (False,) * 24, 3, 1), 150, 5000),
        (Tetris(6, 4, (False,) * 24, 1, 4, preview=1), 80, 5000),
        (Tetris(8, 5, (False,) * 40, 5, 2), 150, 60),
        (Tetris(6, 4, (False,) * 24, 3, 1, "I"), 60, 5000),
    ],
)
def test_the_tree_is_that_of_the_twin(puzzle: Tetris, rollouts: int, nodes: int) -> None:
    for manner in (chance_tree.Manner(0.5, 100, 0.2, 100.0), chance_tree.Manner(0.1, 3, 0.0, 5.0)):
        tree, state = chance_tree.chance_tree(nodes), rules.state(puzzle)
        room, chance = np.zeros(rules.limits(puzzle)[1], np.int64), seeded(9)
        chance_tree.clear(tree)
        for part in (rollouts // 3, rollouts - rollouts // 3):  # in slices as in one go
            search_chance(state, tree, manner, room, chance, part)
        root = twin(puzzle, manner, rollouts, 9, nodes)
        assert same(tree, 0, root) == tree.used[0]
        assert state.tally[0] == 0
        best = max(root.below, key=lambda move: (root.below[move].visits, root.below[move].mean))
        assert chance_tree.most_visited(tree) == best
