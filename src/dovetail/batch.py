"""Many puzzles from one input: one after the other, or spread over worker processes."""

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from .core.puzzle import Puzzle
from .core.solver import Budget
from .pipeline import Answer, Job
from .workers import end_with_parent, signals_blocked, width

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
            with signals_blocked():
                again = fresh.submit(_solve_one, job.puzzle, solver, budget, seed, dict(given))
            wait_for([again])
            try:
                return None if again.cancelled() else again.result()
            except BrokenProcessPool:
                return job.failed("its worker process died (out of memory?)")

    with pool(min(jobs, len(puzzles))) as workers:
        try:
            with signals_blocked():  # for the workers, who inherit it, from their first moment on
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


def solve_apart(
    puzzles: Sequence[Puzzle],
    solver: str,
    budget: Budget,
    seed: int,
    given: Mapping[str, Any],
    executor: Executor,
    stopped: Callable[[], bool],
) -> Iterator[Answer]:
    """The same on any executor, a cluster's, say; what has not come when somebody stops the run is called off."""
    for puzzle in puzzles:
        Job(puzzle, solver, budget, seed, given)  # refusals come before any work
    waiting = iter(puzzles)
    running: deque[Future[Answer]] = deque()
    while True:
        while len(running) < width(executor, 2) and not stopped() and (puzzle_ := next(waiting, None)) is not None:
            running.append(executor.submit(solve_alone, puzzle_, solver, budget, seed, dict(given)))
        if not running:
            return
        while not wait([running[0]], timeout=0.1).done:
            if stopped():
                running = deque(future for future in running if not future.cancel())
                if not running:
                    return
        yield running.popleft().result()


def solve_alone(puzzle: Puzzle, solver: str, budget: Budget, seed: int, given: dict[str, Any]) -> Answer:
    """On a worker: one puzzle from beginning to end."""
    job = Job(puzzle, solver, budget, seed, given)
    job.warm_up()
    for _ in job:
        pass
    return job.answer


def _begin_worker(stop: Any) -> None:
    """Signals reach the whole process group, but the parent tells us when to stop; without a parent, we end."""
    global _stop
    _stop = stop
    end_with_parent()


def _solve_one(puzzle: Puzzle, solver: str, budget: Budget, seed: int, given: dict[str, Any]) -> Answer | None:
    if _stop.is_set():
        return None
    job = Job(puzzle, solver, budget, seed, given)
    job.warm_up()
    for _ in job:
        if _stop.is_set():
            job.cancel()
    return job.answer
