"""A population of chromosomes and how it breeds the next (Sholomon 2013, algorithm 1)."""

from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.puzzle import Placement
from ..core.state import Misfit, State, fields, restore, taken, within
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
    """Breeds in slices, so that whoever waits may look at the clock in between; without seams it only can be shown."""

    kept = ("number", "totals", "unit")

    def __init__(
        self, seams: Seams | None, rows: int, cols: int, settings: "Settings", seed: int, pool: Executor, threads: int
    ) -> None:
        self.seams, self.rows, self.cols, self.settings = seams, rows, cols, settings
        self.seed, self.pool, self.threads = seed, pool, threads
        self.number = 0  # of the generation
        self.totals: list[int] = []  # the best of every generation
        self.unit = 1.0 if seams is None else float(seams.unit)  # what a cost of 1 is worth in terms of the measure
        self._now, self._next = (Generation.empty(settings.population, rows, cols) for _ in range(2))
        self._mutation = settings.mutation / (1 if settings.mutate == "placement" else rows * cols)
        self._elite = min(settings.elite, settings.population - 1)

    def begin(self) -> Slices:
        """Random chromosomes."""

        def work(first: int, last: int) -> None:
            kernels.scatter(self._now.boards, first, last, self._seed(0), self.rows, self.cols)
            self._evaluate(self._now, first, last)

        yield from self._spread(work, 0)
        self.totals.append(self.total)
        return True

    def state(self) -> State:
        """The present generation, for ``take_up``; that a next one is being bred does not change it."""
        parts = {name: getattr(self._now, name) for name in ("boards", "totals", "phases")}
        return {**taken(self, self.kept), "generation": {name: part.copy() for name, part in parts.items()}}

    def take_up(self, state: State) -> None:
        """Go on from a generation of the same puzzle, settings and seed."""
        values = fields(state, (*self.kept, "generation"))
        generation = fields(values.pop("generation"), ("boards", "totals", "phases"))
        restore(self, self.kept, values)
        within([self.number], 0, self.settings.generations, "generations")
        if len(self.totals) != self.number + 1 or not all(type(total) is int for total in self.totals):
            raise Misfit("generations")
        for name, part in generation.items():
            there = getattr(self._now, name)
            if not isinstance(part, np.ndarray) or part.dtype != there.dtype or part.shape != there.shape:
                raise Misfit(name)
            there[:] = part
        within(self._now.phases, 0, self.rows * self.cols, "phases")
        whole = self._now.boards.reshape(-1, self.rows + 2, self.cols + 2)
        boards = whole[:, 1:-1, 1:-1].reshape(len(whole), -1)
        rim = whole.copy()
        rim[:, 1:-1, 1:-1] = NONE
        if (rim != NONE).any() or (np.sort(boards, axis=1) != np.arange(boards.shape[1])).any():
            raise Misfit("boards")
        cells = np.arange(whole[0].size, dtype=np.uint32).reshape(whole[0].shape)[1:-1, 1:-1].ravel()
        np.put_along_axis(self._now.where, boards.astype(np.int64), np.broadcast_to(cells, boards.shape), axis=1)

    def breed(self, most: int = 1) -> Slices:
        """The next generation (one, however many are allowed); if the generator is given up, the present one stays."""
        assert self.seams is not None
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
        self.totals.append(self.total)
        return True

    def load(self, boards: NDArray[np.uint16], number: int) -> None:
        """Go on from these chromosomes, which are generation ``number``."""
        self._now.boards[:] = boards
        self.number = number
        self._evaluate(self._now, 0, self.settings.population)

    def saved(self) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """The chromosomes and what they cost."""
        return self._now.boards, self._now.totals

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
        return laid(self._now.boards[self._now.totals.argmin()], self.rows, self.cols)

    def _roulette(self) -> NDArray[np.int64]:
        """Two parents for every child, by rank: a wheel whose slots are the chances to win a tournament. [size, 2]"""
        size = self.settings.population
        wheel = np.cumsum((1 - np.arange(size) / size) ** self.settings.pressure)
        spun = np.random.default_rng((self.seed, self.number)).random((size, 2)) * wheel[-1]
        parents: NDArray[np.int64] = np.searchsorted(wheel, spun, "right").clip(max=size - 1)
        return parents

    def _evaluate(self, generation: Generation, first: int, last: int) -> None:
        assert self.seams is not None
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


def laid(board: NDArray[np.uint16], rows: int, cols: int) -> Placement:
    """A chromosome as a solution."""
    inner = board.reshape(rows + 2, cols + 2)[1:-1, 1:-1]
    return Placement.from_flat(inner.ravel().tolist(), [0] * inner.size, cols)
