"""Slow, obvious twins of the tree search: its formulas, its tables, and all plays of a toy game."""

import math
import random

import numpy as np
import pytest

from dovetail.moves.mcts import Optimized, Reliable, Single, Standard, search
from dovetail.search import tree as trees
from support import pegs
from support.pegs import Pegs

BOARDS = [
    Pegs(("o.oooo",)),
    Pegs(("oo.ooo",)),
    Pegs(("o.o", ".oo", "ooo", "o.o")),
    Pegs(("o.o.", "ooo.", ".ooo")),
    Pegs(("oo.", "ooo", "..o")),
    Pegs((".oo", ".oo", "o.o")),
    Pegs(("...o", "....")),  # solved before the first move
]
WAYS = {
    "standard": Standard(rollouts=0),
    "optimized": Optimized(rollouts=0),
    "reliable": Reliable(backtracks=2),
    "reliable, without transpositions": Reliable(transpositions=False),
    "reliable, move by move": Reliable(tree="move", per_move=5),
    "optimized, with restarts": Optimized(rollouts=0, restart=400),
    "transpositions alone": Standard(transpositions=True),
    "Schadd's selection": Optimized(rollouts=0, top=0.1, deviation=0.01),
}


@pytest.mark.parametrize("puzzle", BOARDS, ids=lambda puzzle: " ".join(puzzle.pegs))
def test_compiled_rules_of_the_toy_game(puzzle: Pegs) -> None:
    chance, out = random.Random(3), np.zeros(100, np.int64)
    played, boards = pegs.state(puzzle), [puzzle.start]
    path: list[int] = []
    for _ in range(30):
        jumps = pegs.legal(puzzle, boards[-1])
        assert out[: pegs.moves(played, out)].tolist() == jumps
        assert pegs.score(played) == pegs.points(tuple(path))
        if not jumps or (path and chance.random() < 0.2):
            to = chance.randrange(len(path) + 1)
            pegs.back(played, to)
            del boards[to + 1 :], path[to:]
            continue
        path.append(chance.choice(jumps))
        boards.append(pegs.after(puzzle, boards[-1], path[-1]))
        possible = pegs.play(played, path[-1])
        left = [board for _, board in pegs.plays(puzzle, boards[-1])]
        assert possible or all(board.bit_count() > 1 for board in left)
        assert (pegs.value(played) == 1.0) == (boards[-1].bit_count() == 1)


@pytest.mark.parametrize("way", WAYS)
def test_a_search_that_goes_on_finds_what_there_is(way: str) -> None:
    """Of all plays: one that leaves one peg is found if there is any, and else nothing is left to try."""
    for puzzle in BOARDS:
        finished = search(puzzle, WAYS[way], seed=1)
        for _ in range(100):
            finished.advance(100)
        ends = dict(pegs.plays(puzzle, puzzle.start))
        solvable = any(board.bit_count() == 1 for board in ends.values())
        assert finished.solved == solvable
        assert finished.exhausted == (not solvable)
        if solvable:
            assert ends[finished.path].bit_count() == 1
        elif not WAYS[way].reliable:  # which has no need to play dead ends to their end
            assert len(finished.path) == max(map(len, ends))
            assert finished.path in ends


@pytest.mark.parametrize("settings", [Single(), Single(tree="move", per_move=7), Standard(points=True, rollouts=0)])
def test_points_end_with_the_most_there_are(settings: Standard) -> None:
    for shape in BOARDS[:-1]:
        puzzle = Pegs(shape.pegs, "score")
        finished = search(puzzle, settings, seed=2)
        for _ in range(200):
            finished.advance(100)
        assert finished.exhausted
        assert finished.best == max(pegs.points(path) for path, _ in pegs.plays(puzzle, puzzle.start))
        assert pegs.points(finished.path) == finished.best


@pytest.mark.parametrize("way", WAYS)
def test_slices_make_no_difference(way: str) -> None:
    puzzle = BOARDS[4]
    whole, parts = (search(puzzle, WAYS[way], seed=5) for _ in range(2))
    whole.advance(12)
    for _ in range(12):
        parts.advance(1)
    assert (whole.steps, whole.path, whole.best, whole.nodes) == (parts.steps, parts.path, parts.best, parts.nodes)
    assert whole.ended == parts.ended


def schadd(values: list[float], total: int, exploration: float, deviation: float, top: float) -> float:
    """What a child is worth whose rollouts had these values, of so many in total."""
    number, mean = len(values), sum(values) / len(values)
    scatter = (sum(value**2 for value in values) - number * mean**2 + deviation) / number
    exploring = exploration * math.sqrt(math.log(total) / number)
    return (1 - top) * mean + top * max(values) + exploring + (math.sqrt(scatter) if deviation >= 0 else 0)


def test_selection_by_its_formula() -> None:
    """Mean, maximum, exploration and deviation (Schadd et al. 2012), from all values that came up."""
    chance, grown = random.Random(4), trees.tree(20)
    trees.expand(grown, 0, np.arange(4), 4)
    seen: dict[int, list[float]] = {1: [], 2: [], 3: [], 4: []}
    for _ in range(40):
        exploration, deviation, top = chance.random(), chance.choice([-1.0, 0.1, 0.3]), chance.choice([0.0, 0.5])
        chosen = int(trees.select(grown, 0, exploration, deviation, top))
        unseen = [child for child, values in seen.items() if not values]
        total = sum(map(len, seen.values()))
        worth = {c: schadd(v, total, exploration, deviation, top) for c, v in seen.items() if not unseen}
        assert chosen == (unseen[0] if unseen else max(worth, key=worth.__getitem__))
        seen[chosen].append(chance.random())
        trees.back_up(grown, chosen, seen[chosen][-1])


def test_positions_and_dead_ends_are_known_again() -> None:
    """Against dictionaries; and a larger tree knows the same."""
    chance = random.Random(6)
    known, first = trees.tree(32, 64, 1024), dict[int, int]()
    for node in range(32):
        key = chance.choice([5, 69, 133, 2**63 + 5, chance.getrandbits(64)])  # some share a slot
        assert trees.stands_for(known, node, np.uint64(key)) == first.setdefault(key, node)
    dead = {chance.getrandbits(64) for _ in range(20)}
    for key in dead:
        trees.bury(known, np.uint64(key))
    large = trees.larger(known, 4)
    assert (len(large.move), len(large.key), len(large.graves)) == (128, 256, 4096)
    for key, node in first.items():
        assert trees.stands_for(large, 99, np.uint64(key)) == node
    assert all(trees.buried(large, np.uint64(key)) for key in dead)
    assert not any(trees.buried(large, np.uint64(key)) for key in first)


def test_a_larger_tree_is_the_same_tree() -> None:
    grown = trees.tree(4)
    trees.expand(grown, 0, np.array([7, 8]), 2)
    trees.back_up(grown, 2, 0.5)
    assert not trees.expand(grown, 2, np.array([1, 2]), 2)
    large = trees.larger(grown, 2)
    assert trees.expand(large, 2, np.array([1, 2]), 2)
    for name in trees.NODE_FIELDS:
        if name not in ("first", "count"):
            assert getattr(large, name)[:3].tolist() == getattr(grown, name)[:3].tolist(), name
    assert large.first[:5].tolist() == [1, trees.NONE, 3, trees.NONE, trees.NONE]


def test_passed_is_what_lies_on_the_way_up() -> None:
    tree = trees.tree(8)
    trees.expand(tree, 0, np.array([5, 6]), 2)
    trees.expand(tree, 1, np.array([7]), 1)
    assert [node for node in range(4) if trees.passed(tree, 3, node)] == [0, 1, 3]
