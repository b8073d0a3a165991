"""Every kernel of the assembler against its slow twin. Also run with the compiler off (make test)."""

import itertools
import math
import random
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from dovetail.jigsaw import annealing, candidates, comparing, growing, joining, odds, poses
from dovetail.jigsaw.annealing import NOT, Blocks
from dovetail.jigsaw.confidence.interchangeable import laid_elsewhere
from dovetail.jigsaw.cutting import listed
from dovetail.jigsaw.growing import FORCED, Table
from dovetail.jigsaw.joining import Islands
from dovetail.jigsaw.kernels import seeded
from dovetail.jigsaw.lines import SEGMENTS, STEPS
from dovetail.jigsaw.poses import VOID, WALL, Fits, Limits
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.workers import Inline
from support import naive_assembly as naive
from support.jigsaws import finished, noise
from support.naive_assembly import Laid, Motion, Odds
from support.naive_jigsaw import EAST, SIDES, SOUTH, Cell, beyond

ALWAYS = 1e15  # so hot that every move is accepted
QUARTERS: dict[str, tuple[int, ...]] = {"known": (0,), "upside down": (0, 2), "turned": (0, 1, 2, 3)}
each_sides = pytest.mark.parametrize("sides", [1, 2])
each_turns = pytest.mark.parametrize("turns", QUARTERS)


def turns_of(sides: int, turns: str) -> tuple[int, ...]:
    return tuple(4 * face + turn for face in range(sides) for turn in QUARTERS[turns])


def state_of(seed: int) -> NDArray[np.uint64]:
    return np.array([seeded(np.uint64(seed), 0)], np.uint64)


def firsts_of(count: int, alike: bool) -> tuple[int, ...]:
    """Every piece its own first; or some that look alike, of two sorts."""
    return tuple({3: 1, 4: 0, 5: 1}.get(piece, piece) if alike else piece for piece in range(count))


def fits_of(odds: Odds) -> Fits:
    """As the kernels have it, a column more than is needed."""
    firsts, span = odds.firsts, odds.span
    lists: dict[int, list[tuple[int, int]]] = {edge: [] for edge in range(len(firsts) * span)}
    for (edge, other), weight in odds.weights.items():
        lists[edge].append((-weight, other))
    most = max(len(found) for found in lists.values()) + 1
    edges, weights = np.full((len(lists), most), VOID, np.int32), np.full((len(lists), most), odds.worst, np.int32)
    for edge, found in lists.items():
        for k, (lightness, other) in enumerate(sorted(found)):
            edges[edge, k], weights[edge, k] = other, -lightness
    alike = sorted(range(len(firsts)), key=lambda piece: (firsts[piece], piece))
    begin = [alike.index(first) for first in firsts]
    number = [firsts.count(first) for first in firsts]
    first_edges = [odds.first(edge) for edge in range(len(firsts) * span)]
    first, sorted_, begins, numbers = (np.array(each, np.int32) for each in (first_edges, alike, begin, number))
    poses_of = range(len(firsts) * span) if odds.lies else ()
    lies = np.array([odds.lies[odds.first(pose)] for pose in poses_of], np.int16).reshape(-1, 2, poses.PERIOD)
    return Fits(edges, weights, first, sorted_, begins, numbers, span, odds.worst, odds.hole, lies, *odds.size)


# how pieces lie


@each_sides
def test_poses_are_those_of_pieces_one_can_look_at(sides: int) -> None:
    piece = naive.piece(sides)
    for number in (0, 3):
        first = number * piece.span
        for pose, side in itertools.product(range(piece.span), SIDES):
            edge = first + piece.edge_at(pose, side)
            assert poses.edge_at(first + pose, side) == poses.edge_at(first + pose, side + 4) == edge
            assert poses.pose_with(edge, side) == first + pose
            assert poses.spun(first + pose, side) == first + piece.spun(pose, side)
            assert poses.spun(first + pose, -side) == first + piece.spun(pose, -side)
            if sides == 2:
                assert poses.flipped(first + pose) == first + piece.flipped(pose)
                assert poses.behind(first + pose) == first + piece.behind(pose)


def test_steps_turn_with_the_board() -> None:
    for row, col, turn in itertools.product(range(5), range(5), range(4)):
        board = np.zeros((5, 5))
        board[row, col] = 1
        (now,) = np.argwhere(np.rot90(board, turn)) - 2
        assert (
            poses.rotated(row - 2, col - 2, turn) == tuple(now) == naive.moved_cell((row - 2, col - 2), (False, turn))
        )


@each_sides
def test_weights_are_found_in_the_lists(sides: int) -> None:
    odds = naive.random_odds(firsts_of(4, True), sides, turns_of(sides, "turned"), 0.4, 1)
    fits = fits_of(odds)
    assert odds.weights
    for edge, other in itertools.product(range(4 * odds.span), repeat=2):
        assert poses.weight(fits, edge, other) == odds.weights.get((odds.first(edge), odds.first(other)), odds.worst)
    for pose, other in itertools.product(range(odds.span), range(odds.span, 4 * odds.span)):
        for side in SIDES:
            assert poses.seam(fits, pose, other, side) == odds.seam(pose, other, side)


@pytest.mark.parametrize("either", [False, True])
def test_a_box_within_limits(either: bool) -> None:
    for height, width in itertools.product(range(1, 6), repeat=2):
        fits = (height <= 2 and width <= 4) or (either and width <= 2 and height <= 4)
        assert poses.holds(Limits(2, 4, either), height, width) == fits


# what is measured

PUZZLES = {
    "square": noise((2, 2), (9, 9), 1),
    "turned": replace(noise((1, 3), (5, 5), 2), rotate=True),
    "wide": noise((3, 1), (4, 7), 3, channels=1),
    "upside down": replace(noise((1, 3), (6, 3), 4, channels=4), rotate=True),
    "tiny": replace(noise((2, 2), (2, 2), 5, depth=16), rotate=True),
    "alike": replace(noise((2, 4), (2, 2), 5, channels=1, levels=2), rotate=True),
    "two faces": listed(noise((2, 3), (5, 6), 6).array.reshape(3, 2, 5, 6, 3), (1, 3)),
    "two faces, turned": listed(noise((2, 3), (4, 4), 7).array.reshape(3, 2, 4, 4, 3), (3, 1), True),
}
each_puzzle = pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)


def facing_pairs(puzzle: Jigsaw) -> dict[int, list[int]]:
    """The edges of other pieces that each edge can touch; of pieces that look alike only the first has any."""
    piece, span = naive.piece(puzzle.sides), 4 * puzzle.sides
    looks = [face.tobytes() for face in puzzle.faces]
    firsts = [looks.index(look) for look in looks]
    edges = [number * span + own for number in sorted(set(firsts)) for own in range(span)]
    pairs: dict[int, list[int]] = {edge: [] for edge in range(span * puzzle.count)}
    for edge, other in itertools.product(edges, repeat=2):
        alone = firsts.count(edge // span) == 1
        if not (alone and edge // span == other // span) and piece.may_face(edge % span, other % span, puzzle.turns):
            pairs[edge].append(other)
    return pairs


@each_puzzle
def test_compared_is_every_pair_that_can_touch(puzzle: Jigsaw) -> None:
    """All of them where there are so few, best first by Gallagher's measure, with the eight measures of each."""
    found = finished(candidates.compared(puzzle, Inline(), use_grid=False))
    faces, pairs = naive.faces_of(puzzle), facing_pairs(puzzle)
    for edge, row in enumerate(found.listed.tolist()):
        held = [other for other in row if other != VOID]
        assert row == held + [VOID] * (len(row) - len(held))
        assert len(held) == min(len(row), len(pairs[edge])) and set(held) <= set(pairs[edge])
        slow = {other: naive.mgc(faces, edge, other, along=True) for other in pairs[edge]}
        sums = [slow[other] for other in held]
        assert sums == pytest.approx(sorted(slow.values())[: len(held)], rel=1e-3)
        assert np.isinf(found.values[edge, len(held) :]).all()
        for k, other in enumerate(held[:4]):
            eight = naive.measured(faces, edge, other, STEPS, SEGMENTS)
            assert found.values[edge, k] == pytest.approx(eight, rel=1e-2, abs=1e-2)  # in single precision


def test_the_least_of_a_row_are_kept() -> None:
    rng = np.random.default_rng(0)
    span, most = 4, 5
    for _ in range(20):
        theirs = rng.permutation(40)[:30].astype(np.int32)
        ours = rng.permutation(40)[:8].astype(np.int32)
        block = rng.integers(0, 9, (8, 30)).astype(np.float32)  # many are equal: the earlier comes first
        kept = np.full((40, most), -7, np.int32)
        number = rng.integers(1, 3, 10)  # of a piece that several look like, its own edges count as those of others
        least = np.empty(kept.shape, np.float32)
        comparing.kept(block, ours, theirs, span, number, kept, least)
        for edge in range(40):
            if edge not in ours:
                assert (kept[edge] == -7).all()
                continue
            row = block[ours.tolist().index(edge)]
            others = [j for j in range(30) if theirs[j] // span != edge // span or number[edge // span] > 1]
            best = sorted(others, key=lambda j: (row[j], j))[:most]
            none = most - len(best)
            assert kept[edge].tolist() == theirs[best].tolist() + [VOID] * none
            assert least[edge].tolist() == row[best].tolist() + [np.inf] * none


def test_few_candidates_are_kept_with_nothing_after_them() -> None:
    kept = np.full((8, 5), -7, np.int32)
    ours, theirs = (np.array(edges, np.int32) for edges in ([2], [1, 5, 6]))
    comparing.kept(
        np.ones((1, 3), np.float32), ours, theirs, 4, np.array([1, 1]), kept, np.empty(kept.shape, np.float32)
    )
    assert kept[2].tolist() == [5, 6, VOID, VOID, VOID]


NOTHING_TOLD = np.empty((20, 5, 0), np.float32)  # of 5 pieces, with 5 candidates an edge


def random_lists(seed: int, pieces: int, sides: int) -> tuple[naive.Lists, naive.Measures]:
    """Every edge lists some; what is measured of a pair does not depend on who lists it."""
    chance, span = random.Random(seed), 4 * sides
    edges = range(pieces * span)
    lists = {e: chance.sample([o for o in edges if o // span != e // span], chance.randint(1, 5)) for e in edges}
    values: naive.Measures = {}
    for a, b in itertools.combinations(edges, 2):
        values[a, b] = values[b, a] = [chance.expovariate(1) * 10 ** chance.uniform(-3, 3) for _ in range(8)]
    return lists, values


def arrays_of(lists: naive.Lists, values: naive.Measures) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    rows, measures = np.full((len(lists), 5), VOID, np.int32), np.full((len(lists), 5, 8), np.inf, np.float32)
    for edge, others in lists.items():
        for k, other in enumerate(others):
            rows[edge, k], measures[edge, k] = other, values[edge, other]
    return rows, measures


each_floors = pytest.mark.parametrize("noise", [comparing.FLOORS, comparing.FINE_FLOORS], ids=["8 bits", "16 bits"])


@each_floors
def test_rivals_are_the_best_two(noise: NDArray[np.float32]) -> None:
    lists, values = random_lists(1, 5, 1)
    rows, measures = arrays_of(lists, values)
    floors = noise.tolist()
    for told in (NOTHING_TOLD, np.random.default_rng(1).normal(0, 2, (*rows.shape, 3)).astype(np.float32)):
        first, least, second = comparing.rivals(rows, measures, told, noise)
        against = [[max(0, -float(each[0])) if len(each) else 0 for each in row] for row in told]
        for edge, judged in itertools.product(lists, range(comparing.JUDGED)):
            order = sorted(
                (naive.logarithms(values[edge, other], floors)[judged] + against[edge][k], other)
                for k, other in enumerate(lists[edge])
            )
            assert first[edge, judged] == order[0][1]
            assert least[edge, judged] == pytest.approx(order[0][0], rel=1e-4, abs=1e-5)
            assert second[edge, judged] == pytest.approx(order[min(1, len(order) - 1)][0], rel=1e-4, abs=1e-5)


@each_floors
def test_the_odds_are_those_of_the_network(noise: NDArray[np.float32]) -> None:
    """On what it is told of pairs that both edges list, or one does, or that have no rival; with any network."""
    lists, values = random_lists(2, 5, 1)
    rows, measures = arrays_of(lists, values)
    rivals = comparing.rivals(rows, measures, NOTHING_TOLD, noise)
    measured = (rows, measures, NOTHING_TOLD, noise, *rivals)
    floors, taught = noise.tolist(), comparing.FLOORS.tolist()
    rng = np.random.default_rng(3)
    any_into, any_bias, any_out = (rng.normal(0, 1, (high, 7)).astype(np.float32) for high in (comparing.INPUTS, 1, 1))
    inputs, clipped = np.zeros(comparing.INPUTS, np.float32), 0
    for into, bias, out, shift in (odds.pairs(grid=False), (any_into, any_bias[0], any_out[0], np.float32(0.5))):
        weights = np.zeros(rows.shape, np.int32)
        worst, best = -200, 300
        comparing.judge(*measured, 0, 7, into, bias, out, shift, 64, worst, best, weights)
        comparing.judge(*measured, 7, len(rows), into, bias, out, shift, 64, worst, best, weights)
        seen = set()
        for edge, others in lists.items():
            assert (weights[edge, len(others) :] == worst).all()
            for k, other in enumerate(others):
                told = naive.standing(lists, values, edge, other, floors, taught, float(comparing.CLIP))
                comparing.standing(*measured, edge, k, inputs)
                assert inputs == pytest.approx(told, rel=1e-4, abs=1e-4)
                clipped += max(map(abs, told[:2])) == comparing.CLIP
                hidden = [bias[j] + sum(told[i] * into[i, j] for i in range(len(told))) for j in range(len(bias))]
                sure = float(shift) + sum(out[j] * h / (1 + abs(h)) for j, h in enumerate(hidden))
                assert abs(weights[edge, k] - min(max(64 * sure, worst), best)) <= 1
                seen.add(int(weights[edge, k]))
        assert len(seen) > 5 and clipped


@each_sides
@pytest.mark.parametrize("most", [2, 30])
def test_pairs_are_gathered_from_both_edges(sides: int, most: int) -> None:
    """Every edge has its heaviest, heaviest first; a pair weighs the same for both of its edges, and on both faces."""
    worst = -300 * sides
    for seed in range(5):
        lists, _ = random_lists(seed, 4, sides)
        chance = random.Random(seed)
        pairs = {tuple(sorted((e, o))) for e, others in lists.items() for o in others}
        weights = {}
        for a, b in sorted(pairs):
            weights[a, b] = weights[b, a] = chance.randrange(-300, 600)
        rows, values = np.full((len(lists), 5), VOID, np.int32), np.full((len(lists), 5), worst, np.int32)
        for edge, others in lists.items():
            for k, other in enumerate(others):
                rows[edge, k], values[edge, k] = other, weights[edge, other]
        kept, kept_weights = np.full((len(lists), most), VOID, np.int32), np.full((len(lists), most), worst, np.int32)
        comparing.gather(rows, values, sides == 2, worst, kept, kept_weights)
        for edge, heavy in naive.gathered(lists, weights, sides, worst, most).items():
            held = int((kept[edge] != VOID).sum())
            assert kept_weights[edge, :held].tolist() == heavy
            assert len(set(kept[edge, :held].tolist())) == held
        one_sided = kept.copy()
        comparing.mutual(kept, kept_weights)
        fits = fits_of(Odds(sides, firsts_of(4, False), {}, worst, 0))._replace(edges=kept, weights=kept_weights)
        for edge, row in enumerate(kept.tolist()):
            both = [o for o in one_sided[edge].tolist() if o != VOID and edge in one_sided[o].tolist()]
            assert row == both + [VOID] * (most - len(both))
            for other in both:
                assert poses.weight(fits, edge, other) == poses.weight(fits, other, edge)
        if most == 2:
            assert (kept != one_sided).any(), "something was listed by one of two only"


@each_puzzle
def test_a_seam_weighs_the_same_from_either_piece_and_on_either_face(puzzle: Jigsaw) -> None:
    fits = finished(candidates.found(puzzle, Inline())).fits
    pairs = [(e, o) for e, row in enumerate(fits.edges.tolist()) for o in row if o != VOID]
    assert len(set(pairs)) == len(pairs) > 0
    allowed = facing_pairs(puzzle)
    for edge, other in pairs:
        assert other in allowed[edge]
        assert poses.weight(fits, edge, other) == poses.weight(fits, other, edge)
        if puzzle.sides == 2:
            back, back_other = naive.behind(edge, 2), naive.behind(other, 2)
            assert poses.weight(fits, back, back_other) == poses.weight(fits, edge, other)
    for row, weights in zip(fits.edges.tolist(), fits.weights.tolist(), strict=True):
        held = weights[: len(row) - row.count(VOID)]
        assert held == sorted(held, reverse=True)


# islands


def islands_of(islands: Islands, span: int) -> dict[int, Laid]:
    """Every island as a dictionary, after a look at whether all that is said of it agrees."""
    members: dict[int, Laid] = {}
    for piece, island in enumerate(islands.of.tolist()):
        cell = int(islands.row[piece]), int(islands.col[piece])
        laid = members.setdefault(island, {})
        assert cell not in laid, "two pieces overlap"
        assert islands.pose[piece] // span == piece
        laid[cell] = int(islands.pose[piece])
    for island, laid in members.items():
        assert tuple(islands.box[island]) == naive.box_of(laid)
        assert islands.size[island] == len(laid)
        linked, piece = [], int(islands.first[island])
        while piece != VOID:
            linked.append(piece)
            piece = int(islands.after[piece])
        assert sorted(linked) == sorted(pose // span for pose in laid.values()) and islands.last[island] == linked[-1]
        top, bottom, left, right = naive.box_of(laid)
        for cell in itertools.product(range(top - 1, bottom + 2), range(left - 1, right + 2)):
            assert joining.lying(islands, island, *cell) == laid.get(cell, VOID)
    assert sum(size > 0 for size in islands.size) == len(members)
    return members


def same_edges(odds: Odds, edge: int) -> list[int]:
    return [other for other in range(len(odds.firsts) * odds.span) if odds.first(other) == odds.first(edge)]


@each_sides
@each_turns
@pytest.mark.parametrize(("rows", "cols", "either"), [(2, 4, False), (2, 4, True), (3, 3, False), (50, 50, False)])
def test_islands_join_as_their_seams_say(sides: int, turns: str, rows: int, cols: int, either: bool) -> None:
    """What a contact weighs, whether it can be, and where it leads, by trying all ways to move an island."""
    count, limits, chance = 7, Limits(rows, cols, either), random.Random(rows)
    odds = naive.random_odds(firsts_of(count, rows == 3), sides, turns_of(sides, turns), 0.3 / sides, rows + cols)
    fits, pairs = fits_of(odds), sorted(odds.weights)
    islands, joins, refused = joining.alone(count, odds.span), 0, 0
    joining.begin(fits, islands)
    for _ in range(40):
        edge, other = (chance.choice(same_edges(odds, edge)) for edge in chance.choice(pairs))
        members = islands_of(islands, odds.span)
        one, two = int(islands.of[edge // odds.span]), int(islands.of[other // odds.span])
        shown = int(islands.pose[other // odds.span])
        if one == two or other not in {odds.edge_at(shown, side) for side in SIDES}:
            continue
        slow = naive.contact(odds, members[one], members[two], edge, other)
        if slow is not None:
            top, bottom, left, right = naive.box_of([*slow[0], *members[two]])
            if not poses.holds(limits, bottom - top + 1, right - left + 1):
                slow = None
        found = joining.contact(fits, islands, edge, other, limits)
        assert found == ((False, 0, 0) if slow is None else (True, slow[1], slow[2]))
        if slow is None:
            refused += 1
            continue
        first = joining.join(fits, islands, edge, other)
        joins += 1
        assert islands_of(islands, odds.span)[two] == {**members[two], **slow[0]}
        assert first in {pose // odds.span for pose in slow[0].values()}
    assert joins
    assert refused or rows > 2


@each_sides
@each_turns
@pytest.mark.parametrize("seed", [0, 100])
@pytest.mark.parametrize(("rows", "cols", "either"), [(1, 9, False), (2, 4, True), (3, 3, False), (50, 50, False)])
def test_islands_never_overlap_nor_leave_the_frame(
    sides: int, turns: str, seed: int, rows: int, cols: int, either: bool
) -> None:
    count, limits = 9, Limits(rows, cols, either)
    odds = naive.random_odds(firsts_of(count, cols == 4), sides, turns_of(sides, turns), 0.2 / sides, rows + seed)
    for least in (FORCED, 0):
        islands = joining.alone(count, odds.span)
        joins = joining.agglomerate(fits_of(odds), islands, limits, least)
        members = islands_of(islands, odds.span)
        assert 0 < joins == count - len(members)
        for laid in members.values():
            top, bottom, left, right = naive.box_of(laid)
            assert poses.holds(limits, bottom - top + 1, right - left + 1)
            assert {own % odds.span for own in laid.values()} <= set(turns_of(sides, turns))
            if least == 0:  # every join weighed more than nothing
                alone = [{cell: pose} for cell, pose in laid.items()]
                loss = sum(
                    sum(max(odds.told(one, axis)) for one in alone) - max(odds.told(laid, axis))
                    for axis in range(2 if odds.lies else 0)
                )
                assert replace(odds, lies={}).total(laid, []) > loss or len(laid) == 1


def planted(rows: int, cols: int, sides: int, turns: tuple[int, ...], seed: int) -> tuple[Odds, Laid]:
    """Odds in which one board's seams are the likeliest, if not by much, among many that are wrong."""
    count, chance = rows * cols, random.Random(seed)
    odds, span = naive.random_odds(range(count), sides, turns, 0.15, seed), 4 * sides
    weights = {pair: min(weight, -100) for pair, weight in odds.weights.items()}
    numbers = chance.sample(range(count), count)
    cells = itertools.product(range(rows), range(cols))
    laid = {cell: span * number + chance.choice(turns) for cell, number in zip(cells, numbers, strict=True)}
    for cell, pose in laid.items():
        for side in (EAST, SOUTH):
            if (there := beyond(cell, side)) in laid:
                edge, other = odds.edge_at(pose, side), odds.edge_at(laid[there], (side + 2) % 4)
                both = [(edge, other), (naive.behind(edge, 2), naive.behind(other, 2))]
                for a, b in both[:sides]:
                    weights[a, b] = weights[b, a] = chance.randrange(300, 600)
    return replace(odds, weights=weights), laid


def same_up_to_motion(odds: Odds, one: Laid, other: Laid) -> bool:
    def at_origin(laid: Laid) -> Laid:
        top, _, left, _ = naive.box_of(laid)
        return {(row - top, col - left): pose for (row, col), pose in laid.items()}

    return any(at_origin(naive.moved(odds, one, motion)) == at_origin(other) for motion in odds.motions())


@each_sides
@each_turns
def test_islands_find_what_was_planted(sides: int, turns: str) -> None:
    odds, truth = planted(3, 4, sides, turns_of(sides, turns), 5)
    islands = joining.alone(12, odds.span)
    limits = Limits(3, 4, turns == "turned")
    assert joining.agglomerate(fits_of(odds), islands, limits, FORCED) == 11
    (laid,) = islands_of(islands, odds.span).values()
    assert same_up_to_motion(odds, laid, truth)


# boards


def table_of(laid: Laid, walls: set[Cell], rows: int, cols: int, count: int, fits: Fits, odds: Odds) -> Table:
    """A board of so many rows and columns, the first of each being 1."""
    table = growing.empty_table(rows, cols, count, fits.span, fits.edges.shape[1])
    grid = table.board.reshape(-1, table.width)
    for row, col in itertools.product(range(rows + 2), range(cols + 2)):
        nearest = [
            (line - n * at) % poses.PERIOD for line, n, at in zip(odds.lines, odds.size, (col, row), strict=True)
        ]
        table.lines[row * table.width + col] = nearest
    for cell in walls:
        grid[cell] = WALL
    for cell, pose in laid.items():
        grid[cell] = pose
        table.where[pose // fits.span] = cell[0] * table.width + cell[1]
    table.box[:] = 1, rows, 1, cols
    return table


def laid_on(table: Table, span: int) -> tuple[Laid, set[Cell]]:
    """What lies where, and the empty cells; ``where`` says the same."""
    grid = table.board.reshape(-1, table.width)
    laid = {(int(r), int(c)): int(grid[r, c]) for r, c in np.argwhere(grid >= 0)}
    where = {pose // span: row * table.width + col for (row, col), pose in laid.items()}
    assert len(where) == len(laid), "a piece lies twice"
    assert table.where.tolist() == [where.get(piece, VOID) for piece in range(len(table.where))]
    return laid, {(int(r), int(c)) for r, c in np.argwhere(grid == VOID)}


def scattered(odds: Odds, count: int, turns: tuple[int, ...], rows: int, cols: int, walls: int, seed: int) -> Laid:
    """Pieces somewhere on a board; as many cells as ``walls`` stay free for those."""
    chance = random.Random(seed)
    cells = chance.sample([*itertools.product(range(1, rows + 1), range(1, cols + 1))], min(count, rows * cols - walls))
    return {cell: odds.span * piece + chance.choice(turns) for piece, cell in enumerate(cells)}


def walls_of(laid: Laid, rows: int, cols: int, number: int, seed: int) -> set[Cell]:
    free = [cell for cell in itertools.product(range(1, rows + 1), range(1, cols + 1)) if cell not in laid]
    return set(random.Random(seed).sample(free, number))


def random_board(
    sides: int, turns: str, rows: int, cols: int, count: int, walls: int, seed: int
) -> tuple[Odds, Fits, Table]:
    """Pieces scattered over it, some of which look alike where walls are; those that find no place are not laid."""
    turned = turns_of(sides, turns)
    odds = naive.random_odds(firsts_of(count, walls > 0), sides, turned, 0.3 / sides, seed)
    laid = scattered(odds, count, turned, rows, cols, walls, seed)
    fits = fits_of(odds)
    return odds, fits, table_of(laid, walls_of(laid, rows, cols, walls, seed), rows, cols, count, fits, odds)


BOARDS = [(4, 5, 20, 0), (4, 5, 13, 0), (4, 5, 12, 4), (1, 7, 5, 1), (6, 1, 6, 0), (2, 2, 2, 0)]
each_board = pytest.mark.parametrize(("rows", "cols", "count", "walls"), BOARDS)


@each_sides
@each_turns
@each_board
def test_totals_are_sums_of_seams_and_holes(
    sides: int, turns: str, rows: int, cols: int, count: int, walls: int
) -> None:
    odds, fits, table = random_board(sides, turns, rows, cols, count, walls, 3)
    assert poses.total(fits, table.board, table.lines, table.where, table.step) == odds.total(
        *laid_on(table, odds.span)
    )


@each_sides
@each_turns
@each_board
@pytest.mark.parametrize("least", [-100, 250])
def test_a_board_breaks_where_seams_are_weak(
    sides: int, turns: str, rows: int, cols: int, count: int, walls: int, least: int
) -> None:
    """What is left are islands: all that one comes to over firm seams, each piece where it lay."""
    odds, fits, table = random_board(sides, turns, rows, cols, count, walls, 4)
    laid, _ = laid_on(table, odds.span)
    islands = joining.alone(count, odds.span)
    joining.broken(fits, table.board, table.where, table.step, table.width, least, islands)
    joining.begin(fits, islands)
    found = islands_of(islands, odds.span)
    left = dict(laid)
    while left:
        part = [next(iter(left))]
        for cell in part:
            for side in SIDES:
                there = beyond(cell, side)
                if there in laid and there not in part and odds.seam(laid[cell], laid[there], side) > least:
                    part.append(there)
        island = int(islands.of[laid[part[0]] // odds.span])
        assert found.pop(island) == {cell: left.pop(cell) for cell in part}
        assert tuple(islands.box[island]) == naive.box_of(part)
        assert islands.size[island] == len(part)
    assert all(len(alone) == 1 for alone in found.values())  # what was not laid


# growing


@each_sides
@each_turns
def test_the_likeliest_is_the_heaviest_of_all_poses(sides: int, turns: str) -> None:
    found = 0
    for seed in range(6):
        odds, fits, table = random_board(sides, turns, 4, 5, 10, 2, seed)
        laid, empty = laid_on(table, odds.span)
        for cell, pose in [*laid.items()][:5]:  # these are still to be laid
            del laid[cell]
            table.board[table.where[pose // odds.span]] = VOID
            table.where[pose // odds.span] = VOID
        left = set(range(10)) - {pose // odds.span for pose in laid.values()}
        for cell in empty:
            near = [(side, laid[beyond(cell, side)]) for side in SIDES if beyond(cell, side) in laid]
            offers = naive.wanted(odds, near, left, cell)
            pose, weight, neighbours = growing.likeliest(fits, table, cell[0] * table.width + cell[1])
            assert neighbours == len(near)
            if not offers:
                assert pose == VOID
                continue
            found += 1
            assert weight == max(offers)[0] and (weight, pose) in offers and pose // odds.span in left
            assert not table.sums.any()
    assert found > 10


@each_sides
@each_turns
@pytest.mark.parametrize("least", [FORCED, 0])
@pytest.mark.parametrize(("limits", "either"), [((3, 4), False), ((2, 5), True), ((9, 9), False)])
def test_growing_lays_the_surest_first(
    sides: int, turns: str, least: int, limits: tuple[int, int], either: bool
) -> None:
    chance, laid_pieces, compared = random.Random(2), 0, [0, 0]
    for seed in range(6):
        odds = naive.random_odds(firsts_of(9, seed % 2 == 1), sides, turns_of(sides, turns), 0.4, seed)
        # no two weigh the same, so that there is but one way to go on unless pieces are alike
        values = chance.sample(range(-(10**6), 2 * 10**6), len(odds.weights))
        weights: dict[tuple[int, int], int] = {}
        for pair, value in zip(odds.weights, values, strict=True):
            weights[pair] = weights[pair[::-1]] = value
        odds = replace(odds, weights=weights, worst=-(10**6))
        fits = fits_of(odds)
        table = table_of({(4, 4): 0}, {(3, 5), (4, 6)}, 7, 7, 9, fits, odds)
        table.box[:] = 4, 4, 4, 4
        laid, empty = laid_on(table, odds.span)
        number = growing.grow(fits, table, Limits(*limits, either), least)
        now, _ = laid_on(table, odds.span)
        slow, sure = naive.grown(odds, laid, empty, limits, either, least, joining.EAGER)
        if sure:
            compared[seed % 2] += 1
            assert {c: odds.first(pose) for c, pose in now.items()} == {c: odds.first(pose) for c, pose in slow.items()}
        assert number == len(now) - 1
        assert tuple(table.box) == naive.box_of(now)
        laid_pieces += number
    assert laid_pieces > 3 and all(compared)


@each_sides
@each_turns
def test_what_is_left_goes_into_the_box(sides: int, turns: str) -> None:
    turned = turns_of(sides, turns)
    for count, top, bottom in ((9, 1, 4), (14, 2, 3), (6, 2, 2)):
        odds, _, table = random_board(sides, turns, 4, 5, count, 2, count)
        laid, _ = laid_on(table, odds.span)
        for cell, pose in [*laid.items()]:
            if not top <= cell[0] <= bottom or cell[1] == 1 or pose // odds.span % 3 == 0:
                table.board[table.where[pose // odds.span]] = VOID
                table.where[pose // odds.span] = VOID
        before, empty = laid_on(table, odds.span)
        table.box[:] = top, bottom, 2, 5
        room = {cell for cell in empty if top <= cell[0] <= bottom and 2 <= cell[1] <= 5}
        means = np.random.default_rng(1).random((count * odds.span, 4, 3)).astype(np.float32)
        laid_now = growing.fill(table, means, np.array(turned), odds.span)
        after, _ = laid_on(table, odds.span)
        assert before.items() <= after.items()
        assert after.keys() - before.keys() <= room
        assert {pose % odds.span for pose in after.values()} <= set(turned)
        assert laid_now == len(after) - len(before) == min(len(room), count - len(before)) > 0
        assert tuple(table.box) == (top, bottom, 2, 5)


def colour_apart(odds: Odds, means: NDArray[np.float32], laid: Laid, cell: Cell, pose: int) -> float:
    """How far the edges around a cell are from those of a pose there: segments that touch, one read backwards."""
    return math.fsum(
        float(abs(means[odds.edge_at(pose, side)] - means[odds.edge_at(laid[there], (side + 2) % 4)][::-1]).sum())
        for side in SIDES
        if (there := beyond(cell, side)) in laid
    )


@each_sides
@each_turns
def test_the_cell_with_most_neighbours_gets_what_looks_most_alike(sides: int, turns: str) -> None:
    """A hole in the middle before one at the edge; the other cell has what then is left."""
    turned = turns_of(sides, turns)
    odds = naive.random_odds(range(10), sides, turned, 0.1, 1)
    fits = fits_of(odds)
    for seed in range(10):
        chance = random.Random(seed)
        cells = [cell for cell in itertools.product(range(1, 4), range(1, 4)) if cell not in ((2, 2), (1, 3))]
        laid = {cell: odds.span * piece + chance.choice(turned) for piece, cell in enumerate(cells)}
        table = table_of(laid, set(), 3, 3, 10, fits, odds)
        means = np.random.default_rng(seed).random((10 * odds.span, 4, 3)).astype(np.float32)
        assert growing.fill(table, means, np.array(turned), odds.span) == 2
        after, _ = laid_on(table, odds.span)
        left = [7, 8, 9]
        for cell in ((2, 2), (1, 3)):
            offers = [odds.span * piece + turn for piece in left for turn in turned]
            _, best = min((colour_apart(odds, means, laid, cell, pose), pose) for pose in offers)
            assert after[cell] == best
            laid[cell] = best
            left.remove(best // odds.span)


# annealing


def block_of(blocks: Blocks, size: int, width: int) -> set[Cell]:
    cells = [divmod(int(cell), width) for cell in blocks.here[:size]]
    assert len(set(cells)) == size
    assert all(blocks.mark[row * width + col] == blocks.stamp[0] for row, col in cells)
    assert (blocks.mark == blocks.stamp[0]).sum() == size
    return set(cells)


def joined_to(odds: Odds, laid: Laid, start: Cell, least: int) -> set[Cell]:
    reached, new = {start}, [start]
    while new:
        cell = new.pop()
        for side in SIDES:
            there = beyond(cell, side)
            if there in laid and there not in reached and odds.seam(laid[cell], laid[there], side) > least:
                reached.add(there)
                new.append(there)
    return reached


@each_sides
@each_turns
@each_board
def test_blocks_are_joined_or_rectangles(sides: int, turns: str, rows: int, cols: int, count: int, walls: int) -> None:
    odds, fits, table = random_board(sides, turns, rows, cols, count, walls, 4)
    laid, empty = laid_on(table, odds.span)
    blocks, chance = annealing.blocks(len(table.board), count), random.Random(1)
    for start in laid:
        at = start[0] * table.width + start[1]
        for least in (-400, 0, 200):
            whole = joined_to(odds, laid, start, least)
            for most in (1, 3, 100):
                blocks.stamp[0] += 2
                size = annealing.joined(fits, table, blocks, at, least, most)
                block = block_of(blocks, size, table.width)
                assert size == min(most, len(whole)) and start in block
                within = {cell: laid[cell] for cell in block}
                assert joined_to(odds, within, start, least) == block
        height, width = chance.randint(1, 4), chance.randint(1, 4)
        above, left = chance.randrange(height), chance.randrange(width)
        blocks.stamp[0] += 2
        size = annealing.rectangle(table, blocks, at, height, width, above, left)
        top, first = start[0] - above, start[1] - left
        corner = itertools.product(range(top, top + height), range(first, first + width))
        assert block_of(blocks, size, table.width) == set(corner) & (laid.keys() | empty)


def random_block(fits: Fits, table: Table, blocks: Blocks, start: int, chance: random.Random) -> int:
    if chance.random() < 0.5:
        return int(annealing.joined(fits, table, blocks, start, chance.choice((-400, 0)), chance.randint(1, 6)))
    height, width = chance.randint(1, 3), chance.randint(1, 4)
    above, left = chance.randrange(height), chance.randrange(width)
    return int(annealing.rectangle(table, blocks, start, height, width, above, left))


def motions_of(sides: int, turns: str) -> list[Motion]:
    return [(over, turn) for over in (False, True)[:sides] for turn in QUARTERS[turns]]


@each_sides
@each_turns
@each_board
def test_blocks_that_change_places(sides: int, turns: str, rows: int, cols: int, count: int, walls: int) -> None:
    """Rigidly, with what lay there; the change that is told is that of the total; refused, nothing has moved."""
    done = refused = declined = 0
    odds, fits, table = random_board(sides, turns, rows, cols, count, walls, 5)
    blocks, chance, state = annealing.blocks(len(table.board), count), random.Random(2), state_of(3)
    solid = table.board == WALL
    for _ in range(80):
        laid, empty = laid_on(table, odds.span)
        start, target = chance.choice(sorted(laid)), chance.choice(sorted(laid.keys() | empty))
        motion = chance.choice(motions_of(sides, turns))
        heat = chance.choice((ALWAYS, ALWAYS, 1e-9))
        blocks.stamp[0] += 2
        at, goal = (row * table.width + col for row, col in (start, target))
        block = block_of(blocks, random_block(fits, table, blocks, at, chance), table.width)
        change = annealing.exchange(fits, table, blocks, len(block), at, goal, *motion, heat, state)
        now, _ = laid_on(table, odds.span)
        assert np.array_equal(table.board == WALL, solid)
        new = naive.exchanged(odds, laid, empty, block, start, target, motion)
        if new is None:
            assert change == NOT and now == laid
            refused += 1
            continue
        gain = odds.total(new, (laid.keys() | empty) - new.keys()) - odds.total(laid, empty)
        if heat != ALWAYS and gain < 0:
            assert change == NOT and now == laid
            declined += 1
        else:
            assert now == new and change == gain
            done += 1
    assert done > 5 and refused and declined


def shifted(laid: Laid, cells: list[Cell], way: int) -> Laid:
    """One line moved on, end around."""
    line = {cells[(k + way) % len(cells)]: laid[cell] for k, cell in enumerate(cells) if cell in laid}
    return {cell: pose for cell, pose in laid.items() if cell not in cells} | line


def strips(laid: Laid, empty: set[Cell], start: Cell, target: Cell) -> list[Laid]:
    """All boards that shifting a strip of any length and depth, which brings ``start`` to ``target``, can lead to."""
    level = start[0] == target[0]
    room = laid.keys() | empty
    top, bottom, first, last = naive.box_of(room)
    lines, places = ((top, bottom), (first, last)) if level else ((first, last), (top, bottom))
    band, begin, end = (start[0], start[1], target[1]) if level else (start[1], start[0], target[0])
    found = []
    for low, high in itertools.product(range(lines[0], band + 1), range(band, lines[1] + 1)):
        for near, far in itertools.product(
            range(places[0], min(begin, end) + 1), range(max(begin, end), places[1] + 1)
        ):
            new = laid
            strip = [
                [(line, place) if level else (place, line) for place in range(near, far + 1)]
                for line in range(low, high + 1)
            ]
            if {cell for cells in strip for cell in cells} <= room:
                for cells in strip:
                    new = shifted(new, cells, end - begin)
                found.append(new)
    return found


@each_sides
@each_board
def test_strips_that_are_shifted(sides: int, rows: int, cols: int, count: int, walls: int) -> None:
    odds, fits, table = random_board(sides, "turned", rows, cols, count, walls, 6)
    blocks, chance, state = annealing.blocks(len(table.board), count), random.Random(2), state_of(3)
    done = declined = 0
    for _ in range(80):
        laid, empty = laid_on(table, odds.span)
        room = laid.keys() | empty
        start = chance.choice(sorted(laid))
        aligned = [cell for cell in sorted(room) if cell != start and (cell[0] == start[0]) != (cell[1] == start[1])]
        target = chance.choice(aligned)
        heat = chance.choice((ALWAYS, ALWAYS, 1e-9))
        blocks.stamp[0] += 2
        at, goal = (row * table.width + col for row, col in (start, target))
        change = annealing.shift(fits, table, blocks, at, goal, heat, state)
        now, still = laid_on(table, odds.span)
        if change == NOT:
            assert now == laid
            declined += 1
            continue
        assert now in strips(laid, empty, start, target)
        assert change == odds.total(now, still) - odds.total(laid, empty)
        assert heat == ALWAYS or change >= 0
        done += 1
    assert done > 5
    assert declined or len(odds.weights) < 40


@each_sides
@each_turns
@each_board
def test_doubts_are_seams_that_weigh_little_and_holes(
    sides: int, turns: str, rows: int, cols: int, count: int, walls: int
) -> None:
    odds, fits, table = random_board(sides, turns, rows, cols, count, walls, 7)
    laid, empty = laid_on(table, odds.span)
    blocks, state = annealing.blocks(len(table.board), count), state_of(1)

    def doubt(cell: Cell, side: int) -> bool:
        there = beyond(cell, side)
        if there in empty:  # a hole, for which something is listed
            return fitting(cell, side)
        return there in laid and odds.seam(laid[cell], laid[there], side) < annealing.DOUBT

    def fitting(cell: Cell, side: int) -> bool:
        edge = (laid[cell] & ~3) | ((laid[cell] + side) & 3)
        return bool(fits.weights[fits.first[edge], 0] >= 0)

    doubtful = sorted(pose // odds.span for cell, pose in laid.items() if any(doubt(cell, side) for side in SIDES))
    number = annealing.in_doubt(fits, table, blocks.doubtful)
    assert blocks.doubtful[:number].tolist() == doubtful
    named = 0
    for _ in range(60 if doubtful else 0):
        at, side, pose = annealing.doubted(fits, table, blocks, number, state)
        if at == VOID:
            continue
        named += 1
        cell = divmod(int(at), table.width)
        assert doubt(cell, side)
        assert odds.pair(laid[cell], int(pose), side) in odds.weights
        assert pose // odds.span in {other // odds.span for other in laid.values()}
        assert laid.get(beyond(cell, side), VOID) // odds.span != pose // odds.span
    assert named or count == 2 or not doubtful


@each_sides
@each_turns
@each_board
def test_annealing_tells_how_the_total_changes(
    sides: int, turns: str, rows: int, cols: int, count: int, walls: int
) -> None:
    """Whatever it does: no piece is lost or laid twice, none lies in a wall, and turns stay what they may be."""
    odds, fits, table = random_board(sides, turns, rows, cols, count, walls, 8)
    blocks, state, solid = annealing.blocks(len(table.board), count), state_of(5), table.board == WALL
    laid, empty = laid_on(table, odds.span)
    total, moved = odds.total(laid, empty), 0
    for moves, hot, cold in [(1, ALWAYS, ALWAYS)] * 40 + [(25, 900.0, 50.0)] * 4:
        change = annealing.anneal(fits, table, blocks, moves, hot, cold, state)
        now, empty = laid_on(table, odds.span)
        assert np.array_equal(table.board == WALL, solid)
        assert {pose // odds.span for pose in now.values()} == {pose // odds.span for pose in laid.values()}
        assert {pose % odds.span for pose in now.values()} <= set(turns_of(sides, turns))
        assert change == odds.total(now, empty) - total
        total += change
        moved += now != laid
        laid = now
    assert moved > 2 or count == 2


@each_sides
@each_turns
@each_board
def test_what_is_fixed_never_moves(sides: int, turns: str, rows: int, cols: int, count: int, walls: int) -> None:
    _, fits, table = random_board(sides, turns, rows, cols, count, walls, 8)
    blocks, state, was = annealing.blocks(len(table.board), count), state_of(5), table.board.copy()
    fixed = np.flatnonzero(table.board >= 0)[::3]
    blocks.fixed[fixed] = True
    for _ in range(40):
        annealing.anneal(fits, table, blocks, 1, ALWAYS, ALWAYS, state)
    assert np.array_equal(table.board[fixed], was[fixed])
    assert (table.board != was).any() or count < 6


@each_sides
@each_turns
@each_board
def test_a_piece_is_brought_to_its_place(sides: int, turns: str, rows: int, cols: int, count: int, walls: int) -> None:
    """The board weighs as much more as is said, no less than with two pieces exchanged; what is fixed stays."""
    for seed in range(3):
        odds, fits, table = random_board(sides, turns, rows, cols, count, walls, seed)
        blocks, chance, state = annealing.blocks(len(table.board), count), random.Random(seed), state_of(seed)
        laid, empty = laid_on(table, odds.span)
        target, fixed = chance.sample(sorted(laid.keys() | empty), 2)
        start = chance.choice([cell for cell in laid if cell not in (target, fixed)] or [None])
        if start is None:
            continue
        blocks.fixed[fixed[0] * table.width + fixed[1]] = True
        motion = chance.choice(motions_of(sides, turns))
        alone = naive.exchanged(odds, laid, empty, {start}, start, target, motion)
        assert alone is not None
        room = table.board.copy(), table.where.copy()
        goal = target[0] * table.width + target[1]
        change = annealing.bring(fits, table, blocks, alone[target], goal, 12, state, *room)
        now, holes = laid_on(table, odds.span)
        assert now[target] == alone[target] and now.get(fixed) == laid.get(fixed)
        assert {pose // odds.span for pose in now.values()} == {pose // odds.span for pose in laid.values()}
        assert change == odds.total(now, holes) - odds.total(laid, empty)
        assert change >= odds.total(alone, (laid.keys() | empty) - alone.keys()) - odds.total(laid, empty)


@each_sides
def test_a_piece_elsewhere_weighs_what_its_seams_would(sides: int) -> None:
    odds, fits, table = random_board(sides, "turned", 3, 4, 10, 1, 3)
    laid, _ = laid_on(table, odds.span)
    cells = np.array([row * table.width + col for row, col in laid])
    weights = laid_elsewhere(fits, table.board.reshape(-1, table.width).astype(np.int64), cells)
    for (at, cell), (k, pose) in itertools.product(enumerate(laid), enumerate(laid.values())):
        around = [(side, laid[there]) for side in SIDES if (there := beyond(cell, side)) in laid]
        assert weights[at, k] == sum(odds.seam(other, pose, (side + 2) % 4) for side, other in around)


def test_annealing_a_board_without_doubts_does_nothing() -> None:
    odds, truth = planted(2, 3, 1, (0,), 1)
    odds = replace(odds, weights={pair: 10**6 if weight >= 300 else weight for pair, weight in odds.weights.items()})
    fits = fits_of(odds)
    laid = {(row + 1, col + 1): pose for (row, col), pose in truth.items()}
    table = table_of(laid, set(), 2, 3, 6, fits, odds)
    assert annealing.anneal(fits, table, annealing.blocks(len(table.board), 6), 100, 900.0, 50.0, state_of(1)) == 0
    assert laid_on(table, odds.span)[0] == laid


def test_what_is_worse_is_accepted_the_more_rarely() -> None:
    state, heat, tries = state_of(1), 100.0, 4000
    for change in (0, 1, 10**9):
        assert annealing.accepted(change, heat, state)
    for loss in (10, 100, 300):
        share = sum(annealing.accepted(-loss, heat, state) for _ in range(tries)) / tries
        assert share == pytest.approx(math.exp(-loss / heat), abs=0.03)
