"""Everything a visitor can use up, in one place, with what they are told when it is used up."""

import re
from dataclasses import dataclass
from typing import Any

from ..core.puzzle import Puzzle
from ..pipeline import DEFAULT_TIME_S
from .problems import Problem

MIB = 2**20


@dataclass(frozen=True)
class Limits:
    """The readers' own limits hold as well; these are what a server that others can reach adds to them."""

    upload_bytes: int = 32 * MIB  # of one request
    pixels: int = 50_000_000  # of one picture, looked up before it is decoded
    pieces: int = 20_000
    time_s: float = 3600.0  # of one job, raised time included
    default_time_s: float = DEFAULT_TIME_S
    memory_mb: float = 4096.0  # of one worker process and what it starts
    warm_up_s: float = 180.0  # for reading and compiling, on top of a job's time
    finish_s: float = 60.0  # for the last slice, checking and drawing, on top of that
    desk_s: float = 30.0  # for reading, making, checking or drawing one puzzle on request
    queue: int = 200  # jobs waiting
    waiting: int = 64  # requests waiting to be read
    paused: int = 8  # each holds its memory
    followers: int = 64  # event streams at once
    kept_jobs: int = 1000
    kept_days: float = 30.0
    kept_bytes: int = 1024 * MIB
    step_bytes: int = 16 * MIB  # of the pictures of one explanation
    input_hours: float = 24.0  # an upload that no job uses

    def refuse_bytes(self, size: int) -> None:
        """An upload must fit."""
        if size > self.upload_bytes:
            raise Problem("too_large", f"an upload may have at most {self.upload_bytes // MIB} MiB")

    def refuse_pixels(self, data: bytes) -> None:
        """A picture must fit, by what its header says; in a worker, since the header is a visitor's too."""
        pixels = pixels_of(data)
        if pixels > self.pixels:
            raise Problem("too_large", f"a picture may have at most {self.pixels:,} pixels here, not {pixels:,}")

    def refuse_pieces(self, puzzle: Puzzle) -> None:
        """So must a puzzle."""
        pieces = pieces_of(puzzle)
        if pieces > self.pieces:
            raise Problem("too_large", f"a puzzle may have at most {self.pieces:,} pieces here, not {pieces:,}")

    def refuse_time(self, seconds: float) -> None:
        """So must a job's time."""
        if seconds > self.time_s:
            raise Problem("too_large", f"a job may take at most {self.time_s:g} seconds here, not {seconds:g}")

    def refuse_queue(self, waiting: int) -> None:
        """A full queue takes no more."""
        if waiting >= self.queue:
            raise Problem("queue_full", f"{waiting} jobs are waiting already; try again when some are done")


def refuse_paths(given: Any) -> None:
    """Settings and hints of visitors name no files: whatever could be a path is refused, wherever it stands.

    What is left are plain names. Workers live in an empty folder, so that these find nothing either.
    """
    if isinstance(given, dict):
        for key, value in given.items():
            refuse_paths(key)
            refuse_paths(value)
    elif isinstance(given, list):
        for value in given:
            refuse_paths(value)
    elif isinstance(given, str) and (re.search(r"[/\\\0]", given) or re.match(r"\s*(~|\.(?!\d))", given)):
        raise Problem("bad_usage", f"settings and hints given here cannot name files, as {given[:60]!r} may")


def pixels_of(data: bytes) -> int:
    """How large a picture calls itself; 0 of what is no picture."""
    import io
    import warnings

    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            image = Image.open(io.BytesIO(data))
            return image.width * image.height
        except Image.DecompressionBombError:  # Pillow's own limit is far above ours
            return Image.MAX_IMAGE_PIXELS or 2**31
        except Exception:  # decoders raise nearly everything; the readers say what is wrong
            return 0


def pieces_of(puzzle: Puzzle) -> int:
    """How many pieces or cells it has: what it counts itself, else the longest list that it is made of."""
    counted = getattr(puzzle, "count", None)
    if isinstance(counted, int):
        return counted
    lists = [value for value in vars(puzzle).values() if isinstance(value, tuple)]
    return max((sum(len(one) if isinstance(one, str) else 1 for one in each) for each in lists), default=0)
