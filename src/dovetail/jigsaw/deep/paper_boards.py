"""Boards to learn P and V from (Paumard et al. 2020, 3.3.1 and 3.3.2), made where the networks run.

P learns on boards without mistakes, of any number of patches: where does a further patch belong? V learns on the same
boards and on as many that hold a mistake. What mistakes the paper's boards had it does not say; ours have all sorts.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...core.puzzle import EMPTY
from .data import Puzzles, Shape, whole
from .paper import coloured


class Mix(NamedTuple):
    """How often each sort of board with mistakes comes; all of them in parts as well, with a mistake in it."""

    chance: float = 0.0  # all patches anywhere
    several: float = 0.0  # any number of patches, from two on, have changed places in a ring
    swapped: float = 0.0  # two have changed places
    shifted: float = 0.0  # rows or columns in turn: patches fit each other, but not the board


LEARNT = Mix(0.3, 0.3, 0.25, 0.15)
JUDGED = {"by chance": Mix(chance=1), "any number": Mix(several=1), "one swap": Mix(swapped=1), "shift": Mix(shifted=1)}


class Sample(NamedTuple):
    """Boards to learn from; of the first of them it is asked where further patches belong."""

    puzzles: Tensor  # [b]
    laid: Tensor  # [b, cells]: the patch of each cell, or EMPTY
    aims: Tensor  # [b]: what V should say
    asked: Tensor  # [a, m]: patches, EMPTY where there are no more
    cells: Tensor  # [a, m]: where they belong


def aim(placed: Tensor, cells: int) -> Tensor:
    """What V should say of so many patches on a board without a mistake (eq. 3); all, or all but one: 1."""
    return (0.5 + 0.5 * placed / (cells - 1)).clamp(max=1.0)


def seen(pictures: Tensor, shape: Shape) -> Tensor:
    """Puzzles of whole pictures, in the networks' colours. [b, n, 3, patch, patch] of -1 … 1"""
    return coloured(whole(pictures, shape))


class Crops(Puzzles):
    """As ``Puzzles``, in the networks' colours."""

    def draw(self, shape: Shape, count: int) -> Tensor:
        """So many puzzles, patches row by row. [count, n, 3, patch, patch] of -1 … 1"""
        return coloured(super().draw(shape, count))


class Boards:
    """Boards by chance, of puzzles whose patches come row by row: patch k belongs in cell k."""

    def __init__(self, setting: Shape, device: Any, seed: int, central: bool = False) -> None:
        self.setting, self.device = setting, device
        self.generator = torch.Generator(device).manual_seed(seed)
        middle = setting.rows // 2 * setting.cols + setting.cols // 2
        self.middle = middle if central else None  # lies there, and rightly

    def right(self, count: int, low: int, high: int) -> tuple[Tensor, Tensor, Tensor]:
        """Without mistakes: (boards [count, cells], an order of the patches that begins with those laid, how many)."""
        cells = self.setting.cells
        chance = self._uniform(count, cells)
        if self.middle is not None:
            chance[:, self.middle] = -1.0
        order, number = chance.argsort(1), self._number(count, low, high)
        return self._kept(self._all(count), chance, number), order, number

    def wrong(self, count: int, low: int, high: int, mix: Mix) -> Tensor:
        """With at least one mistake. [count, cells]"""
        fixed = int(self.middle is not None)
        whole = self._mistaken(count, mix)
        mistakes = whole != torch.arange(self.setting.cells, device=self.device)
        chance = self._uniform(count, self.setting.cells)
        chance.scatter_(1, (self._uniform(*chance.shape) * mistakes).argmax(1, keepdim=True), -1.0)  # one is kept
        if self.middle is not None:
            chance[:, self.middle] = -2.0
        return self._kept(whole, chance, self._number(count, max(low, 1 + fixed), max(high, 1 + fixed)))

    def _mistaken(self, count: int, mix: Mix) -> Tensor:
        """Full boards, no two patches in one cell."""
        cells, free = self.setting.cells, self.setting.cells - (self.middle is not None)
        one, other = (self._shuffled(count) for _ in range(2))
        length = 2 + (self._uniform(count) * (free - 1)).long().clamp(max=free - 2)
        swapped, several = self._ring(one, torch.full_like(length, 2)), self._ring(one, length)
        by_chance = torch.empty_like(one).scatter_(1, one, other)
        by_chance = torch.where((by_chance == self._all(count)).all(1, keepdim=True), swapped, by_chance)
        shifted = swapped if self.middle is not None else self._shifted(count)
        sorts = torch.stack([by_chance, several, swapped, shifted])
        weights = torch.tensor(mix, device=self.device)
        which = torch.multinomial(weights, count, replacement=True, generator=self.generator)
        return sorts[which, torch.arange(count, device=self.device)].view(count, cells)

    def _ring(self, order: Tensor, length: Tensor) -> Tensor:
        """The first so many patches of an order each go where the next one belongs, the last where the first does."""
        step = torch.arange(order.shape[1], device=self.device).expand_as(order)
        following = torch.where(step + 1 == length[:, None], 0, (step + 1).clamp(max=order.shape[1] - 1))
        following = torch.where(step < length[:, None], following, step)
        return torch.empty_like(order).scatter_(1, order, order.gather(1, following))

    def _shifted(self, count: int) -> Tensor:
        rows, cols = self.setting.rows, self.setting.cols
        grid = torch.arange(rows * cols, device=self.device).view(rows, cols)
        ways = [grid.roll(by, 0) for by in range(1, rows)] + [grid.roll(by, 1) for by in range(1, cols)]
        return torch.stack(ways).flatten(1)[(self._uniform(count) * len(ways)).long().clamp(max=len(ways) - 1)]

    def _shuffled(self, count: int) -> Tensor:
        """Orders of all patches; one that is given comes last."""
        chance = self._uniform(count, self.setting.cells)
        if self.middle is not None:
            chance[:, self.middle] = 2.0
        return chance.argsort(1)

    def _kept(self, laid: Tensor, chance: Tensor, number: Tensor) -> Tensor:
        """As many cells as these with the lowest numbers; the others empty."""
        return torch.where(chance.argsort(1).argsort(1) < number[:, None], laid, EMPTY)

    def _number(self, count: int, low: int, high: int) -> Tensor:
        least = max(low, int(self.middle is not None))
        return least + (self._uniform(count) * (high - least + 1)).long().clamp(max=high - least)

    def _all(self, count: int) -> Tensor:
        return torch.arange(self.setting.cells, device=self.device).expand(count, -1)

    def _uniform(self, *shape: int) -> Tensor:
        return torch.rand(shape, generator=self.generator, device=self.device)
