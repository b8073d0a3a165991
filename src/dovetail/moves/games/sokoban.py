"""Sokoban: a keeper pushes boxes, one at a time, until every box stands on a goal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

from ...core import limits
from ...core.errors import BadInput
from ...core.kind import Format, Laid
from ...core.puzzle import Moves, Puzzle, Solution
from ...core.settings import setting
from ...core.source import Source
from ...picture import Picture
from ..kind import IllegalMove, MovesKind, MovesPuzzle, Play

MOST_SIDE, MOST_TITLE = limits.SOKOBAN_SIDE, limits.SOKOBAN_TITLE
WALL, FLOOR, GOAL, BOX, PLACED, PLAYER, PLAYER_ON_GOAL = "# .$*@+"
STEPS = {"l": (0, -1), "u": (-1, 0), "r": (0, 1), "d": (1, 0)}  # row, col

Cell = tuple[int, int]


@dataclass(frozen=True)
class Sokoban(MovesPuzzle):
    """``level`` by row in the letters of XSB, padded to one width; ``-`` and ``_`` are read as floor.

    Blank rows and columns around it are dropped, so that a level is the same however a file indents it.
    """

    level: tuple[str, ...]
    title: str = ""
    kind: ClassVar[str] = "sokoban"
    rules: ClassVar[str] = "dovetail.moves.rules.sokoban"
    plays_cut_off: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", _trimmed(self.level))
        object.__setattr__(self, "title", " ".join(self.title.split()))
        if len(self.title) > MOST_TITLE:
            raise BadInput(f"the title of a level has at most {MOST_TITLE} letters, not {len(self.title)}")
        if not self.level:
            raise BadInput("a sokoban level has at least one row")
        if not (self.rows <= MOST_SIDE and self.cols <= MOST_SIDE):
            raise BadInput(f"a sokoban level has at most {MOST_SIDE} rows and columns, not {self.size}")
        for row, line in enumerate(self.level):
            for col, letter in enumerate(line):
                if letter not in "# .$*@+":
                    raise BadInput(f"{place((row, col))}: a cell is one of '# .$*@+', not {letter!r}")
        players = self.cells(PLAYER, PLAYER_ON_GOAL)
        if len(players) != 1:
            where = f" ({place(players[0])} and {place(players[1])})" if players else ""
            raise BadInput(f"a sokoban level has one player (@ or +), not {len(players)}{where}")
        boxes, goals = len(self.cells(BOX, PLACED)), len(self.cells(GOAL, PLACED, PLAYER_ON_GOAL))
        if boxes != goals:
            raise BadInput(f"a sokoban level has as many goals as boxes, but here are {goals} goals and {boxes} boxes")
        if not boxes:
            raise BadInput("a sokoban level has at least one box")
        for row, col in sorted(self.inside):
            if row in (0, self.rows - 1) or col in (0, self.cols - 1):
                raise BadInput(f"{place((row, col))}: the level is not closed, the player could walk out here")

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(self.level)

    @property
    def cols(self) -> int:
        """How many columns it has."""
        return len(self.level[0])

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.rows}x{self.cols}"

    def encode(self) -> dict[str, Any]:
        """As JSON types."""
        level = [line.rstrip() for line in self.level]
        return {"level": level, **({"title": self.title} if self.title else {})}

    def cells(self, *letters: str) -> list[Cell]:
        """Where any of these letters stand, in reading order."""
        return [(row, col) for row, line in enumerate(self.level) for col, found in enumerate(line) if found in letters]

    @cached_property
    def inside(self) -> frozenset[Cell]:
        """The cells the player could come to if there were no boxes."""
        (start,) = self.cells(PLAYER, PLAYER_ON_GOAL)
        seen, queue = {start}, [start]
        for row, col in queue:
            for down, across in STEPS.values():
                cell = (row + down, col + across)
                if not (0 <= cell[0] < self.rows and 0 <= cell[1] < self.cols) or cell in seen:
                    continue
                if self.level[cell[0]][cell[1]] != WALL:
                    seen.add(cell)
                    queue.append(cell)
        return frozenset(seen)


def place(cell: Cell) -> str:
    """A cell in words."""
    return f"row {cell[0] + 1}, column {cell[1] + 1}"


def _trimmed(lines: Sequence[str]) -> tuple[str, ...]:
    """Floor written one way, nothing blank around it, all rows of one width."""
    rows = [line.replace("-", FLOOR).replace("_", FLOOR).rstrip(FLOOR) for line in lines]
    while rows and not rows[0]:
        rows.pop(0)
    while rows and not rows[-1]:
        rows.pop()
    indent = min((len(row) - len(row.lstrip(FLOOR)) for row in rows if row), default=0)
    width = max((len(row) for row in rows), default=0)
    return tuple(row[indent:].ljust(width - indent, FLOOR) for row in rows)


class SokobanPlay(Play):
    """The keeper, the boxes, and how often one was pushed."""

    def __init__(self, puzzle: Sokoban) -> None:
        self.puzzle = puzzle
        (self.player,) = puzzle.cells(PLAYER, PLAYER_ON_GOAL)
        self.boxes = set(puzzle.cells(BOX, PLACED))
        self.goals = set(puzzle.cells(GOAL, PLACED, PLAYER_ON_GOAL))
        self.walls = set(puzzle.cells(WALL))
        self.pushes = 0
        self.facing = "d"  # of the last move, for pictures

    def make(self, move: str) -> None:
        """One step (lower case) or one push (capital)."""
        way = move.lower()
        if len(move) != 1 or way not in STEPS:
            raise IllegalMove("a move is one of the letters l, u, r, d, or a capital for a push")
        down, across = STEPS[way]
        ahead = (self.player[0] + down, self.player[1] + across)
        beyond = (ahead[0] + down, ahead[1] + across)
        if ahead in self.walls:
            raise IllegalMove(f"a wall stands in {place(ahead)}")
        if move == way and ahead in self.boxes:
            raise IllegalMove(f"a box stands in {place(ahead)}; a push is written {move.upper()}")
        if move != way and ahead not in self.boxes:
            raise IllegalMove(f"no box to push stands in {place(ahead)}; a step is written {way}")
        if move != way and beyond in self.walls:
            raise IllegalMove(f"the box in {place(ahead)} would be pushed into the wall in {place(beyond)}")
        if move != way and beyond in self.boxes:
            raise IllegalMove(f"the box in {place(ahead)} would be pushed into the box in {place(beyond)}")
        if move != way:
            self.boxes.remove(ahead)
            self.boxes.add(beyond)
            self.pushes += 1
        self.player, self.facing = ahead, way

    @property
    def solved(self) -> bool:
        """Every box on a goal."""
        return self.boxes == self.goals

    @property
    def missing(self) -> str:
        """How many boxes are not yet there."""
        left = len(self.boxes - self.goals)
        return f"{left} of {len(self.boxes)} boxes {'is' if left == 1 else 'are'} not on a goal"

    @property
    def share(self) -> float:
        """Boxes on goals, of all."""
        return len(self.boxes & self.goals) / len(self.boxes)

    @property
    def scores(self) -> Mapping[str, float]:
        """Pushes, and boxes on goals."""
        return {"pushes": self.pushes, "on_goals": len(self.boxes & self.goals), "boxes": len(self.boxes)}


@dataclass(frozen=True)
class Making:
    """What kind of level to make."""

    width: int = setting(9, "columns of the room, walls included", least=5, most=30)
    height: int = setting(8, "rows of the room, walls included", least=5, most=30)
    boxes: int = setting(3, "boxes", least=1, most=20)
    walls: int = setting(20, "inner cells of a hundred that are wall", least=0, most=40)
    tries: int = setting(
        40, "reverse plays, of which the one that took the boxes farthest is kept", least=1, most=10_000
    )


class SokobanKind(MovesKind):
    """See the module text."""

    name = "sokoban"
    title = "Sokoban: boxes pushed to goals"
    rules = (
        "Walk left, up, right and down (l, u, r, d) and push single boxes (L, U, R, D); nothing is pulled, and no box "
        "is pushed into a wall or another box. It is solved when every box stands on a goal."
    )
    puzzle_class = "B"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """From two boxes to a room of goals that must be filled in order."""
        return {name: partial(Sokoban, tuple(level), title) for name, (title, level) in SAMPLES.items()}

    def formats(self) -> tuple[Format, ...]:
        """Levels as texts."""
        from .sokoban_formats import FORMATS

        return FORMATS

    def boards(self, source: Source, settings: Any) -> list[Laid]:
        """Levels with the solutions written below them."""
        from .sokoban_formats import laid

        return laid(source)

    def read_solutions(self, source: Source, puzzle: Puzzle) -> list[Solution] | None:
        """LURD letters, with counts or without."""
        from .sokoban_formats import solutions

        assert isinstance(puzzle, Sokoban)
        return solutions(source, puzzle)

    def decode(self, data: Mapping[str, Any]) -> Sokoban:
        """From Dovetail's JSON."""
        lines, title = data.get("level"), data.get("title", "")
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise BadInput("a sokoban puzzle needs a list 'level' of texts, one for each row")
        if not isinstance(title, str):
            raise BadInput("the 'title' of a sokoban puzzle is a text")
        return Sokoban(tuple(lines), title)

    def make(self, settings: Making, seed: int) -> tuple[Sokoban, Moves]:
        """A room, solved; boxes pulled off their goals; the way back is the answer."""
        from .sokoban_making import made

        return made(settings, seed)

    def begin(self, puzzle: Sokoban) -> SokobanPlay:
        """The level as it is given."""
        return SokobanPlay(puzzle)

    def picture(self, puzzle: Sokoban, play: SokobanPlay) -> Picture:
        """Walls, goals, boxes and the keeper."""
        from .sokoban_draw import drawn

        return drawn(puzzle, play)


SAMPLES: Mapping[str, tuple[str, list[str]]] = {
    "sokoban-first": ("First steps", ["#######", "#     #", "# .$. #", "#  $@ #", "#     #", "#######"]),
    "sokoban-yard": ("The yard", ["########", "#@ #   #", "# $  . #", "#  #$.##", "## $  #", " #  . #", " ######"]),
    "sokoban-cellar": (
        "The cellar",
        [
            "  ######", "###    #####", "#  $ #     #", "# $  $  ...#", "#  # # # ..#", "##$  $     #", " #  #@ #####",
            " #######",
        ],
    ),
}  # fmt: skip
