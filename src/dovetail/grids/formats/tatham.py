"""Game ids of the five games of Simon Tatham's collection that are logic grids: ``3x3:a7_5b1…`` of solo, keen, lightup,
loopy and pattern. ``core.tatham`` says what else is read; here the games are told apart, and their solutions read."""

import re

from ...core.tatham import Collection, solve_move
from .tatham_games import GAMES
from .tatham_moves import solution

__all__ = ["COLLECTION", "address", "game_id", "game_of", "read", "solution", "solve_move"]


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
    whole = "," not in description or re.search("[jk]", parameters)  # regions and cages come after a comma
    if "solo" in fits and whole and re.fullmatch("[_a-z0-9,]+", description):
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


COLLECTION = Collection(GAMES, _by_shape)
address, game_id, game_of, read = COLLECTION.address, COLLECTION.game_id, COLLECTION.game_of, COLLECTION.read
