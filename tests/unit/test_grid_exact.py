"""The exact solvers of logic grids, held against trying everything on tiny models of every constraint."""

import itertools
import threading
import time
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from pysat.solvers import Solver as Engine

from dovetail.core.errors import BadInput, Refused
from dovetail.core.puzzle import Assignment, Puzzle
from dovetail.core.solver import Budget, Clock, Outcome, Run, Solver
from dovetail.grids import z3 as z3_solver
from dovetail.grids.clauses import TRUE, at_most_one
from dovetail.grids.cp_sat import CpSat
from dovetail.grids.encoding import Encoding
from dovetail.grids.lazy_cuts import closed_loops
from dovetail.grids.machines import adding_up, reading_runs
from dovetail.grids.model import AllDifferent, Clause, Count, Loop, Model, Product, Runs, Sum, Table, holds
from dovetail.grids.sat import Sat
from dovetail.grids.z3 import Z3
from support.model_bank import BANK, Bare, brute_answers, brute_count, grid_ends, latin, loop, over

FEW = 8  # answers up to which a solver that cannot count is asked for each of them
SOLVERS: list[tuple[Solver, dict[str, Any]]] = [
    (Sat(), {}),
    (Sat(), {"engine": "minisat22"}),
    (CpSat(), {"workers": 1}),
    (Z3(), {"encoding": "booleans"}),
    (Z3(), {"encoding": "integers"}),
]
each_solver = pytest.mark.parametrize(("solver", "given"), SOLVERS, ids=lambda part: getattr(part, "name", str(part)))
each_model = pytest.mark.parametrize("name", BANK)


class Other(Puzzle):
    """No logic grid."""

    kind: ClassVar[str] = "other"
    size: ClassVar[str] = "0x0"

    def encode(self) -> dict[str, Any]:
        return {}


def finish(run: Run) -> tuple[Outcome, list[tuple[int | None, ...]]]:
    """How a run ended, and the answers it showed on its way."""
    shown: list[tuple[int | None, ...]] = []
    while True:
        try:
            event = next(run)
        except StopIteration as end:
            return end.value, shown
        if isinstance(event.solution, Assignment):
            shown.append(event.solution.values)


def solved(solver: Solver, model: Model, steps: int | None = None, seed: int = 0, **given: Any) -> Outcome:
    return finish(solver.solve(Bare(model), solver.settings_type(**given), Clock(Budget(None, steps)), seed))[0]


def counted(model: Model, limit: int | None = None, **given: Any) -> tuple[Outcome, list[tuple[int | None, ...]]]:
    return finish(Sat().count(Bare(model), Sat.settings_type(**given), Clock(Budget()), limit))


def other_than(model: Model, answer: tuple[int | None, ...]) -> Model:
    values = tuple(value for value in answer if value is not None)
    block = Clause(tuple(range(len(values))), values, (False,) * len(values))
    return Model(model.domains, (*model.constraints, block), model.shown)


def odd_one_out(vertices: int = 48) -> Model:
    """On a graph, an even number of edges on at every vertex, but an odd one at the first: nobody sees through it."""
    ends = [(a, (a + far) % vertices) for a in range(vertices) for far in (1, 11)]
    rows = [[row for row in itertools.product((0, 1), repeat=4) if sum(row) % 2 == odd] for odd in (0, 1)]
    edges = [tuple(edge for edge, pair in enumerate(ends) if vertex in pair) for vertex in range(vertices)]
    tables = (Table(at, tuple(rows[vertex == 0])) for vertex, at in enumerate(edges))
    return over((0, 1), len(ends), *tables)


@each_model
@pytest.mark.parametrize("engine", ["cadical195", "cadical153", "minisat22"])
def test_sat_counts_as_trying_everything_does(name: str, engine: str) -> None:
    model = BANK[name]
    outcome, shown = counted(model, engine=engine)
    assert outcome.status == "complete"
    assert outcome.counters["solutions"] == brute_count(model)
    assert len(set(shown)) == min(2, brute_count(model))
    assert brute_answers(model).issuperset(shown)


@each_solver
def test_finds_every_answer_and_then_proves_that_there_is_no_other(solver: Solver, given: dict[str, Any]) -> None:
    for name, model in BANK.items():
        left = brute_answers(model)
        if len(left) > FEW:
            outcome = solved(solver, model, **given)
            assert isinstance(outcome.solution, Assignment)
            assert outcome.solution.values in left, name
            continue
        while left:
            outcome = solved(solver, model, **given)
            assert outcome.status == "complete", name
            assert isinstance(outcome.solution, Assignment)
            answer = outcome.solution.values
            assert answer in left, name
            left.remove(answer)  # type: ignore[arg-type]
            model = other_than(model, answer)
        outcome = solved(solver, model, **given)
        assert outcome.status == "proved_none", name
        assert outcome.solution == Assignment((None,) * model.answers)


def test_cp_sat_says_the_same_as_trying_everything() -> None:
    from ortools.sat.python import cp_model

    from dovetail.grids.cp_sat_model import CpSatModel

    for name, model in BANK.items():
        built, found = CpSatModel(model), set()

        class Collect(cp_model.CpSolverSolutionCallback):
            def on_solution_callback(self) -> None:
                found.add(tuple(self.value(v) for v in built.variables[: model.answers]))  # noqa: B023

        engine = cp_model.CpSolver()
        engine.parameters.enumerate_all_solutions = True
        engine.parameters.num_workers = 1
        engine.solve(built.model, Collect())
        assert found == brute_answers(model), name


@each_model
def test_decoded_values_meet_every_constraint(name: str) -> None:
    """All of them, not only those shown, and also when each group of clauses stands by itself."""
    model = BANK[name]
    for standalone in (False, True):
        found = 0
        for values in all_values(Encoding(model, standalone)):
            assert all(value in domain for value, domain in zip(values, model.domains, strict=True))
            assert all(holds(constraint, values) for constraint in model.constraints)
            found += 1
        assert found == brute_count(model)


def test_a_group_alone_says_what_its_constraint_says() -> None:
    for name, model in BANK.items():
        if len(model.domains) > 9 or any(isinstance(constraint, Loop) for constraint in model.constraints):
            continue
        for number, constraint in enumerate(model.constraints):
            alone = Model(model.domains, (constraint,))
            encoding = Encoding(Model(model.domains, model.constraints), standalone=True)
            encoding.groups = [encoding.groups[number]]
            assert sum(1 for _ in all_values(encoding)) == brute_count(alone), f"{name}: {constraint}"


def all_values(encoding: Encoding) -> Iterator[tuple[int, ...]]:
    with Engine(name="minisat22", bootstrap_with=[*encoding.clauses()]) as engine:
        while engine.solve():
            values = encoding.decode(engine.get_model())
            cuts = [clause for group in encoding.cuts(values).values() for clause in group]
            if not cuts:
                yield values
            for clause in cuts or [encoding.other_than(values)]:
                engine.add_clause(clause)


@pytest.mark.parametrize(
    ("model", "answers"),
    [
        (over(range(1, 5), 16, *latin(4)), 576),
        (over(range(1, 5), 16, *latin(4), *(AllDifferent((a, a + 1, a + 4, a + 5)) for a in (0, 2, 8, 10))), 288),
        (loop(4, 4), 213),
        (over(range(9), 9, AllDifferent(tuple(range(9))), Sum((0, 1, 2), "=", 3)), 6 * 720),
        (over((0, 1), 16, Count(tuple(range(16)), 1, "=", 3)), 560),
        (over((0, 1), 14, Runs(tuple(range(14)), ((3, 1), (1, 1), (2, 1)))), 84),
    ],
    ids=["latin squares", "sudokus", "cycles of a grid", "sum of different digits", "three of sixteen", "three runs"],
)
def test_counts_what_is_known(model: Model, answers: int) -> None:
    assert counted(model)[0].counters["solutions"] == answers


def test_counting_stops_at_the_limit_with_two_witnesses() -> None:
    outcome, shown = counted(BANK["latin square"], limit=2)
    assert outcome.status == "partial"
    assert outcome.counters["solutions"] == 2
    assert len(set(shown)) == 2
    assert outcome.solution == Assignment(shown[0])


def test_proves_that_an_answer_is_the_only_one() -> None:
    assert solved(Sat(), BANK["latin square with givens"], prove=True).counters["solutions"] == 1
    assert solved(Sat(), BANK["latin square"], prove=True).counters["solutions"] == 2
    assert "solutions" not in solved(Sat(), BANK["latin square"]).counters
    assert solved(Sat(), BANK["two givens clash"], prove=True).status == "proved_none"


def test_a_cut_spares_loops_that_are_answers() -> None:
    """Two cells apart, each may be surrounded alone; both at once are two loops."""
    ends = grid_ends(2, 5)
    middle = [edge for edge, pair in enumerate(ends) if pair in ((1, 2), (2, 3), (6, 7), (7, 8))]
    model = Model(
        tuple((0,) if edge in middle else (0, 1) for edge in range(len(ends))), (Loop(tuple(range(len(ends))), ends),)
    )
    both = [0 if edge in middle or ends[edge] == (2, 7) else 1 for edge in range(len(ends))]
    for standalone in (False, True):
        encoding = Encoding(model, standalone)
        assert encoding.cuts(both)
        assert {sum(values) for values in all_values(encoding)} == {4}
    assert brute_count(model) == counted(model)[0].counters["solutions"] == 2


def test_a_cut_is_short_where_a_loop_cannot_be_alone() -> None:
    ends = grid_ends(2, 4)
    both = [int(pair not in ((1, 2), (5, 6))) for pair in ends]
    sides = tuple(edge for edge, pair in enumerate(ends) if pair in ((0, 4), (3, 7)))
    free, needed = loop(2, 4), loop(2, 4, Count(sides, 1, "=", 2))
    assert sorted(map(len, Encoding(needed).cuts(both)[1])) == [4, 4]
    assert max(map(len, Encoding(free).cuts(both)[0])) == 5
    assert [*Encoding(needed).cuts([int(pair not in ((1, 5), (2, 6))) for pair in ends])] == []


def test_closed_loops_are_told_from_paths() -> None:
    ends = ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (6, 7), (6, 7))
    assert [sorted(edges) for edges in closed_loops(ends, [True] * 7)] == [[0, 1, 2], [5, 6]]
    assert closed_loops(ends, [True, True, False, True, True, True, False]) == []


def test_machines_accept_what_holds() -> None:
    domains = [(0, 1, 2, 3)] * 4
    scope = (0, 1, 2, 3)
    for compare in ("=", "!=", "<", "<=", ">", ">="):
        for constraint in (Sum(scope, compare, 5), Product(scope, compare, 4), Product(scope, compare, 0)):
            expected = {row for row in itertools.product(*domains) if holds(constraint, row)}
            assert set(adding_up(constraint, domains).rows()) == expected
    for runs in ((), ((1, 1), (1, 1)), ((1, 1), (2, 2)), ((4, 3),), ((3, 1), (2, 1)), ((0, 1),), ((1, 0),)):
        line = Runs(scope, runs)
        expected = {row for row in itertools.product(*domains) if holds(line, row)}
        assert set(reading_runs(line, domains).rows()) == expected


@pytest.mark.parametrize("length", [1, 2, 9, 10, 13])
def test_at_most_one_allows_none_and_each(length: int) -> None:
    literals = list(range(2, length + 2))
    numbers = itertools.count(length + 2)
    with Engine(name="minisat22", bootstrap_with=at_most_one(literals, lambda: next(numbers))) as engine:
        for chosen in itertools.chain([()], itertools.combinations(literals, 1), itertools.combinations(literals, 2)):
            others = [-literal for literal in literals if literal not in chosen]
            assert engine.solve(assumptions=[*chosen, *others]) == (len(chosen) < 2)


def test_settled_literals_are_true_or_false() -> None:
    encoding = Encoding(Model(((3,), (0, 5), (1, 2, 4)), ()))
    assert encoding.literal(0, 3) == TRUE
    assert encoding.literal(0, 2) == encoding.literal(2, 3) == -TRUE
    assert encoding.literal(1, 0) == -encoding.literal(1, 5)
    assert len({encoding.literal(2, value) for value in (1, 2, 4)}) == 3


@each_solver
def test_a_step_budget_is_repeatable(solver: Solver, given: dict[str, Any]) -> None:
    model = odd_one_out()
    for steps in (1, 400):
        runs = [solved(solver, model, steps, seed=2, **given) for _ in range(2)]
        assert runs[0] == runs[1]
        assert runs[0].status == "out_of_budget"
        assert runs[0].counters.get("conflicts", 0) <= steps + 2  # a slice may end one late


def test_the_seed_decides_which_answer_comes_first() -> None:
    answers = {solved(Sat(), BANK["all different of many"], seed=seed).solution for seed in range(6)}
    assert len(answers) > 1


@each_solver
@pytest.mark.parametrize("how", ["cancelled", "out of time"])
@pytest.mark.parametrize("after_s", [0.0, 0.4])
def test_stops_soon(solver: Solver, given: dict[str, Any], how: str, after_s: float) -> None:
    puzzle, settings = Bare(odd_one_out()), solver.settings_type(**given)
    solver.warm_up(puzzle, settings)
    clock = Clock(Budget(wall_s=after_s if how == "out of time" else 60))
    run = solver.solve(puzzle, settings, clock, 0)
    due = time.monotonic() + after_s
    while True:
        if how == "cancelled" and time.monotonic() >= due:
            clock.cancel()
        try:
            next(run)
        except StopIteration as end:
            outcome: Outcome = end.value
            break
    assert time.monotonic() - due < 1
    assert outcome.status == "out_of_budget"
    assert outcome.solution == Assignment((None,) * 96)


@each_solver
def test_a_run_nobody_finishes_leaves_no_thread(solver: Solver, given: dict[str, Any]) -> None:
    before = threading.active_count()
    run = solver.solve(Bare(odd_one_out()), solver.settings_type(**given), Clock(Budget(wall_s=60)), 0)
    for _ in range(2):
        next(run)
    run.close()
    assert threading.active_count() == before


@each_solver
def test_refuses_what_is_no_logic_grid_or_too_large(solver: Solver, given: dict[str, Any]) -> None:
    settings = solver.settings_type(**given)
    assert solver.accepts(Bare(BANK["latin square"])).accepted
    assert "other" in solver.accepts(Other()).why
    assert "values in all" in solver.accepts(Bare(over(range(60), 5000))).why
    with pytest.raises(BadInput, match="other"):
        solver.solve(Other(), settings, Clock(Budget()), 0)


def test_a_step_budget_takes_one_worker() -> None:
    with pytest.raises(Refused, match="one worker"):
        solved(CpSat(), BANK["latin square"], steps=10, workers=2)
    assert solved(CpSat(), BANK["latin square"], workers=2).status == "complete"
    assert solved(CpSat(), BANK["latin square"]).status == "complete"


def test_without_z3_it_refuses_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(z3_solver, "find_spec", lambda name: None)
    fit = Z3().accepts(Bare(BANK["latin square"]))
    assert not fit.accepted
    assert "z3-solver" in fit.why
