"""Algorithm 1: what it solves, what it proves, how it stops."""

import itertools
import random
import subprocess
import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from dovetail.core.errors import Refused
from dovetail.core.kind import Kind
from dovetail.core.puzzle import Placement, Puzzle
from dovetail.core.solver import Budget, Clock, Outcome, Progress, Run
from dovetail.picture import Picture
from dovetail.tiles import highs
from dovetail.tiles.boxes import Boxes, BoxesKind
from dovetail.tiles.boxes import Making as BoxesMaking
from dovetail.tiles.hexagons import HexagonsKind
from dovetail.tiles.hexagons import Making as HexagonsMaking
from dovetail.tiles.highs import Highs, LinearProgram, Optimum, run
from dovetail.tiles.linear import Linear, Settings
from dovetail.tiles.linear_system import refuting, system
from dovetail.tiles.linear_view import by_piece
from dovetail.tiles.narrowing import narrowing, representatives
from dovetail.tiles.puzzle import Making, Pin, Tiles, TilesKind, grey_frame
from dovetail.tiles.representing import represent
from dovetail.tiles.terracotta import TerracottaKind, small

BASES = ("delta", "exponential", "powers", "cosine")


def finish(run: Run) -> tuple[list[Progress], Outcome]:
    told = []
    while True:
        try:
            told.append(next(run))
        except StopIteration as end:
            outcome: Outcome = end.value
            return told, outcome


def result(work: Any) -> Any:
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def solved(puzzle: Puzzle, seed: int = 0, steps: int | None = None, **given: Any) -> Outcome:
    return finish(Linear().solve(puzzle, Settings(**given), Clock(Budget(None, steps)), seed))[1]


def squares(side: int, colours: int, seed: int, rotate: bool = False, frame: str = "coloured", **more: Any) -> Tiles:
    return TilesKind().make(Making(side, side, colours, rotate=rotate, frame=frame, **more), seed)[0]


def passes(kind: Kind, puzzle: Puzzle, outcome: Outcome) -> bool:
    assert outcome.solution is not None
    return kind.check(puzzle, outcome.solution).solved is True


@pytest.mark.parametrize(("side", "colours"), [(6, 5), (8, 8), (12, 12)])
@pytest.mark.parametrize("frame", ["grey", "coloured"])
def test_many_colours_are_solved_by_one_program(side: int, colours: int, frame: str) -> None:
    for seed in range(2):
        puzzle = squares(side, colours, seed, frame=frame)
        outcome = solved(puzzle)
        assert outcome.status == "complete" and passes(TilesKind(), puzzle, outcome)
        assert outcome.counters["programs"] == 1


def test_the_papers_own_program_takes_a_few() -> None:
    """Figure 5.1 is of 6 programs; without leaving anything out by blocks."""
    puzzle = squares(6, 4, 1, frame="grey")
    outcome = solved(puzzle, blocks=False)
    assert outcome.status == "complete" and passes(TilesKind(), puzzle, outcome)
    assert 1 < outcome.counters["programs"] <= 20


@pytest.mark.parametrize(("side", "colours"), [(5, 6), (6, 8)])
def test_pieces_that_turn(side: int, colours: int) -> None:
    for seed in range(2):
        puzzle = squares(side, colours, seed, rotate=True, frame="grey")
        outcome = solved(puzzle)
        assert outcome.status == "complete" and passes(TilesKind(), puzzle, outcome)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (BoxesKind(), BoxesMaking("12", 4)),
        (BoxesKind(), BoxesMaking("4x4x4", 4)),
        (BoxesKind(), BoxesMaking("3x3x3", 8, "none")),
        (HexagonsKind(), HexagonsMaking(2, 4)),
        (HexagonsKind(), HexagonsMaking(3, 5, True, "grey")),
        (TilesKind(), Making(4, 3, 4, signed=True)),
        (TilesKind(), Making(4, 4, 8, frame="none", hints=4)),
    ],
    ids=lambda x: x.name if isinstance(x, Kind) else str(x),
)
def test_other_boards(kind: Kind, settings: Any) -> None:
    for seed in range(2):
        puzzle, _ = kind.make(settings, seed)
        outcome = solved(puzzle)
        assert outcome.status == "complete" and passes(kind, puzzle, outcome)


def test_where_it_stands_still_it_starts_again() -> None:
    """The 3×4 terracotta board has fractional fixed points, and a start that leads to a solution."""
    alone, more = (solved(small(), restarts=restarts) for restarts in (0, 20))
    assert alone.status == "partial" and not passes(TerracottaKind(), small(), alone)
    assert alone.counters["fractional"] > 0
    assert more.status == "complete" and passes(TerracottaKind(), small(), more)
    assert more.counters["programs"] > alone.counters["programs"]


def test_not_rounding_waits_for_a_permutation() -> None:
    puzzle = squares(6, 4, 1, frame="grey")
    outcome = solved(puzzle, round=False, blocks=False)
    assert outcome.status == "complete" and outcome.counters["fractional"] == 0


def every_order(puzzle: Tiles) -> bool:
    """Whether there is a solution, by trying all."""
    turns = range(4 if puzzle.rotate else 1)
    for order in itertools.permutations(range(len(puzzle.tiles))):
        for turned in itertools.product(turns, repeat=len(order)):
            if TilesKind().check(puzzle, Placement.from_flat(order, turned, puzzle.cols)).solved:
                return True
    return False


def random_tiles(rng: random.Random) -> Tiles:
    rotate = rng.random() < 0.5
    rows, cols = (1, 3) if rotate else (2, 2)
    colours = rng.choice((1, 2, 2, 3))
    tiles = tuple(tuple(rng.randrange(1, colours + 1) for _ in range(4)) for _ in range(rows * cols))
    frame = rng.choice((None, grey_frame(rows, cols, 1)))
    match = rng.choice(("equal", "signed"))
    if match == "signed":
        tiles = tuple(tuple(side * rng.choice((-1, 1)) for side in tile) for tile in tiles)
    pins = (Pin(0, 0, 1),) if rng.random() < 0.3 else ()
    return Tiles(rows, cols, tiles, rotate, match, frame, pins)  # type: ignore[arg-type]


@pytest.mark.parametrize("blocks", [True, False])
def test_proofs_and_answers_agree_with_trying_everything(blocks: bool) -> None:
    rng = random.Random(7)
    seen = []
    for _ in range(60):
        puzzle = random_tiles(rng)
        outcome = solved(puzzle, blocks=blocks)
        seen.append(outcome.status)
        if outcome.status == "proved_none":
            assert not every_order(puzzle)
        if outcome.status == "complete":
            assert passes(TilesKind(), puzzle, outcome)
    assert seen.count("complete") > 10 and seen.count("proved_none") > 10


def uneven() -> Boxes:
    """A row in which 1 faces left more often than right: every seam can be met by itself, but not all."""
    return Boxes((5,), ((1, 2), (1, 2), (2, 1), (1, 2), (2, 2)), (1, 1))


def test_an_empty_polytope_is_proved_exactly() -> None:
    whole = system(represent(uneven()), blocks=False)
    assert not whole.hopeless
    assert run(whole.program(np.zeros(whole.variables))).status == "infeasible"
    with Highs() as engine:
        assert result(refuting(whole, engine, Clock(Budget()))) is True
    assert solved(uneven(), blocks=False).status == "proved_none"
    easy = system(represent(squares(3, 2, 0)), blocks=False)
    with Highs() as engine:
        assert result(refuting(easy, engine, Clock(Budget()))) is False, "a program with solutions is not refuted"
        assert result(refuting(easy, engine, Clock(Budget(steps=0)))) is None


def test_a_proof_holds_whatever_the_multipliers_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong numbers from HiGHS prove nothing."""
    whole = system(represent(squares(3, 2, 0)), blocks=False)
    rng = np.random.default_rng(0)
    with Highs() as engine:
        for _ in range(20):
            wrong = Optimum("optimal", None, rng.normal(size=len(whole.rhs)))
            monkeypatch.setattr(highs, "run", lambda program, wrong=wrong: wrong)
            assert result(refuting(whole, engine, Clock(Budget()))) is False


@pytest.mark.parametrize("basis", BASES)
def test_every_basis_solves_small_boards(basis: str) -> None:
    puzzle = squares(3, 4, 0)
    outcome = solved(puzzle, basis=basis, blocks=False)
    assert outcome.status == "complete" and passes(TilesKind(), puzzle, outcome)


def test_raw_bases_prove_nothing_and_are_for_small_boards() -> None:
    for basis in BASES[1:]:
        with pytest.raises(Refused, match="up to 36 pieces"):
            Linear().check_settings(squares(7, 7, 0), Settings(basis=basis))
        assert solved(uneven(), basis=basis, blocks=False).status == "partial"


def test_same_seed_same_outcome() -> None:
    puzzle = squares(6, 5, 2, rotate=True, frame="grey")
    first, second = (solved(puzzle, seed=4, steps=6) for _ in range(2))
    assert first == second and first.counters["programs"] == 6
    assert first.status == "out_of_budget"
    assert TilesKind().check(puzzle, first.solution).valid  # type: ignore[arg-type]


@pytest.mark.parametrize("method", highs.METHODS)
def test_methods_agree(method: str) -> None:
    puzzle = squares(6, 5, 0)
    outcome = solved(puzzle, method=method, blocks=False)
    assert outcome.status == "complete" and passes(TilesKind(), puzzle, outcome)


def test_progress_shows_the_board_and_the_matrix() -> None:
    puzzle = squares(6, 4, 1, frame="grey")
    told, outcome = finish(Linear().solve(puzzle, Settings(blocks=False), Clock(Budget()), 0))
    shown = [progress for progress in told if progress.view is not None]
    assert len(shown) == outcome.counters["programs"] and shown[0].unit == "programs"
    assert shown[0].details["fractional"] > 0 == shown[-1].details["fractional"]
    assert shown[-1].best == shown[-1].goal
    views = [progress.view() for progress in shown if progress.view is not None]
    assert all(isinstance(view, Picture) for view in views)
    assert views[0].png() != views[-1].png()
    assert b"#FFFFFF" in views[-1].svg() and b"entries in between" in views[0].svg()


def test_the_matrix_by_pieces_is_bistochastic() -> None:
    whole = system(represent(squares(4, 2, 1, rotate=True, frame="grey")))
    optimum = run(whole.program(np.random.default_rng(0).random(whole.variables)))
    assert optimum.x is not None
    matrix = by_piece(whole, optimum.x)
    assert matrix.shape == (16, 16)
    assert np.allclose(matrix.sum(axis=0), 1) and np.allclose(matrix.sum(axis=1), 1)


def test_nothing_that_solves_is_left_out() -> None:
    """All solutions of small boards, with and without blocks; where the board can be turned, one of each four."""
    for seed in range(12):
        rotate = seed % 2 == 1
        making = Making(2, 2 if rotate else 3, 2, rotate=rotate, frame=("grey", "none")[seed % 4 // 2])
        preset = represent(TilesKind().make(making, seed)[0])
        start = preset.fits & representatives(preset)
        left = result(narrowing(preset, start))
        assert not (left & ~start).any()
        cells = len(preset.points)
        boards = [*_boards(preset, start, [], preset.stock.copy())]
        assert boards and all(left[np.arange(cells), board].all() for board in boards)
        everything = [*_boards(preset, preset.fits, [], preset.stock.copy())]
        assert len(boards) * (1 + len(preset.symmetry)) >= len(everything) >= len(boards)


def _boards(preset: Any, fits: Any, chosen: list[int], stock: Any) -> Any:
    """Every solution, location by location."""
    if len(chosen) == len(preset.points):
        if preset.broken(np.array(chosen)) == 0:
            yield chosen
        return
    for look in np.flatnonzero(fits[len(chosen)]):
        class_ = preset.class_of[look]
        if stock[class_]:
            stock[class_] -= 1
            yield from _boards(preset, fits, [*chosen, int(look)], stock)
            stock[class_] += 1


def test_blocks_settle_what_seams_alone_do_not() -> None:
    preset = represent(squares(10, 9, 0, frame="coloured"))
    assert system(preset, blocks=True).variables < system(preset, blocks=False).variables


def hard() -> Tiles:
    return squares(8, 3, 0, rotate=True, frame="grey")


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list["subprocess.Popen[bytes]"]:
    """The processes that were started to solve programs."""
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def popen(*args: Any, **kwargs: Any) -> "subprocess.Popen[bytes]":
        started.append(start(*args, **kwargs))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", popen)
    return started


@pytest.mark.parametrize("how", ["cancelled", "out of time", "abandoned"])
def test_stops_soon_and_leaves_no_process(how: str, children: list["subprocess.Popen[bytes]"]) -> None:
    clock = Clock(Budget(1.0 if how == "out of time" else 60))
    run = Linear().solve(hard(), Settings(method="simplex"), clock, 0)
    while not children:
        next(run)
    begin = time.monotonic()
    if how == "abandoned":
        run.close()
    else:
        if how == "cancelled":
            clock.cancel()
        outcome = finish(run)[1]
        assert outcome.status == "out_of_budget"
        assert TilesKind().check(hard(), outcome.solution).valid  # type: ignore[arg-type]
    assert time.monotonic() - begin < 2.0
    assert [child.poll() is not None for child in children] == [True]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("highs")]


def test_assembling_can_be_stopped() -> None:
    clock = Clock(Budget())
    run = Linear().solve(squares(12, 12, 0), Settings(), clock, 0)
    assert next(run).solution is not None
    clock.cancel()
    told, outcome = finish(run)
    assert told == [] and outcome.status == "out_of_budget" and outcome.counters["variables"] == 0


def test_a_process_gives_the_same_answer() -> None:
    program = system(represent(squares(4, 2, 0)), blocks=False).program(np.ones(1), method="simplex")
    program = replace(program, objective=np.arange(program.equal.shape[1], dtype=float))
    here = run(program)
    with Highs(small=0) as engine:
        there = [result(engine.solve(program, Clock(Budget()))) for _ in range(2)]
        assert result(engine.solve(program, Clock(Budget(0)))) is None
    assert here.x is not None and all((here.x == other.x).all() for other in there)


def test_errors_in_the_process_come_back() -> None:
    wrong = LinearProgram(np.ones(3), sparse.csr_array(np.ones((1, 2))), np.ones(1))
    with Highs(small=0) as engine, pytest.raises(RuntimeError, match="Invalid input"):
        result(engine.solve(wrong, Clock(Budget())))


def test_a_process_that_was_killed_is_noticed(children: list["subprocess.Popen[bytes]"]) -> None:
    fine = LinearProgram(np.ones(2), sparse.csr_array(np.ones((1, 2))), np.ones(1))
    with Highs(small=0) as engine:
        assert result(engine.solve(fine, Clock(Budget()))).status == "optimal"
        children[0].kill()
        with pytest.raises(RuntimeError, match="has ended"):
            result(engine.solve(fine, Clock(Budget())))


def test_cuts_and_bounds() -> None:
    plain = LinearProgram(np.array([1.0, 2.0]), sparse.csr_array(np.ones((1, 2))), np.ones(1))
    assert np.allclose(run(plain).x, [0, 1])  # type: ignore[arg-type]
    assert np.allclose(run(replace(plain, upper=np.array([1.0, 0.0]))).x, [1, 0])  # type: ignore[arg-type]
    cut = replace(plain, below=sparse.csr_array(np.array([[0.0, 1.0]])), limits=np.array([0.25]))
    assert np.allclose(run(cut).x, [0.75, 0.25])  # type: ignore[arg-type]
    assert run(replace(plain, upper=np.zeros(2))).status == "infeasible"


def test_which_puzzles_it_takes() -> None:
    linear = Linear()
    assert linear.accepts(squares(6, 6, 0)).preference == 0.1
    assert linear.accepts(BoxesKind().make(BoxesMaking("2x2", 2), 0)[0]).preference > 0.5
    assert linear.accepts(HexagonsKind().make(HexagonsMaking(3, 4), 0)[0]).preference > 0.5
    large = squares(9, 9, 0, rotate=True)
    assert "26,244 variables, and 17,000 are the most" in linear.accepts(large).why
    assert linear.accepts(replace(large, rotate=False)).accepted
    assert "are missing" in linear.accepts(replace(large, tiles=large.tiles[:5])).why
