"""Many puzzles from one input: one after the other, or spread over worker processes."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from .core.puzzle import Puzzle
from .core.solver import Budget
from .pipeline import Answer, Job

_stop: Any = None  # in a worker: the event by which the parent asks it to stop


def solve_many(
    puzzles: Sequence[Puzzle],
    solver: str,
    budget: Budget,
    seed: int,
    given: Mapping[str, Any],
    jobs: int,
    stopped: Callable[[], bool],
) -> Iterator[Answer | None]:
    """An answer for each puzzle, in their order; None for those never begun because somebody stopped the run.

    ``budget`` is for each puzzle. Workers are separate processes, so one that dies takes nothing with it.
    """
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    with ProcessPoolExecutor(min(jobs, len(puzzles)), context, _begin_worker, (stop,)) as pool:
        futures = [pool.submit(_solve_one, puzzle, solver, budget, seed, dict(given)) for puzzle in puzzles]
        for future in futures:
            while not future.done():
                if stopped():
                    stop.set()
                    pool.shutdown(wait=False, cancel_futures=True)
                try:
                    future.exception(timeout=0.1)
                except TimeoutError:
                    continue
                except multiprocessing.ProcessError:
                    break
                except BaseException:  # cancelled
                    break
            yield None if future.cancelled() else future.result()


def _begin_worker(stop: Any) -> None:
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent tells us


def _solve_one(puzzle: Puzzle, solver: str, budget: Budget, seed: int, given: dict[str, Any]) -> Answer | None:
    if _stop.is_set():
        return None
    job = Job(puzzle, solver, budget, seed, given)
    job.warm_up()
    for _ in job:
        if _stop.is_set():
            job.cancel()
    return job.answer
