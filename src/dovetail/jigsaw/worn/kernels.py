"""The hot loop of ``seams.py``: thirteen measures of a pair of worn edges.

Flat arrays in, flat arrays out. The twin in plain numpy: tests/naive/test_worn_seams.py.
"""

import numpy as np

from ...kernel import kernel
from ..comparing import changes, distance, quadratic

MEASURES = 13
SHIFTS = 2  # pixels by which a slanting line may be off beyond a gap


@kernel
def measure(listed, begin, end, lengths, rims, values):
    """All measures of every pair listed; infinite where there is none. [edges, most, MEASURES]"""
    for edge in range(begin, end):
        length = lengths[edge & 1]
        for k in range(listed.shape[1]):
            other = listed[edge, k]
            if other < 0:
                values[edge, k] = np.inf
                continue
            out = values[edge, k]
            out[0] = quadratic(rims.fine[other], rims.beyond[edge], rims.across[edge], length) + quadratic(
                rims.fine[edge], rims.beyond[other], rims.across[other], length
            )
            out[1] = changes(rims.fine[other], rims.fine[edge], rims.along_fine[edge], length) + changes(
                rims.fine[edge], rims.fine[other], rims.along_fine[other], length
            )
            out[2] = changes(rims.soft[other], rims.soft[edge], rims.along_soft[edge], length) + changes(
                rims.soft[edge], rims.soft[other], rims.along_soft[other], length
            )
            out[3] = changes(rims.wide[other], rims.wide[edge], rims.along_wide[edge], length) + changes(
                rims.wide[edge], rims.wide[other], rims.along_wide[other], length
            )
            unlit(rims, edge, other, length, out)
            tinted(rims.near[edge], rims.near[other], out)
            out[8] = distance(rims.near_on[edge], rims.near_on[other])
            out[11] = np.float32(np.inf)
            for shift in range(-SHIFTS, SHIFTS + 1):
                if shift:
                    out[11] = min(out[11], shifted(rims, edge, other, length, shift))
            out[12] = np.float32(0)
            for x in range(length):
                for band in range(3):
                    out[12] += (rims.ahead[edge, x, band] - rims.ahead[other, length - 1 - x, band]) ** 2


@kernel
def unlit(rims, edge, other, length, out):
    """Differences of two rims, with and without what they differ by on the whole: that may be the light."""
    mean = np.zeros(3, np.float32)
    for x in range(length):
        for band in range(3):
            mean[band] += rims.fine[other, length - 1 - x, band] - rims.fine[edge, x, band]
    mean /= np.float32(length)
    squares = roots = unlit_roots = np.float32(0)
    inverse, others = rims.across[edge], rims.across[other]
    apart = np.empty(3, np.float32)
    for x in range(length):
        for band in range(3):
            difference = rims.fine[other, length - 1 - x, band] - rims.fine[edge, x, band]
            apart[band] = difference - mean[band]
            roots += np.sqrt(abs(difference))
            unlit_roots += np.sqrt(abs(apart[band]))
        a, b, c = apart[0], apart[1], apart[2]
        squares += (inverse[0] + others[0]) * a * a + (inverse[1] + others[1]) * b * b
        squares += (inverse[2] + others[2]) * c * c + np.float32(2) * (inverse[3] + others[3]) * a * b
        squares += np.float32(2) * ((inverse[4] + others[4]) * a * c + (inverse[5] + others[5]) * b * c)
    out[4], out[9], out[10] = squares, roots, unlit_roots


@kernel
def tinted(ours, theirs, out):
    """Mean colours of segments: by how much their tints differ, their brightness, and how that changes on the way."""
    last = ours.shape[0] - 1
    mean = np.zeros(3, np.float32)
    for at in range(last + 1):
        for band in range(3):
            mean[band] += theirs[last - at, band] - ours[at, band]
    mean /= np.float32(last + 1)
    grey = (mean[0] + mean[1] + mean[2]) / np.float32(3)
    out[5] = (mean[0] - grey) ** 2 + (mean[1] - grey) ** 2 + (mean[2] - grey) ** 2
    out[6] = grey**2
    out[7] = np.float32(0)
    for at in range(last + 1):
        for band in range(3):
            out[7] += (theirs[last - at, band] - ours[at, band] - mean[band]) ** 2


@kernel
def shifted(rims, edge, other, length, shift):
    """Changes along two soft rims, one moved by some pixels, as many as if all of them faced each other."""
    inverse, others = rims.along_soft[edge], rims.along_soft[other]
    sums = np.float32(0)
    for x in range(max(0, shift), length - 1 + min(0, shift)):
        y = length - 1 - (x - shift)
        a = rims.soft[other, y - 1, 0] - rims.soft[other, y, 0] - rims.soft[edge, x + 1, 0] + rims.soft[edge, x, 0]
        b = rims.soft[other, y - 1, 1] - rims.soft[other, y, 1] - rims.soft[edge, x + 1, 1] + rims.soft[edge, x, 1]
        c = rims.soft[other, y - 1, 2] - rims.soft[other, y, 2] - rims.soft[edge, x + 1, 2] + rims.soft[edge, x, 2]
        sums += (inverse[0] + others[0]) * a * a + (inverse[1] + others[1]) * b * b
        sums += (inverse[2] + others[2]) * c * c + np.float32(2) * (inverse[3] + others[3]) * a * b
        sums += np.float32(2) * ((inverse[4] + others[4]) * a * c + (inverse[5] + others[5]) * b * c)
    return sums * np.float32(length) / np.float32(max(1, length - abs(shift)))
