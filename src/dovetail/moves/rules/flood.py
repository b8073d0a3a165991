"""Flood-it for solvers: areas of one colour contracted to a graph, sets of them as bits, one pair of sets a move.

A colour that wins no cells is never of use (the same play without it wins as much), so it is not among the moves.
"""

from collections import namedtuple
from typing import Any

import numpy as np

from ...kernel import kernel
from ...search import mcts, nested
from ...search.chance import mixed
from ..games.flood import Flood

STEPS, COLOURS = 100, 10
CODES = STEPS * COLOURS
PLAYED, CELLS, MOST = 0, 1, 2

NONE, ONE = np.uint64(0), np.uint64(1)
_M1, _M2, _M4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM = np.uint64(0x0101010101010101)

# Areas are numbered by their first cell in reading order: area 0 is the corner's. near [areas, words]: the areas that
# touch an area; same [colours, words]: the areas of a colour; cells [areas]: their sizes. By moves played: owned, reach
# [moves + 1, words]: the areas that are won, and those that touch one of these; flooded [moves + 1]: cells won. path
# [moves]: the colours played. tally: how many, cells of the board, most moves of a play.
State = namedtuple("State", ["near", "same", "cells", "owned", "reach", "flooded", "path", "tally"])


def state(puzzle: Flood) -> State:
    """Before the first move."""
    area = _areas(puzzle)
    areas, rows, cols = max(area) + 1, puzzle.rows, puzzle.cols
    words = (areas + 63) // 64
    near, same = np.zeros((areas, words), np.uint64), np.zeros((puzzle.colours, words), np.uint64)
    cells = np.zeros(areas, np.int64)
    for cell, one in enumerate(area):
        cells[one] += 1
        _include(same[puzzle.cells[cell]], one)
        right = [cell + 1] if cell % cols + 1 < cols else []
        below = [cell + cols] if cell // cols + 1 < rows else []
        for other in (area[beside] for beside in right + below):
            if other != one:
                _include(near[one], other)
                _include(near[other], one)
    most = min(puzzle.most or areas - 1, areas - 1)
    owned, reach = (np.zeros((most + 1, words), np.uint64) for _ in range(2))
    flooded = np.zeros(most + 1, np.int64)
    _include(owned[0], 0)
    reach[0], flooded[0] = near[0], cells[0]
    tally = np.array([0, rows * cols, most], np.int64)
    return State(near, same, cells, owned, reach, flooded, np.zeros(most, np.int64), tally)


def limits(puzzle: Flood) -> tuple[int, int]:
    """Each move wins an area."""
    areas = max(_areas(puzzle)) + 1
    return min(puzzle.most or areas - 1, areas - 1), puzzle.colours


def written(puzzle: Flood, path: Any) -> tuple[str, ...]:
    """Colours as digits."""
    return tuple(str(int(colour)) for colour in path)


def _areas(puzzle: Flood) -> list[int]:
    """The number of the area of each cell."""
    cols, found = puzzle.cols, [-1] * len(puzzle.cells)
    number = 0
    for first, colour in enumerate(puzzle.cells):
        if found[first] >= 0:
            continue
        found[first], todo = number, [first]
        while todo:
            cell = todo.pop()
            row, col = divmod(cell, cols)
            for r, c in ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)):
                other = r * cols + c
                if 0 <= r < puzzle.rows and 0 <= c < cols and found[other] < 0 and puzzle.cells[other] == colour:
                    found[other] = number
                    todo.append(other)
        number += 1
    return found


def _include(words: Any, area: int) -> None:
    words[area >> 6] |= ONE << np.uint64(area & 63)


@kernel
def lowest(word):
    """The place of the lowest bit of a word that has one."""
    word = (word & (~word + ONE)) - ONE
    word = word - ((word >> ONE) & _M1)
    word = (word & _M2) + ((word >> np.uint64(2)) & _M2)
    word = (word + (word >> np.uint64(4))) & _M4
    # in this form compilers make it one instruction; uncompiled, * would warn of overflow
    return np.int64(np.multiply(word, _SUM) >> np.uint64(56))


@kernel
def moves(state, out):
    """The colours that win cells."""
    played = state.tally[PLAYED]
    if played == state.tally[MOST]:
        return 0
    owned, reach, number = state.owned[played], state.reach[played], 0
    for colour in range(len(state.same)):
        for w in range(len(owned)):
            if state.same[colour, w] & reach[w] & ~owned[w]:
                out[number] = colour
                number += 1
                break
    return number


@kernel
def play(state, move):
    """Win what touches the area and has this colour. As many moves as colours are needed at least."""
    played = state.tally[PLAYED]
    owned, reach = state.owned[played + 1], state.reach[played + 1]
    for w in range(len(owned)):
        owned[w], reach[w] = state.owned[played, w], state.reach[played, w]
    flooded = state.flooded[played]
    for w in range(len(owned)):
        won = state.same[move, w] & state.reach[played, w] & ~owned[w]
        owned[w] |= won
        while won:
            area = w * 64 + lowest(won)
            won &= won - ONE
            flooded += state.cells[area]
            for v in range(len(owned)):
                reach[v] |= state.near[area, v]
    state.flooded[played + 1] = flooded
    state.path[played] = move
    state.tally[PLAYED] = played + 1
    return _colours_left(state) <= state.tally[MOST] - (played + 1)


@kernel
def _colours_left(state):
    """Colours that some area outside still has."""
    owned, number = state.owned[state.tally[PLAYED]], 0
    for colour in range(len(state.same)):
        for w in range(len(owned)):
            if state.same[colour, w] & ~owned[w]:
                number += 1
                break
    return number


@kernel
def back(state, played):
    """The sets of every move are still there."""
    state.tally[PLAYED] = played


@kernel
def value(state):
    """The share of the board that is flooded."""
    return state.flooded[state.tally[PLAYED]] / state.tally[CELLS]


@kernel
def score(state):
    """The fewer moves the better; a board that is not flooded is worse than any that is, by the cells left."""
    played = state.tally[PLAYED]
    left = state.tally[CELLS] - state.flooded[played]
    return -np.float64(played if left == 0 else state.tally[MOST] + left)


@kernel
def code(state, move):
    """A colour weighs differently at each step."""
    return np.int64(min(state.tally[PLAYED], STEPS - 1) * COLOURS + move)


@kernel
def key(state):
    """By the areas won, since their colour says no more, and by the moves where these are limited."""
    played = state.tally[PLAYED]
    limited = state.tally[MOST] < len(state.cells) - 1
    return hashed(state.owned[played], np.uint64(played if limited else 0))


@kernel
def hashed(words, found):
    """A set of areas, and a number beside it, as one word. Unmixed, small numbers would take the place of areas."""
    for word in words:
        found = mixed(found) ^ word
    return mixed(found)


@kernel
def search_tree(state, tree, manner, room, chance, best, rollouts):
    """Tree search over these rules."""
    return mcts.search_game(
        moves, play, back, value, score, key, mcts.even, state, tree, manner, room, chance, best, rollouts
    )


@kernel
def search_nested(state, nest, manner, chance, playouts):
    """Nested rollout policy adaptation over these rules."""
    return nested.search(moves, play, back, value, score, code, nested.even, state, nest, manner, chance, playouts)
