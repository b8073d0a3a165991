"""A run as a film: the pieces as given, the boards that a solver shows, and the answer; of a game, the play.

A solver that has more in hand than a board (the matrix of a relaxation) shows that, and then nothing else.

It is one animated picture (``.gif``, ``.webp``, or ``.png`` for APNG) or a folder of numbered frames. While the solver
works its boards are only remembered; they are drawn when the run is over, so a film takes no time from it.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from . import picture, pipeline
from .core.errors import BadUsage
from .core.files import check_writable, make_folder, write_atomically
from .core.kind import Drawing
from .core.puzzle import Moves, Puzzle, Solution

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = (".gif", ".webp", ".png")
MOST_SIDE = 640  # pixels
MOST_BOARDS = 500  # remembered
MOST_FRAMES = 200  # boards that are drawn
FRAME_MS, LAST_MS = 200, 2000
PLAY_MS, MOVE_MS = 15_000, (60, 500)  # aim of a whole play, and the least and most of a frame of it
MOST_STILLS = 200  # of a film strip
COLOUR_SAMPLES = 8  # frames that a GIF's colours are taken from


class Film:
    """Finds out before any work whether it can be written; ``show`` as the run goes, then ``finish``."""

    def __init__(self, name: str) -> None:
        self.path = Path(name)
        self._folder = name.endswith("/") or not self.path.suffix or self.path.is_dir()
        if not name or not (self._folder or self.path.suffix.lower() in FORMATS):
            kinds = ", ".join(FORMATS)
            raise BadUsage(f"a film is written as {kinds} or, with a / at the end, as a folder of frames, not {name!r}")
        if self._folder and self.path.exists():
            _check_folder(self.path)
        else:
            check_writable(self.path)
        self._boards: list[Solution] = []
        self._views: list[Callable[[], Drawing]] = []
        self._last: Solution | None = None  # the board shown last, remembered or not
        self._passed, self._stride = 0, 1  # boards shown so far, and each how many-th of them is remembered

    def show(self, board: Solution) -> None:
        """Remember a board, unless it is the last one again; of very many, as many as fit, evenly."""
        if board == self._last:
            return
        self._last = board
        if self._passed % self._stride == 0:
            self._boards.append(board)
        self._passed += 1
        if len(self._boards) > MOST_BOARDS:
            del self._boards[1::2]
            self._stride *= 2

    def view(self, draw: Callable[[], Drawing]) -> None:
        """Remember how a solver shows what it has in hand; the first ones, should they be very many."""
        if len(self._views) < MOST_FRAMES:
            self._views.append(draw)

    def finish(self, puzzle: Puzzle, solution: Solution | None) -> str:
        """Draw and write it all; the answer, if there is one, comes last. Returns what was written, in words."""
        if self._views:
            return self._write(_staged([draw() for draw in self._views]), MOVE_MS[1])
        answer = self._last if solution is None else solution
        if isinstance(answer, Moves):
            return self.play(puzzle, answer)
        boards = [*self._boards]
        for board in (self._last, solution):
            if board is not None and board not in boards[-1:]:
                boards.append(board)
        return self.write(puzzle, (pipeline.draw(puzzle, board) for board in _evenly(boards, MOST_FRAMES)))

    def play(self, puzzle: Puzzle, solution: Solution) -> str:
        """Write a film of how a solution comes about. Returns what was written, in words."""
        drawings = [*pipeline.frames(puzzle, solution, MOST_FRAMES)]
        least, most = MOVE_MS
        return self.write(puzzle, drawings, min(most, max(least, PLAY_MS // len(drawings))))

    def write(self, puzzle: Puzzle, drawings: Iterable[Drawing], frame_ms: int = FRAME_MS) -> str:
        """Write a film of the puzzle as given and these pictures. Returns what was written, in words."""
        return self._write(_frames(puzzle, drawings), frame_ms)

    def _write(self, frames: "Iterable[Image]", frame_ms: int) -> str:
        if not self._folder:
            write_atomically(self.path, _animated([*frames], self.path.suffix.lower(), frame_ms))
            return str(self.path)
        make_folder(self.path)
        number = 0
        for number, frame in enumerate(frames, start=1):
            write_atomically(self.path / _frame_name(number), _png(frame))
        return f"{number} frame{'' if number == 1 else 's'} to {self.path}/"


def strip(puzzle: Puzzle, solution: Solution, stills: int) -> picture.Picture:
    """A play as two or more stills in rows, the number of the move below each; fewer where it has fewer moves."""
    if not isinstance(solution, Moves):
        raise BadUsage(f"a film strip shows a play move by move, and {puzzle.kind} puzzles are not played")
    moves = solution.moves[: int(pipeline.check(puzzle, solution).scores["moves"])]  # as far as they are legal
    numbers = sorted({place * len(moves) // (stills - 1) for place in range(stills)})
    shown = []
    for number in numbers:
        drawing = pipeline.draw(puzzle, Moves(moves[:number]))
        assert isinstance(drawing, picture.Picture), "games are drawn as shapes"
        shown.append((drawing, f"move {number}" if number else "start"))
    return picture.strip(shown)


def _evenly(boards: Sequence[Solution], most: int) -> list[Solution]:
    """At most so many of them, the first and the last included."""
    if len(boards) <= most:
        return [*boards]
    return [boards[place * (len(boards) - 1) // (most - 1)] for place in range(most)]


def _frames(puzzle: Puzzle, drawings: Iterable[Drawing]) -> "Iterator[Image]":
    """The pieces as given, then the pictures."""
    pieces = _image(pipeline.draw(puzzle))
    stage = _Stage(pieces)
    yield stage.show(pieces)
    for drawing in drawings:
        yield stage.show(_image(drawing))


def _staged(drawings: Sequence[Drawing]) -> "Iterator[Image]":
    """Views, which are of one size."""
    stage = _Stage(_image(drawings[0]))
    return (stage.show(_image(drawing)) for drawing in drawings)


class _Stage:
    """All frames have one size and one scale, those of the first; what is smaller lies in the middle."""

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
        small = image if size == image.size else image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2)
        frame = Image.new("RGB", self.size, self.ground)
        corner = ((self.size[0] - size[0]) // 2, (self.size[1] - size[1]) // 2)
        frame.paste(small, corner, small if small.mode == "RGBA" else None)
        return frame


def _scaled(size: tuple[int, int], scale: float) -> tuple[int, int]:
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


@runtime_checkable
class _Painted(Protocol):
    """A drawing that is pixels to begin with: to pack large ones into a PNG takes ten times as long as to draw them."""

    def image(self) -> "Image":
        """The pixels."""


def _image(drawing: Drawing) -> "Image":
    """What a kind drew, as 8-bit RGB, with alpha where there is some."""
    import numpy as np
    from PIL import Image
    from PIL.PngImagePlugin import PngImageFile

    # Image.open would suspect large ones of ill intent
    image = drawing.image() if isinstance(drawing, _Painted) else PngImageFile(io.BytesIO(drawing.png()))
    if image.mode.startswith("I"):  # 16 bits, which Pillow would cut off at 255
        image = Image.fromarray((np.asarray(image).astype(np.uint16) >> 8).astype(np.uint8))
    return image.convert("RGBA" if image.has_transparency_data else "RGB")


def _png(frame: "Image") -> bytes:
    file = io.BytesIO()
    frame.save(file, "PNG")
    return file.getvalue()


def _animated(frames: Sequence["Image"], suffix: str, frame_ms: int) -> bytes:
    options: dict[str, dict[str, Any]] = {
        ".gif": {"format": "GIF", "optimize": False},
        ".webp": {"format": "WEBP", "quality": 85, "method": 2},
        ".png": {"format": "PNG", "compress_level": 3},
    }
    if suffix == ".gif":
        frames = _one_palette(frames)
    file = io.BytesIO()
    lengths = [frame_ms] * (len(frames) - 1) + [LAST_MS]
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
    if any(path.iterdir()):
        raise BadUsage(f"cannot write {path}: the folder is not empty")
    check_writable(path / _frame_name(1))


def _frame_name(number: int) -> str:
    return f"frame-{number:04d}.png"
