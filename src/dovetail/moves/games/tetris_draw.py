"""Tetris boards as pictures: the familiar colours, each with its letter; the last piece outlined, the coming above."""

from ...picture import Line, Picture, Point, Polygon, Text
from .tetris import EMPTY, GIVEN, Tetris, TetrisPlay, turned

COLOURS = {
    "I": "#56C5E8", "O": "#F2D33C", "T": "#B07CD8", "S": "#66BF5A", "Z": "#E8604C", "J": "#4A78D0", "L": "#F09A36",
    GIVEN: "#8A8F98",
}  # fmt: skip
GROUND, WELL, GRID, WALL, INK, PAPER = "#23262E", "#14161B", "#262A33", "#5A6070", "#1A1C20", "#F4F6FA"
MARGIN, HEAD, SIDE = 0.5, 3.2, 4.6  # cells around the board: left and below, above, right
SCALE, MOST_PIXELS = 28.0, 1200


def drawn(puzzle: Tetris, play: TetrisPlay) -> Picture:
    """The board with what lies on it; the piece to come above it, as it is before any turn; the count beside it."""
    width, height = puzzle.cols + MARGIN + SIDE, puzzle.rows + HEAD + MARGIN
    picture = Picture(width, height, min(SCALE, MOST_PIXELS / max(width, height)), GROUND)
    _board(picture, puzzle)
    for row, line in enumerate(play.board):
        for col, letter in enumerate(line):
            if letter != EMPTY:
                _block(picture, HEAD + row, MARGIN + col, letter)
    _outline(picture, set(play.last))
    right = MARGIN + puzzle.cols + SIDE / 2
    if play.solved:
        picture.add(Text((MARGIN + puzzle.cols / 2, HEAD / 2), "goal reached", 0.9, PAPER))
    else:
        _coming(picture, play.coming[0], HEAD / 2, MARGIN + puzzle.cols / 2, 1.0)
        if not play.options:
            picture.add(Text((MARGIN + puzzle.cols / 2, 0.35), "fits nowhere", 0.55, PAPER))
        if puzzle.preview:
            picture.add(Text((right, HEAD + 0.2), "NEXT", 0.5, PAPER))
            _coming(picture, play.coming[1], HEAD + 1.4, right, 0.7)
    middle = min(HEAD + 4.0, height - 2.2)
    picture.add(Text((right, middle), "LINES", 0.5, PAPER))
    picture.add(Text((right, middle + 0.9), f"{play.lines}", 1.1, PAPER))
    picture.add(Text((right, middle + 1.8), f"of {puzzle.goal}", 0.5, PAPER))
    return picture


def _board(picture: Picture, puzzle: Tetris) -> None:
    """The well, its grid, and its walls; open above."""
    rows, cols = puzzle.rows, puzzle.cols
    picture.add(Polygon(_corners(HEAD, MARGIN, rows, cols), WELL))
    for col in range(1, cols):
        picture.add(Line(((MARGIN + col, HEAD), (MARGIN + col, HEAD + rows)), GRID, 0.03))
    for row in range(1, rows):
        picture.add(Line(((MARGIN, HEAD + row), (MARGIN + cols, HEAD + row)), GRID, 0.03))
    left, right, floor = MARGIN - 0.1, MARGIN + cols + 0.1, HEAD + rows + 0.1
    picture.add(Line(((left, HEAD), (left, floor), (right, floor), (right, HEAD)), WALL, 0.2))


def _block(picture: Picture, top: float, left: float, letter: str, size: float = 1.0) -> None:
    """One cell of a piece, with its letter for those who do not see the colour."""
    gap = 0.04 * size
    side = size - 2 * gap
    picture.add(Polygon(_corners(top + gap, left + gap, side, side), COLOURS[letter]))
    picture.add(Line(((left + 2 * gap, top + 2 * gap), (left + size - 2 * gap, top + 2 * gap)), PAPER, 0.05 * size))
    if letter != GIVEN:
        colour = PAPER if letter == "J" else INK
        picture.add(Text((left + size / 2, top + size / 2 + 0.03), letter, 0.45 * size, colour))


def _outline(picture: Picture, cells: set[tuple[int, int]]) -> None:
    """A light line around what is left of the last piece."""
    for row, col in cells:
        top, left = HEAD + row, MARGIN + col
        sides: list[tuple[tuple[int, int], tuple[Point, Point]]] = [
            ((row - 1, col), ((left, top), (left + 1, top))),
            ((row + 1, col), ((left, top + 1), (left + 1, top + 1))),
            ((row, col - 1), ((left, top), (left, top + 1))),
            ((row, col + 1), ((left + 1, top), (left + 1, top + 1))),
        ]
        picture.add(*(Line(points, PAPER, 0.11) for beside, points in sides if beside not in cells))


def _coming(picture: Picture, piece: str, middle: float, centre: float, size: float) -> None:
    """A piece that has not yet fallen, centred."""
    shape = turned(piece, 0)
    rows, cols = (max(place) + 1 for place in zip(*shape, strict=True))
    for row, col in shape:
        _block(picture, middle + (row - rows / 2) * size, centre + (col - cols / 2) * size, piece, size)


def _corners(top: float, left: float, rows: float, cols: float) -> tuple[Point, ...]:
    return ((left, top), (left + cols, top), (left + cols, top + rows), (left, top + rows))
