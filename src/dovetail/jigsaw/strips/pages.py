"""Pages of paper to shred, as many as there are seeds: text in columns, headings, lists, tables, charts, photographs.

Words are made up. What differs from page to page, by its seed: the cut of the letters (upright or slanted, bold,
narrow, wide, of fixed pitch), their size, how far lines are apart, columns, margins, justified or ragged lines, and
how the page lay on the scanner: turned by up to 0.3 degrees, a little out of focus, on paper not quite white.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..images import Pixels

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

HEIGHT, WIDTH = 1403, 992  # A4 at 120 dots an inch
MOST_SKEW = 0.3  # degrees
PHOTOGRAPHS = ("camera", "coins", "moon", "astronaut", "chelsea", "rocket")
HEADS = (
    "", "", "b", "br", "c", "ch", "d", "f", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "qu", "r", "s", "st", "t",
    "th", "tr", "v", "w", "y", "z",
)  # fmt: skip
VOWELS = ["a", "e", "e", "i", "o", "u", "ea", "io", "ou"]
TAILS = ["", "", "", "l", "n", "nd", "ng", "r", "rs", "s", "st", "t", "x", "ck", "m"]
VOCABULARY = 900  # words of a document

Ink = NDArray[np.float32]  # [height, width]: 0 is paper, 1 is ink


@dataclass(frozen=True)
class Style:
    """How the text of a document looks."""

    size: int  # of the letters, in pixels
    leading: float  # from line to line, in sizes
    slant: float  # how far a letter leans, as a share of its height
    stretch: float  # how wide letters are, as a share of what they usually are
    bold: int  # pixels added around every stroke
    pitch: float  # of letters that all take the same space, in sizes; 0 if each takes its own
    columns: int
    gutter: int  # pixels between two columns
    justified: bool
    indent: float  # of a paragraph's first line, in sizes; where it is 0, paragraphs are set apart
    margins: tuple[int, int, int, int]  # top, right, bottom, left, in pixels


def page(document: int, number: int = 1, font: str | None = None) -> Pixels:
    """One page of a document; pages of one document look alike and say different things. Grey. [HEIGHT, WIDTH, 1]"""
    style = _style(np.random.default_rng([document, 0]))
    composer = _Composer(style, np.random.default_rng([document, number]), font)
    composer.fill(number)
    return composer.scanned()


def _style(rng: np.random.Generator) -> Style:
    size = int(rng.integers(13, 23))
    columns = int(rng.choice([1, 1, 2, 2, 3])) if size <= 17 else 1
    fixed = rng.random() < 0.15
    side, top = rng.integers(48, 115, 2)
    left, right = side + rng.integers(-8, 9, 2)
    return Style(
        size=size,
        leading=float(rng.uniform(1.12, 1.55)),
        slant=float(rng.choice([0, 0, 0, 0.2])),
        stretch=float(rng.choice([0.82, 0.92, 1.0, 1.0, 1.12])),
        bold=int(rng.random() < 0.15),
        pitch=0.6 if fixed else 0.0,
        columns=columns,
        gutter=int(rng.integers(18, 32)),
        justified=bool(rng.random() < 0.6) and not fixed,
        indent=float(rng.choice([0.0, 1.5])),
        margins=(int(top), int(right), int(top + rng.integers(0, 30)), int(left)),
    )


class _Letters:
    """Words as ink, in one cut of the letters; each word is drawn once."""

    def __init__(self, style: Style, size: int, bold: int, font: str | None) -> None:
        self.font = _font(size, font)
        self.style, self.size, self.bold = style, size, bold
        self.drawn: dict[str, Ink] = {}
        self.space = round((style.pitch or 0.27 * style.stretch) * size)

    def word(self, text: str) -> Ink:
        """From the ascenders' top to the descenders' bottom. [1.3 sizes, width]"""
        if text not in self.drawn:
            self.drawn[text] = self._draw(text)
        return self.drawn[text]

    def _draw(self, text: str) -> Ink:
        from PIL import Image, ImageDraw

        style, size = self.style, self.size
        pitch = style.pitch * size
        wide = pitch * len(text) if pitch else self.font.getlength(text)
        height, lean = round(1.3 * size), style.slant * size
        canvas = Image.new("L", (round(wide + lean) + 4, height))
        pen = ImageDraw.Draw(canvas)
        for at, part in enumerate(text if pitch else [text]):
            inside = (pitch - self.font.getlength(part)) / 2 if pitch else 0.0
            pen.text((2 + at * pitch + inside, size), part, 255, self.font, "ls", stroke_width=self.bold)
        if style.slant:
            shear = (1.0, style.slant, -style.slant * size, 0.0, 1.0, 0.0)
            canvas = canvas.transform(canvas.size, Image.Transform.AFFINE, shear, Image.Resampling.BILINEAR)
        if style.stretch != 1 and not pitch:
            canvas = canvas.resize((max(2, round(canvas.width * style.stretch)), height), Image.Resampling.LANCZOS)
        return np.asarray(canvas, np.float32) / np.float32(255)


def _font(size: int, path: str | None) -> "FreeTypeFont":
    """The one that Pillow brings, or that of a file; letters are set one by one, alike on all machines."""
    from PIL import ImageFont

    from ...core.errors import BadUsage

    if path is not None:
        try:
            return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
        except OSError:
            raise BadUsage(f"font is a TrueType file, and {path[:80]!r} cannot be read as one") from None
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise BadUsage(
            "this Pillow was built without FreeType and cannot draw letters; set image to a picture of yours"
        )
    return font.font_variant(layout_engine=ImageFont.Layout.BASIC)


class _Composer:
    """Fills a page from the top, column by column."""

    def __init__(self, style: Style, rng: np.random.Generator, font: str | None) -> None:
        self.style, self.rng, self.font = style, rng, font
        self.ink = np.zeros((HEIGHT, WIDTH), np.float32)
        self.letters = _Letters(style, style.size, style.bold, font)
        self.words = _vocabulary(rng)
        self.top, right, bottom, self.left = style.margins
        self.right, self.bottom = WIDTH - right, HEIGHT - bottom

    def fill(self, number: int) -> None:
        """Running head or foot, a title perhaps, and blocks until the page is full."""
        rng, style = self.rng, self.style
        titled = rng.random() < 0.5
        above = rng.random() < 0.4 or style.columns > (2 if titled else 1)  # else nothing tells the order of columns
        if above:
            self._line_of_words(self.top - round(1.8 * style.size), self.left, self.right, self._some(6), "centre")
            self.ink[self.top - 5 : self.top - 3, self.left : self.right] = 0.8
        if rng.random() < 0.6:
            self._line_of_words(self.bottom + style.size, self.left, self.right, [f"{number}", "/", "40"], "centre")
        top = self._title() if titled else self.top
        wide = (self.right - self.left - (style.columns - 1) * style.gutter) // style.columns
        for column in range(style.columns):
            left = self.left + column * (wide + style.gutter)
            last = column == style.columns - 1 and rng.random() < 0.3
            self._column(top, left, left + wide, self.bottom - (int(rng.integers(100, 500)) if last else 0))

    def scanned(self) -> Pixels:
        """What a scanner makes of it."""
        from PIL import Image, ImageFilter

        rng = self.rng
        paper, black = rng.uniform(240, 255), rng.uniform(10, 60)
        grey = np.rint(paper + (black - paper) * self.ink.clip(0, 1)).astype(np.uint8)
        image = Image.fromarray(grey)
        turned = image.rotate(
            rng.uniform(-MOST_SKEW, MOST_SKEW), Image.Resampling.BILINEAR, fillcolor=int(np.rint(paper))
        )
        if rng.random() < 0.5:
            turned = turned.filter(ImageFilter.GaussianBlur(rng.uniform(0.2, 0.7)))
        return np.asarray(turned)[:, :, np.newaxis]

    def _column(self, top: int, left: int, right: int, bottom: int) -> None:
        """Blocks below each other, whatever comes; mostly paragraphs."""
        blocks: list[Callable[[int, int, int, int], int]] = [self._paragraph] * 12
        blocks += [self._heading, self._heading, self._list, self._table, self._chart, self._photograph]
        first = True
        while top + 2 * self.style.size < bottom:
            block = self._paragraph if first else blocks[int(self.rng.integers(len(blocks)))]
            top = block(top, left, right, bottom)
            first = False

    def _title(self) -> int:
        size = int(self.rng.integers(26, 46))
        letters = _Letters(self.style, size, int(self.rng.random() < 0.5), self.font)
        top = self.top
        for words in (self._some(4), self._some(3))[: int(self.rng.integers(1, 3))]:
            self._set(top, self.left, self.right, [word.capitalize() for word in words], letters, "centre")
            top += round(1.35 * size)
        return top + self.style.size

    def _paragraph(self, top: int, left: int, right: int, bottom: int) -> int:
        style, words = self.style, self._sentences(int(self.rng.integers(15, 110)))
        step, indent = round(style.leading * style.size), round(style.indent * style.size)
        while words and top + step < bottom:
            line, words = self._fitting(words, right - left - indent)
            how = "justified" if style.justified and words else "left"
            self._line_of_words(top, left + indent, right, line, how)
            top, indent = top + step, 0
        return top + (0 if style.indent else round(0.6 * step))

    def _heading(self, top: int, left: int, right: int, bottom: int) -> int:
        size = round(1.3 * self.style.size)
        if top + 4 * size > bottom:
            return bottom
        letters = _Letters(self.style, size, 1, self.font)
        top += size // 2
        words = [f"{self.rng.integers(1, 9)}.{self.rng.integers(1, 9)}", *self._some(3)]
        self._set(top, left, right, words, letters, "left")
        return top + round(1.7 * size)

    def _list(self, top: int, left: int, right: int, bottom: int) -> int:
        step, size = round(self.style.leading * self.style.size), self.style.size
        for number in range(int(self.rng.integers(3, 7))):
            if top + step > bottom:
                break
            line, _ = self._fitting([f"{number + 1}.", *self._some(12)], right - left - 2 * size)
            self._line_of_words(top, left + 2 * size, right, line, "left")
            top += step
        return top + step // 2

    def _table(self, top: int, left: int, right: int, bottom: int) -> int:
        rows, cols = int(self.rng.integers(3, 8)), 2 + (right - left) // (9 * self.style.size)
        step = round(1.6 * self.style.size)
        if top + (rows + 1) * step > bottom:
            return self._paragraph(top, left, right, bottom)
        top += step // 3
        edges = np.linspace(left, right - 1, cols + 1).astype(int)
        for row in range(rows + 1):
            self.ink[top + row * step, left:right] = 1
        ruled = self.rng.random() < 0.5
        for col in range(cols):
            if ruled:
                self.ink[top : top + rows * step, edges[col]] = 1
            for row in range(rows):
                number = f"{self.rng.integers(0, 10000) / 100:.2f}"
                cell = self._some(1) if row == 0 or col == 0 else [number]
                self._set(
                    top + row * step + 3, edges[col] + 4, edges[col + 1] - 4, cell, self.letters,
                    "left" if col == 0 else "right",
                )  # fmt: skip
        if ruled:
            self.ink[top : top + rows * step, right - 1] = 1
        return top + rows * step + step

    def _chart(self, top: int, left: int, right: int, bottom: int) -> int:
        """Axes and two curves."""
        from PIL import Image, ImageDraw

        height = int(self.rng.integers(130, 240))
        if top + height + 40 > bottom:
            return self._paragraph(top, left, right, bottom)
        canvas = Image.new("L", (right - left, height))
        pen = ImageDraw.Draw(canvas)
        pen.line([(20, 5), (20, height - 20), (right - left - 5, height - 20)], 255, 2)
        for _ in range(2):
            steps = self.rng.normal(0, height / 12, 24).cumsum() + height / 2
            xs = np.linspace(20, right - left - 8, 24)
            points = [*zip(xs.tolist(), steps.clip(6, height - 26).tolist(), strict=True)]
            pen.line(points, int(self.rng.integers(140, 256)), int(self.rng.integers(1, 4)))
        part = np.s_[top : top + height, left:right]
        self.ink[part] = np.maximum(self.ink[part], np.asarray(canvas, np.float32) / np.float32(255))
        self._line_of_words(top + height + 4, left, right, ["Figure", "3:", *self._some(3)], "centre")
        return top + height + 3 * self.style.size

    def _photograph(self, top: int, left: int, right: int, bottom: int) -> int:
        from PIL import Image

        from ..cutting import built_in
        from ..gapped_cutting import in_colour

        height = int(self.rng.integers(120, 260))
        if top + height + 40 > bottom:
            return self._paragraph(top, left, right, bottom)
        name = str(self.rng.choice(PHOTOGRAPHS))
        grey = Image.fromarray(in_colour(built_in(name))).convert("L")
        shown = grey.resize((right - left, height), Image.Resampling.BILINEAR)
        self.ink[top : top + height, left:right] = 1 - np.asarray(shown, np.float32) / np.float32(255)
        return top + height + self.style.size

    def _sentences(self, count: int) -> list[str]:
        words = self._some(count)
        capital = True
        for at, word in enumerate(words):
            words[at] = word.capitalize() if capital else word
            ends = self.rng.random()
            capital = ends < 0.08
            words[at] += "." if capital else "," if ends < 0.18 else ""
        return words

    def _some(self, count: int) -> list[str]:
        """Words, the first of the vocabulary most often, as in any language."""
        ranks = np.minimum(self.rng.pareto(0.7, count) * 6, len(self.words) - 1).astype(int)
        return [self.words[rank] for rank in ranks]

    def _fitting(self, words: list[str], room: int) -> tuple[list[str], list[str]]:
        """As many as go into a line, one at least, and the rest."""
        used = 0
        for at, word in enumerate(words):
            used += self.letters.word(word).shape[1] + (self.letters.space if at else 0)
            if used > room and at:
                return words[:at], words[at:]
        return words, []

    def _line_of_words(self, top: int, left: int, right: int, words: list[str], how: str) -> None:
        self._set(top, left, right, words, self.letters, how)

    def _set(self, top: int, left: int, right: int, words: list[str], letters: _Letters, how: str) -> None:
        """One line; what is too long for it is cut off."""
        drawn = [letters.word(word) for word in words]
        natural = sum(word.shape[1] for word in drawn) + letters.space * (len(drawn) - 1)
        spare = max(0, right - left - natural)
        at = float(left + {"centre": spare / 2, "right": spare}.get(how, 0))
        gap = letters.space + (spare / max(1, len(drawn) - 1) if how == "justified" and spare < natural / 3 else 0)
        for word in drawn:
            start, stop = round(at), min(round(at) + word.shape[1], right)
            part = self.ink[top : top + len(word), start:stop]
            np.maximum(part, word[: len(part), : part.shape[1]], out=part)
            at += word.shape[1] + gap


def _vocabulary(rng: np.random.Generator) -> list[str]:
    """Made up of syllables; short words come first."""
    words = []
    for rank in range(VOCABULARY):
        count = 1 if rank < 25 else int(rng.integers(1, 4))
        parts = [[str(rng.choice(options)) for options in (HEADS, VOWELS, TAILS)] for _ in range(count)]
        words.append("".join("".join(part) for part in parts))
    return words
