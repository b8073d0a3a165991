"""Searches side by side, on any executor: the first to end wins, and it is the same one every time."""

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from typing import Generic, Protocol, TypeVar

from ..core.solver import Clock
from ..workers import workers


class Runner(Protocol):
    """A search that can be advanced step by step, whatever the steps are cut into. A value: it may be pickled."""

    slice: int  # steps of some hundredths of a second
    steps: int  # taken so far

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to do."""

    @property
    def best(self) -> float:
        """The worth of the best it found."""

    def advance(self, steps: int) -> None:
        """Take so many steps more, or fewer if that ends it."""


R = TypeVar("R", bound=Runner)


def advanced(runner: R, steps: int) -> R:
    """The search, so many steps later: itself if the executor has threads, a copy if it has processes."""
    runner.advance(steps)
    return runner


class Race(Generic[R]):
    """The search that ends after fewest steps wins, and the others go on until they have taken as many.

    So the answer depends on the number of searches, never on which worker was quicker. Steps are shared evenly.
    """

    def __init__(self, runners: Sequence[R], steps: int | None) -> None:
        self.runners = list(runners)
        self._most = [math.inf if steps is None else (steps + n) // len(runners) for n in range(len(runners))]

    @property
    def bound(self) -> float:
        """Fewest steps after which one has ended."""
        return min((runner.steps for runner in self.runners if runner.ended), default=math.inf)

    def left(self, number: int) -> float:
        """Steps that one of them may still take."""
        runner = self.runners[number]
        return 0 if runner.ended else min(self._most[number], self.bound) - runner.steps

    @property
    def leader(self) -> R:
        """The winner, or while there is none the best so far."""
        over = [runner for runner in self.runners if runner.ended]
        return min(over, key=lambda r: r.steps) if over else max(self.runners, key=lambda r: r.best)

    @property
    def steps(self) -> int:
        """Of all together, each up to where the race was won, so that it is the same number every time."""
        return sum(int(min(runner.steps, self.bound)) for runner in self.runners)

    def run(self, clock: Clock, executor: Executor | None = None) -> Iterator[None]:
        """Until one has won or the clock has run out, with a pause now and then in which none of them is at work."""
        with workers(executor, len(self.runners)) as pool:
            while not clock.expired:
                running: dict[int, Future[R]] = {}
                for number, runner in enumerate(self.runners):
                    if (left := self.left(number)) > 0:
                        steps = runner.slice if left > runner.slice else int(left)
                        running[number] = pool.submit(advanced, runner, steps)
                if not running:
                    return
                for number, future in running.items():
                    self.runners[number] = future.result()
                yield
