"""How sure a solver is of the board it laid: a chance for every piece and every seam, in words too."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

SURE = 0.9  # chances from which on something is called sure
DIGITS = 3  # of a chance in a report

Chances: TypeAlias = tuple[tuple[float | None, ...], ...]  # [rows][cols], None where nothing lies


@dataclass(frozen=True)
class Interchangeable:
    """Pieces that may change places without anyone being able to tell: their pixels are equal, or they show nothing."""

    pieces: tuple[int, ...]
    why: Literal["alike", "featureless"]

    def to_json(self) -> dict[str, Any]:
        """As the report shows it."""
        return {"pieces": list(self.pieces), "why": self.why}


@dataclass(frozen=True)
class Confidence:
    """Chances from 0 to 1 that what lies on a board is right; boards are those of the solution.

    A piece is right if it lies beside its own neighbours, wherever all of them lie.
    """

    pieces: Chances
    right: Chances  # of the seam between a cell and the one right of it
    down: Chances  # and the one below it
    words: str  # which regions to trust
    interchangeable: tuple[Interchangeable, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """As the report shows it."""
        seams = [*_known(self.right), *_known(self.down)]
        return {
            "words": self.words,
            "sure_pieces": _share(_known(self.pieces)),
            "sure_seams": _share(seams),
            "interchangeable": [group.to_json() for group in self.interchangeable],
            **{name: _rounded(getattr(self, name)) for name in ("pieces", "right", "down")},
        }


def _known(chances: Chances) -> list[float]:
    return [chance for row in chances for chance in row if chance is not None]


def _share(chances: Iterable[float]) -> float | None:
    """Of those that are sure; None of nothing."""
    sure = [chance >= SURE for chance in chances]
    return round(sum(sure) / len(sure), DIGITS) if sure else None


def _rounded(chances: Chances) -> list[list[float | None]]:
    shown: Callable[[float | None], float | None] = lambda chance: None if chance is None else round(chance, DIGITS)  # noqa: E731
    return [[shown(chance) for chance in row] for row in chances]
