"""Slow, obvious twins of the tile engines: trees, solutions, symmetries. Also run with the compiler off (make test)."""

import itertools
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from dovetail.core.puzzle import EMPTY, Placement
from dovetail.core.solver import Budget, Clock, Outcome, Run
from dovetail.tiles import counting, kernels
from dovetail.tiles.depth_first import DepthFirst, Settings, searches
from dovetail.tiles.engine import TileSearch, luby
from dovetail.tiles.oriented import oriented
from dovetail.tiles.plan import MOST_DIRECT, ORDERS, Candidates, plan
from dovetail.tiles.puzzle import EQUAL, SIGNED, Pin, Tiles, grey_frame
from dovetail.tiles.terracotta import Terracotta
from support.naive_tiles import (
    FRAMES,
    Tree,
    agree,
    arrows,
    board_turns,
    by_rows,
    dealt,
    distinct,
    faces,
    labellings,
    look,
    may_lie,
    shown,
    spoilt,
    touch,
    tree,
    turned_board,
)

RULES = list(itertools.product((True, False), (EQUAL, SIGNED), FRAMES, (0, 1, 3), (1, 3)))
each_rule = pytest.mark.parametrize(("rotate", "match", "frame", "pins", "colours"), RULES)
each_order = pytest.mark.parametrize("order", ORDERS)
SYMMETRIC: list[Tiles | Terracotta] = [
    Tiles(2, 2, ((1, 2, 2, 1),) * 4),  # turns into itself by a quarter
    Tiles(2, 2, ((1, 2, 2, 1),) * 2 + ((1, 3, 3, 1),) * 2),
    Tiles(2, 2, ((0, 1, 1, 0),) * 4, frame=grey_frame(2, 2)),
    Tiles(2, 3, ((1, 2, 2, 1),) * 2 + ((1, 2, 1, 2),) * 2 + ((2, 2, 1, 1),) * 2),
    Tiles(3, 3, ((0, 1, 2, 0),) * 4 + ((0, 2, 3, 1),) * 4 + ((3, 3, 3, 3),), frame=grey_frame(3, 3)),
    Tiles(1, 4, ((1, 2, 1, 2),) * 2 + ((1, 2, 1, 3),) * 2),
    Tiles(2, 2, ((1, 2, -2, -1),) * 4, match=SIGNED),
    Tiles(1, 1, ((1, 2, 3, 4),)),
    Tiles(1, 1, ((1, 2, 1, 2),)),
    Tiles(1, 1, ((5, 5, 5, 5),)),
    Tiles(1, 1, ((1, 2, 1, 2),), frame=(2, 1, 2, 1)),
    Terracotta(2, 2, ((0, 1, 3, 2),) * 4),
    Terracotta(2, 3, ((0, 0, 2, 2),) * 4 + ((0, 2, 0, 2),) * 2),
    Terracotta(1, 1, ((0, 0, 0, 1),)),
    *(arrows(2, 2, seed, directions=2) for seed in range(4)),
]


def search_of(puzzle: Tiles | Terracotta, order: str = "auto", restart: int = 0, seed: int = 0) -> TileSearch:
    (search,) = searches(puzzle, Settings(arrangement=order, restart=restart), seed)
    return search


def cells_of(search: TileSearch) -> list[int]:
    return [int(cell) for cell in search.plan.cells]


def exhaust(search: TileSearch, counting: bool = True) -> TileSearch:
    while not search.exhausted:
        search.advance(1 << 20, counting)
    return search


def naive_tally(puzzle: Tiles | Terracotta, found: Tree) -> list[int]:
    """All boards, and those that a half and a quarter turn map to themselves, where turning keeps the puzzle."""
    turns = board_turns(puzzle)
    same = [sum(t in turns and turned_board(puzzle, b, t) == b for b in found.boards) for t in (2, 1)]
    return [len(found.boards), *same]


def finish(run: Run) -> Outcome:
    while True:
        try:
            next(run)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome


def counted(puzzle: Tiles | Terracotta, parallel: int = 1, executor: Executor | None = None) -> Outcome:
    return finish(DepthFirst(executor).count(puzzle, Settings(parallel=parallel), Clock(Budget()), None))


def small(rotate: bool, match: str, frame: str, pins: int, colours: int, seed: int = 0) -> list[Tiles]:
    """Boards whose trees have some thousand nodes at most; the smallest have a side of one."""
    sizes = [(1, 3), (2, 2)]
    if not rotate or (colours > 1 and (pins or frame != "free")):
        sizes += [(3, 2)]
    puzzles = [dealt(*size, seed, rotate, match, frame, pins, colours) for size in sizes]
    return [*puzzles, spoilt(puzzles[-1], seed)]


@each_rule
def test_every_order_visits_the_naive_tree(rotate: bool, match: str, frame: str, pins: int, colours: int) -> None:
    for puzzle, order in itertools.product(small(rotate, match, frame, pins, colours), ORDERS):
        visits_the_naive_tree(puzzle, order)


@each_order
def test_corner_arrows_too(order: str) -> None:
    for size in [(1, 1), (1, 4), (3, 1), (2, 2), (2, 3), (3, 2)]:
        visits_the_naive_tree(arrows(*size, seed=1), order)


@each_order
def test_larger_boards_with_few_candidates(order: str) -> None:
    """Grey rims and many colours: all the neighbourhoods an order can meet, on trees that stay small."""
    for size, given, rotate in [((3, 4), 0, True), ((4, 3), 2, True), ((3, 3), 4, False)]:
        visits_the_naive_tree(dealt(*size, 3, rotate, frame="grey", pins=given, colours=4), order)


def visits_the_naive_tree(puzzle: Tiles | Terracotta, order: str) -> None:
    search = search_of(puzzle, order)
    found = tree(puzzle, cells_of(search))
    exhaust(search)
    assert search.placements == found.placements
    assert search.tally[0] == len(found.boards)
    assert search.best == max((d + 1 for d, w in enumerate(found.widths) if w), default=0) + len(search.tiles.pinned)
    one_by_one, boards = search_of(puzzle, order), []
    while not one_by_one.exhausted:
        one_by_one.advance(1 << 20)
        if one_by_one.full:
            boards.append(shown(puzzle, one_by_one.placement()))
            one_by_one.go_on()
    assert sorted(boards) == sorted(found.boards)
    assert one_by_one.placements == found.placements


def test_both_kernels_are_tried() -> None:
    """What the tests above compare is worth something only if orders use the table and the trie."""
    puzzle = dealt(3, 4, 3, frame="grey", colours=4)
    by_table = {order for order in ORDERS if search_of(puzzle, order)._candidates.direct}
    assert {"auto", "rows", "columns", "diagonal"} <= by_table
    assert "spiral" not in by_table


def test_a_scan_with_too_many_colours_for_a_table_takes_the_trie() -> None:
    tiles = tuple((4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3) for n in range(600))
    puzzle = Tiles(20, 30, tiles, rotate=False)
    search = search_of(puzzle, "rows")
    assert search.tiles.colours**2 > MOST_DIRECT
    assert not search._candidates.direct
    exhaust(search)
    assert search.placements == 600, "each tile alone, beside which nothing fits"


def test_orders_are_what_they_are_called() -> None:
    puzzle = oriented(dealt(3, 4, 0))
    assert ORDERS["rows"](puzzle) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    assert ORDERS["columns"](puzzle) == [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]
    assert ORDERS["auto"](puzzle) == ORDERS["columns"](puzzle)
    assert ORDERS["auto"](oriented(dealt(4, 3, 0))) == list(range(12))
    assert ORDERS["diagonal"](puzzle) == [0, 1, 4, 2, 5, 8, 3, 6, 9, 7, 10, 11]
    assert ORDERS["spiral"](puzzle) == [0, 1, 2, 3, 7, 11, 10, 9, 8, 4, 5, 6]
    # the grey rim leaves each of the four corner tiles one way to lie in a corner
    assert ORDERS["constrained"](oriented(dealt(3, 4, 0, frame="grey")))[0] == 0


def test_a_spiral_grows_out_of_the_hints() -> None:
    tiles = dealt(5, 5, 0).tiles
    order = ORDERS["spiral"](oriented(Tiles(5, 5, tiles, pins=(Pin(2, 2, 0), Pin(0, 4, 1)))))
    away = [min(abs(r - 2) + abs(c - 2), r + 4 - c) for r, c in (divmod(cell, 5) for cell in order)]
    assert away == sorted(away)


@each_order
def test_orders_fill_every_cell_once(order: str) -> None:
    for puzzle in (dealt(4, 3, 1, frame="grey", pins=2), arrows(2, 5, 0)):
        given = set(oriented(puzzle).pinned)
        assert sorted({*ORDERS[order](oriented(puzzle))} - given) == sorted(set(by_rows(puzzle)) - given)
        assert sorted(cells_of(search_of(puzzle, order))) == sorted(set(by_rows(puzzle)) - given)


@each_order
def test_a_plan_knows_what_lies(order: str) -> None:
    """Sides are read where a neighbour lies by then, from the seam that it wrote."""
    puzzle = dealt(3, 4, 2, pins=2)
    tiles = oriented(puzzle)
    laid_out = plan(tiles, ORDERS[order](tiles))
    written: dict[int, tuple[int, int]] = {}  # seam → cell and side that wrote it last
    done: set[int] = set()
    for depth, cell in enumerate(map(int, laid_out.cells)):
        known = {side for side, beyond in touch(puzzle, cell) if beyond in done}
        assert set(laid_out.reads[depth]) == known
        for side, slot in zip(laid_out.reads[depth], laid_out.read_slots[depth], strict=False):
            beyond = dict(touch(puzzle, cell))[side]
            assert written[int(slot)] == (beyond, (side + 2) % 4)
        for side in range(4):
            written[int(laid_out.write_slots[depth][side])] = (cell, side)
        done.add(cell)


@pytest.mark.parametrize("scarce_first", [False, True])
@each_order
def test_candidate_lists_hold_what_fits_and_nothing_else(order: str, scarce_first: bool) -> None:
    for puzzle in (dealt(3, 3, 5, frame="grey", colours=2), arrows(3, 2, 4, directions=2)):
        tiles = oriented(puzzle)
        laid_out = plan(tiles, ORDERS[order](tiles))
        lists = Candidates(tiles, laid_out, scarce_first)
        records, names = lists.shuffled(np.random.default_rng(0))
        for depth, (cell, sides) in enumerate(zip(laid_out.cells, laid_out.reads, strict=True)):
            for values in itertools.product(range(tiles.colours), repeat=len(sides)):
                seen = dict(zip(sides, values, strict=True))
                found = names_from(lists, tiles.colours, depth, seen, records, names)
                fits = tiles.fits(int(cell))
                expected = [
                    o for o in range(len(fits)) if fits[o] and all(tiles.sides[o, s] == v for s, v in seen.items())
                ]
                assert sorted(found) == expected
                if scarce_first:
                    ways = [int(tiles.orientations[tiles.class_of[name]]) for name in found]
                    assert ways == sorted(ways)


def names_from(
    lists: Candidates,
    colours: int,
    depth: int,
    seen: dict[int, int],
    records: NDArray[np.uint64],
    names: NDArray[np.int64],
) -> list[int]:
    """The oriented tiles of the list for these sides, looked up as the kernels do."""
    at = int(lists.root[depth])
    if lists.direct:
        at = int(lists.index[at + seen.get(0, 0) * colours + seen.get(3, 0)])
    else:
        for side in sorted(seen, key=(0, 3, 1, 2).index):
            at = int(lists.index[at + seen[side]])
    found = []
    while records[at] != kernels.END:
        found.append(int(names[at]))
        at += 1
    return found


@each_rule
def test_oriented_tiles_fit_where_the_rules_let_them(
    rotate: bool, match: str, frame: str, pins: int, colours: int
) -> None:
    """The reduction to seam values, against the rules: what fits a cell, and what fits beside what."""
    for puzzle in small(rotate, match, frame, pins, colours, seed=7):
        tiles = oriented(puzzle)
        lying = [face_of(puzzle, look_) for look_ in range(len(tiles.sides))]
        for cell in by_rows(puzzle):
            if cell in tiles.pinned:
                continue
            fits = tiles.fits(cell)
            for number, face in enumerate(lying):
                near = [
                    (side, face_of(puzzle, tiles.pinned[b])) for side, b in touch(puzzle, cell) if b in tiles.pinned
                ]
                expected = may_lie(puzzle, cell, face) and all(agree(puzzle, face, side, other) for side, other in near)
                in_stock = tiles.free_stock[tiles.class_of[number]] > 0
                assert fits[number] == (expected and in_stock)
        for one, other, side in itertools.product(range(len(lying)), range(len(lying)), range(4)):
            same = tiles.sides[one, side] == tiles.sides[other, (side + 2) % 4]
            assert same == agree(puzzle, lying[one], side, lying[other])
        for number, face in enumerate(lying):
            if rotate:
                assert lying[tiles.turn[number]] == puzzle.turned(face, 1)
            assert {n for n in range(len(lying)) if look(puzzle, lying[n]) == look(puzzle, face)} == set(
                np.flatnonzero(tiles.class_of == tiles.class_of[number]).tolist()
            )


def face_of(puzzle: Tiles, number: int) -> tuple[int, int, int, int]:
    """How an oriented tile looks, from a tile of the puzzle that can look so."""
    piece, turns = next((n, looks[number]) for n, looks in enumerate(oriented(puzzle).looks) if number in looks)
    return puzzle.turned(puzzle.tiles[piece], turns)


@pytest.mark.parametrize("size", [(1, 1), (1, 5), (2, 2), (2, 3), (3, 2)])
@each_order
def test_the_search_goes_on_placement_by_placement(size: tuple[int, int], order: str) -> None:
    """Slices of one: never more than asked for, the best board grows tile by tile, and always by the rules."""
    for puzzle in (dealt(*size, 1), dealt(*size, 1, frame="grey", pins=int(size != (1, 1))), arrows(*size, 2)):
        search, best = search_of(puzzle, order), 0
        found = tree(puzzle, cells_of(search))
        for made in range(1, found.placements + 1):
            assert search.advance(1) == 1
            assert search.placements == made
            assert best <= search.best <= max(best, len(search.tiles.pinned)) + 1
            if search.best > best:
                best = search.best
                lies_by_the_rules(puzzle, search.placement(), best)
            if search.full:
                search.go_on()
        assert search.advance(1) == 0
        assert search.exhausted


def lies_by_the_rules(puzzle: Tiles | Terracotta, placement: Placement, tiles: int) -> None:
    pieces = [piece for row in placement.pieces for piece in row]
    turns = [turn for row in placement.turns for turn in row]
    laid = {c: puzzle.turned(puzzle.tiles[p], turns[c]) for c, p in enumerate(pieces) if p != EMPTY}
    assert len(laid) == tiles == len(set(pieces) - {EMPTY})
    for cell, face in laid.items():
        assert may_lie(puzzle, cell, face)
        assert all(agree(puzzle, face, side, laid[b]) for side, b in touch(puzzle, cell) if b in laid)


@pytest.mark.parametrize("puzzle", SYMMETRIC)
@each_order
def test_boards_that_turn_into_themselves_are_tallied(puzzle: Tiles | Terracotta, order: str) -> None:
    search = search_of(puzzle, order)
    found = tree(puzzle, cells_of(search))
    assert exhaust(search).tally.tolist() == naive_tally(puzzle, found)


def test_the_symmetric_boards_are_symmetric() -> None:
    tallies = [naive_tally(puzzle, tree(puzzle, by_rows(puzzle))) for puzzle in SYMMETRIC]
    assert sum(half > 0 for _, half, _ in tallies) >= 6
    assert sum(quarter > 0 for _, _, quarter in tallies) >= 3
    assert sum(half > quarter for _, half, quarter in tallies) >= 3


@pytest.mark.parametrize("puzzle", SYMMETRIC)
def test_counts_of_symmetric_boards(puzzle: Tiles | Terracotta) -> None:
    counts_as_the_naive_tree(puzzle)


def test_four_boards_that_a_quarter_turn_keeps() -> None:
    """As many as it takes for their weight in the sum to show."""
    puzzle = Tiles(3, 3, ((1, 1, 1, 2),) * 4 + ((1, 1, 1, 3),) * 4 + ((1, 1, 1, 1),))
    counts_as_the_naive_tree(puzzle)


@each_rule
def test_counts(rotate: bool, match: str, frame: str, pins: int, colours: int) -> None:
    for puzzle in small(rotate, match, frame, pins, colours, seed=11):
        counts_as_the_naive_tree(puzzle)


def counts_as_the_naive_tree(puzzle: Tiles | Terracotta) -> None:
    found = tree(puzzle, cells_of(search_of(puzzle)))
    labelled, turns = len(found.boards) * labellings(puzzle), len(board_turns(puzzle))
    expected = {
        "solutions": -(-labelled // turns) if len(puzzle.tiles) == 1 else labelled / turns,
        "solutions_with_rotations": labelled,
        "distinct_boards": distinct(puzzle, found.boards),
        "placements": found.placements,
    }
    outcome = counted(puzzle)
    assert outcome.status == "complete"
    assert outcome.counters == expected


@pytest.mark.parametrize("order", ["rows", "spiral"])
@pytest.mark.parametrize("number", [1, 2, 7, 50, 10**9])
def test_a_split_search_visits_every_node_once(number: int, order: str) -> None:
    for puzzle in (
        dealt(3, 2, 1, frame="grey"),
        dealt(2, 3, 2, pins=1),
        arrows(2, 3, 3),
        Tiles(1, 2, ((1, 2, 3, 4),) * 2),
    ):
        whole = search_of(puzzle, order)
        found = tree(puzzle, cells_of(whole))
        parts = whole.split(number)
        if len(parts) > 1:
            assert len(parts) in found.widths[:-1]
        if number <= max(found.widths[:-1]):
            assert len(parts) >= number
        for part in parts:
            exhaust(part)
        assert sum(part.placements for part in parts) == found.placements
        assert sum(int(part.tally[0]) for part in parts) == len(found.boards)


@pytest.mark.parametrize("order", ["rows", "spiral"])
@pytest.mark.parametrize("every", [1, 3, 10])
def test_work_given_away_again_and_again_is_done_once(every: int, order: str) -> None:
    """After any number of placements, from whoever has some left, until nobody has."""
    for puzzle in (dealt(3, 2, 1, frame="grey"), dealt(2, 3, 2, pins=1), arrows(2, 3, 3), *SYMMETRIC[1:3]):
        found = tree(puzzle, cells_of(search_of(puzzle, order)))
        waiting, over = [search_of(puzzle, order)], list[TileSearch]()
        while waiting:
            part = waiting.pop(0)
            part.advance(every, counting=True)
            if (cut := part.give_away()) is not None:
                assert not part.exhausted and cut.placements == 0
                waiting.append(cut)
            (over if part.exhausted else waiting).append(part)
        assert (len(over) > 1) == (max(found.widths) > 1), found.widths
        assert sum(part.placements for part in over) == found.placements
        assert [sum(int(part.tally[k]) for part in over) for k in range(3)] == naive_tally(puzzle, found)


def test_splitting_a_search_that_leads_nowhere() -> None:
    puzzle = Tiles(1, 3, ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12)))
    parts = search_of(puzzle).split(100)
    assert [part.exhausted for part in parts] == [True]
    assert parts[0].placements == tree(puzzle, by_rows(puzzle)).placements


@pytest.fixture(scope="module", params=["own threads", "threads", "processes"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor | None]:
    if request.param == "own threads":
        yield None
    elif request.param == "threads":
        with ThreadPoolExecutor(2) as pool:
            yield pool
    else:
        with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as workers:
            yield workers


def test_workers_count_together_what_one_counts_alone(executor: Executor | None) -> None:
    puzzles: list[Tiles | Terracotta] = [
        dealt(3, 3, 1, frame="grey"),
        dealt(2, 3, 4, colours=1),
        arrows(2, 3, 3),
        SYMMETRIC[4],
    ]
    for puzzle in puzzles:
        alone = counted(puzzle)
        found = tree(puzzle, cells_of(search_of(puzzle)))
        assert alone.counters["placements"] == found.placements
        for workers in (1, 2, 3):
            assert counted(puzzle, workers, executor) == alone


def test_idle_workers_get_part_of_what_others_have_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """One part to begin with, and slices so short that it has to be cut up."""
    monkeypatch.setattr(TileSearch, "chunk", 1)
    monkeypatch.setattr(counting, "SUBTREES_A_WORKER", 1)
    monkeypatch.setattr(counting, "LAST_SLICE", 5)
    cuts = []
    give_away = TileSearch.give_away

    def seen(search: TileSearch) -> TileSearch | None:
        cuts.append(search)
        return give_away(search)

    monkeypatch.setattr(TileSearch, "give_away", seen)
    puzzle = dealt(3, 3, 1, frame="grey")
    alone = counted(puzzle)
    for workers in (2, 3):
        cuts.clear()
        assert counted(puzzle, workers) == alone
        assert cuts


def test_starts_on_any_executor_find_the_same(executor: Executor | None) -> None:
    puzzle = dealt(3, 4, 6, frame="grey")
    here, there = (
        finish(DepthFirst(pool).solve(puzzle, Settings(parallel=3, restart=50), Clock(Budget(steps=3000)), 1))
        for pool in (None, executor)
    )
    assert here == there
    assert here.status == "complete"


@pytest.mark.parametrize("parallel", [1, 2])
def test_counting_stops_at_the_limit(parallel: int) -> None:
    """Enough solutions, and then no more work; what was counted is still a lower bound."""
    puzzle = dealt(2, 3, 2)
    everything = counted(puzzle).counters["solutions"]
    assert everything > 3
    outcome = finish(DepthFirst().count(puzzle, Settings(parallel=parallel), Clock(Budget()), 2))
    assert 2 <= outcome.counters["solutions"] <= everything
    assert outcome.status in ("partial", "complete")
    stopped = finish(DepthFirst().count(puzzle, Settings(parallel=parallel), Clock(Budget(steps=40)), None))
    assert stopped.status == "out_of_budget"
    assert stopped.counters["placements"] >= 40
    assert stopped.counters["solutions"] <= everything


def test_hints_that_contradict_leave_nothing() -> None:
    """Each other, the frame, or the rule that a grey rim stays outside: no search would look there again."""
    apart = Tiles(2, 2, ((1, 1, 1, 1), (2, 2, 2, 2), (1, 3, 1, 3), (2, 3, 2, 3)), pins=(Pin(0, 0, 0), Pin(0, 1, 1)))
    turned = Tiles(1, 2, ((0, 1, 0, 0), (0, 0, 0, 1)), frame=grey_frame(1, 2), pins=(Pin(0, 0, 0, 1),))
    all_given = Tiles(1, 2, ((1, 2, 3, 4), (1, 4, 3, 5)), pins=(Pin(0, 0, 0), Pin(0, 1, 1)))
    for puzzle in (apart, turned, all_given):
        assert not tree(puzzle, by_rows(puzzle)).boards
        counts_as_the_naive_tree(puzzle)
        assert counted(puzzle, parallel=2).counters["solutions"] == 0
        solved = finish(DepthFirst().solve(puzzle, Settings(), Clock(Budget()), 0))
        assert solved.status == "proved_none"


@each_order
def test_a_board_that_is_all_hints_is_solved(order: str) -> None:
    puzzle = dealt(2, 3, 1, pins=6)
    solved = finish(DepthFirst().solve(puzzle, Settings(arrangement=order), Clock(Budget()), 0))
    assert solved.status == "complete"
    assert isinstance(solved.solution, Placement)
    lies_by_the_rules(puzzle, solved.solution, 6)
    for parallel in (1, 2):
        assert counted(puzzle, parallel).counters["solutions"] == 1


def test_restarts_prove_what_one_search_proves() -> None:
    for seed in range(4):
        puzzle = spoilt(dealt(2, 3, seed, frame="coloured"), seed)
        found = tree(puzzle, by_rows(puzzle))
        search = search_of(puzzle, restart=1, seed=seed)
        while not search.ended:
            search.advance(1 << 20)
        assert search.full == bool(found.boards)
        assert search.restarts > 0


def test_placing_turns_tiles_into_what_lies_there() -> None:
    for puzzle in (dealt(3, 3, 1, colours=1), dealt(3, 3, 2, match=SIGNED, pins=2), arrows(3, 3, 1, directions=2)):
        tiles = oriented(puzzle)
        rng = np.random.default_rng(5)
        given = {pin.tile for pin in puzzle.pins} if isinstance(puzzle, Tiles) else set()
        free = [piece for piece in range(9) if piece not in given]
        rng.shuffle(free)
        board = np.full(9, -1)
        for cell, tile in tiles.pinned.items():
            board[cell] = tile
        holes = np.flatnonzero(board < 0)[:-1]  # one stays empty
        for cell, piece in zip(holes, free, strict=False):
            board[cell] = rng.choice(list(tiles.looks[piece]))
        placement = tiles.place(board)
        pieces = [piece for row in placement.pieces for piece in row]
        assert pieces.count(EMPTY) == 1
        assert len(set(pieces)) == 9
        for cell, (piece, turns) in enumerate(zip(pieces, sum(placement.turns, ()), strict=True)):
            if piece != EMPTY:
                assert tiles.looks[piece][int(board[cell])] == turns
                assert puzzle.turned(puzzle.tiles[piece], turns) in faces(puzzle, puzzle.tiles[piece])
        if isinstance(puzzle, Tiles):
            for pin in puzzle.pins:
                assert placement.pieces[pin.row][pin.col] == pin.tile


def test_luby() -> None:
    assert [luby(i) for i in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]


def test_reasons_for_stopping_differ() -> None:
    assert len({kernels.PAUSED, kernels.FULL, kernels.EXHAUSTED}) == 3
