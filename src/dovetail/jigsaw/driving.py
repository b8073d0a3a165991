"""Long work in slices, between which whoever waits may look at the clock, or ask where it is."""

from collections.abc import Callable, Generator
from concurrent.futures import Executor
from typing import Any, TypeVar

from ..core.solver import Clock, Progress

T = TypeVar("T")

GLANCE_S = 0.1  # between two glances
SLICES = 4  # that threads share between two glances


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


def done(work: Generator[float, None, T]) -> T:
    """What the work returns, when nobody waits for a glance."""
    while True:
        try:
            next(work)
        except StopIteration as ended:
            value: T = ended.value
            return value


def spread(
    pool: Executor, work: Callable[[slice], None], rows: int, several: int, begin: float, end: float
) -> Generator[float, None, None]:
    """Work on several rows at a time, some such parts at once; cut alike for any number of threads."""
    parts = [slice(start, min(rows, start + several)) for start in range(0, rows, several)]
    for number in range(0, len(parts), SLICES):
        for future in [pool.submit(work, part) for part in parts[number : number + SLICES]]:
            future.result()
        yield begin + (end - begin) * min(1.0, (number + SLICES) / len(parts))


def within(work: Generator[float, None, T], begin: float, end: float) -> Generator[float, None, T]:
    """The same work, as a part of more: its share that is done goes from ``begin`` to ``end``."""
    while True:
        try:
            done = next(work)
        except StopIteration as ended:
            value: T = ended.value
            return value
        yield begin + (end - begin) * done


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
