"""Pictures of pieces as people have them: every sort that Pillow opens, or one sentence that says what is wrong."""

import io
import json
import re
import struct
import subprocess
import sys
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image, PngImagePlugin

from dovetail.core.errors import BadInput, BadUsage, DovetailError
from dovetail.core.source import Source
from dovetail.jigsaw import folder, images
from dovetail.jigsaw.cutting import listed
from dovetail.jigsaw.formats import FORMATS, PNG, ZIP
from dovetail.jigsaw.images import Pixels, enriched, open_picture, png_bytes
from dovetail.jigsaw.puzzle import Jigsaw, JigsawKind, Reading

NOISE = np.random.default_rng(3).integers(0, 256, (24, 36, 4), np.uint8)
DEEP = np.random.default_rng(4).integers(0, 65536, (24, 36), np.uint16)
RGB = Image.fromarray(np.ascontiguousarray(NOISE[:, :, :3]))


def saved(image: Image.Image, form: str, **options: Any) -> bytes:
    packed = io.BytesIO()
    image.save(packed, form, **options)
    return packed.getvalue()


def assert_refused(call: Callable[[], object], says: str, error: type[DovetailError] = BadInput) -> None:
    with warnings.catch_warnings(record=True) as leaked:
        warnings.simplefilter("always")
        with pytest.raises(error) as caught:
            call()
    sentence = str(caught.value)
    assert says in sentence, sentence
    assert "\n" not in sentence and len(sentence) < 400
    assert not leaked


def picture(image: Image.Image, form: str = "PNG", **options: Any) -> Pixels:
    return open_picture(saved(image, form, **options), "a picture").pixels


# pictures


def test_8_bit_pictures_are_read_as_they_are() -> None:
    assert np.array_equal(picture(RGB), NOISE[:, :, :3])
    assert np.array_equal(picture(Image.fromarray(NOISE)), NOISE)
    assert np.array_equal(picture(Image.fromarray(NOISE[:, :, 0])), NOISE[:, :, :1])
    assert np.array_equal(picture(Image.fromarray(NOISE[:, :, :2])), NOISE[:, :, :2])
    for form in ("BMP", "PPM", "TGA", "TIFF", "QOI"):
        assert np.array_equal(picture(RGB, form), NOISE[:, :, :3]), form
    assert np.array_equal(picture(RGB, "WEBP", lossless=True), NOISE[:, :, :3])


def test_grey_that_is_stored_as_colour_stays_colour() -> None:
    assert picture(RGB.convert("L").convert("RGB")).shape == (24, 36, 3)


def test_an_alpha_channel_that_shows_nothing_is_dropped() -> None:
    opaque = NOISE.copy()
    opaque[:, :, 3] = 255
    assert np.array_equal(picture(Image.fromarray(opaque)), opaque[:, :, :3])
    opaque[5, 5, 3] = 254
    assert np.array_equal(picture(Image.fromarray(opaque)), opaque)
    assert picture(RGB.convert("L").convert("LA")).shape == (24, 36, 1)


def test_palettes_and_single_bits() -> None:
    few = RGB.quantize(16)
    assert np.array_equal(picture(few), np.asarray(few.convert("RGB")))
    keyed = picture(few, transparency=few.getpixel((0, 0)))
    assert keyed.shape[2] == 4 and keyed[0, 0, 3] == 0
    assert set(np.unique(picture(RGB.convert("1")))) == {0, 255}
    assert picture(few, "GIF").shape[2] == 3


def test_a_colour_that_counts_as_transparent_becomes_alpha() -> None:
    red, green, blue = (int(value) for value in NOISE[2, 3, :3])
    keyed = picture(RGB, transparency=(red, green, blue))
    assert keyed.shape[2] == 4 and keyed[2, 3, 3] == 0 and keyed[:, :, 3].max() == 255
    assert picture(RGB.convert("1"), transparency=0).shape[2] == 2


def test_other_colour_spaces_become_rgb() -> None:
    flat = Image.new("RGB", (20, 20), (200, 60, 30))
    for mode, form in (("CMYK", "JPEG"), ("CMYK", "TIFF"), ("YCbCr", "TIFF"), ("YCbCr", "JPEG"), ("RGBX", "TIFF")):
        found = picture(flat.convert(mode), form)
        assert found.shape == (20, 20, 3)
        assert np.abs(found.astype(int) - (200, 60, 30)).max() <= 4, (mode, form)
    lab = picture(Image.new("LAB", (20, 20), (128, 128, 128)), "TIFF")  # half as light as white, no colour
    assert lab.shape == (20, 20, 3) and np.ptp(lab[0, 0].astype(int)) <= 2 and 100 < lab[0, 0, 0] < 140


def test_16_bit_grey_keeps_its_bits() -> None:
    for form in ("PNG", "TIFF", "PPM"):
        found = picture(Image.fromarray(DEEP), form)
        assert found.dtype == np.uint16
        assert np.array_equal(found[:, :, 0], DEEP), form
    big_endian = b"P5 36 24 65535\n" + DEEP.astype(">u2").tobytes()
    assert np.array_equal(open_picture(big_endian, "x").pixels[:, :, 0], DEEP)
    whole = picture(Image.fromarray(DEEP.astype(np.int32)), "TIFF")  # 32 bits that hold no more than 16
    assert whole.dtype == np.uint16 and np.array_equal(whole[:, :, 0], DEEP)
    for wrong in (-1, 65536):
        image = Image.fromarray(np.full((4, 4), wrong, np.int32))
        assert_refused(lambda image=image: picture(image, "TIFF"), "not all between 0 and 65535")  # type: ignore[misc]


def test_fractions() -> None:
    def read(*values: float) -> Pixels:
        return picture(Image.fromarray(np.array([values], np.float32)), "TIFF")

    assert read(0, 0.5, 1).ravel().tolist() == [0, 32768, 65535]
    assert read(0, 99.6, 255).ravel().tolist() == [0, 100, 255] and read(0, 99.6, 255).dtype == np.uint8
    assert read(0, 256, 65535).ravel().tolist() == [0, 256, 65535]
    for wrong in (np.nan, np.inf, -1.0, 70000.0):
        assert_refused(lambda wrong=wrong: read(0, wrong), "not all between 0 and 65535")  # type: ignore[misc]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_stand_upright(orientation: int) -> None:
    """The camera's note how it was held is obeyed."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    sideways = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}  # the transposition that undoes each
    stored = RGB if orientation == 1 else RGB.transpose(Image.Transpose(sideways[orientation]))
    assert np.array_equal(picture(stored, exif=exif), NOISE[:, :, :3])


def test_of_an_animation_the_first_frame_is_read() -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    found = picture(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert np.array_equal(found[0, 0], (255, 0, 0))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "PPM", "TGA", "JPEG2000", "QOI"])
def test_truncated_files_are_refused(form: str) -> None:
    whole = saved(RGB, form)
    open_picture(whole, "whole")
    for share in (0.4, 0.7, 0.9):
        cut = whole[: int(len(whole) * share)]
        assert_refused(lambda cut=cut: open_picture(cut, "cut.bin"), "cannot read cut.bin: it is")  # type: ignore[misc]


def test_a_png_is_held_against_its_check_sums() -> None:
    whole = saved(RGB, "PNG")
    assert_refused(lambda: open_picture(whole[:-200], "a.png"), "cannot read a.png: it is a truncated PNG file")
    assert_refused(lambda: open_picture(whole[:-20], "a.png"), "cannot read a.png: it is a damaged PNG file")
    for place in range(len(whole) - 60, len(whole) - 12, 7):  # Pillow alone would show other pixels
        garbled = bytearray(whole)
        garbled[place] ^= 0x55
        assert_refused(lambda garbled=garbled: open_picture(bytes(garbled), "a.png"), "a damaged PNG")  # type: ignore[misc]


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def huge_png(width: int, height: int) -> bytes:
    """A few bytes that announce a very large picture."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


def test_decompression_bombs_are_refused_from_their_header() -> None:
    assert_refused(
        lambda: open_picture(huge_png(60000, 60000), "b.png"), "b.png: a picture may have at most 178,956,97"
    )
    # above Pillow's warning and below our limit: looked at, and found to be cut short
    assert_refused(lambda: open_picture(huge_png(12000, 10000), "c.png"), "c.png: it is a truncated PNG file")
    assert PNG.detect(Source("b.png", huge_png(60000, 60000)))


def test_the_limit_is_ours_even_where_pillow_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    assert_refused(lambda: open_picture(huge_png(60000, 60000), "b.png"), "at most 178,956,970 pixels")


def test_no_other_program_is_started_to_read_a_picture() -> None:
    postscript = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 20 20\n%%EndComments\nshowpage\n%%EOF\n"
    assert_refused(lambda: open_picture(postscript, "a.eps"), "no picture that can be read here")


def test_what_is_no_picture() -> None:
    for data in (b"", b"hello", bytes(range(256)) * 10, b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0"):
        assert_refused(lambda data=data: open_picture(data, "x"), "cannot read x: it is")  # type: ignore[misc]


def test_garbled_pictures_are_read_or_refused() -> None:
    rng = np.random.default_rng(0)
    for form in ("PNG", "JPEG", "GIF", "TIFF", "WEBP", "BMP"):
        whole = np.frombuffer(saved(RGB, form), np.uint8)
        for _ in range(60):
            garbled = whole.copy()
            garbled[rng.integers(len(whole), size=4)] = rng.integers(256, size=4)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    assert open_picture(garbled.tobytes(), "x").pixels.ndim == 3
                except BadInput as error:
                    assert str(error).startswith("cannot read x: ")


def deep_colour(channels: int) -> Pixels:
    pixels = np.random.default_rng(channels).integers(0, 65536, (5, 7, channels), np.uint16)
    pixels[0, 0, -1] = 3  # an alpha channel that hides something
    return pixels


def test_16_bit_colour_in_a_png_keeps_its_bits() -> None:
    for channels in (2, 3, 4):
        deep = deep_colour(channels)
        packed = png_bytes(deep, {"a": "b"})
        found = open_picture(packed, "x")
        assert found.pixels.dtype == np.uint16 and np.array_equal(found.pixels, deep), channels
        assert found.text == {"a": "b"}
        shown = np.asarray(Image.open(io.BytesIO(packed)))  # what everybody else sees
        assert np.array_equal(shown[..., -1], deep[..., -1] >> 8)
    opaque = deep_colour(4)
    opaque[..., 3] = 65535
    assert np.array_equal(open_picture(png_bytes(opaque, {}), "x").pixels, opaque[..., :3])


def test_16_bit_colour_that_is_interlaced_turned_or_partly_transparent() -> None:
    deep = deep_colour(3)
    assert np.array_equal(open_picture(png_of(interlaced(deep), interlace=1), "x").pixels, deep)
    lines = b"".join(b"\0" + line.astype(">u2").tobytes() for line in deep)
    orientation = Image.Exif()
    orientation[0x0112] = 6  # lies on its left side
    turned = open_picture(png_of(lines, (b"eXIf", orientation.tobytes()[6:])), "x").pixels
    assert np.array_equal(turned, np.rot90(deep, -1))
    one = deep[2, 3].astype(">u2").tobytes()  # a colour that stands for nothing: Pillow knows how, in eight bits
    clear = open_picture(png_of(lines, (b"tRNS", one)), "x").pixels
    assert clear.dtype == np.uint8 and np.array_equal(clear[..., :3], deep >> 8)


def interlaced(pixels: Pixels) -> bytes:
    """The seven passes of a PNG, without filters."""
    passes = ((0, 8, 0, 8), (0, 8, 4, 8), (4, 8, 0, 4), (0, 4, 2, 4), (2, 4, 0, 2), (0, 2, 1, 2), (1, 2, 0, 1))
    parts = [pixels[top::down, left::across] for top, down, left, across in passes]
    return b"".join(b"\0" + line.astype(">u2").tobytes() for part in parts if part.size for line in part)


def png_of(lines: bytes, *chunks: tuple[bytes, bytes], interlace: int = 0) -> bytes:
    """A PNG of 7x5 pixels of 16-bit RGB."""
    head = struct.pack(">IIBBBBB", 7, 5, 16, 2, 0, 0, interlace)
    every = ((b"IHDR", head), *chunks, (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    packed = [struct.pack(">I", len(what)) + name + what for name, what in every]
    sums = [struct.pack(">I", zlib.crc32(chunk[4:])) for chunk in packed]
    return b"\x89PNG\r\n\x1a\n" + b"".join(part for both in zip(packed, sums, strict=True) for part in both)


def test_richer_pixels_look_the_same() -> None:
    grey = np.array([[[7]]], np.uint8)
    assert enriched(grey, 4, 16).ravel().tolist() == [7 * 257] * 3 + [65535]
    assert enriched(grey, 2, 8).ravel().tolist() == [7, 255]
    assert enriched(np.array([[[7, 9]]], np.uint8), 4, 8).ravel().tolist() == [7, 7, 7, 9]
    assert images.richest([1, 1]) == 1 and images.richest([2, 3]) == 4 and images.richest([1, 3]) == 3


# sheets


def noise(count: int, height: int = 6, width: int = 5, channels: int = 3) -> Pixels:
    return np.random.default_rng(count).integers(0, 256, (count, height, width, channels), np.uint8)


def laid(pieces: Pixels, cols: int, spacing: int = 0, margin: int = 0) -> Image.Image:
    """A sheet laid out piece by piece."""
    _, height, width, _ = pieces.shape
    rows = -(-len(pieces) // cols)
    size = (2 * margin + cols * (width + spacing) - spacing, 2 * margin + rows * (height + spacing) - spacing)
    sheet = Image.new("RGB", size, "white")
    for number, piece in enumerate(pieces):
        row, col = divmod(number, cols)
        sheet.paste(Image.fromarray(piece), (margin + col * (width + spacing), margin + row * (height + spacing)))
    return sheet


def read(data: bytes | Path, name: str = "x.png", **given: Any) -> Jigsaw:
    source = Source(name, data) if isinstance(data, bytes) else Source(str(data), folder=data)
    form = next(form for form in FORMATS if form.detect(source))
    (puzzle,) = form.read(source, Reading(**given))
    assert isinstance(puzzle, Jigsaw)
    return puzzle


def assert_not_read(data: bytes | Path, says: str, error: type[DovetailError] = BadInput, **given: Any) -> None:
    assert_refused(lambda: read(data, **given), says, error)


@st.composite
def jigsaws(draw: st.DrawFn) -> Jigsaw:
    depth, channels = draw(st.sampled_from([(8, 1), (8, 2), (8, 3), (8, 4), (16, 1), (16, 2), (16, 3), (16, 4)]))
    rows, cols = draw(st.integers(1, 4)), draw(st.integers(2, 4))
    count = draw(st.integers(2, rows * cols))
    shape = (count, draw(st.integers(1, 2)), draw(st.integers(2, 5)), draw(st.integers(2, 5)), channels)
    pieces = draw(arrays(np.uint8 if depth == 8 else np.uint16, shape))
    if draw(st.booleans()):  # opaque, so that a reader of strange files would drop the alpha
        pieces[..., -1] = np.iinfo(pieces.dtype).max
    rotate, foreign, mixed = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    frames = [None] if mixed else [None, (rows, cols), (1, 2)] if foreign else [None, (rows, cols)]
    return listed(pieces, draw(st.sampled_from(frames)), rotate, foreign=foreign, mixed=mixed)


@settings(deadline=None, max_examples=150)
@given(jigsaws())
def test_what_is_written_is_read_again(puzzle: Jigsaw) -> None:
    assert JigsawKind().decode(json.loads(json.dumps(puzzle.encode()))) == puzzle
    assert read(PNG.write(puzzle)) == puzzle
    packed = ZIP.write(puzzle)
    assert read(packed) == puzzle
    assert ZIP.write(read(packed)) == packed


def test_a_whole_puzzle_is_written_in_the_rows_of_its_frame() -> None:
    pieces = noise(6)
    assert np.array_equal(open_picture(PNG.write(listed(pieces, (2, 3))), "x").pixels, np.asarray(laid(pieces, 3)))
    for frame in (None, (2, 4)):  # 5 and 6 pixels a side, so that 3 columns are nearest to a square
        assert open_picture(PNG.write(listed(pieces, frame)), "x").size == "15x12"


def test_a_strange_picture_needs_the_size_of_its_pieces() -> None:
    pieces = noise(12)
    data = saved(laid(pieces, 4), "PNG")
    assert_not_read(data, "x.png: this picture of 20x18 pixels does not say how large its pieces are, and its cuts do "
                    "not show clearly; give their size with --set piece=28")  # fmt: skip
    assert read(data, piece="5x6") == listed(pieces, (3, 4))
    assert read(data, piece="5x6", rotate=True) == listed(pieces, (3, 4), rotate=True)
    assert read(data, piece="5x6", rows=2) == listed(pieces, (2, 6))
    assert read(data, piece="5x6", cols=2) == listed(pieces, (6, 2))
    assert read(data, piece="5x6", rows=5, cols=3) == listed(pieces, (5, 3))
    assert read(data, piece="5x6", pieces=12) == listed(pieces, (3, 4))
    assert read(data, piece="5x6", pieces=11) == listed(pieces[:11])
    assert read(data, piece="5x6", pieces=11, rows=3, cols=4) == listed(pieces[:11], (3, 4))
    assert read(data, piece="2").count == 90
    assert read(saved(laid(pieces, 4), "BMP"), piece="5x6") == listed(pieces, (3, 4))


def test_a_strange_picture_and_settings_that_do_not_fit() -> None:
    data = saved(laid(noise(12), 4), "PNG")
    assert_not_read(data, "x.png: its height of 18 pixels is no whole number of pieces of 5 pixels: 3 pixels are left",
                    piece="5")  # fmt: skip
    assert_not_read(data, "its width of 20 pixels is no whole number of pieces of 6 pixels: 2 pixels", piece="6")
    assert_not_read(data, "width of 20 pixels is no whole number of pieces of 21 pixels: not even one", piece="21x6")
    assert_not_read(data, "6 pixels 2 apart inside a margin of 1", piece="5x6", spacing=2, margin=1)
    assert_not_read(data, "not even one fits", piece="5x6", margin=300)
    assert_not_read(data, "a 2x2 frame holds 4 pieces, but 12 are given", piece="5x6", rows=2, cols=2)
    assert_not_read(data, "12 pieces do not fill a frame of 5 rows", BadUsage, piece="5x6", rows=5)
    assert_not_read(data, "has room for 12 pieces of 5x6 pixels, not for 13", BadUsage, piece="5x6", pieces=13)
    for wrong in ("", "0", "1", "5x", "x5", "5,6", "5x6x7", "4097", "-5", "5.5", "９", "a" * 1000):
        assert_refused(lambda wrong=wrong: read(data, piece=wrong), "piece is 28 or WIDTHxHEIGHT", BadUsage)  # type: ignore[misc]


def two_sided(count: int) -> Pixels:
    """[count, side, height, width, channels]"""
    return np.stack([noise(count), noise(count + 100)[:count]], axis=1)


def test_backs_lie_below_their_fronts() -> None:
    pieces = two_sided(6)
    sheet = Image.new("RGB", (15, 24))
    sheet.paste(laid(pieces[:, 0], 3), (0, 0))
    sheet.paste(laid(pieces[:, 1], 3), (0, 12))
    whole = listed(pieces, (2, 3))
    assert np.array_equal(open_picture(PNG.write(whole), "x").pixels, np.asarray(sheet))
    data = saved(sheet, "PNG")
    assert read(data, piece="5x6", sides=2) == whole
    assert read(data, piece="5x6", sides=2, rotate=True, cols=2) == listed(pieces, (3, 2), rotate=True)
    assert read(data, piece="5x6", sides=2, pieces=5) == listed(pieces[:5])
    assert read(data, piece="5x6", sides=1).count == 12
    assert_not_read(data, "x.png has room for 6 pieces of 5x6 pixels, not for 7", BadUsage,
                    piece="5x6", sides=2, pieces=7)  # fmt: skip
    odd = saved(sheet.crop((0, 0, 15, 18)), "PNG")
    assert_not_read(odd, "x.png has 3 rows of pieces, and with two sides half of the rows are backs", BadUsage,
                    piece="5x6", sides=2)  # fmt: skip


def test_a_strange_picture_may_hold_foreign_pieces_or_several_pictures() -> None:
    pieces = noise(12)
    data, packed = saved(laid(pieces, 4), "PNG"), in_zip(piece_files(pieces))
    assert read(data, piece="5x6", foreign=False, mixed=False) == listed(pieces, (3, 4))
    for given_, from_sheet in ((packed, {}), (data, {"piece": "5x6"})):
        assert read(given_, foreign=True, **from_sheet) == listed(pieces, foreign=True)
        assert read(given_, mixed=True, **from_sheet) == listed(pieces, mixed=True)
        assert read(given_, foreign=True, rows=2, cols=5, **from_sheet) == listed(pieces, (2, 5), foreign=True)
        both = read(given_, foreign=True, mixed=True, rotate=True, **from_sheet)
        assert both == listed(pieces, rotate=True, foreign=True, mixed=True)
        assert_not_read(given_, "rows and cols cannot be set where there may be several pictures", BadUsage,
                        mixed=True, rows=3, cols=4, **from_sheet)  # fmt: skip
        assert_not_read(given_, "their number does not tell the frame; set both rows and cols", BadUsage,
                        foreign=True, rows=3, **from_sheet)  # fmt: skip


def test_settings_that_contradict_the_sort_of_a_puzzle_of_ours_are_refused() -> None:
    usual, odd = listed(noise(6), (2, 3)), listed(two_sided(6), rotate=True, foreign=True, mixed=True)
    plain: dict[str, Any] = {"sides": 1, "foreign": False, "mixed": False}
    rich: dict[str, Any] = {"sides": 2, "foreign": True, "mixed": True}
    for puzzle, right, wrong in ((usual, plain, rich), (odd, rich, plain)):
        for data in (PNG.write(puzzle), ZIP.write(puzzle)):
            assert read(data, **right) == puzzle
            for key, value in wrong.items():
                said, is_ = str(value).lower(), str(right[key]).lower()
                assert_not_read(data, f"{key} cannot be set to {said}: in x.png it is {is_}", BadUsage, **{key: value})
    for data in (PNG.write(odd), ZIP.write(odd)):
        assert_not_read(data, "rows and cols cannot be set where there may be several pictures", BadUsage, rows=2)
    strangers = listed(noise(6), foreign=True)
    for data in (PNG.write(strangers), ZIP.write(strangers)):
        assert read(data, rows=2, cols=2) == listed(noise(6), (2, 2), foreign=True)
        assert_not_read(data, "their number does not tell the frame", BadUsage, cols=2)


@pytest.mark.parametrize(("spacing", "margin"), [(0, 0), (3, 0), (0, 2), (1, 7)])
def test_piece_sheets_with_spaces(spacing: int, margin: int) -> None:
    pieces = noise(10)
    data = saved(laid(pieces, 4, spacing, margin), "PNG")
    found = read(data, piece="5x6", spacing=spacing, margin=margin, pieces=10)
    assert found == listed(pieces)


def test_settings_that_contradict_a_picture_of_ours_are_refused() -> None:
    puzzle = listed(noise(6), (2, 3))
    data = PNG.write(puzzle)
    right: dict[str, Any] = {
        "piece": "5x6",
        "rows": 2,
        "cols": 3,
        "rotate": False,
        "spacing": 0,
        "margin": 0,
        "pieces": 6,
    }
    assert read(data, **right) == puzzle
    wrong = {"piece": "6", "rows": 3, "cols": 2, "rotate": True, "spacing": 1, "margin": 1, "pieces": 5}
    for key, value in wrong.items():
        assert_not_read(data, f"{key} cannot be set to ", BadUsage, **{key: value})
    assert_not_read(data, "piece cannot be set to 6x6: in x.png it is 5x6", BadUsage, piece="6")
    assert_not_read(data, "rotate cannot be set to true: in x.png it is false", BadUsage, rotate=True)


def test_what_a_picture_of_ours_does_not_say_may_be_set() -> None:
    pieces = noise(6)
    for data in (PNG.write(listed(pieces)), ZIP.write(listed(pieces))):
        assert read(data) == listed(pieces)
        assert read(data, rows=2) == listed(pieces, (2, 3))
        assert read(data, rows=3, cols=3) == listed(pieces, (3, 3))
    for data in (PNG.write(listed(pieces, (7, 1))), ZIP.write(listed(pieces, (7, 1)))):
        assert read(data, rows=7) == listed(pieces, (7, 1))


def test_metadata_that_no_longer_fit_are_noticed() -> None:
    pieces = noise(6)
    with Image.open(io.BytesIO(PNG.write(listed(pieces, (2, 3))))) as image:
        note = image.info["dovetail"]

    def noted(image: Image.Image, text: str = note) -> bytes:
        info = PngImagePlugin.PngInfo()
        info.add_text("dovetail", text)
        return saved(image, "PNG", pnginfo=info)

    sheet = laid(pieces, 3)
    assert read(noted(sheet)) == listed(pieces, (2, 3))
    assert read(noted(sheet.convert("RGBA"))) == listed(pieces, (2, 3))
    changed = "x.png: the picture was changed since its metadata were written: "
    assert_not_read(noted(sheet.crop((0, 0, 15, 11))), changed + "they tell of 6 pieces of 5x6 pixels in 3 columns, it "
                    "is 15x11; saved without metadata")  # fmt: skip
    assert_not_read(noted(sheet.resize((30, 24))), changed)
    assert_not_read(noted(sheet.convert("L")), changed + "it is grey of 8 bits now")
    for data, says in (
        ("{", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("7", "does not tell of a jigsaw"),
        ('{"kind":"tiles"}', "does not tell of a jigsaw"),
    ):
        assert_not_read(noted(sheet, data), f"x.png: the 'dovetail' text in its metadata {says}")
    for key, value, says in (
        ("piece", [5], "how large the pieces are"),
        ("piece", [0, 5], "how large the pieces are"),
        ("count", "6", "how large the pieces are"),
        ("count", 10**400, "how large the pieces are"),
        ("columns", None, "how many columns"),
        ("columns", 0, "how many columns"),
        ("columns", 10**400, "how many columns"),
        ("channels", [3], "changed since"),
        ("depth", 16, "changed since"),
        ("frame", [2, 2], "a 2x2 frame holds 4 pieces, but 6 are given"),
        ("frame", 7, "'frame' is a list of two whole numbers"),
        ("rotate", "no", "'rotate' is true or false"),
        ("mixed", 1, "'mixed' is true or false"),
        ("foreign", None, "'foreign' is true or false"),
        ("mixed", True, "of several pictures in one bag no frame is known"),
        ("sides", 3, "the 'dovetail' text in its metadata does not say 1 or 2 sides"),
        ("sides", True, "does not say 1 or 2 sides"),
        ("sides", 2, "6 pieces of 5x6 pixels in 3 columns, backs below, it is 15x12"),
    ):
        text = json.dumps({**json.loads(note), key: value})
        assert_not_read(noted(sheet, text), says)


# folders and archives


def in_zip(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def piece_files(pieces: Pixels) -> dict[str, bytes]:
    return {f"p{number}.png": png_bytes(piece, {}) for number, piece in enumerate(pieces, start=1)}


def test_pieces_come_in_the_order_of_their_names_and_numbers() -> None:
    pieces = noise(12)
    files = piece_files(pieces)
    assert read(in_zip(dict(sorted(files.items())))) == listed(pieces)
    for name, data in files.items():
        Path(name).write_bytes(data)
    assert read(Path()) == listed(pieces)
    assert read(Path(), rows=3, cols=4, rotate=True) == listed(pieces, (3, 4), rotate=True)
    assert read(Path(), cols=4, piece="5x6", pieces=12) == listed(pieces, (3, 4))
    long = {f"a{'0' * 5000}2.png": files["p1.png"], f"a{'9' * 5000}.png": files["p2.png"]}
    assert read(in_zip(long)) == listed(pieces[:2])


def test_fronts_and_backs_are_found_by_their_names() -> None:
    pieces = two_sided(11)
    numbers = range(1, 12)
    with zipfile.ZipFile(io.BytesIO(ZIP.write(listed(pieces)))) as archive:
        assert archive.namelist()[:4] == [
            "dovetail.json", "piece-0001-front.png", "piece-0001-back.png", "piece-0002-front.png"
        ]  # fmt: skip
    for front, back in (("{}-front.png", "{}-back.png"), ("p{} Front.PNG", "p{} Back.PNG"), ("{}front", "{}_back")):
        files = {}
        for number, (one, other) in zip(numbers, pieces, strict=True):
            files[back.format(number)] = png_bytes(other, {})
            files[front.format(number)] = png_bytes(one, {})
        assert read(in_zip(files), sides=2) == listed(pieces)
        assert read(in_zip(files)).count == 22, "nobody says that it is more than names"
    long = {name.replace("p", "a" * 300): data for name, data in files.items()}
    assert read(in_zip(long), sides=2, pieces=11) == listed(pieces)
    assert_not_read(in_zip(files), "pieces cannot be set to 22: in x.png it is 11", BadUsage, sides=2, pieces=22)


def test_fronts_and_backs_that_do_not_go_together() -> None:
    one, other = (png_bytes(face, {}) for face in two_sided(1)[0])
    pair = {"1-front.png": one, "1-back.png": other}
    for files, says in (
        ({"2-front.png": one}, "x.png: 2-front.png is the front of a piece that has no back"),
        ({"2-back.png": one}, "x.png: 2-back.png is the back of a piece that has no front"),
        ({"2.png": one}, "x.png: 2.png is not named as a front or back of two-sided pieces, like 1-front.png"),
        ({"1_front.png": one}, "x.png: 1-front.png and 1_front.png are both the front of one piece"),
        ({"2-front.png": png_bytes(noise(1, 7)[0], {}), "2-back.png": other}, "2-front.png is 5x7 pixels, the other"),
    ):
        assert_not_read(in_zip({**pair, **files}), says, sides=2)


def test_what_systems_leave_behind_is_skipped_and_anything_else_named() -> None:
    pieces = noise(2)
    files = piece_files(pieces)
    litter = {".DS_Store": b"x", "Thumbs.db": b"x", "__MACOSX/p1.png": b"x", "pieces/._p1.png": b"x", "pieces/": b""}
    assert read(in_zip({**{f"pieces/{name}": data for name, data in files.items()}, **litter})) == listed(pieces)
    assert_not_read(in_zip({**files, "read me.txt": b"hello"}), "cannot read x.png, read me.txt: it is no picture")
    for name, data in {**files, ".DS_Store": b"x", "Thumbs.db": b"x"}.items():
        Path(name).write_bytes(data)
    assert read(Path()) == listed(pieces)
    Path("more").mkdir()
    assert_not_read(Path(), "more is not a file")
    Path("more").rmdir()
    Path("p2\n.png").write_bytes(b"hello")
    assert_not_read(Path(), "p2\\n.png: it is no picture")


def test_the_odd_one_out_is_named() -> None:
    pieces = noise(4)
    files = {**piece_files(pieces), "p2.png": png_bytes(noise(1, 7, 5)[0], {})}
    assert_not_read(in_zip(files), "x.png: p2.png is 5x7 pixels, the other pieces are 5x6")
    files = {**piece_files(pieces), "p1.png": png_bytes(noise(1, 7, 5)[0], {})}
    assert_not_read(in_zip(files), "p1.png is 5x7 pixels, the other pieces are 5x6")
    files["p1.png"] = piece_files(pieces)["p1.png"][:-30]
    assert_not_read(in_zip(files), "cannot read x.png, p1.png: it is a truncated PNG file")


def test_mixed_pieces_are_brought_to_the_richest() -> None:
    grey, colour, clear = noise(1, channels=1), noise(1), noise(1, channels=4)
    found = read(in_zip(piece_files([*grey, *colour, *clear])))  # type: ignore[arg-type]
    assert found.channels == 4
    assert np.array_equal(found.array[0, :, :, 0], grey[0, :, :, 0]) and (found.array[0, :, :, 3] == 255).all()
    assert np.array_equal(found.array[2], clear[0])
    deep = read(in_zip(piece_files([*grey, *grey.astype(np.uint16)])))  # type: ignore[arg-type]
    assert deep.depth == 16 and np.array_equal(deep.array[0], grey[0].astype(np.uint16) * 257)


def test_settings_and_notes_that_contradict_a_folder() -> None:
    pieces = noise(6)
    data = ZIP.write(listed(pieces, (2, 3)))
    for key, value in {"piece": "6", "rows": 3, "rotate": True, "spacing": 1, "margin": 1, "pieces": 5}.items():
        assert_not_read(data, f"{key} cannot be set to ", BadUsage, **{key: value})
    for key, value in {"piece": "6", "spacing": 1, "margin": 1, "pieces": 5}.items():
        assert_not_read(in_zip(piece_files(pieces)), f"{key} cannot be set to ", BadUsage, **{key: value})
    header = {"kind": "jigsaw", **listed(pieces, (2, 3)).header()}
    for change, says in (
        ({"piece": [7, 7]}, "dovetail.json does not go with the pictures, which are 5x6 pixels of 8 bits, RGB"),
        ({"depth": 16}, "does not go with"),
        ({"channels": 1}, "does not go with"),
        ({"channels": [3]}, "does not go with"),
        ({"channels": 9}, "pieces have 1 to 4 channels"),
        ({"count": 7}, "7 pieces are announced, but there are 6"),
        ({"frame": [2, 2]}, "a 2x2 frame holds 4"),
        ({"kind": "sudoku"}, "dovetail.json does not tell of a jigsaw"),
        ({"sides": "2"}, "dovetail.json does not say 1 or 2 sides"),
        ({"sides": 2}, "p1.png is not named as a front or back"),
    ):
        note = json.dumps({**header, **change}).encode()
        assert_not_read(in_zip({**piece_files(pieces), "dovetail.json": note}), says)
    assert_not_read(in_zip({**piece_files(pieces), "dovetail.json": b"\xff{"}), "dovetail.json is not valid JSON")
    both = {**piece_files(pieces), "dovetail.json": b"{}", "a/dovetail.json": b"{}"}
    assert_not_read(in_zip(both), "6 files for pieces and 2 named dovetail.json")
    assert_not_read(in_zip({"dovetail.json": b"{}"}), "0 files for pieces")
    assert_not_read(in_zip({}), "0 files for pieces")


def test_zip_bombs_are_refused_before_they_are_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = in_zip({"p1.png": bytes(300 * 2**20)})
    assert len(bomb) < 2**20
    assert_not_read(bomb, "x.png, p1.png is larger than 256 MiB")
    monkeypatch.setattr(folder, "MOST_BYTES", 1000)
    assert_not_read(in_zip({f"p{n}.png": bytes(300) for n in range(4)}), "the files in x.png are larger than")
    monkeypatch.setattr(folder, "MOST_ENTRIES", 3)
    assert_not_read(in_zip({f"p{n}.png": b"" for n in range(4)}), "x.png holds more than 3 files")


def test_an_archive_that_lies_about_its_sizes_is_not_unpacked_further() -> None:
    size = 50 * 2**20
    packed = in_zip({"p1.png": bytes(size)})
    lying = packed.replace(struct.pack("<I", size), struct.pack("<I", 100))
    assert lying != packed
    assert_not_read(lying, "cannot read x.png, p1.png: it is damaged")


def test_a_folder_obeys_the_same_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, data in piece_files(noise(4)).items():
        Path(name).write_bytes(data)
    assert read(Path()).count == 4
    for limit, value, says in (
        ("MOST_ENTRIES", 3, "holds more than 3 files"),
        ("MOST_PIXELS", 100, "have more than 100 pixels together"),
        ("MOST_FILES", 3, "holds 4 files for pieces"),
        ("MOST_BYTES", 300, "are larger than"),
        ("MAX_BYTES", 100, "p1.png is larger than"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(folder, limit, value)
            assert_not_read(Path(), says)
    Path("p0.png").write_bytes(huge_png(60000, 60000))
    assert_not_read(Path(), "p0.png: a picture may have at most")


def test_archives_that_cannot_be_read() -> None:
    data = in_zip(piece_files(noise(3)))
    assert_not_read(data[:-30], "cannot read x.png: it is a truncated or damaged ZIP archive")
    assert_not_read(data.replace(b"PK\x01\x02", b"PK\x01\x03"), "damaged ZIP archive")
    encrypted = re.sub(rb"(PK\x01\x02.{4})\0", b"\\1\x01", data, count=1, flags=re.DOTALL)
    assert_not_read(encrypted, "x.png, p1.png: it is encrypted")
    assert_not_read(in_zip(piece_files(noise(3)), zipfile.ZIP_BZIP2), "p1.png: its compression is not read here")


def test_equal_puzzles_give_equal_archives_and_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    first = ZIP.write(listed(noise(3)))
    monkeypatch.setattr("time.time", lambda: 2e9)
    assert ZIP.write(listed(noise(3))) == first
    assert read(in_zip({f"../{name}": data for name, data in piece_files(noise(3)).items()})) == listed(noise(3))
    assert not [*Path().iterdir()] and not Path("../p1.png").exists()


# recognising


def test_pictures_are_recognised_by_their_content() -> None:
    for form in ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "AVIF", "PPM", "JPEG2000", "QOI", "ICO", "PCX", "SGI"):
        source = Source("thing", saved(RGB, form))
        assert PNG.detect(source) and not ZIP.detect(source), form
    assert PNG.detect(Source("thing", b"P3 2 1 255\n1 2 3 4 5 6\n"))


def test_a_picture_without_a_signature_is_recognised_by_its_name() -> None:
    bare = saved(RGB, "TGA")[:-26]  # without the footer that names the format
    assert PNG.detect(Source("a.tga", bare)) and PNG.detect(Source("a.TGA", bare))
    assert not PNG.detect(Source("a.csv", bare))
    assert not PNG.detect(Source("junk.csv", bytes(range(256)) * 10)), "Pillow takes this for TGA"


def test_other_things_are_not_recognised() -> None:
    for data in (b"", b"hello", b"\xff\xfe\x00", b"P5", b"PK", b"BM is a text", b"1,2,3\n", b'{"kind":"jigsaw"}'):
        source = Source("x", data)
        assert not PNG.detect(source) and not ZIP.detect(source), data


def test_folders_are_recognised_by_what_is_in_them() -> None:
    here = Source("here", folder=Path())
    assert not PNG.detect(here) and not ZIP.detect(here)
    Path("notes.txt").write_text("hello")
    Path(".hidden.png").write_bytes(saved(RGB, "PNG"))
    assert not ZIP.detect(here)
    assert_refused(lambda: PNG.read(here, Reading()), "here is a folder without pictures")
    Path("a.jpg").write_bytes(saved(RGB, "JPEG"))
    assert ZIP.detect(here) and not PNG.detect(here)
    assert not ZIP.detect(Source("gone", folder=Path("gone")))


def test_looking_at_text_loads_nothing_heavy() -> None:
    code = """
import sys
from dovetail.core.source import Source
from dovetail.jigsaw.puzzle import JigsawKind
kind = JigsawKind()
assert not any(f.detect(Source("x", b"1,2,3")) for f in kind.formats()) and kind.samples()
assert kind.formats()[0].detect(Source("x", b"\\x89PNG\\r\\n\\x1a\\n"))
assert not {"numpy", "PIL", "numba", "scipy", "skimage"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_pieces_of_fractions_are_refused() -> None:
    """Each file would be scaled by its own largest value."""
    for number, most in enumerate((1.0, 200.0)):
        Image.fromarray(np.linspace(0, most, 36, dtype=np.float32).reshape(6, 6)).save(f"{number}.tif")
    assert_not_read(Path(), "0.tif has fractions for grey values")
