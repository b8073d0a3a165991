"""Benchmarks over pictures in one process, and pictures in a TAR archive; nothing of it is unpacked."""

import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from dovetail import pipeline
from dovetail.bench import commands, own, pictures, suites, tables, together
from dovetail.bench.commands import Ended, Limits
from dovetail.bench.suites import Case
from dovetail.core.errors import BadInput
from dovetail.jigsaw import archive
from support.command import Result, dovetail

CASE = Case("set", images="album.tar", kind="gapped", make={"grid": "2x2", "gap": 0}, solver="assembler", together=True)
SUITE = """
title = "In one process"
columns = ["case", "pictures", "patch %", "neighbour %", "puzzle %", "puzzle by content %", "paper"]
[[case]]
name = "set"
images = "album.tar"
kind = "gapped"
make = { grid = "2x2", gap = 0 }
solver = "assembler"
set = { effort = "fast" }
together = true
paper = "51.5"
"""


def changing(size: int = 96) -> bytes:
    """A picture that changes everywhere, so that its patches go together in one way."""
    down, round_ = Image.linear_gradient("L"), Image.radial_gradient("L")
    return saved(Image.merge("RGB", (down, down.rotate(90), round_)).resize((size, size)))


def saved(image: Image.Image) -> bytes:
    packed = io.BytesIO()
    image.save(packed, "PNG")
    return packed.getvalue()


def entry(name: str, size: int = 0, **more: Any) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size = size
    for key, value in more.items():
        setattr(info, key, value)
    return info


def album(files: dict[str, bytes], *others: tarfile.TarInfo) -> Path:
    """An archive of these files and of entries that are none."""
    with tarfile.open("album.tar", "w") as packed:
        for name, data in files.items():
            packed.addfile(entry(name, len(data)), io.BytesIO(data))
        for other in others:
            packed.addfile(other)
    return Path("album.tar")


# archives


def test_pictures_of_an_archive_are_known_by_name_and_read_where_they_lie() -> None:
    odd = (entry("pictures", type=tarfile.DIRTYPE), entry("c.png", type=tarfile.SYMTYPE, linkname="/etc/passwd"))
    path = album({"pictures/b.png": b"bee", "../../a.png": b"ay", ".hidden.png": b"no", "README.txt": b"text"}, *odd)
    assert archive.names(path) == ["README.txt", "a.png", "b.png"]
    assert (archive.content(path, "a.png"), archive.content(path, "b.png")) == (b"ay", b"bee")
    assert [(p.name, p.image) for p in pictures.found(CASE)] == [("a", "album.tar/a.png"), ("b", "album.tar/b.png")]
    assert sorted(Path.cwd().iterdir()) == [Path.cwd() / "album.tar"], "nothing was unpacked"
    with pytest.raises(BadInput, match=r"no file .* in the archive"):
        archive.content(path, "../../a.png")
    album({"d.png": b"dee"})
    assert archive.names(path) == ["d.png"], "it is read again when it has changed"


def test_make_takes_a_picture_of_an_archive() -> None:
    album({"deep/inside.png": changing()})
    Path("inside.png").write_bytes(changing())
    for kind in ("gapped", "jigsaw"):
        packed, plain = (pipeline.generate(kind, image=image)[0] for image in ("album.tar/inside.png", "inside.png"))
        assert packed == plain
    for image, says in (("album.tar/gone.png", "no file 'gone.png' in"), ("inside.png/x.png", "no TAR archive")):
        result = dovetail("make", "gapped", "--set", f"image={image}", "--out", "p.png")
        assert result.status == 2 and says in result.err and result.is_one_sentence()


def test_archives_that_are_damaged_or_ambiguous_are_refused() -> None:
    path = album({"a.png": changing()})
    whole = path.read_bytes()
    path.write_bytes(whole[:1000])
    with pytest.raises(BadInput, match="truncated"):
        archive.names(path)
    path.write_bytes(whole[:512] + b"junk" * 128 + whole[512:])
    archive.names(path)  # what is not a header ends it, or is skipped: no crash
    album({"one/a.png": b"1", "two/a.png": b"2"})
    with pytest.raises(BadInput, match=r"two files named 'a\.png'"):
        archive.names(path)
    huge = bytearray(album({"a.png": b"1"}).read_bytes())
    huge[124:136] = b"77777777777\0"  # its size in octal: 8 GiB in a file of some blocks
    huge[148:156] = b" " * 8
    huge[148:156] = f"{sum(huge[:512]):06o}\0 ".encode()
    path.write_bytes(huge)
    with pytest.raises(BadInput, match="truncated"):
        archive.names(path)


# one process for all


def bench(*given: str) -> Result:
    return dovetail("bench", "gapped", *(part for pair in given for part in ("--set", pair)), "--json", "--quiet")


def test_all_pictures_are_made_solved_and_judged_in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    album({"b.png": changing(), "a.png": changing(80), "torn.png": b"\x89PNG\r\n\x1a\n torn", "notes.txt": b"none"})
    begun: list[list[str]] = []
    finished = commands.finished

    def counted(command: list[str], limits: Limits) -> Ended:
        begun.append(command)
        return finished(command, limits)

    monkeypatch.setattr(commands, "finished", counted)
    Path("tiny.toml").write_text(SUITE)
    result = dovetail("bench", "tiny.toml", "--json")
    assert result.status == 1, "one of the three is no picture"
    assert len(begun) == 1
    rows = [json.loads(line) for line in Path("tiny.jsonl").read_text().splitlines()]
    assert [(row["image"], row["result"], row["make"]["seed"]) for row in rows] == [
        ("a", "solved", 0), ("b", "solved", 1), ("torn", "refused", 2),
    ]  # fmt: skip
    assert "cannot read torn" in rows[2]["message"] and "album.tar" not in json.dumps(rows)
    assert rows[0]["report"]["puzzle"]["digest"] == pipeline.generate(
        "gapped", 0, image="album.tar/a.png", grid="2x2", gap=0
    )[0].digest, "a row says how its puzzle is made again"  # fmt: skip
    assert rows[0]["report"]["seconds"]["warm_up"] > rows[1]["report"]["seconds"]["warm_up"], "loading counts once"
    assert all(row["memory_mb"] > 50 for row in rows)
    assert "machine" in rows[0]["report"] and "machine" not in rows[1]["report"], "rows are short"
    (entry_,) = result.report
    assert (entry_["pictures"], entry_["failed"], entry_["solved"]) == (3, 1, 2)
    assert all(entry_[name] == pytest.approx(2 / 3) for name in ("patch", "neighbour", "puzzle", "puzzle_content"))
    assert tables.markdown(suites.load("tiny.toml"), rows).splitlines()[-1] == (
        "| set (1 of 3 runs failed) | 3 | 66.67 | 66.67 | 66.67 | 66.67 | 51.5 |"
    )


def test_own_pictures_are_one_process_unless_asked_otherwise() -> None:
    given = {"images": "/some/where/album.tar", "grid": "4x4", "gap": "20", "solver": "assembler", "effort": "fast"}
    (case,) = own.suite("gapped", given).cases
    assert case.together and case.make == {"grid": "4x4", "gap": "20"} and case.set == {"effort": "fast"}
    assert case.name == "album.tar, assembler, grid=4x4, gap=20, effort=fast", "no path of this machine"
    assert not own.suite("gapped", {**given, "together": "false"}).cases[0].together
    assert not own.suite("jigsaw", {"images": "album.tar"}).cases[0].together
    assert "puzzle %" in own.suite("gapped", given).shown


def test_what_cannot_be_run_is_said_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "finished", lambda *_: pytest.fail("no process begins"))
    album({"a.png": changing()})
    for given, why in (
        ("images=album.tar grid=99", "grid is ROWSxCOLUMNS"),
        ("images=album.tar grid=4x4 hints=centre", "no patch in its centre"),
        ("images=album.tar colour=red", "unknown setting 'colour'"),
        ("images=album.tar piece=28", "unknown setting 'piece'"),
        ("images=gone.tar", "cannot read the pictures"),
    ):
        result = bench(*given.split())
        assert result.status == 2 and why in result.err and result.is_one_sentence(), result.err


def test_a_process_that_ends_early_leaves_rows_that_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    album({f"{name}.png": changing() for name in "abc"})
    told = json.dumps({"result": "not solved", "report": {"verdict": {"scores": {}}}})
    for ended, word in ((Ended(-9, told + "\n{", "", 7.0), "crashed"), (Ended(None, told + "\n", "", 7.0), "time-out")):
        limits: list[float | None] = []

        def instead(command: list[str], given: Limits, ended: Ended = ended, limits: Any = limits) -> Ended:
            assert command[0] == sys.executable
            limits.append(given.seconds)
            return ended

        monkeypatch.setattr(commands, "finished", instead)
        rows = [*together.rows(Case(**{**vars(CASE), "time_s": 2.0}), seed=3)]
        assert [(row["image"], row["result"]) for row in rows] == [("a", "not solved"), ("b", word), ("c", word)]
        assert [row["make"]["seed"] for row in rows] == [3_000_000, 3_000_001, 3_000_002]
        assert limits == [6.0 + commands.GRACE_S], "each may take its time"


def test_a_solver_that_refuses_or_fails_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    album({"a.png": changing()})
    (picture,) = pictures.found(CASE)
    other = Case(**{**vars(CASE), "solver": "genetic"})
    row = together.solved(other, picture, seed=0, number=0)
    assert row["result"] == "refused" and "gaps" in row["message"] and row["report"] is None

    def broken(*_: object) -> None:
        raise RuntimeError("no luck")

    monkeypatch.setattr("dovetail.jigsaw.assembler.Assembler.warm_up", broken)
    row = together.solved(CASE, picture, seed=0, number=0)
    assert row["result"] == "crashed" and "no luck" in row["message"]
    assert row["report"]["outcome"]["status"] == "failed"


@pytest.mark.parametrize("line", ["together = 3", 'together = "yes"'])
def test_a_case_is_together_or_not(line: str) -> None:
    Path("broken.toml").write_text(SUITE.replace("together = true", line))
    with pytest.raises(BadInput, match="together is true or false"):
        suites.load("broken.toml")
    Path("broken.toml").write_text('title = "x"\n[[case]]\nname = "x"\npuzzle = "terracotta"\ntogether = true\n')
    with pytest.raises(BadInput, match="together"):
        suites.load("broken.toml")
