"""What our own picture files say of themselves, and how that goes together with what the user sets."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..core.errors import BadInput, BadUsage
from ..core.puzzle import canonical_json
from . import gapped
from .cutting import piece_size
from .gapped import Gapped, parsed_hints, with_gaps
from .puzzle import MOST_PIECES, Jigsaw, Reading, from_header
from .strips import puzzle as strips
from .strips import reading as strips_reading
from .strips.puzzle import Strips

READERS: Mapping[str, Callable[[Mapping[str, Any], bytes], Jigsaw]] = {
    Jigsaw.kind: from_header,
    Gapped.kind: gapped.from_header,
    Strips.kind: strips.from_header,
}
FLAGS = ("rotate", "foreign", "mixed")  # of a puzzle that are true or false


def written(puzzle: Jigsaw, **more: int) -> str:
    """Everything but the pixels, and what else the file needs to say."""
    return canonical_json({"kind": puzzle.kind, **puzzle.header(), **more})


def parsed(text: str, place: str) -> dict[str, Any]:
    """What ``written`` wrote; raises BadInput. The values are not checked yet."""
    try:
        note = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(f"{place} is not valid JSON") from None
    if not isinstance(note, dict) or not isinstance(note.get("kind"), str) or note["kind"] not in READERS:
        raise BadInput(f"{place} does not tell of a jigsaw")
    return note


def puzzle_of(note: Mapping[str, Any], pixels: bytes, settings: Reading) -> Jigsaw:
    """What a note tells of, with these pixels; raises BadInput."""
    return as_set(READERS[note["kind"]](note, pixels), settings)


def as_set(puzzle: Jigsaw, settings: Reading) -> Jigsaw:
    """One with gaps, and with hints, or of strips, where the user says so and nobody said it before."""
    if isinstance(puzzle, Strips):
        return puzzle
    if strips_reading.wanted(settings):
        return strips_reading.as_told(puzzle, settings)
    gap = puzzle.gap if isinstance(puzzle, Gapped) else settings.gap
    if gap is None:
        if settings.hints is not None:
            raise BadUsage("hints are for puzzles with gaps: set gap too, the number of pixels between two patches")
        return puzzle
    hints = puzzle.hints if isinstance(puzzle, Gapped) else ()
    if settings.hints is not None:
        told = parsed_hints(settings.hints, puzzle.cols or 1)
        if hints not in ((), told):
            raise BadUsage("hints cannot be set: this puzzle has others already")
        hints = told
    if puzzle.rows is None:
        raise BadUsage("of a puzzle with gaps the frame must be known: set rows and cols too")
    return with_gaps(puzzle, gap, hints)


@contextmanager
def about(name: str) -> Iterator[None]:
    """Put the file's name before what is said of it."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None


def piece_and_count(note: Mapping[str, Any], place: str) -> tuple[int, int, int]:
    """Height and width of a piece and the number of pieces, as a note has them; raises BadInput."""
    match note:
        case {"piece": [int(height), int(width)], "count": int(count)} if (
            0 < min(height, width, count) <= max(height, width, count) <= MOST_PIECES
        ):
            return height, width, count
    raise BadInput(f"{place} does not say how large the pieces are and how many")


def refuse_contradictions(settings: Reading, known: Mapping[str, Any], name: str) -> None:
    """Raise BadUsage if the user sets something else than what is ``known`` of a file, by the name of the setting."""
    given: dict[str, Any] = {**vars(settings), "piece": settings.piece and piece_size(settings.piece)}
    for key, value in known.items():
        if given[key] is not None and given[key] != value:
            raise BadUsage(f"{key} cannot be set to {_shown(given[key])}: in {name} it is {_shown(value)}")


def known_from(note: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a note of ours answers."""
    frame = note.get("frame")
    rows_and_cols = {"rows": frame[0], "cols": frame[1]} if isinstance(frame, list) and len(frame) == 2 else {}
    flags = {name: note.get(name, False) for name in FLAGS}
    gaps = {"gap": note["gap"]} if "gap" in note else {}
    if note.get("kind") == Strips.kind:
        gaps = {"strips": note.get("count"), "pages": note.get("pages"), "flip": flags["rotate"]}
    return {**flags, "sides": note.get("sides", 1), **rows_and_cols, **gaps}


def flags(settings: Reading) -> dict[str, bool]:
    """What is so only if the user says so."""
    return {name: bool(getattr(settings, name)) for name in FLAGS}


def sides(note: Mapping[str, Any], place: str) -> int:
    """Of a piece, as a note has it; raises BadInput."""
    said = note.get("sides", 1)
    if type(said) is not int or said not in (1, 2):
        raise BadInput(f"{place} does not say 1 or 2 sides")
    return said


def frame(settings: Reading, count: int, known: Mapping[str, Any]) -> tuple[int, int] | None:
    """Rows and columns as set, one from the other where only one is; None if neither is set.

    ``known`` says whether the puzzle is mixed, and whether some pieces are foreign.
    """
    rows, cols = settings.rows, settings.cols
    if rows is None and cols is None:
        return None
    if known.get("mixed"):
        raise BadUsage("rows and cols cannot be set where there may be several pictures")
    if rows is not None and cols is not None:
        return rows, cols
    if known.get("foreign"):
        raise BadUsage("where pieces may be foreign their number does not tell the frame; set both rows and cols")
    side = rows or cols or 1
    if count % side:
        what = "rows" if rows is not None else "columns"
        raise BadUsage(f"{count} pieces do not fill a frame of {side} {what}; set both rows and cols")
    return (side, count // side) if rows is not None else (count // side, side)


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{value[1]}x{value[0]}"
    return str(value).lower() if isinstance(value, bool) else str(value)
