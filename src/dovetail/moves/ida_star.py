"""The solver `ida-star`: the shortest play of an n-puzzle, by iterative deepening with additive pattern databases."""

from typing import Any

from ..core.memory import MB
from ..core.puzzle import Moves, Puzzle
from ..core.settings import NoSettings
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver
from ..core.state import Misfit, State, fields, within
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

    def memory_mb(self, puzzle: Puzzle, settings: NoSettings) -> float:
        """The databases, twice while they are put together; of the largest, when it is filled, also what was seen."""
        from .patterns import split

        assert isinstance(puzzle, Fifteen)
        entries = [int(len(puzzle.tiles) ** len(tiles)) for tiles in split(puzzle.rows, puzzle.cols)]
        return 180 + (2 * sum(entries) + 8 * max(entries)) / MB

    def resumes(self, settings: NoSettings) -> bool:
        """Always; from the proof on. The answer that it begins with is found again where there is none yet."""
        return True

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
        if clock.kept is None:
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
            best = known.path
            search = _Deepening(rows, cols, tiles, len(best))
        else:
            saved = fields(clock.kept, ("best", "dive"))
            best = slides(saved["best"], rows, cols, tiles, to_goal=True)
            search = _Deepening(rows, cols, tiles, len(best))
            search.take_up(saved["dive"])
        clock.keep(lambda: {"best": [*best], "dive": search.state()})
        news = Moves(written(puzzle, best))
        while not (search.done or clock.expired):
            before = search.nodes
            search.work(clock.allowance(SLICE))
            clock.spend(search.nodes - before)
            yield Progress(search.nodes, "nodes", search.bound, len(best), "bound", solution=news)
        by_slide = search.path is None
        shortest = best if search.path is None else search.path
        counters = {
            "nodes": search.nodes, "moves": len(shortest), "bound": search.bound, "optimal": int(search.done),
            "by_slide": int(by_slide),
        }  # fmt: skip
        return Outcome("complete" if search.done else "out_of_budget", Moves(written(puzzle, shortest)), counters)


def slides(path: Any, rows: int, cols: int, tiles: tuple[int, ...], to_goal: bool = False) -> list[int]:
    """Tiles to slide one after the other, as they come from a file: each lies beside the gap."""
    if not isinstance(path, list) or not all(type(tile) is int and 0 < tile < len(tiles) for tile in path):
        raise Misfit("slides")
    at = {tile: divmod(cell, cols) for cell, tile in enumerate(tiles)}
    for tile in path:
        if sum(abs(a - b) for a, b in zip(at[tile], at[0], strict=True)) != 1:
            raise Misfit("slides")
        at[tile], at[0] = at[0], at[tile]
    if to_goal and any(at[tile] != divmod(tile - 1, cols) for tile in range(1, rows * cols)):
        raise Misfit("slides")
    return path


class _Deepening:
    """A search in slices. ``done``: ``path`` is a shortest play, or if None, none has fewer than ``below`` slides."""

    def __init__(self, rows: int, cols: int, tiles: tuple[int, ...], below: int) -> None:
        import numpy as np

        from .pattern_kernels import BOUND, Dive, begin
        from .patterns import patterns, tray

        self.path: list[int] | None = None
        self.nodes, self._below = 0, below
        self._rows, self._cols, self._tiles = rows, cols, tiles
        self._tray, self._patterns = tray(rows, cols), patterns(rows, cols)
        depths = below + 1
        self._dive = Dive(
            np.zeros(rows * cols, np.int64), np.zeros((2, len(self._patterns.begin)), np.int64),
            np.zeros(depths, np.int64), np.zeros(depths, np.int64), np.zeros((depths, 2), np.int64),
            np.zeros(depths, np.int64), np.zeros(4, np.int64),
        )  # fmt: skip
        begin(self._patterns, np.array(tiles, np.int64), self._dive)
        self._first_bound = int(self._dive.tally[BOUND])
        self.bound = int(self._dive.tally[BOUND])
        self.done = self.bound >= below

    def state(self) -> State:
        """Where it is, for ``take_up``: the slides that led there, and at each what is to be tried next."""
        from .pattern_kernels import DEPTH

        dive = self._dive
        depth = int(dive.tally[DEPTH])
        return {
            "path": dive.path[:depth].tolist(), "choice": dive.choice[: depth + 1].tolist(),
            "tally": dive.tally.tolist(),
        }  # fmt: skip

    def take_up(self, state: Any) -> None:
        """Go on where a search of the same tray was; all that follows from the slides is found again."""
        import numpy as np

        from .pattern_kernels import BOUND, DEPTH, NEXT, NODES, begin

        saved = fields(state, ("path", "choice", "tally"))
        path = slides(saved["path"], self._rows, self._cols, self._tiles)
        choice, tally, dive = saved["choice"], saved["tally"], self._dive
        if not _numbers(choice, len(path) + 1) or not _numbers(tally, len(dive.tally)) or tally[DEPTH] != len(path):
            raise Misfit("slides")
        within([tally[BOUND], tally[NEXT]], self._first_bound, self._below + 2, "bound")
        within([len(path)], 0, min(tally[BOUND], self._below), "slides")
        within([tally[NODES]], 0, 2**62, "nodes")
        board = np.array(self._tiles, np.int64)
        room = dive._replace(
            gap=dive.gap.copy(), sums=dive.sums.copy(), choice=dive.choice.copy(), tally=dive.tally.copy()
        )
        for depth, tile in enumerate([0, *path]):
            if tile:
                gap, cell = int(board.argmin()), int(np.flatnonzero(board == tile)[0])
                board[gap], board[cell] = tile, 0
                dive.path[depth - 1] = tile
            begin(self._patterns, board, room)
            dive.gap[depth], dive.sums[depth] = room.gap[0], room.sums[0]
            within([choice[depth]], 0, int(self._tray.degree[room.gap[0]]), "choices")
        dive.choice[: len(choice)], dive.tally[:] = choice, tally
        self.nodes, self.bound = tally[NODES], tally[BOUND]
        if not dive.sums[len(path)].any():
            self.path = path
        self.done = self.path is not None or self.bound >= self._below

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


def _numbers(values: Any, number: int) -> bool:
    return isinstance(values, list) and len(values) == number and all(type(value) is int for value in values)
