"""Long work in slices, between which whoever waits may look at the clock, or ask where it is."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

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


class Following:
    """Where some work is, for a checkpoint, and where to take it up; nobody need ask."""

    def __init__(self, kept: Any = None) -> None:
        self.kept = kept  # where an earlier run was
        self._where: Callable[[], Any] = lambda: kept
        self._frozen: Any = None

    def follow(self, where: Callable[[], Any]) -> None:
        """This says it from now on."""
        self._where = where

    def freeze(self) -> None:
        """What follows is cut short by a budget, and would be otherwise within a larger one: here is what to save."""
        self._frozen = self.state()

    def state(self) -> Any:
        """Where it is."""
        return self.now() if self._frozen is None else self._frozen

    def now(self) -> Any:
        """The same, whatever the budget."""
        return self._where()
