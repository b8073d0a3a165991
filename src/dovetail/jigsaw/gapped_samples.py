"""Built-in puzzles with gaps, cut from photographs that come with scikit-image."""

from collections.abc import Callable, Mapping

from ..core.puzzle import Puzzle
from .gapped import CENTRE, Gapped, Making


def three() -> Gapped:
    """3x3 patches, a tenth of a patch lost between two: what the literature starts with."""
    return _cut("astronaut")


def five() -> Gapped:
    """5x5 patches of a cup of coffee."""
    return _cut("coffee", grid="5x5")


def wide() -> Gapped:
    """3x3 patches of a cat, half a patch lost between two; the one in the centre is told."""
    return _cut("chelsea", gap=20, hints=CENTRE)


def _cut(name: str, grid: str = "3x3", gap: int = 4, hints: str = "0") -> Gapped:
    """A file of the same name does not come in between."""
    from .cutting import built_in
    from .gapped_cutting import made

    return made(built_in(name), Making(grid=grid, gap=gap, hints=hints), seed=1)[0]


SAMPLES: Mapping[str, Callable[[], Puzzle]] = {
    "gapped-3x3": three,
    "gapped-5x5": five,
    "gapped-wide": wide,
}
