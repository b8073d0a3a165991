"""Slow, obvious twins of the corner-arrow tables and kernel. Also run with the compiler off (make test)."""

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from dovetail.tiles import kernels
from dovetail.tiles.corners import CLASSES, SENTINEL, Candidates, Layout, codes_of, layout, place, rotations
from dovetail.tiles.engine import CornerSearch, luby

BOARDS = [(1, 1), (1, 5), (4, 1), (2, 2), (2, 3), (3, 3), (3, 4)]


def as_array(code: int) -> NDArray[np.int64]:
    return np.array([[code >> 6 & 3, code >> 4 & 3], [code >> 2 & 3, code & 3]])


def as_code(tile: NDArray[np.int64]) -> int:
    return int(codes_of(tile.ravel())[0])


def test_turning_is_the_papers_formula() -> None:
    for code in range(256):
        assert rotations().turn[code] == as_code(np.rot90((as_array(code) + 1) % 4))


def test_seventy_classes_sixty_of_four_six_of_two_four_of_one() -> None:
    table = rotations()
    assert len(table.orbit) == CLASSES == 70
    assert [int((table.orbit == size).sum()) for size in (4, 2, 1)] == [60, 6, 4]
    for code in range(256):
        orbit, turned = set(), code
        for _ in range(4):
            orbit.add(turned)
            turned = as_code(np.rot90((as_array(turned) + 1) % 4))
        assert {int(c) for c in np.flatnonzero(table.class_of == table.class_of[code])} == orbit
        assert table.orbit[table.class_of[code]] == len(orbit)


@pytest.mark.parametrize(("rows", "cols"), BOARDS)
@pytest.mark.parametrize("by_columns", [False, True])
def test_layout(rows: int, cols: int, by_columns: bool) -> None:
    plan = layout(rows, cols, by_columns)
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    if by_columns:
        cells = [(r, c) for c in range(cols) for r in range(rows)]
    assert plan.cells.tolist() == [r * cols + c for r, c in cells]
    known: set[tuple[int, int]] = set()
    for depth, (r, c) in enumerate(cells):
        corners = [(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)]
        mask = int(plan.masks[plan.pattern[depth] // 256])
        for k, corner in enumerate(corners):
            vertex = corner[0] * (cols + 1) + corner[1]
            assert plan.write[4 * depth + k] == vertex
            assert plan.read[4 * depth + k] == (vertex if corner in known else plan.vertices - 1)
            assert bool(mask >> (6 - 2 * k) & 3) == (corner in known)
        known.update(corners)


@pytest.mark.parametrize("scarce_first", [False, True])
def test_candidate_lists_hold_what_fits_and_nothing_else(scarce_first: bool) -> None:
    rng = np.random.default_rng(7)
    stock = rng.integers(0, 3, CLASSES).astype(np.uint16)
    masks = layout(3, 3, by_columns=False).masks
    choices = Candidates(stock, masks, scarce_first)
    first, records = choices.first, choices.shuffled(rng)
    table = rotations()
    for m, mask in enumerate(masks.tolist()):
        for key in range(256):
            at = int(first[256 * m + key])
            found = []
            while records[at] != SENTINEL:
                found.append(int(records[at]))
                at += 1
            fitting = [c for c in range(256) if c & mask == key and stock[table.class_of[c]]]
            assert sorted(record & 255 for record in found) == fitting
            assert all(record >> 8 == table.class_of[record & 255] for record in found)
            if scarce_first:
                orbits = [int(table.orbit[record >> 8]) for record in found]
                assert orbits == sorted(orbits)


def naive_search(
    plan: Layout, stock: NDArray[np.uint16], first: NDArray[np.uint32], records: NDArray[np.uint32]
) -> Iterator[tuple[list[int], bool]]:
    """Recursion over the same candidate order: yields the codes laid so far after each placement, and if full."""
    left = stock.tolist()
    arrows: dict[int, int] = {}
    laid: list[int] = []

    def descend(depth: int) -> Iterator[tuple[list[int], bool]]:
        corners = [int(v) for v in plan.write[4 * depth : 4 * depth + 4]]
        key = 0
        for vertex in corners:
            key = key << 2 | arrows.get(vertex, 0)
        at = int(first[plan.pattern[depth] + key])
        while records[at] != SENTINEL:
            class_, code = int(records[at]) >> 8, int(records[at]) & 255
            at += 1
            if not left[class_]:
                continue
            new = [v for v in corners if v not in arrows]
            left[class_] -= 1
            laid.append(code)
            for vertex, arrow in zip(corners, as_array(code).ravel().tolist(), strict=True):
                assert arrows.setdefault(vertex, arrow) == arrow, "a candidate contradicts a known corner"
            full = depth + 1 == len(plan.cells)
            yield list(laid), full
            if not full:
                yield from descend(depth + 1)
            for vertex in new:
                del arrows[vertex]
            laid.pop()
            left[class_] += 1

    return descend(0)


def planted_stock(rows: int, cols: int, seed: int) -> NDArray[np.uint16]:
    arrows = np.random.default_rng(seed).integers(0, 4, (rows + 1, cols + 1))
    corners = (arrows[:-1, :-1], arrows[:-1, 1:], arrows[1:, :-1], arrows[1:, 1:])
    codes = codes_of(np.stack(corners, axis=-1))
    return np.bincount(rotations().class_of[codes], minlength=CLASSES).astype(np.uint16)


@pytest.mark.parametrize(("rows", "cols"), BOARDS)
@pytest.mark.parametrize("by_columns", [False, True])
def test_kernel_walks_the_same_tree(rows: int, cols: int, by_columns: bool) -> None:
    plan = layout(rows, cols, by_columns)
    for seed in range(3):
        stock = planted_stock(rows, cols, seed)
        choices = Candidates(stock, plan.masks, scarce_first=True)
        search = CornerSearch(plan, stock, choices, restart=0, seeds=(seed,))
        first, records = choices.first, choices.shuffled(np.random.default_rng((seed,)))
        deepest = 0
        for placements, (laid, full) in enumerate(naive_search(plan, stock, first, records), start=1):
            assert search.advance(1) == 1
            assert search.placements == placements
            deepest = max(deepest, len(laid))
            assert search.best == deepest
            assert search.full == full
            if full:
                assert search.best_board()[plan.cells].tolist() == laid
                break


def symmetric(board: NDArray[np.int64], turns: int) -> bool:
    """Whether the board of oriented codes looks the same after quarter turns of the whole."""
    if turns % 2 and board.shape[0] != board.shape[1]:
        return False
    turned = board
    for _ in range(turns):
        turned = rotations().turn[np.rot90(turned)].astype(np.int64)
    return bool((turned == board).all())


@pytest.mark.parametrize(("rows", "cols"), [board for board in BOARDS if board != (3, 4)])
def test_counting_tallies_every_board_and_its_symmetries(rows: int, cols: int) -> None:
    plan = layout(rows, cols, by_columns=rows < cols)
    for seed in range(6):
        stock = planted_stock(rows, cols, seed)
        if seed >= 4:  # many equal tiles: boards that turn into themselves
            stock = np.zeros(CLASSES, dtype=np.uint16)
            stock[[int(np.flatnonzero(rotations().orbit == seed - 3)[0])]] = rows * cols
        choices = Candidates(stock, plan.masks, scarce_first=False)
        search = CornerSearch(plan, stock, choices, restart=0, seeds=(seed,))
        first, records = choices.first, choices.shuffled(np.random.default_rng((seed,)))
        tally = [0, 0, 0]
        for laid, full in naive_search(plan, stock, first, records):
            if full:
                flat = np.empty(rows * cols, dtype=np.int64)
                flat[plan.cells] = laid
                board = flat.reshape(rows, cols)
                tally = [tally[0] + 1, tally[1] + symmetric(board, 2), tally[2] + symmetric(board, 1)]
        while not search.exhausted:
            search.advance(1000, counting=True, cols=cols)
        assert search.tally.tolist() == tally


def test_an_exhausted_search_says_so() -> None:
    plan = layout(2, 2, by_columns=False)
    stock = np.zeros(CLASSES, dtype=np.uint16)
    stock[rotations().class_of[codes_of([(0, 0, 0, 0), (1, 1, 1, 1), (0, 2, 0, 2), (0, 0, 0, 1)])]] += np.uint16(1)
    choices = Candidates(stock, plan.masks, scarce_first=True)
    search = CornerSearch(plan, stock, choices, restart=10, seeds=(0,))
    search.advance(10**6)
    first, records = choices.first, choices.shuffled(np.random.default_rng((0,)))
    assert search.full == any(full for _, full in naive_search(plan, stock, first, records))
    assert search.full or search.exhausted


def test_place_turns_tiles_into_what_lies_there() -> None:
    rng = np.random.default_rng(3)
    board = rng.integers(0, 256, 30)
    tiles = rng.permutation(board)
    for _ in range(3):
        tiles = np.where(rng.random(30) < 0.5, rotations().turn[tiles], tiles)
    board[[3, 17]] = -1
    pieces, turns = place(tiles, board)
    assert sorted(pieces[pieces >= 0].tolist()) == sorted({int(p) for p in pieces if p >= 0})
    for cell in range(30):
        if board[cell] == -1:
            assert pieces[cell] == -1
        else:
            tile = as_array(int(tiles[pieces[cell]]))
            for _ in range(turns[cell]):
                tile = np.rot90((tile + 1) % 4)
            assert as_code(tile) == board[cell]


def test_luby() -> None:
    assert [luby(i) for i in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]


def test_reasons_for_stopping_differ() -> None:
    assert len({kernels.PAUSED, kernels.FULL, kernels.EXHAUSTED}) == 3
