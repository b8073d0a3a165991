"""Trays as pictures."""

from ...picture import Picture, Polygon, Text
from .fifteen import GAP, FifteenPlay

FRAME, FLOOR = "#5B3A1E", "#3A2412"
# light upper edge, face, dark lower edge; what is in place has a paler wood, which differs in brightness too
WOOD = ("#D9A566", "#C08A4A", "#8A5A28")
HOME = ("#FBF0D2", "#F0DEB0", "#B99A5C")
INK, SLID = "#2E1A0B", "#1F6FB2"
MARGIN, GROOVE, BEVEL, CUT = 0.22, 0.03, 0.06, 0.1
PIXELS, MOST_PIXELS = 80.0, 800


def drawn(play: FifteenPlay) -> Picture:
    """The tray as it stands."""
    width, height = play.cols + 2 * MARGIN, play.rows + 2 * MARGIN
    scale = min(PIXELS, MOST_PIXELS / max(width, height))
    picture = Picture(width, height, scale=scale, background=FRAME)
    picture.add(_box(MARGIN, MARGIN, play.rows, play.cols, FLOOR))
    for index, (tile, wanted) in enumerate(zip(play.tiles, play.goal, strict=True)):
        if tile != GAP:
            row, col = divmod(index, play.cols)
            picture.add(*_tile(row, col, HOME if tile == wanted else WOOD, index == play.slid))
            picture.add(Text((MARGIN + col + 0.5, MARGIN + row + 0.5), str(tile), 0.42, INK))
    return picture


def _box(north: float, west: float, rows: float, cols: float, fill: str) -> Polygon:
    south, east = north + rows, west + cols
    return Polygon(((west, north), (east, north), (east, south), (west, south)), fill)


def _tile(row: int, col: int, wood: tuple[str, str, str], slid: bool) -> list[Polygon]:
    """A tile with its corners cut, lit from above; the one that slid last has a rim."""
    light, face, dark = wood
    north, west, side = MARGIN + row + GROOVE, MARGIN + col + GROOVE, 1 - 2 * GROOVE

    def plate(inset: float, fill: str, stroke: str | None = None) -> Polygon:
        near, far = inset, side - inset
        corners = (
            (near + CUT, near), (far - CUT, near), (far, near + CUT), (far, far - CUT),
            (far - CUT, far), (near + CUT, far), (near, far - CUT), (near, near + CUT),
        )  # fmt: skip
        return Polygon(tuple((west + across, north + down) for across, down in corners), fill, stroke, 0.05)

    lower = Polygon(
        ((west + side, north + CUT), (west + side, north + side - CUT), (west + side - CUT, north + side),
         (west + CUT, north + side), (west, north + side - CUT), (west + side / 2, north + side / 2)),
        dark,
    )  # fmt: skip
    return [plate(0, light), lower, plate(BEVEL, face, SLID if slid else None)]
