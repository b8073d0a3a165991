"""Boards of one puzzle that are annealed side by side, each with random numbers of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.state import Misfit, State, fields, within
from .annealing import Blocks, anneal, in_doubt
from .growing import Table
from .poses import UNIT, VOID, WALL, Fits, total

Saved: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32]]  # a board, and where its pieces are


@dataclass(frozen=True)
class Chain:
    """One board, and its own course of random numbers."""

    table: Table
    blocks: Blocks
    state: NDArray[np.uint64]


class Boards:
    """See the module text."""

    def __init__(self, fits: Fits, chains: list[Chain], turns: Sequence[int]) -> None:
        self.fits, self.chains, self.turns = fits, chains, np.array(turns)

    @property
    def doubtful(self) -> int:
        """Pieces of the first board with a seam in doubt."""
        first = self.chains[0]
        return int(in_doubt(self.fits, first.table, first.blocks.doubtful))

    def total(self, chain: int = 0) -> int:
        """What all seams of a board weigh, and how its pieces lie."""
        table = self.chains[chain].table
        return int(total(self.fits, table.board, table.lines, table.where, table.step))

    def anneal(self, chain: int, moves: int, hot: float, cold: float) -> int:
        """So many moves on one chain; the change of its total."""
        one = self.chains[chain]
        return int(anneal(self.fits, one.table, one.blocks, moves, hot * UNIT, cold * UNIT, one.state))

    def save(self, chain: int = 0) -> Saved:
        """A board to come back to."""
        table = self.chains[chain].table
        return table.board.copy(), table.where.copy()

    def load(self, saved: Saved) -> None:
        """Let all chains go on from a board."""
        for chain in self.chains:
            chain.table.board[:], chain.table.where[:] = saved

    def state(self) -> State:
        """The boards of all chains, and their random numbers."""
        boards = np.stack([chain.table.board for chain in self.chains])
        return {"boards": boards, "random": np.concatenate([chain.state for chain in self.chains])}

    def take_up(self, state: Any) -> None:
        """Go on from such boards."""
        boards, random = fields(state, ("boards", "random")).values()
        numbers = self.chains[0].state
        if not isinstance(random, np.ndarray) or random.dtype != numbers.dtype or random.shape != (len(self.chains),):
            raise Misfit("random")
        if not isinstance(boards, np.ndarray) or len(boards) != len(self.chains):
            raise Misfit("boards")
        for chain, board, number in zip(self.chains, [self.saved(board) for board in boards], random, strict=True):
            chain.table.board[:], chain.table.where[:] = board
            chain.state[0] = number

    def saved(self, board: Any) -> Saved:
        """A board that was written down, if it has our walls, our pieces, and in its place what is told."""
        chain, span = self.chains[0], self.fits.span
        there = chain.table.board
        if not isinstance(board, np.ndarray) or board.dtype != there.dtype or board.shape != there.shape:
            raise Misfit("board")
        within(board, WALL, len(chain.table.where) * span - 1, "board")
        laid = np.flatnonzero(board >= 0)
        pieces = board[laid] // span
        moved = ((board == WALL) != (there == WALL)) | ((board != there) & chain.blocks.fixed)
        if moved.any() or len(np.unique(pieces)) != len(pieces) or not np.isin(board[laid] % span, self.turns).all():
            raise Misfit("board")
        where = np.full_like(chain.table.where, VOID)
        where[pieces] = laid
        return board, where
