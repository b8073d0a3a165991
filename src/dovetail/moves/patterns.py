"""Additive pattern databases (Korf & Felner 2002): for some tiles at a time, how many slides of theirs are needed.

A database is filled by breadth-first search backwards from the goal; only slides of its own tiles count, so that the
numbers of all databases can be added. They depend on the size of the tray alone, and are kept in a cache folder.
"""

import hashlib
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import BadUsage
from ..core.files import write_atomically
from .pattern_kernels import GAP_BITS, UNSEEN, Patterns, Tray, spread

MOST_ENTRIES = 2**24  # of one database: six tiles of the 15-puzzle, five of the 24-puzzle
# the best known split of the 15-puzzle into 6, 6 and 3 tiles
SPLITS = {(4, 4): ((1, 5, 6, 9, 10, 13), (7, 8, 11, 12, 14, 15), (2, 3, 4))}
_MAGIC = b"dovetail patterns 1\n"


def split(rows: int, cols: int) -> tuple[tuple[int, ...], ...]:
    """The tiles of every pattern. Tiles that belong near each other get in each other's way, and go together."""
    if (rows, cols) in SPLITS:
        return SPLITS[rows, cols]
    cells = rows * cols
    size = next(k for k in range(cells - 1, 0, -1) if cells**k <= MOST_ENTRIES)
    tiles = [row * cols + col + 1 for row, col in _walk(rows, cols) if row * cols + col + 1 < cells]
    return tuple(tuple(tiles[start : start + size]) for start in range(0, len(tiles), size))


def _walk(rows: int, cols: int) -> list[tuple[int, int]]:
    """All cells, to and fro through strips two rows high."""
    found = []
    for strip, top in enumerate(range(0, rows, 2)):
        for col in range(cols) if strip % 2 == 0 else range(cols - 1, -1, -1):
            found += [(row, col) for row in range(top, min(top + 2, rows))]
    return found


@cache
def tray(rows: int, cols: int) -> Tray:
    """The cells of a tray and their neighbours."""
    near, degree = np.zeros((rows * cols, 4), np.int64), np.zeros(rows * cols, np.int64)
    for cell in range(rows * cols):
        row, col = divmod(cell, cols)
        beside = [(row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)]
        inside = [r * cols + c for r, c in beside if 0 <= r < rows and 0 <= c < cols]
        near[cell, : len(inside)], degree[cell] = inside, len(inside)
    # the bits are for databases, whose trays have fewer cells than GAP_BITS
    first, last = (sum(1 << (row * cols + col) for row in range(rows)) % 2**GAP_BITS for col in (0, cols - 1))
    return Tray(near, degree, np.uint64(first), np.uint64(last), cols)


@cache
def patterns(rows: int, cols: int) -> Patterns:
    """The databases of a size: from the cache folder, or filled now and left there for the next time."""
    groups, cells = split(rows, cols), rows * cols
    weight, group = np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    for number, tiles in enumerate(groups):
        for place, tile in enumerate(tiles):
            weight[tile], group[tile] = cells**place, number
    begin = np.cumsum([0, *(cells ** len(tiles) for tiles in groups)])
    mirror = [col * rows + row for row in range(rows) for col in range(cols)] if rows == cols else []
    path = cache_folder() / f"fifteen-{rows}x{cols}.patterns"
    entries = _kept(path, rows, cols)
    if entries is None:
        entries = np.concatenate([_filled(rows, cols, tiles) for tiles in groups])
        _keep(path, rows, cols, entries)
    return Patterns(entries, weight, group, begin[:-1], np.array(mirror, np.int64))


def _filled(rows: int, cols: int, tiles: tuple[int, ...]) -> Any:
    """One database."""
    cells, home = rows * cols, tray(rows, cols)
    powers = np.array([cells**place for place in range(len(tiles))], np.int64)
    entries = np.full(cells ** len(tiles), UNSEEN, np.uint8)
    seen = np.zeros(len(entries), np.uint32)
    goal = sum((tile - 1) * int(power) for tile, power in zip(tiles, powers, strict=True))
    entries[goal] = 0
    frontier, level = np.array([goal * GAP_BITS + cells - 1], np.uint32), 0
    while len(frontier):
        level += 1
        fresh = np.empty(len(frontier) * 4 * len(tiles), np.uint32)
        frontier = fresh[: spread(home, powers, frontier, len(frontier), seen, entries, level, fresh)].copy()
    return entries


def cache_folder() -> Path:
    """Where what can be computed again is kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "dovetail"


def _label(rows: int, cols: int) -> bytes:
    return _MAGIC + repr((rows, cols, split(rows, cols))).encode() + b"\n"


def _kept(path: Path, rows: int, cols: int) -> Any:
    """The entries of a file, None if there is none or it is not what was written."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    label = _label(rows, cols)
    body = len(label) + hashlib.sha256().digest_size
    if not data.startswith(label) or hashlib.sha256(data[body:]).digest() != data[len(label) : body]:
        return None
    return np.frombuffer(data, np.uint8, offset=body).copy()  # one that kernels may take for any other array


def _keep(path: Path, rows: int, cols: int, entries: Any) -> None:
    """A cache that cannot be written only costs time."""
    body = entries.tobytes()
    with suppress(OSError, BadUsage):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, _label(rows, cols) + hashlib.sha256(body).digest() + body)
