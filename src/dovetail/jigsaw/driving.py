"""Long work in slices, between which whoever waits may look at the clock."""

from collections.abc import Callable, Generator
from typing import TypeVar

from ..core.solver import Clock, Progress

T = TypeVar("T")

GLANCE_S = 0.1  # between two glances


def driven(
    work: Generator[float, None, T], clock: Clock, glance: Callable[[float], Progress]
) -> Generator[Progress, None, T | None]:
    """What the work returns, or None if the clock ran out before; ``work`` yields the share that is done."""
    due_s = clock.elapsed_s + GLANCE_S
    while not clock.expired:
        try:
            share = next(work)
        except StopIteration as ended:
            value: T = ended.value
            return value
        if clock.elapsed_s >= due_s:
            yield glance(share)
            due_s = clock.elapsed_s + GLANCE_S
    return None
