"""Jobs that last: what the store keeps, recovers, refuses and prunes."""

import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dovetail.core.errors import BadUsage
from dovetail.web.limits import Limits
from dovetail.web.problems import Problem
from dovetail.web.store import MOST_POINTS, Store

ABOUT = {"kind": "sudoku", "size": "9x9", "digest": "d", "solver": "digits", "why": "because"}


def request(**more: Any) -> dict[str, Any]:
    return {"time_s": 5.0, "steps": None, "solver": "auto", **more}


def a_job(store: Store, data: bytes = b"sudoku-9x9", **values: Any) -> str:
    job = store.add(store.keep_input(data), request(), ABOUT)
    if values:
        store.change(job, **values)
    return job


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "new" / "folder", Limits())
    job = a_job(store, state="done", ended=time.time(), passes=True, report={"a": [1]}, solution={"shape": "x"})
    store.keep_picture(job, "answer", "svg", b"<svg/>")
    store.close()
    again = Store(tmp_path / "new" / "folder", Limits())
    assert again.recover() == []
    row = again.job(job)
    assert (row["state"], row["passes"], row["report"], row["solution"]) == ("done", True, {"a": [1]}, {"shape": "x"})
    assert again.picture(job, "answer") == again.picture(job, "answer", "svg") == ("svg", b"<svg/>")
    assert again.picture(job, "answer", "png") is None
    assert again.input(row["input"]) == b"sudoku-9x9"
    again.close()


def test_after_a_restart_what_ran_is_marked_and_what_waited_waits(tmp_path: Path) -> None:
    store = Store(tmp_path, Limits())
    first, second, third, fourth = (a_job(store) for _ in range(4))
    store.change(first, state="running", solution={"best": 1})
    store.change(second, state="paused")
    assert store.recover() == [third, fourth]
    assert [store.job(job)["state"] for job in (first, second, third)] == ["interrupted", "interrupted", "queued"]
    assert store.job(first)["solution"] == {"best": 1} and "server ended" in store.job(first)["words"]
    store.close()


def test_a_killed_process_loses_nothing_it_had_committed(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from dovetail.web.store import Store; "
        "from dovetail.web.limits import Limits; s = Store(Path(sys.argv[1]), Limits()); "
        f"j = s.add(s.keep_input(b'x'), {request()!r}, {ABOUT!r}); s.change(j, state='running'); "
        "s.change(j, solution={'n': 7}); os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)]).returncode == -9
    store = Store(tmp_path, Limits())
    assert store.recover() == []
    (row,) = store.jobs(10)
    assert row["state"] == "interrupted" and row["has_solution"] and store.job(row["id"])["solution"] == {"n": 7}
    store.close()


def test_one_folder_has_one_server(tmp_path: Path) -> None:
    store = Store(tmp_path, Limits())
    with pytest.raises(BadUsage, match="another server"):
        Store(tmp_path, Limits())
    store.close()
    Store(tmp_path, Limits()).close()


def test_other_versions_and_damage_are_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "jobs.sqlite") as base:
        base.execute("PRAGMA user_version=99")
    base.close()
    with pytest.raises(BadUsage, match="another version"):
        Store(tmp_path, Limits())
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "jobs.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(BadUsage, match="cannot use"):
        Store(tmp_path / "other", Limits())
    (tmp_path / "file").write_text("")
    with pytest.raises(BadUsage, match="cannot keep jobs"):
        Store(tmp_path / "file" / "below", Limits())


def test_pruned_by_age_number_and_size(tmp_path: Path) -> None:
    store = Store(tmp_path, Limits(kept_jobs=3, kept_days=10, kept_bytes=3_000_000))
    old = a_job(store, state="done", ended=time.time() - 11 * 86400)
    waiting = a_job(store)
    jobs = [a_job(store, state="done", ended=time.time()) for _ in range(4)]
    store.prune()
    left = {row["id"] for row in store.jobs(100)}
    assert old not in left and waiting in left and left - {waiting} == set(jobs[-3:])
    for job in jobs[-3:]:
        store.keep_picture(job, "answer", "png", b"x" * 1_400_000)
    store.prune()
    assert jobs[-1] in {row["id"] for row in store.jobs(100)} and store.size() <= 3_000_000
    assert store.picture(jobs[-3], "answer") is None
    store.close()


def test_uploads_that_no_job_uses_go(tmp_path: Path) -> None:
    store = Store(tmp_path, Limits(input_hours=0))
    used, unused = a_job(store, b"used"), store.keep_input(b"unused")
    store.prune()
    assert store.input(store.job(used)["input"]) == b"used"
    with pytest.raises(Problem, match="no such input"):
        store.input(unused)
    store.close()


def test_uploads_never_fill_the_disk(tmp_path: Path) -> None:
    store = Store(tmp_path, Limits(kept_bytes=1_000_000))
    store.keep_input(b"a" * 1_000_000)
    with pytest.raises(Problem, match="no room") as told:
        store.keep_input(b"b" * 1_000_000)
    assert told.value.status == 503
    store.close()


def test_a_long_plot_is_thinned(tmp_path: Path) -> None:
    store = Store(tmp_path, Limits())
    job = a_job(store)
    for number in range(3 * MOST_POINTS):
        store.add_point(job, float(number), number, number)
    points = store.points(job)
    assert MOST_POINTS / 4 < len(points) <= MOST_POINTS
    assert points[-1]["at_s"] == 3 * MOST_POINTS - 1 and [p["at_s"] for p in points] == sorted(
        p["at_s"] for p in points
    )
    store.drop_points(job)
    assert store.points(job) == []
    store.close()
