"""2048 as it is known from the web: brown board, tiles from beige to gold, score and goal above."""

from math import cos, pi, sin

from ...picture import Picture, Point, Polygon, Text
from .twenty48 import Game2048, Play2048

SCALE = 90  # pixels a cell
GAP, CORNER, HEAD = 0.13, 0.07, 0.62  # of a cell: between tiles, rounded, above the board
PAGE, BOARD, EMPTY, DARK, LIGHT, CAME = "#FAF8EF", "#BBADA0", "#CDC1B4", "#574F47", "#F9F6F2", "#2F6DB5"
TILES = (
    "#EEE4DA", "#EDE0C8", "#F2B179", "#F59563", "#F67C5F", "#F65E3B", "#EDCF72", "#EDCC61", "#EDC850", "#EDC53F",
    "#EDC22E", "#3C3A32",
)  # fmt: skip
SIZES = (0.5, 0.5, 0.44, 0.35, 0.29, 0.25)  # of the letters, by the digits of a number


def drawn(puzzle: Game2048, play: Play2048) -> Picture:
    """The board; the tile that came last has a blue rim."""
    side = 1 + GAP
    width, height = puzzle.cols * side + GAP, puzzle.rows * side + GAP
    picture = Picture(width + 2 * GAP, height + 2 * GAP + HEAD, SCALE, PAGE)
    half = (width - GAP) / 2
    for place, (name, number) in enumerate((("score", play.score), ("goal", puzzle.goal))):
        left = GAP + place * (half + GAP)
        picture.add(Polygon(_rounded(left, GAP, half, HEAD - GAP), BOARD))
        picture.add(Text((left + half / 2, GAP + (HEAD - GAP) / 2), f"{name} {number}", 0.24, LIGHT))
    top = HEAD + GAP
    picture.add(Polygon(_rounded(GAP, top, width, height), BOARD))
    for row, line in enumerate(play.board):
        for col, tile in enumerate(line):
            x, y = 2 * GAP + col * side, top + GAP + row * side
            if not tile:
                picture.add(Polygon(_rounded(x, y, 1, 1), EMPTY))
                continue
            colour = TILES[min(tile.bit_length() - 2, len(TILES) - 1)]
            rim = CAME if play.came == (row, col) else None
            picture.add(Polygon(_rounded(x, y, 1, 1), colour, rim, 0.05 if rim else 0))
            letters = str(tile)
            fill = LIGHT if 8 <= tile <= 64 or tile > 2048 else DARK
            picture.add(Text((x + 0.5, y + 0.5), letters, SIZES[min(len(letters), len(SIZES)) - 1], fill))
    return picture


def _rounded(x: float, y: float, width: float, height: float) -> tuple[Point, ...]:
    """The outline of a rectangle with round corners, clockwise from its right upper one."""
    corners = ((x + width, y, -1, 1), (x + width, y + height, -1, -1), (x, y + height, 1, -1), (x, y, 1, 1))
    points: list[Point] = []
    for quarter, (corner_x, corner_y, inward_x, inward_y) in enumerate(corners):
        for step in range(5):
            angle = (quarter - 1 + step / 4) * pi / 2
            points.append((corner_x + CORNER * (inward_x + cos(angle)), corner_y + CORNER * (inward_y + sin(angle))))
    return tuple(points)
