"""A Kind is everything Dovetail knows about one sort of puzzle, apart from how to solve it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

from .confidence import Confidence
from .errors import BadUsage
from .puzzle import Puzzle, Solution, Verdict
from .settings import NoSettings
from .source import Source


class Drawing(Protocol):
    """What ``Kind.draw`` returns: something that knows its PNG and its SVG (see ``dovetail.picture``)."""

    def png(self) -> bytes:
        """Pixels."""

    def svg(self) -> bytes:
        """Vectors."""

    def save(self, path: str | Path) -> None:
        """Either, by the name of the file."""


@dataclass(frozen=True)
class Format:
    """One community file format of a kind. Dovetail's own JSON needs none: every kind has it."""

    name: str
    title: str
    detect: Callable[[Source], bool]  # cheap, by content, never raises
    read: Callable[[Source, Any], list[Puzzle]]  # with the kind's reading settings; raises BadInput
    write: Callable[[Puzzle], bytes]
    suffix: str = ""  # of a file, where it is not the format's name


@dataclass(frozen=True)
class Cells:
    """Where the cells of a placement lie in its picture: a regular grid, in pixels, whatever is drawn beside it."""

    rows: int
    cols: int
    left: int  # of the first cell
    top: int
    width: int  # of a cell
    height: int
    step_x: int  # from one cell to the next
    step_y: int
    first_row: int = 0  # of the placement, that is drawn as the first
    first_col: int = 0


@dataclass(frozen=True)
class Laid:
    """A puzzle as an input holds it, together with the attempt at it that the same input shows, if it does."""

    name: str
    puzzle: Puzzle
    solution: Solution | None


@dataclass(frozen=True)
class Reason:
    """One step of an explanation: in words, what is known after it, a picture of it, and all of it as JSON types."""

    text: str
    known: Solution
    draw: Callable[[], Drawing]
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Explained:
    """Why the answer is the answer, step by step, and how hard the hardest step is."""

    steps: tuple[Reason, ...]
    difficulty: str


class Kind(ABC):
    """Rules, reader, checker, generator and drawing of one puzzle. The checker shares no code with any solver."""

    name: ClassVar[str]
    family: ClassVar[str]
    title: ClassVar[str]
    rules: ClassVar[str]  # the rules in a sentence or two
    rules_version: ClassVar[int] = 1  # changes only when the same puzzle would get another verdict
    solution_shape: ClassVar[Literal["placement", "assignment", "moves", "locations"]]
    puzzle_class: ClassVar[Literal["A", "B", "AB", "C"] | None] = None  # of Kiarostami et al. 2021, table 1
    demo: ClassVar[str | None] = None  # the sample that `make demo` shows
    reading_type: ClassVar[type[Any]] = NoSettings  # what may be set when reading foreign files
    making_type: ClassVar[type[Any]] = NoSettings  # what may be set when generating

    @abstractmethod
    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """Built-in puzzles by the name ``dovetail solve NAME`` takes."""

    def formats(self) -> tuple[Format, ...]:
        """Community formats, the most specific first."""
        return ()

    def boards(self, source: Source, settings: Any) -> list[Laid]:
        """The puzzles of an input that shows an attempt at each of them; none if it shows no attempt."""
        return []

    def read_solutions(self, source: Source, puzzle: Puzzle) -> list[Solution] | None:
        """Solutions in a community format; None if it is no format of this kind. Dovetail's own JSON needs none."""
        return None

    @abstractmethod
    def decode(self, data: Mapping[str, Any]) -> Puzzle:
        """From what ``Puzzle.encode`` wrote; raises BadInput naming the place."""

    def make(self, settings: Any, seed: int) -> tuple[Puzzle, Solution]:
        """A new puzzle and, apart from it, its planted answer."""
        raise BadUsage(f"no generator for {self.name} puzzles")

    @abstractmethod
    def check(self, puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Verdict:
        """Judge a solution from the rules alone."""

    @abstractmethod
    def draw(self, puzzle: Puzzle, solution: Solution | None = None) -> Drawing:
        """A picture of the pieces or of the solution, mistakes marked."""

    def draw_confidence(self, puzzle: Puzzle, solution: Solution, confidence: Confidence) -> Drawing:
        """The solution as drawn, and on it how sure its solver is of every part."""
        raise BadUsage(f"there is no picture of how sure the answer to a {self.name} puzzle is")

    def cells(self, puzzle: Puzzle, solution: Solution) -> Cells | None:
        """Where the cells of a solution lie in its picture, so that one can point at them; None without a grid."""
        return None

    def with_hints(self, puzzle: Puzzle, hints: Any, folder: Path) -> Puzzle:
        """The same puzzle, same digest, told what a person knows of its answer; hints are JSON types.

        Files that they name are looked for in ``folder``. Raises BadInput where hints contradict each other.
        """
        raise BadUsage(f"{self.name} puzzles take no hints about their answer")

    def frames(self, puzzle: Puzzle, solution: Solution, most: int) -> Iterator[Drawing]:
        """How the solution comes about after the puzzle as given: at most so many pictures, the last one shows it all.

        There is more than that one where a solution is played move by move.
        """
        yield self.draw(puzzle, solution)

    def links(self, puzzle: Puzzle, solution: Solution) -> dict[str, str]:
        """Where a browser shows this solution, by the name of the viewer."""
        return {}

    def explain(self, puzzle: Puzzle) -> Explained:
        """Every value of the answer with what forces it, cheapest first."""
        raise BadUsage(f"{self.name} puzzles are not explained step by step")

    @classmethod
    def can_explain(cls) -> bool:
        """Whether there are explanations."""
        return cls.explain is not Kind.explain

    def hint(self, puzzle: Puzzle, known: Solution | None = None) -> Reason:
        """The next step from what is known."""
        raise BadUsage(f"there are no hints for {self.name} puzzles")

    def facts(self, puzzle: Puzzle) -> dict[str, float | str]:
        """What is known of a puzzle without solving it, by name."""
        return {}
