"""Light-up (Akari): bulbs on white cells light their row and column up to the next black cell; numbers count the bulbs
beside them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

from ...core import limits
from ...core.errors import BadInput
from ...core.kind import Format
from ...core.puzzle import Assignment, Puzzle
from ...core.settings import setting
from ...picture import Picture
from ..kind import OPEN, GridKind, GridPuzzle, Rule
from ..model import Clause, Constraint, Count, Model

WHITE, PLAIN = -1, 5  # of a cell: a place for a bulb; black without a number
MOST_SIDE = limits.GRID_SIDE
CELLS = {".": WHITE, "0": 0, "1": 1, "2": 2, "3": 3, "4": 4, "#": PLAIN}
LETTERS = {found: letter for letter, found in CELLS.items()}


@dataclass(frozen=True)
class Lightup(GridPuzzle):
    """``cells`` by row: WHITE, 0 to 4 for a black cell with that many bulbs beside it, or PLAIN.

    An answer gives every white cell, by row, 1 for a bulb or 0.
    """

    rows: int
    cols: int
    cells: tuple[int, ...]
    kind: ClassVar[str] = "lightup"

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= MOST_SIDE and 1 <= self.cols <= MOST_SIDE):
            raise BadInput(f"a light-up board has 1 to {MOST_SIDE} rows and columns, not {self.size}")
        if len(self.cells) != self.rows * self.cols:
            raise BadInput(f"a {self.size} board has {self.rows * self.cols} cells, but {len(self.cells)} are given")
        for index, found in enumerate(self.cells):
            if not WHITE <= found <= PLAIN:
                raise BadInput(f"{self.place(index)}: a black cell has a number from 0 to 4 or none, not {found}")
        if not self.white:
            raise BadInput("a light-up board has at least one white cell")

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.rows}x{self.cols}"

    def encode(self) -> dict[str, Any]:
        """As JSON types: a text a row."""
        text = "".join(LETTERS[found] for found in self.cells)
        return {"board": [text[start : start + self.cols] for start in range(0, len(text), self.cols)]}

    @cached_property
    def white(self) -> tuple[int, ...]:
        """The white cells; their places here are the variables."""
        return tuple(index for index, found in enumerate(self.cells) if found == WHITE)

    @cached_property
    def variable(self) -> dict[int, int]:
        """The variable of every white cell."""
        return {index: variable for variable, index in enumerate(self.white)}

    def place(self, index: int) -> str:
        """A cell in words."""
        return f"row {index // self.cols + 1}, column {index % self.cols + 1}"

    def beside(self, index: int) -> list[int]:
        """The variables of the white cells that touch a cell."""
        row, col = divmod(index, self.cols)
        near = ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col))
        inside = (r * self.cols + c for r, c in near if 0 <= r < self.rows and 0 <= c < self.cols)
        return [self.variable[other] for other in inside if self.cells[other] == WHITE]

    @cached_property
    def stretches(self) -> tuple[tuple[int, ...], ...]:
        """The variables of white cells in a row that see each other, for all rows; then the same for columns."""
        lines = [range(row * self.cols, (row + 1) * self.cols) for row in range(self.rows)]
        lines += [range(col, len(self.cells), self.cols) for col in range(self.cols)]
        found: list[list[int]] = []
        for line in lines:
            found.append([])
            for index in line:
                if self.cells[index] == WHITE:
                    found[-1].append(self.variable[index])
                else:
                    found.append([])
        return tuple(tuple(stretch) for stretch in found if stretch)

    @cached_property
    def seen(self) -> tuple[tuple[int, ...], ...]:
        """For every variable those whose bulb lights its cell: itself first, then its row's, then its column's."""
        near: list[list[int]] = [[variable] for variable in range(len(self.white))]
        for stretch in self.stretches:
            for variable in stretch:
                near[variable] += [other for other in stretch if other != variable]
        return tuple(tuple(others) for others in near)

    def model(self) -> Model:
        """Every white cell lit, no two bulbs in a stretch, every number met."""
        names = tuple(self.place(index) for index in self.white)
        found: list[Constraint] = [
            Clause(seen, (1,) * len(seen), (True,) * len(seen), f"the light in {name}")
            for seen, name in zip(self.seen, names, strict=True)
        ]
        for stretch in self.stretches:
            if len(stretch) > 1:
                about = f"the stretch from {names[stretch[0]]} to {names[stretch[-1]]}"
                found.append(Count(stretch, 1, "<=", 1, about))
        for index, clue in enumerate(self.cells):
            beside = tuple(self.beside(index))
            # a 0 among black cells says nothing; another number there cannot be met, which the engines shall find
            if clue not in (WHITE, PLAIN) and (beside or clue):
                found.append(Count(beside, 1, "=", clue, f"the clue {clue} in {self.place(index)}"))
        words = ((0, "no bulb"), (1, "a bulb"))
        return Model(((0, 1),) * len(self.white), tuple(found), names=names, words=words)


@dataclass(frozen=True)
class Making:
    """What kind of board to make."""

    width: int = setting(8, "columns of the board", least=2, most=40)
    height: int = setting(8, "rows of the board", least=2, most=40)
    black: int = setting(
        20, "black cells in a hundred; some more where the answer would not be unique", least=5, most=60
    )
    symmetric: bool = setting(True, "black cells that look the same upside down")
    # no "hard": of some hundred boards that we made, and of Tatham's hard ones, none needed more than looking ahead
    difficulty: str = setting("easy", "what solving it takes: easy or looking ahead", choices=("easy", "medium"))


class LightupKind(GridKind):
    """See the module text."""

    name = "lightup"
    title = "Light-up (Akari): bulbs that light every white cell"
    rules = (
        "Put bulbs on white cells so that every white cell is lit and no bulb is lit by another: a bulb lights its row "
        "and column up to the next black cell. A number counts the bulbs that touch it at its sides."
    )
    puzzle_class = "A"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """An easy board, a medium one, and one without symmetry."""
        return {name: partial(self.decode, {"board": lines}) for name, lines in SAMPLES.items()}

    def formats(self) -> tuple[Format, ...]:
        """Links and game ids."""
        from ..formats import LIGHTUP_FORMATS

        return LIGHTUP_FORMATS

    def decode(self, data: Mapping[str, Any]) -> Lightup:
        """From Dovetail's JSON."""
        lines = data.get("board")
        if not isinstance(lines, list) or not lines or not all(isinstance(line, str) for line in lines):
            raise BadInput("a lightup puzzle needs a list 'board' of texts, one for each row")
        for row, line in enumerate(lines, start=1):
            if len(line) != len(lines[0]):
                raise BadInput(f"row {row} has {len(line)} cells, but row 1 has {len(lines[0])}")
            for col, letter in enumerate(line, start=1):
                if letter not in CELLS:
                    raise BadInput(
                        f"row {row}, column {col}: a cell is '.', '#' or a number from 0 to 4, not {letter!r}"
                    )
        return Lightup(len(lines), len(lines[0]), tuple(CELLS[letter] for line in lines for letter in line))

    def make(self, settings: Making, seed: int) -> tuple[Lightup, Assignment]:
        """Black cells and bulbs at random, and as few numbers as leave one answer."""
        from .lightup_making import made

        return made(settings, seed)

    def variables(self, puzzle: Lightup) -> int:
        """One for every white cell."""
        return len(puzzle.white)

    def judge(self, puzzle: Lightup, values: Sequence[int]) -> Iterator[Rule]:
        """Light in every cell, no two bulbs in sight of each other, every number."""
        for variable, (index, value) in enumerate(zip(puzzle.white, values, strict=True)):
            text = f"{puzzle.place(index)}: a white cell has 1 bulb or 0, not {value}"
            yield Rule(value in (OPEN, 0, 1), text, (variable,), legal=True)
            seen = puzzle.seen[variable]
            yield Rule(any(values[other] == 1 for other in seen), f"{puzzle.place(index)} is not lit", seen)
        for stretch in puzzle.stretches:
            bulbs = [puzzle.place(puzzle.white[variable]) for variable in stretch if values[variable] == 1]
            yield Rule(len(bulbs) <= 1, f"the bulbs in {' and in '.join(bulbs[:2])} light each other", stretch)
        for index, clue in enumerate(puzzle.cells):
            if clue not in (WHITE, PLAIN):
                beside = puzzle.beside(index)
                count = [values[variable] for variable in beside].count(1)
                text = f"the clue {clue} in {puzzle.place(index)} has {count} bulb{'s' * (count != 1)} beside it"
                yield Rule(count == clue, text, tuple(beside))

    def picture(
        self, puzzle: Lightup, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]
    ) -> Picture:
        """Lit cells yellow, bulbs blue, what breaks a rule red."""
        from .lightup_draw import drawn

        return drawn(puzzle, values, marks, wrong)


SAMPLES: Mapping[str, list[str]] = {
    "lightup-easy": ["0..0...", "#......", "....1..", ".20#1#.", "..2....", "......#", "...#..#"],
    "lightup-medium": [
        "......0#", "..0.#.1.", ".....#..", ".3...#..", "..#...1.", "..1.....", ".1.#.1..", "1#......",
    ],
    "lightup-wide": ["1#....1#..2.", ".#.........#", "..2.........", "..0...1..##1", "#..........#", "..#1.....1.#"],
}  # fmt: skip
