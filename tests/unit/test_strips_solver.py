"""The solver of shredded paper: seams, bounds, orders proved, whole pages."""

import itertools

import numpy as np
import pytest

from dovetail import pipeline
from dovetail.core.solver import Budget, Clock
from dovetail.jigsaw.strips import rhythm as strips_rhythm
from dovetail.jigsaw.strips.assignment import assigned
from dovetail.jigsaw.strips.cutting import shredded
from dovetail.jigsaw.strips.order import Links, Order, ordered, total
from dovetail.jigsaw.strips.pages import page
from dovetail.jigsaw.strips.puzzle import Strips
from dovetail.jigsaw.strips.seams import relative, seams
from dovetail.jigsaw.strips.solver import page_numbers


def solved(puzzle: Strips) -> pipeline.Answer:
    return pipeline.solve(puzzle, solver="strips", time_s=30, seed=0)


def best(links: Links, pages: int, most: int) -> Order:
    work = ordered(links, pages, most, Clock(Budget()), 0)
    while True:
        try:
            next(work)
        except StopIteration as ended:
            found: Order = ended.value
            return found


def random_links(rng: np.random.Generator, strips: int, turns: int) -> Links:
    poses = strips * turns
    right, start, end = rng.normal(0, 5, (poses, poses)), rng.normal(0, 5, poses), rng.normal(0, 5, poses)
    return Links(right, start, end, turns)


def every_order(links: Links, pages: int, most: int) -> float:
    """The slow twin: all orders, all poses, all places where a page may end."""
    gain, top = links.gain, -np.inf
    for row in itertools.permutations(range(links.strips)):
        for cuts in itertools.combinations(range(1, links.strips), pages - 1):
            parts = [row[a:b] for a, b in itertools.pairwise((0, *cuts, links.strips))]
            if max(map(len, parts)) > most:
                continue
            for turns in itertools.product(range(links.turns), repeat=links.strips):
                top = max(top, total(gain, [[one * links.turns + turns[one] for one in part] for part in parts]))
    return top


@pytest.mark.parametrize(
    ("strips", "turns", "pages", "most"), [(6, 1, 1, 6), (5, 2, 1, 5), (6, 1, 2, 3), (4, 2, 2, 3), (6, 1, 3, 2)]
)
def test_no_order_is_better(strips: int, turns: int, pages: int, most: int) -> None:
    for seed in range(3):
        links = random_links(np.random.default_rng(seed), strips, turns)
        found = best(links, pages, most)
        assert found.proved
        assert found.total == pytest.approx(every_order(links, pages, most), abs=0.01)
        assert sorted(pose // turns for path in found.pages for pose in path) == [*range(strips)]
        assert found.total == pytest.approx(total(links.gain, found.pages))


def test_holes_part_what_does_not_belong_together_but_no_more_than_are_lost() -> None:
    right = np.full((4, 4), -9.0)
    right[0, 1] = right[2, 3] = 5.0
    rim = np.array([0.0, -9.0, -9.0, 0.0])
    found = best(Links(right, rim, rim, 1, holes=1), 1, 5)
    assert found.pages == [[0, 1, 2, 3]]
    assert found.total == pytest.approx(5 - 0.5 + 5)
    assert best(Links(right, rim, rim, 1), 1, 5).total == pytest.approx(5 - 9 + 5)


def test_prices_bound_every_assignment() -> None:
    rng = np.random.default_rng(0)
    for size in (1, 2, 6):
        costs = rng.normal(0, 3, (size, size))
        chosen, rows, cols = assigned(costs)
        at = np.arange(size)
        least = min(costs[at, list(order)].sum() for order in itertools.permutations(range(size)))
        assert costs[at, chosen].sum() == pytest.approx(least)
        assert rows.sum() + cols.sum() == pytest.approx(least)
        assert (costs - rows[:, None] - cols > -1e-9).all()


def test_what_counts_is_the_best_rival() -> None:
    sums = np.array([[0, 50, 10], [0, 0, 20], [30, 5, 0]], np.float32)
    rim = np.zeros(3, np.float32)
    odds, end, begin = relative(sums, rim, rim, 1)
    assert odds[0, 1] > 0 > odds[0, 2]
    assert begin[1] < 0 < odds[2, 0]
    assert (odds.argmax(axis=1)[[0, 1, 2]] == [1, 2, 0]).all()
    assert end[0] < end[1]


def test_a_seam_of_a_printed_page_is_liked_best() -> None:
    puzzle, truth = shredded([page(901)], [], (1, 20), np.random.default_rng(0))
    known = seams(puzzle)
    row = [one for one in truth.pieces[0] if not known.blank[one]]
    first = sum(int(known.right[a].argmax()) == b for a, b in itertools.pairwise(row))
    assert first >= len(row) - 3


def test_lines_go_on_in_their_rhythm() -> None:
    lines = np.zeros((4, 60, 30), np.float32)
    for shred, first in enumerate((3, 11, 3, 7)):
        for top in range(first, 60, 16):
            lines[shred, top : top + 6] = 0.5
    # the last line of shred 0 begins at row 51, so the next one at 67: row 7 below
    steps = strips_rhythm.agreement(lines)
    assert steps[0].argmin() == 3
    assert (strips_rhythm.agreement(np.zeros((2, 60, 30), np.float32)) == -1).all()


@pytest.mark.parametrize(
    "settings",
    [
        {"image": "page:901", "noise": 6},
        {"image": "page:902", "strips": 24, "flip": True},
        {"image": "page:903", "back": "page:904", "strips": 20, "flip": True},
        {"image": "page:905,page:906", "strips": 24, "noise": 4},
        {"image": "page:907.1,page:907.2", "strips": 24, "told": True},
    ],
)
def test_pages_are_put_together(settings: dict[str, object]) -> None:
    puzzle, truth = pipeline.make("strips", 1, settings)
    answer = solved(puzzle)  # type: ignore[arg-type]
    assert answer.outcome.status == "complete"
    assert answer.outcome.counters["proved"] == 1
    assert answer.solution is not None
    verdict = pipeline.check(puzzle, answer.solution, truth)
    assert verdict.solved, verdict
    assert verdict.scores.get("upright", 1) == 1


def test_shreds_are_put_together() -> None:
    puzzle, truth = pipeline.make("strips", 1, {"image": "page:908", "cross": "4x5", "flip": True})
    answer = solved(puzzle)  # type: ignore[arg-type]
    assert answer.solution is not None
    assert pipeline.check(puzzle, answer.solution, truth).scores["neighbour_content"] > 0.75


def test_lost_strips_leave_holes() -> None:
    puzzle, truth = pipeline.make("strips", 1, {"image": "page:909", "lose": 0.1})
    answer = solved(puzzle)  # type: ignore[arg-type]
    assert answer.solution is not None
    verdict = pipeline.check(puzzle, answer.solution, truth)
    assert verdict.valid
    assert verdict.scores["neighbour_content"] > 0.9


def test_paper_has_a_shape() -> None:
    pixels = bytes(60 * 33 * 1403)
    bag = Strips(1403, 33, 1, 8, pixels, mixed=True, pages=None)
    assert page_numbers(bag)[0][0] == 2
    assert page_numbers(Strips(1403, 33, 1, 8, pixels, mixed=True, pages=3)) == [(3, 0.0)]
