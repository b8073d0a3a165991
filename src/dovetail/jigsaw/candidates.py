"""For every edge of every piece, the few edges that may face it, and the odds that each does.

All pairs are compared once, by Gallagher's measure with a term along the edge: a product of matrices (``measures.py``).
Of each row only the best are kept, so that memory grows with the number of pieces and not with its square. The kept
ones are then measured in eight ways, and ``odds.py`` makes one log odds of how they stand against their rivals; then
``loops.py`` asks which of them close squares of four. Where compression left a grid (``grid.py``), only edges that lie
alike on it are compared, and the odds know how they lie.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Executor
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import comparing, grid, loops, odds
from .edges import Colours, colours_of, lab
from .measures import form, precision, shown
from .poses import UNIT, VOID, Fits
from .puzzle import Jigsaw
from .scan.puzzle import Scanned

COMPARED = 48  # edges kept for every edge by the first measure
KEPT = 40  # by their odds
DEPTH = 8  # lines of pixels, from the rim inwards
STEPS = 64  # of L*a*b* a unit
SEGMENTS = 4  # of an edge, whose mean colours are compared
WORST, BEST = -8 * UNIT, 8 * UNIT
HOLE = -2 * UNIT  # about one piece in ten is missing
BLOCK_NUMBERS = 8_000_000  # of a block of rows: some 0.1 s of work
LEAST_ALIKE = 16  # edges: for fewer it would take longer to collect those that may face them
SAMPLE = 100  # edges of a side that are asked whether the grid is that of the picture
CLEAR, LEAST_CLEAR = 0.5, 10  # how much better than the second the best must fit; how many such pairs are enough
AGREED = 0.5  # what the grid must say for them in the mean: neighbours have more than 1, strangers less than 0
SLICES = 4  # that the threads share between two glances at the clock
PAIRED = 0.95  # the share that is done when pairs are compared, and loops are not
SLICE_EDGES = 2000
BLOCK_EDGES = 4000  # prepared at a time

Edges: TypeAlias = NDArray[np.int32]
Group: TypeAlias = tuple[Edges, Edges, NDArray[np.float32], NDArray[np.float32]]


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


class Compared(NamedTuple):
    """The edges kept for every edge, and how they measure up."""

    listed: Edges  # [edges, most], VOID where there are no more
    values: NDArray[np.float32]  # [edges, most, measures]
    told: NDArray[np.float32]  # [edges, most, 0 or TOLD]: what the grid tells
    means: Colours  # [edges, segments, 3]


class Paired(NamedTuple):
    """For every edge the edges that may face it, and what is known of them."""

    edges: Edges  # [edges, most]
    weights: Edges
    means: Colours  # [edges, segments, 3]: colours along the edges
    on_grid: bool  # whether there is a grid that helps
    worn: bool = False  # whether pieces look worn, and were judged as such


class Found(NamedTuple):
    """The same with all that a solver asks for."""

    fits: Fits
    means: Colours
    on_grid: bool
    worn: bool


def found(
    puzzle: Jigsaw,
    pool: Executor,
    use_grid: bool = True,
    pairs: Generator[float, None, Paired] | None = None,
    threads: int = 0,
) -> Generator[float, None, Found]:
    """The fits of all edges; yields the share that is done. ``pool`` has threads; networks have so many, 0: one a core.

    ``pairs`` finds out what pairs say by themselves; unless it is given, their pixels are compared.
    """
    edges, weights, means, on_grid, worn = yield from pairs or paired(puzzle, pool, use_grid, threads)
    if puzzle.sides == 1:  # with two faces that must both fit, a pair is sure enough
        weights = yield from looped(edges, weights, pool, _worn_loops() if worn else odds.loops(on_grid))
    return Found(fits_of(puzzle, edges, weights), means, on_grid, worn)


def fits_of(puzzle: Jigsaw, edges: Edges, weights: Edges) -> Fits:
    """Candidates and their weights, with what is known of pieces that look alike."""
    sides = puzzle.sides
    first, alike, begin, number = likenesses(puzzle)
    same = (first[:, None] * (4 * sides) + np.arange(4 * sides)).ravel().astype(np.int32)
    return Fits(edges, weights, same, alike, begin, number, 4 * sides, sides * WORST, sides * HOLE)


def paired(puzzle: Jigsaw, pool: Executor, use_grid: bool, threads: int = 0) -> Generator[float, None, Paired]:
    """What pairs say by themselves, by measures for pieces that touch, or for worn ones if that is what they are."""
    if isinstance(puzzle, Scanned) and puzzle.straightened:
        from .scan import seams as scan_seams

        return (yield from scan_seams.paired(puzzle))
    from .worn import seams as worn_seams

    whole, pairs = yield from touching(puzzle, pool, use_grid)
    if not worn_seams.look_worn(puzzle, pairs, whole):
        return whole
    # nobody knew that all would be compared again: the share stands still
    return (yield from within(worn_seams.paired(puzzle, pool, threads), PAIRED, PAIRED))


def _worn_loops() -> Sequence[odds.Model]:
    from .worn.seams import loops

    return loops()


def within(work: Generator[float, None, Paired], begin: float, end: float) -> Generator[float, None, Paired]:
    """The same work, as a part of more: its share that is done goes from ``begin`` to ``end``."""
    while True:
        try:
            done = next(work)
        except StopIteration as ended:
            value: Paired = ended.value
            return value
        yield begin + (end - begin) * done


def touching(puzzle: Jigsaw, pool: Executor, use_grid: bool) -> Generator[float, None, tuple[Paired, Compared]]:
    """What pairs say if pieces touch, and how they were compared."""
    pairs = yield from compared(puzzle, pool, use_grid)
    listed, values, told, means = pairs
    edges, sides = len(listed), puzzle.sides
    rivals, weights = comparing.rivals(listed, values, told), np.empty(listed.shape, np.int32)
    on_grid = told.shape[2] > 0
    model = odds.pairs(on_grid)

    def judge(part: slice) -> None:
        comparing.judge(listed, values, told, *rivals, part.start, part.stop, *model, UNIT, WORST, BEST, weights)

    yield from spread(pool, judge, edges, SLICE_EDGES, 0.9, PAIRED)
    kept, kept_weights = np.full((edges, KEPT), VOID, np.int32), np.full((edges, KEPT), WORST, np.int32)
    comparing.gather(listed, weights, sides == 2, sides * WORST, kept, kept_weights)
    comparing.mutual(kept, kept_weights)
    return Paired(kept, kept_weights, means, on_grid), pairs


def looped(edges: Edges, weights: Edges, pool: Executor, models: Sequence[odds.Model]) -> Generator[float, None, Edges]:
    """Weights that know of squares of four as well, with lists sorted by them; yields the share that is done.

    They are the mean of what pairs say by themselves and of what they say after all networks: by themselves, pairs are
    less often sure, but also less often sure of what is wrong.
    """
    start = weights
    for number, model in enumerate(models):
        done = PAIRED + (1 - PAIRED) * number / len(models)
        weights = yield from reconsidered(edges, start, weights, pool, model, done, done + (1 - PAIRED) / len(models))
        loops.resort(edges, start, weights)
    weights = (start + weights) // 2
    loops.resort(edges, start, weights)
    return weights


def reconsidered(
    edges: Edges, start: Edges, weights: Edges, pool: Executor, model: odds.Model, begin: float, end: float
) -> Generator[float, None, Edges]:
    """The weights after one look at all squares."""
    closed = yield from closed_by(edges, weights, pool, begin, (begin + end) / 2)
    leaders, values = loops.leaders(edges, weights, closed), np.zeros(edges.shape, np.float32)

    def reconsider(part: slice) -> None:
        loops.reconsider(edges, start, weights, closed, *leaders, part.start, part.stop, *model, values)

    yield from spread(pool, reconsider, len(edges), SLICE_EDGES, (begin + end) / 2, end)
    settled = np.empty_like(weights)
    loops.settle(edges, values, WORST, settled)
    return settled


def closed_by(edges: Edges, weights: Edges, pool: Executor, begin: float, end: float) -> Generator[float, None, Edges]:
    """The best square on either side of every pair. [edges, most, 2]"""
    closed = np.full((*edges.shape, 2), 3 * WORST, np.int32)

    def close(part: slice) -> None:
        loops.squares(edges, weights, part.start, part.stop, WORST, closed)

    yield from spread(pool, close, len(edges), SLICE_EDGES, begin, end)
    return closed


def likenesses(puzzle: Jigsaw) -> tuple[Edges, Edges, Edges, Edges]:
    """Of each piece the first that looks alike; all sorted by that; where those of each begin; how many there are."""
    known: dict[bytes, int] = {}
    size = puzzle.piece_bytes
    first = np.array(
        [known.setdefault(puzzle.pixels[at : at + size], at // size) for at in range(0, len(puzzle.pixels), size)]
    )
    alike = np.argsort(first, kind="stable")
    begin = np.searchsorted(first[alike], np.arange(puzzle.count))
    number = np.bincount(first, minlength=puzzle.count)[first]
    return first, alike.astype(np.int32), begin.astype(np.int32), number.astype(np.int32)


def compared(puzzle: Jigsaw, pool: Executor, use_grid: bool) -> Generator[float, None, Compared]:
    """All pairs of edges that may face each other, of which some are kept and measured; yields the share done."""
    span = 4 * puzzle.sides
    outer, lengths = outermost(puzzle)
    knows, shows, rims = yield from _prepared(outer, lengths, pool)
    listed = np.full((span * puzzle.count, min(COMPARED, span * puzzle.count)), VOID, np.int32)
    first, _, _, several_alike = likenesses(puzzle)
    groups = facing(puzzle, np.unique(first))
    lines = grid.found(puzzle) if use_grid and puzzle.sides == 1 else None
    if lines and not _confirmed(lines, groups, knows, shows, lengths):
        lines = None
    if lines:
        groups = _on_grid(groups, lines)
    pairs, so_far = sum(len(ours) * len(theirs) for ours, theirs in groups), 0
    for ours, theirs in groups:
        length = lengths[int(ours[0]) % 2]
        rows, columns = _factors(ours, theirs, knows[length], shows[length])

        def compare(part: slice, group: Group = (ours, theirs, rows, columns)) -> None:
            ours, theirs, rows, columns = group
            comparing.kept(rows[part] @ columns, ours[part], theirs, span, several_alike, listed)

        several = max(1, BLOCK_NUMBERS // len(theirs) // SLICES)
        begin, so_far = so_far, so_far + len(ours) * len(theirs)
        yield from spread(pool, compare, len(ours), several, 0.1 + 0.7 * begin / pairs, 0.1 + 0.7 * so_far / pairs)
    del knows, shows
    values = np.empty((*listed.shape, comparing.MEASURES), np.float32)

    def measure(part: slice) -> None:
        comparing.measure(listed, part.start, part.stop, np.array(lengths), rims, values)

    yield from spread(pool, measure, len(listed), SLICE_EDGES, 0.8, 0.9)
    told = np.empty((*listed.shape, grid.TOLD if lines else 0), np.float32)
    if lines:
        grid.agreement(listed, 0, len(listed), *lines, told)
    return Compared(listed, values, told, rims.near)


def spread(
    pool: Executor, work: Callable[[slice], None], rows: int, several: int, begin: float, end: float
) -> Generator[float, None, None]:
    """Work on several rows at a time, some such parts at once; cut alike for any number of threads."""
    parts = [slice(start, min(rows, start + several)) for start in range(0, rows, several)]
    for number in range(0, len(parts), SLICES):
        for future in [pool.submit(work, part) for part in parts[number : number + SLICES]]:
            future.result()
        yield begin + (end - begin) * min(1.0, (number + SLICES) / len(parts))


def facing(puzzle: Jigsaw, pieces: NDArray[np.int64]) -> Sequence[tuple[Edges, Edges]]:
    """Which edges of these pieces may face which."""
    span = 4 * puzzle.sides
    edges = (pieces[:, None] * span + np.arange(span)).ravel().astype(np.int32)
    by_side = [edges[side::4].copy() for side in range(4)]  # in one piece, so that kernels are compiled once
    if len(puzzle.turns) // puzzle.sides == 4:
        return [(edges, edges)]
    if puzzle.rotate:  # upside down or not
        return [(both, both) for both in (np.sort(np.concatenate(by_side[k::2])) for k in range(2))]
    return [(by_side[side], by_side[(side + 2) % 4]) for side in range(4)]


def _factors(ours: Edges, theirs: Edges, knows: Colours, shows: Colours) -> tuple[Colours, Colours]:
    """Matrices whose product is what each of some edges has against each of others."""
    columns = np.ascontiguousarray(np.hstack([shows[theirs], knows[theirs]]).T)
    return np.hstack([knows[ours], shows[ours]]), columns


def _confirmed(
    lines: grid.Grid,
    groups: Sequence[tuple[Edges, Edges]],
    knows: Mapping[int, Colours],
    shows: Mapping[int, Colours],
    lengths: tuple[int, int],
) -> bool:
    """Whether pairs that fit far better than others agree about the grid, of a sample.

    They do not if the pieces were shuffled first and compressed then: the grid is that of the sheet, and misleads.
    """
    listed, sure = np.full((len(lines.inwards), 1), VOID, np.int32), []
    for ours, theirs in groups:
        some, length = ours[:: -(-len(ours) // SAMPLE)], lengths[int(ours[0]) % 2]
        rows, columns = _factors(some, theirs, knows[length], shows[length])
        against = rows @ columns
        against[some[:, None] // 4 == theirs // 4] = np.inf
        if len(theirs) > 2:
            best, second, _ = np.partition(against, (0, 1), axis=1)[:, :3].T
            clear = best < CLEAR * second
            listed[some[clear], 0] = theirs[against[clear].argmin(axis=1)]
            sure.append(some[clear])
    told = np.empty((*listed.shape, grid.TOLD), np.float32)
    grid.agreement(listed, 0, len(listed), *lines, told)
    agreed = told[np.concatenate(sure), 0, 0] if sure else np.empty(0)
    return len(agreed) < LEAST_CLEAR or float(agreed.mean()) > AGREED


def _on_grid(groups: Sequence[tuple[Edges, Edges]], lines: grid.Grid) -> Sequence[tuple[Edges, Edges]]:
    """Groups cut to what may lie alike on the grid. Where few lie in some way, they are compared with all."""
    inwards, along, facing_inwards, facing_along = (grid.ways(likely) for likely in lines[:4])
    way, cut = inwards.astype(np.int64) << grid.PERIOD | along, []
    for ours, theirs in groups:
        _, of, number = np.unique(way[ours], return_inverse=True, return_counts=True)
        for kind in np.flatnonzero(number >= LEAST_ALIKE):
            one = ours[of == kind][0]
            alike = (facing_inwards[theirs] & inwards[one] != 0) & (facing_along[theirs] & along[one] != 0)
            cut.append((ours[of == kind], theirs[alike]))
        cut.append((ours[number[of] < LEAST_ALIKE], theirs))
    return [(ours, theirs) for ours, theirs in cut if len(ours) and len(theirs)]


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


def _prepared(
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
