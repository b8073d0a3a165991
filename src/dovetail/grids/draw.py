"""What pictures of logic grids have in common: cells, numbers, lines between cells, in units of one cell."""

from collections.abc import Iterable, Sequence

from ..picture import MISTAKE, Line, Picture, Point, Polygon, Text

INK, GIVEN, FOUND, THIN, PAPER = "#202020", "#000000", "#1F4E9E", "#A0A0A0", "#FFFFFF"
MARGIN = 0.3
# told apart by people who see few colours, too; for paths and coloured nonograms
PALETTE = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#8C6BB1", "#B8A100", "#7F7F7F", "#2CA25F",
)  # fmt: skip


def board(rows: float, cols: float, left: float = 0.0, top: float = 0.0, scale: float = 40.0) -> Picture:
    """An empty canvas for so many cells, with room at the left and on top (for the clues of a nonogram)."""
    return Picture(cols + left + 2 * MARGIN, rows + top + 2 * MARGIN, scale, PAPER)


def cell(row: float, col: float, fill: str | None, stroke: str | None = THIN, width: float = 0.02) -> Polygon:
    """One square."""
    x, y = col + MARGIN, row + MARGIN
    return Polygon(((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)), fill, stroke, width)


def number(row: float, col: float, text: object, size: float = 0.6, colour: str = GIVEN) -> Text:
    """Text in the middle of a cell."""
    return Text((col + MARGIN + 0.5, row + MARGIN + 0.5), str(text), size, colour)


def line(points: Iterable[tuple[float, float]], colour: str = INK, width: float = 0.06) -> Line:
    """A path through (row, col) points, cell corners at whole numbers."""
    path: list[Point] = [(col + MARGIN, row + MARGIN) for row, col in points]
    return Line(tuple(path), colour, width)


def borders(regions: Sequence[int], rows: int, cols: int, colour: str = INK, width: float = 0.07) -> list[Line]:
    """Thick lines wherever two neighbouring cells belong to different regions, and around the board."""
    found = [line(((0, 0), (0, cols), (rows, cols), (rows, 0), (0, 0)), colour, width)]
    for r in range(rows):
        for c in range(cols):
            if c + 1 < cols and regions[r * cols + c] != regions[r * cols + c + 1]:
                found.append(line(((r, c + 1), (r + 1, c + 1)), colour, width))
            if r + 1 < rows and regions[r * cols + c] != regions[(r + 1) * cols + c]:
                found.append(line(((r + 1, c), (r + 1, c + 1)), colour, width))
    return found


def ink(wrong: bool, given: bool) -> str:
    """Givens black, answers blue, mistakes red."""
    return MISTAKE if wrong else GIVEN if given else FOUND
