"""Populations side by side, whose best migrate now and then: on threads of this machine, or each on a worker.

An island is a value: what it becomes depends on its seed and on who comes ashore, never on who did the work, so the
number of workers changes nothing, and what a worker had that died is done again.
"""

from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.puzzle import Placement
from ..workers import LOOK_S, Inline
from .population import Population, Slices, laid
from .puzzle import Jigsaw
from .seams import Seams, measured

if TYPE_CHECKING:
    from .genetic import Settings

T = TypeVar("T")

MOST_A_TASK = 8  # generations that a worker breeds before it shows them


@dataclass(frozen=True)
class Island:
    """A population between two generations."""

    seed: int
    boards: NDArray[np.uint16] | None = None  # [size, (rows + 2) * (cols + 2)]; None: nobody is there yet
    totals: NDArray[np.int64] | None = None  # [size]
    agreement: float = 0.0  # of the parents of the last generation
    history: tuple[int, ...] = ()  # the best total of every generation
    unit: float = 1.0  # what a cost of 1 is worth in the terms of the measure

    @property
    def number(self) -> int:
        """Of its generation."""
        return len(self.history)

    @property
    def order(self) -> NDArray[np.int64]:
        """Its chromosomes, best first."""
        assert self.totals is not None
        return np.argsort(self.totals, kind="stable")


Work: TypeAlias = Callable[[list[Island], int], Generator[float, None, bool]]  # bring islands to a generation, in place


def evolve(population: Population, island: Island, generations: int, unit: float) -> Generator[float, None, Island]:
    """The island so many generations later."""
    if island.boards is None:
        yield from population.begin()
    else:
        population.load(island.boards, island.number)
    history = [*island.history]
    for _ in range(generations):
        yield from population.breed()
        history.append(population.total)
    agreement = population.agreement if generations else island.agreement
    return Island(island.seed, *population.saved(), agreement, tuple(history), unit)


def near(seams: Seams, puzzle: Jigsaw, settings: "Settings", pool: Executor, threads: int) -> Work:
    """Islands on threads: one after the other, generation by generation, each by all threads together."""
    assert puzzle.rows is not None
    assert puzzle.cols is not None
    frame = puzzle.rows, puzzle.cols

    def work(islands: list[Island], until: int) -> Generator[float, None, bool]:
        while True:
            behind = min(range(len(islands)), key=lambda n: _progress(islands[n]))
            island = islands[behind]
            if island.boards is not None and island.number >= until:
                return True
            population = Population(seams, *frame, settings, island.seed, pool, threads)
            grown = 0 if island.boards is None else 1
            islands[behind] = yield from evolve(population, island, grown, seams.unit)

    return work


def far(puzzle: Jigsaw, settings: "Settings", executor: Executor) -> Work:
    """Islands on an executor: each is a task of some generations at a time, until all have come to the same one."""

    def work(islands: list[Island], until: int) -> Generator[float, None, bool]:
        running: dict[Future[Island], int] = {}
        several = [1] * len(islands)
        try:
            while True:
                for number, island in enumerate(islands):
                    grown = 0 if island.boards is None else min(several[number], until - island.number)
                    if number not in running.values() and (grown > 0 or island.boards is None):
                        running[executor.submit(evolved, puzzle, settings, island, grown)] = number
                        several[number] = min(2 * several[number], MOST_A_TASK)
                if not running:
                    return True
                for future in wait(running, LOOK_S, FIRST_COMPLETED).done:
                    islands[running.pop(future)] = future.result()
                yield min(_progress(island) for island in islands) / max(until, 1)
        finally:
            for future in running:
                future.cancel()

    return work


def evolved(puzzle: Jigsaw, settings: "Settings", island: Island, generations: int) -> Island:
    """On a worker: the same island, so many generations later."""
    assert puzzle.rows is not None
    assert puzzle.cols is not None
    seams = _seams(puzzle, settings.measure, settings.relative)
    population = Population(seams, puzzle.rows, puzzle.cols, settings, island.seed, Inline(), 1)
    return _finished(evolve(population, island, generations, seams.unit))


class Islands:
    """Breeds like a Population, an epoch at a time; after each, the best of every island go ashore on the next."""

    def __init__(self, puzzle: Jigsaw, settings: "Settings", seed: int, work: Work) -> None:
        assert puzzle.rows is not None
        assert puzzle.cols is not None
        self.rows, self.cols, self.settings, self._work = puzzle.rows, puzzle.cols, settings, work
        # the first island is what there is without others
        seeds = [seed, *(int(s) for s in np.random.SeedSequence(seed).generate_state(settings.islands - 1, np.uint64))]
        self.islands = [Island(each) for each in seeds]
        self._first = 0  # the best total of those that nobody bred

    def begin(self) -> Slices:
        """Random chromosomes everywhere."""
        yield from self._work(self.islands, 0)
        self._first = self.total
        return True

    def breed(self, most: int) -> Slices:
        """The next epoch, or so many generations if that is less."""
        every = self.settings.migrate
        if self.number and self.number % every == 0:
            self.islands = migrated(self.islands, self.settings.elite)
        yield from self._work(self.islands, self.number + min(most, every - self.number % every))
        return True

    @property
    def number(self) -> int:
        """Of the generation that all have come to."""
        return min(island.number for island in self.islands)

    @property
    def totals(self) -> list[int]:
        """The best of every generation, anywhere."""
        several = zip(*(island.history[: self.number] for island in self.islands), strict=True)
        return [self._first, *(min(totals) for totals in several)]

    @property
    def _best(self) -> Island:
        return min(self.islands, key=lambda island: int(island.totals.min()))  # type: ignore[union-attr]

    @property
    def total(self) -> int:
        """The best fitness."""
        assert self._best.totals is not None
        return int(self._best.totals.min())

    @property
    def unit(self) -> float:
        """What a cost of 1 is worth."""
        return self.islands[0].unit

    @property
    def agreement(self) -> float:
        """Of the parents on the island that agrees least."""
        return min(island.agreement for island in self.islands)

    def placement(self) -> Placement:
        """The best chromosome."""
        best = self._best
        assert best.boards is not None
        return laid(best.boards[best.order[0]], self.rows, self.cols)


def migrated(islands: list[Island], several: int) -> list[Island]:
    """The best so many of each island in place of the worst of the next."""
    after = []
    for number, island in enumerate(islands):
        came = islands[number - 1]
        assert island.boards is not None
        assert island.totals is not None
        assert came.boards is not None
        assert came.totals is not None
        most = min(several, len(island.totals) - 1)
        here, there = island.order[len(island.totals) - most :], came.order[:most]
        boards, totals = island.boards.copy(), island.totals.copy()
        boards[here], totals[here] = came.boards[there], came.totals[there]
        after.append(replace(island, boards=boards, totals=totals))
    return after


@lru_cache(maxsize=1)
def _seams(puzzle: Jigsaw, measure: str, relative: bool) -> Seams:
    """Measured once a worker, not once a task."""
    return _finished(measured(puzzle, measure, relative, Inline()))


def _finished(work: Generator[float, None, T]) -> T:
    while True:
        try:
            next(work)
        except StopIteration as ended:
            value: T = ended.value
            return value


def _progress(island: Island) -> int:
    return -1 if island.boards is None else island.number
