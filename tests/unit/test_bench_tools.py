"""A suite for every table; suites that are scripts; the tools people would use instead; answers over time."""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import dovetail as package
from dovetail import pipeline
from dovetail.bench import plots, results, suites
from dovetail.core.errors import BadInput
from dovetail.core.puzzle import Puzzle
from support.command import dovetail

CHECKOUT = Path(package.__file__).parents[2]
TABLES = {
    "Sholomon": [f"table {number}" for number in range(1, 7)],
    "Paumard": [f"table {number}" for number in range(2, 13)],
    "Kiarostami": ["table 1", "table 2"],
    "Terracotta": ["Algorithm 1", "Algorithm 2"],
    "Kovalsky": ["figure 1.1", "figure 5.1", "figure 5.2", "figure 5.3", "figure 6.1"],
}


def script(name: str) -> Any:
    """A script of benchmarks/ as a module."""
    sys.path.insert(0, str(CHECKOUT / "benchmarks"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(CHECKOUT / "benchmarks"))


# a suite for every table


def test_every_table_has_a_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    """And each can run, or says in one line what it misses and where to put it."""
    monkeypatch.chdir(CHECKOUT)
    monkeypatch.delenv("DOVETAIL_DATA", raising=False)
    listed = dovetail("bench", "--list", "--json").out.splitlines()
    entries = {entry["name"]: entry for entry in map(json.loads, listed)}
    made = {
        (paper, table): name
        for name, entry in entries.items()
        for paper, tables in entry["tables"].items()
        for table in tables
    }
    for who, tables in TABLES.items():
        for table in tables:
            (name,) = {name for (paper, what), name in made.items() if who in paper and what == table}
            assert suites.load(name).cases
            assert table in entries[name]["title"]
    assert set(suites.tables_made()) <= set(entries), "headlines.toml names suites that there are not"
    for entry in entries.values():
        assert entry["state"] == "can run" or entry["state"].startswith("set DOVETAIL_DATA to the folder of benchmark")
        assert len(entry["state"]) < 400 and "\n" not in entry["state"]
    assert "gapped/train-a.tar" in entries["alphazzle"]["state"]


# suites that are scripts


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a suite that is a script, and where its data would be."""
    (tmp_path / "benchmarks" / "suites").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOVETAIL_DATA", str(tmp_path / "sets"))
    (tmp_path / "benchmarks" / "suites" / "study.toml").write_text(
        'title = "A study"\n[[case]]\nname = "all of it"\n'
        'script = ["benchmarks/study.py", "$DOVETAIL_DATA/pictures.tar", "rows.jsonl"]\n'
    )
    (tmp_path / "benchmarks" / "study.py").write_text(
        "import pathlib, sys\nprint('at work')\ntext = pathlib.Path(sys.argv[1]).read_text()\n"
        "pathlib.Path(sys.argv[2]).write_text(text)\nsys.exit(text == 'broken')\n"
    )
    return tmp_path


def test_a_script_runs_when_its_data_is_there(own: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lacking = dovetail("bench", "study", "--quiet")
    assert lacking.status == 2 and lacking.is_one_sentence()
    assert f"put pictures.tar into {own / 'sets'}" in lacking.err
    assert "put pictures.tar into" in dovetail("bench", "--list").out
    (own / "sets").mkdir()
    (own / "sets" / "pictures.tar").write_text("seen")
    done = dovetail("bench", "study", "--quiet", "--json")
    assert done.status == 0 and json.loads(done.out)[0]["solved"] == 1
    assert (own / "rows.jsonl").read_text() == "seen"
    assert "at work" in capfd.readouterr().err  # as it came, and not among what is printed for programs
    assert not (own / "benchmarks" / "results").exists()  # a script keeps its rows itself
    (own / "sets" / "pictures.tar").write_text("broken")
    assert dovetail("bench", "study", "--quiet").status == 1


def test_scripts_are_checked_like_all_suites(own: Path) -> None:
    (own / "benchmarks" / "study.py").unlink()
    (own / "sets").mkdir()
    (own / "sets" / "pictures.tar").touch()
    assert "there is no script benchmarks/study.py" in dovetail("bench", "study", "--quiet").err
    path = own / "benchmarks" / "suites" / "study.toml"
    path.write_text(path.read_text() + '[[case]]\nname = "other"\npuzzle = "terracotta"\n')
    assert "either all of its cases are scripts, or none" in dovetail("bench", "study").err
    path.write_text('title = "T"\n[[case]]\nname = "both"\npuzzle = "terracotta"\nscript = ["a.py"]\n')
    assert "or a script" in dovetail("bench", "study").err
    path.write_text('title = "T"\n[[case]]\nname = "text"\nscript = "a.py"\n')
    assert "script is a list" in dovetail("bench", "study").err


# the tools


def made(kind: str, **settings: Any) -> Puzzle:
    return pipeline.make(kind, 1, settings)[0]


@pytest.mark.parametrize(
    ("tool", "kind", "settings"),
    [
        ("plain Python (Norvig)", "sudoku", {"n": 6}),
        ("plain Python (Norvig)", "sudoku", {}),
        ("MILP (HiGHS in SciPy)", "sudoku", {"n": 6}),
        ("MILP (HiGHS in SciPy)", "tiles", {"width": 4, "height": 3, "colours": 4}),
        ("MILP (HiGHS in SciPy)", "tiles", {"width": 3, "height": 4, "rotate": False, "frame": "coloured"}),
        ("CPMpy, OR-Tools", "sudoku", {"n": 6}),
        ("CPMpy, OR-Tools", "tiles", {"width": 4, "height": 3, "colours": 4}),
        ("clingo", "sudoku", {"n": 6}),
        ("clingo", "nonogram", {"width": 5}),
        ("clingo", "slitherlink", {"rows": 5, "cols": 4}),
        ("clingo", "numberlink", {"rows": 5, "cols": 5}),
        ("clingo", "tiles", {"width": 3, "height": 4, "rotate": False, "frame": "coloured"}),
        ("multi-puzzle-solver", "sudoku", {"n": 6}),
        ("multi-puzzle-solver", "nonogram", {"width": 5}),
        ("multi-puzzle-solver", "slitherlink", {"rows": 5, "cols": 4}),
    ],
)
def test_the_models_of_other_tools_are_right(tool: str, kind: str, settings: dict[str, Any]) -> None:
    """By our checker; of tools that are not installed nothing is known."""
    work, compare = script("compare_tools_work"), script("compare_tools")
    for module in work.OTHERS[tool][1]:
        pytest.importorskip(module)
    puzzle = made(kind, **settings)
    _, answer = work.others(tool, kind)(puzzle.to_json())
    assert compare.judged(puzzle, {"answer": answer}) == "solved"


def test_a_wrong_answer_is_called_wrong_whoever_gives_it() -> None:
    compare = script("compare_tools")
    puzzle = made("sudoku", n=6)
    assert compare.judged(puzzle, {"answer": {"values": [1] * 36}}) == "wrong"
    assert compare.judged(puzzle, {"answer": {"values": [1]}}) == "wrong"
    assert compare.judged(puzzle, {"answer": None}) == "not solved"
    assert compare.judged(puzzle, {"answer": None, "error": "ValueError"}) == "crashed"


def test_a_tool_that_is_missing_or_breaks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare = script("compare_tools")
    monkeypatch.setattr(compare, "WORK", tmp_path / "work.py")
    puzzles = [made("sudoku", n=4, difficulty="easy")] * 3

    def tried(text: str) -> Any:
        (tmp_path / "work.py").write_text(text)
        return compare.tried("clingo", puzzles, tmp_path / "puzzles.jsonl", sys.executable, 5.0)

    assert tried('print(\'{"missing": "clingo"}\')') == "clingo"
    broken = tried("import sys; print('{\"versions\": {}}'); sys.exit(3)")
    assert broken.words == ["crashed"] * 3 and compare._median(broken) is None


def test_tools_are_given_what_they_take() -> None:
    work = script("compare_tools_work")
    nine, six = made("sudoku").to_json(), made("sudoku", n=6).to_json()
    assert [work.takes("dokusan", puzzle) for puzzle in (nine, six)] == [True, False]
    assert work.takes("clingo", six) and not work.takes("py-sudoku", {"kind": "tiles"})


def test_what_was_not_solved_counts_as_endless() -> None:
    compare = script("compare_tools")
    assert compare._median(compare.Tried(["solved", "solved", "unfinished"], [3.0, 1.0], {})) == 3.0
    assert compare._median(compare.Tried(["solved", "wrong", "unfinished"], [3.0], {})) is None


def test_the_page_of_tools_is_what_the_rows_say() -> None:
    """To the byte; and it follows a row that is gone."""
    page = script("compare_tools_page")
    text, rows = page.PAGE.read_text(encoding="utf-8"), page.read()
    assert page.filled(text, rows) == text, "docs/tools.md is out of date: make pages"
    assert page.filled(text, rows[:-1]) != text
    assert all(row["wrong"] == 0 for row in rows if row["tool"] == page.FIRST)


def test_only_tools_of_one_run_are_compared(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    rows = [
        {"set": "s", "tool": "Dovetail", "run": "1", "median_s": 1.0, "puzzles": 7},
        {"set": "s", "tool": "other", "run": "1", "median_s": 5.0},
        {"set": "s", "tool": "Dovetail", "run": "2", "median_s": 2.0, "puzzles": 7},
        {"set": "s", "tool": "slow", "run": "2", "median_s": None},
    ]
    (tmp_path / "results" / "tools.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    line = {"rows": "tools", "where": {"set": "s", "tool": "Dovetail"}, "of": "median_s"}
    sources = results.Sources(tmp_path)
    assert (sources.found(line).value, sources.found(line).runs) == (2.0, 7)
    with pytest.raises(BadInput, match="there is no row"):
        sources.found(line, "other")  # of another run
    with pytest.raises(BadInput, match="has no median_s"):
        sources.found(line, "slow")
    (tmp_path / "results" / "tools.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:2]))
    assert sources.found(line, "other").value == 5.0


# answers over time


def test_a_curve_over_time_keeps_what_was_in_hand() -> None:
    rows = [
        {"case": "c", "solver": "nested", "run": "1", "seed": 0, "budget_s": 9, "points": [[1.0, 90.0]]},
        {"case": "c", "solver": "nested", "run": "2", "seed": 0, "budget_s": 9, "points": [[1.0, 10.0], [4.0, 40.0]]},
        {"case": "c", "solver": "nested", "run": "2", "seed": 1, "budget_s": 9, "points": [[2.0, 20.0], [3.0, 15.0]]},
    ]
    (curve,) = plots.watched(rows)
    assert [curve.at(second) for second in (0.5, 1.0, 2.5, 3.5, 8.0)] == [
        [], [0.25], [0.25, 0.5], [0.25, 0.375], [1.0, 0.375],
    ]  # fmt: skip
    svg = plots.over_time("Title", [curve]).svg().decode()
    assert "Title" in svg and "nested" in svg and "seconds" in svg
    assert plots.over_time("Title", plots.watched(rows[:2])).svg().decode() != svg


def test_a_run_is_watched_and_judged_by_the_checker() -> None:
    anytime = script("anytime")
    case = anytime.Case("tiny", "partial", "matched", "seams", "tiles", {"width": 3, "height": 3, "colours": 3})
    row = anytime.watched(case, 0, 5.0)
    assert row["points"][-1][1] == 1.0 and row["ended"] == "complete"
    assert [when for when, _ in row["points"]] == sorted(when for when, _ in row["points"])
    changed = anytime.Case(
        "", "nested", "points", None, "samegame", {"random": True, "width": 4, "height": 4}, {"target": 0}
    )
    assert changed.found()[0].to_json()["target"] == 0
