"""The hot loops of ``seams.py``: how much two rims that face each other differ, block by block.

Flat arrays in, flat arrays out. A block may be overexposed in some channels, one bit each: there it shows only that the
fragment is at least so light. What is overexposed in either of two blocks is left out of both, and what may differ in
the others is asked by itself (``forms`` has one inverse for every set of channels left out); if only one of the two is
overexposed, the other may not be much darker.
"""

import numpy as np

from ...kernel import kernel

CHANNELS = 3
SETS = 1 << CHANNELS  # of channels left out


@kernel
def differences(ours, theirs, rims, over, forms, light, slack, found):
    """Against what may differ, less the light that two rims differ by, which itself counts as in ``light``.

    The sum over blocks of dᵀPd / blocks, where P is the mean of both inverses, and d is less by the same number in all
    channels and blocks: the one for which the sum of all this and of its own square against ``light`` is least.
    """
    blocks = rims.shape[1]
    for i in range(len(ours)):
        one = ours[i]
        for j in range(len(theirs)):
            other = theirs[j]
            total, pull, weight = 0.0, 0.0, 1 / light**2
            for block in range(blocks):
                facing = blocks - 1 - block
                out = over[one, block] | over[other, facing]
                for k in range(CHANNELS):
                    counts = 0.0
                    for m in range(CHANNELS):
                        form = (forms[one, out, k, m] + forms[other, out, k, m]) / 2
                        counts += form * (rims[one, block, m] - rims[other, facing, m])
                        weight += form
                    differ = rims[one, block, k] - rims[other, facing, k]
                    total += counts * differ
                    pull += counts
                    alone = SETS - 1 - (1 << k)
                    if out >> k & 1 and over[one, block] >> k & 1 != over[other, facing] >> k & 1:
                        darker = (differ if over[one, block] >> k & 1 else -differ) - slack
                        if darker > 0:
                            total += darker**2 * (forms[one, alone, k, k] + forms[other, alone, k, k]) / 2
            found[i, j] = max(0.0, total - pull**2 / weight) / blocks


@kernel
def changes(ours, theirs, rims, over, forms, found):
    """The same of changes from block to block, which no light touches."""
    blocks = rims.shape[1]
    differ = np.empty(CHANNELS)
    for i in range(len(ours)):
        one = ours[i]
        for j in range(len(theirs)):
            other = theirs[j]
            total = 0.0
            for block in range(blocks - 1):
                facing = blocks - 1 - block
                out = over[one, block] | over[one, block + 1] | over[other, facing] | over[other, facing - 1]
                for k in range(CHANNELS):
                    differ[k] = rims[one, block + 1, k] - rims[one, block, k]
                    differ[k] -= rims[other, facing - 1, k] - rims[other, facing, k]
                for k in range(CHANNELS):
                    for m in range(CHANNELS):
                        total += differ[k] * (forms[one, out, k, m] + forms[other, out, k, m]) / 2 * differ[m]
            found[i, j] = max(0.0, total) / (blocks - 1)


@kernel
def but_for_a_factor(ours, theirs, rims, over, forms, found, factors):
    """The mean over blocks of dᵀPd for d = one / √f - other · √f, f being the factor for which it is least.

    That is 2 (√(aa · bb) - ab), where aa, bb and ab are the sums over blocks of products by P. ``factors`` are the
    logarithms of f.
    """
    blocks = rims.shape[1]
    for i in range(len(ours)):
        one = ours[i]
        for j in range(len(theirs)):
            other = theirs[j]
            own, mixed, others = 1e-9, 0.0, 1e-9
            for block in range(blocks):
                facing = blocks - 1 - block
                out = over[one, block] | over[other, facing]
                for k in range(CHANNELS):
                    for m in range(CHANNELS):
                        form = (forms[one, out, k, m] + forms[other, out, k, m]) / 2
                        own += rims[one, block, k] * form * rims[one, block, m]
                        mixed += rims[one, block, k] * form * rims[other, facing, m]
                        others += rims[other, facing, k] * form * rims[other, facing, m]
            found[i, j] = 2 * max(0.0, np.sqrt(own * others) - mixed) / blocks
            factors[i, j] = np.log(own / others) / 2


@kernel
def left_out(ours, theirs, over, found):
    """The share of channels and blocks that are overexposed in either rim."""
    blocks = over.shape[1]
    for i in range(len(ours)):
        for j in range(len(theirs)):
            number = 0
            for block in range(blocks):
                out = over[ours[i], block] | over[theirs[j], blocks - 1 - block]
                for k in range(CHANNELS):
                    number += out >> k & 1
            found[i, j] = number / (CHANNELS * blocks)
