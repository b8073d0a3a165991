"""Links of the Eternity II viewer at e2.bucas.name: a board, four letters a cell, up, right, down, left.

``a`` is the rim, ``b`` the colour 1, and so on; ``aaaa`` is an empty cell.
"""

import html
import re
from urllib.parse import quote, unquote

from ..core.errors import BadInput, BadUsage
from ..core.kind import Format
from ..core.puzzle import EMPTY, Placement, Puzzle
from ..core.source import Source
from .boards import Board, misused, oriented_board
from .format_boards import HOLE, LETTERS, LaidBoard, from_letters, puzzles
from .puzzle import EQUAL, Reading, Tiles

VIEWER = "https://e2.bucas.name/#puzzle="
MARK = "board_edges="


def is_link(source: Source) -> bool:
    """Whether there is a link in the text."""
    return source.is_text and MARK in _plain(source.text)


def _plain(text: str) -> str:
    """As it was before a web page or another link wrapped it."""
    text = html.unescape(text)
    return unquote(text) if MARK not in text and quote(MARK) in text else text


def boards_in_links(source: Source) -> list[LaidBoard]:
    """The board of every link in the text."""
    links = [word for word in re.split(r"[\s\"'<>]+", _plain(source.text)) if MARK in word]
    if not links:
        raise BadInput(f"{source.name} holds no link with board_edges")
    boards = []
    for number, link in enumerate(links, start=1):
        place = source.name if len(links) == 1 else f"{source.name}, link {number}"
        pairs = (pair.partition("=") for pair in re.split("[#?&]", link.rstrip("\"'>)],.;")))
        said = {key: unquote(value) for key, _, value in pairs}
        cols, rows = (_side(said, key, place) for key in ("board_w", "board_h"))
        boards.append(from_letters(place, said.get("board_edges", ""), said.get("board_pieces"), cols, rows))
    return boards


def link_to(puzzle: Tiles, solution: Placement) -> str:
    """The viewer's link to the board as it is laid; BadUsage if the viewer has no letters for it."""
    for fault in misused(puzzle, solution):
        raise BadUsage(f"a link cannot show this board: {fault}")
    return _link(puzzle, oriented_board(puzzle, solution))


def links(puzzle: Tiles, solution: Placement) -> dict[str, str]:
    """The link, for whoever can do without one."""
    try:
        return {"bucas": link_to(puzzle, solution)}
    except BadUsage:
        return {}


def _side(said: dict[str, str], key: str, place: str) -> int | None:
    text = said.get(key)
    if text is not None and not re.fullmatch("[0-9]{1,4}", text):
        raise BadInput(f"{place}: {key} is not a whole number")
    return None if text is None else int(text)


def _link(puzzle: Tiles, board: Board) -> str:
    lacking = _lacking(puzzle)
    if lacking:
        raise BadUsage(f"a bucas link cannot hold this puzzle: {lacking}")
    edges = "".join(LETTERS[colour] for row in board for tile in row for colour in tile or HOLE)
    return f"{VIEWER}Dovetail&board_w={puzzle.cols}&board_h={puzzle.rows}&board_edges={edges}"


def _lacking(puzzle: Tiles) -> str:
    """What the viewer has no way to say."""
    colours = {colour for tile in puzzle.tiles for colour in tile}
    if puzzle.match != EQUAL:
        return "it has no heads and tails"
    if not all(0 <= colour < len(LETTERS) for colour in colours):
        return f"it has letters for the colours 0 to {len(LETTERS) - 1} only"
    if HOLE in puzzle.tiles:
        return "a tile of colour 0 on all sides looks like an empty cell"
    if puzzle.frame is not None and puzzle.rim != 0:
        return "its rim has the colour 0"
    if puzzle.frame is None and 0 in colours:
        return "its colour 0 is the rim's, and here the rim is free"
    return ""


def _read(source: Source, settings: Reading) -> list[Puzzle]:
    return puzzles(boards_in_links(source), settings)


def _write(puzzle: Puzzle) -> bytes:
    """The tiles in the order of their list, so that reading gives the same list."""
    assert isinstance(puzzle, Tiles)
    for rule, there in (
        ("tiles that must not be turned", not puzzle.rotate),
        ("hints", bool(puzzle.pins)),
        ("a rule against tiles that are alike", puzzle.distinct),
        ("a rim that no tile shows", puzzle.frame is not None and not any(0 in tile for tile in puzzle.tiles)),
    ):
        if there:
            raise BadUsage(f"a bucas link cannot hold this puzzle: it does not know {rule}")
    pieces = [*range(len(puzzle.tiles)), *[EMPTY] * puzzle.missing]
    placement = Placement.from_flat(pieces, [0] * len(pieces), puzzle.cols)
    return (_link(puzzle, oriented_board(puzzle, placement)) + "\n").encode()


BUCAS = Format("bucas", "links of the viewer e2.bucas.name", is_link, _read, _write)
