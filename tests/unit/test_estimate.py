"""Owen's estimate against what is really there, on boards small enough to count."""

import math
import random
from collections.abc import Sequence
from statistics import fmean, stdev

import numpy as np
import pytest

from dovetail import pipeline
from dovetail.core.solver import Budget, Clock, Outcome
from dovetail.tiles import estimate
from dovetail.tiles.depth_first import DepthFirst, Settings
from dovetail.tiles.oriented import oriented
from dovetail.tiles.plan import ORDERS, plan
from dovetail.tiles.puzzle import SIGNED, Pin, Tiles, grey_frame
from dovetail.tiles.terracotta import standard
from support.naive_tiles import FRAMES, Face, by_rows, dealt, faces, labellings, tree


def deal(rows: int, cols: int, rim: Sequence[int], inward: Sequence[int], inner: Sequence[int], seed: int) -> Tiles:
    """Tiles of a grey board, their sides dealt at random; as many of each colour as the lists say."""
    chance = random.Random(seed)
    left, right, ahead, within = (chance.sample(deck, len(deck)) for deck in (rim, rim, inward, inner))
    borders = 2 * (rows + cols) - 8
    tiles: list[Face] = [(0, right.pop(), left.pop(), 0) for _ in range(4)]
    tiles += [(0, right.pop(), ahead.pop(), left.pop()) for _ in range(borders)]
    tiles += [(within.pop(), within.pop(), within.pop(), within.pop()) for _ in range((rows - 2) * (cols - 2))]
    assert not (left or right or ahead or within)
    return Tiles(rows, cols, tuple(tiles), frame=grey_frame(rows, cols))


def counted(puzzle: Tiles) -> Outcome:
    run = DepthFirst().count(puzzle, Settings(), Clock(Budget()), None)
    while True:
        try:
            next(run)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome


def as_dealt(puzzle: Tiles, boards: float) -> float:
    """Boards with every tile and every quarter turn of an inner tile taken for another, as Owen counts them."""
    turns = [4 / len(faces(puzzle, tile)) for tile in puzzle.tiles if 0 not in tile]
    return boards * labellings(puzzle) * math.prod(turns)


def agrees(counts: list[float], expected: float, within: float) -> None:
    """The mean lies within four standard errors, and those are small enough to mean something."""
    error = stdev(counts) / math.sqrt(len(counts))
    assert error < within * expected
    assert abs(fmean(counts) - expected) < 4 * error


def test_owens_estimate_is_the_mean_over_all_deals_of_a_3x3_board() -> None:
    decks = [1, 1, 1, 1, 2, 2, 2, 2], [3, 3, 4, 4], [3, 3, 4, 4]
    puzzles = [deal(3, 3, *decks, seed) for seed in range(400)]
    expected = {round(estimate.log_solutions(puzzle), 9) for puzzle in puzzles}
    assert len(expected) == 1, "it depends on the colours alone"
    by_hand = math.factorial(4) ** 2 * 4 / math.comb(8, 4) / math.comb(4, 2)
    assert 10 ** expected.pop() == pytest.approx(by_hand)
    agrees([as_dealt(puzzle, len(tree(puzzle, by_rows(puzzle)).boards)) for puzzle in puzzles], by_hand, 0.12)


@pytest.mark.parametrize(
    ("rows", "cols", "rim", "inward", "inner"),
    [
        (3, 4, [1] * 5 + [2] * 5, [3] * 3 + [4] * 3, [3] * 5 + [4] * 3),
        (4, 4, [1] * 6 + [2] * 6, [3] * 4 + [4] * 4, [3] * 8 + [4] * 8),
        (4, 4, [1, 2, 3] * 4, [4] * 4 + [5] * 4, [4] * 6 + [5] * 10),
        (4, 4, [1] * 8 + [2] * 4, [1] * 4 + [2] * 4, [1] * 10 + [2] * 6),  # rim and inner seams of the same colours
    ],
)
def test_owens_estimate_is_the_mean_over_many_deals(
    rows: int, cols: int, rim: list[int], inward: list[int], inner: list[int]
) -> None:
    puzzles = [deal(rows, cols, rim, inward, inner, seed) for seed in range(250)]
    counts = [counted(puzzle).counters["solutions_with_rotations"] for puzzle in puzzles]
    turned = [as_dealt(puzzle, count) / labellings(puzzle) for puzzle, count in zip(puzzles, counts, strict=True)]
    agrees(turned, 10 ** estimate.log_solutions(puzzles[0]), 0.15)


def test_hints_leave_fewer_boards() -> None:
    """A hint about an inner tile takes one of its kind and four turns away; of a corner tile, one of its kind."""
    puzzle = deal(4, 4, [1, 2, 3] * 4, [4] * 4 + [5] * 4, [4] * 6 + [5] * 10, 0)
    whole = estimate.log_solutions(puzzle)
    inner, corner = (next(n for n, t in enumerate(puzzle.tiles) if t.count(0) == greys) for greys in (0, 2))
    told = Tiles(4, 4, puzzle.tiles, frame=puzzle.frame, pins=(Pin(1, 1, inner),))
    assert whole - estimate.log_solutions(told) == pytest.approx(math.log10(4 * 4))
    told = Tiles(4, 4, puzzle.tiles, frame=puzzle.frame, pins=(Pin(0, 0, corner),))
    assert whole - estimate.log_solutions(told) == pytest.approx(math.log10(4))


def test_a_board_that_cannot_pair_its_sides_is_estimated_along_a_scan() -> None:
    odd = deal(3, 3, [1] * 8, [3] * 4, [3, 3, 4, 4], 0)
    assert estimate._grey_solutions(odd) is None
    assert math.isfinite(estimate.log_solutions(odd))


@pytest.mark.parametrize("order", ["rows", "columns", "diagonal", "spiral", "constrained"])
def test_widths_along_a_fill_order_are_those_of_the_tree(order: str) -> None:
    """Mean number of partial boards at each depth, over random deals, within a factor of 3.

    Up to two thirds of the board: in the end what is left fits better than by chance, since colours come in pairs.
    """
    widths, expected = [], []
    for seed in range(30):
        puzzle = deal(4, 4, [1, 2, 3, 4] * 3, [5, 6] * 4, [5, 6] * 8, seed)
        tiles = oriented(puzzle)
        laid_out = plan(tiles, ORDERS[order](tiles))
        widths.append(tree(puzzle, [int(cell) for cell in laid_out.cells]).widths)
        expected.append(np.exp(estimate.profile(tiles, laid_out).log_width))
    measured, foretold = np.mean(widths, axis=0)[:10], np.mean(expected, axis=0)[:10]
    assert measured.max() > 5 * measured[0]
    assert (np.abs(np.log(foretold / measured)) < math.log(3)).all()


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("rotate", [True, False])
@pytest.mark.parametrize("match", ["equal", "signed"])
def test_the_size_of_a_tree_is_foretold(frame: str, rotate: bool, match: str) -> None:
    """Of puzzles of every rule, up to a factor of three; the planted solution comes on top."""
    placements, expected = [], []
    for seed in range(40):
        puzzle = dealt(3, 3 if rotate else 4, seed, rotate, match, frame, colours=3 if frame == "grey" else 5)
        tiles = oriented(puzzle)
        order = plan(tiles, ORDERS["auto"](tiles))
        placements.append(counted(puzzle).counters["placements"])
        expected.append(float(np.exp(estimate.profile(tiles, order).log_width).sum()) + len(puzzle.tiles))
    assert 1 / 3 < fmean(expected) / fmean(placements) < 3


def test_effort_is_the_whole_tree_or_its_share() -> None:
    rare, common = dealt(5, 5, 0, frame="grey", colours=6), dealt(5, 5, 0, frame="grey", colours=1)
    for puzzle in (rare, common):
        tiles = oriented(puzzle)
        whole = np.exp(estimate.profile(tiles, plan(tiles, ORDERS["auto"](tiles))).log_width).sum()
        boards = 10 ** estimate.log_solutions(puzzle)
        assert estimate.effort(puzzle) == pytest.approx(max(25, whole / max(1, boards)))
    assert 10 ** estimate.log_solutions(rare) < 1 < 10 ** estimate.log_solutions(common)


def test_effort_foretells_the_search_for_one_solution() -> None:
    """Within a factor of five, over some puzzles: good enough to choose a solver by."""
    ratios = []
    for seed in range(8):
        puzzle, _ = pipeline.generate("tiles", seed, width=6, height=6, colours=5, border_colours=3)
        answer = pipeline.solve(puzzle, solver="depth-first", time_s=None, steps=30_000_000, restart=0)
        ratios.append(math.log(estimate.effort(puzzle) / answer.outcome.counters["placements"]))
    assert abs(fmean(ratios)) < math.log(5)


def test_the_hardest_number_of_colours() -> None:
    """Owen's own figures are 17.1 colours for 16×16 and 7.6 for 8×8 boards, which have 196 and 36 inner tiles."""
    assert estimate.hardest_colours(196) == pytest.approx(17.1, abs=0.05)
    assert estimate.hardest_colours(36) == pytest.approx(7.6, abs=0.05)
    assert estimate.hardest_colours(4) == pytest.approx((24 * 4**4) ** (1 / 8))


def test_log_factorial() -> None:
    for n in range(10):
        assert math.exp(estimate.log_factorial(n)) == pytest.approx(math.factorial(n))


def test_facts() -> None:
    puzzle = pipeline.read("tiles-6x6")
    assert isinstance(puzzle, Tiles)
    found = estimate.facts(puzzle)
    assert (found["tiles"], found["colours"], found["hints"]) == (36, 9, 0)
    assert found["solutions_to_expect_log10"] == round(estimate.log_solutions(puzzle), 2)
    assert found["placements_to_expect"] == pytest.approx(estimate.effort(puzzle), rel=0.1)
    assert "missing" not in found
    assert estimate.facts(Tiles(2, 2, ((1, -1, 2, -2),) * 3, match=SIGNED)) == {
        "tiles": 3, "colours": 2, "hints": 0, "missing": 1,
    }  # fmt: skip
    assert set(estimate.facts(standard())) == {"solutions_to_expect_log10", "placements_to_expect", "difficulty"}


def test_difficulty_grows_with_the_board() -> None:
    words = [
        estimate.difficulty(dealt(side, side, 0, frame="grey", colours=colours)).split(":")[0]
        for side, colours in ((3, 3), (8, 8), (16, 17))
    ]
    assert words[0] == "easy"
    assert len(set(words)) == 3
    assert words[-1] == "out of reach of a complete search"


def test_sides_that_never_match_are_unlikely_not_an_error() -> None:
    tiles: list[Face] = [(0, 1, 2, 0)] * 4 + [(0, 2, 3, 1)] * 4 + [(7, 8, 9, 9)]
    puzzle = Tiles(3, 3, tuple(tiles), frame=grey_frame(3, 3))
    assert estimate.log_solutions(puzzle) < -10
    assert estimate.effort(puzzle) > 0


def test_a_board_that_is_all_hints_takes_no_search() -> None:
    puzzle = dealt(2, 3, 1, pins=6)
    assert estimate.log_solutions(puzzle) == 0
    assert estimate.effort(puzzle) == 1
