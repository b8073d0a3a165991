"""A picture, or several, in the making: islands joined, the largest laid, the rest grown around them, doubts annealed.

Where the frame is known, everything is laid into it. Where it is not, pieces are laid as long as they are likelier
right than wrong; then, if nothing is foreign, what is left goes into the holes. Pieces whose places are told
(``hints/laying.py``) are laid there first, and stay there.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..core.puzzle import EMPTY, Placement
from ..core.solver import Progress
from .annealing import NOT, blocks, bring
from .boards import Boards, Chain, Saved
from .coarse import FEWEST, Coarse, sizes
from .growing import FORCED, Table, empty_table, fill, grow
from .hints.laying import BOND, anchored, islands_of
from .hints.told import Group, Lies
from .joining import Islands, agglomerate, alone, broken
from .kernels import seeded
from .poses import UNIT, VOID, WALL, Fits, Limits, total
from .puzzle import MOST_CELLS, MOST_PICTURES, Jigsaw
from .tables import bulk, lay, regions, rule_anew, trimmed

OPEN = UNIT  # the least weight of what is laid where the frame is not known
FIRM = 6 * UNIT  # what holds the parts of a board together, when they join again
SLIDES = 3  # lines
SHARE = 0.3  # of the largest: islands from that size on are pictures of their own
MOST_ROOM = 10  # cells a piece of a square that holds the frame either way
SPARSE = 0.25  # of the cells of a picture's outermost line: with fewer pieces, it is no line of the picture
FRAMES = 24  # glances at how islands came about
MOST_TWINS = 40  # pieces that look alike, of which one goes to its place
TRIED = 200  # blocks around a piece that is brought to its place
MARGIN = 8  # cells around a picture that it may grow into, and half of its size more


class Assembly(Boards):
    """Boards of one puzzle. ``means`` are mean colours of the edges, for what nothing else is known of.

    ``groups`` of pieces lie to each other as is told; ``bonds`` of the weights are told as well, and no odds.
    """

    def __init__(
        self,
        puzzle: Jigsaw,
        fits: Fits,
        means: NDArray[np.float32],
        seed: int,
        chains: int,
        groups: Sequence[Group] = (),
        bonds: int = 0,
    ) -> None:
        super().__init__(fits, [], puzzle.turns)
        self.puzzle, self.means = puzzle, means
        short = np.uint64(seed % 2**64)
        self._states = [np.array([seeded(short, number)], np.uint64) for number in range(chains)]
        self._quarters = puzzle.rotate and puzzle.height == puzzle.width
        islands = islands_of(puzzle, fits, groups)
        self._told, self._bonds = anchored(groups), bonds * BOND
        self.framed = puzzle.rows is not None
        self._since = islands.since
        self._apart: list[NDArray[np.int32]] = []
        first = self._laid(islands)
        if not self._told:
            first = self._rejoined(first)
            first = self._slid(first) if self.framed else first
        cells = len(first.board)
        for number, state in enumerate(self._states):
            self.chains.append(Chain(first.copied() if number else first, blocks(cells, puzzle.count), state))
        if self.framed and self._told:
            for chain in self.chains:
                rule_anew(chain.table, fits)
        fixed = first.where[[*self._told]]
        for chain in self.chains:
            chain.blocks.fixed[fixed] = True

    @property
    def log_odds(self) -> float:
        """The total of the first board in natural logarithms; seams that are told count nothing."""
        return (self.total() - self._bonds) / UNIT

    def remember(self) -> None:
        """Keep the boards as they are on all chains: where they differ, nobody can be sure."""
        self._apart = [chain.table.board.copy() for chain in self.chains]

    def apart(self) -> list[Placement]:
        """The boards that were kept, as answers."""
        return [self.placement(board) for board in self._apart]

    def progress(self, moves: int, best: int, board: Saved) -> Progress:
        """A glance at the best board."""
        details = {"doubtful": self.doubtful}
        shown = (best - self._bonds) / UNIT
        return Progress(moves, "moves", shown, None, "log odds", details, self.placement(board[0]))

    def begun(self) -> Iterator[Progress]:
        """How islands came about, told afterwards: pieces where they were laid, in the order in which they joined."""
        table, since = self.chains[0].table, self._since
        joins, laid = int(since.max(initial=0)), np.flatnonzero(table.where >= 0)
        for share in range(1, min(FRAMES, joins)):
            part = table.board.copy()
            late = (since[laid] > joins * share // FRAMES) | (since[laid] == 0)
            part[table.where[laid[late]]] = VOID
            if (part >= 0).any():
                yield Progress(
                    0, "moves", len(laid) - int(late.sum()), len(laid), "pieces joined", {}, self.placement(part)
                )

    def placement(self, board: NDArray[np.int32] | None = None) -> Placement:
        """A board as an answer: the frame, or the pictures side by side."""
        table = self.chains[0].table
        grid = (table.board if board is None else board).reshape(-1, table.width)
        if self.framed:
            top, bottom, left, right = table.box
            grid = grid[top : bottom + 1, left : right + 1]
            if (self.puzzle.rows, self.puzzle.cols) != grid.shape:  # grown on its side
                grid = np.rot90(grid)
                grid = np.where(grid >= 0, (grid & ~3) | ((grid + 1) & 3), grid)
            return self._placed([grid])
        return self._placed([trimmed(grid[:, first:last]) for first, last in regions(grid)])

    def _placed(self, grids: Sequence[NDArray[np.int32]]) -> Placement:
        rows, cols = max(len(grid) for grid in grids), sum(grid.shape[1] + 1 for grid in grids) - 1
        pieces, turns = np.full((rows, cols), EMPTY), np.zeros((rows, cols), np.int64)
        at = 0
        for grid in grids:
            part = np.s_[: len(grid), at : at + grid.shape[1]]
            pieces[part] = np.where(grid >= 0, grid // self.fits.span, EMPTY)
            turns[part] = np.where(grid >= 0, grid % self.fits.span, 0)
            at += grid.shape[1] + 1
        return Placement.from_flat(pieces.ravel().tolist(), turns.ravel().tolist(), cols)

    def _laid(self, islands: Islands) -> Table:
        """Islands joined and laid, and all else around them."""
        return self._in_frame(islands) if self.framed else self._free(islands)

    def _rejoined(self, table: Table) -> Table:
        """The islands once more, if that helps: the firm parts of a board join by all that they now are.

        At first a piece that lies astray may keep a whole part of the picture out of its place, or out of the frame.
        """
        fits = self.fits
        best = total(fits, table.board, table.lines, table.where, table.step)
        islands = alone(self.puzzle.count, fits.span)
        broken(fits, table.board, table.where, table.step, table.width, FIRM, islands)
        again = self._laid(islands)
        return again if total(fits, again.board, again.lines, again.where, again.step) > best else table

    def _slid(self, table: Table) -> Table:
        """The whole board some lines further, and what leaves the frame laid anew at the other end, if that helps.

        Where the outermost lines of a picture show little, others may have come to lie at its other end instead.
        """
        fits, box = self.fits, table.box
        part = np.s_[box[0] : box[1] + 1, box[2] : box[3] + 1]
        best, known = total(fits, table.board, table.lines, table.where, table.step), None
        while known is not table:
            known = table
            inside = known.board.reshape(-1, table.width)[part]
            for axis, lines in product(range(2), range(-SLIDES, SLIDES + 1)):
                if not 0 < abs(lines) < inside.shape[axis]:
                    continue
                other = known.copied()
                moved = np.roll(inside, lines, axis)
                left = np.s_[:lines] if lines > 0 else np.s_[lines:]
                moved[(left,) if axis == 0 else (slice(None), left)] = VOID
                other.board.reshape(-1, table.width)[part] = moved
                other.where[:] = VOID
                laid = np.flatnonzero(other.board >= 0)
                other.where[other.board[laid] // fits.span] = laid
                rule_anew(other, fits)
                grow(fits, other, Limits(inside.shape[0], inside.shape[1], False), FORCED)
                fill(other, self.means, self.turns, fits.span)
                weight = total(fits, other.board, other.lines, other.where, other.step)
                if weight > best:
                    table, best = other, weight
        return table

    def _in_frame(self, islands: Islands) -> Table:
        """The largest island, and all others around it, in a frame that floats until it is full."""
        rows, cols = self.puzzle.rows or 0, self.puzzle.cols or 0
        if self._told:
            return self._as_told(islands, rows, cols)
        limits = Limits(rows, cols, self._quarters)
        agglomerate(self.fits, islands, limits, OPEN if self.puzzle.foreign else FORCED)
        longest = max(rows, cols)
        # there is no room to let a long frame lie either way: it lies as its largest island does
        if self._quarters and longest**2 > MOST_ROOM * self.puzzle.count:
            top, bottom, left, right = islands.box[islands.size.argmax()]
            if (bottom - top > right - left) != (rows > cols):
                rows, cols = cols, rows
            limits = Limits(rows, cols, False)
        room = (2 * longest, 2 * longest) if limits.either else (2 * rows, 2 * cols)
        table = empty_table(*room, self.puzzle.count, self.fits.span, self.fits.edges.shape[1])
        largest = int(islands.size.argmax())
        top, bottom, left, right = islands.box[largest]
        lay(table, self.fits, islands, largest, (room[0] - bottom + top) // 2 + 1, (room[1] - right + left) // 2 + 1)
        grow(self.fits, table, limits, FORCED)
        box = table.box
        upright = box[1] - box[0] < rows and box[3] - box[2] < cols
        for axis, length, most in ((0, rows if upright else cols, room[0]), (2, cols if upright else rows, room[1])):
            missing = length - 1 - (box[axis + 1] - box[axis])
            after = min(missing, most - box[axis + 1])
            box[axis + 1] += after
            box[axis] -= missing - after
        fill(table, self.means, self.turns, self.fits.span)
        grid = table.board.reshape(-1, table.width)
        outside = np.ones(grid.shape, bool)
        outside[box[0] : box[1] + 1, box[2] : box[3] + 1] = False
        grid[outside] = WALL
        return table

    def _as_told(self, islands: Islands, rows: int, cols: int) -> Table:
        """All around the pieces whose places in the frame are told."""
        limits = Limits(rows, cols, False)
        agglomerate(self.fits, islands, limits, OPEN if self.puzzle.foreign else FORCED)
        table = empty_table(rows, cols, self.puzzle.count, self.fits.span, self.fits.edges.shape[1])
        lay(table, self.fits, islands, int(islands.size.argmax()), 1, 1)
        grow(self.fits, table, limits, FORCED)
        table.box[:] = 1, rows, 1, cols
        fill(table, self.means, self.turns, self.fits.span)
        return table

    def adopt(self, placement: Placement) -> bool:
        """Go on from another board in the same frame, with what is told brought to its places, if that weighs more."""
        chain = self.chains[0]
        before, saved, fixed = self.total(), self.save(), chain.blocks.fixed.copy()
        lines = chain.table.lines.copy()
        table, span = chain.table, self.fits.span
        pieces, turns = np.array(placement.pieces, np.int32), np.array(placement.turns, np.int32)
        poses = np.where(pieces == EMPTY, VOID, pieces * span + turns).astype(np.int32)
        table.board.reshape(-1, table.width)[1:-1, 1:-1] = poses
        table.where[:] = VOID
        laid = np.flatnonzero(table.board >= 0)
        table.where[table.board[laid] // span] = laid
        rule_anew(table, self.fits)
        chain.blocks.fixed[:] = False
        brought = all(self._brought(piece * span + lies.turn, lies) for piece, lies in self._told.items())
        chain.blocks.fixed[:] = fixed
        better = brought and self.total() > before
        self.load(self.save() if better else saved)
        for each in self.chains:
            each.table.lines[:] = chain.table.lines if better else lines
        return better

    @property
    def squares(self) -> list[tuple[int, int]]:
        """How large the squares are that may change places as a whole, if that helps."""
        if self.puzzle.mixed:
            return []
        return [size for size in sizes(self.fits) if self.puzzle.count >= FEWEST * size[0] * size[1]]

    def cut(self, size: tuple[int, int]) -> Coarse:
        """The first board in squares."""
        return Coarse(self.fits, self.chains, size, self.turns.tolist())

    def _brought(self, pose: int, lies: Lies) -> bool:
        """Bring a piece to its place on the first board, and fix it there."""
        table, room, state = self.chains[0].table, self.chains[0].blocks, self.chains[0].state
        target, start = (lies.row + 1) * table.width + lies.col + 1, int(table.where[pose // self.fits.span])
        if start < 0:  # it was left out: what lies there takes its turn at that
            was = int(table.board[target])
            if was >= 0:
                table.where[was // self.fits.span] = VOID
        if start in (target, VOID):
            table.board[target], table.where[pose // self.fits.span] = pose, target
        else:
            best: tuple[int, Saved] | None = None
            begun = self.save()
            for twin in self._twins(pose // self.fits.span):
                table.board[:], table.where[:] = begun
                self._rename(pose // self.fits.span, twin)
                if table.where[pose // self.fits.span] == target:  # its twin lay there: that is no change at all
                    table.board[target] = pose
                elif bring(self.fits, table, room, pose, target, TRIED, state, *self.save()) == NOT:
                    continue
                if best is None or self.total() > best[0]:
                    best = self.total(), self.save()
            table.board[:], table.where[:] = begun if best is None else best[1]
            if best is None:
                return False
        room.fixed[target] = True
        return True

    def _twins(self, piece: int) -> list[int]:
        """A piece, and those that look like it and may be moved: it does not matter which of them goes to its place."""
        fits, chain = self.fits, self.chains[0]
        first = int(fits.first[piece * fits.span]) // fits.span
        alike = fits.alike[fits.begin[first] : fits.begin[first] + fits.number[first]].tolist()
        lying = [twin for twin in alike if chain.table.where[twin] >= 0]
        return [piece, *(t for t in lying if t != piece and not chain.blocks.fixed[chain.table.where[t]])][:MOST_TWINS]

    def _rename(self, piece: int, twin: int) -> None:
        """Let two pieces that look alike change places on the first board."""
        if piece == twin:
            return
        table, span = self.chains[0].table, self.fits.span
        ours, theirs = int(table.where[piece]), int(table.where[twin])
        turns = int(table.board[ours]) % span, int(table.board[theirs]) % span
        table.board[ours], table.board[theirs] = twin * span + turns[0], piece * span + turns[1]
        table.where[piece], table.where[twin] = theirs, ours

    def _free(self, islands: Islands) -> Table:
        """The largest islands side by side, each with room to grow."""
        limits = Limits(MOST_CELLS, MOST_CELLS, False)
        agglomerate(self.fits, islands, limits, OPEN)
        largest = np.argsort(-islands.size, kind="stable")[: MOST_PICTURES if self.puzzle.mixed else 1]
        chosen = [int(island) for island in largest if islands.size[island] >= SHARE * islands.size.max()]
        heights, widths = (
            [int(islands.box[island, k + 1] - islands.box[island, k] + 1) for island in chosen] for k in (0, 2)
        )
        room = [(2 * MARGIN + 2 * high, 2 * MARGIN + 2 * wide) for high, wide in zip(heights, widths, strict=True)]
        rows, cols = max(high for high, _ in room), sum(wide + 1 for _, wide in room) - 1
        table = empty_table(rows, cols, self.puzzle.count, self.fits.span, self.fits.edges.shape[1])
        grid, at = table.board.reshape(-1, table.width), 1
        for island, high, (_, wide) in zip(chosen, heights, room, strict=True):
            grid[:, at - 1] = WALL
            place = (rows - high) // 2 + 1, at + MARGIN + (wide - 2 * MARGIN) // 4
            lay(table, self.fits, islands, island, *place, slice(at, at + wide))
            at += wide + 1
        grow(self.fits, table, limits, OPEN)
        self._settle(table)
        return table

    def _settle(self, table: Table) -> None:
        """Close the pictures as they are; if nothing is foreign, lay what is left into them, or else around them."""
        limits = Limits(MOST_CELLS, MOST_CELLS, False)
        open_ = table.board != WALL
        self._close(table)
        table.box[:] = 1, len(table.board) // table.width - 2, 1, table.width - 2
        if self.puzzle.foreign:
            return
        grow(self.fits, table, limits, FORCED)
        fill(table, self.means, self.turns, self.fits.span)
        if (table.where < 0).any():
            table.board[open_ & (table.board == WALL)] = VOID
            grow(self.fits, table, limits, FORCED)
            fill(table, self.means, self.turns, self.fits.span)
            self._close(table, least=0.0)

    def _close(self, table: Table, least: float = SPARSE) -> None:
        """Wall off all but the bulk of each picture; strays are taken up again."""
        grid = table.board.reshape(-1, table.width)
        for first, last in regions(grid):
            region = grid[:, first:last]
            top, bottom, left, right = self._with_told(region, bulk(region >= 0, least))
            outside = np.ones(region.shape, bool)
            outside[top : bottom + 1, left : right + 1] = False
            table.where[region[outside & (region >= 0)] // self.fits.span] = VOID
            region[outside] = WALL

    def _with_told(self, region: NDArray[np.int32], box: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
        """A box that holds what is told as well."""
        rows, cols = np.nonzero((region >= 0) & np.isin(region // self.fits.span, [*self._told]))
        if not len(rows):
            return box
        top, bottom, left, right = box
        return min(top, rows.min()), max(bottom, rows.max()), min(left, cols.min()), max(right, cols.max())
