"""Python loads this by itself where its folder is on PYTHONPATH: things that go wrong just while a checkpoint is saved.

``SABOTAGE=what:number`` says what happens at which save, counted from 1: the process is killed after half of the
writing (``write``), before it is renamed (``rename``) or right after (``renamed``); or, from then on, the disk is full
(``full``) or the folder cannot be written to (``read-only``).
"""

import errno
import os
import signal
from typing import Any

WHAT, _, NUMBER = os.environ.get("SABOTAGE", "").partition(":")
saves = 0
parts: set[int] = set()  # files that are being written
real_open, real_write, real_replace = os.open, os.write, os.replace


def due(for_good: bool = False) -> bool:
    return saves >= int(NUMBER) if for_good else saves == int(NUMBER)


def end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def open_(path: Any, flags: int, *rest: Any, **options: Any) -> int:
    global saves
    part = str(path).endswith(".part") and flags & os.O_CREAT
    saves += bool(part)
    if part and WHAT == "read-only" and due(for_good=True):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))
    handle = real_open(path, flags, *rest, **options)
    if part:
        parts.add(handle)
    return handle


def write(handle: int, data: Any) -> int:
    if handle in parts and WHAT == "full" and due(for_good=True):
        raise OSError(errno.ENOSPC, "No space left on device")
    if handle in parts and WHAT == "write" and due() and len(data) > 1000:
        real_write(handle, memoryview(data)[: len(data) // 2])
        end()
    return real_write(handle, data)


def replace(source: Any, target: Any, **options: Any) -> None:
    part = str(source).endswith(".part")
    if part and WHAT == "rename" and due():
        end()
    real_replace(source, target, **options)
    if part and WHAT == "renamed" and due():
        end()


if WHAT:
    os.open, os.write = open_, write
    os.replace = replace  # type: ignore[assignment]
