"""A logic puzzle as plain data: ⟨X, D, C⟩ = variables, finite domains, constraints (Kiarostami et al. 2021, 3.1.1).

A variable is its index. A value is a whole number from 0 to 63, so that a domain fits one machine word. A constraint is
a function and a scope; its class is the function, ``scope`` names the variables. ``about`` says in the words of the
puzzle what the constraint stands for ("row 3", "the clue 2 in row 1, column 4"): explanations quote it.

Engines know these classes and no puzzle; puzzles know these classes and no engine.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal, TypeAlias

from ..core import limits

MOST_VALUE = limits.MODEL_VALUE
Compare: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class AllDifferent:
    """No two of the scope are equal."""

    scope: tuple[int, ...]
    about: str = ""


@dataclass(frozen=True)
class Sum:
    """The sum of the scope compares with ``total``."""

    scope: tuple[int, ...]
    compare: Compare
    total: int
    about: str = ""


@dataclass(frozen=True)
class Product:
    """The product of the scope compares with ``total``."""

    scope: tuple[int, ...]
    compare: Compare
    total: int
    about: str = ""


@dataclass(frozen=True)
class Difference:
    """Of two variables, the larger minus the smaller compares with ``total``."""

    scope: tuple[int, int]
    compare: Compare
    total: int
    about: str = ""


@dataclass(frozen=True)
class Quotient:
    """Of two variables, the larger is so many times the smaller: larger compares with ``total`` × smaller."""

    scope: tuple[int, int]
    compare: Compare
    total: int
    about: str = ""


@dataclass(frozen=True)
class Count:
    """How many of the scope have ``value`` compares with ``total``: exactly, at most, at least k."""

    scope: tuple[int, ...]
    value: int
    compare: Compare
    total: int
    about: str = ""


@dataclass(frozen=True)
class Clause:
    """At least one holds: variable ``scope[i]`` has value ``values[i]`` (or, where ``wanted[i]`` is False, has not)."""

    scope: tuple[int, ...]
    values: tuple[int, ...]
    wanted: tuple[bool, ...]
    about: str = ""


@dataclass(frozen=True)
class Table:
    """The values of the scope are one of the rows."""

    scope: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    about: str = ""


@dataclass(frozen=True)
class Runs:
    """A line of a nonogram: runs of (length, colour) in this order, value 0 between them.

    Two runs of one colour have at least one 0 between them; runs of different colours may touch.
    """

    scope: tuple[int, ...]
    runs: tuple[tuple[int, int], ...]
    about: str = ""


@dataclass(frozen=True)
class Loop:
    """The edges with value 1 are one closed loop, and there is at least one; ``ends[i]`` joins edge ``scope[i]``.

    Every vertex has two such edges or none.
    """

    scope: tuple[int, ...]
    ends: tuple[tuple[int, int], ...]
    about: str = ""


@dataclass(frozen=True)
class Paths:
    """Edges and labels of a graph: the edges with value 1 are paths between equal terminals, and nothing else.

    The scope is first the edges (0 or 1; ``ends[i]`` are the two vertices of edge i), then one label for every vertex.
    ``terminals[v]`` is the label of a terminal, 0 of any other vertex; every label has two terminals. A terminal has
    one edge; any other vertex has two and the label of its path, or none and the label 0 (its domain says whether 0 is
    allowed: without it every vertex must be visited). With ``direct`` no path passes beside itself: two neighbours of
    one label are joined.
    """

    scope: tuple[int, ...]
    ends: tuple[tuple[int, int], ...]
    terminals: tuple[int, ...]
    about: str = ""
    direct: bool = False

    def beside(self) -> tuple[Clause, ...]:
        """What ``direct`` adds, in plain words, for engines that have no better ones."""
        labels = self.scope[len(self.ends) :]
        return tuple(
            Clause((edge, labels[a], labels[b]), (1, label, label), (True, False, False))
            for edge, (a, b) in zip(self.scope, self.ends, strict=False)
            for label in sorted(set(self.terminals) - {0})
            if self.direct
        )


Constraint: TypeAlias = (
    AllDifferent | Sum | Product | Difference | Quotient | Count | Clause | Table | Runs | Loop | Paths
)


def implication(variable: int, value: int, then: int, then_value: int, about: str = "") -> Clause:
    """If the one variable has the one value, the other has the other."""
    return Clause((variable, then), (value, then_value), (False, True), about)


@dataclass(frozen=True)
class Model:
    """⟨X, D, C⟩. ``shown``: so many variables, the first, are the answer; the others help (None: all are the answer).

    ``names[i]`` says what variable i is, for explanations ("row 1, column 2"); ``words`` says what a value means
    where it is not simply a number (0: "no line", 1: "a line").

    ``implied`` follow from the constraints: engines that propagate see more with them, all others leave them out.

    Puzzles of one size should share one ``constraints`` tuple where their clues are domains (all 9×9 sudokus do):
    it is compiled once for all of them.
    """

    domains: tuple[tuple[int, ...], ...]
    constraints: tuple[Constraint, ...]
    shown: int | None = None
    names: tuple[str, ...] = ()
    words: tuple[tuple[int, str], ...] = ()
    implied: tuple[Constraint, ...] = ()

    def __post_init__(self) -> None:
        for variable, domain in enumerate(self.domains):
            if any(not 0 <= value <= MOST_VALUE for value in domain):
                raise ValueError(f"variable {variable}: values are 0 to {MOST_VALUE}")
        for constraint in (*self.constraints, *self.implied):
            if any(not 0 <= variable < len(self.domains) for variable in constraint.scope):
                raise ValueError(f"{constraint.about or constraint}: there is no such variable")

    @property
    def answers(self) -> int:
        """How many variables are the answer."""
        return len(self.domains) if self.shown is None else self.shown


def compares(left: int, compare: Compare, right: int) -> bool:
    """Whether the comparison holds."""
    match compare:
        case "=":
            return left == right
        case "!=":
            return left != right
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right


def holds(constraint: Constraint, values: Sequence[int]) -> bool:
    """Whether a constraint is met by a value for every variable of the model: what it means, in plain Python."""
    of = [values[variable] for variable in constraint.scope]
    match constraint:
        case AllDifferent():
            return len(set(of)) == len(of)
        case Sum():
            return compares(sum(of), constraint.compare, constraint.total)
        case Product():
            return compares(prod(of), constraint.compare, constraint.total)
        case Difference():
            return compares(max(of) - min(of), constraint.compare, constraint.total)
        case Quotient():
            return compares(max(of), constraint.compare, constraint.total * min(of))
        case Count():
            return compares(of.count(constraint.value), constraint.compare, constraint.total)
        case Clause():
            return any((a == b) == want for a, b, want in zip(of, constraint.values, constraint.wanted, strict=True))
        case Table():
            return tuple(of) in constraint.rows
        case Runs():
            return runs_of(of) == list(constraint.runs)
        case Loop():
            return _is_loop([ends for ends, value in zip(constraint.ends, of, strict=True) if value])
        case Paths():
            return _are_paths(constraint, of)


def runs_of(line: Iterable[int]) -> list[tuple[int, int]]:
    """The runs of (length, colour) of a line, 0 left out."""
    found: list[tuple[int, int]] = []
    before = 0
    for value in line:
        if value and value == before:
            found[-1] = (found[-1][0] + 1, value)
        elif value:
            found.append((1, value))
        before = value
    return found


def _neighbours(edges: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    near: dict[int, list[int]] = {}
    for a, b in edges:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    return near


def _reached(near: dict[int, list[int]], start: int) -> set[int]:
    seen, waiting = {start}, [start]
    while waiting:
        for other in near.get(waiting.pop(), ()):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen


def _is_loop(edges: list[tuple[int, int]]) -> bool:
    near = _neighbours(edges)
    return bool(edges) and all(len(n) == 2 for n in near.values()) and len(_reached(near, edges[0][0])) == len(near)


def _are_paths(constraint: Paths, of: list[int]) -> bool:
    count = len(constraint.ends)
    near = _neighbours(ends for ends, value in zip(constraint.ends, of[:count], strict=True) if value)
    labels = of[count:]
    for vertex, (terminal, label) in enumerate(zip(constraint.terminals, labels, strict=True)):
        others = near.get(vertex, [])
        if terminal and (label != terminal or len(others) != 1):
            return False
        if not terminal and len(others) != (2 if label else 0):
            return False
        if any(labels[other] != label for other in others):
            return False
    if constraint.direct and any(
        not value and labels[a] and labels[a] == labels[b]
        for (a, b), value in zip(constraint.ends, of[:count], strict=True)
    ):
        return False
    ends = [vertex for vertex, terminal in enumerate(constraint.terminals) if terminal]
    on_paths: set[int] = set()
    for vertex in ends:
        on_paths |= _reached(near, vertex)
    return len(on_paths) == sum(label > 0 for label in labels)  # no loop beside the paths
