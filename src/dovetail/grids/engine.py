"""The compiled engine behind `depth-first`: propagation, looking ahead, depth-first search; exact and resumable."""

from typing import Any

import numpy as np

from ..core.state import Misfit, State, fields, restore, taken, within
from ..search.chance import seeded
from .compiled import compiled
from .kernels import depth_first, propagate
from .kernels.state import RUNS_MADE, TRAIL
from .model import Model
from .saving import check_trail, narrowed

SLICE = 20_000  # constraints run between two looks at the clock: some hundredths of a second


class Search:
    """One search through a model: ``advance`` it until it is ``exhausted``; ``answer`` holds the last one found."""

    kept = ("answers", "exhausted", "_depth", "_found", "_where", "_chance")
    kept_domains = ("dom", "score", "trail_var", "trail_dom")
    kept_decisions = ("_variable", "_left", "_mark")

    def __init__(self, model: Model, seed: int = 0) -> None:
        self.model = model
        self.structure, self.state = compiled(model)
        variables = len(model.domains)
        self._variable = np.zeros(variables + 1, np.int64)
        self._left = np.zeros(variables + 1, np.uint64)
        self._mark = np.zeros(variables + 1, np.int64)
        self._chance = seeded(seed) if seed else np.zeros(1, np.uint64)  # nothing: values in their order
        self._depth, self._found = 0, False
        self._where = np.zeros(2, np.int64)  # how far looking ahead came
        self.answers = 0
        self.answer: tuple[int, ...] | None = None
        self.exhausted = not propagate.begin(self.structure, self.state)

    @property
    def runs(self) -> int:
        """Constraints run so far: what a search costs."""
        return int(self.state.tally[RUNS_MADE])

    @property
    def decided(self) -> int:
        """How many variables have one value left."""
        dom = self.state.dom
        return int(np.count_nonzero((dom & (dom - np.uint64(1))) == 0))

    def saved(self) -> State:
        """Where it is, for ``take_up``: nothing is queued between two calls."""
        state, used = self.state, int(self.state.tally[TRAIL])
        return {
            **taken(self, self.kept), "runs": self.runs, "dom": state.dom.copy(), "score": state.score.copy(),
            "trail_var": state.trail_var[:used].copy(), "trail_dom": state.trail_dom[:used].copy(),
            **{name: getattr(self, name)[: self._depth].copy() for name in self.kept_decisions},
        }  # fmt: skip

    def take_up(self, state: Any) -> None:
        """Go on where a search of the same model and seed was."""
        saved = fields(state, (*self.kept, "runs", *self.kept_domains, *self.kept_decisions))
        begun, variables = compiled(self.model)[1].dom, len(self.state.dom)
        restore(self, self.kept, {name: saved[name] for name in self.kept})
        if self._where.shape != (2,) or self._chance.shape != (1,) or type(saved["runs"]) is not int:
            raise Misfit("sizes")
        self.state.tally[:] = 0
        self.state.tally[RUNS_MADE] = saved["runs"]
        narrowed(self.state, begun, saved["dom"], saved["score"])
        self.state.tally[TRAIL] = check_trail(self.state, begun, saved["trail_var"], saved["trail_dom"])
        within([self._depth], 0, variables, "depth")
        within(self._where[:1], 0, max(0, variables - 1), "variables")
        within(self._where[1:], 0, variables, "variables")
        self._take_decisions(*(saved[name] for name in self.kept_decisions))

    def _take_decisions(self, variable: Any, left: Any, mark: Any) -> None:
        """Each is of another variable, which has one value by now: so there are never more than variables."""
        depth = self._depth
        pairs = ((self._variable, variable), (self._left, left), (self._mark, mark))
        if any(not isinstance(new, np.ndarray) or new.dtype != old.dtype for old, new in pairs):
            raise Misfit("decisions")
        if any(new.shape != (depth,) for _, new in pairs):
            raise Misfit("decisions")
        for old, new in pairs:
            old[:depth] = new
        within(variable, 0, len(self.state.dom) - 1, "variables")
        within(np.diff([0, *mark.tolist(), int(self.state.tally[TRAIL])]), 0, 2**62, "decisions")
        if len(np.unique(variable)) < depth or not _all_single(self.state.dom[variable]):
            raise Misfit("decisions")

    def look_ahead(self, budget: int) -> bool:
        """Before searching, try every value of every variable; False as long as that is not finished."""
        possible, done = propagate.look_ahead(self.structure, self.state, self._where, budget)
        self.exhausted = not possible
        return bool(done) or self.exhausted

    def advance(self, budget: int) -> bool:
        """Search on for so many constraint runs; True if an answer was found, which is then in ``answer``."""
        if self.exhausted:
            return False
        why, self._depth = depth_first.search(
            self.structure, self.state, self.model.answers, self._variable, self._left, self._mark, self._depth,
            self._found, budget, self._chance,
        )  # fmt: skip
        self._found = why == depth_first.FOUND
        self.exhausted = why == depth_first.EXHAUSTED
        if self._found:
            self.answers += 1
            self.answer = values(self.state.dom)[: self.model.answers]
        return self._found


def values(dom: Any) -> tuple[int, ...]:
    """The values of domains that have one each."""
    return tuple(int(word).bit_length() - 1 for word in dom.tolist())


def answers(model: Model, limit: int = 2, seed: int = 0) -> list[tuple[int, ...]]:
    """Up to ``limit`` different answers, exactly as many as there are; with a seed in random order."""
    search = Search(model, seed)
    found = _found(search, limit, SLICE)
    if search.exhausted or len(found) >= limit:
        return found
    search = Search(model, seed)  # not that easy: looking ahead first pays, for one who is at the root
    while not search.look_ahead(SLICE):
        pass
    return _found(search, limit, None)


def _found(search: Search, limit: int, budget: int | None) -> list[tuple[int, ...]]:
    """Answers, until there are no more, or so many, or the search has cost so much."""
    found: list[tuple[int, ...]] = []
    while not search.exhausted and len(found) < limit and (budget is None or search.runs < budget):
        if search.advance(SLICE):
            assert search.answer is not None
            found.append(search.answer)
    return found


def grade(model: Model, most: int = 2) -> int:
    """How hard: 0 propagation alone solves it, 1 looking one value ahead does, 2 it needs a guess.

    Whoever asks only whether it is at most ``most`` gets ``most + 1`` as soon as it is more.
    """
    structure, state = compiled(model)
    shown = model.answers
    if not propagate.begin(structure, state) or _all_single(state.dom[:shown]):
        return 0
    if most == 0:
        return 1
    propagate.look_ahead(structure, state, np.zeros(2, np.int64), np.iinfo(np.int64).max // 2)
    return 1 if _all_single(state.dom[:shown]) else 2


def _all_single(dom: Any) -> bool:
    return bool(np.all((dom & (dom - np.uint64(1))) == 0))
