"""Benchmarks over pictures: found, cut, solved, judged against the truth, averaged; failures stay in sight."""

import json
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import dovetail as package
from dovetail.bench import averages, columns, commands, own, pages, pictures, suites, tables
from dovetail.bench.commands import Ended, Limits
from dovetail.bench.suites import Case, Suite
from dovetail.core import registry, settings
from dovetail.core.errors import BadInput, BadUsage
from support.command import Result, dovetail

CASE = Case("set", images="album", kind="jigsaw", make={"piece": 4}, solver="genetic", seeds=2, paper="95 N")
SUITE = """
title = "Two pictures"
[[case]]
name = "set"
images = "album"
kind = "jigsaw"
make = { piece = 4 }
solver = "genetic"
seeds = 2
"""


def picture(path: Path, rows: int = 3, cols: int = 4, piece: int = 28) -> None:
    """One that changes everywhere, so that its pieces can only go together in one way."""
    down, round_ = Image.linear_gradient("L"), Image.radial_gradient("L")
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.merge("RGB", (down, down.rotate(90), round_)).resize((cols * piece, rows * piece)).save(path)


@pytest.fixture
def album(tmp_path: Path) -> Path:
    folder = tmp_path / "album"
    folder.mkdir()
    for name in ("b.png", "a.png"):
        Image.new("RGB", (16, 12)).save(folder / name)
    (folder / "README.txt").write_text("no picture")
    (folder / ".hidden.png").write_text("nor this")
    return folder


class Commands:
    """Stands in for the processes: what each verb is asked, and what it answers."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.scores: Iterator[dict[str, float]] = iter(lambda: {"direct": 1.0, "neighbour": 1.0, "perfect": 1.0}, None)
        self.instead: dict[str, Ended] = {}  # of what a verb usually answers

    def run(self, verb: str, *arguments: str, limits: Limits) -> Ended:
        self.asked.append((verb, *arguments))
        if verb in self.instead:
            return self.instead[verb]
        if verb == "make":
            return Ended(0, "made", "", 40.0)
        if verb == "solve":
            Path(arguments[arguments.index("--solution") + 1]).touch()
            seed = int(arguments[arguments.index("--seed") + 1])
            return Ended(0, json.dumps(report(None, float(1 + seed))), "", 100.0 + seed)
        scores = next(self.scores)
        solved = scores["perfect"] == 1.0
        verdict = {"valid": True, "solved": solved, "violations": [], "scores": scores}
        return Ended(0 if solved else 1, json.dumps({"verdict": verdict}), "", 50.0)


def report(scores: dict[str, float] | None, seconds: float, status: str = "complete") -> dict[str, Any]:
    verdict: dict[str, Any] = {"valid": True, "solved": None, "violations": [], "scores": scores or {}}
    return {"verdict": verdict, "seconds": {"solve": seconds, "warm_up": 9.0}, "outcome": {"status": status}}


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Commands:
    stand_in = Commands()
    monkeypatch.setattr(commands, "run", stand_in.run)
    return stand_in


def row(
    image: str, seed: int, neighbour: float | None, seconds: float = 1.0, memory_mb: float = 100.0
) -> dict[str, Any]:
    """One that failed, if it has no score."""
    base = {"case": "set", "image": image, "seed": seed, "memory_mb": memory_mb}
    if neighbour is None:
        return {**base, "result": "time-out", "report": None}
    scores = {"direct": neighbour / 2, "neighbour": neighbour, "perfect": float(neighbour == 1)}
    return {**base, "result": "solved" if neighbour == 1 else "not solved", "report": report(scores, seconds)}


def test_set_averages_are_means_over_seeds_then_over_pictures() -> None:
    rows = [row("a", 0, 1.0, 2.0), row("a", 1, 0.8, 4.0), row("b", 0, 0.4, 9.0, 300.0)]
    entry = averages.summary(CASE, rows)
    assert entry["neighbour"] == pytest.approx((0.9 + 0.4) / 2), "not (1 + .8 + .4) / 3"
    assert entry["direct"] == pytest.approx(0.325) and entry["perfect"] == pytest.approx(0.25)
    assert (entry["pictures"], entry["seeds"], entry["runs"], entry["solved"], entry["failed"]) == (2, 2, 3, 1, 0)
    assert (entry["seconds_per_puzzle"], entry["median_s"], entry["warm_up_s"]) == (5.0, 4.0, 9.0)
    assert entry["memory_mb"] == 300.0
    assert [(p["image"], p["neighbour"]) for p in entry["by_picture"]] == [("a", pytest.approx(0.9)), ("b", 0.4)]
    assert entry["neighbour_content"] is None, "no run has this score: that is not 0"


def test_a_run_that_failed_has_no_share_and_no_seconds() -> None:
    entry = averages.summary(CASE, [row("a", 0, 1.0, 2.0), row("a", 1, None)])
    assert (entry["neighbour"], entry["perfect"], entry["failed"], entry["solved"]) == (0.5, 0.5, 1, 1)
    assert entry["seconds_per_puzzle"] == 2.0
    nothing = averages.summary(CASE, [row("a", 0, None)])
    assert nothing["neighbour"] is None and nothing["median_s"] is None and nothing["failed"] == 1
    assert averages.cells(CASE, nothing, columns.USUAL)[0][0] == "set (1 of 1 runs failed)"


def test_runs_that_were_cut_short_are_told() -> None:
    rows = [row("a", 0, 0.1), row("a", 1, 0.2)]
    rows[1]["report"]["outcome"] = {"status": "out_of_budget"}
    entry = averages.summary(CASE, rows)
    assert entry["cut_short"] == 1
    assert averages.cells(CASE, entry, columns.USUAL)[0][0] == "set (1 of 2 runs out of time)"


def test_the_table_is_in_percent_beside_the_papers_numbers() -> None:
    suite = Suite("tiny", "A set", None, None, (CASE,), None)
    rows = [row("a", 0, 1.0, 2.0), row("b", 0, 0.91234, 3.0)]
    assert tables.markdown(suite, rows).splitlines() == [
        "| case | pictures | seeds | direct % | neighbour % | perfect | neighbour by content % | median s | mean s |"
        " peak MB | paper |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        "| set | 2 | 1 | 47.81 | 95.62 | 1/2 | – | 2.50 | 2.50 | 100 | 95 N |",
    ]
    assert "95.62" in tables.text(suite, rows)


def test_a_part_of_a_set_is_shown_picture_by_picture() -> None:
    part = Case("set", images="album", kind="jigsaw", first=2, paper="95 N")
    entry = averages.summary(part, [row("a", 0, 1.0, 2.0), row("b", 0, 0.5, 3.0)])
    lines = averages.cells(part, entry, columns.USUAL)
    assert [(line[0], line[1], line[4], line[8], line[-1]) for line in lines] == [
        ("set", "2", "75.00", "2.50", "95 N"), ("– picture a", "1", "100.00", "2.00", ""),
        ("– picture b", "1", "50.00", "3.00", ""),
    ]  # fmt: skip


def test_a_suite_of_puzzles_and_pictures_has_two_tables() -> None:
    suite = Suite("both", "Both", None, None, (CASE, Case("one", "terracotta")), None)
    puzzle_row = {"case": "one", "seed": 0, "result": "solved", "report": report(None, 3.0)}
    first, second = tables.markdown(suite, [row("a", 0, 1.0), puzzle_row]).split("\n\n")
    assert "| one | 1/1 | 3.000 |" in first and "| set | 1 | 1 |" in second


def test_of_each_picture_and_seed_the_last_row_counts(tmp_path: Path) -> None:
    rows = [row("a", 0, 0.1), row("b", 0, 0.2), row("a", 1, 0.3), row("a", 0, 0.4)]
    results = tmp_path / "rows.jsonl"
    results.write_text("".join(json.dumps(r) + "\n" for r in rows))
    latest = pages.latest(Suite("tiny", "", None, None, (CASE,), results))
    assert [(r["image"], r["seed"], r["report"]["verdict"]["scores"]["neighbour"]) for r in latest] == [
        ("a", 0, 0.4), ("b", 0, 0.2), ("a", 1, 0.3),
    ]  # fmt: skip


def test_every_picture_is_made_solved_and_judged_with_every_seed(album: Path, processes: Commands) -> None:
    Path("tiny.toml").write_text(SUITE)
    processes.scores = iter({"direct": d, "neighbour": d, "perfect": float(d == 1)} for d in (1.0, 0.5, 0.25, 0.75))
    result = dovetail("bench", "tiny.toml", "--json")
    assert result.status == 0
    rows = [json.loads(line) for line in Path("tiny.jsonl").read_text().splitlines()]
    assert [(r["image"], r["seed"], r["result"]) for r in rows] == [
        ("a", 0, "solved"), ("b", 0, "not solved"), ("a", 1, "not solved"), ("b", 1, "not solved"),
    ]  # fmt: skip
    assert [r["report"]["verdict"]["scores"]["direct"] for r in rows] == [1.0, 0.5, 0.25, 0.75]
    assert rows[2]["memory_mb"] == 101.0 and rows[2]["make"] == {"kind": "jigsaw", "piece": 4}
    assert result.report[0]["direct"] == 0.625 and result.report == tables.summary(suites.load("tiny.toml"), rows)
    make, solve, check = processes.asked[-3:]
    assert make[:2] == ("make", "jigsaw") and "piece=4" in make and "image=album/b.png" in make
    assert make[make.index("--seed") + 1] == solve[solve.index("--seed") + 1] == "1"
    assert make[make.index("--out") + 1] == solve[1] == check[1], "what was made is solved and judged"
    assert make[make.index("--truth") + 1] == check[check.index("--truth") + 1] not in solve
    assert solve[solve.index("--solution") + 1] == check[2]
    assert not Path(solve[1]).parent.exists(), "nothing is left behind"


@pytest.mark.parametrize(
    ("verb", "ended", "word", "message"),
    [
        ("make", Ended(2, "", "dovetail: album/a.png is torn\n", 7.0), "refused", "dovetail: a is torn"),
        ("solve", Ended(2, "", "dovetail: genetic refuses this puzzle", 7.0), "refused", "genetic refuses"),
        ("solve", Ended(None, "", "", 7.0), "time-out", None),
        ("solve", Ended(-9, "", "", 7.0), "crashed", "status -9"),
        ("solve", Ended(1, json.dumps(report(None, 1.0, "failed")), "", 7.0), "crashed", "the solver failed"),
        ("check", Ended(-11, "", "", 7.0), "crashed", "status -11"),
        ("check", Ended(None, "", "", 7.0), "time-out", "while the answer was judged"),
    ],
)  # fmt: skip
def test_failures_are_rows_with_their_word(
    album: Path, processes: Commands, verb: str, ended: Ended, word: str, message: str | None
) -> None:
    processes.instead[verb] = ended
    result = dovetail("bench", "jigsaw", "--set", "images=album", "--set", "first=1", "--set", "results=rows", "--json")
    assert result.status == 1
    (row,) = [json.loads(line) for line in Path("rows").read_text().splitlines()]
    assert row["result"] == word and word in result.err
    assert message in row["message"] if message else "message" not in row
    assert result.report["failed"] == 1 and result.report["solved"] == 0


def test_a_solver_without_an_answer_has_not_solved(album: Path, processes: Commands) -> None:
    processes.instead["solve"] = Ended(1, json.dumps(report(None, 1.0, "out_of_budget")), "", 7.0)
    result = dovetail("bench", "jigsaw", "--set", "images=album", "--json")
    assert result.status == 0 and result.report["solved"] == 0 and result.report["failed"] == 0


def test_own_pictures_leave_no_row_unless_asked(album: Path, processes: Commands) -> None:
    args = ("bench", "jigsaw", "--set", "images=album", "--set", "piece=4", "--set", "seeds=2")
    before = sorted(Path.cwd().rglob("*"))
    assert "100.00" in dovetail(*args).out
    assert sorted(Path.cwd().rglob("*")) == before
    for _ in range(2):
        assert dovetail(*args, "--set", "results=mine.jsonl", "--quiet").status == 0
    assert len(Path("mine.jsonl").read_text().splitlines()) == 8, "rows are only ever appended"


def test_own_pictures_are_cut_and_solved_as_asked() -> None:
    given = {"images": "/some/where/album", "piece": "28", "type": "2", "solver": "genetic", "seeds": "3"}
    (case,) = own.suite("jigsaw", {**given, "time": "5", "first": "2", "population": "50"}).cases
    assert case.make == {"piece": "28", "rotate": "true"} and case.set == {"population": "50"}
    assert (case.solver, case.seeds, case.time_s, case.first) == ("genetic", 3, 5.0, 2)
    assert case.name == "album, genetic, piece=28, rotate=true, population=50", "no path of this machine"
    assert own.suite("jigsaw", {**given, "type": "1"}).cases[0].make["rotate"] == "false"


@pytest.mark.parametrize(
    ("kind", "given", "why"),
    [
        ("jigsaw", "piece=28", "images=FOLDER"),
        ("jigsaw", "images=nowhere", "no such file"),
        ("jigsaw", "images=empty", "no picture in empty"),
        ("jigsaw", "images=album image=album/a.png", "image not beside it"),
        ("jigsaw", "images=album type=3", "type is one of 1, 2"),
        ("jigsaw", "images=album type=2 rotate=false", "set one of them"),
        ("jigsaw", "images=album missing=2", "missing must be at most"),
        ("jigsaw", "images=album seeds=0", "seeds must be at least 1"),
        ("jigsaw", "images=album group=3", "3 pictures make a bag, and there are 2 in album"),
        ("jigsaw", "images=album solver=magic", "unknown solver 'magic'"),
        ("jigsaw", "images=album solver=genetic colour=red", "unknown setting 'colour'"),
        ("jigsaw", "images=album solver=genetic population=many", "population is a whole number"),
        ("jigsaw", "images=album results=nowhere/rows", "cannot write"),
        ("terracotta", "images=album", "not cut from pictures"),
        ("nothing", "images=album", "unknown kind"),
    ],
)
def test_what_cannot_be_run_is_said_before_any_work(
    album: Path, processes: Commands, kind: str, given: str, why: str
) -> None:
    Path("empty").mkdir()
    result = dovetail("bench", kind, *(part for pair in given.split() for part in ("--set", pair)))
    assert result.status == 2 and why in result.err and result.is_one_sentence()
    assert not processes.asked


@pytest.mark.parametrize(
    "line",
    [
        'puzzle = "terracotta"',
        'kind = ""',
        "images = 3",
        "make = 3",
        "first = 0",
        'verb = "count"',
        "first = 1.5",
        "group = 0",
        "group = true",
        "bar = 3",
    ],
)
def test_a_case_over_pictures_is_sound(line: str) -> None:
    keys = {"images": '"album"', "kind": '"jigsaw"'}
    key, _, value = line.partition(" = ")
    body = "\n".join(f"{k} = {v}" for k, v in {**keys, key: value}.items())
    Path("broken.toml").write_text(f'title = "broken"\n[[case]]\nname = "x"\n{body}\n')
    with pytest.raises(BadInput, match=r"is not a suite: .*'x'"):
        suites.load("broken.toml")
    Path("broken.toml").write_text('title = "broken"\n[[case]]\nname = "x"\npuzzle = "terracotta"\nfirst = 1\n')
    with pytest.raises(BadInput, match="is not a suite"):
        suites.load("broken.toml")


def test_pictures_are_known_by_name(album: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [(p.name, p.image) for p in pictures.found(CASE)] == [("a", "album/a.png"), ("b", "album/b.png")]
    Image.new("RGB", (16, 12)).save(album / "a.jpg")
    assert [p.name for p in pictures.found(CASE)] == ["a.jpg", "a.png", "b.png"], "names that tell them apart"
    one = Case("one", images="$DOVETAIL_DATA/b.png", kind="jigsaw")
    monkeypatch.setenv("DOVETAIL_DATA", "album")
    assert [p.name for p in pictures.found(one)] == ["b"]
    monkeypatch.delenv("DOVETAIL_DATA")
    with pytest.raises(BadUsage, match="set DOVETAIL_DATA"):
        pictures.found(one)


def test_pictures_that_are_built_in_are_named_not_found() -> None:
    case = Case("built in", images="built-in:coffee, coins,moon", kind="jigsaw", first=2)
    assert [(p.name, p.image) for p in pictures.found(case)] == [("coffee", "coffee"), ("coins", "coins")]
    with pytest.raises(BadInput, match="goes before names of pictures"):
        pictures.found(Case("none", images="built-in: ,", kind="jigsaw"))


def test_pictures_go_into_bags_in_their_order(album: Path) -> None:
    for name in "cde":
        Image.new("RGB", (16, 12)).save(album / f"{name}.png")
    bags = pictures.found(Case("bags", images="album", kind="jigsaw", group=2))
    assert [(p.name, p.image) for p in bags] == [
        ("a+b", "album/a.png,album/b.png"), ("c+d", "album/c.png,album/d.png"),
    ], "what is too little for a bag is left"  # fmt: skip
    assert len(pictures.found(Case("bags", images="album", kind="jigsaw", group=5))) == 1
    with pytest.raises(BadInput, match="6 pictures make a bag, and there are 5 in album"):
        pictures.found(Case("bags", images="album", kind="jigsaw", group=6))


def test_a_bag_is_made_of_all_its_pictures(album: Path, processes: Commands) -> None:
    processes.scores = iter([{**BAG, "perfect": 0.0}])
    args = ("images=album", "group=2", "piece=4", "results=rows", "solver=genetic")
    result = bench_own(*args)
    assert result.status == 0
    assert "image=album/a.png,album/b.png" in processes.asked[0]
    (row,) = [json.loads(line) for line in Path("rows").read_text().splitlines()]
    assert row["image"] == "a+b"
    assert (result.report["enhanced_neighbour"], result.report["number_right"]) == (0.75, 0.0)
    assert result.report["case"] == "album, bags of 2, genetic, piece=4"
    processes.instead["make"] = Ended(2, "", "dovetail: album/b.png is torn, not album/a.png\n", 7.0)
    bench_own(*args)
    last = json.loads(Path("rows").read_text().splitlines()[-1])
    assert last["message"] == "dovetail: b is torn, not a", "no path of this machine"


BAG = {
    "direct": 0.5, "neighbour": 0.5, "enhanced_direct": 0.25, "enhanced_neighbour": 0.75, "pictures": 3.0,
    "pictures_original": 2.0,
}  # fmt: skip


def test_a_suite_says_which_columns_it_shows() -> None:
    Path("tiny.toml").write_text(SUITE.replace("[[case]]", 'columns = ["case", "enhanced neighbour", "bar"]\n[[case]]'))
    suite = suites.load("tiny.toml")
    bag = row("a+b", 0, 0.5)
    bag["report"]["verdict"]["scores"] |= BAG
    assert tables.markdown(suite, [bag, row("c+d", 0, None)]).splitlines() == [
        "| case | enhanced neighbour | bar |",
        "| --- | --- | --- |",
        "| set (1 of 2 runs failed) | 0.375 |  |",
    ]
    for wrong in ('["case", "colour"]', "[]", '"case"', "[3]"):
        Path("tiny.toml").write_text(SUITE.replace("[[case]]", f"columns = {wrong}\n[[case]]"))
        with pytest.raises(BadInput, match=r"is not a suite: .*column"):
            suites.load("tiny.toml")


def test_every_column_has_a_cell_for_a_run_without_scores() -> None:
    suite = Suite("all", "All", None, None, (CASE,), None, tuple(columns.SHOWN))
    _, _, line = tables.markdown(suite, [row("a", 0, None, memory_mb=7.0)]).splitlines()
    cells = dict(zip(columns.SHOWN, (cell.strip() for cell in line.split("|")[1:-1]), strict=True))
    told = {"case": "set (1 of 1 runs failed)", "pictures": "1", "bags": "1", "seeds": "1", "peak MB": "7", "bar": ""}
    told |= {"paper": "95 N", "best published": "95 N"}
    assert cells == {name: told.get(name, "–") for name in columns.SHOWN}


def test_a_process_tells_its_memory_and_ends_at_its_limit() -> None:
    large = commands.finished([sys.executable, "-c", "print(len(b'x' * (300 << 20)))"])
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / commands.MB  # it is born with that as its own peak
    assert large.status == 0 and large.out.strip() == str(300 << 20) and 300 < large.memory_mb < ours + 1000
    broken = commands.finished([sys.executable, "-c", "import sys; sys.exit('no')"])
    assert (broken.status, broken.err.strip()) == (1, "no")
    late = commands.finished([sys.executable, "-c", "import time; time.sleep(60)"], Limits(0.5))
    assert (late.status, late.limit) == (None, "time-out")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what a process holds")
def test_a_process_that_takes_too_much_memory_is_ended() -> None:
    """Its own, or that of one it started."""
    greedy = "import time; held = b'x' * (300 << 20); time.sleep(60)"
    through = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {greedy!r}])"
    for code in (greedy, through):
        ended = commands.finished([sys.executable, "-c", code], Limits(30.0, 200.0))
        assert (ended.status, ended.limit) == (None, "memory")
        assert commands.failure(ended) == {"result": "memory", "report": None}


def test_shipped_cases_set_what_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(package.__file__).parents[2])
    cases = [case for suite in suites.load_all() for case in suite.cases if case.images]
    assert cases
    for case in cases:
        kind = registry.kind(case.kind)
        (solver,) = (solver for solver in registry.solvers(kind.family) if solver.name == case.solver)
        settings.fill(kind.making_type, case.make)
        settings.fill(solver.settings_type, case.set)


def bench_own(*given: str) -> Result:
    return dovetail("bench", "jigsaw", *(part for pair in given for part in ("--set", pair)), "--json", "--quiet")


def test_real_pictures_are_put_together_again(tmp_path: Path) -> None:
    picture(tmp_path / "photos" / "whole.png")
    (tmp_path / "photos" / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n torn")
    result = bench_own("images=photos", "piece=28", "solver=genetic", "population=30", "generations=10", "results=rows")
    assert result.status == 1, "one of the two is no picture"
    assert (result.report["pictures"], result.report["failed"], result.report["solved"]) == (2, 1, 1)
    assert result.report["direct"] == result.report["neighbour"] == result.report["perfect"] == 0.5
    torn, whole = [json.loads(line) for line in Path("rows").read_text().splitlines()]
    assert whole["report"]["puzzle"]["size"] == "3x4" and whole["report"]["solver"]["parameters"]["population"] == 30
    assert whole["memory_mb"] > 50 and whole["report"]["seconds"]["solve"] > 0
    assert torn["result"] == "refused" and "torn" in torn["message"] and str(tmp_path) not in json.dumps([torn, whole])
