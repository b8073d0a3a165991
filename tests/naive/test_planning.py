"""Planning with P and V against its slow twin: selection, expansion, back-propagation, virtual loss, moves; tables."""

import hashlib
import itertools
import math

import numpy as np
import pytest

from dovetail.core.puzzle import EMPTY
from dovetail.jigsaw.deep.game import Game, Judging, Play, new_game, orders, scale
from dovetail.jigsaw.deep.game_kernels import COMPILED, judge_by_tables
from dovetail.jigsaw.deep.planning import leaves_at
from dovetail.jigsaw.deep.tables import Tables
from dovetail.search.forest import Forest, swept
from dovetail.search.planning import Planner
from dovetail.search.puct import Leaves, Manner
from dovetail.search.tree import NONE
from support.naive_planning import Path, Twin, board_score, filled, policy, polished

ROWS, COLS = 2, 3
RULES = {
    "puct": (Manner(0.7), Twin(list, list, "puct", 0.7)),  # type: ignore[arg-type]
    "uct": (Manner(0.4, guided=False), Twin(list, list, "uct", 0.4)),  # type: ignore[arg-type]
    "single": (
        Manner(0.4, guided=False, bonus=0.02, deviation=0.1),
        Twin(list, list, "single", 0.4, w=0.02, d=0.1),  # type: ignore[arg-type]
    ),
    "mixed": (Manner(0.4, guided=False, top=0.3), Twin(list, list, "mixed", 0.4, top=0.3)),  # type: ignore[arg-type]
    "puct, mixed, from the parent, exhausting": (
        Manner(1.5, unseen=-1.0, top=0.5, exhaust=True),
        Twin(list, list, "puct", 1.5, top=0.5, parent_first=True, exhaust=True),  # type: ignore[arg-type]
    ),
}
each_rule = pytest.mark.parametrize("rule", RULES)


def noise(*key: object) -> float:
    """A number from 0 to 1, the same for the same key."""
    return int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:6]) / 2**48


def game_of(hints: list[dict[int, int]], patches: int = 6) -> Game:
    plays = [Play(n, orders(patches, 1, 0, known)[0], known) for n, known in enumerate(hints)]
    return new_game(ROWS, COLS, plays)


def judged(found: Leaves) -> tuple[np.ndarray, np.ndarray]:
    """By noise, for every position its own."""
    paths = [tuple(path[:played].tolist()) for path, played in zip(found.path, found.played, strict=True)]
    named = [*zip(found.tree.tolist(), paths, strict=True)]
    priors = np.array([[noise("prior", *name, cell) for cell in range(ROWS * COLS)] for name in named])
    return priors, np.array([noise("value", *name) for name in named])


def twin_of(rule: str, game: Game, play: int) -> Twin:
    slow = RULES[rule][1]

    def moves(path: Path) -> list[int]:
        if len(path) >= game.length[play]:
            return []
        return [cell for cell in range(game.cells) if game.start[play, cell] == EMPTY and cell not in path]

    def judge(path: Path) -> tuple[list[float], float]:
        return [noise("prior", play, path, cell) for cell in moves(path)], noise("value", play, path)

    parameters = (slow.rule, slow.c, slow.w, slow.top, slow.d, slow.parent_first, slow.exhaust)
    return Twin(moves, judge, *parameters)


def told(forest: Forest, node: int, path: tuple[int, ...]) -> object:
    """As ``Node.told``."""
    children = []
    if forest.first[node] != NONE:
        for child in range(forest.first[node], forest.first[node] + forest.count[node]):
            assert forest.parent[child] == node
            children.append(told(forest, child, (*path, int(forest.move[child]))))
    assert forest.waiting[node] == 0
    prior, value = round(float(forest.prior[node]), 9), round(float(forest.value[node]), 9)
    return [list(path), prior, int(forest.visits[node]), value, children]


def trees(planner: Planner) -> list[object]:
    roots = zip(planner.forest.root, planner.plays, strict=True)
    return [told(planner.forest, int(root), tuple(path)) for root, path in roots]


@each_rule
@pytest.mark.parametrize("each", [1, 4])
def test_trees_are_those_of_the_twin(rule: str, each: int) -> None:
    """Three plays at once, in batches that hold a part of them; move by move to the end."""
    game = game_of([{}, {2: 4}, {0: 5, 3: 1}])
    for by, keep in (("visits", True), ("value", False)):
        planner = Planner(game, COMPILED, 3, game.steps, game.cells, RULES[rule][0])
        slow = [twin_of(rule, game, play) for play in range(3)]
        for move in range(game.steps):
            visits = 60 if move < 2 else 9
            planner.visit_with(judged, visits, batch=2 * each, each=each)
            for twin in slow:
                if twin.root.children or not twin.root.values:
                    twin.visit_with(visits, each)
            assert trees(planner) == [twin.root.told() for twin in slow]
            planner.move(by, keep)
            for twin in slow:
                twin.move(by, keep)
        assert [tuple(play) for play in planner.plays] == [twin.root.path for twin in slow]
        assert planner.forest.played.tolist() == game.length.tolist()


def test_one_leaf_of_a_play_at_a_time_is_no_batch() -> None:
    """What waits of other plays makes no difference, nor how many fit into a batch."""
    game = game_of([{}, {1: 1}])
    planned = []
    for batch in (1, 2, 7):
        planner = Planner(game, COMPILED, 2, game.steps, game.cells)
        planner.visit_with(judged, 70, batch)
        planned.append(trees(planner))
        assert planner.visits == 140 and planner.batches <= 140
    assert planned[0] == planned[1] == planned[2]
    twin = twin_of("puct", game, 0)
    twin.c = 1.0
    twin.visit(70)
    assert planned[0][0] == twin.root.told()


def tables_of(seed: int, count: int = 6) -> Tables:
    chance = np.random.default_rng(seed)
    shapes = ((count, count), (count, count), (count, ROWS * COLS))
    return Tables(*(chance.normal(size=shape).astype(np.float32) for shape in shapes))


@pytest.mark.parametrize("judging", [Judging(), Judging(policy=False, polish=0), Judging(during=False)])
def test_compiled_judgement_is_that_of_batches(judging: Judging) -> None:
    tables = [tables_of(1), tables_of(2, 4)]
    plays = [Play(0, (3, 1, 0, 2, 4, 5)), Play(1, (2, 0), {3: 1, 1: 4})]
    planned = []
    for compiled in (True, False):
        game = new_game(ROWS, COLS, plays, tables, judging)
        planner = Planner(game, COMPILED, 2, game.steps, game.cells, Manner(unseen=-1.0))
        for _ in range(3):
            if compiled:
                planner.visit(50)
            else:
                planner.visit_with(lambda found, game=game: judge_by_tables(game, found), 50, batch=3)
            planner.move()
        planned.append((trees(planner), planner.visits, game.best.tolist(), game.best_board.tolist()))
    assert planned[0] == planned[1]


def test_what_tables_say_of_boards() -> None:
    """P and V of every position of some plays, from their definitions."""
    chance = np.random.default_rng(3)
    for seed, judging in enumerate([Judging(), Judging(temperature=2.5, polish=0), Judging(polish=1)]):
        tables = tables_of(seed, 6 - seed)
        known = {1: 5} if seed else {}
        order = tuple(patch for patch in chance.permutation(tables.count).tolist() if patch not in known)
        low, span = scale(tables, ROWS, COLS)
        free = [cell for cell in range(6) if cell not in known.values()]
        for played in range(len(order) + 1):
            path = chance.permutation(free)[:played]
            game = new_game(ROWS, COLS, [Play(0, order, known)], [tables], judging)
            board = [EMPTY] * 6
            for patch, cell in [*known.items(), *zip(order, path.tolist(), strict=False)]:
                board[cell] = patch
            cells = np.full((1, 7), NONE, np.int32)
            cells[0, :played] = path
            priors, values = judge_by_tables(game, leaves_at(game, np.array([0]), cells, np.array([played])))
            whole = filled(tables, board, COLS, order[played:], judging.polish)
            worth = (board_score(tables, whole, COLS) - low) / span
            assert values[0] == pytest.approx(min(1.0, max(0.0, worth)), abs=1e-6)
            assert game.best_board[0].tolist() == polished(tables, whole, COLS, free, judging.polish)
            if played < len(order):
                expected = policy(tables, board, COLS, order[played], judging.temperature)
                empty = [cell for cell in range(6) if board[cell] == EMPTY]
                assert priors[0, empty] / priors[0].sum() == pytest.approx(expected, abs=1e-5)


def test_the_scale_of_values() -> None:
    """Over all boards: their mean is 0, and none is above 1."""
    tables = tables_of(5)
    low, span = scale(tables, ROWS, COLS)
    scores = [board_score(tables, board, COLS) for board in itertools.permutations(range(6))]
    assert math.fsum(scores) / len(scores) == pytest.approx(low, abs=1e-4)
    assert max(scores) <= low + span


def test_sweeping_keeps_what_can_be_reached() -> None:
    game = game_of([{}, {}])
    planner = Planner(game, COMPILED, 2, game.steps, game.cells)
    planner.visit_with(judged, 80, 4, 2)
    planner.move()
    before, used = trees(planner), int(planner.forest.used[0])
    planner.forest = swept(planner.forest, 5)
    assert trees(planner) == before
    assert planner.forest.used[0] < used
    kept = int(planner.forest.used[0])
    assert planner.forest.twin[:kept].tolist() == [*range(kept)]
    planner.visit_with(judged, 30, 4, 2)  # and it goes on growing
    assert planner.forest.used[0] > kept
