"""Writing so that nothing is ever half-written, and finding out before the work that it can be written at all.

And reading a file that somebody else named.
"""

import contextlib
import os
import tempfile
from pathlib import Path

from .errors import BadInput, BadUsage
from .limits import INPUT_BYTES, MIB


def check_writable(path: Path) -> None:
    """Raise one clear sentence now if ``write_atomically`` could not write there later."""
    if str(path) in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        raise BadUsage(f"cannot write {path}: standard output is for the report")
    try:
        if path.is_dir():
            raise BadUsage(f"cannot write {path}: it is a folder")
        if _is_special(path):
            return
        parent = path.resolve().parent
        if not parent.is_dir():
            raise BadUsage(f"cannot write {path}: there is no folder {path.parent}")
        if path.exists() and not os.access(path, os.W_OK):
            raise BadUsage(f"cannot write {path}: permission denied")
        with tempfile.TemporaryFile(dir=parent):
            pass
    except (OSError, RuntimeError, ValueError) as error:  # too long, a link to itself, a NUL
        raise BadUsage(f"cannot write {_short(path)}: {reason(error)}") from None


def read_limited(path: Path) -> bytes:
    """The bytes of a file that another one names; a device or a pipe might be waited for, or read, without end."""
    try:
        if path.exists() and not path.is_file():
            raise BadInput(f"cannot read {_short(path)}: it is not a file")
        with path.open("rb") as file:
            data = file.read(INPUT_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in its name
        raise BadInput(f"cannot read {_short(path)}: {reason(error)}") from None
    if len(data) > INPUT_BYTES:
        raise BadInput(f"{_short(path)} is larger than {INPUT_BYTES // MIB} MiB")
    return data


def refuse_overwriting(source: str, *outputs: Path | None) -> None:
    """Raise one clear sentence if what was given would be lost under what is to be written."""
    for path in filter(None, outputs):
        with contextlib.suppress(OSError, ValueError):  # a text, or a name no file can have
            if path.exists() and path.samefile(source):
                raise BadUsage(f"{path} is what is read here; write to another file")


def write_atomically(path: Path, data: bytes) -> None:
    """Write to a temporary file beside ``path``, flush it to disk, and rename it into place."""
    try:
        if _is_special(path):  # a pipe or a device: renaming over it would replace it
            path.write_bytes(data)
            return
        target = path.resolve()  # a link stays a link
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".dovetail-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, mode)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise BadUsage(f"cannot write {_short(path)}: {reason(error)}") from None


def make_folder(path: Path, parents: bool = False) -> None:
    """Make a folder unless it is there."""
    try:
        path.mkdir(parents=parents, exist_ok=True)
    except OSError as error:
        raise BadUsage(f"cannot make the folder {path}: {reason(error)}") from None


def reason(error: Exception) -> str:
    """An operating system error in lower case and without its number."""
    return str(getattr(error, "strerror", None) or error).lower()


def _short(path: Path) -> str:
    text = str(path)
    return text if len(text) <= 80 else text[:77] + "…"


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
