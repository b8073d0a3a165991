"""A run as a film: the pieces as given, each better board that a solver shows, and the answer.

It is one animated picture (``.gif``, ``.webp``, or ``.png`` for APNG) or a folder of numbered frames. The solver waits
while a frame is drawn, so drawing is kept to a small share of the run.
"""

import io
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import pipeline
from .core.errors import BadUsage
from .core.files import check_writable, reason, write_atomically
from .core.kind import Drawing
from .core.puzzle import Puzzle, Solution

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = (".gif", ".webp", ".png")
MOST_SIDE = 640  # pixels
MOST_FRAMES = 200  # held for an animated picture
EVERY_S = 0.1  # between two frames, at least
PATIENCE = 4  # and so many times as long as the last frame took to draw
FRAME_MS, LAST_MS = 200, 2000
COLOUR_SAMPLES = 8  # frames that a GIF's colours are taken from


class Film:
    """Finds out before any work whether it can be written; ``show`` as the run goes, then ``finish``."""

    def __init__(self, name: str, now: Callable[[], float] = time.monotonic) -> None:
        self.path = Path(name)
        self._folder = name.endswith("/") or not self.path.suffix or self.path.is_dir()
        if not name or not (self._folder or self.path.suffix.lower() in FORMATS):
            kinds = ", ".join(FORMATS)
            raise BadUsage(f"a film is written as {kinds} or, with a / at the end, as a folder of frames, not {name!r}")
        if self._folder and self.path.exists():
            _check_folder(self.path)
        else:
            check_writable(self.path)
        self._now = now
        self._due = -float("inf")  # when the next frame may be drawn
        self._last: Solution | None = None  # the board of the last frame
        self._waiting: Solution | None = None  # a later one that is not drawn yet
        self._stage: _Stage | None = None
        self._frames: list[Image] = []
        self._number = 0  # of frames in the folder
        self._passed, self._stride = 0, 1  # boards that could have been frames, and each how many-th of them is

    def show(self, puzzle: Puzzle, solution: Solution | None) -> None:
        """Take what a solver shows; a board that comes too soon waits, until a better one or the next call."""
        if solution is not None:
            self._waiting = solution
        if self._waiting is None or self._now() < self._due:
            return
        board, self._waiting = self._waiting, None
        if board == self._last:
            return
        self._passed += 1
        if self._passed % self._stride:
            self._due = self._now() + EVERY_S
        else:
            self._draw(puzzle, board)

    def finish(self, puzzle: Puzzle, solution: Solution | None) -> None:
        """The answer, if there is one, is the last frame; what was only held so far is written."""
        if solution != self._last or self._stage is None:
            self._draw(puzzle, solution)
        if not self._folder:
            write_atomically(self.path, _animated(self._frames, self.path.suffix.lower()))

    def _draw(self, puzzle: Puzzle, solution: Solution | None) -> None:
        if self._stage is None:
            pieces = _image(pipeline.draw(puzzle))
            self._stage = _Stage(pieces)
            self._take(self._stage.show(pieces))
        if solution is not None:
            begin = self._now()
            self._take(self._stage.show(_image(pipeline.draw(puzzle, solution))))
            self._last, end = solution, self._now()
            self._due = end + max(EVERY_S, PATIENCE * (end - begin))

    def _take(self, frame: "Image") -> None:
        if self._folder:
            self._number += 1
            _make_folder(self.path)
            write_atomically(self.path / _frame_name(self._number), _png(frame))
            return
        if len(self._frames) == MOST_FRAMES:
            del self._frames[1::2]
            self._stride *= 2
        self._frames.append(frame)


class _Stage:
    """All frames have one size and one scale, those of the pieces as given; what is smaller lies in the middle."""

    def __init__(self, first: "Image") -> None:
        self.scale = min(1.0, MOST_SIDE / max(first.size))
        self.size = _scaled(first.size, self.scale)
        colour = first.convert("RGB").getpixel((0, 0))
        assert isinstance(colour, tuple)
        self.ground = colour

    def show(self, image: "Image") -> "Image":
        """A frame."""
        from PIL import Image

        fitting = min(self.scale, *(most / side for most, side in zip(self.size, image.size, strict=True)))
        size = _scaled(image.size, fitting)
        small = image if size == image.size else image.resize(size, Image.Resampling.LANCZOS, reducing_gap=3)
        frame = Image.new("RGB", self.size, self.ground)
        corner = ((self.size[0] - size[0]) // 2, (self.size[1] - size[1]) // 2)
        frame.paste(small, corner, small if small.mode == "RGBA" else None)
        return frame


def _scaled(size: tuple[int, int], scale: float) -> tuple[int, int]:
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _image(drawing: Drawing) -> "Image":
    """What a kind drew, as 8-bit RGB, with alpha where there is some."""
    import numpy as np
    from PIL import Image
    from PIL.PngImagePlugin import PngImageFile

    image: Image.Image = PngImageFile(io.BytesIO(drawing.png()))  # Image.open would suspect large ones of ill intent
    if image.mode.startswith("I"):  # 16 bits, which Pillow would cut off at 255
        image = Image.fromarray((np.asarray(image).astype(np.uint16) >> 8).astype(np.uint8))
    return image.convert("RGBA" if image.has_transparency_data else "RGB")


def _png(frame: "Image") -> bytes:
    file = io.BytesIO()
    frame.save(file, "PNG")
    return file.getvalue()


def _animated(frames: Sequence["Image"], suffix: str) -> bytes:
    options: dict[str, dict[str, Any]] = {
        ".gif": {"format": "GIF", "optimize": False},
        ".webp": {"format": "WEBP", "quality": 85, "method": 2},
        ".png": {"format": "PNG", "compress_level": 3},
    }
    if suffix == ".gif":
        frames = _one_palette(frames)
    file = io.BytesIO()
    lengths = [FRAME_MS] * (len(frames) - 1) + [LAST_MS]
    frames[0].save(file, save_all=True, append_images=frames[1:], duration=lengths, loop=0, **options[suffix])
    return file.getvalue()


def _one_palette(frames: Sequence["Image"]) -> list["Image"]:
    """The same 256 colours in all frames, so that what does not move does not flicker."""
    from PIL import Image

    samples = frames[:: -(-len(frames) // COLOUR_SAMPLES)]
    width, height = frames[0].size
    strip = Image.new("RGB", (width, height * (len(samples) + 1)))
    for place, frame in enumerate([*samples, frames[-1]]):
        strip.paste(frame, (0, place * height))
    palette = strip.quantize(256)
    return [frame.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG) for frame in frames]


def _check_folder(path: Path) -> None:
    if not path.is_dir():
        raise BadUsage(f"cannot write {path}: it is not a folder")
    if any(path.glob("frame-*.png")):
        raise BadUsage(f"cannot write {path}: the folder holds frames already")
    check_writable(path / _frame_name(1))


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise BadUsage(f"cannot make the folder {path}: {reason(error)}") from None


def _frame_name(number: int) -> str:
    return f"frame-{number:04d}.png"
