"""Tile files as people have them."""

import csv

from ..core.errors import BadInput
from ..core.kind import Format
from ..core.puzzle import Puzzle
from ..core.source import Source
from .terracotta import CORNERS, Reading, Terracotta, Tile


def _is_arrow_table(source: Source) -> bool:
    return source.is_text and _header(source.text) is not None


def _header(text: str) -> int | None:
    """The number of the line that names the four corners."""
    for number, line in enumerate(text.splitlines()[:50]):
        if set(CORNERS) <= {name.strip() for name in line.split(",")}:
            return number
    return None


def _read_arrow_table(source: Source, settings: Reading) -> list[Puzzle]:
    """Columns TL, TR, BL, BR by name, others ignored; ``# board 4x5`` above the header gives the size."""
    header = _header(source.text)
    if header is None:
        raise BadInput(f"{source.name}: no header line with the columns TL, TR, BL, BR")
    lines = source.text.splitlines()
    rows, cols = settings.rows, settings.cols
    for line in lines[:header]:
        if line.startswith("# board "):
            height, _, width = line.removeprefix("# board ").partition("x")
            if not (height.isdecimal() and width.strip().isdecimal()):
                raise BadInput(f"{source.name}: {line.strip()!r} does not give a board as in '# board 4x5'")
            rows, cols = rows or int(height), cols or int(width)
    columns = [name.strip() for name in lines[header].split(",")]
    tiles: list[Tile] = []
    for number, fields in enumerate(csv.reader(lines[header + 1 :]), start=header + 2):
        if not fields or not "".join(fields).strip():
            continue
        arrows = dict(zip(columns, (f.strip() for f in fields), strict=False))
        for corner in CORNERS:
            if arrows.get(corner) not in ("0", "1", "2", "3"):
                found = repr(arrows[corner]) if corner in arrows else "nothing"
                raise BadInput(f"{source.name}, line {number}, column {corner}: arrows are 0, 1, 2 or 3, not {found}")
        tiles.append((int(arrows["TL"]), int(arrows["TR"]), int(arrows["BL"]), int(arrows["BR"])))
    if rows is None and cols is None:
        if len(tiles) != 70:
            raise BadInput(
                f"{source.name}: {len(tiles)} tiles do not fill the standard 7x10 board; for another board "
                "give --set rows=… and --set cols=…"
            )
        rows, cols = 7, 10
    rows = rows or len(tiles) // (cols or 1)
    return [Terracotta(rows, cols or len(tiles) // rows, tuple(tiles))]


def _write_arrow_table(puzzle: Puzzle) -> bytes:
    assert isinstance(puzzle, Terracotta)
    lines = [f"# board {puzzle.size}", "tile,TL,TR,BL,BR"]
    lines += [",".join(map(str, (number, *tile))) for number, tile in enumerate(puzzle.tiles, start=1)]
    return ("\n".join(lines) + "\n").encode()


TERRACOTTA_CSV = Format(
    "csv", "one tile a line, columns TL, TR, BL, BR", _is_arrow_table, _read_arrow_table, _write_arrow_table
)
