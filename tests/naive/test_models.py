"""The compiled engine against brute force, on a bank of tiny models that covers every constraint."""

import itertools
import random

import numpy as np
import pytest

from dovetail.grids.compiled import compiled
from dovetail.grids.engine import Search, answers, grade, values
from dovetail.grids.kernels import propagate
from dovetail.grids.kernels.satisfied import satisfied
from dovetail.grids.mcts import Optimized, Reliable, Standard
from dovetail.grids.model import Model, holds
from dovetail.grids.tree_search import TreeSearch
from support.model_bank import BANK, brute_answers

each_model = pytest.mark.parametrize("name", BANK)


@each_model
def test_depth_first_finds_every_answer_once(name: str) -> None:
    model = BANK[name]
    found = answers(model, 10**6)
    assert len(found) == len(set(found))
    assert set(found) == brute_answers(model)
    assert len(answers(model, 1, seed=3)) == min(1, len(found))


@each_model
def test_propagation_and_look_ahead_keep_every_answer(name: str) -> None:
    model = BANK[name]
    truth = brute_answers(model)
    structure, state = compiled(model)
    possible = propagate.begin(structure, state)
    if possible:
        possible, done = propagate.look_ahead(structure, state, np.zeros(2, np.int64), 10**9)
        assert done
    if not possible:
        assert not truth
        return
    for answer in truth:
        assert all(int(word) >> value & 1 for word, value in zip(state.dom.tolist(), answer, strict=False))
    if grade(model) == 0:  # propagation alone: what is left is the answer
        assert not truth or truth == {values(state.dom)[: model.answers]}


@each_model
def test_satisfied_means_what_holds_means(name: str) -> None:
    model = BANK[name]
    structure, state = compiled(model)
    every = [*itertools.islice(itertools.product(*model.domains), 300)]
    chosen = random.Random(5)
    if every and len(every) == 300:
        every += [tuple(chosen.choice(domain) for domain in model.domains) for _ in range(100)]
    for assignment in every:
        given = np.array(assignment, np.int64)
        for c, constraint in enumerate(model.constraints):
            assert bool(satisfied(structure, given, c, state.work)) == holds(constraint, assignment), constraint


@each_model
@pytest.mark.parametrize("settings", [Reliable(), Reliable(ahead=False), Reliable(order="before", fast=False)])
def test_reliable_tree_search_solves_or_proves_that_nothing_does(name: str, settings: Reliable) -> None:
    model = BANK[name]
    search = TreeSearch(model, settings, seed=1)
    while not (search.solved or search.exhausted):
        for _ in search.work(50):
            pass
    truth = brute_answers(model)
    assert search.solved == bool(truth)
    if search.solved:
        assert search.answer[: model.answers] in truth
        assert search.satisfied == len(model.constraints)


@pytest.mark.parametrize(
    "settings",
    [
        Standard(),
        Standard(fast=True),
        Standard(order="before"),
        Standard(order="before", fast=True),
        Standard(accurate=True),
        Optimized(),
        Optimized(fast=False),
    ],
)
@pytest.mark.parametrize("name", ["latin square 3", "loops on a 3x3 grid of dots"])
def test_each_switch_of_the_tree_search_works_alone(name: str, settings: Standard) -> None:
    """The score a search reports is what the constraints say of its answer, whatever it was counted by."""
    model = BANK.get(name) or next(iter(m for n, m in BANK.items() if len(m.constraints) > 2))
    search = TreeSearch(model, settings, seed=2)
    for _ in search.work(40):
        pass
    assert search.rollouts <= 40
    full = [v for v in search.answer if v is not None]
    assert len(full) == len(model.domains)
    assert search.satisfied == sum(holds(constraint, full) for constraint in model.constraints)


def test_models_that_share_their_constraints_share_what_is_compiled() -> None:
    model = next(m for m in BANK.values() if len(m.constraints) > 2 and all(len(d) > 1 for d in m.domains))
    narrower = Model(((model.domains[0][0],), *model.domains[1:]), model.constraints)
    assert compiled(model)[0] is compiled(narrower)[0]


def test_a_paused_search_goes_on_where_it_was() -> None:
    model = max(BANK.values(), key=lambda m: len(brute_answers(m)) if len(m.domains) < 10 else 0)
    at_once, in_slices = Search(model), Search(model)
    found = []
    while not in_slices.exhausted:
        if in_slices.advance(1):
            found.append(in_slices.answer)
    again = []
    while not at_once.exhausted:
        if at_once.advance(10**9):
            again.append(at_once.answer)
    assert found == again
    assert at_once.answers == len(found)
