"""docs/tutorial.md is followed from top to bottom in an empty folder, and prints what it says."""

import contextlib
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

import dovetail as package
from dovetail.core import registry
from dovetail.core.errors import BadInput
from dovetail.core.puzzle import Assignment
from support.command import dovetail

DOCS = Path(package.__file__).parents[2] / "docs"
BLOCK = re.compile(r"(?:<!-- file: (?P<file>\S+) -->\n)?```\w*\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)


def steps(page: str) -> Iterator[tuple[str, str]]:
    """What the page asks for, in its order: (name of a file, its text), or ("$ command", what it prints)."""
    for block in BLOCK.finditer(page):
        if block["file"]:
            yield block["file"], block["text"]
        else:
            assert block["text"].startswith("$ "), f"a block that is neither a file nor commands: {block['text'][:60]}"
            yield from re.findall(r"^(\$ .*)\n((?:(?!\$ ).*\n)*)", block["text"], re.MULTILINE)


def ran(command: str) -> str:
    """What a command prints. Here where that is the same; apart where Python has to look around in this folder."""
    words = shlex.split(command.removeprefix("$ "))
    if words[0] == "dovetail":
        result = dovetail(*words[1:])
        assert result.status == 0, f"{command}\n{result.err}"
        return result.err + result.out
    if words[1:] and words[1].endswith(".py"):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            runpy.run_path(words[1], run_name="__main__")
        return out.getvalue()
    paths = os.pathsep.join(filter(None, [str(DOCS.parent / "src"), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, *words[1:]],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode < 2, f"{command}\n{done.stderr}"
    return done.stderr + done.stdout


def masked(text: str) -> list[str]:
    """Without what is of the day: seconds, and what follows from them; lines about a long run."""
    text = re.sub(r"moves [\d.]+ ?[kMG]?, log odds [\d.]+ ?k?,", "moves …, log odds …,", text)
    text = re.sub(r"conflicts \d+", "conflicts …", text)
    text = re.sub(r"in \d+\.\d+ s", "in … s", text)
    text = re.sub(r"(?<=[ –])\d+\.\d{3}", "…", text)  # of the table of a suite
    lines = (re.sub(r"  +", "  ", line).rstrip() for line in text.splitlines())
    return [line for line in lines if line and not re.search(r", \d+ s$", line)]


def test_the_tutorial_does_what_it_says() -> None:
    written = []
    for what, text in steps((DOCS / "tutorial.md").read_text(encoding="utf-8")):
        if what.startswith("$ "):
            written.append(what)
            assert masked(ran(what)) == masked(text), what
        else:
            Path(what).parent.mkdir(exist_ok=True)
            Path(what).write_text(text, encoding="utf-8")
    assert len(written) >= 12
    for name in ("picture", "pages", "print", "solved", "row", "depth-first", "partial"):
        with Image.open(f"{name}.png") as image:
            image.load()
            assert len(image.convert("RGB").getcolors(2**24) or []) > 10, f"{name}.png shows something"
    assert len(Path("compare.jsonl").read_text().splitlines()) == 2


def test_a_reader_is_told_the_name_of_every_file() -> None:
    """The mark before a block is a comment, which no reader sees."""
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    for block in BLOCK.finditer(page):
        if block["file"]:
            assert f"`{block['file']}`" in page[: block.start()][-400:], block["file"]


def test_thirty_lines_are_thirty_lines_and_new() -> None:
    files = dict(steps((DOCS / "tutorial.md").read_text(encoding="utf-8")))
    lines = files["langford.py"].splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 120
    assert "langford" not in registry.KINDS


def test_the_puzzle_of_the_tutorial_is_checked_apart_from_its_model() -> None:
    """The known row for n = 4 passes; the same with two numbers exchanged does not; nor does bad input."""
    files = dict(steps((DOCS / "tutorial.md").read_text(encoding="utf-8")))
    Path("langford.py").write_text(files["langford.py"], encoding="utf-8")
    told = runpy.run_path("langford.py")
    kind, puzzle = told["LangfordKind"](), told["Langford"](4)
    row = (4, 1, 3, 1, 2, 4, 3, 2)
    places = [row.index(k) for k in (1, 2, 3, 4)] + [7 - row[::-1].index(k) for k in (1, 2, 3, 4)]
    assert kind.check(puzzle, Assignment(tuple(places))).solved
    wrong = kind.check(puzzle, Assignment((places[1], places[0], *places[2:])))
    assert not wrong.solved
    assert "the 1s do not have 1 between them" in wrong.violations
    for broken in ({}, {"n": "4"}, {"n": 0}, {"n": 31}, {"n": True}):
        with pytest.raises(BadInput, match="from 1 to 30"):
            kind.decode(broken)
