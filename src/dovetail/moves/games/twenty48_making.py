"""New games of 2048 that can be won: a simple player wins them first, without looking into what chance will bring."""

import random
from copy import deepcopy
from itertools import pairwise

from ...core.errors import BadUsage
from ...core.puzzle import Moves
from ..kind import IllegalMove
from .twenty48 import MOST_SEED, WAYS, Game2048, Play2048


def made(goal: int, seed: int) -> tuple[Game2048, Moves]:
    """The first game that the player wins, of those that a seed leads to."""
    if goal.bit_count() != 1:
        raise BadUsage(f"the goal is a power of two, not {goal}")
    rng = random.Random(seed)
    while True:
        puzzle = Game2048((0,) * 16, goal, rng.randrange(MOST_SEED))
        moves = played(puzzle)
        if moves is not None:
            return puzzle, Moves(tuple(shortest(puzzle, moves)))


def played(puzzle: Game2048) -> list[str] | None:
    """The moves of a game that the player wins; None if he does not."""
    play, moves = Play2048(puzzle), list[str]()
    while not play.solved:
        choices = [(_liking(after), move) for move in WAYS if (after := play.after(move)[0]) != play.board]
        if not choices:
            return None
        move = max(choices)[1]
        play.make(move)
        moves.append(move)
    return moves


def shortest(puzzle: Game2048, moves: list[str]) -> list[str]:
    """Without moves that can be left out, one at a time: chance brings other tiles then, and still it is won."""
    play = Play2048(puzzle)
    for left_out, move in enumerate(moves):
        if _wins(deepcopy(play), moves[left_out + 1 :]):
            return shortest(puzzle, moves[:left_out] + moves[left_out + 1 :])
        play.make(move)
    return moves


def _wins(play: Play2048, moves: list[str]) -> bool:
    try:
        for move in moves:
            play.make(move)
    except IllegalMove:
        return False
    return play.solved


def _liking(board: list[list[int]]) -> int:
    """Free cells, and neighbours that are much alike."""
    free = sum(line.count(0) for line in board)
    columns = [[line[col] for line in board] for col in range(len(board[0]))]
    steps = (
        abs(max(1, one.bit_length()) - max(1, other.bit_length()))
        for line in board + columns
        for one, other in pairwise(line)
    )
    return 3 * free - sum(steps)
