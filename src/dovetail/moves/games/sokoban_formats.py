"""Sokoban levels and solutions as texts: XSB, the same with headers (.sok), run-length encoded rows, LURD letters."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...core.errors import BadInput
from ...core.kind import Format, Laid
from ...core.puzzle import Moves, Puzzle, Solution
from ...core.source import Source
from ..kind import IllegalMove
from .sokoban import STEPS, Sokoban, SokobanPlay, place

LONGEST_RUN = 10_000  # of one letter, so that a few digits do not fill the memory
ROW = re.compile(r"[#.$*@+ \-_]*#[#.$*@+ \-_]*")
CODED_ROW = re.compile(r"(?=.*#)[0-9#.$*@+\-_| ]+")
RUN = re.compile(r"([0-9]{0,5})([^0-9])")
HEADER = re.compile(r"(title|author|comment|collection|set|copyright|email|date|homepage|website|solution)\s*:", re.I)
LURD = re.compile(r"(?:[0-9]{0,5}[lurdLURD]\s*)+")
JUMPS = re.compile(r"(?:[0-9]{1,3}-[0-9]{1,3}|[lurd][0-9]{1,5}|,)+")
JUMP = re.compile(r"([0-9]+)-([0-9]+)|([lurd])([0-9]+)")


@dataclass
class Written:
    """One level as a text holds it."""

    line: int  # of the text, where it begins
    rows: list[str]
    title: str = ""
    solution: list[str] = field(default_factory=list)


def written(text: str) -> list[Written]:
    """All levels of a text. A title stands above (``; title`` or plain) or below (``Title: …``)."""
    levels: list[Written] = []
    above, inside, in_solution = "", False, False
    for number, line in enumerate(text.splitlines(), start=1):
        rows = _rows(line)
        if rows is not None:
            if not inside:
                levels.append(Written(number, [], above))
                above = ""
            levels[-1].rows += rows
            inside, in_solution = True, False
            continue
        inside = False
        stripped = line.strip()
        if not stripped:
            in_solution = in_solution and not levels[-1].solution
        elif header := HEADER.match(stripped):
            name, rest = header[1].lower(), stripped[header.end() :].strip()
            in_solution = name == "solution" and bool(levels)
            if in_solution:
                levels[-1].solution = [rest] if rest else []
            elif name == "title" and levels:
                levels[-1].title = rest
        elif in_solution and (LURD.fullmatch(stripped) or JUMPS.fullmatch(stripped)):
            levels[-1].solution.append(stripped)
        elif not stripped.startswith("::"):
            above, in_solution = stripped.lstrip(";").strip(), False
    return levels


def _rows(line: str) -> list[str] | None:
    """The rows of the level that a line holds, if it is part of one: one, or more where they are run-length encoded."""
    if ROW.fullmatch(line):
        return [line]
    if CODED_ROW.fullmatch(line.strip()) is None:
        return None
    return ["".join(_expanded(part)) for part in line.strip().split("|")]


def _expanded(text: str) -> Iterator[str]:
    """Letters, each as often as the number before it says."""
    for count, letter in RUN.findall(text):
        yield letter * min(int(count or 1), LONGEST_RUN)


def read(source: Source, settings: object) -> list[Puzzle]:
    """Every level of a text."""
    return [puzzle for _, puzzle, _ in _levels(source)]


def laid(source: Source) -> list[Laid]:
    """Every level that has a solution below it, if any has."""
    if not _shows_levels(source):
        return []
    found = []
    for name, puzzle, letters in _levels(source):
        if letters:
            try:
                found.append(Laid(name, puzzle, _solution(letters, puzzle)))
            except BadInput as error:
                raise BadInput(f"{name}: {error}") from None
    return found


def _levels(source: Source) -> Iterator[tuple[str, Sokoban, str]]:
    """Each level with its name and what is written as its solution."""
    levels = written(source.text)
    if not levels:
        raise BadInput(f"{source.name} holds no sokoban level: no line with walls (#)")
    for number, level in enumerate(levels, start=1):
        name = source.name if len(levels) == 1 else f"{source.name}, level {number}"
        try:
            yield name, Sokoban(tuple(level.rows), level.title), "".join(level.solution)
        except BadInput as error:
            raise BadInput(f"{name} (line {level.line}): {error}") from None


def solutions(source: Source, puzzle: Sokoban) -> list[Solution] | None:
    """The moves in a text of nothing but moves; of a text with levels, those below this one."""
    if not source.is_text:
        return None
    text = source.text.strip()
    if LURD.fullmatch(text) or JUMPS.fullmatch(text):
        return [_solution(text, puzzle)]
    if not _shows_levels(source):
        return None
    return [found.solution for found in laid(source) if found.solution and _same(found.puzzle, puzzle)]


def _same(one: Puzzle, other: Sokoban) -> bool:
    return isinstance(one, Sokoban) and one.level == other.level


def _solution(text: str, puzzle: Sokoban) -> Moves:
    if LURD.fullmatch(text):
        return Moves(tuple("".join(_expanded("".join(text.split())))))
    if JUMPS.fullmatch(text):
        return Moves(tuple(_jumps(text, puzzle)))
    raise BadInput("a solution is written in the letters l, u, r, d and L, U, R, D")


def _jumps(text: str, puzzle: Sokoban) -> Iterator[str]:
    """Of ``3-1d1r2,…``: walk to column 3, row 1 (from 0), then step or push down once and right twice, and so on."""
    play = SokobanPlay(puzzle)
    for col, row, way, count in JUMP.findall(text):
        if way:
            moves: Iterable[str] = way * min(int(count), LONGEST_RUN)
        else:
            moves = _walk(play, (int(row), int(col)))
        for move in moves:
            down, across = STEPS[move]
            pushed = (play.player[0] + down, play.player[1] + across) in play.boxes
            letter = move.upper() if pushed else move
            try:
                play.make(letter)
            except IllegalMove as fault:
                raise BadInput(f"its solution cannot be played: {fault}") from None
            yield letter


def _walk(play: SokobanPlay, to: tuple[int, int]) -> str:
    """The shortest way there between the boxes."""
    ways = {play.player: ""}
    queue = [play.player]
    for cell in queue:
        if cell == to:
            return ways[cell]
        for letter, (down, across) in STEPS.items():
            beside = (cell[0] + down, cell[1] + across)
            if beside not in ways and beside not in play.walls and beside not in play.boxes:
                ways[beside] = ways[cell] + letter
                queue.append(beside)
    raise BadInput(f"its solution cannot be played: there is no way to {place(to)}")


def _shows_levels(source: Source) -> bool:
    """Lines of walls with a player and a box somewhere between them."""
    if not source.is_text:
        return False
    rows = [row for line in source.text.splitlines() for row in _rows(line) or ()]
    letters = set("".join(rows))
    return any(row.count("#") > 1 for row in rows) and bool(letters & set("@+")) and bool(letters & set("$*"))


def _has_headers(source: Source) -> bool:
    return _shows_levels(source) and any(HEADER.match(line) or line[:2] == "::" for line in source.text.splitlines())


def write_xsb(puzzle: Puzzle) -> bytes:
    """A title after a semicolon, and the level."""
    assert isinstance(puzzle, Sokoban)
    title = f"; {puzzle.title}\n" if puzzle.title else ""
    return (title + "".join(f"{line.rstrip()}\n" for line in puzzle.level)).encode()


def write_sok(puzzle: Puzzle) -> bytes:
    """The level, and its title as a header below."""
    assert isinstance(puzzle, Sokoban)
    level = "".join(f"{line.rstrip()}\n" for line in puzzle.level)
    return f":: Sokoban level ::\n\n{level}\n{f'Title: {puzzle.title}' if puzzle.title else ''}\n".encode()


FORMATS = (
    Format("sok", "Sokoban levels with headers (.sok)", _has_headers, read, write_sok),
    Format("xsb", "Sokoban levels as text (.xsb)", _shows_levels, read, write_xsb),
)
