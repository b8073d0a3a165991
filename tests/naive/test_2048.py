"""Slow, obvious twins of the 2048 kernels: rules, boards as words, the network, its lessons and looking ahead."""

import random
from copy import deepcopy
from typing import Any, TypeAlias

import numpy as np
import pytest

from dovetail.moves import tuple_kernels as kernels
from dovetail.moves.games.twenty48 import Game2048, Play2048, slid
from dovetail.moves.kind import IllegalMove
from dovetail.moves.rules import twenty48 as rules
from dovetail.moves.rules import twenty48_board as words
from dovetail.moves.tuples import Weights
from dovetail.search.chance import seeded

LETTERS = "LURD"
TUPLES = ((0, 1, 2, 3, 4, 5), (4, 5, 6, 7, 8, 9), (0, 1, 2, 4, 5, 6), (4, 5, 6, 8, 9, 10))  # cells by row
Cells: TypeAlias = tuple[int, ...]  # 16 exponents by row


def word(cells: Cells, cols: int = 4) -> np.uint64:
    return np.uint64(sum(tile << (4 * (4 * (i // cols) + i % cols)) for i, tile in enumerate(cells)))


def cells_of(board: Any, rows: int = 4, cols: int = 4) -> Cells:
    return tuple(int(board) >> (4 * (4 * row + col)) & 15 for row in range(rows) for col in range(cols))


def dealt(rng: random.Random, most: int = 15, free: int = 6) -> Cells:
    """Tiles at random; some cells are empty, or all are taken."""
    cells = [rng.randint(1, most) for _ in range(16 - free)] + [0] * free
    rng.shuffle(cells)
    return tuple(cells)


def symmetries(cells: Cells) -> list[Cells]:
    found = []
    for _ in range(4):
        cells = tuple(cells[4 * (3 - col) + row] for row in range(4) for col in range(4))
        found += [cells, tuple(cells[4 * row + 3 - col] for row in range(4) for col in range(4))]
    return found


def slides(cells: Cells) -> list[tuple[Cells, int]]:
    """All that change the board, with their points."""
    found = []
    for move in range(4):
        lines = [[4 * a + b if move % 2 == 0 else 4 * b + a for b in range(4)] for a in range(4)]
        after, points = [0] * 16, 0
        for line in lines if move < 2 else [line[::-1] for line in lines]:
            tiles, scored = slid([1 << cells[i] if cells[i] else 0 for i in line])
            points += scored
            for i, tile in zip(line, tiles, strict=True):
                after[i] = tile.bit_length() - 1 if tile else 0
        if tuple(after) != cells:
            found.append((tuple(after), points))
    return found


@pytest.mark.parametrize(("rows", "cols"), [(4, 4), (2, 3), (4, 2), (3, 3)])
def test_plays_are_those_of_the_plain_rules(rows: int, cols: int) -> None:
    """The same boards, moves, scores and ends; going back and playing on brings the same tiles again."""
    rng = random.Random(rows * cols)
    puzzle = Game2048((0,) * (rows * cols), goal=128, seed=rng.randrange(1000), rows=rows, cols=cols)
    play, state, out = Play2048(puzzle), rules.state(puzzle), np.zeros(4, np.int64)
    before = []
    while True:
        seen = [1 << tile if tile else 0 for tile in cells_of(rules.key(state), rows, cols)]
        assert seen == [tile for row in play.board for tile in row]
        assert rules.score(state) == play.score
        assert rules.value(state) == play.share and (play.share == 1.0) == play.solved
        allowed = [move for move in range(4) if may(play, LETTERS[move])]
        assert out[: rules.moves(state, out)].tolist() == allowed
        before.append(rules.key(state))
        if not allowed:
            break
        move = rng.choice(allowed)
        play.make(LETTERS[move])
        rules.play(state, move)
    made = int(state.tally[0])
    path = state.path[:made].tolist()
    assert made == len(before) - 1 <= rules.limits(puzzle)[0]
    for to in sorted(rng.sample(range(made), 5), reverse=True):
        rules.back(state, to)
        assert rules.key(state) == before[to]
    rules.back(state, 0)
    own = seeded(5)
    for step, move in enumerate(path):
        rules.try_move(state, move)  # planning leaves no trace, nor does what happens in plans
        rules.happen(state, own)
        rules.back(state, step)
        rules.play(state, move)
        assert rules.key(state) == before[step + 1]


def may(play: Play2048, move: str) -> bool:
    try:
        deepcopy(play).make(move)
    except IllegalMove:
        return False
    return True


def test_the_play_ends_with_a_tile_too_large_for_a_cell() -> None:
    state = rules.state(Game2048((15, 15, *(0,) * 14), goal=131072))
    rules.play(state, words.LEFT)
    assert rules.moves(state, np.zeros(4, np.int64)) == 0
    assert rules.score(state) == 65536 and rules.value(state) == 16 / 17
    two = rules.state(Game2048((14, 14, 0, 0, 14, 14, *(0,) * 10), goal=131072))
    rules.play(two, words.LEFT)
    assert rules.moves(two, np.zeros(4, np.int64)) == 4
    assert rules.score(two) == 65536 and rules.value(two) == 15 / 17


def test_boards_in_a_word() -> None:
    rng = random.Random(1)
    for free in range(17):
        cells = dealt(rng, free=free)
        board = word(cells)
        empty = words.free_cells(board, words.all_cells(4, 4))
        assert words.count(empty) == free
        for place in range(free):
            found = cells_of(words.with_tile(board, empty, place, 2))
            where = [i for i, tile in enumerate(cells) if not tile][place]
            assert found == (*cells[:where], 2, *cells[where + 1 :])
        assert words.largest(board) == max(cells)
        assert words.total(board) == sum(1 << tile for tile in cells if tile)
        grid = np.array(cells).reshape(4, 4)
        assert cells_of(words.transposed(board)) == tuple(grid.T.ravel())
        assert cells_of(words.mirrored(board)) == tuple(grid[:, ::-1].ravel())
        assert cells_of(words.flipped(board)) == tuple(grid[::-1].ravel())


@pytest.fixture(scope="module")
def network() -> Any:
    """Tables at random: the same numbers again and again, which is quick, and no power of two of them."""
    table = np.random.default_rng(3).integers(-300, 300, 1021).astype(np.int16)
    return kernels.Network(np.resize(table, kernels.TUPLES * kernels.ENTRIES), 2.0)


def worth(network: Any, cells: Cells) -> float:
    total = 0
    for seen in symmetries(cells):
        for number, places in enumerate(TUPLES):
            index = sum(seen[place] << (4 * i) for i, place in enumerate(places))
            total += int(network.table[number * kernels.ENTRIES + index])
    return total * float(network.unit)


def expected(network: Any, cells: Cells, ahead: int) -> float:
    """Straight from the definition; only the rule for open and tight boards is the kernel's own."""
    free = [i for i, tile in enumerate(cells) if not tile]
    if ahead == 0:
        return worth(network, cells)
    if len(free) > kernels.OPEN:
        ahead = 1
    elif len(free) > kernels.TIGHT:
        ahead = min(ahead, 2)
    total = 0.0
    for i in free:
        for tile, likely in ((1, 0.9), (2, 0.1)):
            after = slides((*cells[:i], tile, *cells[i + 1 :]))
            best = max((points + expected(network, board, ahead - 1) for board, points in after), default=0.0)
            total += likely * max(0.0, best) / len(free)
    return total


def test_worth_is_the_sum_of_all_tuples_in_all_symmetries(network: Any) -> None:
    rng = random.Random(2)
    for _ in range(10):
        cells = dealt(rng)
        assert kernels.worth(network, word(cells)) == worth(network, cells)
        places = np.zeros(kernels.LOOKS, np.int64)
        kernels.entries(word(cells), places)
        assert sum(network.table[places].tolist()) * network.unit == worth(network, cells)


@pytest.mark.parametrize(("ahead", "free", "most"), [(0, 5, 9), (1, 4, 3), (2, 1, 3), (2, 9, 3), (3, 1, 11)])
def test_looking_ahead_is_the_plain_expectation(network: Any, ahead: int, free: int, most: int) -> None:
    rng = random.Random(ahead * 10 + free)
    rows = words.slides(4, 4)
    found = kernels.Found(np.zeros((3, 64), np.uint64), np.zeros((3, 64)))
    for _ in range(2):
        cells = dealt(rng, most, free)
        want = expected(network, cells, ahead)
        for seen in symmetries(cells)[:3]:  # the second time from memory, or a mirror image
            assert kernels.expected(network, found, rows, word(seen), ahead) == pytest.approx(want)


def test_lessons_move_the_worth_as_temporal_coherence_says() -> None:
    number = kernels.TUPLES * kernels.ENTRIES
    table, errors, sizes = (np.zeros(number, np.float32) for _ in range(3))
    network, memory = kernels.Network(table, 1.0), kernels.Memory(errors, sizes, 1.0, 0.5)
    places = np.zeros(kernels.LOOKS, np.int64)
    cells = dealt(random.Random(4), free=5)  # all its tuples differ, so that each is an entry of its own
    board = word(cells)
    assert kernels.learn(network, memory, board, 320.0, places) == (0.0, 320.0)
    assert len(set(places.tolist())) == 32
    assert (table[places] == 10).all() and (errors[places] == 320).all() and (sizes[places] == 320).all()
    kernels.learn(network, memory, board, 160.0, places)  # all errors went one way: it is learnt whole
    assert kernels.worth(network, board) == 160
    kernels.learn(network, memory, board, 480.0, places)  # errors of 320 and -160: a third
    assert kernels.worth(network, board) == pytest.approx(160 + 320 / 3)


def test_a_game_and_its_lessons() -> None:
    """From a board that ends soon: the moves of the plain player, then lessons from the last to the first."""
    number = kernels.TUPLES * kernels.ENTRIES
    table, errors, sizes = (np.zeros(number, np.float32) for _ in range(3))
    network, memory = kernels.Network(table, 1.0), kernels.Memory(errors, sizes, 1.0, 0.25)
    rows, places = words.slides(4, 4), np.zeros(kernels.LOOKS, np.int64)
    boards, points = np.zeros(100, np.uint64), np.zeros(100, np.int64)
    start: Cells = (5, 6, 7, 8, 9, 10, 11, 12, 5, 6, 7, 8, 1, 0, 0, 0)
    made = kernels.play_and_learn(network, memory, rows, word(start), seeded(3), boards, points, places)
    assert made > 3
    assert (symmetry(cells_of(boards[0])), int(points[0])) in [(symmetry(c), p) for c, p in slides(start)]
    twin = kernels.Network(np.zeros(number, np.float32), 1.0)
    again = kernels.Memory(np.zeros(number, np.float32), np.zeros(number, np.float32), 1.0, 0.25)
    target = 0.0
    for step in reversed(range(made)):
        _, now = kernels.learn(twin, again, boards[step], target, places)
        target = points[step] + 0.25 * target + 0.75 * now
    assert (twin.table == table).all() and table.any()


def symmetry(cells: Cells) -> Cells:
    """One name for a board and its mirror images."""
    return min(symmetries(cells))


def test_the_chosen_move_is_the_best_one(network: Any) -> None:
    rng = random.Random(9)
    weights = Weights(network, kernels.Found(np.zeros((3, 64), np.uint64), np.zeros((3, 64))))
    for depth in (1, 2):
        cells = dealt(rng, most=4, free=2)
        state, out = rules.state(Game2048(cells, goal=2048)), np.zeros(4, np.int64)
        number = rules.moves(state, out)
        worths = [points + expected(network, board, depth - 1) for board, points in slides(cells)]
        assert number == len(worths) > 1
        chosen = rules.choose(state, weights, depth, seeded(0))
        assert worths[out[:number].tolist().index(chosen)] == pytest.approx(max(worths))


def test_a_move_that_wins_is_chosen(network: Any) -> None:
    weights = Weights(network, kernels.Found(np.zeros((3, 64), np.uint64), np.zeros((3, 64))))
    for across in (True, False):
        cells = (10, 0, 0, 10, *(0,) * 12) if across else (10, *(0,) * 11, 10, 0, 0, 0)
        state = rules.state(Game2048(cells, goal=2048))
        assert rules.play_on(state, weights, 2, seeded(0), 5) == 1
        assert rules.value(state) == 1.0
        assert rules.choose(state, weights, 2, seeded(0)) == -1
