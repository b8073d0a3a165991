"""Calcudoku (KenKen): a latin square in cages, each with a clue that its numbers add up to, multiply to, and so on."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import prod
from typing import Any, ClassVar

from ...core import limits
from ...core.errors import BadInput
from ...core.kind import Format
from ...core.puzzle import Assignment, Puzzle
from ...core.settings import setting
from ...picture import Picture
from ..kind import OPEN, GridKind, GridPuzzle, Rule
from ..making import DIFFICULTIES
from ..model import AllDifferent, Constraint, Difference, Model, Product, Quotient, Sum

LEAST, MOST = 2, limits.CALCUDOKU_SIDE  # cells along a side
MOST_CELLS = limits.CALCUDOKU_CAGE
SYMBOLS = {"+": "+", "-": "-", "*": "x", "/": "/", "=": ""}  # as a person would type them


@dataclass(frozen=True)
class Cage:
    """Cells whose numbers make ``target``; the operation ``=`` gives the number of a single cell."""

    operation: str
    target: int
    cells: tuple[int, ...]

    def __post_init__(self) -> None:
        # in reading order: equal cages are equal however they were listed
        object.__setattr__(self, "cells", tuple(sorted(self.cells)))

    @property
    def clue(self) -> str:
        """As it is printed in the cage: ``12+``."""
        return f"{self.target}{SYMBOLS[self.operation]}"


@dataclass(frozen=True)
class Calcudoku(GridPuzzle):
    """A square of ``n`` × ``n`` cells, each in one cage."""

    n: int
    cages: tuple[Cage, ...]
    kind: ClassVar[str] = "calcudoku"

    def __post_init__(self) -> None:
        if not LEAST <= self.n <= MOST:
            raise BadInput(f"a calcudoku has {LEAST} to {MOST} rows and columns, not {self.n}")
        object.__setattr__(self, "cages", tuple(sorted(self.cages, key=lambda cage: cage.cells)))
        owner: dict[int, Cage] = {}
        for cage in self.cages:
            self._check_cells(cage)
            self._check_clue(cage)
            for cell in cage.cells:
                if cell in owner:
                    raise BadInput(f"{self.place(cell)} is in two cages: {owner[cell].clue} and {cage.clue}")
                owner[cell] = cage
        for cell in range(self.n * self.n):
            if cell not in owner:
                raise BadInput(f"{self.place(cell)} is in no cage")
        self._check_givens()

    def _check_cells(self, cage: Cage) -> None:
        """On the board, each once, and connected."""
        if not cage.cells:
            raise BadInput(f"a cage with the target {cage.target} has no cells")
        outside = [cell for cell in cage.cells if not 0 <= cell < self.n * self.n]
        if outside:
            raise BadInput(
                f"a cage has the cell {outside[0]}; the cells of a {self.size} board are 0 to {self.n**2 - 1}"
            )
        name, cells = f"the cage at {self.place(cage.cells[0])}", {*cage.cells}
        if len(cells) < len(cage.cells):
            raise BadInput(f"{name} names a cell twice")
        if len(cells) > MOST_CELLS:
            raise BadInput(f"{name} has {len(cells)} cells; a cage has at most {MOST_CELLS}")
        reached, waiting = {cage.cells[0]}, [cage.cells[0]]
        while waiting:
            new = [cell for cell in neighbours(waiting.pop(), self.n) if cell in cells and cell not in reached]
            reached.update(new)
            waiting += new
        if reached != cells:
            raise BadInput(f"{name} is not connected: {self.place(min(cells - reached))} lies apart")

    def _check_clue(self, cage: Cage) -> None:
        """The operation suits the number of cells, and so many cells can make the target."""
        name, count = f"the cage at {self.place(cage.cells[0])}", len(cage.cells)
        if cage.operation not in SYMBOLS:
            raise BadInput(f"{name} has the operation {cage.operation!r}; operations are {' '.join(SYMBOLS)}")
        if (cage.operation == "=") != (count == 1):
            raise BadInput(
                f"{name} is of size {count} and has the operation {cage.operation!r}; '=' is for one cell alone"
            )
        if cage.operation in "-/" and count != 2:
            raise BadInput(f"{name} has {count} cells; the operation {cage.operation!r} takes two")
        least, most = {
            "+": (count, count * self.n),
            "-": (1, self.n - 1),  # neighbours stand in one line, so they differ
            "*": (1, self.n**count),
            "/": (2, self.n),
            "=": (1, self.n),
        }[cage.operation]
        if not least <= cage.target <= most:
            raise BadInput(f"{name} has the clue {cage.clue}, which is out of range: {least} to {most}")

    def _check_givens(self) -> None:
        given = {cage.cells[0]: cage.target for cage in self.cages if cage.operation == "="}
        for name, line in lines(self.n):
            for cell, other in combinations([cell for cell in line if cell in given], 2):
                if given[cell] == given[other]:
                    where = f"{self.place(cell)} and {self.place(other)}"
                    raise BadInput(f"{name} is given two {given[cell]}s, at {where}")

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.n}x{self.n}"

    def place(self, cell: int) -> str:
        """Where a cell is, in words."""
        return f"row {cell // self.n + 1}, column {cell % self.n + 1}"

    def name(self, cage: Cage) -> str:
        """A cage in words."""
        return f"the cage {cage.clue} at {self.place(cage.cells[0])}"

    def encode(self) -> dict[str, Any]:
        """As JSON types."""
        cages = [{"operation": c.operation, "target": c.target, "cells": list(c.cells)} for c in self.cages]
        return {"n": self.n, "cages": cages}

    def model(self) -> Model:
        """One number a cell; rows and columns differ; every cage makes its target."""
        domains = [tuple(range(1, self.n + 1))] * (self.n * self.n)
        constraints: list[Constraint] = [*latin(self.n)]
        for cage in self.cages:
            if cage.operation == "=":
                domains[cage.cells[0]] = (cage.target,)
            else:
                constraints.append(_constraint(cage, self.name(cage)))
        return Model(tuple(domains), tuple(constraints), names=tuple(map(self.place, range(self.n * self.n))))


def neighbours(cell: int, n: int) -> list[int]:
    """The cells that share a side with a cell."""
    row, col = divmod(cell, n)
    near = ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1))
    return [r * n + c for r, c in near if 0 <= r < n and 0 <= c < n]


@lru_cache
def lines(n: int) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Every row and column, by name."""
    rows = [(f"row {row + 1}", tuple(range(row * n, row * n + n))) for row in range(n)]
    cols = [(f"column {col + 1}", tuple(range(col, n * n, n))) for col in range(n)]
    return (*rows, *cols)


@lru_cache
def latin(n: int) -> tuple[AllDifferent, ...]:
    """What all squares of a size have in common."""
    return tuple(AllDifferent(line, name) for name, line in lines(n))


def _constraint(cage: Cage, about: str) -> Constraint:
    if cage.operation == "+":
        return Sum(cage.cells, "=", cage.target, about)
    if cage.operation == "*":
        return Product(cage.cells, "=", cage.target, about)
    one, other = cage.cells
    return (Difference if cage.operation == "-" else Quotient)((one, other), "=", cage.target, about)


@dataclass(frozen=True)
class Making:
    """What the generator can be asked for."""

    n: int = setting(6, "rows and columns", least=3, most=MOST)
    difficulty: str = setting("medium", "how hard: step by step, with a look ahead, with a guess", choices=DIFFICULTIES)
    operations: str = setting("+-*/", "what cages may ask for", choices=("+-*/", "+-", "*/", "+", "*"))
    largest: int = setting(4, "cells of the largest cages", least=2, most=6)


class CalcudokuKind(GridKind):
    """See the module text."""

    name = "calcudoku"
    title = "calcudoku (KenKen): a latin square with sums"
    rules = (
        "The numbers 1 to n, each once in every row and column; those of a cage add up or multiply to its clue, "
        "or differ by it, or are so many times each other."
    )
    puzzle_class = "A"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """Squares with all operations, one of them hard, and one of products alone."""
        return {
            "calcudoku-4x4": lambda: _lettered("abbc aadc eedc efff", "36* 2/ 6+ 1- 7+ 8+"),
            "calcudoku-6x6": lambda: _lettered(
                "abbbcc addbee fddghe ffgghe ijjkhh ijjkkk", "2/ 14+ 5* 60* 16+ 14+ 11+ 11+ 5/ 48* 180*"
            ),
            "calcudoku-products": lambda: _lettered(
                "abbcc dddce dfgge ffggh fiiih", "4= 15* 10* 24* 4* 60* 60* 15* 8*"
            ),
            "calcudoku-hard": lambda: _lettered(
                "aabbbcc addbbec addffee gggffee gghiijj gkhhllj kkhhlll",
                "315* 168* 12+ 10+ 26+ 13+ 25+ 25+ 4- 10* 13+ 17+",
            ),
        }

    def formats(self) -> tuple[Format, ...]:
        """Ids and files from elsewhere."""
        from ..formats import CALCUDOKU_FORMATS

        return CALCUDOKU_FORMATS

    def decode(self, data: Mapping[str, Any]) -> Calcudoku:
        """From Dovetail's JSON."""
        n, cages = data.get("n"), data.get("cages")
        if type(n) is not int or not isinstance(cages, list):
            raise BadInput("a calcudoku puzzle needs a whole number 'n' and a list 'cages'")
        return Calcudoku(n, tuple(_decode_cage(cage, number) for number, cage in enumerate(cages, start=1)))

    def make(self, settings: Making, seed: int) -> tuple[Calcudoku, Assignment]:
        """A random square in random cages with one answer."""
        from .calcudoku_making import make

        return make(settings, seed)

    def variables(self, puzzle: Calcudoku) -> int:
        """One a cell."""
        return puzzle.n * puzzle.n

    def judge(self, puzzle: Calcudoku, values: Sequence[int]) -> Iterator[Rule]:
        """Numbers in range, givens kept, no number twice in a line, every cage right."""
        for cell, value in enumerate(values):
            text = f"{puzzle.place(cell)} holds {value}, which is no number from 1 to {puzzle.n}"
            yield Rule(value == OPEN or 1 <= value <= puzzle.n, text, (cell,), legal=True)
        for name, line in lines(puzzle.n):
            held = [values[cell] for cell in line]
            twice = next((value for value in held if value != OPEN and held.count(value) > 1), OPEN)
            alike = tuple(cell for cell in line if values[cell] == twice != OPEN)
            yield Rule(not alike, f"{name} has more than one {twice}", alike or line)
        for cage in puzzle.cages:
            held = [values[cell] for cell in cage.cells]
            if cage.operation == "=":
                text = f"{puzzle.place(cage.cells[0])} is given as {cage.target}, not {held[0]}"
                yield Rule(held[0] in (OPEN, cage.target), text, cage.cells, legal=True)
            else:
                text = f"{puzzle.name(cage)} holds {', '.join(map(str, held))}"
                yield Rule(_makes(cage, held), text, cage.cells)

    def picture(
        self, puzzle: Calcudoku, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]
    ) -> Picture:
        """Numbers under the clues of their cages."""
        from .calcudoku_draw import board

        return board(puzzle, values, marks, wrong)


def _makes(cage: Cage, held: Sequence[int]) -> bool:
    """Whether the numbers of a cage make its target."""
    match cage.operation:
        case "+":
            return sum(held) == cage.target
        case "*":
            return prod(held) == cage.target
        case "-":
            return max(held) - min(held) == cage.target
        case _:
            return max(held) == cage.target * min(held)


def _lettered(rows: str, clues: str) -> Calcudoku:
    """Rows with a letter for every cell, which names its cage, and the clues of the cages in the order of letters."""
    letters = rows.replace(" ", "")
    cages = [
        Cage(clue[-1], int(clue[:-1]), tuple(cell for cell, letter in enumerate(letters) if letter == name))
        for name, clue in zip(sorted({*letters}), clues.split(), strict=True)
    ]
    return Calcudoku(len(rows.split()), tuple(cages))


def _decode_cage(cage: Any, number: int) -> Cage:
    if not isinstance(cage, dict):
        raise BadInput(f"cage {number} is not an object with an operation, a target and cells")
    operation, target, cells = (cage.get(key) for key in ("operation", "target", "cells"))
    if not isinstance(operation, str):
        raise BadInput(f"cage {number} needs a text 'operation'")
    if type(target) is not int:
        raise BadInput(f"cage {number} needs a whole number 'target'")
    if not isinstance(cells, list) or not all(type(cell) is int for cell in cells):
        raise BadInput(f"cage {number} needs a list 'cells' of whole numbers")
    return Cage(operation, target, tuple(cells))
