"""Sudokus as pictures."""

from collections.abc import Collection, Mapping, Sequence

from ...picture import Line, Picture, Text
from .. import draw
from ..kind import OPEN
from .sudoku import Cage, Sudoku, units

CAGE, DIAGONAL, BROKEN = "#B05A00", "#E9EEF7", "#FCE4E4"
INSET = 0.08  # of the lines around a cage
CLUE = 0.22  # how large a sum is drawn


def picture(puzzle: Sudoku, values: Sequence[int], marks: Mapping[int, str], wrong: Collection[int]) -> Picture:
    """What breaks a rule lies on a red ground, and the numbers to blame are red: all of a unit seldom are."""
    n = puzzle.n
    shown = [given if value == OPEN else value for given, value in zip(puzzle.givens, values, strict=True)]
    blamed = _blamed(puzzle, shown)
    made = draw.board(n, n)
    for cell in range(n * n):
        row, col = divmod(cell, n)
        on_diagonal = puzzle.diagonals and (row == col or row + col == n - 1)
        ground = BROKEN if cell in wrong else DIAGONAL if on_diagonal else draw.PAPER
        made.add(draw.cell(row, col, marks.get(cell, ground)))
    made.add(*draw.borders(puzzle.regions, n, n))
    for cage in puzzle.cages:
        made.add(*_outline(cage, n), _sum(cage, n))
    size = 0.6 if n <= 9 else 0.5
    for cell, value in enumerate(shown):
        if value > 0:
            row, col = divmod(cell, n)
            lowered = 0.06 if puzzle.cages else 0.0  # below the sum of a cage
            colour = draw.ink(cell in blamed, bool(puzzle.givens[cell]))
            made.add(draw.number(row + lowered, col, value, size, colour))
    return made


def _blamed(puzzle: Sudoku, shown: Sequence[int]) -> set[int]:
    """The cells whose number clashes with another, is not the given one or no number at all, or spoils a sum."""
    found = {
        cell
        for cell, (given, value) in enumerate(zip(puzzle.givens, shown, strict=True))
        if given not in (0, value) or not 0 <= value <= puzzle.n
    }
    cages = [(cage.total, cage.cells) for cage in puzzle.cages]
    for cells in (*(cells for _, cells in units(puzzle.n, puzzle.regions, puzzle.diagonals)), *(c for _, c in cages)):
        held = [shown[cell] for cell in cells]
        found |= {cell for cell, value in zip(cells, held, strict=True) if value and held.count(value) > 1}
    for total, cells in cages:
        if all(shown[cell] for cell in cells) and sum(shown[cell] for cell in cells) != total:
            found.update(cells)
    return found


def _outline(cage: Cage, n: int) -> list[Line]:
    """Lines a little inside the cells of a cage, around corners too."""
    within = {divmod(cell, n) for cell in cage.cells}
    found = []
    for row, col in sorted(within):
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if (row + down, col + right) in within:
                continue
            along = (abs(right), abs(down))  # the direction of the line
            ends = []
            for sign in (-1, 1):
                beside = (row + sign * along[0], col + sign * along[1])
                corner = (beside[0] + down, beside[1] + right)
                short = INSET if beside not in within else -INSET if corner in within else 0.0
                ends.append(
                    (
                        row + 0.5 + down * (0.5 - INSET) + sign * along[0] * (0.5 - short),
                        col + 0.5 + right * (0.5 - INSET) + sign * along[1] * (0.5 - short),
                    )
                )
            found.append(draw.line(ends, CAGE, 0.025))
    return found


def _sum(cage: Cage, n: int) -> Text:
    """In the corner of its first cell; texts are centred on their point, so the middle moves with the length."""
    row, col = divmod(cage.cells[0], n)
    text = str(cage.total)
    return Text((col + draw.MARGIN + 0.12 + 0.29 * CLUE * len(text), row + draw.MARGIN + 0.22), text, CLUE, CAGE)
