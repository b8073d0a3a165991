"""Kakuro: digits 1 to 9 in the white cells, different within each run and adding up to the clue before the run."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias

from ...core import limits
from ...core.errors import BadInput
from ...core.kind import Format
from ...core.puzzle import Assignment, Puzzle
from ...core.settings import setting
from ...picture import Picture
from .. import draw
from ..kind import OPEN, GridKind, GridPuzzle, Rule
from ..making import DIFFICULTIES
from ..model import AllDifferent, Constraint, Model, Sum

Clue: TypeAlias = tuple[int, int]  # of a black cell: the sum of the run below it, the sum of the run to its right
DIGITS = tuple(range(1, 10))
MOST_SIDE = limits.GRID_SIDE
DIRECTIONS = ("down", "across")  # in the order of a Clue
BLACK_PAPER, DIAGONAL, CLUE_INK = "#3A3F47", "#7C838D", "#FFFFFF"


@dataclass(frozen=True)
class Run:
    """White cells side by side, by their numbers among the white cells; ``total`` 0: nothing is said of their sum."""

    name: str
    variables: tuple[int, ...]
    total: int
    black: int | None  # the cell that says their sum; None where the run begins at the rim
    direction: int  # of DIRECTIONS


@dataclass(frozen=True)
class Kakuro(GridPuzzle):
    """``cells`` in reading order: None is white; (down, across) is black with the sums of its two runs, 0 for none."""

    rows: int
    cols: int
    cells: tuple[Clue | None, ...]
    kind: ClassVar[str] = "kakuro"

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= MOST_SIDE and 1 <= self.cols <= MOST_SIDE):
            raise BadInput(f"a board has 1 to {MOST_SIDE} rows and columns, not {self.rows}x{self.cols}")
        if len(self.cells) != self.rows * self.cols:
            raise BadInput(f"a {self.size} board has {self.rows * self.cols} cells, not {len(self.cells)}")
        if not self.white:
            raise BadInput("a kakuro puzzle needs a white cell")
        for direction, word in enumerate(DIRECTIONS):
            for black, run in self._stretches(direction):
                self._check_run(word, black, run, self._total(direction, black))

    def _check_run(self, word: str, black: int | None, run: Sequence[int], total: int) -> None:
        """A run has room for different digits, and its sum can be reached with as many of them."""
        if len(run) > len(DIGITS):
            raise BadInput(f"the run {word} from {self.place(run[0])} has {len(run)} cells, and a run has at most 9")
        if black is None or total == 0:
            return
        if not run:
            raise BadInput(f"the sum {total} {word} in {self.place(black)} has no white cells to add up")
        least, most = sum(DIGITS[: len(run)]), sum(DIGITS[-len(run) :])
        if not least <= total <= most:
            place, size = self.place(black), len(run)
            raise BadInput(f"the sum {total} {word} in {place} is out of range: {least} to {most} for a run of {size}")

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.rows}x{self.cols}"

    @cached_property
    def white(self) -> tuple[int, ...]:
        """The white cells in reading order: variable i of the model is the digit in ``white[i]``."""
        return tuple(cell for cell, clue in enumerate(self.cells) if clue is None)

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """All runs, down and across."""
        number = {cell: variable for variable, cell in enumerate(self.white)}
        return tuple(
            Run(
                f"the run {word} from {self.place(run[0])}",
                tuple(number[cell] for cell in run),
                self._total(direction, black),
                black,
                direction,
            )
            for direction, word in enumerate(DIRECTIONS)
            for black, run in self._stretches(direction)
            if run
        )

    def place(self, cell: int) -> str:
        """Where a cell is, in words."""
        return f"row {cell // self.cols + 1}, column {cell % self.cols + 1}"

    def encode(self) -> dict[str, Any]:
        """As JSON types: rows of null for a white cell and [down, across] for a black one."""
        cells = [None if clue is None else list(clue) for clue in self.cells]
        return {"cells": [cells[start : start + self.cols] for start in range(0, len(cells), self.cols)]}

    def model(self) -> Model:
        """One digit a white cell; the digits of a run differ and add up."""
        constraints: list[Constraint] = []
        for run in self.runs:
            if len(run.variables) > 1:
                constraints.append(AllDifferent(run.variables, run.name))
            if run.total:
                constraints.append(Sum(run.variables, "=", run.total, f"the sum {run.total} of {run.name}"))
        return Model((DIGITS,) * len(self.white), tuple(constraints), names=tuple(map(self.place, self.white)))

    def _total(self, direction: int, black: int | None) -> int:
        clue = None if black is None else self.cells[black]
        return 0 if clue is None else clue[direction]

    def _stretches(self, direction: int) -> Iterator[tuple[int | None, list[int]]]:
        """Every black cell with the white ones that follow it, if any; None stands for the rim before a line."""
        lines, length = (self.cols, self.rows) if direction == 0 else (self.rows, self.cols)
        for line in range(lines):
            cells = [i * self.cols + line if direction == 0 else line * self.cols + i for i in range(length)]
            black = [i for i, cell in enumerate(cells) if self.cells[cell] is not None]
            for before, after in pairwise((-1, *black, length)):
                yield None if before < 0 else cells[before], cells[before + 1 : after]


@dataclass(frozen=True)
class Making:
    """What the generator can be asked for."""

    rows: int = setting(8, "rows of the board, with the black ones", least=4, most=16)
    cols: int = setting(8, "columns of the board, with the black ones", least=4, most=16)
    difficulty: str = setting("easy", "how hard: step by step, with a look ahead, with a guess", choices=DIFFICULTIES)
    blank: bool = setting(False, "leave out the sums that are not needed")


class KakuroKind(GridKind):
    """See the module text."""

    name = "kakuro"
    title = "crossword of sums"
    rules = (
        "Digits 1 to 9 in the white cells: those of a run, down or across between black cells, differ and add up to "
        "the number in the black cell before it."
    )
    puzzle_class = "A"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """A small board, a larger one, and one with sums left out."""
        return {"kakuro-6x6": small, "kakuro-9x9": larger, "kakuro-blank": with_blanks}

    def formats(self) -> tuple[Format, ...]:
        """Links, ids and files from elsewhere."""
        from ..formats import KAKURO_FORMATS

        return KAKURO_FORMATS

    def decode(self, data: Mapping[str, Any]) -> Kakuro:
        """From Dovetail's JSON."""
        rows = data.get("cells")
        if not isinstance(rows, list) or not rows or not all(isinstance(row, list) for row in rows):
            raise BadInput("a kakuro puzzle needs a list 'cells' of rows")
        cells: list[Clue | None] = []
        for number, row in enumerate(rows, start=1):
            if len(row) != len(rows[0]):
                raise BadInput(f"row {number} is of length {len(row)}, but row 1 of length {len(rows[0])}")
            cells += [_decode_cell(cell, f"row {number}, column {col}") for col, cell in enumerate(row, start=1)]
        return Kakuro(len(rows), len(rows[0]), tuple(cells))

    def make(self, settings: Making, seed: int) -> tuple[Kakuro, Assignment]:
        """A random board with one answer."""
        from .kakuro_making import make

        return make(settings, seed)

    def variables(self, puzzle: Kakuro) -> int:
        """One a white cell."""
        return len(puzzle.white)

    def judge(self, puzzle: Kakuro, values: Sequence[int]) -> Iterator[Rule]:
        """Digits are digits; those of a run differ; they add up."""
        for variable, value in enumerate(values):
            text = f"{puzzle.place(puzzle.white[variable])} holds {value}, which is no digit from 1 to 9"
            yield Rule(value == OPEN or 1 <= value <= 9, text, (variable,), legal=True)
        for run in puzzle.runs:
            digits = [values[variable] for variable in run.variables]
            if len(digits) > 1:
                twice = next((digit for digit in digits if digit != OPEN and digits.count(digit) > 1), OPEN)
                alike = tuple(v for v in run.variables if values[v] == twice != OPEN)
                yield Rule(not alike, f"{run.name} has more than one {twice}", alike or run.variables)
            if run.total:
                found = sum(digits)
                yield Rule(found == run.total, f"{run.name} adds up to {found}, not to {run.total}", run.variables)

    def picture(
        self, puzzle: Kakuro, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]
    ) -> Picture:
        """Sums in the halves of the black cells, digits in the white ones."""
        picture = draw.board(puzzle.rows, puzzle.cols)
        for cell, clue in enumerate(puzzle.cells):
            if clue is not None:
                _draw_black(picture, *divmod(cell, puzzle.cols), clue)
        for variable, cell in enumerate(puzzle.white):
            row, col = divmod(cell, puzzle.cols)
            picture.add(draw.cell(row, col, marks.get(variable, draw.PAPER), draw.INK, 0.03))
            if values[variable] != OPEN:
                picture.add(draw.number(row, col, values[variable], colour=draw.ink(variable in wrong, given=False)))
        return picture


W: Clue | None = None  # how samples write a white cell
B: Clue = (0, 0)  # and a black one without sums


def small() -> Kakuro:
    """Easy: step by step."""
    return Kakuro(
        6, 6,
        (B, (16, 0), (22, 0), B, (16, 0), (12, 0),
         (0, 8), W, W, (8, 14), W, W,
         (0, 27), W, W, W, W, W,
         B, (13, 6), W, W, W, (10, 0),
         (0, 28), W, W, W, W, W,
         (0, 8), W, W, (0, 6), W, W),
    )  # fmt: skip


def larger() -> Kakuro:
    """With a look ahead."""
    return Kakuro(
        9, 9,
        (B, (11, 0), (28, 0), (11, 0), (16, 0), B, B, (16, 0), (6, 0),
         (0, 21), W, W, W, W, (9, 0), (16, 11), W, W,
         (0, 44), W, W, W, W, W, W, W, W,
         (0, 10), W, W, (28, 0), (0, 3), W, W, B, B,
         (0, 18), W, W, W, (9, 4), W, W, (29, 0), (21, 0),
         B, B, (0, 13), W, W, (0, 21), W, W, W,
         B, (17, 0), (7, 8), W, W, (13, 0), (11, 17), W, W,
         (0, 41), W, W, W, W, W, W, W, W,
         (0, 12), W, W, B, (0, 25), W, W, W, W),
    )  # fmt: skip


def with_blanks() -> Kakuro:
    """Runs without a sum: their digits still differ."""
    return Kakuro(
        7, 7,
        (B, (10, 0), (37, 0), B, (10, 0), (28, 0), B,
         (0, 9), W, W, (8, 3), W, W, (8, 0),
         B, W, W, W, W, W, W,
         B, (17, 14), W, W, (7, 8), W, W,
         (0, 10), W, W, (7, 7), W, W, (12, 0),
         (0, 36), W, W, W, W, W, W,
         B, (0, 6), W, W, (0, 15), W, W),
    )  # fmt: skip


def _draw_black(picture: Picture, row: int, col: int, clue: Clue) -> None:
    picture.add(draw.cell(row, col, BLACK_PAPER, draw.INK, 0.03))
    down, across = clue
    if down or across:
        picture.add(draw.line(((row + 0.03, col + 0.03), (row + 0.97, col + 0.97)), DIAGONAL, 0.03))
    if down:
        picture.add(draw.number(row + 0.22, col - 0.22, down, 0.36, CLUE_INK))
    if across:
        picture.add(draw.number(row - 0.22, col + 0.22, across, 0.36, CLUE_INK))


def _decode_cell(cell: Any, place: str) -> Clue | None:
    if cell is None:
        return None
    if not (isinstance(cell, list) and len(cell) == 2 and all(type(total) is int and total >= 0 for total in cell)):
        raise BadInput(f"{place}: a cell is null if it is white, and two sums [down, across] if it is black")
    return cell[0], cell[1]
