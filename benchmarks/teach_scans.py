"""Teach the network of ``scan/seams.py`` what seams of scanned fragments look like.

    python benchmarks/teach_scans.py PICTURES … [--seeds N] [--steps N]

PICTURES are folders of JPEG files; none of them may be a set that scans are judged on. Sheets are made of them as
``scans.py`` makes them, and read as any other, so that the network sees what reading leaves of a seam. One picture in
four is held back: of those the loss is told, too. Writes src/dovetail/jigsaw/scan/odds.json, which says from which
pictures it is.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from scans import COLS, ROWS, scanned

from dovetail.core.errors import DovetailError
from dovetail.jigsaw import candidates
from dovetail.jigsaw.cutting import listed
from dovetail.jigsaw.puzzle import Jigsaw, Reading
from dovetail.jigsaw.scan import seams as scan_seams
from dovetail.jigsaw.scan.making import renumbered
from dovetail.jigsaw.scan.reading import read_scans

HIDDEN, BATCH, RATE = 64, 8192, 3e-3
NOISES = (0.0, 0.0, 0.0, 2.0, 4.0, 4.0, 6.0)
HELD_BACK = 4  # one picture in so many
TINY = 1e-6  # of what never differs
Lessons: TypeAlias = tuple[NDArray[np.float32], NDArray[np.bool_]]
WEIGHTS = Path(__file__).parents[1] / "src" / "dovetail" / "jigsaw" / "scan" / "odds.json"


def puzzle_of(picture: Path, seed: int) -> Jigsaw:
    """A sheet as ``scans.py`` makes them, read as any other; its fragments in their order."""
    noise = float(np.random.default_rng((seed, 1)).choice(NOISES))
    sheet, places, planted, _ = scanned(picture, seed, noise)
    puzzle = read_scans([("sheet", sheet)], Reading())
    order = np.array(renumbered(puzzle, places, planted).pieces).ravel()
    return listed(puzzle.array[order], (ROWS, COLS))


def lessons(puzzle: Jigsaw) -> Lessons:
    """What the network is told of all pairs to the right and below, and which are true."""
    looks, cells = scan_seams.prepared(puzzle), np.arange(ROWS * COLS).reshape(ROWS, COLS)
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


def taught(inputs: NDArray[np.float32], answers: NDArray[np.bool_], steps: int) -> torch.nn.Sequential:
    """The network, told standardised numbers."""
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
    return network


def loss_of(network: torch.nn.Sequential, inputs: NDArray[np.float32], answers: NDArray[np.bool_]) -> float:
    """In nats, of all pairs, for each that is true."""
    with torch.no_grad():
        said = network(torch.tensor(inputs))[:, 0]
    wanted = torch.tensor(answers.astype(np.float32))
    total = torch.nn.functional.binary_cross_entropy_with_logits(said, wanted, reduction="sum")
    return round(float(total) / int(answers.sum()), 4)


def lessons_from(paths: Sequence[Path], seeds: int) -> Lessons:
    """Of these pictures, on so many sheets each; what cannot be read is said and left out."""
    parts = []
    for seed in range(seeds):
        for number, path in enumerate(paths):
            try:
                parts.append(lessons(puzzle_of(path, 1000 * (number + 1) + seed)))
            except DovetailError as error:
                print(path, error, flush=True)
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def main() -> None:
    """See the module text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=10_000)
    given = parser.parse_args()
    paths = [path for folder in given.pictures for path in sorted(folder.glob("*.jpg"))]
    inputs, answers = lessons_from([path for number, path in enumerate(paths) if number % HELD_BACK], given.seeds)
    others, of_others = lessons_from(paths[::HELD_BACK], given.seeds)
    mean, spread = inputs.mean(axis=0), inputs.std(axis=0) + TINY
    network = taught((inputs - mean) / spread, answers, given.steps)
    into, bias, out, shift = (part.detach().numpy().astype(float) for part in network.parameters())
    numbers = {
        "from": [folder.name for folder in given.pictures],
        "pairs": len(answers),
        "right": int(answers.sum()),
        "loss": loss_of(network, (inputs - mean) / spread, answers),
        "loss_of_others": loss_of(network, (others - mean) / spread, of_others),
        "into": np.round((into / spread).T, 5).tolist(),
        "bias": np.round(bias - (into / spread) @ mean, 5).tolist(),
        "out": np.round(out[0], 5).tolist(),
        "shift": round(float(shift[0]), 5),
    }
    WEIGHTS.write_text(json.dumps(numbers) + "\n")
    print({key: numbers[key] for key in ("from", "pairs", "right", "loss", "loss_of_others")})


if __name__ == "__main__":
    main()
