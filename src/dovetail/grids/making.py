"""What generators share: clues taken away while the answer stays the only one, up to a wanted difficulty."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from .model import Model

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")
DIFFICULTIES = ("easy", "medium", "hard")  # grades 0, 1, 2 of ``engine.grade``


def thinned(
    clues: Sequence[T], build: Callable[[Sequence[T]], Model], rng: "np.random.Generator", most_grade: int = 2
) -> list[T]:
    """Some of the clues, in their order: none can be left out without a second answer or a higher grade."""
    from .engine import answers, grade

    def fits(kept: Sequence[T]) -> bool:
        model = build(kept)
        # looking ahead is the dearest, and a board of grade 0 has one answer by itself
        return (most_grade == 0 or len(answers(model, 2)) == 1) and (
            most_grade >= 2 or grade(model, most_grade) <= most_grade
        )

    kept = [*range(len(clues))]
    for clue in rng.permutation(len(clues)).tolist():
        fewer = [number for number in kept if number != clue]
        if fits([clues[number] for number in fewer]):
            kept = fewer
    return [clues[number] for number in kept]
