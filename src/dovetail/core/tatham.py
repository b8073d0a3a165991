"""Game ids of Simon Tatham's Portable Puzzle Collection, ``parameters:description``, whatever the games.

An id does not say which game it is of. A Collection reads the name before it (``solo 3x3:…``, ``solo:3x3:…``), the
address of the collection's web pages (``…/solo.html#3x3:…``), an object ``{"game", "params", "desc"}`` as JSON, and
plain ids, which its family tells apart by their shape. It writes the plain id that every port of the collection takes,
without the parameters that only a generator needs: so a text comes back as it was but for those.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import BadInput, BadUsage
from .kind import Format
from .puzzle import Puzzle
from .source import Source
from .text import Code, encoded, first_line, line_by_line, numbered_lines, size

PAGES = "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/"
SIZE = r"(?P<width>[0-9]+)(?:x(?P<height>[0-9]+))?"  # how the parameters of most games begin
_PLAIN = r"(?P<params>[0-9][0-9a-zA-Z.]*):(?P<desc>\S+)"


@dataclass(frozen=True)
class Game:
    """One game: the kind of puzzle it is, how its parameters look, and both ways between descriptions and puzzles."""

    kind: str
    parameters: str  # a pattern
    read: Callable[[re.Match[str], Code], Puzzle]
    write: Callable[..., tuple[str, str]]  # parameters and description


@dataclass(frozen=True)
class _Id:
    game: str
    parameters: str
    description: Code


class Collection:
    """The games of one family, by name. ``by_shape`` names the only one of them that a plain id can be of, if so."""

    def __init__(self, games: Mapping[str, Game], by_shape: Callable[[str, str], str | None]) -> None:
        self.games = games
        self._by_shape = by_shape
        self._names = {game.kind: name for name, game in games.items()}
        self._id = re.compile(rf"(?:(?:\S*/)?(?P<game>{'|'.join(games)})(?:\.html#|\s*:\s*|\s+))?{_PLAIN}")

    def game_of(self, text: str) -> str | None:
        """The game of an id, by its name or its shape; None if it is none of these."""
        try:
            return self._taken_apart(text).game
        except BadInput:
            return None

    def read(self, text: str, game: str | None = None) -> Any:
        """The puzzle of an id; of a plain one, ``game`` says which game is meant."""
        found = self._taken_apart(text, game)
        if game is not None and found.game != game:
            raise BadInput(f"this is an id of the game {found.game}, not {game}")
        chosen = self.games[found.game]
        parameters = re.fullmatch(chosen.parameters, found.parameters)
        if parameters is None:
            raise BadInput(f"{found.parameters[:20]!r} are no parameters of the game {found.game}")
        return chosen.read(parameters, found.description)

    def game_id(self, puzzle: Puzzle) -> str:
        """The id to paste into the game; BadUsage if the game has no words for the puzzle."""
        return ":".join(self.games[self._name(puzzle)].write(puzzle))

    def address(self, puzzle: Puzzle) -> str:
        """The web page that shows the puzzle."""
        return f"{PAGES}{self._name(puzzle)}.html#{self.game_id(puzzle)}"

    def format(self, kind: str) -> Format:
        """The ids of the game that is this kind of puzzle, as ``Kind.formats`` has them."""
        game = self._names[kind]
        return Format(
            "tatham", f"ids of the game {game} of Simon Tatham's collection, one a line, and their JSON lines",
            lambda source: self.game_of(first_line(source)) == game,
            line_by_line(lambda text: self.read(text, game)), encoded(self.game_id),
        )  # fmt: skip

    def _name(self, puzzle: Puzzle) -> str:
        if puzzle.kind not in self._names:
            raise BadUsage(f"{puzzle.kind} is no game of Simon Tatham's collection")
        return self._names[puzzle.kind]

    def _taken_apart(self, text: str, game: str | None = None) -> _Id:
        names = ", ".join(self.games)
        if text.startswith("{"):
            data = _object(text)
            data["params"] = data.get("full_params", data.get("params"))
            match data:
                case {"game": str(name), "params": str(params), "desc": str(desc)} if name in self.games:
                    return _Id(name, params, Code(desc))
            raise BadInput(f"an object of the collection has game (one of {names}), params and desc")
        found = self._id.fullmatch(text)
        if found is None:
            raise BadInput(f"{text[:60]!r} is no game id, parameters:description")
        description = Code(found["desc"], found.start("desc") + 1)
        chosen = found["game"] or game or self._by_shape(found["params"], found["desc"])
        if chosen is None:
            raise BadInput(f"{text[:60]!r} could be of many games; write its name before it ({names})")
        return _Id(chosen, found["params"], description)


def solve_move(text: str) -> str | None:
    """The move that a text gives as a solution, alone or as ``solve`` of a JSON object; None if it gives none."""
    if text.startswith("{"):
        move = _object(text).get("solve")
        return move if isinstance(move, str) else None
    return text if re.match(r"S[0-9;]", text) else None


def solve_moves(source: Source) -> list[tuple[str, str]] | None:
    """The solving moves of a file with their places; None if a line is none."""
    found = []
    for place, line in numbered_lines(source):
        try:
            move = solve_move(line)
        except BadInput:
            return None
        if move is None:
            return None
        found.append((place, move))
    return found or None


def width_height(parameters: re.Match[str]) -> tuple[int, int]:
    """Columns and rows, where the parameters begin with SIZE."""
    width = size(parameters["width"], "columns")
    return width, width if parameters["height"] is None else size(parameters["height"], "rows")


def at_commas(code: Code, wanted: tuple[str, ...]) -> list[Code]:
    """A description at its commas; ``wanted`` are its parts in words."""
    starts = [0, *(comma.end() for comma in re.finditer(",", code.text))]
    ends = [*(start - 1 for start in starts[1:]), len(code.text)]
    if len(starts) < len(wanted):
        raise code.fault(len(code.text), f"the text ends before {wanted[len(starts)]}")
    if len(starts) > len(wanted):
        raise code.fault(starts[len(wanted)] - 1, f"the text goes on after {wanted[-1]}")
    return [code[start:end] for start, end in zip(starts, ends, strict=True)]


def _object(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput("this is not valid JSON") from None
    return data if isinstance(data, dict) else {}
