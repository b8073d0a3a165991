"""The outermost lines of pixels of every edge, and what is measured of them before edges are compared."""

from collections.abc import Generator, Sequence
from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .driving import spread
from .edges import Colours, colours_of, lab
from .measures import form, precision, shown
from .puzzle import Jigsaw

DEPTH = 8  # lines of pixels, from the rim inwards
STEPS = 64  # of L*a*b* a unit
SEGMENTS = 4  # of an edge, whose mean colours are compared
BLOCK_EDGES = 4000  # prepared at a time


class Rims(NamedTuple):
    """What is measured of the edges, all read clockwise: pixel k of one touches pixel ``length - 1 - k`` of the other.

    In single precision; edges shorter than the longest are padded. [edges, pixels, 3], [edges, 6], [edges, segments, 3]
    """

    colours: Colours
    beyond: Colours  # colours, and the mean step across the edge once more
    across: Colours  # the inverse covariance of the steps across the edge: the upper half
    along: Colours  # that of the steps along it
    lab: Colours
    continued: Colours  # in L*a*b*: the rim, and its last step once more
    near: Colours  # mean colours in L*a*b*, of segments
    near_on: Colours  # as they become at the rim if they go on
    whole: Colours  # of the whole edge
    whole_on: Colours


def outermost(
    puzzle: Jigsaw, some: NDArray[np.int64] | None = None, depth: int = DEPTH
) -> tuple[Colours, tuple[int, int]]:
    """The outermost lines of every edge, clockwise, padded to one length; and the lengths of north and east.

    Of ``some`` faces, if not of all. [edges, depth, pixels, 3]
    """
    faces = puzzle.faces.reshape(-1, puzzle.height, puzzle.width, puzzle.channels)
    faces = faces if some is None else faces[some]
    lengths = (puzzle.width, puzzle.height)
    lines = np.zeros((len(faces), 4, depth, max(lengths), 3), np.float32)
    for side in range(4):
        turned = np.rot90(faces, side, axes=(1, 2))  # this side is on top now, and read from left to right
        inwards = np.minimum(np.arange(depth), turned.shape[1] - 1)
        lines[:, side, :, : lengths[side % 2]] = colours_of(turned[:, inwards])
    return lines.reshape(-1, depth, max(lengths), 3), lengths


def prepared(
    lines: Colours, lengths: tuple[int, int], pool: Executor
) -> Generator[float, None, tuple[dict[int, NDArray[np.float32]], dict[int, NDArray[np.float32]], Rims]]:
    """What edges know of their neighbours and show to them, by the length of the edge, and all that is measured."""
    edges, _, longest, _ = lines.shape
    rims = Rims(
        *(np.zeros((edges, longest, 3), np.float32) for _ in range(2)),
        *(np.zeros((edges, 6), np.float32) for _ in range(2)),
        *(np.zeros((edges, longest, 3), np.float32) for _ in range(2)),
        *(np.zeros((edges, segments, 3), np.float32) for segments in (SEGMENTS, SEGMENTS, 1, 1)),
    )
    width = {length: 2 * (6 + 1) + 3 * (2 * length - 1) for length in lengths}
    knows, shows = ({length: np.zeros((edges, width[length]), np.float32) for length in width} for _ in range(2))
    upper = ([0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2])
    for number, length in enumerate(width):
        sides = [side for side in range(4) if lengths[side % 2] == length]
        some = np.flatnonzero(np.isin(np.arange(edges) % 4, sides))

        def prepare(part: slice, length: int = length, some: NDArray[np.int64] = some) -> None:
            these = some[part]
            outer = lines[these, :, :length].astype(np.float64) - 128
            rim, steps, changes = outer[:, 0], outer[:, 0] - outer[:, 1], np.diff(outer[:, 0], axis=1)
            beyond, across, along = rim + steps.mean(axis=1, keepdims=True), precision(steps), precision(changes)
            knows[length][these] = np.hstack([form(beyond, across), form(changes, along)])
            # a neighbour is read the other way round, and so are the steps along it
            shows[length][these] = np.hstack([shown(rim[:, ::-1]), shown(np.diff(rim[:, ::-1], axis=1))])
            rims.colours[these, :length], rims.beyond[these, :length] = rim, beyond
            rims.across[these], rims.along[these] = across[:, *upper], along[:, *upper]
            bands = lab(lines[these, :, :length].reshape(-1, length, 3), STEPS).reshape(len(these), DEPTH, length, 3)
            rims.lab[these, :length], rims.continued[these, :length] = bands[:, 0], 2 * bands[:, 0] - bands[:, 1]
            for mean, value in zip(rims[-4:], _means(bands / np.float32(STEPS), length), strict=True):
                mean[these] = value

        begin, end = (0.1 * at / len(width) for at in (number, number + 1))
        yield from spread(pool, prepare, len(some), BLOCK_EDGES, begin, end)
    return knows, shows, rims


def _means(bands: Colours, length: int) -> Sequence[Colours]:
    """Mean colours near the rim, and what they become at the rim if they go on as they do behind it.

    Noise averages out, so that these tell apart pieces of a clear sky.
    """
    segments = np.einsum("sp,edpc->edsc", segment_shares(length), bands)
    near, far = segments[:, :2].mean(axis=1), segments[:, 2:4].mean(axis=1)
    whole = bands.mean(axis=2, keepdims=True)
    half = DEPTH // 2
    outer, inner = whole[:, :half].mean(axis=1), whole[:, half:].mean(axis=1)
    return near, near + (near - far) / 2, whole[:, :2].mean(axis=1), outer + (outer - inner) / 2


def segment_shares(length: int, segments: int = SEGMENTS) -> NDArray[np.float64]:
    """How much each pixel of an edge counts in the mean of each of its segments. [segments, pixels]"""
    borders = np.linspace(0, length, segments + 1)
    pixels = np.arange(length)
    inside = np.minimum(borders[1:, None], pixels + 1) - np.maximum(borders[:-1, None], pixels)
    shares: NDArray[np.float64] = np.clip(inside, 0, 1)
    shares *= segments / length
    return shares
