"""How work spreads over the workers of a dask cluster: rows for results/scale.jsonl, and the tables of docs/scale.md.

    python benchmarks/scale.py                    on 1 and 2 workers of this machine: some four minutes, alone on it
    python benchmarks/scale.py --workers 1 2 4 8  on a larger one
    python benchmarks/scale.py --page             fills the page from the rows

Needs the extra ``cluster``; Brendan Owen's 6×6 lies in $DOVETAIL_DATA (benchmarks/README.md) and is left out without
it. The same work is done on every number of workers, and must give the same answer. Compiling is apart.
"""

import argparse
import datetime
import json
import os
import re
import signal
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from dovetail import __version__, pipeline
from dovetail.core.puzzle import Puzzle
from dovetail.core.report import machine
from dovetail.core.solver import Budget
from dovetail.workers import LOOK_S

RESULTS = Path(__file__).parent / "results" / "scale.jsonl"
PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
MARKED = re.compile(r"(<!-- scale: (?P<table>\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
OWEN = "tiles/brendan-owen/set_1/pieces_06x06.txt"
OWEN_CASE = "Owen's 6×6, all solutions counted"
OWEN_SOLUTIONS = {"solutions": 65, "solutions_with_rotations": 260}
TASKS, IN_FLIGHT, PAYLOAD = 400, 8, 40_000  # of the trivial work that says what a task costs
FAR_SLICE_S = 0.8  # what a slice on a cluster takes
BUSY = 2.0  # load beyond the workers that is somebody else's
MODELLED = (2, 8, 32, 128, 512)
NONE_YET = "No rows yet."
ROUNDS = 3  # clusters of each size that short work is done on

Done: TypeAlias = tuple[float, dict[str, Any]]  # seconds, and what came out


@dataclass(frozen=True)
class Work:
    """What is spread."""

    solver: str
    puzzle: Callable[[], Puzzle | None]
    given: dict[str, Any] = field(default_factory=dict)
    steps: int | None = None
    counts: bool = False
    times: int = 1


def _made(kind: str, seed: int = 0, **given: Any) -> Callable[[], Puzzle]:
    return lambda: pipeline.make(kind, seed, given)[0]


def _owen() -> Puzzle | None:
    path = Path(os.environ.get("DOVETAIL_DATA", "")) / OWEN
    return pipeline.read(path) if path.is_file() else None


def _for_points() -> Puzzle:
    made: Any = _made("samegame", width=15, height=15, colours=5, random=True)()
    return replace(made, target=0)  # no score is enough


WORKS = {
    OWEN_CASE: Work("depth-first", _owen, counts=True, times=5),
    "a larger tree, 10⁹ placements of it": Work(
        "depth-first", _made("tiles", width=6, height=6, colours=4), steps=10**9, counts=True
    ),
    "depth-first, 4 starts": Work(
        "depth-first", _made("tiles", width=12, height=12, colours=12), {"parallel": 4}, steps=400_000_000
    ),
    "partial, 4 starts": Work(
        "partial", _made("tiles", width=10, height=10, colours=10), {"parallel": 4}, steps=400_000_000
    ),
    "nested, 4 searches": Work("nested", _for_points, {"workers": 4}, steps=400_000),
    "genetic, 4 islands": Work(
        "genetic", _made("jigsaw", image="coffee"),
        {"islands": 4, "population": 300, "generations": 30, "exact": True},
    ),
}  # fmt: skip


@contextmanager
def clustered(workers: int) -> Iterator[Any]:
    """An executor on a new cluster of so many worker processes of one thread."""
    from distributed import LocalCluster

    from dovetail.cluster import connected

    options = {"threads_per_worker": 1, "dashboard_address": ":0", "host": "127.0.0.1", "silence_logs": 50}
    with LocalCluster(n_workers=workers, **options) as there, connected(there.scheduler_address) as executor:
        yield executor


def done(work: Work, puzzle: Puzzle, executor: Any, kill_after_s: float | None = None) -> Done:
    """Seconds of solving, and what came out; with one worker killed on the way, if that is asked for."""
    job = pipeline.Job(puzzle, work.solver, Budget(None, work.steps), 0, work.given, executor=executor)
    job.warm_up()
    victim = None if kill_after_s is None else next(iter(executor.everywhere(os.getpid).values()))
    begun = time.perf_counter()
    for _ in job.counting(None) if work.counts else job:
        if victim is not None and time.perf_counter() - begun > (kill_after_s or 0.0):
            os.kill(victim, signal.SIGKILL)
            victim = None
    if job.failure:
        raise SystemExit(job.failure)
    if victim is not None:
        raise SystemExit("it was over before a worker could be killed")
    return job.seconds.solve, dict(job.answer.outcome.counters)


def nothing(payload: bytes) -> bytes:
    """What a task costs that does nothing."""
    return payload


def tasks_a_second(executor: Any) -> float:
    """Of trivial work, as large as a search that travels."""
    from concurrent.futures import FIRST_COMPLETED, wait

    payload = os.urandom(PAYLOAD)
    executor.submit(nothing, payload).result()
    begun, left, running = time.perf_counter(), TASKS, set()
    while left or running:
        while left and len(running) < IN_FLIGHT:
            running.add(executor.submit(nothing, payload))
            left -= 1
        running = wait(running, LOOK_S, FIRST_COMPLETED).not_done
    return TASKS / (time.perf_counter() - begun)


def measure(numbers: list[int], only: str) -> None:
    """Append the rows."""
    run = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    works = {name: work for name, work in WORKS.items() if only in name}
    puzzles = {name: puzzle for name, work in works.items() if (puzzle := work.puzzle()) is not None}
    answers: dict[str, Any] = {}

    def keep(case: str, workers: int, **said: Any) -> None:
        row = {"suite": "scale", "case": case, "workers": workers, **said, "run": run, "version": __version__}
        row |= {"load": round(os.getloadavg()[0], 2), "machine": machine()}
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(
            f"{case}, {workers or 'no'} workers: { {key: said[key] for key in said if key != 'counters'} }", flush=True
        )

    def several(case: str, executor: Any) -> list[Done]:
        found = [done(works[case], puzzles[case], executor) for _ in range(works[case].times)]
        answers.setdefault(case, found[0][1])
        return found

    def keep_all(case: str, workers: int, found: list[Done]) -> None:
        seconds, counters = zip(*found, strict=True)
        same = all(each == answers[case] for each in counters)
        keep(case, workers, solver=works[case].solver, seconds=[*seconds], same=same, counters=counters[0])

    for case in puzzles:
        if works[case].counts:  # by one thread here, without a cluster
            keep_all(case, 0, several(case, None))
    # clusters in turn: one and the same may be quick or slow for as long as it lives, as its processes came to lie
    short = [case for case in puzzles if works[case].times > 1]
    earlier: dict[tuple[str, int], list[Done]] = defaultdict(list)
    for workers in [*numbers] * (ROUNDS - 1):
        with clustered(workers) as executor:
            for case in short:
                earlier[case, workers] += several(case, executor)
    for workers in numbers:
        with clustered(workers) as executor:
            for case in puzzles:
                keep_all(case, workers, earlier[case, workers] + several(case, executor))
            keep("trivial tasks", workers, a_second=tasks_a_second(executor))
            if workers > 1 and OWEN_CASE in puzzles:
                work = works[OWEN_CASE]
                half_s = statistics.median(_seconds(RESULTS, OWEN_CASE, workers, run)) / 2
                seconds, counters = done(work, puzzles[OWEN_CASE], executor, half_s)
                same = counters == answers[OWEN_CASE]
                killed = {"solver": work.solver, "seconds": [seconds], "same": same, "counters": counters}
                keep(f"{OWEN_CASE}, a worker killed half-way", workers, **killed)
    if OWEN_CASE in answers:
        found = {key: answers[OWEN_CASE][key] for key in OWEN_SOLUTIONS}
        print(f"Owen's 6×6: {found}{'' if found == OWEN_SOLUTIONS else ', WRONG'}")


def _seconds(path: Path, case: str, workers: int, run: str) -> list[float]:
    rows = read(path)
    return [
        s for row in rows if (row["case"], row["workers"], row["run"]) == (case, workers, run) for s in row["seconds"]
    ]


def read(path: Path = RESULTS) -> list[dict[str, Any]]:
    """Of every case and number of workers the row recorded last."""
    if not path.is_file():
        return []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [*{(row["case"], row["workers"]): row for row in rows}.values()]


def filled(text: str, rows: list[dict[str, Any]]) -> str:
    """The page with its tables as the rows have them."""
    tables = {"measured": measured_table, "modelled": modelled_table}
    return MARKED.sub(lambda match: f"{match[1]}\n{tables[match['table']](rows) or NONE_YET}\n\n{match[3]}", text)


def measured_table(rows: list[dict[str, Any]]) -> str:
    """Seconds by number of workers, the ratio of the most to one, whether the answer is the same; and the machine."""
    timed = [row for row in rows if "seconds" in row]
    if not timed:
        return ""
    numbers = sorted({row["workers"] for row in timed})
    heads = ["no cluster" if not n else "1 worker" if n == 1 else f"{n} workers" for n in numbers]
    lines = [["work", *heads, f"{numbers[-1]} : 1", "same answer"]]
    for case in dict.fromkeys(row["case"] for row in timed):
        own = {row["workers"]: row for row in timed if row["case"] == case}
        medians = {n: statistics.median(row["seconds"]) for n, row in own.items()}
        ratio = f"{medians[numbers[-1]] / medians[1]:.2f}" if {1, numbers[-1]} <= {*medians} else "–"
        cells = [f"{medians[n]:.2f} s" if n in medians else "–" for n in numbers]
        lines.append([case, *cells, ratio, "yes" if all(row["same"] for row in own.values()) else "NO"])
    where = timed[-1]["machine"]
    loads = [row["load"] for row in timed]
    about = f"{where['cores']} cores; load of the machine meanwhile {min(loads):.1f} to {max(loads):.1f}"
    busy = max(loads) > numbers[-1] + BUSY
    said = " **Others were at work on it, so that the seconds say little; the answers hold.**" if busy else ""
    return f"{_markdown(lines)}\n\nMedians; {about}; version {timed[-1]['version']}, {timed[-1]['run'][:10]}.{said}"


def modelled_table(rows: list[dict[str, Any]]) -> str:
    """What an hour of one core's counting should take, if nothing but the two limits of the text holds it up."""
    rates = [row["a_second"] for row in rows if "a_second" in row]
    if not rates:
        return ""
    rate = max(rates)
    lines = [["workers", "seconds (modelled)", "times faster"]]
    for n in MODELLED:
        seconds = max(3600 / n, 3600 / FAR_SLICE_S / rate) + 2 * FAR_SLICE_S
        lines.append([str(n), f"{seconds:,.0f}", f"{3600 / seconds:.0f}"])
    return f"{_markdown(lines)}\n\nWith {rate:.0f} tasks a second, measured above on one coordinator."


def _markdown(lines: list[list[str]]) -> str:
    head, *rest = ("| " + " | ".join(cells) + " |" for cells in lines)
    return "\n".join([head, "|" + "---|" * len(lines[0]), *rest])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--only", default="", help="works with this in their name")
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args()
    if not given.page:
        measure(given.workers, given.only)
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), read()), encoding="utf-8")
