"""Input made to hurt, case by case: each is refused in one sentence, before it has cost time, memory or a file."""

import contextlib
import io
import json
import os
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from dovetail import pipeline, reading
from dovetail.core import limits, registry
from dovetail.core.errors import BadInput, BadUsage, DovetailError
from dovetail.core.files import read_limited
from dovetail.core.source import Source
from dovetail.jigsaw import archive
from fuzz import oracle, seeds
from support.command import dovetail

HUGE = "999999999"
DEEP = 100_000


def refused(read: Callable[[], object], says: str = "") -> str:
    """The one sentence, after little memory."""
    held = oracle.held_kb()
    with pytest.raises(DovetailError) as caught:
        read()
    assert oracle.fault(str(caught.value)) is None
    assert says in str(caught.value)
    assert oracle.held_kb() - held < 300 * 1024
    return str(caught.value)


def tiff(width: int, height: int) -> bytes:
    """The header of a picture without the picture."""
    entries = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8),
               (278, 4, 1, height), (279, 4, 1, 100)]  # fmt: skip
    packed = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return b"II*\0" + struct.pack("<IH", 8, len(entries)) + packed + bytes(200)


@pytest.mark.parametrize("side", [30_000, 2**31 - 1])
def test_pictures_that_announce_more_than_they_hold(side: int) -> None:
    gif = b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0, 0, 0) + b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02L\x01\0;"
    bmp = b"BM" + struct.pack("<IIIIiiHHIIIIII", 100, 0, 54, 40, side, side, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(50)
    for data in (tiff(side, side), tiff(18, 8_388_620), gif, bmp, b"P6 %d %d 255\n" % (side, side) + bytes(100)):
        refused(lambda data=data: reading.read_all(Source("it.png", data), "jigsaw", {"piece": "28"}))  # type: ignore[misc]


@pytest.mark.parametrize(
    "text",
    [
        f"{HUGE}x{HUGE}:", f"{HUGE}x{HUGE}t0:a", f"{HUGE}:a", f"{HUGE}x{HUGE}:1,2,3", f"p?sudoku/{HUGE}/{HUGE}/a",
        f"https://puzz.link/p?slither/{HUGE}/{HUGE}/a", f"https://puzz.link/p?akari/{HUGE}/{HUGE}/z",
        f"https://e2.bucas.name/#board_w={HUGE}&board_h={HUGE}&board_edges=aaaa",
        f"# board {HUGE}x{HUGE}\nTL,TR,BL,BR\n", f"{HUGE} {HUGE}\n1 2 3 4\n",
        f"width {HUGE}\nheight {HUGE}\nrows\n1\ncolumns\n1\n", f"{HUGE}x{HUGE},3,0:aa",
        "9x9:" + "z" * 100_000,
        "4096:_aa_a__ca_3ab_,s1a7a=", "1000j:a,_", "٣x٣:1,2,3", "3x3:1,2,3,4,5,6,7,²,0", "1" * 10_000_000,
    ],
)  # fmt: skip
def test_texts_that_announce_more_than_they_hold(text: str) -> None:
    refused(lambda: reading.read_all(Source("it", text.encode())))
    refused(lambda: reading.read_all(text))


@pytest.mark.parametrize("kind", registry.kind_names())
def test_numbers_in_json_that_nothing_could_hold(kind: str) -> None:
    for puzzle in seeds.puzzles(kind)[:1]:
        whole = puzzle.to_json()
        for key in [key for key in whole if key != "kind"]:
            values: list[Any] = [int(HUGE), [int(HUGE)] * 2, -1, "\0", [[]] * 2000, {"a": 1}]
            for value in values:
                with contextlib.suppress(DovetailError):
                    reading.read_all(Source("it", json.dumps({**whole, key: value}).encode()))


def test_nesting_without_end() -> None:
    puzzle = seeds.puzzles("jigsaw")[0]
    for opening in ("[", '{"a":', '{"kind":', '{"polygon":', '[{"edges":'):
        deep = opening * DEEP
        refused(lambda deep=deep: reading.read_all(Source("it", deep.encode())))  # type: ignore[misc]
        refused(lambda deep=deep: reading.read_solutions(Source("it", deep.encode()), puzzle))  # type: ignore[misc]
        refused(lambda deep=deep: reading.read_json(Source("it", deep.encode())), "nested too deeply")  # type: ignore[misc]
    Path("laid.json").write_text("[" * DEEP)
    hints = {"locked": [{"answer": "laid.json"}]}
    refused(lambda: registry.kind("jigsaw").with_hints(puzzle, hints, Path()), "laid.json is no solution file")


def test_nothing_but_nul() -> None:
    for data in (
        b"\0",
        b"\0" * 1000,
        b"{\0}",
        b"9x9:\0",
        b"\x89PNG\r\n\x1a\n" + b"\0" * 1000,
        b"PK\x03\x04" + b"\0" * 1000,
    ):
        refused(lambda data=data: reading.read_all(Source("it", data)))  # type: ignore[misc]
    refused(lambda: reading.read_all("\0"))
    refused(lambda: reading.read_all("a\0b.png"))


def picture() -> bytes:
    packed = io.BytesIO()
    Image.fromarray(np.random.default_rng(1).integers(0, 256, (4, 4, 3), np.uint8)).save(packed, "PNG")
    return packed.getvalue()


OUTSIDE = ("../../outside.png", "/tmp/outside-dovetail.png", "a/../../outside.png", "b\\..\\outside.png", "C:\\out.png")


def test_names_in_archives_lead_nowhere() -> None:
    Path("in").mkdir()
    os.chdir("in")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as written:
        for name in OUTSIDE:
            written.writestr(name, picture())
    puzzle = pipeline.read(Source("pieces.zip", packed.getvalue()))
    assert puzzle.size == f"{len(OUTSIDE)} pieces", "pieces like any other, in memory"
    with tarfile.open("pieces.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
        for number, name in enumerate(OUTSIDE):
            entry = tarfile.TarInfo(name.replace(".png", f"{number}.png"))
            entry.size = len(picture())
            tar.addfile(entry, io.BytesIO(picture()))
        for sort, name in (
            (tarfile.SYMTYPE, "link.png"),
            (tarfile.LNKTYPE, "hard.png"),
            (tarfile.CHRTYPE, "device.png"),
        ):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = sort, "/etc/passwd"
            tar.addfile(entry)
    found = archive.names(Path("pieces.tar"))
    assert len(found) == len(OUTSIDE) and not {"link.png", "hard.png", "device.png"} & {*found}
    assert all(archive.content(Path("pieces.tar"), name) == picture() for name in found)
    assert [path.name for path in Path("..").rglob("*")] == ["in", "pieces.tar"], "nothing was unpacked anywhere"
    assert not Path("/tmp/outside-dovetail.png").exists()


def test_links_and_devices_in_folders() -> None:
    for name, target in (("device", "/dev/zero"), ("gone", "nowhere"), ("loop", "loop"), ("folder", "/")):
        folder = Path(f"with-{name}")
        folder.mkdir()
        (folder / "1.png").write_bytes(picture())
        (folder / "2.png").symlink_to(target)
        refused(lambda folder=folder: reading.read_all(folder, "jigsaw"), "2.png is not a file")  # type: ignore[misc]
    secret = Path("secret")
    secret.mkdir()
    (secret / "1.png").write_bytes(picture())
    (secret / "2.png").symlink_to("/etc/passwd")
    sentence = refused(lambda: reading.read_all(secret, "jigsaw"), "2.png: it is no picture")
    assert "root" not in sentence, "nothing of what it leads to is shown"


def test_files_that_files_name_are_files() -> None:
    os.mkfifo("pipe")
    for name, says in (
        ("pipe", "it is not a file"), ("/dev/zero", "it is not a file"), (".", "it is not a file"),
        ("gone", "no such file"), ("a\0b", "null"), ("x" * 5000, "name too long"),
    ):  # fmt: skip
        refused(lambda name=name: read_limited(Path(name)), says)  # type: ignore[misc]
    hints: dict[str, Any] = {"locked": [{"answer": "/dev/zero"}]}
    puzzle = seeds.puzzles("jigsaw")[0]
    refused(lambda: registry.kind("jigsaw").with_hints(puzzle, hints, Path()), "/dev/zero: it is not a file")


def test_inputs_that_never_end_or_hold_nothing() -> None:
    assert "/dev/zero is larger than 256 MiB" in dovetail("solve", "/dev/zero").err
    assert "/dev/null is empty" in dovetail("solve", "/dev/null").err
    for name in ("/", "/proc/self/mem", "/dev/mem"):
        result = dovetail("solve", name)
        assert result.status == 2 and result.is_one_sentence(), result


def test_sentences_stay_sentences_whatever_they_cite() -> None:
    for text in ("x" * 10**6, "a\nb\r\nc\0d\x1b[31m", "\u202e\ufeff" * 5000, ""):
        for sort in (BadInput, BadUsage):
            said = str(sort(f"there is no {text}"))
            assert oracle.fault(said) is None
            assert len(said) <= limits.SENTENCE_CHARACTERS
    assert str(BadInput("there is no file 'é'")) == "there is no file 'é'"
