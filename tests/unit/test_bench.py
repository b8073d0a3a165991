"""Benchmarks: suites are read, runs are rows, tables come from rows only."""

import json
import re
import shutil
import signal
import time
from pathlib import Path

import pytest

import dovetail as package
from dovetail import pipeline
from dovetail.bench import data, limits, pages, plots, results, runner, status, suites, tables
from dovetail.core import limits as core_limits
from dovetail.core.errors import BadInput, BadUsage
from dovetail.terminal import Display
from support.command import dovetail, gone, start

CHECKOUT = Path(package.__file__).parents[2]

SUITE = """
title = "A tiny suite"
rate = "placements"

[[case]]
name = "small"
puzzle = "terracotta-3x4"
seeds = 2
time_s = 10
paper = "0.1 s"

[[case]]
name = "hopeless"
puzzle = "terracotta"
steps = 1000
set = { algorithm = "2" }

[[case]]
name = "mistaken"
puzzle = "terracotta"
solver = "magic"
"""


@pytest.fixture
def suite(tmp_path: Path) -> suites.Suite:
    folder = tmp_path / "benchmarks" / "suites"
    folder.mkdir(parents=True)
    (folder / "tiny.toml").write_text(SUITE)
    return suites.load("tiny")


def test_rows_are_appended_and_the_table_comes_from_them(suite: suites.Suite) -> None:
    assert suite.results is not None
    result = dovetail("bench", "tiny", "--json")
    assert result.status == 1, "a case that was refused is not a result"
    assert "mistaken, seed 0: refused dovetail: unknown solver" in result.err
    rows = [json.loads(line) for line in suite.results.read_text().splitlines()]
    assert [(r["case"], r["seed"], r["result"]) for r in rows] == [
        ("small", 0, "solved"), ("small", 1, "solved"), ("hopeless", 0, "not solved"), ("mistaken", 0, "refused"),
    ]  # fmt: skip
    assert rows[0]["report"]["machine"]["cores"] == rows[3]["machine"]["cores"], "failures are stamped as well"
    assert {row["version"] for row in rows} == {package.__version__}
    assert [row["fixed"] for row in rows] == ["time", "time", "steps", "time"]
    assert "unknown solver" in rows[3]["message"]
    summary = result.report
    assert [(e["case"], e["solved"], e["runs"]) for e in summary] == [
        ("small", 2, 2),
        ("hopeless", 0, 1),
        ("mistaken", 0, 1),
    ]
    assert summary == tables.summary(suite, rows)
    dovetail("bench", "tiny", "--only", "small", "--quiet")
    assert len(suite.results.read_text().splitlines()) == 6, "rows are only ever appended"


def test_an_interrupted_suite_goes_on(suite: suites.Suite) -> None:
    assert suite.results is not None
    quiet = Display(True)
    with pytest.raises(BadUsage, match="no run of tiny to go on with"):
        next(runner.run(suite, None, quiet, resume=True))
    begun = runner.run(suite, None, quiet)
    first = next(begun)
    del begun  # as if it had been interrupted
    rest = [*runner.run(suite, None, quiet, resume=True)]
    assert [(row["case"], row["seed"]) for row in rest] == [("small", 1), ("hopeless", 0), ("mistaken", 0)]
    assert {row["run"] for row in rest} == {first["run"]}
    assert [*runner.run(suite, None, quiet, resume=True)] == []
    assert [row["run"] > first["run"] for row in runner.run(suite, "small", quiet)] == [True, True]


@pytest.mark.parametrize(
    ("left", "mended"),
    [
        (['{"run": "a", "case": "x"}\n', '{"run": "a", "ca'], 1),
        (['{"run": "a", "case": "x"}\n', '{"run": "a", "case": "y"}'], 2),  # only the end of the line is missing
        (['{"run": "a", "case": "x", "rows": 2}\n'], 0),
        (['{"run": "a", "case": "x", "rows": 2}\n'] * 3 + ["{"], 2),
        (['{"run": "b", "case": "x"}\n'] + ['{"run": "a", "case": "x", "rows": 2}\n'] * 2, 3),
    ],
)
def test_half_a_row_and_half_a_run_are_cut_off(left: list[str], mended: int) -> None:
    path = Path("rows.jsonl")
    path.write_text("".join(left))
    runner._mend(path)
    assert path.read_text() == "".join(line if line.endswith("\n") else f"{line}\n" for line in left[:mended])


def test_a_killed_suite_goes_on(suite: suites.Suite, tmp_path: Path) -> None:
    """Killed in a run that would last a minute: every row once, and nothing runs on."""
    assert suite.results is not None
    told = """title = "t"\n[[case]]\nname = "small"\npuzzle = "terracotta-3x4"
        [[case]]\nname = "long"\npuzzle = "terracotta"\nset = {algorithm = "1"}\ntime_s = %s"""
    tiny = tmp_path / "benchmarks" / "suites" / "tiny.toml"
    tiny.write_text(told % 60)
    process = start("bench", "tiny", "--quiet", cwd=tmp_path, start_new_session=True)
    while not suite.results.exists() or not suite.results.read_text().endswith("\n"):
        time.sleep(0.05)
        assert process.poll() is None
    process.kill()
    process.communicate()
    assert gone(process.pid) or shutil.which("setpriv") is None
    with suite.results.open("a") as file:
        file.write('{"suite": "tiny", "case": "lo')
    tiny.write_text(told % 0.1)
    assert dovetail("bench", "tiny", "--quiet", "--resume").status == 0
    rows = [json.loads(line) for line in suite.results.read_text().splitlines()]
    assert [(row["case"], row["seed"]) for row in rows] == [("small", 0), ("long", 0)]
    assert rows[0]["run"] == rows[1]["run"]


def test_several_runs_at_once(suite: suites.Suite) -> None:
    rows = [*runner.run(suite, None, Display(True), jobs=2)]
    assert sorted((row["case"], row["seed"]) for row in rows) == [
        ("hopeless", 0), ("mistaken", 0), ("small", 0), ("small", 1),
    ]  # fmt: skip
    assert all(row["jobs"] == 2 for row in rows)


def test_data_is_known_by_its_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sets" / "album").mkdir(parents=True)
    for name in ("a", "b"):
        (tmp_path / "sets" / "album" / f"{name}.txt").write_text(name)
    case = suites.Case("album", images="$DOVETAIL_DATA/album", kind="jigsaw")
    told = {"album": data.digest(tmp_path / "sets" / "album"), "unused": "0" * 64}
    suite = suites.Suite("s", "S", None, None, (case,), None, data=told)
    monkeypatch.delenv("DOVETAIL_DATA", raising=False)
    assert "set DOVETAIL_DATA to the folder of benchmark sets, with album in it" in str(data.missing(suite))
    monkeypatch.setenv("DOVETAIL_DATA", str(tmp_path / "sets"))
    assert data.missing(suite) is None
    data.verify(suite, [case])
    (tmp_path / "sets" / "album" / "b.txt").write_text("c")
    with pytest.raises(BadInput, match="album in DOVETAIL_DATA is not what s was written for"):
        data.verify(suite, [case])
    for path in (tmp_path / "sets" / "album").iterdir():
        path.unlink()
    (tmp_path / "sets" / "album").rmdir()
    assert str(data.missing(suite)).startswith("put album into ")


def test_table_shows_the_papers_number_beside_ours(suite: suites.Suite) -> None:
    result = dovetail("bench", "tiny", "--only", "small")
    assert result.status == 0
    text = result.out
    assert "A tiny suite" in text and "2/2" in text and "0.1 s" in text and "placements per s" in text


def test_suites_are_listed_and_missing_ones_named(suite: suites.Suite) -> None:
    assert "tiny: A tiny suite" in dovetail("list", "suites").out
    for bad in (("bench", "huge"), ("bench", "tiny", "--only", "nothing")):
        result = dovetail(*bad)
        assert result.status == 2 and result.is_one_sentence()
    assert suite.results is not None
    broken = suite.results.parent.parent / "suites" / "broken.toml"
    case = '[[case]]\nname = "x"\npuzzle = "terracotta"\n'
    for text in (
        "nonsense = 1",
        case + 'seeds = "2"',
        case + "set = 3",
        case + "solver = 3",
        case + "time_s = -1",
        case + "seeds = 2.5",
    ):
        broken.write_text(f'title = "broken"\n{text}')
        result = dovetail("bench", "broken")
        assert result.status == 2 and "is not a suite" in result.err and result.is_one_sentence(), text


def test_a_suite_kept_elsewhere_keeps_its_rows_beside_it(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        'title = "own"\nrate = "nothing"\n[[case]]\nname = "x"\npuzzle = "terracotta-3x4"\n'
    )
    assert dovetail("bench", "own.toml", "--quiet").status == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["own.jsonl", "own.toml"]


def test_a_bench_that_is_ended_takes_its_run_with_it(tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(
        'title = "long"\n[[case]]\nname = "x"\npuzzle = "terracotta"\nset = {algorithm = "1"}\ntime_s = 60\n'
    )
    process = start("bench", "long.toml", cwd=tmp_path, start_new_session=True)
    time.sleep(2)
    process.send_signal(signal.SIGTERM)
    _, error = process.communicate(timeout=20)
    assert process.returncode == 130 and "dovetail: interrupted" in error and "Traceback" not in error
    assert gone(process.pid)


def test_outside_a_checkout_one_sentence() -> None:
    result = dovetail("list", "suites")
    assert result.status == 2 and "no folder benchmarks/suites" in result.err


def test_shipped_suites_are_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    shipped = suites.load_all()
    assert shipped
    for suite in shipped:
        assert suite.cases
        assert len({(case.name, case.solver) for case in suite.cases}) == len(suite.cases)


def test_tables_in_the_docs_are_what_the_rows_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    marked = [page for page in Path("docs").glob("*.md") if pages.MARKED.search(page.read_text())]
    assert marked
    for page in marked:
        assert pages.filled(page.read_text()) == page.read_text(), f"{page} is out of date: make pages"


def test_a_page_follows_its_rows(suite: suites.Suite) -> None:
    assert suite.results is not None
    dovetail("bench", "tiny", "--only", "small", "--quiet")
    page = "Before\n<!-- table: tiny -->\nold\n<!-- end of table -->\nafter\n"
    whole = pages.filled(page)
    assert (
        "| small | 2/2 |" in whole and "old" not in whole and whole.startswith("Before") and whole.endswith("after\n")
    )
    assert pages.filled(whole) == whole
    first, _ = suite.results.read_text().splitlines()
    suite.results.write_text(first + "\n")
    assert "| small | 1/1 |" in pages.filled(whole)


BATCH = """
title = "Many puzzles a case"

[[case]]
name = "small sudokus"
batch = "{file}"
match = "2x2"
solver = "{solver}"
time_s = 10
paper = "0.1 s"

[[case]]
name = "of one size"
batch = "{file}"
sizes = ["6x6"]
solver = "sat"
time_s = 10
set = {{ prove = true }}
"""


def test_a_case_over_a_file_of_many_puzzles(tmp_path: Path) -> None:
    file, suite = tmp_path / "ids.jsonl", tmp_path / "batch.toml"
    ids = [("2x2", "1c3f1c4"), ("2x2", "a4a3h2a1a"), ("2x3", "zj")]
    lines = (json.dumps({"game": "solo", "params": params, "desc": desc}) for params, desc in ids)
    file.write_text("\n".join(lines))
    suite.write_text(BATCH.format(file=file, solver="mcts-reliable"))
    done = dovetail("bench", str(suite), "--quiet")
    assert done.status == 0
    head, small, one = (line.split("  ") for line in done.out.strip().splitlines()[1:])
    assert head[0] == "case"
    assert "2/2" in small and "0.1 s" in small
    assert "1/1" in one
    rows = [json.loads(line) for line in suite.with_suffix(".jsonl").read_text().splitlines()]
    assert [(row["case"], row["item"], row["result"]) for row in rows] == [
        ("small sudokus", 0, "solved"),
        ("small sudokus", 1, "solved"),
        ("of one size", 0, "solved"),
    ]
    assert rows[-1]["report"]["outcome"]["counters"]["solutions"] == 2, "an empty board has many answers"
    assert len(pages.latest(suites.load(str(suite)))) == 3


def test_a_case_over_puzzles_that_are_made(tmp_path: Path) -> None:
    suite = tmp_path / "made.toml"
    case = {"name": '"small"', "batch": '"made"', "kind": '"tiles"', "first": "3", "make": "{ width = 3, height = 2 }"}
    suite.write_text('title = "Made"\n[[case]]\n' + "\n".join(f"{key} = {value}" for key, value in case.items()))
    assert dovetail("bench", str(suite), "--quiet").status == 0
    rows = [json.loads(line) for line in suite.with_suffix(".jsonl").read_text().splitlines()]
    made = [pipeline.make("tiles", seed, {"width": 3, "height": 2})[0].digest for seed in range(3)]
    assert [row["report"]["puzzle"]["digest"] for row in rows] == made
    suite.write_text(suite.read_text().replace("first = 3", ""))
    done = dovetail("bench", str(suite), "--quiet")
    assert done.status == 2 and "first says how many" in done.err


def test_a_case_about_no_puzzle_of_its_file_is_refused(tmp_path: Path) -> None:
    file, suite = tmp_path / "ids.jsonl", tmp_path / "batch.toml"
    file.write_text('{"game": "solo", "params": "2x2", "desc": "1c3f1c4"}')
    suite.write_text(BATCH.format(file=file, solver="sat").replace("2x2", "7x7"))
    done = dovetail("bench", str(suite), "--quiet")
    assert done.status == 2
    assert "holds no puzzle that the case 'small sudokus' is about" in done.err


def test_the_results_page_is_what_the_rows_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """To the byte; and it follows a row that is gone."""
    monkeypatch.chdir(CHECKOUT)
    for path, content in results.written(CHECKOUT / "benchmarks"):
        assert (CHECKOUT / path).read_bytes() == content, f"{path} is out of date: make pages"
    copy = tmp_path / "benchmarks"
    shutil.copytree(CHECKOUT / "benchmarks", copy, ignore=shutil.ignore_patterns("*.py", "puzzles"))
    rows = copy / "results" / "terracotta.jsonl"
    lines = rows.read_text().splitlines(keepends=True)
    slowest = max(lines, key=lambda line: '"fast engine"' in line and json.loads(line)["report"]["seconds"]["solve"])
    rows.write_text("".join(line for line in lines if line != slowest))
    monkeypatch.chdir(tmp_path)
    changed = dict(results.written(copy))[Path("docs", "results.md")].decode()
    before = (CHECKOUT / "docs" / "results.md").read_text()
    assert [line for line in changed.splitlines() if line not in before.splitlines()] != []
    assert "all 70 tiles: seconds to solve, our engine | 7,200 s" in changed


def test_the_status_page_is_what_registry_and_rows_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    assert status.written(CHECKOUT / "benchmarks") == Path("docs/status.md").read_text(), "out of date: make pages"


def test_the_limits_page_is_what_the_code_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    page = Path("docs/limits.md").read_text()
    assert limits.written(CHECKOUT / "benchmarks") == page, "out of date: make pages"
    numbers = [name for name in vars(core_limits) if name.isupper() and name != "MIB"]
    assert all(f"| `{name}` |" in page for name in numbers), "a comment says what it counts"
    code = "".join(path.read_text() for path in Path("src").rglob("*.py"))
    assert all(len(re.findall(rf"\b{name}\b", code)) > 1 for name in numbers), "a limit that nothing keeps to"


def test_headlines_that_nothing_is_known_of_are_named(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "some.jsonl").write_text('{"table": 1, "ours": 3}\n')
    sources = results.Sources(tmp_path)
    assert sources.found({"rows": "some", "where": {"table": 1}, "of": "ours"}).value == 3
    with pytest.raises(BadInput, match="there is no row of some with"):
        sources.found({"rows": "some", "where": {"table": 2}, "of": "ours"})


def test_curves_that_are_straight_in_logarithms_tell_their_exponent() -> None:
    curve = plots.Curve("square", [(10.0, 100.0), (100.0, 10_000.0), (1000.0, 1e6)])
    assert plots.exponents([curve]) == "\nFitted: square like n^2.00."
    picture = plots.drawn("title", [curve, plots.Curve("others", curve.points, others=True)], logarithmic=True)
    assert picture.svg().decode().count("<poly") > 10
