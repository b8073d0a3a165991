"""Pictures of flood boards: colours with their digits, an outline around the corner's area, dots where it just grew."""

from ...picture import Line, Picture, Polygon, Text, Wedge
from .flood import Flood, FloodPlay

# told apart by most people who see few colours; for all others there are the digits. Each with the ink that shows on it
PALETTE = (
    ("#D55E00", "#FFFFFF"), ("#F0E442", "#202020"), ("#009E73", "#FFFFFF"), ("#0072B2", "#FFFFFF"),
    ("#F5B041", "#202020"), ("#CC79A7", "#202020"), ("#56B4E9", "#202020"), ("#6E6E6E", "#FFFFFF"),
    ("#F3EBDD", "#202020"), ("#3B2F5C", "#FFFFFF"),
)  # fmt: skip
INK, PAPER = "#101010", "#FFFFFF"
MARGIN, FOOT = 0.35, 1.1  # around the board and, for the words, below it, in cells
SIDE, SCALES = 640, (8.0, 40.0)  # pixels of a usual board, and the smallest and largest of a cell


def drawn(puzzle: Flood, play: FloodPlay) -> Picture:
    """How the board stands."""
    rows, cols = puzzle.rows, puzzle.cols
    scale = min(SCALES[1], max(SCALES[0], SIDE / max(rows, cols)))
    width = max(cols, 7.0) + 2 * MARGIN  # room for the words
    left = (width - cols) / 2
    picture = Picture(width, rows + 2 * MARGIN + FOOT, scale, PAPER)
    for cell, colour in enumerate(play.cells):
        fill, ink = PALETTE[colour]
        x, y = left + cell % cols, MARGIN + cell // cols
        grid = None if cell in play.area else PAPER
        picture.add(Polygon(((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)), fill, grid or fill, 0.04))
        if cell == 0 or cell not in play.area:
            picture.add(Text((x + 0.5, y + 0.5), str(colour), 0.5, ink))
        elif cell in play.won:
            picture.add(Wedge((x + 0.5, y + 0.5), 0.12, 0, 359.9, ink))
    for one, other in _outline(puzzle, play):
        ends = tuple((left + col, MARGIN + row) for row, col in (one, other))
        picture.add(Line(ends, INK, 0.1))
    picture.add(Text((width / 2, rows + 2 * MARGIN + FOOT / 2 - 0.1), _words(puzzle, play), 0.55, INK))
    return picture


def _outline(puzzle: Flood, play: FloodPlay) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The sides of the area's cells that are on its rim, from corner to corner."""
    found = []
    for cell in sorted(play.area):
        row, col = divmod(cell, puzzle.cols)
        sides = (
            (row > 0, cell - puzzle.cols, (row, col), (row, col + 1)),
            (row + 1 < puzzle.rows, cell + puzzle.cols, (row + 1, col), (row + 1, col + 1)),
            (col > 0, cell - 1, (row, col), (row + 1, col)),
            (col + 1 < puzzle.cols, cell + 1, (row, col + 1), (row + 1, col + 1)),
        )
        found += [(one, other) for inside, beside, one, other in sides if not (inside and beside in play.area)]
    return found


def _words(puzzle: Flood, play: FloodPlay) -> str:
    limit = f" of {puzzle.most}" if puzzle.most else ""
    return f"{play.played}{limit} move{'' if (puzzle.most or play.played) == 1 else 's'}"
