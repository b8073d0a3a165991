"""How well worn pieces are put together: judged as if they touched, and as the assembler judges them by itself.

    python benchmarks/worn_pieces.py SET [--pictures 02,06] [--wear erode1,noise10] [--effort fast] [--piece 28]
                                     [--seams pixels] [--judged touching,auto] [--time 60]

A SET is a folder of pictures. Each is cut, worn in one way (``WEAR``) and solved twice, frame known: once with
``worn/seams.look_worn`` told to say no ("touching"), which is how all pieces were judged before there was such a
thing, and once as it is ("auto"). Appends a row for every picture to benchmarks/results/worn-pieces.jsonl.
"""

import argparse
import datetime
import json
import time
from pathlib import Path
from unittest import mock

from dovetail.core.puzzle import Placement
from dovetail.core.report import machine
from dovetail.core.solver import Budget, Clock
from dovetail.jigsaw.assembler import Assembler, Settings
from dovetail.jigsaw.cutting import make
from dovetail.jigsaw.puzzle import Jigsaw, Making
from dovetail.jigsaw.scores import judge
from dovetail.jigsaw.worn import seams as worn_seams

RESULTS = Path(__file__).parent / "results" / "worn-pieces.jsonl"
WEAR: dict[str, dict[str, float]] = {
    "none": {}, "erode1": {"erode": 1}, "erode2": {"erode": 2}, "brightness0.1": {"brightness": 0.1},
    "noise5": {"noise": 5.0}, "noise10": {"noise": 10.0}, "jpeg75": {"jpeg": 75},
    "scan": {"erode": 1, "noise": 4.0, "brightness": 0.1},
}  # fmt: skip


def solved(puzzle: Jigsaw, truth: Placement, settings: Settings, wall_s: float) -> tuple[float, float]:
    """Neighbour accuracy, and seconds."""
    begin = time.perf_counter()
    work = Assembler().solve(puzzle, settings, Clock(Budget(wall_s=wall_s)), seed=0)
    while True:
        try:
            next(work)
        except StopIteration as ended:
            seconds = time.perf_counter() - begin
            return judge(puzzle, ended.value.solution, truth).scores["neighbour"], seconds


def table() -> None:
    """Means over the pictures of a kind; of each the last row, which is of the latest version."""
    kinds: dict[tuple[str, ...], dict[str, float]] = {}
    for line in RESULTS.read_text().splitlines():
        row = json.loads(line)
        key = (row["set"], row["wear"], str(row["piece"]), row["seams"], row["effort"], row["judged"])
        kinds.setdefault(key, {})[row["picture"]] = row["neighbour"]
    for key, found in sorted(kinds.items()):
        print(f"{' '.join(key):60} {100 * sum(found.values()) / len(found):.1f} ({len(found)} pictures)")


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("set", nargs="?", type=Path)
    parser.add_argument("--pictures", default="02,06,10,14,18")
    parser.add_argument("--wear", default=",".join(WEAR))
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--piece", type=int, default=28)
    parser.add_argument("--seams", default="pixels")
    parser.add_argument("--judged", default="touching,auto")
    parser.add_argument("--time", type=float, default=60)
    asked = parser.parse_args()
    wanted = asked.pictures.split(",")
    for path in sorted(asked.set.iterdir() if asked.set else ()):
        for wear in asked.wear.split(",") if path.stem in wanted else ():
            making = Making(image=str(path), piece=str(asked.piece), **WEAR[wear])  # type: ignore[arg-type]
            puzzle, truth = make(making, 0)
            for judged in asked.judged.split(","):
                with mock.patch.object(
                    worn_seams, "look_worn", worn_seams.look_worn if judged == "auto" else lambda *_: False
                ):
                    settings = Settings(effort=asked.effort, seams=asked.seams)
                    right, seconds = solved(puzzle, truth, settings, asked.time)
                row = {
                    "set": asked.set.name, "picture": path.stem, "wear": wear, "piece": asked.piece, "judged": judged,
                    "seams": asked.seams, "effort": asked.effort, "neighbour": right, "s": round(seconds, 2),
                    "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "machine": machine(),
                }  # fmt: skip
                with RESULTS.open("a") as file:
                    file.write(json.dumps(row) + "\n")
    table()


if __name__ == "__main__":
    main()
