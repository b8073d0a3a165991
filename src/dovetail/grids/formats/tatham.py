"""Game ids of Simon Tatham's Portable Puzzle Collection: ``3x3:a7_5b1…`` of solo, keen, lightup, loopy and pattern.

An id does not say which game it is of. ``read`` takes the name before it (``solo 3x3:…``, ``solo:3x3:…``), the address
of the collection's web pages (``…/solo.html#3x3:…``), an object ``{"game", "params", "desc"}`` as JSON, and plain ids,
which it tells apart by their shape. ``game_id`` writes the plain id that every port of the collection takes, without
the parameters that only its generator needs: so a text comes back as it was but for those.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from ...core.errors import BadInput, BadUsage
from ...core.puzzle import Puzzle
from ..kind import GridPuzzle
from .tatham_games import GAMES
from .tatham_moves import solution
from .text import Code

__all__ = ["address", "game_id", "game_of", "read", "solution", "solve_move"]

PAGES = "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/"
_PLAIN = r"(?P<params>[0-9][0-9a-zA-Z.]*):(?P<desc>\S+)"
_ID = re.compile(rf"(?:(?:\S*/)?(?P<game>{'|'.join(GAMES)})(?:\.html#|\s*:\s*|\s+))?{_PLAIN}")
_NAMES = {game.kind: name for name, game in GAMES.items()}


@dataclass(frozen=True)
class _Id:
    game: str
    parameters: str
    description: Code


def game_of(text: str) -> str | None:
    """The game of an id, by its name or its shape; None if it is none of the five."""
    try:
        return _taken_apart(text).game
    except BadInput:
        return None


def read(text: str, game: str | None = None) -> GridPuzzle:
    """The puzzle of an id; of a plain one, ``game`` says which game is meant."""
    found = _taken_apart(text, game)
    if game is not None and found.game != game:
        raise BadInput(f"this is an id of the game {found.game}, not {game}")
    chosen = GAMES[found.game]
    parameters = re.fullmatch(chosen.parameters, found.parameters)
    if parameters is None:
        raise BadInput(f"{found.parameters[:20]!r} are no parameters of the game {found.game}")
    return chosen.read(parameters, found.description)


def game_id(puzzle: Puzzle) -> str:
    """The id to paste into the game; BadUsage if the game has no words for the puzzle."""
    if puzzle.kind not in _NAMES:
        raise BadUsage(f"{puzzle.kind} is no game of Simon Tatham's collection")
    return ":".join(GAMES[_NAMES[puzzle.kind]].write(puzzle))


def address(puzzle: Puzzle) -> str:
    """The web page that shows the puzzle."""
    identity = game_id(puzzle)
    return f"{PAGES}{_NAMES[puzzle.kind]}.html#{identity}"


def solve_move(text: str) -> str | None:
    """The move that a text gives as a solution, alone or as ``solve`` of a JSON object; None if it gives none."""
    if text.startswith("{"):
        move = _object(text).get("solve")
        return move if isinstance(move, str) else None
    return text if re.match(r"S[0-9;]", text) else None


def _taken_apart(text: str, game: str | None = None) -> _Id:
    if text.startswith("{"):
        data = _object(text)
        name, parameters = data.get("game"), data.get("full_params", data.get("params"))
        if name not in GAMES or not isinstance(parameters, str) or not isinstance(data.get("desc"), str):
            raise BadInput(f"an object of the collection has game (one of {', '.join(GAMES)}), params and desc")
        return _Id(name, parameters, Code(data["desc"]))
    found = _ID.fullmatch(text)
    if found is None:
        raise BadInput(f"{text[:60]!r} is no game id, parameters:description")
    description = Code(found["desc"], found.start("desc") + 1)
    chosen = found["game"] or game or _by_shape(found["params"], found["desc"])
    if chosen is None:
        raise BadInput(f"{text[:60]!r} could be of many games; write its name before it ({', '.join(GAMES)})")
    return _Id(chosen, found["params"], description)


def _object(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput("this is not valid JSON") from None
    return data if isinstance(data, dict) else {}


def _by_shape(parameters: str, description: str) -> str | None:
    """The only one of the five games that an id can be of."""
    fits = {name for name, game in GAMES.items() if re.fullmatch(game.parameters, parameters)}
    if re.search("t[0-9]", parameters):
        return "loopy" if "loopy" in fits else None
    if "keen" in fits and re.fullmatch("[_a-z0-9]+,[asmdn0-9]*", description):
        return "keen"
    if "pattern" in fits and "/" in description and re.fullmatch("[0-9./]+", description):
        return "pattern"
    if "lightup" in fits and re.fullmatch("[a-z0-4B]+", description):
        sure = "B" in description or re.search("[bs][0-9]", parameters) is not None
        if sure or _cells(description, "[0-4B]") == _area(parameters):
            return "lightup"
    if "solo" in fits and re.fullmatch("[_a-z0-9,]+", description):
        sure = re.search("[jk]|x.*x", parameters) is not None or re.search("_|[5-9]", description) is not None
        if sure or _cells(description, "[0-9]+") == _area(parameters) ** 2:
            return "solo"
    return None


def _cells(description: str, clue: str) -> int:
    """How many cells a description covers, of which a clue is one."""
    letters = sum(ord(letter) - ord("a") + 1 for letter in description if letter.islower())
    return letters + len(re.findall(clue, description))


def _area(parameters: str) -> int:
    sides = [int(side) for side in re.findall("[0-9]+", parameters)[:2] if len(side) < 5]
    return sides[0] * sides[1] if len(sides) == 2 else 0
