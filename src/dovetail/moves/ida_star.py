"""The solver `ida-star`: the shortest play of an n-puzzle, by iterative deepening with additive pattern databases."""

from ..core.puzzle import Moves, Puzzle
from ..core.settings import NoSettings
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver
from .games.fifteen import Fifteen

MOST_CELLS = 25
SURE_CELLS = 16  # up to this size it nearly always comes to its end in seconds
SLICE = 500_000  # nodes between two looks at the clock
BEAM, WINDOW = 10_000, 50  # of the first answer on larger trays; see `slide`


class IdaStar(Solver):
    """Korf & Felner 2002. It begins with the answer of `slide`, and keeps it if the proof takes too long."""

    name = "ida-star"
    family = "moves"
    title = "IDA* with additive pattern databases: the shortest play of an n-puzzle, proved"
    accepts_text = f"fifteen of at most {MOST_CELLS} cells"

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Trays up to 5x5."""
        if not isinstance(puzzle, Fifteen):
            return Fit(False, f"it knows n-puzzles, and this is a {puzzle.kind} puzzle")
        cells = len(puzzle.tiles)
        if cells > MOST_CELLS:
            return Fit(False, f"its databases go up to {MOST_CELLS} cells, and this tray has {cells}")
        if cells > SURE_CELLS:
            return Fit(True, f"the shortest play of {cells} cells may take days to find", 0.3)
        return Fit(True, "the shortest play, with databases that are filled the first time (some seconds)", 1.0)

    def warm_up(self, puzzle: Puzzle, settings: NoSettings) -> None:
        """Compile; fill the databases of this size, or load them."""
        from .patterns import patterns
        from .sliding import Sliding

        assert isinstance(puzzle, Fifteen)
        patterns(puzzle.rows, puzzle.cols)
        large = len(puzzle.tiles) > SURE_CELLS
        for _ in Sliding(2, 3, (3, 0, 5, 4, 1, 2), 10 * large, WINDOW * large, positions=1).work():
            pass
        _Deepening(2, 3, (1, 2, 3, 4, 0, 5), 10).work(10)

    def solve(self, puzzle: Puzzle, settings: NoSettings, clock: Clock, seed: int) -> Run:
        """Search to one bound after the other, until a play is found or none shorter than the known one is left."""
        from .rules.fifteen import solvable, turned, written
        from .sliding import QUICK, THOROUGH, Sliding

        assert isinstance(puzzle, Fifteen)
        if not solvable(puzzle):
            return Outcome("proved_none", None, {"nodes": 0})
        rows, cols, tiles = puzzle.rows, puzzle.cols, turned(puzzle)
        large = len(tiles) > SURE_CELLS
        known = Sliding(rows, cols, tiles, BEAM * large, WINDOW * large, THOROUGH if large else QUICK)
        booked = 0
        for _ in () if clock.expired else known.work():
            clock.spend(known.seen - booked)
            booked = known.seen
            if clock.expired:
                break
        if not known.solved:
            return Outcome("out_of_budget", Moves(written(puzzle, known.path)), {"nodes": 0, "optimal": 0})
        best, news = known.path, Moves(written(puzzle, known.path))
        search = _Deepening(rows, cols, tiles, len(best))
        while not (search.done or clock.expired):
            before = search.nodes
            search.work(clock.allowance(SLICE))
            clock.spend(search.nodes - before)
            yield Progress(search.nodes, "nodes", search.bound, len(best), "bound", solution=news)
        by_slide = search.path is None
        best = best if search.path is None else search.path
        counters = {
            "nodes": search.nodes, "moves": len(best), "bound": search.bound, "optimal": int(search.done),
            "by_slide": int(by_slide),
        }  # fmt: skip
        return Outcome("complete" if search.done else "out_of_budget", Moves(written(puzzle, best)), counters)


class _Deepening:
    """A search in slices. ``done``: ``path`` is a shortest play, or if None, none has fewer than ``below`` slides."""

    def __init__(self, rows: int, cols: int, tiles: tuple[int, ...], below: int) -> None:
        import numpy as np

        from .pattern_kernels import BOUND, Dive, begin
        from .patterns import patterns, tray

        self.path: list[int] | None = None
        self.nodes, self._below = 0, below
        self._tray, self._patterns = tray(rows, cols), patterns(rows, cols)
        depths = below + 1
        self._dive = Dive(
            np.zeros(rows * cols, np.int64), np.zeros((2, len(self._patterns.begin)), np.int64),
            np.zeros(depths, np.int64), np.zeros(depths, np.int64), np.zeros((depths, 2), np.int64),
            np.zeros(depths, np.int64), np.zeros(4, np.int64),
        )  # fmt: skip
        begin(self._patterns, np.array(tiles, np.int64), self._dive)
        self.bound = int(self._dive.tally[BOUND])
        self.done = self.bound >= below

    def work(self, nodes: int) -> None:
        """So many nodes, or up to the end of a bound."""
        from .pattern_kernels import BOUND, DEPTH, EXHAUSTED, FOUND, NEXT, NODES, deepen

        dive, tally = self._dive, self._dive.tally
        why = deepen(self._tray, self._patterns, dive, nodes)
        self.nodes = int(tally[NODES])
        if why == FOUND:
            self.path, self.done = dive.path[: tally[DEPTH]].tolist(), True
        elif why == EXHAUSTED:
            self.bound = tally[BOUND] = int(tally[NEXT])
            tally[NEXT], dive.choice[0] = self._below + 1, 0
            self.done = self.bound >= self._below
