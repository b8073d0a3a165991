"""Where parallel work runs: the executor the caller has, threads of our own, or the caller's thread."""

from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any


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
