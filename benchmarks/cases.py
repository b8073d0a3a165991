"""The cases of docs/results.md: solved and failed, each with its row and its picture.

    python benchmarks/cases.py            all of them: some minutes
    python benchmarks/cases.py dust …     only those of these names

Makes every puzzle of ``benchmarks/cases.toml``, solves it, and lets the checker judge it by the truth, each with the
command that the page shows; appends a row to ``benchmarks/results/cases.jsonl`` and draws the answer to
``docs/pictures/cases``. Pictures come from scikit-image or from our own generators, so anybody gets the same. Then:
``make pages``.
"""

import argparse
import io
import json
import shlex
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

import dovetail
from dovetail.bench import commands
from dovetail.core.errors import DovetailError
from dovetail.core.files import write_atomically
from dovetail.core.puzzle import Placement
from dovetail.jigsaw.edges import EAST, NORTH, SOUTH, WEST
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.jigsaw.seams import measured
from dovetail.workers import Inline

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results" / "cases.jsonl"
PICTURES = FOLDER.parent / "docs" / "pictures" / "cases"
MOST_PX, MOST_BYTES = 460, 60_000
RED = (214, 39, 40)
Board = list[list[int]]


def main() -> None:
    """Run what is asked for, say how it ended."""
    told = tomllib.loads((FOLDER / "cases.toml").read_text(encoding="utf-8"))["case"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="of cases; all of them if none is named")
    names = parser.parse_args().names
    if unknown := {*names} - {case["name"] for case in told}:
        parser.error(f"cases.toml has no case {', '.join(sorted(unknown))}")
    for case in told:
        if not names or case["name"] in names:
            row, picture = run(case)
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            PICTURES.mkdir(parents=True, exist_ok=True)
            write_atomically(PICTURES / case["picture"], picture)
            surprise = "" if row["solved"] == case["solved"] else ": NOT AS cases.toml SAYS"
            print(f"{case['name']}: {'solved' if row['solved'] else 'failed'}, {row['scores']}{surprise}")


def run(case: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Make, solve and check as the page says: the row, and the picture."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        puzzle, truth, answer, drawn = (
            str(folder / file) for file in ("puzzle.json", "truth.json", "answer.json", "answer.png")
        )
        _said("make", *shlex.split(case["make"]), "--out", puzzle, "--truth", truth)
        told = _said(
            "solve", puzzle, *shlex.split(case["solve"]), "--solution", answer, "--out", drawn, "--json", "--quiet"
        )
        judged = _said("check", puzzle, answer, "--truth", truth, "--json")
        report, verdict = json.loads(told), json.loads(judged)["verdict"]
        row = {
            "case": case["name"], "make": case["make"], "solve": case["solve"],
            "solved": verdict["solved"] is True, "status": report["outcome"]["status"], "scores": verdict["scores"],
            "solver": report["solver"]["name"], "seconds": report["seconds"], "version": report["version"],
            "machine": report["machine"],
        }  # fmt: skip
        if case["make"].startswith("jigsaw "):
            row["fits_best"] = round(best_fits(case["make"]), 4)
        if "confidence" in report:
            row["sure"] = report["confidence"]["words"]
        boards = [json.loads(Path(file).read_text()).get("pieces") for file in (answer, truth)]
        with Image.open(drawn) as opened:
            image = opened.convert("RGB")
    small = _reduced(image)
    if not row["solved"] and case["picture"].endswith(".jpg"):
        mark(small, *boards)
    return row, _encoded(small, case["picture"])


def best_fits(make: str) -> float:
    """Of all edges that have a neighbour, how many fit that one best: what seams are worth before any search.

    By the genetic solver's best measure (``mgc+``), which knows nothing of worn rims, and among upright pieces.
    """
    words = shlex.split(make)
    settings = dict(word.split("=", 1) for word in words if "=" in word)
    puzzle, truth = dovetail.generate("jigsaw", **{**settings, "rotate": "false"})
    assert isinstance(puzzle, Jigsaw)
    assert isinstance(truth, Placement)
    work = measured(puzzle, "mgc+", relative=False, pool=Inline())
    while True:
        try:
            next(work)
        except StopIteration as ended:
            first = ended.value.ranked[:, :, 0]
            break
    board = np.array(truth.pieces)
    west, east, north, south = board[:, :-1], board[:, 1:], board[:-1], board[1:]
    pairs = ((EAST, west, east), (WEST, east, west), (SOUTH, north, south), (NORTH, south, north))
    return float(np.concatenate([(first[side, one] == other).ravel() for side, one, other in pairs]).mean())


def _said(verb: str, *arguments: str) -> str:
    """What a command prints; 1 is its status where a puzzle is not solved."""
    ended = commands.run(verb, *arguments)
    if ended.status not in (0, 1):
        raise DovetailError(f"dovetail {verb} {' '.join(arguments)} ended with {ended.status}: {ended.err.strip()}")
    return ended.out


def _reduced(image: Image.Image) -> Image.Image:
    scale = MOST_PX / max(image.size)
    if scale >= 1:
        return image
    return image.resize((round(scale * image.width), round(scale * image.height)), Image.Resampling.LANCZOS)


def wrong_seams(answer: Board, truth: Board) -> Iterator[tuple[int, int, bool]]:
    """Row and column of every piece of the answer whose neighbour to the right, or (True) below, is not its own.

    By neighbours and not by places: a block that lies one row too low is right in itself.
    """
    right = {pair for row in truth for pair in pairwise(row)}
    below = {pair for upper, lower in pairwise(truth) for pair in zip(upper, lower, strict=True)}
    for r, row in enumerate(answer):
        for c, piece in enumerate(row):
            if c + 1 < len(row) and (piece, row[c + 1]) not in right:
                yield r, c, False
            if r + 1 < len(answer) and (piece, answer[r + 1][c]) not in below:
                yield r, c, True


def mark(image: Image.Image, answer: Board, truth: Board) -> None:
    """A red line along every seam that is wrong."""
    high, wide = image.height / len(answer), image.width / len(answer[0])
    pen = ImageDraw.Draw(image)
    for r, c, under in wrong_seams(answer, truth):
        if under:
            pen.line((c * wide, (r + 1) * high, (c + 1) * wide, (r + 1) * high), RED, 2)
        else:
            pen.line(((c + 1) * wide, r * high, (c + 1) * wide, (r + 1) * high), RED, 2)


def _encoded(image: Image.Image, name: str) -> bytes:
    """As JPEG, as good as fits; or as PNG of few colours."""
    for quality in (85, 75, 60, 45):
        file = io.BytesIO()
        if name.endswith(".png"):
            image.quantize(quality // 2).save(file, "PNG", optimize=True)
        else:
            image.save(file, "JPEG", quality=quality, optimize=True)
        if file.tell() <= MOST_BYTES:
            return file.getvalue()
    raise DovetailError(f"{name} does not become smaller than {MOST_BYTES} bytes")


if __name__ == "__main__":
    main()
