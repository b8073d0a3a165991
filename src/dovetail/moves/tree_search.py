"""One tree search through a game, in slices: the state behind the `mcts` solvers of games."""

import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.state import Misfit, State, fields, restore, taken, within
from ..search import mcts
from ..search.chance import seeded
from ..search.saving import GROWTH, tree_from, tree_state
from ..search.tree import NONE, clear, gone, larger, tree
from .kind import MovesPuzzle
from .replaying import checked, follow, played

if TYPE_CHECKING:
    from .mcts import Standard

NODES, MOST_NODES = 1 << 12, 1 << 20  # room of the tree: it grows; when it is full it begins anew, with more patience
POSITIONS, GRAVES = 2, 8  # room for positions and dead ends, for each node
SLICE_S = 0.04  # aim of one slice of work
MOST_SLICE = 1 << 16
LATE = 1  # visits of a node before it is expanded: most are never visited again


class TreeSearch:
    """``advance`` makes rollouts; ``solved`` and ``exhausted`` say how it stands, ``path`` the best play so far."""

    kept = (
        "steps", "nodes", "restarts", "solved", "exhausted", "_chance", "_best", "_backtracks", "_moved", "_began",
    )  # fmt: skip

    def __init__(self, puzzle: MovesPuzzle, settings: "Standard", seed: int, shared: bool, reliable: bool) -> None:
        """``shared``, ``reliable``: whether this puzzle lets the settings of these names come true."""
        self.puzzle, self.settings = puzzle, settings
        self.steps, self.nodes, self.restarts, self.slice = 0, 0, 0, 16
        self.solved, self.exhausted = False, False
        self.path: tuple[int, ...] = ()
        self._shared, self._reliable = shared, reliable
        most, widest = self._rules.limits(puzzle)
        self._state = self._rules.state(puzzle)
        self._tree = tree(NODES, POSITIONS * NODES if shared else 1, GRAVES * NODES if shared else 1)
        self._room = np.zeros((most + 2, widest + 2), np.int64)
        self._chance, self._best = seeded(seed), np.full(1, -np.inf)
        self._backtracks = settings.backtracks
        self._moved, self._began = 0, 0  # steps at which a move was made for good, at which the tree was begun

    @property
    def _rules(self) -> Any:
        return import_module(self.puzzle.rules)

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to do."""
        return self.solved or self.exhausted

    @property
    def best(self) -> float:
        """The value, or the score, of the best play."""
        return float(self._best[0])

    @property
    def reached(self) -> float:
        """The same, and 0 before there is one."""
        return self.best if np.isfinite(self.best) else 0.0

    def state(self) -> State:
        """Where it is, for ``take_up``: between two rollouts."""
        made = self._state.path[: self._tree.root[1]].tolist()  # for good
        return {**taken(self, self.kept), "path": [*self.path], "made": made, "tree": tree_state(self._tree)}

    def take_up(self, state: Any) -> None:
        """Go on where a search of the same puzzle, settings and seed was."""
        saved = fields(state, (*self.kept, "path", "made", "tree"))
        restore(self, self.kept, {name: saved[name] for name in self.kept})
        if self._chance.shape != (1,) or self._best.shape != (1,):
            raise Misfit("sizes")
        within([self._backtracks], 0, 2**31, "backtracks")
        self.path, made = tuple(checked(saved["path"])), checked(saved["made"])
        played(self.puzzle, [*self.path])
        self._tree = tree_from(saved["tree"], self._tree, MOST_NODES)
        if not self._shared and (self._tree.twin[: self._tree.used[0]] != np.arange(self._tree.used[0])).any():
            raise Misfit("twins")
        self._state = follow(self.puzzle, self._tree, made)
        self._room[: len(made), -2] = made

    def advance(self, steps: int) -> None:
        """So many rollouts, or fewer if that settles it."""
        begin, until = time.perf_counter(), self.steps + steps
        while self.steps < until and not self.ended:
            self._roll_out(min(until, self._next_turn) - self.steps)
            if not self.ended and self.steps == self._next_turn:
                self._turn()
        took = time.perf_counter() - begin
        self.slice = max(1, min(MOST_SLICE, int(steps * min(4.0, SLICE_S / max(took, 1e-6)))))

    def grow(self) -> None:
        """More room for the same tree."""
        self._tree = larger(self._tree, GROWTH)

    def _roll_out(self, rollouts: int) -> None:
        best = self.best
        why, made = self._rules.search_tree(
            self._state, self._tree, self._manner(), self._room, self._chance, self._best, rollouts
        )
        self.steps += made
        self.nodes = max(self.nodes, int(self._tree.used[0]))
        if self.best > best:
            self.path = tuple(self._state.path[: self._state.tally[0]].tolist())
        self.solved = why == mcts.SOLVED
        dead = self._tree.dead
        self.exhausted = not self.solved and bool(dead[0])
        if why == mcts.FULL and len(dead) < MOST_NODES:
            self.grow()
        elif why == mcts.FULL:
            self._backtracks *= 2
            self._begin_anew()
        elif dead[self._tree.root[0]] and not self.ended:  # moves were made for good that lead nowhere any more
            self._tree.root[:] = 0
            self._moved = self.steps

    def _manner(self) -> mcts.Manner:
        settings = self.settings
        # points are as large as the game has them: the constants are told in units of the best play so far
        unit = max(1.0, abs(self.reached)) if settings.points else 1.0
        return mcts.Manner(
            float(settings.exploration * unit), self._reliable, self._backtracks, settings.fast, settings.accurate,
            settings.order == "during", self._shared, settings.points, True, LATE,
            float(settings.deviation * unit**2), float(settings.top),
        )  # fmt: skip

    @property
    def _next_turn(self) -> int:
        """The step at which a move is made for good, or the tree begun anew."""
        settings = self.settings
        turns = [self._moved + settings.per_move] if settings.tree == "move" else []
        turns += [self._began + settings.restart] if settings.restart else []
        return min(turns, default=2**62)

    def _turn(self) -> None:
        if self.settings.restart and self.steps >= self._began + self.settings.restart:
            self._begin_anew()
        else:
            self._make_move()

    def _make_move(self) -> None:
        """The best move at the root, for good: what was learnt below it is kept."""
        grown, rules = self._tree, self._rules
        self._moved = self.steps
        root = int(grown.root[0])
        if grown.first[root] == NONE:
            return
        children = range(int(grown.first[root]), int(grown.first[root] + grown.count[root]))
        known = [child for child in children if not gone(grown, child) and grown.visits[grown.twin[child]]]
        if not known:
            return
        chosen = max(known, key=lambda child: (grown.best[grown.twin[child]], grown.visits[grown.twin[child]]))
        rules.back(self._state, int(grown.root[1]))
        rules.play(self._state, int(grown.move[chosen]))
        self._room[grown.root[1], -2] = grown.move[chosen]  # where states are built anew, they are built from there
        grown.parent[grown.twin[chosen]] = root
        grown.root[0] = grown.twin[chosen]
        grown.root[1] += 1

    def _begin_anew(self) -> None:
        """A new tree from the first move on, with other random numbers. Dead positions stay known."""
        self.restarts += 1
        self._began = self._moved = self.steps
        clear(self._tree)
