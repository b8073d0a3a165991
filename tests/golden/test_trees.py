"""Golden search trees, as they were recorded; ``--update-golden`` records them anew: read the difference."""

import json
from pathlib import Path

import numpy as np
import pytest

from dovetail.jigsaw.deep.game import Play, new_game
from dovetail.jigsaw.deep.game_kernels import COMPILED
from dovetail.jigsaw.deep.tables import Tables
from dovetail.search.forest import Forest
from dovetail.search.planning import Planner
from dovetail.search.puct import RULES, Manner

FOLDER = Path(__file__).parent / "trees"
MANNERS = {name: manner._replace(exploration=0.2) for name, manner in RULES.items()} | {
    "strong": Manner(unseen=-1.0, exhaust=True)
}


def tables(count: int) -> Tables:
    """Some that say a little, and no two pairs the same."""
    numbers = np.arange(count * count).reshape(count, count)
    right, down, place = (((numbers * step) % 101 / 25).astype(np.float32) for step in (37, 59, 11))
    return Tables(right, down, place)


def recorded(forest: Forest, node: int) -> dict[str, object]:
    """A node and what was visited below it: move, prior, visits, mean, best."""
    children = range(forest.first[node], forest.first[node] + forest.count[node])
    return {
        "move": int(forest.move[node]),
        "prior": round(float(forest.prior[node]), 6),
        "visits": int(forest.visits[node]),
        "mean": round(float(forest.value[node]), 6),
        "best": round(float(forest.best[node]), 6),
        "unvisited": [int(forest.move[child]) for child in children if not forest.visits[child]],
        "children": [recorded(forest, child) for child in children if forest.visits[child]],
    }


@pytest.mark.parametrize("name", MANNERS)
def test_tree(name: str, request: pytest.FixtureRequest) -> None:
    """3×3, two moves: the tree at the first root, and what was kept of it and grew at the second."""
    game = new_game(3, 3, [Play(0, (4, 0, 8, 2, 6, 1, 3, 5, 7))], [tables(9)])
    planner = Planner(game, COMPILED, 1, 9, 9, MANNERS[name])
    trees = []
    for _ in range(2):
        planner.visit(60)
        trees.append(recorded(planner.forest, int(planner.forest.root[0])))
        planner.move()
    path = FOLDER / f"3x3-{name}.json"
    if request.config.getoption("--update-golden"):
        path.write_text(json.dumps(trees) + "\n")
    assert path.exists(), f"{name} has no golden tree; record it with: pytest tests/golden --update-golden"
    assert trees == json.loads(path.read_text())


def test_manners_make_different_trees() -> None:
    assert len({path.read_text() for path in FOLDER.glob("*.json")}) == len(MANNERS)
