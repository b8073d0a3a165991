"""A generator of flood boards: colours at random, and a greedy player of its own, without moves that can be spared."""

import random
from collections.abc import Sequence

from ...core.puzzle import Moves
from ..kind import IllegalMove
from .flood import Flood, FloodPlay, Making


def made(settings: Making, seed: int) -> tuple[Flood, Moves]:
    """A board that is not flooded to begin with, and a play that floods it."""
    rng = random.Random(f"flood {seed}")
    rows, cols, colours = settings.height, settings.width, settings.colours
    while True:
        cells = tuple(rng.randrange(colours) for _ in range(rows * cols))
        if len(set(cells)) > 1:
            break
    play = _spared(Flood(rows, cols, cells, colours), _greedy(Flood(rows, cols, cells, colours)))
    most = len(play) + settings.leniency
    return Flood(rows, cols, cells, colours, most), Moves(tuple(map(str, play)))


def _greedy(puzzle: Flood) -> list[int]:
    """Each move the colour that leaves the nearest rest of the board, seen from the corner."""
    play, path = FloodPlay(puzzle), list[int]()
    while not play.flooded:
        best = min((_distances(puzzle, play, colour), colour) for colour in {*play.cells} - {play.cells[0]})[1]
        play.make(str(best))
        path.append(best)
    return path


def _distances(puzzle: Flood, play: FloodPlay, colour: int) -> int:
    """After a move: the changes of colour on the way to each cell, all together."""
    rows, cols = puzzle.rows, puzzle.cols
    cells = [colour if cell in play.area else found for cell, found in enumerate(play.cells)]
    near, total, distance = [*play.area], 0, 0
    seen = set(near)
    while near:
        # all of the same distance, then what lies beyond
        total += distance * len(near)
        beyond: list[int] = []
        while near:
            cell = near.pop()
            row, col = divmod(cell, cols)
            for r, c in ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)):
                other = r * cols + c
                if 0 <= r < rows and 0 <= c < cols and other not in seen:
                    if cells[other] == cells[cell]:
                        seen.add(other)
                        near.append(other)
                        total += distance
                    else:
                        beyond.append(other)
        near = [cell for cell in dict.fromkeys(beyond) if cell not in seen]
        seen.update(near)
        distance += 1
    return total


def _spared(puzzle: Flood, path: Sequence[int]) -> list[int]:
    """The play without moves that it can do without, one by one from its end."""
    kept = [*path]
    place = len(kept)
    while place:
        place -= 1
        shorter = kept[:place] + kept[place + 1 :]
        if _floods(puzzle, shorter):
            kept, place = shorter, len(shorter)
    return kept


def _floods(puzzle: Flood, path: Sequence[int]) -> bool:
    play = FloodPlay(puzzle)
    try:
        for colour in path:
            play.make(str(colour))
    except IllegalMove:  # a colour twice in a row, or a move after the last one needed
        return False
    return play.flooded
