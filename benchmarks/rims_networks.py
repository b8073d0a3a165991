"""The two networks that look at worn rims, as teach_rims.py teaches them and as they are shipped."""

from functools import cache

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.fusion import fuse_conv_bn_eval

DEPTH = 12  # lines of an edge that are looked at
SEGMENTS = 8  # of a rim, of whose means the vectors are made
GAP = 8.0  # pixels lost between two rims are told as parts of so many
FEATURES = 128  # of every pixel along a rim
STEM, RIM, VECTOR, SEAM = 32, 320, 256, 160  # numbers a pixel, a pixel of the rim, an edge, and a pixel of a seam


def convolution(before: int, after: int, size: tuple[int, int], around: tuple[int, int]) -> nn.Sequential:
    """With its batch norm."""
    return nn.Sequential(nn.Conv2d(before, after, size, 1, around, bias=False), nn.BatchNorm2d(after))


class Along(nn.Module):
    """Two convolutions along a rim or seam, and a way around them; all of it is told what the whole is like."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = (convolution(width, width, (1, 3), (0, 1)) for _ in range(2))
        nn.init.zeros_(self.second[1].weight)
        self.whole = nn.Sequential(nn.Linear(width, width // 4), nn.ReLU(), nn.Linear(width // 4, width))

    def forward(self, x: Tensor) -> Tensor:
        """[n, width, 1, length]"""
        y = F.relu(self.first(x) + self.whole(x.mean((2, 3)))[:, :, None, None])
        return F.relu(x + self.second(y))


class Rim(nn.Module):
    """One edge."""

    def __init__(self, blocks: int = 4) -> None:
        super().__init__()
        self.stem, self.more = convolution(4, STEM, (3, 3), (1, 1)), convolution(STEM, STEM, (3, 3), (1, 1))
        self.flat = convolution(STEM, RIM, (DEPTH, 3), (0, 1))
        self.body = nn.Sequential(*(Along(RIM) for _ in range(blocks)))
        self.features, self.few = nn.Conv2d(RIM, FEATURES, 1), nn.Conv2d(RIM, 64, 1)
        self.ask, self.asked = (nn.Linear(64 * SEGMENTS, VECTOR) for _ in range(2))
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, lines: Tensor, lost: Tensor, segments: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Lines [n, 3, DEPTH, length] of 0 … 1, pixels lost [n], shares of pixels [SEGMENTS, length] →
        vectors [n, width] twice, features [n, FEATURES, 1, length]
        """
        told = (lost / GAP)[:, None, None, None].expand(-1, 1, DEPTH, lines.shape[3])
        x = F.relu(self.stem(torch.cat([(lines - 0.5) * 4.0, told], 1)))
        x = F.relu(x + self.more(x))
        x = self.body(F.relu(self.flat(x)))
        means = (self.few(x)[:, :, 0] @ segments.T).flatten(1)
        ask, asked = (
            torch.exp(self.scale / 2) * F.normalize(head(means).float(), dim=1) for head in (self.ask, self.asked)
        )
        return ask, asked, self.features(x)


class Seam(nn.Module):
    """Two edges, read the same way."""

    def __init__(self, blocks: int = 3) -> None:
        super().__init__()
        self.both = convolution(2 * FEATURES, SEAM, (1, 3), (0, 1))
        self.along = nn.Sequential(*(Along(SEAM) for _ in range(blocks)))
        self.judge = nn.Sequential(nn.Linear(3 * SEAM, 128), nn.ReLU(), nn.Linear(128, 1))

    def forward(self, ours: Tensor, theirs: Tensor) -> Tensor:
        """Features [n, FEATURES, 1, length] of each, both clockwise → logits [n]"""
        return self.judged(F.relu(self.both(torch.cat([ours, theirs.flip(3)], 1))))

    def judged(self, x: Tensor) -> Tensor:
        """From what the first convolution made of both."""
        x = self.along(x)[:, :, 0]
        mean = x.mean(2)
        spread = (x - mean[:, :, None]).square().mean(2).add(1e-4).sqrt()
        logits: Tensor = self.judge(torch.cat([mean, x.amax(2), spread], 1))[:, 0]
        return logits


class Networks(nn.Module):
    """Both."""

    def __init__(self) -> None:
        super().__init__()
        self.rim, self.seam = Rim(), Seam()


class ShippedRim(nn.Module):
    """A rim with what the first convolution along a seam makes of it, as the one edge and as the other.

    Convolutions are sums over their inputs: what depends on one edge alone is not reckoned again for every pair.
    """

    def __init__(self, rim: Rim, seam: Seam) -> None:
        super().__init__()
        self.rim, both = rim, seam.both[0]
        assert isinstance(both, nn.Conv2d)
        assert both.bias is not None
        self.ours, self.theirs = (
            nn.Conv2d(FEATURES, both.out_channels, (1, 3), 1, (0, 1), bias=at == 0) for at in range(2)
        )
        self.ours.weight.data, self.ours.bias.data = both.weight.data[:, :FEATURES], both.bias.data  # type: ignore[union-attr]
        self.theirs.weight.data = both.weight.data[:, FEATURES:]

    def forward(self, lines: Tensor, lost: Tensor, segments: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """As ``Rim``, with two halves of a seam in place of features. [n, width, length] each"""
        ask, asked, features = self.rim(lines, lost, segments)
        return ask, asked, self.ours(features)[:, :, 0], self.theirs(features.flip(3))[:, :, 0]


class ShippedSeam(nn.Module):
    """The rest of a seam."""

    def __init__(self, seam: Seam) -> None:
        super().__init__()
        self.seam = seam

    def forward(self, ours: Tensor, theirs: Tensor) -> Tensor:
        """Halves of seams [n, width, length] → logits [n]"""
        return self.seam.judged(F.relu(ours + theirs)[:, :, None])


def fold(module: nn.Module) -> None:
    """Make every batch norm part of the convolution before it."""
    for child in module.modules():
        if isinstance(child, nn.Sequential) and len(child) > 1 and isinstance(child[1], nn.BatchNorm2d):
            assert isinstance(child[0], nn.Conv2d)
            child[0], child[1] = fuse_conv_bn_eval(child[0], child[1]), nn.Identity()


@cache
def shares(length: int, device: str) -> Tensor:
    """How much each pixel of an edge counts in the mean of each of its segments. [SEGMENTS, length]"""
    borders = np.linspace(0, length, SEGMENTS + 1)
    inside = np.minimum(borders[1:, None], np.arange(1, length + 1)) - np.maximum(borders[:-1, None], np.arange(length))
    return torch.from_numpy((np.clip(inside, 0, 1) * SEGMENTS / length).astype(np.float32)).to(device)
