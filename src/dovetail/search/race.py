"""Searches side by side, on any executor: the first to end wins, and it is the same one every time."""

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, Generic, Protocol, TypeVar

from ..core.solver import Clock
from ..core.state import Misfit, State
from ..workers import collected, stretch, workers


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

    def state(self) -> State:
        """Where it is, to be saved."""

    def take_up(self, state: Any) -> None:
        """Go on where a search of the same puzzle, settings and seed was."""


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
        """Until one has won or the clock has run out, with a pause now and then in which none of them is at work.

        It goes on from where the clock says that an earlier one was.
        """
        if clock.kept is not None:
            self._take_up(clock.kept.get("runners"))
        clock.keep(lambda: {"runners": [runner.state() for runner in self.runners]})
        far = stretch(executor)
        with workers(executor, len(self.runners)) as pool:
            while not clock.expired:
                todo = [number for number in range(len(self.runners)) if self.left(number) > 0]
                if not todo:
                    return
                running = {}
                for number in todo:
                    runner, left = self.runners[number], self.left(number)
                    steps = far * runner.slice
                    running[pool.submit(advanced, runner, steps if left > steps else int(left))] = runner
                for number, runner in zip(todo, collected(running, clock), strict=True):
                    self.runners[number] = runner
                yield

    def _take_up(self, states: Any) -> None:
        if not isinstance(states, list) or len(states) != len(self.runners):
            raise Misfit("searches")
        for runner, state in zip(self.runners, states, strict=True):
            runner.take_up(state)
