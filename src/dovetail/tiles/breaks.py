"""The best board where no full solution is in reach: depth-first search that may leave some seams unmatched.

After Verhaard and Blackwood, whose searches hold the Eternity II records: scan the board; from given depths on allow
one more mismatch each (a break schedule); and use up a few colours early (quotas), so that the last rows are laid with
fewer colours, which match more often. Both are computed here, not given: the schedule is the one for which a board
should cost fewest placements by Owen's chances (estimate.py), corrected by what the search has measured; the quotas
follow a controller that keeps the tree equally wide all the way down to where they end.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.puzzle import Placement
from ..core.state import Misfit, State, random_from, restore, taken, within
from . import kernels
from .break_tables import BreakTables
from .engine import contradictory
from .estimate import profile
from .oriented import Oriented
from .plan import plan
from .polish import Polish

COLUMN_ROWS = 4  # the last rows are filled column by column: by the model a board then costs a third
RESTART = 25_000_000  # placements between two shuffles
DEPLETED = 3 / 17  # the share of the inner colours that is used up early
# Where the controller came to rest for Eternity II, as shares of the board and of the depleted sides: where it begins.
QUOTA_AT = (0.0625, 0.094, 0.125, 0.19, 0.25, 0.31, 0.375, 0.44, 0.5, 0.56, 0.625, 0.69, 0.8)
QUOTA = (0.0, 0.13, 0.23, 0.39, 0.52, 0.62, 0.71, 0.79, 0.85, 0.89, 0.92, 0.935, 0.94)
CAUTION = 0.96  # of that, to begin with
QUOTAS_END = 0.69  # of the board: from here on breaks may be allowed
GAIN, LAST_GAIN, SETTLED = 0.35, 0.1, 12  # of the controller, at first and after so many restarts
RESTARTS_A_CALL = 3
HOPELESS = 4  # restarts without a board: then breaks are allowed anywhere, and quotas dropped
RELIEF = 0.9  # quotas that leave nothing to search are lowered to this
ENOUGH = 1e6  # placements to learn from
MEMORY = 0.7  # of the statistics, from one restart to the next
SCHEDULE_ROUNDS, SCHEDULE_WORK = 4000, 10_000_000  # of annealing it, and these times depths times breaks
# placements for the first board: by the estimate, for the number of breaks to begin with; and before allowing more
FIRST_COST, FIRST_RESTART = 2e5, 200_000
# polishing of a board that is better than all before: as much as finding it has cost, within limits
A_RELAY, LEAST_RELAYS, MOST_RELAYS = 2_000_000, 2, 60  # placements, rounds
EXCHANGES = 5_000  # for each round


def scan_order(tiles: Oriented) -> list[int]:
    """Row by row, the last rows column by column; turned by a quarter if the board is wider than high."""
    wide = tiles.cols > tiles.rows
    lines, length = (tiles.cols, tiles.rows) if wide else (tiles.rows, tiles.cols)
    tail = min(COLUMN_ROWS, lines)
    cells = [(line, k) for line in range(lines - tail) for k in range(length)]
    cells += [(line, k) for k in range(length) for line in range(lines - tail, lines)]
    return [k * tiles.cols + line if wide else line * tiles.cols + k for line, k in cells]


class BreakSearch:
    """A search that can be advanced by any number of placements; keeps the best full board it has seen."""

    chunk = 2_000_000  # placements between two looks from outside, some 50 ms
    kept = (
        "placements", "restarts", "over", "board", "breaks", "misfits", "_rng", "_target", "_improved", "_boards",
    )  # fmt: skip
    kept_searching = (  # unless all is given
        "_loose", "_laid", "_broken", "_rise", "_colour_weight", "_weights_in_all", "_depth", "_stock", "_seams",
        "_cursor", "_phase", "_placed", "_breaks", "_weight", "_cap", "_quota", "_until_restart", "_unshuffled",
    )  # fmt: skip

    # the state of the kernel, anew at every restart
    _records: NDArray[np.uint64]
    _names: NDArray[np.int64]
    _stock: NDArray[np.uint16]
    _seams: NDArray[np.uint32]
    _cursor: NDArray[np.uint32]
    _phase: NDArray[np.uint8]
    _placed: NDArray[np.uint64]
    _breaks: NDArray[np.uint32]
    _weight: NDArray[np.uint32]
    _cap: NDArray[np.uint32]
    _quota: NDArray[np.uint32]
    _until_restart: int

    def __init__(
        self, tiles: Oriented, seeds: tuple[int, ...], restart: int = RESTART, depleted: float = DEPLETED
    ) -> None:
        self.tiles = tiles
        self.plan = plan(tiles, scan_order(tiles))
        self.profile = profile(tiles, self.plan)
        self.polish = Polish(tiles)
        self.placements = 0
        self.restarts = 0
        self.over = False  # nothing is left to try
        self._rng = np.random.default_rng(seeds)
        self._restart, self._depleted = restart, depleted
        self.board = self.polish.filled(self._pinned_board(), self._rng)
        self.breaks, self.misfits = self.polish.breaks(self.board), self.polish.misfits(self.board)
        self._flawed = contradictory(tiles)
        self._target = self._most
        self._improved = 0  # placements when the best board was found
        self._boards = 0  # full boards that the search has come to
        if not len(self.plan.cells):
            self.over = True
            return
        self._tables = BreakTables(tiles, self.plan)
        n = len(self.plan.cells)
        self._end = int(QUOTAS_END * n)
        self._loose = 0
        self._laid, self._broken = np.zeros(n), np.zeros(n)  # placements at each depth, and those with a break
        self._knots = np.unique(np.linspace(0, self._end, max(2, self._end // 8)).astype(int))
        self._choose_colours()
        shares = CAUTION * np.interp(self._knots / n, QUOTA_AT, QUOTA)
        self._rise = np.diff(shares * self._weights_in_all, prepend=0.0)
        self._depth = 0
        self._begin()

    def state(self) -> State:
        """Where it is, for ``take_up``."""
        return taken(self, self.kept + (self.kept_searching if len(self.plan.cells) else ()))

    def take_up(self, state: State) -> None:
        """Go on where a search of the same tiles, seeds and settings was."""
        searching = len(self.plan.cells) > 0
        names = self.kept + (self.kept_searching if searching else ())
        sizes = self._sizes(names)
        restore(self, names, state)
        if self._sizes(names) != sizes:
            raise Misfit("sizes")
        within(self.board, 0, len(self.tiles.sides) - 1, "tiles")
        if not searching:
            return
        within(self._colour_weight, 0, 1, "weights")
        self._records, self._names = self._tables.shuffled(random_from(self._unshuffled), self._colour_weight)
        within([self._depth], 0, len(self._cursor), "depth")
        within(self._cursor, 0, len(self._records) - 1, "cursor")
        within(self._phase, 0, max(kernels.EXACT, kernels.BREAK_NORTH, kernels.BREAK_WEST), "phase")
        within(self._placed >> kernels.B_CLASS, 0, len(self._stock) - 1, "pieces")
        within(self._seams, 0, self.tiles.colours - 1, "colours")

    def _sizes(self, names: Sequence[str]) -> list[tuple[int, ...]]:
        return [np.shape(value) for name in names if isinstance(value := getattr(self, name), np.ndarray)]

    @property
    def perfect(self) -> bool:
        """Whether the best board is a solution."""
        return not (self.breaks or self.misfits or self._flawed)

    @property
    def _most(self) -> int:
        """Breaks that a board may have to be better than the best."""
        return (2 * self.tiles.cells if self.misfits else self.breaks) - 1

    @property
    def cost(self) -> tuple[int, int]:
        """What makes one board worse than another: first tiles that break the frame, then seams that do not match."""
        return self.misfits, self.breaks

    def _pinned_board(self) -> NDArray[np.int64]:
        """Nothing but the hints, -1: hole."""
        board = np.full(self.tiles.cells, -1, dtype=np.int64)
        for cell, tile in self.tiles.pinned.items():
            board[cell] = tile
        return board

    def placement(self) -> Placement:
        """The best board so far."""
        return self.tiles.place(self.board)

    def aim(self, breaks: int) -> None:
        """Look only for boards with at most so many breaks; somebody has a better one than ours."""
        if breaks < self._target and not self.over:
            self._target = breaks
            np.minimum(self._cap, max(breaks, 0), out=self._cap)
            self.over = breaks < 0

    def advance(self, placements: int) -> int:
        """Make up to so many more placements; fewer after some restarts, so that no call takes long."""
        left, last = placements, self.restarts + RESTARTS_A_CALL
        if not self.placements and not self.over:
            self.improve(self.board)  # what was only filled up
        while left > 0 and not self.over and self.restarts <= last:
            if self._until_restart <= 0:
                self._restart_search()
            ended, depth, made = kernels.search_breaks(
                self._tables.exact, self._tables.by_north, self._tables.by_west, self._tables.pattern,
                self._tables.breakable, np.uint32(self.tiles.colours), self._records, self._tables.slots, self._stock,
                self._seams, self._cursor, self._phase, self._placed, self._breaks, self._weight, self._cap,
                self._quota, self._depth, min(left, self._until_restart), self._laid, self._broken,
            )  # fmt: skip
            self._depth = int(depth)
            left -= made
            self.placements += made
            self._until_restart -= made
            if ended == kernels.FULL:
                self._found()
                self._step_back()
            elif ended == kernels.EXHAUSTED:
                self._loosen()
        return placements - left

    def _found(self) -> None:
        self._boards += 1
        if int(self._breaks[-1]) > self._target:
            return
        board = self.board.copy()
        board[self.plan.cells] = self._names[self._cursor - 1]
        self.improve(board)

    def improve(self, board: NDArray[np.int64]) -> None:
        """Polish a board, and keep it if it is the best."""
        spent, self._improved = self.placements - self._improved, self.placements
        rounds = min(max(spent // A_RELAY, LEAST_RELAYS), MOST_RELAYS)
        for _ in range(2):
            board = self.polish.relay(board, rounds, self._rng)
            board = self.polish.exchange(board, rounds * EXCHANGES, self._rng)
        misfits, breaks = self.polish.misfits(board), self.polish.breaks(board)
        if (misfits, breaks) < self.cost:
            self.board, self.breaks, self.misfits = board, breaks, misfits
            if not misfits:
                self.aim(breaks - 1)

    def _step_back(self) -> None:
        self._depth -= 1
        self._stock[int(self._placed[self._depth] >> kernels.B_CLASS)] += np.uint16(1)

    def _loosen(self) -> None:
        """The tree is exhausted: allow more breaks, lower the quotas, in the end allow breaks anywhere; then stop."""
        self._until_restart = 0
        if self._target == self._most and not self._rise.any():
            self._loose += 1
            self.over = self._loose > 2
        self._target = min(self._most, 2 * self._target + 1)
        self._rise *= RELIEF if self._rise.sum() > 1.0 else 0.0

    def _restart_search(self) -> None:
        """Before starting again: a search that has found no board yet was too hopeful, so it is helped along.

        What it has laid is filled up and polished, more breaks are allowed, and in the end breaks anywhere.
        """
        self.restarts += 1
        if not self._boards:
            board = self._pinned_board()
            depth = self._depth
            board[self.plan.cells[:depth]] = self._names[self._cursor[:depth] - 1]
            self.improve(self.polish.filled(board, self._rng))
            self._target = min(self._most, 2 * self._target + 1)
            if self.restarts == HOPELESS:
                self._loose, self._rise[:] = max(self._loose, 1), 0.0
        self._begin()

    def _begin(self) -> None:
        """Shuffle, learn from the statistics, start again from the empty board."""
        self._until_restart = self._restart
        n = len(self.plan.cells)
        if not self._boards:
            self._until_restart = min(self._restart, FIRST_RESTART << min(self.restarts, 20))
        if self._laid.sum() > ENOUGH and not self._loose:
            self._steer()
        self._quota = np.zeros(n, dtype=np.uint32)
        if not self._loose:
            line = np.interp(np.arange(n), self._knots, np.cumsum(self._rise))
            self._quota[:] = np.minimum(line, self._weights_in_all)
        self._cap = self._schedule()
        for statistics in (self._laid, self._broken):
            statistics *= MEMORY
        self._unshuffled = self._rng.bit_generator.state
        self._records, self._names = self._tables.shuffled(self._rng, self._colour_weight)
        self._stock = self.tiles.free_stock.astype(np.uint16)
        self._seams = np.zeros(self.plan.slots, dtype=np.uint32)
        self._cursor, self._breaks, self._weight = (np.zeros(size, dtype=np.uint32) for size in (n, n + 1, n))
        self._phase, self._placed = np.zeros(n, dtype=np.uint8), np.zeros(n, dtype=np.uint64)
        self._cursor[0] = self._tables.exact[self._tables.pattern[0] * np.uint32(self.tiles.colours**2)]
        self._depth = 0

    def _choose_colours(self) -> None:
        """Which colours to use up early: some of those that inner seams have, at random."""
        counts = np.bincount(self.tiles.sides.ravel(), minlength=self.tiles.colours).astype(float)
        inner = np.flatnonzero(self._tables.inner & (counts > 0))
        number = max(1, round(len(inner) * self._depleted)) if len(inner) > 4 and self._depleted else 0
        self._colour_weight = np.zeros(self.tiles.colours, dtype=np.int64)
        self._colour_weight[self._rng.permutation(inner)[:number]] = 1
        per_class = self._colour_weight[self.tiles.sides[self.polish.class_start]].sum(axis=1)
        self._weights_in_all = float((per_class * self.tiles.free_stock).sum())

    def _steer(self) -> None:
        """Raise the quota where the tree has grown wider from one knot to the next, lower it where it narrowed.

        Where the tree has died out, lower it all the way up to there.
        """
        alive = np.flatnonzero(self._laid[self._knots] > 0)
        last = int(alive[-1]) if len(alive) else 0
        if last < len(self._knots) - 1:
            self._rise[: last + 2] *= RELIEF
            return
        half = max(1, int(np.diff(self._knots).min()) // 2)
        width = np.array([self._laid[max(0, k - half) : k + half + 1].mean() + 50.0 for k in self._knots])
        gain = GAIN if self.restarts < SETTLED else LAST_GAIN
        # the first line is left alone: its few partial boards soon run out
        change = gain * np.clip(np.log(width[1:] / width[:-1]), -1.5, 1.5)
        self._rise[1:] += np.where(self._knots[:-1] >= QUOTA_AT[0] * len(self._laid), change, 0.0)
        np.maximum(self._rise, 0.0, out=self._rise)

    def _schedule(self) -> NDArray[np.uint32]:
        """[n] breaks allowed by each depth, so that boards with at most ``target`` breaks cost least."""
        n = len(self.plan.cells)
        if self._loose > 1 or self._target <= 0:
            return np.full(n, max(self._target, 0), dtype=np.uint32)
        start = 0 if self._loose else self._end
        fitting, breaking, supply = self._expected(start)
        if self.restarts == 0:
            self._target = min(self._target, self._cheap(n - start, fitting, breaking, supply))
        ends = np.linspace(0, n - start - 1, self._target + 2)[1:-1].astype(np.int64)
        self._anneal(ends, fitting, breaking, supply, SCHEDULE_ROUNDS)
        cap = np.zeros(n, dtype=np.uint32)
        for end in ends:
            cap[start + end :] += 1
        return cap

    def _cheap(self, depths: int, fitting: NDArray[np.float64], breaking: NDArray[np.float64], supply: float) -> int:
        """How many breaks make the first board cheap: to begin with, so many are allowed."""
        breaks = 1
        while breaks < depths:
            ends = np.linspace(0, depths - 1, breaks + 2)[1:-1].astype(np.int64)
            if self._anneal(ends, fitting, breaking, supply, 200) < np.log(FIRST_COST):
                break
            breaks += 1 + breaks // 4
        return breaks

    def _anneal(
        self,
        ends: NDArray[np.int64],
        fitting: NDArray[np.float64],
        breaking: NDArray[np.float64],
        supply: float,
        rounds: int,
    ) -> float:
        rounds = max(1, min(rounds, SCHEDULE_WORK // (len(fitting) * (len(ends) + 1))))
        return float(kernels.anneal_schedule(ends, fitting, breaking, supply, rounds, self._rng))

    def _expected(self, start: int) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """From ``start`` on: candidates at each depth without and with a break, and what a board there costs."""
        chances = self.profile
        factor, supply = self._measured(start)
        inner_north, inner_west = self._tables.inner_sides
        north = np.minimum(1.0, chances.north * np.where(inner_north, factor, 1.0))[start:]
        west = np.minimum(1.0, chances.west * np.where(inner_west, factor, 1.0))[start:]
        fitting = (chances.fitting / (chances.north * chances.west))[start:] * north * west
        breaking = fitting * ((1.0 - north) / north + (1.0 - west) / west)
        return np.maximum(fitting, 1e-9), np.maximum(breaking, 1e-9), supply

    def _measured(self, start: int) -> tuple[float, float]:
        """How much likelier than by chance inner seams match by now, and the placements a board at ``start`` cost."""
        reached = np.concatenate([[1], self._laid[:-1]])
        if self._laid[start] < 1000:
            return 1.0 / 0.93, 100.0  # as for Eternity II
        deep = np.arange(len(reached)) >= start
        seen = deep & (reached > 2000) & (self._laid > self._broken)
        sides = np.sum(self._tables.inner_sides, axis=0)
        exact = (self._laid - self._broken)[seen] / reached[seen]
        factor = np.exp(np.log(exact / self.profile.fitting[seen])[sides[seen] > 0].sum() / max(1.0, sides[seen].sum()))
        supply = self._laid[: start + 1].sum() / self._laid[start]
        return float(np.clip(factor, 0.8, 1.5)), float(supply)
