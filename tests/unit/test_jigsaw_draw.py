"""Pictures of jigsaws: lossless where a picture is whole, holes and loose pieces as they should look."""

import base64
import io
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import EMPTY, Moves, Placement, Solution
from dovetail.jigsaw import draw
from dovetail.jigsaw.cutting import built_in, make
from dovetail.jigsaw.draw import GROUND, HATCH, HOLE, draw_jigsaw
from dovetail.jigsaw.puzzle import Jigsaw, Making
from support.jigsaws import assembled

MODES = {(1, 8): "L", (2, 8): "LA", (3, 8): "RGB", (4, 8): "RGBA", (1, 16): "I;16"}
TRUTH = Placement(((3, 0, 5), (1, 4, 2)), ((0,) * 3,) * 2)


def jigsaw(channels: int = 3, depth: int = 8, height: int = 9, count: int = 6, sides: int = 1, **more: int) -> Jigsaw:
    """Six pieces of noise, 9 pixels wide."""
    noise = np.random.default_rng(channels).integers(0, 2**depth, (count, sides, height, 9, channels))
    pixels = noise.astype("u1" if depth == 8 else "<u2").tobytes()
    return Jigsaw(height, 9, channels, depth, pixels, sides=sides, **more)  # type: ignore[arg-type]


def seen(puzzle: Jigsaw, solution: Solution | None) -> NDArray[Any]:
    return np.asarray(opened(puzzle, solution))


def opened(puzzle: Jigsaw, solution: Solution | None) -> Image.Image:
    image = Image.open(io.BytesIO(draw_jigsaw(puzzle, solution).png()))
    image.load()
    return image


@pytest.mark.parametrize(("channels", "depth"), MODES)
@pytest.mark.parametrize("height", [9, 5])
def test_a_whole_picture_is_lossless(channels: int, depth: int, height: int) -> None:
    puzzle = jigsaw(channels, depth, height=height, rows=2, cols=3)
    image = opened(puzzle, TRUTH)
    assert image.mode == MODES[channels, depth]
    rows = [np.concatenate([puzzle.array[piece] for piece in row], axis=1) for row in TRUTH.pieces]
    picture = np.concatenate(rows)
    assert np.array_equal(np.asarray(image).reshape(picture.shape), picture)


def test_sixteen_bits_of_colour_are_reduced_to_eight() -> None:
    puzzle = jigsaw(3, 16, rows=2, cols=3)
    assert np.array_equal(seen(puzzle, TRUTH)[:9, :9], puzzle.array[3] >> 8)


def test_pieces_are_turned_counter_clockwise() -> None:
    puzzle = jigsaw(rotate=True, rows=2, cols=3)
    picture = seen(puzzle, Placement(TRUTH.pieces, ((0, 1, 2), (3, 0, 1))))
    assert np.array_equal(picture[:9, 9:18], puzzle.array[0].transpose(1, 0, 2)[::-1])
    assert np.array_equal(picture[:9, 18:], puzzle.array[5][::-1, ::-1])
    assert np.array_equal(picture[9:, :9], puzzle.array[1].transpose(1, 0, 2)[:, ::-1])
    assert np.array_equal(picture[9:, 9:18], puzzle.array[4])


@pytest.mark.parametrize(("channels", "depth"), MODES)
def test_holes_are_hatched_and_the_rest_is_as_it_was(channels: int, depth: int) -> None:
    puzzle = jigsaw(channels, depth, count=4, rotate=True, rows=2, cols=3)
    image = opened(puzzle, Placement(((3, EMPTY, 0), (EMPTY, 1, 2)), ((0, 10**40, 0), (3, 0, 0))))
    assert image.mode == ("RGBA" if channels in (2, 4) else "RGB")
    picture = np.asarray(image)
    for hole in (picture[:9, 9:18], picture[9:, :9]):
        assert {tuple(pixel[:3]) for pixel in hole.reshape(-1, hole.shape[2]).tolist()} == {HOLE, HATCH}
        assert channels % 2 or (hole[..., 3] == 255).all()
    piece = puzzle.array[3] if depth == 8 else puzzle.array[3] >> 8
    assert np.array_equal(picture[:9, :9, 0], piece[..., 0])
    assert np.array_equal(picture[:9, :9, 2], piece[..., 2 if channels > 2 else 0])


def test_loose_pieces_lie_apart_on_a_quiet_ground() -> None:
    puzzle = jigsaw(rows=2, cols=3)
    sheet = seen(puzzle, None)
    gap, margin = 1, 4
    assert sheet.shape == (2 * 9 + gap + 2 * margin, 3 * 9 + 2 * gap + 2 * margin, 3)
    left = np.ones(sheet.shape[:2], bool)
    for piece in range(6):
        top, side = margin + piece // 3 * (9 + gap), margin + piece % 3 * (9 + gap)
        assert np.array_equal(sheet[top : top + 9, side : side + 9], puzzle.array[piece])
        left[top : top + 9, side : side + 9] = False
    assert (sheet[left] == GROUND).all()


def test_a_sheet_of_transparent_grey_shows_the_ground() -> None:
    clear, black = bytes([9, 0] * 4), bytes([0, 255] * 4)
    sheet = seen(Jigsaw(2, 2, 2, 8, clear + black, 1, 2), None)
    assert {tuple(pixel) for pixel in sheet.reshape(-1, 3).tolist()} == {GROUND, (0, 0, 0)}
    assert (sheet == 0).all(axis=2).sum() == 4


def test_a_sheet_without_a_frame_is_no_long_strip() -> None:
    rows, cols, _ = seen(Jigsaw(2, 2, 1, 8, bytes(4 * 300)), None).shape
    assert 1 < cols / rows < 1.6
    wide_frame_of_few = seen(Jigsaw(2, 2, 1, 8, bytes(8), 4096, 4096), None)
    assert wide_frame_of_few.shape == (6, 9, 3)


def test_without_a_frame_what_is_empty_around_it_is_not_drawn() -> None:
    around = Placement(
        ((EMPTY,) * 5, (EMPTY, *TRUTH.pieces[0], EMPTY), (EMPTY, *TRUTH.pieces[1], EMPTY)), ((0,) * 5,) * 3
    )
    assert np.array_equal(seen(jigsaw(), around), seen(jigsaw(rows=2, cols=3), TRUTH))


def parts_on_the_table(picture: NDArray[Any], *parts: tuple[int, int, NDArray[Any]]) -> None:
    """Each (top, left, pixels) lies there, and around them is nothing but ground."""
    left_over = np.ones(picture.shape[:2], bool)
    for top, left, pixels in parts:
        where = np.s_[top : top + pixels.shape[0], left : left + pixels.shape[1]]
        assert np.array_equal(picture[where], pixels), (top, left)
        left_over[where] = False
    assert (picture[left_over] == GROUND).all()


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("height", [9, 5])
def test_of_two_sides_the_underside_lies_beside_the_top(rotate: bool, height: int) -> None:
    puzzle = jigsaw(sides=2, height=height, rotate=rotate, rows=2, cols=3)
    turns = np.random.default_rng(0).choice(puzzle.turns, (2, 3))
    placement = Placement(TRUTH.pieces, tuple(map(tuple, turns.tolist())))
    margin = 4 if height == 9 else 2
    picture = seen(puzzle, placement)
    assert picture.shape == (2 * height + 2 * margin, 2 * 27 + 3 * margin, 3)
    underside = assembled(puzzle, placement, underneath=True)
    parts_on_the_table(picture, (margin, margin, assembled(puzzle, placement)), (margin, 27 + 2 * margin, underside))


def test_loose_pieces_with_two_sides_show_fronts_above_backs() -> None:
    puzzle = jigsaw(sides=2, rows=2, cols=3)
    parts = [
        (4 + side * (2 * 9 + 1 + 4) + piece // 3 * 10, 4 + piece % 3 * 10, puzzle.faces[piece, side])
        for piece in range(6)
        for side in range(2)
    ]
    picture = seen(puzzle, None)
    assert picture.shape == (2 * (2 * 9 + 1) + 3 * 4, 3 * 9 + 2 + 2 * 4, 3)
    parts_on_the_table(picture, *parts)


@pytest.mark.parametrize("foreign", [False, True])
def test_what_is_not_laid_lies_below(foreign: bool) -> None:
    puzzle = jigsaw(rows=1, cols=2, foreign=True) if foreign else jigsaw()
    board = Placement(((4, 1),), ((0, 0),))
    loose = [
        (4 + 9 + 4 + number // 3 * 10, 4 + number % 3 * 10, puzzle.array[p]) for number, p in enumerate((0, 2, 3, 5))
    ]
    parts_on_the_table(seen(puzzle, board), (4, 4, assembled(puzzle, board)), *loose)


def test_both_sides_of_what_is_not_laid_lie_below() -> None:
    puzzle = jigsaw(sides=2, foreign=True)
    board = Placement(((4, 1, 0), (2, 3, EMPTY)), ((0, 4, 0), (4, 0, 0)))
    picture = seen(puzzle, board)
    loose = [(4 + 18 + 4, 4 + side * (9 + 4), puzzle.faces[5, side]) for side in range(2)]
    for top, left, face in loose:
        assert np.array_equal(picture[top : top + 9, left : left + 9], face)
    hole, behind = picture[13:22, 22:31], picture[13:22, 35:44]  # at the right of the top, at the left from behind
    assert {tuple(pixel) for part in (hole, behind) for pixel in part.reshape(-1, 3).tolist()} == {HOLE, HATCH}


def test_several_pictures_lie_apart() -> None:
    puzzle = jigsaw(mixed=True)
    board = Placement(((EMPTY, 0, EMPTY, EMPTY, 3, EMPTY), (EMPTY, 1, EMPTY, EMPTY, 2, 4), (EMPTY, 5) + (EMPTY,) * 4),
                      ((0,) * 6,) * 3)  # fmt: skip
    picture = seen(puzzle, board)
    assert picture.shape == (3 * 9 + 2 * 4, 3 * 9 + 3 * 4, 3)
    tall = assembled(puzzle, Placement(((0,), (1,), (5,)), ((0,),) * 3))
    wide = assembled(puzzle, Placement(((3, EMPTY), (2, 4)), ((0, 0),) * 2))
    hole = picture[4:13, 4 + 9 + 4 + 9 : 4 + 9 + 4 + 18]
    assert {tuple(pixel) for pixel in hole.reshape(-1, 3).tolist()} == {HOLE, HATCH}, "only inside a picture"
    wide[:9, 9:] = hole
    parts_on_the_table(picture, (4, 4, tall), (4, 4 + 9 + 4, wide))


def test_a_picture_that_was_cut_is_drawn_again() -> None:
    puzzle, truth = make(Making(image="chelsea", back="coffee", piece="56", rotate=True), seed=8)
    front, back = built_in("chelsea")[:280, :448], built_in("coffee")[:280, :448]
    parts_on_the_table(seen(puzzle, truth), (28, 28, front), (28, 28 + 448 + 28, back))


def test_svg_holds_the_png() -> None:
    drawing = draw_jigsaw(jigsaw(rows=2, cols=3), TRUTH)
    root = xml.etree.ElementTree.fromstring(drawing.svg())
    assert (root.get("viewBox"), root.get("width"), root.get("height")) == ("0 0 27 18", "27", "18")
    (image,) = root
    kind, _, data = (image.get("href") or "").partition(",")
    assert kind == "data:image/png;base64"
    assert base64.b64decode(data) == drawing.png()
    assert drawing.svg() == draw_jigsaw(jigsaw(rows=2, cols=3), TRUTH).svg()


def test_saved_by_name() -> None:
    drawing = draw_jigsaw(jigsaw(), None)
    drawing.save("pieces.png")
    drawing.save(Path("pieces.svg"))
    assert Path("pieces.png").read_bytes() == drawing.png()
    assert Path("pieces.svg").read_bytes() == drawing.svg()
    with pytest.raises(BadUsage, match="a picture is written as"):
        drawing.save("pieces.tif")


def test_what_cannot_be_drawn_is_refused() -> None:
    for solution, why in (
        (Placement(((0, 0, 1), (2, 3, 4)), TRUTH.turns), "row 1, column 2: piece 0 already lies at row 1, column 1"),
        (Placement(((10**30,) * 3,) * 2, TRUTH.turns), "row 1, column 1: there is no piece 1000"),
        (Placement(((0, 1),), ((0, 0),)), "the solution's board is 1x2, the frame 2x3"),
    ):
        with pytest.raises(BadInput, match=f"^cannot draw this solution: {why}"):
            draw_jigsaw(jigsaw(rows=2, cols=3), solution)
    with pytest.raises(BadInput, match="it lays no piece"):
        draw_jigsaw(jigsaw(), Placement((), ()))
    with pytest.raises(BadInput, match="a jigsaw solution is a placement, not moves"):
        draw_jigsaw(jigsaw(), Moves(()))


def test_a_picture_of_nothing_but_holes_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw, "MOST_PIXELS", 6 * 81)
    far = Placement(((0, 1, 2, 3, 4, 5, EMPTY),), ((0,) * 7,))
    assert seen(jigsaw(), far).shape == (9, 54, 3)
    with pytest.raises(BadInput, match="a picture of 63x9 pixels is too large"):
        draw_jigsaw(jigsaw(rows=1, cols=7), far)
    with pytest.raises(BadInput, match="a picture of 54x9 pixels is too large"):
        draw_jigsaw(jigsaw(sides=2), far)
