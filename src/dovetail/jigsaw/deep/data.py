"""Pictures to learn from: all decoded once, then cropped, resampled, coloured and cut where the network runs.

Crops are always resampled: pictures come from JPEG files, whose squares of 8 pixels would else tell where a patch lies.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from ...core.errors import BadInput
from ...core.state import State, fields, random_from
from .. import archive
from ..gapped_cutting import cut_gapped
from ..images import open_picture
from .reader import PATCH
from .states import chance, set_chance

SIDE = 224  # pixels along one side of a picture


@dataclass(frozen=True)
class Shape:
    """A board to learn, and how often."""

    rows: int
    cols: int
    gap: int
    weight: float = 1.0
    patch: int = PATCH  # pixels along one side of a patch

    def __str__(self) -> str:
        return f"{self.rows}x{self.cols}, gap {self.gap}"

    @property
    def pixels(self) -> tuple[int, int]:
        """Height and width of the picture under the board."""
        height, width = (count * self.patch + (count - 1) * self.gap for count in (self.rows, self.cols))
        return height, width

    @property
    def cells(self) -> int:
        """Of the board, which are as many as its patches."""
        return self.rows * self.cols


def decoded(places: Iterable[str | Path]) -> NDArray[np.uint8]:
    """The middle of every picture in these folders and TAR archives, by name. [pictures, 3, 224, 224]"""
    squares = [
        cut_gapped(open_picture(data, name).pixels, 1, 1, SIDE, 0)[0].transpose(2, 0, 1)
        for place in places
        for name, data in _contents(Path(place))
    ]
    if not squares:
        raise BadInput("there is no picture to learn from")
    return np.stack(squares)


def _contents(place: Path) -> Iterator[tuple[str, bytes]]:
    """Every file in a folder or an archive."""
    if not place.is_dir():
        yield from ((name, archive.content(place, name)) for name in archive.names(place))
        return
    for path in sorted(place.iterdir()):
        if path.is_file() and not path.name.startswith("."):
            yield str(path), path.read_bytes()


def cut(board: Tensor, shape: Shape) -> Tensor:
    """A picture of the board's size as patches, row by row. [b, 3, h, w] → [b, n, 3, patch, patch]"""
    side, step = shape.patch, shape.patch + shape.gap
    patches = board.unfold(2, side, step).unfold(3, side, step)  # [b, 3, rows, cols, patch, patch]
    return patches.permute(0, 2, 3, 1, 4, 5).flatten(1, 2)


def whole(pictures: Tensor, shape: Shape, mode: str = "bicubic") -> Tensor:
    """Puzzles of whole pictures, as solvers meet them. [b, 3, 224, 224] of bytes → [b, n, 3, patch, patch] of 0 … 1"""
    return cut(_resampled(_cropped(pictures, shape), shape.pixels, mode), shape)


def _cropped(pictures: Tensor, shape: Shape) -> Tensor:
    """The centre of the board's aspect."""
    height, width = shape.pixels
    high, wide = (round(SIDE * length / max(height, width)) for length in (height, width))
    top, left = (SIDE - high) // 2, (SIDE - wide) // 2
    return pictures[:, :, top : top + high, left : left + wide]


def _resampled(pictures: Tensor, size: tuple[int, int], mode: str) -> Tensor:
    return F.interpolate(pictures.float() / 255.0, size, mode=mode, antialias=True).clamp(0, 1)


class Puzzles:
    """Endless puzzles from pictures, a batch at a time: random crop, resampling, mirror, colours."""

    def __init__(self, pictures: Tensor, seed: int, least: float = 0.72, colours: float = 0.25) -> None:
        self.pictures = pictures  # [pictures, 3, 224, 224], where the network runs
        self.least = least  # of a picture's side in a crop
        self.colours = colours
        self.rng = np.random.default_rng(seed)
        self.generator = torch.Generator(pictures.device).manual_seed(seed)

    def state(self) -> State:
        """Where its random numbers are."""
        return {"rng": self.rng.bit_generator.state, "generator": chance(self.generator)}

    def take_up(self, state: Any) -> None:
        """Go on from there."""
        values = fields(state, ("rng", "generator"))
        self.rng = random_from(values["rng"])
        set_chance(self.generator, values["generator"])

    def draw(self, shape: Shape, count: int) -> Tensor:
        """So many puzzles, patches row by row. [count, n, 3, patch, patch] of 0 … 1"""
        rng, device = self.rng, self.pictures.device
        height, width = shape.pixels
        scale = rng.uniform(self.least, 1.0) * SIDE / max(height, width)
        stretch = np.exp(rng.uniform(-0.1, 0.1))
        high, wide = (min(SIDE, max(32, round(x))) for x in (height * scale * stretch, width * scale / stretch))
        # one size of crop a batch, a place of its own for each picture
        which = self._uniform(count).mul(len(self.pictures)).long()
        top = self._uniform(count).mul(SIDE - high + 1).long()
        left = self._uniform(count).mul(SIDE - wide + 1).long()
        lines = (top[:, None] + torch.arange(high, device=device))[:, None, :, None]
        columns = (left[:, None] + torch.arange(wide, device=device))[:, None, None, :]
        crops = self.pictures[which[:, None, None, None], torch.arange(3, device=device)[:, None, None], lines, columns]
        boards = _resampled(crops, shape.pixels, "bilinear" if rng.random() < 0.3 else "bicubic")
        boards = torch.where(self._uniform(count, 1, 1, 1) < 0.5, boards.flip(3), boards)
        return cut(self._coloured(boards), shape)

    def _coloured(self, boards: Tensor) -> Tensor:
        """A whole puzzle brighter or darker, flatter or greyer, tinted."""
        count, by = len(boards), self.colours

        def around_one(*shape: int) -> Tensor:
            return 1.0 + by * (2 * self._uniform(*shape) - 1)

        boards = boards * around_one(count, 3, 1, 1) ** 0.5
        mean = boards.mean((2, 3), keepdim=True)
        boards = (boards - mean) * around_one(count, 1, 1, 1) + mean * around_one(count, 1, 1, 1)
        grey = boards.mean(1, keepdim=True)
        grey_share = torch.where(self._uniform(count, 1, 1, 1) < 0.05, 0.0, around_one(count, 1, 1, 1))
        return (grey + (boards - grey) * grey_share).clamp(0, 1)

    def _uniform(self, *shape: int) -> Tensor:
        return torch.rand(shape, generator=self.generator, device=self.pictures.device)
