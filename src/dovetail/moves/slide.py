"""The solver `slide`: n-puzzles of every size, solved a few tiles at a time, then made shorter."""

from dataclasses import dataclass

from ..core.puzzle import Moves, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from .games.fifteen import Fifteen


@dataclass(frozen=True)
class Settings:
    """How much is done to make the play shorter."""

    beam: int = setting(10_000, "positions kept at every depth of a beam search; 0: none", least=0, most=200_000)
    window: int = setting(50, "stretches of so many slides are made shorter (24, 40 and 50); 0: none", least=0, most=50)


class Slide(Solver):
    """See the module text."""

    name = "slide"
    family = "moves"
    title = "n-puzzles a few tiles at a time, then beam search and shortening: always solved, not the shortest way"
    accepts_text = "fifteen"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Every n-puzzle."""
        if not isinstance(puzzle, Fifteen):
            return Fit(False, f"it knows n-puzzles, and this is a {puzzle.kind} puzzle")
        return Fit(True, "a few tiles at a time every tray is solved", 0.5)

    def resumes(self, settings: Settings) -> bool:
        """It is done within seconds, and begins anew sooner than its tables could be read."""
        return False

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Compile, on a tray of six cells."""
        from .sliding import Sliding

        for _ in Sliding(2, 3, (3, 0, 5, 4, 1, 2), min(settings.beam, 10), settings.window, positions=1).work():
            pass

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """To the goal first, then shorter until nothing is found or the clock runs out."""
        from .rules.fifteen import solvable, turned, written
        from .sliding import Sliding

        assert isinstance(puzzle, Fifteen)
        if not solvable(puzzle):
            return Outcome("proved_none", None, {"positions": 0})
        sliding = Sliding(puzzle.rows, puzzle.cols, turned(puzzle), settings.beam, settings.window)
        booked, length = 0, -1
        for _ in () if clock.expired else sliding.work():
            clock.spend(sliding.seen - booked)
            booked = sliding.seen
            if clock.expired:
                break
            better = Moves(written(puzzle, sliding.path)) if len(sliding.path) != length else None
            length = len(sliding.path)
            yield Progress(sliding.seen, "positions", length, best_name="slides", solution=better)
        counters = {"positions": sliding.seen, "moves": len(sliding.path)}
        status: Status = "complete" if sliding.solved else "out_of_budget"
        return Outcome(status, Moves(written(puzzle, sliding.path)), counters)
