"""A step as a picture: the board as it is known, with what the step looks at in colours."""

from collections.abc import Mapping

from ..core.puzzle import Assignment
from ..picture import Picture
from .kind import GridKind, GridPuzzle
from .reasons import given, is_local
from .steps import Step

TARGET, FACT, SCOPE = "#9BDB8F", "#A9CCF5", "#E9F0F8"  # the new value, what it rests on, where one has to look


def picture_of(kind: GridKind, puzzle: GridPuzzle, step: Step, known: Mapping[int, int]) -> Picture:
    """The board after a step that was taken when the values of ``known``, and those the puzzle gives, were known."""
    model = puzzle.model()
    constraints = [model.constraints[number] for number in step.constraints]
    scope = {variable for constraint in constraints if is_local(constraint) for variable in constraint.scope}
    marks = {variable: SCOPE for variable in sorted(scope) if variable < model.answers}
    marks |= {variable: FACT for variable, _ in step.facts}
    marks[step.variable] = TARGET
    values = {**given(model), **known, step.variable: step.value}
    board = Assignment(tuple(values.get(variable) for variable in range(model.answers)))
    return kind.draw_marked(puzzle, board, marks)
