"""The rules of the game, compiled, with P and V read from tables; search/puct.py says what rules are.

P: how likely the next patch is to lie in a cell, by its place there and by its neighbours. V: the board is filled up,
each further patch into the cell that suits it best, and those so laid change places in twos while that is for the
better. The value is how far the score of the whole board has come on the way from a board by chance, 0, to what no
board can exceed, 1. So the best board has the highest value, and a part of it the value of something that can indeed
be reached.
"""

import numpy as np
from numpy.typing import NDArray

from ...core.puzzle import EMPTY
from ...kernel import kernel
from ...search import puct
from ...search.planning import Compiled
from .game import Game

LEAST = 1e-5  # nats that a change must be worth, so that rounding does not make it go round in circles


@kernel
def lay(game, play, path, played):
    """The board after so many steps, in the game's room for it."""
    board = game.board
    for cell in range(len(board)):
        board[cell] = game.start[play, cell]
    for step in range(played):
        board[path[step]] = game.order[play, step]
    return board


@kernel
def moves(game, play, path, played, out):
    """The empty cells, while there is a patch to lay."""
    if played >= game.length[play]:
        return 0
    board = lay(game, play, path, played)
    number = 0
    for cell in range(len(board)):
        if board[cell] == EMPTY:
            out[number] = cell
            number += 1
    return number


@kernel
def gain(right, down, place, cols, board, patch, cell):
    """What a patch adds in a cell, by its place and by what lies around it; nothing if there is no patch."""
    if patch == EMPTY:
        return 0.0
    col = cell % cols
    total = np.float64(place[patch, cell])
    if col > 0 and board[cell - 1] != EMPTY:
        total += right[board[cell - 1], patch]
    if col < cols - 1 and board[cell + 1] != EMPTY:
        total += right[patch, board[cell + 1]]
    if cell >= cols and board[cell - cols] != EMPTY:
        total += down[board[cell - cols], patch]
    if cell + cols < len(board) and board[cell + cols] != EMPTY:
        total += down[patch, board[cell + cols]]
    return total


@kernel
def score(game, puzzle, board):
    """The sum over adjacent pairs and cells."""
    cols, total = game.cols, 0.0
    for cell in range(len(board)):
        patch = board[cell]
        if patch == EMPTY:
            continue
        total += game.place[puzzle, patch, cell]
        if cell % cols < cols - 1 and board[cell + 1] != EMPTY:
            total += game.right[puzzle, patch, board[cell + 1]]
        if cell + cols < len(board) and board[cell + cols] != EMPTY:
            total += game.down[puzzle, patch, board[cell + cols]]
    return total


@kernel
def fill(game, play, board, played):
    """Lay all further patches, each where most speaks for it; of equal cells the first."""
    puzzle = game.puzzle[play]
    right, down, place = game.right_odds[puzzle], game.down_odds[puzzle], game.place[puzzle]
    for step in range(played, game.length[play]):
        patch = game.order[play, step]
        best, highest = -1, -np.inf
        for cell in range(len(board)):
            if board[cell] == EMPTY:
                gained = gain(right, down, place, game.cols, board, patch, cell)
                if gained > highest:
                    best, highest = cell, gained
        board[best] = patch


@kernel
def refresh(right, down, place, cols, board, held, cell):
    """What a cell and those around it add to the score."""
    held[cell] = gain(right, down, place, cols, board, board[cell], cell)
    if cell % cols > 0:
        held[cell - 1] = gain(right, down, place, cols, board, board[cell - 1], cell - 1)
    if cell % cols < cols - 1:
        held[cell + 1] = gain(right, down, place, cols, board, board[cell + 1], cell + 1)
    if cell >= cols:
        held[cell - cols] = gain(right, down, place, cols, board, board[cell - cols], cell - cols)
    if cell + cols < len(board):
        held[cell + cols] = gain(right, down, place, cols, board, board[cell + cols], cell + cols)


@kernel
def swapped(right, down, place, cols, board, held, here, there):
    """What it adds to the score if two cells change what they hold."""
    first, second = board[here], board[there]
    apart = abs(here - there)
    if apart != cols and (apart != 1 or here // cols != there // cols):
        change = gain(right, down, place, cols, board, second, here) - held[here]
        return change + gain(right, down, place, cols, board, first, there) - held[there]
    board[here] = EMPTY  # the seam between the two is counted once
    change = gain(right, down, place, cols, board, first, there) - held[here]
    change -= gain(right, down, place, cols, board, second, there)
    board[there] = first
    change += gain(right, down, place, cols, board, second, here)
    board[here], board[there] = first, second
    return change


@kernel
def polish(game, play, board, cells, number):
    """Let what lies in two of these cells change places as long as that adds to the score, and patience lasts."""
    puzzle, cols = game.puzzle[play], game.cols
    right, down, place = game.right[puzzle], game.down[puzzle], game.place[puzzle]
    held = np.zeros(len(board))
    for cell in range(len(board)):
        held[cell] = gain(right, down, place, cols, board, board[cell], cell)
    for _ in range(game.judging.polish):
        better = False
        for i in range(1, number):
            here = cells[i]
            for j in range(i):
                there = cells[j]
                if board[here] == EMPTY and board[there] == EMPTY:
                    continue
                if swapped(right, down, place, cols, board, held, here, there) > LEAST:
                    board[here], board[there] = board[there], board[here]
                    refresh(right, down, place, cols, board, held, here)
                    refresh(right, down, place, cols, board, held, there)
                    better = True
        if not better:
            return


@kernel
def worth(game, puzzle, board):
    """The value of a whole board."""
    return min(1.0, max(0.0, (score(game, puzzle, board) - game.scale[puzzle, 0]) / game.scale[puzzle, 1]))


@kernel
def keep(game, play, board):
    """The best board so far, after what the play has laid may change places as well; hints stay."""
    cells, number = np.zeros(len(board), np.int32), 0
    for cell in range(len(board)):
        if game.start[play, cell] == EMPTY:
            cells[number] = cell
            number += 1
    polish(game, play, board, cells, number)
    game.best[play] = worth(game, game.puzzle[play], board)
    for cell in range(len(board)):
        game.best_board[play, cell] = board[cell]


@kernel
def evaluate(game, play, path, played, cells, number, priors):
    """P for the cells, and V, from tables, as far as they are asked for."""
    puzzle, judging = game.puzzle[play], game.judging
    board = lay(game, play, path, played)
    if number and judging.policy:
        right, down, place = game.right_odds[puzzle], game.down_odds[puzzle], game.place[puzzle]
        patch, highest = game.order[play, played], -np.inf
        for i in range(number):
            priors[i] = gain(right, down, place, game.cols, board, patch, cells[i]) / judging.temperature
            highest = max(highest, priors[i])
        for i in range(number):
            priors[i] = np.exp(priors[i] - highest)
    elif number:
        priors[:number] = 1.0
    if number == 0 and judging.truth:
        for cell in range(len(board)):
            if board[cell] != game.solution[play, cell]:
                return 0.0
        return 1.0
    if not (judging.during if number else judging.at_end):
        return 1.0
    fill(game, play, board, played)
    polish(game, play, board, cells, number)
    value = worth(game, puzzle, board)
    if value > game.best[play]:
        keep(game, play, board)
    return value


@kernel
def plan(game, forest, manner, room, priors, left, most):
    """Visits; see ``puct.plan``."""
    return puct.plan(moves, evaluate, game, forest, manner, room, priors, left, most)


@kernel
def gather(game, forest, manner, room, left, each, first, leaves):
    """Leaves; see ``puct.gather``."""
    return puct.gather(moves, game, forest, manner, room, left, each, first, leaves)


@kernel
def _evaluate_leaves(game, leaves, priors, values):
    picked = np.zeros(priors.shape[1])
    for leaf in range(len(values)):
        play, played, number = np.int64(leaves.tree[leaf]), np.int64(leaves.played[leaf]), np.int64(leaves.number[leaf])
        values[leaf] = evaluate(game, play, leaves.path[leaf], played, leaves.moves[leaf], number, picked)
        for i in range(number):
            priors[leaf, leaves.moves[leaf, i]] = picked[i]


def judge_by_tables(game: Game, found: puct.Leaves) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Leaves in a batch, judged as ``plan`` judges them one by one: (priors [leaves, cells], values [leaves])."""
    priors, values = np.zeros((len(found.tree), game.cells)), np.zeros(len(found.tree))
    _evaluate_leaves(game, found, priors, values)
    return priors, values


COMPILED = Compiled(plan, gather)
