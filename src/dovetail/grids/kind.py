"""What all logic grids share: a puzzle that declares its model, a kind whose checker goes through the rules."""

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..core.errors import BadInput
from ..core.kind import Explained, Kind, Reason
from ..core.puzzle import Assignment, Puzzle, Solution, Verdict, named
from ..core.source import Source
from ..picture import Picture
from .model import Model

if TYPE_CHECKING:
    from .steps import Step

OPEN = -1  # how a checker sees a variable that has no value yet


class GridPuzzle(Puzzle):
    """A puzzle of variables, domains and constraints."""

    drawn_as_lines: ClassVar[bool] = False  # engines that learn clauses are stronger there

    @abstractmethod
    def model(self) -> Model:
        """⟨X, D, C⟩. Its first ``answers`` variables are the values of a solution, in this order."""

    def one_models(self) -> tuple[Model, ...]:
        """Where one answer is enough: models whose answers are all right, to be searched side by side.

        The last of them has an answer if the puzzle has one; those before it are narrower, for puzzles as people make
        them.
        """
        return (self.model(),)


@dataclass(frozen=True)
class Rule:
    """One rule as the checker finds it: met or not, what to say if not, and the variables it is about.

    ``legal``: breaking it makes the answer no answer to this puzzle at all (a given changed, a value out of range).
    """

    met: bool
    text: str
    scope: tuple[int, ...] = ()
    legal: bool = False


class GridKind(Kind):
    """A kind of the family ``grids``."""

    family = "grids"
    solution_shape = "assignment"

    def links(self, puzzle: Puzzle, solution: Solution) -> dict[str, str]:
        """Where the puzzle opens in a player on the web."""
        from .formats import links

        return links(puzzle)

    def read_solutions(self, source: Source, puzzle: Puzzle) -> list[Solution] | None:
        """Answers as players and collections write them."""
        from .formats import read_solutions

        return read_solutions(source, puzzle)

    def explain(self, puzzle: Puzzle) -> Explained:
        """Each step a smallest set of constraints and facts that forces a value, cheapest first."""
        from .explaining import explain

        assert isinstance(puzzle, GridPuzzle)
        explanation = explain(puzzle.model())
        known: dict[int, int] = {}
        steps = []
        for step in explanation.steps:
            steps.append(self._reason(puzzle, step, dict(known)))
            known[step.variable] = step.value
        return Explained(tuple(steps), explanation.difficulty)

    def hint(self, puzzle: Puzzle, known: Solution | None = None) -> Reason:
        """The cheapest next step; a value that is wrong is named."""
        from .explaining import hint

        assert isinstance(puzzle, GridPuzzle)
        values = [OPEN] * self.variables(puzzle) if known is None else self.values(puzzle, known)
        if values is None:
            raise BadInput(f"what is known of this {self.name} puzzle has {self.variables(puzzle)} values, some null")
        facts = {variable: value for variable, value in enumerate(values) if value != OPEN}
        return self._reason(puzzle, hint(puzzle.model(), facts), facts)

    def _reason(self, puzzle: GridPuzzle, step: "Step", known: Mapping[int, int]) -> Reason:
        """A step for the outside."""

        def draw() -> Picture:
            from .step_pictures import picture_of

            return picture_of(self, puzzle, step, known)

        after = {**known, step.variable: step.value}
        board = Assignment(tuple(after.get(variable) for variable in range(self.variables(puzzle))))
        model = puzzle.model()
        data = {
            "variable": step.variable,
            "value": step.value,
            "constraints": [model.constraints[number].about for number in step.constraints],
            "facts": [list(fact) for fact in step.facts],
            "cost": list(step.cost),
        }
        return Reason(step.text, board, draw, data)

    @abstractmethod
    def variables(self, puzzle: Any) -> int:
        """How many values a solution has."""

    @abstractmethod
    def judge(self, puzzle: Any, values: Sequence[int]) -> Iterator[Rule]:
        """Every rule of the puzzle, from the rules alone: no model, no solver.

        ``values`` may hold OPEN. A rule whose scope is not all filled counts as not met, whatever is said here.
        """

    @abstractmethod
    def picture(self, puzzle: Any, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]) -> Picture:
        """The board. ``values`` may hold OPEN; ``marks`` gives some variables a background, ``wrong`` ones are red."""

    def check(self, puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Verdict:
        """Every rule by itself; ``satisfied`` of ``constraints`` are met."""
        values = self.values(puzzle, solution)
        if values is None:
            return Verdict(False, False, (f"a solution has {self.variables(puzzle)} values",))
        rules = [*self.judge(puzzle, values)]
        illegal = [rule.text for rule in rules if rule.legal and not rule.met]
        kept = [rule for rule in rules if not rule.legal]
        broken = [rule.text for rule in kept if not rule.met and OPEN not in (values[v] for v in rule.scope)]
        satisfied = sum(rule.met and OPEN not in (values[v] for v in rule.scope) for rule in kept)
        still_open = values.count(OPEN)
        holes = [f"{still_open} of {len(values)} values are still open"] if still_open else []
        solved = not (illegal or holes) and satisfied == len(kept)
        scores = {"satisfied": satisfied, "constraints": len(kept)}
        return Verdict(not illegal, solved, named([*illegal, *broken, *holes]), scores)

    def draw(self, puzzle: Puzzle, solution: Solution | None = None) -> Picture:
        """The board with what breaks a rule in red."""
        return self.draw_marked(puzzle, solution, {})

    def draw_marked(self, puzzle: Puzzle, solution: Solution | None, marks: Mapping[int, str]) -> Picture:
        """The same with some variables marked: how explanations point at things."""
        values = [OPEN] * self.variables(puzzle) if solution is None else self.values(puzzle, solution)
        if values is None:
            raise BadInput(f"a solution of this {self.name} puzzle has {self.variables(puzzle)} values")
        wrong = {
            variable
            for rule in self.judge(puzzle, values)
            if not rule.met and OPEN not in (values[v] for v in rule.scope)
            for variable in rule.scope
        }
        return self.picture(puzzle, values, marks, wrong)

    def values(self, puzzle: Puzzle, solution: Solution) -> list[int] | None:
        """The values of a solution with OPEN for None; None if it is no solution of this puzzle's size."""
        if not isinstance(solution, Assignment) or len(solution.values) != self.variables(puzzle):
            return None
        return [OPEN if value is None else value for value in solution.values]
