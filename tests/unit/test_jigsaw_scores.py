"""The jigsaw checker: a slow twin for every score, examples worked by hand, and what is not legal."""

import inspect
import re
import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.core.errors import BadInput
from dovetail.core.puzzle import EMPTY, MOST_NAMED, Assignment, Placement, Verdict
from dovetail.jigsaw import board, likeness, scores
from dovetail.jigsaw.puzzle import Jigsaw
from support import naive_scores as naive

Grid = tuple[tuple[int, ...], ...]


def grey(values: Sequence[int], rows: int | None = None, cols: int | None = None, rotate: bool = False) -> Jigsaw:
    """Pieces of 2×2 pixels, each of one grey."""
    return Jigsaw(2, 2, 1, 8, bytes(v for v in values for _ in range(4)), rows, cols, rotate)


def varied(count: int, rows: int | None = None, cols: int | None = None, sides: int = 1, **flags: bool) -> Jigsaw:
    """Pieces of 2×2 pixels, all of them different, so that none looks like another however it lies."""
    return Jigsaw(2, 2, 1, 8, bytes(range(4 * sides * count)), rows, cols, sides=sides, **flags)  # type: ignore[arg-type]


def placed(*rows: Sequence[int], turns: Grid | None = None) -> Placement:
    return Placement(tuple(map(tuple, rows)), turns or tuple((0,) * len(row) for row in rows))


# the slow twin


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[Jigsaw, Placement, Placement]:
    """A puzzle with pieces that look alike, some lost, its original, and an answer that has something of it."""
    rows, cols = draw(st.integers(1, 4)), draw(st.integers(2, 4))
    height, width, channels = draw(st.sampled_from([(2, 2, 1), (2, 2, 3), (3, 3, 1), (2, 3, 1), (3, 2, 3)]))
    rotate, foreign, sides = draw(st.booleans()), draw(st.booleans()), draw(st.sampled_from([1, 1, 2]))
    shape = draw(st.sampled_from(["framed", "free", "mixed"]))
    if shape == "mixed":
        cols = draw(st.integers(3, 7))  # so that an empty column can cut it
    size = sides * height * width * channels
    designs = draw(st.lists(st.binary(min_size=size, max_size=size), min_size=1, max_size=4))
    holes = draw(st.integers(0, rows * cols - 2))
    count, strays = rows * cols - holes, draw(st.integers(0, 2)) if foreign else 0
    pixels = b"".join(draw(st.sampled_from(designs)) for _ in range(count + strays))
    framed = shape == "framed"
    puzzle = Jigsaw(
        height, width, channels, 8, pixels, rows if framed else None, cols if framed else None, rotate,
        sides, foreign, shape == "mixed",
    )  # fmt: skip
    turn = st.sampled_from(puzzle.turns)

    def laid(order: list[int]) -> Placement:
        return Placement.from_flat(order, [draw(turn) if piece != EMPTY else 0 for piece in order], cols)

    truth = laid(draw(st.permutations([*range(count), *[EMPTY] * holes])))
    flat, turns = [*sum(truth.pieces, ())], [*sum(truth.turns, ())]
    match draw(st.sampled_from(["shifted", "shuffled", "turned", "swapped", "short", "strange", "apart"])):
        case "shifted":
            by = draw(st.integers(0, len(flat) - 1))
            return puzzle, truth, Placement.from_flat(flat[by:] + flat[:by], turns[by:] + turns[:by], cols)
        case "shuffled":
            return puzzle, truth, laid(draw(st.permutations(flat)))
        case "turned":
            motion = draw(turn)
            if framed and motion % 2 and rows != cols:
                motion -= 1
            return puzzle, truth, moved(truth, motion)
        case "swapped":
            one, other = (draw(st.integers(0, len(flat) - 1)) for _ in range(2))
            flat[one], flat[other], turns[one], turns[other] = flat[other], flat[one], turns[other], turns[one]
        case "short":
            flat[draw(st.integers(0, len(flat) - 1))] = EMPTY
        case "strange":
            for piece in range(count, count + strays):
                flat[draw(st.integers(0, len(flat) - 1))] = piece
        case "apart" if shape == "mixed":
            at = draw(st.integers(0, cols))
            wider = [[*row[:at], EMPTY, *row[at:]] for row in truth.pieces]
            spread = [[*row[:at], 0, *row[at:]] for row in truth.turns]
            return puzzle, truth, Placement(tuple(map(tuple, wider)), tuple(map(tuple, spread)))
    return puzzle, truth, Placement.from_flat(flat, turns, cols)


def moved(placement: Placement, motion: int) -> Placement:
    """A whole board, turned over like a page and turned: worked with lists, by what a turn of a piece means."""
    pieces, turns = ([list(row) for row in rows] for rows in (placement.pieces, placement.turns))
    if motion >= 4:
        pieces, turns = [row[::-1] for row in pieces], [[FLIPPED[turn] for turn in row[::-1]] for row in turns]
    for _ in range(motion % 4):
        pieces, turns = ([list(row) for row in zip(*rows, strict=True)][::-1] for rows in (pieces, turns))
        turns = [[NEXT[turn] for turn in row] for row in turns]
    return Placement(tuple(map(tuple, pieces)), tuple(map(tuple, turns)))


NEXT = (1, 2, 3, 0, 5, 6, 7, 4)  # turn after a quarter more
FLIPPED = (4, 7, 6, 5, 0, 3, 2, 1)  # and after the board was turned over: quarters then go the other way


@settings(max_examples=600, deadline=None)
@given(puzzles())
def test_the_slow_twin_finds_the_same(drawn: tuple[Jigsaw, Placement, Placement]) -> None:
    puzzle, truth, answer = drawn
    verdict = scores.judge(puzzle, answer, truth)
    assert verdict.valid
    slow = {"dissimilarity_original": naive.dissimilarity(puzzle, truth)}
    slow["dissimilarity"] = naive.dissimilarity(puzzle, answer)
    for suffix in ("", "_content"):
        by_content = bool(suffix)
        slow[f"direct{suffix}"], slow[f"perfect{suffix}"] = naive.direct(puzzle, answer, truth, by_content)
        slow[f"neighbour{suffix}"] = naive.neighbour(puzzle, answer, truth, by_content)
    if puzzle.mixed:
        slow["enhanced_direct"], slow["enhanced_neighbour"] = naive.enhanced(puzzle, answer, truth)
        slow["pictures"], slow["pictures_original"] = len(naive.cut(answer)), len(naive.cut(truth))
    if puzzle.foreign:
        own, laid = (set(naive.owners_of(each).values()) for each in (truth, answer))
        strays = set(range(puzzle.count)) - own
        slow["own_left_out"] = len(own - laid) / len(own)
        slow["foreign_left_out"] = len(strays - laid) / len(strays) if strays else 1
    assert verdict.scores == pytest.approx(slow, rel=1e-5, abs=1e-9)
    assert verdict.solved == (slow["perfect_content"] == 1)
    assert verdict.solved == (not verdict.violations)
    for name in ("direct", "neighbour", "perfect"):
        assert verdict.scores[f"{name}_content"] >= verdict.scores[name]


# worked by hand


def test_a_shifted_board_keeps_its_neighbours() -> None:
    puzzle = grey([0, 40, 80, 120, 160, 200, 220, 250], 2, 4)
    truth, shifted = placed([0, 1, 2, 3], [4, 5, 6, 7]), placed([3, 0, 1, 2], [7, 4, 5, 6])
    verdict = scores.judge(puzzle, shifted, truth)
    assert verdict.valid and verdict.solved is False
    assert verdict.violations == ("the pieces do not show what they showed in the original",)
    assert (verdict.scores["direct"], verdict.scores["perfect"]) == (0, 0)
    assert verdict.scores["neighbour"] == 0.8  # 0-1, 1-2, 4-5, 5-6 of six across, and all four down


def test_alike_pieces_may_change_places() -> None:
    puzzle = grey([9, 9, 50, 70], 2, 2)
    truth, swapped = placed([0, 2], [3, 1]), placed([1, 2], [3, 0])
    verdict = scores.judge(puzzle, swapped, truth)
    assert verdict.solved is True and not verdict.violations
    assert verdict.scores["perfect"] == verdict.scores["neighbour"] == 0
    assert verdict.scores["direct"] == 0.5
    assert all(verdict.scores[f"{name}_content"] == 1 for name in ("direct", "neighbour", "perfect"))


def test_content_pairs_count_only_as_often_as_the_original_has_them() -> None:
    puzzle = grey([9, 9, 9, 50], 1, 4)
    verdict = scores.judge(puzzle, placed([0, 1, 2, 3]), placed([0, 1, 3, 2]))
    assert verdict.scores["neighbour_content"] == round(2 / 3, 6)  # 9-9 once of twice, 9-50 once, 50-9 never


def test_a_board_turned_as_a_whole_is_as_good_where_pieces_may_be_turned() -> None:
    pixels = bytes(range(16))
    puzzle = Jigsaw(2, 2, 1, 8, pixels, 2, 2, rotate=True)
    truth = placed([0, 1], [2, 3])
    quarter = placed([1, 3], [0, 2], turns=((1, 1), (1, 1)))
    verdict = scores.judge(puzzle, quarter, truth)
    assert verdict.solved is True
    assert verdict.scores["direct"] == verdict.scores["neighbour"] == verdict.scores["perfect"] == 1
    only_moved = scores.judge(puzzle, placed([1, 3], [0, 2]), truth)
    assert only_moved.scores["neighbour"] == 0


def test_dissimilarity_by_hand() -> None:
    white_black_white = grey([255, 0, 255], 1, 3)
    verdict = scores.judge(white_black_white, placed([0, 1, 2]), None)
    assert verdict.scores == {"dissimilarity": 282.843}  # two seams of two pixels, 100 steps of lightness apart each
    assert verdict.solved is None


def test_better_than_perfect() -> None:
    """The paper's figure 3: what fits better than the original is not the original."""
    puzzle = grey([0, 250, 120], 1, 3)
    verdict = scores.judge(puzzle, placed([0, 2, 1]), placed([0, 1, 2]))
    assert verdict.solved is False
    assert verdict.scores["dissimilarity"] < verdict.scores["dissimilarity_original"]


@pytest.mark.parametrize(
    ("channels", "depth", "white", "black"),
    [
        (1, 8, [255], [0]), (2, 8, [7, 0], [0, 255]), (3, 8, [255] * 3, [0] * 3), (4, 8, [1, 2, 3, 0], [0, 0, 0, 255]),
        (1, 16, [65535], [0]), (4, 16, [9, 9, 9, 0], [0, 0, 0, 65535]),
    ],
)  # fmt: skip
def test_every_kind_of_pixel_has_its_colour(channels: int, depth: int, white: list[int], black: list[int]) -> None:
    """What is transparent lies on white."""
    pixels = np.array([*white * 4, *black * 4], "u1" if depth == 8 else "<u2").tobytes()
    puzzle = Jigsaw(2, 2, channels, depth, pixels, 1, 2)
    assert scores.judge(puzzle, placed([0, 1]), None).scores == {"dissimilarity": 141.421}


# what is not legal


def refused(puzzle: Jigsaw, solution: Placement) -> tuple[str, ...]:
    verdict = scores.judge(puzzle, solution, None)
    assert not verdict.valid and verdict.solved is False and not verdict.scores
    return verdict.violations


def test_misuse_is_named_with_its_place() -> None:
    puzzle = grey([1, 2, 3, 4], 2, 2)
    assert refused(puzzle, placed([0, 1, 2, 3])) == ("the solution's board is 1x4, the frame 2x2",)
    assert refused(puzzle, placed([0, 1], [4, 3])) == ("row 2, column 1: there is no piece 4 (pieces are 0 to 3)",)
    assert refused(puzzle, placed([0, 1], [1, 0])) == (
        "row 2, column 1: piece 1 already lies at row 1, column 2",
        "row 2, column 2: piece 0 already lies at row 1, column 1",
    )
    turned = placed([0, 1], [2, 3], turns=((0, 0), (0, 2)))
    assert refused(puzzle, turned) == ("row 2, column 2: a piece's turn is 0 here, not 2",)
    oblong = Jigsaw(2, 3, 1, 8, bytes(12), 1, 2, rotate=True)
    assert scores.judge(oblong, placed([0, 1], turns=((0, 2),)), None).valid
    assert refused(oblong, placed([0, 1], turns=((0, 1),))) == (
        "row 1, column 2: a piece's turn is one of 0, 2 here, not 1",
    )


def test_absurd_numbers_are_only_wrong() -> None:
    puzzle = grey([1, 2], 1, 2)
    assert "there is no piece 1000000000" in refused(puzzle, placed([0, 10**30]))[0]
    assert "there is no piece -2" in refused(puzzle, placed([0, -2]))[0]
    assert "not -99999999999" in refused(puzzle, placed([0, 1], turns=((0, -(10**40) + 1),)))[0]
    assert scores.judge(puzzle, placed([0, EMPTY], turns=((0, 10**40),)), None).valid


def test_a_long_list_is_cut() -> None:
    violations = refused(grey(range(30), 5, 6), placed(*[[99] * 6] * 5))
    assert len(violations) == MOST_NAMED + 1
    assert violations[-1] == "and 10 more"


def test_pieces_left_out_are_legal_but_no_solution() -> None:
    puzzle = grey([1, 2, 3, 4], 2, 2)
    for truth in (None, placed([0, 1], [2, 3])):
        verdict = scores.judge(puzzle, placed([0, 1], [EMPTY, EMPTY]), truth)
        assert (verdict.valid, verdict.solved, verdict.violations) == (True, False, ("2 pieces are not laid",))
    assert scores.judge(puzzle, placed([0, 1], [2, EMPTY]), None).violations == ("1 piece is not laid",)


def test_lost_pieces_leave_their_hole() -> None:
    puzzle, truth = grey([1, 2, 3], 2, 2), placed([0, 1], [EMPTY, 2])
    assert scores.judge(puzzle, truth, truth).solved is True
    assert scores.judge(puzzle, placed([0, 1], [2, EMPTY]), truth).solved is False


def test_without_a_frame_any_board_will_do() -> None:
    puzzle, truth = grey([10, 90, 170, 250]), placed([0, 1], [2, 3])
    spaced = placed([EMPTY] * 4, [EMPTY, 0, 1, EMPTY], [EMPTY, 2, 3, EMPTY])
    assert scores.judge(puzzle, spaced, truth).solved is True
    row = scores.judge(puzzle, placed([0, 1, 2, 3]), truth)
    assert row.valid and row.solved is False
    assert (row.scores["direct"], row.scores["neighbour"]) == (0.5, 0.5)
    empty = scores.judge(puzzle, Placement((), ()), truth)
    assert (empty.valid, empty.solved) == (True, False)
    assert empty.scores["dissimilarity"] == empty.scores["direct"] == empty.scores["neighbour"] == 0
    assert "4096 rows and columns are the most" in refused(puzzle, placed([EMPTY] * 5000))[0]


def test_a_truth_that_is_none_is_refused() -> None:
    puzzle, answer = grey([1, 2]), placed([0, 1])
    for truth in (placed([0, 2]), placed([0, EMPTY]), Assignment((1,))):
        with pytest.raises(BadInput, match="the truth is not a placement of all the pieces"):
            scores.judge(puzzle, answer, truth)
    with pytest.raises(BadInput, match="a jigsaw solution is a placement, not assignment"):
        scores.judge(puzzle, Assignment(()), None)


def test_scores_are_plain_numbers_of_six_digits() -> None:
    verdict = scores.judge(grey([3, 77, 200, 90, 14, 60], 2, 3), placed([0, 1, 2], [3, 4, 5]), None)
    assert isinstance(verdict, Verdict)
    assert all(type(score) is float and float(f"{score:.6g}") == score for score in verdict.scores.values())


def test_the_checker_uses_nothing_of_the_solvers() -> None:
    for module in (scores, likeness, board):
        source = inspect.getsource(module)
        assert set(re.findall(r"from \.(\w+) import", source)) <= {"puzzle", "likeness", "board"}


# an original whose place nobody knows


def test_one_stray_piece_does_not_shift_the_rest() -> None:
    puzzle = varied(6)
    truth = placed([0, 1, 2], [3, 4, 5])
    stray = placed([EMPTY, 0, 1, 2], [5, 3, 4, EMPTY])
    assert scores.judge(puzzle, stray, truth).scores["direct"] == round(5 / 6, 6), "corner on corner it would be 0"
    framed = scores.judge(varied(6, 2, 4), stray, placed([0, 1, 2, EMPTY], [3, 4, 5, EMPTY]))
    assert framed.scores["direct"] == 0, "a frame says where pieces belong"


def test_what_looks_alike_is_also_tried_corner_on_corner() -> None:
    puzzle = grey([9, 9, 9, 50])
    verdict = scores.judge(puzzle, placed([1, 2, 0, 3]), placed([0, 1, 2, 3]))
    assert (verdict.scores["direct"], verdict.scores["direct_content"], verdict.solved) == (0.5, 1, True)


# two sides


def test_a_two_sided_board_may_be_turned_over_as_a_whole() -> None:
    puzzle = varied(6, 2, 3, sides=2)
    truth = placed([0, 1, 2], [3, 4, 5], turns=((0, 4, 0), (4, 4, 0)))
    over = placed([2, 1, 0], [5, 4, 3], turns=((4, 0, 4), (4, 0, 0)))
    verdict = scores.judge(puzzle, over, truth)
    assert verdict.solved is True and verdict.scores["perfect"] == verdict.scores["neighbour"] == 1
    assert verdict.scores["dissimilarity"] == verdict.scores["dissimilarity_original"]
    wrong = scores.judge(puzzle, placed([0, 1, 2], [3, 4, 5], turns=((4, 4, 0), (4, 4, 0))), truth)
    assert wrong.scores["direct"] == round(5 / 6, 6), "one piece lies with the wrong face up"
    assert wrong.scores["neighbour"] == round(5 / 7, 6)


def test_alike_means_alike_on_both_sides() -> None:
    front, back, other = bytes([9] * 4), bytes([50] * 4), bytes([70] * 4)
    alike = Jigsaw(2, 2, 1, 8, front + back + front + back, 1, 2, sides=2)
    unlike = Jigsaw(2, 2, 1, 8, front + back + front + other, 1, 2, sides=2)
    for puzzle, solved in ((alike, True), (unlike, False)):
        swapped = scores.judge(puzzle, placed([1, 0]), placed([0, 1]))
        assert swapped.scores["perfect_content"] == solved


def test_seams_underneath_count_too() -> None:
    white, black = bytes([255] * 4), bytes(4)
    puzzle = Jigsaw(2, 2, 1, 8, white + white + white + black, 1, 2, sides=2)
    both_fronts = scores.judge(puzzle, placed([0, 1]), None)
    assert both_fronts.scores == {"dissimilarity": 141.421}, "white by white above, white by black below"
    assert refused(puzzle, placed([0, 1], turns=((0, 2),))) == (
        "row 1, column 2: a piece's turn is one of 0, 4 here, not 2",
    )


# foreign pieces


def test_foreign_pieces_are_to_be_left_out() -> None:
    puzzle = varied(6, 2, 2, foreign=True)
    truth = placed([0, 1], [2, 3])
    right = scores.judge(puzzle, truth, truth)
    assert right.solved is True and not right.violations
    assert (right.scores["foreign_left_out"], right.scores["own_left_out"]) == (1, 0)
    wrong = scores.judge(puzzle, placed([0, 1], [4, EMPTY]), truth)
    assert wrong.solved is False
    assert wrong.violations == (
        "2 pieces are not laid that the original has", "1 piece is laid that the original has not",
    )  # fmt: skip
    assert (wrong.scores["foreign_left_out"], wrong.scores["own_left_out"]) == (0.5, 0.5)
    assert (wrong.scores["direct"], wrong.scores["neighbour"]) == (0.5, 0.25)
    moved_only = scores.judge(puzzle, placed([1, 0], [2, 3]), truth)
    assert moved_only.violations == ("the pieces do not show what they showed in the original",)


def test_a_perfect_picture_beside_a_foreign_piece_is_not_perfect() -> None:
    puzzle = varied(5, foreign=True)
    verdict = scores.judge(puzzle, placed([0, 1, EMPTY], [2, 3, 4]), placed([0, 1], [2, 3]))
    assert (verdict.scores["direct"], verdict.scores["perfect"], verdict.solved) == (1, 0, False)


def test_without_the_original_nobody_knows_which_pieces_are_foreign() -> None:
    puzzle = varied(6, 2, 2, foreign=True)
    verdict = scores.judge(puzzle, placed([0, 1], [EMPTY, EMPTY]), None)
    assert (verdict.valid, verdict.solved, verdict.violations) == (True, None, ())
    with pytest.raises(BadInput, match="the truth is not a placement of pieces of this puzzle"):
        scores.judge(puzzle, placed([0, 1], [2, 3]), placed([EMPTY, EMPTY], [EMPTY, EMPTY]))


# several pictures in one bag

TWO = placed([0, 1, EMPTY, 4, 5], [2, 3, EMPTY, 6, 7])  # the truth: two pictures of four pieces


def mixed(answer: Placement, rotate: bool = False) -> Verdict:
    return scores.judge(varied(8, mixed=True, rotate=rotate), answer, TWO)


def test_pictures_may_lie_in_any_order_and_each_turned_its_own_way() -> None:
    other_way = placed([4, 5, EMPTY, EMPTY, 0, 1], [6, 7, EMPTY, EMPTY, 2, 3])
    verdict = mixed(other_way)
    names = ("direct", "neighbour", "perfect", "enhanced_direct", "enhanced_neighbour")
    assert verdict.solved is True and {verdict.scores[name] for name in names} == {1}
    assert (verdict.scores["pictures"], verdict.scores["pictures_original"]) == (2, 2)
    one_turned = placed([1, 3, EMPTY, 4, 5], [0, 2, EMPTY, 6, 7], turns=((1, 1, 0, 0, 0), (1, 1, 0, 0, 0)))
    assert mixed(one_turned, rotate=True).solved is True
    assert not mixed(one_turned).valid


def test_pictures_in_one_are_half_right() -> None:
    """Both pictures whole, but one above the other: worked by hand from the definitions."""
    verdict = mixed(placed([0, 1], [2, 3], [4, 5], [6, 7]))
    assert verdict.scores["pictures"] == 1
    assert verdict.scores["direct"] == 0.5, "one answer counts for one picture"
    assert verdict.scores["neighbour"] == 1 and verdict.solved is False
    assert verdict.scores["enhanced_direct"] == 0.5, "4 right of 4 and 4 foreign ones, for either picture"
    assert verdict.scores["enhanced_neighbour"] == 14 / 32, "and two of its 16 sides touch the other picture"


def test_a_picture_in_two_has_the_better_half() -> None:
    verdict = mixed(placed([0, 1, EMPTY, 2, 3, EMPTY, 4, 5], [EMPTY] * 6 + [6, 7]))
    assert verdict.scores["pictures"] == 3
    assert verdict.scores["direct"] == 0.75
    assert verdict.scores["enhanced_direct"] == (0.5 + 1) / 2
    assert verdict.scores["enhanced_neighbour"] == (6 / 16 + 1) / 2, "of each half, 8 sides less the two torn ones"


def test_a_neighbour_with_its_back_up_is_another_neighbour() -> None:
    """Turned over and upside down, its left side is on its left again, and what touches is the same."""
    puzzle = varied(2, sides=2, mixed=True, rotate=True)
    verdict = scores.judge(puzzle, placed([0, 1], turns=((0, 6),)), placed([0, 1]))
    assert verdict.scores["neighbour"] == 0
    assert verdict.scores["enhanced_neighbour"] == 6 / 8, "only the sides that nothing touches"


def test_without_the_original_pictures_are_still_counted() -> None:
    verdict = scores.judge(varied(8, mixed=True), TWO, None)
    assert verdict.solved is None and verdict.scores["pictures"] == 2
    nothing = mixed(Placement((), ()))
    assert nothing.solved is False and nothing.scores["pictures"] == nothing.scores["enhanced_neighbour"] == 0


def test_the_largest_set_is_judged_in_a_moment() -> None:
    """22,755 pieces, turned: as many as the largest benchmark pictures have."""
    rng = np.random.default_rng(1)
    puzzle = Jigsaw(2, 2, 3, 8, rng.bytes(12 * 22755), None, None, rotate=True)
    order = np.arange(22755)
    truth, answer = (Placement.from_flat(np.roll(order, by), np.zeros_like(order), 185) for by in (0, 7))
    began = time.perf_counter()
    assert scores.judge(puzzle, answer, truth).scores["direct"] == round(123 * 178 / 22755, 6)
    assert time.perf_counter() - began < 4
