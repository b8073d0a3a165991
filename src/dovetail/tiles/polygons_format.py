"""Dissections as JSON files have them: names of puzzles, and for each its polygons, lying as they fit together.

``{"Tangram": {"has_overwrap": false, "polygon": {"poly1": [[x, y], …], …}}}``. The silhouette is the union of the
polygons, and they are moved apart, so that the puzzle does not hold its answer. A puzzle that has no known answer is
written with its silhouette as ``"frame"``; the polygons then lie anywhere.
"""

import json
from collections.abc import Mapping
from typing import Any

from ..core.errors import BadInput
from ..core.kind import Format, Laid
from ..core.puzzle import Puzzle
from ..core.settings import NoSettings
from ..core.source import Source
from ..core.text import at
from .polygons import MOST_PIECES, Polygons, Ring, decode_ring, decode_rings


def _objects(source: Source) -> dict[str, Any] | None:
    """The puzzles by name; None if it is something else."""
    if not (source.is_text and '"polygon"' in source.text):
        return None
    try:
        data = json.loads(source.text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or "kind" in data:
        return None
    if not all(isinstance(item, dict) and "polygon" in item for item in data.values()):
        return None
    return data


def laid(source: Source) -> list[Laid]:
    """Every puzzle that shows how its pieces lie, with that as the attempt; none if some puzzle does not."""
    objects = _objects(source)
    if objects is None or any("frame" in item for item in objects.values()):
        return []
    return [_taken_apart(item, _place(source, name)) for name, item in objects.items()]


def _read(source: Source, _settings: NoSettings) -> list[Puzzle]:
    objects = _objects(source)
    if objects is None:
        raise BadInput(f'{source.name} is no JSON object of puzzles with a "polygon" each')
    return [_puzzle(item, _place(source, name)) for name, item in objects.items()]


def _place(source: Source, name: str) -> str:
    return f"{source.name}, {name[:40]!r}"


def _puzzle(item: Mapping[str, Any], place: str) -> Puzzle:
    if "frame" not in item:
        return _taken_apart(item, place).puzzle
    from .polygons_checking import refuse_broken

    with at(place):
        puzzle = Polygons(_pieces(item), decode_rings(item, "frame", "ring"))
        refuse_broken(puzzle)
        return puzzle


def _taken_apart(item: Mapping[str, Any], place: str) -> Laid:
    from .polygons_checking import refuse_broken
    from .polygons_making import taken_apart

    with at(place):
        if item.get("has_overwrap"):
            raise BadInput("its polygons overlap in the file, so there is no silhouette to fill")
        puzzle, answer = taken_apart(_pieces(item))
        refuse_broken(puzzle)
        return Laid(place, puzzle, answer)


def _pieces(item: Mapping[str, Any]) -> tuple[Ring, ...]:
    polygons = item["polygon"]
    if not isinstance(polygons, dict) or not 1 <= len(polygons) <= MOST_PIECES:
        raise BadInput(f"'polygon' is not an object of 1 to {MOST_PIECES} polygons by name")
    return tuple(decode_ring(ring, f"polygon {name[:40]!r}") for name, ring in polygons.items())


def _write(puzzle: Puzzle) -> bytes:
    assert isinstance(puzzle, Polygons)
    data = puzzle.encode()
    polygons = {f"poly{number}": ring for number, ring in enumerate(data["pieces"], start=1)}
    return (
        json.dumps({"puzzle": {"has_overwrap": False, "polygon": polygons, "frame": data["frame"]}}) + "\n"
    ).encode()


DISSECTION = Format(
    "dissection", "polygons by name, as JSON", lambda source: _objects(source) is not None, _read, _write
)
