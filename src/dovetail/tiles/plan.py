"""Fill orders as data: which cell comes when, what is known of it by then, and the candidates that leaves."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .kernels import CLASS, EAST, END, NORTH, SOUTH
from .oriented import Oriented

NOWHERE, TRASH = 0, 1  # slots: a seam that is always 0, and one that nobody reads
NOTHING: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
MOST_DIRECT = 1 << 22  # entries of a table with a place for every pair of seam values


@dataclass(frozen=True)
class Plan:
    """A fill order over the cells that are not pinned."""

    cells: NDArray[np.int64]  # [n] in the order they are filled
    reads: tuple[tuple[int, ...], ...]  # [n] the sides whose neighbour lies by then, north before west before others
    slots: int
    read_slots: NDArray[np.uint32]  # [n, 4] for each of ``reads`` its seam, then NOWHERE
    write_slots: NDArray[np.uint32]  # [n, 4] seams north, east, south, west that a later cell reads, else TRASH

    @property
    def scan(self) -> bool:
        """Whether only north and west sides are ever known."""
        return all(set(sides) <= {0, 3} for sides in self.reads)

    def scan_slots(self) -> NDArray[np.uint32]:
        """[4n] for scans: the seams read north and west, written east and south."""
        reads = np.zeros((len(self.cells), 2), dtype=np.uint32)
        for depth, sides in enumerate(self.reads):
            for side, slot in zip(sides, self.read_slots[depth], strict=False):
                reads[depth, 0 if side == 0 else 1] = slot
        return np.concatenate([reads, self.write_slots[:, 1:3]], axis=1).ravel()

    def any_slots(self) -> NDArray[np.uint32]:
        """[8n] for any order: the seams read, then those written on all four sides."""
        return np.concatenate([self.read_slots, self.write_slots], axis=1).ravel()


def rows(tiles: Oriented) -> list[int]:
    """Row by row: the paper's arrangement I."""
    return list(range(tiles.cells))


def columns(tiles: Oriented) -> list[int]:
    """Column by column: arrangement II."""
    return [r * tiles.cols + c for c in range(tiles.cols) for r in range(tiles.rows)]


def along_shorter_side(tiles: Oriented) -> list[int]:
    """Short lines close sooner, so fewer open seams hang over the search."""
    return rows(tiles) if tiles.cols <= tiles.rows else columns(tiles)


def diagonal(tiles: Oriented) -> list[int]:
    """Diagonal by diagonal from the top left."""
    return sorted(range(tiles.cells), key=lambda cell: (sum(divmod(cell, tiles.cols)), cell))


def spiral(tiles: Oriented) -> list[int]:
    """Outwards from the hints; without any, inwards along the rim."""
    if not tiles.pinned:
        return sorted(range(tiles.cells), key=lambda cell: _around(tiles, cell))
    centres = [divmod(cell, tiles.cols) for cell in tiles.pinned]

    def distance(cell: int) -> int:
        row, col = divmod(cell, tiles.cols)
        return min(abs(row - r) + abs(col - c) for r, c in centres)

    return sorted(range(tiles.cells), key=lambda cell: (distance(cell), _around(tiles, cell)))


def _around(tiles: Oriented, cell: int) -> tuple[int, int, int]:
    """Ring from the rim inwards, and the way around it, clockwise from the top left."""
    row, col = divmod(cell, tiles.cols)
    ring = min(row, col, tiles.rows - 1 - row, tiles.cols - 1 - col)
    if row == ring:
        return ring, 0, col
    if col == tiles.cols - 1 - ring:
        return ring, 1, row
    return (ring, 2, -col) if row == tiles.rows - 1 - ring else (ring, 3, -row)


def most_constrained(tiles: Oriented) -> list[int]:
    """Always the cell with the fewest candidates to expect from the sides known so far; ties by rows."""
    kind_of, masks = tiles.cell_kinds
    candidates = np.maximum(1, masks.sum(axis=1))[kind_of]
    spread = np.log([max(2, len(np.unique(tiles.sides[:, side]))) for side in range(4)])
    expected = np.log(candidates)
    expected[list(tiles.pinned)] = np.inf
    order: list[int] = []
    for _ in range(tiles.cells - len(tiles.pinned)):
        cell = int(np.argmin(np.round(expected, 9)))
        order.append(cell)
        expected[cell] = np.inf
        for side in range(4):
            if (beyond := tiles.neighbour(cell, side)) is not None:
                expected[beyond] -= spread[(side + 2) % 4]
    return order


ORDERS: dict[str, Callable[[Oriented], list[int]]] = {
    "auto": along_shorter_side,
    "rows": rows,
    "columns": columns,
    "diagonal": diagonal,
    "spiral": spiral,
    "constrained": most_constrained,
}


def plan(tiles: Oriented, order: list[int]) -> Plan:
    """What is known where, when the cells are filled in this order."""
    cells = [cell for cell in order if cell not in tiles.pinned]
    depth_of = {cell: depth for depth, cell in enumerate(cells)}
    seam: dict[tuple[int, int], int] = {}  # (cell, side), both ways round
    reads, read_slots, write_slots = [], [], []
    for cell in cells:
        for side in range(4):
            beyond = tiles.neighbour(cell, side)
            if beyond in depth_of and (cell, side) not in seam:
                assert beyond is not None
                seam[cell, side] = seam[beyond, (side + 2) % 4] = TRASH + 1 + len(seam) // 2
    for depth, cell in enumerate(cells):
        beyond_at = [depth_of.get(b) if (b := tiles.neighbour(cell, s)) is not None else None for s in range(4)]
        known = [side for side in (0, 3, 1, 2) if (at := beyond_at[side]) is not None and at < depth]
        reads.append(tuple(known))
        read_slots.append([seam[cell, side] for side in known] + [NOWHERE] * (4 - len(known)))
        write_slots.append(
            [seam[cell, s] if (at := beyond_at[s]) is not None and at > depth else TRASH for s in range(4)]
        )
    return Plan(
        np.array(cells, dtype=np.int64),
        tuple(reads),
        TRASH + 1 + len(seam) // 2,
        np.array(read_slots, dtype=np.uint32).reshape(-1, 4),
        np.array(write_slots, dtype=np.uint32).reshape(-1, 4),
    )


def patterns(tiles: Oriented, order: Plan) -> tuple[NDArray[np.int64], list[tuple[NDArray[np.int64], tuple[int, ...]]]]:
    """The pattern of each depth, and of each pattern the oriented tiles that fit and the sides that are known.

    Cells of the same kind that know the same sides have the same pattern.
    """
    kind_of, masks = tiles.cell_kinds
    numbers: dict[tuple[int, tuple[int, ...]], int] = {}
    found: list[tuple[NDArray[np.int64], tuple[int, ...]]] = []
    of_depth = np.zeros(len(order.cells), dtype=np.int64)
    for depth, (cell, sides) in enumerate(zip(order.cells, order.reads, strict=True)):
        key = (int(kind_of[cell]), sides)
        if key not in numbers:
            numbers[key] = len(found)
            found.append((np.flatnonzero(masks[kind_of[cell]]), sides))
        of_depth[depth] = numbers[key]
    return of_depth, found


class Candidates:
    """For every set of known sides and their values, the oriented tiles that fit.

    A list is found in a table over (north, west), for scans, or in a trie, one step for each known side. Lists
    follow one another in ``records``, END after each. ``scarce_first`` puts tiles with few orientations before the
    others: a tile that looks the same from all sides fits the fewest holes, so those left for last kill a search.
    """

    def __init__(self, tiles: Oriented, order: Plan, scarce_first: bool) -> None:
        of_depth, masks = patterns(tiles, order)
        self.direct = order.scan and len(masks) * tiles.colours**2 <= MOST_DIRECT
        members, lists = (self._table if self.direct else self._trie)(tiles, masks)
        self.root = self._roots[of_depth].astype(np.uint32)
        self.known = np.array([len(sides) for sides in order.reads], dtype=np.uint32)
        scarcity = tiles.orientations[tiles.class_of[members]] if scarce_first else np.zeros(len(members), dtype=int)
        # within a list, shuffles keep to the order of ``_rank``
        self._rank = lists * 8.0 + scarcity
        self._members = members
        self._slots = np.arange(len(lists)) + np.sort(lists)
        packed = tiles.class_of.astype(np.uint64) << CLASS
        for side, shift in ((0, NORTH), (1, EAST), (2, SOUTH)):
            packed |= tiles.sides[:, side].astype(np.uint64) << shift
        self._packed = packed | tiles.sides[:, 3].astype(np.uint64)

    def _table(self, tiles: Oriented, masks: list[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """A list for every pattern and pair (north, west); a side that is not known counts as 0."""
        colours = tiles.colours
        members, lists = [NOTHING], [NOTHING]  # a board that is all hints has no cell to fill
        for pattern, (fits, sides) in enumerate(masks):
            key = np.full(len(fits), pattern)
            for side in (0, 3):
                key = key * colours + (tiles.sides[fits, side] if side in sides else 0)
            members.append(fits)
            lists.append(key)
        self._roots = np.arange(len(masks)) * colours**2
        found = np.concatenate(lists)
        self._count(found, len(masks) * colours**2)
        self.index = self.first
        return np.concatenate(members), found

    def _trie(self, tiles: Oriented, masks: list[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Nodes are blocks with an entry a seam value; the last level's entries are lists. List 0 is empty."""
        colours = tiles.colours
        blocks: list[NDArray[Any]] = []
        last_level: list[NDArray[Any]] = []  # of each block's entries, whether they name lists
        size, lists_so_far = 0, 1

        def add(block: NDArray[Any], last: bool) -> None:
            nonlocal size
            blocks.append(block)
            last_level.append(np.full(len(block), last))
            size += len(block)

        # dead[k]: where to go when nothing fits and k more sides are looked up
        dead = [0]
        for level in range(1, 5):
            dead.append(size)
            add(np.full(colours, dead[level - 1]), level == 1)
        members, lists, roots = [], [], []
        for fits, sides in masks:
            roots.append(size if sides else -lists_so_far)
            node = np.zeros(len(fits), dtype=np.int64)  # of each tile, at the level reached
            for step, side in enumerate(sides):
                last, nodes = step == len(sides) - 1, int(node.max(initial=0)) + 1
                paths, node = np.unique(node * colours + tiles.sides[fits, side], return_inverse=True)
                block = np.full(nodes * colours, dead[len(sides) - 1 - step])
                ways = np.arange(len(paths))
                block[paths] = lists_so_far + ways if last else size + len(block) + ways * colours
                add(block, last)
            members.append(fits)
            lists.append(lists_so_far + node)
            lists_so_far += int(node.max(initial=-1)) + 1 if sides else 1
        found = np.concatenate(lists)
        self._count(found, lists_so_far)
        entries, is_list = np.concatenate(blocks), np.concatenate(last_level)
        entries[is_list] = self.first[entries[is_list]]  # not the list's number, but where it begins
        self.index = entries.astype(np.uint32)
        self._roots = np.array([root if root >= 0 else int(self.first[-root]) for root in roots])
        return np.concatenate(members), found

    def _count(self, lists: NDArray[Any], number: int) -> None:
        sizes = np.bincount(lists, minlength=number)
        self.first = (np.cumsum(sizes) - sizes + np.arange(number)).astype(np.uint32)

    def shuffled(self, rng: np.random.Generator) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The records, every list in a new order, and the oriented tile of each (-1 where a list ends)."""
        total = len(self._members) + len(self.first)
        records, names = np.full(total, END), np.full(total, -1)
        names[self._slots] = self._members[np.argsort(self._rank + rng.random(len(self._rank)))]
        records[self._slots] = self._packed[names[self._slots]]
        return records, names
