"""All solutions of a tile puzzle, counted: the tree is cut into subtrees, so that no worker does another's work.

When some are idle, those that others have still to do are cut again.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from math import factorial, prod
from typing import Any

import numpy as np

from ..core.solver import Clock, Outcome, Progress, Run, Status
from ..core.state import Misfit, State, within
from ..workers import LOOK_S, collected, stretch, width, workers
from .engine import TileSearch
from .oriented import Oriented
from .race import LAST_SLICE

MOST = 10**4000  # solutions: Python and others do not write longer numbers
SUBTREES_A_WORKER = 24  # enough that the last ones to end do not leave the others idle for long
FAR_SUBTREES = 2  # fewer where each is a journey; they are cut again when they turn out too large
FAR_FIRST, FAR_GROWTH_S = 6.0, 1.5  # how many times longer slices are there at first, and how that grows in a second


def advanced(subtrees: Sequence[TileSearch], placements: int) -> Sequence[TileSearch]:
    """Some subtrees, so many placements later: one after the other, as far as that lasts."""
    for subtree in subtrees:
        while placements > 0 and not subtree.exhausted:
            placements -= subtree.advance(placements, counting=True)
    return subtrees


class Subtrees:
    """All of the tree: what those found that are over, what waits, what is under way and the steps booked for it."""

    def __init__(self, whole: TileSearch, clock: Clock, number: int) -> None:
        self.clock = clock
        self.running: dict[Future[Sequence[TileSearch]], tuple[Sequence[TileSearch], int]] = {}
        self.over = np.zeros_like(whole.tally)
        if clock.kept is None:
            self.waiting = whole.split(number)[::-1] if number > 1 else [whole]
            clock.spend(sum(subtree.placements for subtree in self.waiting))
        else:
            self._take_up(whole, clock.kept)

    def _take_up(self, whole: TileSearch, kept: Mapping[str, Any]) -> None:
        """Go on where an earlier count was, whatever the number of its workers."""
        waiting, over = kept.get("waiting"), kept.get("over")
        if not isinstance(waiting, list) or not isinstance(over, np.ndarray):
            raise Misfit("subtrees")
        if (over.dtype, over.shape) != (self.over.dtype, self.over.shape):
            raise Misfit("solutions")
        within(over, 0, np.inf, "solutions")
        self.over, self.waiting = over, [whole.twin() for _ in waiting]
        for subtree, state in zip(self.waiting, waiting, strict=True):
            subtree.take_up(state)

    def settled(self) -> State:
        """Wait for what is under way (slices are short), and say where all is."""
        before = {future: subtrees for future, (subtrees, _) in self.running.items()}
        for future, subtrees in zip(before, collected(before, self.clock), strict=True):
            self.take(future, subtrees)
        return {"waiting": [subtree.state() for subtree in self.waiting], "over": self.over.copy()}

    def found(self, what: int) -> int:
        """By all that is not under way: boards, or those that a half or a quarter turn maps to themselves."""
        return int(self.over[what]) + sum(int(subtree.tally[what]) for subtree in self.waiting)

    def begin(self, pool: Executor, placements: int, number: int, together: bool) -> None:
        """Have so many under way, as far as steps and subtrees last; ``together``: several at a time, fewer in the end.

        A task far away costs as much as a small subtree.
        """
        while self.waiting and len(self.running) < number and (slice_ := self.clock.allowance(placements)) > 0:
            several = -(-len(self.waiting) // number) if together else 1
            subtrees = [self.waiting.pop() for _ in range(several)]
            self.clock.spend(slice_)
            booked = sum(subtree.placements for subtree in subtrees) + slice_
            self.running[pool.submit(advanced, subtrees, slice_)] = subtrees, booked

    def take(self, future: Future[Sequence[TileSearch]], subtrees: Sequence[TileSearch]) -> None:
        """Subtrees are back from a worker, or, if that never answered, as they were before."""
        _, booked = self.running.pop(future)
        self.clock.spend(sum(subtree.placements for subtree in subtrees) - booked)
        for subtree in subtrees:
            if subtree.exhausted:
                self.over += subtree.tally
            else:
                self.waiting.append(subtree)

    def share(self, number: int) -> None:
        """If fewer wait than there are idle workers: cut them up, each at its root, where most is left to do."""
        for subtree in [*self.waiting]:
            while len(self.waiting) + len(self.running) < number and (cut := subtree.give_away()) is not None:
                self.waiting.append(cut)


def count(search: TileSearch, clock: Clock, limit: int | None, number: int, executor: Executor | None = None) -> Run:
    """Visit the whole tree once with so many workers, or until ``limit`` solutions are found."""
    number, far = width(executor, number), stretch(executor)
    trees = Subtrees(search, clock, 1 if number == 1 else number * (FAR_SUBTREES if far > 1 else SUBTREES_A_WORKER))
    clock.keep(trees.settled)
    copies, turns = labellings(search.tiles), search.tiles.symmetry
    with workers(executor, number) as pool:
        due_s = LOOK_S
        while (trees.waiting or trees.running) and not clock.expired:
            if limit and trees.found(0) * copies >= limit * turns:
                break
            number = width(executor, number)
            trees.share(number)
            longer = min(far, FAR_FIRST + FAR_GROWTH_S * clock.elapsed_s)
            trees.begin(pool, int(search.chunk * LAST_SLICE * longer), number, far > 1)
            for future in wait(trees.running, timeout=LOOK_S, return_when=FIRST_COMPLETED).done:
                trees.take(future, future.result())
            if clock.elapsed_s >= due_s:
                yield Progress(clock.steps, "placements", trees.found(0), best_name="boards")
                due_s = clock.elapsed_s + LOOK_S
        trees.settled()
    total, half, quarter = (trees.found(k) for k in range(3))
    counters = {**numbers(search.tiles, total, total + half + 2 * quarter), "placements": clock.steps}
    ended: Status = "out_of_budget" if clock.expired else "partial"
    return Outcome(ended if trees.waiting else "complete", None, counters)


def numbers(tiles: Oriented, boards: int, fixed: int) -> dict[str, float]:
    """From boards (tiles that are alike taken for the same, turned boards for different ones) to what is reported.

    ``solutions`` takes every tile for itself (two tiles that are alike, exchanged, make another one) and turns of the
    whole board for the same; ``distinct_boards`` is how many boards look different, turned ones taken for the same.
    ``fixed`` adds up, over all boards, the turns that map a board to itself, the turn by nothing included: Burnside.
    """
    labelled = min(boards * labellings(tiles), MOST)
    return {
        "solutions": -(-labelled // tiles.symmetry),
        "solutions_with_rotations": labelled,
        "distinct_boards": -(-fixed // tiles.symmetry),
    }


def labellings(tiles: Oriented) -> int:
    """In how many ways the tiles that are alike can be told apart on one board; a hint says which one it means."""
    return prod(factorial(int(stock)) for stock in tiles.free_stock)
