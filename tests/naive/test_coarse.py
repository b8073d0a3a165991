"""Squares of a board as pieces of a coarser puzzle, against squares one looks at. Also run with the compiler off."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from dovetail.jigsaw import annealing, coarse, growing
from dovetail.jigsaw.boards import Chain
from dovetail.jigsaw.coarse import Coarse
from dovetail.jigsaw.kernels import seeded
from dovetail.jigsaw.poses import PERIOD, UNIT, VOID, Fits
from support import naive_assembly as naive
from support.naive_assembly import Laid, Odds
from support.naive_jigsaw import EAST, Cell

from .test_assembly import fits_of, laid_on, turns_of

ROWS, COLS = 9, 10  # of which the first row is the last of its squares, and the last two columns the first of theirs
SIZES = {(12, 12): (4, 4), (8, 8): (2, 2), (24, 20): (2, 4)}  # pieces, and the largest squares of lines of 16 pixels


def odds_of(pixels: tuple[int, int], turns: str, seed: int) -> Odds:
    """Many pairs of edges that weigh something; no two pieces look alike but two."""
    firsts = [*range(ROWS * COLS)]
    firsts[7] = 5
    odds = naive.random_odds(firsts, 1, turns_of(1, turns), 0.3, seed)
    return replace(odds, size=pixels[::-1], lines=(0, 0))


def boards_of(odds: Odds, turns: str, seed: int, holes: int = 0) -> tuple[Fits, list[Chain]]:
    """Two boards of pieces anywhere; lines of the grid lie left of the second column and above the second row."""
    fits, chance = fits_of(odds), np.random.default_rng(seed)
    table = growing.empty_table(ROWS, COLS, ROWS * COLS, 4, fits.edges.shape[1])
    grid, lines = table.board.reshape(-1, table.width), table.lines.reshape(-1, table.width, 2)
    poses = 4 * chance.permutation(ROWS * COLS) + chance.choice(turns_of(1, turns), ROWS * COLS)
    grid[1:-1, 1:-1] = poses.reshape(ROWS, COLS)
    for cell in chance.permutation(np.argwhere(grid >= 0))[:holes]:
        grid[tuple(cell)] = VOID
    for row, col in np.argwhere(grid >= 0):
        table.where[grid[row, col] // 4] = row * table.width + col
    table.box[:] = 1, ROWS, 1, COLS
    lines[:, :, 0] = (2 - np.arange(lines.shape[1])) * odds.size[0] % PERIOD
    lines[:, :, 1] = ((2 - np.arange(len(lines))) * odds.size[1] % PERIOD)[:, None]
    rooms = [annealing.blocks(len(table.board), ROWS * COLS) for _ in range(2)]
    states = [np.array([seeded(np.uint64(seed), number)], np.uint64) for number in range(2)]
    return fits, [Chain(table.copied(), room, state) for room, state in zip(rooms, states, strict=True)]


def squares_of(height: int, width: int) -> list[list[Cell]]:
    """The cells of every square, by rows; the first row and column are the ends of theirs."""
    rows = [[1], *(range(row, min(row + height, ROWS + 1)) for row in range(2, ROWS + 1, height))]
    cols = [[1], *(range(col, min(col + width, COLS + 1)) for col in range(2, COLS + 1, width))]
    return [[*itertools.product(down, across)] for down in rows for across in cols]


def as_one(odds: Odds, laid: Laid, cells: list[Cell], turn: int) -> Laid:
    """A square by itself, turned, its top left at row and column 0."""
    turned = naive.moved(odds, {cell: laid[cell] for cell in cells}, (False, turn))
    top, _, left, _ = naive.box_of(turned)
    return {(row - top, col - left): pose for (row, col), pose in turned.items()}


@pytest.mark.parametrize("turns", ["known", "upside down", "turned"])
@pytest.mark.parametrize("pixels", SIZES)
def test_a_side_weighs_what_its_seams_do(pixels: tuple[int, int], turns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two whole squares side by side, all ways round: the sum of all seams between them, if any is listed."""
    monkeypatch.setattr(coarse, "MOST", 200)
    height, width = SIZES[pixels]
    if turns == "turned" and height != width:
        return  # such pieces are turned upside down at most
    odds = odds_of(pixels, turns, 1)
    fits, chains = boards_of(odds, turns, 2)
    assert coarse.sizes(fits)[-1] == (height, width)
    cut = Coarse(fits, chains, (height, width), turns_of(1, turns))
    laid, _ = laid_on(chains[0].table, 4)
    squares = squares_of(height, width)
    assert len(squares) * 4 == len(cut.fits.edges)
    whole = [number for number, cells in enumerate(squares) if len(cells) == height * width]
    found = 0
    for one, other in itertools.permutations(whole, 2):
        for first, second in itertools.product(turns_of(1, turns), repeat=2):
            ours, theirs = as_one(odds, laid, squares[one], first), as_one(odds, laid, squares[other], second)
            right = 1 + max(col for _, col in ours)
            both = {**ours, **{(row, col + right): pose for (row, col), pose in theirs.items()}}
            pairs = [(ours[row, right - 1], both[row, right]) for row, col in ours if col == right - 1]
            listed = any(odds.pair(*pair, EAST) in odds.weights for pair in pairs)
            expected = sum(odds.seam(*pair, EAST) for pair in pairs) if listed else max(height, width) * odds.worst
            edge, facing = 4 * one + (first + EAST) % 4, 4 * other + (second + EAST + 2) % 4
            at = np.flatnonzero(cut.fits.edges[edge] == facing)
            assert len(at) == listed
            if listed:
                found += 1
                assert cut.fits.weights[edge, at[0]] == expected
    assert found > 5
    for row, weights in zip(cut.fits.edges, cut.fits.weights, strict=True):
        assert weights.tolist() == sorted(weights.tolist(), reverse=True)
        assert (weights[row == VOID] == cut.fits.worst).all()


@pytest.mark.parametrize("turns", ["known", "upside down", "turned"])
@pytest.mark.parametrize("pixels", SIZES)
def test_a_square_lies_as_its_pieces_do(pixels: tuple[int, int], turns: str) -> None:
    height, width = SIZES[pixels]
    if turns == "turned" and height != width:
        return
    odds = odds_of(pixels, turns, 3)
    fits, chains = boards_of(odds, turns, 4)
    cut = Coarse(fits, chains, (height, width), turns_of(1, turns))
    laid, _ = laid_on(chains[0].table, 4)
    for number, cells in enumerate(squares_of(height, width)):
        if len(cells) != height * width:
            continue
        for turn in turns_of(1, turns):
            one = as_one(odds, laid, cells, turn)
            assert cut.fits.lies[4 * number + turn].tolist() == [odds.told(one, axis) for axis in range(2)]
    # all of them where they lie: what their pieces weigh
    stands = sum(
        int(cut.fits.lies[4 * number, 0, 0] + cut.fits.lies[4 * number, 1, 0])
        for number, cells in enumerate(squares_of(height, width))
        if len(cells) == height * width
    )
    lying = replace(odds, lines=(2 * odds.size[0], 2 * odds.size[1]))
    inside = {cell for cells in squares_of(height, width) if len(cells) == height * width for cell in cells}
    assert stands == sum(lying.stands(laid[cell], cell) for cell in inside)


@pytest.mark.parametrize("turns", ["known", "turned"])
@pytest.mark.parametrize("holes", [0, 6])
def test_squares_change_places_as_a_whole(turns: str, holes: int) -> None:
    """Small ones, those with holes, and those that hold what is told stay; all others keep together."""
    odds = odds_of((8, 8), turns, 5)
    fits, chains = boards_of(odds, turns, 6, holes)
    told = 5 * chains[0].table.width + 5
    for chain in chains:
        chain.blocks.fixed[told] = True
    before, _ = laid_on(chains[0].table, 4)
    cut = Coarse(fits, chains, (2, 2), turns_of(1, turns))
    total = cut.total(1)
    change = cut.anneal(1, 3000, 40.0, 20.0)
    assert cut.total(1) == total + change and cut.total(0) == total
    assert coarse_laid(cut, chains[0], 0) == before
    after = coarse_laid(cut, chains[0], 1)
    assert sorted(pose // 4 for pose in after.values()) == sorted(pose // 4 for pose in before.values())
    squares, moved = squares_of(2, 2), 0
    movable = [
        cells for cells in squares if len(cells) == 4 and before.keys() >= {*cells} and divmod(told, 12) not in cells
    ]
    poses = {tuple(sorted(as_one(odds, before, cells, t).items())) for cells in movable for t in turns_of(1, turns)}
    for cells in squares:
        if cells in movable:
            assert tuple(sorted(as_one(odds, after, cells, 0).items())) in poses
            moved += any(after[cell] != before[cell] for cell in cells)
        else:
            assert all(after.get(cell) == before.get(cell) for cell in cells)
    assert moved > 4


def coarse_laid(cut: Coarse, chain: Chain, number: int) -> Laid:
    board, where = cut.laid(number)
    table = chain.table._replace(board=board, where=where)
    return laid_on(table, 4)[0]


def test_what_squares_gain_is_gained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all pairs are listed, a board of squares weighs less or more than another by as much as one of pieces."""
    odds = odds_of((8, 8), "known", 7)
    weights = dict(odds.weights)
    edges: NDArray[np.int64] = np.arange(4 * ROWS * COLS)
    for edge, other in itertools.product(edges.tolist(), repeat=2):
        if (edge % 4, other % 4) in ((1, 3), (2, 0)) and edge // 4 != other // 4:
            value = (edge * 37 + other * 91) % 500 - 250
            weights[odds.first(edge), odds.first(other)] = weights[odds.first(other), odds.first(edge)] = value
    odds = replace(odds, weights=weights)
    monkeypatch.setattr(coarse, "MOST", 200)
    fits, chains = boards_of(odds, "known", 8)
    cut = Coarse(fits, chains, (2, 2), (0,))
    lying = replace(odds, lines=(2 * odds.size[0], 2 * odds.size[1]))
    before, after = lying.total(coarse_laid(cut, chains[0], 0), []), 0
    change = cut.anneal(0, 2000, 500.0 / UNIT, 100.0 / UNIT)
    after = lying.total(coarse_laid(cut, chains[0], 0), [])
    assert after - before == change != 0
