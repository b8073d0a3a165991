"""New kakuros: a symmetric board, filled at random; digits change one by one until the sums leave a single answer.

Sums that leave one answer mostly leave an easy one: from there, digits change on until the puzzle is as hard as wanted.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...core.errors import BadUsage
from ...core.puzzle import Assignment
from ..engine import Search, answers, grade
from ..making import DIFFICULTIES
from ..model import AllDifferent, Model, Sum
from .kakuro import DIGITS, Kakuro, Making, Run

TRIES = (20, 20, 5)  # boards, by grade: hard ones are rare, and take long to look for
STEPS = 10  # changes of digits tried on a board, for every white cell
EFFORT = (1_000, 2_000, 20_000)  # constraints run, by grade: what takes longer to prove unique is not taken
LONG = 4  # cells: longer runs are cut where they can be
LONGEST = 9


def make(settings: Making, seed: int) -> tuple[Kakuro, Assignment]:
    """A puzzle of the grade asked for, and its only answer."""
    rng = np.random.default_rng(seed)
    wanted = DIFFICULTIES.index(settings.difficulty)
    for _ in range(TRIES[wanted]):
        board = _board(settings.rows, settings.cols, rng)
        digits = board and _settled(board, rng)
        if not board or not digits:
            continue
        summed = _thinned(board, digits, wanted, rng) if settings.blank else board.runs
        harder = _hardened(board, summed, digits, wanted, rng)
        if harder:
            return _puzzle(board, summed, harder), Assignment(harder)
    raise BadUsage(
        f"no {settings.difficulty} {settings.rows}x{settings.cols} kakuro was found in {TRIES[wanted]} tries; "
        "try another seed, another size, or blank=true"
    )


def _board(rows: int, cols: int, rng: np.random.Generator) -> Kakuro | None:
    """Black cells without sums, in pairs opposite to each other; None if some run stays too long."""
    long = min(LONG, max(rows, cols) // 2)  # a small board would else be a single block, which has many answers
    white = np.zeros((rows, cols), np.bool_)
    white[1:, 1:] = True
    for cell in rng.permutation(rows * cols).tolist():
        row, col = divmod(cell, cols)
        if not white[row, col] or max(_length(white[row], col), _length(white[:, col], row)) <= long:
            continue
        fewer = white.copy()
        fewer[row, col] = fewer[rows - row, cols - col] = False
        if min(_lengths(fewer), default=0) > 1 and _connected(fewer):
            white = fewer
    if max(_lengths(white)) > LONGEST:
        return None
    return Kakuro(rows, cols, tuple(None if cell else (0, 0) for cell in white.ravel().tolist()))


def _length(line: NDArray[np.bool_], at: int) -> int:
    """Of the run through a white cell of a line."""
    black = np.flatnonzero(~line)
    after = int(np.searchsorted(black, at))
    return int((black[after] if after < len(black) else len(line)) - black[after - 1]) - 1


def _lengths(white: NDArray[np.bool_]) -> Iterator[int]:
    """Of all runs; every line begins with a black cell."""
    for line in chain(white, white.T):
        black = np.flatnonzero(np.append(~line, True))
        yield from (int(gap) - 1 for gap in np.diff(black) if gap > 1)


def _connected(white: NDArray[np.bool_]) -> bool:
    cells = {(row, col) for row, col in np.argwhere(white).tolist()}
    waiting = [cells.pop()]
    while waiting:
        row, col = waiting.pop()
        near = cells & {(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)}
        cells -= near
        waiting += near
    return not cells


def _settled(board: Kakuro, rng: np.random.Generator) -> tuple[int, ...] | None:
    """Digits whose sums settle every cell: they change at and beside open cells, if that leaves no more candidates."""
    digits = answers(board.model(), 1, int(rng.integers(1, 2**31)))[0]
    left = _candidates(_model(board, board.runs, digits))
    for _ in range(STEPS * len(digits)):
        open_cells = np.flatnonzero(left > 1)
        if not len(open_cells):
            return digits
        cell = int(rng.choice(open_cells))
        if rng.integers(2):
            cell = int(rng.choice(_beside(board, cell)))
        changed = _changed(board, digits, cell, rng)
        fewer = _candidates(_model(board, board.runs, changed))
        if fewer.sum() <= left.sum():
            digits, left = changed, fewer
    return None


def _hardened(
    board: Kakuro, summed: Sequence[Run], digits: tuple[int, ...], wanted: int, rng: np.random.Generator
) -> tuple[int, ...] | None:
    """Digits of the wanted grade: they change anywhere while the answer stays the only one and no clearer."""
    model = _model(board, summed, digits)
    left, reached = _candidates(model).sum(), grade(model)
    for _ in range(STEPS * len(digits)):
        if reached == wanted:
            return digits
        changed = _changed(board, digits, int(rng.integers(len(digits))), rng)
        model = _model(board, summed, changed)
        more = _candidates(model).sum()
        if more >= left and _fits(model, wanted):
            digits, left, reached = changed, more, grade(model)
    return None


def _thinned(board: Kakuro, digits: Sequence[int], most_grade: int, rng: np.random.Generator) -> list[Run]:
    """Runs that keep their sums; without any more of these there were a second answer or a higher grade."""
    kept = [*board.runs]
    for number in rng.permutation(len(kept)).tolist():
        fewer = [run for run in kept if run is not board.runs[number]]
        if _fits(_model(board, fewer, digits), most_grade):
            kept = fewer
    return kept


def _fits(model: Model, most_grade: int) -> bool:
    """One answer and no more, as far as a short search can tell, and easy enough."""
    search = Search(model)
    search.advance(EFFORT[most_grade])  # finds the answer
    search.advance(EFFORT[most_grade])  # finds another, or nothing, or gives up
    return search.exhausted and (most_grade == 2 or grade(model, most_grade) <= most_grade)


def _beside(board: Kakuro, cell: int) -> list[int]:
    """The white cells that share a run with one, itself among them."""
    return [v for run in board.runs if cell in run.variables for v in run.variables]


def _changed(board: Kakuro, digits: tuple[int, ...], cell: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Another digit in a cell, if any is free there."""
    free = sorted({*DIGITS} - {digits[v] for v in _beside(board, cell)})
    return (*digits[:cell], int(rng.choice(free)), *digits[cell + 1 :]) if free else digits


def _model(board: Kakuro, summed: Iterable[Run], digits: Sequence[int]) -> Model:
    """The board with sums for some runs, without the cost of a puzzle that checks itself."""
    different = (AllDifferent(run.variables) for run in board.runs)
    sums = (Sum(run.variables, "=", sum(digits[v] for v in run.variables)) for run in summed)
    return Model((DIGITS,) * len(digits), (*different, *sums))


def _candidates(model: Model) -> NDArray[np.int64]:
    """How many digits propagation leaves in every cell."""
    left: NDArray[np.int64] = np.bitwise_count(Search(model).state.dom).astype(np.int64)
    return left


def _puzzle(board: Kakuro, summed: Iterable[Run], digits: Sequence[int]) -> Kakuro:
    """The board with its sums."""
    totals = {(run.black, run.direction): sum(digits[v] for v in run.variables) for run in summed}
    cells = [
        None if clue is None else (totals.get((cell, 0), 0), totals.get((cell, 1), 0))
        for cell, clue in enumerate(board.cells)
    ]
    return Kakuro(board.rows, board.cols, tuple(cells))
