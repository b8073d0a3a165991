"""The grid that compression leaves: found where it is, and only there; and what it is good for."""

import io

import numpy as np
import pytest
from PIL import Image

from dovetail.core.puzzle import Placement
from dovetail.core.solver import Budget, Clock
from dovetail.jigsaw import candidates, grid
from dovetail.jigsaw.assembler import Assembler, Settings
from dovetail.jigsaw.cutting import built_in, cut, listed, shuffled
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.poses import PERIOD
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.jigsaw.scores import judge
from dovetail.workers import Inline
from support.jigsaws import finished


def compressed(pixels: Pixels, subsampling: int = 2, quality: int = 75) -> Pixels:
    """As it comes out of a JPEG file."""
    saved = io.BytesIO()
    Image.fromarray(pixels).save(saved, "JPEG", quality=quality, subsampling=subsampling)
    return np.asarray(Image.open(saved))


def scaled(name: str, share: float = 0.8) -> Pixels:
    """A picture in which no older grid is left."""
    image = Image.fromarray(built_in(name))
    size = round(image.width * share), round(image.height * share)
    return np.asarray(image.resize(size, Image.Resampling.LANCZOS))


def puzzle_of(pixels: Pixels, side: int = 28, rotate: bool = False) -> tuple[Jigsaw, Placement]:
    rows, cols = pixels.shape[0] // side, pixels.shape[1] // side
    pieces = cut(pixels[: rows * side, : cols * side], side, side)
    return shuffled(pieces, rows, cols, np.random.default_rng(1), rotate=rotate)


def columns(puzzle: Jigsaw, truth: Placement) -> np.ndarray:
    """Which column each piece belongs to."""
    where = np.empty(puzzle.count, int)
    for row in truth.pieces:
        for col, piece in enumerate(row):
            where[piece] = col
    return where


@pytest.mark.parametrize("side", [20, 25, 28])
def test_pieces_know_where_they_lie_on_the_grid(side: int) -> None:
    """Though the picture was cropped after it was compressed."""
    puzzle, truth = puzzle_of(compressed(scaled("coffee"))[3:, 5:], side)
    likely = grid.places(grid.shown(puzzle)[:, 0])
    assert likely is not None and likely.sum(axis=1) == pytest.approx(1)
    right = -(5 + side * columns(puzzle, truth)) % 16
    found = likely.argmax(axis=1)
    assert (found % 8 == right % 8).mean() > 0.85 and (found == right).mean() > 0.7
    sure = likely.max(axis=1) > 0.95
    assert sure.mean() > 0.5 and (found == right)[sure].mean() > 0.9, "who is sure is right"


def test_colours_of_full_resolution_lie_on_the_grid_of_8() -> None:
    puzzle, truth = puzzle_of(compressed(scaled("astronaut"), subsampling=0))
    likely = grid.places(grid.shown(puzzle)[:, 0])
    assert likely is not None and np.array_equal(likely[:, :8], likely[:, 8:])
    assert (likely[:, :8].argmax(axis=1) == -28 * columns(puzzle, truth) % 8).mean() > 0.85


@pytest.mark.parametrize("name", ["astronaut", "coffee", "rocket", "chelsea"])
def test_what_was_never_compressed_or_scaled_since_has_none(name: str) -> None:
    assert grid.found(puzzle_of(scaled(name))[0]) is None
    assert grid.found(puzzle_of(scaled(name), side=14)[0]) is None


@pytest.mark.parametrize("value", [0, 255])
def test_one_colour_has_none(value: int) -> None:
    assert grid.found(puzzle_of(np.full((112, 112, 3), value, np.uint8))[0]) is None


@pytest.mark.parametrize("rotate", [False, True])
def test_neighbours_agree_and_most_strangers_do_not(rotate: bool) -> None:
    puzzle, truth = puzzle_of(compressed(scaled("coffee"))[3:, 5:], rotate=rotate)
    lines = grid.found(puzzle)
    assert lines is not None
    pieces, turns = np.array(truth.pieces), np.array(truth.turns)
    ours = (4 * pieces[:, :-1] + (turns[:, :-1] + 1) % 4).ravel()
    theirs = (4 * pieces[:, 1:] + (turns[:, 1:] + 3) % 4).ravel()
    pairs = np.full((4 * puzzle.count, 2), -1, np.int32)
    pairs[ours, 0], pairs[ours, 1] = theirs, np.roll(theirs, 15)
    told = np.empty((*pairs.shape, grid.TOLD), np.float32)
    grid.agreement(pairs, 0, len(pairs), *lines, told)
    assert (told[ours, 0, 0] > 0).mean() > 0.9
    assert (told[ours, 1, 0] > 0).mean() < 0.4
    assert told[ours, 0, 1].mean() < 0.01, "cut 5 pixels further, no seam is between squares"


def test_a_dark_sky_is_put_together_by_its_grid() -> None:
    """Small pieces of stars, of which many would fit by their colours."""
    puzzle, truth = puzzle_of(compressed(scaled("hubble"))[200:620, 200:620], side=14)
    scores = []
    for use in (True, False):
        outcome = finished(Assembler().solve(puzzle, Settings(effort="fast", grid=use), Clock(Budget()), seed=0))
        assert outcome.counters["on_grid"] == use and outcome.solution is not None
        scores.append(judge(puzzle, outcome.solution, truth).scores["neighbour"])
    assert scores[0] > 0.99 > scores[1]


def test_the_grid_of_a_sheet_that_was_shuffled_before_is_not_used() -> None:
    """It says how pieces lay on the sheet, not in the picture."""
    puzzle, _ = puzzle_of(scaled("astronaut"))
    assert puzzle.rows is not None and puzzle.cols is not None
    sheet = puzzle.array.reshape(puzzle.rows, puzzle.cols, 28, 28, 3).swapaxes(1, 2).reshape(puzzle.rows * 28, -1, 3)
    again = listed(cut(compressed(sheet, quality=60), 28, 28), (puzzle.rows, puzzle.cols))
    assert grid.found(again) is not None
    assert not finished(candidates.paired(again, Inline(), use_grid=True)).on_grid


def test_a_piece_that_lies_nowhere_usual_says_nothing() -> None:
    likely = np.zeros((4000, PERIOD), np.float32)
    likely[:, 3] = 1
    likely[0] = np.eye(PERIOD, dtype=np.float32)[9]  # one edge of a piece from elsewhere
    lies = grid.lies(grid.Grid(likely, likely, likely, likely, 1.0))
    assert (lies[0, 1] == 0).all()
    assert (lies[400] <= 0).all() and lies[400, :, 3].tolist() == [0, 0] and (lies[400] < 0).sum() == 30
