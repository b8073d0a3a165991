"""What Algorithm 2 has in hand, as in figures 5.2 and 5.3: the silhouette, and the pieces where their moments say.

Pieces are panes of coloured glass, for before the last program they lie across each other.
"""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.files import write_atomically
from ..picture import SMOOTHING, Picture, Point, Text, render
from .paths import Floats
from .polygons import Polygons, Ring
from .polygons_canvas import HAIRLINE, OUTLINE, Canvas, longest, moved
from .puzzle import Tiles

if TYPE_CHECKING:
    from PIL.Image import Image

SHEET = "#DDD5C8"  # the silhouette, pale: glass lies on it
# colours for colour-blind eyes (Okabe and Ito); numbers tell pieces of one colour apart
GLASS = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")
OPACITY = 0.55


@dataclass(frozen=True)
class Panes:
    """A picture with panes of glass on it, and words on top."""

    ground: Picture
    panes: tuple[tuple[tuple[Point, ...], str], ...]  # outline and colour
    words: tuple[Text, ...]
    width: float  # of the outlines

    def save(self, path: str | Path) -> None:
        """Write ``.png`` or ``.svg``, by the name."""
        write_atomically(Path(path), render(self, Path(path)))

    def svg(self) -> bytes:
        """As vectors."""
        whole = Picture(self.ground.width, self.ground.height, self.ground.scale, self.ground.background)
        whole.add(*self.words)
        words = whole.svg().decode().split("\n", 2)[2]  # less its head and its ground
        glass = "".join(
            f'<polygon points="{" ".join(f"{x:.3f},{y:.3f}" for x, y in outline)}" fill="{colour}" '
            f'fill-opacity="{OPACITY}" stroke="{OUTLINE}" stroke-width="{self.width:.3f}"/>\n'
            for outline, colour in self.panes
        )
        return (self.ground.svg().decode().removesuffix("</svg>\n") + glass + words).encode()

    def png(self) -> bytes:
        """As pixels, packed."""
        file = io.BytesIO()
        self.image().save(file, "PNG", optimize=True)
        return file.getvalue()

    def image(self) -> "Image":
        """As pixels."""
        from PIL import Image, ImageColor, ImageDraw, ImageFont

        image = self.ground.image()
        k = self.ground.scale
        for outline, colour in self.panes:
            mask = Image.new("L", (image.width * SMOOTHING, image.height * SMOOTHING))
            points = [(x * k * SMOOTHING, y * k * SMOOTHING) for x, y in outline]
            ImageDraw.Draw(mask).polygon(points, fill=round(255 * OPACITY))
            image.paste(ImageColor.getrgb(colour), mask=mask.resize(image.size, Image.Resampling.BOX))
        pen = ImageDraw.Draw(image)
        for outline, _ in self.panes:
            pen.line([(x * k, y * k) for x, y in (*outline, outline[0])], OUTLINE, max(1, round(self.width * k)))
        for word in self.words:
            at, font = (word.at[0] * k, word.at[1] * k), ImageFont.load_default(size=max(1.0, word.size * k))
            pen.text(at, word.text, fill=word.fill, font=font, anchor="mm")
        return image


def view(puzzle: Polygons | Tiles, at: Floats) -> Panes:
    """The pieces at these locations."""
    frame, pieces = _rings(puzzle, at)
    unit = longest(frame)
    canvas, words = Canvas(frame, unit), Canvas(frame, unit)  # all views of a puzzle are of one size
    canvas.silhouette(frame, SHEET)
    canvas.outline(frame)
    for number, piece in enumerate(pieces):
        words.number(number, piece, OUTLINE)
    panes = tuple((canvas.ring(piece), GLASS[number % len(GLASS)]) for number, piece in enumerate(pieces))
    texts = tuple(shape for shape in words.picture.shapes if isinstance(shape, Text))
    return Panes(canvas.picture, panes, texts, HAIRLINE * unit)


def _rings(puzzle: Polygons | Tiles, at: Floats) -> tuple[tuple[Ring, ...], list[Ring]]:
    """The frame and the pieces where they are; rows of tiles count downwards, so that y is turned."""
    if isinstance(puzzle, Polygons):
        return puzzle.frame, [moved(piece, x, y) for piece, (x, y) in zip(puzzle.pieces, at.tolist(), strict=True)]
    square: Ring = ((0.0, 0.0), (0.0, -1.0), (1.0, -1.0), (1.0, 0.0))
    board: Ring = tuple((x * puzzle.cols, y * puzzle.rows) for x, y in square)
    return (board,), [moved(square, x, -y) for x, y in at.tolist()]
