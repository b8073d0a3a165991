"""What a reader may do with any bytes: return, or refuse in one clear sentence; soon, and in little memory."""

import resource
import signal
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dovetail.core.errors import DovetailError

MOST_SECONDS = 10  # of processor time for one input, whatever else runs on the machine
LONGEST = 500  # characters of a sentence
SOURCE = str(Path("src") / "dovetail")


class Hang(BaseException):
    """Raised into a reader that takes too long; no reader's ``except Exception`` can hold it."""


@dataclass(frozen=True)
class Target:
    """One reader, and valid input for it."""

    name: str
    make_seeds: Callable[[], tuple[bytes, ...]]
    call: Callable[[bytes], object]
    memory_mb: int = 300  # that one input may add to what the process has held at most

    @cached_property
    def seeds(self) -> tuple[bytes, ...]:
        """Made when they are needed: some take a while."""
        return self.make_seeds()


@dataclass(frozen=True)
class Finding:
    """What a reader did that it may not do."""

    what: str  # the same for the same mistake
    detail: str
    data: bytes


class Watch:
    """Ends what hangs: a timer of processor time, looked at once a second."""

    def __init__(self) -> None:
        self.ticks = 0

    def __enter__(self) -> "Watch":
        self._warnings = warnings.catch_warnings()
        self._warnings.__enter__()
        warnings.simplefilter("error")  # nothing that a reader does may warn users of what is not theirs
        self._before = signal.signal(signal.SIGPROF, self._tick)
        signal.setitimer(signal.ITIMER_PROF, 1, 1)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, self._before)
        self._warnings.__exit__(None, None, None)

    def _tick(self, *_: object) -> None:
        self.ticks += 1
        if self.ticks > MOST_SECONDS:
            self.ticks = 0
            raise Hang


def judged(target: Target, data: bytes, watch: Watch) -> Finding | None:
    """What is wrong with how the reader takes these bytes; None if nothing is."""
    watch.ticks, held = 0, held_kb()
    try:
        target.call(data)
    except DovetailError as error:
        if unclear := fault(str(error)):
            return Finding(f"{unclear}, {_place(error)}", repr(str(error))[:1000], data)
    except Hang as error:
        return Finding(f"hangs, {_place(error)}", f"more than {MOST_SECONDS} s", data)
    except Exception as error:
        return Finding(f"{type(error).__name__}, {_place(error)}", str(error)[:300], data)
    finally:
        watch.ticks = 0
    grown = (held_kb() - held) / 1024
    if grown > target.memory_mb:
        return Finding("takes too much memory", f"{grown:.0f} MB more than ever before", data)
    return None


def fault(sentence: str) -> str | None:
    """Why this is no sentence for a person."""
    if not sentence.strip():
        return "says nothing"
    if not sentence.isprintable():
        return "says what cannot be printed on one line"
    if len(sentence) > LONGEST:
        return "says too much"
    return "shows a traceback" if "Traceback" in sentence else None


def held_kb() -> int:
    """The most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _place(error: BaseException) -> str:
    """Where in our own code it happened: the innermost line of it."""
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if SOURCE in frame.filename]
    return f"{ours[-1].filename.partition(SOURCE)[2].lstrip('/')}:{ours[-1].lineno}" if ours else "outside"
