"""loops.py against its twins."""

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from dovetail.jigsaw import candidates, loops
from dovetail.jigsaw.poses import UNIT, VOID
from support import naive_assembly as naive
from support.naive_assembly import Odds, Sorted

Lists = NDArray[np.int32]
Arrays = tuple[Lists, Lists]


def random_lists(seed: int, count: int, most: int, density: float = 0.5) -> tuple[Odds, Sorted, Arrays]:
    """Pairs of turned pieces, of any weight up to the best; lists sorted, and the same as arrays."""
    some = naive.random_odds(range(count), 1, range(4), density, seed)
    worst = -8 * UNIT
    chance = random.Random(seed)
    weights: dict[tuple[int, int], int] = {}
    for a, b in some.weights:
        weights[a, b] = weights[b, a] = weights.get((b, a), chance.randrange(worst, -worst))
    lists: Sorted = {
        edge: sorted(((o, w) for (e, o), w in weights.items() if e == edge), key=lambda pair: -pair[1])
        for edge in range(4 * count)
    }
    both = {(e, o) for e, others in lists.items() for o, _ in others[:most]}
    both = {(e, o) for e, o in both if (o, e) in both}
    lists = {edge: [(o, w) for o, w in others if (edge, o) in both] for edge, others in lists.items()}
    edges, values = np.full((4 * count, most), VOID, np.int32), np.full((4 * count, most), worst, np.int32)
    for edge, others in lists.items():
        for k, (other, weight) in enumerate(others):
            edges[edge, k], values[edge, k] = other, weight
    return Odds(1, some.firsts, {pair: weights[pair] for pair in both}, worst, 0), lists, (edges, values)


def closed_of(edges: Lists, weights: Lists) -> Lists:
    closed = np.full((*edges.shape, 2), 3 * candidates.WORST, np.int32)
    middle = len(edges) // 2
    loops.squares(edges, weights, 0, middle, candidates.WORST, closed)
    loops.squares(edges, weights, middle, len(edges), candidates.WORST, closed)
    return closed


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("density", [0.08, 0.2, 0.5])
def test_squares_are_those_of_four_different_pieces(seed: int, density: float) -> None:
    """Where lists are short, most pairs close none; where they are long, not all of a list take part."""
    some, lists, (edges, weights) = random_lists(seed, 7, 13, density)
    closed = closed_of(edges, weights)
    found = []
    for edge, others in lists.items():
        for k, (other, _) in enumerate(others):
            for hand, below in enumerate((True, False)):
                found.append(naive.square(some, lists, edge, other, below, loops.NAMED))
                assert closed[edge, k, hand] == found[-1]
    assert (3 * some.worst in found) == (density < 0.5)
    assert max(found) > 0 or density < 0.1
    assert any(len(others) > loops.NAMED for others in lists.values()) == (density == 0.5)


def test_the_odds_of_squares_are_those_of_the_network() -> None:
    _, lists, (edges, weights) = random_lists(5, 5, 10)
    chance = random.Random(1)
    start = {(e, o): chance.randrange(-512, 512) for e, others in lists.items() for o, _ in others}
    began = np.full(edges.shape, candidates.WORST, np.int32)
    for edge, others in lists.items():
        began[edge, : len(others)] = [start[edge, other] for other, _ in others]
    closed = closed_of(edges, weights)
    known = {(e, o): closed[e, k].tolist() for e, others in lists.items() for k, (o, _) in enumerate(others)}
    leaders, inputs = loops.leaders(edges, weights, closed), np.zeros(loops.INPUTS, np.float32)
    rng = np.random.default_rng(3)
    into, bias, out = (rng.normal(0, 0.3, shape).astype(np.float32) for shape in ((loops.INPUTS, 7), 7, 7))
    found = np.zeros(edges.shape, np.float32)
    for part in ((0, 9), (9, len(edges))):
        loops.reconsider(edges, began, weights, closed, *leaders, *part, into, bias, out, np.float32(0.5), found)
    for edge, others in lists.items():
        for k, (other, _) in enumerate(others):
            told = naive.looped(lists, start, known, edge, other)
            loops.standing(edges, began, weights, closed, *leaders, edge, k, inputs)
            assert inputs == pytest.approx(told, rel=1e-4, abs=1e-4)
            hidden = [bias[j] + sum(told[i] * into[i, j] for i in range(len(told))) for j in range(len(bias))]
            sure = 0.5 + sum(out[j] * h / (1 + abs(h)) for j, h in enumerate(hidden))
            assert found[edge, k] == pytest.approx(sure, rel=1e-3, abs=1e-3)


def test_a_pair_weighs_the_mean_of_what_its_edges_say_and_lists_are_sorted_by_it() -> None:
    some, lists, (edges, weights) = random_lists(2, 5, 10)
    said = np.random.default_rng(0).normal(0, 12, edges.shape).astype(np.float32)
    settled = np.empty_like(weights)
    loops.settle(edges, said, some.worst, settled)
    assert (settled[edges == VOID] == some.worst).all()
    assert (settled == -some.worst).any() and (settled[edges != VOID] == some.worst).any()  # within limits
    at = {(e, o): k for e, others in lists.items() for k, (o, _) in enumerate(others)}
    for (edge, other), k in at.items():
        mean = UNIT * (said[edge, k] + said[other, at[other, edge]]) / 2
        assert settled[edge, k] == pytest.approx(min(max(mean, some.worst), -some.worst), abs=0.6)
        assert settled[edge, k] == settled[other, at[other, edge]]
    start = weights.copy()
    pairs = {(e, o): (int(start[e, k]), int(settled[e, k])) for (e, o), k in at.items()}
    loops.resort(edges, start, settled)
    for edge, others in lists.items():
        row = settled[edge, : len(others)].tolist()
        assert row == sorted(row, reverse=True) and (edges[edge, len(others) :] == VOID).all()
        for k, other in enumerate(edges[edge, : len(others)].tolist()):
            assert (start[edge, k], settled[edge, k]) == pairs.pop((edge, other))
    assert not pairs
