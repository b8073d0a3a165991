"""One run of nested rollout policy adaptation, in slices: the state behind the solver `nested`."""

import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..search import nested
from ..search.chance import seeded
from .kind import MovesPuzzle

if TYPE_CHECKING:
    from .nested import Settings

SLICE_S = 0.04  # aim of one slice of work
MOST_SLICE = 1 << 16


class NestedSearch:
    """``advance`` makes plays; ``path`` is the best one so far, ``solved`` says whether it reaches the goal."""

    def __init__(self, puzzle: MovesPuzzle, settings: "Settings", seed: int) -> None:
        self.puzzle = puzzle
        self.steps, self.slice = 0, 16
        self.solved, self.stuck = False, False  # stuck: there is no first move
        rules = self._rules
        self._state, self._chance = rules.state(puzzle), seeded(seed)
        self._nest = nested.nest(settings.level, rules.CODES, *rules.limits(puzzle))
        self._manner = nested.Manner(settings.runs, float(settings.alpha), settings.plays, settings.repeats)

    @property
    def _rules(self) -> Any:
        return import_module(self.puzzle.rules)

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to do."""
        return self.solved or self.stuck

    @property
    def best(self) -> float:
        """The score of the best play."""
        return float(self._nest.best[-1])

    @property
    def path(self) -> tuple[int, ...]:
        """The moves of the best play."""
        return tuple(self._nest.path[-1, : self._nest.length[-1]].tolist())

    @property
    def restarts(self) -> int:
        """How often the highest level was done."""
        return int(self._nest.counts[-1, 0])

    def advance(self, steps: int) -> None:
        """So many plays, or fewer if one of them reaches the goal."""
        begin = time.perf_counter()
        why, made = self._rules.search_nested(self._state, self._nest, self._manner, self._chance, steps)
        self.steps += made
        self.solved = why == nested.SOLVED
        self.stuck = not self.solved and self._nest.length[-1] == 0
        took = time.perf_counter() - begin
        self.slice = max(1, min(MOST_SLICE, int(steps * min(4.0, SLICE_S / max(took, 1e-6)))))
