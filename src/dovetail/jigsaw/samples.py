"""Built-in jigsaws, cut from photographs that come with scikit-image."""

from collections.abc import Callable, Mapping

from ..core.puzzle import Puzzle
from .puzzle import Jigsaw


def astronaut() -> Jigsaw:
    """18x18 pieces."""
    return _cut("astronaut")


def coffee() -> Jigsaw:
    """14x21 pieces, large parts of them dark."""
    return _cut("coffee")


def small() -> Jigsaw:
    """A cat's eye: 4x6 pieces."""
    return _cut("chelsea", top=60, left=140, rows=4, cols=6)


def rocket() -> Jigsaw:
    """17x20 pieces that are not square."""
    return _cut("rocket", height=24, width=32)


def _cut(
    name: str, height: int = 28, width: int = 28, top: int = 0, left: int = 0,
    rows: int | None = None, cols: int | None = None,
) -> Jigsaw:  # fmt: skip
    """From a photograph, or from a part of it; a file of the same name does not come in between."""
    import numpy as np

    from .cutting import built_in, cut, shuffled

    pixels = built_in(name)[top:, left:]
    rows, cols = rows or pixels.shape[0] // height, cols or pixels.shape[1] // width
    pieces = cut(pixels[: rows * height, : cols * width], height, width)
    return shuffled(pieces, rows, cols, np.random.default_rng(1))[0]


SAMPLES: Mapping[str, Callable[[], Puzzle]] = {
    "astronaut": astronaut,
    "coffee": coffee,
    "jigsaw-small": small,
    "rocket": rocket,
}
