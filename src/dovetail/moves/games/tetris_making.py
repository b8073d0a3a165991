"""New Tetris games, each with a play that clears its goal, found by a plain player: it looks at one piece at a time."""

import random
from itertools import pairwise

from ...core.errors import BadUsage
from ...core.puzzle import Moves
from ..kind import IllegalMove
from .tetris import EMPTY, MOST_SEED, PIECES, Making, Tetris, TetrisPlay

TRIES = 200  # games lost before it gives up
HOLE, HEIGHT, STEP = 8.0, 1.0, 0.7  # what the plain player dislikes, and how much


def made(settings: Making, seed: int) -> tuple[Tetris, Moves]:
    """The same for the same seed."""
    rng = random.Random(seed)
    if settings.filled > settings.height // 2:
        raise BadUsage(f"of {settings.height} rows at most {settings.height // 2} can be partly filled at the start")
    for _ in range(TRIES):
        empty = (settings.height - settings.filled) * settings.width
        rubble = [_row(settings.width, rng) for _ in range(settings.filled)]
        cells = (False,) * empty + tuple(filled for row in rubble for filled in row)
        piece_seed = rng.randrange(MOST_SEED)
        puzzle = Tetris(settings.height, settings.width, cells, settings.goal, piece_seed, PIECES, settings.preview)
        moves = played(puzzle)
        if moves is not None:
            return puzzle, Moves(shortened(puzzle, moves))
    raise BadUsage(f"the plain player lost {TRIES} such games; take a smaller goal, fewer filled rows, or more rows")


def played(puzzle: Tetris) -> tuple[str, ...] | None:
    """The moves that clear the goal, or None if the game was lost."""
    play = TetrisPlay(puzzle)
    moves = []
    while not play.solved:
        options = play.options
        if not options:
            return None
        turns, col = min(options, key=lambda option: _dislike(play, play.landed(*option)))
        moves.append(f"{turns},{col + 1}")
        play.make(moves[-1])
    return tuple(moves)


def shortened(puzzle: Tetris, moves: tuple[str, ...]) -> tuple[str, ...]:
    """Without moves that are not needed: with one left out, those after it drop other pieces, and may still do."""
    for left_out in range(len(moves)):
        play = TetrisPlay(puzzle)
        fewer = moves[:left_out] + moves[left_out + 1 :]
        for number, move in enumerate(fewer, start=1):
            try:
                play.make(move)
            except IllegalMove:
                break
            if play.solved:
                return shortened(puzzle, fewer[:number])
    return moves


def _row(cols: int, rng: random.Random) -> list[bool]:
    """Filled but for one cell in three, and never full."""
    row = [rng.random() < 2 / 3 for _ in range(cols)]
    row[rng.randrange(cols)] = False
    return row


def _dislike(play: TetrisPlay, cells: list[tuple[int, int]]) -> float:
    """Holes, high columns, and steps between them, once the piece lies there and full lines are gone."""
    board = [line.copy() for line in play.board]
    for row, col in cells:
        board[row][col] = play.coming[0]
    board = [line for line in board if EMPTY in line]
    heights, holes = [], 0
    for column in zip(*board, strict=True):
        top = next((row for row, letter in enumerate(column) if letter != EMPTY), len(column))
        heights.append(len(column) - top)
        holes += column[top:].count(EMPTY)
    steps = sum(abs(left - right) for left, right in pairwise(heights))
    return HOLE * holes + HEIGHT * sum(heights) + STEP * steps
