"""Rules over literals as clauses: at most one, counts, tables, and rules that a small machine reads value by value.

A literal is a number other than 0, its negation the negative number; TRUE and -TRUE stand for what is settled. Builders
may leave these two in their clauses: ``tidied`` takes them out. ``New`` makes a literal that means nothing yet.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from math import comb
from typing import TypeAlias

from .machines import Machine, adding_up
from .model import Compare, Sum

TRUE = 1
PAIRWISE = 9  # up to so many literals, forbidding each pair is the smaller way to say "at most one"
MOST_SUBSETS = 60  # clauses up to which a count is said by subsets; above, a machine counts
Clauses: TypeAlias = list[list[int]]
New: TypeAlias = Callable[[], int]
Choices: TypeAlias = Sequence[Mapping[int, int]]  # place by place, the literal of each value


def tidied(clauses: Iterable[list[int]]) -> Clauses:
    """Without clauses that hold anyway and literals that do not; one that cannot hold becomes just -TRUE."""
    return [
        clause if -TRUE not in clause else [literal for literal in clause if literal != -TRUE] or [-TRUE]
        for clause in clauses
        if TRUE not in clause
    ]


def at_most_one(literals: Sequence[int], new: New) -> Clauses:
    """No two of them: by pairs, or along a ladder whose rungs say "one up to here"."""
    if TRUE in literals:
        rest = list(literals)
        rest.remove(TRUE)
        return [[-literal] for literal in rest]
    if len(literals) <= PAIRWISE:
        return [[-a, -b] for a, b in combinations(literals, 2)]
    clauses, rung = [], literals[0]
    for literal in literals[1:-1]:
        above = new()
        clauses += [[-rung, -literal], [-rung, above], [-literal, above]]
        rung = above
    return [*clauses, [-rung, -literals[-1]]]


def counted(literals: Sequence[int], compare: Compare, total: int, new: New) -> Clauses:
    """How many of them hold compares with ``total``."""
    total -= sum(literal == TRUE for literal in literals)
    free = [literal for literal in literals if abs(literal) != TRUE]
    n = len(free)
    if compare == "!=":
        if not 0 <= total <= n:
            return []
        if comb(n, total) <= MOST_SUBSETS:
            return [_not_exactly(free, chosen) for chosen in combinations(range(n), total)]
        return _machine_counts(free, compare, total, new)
    least = {"=": total, ">=": total, ">": total + 1}.get(compare, 0)
    most = {"=": total, "<=": total, "<": total - 1}.get(compare, n)
    if least > n or most < 0:
        return [[-TRUE]]
    upper, lower = _at_most(free, most, new), _at_most([-literal for literal in free], n - least, new)
    return _machine_counts(free, compare, total, new) if upper is None or lower is None else upper + lower


def supports(choices: Choices, allowed: Callable[[int, int], bool]) -> Clauses:
    """Two variables: each value of one needs a value of the other that goes with it."""
    left, right = choices
    clauses = [[-a, *(b for y, b in right.items() if allowed(x, y))] for x, a in left.items()]
    return clauses + [[-b, *(a for x, a in left.items() if allowed(x, y))] for y, b in right.items()]


def listed(choices: Choices, rows: Iterable[Sequence[int]], new: New) -> Clauses:
    """The values are one of the rows; a new literal for each row, so that nothing a row rules out is missed."""
    needing: list[dict[int, list[int]]] = [{literal: [] for literal in choice.values()} for choice in choices]
    picks, clauses = [], []
    for row in rows:
        literals = [choice.get(value, -TRUE) for choice, value in zip(choices, row, strict=True)]
        if -TRUE in literals:
            continue
        pick = new()
        picks.append(pick)
        for place, literal in enumerate(literals):
            clauses.append([-pick, literal])
            needing[place][literal].append(pick)
    clauses += [[-literal, *some] for place in needing for literal, some in place.items()]
    return [*clauses, picks or [-TRUE]]


def chosen_set(choices: Choices, allowed: Iterable[tuple[int, ...]], new: New) -> Clauses:
    """Variables that differ anyway take, in some order, the values of one of the allowed sets.

    A set that is chosen uses each of its values, so it is the very set of values used.
    """
    by_value: dict[int, list[int]] = {}
    for choice in choices:
        for value, literal in choice.items():
            by_value.setdefault(value, []).append(literal)
    containing: dict[int, list[int]] = {value: [] for value in by_value}
    picks, clauses = [], []
    for values in allowed:
        pick = new()
        picks.append(pick)
        for value, literals in by_value.items():
            if value in values:
                containing[value].append(pick)
                clauses.append([-pick, *literals])
            else:
                clauses += [[-pick, -literal] for literal in literals]
    clauses += [[-literal, *containing[value]] for value, literals in by_value.items() for literal in literals]
    return [*clauses, picks or [-TRUE]]


def read_by(machine: Machine, choices: Choices, new: New) -> Clauses:
    """A new literal for every state of every layer: where the values lead, and which of them lead there."""
    if not machine.possible:
        return [[-TRUE]]
    found: Clauses = []
    at = {machine.start: TRUE}
    for place, (choice, moves) in enumerate(zip(choices, machine.layers, strict=True)):
        reached = sorted({after for edges in moves.values() for after in edges.values()})
        last = place == len(choices) - 1
        then = {state: TRUE if last or len(reached) == 1 else new() for state in reached}
        into: dict[tuple[int, int], list[int]] = {(after, value): [] for after in reached for value in choice}
        by: dict[int, list[int]] = {value: [] for value in choice}
        for state, edges in moves.items():
            found.append([-at[state], *(choice[value] for value in edges)])
            for value, literal in choice.items():
                after = edges.get(value)
                found.append([-at[state], -literal, -TRUE if after is None else then[after]])
                if after is not None:
                    into[after, value].append(at[state])
                    by[value].append(at[state])
        found += [[-choice[value], *states] for value, states in by.items()]
        if not last:
            found += [[-then[after], -choice[value], *states] for (after, value), states in into.items()]
            found += [list(then.values()), *([-a, -b] for a, b in combinations(then.values(), 2))]
        at = then
    return found


def line_of_runs(cells: Choices, runs: Sequence[tuple[int, int]], new: New) -> Clauses:
    """A line of a nonogram. New literals say for each run "it begins here or before"; all other clauses are short.

    A cell that run j reaches and has not left has its colour; one between the end of run j and the beginning of the
    next is empty. So the cells follow from the beginnings, and the beginnings from the cells.
    """
    apart = [int(a[1] == b[1]) for a, b in pairwise(runs)]
    slack = len(cells) - sum(length for length, _ in runs) - sum(apart)
    if slack < 0 or any(length < 1 or colour < 1 for length, colour in runs):
        return [[-TRUE]]
    clauses: Clauses = []
    empty = [cell.get(0, -TRUE) for cell in cells]
    first, left = 0, _Begun(-len(cells), [])  # of nobody: everything lies behind it
    for run, (length, colour) in enumerate(runs):
        begun = _Begun(first, [new() for _ in range(slack)])
        clauses += [[-a, b] for a, b in zip(begun.literals, begun.literals[1:], strict=False)]
        gap = apart[run - 1] if run else 0
        if run:  # not before the run before it has ended
            clauses += [[-b, a] for a, b in zip(left.literals, begun.literals, strict=True)]
        for cell in range(first, first + slack + length):
            clauses.append([-begun.by(cell), begun.by(cell - length), cells[cell].get(colour, -TRUE)])
        for cell in range(max(0, first - gap), first + slack):
            clauses.append([-left.by(cell), begun.by(cell), empty[cell]])
        first += length + (apart[run] if run < len(apart) else 0)
        left = _Begun(begun.first + length, begun.literals)
    clauses += [[-left.by(cell), empty[cell]] for cell in range(max(0, left.first), len(cells))]
    return clauses


class _Begun:
    """The literals "at this place or before", for a range of places; settled before and after it."""

    def __init__(self, first: int, literals: list[int]) -> None:
        self.first = first
        self.literals = literals

    def by(self, place: int) -> int:
        """Whether it has begun at this place or before."""
        if place < self.first:
            return -TRUE
        at = place - self.first
        return self.literals[at] if at < len(self.literals) else TRUE


def _at_most(literals: Sequence[int], most: int, new: New) -> Clauses | None:
    """No more than so many of them, unless that takes too many clauses."""
    if most >= len(literals):
        return []
    if most == 1:
        return at_most_one(literals, new)
    if most and comb(len(literals), most + 1) > MOST_SUBSETS:
        return None
    return [list(some) for some in combinations([-literal for literal in literals], most + 1)]


def _not_exactly(literals: Sequence[int], chosen: tuple[int, ...]) -> list[int]:
    some = set(chosen)
    return [-literal if place in some else literal for place, literal in enumerate(literals)]


def _machine_counts(literals: Sequence[int], compare: Compare, total: int, new: New) -> Clauses:
    machine = adding_up(Sum(tuple(range(len(literals))), compare, total), [(0, 1)] * len(literals))
    return read_by(machine, [{0: -literal, 1: literal} for literal in literals], new)
