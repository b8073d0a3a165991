"""What visitors can use up, and what they are told."""

import io
import zlib
from typing import Any

import pytest
from PIL import Image

from dovetail.core import registry
from dovetail.core.errors import BadUsage
from dovetail.web.channel import packed, received
from dovetail.web.guard import refuse_open
from dovetail.web.limits import Limits, pieces_of, pixels_of, refuse_paths
from dovetail.web.problems import LONGEST, Problem
from dovetail.web.requests import puzzles_of


def picture(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("1", (width, height)).save(file, "PNG")
    return file.getvalue()


def test_pixels_are_looked_up_not_decoded() -> None:
    assert pixels_of(picture(300, 200)) == 60_000 and pixels_of(b"no picture") == 0
    Limits(pixels=60_000).refuse_pixels(picture(300, 200))
    with pytest.raises(Problem, match="at most 59,999 pixels"):
        Limits(pixels=59_999).refuse_pixels(picture(300, 200))
    bomb = bytearray(picture(100, 100))
    bomb[16:24] = (60_000).to_bytes(4, "big") * 2  # the header lies; nobody may believe it and allocate
    bomb[29:33] = zlib.crc32(bomb[12:29]).to_bytes(4, "big")
    assert pixels_of(bytes(bomb)) > Limits().pixels


@pytest.mark.parametrize(("name", "pieces"), [("tiles-6x6", 36), ("jigsaw-small", None), ("sudoku-9x9", 81)])
def test_pieces_are_counted_whatever_the_family(name: str, pieces: int | None) -> None:
    puzzle = registry.sample(name)
    assert puzzle is not None
    counted = pieces_of(puzzle)
    assert counted == pieces or (pieces is None and counted == getattr(puzzle, "count", 0) > 1)
    with pytest.raises(Problem, match="pieces here") as told:
        puzzles_of(name.encode(), {}, Limits(pieces=counted - 1))
    assert told.value.status == 413


@pytest.mark.parametrize("value", ["/etc/passwd", "..", "../x", "~root", "a\\b", ".hidden", ["x", {"y": "a/b"}], "a\0"])
def test_settings_name_no_files(value: Any) -> None:
    with pytest.raises(Problem, match="cannot name files"):
        refuse_paths({"image": value})


def test_plain_settings_pass() -> None:
    refuse_paths({"image": "coffee,astronaut", "share": ".5", "n": 3, "on": True, "none": None, "op": "+-*"})


def test_a_sentence_stays_short() -> None:
    assert len(Problem("bad_input", "word " * 1000).sentence) <= LONGEST


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_others_are_let_in_only_with_a_token(host: str) -> None:
    with pytest.raises(BadUsage, match="--token"):
        refuse_open(host, None)
    with pytest.raises(BadUsage, match="16 or more"):
        refuse_open(host, "short")
    refuse_open(host, "a token that is long")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_loopback_needs_none(host: str) -> None:
    refuse_open(host, None)


def test_messages_cross_whole_and_without_infinity() -> None:
    message = packed({"do": "x", "best": float("-inf"), "of": [float("nan"), 1.5, None]}, b"", b"bytes")
    assert received(io.BytesIO(message)) == ({"do": "x", "best": None, "of": [None, 1.5, None]}, [b"", b"bytes"])
    assert received(io.BytesIO(message[:-1])) is None and received(io.BytesIO(b"")) is None
    assert received(io.BytesIO(b"\xff" * 64)) is None
