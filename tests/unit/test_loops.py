"""What squares of four are for."""

import numpy as np
import pytest

from dovetail.jigsaw import candidates, odds
from dovetail.jigsaw.cutting import built_in, cut, shuffled
from dovetail.jigsaw.poses import UNIT, VOID
from dovetail.workers import Inline
from support.jigsaws import finished


@pytest.mark.parametrize("rotate", [False, True])
def test_squares_make_a_picture_less_surprising(rotate: bool) -> None:
    """Of pairs of small pieces, where many are in doubt: the log odds are nearer to the truth with squares."""
    pixels = built_in("astronaut")[:308, :308]
    puzzle, truth = shuffled(cut(pixels, 14, 14), 22, 22, np.random.default_rng(0), rotate=rotate)
    edges, weights, *_ = finished(candidates.paired(puzzle, Inline(), use_grid=False))
    pieces, turns = np.array(truth.pieces), np.array(truth.turns)
    faced = np.full(4 * puzzle.count, VOID)
    for part, rest, side in ((np.s_[:, :-1], np.s_[:, 1:], 1), (np.s_[:-1], np.s_[1:], 2)):
        ours, theirs = (4 * pieces[at] + (turns[at] + way) % 4 for at, way in ((part, side), (rest, side + 2)))
        faced[ours], faced[theirs] = theirs, ours

    def surprise() -> float:
        right, listed = edges == faced[:, None], edges != VOID
        said = weights / UNIT
        return float((np.logaddexp(0, said) - right * said)[listed].sum() / right.sum())

    before = surprise()
    weights = finished(candidates.looped(edges, weights, Inline(), odds.loops(grid=False)))
    assert surprise() < 0.8 * before
    assert all((np.diff(row[others != VOID]) <= 0).all() for row, others in zip(weights, edges, strict=True))
