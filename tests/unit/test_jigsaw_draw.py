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
from dovetail.jigsaw.draw import GROUND, HATCH, HOLE, draw_jigsaw
from dovetail.jigsaw.puzzle import Jigsaw

MODES = {(1, 8): "L", (2, 8): "LA", (3, 8): "RGB", (4, 8): "RGBA", (1, 16): "I;16"}
TRUTH = Placement(((3, 0, 5), (1, 4, 2)), ((0,) * 3,) * 2)


def jigsaw(channels: int = 3, depth: int = 8, rotate: bool = False, height: int = 9, **frame: int) -> Jigsaw:
    """Six pieces of noise, 9 pixels wide."""
    noise = np.random.default_rng(channels).integers(0, 2**depth, (6, height, 9, channels))
    pixels = noise.astype("u1" if depth == 8 else "<u2").tobytes()
    return Jigsaw(height, 9, channels, depth, pixels, **frame, rotate=rotate)


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
    puzzle = jigsaw(channels, depth, rotate=True, rows=2, cols=3)
    image = opened(puzzle, Placement(((3, EMPTY, 5), (EMPTY, 4, 2)), ((0, 10**40, 0), (3, 0, 0))))
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
