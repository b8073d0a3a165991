"""A small random generator for kernels: its state is one 64-bit word in an array, so that a run can be repeated."""

from typing import Any

import numpy as np

from ..kernel import kernel

_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
_GOLDEN, _MIX1, _MIX2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)


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


@kernel
def mixed(number):
    """A well-spread 64-bit number from any other (SplitMix64). Uncompiled, ``+`` and ``*`` would warn of overflow."""
    number = np.add(number, _GOLDEN)
    number = np.multiply(number ^ (number >> _30), _MIX1)
    number = np.multiply(number ^ (number >> _27), _MIX2)
    return number ^ (number >> _31)
