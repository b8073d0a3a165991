"""Domains as bits: value v of a variable is bit v of one 64-bit word."""

import numpy as np

from ...kernel import kernel

NONE, ONE, ALL = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
_M1, _M2, _M4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_LOW = np.uint64(0x7F)


@kernel
def size(word):
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & _M1)
    word = (word & _M2) + ((word >> np.uint64(2)) & _M2)
    word = (word + (word >> np.uint64(4))) & _M4
    word = word + (word >> np.uint64(8))
    word = word + (word >> np.uint64(16))
    word = word + (word >> np.uint64(32))
    return np.int64(word & _LOW)


@kernel
def lowest(word):
    """The lowest value of a domain that has one."""
    return size((word & (~word + ONE)) - ONE)


@kernel
def highest(word):
    """The highest value of a domain that has one."""
    word = word | (word >> np.uint64(1))
    word = word | (word >> np.uint64(2))
    word = word | (word >> np.uint64(4))
    word = word | (word >> np.uint64(8))
    word = word | (word >> np.uint64(16))
    word = word | (word >> np.uint64(32))
    return size(word) - 1


@kernel
def single(word):
    """Whether exactly one value is left (of a domain that has one)."""
    return (word & (word - ONE)) == NONE


@kernel
def bit(value):
    """The domain of one value."""
    return ONE << np.uint64(value)


@kernel
def between(low, high):
    """The domain of all values from ``low`` to ``high``, as far as there are such values."""
    if low < 0:
        low = 0
    if high > 63:
        high = 63
    if low > high:
        return NONE
    return (ALL >> np.uint64(63 - (high - low))) << np.uint64(low)
