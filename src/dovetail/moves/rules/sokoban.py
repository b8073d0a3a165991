"""Compiled rules of Sokoban: a move is a push, of any box the player can walk up to; walks are added in the end.

A push is written 4 * square of the box + direction; for squares and directions see ``sokoban.board``. Plays of Sokoban
could go on for ever; here a play is over after a number of pushes that leaves room for detours.
"""

from collections import namedtuple
from collections.abc import Iterable

import numpy as np

from ...kernel import kernel, overwrite
from ...search import mcts, nested
from ..games.sokoban import MOST_SIDE, Sokoban
from ..sokoban import paths
from ..sokoban.board import Level
from ..sokoban.deadlocks import frozen, scratch
from ..sokoban.matching import match, matching
from ..sokoban.reach import FAR, flood

CODES = 4 * MOST_SIDE * MOST_SIDE  # policy weights: one for a push from each square
DETOURS = 3  # a play is over after so many times the pushes that the matching says are needed
AIMLESS = 0.1  # how likely a push is that does not bring its box nearer to any goal, beside one that does

# tally: pushes so far; where the player is; the most pushes; pushes needed at first; 1 where it can never be solved
PLAYED, PLAYER, MOST, NEEDED, HOPELESS = range(5)

# path [pushes]; tally: see above; start [1]: where the player begins. boxes [boxes]; which [squares + 1]: the box on a
# square, -1 for none. board, scratch, matching: see there; costs [boxes, boxes]: for the matching.
State = namedtuple(
    "State", ["path", "tally", "start", "boxes", "which", "board", "scratch", "matching", "costs", "nearest"]
)


def state(puzzle: Sokoban) -> State:
    """The position before the first push."""
    level = Level(puzzle)
    squares, n = len(level.cells), len(level.boxes)
    board, own = level.board, scratch(squares)
    which = np.full(squares + 1, -1, np.int32)
    which[level.boxes] = np.arange(n)
    own.occupied[level.boxes] = 1
    # by square and side, to any goal
    nearest = board.distance.min(axis=2, initial=FAR)
    new = State(
        np.zeros(0, np.int64), np.array([0, level.player, 0, 0, level.hopeless], np.int64),
        np.array([level.player], np.int64), np.array(level.boxes, np.int32), which, board, own, matching(n),
        np.zeros((n, n), np.int32), nearest,
    )  # fmt: skip
    needed = 0 if level.hopeless else int(_to_go(new))
    most = 0 if level.hopeless or needed >= FAR else DETOURS * needed + 4 * n + 10
    new.tally[MOST], new.tally[NEEDED] = most, needed
    return new._replace(path=np.zeros(most, np.int64))


def limits(puzzle: Sokoban) -> tuple[int, int]:
    """Every box has four sides."""
    before = state(puzzle)
    return int(before.tally[MOST]), 4 * len(before.boxes)


def written(puzzle: Sokoban, path: Iterable[int]) -> tuple[str, ...]:
    """Pushes with the walks between them."""
    return paths.written(Level(puzzle), (int(push) for push in path))


@kernel
def _reach(state):
    """Stamp where the player can walk to; returns the stamp and the lowest square."""
    s = state.scratch
    s.stamp[0] += 1
    return s.stamp[0], flood(state.board.near, s.occupied, state.tally[PLAYER], s.reached, s.stamp[0], s.queue)


@kernel
def _to_go(state):
    """Pushes needed, if boxes were not in each other's way; FAR or more if it can never be solved."""
    board = state.board
    for i in range(len(state.boxes)):
        box = state.boxes[i]
        overwrite(state.costs[i], board.distance[box, board.sides[box, state.tally[PLAYER]]])
    return match(state.matching, state.costs)


@kernel
def _solved(state):
    for box in state.boxes:
        if not state.board.goal[box]:
            return False
    return state.tally[HOPELESS] == 0


@kernel
def moves(state, out):
    """Every push the player can walk up to, by box."""
    near, occupied, reached = state.board.near, state.scratch.occupied, state.scratch.reached
    if state.tally[PLAYED] == state.tally[MOST] or _solved(state):
        return 0
    stamp, _ = _reach(state)
    number = 0
    for box in state.boxes:
        for way in range(4):
            if not occupied[near[box, way]] and reached[near[box, way ^ 2]] == stamp:
                out[number] = 4 * box + way
                number += 1
    return number


@kernel
def _shift(state, box, to):
    """A box from one square to another."""
    number = state.which[box]
    state.which[box] = -1
    state.which[to] = number
    state.boxes[number] = to
    state.scratch.occupied[box] = 0
    state.scratch.occupied[to] = 1


@kernel
def play(state, move):
    """Push. False where the box can reach no goal from there, or holds itself fast beside one."""
    box, way = move >> 2, move & 3
    to = np.int64(state.board.near[box, way])
    _shift(state, box, to)
    state.tally[PLAYER] = box
    state.path[state.tally[PLAYED]] = move
    state.tally[PLAYED] += 1
    return not state.board.lost[to, way] and not frozen(state.board, state.scratch, to)


@kernel
def back(state, played):
    """The last pushes as pulls."""
    for step in range(state.tally[PLAYED] - 1, played - 1, -1):
        box, way = state.path[step] >> 2, state.path[step] & 3
        _shift(state, np.int64(state.board.near[box, way]), box)
    state.tally[PLAYED] = played
    state.tally[PLAYER] = state.path[played - 1] >> 2 if played else state.start[0]


@kernel
def value(state):
    """1 when solved, a half as far away as at first, and less beyond."""
    if _solved(state):
        return 1.0
    needed = max(1, state.tally[NEEDED])
    return needed / (needed + max(1, _to_go(state)))


@kernel
def score(state):
    """There are no points."""
    return value(state)


@kernel
def welcome(state, move):
    """Pushes towards some goal rather than others."""
    board = state.board
    box, way = move >> 2, move & 3
    to = board.near[box, way]
    nearer = state.nearest[to, board.side[to, way ^ 2]] < state.nearest[box, board.side[box, way ^ 2]]
    return 1.0 if nearer else AIMLESS


@kernel
def code(state, move):
    """A push has a weight by its square and direction."""
    return np.int64(move)


@kernel
def key(state):
    """Boxes, the area of the player, and how many pushes there may still be."""
    _, area = _reach(state)
    found = state.board.player_key[area] ^ np.uint64(state.tally[PLAYED])
    for box in state.boxes:
        found ^= state.board.box_key[box]
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
    return nested.search(moves, play, back, value, score, code, welcome, state, nest, manner, chance, playouts)
