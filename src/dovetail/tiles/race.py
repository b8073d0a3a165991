"""Parallel starts of one search, first solution wins, same answer every time, on any executor."""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any, Protocol, runtime_checkable

from ..core.puzzle import Placement
from ..core.solver import Clock, Outcome, Progress, Run, Status
from ..core.state import Misfit, State
from ..workers import LOOK_S, collected, stretch, workers

FIRST_SLICE, LAST_SLICE = 1, 48  # chunks that a start is advanced by at a time, small ones first


class Start(Protocol):
    """A search that can be advanced step by step, whatever the steps are cut into. A value: it may be pickled."""

    chunk: int  # placements of about a millisecond
    full: bool  # a solution is there
    exhausted: bool  # nothing is left to try
    placements: int
    restarts: int

    @property
    def best(self) -> int:
        """Most tiles laid so far."""

    def advance(self, placements: int) -> int:
        """Make up to so many more placements."""

    def placement(self) -> Placement:
        """The fullest board so far."""


@runtime_checkable
class Resumable(Protocol):
    """One that can be saved and taken up again."""

    def state(self) -> State:
        """Where it is."""

    def take_up(self, state: State) -> None:
        """Go on where another was."""


def ended(start: Start) -> bool:
    """Whether there is nothing more to do."""
    return start.full or start.exhausted


def advanced(start: Start, placements: int) -> Start:
    """The start, so many placements later: here if the executor has threads, a copy if it has processes."""
    start.advance(placements)
    return start


class Race:
    """The start that ends after fewest placements wins, and the others go on until they have made as many.

    So the answer depends on the number of starts, never on which worker was quicker.
    """

    def __init__(self, starts: Sequence[Start], steps: int | None) -> None:
        self.starts = list(starts)
        # a budget in steps is shared evenly
        self._most = [math.inf if steps is None else (steps + n) // len(starts) for n in range(len(starts))]

    @property
    def bound(self) -> float:
        """Fewest placements after which a start has ended."""
        return min((start.placements for start in self.starts if ended(start)), default=math.inf)

    def left(self, number: int) -> float:
        """Placements that this start may still make."""
        start = self.starts[number]
        # one beyond the bound, since only there does a start that ends after equally many see that nothing is left
        return 0 if ended(start) else min(self._most[number], self.bound + 1) - start.placements

    @property
    def leader(self) -> Start:
        """The winner, or while there is none the start that got furthest."""
        over = [start for start in self.starts if ended(start)]
        return min(over, key=lambda s: s.placements) if over else max(self.starts, key=lambda s: s.best)

    @property
    def placements(self) -> int:
        """All starts together, each up to where the race was won, so that it is the same number every time."""
        return sum(int(min(start.placements, self.bound)) for start in self.starts)


def race(starts: Sequence[Start], tiles: int, clock: Clock, executor: Executor | None = None) -> Run:
    """Run them, with a look at the clock now and then."""
    field = Race(starts, clock.budget.steps)
    slices = [FIRST_SLICE] * len(starts)
    longest = max(1, 2 * LAST_SLICE // len(starts) if len(starts) > 2 else LAST_SLICE)  # all end within a few looks
    if (far := stretch(executor)) > 1:
        longest = far * LAST_SLICE
    running: dict[Future[Start], int] = {}

    def settle() -> State:
        """Wait for what is running: slices are short."""
        before = {future: field.starts[number] for future, number in running.items()}
        for number, start in zip(running.values(), collected(before, clock), strict=True):
            field.starts[number] = start
        running.clear()
        return {"starts": [start.state() for start in field.starts if isinstance(start, Resumable)]}

    if clock.kept is not None:
        take_up(field.starts, clock.kept)
    clock.keep(settle)
    with workers(executor, len(starts)) as pool:
        due_s = LOOK_S
        while not clock.expired:
            busy = set(running.values())
            for number, start in enumerate(field.starts):
                if number not in busy and (left := field.left(number)) > 0:
                    most = start.chunk * slices[number]
                    running[pool.submit(advanced, start, most if left > most else int(left))] = number
                    slices[number] = min(2 * slices[number], longest)
            if not running:
                break
            for future in wait(running, timeout=LOOK_S, return_when=FIRST_COMPLETED).done:
                field.starts[running.pop(future)] = future.result()
            for future, number in [*running.items()]:  # one has won: what cannot be better any more is called off
                if field.left(number) <= 0 and future.cancel():
                    del running[future]
            if clock.elapsed_s >= due_s:
                yield _progress(field, running, tiles)
                due_s = clock.elapsed_s + LOOK_S
        settle()  # what they found counts
    clock.spend(field.placements - clock.steps)
    winner = field.leader
    status: Status = "complete" if winner.full else "proved_none" if winner.exhausted else "out_of_budget"
    counters = {
        "placements": clock.steps,
        "restarts": winner.restarts,
        "starts": len(starts),
        "most_placed": winner.best,
    }
    return Outcome(status, winner.placement(), counters)


def take_up(starts: Sequence[Any], kept: Mapping[str, Any]) -> None:
    """Go on where an earlier race of as many starts was."""
    states = kept.get("starts")
    if not isinstance(states, list) or len(states) != len(starts):
        raise Misfit("starts")
    for start, state in zip(starts, states, strict=True):
        assert isinstance(start, Resumable), "a solver that cannot be taken up says so before"
        start.take_up(state)


def _progress(field: Race, running: dict[Future[Start], int], tiles: int) -> Progress:
    leader = field.leader
    # a start that another thread is advancing at this moment does not hold still for its picture
    still = field.starts.index(leader) not in running.values()
    details = {"restarts": leader.restarts}
    board = leader.placement() if still else None
    return Progress(field.placements, "placements", leader.best, tiles, "tiles", details, board)
