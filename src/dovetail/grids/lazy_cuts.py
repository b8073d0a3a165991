"""Loops and paths: what holds at every vertex is said beforehand; closed loops are forbidden when an answer has them.

Why a cut forbids no solution. Say C are the edges of a closed loop beside others. Every vertex has two edges or none,
so an answer of the rule Loop that has all of C has no other edge at a vertex of C; being connected, it *is* C. Hence

- where C alone breaks another constraint, no solution has all of C: "some edge of C is off" is safe;
- otherwise C may be a solution. A new literal means "the loop is C": "some edge of C is off, or the loop is C; if it
  is, every other edge is off" holds in every solution, C itself included, and not for C beside another loop.

In Paths a closed loop is never allowed, since every vertex on an edge is joined to terminals: the first form is safe.
Measured on slitherlinks of up to 25×30, all loops of an answer at once need the fewest rounds; adding "some edge leaves
the vertices of C" as well gained nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations

from .clauses import TRUE, Clauses, New, at_most_one
from .model import Constraint, Loop, Model, Paths, holds


def closed_loops(ends: Sequence[tuple[int, int]], on: Sequence[bool]) -> list[list[int]]:
    """The closed loops among edges that are on, as lists of edges; no vertex has more than two of them."""
    near: dict[int, list[int]] = {}
    for edge, (a, b) in enumerate(ends):
        if on[edge]:
            near.setdefault(a, []).append(edge)
            near.setdefault(b, []).append(edge)
    loops, seen = [], set()
    loose = [vertex for vertex, edges in near.items() if len(edges) == 1]
    for begin in (*loose, *near):  # paths first: what is left then is closed
        edge = near[begin][0]
        if edge in seen:
            continue
        path, vertex = [], begin
        while edge not in seen:
            seen.add(edge)
            path.append(edge)
            a, b = ends[edge]
            vertex = b if a == vertex else a
            edge = near[vertex][-1] if near[vertex][0] == edge else near[vertex][0]
        if vertex == begin:
            loops.append(path)
    return loops


def corners(rule: Loop | Paths) -> set[tuple[int, ...]]:
    """The edges of every vertex that has two of them on or none, in ascending order."""
    at: dict[int, list[int]] = {}
    for edge, ends in zip(rule.scope, rule.ends, strict=False):
        for vertex in ends:
            if isinstance(rule, Loop) or not rule.terminals[vertex]:
                at.setdefault(vertex, []).append(edge)
    return {tuple(sorted(edges)) for edges in at.values()}


@cache
def two_or_none(edges: int) -> frozenset[tuple[int, ...]]:
    """All ways in which two of so many edges are on, or none."""
    return frozenset(tuple(int(edge in on) for edge in range(edges)) for on in [(), *combinations(range(edges), 2)])


def loop_clauses(rule: Loop, on: Callable[[int], int]) -> Clauses:
    """Two edges at every vertex or none, and some edge at all."""
    clauses: Clauses = [[on(edge) for edge in rule.scope]]
    for edges in _at_vertices(rule, on).values():
        clauses += _not_three(edges)
        clauses += [[*edges[:i], -edge, *edges[i + 1 :]] for i, edge in enumerate(edges)]
    return clauses


def path_clauses(rule: Paths, on: Callable[[int], int], choices: Sequence[Mapping[int, int]], new: New) -> Clauses:
    """One edge at a terminal, two or none elsewhere, and equal labels at both ends of an edge."""
    labels = choices[len(rule.ends) :]
    at = _at_vertices(rule, on)
    clauses: Clauses = []
    for vertex, (terminal, label) in enumerate(zip(rule.terminals, labels, strict=True)):
        edges = at.get(vertex, [])
        if terminal:
            clauses += [[label.get(terminal, -TRUE)], edges or [-TRUE], *at_most_one(edges, new)]
            continue
        unused = label.get(0, -TRUE)
        clauses += [[-unused, -edge] for edge in edges] + _not_three(edges)
        clauses += [[unused, *edges[:i], *edges[i + 1 :]] for i in range(len(edges))] or [[unused]]
    for edge, (a, b) in zip(rule.scope, rule.ends, strict=False):
        off = -on(edge)
        for one, other in ((labels[a], labels[b]), (labels[b], labels[a])):
            clauses += [[off, -literal, other.get(value, -TRUE)] for value, literal in one.items() if value]
    return clauses


class Cuts:
    """Finds what a model's loops and paths still lack in an answer that meets everything said beforehand."""

    def __init__(self, model: Model, on: Callable[[int], int], new: Callable[[], int], standalone: bool) -> None:
        """``on(variable)`` is the literal of an edge; ``standalone``: a cut must follow from its constraint alone."""
        self.rules = [(i, c) for i, c in enumerate(model.constraints) if isinstance(c, Loop | Paths)]
        self._model, self._on, self._new, self._standalone = model, on, new, standalone
        self._within: dict[int, list[Constraint]] = {}

    def broken(self, values: Sequence[int]) -> dict[int, Clauses]:
        """By the number of the constraint, clauses that it implies and these values break; none if all is well."""
        found: dict[int, Clauses] = {}
        for number, rule in self.rules:
            loops = closed_loops(rule.ends, [values[edge] != 0 for edge in rule.scope[: len(rule.ends)]])
            if isinstance(rule, Loop) and len(loops) < 2:
                continue
            cuts = [clause for loop in loops for clause in self._cut(number, rule, {rule.scope[e] for e in loop})]
            if cuts:
                found[number] = cuts
        return found

    def _cut(self, number: int, rule: Loop | Paths, edges: set[int]) -> Clauses:
        off = [-self._on(edge) for edge in sorted(edges)]
        if isinstance(rule, Paths) or self._never_alone(number, rule, edges):
            return [off]
        alone = self._new()
        return [[*off, alone], *([-alone, -self._on(edge)] for edge in rule.scope if edge not in edges)]

    def _never_alone(self, number: int, rule: Loop, edges: set[int]) -> bool:
        """Whether a loop of just these edges breaks a constraint about edges only, or an edge that must be on."""
        if self._standalone:
            return False
        if number not in self._within:
            scope = set(rule.scope)
            self._within[number] = [c for c in self._model.constraints if c is not rule and scope.issuperset(c.scope)]
        values = [0] * len(self._model.domains)
        for edge in edges:
            values[edge] = 1
        fixed = any(values[edge] not in self._model.domains[edge] for edge in rule.scope)
        return fixed or not all(holds(constraint, values) for constraint in self._within[number])


def _at_vertices(rule: Loop | Paths, on: Callable[[int], int]) -> dict[int, list[int]]:
    """The literals of the edges at each vertex."""
    at: dict[int, list[int]] = {}
    for edge, (a, b) in zip(rule.scope, rule.ends, strict=False):
        literal = on(edge)
        at.setdefault(a, []).append(literal)
        at.setdefault(b, []).append(literal)
    return at


def _not_three(edges: list[int]) -> Clauses:
    return [[-a, -b, -c] for a, b, c in combinations(edges, 3)]
