"""One run of nested rollout policy adaptation, in slices: the state behind the solver `nested`."""

import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.state import Misfit, State, fields, restore, taken, within
from ..search import nested
from ..search.chance import seeded
from .kind import MovesPuzzle
from .replaying import played

if TYPE_CHECKING:
    from .nested import Settings

SLICE_S = 0.04  # aim of one slice of work
MOST_SLICE = 1 << 16


class NestedSearch:
    """``advance`` makes plays; ``path`` is the best one so far, ``solved`` says whether it reaches the goal."""

    kept = ("steps", "solved", "stuck", "_chance")

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

    def state(self) -> State:
        """Where it is, for ``take_up``; the play at hand is over."""
        nest, slots = self._nest, [*range(1, len(self._nest.best))]
        return {
            **taken(self, self.kept), "weights": nest.weights.copy(), "best": nest.best[1:].copy(),
            "counts": nest.counts.copy(), "plays": [_play(nest, slot) for slot in slots],
        }  # fmt: skip

    def take_up(self, state: Any) -> None:
        """Go on where a search of the same puzzle, settings and seed was."""
        saved = fields(state, (*self.kept, "weights", "best", "counts", "plays"))
        restore(self, self.kept, {name: saved[name] for name in self.kept})
        nest = self._nest
        for name, into in (("weights", nest.weights), ("best", nest.best[1:]), ("counts", nest.counts)):
            _fill(into, saved[name], name)
        plays = saved["plays"]
        if self._chance.shape != (1,) or not isinstance(plays, list) or len(plays) != len(nest.best) - 1:
            raise Misfit("plays")
        for slot, play in enumerate(plays, start=1):
            _take_play(nest, slot, play)
        played(self.puzzle, [*self.path])

    def advance(self, steps: int) -> None:
        """So many plays, or fewer if one of them reaches the goal."""
        begin = time.perf_counter()
        why, made = self._rules.search_nested(self._state, self._nest, self._manner, self._chance, steps)
        self.steps += made
        self.solved = why == nested.SOLVED
        self.stuck = not self.solved and self._nest.length[-1] == 0
        took = time.perf_counter() - begin
        self.slice = max(1, min(MOST_SLICE, int(steps * min(4.0, SLICE_S / max(took, 1e-6)))))


def _play(nest: nested.Nest, slot: int) -> State:
    """The best play of a level."""
    steps = int(nest.length[slot])
    end = int(nest.begin[slot, steps])
    return {
        "path": nest.path[slot, :steps].copy(), "pick": nest.pick[slot, :steps].copy(),
        "begin": nest.begin[slot, : steps + 1].copy(), "codes": nest.codes[slot, :end].copy(),
        "odds": nest.odds[slot, :end].copy(),
    }  # fmt: skip


def _take_play(nest: nested.Nest, slot: int, play: Any) -> None:
    """The way back: weights are looked up by its codes, and its picks are places among those there were."""
    saved = fields(play, ("path", "pick", "begin", "codes", "odds"))
    steps, end = (len(saved[name]) if isinstance(saved[name], np.ndarray) else 0 for name in ("path", "codes"))
    within([steps], 0, nest.path.shape[1], "moves")
    within([end], 0, nest.codes.shape[1], "moves")
    nest.length[slot] = steps
    for name, number in (("path", steps), ("pick", steps), ("begin", steps + 1), ("codes", end), ("odds", end)):
        _fill(getattr(nest, name)[slot, :number], saved[name], name)
    begin = nest.begin[slot, : steps + 1]
    within(nest.codes[slot, :end], 0, nest.weights.shape[1] - 1, "codes")
    if begin[0] != 0 or begin[-1] != end or (np.diff(begin) < 1).any():
        raise Misfit("moves")
    within(nest.pick[slot, :steps] - np.diff(begin), -(2**62), -1, "picks")
    within(nest.pick[slot, :steps], 0, 2**62, "picks")


def _fill(into: Any, values: Any, name: str) -> None:
    if not isinstance(values, np.ndarray) or values.dtype != into.dtype or values.shape != into.shape:
        raise Misfit(name)
    into[:] = values
