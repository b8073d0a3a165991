"""Compiled Tetris against the plain rules of its checker. Also run with the compiler off (make test)."""

import copy
import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dovetail.moves.games.tetris import EMPTY, Tetris, TetrisKind, TetrisPlay
from dovetail.moves.rules import tetris as rules
from dovetail.moves.rules import tetris_value as values
from dovetail.moves.rules.tetris_board import EMPTY_ROWS, PREVIEW, UNKNOWN
from dovetail.search.chance import seeded

PUZZLES = [
    Tetris(6, 4, (False,) * 24, 5, 1),
    Tetris(7, 5, (False,) * 35, 3, 2, preview=1),
    Tetris(5, 16, (False,) * 80, 2, 3, "SZ"),
    TetrisKind().samples()["tetris-rubble"](),
    *(TetrisKind().make(TetrisKind.making_type(goal=4, preview=seed % 2), seed)[0] for seed in range(3)),
]
each_puzzle = pytest.mark.parametrize("puzzle", PUZZLES)


def moves(state: Any) -> list[int]:
    out = np.zeros(100, np.int64)
    return [int(move) for move in out[: rules.moves(state, out)]]


def looks(state: Any) -> list[Any]:
    """All that going back has to give back."""
    known = state.pieces[state.tally[0] : state.tally[0] + state.tally[PREVIEW] + 1]
    parts = (state.tally, state.board, state.tops, state.stream, known, state.path[: state.tally[0]])
    return [part.tolist() for part in parts]


def agree(puzzle: Tetris, state: Any, play: TetrisPlay) -> None:
    filled = [[letter != EMPTY for letter in line] for line in reversed(play.board)]
    assert [[bool(bits >> col & 1) for col in range(puzzle.cols)] for bits in state.board.tolist()] == filled
    heights = [max((row + 1 for row, line in enumerate(filled) if line[col]), default=0) for col in range(puzzle.cols)]
    assert state.tops.tolist() == heights
    assert puzzle.rows - state.tally[EMPTY_ROWS] == max(heights)
    assert rules.score(state) == play.lines
    assert rules.value(state) == play.share
    assert (rules.value(state) == 1.0) == play.solved
    assert len(moves(state)) <= rules.limits(puzzle)[1]
    assert sorted(rules.written(puzzle, moves(state))) == sorted(f"{turns},{col + 1}" for turns, col in play.options)


def low(play: TetrisPlay, rng: random.Random) -> str:
    """A move that keeps low, so that lines are cleared; sometimes any."""
    options = play.options
    turns, col = max(options, key=lambda o: (sum(row for row, _ in play.landed(*o)), rng.random()))
    if rng.random() < 0.2:
        turns, col = rng.choice(options)
    return f"{turns},{col + 1}"


@each_puzzle
def test_plays_are_the_same_and_can_be_taken_back(puzzle: Tetris) -> None:
    rng = random.Random(puzzle.seed)
    state, play = rules.state(puzzle), TetrisPlay(puzzle)
    before, keys = [looks(state)], [rules.key(state)]
    while moves(state):
        agree(puzzle, state, play)
        text = low(play, rng)
        move = next(move for move in moves(state) if rules.written(puzzle, [move]) == (text,))
        assert rules.play(state, move)
        play.make(text)
        before.append(looks(state))
        keys.append(rules.key(state))
    agree(puzzle, state, play)
    most, _ = rules.limits(puzzle)
    assert 0 < state.tally[0] <= most
    assert len(set(keys)) == len(keys)
    for played in sorted({0, 1, len(before) // 2, len(before) - 1}, reverse=True):
        rules.back(state, played)
        assert looks(state) == before[played]
        assert rules.key(state) == keys[played]


@each_puzzle
def test_planning_leaves_the_game_as_it_is(puzzle: Tetris) -> None:
    """Moves tried with another chance change nothing of what comes; pieces then come from that chance."""
    chance, rng = seeded(5), random.Random(5)
    state, play = rules.state(puzzle), TetrisPlay(puzzle)
    while moves(state):
        here, played = looks(state), int(state.tally[0])
        for _ in range(3):
            rules.try_move(state, rng.choice(moves(state)))
            assert state.pieces[state.tally[0] + puzzle.preview] == UNKNOWN
            rules.happen(state, chance)
            assert state.pieces[state.tally[0] + puzzle.preview] in state.bag
            if not moves(state):
                break
        rules.back(state, played)
        assert looks(state) == here
        text = low(play, rng)
        rules.play(state, next(move for move in moves(state) if rules.written(puzzle, [move]) == (text,)))
        play.make(text)
        agree(puzzle, state, play)


def naive_entries(play: TetrisPlay) -> Iterator[int]:
    """The entries of a board, by what they mean."""
    rows, cols = play.puzzle.rows, play.puzzle.cols
    filled = {(row, col) for row in range(rows) for col in range(cols) if play.board[rows - 1 - row][col] != EMPTY}
    tops = [max((row + 1 for row in range(rows) if (row, col) in filled), default=0) for col in range(cols)]
    steps = [-4, *(max(-4, min(4, right - left)) for left, right in pairwise(tops)), 4]
    for start in range(len(steps) - 3):
        four = [step + 4 for step in steps[start : start + 4]]
        yield min(as_number(four, 9), as_number([8 - step for step in reversed(four)], 9))

    def solid(row: int, col: int) -> bool:
        return row < 0 or not 0 <= col < cols or (row, col) in filled

    for row in range(max(tops)):
        for left in range(-1, cols - 2):
            cells = [solid(row + down, left + across) for down in (1, 0, -1) for across in (3, 2, 1, 0)]
            yield values.WINDOWS_AT + as_number(cells, 2)
    holes = [(row, col) for col in range(cols) for row in range(tops[col]) if (row, col) not in filled]
    wells = 0
    for col in range(cols):
        run = 0
        for row in reversed(range(max(tops))):
            beside = solid(row, col - 1) and solid(row, col + 1)
            run = run + 1 if beside and (row, col) not in filled else 0
            wells += min(run, 4)
    above = sum(tops[col] - 1 - max(row for row, other in holes if other == col) for col in {col for _, col in holes})
    for table, number in enumerate((len(holes), len({row for row, _ in holes}), wells, above)):
        yield values.COUNTS_AT + 64 * table + min(63, number)
    yield values.ROOM_AT + 16 * min(20, rows - max(tops)) + min(15, len(holes))


def as_number(digits: Any, base: int) -> int:
    number = 0
    for digit in digits:
        number = number * base + digit
    return number


def naive_worth(play: TetrisPlay, weights: Any) -> float:
    height = np.mean([sum(1 for _ in column) - first(column) for column in zip(*play.board, strict=True)]) / 10
    return float(-(height**2) + values.DISCOUNT * sum(float(weights[entry]) for entry in naive_entries(play)))


def first(column: tuple[str, ...]) -> int:
    return next((row for row, letter in enumerate(column) if letter != EMPTY), len(column))


def naive_best(play: TetrisPlay, weights: Any, depth: int, broad: int = rules.BROAD) -> tuple[float, str]:
    """Expectimax by copies of the play; only the best few moves are looked at further."""
    found = []
    for turns, col in play.options:
        after = copy.deepcopy(play)
        after.make(f"{turns},{col + 1}")
        if after.solved:
            return rules.WON, f"{turns},{col + 1}"
        found.append((naive_worth(after, weights), f"{turns},{col + 1}", after))
    found.sort(key=lambda each: each[0], reverse=True)
    if not found or depth == 1:
        return (found[0][0], found[0][1]) if found else (values.OVER, "")
    further = []
    for worth, move, after in found[:broad]:
        known = after.coming[: play.puzzle.preview]
        total = 0.0
        for piece in play.puzzle.pieces:  # where it is known which comes, it is the same for all of them
            after.coming = [*known, piece]
            total += naive_best(after, weights, depth - 1, rules.LESS_BROAD)[0] / len(play.puzzle.pieces)
        now = worth - values.DISCOUNT * sum(float(weights[entry]) for entry in naive_entries(after))
        further.append((now + values.DISCOUNT * total, move))
    return max(further)


@each_puzzle
def test_boards_are_judged_by_the_same_entries(puzzle: Tetris) -> None:
    rng, room = random.Random(7), np.zeros(values.MOST_LOOKED_UP, np.int64)
    weights = np.random.default_rng(3).normal(size=values.ENTRIES).astype(np.float32)
    state, play = rules.state(puzzle), TetrisPlay(puzzle)
    while moves(state):
        text = low(play, rng)
        rules.play(state, next(move for move in moves(state) if rules.written(puzzle, [move]) == (text,)))
        play.make(text)
        expected = sorted(naive_entries(play))
        assert max(expected) < values.ENTRIES
        assert sorted(room[: values.entries(state, room)].tolist()) == expected
        assert values.worth(state, weights, room) == pytest.approx(naive_worth(play, weights))


@pytest.mark.parametrize(
    ("puzzle", "depth", "steps"),
    [
        (Tetris(6, 4, (False,) * 24, 5, 1), 1, 9),
        (Tetris(6, 4, (False,) * 24, 5, 1, "IOS"), 2, 6),
        (Tetris(6, 4, (False,) * 24, 5, 2, "IT", preview=1), 2, 6),
        (Tetris(6, 4, (False,) * 24, 1, 1, "IO"), 2, 3),
        (Tetris(8, 4, (False,) * 32, 5, 3, "IO"), 3, 4),
        (Tetris(7, 4, (False,) * 28, 9, 3, "TJ", preview=1), 3, 6),
    ],
)
def test_moves_are_chosen_by_expectimax(puzzle: Tetris, depth: int, steps: int) -> None:
    weights = np.random.default_rng(3).normal(size=values.ENTRIES).astype(np.float32)
    state, play, chance = rules.state(puzzle), TetrisPlay(puzzle), seeded(0)
    for _ in range(steps):
        if not play.options:
            break
        before = looks(state)
        move = rules.choose(state, weights, depth, chance)
        assert looks(state) == before
        worth, expected = naive_best(play, weights, depth)
        assert rules.written(puzzle, [move]) == (expected,)
        assert rules.best(state, weights, depth, rules.room_to_look(state, depth)) == pytest.approx(worth)
        assert rules.play_on(state, weights, depth, chance, 1) == 1
        play.make(rules.written(puzzle, [move])[0])
        agree(puzzle, state, play)


def test_a_play_that_is_over_has_no_best_move() -> None:
    state, chance = rules.state(Tetris(4, 4, (True, True, True, False) * 4, 1, 0, "O")), seeded(0)
    weights = np.zeros(values.ENTRIES, np.float32)
    assert rules.choose(state, weights, 2, chance) == -1
    assert rules.play_on(state, weights, 1, chance, 5) == 0
