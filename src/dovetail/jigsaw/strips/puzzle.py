"""Shredded paper: strips of pages, or cross-cut shreds, to be laid so that the pages can be read again.

A strip is as high as the page; a shred is one of ``down`` rows. Text is mostly white, and so are most edges: what tells
neighbours is where the lines run and how ink goes on across the cut. Strips may lie upside down (``rotate``), have
print on both sides, be incomplete, and come from several pages in one bag, whose number may be told. In an answer
pages lie side by side, with an empty column between two.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from ...core import limits
from ...core.errors import BadInput, BadUsage
from ...core.kind import Drawing, Format
from ...core.puzzle import Placement, Puzzle, Solution, Verdict
from ...core.settings import setting
from .. import puzzle as plain
from ..puzzle import CHANNELS, MOST_PICTURES, Jigsaw, JigsawKind

MOST_STRIPS = limits.STRIPS


@dataclass(frozen=True)
class Strips(Jigsaw):
    """A jigsaw of strips or shreds; the frame is that of one page, where there is one and nobody lost count."""

    pages: int | None = 1  # None where nobody knows how many
    down: int = 1  # rows of shreds of a page; 1 for strips
    kind: ClassVar[str] = "strips"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.count > MOST_STRIPS:
            raise BadInput(f"a bag of shredded paper holds 2 to {MOST_STRIPS} pieces here, not {self.count}")
        if self.foreign:
            raise BadInput("every strip belongs to a page: foreign ones are not read")
        if self.pages is not None and not 1 <= self.pages <= MOST_PICTURES:
            raise BadInput(f"there are 1 to {MOST_PICTURES} pages in a bag, not {self.pages}")
        if self.mixed != (self.pages != 1):
            raise BadInput("a bag is mixed if there may be other than one page")
        if not 1 <= self.down <= self.count or self.rows not in (None, self.down):
            raise BadInput(f"a page has 1 to {self.count} rows of shreds, as many as its frame, not {self.down}")

    @property
    def size(self) -> str:
        """Rows by columns of one page, or how many pieces there are."""
        if self.rows is not None:
            return f"{self.rows}x{self.cols}"
        pages = "some pages" if self.pages is None else f"{self.pages} page{'s' * (self.pages > 1)}"
        return f"{self.count} of {pages}"

    @property
    def turns(self) -> tuple[int, ...]:
        """As it lies or upside down, and 4 more for a strip that was turned over first, like a page."""
        ways = (0, 2) if self.rotate else (0,)
        return ways if self.sides == 1 else (*ways, *(4 + way for way in ways))

    def header(self) -> dict[str, Any]:
        """Everything but the pixels, as JSON types."""
        return {**super().header(), "pages": self.pages, "down": self.down}


@dataclass(frozen=True)
class Making:
    """What to shred, and how."""

    image: str = setting(
        "page",
        "the page: a picture file; page:SEED for one made up by us (page:SEED.2 is page 2 of the same document); page "
        "or text, small scans that are built in; several with commas between them for a bag",
    )
    strips: int = setting(30, "strips of a page", least=2, most=MOST_STRIPS)
    cross: str | None = setting(None, "cross-cut instead: COLUMNSxROWS of shreds, as in 6x10")
    flip: bool = setting(False, "some lie upside down")
    back: str | None = setting(
        None, "what is printed on the back, as many pages as image names; either side may lie up"
    )
    noise: float = setting(0.0, "noise of the scanner: standard deviation in grey levels of 255", least=0, most=64)
    lose: float = setting(0.0, "share of the pieces of one page to lose", least=0, most=0.9)
    told: bool = setting(False, "tell how many pages are in a bag")
    font: str | None = setting(None, "a TrueType file for pages made up by us, instead of the letters Pillow brings")

    def __post_init__(self) -> None:
        self.grid  # noqa: B018 (read now, so that a mistake is told before any work)

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of a page's pieces; raises BadUsage."""
        return (1, self.strips) if self.cross is None else parsed_cross(self.cross)


class StripsKind(JigsawKind):
    """See the module text."""

    name = "strips"
    title = "Shredded paper: strips and cross-cut shreds of pages, put in order by their print"
    rules = (
        "Lay every strip once, so that the pages show what they showed before they were shredded: upside down strips "
        "turned, on both sides if there is print on both, every page apart if there may be several."
    )
    demo = "strips-page"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """Photographs of print that come with scikit-image."""
        from .samples import SAMPLES

        return SAMPLES

    def formats(self) -> tuple[Format, ...]:
        """Those of jigsaws; a file that does not say that it holds strips must be told how many."""
        from ..formats import STRIPS

        return STRIPS

    def decode(self, data: Mapping[str, Any]) -> Strips:
        """From Dovetail's JSON."""
        return from_header(data, plain.decoded_pixels(data))

    def make(self, settings: Making, seed: int) -> tuple[Strips, Placement]:
        """Shred pages, and mix up what falls into the bag."""
        from . import cutting

        return cutting.make(settings, seed)

    def check(self, puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Verdict:
        """Every strip once; how right it is, only the truth can say."""
        from . import scores

        assert isinstance(puzzle, Strips)
        return scores.judge(puzzle, solution, truth)

    def draw(self, puzzle: Puzzle, solution: Solution | None = None) -> Drawing:
        """The pages as laid; without a solution the strips side by side, backs below."""
        import numpy as np

        from .. import draw

        assert isinstance(puzzle, Strips)
        if solution is not None or puzzle.down > 1:
            return draw.draw_jigsaw(puzzle, solution)
        wide = 2 * puzzle.count * puzzle.width  # room for all of them in one row
        sheets = draw.not_laid(puzzle, np.arange(puzzle.count), wide)
        return draw.Raster(draw.on_table(puzzle, [[sheet] for sheet in sheets]))

    def with_hints(self, puzzle: Puzzle, hints: Any, folder: Path) -> Jigsaw:
        """There are none so far: the order of strips is found and proved without."""
        raise BadUsage("hints are not taken for shredded paper")

    def facts(self, puzzle: Puzzle) -> dict[str, float | str]:
        """How many pieces of what size, and what is known of the pages."""
        assert isinstance(puzzle, Strips)
        colours = f"{CHANNELS[puzzle.channels]}, {puzzle.depth} bits"
        what = "strip" if puzzle.down == 1 else "shred"
        facts: dict[str, float | str] = {
            f"{what}s": puzzle.count,
            f"size_of_a_{what}": f"{puzzle.width}x{puzzle.height} pixels, {colours}",
            "pages": "not known how many" if puzzle.pages is None else puzzle.pages,
        }
        if puzzle.rows is not None:
            facts["page"] = f"{puzzle.rows} row{'s' * (puzzle.rows > 1)} of {puzzle.cols}"
        elif puzzle.down > 1:
            facts["page"] = f"{puzzle.down} rows"
        if puzzle.missing:
            facts["missing"] = puzzle.missing
        if puzzle.rotate:
            facts["upside_down"] = "some may be"
        if puzzle.sides == 2:
            facts["sides"] = "front and back, and nobody knows which belongs up"
        return facts


def as_strips(puzzle: Jigsaw, down: int, pages: int | None) -> Strips:
    """The same pieces as strips or shreds; raises BadInput if they cannot be."""
    same = {field.name: getattr(puzzle, field.name) for field in fields(Jigsaw)}
    return Strips(**{**same, "mixed": pages != 1}, pages=pages, down=down)


def from_header(data: Mapping[str, Any], pixels: bytes) -> Strips:
    """A puzzle from what ``Strips.header`` wrote, and its pixels; raises BadInput naming the place."""
    pages, down = data.get("pages"), data.get("down")
    if type(down) is not int or not (pages is None or type(pages) is int):
        raise BadInput("shredded paper needs a whole number 'down', and 'pages', a whole number or null")
    told = plain.from_header(data, pixels)
    if told.mixed != (pages != 1):
        raise BadInput("a bag is mixed if there may be other than one page")
    return as_strips(told, down, pages)


def parsed_cross(text: str) -> tuple[int, int]:
    """Rows and columns from ``COLUMNSxROWS``; raises BadUsage."""
    found = re.fullmatch(r"([0-9]{1,3})x([0-9]{1,3})", text.strip().lower())
    cols, rows = (int(found[1]), int(found[2])) if found else (0, 0)
    if not (cols >= 1 and rows >= 1 and 2 <= rows * cols <= MOST_STRIPS):
        raise BadUsage(f"cross is COLUMNSxROWS, as in 6x10, 2 to {MOST_STRIPS} shreds a page, not {text[:40]!r}")
    return rows, cols
