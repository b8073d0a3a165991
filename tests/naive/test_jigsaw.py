"""Every kernel of the jigsaw family against its slow twin. Also run with the compiler off (make test)."""

import math
import random

import numpy as np
import pytest
from skimage.color import rgb2lab

from dovetail.jigsaw import kernels, seams
from dovetail.jigsaw.edges import Edges, edges, lab
from dovetail.jigsaw.genetic import Settings
from dovetail.jigsaw.measures import MEASURES, Lab, Mgc, Prediction
from dovetail.jigsaw.population import Generation, Population
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.search.chance import mixed
from dovetail.workers import Inline
from support import naive_jigsaw as naive
from support.jigsaws import Tables, crossed, finished, noise, random_costs, ranks_of, seams_of, tables_of, unrimmed
from support.naive_jigsaw import AGREED, BUDDY, COMPATIBLE, MOST, SIDES, Board, Costs, Growth, Rim

PUZZLES = {
    "square": noise((2, 3), (6, 6), 1),
    "wide": noise((3, 2), (4, 7), 2),
    "high": noise((1, 5), (8, 3), 3),
    "two pieces": noise((2, 1), (6, 6), 4),
    "alike": noise((2, 4), (2, 2), 5, channels=1, levels=2),
}
FRAMES = [(1, 2), (2, 1), (1, 6), (5, 1), (2, 2), (2, 3), (4, 3), (5, 6)]
each_puzzle = pytest.mark.parametrize("name", PUZZLES)
each_frame = pytest.mark.parametrize("frame", FRAMES)


# rims and measures


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("depth", [8, 16])
def test_rims_are_colours_on_white(channels: int, depth: int) -> None:
    puzzle = noise((2, 2), (5, 7), channels, channels, depth)
    rims = edges(puzzle)
    assert (rims.count, rims.length) == (4, 7)
    for side in SIDES:
        for lines, behind in ((rims.outer, 0), (rims.inner, 1)):
            slow = [naive.line(puzzle, piece, side, behind) for piece in range(4)]
            assert lines[side].shape == np.shape(slow)
            assert np.abs(lines[side] - slow).max() < 1e-3


def test_quantised_colours_are_those_of_scikit_image() -> None:
    colours = np.random.default_rng(0).integers(0, 256, (40, 20, 3)).astype(np.float32)
    colours[0, :8] = [[r, g, b] for r in (0, 255) for g in (0, 255) for b in (0, 255)]
    exact = rgb2lab(colours.astype(np.float64) / 255) - [50, 0, 0]
    for steps in (1, 4):
        whole = lab(colours, steps)
        assert (whole == np.rint(whole)).all()
        assert np.abs(whole / steps - exact).max() < 0.5 / steps + 0.01


def rim(rims: Edges, side: int, piece: int, steps: int | None = None) -> Rim:
    """Both lines as the measures see them, in whole numbers of L*a*b* if so many ``steps`` are given."""
    lines = [each[side][piece : piece + 1] for each in (rims.outer, rims.inner)]
    outer, inner = ((line if steps is None else lab(line, steps))[0].tolist() for line in lines)
    return Rim([tuple(pixel) for pixel in outer], [tuple(pixel) for pixel in inner])


def slow_sum(measure: str, ours: Rim, theirs: Rim) -> float:
    match measure:
        case "lab":
            return naive.lab_sum(ours, theirs) / Lab.steps**2
        case "prediction":
            return naive.prediction_sum(ours, theirs)
    return naive.mgc_sum(ours, theirs, along=measure == "mgc+")


def slow_costs(puzzle: Jigsaw, measure: str) -> Costs:
    """All seams, each judged as it is looked at."""
    rims, pieces = edges(puzzle), range(puzzle.count)
    steps = {"lab": Lab.steps, "prediction": Prediction.steps}.get(measure)
    scale = {"lab": Lab.scale, "prediction": Prediction.scale}.get(measure, Mgc.scale)
    sides = [[rim(rims, side, piece, steps) for piece in pieces] for side in SIDES]
    length = max(puzzle.height, puzzle.width)
    return [
        [
            [naive.cost(slow_sum(measure, sides[s][p], sides[naive.facing(s)][q]), length, scale) for q in pieces]
            for p in pieces
        ]
        for s in SIDES
    ]


@each_puzzle
@pytest.mark.parametrize("measure", MEASURES)
def test_measures_are_what_their_definitions_say(name: str, measure: str) -> None:
    """From whole numbers to the last digit; else the root of a sum of rounded numbers may round the other way."""
    found, slow = seams_of(PUZZLES[name], measure).costs.astype(int), np.array(slow_costs(PUZZLES[name], measure))
    assert np.abs(found - slow).max() <= (0 if measure == "lab" else 1)
    assert len(np.unique(slow)) > 2, "it says something"


@each_puzzle
@pytest.mark.parametrize("measure", ["mgc", "mgc+"])
def test_the_expanded_form_loses_nothing(name: str, measure: str) -> None:
    rims, judge = edges(PUZZLES[name]), MEASURES[measure](edges(PUZZLES[name]))
    for side in SIDES:
        for piece, row in enumerate(judge.rows(side, 0, rims.count)):
            slow = [
                slow_sum(measure, rim(rims, side, piece), rim(rims, naive.facing(side), other))
                for other in range(rims.count)
            ]
            assert row == pytest.approx(slow, rel=1e-5, abs=1e-6)


def test_lab_is_equation_1_within_its_quantisation() -> None:
    """Colours are off by an eighth of a unit at most in each of three bands, on either side."""
    puzzle = PUZZLES["square"]
    found, rims = seams_of(puzzle), edges(puzzle)
    bands = [rgb2lab(line.astype(np.float64) / 255) for line in rims.outer]
    slack = math.sqrt(3 * puzzle.width) * 2 * (0.125 + 0.01) + found.unit / 2
    for side in SIDES:
        for piece in range(puzzle.count):
            apart = bands[side][piece] - bands[naive.facing(side)]
            exact = np.sqrt((apart**2).sum(axis=(1, 2)))
            assert np.abs(found.costs[side, piece] * found.unit - exact).max() < slack
            assert exact.min() > 3 * slack, "which is little"


def test_differences_of_many_pieces() -> None:
    """More columns than the kernel takes at a time."""
    rng = np.random.default_rng(3)
    ours, our_rims = rng.integers(-50, 50, (2, 2, 5)).astype(np.float32)
    theirs, their_rims = rng.integers(-50, 50, (2, 5, 1030)).astype(np.float32)
    out = np.empty((2, 1030), np.float32)
    kernels.differences(ours, our_rims, theirs, their_rims, out)
    for i in range(2):
        for j in range(1030):
            steps = [(ours[i, k] - their_rims[k, j], our_rims[i, k] - theirs[k, j]) for k in range(5)]
            slow = sum(math.sqrt(abs(float(a))) + math.sqrt(abs(float(b))) for a, b in steps)
            assert out[i, j] == pytest.approx(slow, rel=1e-5)


# costs


def test_roots_are_stored_as_the_nearest_number() -> None:
    sums = [0.0, 1.0, 2.0, 2.25, 12.25, 30.0, 1e4, 65535.0**2, 65536.0**2, 1e12]
    for factor in (1.0, 2.0, 0.3):
        stored = np.zeros((1, len(sums)), np.uint16)
        kernels.store(np.array([sums], np.float32), stored, factor)
        assert stored[0].tolist() == [naive.cost(float(np.float32(s)), 1, factor) for s in sums]


@pytest.mark.parametrize(("first", "last"), [(0, 70), (0, 0), (3, 4), (60, 70)])
def test_costs_are_turned_row_by_row(first: int, last: int) -> None:
    costs = np.random.default_rng(1).integers(0, 65536, (70, 70)).astype(np.uint16)
    turned = np.zeros((70, 70), np.uint16)
    kernels.turn(costs, turned, first, last)
    for a in range(70):
        for b in range(70):
            assert turned[b, a] == (costs[a, b] if first <= a < last else 0)


def buddies_by_kernel(tables: Tables) -> naive.Buddies:
    """Everyone of whom the crossover thinks so, when one parent or the other has it there."""
    costs, _, best, buddy = tables
    numbers = np.arange(costs.shape[1], dtype=np.uint16)
    unused = np.zeros(len(numbers), np.uint8)

    def friend(side: int, piece: int, there: np.uint16) -> bool:
        pairs = ((there, kernels.NONE), (kernels.NONE, there))
        one, other = (kernels.parents_buddy(*pair, piece, side, unused, costs, best, buddy) for pair in pairs)
        assert one == other
        return bool(one == there)

    return [[{int(p) for p in numbers if p != n and friend(side, int(n), p)} for n in numbers] for side in SIDES]


@pytest.mark.parametrize("levels", [1, 3, MOST])
@pytest.mark.parametrize("most", [1, 2, 5, 24])
@pytest.mark.parametrize("count", [2, 3, 9, 27])
def test_ranks_and_buddies(count: int, most: int, levels: int) -> None:
    costs = random_costs(count, count + most, levels)
    ranks = ranks_of(costs, most)
    assert ranks.tolist() == naive.ranked(costs, most)
    assert buddies_by_kernel(tables_of(costs, most)) == naive.buddies(costs)


@each_puzzle
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("relative", [False, True])
def test_all_seams_of_a_puzzle(name: str, measure: str, relative: bool) -> None:
    plain, found = seams_of(PUZZLES[name], measure), seams_of(PUZZLES[name], measure, relative)
    if relative:
        slow = naive.relative(plain.costs.tolist(), seams.FLOOR, *seams.CLIP)
        assert np.abs(found.costs - np.array(slow)).max() < 0.6  # rounded, from logarithms in single precision
        assert found.unit == pytest.approx(5 / 65535), "logarithms from -3 to 2"
    else:
        assert (found.costs == plain.costs).all()
    assert found.ranked.tolist() == naive.ranked(found.costs.tolist(), seams.CANDIDATES)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("relative", [False, True])
def test_buddies_are_those_of_equation_3(measure: str, relative: bool) -> None:
    """Among pieces that look much alike too, where several fit best, or best for one of two only."""
    for puzzle in [*PUZZLES.values(), *(noise((2, 3), (2, 2), seed, channels=1, levels=2) for seed in range(5))]:
        found = seams_of(puzzle, measure, relative)
        tables = found.costs, found.ranked, found.best, found.buddy
        assert buddies_by_kernel(tables) == naive.buddies(found.costs.tolist())


def test_comparisons_are_clipped() -> None:
    """Costs from nothing to all that 16 bits hold."""
    costs = [[[0, 0, 65535, 40], [65535, 0, 65535, 65535], [40, 1, 65535, 0], [41, 65535, 40, 40]]] * 2
    both = [[[list(column) for column in zip(*rows, strict=True)] for rows in costs], costs]
    four: Costs = [both[0][1], both[1][0], both[1][1], both[0][0]]
    table, ranks = np.array(four, np.uint16), ranks_of(four, 3)
    logs = np.log(np.arange(MOST + 1.0) ** 2 + 40.0**2).astype(np.float32)
    rivals = logs[np.take_along_axis(table, ranks[:, :, :2].astype(np.int64), axis=2)]
    for side in SIDES:
        there = naive.facing(side)
        own = (table[side], np.arange(4), ranks[side, :, 0], rivals[side])
        kernels.compare(*own, ranks[there, :, 0], rivals[there], logs, -3.0, 2.0)
    slow = np.array(naive.relative(four, 40.0, -3.0, 2.0))
    assert np.abs(table - slow).max() < 0.6
    assert slow.min() == 0 and slow.max() == MOST


# random numbers


def test_random_numbers() -> None:
    assert mixed(np.uint64(0)) == 0xE220A8397B1DCDAF == naive.mixed(0), "as published"
    assert kernels.following(np.uint64(1)) == 0x40822041, "as published"
    chance = random.Random(0)
    for seed in [0, 1, 2**64 - 1, *(chance.getrandbits(64) for _ in range(50))]:
        assert mixed(np.uint64(seed)) == naive.mixed(seed)
        for number in (0, 1, 999):
            slow, state = naive.Chance(seed, number), kernels.seeded(np.uint64(seed), number)
            assert state == slow.state
            for bound in (1, 2, 7, 91_020):
                state = kernels.following(np.uint64(state))
                assert kernels.below(np.uint64(state), bound) == slow.below(bound) < bound
                assert state == slow.state


# chromosomes


@each_frame
def test_scattered_and_evaluated(frame: tuple[int, int]) -> None:
    rows, cols = frame
    costs = random_costs(rows * cols, 8)
    generation = Generation.empty(7, rows, cols)
    for first, last in ((4, 7), (0, 4)):
        kernels.scatter(generation.boards, first, last, np.uint64(5), rows, cols)
        filled = (generation.boards, generation.where, generation.totals)
        kernels.evaluate(*filled, first, last, np.array(costs, np.uint16), rows, cols)
    for number in range(7):
        board = unrimmed(generation.boards[number], rows, cols)
        assert board == naive.scattered(naive.Chance(5, number), rows, cols)
        assert generation.totals[number] == naive.fitness(board, costs)
        at = {piece: (row + 1) * (cols + 2) + col + 1 for piece, (row, col) in naive.cells_of(board).items()}
        assert dict(enumerate(generation.where[number].tolist())) == at


def kin(rows: int, cols: int, seed: int) -> list[Board]:
    """Parents of every sort: strangers, one and the same, rolled by a row or a column, with two pieces exchanged."""
    pieces = random.Random(seed).sample(range(rows * cols), rows * cols)
    board = [pieces[row * cols : (row + 1) * cols] for row in range(rows)]
    swapped = [list(row) for row in board]
    swapped[0][0], swapped[-1][-1] = swapped[-1][-1], swapped[0][0]
    rolled = [[row[-1], *row[:-1]] for row in board]
    stranger = naive.scattered(naive.Chance(seed, 99), rows, cols)
    return [tuple(map(tuple, b)) for b in (board, board, stranger, swapped, rolled, [board[-1], *board[:-1]])]


@each_frame
@pytest.mark.parametrize("levels", [2, MOST])
@pytest.mark.parametrize("most", [1, 24])
@pytest.mark.parametrize("mutation", [0.0, 0.2, 1.0])
def test_crossover_is_that_of_the_twin(frame: tuple[int, int], levels: int, most: int, mutation: float) -> None:
    rows, cols = frame
    costs = random_costs(rows * cols, rows + 10 * cols, levels)
    tables = tables_of(costs, most)
    buddies = naive.buddies(costs)
    parents = kin(rows, cols, levels)
    pairs = [(one, other) for one in (0, 2) for other in range(len(parents))]
    found = crossed(parents, pairs, tables, mutation, seed=levels)
    for number, (one, other) in enumerate(pairs):
        chance = naive.Chance(levels, number)
        slow = Growth(parents[one], parents[other], costs, buddies, mutation, chance)
        child = slow.child()
        assert unrimmed(found.boards[number], rows, cols) == child
        assert found.phases[number].tolist() == [sum(laid.phase == p for laid in slow.trace) for p in range(3)]


def offers(growth: Growth, cells: dict[int, naive.Cell]) -> list[set[tuple[int, int, int]]]:
    """Algorithm 2 to the letter: of all boundaries, the (neighbour, side, piece) that each phase allows."""
    left = [piece for piece in range(growth.rows * growth.cols) if piece not in cells]
    there: list[set[tuple[int, int, int]]] = [set(), set(), set()]
    for neighbour, cell in cells.items():
        for side in SIDES:
            new = naive.beyond(cell, side)
            rows, cols = ([c[axis] for c in [new, *cells.values()]] for axis in (0, 1))
            if new in cells.values() or max(rows) - min(rows) >= growth.rows or max(cols) - min(cols) >= growth.cols:
                continue
            near = [parent.get((neighbour, side)) for parent in growth.parents]
            friends = growth.buddies[side][neighbour]
            if near[0] == near[1] and near[0] in left:
                there[AGREED].add((neighbour, side, near[0]))
            there[BUDDY] |= {(neighbour, side, piece) for piece in near if piece in friends and piece in left}
            best = min(left, key=lambda piece: (growth.costs[side][neighbour][piece], piece))
            there[COMPATIBLE].add((neighbour, side, best))
    return there


@each_frame
@pytest.mark.parametrize("mutation", [0.0, 0.3])
def test_the_twin_goes_by_algorithm_2(frame: tuple[int, int], mutation: float) -> None:
    """No placement of a later phase while an earlier one has any: what pools have dropped is not missed."""
    rows, cols = frame
    costs = random_costs(rows * cols, 7, levels=30)
    phases, mutations = [0, 0, 0], 0
    for number, other in enumerate(kin(rows, cols, 3)):
        slow = Growth(kin(rows, cols, 3)[0], other, costs, naive.buddies(costs), mutation, naive.Chance(1, number))
        slow.child()
        (first,) = {*range(rows * cols)} - {laid.piece for laid in slow.trace}
        cells = {first: (0, 0)}
        for laid in slow.trace:
            allowed = offers(slow, cells)
            assert not any(allowed[phase] for phase in range(laid.phase))
            if laid.mutated:
                assert laid.phase != BUDDY
                assert (laid.neighbour, laid.side) in {(neighbour, side) for neighbour, side, _ in allowed[laid.phase]}
            else:
                assert (laid.neighbour, laid.side, laid.piece) in allowed[laid.phase]
            phases[laid.phase] += 1
            mutations += laid.mutated
            cells[laid.piece] = naive.beyond(cells[laid.neighbour], laid.side)
    if rows * cols == 30:
        assert all(phases), "all three were tried"
        assert bool(mutations) == bool(mutation)


@pytest.mark.parametrize("most", [1, 3, 24])
def test_most_compatible(most: int) -> None:
    chance = random.Random(most)
    for count in (2, 5, 30):
        costs = random_costs(count, most, levels=6)
        table, ranks, *_ = tables_of(costs, most)
        for _ in range(20):
            side, neighbour = chance.choice(SIDES), chance.randrange(count)
            others = [piece for piece in range(count) if piece != neighbour]
            left = chance.sample(others, chance.randint(1, len(others)))
            used = np.array([piece not in left for piece in range(count)], np.uint8)
            bank = np.array([*left, *[0] * (count - len(left))], np.uint16)
            found = kernels.most_compatible(table[side, neighbour], ranks[side, neighbour], used, bank, len(left))
            assert found == naive.most_compatible(costs[side][neighbour], left)


def test_a_generation_is_that_of_algorithm_1() -> None:
    """The elite first, best before worse; every other is a child of the two that the wheel chose."""
    rows, cols, size, elite = 2, 3, 8, 3
    measured = seams_of(noise((rows, cols), (6, 6), 9))
    costs: Costs = measured.costs.tolist()
    settings = Settings(population=size, elite=elite, mutation=0.5, pressure=2.0)
    population = Population(measured, rows, cols, settings, 11, Inline(), 1)
    finished(population.begin())
    for generation in range(3):
        old = [unrimmed(flat, rows, cols) for flat in population._now.boards]
        order = sorted(range(size), key=lambda number: (naive.fitness(old[number], costs), number))
        chosen, seed = population._roulette(), int(population._seed(generation + 1))
        finished(population.breed())
        new = [unrimmed(flat, rows, cols) for flat in population._now.boards]
        assert new[:elite] == [old[number] for number in order[:elite]]
        for number in range(elite, size):
            one, other = (old[order[rank]] for rank in chosen[number])
            a_placement = 0.5 / (rows * cols)  # the rate is that of a child
            slow = Growth(one, other, costs, naive.buddies(costs), a_placement, naive.Chance(seed, number))
            assert new[number] == slow.child()
        assert population._now.totals.tolist() == [naive.fitness(board, costs) for board in new]
        assert population.total == min(population._now.totals)
        assert population.placement().pieces == min(new, key=lambda board: naive.fitness(board, costs))
