"""New sudokus: from a random full board, numbers (or the lines between cages) go while it stays the only answer."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...core.errors import BadUsage
from ...core.puzzle import Assignment
from ..engine import SLICE, Search, grade
from ..making import DIFFICULTIES, thinned
from ..model import Model
from .sudoku import BLANK, Cage, Making, Sudoku, boxes, connected

TRIES = 20
EXCHANGES = 12  # of cells between jigsaw regions, for every cell of the board
LARGEST_CAGE = 5
STARTS = 4  # slices of search that a full board, or the proof of one answer, may take


def make(settings: Making, seed: int) -> tuple[Sudoku, Assignment]:
    """A puzzle of the grade asked for, and its only answer."""
    rng = np.random.default_rng(seed)
    wanted = DIFFICULTIES.index(settings.difficulty)
    for _ in range(TRIES):
        empty = _empty(settings, rng)
        answer = _filled(empty, rng)
        if answer is not None:
            thin = _caged if settings.variant == "killer" else _given
            puzzle = thin(empty, answer, wanted, rng)
            if grade(puzzle.model()) == wanted:
                return puzzle, Assignment(answer)
    raise BadUsage(
        f"no {settings.difficulty} {empty.size} sudoku was found in {TRIES} tries: take another seed, another "
        "difficulty, another size or another variant"
    )


def _empty(settings: Making, rng: np.random.Generator) -> Sudoku:
    n, variant = settings.n, settings.variant
    box_rows = max(rows for rows in range(1, n + 1) if n % rows == 0 and rows * rows <= n)
    regions = boxes(box_rows, n // box_rows)
    if variant == "jigsaw":
        regions = _jigsaw(regions, n, rng)
    elif box_rows == 1:
        raise BadUsage(f"{n} rows cannot be cut into boxes, only into other regions: add --set variant=jigsaw")
    return Sudoku(n, (BLANK,) * (n * n), regions, diagonals=variant == "x")


def _jigsaw(regions: Sequence[int], n: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Neighbouring regions exchange cells, many times, each staying in one piece."""
    of = [*regions]
    for _ in range(EXCHANGES * n * n):
        cell = int(rng.integers(n * n))
        others = sorted({of[near] for near in _neighbours(cell, n)} - {of[cell]})
        if not others:
            continue
        mine, other = of[cell], others[int(rng.integers(len(others)))]
        back = [c for c in range(n * n) if of[c] == other and any(of[near] == mine for near in _neighbours(c, n))]
        trial = [*of]
        trial[cell], trial[back[int(rng.integers(len(back)))]] = other, mine
        if all(_in_one_piece([c for c in range(n * n) if trial[c] == region], n) for region in (mine, other)):
            of = trial
    return tuple(of)


def _filled(empty: Sudoku, rng: np.random.Generator) -> tuple[int, ...] | None:
    """A random full board; None if it is not found soon, as where the regions allow none."""
    for _ in range(STARTS):
        search = Search(empty.model(), int(rng.integers(1, 2**31)))
        if search.advance(SLICE):
            return search.answer
    return None


def _given(empty: Sudoku, answer: Sequence[int], most_grade: int, rng: np.random.Generator) -> Sudoku:
    """The answer without the numbers that nobody needs."""

    def puzzle(cells: Sequence[int]) -> Sudoku:
        kept = set(cells)
        return replace(empty, givens=tuple(v if cell in kept else BLANK for cell, v in enumerate(answer)))

    return puzzle(thinned(range(empty.n**2), lambda cells: puzzle(cells).model(), rng, most_grade))


def _caged(empty: Sudoku, answer: Sequence[int], most_grade: int, rng: np.random.Generator) -> Sudoku:
    """No givens: every cell is a cage at first, and neighbouring cages join as long as the answer is the only one."""
    n = empty.n
    cages: dict[int, tuple[int, ...]] = {cell: (cell,) for cell in range(n * n)}  # the cells of a cage, by each of them

    def puzzle(owners: dict[int, tuple[int, ...]]) -> Sudoku:
        return replace(empty, cages=tuple(Cage(sum(answer[c] for c in cage), cage) for cage in {*owners.values()}))

    sides = [(cell, near) for cell in range(n * n) for near in _neighbours(cell, n) if cell < near]
    for side in rng.permutation(len(sides)).tolist():
        one, other = (cages[cell] for cell in sides[side])
        joined = tuple(sorted({*one, *other}))
        if one == other or len(joined) > LARGEST_CAGE or len({answer[cell] for cell in joined}) < len(joined):
            continue
        trial = cages | dict.fromkeys(joined, joined)
        model = puzzle(trial).model()
        if _soon_unique(model) and grade(model) <= most_grade:
            cages = trial
    return puzzle(cages)


def _soon_unique(model: Model) -> bool:
    """Whether one answer is quickly proved to be the only one: cages too large for that are too large for people."""
    search, found = Search(model), 0
    for _ in range(STARTS):
        found += search.advance(SLICE)
        if search.exhausted or found > 1:
            return found == 1
    return False


def _in_one_piece(cells: Sequence[int], n: int) -> bool:
    return connected(cells, n) == set(cells)


def _neighbours(cell: int, n: int) -> Iterator[int]:
    """The cells that share a side with a cell."""
    row, col = divmod(cell, n)
    return (
        r * n + c for r, c in ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)) if 0 <= r < n > c >= 0
    )
