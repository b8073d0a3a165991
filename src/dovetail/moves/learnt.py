"""The solver `learnt-expectimax`: games of chance by looking a few moves ahead with a value function that was learnt.

The value functions were learnt by temporal differences (2048: tuples.py). Kiarostami et al. 2021 advise against tree
search where chance takes part; this is what to use there instead.
"""

import importlib
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..core.errors import Refused
from ..core.memory import MB
from ..core.puzzle import Moves, Puzzle
from ..core.settings import setting
from ..core.solver import Clock, Fit, Outcome, Progress, Run, Solver, Status
from ..core.state import Misfit, State, fields
from .games.twenty48 import Game2048
from .kind import MovesPuzzle

SLICE_S = 0.05  # aim of one slice of work


class Depths(NamedTuple):
    """How many moves it looks ahead in a game: a millisecond or less for each move, and the most that makes sense."""

    usual: int
    most: int


TAUGHT = {"2048": Depths(3, 4), "tetris": Depths(2, 3)}


@dataclass(frozen=True)
class Settings:
    """How far to look."""

    depth: int | None = setting(
        None, "moves to look ahead, 1 is the next one only; usually 3 in 2048, 2 in tetris", least=1
    )


class Learnt(Solver):
    """See the module text."""

    name = "learnt-expectimax"
    family = "moves"
    title = "looking a few moves ahead with a value function learnt by temporal differences"
    accepts_text = "2048 (4x4), tetris"
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Games it was taught."""
        if not isinstance(puzzle, MovesPuzzle) or puzzle.kind not in TAUGHT:
            return Fit(False, f"it was taught {' and '.join(TAUGHT)}, and this is a {puzzle.kind} puzzle")
        if isinstance(puzzle, Game2048) and puzzle.size != "4x4":
            return Fit(False, f"it was taught 2048 on 4x4 boards, and this one is {puzzle.size}")
        return Fit(True, "where chance takes part, a learnt value function sees further than tree search", 1.0)

    def check_settings(self, puzzle: Puzzle, settings: Settings) -> None:
        """One move further takes some hundred times longer in some games."""
        most = TAUGHT[puzzle.kind].most
        if settings.depth is not None and settings.depth > most:
            raise Refused(f"in {puzzle.kind} it looks {most} moves ahead at most, not {settings.depth}")

    def resumes(self, settings: Settings) -> bool:
        """Always."""
        return True

    def memory_mb(self, puzzle: Puzzle, settings: Settings) -> float | None:
        """Of 2048, four tables of 2^24 entries, which take as much again while they are unpacked."""
        return 190 + 4 * 2**24 * (2 + 1.5) / MB if isinstance(puzzle, Game2048) else None

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Compile, and load what was learnt, for a move of a play that is then forgotten."""
        from ..search.chance import seeded

        rules = _rules(puzzle)
        rules.play_on(rules.state(puzzle), rules.weights(), _depth(puzzle, settings), seeded(0), 1)

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """One play, move by move: what chance brings is known only after the move."""
        from ..search.chance import seeded

        rules = _rules(puzzle)
        state, weights, chance = rules.state(puzzle), rules.weights(), seeded(seed)
        depth = _depth(puzzle, settings)
        slice_, over = 1, False
        if clock.kept is not None:
            state, chance, over = _taken_up(puzzle, clock.kept)

        def where() -> State:
            return {"path": state.path[: state.tally[0]].copy(), "chance": chance.copy(), "over": over}

        clock.keep(where)
        while not (over or clock.expired):
            begin = time.perf_counter()
            allowed = clock.allowance(slice_)
            made = int(rules.play_on(state, weights, depth, chance, allowed))
            clock.spend(made)
            over = made < allowed
            took = time.perf_counter() - begin
            slice_ = max(1, min(4096, int(slice_ * min(2.0, SLICE_S / max(took, 1e-6)))))
            score = float(rules.score(state))
            yield Progress(clock.steps, "moves", score, None, "score", solution=_moves(rules, puzzle, state))
        won = rules.value(state) >= 1.0
        status: Status = "complete" if won else "partial" if over else "out_of_budget"
        counters = {"moves": int(state.tally[0]), "score": float(rules.score(state))}
        return Outcome(status, _moves(rules, puzzle, state), counters)


def _taken_up(puzzle: Puzzle, kept: Any) -> tuple[Any, Any, bool]:
    """The game where an earlier run was, its random numbers, and whether it is over."""
    from .replaying import chance_from, played

    assert isinstance(puzzle, MovesPuzzle)
    saved = fields(kept, ("path", "chance", "over"))
    if type(saved["over"]) is not bool:
        raise Misfit("over")
    return played(puzzle, saved["path"]), chance_from(saved["chance"]), saved["over"]


def _depth(puzzle: Puzzle, settings: Settings) -> int:
    return settings.depth or TAUGHT[puzzle.kind].usual


def _rules(puzzle: Puzzle) -> Any:
    assert isinstance(puzzle, MovesPuzzle)
    return importlib.import_module(puzzle.rules)


def _moves(rules: Any, puzzle: Puzzle, state: Any) -> Moves:
    return Moves(rules.written(puzzle, state.path[: state.tally[0]].tolist()))
