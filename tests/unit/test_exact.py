"""The exact solvers of tile puzzles, held against trying everything on tiny boards of every rule."""

import itertools
import random
import threading
import time
from collections.abc import Iterator
from math import factorial, prod
from typing import Any

import pytest

from dovetail.core.errors import Refused
from dovetail.core.puzzle import EMPTY, Placement, Puzzle
from dovetail.core.solver import Budget, Clock, Outcome, Run, Solver
from dovetail.tiles.cp_sat import CpSat
from dovetail.tiles.puzzle import EQUAL, SIGNED, Pin, Tiles, TilesKind, grey_frame
from dovetail.tiles.sat import Sat
from dovetail.tiles.terracotta import Terracotta, TerracottaKind, small, standard

Tile = tuple[int, int, int, int]
SOLVERS: list[Solver] = [Sat(), CpSat()]
each_solver = pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: s.name)
FRAMES = ("free", "grey", "coloured")
RULES = list(itertools.product((True, False), (EQUAL, SIGNED), FRAMES, (False, True), (False, True)))
# LiorSinai/ScramblePuzzleSolver, smoke_tests.py: "nosol_planets" and "plant"
PLANETS = ((3, 4, 3, -4), (2, -2, 1, 3), (3, -4, 2, 1), (3, -4, -2, 1), (-4, -1, 3, -4), (-1, -3, 3, 1),
           (2, 1, -2, -4), (2, 4, 3, 1), (-3, 2, -4, 4))  # fmt: skip
PLANT = ((-2, -1, 4, 3), (-3, -2, 4, 1), (-3, -4, 1, 2), (-4, -3, 1, 2), (-4, -2, 1, 3), (-1, -3, 4, 2),
         (-1, -3, 4, 2), (-1, -2, 1, 3), (-4, -3, 4, 2))  # fmt: skip


def finish(run: Run) -> Outcome:
    while True:
        try:
            next(run)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome


def solved(solver: Solver, puzzle: Puzzle, seed: int = 0, steps: int | None = None, **given: Any) -> Outcome:
    clock = Clock(Budget(None, steps))
    return finish(solver.solve(puzzle, solver.settings_type(**given), clock, seed))


def counted(puzzle: Puzzle, limit: int | None = None, **given: Any) -> Outcome:
    return finish(Sat().count(puzzle, Sat.settings_type(**given), Clock(Budget()), limit))


def passes(puzzle: Puzzle, placement: Placement) -> bool:
    kind = TilesKind() if isinstance(puzzle, Tiles) else TerracottaKind()
    return kind.check(puzzle, placement).solved is True


def looks(puzzle: Tiles | Terracotta, tile: Tile) -> list[Tile]:
    turns = 1 if isinstance(puzzle, Tiles) and not puzzle.rotate else 4
    return [puzzle.turned(tile, turn) for turn in range(turns)]


def all_boards(puzzle: Tiles | Terracotta) -> set[tuple[Tile, ...]]:
    """Every way the board can look when it is solved: all orders and all turns, each judged by the checker."""
    found = set()
    numbers = range(len(puzzle.tiles))
    for order in itertools.permutations(numbers):
        for turns in itertools.product(*(range(len(looks(puzzle, puzzle.tiles[n]))) for n in order)):
            board = tuple(puzzle.turned(puzzle.tiles[n], t) for n, t in zip(order, turns, strict=True))
            if board not in found and passes(puzzle, Placement.from_flat(order, turns, puzzle.cols)):
                found.add(board)
    return found


def labellings(puzzle: Tiles | Terracotta) -> int:
    """Ways to tell tiles that are alike apart; a hint says which one it means."""
    pinned = {pin.tile for pin in puzzle.pins} if isinstance(puzzle, Tiles) else set()
    orbits = [min(looks(puzzle, tile)) for number, tile in enumerate(puzzle.tiles) if number not in pinned]
    return prod(factorial(orbits.count(orbit)) for orbit in set(orbits))


def turned_board(puzzle: Tiles | Terracotta, board: tuple[Tile, ...], quarters: int) -> tuple[Tile, ...]:
    rows, cols = puzzle.rows, puzzle.cols
    for _ in range(quarters):
        cells = [(r, c) for r in range(cols) for c in range(rows)]
        board = tuple(puzzle.turned(board[c * cols + cols - 1 - r], 1) for r, c in cells)
        rows, cols = cols, rows
    return board


def symmetries(puzzle: Tiles | Terracotta) -> int:
    """Turns of the board that keep the frame; hints and tiles that may not be turned leave none."""
    if isinstance(puzzle, Terracotta):
        return 4 if puzzle.rows == puzzle.cols else 2
    if not puzzle.rotate or puzzle.pins:
        return 1
    frame = puzzle.frame or (0,) * puzzle.perimeter
    steps = {2: puzzle.rows + puzzle.cols, **({4: puzzle.rows} if puzzle.rows == puzzle.cols else {})}
    return max([n for n, by in steps.items() if frame[by:] + frame[:by] == frame], default=1)


def planted(
    rows: int, cols: int, rotate: bool, match: str, frame: str, pinned: bool, repeated: bool, seed: int
) -> Tiles:
    """A puzzle with a solution, its tiles turned and shuffled."""
    chance = random.Random(seed)
    sign = -1 if match == SIGNED else 1
    colours = (1,) if repeated else (1, 2, 3)
    down = [[chance.choice(colours) for _ in range(cols)] for _ in range(rows + 1)]
    right = [[chance.choice(colours) for _ in range(cols + 1)] for _ in range(rows)]
    if frame == "grey":
        down[0] = down[rows] = [0] * cols
        for row in right:
            row[0] = row[cols] = 0
    board = [
        [(sign * down[r][c], right[r][c + 1], down[r + 1][c], sign * right[r][c]) for c in range(cols)]
        for r in range(rows)
    ]
    rim = None
    if frame != "free":
        rim = (
            *(board[0][c][0] for c in range(cols)), *(board[r][cols - 1][1] for r in range(rows)),
            *(board[rows - 1][c][2] for c in reversed(range(cols))), *(board[r][0][3] for r in reversed(range(rows))),
        )  # fmt: skip
    flat = [tile for row in board for tile in row]
    order = chance.sample(range(len(flat)), len(flat))
    turns = [chance.randrange(4) if rotate else 0 for _ in flat]
    tiles = tuple((*flat[n][t:], *flat[n][:t]) for n, t in zip(order, turns, strict=True))
    pins = (Pin(*divmod(order[0], cols), 0, -turns[0] % 4),) if pinned else ()
    return Tiles(rows, cols, tiles, rotate, match, rim, pins)  # type: ignore[arg-type]


def spoilt(puzzle: Tiles, seed: int) -> Tiles:
    """One side of one tile recoloured: mostly without a solution."""
    chance = random.Random(seed)
    tiles = [list(tile) for tile in puzzle.tiles]
    tiles[chance.randrange(len(tiles))][chance.randrange(4)] = chance.choice((1, 2, 3))
    rest = (puzzle.rotate, puzzle.match, puzzle.frame, puzzle.pins)
    return Tiles(puzzle.rows, puzzle.cols, tuple((n, e, s, w) for n, e, s, w in tiles), *rest)


def tiny(rotate: bool, match: str, frame: str, pinned: bool, repeated: bool) -> Iterator[Tiles]:
    sizes = [(1, 1), (1, 3), (2, 2)] if rotate else [(1, 3), (2, 2), (2, 3)]
    for seed, (rows, cols) in enumerate(sizes):
        puzzle = planted(rows, cols, rotate, match, frame, pinned, repeated, seed)
        yield puzzle
        yield spoilt(puzzle, seed)


@pytest.mark.parametrize(("rotate", "match", "frame", "pinned", "repeated"), RULES)
def test_agrees_with_trying_everything(rotate: bool, match: str, frame: str, pinned: bool, repeated: bool) -> None:
    for puzzle in tiny(rotate, match, frame, pinned, repeated):
        agree_with_all_boards(puzzle)


def test_agrees_with_trying_everything_on_corner_arrows() -> None:
    chance = random.Random(5)
    found = 0
    for rows, cols in [(1, 1), (1, 2), (1, 3), (2, 2), (2, 2), (2, 2)]:
        tiles = [tuple(chance.randrange(2) for _ in range(4)) for _ in range(rows * cols)]
        found += agree_with_all_boards(Terracotta(rows, cols, tuple(tiles)))  # type: ignore[arg-type]
    assert found > 1, "some have solutions"


def agree_with_all_boards(puzzle: Tiles | Terracotta) -> int:
    boards = all_boards(puzzle)
    for solver in SOLVERS:
        outcome = solved(solver, puzzle)
        assert isinstance(outcome.solution, Placement)
        if boards:
            assert outcome.status == "complete" and passes(puzzle, outcome.solution)
        else:
            assert outcome.status == "proved_none"
            assert {piece for row in outcome.solution.pieces for piece in row} == {EMPTY}
    counters = counted(puzzle).counters
    assert counters["solutions_with_rotations"] == len(boards) * labellings(puzzle)
    turns = symmetries(puzzle)
    distinct = len({min(turned_board(puzzle, board, q) for q in range(0, 4, 4 // turns)) for board in boards})
    assert counters["distinct_boards"] == distinct
    if len(puzzle.tiles) > 1:
        assert counters["solutions"] * turns == counters["solutions_with_rotations"]
    else:
        assert counters["solutions"] == distinct
    return len(boards)


@pytest.mark.parametrize("engine", ["cadical195", "minisat22"])
def test_counts_scramble_squares_as_published(engine: str) -> None:
    assert solved(Sat(), Tiles(3, 3, PLANETS, match=SIGNED), engine=engine).status == "proved_none"
    counters = counted(Tiles(3, 3, PLANT, match=SIGNED), engine=engine).counters
    assert (counters["solutions"], counters["solutions_with_rotations"]) == (2, 8)
    assert counters["distinct_boards"] == 1


def test_cp_sat_proves_that_there_is_none() -> None:
    assert solved(CpSat(), Tiles(3, 3, PLANETS, match=SIGNED)).status == "proved_none"


def test_counts_the_small_terracotta_as_depth_first_does() -> None:
    counters = counted(small()).counters
    assert (counters["solutions"], counters["solutions_with_rotations"]) == (2, 4)


@each_solver
def test_a_hint_against_the_frame_leaves_nothing(solver: Solver) -> None:
    puzzle = Tiles(1, 2, ((0, 1, 0, 0), (0, 0, 0, 1)), frame=grey_frame(1, 2), pins=(Pin(0, 0, 0, 1),))
    assert solved(solver, puzzle).status == "proved_none"
    assert solved(solver, Tiles(1, 2, puzzle.tiles, frame=puzzle.frame)).status == "complete"


def test_counting_stops_at_the_limit() -> None:
    puzzle = Tiles(2, 3, ((1, 1, 1, 1),) * 6)
    everything, some = counted(puzzle), counted(planted(2, 3, True, EQUAL, "free", False, False, 1), limit=2)
    assert everything.status == "complete"
    assert everything.counters["distinct_boards"] == 1
    assert everything.counters["solutions"] == factorial(6) // 2
    assert some.status == "partial"
    assert some.counters["solutions"] >= 2


@each_solver
def test_solves_a_larger_board_of_repeated_tiles(solver: Solver) -> None:
    for match, frame in itertools.product((EQUAL, SIGNED), FRAMES):
        puzzle = planted(4, 5, True, match, frame, True, True, 3)
        outcome = solved(solver, puzzle)
        assert outcome.status == "complete"
        assert isinstance(outcome.solution, Placement) and passes(puzzle, outcome.solution)


@each_solver
def test_a_step_budget_is_repeatable_and_kept(solver: Solver) -> None:
    puzzle = planted(6, 6, True, EQUAL, "grey", False, False, 1)
    for steps in (1, 250):
        runs = [solved(solver, puzzle, seed=2, steps=steps) for _ in range(2)]
        assert runs[0] == runs[1]
        assert runs[0].counters["conflicts"] <= steps + 1


def test_the_seed_decides_the_order_not_the_file() -> None:
    puzzle = planted(7, 7, True, EQUAL, "grey", False, False, 1)
    outcomes = [solved(Sat(), puzzle, seed=seed) for seed in range(4)]
    assert {outcome.status for outcome in outcomes} == {"complete"}
    assert len({outcome.counters["conflicts"] for outcome in outcomes}) > 1


@each_solver
@pytest.mark.parametrize("how", ["cancelled", "out of time"])
@pytest.mark.parametrize("after_s", [0.0, 0.3, 1.5])
def test_stops_soon_wherever_it_is(solver: Solver, how: str, after_s: float) -> None:
    puzzle, settings = standard(), solver.settings_type()
    solver.warm_up(puzzle, settings)
    clock = Clock(Budget(wall_s=after_s if how == "out of time" else 60))
    run = solver.solve(puzzle, settings, clock, 0)
    due = time.monotonic() + after_s
    while True:
        if how == "cancelled" and time.monotonic() >= due:
            clock.cancel()
        try:
            next(run)
        except StopIteration as end:
            outcome: Outcome = end.value
            break
    assert time.monotonic() - due < 10.0, "not only when its minute is over"
    assert outcome.status == "out_of_budget"
    assert isinstance(outcome.solution, Placement)
    assert TerracottaKind().check(puzzle, outcome.solution).valid


@each_solver
def test_a_run_nobody_finishes_leaves_no_thread(solver: Solver) -> None:
    before = threading.active_count()
    run = solver.solve(standard(), solver.settings_type(), Clock(Budget(wall_s=60)), 0)
    for _ in range(5):
        next(run)
    run.close()
    assert threading.active_count() == before


@each_solver
def test_refuses_what_it_cannot_lay(solver: Solver) -> None:
    assert "1 of its 4 tiles are missing" in solver.accepts(Tiles(2, 2, ((1, 1, 1, 1),) * 3)).why
    large = solver.accepts(planted(40, 40, True, EQUAL, "grey", False, False, 0))
    assert not large.accepted
    assert "literals" in large.why
    assert solver.accepts(standard()).accepted


def test_a_step_budget_takes_one_worker() -> None:
    with pytest.raises(Refused, match="one worker"):
        solved(CpSat(), small(), steps=10, workers=2)
    outcome = solved(CpSat(), small(), workers=2)
    assert outcome.status == "complete"
