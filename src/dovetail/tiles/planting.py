"""Corner-arrow boards that fit, for the generator."""

from typing import cast

import numpy as np

from ..core.errors import BadUsage
from .corners import CLASSES, Candidates, codes_of, layout, place, rotations
from .engine import CornerSearch
from .terracotta import Tile

SPARSE = 60  # up to here shuffled tiles alone find a board at once; above, scarce tiles must go first


def plant(rows: int, cols: int, repeats: bool, seed: int) -> tuple[tuple[Tile, ...], list[int], list[int]]:
    """Tiles in random order and orientation, and the pieces and turns that lay them as planted."""
    rng = np.random.default_rng([seed, rows, cols])
    if repeats:
        arrows = rng.integers(0, 4, (rows + 1, cols + 1))
        corners = (arrows[:-1, :-1], arrows[:-1, 1:], arrows[1:, :-1], arrows[1:, 1:])
        board = codes_of(np.stack(corners, axis=-1))
    else:
        plan, stock = layout(rows, cols, by_columns=rows < cols), np.ones(CLASSES, dtype=np.uint16)
        choices = Candidates(stock, plan.masks, scarce_first=rows * cols > SPARSE)
        search = CornerSearch(plan, stock, choices, restart=100_000, seeds=(seed, 0))
        while not search.full:
            search.advance(1_000_000)
            if search.exhausted:
                raise BadUsage(f"there is no {rows}x{cols} board without repeats")
        board = search.best_board()
    table = rotations()
    codes = board[rng.permutation(len(board))]
    for _ in range(3):
        codes = np.where(rng.random(len(codes)) < 0.5, table.turn[codes], codes)
    pieces, turns = place(codes, board)
    tiles = [cast(Tile, tuple(int(code) >> shift & 3 for shift in (6, 4, 2, 0))) for code in codes]
    return tuple(tiles), pieces.tolist(), turns.tolist()
