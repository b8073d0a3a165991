"""The solver `push`."""

import pytest

from dovetail.core.puzzle import Moves, Puzzle
from dovetail.core.solver import Budget, Clock, Outcome, Progress
from dovetail.moves.games.sokoban import Making, Sokoban, SokobanKind
from dovetail.moves.push import MOST_BOXES, Push, Settings

KIND, SOLVER = SokobanKind(), Push()
# ten boxes, goals on two sides
STORE = Sokoban(
    (
        "    ######    ", "  ###    ###  ", "  #  $ $   #  ", "  # #$ #$# #  ", "### $  # $ ###", "#..        ..#",
        "#... $@  $...#", "#### $  $ ####", "   #  ##  #   ", "   #      #   ", "   ########   ",
    )
)  # fmt: skip


def run(puzzle: Sokoban, settings: Settings | None = None, steps: int = 20_000) -> tuple[Outcome, list[Progress]]:
    run, seen = SOLVER.solve(puzzle, settings or Settings(), Clock(Budget(steps=steps)), seed=0), []
    while True:
        try:
            seen.append(next(run))
        except StopIteration as end:
            return end.value, seen


def solved(puzzle: Puzzle, outcome: Outcome) -> bool:
    assert outcome.status == "complete" and outcome.solution is not None
    return KIND.check(puzzle, outcome.solution).passes


@pytest.mark.parametrize("search", ["both", "features", "pushes"])
@pytest.mark.parametrize("name", KIND.samples())
def test_samples(name: str, search: str) -> None:
    puzzle = KIND.samples()[name]()
    assert isinstance(puzzle, Sokoban)
    outcome, _ = run(puzzle, Settings(search=search))
    assert solved(puzzle, outcome)


@pytest.mark.parametrize("seed", range(4))
def test_made_levels(seed: int) -> None:
    puzzle, _ = KIND.make(Making(width=10, height=8, boxes=4), seed)
    assert solved(puzzle, run(puzzle)[0])


def test_many_boxes_and_what_it_says_on_the_way() -> None:
    outcome, seen = run(STORE)
    assert solved(STORE, outcome)
    shown = [progress for progress in seen if progress.solution is not None]
    assert [progress.best for progress in shown] == sorted({progress.best for progress in shown})
    for progress in shown:
        assert progress.solution is not None
        verdict = KIND.check(STORE, progress.solution)
        assert verdict.valid
        assert verdict.scores["on_goals"] == progress.best


def test_the_same_again() -> None:
    assert run(STORE, steps=900)[0] == run(STORE, steps=900)[0], "when it shows itself is for the clock to say"


def test_a_low_weight_gives_the_fewest_pushes() -> None:
    """On a level where the fewest are known: each box straight to its goal."""
    puzzle = Sokoban(("########", "#      #", "# $  . #", "# $  . #", "#@     #", "########"))
    outcome, _ = run(puzzle, Settings(search="pushes", weight=1))
    assert solved(puzzle, outcome)
    assert outcome.counters["pushes"] == 6


@pytest.mark.parametrize(
    "level",
    [
        ("######", "#@  $#", "#   .#", "######"),  # a box in a corner
        ("#######", "#@    #", "# $.# #", "#  #$ #", "#   . #", "#######"),  # a box that never moves
        ("######", "#@ $$#", "#  ..#", "######"),  # two boxes at a wall
        ("#########", "#@ $.#$ #", "#    #. #", "#########"),  # a box the player can never come near
        ("######", "#@$  #", "#   .#", "######"),  # stays in the upper row, the goal is below
    ],
)
@pytest.mark.parametrize("search", ["features", "pushes"])
def test_levels_without_a_solution(level: tuple[str, ...], search: str) -> None:
    outcome, _ = run(Sokoban(level), Settings(search=search))
    assert (outcome.status, outcome.solution) == ("proved_none", None)


def test_a_level_that_is_solved_already() -> None:
    outcome, _ = run(Sokoban(("#####", "#@*.#", "# $ #", "#   #", "#####")))
    assert outcome.status in ("complete", "proved_none")
    done = Sokoban(("#####", "#@* #", "#####"))
    assert run(done)[0].solution == Moves(())


def test_boxes_behind_walls_may_stay_where_they_are() -> None:
    puzzle = Sokoban(("#########", "#@ $.#*##", "#########"))
    assert solved(puzzle, run(puzzle)[0])


def test_steps_are_kept_to() -> None:
    outcome, seen = run(STORE, steps=7)
    assert outcome.status == "out_of_budget"
    assert outcome.counters["positions"] == 7
    assert seen[-1].steps == 7
    assert outcome.solution is not None and KIND.check(STORE, outcome.solution).valid


def test_memory_is_kept_to() -> None:
    """A search that has no room left ends, with its best so far, and claims nothing."""
    puzzle = Sokoban(tuple(row.replace("$@", "$ ").replace("#      #", "#@     #") for row in STORE.level))
    outcome, _ = run(puzzle, Settings(search="pushes", memory=50), steps=10_000_000)
    assert outcome.status == "partial"
    assert outcome.solution is not None and KIND.check(puzzle, outcome.solution).valid
    assert outcome.counters["nodes"] * 100 < 50_000_000


def test_what_it_refuses() -> None:
    side = MOST_BOXES // 10 + 2
    rows = ["#" * 44, *("#" + "$" * side + "." * side + " " * (42 - 2 * side) + "#" for _ in range(10))]
    crowd = Sokoban((*rows, "#@" + " " * 41 + "#", "#" * 44))
    fit = SOLVER.accepts(crowd)
    assert not fit.accepted
    assert str(10 * side) in fit.why
