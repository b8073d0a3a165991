"""A model as clauses: one literal for every value of every variable, and the way back.

The clauses of each constraint are a group of their own, so that an explanation can switch constraints on and off one by
one. What loops and paths need beyond single vertices is added when an answer lacks it (``cuts``).
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain, combinations, islice, product
from math import comb, prod

from .clauses import TRUE, Clauses, at_most_one, chosen_set, counted, line_of_runs, listed, read_by, supports, tidied
from .lazy_cuts import Cuts, corners, loop_clauses, path_clauses, two_or_none
from .machines import adding_up
from .model import (
    AllDifferent,
    Clause,
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

MOST_ROWS = 80  # rows up to which sums and products are listed; above, a machine adds up
MOST_SETS = 150  # the same for sets of values
MOST_BINARY = 6  # variables of two values up to which a table is said by what it forbids


class Encoding:
    """See the module text. ``groups[i]`` are the clauses of ``model.constraints[i]``, ``frame`` those of the domains.

    With ``standalone`` a group says all that its constraint says, and follows from it and the domains alone. Without, a
    sum may know that its variables differ, because another constraint says so, and what a loop says is not said twice.
    """

    def __init__(self, model: Model, standalone: bool = False) -> None:
        self.model = model
        self.literals = TRUE  # so many are in use
        self.frame: Clauses = [[TRUE]]
        self._choices = [self._choice(domain) for domain in model.domains]
        self._different: dict[int, set[int]] = {}  # variable → the all-different constraints it is in
        self._corners: set[tuple[int, ...]] = set()  # the edges of a vertex where a loop or path has two or none
        for number, constraint in enumerate(() if standalone else model.constraints):
            if isinstance(constraint, AllDifferent):
                for variable in constraint.scope:
                    self._different.setdefault(variable, set()).add(number)
            elif isinstance(constraint, Loop | Paths):
                self._corners |= corners(constraint)
        self._cuts = Cuts(model, self.on, self.new, standalone)
        self.groups = [[] if self._follows(c) else tidied(self._encode(c)) for c in model.constraints]

    def new(self) -> int:
        """A literal that means nothing yet."""
        self.literals += 1
        return self.literals

    def literal(self, variable: int, value: int) -> int:
        """The literal "variable has value"; TRUE or -TRUE where its domain settles that."""
        return self._choices[variable].get(value, -TRUE)

    def on(self, variable: int) -> int:
        """The literal "variable is not 0"."""
        return -self._choices[variable].get(0, -TRUE)

    def clauses(self) -> Iterable[list[int]]:
        """The whole formula, apart from cuts."""
        yield from self.frame
        for group in self.groups:
            yield from group

    def decode(self, true: Iterable[int]) -> tuple[int, ...]:
        """The values, from the literals that hold (negative ones may be left out)."""
        values = self._otherwise.copy()
        owned = self.owned
        for literal in true:
            if literal in owned:
                variable, value = owned[literal]
                values[variable] = value
        return tuple(values)

    def cuts(self, values: Sequence[int]) -> dict[int, Clauses]:
        """What loops and paths still lack in these values: new clauses by number of the constraint."""
        return self._cuts.broken(values)

    def other_than(self, values: Sequence[int]) -> list[int]:
        """A clause that forbids this answer and no other, whatever the variables that are not shown."""
        shown = [*range(self.model.answers)]
        if self._loop_shown:  # no loop contains another, so its own edges tell it from all others
            shown = [variable for variable in shown if values[variable]]
        return (tidied([[-self.literal(variable, values[variable]) for variable in shown]]) or [[-TRUE]])[0]

    @cached_property
    def owned(self) -> dict[int, tuple[int, int]]:
        """Literal → variable and value, for all that are not settled, each once: no negations."""
        return {
            literal: (variable, value)
            for variable, choice in enumerate(self._choices)
            for value, literal in choice.items()
            if literal > TRUE
        }

    @cached_property
    def _otherwise(self) -> list[int]:
        """The values when no literal holds: where there are two, the one that is said by a negation."""
        return [min(choice, default=0) for choice in self._choices]

    @cached_property
    def _loop_shown(self) -> bool:
        """Whether the answer is a loop and nothing else."""
        shown = set(range(self.model.answers))
        binary = all(set(self.model.domains[variable]) <= {0, 1} for variable in shown)
        return binary and any(isinstance(rule, Loop) and set(rule.scope) == shown for rule in self.model.constraints)

    def _choice(self, domain: tuple[int, ...]) -> dict[int, int]:
        values = sorted(set(domain))
        if len(values) == 1:
            return {values[0]: TRUE}
        if len(values) == 2:
            literal = self.new()
            return {values[0]: -literal, values[1]: literal}
        choice = {value: self.new() for value in values}
        literals = list(choice.values())
        self.frame += [literals or [-TRUE], *at_most_one(literals, self.new)]
        return choice

    def _follows(self, constraint: Constraint) -> bool:
        """Whether it says of the edges at one vertex only what a loop or path says of them anyway."""
        if not isinstance(constraint, Table) or tuple(sorted(constraint.scope)) not in self._corners:
            return False
        binary = all(set(self._choices[edge]) <= {0, 1} for edge in constraint.scope)
        return binary and two_or_none(len(constraint.scope)).issubset(constraint.rows)

    def _encode(self, constraint: Constraint) -> Clauses:
        choices = [self._choices[variable] for variable in constraint.scope]
        match constraint:
            case AllDifferent():
                return self._all_different(choices)
            case Sum() | Product():
                return self._total(constraint, choices)
            case Difference():
                return supports(choices, lambda a, b: compares(abs(a - b), constraint.compare, constraint.total))
            case Quotient():
                return supports(
                    choices, lambda a, b: compares(max(a, b), constraint.compare, constraint.total * min(a, b))
                )
            case Count():
                literals = [choice.get(constraint.value, -TRUE) for choice in choices]
                return counted(literals, constraint.compare, constraint.total, self.new)
            case Clause():
                literals = [choice.get(value, -TRUE) for choice, value in zip(choices, constraint.values, strict=True)]
                return [[a if wanted else -a for a, wanted in zip(literals, constraint.wanted, strict=True)]]
            case Table():
                return self._table(choices, constraint.rows)
            case Runs():
                return line_of_runs(choices, constraint.runs, self.new)
            case Loop():
                return loop_clauses(constraint, self.on)
            case Paths():
                beside = (self._encode(clause) for clause in constraint.beside())
                return [*path_clauses(constraint, self.on, choices, self.new), *chain.from_iterable(beside)]

    def _all_different(self, choices: list[dict[int, int]]) -> Clauses:
        by_value: dict[int, list[int]] = {}
        for choice in choices:
            for value, literal in choice.items():
                by_value.setdefault(value, []).append(literal)
        if len(by_value) < len(choices):
            return [[-TRUE]]
        clauses = [clause for literals in by_value.values() for clause in at_most_one(literals, self.new)]
        return clauses + list(by_value.values()) if len(by_value) == len(choices) else clauses

    def _total(self, constraint: Sum | Product, choices: list[dict[int, int]]) -> Clauses:
        compare, total = constraint.compare, constraint.total
        whole = sum if isinstance(constraint, Sum) else prod
        if len(choices) == 2:
            return supports(choices, lambda a, b: compares(whole((a, b)), compare, total))
        values = sorted({value for choice in choices for value in choice})
        if self._all_apart(constraint.scope) and comb(len(values), len(choices)) <= MOST_SETS:
            sets = (some for some in combinations(values, len(choices)) if compares(whole(some), compare, total))
            return chosen_set(choices, sets, self.new)
        machine = adding_up(constraint, choices)
        earlier = [
            [before for before in range(place) if self._apart(constraint.scope[before], variable)]
            for place, variable in enumerate(constraint.scope)
        ]

        def fits(row: tuple[int, ...]) -> bool:
            return all(row[place] != row[-1] for place in earlier[len(row) - 1])

        rows = list(islice(machine.rows(fits), MOST_ROWS + 1))
        return listed(choices, rows, self.new) if len(rows) <= MOST_ROWS else read_by(machine, choices, self.new)

    def _table(self, choices: list[dict[int, int]], rows: tuple[tuple[int, ...], ...]) -> Clauses:
        allowed = set(rows)
        if len(choices) == 2:
            return supports(choices, lambda a, b: (a, b) in allowed)
        if len(choices) <= MOST_BINARY and all(len(choice) <= 2 for choice in choices):
            return [
                [-choice[value] for choice, value in zip(choices, row, strict=True)]
                for row in product(*choices)
                if row not in allowed
            ]
        return listed(choices, dict.fromkeys(rows), self.new)

    def _apart(self, one: int, other: int) -> bool:
        """Whether another constraint says that these two variables differ."""
        return one != other and not self._different.get(one, set()).isdisjoint(self._different.get(other, ()))

    def _all_apart(self, scope: tuple[int, ...]) -> bool:
        shared = set.intersection(*(self._different.get(variable, set()) for variable in scope)) if scope else set()
        return bool(shared) and len(set(scope)) == len(scope)
