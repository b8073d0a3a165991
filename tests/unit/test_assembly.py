"""Whole pictures put together: answers of every sort of puzzle are legal, the same on any number of threads, and right
where the pixels leave no doubt."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from dovetail.core.puzzle import EMPTY, Placement
from dovetail.core.solver import Budget, Clock, Outcome, Progress
from dovetail.jigsaw import candidates, lines
from dovetail.jigsaw.assembler import Assembler, Settings
from dovetail.jigsaw.assembly import Assembly
from dovetail.jigsaw.cutting import bagged, built_in, cut, listed, shuffled
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.poses import UNIT, VOID
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.jigsaw.scores import judge, misused
from dovetail.workers import Inline, workers
from support.jigsaws import assembled, finished, noise

STEPS = 20_000  # moves: enough to shake everything


def run(puzzle: Jigsaw, seed: int = 0, budget: Budget | None = None, **settings: Any) -> tuple[list[Progress], Outcome]:
    told: list[Progress] = []
    given = Settings(**{"effort": "fast", "workers": 1, **settings})
    work = Assembler().solve(puzzle, given, Clock(budget or Budget(steps=STEPS)), seed)
    while True:
        try:
            told.append(next(work))
        except StopIteration as ended:
            outcome: Outcome = ended.value
            return told, outcome


def answer(outcome: Outcome) -> Placement:
    assert isinstance(outcome.solution, Placement)
    return outcome.solution


def laid(placement: Placement) -> list[int]:
    return sorted(piece for row in placement.pieces for piece in row if piece != EMPTY)


def picture(name: str, rows: int, cols: int, size: int = 28, top: int = 0, left: int = 0) -> Pixels:
    """Part of a photograph in pieces, one face. [rows, cols, 1, size, size, channels]"""
    pixels = built_in(name)[top : top + rows * size, left : left + cols * size]
    return cut(pixels, size, size).reshape(rows, cols, 1, size, size, -1)


def with_back(front: Pixels, back: Pixels) -> Pixels:
    """What is behind the last column belongs to the first column of the picture on the back."""
    return np.concatenate([front, back[:, ::-1]], axis=2)


# every sort of puzzle, of pixels that say little


def flat(frame: tuple[int, int], size: int, **more: Any) -> Jigsaw:
    """All pieces the same."""
    return replace(noise(frame, (size, size), 1), pixels=bytes(3 * size * size) * (frame[0] * frame[1]), **more)


def two_faces(frame: tuple[int, int], piece: tuple[int, int], rotate: bool = False, **more: Any) -> Jigsaw:
    one = noise((frame[0] * frame[1], 2), piece, 3)
    return replace(listed(one.array.reshape(-1, 2, *piece, 3), frame, rotate), **more)


UNKNOWN: dict[str, Any] = {"rows": None, "cols": None}
PUZZLES: dict[str, Jigsaw] = {
    "framed": noise((4, 5), (6, 6), 1),
    "turned": replace(noise((3, 5), (6, 6), 1), rotate=True),
    "turned, high": replace(noise((7, 2), (6, 6), 1), rotate=True),
    "turned, a very long row": replace(noise((1, 40), (4, 4), 1), rotate=True),
    "wide pieces": noise((3, 4), (4, 7), 2),
    "high pieces, upside down": replace(noise((2, 5), (9, 3), 2), rotate=True),
    "two pieces side by side": noise((1, 2), (6, 6), 3),
    "two pieces, one above the other": replace(noise((2, 1), (6, 6), 3), rotate=True),
    "two pieces without a frame": replace(noise((1, 2), (6, 6), 3), **UNKNOWN),
    "a row": noise((1, 9), (5, 5), 4),
    "a column": noise((9, 1), (5, 5), 4),
    "a column without a frame": replace(noise((9, 1), (5, 5), 4), rotate=True, **UNKNOWN),
    "pieces of four pixels": replace(noise((3, 4), (2, 2), 5), rotate=True),
    "grey": noise((3, 4), (5, 5), 6, channels=1),
    "grey and alpha": noise((3, 4), (5, 5), 6, channels=2),
    "alpha": noise((3, 4), (5, 5), 6, channels=4),
    "16 bits": noise((3, 4), (5, 5), 6, depth=16),
    "all alike": flat((4, 4), 4),
    "all alike, turned": flat((3, 5), 4, rotate=True),
    "all alike, without a frame": flat((3, 4), 4, **UNKNOWN),
    "all alike, mixed": flat((3, 4), 4, mixed=True, **UNKNOWN),
    "some alike": noise((4, 5), (2, 2), 7, channels=1, levels=2),
    "lost pieces": replace(noise((3, 4), (6, 6), 8), rows=4, cols=5),
    "lost pieces, turned": replace(noise((3, 4), (6, 6), 8), rows=3, cols=7, rotate=True),
    "two pieces in a large frame": replace(noise((1, 2), (6, 6), 8), rows=5, cols=4),
    "without a frame": replace(noise((3, 4), (6, 6), 9), **UNKNOWN),
    "without a frame, turned": replace(noise((3, 4), (6, 6), 9), rotate=True, **UNKNOWN),
    "foreign": replace(noise((3, 4), (6, 6), 10), foreign=True),
    "foreign, in a small frame": replace(noise((3, 4), (6, 6), 10), rows=2, cols=3, foreign=True),
    "foreign, turned, in a small frame": replace(noise((3, 4), (6, 6), 10), rows=1, cols=5, foreign=True, rotate=True),
    "foreign, without a frame": replace(noise((3, 4), (6, 6), 10), foreign=True, **UNKNOWN),
    "foreign, in a frame of one": replace(noise((1, 2), (6, 6), 10), rows=1, cols=1, foreign=True),
    "mixed": replace(noise((3, 5), (6, 6), 11), mixed=True, **UNKNOWN),
    "mixed, foreign, turned": replace(noise((3, 5), (6, 6), 11), mixed=True, foreign=True, rotate=True, **UNKNOWN),
    "mixed, of two pieces": replace(noise((1, 2), (6, 6), 11), mixed=True, **UNKNOWN),
    "two faces": two_faces((3, 4), (6, 6)),
    "two faces, turned": two_faces((2, 5), (6, 6), rotate=True),
    "two faces, upside down": two_faces((3, 4), (4, 6), rotate=True),
    "two faces, two pieces": two_faces((1, 2), (6, 6)),
    "two faces, without a frame": two_faces((3, 4), (6, 6), rotate=True, **UNKNOWN),
    "two faces, mixed, foreign": two_faces((3, 4), (6, 6), foreign=True, mixed=True, **UNKNOWN),
    "two faces, lost pieces": two_faces((2, 4), (6, 6), rows=3, cols=4),
}
each_puzzle = pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)


@each_puzzle
def test_answers_are_legal(puzzle: Jigsaw) -> None:
    """On the way too; and complete, unless pieces may be foreign."""
    told, outcome = run(puzzle)
    boards = [(event.solution, event.best_name) for event in told if event.solution is not None]
    for board, name in [*boards, (answer(outcome), "")]:
        assert isinstance(board, Placement)
        assert misused(puzzle, board) == []
        pieces = laid(board)
        if name == "pieces joined":
            assert 0 < len(pieces) < puzzle.count
        elif not puzzle.foreign:
            assert pieces == list(range(puzzle.count))
        elif puzzle.rows is not None and puzzle.cols is not None:
            assert len(pieces) == min(puzzle.count, puzzle.rows * puzzle.cols)
        assert pieces
    assert boards
    assert judge(puzzle, answer(outcome), None).valid


@each_puzzle
def test_answers_depend_on_the_seed_and_not_on_threads(puzzle: Jigsaw) -> None:
    once, alone = run(puzzle, seed=3)
    again, together = run(puzzle, seed=3, workers=2)
    assert together == alone
    assert [event for event in again if event.unit == "moves" and event.solution] == [
        event for event in once if event.solution
    ]


def test_another_seed_gives_another_answer() -> None:
    """Of noise, where chance decides."""
    puzzle = noise((5, 6), (6, 6), 3)
    answers = {answer(run(puzzle, seed=seed)[1]).pieces for seed in range(4)}
    assert len(answers) > 1


@pytest.mark.parametrize("name", ["framed", "lost pieces", "foreign, in a small frame", "mixed", "two faces"])
@pytest.mark.parametrize("budget", [Budget(wall_s=0), Budget(steps=0), Budget(steps=1), Budget(steps=777)])
def test_it_ends_when_it_is_told(name: str, budget: Budget) -> None:
    _, outcome = run(PUZZLES[name], budget=budget, effort="best")
    assert outcome.status == "out_of_budget"
    assert misused(PUZZLES[name], answer(outcome)) == []
    assert outcome.counters["moves"] == (budget.steps or 0)


def test_candidates_do_not_depend_on_who_compares_what(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any number of threads, and any blocks of the matrices."""
    puzzle = PUZZLES["two faces, turned"]
    fits, means, *_ = finished(candidates.found(puzzle, Inline()))
    monkeypatch.setattr(candidates, "SLICE_EDGES", 7)
    monkeypatch.setattr(lines, "BLOCK_EDGES", 3)
    for threads in (1, 2, 9):
        with workers(None, threads) as pool:
            others, their_means, *_ = finished(candidates.found(puzzle, pool))
        for name, numbers in fits._asdict().items():
            assert np.array_equal(numbers, getattr(others, name)), name
        assert np.array_equal(means, their_means)


def test_the_share_that_is_done_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCK_EDGES", 7)
    for name, several in (("BLOCK_NUMBERS", 60), ("SLICE_EDGES", 7)):
        monkeypatch.setattr(candidates, name, several)
    shares = list(candidates.found(PUZZLES["framed"], Inline()))
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.1 and shares[-1] == pytest.approx(1)
    assert len(set(shares)) > 10


# boards


def assembly_of(puzzle: Jigsaw, chains: int = 2) -> Assembly:
    return Assembly(puzzle, *finished(candidates.found(puzzle, Inline()))[:2], seed=1, chains=chains)


@each_puzzle
def test_boards_are_annealed_saved_and_loaded(puzzle: Jigsaw) -> None:
    assembly = assembly_of(puzzle)
    begun = assembly.total()
    assert assembly.total(1) == begun, "all chains begin alike"
    saved, placement = assembly.save(), assembly.placement()
    change = assembly.anneal(1, 500, 50.0, 20.0)
    assert assembly.total(1) == begun + change
    assert assembly.total(0) == begun and assembly.placement() == placement, "chains share nothing"
    moved = assembly.save(1)
    pieces = laid(assembly.placement(moved[0]))
    if puzzle.foreign:  # a piece may have been laid in place of another
        assert len(set(pieces)) == len(pieces)
    else:
        assert pieces == laid(placement)
    assembly.load(moved)
    assert assembly.total(0) == assembly.total(1) == begun + change
    assert assembly.placement() == assembly.placement(moved[0])
    assembly.load(saved)
    assert assembly.total(1) == begun and assembly.placement() == placement
    told = assembly.progress(7, 3 * UNIT, saved)
    assert (told.steps, told.best, told.solution) == (7, 3, placement)
    assert 0 <= told.details["doubtful"] == assembly.doubtful <= puzzle.count


@pytest.mark.parametrize("name", ["framed", "turned", "two faces, turned", "lost pieces, turned", "mixed"])
def test_a_placement_shows_the_board(name: str) -> None:
    """What is beside a piece there is beside it here, and the total is that of the seams one sees, and of the holes."""
    puzzle = PUZZLES[name]
    assembly = assembly_of(puzzle, chains=1)
    placement, fits = assembly.placement(), assembly.fits
    cells = {
        (row, col): fits.span * piece + placement.turns[row][col]
        for row, pieces in enumerate(placement.pieces)
        for col, piece in enumerate(pieces)
        if piece != EMPTY
    }
    listed_weights = {
        (edge, int(other)): int(weight)
        for edge, row in enumerate(fits.edges)
        for other, weight in zip(row, fits.weights[edge], strict=True)
        if other != VOID
    }

    def edge(pose: int, side: int) -> int:
        return pose // 4 * 4 + (pose + side) % 4

    seams = sum(
        listed_weights.get((edge(pose, side), edge(cells[there], side + 2)), fits.worst)
        for (row, col), pose in cells.items()
        for side, there in ((1, (row, col + 1)), (2, (row + 1, col)))
        if there in cells
    )
    holes = 0
    if puzzle.rows is not None and puzzle.cols is not None:
        board = set(itertools.product(range(puzzle.rows), range(puzzle.cols)))
        steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
        holes = sum((row + down, col + right) in board - cells.keys() for row, col in cells for down, right in steps)
        assert assembly.total() == seams + holes * fits.hole
    else:
        assert len(cells) == puzzle.count


# pictures that leave no doubt


def right(puzzle: Jigsaw, truth: Placement) -> None:
    _, outcome = run(puzzle)
    verdict = judge(puzzle, answer(outcome), truth)
    assert verdict.valid and verdict.solved, verdict


CLEAR = picture("coffee", 5, 6, top=40, left=120)
OTHER = picture("chelsea", 5, 6, top=60, left=100)
THIRD = picture("astronaut", 4, 5, top=20, left=140)


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("frame", [False, True])
def test_a_picture_is_put_together(rotate: bool, frame: bool) -> None:
    right(*bagged([CLEAR], np.random.default_rng(1), rotate=rotate, frame=frame))


def test_steps_finer_than_8_bits_are_seen() -> None:
    """White but for less than a quarter of a step of 8 bits."""
    noise = gaussian_filter(np.random.default_rng(0).normal(0, 1, (96, 128, 3)), (5, 5, 0))
    shares = (noise - noise.min()) / np.ptp(noise)
    faint = cut((65535 - np.rint(60 * shares)).astype(np.uint16), 16, 16)
    right(*shuffled(faint, 6, 8, np.random.default_rng(1)))


def test_the_answer_shows_the_picture() -> None:
    """As it is or on its head: pixel by pixel."""
    puzzle, truth = bagged([CLEAR], np.random.default_rng(1), rotate=True)
    shown, original = (assembled(puzzle, board) for board in (answer(run(puzzle)[1]), truth))
    assert any(np.array_equal(np.rot90(shown, turn), original) for turn in range(4))


@pytest.mark.parametrize("rotate", [False, True])
def test_both_sides_are_put_together(rotate: bool) -> None:
    puzzle, truth = bagged([with_back(CLEAR, OTHER)], np.random.default_rng(2), rotate=rotate)
    right(puzzle, truth)


@pytest.mark.parametrize("rotate", [False, True])
def test_pictures_in_one_bag_are_told_apart(rotate: bool) -> None:
    right(*bagged([CLEAR, THIRD], np.random.default_rng(3), rotate=rotate))


@pytest.mark.parametrize("frame", [False, True])
def test_what_is_foreign_is_left_out(frame: bool) -> None:
    strange = THIRD.reshape(-1, *THIRD.shape[2:])[:4]
    puzzle, truth = bagged([CLEAR], np.random.default_rng(4), strange=strange, frame=frame)
    assert puzzle.count == 34
    right(puzzle, truth)


@pytest.mark.parametrize("frame", [False, True])
def test_holes_stay_holes(frame: bool) -> None:
    right(*bagged([CLEAR], np.random.default_rng(5), missing=0.1, frame=frame))


def test_warming_up_leaves_nothing_to_compile() -> None:
    from dovetail.jigsaw import annealing, coarse, comparing, grid, growing, joining, poses

    Assembler().warm_up(PUZZLES["framed"], Settings(effort="fast", workers=1))
    kernels = [
        grid.steps,
        grid.agreement,
        comparing.judge,
        growing.fill,
        joining.agglomerate,
        annealing.anneal,
        coarse.sides,
        coarse.lying,
        poses.total,
    ]
    before = [len(kernel.signatures) for kernel in kernels]
    for name in ("turned", "mixed", "two faces", "foreign, without a frame"):
        run(PUZZLES[name])
    assert [len(kernel.signatures) for kernel in kernels] == before != [0] * len(kernels)
