"""Steps of an explanation, in words: what is so, which constraints leave nothing else, given which known values."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .model import Model
from .reasons import weight

Fact: TypeAlias = tuple[int, int]  # a variable and its value
MOST_FACTS = 4  # spelled out in words; of more, only the number is said
MOST_CONSTRAINTS = 6  # named in words; of more, the last are only counted
# the hardest step weighs at most so much; beyond, one has to try a value and see where it leads
LEVELS = ((3, "easy"), (6, "medium"), (9, "hard"))
GUESS = "needs a guess"


@dataclass(frozen=True)
class Step:
    """One value and what forces it: these constraints with these facts, none of which can be spared.

    ``cost`` is how much the constraints weigh and how many facts there are: cheap steps come first.
    """

    variable: int
    value: int
    constraints: tuple[int, ...]  # their places in the model
    facts: tuple[Fact, ...]
    cost: tuple[int, int]
    text: str


@dataclass(frozen=True)
class Explanation:
    """Steps in order; each rests on what the puzzle gives and on steps before it.

    ``unforced`` are the variables that have different values in different answers: no step can name one.
    """

    steps: tuple[Step, ...]
    unforced: tuple[int, ...] = ()

    @property
    def hardest(self) -> Step | None:
        """The most expensive step."""
        return max(self.steps, key=lambda step: step.cost, default=None)

    @property
    def difficulty(self) -> str:
        """In a word, by the hardest step; several answers cannot be told apart without a guess."""
        heaviest = self.hardest.cost[0] if self.hardest else 0
        return GUESS if self.unforced else next((word for most, word in LEVELS if heaviest <= most), GUESS)


def step(model: Model, variable: int, value: int, constraints: Iterable[int], facts: Iterable[Fact]) -> Step:
    """A step with its cost and its words."""
    used, known = tuple(sorted(constraints)), tuple(sorted(facts))
    cost = (weight(model.constraints[number] for number in used), len(known))
    return Step(variable, value, used, known, cost, in_words(model, variable, value, used, known))


def in_words(model: Model, variable: int, value: int, constraints: Sequence[int], facts: Sequence[Fact]) -> str:
    """The step as a sentence."""
    what = value_name(model, value)
    head = variable_name(model, variable)
    head += f": {what}" if model.words else f" is {what}"
    given = f", given {facts_in_words(model, facts)}" if facts else ""
    if not constraints:
        return _capital(f"{head}; nothing else is possible{given}.")
    why, plural = constraints_in_words(model, constraints)
    return _capital(f"{head}{'; ' if model.words else ': '}{why} leave{'' if plural else 's'} no other choice{given}.")


def constraints_in_words(model: Model, constraints: Sequence[int]) -> tuple[str, bool]:
    """What the constraints are called, and whether that is a plural; two of one name are one thing to a person."""
    names = list(dict.fromkeys(model.constraints[n].about or f"constraint {n + 1}" for n in constraints))
    if len(names) > MOST_CONSTRAINTS:
        names = [*names[: MOST_CONSTRAINTS - 1], f"{len(names) - MOST_CONSTRAINTS + 1} more constraints"]
    return " and ".join(names), len(names) > 1


def facts_in_words(model: Model, facts: Sequence[Fact]) -> str:
    """The facts, those of one value together; many are only counted."""
    if len(facts) > MOST_FACTS:
        return f"{len(facts)} values known there"
    by_value: dict[int, list[str]] = {}
    for variable, value in facts:
        by_value.setdefault(value, []).append(variable_name(model, variable))
    return "; ".join(f"{' and '.join(names)} = {value_name(model, value)}" for value, names in by_value.items())


def variable_name(model: Model, variable: int) -> str:
    """What a variable is called."""
    return model.names[variable] if model.names else f"variable {variable + 1}"


def value_name(model: Model, value: int) -> str:
    """What a value is called."""
    return dict(model.words).get(value, str(value))


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
