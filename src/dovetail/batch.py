"""Many puzzles from one input: one after the other, or spread over worker processes."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
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

    ``budget`` is for each puzzle. A puzzle whose worker died is tried once more in a process of its own, then given up.
    """
    jobs_for = [Job(puzzle, solver, budget, seed, given) for puzzle in puzzles]  # refusals come before any work
    context = multiprocessing.get_context("spawn")
    stop = context.Event()

    def pool(workers: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(workers, context, _begin_worker, (stop,))

    def wait_for(futures: list[Future[Answer | None]]) -> None:
        while not wait(futures[:1], timeout=0.1).done:
            if stopped() and not stop.is_set():
                stop.set()
                for future in futures:
                    future.cancel()

    with pool(min(jobs, len(puzzles))) as workers:
        futures = [workers.submit(_solve_one, p, solver, budget, seed, dict(given)) for p in puzzles]
        for number, (job, future) in enumerate(zip(jobs_for, futures, strict=True)):
            wait_for(futures[number:])
            if future.cancelled():
                yield None
                continue
            try:
                yield future.result()
            except BrokenProcessPool:  # perhaps another puzzle's fault
                with pool(1) as fresh:
                    again = fresh.submit(_solve_one, job.puzzle, solver, budget, seed, dict(given))
                    wait_for([again])
                    try:
                        yield again.result()
                    except BrokenProcessPool:
                        yield job.failed("its worker process died (out of memory?)")


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
