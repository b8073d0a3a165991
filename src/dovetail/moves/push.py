"""The solver `push` for Sokoban: searches that take turns.

One goes by single pushes, the shortest way first, and is at its best where there are few boxes. Two more move boxes
across the room and follow what makes a position better; they find their way through levels with many, one of them with
more patience for boxes on goals before their turn. All leave out what can never be solved: boxes where no goal can be
reached, boxes that hold each other fast, corrals that cannot be opened.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..core.puzzle import Moves, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from ..core.state import Misfit, State, fields
from .games.sokoban import Sokoban

if TYPE_CHECKING:
    from .sokoban.board import Level
    from .sokoban.search import Search

MOST_BOXES = 150  # more, and expanding one position takes longer than a glance at the clock may wait
MOST_WORK = 50_000_000  # boxes times squares squared, above which the same holds for moves across the room
TURN = {"features": 800, "pushes": 1500}  # positions that each search expands in its turn
LEAST_MB, BASE_MB, GROWING = 50, 220, 1.2  # for positions; without any; how much more while they move to more room
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
    memory: int = setting(3000, "megabytes for positions, of all searches together", least=LEAST_MB, most=100_000)


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

    def memory_mb(self, puzzle: Puzzle, settings: Settings) -> float:
        """What it may use for positions, and half of that again while they move to more room."""
        return BASE_MB + GROWING * settings.memory

    def leaner(self, puzzle: Puzzle, settings: Settings, room_mb: float) -> Settings | None:
        """Fewer positions; the search then gives up earlier."""
        memory = int((room_mb - BASE_MB) / GROWING)
        return replace(settings, memory=memory) if memory >= LEAST_MB else None

    def resumes(self, settings: Settings) -> bool:
        """Always; all positions are saved, and take as much room on the disk as in memory."""
        return True

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
        turns = Turns(_searches(level, settings))
        searches, shown = turns.searches, -1
        if clock.kept is not None:
            turns.take_up(clock.kept)
        clock.keep(turns.state)
        for _ in turns.work(clock):
            best = turns.best
            better = best.placed > shown
            shown = best.placed
            found = Moves(written(level, best.pushes())) if better else None
            details = {"nodes": sum(s.nodes for s in searches)}
            yield Progress(clock.steps, "positions", shown, len(level.boxes), "on goals", details, found)
        best = turns.best
        counters = {"positions": clock.steps, "nodes": sum(search.nodes for search in searches)}
        if any(search.exhausted for search in searches):
            return Outcome("proved_none", None, counters)
        moves = Moves(written(level, best.pushes()))
        status: Status = "complete" if best.solved else "out_of_budget" if clock.expired else "partial"
        return Outcome(status, moves, {**counters, "pushes": sum(move.isupper() for move in moves.moves)})


class Turns:
    """Each search in turn, in short slices; ``best`` is the one that has brought most boxes to goals."""

    def __init__(self, searches: Sequence["Search"]) -> None:
        self.searches = searches
        self._best, self._turn, self._made = 0, 0, 0  # which search it is, and positions of its turn so far

    @property
    def best(self) -> "Search":
        """Of equals, the first to come so far."""
        return self.searches[self._best]

    def work(self, clock: Clock) -> Iterator[None]:
        """Until one has ended it all, or none can go on."""
        slice_ = 20
        while not (clock.expired or any(s.solved or s.exhausted for s in self.searches)):
            search = self.searches[self._turn]
            if search.ended or self._made >= TURN[search.name]:
                if all(other.ended for other in self.searches):
                    return
                self._turn, self._made = (self._turn + 1) % len(self.searches), 0
                continue
            begin, before = time.perf_counter(), search.expanded
            search.advance(clock.allowance(min(slice_, TURN[search.name] - self._made)))
            clock.spend(search.expanded - before)
            self._made += search.expanded - before
            took = time.perf_counter() - begin
            slice_ = max(1, min(2 * slice_, int(slice_ * SLICE_S / max(took, 1e-6)), max(TURN.values())))
            if search.placed > self.best.placed:
                self._best = self._turn
            yield

    def state(self) -> State:
        """Where they are, for ``take_up``."""
        return {
            "searches": [search.state() for search in self.searches], "best": self._best, "turn": self._turn,
            "made": self._made,
        }  # fmt: skip

    def take_up(self, kept: Any) -> None:
        """Go on where an earlier run was."""
        saved = fields(kept, ("searches", "best", "turn", "made"))
        states, self._best, self._turn, self._made = (saved[name] for name in ("searches", "best", "turn", "made"))
        if not isinstance(states, list) or len(states) != len(self.searches):
            raise Misfit("searches")
        if self._best not in range(len(states)) or self._turn not in range(len(states)) or type(self._made) is not int:
            raise Misfit("turns")
        for search, state in zip(self.searches, states, strict=True):
            search.take_up(state)


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
