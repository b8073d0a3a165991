"""Which regions of a board to trust, in words."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from ...core.confidence import SURE, Interchangeable

NAMED = 3  # regions that are named
LEAST_NAMED = 3  # pieces of one that is
WIDE = 0.7  # of the board's rows and columns: what covers more of both is all over it
DOWN, ACROSS = ("upper", "", "lower"), ("left", "", "right")


def in_words(chances: NDArray[np.float64], groups: Sequence[Interchangeable]) -> str:
    """One sentence about pieces that are sure and those that are not, and one about those that are interchangeable."""
    laid = ~np.isnan(chances)
    doubted = laid & ~(np.nan_to_num(chances) >= SURE)
    number, guessed = int(laid.sum()), int(doubted.sum())
    if not guessed:
        sentence = f"sure of all {number} pieces"
    elif guessed == number:
        sentence = f"sure of none of the {number} pieces"
    else:
        whole = _whole_rows(laid, doubted)
        sentence = f"sure of {number - guessed} of {number} pieces{whole}; less so of {_regions(doubted)}"
    return sentence + _exchanges(groups)


def _whole_rows(laid: NDArray[np.bool_], doubted: NDArray[np.bool_]) -> str:
    """The longest run of rows in which everything is sure, if there is more than one row."""
    sure = [bool(some.any() and not few.any()) for some, few in zip(laid, doubted, strict=True)]
    runs = [[*run] for flag, run in groupby(range(len(sure)), key=sure.__getitem__) if flag]
    longest = max(runs, key=len, default=[])
    return f", all of rows {longest[0] + 1}–{longest[-1] + 1}" if len(longest) > 1 else ""


def _regions(doubted: NDArray[np.bool_]) -> str:
    """Where they are: the largest regions by name."""
    from scipy.ndimage import find_objects, label

    numbers, count = label(doubted, structure=np.ones((3, 3)))
    sizes = np.bincount(numbers.ravel(), minlength=count + 1)[1:]
    order = [number for number in np.argsort(-sizes, kind="stable").tolist() if sizes[number] >= LEAST_NAMED][:NAMED]
    boxes = find_objects(numbers)
    named = [f"{sizes[number]} {_where(boxes[number], doubted.shape)}" for number in order]
    rest = np.argwhere(doubted & ~np.isin(numbers, [number + 1 for number in order]))
    if len(rest):
        where = f"at row {rest[0][0] + 1}, column {rest[0][1] + 1}" if len(rest) == 1 else "here and there"
        named.append(f"{len(rest)} {'more ' if named else ''}{where}")
    return ", ".join(named[:-1]) + (" and " if named[:-1] else "") + named[-1]


def _where(box: tuple[slice, slice], shape: tuple[int, ...]) -> str:
    """A region by the part of the board it is in, and its rows and columns."""
    (top, bottom), (left, right) = ((side.start + 1, side.stop) for side in box)
    if bottom - top + 1 > WIDE * shape[0] and right - left + 1 > WIDE * shape[1]:
        return "all over the board"
    vertical = DOWN[min(2, int(3 * (top + bottom - 1) / 2 / shape[0]))]
    horizontal = ACROSS[min(2, int(3 * (left + right - 1) / 2 / shape[1]))]
    part = {"upper": "at the top", "lower": "at the bottom", "": "in the middle"}[vertical]
    if horizontal:
        part = f"at the {vertical} {horizontal}".replace("  ", " ")
    rows = f"row {top}" if top == bottom else f"rows {top}–{bottom}"
    cols = f"column {left}" if left == right else f"columns {left}–{right}"
    return f"{part} ({rows}, {cols})"


def _exchanges(groups: Sequence[Interchangeable]) -> str:
    """How many pieces nobody could tell apart."""
    said = []
    for why, what in (("alike", "exactly alike"), ("featureless", "with too little to see")):
        pieces = sum(len(group.pieces) for group in groups if group.why == why)
        if pieces:
            said.append(f"{pieces} {what}")
    return f"; interchangeable: {' and '.join(said)}" if said else ""
