"""Compiled rules of SameGame, for clearing the board and for points."""

import numpy as np

from ...kernel import generic, kernel
from ...search import mcts, nested
from ..games.samegame import BONUS, SameGame
from .samegame_board import (
    CLEARING,
    COLOUR,
    COLUMNS,
    EDGE,
    GROUPS,
    HIGHEST,
    LEAST,
    PLAYED,
    POINTS,
    SHIFT,
    TABU,
    TARGET,
    State,
    board,
    limits,
    take,
    untake,
)

__all__ = ["CODES", "State", "limits", "state", "written"]
CODES = 1 << 16  # policy weights: a move is known by the blocks that it takes away, wherever they have fallen to
RELUCTANT = 0.01  # how likely a move of that colour is beside others (Cazenave 2016: tabu colour)
UNWELCOME = 0.1  # how welcome the colour with most blocks is when the board is to be cleared; for points not at all


def state(puzzle: SameGame) -> State:
    """The position before the first move."""
    return board(puzzle, CODES)


def written(puzzle: SameGame, path: np.ndarray) -> tuple[str, ...]:
    """Each group by its first cell in reading order."""
    played, texts = state(puzzle), []
    shift = int(played.tally[SHIFT])
    for move in path:
        group = played.label[move]
        begin = played.begin[group]
        cells = played.pool[begin : begin + played.size[group]].tolist()
        row, col = min((puzzle.rows - cell % (1 << shift), (cell >> shift) - EDGE + 1) for cell in cells)
        texts.append(f"{row},{col}")
        play(played, int(move))
    return tuple(texts)


@kernel
def moves(state, out):
    """A cell of every group."""
    step = state.tally[PLAYED]
    number = state.now[step, GROUPS]
    for i in range(number):
        out[i] = state.pool[state.begin[state.live[step, i]]]
    return number


@kernel
def play(state, move):
    """Take a group away; whether the goal can still be reached, as far as counting colours tells."""
    tally, step = state.tally, state.tally[PLAYED]
    group = state.label[move]
    colour, number = state.board[move] & COLOUR, np.int64(state.size[group])
    take(state, group)
    left = state.left
    left[0] -= number
    left[colour] -= number
    state.now[step + 1, POINTS] = (
        state.now[step, POINTS] + (number - tally[LEAST]) ** 2 + (BONUS if left[0] == 0 else 0)
    )
    state.path[step] = move
    lonely, short = left[colour] == 1, _most_points(state) < tally[TARGET]
    return not (lonely if tally[CLEARING] else short)


@generic
def _most_points(state):
    """What the points can become at best: every colour in one move."""
    most, bonus = state.now[state.tally[PLAYED], POINTS], BONUS if state.left[0] else 0
    for colour in range(1, 10):
        number = state.left[colour]
        most += (number - state.tally[LEAST]) ** 2 if number > 1 else 0
        bonus = 0 if number == 1 else bonus
    return most + bonus


@kernel
def back(state, played):
    """Take moves back, to the first ``played`` of them."""
    untake(state, played)


@kernel
def value(state):
    """Of a play that is over: blocks taken of all, or points of those wanted (without a target: of those possible)."""
    tally, step = state.tally, state.tally[PLAYED]
    if tally[CLEARING]:
        return 1.0 - state.left[0] / state.first_left[0]
    wanted = tally[TARGET] if tally[TARGET] else tally[HIGHEST]
    return min(1.0, state.now[step, POINTS] / wanted)


@kernel
def score(state):
    """Points, or how few blocks are left."""
    step = state.tally[PLAYED]
    return -float(state.left[0]) if state.tally[CLEARING] else float(state.now[step, POINTS])


@kernel
def code(state, move):
    """By the blocks that it takes away."""
    return np.int64(state.code[state.label[move]])


@kernel
def weigh(state, move):
    """For points the colour with most blocks at first is kept for large groups, until more is learnt of it."""
    kept = (state.board[move] & COLOUR == state.tally[TABU]) & (state.tally[CLEARING] == 0)
    return RELUCTANT if kept else 1.0


@kernel
def welcome(state, move):
    """In random plays the colour with most blocks is better kept for the end, where it is together (Schadd's tabu)."""
    left, colour = state.left, state.board[move] & COLOUR
    for other in range(1, 10):
        if left[other] > left[colour]:
            return 1.0
    return UNWELCOME if state.tally[CLEARING] else 0.0


@kernel
def key(state):
    """By place and colour: which block it is does not matter for what can follow."""
    step, shift = state.tally[PLAYED], state.tally[SHIFT]
    board = state.board
    found = np.uint64(0)
    for col in range(EDGE, state.now[step, COLUMNS] + EDGE):
        cell = col << shift
        while board[cell]:
            found ^= state.places[board[cell] & COLOUR, cell]
            cell += 1
    return found


@kernel
def search_tree(state, tree, manner, room, chance, best, rollouts):
    """Tree search over these rules."""
    return mcts.search_game(
        moves, play, back, value, score, key, welcome, state, tree, manner, room, chance, best, rollouts
    )


@kernel
def search_nested(state, nest, manner, chance, playouts):
    """Nested rollout policy adaptation over these rules."""
    return nested.search(moves, play, back, value, score, code, weigh, state, nest, manner, chance, playouts)
