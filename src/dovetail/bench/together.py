"""A case over pictures whose puzzles are small: all of them made, solved and judged in one fresh process, a row each.

What is apart for each picture in ``pictures.py`` is apart for all of them here: whoever runs a suite stays light, and a
crash is a row. What is compiled or loaded counts as warming up, as everywhere, and is nearly nothing after the first.
"""

import dataclasses
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.errors import DovetailError
from ..core.solver import Budget
from . import batches, commands, pictures
from .suites import Case

SEEDS = 1_000_000  # apart: pictures of one set are shuffled differently, and all of them again with the next seed


def rows(case: Case, seed: int) -> Iterator[dict[str, Any]]:
    """What is to be said of every picture of the case."""
    shown = pictures.found(case)
    with tempfile.TemporaryDirectory(prefix="dovetail-bench-") as folder:
        asked = Path(folder) / "asked.json"
        parts = [picture.parts for picture in shown]
        asked.write_text(json.dumps({"case": dataclasses.asdict(case), "seed": seed, "pictures": parts}))
        ended = commands.finished([sys.executable, "-m", __name__, str(asked)], commands.limits(case, len(shown)))
    said = [json.loads(line) for line in ended.out.splitlines() if line.startswith("{") and line.endswith("}")]
    failed = commands.failure(ended) or {"result": "crashed", "report": None}
    for number, picture in enumerate(shown):
        row = said[number] if number < len(said) else failed
        make = {"kind": case.kind, **case.make, "seed": SEEDS * seed + number}
        yield {"image": picture.name, "make": make, **row, "memory_mb": ended.memory_mb}


def solved(case: Case, picture: pictures.Picture, seed: int, number: int) -> dict[str, Any]:
    """The row of one picture: its result, and the report with the verdict that knows the truth."""
    from .. import pipeline

    time_s = pipeline.DEFAULT_TIME_S if case.time_s is None and case.steps is None else case.time_s
    try:
        puzzle, truth = pipeline.make(case.kind, SEEDS * seed + number, {**case.make, "image": picture.image})
        job = pipeline.Job(puzzle, case.solver, Budget(time_s, case.steps), seed, case.set)
        job.warm_up()
        for _ in job:
            pass
        answer = job.answer
        if answer.solution is not None:
            verdict = pipeline.check(puzzle, answer.solution, truth)
            answer.report.verdict = verdict
    except DovetailError as error:
        return {"result": "refused", "report": None, "message": picture.named(str(error))}
    report = batches.short(answer.report.to_json(), number)
    passes = answer.report.verdict is not None and answer.report.verdict.passes
    row = {"result": commands.word(report, passes), "report": report}
    return {**row, "result": "crashed", "message": answer.failure} if answer.failure else row


def _main(asked: dict[str, Any]) -> None:
    case = Case(**asked["case"])
    for number, parts in enumerate(asked["pictures"]):
        picture = pictures.Picture(tuple((name, place) for name, place in parts))
        print(json.dumps(solved(case, picture, asked["seed"], number)), flush=True)


if __name__ == "__main__":
    _main(json.loads(Path(sys.argv[1]).read_text()))
