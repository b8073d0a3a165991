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
    """The first start runs on the caller's thread, the others on threads of their own.

    The start that ends after fewest placements wins, and the others go on until they have made as many: so the answer
    depends on the number of starts, never on which thread was quicker.
    """

    def __init__(self, starts: Sequence[Start], clock: Clock) -> None:
        self.starts, self.clock = starts, clock
        self.bound = math.inf  # fewest placements after which a start has ended
        self.stopped = False
        self._lock = threading.Lock()
        self._go = threading.Event()
        # a budget in steps is shared evenly
        steps = clock.budget.steps
        self._most = [math.inf if steps is None else (steps + n) // len(starts) for n in range(len(starts))]

    def step(self, number: int) -> bool:
        """Advance one start a little; False when it has ended, is beaten, has had its share, or is stopped."""
        start = self.starts[number]
        # one beyond the bound, since only there does a start that ends after equally many see that nothing is left
        left = min(self._most[number], self.bound + 1) - start.placements
        if self.stopped or left <= 0 or ended(start) or self.clock.expired:
            return False
        start.advance(start.chunk if left > start.chunk else int(left))
        if ended(start):
            with self._lock:
                self.bound = min(self.bound, start.placements)
        return True

    def follow(self, number: int) -> None:
        """Run one start to its end, on a thread of its own."""
        self._go.wait()
        while self.step(number):
            pass

    def go(self) -> None:
        """Let the threads loose, all at once: one begun earlier would keep the next from being made for some ms."""
        self._go.set()

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
    """Run them, with a look at the clock now and then."""
    field = Race(starts, clock)

    def progress() -> Progress:
        leader = field.leader
        details = {"restarts": leader.restarts}
        return Progress(field.placements, "placements", leader.best, tiles, "tiles", details, leader.placement())

    with ThreadPoolExecutor(len(starts)) as pool:
        others = [pool.submit(field.follow, number) for number in range(1, len(starts))]
        due_s = LOOK_S
        try:
            field.go()
            while field.step(0):
                if clock.elapsed_s >= due_s:
                    yield progress()
                    due_s = clock.elapsed_s + LOOK_S
            while not clock.expired and wait(others, timeout=LOOK_S).not_done:
                yield progress()
        finally:  # also when nobody wants the rest: no thread outlives the run
            field.stopped = True
            field.go()
    for other in others:
        other.result()
    clock.spend(field.placements)
    winner = field.leader
    status: Status = "complete" if winner.full else "proved_none" if winner.exhausted else "out_of_budget"
    counters = {
        "placements": clock.steps,
        "restarts": winner.restarts,
        "starts": len(starts),
        "most_placed": winner.best,
    }
    return Outcome(status, winner.placement(), counters)
