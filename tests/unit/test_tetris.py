"""Tetris: its rules by hand, what is refused, texts, the generator, pictures."""

from pathlib import Path

import numpy as np
import pytest

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Moves
from dovetail.core.source import Source
from dovetail.moves.games import tetris_formats
from dovetail.moves.games.tetris import Making, Tetris, TetrisKind, TetrisPlay, from_lines, turned
from dovetail.moves.games.tetris_making import played, shortened
from dovetail.moves.kind import IllegalMove
from dovetail.moves.rules import tetris as rules
from dovetail.moves.rules import tetris_value as values
from dovetail.search.chance import seeded

KIND = TetrisKind()


def game(lines: list[str], piece: str = "I", goal: int = 5) -> TetrisPlay:
    return TetrisPlay(from_lines(lines, goal, 0, piece, 0))


def shown(play: TetrisPlay) -> list[str]:
    return ["".join(line) for line in play.board]


def read(text: str) -> Tetris:
    (puzzle,) = tetris_formats.read(Source("game.txt", text.encode()), None)
    assert isinstance(puzzle, Tetris)
    return puzzle


def test_a_piece_falls_until_it_rests_and_full_lines_vanish() -> None:
    play = game([".....", ".....", "#....", "##.#.", "#...."], "I")
    play.make("0,2")
    assert shown(play) == [".....", ".....", ".....", "##.#.", "#...."]
    assert (play.lines, play.share, play.last) == (1, 0.2, [])
    play.make("1,3")
    assert shown(play) == [".....", "..I..", "..I..", "##I#.", "#.I.."]
    assert play.last == [(1, 2), (2, 2), (3, 2), (4, 2)]


def test_what_is_left_of_a_piece_comes_down_with_its_lines() -> None:
    play = game(["....", "....", "....", "....", ".###"], "I")
    play.make("1,1")
    assert shown(play) == ["....", "....", "I...", "I...", "I..."]
    assert play.last == [(2, 0), (3, 0), (4, 0)]


def test_lines_that_vanish_need_not_be_neighbours() -> None:
    play = game(["....", "###.", "##..", "###.", "#..."], "I")
    play.make("1,4")
    assert shown(play) == ["....", "....", "....", "##.I", "#..I"]
    assert play.lines == 2


@pytest.mark.parametrize(
    ("piece", "turns", "outline"),
    [
        ("I", 1, ["#", "#", "#", "#"]),
        ("T", 0, [".#.", "###"]),
        ("T", 1, ["#.", "##", "#."]),
        ("T", 3, [".#", "##", ".#"]),
        ("S", 1, ["#.", "##", ".#"]),
        ("Z", 1, [".#", "##", "#."]),
        ("J", 1, ["##", "#.", "#."]),
        ("L", 1, ["#.", "#.", "##"]),
        ("L", 2, ["###", "#.."]),
    ],
)
def test_pieces_turn_clockwise(piece: str, turns: int, outline: list[str]) -> None:
    cells = [(row, col) for row, line in enumerate(outline) for col, letter in enumerate(line) if letter == "#"]
    assert sorted(turned(piece, turns)) == cells


def test_it_is_lost_when_the_piece_would_reach_above_the_board() -> None:
    play = game(["...#", "...#", "#.##", "#.##"], "O")
    play.make("0,1")
    assert shown(play) == ["OO.#", "OO.#", "#.##", "#.##"]
    assert play.options == []
    with pytest.raises(IllegalMove, match="does not fit below the top"):
        play.make("0,1")
    assert play.missing == "0 of 5 lines are cleared, and the O fits nowhere"
    verdict = KIND.check(play.puzzle, Moves(("0,1",)))
    assert verdict.valid and verdict.solved is False and verdict.scores["lines"] == 0


def test_full_lines_do_not_make_room_before_the_piece_lies_on_the_board() -> None:
    play = game(["....", "##..", "###.", "###."], "I")
    with pytest.raises(IllegalMove):
        play.make("1,3")
    play.make("1,4")
    assert play.lines == 2


@pytest.mark.parametrize(
    ("move", "says"),
    [
        ("", "quarter turns and a column"),
        ("1", "quarter turns and a column"),
        ("4,1", "quarter turns and a column"),
        ("1,-1", "quarter turns and a column"),
        ("1,٣", "quarter turns and a column"),
        ("1,0", "no column 0"),
        ("1,11", "no column 11"),
        ("0,8", "beyond the last column"),
    ],
)
def test_moves_that_are_none_are_refused_and_change_nothing(move: str, says: str) -> None:
    play = game(["." * 10] * 4, "I")
    with pytest.raises(IllegalMove, match=says):
        play.make(move)
    assert shown(play) == ["." * 10] * 4


def test_after_the_goal_there_are_no_moves() -> None:
    play = game(["....", "....", "....", "...."], "I", goal=1)
    play.make("0,1")
    assert play.solved and play.options == []
    with pytest.raises(IllegalMove, match="game is over"):
        play.make("0,1")
    assert KIND.check(play.puzzle, Moves(("0,1",))).solved


def test_pieces_come_as_the_rules_say() -> None:
    """The generator by hand, for the first pieces of seed 7."""
    word, expected = (7 * 0x9E3779B97F4A7C15 + 0x1234567) % 2**64, ""
    for _ in range(6):
        word ^= word << 13 & 2**64 - 1
        word ^= word >> 7
        word ^= word << 17 & 2**64 - 1
        expected += "IOTSZJL"[(word >> 1) % 7]
    for preview in (0, 1):
        play = TetrisPlay(Tetris(20, 10, (False,) * 200, 5, 7, preview=preview))
        found = ""
        for _ in range(6):
            assert len(play.coming) == preview + 1
            found += play.coming[0]
            play.make(f"1,{1 + 3 * (len(found) % 3)}")
        assert found == expected


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"board": []}, "list 'board'"),
        ({"board": ["...."] * 3}, "4 to 40 rows"),
        ({"board": ["...."] * 3 + ["..."]}, "row 4 has 3 cells"),
        ({"board": ["...."] * 3 + ["..x."]}, "row 4, column 3"),
        ({"board": ["...."] * 3 + ["####"]}, "row 4 is full"),
        ({"goal": 0}, "1 to 100000 lines"),
        ({"goal": True}, "goal of a tetris puzzle is a whole number"),
        ({"seed": -1}, "seed"),
        ({"pieces": "IX"}, "letters of IOTSZJL"),
        ({"pieces": "II"}, "each at most once"),
        ({"pieces": 3}, "text of letters"),
        ({"preview": 2}, "0 or 1 pieces"),
    ],
)
def test_puzzles_that_are_none_are_refused(change: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        KIND.decode({"board": ["...."] * 4, **change})


def test_text_says_all_of_a_puzzle() -> None:
    puzzle = from_lines(["....", "....", "....", "#..#"], 7, 9, "SZ", 1)
    data = tetris_formats.write(puzzle)
    assert data.decode().splitlines()[:5] == ["tetris", "goal 7", "seed 9", "preview 1", "pieces SZ"]
    assert tetris_formats.detect(Source("x", data))
    assert read(data.decode()) == puzzle
    assert read("Tetris\n\n....\n....\n....\n....\n") == Tetris(4, 4, (False,) * 16)
    assert not tetris_formats.detect(Source("x", b"2048\n....\n"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("....\n", "does not begin"),
        ("tetris\ngoal 5\n", "shows no board"),
        ("tetris\ngoal five\n....\n", "line 2: the goal"),
        ("tetris\nspeed 5\n....\n", "line 2: goal, seed"),
        ("tetris\n....\n....\n....\n...\n", "line 5 has 3 cells, but line 2 has 4"),
        ("tetris\n....\n....\n\n....\n....\n", "line 5: .* without a gap"),
        ("tetris\n....\n....\n....\n....\ngoal 5\n", "line 6: after the rows"),
        ("tetris\n....\n....\n....\n.o..\n", "row 4, column 2"),
    ],
)
def test_texts_that_are_none_are_refused(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read(text)


def test_generated_games_are_cleared_by_their_play_and_by_no_shorter_one() -> None:
    for seed in range(4):
        puzzle, moves = KIND.make(Making(), seed)
        assert KIND.check(puzzle, moves).solved
        assert sum(puzzle.cells)
        assert shortened(puzzle, moves.moves) == moves.moves


def test_moves_that_are_not_needed_are_left_out() -> None:
    puzzle = from_lines(["......"] * 8, 1, 0, "I", 0)
    assert shortened(puzzle, ("1,5", "1,5", "1,6", "0,1")) == ("1,5", "1,6", "0,1")
    assert shortened(puzzle, ("1,5", "1,6", "0,1")) == ("1,5", "1,6", "0,1")


def test_a_game_nobody_can_win_is_not_made() -> None:
    with pytest.raises(BadUsage, match="lost 200 such games"):
        KIND.make(Making(width=4, height=8, filled=4, goal=100), 0)
    with pytest.raises(BadUsage, match="at most 4"):
        KIND.make(Making(height=8, filled=5), 0)


def test_the_plain_player_plays_by_the_rules() -> None:
    puzzle = KIND.samples()["tetris-rubble"]()
    assert isinstance(puzzle, Tetris)
    moves = played(puzzle)
    assert moves is not None
    assert KIND.check(puzzle, Moves(moves)).solved


def test_pictures_have_one_size_and_show_the_play() -> None:
    puzzle, moves = KIND.make(Making(preview=1), 3)
    pictures = list(KIND.frames(puzzle, moves, 4))
    assert len(pictures) == 4 and len({(p.width, p.height, p.scale) for p in pictures}) == 1
    assert len({p.svg() for p in pictures}) == 4
    assert b"goal reached" in pictures[-1].svg()


def test_what_was_learnt_keeps_the_board_low() -> None:
    for rows, preview, depth in ((20, 0, 1), (16, 1, 2)):
        puzzle = Tetris(rows, 10, (False,) * (rows * 10), 60, 11, preview=preview)
        state = rules.state(puzzle)
        made = rules.play_on(state, rules.weights(), depth, seeded(0), 1000)
        moves = rules.written(puzzle, state.path[:made].tolist())
        assert KIND.check(puzzle, Moves(moves)).solved


def test_weights_survive_their_file_and_damage_is_noticed(tmp_path: Path) -> None:
    learnt = np.linspace(-3, 3, values.ENTRIES)
    path = tmp_path / "learnt.bin"
    path.write_bytes(values.packed(learnt))
    assert np.abs(values.weights(path) - learnt).max() < 1e-6
    assert values.weights().shape == (values.ENTRIES,)
    damaged = bytearray(values.SHIPPED.read_bytes())
    damaged[-1] ^= 1
    other = tmp_path / "damaged.bin"
    other.write_bytes(bytes(damaged))
    with pytest.raises(BadInput, match="SHA-256"):
        values.weights(other)
