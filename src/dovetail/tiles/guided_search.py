"""Best-first search over partial boards, guided by P.

P is not a vertex of the linear program, which gives 0 to most candidates, right ones among them. Message passing leads
towards a stationary point of the Bethe entropy on the same polytope, in less time than a program takes. It counts as
the chance of each candidate, and a partial board costs −log of the chance of all choices that led to it, less
``haste`` for every tile laid: without haste, boards with few tiles always come first, and where solutions are many that
is waste. The cheapest board goes on, in the cell that P is surest of. Before that, a short depth-first search settles
boards that are small enough; so nothing is left out, and a search that ends proves that there is none.
"""

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .engine import contradictory
from .guided_kernels import finish, marginals, narrow
from .kernels import FULL, PAUSED
from .oriented import Oriented

DAMPING = 0.3  # share of the old message in the new one
SETTLED = 1e-2  # change of P below which messages have converged
NOISE = 0.1  # of the first messages, in logarithms: what the seed is for
MOST_WORK = 4_000_000  # candidates that the messages of one board may go through, in a twentieth of a second or so
MOST_OPEN = 100_000  # branches kept; beyond, the dearer half is forgotten


@dataclass(frozen=True)
class Branch:
    """A partial board and the candidates of the cell to fill next, likeliest first."""

    board: NDArray[np.int16]  # [cells] oriented tiles, -1: open
    cell: int
    options: NDArray[np.int64]
    costs: NDArray[np.float64]  # [options] of the boards that they lead to, haste apart
    bonus: float  # haste for the tiles laid


class GuidedSearch:
    """A search that goes on board by board: ``step`` until it is ``full`` or ``ended``."""

    def __init__(
        self, tiles: Oriented, fits: NDArray[np.bool_], sweeps: int, doubt: float, haste: float, leaf: int, seed: int
    ) -> None:
        """``fits`` [cells, m]: the oriented tiles that each cell can hold."""
        self.tiles = tiles
        self.boards = self.placements = self.sweeps = self.settled = 0
        self.full = self.forgot = False
        self.best = np.full(tiles.cells, -1)  # the fullest board so far
        for cell, tile in tiles.pinned.items():
            self.best[cell] = tile
        self._most_sweeps, self._doubt, self._haste, self._leaf = sweeps, doubt, haste, leaf
        self._rng = np.random.default_rng(seed)
        self._first = np.concatenate([[0], np.cumsum(fits.sum(axis=1))])
        self._fitting = np.nonzero(fits)[1]
        beyond = [tiles.neighbour(cell, side) for cell in range(tiles.cells) for side in range(4)]
        self._beyond = np.array([-1 if other is None else other for other in beyond])
        values, classes = np.arange(tiles.colours), np.arange(len(tiles.stock))
        showing = tiles.sides.T[:, None] == values[:, None]  # [4, colours, m]
        self._holding, self._showing = bits(fits), bits(showing.reshape(-1, len(tiles.sides)))
        self._members = bits(tiles.class_of == classes[:, None])
        self._open: list[tuple[float, int, int, Branch]] = []  # rank, number of the branch, its next option
        self._begun = contradictory(tiles)

    @property
    def ended(self) -> bool:
        """Whether nothing is left to try; unless something was forgotten, a proof that there is no solution."""
        return self._begun and not self._open and not self.full

    def step(self) -> None:
        """Look at the cheapest board."""
        assert not self.full
        assert not self.ended
        if not self._begun:
            self._begun = True
            self._visit(np.full(self.tiles.cells, -1), 0.0)
            return
        _, number, option, branch = heapq.heappop(self._open)
        if option + 1 < len(branch.options):
            self._push(number, option + 1, branch)
        board = branch.board.astype(np.int64)
        board[branch.cell] = branch.options[option]
        self._visit(board, float(branch.costs[option]))

    def _visit(self, board: NDArray[np.int64], cost: float) -> None:
        """Settle this board, or branch."""
        self.boards += 1
        tiles = self.tiles
        rules = (self._beyond, tiles.sides, tiles.class_of)
        left = tiles.stock - np.bincount(tiles.class_of[board[board >= 0]], minlength=len(tiles.stock))
        start, tile = np.zeros(tiles.cells + 1, dtype=np.int64), np.empty(len(self._fitting), dtype=np.int64)
        if not narrow(board, left, *rules, self._first, self._fitting, start, tile):
            self.settled += 1
            return
        sets = (self._holding, self._showing, self._members)
        why, made = finish(board.copy(), left.copy(), *rules, *sets, self._leaf, self.best)
        self.placements += made
        if why != PAUSED:
            self.settled += 1
            self.full = why == FULL
            return
        tile = tile[: start[-1]]
        seen = np.exp(NOISE * self._rng.standard_normal((4 * tiles.cells, tiles.colours)))
        share, weight = np.zeros(len(tile)), np.ones(len(tile))
        most = max(1, min(self._most_sweeps, MOST_WORK // len(tile)))
        self.sweeps += marginals(
            *rules, left.astype(np.float64), start, tile, seen, weight, share, most, DAMPING, SETTLED
        )
        cell, chance = surest(start, share, self._doubt)
        order = np.argsort(-chance, kind="stable")
        options = tile[start[cell] : start[cell + 1]][order]
        bonus = self._haste * int((board >= 0).sum())
        self._push(self.boards, 0, Branch(board.astype(np.int16), cell, options, cost - np.log(chance[order]), bonus))

    def _push(self, number: int, option: int, branch: Branch) -> None:
        heapq.heappush(self._open, (float(branch.costs[option]) - branch.bonus, number, option, branch))
        if len(self._open) > MOST_OPEN:
            self._open = heapq.nsmallest(MOST_OPEN // 2, self._open)
            self.forgot = True


def surest(start: NDArray[np.int64], share: NDArray[np.float64], doubt: float) -> tuple[int, NDArray[np.float64]]:
    """The open cell whose tile P is surest of (least entropy), and the chance of each of its candidates.

    P is mixed with equal chances, ``doubt`` of them: it can be certain and wrong, where messages go round in circles.
    """
    counts = np.diff(start)
    cell_of = np.repeat(np.arange(len(counts)), counts)
    whole = np.bincount(cell_of, share, len(counts))[cell_of]
    chance = (1 - doubt) * share / whole + doubt / counts[cell_of]
    entropy = np.bincount(cell_of, -chance * np.log(chance), len(counts))
    entropy[counts == 0] = np.inf
    cell = int(np.argmin(entropy))
    return cell, chance[start[cell] : start[cell + 1]]


def bits(members: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """[sets, words] sets as bits, from [sets, m]."""
    padded = np.zeros((len(members), -(-members.shape[1] // 64) * 64), dtype=np.bool_)
    padded[:, : members.shape[1]] = members
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
