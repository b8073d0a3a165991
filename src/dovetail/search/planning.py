"""Plays that are planned together, move by move: so many visits to each tree, then a move in all of them.

Paumard et al. 2020, 3.2: N_visits from the state at hand, the most promising move, and so on to the end of the play.
They do not say whether the next move begins with the tree of the last one; AlphaZero keeps what lies below the move
it made, and so do we unless told otherwise. Either way the visits of a move are made anew, on top of what was kept.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.state import Misfit, State, fields
from .forest import forest, move_on, read, swept, written
from .puct import BEST, VALUE, VISITS, Leaves, Manner, decide, leaves, receive
from .tree import NONE

DECISIONS = {"visits": VISITS, "value": VALUE, "best": BEST}
PER_MOVE = 1000  # visits
START_NODES = 1 << 14
SLICE = 1 << 20  # visits in one call of compiled code


class Evaluator(Protocol):
    """Judges leaves in batches: (priors [leaves, actions], values [leaves] from 0 to 1)."""

    def __call__(self, found: Leaves) -> tuple[NDArray[Any], NDArray[Any]]:
        """Of leaves that are over, nobody looks at the priors."""


class Compiled(NamedTuple):
    """A game's kernels: ``plan`` and ``gather`` of puct.py with its rules in them."""

    plan: Callable[..., tuple[int, bool]]  # (game, forest, manner, room, priors, left, most)
    gather: Callable[..., tuple[int, int, int, bool]]  # (game, forest, manner, room, left, each, first, leaves)


class Planner:
    """One tree a play. ``visits`` counts those made in all; ``batches`` how often an evaluator was asked."""

    def __init__(
        self, game: Any, rules: Compiled, plays: int, steps: int, widest: int, manner: Manner | None = None
    ) -> None:
        """``steps``: moves of a play at most; ``widest``: moves to choose from at most."""
        self.game, self.rules = game, rules
        self.visits, self.batches = 0, 0
        kinds = (type(it) for it in Manner())  # those that kernels are compiled for
        self.manner = Manner._make(kind(it) for kind, it in zip(kinds, manner or Manner(), strict=True))
        self.forest = forest(plays, steps, max(START_NODES, 2 * plays * widest))
        self._room, self._priors = np.zeros(widest, np.int32), np.zeros(widest)

    @property
    def plays(self) -> list[list[int]]:
        """The moves made so far, of every play."""
        pairs = zip(self.forest.path, self.forest.played, strict=True)
        return [path[:played].tolist() for path, played in pairs]

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which plays have come to their end, as far as a visit has shown."""
        roots = self.forest.root
        return np.asarray((self.forest.first[roots] == NONE) & (self.forest.visits[roots] > 0))

    def state(self) -> State:
        """Where it is, between two visits, for ``take_up``."""
        return {"visits": self.visits, "trees": written(self.forest)}

    def take_up(self, state: Any) -> None:
        """Go on where a planner of as many plays was."""
        values = fields(state, ("visits", "trees"))
        if type(values["visits"]) is not int or values["visits"] < 0:
            raise Misfit("visits")
        plays, steps, widest = len(self.forest.root), self.forest.path.shape[1] - 1, len(self._room)
        self.forest = read(values["trees"], plays, steps, widest, len(self.forest.move))
        self.visits = values["visits"]

    def visit(self, visits: int) -> None:
        """So many visits to every play that is not over, evaluated by the game's own kernel."""
        left = self._left(visits)
        while left.any():
            made, full = self.rules.plan(
                self.game, self.forest, self.manner, self._room, self._priors, left, min(SLICE, int(left.sum()))
            )
            self.visits += made
            if full:
                self.forest = swept(self.forest, len(self._room))

    def visit_with(self, evaluator: Evaluator, visits: int, batch: int, each: int = 1) -> None:
        """The same, evaluated in batches: up to ``batch`` leaves of all plays, and ``each`` of one, at a time.

        With one leaf of a play at a time the trees are those of ``visit``; with more, those that wait keep others away.
        """
        batch = max(batch, each)
        left, first = self._left(visits), 0
        found = leaves(batch, self.forest.path.shape[1] - 1, len(self._room))
        while left.any():
            number, made, first, full = self.rules.gather(
                self.game, self.forest, self.manner, self._room, left, each, first, found
            )
            self.visits += made
            if number:
                some = Leaves._make(field[:number] for field in found)
                priors, values = (np.ascontiguousarray(given, np.float64) for given in evaluator(some))
                if not (np.isfinite(values).all() and np.isfinite(priors[some.number > 0]).all()):
                    raise ValueError("an evaluator gave numbers that are not finite")
                receive(self.forest, self.manner, found, number, priors, values)
                self.batches += 1
            if full:
                self.forest = swept(self.forest, batch * len(self._room))

    def move(self, by: str = "visits", keep: bool = True) -> None:
        """The move that the visits speak for, in every play that is not over; see ``decide``."""
        for tree in range(len(self.forest.root)):
            child = decide(self.forest, tree, DECISIONS[by])
            if child != NONE:
                move_on(self.forest, tree, child, keep)

    def _left(self, visits: int) -> NDArray[np.int64]:
        return np.where(self.over, 0, visits).astype(np.int64)
