"""Our model in the words of CPMpy, and our answer in its variables.

Helping variables follow from the others, so that no answer comes twice.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import chain
from operator import mul
from typing import Any

import cpmpy as cp
from cpmpy.expressions.variables import _BoolVarImpl
from cpmpy.solvers.solver_interface import ExitStatus, SolverStatus
from cpmpy.transformations.get_variables import get_variables_model

from .model import (
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
    compares,
)

STATUS = {"complete": ExitStatus.FEASIBLE, "proved_none": ExitStatus.UNSATISFIABLE}
NEVER = [cp.BoolVal(False)]


class Writer:
    """``model`` is CPMpy's, ``variables`` are its variables in the order of ours."""

    def __init__(self, model: Model) -> None:
        self.model = cp.Model()
        self._domains = model.domains
        self.variables = [self._variable(domain) for domain in model.domains]
        for constraint in model.constraints:
            self._add(self._rules(constraint, [self.variables[variable] for variable in constraint.scope]))
        mentioned = {variable.name for variable in get_variables_model(self.model)}
        for variable in self.variables:
            if variable.name not in mentioned:  # CPMpy gives no value to a variable that no constraint is about
                self._add([variable >= variable.lb])

    def has(self, variable: int, value: int) -> Any:
        """Whether the variable has the value."""
        domain = set(self._domains[variable])
        if value not in domain or domain == {value}:
            return cp.BoolVal(value in domain)
        one = self.variables[variable]
        if domain == {0, 1}:
            return one if value else ~one
        return one == value

    def _add(self, rules: list[Any]) -> None:
        for rule in rules:
            self.model.add(rule)

    def _variable(self, domain: tuple[int, ...]) -> Any:
        values = sorted(set(domain)) or [0]
        if not domain:
            self._add(NEVER)
        if values == [0, 1]:
            return cp.boolvar()
        variable = cp.intvar(values[0], values[-1])
        if len(values) < values[-1] - values[0] + 1:
            self._add([cp.InDomain(variable, values)])
        return variable

    def _rules(self, constraint: Constraint, scope: list[Any]) -> list[Any]:
        match constraint:
            case AllDifferent():
                return [cp.AllDifferent(scope)] if len(scope) > 1 else []
            case Sum():
                return _compared(cp.sum(scope), constraint.compare, constraint.total)
            case Product():
                return _compared(reduce(mul, scope, 1), constraint.compare, constraint.total)
            case Difference():
                left, right = scope
                return _compared(cp.abs(left - right), constraint.compare, constraint.total)
            case Quotient():
                return _compared(cp.max(scope), constraint.compare, constraint.total * cp.min(scope))
            case Count():
                having = [self.has(variable, constraint.value) for variable in constraint.scope]
                return _compared(_how_many(having), constraint.compare, constraint.total)
            case Clause():
                parts = zip(constraint.scope, constraint.values, constraint.wanted, strict=True)
                literals = [self.has(v, value) if wanted else ~self.has(v, value) for v, value, wanted in parts]
                return [cp.any(literals)] if literals else NEVER
            case Table():
                return [cp.Table(scope, [list(row) for row in constraint.rows])] if constraint.rows else NEVER
            case Runs():
                return _runs(constraint, scope)
            case Loop():
                return self._loop(constraint)
            case Paths():
                beside = (self._rules(clause, []) for clause in constraint.beside())  # clauses go by their own scope
                return [*self._paths(constraint, scope), *chain.from_iterable(beside)]

    def _loop(self, rule: Loop) -> list[Any]:
        """Counted off from the first vertex on the loop, in both directions."""
        near = self._near(rule)
        used = {vertex: cp.boolvar() for vertex in sorted(near)}
        rules = [_how_many([on for on, _ in near[vertex]]) == 2 * on_loop for vertex, on_loop in used.items()]
        first, before = {}, cp.BoolVal(False)
        for vertex, on_loop in used.items():
            first[vertex] = on_loop & ~before
            after = cp.boolvar()
            rules.append(after == (before | on_loop))
            before = after
        return [*rules, before, *_counted_off(near, used, first)]

    def _paths(self, rule: Paths, scope: list[Any]) -> list[Any]:
        """Counted off from the first terminal of each path."""
        near, labels = self._near(rule), rule.scope[len(rule.ends) :]
        rules: list[Any] = []
        begins: set[int] = set()
        for vertex, terminal in enumerate(rule.terminals):
            edges = _how_many([on for on, _ in near.setdefault(vertex, [])])
            if terminal:
                rules += [self.has(labels[vertex], terminal), *_compared(edges, "=", 1)]
                begins |= {vertex} if terminal not in rule.terminals[:vertex] else set()
            else:
                rules += _compared(edges, "=", 2 - 2 * _how_many([self.has(labels[vertex], 0)]))
        for vertex, parts in near.items():
            one = scope[len(rule.ends) + vertex]
            rules += [on.implies(one == scope[len(rule.ends) + other]) for on, other in parts if vertex < other]
        used = {vertex: ~self.has(labels[vertex], 0) for vertex in near}
        return rules + _counted_off(near, used, {vertex: cp.BoolVal(vertex in begins) for vertex in near})

    def _near(self, rule: Loop | Paths) -> dict[int, list[tuple[Any, int]]]:
        """At each vertex, its edges (whether they are on) and where they lead."""
        near: dict[int, list[tuple[Any, int]]] = {}
        for edge, (a, b) in zip(rule.scope, rule.ends, strict=False):
            on = ~self.has(edge, 0)
            near.setdefault(a, []).append((on, b))
            near.setdefault(b, []).append((on, a))
        return near


def put_back(
    cpmpy_model: Any,
    variables: Sequence[Any],
    values: Sequence[int | None] | None,
    solver: str,
    status: str,
    seconds: float,
) -> None:
    """Into the user's variables, as CPMpy's own solvers do, with what ``cpmpy_model.status()`` says."""
    for number, variable in enumerate(variables):
        value = None if values is None else values[number]
        is_truth = isinstance(variable, _BoolVarImpl) and value is not None
        variable._value = bool(value) if is_truth else value
    cpmpy_model.cpm_status = SolverStatus(solver)
    cpmpy_model.cpm_status.exitstatus = STATUS.get(status, ExitStatus.UNKNOWN)
    cpmpy_model.cpm_status.runtime = seconds


def _counted_off(near: dict[int, list[tuple[Any, int]]], used: dict[int, Any], first: dict[int, Any]) -> list[Any]:
    """Every vertex in use can be reached from a first one: it is 0 there, and elsewhere one more than next to it.

    Numbers along an edge differ by 1 at most, so they are the distances: there is one way to choose them.
    """
    number = {vertex: cp.intvar(0, max(1, len(near) - 1)) for vertex in near}
    rules = []
    for vertex, parts in near.items():
        rules.append((first[vertex] | ~used[vertex]).implies(number[vertex] == 0))
        nearer = [on & (number[other] == number[vertex] - 1) for on, other in parts]
        reached = cp.any(nearer) if nearer else cp.BoolVal(False)
        rules.append((used[vertex] & ~first[vertex]).implies(reached))
        rules += [on.implies(number[vertex] <= number[other] + 1) for on, other in parts]
    return rules


def _runs(rule: Runs, cells: list[Any]) -> list[Any]:
    """A number for where each run begins."""
    if sum(length for length, _ in rule.runs) > len(cells) or any(min(run) < 1 for run in rule.runs):
        return NEVER
    begins = [cp.intvar(0, len(cells) - length) for length, _ in rule.runs]
    rules: list[Any] = []
    for number, (length, colour) in enumerate(rule.runs[:-1]):
        gap = int(rule.runs[number + 1][1] == colour)
        rules.append(begins[number] + length + gap <= begins[number + 1])
    for place, cell in enumerate(cells):
        covers = [
            ((begin <= place) & (begin > place - length), colour)
            for begin, (length, colour) in zip(begins, rule.runs, strict=True)
        ]
        rules += [covered.implies(cell == colour) for covered, colour in covers]
        rules.append(cp.any([cell == 0, *(covered for covered, _ in covers)]))
    return rules


def _how_many(truths: list[Any]) -> Any:
    """The number of them that hold; those that are settled are plain numbers, which every engine can add."""
    settled = sum(bool(truth.value()) for truth in truths if isinstance(truth, cp.BoolVal))
    return cp.sum([settled, *(truth for truth in truths if not isinstance(truth, cp.BoolVal))])


def _compared(left: Any, compare: Compare, right: Any) -> list[Any]:
    if isinstance(left, int) and isinstance(right, int):  # of nothing
        return [] if compares(left, compare, right) else NEVER
    sides = {
        "=": left == right, "!=": left != right, "<": left < right,
        "<=": left <= right, ">": left > right, ">=": left >= right,
    }  # fmt: skip
    return [sides[compare]]
