"""Pictures as a short list of shapes, written as SVG or as PNG from the same list.

Families draw in units of their own choice; ``scale`` turns them into pixels. Row and column, never x and y, stop here:
points are (x, y) with y downwards, as both formats have it.
"""

import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from xml.sax.saxutils import escape

from .core.errors import BadUsage
from .core.files import write_atomically
from .core.kind import Drawing

if TYPE_CHECKING:
    from PIL.Image import Image

Point: TypeAlias = tuple[float, float]
SMOOTHING = 3  # a PNG is painted this many times larger and reduced, since Pillow's shapes have hard edges
MOST_PIXELS = 40_000_000  # of that larger picture; above, it is painted without smoothing

FORMATS = (".png", ".svg")
MISTAKE = "#E00000"
# of a film strip: its ground and words, the longest side in pixels; more stills across than down, the gap between
# them and the room for words in widths of a still
STRIP, STRIP_INK, STRIP_SIDE, WIDE, GAP, WORDS = "#303030", "#FFFFFF", 1800, 2.0, 0.05, 0.1


@dataclass(frozen=True)
class Polygon:
    """A filled outline."""

    points: tuple[Point, ...]
    fill: str | None
    stroke: str | None = None
    width: float = 0.0


@dataclass(frozen=True)
class Line:
    """An open path."""

    points: tuple[Point, ...]
    stroke: str
    width: float


@dataclass(frozen=True)
class Wedge:
    """A part of a disc between two angles in degrees, clockwise from east as both formats have it."""

    centre: Point
    radius: float
    start: float
    end: float
    fill: str


@dataclass(frozen=True)
class Text:
    """A word, centred on its point."""

    at: Point
    text: str
    size: float
    fill: str


Shape: TypeAlias = Polygon | Line | Wedge | Text


@dataclass
class Picture:
    """A canvas of ``width × height`` units."""

    width: float
    height: float
    scale: float = 1.0  # pixels a unit
    background: str = "#FFFFFF"
    shapes: list[Shape] = field(default_factory=list)

    def add(self, *shapes: Shape) -> None:
        """Draw on top of what is there."""
        self.shapes.extend(shapes)

    def save(self, path: str | Path) -> None:
        """Write ``.png`` or ``.svg``, by the name."""
        write_atomically(Path(path), render(self, Path(path)))

    def svg(self) -> bytes:
        """As vectors."""
        w, h = self.width, self.height
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(w)} {_n(h)}" '
            f'width="{_n(w * self.scale)}" height="{_n(h * self.scale)}">'
        )
        ground = f'<rect width="{_n(w)}" height="{_n(h)}" fill="{self.background}"/>'
        return "\n".join([head, ground, *map(_svg, self.shapes), "</svg>", ""]).encode()

    def png(self) -> bytes:
        """As pixels, packed."""
        file = io.BytesIO()
        self.image().save(file, "PNG", optimize=True)
        return file.getvalue()

    def image(self) -> "Image":
        """As pixels."""
        from PIL import Image, ImageDraw, ImageFont

        size = (max(1, round(self.width * self.scale)), max(1, round(self.height * self.scale)))
        smoothing = SMOOTHING if size[0] * size[1] * SMOOTHING**2 <= MOST_PIXELS else 1
        k = self.scale * smoothing
        image = Image.new("RGB", (size[0] * smoothing, size[1] * smoothing), self.background)
        pen = ImageDraw.Draw(image)
        fonts: dict[float, ImageFont.FreeTypeFont | ImageFont.ImageFont] = {}
        for shape in self.shapes:
            match shape:
                case Polygon():
                    points = [(x * k, y * k) for x, y in shape.points]
                    if shape.fill:
                        pen.polygon(points, fill=shape.fill)
                    if shape.stroke:  # Pillow's own outline takes a mask of the whole picture for each polygon
                        width = max(1, round(shape.width * k))
                        pen.line([*points, *points[:2]], fill=shape.stroke, width=width, joint="curve")
                case Line():
                    points = [(x * k, y * k) for x, y in shape.points]
                    pen.line(points, fill=shape.stroke, width=max(1, round(shape.width * k)), joint="curve")
                case Wedge():
                    (x, y), r = shape.centre, shape.radius
                    box = ((x - r) * k, (y - r) * k, (x + r) * k, (y + r) * k)
                    pen.pieslice(box, shape.start, shape.end, fill=shape.fill)
                case Text():
                    if shape.size not in fonts:
                        fonts[shape.size] = ImageFont.load_default(size=max(1.0, shape.size * k))
                    at = (shape.at[0] * k, shape.at[1] * k)
                    pen.text(at, shape.text, fill=shape.fill, font=fonts[shape.size], anchor="mm")
        return image.resize(size, Image.Resampling.BOX) if smoothing > 1 else image


def strip(stills: Sequence[tuple[Picture, str]]) -> Picture:
    """Pictures of one size in rows, as in a film strip, each with its words below."""
    first, _ = stills[0]
    across = min(len(stills), math.ceil(math.sqrt(len(stills) * WIDE)))
    gap, words = first.width * GAP, first.width * WORDS
    width, height = first.width + gap, first.height + words + gap
    whole = Picture(across * width + gap, -(-len(stills) // across) * height + gap, background=STRIP)
    whole.scale = min(first.scale, STRIP_SIDE / max(whole.width, whole.height))
    for number, (still, caption) in enumerate(stills):
        x, y = gap + number % across * width, gap + number // across * height
        corners = ((x, y), (x + still.width, y), (x + still.width, y + still.height), (x, y + still.height))
        whole.add(Polygon(corners, still.background), *(_moved(shape, x, y) for shape in still.shapes))
        whole.add(Text((x + still.width / 2, y + still.height + words / 2), caption, words * 0.6, STRIP_INK))
    return whole


def _moved(shape: Shape, x: float, y: float) -> Shape:
    match shape:
        case Polygon() | Line():
            return replace(shape, points=tuple((left + x, top + y) for left, top in shape.points))
        case Wedge():
            return replace(shape, centre=(shape.centre[0] + x, shape.centre[1] + y))
        case Text():
            return replace(shape, at=(shape.at[0] + x, shape.at[1] + y))


def check_name(path: Path) -> None:
    """Refuse a name that says neither PNG nor SVG."""
    if path.suffix.lower() not in FORMATS:
        raise BadUsage(f"a picture is written as {' or '.join(FORMATS)}, not {path.name!r}")


def render(drawing: Drawing, path: Path) -> bytes:
    """The bytes of a picture file of that name."""
    check_name(path)
    return drawing.svg() if path.suffix.lower() == ".svg" else drawing.png()


def _svg(shape: Shape) -> str:
    match shape:
        case Polygon():
            stroke = f' stroke="{shape.stroke}" stroke-width="{_n(shape.width)}"' if shape.stroke else ""
            return f'<polygon points="{_points(shape.points)}" fill="{shape.fill or "none"}"{stroke}/>'
        case Line():
            return (
                f'<polyline points="{_points(shape.points)}" fill="none" stroke="{shape.stroke}" '
                f'stroke-width="{_n(shape.width)}" stroke-linecap="round" stroke-linejoin="round"/>'
            )
        case Wedge():
            return _svg_wedge(shape)
        case Text():
            return (
                f'<text x="{_n(shape.at[0])}" y="{_n(shape.at[1])}" font-size="{_n(shape.size)}" fill="{shape.fill}" '
                f'font-family="sans-serif" text-anchor="middle" dominant-baseline="central">{escape(shape.text)}</text>'
            )


def _svg_wedge(wedge: Wedge) -> str:
    from math import cos, radians, sin

    (x, y), r = wedge.centre, wedge.radius
    ends = [(x + r * cos(radians(a)), y + r * sin(radians(a))) for a in (wedge.start, wedge.end)]
    large = int((wedge.end - wedge.start) % 360 > 180)
    (x1, y1), (x2, y2) = ends
    return (
        f'<path d="M{_n(x)} {_n(y)}L{_n(x1)} {_n(y1)}A{_n(r)} {_n(r)} 0 {large} 1 {_n(x2)} {_n(y2)}Z" '
        f'fill="{wedge.fill}"/>'
    )


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _n(value: float) -> str:
    """A short number: three decimals, no trailing zeros."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
