"""Slow twins: integrals by many small steps, and the test of a filled frame by points thrown at random."""

import numpy as np
import pytest

from dovetail.tiles.moments import Chebyshev, Exponential
from dovetail.tiles.paths import Floats, Path, counter_clockwise, free
from dovetail.tiles.polygons import Making, Polygons
from dovetail.tiles.polygons_making import make
from dovetail.tiles.snapping import edges_of, fills, snapped

STEPS = 4000


def stepped(ring: Floats, k: int) -> tuple[Floats, float]:
    """The middles of many small steps along an edge, and their length."""
    start, end = ring[k], ring[(k + 1) % len(ring)]
    shares = (np.arange(STEPS) + 0.5) / STEPS
    return start + shares[:, None] * (end - start), float(np.hypot(*(end - start))) / STEPS


def chebyshev(degree: int, x: Floats) -> Floats:
    """By its other definition, which holds outside of [-1, 1] too."""
    inside = np.cos(degree * np.arccos(np.clip(x, -1, 1)))
    outside = np.sign(x) ** degree * np.cosh(degree * np.arccosh(np.maximum(1, np.abs(x))))
    return np.asarray(np.where(np.abs(x) <= 1, inside, outside))


@pytest.mark.parametrize("seed", [0, 1])
def test_shifted_chebyshev_integrals(seed: int) -> None:
    puzzle, _ = make(Making(), seed)
    seen = free(puzzle)
    basis = Chebyshev(seen, 3)
    middle, reach = seen.box.mean(axis=0), np.ptp(seen.box, axis=0) / 2
    rng = np.random.default_rng(seed)
    for i, paths in enumerate(seen.pieces):
        ring = counter_clockwise(puzzle.pieces[i])
        u = rng.uniform(-1, 1, 2)
        own = np.array([chebyshev(a, u[0]) * chebyshev(b, u[1]) for a, b in basis.degrees])
        for k, path in enumerate(paths):
            points, step = stepped(ring, k)
            x, y = ((basis.centre[i] + basis.half[i] * u + points - middle) / reach).T
            slow = [step * float(chebyshev(a, x) @ chebyshev(b, y)) for a, b in basis.degrees]
            assert basis.shifted(i, path) @ own == pytest.approx(slow, abs=2e-5)


def test_shifted_exponential_integrals() -> None:
    puzzle, answer = make(Making(), 0)
    seen = free(puzzle)
    basis = Exponential(seen, 2)
    for i, paths in enumerate(seen.pieces):
        ring, at = counter_clockwise(puzzle.pieces[i]), np.array(answer.at[i])
        own = np.exp((at - seen.low[i]) @ basis.degrees.T)
        for k, path in enumerate(paths):
            points, step = stepped(ring, k)
            slow = step * np.exp((at + points - seen.box[0]) @ basis.degrees.T).sum(axis=0)
            assert basis.shifted(i, path) @ own == pytest.approx(slow, rel=1e-4)
            moved = Path(path.type, path.sign, path.points + at, path.weights)
            assert basis.integrals(moved) == pytest.approx(slow, rel=1e-4)


def covered(points: Floats, rings: list[Floats]) -> Floats:
    """How many of the rings each point is inside."""
    x, y = points.T
    count = np.zeros(len(points))
    for ring in rings:
        inside = np.zeros(len(points), dtype=bool)
        for (x1, y1), (x2, y2) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            if y1 != y2:
                inside ^= ((y1 > y) != (y2 > y)) & (x < x1 + (y - y1) * (x2 - x1) / (y2 - y1))
        count += inside
    return count


def fills_slowly(puzzle: Polygons, at: Floats, rng: np.random.Generator) -> bool:
    """Whether as many pieces as frames, one or none, cover every one of many points."""
    pieces = [np.array(piece) + place for piece, place in zip(puzzle.pieces, at, strict=True)]
    frame = [np.array(ring) for ring in puzzle.frame]
    every = np.concatenate([*pieces, *frame])
    points = rng.uniform(every.min(axis=0), every.max(axis=0), (20_000, 2))
    return bool((covered(points, pieces) == covered(points, frame) % 2).all())


@pytest.mark.parametrize(("style", "pieces"), [("tangram", 7), ("tangram", 14), ("cuts", 10)])
def test_edges_tell_whether_the_frame_is_filled(style: str, pieces: int) -> None:
    rng = np.random.default_rng(7)
    for seed in range(4):
        puzzle, answer = make(Making(pieces=pieces, style=style), seed)
        edges, right = edges_of(puzzle), np.array(answer.at)
        assert fills(edges, right) and fills_slowly(puzzle, right, rng)
        for i in range(pieces):
            moved = right.copy()
            moved[i] += rng.choice([-1, 1], 2) * rng.uniform(0.2, 2, 2)
            assert not fills(edges, moved) and not fills_slowly(puzzle, moved, rng)
            other = right.copy()
            j = (i + 1) % pieces
            other[[i, j]] += np.min(puzzle.pieces[j], axis=0) - np.min(puzzle.pieces[i], axis=0), (0, 0)
            assert fills(edges, other) == fills_slowly(puzzle, other, rng)


def test_locations_a_little_off_are_snapped_to_ones_that_fill() -> None:
    rng = np.random.default_rng(3)
    for seed in range(6):
        puzzle, answer = make(Making(), seed)
        near = np.array(answer.at) + rng.normal(0, 0.005, (7, 2))
        edges = edges_of(puzzle)
        assert not fills(edges, near)
        found = snapped(edges, near)
        assert found is not None and fills(edges, found)
        assert fills_slowly(puzzle, found, rng)
        assert snapped(edges, np.array(answer.at) + rng.uniform(1, 2, (7, 2))) is None
