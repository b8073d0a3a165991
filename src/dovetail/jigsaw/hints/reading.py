"""Hints as a person writes them, in JSON: pins, neighbours, apart, locked. Rows and columns are counted from 1, pieces
from 0, as the checker counts them. Everything is held against the puzzle here, before any work.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...core import limits
from ...core.errors import BadInput
from ...core.files import read_limited
from ...core.puzzle import EMPTY, Placement, solution_from_json
from ..gapped import Gapped
from ..puzzle import MOST_CELLS, Jigsaw
from .told import SIDES, Beside, Pin, Told, groups, own_hints, place

PINS, NEIGHBOURS, APART, LOCKED = "pins", "neighbours", "apart", "locked"
SORTS = (PINS, NEIGHBOURS, APART, LOCKED)
MOST_HINTS = limits.HINTS
EXAMPLES = {
    PINS: '{"piece": 17, "row": 1, "column": 3}',
    NEIGHBOURS: '{"piece": 17, "right": 4} or {"pieces": [17, 4]}',
    APART: '{"piece": 17, "right": 4} or {"pieces": [17, 4]}',
    LOCKED: '{"answer": "laid.json", "rows": [1, 9]}',
}


def told(puzzle: Jigsaw, hints: Mapping[str, Any], folder: Path) -> Told:
    """What hints say of this puzzle; raises BadInput if they are none, or contradict each other.

    Names of files are looked for in ``folder``.
    """
    if not isinstance(hints, Mapping):
        raise BadInput(f"hints are a JSON object with some of {', '.join(SORTS)}")
    for key in hints:
        if key not in SORTS:
            raise BadInput(f"there are no hints called {str(key)[:40]!r}; they are {', '.join(SORTS)}")
    reader = _Reader(puzzle, folder)
    found = Told(
        tuple(_each(hints, PINS, reader.pin))
        + tuple(pin for pins in _each(hints, LOCKED, reader.locked) for pin in pins),
        tuple(_each(hints, NEIGHBOURS, reader.beside)),
        tuple(_each(hints, APART, reader.beside)),
        reader.earlier,
    )
    if isinstance(puzzle, Gapped) and (found.neighbours or found.apart):
        raise BadInput("of patches with gaps between them only pins and locked regions can be told, not neighbours")
    if puzzle.mixed and found.pins:
        raise BadInput("in a bag of several pictures there are no places to pin pieces to; tell neighbours instead")
    own = own_hints(puzzle)
    groups(puzzle, Told((*own, *found.pins), found.neighbours, found.apart))
    return found


def _each(hints: Mapping[str, Any], sort: str, read: Callable[[str, Mapping[str, Any]], Any]) -> Iterator[Any]:
    """The hints of one sort, each with its name."""
    listed = hints.get(sort, [])
    if not isinstance(listed, list | tuple) or len(listed) > MOST_HINTS:
        raise BadInput(f"the hints {sort!r} are a list, each one like {EXAMPLES[sort]}")
    for number, hint in enumerate(listed, start=1):
        name = f"{sort} {number}"
        if not isinstance(hint, Mapping):
            raise BadInput(f"{name} of the hints is not an object like {EXAMPLES[sort]}")
        yield read(name, hint)


class _Reader:
    """Reads single hints; remembers an earlier answer that is locked in part."""

    def __init__(self, puzzle: Jigsaw, folder: Path) -> None:
        self.puzzle, self.folder = puzzle, folder
        self.earlier: Placement | None = None
        self._answers: dict[str, Placement] = {}

    def pin(self, name: str, hint: Mapping[str, Any]) -> Pin:
        """``{"piece": 17, "row": 1, "column": 3, "turn": 2}``, the turn where it is known."""
        _refuse_keys(name, hint, ("piece", "row", "column", "turn"), PINS)
        piece, turn = self._piece(name, hint, "piece"), self._turn(name, hint)
        rows, cols = self.puzzle.rows or MOST_CELLS, self.puzzle.cols or MOST_CELLS
        row, col = (_number(name, hint, key, 1, most) for key, most in (("row", rows), ("column", cols)))
        turned = "" if turn is None or len(self.puzzle.turns) == 1 else f", turn {turn}"
        return Pin(piece, row - 1, col - 1, turn, f"{name} (piece {piece} at {place(row - 1, col - 1)}{turned})")

    def beside(self, name: str, hint: Mapping[str, Any]) -> Beside:
        """``{"piece": 17, "right": 4}``, or ``{"pieces": [17, 4]}`` where the side is not known."""
        _refuse_keys(name, hint, ("piece", "pieces", *SIDES, "turn"), name.split()[0])
        sides = [side for side in SIDES if side in hint]
        if "pieces" in hint:
            both = hint["pieces"]
            if sides or "piece" in hint or "turn" in hint or not isinstance(both, list | tuple) or len(both) != 2:
                raise BadInput(f"{name} of the hints has two numbers as 'pieces' and nothing else, as in [17, 4]")
            pair = {"piece": both[0], "other": both[1]}
            piece, other = (self._piece(name, pair, key) for key in pair)
            side, turn, words = None, None, f"pieces {piece} and {other}"
        else:
            if len(sides) != 1:
                raise BadInput(
                    f"{name} of the hints has a 'piece' and one of {', '.join(SIDES)}: {EXAMPLES[NEIGHBOURS]}"
                )
            piece, other = self._piece(name, hint, "piece"), self._piece(name, hint, sides[0])
            side, turn = SIDES.index(sides[0]), self._turn(name, hint)
            of = "" if sides[0] in ("above", "below") else " of"
            words = f"piece {other} {sides[0]}{of} piece {piece}"
        if piece == other:
            raise BadInput(f"{name} of the hints names piece {piece} twice")
        return Beside(piece, other, side, turn, f"{name} ({words})")

    def locked(self, name: str, hint: Mapping[str, Any]) -> list[Pin]:
        """``{"answer": FILE, "rows": [1, 9], "columns": [2, 5]}`` or ``"pieces": […]``, or all that lies."""
        _refuse_keys(name, hint, ("answer", "rows", "columns", "pieces"), LOCKED)
        answer = self._answer(name, hint.get("answer"))
        rows = self._lines(name, hint, "rows", len(answer.pieces))
        cols = self._lines(name, hint, "columns", len(answer.pieces[0]) if answer.pieces else 0)
        wanted = hint.get("pieces")
        if wanted is not None:
            if not isinstance(wanted, list | tuple):
                raise BadInput(f"{name} of the hints: 'pieces' is a list of their numbers")
            wanted = {self._piece(name, {"piece": piece}, "piece") for piece in wanted}
        pins = []
        for row, (pieces, turns) in enumerate(zip(answer.pieces, answer.turns, strict=True)):
            for col, (piece, turn) in enumerate(zip(pieces, turns, strict=True)):
                if piece != EMPTY and row in rows and col in cols and (wanted is None or piece in wanted):
                    pins.append(Pin(piece, row, col, turn, f"{name} (piece {piece} at {place(row, col)})"))
        missing = set() if wanted is None else wanted - {pin.piece for pin in pins}
        if missing:
            raise BadInput(f"{name} of the hints: piece {min(missing)} does not lie there in that answer")
        if not pins:
            raise BadInput(f"{name} of the hints: nothing lies there in that answer")
        return pins

    def _answer(self, name: str, given: Any) -> Placement:
        if isinstance(given, Placement):
            answer = given
        elif isinstance(given, str):
            answer = self._answers[given] if given in self._answers else self._read(name, given)
            self._answers[given] = answer
        elif isinstance(given, Mapping):
            answer = self._decoded(name, given)
        else:
            raise BadInput(f"{name} of the hints needs an 'answer': the name of a solution file")
        from ..scores import misused

        if faults := misused(self.puzzle, answer):
            raise BadInput(f"{name} of the hints: the answer is none of this puzzle: {faults[0]}")
        self.earlier = answer
        return answer

    def _read(self, name: str, given: str) -> Placement:
        path = self.folder / given
        try:
            data = json.loads(read_limited(path))
        except BadInput as error:
            raise BadInput(f"{name} of the hints: {error}") from None
        except (ValueError, RecursionError):
            raise BadInput(f"{name} of the hints: {str(path)[:120]} is no solution file") from None
        return self._decoded(name, data)

    def _decoded(self, name: str, data: Any) -> Placement:
        try:
            answer = solution_from_json(data, self.puzzle)
        except BadInput as error:
            raise BadInput(f"{name} of the hints: {error}") from None
        if not isinstance(answer, Placement):
            raise BadInput(f"{name} of the hints: the answer of a jigsaw is a placement")
        return answer

    def _lines(self, name: str, hint: Mapping[str, Any], key: str, most: int) -> range:
        """Rows or columns from the first to the last that are named, or all."""
        if key not in hint:
            return range(most)
        given = hint[key]
        pair = [given, given] if type(given) is int else given
        if not (isinstance(pair, list | tuple) and len(pair) == 2 and all(type(each) is int for each in pair)):
            raise BadInput(f"{name} of the hints: {key!r} is the first and the last of them, as in [1, 9]")
        if not 1 <= pair[0] <= pair[1] <= most:
            raise BadInput(f"{name} of the hints: {key!r} are from 1 to {most}, the first one first, not {given}")
        return range(pair[0] - 1, pair[1])

    def _piece(self, name: str, hint: Mapping[str, Any], key: str) -> int:
        piece = hint.get(key)
        if type(piece) is not int:
            raise BadInput(f"{name} of the hints: {key!r} is the number of a piece, counted from 0")
        if not 0 <= piece < self.puzzle.count:
            raise BadInput(f"{name} of the hints: there is no piece {str(piece)[:20]} (0 to {self.puzzle.count - 1})")
        return piece

    def _turn(self, name: str, hint: Mapping[str, Any]) -> int | None:
        turn = hint.get("turn")
        if turn is not None and (type(turn) is not int or turn not in self.puzzle.turns):
            allowed = ", ".join(map(str, self.puzzle.turns))
            raise BadInput(f"{name} of the hints: a turn is one of {allowed} here, not {str(turn)[:20]}")
        return turn


def _refuse_keys(name: str, hint: Mapping[str, Any], known: tuple[str, ...], sort: str) -> None:
    for key in hint:
        if key not in known:
            raise BadInput(f"{name} of the hints: {str(key)[:40]!r} is not known there; it is like {EXAMPLES[sort]}")


def _number(name: str, hint: Mapping[str, Any], key: str, least: int, most: int) -> int:
    number = hint.get(key)
    if type(number) is not int or not least <= number <= most:
        raise BadInput(f"{name} of the hints: {key!r} is from {least} to {most}, not {str(number)[:20]}")
    return number
