"""Several assemblies of one puzzle, each with random numbers of its own; the likeliest board is taken.

Here they follow each other, each by all threads; on an executor each is a task from beginning to end. What comes out is
the same, if steps are what bounds them.
"""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from ..core.solver import Budget, Clock, Outcome, Progress, Run
from ..workers import LOOK_S, collected
from .puzzle import Jigsaw

if TYPE_CHECKING:
    from .assembler import Settings

APART = 1_000_003  # between the seeds of two starts
MARGIN = 0.95  # of the time that is left, for a start far away
Solve: TypeAlias = Callable[[Jigsaw, "Settings", Clock, int], Run]  # one assembly


class Part(Clock):
    """The clock of one start: its own budget, within that of all."""

    def __init__(self, whole: Clock, budget: Budget) -> None:
        super().__init__(budget)
        self.whole = whole

    @property
    def expired(self) -> bool:
        """Whether to stop now."""
        return self.whole.expired or super().expired


def budgets(clock: Clock, number: int) -> list[int | None]:
    """Steps are shared evenly."""
    steps = clock.budget.steps
    return [None if steps is None else (steps + n) // number for n in range(number)]


def near(solve: Solve, puzzle: Jigsaw, settings: "Settings", clock: Clock, seed: int) -> Run:
    """One after the other; of the time, each gets its share of what is left."""
    found: list[Outcome] = []
    alone = replace(settings, starts=1)
    for number, steps in enumerate(budgets(clock, settings.starts)):
        if clock.expired and found:
            break
        left_s = _left_s(clock)
        part = Part(clock, Budget(None if left_s is None else left_s / (settings.starts - number), steps))
        found.append((yield from solve(puzzle, alone, part, seed + APART * number)))
        clock.spend(part.steps)
    return likeliest(found)


def far(executor: Executor, puzzle: Jigsaw, settings: "Settings", clock: Clock, seed: int) -> Run:
    """As many at once as there are workers; of those that were called off nothing is heard."""
    waiting = [*enumerate(budgets(clock, settings.starts))][::-1]
    running: dict[Future[Outcome | None], int] = {}
    found: dict[int, Outcome] = {}
    alone = replace(settings, starts=1)
    try:
        while (waiting or running) and not clock.expired:
            while waiting and len(running) < max(1, getattr(executor, "width", settings.starts)):
                number, steps = waiting.pop()
                left_s = _left_s(clock)
                budget = Budget(None if left_s is None else MARGIN * left_s, steps)
                running[executor.submit(assembled, puzzle, alone, budget, seed + APART * number)] = number
            for future in wait(running, LOOK_S, FIRST_COMPLETED).done:
                outcome = future.result()
                assert outcome is not None
                found[running.pop(future)] = outcome
            yield Progress(len(found), "starts", len(found), settings.starts, "starts done")
        late: dict[Future[Outcome | None], Outcome | None] = dict.fromkeys(running)
        for number, outcome in zip(running.values(), collected(late, clock), strict=True):
            if outcome is not None:
                found[number] = outcome
        running.clear()
    finally:
        for future in running:
            future.cancel()
    if not found:
        from .assembler import as_given

        return Outcome("out_of_budget", as_given(puzzle), {"moves": 0})
    clock.spend(sum(int(outcome.counters["moves"]) for outcome in found.values()))
    return likeliest([found[number] for number in sorted(found)])


def assembled(puzzle: Jigsaw, settings: "Settings", budget: Budget, seed: int) -> Outcome:
    """On a worker: one start."""
    from .assembler import Assembler

    run = Assembler().solve(puzzle, replace(settings, workers=1), Clock(budget), seed)
    while True:
        try:
            next(run)
        except StopIteration as ended:
            outcome: Outcome = ended.value
            return outcome


def likeliest(found: list[Outcome]) -> Outcome:
    """The board whose seams have the highest odds, the first of several; and how many there were to choose from."""
    best = max(found, key=lambda outcome: outcome.counters.get("log_odds", float("-inf")))
    moves = sum(int(outcome.counters["moves"]) for outcome in found)
    return replace(best, counters={**best.counters, "moves": moves, "starts": len(found)})


def _left_s(clock: Clock) -> float | None:
    return None if clock.budget.wall_s is None else max(0.0, clock.budget.wall_s - clock.elapsed_s)
