"""The kernels that arrange patches against slow twins. Also run with the compiler off (make test)."""

import math

import numpy as np
import pytest

from dovetail.jigsaw.deep import kernels
from dovetail.jigsaw.deep.arranging import best_board
from dovetail.jigsaw.deep.kernels import GUIDED
from dovetail.jigsaw.deep.layout import Layout
from support import naive_arranging as naive
from support.naive_arranging import random_tables

ALWAYS = 1e15  # so hot that every move is accepted


@pytest.mark.parametrize("temper", [1.0, 0.2])
@pytest.mark.parametrize(
    ("rows", "cols", "missing", "hints"),
    [(2, 3, 0, {}), (1, 5, 0, {}), (2, 2, 1, {}), (2, 3, 2, {0: 4}), (3, 2, 0, {5: 0, 2: 3}), (2, 1, 1, {})],
)
def test_all_boards(rows: int, cols: int, missing: int, hints: dict[int, int], temper: float) -> None:
    """The best board, by how much the next one scores less, and how probable every patch is where it lies."""
    tables = random_tables(rows, cols, missing, seed=rows + cols)
    every = {
        board: naive.score(tables, board, cols, blanks=True) for board in naive.boards(tables.count, rows * cols, hints)
    }
    best = max(every, key=lambda board: every[board])
    found = best_board(tables, rows, cols, hints, temper=temper)
    assert found.proved and found.finished
    assert tuple(found.board.tolist()) == best
    assert found.score == pytest.approx(naive.score(tables, best, cols), abs=1e-4)
    unlike = {board: sum(a != b for a, b in zip(board, best, strict=True)) for board in every}
    others = [every[board] for board in every if unlike[board] >= 2]
    assert found.margin == pytest.approx(every[best] - max(others), abs=1e-4)
    weights = {board: math.exp(temper * (score - every[best])) for board, score in every.items()}
    assert found.sure is not None
    for patch in range(tables.count):
        share = sum(weight for board, weight in weights.items() if board.index(patch) == best.index(patch))
        assert found.sure[patch] == pytest.approx(share / sum(weights.values()), abs=1e-4)


@pytest.mark.parametrize(
    ("rows", "cols", "missing", "hints"), [(3, 4, 0, {}), (4, 3, 3, {1: 5}), (1, 7, 0, {}), (5, 5, 0, {})]
)
def test_moves_change_the_score_by_what_they_say(rows: int, cols: int, missing: int, hints: dict[int, int]) -> None:
    """All sorts of moves, hot and cool: the board stays a board, hints stay, and the changes add up."""
    tables = random_tables(rows, cols, missing)
    layout = Layout(tables, rows, cols, hints, seed=1)
    layout.scatter()
    made = 0
    for heat in (ALWAYS, 1.0):
        for _ in range(400):
            before = layout.shown(layout.board).tolist()
            change = kernels.moved(layout.seats, layout.board, layout.where, layout.room, GUIDED, heat, layout.state)
            after = layout.shown(layout.board).tolist()
            made += before != after
            gain = naive.score(tables, after, cols, True) - naive.score(tables, before, cols, True)
            assert change == pytest.approx(gain, abs=1e-3)
    assert made > 100
    assert sorted(layout.board.tolist()) == list(range(layout.cells + 1))
    assert all(layout.board[cell] == patch for patch, cell in hints.items())
    assert (layout.where[layout.board] == np.arange(layout.cells + 1)).all()
    assert not layout.room.mark.any()


def test_every_sort_of_move_is_made() -> None:
    """Two patches, two rectangles, a strip: told apart by which cells change."""
    layout = Layout(random_tables(4, 4), 4, 4, {}, seed=2)
    sizes = set()
    for _ in range(600):
        before = layout.board.copy()
        kernels.moved(layout.seats, layout.board, layout.where, layout.room, GUIDED, ALWAYS, layout.state)
        sizes.add(int((before != layout.board).sum()))
    assert {2, 3, 4, 8, 12, 16} <= sizes


def test_what_is_annealed_is_kept_at_its_best() -> None:
    tables = random_tables(2, 3, seed=5)
    layout = Layout(tables, 2, 3, {}, seed=3)
    layout.scatter()
    first = layout.total(layout.board)
    gain = kernels.anneal(
        layout.seats, layout.board, layout.where, layout.room, layout.kept, 1500, 3.0, 0.3, layout.state
    )
    assert layout.total(layout.kept) == pytest.approx(first + gain, abs=1e-3)
    assert layout.total(layout.kept) >= max(first, layout.total(layout.board)) - 1e-3
    assert layout.total(layout.kept) == pytest.approx(best_board(tables, 2, 3).score, abs=1e-3)


def test_samples_are_as_probable_as_they_are() -> None:
    """Drawn at heat 1, patches lie where they lie as often as all boards together say."""
    tables = random_tables(2, 3, seed=1, sharp=0.7)
    exact = best_board(tables, 2, 3)
    layout = Layout(tables, 2, 3, {}, seed=4)
    seen = np.zeros((6, 6), np.int64)
    kernels.sampled(layout.seats, layout.board, layout.where, layout.room, 1500, 16, seen, layout.state)
    assert exact.sure is not None
    drawn = seen[exact.board, np.arange(6)] / 1500
    assert np.abs(drawn - exact.sure[exact.board]).max() < 0.05
    assert (seen.sum(axis=0) == 1500).all()
