"""A running solver on disk: saved atomically now and then and when it is stopped, taken up again by the same command.

The file: a line that says what it is, a line of JSON (format, which run it belongs to, length and SHA-256 of the rest),
and the rest, a state (``state.py``). It is written beside its place, flushed and renamed, so that whatever happens
there is the last state or the one before. Damaged, foreign and newer files are refused and never written over.

A solver that can go on asks ``Clock.kept`` where an earlier run was, and tells ``Clock.keep`` how to describe where it
is: at any of its yields, and after it ended unfinished.
"""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .errors import BadInput, BadUsage
from .files import check_writable, reason
from .puzzle import canonical_json
from .solver import Clock, Outcome, Run
from .state import Misfit, State, fields, packed, unpacked, within

MAGIC = b"dovetail checkpoint\n"
FORMAT = 1
EVERY_S = 15.0  # between two saves
MOST_SHARE = 0.05  # of the time may go into saving
MOST_HEADER, MOST_BYTES = 2**20, 2**33
FINISHED = ("complete", "proved_none")
NAMES = {"puzzle": "another puzzle", "solver": "another solver", "seed": "another seed", "verb": "another command",
         "settings": "other settings", "hints": "other hints", "limit": "another limit",
         "version": "another version of Dovetail"}  # fmt: skip


class Checkpoint:
    """One file, held by one run at a time. ``trouble`` is told, in a sentence, when saving fails; the run goes on."""

    def __init__(
        self, path: Path, every_s: float = EVERY_S, trouble: Callable[[str], None] = lambda sentence: None
    ) -> None:
        if not every_s > 0:
            raise BadUsage(f"a checkpoint is saved every so many seconds, more than 0, not {every_s}")
        self.path, self.every_s, self._trouble = path, every_s, trouble
        self._part = path.with_name(f".{path.name}.part")
        self._of: Mapping[str, Any] = {}
        self._held: int | None = None  # the open file: its lock says that a run uses it
        self._saved_s, self._took_s = 0.0, 0.0
        self._troubled = False  # what is told is told once, until a save succeeds
        self.resumed = False  # whether there was something to go on from
        self.finished = False  # whether the run came to its own end
        self.saves = 0

    @contextmanager
    def held(self, of: Mapping[str, Any]) -> Iterator[None]:
        """While a run goes on: nobody else uses the file. ``of`` says, in JSON types, which run it is."""
        self._of = json.loads(canonical_json(of))
        check_writable(self.path)
        if self.path.exists():
            self._held = _locked(self.path)
        try:
            with contextlib.suppress(FileNotFoundError):
                self._part.unlink()  # of a run that was killed while it saved
            yield
        finally:
            if self._held is not None:
                os.close(self._held)
                self._held = None
            with contextlib.suppress(OSError):
                self._part.unlink()

    def kept(self) -> State | None:
        """What an earlier run left, if it is of this one."""
        if self._held is None:
            return None
        header, body = loaded(self.path)
        refuse_foreign(self.path, header["of"], self._of)
        return unpacked(body)

    def driven(self, begin: Callable[[Clock], Run], clock: Clock) -> Run:
        """A run that is taken up where it was left, and saved between its glances."""
        state = self.kept()
        if state is not None:
            self.resumed = True
            clock.resume(*_run_of(state))
        run = begin(clock)
        self._saved_s = time.monotonic()
        if state is None:
            self.save({"clock": clock.spent(), "solver": None})  # whether it can be saved is known from the start
        while True:
            try:
                event = next(run)
            except StopIteration as ended:
                outcome: Outcome = ended.value
                break
            yield event
            if clock.expired or time.monotonic() - self._saved_s >= max(self.every_s, self._took_s / MOST_SHARE):
                self._save_run(clock)
        self.finished = outcome.status in FINISHED
        if not self.finished:
            self._save_run(clock)
        return outcome

    def _save_run(self, clock: Clock) -> None:
        if clock.snapshot is not None:
            begin = time.monotonic()
            where = clock.snapshot()  # which may wait for what is under way, and correct the steps booked for it
            self.save({"clock": clock.spent(), "solver": where})
            self._saved_s = time.monotonic()
            self._took_s = self._saved_s - begin

    def save(self, state: State) -> None:
        """Write, flush, rename; what was saved before is there until then."""
        body = packed(state)
        digest = hashlib.sha256(canonical_json(self._of).encode() + body).hexdigest()
        header = json.dumps({"format": FORMAT, "of": self._of, "bytes": len(body), "sha256": digest}).encode()
        try:
            handle = os.open(self._part, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _lock(handle, self.path)
                os.ftruncate(handle, 0)  # not before it is ours
                for data in (MAGIC, header, b"\n", body):
                    _write_all(handle, data)
                os.fsync(handle)
                os.replace(self._part, self.path)
            except BaseException:
                os.close(handle)
                raise
            if self._held is not None:
                os.close(self._held)
            self._held = handle
            _flush_folder(self.path.resolve().parent)
            self.saves += 1
            self._troubled = False
        except OSError as error:
            with contextlib.suppress(OSError):
                self._part.unlink()
            if not self._troubled:
                self._trouble(f"the checkpoint {self.path} could not be saved: {reason(error)}; the last one is kept")
            self._troubled = True

    def done(self) -> None:
        """The answer is where it belongs: if the run had come to its end, there is nothing to go on with."""
        if not self.finished:
            return
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            self._trouble(f"the checkpoint {self.path} is no longer needed, and cannot be removed: {reason(error)}")


def loaded(path: Path) -> tuple[dict[str, Any], bytes]:
    """Header and body of a checkpoint, whole and of a format we know; else one clear sentence."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadInput(f"{path} is larger than any checkpoint")
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot read the checkpoint {path}: {reason(error)}") from None
    return parsed(data, str(path))


def parsed(data: bytes, name: str) -> tuple[dict[str, Any], bytes]:
    """The same of bytes."""
    if not data.startswith(MAGIC):
        raise BadInput(f"{name} is no checkpoint of Dovetail's; name another file")
    damaged = BadInput(f"the checkpoint {name} is damaged; remove it to begin anew")
    end = data.find(b"\n", len(MAGIC), len(MAGIC) + MOST_HEADER)
    try:
        header = json.loads(data[len(MAGIC) : end])
        format_ = header["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise damaged from None
    if type(format_) is int and format_ > FORMAT:
        raise BadInput(f"the checkpoint {name} was saved by a newer Dovetail (format {format_}, we know {FORMAT})")
    body = data[end + 1 :]
    of, length, digest = (header.get(key) for key in ("of", "bytes", "sha256"))
    if format_ != FORMAT or not isinstance(of, dict) or length != len(body):
        raise damaged
    if hashlib.sha256(canonical_json(of).encode() + body).hexdigest() != digest:
        raise damaged
    return header, body


def refuse_foreign(path: Path, there: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """A checkpoint of another run is not ours to go on with, or to write over."""
    for key in wanted:
        if there.get(key) != wanted[key]:
            raise BadInput(f"the checkpoint {path} is of {NAMES.get(key, f'another {key}')}; name another file")


def _run_of(state: State) -> tuple[dict[str, float], dict[str, Any] | None]:
    """What a state says of the clock and of the solver."""
    saved = fields(state, ("clock", "solver"))
    spent, kept = fields(saved["clock"], ("steps", "elapsed_s")), saved["solver"]
    if type(spent["steps"]) is not int or type(spent["elapsed_s"]) not in (int, float):
        raise Misfit("clock")
    within([spent["steps"], spent["elapsed_s"]], 0, 2.0**62, "clock")
    if kept is not None and not isinstance(kept, dict):
        raise Misfit("solver")
    return spent, kept


def _locked(path: Path) -> int:
    while True:
        try:
            handle = os.open(path, os.O_RDWR)
        except OSError as error:
            raise BadUsage(f"cannot use the checkpoint {path}: {reason(error)}") from None
        try:
            _lock(handle, path)
            if os.path.samestat(os.fstat(handle), path.stat()):
                return handle
            os.close(handle)  # another run saved at this very moment: look at what it saved
        except OSError as error:
            os.close(handle)
            raise BadUsage(f"cannot use the checkpoint {path}: {reason(error)}") from None
        except BaseException:
            os.close(handle)
            raise


def _lock(handle: int, path: Path) -> None:
    """For as long as the file is open; without locks on this system, without."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadUsage(f"another run is using the checkpoint {path}") from None


def _write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while len(rest):
        rest = rest[os.write(handle, rest) :]


def _flush_folder(folder: Path) -> None:
    """So that the new name outlasts a power cut, too."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
