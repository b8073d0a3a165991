"""The checker of shredded paper: legal or not from the rules alone, how right from the original where it is known.

No solver uses this module, and it uses none of theirs.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...core.puzzle import EMPTY, Solution, Verdict, as_placement, named
from .. import scores as jigsaw
from ..board import Board, Numbers
from ..likeness import likeness, pieces_right
from ..scores import board_of, original_of, rounded
from .puzzle import Strips

SPOT = 4  # pixels along a side of the spots that are looked at
FAINT = 0.08  # of the whole range of grey: a spot whose mean differs more from that of paper is print
NOISES = 6  # or more than so many standard deviations of the mean of a spot of noise


def judge(puzzle: Strips, solution: Solution, truth: Solution | None) -> Verdict:
    """As of a jigsaw; but one piece of blank paper is as good as another, and nobody can tell how wide a margin was.

    Under ``…_content``, pieces on which nothing is printed count as the same piece, and blank ones at the rims of a
    page do not count at all; ``perfect_content``, and so ``solved``, means that all print is in its order.
    ``pages_perfect`` is the share of the original's pages of which that is so; ``upright``, where pieces may lie
    upside down, that of the pages most of which lies the right way up.
    """
    verdict = jigsaw.judge(puzzle, solution, truth)
    if truth is None or not verdict.valid:
        return verdict
    answer, original = board_of(puzzle, as_placement(puzzle.kind, solution)), original_of(puzzle, truth)
    blank = blank_pieces(puzzle)
    names = _names(puzzle, blank)
    free = replace(puzzle, rows=None, cols=None)  # where the print lies in its frame depends on the margins
    pages = [[_without_margins(page, blank) for page in _pages(puzzle, board)] for board in (answer, original)]
    ours, theirs = ([page for page in each if page.count] for each in pages)
    found = likeness(free, _side_by_side(ours), _side_by_side(theirs), {"": names}) if theirs and ours else {}
    scores = dict(verdict.scores)
    for name in ("direct", "neighbour", "perfect"):
        scores[f"{name}_content"] = found.get(name, float(not ours and not theirs))
    scores["pages_perfect"] = _perfect(free, ours, theirs, names)
    if puzzle.rotate:
        scores["upright"] = _standing(puzzle, answer, _pages(puzzle, original))
    right = answer.count == puzzle.count and scores["perfect_content"] == 1
    faults = verdict.violations if answer.count < puzzle.count else ("the print is not in its order",)
    return Verdict(True, right, () if right else named([*faults]), rounded(scores), verdict.remarks)


def blank_pieces(puzzle: Strips) -> NDArray[np.bool_]:
    """On which nothing is printed, on no side: no spot differs from paper by more than noise does. [count]"""
    faces = puzzle.faces.astype(np.float64) / np.iinfo(puzzle.faces.dtype).max
    if puzzle.channels % 2 == 0:
        faces = faces[..., :-1] * faces[..., -1:] + (1 - faces[..., -1:])
    grey = faces.mean(axis=-1)
    paper = np.median(grey)
    noise = 1.05 * np.median(np.abs(np.diff(grey, axis=-2)))  # standard deviation, from that of differences
    down, right = (-length % SPOT for length in grey.shape[-2:])
    padded = np.pad(grey, ((0, 0), (0, 0), (0, down), (0, right)), mode="edge")
    count, sides, height, width = padded.shape
    spots = padded.reshape(count, sides, height // SPOT, SPOT, width // SPOT, SPOT).mean(axis=(3, 5))
    limit = max(FAINT, NOISES * noise / SPOT)
    blank: NDArray[np.bool_] = (np.abs(spots - paper) < limit).all(axis=(1, 2, 3))
    return blank


def _names(puzzle: Strips, blank: NDArray[np.bool_]) -> Numbers:
    """Equal numbers for what counts as the same piece lying in the same way; the last row is for holes. [count + 1, 8]

    Of printed pieces, those with equal pixels.
    """
    names = np.full((puzzle.count + 1, 8), EMPTY, dtype=np.int64)
    numbers: dict[bytes, int] = {}
    for turn in puzzle.turns:
        back = -turn % 4 + 4 * (turn < 4)
        for piece, faces in enumerate(puzzle.faces):
            sides = [np.rot90(faces[each // 4], each % 4) for each in ((turn, back) if puzzle.sides == 2 else (turn,))]
            look = b"".join(side.tobytes() for side in sides)
            names[piece, turn] = 0 if blank[piece] else 1 + numbers.setdefault(look, len(numbers))
    return names


def _pages(puzzle: Strips, board: Board) -> list[Board]:
    return board.pictures() if puzzle.mixed else [board]


def _without_margins(page: Board, blank: NDArray[np.bool_]) -> Board:
    """Blank rows and columns at the rims taken away; holes there too."""
    printed = (page.pieces != EMPTY) & ~np.append(blank, True)[page.pieces]
    rows, cols = np.flatnonzero(printed.any(axis=1)), np.flatnonzero(printed.any(axis=0))
    if not len(rows):
        return Board(page.pieces[:0, :0], page.turns[:0, :0])
    part = np.s_[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
    return Board(page.pieces[part], page.turns[part])


def _side_by_side(pages: list[Board]) -> Board:
    """An empty column between two."""
    high = max(len(page.pieces) for page in pages)
    size = [((0, high - len(page.pieces)), (0, 1)) for page in pages]
    pieces, turns = (
        np.concatenate(
            [np.pad(getattr(page, what), pad, constant_values=fill) for page, pad in zip(pages, size, strict=True)],
            axis=1,
        )
        for what, fill in (("pieces", EMPTY), ("turns", 0))
    )
    return Board(pieces[:, :-1], turns[:, :-1])


def _perfect(puzzle: Strips, ours: list[Board], theirs: list[Board], names: Numbers) -> float:
    """The share of their pages that one of ours shows, no more and no less."""
    if not (ours and theirs):
        return float(not ours and not theirs)
    right = pieces_right(puzzle, ours, theirs, {"": names})[""]
    counts = [np.array([page.count for page in pages]) for pages in (theirs, ours)]
    whole = (right == counts[0][:, np.newaxis]) & (right == counts[1])
    return float(whole.any(axis=1).mean())


def _standing(puzzle: Strips, answer: Board, pages: list[Board]) -> float:
    """The share of the original's pages most of whose pieces lie the right way up."""
    lying = np.full(puzzle.count, -1)
    laid = answer.pieces != EMPTY
    lying[answer.pieces[laid]] = answer.turns[laid] % 4
    shares = []
    for page in pages:
        there = page.pieces != EMPTY
        shares.append(float((lying[page.pieces[there]] == page.turns[there] % 4).mean() > 0.5))
    return float(np.mean(shares)) if shares else 1.0
