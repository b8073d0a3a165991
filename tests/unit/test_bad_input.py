"""Bad input of any kind ends with status 2, one clear sentence, and nothing half-written."""

import json
import os
from pathlib import Path

import pytest

from dovetail import pipeline
from dovetail.core import registry
from support.command import Result, dovetail

KINDS = ", ".join(registry.kind_names())
SOLVERS = ", ".join(registry.solver_names())
CSV = pipeline.convert(pipeline.read("terracotta"), "csv").decode()
LINES = CSV.splitlines()


def assert_refused(*args: object, stdin: bytes = b"", says: str) -> None:
    before = snapshot()
    result = dovetail(*args, stdin=stdin)
    assert result.status == 2, result
    assert result.is_one_sentence(), result.err
    assert says in result.err, result.err
    assert len(result.err) < 400, "one sentence, not a speech"
    assert snapshot() == before, "nothing is written"


def snapshot() -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in Path.cwd().rglob("*") if p.is_file()}


def test_missing_file() -> None:
    assert_refused("solve", "nowhere.csv", says="there is no file 'nowhere.csv'")
    assert_refused("solve", "some/folder/with/a/long/name/that/is/not/here/at/all/puzzle.json", says="there is no file")
    assert_refused("solve", "terracota", says="no built-in puzzle of that name (did you mean terracotta")


def test_a_folder_where_a_file_is_meant() -> None:
    Path("folder").mkdir()
    assert_refused("solve", "folder", says="folder is a folder")
    assert_refused("solve", "folder", "--kind", "terracotta", says="folder is a folder; a file is needed here")
    assert_refused("check", "terracotta", "folder", says="folder is a folder")


def test_empty_file() -> None:
    Path("empty.csv").write_bytes(b"")
    Path("blank.csv").write_bytes(b" \n\n ")
    assert_refused("solve", "empty.csv", says="empty.csv is empty")
    assert_refused("solve", "blank.csv", says="blank.csv is empty")
    assert_refused("solve", "-", says="standard input is empty")
    assert_refused("solve", "", says="the input is empty")


def test_binary_junk() -> None:
    Path("junk.csv").write_bytes(bytes(range(256)) * 10)
    assert_refused(
        "solve", "junk.csv", says=f"cannot tell what kind of puzzle junk.csv is; name it with --kind ({KINDS})"
    )
    assert_refused("solve", "junk.csv", "--kind", "terracotta", says="junk.csv is not a text file")
    assert_refused("solve", "-", stdin=b"\xff\xfe\x00", says="cannot tell")


def test_a_71st_tile() -> None:
    Path("71.csv").write_text("\n".join([*LINES, "71,0,0,0,1"]))
    assert_refused("solve", "71.csv", says="a 7x10 board takes 70 tiles, but 71 are given")
    Path("bare71.csv").write_text("\n".join([*LINES[1:], "71,0,0,0,1"]))
    assert_refused("solve", "bare71.csv", says="71 tiles do not fill the standard 7x10 board")
    Path("69.csv").write_text("\n".join(LINES[:-1]))
    assert_refused("solve", "69.csv", says="a 7x10 board takes 70 tiles, but 69 are given")


def test_a_wrong_arrow_code() -> None:
    for arrow, shown in (("4", "'4'"), ("-1", "'-1'"), ("x", "'x'"), ("", "''"), ("1.0", "'1.0'")):
        Path("arrow.csv").write_text("\n".join([*LINES[:5], f"4,0,{arrow},0,1", *LINES[6:]]))
        assert_refused("solve", "arrow.csv", says=f"line 6, column TR: arrows are 0, 1, 2 or 3, not {shown}")
    Path("short.csv").write_text("\n".join([*LINES[:5], "4,0,1", *LINES[6:]]))
    assert_refused("solve", "short.csv", says="line 6, column BL: arrows are 0, 1, 2 or 3, not nothing")


def test_odd_tables() -> None:
    def written(text: str) -> str:
        Path("odd.csv").write_text(text)
        return "odd.csv"

    head = "TL,TR,BL,BR\n"
    assert_refused("solve", written("TL,TR,BL,BR,TL\n0,0,0,0,3\n"), says="line 1: there are two columns TL")
    assert_refused("solve", written(f"# board 0x0\n{head}"), says="1 to 64 rows and columns, not 0x0")
    assert_refused("solve", written(f"# board 0x0\n{head}0,0,0,0\n1,1,1,1\n"), says="not 0x0")
    assert_refused("solve", written(f"# board {'9' * 5000}x3\n{head}0,0,0,0\n"), says="as in '# board 4x5'")
    assert_refused("solve", written(f"# board wide\n{head}0,0,0,0\n"), says="as in '# board 4x5'")
    assert_refused("solve", written(f"{head}{'x' * 200_000},0,0,0\n"), says="line 2, column TL")
    assert_refused("solve", written(f"{head}0,0,0,0\n1,1,1,1\n"), "--set", "cols=5", says="2 tiles do not make a board")
    assert_refused("solve", written(head), "--set", "cols=5", says="0 tiles do not make a board")


def test_broken_json() -> None:
    def written(text: str) -> str:
        Path("puzzle.json").write_text(text)
        return "puzzle.json"

    good = json.loads(pipeline.convert(pipeline.read("terracotta-3x4"), "json"))
    assert_refused("solve", written('{"kind": "terracotta",'), says="puzzle.json is not valid JSON")
    assert_refused("solve", written('{"kind": "nonsense"}'), says="unknown kind 'nonsense'")
    assert_refused("solve", written('{"kind": ["terracotta"]}'), says="unknown kind")
    assert_refused(
        "solve", written('{"kind": "terracotta"}'), says="puzzle.json: a terracotta puzzle needs a whole number"
    )
    assert_refused("solve", written(json.dumps({**good, "rows": 3.5})), says="whole number 'rows'")
    assert_refused("solve", written(json.dumps({**good, "rows": True})), says="whole number 'rows'")
    assert_refused("solve", written(json.dumps({**good, "rows": 0})), says="1 to 64 rows and columns, not 0x4")
    assert_refused("solve", written(json.dumps({**good, "rows": 10**9})), says="1 to 64 rows and columns")
    assert_refused("solve", written(json.dumps({**good, "tiles": 7})), says="list 'tiles'")
    assert_refused(
        "solve", written(json.dumps({**good, "tiles": [[0, 1, 2]]})), says="tile 1 is not a list of four arrows"
    )
    assert_refused("solve", written(json.dumps({**good, "tiles": [[0, 1, 2, 9]] * 12})), says="tile 1, corner BR")
    assert_refused("solve", written('{"kind":' * 100_000), says="nested too deeply")
    assert_refused("solve", written('{"kind": "terracotta", "rows": ' + "9" * 10_000 + "}"), says="number too long")
    two = json.dumps(good) + "\n" + json.dumps({**good, "cols": 9}) + "\n"
    assert_refused("solve", written(two), says="puzzle.json, line 2: a 3x9 board takes 27 tiles")
    assert_refused("solve", written(two.replace("\n", "\n\n\n")), says="puzzle.json, line 4: a 3x9 board")
    cut = (json.dumps(good) + "\n") * 2 + '{"kind": '
    assert_refused("solve", written(cut), says="puzzle.json is not valid JSON: Expecting value, line 3, column 10")


def test_a_text_that_is_no_puzzle() -> None:
    assert_refused("solve", "what is this? a puzzle?", says="no puzzle text I recognise")
    assert_refused("solve", "x" * 5000, says="no puzzle text I recognise")
    assert_refused("solve", "https://example.org/p?nurikabe/10/10/abc", says="no puzzle text I recognise")
    assert_refused("solve", "https://example.org/p?slither/10/10/abc", says="the text ends after 9 of 100 cells")


def test_budgets() -> None:
    assert_refused(
        "solve", "terracotta", "--time", -1, says="time budget must be a number of seconds, 0 or more, not -1"
    )
    assert_refused("solve", "terracotta", "--time", "nan", says="time budget")
    assert_refused("solve", "terracotta", "--time", "inf", says="time budget")
    assert_refused("solve", "terracotta", "--steps", -5, says="step budget must be 0 or more, not -5")
    assert_refused("solve", "terracotta", "--time", "soon", says="'--time'")
    assert_refused("solve", "terracotta", "--jobs", 0, says="--jobs must be 1 or more")
    assert_refused("solve", "terracotta", "--seed", -1, says="the seed must be 0 or more, not -1")
    assert_refused("count", "terracotta-3x4", "--limit", 0, says="the limit must be 1 or more")


def test_unknown_names() -> None:
    assert_refused("solve", "terracotta", "--solver", "magic", says=f"unknown solver 'magic'; solvers: {SOLVERS}")
    assert_refused("solve", "terracotta", "--kind", "magic", says=f"unknown kind 'magic'; kinds: {KINDS}")
    assert_refused("make", "magic", "--out", "x.json", says="unknown kind 'magic'")
    assert_refused("list", "magic", says="kinds, solvers and suites")
    assert_refused("dance", says="dance")
    assert_refused("solve", "terracotta", "--dance", says="--dance")
    assert_refused("solve", says="INPUT")
    assert_refused("convert", "terracotta", "--to", "docx", "--out", "x", says="written as json, csv, not 'docx'")


def test_settings() -> None:
    for setting, says in (
        ("parallel", "--set takes key=value, not 'parallel'"),
        ("=2", "--set takes key=value, not '=2'"),
        ("speed=9", "unknown setting 'speed'; settings here: algorithm, arrangement, parallel"),
        ("parallel=0", "parallel must be at least 1, not 0"),
        ("parallel=many", "parallel is a whole number, not 'many'"),
        ("parallel=1.5", "parallel is a whole number, not '1.5'"),
        ("parallel=1e999", "parallel is a whole number, not '1e999'"),
        ("scarce_first=perhaps", "scarce_first is true or false, not 'perhaps'"),
        ("algorithm=3", "algorithm is one of fast, 1, 2, not '3'"),
    ):
        assert_refused("solve", "terracotta", "--set", setting, says=says)
    assert_refused("make", "terracotta", "--set", "rows=9", "--set", "cols=9", "--out", "x.json", says="only 70 differ")
    assert_refused("make", "terracotta", "--set", "rows=65", "--out", "x.json", says="rows must be at most 64")
    assert_refused("check", "terracotta", "x.json", "--set", "speed=1", says="unknown setting 'speed'")
    for name in ("kind", "seed", "what", "puzzle", "self", "given"):  # names of arguments in our own calls
        assert_refused("make", "terracotta", "--set", f"{name}=1", "--out", "x.json", says=f"unknown setting {name!r}")
        assert_refused("solve", "terracotta", "--set", f"{name}=1", says=f"unknown setting {name!r}")
        assert_refused("draw", "terracotta", "--set", f"{name}=1", "--out", "x.png", says=f"unknown setting {name!r}")
    assert_refused("count", "terracotta-3x4", "--set", "algorithm=1", says="counting takes the fast engine")
    assert_refused("solve", "terracotta", "--set", "rows=4", says="rows cannot be set here: terracotta says it already")


def test_unwritable_outputs() -> None:
    Path("folder").mkdir()
    assert_refused("solve", "terracotta", "--out", "missing/board.png", says="there is no folder missing")
    assert_refused("solve", "terracotta", "--solution", "missing/s.json", says="there is no folder missing")
    assert_refused(
        "solve", "terracotta", "--out", "board.gif", says="a picture is written as .png or .svg, not 'board.gif'"
    )
    assert_refused("solve", "terracotta", "--solution", "folder", says="it is a folder")
    assert_refused("solve", "terracotta", "--out", "/proc/board.png", says="cannot write /proc/board.png")
    assert_refused("solve", "terracotta", "--out", "x.png", "--solution", "x.png", says="two different files")
    assert_refused("solve", "terracotta", "--out", "x" * 300 + ".png", says="file name too long")
    Path("loop.png").symlink_to("loop.png")
    assert_refused("solve", "terracotta", "--out", "loop.png", says="cannot write loop.png")
    Path("loop.png").unlink()
    assert_refused("solve", "terracotta", "--solution", "/dev/stdout", says="standard output is for the report")
    assert_refused("make", "terracotta", "--out", "missing/p.json", says="there is no folder")
    assert_refused("make", "terracotta", "--out", "p.docx", says="written as .json, .csv, not .docx")
    assert_refused("make", "terracotta", "--out", "p.json", "--truth", "p.json", says="two different files")
    assert_refused("draw", "terracotta", "--out", "missing/p.svg", says="there is no folder")
    assert_refused("demo", "--out", "/proc/demo", says="cannot make the folder")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_files_without_permission() -> None:
    Path("locked").mkdir(mode=0o500)
    Path("secret.csv").write_text(CSV)
    Path("secret.csv").chmod(0)
    assert_refused("solve", "terracotta", "--out", "locked/board.png", says="permission denied")
    assert_refused("solve", "secret.csv", says="permission denied")


def test_solutions() -> None:
    def written(data: object) -> str:
        Path("s.json").write_text(json.dumps(data))
        return "s.json"

    board = {"shape": "placement", "pieces": [[0]], "turns": [[0]]}
    assert_refused("check", "terracotta", "nowhere.json", says="there is no file 'nowhere.json'")
    assert_refused("check", "terracotta", written([1, 2]), says="one JSON object")
    assert_refused(
        "check",
        "terracotta",
        written({"shape": "heap"}),
        says="one of placement, assignment, moves, locations, not 'heap'",
    )
    assert_refused("check", "terracotta", written({**board, "pieces": [["a"]]}), says="'pieces' is not a list of rows")
    assert_refused("check", "terracotta", written({**board, "turns": [[0, 0]]}), says="same size")
    assert_refused(
        "check", "terracotta", written({**board, "pieces": [[0], []], "turns": [[0], []]}), says="rectangular"
    )
    assert_refused("check", "terracotta", written({**board, "puzzle": "no"}), says="written for another puzzle")
    assert_refused("check", "terracotta", written({**board, "kind": "sudoku"}), says="a solution of a sudoku puzzle")
    assert_refused("check", "terracotta", written({"shape": "moves", "moves": []}), says="is a placement, not moves")
    assert_refused("draw", "terracotta", written(board), "--out", "x.png", says="cannot draw this solution")
    assert_refused("solve", written(board), says="s.json is a solution; a puzzle is needed here")


@pytest.mark.parametrize("where", ["race", "searches"])  # while solving, while warming up
def test_a_solver_that_crashes_is_reported_as_failed(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from dovetail.tiles import depth_first

    def crash(*_: object) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(depth_first, where, crash)
    result: Result = dovetail("solve", "terracotta", "--json")
    assert result.status == 1
    assert result.report["outcome"]["status"] == "failed"
    assert "depth-first failed: ZeroDivisionError: inside" in result.err
    assert "Traceback" not in result.err
