"""Islands onto a board, lines of the grid through it, and which part of it is in use."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .growing import Table
from .joining import Islands
from .poses import PERIOD, WALL, Fits


def regions(grid: NDArray[np.int32]) -> list[tuple[int, int]]:
    """First and last column of each part between walls that run through, if anything lies there."""
    walls = [-1, *np.flatnonzero((grid == WALL).all(axis=0)).tolist(), grid.shape[1]]
    return [(a + 1, b) for a, b in pairwise(walls) if (grid[:, a + 1 : b] >= 0).any()]


def lay(
    table: Table, fits: Fits, islands: Islands, island: int, row: int, col: int, columns: slice = slice(None)
) -> None:
    """An island onto the board, its top left corner there, and lines of the grid as they lie in it through columns."""
    members = np.flatnonzero(islands.of == island)
    box = islands.box[island]
    across, down = islands.lines[island].argmax(axis=1)
    rule(table, fits, across + fits.width * (col - box[2]), down + fits.height * (row - box[0]), columns)
    rows, cols = islands.row[members] - box[0] + row, islands.col[members] - box[2] + col
    cells = rows * table.width + cols
    table.board[cells], table.where[members] = islands.pose[members], cells
    top, bottom, left, right = table.box
    table.box[:] = min(top, rows.min()), max(bottom, rows.max()), min(left, cols.min()), max(right, cols.max())


def rule(table: Table, fits: Fits, across: int, down: int, columns: slice = slice(None)) -> None:
    """Lines of the grid through some columns of the board; so far from its left and top lie the first ones."""
    lines = table.lines.reshape(-1, table.width, 2)
    lines[:, columns, 0] = (across - fits.width * np.arange(table.width)[columns]) % PERIOD
    lines[:, columns, 1] = ((down - fits.height * np.arange(len(lines))) % PERIOD)[:, None]


def rule_anew(table: Table, fits: Fits) -> None:
    """Lines of the grid where all that lies on a board speaks for them."""
    if len(fits.lies):
        cells = np.flatnonzero(table.board >= 0)
        places = np.stack([fits.width * (cells % table.width), fits.height * (cells // table.width)], axis=1)
        turned = (np.arange(PERIOD) - places[..., None]) % PERIOD
        across, down = np.take_along_axis(fits.lies[table.board[cells]], turned, axis=2).sum(axis=0).argmax(axis=1)
        rule(table, fits, int(across), int(down))


def bulk(laid: NDArray[np.bool_], least: float) -> tuple[int, int, int, int]:
    """Top, bottom, left and right of what lies, without outermost lines that hold less than a share of their cells."""
    rows, cols = np.flatnonzero(laid.any(axis=1)), np.flatnonzero(laid.any(axis=0))
    top, bottom, left, right = int(rows[0]), int(rows[-1]), int(cols[0]), int(cols[-1])
    while bottom > top and right > left:
        part = laid[top : bottom + 1, left : right + 1]
        shares = part[0].mean(), part[-1].mean(), part[:, 0].mean(), part[:, -1].mean()
        worst = int(np.argmin(shares))
        if shares[worst] >= least:
            break
        top, bottom, left, right = top + (worst == 0), bottom - (worst == 1), left + (worst == 2), right - (worst == 3)
    return top, bottom, left, right


def trimmed(grid: NDArray[np.int32]) -> NDArray[np.int32]:
    """Without empty lines around it."""
    rows, cols = np.flatnonzero((grid >= 0).any(axis=1)), np.flatnonzero((grid >= 0).any(axis=0))
    return grid[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
