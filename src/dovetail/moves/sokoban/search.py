"""The two searches behind the solver `push`, each in slices, with room that grows up to a bound."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from ...core.state import Misfit, State, fields, restore, taken, within
from . import features
from . import pushes as single
from .board import Level
from .deadlocks import scratch
from .matching import matching
from .paths import single_pushes
from .plan import plan
from .pushes import EXHAUSTED, FULL, SOLVED
from .saving import check_heaps, check_nodes, corrals_state, pool_from, pool_state, take_corrals
from .sealed import corrals
from .table import bytes_a_node, grown, path, pool

FIRST_NODES = 1 << 14
MOST_CHILDREN = 1 << 14  # of one position, for which room is kept


class Search(ABC):
    """``advance`` expands positions; ``ended`` says whether there is nothing more to do, and why."""

    name: ClassVar[str]
    kept = ("expanded", "solved", "exhausted", "full", "best", "placed", "togo", "_looked")
    kept_own: ClassVar[tuple[str, ...]]

    def __init__(self, level: Level, memory: int) -> None:
        """``memory``: bytes it may take."""
        self.level, self.board = level, level.board
        self.scratch = scratch(len(level.cells))
        self.boxes = np.array(level.boxes, np.int32)
        self.expanded = 0
        self.solved, self.exhausted, self.full = False, False, False
        self.best, self.placed, self.togo = 0, -1, 0  # the best node: boxes on goals, and pushes to go by the matching
        self._looked = 0
        most = memory // bytes_a_node(len(level.boxes))
        self._most_nodes = 1 << (most.bit_length() - 1)
        self.pool = pool(len(level.boxes), min(self._most_nodes, max(FIRST_NODES, 2 * self._children)))

    @property
    def ended(self) -> bool:
        """Whether it has come to an end of its own."""
        return self.solved or self.exhausted or self.full

    @property
    def nodes(self) -> int:
        """Positions in memory."""
        return int(self.pool.used[0])

    @property
    @abstractmethod
    def _children(self) -> int:
        """Of a position, at most."""

    @abstractmethod
    def _search(self, expansions: int) -> tuple[int, int]:
        """Why it paused, and how many positions it expanded."""

    @abstractmethod
    def _solution(self) -> int:
        """The node that solves it."""

    @abstractmethod
    def pushes(self) -> list[int]:
        """The way to the best position."""

    def state(self) -> State:
        """Where it is, for ``take_up``."""
        return {**taken(self, self.kept), "pool": pool_state(self.pool), **self._own_state()}

    def take_up(self, state: Any) -> None:
        """Go on where a search of the same level and settings was."""
        saved = fields(state, (*self.kept, "pool", *self.kept_own))
        restore(self, self.kept, {name: saved[name] for name in self.kept})
        self.pool = pool_from(saved["pool"], self.pool, self._most_nodes)
        within([self.best], 0, self.nodes - 1, "best")
        within([self._looked], 0, self.nodes, "nodes")
        self._take_own({name: saved[name] for name in self.kept_own})

    @abstractmethod
    def _own_state(self) -> State:
        """What only this search has."""

    @abstractmethod
    def _take_own(self, saved: State) -> None:
        """The way back; the pool is there by then."""

    def advance(self, expansions: int) -> None:
        """Expand so many positions, or fewer if that settles it."""
        while expansions and not self.ended:
            why, made = self._search(expansions)
            self.expanded += made
            expansions -= made
            self.solved, self.exhausted = why == SOLVED, why == EXHAUSTED
            if why == FULL:
                self.full = len(self.pool.player) >= self._most_nodes
                if not self.full:
                    self.pool = grown(self.pool, min(self._most_nodes, 2 * len(self.pool.player)))
        self._look()

    def _look(self) -> None:
        """Whether one of the new positions is the best so far."""
        new = slice(self._looked, self.nodes)
        self._looked = self.nodes
        if self.solved:
            self.best, self.placed, self.togo = self._solution(), len(self.boxes), 0
        elif new.start < new.stop:
            placed = self.board.goal[self.pool.boxes[new]].sum(axis=1, dtype=np.int64)
            rank = placed * (1 << 20) - self.pool.estimate[new]
            top = int(rank.argmax())
            node = new.start + top
            if rank[top] > self.placed * (1 << 20) - self.togo:
                self.best, self.placed, self.togo = node, int(placed[top]), int(self.pool.estimate[node])


class PushSearch(Search):
    """Weighted A* over single pushes."""

    name = "pushes"
    kept_own = ("root", "found")

    def __init__(self, level: Level, memory: int, weight: float) -> None:
        super().__init__(level, memory)
        self.weight = weight
        n = len(level.boxes)
        root, solved = np.full(1, -1, np.int32), np.full(1, -1, np.int64)
        self.queue = single.Queue(root, solved, matching(n), matching(n), np.zeros((n, n), np.int32))
        single.begin(self.board, self.scratch, self.pool, self.queue, self.boxes, level.player, weight)

    @property
    def _children(self) -> int:
        return 4 * len(self.boxes)

    def _own_state(self) -> State:
        return {"root": int(self.queue.root[0]), "found": int(self.queue.solved[0])}

    def _take_own(self, saved: State) -> None:
        if type(saved["root"]) is not int or type(saved["found"]) is not int:
            raise Misfit("heap")
        within([saved["root"], saved["found"]], -1, self.nodes - 1, "heap")
        self.queue.root[0], self.queue.solved[0] = saved["root"], saved["found"]
        check_nodes(self.pool, self.board.near[:-1].astype(np.int64), 0, 1)
        check_heaps(self.pool, self.queue.root)

    def _search(self, expansions: int) -> tuple[int, int]:
        why, made = single.search(self.board, self.scratch, self.pool, self.queue, self.weight, expansions)
        return why, made

    def _solution(self) -> int:
        return int(self.queue.solved[0])

    def pushes(self) -> list[int]:
        """As they are."""
        return [int(self.pool.move[node]) for node in path(self.pool, self.best)]


class FeatureSearch(Search):
    """The search through features; ``strict``: boxes on goals before their turn are told apart."""

    name = "features"
    kept_own = ("active", "roots", "turn", "corrals")

    def __init__(self, level: Level, memory: int, strict: bool = True) -> None:
        super().__init__(level, memory)
        self.plan = plan(self.board, self.scratch, level.boxes, strict)
        self.space = features.space(len(level.boxes))
        self.corrals = corrals(self.scratch)
        features.begin(self.board, self.scratch, self.pool, self.space, self.plan, self.boxes, level.player)

    @property
    def _children(self) -> int:
        live = int((self.board.dead == 0).sum())
        return min(MOST_CHILDREN, 4 * live * len(self.boxes))

    def _own_state(self) -> State:
        active = self.space.active[: self.space.turn[0]].copy()
        return {
            "active": active, "roots": self.space.roots[active], "turn": self.space.turn.copy(),
            "corrals": corrals_state(self.corrals),
        }  # fmt: skip

    def _take_own(self, saved: State) -> None:
        space, active, roots, turn = self.space, *(saved[name] for name in ("active", "roots", "turn"))
        for values, like in ((active, space.active), (roots, space.roots), (turn, space.turn)):
            if not isinstance(values, np.ndarray) or values.dtype != like.dtype or values.ndim != 1:
                raise Misfit("features")
        if len(turn) != len(space.turn) or not len(active) == len(roots) == turn[0] == len(np.unique(active)):
            raise Misfit("features")
        within(active, 0, len(space.roots) - 1, "features")
        within(turn[1:2], -1, max(-1, len(active) - 1), "turns")
        within(turn[2:3], -1, self.nodes - 1, "turns")
        within(turn[3:], 0, 2**62, "turns")
        space.roots[:], space.used[:] = -1, 0
        space.active[: len(active)], space.turn[:] = active, turn
        space.roots[active], space.used[active] = roots, 1
        check_nodes(self.pool, None, features.TO, len(space.roots))
        within(self.pool.boxes[: self.nodes], 0, len(self.board.near) - 2, "boxes")
        within(self.pool.player[: self.nodes], 0, len(self.board.near) - 2, "player")
        check_heaps(self.pool, roots)
        take_corrals(self.corrals, saved["corrals"])

    def _search(self, expansions: int) -> tuple[int, int]:
        why, made = features.search(
            self.board, self.scratch, self.corrals, self.pool, self.space, self.plan, self._children, expansions
        )
        return why, made

    def _solution(self) -> int:
        return int(self.space.turn[2])

    def pushes(self) -> list[int]:
        """Every slide push by push."""
        slides: list[Any] = []
        for node in path(self.pool, self.best):
            box, to = divmod(int(self.pool.move[node]), features.TO)
            slides.append((box, to, int(self.pool.player[node])))
        return [*single_pushes(self.board, self.scratch, self.boxes, self.level.player, slides)]
