"""The bridge to CPMpy, both ways: every answer of a tiny model, and user models of many expressions."""

from typing import Any

import cpmpy as cp
import pytest

from dovetail.core.errors import BadInput, BadUsage, Refused
from dovetail.core.solver import Budget, Clock, Outcome
from dovetail.grids import cpmpy_bridge
from dovetail.grids.cpmpy_bridge import from_cpmpy, solve, to_cpmpy
from dovetail.grids.model import AllDifferent, Clause, Count, Difference, Model, Product, Sum, Table
from dovetail.grids.sat import Sat, Settings
from support.model_bank import BANK, Bare, brute_answers, brute_count

MANY = 60  # answers above which a model is not listed to the end
FEW = {name: model for name, model in BANK.items() if model.domains and brute_count(model) <= MANY}

x = cp.intvar(0, 5, shape=3, name="x")
y = cp.intvar(0, 30, shape=4, name="y")
b = cp.boolvar(shape=3, name="b")
large = (y[0] == 1) | (y[1] == 2) | (y[2] == 0)  # more values than a table of one expression may have
# what a user may write, and the constraints it becomes
EXPRESSIONS: list[tuple[Any, set[type]]] = [
    (x[0] + x[1] == 3, {Sum}),
    (cp.sum(x) > 10, {Sum}),
    (-x[0] - x[1] >= -3, {Sum}),
    (cp.sum(b) == 2, {Sum}),
    (x[0] + x[1] <= x[2] + 1, {Table}),
    (2 * x[0] + 3 * x[1] + x[2] - 4 >= 0, {Table}),
    ([y[0] + 2 * y[1] - y[2] == 60, y[2] < 4], {Table, Sum}),
    (x[0] * x[1] * x[2] == 6, {Product}),
    (x[0] * x[1] == x[2], {Table}),
    (abs(x[0] - x[1]) == 2, {Difference}),
    (cp.AllDifferent(x), {AllDifferent}),
    (cp.AllDifferent(x[0] + 1, x[1] + 2), {AllDifferent, Table}),
    (cp.Table(x, [[1, 2, 3], [0, 0, 0]]), {Table}),
    (cp.Count(x, 2) == 1, {Count}),
    (cp.sum(x == 2) <= 1, {Table}),
    ([cp.sum([part == 2 for part in y]) >= 3, y <= 3], {Table, Sum}),
    (b[0] | ~b[1] | (x[0] == 2), {Clause}),
    (b[0].implies(x[0] != 3), {Clause}),
    (~(b[0] & b[1]), {Clause}),
    (~((x[0] == 1) | (x[1] == 2)), {Table, Clause}),
    ([b[0], ~b[1], b[0] | b[2]], {Clause}),
    (b[0] == (x[0] > 2), {Table}),
    ((x[0] + x[1] == 3).implies((x[2] > 2) & b[0]), {Table, Clause}),
    (cp.max(x) > 3, {Table}),
    (x[0] % 2 == 1, {Table}),
    (x[0] // x[1] == x[2], {Table}),  # no value of x[2] goes with a division by zero
    (cp.Xor(b), {Table}),
    (b[0] ^ b[1], {Table}),
    (cp.InDomain(x[0], [1, 4]), {Table}),
    (cp.Increasing(x), {Table}),
    ([~(large & ((y[3] == 1) | b[0])), y <= 3], {Clause, Table, Sum}),
    ([large.implies(b[0]) | (~large & (y[3] == 3)), y <= 2], {Clause, Sum}),
    ([cp.BoolVal(True) | b[0], b[1]], {Clause}),
    ([cp.any([]) | b[0], b[1]], {Clause}),
]


def counted(model: Model) -> int:
    run = Sat().count(Bare(model), Settings(), Clock(Budget()), None)
    while True:
        try:
            next(run)
        except StopIteration as end:
            outcome: Outcome = end.value
            return int(outcome.counters["solutions"])


@pytest.mark.parametrize("name", FEW)
def test_a_model_has_the_same_answers_in_cpmpy(name: str) -> None:
    model, found = BANK[name], []
    written, variables = to_cpmpy(model)
    written.solveAll("ortools", display=lambda: found.append(tuple(int(v.value()) for v in variables[: model.answers])))
    assert set(found) == brute_answers(model)
    if model.shown is None:
        assert len(found) == len(set(found)), "helping variables follow from the others"


@pytest.mark.parametrize("name", ["calcudoku, 3x3", "nonogram, coloured", "loops, a clue", "paths, one fills all"])
def test_other_engines_of_cpmpy_solve_it_too(name: str) -> None:
    model = BANK[name]
    written, variables = to_cpmpy(model)
    assert written.solve("z3")
    assert tuple(int(v.value()) for v in variables[: model.answers]) in brute_answers(model)


@pytest.mark.parametrize("name", FEW)
def test_there_and_back_again(name: str) -> None:
    model = BANK[name]
    back = from_cpmpy(to_cpmpy(model)[0])
    if model.shown is None:
        assert counted(back) == brute_count(model)
    else:
        assert (counted(back) > 0) == (brute_count(model) > 0)


@pytest.mark.parametrize(("stated", "kinds"), EXPRESSIONS, ids=[str(number) for number in range(len(EXPRESSIONS))])
def test_an_expression_means_the_same_here(stated: Any, kinds: set[type]) -> None:
    model = cp.Model(stated)
    read = from_cpmpy(model)
    assert {type(constraint) for constraint in read.constraints} == kinds
    assert counted(read) == model.solveAll("ortools")


def test_reading_leaves_the_values_of_variables_alone() -> None:
    assert cp.Model(x[0] == 4, x[1] == 2).solve("ortools")
    from_cpmpy(cp.Model(cp.max(x) > 3))
    assert (x[0].value(), x[1].value()) == (4, 2)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        (cp.max(y) > 3, "max.*too large for a table"),
        (cp.Circuit(y), "circuit.*too large for a table"),
        (y[0] * y[0] + y[1] + y[2] + y[3] == 9, "outside 0 to 63"),
        (cp.intvar(-1, 3, name="low") > 0, "low goes from -1 to 3"),
        (cp.intvar(0, 64, name="high") > 0, "high goes from 0 to 64"),
        (cp.sum(y) == 2.5, "2.5 is not a whole number"),
        (3 * y[0] + y[1] + y[2] == 9, "a term takes more than 64 values"),
        (x[0] // x[1] + cp.sum(y) == 3, "has no value for some"),
    ],
    ids=str,
)
def test_what_is_beyond_us_is_named(stated: Any, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        from_cpmpy(cp.Model(stated))


def test_an_objective_is_refused() -> None:
    with pytest.raises(BadInput, match="objective"):
        from_cpmpy(cp.Model(x[0] > 1, minimize=x[0]))


@pytest.mark.parametrize("solver", ["mcts-reliable", "sat", "cp-sat"])
def test_our_solvers_fill_the_variables_of_the_user(solver: str) -> None:
    puzzle = [[1, 0, 0, 0], [0, 0, 3, 0], [0, 4, 0, 0], [0, 0, 0, 2]]
    cells = cp.intvar(1, 4, shape=(4, 4), name="cell")
    odd = cp.boolvar(name="odd")
    model = cp.Model(
        [cp.AllDifferent(line) for line in (*cells, *cells.T)],
        [cp.AllDifferent(cells[r : r + 2, c : c + 2].flatten()) for r in (0, 2) for c in (0, 2)],
        [cells[r, c] == value for r, row in enumerate(puzzle) for c, value in enumerate(row) if value],
        odd == (cells[0, 1] % 2 == 1),
    )
    assert solve(model, solver)
    assert all(constraint.value() for constraint in cp.transformations.normalize.toplevel_list(model.constraints))
    assert odd.value() is bool(cells[0, 1].value() % 2)
    assert model.status().exitstatus.name == "FEASIBLE"
    assert model.status().solver_name == solver


def test_no_answer_is_told_from_none_in_time() -> None:
    model = cp.Model(x[0] + x[1] > 4, x[0] < 2, x[1] < 2)
    assert not solve(model, "sat")
    assert model.status().exitstatus.name == "UNSATISFIABLE"
    assert x[0].value() is None
    assert not solve(model, "sat", time_s=0)
    assert model.status().exitstatus.name == "UNKNOWN"


def test_solving_takes_settings_and_refuses_wrong_names() -> None:
    model = cp.Model(x[0] + x[1] == 4)
    assert solve(model, "sat", engine="minisat22", seed=3)
    with pytest.raises(BadUsage, match="engine is one of"):
        solve(model, "sat", engine="steam")
    with pytest.raises(BadUsage, match="unknown solver 'guess'"):
        solve(model, "guess")
    with pytest.raises(Refused, match="sat refuses this model"):
        solve(cp.Model(cp.intvar(0, 60, shape=5000) >= 0), "sat")


def test_without_cpmpy_it_refuses_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpmpy_bridge, "find_spec", lambda name: None)
    with pytest.raises(Refused, match="cpmpy is not installed"):
        to_cpmpy(BANK["latin square"])
