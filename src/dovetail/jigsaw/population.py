"""A population of chromosomes and how it breeds the next (Sholomon 2013, algorithm 1)."""

from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.puzzle import Placement
from . import kernels
from .kernels import NONE
from .seams import Seams

if TYPE_CHECKING:
    from .genetic import Settings

SLICE_PLACEMENTS = 100_000  # that a thread makes at a time: some 10 ms
IN_FLIGHT = 2  # slices waiting for every thread


@dataclass(frozen=True)
class Generation:
    """Chromosomes. A board has a rim of NONE around it, so that every piece has four neighbours to ask for."""

    boards: NDArray[np.uint16]  # [size, (rows + 2) * (cols + 2)]: pieces
    where: NDArray[np.uint32]  # [size, pieces]: cells
    totals: NDArray[np.int64]  # [size]: fitness (equation 2), the less the better
    phases: NDArray[np.int32]  # [size, 3]: how many placements of the crossover each phase made

    @classmethod
    def empty(cls, size: int, rows: int, cols: int) -> "Generation":
        """Room for so many."""
        boards = np.full((size, (rows + 2) * (cols + 2)), NONE, np.uint16)
        where = np.zeros((size, rows * cols), np.uint32)
        return cls(boards, where, np.zeros(size, np.int64), np.zeros((size, 3), np.int32))


Slices: TypeAlias = Generator[float, None, Literal[True]]  # yields the share that is done, between slices of work


class Population:
    """Breeds in slices, so that whoever waits may look at the clock in between."""

    def __init__(
        self, seams: Seams, rows: int, cols: int, settings: "Settings", seed: int, pool: Executor, threads: int
    ) -> None:
        self.seams, self.rows, self.cols, self.settings = seams, rows, cols, settings
        self.seed, self.pool, self.threads = seed, pool, threads
        self.number = 0  # of the generation
        self._now, self._next = (Generation.empty(settings.population, rows, cols) for _ in range(2))
        self._mutation = settings.mutation / (1 if settings.mutate == "placement" else rows * cols)
        self._elite = min(settings.elite, settings.population - 1)

    def begin(self) -> Slices:
        """Random chromosomes."""

        def work(first: int, last: int) -> None:
            kernels.scatter(self._now.boards, first, last, self._seed(0), self.rows, self.cols)
            self._evaluate(self._now, first, last)

        yield from self._spread(work, 0)
        return True

    def breed(self) -> Slices:
        """The next generation; if the generator is given up, the present one stays."""
        now, then = self._now, self._next
        order = np.argsort(now.totals, kind="stable")
        parents = order[self._roulette()]
        then.boards[: self._elite] = now.boards[order[: self._elite]]
        self._evaluate(then, 0, self._elite)
        seams = (self.seams.costs, self.seams.ranked, self.seams.best, self.seams.buddy)

        def work(first: int, last: int) -> None:
            family = (now.boards, now.where, parents, then.boards, then.phases)
            seed = self._seed(self.number + 1)
            kernels.cross(*family, first, last, seed, *seams, self.rows, self.cols, self._mutation)
            self._evaluate(then, first, last)

        yield from self._spread(work, self._elite)
        self._now, self._next = then, now
        self.number += 1
        return True

    @property
    def total(self) -> int:
        """The best fitness."""
        return int(self._now.totals.min())

    @property
    def agreement(self) -> float:
        """The share of placements that both parents of a child agreed on."""
        placements = self.rows * self.cols - 1
        return float(self._now.phases[self._elite :, kernels.AGREED].mean() / placements)

    def placement(self) -> Placement:
        """The best chromosome."""
        best = self._now.boards[self._now.totals.argmin()].reshape(self.rows + 2, self.cols + 2)[1:-1, 1:-1]
        return Placement.from_flat(best.ravel().tolist(), [0] * best.size, self.cols)

    def _roulette(self) -> NDArray[np.int64]:
        """Two parents for every child, by rank: a wheel whose slots are the chances to win a tournament. [size, 2]"""
        size = self.settings.population
        wheel = np.cumsum((1 - np.arange(size) / size) ** self.settings.pressure)
        spun = np.random.default_rng((self.seed, self.number)).random((size, 2)) * wheel[-1]
        parents: NDArray[np.int64] = np.searchsorted(wheel, spun, "right").clip(max=size - 1)
        return parents

    def _evaluate(self, generation: Generation, first: int, last: int) -> None:
        filled = (generation.boards, generation.where, generation.totals)
        kernels.evaluate(*filled, first, last, self.seams.costs, self.rows, self.cols)

    def _seed(self, generation: int) -> np.uint64:
        """Of all children of a generation; each has its own number besides."""
        return np.uint64(np.random.SeedSequence((self.seed, generation)).generate_state(1, np.uint64)[0])

    def _spread(self, work: Callable[[int, int], None], first: int) -> Generator[float, None, None]:
        """Chromosomes from ``first`` on, some at a time on each thread."""
        size, several = self.settings.population, max(1, SLICE_PLACEMENTS // (self.rows * self.cols))
        running: deque[Future[None]] = deque()
        for start in range(first, size, several):
            running.append(self.pool.submit(work, start, min(size, start + several)))
            while len(running) > (IN_FLIGHT * self.threads if start + several < size else 0):
                running.popleft().result()
                yield start / size
