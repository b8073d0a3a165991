"""The checker of picture jigsaws: legal or not from the rules alone, how right from the original where it is known.

No solver uses this module, and it uses none of theirs: even the dissimilarity is reckoned here once more.
"""

from collections.abc import Mapping
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadInput
from ..core.puzzle import EMPTY, Placement, Solution, Verdict, as_placement, named
from .board import BOTTOM, LEFT, RIGHT, TOP, Board, Numbers, moved_turns
from .likeness import likeness
from .puzzle import MOST_CELLS, Jigsaw

__all__ = [
    "Board", "board_of", "compared", "contents_of", "dissimilarity", "judge", "misused", "original_of", "rounded",
]  # fmt: skip

MOST_LEFT_OUT = 500  # pieces that are named
DIGITS = 6  # of a score, so that it is the same text on every machine
BLOCK = 512  # pieces whose colours are converted at a time: what fits the processor's cache


def judge(puzzle: Jigsaw, solution: Solution, truth: Solution | None) -> Verdict:
    """Every piece once, inside the frame; with the original, how much of it is there and whether all of it is.

    ``direct`` is the share of the original's pieces in their place, ``neighbour`` that of its pairs of neighbours which
    are neighbours again, ``perfect`` 1 or 0. Under ``…_content``, pieces that look alike (on both sides, if both show
    something) count as the same piece, and ``solved`` means perfect by content. As pieces may be turned or turned over,
    so may the board as a whole: how it lies best counts; and where nobody knows the frame, also where.

    Of several pictures in one bag, each may lie in its own way: every one of the original is held against one of the
    answer. Where pieces may be foreign, those that the original has not are to be left out.
    """
    placement = as_placement(puzzle.kind, solution)
    if faults := misused(puzzle, placement):
        return Verdict(False, False, named(faults))
    answer = board_of(puzzle, placement)
    left_out = 0 if puzzle.foreign else puzzle.count - answer.count
    violations = [f"{_pieces(left_out)} not laid"] if left_out else []
    scores: dict[str, float] = {"pictures": len(answer.pictures())} if puzzle.mixed else {}
    solved = False if left_out else None
    if truth is not None:
        original = original_of(puzzle, truth)
        scores = {**compared(puzzle, answer, original), **scores}
        solved = scores["perfect_content"] == 1
        if not solved and not left_out:
            violations = _mistakes(puzzle, answer, original)
    scores["dissimilarity"] = dissimilarity(puzzle, answer)
    if truth is not None:
        scores["dissimilarity_original"] = dissimilarity(puzzle, original)
    remarks = (*puzzle.found_out, *(_left_out(puzzle, answer) if puzzle.foreign else ()))
    return Verdict(True, solved, named(violations), rounded(scores), remarks)


def compared(puzzle: Jigsaw, answer: Board, original: Board) -> dict[str, float]:
    """The scores that only the original gives, by number and by content; see ``judge``."""
    ids = np.arange(8 * puzzle.count + 8).reshape(-1, 8)
    ids[EMPTY] = EMPTY
    return likeness(puzzle, answer, original, {"": ids, "_content": _pixels(puzzle).contents})


def contents_of(puzzle: Jigsaw) -> Numbers:
    """Equal numbers for pieces that look alike, by piece and turn. [count + 1, 8]"""
    return _pixels(puzzle).contents


def rounded(scores: Mapping[str, float]) -> dict[str, float]:
    """As a verdict has them."""
    return {name: float(f"{score:.{DIGITS}g}") for name, score in scores.items()}


def _left_out(puzzle: Jigsaw, answer: Board) -> tuple[str, ...]:
    """Which pieces the answer holds to be foreign."""
    pieces = np.setdiff1d(np.arange(puzzle.count), answer.pieces).tolist()
    if not pieces:
        return ()
    more = len(pieces) - MOST_LEFT_OUT
    text = ", ".join(map(str, pieces[:MOST_LEFT_OUT])) + (f" and {more} more" if more > 0 else "")
    return (f"{_pieces(len(pieces))} left out as foreign: {text}",)


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
            why = f"a piece's turn is {'one of ' * (len(puzzle.turns) > 1)}{allowed} here, not {str(turn)[:20]}"
        else:
            why = f"piece {piece} already lies at {_place(*divmod(first[piece], cols))}"
        faults.append(f"{_place(row, col)}: {why}")
    return faults


def board_of(puzzle: Jigsaw, solution: Placement) -> Board:
    """A placement that is not misused; where nobody knows the frame, without what is empty around it."""
    pieces, turns = (_numbers(rows).reshape(_shape(solution)) for rows in (solution.pieces, solution.turns))
    board = Board(pieces, np.where(pieces == EMPTY, 0, turns))
    return board.trimmed() if puzzle.rows is None else board


def dissimilarity(puzzle: Jigsaw, board: Board) -> float:
    """Sholomon 2013, equations 1 and 2: over all seams, how far apart the colours on their two sides are.

    Pieces with two sides have seams on top and underneath.
    """
    return sum(_seams(puzzle, side) for side in (board, board.moved(4))[: puzzle.sides])


def _seams(puzzle: Jigsaw, board: Board) -> float:
    rims = _pixels(puzzle).rims
    total = 0.0
    for one, other, sides, length in (
        (np.s_[:, :-1], np.s_[:, 1:], (RIGHT, LEFT), puzzle.height),
        (np.s_[:-1], np.s_[1:], (BOTTOM, TOP), puzzle.width),
    ):
        both = (board.pieces[one] != EMPTY) & (board.pieces[other] != EMPTY)
        ours, theirs = (
            rims[board.pieces[part][both], board.turns[part][both] // 4, (side - board.turns[part][both]) % 4, :length]
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


def original_of(puzzle: Jigsaw, truth: Solution) -> Board:
    """The truth as a board; raises BadInput if it is none of this puzzle."""
    if isinstance(truth, Placement) and not misused(puzzle, truth):
        board = board_of(puzzle, truth)
        if board.count == puzzle.count or (puzzle.foreign and board.count):
            return board
    which = "pieces" if puzzle.foreign else "all the pieces"
    raise BadInput(f"the truth is not a placement of {which} of this puzzle")


def _mistakes(puzzle: Jigsaw, answer: Board, original: Board) -> list[str]:
    """Why an answer from which nothing has to be missing is not the original."""
    if puzzle.foreign:
        missed, strange = (
            int((~np.isin(ours.pieces, [*theirs.pieces.ravel(), EMPTY])).sum())
            for ours, theirs in ((original, answer), (answer, original))
        )
        said = ((missed, "not laid that the original has"), (strange, "laid that the original has not"))
        if found := [f"{_pieces(count)} {what}" for count, what in said if count]:
            return found
    return ["the pieces do not show what they showed in the original"]


def _pieces(count: int) -> str:
    return f"{count} piece{'s are' if count > 1 else ' is'}"


class _Pixels:
    """What the checker works out once for all answers to one puzzle."""

    def __init__(self, puzzle: Jigsaw) -> None:
        self.faces, self.turns = puzzle.faces, puzzle.turns

    @cached_property
    def contents(self) -> Numbers:
        """Equal numbers for what looks alike, on top and underneath; the last row is for holes. [count + 1, 8]"""
        numbers: dict[bytes, int] = {}
        contents = np.full((len(self.faces) + 1, 8), EMPTY, dtype=np.int64)
        shown = {turn: np.rot90(self.faces[:, turn // 4], turn, axes=(1, 2)) for turn in self.turns}
        for turn, above in shown.items():
            below = shown.get(int(moved_turns(np.array(turn), 4)), above[:, :0])
            looks = (top.tobytes() + bottom.tobytes() for top, bottom in zip(above, below, strict=True))
            contents[:-1, turn] = [numbers.setdefault(look, len(numbers)) for look in looks]
        return contents

    @cached_property
    def rims(self) -> NDArray[np.float64]:
        """The outermost pixels in L*a*b*, each side read counter-clockwise. [count, face, side, pixel, band]"""
        count, faces, height, width, channels = self.faces.shape
        pixels = np.zeros((count, faces, 4, max(height, width), channels), self.faces.dtype)
        pixels[:, :, RIGHT, :height] = self.faces[:, :, ::-1, -1]
        pixels[:, :, TOP, :width] = self.faces[:, :, 0, ::-1]
        pixels[:, :, LEFT, :height] = self.faces[:, :, :, 0]
        pixels[:, :, BOTTOM, :width] = self.faces[:, :, -1]
        rims = np.empty((*pixels.shape[:-1], 3))
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
