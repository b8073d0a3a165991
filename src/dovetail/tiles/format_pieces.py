"""Plain lists of tiles: one a line, N E S W.

The first lines may give the board (``W H``, as in Brendan Owen's test sets) or the rim's colour (one number, as in
Heule's files). What else there is to say stands in comments; see ``format_rules``.
"""

from collections.abc import Iterator
from itertools import islice

from ..core.errors import BadInput, BadUsage
from ..core.kind import Format
from ..core.puzzle import Puzzle
from ..core.source import Source
from .boards import Tile
from .format_rules import Said, build, comments, whole_numbers
from .format_table import is_table
from .puzzle import Reading, Tiles

MOST_LOOKED_AT = 200  # lines, to tell whether it is a list


def _is_list(source: Source) -> bool:
    """Whether most of its lines are four numbers: a slip in one is then named, not mistaken for another format."""
    if not source.is_text or is_table(source):
        return False
    lines = [line.partition("#")[0] for _, line in islice(_lines(source.text), MOST_LOOKED_AT)]
    lengths = [len(whole_numbers(line) or ()) for line in lines if line]
    while lengths and lengths[0] in (1, 2):
        del lengths[0]
    return 2 * lengths.count(4) > len(lengths)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that hold something, with their numbers."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line.strip()


def _read(source: Source, settings: Reading) -> list[Puzzle]:
    said = Said()
    tiles: list[Tile] = []
    lines: list[int] = []
    for number, line in _lines(source.text):
        place = f"{source.name}, line {number}"
        if line.startswith("#"):
            said.note(line, place)
            continue
        numbers = whole_numbers(line.partition("#")[0])
        if numbers is not None and len(numbers) == 4:
            tiles.append((numbers[0], numbers[1], numbers[2], numbers[3]))
            lines.append(number)
        elif numbers is not None and not tiles and len(numbers) == 2 and said.rows is None:
            said.cols, said.rows = numbers
        elif numbers is not None and not tiles and len(numbers) == 1 and said.frame is None:
            said.frame = (numbers[0],)
        else:
            raise BadInput(f"{place}: a tile is four whole numbers, north, east, south and west, not {line[:40]!r}")
    return [build(source.name, tiles, said, settings, lines)]


def _write(puzzle: Puzzle) -> bytes:
    assert isinstance(puzzle, Tiles)
    if puzzle.missing:
        raise BadUsage(f"a list holds all tiles of its board, and {puzzle.missing} are missing here")
    lines = [f"{puzzle.cols} {puzzle.rows}", *comments(puzzle)]
    lines += [" ".join(map(str, tile)) for tile in puzzle.tiles]
    return ("\n".join(lines) + "\n").encode()


PIECES = Format("pieces", "one tile a line: its colours north, east, south, west", _is_list, _read, _write, "txt")
