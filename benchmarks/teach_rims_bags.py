"""Endless puzzles of worn pieces for teach_rims.py, made where networks learn: cut, eroded, lit, noisy, compressed."""

import math
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

PUZZLES = (5, 12)  # of a batch, from photographs and from squares
BOARDS = ((12, 16), (7, 7))  # of their pieces
ERODE, SHARES = (0, 1, 2, 3, 4), (0.06, 0.37, 0.37, 0.12, 0.08)  # pixels lost a side, and how often


@dataclass(frozen=True)
class Group:
    """The pieces of some puzzles of one size, row by row, and what was lost between two."""

    pieces: Tensor  # [puzzles, n, 3, m, m] of 0 … 1
    rows: int
    cols: int
    lost: Tensor  # [puzzles]


class Wear(NamedTuple):
    """How the pieces of a puzzle are worn."""

    erode: int
    noise: float
    light: float
    quality: int  # of JPEG; 0: none
    off: float  # pixels by which pieces were cut beside where they should be


def cut(picture: Tensor, rows: int, cols: int, side: int, wear: Wear) -> Tensor:
    """[3, rows · side, cols · side] → [rows · cols, 3, m, m], eroded, maybe a little turned and beside its place."""
    kept = side - 2 * wear.erode
    if not wear.off:
        pieces = picture.unfold(1, side, side).unfold(2, side, side)[
            ..., wear.erode : side - wear.erode, wear.erode : side - wear.erode
        ]
        return pieces.permute(1, 2, 0, 3, 4).flatten(0, 1)
    device, n = picture.device, rows * cols
    angle, down, right = (
        by * (2 * torch.rand((n, 1, 1), device=device) - 1) for by in (wear.off * 0.012, wear.off, wear.off)
    )
    at = torch.arange(kept, device=device) - (kept - 1) / 2
    y, x = at[:, None], at[None, :]
    row, col = (
        (torch.arange(n, device=device) // cols)[:, None, None],
        (torch.arange(n, device=device) % cols)[:, None, None],
    )
    line = (row + 0.5) * side - 0.5 + y * torch.cos(angle) - x * torch.sin(angle) + down
    column = (col + 0.5) * side - 0.5 + y * torch.sin(angle) + x * torch.cos(angle) + right
    high, wide = picture.shape[1:]
    where = torch.stack([(2 * column + 1) / wide - 1, (2 * line + 1) / high - 1], 3).reshape(1, n * kept, kept, 2)
    found = F.grid_sample(picture[None], where, mode="bicubic", padding_mode="border", align_corners=False)[0].clamp(
        0, 1
    )
    return found.reshape(3, n, kept, kept).transpose(0, 1)


@cache
def cosines(device: str) -> Tensor:
    """The matrix of the discrete cosine transform of 8 numbers."""
    k, x = torch.arange(8.0)[:, None], torch.arange(8.0)[None, :]
    matrix = torch.cos((2 * x + 1) * k * math.pi / 16) / 2
    matrix[0] /= math.sqrt(2)
    return matrix.to(device)


LUMA = torch.tensor([
    [16, 11, 10, 16, 24, 40, 51, 61], [12, 12, 14, 19, 26, 58, 60, 55], [14, 13, 16, 24, 40, 57, 69, 56],
    [14, 17, 22, 29, 51, 87, 80, 62], [18, 22, 37, 56, 68, 109, 103, 77], [24, 35, 55, 64, 81, 104, 113, 92],
    [49, 64, 78, 87, 103, 121, 120, 101], [72, 92, 95, 98, 112, 100, 103, 99.0],
])  # fmt: skip
CHROMA = torch.full((8, 8), 99.0)
CHROMA[:4, :4] = torch.tensor([[17, 18, 24, 47], [18, 21, 26, 66], [24, 26, 56, 99], [47, 66, 99, 99.0]])
TO_YCC = torch.tensor([[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]])


def compressed(pieces: Tensor, quality: int) -> Tensor:
    """About what JPEG makes of each piece, its chroma halved."""
    m, device = pieces.shape[2], pieces.device
    scale = (5000 / quality if quality < 50 else 200 - 2 * quality) / 100
    pad = -m % 16
    ycc = torch.einsum("ij,njhw->nihw", TO_YCC.to(device), F.pad(pieces, (0, pad, 0, pad), mode="replicate") * 255)
    base, out = cosines(str(device)), []
    for at in range(3):
        plane = ycc[:, at : at + 1] - (128 if at == 0 else 0)
        plane = plane if at == 0 else F.avg_pool2d(plane, 2)
        blocks = plane[:, 0].unfold(1, 8, 8).unfold(2, 8, 8)
        table = ((LUMA if at == 0 else CHROMA).to(device) * scale).round().clamp(1, 255)
        found = base.T @ (((base @ blocks @ base.T) / table).round() * table) @ base
        plane = found.transpose(2, 3).flatten(1, 2).flatten(2, 3)[:, None]
        out.append(
            plane + 128 if at == 0 else F.interpolate(plane, scale_factor=2, mode="bilinear", align_corners=False)
        )
    rgb = torch.einsum("ij,njhw->nihw", torch.linalg.inv(TO_YCC).to(device), torch.cat(out, 1))[:, :, :m, :m]
    return (rgb / 255).clamp(0, 1)


def draw_wear(rng: np.random.Generator) -> Wear:
    """By chance."""
    erode = int(rng.choice(ERODE, p=SHARES))
    return Wear(
        erode,
        float(rng.uniform(0.5, 12)) / 255 if rng.random() < 0.22 else 0.0,
        float(rng.uniform(0.02, 0.15)) if rng.random() < 0.25 else 0.0,
        int(rng.integers(60, 96)) if rng.random() < 0.12 else 0,
        float(rng.uniform(0.1, 0.8)) if erode and rng.random() < 0.12 else 0.0,
    )


class Bags:
    """Endless puzzles."""

    def __init__(self, photos: list[Tensor], squares: Tensor, seed: int) -> None:
        self.photos, self.squares, self.rng = photos, squares, np.random.default_rng(seed)

    def batch(self) -> list[Group]:
        """All pieces of one size, worn in many ways."""
        rng = self.rng
        kept = int(rng.choice([28, 27, 26, 25, 24, 22, 20])) if rng.random() < 0.75 else int(rng.integers(14, 56))
        fewer = min(1.0, (28 / kept) ** 1.2)
        out = []
        for number, (rows, cols), whole in zip(PUZZLES, BOARDS, (True, False), strict=True):
            rows, cols = max(4, round(rows * fewer)), max(4, round(cols * fewer))
            wears, boards = [draw_wear(rng) for _ in range(number)], []
            for wear in wears:
                side = kept + 2 * wear.erode
                picture = self._photo(rows * side, cols * side) if whole else self._square(rows * side, cols * side)
                boards.append(cut(self._coloured(picture), rows, cols, side, wear))
            lost = torch.tensor([2.0 * wear.erode for wear in wears]).to(boards[0].device, non_blocking=True)
            out.append(Group(worn(torch.stack(boards), wears), rows, cols, lost))
        return out

    def _photo(self, high: int, wide: int) -> Tensor:
        photo = self.photos[int(self.rng.integers(len(self.photos)))]
        most = max(photo.shape[1:])
        scale = max(most / float(self.rng.uniform(620, 1150)), 1.0)
        scale = min(scale, photo.shape[1] / high, photo.shape[2] / wide)
        return self._part(photo, round(high * scale), round(wide * scale), high, wide)

    def _square(self, high: int, wide: int) -> Tensor:
        square = self.squares[int(self.rng.integers(len(self.squares)))]
        part = min(1.0, float(self.rng.uniform(0.85, 1.1)))
        size = round(part * square.shape[1])
        return self._part(square, size, size, high, wide)

    def _part(self, picture: Tensor, rows: int, cols: int, high: int, wide: int) -> Tensor:
        rng = self.rng
        top, left = (
            int(rng.integers(length - size + 1)) for length, size in zip(picture.shape[1:], (rows, cols), strict=True)
        )
        part = picture[:, top : top + rows, left : left + cols][None].float() / 255
        part = part.flip(3) if rng.random() < 0.5 else part
        mode = "bilinear" if rng.random() < 0.3 else "bicubic"
        part = part if (rows, cols) == (high, wide) else F.interpolate(part, (high, wide), mode=mode, antialias=True)
        return part[0].clamp(0, 1)

    def _coloured(self, picture: Tensor) -> Tensor:
        rng = self.rng
        if rng.random() < 0.5:
            return picture
        gains = 1 + 0.15 * (2 * torch.rand((3, 1, 1), device=picture.device) - 1)
        picture = (picture * gains * rng.uniform(0.8, 1.15)).clamp(0, 1) ** rng.uniform(0.8, 1.25)
        return picture.mean(0, keepdim=True).expand(3, -1, -1).contiguous() if rng.random() < 0.04 else picture


def worn(pieces: Tensor, wears: list[Wear]) -> Tensor:
    """Light, noise and compression, of each puzzle its own. [puzzles, n, 3, m, m]"""
    device = pieces.device
    light, noise = (
        torch.tensor([getattr(wear, name) for wear in wears]).to(device, non_blocking=True)[:, None, None, None, None]
        for name in ("light", "noise")
    )
    pieces = pieces * (1 + light * (2 * torch.rand((*pieces.shape[:2], 1, 1, 1), device=device) - 1))
    pieces = ((pieces + noise * torch.randn_like(pieces)) * 255).round().clamp(0, 255) / 255
    for puzzle, wear in enumerate(wears):
        if wear.quality:
            pieces[puzzle] = compressed(pieces[puzzle], wear.quality)
    return pieces


def rims_of(pieces: Tensor, depth: int) -> Tensor:
    """All edges, clockwise from north, each with its rim on top. [n, 3, m, m] → [4 n, 3, depth, m]"""
    sides = [torch.rot90(pieces, side, (2, 3)) for side in range(4)]
    lines = torch.arange(depth, device=pieces.device).clamp(max=pieces.shape[2] - 1)
    return torch.stack([side[:, :, lines] for side in sides], 1).flatten(0, 1)


class Facing(NamedTuple):
    """Of the edges of a board."""

    aim: Tensor  # the edge that faces each, or -1. [4 · rows · cols]
    known: Tensor  # those that face one
    own: Tensor  # whether two are of one piece


@cache
def facing(rows: int, cols: int, device: str) -> Facing:
    """Made once a board: a copy to a GPU waits for all that it is doing."""
    at = np.arange(rows * cols)
    row, col = at // cols, at % cols
    out = np.full((rows * cols, 4), -1)
    for side, (down, right) in enumerate(((-1, 0), (0, 1), (1, 0), (0, -1))):
        inside = (row + down >= 0) & (row + down < rows) & (col + right >= 0) & (col + right < cols)
        out[inside, side] = 4 * (at + down * cols + right)[inside] + (side + 2) % 4
    piece = np.repeat(at, 4)
    parts = (out.ravel(), np.flatnonzero(out.ravel() >= 0), piece[:, None] == piece)
    return Facing(*(torch.from_numpy(part).to(device) for part in parts))
