"""Boards as somebody laid them: a puzzle and an attempt at it in one, with or without holes.

They come as viewer links (``bucas``) and in JSON files. The colour 0 is the rim's, and a cell with nothing but 0 is
a hole.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.errors import BadInput
from ..core.kind import Format
from ..core.puzzle import EMPTY, Placement, Puzzle
from ..core.source import Source
from .boards import Tile
from .diagnosis import refuse_broken
from .format_rules import Said, build, refuse_settings
from .puzzle import EQUAL, SIGNED, Reading, Tiles, decode, frame_sides

LETTERS = "abcdefghijklmnopqrstuvwxyz"
HOLE = (0, 0, 0, 0)
MARKS = ('"board_edges"', '"solutionURDL"', '"tilesURDL"', '"cards"')  # one of them is in every file read here


@dataclass(frozen=True)
class LaidBoard:
    """A rectangle of tiles as they lie, None for a hole, and the numbers of the pieces where they are told."""

    name: str
    rows: int
    cols: int
    cells: tuple[Tile | None, ...]
    numbers: tuple[int, ...] = ()

    @property
    def placement(self) -> Placement:
        """The board as an answer to its own puzzle: no tile is turned."""
        places = self._places()
        pieces = [EMPTY if cell is None else places[i] for i, cell in enumerate(self.cells)]
        return Placement.from_flat(pieces, [0] * len(pieces), self.cols)

    def puzzle(self, settings: Reading) -> Tiles:
        """The tiles on the board: by their numbers if all have one, else as they lie, row by row."""
        places = self._places()
        laid = {places[i]: cell for i, cell in enumerate(self.cells) if cell is not None}
        said = Said(self.rows, self.cols, match=EQUAL, frame=(0,) if self._has_rim() else ())
        return build(self.name, [laid[i] for i in sorted(laid)], said, settings)

    def _places(self) -> dict[int, int]:
        """The place of each cell's tile in the list of tiles."""
        if None not in self.cells and sorted(self.numbers) == [*range(1, len(self.cells) + 1)]:
            return {i: number - 1 for i, number in enumerate(self.numbers)}
        return {i: place for place, i in enumerate(i for i, cell in enumerate(self.cells) if cell is not None)}

    def _has_rim(self) -> bool:
        if any(0 in cell for cell in self.cells if cell is not None):
            return True
        return all(self.cells[row * self.cols + col] is None for row, col, _ in frame_sides(self.rows, self.cols))


def from_letters(name: str, edges: str, numbers: str | None, cols: int | None, rows: int | None) -> LaidBoard:
    """Four letters a cell, up, right, down, left, from ``a`` = 0; three digits a piece number."""
    if len(edges) % 4 or not edges or not set(edges) <= set(LETTERS):
        raise BadInput(f"{name}: board_edges is not four letters from a to z for each cell")
    colours = [LETTERS.index(letter) for letter in edges]
    cells = [(*colours[i : i + 4],) for i in range(0, len(colours), 4)]
    digits = numbers if numbers and len(numbers) % 3 == 0 and set(numbers) <= set("0123456789") else ""
    return _board(name, cells, cols, rows, tuple(int(digits[i : i + 3]) for i in range(0, len(digits), 3)))


def puzzles(boards: Sequence[LaidBoard], settings: Reading) -> list[Puzzle]:
    """What the boards ask: their tiles, as long as they can make a solution."""
    found: list[Puzzle] = []
    for board in boards:
        puzzle = board.puzzle(settings)
        refuse_broken(puzzle, name=board.name)
        found.append(puzzle)
    return found


def is_board_file(source: Source) -> bool:
    """Whether it is JSON that holds boards or tiles in one of the ways read here."""
    if not source.is_text or not any(mark in source.text for mark in MARKS):
        return False
    try:
        data = json.loads(source.text)
    except (ValueError, RecursionError):
        return False
    return any(_is_entry(entry) for entry in _entries(data).values())


def boards_in_json(source: Source) -> list[LaidBoard]:
    """Every board of the file; lists of tiles are none."""
    boards = []
    for name, entry in _entries(json.loads(source.text)).items():
        place = f"{source.name}, {name}" if name else source.name
        cols, rows = (_side(entry, key, place) for key in ("width", "height"))
        if "board_edges" in entry:
            edges, numbers = entry["board_edges"], entry.get("board_pieces")
            if not isinstance(edges, str) or not isinstance(numbers, str | None):
                raise BadInput(f"{place}: board_edges and board_pieces are texts")
            boards.append(from_letters(place, edges, numbers, cols, rows))
        elif "solutionURDL" in entry:
            boards.append(_board(place, [*_tiles(entry["solutionURDL"], place)], cols, rows))
    return boards


def _board(
    name: str, cells: Sequence[tuple[int, ...]], cols: int | None, rows: int | None, numbers: tuple[int, ...] = ()
) -> LaidBoard:
    """With a square board where its sides are not told."""
    if cols is None and rows is None and math.isqrt(len(cells)) ** 2 == len(cells):
        cols = rows = math.isqrt(len(cells))
    if cols is None or rows is None or cols * rows != len(cells):
        size = f"a board {cols} wide and {rows} high" if cols and rows else "a square board"
        raise BadInput(f"{name}: {len(cells)} cells do not make {size}")
    laid = tuple(None if cell == HOLE else (cell[0], cell[1], cell[2], cell[3]) for cell in cells)
    if not any(laid):
        raise BadInput(f"{name}: the board is empty")
    return LaidBoard(name, rows, cols, laid, numbers)


def _entries(data: Any) -> dict[str, Mapping[str, Any]]:
    """The boards and puzzles of a file, by their names in it."""
    if isinstance(data, list):
        boards = [(number, entry) for number, entry in enumerate(data, start=1) if _is_entry(entry)]
        return {f"board {number} ({str(entry.get('name'))[:40]})": entry for number, entry in boards}
    if not isinstance(data, dict):
        return {}
    if _is_entry(data):
        return {"": data}
    return {str(name)[:40]: entry for name, entry in data.items() if _is_entry(entry)}


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and any(mark.strip('"') in entry for mark in MARKS)


def _side(entry: Mapping[str, Any], key: str, place: str) -> int | None:
    side = entry.get(key)
    if side is not None and (type(side) is not int or side < 1):
        raise BadInput(f"{place}: {key!r} is not a whole number above 0")
    return side


def _tiles(data: Any, place: str) -> Iterator[Tile]:
    if not isinstance(data, list) or not data:
        raise BadInput(f"{place}: there is no list of tiles")
    for number, tile in enumerate(data, start=1):
        if not (isinstance(tile, list) and len(tile) == 4 and all(type(colour) is int for colour in tile)):
            raise BadInput(f"{place}: tile {number} is not a list of four colours, up, right, down, left")
        yield tile[0], tile[1], tile[2], tile[3]


def _read(source: Source, settings: Reading) -> list[Puzzle]:
    if not is_board_file(source):
        raise BadInput(f"{source.name} is not a JSON file of boards or tiles")
    found = puzzles(boards_in_json(source), settings)
    for name, entry in _entries(json.loads(source.text)).items():
        place = f"{source.name}, {name}" if name else source.name
        if "cards" in entry:
            tiles = [*_tiles(entry["cards"], place)]
            found.append(build(place, tiles, Said(match=SIGNED, frame=()), settings))
        elif "tilesURDL" in entry:
            refuse_settings(place, settings)
            found.append(_decoded(entry, place))
    return found


def _decoded(entry: Mapping[str, Any], place: str) -> Tiles:
    """What ``_write`` wrote: Dovetail's own puzzle under the names of the solution files."""
    own = {**entry, "rows": entry.get("height"), "cols": entry.get("width"), "tiles": entry["tilesURDL"]}
    try:
        puzzle = decode(own)
    except BadInput as error:
        raise BadInput(f"{place}: {error}") from None
    refuse_broken(puzzle, name=place)
    return puzzle


def _write(puzzle: Puzzle) -> bytes:
    assert isinstance(puzzle, Tiles)
    rules = puzzle.encode()
    head = {"width": rules.pop("cols"), "height": rules.pop("rows"), "tilesURDL": rules.pop("tiles")}
    return (json.dumps({**head, **rules}) + "\n").encode()


BOARDS_JSON = Format(
    "boards-json", "JSON with board_edges, solutionURDL, tilesURDL or cards", is_board_file, _read, _write
)
