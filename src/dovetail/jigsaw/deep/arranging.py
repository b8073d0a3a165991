"""The best board for given tables: all boards if there are few cells, patient annealing if there are more.

Up to ``EXACT`` cells a depth-first search with a bound looks at every board that matters: the best one is proved, and
how probable each patch is where it lies is exact (where scores are log probabilities). Larger boards are annealed
again and again from new random boards, with exchanges of two patches and of rectangles and with shifts of strips,
until several of these runs have come to the same best score. Then boards are drawn at heat 1, from the best one on,
and how probable a patch is where it lies is how often it lay there.

Networks say the same thing of many pairs, so that sums of their scores are surer than they should be: ``temper`` is
what scores are multiplied by to be log probabilities. The best board does not depend on it.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.solver import Budget, Clock
from ...core.state import Misfit, State, fields, restore, taken, within
from ..driving import Following
from . import kernels
from .kernels import Seats
from .layout import Layout, worth
from .tables import Tables, checked, score

EXACT = 9  # cells up to which all boards are looked at
SLICE = 200_000  # moves between two glances at the clock
HOT, COLD = 0.8, 0.2  # the heat of a run at first and in the end, as shares of what a right seam is worth
SAMPLES = 200  # boards drawn to see how probable the best one is
APART = 20  # moves a cell between two of them
UNLIKE = 5  # boards are clearly different if one cell in this many differs, or more
SAME = 1e-3  # nats within which two scores are the same
UNBOUNDED = 1 << 62


@dataclass(frozen=True)
class Patience:
    """How much is annealed."""

    moves: int = 4000  # a cell, a run
    agreed: int = 3  # runs that come to the best score, after which it is taken for the best there is
    runs: int = 8  # at most; each after the first ``agreed`` is twice as long as the one before


class Best(NamedTuple):
    """The best board so far."""

    board: NDArray[np.int32]  # [cells]: the patch of each, EMPTY where there is none
    score: float
    steps: int  # moves tried, or patches laid


@dataclass(frozen=True)
class Arranged:
    """How it ended."""

    board: NDArray[np.int32]  # [cells]: the patch of each, EMPTY where there is none
    score: float  # of the board, by the tables
    steps: int  # moves tried, or patches laid
    finished: bool  # whether it came to its own end, not to that of the clock
    proved: bool = False  # whether no board is better
    margin: float | None = None  # by how much the best clearly different board that was met scores less
    sure: NDArray[np.float64] | None = None  # [n]: how probable a patch is where it lies; None if it was not finished


Arranging = Generator[Best, None, Arranged]


def best_board(
    tables: Tables,
    rows: int,
    cols: int,
    hints: Mapping[int, int] | None = None,
    seed: int = 0,
    patience: Patience | None = None,
    temper: float = 1.0,
) -> Arranged:
    """The best board, however long it takes. ``hints`` are the cells of patches for which they are known."""
    work = arranging(tables, rows, cols, Clock(Budget()), hints, seed, patience, temper)
    while True:
        try:
            next(work)
        except StopIteration as ended:
            arranged: Arranged = ended.value
            return arranged


def arranging(
    tables: Tables,
    rows: int,
    cols: int,
    clock: Clock,
    hints: Mapping[int, int] | None = None,
    seed: int = 0,
    patience: Patience | None = None,
    temper: float = 1.0,
    following: Following | None = None,
) -> Arranging:
    """The same within a clock's budget, in slices of a tenth of a second or so; yields the best board so far."""
    layout = Layout(checked(tables, rows, cols), rows, cols, hints or {}, seed)
    following = following or Following()
    if layout.cells <= EXACT:
        if following.kept is not None:  # so few boards are looked at once more
            clock.spend(-clock.steps)
        following.follow(dict)
        return _all_boards(layout, clock, temper)
    return _annealed(layout, clock, patience or Patience(), temper, following)


def _all_boards(layout: Layout, clock: Clock, temper: float) -> Arranging:
    """Once for the best board, and once more for how probable it is."""
    best, bests = layout.board.copy(), np.array([layout.total(layout.board), -np.inf])
    weights = np.zeros((layout.cells, layout.cells))
    laid, passes = 0, 0
    for sums, scale in ((weights[:0], 1.0), (weights, temper)):
        allowed = clock.allowance(UNBOUNDED)
        if clock.expired or not allowed:
            break
        bests *= scale
        seats, ahead = _tempered(layout, scale), scale * layout.ahead()
        took = kernels.searched(
            seats, layout.held, layout.alike, ahead, best[:-1], bests, sums, _different(layout), allowed
        )
        laid += took
        clock.spend(took)
        yield _best(layout, best, laid)
        if took == allowed:
            break
        passes += 1
    if passes < 2:
        return _arranged(layout, best, laid, finished=False, proved=passes == 1)
    patches = best[: layout.cells]
    sure = np.zeros(layout.cells)
    sure[patches] = weights[patches, np.arange(layout.cells)] / weights[:, 0].sum()
    return _arranged(layout, best, laid, proved=True, runner_up=bests[1] / temper, sure=sure)


class Runs:
    """Where annealing is: run after run, each from a new random board, in slices."""

    kept = ("moves", "best", "top", "begun", "done", "end", "ended")

    def __init__(self, layout: Layout, patience: Patience) -> None:
        self._layout, self._patience = layout, patience
        self.moves = 0  # in all
        self.best, self.top = layout.board.copy(), layout.total(layout.board)
        self.ends: list[tuple[float, NDArray[np.int32]]] = []  # of each run
        self.begun, self.done = False, 0  # whether in a run, and its moves so far
        self.end, self.ended = -np.inf, self.best  # the best of this run

    @property
    def over(self) -> bool:
        """Whether there were runs enough."""
        agreed = sum(end > self.top - SAME for end, _ in self.ends)
        return len(self.ends) >= self._patience.runs or agreed >= self._patience.agreed

    @property
    def wanted(self) -> int:
        """Moves of this run."""
        longer = max(0, len(self.ends) + 1 - self._patience.agreed)
        return self._patience.moves * self._layout.cells << longer

    def begin(self) -> None:
        """From a new board, unless a run has begun."""
        if not self.begun:
            self._layout.scatter()
            self.end, self.ended = -np.inf, self._layout.board.copy()
            self.begun, self.done = True, 0

    def finish(self) -> None:
        """A run is done."""
        self.ends.append((self.end, self.ended))
        self.begun = False

    def state(self) -> State:
        """For ``take_up``."""
        layout = self._layout
        ends = [[end, board.copy()] for end, board in self.ends]
        return {**taken(self, self.kept), "ends": ends, "layout": taken(layout, ("board", "state", "random"))}

    def take_up(self, state: Any) -> None:
        """Go on where an earlier run of the same tables and seed was."""
        layout = self._layout
        values = fields(state, (*self.kept, "ends", "layout"))
        ends, moved = values.pop("ends"), fields(values.pop("layout"), ("board", "state", "random"))
        restore(self, self.kept, values)
        if not isinstance(ends, list) or len(ends) > self._patience.runs:
            raise Misfit("runs")
        self.ends = []
        for one in ends:
            if not isinstance(one, list) or len(one) != 2 or type(one[0]) is not float:
                raise Misfit("runs")
            self.ends.append((one[0], layout.fitting(one[1])))
        self.best, self.ended = layout.fitting(self.best), layout.fitting(self.ended)
        within([self.moves, self.done], 0, UNBOUNDED, "moves")
        layout.take_up(moved)


def _annealed(layout: Layout, clock: Clock, patience: Patience, temper: float, following: Following) -> Arranging:
    """Run after run, each from a new random board; then samples."""
    hot = HOT * worth(layout.tables)
    at = Runs(layout, patience)
    if following.kept is not None:
        at.take_up(following.kept)
        clock.spend(at.moves - clock.steps)
    following.follow(at.state)
    while at.begun or not at.over:
        at.begin()
        while at.done < at.wanted:
            several = min(SLICE, at.wanted - at.done)
            allowed = clock.allowance(several)
            if clock.expired or not allowed:
                return _arranged(layout, at.best, at.moves, finished=False)
            if allowed < several:
                following.freeze()
            heats = [hot * (COLD / HOT) ** (move / at.wanted) for move in (at.done, at.done + several)]
            kernels.anneal(
                layout.seats, layout.board, layout.where, layout.room, layout.kept, allowed, *heats, layout.state
            )
            at.moves += allowed
            at.done += several
            clock.spend(allowed)
            total = layout.total(layout.kept)
            if total > at.end:
                at.end, at.ended = total, layout.kept.copy()
            if at.end > at.top:
                at.best, at.top = at.ended, at.end
            yield _best(layout, at.best, at.moves)
        at.finish()
    best = at.best
    runner_up = max(
        (end for end, board in at.ends if layout.unlike(board, best) >= _different(layout)), default=-np.inf
    )
    return _arranged(layout, best, at.moves, runner_up=runner_up, sure=_sampled(layout, best, temper))


def _tempered(layout: Layout, temper: float) -> Seats:
    """All scores multiplied."""
    pair, place = (np.float32(temper) * table for table in layout.seats[:2])
    return layout.seats._replace(pair=pair, place=place)


def _sampled(layout: Layout, board: NDArray[np.int32], temper: float) -> NDArray[np.float64]:
    """How often each patch lies where it lies on this board, while patches move at heat 1. [cells]"""
    layout.lay(board)
    seen = np.zeros((layout.cells, layout.cells), np.int64)
    seats, apart = _tempered(layout, temper), APART * layout.cells
    kernels.sampled(seats, layout.board, layout.where, layout.room, SAMPLES, apart, seen, layout.state)
    sure = np.zeros(layout.cells)
    sure[board[:-1]] = seen[board[:-1], np.arange(layout.cells)] / SAMPLES
    return sure


def _different(layout: Layout) -> int:
    """Cells in which clearly different boards differ."""
    return max(2, layout.cells // UNLIKE)


def _best(layout: Layout, board: NDArray[np.int32], steps: int) -> Best:
    shown = layout.shown(board)
    return Best(shown, score(layout.tables, shown, layout.cols), steps)


def _arranged(
    layout: Layout,
    board: NDArray[np.int32],
    steps: int,
    *,
    finished: bool = True,
    proved: bool = False,
    runner_up: float = -np.inf,
    sure: NDArray[np.float64] | None = None,
) -> Arranged:
    shown = layout.shown(board)
    margin = layout.total(board) - float(runner_up) if np.isfinite(runner_up) else None
    total = score(layout.tables, shown, layout.cols)
    return Arranged(shown, total, steps, finished, proved, margin, None if sure is None else sure[: layout.count])
