"""Kill every solver that saves checkpoints, hundreds of times, and see that nothing is lost.

    .venv/bin/python benchmarks/kills.py [--kills 240] [--seed 1] [--only TEXT]

Each is run by the real command line, killed at random moments and while it saves, run again until it comes to its end,
and compared with a run that nobody disturbed (tests/support/kills.py). A row a solver and verb is appended to
benchmarks/results/kills.jsonl; the status is 1 if anything was lost.
"""

import argparse
import json
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
sys.path.insert(0, str(CHECKOUT / "tests"))

from dovetail.core.report import machine  # noqa: E402
from support.kills import Case, Tally, cases, tried  # noqa: E402


def main() -> int:
    """Run the cases one after the other; 0 if nothing was lost."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--kills", type=int, default=240, help="of all solvers together")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="", help="cases whose name (family solver verb) has this text in it")
    given = options.parse_args()
    chosen = [case for case in cases() if given.only in case.name]
    each, lost = -(-given.kills // len(chosen)), 0
    for case in chosen:
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            tally = tried(case, Path(folder), each, given.seed)
        row = _row(case, tally, given.seed, time.monotonic() - begin)
        lost += not row["nothing_lost"]
        print(json.dumps(row), flush=True)
        with (CHECKOUT / "benchmarks" / "results" / "kills.jsonl").open("a") as rows:
            rows.write(json.dumps(row) + "\n")
    return 1 if lost else 0


def _row(case: Case, tally: Tally, seed: int, seconds: float) -> dict[str, object]:
    fine = tally.same == tally.ended and not tally.orphans and not tally.leftovers
    return {
        "suite": "kills", "family": case.family, "solver": case.solver, "verb": case.verb,
        "puzzle": case.of, "steps": case.steps, "settings": list(case.settings), "seed": seed,
        **asdict(tally), "nothing_lost": fine, "seconds": round(seconds, 1), "machine": machine(),
    }  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
