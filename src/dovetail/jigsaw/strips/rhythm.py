"""The rhythm of lines: below the last line of a shred the next one follows as far as all lines follow each other.

A cut between two lines shows no ink on either side, and still only one shred goes on at the right place. So the last
lines of a shred, as ink row by row, are held against the first of every other: as they would repeat, if it were below.
"""

import numpy as np
from numpy.typing import NDArray

LEAST_PITCH, MOST_PITCH = 8, 90  # pixels from line to line
AGREED = 0.85  # of the best agreement of a shred with itself, moved by a pitch: the shortest such is the pitch
CLEAR = 0.25  # agreement from which on a shred has a pitch of its own
STEPS = 16  # of agreement, from the best to the worst, of which the table has an entry each
FAINT = 1e-3  # mean square of ink in a pitch, below which nothing is said

Numbers = NDArray[np.float32]


def agreement(pieces: Numbers) -> NDArray[np.int64]:
    """How well each [n, height, width] is followed by each: a step of the table, or -1 where nothing can be said.

    [n, n]: the second below the first
    """
    ink = pieces.mean(axis=-1)
    steps = np.full((len(ink), len(ink)), -1, np.int64)
    for above, pitch in enumerate(_pitches(ink)):
        if not pitch:
            continue
        last, first = ink[above, -pitch:], ink[:, :pitch]
        (last, strong), (first, strengths) = _centred(last), _centred(first)
        if strong < FAINT:
            continue
        heard = strengths >= FAINT
        alike = (first @ last) / (pitch * np.sqrt(np.maximum(strengths, FAINT) * strong))
        angle = np.arccos(alike[heard].clip(-1, 1)) / np.pi  # finest where they are most alike
        steps[above, heard] = np.minimum(angle * STEPS, STEPS - 1).astype(np.int64)
    return steps


def log_odds(table: Numbers, pieces: Numbers) -> Numbers:
    """What that is worth, in nats. [n, n]"""
    worth: Numbers = np.append(table, np.float32(0))[agreement(pieces)]
    return worth


def _centred(ink: Numbers) -> tuple[Numbers, Numbers]:
    """Without its mean, and its mean square then."""
    rest = ink - ink.mean(axis=-1, keepdims=True)
    return rest, (rest**2).mean(axis=-1)


def _pitches(ink: Numbers) -> list[int]:
    """From line to line in each shred, that of all together where it shows none; 0 where there is none at all."""
    lags = np.arange(LEAST_PITCH, min(MOST_PITCH, ink.shape[1] // 2) + 1)
    if not len(lags):
        return [0] * len(ink)
    rest, strength = _centred(ink)
    echoes = np.stack([(rest[:, lag:] * rest[:, :-lag]).mean(axis=1) for lag in lags], axis=1)  # [n, lags]
    own = echoes / np.maximum(strength, FAINT)[:, np.newaxis]
    shared = echoes.sum(axis=0) / max(float(strength.sum()), FAINT)
    usual = _first_peak(shared, lags)
    return [_first_peak(each, lags) or usual for each in own]


def _first_peak(echo: Numbers, lags: NDArray[np.int64]) -> int:
    if echo.max() < CLEAR:
        return 0
    inner = np.r_[False, (echo[1:-1] >= echo[:-2]) & (echo[1:-1] >= echo[2:]), False]
    peaks = np.flatnonzero(inner & (echo >= AGREED * echo.max()))
    return int(lags[peaks[0]]) if len(peaks) else 0
