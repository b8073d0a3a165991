"""Built-in shredded paper: photographs of print that come with scikit-image."""

from collections.abc import Callable, Mapping

from ...core.puzzle import Puzzle
from .puzzle import Strips


def page() -> Strips:
    """A page of a book, 16 strips, in uneven light."""
    return _shredded("page", 1, 16)


def flipped() -> Strips:
    """A few lines, 12 strips, some of them upside down."""
    return _shredded("text", 1, 12, flip=True)


def bag() -> Strips:
    """The upper and the lower half of the same lines in one bag, 8 strips each; that there are two is not told."""
    return _shredded("text", 1, 8, pages=2)


def cross() -> Strips:
    """The page of a book cross-cut, 3x4 shreds."""
    return _shredded("page", 3, 4)


def _shredded(image: str, rows: int, cols: int, pages: int = 1, flip: bool = False) -> Strips:
    """From a scan, or from parts of it that lie below each other; the same on every machine."""
    import numpy as np

    from .cutting import scan, shredded

    whole = scan(image)
    height = len(whole) // pages
    parts = [whole[height * part : height * (part + 1)] for part in range(pages)]
    return shredded(parts, [], (rows, cols), np.random.default_rng(1), flip=flip)[0]


SAMPLES: Mapping[str, Callable[[], Puzzle]] = {
    "strips-page": page,
    "strips-flipped": flipped,
    "strips-bag": bag,
    "strips-cross": cross,
}
