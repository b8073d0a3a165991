"""The command line from outside: verbs, JSON, pictures, batches, signals."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dovetail as package
from dovetail import pipeline, reading
from dovetail.core import registry
from dovetail.core.errors import BadUsage
from dovetail.tiles.terracotta import Terracotta, standard
from support.command import dovetail, gone, start

REPORT_KEYS = {"version", "puzzle", "solver", "budget", "outcome", "verdict", "seconds", "machine"}
HOPELESS = pipeline.convert(
    Terracotta(7, 10, standard().tiles[:35] + ((0, 3, 1, 2),) * 35), "json"
).decode()  # half the tiles are the same pinwheel, which fits beside almost nothing, itself included
ENDLESS = ("solve", "terracotta", "--set", "algorithm=1", "--set", "arrangement=I")


def test_solve_check_draw_make_convert_count(tmp_path: Path) -> None:
    made = dovetail(
        "make", "terracotta", "--set", "rows=4", "--set", "cols=3", "--seed", 9, "--out", "p.csv", "--truth", "t.json"
    )
    assert made.status == 0
    assert "4x3" in made.out
    solved = dovetail("solve", "p.csv", "--out", "p.png", "--solution", "s.json")
    assert solved.status == 0
    assert solved.out.startswith("solved: terracotta 4x3 by depth-first")
    assert Path("p.png").read_bytes().startswith(b"\x89PNG")
    checked = dovetail("check", "p.csv", "s.json", "--truth", "t.json")
    assert checked.status == 0
    assert checked.out.startswith("solved: terracotta 4x3 (matched 17, seams 17")
    assert dovetail("draw", "p.csv", "s.json", "--out", "s.svg").status == 0
    assert Path("s.svg").read_bytes().startswith(b"<svg")
    assert dovetail("convert", "p.csv", "--to", "json", "--out", "p.json").status == 0
    assert pipeline.read("p.json") == pipeline.read("p.csv")
    counted = dovetail("count", "p.json", "--json").report
    assert counted["outcome"]["status"] == "complete"
    assert counted["outcome"]["counters"]["solutions"] >= 1
    assert counted["verdict"] is None


def test_json_report_is_the_contract() -> None:
    result = dovetail("solve", "terracotta", "--seed", 4, "--time", 30, "--set", "parallel=2", "--json")
    assert result.status == 0
    assert len(result.out.splitlines()) == 1
    report = result.report
    assert set(report) == REPORT_KEYS
    assert report["version"] == package.__version__
    assert report["puzzle"] == {
        "kind": "terracotta", "digest": pipeline.read("terracotta").digest, "size": "7x10",
    }  # fmt: skip
    assert report["solver"]["name"] == "depth-first"
    assert report["solver"]["seed"] == 4
    assert report["solver"]["parameters"]["parallel"] == 2
    assert report["budget"] == {"wall_s": 30, "steps": None}
    assert report["outcome"]["status"] == "complete"
    assert report["verdict"] == {
        "valid": True, "solved": True, "violations": [], "scores": {"matched": 123, "seams": 123, "placed": 70},
    }  # fmt: skip
    assert set(report["seconds"]) == {"read", "warm_up", "solve", "check", "draw"}
    assert report["machine"]["cores"] == os.cpu_count()


def test_budget_defaults() -> None:
    assert dovetail("solve", "terracotta-3x4", "--json").report["budget"] == {"wall_s": 60.0, "steps": None}
    assert dovetail("solve", "terracotta-3x4", "--steps", 9999, "--json").report["budget"] == {
        "wall_s": None,
        "steps": 9999,
    }


def test_unsolved_is_status_1_and_the_best_is_still_written() -> None:
    result = dovetail("solve", "terracotta", "--steps", 2000, "--out", "b.svg", "--solution", "s.json", "--json")
    assert result.status == 1
    report = result.report
    assert report["outcome"]["status"] == "out_of_budget"
    assert report["outcome"]["counters"]["placements"] == 2000
    assert report["verdict"]["valid"]
    assert report["verdict"]["solved"] is False
    assert 40 < report["verdict"]["scores"]["placed"] < 70
    assert Path("b.svg").exists()
    checked = dovetail("check", "terracotta", "s.json")
    assert checked.status == 1
    assert checked.out.startswith("not solved: terracotta 7x10")
    assert "cells are empty" in checked.out


def test_proved_none_is_said() -> None:
    data = {"kind": "terracotta", "rows": 1, "cols": 2, "tiles": [[0, 0, 0, 0], [0, 1, 1, 2]]}
    stuck = dovetail("solve", json.dumps(data), "--json")
    by_hand = dovetail("count", json.dumps(data), "--json").report["outcome"]["counters"]["solutions"]
    assert by_hand == 0
    assert stuck.status == 1
    assert stuck.report["outcome"]["status"] == "proved_none"
    assert "proved to have no solution" in dovetail("solve", json.dumps(data)).out
    for algorithm in (1, 2):
        again = dovetail("solve", json.dumps(data), "--set", f"algorithm={algorithm}", "--json")
        assert again.report["outcome"]["status"] == "proved_none"


def test_count_stops_at_the_limit() -> None:
    tiles = [[0, 0, 0, 0]] * 4 + [[0, 0, 0, 1]] * 4
    data = json.dumps({"kind": "terracotta", "rows": 2, "cols": 4, "tiles": tiles})
    whole = dovetail("count", data, "--json").report["outcome"]
    assert whole["status"] == "complete"
    assert "terracotta 3x4: 2 solutions (solutions with rotations 4" in dovetail("count", "terracotta-3x4").out
    assert dovetail("count", "terracotta-3x4", "--json").report["outcome"]["counters"]["solutions"] == 2
    stopped = dovetail("count", "terracotta", "--steps", 10_000, "--json")
    assert stopped.status == 1
    assert stopped.report["outcome"]["status"] == "out_of_budget"


def test_input_from_standard_input_and_as_text() -> None:
    text = pipeline.convert(pipeline.read("terracotta-3x4"), "csv")
    assert dovetail("solve", "-", stdin=text).status == 0
    assert dovetail("solve", text.decode()).status == 0
    assert dovetail("solve", pipeline.convert(pipeline.read("terracotta-3x4"), "json").decode()).status == 0


def test_built_in_names_win_over_files_and_dot_slash_means_the_file() -> None:
    Path("terracotta").write_bytes(pipeline.convert(pipeline.read("terracotta-3x4"), "csv"))
    assert dovetail("solve", "terracotta", "--json").report["puzzle"]["size"] == "7x10"
    assert dovetail("solve", "./terracotta", "--json").report["puzzle"]["size"] == "3x4"


def test_reading_settings() -> None:
    bare = pipeline.convert(pipeline.read("terracotta-3x4"), "csv").split(b"\n", 1)[1]
    Path("bare.csv").write_bytes(bare)
    assert dovetail("solve", "bare.csv", "--set", "rows=3", "--json").report["puzzle"]["size"] == "3x4"
    assert dovetail("draw", "bare.csv", "--set", "cols=6", "--out", "x.png").status == 0
    assert dovetail("solve", "bare.csv", "--set", "rows=5").status == 2
    spoken = (
        bare.replace(b"tile,TL,TR,BL,BR", b'"tile";"TL";"TR";"BL";"BR"').replace(b",", b";").replace(b"\n", b"\r\n")
    )
    Path("spoken.csv").write_bytes(b"\xef\xbb\xbf" + spoken)
    again = dovetail("solve", "spoken.csv", "--set", "rows=3", "--json")
    assert again.report["puzzle"]["digest"] == pipeline.read("terracotta-3x4").digest


@pytest.mark.parametrize("jobs", [1, 2])
def test_many_puzzles(jobs: int) -> None:
    puzzles = [pipeline.generate("terracotta", seed, rows=3, cols=3)[0] for seed in range(3)]
    Path("many.jsonl").write_bytes(b"".join(pipeline.convert(p, "json") for p in puzzles))
    result = dovetail("solve", "many.jsonl", "--jobs", jobs, "--json", "--solution", "all.jsonl", "--out", "p.svg")
    assert result.status == 0, result.err
    reports = [json.loads(line) for line in result.out.splitlines()]
    assert [r["puzzle"]["digest"] for r in reports] == [p.digest for p in puzzles]
    assert all(r["verdict"]["solved"] for r in reports)
    assert len(Path("all.jsonl").read_text().splitlines()) == 3
    assert sorted(p.name for p in Path.cwd().glob("p-*.svg")) == ["p-1.svg", "p-2.svg", "p-3.svg"]
    assert "3 of 3 solved" in result.err
    assert jobs == 1 or "3 puzzles on 2 workers" in result.err


def test_quiet_is_silent() -> None:
    assert dovetail("solve", "terracotta", "--quiet").err == ""
    assert "auto chose depth-first" in dovetail("solve", "terracotta").err


def test_lists() -> None:
    kinds = dovetail("list", "kinds", "--json").report
    assert {"kind", "family", "title", "samples", "formats", "solvers"} <= set(kinds[0])
    solvers = dovetail("list", "solvers", "--json").report
    assert {"solver", "family", "accepts", "status", "settings"} <= set(solvers[0])
    assert "terracotta: Terracotta" in dovetail("list", "kinds").out
    assert "--set parallel=1" in dovetail("list", "solvers").out
    assert "making: --set repeats=false" in dovetail("list", "kinds").out


def test_version_and_help() -> None:
    assert dovetail("--version").out.strip() == package.__version__
    assert "solve" in dovetail("--help").out
    assert dovetail().status == 0
    assert "--steps" in dovetail("solve", "--help").out


@pytest.mark.parametrize("setting", ["parallel=1", "parallel=2", "restart=0", "algorithm=1", "algorithm=2"])
def test_stops_within_half_a_second_of_its_time(setting: str) -> None:
    report = dovetail("solve", HOPELESS, "--set", setting, "--time", 0.4, "--json").report
    assert report["outcome"]["status"] == "out_of_budget"
    assert 0.4 <= report["seconds"]["solve"] < 0.9
    assert report["verdict"]["valid"]


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_the_best(which: signal.Signals, tmp_path: Path) -> None:
    process = start(*ENDLESS, "--time", 600, "--solution", "s.json", "--json", cwd=tmp_path)
    time.sleep(2.0)
    process.send_signal(which)
    begin = time.monotonic()
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - begin < 2.0  # half a second for the solver, the rest for checking and writing
    assert process.returncode == 1
    report = json.loads(out)
    assert report["outcome"]["status"] == "out_of_budget"
    assert report["verdict"]["valid"]
    assert report["verdict"]["scores"]["placed"] > 40
    assert "Traceback" not in err
    puzzle = pipeline.read("terracotta")
    assert pipeline.check(puzzle, reading.read_solution(tmp_path / "s.json", puzzle)).valid


def batch(tmp_path: Path, *options: object) -> "subprocess.Popen[str]":
    """Four hopeless puzzles on two workers, in a process group of their own."""
    path = tmp_path / "many.jsonl"
    path.write_text(HOPELESS * 4)
    return start("solve", path, "--jobs", 2, "--time", 600, "--json", *options, cwd=tmp_path, start_new_session=True)


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_group_ends_a_batch_with_its_best(which: signal.Signals, tmp_path: Path) -> None:
    process = batch(tmp_path, "--solution", "s.jsonl")
    time.sleep(4.0)
    os.killpg(process.pid, which)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "Traceback" not in err
    reports = [json.loads(line) for line in out.splitlines()]
    assert len(reports) == 2, "those begun are reported, the others never begin"
    assert all(r["verdict"]["valid"] and r["verdict"]["scores"]["placed"] > 20 for r in reports)
    assert len((tmp_path / "s.jsonl").read_text().splitlines()) == 2
    assert gone(process.pid)


@pytest.mark.parametrize("after_s", [0.2, 0.3, 0.45, 0.7])
def test_a_batch_can_be_interrupted_while_its_workers_begin(after_s: float, tmp_path: Path) -> None:
    process = batch(tmp_path)
    time.sleep(after_s)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=20)
    # on a busy machine Python itself may still be starting, and ends by the signal
    assert process.returncode in (1, 130, -signal.SIGINT)
    assert "Traceback" not in err
    assert gone(process.pid)


def test_a_second_ctrl_c_ends_a_batch_at_once(tmp_path: Path) -> None:
    process = batch(tmp_path)
    time.sleep(3.0)
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    begin = time.monotonic()
    _, err = process.communicate(timeout=20)
    assert time.monotonic() - begin < 3.0
    assert process.returncode in (1, 130)
    assert "Traceback" not in err
    assert gone(process.pid)


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    process = batch(tmp_path)
    time.sleep(3.0)
    process.kill()
    process.communicate(timeout=20)
    assert gone(process.pid)


def test_a_stop_that_comes_before_the_job_is_not_forgotten() -> None:
    from dovetail.core.solver import Budget
    from dovetail.stopping import stoppable

    job = pipeline.Job(pipeline.read(HOPELESS), "auto", Budget(wall_s=60), seed=0)
    with stoppable() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        stop.follow(job)
    assert not list(job)


def test_a_puzzle_refused_in_a_batch_is_refused_before_any_work(tmp_path: Path) -> None:
    large, _ = pipeline.generate("terracotta", 0, rows=21, cols=20, repeats=True)
    small = pipeline.convert(pipeline.read("terracotta-3x4"), "json")
    Path("mix.jsonl").write_bytes(small + small + pipeline.convert(large, "json") + small)
    for jobs in (1, 2):
        result = dovetail("solve", "mix.jsonl", "--set", "algorithm=1", "--solution", "s", "--json", "--jobs", jobs)
        assert result.status == 2 and "400 tiles at most" in result.err and not result.out
        assert not Path("s").exists()


def shell(command: str) -> "subprocess.CompletedProcess[str]":
    command = command.replace("dovetail", f"{sys.executable} -m dovetail")
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)


def test_closed_and_full_streams() -> None:
    done = shell("dovetail solve - <&-")
    assert done.returncode == 2 and done.stderr.strip().startswith("dovetail: ")
    assert len(done.stderr.splitlines()) == 1
    assert shell("dovetail solve terracotta-3x4 --json --quiet >&-").returncode == 0
    done = shell("dovetail solve nowhere.csv 2>&-")
    assert done.returncode == 2 and done.stdout == "", "the sentence has nowhere to go, least of all to the results"
    done = shell("dovetail list kinds >/dev/full")
    assert done.returncode == 2 and done.stderr == "dovetail: cannot use standard output: no space left on device\n"
    done = shell("PYTHONIOENCODING=ascii dovetail list kinds")
    assert done.returncode == 0 and "terracotta" in done.stdout


def test_plain_progress_lines_when_not_on_a_terminal(tmp_path: Path) -> None:
    process = start(*ENDLESS, "--time", 3.0, cwd=tmp_path)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "not solved (out of budget" in out
    assert "tiles 6" in err and "placements (" in err and "/s)" in err
    assert "\x1b" not in err


def test_a_closed_pipe_is_no_crash(tmp_path: Path) -> None:
    process = start("list", "kinds", cwd=tmp_path)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    error = process.stderr.read()
    process.wait(timeout=20)
    assert "Traceback" not in error
    process.stderr.close()


def test_demo_draws_every_family() -> None:
    result = dovetail("demo", "--out", "pictures")
    assert result.status == 0, result.err
    assert "terracotta 7x10" in result.out and "not solved" not in result.out
    shown = {kind.demo for kind in registry.kinds() if kind.demo}
    assert {p.name for p in Path("pictures").iterdir()} == {
        f"{name}{end}" for name in shown for end in (".png", "-pieces.png", ".webp")
    }


def test_nothing_is_written_over_what_is_read() -> None:
    assert dovetail("make", "jigsaw", "--set", "piece=100", "--out", "p.png").status == 0
    before = Path("p.png").read_bytes()
    Path("link.png").symlink_to("p.png")
    for arguments in (
        ("solve", "p.png", "--out", "p.png"),
        ("solve", "p.png", "--solution", "./p.png"),
        ("solve", "p.png", "--film", "link.png"),
        ("draw", "p.png", "--out", "link.png"),
        ("convert", "p.png", "--to", "png", "--out", "p.png"),
        ("make", "jigsaw", "--set", "image=p.png", "--out", "p.png"),
        ("make", "jigsaw", "--set", "image=p.png", "--out", "q.png", "--truth", "p.png"),
    ):
        result = dovetail(*arguments)
        assert result.status == 2 and result.is_one_sentence() and "is what is read here" in result.err
    assert Path("p.png").read_bytes() == before and not Path("q.png").exists()


def test_a_picture_whose_solver_was_cut_short_is_not_solved() -> None:
    """Nobody can know without the original, but whoever was stopped did not think so either."""
    whole, cut = dovetail("solve", "jigsaw-small"), dovetail("solve", "jigsaw-small", "--steps", "1")
    assert (whole.status, cut.status) == (0, 1)
    assert "done, as far as anyone can tell" in whole.out
    assert "not solved (out of budget" in cut.out


def test_a_puzzle_is_not_written_larger_than_it_could_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "MAX_BYTES", 100)
    with pytest.raises(BadUsage, match="that can be read again"):
        pipeline.convert(standard(), "json")


def test_explain_says_every_step_and_films_it(tmp_path: Path) -> None:
    film = tmp_path / "steps"
    done = dovetail("solve", "slitherlink-5x5", "--explain", "--film", f"{film}/", "--quiet")
    assert done.status == 0
    steps = [line for line in done.out.splitlines() if "leave" in line or "nothing else is possible" in line]
    assert len(steps) == 60, "a step for every line of the grid"
    assert "difficulty: " in done.out
    assert len([*film.iterdir()]) == 61, "the puzzle, then each step"


def test_explanations_in_the_report() -> None:
    report = json.loads(dovetail("solve", "calcudoku-4x4", "--explain", "--json", "--quiet").out)
    steps = report["explanation"]["steps"]
    assert len({step["variable"] for step in steps}) == len(steps)
    assert all(step["text"] and step["constraints"] for step in steps)
    assert report["explanation"]["difficulty"]


def test_hint_is_the_next_step(tmp_path: Path) -> None:
    picture, known = tmp_path / "hint.png", tmp_path / "known.json"
    first = json.loads(dovetail("hint", "calcudoku-4x4", "--json", "--out", str(picture)).out)
    assert picture.read_bytes().startswith(b"\x89PNG")
    values = [None] * 16
    values[first["variable"]] = first["value"]
    known.write_text(json.dumps({"shape": "assignment", "values": values}))
    second = json.loads(dovetail("hint", "calcudoku-4x4", str(known), "--json").out)
    assert second["variable"] != first["variable"]
    values[first["variable"]] = first["value"] % 4 + 1
    known.write_text(json.dumps({"shape": "assignment", "values": values}))
    wrong = dovetail("hint", "calcudoku-4x4", str(known))
    assert wrong.status == 2
    assert "is wrong" in wrong.err


def test_no_hints_where_nothing_follows() -> None:
    done = dovetail("hint", "tetravex")
    assert done.status == 2
    assert done.err.strip() == "dovetail: there are no hints for tiles puzzles"


@pytest.mark.parametrize("sample", ["sudoku", "numberlink"])
def test_count_shows_two_witnesses(sample: str, tmp_path: Path) -> None:
    """Whatever engine counts; each is a right answer, and they differ."""
    puzzle, witnesses = tmp_path / "puzzle.json", tmp_path / "witnesses.jsonl"
    text = {
        "sudoku": '{"kind": "sudoku", "n": 9, "givens": ' + json.dumps([[0] * 9] * 9) + ', "box": [3, 3]}',
        "numberlink": '{"kind": "numberlink", "labels": [[1, 0, 0], [0, 0, 0], [0, 0, 1]]}',
    }
    puzzle.write_text(text[sample])
    done = dovetail("count", str(puzzle), "--limit", "2", "--solution", str(witnesses))
    assert done.status == 0
    assert "at least 2 solutions" in done.out
    first, second = witnesses.read_text().splitlines()
    assert first != second
    for line in (first, second):
        witnesses.write_text(line)
        assert dovetail("check", str(puzzle), str(witnesses)).status == 0
