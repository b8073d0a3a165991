"""The solvers `ida-star` (shortest plays, proved) and `slide` (always some play), and the databases between runs."""

import random
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from dovetail.core.puzzle import Moves
from dovetail.core.settings import NoSettings
from dovetail.core.solver import Budget, Clock, Outcome, Solver
from dovetail.moves import patterns as databases
from dovetail.moves.games.fifteen import Fifteen, FifteenKind
from dovetail.moves.ida_star import IdaStar
from dovetail.moves.slide import Settings, Slide

KIND = FifteenKind()
UNSOLVABLE = Fifteen(3, 3, (2, 1, 3, 4, 5, 6, 7, 8, 0))
SOLVERS: list[tuple[Solver, Any]] = [(IdaStar(), NoSettings()), (Slide(), Settings())]


def solved(solver: Solver, puzzle: Fifteen, settings: Any, budget: Budget | None = None) -> Outcome:
    run = solver.solve(puzzle, settings, Clock(budget or Budget()), 0)
    while True:
        try:
            next(run)
        except StopIteration as end:
            assert isinstance(end.value, Outcome)
            return end.value


def shuffled(rows: int, cols: int, seed: int, blank: str = "last", shuffle: int = 2000) -> Fifteen:
    return KIND.make(KIND.making_type(cols, rows, shuffle, blank), seed)[0]


def ways(rows: int, cols: int) -> dict[tuple[int, ...], int]:
    """Slides from every tray that can be solved, by breadth-first search from the goal."""
    goal = (*range(1, rows * cols), 0)
    beside = [
        [r * cols + c for r, c in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)) if 0 <= r < rows and 0 <= c < cols]
        for i in range(rows)
        for j in range(cols)
    ]
    far, queue = {goal: 0}, deque([goal])
    while queue:
        tiles = queue.popleft()
        gap = tiles.index(0)
        for cell in beside[gap]:
            after = list(tiles)
            after[gap], after[cell] = after[cell], 0
            if (found := tuple(after)) not in far:
                far[found] = far[tiles] + 1
                queue.append(found)
    return far


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (2, 4), (4, 2), (2, 2)])
def test_plays_are_as_short_as_can_be(rows: int, cols: int) -> None:
    """The farthest tray of all, and some others, beside breadth-first search; turned round, they take as long."""
    far = ways(rows, cols)
    trays = [max(far, key=lambda tiles: far[tiles]), *random.Random(rows).sample(sorted(far), 10)]
    for tiles in trays:
        cells = rows * cols
        mirrored = tuple(cells - tile if tile else 0 for tile in reversed(tiles))
        for puzzle in (Fifteen(rows, cols, tiles), Fifteen(rows, cols, mirrored, blank_first=True)):
            outcome = solved(IdaStar(), puzzle, NoSettings())
            assert outcome.solution is not None and outcome.status == "complete"
            assert KIND.check(puzzle, outcome.solution).solved
            assert outcome.counters["moves"] == far[tiles] == outcome.counters["bound"]
            assert outcome.counters["optimal"] == 1


@pytest.mark.parametrize("blank", ["first", "last"])
def test_oblong_trays_are_no_longer_than_by_sliding(blank: str) -> None:
    for seed in range(3):
        puzzle = shuffled(3, 4, seed, blank)
        best = solved(IdaStar(), puzzle, NoSettings())
        some = solved(Slide(), puzzle, Settings())
        assert best.solution is not None and some.solution is not None
        assert KIND.check(puzzle, best.solution).solved and KIND.check(puzzle, some.solution).solved
        assert best.counters["moves"] <= some.counters["moves"]
        assert (best.counters["moves"] - some.counters["moves"]) % 2 == 0


@pytest.mark.parametrize(("solver", "settings"), SOLVERS)
def test_what_cannot_be_solved_is_known_at_once(solver: Solver, settings: Any) -> None:
    outcome = solved(solver, UNSOLVABLE, settings)
    assert outcome.status == "proved_none" and outcome.solution is None


@pytest.mark.parametrize(("solver", "settings"), SOLVERS)
def test_what_is_solved_takes_no_move(solver: Solver, settings: Any) -> None:
    outcome = solved(solver, Fifteen(3, 3, (1, 2, 3, 4, 5, 6, 7, 8, 0)), settings)
    assert outcome.status == "complete" and outcome.solution == Moves(())


def test_out_of_budget_the_answer_of_slide_is_kept() -> None:
    puzzle = Fifteen(3, 3, (8, 6, 7, 2, 5, 4, 3, 0, 1))
    whole = solved(IdaStar(), puzzle, NoSettings())
    quick = solved(Slide(), puzzle, Settings(beam=0, window=0))
    spent = solved(IdaStar(), puzzle, NoSettings(), Budget(steps=int(quick.counters["positions"]) + 3))
    assert spent.status == "out_of_budget" and spent.counters["by_slide"] == 1 and spent.counters["optimal"] == 0
    assert spent.solution is not None and KIND.check(puzzle, spent.solution).solved
    assert spent.counters["bound"] <= whole.counters["moves"] <= spent.counters["moves"]


def test_how_they_recommend_themselves() -> None:
    for rows, cols, preferred in ((2, 2, "ida-star"), (4, 4, "ida-star"), (4, 5, "slide"), (5, 5, "slide")):
        puzzle = shuffled(rows, cols, 0)
        fits = {solver.name: solver.accepts(puzzle) for solver, _ in SOLVERS}
        assert all(fit.accepted for fit in fits.values())
        assert max(fits, key=lambda name: fits[name].preference) == preferred
    assert not IdaStar().accepts(shuffled(6, 5, 0)).accepted
    assert Slide().accepts(shuffled(10, 10, 0)).accepted


@pytest.mark.parametrize(("rows", "cols"), [(2, 10), (10, 2), (5, 5), (7, 4)])
@pytest.mark.parametrize("blank", ["first", "last"])
def test_sliding_always_comes_to_the_goal(rows: int, cols: int, blank: str) -> None:
    puzzle = shuffled(rows, cols, rows, blank)
    plain = solved(Slide(), puzzle, Settings(beam=0, window=0))
    better = solved(Slide(), puzzle, Settings(beam=300))
    for outcome in (plain, better):
        assert outcome.status == "complete" and outcome.solution is not None
        assert KIND.check(puzzle, outcome.solution).solved
    assert better.counters["moves"] < plain.counters["moves"]


def test_sliding_stops_in_between_with_a_legal_play() -> None:
    puzzle = shuffled(8, 8, 1)
    outcome = solved(Slide(), puzzle, Settings(), Budget(steps=1))
    assert outcome.status == "out_of_budget" and outcome.solution is not None
    verdict = KIND.check(puzzle, outcome.solution)
    assert verdict.valid and not verdict.solved and verdict.scores["moves"] > 0


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """A cache folder of our own, and nothing kept in memory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    databases.patterns.cache_clear()
    yield tmp_path / "dovetail"
    databases.patterns.cache_clear()


def refilled(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """Databases that are filled from now on."""
    filled: list[tuple[int, ...]] = []
    fill = databases._filled

    def noted(rows: int, cols: int, tiles: tuple[int, ...]) -> Any:
        filled.append(tiles)
        return fill(rows, cols, tiles)

    monkeypatch.setattr(databases, "_filled", noted)
    return filled


def test_databases_are_kept_between_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled = refilled(monkeypatch)
    first = databases.patterns(2, 3)
    (path,) = folder.iterdir()
    databases.patterns.cache_clear()
    second = databases.patterns(2, 3)
    assert filled == [(1, 4, 2, 5, 3)], "the second time they are read"
    assert first.entries.tolist() == second.entries.tolist()
    for broken in (b"", path.read_bytes()[:-1], path.read_bytes()[:-1] + b"\7", b"x" + path.read_bytes()):
        path.write_bytes(broken)
        databases.patterns.cache_clear()
        assert databases.patterns(2, 3).entries.tolist() == first.entries.tolist()
    assert len(filled) == 5, "what is not as it was written is filled anew"


def test_a_cache_that_cannot_be_written_is_no_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder.write_bytes(b"a file where the folder should be")
    assert len(databases.patterns(2, 2).entries) == 4**3
    assert folder.is_file()


@pytest.mark.parametrize(("rows", "cols"), [(2, 2), (3, 3), (4, 4), (3, 5), (5, 5), (2, 10)])
def test_every_tile_is_in_one_pattern(rows: int, cols: int) -> None:
    found = databases.split(rows, cols)
    assert sorted(tile for tiles in found for tile in tiles) == [*range(1, rows * cols)]
    assert all((rows * cols) ** len(tiles) <= databases.MOST_ENTRIES for tiles in found)
