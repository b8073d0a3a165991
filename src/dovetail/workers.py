"""Where parallel work runs: the executor the caller has, threads of our own, or the caller's thread.

Work is cut into slices that are values: a slice done in another process gives back a copy, and until that comes the old
one stands. So a worker that dies takes nothing with it, and nothing is counted twice. Executors whose workers are far
away (``cluster.py``) say so by ``stretch``, how many times longer their slices should be, and ``width``, how many
workers there are now.
"""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from .core.errors import DovetailError
from .core.solver import Clock

T = TypeVar("T")

LOOK_S = 0.05  # between two looks at the clock
GRACE_S = 3.0  # that a slice gets to come back once the clock has run out
DEATHS = 3  # of workers, after which a piece of work is taken to be what kills them


class Inline(Executor):
    """Runs what it is given at once, on the caller's thread."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As ``Executor.submit``."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Processes(Executor):
    """Processes of this machine. One that dies is replaced, and what was lost with it is done again."""

    stretch = 10

    def __init__(self, number: int) -> None:
        self.width = number
        self._lock = threading.Lock()
        self._pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.width, multiprocessing.get_context("spawn"), end_with_parent)

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As ``Executor.submit``."""
        future: Future[Any] = Future()
        self._begin(future, 0, fn, args, kwargs)
        return future

    def _begin(self, future: Future[Any], deaths: int, fn: Any, args: Any, kwargs: Any) -> None:
        """Hand it to the pool, or to a new one if that has just broken."""
        with self._lock, signals_blocked():
            pool = self._pool
            try:
                inner = pool.submit(fn, *args, **kwargs)
            except BrokenProcessPool:
                pool = self._pool = self._new()
                inner = pool.submit(fn, *args, **kwargs)

        def ended(inner: Future[Any]) -> None:
            error = None if inner.cancelled() else inner.exception()
            if isinstance(error, BrokenProcessPool) and deaths + 1 < DEATHS and not future.cancelled():
                with self._lock:
                    if self._pool is pool:
                        self._pool = self._new()
                self._begin(future, deaths + 1, fn, args, kwargs)
            elif inner.cancelled() or not future.set_running_or_notify_cancel():
                future.cancel()
            elif isinstance(error, BrokenProcessPool):
                future.set_exception(DovetailError(f"a piece of the work ended its worker {DEATHS} times over"))
            elif error is not None:
                future.set_exception(error)
            else:
                future.set_result(inner.result())

        inner.add_done_callback(ended)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As ``Executor.shutdown``."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Put Ctrl-C and SIGTERM off for a moment: processes made meanwhile never see one, and none is lost here."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent() -> None:
    """In a worker process: see to it that it ends when its parent has."""

    def wait_for_parent() -> None:
        parent = multiprocessing.parent_process()
        assert parent is not None
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=wait_for_parent, daemon=True).start()


@contextmanager
def workers(executor: Executor | None, number: int) -> Iterator[Executor]:
    """The executor given, else threads of our own, else (for one) the caller's thread."""
    if executor is not None:
        yield executor
    elif number == 1:
        yield Inline()
    else:
        with ThreadPoolExecutor(number) as pool:
            yield pool


def stretch(executor: Executor | None) -> int:
    """How many times longer than usual a slice should be, so that sending it is worth while."""
    return int(getattr(executor, "stretch", 1))


def width(executor: Executor | None, number: int) -> int:
    """How many pieces of work to have under way: ``number``, or more if there are more workers far away.

    Those have the next piece waiting for them, so that none is idle while results travel.
    """
    there = getattr(executor, "width", None)
    return number if there is None else 2 * max(1, int(there))


def collected(running: Mapping[Future[T], T], clock: Clock) -> list[T]:
    """What each piece of work has become.

    Once the clock has run out, those that do not come (a worker far away is busy or gone) stay as they were.
    """
    pending = set(running)
    while pending and not clock.expired:
        pending = wait(pending, LOOK_S).not_done
    pending = wait(pending, GRACE_S).not_done
    return [before if future in pending and future.cancel() else future.result() for future, before in running.items()]
