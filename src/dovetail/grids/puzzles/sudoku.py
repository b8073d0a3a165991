"""Sudoku: every number once in every row, column and box; also on the diagonals (X), in other regions (jigsaw), and in
cages with sums (killer)."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from ...core import limits
from ...core.errors import BadInput
from ...core.kind import Format
from ...core.puzzle import Assignment, Puzzle
from ...core.settings import setting
from ...picture import Picture
from ..kind import OPEN, GridKind, GridPuzzle, Rule
from ..model import AllDifferent, Constraint, Model, Sum

LEAST, MOST = 2, limits.SUDOKU_SIDE  # rows and columns
BLANK = 0
VARIANTS = ("plain", "x", "jigsaw", "killer")


@dataclass(frozen=True)
class Cage:
    """Cells whose numbers differ and add up to ``total``."""

    total: int
    cells: tuple[int, ...]

    def __post_init__(self) -> None:
        # in reading order: equal cages are equal however they were listed
        object.__setattr__(self, "cells", tuple(sorted(self.cells)))


@dataclass(frozen=True)
class Sudoku(GridPuzzle):
    """A square of ``n × n`` cells, by row: givens (BLANK if none) and the number of the region each is in.

    Regions are numbered from 0 in reading order, so that equal puzzles are equal.
    """

    n: int
    givens: tuple[int, ...]
    regions: tuple[int, ...]
    diagonals: bool = False
    cages: tuple[Cage, ...] = ()
    kind: ClassVar[str] = "sudoku"

    def __post_init__(self) -> None:
        if not LEAST <= self.n <= MOST:
            raise BadInput(f"a sudoku has {LEAST} to {MOST} rows and columns, not {self.n}")
        for what, cells in (("givens", self.givens), ("regions", self.regions)):
            if len(cells) != self.n**2:
                raise BadInput(f"a {self.size} sudoku has {self.n**2} cells, but {len(cells)} {what}")
        object.__setattr__(self, "regions", _in_reading_order(self.regions))
        self._check_regions()
        object.__setattr__(self, "cages", tuple(sorted(self.cages, key=lambda cage: cage.cells)))
        self._check_cages()
        self._check_givens()

    def _check_regions(self) -> None:
        for number in range(max(self.regions) + 1):
            cells = self.regions.count(number)
            if cells != self.n:
                where = self.place(self.regions.index(number))
                raise BadInput(f"the region at {where} has {cells} cells; in a {self.size} sudoku it has {self.n}")

    def _check_cages(self) -> None:
        owner: dict[int, Cage] = {}
        for cage in self.cages:
            outside = next((cell for cell in cage.cells if not 0 <= cell < self.n**2), None)
            if not cage.cells or outside is not None:
                what = "no cells" if outside is None else f"the cell {outside}, which is not on the board"
                raise BadInput(f"the cage with the sum {cage.total} has {what}")
            for cell in cage.cells:
                if cell in owner:
                    raise BadInput(
                        f"{self.place(cell)} is in two cages, with the sums {owner[cell].total} and {cage.total}"
                    )
                owner[cell] = cage
            name, count = self.cage_name(cage), len(cage.cells)
            apart = set(cage.cells) - connected(cage.cells, self.n)
            if apart:
                raise BadInput(f"{name} is not connected: {self.place(min(apart))} lies apart")
            if count > self.n:
                raise BadInput(f"{name} has {count} cells, and there are only {self.n} different numbers")
            least, most = count * (count + 1) // 2, count * (2 * self.n + 1 - count) // 2
            if not least <= cage.total <= most:
                raise BadInput(f"{name} has {count} cells, which add up to {least} at least and {most} at most")

    def _check_givens(self) -> None:
        for cell, given in enumerate(self.givens):
            if not BLANK <= given <= self.n:
                raise BadInput(f"{self.place(cell)}: {given} is no number from 1 to {self.n}")
        for name, cells in (*units(self.n, self.regions, self.diagonals), *self._named_cages()):
            seen: dict[int, int] = {}
            for cell in cells:
                given = self.givens[cell]
                if given and given in seen:
                    both = f"{self.place(seen[given])} and {self.place(cell)}"
                    raise BadInput(f"two givens clash: {name} has the number {given} at {both}")
                seen[given] = cell

    def _named_cages(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        return ((self.cage_name(cage), cage.cells) for cage in self.cages)

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.n}x{self.n}"

    @property
    def box(self) -> tuple[int, int] | None:
        """Rows and columns of a box, if the regions are boxes."""
        return box_of(self.n, self.regions)

    def place(self, cell: int) -> str:
        """Where a cell is, in words."""
        return place(cell, self.n)

    def cage_name(self, cage: Cage) -> str:
        """A cage in words."""
        return f"the cage {cage.total} at {self.place(cage.cells[0])}"

    def encode(self) -> dict[str, Any]:
        """As JSON types; what a plain sudoku does not have is left out."""
        data: dict[str, Any] = {"n": self.n, "givens": _by_row(self.givens, self.n)}
        data |= {"regions": _by_row(self.regions, self.n)} if self.box is None else {"box": list(self.box)}
        if self.diagonals:
            data["diagonals"] = True
        if self.cages:
            data["cages"] = [{"total": cage.total, "cells": list(cage.cells)} for cage in self.cages]
        return data

    def model(self) -> Model:
        """A number for every cell; what differs and what adds up is the same for all givens."""
        every = tuple(range(1, self.n + 1))
        domains = tuple((given,) if given else every for given in self.givens)
        constraints, names = _structure(self.n, self.regions, self.diagonals, self.cages)
        return Model(domains, constraints, names=names)


@lru_cache
def boxes(box_rows: int, box_cols: int) -> tuple[int, ...]:
    """The usual regions of ``box_rows × box_cols`` cells each."""
    n = box_rows * box_cols
    return tuple(row // box_rows * box_rows + col // box_cols for row in range(n) for col in range(n))


@lru_cache
def box_of(n: int, regions: tuple[int, ...]) -> tuple[int, int] | None:
    """Rows and columns of a box, if the regions are boxes."""
    sides = ((rows, n // rows) for rows in range(1, n + 1) if n % rows == 0)
    return next((side for side in sides if boxes(*side) == regions), None)


def place(cell: int, n: int) -> str:
    """Where a cell is, in words."""
    return f"row {cell // n + 1}, column {cell % n + 1}"


@lru_cache
def units(n: int, regions: tuple[int, ...], diagonals: bool) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Everything that holds every number once, by name: rows, columns, regions, diagonals."""
    of: dict[int, list[int]] = {}
    for cell, region in enumerate(regions):
        of.setdefault(region, []).append(cell)
    rows = [(f"row {row + 1}", tuple(range(row * n, row * n + n))) for row in range(n)]
    cols = [(f"column {col + 1}", tuple(range(col, n * n, n))) for col in range(n)]
    called = "region" if box_of(n, regions) is None else "box"
    inner = [(f"the {called} at {place(cells[0], n)}", tuple(cells)) for cells in of.values()]
    falling = ("the diagonal from the top left", tuple(range(0, n * n, n + 1)))
    rising = ("the diagonal from the top right", tuple(range(n - 1, n * n - 1, n - 1)))
    return (*rows, *cols, *inner, *((falling, rising) if diagonals else ()))


@lru_cache
def _structure(
    n: int, regions: tuple[int, ...], diagonals: bool, cages: tuple[Cage, ...]
) -> tuple[tuple[Constraint, ...], tuple[str, ...]]:
    """What all sudokus of one shape share, and the names of their cells."""
    constraints: list[Constraint] = [AllDifferent(cells, name) for name, cells in units(n, regions, diagonals)]
    for cage in cages:
        name = f"the cage {cage.total} at {place(cage.cells[0], n)}"
        constraints += [AllDifferent(cage.cells, name), Sum(cage.cells, "=", cage.total, name)]
    return tuple(constraints), tuple(place(cell, n) for cell in range(n * n))


@lru_cache
def _in_reading_order(regions: tuple[int, ...]) -> tuple[int, ...]:
    """The same regions, numbered in the order of their first cells."""
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(region, len(numbers)) for region in regions)


def connected(cells: Sequence[int], n: int) -> set[int]:
    """The cells that can be reached from the first one without leaving them."""
    reached, waiting = {cells[0]}, [cells[0]]
    while waiting:
        row, col = divmod(waiting.pop(), n)
        for r, c in ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
            near = r * n + c
            if 0 <= c < n and near in cells and near not in reached:
                reached.add(near)
                waiting.append(near)
    return reached


def _by_row(cells: Sequence[int], n: int) -> list[list[int]]:
    return [list(cells[start : start + n]) for start in range(0, n * n, n)]


@dataclass(frozen=True)
class Making:
    """What the generator can be asked for."""

    n: int = setting(9, "rows and columns", least=4, most=MOST)
    variant: str = setting(
        "plain", "plain boxes; x: with diagonals; jigsaw: other regions; killer: cages with sums", choices=VARIANTS
    )
    difficulty: str = setting(
        "medium",
        "easy: step by step; medium: with a look ahead; hard: with a guess",
        choices=("easy", "medium", "hard"),
    )


class SudokuKind(GridKind):
    """See the module text."""

    name = "sudoku"
    title = "sudoku: 4x4 to 25x25, killer, jigsaw, X"
    rules = (
        "The numbers 1 to n, each once in every row, column and box (or other region), and on both diagonals if they "
        "count; the numbers of a cage differ and add up to its sum."
    )
    puzzle_class = "A"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """One of each variant, and a small one."""
        from .sudoku_samples import SAMPLES

        return SAMPLES

    def formats(self) -> tuple[Format, ...]:
        """Lines, grids, addresses and ids."""
        from ..formats import SUDOKU_FORMATS

        return SUDOKU_FORMATS

    def decode(self, data: Mapping[str, Any]) -> Sudoku:
        """From Dovetail's JSON."""
        from .sudoku_json import decode

        return decode(data)

    def make(self, settings: Making, seed: int) -> tuple[Sudoku, Assignment]:
        """Numbers or cages are taken away from a full board as long as it is the only answer."""
        from .sudoku_making import make

        return make(settings, seed)

    def variables(self, puzzle: Sudoku) -> int:
        """One a cell."""
        return puzzle.n**2

    def judge(self, puzzle: Sudoku, values: Sequence[int]) -> Iterator[Rule]:
        """Numbers in range, givens kept, no number twice in a row, column, region or cage, every sum right."""
        for cell, (given, value) in enumerate(zip(puzzle.givens, values, strict=True)):
            text = f"{puzzle.place(cell)} holds {value}, which is no number from 1 to {puzzle.n}"
            yield Rule(value == OPEN or 1 <= value <= puzzle.n, text, (cell,), legal=True)
            if given:
                text = f"{puzzle.place(cell)} is given as {given}, not {value}"
                yield Rule(value in (OPEN, given), text, (cell,), legal=True)
        for name, cells in units(puzzle.n, puzzle.regions, puzzle.diagonals):
            yield _differ(name, cells, values)
        for cage in puzzle.cages:
            name, total = puzzle.cage_name(cage), sum(values[cell] for cell in cage.cells)
            yield _differ(name, cage.cells, values)
            yield Rule(total == cage.total, f"{name} adds up to {total}", cage.cells)

    def picture(
        self, puzzle: Sudoku, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]
    ) -> Picture:
        """Thick lines around regions, dim ones around cages, both diagonals shaded if they count."""
        from .sudoku_draw import picture

        return picture(puzzle, values, marks, wrong)


def _differ(name: str, cells: tuple[int, ...], values: Sequence[int]) -> Rule:
    held = [values[cell] for cell in cells]
    twice = next((value for value in held if value != OPEN and held.count(value) > 1), OPEN)
    times = held.count(twice)
    return Rule(twice == OPEN, f"{name} has {'two' if times == 2 else times} {twice}s", cells)
