"""A model in the words of Z3, twice: whole numbers, and truth values."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import z3

from .encoding import Encoding
from .lazy_cuts import Cuts
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
)

SOME, NONE = z3.sat, z3.unsat


class _Z3Model:
    """A Z3 solver in a context of its own, which may be interrupted from another thread."""

    def __init__(self, logic: str | None, seed: int) -> None:
        self.context = z3.Context()
        self.solver = z3.SolverFor(logic, ctx=self.context) if logic else z3.Solver(ctx=self.context)
        self.solver.set("random_seed", seed % 2**31)

    def limit(self, units: int) -> None:
        """Let the next check do no more than so much; 0 is no limit."""
        self.solver.set("rlimit", units)

    @property
    def units(self) -> int:
        """Z3's count of what it has done so far."""
        statistics = self.solver.statistics()  # none at all of a formula that was refuted while it was read
        return int(dict(statistics[i] for i in range(len(statistics))).get("rlimit count", 0))


class Booleans(_Z3Model):
    """The clauses of ``Encoding``."""

    def __init__(self, model: Model, seed: int = 0) -> None:
        super().__init__("QF_FD", seed)  # finite domains: Z3's own SAT engine
        self._encoding = Encoding(model)
        clauses = [*self._encoding.clauses()]
        lines = (" ".join(map(str, [*clause, 0])) for clause in clauses)
        self.solver.from_string("\n".join([f"p cnf {self._encoding.literals} {len(clauses)}", *lines, ""]))

    def values(self) -> tuple[int, ...]:
        """Of all variables, after a check that found some."""
        model = self.solver.model()
        return self._encoding.decode(
            literal for literal in self._encoding.owned if z3.is_true(model[self._bool(literal)])
        )

    def cut(self, values: Sequence[int]) -> int:
        """Forbid the closed loops of these values, if there are any; how many clauses that took."""
        cuts = [clause for group in self._encoding.cuts(values).values() for clause in group]
        for clause in cuts:
            bools = [self._bool(n) if n > 0 else z3.Not(self._bool(-n)) for n in clause]
            self.solver.add(z3.Or(bools))
        return len(cuts)

    def _bool(self, literal: int) -> Any:
        return z3.Bool(literal, self.context)


class Integers(_Z3Model):
    """A whole number for every variable, and each rule as a textbook writes it down."""

    def __init__(self, model: Model, seed: int = 0) -> None:
        super().__init__(None, seed)
        self._variables = [z3.Int(number, self.context) for number in range(len(model.domains))]
        self._helpers = len(model.domains)
        self._cuts = Cuts(model, lambda edge: edge + 1, self._new, standalone=False)
        for variable, domain in zip(self._variables, model.domains, strict=True):
            self.solver.add(self._within(variable, domain))
        for constraint in model.constraints:
            self.solver.add(*self._rules(constraint, [self._variables[variable] for variable in constraint.scope]))

    def values(self) -> tuple[int, ...]:
        """Of all variables, after a check that found some."""
        model = self.solver.model()
        return tuple(model.eval(variable, model_completion=True).as_long() for variable in self._variables)

    def cut(self, values: Sequence[int]) -> int:
        """Forbid the closed loops of these values, if there are any; how many clauses that took."""
        cuts = [clause for group in self._cuts.broken(values).values() for clause in group]
        for clause in cuts:
            self.solver.add(self._or([self._on(n) if n > 0 else z3.Not(self._on(-n)) for n in clause]))
        return len(cuts)

    def _new(self) -> int:
        """The number of a truth value of its own, beside those that say that a variable is not 0."""
        self._helpers += 1
        return self._helpers

    def _on(self, number: int) -> Any:
        known = number <= len(self._variables)
        return self._variables[number - 1] != 0 if known else z3.Bool(f"helper {number}", self.context)

    def _within(self, variable: Any, domain: tuple[int, ...]) -> Any:
        if domain and len(set(domain)) == max(domain) - min(domain) + 1:
            return z3.And(variable >= min(domain), variable <= max(domain))
        return self._or([variable == value for value in domain])

    def _or(self, parts: list[Any]) -> Any:
        return z3.Or(parts) if parts else z3.BoolVal(False, self.context)

    def _sum(self, parts: list[Any]) -> Any:
        return z3.Sum(parts) if parts else z3.IntVal(0, self.context)

    def _rules(self, constraint: Constraint, scope: list[Any]) -> list[Any]:
        match constraint:
            case AllDifferent():
                return [z3.Distinct(scope)] if scope else []
            case Sum():
                return [_compared(self._sum(scope), constraint.compare, constraint.total)]
            case Product():
                product = z3.Product(scope) if scope else z3.IntVal(1, self.context)
                return [_compared(product, constraint.compare, constraint.total)]
            case Difference():
                left, right = scope
                return [_compared(z3.Abs(left - right), constraint.compare, constraint.total)]
            case Quotient():
                left, right = scope
                larger, smaller = z3.If(left > right, left, right), z3.If(left > right, right, left)
                return [_compared(larger, constraint.compare, constraint.total * smaller)]
            case Count():
                number = self._sum([z3.If(variable == constraint.value, 1, 0) for variable in scope])
                return [_compared(number, constraint.compare, constraint.total)]
            case Clause():
                parts = zip(scope, constraint.values, constraint.wanted, strict=True)
                return [self._or([(v == value) if wanted else (v != value) for v, value, wanted in parts])]
            case Table():
                rows = ([v == value for v, value in zip(scope, row, strict=True)] for row in constraint.rows)
                return [self._or([z3.And(row) for row in rows])]
            case Runs():
                return self._runs(constraint, scope)
            case Loop():
                degrees = [self._sum(edges) for edges in _at_vertices(constraint, scope).values()]
                return [self._sum(scope) >= 1, *(z3.Or(degree == 0, degree == 2) for degree in degrees)]
            case Paths():
                beside = (self._rules(c, [self._variables[v] for v in c.scope]) for c in constraint.beside())
                return [*self._paths(constraint, scope), *chain.from_iterable(beside)]

    def _runs(self, rule: Runs, cells: list[Any]) -> list[Any]:
        """A whole number for where each run begins."""
        begins = [z3.FreshInt("begin", self.context) for _ in rule.runs]
        rules, free = [], z3.IntVal(0, self.context)  # the first cell that a run may begin at
        inside: list[list[tuple[Any, int]]] = [[] for _ in cells]
        for number, (begin, (length, colour)) in enumerate(zip(begins, rule.runs, strict=True)):
            rules.append(begin >= free)
            follows_alike = number + 1 < len(rule.runs) and rule.runs[number + 1][1] == colour
            free = begin + length + (1 if follows_alike else 0)
            for place, parts in enumerate(inside):
                parts.append((z3.And(begin <= place, place < begin + length), colour))
        rules.append(free <= len(cells))
        for cell, parts in zip(cells, inside, strict=True):
            rules += [z3.Implies(covered, cell == colour) for covered, colour in parts]
            rules.append(z3.Or([cell == 0, *(covered for covered, _ in parts)]))
        if any(length < 1 or colour < 1 for length, colour in rule.runs):
            rules.append(z3.BoolVal(False, self.context))
        return rules

    def _paths(self, rule: Paths, scope: list[Any]) -> list[Any]:
        labels, at = scope[len(rule.ends) :], _at_vertices(rule, scope)
        rules = [z3.Implies(edge == 1, labels[a] == labels[b]) for edge, (a, b) in zip(scope, rule.ends, strict=False)]
        for vertex, (terminal, label) in enumerate(zip(rule.terminals, labels, strict=True)):
            degree = self._sum(at.get(vertex, []))
            rules += [label == terminal, degree == 1] if terminal else [degree == z3.If(label == 0, 0, 2)]
        return rules


def _compared(left: Any, compare: Compare, right: Any) -> Any:
    sides = {
        "=": left == right, "!=": left != right, "<": left < right,
        "<=": left <= right, ">": left > right, ">=": left >= right,
    }  # fmt: skip
    return sides[compare]


def _at_vertices(rule: Loop | Paths, scope: Sequence[Any]) -> dict[int, list[Any]]:
    at: dict[int, list[Any]] = {}
    for edge, ends in zip(scope, rule.ends, strict=False):
        for vertex in ends:
            at.setdefault(vertex, []).append(edge)
    return at
