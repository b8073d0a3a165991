"""The compiled rules of SameGame beside the plain ones. Also run with the compiler off (make test)."""

import random

import numpy as np
import pytest

from dovetail.moves.games.samegame import CLEAR, SCORE, SameGame, SameGamePlay
from dovetail.moves.rules import samegame
from dovetail.moves.rules.samegame_board import EDGE, POINTS, SHIFT, State


def dealt(seed: int, goal: str = SCORE) -> SameGame:
    """A small board, full or with columns of any height."""
    rng = random.Random(seed)
    rows, cols, colours = rng.randint(2, 6), rng.randint(1, 6), rng.randint(2, 4)
    heights = [rng.randint(1, rows) if seed % 2 else rows for _ in range(cols)]
    cells = [rng.randint(1, colours) if rows - row <= heights[col] else 0 for row in range(rows) for col in range(cols)]
    return SameGame(rows, cols, tuple(cells), goal, least=1 + seed % 3 % 2)


def cells_of(state: State, move: int) -> frozenset[tuple[int, int]]:
    """The group of a move as the plain rules say it."""
    group, shift = state.label[move], int(state.tally[SHIFT])
    found = state.pool[state.begin[group] :][: state.size[group]].tolist()
    return frozenset(((cell >> shift) - EDGE, cell % (1 << shift)) for cell in found)


def listed(state: State) -> list[int]:
    out = np.zeros(len(state.path) + 1, np.int64)
    return [int(move) for move in out[: samegame.moves(state, out)]]


def seen(state: State) -> tuple[object, ...]:
    """All that a search can learn of a position; the moves in any order."""
    by_move = sorted(
        (sorted(cells_of(state, m)), samegame.code(state, m), samegame.weigh(state, m)) for m in listed(state)
    )
    return by_move, samegame.key(state), samegame.score(state), samegame.value(state), state.board.tolist()


@pytest.mark.parametrize("seed", range(12))
def test_plays_are_the_same_by_plain_rules(seed: int) -> None:
    puzzle, rng = dealt(seed), random.Random(seed)
    state, play = samegame.state(puzzle), SameGamePlay(puzzle)
    while moves := listed(state):
        assert sorted(map(sorted, play.groups())) == sorted(sorted(cells_of(state, move)) for move in moves)
        move = rng.choice(moves)
        taken = cells_of(state, move)
        assert samegame.play(state, move)
        text = samegame.written(puzzle, state.path[: state.tally[0]])[-1]
        assert text == play.write(set(taken))
        play.make(text)
        assert (play.points, play.left) == (state.now[state.tally[0], POINTS], state.left[0])
        assert samegame.score(state) == play.points
    assert not play.groups()
    assert play.solved


@pytest.mark.parametrize("seed", range(12))
def test_moves_are_taken_back(seed: int) -> None:
    """To any position of the play, and on from there by another way."""
    puzzle, rng = dealt(seed), random.Random(seed)
    state = samegame.state(puzzle)
    before = [seen(state)]
    for _ in range(40):
        played = rng.randrange(len(before))
        samegame.back(state, played)
        assert seen(state) == before[played]
        del before[played + 1 :]
        for _ in range(rng.randint(1, 6)):
            if moves := listed(state):
                samegame.play(state, rng.choice(moves))
                before.append(seen(state))


def test_a_lonely_block_ends_the_hope_to_clear() -> None:
    state = samegame.state(SameGame(1, 5, (1, 2, 2, 2, 2)))
    assert [samegame.play(state, move) for move in listed(state)] == [
        True
    ]  # of the other colour one is left, as before
    assert samegame.value(state) == 0.8
    state = samegame.state(SameGame(2, 3, (1, 0, 0, 1, 2, 1)))
    (move,) = listed(state)
    assert not samegame.play(state, move)


@pytest.mark.parametrize("seed", [3, 5, 8, 9, 11])
def test_a_target_out_of_reach_is_noticed_and_no_other(seed: int) -> None:
    puzzle, rng = dealt(seed), random.Random(seed)
    free = samegame.state(puzzle)
    while moves := listed(free):
        samegame.play(free, rng.choice(moves))
    points, path = int(samegame.score(free)), free.path[: free.tally[0]].tolist()
    assert points > 0, "a board that shows it"
    for target in (points, 10**6):
        aimed = samegame.state(SameGame(puzzle.rows, puzzle.cols, puzzle.cells, SCORE, target, puzzle.least))
        assert [samegame.play(aimed, move) for move in path] == [target <= points] * len(path)
        assert (samegame.value(aimed) == 1.0) == (target <= points)


def test_a_cleared_board_is_worth_all() -> None:
    state = samegame.state(SameGame(2, 2, (1, 2, 1, 2), CLEAR))
    while moves := listed(state):
        assert samegame.value(state) < 1.0
        assert samegame.play(state, moves[0])
    assert samegame.value(state) == 1.0
    assert samegame.score(state) == 0


def test_positions_are_known_by_colours_and_places() -> None:
    """By which way they were reached makes no difference; two of a colour that changed places make none."""
    puzzle = SameGame(2, 4, (1, 2, 3, 3, 1, 2, 4, 4))
    keys = set()
    for order in ((0, 1), (1, 0)):
        state = samegame.state(puzzle)
        for first in order:
            colour = (1, 2)[first]
            move = next(m for m in listed(state) if state.board[m] & 15 == colour)
            samegame.play(state, move)
        keys.add(int(samegame.key(state)))
    assert len(keys) == 1
    assert int(samegame.key(samegame.state(puzzle))) not in keys
