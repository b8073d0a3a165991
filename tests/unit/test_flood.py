"""Flood-it: what is refused, the checker move by move, the generator, pictures."""

from itertools import pairwise
from typing import Any

import pytest

from dovetail.core.errors import BadInput
from dovetail.core.puzzle import Moves
from dovetail.core.settings import fill
from dovetail.moves.games.flood import Flood, FloodKind, FloodPlay, Making

KIND = FloodKind()
# the corner is alone; 1 joins it to the right, 2 below
BOARD = Flood(3, 3, (0, 1, 1, 2, 2, 1, 0, 2, 0), 3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((0, 3, (), 3), "1 to 100 rows and columns, not 0x3"),
        ((1, 101, (0,) * 101, 3), "1 to 100 rows and columns, not 1x101"),
        ((2, 2, (0, 1, 0), 3), "a 2x2 board has 4 cells, but 3 are given"),
        ((2, 2, (0, 1, 0, 3), 3), "row 2, column 2: a colour is a number from 0 to 2, not 3"),
        ((2, 2, (0, -1, 0, 0), 3), "row 1, column 2: a colour is a number from 0 to 2, not -1"),
        ((1, 2, (0, 0), 1), "2 to 10 colours, not 1"),
        ((1, 2, (0, 0), 11), "2 to 10 colours, not 11"),
        ((1, 2, (0, 1), 2, -1), "from 0 \\(any number\\) on, not -1"),
    ],
)
def test_malformed_boards_are_refused(given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Flood(*given)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "needs a list 'board' of texts"),
        ({"board": []}, "needs a list 'board' of texts"),
        ({"board": ["01", 3]}, "needs a list 'board' of texts"),
        ({"board": [""]}, "1 to 100 rows and columns, not 1x0"),
        ({"board": ["010", "01"]}, "row 2 has 2 cells, but row 1 has 3"),
        ({"board": ["010", "0a0"]}, "row 2, column 2: a colour is a digit, not 'a'"),
        ({"board": ["010"], "colours": "3"}, "'colours' of a flood puzzle is a whole number, not 3"),
        ({"board": ["010"], "most": True}, "'most' of a flood puzzle is a whole number, not True"),
        ({"board": ["010"], "most": 1.5}, "'most' of a flood puzzle is a whole number, not 1.5"),
    ],
)
def test_malformed_files_are_refused_with_the_place(data: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        KIND.decode(data)
    assert message in str(caught.value)


def test_what_a_file_leaves_out() -> None:
    assert KIND.decode({"board": ["01", "20"]}) == Flood(2, 2, (0, 1, 2, 0), 3)
    assert KIND.decode({"board": ["00"]}).colours == 2


def test_the_area_takes_the_colour_and_grows() -> None:
    play = FloodPlay(BOARD)
    assert play.area == {0}
    for move, cells, area, won in (
        ("1", "111221020", {0, 1, 2, 5}, {1, 2, 5}),
        ("2", "222222020", {0, 1, 2, 3, 4, 5, 7}, {3, 4, 7}),
        ("0", "000000000", {*range(9)}, {6, 8}),
    ):
        assert not play.flooded
        play.make(move)
        assert ("".join(map(str, play.cells)), play.area, play.won) == (cells, area, won)
    assert play.flooded and play.solved


@pytest.mark.parametrize(
    ("most", "moves", "valid", "solved", "says", "scores"),
    [
        (0, "120", True, True, "", (3, 9)),
        (3, "120", True, True, "", (3, 9)),
        (2, "120", True, False, "it took 3 moves, and 2 are allowed", (3, 9)),
        (0, "2120", True, True, "", (4, 9)),
        (3, "2120", True, False, "it took 4 moves, and 3 are allowed", (4, 9)),
        (0, "12", True, False, "2 cells are not flooded", (2, 7)),
        (0, "", True, False, "8 cells are not flooded", (0, 1)),
        (0, "1200", False, False, "move 4 (0): the board is flooded already", (3, 9)),
        (0, "0", False, False, "move 1 (0): the corner has this colour already", (0, 1)),
        (0, "1221", False, False, "move 3 (2): the corner has this colour already", (2, 7)),
        (0, "13", False, False, "move 2 (3): a move is a colour, a digit from 0 to 2", (1, 4)),
        (0, "1²", False, False, "move 2 (²): a move is a colour, a digit from 0 to 2", (1, 4)),
    ],
)
def test_verdicts(most: int, moves: str, valid: bool, solved: bool, says: str, scores: tuple[int, int]) -> None:
    verdict = KIND.check(Flood(3, 3, BOARD.cells, 3, most), Moves(tuple(moves)))
    assert (verdict.valid, verdict.solved, verdict.violations) == (valid, solved, (says,) if says else ())
    told = {"moves": scores[0], "cells_flooded": scores[1], "cells": 9}
    assert {name: verdict.scores[name] for name in told} == told


def test_one_cell_alone() -> None:
    verdict = KIND.check(Flood(1, 2, (0, 1), 2), Moves(()))
    assert verdict.violations == ("1 cell is not flooded",)
    assert KIND.check(Flood(1, 2, (1, 1), 2), Moves(())).passes


@pytest.mark.parametrize("seed", range(5))
def test_boards_are_made_with_a_play_that_spares_no_move(seed: int) -> None:
    given = {"width": 9, "height": 7, "colours": 5, "leniency": 2}
    puzzle, play = KIND.make(fill(Making, given), seed)
    assert (puzzle.rows, puzzle.cols, puzzle.colours) == (7, 9, 5)
    assert puzzle.most == len(play.moves) + 2
    assert KIND.check(puzzle, play).passes
    for place in range(len(play.moves)):
        assert not KIND.check(puzzle, Moves(play.moves[:place] + play.moves[place + 1 :])).passes


def test_two_colours_on_a_small_board_are_never_flooded_to_begin_with() -> None:
    for seed in range(40):
        puzzle, play = KIND.make(fill(Making, {"width": 2, "height": 2, "colours": 2}), seed)
        assert play.moves
        assert KIND.check(puzzle, play).passes


def texts(svg: bytes) -> list[str]:
    """The words of a picture in order."""
    return [part.partition("<")[0] for part in svg.decode().split('central">')[1:]]


def test_pictures_show_digits_outside_the_area_and_the_moves() -> None:
    puzzle = Flood(3, 3, BOARD.cells, 3, 3)
    assert texts(KIND.draw(puzzle).svg()) == [*"011221020", "0 of 3 moves"]
    after = KIND.draw(puzzle, Moves(("1",)))
    assert texts(after.svg()) == [*"122020", "1 of 3 moves"]
    assert after.svg().count(b"<path") == 3, "a dot on every cell that was just won"
    assert texts(KIND.draw(BOARD, Moves(("1",))).svg())[-1] == "1 move"
    assert texts(KIND.draw(BOARD, Moves(("1", "2"))).svg())[-1] == "2 moves"


def test_the_outline_follows_the_rim() -> None:
    """One cell has four sides, the four cells after the first move ten."""
    drawn = [KIND.draw(BOARD, Moves(tuple(moves))).svg().count(b"<polyline") for moves in ("", "1", "120")]
    assert drawn == [4, 10, 12]


def test_all_pictures_of_a_play_have_one_size() -> None:
    puzzle, play = KIND.make(Making(), 1)
    shown = [*KIND.frames(puzzle, play, 100)]
    assert len(shown) == len(play.moves)
    assert all((one.width, one.height, one.scale) == (other.width, other.height, other.scale)
               for one, other in pairwise(shown))  # fmt: skip
