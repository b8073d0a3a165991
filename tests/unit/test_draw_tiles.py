"""Boards of coloured tiles are drawn so that everyone sees which sides agree."""

import itertools
import math
import random
import time
from collections import Counter
from typing import TypeAlias

import pytest

from dovetail.core.puzzle import Placement
from dovetail.picture import MISTAKE, Line, Picture, Point, Polygon, Text, Wedge
from dovetail.tiles.boards import Board, Tile
from dovetail.tiles.draw import DARK, FILLS, GREY, HOLE, LIGHT, MOTIFS, WITH_MOTIF, draw_tiles, look
from dovetail.tiles.puzzle import EQUAL, SIGNED, Pin, Tiles, TilesKind, mismatched

Triple: TypeAlias = tuple[float, float, float]
Matrix: TypeAlias = tuple[Triple, Triple, Triple]

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB
EYES: dict[str, Matrix] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881),
    ),
}  # fmt: skip
TO_XYZ: Matrix = (
    (0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041),
)  # fmt: skip


def planted(
    rows: int, cols: int, colours: int, frame: str | None = "grey", match: str = EQUAL, pins: tuple[Pin, ...] = ()
) -> tuple[Tiles, Board]:
    """A puzzle that lists the tiles of a random board as they lie there, and that board."""
    choose = random.Random(rows * 1000 + cols)

    def seam() -> int:
        return choose.randint(1, colours) * (choose.choice((1, -1)) if match == SIGNED else 1)

    def rim() -> int:
        return 0 if frame == "grey" else seam()

    other = -1 if match == SIGNED else 1
    across = [[rim() if r in (0, rows) else seam() for _ in range(cols)] for r in range(rows + 1)]
    down = [[rim() if c in (0, cols) else seam() for c in range(cols + 1)] for _ in range(rows)]
    board: Board = [
        [(other * across[r][c], down[r][c + 1], across[r + 1][c], other * down[r][c]) for c in range(cols)]
        for r in range(rows)
    ]
    tiles = tuple(tile for row in board for tile in row if tile is not None)
    around = (
        *(tile[0] for tile in tiles[:cols]),
        *(tile[1] for tile in tiles[cols - 1 :: cols]),
        *(tile[2] for tile in reversed(tiles[-cols:])),
        *(tile[3] for tile in reversed(tiles[::cols])),
    )
    puzzle = Tiles(rows, cols, tiles, match=match, frame=None if frame is None else around, pins=pins)
    assert not mismatched(puzzle, board)
    return puzzle, board


def linear(colour: str) -> Triple:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (red, green, blue))
    return r, g, b


def times(matrix: Matrix, vector: Triple) -> Triple:
    a, b, c = (sum(m * v for m, v in zip(row, vector, strict=True)) for row in matrix)
    return a, b, c


def lab(colour: str, eyes: str) -> Triple:
    """L*a*b* (D65) of what these eyes see."""
    r, g, b = (min(1.0, max(0.0, v)) for v in times(EYES[eyes], linear(colour)))
    relative = (v / white for v, white in zip(times(TO_XYZ, (r, g, b)), (0.95047, 1.0, 1.08883), strict=True))
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in relative)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def apart(one: str, other: str, eyes: str) -> float:
    return math.dist(lab(one, eyes), lab(other, eyes))


def painted(picture: Picture, colour: str) -> int:
    return sum(isinstance(shape, Polygon) and shape.fill == colour for shape in picture.shapes)


def stroked(picture: Picture, colour: str) -> int:
    return sum(isinstance(shape, Line) and shape.stroke == colour for shape in picture.shapes)


def middle(shape: Polygon) -> Point:
    xs, ys = zip(*shape.points, strict=True)
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def bars(picture: Picture) -> Counter[tuple[float, float, bool]]:
    """Where the red bars lie, in tiles from the top left corner of the board, and whether they stand upright."""
    left, top = min(s.points[0] for s in picture.shapes if isinstance(s, Line) and len(s.points) == 5)
    found: Counter[tuple[float, float, bool]] = Counter()
    for shape in picture.shapes:
        if isinstance(shape, Polygon) and shape.fill == MISTAKE:
            x, y = middle(shape)
            upright = max(px for px, _ in shape.points) - x < max(py for _, py in shape.points) - y
            found[round(x - left, 3), round(y - top, 3), upright] += 1
    return found


def test_colours_below_the_limit_look_different_and_neighbours_share_nothing() -> None:
    looks = [look(colour) for colour in range(WITH_MOTIF)]
    assert len({(it.fill, it.motif) for it in looks}) == WITH_MOTIF >= 100
    for one, other in itertools.pairwise(looks):
        assert one.fill != other.fill and one.motif != other.motif
    assert look(WITH_MOTIF).motif is None and look(-1).motif is None


@pytest.mark.parametrize("eyes", EYES)
def test_colours_differ_for_every_kind_of_eyes(eyes: str) -> None:
    for one, other in itertools.combinations([look(colour) for colour in range(24)], 2):
        assert one.motif != other.motif or apart(one.fill, other.fill, eyes) > 15
    for one_fill, other_fill in itertools.combinations([GREY, *(fill for fill, _ in FILLS)], 2):
        assert apart(one_fill, other_fill, eyes) > 15, "where motifs are left out, fills alone have to do"


def test_the_simulation_sees_what_is_known_to_be_confused() -> None:
    red, green = "#B04A3C", "#6F6F28"
    assert apart(red, green, "normal") > 50
    assert apart(red, green, "deuteranopia") < 15


def test_motifs_stand_out() -> None:
    for fill, ink in FILLS:
        dark, light = sorted(times(TO_XYZ, linear(colour))[1] for colour in (fill, ink))
        assert (light + 0.05) / (dark + 0.05) > 4


@pytest.mark.parametrize("colour", range(len(MOTIFS)))
def test_equal_sides_make_a_whole_figure_across_the_seam(colour: int) -> None:
    """Two tiles that mirror each other give a picture that mirrors itself."""
    one, other = (20, colour, 20, 20), (20, 20, 20, colour)
    picture = draw_tiles(Tiles(1, 2, (one, other)), [[one, other]], [])

    def outline(shape: Polygon | Wedge, flip: bool) -> object:
        def at(point: Point) -> Point:
            return round(picture.width - point[0] if flip else point[0], 6), round(point[1], 6)

        if isinstance(shape, Polygon):
            return frozenset(map(at, shape.points)), shape.fill
        start, end = (180 - shape.end, 180 - shape.start) if flip else (shape.start, shape.end)
        return at(shape.centre), shape.radius, start % 360, end - start, shape.fill

    shapes = [shape for shape in picture.shapes if isinstance(shape, Polygon | Wedge)]
    assert Counter(outline(s, True) for s in shapes) == Counter(outline(s, False) for s in shapes)


def test_figures_point_into_their_tile() -> None:
    picture = draw_tiles(Tiles(1, 1, ((0, 0, 0, 0),)), None, [])
    x = y = picture.width / 2
    assert [(shape.centre, shape.start, shape.end) for shape in picture.shapes if isinstance(shape, Wedge)] == [
        ((x, y - 0.5), 0, 180),
        ((x + 0.5, y), 90, 270),
        ((x, y + 0.5), 180, 360),
        ((x - 0.5, y), 270, 450),
    ]


@pytest.mark.parametrize("motif", MOTIFS)
def test_motifs_stay_on_their_side(motif: str) -> None:
    for part in MOTIFS[motif]:
        if isinstance(part, Polygon):
            assert all(0 <= y < 0.32 and abs(x) + y < 0.48 for x, y in part.points)
        else:
            assert part.centre[1] == 0 and (part.start, part.end) == (0, 180)
            assert abs(part.centre[0]) + part.radius * math.sqrt(2) < 0.48


def test_a_solved_board_has_no_marks() -> None:
    for puzzle, board in (planted(4, 4, 6), planted(3, 5, 30, "coloured"), planted(3, 3, 4, None, SIGNED)):
        picture = draw_tiles(puzzle, board, mismatched(puzzle, board))
        assert not bars(picture) and not stroked(picture, MISTAKE) and not painted(picture, HOLE)


def test_every_wrong_seam_and_rim_side_is_marked_where_it_is() -> None:
    puzzle, board = planted(3, 3, 9, "coloured")
    board[0][1] = (20, 20, 20, 20)
    marks = mismatched(puzzle, board)
    assert len(marks) == 3
    expected = Counter([((c1 + c2 + 1) / 2, (r1 + r2 + 1) / 2, r1 == r2) for (r1, c1), (r2, c2) in marks])
    expected[1.5, 0.0, False] += 1
    assert bars(draw_tiles(puzzle, board, marks)) == expected
    assert bars(draw_tiles(puzzle, board, [(b, a) for a, b in marks])) == expected, "in either order"


def test_grey_belongs_outside() -> None:
    puzzle, board = planted(2, 2, 3)
    board[0][0] = puzzle.turned(puzzle.tiles[0], 2)
    picture = draw_tiles(puzzle, board, mismatched(puzzle, board))
    assert bars(picture) == Counter([(1.0, 0.5, True), (0.5, 1.0, False), (0.5, 0.0, False), (0.0, 0.5, True)])
    assert painted(picture, GREY) == 8 + 1, "the sides and the band around the board"
    free = Tiles(2, 2, puzzle.tiles)
    assert not painted(draw_tiles(free, board, []), GREY), "without a frame, 0 is a colour like any other"


def test_holes_are_shown() -> None:
    puzzle, board = planted(3, 3, 4)
    board[0][0] = board[1][1] = None
    picture = draw_tiles(puzzle, board, [])
    assert painted(picture, HOLE) == 2 and not bars(picture), "a hole is no mistake of its neighbours"


def test_hints_are_outlined_twice_and_a_moved_one_in_red() -> None:
    pins = (Pin(0, 0, 0, 0), Pin(1, 2, 5, 0))
    puzzle, board = planted(3, 3, 4, pins=pins)
    plain = draw_tiles(Tiles(3, 3, puzzle.tiles, frame=puzzle.frame), board, [])
    right = draw_tiles(puzzle, board, [])
    assert stroked(right, LIGHT) == 2 and stroked(right, DARK) - stroked(plain, DARK) == 2
    board[1][2] = puzzle.turned(puzzle.tiles[5], 1)
    moved = draw_tiles(puzzle, board, [])
    assert stroked(moved, LIGHT) == 2 and stroked(moved, MISTAKE) == 1
    board[1][2] = None
    assert not stroked(draw_tiles(puzzle, board, []), MISTAKE), "an empty cell is only not filled yet"


def test_a_coloured_frame_shows_what_it_wants() -> None:
    puzzle = Tiles(2, 2, ((1, 1, 1, 1),) * 4, frame=(1, 2, 3, 4, 5, 6, 7, 8))
    picture = draw_tiles(puzzle, [[None, None], [None, None]], [])
    assert all(painted(picture, look(colour).fill) >= 1 for colour in puzzle.frame or ())
    fills = {look(colour).fill for colour in puzzle.frame or ()}
    strips = [middle(shape) for shape in picture.shapes if isinstance(shape, Polygon) and shape.fill in fills]
    centre = picture.width / 2
    assert all(max(abs(x - centre), abs(y - centre)) > 1 for x, y in strips), "outside the board"


def test_heads_are_filled_and_tails_hollow() -> None:
    def discs(tile: Tile | None, frame: Tile | None = None) -> list[str]:
        picture = draw_tiles(Tiles(1, 1, ((1, 1, 1, 1),), match=SIGNED, frame=frame), [[tile]], [])
        return [shape.fill for shape in picture.shapes if isinstance(shape, Wedge)]

    diamond = look(3)  # a motif without a disc of its own
    assert discs((3, 3, 3, 3)) == [diamond.ink] * 4
    assert discs((-3, -3, -3, -3)) == [diamond.ink, diamond.fill] * 4
    shown = discs(None, frame=(3, 3, 3, -3))
    assert shown == [diamond.ink, diamond.fill] * 3 + [diamond.ink], "a frame that wants a head shows its tail"


def test_large_numbers_are_written() -> None:
    def words(puzzle: Tiles) -> list[str]:
        return [shape.text for shape in draw_tiles(puzzle, None, []).shapes if isinstance(shape, Text)]

    assert words(Tiles(1, 1, ((WITH_MOTIF, 5, -3, 10**6),))) == [str(WITH_MOTIF), "-3", "1000000"]
    assert words(Tiles(1, 1, ((WITH_MOTIF, 5, -3, -200),), match=SIGNED)) == [f"+{WITH_MOTIF}", "-200"]


def test_tiles_lie_apart_in_a_sheet() -> None:
    puzzle, _ = planted(1, 16, 5, None, pins=(Pin(0, 3, 2, 1),))
    fewer = Tiles(1, 16, puzzle.tiles[:13], pins=puzzle.pins)
    picture = draw_tiles(fewer, None, [])
    assert picture.width == picture.height, "sixteen cells, four by four"
    assert painted(picture, HOLE) == fewer.missing == 3
    assert stroked(picture, LIGHT) == 1


def test_the_same_puzzle_gives_the_same_picture() -> None:
    (one, board), (other, again) = planted(4, 5, 40, "coloured"), planted(4, 5, 40, "coloured")
    assert draw_tiles(one, board, []).svg() == draw_tiles(other, again, []).svg()
    assert draw_tiles(one, None, []).svg() == draw_tiles(other, None, []).svg()


@pytest.mark.parametrize(("tile", "turns", "alike"), [((1, 2, 1, 2), 2, True), ((1, 2, 1, 2), 1, False)])
def test_turning_shows_only_where_it_matters(tile: Tile, turns: int, alike: bool) -> None:
    puzzle, kind = Tiles(1, 1, (tile,)), TilesKind()
    as_listed, turned = (kind.draw(puzzle, Placement(((0,),), ((n,),))).svg() for n in (0, turns))
    assert (as_listed == turned) is alike


def test_a_large_board_stays_light() -> None:
    puzzle, board = planted(16, 16, 22)
    begin = time.process_time()
    picture = draw_tiles(puzzle, board, [])
    picture.png()
    assert time.process_time() - begin < 3
    assert len(picture.svg()) < 1_500_000


@pytest.mark.parametrize(("side", "motifs"), [(38, True), (39, False), (64, False)])
def test_huge_boards_drop_motifs_before_they_grow_too_large(side: int, motifs: bool) -> None:
    puzzle, board = planted(side, side, 200)
    for picture in (draw_tiles(puzzle, board, []), draw_tiles(puzzle, None, [])):
        assert any(isinstance(shape, Wedge | Text) for shape in picture.shapes) is motifs
        assert max(picture.width, picture.height) * picture.scale <= 4000.001
