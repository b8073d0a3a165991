"""The network that reads all patches of a puzzle at once and says which belong side by side, and where each belongs.

Every patch goes once through a residual encoder, which gives a token for each of its four sides and one for the whole.
Side tokens are compared as they are (*flat*: what two rims alone can know), and once more after a transformer over all
tokens of the puzzle, which is told what the flat comparison found (*context*). Whole tokens are held against the cells
of the board. Nothing says in which order the patches came: a shuffled puzzle gives shuffled tables.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

PATCH = 40  # pixels along one side of a patch, as the networks see it
RIGHT, LEFT, DOWN, UP, WHOLE = range(5)  # the tokens of a patch; one of a side is compared with its opposite
OPPOSITE = {RIGHT: LEFT, LEFT: RIGHT, DOWN: UP, UP: DOWN}
NEVER = -1e4  # the logit of what cannot be: a patch beside itself


@dataclass(frozen=True)
class Sizes:
    """How large the network is."""

    channels: tuple[int, int, int, int] = (48, 128, 192, 256)  # at 40, 20, 10 and 5 pixels
    blocks: tuple[int, int, int, int] = (1, 2, 3, 2)
    rim: int = 48  # channels that a side's token is made of, at 20 and at 10 pixels
    width: int = 256  # of a token
    layers: int = 6
    heads: int = 8
    dropout: float = 0.0  # in the transformer


class Reading(NamedTuple):
    """What the network says of a batch of puzzles, as logits."""

    flat_right: Tensor  # [b, n, n] j right of i, by their rims alone
    flat_down: Tensor
    right: Tensor  # [b, n, n] the same in context
    down: Tensor
    ends: Tensor  # [b, 4, n] nothing right (left, down, up) of i
    place: Tensor  # [b, n, cells]


class Block(nn.Module):
    """Two convolutions and a way around them; the first may halve the picture."""

    def __init__(self, before: int, after: int, stride: int = 1) -> None:
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(after)
        self.second = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(after)
        nn.init.zeros_(self.second_norm.weight)
        self.around: nn.Module = nn.Identity()
        if stride > 1 or before != after:
            self.around = nn.Sequential(nn.AvgPool2d(stride) if stride > 1 else nn.Identity(),
                                        nn.Conv2d(before, after, 1, bias=False), nn.BatchNorm2d(after))  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        """[b, before, h, w] → [b, after, h / stride, w / stride]"""
        y = F.relu(self.first_norm(self.first(x)))
        return F.relu(self.around(x) + self.second_norm(self.second(y)))


def _stage(before: int, after: int, count: int, stride: int) -> nn.Sequential:
    return nn.Sequential(Block(before, after, stride), *(Block(after, after) for _ in range(count - 1)))


def _rim(x: Tensor, side: int) -> Tensor:
    """The two lines of a picture nearest to a side, flat. [b, c, h, w] → [b, c · 2 · h]"""
    if side in (RIGHT, LEFT):
        return (x[..., -2:] if side == RIGHT else x[..., :2]).flatten(1)
    return (x[..., -2:, :] if side == DOWN else x[..., :2, :]).flatten(1)


class Encoder(nn.Module):
    """A patch as five tokens."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        c, blocks = sizes.channels, sizes.blocks
        self.stem = nn.Sequential(nn.Conv2d(3, c[0], 3, 1, 1, bias=False), nn.BatchNorm2d(c[0]), nn.ReLU())
        self.at_40 = _stage(c[0], c[0], blocks[0], 1)
        self.at_20 = _stage(c[0], c[1], blocks[1], 2)
        self.at_10 = _stage(c[1], c[2], blocks[2], 2)
        self.at_5 = _stage(c[2], c[3], blocks[3], 2)
        self.fine = nn.Conv2d(c[1], sizes.rim, 1)
        self.coarse = nn.Conv2d(c[2], sizes.rim, 1)
        self.sides = nn.ModuleList(nn.Linear(sizes.rim * 2 * (20 + 10), sizes.width) for _ in OPPOSITE)
        self.around = nn.Linear(c[3], 4 * sizes.width)  # what the whole patch adds to its sides
        self.squeeze = nn.Conv2d(c[3], 64, 1)
        self.whole = nn.Linear(64 * 25, sizes.width)

    def forward(self, patches: Tensor) -> Tensor:
        """[p, 3, 40, 40] with values around 0 → [p, 5, width]"""
        x20 = self.at_20(self.at_40(self.stem(patches)))
        x10 = self.at_10(x20)
        x5 = self.at_5(x10)
        fine, coarse = self.fine(x20), self.coarse(x10)
        around = self.around(x5.mean((2, 3))).unflatten(1, (4, -1))
        sides = [layer(torch.cat([_rim(fine, side), _rim(coarse, side)], 1)) + around[:, side]
                 for side, layer in enumerate(self.sides)]  # fmt: skip
        return torch.stack([*sides, self.whole(self.squeeze(x5).flatten(1))], 1)


class Layer(nn.Module):
    """One layer of the transformer; its attention is told which sides may face each other."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        width = sizes.width
        self.heads = sizes.heads
        self.before = nn.LayerNorm(width)
        self.ask = nn.Linear(width, 3 * width)
        self.answer = nn.Linear(width, width)
        self.facing = nn.Parameter(torch.linspace(0, 0.5, sizes.heads))  # how much a head follows the flat comparison
        self.own = nn.Parameter(torch.zeros(sizes.heads))  # and the other tokens of the same patch
        self.between = nn.LayerNorm(width)
        self.think = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.drop = nn.Dropout(sizes.dropout)

    def forward(self, x: Tensor, facing: Tensor, own: Tensor) -> Tensor:
        """[b, t, width], and two matrices [b or 1, 1, t, t]"""
        b, t, width = x.shape
        q, k, v = self.ask(self.before(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        bias = facing * self.facing.view(-1, 1, 1) + own * self.own.view(-1, 1, 1)
        # written out, since torch's own attention does not go through its ONNX exporter with a free number of patches
        weights = torch.softmax(q @ k.transpose(2, 3) / q.shape[-1] ** 0.5 + bias, -1)
        x = x + self.drop(self.answer((weights.to(v.dtype) @ v).transpose(1, 2).reshape(b, t, width)))
        return x + self.drop(self.think(self.between(x)))


class Reader(nn.Module):
    """See the module text."""

    def __init__(self, sizes: Sizes | None = None) -> None:
        super().__init__()
        self.sizes = sizes = sizes or Sizes()
        width = sizes.width
        self.encoder = Encoder(sizes)
        self.token_norm = nn.LayerNorm(width)
        self.flat = nn.ModuleList(nn.Linear(width, width) for _ in OPPOSITE)
        self.flat_scale = nn.Parameter(torch.tensor(2.5))
        self.sort = nn.Parameter(0.02 * torch.randn(5, width))
        self.shape = nn.Sequential(nn.Linear(3, width), nn.GELU(), nn.Linear(width, width))
        self.layers = nn.ModuleList(Layer(sizes) for _ in range(sizes.layers))
        self.last_norm = nn.LayerNorm(width)
        self.sides = nn.ModuleList(nn.Linear(width, width) for _ in OPPOSITE)
        self.side_scale = nn.Parameter(torch.tensor(2.5))
        self.end = nn.ModuleList(nn.Linear(width, 1) for _ in OPPOSITE)
        self.cell = nn.Sequential(nn.Linear(12, width), nn.GELU(), nn.Linear(width, width))
        self.place = nn.Linear(width, width)

    def forward(self, tokens: Tensor, cells: Tensor, shape: Tensor) -> Reading:
        """From what the encoder made of the patches.

        ``tokens`` [b, n, 5, width], ``cells`` [m, 2] row and column of each cell, ``shape`` [3] rows, columns, gap.
        """
        b, n = tokens.shape[:2]
        tokens = self.token_norm(tokens.float())
        never = NEVER * torch.eye(n, device=tokens.device)
        flat_right, flat_down = self._compared(self.flat, self.flat_scale, tokens, never)

        x = tokens + self.sort + self.shape(shape / shape.new_tensor([4.0, 4.0, 20.0]))
        x = x.transpose(1, 2).reshape(b, 5 * n, -1)  # all right sides, then all left ones …
        facing, own = self._met(flat_right.detach(), flat_down.detach())
        for layer in self.layers:
            x = layer(x, facing, own)
        x = self.last_norm(x).view(b, 5, n, -1).transpose(1, 2)

        right, down = self._compared(self.sides, self.side_scale, x, never)
        ends = torch.stack([end(x[:, :, side])[..., 0] for side, end in enumerate(self.end)], 1)
        place = self.place(x[:, :, WHOLE]) @ self._cells(cells, shape).T / x.shape[-1] ** 0.5
        return Reading(flat_right, flat_down, right, down, ends.float(), place.float())

    def flat_sides(self, tokens: Tensor) -> Tensor:
        """What rims are compared by: the product of a side and an opposite one is their flat logit. [b, n, 4, width]"""
        return self._seen(self.flat, self.flat_scale, self.token_norm(tokens.float()))

    def _seen(self, heads: nn.ModuleList, scale: Tensor, x: Tensor) -> Tensor:
        """Sides as vectors of one length, so that their products are cosines, sharpened."""
        sides = [F.normalize(head(x[:, :, at]).float(), dim=-1) for at, head in enumerate(heads)]
        return torch.exp(scale / 2) * torch.stack(sides, 2)

    def _compared(self, heads: nn.ModuleList, scale: Tensor, x: Tensor, never: Tensor) -> tuple[Tensor, Tensor]:
        """How well the sides of all pairs of patches fit."""
        right, left, down, up = self._seen(heads, scale, x).unbind(2)
        return right @ left.mT + never, down @ up.mT + never

    def _met(self, right: Tensor, down: Tensor) -> tuple[Tensor, Tensor]:
        """Between which tokens attention is told something: sides that may face each other, and the same patch."""
        n = right.shape[-1]
        right, down = (x.clamp(min=-20.0) for x in (right, down))
        nil = torch.zeros_like(right)
        rows = [[nil] * 5 for _ in range(5)]
        rows[RIGHT][LEFT], rows[LEFT][RIGHT] = right, right.transpose(1, 2)
        rows[DOWN][UP], rows[UP][DOWN] = down, down.transpose(1, 2)
        facing = torch.cat([torch.cat(row, 2) for row in rows], 1)[:, None]
        return facing, torch.eye(n, device=right.device).repeat(5, 5)[None, None]

    def _cells(self, cells: Tensor, shape: Tensor) -> Tensor:
        """The cells of a board as vectors. [m, width]"""
        at = (cells + 0.5) / shape[:2]  # 0 … 1 from the first row or column to the last
        rim = torch.stack([cells[:, 0], cells[:, 1], *(shape[:2] - 1 - cells).unbind(1)], 1).clamp(max=3.0) / 3.0
        waves = [f(torch.pi * k * at) for k in (1, 2) for f in (torch.sin, torch.cos)]
        return self.cell(torch.cat([rim, *waves], 1))


def tables(said: Reading, cells: Tensor, shape: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Log probabilities that can be summed over a board: of pairs, and of places.

    A pair counts twice, as the right neighbour of the one and the left one of the other; a place is the mean of a
    patch's cell and a cell's patch. That nothing lies beyond a patch is part of its place on the rim.
    """
    pairs, place = [], (F.log_softmax(said.place, 2) + F.log_softmax(said.place, 1)) / 2
    last = shape[:2] - 1
    for core, here, there, axis in ((said.right, RIGHT, LEFT, 1), (said.down, DOWN, UP, 0)):
        row = F.log_softmax(torch.cat([core, said.ends[:, here, :, None]], 2), 2)
        col = F.log_softmax(torch.cat([core, said.ends[:, there, None, :]], 1), 1)
        pairs.append(row[:, :, :-1] + col[:, :-1])
        at = cells[:, axis]
        place = place + row[:, :, -1:] * (at == last[axis]) + col[:, -1, :, None] * (at == 0)
    return pairs[0], pairs[1], place


def centred(patches: Tensor) -> Tensor:
    """Values of 0 … 1 as the encoder takes them."""
    return (patches - 0.5) * 4.0


def board_cells(rows: int, cols: int) -> Tensor:
    """Row and column of every cell, row by row. [cells, 2]"""
    return torch.tensor([[row, col] for row in range(rows) for col in range(cols)], dtype=torch.float32)
