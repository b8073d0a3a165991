"""A solver says how much memory it will hold before it begins; what does not fit is refused, or made to fit."""

import json
import math
import resource
from pathlib import Path
from typing import Any

import pytest

from dovetail import pipeline
from dovetail.core import memory, registry
from dovetail.core.errors import BadUsage, Refused
from dovetail.core.puzzle import Puzzle
from dovetail.core.solver import Budget
from dovetail.jigsaw.assembler import Assembler
from dovetail.jigsaw.genetic import Genetic
from dovetail.jigsaw.puzzle import Jigsaw
from support.command import dovetail
from support.registered import SOLVERS, samples_for, solver

ROWS = Path(__file__).parents[2] / "benchmarks" / "results" / "memory.jsonl"
LARGE = 250.0  # megabytes, from which on the puzzle counts, and not only Python and its libraries


def jigsaw(rows: int, cols: int) -> Jigsaw:
    return Jigsaw(2, 2, 1, 8, bytes(4 * rows * cols), rows, cols)


@pytest.mark.parametrize(("family", "name"), SOLVERS)
def test_estimates_of_samples_are_sensible(family: str, name: str) -> None:
    chosen = solver(family, name)
    for puzzle in samples_for(chosen):
        said = chosen.memory_mb(puzzle, chosen.settings_type())
        assert said is None or 50 < said < 5000


def test_room_is_what_is_left() -> None:
    room = memory.room_mb()
    assert 100 < room < math.inf, "this test runs somewhere"


def test_limits_of_the_process_count(monkeypatch: pytest.MonkeyPatch) -> None:
    used = memory._numbers(Path("/proc/self/status"))
    limit = int((used["VmSize"] + 50) * memory.MB)
    monkeypatch.setattr(
        resource, "getrlimit", lambda which: (limit, limit) if which == resource.RLIMIT_AS else (-1, -1)
    )
    assert memory.room_mb() == pytest.approx(used["VmRSS"] + 50, abs=30)


def test_limits_of_containers_count(tmp_path: Path) -> None:
    own = tmp_path / "cgroup"
    own.write_text("4:cpu,cpuacct:/x\n3:memory:/job\n0::/slice/job\n")
    for folder, files in {
        "slice": {
            "memory.max": "3000000000",
            "memory.current": "1000000000",
            "memory.stat": "inactive_file 500000000\n",
        },
        "slice/job": {"memory.max": "max", "memory.current": "5"},
        "memory/job": {"memory.limit_in_bytes": "700000000", "memory.usage_in_bytes": "100000000"},
    }.items():
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (tmp_path / folder / name).write_text(text)
    assert memory._groups_left(tmp_path, own) == [600.0, 2500.0]
    assert memory._groups_left(tmp_path, tmp_path / "nowhere") == []


def test_a_run_that_does_not_fit_is_refused_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("nothing may begin")

    for cls in (Genetic, Assembler):
        monkeypatch.setattr(cls, "warm_up", never)
        monkeypatch.setattr(cls, "solve", never)
    with pytest.raises(
        Refused, match=r"genetic would come to hold about 4,.* MB, and --memory allows 2,000 MB; assembler"
    ):
        pipeline.Job(jigsaw(123, 185), "genetic", Budget(memory_mb=2000), 0)
    monkeypatch.setattr(pipeline, "room_mb", lambda: 1000.0)
    with pytest.raises(Refused, match=r"there is room for 1,000 MB"):
        pipeline.solve(jigsaw(123, 185), solver="genetic")
    with pytest.raises(Refused, match="it takes a smaller puzzle or more memory"):
        pipeline.Job(jigsaw(2, 3), "assembler", Budget(memory_mb=100), 0)


def test_the_command_line_says_it_in_one_sentence() -> None:
    for verb, puzzle, name in (("solve", "jigsaw-small", "assembler"), ("count", "tiles-6x6", "depth-first")):
        result = dovetail(verb, puzzle, "--solver", name, "--memory", "90")
        assert result.status == 2 and result.is_one_sentence(), result
        assert f"{name} would come to hold about" in result.err and "--memory allows 90 MB" in result.err
    for wrong in ("0", "-5", "nan", "inf"):
        assert "the memory budget must be" in dovetail("solve", "jigsaw-small", "--memory", wrong).err
    with pytest.raises(BadUsage):
        Budget(memory_mb=0)


def test_the_report_shows_what_was_allowed() -> None:
    report = dovetail("solve", "fifteen-3x3", "--memory", "3000", "--json").report
    assert report["budget"]["memory_mb"] == 3000
    assert "memory_mb" not in dovetail("solve", "fifteen-3x3", "--json").report["budget"]


def test_a_leaner_way_is_taken_and_said() -> None:
    result = dovetail("solve", "sokoban-first", "--solver", "push", "--memory", "600")
    assert result.status == 0 and "and --memory allows 600 MB: memory=" in result.err
    puzzle = pipeline.read("sokoban-first")
    job = pipeline.Job(puzzle, "push", Budget(memory_mb=600), 0)
    assert (job.solver.memory_mb(puzzle, job.settings) or 0) <= 600 and job.settings.memory >= 50
    assert not pipeline.Job(puzzle, "push", Budget(memory_mb=9000), 0).remark
    with pytest.raises(Refused):
        pipeline.Job(puzzle, "push", Budget(memory_mb=200), 0)


def test_estimates_grow_with_the_puzzle() -> None:
    for name in ("genetic", "assembler"):
        chosen, _ = registry.choose(jigsaw(10, 10), name)
        small, large = (chosen.memory_mb(jigsaw(n, n), chosen.settings_type()) for n in (10, 100))
        assert small is not None and large is not None and small < large


def test_what_was_said_is_about_what_was_held() -> None:
    """Within a factor of two either way, wherever the puzzle counts (benchmarks/memory.py, and earlier rows)."""
    rows = [json.loads(line) for line in ROWS.read_text().splitlines()]
    last = {(row["family"], row["solver"], row["kind"], row["size"]): row for row in rows}
    compared = 0
    for row in last.values():
        if row["estimate_mb"] is not None and row["peak_mb"] >= LARGE:
            compared += 1
            assert 0.5 < row["estimate_mb"] / row["peak_mb"] < 2, row
    assert compared >= 10


def test_what_was_held_by_large_jigsaws_is_about_what_is_said() -> None:
    """Rows of earlier benchmarks, of up to 22,755 pieces of 28 pixels."""
    seen: dict[tuple[str, str], list[float]] = {}
    for suite in ("assembler-type-1", "assembler-type-2", "jigsaw"):
        for line in (ROWS.parent / f"{suite}.jsonl").read_text().splitlines():
            row = json.loads(line)
            if row.get("memory_mb") and row["report"]:
                seen.setdefault((row["report"]["solver"]["name"], row["report"]["puzzle"]["size"]), []).append(
                    row["memory_mb"]
                )
    assert len(seen) > 10
    for (name, size), held in seen.items():
        rows, cols = map(int, size.split("x"))
        puzzle: Puzzle = Jigsaw(28, 28, 3, 8, bytes(28 * 28 * 3 * rows * cols), rows, cols)
        chosen, _ = registry.choose(puzzle, name)
        said = chosen.memory_mb(puzzle, chosen.settings_type())
        assert said is not None and 0.7 < said / max(held) < 1.4, (name, size, said, held)
