"""Pictures in a TAR archive, read one at a time from where they lie in it: nothing is ever unpacked to disk.

A picture is known by its name without the folders around it, so what an archive calls its files leads nowhere.
"""

import tarfile
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ..core import limits
from ..core.errors import BadInput
from ..core.files import reason
from ..core.source import MAX_BYTES

MOST_ENTRIES = limits.TAR_ENTRIES


class Place(NamedTuple):
    """Where in the archive the bytes of a file begin, and how many they are."""

    start: int
    size: int


def is_archive(path: Path) -> bool:
    """Whether it is one, by what stands in its first header."""
    try:
        with path.open("rb") as file:
            return file.read(512)[257:262] == b"ustar"
    except OSError:
        return False


def names(path: Path) -> list[str]:
    """Of the files in it that are not hidden, sorted; raises BadInput."""
    return sorted(_contents(path))


def content(path: Path, name: str) -> bytes:
    """The bytes of one of them; raises BadInput."""
    places = _contents(path)
    if name not in places:
        raise BadInput(f"there is no file {name[:80]!r} in the archive {path}")
    start, size = places[name]
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(size)
    except OSError as error:
        raise BadInput(f"cannot read {path}: {reason(error)}") from None


def _contents(path: Path) -> dict[str, Place]:
    try:
        found = path.stat()
    except OSError as error:
        raise BadInput(f"cannot read {path}: {reason(error)}") from None
    if not is_archive(path):
        raise BadInput(f"{path} is no TAR archive that can be read here (a packed one is to be unpacked first)")
    return _listed(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=4)
def _listed(path: Path, changed_ns: int, total: int) -> dict[str, Place]:
    """All headers are read once, however many pictures are wanted; again, if the file has changed since."""
    places: dict[str, Place] = {}
    try:
        with tarfile.open(path, "r:") as archive:
            for number, entry in enumerate(archive):
                if number == MOST_ENTRIES:
                    raise BadInput(f"{path} holds more than {MOST_ENTRIES:,} files")
                name = PurePosixPath(entry.name).name
                if not entry.isreg() or entry.issparse() or name.startswith(".") or not name:
                    continue
                if not 0 <= entry.size <= min(MAX_BYTES, total - entry.offset_data):
                    raise BadInput(f"{path}, {name[:80]!r} is truncated, or larger than {MAX_BYTES // 2**20} MiB")
                if name in places:
                    raise BadInput(f"{path} holds two files named {name[:80]!r}, which nobody could tell apart")
                places[name] = Place(entry.offset_data, entry.size)
    except BadInput:
        raise
    except Exception:  # tarfile raises nearly everything on hostile bytes
        raise BadInput(f"cannot read {path}: it is a truncated or damaged TAR archive") from None
    return places
