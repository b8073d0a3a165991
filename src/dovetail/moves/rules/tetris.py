"""Tetris, compiled. The puzzle's own pieces come in ``play`` only; whoever plans ahead uses ``try_move`` and ``happen``
with a chance of his own, and goes ``back``.
"""

from collections import namedtuple
from collections.abc import Sequence

import numpy as np

from ...kernel import kernel
from ...search.chance import draw, mixed, seeded
from ..games.tetris import MOST_COLS, PIECES, Tetris
from .tetris_board import (
    ABOVE,
    BELOW,
    BITS,
    COLS,
    DIFFERENT,
    EMPTY_ROWS,
    GOAL,
    HEIGHT,
    LINES,
    PLAYED,
    PREVIEW,
    ROWS,
    SIDE,
    TURN,
    TURNS,
    UNKNOWN,
    WIDTH,
    State,
    measure,
)
from .tetris_value import DISCOUNT, MOST_LOOKED_UP, OVER, cost, weights, worth

__all__ = [
    "State", "back", "choose", "happen", "key", "limits", "moves", "play", "play_on", "score", "state", "try_move",
    "value", "weights", "written",
]  # fmt: skip

WON = 1e6  # what a move that reaches the goal is worth
BROAD, LESS_BROAD = 5, 2  # moves that are looked at further: of the piece at hand, and of later ones

# moves, worths [depth, moves]: of each piece ahead, the last one first. entries: room for those of a board.
Look = namedtuple("Look", ["moves", "worths", "entries"])


def state(puzzle: Tetris) -> State:
    """Before the first move; the first piece has come, and the one after it where there is a preview."""
    most, _ = limits(puzzle)
    filled = np.array(puzzle.cells, np.int64).reshape(puzzle.rows, puzzle.cols)[::-1]
    begun = State(
        np.array([0, 0, puzzle.goal, puzzle.preview, puzzle.rows, puzzle.cols, 0], np.int64),
        filled @ (np.int64(1) << np.arange(puzzle.cols)), np.zeros(puzzle.cols, np.int64),
        np.array([PIECES.index(letter) for letter in puzzle.pieces], np.int64), seeded(puzzle.seed),
        np.zeros(most, np.int64), np.full(most + 2, UNKNOWN, np.int64), np.zeros(most, np.int64),
        np.zeros(most, np.int64), np.zeros(most + 1, np.uint64),
    )  # fmt: skip
    measure(begun)
    for known in range(puzzle.preview + 1):
        begun.pieces[known] = begun.bag[draw(begun.stream, len(begun.bag))]
    begun.words[0] = begun.stream[0]
    return begun


def limits(puzzle: Tetris) -> tuple[int, int]:
    """Before the last move there are fewer lines than the goal, and what they and the board hold has been dropped."""
    dropped = puzzle.cols * (puzzle.goal - 1 + puzzle.rows) - sum(puzzle.cells)
    return dropped // 4 + 1, TURNS * puzzle.cols


def written(puzzle: Tetris, path: Sequence[int]) -> tuple[str, ...]:
    """Moves as turns and column."""
    return tuple(f"{move // TURN},{move % TURN + 1}" for move in path)


@kernel
def moves(state, out):
    """Where the piece fits, each turn that looks different once."""
    tally = state.tally
    if tally[LINES] >= tally[GOAL]:
        return 0
    piece = state.pieces[tally[PLAYED]]
    number = 0
    for turn in range(DIFFERENT[piece]):
        for col in range(tally[COLS] - WIDTH[piece, turn] + 1):
            if rest(state, piece, turn, col) + HEIGHT[piece, turn] <= tally[ROWS]:
                out[number] = turn * TURN + col
                number += 1
    return number


@kernel
def rest(state, piece, turn, col):
    """The row where the lowest cells of a piece come to rest."""
    row = 0
    for i in range(WIDTH[piece, turn]):
        row = max(row, state.tops[col + i] - BELOW[piece, turn, i])
    return row


@kernel
def try_move(state, move):
    """Drop the piece, and no other comes yet. The goal is never provably out of reach while pieces fit."""
    tally, board = state.tally, state.board
    step = tally[PLAYED]
    turn, col = move // TURN, move % TURN
    piece = state.pieces[step]
    row = rest(state, piece, turn, col)
    full, cleared = (np.int64(1) << tally[COLS]) - 1, 0
    for i in range(HEIGHT[piece, turn]):
        board[row + i] |= BITS[piece, turn, i] << col
        if board[row + i] == full:
            cleared |= 1 << i
    state.path[step] = move
    state.landed[step] = row
    state.cleared[step] = cleared
    state.pieces[step + 1 + tally[PREVIEW]] = UNKNOWN
    state.words[step + 1] = state.stream[0]
    tally[PLAYED] = step + 1
    if cleared:
        _clear(state, row, cleared)
        measure(state)
    else:
        for i in range(WIDTH[piece, turn]):
            state.tops[col + i] = row + ABOVE[piece, turn, i]
        tally[EMPTY_ROWS] = min(tally[EMPTY_ROWS], tally[ROWS] - row - HEIGHT[piece, turn])
    return True


@kernel
def _clear(state, row, cleared):
    """Full rows vanish, and what is above them comes down."""
    tally, board = state.tally, state.board
    onto = row
    for above in range(row, tally[ROWS]):
        if above < row + SIDE and cleared >> (above - row) & 1:
            tally[LINES] += 1
        else:
            board[onto] = board[above]
            onto += 1
    board[onto : tally[ROWS]] = 0


@kernel
def happen(state, chance):
    """The next piece comes."""
    state.pieces[state.tally[PLAYED] + state.tally[PREVIEW]] = state.bag[draw(chance, len(state.bag))]


@kernel
def play(state, move):
    """Drop the piece, and the one that comes then in this puzzle is known."""
    try_move(state, move)
    happen(state, state.stream)
    state.words[state.tally[PLAYED]] = state.stream[0]
    return True


@kernel
def back(state, played):
    """To the position after so many moves."""
    tally, board = state.tally, state.board
    if played >= tally[PLAYED]:
        return
    while tally[PLAYED] > played:
        step = tally[PLAYED] - 1
        piece, turn, col = state.pieces[step], state.path[step] // TURN, state.path[step] % TURN
        row, cleared = state.landed[step], state.cleared[step]
        if cleared:
            _fill(state, row, cleared)
        for i in range(HEIGHT[piece, turn]):
            board[row + i] ^= BITS[piece, turn, i] << col
        tally[PLAYED] = step
    state.stream[0] = state.words[played]
    measure(state)


@kernel
def _fill(state, row, cleared):
    """Rows that had vanished are back, and what was above them goes up again."""
    tally, board = state.tally, state.board
    gone = 0
    for i in range(SIDE):
        gone += cleared >> i & 1
    tally[LINES] -= gone
    source = tally[ROWS] - 1 - gone
    for onto in range(tally[ROWS] - 1, row - 1, -1):
        if onto < row + SIDE and cleared >> (onto - row) & 1:
            board[onto] = (np.int64(1) << tally[COLS]) - 1
        else:
            board[onto] = board[source]
            source -= 1


@kernel
def value(state):
    """Lines cleared, of those to clear."""
    return min(1.0, state.tally[LINES] / state.tally[GOAL])


@kernel
def score(state):
    """Lines cleared."""
    return np.float64(state.tally[LINES])


@kernel
def key(state):
    """The position: board and known pieces, mixed."""
    tally = state.tally
    word = np.uint64(0)
    for row in range(tally[ROWS] - tally[EMPTY_ROWS]):
        word = mixed(word ^ np.uint64(state.board[row]))
    for ahead in range(tally[PREVIEW] + 1):
        word = mixed(word ^ np.uint64(state.pieces[tally[PLAYED] + ahead] + (1 << MOST_COLS)))
    return word


@kernel
def choose(state, weights, depth, chance):
    """The best move by looking so many moves ahead, 1 to 3; -1 when the play is over.

    ``chance`` is for rules that sample what may happen; here all of it is looked at.
    """
    look = room_to_look(state, depth)
    best(state, weights, depth, look)
    return look.moves[depth - 1, 0]


@kernel
def room_to_look(state, depth):
    """For looking so many moves ahead."""
    widest = len(state.tops) * TURNS
    return Look(np.empty((depth, widest), np.int64), np.empty((depth, widest)), np.empty(MOST_LOOKED_UP, np.int64))


@kernel
def best(state, weights, depth, look):
    """What the best move of the piece at hand is worth; the move itself, or -1, comes first in its row of ``look``."""
    out, found = look.moves[depth - 1], look.worths[depth - 1]
    step, number = state.tally[PLAYED], moves(state, out)
    for i in range(number):
        try_move(state, out[i])
        found[i] = WON if state.tally[LINES] >= state.tally[GOAL] else worth(state, weights, look.entries)
        back(state, step)
    _first_best(out, found, number, 0)
    if number == 0:
        out[0] = -1
        return OVER
    if depth == 1 or found[0] == WON:
        return found[0]
    highest, chosen = -np.inf, np.int64(-1)
    for i in range(min(number, BROAD if depth == look.moves.shape[0] else LESS_BROAD)):
        _first_best(out, found, number, i)
        try_move(state, out[i])
        total = 0.0
        if state.tally[PREVIEW] and depth == 2:  # what comes after the last piece looked at does not matter
            total = best(state, weights, depth - 1, look)
        else:
            for piece in state.bag:
                state.pieces[step + 1 + state.tally[PREVIEW]] = piece
                total += best(state, weights, depth - 1, look) / len(state.bag)
        total = cost(state) + DISCOUNT * total
        back(state, step)
        if total > highest:
            highest, chosen = total, out[i]
    out[0] = chosen
    return highest


@kernel
def _first_best(moves, worths, number, start):
    """The best move from ``start`` on changes places with the one there."""
    top = start
    for i in range(start + 1, number):
        if worths[i] > worths[top]:
            top = i
    if top != start:
        moves[start], moves[top] = moves[top], moves[start]
        worths[start], worths[top] = worths[top], worths[start]


@kernel
def play_on(state, weights, depth, chance, most_moves):
    """Play so many moves, or fewer if the play is over; returns how many."""
    for made in range(most_moves):
        move = choose(state, weights, depth, chance)
        if move < 0:
            return made
        play(state, move)
    return most_moves
