"""All solutions of a tile puzzle, counted: the tree is cut into subtrees, so that no worker does another's work."""

from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from math import factorial, prod

from ..core.solver import Clock, Outcome, Progress, Run
from ..workers import workers
from .engine import TileSearch
from .oriented import Oriented
from .race import LAST_SLICE, LOOK_S

MOST = 10**4000  # solutions: Python and others do not write longer numbers
SUBTREES_A_WORKER = 24  # enough that the last ones to end do not leave the others idle for long


def advanced(search: TileSearch, placements: int) -> TileSearch:
    """A subtree, so many placements later."""
    search.advance(placements, counting=True)
    return search


def count(search: TileSearch, clock: Clock, limit: int | None, number: int, executor: Executor | None = None) -> Run:
    """Visit the whole tree once with so many workers, or until ``limit`` solutions are found."""
    waiting = search.split(number * SUBTREES_A_WORKER)[::-1] if number > 1 else [search]
    over: list[TileSearch] = []
    running: dict[Future[TileSearch], int] = {}  # and the steps booked for it, whether it makes them or not
    clock.spend(sum(subtree.placements for subtree in waiting))
    copies, turns = labellings(search.tiles), search.tiles.symmetry

    def boards() -> int:
        return sum(int(s.tally[0]) for s in (*over, *waiting))

    def take(future: Future[TileSearch]) -> None:
        subtree = future.result()
        clock.spend(subtree.placements - running.pop(future))
        (over if subtree.exhausted else waiting).append(subtree)

    with workers(executor, number) as pool:
        due_s = LOOK_S
        while (waiting or running) and not clock.expired and not (limit and boards() * copies >= limit * turns):
            while waiting and len(running) < number and (slice_ := clock.allowance(search.chunk * LAST_SLICE)) > 0:
                subtree = waiting.pop()
                clock.spend(slice_)
                booked = subtree.placements + slice_
                running[pool.submit(advanced, subtree, slice_)] = booked
            for future in wait(running, timeout=LOOK_S, return_when=FIRST_COMPLETED).done:
                take(future)
            if clock.elapsed_s >= due_s:
                yield Progress(clock.steps, "placements", boards(), best_name="boards")
                due_s = clock.elapsed_s + LOOK_S
        for future in [*running]:
            take(future)
    total, half, quarter = (int(sum(s.tally[k] for s in (*over, *waiting))) for k in range(3))
    exhausted = not waiting
    counters = {**numbers(search.tiles, total, total + half + 2 * quarter), "placements": clock.steps}
    return Outcome("complete" if exhausted else "out_of_budget" if clock.expired else "partial", None, counters)


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
