"""A jigsaw whose pieces were found on scanned sheets, and where they lay there.

Where they lay is no part of the puzzle: it is for people, who want to know which fragment is which.
"""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..puzzle import Jigsaw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Place(NamedTuple):
    """A rectangle on a sheet. Pixel centres have whole numbers for rows and columns."""

    sheet: int
    row: float  # of its centre
    col: float
    angle: float  # degrees, counter-clockwise as the sheet is seen
    height: float  # pixels
    width: float

    def inside(self, rows: Any, cols: Any) -> tuple[Any, Any]:
        """How far below and to the right of the centre points of the sheet are, as seen on the fragment."""
        cosine, sine = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
        down, aside = rows - self.row, cols - self.col
        return down * cosine + aside * sine, aside * cosine - down * sine

    def outside(self, down: Any, aside: Any) -> tuple[Any, Any]:
        """The way back: row and column on the sheet."""
        cosine, sine = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
        return self.row + down * cosine - aside * sine, self.col + aside * cosine + down * sine


@dataclass(frozen=True)
class Scanned(Jigsaw):
    """A jigsaw, and the sheets it was found on."""

    sheets: tuple["NDArray[np.uint8 | np.uint16]", ...] = field(default=(), repr=False, compare=False)
    places: tuple[Place, ...] = field(default=(), repr=False, compare=False)  # of every piece
    left_out: tuple[Place, ...] = field(default=(), repr=False, compare=False)  # what lay there beside pieces
    as_sheets: bool = field(default=False, repr=False, compare=False)  # written as it was scanned, not piece by piece

    @property
    def straightened(self) -> bool:
        """Whether pieces were turned by some degrees, so that their pixels are no longer those of the scan."""
        return any(place.angle % 90 for place in self.places)
