"""The solver `mcts-chance`: tree search with chance nodes for games of chance (class C of Kiarostami et al. 2021).

It plans each move with chances of its own, plays the most visited, and only then learns what happened in the puzzle.
"""

import time
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..core import registry
from ..core.puzzle import Moves, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from ..core.state import Misfit, State, fields
from .kind import MovesPuzzle

NODES = 400_000  # room of the tree
SLICE = 500  # rollouts between two looks at the clock: some milliseconds
TIMED_SLICE = 25  # the same where a move has so many milliseconds
SHOWN_S = 0.1  # between two signs of progress
ENDLESS = 2**40  # moves


@dataclass(frozen=True)
class Settings:
    """How a move is found."""

    rollouts: int = setting(1000, "rollouts a move", least=1)
    ms: float = setting(0, "milliseconds a move, instead of counting rollouts; 0: count", least=0)
    length: int = setting(0, "moves of a rollout at most; 0: until the play is over", least=0)
    exploration: float = setting(0.3, "weight of little visited moves in the selection", least=0)
    survival: float = setting(1.0, "points that a move survived in a rollout is worth", least=0)
    win: float = setting(10_000.0, "points that reaching the goal in a rollout is worth", least=0)


class MctsChance(Solver):
    """See the module text."""

    name = "mcts-chance"
    family = "moves"
    title = "Monte-Carlo tree search with chance nodes, random rollouts"
    accepts_text = "2048, tetris"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Games where chance has a part."""
        if not isinstance(puzzle, MovesPuzzle) or registry.kind(puzzle.kind).puzzle_class != "C":
            return Fit(False, f"chance has no part in a {puzzle.kind} puzzle")
        return Fit(True, "tree search takes every game of chance, though a learnt value plays better", 0.2)

    def resumes(self, settings: Settings) -> bool:
        """Where rollouts are counted. It goes on from the last move: the tree for the next one takes no time."""
        return not settings.ms

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Compile, on this very puzzle: a rollout takes no time."""
        search = _Search(puzzle, settings, 0)
        search.look(1)
        search.play()

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Move by move, until the goal is reached or the play is over."""
        search = _Search(puzzle, settings, seed)
        rollouts, shown = 0, time.monotonic()
        if clock.kept is not None:
            rollouts = search.take_up(clock.kept)
            clock.spend(rollouts - clock.steps)  # those of a move that was not made are made again
        clock.keep(lambda: search.kept)
        while not search.over:
            made, begin = 0, time.monotonic()
            while not clock.expired:
                slice_ = TIMED_SLICE if settings.ms else min(SLICE, settings.rollouts - made)
                allowed = clock.allowance(slice_)
                search.look(allowed)
                clock.spend(allowed)
                made += allowed
                if (time.monotonic() - begin) * 1000 >= settings.ms if settings.ms else made >= settings.rollouts:
                    break
            rollouts += made
            if clock.expired:
                break
            search.play()
            search.keep(rollouts)
            if time.monotonic() - shown >= SHOWN_S:
                shown = time.monotonic()
                yield Progress(rollouts, "rollouts", search.score, None, "score", solution=search.solution)
        status: Status = "complete" if search.solved else "partial" if search.over else "out_of_budget"
        counters = {"rollouts": rollouts, "moves": search.played, "score": search.score}
        return Outcome(status, search.solution, counters)


class _Search:
    """A game in progress, and the tree for its next move."""

    def __init__(self, puzzle: Puzzle, settings: Settings, seed: int) -> None:
        import numpy as np

        from ..search import chance_tree
        from ..search.chance import seeded

        assert isinstance(puzzle, MovesPuzzle)
        self._puzzle, self._trees = puzzle, chance_tree
        self._rules: Any = import_module(puzzle.rules)
        self._search = import_module(f"{puzzle.rules}_tree").search_chance
        self._state = self._rules.state(puzzle)
        self._manner = chance_tree.Manner(
            settings.exploration, settings.length or ENDLESS, settings.survival, settings.win
        )
        self._tree = chance_tree.chance_tree(NODES)
        self._room = np.zeros(self._rules.limits(puzzle)[1], np.int64)
        self._chance = seeded(seed)
        chance_tree.clear(self._tree)
        self.keep(0)

    def keep(self, rollouts: int) -> None:
        """Remember this moment, before a move: what is saved until the next one."""
        self.kept: State = {
            "path": self._state.path[: self.played].copy(), "chance": self._chance.copy(), "rollouts": rollouts,
        }  # fmt: skip

    def take_up(self, kept: Any) -> int:
        """Go on where an earlier run was; returns the rollouts it had made."""
        from .replaying import chance_from, played

        saved = fields(kept, ("path", "chance", "rollouts"))
        rollouts = saved["rollouts"]
        if type(rollouts) is not int or rollouts < 0:
            raise Misfit("rollouts")
        self._state, self._chance = played(self._puzzle, saved["path"]), chance_from(saved["chance"])
        self.keep(rollouts)
        return rollouts

    def look(self, rollouts: int) -> None:
        """So many rollouts."""
        self._search(self._state, self._tree, self._manner, self._room, self._chance, rollouts)

    def play(self) -> None:
        """The most visited move; what happens then is the puzzle's own chance."""
        self._rules.play(self._state, self._trees.most_visited(self._tree))
        self._trees.clear(self._tree)

    @property
    def over(self) -> bool:
        """Whether there is no move."""
        return not self._rules.moves(self._state, self._room)

    @property
    def solved(self) -> bool:
        """Whether the goal is reached."""
        return bool(self._rules.value(self._state) >= 1.0)

    @property
    def played(self) -> int:
        """Moves so far."""
        return int(self._state.tally[0])

    @property
    def score(self) -> float:
        """Points so far."""
        return float(self._rules.score(self._state))

    @property
    def solution(self) -> Moves:
        """The moves so far."""
        return Moves(self._rules.written(self._puzzle, self._state.path[: self.played].tolist()))
