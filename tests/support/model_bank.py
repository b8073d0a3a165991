"""Tiny models of every constraint and every comparison, and how many answers they have, by trying everything."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, get_args

from dovetail.grids.kind import GridPuzzle
from dovetail.grids.model import (
    AllDifferent,
    Clause,
    Compare,
    Constraint,
    Count,
    Difference,
    Loop,
    Model,
    Paths,
    Product,
    Quotient,
    Runs,
    Sum,
    Table,
    holds,
    implication,
)

COMPARES: tuple[Compare, ...] = get_args(Compare)
Ends = tuple[tuple[int, int], ...]


def over(values: range | tuple[int, ...], count: int, *constraints: Constraint, shown: int | None = None) -> Model:
    """So many variables of one domain."""
    return Model((tuple(values),) * count, constraints, shown)


def grid_ends(rows: int, cols: int) -> Ends:
    """The edges between neighbouring vertices of a grid: those along rows first, as the puzzles number them."""
    along = [(r * cols + c, r * cols + c + 1) for r in range(rows) for c in range(cols - 1)]
    down = [(r * cols + c, (r + 1) * cols + c) for r in range(rows - 1) for c in range(cols)]
    return (*along, *down)


def latin(n: int) -> tuple[AllDifferent, ...]:
    """Rows and columns that differ."""
    rows = [tuple(r * n + c for c in range(n)) for r in range(n)]
    return tuple(AllDifferent(line) for line in [*rows, *zip(*rows, strict=True)])


def loop(rows: int, cols: int, *others: Constraint, fixed: dict[int, int] | None = None) -> Model:
    """Loops along the edges of a grid of vertices."""
    ends = grid_ends(rows, cols)
    domains = tuple((fixed[edge],) if edge in (fixed or {}) else (0, 1) for edge in range(len(ends)))  # type: ignore[index]
    return Model(domains, (*others, Loop(tuple(range(len(ends))), ends)))


def clue(rows: int, cols: int, row: int, col: int, total: int) -> Count:
    """So many edges around one cell, on a grid of so many vertices."""
    along = rows * (cols - 1)
    above, left = row * (cols - 1) + col, along + row * cols + col
    return Count((above, above + cols - 1, left, left + 1), 1, "=", total)


def paths(rows: int, cols: int, terminals: tuple[int, ...], fill: bool, direct: bool = False) -> Model:
    """Paths on a grid; the links are the answer, the labels help."""
    ends = grid_ends(rows, cols)
    labels = tuple(sorted({label for label in terminals if label}))
    free = labels if fill else (0, *labels)
    domains = (*((0, 1) for _ in ends), *((label,) if label else free for label in terminals))
    return Model(domains, (Paths(tuple(range(len(domains))), ends, terminals, direct=direct),), shown=len(ends))


def nonogram(*lines: tuple[tuple[int, int], ...], rows: int, colours: int) -> Model:
    """The clues of all rows, then of all columns."""
    cols = len(lines) - rows
    cells = [tuple(r * cols + c for c in range(cols)) for r in range(rows)]
    scopes = [*cells, *zip(*cells, strict=True)]
    runs = tuple(Runs(scope, line) for scope, line in zip(scopes, lines, strict=True))
    return Model((tuple(range(colours + 1)),) * (rows * cols), runs)


@dataclass(frozen=True)
class Bare(GridPuzzle):
    """A model as a puzzle, for solvers."""

    bare: Model
    kind: ClassVar[str] = "bare"
    size: ClassVar[str] = "some"

    def encode(self) -> dict[str, Any]:
        return {}

    def model(self) -> Model:
        return self.bare


def bank() -> Iterator[tuple[str, Model]]:
    """Every model by its name."""
    yield "free", over((0, 1), 3)
    yield "free, uneven domains", Model(((3,), (0, 5), (1, 2, 9)), ())
    yield "an empty domain", Model(((0, 1), ()), ())
    yield "nothing at all", Model((), ())
    yield "some are not shown", over(range(3), 3, Sum((0, 1, 2), "=", 3), shown=1)
    yield "all shown are given", Model(((1,), (0, 1), (0, 1)), (Count((0, 1, 2), 1, ">=", 2),), shown=1)
    for compare in COMPARES:
        yield f"sum of two {compare}", over((0, 1, 3), 2, Sum((0, 1), compare, 3))
        yield f"sum of three {compare}", over((1, 2, 4), 3, Sum((0, 1, 2), compare, 6))
        yield f"sum of five {compare}", over((0, 1, 2, 5), 5, Sum((0, 1, 2, 3, 4), compare, 8))
        yield f"sum of different {compare}", over((1, 2, 3, 5), 3, AllDifferent((0, 1, 2)), Sum((0, 1, 2), compare, 8))
        yield f"product of two {compare}", over((0, 2, 3), 2, Product((0, 1), compare, 6))
        yield f"product of three {compare}", over((0, 1, 2, 3), 3, Product((0, 1, 2), compare, 6))
        yield f"product of five {compare}", over((1, 2, 3, 4), 5, Product((0, 1, 2, 3, 4), compare, 24))
        yield f"difference {compare}", over((0, 1, 2, 5), 2, Difference((0, 1), compare, 2))
        yield f"quotient {compare}", over((0, 1, 2, 3, 6), 2, Quotient((0, 1), compare, 2))
        yield f"count {compare}", over((0, 1, 2), 4, Count((0, 1, 2, 3), 2, compare, 2))
        yield f"count of many {compare}", over((0, 1), 10, Count(tuple(range(10)), 1, compare, 4))
    yield "sum, one variable", over((1, 2, 3), 1, Sum((0,), ">", 1))
    yield "sum, the same twice", over((1, 2, 3), 3, AllDifferent((0, 1)), Sum((0, 0, 1), "=", 5))
    yield "sum, total below zero", over((0, 1), 3, Sum((0, 1, 2), ">", -3), Sum((0, 1, 2), "!=", -1))
    yield "product is zero", over((0, 1, 2), 3, Product((0, 1, 2), "=", 0))
    yield "product, some differ", over((1, 2, 3, 4), 4, *latin(2), Product((0, 1, 2), "=", 12))
    yield "count, none", over((0, 1, 2), 3, Count((0, 1, 2), 1, "=", 0))
    yield "count, all", over((0, 1, 2), 3, Count((0, 1, 2), 1, ">=", 3))
    yield "count, at most one of many", over((0, 1), 10, Count(tuple(range(10)), 1, "<=", 1))
    yield "count, all but one of many", over((0, 1), 10, Count(tuple(range(10)), 1, ">=", 9))
    yield "count, too many", over((0, 1), 3, Count((0, 1, 2), 1, ">", 3))
    yield "count, some are given", Model(((1,), (0,), (0, 1), (0, 1)), (Count((0, 1, 2, 3), 1, "=", 2),))
    yield "latin square", over((1, 2, 3), 9, *latin(3))
    yield "latin square with givens", Model(((1,), *((1, 2, 3),) * 7, (2,)), latin(3))
    yield "all different with room", over(range(5), 3, AllDifferent((0, 1, 2)))
    yield "all different of many", over(range(10), 3, AllDifferent((0, 1, 2)))
    yield "more than there are values", over((4, 7), 3, AllDifferent((0, 1, 2)))
    yield "two givens clash", Model(((1,), (1,), (0, 1)), (AllDifferent((0, 1)),))
    yield (
        "sudoku, 4x4",
        Model(
            tuple((v,) if v else (1, 2, 3, 4) for v in (1, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 0)),
            (*latin(4), *(AllDifferent(tuple(a + b for b in (0, 1, 4, 5))) for a in (0, 2, 8, 10))),
        ),
    )
    yield "calcudoku, 3x3", over(
        (1, 2, 3), 9, *latin(3),
        Sum((0, 1, 3), "=", 5), Product((2, 5), "=", 3), Difference((4, 7), "=", 2), Quotient((6, 8), "<=", 2),
    )  # fmt: skip
    yield "clause", over((0, 1, 2), 3, Clause((0, 1, 2), (0, 2, 1), (True, False, True)))
    yield "clause of nothing", over((0, 1), 2, Clause((), (), ()))
    yield "clause, one is out of the domain", over((0, 1), 2, Clause((0, 1), (7, 1), (True, True)))
    yield "implications", over((0, 1, 2), 3, implication(0, 1, 1, 2), implication(1, 2, 2, 0))
    yield "table of pairs", over((0, 1, 2), 2, Table((0, 1), ((0, 1), (2, 2), (1, 9))))
    yield "table of switches", over((0, 1), 4, Table((0, 1, 2, 3), ((0, 1, 1, 0), (1, 1, 1, 1), (0, 0, 0, 0))))
    yield "table of rows", over((1, 2, 3), 3, Table((0, 1, 2), ((1, 2, 3), (3, 3, 3), (1, 2, 3), (2, 1, 2))))
    yield "table of nothing", over((0, 1, 2), 3, Table((0, 1, 2), ()))
    yield "line of runs", over((0, 1), 7, Runs(tuple(range(7)), ((2, 1), (1, 1))))
    yield "line without a run", over((0, 1), 4, Runs((0, 1, 2, 3), ()))
    yield "line too short", over((0, 1), 4, Runs((0, 1, 2, 3), ((2, 1), (2, 1))))
    yield "line just long enough", over((0, 1), 5, Runs((0, 1, 2, 3, 4), ((2, 1), (2, 1))))
    yield "line of colours", over((0, 1, 2), 6, Runs(tuple(range(6)), ((1, 1), (2, 2), (1, 2))))
    yield "line with a colour nobody has", over((0, 1), 4, Runs((0, 1, 2, 3), ((1, 2),)))
    yield "line, some are given", Model(((0, 1), (1,), (0, 1), (0, 1), (0,)), (Runs((0, 1, 2, 3, 4), ((2, 1),)),))
    one, two = ((1, 1),), ((1, 1), (1, 1))
    yield "nonogram", nonogram(two, one, one, two, (), ((2, 1),), rows=3, colours=1)
    yield "nonogram, two answers", nonogram(one, one, one, one, rows=2, colours=1)
    yield (
        "nonogram, coloured",
        nonogram(((1, 1), (2, 2)), ((1, 2),), ((1, 1),), ((2, 2),), ((1, 2),), rows=2, colours=2),
    )
    yield "loops, 2x2 cells", loop(3, 3)
    yield "loops, 2x3 cells", loop(3, 4)
    yield "loops, a clue", loop(3, 4, clue(3, 4, 0, 1, 2))
    yield "loops, two clues that may both be alone", loop(3, 4, clue(3, 4, 0, 0, 3), clue(3, 4, 1, 2, 1))
    # a loop of one cell is an answer, and so are two such loops but for the rule that there is one
    yield "loops around cells", loop(2, 6, Count((10, 15), 1, "<=", 2), Count((0, 4), 1, ">=", 1))
    yield "loops, an edge is off", loop(3, 3, fixed={0: 0})
    yield "loops, an edge is on", loop(3, 4, fixed={0: 1, 8: 1})
    corner, middle = ((0, 0), (1, 1)), ((0, 0, 0, 0), (1, 0, 1, 0), (0, 1, 0, 1), (0, 1, 1, 0))
    yield "loops, what a corner means anyway", loop(3, 3, Table((0, 6), corner), Count((0, 6), 1, "!=", 1))
    yield "loops, what the middle does not mean", loop(3, 3, Table((2, 3, 7, 10), middle))
    yield "loops, none", loop(2, 3, clue(2, 3, 0, 0, 0), clue(2, 3, 0, 1, 0))
    yield "paths, one", paths(3, 3, (1, 0, 0, 0, 0, 0, 0, 0, 1), fill=False)
    yield "paths, one fills all", paths(3, 3, (1, 0, 0, 0, 0, 0, 0, 0, 1), fill=True)
    yield "paths, two", paths(3, 3, (1, 0, 2, 0, 0, 0, 1, 0, 2), fill=False)
    yield "paths, two fill all", paths(3, 3, (1, 0, 2, 0, 0, 0, 1, 0, 2), fill=True)
    apart = Paths((0, 1, 2, 3, 4, 5), ((0, 1), (1, 2)), (1, 0, 1, 0))  # nothing leads to the last vertex
    yield "paths, a vertex without an edge", Model(((0, 1), (0, 1), (1,), (0, 1), (1,), (0, 1)), (apart,), shown=2)
    yield "paths, nothing to join", Model(((0, 1), (0,), (0,)), (Paths((0, 1, 2), ((0, 1),), (0, 0)),), shown=1)
    yield "paths, one that never passes beside itself", paths(3, 3, (1, 0, 0, 0, 0, 0, 0, 0, 1), False, direct=True)
    yield "paths, two that never pass beside themselves", paths(3, 3, (1, 0, 2, 0, 0, 0, 1, 0, 2), False, direct=True)
    yield "paths, crossed", paths(2, 2, (1, 2, 2, 1), fill=False)
    yield "paths, room for a loop", paths(2, 4, (1, 1, 0, 0, 0, 0, 0, 0), fill=True)
    yield "paths, room for a loop beside", paths(3, 4, (1, 0, 0, 0, 1, 0, 0, 0, 2, 2, 0, 0), fill=False)


BANK: dict[str, Model] = dict(bank())


def implied(model: Model) -> Iterator[Constraint]:
    """What loops and paths mean for the edges of one vertex: nothing new, but it spares trying most of them."""
    for rule in model.constraints:
        if not isinstance(rule, Loop | Paths):
            continue
        for vertex in {vertex for ends in rule.ends for vertex in ends}:
            edges = tuple(edge for edge, ends in zip(rule.scope, rule.ends, strict=False) if vertex in ends)
            terminal = isinstance(rule, Paths) and rule.terminals[vertex] > 0
            yield Count(edges, 1, "<=", 1 if terminal else 2)
            yield Count(edges, 1, "=" if terminal else "!=", 1)
            if isinstance(rule, Paths):
                label = rule.scope[len(rule.ends) + vertex]
                yield from (implication(label, 0, edge, 0) for edge in edges)
                yield Clause((label, *edges), (0, *(1 for _ in edges)), (True, *(True for _ in edges)))


def brute_answers(model: Model) -> set[tuple[int, ...]]:
    """Every answer (the shown variables), by trying all values and asking each constraint what it means."""
    due: list[list[Constraint]] = [[] for _ in range(len(model.domains) + 1)]
    for constraint in (*model.constraints, *implied(model)):
        due[max(constraint.scope, default=-1) + 1].append(constraint)
    found: set[tuple[int, ...]] = set()
    values = [0] * len(model.domains)

    def fill(count: int) -> None:
        if not all(holds(constraint, values) for constraint in due[count]):
            return
        if count == len(values):
            found.add(tuple(values[: model.answers]))
            return
        for value in set(model.domains[count]):
            values[count] = value
            fill(count + 1)

    fill(0)
    return found


@cache
def brute_count(model: Model) -> int:
    """How many answers there are."""
    return len(brute_answers(model))
