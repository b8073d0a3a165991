"""Slitherlink: one loop along the lines of the grid; a clue says how many of the four lines around it the loop uses."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, product
from typing import Any, ClassVar

from ...core import limits
from ...core.errors import BadInput
from ...core.kind import Format
from ...core.puzzle import Assignment
from ...core.settings import setting
from ...picture import Picture
from ..kind import OPEN, GridKind, GridPuzzle, Rule
from ..making import DIFFICULTIES
from ..model import Constraint, Count, Loop, Model, Table
from .slitherlink_lattice import Lattice, even_rows, lattice

NO_CLUE = -1
MOST_SIDE = limits.GRID_SIDE


@dataclass(frozen=True)
class Slitherlink(GridPuzzle):
    """``clues`` by row, NO_CLUE where there is none; ``full``: the loop passes through every point of the grid.

    An answer is 0 or 1 for every line of the grid: the horizontal ones first ((rows + 1) × cols, by row), then the
    vertical ones (rows × (cols + 1), by row).
    """

    rows: int
    cols: int
    clues: tuple[int, ...]
    full: bool = False
    kind: ClassVar[str] = "slitherlink"
    drawn_as_lines: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= MOST_SIDE and 1 <= self.cols <= MOST_SIDE):
            raise BadInput(f"a slitherlink board has 1 to {MOST_SIDE} rows and columns, not {self.rows}x{self.cols}")
        cells = self.rows * self.cols
        if len(self.clues) != cells:
            raise BadInput(f"a {self.size} board has {cells} cells, but {len(self.clues)} clues are given")
        for row, col, clue in self.cells():
            if not NO_CLUE <= clue <= 4:
                raise BadInput(f"row {row + 1}, column {col + 1}: a clue is 0 to 4, not {clue}")

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.rows}x{self.cols}"

    @property
    def grid(self) -> Lattice:
        """The corners of the cells and the lines between them."""
        return lattice(self.rows + 1, self.cols + 1)

    def cells(self) -> Iterator[tuple[int, int, int]]:
        """(row, column, clue) of every cell."""
        for index, clue in enumerate(self.clues):
            yield *divmod(index, self.cols), clue

    def around(self, row: int, col: int) -> tuple[int, int, int, int]:
        """The lines above, below, left and right of a cell."""
        grid = self.grid
        return grid.right(row, col), grid.right(row + 1, col), grid.down(row, col), grid.down(row, col + 1)

    def encode(self) -> dict[str, Any]:
        """As JSON types: rows of clues, null for none."""
        clues = [None if clue == NO_CLUE else clue for clue in self.clues]
        rows = [clues[start : start + self.cols] for start in range(0, len(clues), self.cols)]
        return {"clues": rows, **({"full": True} if self.full else {})}

    def model(self) -> Model:
        """A variable a line; the clues, two lines or none in every corner, and one loop of it all."""
        corners, names = _structure(self.rows, self.cols, self.full)
        clues = [
            Count(self.around(row, col), 1, "=", clue, f"the clue {clue} in row {row + 1}, column {col + 1}")
            for row, col, clue in self.cells()
            if clue != NO_CLUE
        ]
        words = ((0, "no line"), (1, "a line"))
        return Model(((0, 1),) * len(names), (*clues, *corners), None, names, words, (*self._with_corners(),))

    def _with_corners(self) -> Iterator[Table]:
        """What follows from every clue together with its corners: its lines and those that run into them."""
        at = self.grid.at
        for row, col, clue in self.cells():
            if clue != NO_CLUE:
                around = self.around(row, col)
                corners = (at[r * (self.cols + 1) + c] for r in (row, row + 1) for c in (col, col + 1))
                outer = [tuple(line for line in corner if line not in around) for corner in corners]
                scope = (*around, *(line for lines in outer for line in lines))
                yield Table(scope, _clue_rows(clue, tuple(map(len, outer)), self.full))


@lru_cache(maxsize=16)
def _structure(rows: int, cols: int, full: bool) -> tuple[tuple[Constraint, ...], tuple[str, ...]]:
    """What all boards of one size have in common: the corners and the loop, and the names of the lines."""
    grid = lattice(rows + 1, cols + 1)
    corners = [
        Table(edges, even_rows(len(edges), full), corner_name(rows, cols, corner))
        for corner, edges in enumerate(grid.at)
    ]
    lines = range(len(grid.ends))
    loop = Loop(tuple(lines), grid.ends, "the loop")
    return (*corners, loop), tuple(line_name(rows, cols, line) for line in lines)


@lru_cache(maxsize=1024)
def _clue_rows(clue: int, outer: tuple[int, ...], full: bool) -> tuple[tuple[int, ...], ...]:
    """All ways to draw a clue's lines (above, below, left, right) and those that run into its corners."""
    rows: list[tuple[int, ...]] = []
    for above, below, left, right in product((0, 1), repeat=4):
        if above + below + left + right == clue:
            inner = (above + left, above + right, below + left, below + right)
            ways = [
                [way for way in product((0, 1), repeat=lines) if sum(way) + drawn in ((2,) if full else (0, 2))]
                for lines, drawn in zip(outer, inner, strict=True)
            ]
            rows += [(above, below, left, right, *chain(*chosen)) for chosen in product(*ways)]
    return tuple(rows)


def corner_name(rows: int, cols: int, corner: int) -> str:
    """A point of the grid by a cell that it belongs to."""
    row, col = divmod(corner, cols + 1)
    side = f"{'top' if row < rows else 'bottom'} {'left' if col < cols else 'right'}"
    return f"the {side} corner of row {min(row, rows - 1) + 1}, column {min(col, cols - 1) + 1}"


def line_name(rows: int, cols: int, line: int) -> str:
    """A line of the grid by a cell beside it."""
    across = (rows + 1) * cols
    if line < across:
        row, col = divmod(line, cols)
        side = "above" if row < rows else "below"
    else:
        row, col = divmod(line - across, cols + 1)
        side = "left of" if col < cols else "right of"
    return f"the line {side} row {min(row, rows - 1) + 1}, column {min(col, cols - 1) + 1}"


@dataclass(frozen=True)
class Making:
    """What the generator can be asked for."""

    rows: int = setting(7, "rows of the board", least=3, most=30)
    cols: int = setting(7, "columns of the board", least=3, most=30)
    difficulty: str = setting(
        "medium",
        "easy: each step follows at once; medium: with a look ahead; hard: needs a guess",
        choices=DIFFICULTIES,
    )


class SlitherlinkKind(GridKind):
    """See the module text."""

    name = "slitherlink"
    title = "Slitherlink (Loopy): one loop that passes each clue as often as it says"
    rules = (
        "Draw one closed loop along the lines of the grid, never crossing or touching itself; a number says how many "
        "of the four lines around its cell belong to the loop. In a full one the loop passes through every point."
    )
    puzzle_class = "AB"
    demo = "slitherlink-10x10"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Slitherlink]]:
        """One of each difficulty, and a small one."""
        return {name: partial(_drawn, text) for name, text in SAMPLES.items()}

    def formats(self) -> tuple[Format, ...]:
        """Addresses and game ids."""
        from ..formats import SLITHERLINK_FORMATS

        return SLITHERLINK_FORMATS

    def decode(self, data: Mapping[str, Any]) -> Slitherlink:
        """From Dovetail's JSON."""
        lines = data.get("clues")
        if not isinstance(lines, list) or not lines or not all(isinstance(line, list) for line in lines):
            raise BadInput("a slitherlink puzzle needs a list 'clues' of rows")
        cols = len(lines[0])
        for row, line in enumerate(lines, start=1):
            if len(line) != cols:
                raise BadInput(f"row {row} has {len(line)} cells, but row 1 has {cols}")
            for col, clue in enumerate(line, start=1):
                if clue is not None and (type(clue) is not int or not 0 <= clue <= 4):
                    raise BadInput(f"row {row}, column {col}: a clue is null or 0 to 4, not {str(clue)[:20]!r}")
        flat = tuple(NO_CLUE if clue is None else clue for line in lines for clue in line)
        if type(full := data.get("full", False)) is not bool:
            raise BadInput("'full' is true or false")
        return Slitherlink(len(lines), cols, flat, full)

    def make(self, settings: Making, seed: int) -> tuple[Slitherlink, Assignment]:
        """A random winding loop, and as few clues as leave no other."""
        from .slitherlink_making import make  # needs an engine, which reading and checking never do

        return make(settings, seed)

    def variables(self, puzzle: Slitherlink) -> int:
        """All lines of the grid."""
        return len(puzzle.grid.ends)

    def judge(self, puzzle: Slitherlink, values: Sequence[int]) -> Iterator[Rule]:
        """The clues, the corners, and that all lines are one loop."""
        rows, cols, grid = puzzle.rows, puzzle.cols, puzzle.grid
        for line, value in enumerate(values):
            text = f"{line_name(rows, cols, line)} is 0 or 1, not {value}"
            yield Rule(value in (OPEN, 0, 1), text, (line,), legal=True)
        for row, col, clue in puzzle.cells():
            if clue != NO_CLUE:
                around = puzzle.around(row, col)
                lines = sum(values[line] == 1 for line in around)
                where = f"the clue {clue} in row {row + 1}, column {col + 1}"
                yield Rule(lines == clue, f"{where} has {_many(lines)} around it", around)
        for corner, scope in enumerate(grid.at):
            meeting = sum(values[line] == 1 for line in scope)
            how = "ends" if meeting == 1 else "meet"
            right = meeting == 2 or (meeting == 0 and not puzzle.full)
            yield Rule(right, f"{_many(meeting)} {how} in {corner_name(rows, cols, corner)}", scope)
        yield _one_loop(grid, values)

    def picture(
        self, puzzle: Slitherlink, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]
    ) -> Picture:
        """Dots, clues and lines."""
        from .slitherlink_draw import picture

        return picture(puzzle, values, marks, wrong)


def _many(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines or 'no'} lines"


def _one_loop(grid: Lattice, values: Sequence[int]) -> Rule:
    """That all lines hang together (that none ends is for the corners to say).

    A loop that closed too early is a fault even while other lines are open.
    """
    pieces = grid.pieces(line for line, value in enumerate(values) if value == 1)
    everything = tuple(range(len(values)))
    if not pieces:
        return Rule(False, "there is no loop", everything)
    if len(pieces) == 1:
        return Rule(True, "", everything)
    closed = [piece for piece in pieces if _closed(grid, piece)]
    if OPEN in values and not closed:
        return Rule(False, "", everything)
    apart = closed if closed and len(closed) < len(pieces) else pieces[1:]
    what = "loops, not one" if len(closed) == len(pieces) else "pieces, not one loop"
    return Rule(False, f"the lines make {len(pieces)} {what}", tuple(line for piece in apart for line in piece))


def _closed(grid: Lattice, piece: list[int]) -> bool:
    lines = set(piece)
    return all(len(lines.intersection(grid.at[corner])) == 2 for line in piece for corner in grid.ends[line])


def _drawn(text: str) -> Slitherlink:
    """A puzzle from rows of digits and dots."""
    lines = text.split()
    clues = tuple(NO_CLUE if sign == "." else int(sign) for line in lines for sign in line)
    return Slitherlink(len(lines), len(lines[0]), clues)


SAMPLES = {
    "slitherlink-5x5": """
        .333.
        .20.1
        ..2.3
        ....2
        .32..
    """,
    "slitherlink-7x7": """
        .2...2.
        .......
        2113233
        10.1...
        2..2..2
        2..12..
        3..2..3
    """,
    "slitherlink-10x10": """
        ....23.11.
        312..22.3.
        1...3....2
        ....22.23.
        .2..22.2.3
        .3..2..2..
        ..3...22.3
        ...1.....2
        2.2.1.2...
        3.233.3.2.
    """,
    "slitherlink-10x10-hard": """
        .2.3.12..1
        ...22.2..3
        3....102.1
        2....2....
        3.1....3.3
        2231...3..
        ..21.2212.
        2..1.12..2
        ..2......2
        .1223.3.1.
    """,
}
