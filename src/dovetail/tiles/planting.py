"""Boards that fit, for the generators: planted, then shuffled and turned."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadUsage
from ..core.puzzle import Placement
from .boards import Tile
from .engine import TileSearch
from .oriented import oriented
from .plan import ORDERS, Candidates, plan
from .puzzle import Making, Pin, Tiles, frame_sides, grey_frame
from .terracotta import Terracotta, standard

SPARSE = 60  # up to here shuffled tiles alone find a board at once; above, scarce tiles must go first
ATTEMPTS = 2000  # to make a tile differ from all others


def plant_arrows(rows: int, cols: int, repeats: bool, seed: int) -> tuple[Terracotta, Placement]:
    """Corner-arrow tiles in random order and orientation, and how they were planted."""
    rng = np.random.default_rng([seed, rows, cols])
    every = standard()
    if repeats:
        arrows = rng.integers(0, 4, (rows + 1, cols + 1))
        corners = (arrows[:-1, :-1], arrows[:-1, 1:], arrows[1:, :-1], arrows[1:, 1:])
        board: list[Tile] = [
            (int(a), int(b), int(c), int(d)) for a, b, c, d in np.stack(corners, axis=-1).reshape(-1, 4)
        ]
    else:
        tiles = replace(oriented(every), rows=rows, cols=cols, demands=np.full((rows * cols, 4), -1))
        order = plan(tiles, ORDERS["auto"](tiles))
        search = TileSearch(tiles, order, Candidates(tiles, order, rows * cols > SPARSE), 100_000, (seed, 0))
        while not search.full:
            search.advance(1_000_000)
            if search.exhausted:
                raise BadUsage(f"there is no {rows}x{cols} board without repeats")
        laid = search.placement()
        board = [
            every.turned(every.tiles[piece], turn)
            for row in zip(laid.pieces, laid.turns, strict=True)
            for piece, turn in zip(*row, strict=True)
        ]
    origin, turns = _mixed(len(board), rng, True)
    listed = tuple(every.turned(board[cell], turn) for cell, turn in zip(origin, turns, strict=True))
    return Terracotta(rows, cols, listed), _as_planted(origin, turns, cols)


def plant_tiles(settings: Making, seed: int) -> tuple[Tiles, Placement]:
    """Edge-matching tiles in random order and orientation, and how they were planted."""
    rows, cols = settings.height, settings.width
    rng = np.random.default_rng([seed, rows, cols, settings.colours])
    across, down = _seams(settings, rng)
    board = _tiles(across, down, settings.signed)
    if settings.distinct:
        board = _made_distinct(across, down, settings, rng)
    order, turns = _mixed(rows * cols, rng, settings.rotate)
    frame = None
    if settings.frame == "grey":
        frame = grey_frame(rows, cols)
    elif settings.frame == "coloured":
        frame = tuple(board[r * cols + c][side] for r, c, side in frame_sides(rows, cols))
    tiles = tuple(_turned(board[cell], turn) for cell, turn in zip(order, turns, strict=True))
    answer = _as_planted(order, turns, cols)
    bare = Tiles(
        rows, cols, tiles, settings.rotate, "signed" if settings.signed else "equal", frame, distinct=settings.distinct
    )  # fmt: skip
    cells = rng.permutation(rows * cols)[: settings.hints]
    return replace(bare, pins=tuple(pin_at(answer, int(cell), cols) for cell in cells)), answer


def pin_at(answer: Placement, cell: int, cols: int) -> Pin:
    """The hint that tells one cell of the answer."""
    row, col = divmod(cell, cols)
    return Pin(row, col, answer.pieces[row][col], answer.turns[row][col])


def _seams(settings: Making, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Colours of the seams: across [rows, cols + 1] between columns, down [rows + 1, cols] between rows, rim included.

    Every colour comes up as often as any other, give or take one.
    """
    rows, cols = settings.height, settings.width
    across, down = np.zeros((rows, cols + 1), dtype=np.int64), np.zeros((rows + 1, cols), dtype=np.int64)
    inner_across, inner_down = np.zeros_like(across, dtype=bool), np.zeros_like(down, dtype=bool)
    inner_across[:, 1:-1], inner_down[1:-1] = True, True
    border_across, border_down = inner_across.copy(), inner_down.copy()
    border_across[1:-1], border_down[:, 1:-1] = False, False  # seams between two tiles of the rim, along it
    first = 0
    if settings.border_colours:
        first = settings.border_colours
        _deal(((across, border_across), (down, border_down)), 1, first, rng)
        inner_across &= ~border_across
        inner_down &= ~border_down
    if settings.frame != "grey":  # then the rim is like any other side
        inner_across[:, [0, -1]] = True
        inner_down[[0, -1]] = True
    _deal(((across, inner_across), (down, inner_down)), first + 1, settings.colours, rng)
    if settings.signed:
        across *= rng.choice([-1, 1], across.shape)
        down *= rng.choice([-1, 1], down.shape)
    return across, down


def _deal(
    seams: tuple[tuple[NDArray[np.int64], NDArray[np.bool_]], ...], first: int, colours: int, rng: np.random.Generator
) -> None:
    total = sum(int(where.sum()) for _, where in seams)
    deck = rng.permutation(first + np.arange(total) % colours)
    for values, where in seams:
        number = int(where.sum())
        values[where], deck = deck[:number], deck[number:]


def _tiles(across: NDArray[np.int64], down: NDArray[np.int64], signed: bool) -> list[Tile]:
    """(N, E, S, W) row by row; the two sides of a signed seam are each other's negative."""
    sign = -1 if signed else 1
    sides = (down[:-1] * sign, across[:, 1:], down[1:], across[:, :-1] * sign)
    return [(int(n), int(e), int(s), int(w)) for n, e, s, w in np.stack(sides, axis=-1).reshape(-1, 4)]


def _made_distinct(
    across: NDArray[np.int64], down: NDArray[np.int64], settings: Making, rng: np.random.Generator
) -> list[Tile]:
    """Swap seams of equal colour counts about until no two tiles are alike."""
    for _ in range(ATTEMPTS):
        board = _tiles(across, down, settings.signed)
        seen: dict[Tile, int] = {}
        twin = None
        for cell, tile in enumerate(board):
            look = min(_turned(tile, turn) for turn in range(4 if settings.rotate else 1))
            if look in seen:
                twin = cell
                break
            seen[look] = cell
        if twin is None:
            return board
        row, col = divmod(twin, settings.width)
        seams = [(across, row, col), (across, row, col + 1), (down, row, col), (down, row + 1, col)]
        array, r, c = seams[rng.integers(4)]
        rest = np.argwhere((array != 0) == (array[r, c] != 0))
        other = tuple(rest[rng.integers(len(rest))])
        if _same_kind(array, (r, c), other, settings):
            array[r, c], array[other] = array[other], array[r, c]
    raise BadUsage(
        f"{settings.colours} colours are too few to make {settings.width * settings.height} tiles that all differ; "
        "allow more colours, or leave out distinct"
    )


def _same_kind(array: NDArray[np.int64], one: tuple[int, int], other: tuple[int, ...], settings: Making) -> bool:
    """Whether two seams may change places: both along the rim or both not, where those have colours of their own."""
    if not settings.border_colours:
        return True
    return bool((abs(array[one]) <= settings.border_colours) == (abs(array[other]) <= settings.border_colours))


def _turned(tile: Tile, turns: int) -> Tile:
    """After quarter turns counter-clockwise."""
    a, b, c, d = (tile[(side + turns) % 4] for side in range(4))
    return (a, b, c, d)


def _mixed(number: int, rng: np.random.Generator, rotate: bool) -> tuple[list[int], list[int]]:
    """For every tile listed, the cell it comes from and how often it is turned when listed."""
    return rng.permutation(number).tolist(), (rng.integers(0, 4, number) if rotate else np.zeros(number, int)).tolist()


def _as_planted(order: list[int], turns: list[int], cols: int) -> Placement:
    pieces, back = [0] * len(order), [0] * len(order)
    for piece, (cell, turn) in enumerate(zip(order, turns, strict=True)):
        pieces[cell], back[cell] = piece, -turn % 4
    return Placement.from_flat(pieces, back, cols)
