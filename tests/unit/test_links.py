"""Boards that come with their puzzle, solutions of other people, links in the report, facts: by the command line."""

import json
import random
from pathlib import Path

import pytest

from dovetail import pipeline, reading
from dovetail.core import registry
from dovetail.core.errors import BadInput
from dovetail.core.puzzle import Moves, Placement, Puzzle, Solution
from dovetail.tiles.bucas import link_to
from dovetail.tiles.formats import TILE_FORMATS
from dovetail.tiles.puzzle import Tiles, TilesKind, grey_frame
from dovetail.tiles.terracotta import TerracottaKind
from support.command import dovetail
from unit.test_diagnosis import planted

RIGHT = "https://e2.bucas.name/#puzzle=Dovetail&board_w=2&board_h=2&board_edges=abbaaacbbcaacaac"
WRONG = RIGHT.replace("abbaaacb", "accaaacb")  # one tile changed: two seams disagree
PIECES = "0 1 1 0\n0 0 2 1\n1 2 0 0\n2 0 0 2\n"
LAID = Placement(((0, 1), (2, 3)), ((0, 0), (0, 0)))


@pytest.fixture(autouse=True)
def _tiles_are_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.KINDS, "tiles", "dovetail.tiles.puzzle:TilesKind")
    Path("pieces.txt").write_text(PIECES)


def puzzle() -> Tiles:
    return Tiles(2, 2, ((0, 1, 1, 0), (0, 0, 2, 1), (1, 2, 0, 0), (2, 0, 0, 2)), frame=grey_frame(2, 2))


def test_a_link_is_checked_by_itself() -> None:
    right = dovetail("check", RIGHT)
    assert (right.status, right.out) == (0, "solved: tiles 2x2 (matched 4, seams 4, placed 4)\n")
    wrong = dovetail("check", WRONG)
    assert wrong.status == 1
    assert wrong.out.splitlines() == [
        "not solved: tiles 2x2 (matched 2, seams 4, placed 4)",
        "the tiles at row 1, column 1 and row 1, column 2 disagree",
        "the tiles at row 1, column 1 and row 2, column 1 disagree",
    ]
    assert dovetail("check", RIGHT, "--json").report["links"] == {"bucas": RIGHT}


def test_a_file_of_boards_is_checked_board_by_board() -> None:
    boards = [{"name": name, "board_edges": link.rsplit("=")[-1]} for name, link in (("a", RIGHT), ("b", WRONG))]
    Path("boards.json").write_text(json.dumps(boards))
    result = dovetail("check", "boards.json")
    assert result.status == 1
    assert result.out.splitlines() == [
        "boards.json, board 1 (a): solved: tiles 2x2 (matched 4, seams 4, placed 4)",
        "boards.json, board 2 (b): not solved: tiles 2x2 (matched 2, seams 4, placed 4)",
    ]
    reports = [json.loads(line) for line in dovetail("check", "boards.json", "--json").out.splitlines()]
    assert [report["verdict"]["solved"] for report in reports] == [True, False]
    assert dovetail("draw", "boards.json", "--out", "b.svg").err.startswith("dovetail: this input holds 2 puzzles")
    Path("boards.json").write_text(json.dumps([boards[0]] * 2))
    assert dovetail("check", "boards.json").status == 0
    both = dovetail("check", "pieces.txt", "boards.json")
    assert both.out.splitlines()[1] == "board 2: solved: tiles 2x2 (matched 4, seams 4, placed 4)"
    with pytest.raises(BadInput, match=r"^'boards.json' holds 2 solutions, and one is needed here$"):
        reading.read_solution("boards.json", puzzle())


def test_a_link_is_checked_and_drawn_with_the_puzzles_tiles() -> None:
    renamed = RIGHT.replace("abbaaacbbcaacaac", "axxaaayxxyaayaay")
    for link in (RIGHT, renamed):
        assert dovetail("check", "pieces.txt", link).out == "solved: tiles 2x2 (matched 4, seams 4, placed 4)\n"
    Path("link.txt").write_text(renamed + "\n")
    assert dovetail("check", "pieces.txt", "link.txt", "--truth", "link.txt").status == 0
    shown = dovetail("check", "pieces.txt", "link.txt", "--json").report["links"]["bucas"]
    assert sorted(shown) == sorted(RIGHT), "the puzzle's own colours"
    other = dovetail("check", "pieces.txt", WRONG)
    assert other.status == 2
    assert other.is_one_sentence()
    assert "not laid with the puzzle's tiles" in other.err
    for name, arguments in (("a", ("pieces.txt", RIGHT)), ("b", ("pieces.txt", "link.txt")), ("c", (RIGHT,))):
        assert dovetail("draw", *arguments, "--out", f"{name}.svg").status == 0
    assert Path("a.svg").read_bytes() == Path("c.svg").read_bytes()
    assert dovetail("draw", "pieces.txt", "--out", "apart.svg").status == 0
    assert Path("apart.svg").read_bytes() != Path("a.svg").read_bytes()


def test_a_link_is_converted_and_comes_back() -> None:
    assert dovetail("convert", RIGHT, "--to", "pieces", "--out", "out.txt").status == 0
    assert Path("out.txt").read_text() == "2 2\n" + PIECES
    assert dovetail("convert", "out.txt", "--to", "bucas", "--out", "link.txt").status == 0
    assert Path("link.txt").read_text() == RIGHT + "\n"
    Path("signed.txt").write_text("1 -1 1 -1\n")
    refused = dovetail("convert", "signed.txt", "--to", "bucas", "--out", "no.txt")
    assert refused.status == 2
    assert refused.is_one_sentence()
    assert not Path("no.txt").exists()


def test_a_puzzle_alone_is_looked_at_and_a_broken_one_diagnosed() -> None:
    alone = dovetail("check", "pieces.txt")
    assert alone.status == 0
    assert alone.out.startswith("tiles 2x2\n  tiles: 4\n  colours: 2\n")
    assert "difficulty: easy" in alone.out
    report = dovetail("check", "pieces.txt", "--json").report
    assert report["verdict"] is report["solver"] is None
    assert dovetail("check", "terracotta-3x4").out == "terracotta 3x4\n"
    Path("broken.txt").write_text(PIECES.replace("0 1 1 0", "0 1 5 0"))
    broken = dovetail("check", "broken.txt")
    assert broken.status == 2
    assert broken.is_one_sentence()
    assert broken.err.startswith("dovetail: broken.txt, line 1: tile 1 is the only one with colour 5")
    assert dovetail("check", "pieces.txt", "--truth", "pieces.txt").err == (
        "dovetail: --truth is compared with a solution, and none is given\n"
    )
    assert dovetail("check", "pieces.txt", "--set", "colour=1").status == 2


def test_a_solution_that_is_none_is_refused() -> None:
    for text in ("pieces.txt", "no such file", "{", '{"shape": "placement"}'):
        result = dovetail("check", "pieces.txt", text)
        assert result.status == 2
        assert result.is_one_sentence(), result.err


def test_links_of_laid_boards() -> None:
    kind = TilesKind()
    assert kind.links(puzzle(), LAID) == {"bucas": RIGHT}
    turned, solution = planted(random.Random(3), 3, 4, 5)
    (again,) = TILE_FORMATS[2].read(reading.open_source(link_to(turned, solution)), kind.reading_type())
    assert isinstance(again, Tiles)
    in_place = Placement.from_flat(range(12), [0] * 12, 4)
    assert kind.check(again, in_place).passes, "the link shows the board as it is laid"
    assert kind.links(puzzle(), Placement(((0, 0), (2, 3)), ((0, 0), (0, 0)))) == {}, "a tile used twice"
    assert kind.links(puzzle(), Moves(())) == {}
    signed, solution = planted(random.Random(3), 2, 2, 5, "signed", frame="free")
    assert kind.links(signed, solution) == {}


def test_solve_reports_links_and_check_and_make_show_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    def links(self: TerracottaKind, puzzle: Puzzle, solution: Solution) -> dict[str, str]:
        return {"viewer": f"https://example.org/{solution.shape}"}

    def facts(self: TerracottaKind, puzzle: Puzzle) -> dict[str, float | str]:
        return {"tile_classes": 70, "hardness": "easy"}

    plain = dovetail("solve", "terracotta-3x4", "--json").report
    assert "links" not in plain
    assert "facts" not in plain
    monkeypatch.setattr(TerracottaKind, "links", links)
    monkeypatch.setattr(TerracottaKind, "facts", facts)
    solved = dovetail("solve", "terracotta-3x4", "--solution", "s.json", "--json").report
    assert solved["links"] == {"viewer": "https://example.org/placement"}
    assert dovetail("check", "terracotta-3x4", "s.json", "--json").report["links"] == solved["links"]
    assert "\n  viewer: https://example.org/placement\n" in dovetail("solve", "terracotta-3x4").out
    known = dovetail("check", "terracotta-3x4")
    assert known.out == "terracotta 3x4\n  tile classes: 70\n  hardness: easy\n"
    assert dovetail("check", "terracotta-3x4", "--json").report["facts"] == {"tile_classes": 70, "hardness": "easy"}
    small = pipeline.read("terracotta-3x4")
    monkeypatch.setattr(TerracottaKind, "make", lambda *_: (small, reading.read_solution("s.json", small)))
    made = dovetail("make", "terracotta", "--out", "made.json")
    assert made.out == "made.json: terracotta 3x4, seed 0\n  tile classes: 70\n  hardness: easy\n"
    assert pipeline.known(pipeline.read("made.json")).to_json()["facts"] == {"tile_classes": 70, "hardness": "easy"}
