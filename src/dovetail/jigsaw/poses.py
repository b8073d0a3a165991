"""How pieces lie, as numbers that hot loops can compute with.

A *face* is one side of a piece that shows something; face numbers are ``sides * piece + side``. An *edge* is one of a
face's four edges, ``4 * face + 0`` to ``3``, clockwise from the north as the puzzle lists the piece. A *pose* is a face
and the quarter turns counter-clockwise it was given, ``4 * face + turn``: the edge at the board's side ``s`` is then
``(s + turn) % 4``. ``span`` is ``4 * sides``, so that ``pose // span`` and ``edge // span`` are pieces.
Boards are flat, with a wall around them; a step leads to the neighbour at each side.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernel import kernel
from .kernels import below, following

PERIOD = 16  # pixels after which the grid of JPEG begins anew
VOID, WALL = -1, -2  # cells without a piece: where one may lie, and where none may
UNIT = 64  # weights are log odds in so many parts of a natural logarithm
NORTH, EAST, SOUTH, WEST = 0, 1, 2, 3
DOWN, ACROSS = np.array([-1, 0, 1, 0]), np.array([0, 1, 0, -1])  # rows and columns to the neighbour at each side


class Fits(NamedTuple):
    """For every edge the edges that may face it, best first, and the log odds that they do.

    Pieces that look alike share one list, that of the first of them, and stand in the lists by the first of them.
    """

    edges: NDArray[np.int32]  # [edges, most], VOID where there are no more
    weights: NDArray[np.int32]
    first: NDArray[np.int32]  # [edges]: the same edge of the first piece that looks like this one
    alike: NDArray[np.int32]  # [pieces]: those that look alike one after the other
    begin: NDArray[np.int32]  # [pieces]: where, for the first of them, they begin
    number: NDArray[np.int32]  # [pieces]: how many look like this one
    span: int
    worst: int  # the weight of two edges that are not listed
    hole: int  # of an edge at a hole in the picture
    lies: NDArray[
        np.int16
    ]  # [poses, 2, PERIOD]: what a pose weighs by where the lines of a grid lie; [0, …] without one
    width: int  # of a piece: so far apart do lines lie as its neighbour sees them
    height: int


class Limits(NamedTuple):
    """The largest box that pieces may fill."""

    rows: int
    cols: int
    either: bool  # it may lie on its side


@kernel
def edge_at(pose, side):
    """The edge that a pose shows at a side of the board."""
    return (pose & ~3) | ((pose + side) & 3)


@kernel
def pose_with(edge, side):
    """The pose that shows an edge at a side of the board."""
    return (edge & ~3) | ((edge - side) & 3)


@kernel
def spun(pose, turn):
    """A pose turned further."""
    return (pose & ~3) | ((pose + turn) & 3)


@kernel
def flipped(pose):
    """A pose seen from behind, as if the board were turned over like a page: its other face, turned the other way."""
    return ((pose ^ 4) & ~3) | (-pose & 3)


@kernel
def behind(edge):
    """The same edge of the piece, on its other face: left and right are exchanged."""
    return ((edge ^ 4) & ~3) | (-edge & 3)


@kernel
def rotated(down, across, turn):
    """A step on the board after the board was turned counter-clockwise."""
    if turn == 1:
        return -across, down
    if turn == 2:
        return -down, -across
    if turn == 3:
        return across, -down
    return down, across


@kernel
def between(edges, weights, edge, other, worst):
    """What a pair weighs by an edge's list. A loop without an exit is one the processor runs through at once."""
    row, found = edges[edge], 0
    for k in range(row.shape[0]):
        found += (k + 1) * (row[k] == other)
    return weights[edge, found - 1] if found else worst


@kernel
def weight(fits, edge, other):
    """The log odds that two edges face each other."""
    return between(fits.edges, fits.weights, fits.first[edge], fits.first[other], fits.worst)


@kernel
def listed(fits, edge):
    """The candidates of an edge, and their weights."""
    return fits.edges[fits.first[edge]], fits.weights[fits.first[edge]]


@kernel
def one_of(fits, edge, chosen):
    """The same edge of one of the pieces that look alike."""
    piece = edge // fits.span
    return fits.alike[fits.begin[piece] + chosen] * fits.span + edge % fits.span


@kernel
def seam(fits, pose, other, side):
    """The weight of the seam between a pose and the pose at its side."""
    return weight(fits, edge_at(pose, side), edge_at(other, side + 2))


@kernel
def holds(limits, height, width):
    """Whether a box is within the limits."""
    upright = height <= limits.rows and width <= limits.cols
    return upright or (limits.either and height <= limits.cols and width <= limits.rows)


@kernel
def drawn(state, bound):
    """A number from 0 to before ``bound``; moves the state on. [1]"""
    state[0] = following(state[0])
    return below(state[0], bound)


@kernel
def stands(fits, lines, pose, cell):
    """What a pose weighs in a cell by where the lines of the grid lie there."""
    if fits.lies.shape[0] == 0:
        return 0
    return fits.lies[pose, 0, lines[cell, 0]] + fits.lies[pose, 1, lines[cell, 1]]


@kernel
def total(fits, board, lines, where, step):
    """The log odds of all seams on a board, of its holes, and of how its pieces lie on the grid."""
    weights = 0
    for piece in range(len(where)):
        cell = where[piece]
        if cell < 0:
            continue
        weights += stands(fits, lines, board[cell], cell)
        for side in range(4):
            other = board[cell + step[side]]
            if other == VOID:
                weights += fits.hole
            elif other >= 0 and side in (EAST, SOUTH):
                weights += seam(fits, board[cell], other, side)
    return weights
