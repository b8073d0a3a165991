"""The jigsaw checker's scores once more, slowly: pieces are little sheets of paper that are turned and turned over.

A sheet is what shows on top and what lies right below it, pixel under pixel. For scores by number every pixel of a
piece is made different from all others, so that sheets are alike only if they are the same piece lying the same way.
"""

import math
from collections import Counter
from itertools import permutations

import numpy as np
from skimage.color import rgb2lab

from dovetail.core.puzzle import EMPTY, Placement
from dovetail.jigsaw.puzzle import Jigsaw

Face = tuple[tuple[object, ...], ...]
Sheet = tuple[Face, Face]  # on top, and below as if one could look through
Cell = tuple[int, int]  # row, col
Sheets = dict[Cell, Sheet]
Owners = dict[Cell, int]
STEPS = ((0, 1), (-1, 0), (0, -1), (1, 0))  # right, up, left, down


def quarter(face: Face) -> Face:
    """Counter-clockwise."""
    return tuple(zip(*face, strict=True))[::-1]


def mirrored(face: Face) -> Face:
    return tuple(row[::-1] for row in face)


def lain(sheet: Sheet, turn: int) -> Sheet:
    """Turned over like a page if the turn is 4 or more, then by quarters."""
    top, below = sheet
    if turn >= 4:
        top, below = mirrored(below), mirrored(top)
    for _ in range(turn % 4):
        top, below = quarter(top), quarter(below)
    return top, below


def sheet(puzzle: Jigsaw, piece: int, by_content: bool) -> Sheet:
    """As the puzzle lists the piece, front up."""
    if by_content:
        faces = [tuple(tuple(map(tuple, row)) for row in face) for face in puzzle.faces[piece].tolist()]
    else:
        spots = [(r, c) for r in range(puzzle.height) for c in range(puzzle.width)]
        faces = [
            tuple(
                tuple((piece, side, spots[r * puzzle.width + c]) for c in range(puzzle.width))
                for r in range(puzzle.height)
            )
            for side in range(puzzle.sides)
        ]
    return faces[0], mirrored(faces[1]) if puzzle.sides == 2 else ()


def owners_of(board: Placement) -> Owners:
    return {(r, c): p for r, row in enumerate(board.pieces) for c, p in enumerate(row) if p != EMPTY}


def sheets_of(puzzle: Jigsaw, board: Placement, by_content: bool) -> Sheets:
    return {(r, c): lain(sheet(puzzle, p, by_content), board.turns[r][c]) for (r, c), p in owners_of(board).items()}


def moved(sheets: Sheets, shape: tuple[int, int], motion: int) -> tuple[Sheets, tuple[int, int]]:
    """All of a board of that shape at once."""
    rows, cols = shape
    if motion >= 4:
        sheets = {(r, cols - 1 - c): lain(s, 4) for (r, c), s in sheets.items()}
    for _ in range(motion % 4):
        sheets = {(cols - 1 - c, r): lain(s, 1) for (r, c), s in sheets.items()}
        rows, cols = cols, rows
    return sheets, (rows, cols)


def shifted(sheets: Sheets, down: int, right: int) -> Sheets:
    return {(r + down, c + right): s for (r, c), s in sheets.items()}


def at_the_corner(sheets: Sheets) -> Sheets:
    return shifted(sheets, -min((r for r, _ in sheets), default=0), -min((c for _, c in sheets), default=0))


def agreeing(ours: Sheets, theirs: Sheets) -> int:
    return sum(ours.get(cell) == s for cell, s in theirs.items())


def cut(board: Placement) -> list[Placement]:
    """The pictures between empty columns, each on a board as high as before."""
    empty = [all(row[c] == EMPTY for row in board.pieces) for c in range(len(board.pieces[0]) if board.pieces else 0)]
    groups: list[list[int]] = [[]]
    for c, nothing in enumerate(empty):
        if nothing:
            groups.append([])
        else:
            groups[-1].append(c)

    def part(rows: tuple[tuple[int, ...], ...], cols: list[int]) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(row[c] for c in cols) for row in rows)

    return [Placement(part(board.pieces, cols), part(board.turns, cols)) for cols in groups if cols]


def most_right(puzzle: Jigsaw, answer: Placement, truth: Placement, by_content: bool) -> int:
    """Pieces in their place, however the answer is moved."""
    shape = (len(answer.pieces), len(answer.pieces[0]) if answer.pieces else 0)
    best = 0
    wanted = {content: sheets_of(puzzle, truth, content) for content in (False, True)}
    for motion in puzzle.turns:
        ours, size = {}, shape
        for content in (False, True):
            ours[content], size = moved(sheets_of(puzzle, answer, content), shape, motion)
        if puzzle.rows is not None:
            if size == (puzzle.rows, puzzle.cols):
                best = max(best, agreeing(ours[by_content], wanted[by_content]))
            continue
        corner = {content: at_the_corner(ours[content]) for content in ours}
        theirs = {content: at_the_corner(wanted[content]) for content in wanted}
        reach = range(-max(map(max, [*corner[False], (0, 0)])), max(map(max, [*theirs[False], (0, 0)])) + 1)
        by_number = {
            (down, right): agreeing(shifted(corner[False], down, right), theirs[False])
            for down in reach
            for right in reach
        }
        asked = max(sorted(by_number), key=lambda shift: by_number[shift])
        for shift in (asked, (0, 0)) if by_number[asked] else [(0, 0)]:
            best = max(best, agreeing(shifted(corner[by_content], *shift), theirs[by_content]))
    return best


def direct(puzzle: Jigsaw, answer: Placement, truth: Placement, by_content: bool) -> tuple[float, float]:
    """Direct, and perfect; of several pictures by trying every way to match them."""
    total, laid = len(owners_of(truth)), len(owners_of(answer))
    if not puzzle.mixed:
        right = most_right(puzzle, answer, truth, by_content)
    else:
        table = [[most_right(puzzle, ours, theirs, by_content) for ours in cut(answer)] for theirs in cut(truth)]
        spare = [[*row, *[0] * len(table)] for row in table]
        right = max(
            sum(row[at] for row, at in zip(spare, way, strict=True))
            for way in permutations(range(len(spare[0])), len(spare))
        )
    return right / total, float(right == total == laid)


def neighbour(puzzle: Jigsaw, answer: Placement, truth: Placement, by_content: bool) -> float:
    def pairs(board: Placement) -> Counter[object]:
        found: Counter[object] = Counter()
        sheets = sheets_of(puzzle, board, by_content)
        for (r, c), one in sheets.items():
            for beside in ((r, c + 1), (r + 1, c)):
                if beside in sheets:
                    two = {(0, 0): one, (beside[0] - r, beside[1] - c): sheets[beside]}
                    shape = (1 + beside[0] - r, 1 + beside[1] - c)
                    found[min(tuple(sorted(moved(two, shape, m)[0].items())) for m in puzzle.turns)] += 1
        return found

    theirs = pairs(truth)
    return (pairs(answer) & theirs).total() / theirs.total() if theirs else 1.0


def enhanced(puzzle: Jigsaw, answer: Placement, truth: Placement) -> tuple[float, float]:
    """EDAS and ENAS, picture by picture and side by side."""

    def rims(board: Placement) -> dict[tuple[int, int], object]:
        """Of every corner-to-corner side of a piece (by its first pixel spots on the front): what it touches."""
        sheets, owners = sheets_of(puzzle, board, by_content=False), owners_of(board)
        found: dict[tuple[int, int], object] = {}
        for (r, c), piece in owners.items():
            for direction, (down, right) in enumerate(STEPS):
                other = (r + down, c + right)
                side = facing(puzzle, piece, sheets[r, c], direction)
                if other not in owners:
                    found[piece, side] = None
                    continue
                its_side = facing(puzzle, owners[other], sheets[other], (direction + 2) % 4)
                faces = up(puzzle, piece, sheets[r, c]) == up(puzzle, owners[other], sheets[other])
                found[piece, side] = (owners[other], its_side, faces)
        return found

    ours, theirs = rims(answer), rims(truth)
    outputs = cut(answer)
    direct_scores, neighbour_scores = [], []
    for picture in cut(truth):
        members = set(owners_of(picture).values())
        best_direct = best_neighbour = 0.0
        for output in outputs:
            inside = set(owners_of(output).values())
            room = len(members) + len(inside - members)
            sides = sum(ours[key] == theirs[key] for key in theirs if key[0] in members & inside)
            best_direct = max(best_direct, most_right(puzzle, output, picture, by_content=False) / room)
            best_neighbour = max(best_neighbour, sides / (4 * room))
        direct_scores.append(best_direct)
        neighbour_scores.append(best_neighbour)
    return sum(direct_scores) / len(direct_scores), sum(neighbour_scores) / len(neighbour_scores)


def facing(puzzle: Jigsaw, piece: int, lying: Sheet, direction: int) -> int:
    """Which of a piece's own sides looks that way: the one whose pixels are there, front or back."""

    def edge(face: Face, way: int) -> frozenset[object]:
        rows = {0: [row[-1] for row in face], 1: face[0], 2: [row[0] for row in face], 3: face[-1]}
        return frozenset(rows[way])

    front = sheet(puzzle, piece, by_content=False)[0]
    top, below = lying
    seen = top if up(puzzle, piece, lying) else below
    (side,) = (way for way in range(4) if edge(front, way) == edge(seen, direction))
    return side


def up(puzzle: Jigsaw, piece: int, lying: Sheet) -> bool:
    """Whether the front is."""
    front = sheet(puzzle, piece, by_content=False)[0]
    return {spot for row in front for spot in row} == {spot for row in lying[0] for spot in row}


def dissimilarity(puzzle: Jigsaw, board: Placement) -> float:
    """From the colours of whole pieces, pixel by pixel, on top and below."""
    sheets, total = sheets_of(puzzle, board, by_content=True), 0.0
    for side in range(puzzle.sides):
        colours = {
            cell: rgb2lab(np.array(s[side]).repeat(3 if puzzle.channels == 1 else 1, axis=-1) / 255)
            for cell, s in sheets.items()
        }
        for (r, c), colour in colours.items():
            if (r, c + 1) in colours:
                total += _apart(colour[:, -1], colours[r, c + 1][:, 0])
            if (r + 1, c) in colours:
                total += _apart(colour[-1], colours[r + 1, c][0])
    return total


def _apart(one: np.ndarray[tuple[int, ...], np.dtype[np.float64]], other: object) -> float:
    return math.sqrt(float(((one - other) ** 2).sum()))  # type: ignore[operator]
