"""The grid that compression left. JPEG codes a picture in squares of 8 pixels, and its colours often in ones of 16.

Inside a square all is smooth, from one to the next there is a small step. So a piece shows where it lies on the grid,
even if it shows nothing else: of two pieces of a clear sky that could be neighbours by their colours, most cannot be by
their places on the grid; and a seam in the middle of a square must fit far better than one between squares.

How the steps look was learned from pictures of all qualities (benchmarks/teach_odds.py --grid). In a picture that was
never compressed, or was scaled since, there is no grid, and nothing here is used.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernel import kernel
from . import odds
from .edges import colours_of
from .poses import NORTH, PERIOD, UNIT, WEST
from .puzzle import Jigsaw

LUMA = 8  # the same of brightness alone
STEPS = LUMA + PERIOD  # numbers that say where along an axis there are steps
COARSE, FINE, NONE = slice(0, PERIOD), slice(PERIOD, PERIOD + LUMA), slice(PERIOD + LUMA, PERIOD + LUMA + 1)
TOLD = 3  # what the network is told of a pair
UNLIKELY = 0.002  # who has so little chance is not looked at
LEAST = 0.002  # of an agreement: who is wrong about one piece in some hundred cannot be surer
RARE = 0.01  # share of the pieces: places with less are not usual
FAINT = 0.02  # chance that anything speaks against the likeliest place after all
NOISE = np.float32(0.1)  # of a step
ROUNDS = 10  # to find which places are usual in this puzzle
BLOCK_PIECES = 1000  # looked at together


class Grid(NamedTuple):
    """How likely a line of the grid lies so many pixels from each edge, and from where each begins. [edges, PERIOD]"""

    inwards: NDArray[np.float32]
    along: NDArray[np.float32]  # clockwise
    facing_inwards: NDArray[np.float32]  # how it would have to lie on a neighbour
    facing_along: NDArray[np.float32]
    chance: float  # that any two edges agree


@kernel
def steps(colours, folded):
    """Where along both axes of a piece the steps are. [pieces, height, width, 3] to [pieces, 2, STEPS]

    The logarithms of all steps of brightness, by their place modulo 8, then those of colour modulo 16, less their mean.
    """
    pieces, height, width, _ = colours.shape
    planes = np.empty((3, height, width), np.float32)
    sums = np.empty((2, max(height, width)), np.float32)
    for piece in range(pieces):
        for y in range(height):
            for x in range(width):
                red, green, blue = colours[piece, y, x, 0], colours[piece, y, x, 1], colours[piece, y, x, 2]
                bright = np.float32(0.299) * red + np.float32(0.587) * green + np.float32(0.114) * blue
                planes[0, y, x] = bright
                planes[1, y, x] = np.float32(0.564) * (blue - bright)
                planes[2, y, x] = np.float32(0.713) * (red - bright)
        for axis in range(2):
            length, breadth = (width, height) if axis == 0 else (height, width)
            for at in range(2, length - 1):
                sums[0, at] = sums[1, at] = 0
                for other in range(breadth):
                    for band in range(3):
                        line = planes[band, other] if axis == 0 else planes[band, :, other]
                        if band == 0:  # what is left of a step after a slope and its change
                            step = line[at + 1] - line[at - 2] - np.float32(3) * (line[at] - line[at - 1])
                        else:  # colours are smoothed over it
                            step = line[at + 1] - line[at - 2]
                        sums[min(band, 1), at] += abs(step)
            fold(sums, length, breadth, folded[piece, axis])


@kernel
def fold(sums, length, breadth, folded):
    """The mean logarithms by place, less the mean of all."""
    folded[:] = 0
    if length < 4:
        return
    for kind in range(2):
        period, begin = (LUMA, 0) if kind == 0 else (PERIOD, LUMA)
        mean = np.float32(0)
        for at in range(2, length - 1):
            sums[kind, at] = np.log(sums[kind, at] / np.float32(breadth) + NOISE)
            mean += sums[kind, at]
        mean /= np.float32(length - 3)
        for place in range(period):
            number = 0
            for at in range(2 + (place - 2) % period, length - 1, period):
                folded[begin + place] += sums[kind, at] - mean
                number += 1
            if number:
                folded[begin + place] /= np.float32(number)


def shown(puzzle: Jigsaw) -> NDArray[np.float32]:
    """Where along both axes of every face the steps are. [faces, 2, STEPS]"""
    faces = puzzle.faces.reshape(-1, puzzle.height, puzzle.width, puzzle.channels)
    folded = np.empty((len(faces), 2, STEPS), np.float32)
    for begin in range(0, len(faces), BLOCK_PIECES):
        part = slice(begin, begin + BLOCK_PIECES)
        steps(colours_of(faces[part]), folded[part])
    return folded


def inputs(folded: NDArray[np.float32]) -> NDArray[np.float32]:
    """What speaks for each place of a grid: of one whose colours have squares of 16, of one with 8, and for none.

    [many, 16 + 8 + 1, numbers]; each kind has weights of its own.
    """
    bright, coloured = folded[:, :LUMA], folded[:, LUMA:]
    both = (coloured[:, :LUMA] + coloured[:, LUMA:]) / 2
    size = np.stack([np.abs(each).mean(axis=1) for each in (bright, coloured)], axis=1)
    told = np.zeros((len(folded), NONE.stop, 2 * LUMA + LUMA + PERIOD + 3 * (1 + 2)), np.float32)
    end = 0
    for kind, rows in ((COARSE, (bright, coloured)), (FINE, (bright, both)), (NONE, ())):
        for row in rows:
            begin, end = end, end + row.shape[1]
            for place in range(kind.start, kind.stop):
                told[:, place, begin:end] = np.roll(row, kind.start - place, axis=1)
        told[:, kind, end] = 1
        told[:, kind, end + 1 : end + 3] = size[:, None]
        end += 3
    return told


def places(folded: NDArray[np.float32]) -> NDArray[np.float64] | None:
    """How likely the first line of the grid lies where, modulo 16, or None if there is no grid. [many, PERIOD]

    Pieces of one puzzle lie in few ways, if their size has a divisor in common with that of the squares: the usual
    ones are found by expectation and maximisation, and doubtful pieces lie as most do. One kind of grid is usual, too.
    """
    scores = np.concatenate(
        [inputs(folded[begin : begin + BLOCK_PIECES]) @ odds.grid() for begin in range(0, len(folded), BLOCK_PIECES)]
    )
    evidence = np.exp(scores - scores.max(axis=1, keepdims=True)).astype(np.float64)
    usual = _usual(evidence)[0]
    kind = max((COARSE, FINE, NONE), key=lambda kind: float(usual[kind].sum()))
    if kind == NONE:
        return None
    likely = _usual(evidence[:, kind])[1]
    return likely if kind == COARSE else np.hstack([likely, likely]) / 2


def _usual(evidence: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Which places are usual, and how likely each piece lies where. [places], [many, places]"""
    usual = np.full(evidence.shape[1], 1 / evidence.shape[1])
    for _ in range(ROUNDS):
        likely = evidence * usual
        likely /= likely.sum(axis=1, keepdims=True)
        usual = likely.mean(axis=0)
    return usual, likely


def found(puzzle: Jigsaw) -> Grid | None:
    """The grid as all edges see it, or None if there is none."""
    likely = places(shown(puzzle).reshape(-1, STEPS))
    if likely is None:
        return None
    known = likely.reshape(-1, 2, PERIOD).astype(np.float32)
    across, down = known[:, 0], known[:, 1]  # from the left, and from the top
    width, height = puzzle.width, puzzle.height
    far_across, far_down = _seen_from(across, width), _seen_from(down, height)
    inwards = np.stack([down, far_across, far_down, across], axis=1).reshape(-1, PERIOD)
    along = np.stack([across, down, far_across, far_down], axis=1).reshape(-1, PERIOD)
    facing_inwards = _seen_from(inwards, 0)
    facing_along = np.stack([_seen_from(along[side::4], (width, height)[side % 2]) for side in range(4)], axis=1)
    facing_along = facing_along.reshape(-1, PERIOD)
    chance = inwards.mean(axis=0) @ facing_inwards.mean(axis=0) * (along.mean(axis=0) @ facing_along.mean(axis=0))
    return Grid(inwards, along, facing_inwards, facing_along, float(chance))


def lies(lines: Grid) -> NDArray[np.int16]:
    """What every pose weighs by where lines lie from its left and from its top: nothing where they lie likeliest.

    On a board all places that are usual at all are about as frequent: what a piece says counts, not what most do.
    [poses, 2, PERIOD]
    """
    by_side = lines.inwards.reshape(-1, 4, PERIOD)
    usual = by_side.mean(axis=0)
    said = np.where(usual > RARE, by_side / np.maximum(usual, np.float32(RARE)), np.float32(0)).reshape(-1, PERIOD)
    whole = said.sum(axis=1, keepdims=True)  # nothing, of a piece that lies nowhere usual: it says nothing
    said = np.log(said / np.where(whole > 0, whole, np.float32(1)) + np.float32(FAINT))
    weights = np.rint(UNIT * (said - said.max(axis=1, keepdims=True))).astype(np.int16)
    poses = np.arange(len(weights))
    return np.stack([weights[(poses & ~3) | ((poses + side) & 3)] for side in (WEST, NORTH)], axis=1)


def _seen_from(likely: NDArray[np.float32], length: int) -> NDArray[np.float32]:
    """The same, counted from the other end. [many, PERIOD]"""
    return likely[:, (length - np.arange(PERIOD)) % PERIOD]


def ways(likely: NDArray[np.float32]) -> NDArray[np.int32]:
    """The places that are not unlikely, a bit for each; all of them if they are more than two."""
    possible = likely > UNLIKELY
    possible[possible.sum(axis=1) > 2] = True
    return (possible @ (1 << np.arange(PERIOD))).astype(np.int32)


@kernel
def agreement(listed, begin, end, inwards, along, facing_inwards, facing_along, chance, told):
    """What the network is told of pairs. [edges, most, TOLD]

    How much likelier than chance both edges lie on one grid, in natural logarithms; how likely the seam is between
    squares of 8; and of 16.
    """
    for edge in range(begin, end):
        for k in range(listed.shape[1]):
            other = listed[edge, k]
            told[edge, k] = 0
            if other < 0:
                continue
            inside = aside = np.float32(0)
            for place in range(inwards.shape[1]):
                inside += inwards[edge, place] * facing_inwards[other, place]
                aside += along[edge, place] * facing_along[other, place]
            told[edge, k, 0] = np.log((inside * aside + np.float32(LEAST)) / np.float32(chance + LEAST))
            coloured = inwards[edge, 0] * facing_inwards[other, 0]
            bright = coloured + inwards[edge, LUMA] * facing_inwards[other, LUMA]
            told[edge, k, 1] = bright / (inside + np.float32(LEAST))
            told[edge, k, 2] = coloured / (inside + np.float32(LEAST))
