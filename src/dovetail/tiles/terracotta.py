"""The Terracotta puzzle: square tiles with an arrow in each corner; touching corners must point the same way.

Rules, reader, checker and generator. A tile is (TL, TR, BL, BR), each an arrow direction 0..3 (right, up, left,
down); a quarter turn counter-clockwise moves the corners and turns the arrows with them:
``rot90((tile + 1) mod 4)``. Of the 256 oriented tiles 70 differ under turning (60 with four orientations, 6 with
two, 4 with one), and the standard puzzle lays all 70 on a 7×10 board.

The paper ("A depth-first search approach to the Terracotta puzzle", section 2.2.1) puts the number of placements
at 256 × 70!; that adds up the orientations of the 70 tiles where they multiply. It is 70!·4⁶⁰·2⁶.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from ..core.errors import BadInput, BadUsage
from ..core.kind import Drawing, Format, Kind
from ..core.puzzle import EMPTY, Placement, Puzzle, Solution, Verdict
from ..core.settings import setting

Tile = tuple[int, int, int, int]
CORNERS = ("TL", "TR", "BL", "BR")
MOST_SIDE = 64  # tiles along one side of a board
MOST_NAMED = 20  # violations spelled out in a verdict


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
        tiles, pieces, turns = planting.plant(settings.rows, settings.cols, settings.repeats, seed)
        return Terracotta(settings.rows, settings.cols, tiles), Placement.from_flat(pieces, turns, settings.cols)

    def check(self, puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Verdict:
        """Every tile once, and every touching pair of arrows alike."""
        assert isinstance(puzzle, Terracotta)
        if not isinstance(solution, Placement):
            raise BadInput(f"a terracotta solution is a placement, not {solution.shape}")
        faults = [*_misused(puzzle, solution)]
        if faults:
            return Verdict(False, False, _first(faults))
        board = oriented_board(puzzle, solution)
        mismatches = [*mismatched_seams(board)]
        holes = sum(tile is None for row in board for tile in row)
        seams = puzzle.rows * (puzzle.cols - 1) + (puzzle.rows - 1) * puzzle.cols
        touching = sum(1 for _ in touching_pairs(board))
        violations = [f"{holes} cell{'s are' if holes > 1 else ' is'} empty"] if holes else []
        violations += [
            f"the tiles at row {r1 + 1}, column {c1 + 1} and row {r2 + 1}, column {c2 + 1} disagree"
            for (r1, c1), (r2, c2) in mismatches
        ]
        scores: dict[str, float] = {
            "matched": touching - len(mismatches),
            "seams": seams,
            "placed": puzzle.rows * puzzle.cols - holes,
        }
        if truth is not None:
            scores["as_planted"] = _agreement(puzzle, board, truth)
        return Verdict(True, not holes and not mismatches, _first(violations), scores)

    def draw(self, puzzle: Puzzle, solution: Solution | None = None) -> Drawing:
        """The board, or the tiles laid apart when there is no solution yet."""
        from .draw import draw_arrows

        assert isinstance(puzzle, Terracotta)
        if solution is None:
            pieces = [[r * puzzle.cols + c for c in range(puzzle.cols)] for r in range(puzzle.rows)]
            apart: list[list[Tile | None]] = [[puzzle.tiles[i] for i in row] for row in pieces]
            return draw_arrows(apart, gap=0.14)
        if not isinstance(solution, Placement):
            raise BadInput(f"a terracotta solution is a placement, not {solution.shape}")
        for fault in _misused(puzzle, solution):
            raise BadInput(f"cannot draw this solution: {fault}")
        board = oriented_board(puzzle, solution)
        return draw_arrows(board, marks=[*mismatched_seams(board)])


Cell = tuple[int, int]
Board = list[list[Tile | None]]


def oriented_board(puzzle: Terracotta, solution: Placement) -> Board:
    """The tiles as they lie, None for a hole."""
    return [
        [None if piece == EMPTY else turned(puzzle.tiles[piece], turn) for piece, turn in zip(*rows, strict=True)]
        for rows in zip(solution.pieces, solution.turns, strict=True)
    ]


def touching_pairs(board: Board) -> Iterator[tuple[Cell, Cell, bool]]:
    """Each pair of neighbouring tiles, and whether their two pairs of touching arrows are alike."""
    for r, row in enumerate(board):
        for c, tile in enumerate(row):
            if tile is None:
                continue
            if c + 1 < len(row) and (right := row[c + 1]) is not None:
                yield (r, c), (r, c + 1), (tile[1], tile[3]) == (right[0], right[2])
            if r + 1 < len(board) and (below := board[r + 1][c]) is not None:
                yield (r, c), (r + 1, c), (tile[2], tile[3]) == (below[0], below[1])


def mismatched_seams(board: Board) -> Iterator[tuple[Cell, Cell]]:
    """The pairs of neighbours that break the rule."""
    return ((one, other) for one, other, alike in touching_pairs(board) if not alike)


def _first(violations: list[str]) -> tuple[str, ...]:
    """Not more than a person reads."""
    more = len(violations) - MOST_NAMED
    return (*violations[:MOST_NAMED], *([f"and {more} more"] if more > 0 else []))


def _misused(puzzle: Terracotta, solution: Placement) -> Iterator[str]:
    """What makes a placement meaningless: wrong board, unknown tiles, tiles used twice."""
    rows, cols = len(solution.pieces), len(solution.pieces[0]) if solution.pieces else 0
    if (rows, cols) != (puzzle.rows, puzzle.cols):
        yield f"the solution's board is {rows}x{cols}, the puzzle's {puzzle.size}"
        return
    seen: dict[int, Cell] = {}
    for r, (pieces, turns) in enumerate(zip(solution.pieces, solution.turns, strict=True)):
        for c, (piece, turn) in enumerate(zip(pieces, turns, strict=True)):
            where = f"row {r + 1}, column {c + 1}"
            if piece == EMPTY:
                continue
            if not 0 <= piece < len(puzzle.tiles):
                yield f"{where}: there is no tile {str(piece)[:20]} (tiles are 0 to {len(puzzle.tiles) - 1})"
            elif turn not in (0, 1, 2, 3):
                yield f"{where}: turns are 0, 1, 2 or 3, not {str(turn)[:20]}"
            elif piece in seen:
                first = seen[piece]
                yield f"{where}: tile {piece} already lies at row {first[0] + 1}, column {first[1] + 1}"
            else:
                seen[piece] = (r, c)


def _agreement(puzzle: Terracotta, board: Board, truth: Solution) -> float:
    """The share of cells that look like the planted board (another solution is as good)."""
    if not isinstance(truth, Placement) or [*_misused(puzzle, truth)]:
        raise BadInput("the truth is not a placement for this puzzle")
    planted = oriented_board(puzzle, truth)
    alike = sum(a == b for ours, theirs in zip(board, planted, strict=True) for a, b in zip(ours, theirs, strict=True))
    return alike / (puzzle.rows * puzzle.cols)
