"""Valid input for every reader, as small as it can be: from the registry, and by hand where files have no generator."""

import contextlib
import io
import json
import tarfile
from functools import cache
from typing import Any

import numpy as np
from PIL import Image

from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.errors import BadUsage, DovetailError
from dovetail.core.puzzle import Puzzle, canonical_json, solution_to_json
from dovetail.jigsaw.puzzle import Jigsaw
from support.registered import answered

MOST = 60_000  # bytes of a seed

# of pictures the samples are photographs: these are a hundred times smaller
TINY: dict[str, list[dict[str, Any]]] = {
    "jigsaw": [
        {"piece": [4, 4], "frame": [2, 3]},
        {"piece": [4, 6], "channels": 1, "depth": 16, "rotate": True},
        {"piece": [4, 4], "frame": [2, 2], "sides": 2, "channels": 4},
        {"piece": [5, 5], "mixed": True, "rotate": True},
    ],
    "gapped": [{"piece": [8, 8], "frame": [2, 2], "gap": 2}],
    "strips": [{"piece": [12, 4], "frame": [1, 5], "pages": 1, "down": 1, "channels": 1}],
}

# what nobody writes here but somebody may hand over
TEXTS = (
    b"https://puzz.link/p?sudoku/9/9/1g2h3i4j5", b"https://puzz.link/p?kakuro/5/5/ffff", b"p?slither/5/5/abc12",
    b"9x9:a1_2", b"3x3:1,2,3,4,5,6,7,8,0", b"6x6dt0:1a2", b"https://e2.bucas.name/#puzzle=x&board_w=2&board_h=2&"
    b"board_edges=acbacaababcaaabb&motifs_order=jblackwood", b"TL,TR,BL,BR\n0,0,0,0\n", b"#####\n#@$.#\n#####\n",
    b"2 2\n1 2 3 4\n1 2 3 4\n1 2 3 4\n1 2 3 4\n", b"5 5\n3\n1 1\n", b"999999999x999999999:", b'{"kind": "sudoku"}',
    b"53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
)  # fmt: skip


@cache
def puzzles(kind: str) -> tuple[Puzzle, ...]:
    """The smallest samples of a kind, or tiny ones."""
    if kind in TINY:
        rng = np.random.default_rng(5)
        made = []
        for header in TINY[kind]:
            whole = {"kind": kind, "channels": 3, "depth": 8, **header}
            height, width = whole["piece"]
            count = int(np.prod(whole.get("frame", [2, 3])))
            numbers = count * whole.get("sides", 1) * height * width * whole["channels"]
            made.append(_jigsaw({**whole, "count": count}, rng.bytes(numbers * whole["depth"] // 8)))
        return tuple(made)
    samples = [build() for build in registry.kind(kind).samples().values()]
    return tuple(sorted(samples, key=lambda puzzle: len(canonical_json(puzzle.to_json())))[:4])


def _jigsaw(header: dict[str, Any], pixels: bytes) -> Jigsaw:
    import base64

    decoded = registry.kind(header["kind"]).decode({**header, "pixels": base64.b64encode(pixels).decode()})
    assert isinstance(decoded, Jigsaw)
    return decoded


@cache
def written(kind: str, form: str) -> tuple[bytes, ...]:
    """These puzzles in one format, and what the generator makes where none of them can be said in it."""
    found = []
    for puzzle in puzzles(kind):
        with contextlib.suppress(DovetailError):
            found.append(pipeline.convert(puzzle, form))
    if not found:
        with contextlib.suppress(DovetailError):
            found.append(pipeline.convert(answered(registry.kind(kind))[0], form))
    return tuple(data for data in found if len(data) <= MOST)


def all_written() -> tuple[bytes, ...]:
    """Everything that may be handed over without a word on what it is."""
    forms = [(kind.name, form) for kind in registry.kinds() for form in ["json", *(f.name for f in kind.formats())]]
    return (*TEXTS, *(data for kind, form in forms for data in written(kind, form)[:2]))


@cache
def solved(kind: str) -> tuple[Puzzle, tuple[bytes, ...]]:
    """A puzzle and a solution file; and solutions of every other shape."""
    if kind in TINY:
        puzzle = puzzles(kind)[0]
        assert isinstance(puzzle, Jigsaw)
        rows, cols = puzzle.rows or 1, puzzle.cols or 1
        board = {"pieces": np.arange(rows * cols).reshape(rows, cols).tolist(), "turns": [[0] * cols] * rows}
        own: dict[str, Any] = {"shape": "placement", **board}
    else:
        try:
            puzzle, planted = answered(registry.kind(kind))
        except BadUsage:
            raise AssertionError(f"{kind} has no solution to garble") from None
        own = {**solution_to_json(planted, puzzle)}
    own.pop("puzzle", None)  # so that what is garbled is not always called another puzzle's
    others: list[dict[str, Any]] = [
        {"shape": "placement", "pieces": [[0, 1]], "turns": [[0, -1]]}, {"shape": "assignment", "values": [1, None]},
        {"shape": "moves", "moves": ["1", "U"]}, {"shape": "locations", "at": [[0.5, 1], [0, 0]]},
    ]  # fmt: skip
    files = tuple(json.dumps(each).encode() for each in (own, own, own, *others))
    return puzzle, (*files, *_from_elsewhere(puzzle, own))


def _from_elsewhere(puzzle: Puzzle, own: dict[str, Any]) -> tuple[bytes, ...]:
    """Solutions as other programs write them: solving moves, filled boards, boards in links, the JSON of janko.at."""
    values = [str(value or 0) for value in own.get("values", ())]
    found = {
        "sudoku": ["S" + ",".join(values), "".join(values)],
        "calcudoku": ["S" + "".join(values)], "nonogram": ["S" + "".join(values)],
        "lightup": ["S;L0,0;I1,1;L2,3"],
        "slitherlink": ["S" + "".join(f"{line}{'yn'[line % 2]}" for line in range(len(values)))],
        "tiles": ["6 6\n" + "\n".join(f"{n % 6} {n // 6} {n % 4}" for n in range(36))],
    }.get(puzzle.kind, [])  # fmt: skip
    others = [
        data for form in ("bucas", "boards-json") if puzzle.kind == "tiles" for data in written("tiles", form)[:1]
    ]
    for data in written(puzzle.kind, "janko")[:1] if puzzle.kind in ("kakuro", "numberlink") else ():
        listed = json.loads(data)
        others.append(
            json.dumps({name: {**entry, "solution": entry["problem"]} for name, entry in listed.items()}).encode()
        )
    return (*(text.encode() for text in found), *others)


def pictures() -> tuple[bytes, ...]:
    """Pieces in rows in the formats of pictures that people have."""
    pixels = np.random.default_rng(3).integers(0, 256, (12, 18, 3), np.uint8)
    image = Image.fromarray(pixels)
    return tuple(
        _saved(picture, form)
        for form, picture in (
            ("PNG", image), ("PNG", image.convert("P")), ("PNG", image.convert("RGBA")), ("JPEG", image),
            ("WEBP", image), ("TIFF", image), ("GIF", image), ("BMP", image), ("PPM", image), ("ICO", image),
            ("TIFF", Image.fromarray(pixels[..., 0] * 1.0)), ("TGA", image), ("JPEG2000", image),
        )
    )  # fmt: skip


def _saved(image: Image.Image, form: str) -> bytes:
    packed = io.BytesIO()
    image.save(packed, form)
    return packed.getvalue()


def scans() -> tuple[bytes, ...]:
    """Fragments apart on a plain ground, each turned a little: once on light ground, once on dark."""
    sheets = []
    for ground in (230, 25):
        rng = np.random.default_rng(ground)
        sheet = Image.new("RGB", (80, 60), (ground, ground, ground))
        for number in range(2):
            piece = Image.fromarray(rng.integers(0, 256, (22, 22, 3), np.uint8)).convert("RGBA")
            turned = piece.rotate(3 + 5 * number, expand=True)
            sheet.paste(turned, (6 + 38 * number, 10), turned)
        sheets.append(_saved(sheet, "PNG"))
    return tuple(sheets)


def tar() -> bytes:
    """Two pictures."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in (("a/1.png", pictures()[0]), ("a/2.jpg", pictures()[3])):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


HINTS = tuple(
    json.dumps(each).encode()
    for each in (
        {"pins": [{"piece": 1, "row": 1, "column": 2, "turn": 0}]},
        {"neighbours": [{"piece": 0, "right": 4}, {"pieces": [2, 3]}], "apart": [{"piece": 1, "above": 2}]},
        {"locked": [{"answer": {"shape": "placement", "pieces": [[0, 1, 2], [3, 4, 5]], "turns": [[0] * 3] * 2},
                     "rows": [1, 2], "columns": [1, 2], "pieces": [0, 1]}]},
        {"locked": [{"answer": "laid.json"}], "pins": []},
    )
)  # fmt: skip

SUITE = b"""title = "a suite"
rate = "placements"
columns = ["direct"]

[[case]]
name = "one"
puzzle = "terracotta-3x4"
solver = "depth-first"
seeds = 2
time_s = 1.5
set = { parallel = 1 }

[[case]]
name = "two"
images = "pictures"
kind = "jigsaw"
first = 3
make = { piece = "28" }
"""

CARD = json.dumps(
    {"sha256": "0" * 64, "patch": 40, "gaps": [0, 8], "data": "none", "licence": "MIT", "temper": 0.5}
).encode()
