"""The solver `strips`: shredded paper in order, proved to be the best for what its edges say.

1. ``seams.py``: what every two edges say, in every pose.
2. Strips: ``order.py`` finds the best order of all printed ones, as paths through them; of a bag whose number of
   pages is not told, for every number that makes paper of a likely shape. ``layout.py`` adds what is blank.
3. Cross-cut shreds: ``grid.py`` turns them the same way and looks for the best board.
"""

import math
from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...core.puzzle import EMPTY, Placement, Puzzle
from ...core.settings import NoSettings
from ...core.solver import Budget, Clock, Fit, Outcome, Progress, Run, Solver
from ..puzzle import MOST_PICTURES
from .puzzle import Strips

if TYPE_CHECKING:
    from .layout import Bag
    from .order import Links

UNLIKELY = 6.0  # nats: numbers of pages that are so much less likely by their shape are not looked at


class StripsSolver(Solver):
    """See the module text."""

    name = "strips"
    family = "jigsaw"
    title = "shredded paper: odds of cut print, the best order proved by CP-SAT; cross-cut shreds annealed"
    accepts_text = "strips: all of them, upside down, two-sided, several pages in one bag, cross-cut, some lost"

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Shredded paper alone."""
        if not isinstance(puzzle, Strips):
            return Fit(False, f"it puts shredded paper in order, and this is a {puzzle.kind} puzzle")
        return Fit(True, "it knows what cut print looks like, and finds the best order", 0.95)

    def resumes(self, settings: NoSettings) -> bool:
        """No: what CP-SAT has found out within a search cannot be written down."""
        return False

    def memory_mb(self, puzzle: Puzzle, settings: NoSettings) -> float:
        """All pairs of strips, row by row of pixels; in a bag of pages once more for every page."""
        assert isinstance(puzzle, Strips)
        return 240 + (2.5 if puzzle.mixed else 0.7) * puzzle.count

    def warm_up(self, puzzle: Puzzle, settings: NoSettings) -> None:
        """Compile and load on a few strips of stripes."""
        import numpy as np

        rng = np.random.default_rng(0)
        assert isinstance(puzzle, Strips)
        small = (rng.random((6, 12, 16)) < 0.3).repeat(2, axis=1).astype(np.uint8) * 255
        rows, cols = (1, 6) if puzzle.down == 1 else (3, 2)
        trial = Strips(24, 16, 1, 8, small.tobytes(), rows, cols, down=rows)
        for _ in self.solve(trial, settings, Clock(Budget()), seed=0):
            pass

    def solve(self, puzzle: Puzzle, settings: NoSettings, clock: Clock, seed: int) -> Run:
        """Look, then order or arrange."""
        assert isinstance(puzzle, Strips)
        if clock.expired or not clock.allowance(1):
            return Outcome("out_of_budget", as_given(puzzle), {"proved": 0})
        yield Progress(0, "conflicts", 0, puzzle.count, "strips looked at")
        if puzzle.down > 1:
            from .grid import arranged

            return (yield from arranged(puzzle, clock, seed))
        return (yield from _ordered(puzzle, clock, seed))


def _ordered(puzzle: Strips, clock: Clock, seed: int) -> Run:
    """The best order for each number of pages that there may be; the likeliest of them."""
    from .layout import sorted_out
    from .seams import seams

    known = seams(puzzle)
    best: tuple[float, Outcome] | None = None
    proved, conflicts = True, 0
    for pages, odds in page_numbers(puzzle):
        bag = sorted_out(puzzle, known, pages)
        links = bag.links
        searching = _one(bag, links, pages, odds, clock, seed, -math.inf if best is None else best[0])
        total, outcome = yield from searching
        proved = proved and bool(outcome.counters["proved"])
        conflicts += int(outcome.counters["conflicts"])
        if best is None or total > best[0]:
            best = total, outcome
    assert best is not None
    outcome = best[1]
    counters = {**outcome.counters, "proved": int(proved), "conflicts": conflicts}
    return replace(outcome, status="complete" if proved else "out_of_budget", counters=counters)


def _one(
    bag: "Bag", links: "Links", pages: int, odds: float, clock: Clock, seed: int,
    to_beat: float,
) -> Generator[Progress, None, tuple[float, Outcome]]:  # fmt: skip
    """The best order in so many pages, and what it is worth with the odds of that number."""
    from .layout import laid
    from .order import ordered

    work = ordered(links, pages, bag.most(pages), clock, seed, to_beat - odds)
    shown = None
    while True:
        try:
            found = next(work)
        except StopIteration as ended:
            order = ended.value
            break
        if shown is None or found.total > shown:
            shown = found.total
            solution = laid(bag, links, found.pages) if shown + odds > to_beat else None
            yield Progress(clock.steps, "conflicts", round(shown, 2), None, "log odds", {"pages": pages}, solution)
        else:
            yield Progress(clock.steps, "conflicts", round(shown, 2), None, "log odds", {"pages": pages})
    counters = {
        "log_odds": round(order.total, 3), "pages": pages, "proved": int(order.proved), "conflicts": order.conflicts,
        "blank": len(bag.blank),
    }  # fmt: skip
    return order.total + odds, Outcome("complete", laid(bag, links, order.pages), counters)


def page_numbers(puzzle: Strips) -> list[tuple[int, float]]:
    """How many pages there may be, likeliest first, each with its odds in nats."""
    from .layout import shape_odds

    if puzzle.pages is not None:
        return [(puzzle.pages, 0.0)]
    most = min(MOST_PICTURES, puzzle.count // (2 * puzzle.down))
    odds = sorted(((shape_odds(puzzle, pages), -pages) for pages in range(1, max(1, most) + 1)), reverse=True)
    return [(-pages, each) for each, pages in odds if each >= odds[0][0] - UNLIKELY]


def as_given(puzzle: Strips) -> Placement:
    """As they lie in the bag, one page beside the other."""
    pages = page_numbers(puzzle)[0][0]
    cols = puzzle.cols or -(-puzzle.count // (pages * puzzle.down))
    board = [[EMPTY] * (pages * (cols + 1) - 1) for _ in range(puzzle.down)]
    for piece in range(puzzle.count):
        row, place = piece % puzzle.down, piece // puzzle.down
        board[row][place + place // cols] = piece
    cells = [piece for row in board for piece in row]
    return Placement.from_flat(cells, [0] * len(cells), len(board[0]))
