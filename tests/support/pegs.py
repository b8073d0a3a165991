"""A toy game for the searches: peg solitaire on a few holes. A jump takes the peg it leaps over; one is to be left.

First in plain Python, then as compiled rules.
"""

from collections import namedtuple
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dovetail.kernel import kernel
from dovetail.moves.kind import MovesPuzzle
from dovetail.search import mcts

PLAYED, PEGS, SCORING, TARGET = range(4)

# path [moves]; tally: moves played, pegs at first, facts of the puzzle. board, points [moves + 1]: holes with pegs, as
# bits, and points after each move. jumps [jumps, 3]: from, over, to.
State = namedtuple("State", ["path", "tally", "board", "jumps", "points"])


@dataclass(frozen=True)
class Pegs(MovesPuzzle):
    """``pegs``: one text a row, o for a peg, . for a hole."""

    pegs: tuple[str, ...]
    goal: str = "one"  # or: score
    target: int = 0
    kind: ClassVar[str] = "pegs"
    rules: ClassVar[str] = "support.pegs"

    @property
    def size(self) -> str:
        return f"{len(self.pegs)}x{len(self.pegs[0])}"

    def encode(self) -> dict[str, Any]:
        return {"pegs": list(self.pegs)}

    @property
    def for_points(self) -> bool:
        return self.goal == "score"

    @property
    def endless(self) -> bool:
        return self.for_points and not self.target

    @property
    def start(self) -> int:
        """The pegs as bits."""
        return sum(1 << hole for hole, peg in enumerate("".join(self.pegs)) if peg == "o")

    def jumps(self) -> list[tuple[int, int, int]]:
        rows, cols = len(self.pegs), len(self.pegs[0])
        return [
            (row * cols + col, (row + down) * cols + col + right, (row + 2 * down) * cols + col + 2 * right)
            for row in range(rows)
            for col in range(cols)
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))
            if 0 <= row + 2 * down < rows and 0 <= col + 2 * right < cols
        ]


def legal(puzzle: Pegs, board: int) -> list[int]:
    """The numbers of the jumps that are possible."""
    return [
        number
        for number, (start, over, end) in enumerate(puzzle.jumps())
        if board >> start & 1 and board >> over & 1 and not board >> end & 1
    ]


def after(puzzle: Pegs, board: int, jump: int) -> int:
    """The pegs after a jump."""
    start, over, end = puzzle.jumps()[jump]
    return board ^ 1 << start ^ 1 << over ^ 1 << end


def plays(puzzle: Pegs, board: int, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every play to its end: the jumps, and the pegs that are left."""
    jumps = legal(puzzle, board)
    if not jumps:
        yield path, board
    for jump in jumps:
        yield from plays(puzzle, after(puzzle, board, jump), (*path, jump))


def points(path: tuple[int, ...]) -> int:
    """What a play scores: it depends on the order."""
    return sum((step + 1) * (jump % 5) for step, jump in enumerate(path))


def limits(puzzle: Pegs) -> tuple[int, int]:
    return max(1, puzzle.start.bit_count() - 1), max(1, len(puzzle.jumps()))


def state(puzzle: Pegs) -> State:
    steps = limits(puzzle)[0] + 1
    board = np.zeros(steps, np.int64)
    board[0] = puzzle.start
    jumps = np.array(puzzle.jumps(), np.int64).reshape(-1, 3)
    scoring = puzzle.goal == "score"
    tally = np.array([0, puzzle.start.bit_count(), scoring, puzzle.target], np.int64)
    return State(np.zeros(steps, np.int64), tally, board, jumps, np.zeros(steps, np.int64))


def written(puzzle: Pegs, path: Any) -> tuple[str, ...]:
    return tuple(str(jump) for jump in path)


@kernel
def moves(state: Any, out: Any) -> Any:
    board, number = state.board[state.tally[PLAYED]], 0
    for jump in range(len(state.jumps)):
        start, over, end = state.jumps[jump]
        if board >> start & 1 and board >> over & 1 and not board >> end & 1:
            out[number] = jump
            number += 1
    return number


@kernel
def play(state: Any, move: Any) -> Any:
    """False if two pegs are left and neither can leap over the other."""
    step = state.tally[PLAYED]
    start, over, end = state.jumps[move]
    board = state.board[step] ^ 1 << start ^ 1 << over ^ 1 << end
    state.board[step + 1] = board
    state.points[step + 1] = state.points[step] + (step + 1) * (move % 5)
    state.path[step] = move
    state.tally[PLAYED] = step + 1
    if state.tally[SCORING] or state.tally[PEGS] - step - 1 != 2:
        return True
    found = False
    for jump in range(len(state.jumps)):
        found |= board == 1 << state.jumps[jump, 0] | 1 << state.jumps[jump, 1]
    return found


@kernel
def back(state: Any, played: Any) -> Any:
    state.tally[PLAYED] = played


@kernel
def value(state: Any) -> Any:
    if state.tally[SCORING]:
        return min(1.0, state.points[state.tally[PLAYED]] / state.tally[TARGET]) if state.tally[TARGET] else 0.0
    return state.tally[PLAYED] / (state.tally[PEGS] - 1) if state.tally[PEGS] > 1 else 1.0


@kernel
def score(state: Any) -> Any:
    return float(state.points[state.tally[PLAYED]])


@kernel
def welcome(state: Any, move: Any) -> Any:
    """To the right or down is welcome."""
    return 1.0 if state.jumps[move, 2] > state.jumps[move, 0] else 0.25


@kernel
def key(state: Any) -> Any:
    return np.uint64(state.board[state.tally[PLAYED]] + 1)


@kernel
def search_tree(state: Any, tree: Any, manner: Any, room: Any, chance: Any, best: Any, rollouts: Any) -> Any:
    return mcts.search_game(
        moves, play, back, value, score, key, welcome, state, tree, manner, room, chance, best, rollouts
    )
