"""Planning with P and V: trees computed by hand, virtual loss, how a move is chosen, and what a planner refuses."""

import numpy as np
import pytest

from dovetail.jigsaw.deep.game import Game, Play, new_game
from dovetail.jigsaw.deep.game_kernels import COMPILED
from dovetail.search.forest import Forest, forest
from dovetail.search.planning import Planner
from dovetail.search.puct import BEST, VALUE, VISITS, Leaves, Manner, choose, decide, leaves, receive
from dovetail.search.tree import NONE, back_up, expand


def two_by_two(plays: int = 1) -> Game:
    return new_game(2, 2, [Play(number, (0, 1, 2, 3)) for number in range(plays)])


class Knowing:
    """P knows nothing; V is that of equation 3: 0 after a mistake, else 0.5 for an empty board up to 1."""

    def __init__(self, solution: list[int]) -> None:
        self.solution = solution  # the cell of each patch
        self.batches: list[int] = []

    def __call__(self, found: Leaves) -> tuple[np.ndarray, np.ndarray]:
        self.batches.append(len(found.tree))
        values = []
        for path, played in zip(found.path.tolist(), found.played.tolist(), strict=True):
            right = path[:played] == self.solution[:played]
            values.append(min(1.0, 0.5 + 0.5 * played / 3) if right else 0.0)
        return np.ones((len(values), 4)), np.array(values)


def children(grown: Forest, node: int) -> list[int]:
    return [] if grown.first[node] == NONE else [*range(grown.first[node], grown.first[node] + grown.count[node])]


def test_a_tree_by_hand_that_goes_straight_down() -> None:
    """2×2, each patch in the first cell that is free: every visit adds the next patch (figure 3 of the paper)."""
    planner = Planner(two_by_two(), COMPILED, 1, 4, 4)
    planner.visit_with(Knowing([0, 1, 2, 3]), 5, 1)
    grown, node = planner.forest, 0
    visits, means = [], []
    while node != NONE:
        visits.append(int(grown.visits[node]))
        means.append(float(grown.value[node]))
        node = next((child for child in children(grown, node) if grown.visits[child]), NONE)
    assert visits == [5, 4, 3, 2, 1]
    assert means == pytest.approx([(0.5 + 2 / 3 + 5 / 6 + 1 + 1) / 5, 3.5 / 4, (5 / 6 + 2) / 3, 1, 1])
    below = children(grown, 0)[0]
    assert (grown.prior[below], grown.prior[children(grown, below)[0]]) == (1 / 4, 1 / 3)
    assert int(grown.used[0]) == 1 + 4 + 3 + 2 + 1
    # the play is over down there: what is visited again is not evaluated again
    known = Knowing([0, 1, 2, 3])
    planner.visit_with(known, 1, 1)
    assert grown.visits[0] == 6 and not known.batches
    assert grown.value[0] == pytest.approx((0.5 + 2 / 3 + 5 / 6 + 3) / 6)


def test_a_tree_by_hand_that_has_to_look() -> None:
    """The first patch belongs in the last cell. U of an unvisited child is C √N / 4; of one that failed, half of it."""
    planner = Planner(two_by_two(), COMPILED, 1, 4, 4)
    known = Knowing([3, 2, 1, 0])
    planner.visit_with(known, 5, 1)
    grown = planner.forest
    assert grown.visits[children(grown, 0)].tolist() == [1, 1, 1, 1]
    assert grown.value[children(grown, 0)].tolist() == pytest.approx([0, 0, 0, 2 / 3])
    assert grown.value[0] == pytest.approx((0.5 + 2 / 3) / 5)
    planner.visit_with(known, 1, 1)  # below the last one, where the second patch fails in the first cell
    last = children(grown, 0)[3]
    assert (grown.visits[last], grown.value[last]) == (2, pytest.approx(1 / 3))
    assert grown.visits[children(grown, last)].tolist() == [1, 0, 0]
    planner.visit_with(known, 50, 1)
    for _ in range(4):
        planner.visit_with(known, 20, 1)
        planner.move()
    assert planner.plays == [[3, 2, 1, 0]]


def test_leaves_that_wait_change_nothing_but_what_waits() -> None:
    game = two_by_two(2)
    planner = Planner(game, COMPILED, 2, 4, 4)
    planner.visit_with(Knowing([3, 2, 1, 0]), 6, 2)
    grown, found = planner.forest, leaves(8, 4, 4)
    before = [field.copy() for field in grown[:12]]
    left, room = np.array([3, 2]), np.zeros(4, np.int32)
    number, made, _, full = COMPILED.gather(game, grown, planner.manner, room, left, 3, 0, found)
    assert (number, made, full, left.tolist()) == (5, 5, False, [0, 0])
    assert len({*found.node[:5].tolist()}) == 5  # no leaf twice
    assert grown.waiting[0] == 3 and grown.waiting[1] == 2
    for was, field, name in zip(before, grown, Forest._fields, strict=False):
        assert name == "waiting" or (was == field).all(), name
    judged = np.ones((5, 4)), np.linspace(0, 1, 5)
    receive(grown, planner.manner, found, number, *judged)
    assert not grown.waiting.any()
    assert grown.visits[:2].tolist() == [9, 8]
    assert grown.value[0] == pytest.approx((before[5][0] * 6 + 0.75) / 9)


def test_waiting_counts_as_a_visit_that_came_to_nothing() -> None:
    grown = forest(1, 2, 10)
    expand(grown, 0, np.array([0, 1]), 2)
    grown.prior[1:3] = 0.6, 0.4
    for child, value in ((1, 0.9), (2, 0.5)):
        back_up(grown, child, value)
    assert choose(grown, 0, Manner(0.1)) == 1
    grown.waiting[[0, 1]] = 1  # 0.9 becomes 0.45
    assert choose(grown, 0, Manner(0.1)) == 2
    assert choose(grown, 0, Manner(0.1, loss=0)) == 1


def test_how_a_move_is_chosen() -> None:
    grown = forest(1, 2, 10)
    assert decide(grown, 0, VISITS) == NONE
    expand(grown, 0, np.array([5, 6, 7, 8]), 4)
    grown.prior[1:5] = 0.1, 0.3, 0.3, 0.2
    assert {int(decide(grown, 0, by)) for by in (VISITS, VALUE, BEST)} == {2}  # nothing known: by prior, then the first
    grown.visits[1:5] = 3, 2, 2, 0
    grown.value[1:5] = 0.2, 0.4, 0.4, 0.0
    grown.best[1:4] = 0.9, 0.5, 0.5
    assert [int(decide(grown, 0, by)) for by in (VISITS, VALUE, BEST)] == [1, 2, 1]
    grown.prior[3] = 0.4
    assert decide(grown, 0, VALUE) == 3


def test_a_tree_that_is_exhausted_is_left_alone() -> None:
    """2×2 has 1 + 4 + 12 + 24 + 24 positions; each is looked at once."""
    planner = Planner(two_by_two(), COMPILED, 1, 4, 4, Manner(exhaust=True))
    planner.visit_with(Knowing([2, 0, 3, 1]), 1000, 16, 4)
    assert planner.visits == planner.forest.visits[0] == 65
    for _ in range(4):
        planner.visit_with(Knowing([2, 0, 3, 1]), 1000, 16)
        planner.move("best")
    assert planner.visits == 65
    assert planner.plays == [[2, 0, 3, 1]]


def test_batches_hold_leaves_of_many_plays() -> None:
    known = Knowing([1, 0, 2, 3])
    planner = Planner(two_by_two(20), COMPILED, 20, 4, 4)
    planner.visit_with(known, 4, 20)
    assert known.batches == [20, 20, 20, 20] and planner.batches == 4 and planner.visits == 80
    known.batches.clear()
    planner.visit_with(known, 4, 40, 2)
    assert max(known.batches) > 20


def test_numbers_that_are_none_are_no_judgement() -> None:
    planner = Planner(two_by_two(), COMPILED, 1, 4, 4)
    with pytest.raises(ValueError, match="not finite"):
        planner.visit_with(lambda found: (np.ones((len(found.tree), 4)), np.full(len(found.tree), np.nan)), 1, 1)
