"""Pictures of polygon puzzles."""

from ..core.errors import BadInput
from ..core.puzzle import Locations
from ..picture import Picture
from .draw import FILLS
from .polygons import FARTHEST, Polygons, Ring
from .polygons_canvas import SHADOW, Canvas, longest, moved

GAP = 0.05  # between pieces that lie apart, of the silhouette's longer side
ACROSS = (1.2, 1.8, 2.6, 3.6)  # of it: how wide a row of them is, if that makes them low enough
LOW = 1.2  # of it


def draw(puzzle: Polygons, solution: Locations | None) -> Picture:
    """The pieces where they lie in the frame, or the silhouette and the pieces beside it."""
    unit = longest(puzzle.frame)
    pieces = _beside(puzzle, unit) if solution is None else _laid(puzzle, solution)
    canvas = Canvas([*puzzle.frame, *pieces], unit)
    canvas.silhouette(puzzle.frame, SHADOW)
    for number, piece in enumerate(pieces):
        fill, ink = FILLS[number % len(FILLS)]
        canvas.piece(piece, fill)
        canvas.number(number, piece, ink)
    if solution is not None:
        canvas.outline(puzzle.frame)
    return canvas.picture


def _laid(puzzle: Polygons, solution: Locations) -> list[Ring]:
    """The first pieces, if there are fewer locations."""
    if len(solution.at) > len(puzzle.pieces):
        raise BadInput(f"cannot draw this solution: it places {len(solution.at)} of {len(puzzle.pieces)} pieces")
    if any(abs(value) > 4 * FARTHEST for at in solution.at for value in at):
        raise BadInput("cannot draw this solution: a piece is moved out of sight")
    return [moved(piece, dx, dy) for piece, (dx, dy) in zip(puzzle.pieces, solution.at, strict=False)]


def _beside(puzzle: Polygons, unit: float) -> list[Ring]:
    """In rows to the right of the silhouette, however the puzzle lists them."""
    pieces: list[Ring] = []
    for across in ACROSS:
        pieces = _in_rows(puzzle, unit, across * unit)
        if max(y for piece in pieces for _, y in piece) - min(y for piece in pieces for _, y in piece) <= LOW * unit:
            break
    return pieces


def _in_rows(puzzle: Polygons, unit: float, across: float) -> list[Ring]:
    xs, ys = zip(*(point for ring in puzzle.frame for point in ring), strict=True)
    left, top, x, y, height = max(xs) + 2 * GAP * unit, max(ys), 0.0, 0.0, 0.0
    pieces = []
    for piece in puzzle.pieces:
        px, py = zip(*piece, strict=True)
        wide, high = max(px) - min(px), max(py) - min(py)
        if x and x + wide > across:
            x, y, height = 0.0, y + height + GAP * unit, 0.0
        pieces.append(moved(piece, left + x - min(px), top - y - max(py)))
        x, height = x + wide + GAP * unit, max(height, high)
    return pieces
