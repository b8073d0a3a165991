"""Cutting pictures: the pieces laid back as the truth says are the picture again, whatever was done to them."""

import os
from dataclasses import replace
from itertools import pairwise
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
from dovetail.jigsaw.cutting import BUILT_IN, GREY, built_in, cut, make, piece_size, shuffled, turned
from dovetail.jigsaw.genetic import Genetic
from dovetail.jigsaw.images import Pixels, enriched, png_bytes
from dovetail.jigsaw.puzzle import Jigsaw, JigsawKind, Making
from dovetail.jigsaw.samples import SAMPLES
from support.jigsaws import assembled


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


def test_colour_of_16_bits_is_cut_as_it_is_and_worn_in_8() -> None:
    deep = np.random.default_rng(0).integers(0, 65536, (20, 30, 3), np.uint16)
    Path("deep.png").write_bytes(png_bytes(deep, {}))
    puzzle, truth = make(Making(image="deep.png", piece="10"), seed=0)
    assert puzzle.depth == 16 and np.array_equal(assembled(puzzle, truth), deep)
    compressed, truth = make(Making(image="deep.png", piece="10", jpeg=100), seed=0)
    assert compressed.depth == 8, "a JPEG holds no more"
    assert np.abs(assembled(compressed, truth).astype(int) - (deep >> 8)).mean() < 64
    noisy, truth = make(Making(image="deep.png", piece="10", noise=0.001), seed=0)
    assert noisy.depth == 16 and np.abs(assembled(noisy, truth).astype(int) - deep).max() < 3


def test_a_file_wins_over_a_picture_that_is_built_in() -> None:
    Image.new("L", (20, 10), 7).save("coffee", "PNG")
    assert make(Making(image="coffee", piece="10"), seed=0)[0].pixels == bytes([7] * 200)
    assert SAMPLES["coffee"]().size == "14x21", "not so for the built-in puzzle"


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_photographs_are_there(name: str) -> None:
    pixels = built_in(name)
    assert pixels.dtype == np.uint8 and min(pixels.shape[:2]) >= 300
    assert pixels.shape[2] == (1 if name in GREY else 3)


# two sides, several pictures, foreign pieces, no frame


def parts_of(truth: Placement) -> list[Placement]:
    """The pictures that lie between empty columns, their empty rows below left out."""
    cells = np.array([truth.pieces, truth.turns])
    empty = [-1, *np.flatnonzero((cells[0] == EMPTY).all(axis=0)).tolist(), cells.shape[2]]
    found = []
    for left, right in pairwise(empty):
        part = cells[:, :, left + 1 : right]
        part = part[:, (part[0] != EMPTY).any(axis=1)]
        found.append(Placement(*(tuple(map(tuple, rows)) for rows in part.tolist())))
    return found


def laid_in(truth: Placement) -> list[int]:
    return sorted(piece for row in truth.pieces for piece in row if piece != EMPTY)


def contents(pieces: Pixels) -> set[bytes]:
    """Each piece in all four turns."""
    return {np.rot90(piece, turn).tobytes() for piece in pieces for turn in range(4)}


@pytest.mark.parametrize("piece", ["28", "40x25"])
@pytest.mark.parametrize("rotate", [False, True])
def test_a_board_of_two_sides_shows_another_picture_when_it_is_turned_over(piece: str, rotate: bool) -> None:
    puzzle, truth = make(Making(image="chelsea", back="coffee", piece=piece, rotate=rotate), seed=3)
    front, back = built_in("chelsea"), built_in("coffee")
    high, wide = (front.shape[0] // puzzle.height * puzzle.height, front.shape[1] // puzzle.width * puzzle.width)
    assert puzzle.sides == 2 and puzzle.missing == 0
    assert np.array_equal(assembled(puzzle, truth), front[:high, :wide])
    assert np.array_equal(assembled(puzzle, truth, underneath=True), back[:high, :wide])
    turns = {turn for row in truth.turns for turn in row}
    assert turns == set(puzzle.turns) and len(turns) == (2 if not rotate else 8 if piece == "28" else 4)


def test_which_side_is_listed_as_the_front_says_nothing() -> None:
    puzzle, _ = make(Making(image="chelsea", back="coffee", piece="30"), seed=0)
    cat = contents(cut(built_in("chelsea"), 30, 30))
    up = sum(face.tobytes() in cat for face in puzzle.array)
    assert 0.3 < up / puzzle.count < 0.7
    assert sum(face.tobytes() in cat for face in puzzle.faces[:, 1]) == puzzle.count - up


@pytest.mark.parametrize("turn", range(8))
def test_turning_back_is_what_the_truth_says(turn: int) -> None:
    piece = np.random.default_rng(0).integers(0, 256, (2, 6, 6, 3), np.uint8)
    back = turn if turn >= 4 else -turn % 4
    assert np.array_equal(turned(turned(piece, turn), back), piece)
    assert turn == 0 or not np.array_equal(turned(piece, turn), piece)


@pytest.mark.parametrize("rotate", [False, True])
def test_several_pictures_go_into_one_bag(rotate: bool) -> None:
    puzzle, truth = make(Making(image="chelsea, camera,coins", rotate=rotate), seed=2)
    assert puzzle.mixed and puzzle.rows is None and puzzle.channels == 3
    pictures = [built_in(name) for name in ("chelsea", "camera", "coins")]
    parts = parts_of(truth)
    assert len(parts) == 3 and len(truth.pieces[0]) == 2 + sum(picture.shape[1] // 28 for picture in pictures)
    for part, picture in zip(parts, pictures, strict=True):
        whole = picture[: picture.shape[0] // 28 * 28, : picture.shape[1] // 28 * 28]
        assert np.array_equal(assembled(puzzle, part), enriched(whole, 3, 8))
    assert laid_in(truth) == [*range(puzzle.count)]
    first_half = sum(piece < puzzle.count // 2 for piece in laid_in(parts[0]))
    assert 0.3 < first_half / len(laid_in(parts[0])) < 0.7, "shuffled together"


def test_no_picture_of_a_bag_loses_a_whole_column() -> None:
    for share, seed in ((0.5, 0), (0.9, 1), (0.9, 2)):
        puzzle, truth = make(Making(image="chelsea,coffee", piece="50", missing=share), seed)
        assert [len(part.pieces[0]) for part in parts_of(truth)] == [9, 12]
        assert puzzle.count == max(21, 150 - round(150 * share))


def test_several_pictures_with_backs() -> None:
    puzzle, truth = make(Making(image="chelsea,camera", back="coffee,moon", rotate=True, piece="40"), seed=1)
    assert puzzle.mixed and puzzle.sides == 2
    for part, front, back in zip(parts_of(truth), ("chelsea", "camera"), ("coffee", "moon"), strict=True):
        high, wide = (side // 40 * 40 for side in built_in(front).shape[:2])
        for name, underneath in ((front, False), (back, True)):
            whole = enriched(built_in(name)[:high, :wide], 3, 8)
            assert np.array_equal(assembled(puzzle, part, underneath), whole)


@pytest.mark.parametrize("back", [None, "coffee"])
def test_foreign_pieces_are_left_out_of_the_truth(back: str | None) -> None:
    puzzle, truth = make(Making(image="chelsea", back=back, foreign=0.25, rotate=True, stranger="rocket"), seed=4)
    assert puzzle.foreign and (puzzle.rows, puzzle.cols, puzzle.count) == (10, 16, 200)
    assert np.array_equal(assembled(puzzle, truth), built_in("chelsea")[:280, :448])
    left_out = [*set(range(200)) - set(laid_in(truth))]
    assert len(left_out) == 40
    assert min(left_out) < 40 and max(left_out) > 160, "shuffled with the others"
    rocket = contents(cut(built_in("rocket"), 28, 28))
    assert all(face.tobytes() in rocket for face in puzzle.faces[left_out].reshape(-1, 28, 28, 3))
    if back:
        assert np.array_equal(assembled(puzzle, truth, underneath=True), built_in("coffee")[:280, :448])


def test_some_pieces_may_be_lost_and_others_foreign() -> None:
    puzzle, truth = make(Making(image="chelsea", foreign=0.001, missing=0.1), seed=4)
    assert puzzle.count == 160 - 16 + 1, "one foreign piece at least"
    assert len(laid_in(truth)) == 144


def test_foreign_pieces_come_from_another_picture_of_the_same_sort() -> None:
    for image, stranger in (("coffee", "astronaut"), ("astronaut,chelsea", "coffee"), ("moon", "camera")):
        puzzle, truth = make(Making(image=image, foreign=0.1), seed=0)
        assert puzzle.channels == built_in(stranger).shape[2]
        known = contents(cut(built_in(stranger), 28, 28))
        left_out = set(range(puzzle.count)) - set(laid_in(truth))
        assert left_out and all(puzzle.array[piece].tobytes() in known for piece in left_out)


def test_the_frame_may_be_kept_back() -> None:
    told, truth = make(Making(image="chelsea", missing=0.1), seed=0)
    kept, same = make(Making(image="chelsea", missing=0.1, frame=False), seed=0)
    assert (told.rows, kept.rows, kept.cols) == (10, None, None)
    assert truth == same and told.pixels == kept.pixels


def test_a_name_with_a_comma_may_be_one_file() -> None:
    Image.new("L", (40, 20), 7).save("coffee,chelsea", "PNG")
    assert make(Making(image="coffee,chelsea", piece="10"), seed=0)[0].size == "2x4"
    assert make(Making(image="chelsea,coffee", piece="100"), seed=0)[0].mixed


def test_a_bag_of_grey_deep_and_clear_pictures_holds_them_all() -> None:
    Image.new("RGBA", (20, 10), (1, 2, 3, 4)).save("clear.png")
    Image.fromarray(np.full((10, 20), 300, np.uint16)).save("deep.tif")
    puzzle, truth = make(Making(image="clear.png,deep.tif", piece="10"), seed=0)
    assert (puzzle.channels, puzzle.depth) == (4, 16)
    clear, deep = (assembled(puzzle, part)[0, 0].tolist() for part in parts_of(truth))
    assert (clear, deep) == ([257, 2 * 257, 3 * 257, 4 * 257], [300, 300, 300, 65535])


def test_what_is_known_is_said_in_words() -> None:
    kind = JigsawKind()
    usual = kind.facts(make(Making(image="chelsea"), seed=0)[0])
    assert not {"sides", "foreign", "pictures", "missing"} & set(usual)
    odd = kind.facts(make(Making(image="chelsea,coins", back="coffee,camera", foreign=0.1, piece="70"), seed=0)[0])
    assert odd["sides"] == "front and back, and nobody knows which belongs up"
    assert odd["foreign"] == "some pieces may belong to no picture"
    assert odd["pictures"] == "there may be several, up to 5"
    assert odd["frame"] == "not known"
    fewer = kind.facts(make(Making(image="chelsea", foreign=0.1, missing=0.5), seed=0)[0])
    assert fewer["missing"] == "at least 64"


def test_the_genetic_solver_says_what_it_cannot_do() -> None:
    usual = Making(image="chelsea", piece="70")
    for making, why in (
        (replace(usual, back="coffee"), "its pieces have two sides"),
        (replace(usual, image="chelsea,coins"), "there may be several pictures in it"),
        (replace(usual, foreign=0.1), "some of its pieces may be foreign"),
        (replace(usual, frame=False), "the size of its frame is not known"),
    ):
        fit = Genetic().accepts(make(making, seed=0)[0])
        assert not fit.accepted and fit.why.startswith(why), fit.why
    assert Genetic().accepts(make(usual, seed=0)[0]).accepted


def test_pictures_that_cannot_be_cut() -> None:
    Image.new("L", (20, 20)).save("small.png")
    Image.new("L", (10_000, 2)).save("long.png")
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
        ({"image": "folder"}, BadInput, "cannot read folder: it is not a file"),
        ({"piece": "28x"}, BadUsage, "piece is 28 or WIDTHxHEIGHT"),
        ({"image": "retina", "piece": "2"}, BadInput, "2 to 65534 pieces"),
        ({"image": ""}, BadUsage, "image is empty"),
        ({"image": "coffee,"}, BadUsage, "image is empty, or has a comma too many"),
        ({"image": "coffee,nowhere"}, BadUsage, "there is no picture 'nowhere'"),
        ({"image": "coffee,small.png"}, BadUsage, "small.png is 20x20 pixels and gives 0 pieces"),
        ({"image": ",".join(["coffee"] * 6)}, BadUsage, "image names 6 pictures, and 5 are the most"),
        ({"image": "long.png", "piece": "2"}, BadUsage, "at most 4096 rows and columns, and this one would be 1x5000"),
        ({"back": "nowhere"}, BadUsage, "there is no picture 'nowhere'"),
        ({"back": ""}, BadUsage, "back is empty"),
        ({"back": "chelsea"}, BadUsage, "chelsea is 451x300 pixels, too small for the back of 588x392 pixels"),
        ({"back": "coffee,coffee"}, BadUsage, "each picture needs a back of its own: image names 1, back 2"),
        ({"stranger": "moon"}, BadUsage, "set their share too, as in foreign=0.1"),
        ({"stranger": "coffee", "foreign": 0.1}, BadUsage, "pieces of coffee are not foreign here"),
        ({"back": "coffee", "stranger": "coffee", "foreign": 0.1}, BadUsage, "pieces of coffee are not foreign"),
        ({"stranger": "nowhere", "foreign": 0.1}, BadUsage, "there is no picture 'nowhere'"),
        ({"stranger": "", "foreign": 0.1}, BadUsage, "stranger is empty"),
        (
            {"stranger": "small.png", "foreign": 0.1, "piece": "10"},
            BadUsage,
            "small.png is 20x20 pixels and gives 4 pieces of 10x10, too few for 240 foreign ones; set another",
        ),
        (
            {"stranger": "chelsea", "foreign": 0.4, "back": "coffee"},
            BadUsage,
            "gives 160 pieces of 28x28, too few for 118 foreign ones with two sides",
        ),
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
     ("rocket", "8x8", (24, 32))],
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
