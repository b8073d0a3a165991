"""What all games share: a checker that plays the moves again by plain rules, and pictures of the play."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from ..core.errors import BadInput
from ..core.kind import Kind
from ..core.puzzle import Moves, Puzzle, Solution, Verdict
from ..core.source import Source
from ..picture import Picture


class MovesPuzzle(Puzzle):
    """A position to play from."""

    rules: ClassVar[str]  # the module with its compiled rules; see ``dovetail.moves.rules``
    plays_cut_off: ClassVar[bool] = False  # whether these end plays that could go on: to try them all proves nothing

    @property
    def for_points(self) -> bool:
        """Whether the goal is a score: what a position is worth then depends on how it was reached."""
        return False

    @property
    def endless(self) -> bool:
        """Whether any play will do, and a better one is only better."""
        return False


class IllegalMove(Exception):
    """A move that the rules do not allow; says why, without the move's number."""


class Play(ABC):
    """A game being played: the state X^t of Kiarostami et al. 2021, 3.1.2, in plain Python, for checker and pictures.

    Solvers have compiled rules of their own, so that a mistake in either is noticed.
    """

    @abstractmethod
    def make(self, move: str) -> None:
        """Play one move, or raise IllegalMove and leave everything as it was."""

    @property
    @abstractmethod
    def solved(self) -> bool:
        """Whether the goal G is reached."""

    @property
    @abstractmethod
    def missing(self) -> str:
        """What is missing where it is not, as a clause: ``7 blocks are left``."""

    @property
    def share(self) -> float:
        """How much of the goal is reached (equation 6), 1.0 for all of it; of a goal without parts, all or nothing."""
        return float(self.solved)

    @property
    @abstractmethod
    def scores(self) -> Mapping[str, float]:
        """What can be counted, the moves apart."""


class MovesKind(Kind):
    """A kind of the family ``moves``."""

    family = "moves"
    solution_shape = "moves"

    @abstractmethod
    def begin(self, puzzle: Any) -> Any:
        """The Play before the first move."""

    @abstractmethod
    def picture(self, puzzle: Any, play: Any) -> Picture:
        """How the game stands; the last move is seen where that helps. All pictures of a puzzle have one size."""

    def check(self, puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Verdict:
        """Every move by the rules, then the goal."""
        moves = self._moves(solution)
        play: Play = self.begin(puzzle)
        for number, move in enumerate(moves, start=1):
            try:
                play.make(move)
            except IllegalMove as fault:
                what = f"move {number} ({move[:20]}): {fault}"
                return Verdict(False, False, (what,), _scores(play, number - 1))
        lacking = () if play.solved else (play.missing,)
        return Verdict(True, play.solved, lacking, _scores(play, len(moves)))

    def links(self, puzzle: Puzzle, solution: Solution) -> dict[str, str]:
        """Where a browser lets one play it."""
        from .formats import links

        return links(puzzle)

    def read_solutions(self, source: Source, puzzle: Puzzle) -> list[Solution] | None:
        """Plays as the collections write them."""
        from .formats import read_solutions

        return read_solutions(source, puzzle)

    def draw(self, puzzle: Puzzle, solution: Solution | None = None) -> Picture:
        """The position after the moves; those after one that is not allowed are left out."""
        *_, last = self.frames(puzzle, solution or Moves(()), most=1)
        return last

    def frames(self, puzzle: Puzzle, solution: Solution, most: int) -> Iterator[Picture]:
        """The play as at most so many pictures, evenly spread; the last one shows how it ends."""
        moves = self._moves(solution)
        play: Play = self.begin(puzzle)
        shown = {len(moves) - (len(moves) * back) // most for back in range(most)}
        for number in range(len(moves) + 1):
            if number:
                try:
                    play.make(moves[number - 1])
                except IllegalMove:
                    break
            if number in shown and number < len(moves):
                yield self.picture(puzzle, play)
        yield self.picture(puzzle, play)

    def _moves(self, solution: Solution) -> tuple[str, ...]:
        if not isinstance(solution, Moves):
            raise BadInput(f"a {self.name} solution is a list of moves, not {solution.shape}")
        return solution.moves


def _scores(play: Play, moves: int) -> dict[str, float]:
    return {"moves": moves, "share": play.share, **play.scores}
