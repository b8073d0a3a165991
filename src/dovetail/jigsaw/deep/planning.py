"""Puzzles played to their end: planned by tree search, or greedily by P or V alone; each in one order, or in many.

Of several orders V chooses the board that it values most. (The paper's best of N attempts, in its table 10, is chosen
by the truth: ``Attempts.right`` says what that would give, and what the worst.)
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import BadInput
from ...core.puzzle import EMPTY
from ...core.state import Misfit, State, fields, within
from ...search.planning import DECISIONS, PER_MOVE, Planner
from ...search.puct import RULES, Leaves, Manner
from ...search.tree import NONE
from .game import Game, Judging, Play, linked_orders, new_game, orders
from .rendering import Canvas, ImageJudge, Policy, Value
from .tables import Tables

Board = tuple[int, ...]
Judge = Callable[[Game, Leaves], tuple[NDArray[np.float64], NDArray[np.float64]]]
WAYS = ("search", "policy", "value")
ANSWERS = ("played", "seen")
KEPT = ("best", "best_board")  # of a game, what changes
TOGETHER = 64  # plays that are judged by tables, whose trees are held at the same time


@dataclass(frozen=True)
class Planning:
    """How puzzles are played; unless told otherwise, as in the paper (table 1)."""

    way: str = "search"  # or greedily, by "policy" or by "value", one look ahead
    visits: int = PER_MOVE  # for each move
    selection: str = "puct"  # or "uct", "single", "mixed"; see puct.RULES
    exploration: float = 1.0  # C
    weight: float | None = None  # of the highest value: W of "single", lambda of the others; None: as in RULES
    unseen: float = 0.0  # what PUCT takes an unvisited move for; if negative, for as good as the board it begins at
    decision: str = "visits"  # or "value", "best": by what a move is chosen
    keep: bool = True  # the tree below the move that is made
    exhaust: bool = False  # whole boards are looked at once only
    answer: str = "played"  # the board that was played, or the best whole one "seen" on the way
    orders: int = 1  # in which each puzzle is played
    linked: bool = False  # orders as the tables suggest, not by chance
    judging: Judging = field(default_factory=Judging)
    batch: int = 256  # leaves evaluated together, where it is not the tables that judge
    each: int = 1  # of these, from one play

    def __post_init__(self) -> None:
        for name, choices in (("way", WAYS), ("selection", RULES), ("decision", DECISIONS), ("answer", ANSWERS)):
            if getattr(self, name) not in choices:
                raise BadInput(f"{name} is one of {', '.join(choices)}, not {str(getattr(self, name))[:40]!r}")
        for name in ("visits", "orders", "batch", "each"):
            if getattr(self, name) < 1:
                raise BadInput(f"{name} is at least 1, not {getattr(self, name)}")

    @property
    def manner(self) -> Manner:
        """The same for the tree."""
        rule = RULES[self.selection]
        if self.weight is not None:
            single = self.selection == "single"
            rule = rule._replace(bonus=self.weight) if single else rule._replace(top=self.weight)
        return rule._replace(exploration=self.exploration, unseen=self.unseen, exhaust=self.exhaust)


# what we found to come to the best boards where tables judge
STRONG = Planning(exploration=0.3, unseen=-1.0, decision="best", exhaust=True, answer="seen", orders=4, linked=True)


@dataclass(frozen=True)
class Attempts:
    """What came out of one puzzle, an attempt for each order."""

    boards: NDArray[np.int32]  # [orders, cells]: the patch of each cell, EMPTY where there is none
    values: NDArray[np.float64]  # [orders]: what V says of them
    orders: NDArray[np.int32]  # [orders, steps]: the patches as they came, then EMPTY

    @property
    def chosen(self) -> int:
        """The attempt that V likes best; of equals the first."""
        return int(self.values.argmax())

    @property
    def board(self) -> Board:
        """The answer."""
        return tuple(self.boards[self.chosen].tolist())

    def states(self, attempt: int) -> NDArray[np.int32]:
        """The boards [steps + 1, cells] that came one after the other: what networks are tuned on (3.3.4)."""
        order = self.orders[attempt][self.orders[attempt] != EMPTY]
        board = self.boards[attempt]
        step = {int(patch): number for number, patch in enumerate(order)}
        when = np.array([step.get(int(patch), -1) for patch in board])  # hints before the first step
        return np.where(when < np.arange(len(order) + 1)[:, None], board, EMPTY).astype(np.int32)

    def right(self, solution: Sequence[int]) -> NDArray[np.float64]:
        """The share of cells in which each attempt agrees with the truth: the highest is the best of N attempts."""
        return np.asarray((self.boards == np.asarray(solution)).mean(axis=1))


class Playing:
    """Plays of one game that go on together, a move at a time. Without a judge, the game's tables judge, compiled."""

    def __init__(self, game: Game, planning: Planning, judge: Judge | None = None) -> None:
        from .game_kernels import COMPILED, judge_by_tables

        if judge is None and not len(game.right):
            raise BadInput("a game without tables needs somebody to judge its boards")
        self.game, self.planning = game, planning
        self._compiled, self._judge = judge is None, judge or judge_by_tables
        self._planner = Planner(game, COMPILED, len(game.length), game.steps, game.cells, planning.manner)

    @property
    def over(self) -> bool:
        """Whether all have come to their end."""
        return bool((self._planner.forest.played >= self.game.length).all())

    @property
    def visits(self) -> int:
        """Made so far, of all plays together."""
        return self._planner.visits

    @property
    def boards(self) -> NDArray[np.int32]:
        """As they are now; or the best whole ones seen, if these are to be the answer. [plays, cells]"""
        forest, game = self._planner.forest, self.game
        played = game.boards(np.arange(len(forest.root)), forest.path, forest.played)
        seen = (game.best > -np.inf) & (self.planning.answer == "seen")
        return np.where(seen[:, None], game.best_board, played)

    def state(self) -> State:
        """Where they are, for ``take_up``."""
        return {"planner": self._planner.state(), **{name: getattr(self.game, name).copy() for name in KEPT}}

    def take_up(self, state: Any) -> None:
        """Go on where plays of the same game were."""
        values = fields(state, ("planner", *KEPT))
        for name in KEPT:
            there, value = getattr(self.game, name), values[name]
            if not isinstance(value, np.ndarray) or value.dtype != there.dtype or value.shape != there.shape:
                raise Misfit(name)
            there[:] = value
        within(self.game.best_board, EMPTY, max(int(self.game.order.max()), int(self.game.start.max())), "patches")
        self._planner.take_up(values["planner"])

    def advance(self) -> None:
        """The next move of every play that is not over."""
        if self.planning.way == "search":
            self.visit(self.planning.visits)
        self.move()

    def visit(self, visits: int) -> None:
        """So many visits to every play that is not over, for those who have to look at the clock between moves."""
        planner, planning = self._planner, self.planning
        if self._compiled:
            planner.visit(visits)
        else:
            planner.visit_with(partial(self._judge, self.game), visits, planning.batch, planning.each)

    def move(self) -> None:
        """The move that the visits speak for, or that P or V likes best by itself."""
        if self.planning.way == "search":
            self._planner.move(self.planning.decision, self.planning.keep)
        else:
            self._step_greedily()

    def _step_greedily(self) -> None:
        """The likeliest cell by P, or the one that V values most; of equals the first."""
        forest, game = self._planner.forest, self.game
        going = np.flatnonzero(forest.played < game.length)
        here = leaves_at(game, going, forest.path[going], forest.played[going])
        worths = np.full((len(going), game.cells), -np.inf)
        which, move = np.nonzero(np.arange(game.cells) < here.number[:, None])
        cells = here.moves[which, move]
        if self.planning.way == "policy":
            priors, _ = self._judge(game, here)
            worths[which, cells] = priors[which, cells]
        else:
            paths = here.path[which]
            paths[np.arange(len(which)), here.played[which]] = cells
            _, values = self._judge(game, leaves_at(game, going[which], paths, here.played[which] + 1))
            worths[which, cells] = values
        forest.path[going, forest.played[going]] = worths.argmax(axis=1)
        forest.played[going] += 1

    def values(self) -> NDArray[np.float64]:
        """What V says of the boards at the end, whoever rewarded the search. [plays]"""
        game, boards = self.game, self.boards
        laid_in = np.where(game.order[:, :, None] == boards[:, None, :], np.arange(game.cells), 0).max(axis=2)
        paths = np.append(laid_in, np.full((len(boards), 1), EMPTY), axis=1).astype(np.int32)
        judged = game._replace(judging=game.judging._replace(truth=False))
        return self._judge(judged, leaves_at(judged, np.arange(len(boards)), paths, game.length))[1]


def leaves_at(game: Game, plays: NDArray[Any], paths: NDArray[np.int32], played: NDArray[Any]) -> Leaves:
    """These plays after so many cells of each path, as a judge is shown them."""
    laid = game.boards(plays, paths, played)
    empty = (laid == EMPTY) & (played < game.length[plays])[:, None]
    moves = np.argsort(~empty, axis=1, kind="stable").astype(np.int32)  # the empty cells first
    nodes = np.full(len(plays), NONE, np.int32)
    return Leaves(
        plays.astype(np.int32), nodes, paths, played.astype(np.int32), moves, empty.sum(axis=1, dtype=np.int32)
    )


def playing_tables(
    tables: Sequence[Tables],
    rows: int,
    cols: int,
    planning: Planning,
    seed: int = 0,
    hints: Sequence[Mapping[int, int]] | None = None,
    solutions: Sequence[Board] | None = None,
) -> Playing:
    """Puzzles that are known by their tables, before the first move.

    ``hints``: for each puzzle, the cells of patches that are known. ``solutions``: only where the truth rewards.
    """
    plays: list[Play] = []
    for number, table in enumerate(tables):
        known, solution = _of(hints, number, {}), _of(solutions, number, None)
        some = linked_orders if planning.linked else _by_chance
        plays += (Play(number, order, known, solution) for order in some(table, planning.orders, seed + number, known))
    return Playing(new_game(rows, cols, plays, tables, planning.judging), planning)


def play_tables(
    tables: Sequence[Tables],
    rows: int,
    cols: int,
    planning: Planning | None = None,
    seed: int = 0,
    hints: Sequence[Mapping[int, int]] | None = None,
    solutions: Sequence[Board] | None = None,
) -> Iterator[Attempts]:
    """Play them to the end, some at a time; what came out of each, in their order."""
    planning = planning or Planning()
    step = max(1, TOGETHER // planning.orders)
    for begin in range(0, len(tables), step):
        part = slice(begin, begin + step)
        known, truth = hints and hints[part], solutions and solutions[part]
        yield from finished(playing_tables(tables[part], rows, cols, planning, seed + begin, known, truth))


def play_images(
    patches: NDArray[np.uint8],
    rows: int,
    cols: int,
    gap: int,
    policy: Policy,
    value: Value,
    planning: Planning | None = None,
    seed: int = 0,
    hints: Sequence[Mapping[int, int]] | None = None,
    solutions: Sequence[Board] | None = None,
) -> Iterator[Attempts]:
    """The same for puzzles that networks look at: patches [puzzles, n, side, side, 3]; enough at a time for a batch."""
    planning = planning or Planning()
    if planning.linked:
        raise BadInput("there are no tables that could suggest an order: say linked=False")
    canvas = Canvas(patches, rows, cols, gap, planning.batch)
    judge = ImageJudge(canvas, policy, value)
    step = max(1, planning.batch // planning.each // planning.orders)
    for begin in range(0, len(patches), step):
        plays = []
        for puzzle in range(begin, min(begin + step, len(patches))):
            known, solution = _of(hints, puzzle, {}), _of(solutions, puzzle, None)
            for order in orders(patches.shape[1], planning.orders, seed + puzzle, known):
                plays.append(Play(puzzle, order, known, solution))
        yield from finished(Playing(new_game(rows, cols, plays, (), planning.judging), planning, judge))


def finished(playing: Playing) -> Iterator[Attempts]:
    """Play to the end; the attempts of one puzzle after the other."""
    while not playing.over:
        playing.advance()
    boards, values = playing.boards, playing.values()
    for puzzle in np.unique(playing.game.puzzle):
        own = playing.game.puzzle == puzzle
        yield Attempts(boards[own], values[own], playing.game.order[own])


def _by_chance(tables: Tables, number: int, seed: int, hints: Mapping[int, int]) -> list[tuple[int, ...]]:
    return orders(tables.count, number, seed, hints)


def _of(some: Sequence[Any] | None, number: int, otherwise: Any) -> Any:
    return otherwise if some is None else some[number]
