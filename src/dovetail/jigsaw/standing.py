"""How pairs of edges stand against their rivals, and the small networks that make log odds of that.

Whatever is measured of a pair, less is better: the best candidate of an edge, and the second best, are what others are
held against.
"""

import numpy as np
from numpy.typing import NDArray

from . import odds
from .candidates import Edges

CLIP = 4.0  # of a comparison with a rival


def standing_out(
    listed: Edges, values: NDArray[np.float32]
) -> tuple[Edges, NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """For every edge and measure the best candidate, its value, and that of the second; and the median of the best.

    [edges, MEASURES] three times, [MEASURES]
    """
    at = values.argmin(axis=1)
    least = np.take_along_axis(values, at[:, None], axis=1)[:, 0]
    best = np.take_along_axis(listed, at, axis=1)
    others = values.copy()
    np.put_along_axis(others, at[:, None], np.inf, axis=1)
    second = others.min(axis=1)
    second = np.where(np.isfinite(second), second, least)  # the only candidate has no rival
    known = least[np.isfinite(least).all(axis=1)]
    return best, least, second, np.median(known, axis=0) if len(known) else np.zeros(values.shape[2], np.float32)


def inputs(
    listed: Edges, values: NDArray[np.float32], best: Edges, least: NDArray[np.float32], second: NDArray[np.float32],
    usual: NDArray[np.float32], edge: NDArray[np.int64], k: NDArray[np.int64],
) -> NDArray[np.float32]:  # fmt: skip
    """What the network is told of pairs: how they stand against rivals of either edge, mean and larger; the measures;
    and what is usual here. [pairs, 4 * MEASURES]
    """
    other, value = listed[edge, k], values[edge, k]
    mine = np.where(best[edge] == other[:, None], second[edge], least[edge])
    theirs = np.where(best[other] == edge[:, None], second[other], least[other])
    told: list[NDArray[np.float32]] = [
        np.clip(value - (mine + theirs) / 2, -CLIP, CLIP),
        np.clip(value - np.minimum(mine, theirs), -CLIP, CLIP),
        value,
        np.broadcast_to(usual, value.shape),
    ]
    return np.concatenate(told, axis=1).astype(np.float32)


def odds_of(told: NDArray[np.float32], model: odds.Model) -> NDArray[np.float32]:
    """The log odds of pairs. [pairs]"""
    into, bias, out, shift = model
    sums = told @ into + bias
    said: NDArray[np.float32] = (sums / (1 + np.abs(sums))) @ out + shift
    return said
