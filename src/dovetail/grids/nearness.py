"""Which constraints are near a variable: where a person looks first, and so does an explanation."""

from functools import lru_cache

from .model import Constraint, Model
from .reasons import is_local

WHOLE = 3  # the radius that takes every constraint in
FROM_AFAR = 2  # the radius from which rules about the whole board are looked at
MOST_BEGINNINGS = 4  # of the constraints on a variable, so many are tried as the one a step begins with


class Nearness:
    """Constraints by distance: those on a variable have distance 0, those that share a variable with these 1, …"""

    def __init__(self, model: Model) -> None:
        self._constraints: tuple[Constraint, ...] = model.constraints
        self._wide = [number for number, constraint in enumerate(model.constraints) if not is_local(constraint)]
        self.on: list[list[int]] = [[] for _ in model.domains]
        for number, constraint in enumerate(model.constraints):
            if is_local(constraint):
                for variable in dict.fromkeys(constraint.scope):
                    self.on[variable].append(number)
        self.within = lru_cache(maxsize=None)(self._within)
        self.reach = lru_cache(maxsize=None)(self._reach)

    def orders(self, variable: int, radius: int) -> list[list[int]]:
        """The constraints within a radius in several orders, each with others in front.

        First by distance; then, for some of the constraints on the variable, this one, those that meet it, and only at
        the end the others on the variable: "where else in the row could it be?" instead of "what else could be here?"
        """
        near, own = self.within(variable, radius), self.on[variable]
        found = [list(near)]
        for first in own[:MOST_BEGINNINGS] if radius else ():
            scope = set(self._constraints[first].scope)
            apart = [number for number in near if number not in own]
            meets = [
                n for n in apart if is_local(self._constraints[n]) and not scope.isdisjoint(self._constraints[n].scope)
            ]
            others = [number for number in apart if number not in meets]
            found.append([first, *meets, *others, *(number for number in own if number != first)])
        return found

    def _within(self, variable: int, radius: int) -> tuple[int, ...]:
        """The constraints at most so far away, the nearest first, those about the whole board last."""
        found: dict[int, None] = {}
        seen, edge = {variable}, [variable]
        steps = 0
        while edge and (radius == WHOLE or steps <= radius):
            new = [n for n in dict.fromkeys(n for v in edge for n in self.on[v]) if n not in found]
            found.update(dict.fromkeys(new))
            edge = [v for v in dict.fromkeys(v for n in new for v in self._constraints[n].scope) if v not in seen]
            seen.update(edge)
            steps += 1
        if radius == WHOLE:
            found.update(dict.fromkeys(n for n, c in enumerate(self._constraints) if is_local(c)))
        if radius >= FROM_AFAR:
            found.update(dict.fromkeys(self._wide))
        return tuple(found)

    def _reach(self, variable: int, radius: int) -> frozenset[int]:
        """The variables in the scope of those constraints."""
        return frozenset(v for number in self.within(variable, radius) for v in self._constraints[number].scope)
