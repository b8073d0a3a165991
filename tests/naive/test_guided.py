"""Slow, obvious twins of the kernels of linear-guided. Also run with the compiler off."""

import itertools
from collections import Counter
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dovetail.tiles import guided_kernels
from dovetail.tiles.guided_search import DAMPING, bits
from dovetail.tiles.kernels import EXHAUSTED, FULL, PAUSED
from dovetail.tiles.oriented import Oriented, oriented
from dovetail.tiles.puzzle import EQUAL, SIGNED, Tiles
from support.naive_tiles import FRAMES, by_rows, dealt, tree

RULES = list(itertools.product((True, False), (EQUAL, SIGNED), FRAMES))
each_rule = pytest.mark.parametrize(("rotate", "match", "frame"), RULES)


@dataclass
class Arrays:
    """A puzzle as the kernels are given it."""

    tiles: Oriented
    board: NDArray[np.int64]
    left: NDArray[np.int64]

    def __post_init__(self) -> None:
        tiles = self.tiles
        self.fits = np.array([tiles.fits(cell) for cell in range(tiles.cells)])
        near = [tiles.neighbour(cell, side) for cell in range(tiles.cells) for side in range(4)]
        self.beyond = np.array([-1 if other is None else other for other in near])
        self.rules = (self.beyond, tiles.sides, tiles.class_of)

    def narrowed(self) -> tuple[bool, NDArray[np.int64], NDArray[np.int64]]:
        """Whether there is no contradiction, and the candidates."""
        first = np.concatenate([[0], np.cumsum(self.fits.sum(axis=1))])
        fitting = np.nonzero(self.fits)[1]
        start, tile = np.zeros(len(self.board) + 1, dtype=np.int64), np.empty(len(fitting), dtype=np.int64)
        fine = guided_kernels.narrow(self.board, self.left, *self.rules, first, fitting, start, tile)
        return bool(fine), start, tile[: start[-1]]

    def finished(self, limit: int, best: NDArray[np.int64]) -> tuple[int, int]:
        """Why the search ended, and its placements."""
        tiles = self.tiles
        showing = np.array([tiles.sides[:, side] == value for side in range(4) for value in range(tiles.colours)])
        members = np.array([tiles.class_of == kind for kind in range(len(tiles.stock))])
        sets = (bits(self.fits), bits(showing), bits(members))
        why, made = guided_kernels.finish(self.board, self.left, *self.rules, *sets, limit, best)
        return int(why), int(made)


def arrays(puzzle: Tiles) -> Arrays:
    tiles = oriented(puzzle)
    return Arrays(tiles, np.full(tiles.cells, -1), tiles.stock.copy())


def spoilt(puzzle: Tiles, seed: int) -> Tiles:
    """Every other puzzle with one side painted over, so that often nothing fits."""
    if seed % 2:
        return puzzle
    n, e, s, w = puzzle.tiles[0]
    return Tiles(
        puzzle.rows, puzzle.cols, ((n, e, s, w + 1), *puzzle.tiles[1:]), puzzle.rotate, puzzle.match, puzzle.frame
    )


def candidates(given: Arrays) -> dict[int, list[int]]:
    """What each open cell can still hold."""
    tiles = given.tiles
    found: dict[int, list[int]] = {}
    for cell in np.flatnonzero(given.board < 0).tolist():
        found[cell] = [
            tile
            for tile in np.flatnonzero(given.fits[cell]).tolist()
            if given.left[tiles.class_of[tile]]
            and all(
                tiles.sides[given.board[other], (side + 2) % 4] == tiles.sides[tile, side]
                for side in range(4)
                if (other := tiles.neighbour(cell, side)) is not None and given.board[other] >= 0
            )
        ]
    return found


def naive_narrow(given: Arrays) -> bool:
    """Lay one tile that has no choice, look again."""
    tiles = given.tiles
    while True:
        options = candidates(given)
        places = Counter(tiles.class_of[tile] for found in options.values() for tile in found)
        if not all(options.values()) or any(places[k] < n for k, n in enumerate(given.left)):
            return False
        forced = [(cell, found[0]) for cell, found in options.items() if len(found) == 1]
        forced += [
            (cell, tile)
            for cell, found in options.items()
            for tile in found
            if places[tiles.class_of[tile]] == given.left[tiles.class_of[tile]] == 1
        ]
        if not forced:
            return True
        cell, tile = forced[0]
        given.board[cell] = tile
        given.left[tiles.class_of[tile]] -= 1


@each_rule
def test_narrow_lays_what_has_no_choice(rotate: bool, match: str, frame: str) -> None:
    fine = []
    for seed in range(12):
        puzzle = spoilt(dealt(3, 3, seed, rotate, match, frame, colours=5), seed)
        given, twin = arrays(puzzle), arrays(puzzle)
        ended, start, tile = given.narrowed()
        assert ended == naive_narrow(twin)
        fine.append(ended)
        if ended:
            assert given.board.tolist() == twin.board.tolist()
            assert given.left.tolist() == twin.left.tolist()
            lists = {cell: tile[start[cell] : start[cell + 1]].tolist() for cell in np.flatnonzero(given.board < 0)}
            assert lists == candidates(twin)
    assert any(fine)


@each_rule
def test_finish_finds_a_board_where_there_is_one(rotate: bool, match: str, frame: str) -> None:
    for seed in range(6):
        puzzle = spoilt(dealt(2, 3, seed, rotate, match, frame, colours=4), seed)
        given = arrays(puzzle)
        best = np.full(6, -1)
        why, made = given.finished(10**6, best)
        solvable = bool(tree(puzzle, by_rows(puzzle)).boards)
        assert why == (FULL if solvable else EXHAUSTED)
        assert (best >= 0).all() == solvable
        if solvable:
            tiles = given.tiles
            assert np.bincount(tiles.class_of[best], minlength=len(tiles.stock)).tolist() == tiles.stock.tolist()
            assert not candidates(Arrays(tiles, best, given.left))
        if made > 1:
            assert arrays(puzzle).finished(made - 1, np.full(6, -1)) == (PAUSED, made - 1)


def naive_marginals(given: Arrays, options: dict[int, list[int]], sweeps: int) -> dict[tuple[int, int], float]:
    """Sum-product, message by message, on the factors that the rows of the linear program are.

    A factor a cell: it holds one candidate; a factor a tile, alike ones apart: it lies on one cell.
    """
    tiles = given.tiles
    alike = {(cell, tile): int(given.left[tiles.class_of[tile]]) for cell, found in options.items() for tile in found}
    colour: dict[tuple[int, int, int], float] = {
        (cell, side, value): 1.0 for cell in options for side in range(4) for value in range(tiles.colours)
    }
    weight = dict.fromkeys(alike, 1.0)
    chance: dict[tuple[int, int], float] = {}
    for _ in range(sweeps):

        def likely(cell: int, tile: int, but: int = -1) -> float:
            return prod(colour[cell, side, int(tiles.sides[tile, side])] for side in range(4) if side != but)

        new: dict[tuple[int, int, int], float] = {}
        odds: dict[tuple[int, int], float] = {}
        for cell, found in options.items():
            whole = sum(alike[cell, t] * weight[cell, t] * likely(cell, t) for t in found)
            for t in found:
                one = weight[cell, t] * likely(cell, t)
                chance[cell, t] = alike[cell, t] * one / whole
                odds[cell, t] = likely(cell, t) / (whole - one)
            for side in range(4):
                other = tiles.neighbour(cell, side)
                if other not in options:
                    continue
                told = [
                    sum(
                        alike[cell, t] * weight[cell, t] * likely(cell, t, side)
                        for t in found
                        if tiles.sides[t, side] == value
                    )
                    for value in range(tiles.colours)
                ]
                for value in range(tiles.colours):
                    new[other, (side + 2) % 4, value] = told[value] / sum(told)
        for cell, t in weight:
            kind = tiles.class_of[t]
            others = sum(odds[key] for key in odds if tiles.class_of[key[1]] == kind) - odds[cell, t]
            weight[cell, t] = DAMPING * weight[cell, t] + (1 - DAMPING) / others
        for key in colour:
            colour[key] = DAMPING * colour[key] + (1 - DAMPING) * new.get(key, 1.0)
    return chance


def marginals(given: Arrays, sweeps: int, settled: float) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]:
    fine, start, tile = given.narrowed()
    assert fine
    seen, share = np.ones((4 * given.tiles.cells, given.tiles.colours)), np.zeros(len(tile))
    state = (start, tile, seen, np.ones(len(tile)), share)
    made = guided_kernels.marginals(*given.rules, given.left.astype(float), *state, sweeps, DAMPING, settled)
    return start, tile, share, int(made)


@each_rule
@pytest.mark.parametrize("sweeps", [1, 4])
def test_marginals_are_sum_product(rotate: bool, match: str, frame: str, sweeps: int) -> None:
    compared = 0
    for seed in range(2):
        given = arrays(dealt(4, 4 if rotate else 7, seed, rotate, match, frame, colours=1 if match == SIGNED else 2))
        start, tile, share, made = marginals(given, sweeps, 0.0)
        assert made == sweeps
        chance = naive_marginals(given, candidates(given), sweeps)
        assert len(chance) == len(share)
        for cell in range(given.tiles.cells):
            for v in range(start[cell], start[cell + 1]):
                assert share[v] == pytest.approx(chance[cell, tile[v]], abs=1e-6)
                compared += 1
    assert compared


@pytest.mark.parametrize("seed", range(5))
def test_settled_marginals_satisfy_the_linear_program(seed: int) -> None:
    given = arrays(dealt(5, 5, seed, False, EQUAL, "coloured", colours=2))
    start, tile, share, made = marginals(given, 5000, 1e-10)
    assert made < 5000
    tiles = given.tiles
    cell_of = np.repeat(np.arange(25), np.diff(start))
    assert np.bincount(cell_of, share)[np.diff(start) > 0] == pytest.approx(1)
    assert np.bincount(tiles.class_of[tile], share, len(given.left)) == pytest.approx(given.left)
    for cell, side in itertools.product(range(25), (1, 2)):
        other = tiles.neighbour(cell, side)
        if other is not None and given.board[cell] < 0 and given.board[other] < 0:
            here, there = (
                np.bincount(tiles.sides[tile[cell_of == at], s], share[cell_of == at], tiles.colours)
                for at, s in ((cell, side), (other, (side + 2) % 4))
            )
            assert here == pytest.approx(there, abs=1e-6)
