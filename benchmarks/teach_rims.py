"""Teach the networks that look at worn rims: makes rim.onnx and seam.onnx in src/dovetail/jigsaw/worn anew.

    python benchmarks/teach_rims.py pack FOLDER … --out photos.npz [--side 1400]
    python benchmarks/teach_rims.py learn --photos photos.npz --squares a.npy … --judge judge.npz --out rims.pt
                                          [--seconds 1200] [--begin rims.pt]
    python benchmarks/teach_rims.py export rims.pt --out src/dovetail/jigsaw/worn

The first packs pictures (ours: the sixty of sholomon-5015, -10375 and -22755; four of mcgill-540 to judge by). The
second, on a GPU, learns from them and from squares as ``dovetail.jigsaw.deep.data.decoded`` makes them, and can go on
from where it ended. The third writes the networks.

One network (*rim*) turns the outermost lines of an edge, and how many pixels are lost between two, into a vector to ask
with, one to be asked with, and features along the rim. The other (*seam*) takes the features of two rims that may face
each other, side by side, and says how much likelier it is that they do than that nothing here faces either.
"""

import argparse
import hashlib
import io
import json
import logging
import math
import time
import warnings
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from PIL import Image
from teach_rims_bags import Bag, Bags, Wear, cut, facing, rims_of
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.fusion import fuse_conv_bn_eval

DEPTH = 12  # lines of an edge that are looked at
SEGMENTS = 8  # of a rim, of whose means the vectors are made
GAP = 8.0  # pixels lost between two rims are told as parts of so many
FEATURES = 64  # of every pixel along a rim
HARD = 12  # rivals a rim is compared with
WARM, RATE, DECAY = 300, 1.5e-3, 0.02


class Block(nn.Module):
    """Two convolutions and a way around them; the first may halve the depth."""

    def __init__(self, before: int, after: int, stride: int = 1) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(before, after, 3, (stride, 1), 1, bias=False), nn.BatchNorm2d(after))
        self.second = nn.Sequential(nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after))
        nn.init.zeros_(self.second[1].weight)
        self.around: nn.Module = nn.Identity()
        if stride > 1 or before != after:
            self.around = nn.Sequential(nn.AvgPool2d((stride, 1)), nn.Conv2d(before, after, 1))

    def forward(self, x: Tensor) -> Tensor:
        """[b, before, depth, length] → [b, after, depth / stride, length]"""
        return F.relu(self.around(x) + self.second(F.relu(self.first(x))))


class Rim(nn.Module):
    """One edge."""

    def __init__(self, channels: tuple[int, int, int] = (48, 80, 112), width: int = 192) -> None:
        super().__init__()
        a, b, c = channels
        self.stem = nn.Sequential(nn.Conv2d(4, a, 3, 1, 1, bias=False), nn.BatchNorm2d(a), nn.ReLU())
        self.body = nn.Sequential(Block(a, a), Block(a, b, 2), Block(b, b), Block(b, c, 2), Block(c, c))
        self.flat = nn.Sequential(nn.Conv2d(c, 128, (DEPTH // 4, 1), bias=False), nn.BatchNorm2d(128), nn.ReLU())
        self.features = nn.Conv1d(128, FEATURES, 1)
        self.few = nn.Conv1d(128, 48, 1)
        self.ask, self.asked = (nn.Linear(48 * SEGMENTS, width) for _ in range(2))
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, lines: Tensor, lost: Tensor, segments: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Lines [n, 3, DEPTH, length] of 0 … 1, pixels lost [n], shares of pixels [SEGMENTS, length] →
        vectors [n, width] twice, features [n, FEATURES, length]
        """
        told = (lost / GAP)[:, None, None, None].expand(-1, 1, DEPTH, lines.shape[3])
        flat = self.flat(self.body(self.stem(torch.cat([(lines - 0.5) * 4.0, told], 1))))[:, :, 0]
        means = (self.few(flat) @ segments.T).flatten(1)
        ask, asked = (
            torch.exp(self.scale / 2) * F.normalize(head(means).float(), dim=1) for head in (self.ask, self.asked)
        )
        return ask, asked, self.features(flat)


class Along(nn.Module):
    """A convolution along a seam, and a way around it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(width, width, 3, 1, 1, bias=False), nn.BatchNorm1d(width))

    def forward(self, x: Tensor) -> Tensor:
        """[n, width, length]"""
        return x + F.relu(self.conv(x))


class Seam(nn.Module):
    """Two edges, read the same way."""

    def __init__(self, width: int = 96, layers: int = 3) -> None:
        super().__init__()
        self.both = nn.Sequential(nn.Conv1d(2 * FEATURES, width, 3, 1, 1, bias=False), nn.BatchNorm1d(width), nn.ReLU())
        self.along = nn.Sequential(*(Along(width) for _ in range(layers)))
        self.judge = nn.Sequential(nn.Linear(3 * width, 96), nn.ReLU(), nn.Linear(96, 1))

    def forward(self, ours: Tensor, theirs: Tensor) -> Tensor:
        """Features [n, FEATURES, length] of each, both clockwise → logits [n]"""
        return self.judged(self.both(torch.cat([ours, theirs.flip(2)], 1)))

    def judged(self, x: Tensor) -> Tensor:
        """From what the first convolution made of both."""
        x = self.along(x)
        mean = x.mean(2)
        spread = (x - mean[:, :, None]).square().mean(2).add(1e-4).sqrt()
        return self.judge(torch.cat([mean, x.amax(2), spread], 1))[:, 0]


class ShippedRim(nn.Module):
    """A rim with what the first convolution along a seam makes of it, as the one edge and as the other.

    Convolutions are sums over their inputs: what depends on one edge alone is not reckoned again for every pair.
    """

    def __init__(self, rim: Rim, seam: "Seam") -> None:
        super().__init__()
        self.rim = rim
        both = seam.both[0]
        assert isinstance(both, nn.Conv1d)
        assert both.bias is not None
        self.ours, self.theirs = (nn.Conv1d(FEATURES, both.out_channels, 3, 1, 1, bias=at == 0) for at in range(2))
        self.ours.weight.data, self.ours.bias.data = both.weight.data[:, :FEATURES], both.bias.data  # type: ignore[union-attr]
        self.theirs.weight.data = both.weight.data[:, FEATURES:]

    def forward(self, lines: Tensor, lost: Tensor, segments: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """As ``Rim``, with two halves of a seam in place of features. [n, width, length] each"""
        ask, asked, features = self.rim(lines, lost, segments)
        return ask, asked, self.ours(features), self.theirs(features.flip(2))


class ShippedSeam(nn.Module):
    """The rest of a seam."""

    def __init__(self, seam: "Seam") -> None:
        super().__init__()
        self.seam = seam

    def forward(self, ours: Tensor, theirs: Tensor) -> Tensor:
        """Halves of seams [n, width, length] → logits [n]"""
        return self.seam.judged(F.relu(ours + theirs))


class Networks(nn.Module):
    """Both."""

    def __init__(self) -> None:
        super().__init__()
        self.rim, self.seam = Rim(), Seam()


@cache
def shares(length: int, device: str) -> Tensor:
    """How much each pixel of an edge counts in the mean of each of its segments. [SEGMENTS, length]"""
    borders = np.linspace(0, length, SEGMENTS + 1)
    inside = np.minimum(borders[1:, None], np.arange(1, length + 1)) - np.maximum(borders[:-1, None], np.arange(length))
    return torch.from_numpy((np.clip(inside, 0, 1) * SEGMENTS / length).astype(np.float32)).to(device)


# learning


class Said(NamedTuple):
    """Losses, and shares that are right."""

    vectors: Tensor
    seams: Tensor
    vectors_right: Tensor
    seams_right: Tensor


def losses(networks: Networks, bags: list[Bag], device: str) -> Said:
    """Every rim asks all others of its bag by vectors, and the hardest of these by features."""
    edges = torch.cat([rims_of(bag.pieces, DEPTH) for bag in bags])
    lost = torch.cat([torch.full((4 * len(bag.pieces),), bag.lost, device=device) for bag in bags])
    segments = shares(edges.shape[3], device)
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        ask, asked, features = networks.rim(edges.contiguous(memory_format=torch.channels_last), lost, segments)
    begin, vector_loss, vector_right, mine, theirs, aims = 0, [], [], [], [], []
    for bag in bags:
        n = 4 * len(bag.pieces)
        own = slice(begin, begin + n)
        aim, known, same = facing(bag.rows, bag.cols, device)
        logits = ask[own] @ asked[own].T
        logits = (logits + logits.T).masked_fill(same, -1e4)
        vector_loss.append(F.cross_entropy(logits[known], aim[known]))
        vector_right.append((logits[known].argmax(1) == aim[known]).float().mean())
        rivals = logits.detach() + torch.randn_like(logits)  # not always the same ones
        rivals[known, aim[known]] = -1e5
        hard = rivals.topk(HARD, 1).indices
        first = torch.where(aim >= 0, aim, hard[:, 0])  # at the rim of the picture one rival more
        theirs.append(torch.cat([first[:, None], hard], 1) + begin)
        mine.append(torch.arange(begin, begin + n, device=device))
        aims.append((aim < 0) * (HARD + 1))
        begin += n
    ours, others, aim = torch.cat(mine), torch.cat(theirs), torch.cat(aims)
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        logits = networks.seam(features[ours].repeat_interleave(HARD + 1, 0), features[others.flatten()])
    logits = torch.cat([logits.float().view(-1, HARD + 1), torch.zeros(len(ours), 1, device=device)], 1)
    twice = F.one_hot(torch.zeros_like(aim), HARD + 2).bool() & (aim > 0)[:, None]  # the same rival
    logits = logits.masked_fill(twice, -1e4)
    loss = F.cross_entropy(logits, aim)
    right = ((logits[:, :-1].argmax(1) == 0) & (aim == 0)).sum() / (aim == 0).sum()
    return Said(torch.stack(vector_loss).mean(), loss, torch.stack(vector_right).mean(), right)


@torch.no_grad()
def judged(networks: Networks, pictures: list[Tensor], erode: int, device: str) -> dict[str, float]:
    """Whole pictures of pieces of 28 pixels, edges asking those of the opposite side: how often the best is right."""
    found, listed, seams = [], [], []
    for picture in pictures:
        rows, cols = picture.shape[1] // 28, picture.shape[2] // 28
        part = picture[:, : rows * 28, : cols * 28].float() / 255
        wear = Wear(erode, 0, 0, 0, 0)
        edges = rims_of(cut(part, rows, cols, 28, wear), DEPTH)
        lost = torch.full((len(edges),), 2.0 * erode, device=device)
        segments = shares(edges.shape[3], device)
        ask, asked, features = networks.rim(edges, lost, segments)
        logits = ask @ asked.T
        logits = logits + logits.T
        side = torch.arange(len(edges), device=device) % 4
        logits = logits.masked_fill((side[:, None] + 2) % 4 != side, -1e4)
        aim, known, same = facing(rows, cols, device)
        logits = logits.masked_fill(same, -1e4)
        best = logits[known].topk(32, 1).indices
        right = best == aim[known][:, None]
        found.append(right[:, 0].float().mean())
        listed.append(right.any(1).float().mean())
        said = torch.cat([
            networks.seam(features[some].repeat_interleave(32, 0), features[them.flatten()]).view(-1, 32)
            for some, them in zip(known.split(256), best.split(256), strict=True)
        ])  # fmt: skip
        seams.append(right.gather(1, said.argmax(1, keepdim=True)).float().mean())
    names = (("vectors", found), ("among 32", listed), ("seams", seams))
    return {name: round(100 * float(torch.stack(part).mean()), 2) for name, part in names}


def learn(
    photos: list[Tensor], squares: Tensor, unseen: list[Tensor], out: Path, seconds: float, device: str, seed: int = 0,
    begin_from: Path | None = None,
) -> Iterator[dict[str, float]]:  # fmt: skip
    """Until the time is over."""
    torch.manual_seed(seed)
    networks = Networks().to(device)
    if begin_from:
        networks.load_state_dict(torch.load(begin_from, map_location=device, weights_only=True))
    average = deepcopy(networks).eval()
    kinds: tuple[list[nn.Parameter], list[nn.Parameter]] = ([], [])
    for weight in networks.parameters():
        kinds[weight.ndim < 2].append(weight)
    optimizer = torch.optim.AdamW(
        [{"params": kinds[0], "weight_decay": DECAY}, {"params": kinds[1], "weight_decay": 0.0}],
        lr=RATE, betas=(0.9, 0.98), fused=device == "cuda",
    )  # fmt: skip
    bags, begun, step, told = Bags(photos, squares, seed), time.monotonic(), 0, 0.0
    while (past := time.monotonic() - begun) < seconds:
        rate = RATE * min(1.0, (step + 1) / WARM) * (0.01 + 0.99 * (0.5 + 0.5 * math.cos(math.pi * past / seconds)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        said = losses(networks, bags.batch(), device)
        optimizer.zero_grad(set_to_none=True)
        (said.vectors + said.seams).backward()
        nn.utils.clip_grad_norm_(networks.parameters(), 1.0)
        optimizer.step()
        step += 1
        keep = min(0.999, (1 + step) / (10 + step))
        with torch.no_grad():
            for mine, new in zip(average.state_dict().values(), networks.state_dict().values(), strict=True):
                if mine.is_floating_point():
                    mine.lerp_(new, 1 - keep)
        if step % 100 == 0 or device == "cpu":
            yield {
                "step": step,
                "s": round(past, 1),
                **{key: round(float(value.detach()), 4) for key, value in said._asdict().items()},
            }
        if past - told > 120:
            told = past
            write(average, out)
            yield {"step": step, **{f"erode {e}": judged(average, unseen, e, device) for e in (1, 2)}}  # type: ignore[dict-item]
    write(average, out)
    yield {"step": step, **{f"erode {e}": judged(average, unseen, e, device) for e in (0, 1, 2, 3)}}  # type: ignore[dict-item]


def write(networks: Networks, path: Path) -> None:
    """The weights."""
    file = io.BytesIO()
    torch.save({name: value.cpu() for name, value in networks.state_dict().items()}, file)
    path.write_bytes(file.getvalue())


# files


def pack(folders: list[Path], side: int, out: Path) -> None:
    """Pictures of these folders (or single ones), no larger than so many pixels, in one file."""
    found: dict[str, np.ndarray] = {}
    for folder in folders:
        for path in sorted(folder.iterdir()) if folder.is_dir() else [folder]:
            with Image.open(path) as image:
                scale = min(1.0, side / max(image.size))
                size = round(image.width * scale), round(image.height * scale)
                small = (
                    image.convert("RGB").resize(size, Image.Resampling.LANCZOS) if scale < 1 else image.convert("RGB")
                )
                file = io.BytesIO()
                small.save(file, "WEBP", quality=90, method=4)
            found[f"{path.parent.name}-{path.stem}"] = np.frombuffer(file.getvalue(), np.uint8)
    np.savez(out, **found)  # type: ignore[arg-type]


def unpacked(path: Path, device: str) -> list[Tensor]:
    """The pictures of such a file."""
    with np.load(path) as pictures:
        arrays = [
            np.asarray(Image.open(io.BytesIO(pictures[name].tobytes())).convert("RGB")) for name in pictures.files
        ]
    return [torch.from_numpy(array.copy()).permute(2, 0, 1).contiguous().to(device) for array in arrays]


def exported(path: Path, folder: Path) -> None:
    """Both networks as files that onnxruntime runs, with their batch norms folded in; and their card."""
    networks = Networks()
    networks.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    fold(networks.eval())
    count, length = torch.export.Dim("n", min=2, max=1 << 20), torch.export.Dim("length", min=8, max=4096)
    networks.rim = shipped = ShippedRim(networks.rim, networks.seam)  # type: ignore[assignment]
    networks.seam = ShippedSeam(networks.seam)  # type: ignore[assignment]
    lines, half = torch.rand(6, 3, DEPTH, 24), torch.rand(6, shipped.ours.out_channels, 24)
    given: dict[str, Any] = {
        "rim": ((lines, torch.full((6,), 4.0), shares(24, "cpu")), ({0: count, 3: length}, {0: count}, {1: length}),
                ["lines", "lost", "segments"], ["ask", "asked", "ours", "theirs"]),
        "seam": ((half, half.clone()), ({0: count, 2: length}, {0: count, 2: length}), ["ours", "theirs"], ["logits"]),
    }  # fmt: skip
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it tells which packages it does not need
    hashes = {}
    for name, (some, dynamic, inputs, outputs) in given.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about its own insides
            program = torch.onnx.export(getattr(networks, name), some, dynamo=True, verbose=False, input_names=inputs,
                                        output_names=outputs, dynamic_shapes=dynamic)  # fmt: skip
        assert program is not None
        data = program.model_proto.SerializeToString()
        (folder / f"{name}.onnx").write_bytes(data)
        hashes[name] = hashlib.sha256(data).hexdigest()
    card = folder / "rims.json"
    about = json.loads(card.read_text()) if card.exists() else {}
    card.write_text(json.dumps(about | {"sha256": hashes}, indent=2) + "\n")


def fold(module: nn.Module) -> None:
    """Make every batch norm part of the convolution before it."""
    for child in module.modules():
        if (
            isinstance(child, nn.Sequential)
            and len(child) > 1
            and isinstance(child[1], nn.BatchNorm1d | nn.BatchNorm2d)
        ):
            assert isinstance(child[0], nn.Conv1d | nn.Conv2d)
            child[0], child[1] = fuse_conv_bn_eval(child[0], child[1]), nn.Identity()


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("pack", "learn", "export"))
    parser.add_argument("places", nargs="*", type=Path)
    parser.add_argument("--side", type=int, default=1400)
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--squares", type=Path, nargs="+", default=[])
    parser.add_argument("--judge", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=1200)
    parser.add_argument("--begin", type=Path)
    asked = parser.parse_args()
    if asked.what == "pack":
        pack(asked.places, asked.side, asked.out)
        return
    if asked.what == "export":
        exported(asked.places[0], asked.out)
        return
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = False  # sizes change from batch to batch
    squares = torch.from_numpy(np.concatenate([np.load(path) for path in asked.squares])).to(device)
    photos, unseen = unpacked(asked.photos, device), unpacked(asked.judge, device)
    print(json.dumps({"photos": len(photos), "squares": len(squares), "judge": len(unseen)}), flush=True)
    for line in learn(photos, squares, unseen, asked.out, asked.seconds, device, begin_from=asked.begin):
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
