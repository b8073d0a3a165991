"""How much of the original an answer has: pieces in their place, neighbours kept, pictures told apart."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..core.puzzle import EMPTY
from .board import Board, Numbers, moved_turns, own_sides
from .puzzle import MOST_CELLS, Jigsaw

SIDES = 4  # of a piece: q in the mixed-bag literature
NOBODY, ABSENT = -1, -2  # beside a piece, where nothing lies; and for one that does not lie itself
STEPS = ((0, 1), (-1, 0), (0, -1), (1, 0))  # rows and columns to the right, up, left, down
SPAN = 2 * MOST_CELLS + 1  # how many shifts along one side there can be
Shift = tuple[int, int]  # rows and columns that an answer is moved by to lie on its original


class Homes(NamedTuple):
    """Of every piece of the puzzle: its picture (NOBODY for foreign pieces), cell in it, and turn. [count]"""

    picture: Numbers
    row: Numbers
    col: Numbers
    turn: Numbers


def likeness(puzzle: Jigsaw, answer: Board, original: Board, namings: Mapping[str, Numbers]) -> dict[str, float]:
    """The scores; under a naming's suffix, ``names[piece, turn]`` are equal for what counts as the same piece."""
    cut = Board.pictures if puzzle.mixed else lambda board: [board]
    answers, originals = cut(answer), cut(original)
    right = pieces_right(puzzle, answers, originals, namings)
    total, scores = original.count, {}
    for suffix, names in namings.items():
        direct = _matched(right[suffix])
        scores[f"direct{suffix}"] = direct / total
        scores[f"neighbour{suffix}"] = neighbours_kept(puzzle, answer, original, names)
        scores[f"perfect{suffix}"] = float(direct == total == answer.count)
    if puzzle.mixed:
        scores |= _told_apart(puzzle, answers, originals, right[""])
        scores["pictures_original"] = len(originals)
    if puzzle.foreign:
        own, laid = np.isin(np.arange(puzzle.count), original.pieces), np.isin(np.arange(puzzle.count), answer.pieces)
        scores["foreign_left_out"] = float((~laid[~own]).mean()) if not own.all() else 1.0
        scores["own_left_out"] = float((~laid[own]).mean())
    return scores


def pieces_right(
    puzzle: Jigsaw, answers: list[Board], originals: list[Board], namings: Mapping[str, Numbers]
) -> dict[str, Numbers]:
    """The most pieces of each original that lie right in each answer, however that is moved. [original, answer]

    Where the frame is known, so is where an answer lies in it. Else it is shifted as most of its pieces, by number, ask
    for; or, for pieces that look alike, corner on corner. (One stray piece at the rim must not make the rest wrong.)
    """
    right = {suffix: np.zeros((len(originals), len(answers)), np.int64) for suffix in namings}
    wanted = {suffix: [names[each.pieces, each.turns] for each in originals] for suffix, names in namings.items()}
    homes = _homes(puzzle, originals)
    for at, answer in enumerate(answers):
        for motion in puzzle.turns:
            moved = answer.moved(motion)
            shifts = [{(0, 0)} for _ in originals]
            if puzzle.rows is None:
                for picture, shift in _asked_for(moved, homes):
                    shifts[picture].add(shift)
            elif moved.pieces.shape != originals[0].pieces.shape:
                continue  # it would not fit the frame
            for suffix, names in namings.items():
                shown = names[moved.pieces, moved.turns]
                for picture, theirs in enumerate(wanted[suffix]):
                    most = max(_same(shown, theirs, shift) for shift in shifts[picture])
                    right[suffix][picture, at] = max(most, right[suffix][picture, at])
    return right


def neighbours_kept(puzzle: Jigsaw, answer: Board, original: Board, names: Numbers) -> float:
    """The share of the original's pairs of neighbours that are neighbours again; 1 where it has none."""
    theirs, their_counts = np.unique(_pairs(puzzle, original, names), return_counts=True)
    ours, our_counts = np.unique(_pairs(puzzle, answer, names), return_counts=True)
    _, at, there = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    kept, pairs = int(np.minimum(our_counts[at], their_counts[there]).sum()), int(their_counts.sum())
    return kept / pairs if pairs else 1.0


def _homes(puzzle: Jigsaw, originals: list[Board]) -> Homes:
    homes = Homes(*(np.full(puzzle.count, NOBODY) for _ in Homes._fields))
    for picture, board in enumerate(originals):
        rows, cols = np.nonzero(board.pieces != EMPTY)
        pieces = board.pieces[rows, cols]
        homes.picture[pieces], homes.row[pieces], homes.col[pieces] = picture, rows, cols
        homes.turn[pieces] = board.turns[rows, cols]
    return homes


def _asked_for(answer: Board, homes: Homes) -> list[tuple[int, Shift]]:
    """Of each picture that pieces are turned as in, the shift most of them ask for; of several, the least."""
    rows, cols = np.nonzero(answer.pieces != EMPTY)
    pieces = answer.pieces[rows, cols]
    upright = (homes.picture[pieces] != NOBODY) & (homes.turn[pieces] == answer.turns[rows, cols])
    rows, cols, pieces = rows[upright], cols[upright], pieces[upright]
    down, right = homes.row[pieces] - rows + MOST_CELLS, homes.col[pieces] - cols + MOST_CELLS
    votes, counts = np.unique((homes.picture[pieces] * SPAN + down) * SPAN + right, return_counts=True)
    pictures = votes // SPAN**2
    best = [np.flatnonzero(pictures == each)[counts[pictures == each].argmax()] for each in np.unique(pictures)]
    return [
        (int(vote // SPAN**2), (int(vote // SPAN % SPAN) - MOST_CELLS, int(vote % SPAN) - MOST_CELLS))
        for vote in votes[best]
    ]


def _same(shown: Numbers, wanted: Numbers, shift: Shift) -> int:
    """Cells that show the same where the two overlap, which they do."""
    (down, right), (rows, cols) = shift, shown.shape
    top, left = max(down, 0), max(right, 0)
    theirs = wanted[top : down + rows, left : right + cols]
    ours = shown[top - down :, left - right :][: theirs.shape[0], : theirs.shape[1]]
    return int(((ours == theirs) & (theirs != EMPTY)).sum())


def _matched(right: Numbers) -> int:
    """Pieces in their place where every original has one answer and every answer one original, as well as it goes."""
    if right.shape == (1, 1):
        return int(right[0, 0])
    from scipy.optimize import linear_sum_assignment

    return int(right[linear_sum_assignment(right, maximize=True)].sum())


def _pairs(puzzle: Jigsaw, board: Board, names: Numbers) -> Numbers:
    """A number for each pair of neighbours, the same however the board as a whole is moved."""
    most = int(names.max()) + 1
    quarters = 1 in puzzle.turns
    found = []
    for down, one, other in ((False, np.s_[:, :-1], np.s_[:, 1:]), (True, np.s_[:-1], np.s_[1:])):
        both = (board.pieces[one] != EMPTY) & (board.pieces[other] != EMPTY)
        (a, b), (turns_a, turns_b) = ([each[one][both], each[other][both]] for each in (board.pieces, board.turns))
        if down and quarters:  # a quarter turn lays them side by side
            turns_a, turns_b = moved_turns(turns_a, 1), moved_turns(turns_b, 1)
        upright = down and not quarters
        seen = []
        for motion in puzzle.turns:
            if motion % 2:
                continue
            first, second = names[a, moved_turns(turns_a, motion)], names[b, moved_turns(turns_b, motion)]
            if (motion % 4 == 2) != (motion >= 4 and not upright):  # they are the other way round then
                first, second = second, first
            seen.append(first * most + second)
        found.append(np.minimum.reduce(seen) + most * most * upright)
    return np.concatenate(found)


def _told_apart(puzzle: Jigsaw, answers: list[Board], originals: list[Board], right: Numbers) -> dict[str, float]:
    """EDAS and ENAS, the measures of mixed bags: means over the pictures of the original.

    Hammoudeh & Pollett, "Clustering-based, fully automated mixed-bag jigsaw puzzle solving" (2017), and Hammoudeh's
    thesis (San José 2016, chapter 4): a picture scores c / (n + foreign) and a / (4 (n + foreign)) in the answer that
    gives it most, where n counts its pieces, ``foreign`` those of other pictures in that answer, c its pieces that lie
    right, and a the sides of its pieces that touch the same side as in the original, or nothing in both. As their
    shiftable EDAS does, ours moves an answer; but by the best shift of all, which they found too dear.
    """
    owners, holders = _homes(puzzle, originals).picture, _homes(puzzle, answers).picture
    kept = (_surroundings(puzzle, originals) == _surroundings(puzzle, answers)).sum(axis=1)
    both = (owners != NOBODY) & (holders != NOBODY)
    shared, sides = np.zeros_like(right), np.zeros_like(right)  # [original, answer]
    np.add.at(shared, (owners[both], holders[both]), 1)
    np.add.at(sides, (owners[both], holders[both]), kept[both])
    sizes, holding = (np.array([board.count for board in boards], np.int64) for boards in (originals, answers))
    room = sizes[:, np.newaxis] + holding - shared
    return {
        "enhanced_direct": float((right / room).max(axis=1, initial=0).mean()),
        "enhanced_neighbour": float((sides / (SIDES * room)).max(axis=1, initial=0).mean()),
    }


def _surroundings(puzzle: Jigsaw, boards: list[Board]) -> Numbers:
    """What touches each side of a piece: a number for a side of another piece and whether both lie the same face up,
    NOBODY, or ABSENT. [count, side]
    """
    near = np.full((puzzle.count, SIDES), ABSENT)
    for board in boards:
        pieces, turns = np.pad(board.pieces, 1, constant_values=EMPTY), np.pad(board.turns, 1)
        rows, cols = np.nonzero(pieces != EMPTY)
        piece, turn = pieces[rows, cols], turns[rows, cols]
        for direction, (down, right) in enumerate(STEPS):
            other, its_turn = pieces[rows + down, cols + right], turns[rows + down, cols + right]
            side = own_sides(its_turn, (direction + 2) % 4)
            touched = (other * SIDES + side) * 2 + (turn // 4 == its_turn // 4)
            near[piece, own_sides(turn, direction)] = np.where(other == EMPTY, NOBODY, touched)
    return near
