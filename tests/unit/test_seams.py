"""Seams of whole puzzles: whoever measures them, and how well they tell neighbours from strangers."""

from dataclasses import replace

import numpy as np
import pytest

from dovetail.jigsaw import seams
from dovetail.jigsaw.cutting import listed, make
from dovetail.jigsaw.kernels import TIED
from dovetail.jigsaw.measures import MEASURES
from dovetail.jigsaw.puzzle import Making
from dovetail.jigsaw.seams import Seams, measured
from dovetail.workers import Inline
from support.jigsaws import noise, part_of, seams_of
from support.naive_jigsaw import EAST, NORTH, SOUTH, WEST

each_measure = pytest.mark.parametrize("measure", MEASURES)


def same(one: Seams, other: Seams) -> bool:
    arrays = ((one.costs, other.costs), (one.ranked, other.ranked), (one.buddy, other.buddy), (one.best, other.best))
    return one.unit == other.unit and all(np.array_equal(a, b) for a, b in arrays)


@each_measure
@pytest.mark.parametrize("relative", [False, True])
def test_seams_do_not_depend_on_who_measures_what(
    measure: str, relative: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any number of threads, more of them than rows too, and blocks of one row, of some, of all."""
    puzzle, _ = part_of("coffee", 5, 7, 80, 100)
    once = seams_of(puzzle, measure, relative)
    for threads in (2, 3, 50):
        assert same(seams_of(puzzle, measure, relative, threads), once)
    for numbers in (1, 35 * 8):
        monkeypatch.setattr(seams, "BLOCK_NUMBERS", numbers)
        for threads in (1, 3):
            assert same(seams_of(puzzle, measure, relative, threads), once)


@pytest.mark.parametrize("relative", [False, True])
def test_the_share_that_is_done_grows(relative: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seams, "BLOCK_NUMBERS", 60)
    shares = list(measured(noise((4, 5), (4, 4), 1), "lab", relative, Inline()))
    assert shares == sorted(shares)
    assert shares[0] == 0 and 0.9 < shares[-1] < 1
    assert len(set(shares)) > 20


# the share of sides whose true neighbour ranks first, as measured on the 324 pieces of the astronaut
FLOORS = {
    ("lab", False): 0.87, ("lab", True): 0.92, ("prediction", False): 0.87, ("prediction", True): 0.93,
    ("mgc", False): 0.925, ("mgc", True): 0.94, ("mgc+", False): 0.925, ("mgc+", True): 0.935,
}  # fmt: skip


def first_ranked(image: str, measure: str, relative: bool) -> float:
    """The share of sides whose true neighbour ranks first."""
    puzzle, truth = make(Making(image=image), seed=1)
    at, first = np.array(truth.pieces), seams_of(puzzle, measure, relative).ranked[:, :, 0]
    west, east, north, south = at[:, :-1], at[:, 1:], at[:-1], at[1:]
    pairs = ((EAST, west, east), (WEST, east, west), (SOUTH, north, south), (NORTH, south, north))
    return float(np.concatenate([(first[side][one] == other).ravel() for side, one, other in pairs]).mean())


@pytest.mark.parametrize(("measure", "relative"), FLOORS)
def test_true_neighbours_rank_first(measure: str, relative: bool) -> None:
    assert first_ranked("astronaut", measure, relative) >= FLOORS[measure, relative]


@pytest.mark.parametrize("relative", [False, True])
def test_better_measures_rank_better(relative: bool) -> None:
    shares = {measure: first_ranked("chelsea", measure, relative) for measure in MEASURES}
    assert shares["lab"] < shares["prediction"] < shares["mgc"] <= shares["mgc+"]
    assert shares["lab"] > (0.96 if relative else 0.93) and shares["mgc+"] > 0.99


@each_measure
def test_a_seam_that_continues_its_pieces_costs_less_than_a_stranger(measure: str) -> None:
    """Two halves of a slope, and a third piece that is the slope elsewhere; by the definition of every measure."""
    slope = np.zeros((6, 24, 3), np.uint8)
    slope[:] = np.arange(24)[:, None] * 8 + np.array([10, 20, 30])
    slope[::2] += 3
    pieces = np.stack([slope[:, start : start + 6] for start in (0, 6, 18)])
    found = seams_of(listed(pieces), measure)
    assert found.costs[EAST, 0, 1] == found.costs[WEST, 1, 0] < found.costs[EAST, 0, 2]
    assert found.ranked[EAST, 0, 0] == 1 and found.ranked[WEST, 1, 0] == 0
    assert (found.buddy[EAST, 0], found.buddy[WEST, 1]) == (1, 0)


@each_measure
@pytest.mark.parametrize("relative", [False, True])
def test_flat_pieces_are_all_alike(measure: str, relative: bool) -> None:
    """No noise to go by, and no division by it: everything fits equally well, and lower numbers come first."""
    found = seams_of(listed(np.full((5, 4, 4, 3), 77, np.uint8), (1, 5)), measure, relative)
    assert len(np.unique(found.costs)) == 1
    assert found.ranked.tolist() == [[[p for p in range(5) if p != piece] for piece in range(5)]] * 4
    assert (found.buddy == TIED).all() and (found.best == found.costs[0, 0, 0]).all()


@each_measure
def test_the_frame_does_not_matter_and_neither_does_opacity(measure: str) -> None:
    puzzle = noise((2, 3), (5, 5), 4)
    opaque = np.concatenate([puzzle.array, np.full((6, 5, 5, 1), 255, np.uint8)], axis=3)
    deep = puzzle.array.astype(np.uint16) * 257
    once = seams_of(puzzle, measure)
    for other in (replace(puzzle, rows=None, cols=None), listed(opaque), listed(deep)):
        assert same(seams_of(other, measure), once)


def test_long_and_short_sides_are_counted_in_the_same_unit() -> None:
    """Black beside white costs the more the longer the seam, in proportion to the root of its length."""
    pixels = np.zeros((2, 8, 2, 3), np.uint8)
    pixels[1] = 255
    found = seams_of(listed(pixels))
    assert found.costs[EAST, 0, 1] * found.unit == pytest.approx(100 * np.sqrt(8), rel=1e-3)
    assert found.costs[SOUTH, 0, 1] * found.unit == pytest.approx(100 * np.sqrt(2), rel=1e-3)


def test_large_pieces_that_fit_exactly_cost_nothing() -> None:
    """Sums of squares of a long line of strong colours are more than single precision holds exactly."""
    rng = np.random.default_rng(0)
    pixels = rng.integers([0, 0, 235], [20, 20, 255], (3, 600, 2, 3))
    pixels[:, :, 0] = pixels[0, :, 1]
    found = seams_of(listed(pixels.astype(np.uint8)))
    assert (found.costs[EAST, 0] < 20).all()
