"""How good an answer is after how many seconds: rows for benchmarks/results/anytime.jsonl, drawn on docs/results.md.

    python benchmarks/anytime.py [--only TEXT] [--time 30] [--seeds 3]

Every better board that a solver shows while it works (the Progress that a terminal or a film shows) is kept with its
second, and judged by the checker when the run is over, so that judging takes none of the solver's time. Pictures and
boards are built in or made: nothing else is needed. Compiling is apart, as everywhere.
"""

import argparse
import datetime
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dovetail import pipeline
from dovetail.bench import commands
from dovetail.core.puzzle import Puzzle, Solution, Verdict
from dovetail.core.report import machine
from dovetail.core.solver import Budget
from dovetail.core.source import Source

RESULTS = Path(__file__).parent / "results" / "anytime.jsonl"
DIGITS = 4


@dataclass(frozen=True)
class Case:
    """One solver on one puzzle: made with settings, or built in; and which of the checker's scores is shown."""

    name: str
    solver: str
    score: str
    of: str | None  # the score that it is a share of; None if it is a share already, or points
    kind: str
    make: dict[str, Any] = field(default_factory=dict)
    change: dict[str, Any] = field(default_factory=dict)  # of the puzzle that was made

    def found(self) -> tuple[Puzzle, Solution | None]:
        """The puzzle, and the truth where a score needs it."""
        puzzle, truth = pipeline.make(self.kind, 0, self.make)
        if not self.change:
            return puzzle, truth
        changed = json.dumps({**puzzle.to_json(), **self.change})
        return pipeline.read(Source("changed.json", changed.encode())), None

    def share(self, verdict: Verdict) -> float:
        """The score, as a share where the checker knows of what."""
        value = float(verdict.scores.get(self.score, 0.0))
        return value / (float(verdict.scores[self.of]) if self.of else 1.0)


PICTURE = {"image": "camera", "piece": 28}
BOARD = {"width": 16, "height": 16, "colours": 17, "border_colours": 5}
CASES = (
    Case("assembler: neighbours right, a photograph in 324 pieces", "assembler", "neighbour", None, "jigsaw", PICTURE),
    Case("genetic: the same photograph", "genetic", "neighbour", None, "jigsaw", PICTURE),
    Case("partial: seams matched, a 16×16 board like Eternity II", "partial", "matched", "seams", "tiles", BOARD),
    Case("nested: SameGame 15×15, share of the best score of all seeds", "nested", "points", None, "samegame",
         {"width": 15, "height": 15, "colours": 5, "random": True}, {"target": 0}),
)  # fmt: skip


def watched(case: Case, seed: int, time_s: float) -> dict[str, Any]:
    """One run: seconds and scores of every better board, and how it ended."""
    puzzle, truth = case.found()
    job = pipeline.Job(puzzle, case.solver, Budget(time_s), seed)
    job.warm_up()
    shown: list[tuple[float, Solution]] = []
    begin = time.perf_counter()
    for event in job:
        if event.solution is not None and (not shown or event.solution is not shown[-1][1]):
            shown.append((time.perf_counter() - begin, event.solution))
    end_s = time.perf_counter() - begin
    if job.answer.solution is not None:
        shown.append((end_s, job.answer.solution))
    return {
        "case": case.name,
        "solver": case.solver,
        "puzzle": {"kind": puzzle.kind, "digest": puzzle.digest},
        "score": case.score,
        "seed": seed,
        "ended": job.answer.outcome.status,
        "seconds": round(end_s, DIGITS),
        "points": [*_judged(case, puzzle, truth, shown)],
    }


def _judged(
    case: Case, puzzle: Puzzle, truth: Solution | None, shown: list[tuple[float, Solution]]
) -> Iterator[tuple[float, float]]:
    """Where the score changed; it may also fall, since a solver goes by what it knows."""
    last = None
    for second, solution in shown:
        share = round(case.share(pipeline.check(puzzle, solution, truth)), DIGITS)
        if share != last:
            yield round(second, DIGITS), share
        last = share


def main() -> None:
    """Append a row a run, each from a fresh process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only cases whose name holds this text")
    parser.add_argument("--time", type=float, default=30.0, help="seconds a run")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--one", type=int, nargs=2, metavar=("CASE", "SEED"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(watched(CASES[given.one[0]], given.one[1], given.time)))
        return
    begun = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    for seed in range(given.seeds):
        for number, case in enumerate(CASES):
            if given.only not in case.name:
                continue
            told = [sys.executable, __file__, "--time", str(given.time), "--one", str(number), str(seed)]
            ended = commands.finished(told, commands.Limits(given.time + commands.GRACE_S))
            if ended.status != 0:
                sys.exit(f"{case.name}, seed {seed}: {ended.err.strip()[-500:] or ended.limit}")
            row = {**json.loads(ended.out), "budget_s": given.time, "run": begun, "machine": machine()}
            with given.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            reached = row["points"][-1][1] if row["points"] else 0
            print(
                f"{case.name}, seed {seed}: {len(row['points'])} steps to {reached} in {row['seconds']} s", flush=True
            )


if __name__ == "__main__":
    main()
