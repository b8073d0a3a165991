"""The solver `digits`: plain 9×9 sudokus only, and those in microseconds (see ``digits_kernels``)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..core.puzzle import Assignment, Puzzle
from ..core.settings import NoSettings
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from .puzzles.sudoku import Sudoku

if TYPE_CHECKING:
    from .digits import Search

SLICE = 50_000  # guesses between two looks at the clock: some hundredths of a second


class Digits(Solver):
    """See the module text."""

    name = "digits"
    family = "grids"
    title = "bit boards of the nine digits for 9x9 sudokus, compiled"
    accepts_text = "sudoku: 9x9 with the usual boxes"
    status = "thoroughly tested"

    def accepts(self, puzzle: Puzzle) -> Fit:
        """The one shape it was made for."""
        if not isinstance(puzzle, Sudoku):
            return Fit(False, f"digits takes sudokus, not {puzzle.kind} puzzles")
        if puzzle.n != 9 or puzzle.box != (3, 3):
            return Fit(False, "digits takes sudokus of 9x9 cells with boxes of 3x3 only")
        if puzzle.diagonals or puzzle.cages:
            return Fit(False, "digits knows rows, columns and boxes, but no diagonals and no cages")
        return Fit(True, "made for plain 9x9 sudokus", 1.0)

    def resumes(self, settings: NoSettings) -> bool:
        """Always: to count may take long."""
        return True

    def warm_up(self, puzzle: Puzzle, settings: NoSettings) -> None:
        """Compile the kernels, or load them from the cache."""
        from .digits import Search

        # a full board, so that reading an answer is compiled too
        search = Search([(3 * row + row // 3 + col) % 9 + 1 for row in range(9) for col in range(9)])
        search.advance(1, limit=1)
        assert search.answer is not None

    def solve(self, puzzle: Puzzle, settings: NoSettings, clock: Clock, seed: int) -> Run:
        """The first answer, or the proof that there is none."""
        search = _search(puzzle, clock)
        yield from _until(search, clock, limit=1)
        status: Status = "complete" if search.found else "proved_none" if search.exhausted else "out_of_budget"
        answer = search.answer
        return Outcome(status, None if answer is None else Assignment(answer), {"guesses": search.guesses})

    def count(self, puzzle: Puzzle, settings: NoSettings, clock: Clock, limit: int | None) -> Run:
        """Visit the whole tree, or until ``limit`` answers are found."""
        search = _search(puzzle, clock)
        most = 2**62 if limit is None else limit
        for witness in (1, 2):
            yield from _until(search, clock, min(witness, most))
            if search.found == witness and search.answer is not None:
                yield _told(search, clock, Assignment(search.answer))
        yield from _until(search, clock, most)
        status: Status = "complete" if search.exhausted else "out_of_budget" if clock.expired else "partial"
        return Outcome(status, None, {"solutions": search.found, "guesses": search.guesses})


def _search(puzzle: Puzzle, clock: Clock) -> "Search":
    """At its beginning, or where an earlier one was."""
    from .digits import Search

    assert isinstance(puzzle, Sudoku)
    search = Search(puzzle.givens)
    if clock.kept is not None:
        search.take_up(clock.kept)
    clock.keep(search.state)
    return search


def _until(search: "Search", clock: Clock, limit: int) -> Iterator[Progress]:
    """Advance in slices, telling of each."""
    while not (search.exhausted or search.found >= limit or clock.expired):
        before = search.guesses
        search.advance(clock.allowance(SLICE), limit)
        clock.spend(search.guesses - before)
        yield _told(search, clock)


def _told(search: "Search", clock: Clock, witness: Assignment | None = None) -> Progress:
    return Progress(clock.steps, "guesses", search.found, best_name="solutions", solution=witness)
