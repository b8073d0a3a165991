"""The Terracotta puzzle: square tiles with an arrow in each corner; touching corners must point the same way.

Rules, reader, checker and generator. A tile is (TL, TR, BL, BR), each an arrow direction 0..3 (right, up, left,
down); a quarter turn counter-clockwise moves the corners and turns the arrows with them:
``rot90((tile + 1) mod 4)``. Of the 256 oriented tiles 70 differ under turning (60 with four orientations, 6 with
two, 4 with one), and the standard puzzle lays all 70 on a 7×10 board.

The paper ("A depth-first search approach to the Terracotta puzzle", section 2.2.1) puts the number of placements
at 256 × 70!; that adds up the orientations of the 70 tiles where they multiply. It is 70!·4⁶⁰·2⁶.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from ..core import limits
from ..core.errors import BadInput, BadUsage
from ..core.kind import Drawing, Format, Kind
from ..core.puzzle import Placement, Puzzle, Solution, Verdict, as_placement
from ..core.settings import setting
from .boards import Board, Cell, Tile, drawable, judge, oriented_board, touching_pairs

CORNERS = ("TL", "TR", "BL", "BR")
MOST_SIDE = limits.TILES_SIDE


def turned(tile: Tile, turns: int = 1) -> Tile:
    """The tile after quarter turns counter-clockwise: np.rot90 of (tile + 1) mod 4, each time."""
    for _ in range(turns % 4):
        top_left, top_right, bottom_left, bottom_right = ((arrow + 1) % 4 for arrow in tile)
        tile = (top_right, bottom_right, top_left, bottom_left)
    return tile


@dataclass(frozen=True)
class Terracotta(Puzzle):
    """A board of ``rows × cols`` cells and exactly as many tiles."""

    rows: int
    cols: int
    tiles: tuple[Tile, ...]
    kind: ClassVar[str] = "terracotta"

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= MOST_SIDE and 1 <= self.cols <= MOST_SIDE):
            raise BadInput(f"a board has 1 to {MOST_SIDE} rows and columns, not {self.rows}x{self.cols}")
        if len(self.tiles) != self.rows * self.cols:
            raise BadInput(f"a {self.size} board takes {self.rows * self.cols} tiles, but {len(self.tiles)} are given")
        for number, tile in enumerate(self.tiles, start=1):
            for corner, arrow in zip(CORNERS, tile, strict=True):
                if arrow not in (0, 1, 2, 3):
                    raise BadInput(f"tile {number}, corner {corner}: arrows are 0, 1, 2 or 3, not {arrow!r}")

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.rows}x{self.cols}"

    def turned(self, tile: Tile, turns: int) -> Tile:
        """The tile after quarter turns counter-clockwise."""
        return turned(tile, turns)

    def encode(self) -> dict[str, Any]:
        """As JSON types."""
        return {"rows": self.rows, "cols": self.cols, "tiles": [list(tile) for tile in self.tiles]}


@cache
def standard() -> Terracotta:
    """The puzzle as sold: one tile of each of the 70 classes, here by its smallest orientation."""
    everything = {(a, b, c, d): None for a in range(4) for b in range(4) for c in range(4) for d in range(4)}
    return Terracotta(7, 10, tuple(tile for tile in everything if tile == min(turned(tile, k) for k in range(4))))


def small() -> Terracotta:
    """A 3×4 board, small enough to count all its solutions in no time: 2, or 4 with the board upside down."""
    return Terracotta(
        3, 4,
        ((1, 2, 0, 2), (2, 1, 0, 2), (2, 2, 3, 1), (1, 2, 3, 3), (0, 3, 1, 2), (3, 1, 2, 2),
         (3, 3, 2, 0), (3, 1, 1, 3), (1, 2, 3, 0), (0, 3, 2, 1), (0, 2, 0, 0), (1, 0, 2, 2)),
    )  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """What a bare list of tiles does not say."""

    rows: int | None = setting(None, "rows of the board", least=1, most=MOST_SIDE)
    cols: int | None = setting(None, "columns of the board", least=1, most=MOST_SIDE)


@dataclass(frozen=True)
class Making:
    """What kind of puzzle to make."""

    rows: int = setting(7, "rows of the board", least=1, most=MOST_SIDE)
    cols: int = setting(10, "columns of the board", least=1, most=MOST_SIDE)
    repeats: bool = setting(False, "whether two tiles may be alike")


class TerracottaKind(Kind):
    """See the module text."""

    name = "terracotta"
    family = "tiles"
    title = "Terracotta: arrows in the corners of 70 tiles"
    rules = (
        "Lay every tile once, in any orientation, so that the two arrows at each end of a shared edge point the "
        "same way on both sides; the rim is free."
    )
    solution_shape = "placement"
    demo = "terracotta"
    reading_type = Reading
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """The standard puzzle and a small one."""
        return {"terracotta": standard, "terracotta-3x4": small}

    def formats(self) -> tuple[Format, ...]:
        """A table of tiles, one a line."""
        from .formats import TERRACOTTA_CSV

        return (TERRACOTTA_CSV,)

    def decode(self, data: Mapping[str, Any]) -> Terracotta:
        """From Dovetail's JSON."""
        size = []
        for key in ("rows", "cols"):
            if not isinstance(data.get(key), int) or isinstance(data[key], bool):
                raise BadInput(f"a terracotta puzzle needs a whole number {key!r}")
            size.append(data[key])
        tiles = data.get("tiles")
        if not isinstance(tiles, list):
            raise BadInput("a terracotta puzzle needs a list 'tiles'")
        for number, tile in enumerate(tiles, start=1):
            if not (isinstance(tile, list) and len(tile) == 4 and all(type(arrow) is int for arrow in tile)):
                raise BadInput(f"tile {number} is not a list of four arrows [TL, TR, BL, BR]")
        return Terracotta(size[0], size[1], tuple((t[0], t[1], t[2], t[3]) for t in tiles))

    def make(self, settings: Making, seed: int) -> tuple[Terracotta, Placement]:
        """Plant a solution, then turn and shuffle its tiles."""
        from . import planting  # compiles kernels, which reading and checking never need

        if not settings.repeats and settings.rows * settings.cols > 70:
            raise BadUsage(
                f"a {settings.rows}x{settings.cols} board needs {settings.rows * settings.cols} tiles, but only "
                "70 differ; allow repeats with --set repeats=true"
            )
        return planting.plant_arrows(settings.rows, settings.cols, settings.repeats, seed)

    def check(self, puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Verdict:
        """Every tile once, and every touching pair of arrows alike."""
        assert isinstance(puzzle, Terracotta)
        return judge(puzzle, as_placement(self.name, solution), mismatched, truth)

    def draw(self, puzzle: Puzzle, solution: Solution | None = None) -> Drawing:
        """The board, or the tiles laid apart when there is no solution yet."""
        from .draw import draw_arrows

        assert isinstance(puzzle, Terracotta)
        if solution is None:
            pieces = [[r * puzzle.cols + c for c in range(puzzle.cols)] for r in range(puzzle.rows)]
            apart: list[list[Tile | None]] = [[puzzle.tiles[i] for i in row] for row in pieces]
            return draw_arrows(apart, gap=0.14)
        board = oriented_board(puzzle, drawable(puzzle, self.name, solution))
        return draw_arrows(board, marks=mismatched(board))


def mismatched(board: Board) -> list[tuple[Cell, Cell]]:
    """The neighbours whose touching arrows differ: both ends of the shared edge are compared."""
    wrong = []
    for (r1, c1), (r2, c2) in touching_pairs(board):
        one, other = board[r1][c1], board[r2][c2]
        assert one is not None
        assert other is not None
        touching = (one[1], one[3], other[0], other[2]) if r1 == r2 else (one[2], one[3], other[0], other[1])
        if touching[:2] != touching[2:]:
            wrong.append(((r1, c1), (r2, c2)))
    return wrong
