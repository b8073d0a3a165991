"""Where the assembler is, to be saved and taken up again: what it knows of edges, and where its annealing is.

What is known of edges is saved as it is: at 22,755 pieces 35 MB in 0.1 s, which took 50 s of a core to find out.
Islands are joined anew, which takes 2 s there; then boards and random numbers are put back.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.solver import Clock
from ..core.state import Misfit, State, fields, restore, taken, within
from .candidates import Found, fits_of
from .driving import Following
from .poses import PERIOD, VOID
from .puzzle import Jigsaw

if TYPE_CHECKING:
    from .assembly import Assembly
    from .boards import Boards
    from .coarse import Coarse

HEAVIEST = 1 << 26  # weight: more than any edge has
BRIGHTEST = 1e6  # of mean colours
LARGEST = 1 << 60  # of any total


class Keeping(Following):
    """What a run tells its clock, and what it goes on from; what is followed is annealing."""

    def __init__(self, clock: Clock, puzzle: Jigsaw) -> None:
        super().__init__(None)
        self._clock = clock
        self.known: Found | None = None
        self.first: NDArray[np.int32] | None = None  # with hints: the board that was found without places
        if clock.kept is not None:
            kept = fields(clock.kept, ("known", "first", "rounds"))
            super().__init__(kept["rounds"])
            self.first = kept["first"]
            self.know(_known(puzzle, kept["known"]))

    def know(self, known: Found) -> None:
        """From now on there is something to save."""
        self.known = known
        self._clock.keep(self.state)

    def now(self) -> State:
        """Where the run is."""
        assert self.known is not None
        fits, means, on_grid, worn = self.known
        known = {"edges": fits.edges, "weights": fits.weights, "lies": fits.lies, "means": means}
        known |= {"on_grid": on_grid, "worn": worn}
        return {"known": known, "first": self.first, "rounds": super().now()}


def _known(puzzle: Jigsaw, kept: Any) -> Found:
    """What is known of edges, if every number can be one of this puzzle's."""
    values = fields(kept, ("edges", "weights", "lies", "means", "on_grid", "worn"))
    edges, weights, lies, means, on_grid, worn = values.values()
    count = 4 * puzzle.sides * puzzle.count
    for name, dtype, shape in (("edges", np.int32, (count, -1)), ("weights", np.int32, (count, -1)),
                               ("means", np.float32, (count, -1, 3))):  # fmt: skip
        array = values[name]
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != len(shape) or not array.size:
            raise Misfit(name)
        if any(side not in (-1, there) for side, there in zip(shape, array.shape, strict=True)):
            raise Misfit(name)
    if edges.shape != weights.shape or type(on_grid) is not bool or type(worn) is not bool:
        raise Misfit("edges")
    within(edges, VOID, count - 1, "edges")
    within(weights, -HEAVIEST, HEAVIEST, "weights")
    if (
        not isinstance(lies, np.ndarray)
        or lies.dtype != np.int16
        or lies.shape not in ((0, 2, PERIOD), (count, 2, PERIOD))
    ):
        raise Misfit("lies")
    within(means, -BRIGHTEST, BRIGHTEST, "colours")
    return Found(fits_of(puzzle, edges, weights, lies), means, on_grid, worn)


class Rounds:
    """Where annealing is: in a round of so many moves, after so many slices of it."""

    kept = ("moves", "rounds", "vain", "wanted", "cuts", "number", "best", "before", "totals")

    def __init__(self, assembly: "Assembly", moves: int) -> None:
        self._assembly = assembly
        self.moves = moves  # in all
        self.rounds = 0  # that are over
        self.vain = 0  # of these that brought nothing, of late
        self.wanted = 0  # moves of pieces in this round; 0 between two
        self.cuts, self.number = 0, 0  # sizes of squares that are done; slices of the next, or of pieces
        self.coarse: Coarse | None = None  # squares that are changing places
        self.best, self.board = assembly.total(), assembly.save()
        self.before = self.best  # this round
        self.totals = [self.best] * len(assembly.chains)

    def begin(self, wanted: int) -> None:
        """A round of so many moves."""
        self.wanted = wanted
        self.before, self.totals = self.best, [self.best] * len(self.totals)

    def boards(self) -> Iterator["Boards"]:
        """What is annealed in the rest of a round: squares, small ones first, if they help, and then pieces."""
        sizes = self._assembly.squares
        while self.cuts < len(sizes):
            coarse = self.coarse or self._assembly.cut(sizes[self.cuts])
            if self.coarse or coarse.doubtful:
                self.coarse = coarse
                yield coarse
                self._rearrange(coarse)
            self.coarse, self.number = None, 0
            self.cuts += 1
        yield self._assembly

    def note(self, moves: int, changes: Sequence[int]) -> None:
        """Another slice is done."""
        self.moves += moves
        self.number += 1
        for chain, change in enumerate(changes if self.coarse is None else ()):
            self.totals[chain] += change
            if self.totals[chain] > self.best:
                self.best, self.board = self.totals[chain], self._assembly.save(chain)

    def _rearrange(self, coarse: "Coarse") -> None:
        """Go on from the best board there is, now that squares have changed places."""
        assembly = self._assembly
        for number, chain in enumerate(coarse.chains):
            assembly.load(coarse.laid(number))
            if assembly.total() > self.best:
                self.best, self.board = assembly.total(), assembly.save()
            assembly.chains[number].state[:] = chain.state
        assembly.load(self.board)
        self.totals = [self.best] * len(self.totals)

    def end(self) -> None:
        """A round is over, or time is; all boards go on from the best."""
        self._assembly.remember()
        if self.coarse is not None:
            self._rearrange(self.coarse)
        self._assembly.load(self.board)
        self.wanted, self.cuts, self.number, self.coarse = 0, 0, 0, None

    def state(self) -> State:
        """For ``take_up``."""
        coarse = None if self.coarse is None else self.coarse.state()
        boards = {"board": self.board[0].copy(), "chains": self._assembly.state(), "coarse": coarse}
        return {**taken(self, self.kept), **boards}

    def take_up(self, state: Mapping[str, Any], most: int) -> None:
        """Go on where an earlier run was; a round has at most so many moves."""
        values = fields(state, (*self.kept, "board", "chains", "coarse"))
        board, chains, coarse = (values.pop(name) for name in ("board", "chains", "coarse"))
        restore(self, self.kept, values)
        if len(self.totals) != len(self._assembly.chains) or not all(type(total) is int for total in self.totals):
            raise Misfit("totals")
        within([self.moves, self.rounds, self.vain, self.number], 0, LARGEST, "moves")
        within([self.cuts], 0, len(self._assembly.squares), "moves")
        within([self.wanted], 0, most, "moves")
        within([self.best, self.before, *self.totals], -LARGEST, LARGEST, "totals")
        self.board = self._assembly.saved(board)
        self._assembly.take_up(chains)
        if coarse is not None:
            within([self.cuts], 0, len(self._assembly.squares) - 1, "moves")
            self.coarse = self._assembly.cut(self._assembly.squares[self.cuts])
            self.coarse.take_up(coarse)
