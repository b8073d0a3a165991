"""The kernels of the grid against plain loops."""

import itertools
import math

import numpy as np
import pytest

from dovetail.jigsaw import candidates, grid

Rows = list[list[float]]


def slow_steps(piece: list[list[tuple[float, float, float]]]) -> list[float]:
    """Where along the rows of a piece the steps are."""
    width = len(piece[0])
    bright, blues, reds = [], [], []
    for line in piece:
        luma = [0.299 * red + 0.587 * green + 0.114 * blue for red, green, blue in line]
        bright.append(luma)
        blues.append([0.564 * (pixel[2] - y) for pixel, y in zip(line, luma, strict=True)])
        reds.append([0.713 * (pixel[0] - y) for pixel, y in zip(line, luma, strict=True)])
    found: list[float] = []
    for period, coloured in ((8, False), (16, True)):
        steps = {}
        for at in range(2, width - 1):
            if coloured:
                sizes = [abs(line[at + 1] - line[at - 2]) for line in blues + reds]
            else:
                sizes = [abs(line[at + 1] - 3 * line[at] + 3 * line[at - 1] - line[at - 2]) for line in bright]
            steps[at] = math.log(sum(sizes) / len(piece) + 0.1)
        mean = sum(steps.values()) / len(steps) if steps else 0
        for place in range(period):
            some = [step - mean for at, step in steps.items() if at % period == place]
            found.append(sum(some) / len(some) if some else 0)
    return found


@pytest.mark.parametrize(("height", "width"), [(28, 28), (9, 21), (40, 5), (3, 17), (2, 2)])
def test_steps_are_where_pixels_differ(height: int, width: int) -> None:
    colours = np.random.default_rng(height).integers(0, 256, (3, height, width, 3)).astype(np.float32)
    folded = np.full((3, 2, grid.STEPS), 7, np.float32)
    grid.steps(colours, folded)
    for piece, found in zip(colours, folded, strict=True):
        for axis, seen in enumerate((piece, piece.transpose(1, 0, 2))):
            assert found[axis] == pytest.approx(slow_steps(seen.tolist()), abs=1e-4)


def any_grid(edges: int, rng: np.random.Generator) -> grid.Grid:
    """Edges that lie here or there, some surely."""
    inwards, along, facing_inwards, facing_along = rng.dirichlet(np.full(16, 0.02), (4, edges)).astype(np.float32)
    return grid.Grid(inwards, along, facing_inwards, facing_along, 0.05)


def test_edges_agree_if_they_may_lie_on_one_grid() -> None:
    rng = np.random.default_rng(0)
    lines = any_grid(12, rng)
    listed = rng.integers(-1, 12, (12, 4)).astype(np.int32)
    told = np.full((12, 4, grid.TOLD), 7, np.float32)
    grid.agreement(listed, 0, 5, *lines, told)
    grid.agreement(listed, 5, 12, *lines, told)
    inwards, along, facing_inwards, facing_along = (each.tolist() for each in lines[:4])
    for (edge, k), other in np.ndenumerate(listed):
        if other < 0:
            assert told[edge, k].tolist() == [0, 0, 0]
            continue
        inside = [a * b for a, b in zip(inwards[edge], facing_inwards[other], strict=True)]
        aside = sum(a * b for a, b in zip(along[edge], facing_along[other], strict=True))
        agreed = math.log((sum(inside) * aside + grid.LEAST) / (0.05 + grid.LEAST))
        between = [each / (sum(inside) + grid.LEAST) for each in (inside[0] + inside[8], inside[0])]
        assert told[edge, k] == pytest.approx([agreed, *between], rel=1e-3, abs=1e-5)


def test_who_cannot_lie_alike_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """And all others are, once."""
    lines = any_grid(40, np.random.default_rng(1))
    ours, theirs = (np.arange(begin, 40, 2, dtype=np.int32) for begin in (0, 1))
    places = [[{k for k in range(16) if row[k] > grid.UNLIKELY} for row in each.tolist()] for each in lines[:4]]
    places = [[row if len(row) <= 2 else set(range(16)) for row in each] for each in places]
    possible = {
        (int(edge), int(other))
        for edge, other in itertools.product(ours, theirs)
        if places[0][edge] & places[2][other] and places[1][edge] & places[3][other]
    }
    monkeypatch.setattr(candidates, "LEAST_ALIKE", 1)
    groups = candidates._on_grid([(ours, theirs)], lines)
    pairs = [(int(edge), int(other)) for some, others in groups for edge in some for other in others]
    assert len(pairs) == len(set(pairs)) and set(pairs) == possible and len(possible) < 0.7 * 20 * 20
    monkeypatch.setattr(candidates, "LEAST_ALIKE", 1000)
    assert [len(each) for each in candidates._on_grid([(ours, theirs)], lines)[0]] == [20, 20]
