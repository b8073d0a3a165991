"""Eroded picture puzzles: square patches of one picture with gaps between them, so that no two edges ever touched.

The frame is known and so is which way is up. ``gap`` says how many pixels are lost between two neighbours; ``hints``
are patches whose cell is told (the central one, say). M.-M. Paumard, H. Tabia, D. Picard, "Alphazzle: jigsaw puzzle
solver with deep Monte-Carlo tree search" (2020), section 3.1.3.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

from ..core.errors import BadInput, BadUsage
from ..core.kind import Cells, Drawing, Format
from ..core.puzzle import Placement, Puzzle, Solution, Verdict
from ..core.settings import setting
from . import puzzle as plain
from .puzzle import MOST_SIDE, Jigsaw, JigsawKind

MOST_GRID = 40  # patches along one side of what the generator makes
CENTRE = "centre"

Hint: TypeAlias = tuple[int, int]  # a patch and its cell; cells are counted row by row, both from 0


@dataclass(frozen=True)
class Gapped(Jigsaw):
    """A jigsaw of square patches in a known frame, all upright, and what is known of the gaps and of some patches."""

    gap: int = 0  # pixels of the picture, at the patches' own scale, between two neighbouring patches
    hints: tuple[Hint, ...] = ()  # by patch
    kind: ClassVar[str] = "gapped"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.height != self.width:
            raise BadInput(f"patches with gaps between them are square here, not {self.width}x{self.height} pixels")
        if self.rows is None or self.cols is None:
            raise BadInput("the frame of a puzzle with gaps must be known: its rows and columns")
        if self.rotate or self.sides != 1 or self.foreign or self.mixed:
            raise BadInput("patches with gaps between them lie upright, have one side, and belong to one picture")
        if not 0 <= self.gap <= MOST_SIDE:
            raise BadInput(f"the gap between two patches is 0 to {MOST_SIDE} pixels, not {self.gap}")
        for patch, cell in self.hints:
            if not (0 <= patch < self.count and 0 <= cell < self.cells):
                raise BadInput(f"there is no patch {patch} or no cell {cell} for a hint, counted from 0")
        for what, told in zip(("patch", "cell"), zip(*self.hints, strict=True), strict=False):
            if len(set(told)) < len(told):
                raise BadInput(f"two hints name the same {what}")
        if [*self.hints] != sorted(self.hints):
            object.__setattr__(self, "hints", tuple(sorted(self.hints)))  # equal puzzles, equal digests

    @property
    def cells(self) -> int:
        """Of the frame."""
        assert self.rows is not None
        assert self.cols is not None
        return self.rows * self.cols

    def header(self) -> dict[str, Any]:
        """Everything but the pixels, as JSON types."""
        hints = {"hints": [[*hint] for hint in self.hints]} if self.hints else {}
        return {**super().header(), "gap": self.gap, **hints}


@dataclass(frozen=True)
class Making:
    """What to cut, and how."""

    image: str = setting("astronaut", "the picture: a file, one in a TAR archive (ARCHIVE.tar/NAME), or a built-in one")
    grid: str = setting("3x3", f"ROWSxCOLUMNS of patches, up to {MOST_GRID}x{MOST_GRID}")
    patch: int = setting(40, "pixels along a side of a patch", least=2, most=MOST_SIDE)
    gap: int = setting(4, "pixels between two neighbouring patches", least=0, most=MOST_SIDE)
    hints: str = setting("0", f"patches whose cell is told: how many, or {CENTRE}")

    def __post_init__(self) -> None:
        rows, cols = self.size  # both are read now, so that a mistake is told before any work
        if self.hints == CENTRE:
            if rows % 2 == 0 or cols % 2 == 0:
                raise BadUsage(f"a grid of {rows}x{cols} has no patch in its centre; set hints to a number")
        elif not re.fullmatch(r"[0-9]{1,4}", self.hints) or int(self.hints) > rows * cols:
            raise BadUsage(f"hints is {CENTRE} or a number from 0 to {rows * cols}, not {self.hints[:40]!r}")

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns from ``3x4``, or from ``3`` for 3x3; raises BadUsage."""
        found = re.fullmatch(r"([0-9]{1,2})(?:x([0-9]{1,2}))?", self.grid.strip().lower())
        rows, cols = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not (1 <= rows <= MOST_GRID and 1 <= cols <= MOST_GRID and rows * cols > 1):
            limits = f"two patches or more and up to {MOST_GRID} each way"
            raise BadUsage(f"grid is ROWSxCOLUMNS, {limits}, not {self.grid[:40]!r}")
        return rows, cols


class GappedKind(JigsawKind):
    """See the module text."""

    name = "gapped"
    title = "Picture puzzles with gaps: square patches, their edges lost, put together by what they show"
    rules = (
        "Lay every patch once, upright and inside the frame, so that the patches show the picture they were cut from, "
        "with gaps between them; hints stay where they are."
    )
    demo = "gapped-5x5"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """Photographs that come with scikit-image."""
        from .gapped_samples import SAMPLES

        return SAMPLES

    def formats(self) -> tuple[Format, ...]:
        """Those of jigsaws; a file that does not say how wide the gaps are must be told."""
        from .formats import GAPPED

        return GAPPED

    def decode(self, data: Mapping[str, Any]) -> Gapped:
        """From Dovetail's JSON."""
        return from_header(data, plain.decoded_pixels(data))

    def make(self, settings: Making, seed: int) -> tuple[Gapped, Placement]:
        """Cut the middle of a picture, shuffle its patches, tell where some belong if asked to."""
        from . import gapped_cutting

        return gapped_cutting.make(settings, seed)

    def check(self, puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Verdict:
        """Every patch once, hints in place; how right it is, only the truth can say."""
        from . import gapped_scores
        from .hints.checking import held_to_hints

        assert isinstance(puzzle, Gapped)
        return held_to_hints(puzzle, solution, gapped_scores.judge(puzzle, solution, truth))

    def draw(self, puzzle: Puzzle, solution: Solution | None = None) -> Drawing:
        """The picture as laid, its gaps open, hints framed; or the patches apart when there is no solution yet."""
        from .gapped_draw import draw_gapped

        assert isinstance(puzzle, Gapped)
        return draw_gapped(puzzle, solution)

    def cells(self, puzzle: Puzzle, solution: Solution) -> Cells | None:
        """Where the patches lie in the picture."""
        from .draw import cells_of

        assert isinstance(puzzle, Gapped)
        return cells_of(puzzle, solution, puzzle.gap)

    def facts(self, puzzle: Puzzle) -> dict[str, float | str]:
        """As of a jigsaw, and what is known of gaps and hints."""
        assert isinstance(puzzle, Gapped)
        facts = {**super().facts(puzzle), "gap": f"{puzzle.gap} pixels between two patches"}
        if puzzle.hints:
            facts["hints"] = "; ".join(hint_text(puzzle, hint) for hint in puzzle.hints)
        return facts


def with_gaps(puzzle: Jigsaw, gap: int, hints: tuple[Hint, ...] = ()) -> Gapped:
    """The same pieces as patches with gaps between them; raises BadInput if they cannot be."""
    return Gapped(**{field.name: getattr(puzzle, field.name) for field in fields(Jigsaw)}, gap=gap, hints=hints)


def from_header(data: Mapping[str, Any], pixels: bytes) -> Gapped:
    """A puzzle from what ``Gapped.header`` wrote, and its pixels; raises BadInput naming the place."""
    gap, hints = data.get("gap"), data.get("hints", [])
    if type(gap) is not int:
        raise BadInput("a puzzle with gaps needs a whole number 'gap'")
    if not isinstance(hints, list) or not all(
        isinstance(hint, list) and len(hint) == 2 and all(type(number) is int for number in hint) for hint in hints
    ):
        raise BadInput("'hints' is a list of pairs of whole numbers, a patch and its cell")
    return with_gaps(plain.from_header(data, pixels), gap, tuple((patch, cell) for patch, cell in hints))


def parsed_hints(text: str, cols: int) -> tuple[Hint, ...]:
    """From what a user sets: ``row:column:patch``, all from 1, separated by spaces; raises BadUsage."""
    hints = []
    for part in text.split():
        found = re.fullmatch(r"([0-9]{1,5}):([0-9]{1,5}):([0-9]{1,5})", part)
        row, col, patch = (int(number) for number in found.groups()) if found else (0, 0, 0)
        if not (row and 1 <= col <= cols and patch):
            raise BadUsage(f"a hint is row:column:patch, all counted from 1 and inside the frame, not {part[:40]!r}")
        hints.append((patch - 1, (row - 1) * cols + col - 1))
    return tuple(sorted(hints))


def hint_text(puzzle: Gapped, hint: Hint) -> str:
    """In words, rows and columns counted from 1 as the checker counts them, patches from 0."""
    patch, cell = hint
    assert puzzle.cols is not None
    return f"patch {patch} lies at row {cell // puzzle.cols + 1}, column {cell % puzzle.cols + 1}"
