"""The paper's tree search: its three versions, its switches, its steps, and the tree itself."""

import numpy as np
import pytest

from dovetail import pipeline
from dovetail.core.errors import Refused
from dovetail.core.solver import Budget
from dovetail.grids.puzzles.lightup import Lightup
from dovetail.grids.puzzles.sudoku import Sudoku, boxes
from dovetail.search.tree import NONE, back_up, clear, expand, kill, tree, uct

VERSIONS = ("mcts-standard", "mcts-optimized", "mcts-reliable")


def test_the_versions_get_better() -> None:
    """Standard < optimized ≤ reliable, as in table 2."""
    puzzle = pipeline.read("slitherlink-10x10-hard")
    reached = [pipeline.solve(puzzle, solver=name, steps=200, time_s=None).verdict for name in VERSIONS]
    standard, optimized, reliable = (verdict.scores["satisfied"] for verdict in reached)
    assert standard < optimized <= reliable
    assert reliable == reached[-1].scores["constraints"]


@pytest.mark.parametrize("sample", ["slitherlink-7x7", "numberlink-7x7", "nonogram-medium"])
def test_class_ab_is_also_played_step_by_step(sample: str) -> None:
    job = pipeline.Job(pipeline.read(sample), "mcts-reliable", Budget(20), 1, {"steps": True})
    job.warm_up()
    list(job)
    assert job.answer.verdict.solved


def test_steps_are_for_puzzles_that_have_them() -> None:
    with pytest.raises(Refused, match="sudoku is not played step by step"):
        pipeline.Job(pipeline.read("sudoku-9x9"), "mcts-reliable", Budget(1), 0, {"steps": True})
    with pytest.raises(Refused, match="accurate"):
        pipeline.Job(pipeline.read("slitherlink-7x7"), "mcts-standard", Budget(1), 0, {"steps": True})


IMPOSSIBLE = {
    "a 4x4 sudoku whose last cell has no number left": Sudoku(
        4, (1, 2, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0), boxes(2, 2)
    ),
    "a light-up clue that asks for more bulbs than there is room": Lightup(1, 3, (-1, 2, 5)),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
@pytest.mark.parametrize("solver", ["mcts-reliable", "depth-first", "sat", "cp-sat", "z3"])
def test_what_has_no_answer_is_proved_to_have_none(name: str, solver: str) -> None:
    answer = pipeline.solve(IMPOSSIBLE[name], solver=solver, time_s=20)
    assert answer.outcome.status == "proved_none"
    assert not answer.passes


def test_a_tree_is_walked_by_value_and_visits() -> None:
    """A golden tree: three children, visited in order first, then by mean and exploration; dead ones never."""
    grown = tree(10)
    assert expand(grown, 0, np.array([7, 8, 9]), 3)
    worth = {7: 0.2, 8: 0.9, 9: 0.5}
    walked = []
    for _ in range(8):
        child = uct(grown, 0, 0.5)
        walked.append(int(grown.move[child]))
        back_up(grown, child, worth[walked[-1]])
    assert walked == [7, 8, 9, 8, 8, 8, 8, 8]
    assert grown.visits[:4].tolist() == [8, 1, 6, 1]
    assert grown.value[0] == pytest.approx((0.2 + 6 * 0.9 + 0.5) / 8)  # equation 7 is the mean
    assert grown.best[0] == 0.9
    kill(grown, 2)
    assert int(grown.move[uct(grown, 0, 0.5)]) == 9
    kill(grown, 1)
    assert not grown.dead[0]
    kill(grown, 3)
    assert grown.dead[0], "no child left"
    assert uct(grown, 0, 0.5) == NONE
    clear(grown)
    assert not grown.dead[0]
    assert grown.first[0] == NONE
    assert not expand(grown, 0, np.arange(10), 10), "there is room for nine more"
