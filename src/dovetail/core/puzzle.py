"""What is solved and what a solution is: a Puzzle, the four shapes of a solution, and the checker's Verdict."""

import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

from .errors import BadInput

EMPTY = -1  # a cell of a Placement that holds no piece
MOST_NAMED = 20  # violations spelled out in a verdict


class Puzzle(ABC):
    """A question without its answer. Subclasses are frozen dataclasses of plain data, named by their kind."""

    kind: ClassVar[str]

    @property
    @abstractmethod
    def size(self) -> str:
        """How large it is, in the words of the puzzle: ``7x10``."""

    @abstractmethod
    def encode(self) -> dict[str, Any]:
        """The whole puzzle as JSON types; ``Kind.decode`` is the way back."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON: equal puzzles, equal digests, on every machine."""
        return hashlib.sha256(canonical_json(self.to_json()).encode()).hexdigest()

    @property
    def told(self) -> str:
        """What a person knows of the answer, as a text to tell it from other hints: it is no part of the puzzle."""
        return ""

    def to_json(self) -> dict[str, Any]:
        """The puzzle as Dovetail's own JSON file holds it."""
        return {"kind": self.kind, **self.encode()}


def canonical_json(data: Any) -> str:
    """One text for one value, whatever order it was built in."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


@dataclass(frozen=True)
class Placement:
    """Pieces laid on a board: ``pieces[row][col]`` is an index into the puzzle's pieces, or EMPTY.

    ``turns[row][col]`` counts turns counter-clockwise from how the puzzle lists the piece: quarters, or sixths for
    hexagons.
    """

    pieces: tuple[tuple[int, ...], ...]
    turns: tuple[tuple[int, ...], ...]
    shape: ClassVar[str] = "placement"

    def __post_init__(self) -> None:
        if [len(row) for row in self.pieces] != [len(row) for row in self.turns]:
            raise BadInput("the solution's pieces and turns are not boards of the same size")
        if len({len(row) for row in self.pieces}) > 1:
            raise BadInput("the solution's board is not rectangular")

    @classmethod
    def from_flat(cls, pieces: Any, turns: Any, cols: int) -> "Placement":
        """Build from flat row-major sequences of ``rows * cols`` numbers."""

        def rows(flat: Any) -> tuple[tuple[int, ...], ...]:
            return tuple(tuple(int(v) for v in flat[i : i + cols]) for i in range(0, len(flat), cols))

        return cls(rows(pieces), rows(turns))

    def encode(self) -> dict[str, Any]:
        """As JSON types."""
        return {"pieces": [list(row) for row in self.pieces], "turns": [list(row) for row in self.turns]}

    @classmethod
    def decode(cls, data: Mapping[str, Any]) -> "Placement":
        """From JSON types, refusing anything that is not two boards of integers."""
        return cls(_int_rows(data, "pieces"), _int_rows(data, "turns"))


@dataclass(frozen=True)
class Assignment:
    """A value for every variable, in the order the puzzle declares them; None where it is still open."""

    values: tuple[int | None, ...]
    shape: ClassVar[str] = "assignment"

    def encode(self) -> dict[str, Any]:
        """As JSON types."""
        return {"values": list(self.values)}

    @classmethod
    def decode(cls, data: Mapping[str, Any]) -> "Assignment":
        """From JSON types, refusing anything that is not a list of integers and nulls."""
        values = data.get("values")
        if not isinstance(values, list) or not all(v is None or _is_int(v) for v in values):
            raise BadInput("the solution's 'values' is not a list of whole numbers and nulls")
        return cls(tuple(values))


@dataclass(frozen=True)
class Moves:
    """The moves of a game in order, each written as its kind writes moves."""

    moves: tuple[str, ...]
    shape: ClassVar[str] = "moves"

    def encode(self) -> dict[str, Any]:
        """As JSON types."""
        return {"moves": list(self.moves)}

    @classmethod
    def decode(cls, data: Mapping[str, Any]) -> "Moves":
        """From JSON types, refusing anything that is not a list of texts."""
        moves = data.get("moves")
        if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
            raise BadInput("the solution's 'moves' is not a list of texts")
        return cls(tuple(moves))


@dataclass(frozen=True)
class Locations:
    """Where each piece lies on a board without cells: by how much it is moved from where the puzzle lists it."""

    at: tuple[tuple[float, float], ...]
    shape: ClassVar[str] = "locations"

    def encode(self) -> dict[str, Any]:
        """As JSON types."""
        return {"at": [list(point) for point in self.at]}

    @classmethod
    def decode(cls, data: Mapping[str, Any]) -> "Locations":
        """From JSON types, refusing anything that is not a list of points."""
        points = data.get("at")
        if not isinstance(points, list) or not all(_is_point(point) for point in points):
            raise BadInput("the solution's 'at' is not a list of points [x, y]")
        return cls(tuple((float(x), float(y)) for x, y in points))


Solution: TypeAlias = Placement | Assignment | Moves | Locations
SHAPES: dict[str, type[Placement] | type[Assignment] | type[Moves] | type[Locations]] = {
    cls.shape: cls for cls in (Placement, Assignment, Moves, Locations)
}


def as_placement(kind: str, solution: Solution) -> Placement:
    """The solution, if it has the shape of one."""
    if not isinstance(solution, Placement):
        raise BadInput(f"a {kind} solution is a placement, not {solution.shape}")
    return solution


def named(violations: list[str]) -> tuple[str, ...]:
    """For a verdict: not more than a person reads."""
    more = len(violations) - MOST_NAMED
    return (*violations[:MOST_NAMED], *([f"and {more} more"] if more > 0 else []))


def solution_to_json(solution: Solution, puzzle: Puzzle) -> dict[str, Any]:
    """A solution file: it names the puzzle it answers, so that a mix-up is noticed."""
    return {
        "kind": puzzle.kind,
        "puzzle": puzzle.digest,
        "shape": solution.shape,
        **solution.encode(),
    }


def solution_from_json(data: Any, puzzle: Puzzle) -> Solution:
    """Read a solution file back; one made for another puzzle is refused."""
    if not isinstance(data, Mapping):
        raise BadInput("a solution file holds one JSON object")
    shape = data.get("shape")
    if not isinstance(shape, str) or shape not in SHAPES:
        raise BadInput(f"a solution's 'shape' is one of {', '.join(SHAPES)}, not {shape!r}")
    if data.get("kind", puzzle.kind) != puzzle.kind:
        raise BadInput(f"this is a solution of a {str(data['kind'])[:40]} puzzle, not of a {puzzle.kind} puzzle")
    if data.get("puzzle", puzzle.digest) != puzzle.digest:
        raise BadInput("this solution was written for another puzzle (its 'puzzle' digest differs)")
    return SHAPES[shape].decode(data)


@dataclass(frozen=True)
class Verdict:
    """What the independent checker found.

    ``valid``: the pieces, values or moves are legal ones, used as often as allowed. ``solved``: and every rule
    is met; None where nobody can know (a picture without its original). ``remarks`` are worth knowing and no fault.
    """

    valid: bool
    solved: bool | None
    violations: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether it counts as solved for the exit status."""
        return self.valid and self.solved is not False

    def to_json(self) -> dict[str, Any]:
        """As the report shows it."""
        return {
            "valid": self.valid,
            "solved": self.solved,
            "violations": list(self.violations),
            "scores": dict(self.scores),
            **({"remarks": list(self.remarks)} if self.remarks else {}),
        }


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_point(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all((_is_int(v) and abs(v) < 2**53) or (isinstance(v, float) and math.isfinite(v)) for v in value)
    )


def _int_rows(data: Mapping[str, Any], key: str) -> tuple[tuple[int, ...], ...]:
    rows = data.get(key)
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and all(_is_int(value) for value in row) for row in rows
    ):
        raise BadInput(f"the solution's {key!r} is not a list of rows of whole numbers")
    return tuple(tuple(row) for row in rows)
