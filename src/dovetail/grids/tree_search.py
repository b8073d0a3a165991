"""One tree search through a model, in slices: the state behind the `mcts` solvers."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.state import Misfit, State, fields, restore, taken, within
from ..search import mcts
from ..search.chance import seeded
from ..search.saving import tree_from, tree_state
from ..search.tree import NONE, clear, tree
from .compiled import compiled
from .kernels import plays, propagate, steps
from .kernels.state import TRAIL, keep
from .model import Loop, Model, Paths, Runs
from .saving import narrowed

if TYPE_CHECKING:
    from .mcts import Standard

NODES = 300_000  # room of the tree; when it is full it begins anew, with more patience
SLICE_S = 0.05  # aim of one slice of work
# what is played step by step, by the constraint that says how a step looks
STEPS = {Loop: steps.search_loop, Paths: steps.search_paths, Runs: steps.search_lines}
FACTS = 16  # rollouts after which the root is looked at, however long they take
AHEAD_RUNS = 3_000  # constraint runs of looking ahead between two looks at the clock


class TreeSearch:
    """``work`` does some rollouts; ``solved`` and ``exhausted`` say how it stands, ``answer`` the best play so far."""

    kept = (
        "rollouts", "nodes", "solved", "exhausted", "_looking", "_where", "_chance", "_best", "_backtracks",
    )  # fmt: skip

    def __init__(self, model: Model, settings: "Standard", seed: int) -> None:
        self.model, self.settings = model, settings
        self.rollouts, self.nodes, self.slice = 0, 0, 16
        self.solved = False
        structure, state = compiled(model)
        variables, constraints = len(model.domains), len(model.constraints)
        self.exhausted = any(not domain for domain in model.domains)
        if settings.accurate and not self.exhausted:
            self.exhausted = not propagate.begin(structure, state)
        # looking ahead is part of the search: ``work`` does it in slices
        self._looking = settings.ahead and settings.accurate
        self._where = np.zeros(2, np.int64)  # how far it came
        by_steps = next((STEPS[type(c)] for c in model.constraints if type(c) in STEPS), None)
        self._search = by_steps if settings.steps and by_steps is not None else plays.search_model
        # a step may be any edge of a graph that has no line yet
        widest = variables if settings.steps else max(map(len, model.domains), default=0)
        most = 2 * variables + 1  # moves of a play; half of them, but for a tree from a file that nobody made
        flags = np.array([settings.accurate, settings.fast, settings.order == "during"], np.uint8)
        order = np.array(_order(model, settings.order, settings.accurate), np.int32)
        self._play = plays.Play(
            structure, state, flags, np.array([0, 0, model.answers, constraints], np.int64), state.dom.copy(), order,
            np.zeros(most, np.int64), np.zeros(most, np.int64), np.full(variables, -1, np.int64),
            np.zeros(constraints, np.int32), np.zeros(constraints, np.uint8),
        )  # fmt: skip
        plays.begin(self._play)
        self._tree = tree(NODES)
        self._room = np.zeros((most + 1, widest + 1), np.int64)
        self._chance, self._best = seeded(seed), np.full(1, -1.0)
        self._backtracks = settings.backtracks
        self.answer: tuple[int | None, ...] = (None,) * variables

    def state(self) -> State:
        """Where it is, for ``take_up``: between two rollouts."""
        domains = self._play.state.dom if self._looking else self._play.root
        return {
            **taken(self, self.kept), "answer": [*self.answer], "domains": domains.copy(),
            "score": self._play.state.score.copy(), "tree": tree_state(self._tree),
        }  # fmt: skip

    def take_up(self, state: Any) -> None:
        """Go on where a search of the same model, settings and seed was."""
        saved = fields(state, (*self.kept, "answer", "domains", "score", "tree"))
        restore(self, self.kept, {name: saved[name] for name in self.kept})
        play, variables = self._play, len(self.model.domains)
        if self._where.shape != (2,) or self._chance.shape != (1,) or self._best.shape != (1,):
            raise Misfit("sizes")
        within(self._where[:1], 0, max(0, variables - 1), "variables")
        within(self._where[1:], 0, variables, "variables")
        within([self._backtracks], 0, 2**31, "backtracks")
        answer = saved["answer"]
        if not isinstance(answer, list) or len(answer) != variables:
            raise Misfit("answer")
        if not all(value is None or (type(value) is int and 0 <= value < 64) for value in answer):
            raise Misfit("answer")
        self.answer = tuple(answer)
        narrowed(play.state, compiled(self.model)[1].dom, saved["domains"], saved["score"])
        play.root[:] = play.state.dom
        play.state.tally[TRAIL] = 0
        self._tree = tree_from(saved["tree"], self._tree, NODES)
        self._check_moves()

    def _check_moves(self) -> None:
        """Each sets another variable; where nothing is validated, the next in order."""
        tree_, used = self._tree, int(self._tree.used[0])
        if (tree_.twin[:used] != np.arange(used)).any() or tree_.root.any():
            raise Misfit("twins")
        above: list[tuple[int, ...]] = [()] * used  # variables set before
        for node in np.flatnonzero(tree_.first[:used] != NONE).tolist():
            before = above[node]
            for child in range(int(tree_.first[node]), int(tree_.first[node] + tree_.count[node])):
                variable, value = divmod(int(tree_.move[child]), 64)
                if tree_.parent[child] != node or variable in before or not 0 <= variable < len(self._play.root):
                    raise Misfit("moves")
                if not self.settings.accurate:
                    expected = self._play.order[len(before)] if len(before) < len(self._play.order) else -1
                    if variable != expected or value not in self.model.domains[variable]:
                        raise Misfit("moves")
                above[child] = (*before, variable)

    @property
    def looking(self) -> bool:
        """Whether its next slice is one of looking ahead."""
        return self._looking and not (self.solved or self.exhausted)

    @property
    def satisfied(self) -> int:
        """Constraints satisfied by the best play."""
        return round(max(0.0, float(self._best[0])) * len(self.model.constraints))

    def work(self, rollouts: int) -> Iterator[None]:
        """So many rollouts, or fewer if that settles it; yields between short slices."""
        until = self.rollouts + rollouts
        while self.rollouts < until and not (self.solved or self.exhausted):
            if self._looking:
                self._look_ahead()
                yield
                continue
            manner = mcts.Manner(self.settings.exploration, self.settings.reliable, self._backtracks)
            begin = time.perf_counter()
            before = float(self._best[0])
            most = min(self.slice, until - self.rollouts)
            if self.settings.reliable:
                most = min(most, FACTS - self.rollouts % FACTS)
            why, made = self._search(self._play, self._tree, manner, self._room, self._chance, self._best, most)
            self.rollouts += made
            if better := self._best[0] > before:
                self.answer = tuple(None if v < 0 else int(v) for v in self._play.values)
            elif why == mcts.SPENT:
                took = time.perf_counter() - begin
                self.slice = max(1, min(4096, int(self.slice * min(2.0, SLICE_S / max(took, 1e-6)))))
            self.solved = why == mcts.SOLVED
            self.exhausted = why == mcts.EXHAUSTED
            self.nodes = max(self.nodes, int(self._tree.used[0]))
            if why == mcts.FULL:
                self._backtracks *= 2
                clear(self._tree)
            elif self.settings.reliable and (better or self.rollouts % FACTS == 0):
                self._root_facts()
            yield

    def _look_ahead(self) -> None:
        """A slice of it, at the root, where what is found holds for good."""
        play = self._play
        possible, done = propagate.look_ahead(play.structure, play.state, self._where, AHEAD_RUNS)
        self.exhausted = not possible
        if done:
            self._looking = False
            self._settle_root()

    def _settle_root(self) -> None:
        """What is known now is where every play begins."""
        play = self._play
        play.root[:] = play.state.dom
        play.state.tally[TRAIL] = 0  # nothing before this can be taken back
        clear(self._tree)

    def _root_facts(self) -> None:
        """A dead child of the root is a value ruled out for good."""
        tree_, play = self._tree, self._play
        if self.solved or self.exhausted or tree_.first[0] == NONE:
            return
        children = range(int(tree_.first[0]), int(tree_.first[0] + tree_.count[0]))
        dead = [int(tree_.move[child]) for child in children if tree_.dead[child]]
        if not dead:
            return
        plays.back(play, 0)
        for move in dead:  # by steps too: a step that leads nowhere is a value that is not right
            allowed = ~(np.uint64(1) << np.uint64(move & 63))
            if not keep(play.structure, play.state, move >> 6, allowed):
                self.exhausted = True
                return
        self.exhausted = not propagate.propagate(play.structure, play.state)
        if not self.exhausted:
            self._settle_root()
            self._looking = self.settings.ahead
            self._where[:] = 0


def _order(model: Model, order: str, accurate: bool) -> list[int]:
    """The variables to decide, in order: as declared, or with few values and many constraints first (3.3.1)."""
    degree = [0] * len(model.domains)
    for constraint in model.constraints:
        for variable in constraint.scope:
            degree[variable] += 1
    variables = [v for v, domain in enumerate(model.domains) if accurate or len(domain) > 1]
    if order == "fixed":
        return variables
    return sorted(variables, key=lambda v: (len(model.domains[v]), -degree[v], v))
