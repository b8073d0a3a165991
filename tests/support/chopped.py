"""A run cut short again and again, and taken up from what it said of itself, by way of bytes."""

from collections.abc import Callable, Iterable

from dovetail.core.solver import Budget, Clock, Outcome, Run
from dovetail.core.state import packed, unpacked


def whole(begin: Callable[[Clock], Run], budget: Budget) -> Outcome:
    """The outcome of a run that nobody disturbs."""
    outcome, _ = driven(begin, Clock(budget), None)
    assert outcome is not None
    return outcome


def chopped(begin: Callable[[Clock], Run], budget: Budget, glances: Iterable[int]) -> tuple[Outcome, int]:
    """The outcome of a run that is cut off after so many glances each time, and how often it went on from a state.

    In between it comes to the end of smaller budgets, too.
    """
    assert budget.steps is not None
    state, resumed, share = None, 0, 1000
    for most in glances:
        clock = _clock(Budget(steps=budget.steps // share), state)
        resumed += clock.kept is not None
        outcome, after = driven(begin, clock, most)
        state = after or state
        if outcome is not None and outcome.status in ("complete", "proved_none"):
            return outcome, resumed
        if outcome is not None:
            share = max(1, share // 10)
    clock = _clock(budget, state)
    outcome, _ = driven(begin, clock, None)
    assert outcome is not None
    return outcome, resumed + (clock.kept is not None)


def _clock(budget: Budget, saved: bytes | None) -> Clock:
    clock = Clock(budget)
    if saved is not None:
        state = unpacked(saved)
        clock.resume(state["clock"], state["solver"])
    return clock


def driven(begin: Callable[[Clock], Run], clock: Clock, most: int | None) -> tuple[Outcome | None, bytes | None]:
    """Up to so many glances: the outcome, if it came to one, and the state after it, if the solver tells."""
    run, outcome, number = begin(clock), None, 0
    try:
        while most is None or number < most:
            next(run)
            number += 1
    except StopIteration as ended:
        outcome = ended.value
    state = None
    if clock.snapshot is not None and (outcome is None or outcome.status not in ("complete", "proved_none")):
        state = packed({"clock": clock.spent(), "solver": clock.snapshot()})
    run.close()
    return outcome, state
