"""Teach the networks that look at worn rims: makes rim.onnx and seam.onnx in src/dovetail/jigsaw/worn anew.

    python benchmarks/teach_rims.py pack FOLDER … --out photos.npz [--side 1400]
    python benchmarks/teach_rims.py learn --photos photos.npz --squares a.npy … --judge judge.npz --out rims.pt
                                          [--seconds 1200] [--begin rims.pt]
    python benchmarks/teach_rims.py export rims.pt --out src/dovetail/jigsaw/worn

The first packs pictures (ours stand on the card, rims.json). The
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
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from PIL import Image
from rims_networks import DEPTH, Networks, ShippedRim, ShippedSeam, fold, shares
from teach_rims_bags import Bags, Group, Wear, cut, facing, rims_of
from torch import Tensor, nn
from torch.nn import functional as F

from dovetail.jigsaw.deep.exporting import packed

HARD = 10  # rivals a rim is compared with
WARM, RATE, DECAY = 300, 1.2e-3, 0.05


# learning


class Said(NamedTuple):
    """Losses, and shares that are right."""

    vectors: Tensor
    seams: Tensor
    vectors_right: Tensor
    seams_right: Tensor


def losses(networks: Networks, groups: list[Group], device: str) -> Said:
    """Every rim asks all others of its puzzle by vectors, and the hardest of these by features."""
    edges = torch.cat([rims_of(group.pieces.flatten(0, 1), DEPTH) for group in groups])
    lost = torch.cat([group.lost.repeat_interleave(4 * group.pieces.shape[1]) for group in groups])
    segments = shares(edges.shape[3], device)
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        ask, asked, features = networks.rim(edges.contiguous(memory_format=torch.channels_last), lost, segments)
    begin, vector_loss, vector_right, theirs, aims = 0, [], [], [], []
    for group in groups:
        puzzles, n = group.pieces.shape[0], 4 * group.pieces.shape[1]
        own = slice(begin, begin + puzzles * n)
        aim, known, same = facing(group.rows, group.cols, device)
        logits = ask[own].view(puzzles, n, -1) @ asked[own].view(puzzles, n, -1).transpose(1, 2)
        logits = (logits + logits.transpose(1, 2)).masked_fill(same, -1e4)
        told, right = logits[:, known].flatten(0, 1), aim[known].repeat(puzzles)
        vector_loss.append(F.cross_entropy(told, right))
        vector_right.append((told.argmax(1) == right).float().mean())
        rivals = logits.detach() + torch.randn_like(logits)  # not always the same ones
        rivals[:, known, aim[known]] = -1e5
        hard = rivals.topk(HARD, 2).indices
        first = torch.where(aim >= 0, aim, hard[:, :, 0])  # at the rim of the picture one rival more
        them = torch.cat([first[:, :, None], hard], 2) + n * torch.arange(puzzles, device=device)[:, None, None]
        theirs.append(them.flatten(0, 1) + begin)
        aims.append(((aim < 0) * (HARD + 1)).repeat(puzzles))
        begin += puzzles * n
    others, aim = torch.cat(theirs), torch.cat(aims)
    ours = torch.arange(begin, device=device).repeat_interleave(HARD + 1)
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        logits = networks.seam(features[ours], features[others.flatten()])
    logits = torch.cat([logits.float().view(-1, HARD + 1), torch.zeros(begin, 1, device=device)], 1)
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
    networks = Networks().to(device, memory_format=torch.channels_last)
    if begin_from:
        begun_with(networks, begin_from)
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
        pairs = zip(average.state_dict().values(), networks.state_dict().values(), strict=True)
        mine, new = zip(*((one, other) for one, other in pairs if one.is_floating_point()), strict=True)
        with torch.no_grad():
            torch._foreach_lerp_(mine, new, 1 - keep)
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
    """The weights, in half precision."""
    file = io.BytesIO()
    torch.save({name: _precise(value.cpu(), torch.half) for name, value in networks.state_dict().items()}, file)
    path.write_bytes(file.getvalue())


def begun_with(networks: Networks, path: Path) -> None:
    """The weights from such a file."""
    weights = torch.load(path, map_location="cpu", weights_only=True)
    networks.load_state_dict({name: _precise(value, torch.float) for name, value in weights.items()})


def _precise(value: Tensor, kind: torch.dtype) -> Tensor:
    return value.to(kind) if value.is_floating_point() else value


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


def exported(path: Path, folder: Path, shortened: Callable[[Any], Any] = packed) -> None:
    """Both networks as files that onnxruntime runs, batch norms folded in, large weights as bytes; and their card."""
    networks = Networks()
    begun_with(networks, path)
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
        data = shortened(program.model_proto).SerializeToString()
        (folder / f"{name}.onnx").write_bytes(data)
        hashes[name] = hashlib.sha256(data).hexdigest()
    card = folder / "rims.json"
    about = json.loads(card.read_text()) if card.exists() else {}
    card.write_text(json.dumps(about | {"sha256": hashes}, indent=2) + "\n")


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
