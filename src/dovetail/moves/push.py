"""The solver `push` for Sokoban: searches that take turns.

One goes by single pushes, the shortest way first, and is at its best where there are few boxes. Two more move boxes
across the room and follow what makes a position better; they find their way through levels with many, one of them with
more patience for boxes on goals before their turn. All leave out what can never be solved: boxes where no goal can be
reached, boxes that hold each other fast, corrals that cannot be opened.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.puzzle import Moves, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from .games.sokoban import Sokoban

if TYPE_CHECKING:
    from .sokoban.board import Level
    from .sokoban.search import Search

MOST_BOXES = 150  # more, and expanding one position takes longer than a glance at the clock may wait
MOST_WORK = 50_000_000  # boxes times squares squared, above which the same holds for moves across the room
TURN = {"features": 800, "pushes": 1500}  # positions that each search expands in its turn
SLICE_S = 0.04  # aim of one slice of work
TINY = ("#######", "#@$ . #", "# $.  #", "#     #", "#######")


@dataclass(frozen=True)
class Settings:
    """How to search."""

    search: str = setting(
        "both",
        "by features, by single pushes, or both in turns (in vast rooms pushes only)",
        choices=("both", "features", "pushes"),
    )
    weight: float = setting(
        3.0, "by single pushes: what a push to go counts beside one made; the lower the shorter", least=1, most=100
    )
    memory: int = setting(3000, "megabytes for positions, of all searches together", least=50, most=100_000)


class Push(Solver):
    """See the module text."""

    name = "push"
    family = "moves"
    title = "search over pushes with deadlocks, corrals and a packing plan (features after Shoham and Schaeffer's FESS)"
    accepts_text = "sokoban"
    status = "thoroughly tested"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Sokoban with boxes that can be counted."""
        if not isinstance(puzzle, Sokoban):
            return Fit(False, f"it knows sokoban, and this is a {puzzle.kind} puzzle")
        boxes = len(puzzle.cells("$", "*"))
        if boxes > MOST_BOXES:
            return Fit(False, f"it takes at most {MOST_BOXES} boxes, and here are {boxes}")
        return Fit(True, "made for sokoban", 1.0)

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Compile, on a level of two boxes."""
        from .sokoban.paths import written

        level = _level(Sokoban(TINY))
        for search in _searches(level, Settings(settings.search)):
            search.advance(50)
            written(level, search.pushes())

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Slice by slice, until one search solves it or is through with all positions."""
        from .sokoban.paths import written

        assert isinstance(puzzle, Sokoban)
        level = _level(puzzle)
        if level.hopeless:
            return Outcome("proved_none", None, {"positions": 0})
        searches = _searches(level, settings)
        best, shown = searches[0], -1
        for search in _turns(searches, clock):
            best = max(best, search, key=lambda s: s.placed)
            better = best.placed > shown
            shown = best.placed
            found = Moves(written(level, best.pushes())) if better else None
            details = {"nodes": sum(s.nodes for s in searches)}
            yield Progress(clock.steps, "positions", shown, len(level.boxes), "on goals", details, found)
        counters = {"positions": clock.steps, "nodes": sum(search.nodes for search in searches)}
        if any(search.exhausted for search in searches):
            return Outcome("proved_none", None, counters)
        moves = Moves(written(level, best.pushes()))
        status: Status = "complete" if best.solved else "out_of_budget" if clock.expired else "partial"
        return Outcome(status, moves, {**counters, "pushes": sum(move.isupper() for move in moves.moves)})


def _turns(searches: Sequence["Search"], clock: Clock) -> Iterator["Search"]:
    """Each search in turn, in short slices; yields the one that worked."""
    slice_ = 20
    while not all(search.ended for search in searches):
        for search in searches:
            left = clock.allowance(TURN[search.name])
            while left and not search.ended and not clock.expired:
                begin, before = time.perf_counter(), search.expanded
                search.advance(min(slice_, left))
                made = search.expanded - before
                clock.spend(made)
                left -= made
                took = time.perf_counter() - begin
                slice_ = max(1, min(2 * slice_, int(slice_ * SLICE_S / max(took, 1e-6)), max(TURN.values())))
                yield search
            if search.solved or search.exhausted or clock.expired:
                return


def _level(puzzle: Sokoban) -> "Level":
    from .sokoban.board import Level

    return Level(puzzle)


def _searches(level: "Level", settings: Settings) -> Sequence["Search"]:
    """Those that were asked for, which share the memory."""
    from .sokoban.search import FeatureSearch, PushSearch, Search

    left, found = settings.memory * 1_000_000, list[Search]()
    vast = len(level.boxes) * len(level.cells) ** 2 > MOST_WORK
    search = "pushes" if settings.search == "both" and vast else settings.search
    if search != "features":
        share = left if search == "pushes" else left // 4
        found.append(PushSearch(level, share, settings.weight))
        left -= share
    if search != "pushes":
        found += [FeatureSearch(level, left // 2, strict) for strict in (True, False)]
    return found
