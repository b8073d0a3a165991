"""Slow, obvious twins of the search with breaks, its schedule and the exchanges. Also run with the compiler off."""

import itertools
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from math import log

import numpy as np
import pytest
from numpy.typing import NDArray

from dovetail.tiles import kernels
from dovetail.tiles.break_tables import BreakTables
from dovetail.tiles.breaks import scan_order
from dovetail.tiles.oriented import oriented
from dovetail.tiles.plan import plan
from dovetail.tiles.polish import Polish
from dovetail.tiles.puzzle import EQUAL, SIGNED, Tiles
from dovetail.tiles.terracotta import Terracotta
from support.naive_tiles import (
    FRAMES,
    Board,
    Laid,
    agree,
    arrows,
    by_rows,
    dealt,
    faces,
    hints,
    look,
    may_lie,
    shown,
    touch,
)

RULES = list(itertools.product((True, False), (EQUAL, SIGNED), FRAMES, (0, 2)))
each_rule = pytest.mark.parametrize(("rotate", "match", "frame", "pins"), RULES)
SCHEDULES = ["none", "late", "early", "anywhere"]
NORTH, WEST = 0, 3


@dataclass
class Visit:
    """What a search with breaks meets: by depth, and the full boards with their breaks."""

    laid: list[int]
    broken: list[int]
    boards: list[tuple[Board, int]] = field(default_factory=list)


def small(rotate: bool, match: str, frame: str, pins: int) -> Tiles:
    if rotate and not pins and frame == "free":
        return dealt(2, 2, 3, rotate, match, frame, pins)
    return dealt(*((3, 2) if frame == "grey" or not rotate else (1, 4)), 3, rotate, match, frame, pins)


def caps(schedule: str, cells: int) -> list[int]:
    """Breaks allowed by each depth."""
    return {
        "none": [0] * cells,
        "late": [max(0, depth - cells + 3) for depth in range(cells)],
        "early": [min(depth, 1) for depth in range(cells)],
        "anywhere": [2] * cells,
    }[schedule]


def visit(
    puzzle: Tiles | Terracotta, cells: list[int], cap: list[int], quota: list[int], heavy: set[int]
) -> Visit:  # fmt: skip
    """Lay all that fits; where nothing more does and a break is left, all that fits but for one side, west or north."""
    laid = hints(puzzle)
    given = set(laid)
    stock = Counter(look(puzzle, tile) for tile in puzzle.tiles)
    stock.subtract(look(puzzle, face) for face in laid.values())
    found = Visit([0] * len(cells), [0] * len(cells))

    def wrong_sides(cell: int, face: tuple[int, int, int, int], sides: list[int]) -> list[int]:
        near = dict(touch(puzzle, cell))
        return [side for side in sides if not agree(puzzle, face, side, laid[near[side]])]  # type: ignore[index]

    def descend(depth: int, breaks: int, weight: int) -> None:
        if depth == len(cells):
            found.boards.append((tuple(laid[cell] for cell in by_rows(puzzle)), breaks))
            return
        cell = cells[depth]
        known = [side for side, beyond in touch(puzzle, cell) if beyond in laid and beyond not in given]
        fixed = [side for side, beyond in touch(puzzle, cell) if beyond in given]
        stages: list[list[int]] = [[]]
        if breaks < cap[depth] and known:
            stages += [[side] for side in (WEST, NORTH) if side in known]
        for broken in stages:
            for key in list(stock):
                for face in faces(puzzle, key):
                    if not stock[key] or not may_lie(puzzle, cell, face) or wrong_sides(cell, face, fixed):
                        continue
                    if wrong_sides(cell, face, known) != broken:
                        continue
                    heavier = weight + sum(colour in heavy for colour in face)
                    if heavier < quota[depth]:
                        continue
                    stock[key] -= 1
                    laid[cell] = face
                    found.laid[depth] += 1
                    found.broken[depth] += bool(broken)
                    descend(depth + 1, breaks + bool(broken), heavier)
                    del laid[cell]
                    stock[key] += 1

    descend(0, 0, 0)
    return found


def searched(
    puzzle: Tiles | Terracotta, cap: list[int], quota: list[int], heavy: set[int], slice_: int
) -> tuple[Visit, int]:  # fmt: skip
    """The same by the kernel, in slices."""
    tiles = oriented(puzzle)
    order = plan(tiles, scan_order(tiles))
    tables = BreakTables(tiles, order)
    n = len(order.cells)
    weights = heavy_values(puzzle, heavy)
    records, names = tables.shuffled(np.random.default_rng(1), weights)
    stock, seams = tiles.free_stock.astype(np.uint16), np.zeros(order.slots, dtype=np.uint32)
    cursor, breaks, weight = (np.zeros(size, dtype=np.uint32) for size in (n, n + 1, n))
    phase, placed = np.zeros(n, dtype=np.uint8), np.zeros(n, dtype=np.uint64)
    cursor[0] = tables.exact[tables.pattern[0] * np.uint32(tiles.colours**2)]
    laid, broken = np.zeros(n), np.zeros(n)
    limits = np.array(cap, dtype=np.uint32), np.array(quota, dtype=np.uint32)
    boards: list[tuple[Board, int]] = []
    depth, total = 0, 0
    while True:
        ended, depth, made = kernels.search_breaks(
            tables.exact, tables.by_north, tables.by_west, tables.pattern, tables.breakable, np.uint32(tiles.colours),
            records, tables.slots, stock, seams, cursor, phase, placed, breaks, weight, *limits, depth, slice_, laid,
            broken,
        )  # fmt: skip
        total += made
        depth = int(depth)
        if ended == kernels.EXHAUSTED:
            break
        if ended == kernels.FULL:
            board = np.array([tiles.pinned.get(cell, -1) for cell in range(tiles.cells)])
            board[order.cells] = names[cursor - 1]
            boards.append((shown(puzzle, tiles.place(board)), int(breaks[-1])))
            depth -= 1
            stock[int(placed[depth] >> kernels.B_CLASS)] += np.uint16(1)
        else:
            assert made == slice_
    assert (stock == tiles.free_stock).all(), "every tile is back in its box"
    by_depth = [array.astype(int).tolist() for array in (laid, broken)]
    return Visit(by_depth[0], by_depth[1], boards), total


def heavy_values(puzzle: Tiles | Terracotta, heavy: set[int]) -> NDArray[np.int64]:
    """Weights of seam values, from those of colours; a colour's number among all is its seam value, if unsigned."""
    tiles = oriented(puzzle)
    weights = np.zeros(tiles.colours, dtype=np.int64)
    for piece, looks in enumerate(tiles.looks):
        for number, turns in looks.items():
            face = puzzle.turned(puzzle.tiles[piece], turns)
            for side in range(4):
                if face[side] in heavy:
                    weights[tiles.sides[number, side]] = 1
    return weights


def agrees_with_the_twin(puzzle: Tiles | Terracotta, schedule: str, heavy: set[int], share: float = 0.0) -> Visit:
    tiles = oriented(puzzle)
    cells = [int(cell) for cell in plan(tiles, scan_order(tiles)).cells]
    weights = sum(colour in heavy for tile in puzzle.tiles for colour in tile)
    quota = [int(share * weights * (depth + 1) / len(cells)) for depth in range(len(cells))]
    cap = caps(schedule, len(cells))
    naive = visit(puzzle, cells, cap, quota, heavy)
    for slice_ in (1 << 40, 7):
        found, total = searched(puzzle, cap, quota, heavy, slice_)
        assert total == sum(naive.laid)
        assert (found.laid, found.broken) == (naive.laid, naive.broken)
        assert sorted(found.boards) == sorted(naive.boards)
    return naive


@each_rule
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_breaks_are_searched_as_scheduled(rotate: bool, match: str, frame: str, pins: int, schedule: str) -> None:
    found = agrees_with_the_twin(small(rotate, match, frame, pins), schedule, set())
    assert found.boards, "there is a planted one"
    assert schedule != "none" or {breaks for _, breaks in found.boards} == {0}


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_breaks_of_corner_arrows(schedule: str) -> None:
    agrees_with_the_twin(arrows(2, 2, 1, directions=2), schedule, set())


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("share", [0.8, 1.0, 1.2])
def test_quotas_cut_the_tree_and_nothing_else(schedule: str, share: float) -> None:
    puzzle = dealt(3, 2, 5, frame="grey")
    free = agrees_with_the_twin(puzzle, schedule, {1, 2})
    cut = agrees_with_the_twin(puzzle, schedule, {1, 2}, share)
    assert sum(cut.laid) < sum(free.laid)
    assert set(cut.boards) <= set(free.boards)


def test_allowing_breaks_finds_more_boards() -> None:
    puzzle = dealt(3, 2, 3, rotate=False)
    none, late = (agrees_with_the_twin(puzzle, schedule, set()) for schedule in ("none", "late"))
    assert {board for board, _ in none.boards} < {board for board, _ in late.boards}


def naive_cost(ends: list[int], fitting: list[float], breaking: list[float], supply: float) -> float:
    """Placements for each full board, with exact numbers."""
    widths = [Fraction(1)] + [Fraction(0)] * len(ends)
    total = Fraction(supply)
    for depth, (fit, miss) in enumerate(zip(fitting, breaking, strict=True)):
        allowed = sum(end <= depth for end in ends)
        widths = [
            widths[k] * Fraction(fit) + (widths[k - 1] * Fraction(miss) if k > 0 else 0) if k <= allowed else widths[k]
            for k in range(len(widths))
        ]
        total += sum(widths)
    cost = total / sum(widths)
    return log(cost.numerator) - log(cost.denominator)


@pytest.mark.parametrize("scale", [1.0, 3.0, 40.0])
def test_what_a_schedule_costs(scale: float) -> None:
    rng = np.random.default_rng(2)
    for breaks in (1, 2, 5):
        for _ in range(5):
            n = int(rng.integers(5, 60))
            fitting, breaking = rng.uniform(0.1, 2.0, n) * scale, rng.uniform(0.1, 3.0, n)
            ends = np.sort(rng.integers(0, n, breaks))
            supply = float(rng.uniform(1, 1000))
            cost = kernels.schedule_cost(ends, fitting, breaking, np.zeros(breaks + 1), supply)
            assert cost == pytest.approx(naive_cost(ends.tolist(), fitting.tolist(), breaking.tolist(), supply), 1e-9)


@pytest.mark.parametrize("n", [280, 281, 282, 300, 400])
def test_numbers_too_large_for_a_float_are_scaled(n: int) -> None:
    fitting, breaking = np.full(n, 5.0), np.full(n, 2.0)
    cost = kernels.schedule_cost(np.array([10, 20]), fitting, breaking, np.zeros(3), 7.0)
    assert cost == pytest.approx(naive_cost([10, 20], fitting.tolist(), breaking.tolist(), 7.0), 1e-9)


def test_annealing_finds_a_schedule_that_costs_no_more() -> None:
    rng = np.random.default_rng(4)
    n = 30
    fitting, breaking = np.linspace(3.0, 0.2, n), np.full(n, 2.0)
    ends = np.array([0, 1, 2])
    before = kernels.schedule_cost(ends, fitting, breaking, np.zeros(4), 10.0)
    cost = kernels.anneal_schedule(ends, fitting, breaking, 10.0, 300, rng)
    assert cost < before
    assert cost == pytest.approx(kernels.schedule_cost(ends, fitting, breaking, np.zeros(4), 10.0))
    assert (np.sort(ends) == ends).all()
    assert 0 <= ends.min() <= ends.max() < n
    best = min(
        naive_cost(list(trial), fitting.tolist(), breaking.tolist(), 10.0)
        for trial in itertools.combinations_with_replacement(range(0, n, 3), 3)
    )
    assert cost < best + 0.3, "near the best there is"


def mismatched(puzzle: Tiles | Terracotta, board: Board) -> int:
    """Seams that disagree, each once."""
    laid: Laid = dict(enumerate(board))
    return sum(
        not agree(puzzle, laid[cell], side, laid[beyond])
        for cell in laid
        for side, beyond in touch(puzzle, cell)
        if side in (1, 2) and beyond is not None
    )


@each_rule
def test_exchanges_count_what_they_gain(rotate: bool, match: str, frame: str, pins: int) -> None:
    """The bookkeeping of two tiles that may touch, against a recount; hints and rim stay as they are."""
    puzzle = dealt(4, 3, 8, rotate, match, frame, pins)
    polish, tiles = Polish(oriented(puzzle)), oriented(puzzle)
    rng = np.random.default_rng(6)
    for moves in (1, 2, 3, 300):
        start = np.array([tiles.pinned.get(cell, -1) for cell in range(tiles.cells)])
        board = polish.filled(start, rng)
        before = board.copy()
        gain = kernels.anneal_board(
            board, polish.beyond, tiles.sides, polish._kind, polish._first_option, polish._options, tiles.class_of,
            polish.free, moves, 0.5, rng,
        )  # fmt: skip
        old, new = (shown(puzzle, tiles.place(b)) for b in (before, board))
        assert gain == mismatched(puzzle, old) - mismatched(puzzle, new) >= 0
        assert polish.breaks(board) == mismatched(puzzle, new)
        assert sorted(tiles.class_of[board]) == sorted(tiles.class_of[before])
        assert all(may_lie(puzzle, cell, face) for cell, face in enumerate(new) if old[cell] != face)
        assert all(board[cell] == tile for cell, tile in tiles.pinned.items())


def test_exchanges_of_corner_arrows_find_something() -> None:
    puzzle = arrows(3, 3, 2)
    tiles = oriented(puzzle)
    polish, rng = Polish(tiles), np.random.default_rng(1)
    boards = [polish.filled(np.full(9, -1), rng) for _ in range(5)]
    better = [polish.exchange(board, 500, rng) for board in boards]
    counts = [
        [mismatched(puzzle, shown(puzzle, tiles.place(b))) for b in both] for both in zip(boards, better, strict=True)
    ]
    assert all(new <= old for old, new in counts)
    assert any(new < old for old, new in counts)


@each_rule
def test_laying_anew_keeps_the_tiles_and_the_hints(rotate: bool, match: str, frame: str, pins: int) -> None:
    puzzle = dealt(3, 3, 4, rotate, match, frame, pins)
    tiles = oriented(puzzle)
    polish, rng = Polish(tiles), np.random.default_rng(3)
    start = np.array([tiles.pinned.get(cell, -1) for cell in range(tiles.cells)])
    board = polish.filled(start, rng)
    count = mismatched(puzzle, shown(puzzle, tiles.place(board)))
    for _ in range(10):
        again = polish.relay(board, 1, rng)
        new = mismatched(puzzle, shown(puzzle, tiles.place(again)))
        assert sorted(tiles.class_of[again]) == sorted(tiles.class_of[board])
        assert all(again[cell] == tile for cell, tile in tiles.pinned.items())
        assert new <= count, "laid as well as can be is never worse than as it lay"
        board, count = again, new
