"""The figures 5.1, 5.2 and 5.3 of Kovalsky's paper as runs of ours: what a solver had in hand, program by program.

python benchmarks/kovalsky_figures.py docs/pictures
"""

import io
import sys
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.puzzle import Puzzle
from dovetail.core.settings import fill
from dovetail.core.solver import Budget, Clock

MOST = 6  # programs shown: the first ones, and the last
ACROSS = {"linear": 2, "semidefinite": 3}  # stills in a row
WIDTH, GAP, WORDS = 1180, 12, 26  # pixels of a row, between stills, and for words
GROUND, INK = "#303030", "#FFFFFF"

FIGURES: dict[str, tuple[str, int, dict[str, Any], str, dict[str, Any]]] = {
    # name: kind, seed, how it is made, solver, its settings
    "kovalsky-5-1": (
        "tiles", 7, {"width": 8, "height": 8, "colours": 6, "rotate": False, "frame": "coloured"}, "linear",
        {"blocks": False},
    ),
    "kovalsky-5-2": ("polygons", 0, {}, "semidefinite", {}),
    "kovalsky-5-3": ("polygons", 1, {"pieces": 14}, "semidefinite", {}),
}  # fmt: skip


def views(puzzle: Puzzle, solver_name: str, given: dict[str, Any], seed: int = 0) -> list[Image.Image]:
    """What the solver showed of itself, program by program."""
    solver = next(s for s in registry.solvers("tiles") if s.name == solver_name)
    shown = []
    for event in solver.solve(puzzle, fill(solver.settings_type, given), Clock(Budget(wall_s=120)), seed):
        if event.view is not None:
            shown.append(Image.open(io.BytesIO(event.view().png())).convert("RGB"))
    return shown


def strip(stills: list[Image.Image], captions: list[str], across: int) -> Image.Image:
    """In rows, each with its words below."""
    across = min(across, len(stills))
    width = (WIDTH - GAP) // across - GAP
    height = round(width * stills[0].height / stills[0].width)
    rows = -(-len(stills) // across)
    whole = Image.new("RGB", (across * (width + GAP) + GAP, rows * (height + WORDS + GAP) + GAP), GROUND)
    pen, font = ImageDraw.Draw(whole), ImageFont.load_default(18)
    for number, (still, words) in enumerate(zip(stills, captions, strict=True)):
        x, y = GAP + number % across * (width + GAP), GAP + number // across * (height + WORDS + GAP)
        whole.paste(still.resize((width, height), Image.Resampling.LANCZOS), (x, y))
        pen.text((x + width / 2, y + height + WORDS / 2), words, INK, font, "mm")
    return whole


def main(folder: Path) -> None:
    """Write them all."""
    for name, (kind, seed, made, solver_name, given) in FIGURES.items():
        puzzle = pipeline.make(kind, seed, made)[0] if made else registry.kind(kind).samples()["tangram"]()
        shown = views(puzzle, solver_name, given)
        kept = shown if len(shown) <= MOST else [*shown[: MOST - 1], shown[-1]]
        numbers = [*range(1, len(kept)), len(shown)]
        # the views of `linear` have words of their own
        captions = ["" if solver_name == "linear" else f"program {number}" for number in numbers]
        strip(kept, captions, ACROSS[solver_name]).quantize(128).save(folder / f"{name}.png", optimize=True)
        print(name, len(shown), "programs")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
