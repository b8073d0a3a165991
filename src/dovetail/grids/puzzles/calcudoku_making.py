"""New calcudokus: a random square, all given at first; cages join while the answer stays the only one."""

from collections.abc import Sequence
from math import prod

import numpy as np

from ...core.errors import BadUsage
from ...core.puzzle import Assignment
from ..engine import Search, answers, grade
from ..making import DIFFICULTIES
from ..model import Model
from .calcudoku import Cage, Calcudoku, Making, latin, neighbours

TRIES = 60
EFFORT = (2_000, 5_000, 60_000)  # constraints run, by grade: cages that take longer to prove unique are not joined


def make(settings: Making, seed: int) -> tuple[Calcudoku, Assignment]:
    """A puzzle of the grade asked for, and its only answer."""
    rng = np.random.default_rng(seed)
    n, wanted = settings.n, DIFFICULTIES.index(settings.difficulty)
    empty = Model((tuple(range(1, n + 1)),) * (n * n), latin(n))
    for _ in range(TRIES):
        answer = answers(empty, 1, int(rng.integers(1, 2**31)))[0]
        puzzle = _joined(settings, answer, wanted, rng)
        if grade(puzzle.model()) == wanted:
            return puzzle, Assignment(answer)
    raise BadUsage(
        f"no {settings.difficulty} {n}x{n} calcudoku was found in {TRIES} tries; "
        "try another seed, a larger board or larger cages"
    )


def _joined(settings: Making, answer: Sequence[int], most_grade: int, rng: np.random.Generator) -> Calcudoku:
    """Neighbouring cages in random order become one, unless that allows a second answer or a higher grade."""
    n = settings.n
    cages = {cell: Cage("=", answer[cell], (cell,)) for cell in range(n * n)}  # by each of their cells
    sides = [(cell, near) for cell in range(n * n) for near in neighbours(cell, n) if cell < near]
    for side in rng.permutation(len(sides)).tolist():
        one, other = (cages[cell] for cell in sides[side])
        cells = (*one.cells, *other.cells)
        if one is other or len(cells) > rng.integers(2, settings.largest + 1):  # so that cages of all sizes stay
            continue
        joined = _cage(cells, answer, settings.operations, rng)
        trial = cages | dict.fromkeys(cells, joined)
        if _fits(_puzzle(n, trial).model(), most_grade):
            cages = trial
    return _puzzle(n, cages)


def _fits(model: Model, most_grade: int) -> bool:
    """One answer and no more, as far as a short search can tell, and easy enough."""
    search = Search(model)
    search.advance(EFFORT[most_grade])  # finds the answer
    search.advance(EFFORT[most_grade])  # finds another, or nothing, or gives up
    return search.exhausted and (most_grade == 2 or grade(model, most_grade) <= most_grade)


def _puzzle(n: int, cages: dict[int, Cage]) -> Calcudoku:
    return Calcudoku(n, tuple(dict.fromkeys(cages.values())))


def _cage(cells: Sequence[int], answer: Sequence[int], operations: str, rng: np.random.Generator) -> Cage:
    """A clue that the answer fits, with a random operation out of those that suit the cells."""
    held = [answer[cell] for cell in cells]
    targets = {"+": sum(held), "*": prod(held)}
    if len(held) == 2:
        targets["-"] = max(held) - min(held)
        if max(held) % min(held) == 0:
            targets["/"] = max(held) // min(held)
    suitable = [operation for operation in operations if operation in targets]
    operation = suitable[int(rng.integers(len(suitable)))]
    return Cage(operation, targets[operation], tuple(cells))
