"""Boards of boxes and hexagons that fit, for the generators: planted, then shuffled and turned."""

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.puzzle import EMPTY, Placement
from .boxes import Boxes, box_layout
from .hexagons import Hexagons, hexagon_layout
from .solids import Layout, Piece

S = TypeVar("S", Boxes, Hexagons)


def plant_boxes(shape: tuple[int, ...], colours: int, frame: str, seed: int) -> tuple[Boxes, Placement]:
    """Boxes in random order, and how they were planted."""
    rng = np.random.default_rng([seed, colours, *shape])
    board = _planted(box_layout(shape), colours, frame == "grey", rng)
    return _mixed(Boxes(shape, board), frame, rng)


def plant_hexagons(side: int, colours: int, rotate: bool, frame: str, seed: int) -> tuple[Hexagons, Placement]:
    """Hexagons in random order and orientation, and how they were planted."""
    rng = np.random.default_rng([seed, colours, side])
    board = _planted(hexagon_layout(side), colours, frame == "grey", rng)
    return _mixed(Hexagons(side, board, rotate), frame, rng)


def _planted(layout: Layout, colours: int, grey: bool, rng: np.random.Generator) -> tuple[Piece, ...]:
    """Pieces as they lie: colours from 1, each on as many seams as any other, give or take one; a grey rim is 0."""
    faces: NDArray[np.int64] = np.zeros((len(layout.cells), len(layout.opposite)), dtype=np.int64)
    sides = [*layout.seams] if grey else [*layout.seams, *((cell, face, cell, face) for cell, face in layout.rim)]
    deck = rng.permutation(1 + np.arange(len(sides)) % colours)
    for colour, (cell, face, other, back) in zip(deck, sides, strict=True):
        faces[cell, face] = faces[other, back] = colour
    return tuple(tuple(piece) for piece in faces.tolist())


def _mixed(solved: S, frame: str, rng: np.random.Generator) -> tuple[S, Placement]:
    """The puzzle of a solved board whose pieces lie in the order of its cells, and the way back."""
    layout = solved.layout
    shown = None if frame == "none" else tuple(solved.pieces[cell][face] for cell, face in layout.rim)
    origin = rng.permutation(len(layout.cells)).tolist()
    turns = rng.integers(0, len(solved.turns), len(origin)).tolist()
    pieces = tuple(solved.turned(solved.pieces[cell], turn) for cell, turn in zip(origin, turns, strict=True))
    grid, back = np.full((layout.rows, layout.cols), EMPTY), np.zeros((layout.rows, layout.cols), dtype=np.int64)
    for piece, (cell, turn) in enumerate(zip(origin, turns, strict=True)):
        grid[layout.cells[cell]], back[layout.cells[cell]] = piece, -turn % len(solved.turns)
    return replace(solved, pieces=pieces, frame=shown), Placement.from_flat(grid.ravel(), back.ravel(), layout.cols)
