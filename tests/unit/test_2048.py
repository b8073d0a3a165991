"""2048: the rules of the kind, its texts, its generator and its pictures."""

import pytest

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Moves
from dovetail.core.source import Source
from dovetail.moves.games import twenty48_making, twenty48_text
from dovetail.moves.games.twenty48 import Game2048, Kind2048, Making, Play2048, slid
from dovetail.moves.kind import IllegalMove

KIND = Kind2048()
EMPTY = (0,) * 16


def begun(*rows: str, goal: int = 2048, seed: int = 0) -> Game2048:
    """From rows of tiles."""
    text = "\n".join(["2048", *rows, f"goal {goal}", f"seed {seed}"])
    (puzzle,) = twenty48_text.read(Source("text", text.encode()), None)
    assert isinstance(puzzle, Game2048)
    return puzzle


@pytest.mark.parametrize(
    ("line", "after", "points"),
    [
        ([2, 2, 2, 2], [4, 4, 0, 0], 8),
        ([2, 2, 2, 0], [4, 2, 0, 0], 4),
        ([4, 2, 2, 0], [4, 4, 0, 0], 4),  # a tile that merged does not merge again
        ([2, 0, 0, 2], [4, 0, 0, 0], 4),
        ([2, 4, 2, 4], [2, 4, 2, 4], 0),
        ([0, 0, 8, 2], [8, 2, 0, 0], 0),
    ],
)
def test_a_line_slides(line: list[int], after: list[int], points: int) -> None:
    assert slid(line) == (after, points)


@pytest.mark.parametrize(("move", "row", "col"), [("L", 1, 0), ("R", 1, 3), ("U", 0, 1), ("D", 3, 1)])
def test_tiles_go_where_they_are_pushed(move: str, row: int, col: int) -> None:
    play = Play2048(begun(". . . .", ". 8 . .", ". . . .", ". . . ."))
    play.make(move)
    assert play.board[row][col] == 8
    assert sorted(tile for line in play.board for tile in line)[:-2] == [0] * 14
    assert play.came is not None and play.board[play.came[0]][play.came[1]] in (2, 4)


def test_chance_is_as_the_rules_say() -> None:
    """Worked out by hand from the text: two draws a tile, cells in reading order."""
    word = (7 * 0x9E3779B97F4A7C15 + 0x1234567) % 2**64

    def draws(below: int) -> int:
        nonlocal word
        word = (word ^ (word << 13)) % 2**64
        word = word ^ (word >> 7)
        word = (word ^ (word << 17)) % 2**64
        return (word >> 1) % below

    expected = [0] * 16
    for free in (16, 15):
        place = draws(free)
        cell = [i for i, tile in enumerate(expected) if not tile][place]
        expected[cell] = 4 if draws(10) == 0 else 2
    assert [tile for row in Play2048(Game2048(EMPTY, seed=7)).board for tile in row] == expected


def test_fours_come_one_time_in_ten() -> None:
    tiles = [tile for seed in range(1000) for row in Play2048(Game2048(EMPTY, seed=seed)).board for tile in row if tile]
    assert len(tiles) == 2000
    assert 140 < tiles.count(4) < 260


def test_what_is_not_allowed() -> None:
    play = Play2048(begun("2 4 . .", "4 2 . .", "2 4 . .", "4 2 . ."))
    for move, why in (("L", "nothing can move left"), ("U", "nothing can move up"), ("X", "a move is L, U, R or D")):
        before = play.board
        with pytest.raises(IllegalMove, match=why):
            play.make(move)
        assert play.board == before and play.score == 0
    play.make("R")


def test_the_goal_ends_the_game() -> None:
    puzzle = begun("32 32 . .", ". . . .", ". . . .", ". . . .", goal=64)
    verdict = KIND.check(puzzle, Moves(("L",)))
    assert verdict.solved
    assert verdict.scores == {"moves": 1, "share": 1.0, "score": 64, "largest": 64}
    longer = KIND.check(puzzle, Moves(("L", "R")))
    assert not longer.valid and "is reached already" in longer.violations[0]
    none = KIND.check(puzzle, Moves(()))
    assert none.valid and not none.solved and none.scores["share"] == 5 / 6
    assert none.violations == ("the largest tile is 32, and the goal is 64",)


@pytest.mark.parametrize(
    ("cells", "options", "message"),
    [
        (EMPTY[1:], {}, "15 are given"),
        ((16, *EMPTY[1:]), {}, "row 1, column 1"),
        (EMPTY, {"goal": 100}, "power of two"),
        (EMPTY, {"goal": 2}, "power of two"),
        (EMPTY, {"seed": -1}, "seed"),
        ((0,) * 5, {"rows": 1, "cols": 5}, "1x5"),
    ],
)
def test_impossible_boards_are_refused(cells: tuple[int, ...], options: dict[str, int], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Game2048(cells, **options)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "'board'"),
        ({"board": [[0, 2], [2]]}, "row 2 has 1 cells"),
        ({"board": [[0, 3], [2, 2]]}, "row 1, column 2"),
        ({"board": [[0, 1], [2, 2]]}, "row 1, column 2: the smallest tile is 2"),
        ({"board": [[0, True], [2, 2]]}, "row 1, column 2"),
        ({"board": [[0, 2], [2, 2]], "goal": "64"}, "goal"),
        ({"board": [[0, 2], [2, 2]], "seed": None}, "seed"),
    ],
)
def test_wrong_json_is_refused(data: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        KIND.decode(data)


def test_a_text_is_read_and_written() -> None:
    puzzle = begun("2 . 1024", "0 4 8", goal=4096, seed=12)
    assert puzzle == Game2048((1, 0, 10, 0, 2, 3), 4096, 12, 2, 3)
    written = twenty48_text.write(puzzle)
    assert written == b"2048\n   2    . 1024\n   .    4    8\ngoal 4096\nseed 12\n"
    assert twenty48_text.read(Source("again", written), None) == [puzzle]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["2 4", "4 x"], "line 3, column 2"),
        (["2 4", "4 6"], "line 3, column 2"),
        (["2 4", "4"], "line 3 has 1 cells"),
        (["2 4", "4 2", "goal"], "line 4"),
        (["2 4", "4 2", "seed 1", "seed 2"], "line 5"),
        (["2 4", "seed 1", "4 2"], "line 4"),
        (["goal 64"], "no board"),
        (["2 4", "4 2", "goal 65"], "goal"),
    ],
)
def test_wrong_texts_are_refused(lines: list[str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        twenty48_text.read(Source("it", "\n".join(["2048", *lines]).encode()), None)


def test_only_texts_that_say_so_are_taken() -> None:
    assert twenty48_text.is_text(Source("a", b"2048 \n2 4\n4 2\n"))
    for other in (b"2 4\n4 2\n", b"20480\n", b"\xff\xfe2048\n", b"4 4\n2048\n", b""):
        assert not twenty48_text.is_text(Source("a", other))


def test_planted_answers_hold_no_move_too_many() -> None:
    puzzle, answer = KIND.make(Making(goal=64), seed=2)
    assert puzzle.goal == 64
    assert KIND.check(puzzle, answer).solved
    for i in range(len(answer.moves)):
        assert not KIND.check(puzzle, Moves(answer.moves[:i] + answer.moves[i + 1 :])).passes
    with pytest.raises(BadUsage, match="power of two"):
        twenty48_making.made(100, 0)


def test_pictures_show_tiles_score_and_goal() -> None:
    puzzle, answer = KIND.make(Making(goal=64), seed=2)
    play = KIND.begin(puzzle)
    for move in answer.moves:
        play.make(move)
    svg = KIND.draw(puzzle, answer).svg().decode()
    assert f">score {play.score}<" in svg and ">goal 64<" in svg and ">64<" in svg
    assert len({picture.width for picture in KIND.frames(puzzle, answer, 5)}) == 1
