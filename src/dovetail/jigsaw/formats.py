"""Pieces as people have them: all in one picture, or one picture a piece.

Only recognising happens here, so that a list of formats costs nothing; the readers are imported when they are needed.
"""

import itertools
import os
import re
from dataclasses import replace
from pathlib import Path

from ..core.errors import BadUsage
from ..core.kind import Format
from ..core.puzzle import Puzzle
from ..core.source import Source
from .gapped import Gapped
from .puzzle import Reading
from .scan.puzzle import Scanned
from .strips.puzzle import Strips

# how pictures begin, as far as it can be told without Pillow; those at the end are text files
_PICTURE = re.compile(
    rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|BM.{4}\0{4}|II\*\0|MM\0\*|II\+\0|MM\0\+|RIFF.{4}WEBP|8BPS|qoif|"
    rb"\0\0\0\x0cjP  |\xff\x4f\xff\x51|.{4}ftypavi[fs]|P[1-6]\s+[0-9#]|/\* XPM \*/",
    re.DOTALL,
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_MOST_LOOKED_AT = 100  # files of a folder


def _is_picture(source: Source) -> bool:
    if source.folder is not None:
        return False
    if _PICTURE.match(source.data):
        return True
    if source.is_text or source.data.startswith(_ZIP):
        return False
    from .images import identified

    return identified(source.data, Path(source.name).suffix)


def _is_folder_of_pictures(source: Source) -> bool:
    if source.folder is None:
        return source.data.startswith(_ZIP)
    try:
        with os.scandir(source.folder) as entries:
            return any(_begins_like_a_picture(entry) for entry in itertools.islice(entries, _MOST_LOOKED_AT))
    except OSError:
        return False


def _begins_like_a_picture(entry: "os.DirEntry[str]") -> bool:
    if entry.name.startswith(".") or not entry.is_file():
        return False
    try:
        with open(entry.path, "rb") as file:
            return _PICTURE.match(file.read(32)) is not None
    except OSError:
        return False


def _read_sheet(source: Source, settings: Reading) -> list[Puzzle]:
    from .sheet import read_sheet

    return read_sheet(source, settings)


def _write_sheet(puzzle: Puzzle) -> bytes:
    from .sheet import write_sheet

    if isinstance(puzzle, Scanned) and puzzle.as_sheets:
        from .scan.making import written_as_picture

        return written_as_picture(puzzle)
    return write_sheet(puzzle)


def _read_folder(source: Source, settings: Reading) -> list[Puzzle]:
    from .folder import read_folder

    return read_folder(source, settings)


def _write_zip(puzzle: Puzzle) -> bytes:
    from .folder import write_zip

    if isinstance(puzzle, Scanned) and puzzle.as_sheets:
        from .scan.making import written_as_archive

        return written_as_archive(puzzle)
    return write_zip(puzzle)


PNG = Format(
    "png", "a picture of the pieces in rows, shuffled, backs below fronts; piece size in its metadata", _is_picture,
    _read_sheet, _write_sheet,
)  # fmt: skip
ZIP = Format(
    "zip", "a folder or ZIP archive of piece pictures, in the order of their names, -front and -back",
    _is_folder_of_pictures, _read_folder, _write_zip,
)  # fmt: skip

FORMATS = (PNG, ZIP)


def _with_gaps(form: Format) -> Format:
    """The same for puzzles with gaps alone."""

    def read(source: Source, settings: Reading) -> list[Puzzle]:
        puzzles = form.read(source, settings)
        for puzzle in puzzles:
            if puzzle.kind != Gapped.kind:
                raise BadUsage(f"{source.name} does not say how wide the gaps are; set gap, in pixels, as in gap=4")
        return puzzles

    return replace(form, read=read)


GAPPED = (_with_gaps(PNG), _with_gaps(ZIP))


def _of_strips(form: Format) -> Format:
    """The same for shredded paper alone."""

    def read(source: Source, settings: Reading) -> list[Puzzle]:
        silent = f"{source.name} does not say that it is shredded paper; set strips, how many there are"
        if form is PNG and source.folder is None and settings.strips is None and settings.cross is None:
            from .images import NOTE, open_picture

            if NOTE not in open_picture(source.data, source.name).text:  # how large pieces are need not be asked
                raise BadUsage(silent)
        puzzles = form.read(source, settings)
        if any(puzzle.kind != Strips.kind for puzzle in puzzles):
            raise BadUsage(silent)
        return puzzles

    return replace(form, read=read)


STRIPS = (_of_strips(PNG), _of_strips(ZIP))
