"""One picture a piece, in a folder or a ZIP archive, in the order of their names.

Of a piece with two sides there are two pictures, NAME-front and NAME-back.
"""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ..core import limits
from ..core.errors import BadInput
from ..core.files import reason
from ..core.puzzle import Puzzle
from ..core.source import MAX_BYTES, Source
from . import notes
from .cutting import listed
from .images import MOST_PIXELS, Pixels, enriched, holds, open_picture, png_bytes, richest
from .puzzle import CHANNELS, Jigsaw, Reading
from .scan import reading as scan

NOTE_FILE = "dovetail.json"
MOST_FILES, MOST_ENTRIES, MOST_BYTES = limits.ARCHIVE_PICTURES, limits.ARCHIVE_ENTRIES, limits.ARCHIVE_BYTES
MOST_TRIMMED = 3  # pixels by which pieces may differ

_IGNORED = {"thumbs.db", "desktop.ini", "__macosx"}  # what systems leave behind, besides hidden files
_SIDES = ("front", "back")
_CENTRAL = b"PK\x01\x02"  # before every entry in the list of contents of a ZIP archive

Entry: TypeAlias = tuple[str, Callable[[], bytes]]


def write_zip(puzzle: Puzzle) -> bytes:
    """Equal puzzles give equal bytes."""
    assert isinstance(puzzle, Jigsaw)
    digits = max(4, len(str(puzzle.count)))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(entry(NOTE_FILE), notes.written(puzzle) + "\n")
        for number, piece in enumerate(puzzle.faces, start=1):
            for side, face in zip(_SIDES, piece, strict=False):
                suffix = f"-{side}" if puzzle.sides == 2 else ""
                archive.writestr(entry(f"piece-{number:0{digits}}{suffix}.png"), png_bytes(face, {}))
    return packed.getvalue()


def read_folder(source: Source, settings: Reading) -> list[Puzzle]:
    """All pictures of a folder or an archive; what is not known from a note of ours must be set, or stays unknown."""
    entries = _entries_of_folder(source.folder) if source.folder is not None else _entries_of_zip(source)
    note_files: list[Entry] = []
    pictures: list[Entry] = []
    for name, content in sorted(entries, key=lambda entry: _natural(entry[0])):
        (note_files if Path(name).name == NOTE_FILE else pictures).append((name, content))
    if not 0 < len(pictures) <= MOST_FILES or len(note_files) > 1:
        raise BadInput(
            f"{source.name} holds {len(pictures)} files for pieces and {len(note_files)} named {NOTE_FILE}; "
            f"1 to {MOST_FILES} and at most one are expected"
        )
    texts = [content().decode(errors="replace") for _, content in note_files]
    with notes.about(source.name):
        note = notes.parsed(texts[0], NOTE_FILE) if texts else None
        sides = (settings.sides or 1) if note is None else notes.sides(note, NOTE_FILE)
        if sides == 2:
            pictures = _paired(pictures)
    pictures = [(_printable(name), content) for name, content in pictures]
    faces = _decoded(pictures, source.name)
    with notes.about(source.name):
        sheets = [(name, face) for (name, _), face in zip(pictures, faces, strict=True)]
        if note is None and scan.is_scan(sheets, settings):
            return [notes.as_set(scan.read_scans(sheets, settings), settings)]
        fitting = faces if note is not None else _trimmed(faces)
        _refuse_odd_one_out([name for name, _ in pictures], fitting)
        puzzle = _puzzle(note, fitting, sides, settings, source.name)
        return [puzzle if fitting is faces else replace(puzzle, found_out=(_trimmed_text(faces, fitting[0]),))]


def _paired(pictures: list[Entry]) -> list[Entry]:
    """Fronts and backs in turn."""
    sides: dict[str, dict[str, Entry]] = {}
    for name, content in pictures:
        found = re.fullmatch(r"(.*?)[-_ ]?(front|back)(\.[^.]*)?", name, re.IGNORECASE | re.DOTALL)
        if found is None:
            raise BadInput(f"{_printable(name)} is not named as a front or back of two-sided pieces, like 1-front.png")
        piece, side = found[1], found[2].lower()
        if side in sides.setdefault(piece, {}):
            other = sides[piece][side][0]
            raise BadInput(f"{_printable(other)} and {_printable(name)} are both the {side} of one piece")
        sides[piece][side] = name, content
    for both in sides.values():
        for side, other in (_SIDES, _SIDES[::-1]):
            if side not in both:
                raise BadInput(f"{_printable(both[other][0])} is the {other} of a piece that has no {side}")
    return [sides[piece][side] for piece in sorted(sides, key=_natural) for side in _SIDES]


def _decoded(pictures: list[Entry], where: str) -> list[Pixels]:
    faces: list[Pixels] = []
    total = 0
    for name, content in pictures:
        picture = open_picture(content(), f"{where}, {name}")
        if picture.fractions:  # each would be scaled by itself
            raise BadInput(f"{where}, {name} has fractions for grey values; of pieces whole numbers are read")
        faces.append(picture.pixels)
        total += faces[-1].shape[0] * faces[-1].shape[1]
        if total > MOST_PIXELS:
            raise BadInput(f"the pictures in {where} have more than {MOST_PIXELS:,} pixels together")
    return faces


def _puzzle(note: dict[str, Any] | None, faces: list[Pixels], sides: int, settings: Reading, name: str) -> Jigsaw:
    (height, width, _), count = faces[0].shape, len(faces) // sides
    known = {"piece": (height, width), "pieces": count, "spacing": 0, "margin": 0}
    notes.refuse_contradictions(settings, known | (notes.known_from(note) if note is not None else {}), name)
    channels = richest({face.shape[2] for face in faces})
    depth = max(8 * face.dtype.itemsize for face in faces)
    if note is None:
        flags = notes.flags(settings)
        frame = notes.frame(settings, count, flags)
        return notes.as_set(listed(_stacked(faces, sides, channels, depth), frame, **flags), settings)
    said_channels, said_depth = note.get("channels"), note.get("depth")
    said = (*notes.piece_and_count(note, NOTE_FILE)[:2], said_depth)
    if said != (height, width, depth) or type(said_channels) is not int or not holds(said_channels, channels):
        raise BadInput(
            f"{NOTE_FILE} does not go with the pictures, which are {width}x{height} pixels of {depth} bits, "
            f"{CHANNELS[channels]}"
        )
    if note.get("frame") is None and (frame := notes.frame(settings, count, note)):
        note["frame"] = [*frame]
    return notes.puzzle_of(note, listed(_stacked(faces, sides, said_channels, depth)).pixels, settings)


def _stacked(faces: list[Pixels], sides: int, channels: int, depth: int) -> Pixels:
    """[count, sides, height, width, channels]"""
    stacked = np.stack([enriched(face, channels, depth) for face in faces])
    return stacked.reshape(-1, sides, *stacked.shape[1:])


def _trimmed(faces: list[Pixels]) -> list[Pixels]:
    """Pieces that differ in size by a pixel or two, as they do when cut by hand, all cut to the least; their middles.

    The same list where they do not differ, or by more.
    """
    sizes = np.array([face.shape[:2] for face in faces])
    (height, width), most = sizes.min(axis=0).tolist(), int(np.ptp(sizes, axis=0).max())
    if not 0 < most <= MOST_TRIMMED or 8 * most > min(height, width):
        return faces
    return [
        face[top : top + height, left : left + width]
        for face, top, left in zip(faces, *((sizes - (height, width)) // 2).T.tolist(), strict=True)
    ]


def _trimmed_text(faces: list[Pixels], common: Pixels) -> str:
    """What was done to them, for people."""
    height, width = common.shape[:2]
    larger = sum(face.shape[:2] != (height, width) for face in faces)
    return f"pieces differ in size: of {larger} larger ones the middle is taken, {width}x{height} pixels"


def _refuse_odd_one_out(names: list[str], pieces: list[Pixels]) -> None:
    sizes = [(piece.shape[1], piece.shape[0]) for piece in pieces]
    usual = Counter(sizes).most_common(1)[0][0]
    for name, size in zip(names, sizes, strict=True):
        if size != usual:
            raise BadInput(f"{name} is {size[0]}x{size[1]} pixels, the other pieces are {usual[0]}x{usual[1]}")


def _entries_of_folder(folder: Path) -> Iterator[Entry]:
    """What lies in the folder itself; nothing is read before it is asked for."""
    total = 0

    def content(path: Path) -> bytes:
        nonlocal total
        try:
            with path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise BadInput(f"cannot read {_printable(str(path))}: {reason(error)}") from None
        total += len(data)
        _refuse_too_large(str(folder), _printable(path.name), len(data), total)
        return data

    try:
        for number, path in enumerate(folder.iterdir()):
            if number == MOST_ENTRIES:
                raise BadInput(f"{folder} holds more than {MOST_ENTRIES:,} files")
            if _is_ignored(path.name):
                continue
            if not path.is_file():  # a pipe would be waited for without end
                raise BadInput(f"{folder}, {_printable(path.name)} is not a file; only pictures of pieces belong here")
            yield path.name, partial(content, path)
    except OSError as error:
        raise BadInput(f"cannot read {folder}: {reason(error)}") from None


def _entries_of_zip(source: Source) -> Iterator[Entry]:
    """What the archive holds, in memory; all sizes are looked at before anything is unpacked."""
    if source.data.count(_CENTRAL) > MOST_ENTRIES:
        raise BadInput(f"{source.name} holds more than {MOST_ENTRIES:,} files")
    try:
        archive = zipfile.ZipFile(io.BytesIO(source.data))
    except Exception:  # zipfile raises nearly everything on hostile bytes
        raise BadInput(f"cannot read {source.name}: it is a truncated or damaged ZIP archive") from None

    def content(info: zipfile.ZipInfo) -> bytes:
        try:
            return archive.read(info)  # never more than the size it announces, which was looked at
        except Exception:
            raise BadInput(f"cannot read {source.name}, {_printable(info.filename)}: it is damaged") from None

    total = 0
    for info in archive.infolist():
        shown = _printable(info.filename)
        if info.filename.endswith("/") or any(_is_ignored(part) for part in Path(info.filename).parts):
            continue
        if info.flag_bits & 1:
            raise BadInput(f"cannot read {source.name}, {shown}: it is encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others unpack without measure
            raise BadInput(f"cannot read {source.name}, {shown}: its compression is not read here")
        total += info.file_size
        _refuse_too_large(source.name, shown, info.file_size, total)
        yield info.filename, partial(content, info)


def _refuse_too_large(name: str, entry: str, size: int, total: int) -> None:
    if size > MAX_BYTES:
        raise BadInput(f"{name}, {entry} is larger than {MAX_BYTES // 2**20} MiB")
    if total > MOST_BYTES:
        raise BadInput(f"the files in {name} are larger than {MOST_BYTES // 2**20} MiB together")


def _is_ignored(name: str) -> bool:
    return (name.startswith(".") and name != "..") or name.lower() in _IGNORED


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """A sorting key by which 2 comes before 10; not by int(), which refuses very long ones."""
    parts = re.split(r"([0-9]+)", name.casefold())
    numbered = [(len(part.lstrip("0")), part.lstrip("0")) if n % 2 else (0, part) for n, part in enumerate(parts)]
    return numbered, name


def _printable(name: str) -> str:
    short = name if len(name) <= 80 else name[:77] + "…"
    return short if short.isprintable() else ascii(short)[1:-1]


def entry(name: str) -> zipfile.ZipInfo:
    """Of an archive whose bytes do not depend on the day."""
    info = zipfile.ZipInfo(name)  # of 1980, whatever the day
    info.create_system, info.external_attr = 3, 0o644 << 16
    return info
