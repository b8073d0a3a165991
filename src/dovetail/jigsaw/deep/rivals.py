"""Boards that are nearly right: what a network has to tell from the true one, if its scores are to be searched.

Logits that are right for every pair and every place need not add up to a score whose best board is the true one. So
whole boards are compared as well: the true one with boards that differ by an exchange, by a row or column that is
shifted, and with those that a short search in the network's own tables takes for as good or better: its own mistakes.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from .data import Shape

HEAT = 4.0  # nats that the short search gives away for nothing
STEPS = 4  # exchanges tried, for each cell
SURE = 0.25  # scores are sums of numbers that know nothing of each other's mistakes: so much of them counts


def scores(right: Tensor, down: Tensor, place: Tensor, boards: Tensor, cols: int) -> Tensor:
    """What the tables [b, n, n], [b, n, n], [b, n, n] say of boards [b, k, n], the patch of each cell. [b, k]"""
    grid = boards.unflatten(2, (-1, cols))
    across = _looked_up(right, grid[..., :-1].flatten(2), grid[..., 1:].flatten(2))
    below = _looked_up(down, grid[..., :-1, :].flatten(2), grid[..., 1:, :].flatten(2))
    cells = torch.arange(boards.shape[2], device=boards.device).expand_as(boards)
    return across + below + _looked_up(place, boards, cells)


def _looked_up(table: Tensor, first: Tensor, second: Tensor) -> Tensor:
    """The sum of table[first, second], puzzle by puzzle. [b, k, pairs] → [b, k]"""
    flat = table.flatten(1)[:, None].expand(-1, first.shape[1], -1)
    return flat.gather(2, first * table.shape[2] + second).sum(2)


@torch.no_grad()
def rivals(right: Tensor, down: Tensor, place: Tensor, shape: Shape, count: int, generator: torch.Generator) -> Tensor:
    """So many boards for each puzzle whose patches are in order, none of them right. [b, count, n]"""
    b, n = right.shape[:2]
    device = right.device
    boards = torch.arange(n, device=device).repeat(b, count, 1)
    boards[:, ::4] = _shifted(boards[:, ::4], shape, generator)
    now = scores(right, down, place, boards, shape.cols)
    for _ in range(STEPS * n):
        cells = torch.rand((b, count, n), generator=generator, device=device).topk(2, 2).indices
        tried = boards.scatter(2, cells, boards.gather(2, cells.flip(2)))
        then = scores(right, down, place, tried, shape.cols)
        chance = torch.rand((b, count), generator=generator, device=device)
        taken = chance.log() * HEAT < then - now
        boards, now = torch.where(taken[..., None], tried, boards), torch.where(taken, then, now)
    # what came back to the true board differs by one exchange at least
    cells = torch.rand((b, count, n), generator=generator, device=device).topk(2, 2).indices
    swapped = boards.scatter(2, cells, boards.gather(2, cells.flip(2)))
    true = (boards == torch.arange(n, device=device)).all(2)
    return torch.where(true[..., None], swapped, boards)


def _shifted(boards: Tensor, shape: Shape, generator: torch.Generator) -> Tensor:
    """A row or a column moved on by one, around the end."""
    b, k, n = boards.shape
    device = boards.device
    cells = torch.arange(n, device=device)
    row, col = cells // shape.cols, cells % shape.cols
    along = torch.rand((b, k, 1), generator=generator, device=device)
    which_row, which_col = (along * shape.rows).long(), (along * shape.cols).long()
    by_row = torch.where(row == which_row, row * shape.cols + (col + 1) % shape.cols, cells)
    by_col = torch.where(col == which_col, (row + 1) % shape.rows * shape.cols + col, cells)
    rows_move = torch.rand((b, k, 1), generator=generator, device=device) < shape.rows / (shape.rows + shape.cols)
    return boards.gather(2, torch.where(rows_move, by_row, by_col))


def told_apart(right: Tensor, down: Tensor, place: Tensor, boards: Tensor, cols: int) -> tuple[Tensor, Tensor]:
    """Cross-entropy of the true board (patches in order) among its rivals, and how often it scores highest."""
    b, _, n = boards.shape
    true = torch.arange(n, device=boards.device).expand(b, 1, n)
    said = scores(right, down, place, torch.cat([true, boards], 1), cols)
    aim = torch.zeros(b, dtype=torch.long, device=boards.device)
    return F.cross_entropy(SURE * said, aim), (said.argmax(1) == 0).float().mean()
