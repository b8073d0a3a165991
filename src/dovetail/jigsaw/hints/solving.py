"""The assembler around hints: first as if places were not told, then once more with what is told in its places.

What is told of places may help or mislead the joining of islands. So there are several boards to go on from: one grown
around the pieces that are told, the first answer with those brought to their places, whichever way round it lies, and
an earlier answer, if parts of one are locked. The one that weighs most is annealed, and nothing told moves any more.
"""

from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...core.errors import BadInput
from ...core.puzzle import EMPTY, Placement
from ...core.solver import Clock, Outcome, Progress
from ..annealing import CLEARLY
from ..assembler import HOT, Effort, annealed
from ..assembly import Assembly
from ..board import Board
from ..candidates import Found
from ..poses import Fits
from ..puzzle import Jigsaw
from ..resuming import Keeping
from .laying import bound, settled
from .told import Group, Told, groups


class Hinted(NamedTuple):
    """How it ended, on which boards, around which groups of pieces."""

    outcome: Outcome
    assembly: Assembly
    groups: Sequence[Group]


def hinted(
    puzzle: Jigsaw, told: Told, seed: int, effort: Effort, clock: Clock, pool: Executor, keeping: Keeping
) -> Generator[Progress, None, Hinted]:
    """The answer that keeps to all hints."""
    known = keeping.known
    assert known is not None
    told = settled(puzzle, known.fits, told)
    fits = bound(puzzle, known.fits, told)
    free = groups(puzzle, replace(told, pins=()))
    assembly = Assembly(puzzle, fits, known.means, seed, len(HOT), free, len(told.neighbours))
    if keeping.first is None:
        if keeping.kept is None:
            yield from assembly.begun()
        outcome = yield from annealed(assembly, effort, clock, pool, following=keeping)
    else:  # all that was done in an earlier run
        assembly.load(assembly.saved(keeping.first))
        outcome = Outcome("complete", assembly.placement(), {"moves": 0, "log_odds": assembly.log_odds})
    if not told.pins:
        return Hinted(outcome, assembly, free)
    assert isinstance(outcome.solution, Placement)
    total, moves = assembly.total(), int(outcome.counters["moves"])
    placed, told_groups = _placed(puzzle, known, fits, told, outcome.solution, seed)
    laid, boards = placed.total(), assembly  # if all is in its place, there is nothing more to do
    if laid < total:
        begun, boards = placed.save(), placed
        keeping.first = assembly.save()[0]
        outcome = yield from annealed(placed, effort, clock, pool, moves, keeping)
        # pins show that what weighs most is not always right: of two boards about as heavy, the one nearer the first
        if placed.total() <= laid + CLEARLY:
            placed.load(begun)
    counters = {**outcome.counters, "log_odds": placed.log_odds}
    return Hinted(replace(outcome, solution=placed.placement(), counters=counters), boards, told_groups)


def _placed(
    puzzle: Jigsaw, known: Found, fits: Fits, told: Told, first: Placement, seed: int
) -> tuple[Assembly, Sequence[Group]]:
    """The heaviest board with all that is told in its place."""
    best: tuple[Assembly, Sequence[Group]] | None = None
    made: dict[tuple[int | None, ...], tuple[Assembly, Sequence[Group]]] = {}
    refused: BadInput | None = None
    for lying in _ways(puzzle, told, first):
        turned = _turned(puzzle, told, lying)
        turns = tuple(pin.turn for pin in turned.pins)
        if turns not in made:
            try:
                told_groups = groups(puzzle, turned)
            except BadInput as error:  # not in these turns
                refused = error
                continue
            assembly = Assembly(puzzle, fits, known.means, seed, len(HOT), told_groups, len(told.neighbours))
            made[turns] = assembly, told_groups
            if assembly.framed and told.earlier is not None:
                assembly.adopt(told.earlier)
        if made[turns][0].framed:
            made[turns][0].adopt(lying)
        if best is None or made[turns][0].total() > best[0].total():
            best = made[turns]
    if best is None:
        assert refused is not None
        raise refused
    return best


def _ways(puzzle: Jigsaw, told: Told, first: Placement) -> Iterator[Placement]:
    """An answer as a whole in all the ways it may lie; without a frame, only as most of the pins ask for."""
    board = Board(np.array(first.pieces, np.int64), np.array(first.turns, np.int64))
    ways = [board.moved(motion) for motion in puzzle.turns]
    if puzzle.rows is None:
        ways = [max(ways, key=lambda way: _agreeing(told, way))]
    for way in ways:
        if puzzle.rows is None or way.pieces.shape == (puzzle.rows, puzzle.cols):
            yield Placement.from_flat(way.pieces.ravel().tolist(), way.turns.ravel().tolist(), way.pieces.shape[1])


def _agreeing(told: Told, board: Board) -> int:
    """Pins that lie to the first one as they should."""
    cells = {int(board.pieces[at]): at for at in zip(*np.nonzero(board.pieces != EMPTY), strict=True)}
    begin = told.pins[0]
    if begin.piece not in cells:
        return 0
    down, across = (int(at) for at in cells[begin.piece])
    return sum(
        pin.piece in cells
        and cells[pin.piece] == (down + pin.row - begin.row, across + pin.col - begin.col)
        and pin.turn in (None, int(board.turns[cells[pin.piece]]))
        for pin in told.pins
    )


def _turned(puzzle: Jigsaw, told: Told, lying: Placement) -> Told:
    """With a turn for every pin: where it is not told, the one that the piece has on a board."""
    if len(puzzle.turns) == 1:
        return told
    turns = {
        piece: turn
        for pieces, row in zip(lying.pieces, lying.turns, strict=True)
        for piece, turn in zip(pieces, row, strict=True)
    }
    pins = [pin if pin.turn is not None else replace(pin, turn=turns.get(pin.piece, 0)) for pin in told.pins]
    return replace(told, pins=tuple(pins))
