"""Ctrl-C and SIGTERM: the first asks the running job to end with its best so far, the second interrupts at once."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Stop:
    """Set by Ctrl-C or SIGTERM: the running job ends with its best so far, later ones are not begun."""

    def __init__(self) -> None:
        self.asked = False
        self.job: Any = None

    def __call__(self) -> bool:
        """Whether it is set."""
        return self.asked

    def follow(self, job: Any) -> None:
        """From now on, stop this job."""
        self.job = job
        if self.asked:
            job.cancel()


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Turn the first signal into a polite stop; a second one interrupts at once."""
    stop = Stop()

    def handle(*_: Any) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True
        if stop.job is not None:
            stop.job.cancel()

    before = {s: signal.signal(s, handle) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for s, handler in before.items():
            signal.signal(s, handler)
