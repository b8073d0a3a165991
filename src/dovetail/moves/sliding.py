"""Three ways to work on a tray of any size: tiles put in place a few at a time, beam search, and shortening a play.

All trays stand so that the gap belongs last: tile t belongs in cell t - 1.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .patterns import tray
from .slide_kernels import Beam, Front, advance, place, shorter

QUICK, THOROUGH = 2**17, 2**21  # positions of some tiles and the gap to look at, at most: more tiles at a time
KNOWN = 2**21  # positions that a beam search remembers
PATIENCE = 60  # depths that a beam search goes on without coming nearer
ROUNDS = ((24, 10_000), (40, 100_000), (50, 300_000))  # slides of a stretch, and nodes to look at for a shorter one
STRIDES = 6  # stretches of a play that cover each slide


def lots(rows: int, cols: int, positions: int) -> list[tuple[int, ...]]:
    """The cells to fill together, one lot after the other, so that the rest can always be solved.

    Whole rows and columns, down to 2x2 cells or what can be done at once; of a line that is too long for one lot, at
    least two cells are left to the end, since a single last tile may not fit in.
    """
    found: list[tuple[int, ...]] = []
    top, left = 0, 0
    while True:
        high, wide = rows - top, cols - left
        free = high * wide
        if free**free <= positions or (high, wide) == (2, 2):
            rest = [row * cols + col for row in range(top, rows) for col in range(left, cols)]
            return [*found, tuple(rest[:-1])]
        if high > 2 and high >= wide:
            line = [top * cols + col for col in range(left, cols)]
            top += 1
        else:
            line = [row * cols + left for row in range(top, rows)]
            left += 1
        while line:
            most = next(size for size in range(len(line), 0, -1) if size <= 2 or free ** (size + 1) <= positions)
            size = len(line) if len(line) <= most else min(most, len(line) - 2)
            found.append(tuple(line[:size]))
            del line[:size]
            free -= size


class Sliding:
    """All of it, one after the other. ``path`` is the best play so far; ``solved``: it comes to the goal.

    ``width``: of the beam search; ``window``: slides of the longest stretch to shorten; 0: without.
    """

    def __init__(
        self, rows: int, cols: int, tiles: tuple[int, ...], width: int, window: int, positions: int = THOROUGH
    ) -> None:
        self.path: list[int] = []
        self.seen, self.solved = 0, False
        self._tray, self._tiles = (rows, cols), tiles
        self._width, self._window, self._positions = width, window, positions

    def work(self) -> Iterator[None]:
        """Yields between slices of about a tenth of a second at most."""
        first = Construction(*self._tray, self._tiles, self._positions)
        for _ in self._counted(first):
            self.path = first.path
            yield
        self.solved = True
        if self._width:
            beam = BeamSearch(*self._tray, self._tiles, self._width)
            yield from self._counted(beam)
            rest = Construction(*self._tray, beam.tiles, self._positions)
            yield from self._counted(rest)
            self.path = min(self.path, beam.path + rest.path, key=len)
        for window, nodes in ROUNDS:
            if window <= self._window:
                shorter = Shortening(*self._tray, self._tiles, self.path, window, nodes)
                for _ in self._counted(shorter):
                    self.path = shorter.path
                    yield

    def _counted(self, part: "Construction | BeamSearch | Shortening") -> Iterator[None]:
        """The work of a part, its positions added to ours."""
        before = self.seen
        for _ in part.work():
            self.seen = before + part.seen
            yield


class Construction:
    """Always comes to the goal. ``path`` are the tiles that slid so far, ``seen`` the positions looked at."""

    def __init__(self, rows: int, cols: int, tiles: tuple[int, ...], positions: int) -> None:
        self.path: list[int] = []
        self.seen = 0
        self._tray, self._lots = tray(rows, cols), lots(rows, cols, positions)
        self._board = np.array(tiles, np.int64)

    def work(self) -> Iterator[None]:
        """Fills one lot of cells after the other; yields after each."""
        free = [*range(len(self._board))]
        for lot in self._lots:
            number = np.full(len(self._board), -1, np.int64)
            number[free] = range(len(free))
            homes, positions = np.array(lot, np.int64), len(free) ** (len(lot) + 1)
            room = [np.empty(positions, np.int32) for _ in range(2)]
            path = np.empty(positions, np.int64)
            slides, seen = place(self._tray, self._board, homes + 1, homes, number, *room, path)
            self.path += path[:slides].tolist()
            self.seen += seen
            free = [cell for cell in free if cell not in lot]
            yield


class BeamSearch:
    """The ``width`` positions nearest to the goal at every depth. ``path`` and ``tiles`` are the nearest of all.

    On large trays it comes very near on a short way and does not get on: a Construction from there does the rest.
    """

    def __init__(self, rows: int, cols: int, tiles: tuple[int, ...], width: int) -> None:
        self.path, self.tiles = list[int](), tiles
        self.seen = 0
        cells = rows * cols
        self._tray, self._width = tray(rows, cols), width
        distance, words = distances(rows, cols), np.random.default_rng(cells).integers(2**62, size=(cells, cells))
        counts = np.zeros(int(distance.max()) * cells + 2, np.int64)
        self._beam = Beam(
            distance, words.astype(np.uint64), np.zeros(KNOWN, np.uint64), np.zeros(4 * width, np.int32),
            np.zeros(4 * width, np.int32), np.zeros(4 * width, np.int32), np.zeros(4 * width, np.uint64), counts,
        )  # fmt: skip
        self._front, self._after = _front(width, cells), _front(width, cells)
        self._front.board[0], self._front.gap[0] = tiles, tiles.index(0)
        self._front.estimate[0] = sum(int(distance[cell, tile - 1]) for cell, tile in enumerate(tiles) if tile)

    def work(self) -> Iterator[None]:
        """Yields after every depth; ends at the goal, or when it came no nearer for long."""
        number, steps = 1, list[tuple[Any, Any]]()
        nearest, found = int(self._front.estimate[0]), 0  # and the depth where that was
        while number and nearest and len(steps) < found + PATIENCE:
            origin, tile = np.zeros(self._width, np.int32), np.zeros(self._width, np.uint8)
            self.seen += number
            number = advance(self._tray, self._beam, self._front, number, self._after, origin, tile)
            steps.append((origin[:number].copy(), tile[:number].copy()))
            self._front, self._after = self._after, self._front
            if number and (estimate := int(self._front.estimate[:number].min())) < nearest:
                nearest, found = estimate, len(steps)
                self._take(steps, int(self._front.estimate[:number].argmin()))
            yield

    def _take(self, steps: list[tuple[Any, Any]], which: int) -> None:
        self.tiles, self.path = tuple(self._front.board[which].tolist()), []
        for origin, tile in reversed(steps):
            self.path.append(int(tile[which]))
            which = int(origin[which])
        self.path.reverse()


def _front(width: int, cells: int) -> Front:
    return Front(
        np.zeros((width, cells), np.uint8), np.zeros(width, np.int64), np.full(width, -1, np.int64),
        np.zeros(width, np.int64), np.zeros(width, np.uint64),
    )  # fmt: skip


class Shortening:
    """Replaces stretches of a play by shorter ones, of up to ``window`` slides, looking at ``nodes`` for each."""

    def __init__(self, rows: int, cols: int, tiles: tuple[int, ...], path: list[int], window: int, nodes: int) -> None:
        self.path, self.seen = list(path), 0
        self._start, self._window, self._nodes = tiles, window, nodes
        self._tray, self._distance = tray(rows, cols), distances(rows, cols)

    def work(self) -> Iterator[None]:
        """Yields after every stretch; ends when none of them becomes shorter."""
        room, better = np.zeros((3, self._window + 2), np.int64), np.zeros(self._window + 2, np.int64)
        begin, board = 0, np.array(self._start, np.int64)
        while begin < len(self.path) - 2:
            stretch = self.path[begin : begin + self._window]
            homes = np.argsort(_slid(board, stretch))
            slides, seen = shorter(
                self._tray, self._distance, board, homes, len(stretch) - 2, room, better, self._nodes
            )
            self.seen += seen
            if slides >= 0:
                self.path[begin : begin + len(stretch)] = better[:slides].tolist()
                # what lay before may become shorter together with what is new
                begin = max(0, begin - self._window + 1)
                board = _slid(np.array(self._start, np.int64), self.path[:begin])
            else:
                stride = max(1, self._window // STRIDES)
                board = _slid(board, self.path[begin : begin + stride])
                begin += stride
            yield


def distances(rows: int, cols: int) -> Any:
    """The city distance of every two cells."""
    row, col = np.divmod(np.arange(rows * cols), cols)
    return abs(row[:, None] - row) + abs(col[:, None] - col)


def _slid(board: Any, path: list[int]) -> Any:
    """The board after these slides."""
    cells = {int(tile): cell for cell, tile in enumerate(board)}
    for tile in path:
        cells[0], cells[tile] = cells[tile], cells[0]
    after = np.empty_like(board)
    for tile, cell in cells.items():
        after[cell] = tile
    return after
