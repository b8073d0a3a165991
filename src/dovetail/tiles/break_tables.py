"""Candidates of the search with breaks: those that fit north and west, and those that fit one of the two."""

import numpy as np
from numpy.typing import NDArray

from ..core.errors import Refused
from . import kernels
from .oriented import Oriented
from .plan import Plan, patterns

MOST_COLOURS, MOST_CLASSES = 4095, 8191  # that a record has room for
MOST_ENTRIES = 1 << 24  # of the table over both sides


class BreakTables:
    """Lists for (north, west), for north alone and for west alone; what does not change from start to start.

    ``pattern``, ``breakable``, ``slots``, ``exact``, ``by_north``, ``by_west`` are as ``kernels.search_breaks`` wants
    them; ``inner`` [colours]: the colours of the most common kind of seam, ``inner_sides``: the depths at which north
    and west are such seams.
    """

    def __init__(self, tiles: Oriented, order: Plan) -> None:
        assert order.scan, "breaks are searched along scans"
        colours = tiles.colours
        of_depth, masks = patterns(tiles, order)
        if colours > MOST_COLOURS or len(tiles.stock) > MOST_CLASSES or len(masks) * colours**2 > MOST_ENTRIES:
            raise Refused(f"partial has no room for {colours} colours; depth-first has")
        self.pattern = of_depth.astype(np.uint32)
        known = [(1 if 3 in sides else 0) + (2 if 0 in sides else 0) for sides in order.reads]
        self.breakable = np.array(known, dtype=np.uint8)
        self.slots = order.scan_slots()
        members, lists = [], []
        begin = 0
        firsts = []
        for keyed in ((0, 3), (0,), (3,)):
            size = colours ** len(keyed)
            for number, (fits, sides) in enumerate(masks):
                key_of = np.zeros(len(fits), dtype=np.int64)
                for side in keyed:
                    key_of = key_of * colours + (tiles.sides[fits, side] if side in sides else 0)
                members.append(fits)
                lists.append(begin + number * size + key_of)
            firsts.append((begin, begin + len(masks) * size))
            begin += len(masks) * size
        self._members, self._lists = np.concatenate(members), np.concatenate(lists)
        sizes = np.bincount(self._lists, minlength=begin)
        first = (np.cumsum(sizes) - sizes + np.arange(begin)).astype(np.uint32)
        self.exact, self.by_north, self.by_west = (first[a:b] for a, b in firsts)
        self._places = np.arange(len(self._lists)) + np.sort(self._lists)
        self._total = len(self._lists) + begin
        self.inner, self.inner_sides = _inner(tiles, order)
        packed = tiles.class_of.astype(np.uint64) << kernels.B_CLASS
        for side, shift in ((0, kernels.B_NORTH), (1, kernels.B_EAST), (2, kernels.B_SOUTH)):
            packed |= tiles.sides[:, side].astype(np.uint64) << shift
        self._packed = packed | tiles.sides[:, 3].astype(np.uint64)
        self._sides = tiles.sides

    def shuffled(
        self, rng: np.random.Generator, colour_weight: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Records, heavy tiles first and shuffled apart from that, and the oriented tile of each."""
        weight = colour_weight[self._sides].sum(axis=1)
        records, names = np.full(self._total, kernels.END), np.full(self._total, -1)
        rank = self._lists * 8.0 + (4 - weight[self._members]) + rng.random(len(self._members))
        names[self._places] = self._members[np.argsort(rank)]
        packed = self._packed | weight.astype(np.uint64) << kernels.B_WEIGHT
        records[self._places] = packed[names[self._places]]
        return records, names


def _inner(tiles: Oriented, order: Plan) -> tuple[NDArray[np.bool_], tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """See ``BreakTables.inner``: a kind of seam is known by the colours that can come up on it."""
    kind_of, masks = tiles.cell_kinds
    shown = [
        [np.bincount(tiles.sides[mask, side], minlength=tiles.colours).astype(bool).tobytes() for side in range(4)]
        for mask in masks
    ]
    kinds: dict[bytes, int] = {}
    kind_of_seam: dict[tuple[int, int], bytes] = {}
    for cell in map(int, order.cells):
        for side in range(4):
            if tiles.neighbour(cell, side) is not None:
                kind = kind_of_seam[cell, side] = shown[kind_of[cell]][side]
                kinds[kind] = kinds.get(kind, 0) + 1
    common = max(kinds, key=lambda kind: kinds[kind], default=bytes(tiles.colours))
    colours = np.frombuffer(common, dtype=bool)

    def at(side: int) -> NDArray[np.bool_]:
        return np.array(
            [
                side in sides and bool((np.frombuffer(kind_of_seam[int(cell), side], dtype=bool) & colours).any())
                for cell, sides in zip(order.cells, order.reads, strict=True)
            ]
        )

    return colours, (at(0), at(3))
