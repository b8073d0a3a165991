"""Parallel starts of one search, first solution wins, same answer every time."""

import math
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Protocol

from ..core.puzzle import Placement
from ..core.solver import Clock, Outcome, Progress, Run, Status

LOOK_S = 0.05  # between two looks at the clock


class Start(Protocol):
    """A search that can be advanced step by step, whatever the steps are cut into."""

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
        """The fullest board so far; safe to ask from another thread."""


class Race:
    """Starts on threads of their own.

    The start that ends after fewest placements wins, and the others go on until they have made as many: so the answer
    depends on the number of starts, never on which thread was quicker.
    """

    def __init__(self, starts: Sequence[Start]) -> None:
        self.starts = starts
        self.bound = math.inf  # fewest placements after which a start has ended
        self.stopped = False
        self._lock = threading.Lock()

    def run(self, start: Start, most: float) -> None:
        """Advance one start until it ends, is beaten, has made ``most`` placements, or is stopped."""
        while not (self.stopped or ended(start)) and (left := min(most, self.bound) - start.placements) > 0:
            start.advance(start.chunk if left > start.chunk else int(left))
        if ended(start):
            with self._lock:
                self.bound = min(self.bound, start.placements)

    @property
    def leader(self) -> Start:
        """The winner, or while there is none the start that got furthest."""
        over = [start for start in self.starts if ended(start)]
        return min(over, key=lambda s: s.placements) if over else max(self.starts, key=lambda s: s.best)

    @property
    def placements(self) -> int:
        """All starts together, each up to where the race was won, so that it is the same number every time."""
        return sum(int(min(start.placements, self.bound)) for start in self.starts)


def ended(start: Start) -> bool:
    """Whether there is nothing more to do."""
    return start.full or start.exhausted


def race(starts: Sequence[Start], tiles: int, clock: Clock) -> Run:
    """Run them, with a look at the clock now and then. A budget in steps is shared evenly."""
    race = Race(starts)
    race.stopped = clock.expired
    shares = [
        math.inf if clock.budget.steps is None else (clock.budget.steps + number) // len(starts)
        for number in range(len(starts))
    ]
    with ThreadPoolExecutor(len(starts)) as pool:
        running = [pool.submit(race.run, *pair) for pair in zip(starts, shares, strict=True)]
        try:
            while wait(running, timeout=LOOK_S).not_done and not clock.expired:
                leader = race.leader
                yield Progress(
                    race.placements, "placements", leader.best, tiles, "tiles", {"restarts": leader.restarts},
                    leader.placement(),
                )  # fmt: skip
        finally:  # also when nobody wants the rest: no thread outlives the run
            race.stopped = True
    for thread in running:
        thread.result()
    clock.spend(race.placements)
    winner = race.leader
    status: Status = "complete" if winner.full else "proved_none" if winner.exhausted else "out_of_budget"
    counters = {
        "placements": clock.steps,
        "restarts": winner.restarts,
        "starts": len(starts),
        "most_placed": winner.best,
    }
    return Outcome(status, winner.placement(), counters)
