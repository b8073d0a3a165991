"""Which constraints and which known values force a value: a model behind switches, asked by a SAT engine.

Every constraint has a switch, a literal that turns its clauses on; every known value is a literal too. A value is
forced by some of them if the opposite contradicts these alone; they are a *minimal core* if none of them can be spared.
Values that the puzzle gives are known values like any other, so their domains are opened first (``opened``).
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain, count
from typing import Self

from .clauses import TRUE
from .crossings import crossings
from .encoding import Encoding
from .model import Constraint, Loop, Model, Paths

CONFLICTS = 1000  # of the engine: what a question is worth that may stay open
GLANCE = 3  # of such a question, the rounds of cuts: most loops that a person sees take no more
WHOLE_BOARD = 3  # what a rule about the whole board weighs: whoever uses it looks at more than at one clue


def given(model: Model) -> dict[int, int]:
    """What the puzzle itself says: the variables of the answer that have only one value, and this value."""
    return {variable: domain[0] for variable, domain in enumerate(model.domains[: model.answers]) if len(domain) == 1}


def opened(model: Model) -> Model:
    """The same with every value open again that the puzzle gives, so that a step can rest on it or not."""
    fixed = given(model)
    values = tuple(sorted(set(chain.from_iterable(model.domains[: model.answers]))))
    domains = tuple(values if variable in fixed else domain for variable, domain in enumerate(model.domains))
    return Model(domains, model.constraints, model.shown, model.names, model.words)


def is_local(constraint: Constraint) -> bool:
    """Whether it is about a few variables that lie together, not about the whole board."""
    return not isinstance(constraint, Loop | Paths)


def weight(constraints: Iterable[Constraint]) -> int:
    """How much it takes to keep these constraints in mind."""
    return sum(1 if is_local(constraint) else WHOLE_BOARD for constraint in constraints)


class Reasons:
    """See the module text. Here, constraints are named by their switch and known values by their literal."""

    def __init__(self, model: Model) -> None:
        from pysat.solvers import Minisat22  # by measurement: its propagation is the quickest to ask

        self.model = opened(model)
        self._encoding = Encoding(self.model, standalone=True)
        self.switches = [self._encoding.new() for _ in model.constraints]
        self._wide = {
            switch: (rule, [self._encoding.on(edge) for edge in rule.scope[: len(rule.ends)]])
            for switch, rule in zip(self.switches, model.constraints, strict=True)
            if isinstance(rule, Loop | Paths)
        }
        self._weights = {
            s: weight([constraint]) for s, constraint in zip(self.switches, model.constraints, strict=True)
        }
        self._engine = Minisat22(bootstrap_with=self._encoding.frame)
        for switch, group in zip(self.switches, self._encoding.groups, strict=True):
            self._add(switch, group)

    def literal(self, variable: int, value: int) -> int:
        """The literal "variable has value"."""
        return self._encoding.literal(variable, value)

    def answer(self, assumed: Sequence[int]) -> tuple[int, ...] | None:
        """Values for all variables that go with these literals, switches among them; None if there are none."""
        return self._encoding.decode(self._engine.get_model()) if self.possible(assumed) else None

    def possible(self, assumed: Sequence[int], rounds: int | None = None) -> bool:
        """Whether these literals go together, switches among them; with ``rounds``, hard questions count as yes."""
        on = [switch for switch in self._wide if switch in assumed]
        for number in count():
            if rounds is None:
                found = self._engine.solve(assumptions=assumed)
            else:
                self._engine.conf_budget(CONFLICTS)
                found = self._engine.solve_limited(assumptions=assumed)
            if found is False:
                return False
            if found is None or not on or number == rounds:
                return True
            true = set(self._engine.get_model())
            cuts = [(switch, crossings(*self._wide[switch], true, set(assumed))) for switch in on]
            if not any(clauses for _, clauses in cuts):
                return True
            for switch, clauses in cuts:
                self._add(switch, clauses)
        raise AssertionError("cuts come to an end: there are only so many answers")

    def implied(self, assumed: Sequence[int]) -> set[int]:
        """The literals that follow at once: by propagation, without any search."""
        possible, literals = self._engine.propagate(assumptions=assumed)
        return set(literals) if possible else set()

    def minimal(self, fixed: Sequence[int], loose: Sequence[int]) -> list[int] | None:
        """Of loose literals that contradict the fixed ones, some that still do, none of which can be spared.

        Those that come late are the first to be given up. None if there is no contradiction.
        """
        needed = list[int]()
        todo = self._part(fixed, loose)
        while todo:
            last = todo.pop()
            part = self._part(fixed, [*needed, *todo])
            if part is None:
                needed.append(last)
            else:
                todo = [literal for literal in part if literal not in needed]
        return None if todo is None else needed

    def small(self, fixed: Sequence[int], loose: Sequence[int], most: int | None = None) -> list[int] | None:
        """The same as far as propagation sees, which is quick; None also if they weigh more than ``most``."""
        needed, heavy = list[int](), 0
        todo = self._part(fixed, loose)
        while todo:
            last = todo.pop()
            fewer = [*needed, *todo]
            if self._engine.propagate(assumptions=[*fixed, *fewer])[0]:
                needed.append(last)
                heavy += self._weights.get(last, 1)
                if most is not None and heavy > most:
                    return None
            else:
                part = self._part(fixed, fewer)
                assert part is not None, "propagation has found the contradiction already"
                todo = [literal for literal in part if literal not in needed]
        return None if todo is None else needed

    def forced(self, known: Collection[int], answer: Sequence[int]) -> set[int]:
        """Variables of the answer that have these values in every answer that goes with the known literals."""
        alike = {variable: self.literal(variable, answer[variable]) for variable in range(self.model.answers)}
        alike = {variable: literal for variable, literal in alike.items() if literal != TRUE}
        while alike:
            asked = self._encoding.new()
            self._engine.add_clause([-asked, *(-literal for literal in alike.values())])
            other = self.answer([*known, *self.switches, asked])
            self._engine.add_clause([-asked])
            if other is None:
                break
            alike = {v: literal for v, literal in alike.items() if other[v] == answer[v]}
        return set(alike)

    def weight(self, switches: Iterable[int]) -> int:
        """What the constraints of these switches weigh."""
        return sum(self._weights[switch] for switch in switches)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.delete()

    def _part(self, fixed: Sequence[int], loose: Sequence[int]) -> list[int] | None:
        """Those of the loose literals that the engine used to contradict the fixed ones, in their order."""
        if self.possible([*fixed, *loose]):
            return None
        core = set(self._engine.get_core() or ())
        return [literal for literal in loose if literal in core]

    def _add(self, switch: int, clauses: Iterable[list[int]]) -> None:
        for clause in clauses:
            self._engine.add_clause([-switch, *clause])
