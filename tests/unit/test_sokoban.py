"""The kind `sokoban`: levels, plays, texts, generator, pictures."""

import pytest

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Moves
from dovetail.core.source import Source
from dovetail.moves.games import sokoban_formats as formats
from dovetail.moves.games.sokoban import Making, Sokoban, SokobanKind, SokobanPlay
from dovetail.moves.kind import IllegalMove

KIND = SokobanKind()
LEVEL = ("#####", "#@$.#", "#####")
TWO = ("#######", "#.$ @ #", "# $.  #", "#     #", "#######")


def text(*lines: str) -> Source:
    return Source("levels.xsb", "\n".join(lines).encode())


def test_levels_are_the_same_however_they_are_written() -> None:
    plain = Sokoban(LEVEL)
    assert Sokoban(("", "   #####  ", "   #@$.#", "   #####", "")) == plain
    assert Sokoban(("-#####", "_#@$.#", " #####-")) == plain
    assert plain.size == "3x5"
    assert KIND.decode(plain.to_json()) == plain
    assert Sokoban(LEVEL, " a \n title ").title == "a title"


@pytest.mark.parametrize(
    ("level", "words"),
    [
        ((), "at least one row"),
        (("#####", "#@$x#", "#####"), "row 2, column 4"),
        (("#####", "# $.#", "#####"), "one player"),
        (("######", "#@$.@#", "######"), "row 2, column 2 and row 2, column 5"),
        (("######", "#@$ .#", "#.####", "######"), "2 goals and 1 boxes"),
        (("####", "#@ #", "####"), "at least one box"),
        (("#####", "#@$. ", "#####"), "walk out"),
        (("#####", "#@$.#", "## ##"), "row 3, column 3.*walk out"),
        (("#" * 70, "#@$." + " " * 65 + "#", "#" * 70), "at most 64"),
    ],
)
def test_what_is_no_level_is_named(level: tuple[str, ...], words: str) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        Sokoban(level)
    assert len(str(caught.value)) < 400


def test_decoding_refuses_other_shapes() -> None:
    for data in ({}, {"level": "###"}, {"level": [1]}, {"level": [*LEVEL], "title": 3}):
        with pytest.raises(BadInput):
            KIND.decode(data)


def test_a_play_by_the_rules() -> None:
    play = SokobanPlay(Sokoban(TWO))
    for move in "lL":
        play.make(move)
    assert (play.boxes, play.player, play.pushes) == ({(1, 1), (2, 2)}, (1, 2), 1)
    assert not play.solved
    assert play.missing == "1 of 2 boxes is not on a goal"
    assert play.share == 0.5


@pytest.mark.parametrize(
    ("moves", "bad", "words"),
    [
        ("", "u", "a wall stands in row 1, column 5"),
        ("l", "l", "a push is written L"),
        ("", "L", "a step is written l"),
        ("lL", "L", "the box in row 2, column 2 would be pushed into the wall in row 2, column 1"),
        ("", "x", "one of the letters"),
        ("", "", "one of the letters"),
        ("", "ll", "one of the letters"),
    ],
)
def test_moves_against_the_rules(moves: str, bad: str, words: str) -> None:
    play = SokobanPlay(Sokoban(TWO))
    for move in moves:
        play.make(move)
    before = (set(play.boxes), play.player)
    with pytest.raises(IllegalMove, match=words):
        play.make(bad)
    assert (play.boxes, play.player) == before


def test_two_boxes_are_not_pushed_at_once() -> None:
    level = Sokoban(("#######", "#@$$..#", "#######"))
    verdict = KIND.check(level, Moves(("R",)))
    assert not verdict.valid
    assert "row 2, column 3" in verdict.violations[0] and "row 2, column 4" in verdict.violations[0]


def test_the_checker_wants_every_box_on_a_goal() -> None:
    assert KIND.check(Sokoban(LEVEL), Moves(("R",))).passes
    verdict = KIND.check(Sokoban(LEVEL), Moves(()))
    assert verdict.valid and verdict.solved is False
    assert verdict.violations == ("1 of 1 boxes is not on a goal",)


def test_many_levels_in_one_text() -> None:
    source = text(
        "some words about the set", "", "; one", *LEVEL, "", "two", "", *LEVEL, "Title: 2nd", "Author: nobody", "",
        "5#|#@$.#|5#", "", "3#2#", "#@$.#", "5#",
    )  # fmt: skip
    assert [f.detect(source) for f in formats.FORMATS] == [True, True]
    found = formats.read(source, None)
    assert [puzzle.level for puzzle in found if isinstance(puzzle, Sokoban)] == [LEVEL] * 4
    assert [puzzle.title for puzzle in found if isinstance(puzzle, Sokoban)] == ["one", "2nd", "", ""]


def test_a_bad_level_is_named_by_its_line() -> None:
    with pytest.raises(BadInput, match=r"levels.xsb, level 2 \(line 6\): a sokoban level has one player"):
        formats.read(text(*LEVEL, "", "; second", "#####", "# $.#", "#####"), None)
    with pytest.raises(BadInput, match="no sokoban level"):
        formats.read(text("nothing", "here"), None)


@pytest.mark.parametrize("lines", [("just text",), ("# a heading", "# another"), ("##", "##"), ("1 2 3", "4 5 6")])
def test_other_texts_are_not_levels(lines: tuple[str, ...]) -> None:
    assert not any(f.detect(text(*lines)) for f in formats.FORMATS)


def test_formats_round_trip() -> None:
    for puzzle in (
        Sokoban(LEVEL),
        Sokoban(TWO, "A title: with a colon"),
        *(build() for build in KIND.samples().values()),
    ):
        for form in formats.FORMATS:
            source = Source("x", form.write(puzzle))
            assert form.detect(source)
            assert form.read(source, None) == [puzzle]


@pytest.mark.parametrize("written", ["lLrddlluR", "l L\nrd\ndlluR\n", "lLr2d2luR"])
def test_solutions_as_letters(written: str) -> None:
    (found,) = KIND.read_solutions(Source("s", written.encode()), Sokoban(TWO)) or []
    assert found == Moves(tuple("lLrddlluR"))
    assert KIND.check(Sokoban(TWO), found).passes


def test_texts_that_are_no_solution() -> None:
    for data in (b'{"moves": []}', b"\0lll", b"left, left", b""):
        assert KIND.read_solutions(Source("s", data), Sokoban(TWO)) is None


def test_solutions_below_levels() -> None:
    """As letters, or as positions to walk to (column and row, from 0) and steps from there."""
    source = text("; 1", *TWO, "Solution: l2,1-2r1", "", "; 2", *LEVEL, "Solution:", "R", "", "; 3", *LEVEL)
    laid = KIND.boards(source, None)
    assert [board.solution for board in laid] == [Moves(tuple("lLrddlluR")), Moves(("R",))]
    assert KIND.read_solutions(source, Sokoban(LEVEL)) == [Moves(("R",))]
    assert len(formats.read(source, None)) == 3


def test_a_level_is_read_whatever_stands_below_it() -> None:
    source = text(*LEVEL, "Solution: see page 4")
    assert formats.read(source, None) == [Sokoban(LEVEL)]
    with pytest.raises(BadInput, match="letters l, u, r, d"):
        KIND.boards(source, None)


def test_solutions_that_cannot_be_played() -> None:
    for written, words in (("9-9r1", "no way to row 10, column 10"), ("r9", "a wall stands in")):
        with pytest.raises(BadInput, match=words):
            KIND.read_solutions(Source("s", written.encode()), Sokoban(TWO))


@pytest.mark.parametrize("seed", range(6))
def test_made_levels_have_their_answer(seed: int) -> None:
    puzzle, answer = KIND.make(Making(tries=5), seed)
    assert KIND.check(puzzle, answer).passes
    assert not SokobanPlay(puzzle).boxes & SokobanPlay(puzzle).goals
    assert len(puzzle.cells("$")) == 3


def test_a_room_too_small_is_refused() -> None:
    with pytest.raises(BadUsage, match="no place"):
        KIND.make(Making(width=5, height=5, boxes=8), 0)


def test_pictures_have_one_size_and_show_the_play() -> None:
    puzzle = Sokoban(LEVEL)
    before, after = KIND.draw(puzzle), KIND.draw(puzzle, Moves(("R",)))
    assert (before.width, before.height) == (after.width, after.height)
    assert before.svg() != after.svg()
