"""Boards as networks see them, and leaves judged by networks that look at pictures: the paper's own P and V (3.3).

A board in the making is one picture: patches where they lie, zeros in empty cells and in the gaps. Colours are
numbers from -1 to 1. Everything is drawn into arrays that are there beforehand, as many boards as fit at a time.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import BadInput
from ...core.puzzle import EMPTY
from ...search.puct import Leaves
from .game import Game

Images = NDArray[np.float32]
Policy = Callable[[Images, Images], NDArray[Any]]  # boards and next patches → [batch, cells], from 0 on
Value = Callable[[Images], NDArray[Any]]  # boards → [batch], from 0 to 1


class Canvas:
    """Room for ``batch`` boards of puzzles with such patches, [puzzles, n, side, side, 3], ``gap`` pixels apart."""

    def __init__(self, patches: NDArray[np.uint8], rows: int, cols: int, gap: int, batch: int) -> None:
        if patches.ndim != 5 or patches.shape[2] != patches.shape[3] or patches.shape[4] != 3:
            raise BadInput(f"patches are [puzzles, n, side, side, 3], not {list(patches.shape)}")
        if patches.dtype != np.uint8 or gap < 0:
            raise BadInput("patches hold bytes, and the gap between them is 0 pixels or more")
        puzzles, count, side = patches.shape[:3]
        self.batch, self.side = batch, side
        self._patches = np.zeros((puzzles, count + 1, 3, side, side), np.float32)  # the last one is empty
        self._patches[:, :count] = np.moveaxis(patches, 4, 2) / np.float32(127.5) - np.float32(1)
        stride = side + gap
        self.boards = np.zeros((batch, 3, rows * stride - gap, cols * stride - gap), np.float32)
        self.next = np.zeros((batch, 3, side, side), np.float32)
        one, layer, down, right = self.boards.strides
        self._cells = np.lib.stride_tricks.as_strided(
            self.boards, (batch, rows, cols, 3, side, side), (one, stride * down, stride * right, layer, down, right)
        )

    def draw(self, puzzles: NDArray[Any], laid: NDArray[Any]) -> Images:
        """Boards [number, cells] of these puzzles. [number, 3, height, width], until the next call"""
        number = len(laid)
        rows, cols = self._cells.shape[1:3]
        self._cells[:number] = self._patches[puzzles[:, None, None], laid.reshape(number, rows, cols)]  # EMPTY: last
        return self.boards[:number]

    def draw_next(self, puzzles: NDArray[Any], patches: NDArray[Any]) -> Images:
        """One patch of each of these puzzles. [number, 3, side, side], until the next call"""
        number = len(patches)
        self.next[:number] = self._patches[puzzles, patches]
        return self.next[:number]


class ImageJudge:
    """P and V for leaves of a game, as far as it asks for them. ``asked`` counts the boards that V has seen."""

    def __init__(self, canvas: Canvas, policy: Policy, value: Value) -> None:
        self.canvas, self.policy, self.value = canvas, policy, value
        self.asked = 0

    def __call__(self, game: Game, found: Leaves) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """In parts, if they are more than the canvas holds."""
        priors, values = np.ones((len(found.tree), game.cells)), np.ones(len(found.tree))
        for begin in range(0, len(values), self.canvas.batch):
            part = slice(begin, begin + self.canvas.batch)
            self._judge(game, Leaves._make(column[part] for column in found), priors[part], values[part])
        return priors, values

    def _judge(self, game: Game, found: Leaves, priors: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        judging = game.judging
        puzzles, laid = game.puzzle[found.tree], game.boards(found.tree, found.path, found.played)
        over = found.number == 0
        for_value = np.where(over, judging.at_end and not judging.truth, judging.during)
        for_policy = ~over & judging.policy
        drawn = self.canvas.draw(puzzles, laid) if (for_value | for_policy).any() else self.canvas.boards[:0]
        if for_policy.any():
            step = np.minimum(found.played, game.steps - 1)
            patches = self.canvas.draw_next(puzzles, np.where(over, EMPTY, game.order[found.tree, step]))
            all_of_them = for_policy.all()
            priors[for_policy] = self.policy(
                drawn if all_of_them else drawn[for_policy], patches if all_of_them else patches[for_policy]
            )
        if for_value.any():
            values[for_value] = self.value(drawn if for_value.all() else drawn[for_value])
            self.asked += int(for_value.sum())
        if judging.truth:
            values[over] = (laid[over] == game.solution[found.tree[over]]).all(axis=1)
        for leaf in np.flatnonzero(over):
            play = found.tree[leaf]
            if values[leaf] > game.best[play]:
                game.best[play], game.best_board[play] = values[leaf], laid[leaf]
