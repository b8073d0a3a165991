"""Teach the network that looks at seams of compressed pictures: makes its two parts and their card anew.

    python benchmarks/teach_grid_seams.py learn FOLDER … --out grid_seams.pt [--seconds 1500] [--judge FOLDER 16 20]
    python benchmarks/teach_grid_seams.py export grid_seams.pt --out src/dovetail/jigsaw

The first, on a CPU, cuts every second picture of each folder into pieces, those that teach_odds.py takes, and scaled
down and compressed anew in another quality besides; lists for every edge the edges that may face it by the first
measure, as the assembler does; and learns which it is, from edges where that is not clear. Now and then the right one
is left out, and nothing faces the edge. The second writes the network, as two: *grid_sides* is run once an edge,
*grid_seams* once a pair.
"""

import argparse
import hashlib
import io
import json
import logging
import math
import os
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from teach_odds import PIECE, chosen, done, facing, neighbours
from torch import Tensor, nn
from torch.nn import functional as F

from dovetail.jigsaw import comparing, grid, grid_seams
from dovetail.jigsaw.candidates import ranked
from dovetail.jigsaw.cutting import cut, shuffled
from dovetail.jigsaw.images import Pixels, open_picture

FILTERS, WIDTH = 96, 64  # numbers of every cell: sums of what lies around it, and what is made of them
SHALLOWEST = 6  # lines of the pieces that have fewest, less one
SMALL, SMALLEST = 0.5, 1 / 6  # levels of 255: what is little in a cell, and in the mean of all
RIVALS, BATCH, RATE, DECAY = 15, 256, 2e-3, 1e-3
NUMBERS = 3 * len(grid_seams.LINES)  # that an edge has, a cell
NONE = 0.15  # of the edges are shown without the one that faces them
SHORT, SHORTEST = 0.3, 7  # the share of batches whose edges are cut shorter, and cells that are left
SHALLOW = 0.15  # of the batches have edges of fewer lines
SHALLOWER = [min(line, SHALLOWEST) for line in range(len(grid_seams.LINES))]
MOST_LISTED = 96  # candidates of an edge
CLEAR = 0.47  # by how much the best logarithm must be below the second for an edge to be clear


class Network(nn.Module):
    """Both edges of a seam, cell by cell, and how it lies on the grid → log odds, but for a number of the edge's.

    First come sums of lines and colours of both edges, which are zero if all is one colour: what compression and its
    reading smoothed is a sum of such kind, to a fraction of a level, and only then may large ones count less.
    """

    def __init__(self, filters: int = FILTERS, width: int = WIDTH) -> None:
        super().__init__()
        self.filters = nn.Parameter(torch.randn(filters, 2 * NUMBERS, 3) * 0.15)
        self.lies = nn.Linear(grid.TOLD - 1, width)
        self.here, self.again = nn.Linear(filters, width), nn.Linear(width, width)
        self.whole, self.out = nn.Linear(2 * width + filters, width), nn.Linear(width, 1)

    def forward(self, one: Tensor, other: Tensor, lies: Tensor) -> Tensor:
        """The sums of a seam, as seen from either edge [n, cells, filters], and how it lies [n, 2] → [n]"""
        return self.seen(one, lies) + self.seen(other, lies)

    def sides(self, edges: Tensor) -> tuple[Tensor, Tensor]:
        """What an edge adds to the sums as seen from itself, and as seen from the one that faces it.

        [n, cells, numbers] → [n, cells, filters] twice
        """
        near, far = self.halves()
        return F.linear(around(edges), near), F.linear(around(edges.flip(1)), far)

    def halves(self) -> tuple[Tensor, Tensor]:
        """What multiplies the one edge, and the other: sums are those of differences from the mean of both rims."""
        weights = self.filters.view(-1, 2, len(grid_seams.LINES), 3, 3)
        rim = torch.zeros(len(grid_seams.LINES), 1, 1)
        rim[0] = 0.5
        weights = weights - weights.sum((1, 2), keepdim=True) * rim
        near, far = weights.flatten(2, 3).transpose(2, 3).flatten(2).unbind(1)
        return near, far

    def seen(self, sums: Tensor, lies: Tensor) -> Tensor:
        """From one of the edges."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.training):
            cells = F.silu(self.here(bent(sums / SMALL)) + self.lies(lies)[:, None])
            cells = cells + F.silu(self.again(cells))
            mean = bent(sums.mean(1) / SMALLEST)
            whole = F.silu(self.whole(torch.cat([cells.mean(1), cells.amax(1), mean], 1)))
        return self.out(whole.float())[:, 0]


def around(cells: Tensor) -> Tensor:
    """The numbers of the cell before, of every cell, and of the one after; none beyond. [n, cells, 3 * numbers]"""
    return torch.cat([F.pad(cells[:, :-1], (0, 0, 1, 0)), cells, F.pad(cells[:, 1:], (0, 0, 0, 1))], 2)


def bent(x: Tensor) -> Tensor:
    """Small numbers as they are, of large ones the root: asinh takes thirty times as long."""
    return x * torch.rsqrt(torch.sqrt(1 + x * x))


class Lessons(NamedTuple):
    """A picture in pieces: all its edges, and those that are learned from, with the edges that may face them."""

    shown: Tensor  # [edges, cells, numbers]
    edges: NDArray[np.int64]  # [unclear]
    listed: NDArray[np.int32]  # [unclear, most]
    lies: NDArray[np.float32]  # [unclear, most, 2]
    possible: NDArray[np.bool_]  # [unclear, most]: by the grid
    right: NDArray[np.bool_]


def lessons(pixels: Pixels) -> Lessons | None:
    """Of a picture; None if it shows no grid."""
    rows, cols = pixels.shape[0] // PIECE, pixels.shape[1] // PIECE
    pieces = cut(pixels[: PIECE * rows, : PIECE * cols], PIECE, PIECE)
    puzzle, truth = shuffled(pieces, rows, cols, np.random.default_rng(0))
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        pairs = done(ranked(puzzle, pool, True))[0]
    if not pairs.told.shape[2]:
        return None
    listed, sums, told = (array[:, :MOST_LISTED] for array in pairs[:3])
    first = np.log(np.maximum(sums, 0) + comparing.FLOORS[0])
    right = neighbours(puzzle, truth, listed)
    unclear = (first[:, 1] < first[:, 0] + CLEAR) | ~right[:, 0]
    possible = grid_seams.asked(listed, first, told)
    edges = np.flatnonzero(unclear & (facing(truth, puzzle.count) >= 0) & (right & possible).any(axis=1))
    shown = torch.from_numpy(grid_seams.seen(puzzle)[0])
    return Lessons(shown, edges, listed[edges], told[edges, :, 1:], possible[edges] | right[edges], right[edges])


def anew(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    """Scaled down, and compressed in another quality, its colours mostly in squares of 16."""
    scale, saved, image = rng.uniform(0.3, 0.6), io.BytesIO(), Image.fromarray(pixels)
    small = image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS)
    small.save(saved, "JPEG", quality=int(rng.integers(60, 93)), subsampling=int(rng.choice([2, 2, 0])))
    return np.asarray(Image.open(saved))


def seams_of(network: Network, ours: Tensor, theirs: Tensor) -> tuple[Tensor, Tensor]:
    """The sums of seams as seen from either edge, each of some edges against as many others. [n · others, cells, …]"""
    near, far = network.sides(ours)
    their_near, their_far = network.sides(theirs)
    others = len(theirs) // len(ours)
    return near.repeat_interleave(others, 0) + their_far, their_near + far.repeat_interleave(others, 0)


def said(network: Network, ours: Tensor, theirs: Tensor, lies: Tensor) -> Tensor:
    """Log odds of some edges against as many others each."""
    logits: Tensor = network(*seams_of(network, ours, theirs), lies)
    return logits


def batch(picture: Lessons, size: int, rng: np.random.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Edges, each against the one that faces it and rivals: the first fit best, and so are likelier to be taken.

    Also which pairs count, and whether anything faces the edge: where not, its own is left out.
    """
    some = rng.integers(0, len(picture.edges), size)
    right, listed = picture.right[some], picture.listed[some]
    order = rng.random(right.shape) + np.arange(right.shape[1]) / right.shape[1]
    order[~picture.possible[some]] = 9
    order[right] = 8  # of pieces that look alike one is enough
    order[np.arange(size), right.argmax(axis=1)] = -1
    k = np.argsort(order, axis=1)[:, : RIVALS + 1]
    counts = np.take_along_axis(order, k, axis=1) < 8
    there = rng.random(size) > NONE
    counts[:, 0] = there
    others = np.take_along_axis(listed, k, axis=1)
    begin, end = 0, picture.shown.shape[1]
    if rng.random() < SHORT:
        many = int(rng.integers(SHORTEST, end + 1))
        begin = int(rng.integers(0, end - many + 1))
        end = begin + many
    ours = picture.shown[picture.edges[some]][:, begin:end]
    theirs = picture.shown[np.maximum(others, 0).ravel()][
        :, picture.shown.shape[1] - end : picture.shown.shape[1] - begin
    ]
    if rng.random() < SHALLOW:  # as of smaller pieces, whose innermost line goes on
        ours, theirs = (
            part.unflatten(2, (len(grid_seams.LINES), 3))[:, :, SHALLOWER].flatten(2) for part in (ours, theirs)
        )
    lies = torch.from_numpy(picture.lies[some[:, None], k].reshape(-1, grid.TOLD - 1))
    return ours, theirs, lies, torch.from_numpy(counts), torch.from_numpy(np.where(there, 0, k.shape[1]))


def learn(
    pictures: Sequence[Lessons], judge: Sequence[Lessons], out: Path, seconds: float, seed: int = 0, fast: bool = False
) -> Iterator[dict[str, float]]:
    """Until the time is over; the mean of the last weights is kept. ``fast``: compiled, which takes a minute."""
    torch.manual_seed(seed)
    rng, network = np.random.default_rng(seed), Network()
    said_of = torch.compile(said, dynamic=True) if fast else said
    mean = {name: value.clone() for name, value in network.state_dict().items()}
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
    share = np.array([len(picture.edges) for picture in pictures]) ** 0.7
    share /= share.sum()
    begun, step, told, loss_so_far = time.monotonic(), 0, 0.0, 0.0
    while (past := time.monotonic() - begun) < seconds:
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / 100) * (0.01 + 0.99 * (1 + math.cos(math.pi * past / seconds)) / 2)
        ours, theirs, lies, counts, aim = batch(pictures[rng.choice(len(pictures), p=share)], BATCH, rng)
        logits = said_of(network, ours, theirs, lies).view(BATCH, -1).masked_fill(~counts, -99)
        loss = F.cross_entropy(torch.cat([logits, torch.zeros(BATCH, 1)], 1), aim)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        step += 1
        keep = min(0.998, (1 + step) / (10 + step))
        for name, value in network.state_dict().items():
            mean[name].lerp_(value, 1 - keep)
        loss_so_far += (loss.item() - loss_so_far) * max(0.01, 1 / step)
        if past - told > 120:
            told = past
            yield {"s": round(past), "step": step, "loss": round(loss_so_far, 4), **judged(mean, judge)}
    torch.save(mean, out)
    yield {"s": round(past), "step": step, "loss": round(loss_so_far, 4), **judged(mean, judge)}


@torch.no_grad()
def judged(weights: dict[str, Tensor], pictures: Sequence[Lessons], size: int = 1000) -> dict[str, float]:
    """How often the right one is first by the network, and by the first measure, of unclear edges, in per cent.

    By how seams lie: within squares, between squares of 8, between squares of 16.
    """
    network, told = Network().eval(), {}
    network.load_state_dict(weights)
    for number, picture in enumerate(pictures):
        lies = np.nanmax(np.where(picture.right[..., None], picture.lies, np.nan), axis=1)
        kinds = {
            "within": lies[:, 0] < 0.5,
            "eight": (lies[:, 0] > 0.5) & (lies[:, 1] < 0.5),
            "sixteen": lies[:, 1] > 0.5,
        }
        for name, kind in kinds.items():
            some = np.random.default_rng(0).permutation(np.flatnonzero(kind))[:size]
            first, found = [], []
            for part in np.array_split(some, max(1, len(some) // 100)):
                listed = picture.listed[part]
                ours, theirs = picture.shown[picture.edges[part]], picture.shown[np.maximum(listed, 0).ravel()]
                lie = torch.from_numpy(picture.lies[part].reshape(-1, grid.TOLD - 1))
                logits = said(network, ours, theirs, lie).view(listed.shape).numpy()
                logits = np.where(picture.possible[part] & (listed >= 0), logits, -99)
                found.append(picture.right[part][np.arange(len(part)), logits.argmax(axis=1)])
                first.append(picture.right[part][:, 0])
            told[f"{number} {name}"] = round(100 * float(np.concatenate(found).mean()), 1)
            told[f"{number} {name}, measure"] = round(100 * float(np.concatenate(first).mean()), 1)
    return told


class ShippedSides(nn.Module):
    """What an edge adds to sums, by itself."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, edges: Tensor) -> tuple[Tensor, Tensor]:
        """[n, cells, numbers] → [n, cells, filters] twice"""
        near, far = self.network.sides(edges)
        return near.half(), far.half()


class ShippedSeams(nn.Module):
    """The rest, of pairs of edges."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, near: Tensor, far: Tensor, ours: Tensor, theirs: Tensor, lies: Tensor) -> Tensor:
        """[edges, cells, filters] twice, [n] twice, [n, 2] → [n]"""
        one, other = (near[mine].float() + far[their].float() for mine, their in ((ours, theirs), (theirs, ours)))
        said: Tensor = self.network(one, other, lies)
        return said


def exported(path: Path, folder: Path) -> None:
    """Both parts of the network as files that onnxruntime runs, and their hashes on its card."""
    network = Network()
    network.load_state_dict(torch.load(path, weights_only=True))
    network.eval()
    count, cells, edges = (torch.export.Dim(name, min=2, max=1 << 20) for name in ("n", "cells", "edges"))
    some, pairs = torch.rand(6, 14, NUMBERS), torch.arange(5)
    half = torch.rand(6, 14, FILTERS).half()
    given: dict[str, Any] = {
        "grid_sides": (ShippedSides(network), (some,), ({0: edges, 1: cells},), ["edges"], ["near", "far"]),
        "grid_seams": (ShippedSeams(network), (half, half.clone(), pairs, pairs.flip(0), torch.rand(5, 2)),
                       ({0: edges, 1: cells}, {0: edges, 1: cells}, {0: count}, {0: count}, {0: count}),
                       ["near", "far", "ours", "theirs", "lies"], ["said"]),
    }  # fmt: skip
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it tells which packages it does not need
    hashes = {}
    for name, (part, example, shapes, inputs, outputs) in given.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about its own insides
            program = torch.onnx.export(
                part, example, dynamo=True, verbose=False, input_names=inputs, output_names=outputs,
                dynamic_shapes=shapes,
            )  # fmt: skip
        assert program is not None
        model = program.model_proto
        for node in model.graph.node:
            del node.metadata_props[:]  # where in our source it came from: not the user's business
            node.doc_string = ""
        data = model.SerializeToString()
        (folder / f"{name}.onnx").write_bytes(data)
        hashes[name] = hashlib.sha256(data).hexdigest()
    card = folder / "grid_seams.json"
    about: dict[str, Any] = json.loads(card.read_text()) if card.exists() else {}
    card.write_text(json.dumps(about | {"sha256": hashes}, indent=2) + "\n")


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("learn", "export"))
    parser.add_argument("places", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--judge", type=Path, nargs="*", default=[], help="pictures")
    parser.add_argument("--seconds", type=float, default=1500)
    parser.add_argument("--compiled", action="store_true", help="twice as fast, after a minute")
    asked = parser.parse_args()
    if asked.what == "export":
        exported(asked.places[0], asked.out)
        return
    rng = np.random.default_rng(7)
    pictures, judge = [], []
    for number, path in enumerate(chosen(asked.places)):
        pixels = open_picture(path.read_bytes(), str(path)).pixels
        for part in (pixels, anew(pixels, rng)) if number % 2 else (pixels,):
            if (lesson := lessons(part)) and len(lesson.edges):
                pictures.append(lesson)
                print(json.dumps({"picture": str(path.name), "edges": len(lesson.edges)}), flush=True)
    for path in asked.judge:
        lesson = lessons(open_picture(path.read_bytes(), str(path)).pixels)
        assert lesson
        judge.append(lesson)
    for line in learn(pictures, judge, asked.out, asked.seconds, fast=asked.compiled):
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
