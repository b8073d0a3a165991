"""Flood-it: the area of the top left corner takes a new colour each move, until the board has one colour."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from ...core import limits
from ...core.errors import BadInput
from ...core.kind import Format
from ...core.puzzle import Moves, Puzzle
from ...core.settings import setting
from ...picture import Picture
from ..kind import IllegalMove, MovesKind, MovesPuzzle, Play

MOST_SIDE, MOST_COLOURS = limits.FLOOD_SIDE, limits.FLOOD_COLOURS


@dataclass(frozen=True)
class Flood(MovesPuzzle):
    """``cells`` by row, each a colour from 0 up to but not ``colours``. ``most`` moves are allowed; 0: any number."""

    rows: int
    cols: int
    cells: tuple[int, ...]
    colours: int
    most: int = 0
    kind: ClassVar[str] = "flood"
    rules: ClassVar[str] = "dovetail.moves.rules.flood"

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= MOST_SIDE and 1 <= self.cols <= MOST_SIDE):
            raise BadInput(f"a flood board has 1 to {MOST_SIDE} rows and columns, not {self.size}")
        if len(self.cells) != self.rows * self.cols:
            raise BadInput(f"a {self.size} board has {self.rows * self.cols} cells, but {len(self.cells)} are given")
        if not 2 <= self.colours <= MOST_COLOURS:
            raise BadInput(f"a flood board has 2 to {MOST_COLOURS} colours, not {self.colours}")
        for index, colour in enumerate(self.cells):
            if not 0 <= colour < self.colours:
                place = f"row {index // self.cols + 1}, column {index % self.cols + 1}"
                raise BadInput(f"{place}: a colour is a number from 0 to {self.colours - 1}, not {colour}")
        if self.most < 0:
            raise BadInput(f"the most moves allowed are a number from 0 (any number) on, not {self.most}")

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.rows}x{self.cols}"

    def encode(self) -> dict[str, Any]:
        """As JSON types: a text of digits for each row."""
        text = "".join(map(str, self.cells))
        board = [text[start : start + self.cols] for start in range(0, len(text), self.cols)]
        return {"board": board, "colours": self.colours, "most": self.most}


class FloodPlay(Play):
    """The board, coloured move by move."""

    def __init__(self, puzzle: Flood) -> None:
        self.puzzle = puzzle
        self.cells = [*puzzle.cells]
        self.played = 0
        self.area = self._corner()  # what has the colour of the corner and hangs together with it
        self.won: set[int] = set()  # its cells that the last move added

    def make(self, move: str) -> None:
        """Colour the corner's area."""
        if not (move.isascii() and move.isdigit() and len(move) == 1 and int(move) < self.puzzle.colours):
            raise IllegalMove(f"a move is a colour, a digit from 0 to {self.puzzle.colours - 1}")
        if self.flooded:
            raise IllegalMove("the board is flooded already")
        if int(move) == self.cells[0]:
            raise IllegalMove("the corner has this colour already")
        for cell in self.area:
            self.cells[cell] = int(move)
        before, self.area = self.area, self._corner()
        self.won = self.area - before
        self.played += 1

    def _corner(self) -> set[int]:
        rows, cols = self.puzzle.rows, self.puzzle.cols
        area, todo = {0}, [(0, 0)]
        while todo:
            row, col = todo.pop()
            for r, c in ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)):
                cell = r * cols + c
                if 0 <= r < rows and 0 <= c < cols and cell not in area and self.cells[cell] == self.cells[0]:
                    area.add(cell)
                    todo.append((r, c))
        return area

    @property
    def flooded(self) -> bool:
        """Whether the board has one colour."""
        return len(self.area) == len(self.cells)

    @property
    def solved(self) -> bool:
        """Flooded, with as many moves as are allowed."""
        return self.flooded and (self.puzzle.most == 0 or self.played <= self.puzzle.most)

    @property
    def missing(self) -> str:
        """Cells of other colours, or too many moves."""
        left = len(self.cells) - len(self.area)
        if left:
            return "1 cell is not flooded" if left == 1 else f"{left} cells are not flooded"
        return f"it took {self.played} moves, and {self.puzzle.most} are allowed"

    @property
    def scores(self) -> Mapping[str, float]:
        """Cells flooded, of all."""
        return {"cells_flooded": len(self.area), "cells": len(self.cells)}


@dataclass(frozen=True)
class Making:
    """What kind of board to make."""

    width: int = setting(12, "columns of the board", least=2, most=50)
    height: int = setting(12, "rows of the board", least=2, most=50)
    colours: int = setting(6, "colours of the board", least=2, most=MOST_COLOURS)
    leniency: int = setting(0, "moves allowed beyond those of the planted play", least=0)


class FloodKind(MovesKind):
    """See the module text."""

    name = "flood"
    title = "Flood-it: flood the board with one colour from its corner"
    rules = (
        "The area of the top left corner is all that has the corner's colour and hangs together with it by sides. Each "
        "move gives the area another colour, so that it grows by its neighbours of that colour. Flood the board, where "
        "a number of moves is given with no more than these. A move is the colour, a digit."
    )
    puzzle_class = "B"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """A small board, the usual size, and one with few colours and no limit."""
        return {name: partial(self.decode, data) for name, data in SAMPLES.items()}

    def formats(self) -> tuple[Format, ...]:
        """Game ids."""
        from ..formats import FLOOD_FORMATS

        return FLOOD_FORMATS

    def decode(self, data: Mapping[str, Any]) -> Flood:
        """From Dovetail's JSON."""
        board, most = data.get("board"), data.get("most", 0)
        if not isinstance(board, list) or not board or not all(isinstance(line, str) for line in board):
            raise BadInput("a flood puzzle needs a list 'board' of texts, one for each row")
        for row, line in enumerate(board, start=1):
            if len(line) != len(board[0]):
                raise BadInput(f"row {row} has {len(line)} cells, but row 1 has {len(board[0])}")
            for col, letter in enumerate(line, start=1):
                if not (letter.isascii() and letter.isdigit()):
                    raise BadInput(f"row {row}, column {col}: a colour is a digit, not {letter!r}")
        cells = tuple(int(letter) for line in board for letter in line)
        colours = data.get("colours", max(2, max(cells, default=0) + 1))
        for name, number in (("colours", colours), ("most", most)):
            if not isinstance(number, int) or isinstance(number, bool):
                raise BadInput(f"{name!r} of a flood puzzle is a whole number, not {str(number)[:20]}")
        return Flood(len(board), len(board[0]), cells, colours, most)

    def make(self, settings: Making, seed: int) -> tuple[Flood, Moves]:
        """Colours at random, and as many moves as a greedy player needs."""
        from .flood_making import made

        return made(settings, seed)

    def begin(self, puzzle: Flood) -> FloodPlay:
        """Before the first move."""
        return FloodPlay(puzzle)

    def picture(self, puzzle: Flood, play: FloodPlay) -> Picture:
        """Colours with their digits; the corner's area has an outline."""
        from .flood_draw import drawn

        return drawn(puzzle, play)


SAMPLES: Mapping[str, Mapping[str, Any]] = {
    "flood-small": {"board": ["002100", "331213", "100130", "100202", "333201", "031022"], "colours": 4, "most": 9},
    "flood-12x12": {
        "board": [
            "002150033512", "134100413010", "454054420234", "332015031025", "212155204203", "532043000302",
            "323543223231", "002030245334", "452405015235", "540211221120", "043440421344", "240404434111",
        ],
        "colours": 6,
        "most": 18,
    },
    "flood-wide": {
        "board": [
            "0010200112010120", "0020100022202221", "0112111002010012", "1010221021012110", "2100010111122111",
            "1110001010122112", "2212020021122201", "0011001002122021", "0122120202212000", "2100020221010200",
        ],
        "colours": 3,
        "most": 0,
    },
}  # fmt: skip
