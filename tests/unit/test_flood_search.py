"""The solver `flood-search`: shortest plays with their proof, limits that cannot be kept, budgets, little room."""

import random

import pytest

from dovetail.core.puzzle import Moves
from dovetail.core.settings import NoSettings
from dovetail.core.solver import Budget, Clock, Outcome, Progress
from dovetail.moves import flood_layers
from dovetail.moves.flood_search import FloodSolver
from dovetail.moves.games.flood import Flood, FloodKind
from dovetail.moves.games.samegame import SameGame

KIND, SOLVER = FloodKind(), FloodSolver()


def run(puzzle: Flood, **budget: float) -> tuple[Outcome, list[Progress]]:
    """How it ends, and what it said on the way."""
    said, going = [], SOLVER.solve(puzzle, NoSettings(), Clock(Budget(**budget)), 0)  # type: ignore[arg-type]
    while True:
        try:
            said.append(next(going))
        except StopIteration as end:
            return end.value, said


def board(side: int, colours: int, most: int = 0, seed: int = 0) -> Flood:
    rng = random.Random(seed)
    return Flood(side, side, tuple(rng.randrange(colours) for _ in range(side * side)), colours, most)


def length(outcome: Outcome) -> int:
    assert isinstance(outcome.solution, Moves)
    return len(outcome.solution.moves)


@pytest.mark.parametrize("name", FloodKind().samples())
def test_samples_are_solved_and_proved(name: str) -> None:
    puzzle = KIND.samples()[name]()
    assert isinstance(puzzle, Flood)
    outcome, _ = run(puzzle)
    assert outcome.status == "complete" and outcome.counters["optimal"] == 1
    assert outcome.counters["bound"] == length(outcome)
    assert outcome.solution is not None and KIND.check(puzzle, outcome.solution).passes


@pytest.mark.parametrize(("side", "colours"), [(12, 6), (10, 10), (20, 3)])
def test_usual_boards_are_proved(side: int, colours: int) -> None:
    """And one move less is proved to be too few."""
    puzzle = board(side, colours)
    outcome, _ = run(puzzle)
    assert outcome.counters["optimal"] == 1
    assert outcome.solution is not None and KIND.check(puzzle, outcome.solution).passes
    assert run(board(side, colours, length(outcome)))[0] == outcome
    impossible, _ = run(board(side, colours, length(outcome) - 1))
    assert (impossible.status, impossible.solution) == ("proved_none", None)
    assert impossible.counters["bound"] == length(outcome)


def test_it_tells_of_better_plays_and_of_the_bound() -> None:
    _, said = run(board(16, 6))
    best, bounds = [event.best for event in said], [event.details["bound"] for event in said]
    assert best == sorted(best) and bounds == sorted(bounds)
    shown = [event.solution for event in said if event.solution is not None]
    assert len(shown) > 1
    assert all(isinstance(play, Moves) for play in shown)
    lengths = [len(play.moves) for play in shown if isinstance(play, Moves)]
    assert lengths == sorted(set(lengths), reverse=True), "each is shorter than the one before"
    assert all(event.goal is not None and event.best <= event.goal for event in said)


def test_a_board_of_one_colour_needs_no_moves() -> None:
    outcome, _ = run(Flood(2, 3, (1,) * 6, 2, 1))
    assert (outcome.status, outcome.solution, outcome.counters["optimal"]) == ("complete", Moves(()), 1)


def test_budgets_in_steps_give_the_same_each_time_and_more_is_no_worse() -> None:
    puzzle, lengths = board(18, 6), []
    for steps in (0, 1, 50, 500, 5000):
        (outcome, _), (again, _) = run(puzzle, steps=steps), run(puzzle, steps=steps)
        assert outcome == again
        assert outcome.counters["positions"] <= steps
        assert outcome.solution is not None and KIND.check(puzzle, outcome.solution).valid
        lengths.append(length(outcome) or 99)
    assert lengths == sorted(lengths, reverse=True) and lengths[-1] < lengths[2]
    assert run(puzzle, steps=0)[0].status == "out_of_budget"


def test_a_limit_that_was_not_reached_in_time_is_no_proof() -> None:
    puzzle = board(18, 6)
    fewest = length(run(puzzle)[0])
    outcome, _ = run(board(18, 6, fewest), steps=60)
    assert outcome.status == "out_of_budget"
    assert length(outcome) > fewest
    assert outcome.solution is not None
    assert "are allowed" in KIND.check(board(18, 6, fewest), outcome.solution).violations[0]


def test_with_little_room_there_is_a_play_but_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flood_layers, "MOST_BYTES", 0)
    puzzle = board(20, 6)
    outcome, _ = run(puzzle)
    assert (outcome.status, outcome.counters["optimal"]) == ("complete", 0)
    assert outcome.counters["bound"] < length(outcome)
    assert outcome.solution is not None and KIND.check(puzzle, outcome.solution).passes


def test_large_boards_stop_in_time() -> None:
    puzzle = board(60, 8)
    outcome, said = run(puzzle, wall_s=0.3)
    assert outcome.status in ("complete", "out_of_budget")
    assert outcome.solution is not None and KIND.check(puzzle, outcome.solution).valid
    assert said


def test_it_takes_flood_boards_only() -> None:
    assert SOLVER.accepts(board(3, 3)).accepted
    fit = SOLVER.accepts(SameGame(1, 2, (1, 1)))
    assert not fit.accepted and "samegame" in fit.why
