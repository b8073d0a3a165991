"""Tables of tiles: a header that names the sides, and a colour or a half of a picture for each.

``helmet/top`` and ``helmet/bottom`` are the two halves of one picture: they match each other, never themselves.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..core.errors import BadInput, BadUsage
from ..core.kind import Format
from ..core.puzzle import Puzzle
from ..core.source import Source
from .boards import Tile
from .format_rules import NUMBER, Said, build, comments
from .puzzle import EQUAL, SIGNED, Reading, Tiles

NAMES = (("top", "right", "bottom", "left"), ("n", "e", "s", "w"), ("north", "east", "south", "west"),
         ("up", "right", "down", "left"))  # fmt: skip


@dataclass(frozen=True)
class _Header:
    line: int  # from 0
    delimiter: str
    sides: tuple[int, ...]  # the columns of north, east, south, west


@dataclass
class _Pictures:
    """Numbers for what the sides are called, in the order in which it turns up."""

    numbers: dict[str, int] = field(default_factory=dict)
    halves: dict[str, list[str]] = field(default_factory=dict)

    def colour(self, text: str, place: str) -> int:
        """A picture's number; the half that turns up second is the negative one."""
        picture, slash, half = text.rpartition("/")
        if not slash:
            return self.numbers.setdefault(text, len(self.numbers) + 1)
        known = self.halves.setdefault(picture, [])
        if half not in known:
            known.append(half)
        if len(known) > 2:
            raise BadInput(f"{place}: {picture[:20]!r} has a third half {half[:20]!r} beside {' and '.join(known[:2])}")
        number = self.numbers.setdefault(picture, len(self.numbers) + 1)
        return number if half == known[0] else -number


def is_table(source: Source) -> bool:
    """Whether there is a header that names four sides."""
    return source.is_text and _header(source.text) is not None


def _header(text: str) -> _Header | None:
    for number, line in enumerate(text.split("\n")[:50]):
        for delimiter in ",;\t":
            columns = [name.lower() for name in _fields(line, delimiter)]
            for names in NAMES:
                if set(names) <= set(columns):
                    return _Header(number, delimiter, tuple(columns.index(name) for name in names))
    return None


def _fields(line: str, delimiter: str) -> list[str]:
    return [part.strip().strip('"').strip() for part in line.split(delimiter)]


def _read(source: Source, settings: Reading) -> list[Puzzle]:
    header = _header(source.text)
    if header is None:
        raise BadInput(f"{source.name}: no header line with the columns Top, Right, Bottom, Left")
    said = Said()
    rows: dict[int, list[str]] = {}
    for number, line in enumerate(source.text.split("\n"), start=1):
        place = f"{source.name}, line {number}"
        if line.startswith("#"):
            said.note(line.rstrip(), place)
        elif number > header.line + 1 and line.strip(f" \t\r{header.delimiter}"):
            found = _fields(line, header.delimiter)
            if len(found) <= max(header.sides) or not all(found[side] for side in header.sides):
                raise BadInput(f"{place}: a tile needs a colour in each of four columns, not {line.strip()[:40]!r}")
            rows[number] = [found[side] for side in header.sides]
    tiles = _numbered(rows, source.name, said)
    return [build(source.name, tiles, said, settings, [*rows])]


def _numbered(rows: Mapping[int, Sequence[str]], name: str, said: Said) -> list[Tile]:
    """Numbers as they are; names and halves of pictures by their order in the file."""
    entries = [entry for row in rows.values() for entry in row]
    if all(re.fullmatch(NUMBER, entry) for entry in entries):
        return [(int(n), int(e), int(s), int(w)) for n, e, s, w in rows.values()]
    halved = sum("/" in entry for entry in entries)
    pictures = _Pictures()
    tiles: list[Tile] = []
    for line, row in rows.items():
        place = f"{name}, line {line}"
        for entry in row:
            if ("/" in entry) != (2 * halved > len(entries)):
                raise BadInput(
                    f"{place}: {entry[:20]!r} is not named like the other sides, as picture/half or as plain colours"
                )
        n, e, s, w = (pictures.colour(entry, place) for entry in row)
        tiles.append((n, e, s, w))
    said.match = SIGNED if halved else EQUAL
    return tiles


def _write(puzzle: Puzzle) -> bytes:
    assert isinstance(puzzle, Tiles)
    if puzzle.missing:
        raise BadUsage(f"a table holds all tiles of its board, and {puzzle.missing} are missing here")
    lines = [f"# board {puzzle.size}", *comments(puzzle), "tile,Top,Right,Bottom,Left"]
    lines += [",".join(map(str, (number, *tile))) for number, tile in enumerate(puzzle.tiles, start=1)]
    return ("\n".join(lines) + "\n").encode()


TABLE = Format("csv", "a table of tiles, columns Top, Right, Bottom, Left", is_table, _read, _write)
