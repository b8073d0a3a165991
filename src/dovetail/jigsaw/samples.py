"""Built-in jigsaws, cut from photographs that come with scikit-image."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..core.puzzle import Puzzle
from .puzzle import Jigsaw

if TYPE_CHECKING:
    from .images import Pixels


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
    """A rocket and its tower: 8x8 pieces that are not square."""
    return _cut("rocket", height=24, width=32, top=203, left=196, rows=8, cols=8)


def turned() -> Jigsaw:
    """The same cat's eye, its pieces turned."""
    return _cut("chelsea", top=60, left=140, rows=4, cols=6, rotate=True)


def bag() -> Jigsaw:
    """5x6 pieces of a cat and 6x5 of a cup of coffee in one bag, turned; how many pictures there are is not told."""
    import numpy as np

    from .cutting import bagged

    pictures = _pieces("chelsea", 28, 28, 60, 140, 5, 6), _pieces("coffee", 28, 28, 80, 200, 6, 5)
    return bagged([pieces[:, :, None] for pieces in pictures], np.random.default_rng(1), rotate=True)[0]


def _cut(
    name: str, height: int = 28, width: int = 28, top: int = 0, left: int = 0,
    rows: int | None = None, cols: int | None = None, rotate: bool = False,
) -> Jigsaw:  # fmt: skip
    """From a photograph, or from a part of it, shuffled."""
    import numpy as np

    from .cutting import bagged

    pieces = _pieces(name, height, width, top, left, rows, cols)
    return bagged([pieces[:, :, None]], np.random.default_rng(1), rotate=rotate)[0]


def _pieces(name: str, height: int, width: int, top: int, left: int, rows: int | None, cols: int | None) -> "Pixels":
    """Of one side, in their place; a file of the same name does not come in between. [rows, cols, height, width, …]"""
    from .cutting import built_in, cut

    pixels = built_in(name)[top:, left:]
    rows, cols = rows or pixels.shape[0] // height, cols or pixels.shape[1] // width
    pieces = cut(pixels[: rows * height, : cols * width], height, width)
    return pieces.reshape(rows, cols, *pieces.shape[1:])


SAMPLES: Mapping[str, Callable[[], Puzzle]] = {
    "astronaut": astronaut,
    "coffee": coffee,
    "jigsaw-small": small,
    "jigsaw-turned": turned,
    "jigsaw-bag": bag,
    "rocket": rocket,
}
