"""linear-guided: the program first, then the search, its proofs and what it forgets."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dovetail.core.solver import Budget, Clock, Outcome
from dovetail.tiles import guided_search
from dovetail.tiles.guided import LinearGuided, Settings
from dovetail.tiles.guided_search import GuidedSearch, bits, surest
from dovetail.tiles.oriented import oriented
from dovetail.tiles.planting import plant_arrows, plant_tiles
from dovetail.tiles.puzzle import Making, Tiles, TilesKind
from dovetail.tiles.terracotta import Terracotta, TerracottaKind


def run(puzzle: Tiles | Terracotta, steps: int | None = None, seed: int = 0, **settings: Any) -> Outcome:
    solving = LinearGuided().solve(puzzle, Settings(**settings), Clock(Budget(wall_s=60, steps=steps)), seed)
    while True:
        try:
            next(solving)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome


def made(size: int, colours: int, seed: int = 0, **more: Any) -> Tiles:
    return plant_tiles(Making(width=size, height=size, colours=colours, **more), seed)[0]


def without_solution() -> Iterator[Tiles]:
    """Planted, then one side of two tiles exchanged: the colours still balance, but nothing fits."""
    for seed in range(20):
        puzzle = made(4, 3, seed, rotate=False, frame="coloured")
        tiles = list(puzzle.tiles)
        (a, b, c, d), (e, f, g, h) = tiles[:2]
        tiles[:2] = (a, f, c, d), (e, b, g, h)
        yield Tiles(4, 4, tuple(tiles), rotate=False, frame=puzzle.frame)


@pytest.mark.parametrize("rotate", [True, False])
@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("frame", ["grey", "coloured", "none"])
def test_solves_tiles_of_every_rule(rotate: bool, signed: bool, frame: str) -> None:
    puzzle = made(4, 4, rotate=rotate, signed=signed, frame=frame, hints=1)
    outcome = run(puzzle)
    assert outcome.status == "complete"
    assert outcome.solution is not None
    assert TilesKind().check(puzzle, outcome.solution).solved


def test_solves_corner_arrows() -> None:
    puzzle, _ = plant_arrows(4, 4, False, 1)
    outcome = run(puzzle)
    assert outcome.status == "complete"
    assert outcome.solution is not None
    assert TerracottaKind().check(puzzle, outcome.solution).solved


def test_goes_on_where_the_program_ends_fractional() -> None:
    puzzle = made(6, 4, rotate=False, frame="coloured")
    outcome = run(puzzle, leaf=20)
    assert outcome.status == "complete"
    assert outcome.counters["fractional"] > 0
    assert outcome.counters["boards"] > 1
    assert outcome.counters["sweeps"] > 0
    assert outcome.solution is not None
    assert TilesKind().check(puzzle, outcome.solution).solved


def test_a_program_that_is_the_solution_needs_no_search() -> None:
    outcome = run(made(6, 9, rotate=False))
    assert outcome.status == "complete"
    assert outcome.counters["programs"] == 1
    assert outcome.counters["boards"] == 0


def every_fit(puzzle: Tiles, leaf: int, seed: int = 0) -> GuidedSearch:
    tiles = oriented(puzzle)
    fits = np.array([tiles.fits(cell) for cell in range(tiles.cells)])
    return GuidedSearch(tiles, fits, sweeps=30, doubt=0.05, haste=1.0, leaf=leaf, seed=seed)


@pytest.mark.parametrize("leaf", [0, 10])
def test_an_exhausted_search_agrees_with_one_that_only_goes_deep(leaf: int) -> None:
    verdicts = []
    for puzzle in without_solution():
        search, deep = every_fit(puzzle, leaf), every_fit(puzzle, 10**9)
        deep.step()
        while not (search.full or search.ended):
            search.step()
        assert search.full == deep.full
        assert not search.forgot
        verdicts.append(search.full)
    assert not all(verdicts)


def test_proves_that_there_is_none() -> None:
    statuses = {run(puzzle).status for puzzle in without_solution()}
    assert "proved_none" in statuses
    assert statuses <= {"proved_none", "complete"}


def test_a_search_that_forgot_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guided_search, "MOST_OPEN", 2)
    forgot = 0
    for puzzle in without_solution():
        search = every_fit(puzzle, 0)
        while not (search.full or search.ended):
            search.step()
        forgot += search.forgot
    assert forgot


def test_same_seed_and_steps_same_outcome() -> None:
    puzzle = made(6, 4, rotate=False, frame="coloured")
    first, second = (run(puzzle, steps=8, seed=5, leaf=5) for _ in range(2))
    assert first == second
    assert first.status == "out_of_budget"
    assert first.counters["boards"] == 7  # and one program


def test_other_seeds_other_paths() -> None:
    puzzle = made(6, 4, rotate=False, frame="coloured")
    assert len({run(puzzle, steps=8, seed=seed, leaf=5).counters["sweeps"] for seed in range(5)}) > 1


def test_contradicting_hints_are_a_proof() -> None:
    puzzle = made(4, 4, rotate=False, hints=16)
    swapped = tuple(type(pin)(pin.row, pin.col, puzzle.pins[i ^ 1].tile) for i, pin in enumerate(puzzle.pins))
    outcome = run(Tiles(4, 4, puzzle.tiles, rotate=False, frame=puzzle.frame, pins=swapped))
    assert outcome.status == "proved_none"


def test_refuses_what_linear_refuses() -> None:
    fit = LinearGuided().accepts(made(20, 9))
    assert not fit.accepted
    assert "variables" in fit.why


def test_the_surest_cell_and_its_doubt() -> None:
    share = np.array([0.5, 0.5, 0.9, 0.1, 0.4, 0.3, 0.3])
    cell, chance = surest(np.array([0, 2, 2, 4, 7]), share, 0.1)
    assert cell == 2  # cell 1 is laid: it has no candidates
    assert chance == pytest.approx([0.9 * 0.9 + 0.05, 0.9 * 0.1 + 0.05])


def test_sets_as_bits() -> None:
    members = np.random.default_rng(0).random((3, 70)) < 0.5
    words = bits(members)
    assert words.shape == (3, 2)
    assert [[bool(int(row[i // 64]) >> (i % 64) & 1) for i in range(70)] for row in words] == members.tolist()
