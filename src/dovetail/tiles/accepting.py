"""Which puzzles the solvers of this family take at all."""

from ..core.puzzle import Puzzle
from ..core.solver import Fit
from .puzzle import Tiles
from .terracotta import Terracotta


def refusal(puzzle: Puzzle) -> Fit | None:
    """Why none of them takes this puzzle; None if it has square tiles, as many as cells."""
    if not isinstance(puzzle, Tiles | Terracotta):
        return Fit(False, f"it knows square tiles, and this is a {puzzle.kind} puzzle")
    if isinstance(puzzle, Tiles) and puzzle.missing:
        return Fit(False, f"{puzzle.missing} of its {puzzle.rows * puzzle.cols} tiles are missing")
    return None
