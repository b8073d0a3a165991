"""SameGame, also called Clickomania: groups of one colour are taken away, blocks fall, and columns close up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

from ...core import limits
from ...core.errors import BadInput
from ...core.kind import Format
from ...core.puzzle import Moves, Puzzle
from ...core.settings import setting
from ...picture import Picture
from ..kind import IllegalMove, MovesKind, MovesPuzzle, Play

CLEAR, SCORE = "clear", "score"
AUTO = "auto"
BONUS = 1000  # points for clearing the board
MOST_SIDE, MOST_COLOURS = limits.SAMEGAME_SIDE, limits.SAMEGAME_COLOURS
MOST_TARGET = limits.SAMEGAME_TARGET


@dataclass(frozen=True)
class SameGame(MovesPuzzle):
    """``cells`` by row: colours from 1, or 0 where a column is not full.

    ``goal``: CLEAR the board, or SCORE at least ``target`` points, (n - ``least``)² for a group of n.
    """

    rows: int
    cols: int
    cells: tuple[int, ...]
    goal: str = CLEAR
    target: int = 0
    least: int = 2
    kind: ClassVar[str] = "samegame"
    rules: ClassVar[str] = "dovetail.moves.rules.samegame"

    def __post_init__(self) -> None:
        rows, cols = self.rows, self.cols
        if not (1 <= rows <= MOST_SIDE and 1 <= cols <= MOST_SIDE):
            raise BadInput(f"a SameGame board has 1 to {MOST_SIDE} rows and columns, not {self.size}")
        if len(self.cells) != rows * cols:
            raise BadInput(f"a {self.size} board has {rows * cols} cells, but {len(self.cells)} are given")
        for index, colour in enumerate(self.cells):
            if not 0 <= colour <= MOST_COLOURS:
                raise BadInput(f"{self._place(index)}: a colour is a number from 1 to {MOST_COLOURS}, not {colour}")
            if not colour and index >= cols and self.cells[index - cols]:
                raise BadInput(f"{self._place(index)}: no block lies here, but one lies above it")
        bottom = self.cells[-cols:]
        if not any(bottom):
            raise BadInput("a SameGame board has at least one block")
        for col in range(1, cols):
            if bottom[col] and not bottom[col - 1]:
                raise BadInput(f"column {col} is empty, but column {col + 1} is not: columns close up to the left")
        if self.goal not in (CLEAR, SCORE):
            raise BadInput(f"the goal of a SameGame puzzle is {CLEAR} or {SCORE}, not {self.goal[:40]!r}")
        if self.least not in (1, 2):
            raise BadInput(f"a group of n scores (n - 1)² or (n - 2)² points, not (n - {self.least})²")
        if not 0 <= self.target <= MOST_TARGET:
            raise BadInput(f"the target is a number of points from 0 to {MOST_TARGET}, not {self.target}")
        if self.target and self.goal == CLEAR:
            raise BadInput(f"a target of {self.target} points needs the goal {SCORE}; here it is to clear the board")

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.rows}x{self.cols}"

    @property
    def for_points(self) -> bool:
        """Whether points are the goal."""
        return self.goal == SCORE

    @property
    def endless(self) -> bool:
        """Whether no number of points is wanted."""
        return self.for_points and not self.target

    @cached_property
    def blocks(self) -> int:
        """How many there are."""
        return sum(map(bool, self.cells))

    def encode(self) -> dict[str, Any]:
        """As JSON types: a text of digits a row."""
        text = "".join(map(str, self.cells))
        board = [text[start : start + self.cols] for start in range(0, len(text), self.cols)]
        return {"board": board, "goal": self.goal, "target": self.target, "least": self.least}

    def _place(self, index: int) -> str:
        return f"row {index // self.cols + 1}, column {index % self.cols + 1}"


class SameGamePlay(Play):
    """The board as columns of colours, bottom up; columns without blocks are gone."""

    def __init__(self, puzzle: SameGame) -> None:
        self.puzzle = puzzle
        by_column = ([puzzle.cells[row * puzzle.cols + col] for row in range(puzzle.rows - 1, -1, -1)]
                     for col in range(puzzle.cols))  # fmt: skip
        self.columns = [blocks for column in by_column if (blocks := [colour for colour in column if colour])]
        self.points = 0
        self.taken: list[tuple[int, int]] = []  # (column, height) of the blocks that the last move took away

    def make(self, move: str) -> None:
        """Take the group away that holds this cell: ``row,column``."""
        group = self.group(*self._cell(move))
        if not group:
            raise IllegalMove("no block lies there")
        if len(group) == 1:
            raise IllegalMove("no block beside it has its colour")
        for col, height in sorted(group, reverse=True):
            del self.columns[col][height]
        self.columns = [column for column in self.columns if column]
        self.points += (len(group) - self.puzzle.least) ** 2 + (0 if self.columns else BONUS)
        self.taken = sorted(group)

    def colour(self, col: int, height: int) -> int:
        """Of the block there, columns from the left and heights from the bottom, both from 0; 0 if there is none."""
        inside = 0 <= col < len(self.columns) and 0 <= height < len(self.columns[col])
        return self.columns[col][height] if inside else 0

    def group(self, col: int, height: int) -> set[tuple[int, int]]:
        """The block there and those of its colour that hang together with it."""
        colour = self.colour(col, height)
        found = {(col, height)} if colour else set()
        to_do = list(found)
        while to_do:
            at_col, at_height = to_do.pop()
            for near in (
                (at_col - 1, at_height), (at_col + 1, at_height), (at_col, at_height - 1), (at_col, at_height + 1)
            ):  # fmt: skip
                if near not in found and self.colour(*near) == colour:
                    found.add(near)
                    to_do.append(near)
        return found

    def groups(self) -> list[set[tuple[int, int]]]:
        """All that can be taken away."""
        cells = [(col, height) for col, column in enumerate(self.columns) for height in range(len(column))]
        found = (self.group(*cell) for cell in cells)
        return [group for cell, group in zip(cells, found, strict=True) if len(group) > 1 and min(group) == cell]

    def write(self, group: set[tuple[int, int]]) -> str:
        """A move: the group's first cell in reading order."""
        row, col = min((self.puzzle.rows - height, col + 1) for col, height in group)
        return f"{row},{col}"

    @property
    def left(self) -> int:
        """Blocks on the board."""
        return sum(map(len, self.columns))

    @property
    def solved(self) -> bool:
        """No block is left; for points: no move is left, and the points are there."""
        if self.puzzle.goal == CLEAR:
            return not self.columns
        return self.points >= self.puzzle.target and not self.groups()

    @property
    def missing(self) -> str:
        """Blocks, moves or points."""
        if self.puzzle.goal == CLEAR:
            return "1 block is left" if self.left == 1 else f"{self.left} blocks are left"
        if groups := self.groups():
            return f"the play is not over: {self.write(min(groups, key=min))} is a move"
        return f"{self.points} points are fewer than the {self.puzzle.target} wanted"

    @property
    def share(self) -> float:
        """Of the blocks that are to be taken away, those that are; for points, all or nothing."""
        return 1 - self.left / self.puzzle.blocks if self.puzzle.goal == CLEAR else float(self.solved)

    @property
    def scores(self) -> Mapping[str, float]:
        """Points and what is left."""
        return {"points": self.points, "left": self.left}

    def _cell(self, move: str) -> tuple[int, int]:
        row, comma, col = move.partition(",")
        if not (comma and _is_number(row) and _is_number(col)):
            raise IllegalMove("a move is written as row,column")
        return int(col) - 1, self.puzzle.rows - int(row)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 4


@dataclass(frozen=True)
class Reading:
    """How boards are played that do not say it."""

    goal: str = setting(
        AUTO,
        "clear the board, or score; auto: score for boards of the standard file, clear for game ids",
        choices=(AUTO, CLEAR, SCORE),
    )


@dataclass(frozen=True)
class Making:
    """What kind of board to make."""

    width: int = setting(10, "columns of the board", least=2, most=20)
    height: int = setting(10, "rows of the board", least=2, most=20)
    colours: int = setting(4, "colours of the blocks", least=3, most=MOST_COLOURS)
    random: bool = setting(False, "colours by chance, for points; else a board that can be cleared")


class SameGameKind(MovesKind):
    """See the module text."""

    name = "samegame"
    title = "SameGame (Clickomania): groups of one colour are taken away"
    rules = (
        "Take away a group of two or more blocks of one colour that touch at their sides: blocks above fall, and empty "
        "columns close up to the left. The goal is to clear the board, or to score: (n - 2)² points for a group of n, "
        f"and {BONUS} for clearing the board. A move is row,column of any block of the group."
    )
    puzzle_class = "B"
    demo = "samegame-clear"
    reading_type = Reading
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """A small board, one of usual size to clear, and one for points."""
        return {name: partial(self.decode, data) for name, data in SAMPLES.items()}

    def formats(self) -> tuple[Format, ...]:
        """Game ids and the standard file."""
        from ..formats import SAMEGAME_FORMATS

        return SAMEGAME_FORMATS

    def decode(self, data: Mapping[str, Any]) -> SameGame:
        """From Dovetail's JSON."""
        lines = data.get("board")
        if not isinstance(lines, list) or not lines or not all(isinstance(line, str) for line in lines):
            raise BadInput("a samegame puzzle needs a list 'board' of texts, one for each row")
        for row, line in enumerate(lines, start=1):
            if len(line) != len(lines[0]):
                raise BadInput(f"row {row} has {len(line)} cells, but row 1 has {len(lines[0])}")
            for col, letter in enumerate(line, start=1):
                if letter not in "0123456789":
                    raise BadInput(f"row {row}, column {col}: a cell is a digit, not {letter!r}")
        goal = data.get("goal", CLEAR)
        if not isinstance(goal, str):
            raise BadInput("a samegame puzzle's 'goal' is a text")
        numbers = {}
        for key, usual in (("target", 0), ("least", 2)):
            numbers[key] = data.get(key, usual)
            if not isinstance(numbers[key], int) or isinstance(numbers[key], bool):
                raise BadInput(f"a samegame puzzle's {key!r} is a whole number")
        return SameGame(
            len(lines), len(lines[0]), tuple(int(letter) for line in lines for letter in line), goal, **numbers
        )

    def begin(self, puzzle: SameGame) -> SameGamePlay:
        """The board as given."""
        return SameGamePlay(puzzle)

    def make(self, settings: Making, seed: int) -> tuple[SameGame, Moves]:
        """A board that can be cleared, or one by chance with the points that a plain play makes as its target."""
        from .samegame_making import made

        return made(settings, seed)

    def picture(self, puzzle: SameGame, play: SameGamePlay) -> Picture:
        """Each colour with a mark of its own; where blocks were taken away last is outlined."""
        from .samegame_draw import drawn

        return drawn(puzzle, play)


SAMPLES: Mapping[str, dict[str, Any]] = {
    "samegame-small": {"board": ["1444", "3422", "1232", "1434", "3424", "1321", "4431"]},
    "samegame-clear": {"board": [
        "1432224322", "3412332131", "3213114113", "4242411323", "4313434324",
        "2213124213", "4341433143", "4212121214", "1213434443", "4422323313",
    ]},
    # every colour can be taken in one move
    "samegame-score": {"board": ["113571", "444574", "223572", "113571", "666676", "113571"], "goal": SCORE},
}  # fmt: skip
