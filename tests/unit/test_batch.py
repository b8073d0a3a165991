"""Many puzzles over worker processes, some of which die."""

import os
from pathlib import Path
from typing import Any

from dovetail import pipeline
from dovetail.batch import solve_many
from dovetail.core.solver import Budget
from dovetail.tiles.terracotta import Terracotta


class Deadly(Terracotta):
    """Ends the process that unpacks it."""

    def __reduce__(self) -> Any:
        return (os._exit, (1,))


class DeadlyOnce(Terracotta):
    """Ends the first process that unpacks it."""

    def __reduce__(self) -> Any:
        return (survive_once, (str(Path.cwd() / "died"), self.rows, self.cols, self.tiles))


def survive_once(mark: str, rows: int, cols: int, tiles: Any) -> Terracotta:
    if not Path(mark).exists():
        Path(mark).touch()
        os._exit(1)
    return Terracotta(rows, cols, tiles)


def answers(*puzzles: Terracotta) -> list[pipeline.Answer | None]:
    return [*solve_many(puzzles, "auto", Budget(wall_s=20), 0, {}, 2, lambda: False)]


def fields(puzzle: Any) -> Any:
    return puzzle.rows, puzzle.cols, puzzle.tiles


def test_a_worker_that_dies_is_replaced_and_its_work_done_again() -> None:
    small: Any = pipeline.read("terracotta-3x4")
    results = answers(small, DeadlyOnce(*fields(small)), small)
    assert all(answer is not None and answer.verdict.solved for answer in results)


def test_a_puzzle_that_always_kills_its_worker_is_given_up_alone() -> None:
    small: Any = pipeline.read("terracotta-3x4")
    first, second, third = answers(small, Deadly(*fields(small)), small)
    assert first is not None and first.verdict.solved
    assert second is not None and second.outcome.status == "failed"
    assert "worker process died" in second.failure
    assert third is not None and third.verdict.solved
