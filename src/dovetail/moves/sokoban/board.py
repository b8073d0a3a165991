"""A Sokoban level as flat tables: which squares touch, where a box is lost, how far it is from every goal.

Squares are the cells the player could come to without boxes, numbered in reading order; one more number, the last, is
every wall. Directions are 0 left, 1 up, 2 right, 3 down; ``d ^ 2`` is the other way.

A single box cuts the room in parts: where the player is among the (up to four) neighbours of a box, its *side*, never
changes before that box is pushed, whatever the other boxes do. Distances are kept by side, and so are exact for a
level with one box, and a lower bound with many.
"""

from collections import namedtuple
from typing import Any

import numpy as np

from ..games.sokoban import Sokoban
from .reach import FAR, cut_all, pulls

LETTERS = "lurd"

# near [squares + 1, 4]: what lies in each direction. goal, dead [squares + 1]: dead: a box here never reaches a goal.
# lost [squares + 1, 4]: the same of a box just pushed in this direction. goals [goals]. side [squares + 1, 4]: the side
# of a box that a neighbour belongs to, named by its first direction. sides [squares + 1, squares]: the side of a box
# here that the player there is on. distance [squares + 1, 4, goals]: in pushes, by side. gate [squares + 1]: a box here
# cuts the room in two. box_key, player_key [squares + 1]: Zobrist's words.
Board = namedtuple(
    "Board", ["near", "goal", "dead", "lost", "goals", "side", "sides", "distance", "gate", "box_key", "player_key"]
)


class Level:
    """A puzzle with its board, and the way between cells and squares."""

    def __init__(self, puzzle: Sokoban) -> None:
        self.puzzle = puzzle
        cells = sorted(puzzle.inside)
        self.cells = cells
        self.square = {cell: number for number, cell in enumerate(cells)}
        boxes, goals = puzzle.cells("$", "*"), puzzle.cells(".", "*", "+")
        self.boxes = [self.square[cell] for cell in boxes if cell in self.square]
        self.player = self.square[puzzle.cells("@", "+")[0]]
        # what the player can never come near stays as it is
        outside = [cell for cell in boxes if cell not in self.square]
        self.hopeless = any(cell not in goals for cell in outside)
        inner = [self.square[cell] for cell in goals if cell in self.square]
        self.hopeless |= len(inner) != len(self.boxes)
        self.board = board(self._near(), np.array(inner, np.int32))

    def _near(self) -> Any:
        wall = len(self.cells)
        near = np.full((wall + 1, 4), wall, np.int32)
        for (row, col), number in self.square.items():
            for way, cell in enumerate(((row, col - 1), (row - 1, col), (row, col + 1), (row + 1, col))):
                near[number, way] = self.square.get(cell, wall)
        return near


def board(near: Any, goals: Any) -> Board:
    """All tables of a level."""
    wall = len(near) - 1
    goal = np.zeros(wall + 1, np.uint8)
    goal[goals] = 1
    side = np.zeros((wall + 1, 4), np.uint8)
    sides = np.zeros((wall + 1, wall), np.uint8)
    cut_all(near, side, sides)
    distance = np.full((wall + 1, 4, len(goals)), FAR, np.int32)
    blocked = np.zeros(wall + 1, np.uint8)
    blocked[wall] = 1
    for number, square in enumerate(goals.tolist()):
        pulls(near, blocked, side, square, distance[:, :, number])
    dead = (distance.min(axis=(1, 2), initial=FAR) >= FAR).astype(np.uint8)
    nearest = distance.min(axis=2, initial=FAR)
    behind = side[:, [2, 3, 0, 1]]  # the side from which a box was pushed
    lost = (np.take_along_axis(nearest, behind.astype(np.int64), axis=1) >= FAR).astype(np.uint8)
    gate = np.array([len(set(side[square, near[square] != wall].tolist())) > 1 for square in range(wall + 1)], np.uint8)
    rng = np.random.default_rng(0x50C0BA)  # of the same level the same run, always
    keys = rng.integers(1, 2**63, size=(2, wall + 1), dtype=np.uint64)
    return Board(near, goal, dead, lost, goals, side, sides, distance, gate, keys[0], keys[1])
