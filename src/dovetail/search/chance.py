"""A small random generator for kernels: its state is one 64-bit word in an array, so that a run can be repeated."""

from typing import Any

import numpy as np

from ..kernel import kernel

_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


def seeded(seed: int) -> Any:
    """The state for a seed; every seed its own, never 0."""
    return np.array([(seed * 0x9E3779B97F4A7C15 + 0x1234567) % 2**64 or 1], np.uint64)


@kernel
def draw(chance, below):
    """A whole number from 0 up to but not ``below`` (xorshift)."""
    word = chance[0]
    word ^= (word << np.uint64(13)) & _FULL
    word ^= word >> np.uint64(7)
    word ^= (word << np.uint64(17)) & _FULL
    chance[0] = word
    return np.int64((word >> np.uint64(1)) % np.uint64(below))
