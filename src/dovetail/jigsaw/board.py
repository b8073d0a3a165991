"""Boards as the checker sees them, and how a board as a whole may be moved: turned, turned over, cut into pictures."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.puzzle import EMPTY

RIGHT, TOP, LEFT, BOTTOM = range(4)  # sides of a piece, counter-clockwise like turns
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Board:
    """A placement as arrays, [rows, cols]. The turn of a hole is 0."""

    pieces: Numbers
    turns: Numbers

    @property
    def count(self) -> int:
        """Pieces that lie on it."""
        return int((self.pieces != EMPTY).sum())

    def moved(self, motion: int) -> "Board":
        """The board as a whole, moved as a piece is by that turn."""
        pieces, turns = self.pieces, moved_turns(self.turns, motion)
        if motion >= 4:
            pieces, turns = pieces[:, ::-1], turns[:, ::-1]
        return Board(np.rot90(pieces, motion), np.rot90(np.where(pieces == EMPTY, 0, turns), motion))

    def trimmed(self) -> "Board":
        """Without empty rows and columns around it."""
        laid = self.pieces != EMPTY
        rows, cols = np.flatnonzero(laid.any(axis=1)), np.flatnonzero(laid.any(axis=0))
        if not len(rows):
            return Board(self.pieces[:0, :0], self.turns[:0, :0])
        part = np.s_[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
        return Board(self.pieces[part], self.turns[part])

    def pictures(self) -> list["Board"]:
        """What lies between wholly empty columns, each trimmed."""
        laid = np.zeros(self.pieces.shape[1] + 2, np.int64)
        laid[1:-1] = (self.pieces != EMPTY).any(axis=0)
        starts, ends = np.flatnonzero(np.diff(laid) == 1), np.flatnonzero(np.diff(laid) == -1)
        parts = (np.s_[:, start:end] for start, end in zip(starts, ends, strict=True))
        return [Board(self.pieces[part], self.turns[part]).trimmed() for part in parts]


def moved_turns(turns: Numbers, motion: int) -> Numbers:
    """How pieces lie once their board is moved: turned over like a page if the motion is 4 or more, then turned.

    Turned over, what was turned counter-clockwise is turned clockwise: hence the minus.
    """
    if motion >= 4:
        turns = -turns % 4 + 4 * (turns < 4)
    moved: Numbers = (turns + motion) % 4 + turns // 4 * 4
    return moved


def own_sides(turns: Numbers, direction: int) -> Numbers:
    """Which side of a piece that lies so, as its front is listed, faces that way."""
    sides = (direction - turns) % 4
    return np.where(turns < 4, sides, (2 - sides) % 4)
