"""Many puzzles from one input: one after the other, or spread over worker processes."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
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

    def once_more(job: Job) -> Answer | None:
        with pool(1) as fresh:
            with _signals_blocked():
                again = fresh.submit(_solve_one, job.puzzle, solver, budget, seed, dict(given))
            wait_for([again])
            try:
                return None if again.cancelled() else again.result()
            except BrokenProcessPool:
                return job.failed("its worker process died (out of memory?)")

    with pool(min(jobs, len(puzzles))) as workers:
        try:
            with _signals_blocked():  # for the workers, who inherit it, from their first moment on
                futures = [workers.submit(_solve_one, p, solver, budget, seed, dict(given)) for p in puzzles]
            for number, (job, future) in enumerate(zip(jobs_for, futures, strict=True)):
                wait_for(futures[number:])
                if future.cancelled():
                    yield None
                    continue
                try:
                    yield future.result()
                except BrokenProcessPool:  # perhaps another puzzle's fault
                    yield once_more(job)
        except BaseException:  # interrupted a second time: do not wait for whole budgets
            stop.set()
            workers.shutdown(wait=False, cancel_futures=True)
            raise


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Put Ctrl-C and SIGTERM off for a moment: processes made meanwhile never see one, and none is lost here."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker(stop: Any) -> None:
    """Signals reach the whole process group, but the parent tells us when to stop; without a parent, we end."""
    global _stop
    _stop = stop
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    multiprocessing.connection.wait([parent.sentinel])
    os._exit(1)


def _solve_one(puzzle: Puzzle, solver: str, budget: Budget, seed: int, given: dict[str, Any]) -> Answer | None:
    if _stop.is_set():
        return None
    job = Job(puzzle, solver, budget, seed, given)
    job.warm_up()
    for _ in job:
        if _stop.is_set():
            job.cancel()
    return job.answer
