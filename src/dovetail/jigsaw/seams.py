"""Every pair of pieces on every side: what the seam costs, which pieces fit best, which choose each other.

Stored is the root of a measure (``measures.py``) a pixel, as a whole number of 16 bits: sums of costs are then exact,
whatever their order, and 22,755 pieces take 4 GB. ``relative`` restates a cost as how it compares with the best rival
on either side, on a logarithmic scale: a seam among flat pieces, where everything fits, then says little.
"""

import math
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernels
from .edges import EAST, SIDES, SOUTH, edges, facing
from .kernels import NONE, TIED
from .measures import MEASURES
from .puzzle import Jigsaw

BLOCK_NUMBERS = 8_000_000  # of a block of rows: some 0.05 s of work
BLOCK_SLICES = 4  # that the rows of a block are cut into
CANDIDATES = 24  # best fits kept for every side
MOST_COST = 65_535
FLOOR = 40.0  # costs below are noise; in a comparison they count as about equally good
CLIP = (-3.0, 2.0)  # of a comparison, in natural logarithms


@dataclass(frozen=True)
class Seams:
    """Sides are north, east, south, west."""

    costs: NDArray[np.uint16]  # [4, n, n]: of the second piece at that side of the first
    ranked: NDArray[np.uint16]  # [4, n, candidates]: the pieces that fit best, best first
    best: NDArray[np.uint16]  # [4, n]: the least cost
    buddy: NDArray[np.uint16]  # [4, n]: whom there is mutual first choice with, NONE, or TIED if several fit best
    unit: float  # what a cost of 1 is worth in the terms of the measure


Measuring: TypeAlias = Generator[float, None, Seams]


def measured(puzzle: Jigsaw, measure: str, relative: bool, pool: Executor) -> Measuring:
    """All seams; yields the share that is done, so that whoever waits may look at the clock. ``pool`` has threads."""
    rims = edges(puzzle)
    judge, n = MEASURES[measure](rims), rims.count
    unit = math.sqrt(rims.length) / judge.scale
    costs = np.empty((4, n, n), np.uint16)
    ranked = np.empty((4, n, min(CANDIDATES, n - 1)), np.uint16)
    numbers = np.arange(n)

    def store(side: int, part: slice) -> None:
        """Each seam is measured once, and seen from both of its pieces."""
        kernels.store(judge.rows(side, part.start, part.stop), costs[side, part], 1 / unit)
        kernels.turn(costs[side], costs[facing(side)], part.start, part.stop)

    def rank(side: int, part: slice) -> None:
        kernels.rank(costs[side, part], ranked[side, part], numbers[part])

    def spread(work: Callable[[int, slice], None], sides: Iterable[int], begin: float, end: float) -> Iterator[float]:
        """Do it for all rows of these sides, a block at a time, some rows on each thread.

        The rows are cut alike for any number of threads: the last bit of a product depends on the shape of its block.
        """
        rows = min(n, max(1, BLOCK_NUMBERS // n))
        several = max(1, rows // BLOCK_SLICES)
        blocks = [(side, start) for side in sides for start in range(0, n, rows)]
        for number, (side, start) in enumerate(blocks):
            cuts = [*range(start, min(n, start + rows), several), min(n, start + rows)]
            for future in [pool.submit(work, side, slice(*pair)) for pair in pairwise(cuts)]:
                future.result()
            yield begin + (end - begin) * number / len(blocks)

    yield from spread(store, (EAST, SOUTH), 0.0, 0.6)
    if relative:
        yield from spread(rank, SIDES, 0.6, 0.7)
        logs = np.log(np.arange(MOST_COST + 1.0) ** 2 + FLOOR**2).astype(np.float32)
        first = ranked[:, :, 0].copy()
        rivals = logs[np.take_along_axis(costs, ranked[:, :, : min(2, n - 1)].astype(np.int64), axis=2)]

        def compare(side: int, part: slice) -> None:
            own = (costs[side, part], numbers[part], first[side, part], rivals[side, part])
            kernels.compare(*own, first[facing(side)], rivals[facing(side)], logs, *CLIP)

        yield from spread(compare, SIDES, 0.7, 0.9)
        unit = (CLIP[1] - CLIP[0]) / MOST_COST
    yield from spread(rank, SIDES, 0.9, 1.0)
    best = np.take_along_axis(costs, ranked[:, :, :2].astype(np.int64), axis=2)
    return Seams(costs, ranked, best[:, :, 0].copy(), buddies(ranked[:, :, 0], best), unit)


def buddies(first: NDArray[np.uint16], best: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Sholomon 2013, equation 3: two pieces, neither of which has anything better than the other. [4, n]

    ``best`` are the least cost and the next, where there is one. [4, n, 2]
    """
    mutual = [best[facing(side), first[side], 0] == best[side, :, 0] for side in SIDES]
    tied = (best[:, :, 0] == best[:, :, -1]) & (best.shape[2] > 1)
    return np.where(tied, TIED, np.where(mutual, first, NONE))
