"""New trays: random slides from the goal, and the way back."""

import random

from ...core.puzzle import Moves
from .fifteen import GAP, Fifteen, Making


def made(settings: Making, seed: int) -> tuple[Fifteen, Moves]:
    """Detours are cut out of the way back: it never comes to the same position twice."""
    rng = random.Random(f"fifteen {seed}")
    rows, cols = settings.height, settings.width
    tiles = list(Fifteen(rows, cols, tuple(range(rows * cols)), settings.blank == "first").goal)
    way: list[int] = []  # the tiles that slid, from the goal
    step = {tuple(tiles): 0}  # position → slides to it along the way
    slides, last = 0, GAP
    while slides < settings.shuffle or not way:
        gap = tiles.index(GAP)
        tile = rng.choice([tiles[index] for index in _beside(gap, rows, cols) if tiles[index] != last])
        at = tiles.index(tile)
        tiles[gap], tiles[at], last = tile, GAP, tile
        slides += 1
        way.append(tile)
        if (seen := step.get(tuple(tiles))) is not None:
            step = {position: number for position, number in step.items() if number <= seen}
            del way[seen:]
        step[tuple(tiles)] = len(way)
    return Fifteen(rows, cols, tuple(tiles), settings.blank == "first"), Moves(tuple(str(tile) for tile in way[::-1]))


def _beside(index: int, rows: int, cols: int) -> list[int]:
    row, col = divmod(index, cols)
    near = ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col))
    return [r * cols + c for r, c in near if 0 <= r < rows and 0 <= c < cols]
