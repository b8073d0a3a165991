"""The learnt value function for 2048 as a file: entries rounded to a unit, those that hardly ever mattered left out.

``weights/2048.bin``: the SHA-256 of the rest, then (compressed) a bit for every entry of the tables whether it is
there, and of those the low bytes and the high bytes. benchmarks/teach_2048.py makes it.
"""

import hashlib
import lzma
from collections import namedtuple
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..core.files import write_atomically
from .tuple_kernels import ENTRIES, TUPLES, Found, Network

SHIPPED = Path(__file__).parent / "weights" / "2048.bin"
UNIT = 16.0  # points
MOST_BYTES = 9_900_000
SLOTS = 1 << 16  # boards remembered while looking ahead, for each depth
DEPTHS = 3  # tiles looked ahead, at most

Weights = namedtuple("Weights", ["network", "found"])


def learnt() -> Weights:
    """To play with: the tables, which are shared, and room of one's own for what was found."""
    found = Found(np.zeros((DEPTHS, SLOTS), np.uint64), np.zeros((DEPTHS, SLOTS), np.float64))
    return Weights(Network(shipped(), UNIT), found)


@cache
def shipped() -> NDArray[np.int16]:
    """The tables that come with Dovetail."""
    return read(SHIPPED)


def read(path: Path) -> NDArray[np.int16]:
    """The tables of a file."""
    data = path.read_bytes()
    if hashlib.sha256(data[32:]).digest() != data[:32]:
        raise BadInput(f"{path.name}, the value function for 2048, is damaged (its SHA-256 differs); install it again")
    number = TUPLES * ENTRIES
    try:
        raw = np.frombuffer(lzma.decompress(data[32:]), np.uint8)
        there = np.unpackbits(raw[: number // 8]).view(np.bool_)
        low, high = raw[number // 8 :].reshape(2, -1)
        table = np.zeros(number if len(there) == number else 0, np.int16)
        table[there] = (low | high.astype(np.uint16) << 8).view(np.int16)
    except (lzma.LZMAError, ValueError, IndexError):
        raise BadInput(f"{path.name} is no value function for 2048") from None
    return table


def save(path: Path, learnt: NDArray[np.float32], mattered: NDArray[np.float32], most: int = MOST_BYTES) -> int:
    """Write the file with as many entries as ``most`` bytes hold, those that mattered most; returns its size."""
    fewest = np.float32(0)  # how much an entry must have mattered to be there
    while len(data := packed(learnt, mattered > fewest)) > most:
        share = most / len(data)
        fewest = np.quantile(mattered[mattered > fewest], 1 - 0.98 * share)
    write_atomically(path, data)
    return len(data)


def packed(learnt: NDArray[np.float32], there: NDArray[np.bool_]) -> bytes:
    """What the file holds for some entries of the tables."""
    rounded = np.clip(np.rint(learnt[there] / UNIT), -32768, 32767).astype(np.int16).view(np.uint16)
    parts = (np.packbits(there), (rounded & 255).astype(np.uint8), (rounded >> 8).astype(np.uint8))
    body = lzma.compress(b"".join(part.tobytes() for part in parts), preset=1)
    return hashlib.sha256(body).digest() + body
