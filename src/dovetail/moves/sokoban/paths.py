"""From pushes of a Sokoban level to the moves of its player: the walks between them."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...kernel import kernel
from .board import LETTERS, Board, Level
from .deadlocks import Scratch
from .reach import flood
from .slides import pushes


@kernel
def walk(near, occupied, start, to, ways, queue):
    """A shortest way, as directions from the end to the start in ``queue``; returns its length, -1 if there is none."""
    ways[:] = -1
    ways[start] = 4
    queue[0] = start
    length, at = 1, 0
    while at < length and ways[to] < 0:
        here = queue[at]
        at += 1
        for way in range(4):
            beside = near[here, way]
            if not occupied[beside] and ways[beside] < 0:
                ways[beside] = way
                queue[length] = beside
                length += 1
    if ways[to] < 0:
        return -1
    steps = 0
    while to != start:
        queue[steps] = ways[to]
        to = near[to, ways[to] ^ 2]
        steps += 1
    return steps


def written(level: Level, path: Iterable[int]) -> tuple[str, ...]:
    """The moves of a play: steps as small letters, pushes (4 * square of the box + direction) as capitals."""
    near, player = level.board.near, level.player
    occupied = np.zeros(len(near), np.uint8)
    occupied[[*level.boxes, len(near) - 1]] = 1
    ways, queue = np.empty(len(near), np.int32), np.empty(len(near), np.int32)
    letters: list[str] = []
    for push in path:
        box, way = push >> 2, push & 3
        steps = walk(near, occupied, player, near[box, way ^ 2], ways, queue)
        letters += [LETTERS[step] for step in queue[:steps][::-1]]
        letters.append(LETTERS[way].upper())
        occupied[box], occupied[near[box, way]] = 0, 1
        player = box
    return tuple(letters)


def single_pushes(board: Board, s: Scratch, boxes: Any, player: int, slides: Any) -> Iterator[int]:
    """Slides (from, to, area of the player after it) as pushes."""
    s.occupied[boxes] = 1
    for box, to, area in slides:
        s.stamp[0] += 1
        reached = int(s.stamp[0])
        flood(board.near, s.occupied, player, s.reached, reached, s.queue)
        count = pushes(board, s, box, reached, 0)
        at = next(i for i in range(count) if s.spots[i] >> 2 == to and s.areas[i] == area)
        found = []
        while at >= 0:
            square, way = s.spots[at] >> 2, s.spots[at] & 3
            found.append(4 * int(board.near[square, way ^ 2]) + int(way))
            at = s.before[at]
        yield from reversed(found)
        s.occupied[box], s.occupied[to] = 0, 1
        player = area
    s.occupied[: len(s.occupied) - 1] = 0
