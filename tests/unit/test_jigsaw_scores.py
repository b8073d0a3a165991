"""The jigsaw checker: a slow twin for every score, examples worked by hand, and what is not legal."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage.color import rgb2lab

from dovetail.core.errors import BadInput
from dovetail.core.puzzle import EMPTY, MOST_NAMED, Assignment, Placement, Verdict
from dovetail.jigsaw import scores
from dovetail.jigsaw.puzzle import Jigsaw

Grid = tuple[tuple[int, ...], ...]
Cells = dict[tuple[int, int], tuple[int, int]]  # (row, col) → (piece, turn)
STEPS = ((0, 1), (-1, 0), (0, -1), (1, 0))  # right, up, left, down: a quarter turn counter-clockwise each


def grey(values: Sequence[int], rows: int | None = None, cols: int | None = None, rotate: bool = False) -> Jigsaw:
    """Pieces of 2×2 pixels, each of one grey."""
    return Jigsaw(2, 2, 1, 8, bytes(v for v in values for _ in range(4)), rows, cols, rotate)


def placed(*rows: Sequence[int], turns: Grid | None = None) -> Placement:
    return Placement(tuple(map(tuple, rows)), turns or tuple((0,) * len(row) for row in rows))


# the slow twin


def cells_of(board: Placement) -> Cells:
    return {
        (r, c): (piece, board.turns[r][c])
        for r, row in enumerate(board.pieces)
        for c, piece in enumerate(row)
        if piece != EMPTY
    }


def at_the_corner(cells: Cells) -> Cells:
    """Moved up and left as far as it goes."""
    top, left = min((r for r, _ in cells), default=0), min((c for _, c in cells), default=0)
    return {(r - top, c - left): laid for (r, c), laid in cells.items()}


def turned_board(cells: Cells, cols: int, quarters: int, rows: int) -> Cells:
    for _ in range(quarters):
        cells = {(cols - 1 - c, r): (piece, (turn + 1) % 4) for (r, c), (piece, turn) in cells.items()}
        rows, cols = cols, rows
    return cells


def look(puzzle: Jigsaw, piece: int, turn: int) -> tuple[object, ...]:
    """A piece's pixels as they lie."""
    pixels = [[tuple(pixel) for pixel in row] for row in puzzle.array[piece].tolist()]
    for _ in range(turn):
        pixels = [list(row) for row in zip(*pixels, strict=True)][::-1]
    return tuple(tuple(row) for row in pixels)


def slow_direct(puzzle: Jigsaw, answer: Placement, truth: Placement, by_content: bool) -> tuple[float, float]:
    best, perfect = 0, 0.0
    rows, cols = len(answer.pieces), len(answer.pieces[0])
    ours, theirs = cells_of(answer), cells_of(truth)
    for quarters in puzzle.turns:
        turned = turned_board(ours, cols, quarters, rows)
        if puzzle.rows is None:
            turned, theirs = at_the_corner(turned), at_the_corner(theirs)
        elif quarters % 2 and rows != cols:
            continue
        right = 0
        for cell, wanted in theirs.items():
            if cell in turned:
                shown = turned[cell]
                right += look(puzzle, *shown) == look(puzzle, *wanted) if by_content else shown == wanted
        best = max(best, right)
        if right == len(theirs) == len(turned):
            perfect = 1.0
    return best / puzzle.count, perfect


def slow_neighbour(puzzle: Jigsaw, answer: Placement, truth: Placement) -> float:
    where = {piece: (cell, turn) for cell, (piece, turn) in cells_of(answer).items()}
    ours, theirs, found, pairs = cells_of(answer), cells_of(truth), 0, 0
    for (r, c), (one, turn_one) in theirs.items():
        for direction in (0, 3):
            beside = (r + STEPS[direction][0], c + STEPS[direction][1])
            if beside not in theirs:
                continue
            other, turn_other = theirs[beside]
            pairs += 1
            if one not in where:
                continue
            (row, col), turn = where[one]
            quarters = (turn - turn_one) % 4
            down, right = STEPS[(direction + quarters) % 4]
            found += ours.get((row + down, col + right)) == (other, (turn_other + quarters) % 4)
    return found / pairs if pairs else 1.0


def slow_neighbour_content(puzzle: Jigsaw, answer: Placement, truth: Placement) -> float:
    def pairs(cells: Cells) -> Counter[tuple[object, ...]]:
        found: Counter[tuple[object, ...]] = Counter()
        for (r, c), (one, turn_one) in cells.items():
            for direction in (0, 3):
                beside = (r + STEPS[direction][0], c + STEPS[direction][1])
                if beside in cells:
                    other, turn_other = cells[beside]
                    same = []
                    for k in puzzle.turns:
                        a, b = look(puzzle, one, (turn_one + k) % 4), look(puzzle, other, (turn_other + k) % 4)
                        way = (direction + k) % 4
                        same += [(a, b, way), (b, a, (way + 2) % 4)]
                    found[min(same)] += 1
        return found

    theirs = pairs(cells_of(truth))
    return (pairs(cells_of(answer)) & theirs).total() / theirs.total() if theirs else 1.0


def slow_dissimilarity(puzzle: Jigsaw, board: Placement) -> float:
    """From the colours of whole pieces, pixel by pixel."""
    cells, total = cells_of(board), 0.0
    colours = {
        cell: rgb2lab(np.array(look(puzzle, *laid)).repeat(3 if puzzle.channels == 1 else 1, axis=-1) / 255)
        for cell, laid in cells.items()
    }
    for (r, c), colour in colours.items():
        if (r, c + 1) in colours:
            pixels = ((colour[k, -1], colours[r, c + 1][k, 0]) for k in range(puzzle.height))
            total += math.sqrt(sum(float((a[b] - z[b]) ** 2) for a, z in pixels for b in range(3)))
        if (r + 1, c) in colours:
            pixels = ((colour[-1, k], colours[r + 1, c][0, k]) for k in range(puzzle.width))
            total += math.sqrt(sum(float((a[b] - z[b]) ** 2) for a, z in pixels for b in range(3)))
    return total


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[Jigsaw, Placement, Placement]:
    """A puzzle with pieces that look alike, some lost, its original, and an answer that has something of it."""
    rows, cols = draw(st.integers(1, 4)), draw(st.integers(2, 4))
    height, width, channels = draw(st.sampled_from([(2, 2, 1), (2, 2, 3), (3, 3, 1), (2, 3, 1), (3, 2, 3)]))
    rotate, framed = draw(st.booleans()), draw(st.booleans())
    size = height * width * channels
    designs = draw(st.lists(st.binary(min_size=size, max_size=size), min_size=1, max_size=4))
    holes = draw(st.integers(0, rows * cols - 2))
    count = rows * cols - holes
    pixels = b"".join(draw(st.sampled_from(designs)) for _ in range(count))
    puzzle = Jigsaw(height, width, channels, 8, pixels, rows if framed else None, cols if framed else None, rotate)
    turn = st.sampled_from(puzzle.turns)

    def board(order: list[int]) -> Placement:
        return Placement.from_flat(order, [draw(turn) if piece != EMPTY else 0 for piece in order], cols)

    truth = board(draw(st.permutations([*range(count), *[EMPTY] * holes])))
    flat, turns = [*sum(truth.pieces, ())], [*sum(truth.turns, ())]
    match draw(st.sampled_from(["shifted", "shuffled", "turned", "swapped", "short"])):
        case "shifted":
            by = draw(st.integers(0, len(flat) - 1))
            return puzzle, truth, Placement.from_flat(flat[by:] + flat[:by], turns[by:] + turns[:by], cols)
        case "shuffled":
            return puzzle, truth, board(draw(st.permutations(flat)))
        case "turned":
            quarters = draw(turn)
            if framed and quarters % 2 and rows != cols:
                quarters = 2
            cells = turned_board(cells_of(truth), cols, quarters, rows)
            size_turned = (cols, rows) if quarters % 2 else (rows, cols)
            spread = [cells.get((r, c), (EMPTY, 0)) for r in range(size_turned[0]) for c in range(size_turned[1])]
            pieces, turns_ = zip(*spread, strict=True)
            return puzzle, truth, Placement.from_flat(pieces, turns_, size_turned[1])
        case "swapped":
            one, other = (draw(st.integers(0, len(flat) - 1)) for _ in range(2))
            flat[one], flat[other], turns[one], turns[other] = flat[other], flat[one], turns[other], turns[one]
            return puzzle, truth, Placement.from_flat(flat, turns, cols)
        case _:
            flat[draw(st.integers(0, len(flat) - 1))] = EMPTY
            return puzzle, truth, Placement.from_flat(flat, turns, cols)


@settings(max_examples=400, deadline=None)
@given(puzzles())
def test_the_slow_twin_finds_the_same(drawn: tuple[Jigsaw, Placement, Placement]) -> None:
    puzzle, truth, answer = drawn
    verdict = scores.judge(puzzle, answer, truth)
    assert verdict.valid
    direct, perfect = slow_direct(puzzle, answer, truth, by_content=False)
    direct_content, perfect_content = slow_direct(puzzle, answer, truth, by_content=True)
    slow = {
        "direct": direct, "neighbour": slow_neighbour(puzzle, answer, truth), "perfect": perfect,
        "direct_content": direct_content, "neighbour_content": slow_neighbour_content(puzzle, answer, truth),
        "perfect_content": perfect_content, "dissimilarity": slow_dissimilarity(puzzle, answer),
        "dissimilarity_original": slow_dissimilarity(puzzle, truth),
    }  # fmt: skip
    assert verdict.scores == pytest.approx(slow, rel=1e-5, abs=1e-9)
    assert verdict.solved == (perfect_content == 1)
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
    source = Path(scores.__file__).read_text()
    assert set(re.findall(r"from \.(\w+) import", source)) == {"puzzle"}
