"""Teach the value function for 2048 by letting it play: makes src/dovetail/moves/weights/2048.bin anew.

    python benchmarks/teach_2048.py [--moves 3.5e8] [--seed 1] [--keep FILE] [--out FILE]

One core, a gigabyte of memory, one line of progress every ten million moves. ``--keep`` writes everything it knows to
a file (.npz) now and then; if that file is there at the start, it goes on from it.

Temporal differences on boards after a slide, with a rate of its own for every entry (TC learning) and lambda; lessons
are learnt from the end of a game to its beginning. When a long game is over, its second half is played again, and of
that the second half, so that large tiles, which few games reach, are not learnt from a few games only.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dovetail.moves import tuple_kernels as kernels
from dovetail.moves import tuples
from dovetail.moves.rules.twenty48_board import slides
from dovetail.search.chance import seeded

LAMBDA = 0.5
SHARE, LAST_SHARE = 1.0, 0.2  # of an error, the second in the last part of the lessons
LAST_PART = 0.28
AGAIN = 400  # a game with more moves is played again from its middle
MOST_MOVES = 80_000  # of a game
A_LINE = 10_000_000  # moves
A_COPY = 50_000_000  # moves


class Pupil(NamedTuple):
    """What has been learnt."""

    network: kernels.Network
    errors: np.ndarray
    sizes: np.ndarray
    chance: np.ndarray
    made: np.ndarray  # [1]: moves so far


def new(seed: int) -> Pupil:
    """One who knows nothing."""
    number = kernels.TUPLES * kernels.ENTRIES
    table, errors, sizes = (np.zeros(number, np.float32) for _ in range(3))
    return Pupil(kernels.Network(table, 1.0), errors, sizes, seeded(seed), np.zeros(1, np.int64))


def kept(path: Path) -> Pupil:
    """One who goes on."""
    with np.load(path, allow_pickle=False) as data:
        network = kernels.Network(data["table"], 1.0)
        return Pupil(network, data["errors"], data["sizes"], data["chance"], data["made"])


def keep(pupil: Pupil, path: Path) -> None:
    """Never half written."""
    part = path.with_suffix(".part.npz")
    np.savez(
        part, table=pupil.network.table, errors=pupil.errors, sizes=pupil.sizes, chance=pupil.chance, made=pupil.made
    )
    part.replace(path)


def lessons(pupil: Pupil, moves: int) -> Iterator[tuple[int, int]]:
    """Games until so many moves are made; yields score and largest tile of those from the start."""
    rows = slides(4, 4)
    boards, points = np.zeros(MOST_MOVES, np.uint64), np.zeros(MOST_MOVES, np.int64)
    places = np.zeros(kernels.LOOKS, np.int64)
    start = None
    while pupil.made[0] < moves:
        share = SHARE if pupil.made[0] < (1 - LAST_PART) * moves else LAST_SHARE
        memory = kernels.Memory(pupil.errors, pupil.sizes, share, LAMBDA)
        board = start if start is not None else _with_tile(_with_tile(np.uint64(0), pupil.chance), pupil.chance)
        made = kernels.play_and_learn(pupil.network, memory, rows, board, pupil.chance, boards, points, places)
        pupil.made[0] += made
        if start is None:
            last = int(boards[made - 1])
            yield int(points[:made].sum()), 1 << max(last >> shift & 15 for shift in range(0, 64, 4))
        start = _with_tile(boards[made // 2], pupil.chance) if made > AGAIN else None


def _with_tile(board: np.uint64, chance: np.ndarray) -> np.uint64:
    return np.uint64(kernels.new_tile(board, chance))


def main() -> None:
    """See the module text."""
    arguments = argparse.ArgumentParser(description="teach the value function for 2048")
    arguments.add_argument("--moves", type=float, default=3.5e8)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--keep", type=Path)
    arguments.add_argument("--out", type=Path, default=tuples.SHIPPED)
    given = arguments.parse_args()
    pupil = kept(given.keep) if given.keep and given.keep.exists() else new(given.seed)
    seen: list[tuple[int, int]] = []
    told, copied, begin = int(pupil.made[0]), int(pupil.made[0]), time.process_time()
    for score, tile in lessons(pupil, int(given.moves)):
        seen.append((score, tile))
        made = int(pupil.made[0])
        if made >= told + A_LINE:
            scores, tiles = zip(*seen, strict=True)
            reached = ", ".join(
                f"{goal} {sum(t >= goal for t in tiles) / len(tiles):.0%}" for goal in (2048, 8192, 16384)
            )
            used = time.process_time() - begin
            so_far = f"{made / 1e6:.0f} million moves, {used:.0f} s"
            print(f"{so_far}: {len(seen)} games, mean {np.mean(scores):.0f}; {reached}", flush=True)
            told, seen = made, []
        if given.keep and made >= copied + A_COPY:
            keep(pupil, given.keep)
            copied = made
    if given.keep:
        keep(pupil, given.keep)
    size = tuples.save(given.out, pupil.network.table, pupil.sizes)
    print(f"wrote {given.out}: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
