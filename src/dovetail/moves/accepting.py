"""Which puzzles the searches of this family take at all."""

from ..core import registry
from ..core.puzzle import Puzzle
from ..core.solver import Fit
from .kind import MovesPuzzle


def refusal(puzzle: Puzzle) -> Fit | None:
    """Why a search that knows no chance does not take this puzzle; None if it does."""
    if not isinstance(puzzle, MovesPuzzle):
        return Fit(False, f"it knows games played move by move, and this is a {puzzle.kind} puzzle")
    if registry.kind(puzzle.kind).puzzle_class != "B":
        return Fit(False, f"it knows games without chance, and {puzzle.kind} is not one")
    return None
