"""Work on other machines: a dask cluster as an executor (extra ``cluster``, docs/scale.md), or processes of this one.

A worker that dies is dask's business: what it had is done again by another, at most DEATHS times over. Dask sends
pickled Python, so a cluster is as trustworthy as the machines in it.
"""

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

from . import __version__
from .core.errors import BadUsage, DovetailError
from .workers import Processes

Client: TypeAlias = Any  # distributed.Client, whose calls carry no types
ANSWER_S = 10.0  # that a scheduler has to answer, and a first worker to be there
LOCAL = "local:"  # before a number: processes of this machine
MOST_LOCAL = 256


class Cluster(Executor):
    """An executor whose workers are those of a dask cluster, as many as there are at the moment."""

    stretch = 16  # slices of most of a second: a task takes some 10 ms on its way

    def __init__(self, client: Client, address: str) -> None:
        self.client, self.address = client, address
        self._threads: dict[str, int] = {}
        self._asked_s = -math.inf

    @property
    def threads(self) -> dict[str, int]:
        """How many threads each worker has, by its address; not older than a second."""
        if time.monotonic() - self._asked_s > 1:
            with suppress(OSError, TimeoutError):  # if the cluster is lost, the work itself says so
                self._threads = dict(self.client.nthreads())
            self._asked_s = time.monotonic()
        return self._threads

    @property
    def width(self) -> int:
        """Threads of all workers that are there now."""
        return sum(self.threads.values())

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As ``Executor.submit``; ``cancel`` works until the result has come."""
        future: Future[Any] = Future()
        task: Any = self.client.submit(fn, *args, **kwargs, pure=False)

        def hand_over(task: Any) -> None:
            value, error = None, None
            try:
                value = task.result()
            except BaseException as raised:
                error = self._said(raised)
            if not future.set_running_or_notify_cancel():
                return
            if error is None:
                future.set_result(value)
            else:
                future.set_exception(error)

        def forget(future: Future[Any]) -> None:
            if future.cancelled():
                task.cancel()

        future.add_done_callback(forget)
        task.add_done_callback(hand_over)
        return future

    def _said(self, error: BaseException) -> BaseException:
        """Dask's own errors as sentences; what the work itself raised, as it is."""
        from distributed import CancelledError
        from distributed.scheduler import KilledWorker

        if isinstance(error, KilledWorker):
            return DovetailError(f"a piece of the work ended its worker several times over (out of memory?): {error}")
        if isinstance(error, CancelledError | OSError):
            return DovetailError(f"the cluster at {self.address} was lost: {error}")
        return error

    def everywhere(self, fn: Callable[..., Any], *args: Any) -> dict[str, Any]:
        """What this call says on each worker, by its address."""
        asked = {
            where: self.client.submit(fn, *args, workers=[where], allow_other_workers=True, pure=False)
            for where in self.threads
        }
        try:
            return {where: task.result() for where, task in asked.items()}
        except Exception as error:
            raise self._said(error) from None


@contextmanager
def connected(address: str | None) -> Iterator[Executor | None]:
    """The executor at an address: a dask scheduler's, or ``local:N`` for processes of this machine. None stays None."""
    if address is None:
        yield None
    elif address.startswith(LOCAL):
        number = address.removeprefix(LOCAL)
        if not (number.isascii() and number.isdigit() and 1 <= int(number) <= MOST_LOCAL):
            raise BadUsage(f"{LOCAL} goes before a number of processes, 1 to {MOST_LOCAL}, not {number!r}")
        with Processes(int(number)) as pool:
            yield pool
    else:
        client = _client(address)
        try:
            cluster = Cluster(client, address)
            _check(cluster)
            yield cluster
        finally:
            client.close(timeout=ANSWER_S)


def _client(address: str) -> Client:
    try:
        import distributed
    except ImportError:
        raise BadUsage("--cluster needs dask.distributed: pip install 'dovetail[cluster]'") from None
    try:
        return distributed.Client(address, timeout=ANSWER_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise BadUsage(f"no dask scheduler answers at {address!r}: {_short(error)}") from None


def _check(cluster: Cluster) -> None:
    """Workers are there, and they run the same Dovetail."""
    try:
        cluster.client.wait_for_workers(1, timeout=ANSWER_S)
    except TimeoutError:
        raise BadUsage(f"the cluster at {cluster.address} has no workers (docs/scale.md)") from None
    try:
        versions = cluster.everywhere(version)
    except ImportError as error:
        raise BadUsage(f"a worker of {cluster.address} does not have Dovetail installed: {error}") from None
    for where, found in versions.items():
        if found != __version__:
            raise BadUsage(f"the worker {where} runs Dovetail {found}, and this is {__version__}")


def version() -> str:
    """Of the Dovetail that runs this."""
    return __version__


def _short(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
