"""Nonograms: numbers beside every row and column tell the lengths of its runs of filled cells, black or in colours; a
picture appears."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise
from typing import Any, ClassVar, TypeAlias

from ...core import limits
from ...core.errors import BadInput
from ...core.kind import Format
from ...core.puzzle import Assignment, Puzzle
from ...core.settings import setting
from ...picture import Picture
from ..kind import OPEN, GridKind, GridPuzzle, Rule
from ..model import MOST_VALUE, Constraint, Model, Runs

Line: TypeAlias = tuple[tuple[int, int], ...]  # runs of (length, colour)
MOST_SIDE = limits.GRID_SIDE
BLACK = ("#000000",)


@dataclass(frozen=True)
class Nonogram(GridPuzzle):
    """The runs of every row, left to right, and of every column, downwards; colours count from 1.

    Between two runs of one colour there is at least one empty cell; runs of different colours may touch. An answer
    gives every cell, by row, its colour, or 0.
    """

    rows: tuple[Line, ...]
    cols: tuple[Line, ...]
    colours: tuple[str, ...] = BLACK
    kind: ClassVar[str] = "nonogram"

    def __post_init__(self) -> None:
        if not (1 <= len(self.rows) <= MOST_SIDE and 1 <= len(self.cols) <= MOST_SIDE):
            raise BadInput(f"a nonogram has 1 to {MOST_SIDE} rows and columns, not {self.size}")
        if not 1 <= len(self.colours) <= MOST_VALUE:
            raise BadInput(f"a nonogram has 1 to {MOST_VALUE} colours, not {len(self.colours)}")
        for number, colour in enumerate(self.colours, start=1):
            if re.fullmatch("#[0-9A-Fa-f]{6}", colour) is None:
                raise BadInput(f"colour {number} is written like #ff8000, not {colour[:20]!r}")
        for name, lines, room in (("row", self.rows, len(self.cols)), ("column", self.cols, len(self.rows))):
            for number, runs in enumerate(lines, start=1):
                self._check_line(f"{name} {number}", runs, room)

    def _check_line(self, place: str, runs: Line, room: int) -> None:
        for number, (length, colour) in enumerate(runs, start=1):
            if length < 1:
                raise BadInput(f"{place}: run {number} has a length of 1 or more, not {length}")
            if not 1 <= colour <= len(self.colours):
                raise BadInput(f"{place}: run {number} has colour {colour}; there are colours 1 to {len(self.colours)}")
        gaps = sum(one[1] == other[1] for one, other in pairwise(runs))
        needed = sum(length for length, _ in runs) + gaps
        if needed > room:
            raise BadInput(f"{place}: its runs need {needed} cells, but it has {room}")

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{len(self.rows)}x{len(self.cols)}"

    def encode(self) -> dict[str, Any]:
        """As JSON types: plain lengths where there is one colour."""
        coloured = len(self.colours) > 1

        def lines(of: tuple[Line, ...]) -> list[list[Any]]:
            return [[[length, colour] if coloured else length for length, colour in runs] for runs in of]

        usual = {} if self.colours == BLACK else {"colours": list(self.colours)}
        return {"rows": lines(self.rows), "cols": lines(self.cols), **usual}

    def place(self, index: int) -> str:
        """A cell in words."""
        row, col = divmod(index, len(self.cols))
        return f"row {row + 1}, column {col + 1}"

    def lines(self) -> Iterator[tuple[str, Line, range]]:
        """Every row, then every column: its name, its runs, its cells."""
        width, cells = len(self.cols), len(self.rows) * len(self.cols)
        for row, runs in enumerate(self.rows):
            yield f"row {row + 1}", runs, range(row * width, (row + 1) * width)
        for col, runs in enumerate(self.cols):
            yield f"column {col + 1}", runs, range(col, cells, width)

    def model(self) -> Model:
        """The runs of every line."""
        found: list[Constraint] = [Runs(tuple(cells), runs, name) for name, runs, cells in self.lines()]
        names = tuple(map(self.place, range(len(self.rows) * len(self.cols))))
        filled = [(1, "filled")]
        if len(self.colours) > 1:
            filled = [(value, f"colour {value}") for value in range(1, len(self.colours) + 1)]
        domain = tuple(range(len(self.colours) + 1))
        return Model((domain,) * len(names), tuple(found), names=names, words=((0, "empty"), *filled))


@dataclass(frozen=True)
class Making:
    """What picture to make a nonogram of."""

    width: int = setting(10, "columns of the picture", least=1, most=MOST_SIDE)
    height: int | None = setting(
        None, "rows; as the shape of the image asks, without one as many as columns", least=1, most=MOST_SIDE
    )
    colours: int = setting(1, "colours besides the empty ground", least=1, most=8)
    image: str | None = setting(None, "a picture file to reduce to these cells and colours; without one, random blobs")
    difficulty: str | None = setting(
        None, "what solving it takes; without it, whatever the picture gives", choices=("easy", "medium", "hard")
    )


class NonogramKind(GridKind):
    """See the module text."""

    name = "nonogram"
    title = "Nonogram (Picross, paint by numbers): a picture from the runs of its lines, black or in colours"
    rules = (
        "Fill cells so that every row and column has runs of exactly the given lengths and colours in the given order; "
        "between two runs of one colour there is at least one empty cell."
    )
    puzzle_class = "AB"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """Two pictures, black and in colours, and a medium one of noise."""
        return {name: partial(self.decode, data) for name, data in SAMPLES.items()}

    def formats(self) -> tuple[Format, ...]:
        """Files of clues, links and game ids."""
        from ..formats import NONOGRAM_FORMATS

        return NONOGRAM_FORMATS

    def decode(self, data: Mapping[str, Any]) -> Nonogram:
        """From Dovetail's JSON; a bare length is a run of the first colour."""
        colours = data.get("colours", list(BLACK))
        if not isinstance(colours, list) or not all(isinstance(colour, str) for colour in colours):
            raise BadInput("'colours' of a nonogram is a list of texts like #ff8000")
        rows, cols = (
            tuple(_decoded_line(f"{name} {number}", line) for number, line in enumerate(_listed(data, key), start=1))
            for key, name in (("rows", "row"), ("cols", "column"))
        )
        return Nonogram(rows, cols, tuple(colours))

    def make(self, settings: Making, seed: int) -> tuple[Nonogram, Assignment]:
        """The runs of a picture, changed in a few cells so that no other has the same."""
        from .nonogram_making import made

        return made(settings, seed)

    def variables(self, puzzle: Nonogram) -> int:
        """One for every cell."""
        return len(puzzle.rows) * len(puzzle.cols)

    def judge(self, puzzle: Nonogram, values: Sequence[int]) -> Iterator[Rule]:
        """The runs of every line."""
        most = len(puzzle.colours)
        for index, value in enumerate(values):
            text = f"{puzzle.place(index)}: a cell has a colour from 0 to {most}, not {value}"
            yield Rule(value == OPEN or 0 <= value <= most, text, (index,), legal=True)
        for name, runs, cells in puzzle.lines():
            found = runs_in([values[index] for index in cells])
            text = f"{name} has {_spoken(found, most)} instead of {_spoken(runs, most)}"
            yield Rule(found == runs, text, tuple(cells))

    def picture(
        self, puzzle: Nonogram, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]
    ) -> Picture:
        """The clues around the board."""
        from .nonogram_draw import drawn

        return drawn(puzzle, values, marks, wrong)


def runs_in(line: Sequence[int]) -> Line:
    """What a finished line shows: neighbouring cells of one colour are a run."""
    return tuple((len([*cells]), colour) for colour, cells in groupby(line) if colour != 0)


def nonogram_of(picture: Sequence[Sequence[int]], colours: tuple[str, ...] = BLACK) -> Nonogram:
    """The puzzle that asks for this picture, a colour or 0 for every cell of every row."""
    columns = [*zip(*picture, strict=True)]
    return Nonogram(tuple(map(runs_in, picture)), tuple(map(runs_in, columns)), colours)


def _spoken(runs: Line, colours: int) -> str:
    if not runs:
        return "no run"
    if colours == 1:
        return f"run{'s' * (len(runs) > 1)} {' '.join(str(length) for length, _ in runs)}"
    return "run" + "s" * (len(runs) > 1) + " " + ", ".join(f"{length} of colour {colour}" for length, colour in runs)


def _listed(data: Mapping[str, Any], key: str) -> list[Any]:
    lines = data.get(key)
    if not isinstance(lines, list):
        raise BadInput(f"a nonogram needs a list {key!r} of lists of runs")
    return lines


def _decoded_line(place: str, line: Any) -> Line:
    if not isinstance(line, list):
        raise BadInput(f"{place} is not a list of runs")
    runs = []
    for number, run in enumerate(line, start=1):
        pair = [run, 1] if type(run) is int else run
        if not isinstance(pair, list) or len(pair) != 2 or not all(type(part) is int for part in pair):
            raise BadInput(f"{place}: run {number} is not a length or a list of length and colour")
        runs.append((pair[0], pair[1]))
    return tuple(runs)


SAMPLES: Mapping[str, Mapping[str, Any]] = {
    "nonogram-dove": {
        "rows": [[3], [5], [2, 4], [5], [2, 4], [3, 6], [9], [8], [6], [2], [1, 1], [2, 2]],
        "cols": [[2], [3], [3], [3], [4, 1], [11], [10], [2, 6, 2], [9, 1], [3, 3], [1], [1]],
    },
    "nonogram-tulip": {
        "rows": [
            [[1, 1], [1, 1], [1, 1]], [[1, 1], [3, 1], [1, 1]], [[7, 1]], [[2, 1], [3, 3], [2, 1]],
            [[2, 1], [3, 3], [2, 1]], [[5, 1]], [[1, 2]], [[2, 2], [1, 2], [2, 2]], [[2, 2], [1, 2], [2, 2]], [[5, 2]],
            [[1, 2]], [[10, 4]],
        ],
        "cols": [
            [[1, 2], [1, 4]], [[5, 1], [2, 2], [1, 4]], [[4, 1], [2, 2], [1, 4]],
            [[2, 1], [2, 3], [1, 1], [1, 2], [1, 4]], [[3, 1], [2, 3], [1, 1], [5, 2], [1, 4]],
            [[2, 1], [2, 3], [1, 1], [1, 2], [1, 4]], [[4, 1], [2, 2], [1, 4]], [[5, 1], [2, 2], [1, 4]],
            [[1, 2], [1, 4]], [[1, 4]],
        ],
        "colours": ["#D0312D", "#2E8B57", "#F2B705", "#8B5A2B"],
    },
    "nonogram-medium": {
        "rows": [
            [2, 1], [1, 3], [1, 1, 1], [1, 2, 2, 1], [1, 1], [1], [4, 1, 1], [3, 1], [2, 1, 1], [1, 1, 2],
        ],
        "cols": [[3, 1, 1], [1, 2], [1], [2, 1, 1], [4, 1], [1, 1, 2], [1, 1, 1], [2, 2], [1], [3, 4]],
    },
}  # fmt: skip
