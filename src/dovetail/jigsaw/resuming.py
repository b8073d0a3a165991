"""Where the assembler is, to be saved and taken up again: what it knows of edges, and where its annealing is.

What is known of edges is saved as it is: at 22,755 pieces 35 MB in 0.1 s, which took 50 s of a core to find out.
Islands are joined anew, which takes 2 s there; then boards and random numbers are put back.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.solver import Clock
from ..core.state import Misfit, State, fields, restore, taken, within
from .candidates import Found, fits_of
from .driving import Following
from .poses import VOID
from .puzzle import Jigsaw

if TYPE_CHECKING:
    from .assembly import Assembly

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
        known = {"edges": fits.edges, "weights": fits.weights, "means": means, "on_grid": on_grid, "worn": worn}
        return {"known": known, "first": self.first, "rounds": super().now()}


def _known(puzzle: Jigsaw, kept: Any) -> Found:
    """What is known of edges, if every number can be one of this puzzle's."""
    values = fields(kept, ("edges", "weights", "means", "on_grid", "worn"))
    edges, weights, means, on_grid, worn = values.values()
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
    within(means, -BRIGHTEST, BRIGHTEST, "colours")
    return Found(fits_of(puzzle, edges, weights), means, on_grid, worn)


class Rounds:
    """Where annealing is: in a round of so many moves, after so many slices of it."""

    kept = ("moves", "vain", "wanted", "number", "best", "before", "totals")

    def __init__(self, assembly: "Assembly", moves: int) -> None:
        self._assembly = assembly
        self.moves = moves  # in all
        self.vain = 0  # rounds that brought nothing, of late
        self.wanted, self.number = 0, 0  # moves of this round, slices of it that are done
        self.best, self.board = assembly.total(), assembly.save()
        self.before = self.best  # this round
        self.totals = [self.best] * len(assembly.chains)

    def begin(self, wanted: int) -> None:
        """A round of so many moves."""
        self.wanted, self.number = wanted, 0
        self.before, self.totals = self.best, [self.best] * len(self.totals)

    def state(self) -> State:
        """For ``take_up``."""
        return {**taken(self, self.kept), "board": self.board[0].copy(), "chains": self._assembly.state()}

    def take_up(self, state: Mapping[str, Any], most: int) -> None:
        """Go on where an earlier run was; a round has at most so many moves."""
        values = fields(state, (*self.kept, "board", "chains"))
        board, chains = values.pop("board"), values.pop("chains")
        restore(self, self.kept, values)
        if len(self.totals) != len(self._assembly.chains) or not all(type(total) is int for total in self.totals):
            raise Misfit("totals")
        within([self.moves, self.vain, self.number], 0, LARGEST, "moves")
        within([self.wanted], 0, most, "moves")
        within([self.best, self.before, *self.totals], -LARGEST, LARGEST, "totals")
        self.board = self._assembly.saved(board)
        self._assembly.take_up(chains)
