"""Runs that are killed, stopped, or cannot save: nothing is lost, nothing left behind (more: benchmarks/kills.py)."""

import dataclasses
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from support.command import gone
from support.kills import Case, begin, cases, saved, tried, undisturbed

CASES = {case.name: case for case in cases()}
SAVING = ("--checkpoint", "kept", "--checkpoint-every", 0.05)


COUNT = CASES["tiles depth-first count"]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return undisturbed(COUNT, tmp_path_factory.mktemp("runs") / "undisturbed")[0]


def ended(process: "subprocess.Popen[str]") -> tuple[dict[str, Any], str]:
    """The report of a run that ended by itself, unfinished, without times; and its standard error."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    assert gone(process.pid)
    report = json.loads(out)
    return {key: value for key, value in report.items() if key not in ("seconds", "machine")}, err


def begun(case: Case, folder: Path) -> "subprocess.Popen[str]":
    """A run that has saved itself."""
    before = (folder / "kept").stat().st_ino if (folder / "kept").exists() else None
    process = begin(case.command(*SAVING), folder)
    while not saved(folder / "kept") or (folder / "kept").stat().st_ino == before:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("name", ["tiles depth-first solve", "moves nested solve", "grids depth-first count"])
def test_killed_at_random_it_comes_to_the_same_end(name: str, tmp_path: Path) -> None:
    tally = tried(CASES[name], tmp_path, kills=2, seed=1)
    assert tally.kills >= 2
    assert tally.same == tally.ended > 0
    assert not tally.orphans
    assert not tally.leftovers


def test_killed_while_it_saves_the_last_state_or_the_one_before_is_there(
    tmp_path: Path, expected: dict[str, Any]
) -> None:
    COUNT.written(tmp_path)
    for sabotage in ("write:3", "rename:1", "renamed:1"):  # the first of a new run has nothing in it yet
        process = begin(COUNT.command(*SAVING), tmp_path, sabotage)
        process.communicate(timeout=120)
        assert process.returncode == -signal.SIGKILL
        assert saved(tmp_path / "kept")
    report, _ = ended(begin(COUNT.command(*SAVING), tmp_path))
    assert report == expected["report"]
    assert {path.name for path in tmp_path.iterdir()} == {"puzzle.json", "kept"}


def test_stopped_politely_it_goes_on_from_there(tmp_path: Path, expected: dict[str, Any]) -> None:
    COUNT.written(tmp_path)
    for which in (signal.SIGTERM, signal.SIGINT):
        process = begun(COUNT, tmp_path)
        os.killpg(process.pid, which)
        report, _ = ended(process)
        assert report["outcome"]["status"] == "out_of_budget"
        assert report["outcome"]["counters"]["placements"] < expected["report"]["outcome"]["counters"]["placements"]
    again, _ = ended(begin(COUNT.command(*SAVING), tmp_path))
    assert again == expected["report"]


def test_a_checkpoint_in_use_is_refused(tmp_path: Path) -> None:
    COUNT.written(tmp_path)
    endless = dataclasses.replace(COUNT, steps=10**12)
    first = begun(endless, tmp_path)
    second = begin(endless.command(*SAVING), tmp_path)
    _, err = second.communicate(timeout=120)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    assert second.returncode == 2
    assert err == "dovetail: another run is using the checkpoint kept\n"


@pytest.mark.parametrize(
    ("sabotage", "why"), [("full:3", "no space left on device"), ("read-only:3", "permission denied")]
)
def test_what_cannot_be_saved_is_told_and_what_was_saved_is_kept(
    sabotage: str, why: str, tmp_path: Path, expected: dict[str, Any]
) -> None:
    COUNT.written(tmp_path)
    report, err = ended(begin(COUNT.command(*SAVING), tmp_path, sabotage))
    assert report == expected["report"], "the run itself goes on"
    assert err.lower() == f"dovetail: the checkpoint kept could not be saved: {why}; the last one is kept\n"
    assert {path.name for path in tmp_path.iterdir()} == {"puzzle.json", "kept"}
    assert saved(tmp_path / "kept")
    again, _ = ended(begin(COUNT.command(*SAVING), tmp_path))
    assert again == expected["report"]
