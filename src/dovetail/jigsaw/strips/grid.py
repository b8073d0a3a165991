"""Cross-cut shreds: first all turned the same way, then the best board of their seams.

Pages lie side by side on one board. What lies at the rim of a page has blank paper beyond, which is worth as much as
its edge looks blank. The board is found by ``deep/arranging.py``: small ones are proved, larger ones annealed until
several runs agree.
"""

import numpy as np
from numpy.typing import NDArray

from ...core.puzzle import EMPTY, Placement
from ...core.solver import Clock, Outcome, Progress, Run, Status
from ..deep.arranging import Patience, arranging
from ..deep.tables import Tables
from .puzzle import Strips
from .seams import Numbers, Seams, seams
from .solver import page_numbers

PASSES = 5  # over all shreds, when each is asked which way it would rather lie
FEET = 1.0  # nats for a shred whose lines stand on their feet


def arranged(puzzle: Strips, clock: Clock, seed: int) -> Run:
    """The best board for the likeliest number of pages."""
    known = seams(puzzle)
    pages = page_numbers(puzzle)[0][0]
    cols = puzzle.cols or -(-puzzle.count // (pages * puzzle.down))
    poses = turned_alike(known, len(puzzle.turns))
    work = arranging(_tables(known, poses, puzzle.down, cols, pages), puzzle.down, cols * pages, clock, None, seed,
                     Patience(moves=4000, agreed=2, runs=4))  # fmt: skip
    shown = -np.inf
    while True:
        try:
            best = next(work)
        except StopIteration as ended:
            end = ended.value
            break
        solution = _laid(puzzle, poses, best.board, cols, pages) if best.score > shown else None
        shown = max(shown, best.score)
        yield Progress(best.steps, "moves", round(best.score, 2), None, "log odds", {"pages": pages}, solution)
    counters = {
        "log_odds": round(float(end.score), 3), "pages": pages, "proved": int(end.proved), "moves": end.steps,
        "blank": int(known.blank.sum()),
    }  # fmt: skip
    status: Status = "complete" if end.finished else "out_of_budget"
    return Outcome(status, _laid(puzzle, poses, end.board, cols, pages), counters)


def _tables(known: Seams, poses: NDArray[np.int64], rows: int, cols: int, pages: int) -> Tables:
    """Seams as they are, and the rims of pages as places."""
    place = np.zeros((len(poses), rows, pages, cols), np.float32)
    rim = known.rim[:, poses]
    place[..., -1] += rim[0][:, np.newaxis, np.newaxis]
    place[:, 0] += rim[1][:, np.newaxis, np.newaxis]
    place[..., 0] += rim[2][:, np.newaxis, np.newaxis]
    place[:, -1] += rim[3][:, np.newaxis, np.newaxis]
    pairs = np.ix_(poses, poses)
    return Tables(known.right[pairs], known.down[pairs], place.reshape(len(poses), -1))


def turned_alike(known: Seams, turns: int) -> NDArray[np.int64]:
    """Of each shred the pose in which it goes with the others; of all that, the way in which text stands on its feet.

    The surest seams first, each shred is turned as the one before it asks for. Then each is asked again, with all
    others as they lie. [count]
    """
    count = len(known.blank)
    if turns == 1:
        return np.arange(count)
    both = np.maximum.reduce([known.right, known.right.T, known.down, known.down.T])
    seen = both.reshape(count, turns, count, turns)
    pose = np.zeros(count, np.int64)
    sure = np.full(count, -np.inf)
    asked = np.zeros(count, np.int64)
    waiting = np.ones(count, np.bool_)
    at = int(np.argmax(np.where(known.blank, -np.inf, seen.max(axis=(1, 2, 3)))))
    while True:
        waiting[at] = False
        offers = np.sort(seen[at, pose[at]], axis=1)  # [count, turns]
        margin = np.where(waiting, offers[:, -1] - offers[:, -2] + offers[:, -1], -np.inf)
        better = margin > sure
        sure[better], asked[better] = margin[better], seen[at, pose[at]].argmax(axis=1)[better]
        if not waiting.any():
            break
        at = int(np.argmax(np.where(waiting, sure, -np.inf)))
        pose[at] = asked[at]
    return _asked_again(known, pose, turns)


def _asked_again(known: Seams, pose: NDArray[np.int64], turns: int) -> NDArray[np.int64]:
    count = len(pose)
    own = np.arange(count) * turns
    feet = known.upright.reshape(count, turns)
    # the whole lies in one of as many ways; a turn changes all poses alike, as they are listed in pairs
    ways = [pose ^ way for way in range(turns)]
    pose = max(ways, key=lambda each: float(feet[np.arange(count), each].sum()))
    for _ in range(PASSES):
        for shred in range(count):
            others = np.delete(own + pose, shred)
            mine = own[shred] + np.arange(turns)
            worth = FEET * np.tanh(feet[shred].astype(np.float64))
            for table, first in ((known.right, True), (known.right, False), (known.down, True), (known.down, False)):
                faced: Numbers = table[np.ix_(mine, others)] if first else table[np.ix_(others, mine)].T
                worth = worth + np.maximum(faced.max(axis=1), 0)
            pose[shred] = int(worth.argmax())
    return own + pose


def _laid(puzzle: Strips, poses: NDArray[np.int64], board: NDArray[np.int32], cols: int, pages: int) -> Placement:
    """An empty column between two pages."""
    turns = np.array([*puzzle.turns])[poses % len(puzzle.turns)]
    grid = board.reshape(puzzle.down, pages, cols)
    apart = np.pad(grid, ((0, 0), (0, 0), (0, 1)), constant_values=EMPTY).reshape(puzzle.down, -1)[:, :-1]
    lying = np.where(apart == EMPTY, 0, turns[apart])
    return Placement.from_flat(apart.ravel(), lying.ravel(), apart.shape[1])
