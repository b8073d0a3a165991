"""The learnt value function for 2048: its file, the solver that looks ahead with it, and the script that teaches it."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail
from dovetail.core.errors import BadInput, Refused
from dovetail.core.puzzle import Moves
from dovetail.core.solver import Budget, Clock, Outcome
from dovetail.moves import tuple_kernels as kernels
from dovetail.moves import tuples
from dovetail.moves.games.twenty48 import Game2048, Kind2048
from dovetail.moves.learnt import Learnt, Settings
from dovetail.moves.rules import twenty48 as rules
from dovetail.search.chance import seeded

SCRIPT = Path(dovetail.__file__).parents[2] / "benchmarks" / "teach_2048.py"
NUMBER = kernels.TUPLES * kernels.ENTRIES
EMPTY = (0,) * 16
SHORT = Game2048(EMPTY, goal=256, seed=1)


def solved(puzzle: Game2048, steps: int | None = None, depth: int | None = 1) -> Outcome:
    run = Learnt().solve(puzzle, Settings(depth), Clock(Budget(steps=steps)), seed=0)
    while True:
        try:
            next(run)
        except StopIteration as end:
            assert isinstance(end.value, Outcome)
            return end.value


def test_what_is_shipped_is_small_and_whole() -> None:
    assert tuples.SHIPPED.stat().st_size <= 10_000_000
    assert np.count_nonzero(tuples.shipped()) > 100_000


def test_entries_that_matter_survive_the_file(tmp_path: Path) -> None:
    path = tmp_path / "it.bin"
    learnt, mattered = np.zeros(NUMBER, np.float32), np.zeros(NUMBER, np.float32)
    places = np.random.default_rng(1).choice(NUMBER, 1000, replace=False)
    learnt[places] = np.linspace(-20_000, 20_000, 1000)
    mattered[places[1:]] = 1
    assert tuples.save(path, learnt, mattered) == path.stat().st_size
    table = tuples.read(path)
    assert table[places[0]] == 0, "it did not matter"
    assert np.abs(table[places[1:]] * tuples.UNIT - learnt[places[1:]]).max() <= tuples.UNIT / 2
    assert np.count_nonzero(table) <= 999


def test_a_file_keeps_to_its_size_with_what_mattered_most(tmp_path: Path) -> None:
    path = tmp_path / "it.bin"
    rng = np.random.default_rng(2)
    learnt, mattered = np.zeros(NUMBER, np.float32), np.zeros(NUMBER, np.float32)
    places = rng.choice(NUMBER, 3000, replace=False)
    learnt[places], mattered[places] = rng.integers(100, 10_000, 3000), rng.permutation(3000) + 1
    assert tuples.save(path, learnt, mattered, most=12_000) <= 12_000
    kept = np.flatnonzero(tuples.read(path))
    assert 300 < len(kept) < 3000
    assert mattered[kept].min() == 3001 - len(kept)


def test_a_damaged_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "2048.bin"
    data = bytearray(tuples.SHIPPED.read_bytes())
    data[-100] ^= 1
    path.write_bytes(data)
    with pytest.raises(BadInput, match="damaged"):
        tuples.read(path)


def test_it_takes_what_it_was_taught() -> None:
    assert Learnt().accepts(SHORT).accepted
    small = Learnt().accepts(Game2048((0,) * 9, rows=3, cols=3))
    assert not small.accepted and "3x3" in small.why


def test_too_far_is_refused() -> None:
    Learnt().check_settings(SHORT, Settings(4))
    with pytest.raises(Refused, match="4 moves ahead at most"):
        Learnt().check_settings(SHORT, Settings(5))


@pytest.mark.parametrize("depth", [None, 1, 2, 4])
def test_it_wins_a_short_game(depth: int | None) -> None:
    outcome = solved(SHORT, depth=depth)
    assert outcome.status == "complete" and outcome.solution is not None
    verdict = Kind2048().check(SHORT, outcome.solution)
    assert verdict.solved
    assert verdict.scores["moves"] == outcome.counters["moves"]
    assert verdict.scores["score"] == outcome.counters["score"]


def test_it_mostly_reaches_2048_even_with_one_move_ahead() -> None:
    won = [solved(Game2048(EMPTY, goal=2048, seed=seed)).status == "complete" for seed in range(1, 11)]
    assert sum(won) >= 8


def test_a_budget_ends_it_in_the_middle() -> None:
    whole, part = solved(SHORT), solved(SHORT, steps=37)
    assert part.status == "out_of_budget"
    assert isinstance(whole.solution, Moves) and isinstance(part.solution, Moves)
    assert part.solution.moves == whole.solution.moves[:37]


def test_a_lost_game_is_partial() -> None:
    stuck = Game2048((1, 2, 1, 2, 2, 1, 2, 1, 1, 2, 1, 2, 2, 1, 2, 1))
    outcome = solved(stuck)
    assert outcome.status == "partial" and outcome.solution == Moves(())


def test_plans_know_nothing_of_what_chance_will_bring() -> None:
    """Another future, the same move; and planning draws nothing from it."""
    weights = rules.weights()
    for seed in range(5):
        state = rules.state(Game2048((3, 1, 0, 0, 2, 0, 1, 0, *(0,) * 8), seed=seed))
        before = state.streams.copy()
        chosen = rules.choose(state, weights, 2, seeded(0))
        assert (state.streams == before).all() and state.tally[rules.PLAYED] == 0
        assert chosen == rules.choose(rules.state(Game2048((3, 1, 0, 0, 2, 0, 1, 0, *(0,) * 8))), weights, 2, seeded(9))


@pytest.fixture(scope="module")
def script() -> Any:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("teach_2048", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_teaching_helps_and_can_be_taken_up_again(script: Any, tmp_path: Path) -> None:
    pupil = script.new(seed=1)
    scores = [score for score, _ in script.lessons(pupil, 150_000)]
    assert np.mean(scores[-20:]) > 2 * np.mean(scores[:20])
    kept = tmp_path / "pupil.npz"
    small = script.Pupil(
        kernels.Network(pupil.network.table[:10], 1.0), pupil.errors[:10], pupil.sizes[:10], *pupil[3:]
    )
    script.keep(small, kept)
    again = script.kept(kept)
    assert (again.network.table == small.network.table).all() and (again.errors == small.errors).all()
    assert again.chance == pupil.chance and again.made == pupil.made >= 150_000
