"""The rules around a list of tiles: what the file says, what the user sets, and what is assumed where both are silent.

A plain list says nothing but its tiles. Further rules stand in comments that other programs skip:

    # board 3x4            rows x columns
    # rim 0                one colour all around; or: # frame none, # frame c c c … (clockwise from the top left)
    # match signed         a side agrees with its negative; or: equal
    # rotate false         tiles lie as they are listed
    # distinct true        no two tiles are alike
    # pin 9 8 139 0        row, column and tile (all from 1) of a hint, and its quarter turns counter-clockwise
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from ..core.errors import BadInput, BadUsage
from .boards import Tile
from .diagnosis import refuse_broken
from .puzzle import EQUAL, SIGNED, Pin, Reading, Tiles, grey_frame

T = TypeVar("T")
NUMBER = "[+-]?[0-9]{1,9}"
_WORD = re.compile(r"#\s*(rotate|match|distinct)\s+(\S+)\s*")
_NUMBERS = re.compile(r"#\s*(board|rim|frame|pin)\s+((?:none|[+-]?[0-9]).*?)\s*")


@dataclass
class Said:
    """What a file says besides its tiles; None where it is silent.

    ``frame`` is () for a free rim, one colour for all of it, or a colour for every edge.
    """

    rows: int | None = None
    cols: int | None = None
    rotate: bool | None = None
    match: str | None = None
    frame: tuple[int, ...] | None = None
    pins: tuple[Pin, ...] | None = None
    distinct: bool | None = None

    def note(self, comment: str, place: str) -> None:
        """Take up a comment if it is one of ours."""
        if word := _WORD.fullmatch(comment):
            self._note_word(word[1], word[2], f"{place}: {comment[:60]!r}")
        elif numbers := _NUMBERS.fullmatch(comment):
            self._note_numbers(numbers[1], numbers[2], f"{place}: {comment[:60]!r}")

    def _note_word(self, key: str, value: str, what: str) -> None:
        choices: dict[str, Any] = {EQUAL: EQUAL, SIGNED: SIGNED} if key == "match" else {"true": True, "false": False}
        if value not in choices:
            raise BadInput(f"{what} does not say {' or '.join(choices)}")
        setattr(self, key, choices[value])

    def _note_numbers(self, key: str, value: str, what: str) -> None:
        if key == "board":
            size = re.fullmatch("([0-9]{1,4})x([0-9]{1,4})", value)
            if size is None:
                raise BadInput(f"{what} does not give a board as in '# board 4x5'")
            self.rows, self.cols = int(size[1]), int(size[2])
            return
        numbers = whole_numbers(value)
        if key == "pin":
            if numbers is None or len(numbers) != 4:
                raise BadInput(f"{what} does not give row, column, tile and turns as in '# pin 9 8 139 0'")
            self.pins = (*(self.pins or ()), _pin(numbers))
        elif value == "none":
            self.frame = ()
        elif numbers is None or (key == "rim" and len(numbers) != 1):
            raise BadInput(f"{what} does not give {'a colour' if key == 'rim' else 'colours'} or none")
        else:
            self.frame = tuple(numbers)


def whole_numbers(text: str) -> list[int] | None:
    """The numbers of a line, between blanks, tabs or commas; None if it holds anything else."""
    parts = re.split(r"[\s,]+", text.strip(" \t\r,"))
    return [int(part) for part in parts] if all(re.fullmatch(NUMBER, part) for part in parts) else None


def build(name: str, tiles: Sequence[Tile], said: Said, settings: Reading, lines: Sequence[int] | None = None) -> Tiles:
    """The puzzle, by what was said, set or else assumed.

    A list of tiles comes with the ``lines`` they stand on; it must be one that can be solved. A board that somebody
    laid is for the checker to judge.
    """
    if not tiles:
        raise BadInput(f"{name} holds no tiles")
    match = _settled(name, "match", said.match, settings.match) or assumed_match(tiles)
    size = (
        _settled(name, "height", said.rows, settings.height),
        _settled(name, "width", said.cols, settings.width),
    )
    frame = _settled(name, "rim", said.frame, _rim(settings.rim))
    assumed = frame is None
    if frame is None:
        frame = assumed_frame(tiles, match, size)
    rows, cols = _board(name, tiles, frame, *size)
    if len(frame) == 1:
        frame = grey_frame(rows, cols, frame[0])
    pins = _settled(name, "pins", said.pins, None if settings.pins is None else _pins(settings.pins))
    rotate = _settled(name, "rotate", said.rotate, settings.rotate)
    try:
        puzzle = Tiles(
            rows,
            cols,
            tuple(tiles),
            rotate is not False,
            match,
            frame or None,
            pins or (),
            bool(_settled(name, "distinct", said.distinct, settings.distinct)),
        )
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    if lines is not None:
        doubt = "; if 0 is a colour like the others, give --set rim=none" if assumed and frame else ""
        refuse_broken(puzzle, lines.__getitem__, name, doubt)
    return puzzle


def refuse_settings(name: str, settings: Reading) -> None:
    """For files that say everything themselves."""
    for field in fields(settings):
        if getattr(settings, field.name) is not None:
            raise BadUsage(f"{field.name} cannot be set here: {name} says it already")


def assumed_match(tiles: Iterable[Tile]) -> str:
    """Signed if any side is negative."""
    return SIGNED if any(colour < 0 for tile in tiles for colour in tile) else EQUAL


def assumed_frame(tiles: Sequence[Tile], match: str, size: tuple[int | None, int | None]) -> tuple[int, ...]:
    """A rim of colour 0 if tiles have it as the tiles of a rim do: on one side, or on two that meet."""
    sides = sum(tile.count(0) for tile in tiles)
    if match == SIGNED or not sides:
        return ()
    odd = sum(tile[0] == 0 == tile[2] or tile[1] == 0 == tile[3] for tile in tiles)
    rows, cols = size
    known = (rows, cols) if rows and cols else _rectangle(len(tiles), sides)
    fits = known is not None and sides == 2 * (known[0] + known[1])
    return (0,) if odd <= 1 or fits else ()


def comments(puzzle: Tiles) -> list[str]:
    """What the reader would not assume of these tiles on a board of this size."""
    lines = []
    if puzzle.match != assumed_match(puzzle.tiles):
        lines.append(f"# match {puzzle.match}")
    frame = () if puzzle.frame is None else puzzle.frame if puzzle.rim is None else (puzzle.rim,)
    if frame != assumed_frame(puzzle.tiles, puzzle.match, (puzzle.rows, puzzle.cols)):
        if len(frame) == 1:
            lines.append(f"# rim {frame[0]}")
        else:
            lines.append(f"# frame {' '.join(map(str, frame)) or 'none'}")
    if not puzzle.rotate:
        lines.append("# rotate false")
    if puzzle.distinct:
        lines.append("# distinct true")
    lines += [f"# pin {pin.row + 1} {pin.col + 1} {pin.tile + 1} {pin.turns}" for pin in puzzle.pins]
    return lines


def _settled(name: str, key: str, said: T | None, given: T | None) -> T | None:
    """The one of the two that is there; a contradiction is for the user to settle."""
    if said is not None and given is not None and said != given:
        raise BadUsage(f"{key} cannot be set here: {name} says it already")
    return said if said is not None else given


def _rim(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    if text == "none":
        return ()
    numbers = whole_numbers(text)
    if numbers is None or len(numbers) != 1:
        raise BadUsage(f"rim is a colour or none, not {text[:40]!r}")
    return tuple(numbers)


def _pins(text: str) -> tuple[Pin, ...]:
    pins = []
    for part in text.split():
        numbers = whole_numbers(part.replace(":", " "))
        if numbers is None or len(numbers) not in (3, 4):
            raise BadUsage(f"a hint is row:column:tile:turns, as in 9:8:139:0, not {part[:40]!r}")
        pins.append(_pin(numbers))
    return tuple(pins)


def _pin(numbers: Sequence[int]) -> Pin:
    """Rows, columns and tiles are counted from 1 where people write them."""
    row, col, tile, *turns = numbers
    return Pin(row - 1, col - 1, tile - 1, *turns)


def _board(
    name: str, tiles: Sequence[Tile], frame: tuple[int, ...], rows: int | None, cols: int | None
) -> tuple[int, int]:
    """As given; a side that is missing follows from the other, both from the rim, or else the board is square."""
    number = len(tiles)
    if rows is not None and cols is not None:
        return rows, cols
    if rows is not None or cols is not None:
        side = rows or cols or 1
        if number % side:
            raise BadInput(f"{name}: {number} tiles do not make a board with a side of {side}")
        return (side, number // side) if rows is not None else (number // side, side)
    if len(frame) == 1 and (found := _rectangle(number, sum(tile.count(frame[0]) for tile in tiles))):
        return found
    if math.isqrt(number) ** 2 != number:
        raise BadInput(f"{name}: {number} tiles do not make a square; give the board's columns with --set width=…")
    return math.isqrt(number), math.isqrt(number)


def _rectangle(tiles: int, rim_sides: int) -> tuple[int, int] | None:
    """Rows and columns, not more rows than columns, of a board with so many tiles and edges along its rim."""
    half, odd = divmod(rim_sides, 2)
    root = math.isqrt(max(0, half * half - 4 * tiles))
    if odd or root * root != half * half - 4 * tiles or half <= root:
        return None
    return (half - root) // 2, (half + root) // 2
