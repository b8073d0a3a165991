"""Numberlink (Arukone): equal numbers are joined by paths that never cross, branch or pass through a number."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

from ...core import limits
from ...core.errors import BadInput
from ...core.kind import Format
from ...core.puzzle import Assignment
from ...core.settings import setting
from ...picture import Picture
from ..kind import OPEN, GridKind, GridPuzzle, Rule
from ..making import DIFFICULTIES
from ..model import Constraint, Count, Model, Paths, Table
from .slitherlink_lattice import Lattice, even_rows, lattice

MOST_SIDE, MOST_LABEL = limits.GRID_SIDE, limits.NUMBERLINK_LABEL


class Piece(NamedTuple):
    """Links that hang together and the cells they join."""

    links: tuple[int, ...]
    cells: frozenset[int]


@dataclass(frozen=True)
class Numberlink(GridPuzzle):
    """``labels`` by row, 0 where there is none, every other number twice; with ``fill`` no cell may stay empty.

    An answer is 0 or 1 for every link between neighbours: those along the rows first (rows × (cols - 1)), then those
    between the rows ((rows - 1) × cols).
    """

    rows: int
    cols: int
    labels: tuple[int, ...]
    fill: bool = False
    kind: ClassVar[str] = "numberlink"
    drawn_as_lines: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= MOST_SIDE and 1 <= self.cols <= MOST_SIDE):
            raise BadInput(f"a numberlink board has 1 to {MOST_SIDE} rows and columns, not {self.rows}x{self.cols}")
        cells = self.rows * self.cols
        if len(self.labels) != cells:
            raise BadInput(f"a {self.size} board has {cells} cells, but {len(self.labels)} are given")
        times = Counter(self.labels)
        for cell, label in enumerate(self.labels):
            if not 0 <= label <= MOST_LABEL:
                raise BadInput(f"{self.place(cell)}: a number is 1 to {MOST_LABEL}, not {label}")
            if label and times[label] != 2:
                found = "only once" if times[label] == 1 else f"{times[label]} times"
                raise BadInput(f"{self.place(cell)}: every number is there twice, but {label} is there {found}")
        if times[0] == cells:
            raise BadInput("a numberlink board has at least one pair of numbers")

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.rows}x{self.cols}"

    @property
    def grid(self) -> Lattice:
        """The cells and the links between neighbours."""
        return lattice(self.rows, self.cols)

    @cached_property
    def pairs(self) -> dict[int, tuple[int, int]]:
        """The two cells of every number."""
        found: dict[int, list[int]] = {}
        for cell, label in enumerate(self.labels):
            if label:
                found.setdefault(label, []).append(cell)
        return {label: (one, other) for label, (one, other) in sorted(found.items())}

    def place(self, cell: int) -> str:
        """Where a cell is, in words."""
        row, col = divmod(cell, self.cols)
        return f"row {row + 1}, column {col + 1}"

    def what(self, cell: int) -> str:
        """A cell by its number, if it has one, and its place."""
        label = self.labels[cell]
        return f"the {label or 'cell'} in {self.place(cell)}"

    def link_name(self, link: int) -> str:
        """A link by the first of its cells."""
        one, other = self.grid.ends[link]
        return f"the link {'right of' if other == one + 1 else 'below'} {self.place(one)}"

    def pieces(self, values: Sequence[int]) -> list["Piece"]:
        """What the links of an answer join, bit by bit."""
        ends = self.grid.ends
        return [
            Piece(tuple(links), frozenset(cell for link in links for cell in ends[link]))
            for links in self.grid.pieces(link for link, value in enumerate(values) if value == 1)
        ]

    def encode(self) -> dict[str, Any]:
        """As JSON types: rows of numbers, 0 for none."""
        rows = [list(self.labels[start : start + self.cols]) for start in range(0, len(self.labels), self.cols)]
        return {"labels": rows, **({"fill": True} if self.fill else {})}

    def model(self) -> Model:
        """A variable a link and, behind them, the number of the path on every cell, 0 for no path."""
        ends, at = self.grid.ends, self.grid.at
        labels = (*self.pairs,) if self.fill else (0, *self.pairs)
        cells = range(len(at))
        # implied by the paths, but it is here that each cell has its own say
        each: list[Constraint] = [
            Count(at[cell], 1, "=", 1 if self.labels[cell] else 2, self.what(cell))
            if self.fill or self.labels[cell]
            else Table(at[cell], even_rows(len(at[cell])), self.what(cell))
            for cell in cells
        ]
        scope = tuple(range(len(ends) + len(at)))
        return Model(
            (*((0, 1),) * len(ends), *((label,) if label else labels for label in self.labels)),
            (*each, Paths(scope, ends, self.labels, "the paths")),
            shown=len(ends),
            names=(*map(self.link_name, range(len(ends))), *(f"the path on {self.place(cell)}" for cell in cells)),
            words=((0, "not drawn"), (1, "drawn")),
        )

    def one_models(self) -> tuple[Model, ...]:
        """Where cells may stay empty, a path that passes beside itself has a shorter one: none need do that.

        And puzzles as people make them leave no cell empty, whether that is a rule or not.
        """
        if self.fill:
            return (self.model(),)
        return (_direct(replace(self, fill=True).model()), _direct(self.model()))


def _direct(model: Model) -> Model:
    """The same with paths that never pass beside themselves."""
    rules = (replace(rule, direct=True) if isinstance(rule, Paths) else rule for rule in model.constraints)
    return replace(model, constraints=tuple(rules))


@dataclass(frozen=True)
class Making:
    """What the generator can be asked for."""

    rows: int = setting(7, "rows of the board", least=3, most=12)
    cols: int = setting(7, "columns of the board", least=3, most=12)
    fill: bool = setting(False, "whether it is a rule that no cell stays empty")
    difficulty: str = setting(
        "medium",
        "easy: each step follows at once; medium: with a look ahead; hard: needs a guess",
        choices=DIFFICULTIES,
    )


class NumberlinkKind(GridKind):
    """See the module text."""

    name = "numberlink"
    title = "Numberlink (Arukone, Flow): equal numbers joined by paths"
    rules = (
        "Join equal numbers by paths from cell to neighbouring cell; paths never cross, branch, or pass through a "
        "number, and a cell may stay empty unless the puzzle says that all are filled."
    )
    puzzle_class = "AB"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Numberlink]]:
        """Of either rule."""
        return {name: partial(_drawn, text, name.endswith("-fill")) for name, text in SAMPLES.items()}

    def formats(self) -> tuple[Format, ...]:
        """Addresses and the like."""
        from ..formats import NUMBERLINK_FORMATS

        return NUMBERLINK_FORMATS

    def decode(self, data: Mapping[str, Any]) -> Numberlink:
        """From Dovetail's JSON."""
        lines, fill = data.get("labels"), data.get("fill", False)
        if not isinstance(lines, list) or not lines or not all(isinstance(line, list) for line in lines):
            raise BadInput("a numberlink puzzle needs a list 'labels' of rows")
        if not isinstance(fill, bool):
            raise BadInput(f"'fill' of a numberlink puzzle is true or false, not {str(fill)[:20]!r}")
        cols = len(lines[0])
        for row, line in enumerate(lines, start=1):
            if len(line) != cols:
                raise BadInput(f"row {row} has {len(line)} cells, but row 1 has {cols}")
            for col, label in enumerate(line, start=1):
                if type(label) is not int:
                    raise BadInput(f"row {row}, column {col}: a cell is a whole number, not {str(label)[:20]!r}")
        return Numberlink(len(lines), cols, tuple(label for line in lines for label in line), fill)

    def make(self, settings: Making, seed: int) -> tuple[Numberlink, Assignment]:
        """Random paths that fill the board, kept if their ends allow no other."""
        from .numberlink_making import make  # needs an engine, which reading and checking never do

        return make(settings, seed)

    def variables(self, puzzle: Numberlink) -> int:
        """All links between neighbouring cells."""
        return len(puzzle.grid.ends)

    def judge(self, puzzle: Numberlink, values: Sequence[int]) -> Iterator[Rule]:
        """Every cell has as many links as it may have, equal numbers are joined, and nothing goes in a circle."""
        for link, value in enumerate(values):
            yield Rule(value in (OPEN, 0, 1), f"{puzzle.link_name(link)} is 0 or 1, not {value}", (link,), legal=True)
        for cell, scope in enumerate(puzzle.grid.at):
            links = sum(values[link] == 1 for link in scope)
            allowed = (1,) if puzzle.labels[cell] else (2,) if puzzle.fill else (0, 2)
            found = "1 link" if links == 1 else f"{links or 'no'} links"
            wanted = {(1,): "1", (2,): "2", (0, 2): "none or 2"}[allowed]
            yield Rule(links in allowed, f"{puzzle.what(cell)} has {found}, not {wanted}", scope)
        pieces = puzzle.pieces(values)
        for label in puzzle.pairs:
            yield _joined(puzzle, label, pieces)
        yield _no_circle(puzzle, pieces)

    def picture(
        self, puzzle: Numberlink, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]
    ) -> Picture:
        """Numbers on discs, paths in the colour of their number."""
        from .numberlink_draw import picture

        return picture(puzzle, values, marks, wrong)


def _joined(puzzle: Numberlink, label: int, pieces: list[Piece]) -> Rule:
    """That a number is joined to its like and to no other; open links may still get it there."""
    one, other = puzzle.pairs[label]
    paths = {
        cell: next((piece for piece in pieces if cell in piece.cells), Piece((), frozenset((cell,))))
        for cell in (one, other)
    }
    strangers = {
        cell: min(stranger)
        for cell, piece in paths.items()
        if (stranger := [at for at in piece.cells if puzzle.labels[at] not in (0, label)])
    }
    if strangers:
        first = min(strangers)
        links = {link for cell in strangers for link in paths[cell].links}
        return Rule(False, f"{puzzle.what(first)} is joined to {puzzle.what(strangers[first])}", tuple(sorted(links)))
    if other in paths[one].cells:
        return Rule(True, "", paths[one].links)
    beside = {link for cell in paths[one].cells for link in puzzle.grid.at[cell]}
    return Rule(False, f"the path from {puzzle.what(one)} does not reach the other {label}", tuple(sorted(beside)))


def _no_circle(puzzle: Numberlink, pieces: list[Piece]) -> Rule:
    """That no links run in a circle, away from all numbers."""
    for piece in pieces:
        # as many links as cells, and no number to end at: a circle, or something that forks
        if len(piece.links) >= len(piece.cells) and not any(puzzle.labels[cell] for cell in piece.cells):
            return Rule(False, f"the links at {puzzle.place(min(piece.cells))} go in a circle", piece.links)
    return Rule(True, "", tuple(range(len(puzzle.grid.ends))))


def _drawn(text: str, fill: bool) -> Numberlink:
    """A puzzle from rows of numbers and dots."""
    lines = [line.split() for line in text.strip().splitlines()]
    labels = tuple(0 if sign == "." else int(sign) for line in lines for sign in line)
    return Numberlink(len(lines), len(lines[0]), labels, fill)


SAMPLES = {
    "numberlink-7x7": """
        . . . 1 . . .
        . 2 . . . 3 .
        . . . 1 . . .
        . 4 . . . . .
        . . 5 . . . .
        . . . 2 . 5 .
        . 3 . 4 . . .
    """,
    "numberlink-6x6-fill": """
        . . . . . .
        . . . . 1 2
        . . 3 . . 1
        . . . . 2 .
        . 4 3 . 4 .
        . . . . . .
    """,
    "numberlink-10x10": """
        . . . . . 1 . . . .
        . 2 . 3 . . 4 . . 1
        . . 3 . 2 . . 5 . 4
        . . . . . . . . . .
        . 6 7 . . . . . . 8
        . . 6 . 8 . . 9 . .
        . . 10 . . . . . 11 .
        . . . . . 5 . 11 12 .
        . 10 . . . 13 . 9 . .
        . . . 13 12 . . . . 7
    """,
}
