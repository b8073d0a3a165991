"""Games in the formats that people have: ids of Simon Tatham's collection (samegame, flood, fifteen), and lists.

``read``, ``game_id`` and ``address`` are both ways between ids and puzzles; ``core.tatham`` says what else is read. The
first format of a kind is the one whose complaints are heard about a text that none of them recognises.
"""

import re
from dataclasses import replace
from typing import Any

from ..core.errors import BadInput, BadUsage
from ..core.kind import Format
from ..core.puzzle import Moves, Puzzle, Solution
from ..core.source import Source
from ..core.tatham import SIZE, Collection, Game, at_commas, solve_moves, width_height
from ..core.text import Code, at
from .games.fifteen import Fifteen
from .games.fifteen_formats import KORF
from .games.flood import Flood
from .games.samegame import CLEAR, SCORE, SameGame
from .games.samegame_formats import STANDARD

_FLOOD_COLOURS, _SAMEGAME_COLOURS, _LEAST = 6, 3, 2  # where an id does not say
_FEWEST_COLOURS = 3  # of flood


def _numbers(code: Code, wanted: int) -> list[int]:
    """Numbers with commas between them."""
    texts = code.text.split(",")
    index = 0
    for text in texts:
        if not re.fullmatch("[0-9]{1,4}", text):
            raise code.fault(index, f"a number is needed here, not {text[:20]!r}")
        index += len(text) + 1
    if len(texts) != wanted:
        raise code.wrong_length(len(texts), wanted, "numbers")
    return [int(text) for text in texts]


def _number(parameters: re.Match[str], name: str, usual: int) -> int:
    return usual if parameters[name] is None else int(parameters[name])


def _read_flood(parameters: re.Match[str], code: Code) -> Flood:
    """Colours as digits, then the most moves allowed."""
    width, height = width_height(parameters)
    cells, most = at_commas(code, ("the colours", "the most moves"))
    if stranger := re.search("[^0-9]", cells.text):
        raise cells.unknown(stranger.start())
    if len(cells.text) != width * height:
        raise cells.wrong_length(len(cells.text), width * height, "cells")
    found = tuple(map(int, cells.text))
    colours = _number(parameters, "colours", max(_FLOOD_COLOURS, max(found) + 1))
    return Flood(height, width, found, colours, *_numbers(most, 1))


def _write_flood(puzzle: Flood) -> tuple[str, str]:
    if len(puzzle.cells) < 2:
        raise BadUsage("the game flood has two cells or more")
    if puzzle.colours < _FEWEST_COLOURS:
        raise BadUsage(f"the game flood has {_FEWEST_COLOURS} colours or more, not {puzzle.colours}")
    cells = "".join(map(str, puzzle.cells))
    return f"{puzzle.cols}x{puzzle.rows}c{puzzle.colours}", f"{cells},{puzzle.most}"


def _read_samegame(parameters: re.Match[str], code: Code) -> SameGame:
    """Colours from 1, and 0 where no block is."""
    width, height = width_height(parameters)
    colours = _number(parameters, "colours", _SAMEGAME_COLOURS)
    cells = _numbers(code, width * height)
    for index, colour in enumerate(cells):
        if colour > colours:
            place = f"row {index // width + 1}, column {index % width + 1}"
            raise BadInput(f"{place}: the colour {colour}, and the parameters say that there are {colours}")
    return SameGame(height, width, tuple(cells), least=_number(parameters, "least", _LEAST))


def _write_samegame(puzzle: SameGame) -> tuple[str, str]:
    if puzzle.goal != CLEAR:
        raise BadUsage("an id of the game samegame is read as a board to clear, and this one is played for points")
    colours = max(_SAMEGAME_COLOURS, *puzzle.cells)
    parameters = f"{puzzle.cols}x{puzzle.rows}c{colours}s{puzzle.least}"
    return parameters, ",".join(map(str, puzzle.cells))


def _read_fifteen(parameters: re.Match[str], code: Code) -> Fifteen:
    """Tiles by row, 0 for the gap, which belongs last."""
    width, height = width_height(parameters)
    return Fifteen(height, width, tuple(_numbers(code, width * height)))


def _write_fifteen(puzzle: Fifteen) -> tuple[str, str]:
    if puzzle.blank_first:
        raise BadUsage("in the game fifteen the gap belongs last, and in this tray it belongs first")
    return f"{puzzle.cols}x{puzzle.rows}", ",".join(map(str, puzzle.tiles))


GAMES = {
    "samegame": Game(
        "samegame", SIZE + "(?:c(?P<colours>[0-9]{1,4}))?(?:s(?P<least>[0-9]{1,4}))?r?", _read_samegame, _write_samegame
    ),
    "flood": Game("flood", SIZE + "(?:c(?P<colours>[0-9]{1,4}))?(?:m[0-9]+)?", _read_flood, _write_flood),
    "fifteen": Game("fifteen", SIZE, _read_fifteen, _write_fifteen),
}


def _by_shape(parameters: str, description: str) -> str | None:
    """The only one of the three games that an id can be of: each writes parameters of its own, except fifteen."""
    fits = {name for name, game in GAMES.items() if re.fullmatch(game.parameters, parameters)}
    if "samegame" in fits and re.search("c[0-9]+s", parameters):
        return "samegame"
    if "flood" in fits and (re.search("[cm]", parameters) or re.fullmatch("[0-9]{2,},[0-9]{1,4}", description)):
        return "flood"
    if "fifteen" in fits and re.fullmatch("[0-9]{1,4}(,[0-9]{1,4})+", description):
        tiles = [int(tile) for tile in description.split(",")]
        return "fifteen" if sorted(tiles) == [*range(len(tiles))] else None
    return None


_COLLECTION = Collection(GAMES, _by_shape)
address, game_id, game_of, read = _COLLECTION.address, _COLLECTION.game_id, _COLLECTION.game_of, _COLLECTION.read


def links(puzzle: Puzzle) -> dict[str, str]:
    """Where a browser lets one play the puzzle; nowhere if the game has no words for it."""
    try:
        return {"tatham": address(puzzle)}
    except BadUsage:
        return {}


def read_solutions(source: Source, puzzle: Puzzle) -> list[Solution] | None:
    """The moves with which a game of the collection solves itself; None if it is something else."""
    moves = solve_moves(source) if source.is_text else None
    if moves is None:
        return None
    found: list[Solution] = []
    for place, move in moves:
        with at(place):
            found.append(_solution(puzzle, move))
    return found


def _solution(puzzle: Puzzle, move: str) -> Moves:
    if not isinstance(puzzle, Flood):
        raise BadInput(f"the solving move of the game {puzzle.kind} does not say its moves")
    if not re.fullmatch("S[0-9](,[0-9])*", move):
        raise BadInput("a solving move of flood is S and colours with commas between them")
    return Moves(tuple(move[1:].split(",")))


def _for_points(form: Format) -> Format:
    """The same boards for points, where the reading settings say so."""

    def reader(source: Source, settings: Any) -> list[Puzzle]:
        puzzles = form.read(source, settings)
        if settings.goal != SCORE:
            return puzzles
        return [replace(puzzle, goal=SCORE) for puzzle in puzzles if isinstance(puzzle, SameGame)]

    return replace(form, read=reader)


SAMEGAME_FORMATS = (_for_points(_COLLECTION.format("samegame")), STANDARD)
FLOOD_FORMATS = (_COLLECTION.format("flood"),)
FIFTEEN_FORMATS = (_COLLECTION.format("fifteen"), KORF)
