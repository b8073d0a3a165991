"""All pieces in one picture, in rows: a shuffled picture, or a sheet of pieces with space between them.

Of pieces with two sides the fronts come first, and as many rows of backs below, in the same order.
"""

import math
from dataclasses import replace

import numpy as np

from ..core.errors import BadInput, BadUsage
from ..core.puzzle import Puzzle
from ..core.source import Source
from . import detecting, notes
from .cutting import cut, listed, piece_size
from .detecting import Axis, Tiles
from .edges import colours_of
from .images import NOTE, OpenPicture, Pixels, enriched, open_picture, png_bytes
from .puzzle import CHANNELS, MOST_PIECES, Jigsaw, Reading
from .strips import reading as strips_reading
from .strips.puzzle import Strips


def write_sheet(puzzle: Puzzle) -> bytes:
    """The pieces in the rows of the frame, if there are as many as cells; else nearly square, its last row short."""
    assert isinstance(puzzle, Jigsaw)
    count, sides, height, width, channels = puzzle.faces.shape
    cols = _columns(puzzle)
    rows = -(-count // cols)
    cells = np.zeros((sides, rows * cols, height, width, channels), puzzle.faces.dtype)
    cells[:, :count] = puzzle.faces.swapaxes(0, 1)
    sheet = cells.reshape(sides * rows, cols, height, width, channels).swapaxes(1, 2)
    note = notes.written(puzzle, columns=cols)
    return png_bytes(sheet.reshape(sides * rows * height, cols * width, channels), {NOTE: note})


def read_sheet(source: Source, settings: Reading) -> list[Puzzle]:
    """By the note inside, if it is a picture of ours, else by the settings."""
    if source.folder is not None:
        raise BadInput(f"{source.name} is a folder without pictures")
    picture = open_picture(source.data, source.name)
    with notes.about(source.name):
        if NOTE not in picture.text and strips_reading.wanted(settings):
            return [strips_reading.of_picture(picture, settings)]
        if NOTE not in picture.text and (settings.scan or detecting.apart(picture.pixels) is None):
            from .scan import reading as scan

            sheets = scan.pages(source.data, source.name, picture.pixels)
            if scan.is_scan(sheets, settings):
                return [notes.as_set(scan.read_scans(sheets, settings), settings)]
        return [(_own if NOTE in picture.text else _strange)(picture, settings, source.name)]


def _columns(puzzle: Jigsaw) -> int:
    """Those of the frame, or so that a sheet is about as wide as high."""
    if puzzle.rows is not None and puzzle.cols is not None and puzzle.count == puzzle.rows * puzzle.cols:
        return puzzle.cols
    if isinstance(puzzle, Strips) and puzzle.down == 1:
        return puzzle.count
    return min(puzzle.count, math.ceil(math.sqrt(puzzle.sides * puzzle.count * puzzle.height / puzzle.width)))


def _own(picture: OpenPicture, settings: Reading, name: str) -> Jigsaw:
    place = f"the {NOTE!r} text in its metadata"
    note = notes.parsed(picture.text[NOTE], place)
    (height, width, count), sides = notes.piece_and_count(note, place), notes.sides(note, place)
    cols, channels, depth = (note.get(key) for key in ("columns", "channels", "depth"))
    if type(cols) is not int or not 1 <= cols <= MOST_PIECES:
        raise BadInput(f"{place} does not say how many columns there are")
    pixels, bits = picture.pixels, 8 * picture.pixels.dtype.itemsize
    changed = "the picture was changed since its metadata were written"
    if pixels.shape[:2] != (sides * -(-count // cols) * height, cols * width):
        raise BadInput(
            f"{changed}: they tell of {count} pieces of {width}x{height} pixels in {cols} columns"
            f"{', backs below' * (sides - 1)}, it is "
            f"{picture.size}; saved without metadata it can be read as any other"
        )
    if channels not in _with_idle_alpha(pixels.shape[2]) or depth != bits:
        raise BadInput(f"{changed}: it is {CHANNELS[pixels.shape[2]]} of {bits} bits now")
    known = {"piece": (height, width), "pieces": count, "spacing": 0, "margin": 0, **notes.known_from(note)}
    notes.refuse_contradictions(settings, known, name)
    if note.get("frame") is None and (frame := notes.frame(settings, count, note)):
        note["frame"] = [*frame]
    pieces = enriched(_pieces(pixels, height, width, count, sides), channels, bits)
    return notes.puzzle_of(note, listed(pieces).pixels, settings)


def _pieces(sheet: Pixels, height: int, width: int, count: int, sides: int) -> Pixels:
    """Of a sheet without gaps. [count, sides, height, width, channels]"""
    cells = cut(sheet, height, width)
    return cells.reshape(sides, -1, *cells.shape[1:])[:, :count].swapaxes(0, 1)


def _with_idle_alpha(channels: int) -> tuple[int, ...]:
    """What a picture's channels may have been before an alpha channel that shows nothing was dropped."""
    return (channels, channels + 1) if channels % 2 else (channels,)


def _piece(picture: OpenPicture, settings: Reading) -> tuple[int, int] | None:
    """Height and width as set; of square patches with gaps, told by a sheet that is as many rows and columns."""
    if settings.piece is not None:
        return piece_size(settings.piece)
    if settings.gap is not None and settings.rows is not None and settings.cols is not None:
        spacing, margin = settings.spacing or 0, settings.margin or 0
        shared = zip(picture.pixels.shape[:2], (settings.rows, settings.cols), strict=True)
        (height, below), (width, beside) = (divmod(length - 2 * margin + spacing, number) for length, number in shared)
        if height == width > spacing and not (below or beside):
            return height - spacing, width - spacing
    return None


def _strange(picture: OpenPicture, settings: Reading, name: str) -> Jigsaw:
    piece = _piece(picture, settings)
    tiles = _told(picture, *piece, settings) if piece is not None else _found(picture, settings)
    (_, height, _, rows), (_, width, _, cols) = tiles.down, tiles.across
    sides, flags = settings.sides or 1, notes.flags(settings)
    if rows % sides:
        raise BadUsage(f"{name} has {rows} rows of pieces, and with two sides half of the rows are backs")
    rows //= sides
    sheet = picture.pixels[np.ix_(tiles.down.places, tiles.across.places)]
    count = settings.pieces
    if count is None:
        count = rows * cols - (_empty(sheet, tiles) if piece is None and sides == 1 else 0)
    if count > rows * cols:
        raise BadUsage(f"{name} has room for {rows * cols} pieces of {width}x{height} pixels, not for {count}")
    frame = notes.frame(settings, count, flags)
    if frame is None and count == rows * cols and not (flags["foreign"] or flags["mixed"]):
        frame = (rows, cols)
    puzzle = listed(_pieces(sheet, height, width, count, sides), frame, **flags)
    if piece is None:
        puzzle = replace(puzzle, found_out=(tiles.text(picture.pixels.shape),))
    return notes.as_set(puzzle, settings)


def _told(picture: OpenPicture, height: int, width: int, settings: Reading) -> Tiles:
    """Tiles as the user says they are."""
    spacing, margin = settings.spacing or 0, settings.margin or 0
    (down, rows), (across, cols) = (
        (side, _cells(length, side, spacing, margin, what))
        for length, side, what in zip(picture.pixels.shape[:2], (height, width), ("height", "width"), strict=True)
    )
    return Tiles(Axis(margin, down, spacing, rows), Axis(margin, across, spacing, cols), 0.0, 0.0, 1.0, ())


def _found(picture: OpenPicture, settings: Reading) -> Tiles:
    """Tiles as the picture shows them; raises BadInput if it does not clearly do so."""
    tiles = detecting.found(picture.pixels)
    how = "give their size with --set piece=28 or --set piece=WIDTHxHEIGHT"
    if tiles is None or not tiles.sure:
        guessed = f" (at best {' or '.join(tiles.guesses)})" if tiles is not None and tiles.guesses else ""
        raise BadInput(
            f"this picture of {picture.size} pixels does not say how large its pieces are, and its cuts do not show "
            f"clearly{guessed}; {how}"
        )
    for what, wanted, seen in (
        ("spacing", settings.spacing, {tiles.down.spacing, tiles.across.spacing}),
        ("margin", settings.margin, {tiles.down.first, tiles.across.first}),
    ):
        if wanted is not None and seen != {wanted}:
            shown = " and ".join(map(str, sorted(seen)))
            raise BadUsage(
                f"{what} is {shown} pixels by what this picture shows, not {wanted}; to read it so all the same, set "
                "the size of a piece too, as in piece=28"
            )
    return tiles


def _empty(sheet: Pixels, tiles: Tiles) -> int:
    """Cells at the end of a sheet that show nothing but one colour: where pieces lie apart, there are none there."""
    if not (tiles.down.spacing and tiles.across.spacing):
        return 0
    last = cut(sheet[-tiles.down.side :], tiles.down.side, tiles.across.side)
    uneven = np.flatnonzero(np.ptp(colours_of(last), axis=(1, 2)).max(axis=1) > detecting.ALIKE)
    return len(last) - 1 - int(uneven[-1]) if len(uneven) else 0


def _cells(length: int, side: int, spacing: int, margin: int, what: str) -> int:
    """How many pieces lie along one side of the sheet; nothing may be left over."""
    cells, left = divmod(length - 2 * margin + spacing, side + spacing)
    if cells < 1 or left:
        gaps = f" {spacing} apart" * bool(spacing) + f" inside a margin of {margin}" * bool(margin)
        enough = f"{left} pixels are left over" if cells > 0 else "not even one fits"
        raise BadInput(
            f"its {what} of {length} pixels is no whole number of pieces of {side} pixels{gaps}: {enough} "
            "(to cut a whole picture: dovetail make jigsaw --set image=…; between and around the pieces of a sheet: "
            "--set spacing=… --set margin=…)"
        )
    return cells
