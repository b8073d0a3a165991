"""The kernels of Sokoban against slow twins: the plain rules, exhaustive search, permutations, a library heap."""

import heapq
import itertools
import random
from typing import Any

import numpy as np
import pytest

from dovetail.moves.games.sokoban import STEPS, Cell, Making, Sokoban, SokobanKind, SokobanPlay
from dovetail.moves.rules import sokoban as rules
from dovetail.moves.sokoban import deadlocks, matching, slides, table
from dovetail.moves.sokoban.board import LETTERS, Level
from dovetail.moves.sokoban.reach import FAR
from dovetail.moves.sokoban.search import FeatureSearch, PushSearch


def made(seed: int, boxes: int = 2) -> Sokoban:
    return SokobanKind().make(Making(width=7, height=6, boxes=boxes, walls=15, tries=3), seed)[0]


def walkable(play: SokobanPlay) -> set[Cell]:
    seen, queue = {play.player}, [play.player]
    for row, col in queue:
        for down, right in STEPS.values():
            cell = (row + down, col + right)
            if cell not in seen and cell not in play.walls and cell not in play.boxes:
                seen.add(cell)
                queue.append(cell)
    return seen


def pushable(play: SokobanPlay) -> set[tuple[Cell, str]]:
    """Every box with every way it can be pushed now."""
    reached, found = walkable(play), set()
    for row, col in play.boxes:
        for way, (down, right) in STEPS.items():
            to, stand = (row + down, col + right), (row - down, col - right)
            if stand in reached and to not in play.walls and to not in play.boxes:
                found.add(((row, col), way))
    return found


def pushed(play: SokobanPlay, box: Cell, way: str) -> None:
    down, right = STEPS[way]
    play.player = (box[0] - down, box[1] - right)
    play.make(way.upper())


def snapshot(state: Any) -> tuple[Any, ...]:
    played = int(state.tally[0])
    return (
        state.boxes.tolist(), state.which.tolist(), state.tally.tolist(), state.path[:played].tolist(),
        state.scratch.occupied.tolist(),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_random_plays(seed: int) -> None:
    puzzle, rng = made(seed), random.Random(seed)
    level, state = Level(puzzle), rules.state(puzzle)
    most, widest = rules.limits(puzzle)
    out = np.zeros(widest, np.int64)
    first = snapshot(state)
    keys: dict[Any, int] = {}
    for _ in range(4):
        play = SokobanPlay(puzzle)
        seen = [snapshot(state)]
        while (number := rules.moves(state, out)) and len(seen) < 25:
            moves = out[:number].tolist()
            assert len(set(moves)) == number
            assert {(level.cells[m >> 2], LETTERS[m & 3]) for m in moves} == pushable(play)
            move = rng.choice(moves)
            rules.play(state, move)
            pushed(play, level.cells[move >> 2], LETTERS[move & 3])
            assert {level.cells[box] for box in state.boxes} == play.boxes
            assert (rules.value(state) == 1.0) == play.solved
            assert 0 < rules.value(state) == rules.score(state) <= 1
            assert 0 <= rules.code(state, move) < rules.CODES
            position = (frozenset(play.boxes), min(walkable(play)), len(seen))
            assert keys.setdefault(position, int(rules.key(state))) == int(rules.key(state))
            seen.append(snapshot(state))
        assert number == 0 or len(seen) == 25
        replayed = SokobanPlay(puzzle)
        for letter in rules.written(puzzle, state.path[: state.tally[0]]):
            replayed.make(letter)
        assert replayed.boxes == play.boxes
        half = len(seen) // 2
        rules.back(state, half)
        assert snapshot(state) == seen[half]
        rules.back(state, 0)
        assert snapshot(state) == first
    assert len(set(keys.values())) == len(keys)
    assert most > 0


def pushes_needed(puzzle: Sokoban, box: Cell, player: Cell, goal: Cell) -> int:
    """With this box alone: breadth first by pushes."""
    play = SokobanPlay(puzzle)
    todo, seen = {(box, player)}, set()
    for pushes in range(FAR):
        if any(at == goal for at, _ in todo):
            return pushes
        after = set()
        for at, stands in todo:
            play.boxes, play.player = {at}, stands
            area = frozenset(walkable(play))
            if (at, area) in seen:
                continue
            seen.add((at, area))
            for _, way in pushable(play):
                after.add(((at[0] + STEPS[way][0], at[1] + STEPS[way][1]), at))
        if not after:
            return FAR
        todo = after
    return FAR


def test_distances() -> None:
    puzzle = made(4)
    level = Level(puzzle)
    rng = random.Random(1)
    for _ in range(60):
        square, player = rng.sample(range(len(level.cells)), 2)
        goal = rng.randrange(len(level.board.goals))
        far = level.board.distance[square, level.board.sides[square, player], goal]
        cells = [level.cells[number] for number in (square, player, level.board.goals[goal])]
        assert far == pushes_needed(puzzle, *cells)
        assert level.board.dead[square] <= (far >= FAR)


def test_matching() -> None:
    rng = np.random.default_rng(3)
    for size in (1, 2, 3, 4, 4, 4):
        costs = rng.integers(0, 9, (size, size)).astype(np.int32)
        costs[rng.random((size, size)) < 0.2] = FAR
        found, after = matching.matching(size), matching.matching(size)

        def cheapest(costs: Any, size: int = size) -> int:
            return min(
                sum(int(costs[box, goal]) for box, goal in enumerate(order))
                for order in itertools.permutations(range(size))
            )

        assert matching.match(found, costs) == cheapest(costs)
        for row in range(size):
            changed = costs.copy()
            changed[row] = rng.integers(0, 9, size)
            assert matching.rematch(found, after, changed, row + 1) == cheapest(changed)


def held_fast(level: Level, boxes: set[int], start: int) -> set[int]:
    """Of the boxes that touch, directly or by others, those that are left when all that can be pushed are taken out."""
    near, wall = level.board.near, len(level.cells)
    group, queue = {start}, [start]
    for box in queue:
        for beside in near[box]:
            if beside in boxes and beside not in group:
                group.add(int(beside))
                queue.append(int(beside))
    while True:
        loose = {
            box
            for box in group
            if any(
                wall not in pair and not group & set(pair) and not all(level.board.dead[square] for square in pair)
                for pair in ((int(near[box, 0]), int(near[box, 2])), (int(near[box, 1]), int(near[box, 3])))
            )
        }
        if not loose:
            return group
        group -= loose


def test_boxes_that_hold_each_other_fast() -> None:
    level = Level(made(5))
    rng, board = random.Random(2), level.board
    outcomes = set()
    for _ in range(60):
        boxes = rng.sample(range(len(level.cells)), 5)
        s = deadlocks.scratch(len(level.cells))
        s.occupied[boxes] = 1
        held = held_fast(level, set(boxes), boxes[0])
        lost = any(not board.goal[box] for box in held)
        assert deadlocks.frozen(board, s, boxes[0]) == lost
        assert {box for box in boxes if s.frozen[box] == s.stamp[0]} == held
        outcomes.add(lost)
    assert outcomes == {True, False}


def test_a_box_on_its_way() -> None:
    """Pushed: every place it can have, with every area the player can have then."""
    puzzle = made(6, boxes=3)
    level, play = Level(puzzle), SokobanPlay(puzzle)
    board = level.board
    for number, box in enumerate(level.boxes):
        others = play.boxes - {level.cells[box]}
        start = (level.cells[box], play.player)
        seen: set[tuple[Cell, Cell]] = set()
        todo, found = [start], set()
        for at, stands in todo:
            alone = SokobanPlay(puzzle)
            alone.boxes, alone.player = others | {at}, stands
            area = min(walkable(alone))
            if (at, area) in seen:
                continue
            seen.add((at, area))
            if len(seen) > 1:
                found.add((at, area))
            for which, way in pushable(alone):
                to = (at[0] + STEPS[way][0], at[1] + STEPS[way][1])
                if which == at and not board.lost[level.square[to], LETTERS.index(way)]:
                    todo.append((to, at))
        s = deadlocks.scratch(len(level.cells))
        s.occupied[level.boxes] = 1
        reached = [level.square[cell] for cell in walkable(play)]
        s.reached[reached], s.stamp[0] = 1, 1
        count = slides.pushes(board, s, level.boxes[number], 1, 0)
        spots = [(s.spots[i] >> 2, s.areas[i]) for i in range(count) if s.areas[i] >= 0]
        assert len(set(spots)) == len(spots)
        home = (level.cells[box], min(walkable(play)))
        assert {(level.cells[square], level.cells[area]) for square, area in spots} - {home} == found - {home}


def test_heap() -> None:
    rng, pool, roots = random.Random(5), table.pool(1, 200), np.full(2, -1, np.int32)
    twin: list[int] = []
    for node in range(200):
        pool.rank[node] = rng.randrange(30)
        table.put(pool, roots, 1, node)
        heapq.heappush(twin, int(pool.rank[node]))
        while twin and rng.random() < 0.45:
            assert pool.rank[table.take(pool, roots, 1)] == heapq.heappop(twin)
        assert (roots[1] < 0) == (not twin)
    assert roots[0] == -1


def solvable(puzzle: Sokoban) -> bool:
    """Every position there is."""
    play = SokobanPlay(puzzle)
    seen: set[Any] = set()
    todo = [(frozenset(play.boxes), play.player)]
    while todo:
        boxes, player = todo.pop()
        play.boxes, play.player = set(boxes), player
        if play.solved:
            return True
        position = (boxes, min(walkable(play)))
        if position in seen:
            continue
        seen.add(position)
        for box, way in pushable(play):
            to = (box[0] + STEPS[way][0], box[1] + STEPS[way][1])
            todo.append((boxes - {box} | {to}, box))
    return False


def test_searches_leave_out_nothing_that_leads_to_a_solution() -> None:
    """Levels with their boxes put elsewhere, half of which cannot be solved."""
    outcomes = []
    for seed in range(16):
        rng = random.Random(seed)
        puzzle = made(seed % 4)
        floor = sorted(puzzle.inside)
        goals = puzzle.cells(".", "*", "+")
        player, *boxes = rng.sample([cell for cell in floor if cell not in goals], 1 + len(goals))
        rows = [list(row.translate(str.maketrans("$*@+", " . ."))) for row in puzzle.level]
        for row, col in boxes:
            rows[row][col] = "$"
        rows[player[0]][player[1]] = "@"
        mixed = Sokoban(tuple("".join(row) for row in rows))
        expected = solvable(mixed)
        outcomes.append(expected)
        for search in (FeatureSearch(Level(mixed), 10**7), PushSearch(Level(mixed), 10**7, 2.0)):
            search.advance(100_000)
            assert (search.solved, search.exhausted) == (expected, not expected)
    assert set(outcomes) == {True, False}
