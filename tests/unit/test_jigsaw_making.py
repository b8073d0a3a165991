"""Cutting pictures: the pieces laid back as the truth says are the picture again, whatever was done to them."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from dovetail.core.errors import BadInput, BadUsage, DovetailError
from dovetail.core.puzzle import EMPTY, Placement
from dovetail.jigsaw.cutting import BUILT_IN, built_in, cut, make, piece_size, shuffled
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.puzzle import Jigsaw, JigsawKind, Making
from dovetail.jigsaw.samples import SAMPLES


def assembled(puzzle: Jigsaw, truth: Placement) -> Pixels:
    """The picture as the truth lays it, in plain loops; lost pieces are black."""
    rows, cols = len(truth.pieces), len(truth.pieces[0])
    shape = (rows * puzzle.height, cols * puzzle.width, puzzle.channels)
    picture: Pixels = np.zeros(shape, puzzle.array.dtype)
    for row in range(rows):
        for col in range(cols):
            if truth.pieces[row][col] == EMPTY:
                continue
            piece = np.rot90(puzzle.array[truth.pieces[row][col]], truth.turns[row][col])
            top, left = row * puzzle.height, col * puzzle.width
            picture[top : top + puzzle.height, left : left + puzzle.width] = piece
    return picture


@pytest.mark.parametrize("piece", ["28", "40x25"])
@pytest.mark.parametrize("rotate", [False, True])
def test_the_truth_puts_the_picture_together_again(piece: str, rotate: bool) -> None:
    puzzle, truth = make(Making(image="chelsea", piece=piece, rotate=rotate), seed=3)
    assert isinstance(truth, Placement)
    photograph = built_in("chelsea")
    rows, cols = photograph.shape[0] // puzzle.height, photograph.shape[1] // puzzle.width
    assert (puzzle.rows, puzzle.cols, puzzle.count, puzzle.missing) == (rows, cols, rows * cols, 0)
    whole = photograph[: rows * puzzle.height, : cols * puzzle.width]
    assert np.array_equal(assembled(puzzle, truth), whole)
    in_order = Placement.from_flat(np.arange(puzzle.count), np.zeros(puzzle.count, int), cols)
    assert (assembled(puzzle, in_order) == whole).mean() < 0.2, "it is shuffled"
    turns = {turn for row in truth.turns for turn in row}
    assert turns == set(puzzle.turns) and puzzle.rotate == rotate


def test_pieces_of_any_turn_are_square_only() -> None:
    assert make(Making(image="chelsea", piece="28", rotate=True), seed=0)[0].turns == (0, 1, 2, 3)
    assert make(Making(image="chelsea", piece="28x30", rotate=True), seed=0)[0].turns == (0, 2)


def test_lost_pieces() -> None:
    puzzle, truth = make(Making(image="chelsea", missing=0.25, rotate=True), seed=1)
    assert puzzle.missing == 40 and puzzle.count == 120  # of 10x16
    cells = [piece for row in truth.pieces for piece in row]
    assert cells.count(EMPTY) == 40 and sorted(cells)[40:] == [*range(120)]
    here, photograph = assembled(puzzle, truth), built_in("chelsea")[:280, :448]
    lost = cut(here, 28, 28).max(axis=(1, 2, 3)) == 0
    assert np.array_equal(cut(here, 28, 28)[~lost], cut(photograph, 28, 28)[~lost]) and lost.sum() == 40


def test_two_pieces_are_always_left() -> None:
    pieces = cut(np.arange(3 * 4 * 2, dtype=np.uint8).reshape(4, 6, 1), 2, 2)
    for share in (0.0, 0.3, 0.9, 1.0):
        puzzle, _ = shuffled(pieces, 2, 3, np.random.default_rng(0), missing=share)
        assert puzzle.count == max(2, 6 - round(6 * share))


@settings(deadline=None, max_examples=100)
@given(
    st.sampled_from([(np.uint8, 1), (np.uint8, 2), (np.uint8, 3), (np.uint8, 4), (np.uint16, 1), (np.uint16, 3)]),
    st.integers(1, 4), st.integers(2, 4), st.integers(2, 5), st.integers(2, 5), st.booleans(), st.integers(0, 99),
    st.data(),
)  # fmt: skip
def test_cutting_and_laying_is_the_identity(
    sort: tuple[Any, int], rows: int, cols: int, height: int, width: int, rotate: bool, seed: int, data: st.DataObject
) -> None:
    picture = data.draw(arrays(sort[0], (rows * height, cols * width, sort[1])))
    pieces = cut(picture, height, width)
    assert pieces.shape == (rows * cols, height, width, sort[1])
    puzzle, truth = shuffled(pieces, rows, cols, np.random.default_rng(seed), rotate=rotate)
    assert np.array_equal(assembled(puzzle, truth), picture)


def test_the_remainder_is_cut_away_at_the_right_and_below() -> None:
    picture = np.arange(5 * 7, dtype=np.uint8).reshape(5, 7, 1)
    assert np.array_equal(cut(picture, 2, 3), cut(picture[:4, :6], 2, 3))
    assert cut(picture, 2, 3)[1, :, :, 0].tolist() == [[3, 4, 5], [10, 11, 12]]


def test_a_file_of_any_sort_is_cut(tmp_path: Path) -> None:
    deep = np.random.default_rng(0).integers(0, 65536, (20, 30), np.uint16)
    Image.fromarray(deep).save("deep.tif")
    puzzle, truth = make(Making(image="deep.tif", piece="10"), seed=0)
    assert puzzle.depth == 16 and np.array_equal(assembled(puzzle, truth)[:, :, 0], deep)
    Image.new("RGBA", (20, 10), (1, 2, 3, 4)).save(tmp_path / "clear.png")
    assert make(Making(image=str(tmp_path / "clear.png"), piece="10"), seed=0)[0].channels == 4


def test_a_file_wins_over_a_picture_that_is_built_in() -> None:
    Image.new("L", (20, 10), 7).save("coffee", "PNG")
    assert make(Making(image="coffee", piece="10"), seed=0)[0].pixels == bytes([7] * 200)
    assert SAMPLES["coffee"]().size == "14x21", "not so for the built-in puzzle"


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_photographs_are_there(name: str) -> None:
    pixels = built_in(name)
    assert pixels.dtype == np.uint8 and pixels.shape[2] in (1, 3) and min(pixels.shape[:2]) >= 300


def test_pictures_that_cannot_be_cut() -> None:
    Image.new("L", (20, 20)).save("small.png")
    Path("text.png").write_text("hello")
    Path("folder").mkdir()
    cases: list[tuple[dict[str, Any], type[DovetailError], str]] = [
        (
            {"image": "nowhere.png"},
            BadUsage,
            "there is no picture 'nowhere.png', and none of that name is built in (ast",
        ),
        ({"image": "a\0b"}, BadUsage, "there is no picture"),
        ({"image": "x" * 5000}, BadUsage, "there is no picture"),
        ({"image": "small.png"}, BadUsage, "small.png is 20x20 pixels and gives 0 pieces of 28x28; at least 2"),
        ({"image": "small.png", "piece": "20"}, BadUsage, "gives 1 pieces of 20x20"),
        ({"image": "text.png"}, BadInput, "cannot read text.png: it is no picture"),
        ({"image": "folder"}, BadInput, "cannot read folder: is a directory"),
        ({"piece": "28x"}, BadUsage, "piece is 28 or WIDTHxHEIGHT"),
        ({"image": "retina", "piece": "2"}, BadInput, "2 to 65534 pieces"),
    ]
    for given_, error, says in cases:
        with pytest.raises(error) as caught:
            make(Making(**given_), seed=0)
        assert says in str(caught.value), caught.value
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_piece_sizes_are_width_by_height() -> None:
    assert piece_size("28") == (28, 28)
    assert piece_size("28x40") == piece_size(" 28X40 ") == (40, 28)


def test_a_seed_is_a_puzzle() -> None:
    settings = Making(image="camera", piece="64", rotate=True, missing=0.1)
    assert make(settings, seed=5) == make(settings, seed=5)
    assert make(settings, seed=5) != make(settings, seed=6)


@pytest.mark.parametrize(
    ("name", "size", "piece"),
    [("astronaut", "18x18", (28, 28)), ("coffee", "14x21", (28, 28)), ("jigsaw-small", "4x6", (28, 28)),
     ("rocket", "17x20", (24, 32))],
)  # fmt: skip
def test_samples(name: str, size: str, piece: tuple[int, int]) -> None:
    puzzle = SAMPLES[name]()
    assert isinstance(puzzle, Jigsaw)
    assert puzzle.size == size and (puzzle.height, puzzle.width) == piece and not puzzle.missing
    assert puzzle == SAMPLES[name]() and JigsawKind().decode(puzzle.encode()) == puzzle


def test_the_sample_of_the_demo_is_there() -> None:
    assert JigsawKind.demo in SAMPLES


def test_a_pipe_is_not_waited_for() -> None:
    os.mkfifo("pipe")
    with pytest.raises(BadUsage, match="there is no picture 'pipe'"):
        make(Making(image="pipe"), 0)
