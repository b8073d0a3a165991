"""Whether anything got clearly slower: ``make bench-quick``, a few minutes.

    python benchmarks/quick.py             compare with what was recorded last; status 1 on a clear loss
    python benchmarks/quick.py --record    measure in several processes, and record that

Seconds of different days, or beside other work, say little. So each piece of work is timed between two runs of a
yardstick, a compiled loop that never changes, and only the ratio counts: the median over rounds. How much ratios differ
from process to process though nothing has changed is measured when they are recorded; a loss is clear if it is more
than FAR times that, and if a second process finds it too. Steps are fixed, so that the work is the same; an answer
that is no longer legal is a loss as well.

Rows go to benchmarks/results/quick.jsonl; the last row of each piece of work counts.
"""

import argparse
import datetime
import hashlib
import json
import math
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.puzzle import Puzzle
from dovetail.core.report import machine
from dovetail.core.solver import Budget
from dovetail.kernel import kernel

RESULTS = Path(__file__).parent / "results" / "quick.jsonl"
FAR = 4.0  # standard deviations between processes
LEAST = 1.05  # no loss below is called clear, however quiet the machine was
ROUNDS, PROCESSES = 5, 4
HARDWARE = ("processor", "cores")  # by which a machine is known
LONG_S = 0.2  # that a piece of work should take at least


@dataclass(frozen=True)
class Work:
    """What is timed: a solver on a puzzle, so many steps."""

    solver: str
    sample: str = ""
    kind: str = ""
    make: dict[str, Any] = field(default_factory=dict)
    set: dict[str, Any] = field(default_factory=dict)
    steps: int | None = None
    change: dict[str, Any] = field(default_factory=dict)  # of the puzzle, after it was made

    def puzzle(self) -> Puzzle:
        """Built in, or made."""
        found = registry.sample(self.sample) if self.sample else pipeline.make(self.kind, 0, self.make)[0]
        assert found is not None
        return replace(found, **self.change)


WORKS = {
    "tiles, depth-first": Work("depth-first", "terracotta", steps=20_000_000, set={"algorithm": "fast", "restart": 0}),
    "tiles, best score": Work(
        "partial", kind="tiles", make={"width": 10, "height": 10, "colours": 10}, steps=20_000_000
    ),
    "jigsaw, assembler": Work("assembler", kind="jigsaw", make={"image": "coffee"}, set={"effort": "fast"}),
    "jigsaw, genetic": Work("genetic", kind="jigsaw", make={"image": "chelsea"}, set={"generations": 10}),
    "gapped, network and search": Work("deep", kind="gapped", make={"grid": "4x4"}, set={"threads": 1}),
    "slitherlink, reliable": Work("mcts-reliable", kind="slitherlink", make={"rows": 15, "cols": 15}),
    "slitherlink, sat": Work("sat", kind="slitherlink", make={"rows": 15, "cols": 15}),
    "samegame, nested": Work(
        "nested", kind="samegame", make={"width": 15, "height": 15, "colours": 5, "random": True}, steps=8000,
        change={"target": 0},
    ),
    "sokoban, push": Work("push", "sokoban-cellar"),
    "15-puzzle, ida-star": Work("ida-star", "fifteen-4x4-hard"),
}  # fmt: skip


@kernel
def turned(table: np.ndarray, steps: int) -> int:
    """The yardstick: dependent look-ups in a megabyte, and some arithmetic."""
    at, total = np.uint64(1), np.uint64(0)
    mask = np.uint64(len(table) - 1)
    for _ in range(steps):
        at = table[at & mask] ^ (at >> np.uint64(7)) ^ total
        total = total + (at & np.uint64(255))
    return int(total)


def measured(names: list[str], rounds: int) -> dict[str, dict[str, Any]]:
    """In this process: the median ratio of each piece of work to the yardstick, and what came out."""
    table = np.random.default_rng(0).integers(0, 2**63, 1 << 17).astype(np.uint64)
    turned(table, 10)
    puzzles = {name: WORKS[name].puzzle() for name in names}
    ratios: dict[str, list[float]] = {name: [] for name in names}
    times = dict.fromkeys(names, 1)
    came: dict[str, tuple[str, bool]] = {}
    for number in range(rounds + 2):
        for name in names:
            before = _yardstick(table)
            took = 0.0
            for _ in range(times[name]):
                seconds, answer = _solved(puzzles[name], WORKS[name])
                took += seconds
            after = _yardstick(table)
            said = "" if answer.solution is None else json.dumps(answer.solution.encode(), sort_keys=True)
            came[name] = hashlib.sha256(said.encode()).hexdigest()[:16], answer.verdict.valid
            took /= times[name]
            if number == 1:  # what is over in no time is done again and again
                times[name] = min(50, math.ceil(LONG_S / took))
            if number > 1:  # the first two rounds compile, fill caches, and say how long it takes
                ratios[name].append(2 * took / (before + after))
    return {name: {"ratio": statistics.median(ratios[name]), "answer": came[name][0], "valid": came[name][1]}
            for name in names}  # fmt: skip


def _solved(puzzle: Puzzle, work: Work) -> tuple[float, pipeline.Answer]:
    """Seconds of solving alone, and the answer."""
    job = pipeline.Job(puzzle, work.solver, Budget(None, work.steps), 0, work.set)
    job.warm_up()
    for _ in job:
        pass
    return job.seconds.solve, job.answer


def _yardstick(table: np.ndarray) -> float:
    begun = time.perf_counter()
    turned(table, 10_000_000)
    return time.perf_counter() - begun


def in_a_process(names: list[str], rounds: int) -> dict[str, dict[str, Any]]:
    """The same in a fresh process."""
    command = [sys.executable, __file__, "--measure", str(rounds), "--only", *names]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(ended.stderr)
    found: dict[str, dict[str, Any]] = json.loads(ended.stdout.splitlines()[-1])
    return found


def record(names: list[str]) -> None:
    """A row for each piece of work: the median of several processes, and how far they lie apart."""
    runs = []
    for number in range(PROCESSES):
        print(f"process {number + 1} of {PROCESSES}…", file=sys.stderr, flush=True)
        runs.append(in_a_process(names, ROUNDS))
    when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    with RESULTS.open("a", encoding="utf-8") as file:
        for name in names:
            logs = [math.log(run[name]["ratio"]) for run in runs]
            row = {
                "suite": "quick", "case": name, "when": when, "ratio": math.exp(statistics.median(logs)),
                "deviation": statistics.stdev(logs), "processes": PROCESSES, "rounds": ROUNDS,
                "answer": runs[0][name]["answer"], "valid": runs[0][name]["valid"], "machine": machine(),
            }  # fmt: skip
            print(json.dumps(row), file=file)
            print(f"{name}: {row['ratio']:.2f} yardsticks, ± {100 * row['deviation']:.1f} %")


def compared(names: list[str]) -> bool:
    """Say how each piece of work does beside its last record; whether none has clearly lost."""
    if not RESULTS.is_file():
        raise SystemExit("nothing is recorded yet to compare with: python benchmarks/quick.py --record")
    known = {row["case"]: row for row in map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())}
    if unknown := [name for name in names if name not in known]:
        print(f"not recorded yet, so not compared: {', '.join(unknown)}", file=sys.stderr)
    names = [name for name in names if name in known]
    here = machine()
    if others := {name for name in names if any(known[name]["machine"][key] != here[key] for key in HARDWARE)}:
        print(f"recorded on another machine, so that ratios may differ: {', '.join(others)}", file=sys.stderr)
    now = in_a_process(names, ROUNDS)
    slower = [name for name in names if lost(now[name], known[name])]
    if slower:  # a second look, at those alone
        print(f"looking again at: {', '.join(slower)}…", file=sys.stderr, flush=True)
        again = in_a_process(slower, ROUNDS)
        now |= {name: min(now[name], again[name], key=lambda found: float(found["ratio"])) for name in slower}
    for name in names:
        change = now[name]["ratio"] / known[name]["ratio"]
        other = "" if now[name]["answer"] == known[name]["answer"] else ", another answer"
        word = "LOST" if lost(now[name], known[name]) else "ok"
        print(f"{word:4}  {name}: {change:.2f} of its recorded time (band {band(known[name]):.2f}){other}")
    return not any(lost(now[name], known[name]) for name in names)


def band(row: dict[str, Any]) -> float:
    """How many times its recorded time a piece of work may take."""
    return max(LEAST, math.exp(FAR * row["deviation"]))


def lost(now: dict[str, Any], then: dict[str, Any]) -> bool:
    """Clearly slower, or no longer a legal answer."""
    return now["ratio"] > then["ratio"] * band(then) or (then["valid"] and not now["valid"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--measure", type=int, help="rounds in this process, as JSON")
    parser.add_argument("--only", nargs="+", choices=[*WORKS], default=[*WORKS])
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measured(given.only, given.measure)))
    elif given.record:
        record(given.only)
    elif not compared(given.only):
        sys.exit(1)
