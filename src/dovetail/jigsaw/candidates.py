"""For every edge of every piece, the few edges that may face it, and the odds that each does.

All pairs are compared once, by Gallagher's measure with a term along the edge: a product of matrices (``measures.py``).
Of each row only the best are kept, so that memory grows with the number of pieces and not with its square. The kept
ones are then measured in eight ways, and ``odds.py`` makes one log odds of how they stand against their rivals; then
``loops.py`` asks which of them close squares of four. Where compression left a grid (``grid.py``), only edges that lie
alike on it are compared, a network looks at those that may fit (``grid_seams.py``), and the odds know of both.
"""

from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Executor
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import comparing, grid, loops, odds
from .driving import SLICES, spread, within
from .edges import Colours
from .lines import Rims as Rims  # numba's caches on disk know it by this module: without it they are not read
from .lines import outermost, prepared
from .poses import PERIOD, UNIT, VOID, Fits
from .puzzle import Jigsaw
from .scan.puzzle import Scanned

COMPARED = 48  # edges kept for every edge by the first measure
LOOKED_AT = 192  # on a grid, where its network says which of them are kept
KEPT = 40  # by their odds
WORST, BEST = -8 * UNIT, 8 * UNIT
HOLE = -2 * UNIT  # about one piece in ten is missing
BLOCK_NUMBERS = 8_000_000  # of a block of rows: some 0.1 s of work
LEAST_ALIKE = 16  # edges: for fewer it would take longer to collect those that may face them
SAMPLE = 100  # edges of a side that are asked whether the grid is that of the picture
CLEAR, LEAST_CLEAR = 0.5, 10  # how much better than the second the best must fit; how many such pairs are enough
AGREED = 0.5  # what the grid must say for them in the mean: neighbours have more than 1, strangers less than 0
RANKED, MEASURED = 0.6, 0.85  # the share that is done when pairs are ranked, and when they are to be measured
PAIRED = 0.95  # the share that is done when pairs are compared, and loops are not
SLICE_EDGES = 2000

Edges: TypeAlias = NDArray[np.int32]
Lies: TypeAlias = NDArray[np.int16]  # [poses, 2, PERIOD]: see Fits; [0, …] without a grid
NOWHERE: Lies = np.zeros((0, 2, PERIOD), np.int16)
Group: TypeAlias = tuple[Edges, Edges, NDArray[np.float32], NDArray[np.float32]]


class Ranked(NamedTuple):
    """The edges that fit every edge best by the first measure, best first."""

    listed: Edges  # [edges, most], VOID where there are no more
    sums: NDArray[np.float32]  # [edges, most]: the measure
    told: NDArray[np.float32]  # [edges, most, 0 or TOLD]: what the grid tells
    lies: Lies


class Compared(NamedTuple):
    """The edges kept for every edge, and how they measure up."""

    listed: Edges  # [edges, most], VOID where there are no more
    values: NDArray[np.float32]  # [edges, most, measures]
    told: NDArray[np.float32]  # [edges, most, 0 or TOLD]: what the grid tells, and then what its network does
    means: Colours  # [edges, segments, 3]
    lies: Lies


class Paired(NamedTuple):
    """For every edge the edges that may face it, and what is known of them."""

    edges: Edges  # [edges, most]
    weights: Edges
    means: Colours  # [edges, segments, 3]: colours along the edges
    on_grid: bool  # whether there is a grid that helps
    worn: bool = False  # whether pieces look worn, and were judged as such
    lies: Lies = NOWHERE


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
    edges, weights, means, on_grid, worn, lies = yield from pairs or paired(puzzle, pool, use_grid, threads)
    if puzzle.sides == 1:  # with two faces that must both fit, a pair is sure enough
        weights = yield from looped(edges, weights, pool, _worn_loops() if worn else odds.loops(on_grid))
    return Found(fits_of(puzzle, edges, weights, lies), means, on_grid, worn)


def fits_of(puzzle: Jigsaw, edges: Edges, weights: Edges, lies: Lies = NOWHERE) -> Fits:
    """Candidates and their weights, how poses lie on the grid, and what is known of pieces that look alike."""
    sides = puzzle.sides
    first, alike, begin, number = likenesses(puzzle)
    same = (first[:, None] * (4 * sides) + np.arange(4 * sides)).ravel().astype(np.int32)
    return Fits(
        edges, weights, same, alike, begin, number, 4 * sides, sides * WORST, sides * HOLE,
        lies, puzzle.width, puzzle.height,
    )  # fmt: skip


def paired(puzzle: Jigsaw, pool: Executor, use_grid: bool, threads: int = 0) -> Generator[float, None, Paired]:
    """What pairs say by themselves, by measures for pieces that touch, or for worn ones if that is what they are."""
    if isinstance(puzzle, Scanned) and puzzle.straightened:
        from .scan import seams as scan_seams

        return (yield from scan_seams.paired(puzzle))
    from .worn import seams as worn_seams

    whole, pairs = yield from touching(puzzle, pool, use_grid, threads)
    if not worn_seams.look_worn(puzzle, pairs, whole, threads):
        return whole
    # nobody knew that all would be compared again: the share stands still
    return (yield from within(worn_seams.paired(puzzle, pool, threads), PAIRED, PAIRED))


def _worn_loops() -> Sequence[odds.Model]:
    from .worn.seams import loops

    return loops()


def touching(
    puzzle: Jigsaw, pool: Executor, use_grid: bool, threads: int = 0
) -> Generator[float, None, tuple[Paired, Compared]]:
    """What pairs say if pieces touch, and how they were compared."""
    pairs = yield from compared(puzzle, pool, use_grid, threads)
    listed, values, told, means, lies = pairs
    edges, sides = len(listed), puzzle.sides
    floors = floors_of(puzzle)
    rivals, weights = comparing.rivals(listed, values, told, floors), np.empty(listed.shape, np.int32)
    on_grid = told.shape[2] > 0
    model = odds.pairs(on_grid)

    def judge(part: slice) -> None:
        comparing.judge(
            listed, values, told, floors, *rivals, part.start, part.stop, *model, UNIT, WORST, BEST, weights
        )

    yield from spread(pool, judge, edges, SLICE_EDGES, 0.9, PAIRED)
    kept, kept_weights = np.full((edges, KEPT), VOID, np.int32), np.full((edges, KEPT), WORST, np.int32)
    comparing.gather(listed, weights, sides == 2, sides * WORST, kept, kept_weights)
    comparing.mutual(kept, kept_weights)
    return Paired(kept, kept_weights, means, on_grid, lies=lies), pairs


def floors_of(puzzle: Jigsaw) -> NDArray[np.float32]:
    """What is noise, by how many bits a colour has."""
    return comparing.FLOORS if puzzle.depth == 8 else comparing.FINE_FLOORS


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


def compared(
    puzzle: Jigsaw, pool: Executor, use_grid: bool, threads: int = 0, look: bool = True
) -> Generator[float, None, Compared]:
    """All pairs of edges that may face each other, of which some are kept and measured; yields the share done.

    ``look``: on a grid, its network looks at those that may fit.
    """
    (listed, sums, told, lies), rims, lengths = yield from within(ranked(puzzle, pool, use_grid), 0.0, RANKED)
    if told.shape[2]:
        from . import grid_seams

        first = np.log(np.maximum(sums, 0) + floors_of(puzzle)[0])
        looking = grid_seams.kept(puzzle, listed, first, told, COMPARED, threads, look)
        listed, told = yield from within(looking, RANKED, MEASURED)
    values = np.empty((*listed.shape, comparing.MEASURES), np.float32)

    def measure(part: slice) -> None:
        comparing.measure(listed, part.start, part.stop, np.array(lengths), rims, values)

    yield from spread(pool, measure, len(listed), SLICE_EDGES, MEASURED, 0.9)
    return Compared(listed, values, told, rims.near, lies)


def ranked(
    puzzle: Jigsaw, pool: Executor, use_grid: bool
) -> Generator[float, None, tuple[Ranked, Rims, tuple[int, int]]]:
    """All pairs by the first measure, the best of which are listed; what else is measured of edges; their lengths."""
    span = 4 * puzzle.sides
    outer, lengths = outermost(puzzle)
    knows, shows, rims = yield from prepared(outer, lengths, pool)
    first, _, _, several_alike = likenesses(puzzle)
    groups = facing(puzzle, np.unique(first))
    lines = grid.found(puzzle) if use_grid and puzzle.sides == 1 else None
    if lines and not _confirmed(lines, groups, knows, shows, lengths):
        lines = None
    if lines:
        groups = _on_grid(groups, lines)
    edges = span * puzzle.count
    listed = np.full((edges, min(LOOKED_AT if lines else COMPARED, edges)), VOID, np.int32)
    sums = np.full(listed.shape, np.inf, np.float32)
    pairs, so_far = sum(len(ours) * len(theirs) for ours, theirs in groups), 0
    for ours, theirs in groups:
        length = lengths[int(ours[0]) % 2]
        rows, columns = _factors(ours, theirs, knows[length], shows[length])

        def compare(part: slice, group: Group = (ours, theirs, rows, columns)) -> None:
            ours, theirs, rows, columns = group
            comparing.kept(rows[part] @ columns, ours[part], theirs, span, several_alike, listed, sums)

        several = max(1, BLOCK_NUMBERS // len(theirs) // SLICES)
        begin, so_far = so_far, so_far + len(ours) * len(theirs)
        yield from spread(pool, compare, len(ours), several, 0.1 + 0.9 * begin / pairs, 0.1 + 0.9 * so_far / pairs)
    told = np.empty((*listed.shape, grid.TOLD if lines else 0), np.float32)
    if lines:
        grid.agreement(listed, 0, len(listed), *lines, told)
    return Ranked(listed, sums, told, grid.lies(lines) if lines else NOWHERE), rims, lengths


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
    way, cut = inwards.astype(np.int64) << PERIOD | along, []
    for ours, theirs in groups:
        _, of, number = np.unique(way[ours], return_inverse=True, return_counts=True)
        for kind in np.flatnonzero(number >= LEAST_ALIKE):
            one = ours[of == kind][0]
            alike = (facing_inwards[theirs] & inwards[one] != 0) & (facing_along[theirs] & along[one] != 0)
            cut.append((ours[of == kind], theirs[alike]))
        cut.append((ours[number[of] < LEAST_ALIKE], theirs))
    return [(ours, theirs) for ours, theirs in cut if len(ours) and len(theirs)]
