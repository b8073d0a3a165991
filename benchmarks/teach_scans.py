"""Teach the network of ``scan/seams.py`` what seams of scanned fragments look like.

    python benchmarks/teach_scans.py PICTURES … [--seeds N] [--steps N]

PICTURES are folders; none of them may be a set that scans are judged on. Every picture is scaled and cut into large
fragments, each made lighter or darker, blurred as straightening does, and given noise. Writes
src/dovetail/jigsaw/scan/odds.json, which says from which pictures it is.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter

from dovetail.jigsaw import candidates
from dovetail.jigsaw.cutting import cut, listed
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.jigsaw.scan import seams as scan_seams

HIDDEN, BATCH, RATE = 24, 8192, 3e-3
WEIGHTS = Path(__file__).parents[1] / "src" / "dovetail" / "jigsaw" / "scan" / "odds.json"


def puzzle_of(picture: Path, seed: int) -> tuple[Jigsaw, int, int]:
    """Fragments in their order, worn as scans wear them; and rows and columns."""
    rng = np.random.default_rng(seed)
    side = int(rng.integers(50, 121))
    rows, cols = (6, 8) if rng.random() < 0.7 else (7, 10)
    image = Image.open(picture).convert("RGB")
    if image.height > image.width:
        image = image.transpose(Image.Transpose.ROTATE_90)
    whole = np.asarray(image.resize((cols * side, rows * side), Image.Resampling.LANCZOS))
    pieces = cut(whole, side, side).astype(float)
    noise, light = rng.choice([0, 0, 2, 4, 4, 6]), rng.choice([0.02, 0.05, 0.1, 0.1, 0.1])
    pieces *= rng.uniform(1 - light, 1 + light, len(pieces))[:, None, None, None]
    pieces = gaussian_filter(np.clip(np.rint(pieces), 0, 255), (0, 0.35, 0.35, 0), mode="nearest")
    pieces += 1.1 * gaussian_filter(rng.normal(0, noise, pieces.shape), (0, 0.3, 0.3, 0))
    return listed(np.clip(np.rint(pieces), 0, 255).astype(np.uint8), (rows, cols)), rows, cols


def lessons(puzzle: Jigsaw, rows: int, cols: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """What the network is told of all pairs to the right and below, and which are true."""
    looks, cells = scan_seams.prepared(puzzle), np.arange(rows * cols).reshape(rows, cols)
    alike = np.ones(puzzle.count, np.int32)
    inputs, answers = [], []
    for ours, theirs in candidates.facing(puzzle, np.arange(puzzle.count)):
        side = int(ours[0]) % 4
        if side not in (1, 2):
            continue
        mine, others = scan_seams.rivals(looks[side % 2], ours, theirs, alike)
        measured = scan_seams.measures(looks[side % 2], ours, theirs)
        told = scan_seams.told(measured, mine, others)
        right = np.zeros((puzzle.count, puzzle.count), bool)
        one, other = (cells[:, :-1], cells[:, 1:]) if side == 1 else (cells[:-1], cells[1:])
        right[one.ravel(), other.ravel()] = True
        apart = ~np.eye(puzzle.count, dtype=bool)
        inputs.append(told[apart])
        answers.append(right[apart])
    return np.concatenate(inputs), np.concatenate(answers)


def taught(inputs: NDArray[np.float32], answers: NDArray[np.bool_], steps: int) -> tuple[torch.nn.Sequential, float]:
    """The network, told standardised numbers; and its loss on all of them."""
    torch.manual_seed(0)
    given, wanted = torch.tensor(inputs), torch.tensor(answers.astype(np.float32))
    network = torch.nn.Sequential(torch.nn.Linear(inputs.shape[1], HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 1))
    optimiser = torch.optim.Adam(network.parameters(), RATE, weight_decay=1e-5)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    chance = torch.Generator().manual_seed(0)
    for _ in range(steps):
        some = torch.randint(0, len(given), (BATCH,), generator=chance)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(network(given[some])[:, 0], wanted[some])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    with torch.no_grad():
        total = torch.nn.functional.binary_cross_entropy_with_logits(network(given)[:, 0], wanted)
    return network, float(total)


def main() -> None:
    """See the module text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--steps", type=int, default=1500)
    given = parser.parse_args()
    paths = [path for folder in given.pictures for path in sorted(folder.iterdir())]
    parts = [
        lessons(*puzzle_of(path, 1000 * seed + number))
        for seed in range(given.seeds)
        for number, path in enumerate(paths)
    ]
    inputs, answers = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    mean, spread = inputs.mean(axis=0), inputs.std(axis=0)
    network, loss = taught((inputs - mean) / spread, answers, given.steps)
    into, bias, out, shift = (part.detach().numpy().astype(float) for part in network.parameters())
    numbers = {
        "from": [folder.name for folder in given.pictures],
        "pairs": len(answers),
        "right": int(answers.sum()),
        "loss": round(loss, 5),
        "into": np.round((into / spread).T, 5).tolist(),
        "bias": np.round(bias - (into / spread) @ mean, 5).tolist(),
        "out": np.round(out[0], 5).tolist(),
        "shift": round(float(shift[0]), 5),
    }
    WEIGHTS.write_text(json.dumps(numbers) + "\n")
    print({key: numbers[key] for key in ("from", "pairs", "right", "loss")})


if __name__ == "__main__":
    main()
