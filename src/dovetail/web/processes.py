"""Worker processes as the server sees them: started warm, asked, watched over, ended with all that they started."""

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..bench.commands import held_mb
from .channel import LENGTH, LONGEST, Message, packed
from .limits import Limits
from .problems import Problem

START_S = 60.0  # for a worker to load on a busy machine
MOST_JOBS = 200  # of one process, should any library leak


class Gone(Exception):
    """The worker has ended; ``code`` and the sentence say why, as far as it is known."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class Process:
    """One worker."""

    def __init__(self, process: asyncio.subprocess.Process, folder: "tempfile.TemporaryDirectory[str]") -> None:
        self._process, self._folder = process, folder
        self.done = 0  # requests so far
        self.why_ended: tuple[str, str] | None = None  # if we ended it

    @classmethod
    async def start(cls, limits: Limits, nice: int = 0) -> "Process":
        """A new one, loaded and ready."""
        folder = tempfile.TemporaryDirectory(prefix="dovetail-worker-")
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "dovetail.web.worker", cwd=folder.name, env=_environment(),
                start_new_session=True, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=2**22,
            )  # fmt: skip
        except BaseException:
            folder.cleanup()
            raise
        worker = cls(process, folder)
        try:
            from .worker import settings_of

            await worker.send(settings_of(limits, nice))
            await asyncio.wait_for(worker.receive(), START_S)
        except BaseException:
            await worker.end()
            raise
        return worker

    @property
    def pid(self) -> int:
        """Of the process, and of the group of all that it starts."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.returncode is None and self.why_ended is None

    async def send(self, said: dict[str, Any], *parts: bytes) -> None:
        """Ask it."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(packed(said, *parts))
            await self._process.stdin.drain()
        except (ConnectionError, RuntimeError):
            raise await self._gone() from None

    async def receive(self) -> Message:
        """What it says next."""
        assert self._process.stdout is not None
        read = self._process.stdout.readexactly
        try:
            (length,) = LENGTH.unpack(await read(LENGTH.size))
            if length > LONGEST:
                raise ValueError
            said = json.loads(await read(length))
            parts = [await read(min(int(size), LONGEST)) for size in said.pop("parts")]
        except (asyncio.IncompleteReadError, ConnectionError):
            raise await self._gone() from None
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            await self.end("crashed", "the worker said something that makes no sense")
            raise await self._gone() from None
        return said, parts

    def kill(self, code: str = "crashed", sentence: str = "the worker was ended") -> None:
        """End it and all that it started, at once; whoever waits for it learns why."""
        if self.why_ended is None:
            self.why_ended = (code, sentence)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    async def end(self, code: str = "crashed", sentence: str = "the worker was ended") -> None:
        """The same, and wait until it is over."""
        self.kill(code, sentence)
        try:
            await self._process.wait()
        finally:  # also when nobody waits for it any more
            with contextlib.suppress(OSError):
                self._folder.cleanup()

    def held_mb(self) -> float:
        """Memory that it and those it started hold now."""
        return held_mb(self.pid)

    def worn(self, limits: Limits) -> bool:
        """Whether a fresh one should take its place."""
        return not self.alive or self.done >= MOST_JOBS or self.held_mb() > limits.memory_mb / 2

    async def _gone(self) -> Gone:
        status = await self._process.wait()
        if self.why_ended is None:
            how = f"signal {-status}" if status < 0 else f"status {status}"
            self.why_ended = ("crashed", f"the worker died ({how}); the other jobs go on")
            await self.end()
        return Gone(*self.why_ended)


async def ask(worker: Process, said: dict[str, Any], parts: tuple[bytes, ...], within_s: float) -> Message:
    """One question, one answer; a worker that takes too long is let go."""
    try:
        async with asyncio.timeout(within_s):
            await worker.send(said, *parts)
            answer, found = await worker.receive()
    except TimeoutError:
        await worker.end("time", f"this took longer than the {within_s:g} seconds it may take here")
        raise Problem("time", f"this took longer than the {within_s:g} seconds it may take here") from None
    except asyncio.CancelledError:  # the visitor has gone, and its half-given answer must not meet the next
        worker.kill()
        raise
    except Gone as gone:
        raise Problem(gone.code, str(gone)) from None
    worker.done += 1
    if answer.pop("event") == "error":
        raise Problem(answer["code"], answer["sentence"])
    return answer, found


def _environment() -> dict[str, str]:
    """Ours, without what would let a worker find more than it needs, and with this very package on its path."""
    kept = {key: value for key, value in os.environ.items() if key != "DOVETAIL_TOKEN"}
    source = str(Path(__file__).parents[2])
    kept["PYTHONPATH"] = os.pathsep.join([source, *filter(None, [kept.get("PYTHONPATH")])])
    kept["PYTHONSAFEPATH"] = "1"
    return kept
