"""The n-puzzle's kernels beside slow, obvious twins."""

import random
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail.core.puzzle import Moves
from dovetail.moves import patterns as databases
from dovetail.moves.games.fifteen import GAP, Fifteen, FifteenKind, FifteenPlay
from dovetail.moves.ida_star import _Deepening
from dovetail.moves.pattern_kernels import UNSEEN
from dovetail.moves.rules import fifteen as rules
from dovetail.moves.sliding import BeamSearch, Construction, Shortening, lots

Tiles = tuple[int, ...]
# what is put in place together, by the size of the tray
LOTS = {(2, 3): [(1, 4), (2, 3, 5)], (3, 3): [(1,), (2, 3), (4, 7), (5, 6, 8)], (3, 2): [(1, 2), (3, 4, 5)]}


def slides(tiles: Tiles, rows: int, cols: int) -> list[tuple[int, Tiles]]:
    """Every tile that can slide, and the tray after it."""
    gap = tiles.index(GAP)
    row, col = divmod(gap, cols)
    found = []
    for r, c in ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)):
        if 0 <= r < rows and 0 <= c < cols:
            after = list(tiles)
            after[gap], after[r * cols + c] = after[r * cols + c], GAP
            found.append((after[gap], tuple(after)))
    return found


def distances(start: Tiles, rows: int, cols: int) -> dict[Tiles, int]:
    """Slides from one tray to every other."""
    far, queue = {start: 0}, deque([start])
    while queue:
        tiles = queue.popleft()
        for _, after in slides(tiles, rows, cols):
            if after not in far:
                far[after] = far[tiles] + 1
                queue.append(after)
    return far


def shuffled(rows: int, cols: int, number: int, rng: random.Random) -> Tiles:
    tiles = (*range(1, rows * cols), GAP)
    for _ in range(number):
        tiles = rng.choice(slides(tiles, rows, cols))[1]
    return tiles


def placed(play: FifteenPlay, lots_: list[tuple[int, ...]]) -> set[int]:
    """The tiles of the first lots, up to one that is not in place."""
    found: set[int] = set()
    for lot in lots_:
        if any(play.tiles.index(tile) != tile - 1 for tile in lot):
            break
        found |= {*lot}
    return found


def copied(state: Any) -> list[Any]:
    """All that a play changes, the paths up to where it is."""
    played = state.tally[rules.PLAYED]
    return [state.path[:played].tolist(), state.tally.tolist(), state.board.tolist(), state.where.tolist()]


@pytest.mark.parametrize("size", LOTS)
def test_rules_play_as_the_checker_does(size: tuple[int, int]) -> None:
    rng = random.Random(str(size))
    kind = FifteenKind()
    for _ in range(8):
        puzzle = Fifteen(*size, shuffled(*size, 100, rng))
        state, play, last, kept = rules.state(puzzle), kind.begin(puzzle), 0, [placed(kind.begin(puzzle), LOTS[size])]
        out, history, keys = np.zeros(4, np.int64), [], {int(rules.key(rules.state(puzzle)))}
        while number := rules.moves(state, out):
            allowed = {tile for tile, _ in slides(tuple(play.tiles), *size)} - kept[-1]
            assert {*out[:number].tolist()} == (allowed - {last} or {last})
            assert rules.value(state) == len(kept[-1]) / (len(puzzle.tiles) - 1)
            history.append(copied(state))
            last = rng.choice(out[:number].tolist())
            codes = [int(rules.code(state, tile)) for tile in out[:number]]
            assert len({*codes}) == number and all(0 <= code < rules.CODES for code in codes)
            rules.play(state, last)
            play.make(str(last))
            assert state.board.tolist() == play.tiles
            keys.add(int(rules.key(state)))
            kept.append(kept[-1] | placed(play, LOTS[size]))
            assert state.tally[rules.PLAYED] == len(history)
        assert (rules.value(state) == 1.0) == play.solved
        assert len(keys) == len(history) + 1
        if play.solved:
            assert rules.score(state) == -len(history)
        assert kind.check(puzzle, Moves(rules.written(puzzle, state.path[: len(history)]))).valid
        for step in sorted(rng.sample(range(len(history)), min(5, len(history))), reverse=True):
            rules.back(state, step)
            assert copied(state) == history[step]


def test_rules_know_how_far_a_lot_is() -> None:
    """Slides to the first lot of 2x3 in place: the nearest of all trays that have it there."""
    rows, cols = 2, 3
    trays = distances((1, 2, 3, 4, 5, GAP), rows, cols)
    home = [tiles for tiles in trays if tiles[0] == 1 and tiles[3] == 4]
    nearest = dict.fromkeys(home, 0)
    queue = deque(home)
    while queue:
        tiles = queue.popleft()
        for _, after in slides(tiles, rows, cols):
            if after not in nearest:
                nearest[after] = nearest[tiles] + 1
                queue.append(after)
    for tiles in random.Random(3).sample(sorted(set(trays) - set(home)), 20):
        state = rules.state(Fifteen(rows, cols, tiles))
        for tile, after in slides(tiles, rows, cols):
            nearer = nearest[after] < nearest[tiles]
            assert rules.weigh(state, tile) == (1.0 if nearer else rules.ASIDE)


def test_half_of_all_orders_have_a_way_to_the_goal() -> None:
    for blank_first, goal in ((False, (1, 2, 3, 4, 5, GAP)), (True, (GAP, 1, 2, 3, 4, 5))):
        reached = distances(goal, 2, 3)
        rng = random.Random(blank_first)
        for _ in range(30):
            tiles = tuple(rng.sample(range(6), 6))
            puzzle = Fifteen(2, 3, tiles, blank_first)
            assert rules.solvable(puzzle) == (tiles in reached)
            assert FifteenKind().facts(puzzle)["solvable"] == (
                "yes" if tiles in reached else "no, two tiles are the wrong way round"
            )
            assert bool(rules.moves(rules.state(puzzle), np.zeros(4, np.int64))) == (tiles in reached and tiles != goal)


def naive_database(rows: int, cols: int, tiles: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """Cells of a pattern's tiles → slides of theirs to the goal, by 0-1 search over them and the gap."""
    start = (*(tile - 1 for tile in tiles), rows * cols - 1)
    cost, queue = {start: 0}, deque([start])
    while queue:
        position = queue.popleft()
        *at, gap = position
        row, col = divmod(gap, cols)
        for r, c in ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)):
            if 0 <= r < rows and 0 <= c < cols:
                to = r * cols + c
                after = (*(gap if cell == to else cell for cell in at), to)
                price = cost[position] + (to in at)
                if price < cost.get(after, 999):
                    cost[after] = price
                    (queue.append if to in at else queue.appendleft)(after)
    best: dict[tuple[int, ...], int] = {}
    for position, price in cost.items():
        best[position[:-1]] = min(price, best.get(position[:-1], 999))
    return best


@pytest.mark.parametrize(("rows", "cols", "tiles"), [(2, 3, (2, 4, 5)), (3, 3, (1, 5)), (3, 3, (6, 8)), (2, 4, (3, 7))])
def test_databases(rows: int, cols: int, tiles: tuple[int, ...]) -> None:
    entries, cells = databases._filled(rows, cols, tiles), rows * cols
    expected = naive_database(rows, cols, tiles)
    for position, price in expected.items():
        assert entries[sum(cell * cells**place for place, cell in enumerate(position))] == price
    assert (entries != UNSEEN).sum() == len(expected)


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Small databases, so that they are filled in no time even uncompiled."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(databases, "SPLITS", {(3, 3): ((1, 2), (3, 6), (4, 7), (5, 8)), (2, 3): ((1, 4), (2, 3), (5,))})
    databases.patterns.cache_clear()
    yield
    databases.patterns.cache_clear()


@pytest.mark.parametrize(("rows", "cols", "number"), [(2, 3, 40), (3, 3, 14)])
def test_deepening_finds_the_shortest_way(rows: int, cols: int, number: int, pairs: Any) -> None:
    rng = random.Random(rows)
    for _ in range(8):
        tiles = shuffled(rows, cols, number, rng)
        goal, far = (*range(1, rows * cols), GAP), 0
        ring = {tiles}
        while goal not in ring:
            ring, far = {after for one in ring for _, after in slides(one, rows, cols)}, far + 1
        search = _Deepening(rows, cols, tiles, far + 2)
        while not search.done:
            search.work(7)
        assert search.path is not None
        assert len(search.path) == search.bound == far
        known = _Deepening(rows, cols, tiles, far)  # no play is shorter than one of this length
        while not known.done:
            known.work(1000)
        assert known.path is None


def replayed(tiles: Tiles, path: list[int], rows: int, cols: int) -> Tiles:
    for tile in path:
        tiles = dict(slides(tiles, rows, cols))[tile]
    return tiles


def test_construction_beam_and_shortening() -> None:
    """A lot of all tiles, a beam wider than the graph and a window longer than the play each find the shortest way."""
    rows, cols, goal = 2, 3, (1, 2, 3, 4, 5, GAP)
    far = distances(goal, rows, cols)
    for tiles in random.Random(7).sample(sorted(far), 6):
        whole = Construction(rows, cols, tiles, positions=6**6)
        list(whole.work())
        beam = BeamSearch(rows, cols, tiles, width=400)
        list(beam.work())
        stages = Construction(rows, cols, tiles, positions=1)
        list(stages.work())
        shorter = Shortening(rows, cols, tiles, stages.path, window=len(stages.path) + 1, nodes=10**6)
        list(shorter.work())
        for path in (whole.path, beam.path, shorter.path):
            assert len(path) == far[tiles]
            assert replayed(tiles, path, rows, cols) == goal
        assert replayed(tiles, stages.path, rows, cols) == goal


@pytest.mark.parametrize(("rows", "cols"), [(2, 2), (2, 7), (9, 2), (4, 4), (5, 3), (10, 10)])
@pytest.mark.parametrize("positions", [1, 2**17])
def test_lots_leave_no_single_last_tile(rows: int, cols: int, positions: int) -> None:
    found = lots(rows, cols, positions)
    assert sorted(cell for lot in found for cell in lot) == [*range(rows * cols - 1)]
    free = rows * cols
    for lot in found[:-1]:
        assert len(lot) <= 2 or free ** (len(lot) + 1) <= positions
        free -= len(lot)
    filled: set[int] = set()
    for lot in found[:-1]:
        filled |= {*lot}
        lines = [{row * cols + col for col in range(cols)} for row in range(rows)]
        lines += [{row * cols + col for row in range(rows)} for col in range(cols)]
        left = [line - filled for line in lines]
        assert all(len(rest) != 1 for rest in left)
