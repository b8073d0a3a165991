"""What holds for every cut, for every crossover and for all seams, tried on many."""

import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.core.puzzle import EMPTY, Placement
from dovetail.core.source import Source
from dovetail.jigsaw import kernels, seams
from dovetail.jigsaw.cutting import bagged
from dovetail.jigsaw.draw import draw_jigsaw
from dovetail.jigsaw.formats import FORMATS
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.measures import MEASURES
from dovetail.jigsaw.population import Generation
from dovetail.jigsaw.puzzle import JigsawKind, Reading
from support.jigsaws import Tables, assembled, crossed, noise, random_costs, seams_of, tables_of, unrimmed
from support.naive_jigsaw import (
    AGREED,
    BUDDY,
    EAST,
    MOST,
    SIDES,
    SOUTH,
    Board,
    Chance,
    beyond,
    cells_of,
    facing,
    relations,
    scattered,
)
from support.naive_jigsaw import buddies as naive_buddies

frames = st.tuples(st.integers(1, 6), st.integers(1, 6)).filter(lambda frame: frame[0] * frame[1] > 1)
seeds = st.integers(0, 10**6)
calm = settings(deadline=None, max_examples=80)
NEUTRAL = MOST * 3 / 5  # where a comparison, from -3 to 2, says that a seam is just as good as its rivals


def tables(frame: tuple[int, int], seed: int, levels: int = MOST, most: int = 24) -> Tables:
    return tables_of(random_costs(frame[0] * frame[1], seed, levels), most)


def random_board(frame: tuple[int, int], seed: int) -> Board:
    return scattered(Chance(seed, 0), *frame)


def rolled(board: Board, down: int, right: int) -> Board:
    """What leaves at the bottom comes back at the top, and likewise from right to left."""
    rows, cols = len(board), len(board[0])
    return tuple(tuple(board[(row - down) % rows][(col - right) % cols] for col in range(cols)) for row in range(rows))


def sharing(one: Board, other: Board, block: tuple[int, int], at: tuple[int, int], to: tuple[int, int]) -> Board:
    """The second board with a block (rows, cols) of the first, from one corner there to another here."""
    rows, cols = len(one), len(one[0])
    moved = {
        ((to[0] + r) % rows, (to[1] + c) % cols): one[(at[0] + r) % rows][(at[1] + c) % cols]
        for r in range(min(block[0], rows))
        for c in range(min(block[1], cols))
    }
    rest = iter([piece for row in other for piece in row if piece not in moved.values()])
    return tuple(tuple(moved[r, c] if (r, c) in moved else next(rest) for c in range(cols)) for r in range(rows))


def child_of(one: Board, other: Board, known: Tables, mutation: float, seed: int) -> tuple[Board, list[int], int]:
    """A child, its placements by phase, and the piece that it grew from."""
    rows, cols = len(one), len(one[0])
    new = crossed([one, other], [(0, 1), (0, 1)], known, mutation, seed)
    return unrimmed(new.boards[1], rows, cols), new.phases[1].tolist(), Chance(seed, 1).below(rows * cols)


def agreed(one: Board, other: Board) -> dict[tuple[int, int], int]:
    """(piece, side) → the neighbour that it has there in both."""
    ours, theirs = relations(one), relations(other)
    return {boundary: piece for boundary, piece in ours.items() if theirs.get(boundary) == piece}


def reached(first: int, near: dict[tuple[int, int], int]) -> dict[int, tuple[int, int]]:
    """All pieces that hang together with the first, and where they lie from it."""
    cells, waiting = {first: (0, 0)}, [first]
    while waiting:
        piece = waiting.pop()
        for side in SIDES:
            there = near.get((piece, side))
            if there is not None and there not in cells:
                cells[there] = beyond(cells[piece], side)
                waiting.append(there)
    return cells


# cutting


@settings(deadline=None, max_examples=200)
@given(
    st.lists(frames, min_size=1, max_size=3), st.tuples(*[st.integers(2, 4)] * 2), st.integers(1, 2), st.booleans(),
    st.booleans(), st.sampled_from([0.0, 0.2, 0.9]), st.integers(0, 4), seeds,
)  # fmt: skip
def test_whatever_is_done_to_pictures_the_truth_shows_them(
    shapes: list[tuple[int, int]], piece: tuple[int, int], sides: int, rotate: bool, frame: bool, missing: float,
    foreign: int, seed: int,
) -> None:  # fmt: skip
    """Cut, bagged, written in every format, read again, and laid: every piece that is not lost shows what it should,
    on both sides, and those that are left out are the foreign ones."""
    rng = np.random.default_rng(seed)
    pictures = [rng.integers(1, 256, (*shape, sides, *piece, 3), np.uint8) for shape in shapes]
    strange = rng.integers(1, 256, (foreign, sides, *piece, 3), np.uint8) if foreign else None
    puzzle, truth = bagged(pictures, rng, rotate=rotate, missing=missing, strange=strange, frame=frame)
    kind = JigsawKind()
    assert kind.decode(json.loads(json.dumps(puzzle.encode()))) == puzzle
    for form in FORMATS:
        assert form.read(Source("x", form.write(puzzle)), Reading()) == [puzzle]
    assert (puzzle.sides, puzzle.rotate, puzzle.foreign) == (sides, rotate, bool(foreign))
    assert puzzle.mixed == (len(shapes) > 1) and (puzzle.rows is None) == (puzzle.mixed or not frame)
    cells = np.array(truth.pieces)
    assert set(np.array(truth.turns)[cells != EMPTY].tolist()) <= set(puzzle.turns)
    assert sorted({*range(puzzle.count)} - {*cells.ravel().tolist()}) == sorted(foreign_ones(puzzle.faces, strange))
    draw_jigsaw(puzzle, truth)
    left, height, width = 0, *piece
    for picture in pictures:
        rows, cols = picture.shape[:2]
        part = np.s_[:rows, left : left + cols]
        assert (cells[rows:, left : left + cols] == EMPTY).all()
        assert not puzzle.mixed or (cells[part] != EMPTY).any(axis=0).all(), "no empty column inside a picture"
        own = Placement(*(tuple(map(tuple, np.array(board)[part].tolist())) for board in (truth.pieces, truth.turns)))
        for side in range(sides):
            whole = picture[:, :: -1 if side else 1, side].swapaxes(1, 2).reshape(rows * height, cols * width, 3)
            shown = assembled(puzzle, own, underneath=bool(side))
            there = (cells[part] != EMPTY)[:, :: -1 if side else 1].repeat(height, axis=0).repeat(width, axis=1)
            assert np.array_equal(shown[there], whole[there])
        left += cols + 1
    assert left == cells.shape[1] + 1


def foreign_ones(faces: Pixels, strange: Pixels | None) -> list[int]:
    """The pieces of a puzzle that are cut from none of its pictures, by what they show."""
    known = {bytes(np.sort(piece, axis=None)) for piece in ([] if strange is None else strange)}
    return [number for number, piece in enumerate(faces) if bytes(np.sort(piece, axis=None)) in known]


# crossover


@settings(deadline=None, max_examples=300)
@given(frames, st.floats(0, 1), st.sampled_from([1, 2, 5, MOST]), st.sampled_from([1, 3, 24]), seeds, st.data())
def test_a_child_is_a_permutation_inside_the_frame(
    frame: tuple[int, int], mutation: float, levels: int, most: int, seed: int, data: st.DataObject
) -> None:
    pieces = range(frame[0] * frame[1])
    one, other = (
        tuple(tuple(drawn[row * frame[1] : (row + 1) * frame[1]]) for row in range(frame[0]))
        for drawn in (data.draw(st.permutations(pieces)), data.draw(st.permutations(pieces)))
    )
    child, phases, _ = child_of(one, other, tables(frame, seed, levels, most), mutation, seed)
    assert sorted(piece for row in child for piece in row) == list(pieces)
    assert sum(phases) == len(pieces) - 1 and min(phases) >= 0


@calm
@given(frames, seeds)
def test_parents_that_are_the_same_have_that_child(frame: tuple[int, int], seed: int) -> None:
    board = random_board(frame, seed)
    child, phases, _ = child_of(board, board, tables(frame, seed), 0.0, seed)
    assert child == board
    assert phases == [frame[0] * frame[1] - 1, 0, 0]


@settings(deadline=None, max_examples=300)
@given(frames, st.tuples(*[st.integers(1, 4)] * 2), st.tuples(*[st.integers(0, 5)] * 4), seeds)
def test_what_both_parents_agree_on_survives_around_the_first_piece(
    frame: tuple[int, int], block: tuple[int, int], corners: tuple[int, int, int, int], seed: int
) -> None:
    """All that hangs together with the first piece by agreed neighbours lies in both parents alike, so nothing can be
    in its way: it is in the child as it was in them, wherever in the frame."""
    one = random_board(frame, seed)
    other = sharing(one, random_board(frame, seed + 1), block, corners[:2], corners[2:])
    child, phases, first = child_of(one, other, tables(frame, seed), 0.0, seed)
    kept, where = reached(first, agreed(one, other)), cells_of(child)
    (row, col) = where[first]
    assert {piece: (where[piece][0] - row, where[piece][1] - col) for piece in kept} == kept
    assert phases[AGREED] >= len(kept) - 1


@calm
@given(frames, st.integers(0, 5), st.integers(0, 5), seeds)
def test_of_two_rolled_parents_the_part_around_the_first_piece_survives(
    frame: tuple[int, int], down: int, right: int, seed: int
) -> None:
    """A board rolled by rows and columns falls into up to four blocks; the one with the first piece stays whole."""
    (rows, cols), one = frame, random_board(frame, seed)
    down, right = down % rows, right % cols
    child, _, first = child_of(one, rolled(one, down, right), tables(frame, seed), 0.0, seed)
    home = cells_of(one)
    low, far = home[first][0] >= rows - down, home[first][1] >= cols - right
    block = [p for p, (row, col) in home.items() if (row >= rows - down) == low and (col >= cols - right) == far]
    where = cells_of(child)
    moved = {(where[p][0] - home[p][0], where[p][1] - home[p][1]) for p in block}
    assert len(moved) == 1


@calm
@given(frames, st.integers(0, 5), st.integers(0, 5), st.booleans(), seeds)
def test_phases_count_neighbours_that_the_child_has(
    frame: tuple[int, int], down: int, right: int, strangers: bool, seed: int
) -> None:
    """A placement of the first two phases is a pair of neighbours that both parents had, or buddies that one had."""
    one = random_board(frame, seed)
    other = random_board(frame, seed + 1) if strangers else rolled(one, down, right)
    costs = random_costs(frame[0] * frame[1], seed, levels=50)
    known, buddies = tables_of(costs), naive_buddies(costs)
    child, phases, _ = child_of(one, other, known, 0.0, seed)
    has, both = relations(child), agreed(one, other)
    either = {*relations(one).items(), *relations(other).items()} - {*both.items()}
    friends = {boundary for boundary in has.items() if boundary[1] in buddies[boundary[0][1]][boundary[0][0]]}
    pairs = {((piece, side), there) for (piece, side), there in has.items() if side in (EAST, SOUTH)}
    assert phases[AGREED] <= len(pairs & both.items())
    assert phases[BUDDY] <= len(pairs & either & friends)


@calm
@given(frames, st.integers(1, 9), seeds)
def test_scattered_chromosomes_are_permutations(frame: tuple[int, int], size: int, seed: int) -> None:
    generation = Generation.empty(size, *frame)
    kernels.scatter(generation.boards, 0, size, np.uint64(seed), *frame)
    for flat in generation.boards:
        pieces = [piece for row in unrimmed(flat, *frame) for piece in row]
        assert sorted(pieces) == list(range(frame[0] * frame[1]))


# seams


@calm
@given(
    frames,
    st.tuples(*[st.integers(2, 9)] * 2),
    st.sampled_from([*MEASURES]),
    st.booleans(),
    st.sampled_from([0, 2]),
    seeds,
)
def test_seams(
    frame: tuple[int, int], piece: tuple[int, int], measure: str, relative: bool, levels: int, seed: int
) -> None:
    found = seams_of(noise(frame, piece, seed, levels=levels), measure, relative)
    costs, count = found.costs.astype(int), frame[0] * frame[1]
    for side in SIDES:
        there = facing(side)
        assert (costs[side] == costs[there].T).all(), "a seam costs the same from both sides"
        for one in range(count):
            ranks = found.ranked[side, one].tolist()
            rest = set(range(count)) - {one, *ranks}
            assert one not in ranks and len({*ranks}) == len(ranks) == min(seams.CANDIDATES, count - 1)
            keys = [(costs[side, one, p], p) for p in ranks]
            assert keys == sorted(keys)
            assert all((costs[side, one, p], p) > keys[-1] for p in rest)
            friend = found.buddy[side, one]
            assert found.best[side, one] == keys[0][0]
            assert (friend == kernels.TIED) == (count > 2 and keys[0][0] == keys[1][0])
            if friend < count:
                assert friend == ranks[0]
                assert found.buddy[there, friend] in (one, kernels.TIED), "buddies are mutual"


@calm
@given(frames, st.sampled_from([*MEASURES]), st.sampled_from([0, 2]), seeds)
def test_comparing_tells_the_best_from_their_rivals(
    frame: tuple[int, int], measure: str, levels: int, seed: int
) -> None:
    """A seam that is the first choice of both is no worse than its rivals; one that is nobody's is no better."""
    puzzle = noise(frame, (5, 4), seed, levels=levels)
    plain, compared = seams_of(puzzle, measure), seams_of(puzzle, measure, relative=True)
    for side in SIDES:
        ours, theirs = plain.ranked[side, :, 0], plain.ranked[facing(side), :, 0]
        for one in range(puzzle.count):
            for other in range(puzzle.count):
                wanted = [ours[one] == other, theirs[other] == one]
                if one == other:
                    continue
                if all(wanted):
                    assert compared.costs[side, one, other] <= NEUTRAL + 1
                elif not any(wanted):
                    assert compared.costs[side, one, other] >= NEUTRAL - 1
