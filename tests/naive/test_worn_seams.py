"""The measures of worn edges against the same in plain numpy, one pair after the other."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from dovetail.jigsaw.lines import outermost
from dovetail.jigsaw.worn import kernels as worn_kernels
from dovetail.jigsaw.worn import seams as worn_seams
from dovetail.jigsaw.worn.seams import FLOORS, Rims
from dovetail.workers import Inline
from support.jigsaws import finished, noise

Reals = NDArray[np.float64]


def symmetric(upper: NDArray[np.float32]) -> Reals:
    a, b, c, ab, ac, bc = upper.astype(np.float64)
    return np.array([[a, ab, ac], [ab, b, bc], [ac, bc, c]])


def quadratic(vectors: Reals, inverse: Reals) -> float:
    return float(sum(vector @ inverse @ vector for vector in vectors))


def measured(rims: Rims, edge: int, other: int, length: int) -> list[float]:
    """What the kernel says of one pair, before logarithms; the other rim is read the other way round."""

    def pair(rim: NDArray[np.float32]) -> tuple[Reals, Reals]:
        return rim[edge, :length].astype(np.float64), rim[other, :length][::-1].astype(np.float64)

    (across, across_other), fine, soft = ((symmetric(rims.across[at]) for at in (edge, other)), *map(pair, rims[0:3:2]))
    beyond = pair(rims.beyond)
    out = [quadratic(fine[1] - beyond[0], across) + quadratic(fine[0] - beyond[1], across_other)]
    for rim, inverse in ((rims.fine, rims.along_fine), (rims.soft, rims.along_soft), (rims.wide, rims.along_wide)):
        ours, theirs = pair(rim)
        changes = np.diff(theirs - ours, axis=0)
        out.append(quadratic(changes, symmetric(inverse[edge]) + symmetric(inverse[other])))
    difference = fine[1] - fine[0]
    unlit = difference - difference.mean(axis=0)
    out.append(quadratic(unlit, across + across_other))
    near = rims.near[other][::-1].astype(np.float64) - rims.near[edge]
    mean = near.mean(axis=0)
    out += [((mean - mean.mean()) ** 2).sum(), mean.mean() ** 2, ((near - mean) ** 2).sum()]
    out.append(((rims.near_on[other][::-1].astype(np.float64) - rims.near_on[edge]) ** 2).sum())
    out += [np.sqrt(np.abs(difference)).sum(), np.sqrt(np.abs(unlit)).sum()]
    inverse_sum = symmetric(rims.along_soft[edge]) + symmetric(rims.along_soft[other])
    ours, theirs = (np.diff(each, axis=0) for each in soft)
    shifted = []
    for shift in (-2, -1, 1, 2):
        moved = range(max(0, shift), length - 1 + min(0, shift))
        total = sum(quadratic((theirs[x - shift] - ours[x])[None], inverse_sum) for x in moved)
        shifted.append(total * length / (length - abs(shift)))
    out.append(min(shifted))
    ahead = pair(rims.ahead)
    return [*out, ((ahead[0] - ahead[1]) ** 2).sum()]


@pytest.mark.parametrize(("piece", "rotate"), [((12, 12), True), ((10, 14), False)])
def test_measures_of_worn_edges(piece: tuple[int, int], rotate: bool) -> None:
    puzzle = replace(noise((3, 4), piece, 5), rotate=rotate)
    listed, values, rims = finished(worn_seams.compared(puzzle, Inline()))
    _, lengths = outermost(puzzle)
    rng = np.random.default_rng(0)
    for _ in range(60):
        edge, k = int(rng.integers(len(listed))), int(rng.integers(listed.shape[1]))
        if listed[edge, k] < 0:
            assert np.isinf(values[edge, k]).all()
            continue
        naive = measured(rims, edge, int(listed[edge, k]), lengths[edge % 2])
        assert len(naive) == worn_kernels.MEASURES
        np.testing.assert_allclose(values[edge, k], np.log(np.array(naive) + FLOORS), rtol=2e-3, atol=2e-3)


def test_lists_hold_every_candidate_once_and_no_piece_beside_itself() -> None:
    puzzle = replace(noise((3, 4), (12, 12), 6), rotate=True)
    listed, _, _ = finished(worn_seams.compared(puzzle, Inline()))
    for edge, row in enumerate(listed.tolist()):
        held = [other for other in row if other >= 0]
        assert len(held) == len(set(held)) > 20
        assert row[: len(held)] == held
        assert all(other // 4 != edge // 4 for other in held)
