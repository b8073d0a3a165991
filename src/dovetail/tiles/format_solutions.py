"""Boards found elsewhere, laid with the tiles of the puzzle at hand.

Viewer links and JSON boards show colours, not tiles: each cell is given a tile of the puzzle that looks like it.
Brendan Owen's solution files (first line ``W H``, then ``x y r`` for each piece) name the tiles themselves.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..core.errors import BadInput
from ..core.kind import Laid
from ..core.puzzle import EMPTY, Placement, Solution
from ..core.source import Source
from .boards import Tile
from .bucas import boards_in_links, is_link
from .format_boards import LETTERS, LaidBoard, boards_in_json, is_board_file
from .format_renaming import renamed, renaming, unturned
from .format_rules import whole_numbers
from .puzzle import EQUAL, Reading, Tiles

# The letters of the colours 0, 1, 2, … of the official piece list in the viewer's other orders of motifs. Each was
# found once by ``renaming`` from full boards; boards with holes do not say enough to find it again.
ORDERS = {"jblackwood": "abjrfncksgodlthpemuiqvw", "jef": "aiqwemhpvdlgouckfntbjsr"}


def laid_boards(source: Source, settings: Reading) -> list[Laid]:
    """The boards an input holds, each with the puzzle it is an attempt at; none if it is a list of tiles."""
    return [Laid(board.name, board.puzzle(settings), board.placement) for board in _boards(source)]


def read_solutions(source: Source, puzzle: Tiles) -> list[Solution] | None:
    """The boards of an input as solutions of this puzzle; None if it holds none."""
    if (steps := _owen(source)) is not None:
        return [_from_owen(source.name, steps, puzzle)]
    if not (boards := _boards(source)):
        return None
    return [lay(board, puzzle) for board in boards]


def lay(board: LaidBoard, puzzle: Tiles) -> Placement:
    """The board with the puzzle's own tiles, whichever way its colours are numbered."""
    if (board.rows, board.cols) != (puzzle.rows, puzzle.cols):
        raise BadInput(f"{board.name}: the board is {board.rows}x{board.cols}, the puzzle's {puzzle.size}")
    laid = [cell for cell in board.cells if cell is not None]
    available = _kinds(puzzle.tiles, puzzle.rotate)
    for names in _numberings(laid, puzzle):
        if _kinds((renamed(cell, names) for cell in laid), puzzle.rotate) <= available:
            return _lay(board, names, puzzle)
    extra = _kinds(laid, puzzle.rotate) - available
    where = next(i for i, cell in enumerate(board.cells) if cell and unturned(cell, puzzle.rotate) in extra)
    row, col = divmod(where, board.cols)
    raise BadInput(
        f"{board.name}: this board is not laid with the puzzle's tiles, however its colours are named; as they are, "
        f"the first tile that is not there is the one at row {row + 1}, column {col + 1}"
    )


def _boards(source: Source) -> list[LaidBoard]:
    if is_link(source):
        return boards_in_links(source)
    return boards_in_json(source) if is_board_file(source) else []


def _kinds(tiles: Sequence[Tile] | Iterator[Tile], turning: bool) -> Counter[Tile]:
    """How many there are of each tile."""
    return Counter(unturned(tile, turning) for tile in tiles)


def _numberings(laid: Sequence[Tile], puzzle: Tiles) -> Iterator[Mapping[int, int]]:
    """Ways to read the board's colours as the puzzle's: as they are, by a known order, or as the tiles demand."""
    colours = {colour for tile in laid for colour in tile}
    yield {colour: colour for colour in colours}
    if puzzle.match != EQUAL:
        return
    if len(laid) == len(puzzle.tiles):
        found = renaming(laid, puzzle.tiles, puzzle.rotate)
        if found is not None:
            yield found
        return
    for letters in ORDERS.values():
        names = {LETTERS.index(letter): colour for colour, letter in enumerate(letters)}
        if colours <= names.keys():
            yield names


def _lay(board: LaidBoard, names: Mapping[int, int], puzzle: Tiles) -> Placement:
    waiting: dict[Tile, list[int]] = {}
    for index in reversed(range(len(puzzle.tiles))):
        waiting.setdefault(unturned(puzzle.tiles[index], puzzle.rotate), []).append(index)
    pieces, turns = [], []
    for cell in board.cells:
        if cell is None:
            pieces.append(EMPTY)
            turns.append(0)
            continue
        shown = renamed(cell, names)
        index = waiting[unturned(shown, puzzle.rotate)].pop()
        pieces.append(index)
        turns.append(next(turn for turn in range(4) if puzzle.turned(puzzle.tiles[index], turn) == shown))
    return Placement.from_flat(pieces, turns, board.cols)


def _owen(source: Source) -> list[list[int]] | None:
    """The numbers of a solution file in Owen's manner: the size, then three numbers for each piece."""
    if not source.is_text:
        return None
    lines = [whole_numbers(line) for line in source.text.split("\n") if line.strip()]
    found = [line for line in lines if line is not None]
    if not found or len(found) < len(lines) or [len(line) for line in found] != [2] + [3] * (len(found) - 1):
        return None
    return found


def _from_owen(name: str, numbers: Sequence[Sequence[int]], puzzle: Tiles) -> Placement:
    """Line i is ``x y r``: where piece i lies and how it is turned.

    Owen lists a piece as south, east, north, west and counts rows from the top. Read as north, east, south, west, a
    piece list is the mirror image of his, so rows are counted from below here, and turns go the other way.
    """
    (cols, rows), *places = numbers
    if (rows, cols) != (puzzle.rows, puzzle.cols):
        raise BadInput(f"{name}: the board is {rows}x{cols}, the puzzle's {puzzle.size}")
    if len(places) != len(puzzle.tiles):
        raise BadInput(f"{name}: {len(places)} pieces are laid, and the puzzle has {len(puzzle.tiles)}")
    pieces, turns = [EMPTY] * (rows * cols), [0] * (rows * cols)
    for number, (x, y, r) in enumerate(places):
        place = f"{name}, piece {number + 1}"
        if not (0 <= x < cols and 0 <= y < rows and 0 <= r < 4):
            raise BadInput(f"{place}: {x} {y} {r} is not a column, a row and a number of turns on this board")
        cell = (rows - 1 - y) * cols + x
        if pieces[cell] != EMPTY:
            raise BadInput(f"{place}: another piece already lies at {x} {y}")
        pieces[cell], turns[cell] = number, -r % 4
    return Placement.from_flat(pieces, turns, cols)
