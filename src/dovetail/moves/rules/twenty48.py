"""2048, compiled. What chance brings comes from the puzzle's own stream in ``play`` only; whoever plans ahead uses
``try_move`` and ``happen`` with a chance of his own, and goes ``back``.
"""

from collections import namedtuple
from collections.abc import Sequence

import numpy as np

from ...kernel import kernel
from ...search.chance import draw, seeded
from ..games.twenty48 import Game2048
from ..tuple_kernels import expected
from ..tuples import Weights, learnt
from .twenty48_board import HIGHEST, all_cells, count, free_cells, largest, moved, slides, total, with_tile

LETTERS = "LURD"  # the moves 0 to 3
PLAYED, GOAL = 0, 1  # of the tally
FOURS = 10  # one tile in so many is a 4

# slides: what becomes of rows and columns. cells [1] uint64: the cells of the board. tally: moves played; the exponent
# of the goal. path [moves]: what was played. All others by moves played, so that going back costs nothing: boards
# [moves + 1] uint64; points; best, the largest exponent; streams uint64, the state of the puzzle's own chance.
State = namedtuple("State", ["slides", "cells", "tally", "path", "boards", "points", "best", "streams"])


def state(puzzle: Game2048) -> State:
    """Before the first move; on an empty board the first two tiles have come."""
    most, _ = limits(puzzle)
    board = sum(tile << (4 * (4 * (i // puzzle.cols) + i % puzzle.cols)) for i, tile in enumerate(puzzle.cells))
    begun = State(
        slides(puzzle.rows, puzzle.cols), np.array([all_cells(puzzle.rows, puzzle.cols)], np.uint64),
        np.array([0, puzzle.goal.bit_length() - 1], np.int64), np.zeros(most, np.int64),
        np.full(most + 1, board, np.uint64), np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64),
        np.full(most + 1, seeded(puzzle.seed)[0], np.uint64),
    )  # fmt: skip
    if board == 0:
        happen(begun, begun.streams[:1])
        happen(begun, begun.streams[:1])
    begun.best[0] = largest(begun.boards[0])
    return begun


def limits(puzzle: Game2048) -> tuple[int, int]:
    """Every tile that comes adds 2 at least to the sum of the board, and all its tiles are below the goal."""
    tile = min(puzzle.goal // 2, 1 << HIGHEST)
    return puzzle.rows * puzzle.cols * tile // 2 + 1, len(LETTERS)


def written(puzzle: Game2048, path: Sequence[int]) -> tuple[str, ...]:
    """Moves as letters."""
    return tuple(LETTERS[move] for move in path)


def weights() -> Weights:
    """What ``choose`` looks ahead with."""
    return learnt()


@kernel
def moves(state, out):
    """The slides that change the board; none when the goal is reached."""
    step = state.tally[PLAYED]
    if state.best[step] >= state.tally[GOAL] or state.best[step] > HIGHEST:
        return 0
    number = 0
    for move in range(4):
        after, _ = moved(state.slides, state.boards[step], move)
        if after != state.boards[step]:
            out[number] = move
            number += 1
    return number


@kernel
def try_move(state, move):
    """Slide, and no tile comes yet. The goal is never provably out of reach."""
    step = state.tally[PLAYED]
    after, points = moved(state.slides, state.boards[step], move)
    state.path[step] = move
    state.boards[step + 1] = after
    state.points[step + 1] = state.points[step] + points
    # only what merged can be larger than what was the largest, and it has scored what it shows
    best = state.best[step]
    state.best[step + 1] = best
    if points >= 2 << best:
        state.best[step + 1] = max(best, largest(after))
        # a slide keeps the sum of the tiles, unless it made one that a cell cannot hold
        if points >= 2 << HIGHEST and total(after) < total(state.boards[step]):
            state.best[step + 1] = HIGHEST + 1
    state.streams[step + 1] = state.streams[step]
    state.tally[PLAYED] = step + 1
    return True


@kernel
def happen(state, chance):
    """A tile comes: one draw for the cell, one for the tile."""
    step = state.tally[PLAYED]
    free = free_cells(state.boards[step], state.cells[0])
    place = draw(chance, count(free))
    exponent = 2 if draw(chance, FOURS) == 0 else 1
    state.boards[step] = with_tile(state.boards[step], free, place, exponent)
    state.best[step] = max(state.best[step], exponent)


@kernel
def play(state, move):
    """Slide, and what happens then in this puzzle."""
    try_move(state, move)
    step = state.tally[PLAYED]
    happen(state, state.streams[step : step + 1])
    return True


@kernel
def back(state, played):
    """To the position after so many moves."""
    state.tally[PLAYED] = played


@kernel
def value(state):
    """How far the largest tile has come, in doublings."""
    return min(1.0, state.best[state.tally[PLAYED]] / state.tally[GOAL])


@kernel
def score(state):
    """What merged tiles have scored."""
    return np.float64(state.points[state.tally[PLAYED]])


@kernel
def key(state):
    """The position; its points apart."""
    return state.boards[state.tally[PLAYED]]


@kernel
def choose(state, weights, depth, chance):
    """The best move by looking so many moves ahead; -1 when the play is over. A move that wins is the best.

    ``chance`` is for rules that sample what may happen; here all of it is looked at.
    """
    step = state.tally[PLAYED]
    out = np.empty(4, np.int64)
    chosen, highest = np.int64(-1), -np.inf
    for i in range(moves(state, out)):
        after, points = moved(state.slides, state.boards[step], out[i])
        if points >= 1 << state.tally[GOAL] and largest(after) >= state.tally[GOAL]:
            return out[i]
        found = points + expected(weights.network, weights.found, state.slides, after, depth - 1)
        if found > highest:
            chosen, highest = out[i], found
    return chosen


@kernel
def play_on(state, weights, depth, chance, most_moves):
    """Play so many moves, or fewer if the play is over; returns how many."""
    for made in range(most_moves):
        move = choose(state, weights, depth, chance)
        if move < 0:
            return made
        play(state, move)
    return most_moves
