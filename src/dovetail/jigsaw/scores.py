"""The checker of picture jigsaws: legal or not from the rules alone, how right from the original where it is known.

No solver uses this module, and it uses none of theirs: even the dissimilarity is reckoned here once more.
"""

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..core.puzzle import EMPTY, Placement, Solution, Verdict, as_placement, named
from .puzzle import MOST_CELLS, Jigsaw

DIGITS = 6  # of a score, so that it is the same text on every machine
BLOCK = 512  # pieces whose colours are converted at a time: what fits the processor's cache
RIGHT, TOP, LEFT, BOTTOM = range(4)  # sides of a piece, counter-clockwise like turns
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Board:
    """A placement as arrays, [rows, cols]. The turn of a hole means nothing."""

    pieces: Numbers
    turns: Numbers

    def turned(self, quarters: int) -> "Board":
        """The board as a whole, counter-clockwise."""
        return Board(np.rot90(self.pieces, quarters), (np.rot90(self.turns, quarters) + quarters) % 4)

    def trimmed(self) -> "Board":
        """Without empty rows and columns around it."""
        laid = self.pieces != EMPTY
        rows, cols = np.flatnonzero(laid.any(axis=1)), np.flatnonzero(laid.any(axis=0))
        if not len(rows):
            return Board(self.pieces[:0, :0], self.turns[:0, :0])
        part = np.s_[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
        return Board(self.pieces[part], self.turns[part])


def judge(puzzle: Jigsaw, solution: Solution, truth: Solution | None) -> Verdict:
    """Every piece once, inside the frame; with the original, how much of it is there and whether all of it is.

    ``direct`` is the share of pieces in their place, ``neighbour`` that of the original's pairs of neighbours which are
    neighbours again, ``perfect`` 1 or 0. Under ``…_content``, pieces that look alike count as the same piece, and
    ``solved`` means perfect by content. Where pieces may be turned, so may the board as a whole: its best turn counts.
    """
    placement = as_placement(puzzle.kind, solution)
    if faults := misused(puzzle, placement):
        return Verdict(False, False, named(faults))
    answer = board_of(puzzle, placement)
    left_out = puzzle.count - int((answer.pieces != EMPTY).sum())
    violations = [f"{left_out} piece{'s are' if left_out > 1 else ' is'} not laid"] if left_out else []
    scores: dict[str, float] = {}
    solved = False if left_out else None
    if truth is not None:
        original = _original(puzzle, truth)
        names = np.arange(4 * puzzle.count + 4).reshape(-1, 4)
        names[EMPTY] = EMPTY
        scores.update(_likeness(puzzle, answer, original, names, ""))
        scores.update(_likeness(puzzle, answer, original, _pixels(puzzle).contents, "_content"))
        solved = scores["perfect_content"] == 1
        if not solved and not left_out:
            violations.append("the pieces do not show what they showed in the original")
    scores["dissimilarity"] = dissimilarity(puzzle, answer)
    if truth is not None:
        scores["dissimilarity_original"] = dissimilarity(puzzle, original)
    return Verdict(True, solved, named(violations), {name: float(f"{s:.{DIGITS}g}") for name, s in scores.items()})


def misused(puzzle: Jigsaw, solution: Placement) -> list[str]:
    """What makes a placement meaningless: wrong board, unknown pieces or turns, pieces used twice."""
    rows, cols = _shape(solution)
    if puzzle.rows is not None and (rows, cols) != (puzzle.rows, puzzle.cols):
        return [f"the solution's board is {rows}x{cols}, the frame {puzzle.size}"]
    if max(rows, cols) > MOST_CELLS:
        return [f"the solution's board is {rows}x{cols}, and {MOST_CELLS} rows and columns are the most"]
    pieces, turns = _numbers(solution.pieces).ravel(), _numbers(solution.turns).ravel()
    laid = pieces != EMPTY
    unknown = laid & ((pieces < 0) | (pieces >= puzzle.count))
    askew = laid & ~unknown & ~np.isin(turns, puzzle.turns)
    legal = np.flatnonzero(laid & ~unknown & ~askew)
    kinds, firsts = np.unique(pieces[legal], return_index=True)
    first = dict(zip(kinds.tolist(), legal[firsts].tolist(), strict=True))
    again = np.zeros_like(laid)
    again[legal] = True
    again[legal[firsts]] = False
    allowed = ", ".join(map(str, puzzle.turns))
    faults = []
    for cell in np.flatnonzero(unknown | askew | again).tolist():
        row, col = divmod(cell, cols)
        piece, turn = solution.pieces[row][col], solution.turns[row][col]
        if unknown[cell]:
            why = f"there is no piece {str(piece)[:20]} (pieces are 0 to {puzzle.count - 1})"
        elif askew[cell]:
            why = f"a piece's turn is {'one of ' * puzzle.rotate}{allowed} here, not {str(turn)[:20]}"
        else:
            why = f"piece {piece} already lies at {_place(*divmod(first[piece], cols))}"
        faults.append(f"{_place(row, col)}: {why}")
    return faults


def board_of(puzzle: Jigsaw, solution: Placement) -> Board:
    """A placement that is not misused; where nobody knows the frame, without what is empty around it."""
    board = Board(*(_numbers(rows).reshape(_shape(solution)) for rows in (solution.pieces, solution.turns)))
    return board.trimmed() if puzzle.rows is None else board


def dissimilarity(puzzle: Jigsaw, board: Board) -> float:
    """Sholomon 2013, equations 1 and 2: over all seams, how far apart the colours on their two sides are."""
    rims = _pixels(puzzle).rims
    total = 0.0
    for one, other, sides, length in (
        (np.s_[:, :-1], np.s_[:, 1:], (RIGHT, LEFT), puzzle.height),
        (np.s_[:-1], np.s_[1:], (BOTTOM, TOP), puzzle.width),
    ):
        both = (board.pieces[one] != EMPTY) & (board.pieces[other] != EMPTY)
        ours, theirs = (
            rims[board.pieces[part][both], (side - board.turns[part][both]) % 4, :length]
            for part, side in zip((one, other), sides, strict=True)
        )
        apart = ours - theirs[:, ::-1]  # both are read counter-clockwise, so against each other
        total += float(np.sqrt(np.einsum("spb,spb->s", apart, apart)).sum())
    return total


def _shape(solution: Placement) -> tuple[int, int]:
    return len(solution.pieces), len(solution.pieces[0]) if solution.pieces else 0


def _place(row: int, col: int) -> str:
    return f"row {row + 1}, column {col + 1}"


def _numbers(rows: tuple[tuple[int, ...], ...]) -> Numbers:
    """As an array; numbers that none can hold become one that is as wrong."""
    try:
        return np.array(rows, dtype=np.int64)
    except OverflowError:
        return np.array([[value if abs(value) < 2**62 else 2**62 for value in row] for row in rows], dtype=np.int64)


def _original(puzzle: Jigsaw, truth: Solution) -> Board:
    if isinstance(truth, Placement) and not misused(puzzle, truth):
        board = board_of(puzzle, truth)
        if (board.pieces != EMPTY).sum() == puzzle.count:
            return board
    raise BadInput("the truth is not a placement of all the pieces of this puzzle")


def _likeness(puzzle: Jigsaw, answer: Board, original: Board, names: Numbers, suffix: str) -> dict[str, float]:
    """The scores, where ``names[piece, turn]`` are equal for what counts as the same piece turned alike."""
    wanted = names[original.pieces, original.turns]
    direct = 0
    for quarters in puzzle.turns:
        turned = answer.turned(quarters)
        if puzzle.rows is not None and turned.pieces.shape != wanted.shape:
            continue  # it would not fit the frame
        shown = names[turned.pieces, turned.turns]
        common = np.s_[: min(len(shown), len(wanted)), : min(shown.shape[1], wanted.shape[1])]
        direct = max(direct, int(((shown[common] == wanted[common]) & (wanted[common] != EMPTY)).sum()))
    theirs, their_counts = np.unique(_pairs(puzzle, original, names), return_counts=True)
    ours, our_counts = np.unique(_pairs(puzzle, answer, names), return_counts=True)
    _, at, there = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    kept, pairs = int(np.minimum(our_counts[at], their_counts[there]).sum()), int(their_counts.sum())
    return {
        f"direct{suffix}": direct / puzzle.count,
        f"neighbour{suffix}": kept / pairs if pairs else 1.0,
        f"perfect{suffix}": float(direct == puzzle.count),
    }


def _pairs(puzzle: Jigsaw, board: Board, names: Numbers) -> Numbers:
    """A number for each pair of neighbours, the same however the board as a whole is turned."""
    most = int(names.max()) + 1
    quarters = len(puzzle.turns) == 4
    found = []
    for down, one, other in ((False, np.s_[:, :-1], np.s_[:, 1:]), (True, np.s_[:-1], np.s_[1:])):
        both = (board.pieces[one] != EMPTY) & (board.pieces[other] != EMPTY)
        (a, b), (turns_a, turns_b) = ([each[one][both], each[other][both]] for each in (board.pieces, board.turns))
        if down and quarters:  # a quarter turn lays them side by side
            turns_a, turns_b = (turns_a + 1) % 4, (turns_b + 1) % 4
        pair = names[a, turns_a] * most + names[b, turns_b]
        if puzzle.rotate:  # upside down, they are the other way round
            pair = np.minimum(pair, names[b, (turns_b + 2) % 4] * most + names[a, (turns_a + 2) % 4])
        found.append(pair + most * most if down and not quarters else pair)
    return np.concatenate(found)


class _Pixels:
    """What the checker works out once for all answers to one puzzle."""

    def __init__(self, puzzle: Jigsaw) -> None:
        self.array, self.turns = puzzle.array, puzzle.turns

    @cached_property
    def contents(self) -> Numbers:
        """Equal numbers for what looks alike; the last row is for holes. [count + 1, 4]"""
        numbers: dict[bytes, int] = {}
        contents = np.full((len(self.array) + 1, 4), EMPTY, dtype=np.int64)
        for turn in self.turns:
            turned = np.rot90(self.array, turn, axes=(1, 2))
            contents[:-1, turn] = [numbers.setdefault(piece.tobytes(), len(numbers)) for piece in turned]
        return contents

    @cached_property
    def rims(self) -> NDArray[np.float64]:
        """The outermost pixels in L*a*b*, each side read counter-clockwise. [count, side, pixel, band]"""
        count, height, width, channels = self.array.shape
        pixels = np.zeros((count, 4, max(height, width), channels), self.array.dtype)
        pixels[:, RIGHT, :height] = self.array[:, ::-1, -1]
        pixels[:, TOP, :width] = self.array[:, 0, ::-1]
        pixels[:, LEFT, :height] = self.array[:, :, 0]
        pixels[:, BOTTOM, :width] = self.array[:, -1]
        rims = np.empty((*pixels.shape[:3], 3))
        for start in range(0, count, BLOCK):
            rims[start : start + BLOCK] = _lab(pixels[start : start + BLOCK])
        return rims


_KNOWN: WeakKeyDictionary[Jigsaw, _Pixels] = WeakKeyDictionary()


def _pixels(puzzle: Jigsaw) -> _Pixels:
    if puzzle not in _KNOWN:
        _KNOWN[puzzle] = _Pixels(puzzle)
    return _KNOWN[puzzle]


def _lab(pixels: NDArray[np.uint8 | np.uint16]) -> NDArray[np.float64]:
    """Colours as an eye tells them apart; what is transparent lies on white."""
    from skimage.color import rgb2lab

    channels = pixels.shape[-1]
    shares = pixels / np.iinfo(pixels.dtype).max
    colours = shares[..., :3] if channels >= 3 else shares[..., :1].repeat(3, axis=-1)
    if channels in (2, 4):
        opacity = shares[..., -1:]
        colours = colours * opacity + (1 - opacity)
    lab: NDArray[np.float64] = rgb2lab(colours)
    return lab
