"""Tiles of a shuffled picture of unknown size: found whatever their shape, margin and compression, or not claimed."""

import io

import numpy as np
import pytest
from PIL import Image

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.source import Source
from dovetail.jigsaw import detecting
from dovetail.jigsaw.cutting import built_in, cut
from dovetail.jigsaw.detecting import Axis
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.puzzle import Jigsaw, JigsawKind, Reading
from dovetail.jigsaw.sheet import read_sheet


def scrambled(pixels: Pixels, height: int, width: int, spacing: int = 0, margin: int = 0, ground: int = 255) -> Pixels:
    """Tiles in another order, what is left over at the right and below cut away; on ground, if they lie apart."""
    rows, cols = pixels.shape[0] // height, pixels.shape[1] // width
    tiles = cut(pixels, height, width)[np.random.default_rng(7).permutation(rows * cols)]
    sides = (number * (side + spacing) - spacing + 2 * margin for number, side in ((rows, height), (cols, width)))
    sheet = np.full((*sides, pixels.shape[2]), ground, pixels.dtype)
    for number, tile in enumerate(tiles):
        top, left = margin + number // cols * (height + spacing), margin + number % cols * (width + spacing)
        sheet[top : top + height, left : left + width] = tile
    return sheet


def saved(pixels: Pixels, form: str = "PNG", **how: int) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels[..., 0] if pixels.shape[2] == 1 else pixels).save(file, form, **how)
    return file.getvalue()


def as_jpeg(pixels: Pixels, quality: int) -> Pixels:
    return np.asarray(Image.open(io.BytesIO(saved(pixels, "JPEG", quality=quality))))


def read(data: bytes, **given: object) -> Jigsaw:
    (puzzle,) = read_sheet(Source("x.png", data), Reading(**given))  # type: ignore[arg-type]
    assert isinstance(puzzle, Jigsaw)
    return puzzle


@pytest.mark.parametrize(
    ("picture", "height", "width"),
    [("astronaut", 16, 16), ("chelsea", 28, 28), ("coffee", 33, 33), ("coffee", 64, 64), ("chelsea", 40, 16),
     ("astronaut", 20, 28), ("camera", 25, 60), ("astronaut", 8, 8), ("chelsea", 100, 150)],
)  # fmt: skip
@pytest.mark.parametrize("quality", [None, 75])
def test_tiles_are_found(picture: str, height: int, width: int, quality: int | None) -> None:
    sheet = scrambled(built_in(picture), height, width)
    if quality is not None and sheet.shape[2] == 3:
        sheet = as_jpeg(sheet, quality)
    tiles = detecting.found(sheet)
    assert tiles is not None
    assert tiles.sure
    assert tiles.down == Axis(0, height, 0, sheet.shape[0] // height)
    assert tiles.across == Axis(0, width, 0, sheet.shape[1] // width)


@pytest.mark.parametrize("picture", ["astronaut", "chelsea", "coffee", "rocket", "motorcycle", "retina", "moon"])
def test_an_uncut_picture_is_not_claimed_to_be_cut(picture: str) -> None:
    tiles = detecting.found(built_in(picture)[:500, :500])
    assert tiles is None or not tiles.sure


@pytest.mark.parametrize("quality", [None, 85])
@pytest.mark.parametrize(("spacing", "margin", "ground"), [(0, 10, 255), (4, 10, 255), (4, 0, 0), (6, 6, 128)])
def test_margins_and_spaces_are_found(spacing: int, margin: int, ground: int, quality: int | None) -> None:
    sheet = scrambled(built_in("chelsea"), 40, 30, spacing, margin, ground)
    tiles = detecting.found(sheet if quality is None else as_jpeg(sheet, quality))
    assert tiles is not None
    assert tiles.sure
    assert (tiles.down, tiles.across) == (Axis(margin, 40, spacing, 7), Axis(margin, 30, spacing, 15))


def test_what_belongs_to_no_tile_is_left_out_and_told() -> None:
    pixels = built_in("chelsea").copy()
    part = scrambled(pixels, 33, 45)
    pixels[: part.shape[0], : part.shape[1]] = part
    puzzle = read(saved(pixels[7:]))
    assert (puzzle.height, puzzle.width, puzzle.rows, puzzle.cols) == (33, 45, 8, 10)
    assert puzzle.found_out == (
        "cuts show 8 rows of 10 pieces of 45x33 pixels; left out: 26 pixels above, 3 pixels below, 1 pixel right",
    )


def test_a_shuffled_picture_is_read_without_being_told_its_tiles() -> None:
    sheet = scrambled(built_in("chelsea"), 30, 30)
    found, told = read(saved(sheet)), read(saved(sheet), piece="30")
    assert found == told
    assert found.digest == told.digest
    assert (found.rows, found.cols) == (10, 15)
    assert found.found_out == ("cuts show 10 rows of 15 pieces of 30x30 pixels",)
    assert JigsawKind().facts(found)["found_out"] == found.found_out[0]
    assert not told.found_out


def test_empty_places_at_the_end_of_a_sheet_are_no_pieces() -> None:
    sheet = scrambled(built_in("chelsea"), 50, 50, 5, 5)
    sheet[-55:-5, -110:] = 255
    puzzle = read(saved(sheet))
    assert (puzzle.count, puzzle.rows) == (52, None)
    assert read(saved(sheet), pieces=54).count == 54


def test_what_is_set_must_agree_with_what_shows() -> None:
    sheet = saved(scrambled(built_in("chelsea"), 50, 50, 5, 5))
    assert read(sheet, spacing=5, margin=5).count == 54
    with pytest.raises(BadUsage, match="spacing is 5 pixels by what this picture shows, not 4; to read it so"):
        read(sheet, spacing=4)


def test_guesses_are_named_where_it_is_not_sure() -> None:
    with pytest.raises(BadInput, match=r"does not say how large .* cuts do not show clearly \(at best 225x150 or"):
        read(saved(scrambled(built_in("chelsea"), 150, 225)))


def test_grey_deep_and_clear_pictures() -> None:
    grey = scrambled(built_in("camera"), 32, 32)
    deep = (grey.astype(np.uint16) * 257)[..., 0]
    file = io.BytesIO()
    Image.fromarray(deep).save(file, "PNG")
    assert read(file.getvalue()).count == 256
    clear = np.concatenate([np.repeat(grey, 3, axis=2), np.full_like(grey, 200)], axis=2)
    assert read(saved(clear)).count == 256
