"""Tile files as people have them."""

import re
from dataclasses import dataclass

from ..core.errors import BadInput
from ..core.kind import Format
from ..core.puzzle import Puzzle
from ..core.source import Source
from .boards import Tile
from .bucas import BUCAS
from .format_boards import BOARDS_JSON
from .format_pieces import PIECES
from .format_table import TABLE
from .terracotta import CORNERS, Reading, Terracotta


@dataclass(frozen=True)
class _Header:
    line: int  # from 0
    columns: list[str]
    delimiter: str


def _is_arrow_table(source: Source) -> bool:
    return source.is_text and _header(source.text) is not None


def _header(text: str) -> _Header | None:
    """The line that names the four corners, whatever stands between the names."""
    for number, line in enumerate(text.splitlines()[:50]):
        for delimiter in ",;\t":
            columns = [name.strip().strip('"') for name in line.split(delimiter)]
            if set(CORNERS) <= set(columns):
                return _Header(number, columns, delimiter)
    return None


def _read_arrow_table(source: Source, settings: Reading) -> list[Puzzle]:
    """Columns TL, TR, BL, BR by name, others ignored; ``# board 4x5`` above the header gives the size."""
    header = _header(source.text)
    if header is None:
        raise BadInput(f"{source.name}: no header line with the columns TL, TR, BL, BR")
    for corner in CORNERS:
        if header.columns.count(corner) > 1:
            raise BadInput(f"{source.name}, line {header.line + 1}: there are two columns {corner}")
    lines = source.text.splitlines()
    tiles: list[Tile] = []
    for number, line in enumerate(lines[header.line + 1 :], start=header.line + 2):
        if not line.strip(f" \t{header.delimiter}"):
            continue
        fields = [field.strip().strip('"') for field in line.split(header.delimiter)]
        arrows = dict(zip(header.columns, fields, strict=False))
        for corner in CORNERS:
            if arrows.get(corner) not in ("0", "1", "2", "3"):
                found = repr(arrows[corner][:20]) if corner in arrows else "nothing"
                raise BadInput(f"{source.name}, line {number}, column {corner}: arrows are 0, 1, 2 or 3, not {found}")
        tiles.append((int(arrows["TL"]), int(arrows["TR"]), int(arrows["BL"]), int(arrows["BR"])))
    rows, cols = _board_size(source.name, lines[: header.line], settings, len(tiles))
    return [Terracotta(rows, cols, tuple(tiles))]


def _board_size(name: str, above: list[str], settings: Reading, tiles: int) -> tuple[int, int]:
    """As set, else as the file says, else the standard board; a side that is missing follows from the other."""
    rows, cols = settings.rows, settings.cols
    if rows is None and cols is None:
        for line in above:
            if line.startswith("# board "):
                size = re.fullmatch(r"# board (\d{1,4})x(\d{1,4})\s*", line)
                if size is None:
                    raise BadInput(f"{name}: {line[:40]!r} does not give a board as in '# board 4x5'")
                return int(size[1]), int(size[2])
        if tiles != 70:
            raise BadInput(
                f"{name}: {tiles} tiles do not fill the standard 7x10 board; for another board "
                "give --set rows=… and --set cols=…"
            )
        return 7, 10
    if rows is not None and cols is not None:
        return rows, cols
    side = rows or cols or 1
    if tiles == 0 or tiles % side:
        raise BadInput(f"{name}: {tiles} tiles do not make a board with a side of {side}")
    return (side, tiles // side) if rows is not None else (tiles // side, side)


def _write_arrow_table(puzzle: Puzzle) -> bytes:
    assert isinstance(puzzle, Terracotta)
    lines = [f"# board {puzzle.size}", "tile,TL,TR,BL,BR"]
    lines += [",".join(map(str, (number, *tile))) for number, tile in enumerate(puzzle.tiles, start=1)]
    return ("\n".join(lines) + "\n").encode()


TERRACOTTA_CSV = Format(
    "csv", "one tile a line, columns TL, TR, BL, BR", _is_arrow_table, _read_arrow_table, _write_arrow_table
)

# the first is the one whose complaints are heard about a file that none of them recognises
TILE_FORMATS = (PIECES, TABLE, BUCAS, BOARDS_JSON)
