"""SameGame: rules by hand, boards that are refused, the standard file, generator and pictures."""

import random
from typing import Any

import pytest

from dovetail.core import settings
from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Moves
from dovetail.core.source import Source
from dovetail.moves.games.samegame import CLEAR, SCORE, Making, Reading, SameGame, SameGameKind
from dovetail.moves.games.samegame_formats import STANDARD

KIND = SameGameKind()
BOARD = "0 1 1 0 2\n2 2 0 0 1\n0 1 1 2 1\n2 0 0 1 1\n2 2 1 0 0\n"


def board(*rows: str, **more: Any) -> SameGame:
    return KIND.decode({"board": list(rows), **more})


def after(puzzle: SameGame, *moves: str) -> list[list[int]]:
    play = KIND.begin(puzzle)
    for move in moves:
        play.make(move)
    return play.columns


def test_blocks_fall_and_columns_close_up() -> None:
    puzzle = board("123", "223", "143")
    assert after(puzzle, "2,1") == [[1, 1], [4], [3, 3, 3]]
    assert after(puzzle, "2,1", "3,1") == [[4], [3, 3, 3]]
    assert after(puzzle, "1,3") == [[1, 2, 1], [4, 2, 2]]


def test_any_block_of_a_group_stands_for_it() -> None:
    puzzle = board("112", "212", "222")
    assert {str(after(puzzle, move)) for move in ("1,1", "1,2", "2,2")} == {"[[2, 2], [2], [2, 2, 2]]"}


def test_points_and_the_bonus() -> None:
    puzzle = board("1112", "1122", goal=SCORE)
    verdict = KIND.check(puzzle, Moves(("1,1", "2,1")))
    assert verdict.passes
    assert (verdict.scores["points"], verdict.scores["left"]) == (3**2 + 1**2 + 1000, 0)
    fewer = board("1112", "1122", goal=SCORE, least=1)
    assert KIND.check(fewer, Moves(("1,1", "2,1"))).scores["points"] == 4**2 + 2**2 + 1000


def test_what_is_missing_is_said() -> None:
    clear, points = board("121", "133"), board("121", "133", goal=SCORE)
    assert KIND.check(clear, Moves(("2,2",))).violations == ("4 blocks are left",)
    # the 2 falls between the columns of 1
    assert KIND.check(points, Moves(("2,2",))).violations == ("the play is not over: 1,1 is a move",)
    rich = board("12", "12", goal=SCORE, target=2000)
    assert KIND.check(rich, Moves(("1,1", "1,1"))).violations == ("1000 points are fewer than the 2000 wanted",)


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("1,2", "no block beside it has its colour"),
        ("1,3", "no block lies there"),
        ("0,1", "no block lies there"),
        ("1,99", "no block lies there"),
        ("", "a move is written as row,column"),
        ("1", "a move is written as row,column"),
        ("1,1,1", "a move is written as row,column"),
        ("-1,1", "a move is written as row,column"),
        ("1, 1", "a move is written as row,column"),
        ("²,1", "a move is written as row,column"),
        ("1000,1", "a move is written as row,column"),
    ],
)
def test_moves_that_are_none(move: str, why: str) -> None:
    verdict = KIND.check(board("1200", "1310"), Moves((move,)))
    assert not verdict.valid
    assert verdict.violations == (f"move 1 ({move}): {why}",)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"board": ["11", "1"]}, "row 2 has 1 cells, but row 1 has 2"),
        ({"board": ["1x"]}, "row 1, column 2: a cell is a digit, not 'x'"),
        ({"board": ["1²"]}, "row 1, column 2: a cell is a digit, not '²'"),
        ({"board": ["11", "01"]}, "row 2, column 1: no block lies here, but one lies above it"),
        ({"board": ["101"]}, "column 2 is empty, but column 3 is not"),
        ({"board": ["00"]}, "at least one block"),
        ({"board": [""]}, "1 to 50 rows and columns"),
        ({"board": ["1" * 51]}, "1 to 50 rows and columns"),
        ({"board": []}, "needs a list 'board' of texts"),
        ({"board": ["11"], "goal": "win"}, "clear or score, not 'win'"),
        ({"board": ["11"], "goal": 3}, "'goal' is a text"),
        ({"board": ["11"], "target": 5}, "a target of 5 points needs the goal score"),
        ({"board": ["11"], "goal": "score", "target": -5}, "from 0 to 10000000, not -5"),
        ({"board": ["11"], "least": 3}, r"not \(n - 3\)²"),
        ({"board": ["11"], "least": True}, "'least' is a whole number"),
    ],
)
def test_boards_that_are_none(data: dict[str, Any], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        KIND.decode(data)
    with pytest.raises(BadInput, match="row 1, column 2: a colour is a number from 1 to 9, not 10"):
        SameGame(1, 2, (1, 10))


def read(text: str, goal: str = "auto") -> list[Any]:
    return STANDARD.read(Source("file", text.encode()), settings.fill(Reading, {"goal": goal}))


def test_the_standard_file() -> None:
    text = f"{BOARD}\n{BOARD}"
    assert STANDARD.detect(Source("file", text.encode()))
    first, second = read(text)
    assert first == second
    assert first.cells[:5] == (1, 2, 2, 1, 3)
    assert (first.goal, first.target, first.least, first.size) == (SCORE, 0, 2, "5x5")
    assert STANDARD.write(first) == BOARD.encode()
    assert read(text, "clear")[0].goal == CLEAR
    assert STANDARD.detect(Source("file", text.replace("\n", " \n").encode())), "as it is handed about, with blanks"


@pytest.mark.parametrize(
    "text",
    [
        "1 2 3 4\n" * 8,  # a list of tiles
        "5 5\n" + "0 0 1 2\n" * 25,
        "1 2 3 4 5\n2 3 4 5 1\n3 4 5 1 2\n4 5 1 2 3\n5 1 2 3 4\n",  # no move
        "0 1 1 0 9\n" * 5,
        "0 1 1 0 10\n" * 5,
        "01102\n" * 5,
        "0 1 1 0 2\n" * 4,
        "",
    ],
)
def test_other_files_are_not_taken_for_it(text: str) -> None:
    assert not STANDARD.detect(Source("file", text.encode()))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BOARD.replace("2 2 0 0 1", "2 2 0 0"), "file, line 2: 4 blocks, but line 1 has 5"),
        (f"\n{BOARD}".replace("2 2 0", "2 9 0"), "file, line 3, column 2: a block is a digit from 0 to 8, not '9'"),
        ("0 " * 60, "file, line 1: a SameGame board has 1 to 50 rows and columns"),
    ],
)
def test_a_standard_file_with_a_fault_says_where(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read(text)


@pytest.mark.parametrize(
    "more", [{"goal": CLEAR}, {"goal": SCORE, "target": 9}, {"goal": SCORE, "least": 1}, {"board": ["11", "12"]}]
)
def test_what_the_standard_file_has_no_words_for(more: dict[str, Any]) -> None:
    data = {"board": ["12213", "33112", "12232", "31122", "33211"], "goal": SCORE, **more}
    with pytest.raises(BadUsage):
        STANDARD.write(KIND.decode(data))


@pytest.mark.parametrize(
    ("width", "height", "colours"), [(2, 2, 3), (3, 3, 3), (4, 7, 4), (9, 5, 3), (7, 9, 5), (2, 3, 9)]
)
def test_made_boards_can_be_cleared(width: int, height: int, colours: int) -> None:
    for seed in range(3):
        puzzle, planted = KIND.make(Making(width, height, colours), seed)
        assert (puzzle.rows, puzzle.cols, puzzle.blocks) == (height, width, width * height)
        assert max(puzzle.cells) <= colours
        assert KIND.check(puzzle, planted).passes


def test_boards_by_chance_have_a_target_that_a_plain_play_reaches() -> None:
    puzzle, planted = KIND.make(Making(6, 6, 3, random=True), 1)
    verdict = KIND.check(puzzle, planted)
    assert verdict.passes
    assert verdict.scores["points"] == puzzle.target > 0


def test_pictures_tell_colours_apart_without_colour() -> None:
    """Each has a mark of its own, besides."""
    from dovetail.moves.games.samegame_draw import LOOKS, MARKS

    assert len({*MARKS}) == len({fill for fill, _ in LOOKS}) == 9
    puzzle = board("123456789", "123456789")
    shapes = KIND.draw(puzzle).svg().count(b"<polygon")
    # the ground, then a block each and its marks
    assert shapes == 1 + 2 * sum(1 + len(mark) for mark in MARKS)


def test_pictures_of_a_play_have_one_size_and_show_the_last_move() -> None:
    puzzle, planted = KIND.make(Making(4, 4, 3), 2)
    frames = [*KIND.frames(puzzle, planted, most=100)]
    frames.insert(0, KIND.draw(puzzle))
    assert len(frames) == len(planted.moves) + 1
    assert len({(frame.width, frame.height) for frame in frames}) == 1
    assert len({frame.svg() for frame in frames}) == len(frames)
    lines = [frame.svg().count(b"<polyline") for frame in frames]
    assert lines[0] == lines[-1] == 1, "the rim alone"
    assert min(lines[1:-1]) > 1


def test_random_plays_end_and_are_judged() -> None:
    rng = random.Random(1)
    for _ in range(20):
        rows, cols = rng.randint(1, 6), rng.randint(1, 6)
        puzzle = SameGame(rows, cols, tuple(rng.randint(1, 3) for _ in range(rows * cols)), SCORE)
        play, moves = KIND.begin(puzzle), []
        while groups := play.groups():
            moves.append(play.write(rng.choice(groups)))
            play.make(moves[-1])
        verdict = KIND.check(puzzle, Moves(tuple(moves)))
        assert verdict.passes
        assert verdict.scores["left"] == play.left
        assert not KIND.check(puzzle, Moves(tuple(moves[:-1]))).passes or not moves
