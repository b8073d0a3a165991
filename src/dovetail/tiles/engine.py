"""One restarting depth-first search over oriented tiles: the state around the kernels."""

import copy

import numpy as np
from numpy.typing import NDArray

from ..core.errors import Refused
from ..core.puzzle import Placement
from ..core.state import Misfit, State, random_from, restore, taken, within
from . import kernels
from .oriented import ANY, Oriented
from .plan import Candidates, Plan

RESTARTS_A_CALL = 20
MOST_PARTS = 2000
MOST_COLOURS = 8191  # that a record has room for


class TileSearch:
    """A search that can be advanced by any number of placements; how it is sliced never changes its path.

    Restarts follow Luby's sequence times ``restart`` placements (0: never), each with newly shuffled candidates. The
    sequence grows without bound, so a search that can be exhausted is, in the end, exhausted.
    """

    chunk = 50_000  # placements of about a millisecond
    kept = (
        "full", "exhausted", "placements", "best", "restarts", "tally", "_depth", "_floor", "_top", "_best", "_best_at",
        "_fullest", "_cursor", "_placed", "_seams", "_stock", "_until_restart", "_unshuffled",
    )  # fmt: skip

    def __init__(
        self, tiles: Oriented, plan: Plan, candidates: Candidates, restart: int, seeds: tuple[int, ...]
    ) -> None:
        if tiles.colours > MOST_COLOURS:
            raise Refused(f"there are {tiles.colours} colours; depth-first knows {MOST_COLOURS} at most")
        self.tiles, self.plan = tiles, plan
        self.full = self.exhausted = False
        self.placements = 0
        self.best = len(tiles.pinned)  # most tiles laid so far
        self.restarts = -1
        self.tally = np.zeros(3, dtype=np.int64)
        self._candidates, self._restart = candidates, restart
        self._rng = np.random.default_rng(seeds)
        cells = len(plan.cells)
        self._depth = self._floor = 0
        self._top = cells
        self._best = np.zeros(1, dtype=np.uint32)
        self._best_at = np.zeros(cells, dtype=np.uint32)
        self._fullest: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._cursor = np.zeros(cells, dtype=np.uint32)
        self._placed = np.zeros(cells, dtype=np.uint64)
        self._seams = np.zeros(plan.slots, dtype=np.uint32)
        self._orbit = orbit(tiles, plan)
        self._slots = plan.scan_slots() if candidates.direct else plan.any_slots()
        self._begin()
        self.exhausted = contradictory(tiles)
        self.full = cells == 0 and not self.exhausted

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to do: the board is full, or nothing is left to try."""
        return self.full or self.exhausted

    def best_board(self) -> NDArray[np.int64]:
        """Oriented tiles of the fullest board so far, -1: hole. Safe to ask while another thread runs."""
        laid = self._fullest
        board = np.full(self.tiles.cells, -1, dtype=np.int64)
        for cell, tile in self.tiles.pinned.items():
            board[cell] = tile
        board[self.plan.cells[: len(laid)]] = laid
        return board

    def placement(self) -> Placement:
        """The same as a solution of the puzzle."""
        return self.tiles.place(self.best_board())

    def advance(self, placements: int, counting: bool = False) -> int:
        """Make up to ``placements`` more; fewer when the board fills up or nothing is left to try.

        Fewer also after some restarts, so that no call takes long, however small ``restart`` is.
        """
        if counting and self.full:  # nothing but hints
            self.tally[0] += 1
            self.full, self.exhausted = False, True
        left, last = placements, self.restarts + RESTARTS_A_CALL
        while left > 0 and not self.ended and self.restarts <= last:
            if self._until_restart == 0:
                self._keep_fullest()
                self._begin()
            limit = left if self._until_restart is None else min(left, self._until_restart)
            ended, depth, made = self._kernel(limit, counting)
            self._depth = int(depth)
            left -= made
            if self._until_restart is not None:
                self._until_restart -= made
            self.full = ended == kernels.FULL
            self.exhausted = ended == kernels.EXHAUSTED
        self.placements += placements - left
        self._keep_fullest()
        return placements - left

    def state(self) -> State:
        """Where it is, for ``take_up``."""
        return taken(self, self.kept)

    def take_up(self, state: State) -> None:
        """Go on where a search of the same tiles, order and seeds was."""
        sizes = self._sizes
        restore(self, self.kept, state)
        self._shuffle()
        if self._sizes != sizes or (self._until_restart is not None and self._until_restart < 0):
            raise Misfit("sizes")
        within([self._depth, self._floor, self._top, len(self._fullest), *self._best], 0, len(self._cursor), "depth")
        within(self._cursor, 0, len(self._records) - 1, "cursor")
        within(self._best_at, 0, len(self._names) - 1, "board")
        within(self._placed >> kernels.CLASS, 0, len(self._stock) - 1, "pieces")
        within(self._fullest, 0, len(self.tiles.sides) - 1, "tiles")
        within(self._seams, 0, self.tiles.colours - 1, "colours")

    def twin(self) -> "TileSearch":
        """A search of the same tree that can go another way."""
        return self._copy(self._floor, self._top)

    @property
    def _sizes(self) -> list[int]:
        arrays = (self.tally, self._best, self._best_at, self._cursor, self._placed, self._seams, self._stock)
        return [len(array) for array in arrays]

    def go_on(self) -> None:
        """After a full board: look for the next one."""
        assert self.full
        self.full = False
        if not len(self._cursor):
            self.exhausted = True
            return
        self._best[0] -= 1
        self._depth -= 1
        self._stock[int(self._placed[self._depth] >> kernels.CLASS)] += np.uint16(1)

    def split(self, number: int) -> list["TileSearch"]:
        """This search, not begun yet, as at least so many searches of disjoint subtrees, if its tree is wide enough.

        Their placements, together, are those of the whole. The first one carries the placements made in splitting.
        """
        assert not self._restart, "a search with restarts has no one tree"
        parts = [self]
        for top in range(1, 0 if self.exhausted else len(self.plan.cells)):
            finer = self._at_depth(top)
            if finer is None:
                break
            parts = finer
            if len(parts) >= number or parts[0].exhausted:
                break
        return parts

    def give_away(self) -> "TileSearch | None":
        """Cut off, as a search of its own, what is left to try at the least depth where anything is; None: nowhere.

        Both together do what this one would have done, placement by placement.
        """
        assert not self._restart, "a search with restarts has no one tree"
        rest = self._copy(self._floor, self._top)
        for depth in range(self._depth - 1, self._floor - 1, -1):  # back to its first tile
            rest._stock[int(rest._placed[depth] >> kernels.CLASS)] += np.uint16(1)
        for depth in range(self._floor, 0 if self.ended else self._depth):
            if rest._left_at(depth):
                rest._depth = rest._floor = depth
                rest.placements, rest.tally = 0, np.zeros_like(self.tally)
                self._floor = depth + 1
                return rest
            rest._stock[int(rest._placed[depth] >> kernels.CLASS)] -= np.uint16(1)
        return None

    def _left_at(self, depth: int) -> bool:
        """Whether any candidate there has not had its turn."""
        at = int(self._cursor[depth])
        while (record := self._records[at]) != kernels.END:
            if self._stock[int(record >> kernels.CLASS)]:
                return True
            at += 1
        return False

    def _at_depth(self, top: int) -> list["TileSearch"] | None:
        """One search for every partial board of so many tiles; None if there are too many to hold a copy of each."""
        whole, parts = self._copy(0, top), list[TileSearch]()
        while True:
            ended, depth, made = whole._kernel(2**62, False)
            whole.placements += made
            if ended == kernels.EXHAUSTED:
                break
            whole._depth = int(depth)
            if len(parts) == MOST_PARTS:
                return None
            part = whole._copy(top, len(self.plan.cells))
            part.placements = 0
            part._cursor[top] = part._first_candidate()
            parts.append(part)
            whole._depth -= 1
            whole._stock[int(whole._placed[whole._depth] >> kernels.CLASS)] += np.uint16(1)
        whole.exhausted = True
        if not parts:
            return [whole]
        parts[0].placements = whole.placements
        return parts

    def _first_candidate(self) -> int:
        """Where the list for the cell at the present depth begins: what the kernels do, for a search cut out."""
        index, node, depth = self._candidates.index, int(self._candidates.root[self._depth]), self._depth
        if self._candidates.direct:
            north, west = (int(self._seams[slot]) for slot in self._slots[4 * depth : 4 * depth + 2])
            return int(index[node + north * self.tiles.colours + west])
        for slot in self._slots[8 * depth : 8 * depth + self._candidates.known[depth]]:
            node = int(index[node + self._seams[slot]])
        return node

    def _copy(self, floor: int, top: int) -> "TileSearch":
        """The same state, searched between these depths only."""
        twin = copy.copy(self)
        for name in ("_cursor", "_placed", "_seams", "_stock", "tally", "_best", "_best_at"):
            setattr(twin, name, getattr(self, name).copy())
        twin._floor, twin._top = floor, top
        return twin

    def _kernel(self, limit: int, counting: bool) -> tuple[int, int, int]:
        """One call of the loop that this order needs."""
        state = (
            self._records, self._slots, self._stock, self._seams, self._cursor, self._placed, self._floor, self._top,
            self._depth, limit, self._best, self._best_at, counting, self.tally, self._names, self._orbit,
        )  # fmt: skip
        made: tuple[int, int, int]
        if self._candidates.direct:
            first, colours = self._candidates.index, np.uint32(self.tiles.colours)
            made = kernels.search_scan(first, self._candidates.root, colours, *state)
        else:
            made = kernels.search_any(self._candidates.index, self._candidates.root, self._candidates.known, *state)
        return made

    def _keep_fullest(self) -> None:
        """Note which tiles the fullest board has, as long as their records keep their places."""
        if self._best[0] + len(self.tiles.pinned) > self.best or self.full:
            self._fullest = self._names[self._best_at[: self._best[0]]]
            self.best = len(self._fullest) + len(self.tiles.pinned)

    def _begin(self) -> None:
        """Start again from the empty board with a new shuffle."""
        self.restarts += 1
        self._until_restart = luby(self.restarts + 1) * self._restart if self._restart else None
        self._unshuffled = self._rng.bit_generator.state
        self._shuffle()
        self._best[0] = self.best - len(self.tiles.pinned)
        self._stock = self.tiles.free_stock.astype(np.uint16)
        self._depth = 0
        if len(self._cursor):
            self._cursor[0] = self._first_candidate()

    def _shuffle(self) -> None:
        """Anew, or as it was: random numbers begin where they began then."""
        self._rng = random_from(self._unshuffled)
        self._records, self._names = self._candidates.shuffled(self._rng)


def contradictory(tiles: Oriented) -> bool:
    """Whether hints contradict the frame or each other; no search would look at those sides again."""
    for cell, tile in tiles.pinned.items():
        for side in range(4):
            beyond, shown = tiles.neighbour(cell, side), tiles.sides[tile, side]
            if beyond is None:
                wrong = tiles.demands[cell, side] not in (ANY, shown)
            else:
                lying = tiles.pinned.get(beyond)
                wrong = not tiles.inside[tile, side]
                wrong |= lying is not None and tiles.sides[lying, (side + 2) % 4] != shown
            if wrong:
                return True
    return False


def orbit(tiles: Oriented, plan: Plan) -> NDArray[np.int64]:
    """What ``kernels.add_fixed`` needs: nothing at all if no two tiles are alike, for then every turn shows."""
    repeated = tiles.symmetry > 1 and (tiles.cells == 1 or bool((tiles.stock > 1).any()))
    if not repeated:
        return np.zeros((0, 0), dtype=np.int64)
    depth_of = np.zeros(tiles.cells, dtype=np.int64)
    depth_of[plan.cells] = np.arange(len(plan.cells))
    board = np.arange(tiles.cells).reshape(tiles.rows, tiles.cols)
    lines = []
    for turns in (2, 1) if tiles.symmetry == 4 else (2,):
        # after the turn, what lay at rot90(board)[cell] lies at cell
        came_from = np.rot90(board, turns).ravel()
        went_to = np.empty_like(came_from)
        went_to[came_from] = np.arange(tiles.cells)
        look = np.arange(len(tiles.turn))
        for _ in range(turns):
            look = tiles.turn[look]
        lines.append(np.concatenate([depth_of[went_to[plan.cells]], look]))
    return np.array(lines)


def luby(i: int) -> int:
    """The i-th term, from 1, of 1 1 2 1 1 2 4 … (Luby, Sinclair, Zuckerman 1993): within a log of optimal restarts."""
    while True:
        k = i.bit_length()
        if i == (1 << k) - 1:
            return 1 << (k - 1)
        i -= (1 << (k - 1)) - 1
