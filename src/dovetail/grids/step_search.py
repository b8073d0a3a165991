"""The next step of an explanation: the cheapest reason that forces a value, among all open variables.

First come values that one constraint alone forces. Where there are none, the engine is asked about every open variable
with the constraints near it, then with those farther away, until some of them force a value. What was found stays true
as facts are added, so only variables near a new fact are looked at again.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from .model import Model
from .nearness import WHOLE, Nearness
from .reasons import GLANCE, Reasons, is_local
from .steps import Step, step

BEYOND = 10**9
# with the constraints within this radius, a step that weighs at most so much is not worth looking farther for
ENOUGH = {0: 3, 1: 6, 2: 12, WHOLE: BEYOND}
FEW = 2  # where no constraint forces a value alone, there is no cheaper step than one of this weight


class _Found(NamedTuple):
    """What forces a variable: its cost, the switches of constraints, the literals of facts.

    None of it can be spared as far as propagation sees: quick to find, so that many can be compared.
    """

    cost: tuple[int, int]
    variable: int
    switches: list[int]
    facts: list[int]


class StepSearch:
    """What is known, what is still open, and the best reason found so far for each open variable."""

    def __init__(self, model: Model, reasons: Reasons, known: Mapping[int, int], answer: Sequence[int]) -> None:
        """``answer`` is one that goes with what is known."""
        self.model = model
        self.reasons = reasons
        self.near = Nearness(model)
        self.answer = answer
        self.known = {variable: reasons.literal(variable, value) for variable, value in known.items()}
        forced = reasons.forced(self.known.values(), answer)
        self.open = {v: reasons.literal(v, answer[v]) for v in sorted(forced) if v not in known}
        self.unforced = tuple(v for v in range(model.answers) if v not in forced and v not in known)
        self.found: dict[int, _Found] = {}
        self.changed = {number for number, constraint in enumerate(model.constraints) if is_local(constraint)}
        self.stale = {radius: set(self.open) for radius in ENOUGH}

    def learn(self, variable: int) -> None:
        """An open variable is known from now on."""
        self.known[variable] = self.open.pop(variable)
        self.found.pop(variable, None)
        self.changed.update(self.near.on[variable])
        for radius, stale in self.stale.items():
            stale.update(self.open if radius == WHOLE else self.open.keys() & self.near.reach(variable, radius))

    def cheapest(self) -> Step:
        """The next step, if any variable is open."""
        self._look_at_single_constraints()
        if self._least() > FEW:
            for radius, enough in ENOUGH.items():
                self._look_around(radius)
                if self._least() <= enough:
                    break
        return self._step(min(self.found.values()))

    def _least(self) -> int:
        """What the cheapest step found so far weighs."""
        return min((found.cost[0] for found in self.found.values()), default=BEYOND)

    def _look_at_single_constraints(self) -> None:
        for number in sorted(self.changed):
            scope, switch = self.model.constraints[number].scope, self.reasons.switches[number]
            implied = self.reasons.implied([switch, *self._facts(scope)])
            for variable in scope:
                if self.open.get(variable) in implied:
                    self._note(variable, [switch])
        self.changed.clear()

    def _look_around(self, radius: int) -> None:
        """Every open variable near which something has changed, with the constraints within a radius."""
        stale, most, switches = self.stale[radius], self._least(), self.reasons.switches
        rounds = None if radius == WHOLE else GLANCE  # only there a step must be found
        for variable in sorted(stale & self.open.keys()):
            fixed = [-self.open[variable], *self._facts(self.near.reach(variable, radius))]
            on = [switches[number] for number in self.near.within(variable, radius)]
            if self.reasons.possible([*fixed, *on], rounds):
                continue
            least, allowed = None, most
            for order in self.near.orders(variable, radius):
                core = self.reasons.small(fixed, [switches[number] for number in order], allowed)
                if core is not None:
                    least, allowed = core, self.reasons.weight(core) - 1
            if least is not None:
                self._note(variable, least)
                most = allowed + 1
        stale.clear()

    def _note(self, variable: int, switches: list[int]) -> None:
        """Keep what forces a variable, if it is the cheapest so far."""
        facts = self.reasons.small([-self.open[variable], *switches], self._facts_for(switches))
        assert facts is not None
        cost = (self.reasons.weight(switches), len(facts))
        if variable not in self.found or cost < self.found[variable].cost:
            self.found[variable] = _Found(cost, variable, switches, facts)

    def _step(self, found: _Found) -> Step:
        """What was found as a step, now truly minimal."""
        against = -self.open[found.variable]
        switches = self.reasons.minimal([against, *self._facts_for(found.switches)], found.switches)
        assert switches is not None
        fewer = len(switches) < len(found.switches)
        facts = self.reasons.minimal([against, *switches], self._facts_for(switches) if fewer else found.facts)
        assert facts is not None
        used = [(variable, self.answer[variable]) for variable, literal in self.known.items() if literal in facts]
        numbers = map(self.reasons.switches.index, switches)
        return step(self.model, found.variable, self.answer[found.variable], numbers, used)

    def _facts(self, scope: Collection[int]) -> list[int]:
        """What is known of these variables, in the order of learning."""
        return [literal for variable, literal in self.known.items() if variable in scope]

    def _facts_for(self, switches: Iterable[int]) -> list[int]:
        """What is known of the variables of these constraints: nothing else can matter to them."""
        numbers = map(self.reasons.switches.index, switches)
        return self._facts({variable for number in numbers for variable in self.model.constraints[number].scope})
