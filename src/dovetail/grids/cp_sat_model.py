"""A model in the words of OR-Tools' CP-SAT: all different, linear sums, tables, automata, one circuit."""

from itertools import islice
from typing import Any

from ortools.sat.python import cp_model

from .machines import Machine, adding_up, reading_runs
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

MOST_ROWS = 1000  # rows up to which a product is a table; above, an automaton


class CpSatModel:
    """``model`` is CP-SAT's, ``variables`` are its variables in the order of ours."""

    def __init__(self, model: Model) -> None:
        self.model = cp_model.CpModel()
        self._domains = model.domains
        self.variables = [self._variable(domain) for domain in model.domains]
        self._values: dict[tuple[int, int], Any] = {}  # the literals "variable has value"
        for constraint in model.constraints:
            self._add(constraint)

    @property
    def counters(self) -> dict[str, float]:
        """How large it became."""
        proto = self.model.proto
        return {"variables": len(proto.variables), "constraints": len(proto.constraints)}

    def has(self, variable: int, value: int) -> Any:
        """The literal "variable has value"."""
        domain = self._domains[variable]
        if value not in domain:
            return self.model.new_constant(0)
        if (variable, value) not in self._values:
            integer = self.variables[variable]
            if set(domain) <= {0, 1}:
                literal = integer if value else ~integer
            else:
                literal = self.model.new_bool_var("")
                self.model.add(integer == value).only_enforce_if(literal)
                self.model.add(integer != value).only_enforce_if(~literal)
            self._values[variable, value] = literal
        return self._values[variable, value]

    def _variable(self, domain: tuple[int, ...]) -> Any:
        if not domain:
            self._never()
        if not set(domain) <= {0, 1}:
            return self.model.new_int_var_from_domain(cp_model.Domain.from_values(sorted(domain)), "")
        switch = self.model.new_bool_var("")
        if len(set(domain)) == 1:
            self.model.add(switch == domain[0])
        return switch

    def _never(self) -> None:
        self.model.add_bool_or([])

    def _add(self, constraint: Constraint) -> None:
        model, scope = self.model, [self.variables[variable] for variable in constraint.scope]
        match constraint:
            case AllDifferent():
                model.add_all_different(scope)
            case Sum():
                self._compare(sum(scope), constraint.compare, constraint.total)
            case Product():
                machine = adding_up(constraint, self._domains_of(constraint))
                rows = [*islice(machine.rows(), MOST_ROWS + 1)]
                if len(rows) <= MOST_ROWS:
                    self._one_of(scope, rows)
                else:
                    self._read(scope, machine)
            case Difference() | Quotient():
                left, right = self._domains_of(constraint)
                self._one_of(scope, [(a, b) for a in left for b in right if _pair(constraint, a, b)])
            case Count():
                of_value = sum(self.has(variable, constraint.value) for variable in constraint.scope)
                self._compare(of_value, constraint.compare, constraint.total)
            case Clause():
                literals = [self.has(v, value) for v, value in zip(constraint.scope, constraint.values, strict=True)]
                wanted = zip(literals, constraint.wanted, strict=True)
                model.add_bool_or([literal if want else ~literal for literal, want in wanted])
            case Table():
                self._one_of(scope, list(constraint.rows))
            case Runs():
                self._read(scope, reading_runs(constraint, self._domains_of(constraint)))
            case Loop():
                self._loop(constraint)
            case Paths():
                self._paths(constraint)
                for clause in constraint.beside():
                    self._add(clause)

    def _domains_of(self, constraint: Constraint) -> list[tuple[int, ...]]:
        return [self._domains[variable] for variable in constraint.scope]

    def _compare(self, left: Any, compare: Compare, total: int) -> None:
        if isinstance(left, int):  # the scope is empty
            if not compares(left, compare, total):
                self._never()
            return
        sides = {
            "=": left == total, "!=": left != total, "<": left < total,
            "<=": left <= total, ">": left > total, ">=": left >= total,
        }  # fmt: skip
        self.model.add(sides[compare])

    def _one_of(self, scope: list[Any], rows: list[tuple[int, ...]]) -> None:
        if rows:
            self.model.add_allowed_assignments(scope, rows)
        else:
            self._never()

    def _read(self, scope: list[Any], machine: Machine) -> None:
        if not machine.possible:
            self._never()
            return
        numbers: dict[tuple[int, int], int] = {}
        triples = [
            (
                numbers.setdefault((place, state), len(numbers)),
                value,
                numbers.setdefault((place + 1, after), len(numbers)),
            )
            for place, moves in enumerate(machine.layers)
            for state, edges in moves.items()
            for value, after in edges.items()
        ]
        last = len(machine.layers)
        final = [numbers[last, state] for state in machine.final]
        if scope:
            self.model.add_automaton(scope, numbers[0, machine.start], final, triples)

    def _loop(self, rule: Loop) -> None:
        """One circuit through some of the vertices; the others are left out by an arc to themselves."""
        self.model.add_bool_or([~self.has(edge, 0) for edge in rule.scope])
        at = self._at_vertices(rule)
        left_out = [(vertex, vertex, self.model.new_bool_var("")) for vertex in at]
        for vertex, _, out in left_out:  # follows from the circuit, and is seen sooner
            self.model.add(sum(at[vertex]) == 2 * ~out)
        self._circuit([*self._arcs(rule, set(), set()), *left_out])

    def _paths(self, rule: Paths) -> None:
        """One circuit, too: from the end of each path on to the beginning of the next. Labels are kept along edges."""
        labels = rule.scope[len(rule.ends) :]
        terminals: dict[int, list[int]] = {}
        for vertex, label in enumerate(rule.terminals):
            if label:
                self.model.add(self.variables[labels[vertex]] == label)
                terminals.setdefault(label, []).append(vertex)
        for edge, (a, b) in zip(rule.scope, rule.ends, strict=False):
            same = self.model.add(self.variables[labels[a]] == self.variables[labels[b]])
            same.only_enforce_if(~self.has(edge, 0))
            if not terminals:  # no path, and the circuit would allow a loop
                self.model.add(self.has(edge, 0) == 1)
        begins, ends = [pair[0] for pair in terminals.values()], [pair[-1] for pair in terminals.values()]
        joined = [
            (end, begin, self.model.new_constant(1)) for end, begin in zip(ends, begins[1:] + begins[:1], strict=True)
        ]
        unused = [(v, v, self.has(labels[v], 0)) for v, label in enumerate(rule.terminals) if not label]
        at = self._at_vertices(rule)
        for vertex, _, out in unused:
            self.model.add(sum(at.get(vertex, [])) == 2 * ~out)
        for vertex in (*begins, *ends):
            self.model.add_exactly_one(at.get(vertex, []))
        self._circuit([*self._arcs(rule, set(ends), set(begins)), *joined, *unused])

    def _at_vertices(self, rule: Loop | Paths) -> dict[int, list[Any]]:
        at: dict[int, list[Any]] = {}
        for edge, ends in zip(rule.scope, rule.ends, strict=False):
            for vertex in ends:
                at.setdefault(vertex, []).append(~self.has(edge, 0))
        return at

    def _arcs(self, rule: Loop | Paths, not_from: set[int], not_to: set[int]) -> list[tuple[int, int, Any]]:
        """An edge that is on is passed in one of the directions allowed."""
        arcs = []
        for edge, (a, b) in zip(rule.scope, rule.ends, strict=False):
            ways = [(x, y) for x, y in ((a, b), (b, a)) if x not in not_from and y not in not_to]
            own = [(x, y, self.model.new_bool_var("")) for x, y in ways]
            self.model.add(sum(passed for _, _, passed in own) == ~self.has(edge, 0))
            arcs += own
        return arcs

    def _circuit(self, arcs: list[tuple[int, int, Any]]) -> None:
        numbers = {vertex: number for number, vertex in enumerate(sorted({end for arc in arcs for end in arc[:2]}))}
        if arcs:
            self.model.add_circuit([(numbers[a], numbers[b], passed) for a, b, passed in arcs])


def _pair(constraint: Difference | Quotient, a: int, b: int) -> bool:
    if isinstance(constraint, Difference):
        return compares(abs(a - b), constraint.compare, constraint.total)
    return compares(max(a, b), constraint.compare, constraint.total * min(a, b))
