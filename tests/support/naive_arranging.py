"""Boards of patches by brute force: the score of a board cell by cell, and every board there is."""

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from dovetail.jigsaw.deep.tables import Tables

EMPTY = -1


def random_tables(rows: int, cols: int, missing: int = 0, seed: int = 0, sharp: float = 2.0) -> Tables:
    chance, cells = np.random.default_rng(seed), rows * cols
    count = cells - missing
    right, down, place = (chance.normal(0, sharp, (count, other)) for other in (count, count, cells))
    return Tables(right.astype(np.float32), down.astype(np.float32), place.astype(np.float32))


def score(tables: Tables, board: Sequence[int], cols: int, blanks: bool = False) -> float:
    """Of a board; with ``blanks`` a seam at an empty cell scores as one with any patch does on average."""
    total = 0.0
    for cell, patch in enumerate(board):
        if patch != EMPTY:
            total += float(tables.place[patch, cell])
        if (cell + 1) % cols:
            total += seam(tables.right.tolist(), patch, board[cell + 1], blanks)
        if cell + cols < len(board):
            total += seam(tables.down.tolist(), patch, board[cell + cols], blanks)
    return total


def seam(table: list[list[float]], one: int, other: int, blanks: bool) -> float:
    patches = range(len(table))
    if one != EMPTY and other != EMPTY:
        return table[one][other]
    if not blanks or len(table) < 2:
        return 0.0
    if one == EMPTY and other == EMPTY:
        return sum(seam(table, patch, EMPTY, blanks) for patch in patches) / len(table)
    if other == EMPTY:
        scores = [table[one][patch] for patch in patches if patch != one]
    else:
        scores = [table[patch][other] for patch in patches if patch != other]
    return sum(scores) / len(scores)


def boards(count: int, cells: int, hints: Mapping[int, int] | None = None) -> Iterator[tuple[int, ...]]:
    """Every way to lay all patches, hints where they belong."""
    for where in itertools.permutations(range(cells), count):
        if all(where[patch] == cell for patch, cell in (hints or {}).items()):
            board = [EMPTY] * cells
            for patch, cell in enumerate(where):
                board[cell] = patch
            yield tuple(board)
