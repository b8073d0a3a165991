"""Teach Tetris by temporal differences: makes src/dovetail/moves/weights/tetris.bin anew.

    python benchmarks/teach_tetris.py [--pieces 25e6] [--out FILE]

Every piece is dropped where the board after it is worth most, by what was learnt so far, and the worth of the board
before is corrected by that: TD(0) on the boards after a piece has landed, with rates that fall for entries whose errors
change sign (Beal & Smith 1999; Jaśkowski 2016). All games are on the usual board of 20 rows and 10 columns; every
second one begins with some rows of rubble, so that it learns to recover, and all end after some hundred pieces. What
learns is an n-tuple network: see src/dovetail/moves/rules/tetris_value.py.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.kernel import kernel
from dovetail.moves.games.tetris import Tetris
from dovetail.moves.rules.tetris import back, happen, moves, play_on, state, try_move
from dovetail.moves.rules.tetris_board import COLS, LINES, PLAYED, measure
from dovetail.moves.rules.tetris_value import ENTRIES, MOST_LOOKED_UP, OVER, SHIPPED, entries, packed, worth
from dovetail.search.chance import draw, seeded

PIECES = 25e6
SLICE = 200_000  # pieces between two signs of progress
RATE = 1.0  # of learning; in the second half of the lessons it falls
LEAST_RATE = 0.01
MOST_PIECES = 1000  # of a game
RUBBLE = 12  # rows, at most
SEED = 5
TRIED = 40_000  # pieces


@kernel
def begin(state: Any, chance: Any) -> None:
    """An empty board or one with rubble, and a first piece."""
    back(state, 0)
    cols = state.tally[COLS]
    state.board[:] = 0
    if draw(chance, 2):
        for row in range(draw(chance, RUBBLE + 1)):
            for col in range(cols):
                if draw(chance, 4):
                    state.board[row] |= 1 << col
            state.board[row] &= ~(1 << draw(chance, cols))
    measure(state)
    happen(state, chance)


@kernel
def teach(state: Any, learnt: Any, errors: Any, sizes: Any, chance: Any, rate: float, pieces: int) -> tuple[int, int]:
    """Play so many pieces and learn from each; returns games and lines. ``errors``, ``sizes``: for the rates."""
    out, room = np.zeros(64, np.int64), np.zeros(MOST_LOOKED_UP, np.int64)
    before = np.zeros(MOST_LOOKED_UP, np.int64)
    games, lines, known = 0, 0, 0
    begin(state, chance)
    for _ in range(pieces):
        step, number = state.tally[PLAYED], moves(state, out)
        highest, chosen = OVER, np.int64(-1)
        for i in range(number):
            try_move(state, out[i])
            found = worth(state, learnt, room)
            back(state, step)
            if chosen < 0 or found > highest:
                highest, chosen = found, out[i]
        if known:
            _correct(learnt, errors, sizes, before, known, highest, rate)
        if chosen < 0 or step == MOST_PIECES:
            games += 1
            lines += state.tally[LINES]
            begin(state, chance)
            known = 0
        else:
            try_move(state, chosen)
            known = entries(state, before)
            happen(state, chance)
    return games, lines


@kernel
def _correct(learnt: Any, errors: Any, sizes: Any, looked_up: Any, number: int, target: float, rate: float) -> None:
    """Bring the worth of a board nearer to what it turned out to be."""
    error = target
    for i in range(number):
        error -= learnt[looked_up[i]]
    for i in range(number):
        place = looked_up[i]
        own = 1.0 if sizes[place] == 0 else abs(errors[place]) / sizes[place]
        learnt[place] += rate * own * error / number
    for i in range(number):
        errors[looked_up[i]] += error
        sizes[looked_up[i]] += abs(error)


def main() -> None:
    """Teach, say how it goes, try what was learnt, and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pieces", type=float, default=PIECES)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    given = parser.parse_args()
    game, chance = state(Tetris(20, 10, (False,) * 200, MOST_PIECES)), seeded(SEED)
    learnt, errors, sizes = (np.zeros(ENTRIES) for _ in range(3))
    slices = max(1, round(given.pieces / SLICE))
    for number in range(slices):
        rate = RATE * min(1.0, max(LEAST_RATE, 2 * (1 - number / slices)))
        games, lines = teach(game, learnt, errors, sizes, chance, rate, SLICE)
        if number % 10 == 9 or number == slices - 1:
            said = f"{(number + 1) * SLICE / 1e6:.1f} million pieces, {lines / games:.0f} lines a game"
            print(f"{said}, {time.process_time():.0f} s", flush=True)
            given.out.write_bytes(packed(learnt))
    tried = []
    for seed in range(1, 11):
        game = state(Tetris(20, 10, (False,) * 200, TRIED, seed))
        play_on(game, learnt.astype(np.float32), 1, chance, TRIED)
        tried.append(int(game.tally[LINES]))
    print(f"lines in games of at most {TRIED} pieces: {sorted(tried)}")


if __name__ == "__main__":
    main()
