"""Compiled rules of the n-puzzle, as people play it: a tile or two at a time in a fixed order, and what lies stays.

Slides at random come to nothing. With the order of solving fixed (Kiarostami et al. 2021, 3.3.1), and slides preferred
that bring the next tiles nearer to their places (3.3.4), random plays come to the goal, each another way.
"""

from collections import namedtuple
from collections.abc import Iterable

import numpy as np

from ...kernel import kernel
from ...search import mcts, nested
from ..games.fifteen import Fifteen

CODES = 40_000  # policy weights: a slide is known by its tile, and by the cell that this leaves and the side it goes to
SLIDES_A_CELL = 25  # a play is over after so many slides for every cell
ASIDE = 0.05  # how likely a slide is that does not bring the lot nearer to its place, beside one that does
UNSEEN = -1

# tally: slides so far; the lot to put in place; the gap; the most slides
PLAYED, LOT, GAP, MOST = range(4)

# The tray stands so that the gap belongs last: tile t belongs in cell t - 1. path [slides]: the tiles that slid; tally:
# see above. board [cells]; where [tiles, 0 the gap]: the other way round. near [cells, 4], degree [cells]: the cells
# beside a cell. lot_of [cells]; lots [lots + 1], order [tiles]: the tiles by lot, and where each lot begins there.
# lot_at [slides + 1]: the lot before each slide. far: for each lot, from far_at [lots] on, by the cells of the gap and
# of one or two tiles, how many slides put these in place. words [tiles, cells], marks [slides + 1 + tiles]: random,
# for ``key``.
State = namedtuple(
    "State",
    [
        "path", "tally", "board", "where", "near", "degree", "lot_of", "lots", "order", "lot_at", "far", "far_at",
        "words", "marks",
    ],
)  # fmt: skip


def turned(puzzle: Fifteen) -> tuple[int, ...]:
    """The tiles with the tray so that the gap belongs last: if it belongs first, upside down, counted from the end."""
    cells = len(puzzle.tiles)
    if not puzzle.blank_first:
        return puzzle.tiles
    return tuple(cells - tile if tile else 0 for tile in reversed(puzzle.tiles))


def written(puzzle: Fifteen, path: Iterable[int]) -> tuple[str, ...]:
    """The tiles by their own numbers."""
    cells = len(puzzle.tiles)
    return tuple(str(cells - int(tile) if puzzle.blank_first else int(tile)) for tile in path)


def solvable(puzzle: Fifteen) -> bool:
    """Whether the order of the tiles is as odd or even as the way of the gap to its place."""
    tiles, swaps = [*turned(puzzle)], 0
    gap = tiles.index(0)
    way = puzzle.rows - 1 - gap // puzzle.cols + puzzle.cols - 1 - gap % puzzle.cols
    tiles[gap] = len(tiles)
    for cell in range(len(tiles)):
        while tiles[cell] != cell + 1:
            home = tiles[cell] - 1
            tiles[cell], tiles[home] = tiles[home], tiles[cell]
            swaps += 1
    return (swaps + way) % 2 == 0


def limits(puzzle: Fifteen) -> tuple[int, int]:
    """The gap has four neighbours at most."""
    return SLIDES_A_CELL * len(puzzle.tiles), 4


def state(puzzle: Fifteen) -> State:
    """The position before the first move. Where the goal cannot be reached there are no moves."""
    rows, cols, cells = puzzle.rows, puzzle.cols, len(puzzle.tiles)
    most = limits(puzzle)[0]
    near, degree = np.zeros((cells, 4), np.int64), np.zeros(cells, np.int64)
    row, col = np.divmod(np.arange(cells), cols)
    for cell in range(cells):
        beside = np.flatnonzero(abs(row - row[cell]) + abs(col - col[cell]) == 1)
        near[cell, : len(beside)], degree[cell] = beside, len(beside)
    lots = _lots(rows, cols)
    lot_of = np.full(cells, len(lots), np.int64)
    for number, lot in enumerate(lots):
        lot_of[list(lot)] = number
    far_at = np.cumsum([0, *(cells ** (1 + min(len(lot), 2)) for lot in lots)])
    board, random = np.array(turned(puzzle), np.int64), np.random.default_rng(cells)
    new = State(
        np.zeros(most, np.int64), np.array([0, 0, board.argmin(), most if solvable(puzzle) else 0], np.int64),
        board, np.argsort(board), near, degree, lot_of,
        np.cumsum([0, *map(len, lots)]), np.array([cell + 1 for lot in lots for cell in lot], np.int64),
        np.zeros(most + 1, np.int64), np.full(far_at[-1], UNSEEN, np.int16), far_at,
        random.integers(2**63, size=(cells, cells)).astype(np.uint64),
        random.integers(2**63, size=most + 1 + cells).astype(np.uint64),
    )  # fmt: skip
    _measure(new)
    _settle(new)
    return new


def _lots(rows: int, cols: int) -> list[tuple[int, ...]]:
    """Cells to fill one after the other: by row down to the last two, then by column; the last two of a line together.

    What is left in the end is a corner of 2x2 cells.
    """
    lines = [[row * cols + col for col in range(cols)] for row in range(rows - 2)]
    lines += [[row * cols + col for row in (rows - 2, rows - 1)] for col in range(cols - 2)]
    found = [lot for line in lines for lot in (*((cell,) for cell in line[:-2]), tuple(line[-2:]))]
    corner = (rows - 1) * cols - 2
    return [*found, (corner, corner + 1, corner + cols)]


@kernel
def _measure(state):
    """Fill ``far``, backwards from each lot in place with the gap anywhere; in the corner, with the gap in its own."""
    cells, last = len(state.board), len(state.lots) - 2
    queue = np.empty(cells**3, np.int64)
    for lot in range(last + 1):
        far, begin = state.far[state.far_at[lot] : state.far_at[lot + 1]], state.lots[lot]
        pair = state.lots[lot + 1] - begin > 1
        first, second = state.order[begin] - 1, state.order[begin + 1] - 1 if pair else 0
        read, found = 0, 0
        for gap in range(cells):
            free = state.lot_of[gap] > lot if lot < last else gap == cells - 1
            if free:
                queue[found] = (second * cells + first) * cells + gap
                far[queue[found]] = 0
                found += 1
        while read < found:
            position = queue[read]
            read += 1
            gap, first, second = position % cells, position // cells % cells, position // cells**2
            for side in range(state.degree[gap]):
                to = state.near[gap, side]
                if state.lot_of[to] < lot:
                    continue
                one, two = gap if to == first else first, gap if pair and to == second else second
                before = (two * cells + one) * cells + to
                if far[before] == UNSEEN:
                    far[before] = far[position] + 1
                    queue[found] = before
                    found += 1


@kernel
def _far(state, tile):
    """How far the lot is from its place after this tile slides; 0: it is there."""
    lot, gap = state.tally[LOT], state.tally[GAP]
    begin, cells = state.lots[lot], len(state.board)
    first = state.order[begin]
    position = (gap if tile == first else state.where[first]) * cells
    if state.lots[lot + 1] - begin > 1:
        second = state.order[begin + 1]
        position += (gap if tile == second else state.where[second]) * cells**2
    return state.far[state.far_at[lot] + position + state.where[tile]]


@kernel
def moves(state, out):
    """Every tile beside the gap, but for those in place and the last that slid."""
    tally = state.tally
    if tally[LOT] == len(state.lots) - 1 or tally[PLAYED] >= tally[MOST]:
        return 0
    last = state.path[tally[PLAYED] - 1] if tally[PLAYED] else 0
    number, gap = 0, tally[GAP]
    for side in range(state.degree[gap]):
        cell = state.near[gap, side]
        if state.lot_of[cell] >= tally[LOT] and state.board[cell] != last:
            out[number] = state.board[cell]
            number += 1
    if number == 0:  # the gap is in a corner that only the last tile opens
        out[0] = last
        number = 1
    return number


@kernel
def _slide(state, tile):
    gap, cell = state.tally[GAP], state.where[tile]
    state.board[gap], state.board[cell] = tile, 0
    state.where[tile], state.where[0] = gap, cell
    state.tally[GAP] = cell


@kernel
def _settle(state):
    """The next lot that is not in place."""
    lot = state.tally[LOT]
    while lot < len(state.lots) - 1:
        for i in range(state.lots[lot], state.lots[lot + 1]):
            if state.where[state.order[i]] != state.order[i] - 1:
                state.tally[LOT] = lot
                return
        lot += 1
    state.tally[LOT] = lot


@kernel
def play(state, move):
    """False if the lot cannot be in place before the play is over."""
    tally = state.tally
    state.path[tally[PLAYED]] = move
    state.lot_at[tally[PLAYED]] = tally[LOT]
    left = _far(state, move)
    tally[PLAYED] += 1
    _slide(state, move)
    _settle(state)
    return tally[PLAYED] + left <= tally[MOST]


@kernel
def back(state, played):
    """The same tiles slide again."""
    tally = state.tally
    while tally[PLAYED] > played:
        tally[PLAYED] -= 1
        _slide(state, state.path[tally[PLAYED]])
        tally[LOT] = state.lot_at[tally[PLAYED]]


@kernel
def value(state):
    """Tiles put in place in their order, of all."""
    return state.lots[state.tally[LOT]] / len(state.order)


@kernel
def score(state):
    """The fewer slides the better; a play that did not come to the goal is worse than any that did."""
    return -state.tally[PLAYED] - (1.0 - value(state)) * state.tally[MOST] * len(state.order)


@kernel
def weigh(state, move):
    """How welcome a slide is in a random play: nearer is likelier."""
    lot = state.tally[LOT]
    begin, cells = state.lots[lot], len(state.board)
    position = state.where[state.order[begin]] * cells + state.tally[GAP]
    if state.lots[lot + 1] - begin > 1:
        position += state.where[state.order[begin + 1]] * cells**2
    return 1.0 if _far(state, move) < state.far[state.far_at[lot] + position] else ASIDE


@kernel
def code(state, move):
    """By the tile, where it is, and the side it goes to."""
    cell, side = state.where[move], 0
    while state.near[cell, side] != state.tally[GAP]:
        side += 1
    return (move * len(state.board) + cell) * 4 + side


@kernel
def key(state):
    """The position, the slides made, and the tile that may not slide back."""
    played = state.tally[PLAYED]
    word = state.marks[played]
    if played:
        word ^= state.marks[len(state.lot_at) + state.path[played - 1]]
    for cell in range(len(state.board)):
        word ^= state.words[state.board[cell], cell]
    return word


@kernel
def search_tree(state, tree, manner, room, chance, best, rollouts):
    """Tree search over these rules."""
    return mcts.search_game(
        moves, play, back, value, score, key, weigh, state, tree, manner, room, chance, best, rollouts
    )


@kernel
def search_nested(state, nest, manner, chance, playouts):
    """Nested rollout policy adaptation over these rules."""
    return nested.search(moves, play, back, value, score, code, weigh, state, nest, manner, chance, playouts)
