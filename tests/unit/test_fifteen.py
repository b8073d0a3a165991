"""The kind `fifteen`: what it refuses, how it is played, made, read and drawn."""

import pytest

from dovetail.core import settings
from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Moves
from dovetail.core.source import Source
from dovetail.moves.games.fifteen import Fifteen, FifteenKind, Making, Reading
from dovetail.moves.games.fifteen_formats import KORF

KIND = FifteenKind()
NEARLY = Fifteen(3, 3, (1, 2, 3, 4, 5, 6, 0, 7, 8))


@pytest.mark.parametrize(
    ("rows", "cols", "tiles", "complaint"),
    [
        (1, 3, (1, 2, 0), "2 to 10 rows and columns, not 1x3"),
        (2, 11, tuple(range(22)), "2 to 10 rows and columns, not 2x11"),
        (2, 2, (1, 2, 0), "4 cells, but 3 are given"),
        (2, 2, (1, 2, 4, 0), "row 2, column 1: a tile is a number from 1 to 3"),
        (2, 2, (1, -1, 2, 0), "row 1, column 2: a tile is a number from 1 to 3"),
        (2, 2, (1, 2, 1, 0), "row 2, column 1: 1 is already in row 1, column 1"),
    ],
)
def test_what_is_no_tray(rows: int, cols: int, tiles: tuple[int, ...], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        Fifteen(rows, cols, tiles)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ({}, "needs a list 'tiles'"),
        ({"tiles": [1, 2]}, "needs a list 'tiles'"),
        ({"tiles": [[1, 2], [0]]}, "row 2 has 1 tiles, but row 1 has 2"),
        ({"tiles": [[1, 2], [True, 0]]}, "row 2, column 1: a tile is a whole number, not 'True'"),
        ({"tiles": [[1, 2], [3, 0]], "blank": "middle"}, "one of last, first, not 'middle'"),
        ({"tiles": [[1, 2], [3, 0]], "blank": ["last"]}, "one of last, first"),
    ],
)
def test_what_is_no_json_of_a_tray(data: dict[str, object], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        KIND.decode(data)


def test_the_checker_plays_every_move() -> None:
    solved = KIND.check(NEARLY, Moves(("7", "8")))
    assert solved.solved and solved.scores == {"moves": 2, "share": 1, "in_place": 8}
    short = KIND.check(NEARLY, Moves(("7",)))
    assert short.valid and not short.solved and short.violations == ("1 tile is not in place",)
    assert KIND.check(NEARLY, Moves(())).violations == ("2 tiles are not in place",)


@pytest.mark.parametrize(
    ("moves", "complaint"),
    [
        (("8",), "move 1 (8): the tile in row 3, column 3 is not beside the gap in row 3, column 1"),
        (("7", "5", "6", "1"), "move 4 (1): the tile in row 1, column 1 is not beside the gap in row 2, column 3"),
        (("0",), "move 1 (0): a move is the number of a tile, from 1 to 8"),
        (("07",), "move 1 (07): a move is the number of a tile, from 1 to 8"),
        (("7", "R"), "move 2 (R): a move is the number of a tile, from 1 to 8"),
    ],
)
def test_illegal_moves(moves: tuple[str, ...], complaint: str) -> None:
    verdict = KIND.check(NEARLY, Moves(moves))
    assert not verdict.valid
    assert verdict.violations == (complaint,)
    assert verdict.scores["moves"] == len(moves) - 1


def test_the_gap_may_belong_first() -> None:
    tray = Fifteen(2, 2, (1, 0, 2, 3), blank_first=True)
    assert KIND.check(tray, Moves(("1",))).solved
    assert not KIND.check(Fifteen(2, 2, (1, 0, 2, 3)), Moves(("1",))).solved
    assert tray.digest != Fifteen(2, 2, (1, 0, 2, 3)).digest


@pytest.mark.parametrize(("rows", "cols", "shuffle"), [(2, 2, 12), (2, 5, 300), (6, 3, 1), (10, 10, 2000)])
@pytest.mark.parametrize("blank", ["first", "last"])
def test_what_is_made_is_mixed_and_has_a_way_back(rows: int, cols: int, shuffle: int, blank: str) -> None:
    puzzle, way = KIND.make(Making(cols, rows, shuffle, blank), seed=4)
    assert (puzzle.rows, puzzle.cols, puzzle.blank_first) == (rows, cols, blank == "first")
    assert KIND.check(puzzle, way).solved
    assert 0 < len(way.moves) <= max(shuffle, 13)
    assert not KIND.check(puzzle, Moves(())).solved
    assert KIND.facts(puzzle)["solvable"] == "yes"
    play, seen = KIND.begin(puzzle), set()
    for move in way.moves:
        seen.add(tuple(play.tiles))
        play.make(move)
    assert len(seen) == len(way.moves), "no position comes twice"


def test_the_samples_can_be_solved() -> None:
    assert {str(KIND.facts(sample())["solvable"]) for sample in KIND.samples().values()} == {"yes"}


def test_all_pictures_of_a_play_have_one_size_and_differ() -> None:
    frames = [KIND.draw(NEARLY, Moves(("7", "8")[:number])) for number in range(3)]
    assert len({(frame.width, frame.height, frame.scale) for frame in frames}) == 1
    assert len({frame.svg() for frame in frames}) == 3


LIST = b"""# Korf (1985)
1 1 0 2 3 4 5 6 7 8 9 10 11 12 13 14 15 1

  2 4 1 2 3 0 5 6 7 8 9 10 11 12 13 14 15 1
"""


def read(data: bytes, **given: str) -> list[Fifteen]:
    found = KORF.read(Source("list", data), settings.fill(Reading, given))
    assert all(isinstance(puzzle, Fifteen) for puzzle in found)
    return [puzzle for puzzle in found if isinstance(puzzle, Fifteen)]


def test_korfs_list() -> None:
    assert KORF.detect(Source("list", LIST))
    first, second = read(LIST)
    assert (first.rows, first.cols, first.blank_first) == (4, 4, True)
    assert first.tiles[:3] == (1, 0, 2) and second.tiles[:5] == (4, 1, 2, 3, 0)
    assert not read(LIST, blank="last")[0].blank_first


def test_lines_of_tiles_alone_and_with_a_number() -> None:
    alone = b"1 2 3 4 5 6 7 8 0\n0,1,2,3,4,5,6,7,8"
    assert KORF.detect(Source("list", alone))
    assert [tray.tiles[0] for tray in read(alone)] == [1, 0]
    assert read(b"17 1 2 3 4 5 6 7 8 0")[0].tiles == (1, 2, 3, 4, 5, 6, 7, 8, 0)


@pytest.mark.parametrize(
    "data", [b"", b"# nothing", b"1 2 3", b"1 2 3 0", b"1 2 3 4 5 6 7 8 8", b"a b c", b"\xff\xfe", b"1 2 3 4 5 6 7 8 9"]
)
def test_what_is_no_such_list(data: bytes) -> None:
    assert not KORF.detect(Source("list", data))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (LIST + b"1 2 3", "list, line 5: a line of Korf's list is"),
        (b"1 2 3 4 5 6 7 8 8", "list, line 1: row 3, column 3: 8 is already in row 3, column 2"),
        (b"0 1 2 3 4 5 6 7 8\n0 1 2 3 4 x 6 7 8", "list, line 2: a line of Korf's list is"),
        (b"# nothing", "list holds no tray"),
    ],
)
def test_faults_of_a_list_are_named(data: bytes, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint) as error:
        read(data)
    assert len(str(error.value)) < 400


def test_a_list_has_words_for_square_trays_with_the_gap_first() -> None:
    tray = Fifteen(3, 3, (1, 2, 3, 4, 5, 6, 0, 7, 8), blank_first=True)
    assert read(KORF.write(tray)) == [tray]
    with pytest.raises(BadUsage, match="the gap belongs first"):
        KORF.write(NEARLY)
    with pytest.raises(BadUsage, match="square trays of 3 rows or more, not 2x2"):
        KORF.write(Fifteen(2, 2, (0, 1, 2, 3), blank_first=True))
