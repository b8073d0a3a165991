"""Edge-matching puzzles: square tiles with a colour on each side, laid on a rectangular board so that touching sides
agree.

A tile is (N, E, S, W). Plain colours agree when they are equal; signed ones (Scramble Squares: heads and tails) when
they are each other's negative. The frame says what the tiles along the rim must show outwards: one colour everywhere
(the grey rim of Eternity II), a colour for every edge, or nothing. Pins fix a tile on a cell (hints).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from ..core import limits
from ..core.errors import BadInput, BadUsage
from ..core.kind import Drawing, Format, Kind, Laid
from ..core.puzzle import Placement, Puzzle, Solution, Verdict, as_placement
from ..core.settings import setting
from ..core.source import Source
from .boards import Board, Cell, Tile, drawable, judge, oriented_board, touching_pairs

MOST_SIDE, MOST_COLOUR = limits.TILES_SIDE, limits.TILES_COLOUR
EQUAL, SIGNED = "equal", "signed"
FRAMES = ("grey", "coloured", "none")
SIDES = ("north", "east", "south", "west")


@dataclass(frozen=True, order=True)
class Pin:
    """A hint: this tile lies here, turned so many quarters counter-clockwise from how the puzzle lists it."""

    row: int
    col: int
    tile: int
    turns: int = 0


@dataclass(frozen=True)
class Tiles(Puzzle):
    """A board of ``rows × cols`` cells and its tiles.

    ``frame`` lists what the rim must show, clockwise from the top left corner: ``cols`` colours along the top,
    ``rows`` down the right, ``cols`` back along the bottom, ``rows`` up the left; None leaves the rim free. A puzzle
    with fewer tiles than cells (read off a picture of an unfinished board) can be checked, but not solved.
    """

    rows: int
    cols: int
    tiles: tuple[Tile, ...]
    rotate: bool = True
    match: str = EQUAL
    frame: tuple[int, ...] | None = None
    pins: tuple[Pin, ...] = ()
    distinct: bool = False  # whether the puzzle forbids two tiles that are alike
    kind: ClassVar[str] = "tiles"

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= MOST_SIDE and 1 <= self.cols <= MOST_SIDE):
            raise BadInput(f"a board has 1 to {MOST_SIDE} rows and columns, not {self.rows}x{self.cols}")
        if not self.tiles or len(self.tiles) > self.rows * self.cols:
            raise BadInput(f"a {self.size} board takes {self.rows * self.cols} tiles, but {len(self.tiles)} are given")
        if self.match not in (EQUAL, SIGNED):
            raise BadInput(f"tiles match by {EQUAL!r} or {SIGNED!r} colours, not by {self.match!r}")
        for number, tile in enumerate(self.tiles, start=1):
            if len(tile) != 4 or not all(-MOST_COLOUR <= colour <= MOST_COLOUR for colour in tile):
                raise BadInput(f"tile {number} has no four colours between {-MOST_COLOUR} and {MOST_COLOUR}")
        if self.frame is not None and len(self.frame) != self.perimeter:
            raise BadInput(
                f"the frame of a {self.size} board has {self.perimeter} colours, clockwise from the top left, "
                f"but {len(self.frame)} are given"
            )
        object.__setattr__(self, "pins", tuple(sorted(self.pins)))
        self._check_pins()

    def _check_pins(self) -> None:
        cells, used = set(), set()
        for pin in self.pins:
            where = f"the hint at row {pin.row + 1}, column {pin.col + 1}"
            if not (0 <= pin.row < self.rows and 0 <= pin.col < self.cols):
                raise BadInput(f"{where} lies outside the {self.size} board")
            if not 0 <= pin.tile < len(self.tiles):
                raise BadInput(f"{where} names tile {pin.tile + 1}; there are tiles 1 to {len(self.tiles)}")
            if pin.turns not in ((0, 1, 2, 3) if self.rotate else (0,)):
                raise BadInput(
                    f"{where} is turned {pin.turns} times" + ("" if self.rotate else "; tiles are not turned")
                )
            if (pin.row, pin.col) in cells:
                raise BadInput(f"there are two hints at row {pin.row + 1}, column {pin.col + 1}")
            if pin.tile in used:
                raise BadInput(f"two hints name tile {pin.tile + 1}")
            cells.add((pin.row, pin.col))
            used.add(pin.tile)

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.rows}x{self.cols}"

    @property
    def perimeter(self) -> int:
        """Edges along the rim."""
        return 2 * (self.rows + self.cols)

    @property
    def missing(self) -> int:
        """Tiles fewer than cells."""
        return self.rows * self.cols - len(self.tiles)

    @cached_property
    def rim(self) -> int | None:
        """The one colour all of the frame has, if it has one."""
        return self.frame[0] if self.frame is not None and len(set(self.frame)) == 1 else None

    @cached_property
    def grey(self) -> int | None:
        """The rim's colour if it is kept for the rim: the tiles do not have more of it than the rim takes."""
        rim = self.rim
        if rim is None or sum(tile.count(rim) for tile in self.tiles) > self.perimeter:
            return None
        return rim

    def turned(self, tile: Tile, turns: int) -> Tile:
        """The tile after quarter turns counter-clockwise: the east side comes to lie north."""
        turns %= 4
        return (*tile[turns:], *tile[:turns])  # type: ignore[return-value]

    def encode(self) -> dict[str, Any]:
        """As JSON types; what is as usual is left out."""
        data: dict[str, Any] = {"rows": self.rows, "cols": self.cols, "tiles": [list(tile) for tile in self.tiles]}
        if self.frame is not None:
            data["frame"] = self.rim if self.rim is not None else list(self.frame)
        if not self.rotate:
            data["rotate"] = False
        if self.match != EQUAL:
            data["match"] = self.match
        if self.pins:
            data["pins"] = [[pin.row, pin.col, pin.tile, pin.turns] for pin in self.pins]
        if self.distinct:
            data["distinct"] = True
        return data


def grey_frame(rows: int, cols: int, colour: int = 0) -> tuple[int, ...]:
    """The same colour all around."""
    return (colour,) * (2 * (rows + cols))


def frame_sides(rows: int, cols: int) -> list[tuple[int, int, int]]:
    """(row, column, side) of every colour of a frame, in the frame's order."""
    top = [(0, c, 0) for c in range(cols)]
    right = [(r, cols - 1, 1) for r in range(rows)]
    bottom = [(rows - 1, c, 2) for c in reversed(range(cols))]
    left = [(r, 0, 3) for r in reversed(range(rows))]
    return top + right + bottom + left


@dataclass(frozen=True)
class Reading:
    """What a bare list of tiles does not say."""

    width: int | None = setting(None, "columns of the board", least=1, most=MOST_SIDE)
    height: int | None = setting(None, "rows of the board", least=1, most=MOST_SIDE)
    rotate: bool | None = setting(None, "whether tiles may be turned; true unless the file says otherwise")
    rim: str | None = setting(None, "the rim's colour, or none for a free rim; 0 where tiles have it on a side or two")
    match: str | None = setting(None, "how touching sides agree; signed if any is negative", choices=(EQUAL, SIGNED))
    distinct: bool | None = setting(None, "whether the puzzle forbids two tiles that are alike")
    pins: str | None = setting(None, "hints: row:column:tile:turns, all but turns from 1, separated by spaces")


@dataclass(frozen=True)
class Making:
    """What kind of puzzle to make."""

    width: int = setting(6, "columns of the board", least=1, most=MOST_SIDE)
    height: int = setting(6, "rows of the board", least=1, most=MOST_SIDE)
    colours: int = setting(6, "colours of the seams", least=1, most=4000)
    border_colours: int = setting(
        0, "further colours, kept for the seams along the rim; 0: those are like all", least=0, most=4000
    )
    rotate: bool = setting(True, "whether tiles may be turned")
    frame: str = setting("grey", "what the rim shows: grey, a colour for every edge, or nothing", choices=FRAMES)
    signed: bool = setting(False, "whether sides match as head and tail instead of equal colours")
    distinct: bool = setting(False, "make every tile different from all others")
    hints: int = setting(0, "tiles that are given with their place", least=0)
    unique: bool = setting(False, "prove that there is one solution, with as few further hints as can be found")


class TilesKind(Kind):
    """See the module text."""

    name = "tiles"
    family = "tiles"
    title = "Edge matching: tiles with a colour on each side (Eternity II, Scramble Squares, Tetravex)"
    rules = (
        "Lay every tile once so that touching sides agree: equal colours, or head and tail of the same picture; along "
        "the rim, tiles show the colours of the frame if there is one; hints stay where they are."
    )
    solution_shape = "placement"
    demo = "tiles-16x16"
    reading_type = Reading
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """One of each rule."""
        from . import samples

        return samples.TILES

    def formats(self) -> tuple[Format, ...]:
        """Piece lists and links."""
        from .formats import TILE_FORMATS

        return TILE_FORMATS

    def boards(self, source: Source, settings: Reading) -> list[Laid]:
        """The boards of viewer links and of JSON files."""
        from .format_solutions import laid_boards

        return laid_boards(source, settings)

    def read_solutions(self, source: Source, puzzle: Puzzle) -> list[Solution] | None:
        """Boards found elsewhere, laid with this puzzle's tiles."""
        from .format_solutions import read_solutions

        assert isinstance(puzzle, Tiles)
        return read_solutions(source, puzzle)

    def links(self, puzzle: Puzzle, solution: Solution) -> dict[str, str]:
        """The viewer e2.bucas.name, if it has the letters."""
        from .bucas import links

        assert isinstance(puzzle, Tiles)
        return links(puzzle, solution) if isinstance(solution, Placement) else {}

    def decode(self, data: Mapping[str, Any]) -> Tiles:
        """From Dovetail's JSON; a puzzle that cannot have a solution is refused, with the reason."""
        from .diagnosis import refuse_broken

        puzzle = decode(data)
        refuse_broken(puzzle)
        return puzzle

    def make(self, settings: Making, seed: int) -> tuple[Tiles, Placement]:
        """Plant a solution, shuffle and turn its tiles; with ``unique``, add hints until no other board fits."""
        from . import planting  # compiles kernels, which reading and checking never need

        if settings.hints > settings.width * settings.height:
            raise BadUsage(
                f"a board of {settings.width * settings.height} tiles has no room for {settings.hints} hints"
            )
        puzzle, answer = planting.plant_tiles(settings, seed)
        if settings.unique:
            from .unique import made_unique

            puzzle = made_unique(puzzle, answer, seed)
        return puzzle, answer

    def facts(self, puzzle: Puzzle) -> dict[str, float | str]:
        """Owen's estimate of the number of solutions, and so of the difficulty."""
        from .estimate import facts

        return facts(puzzle)

    def check(self, puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Verdict:
        """Every tile once, touching sides agreeing, the frame's colours shown, hints in place."""
        assert isinstance(puzzle, Tiles)
        placement = as_placement(self.name, solution)
        if not puzzle.rotate and any(turn for row in placement.turns for turn in row):
            return Verdict(False, False, ("this puzzle's tiles may not be turned",))

        def faults(board: Board) -> list[str]:
            return [*_moved_pins(puzzle, board), *_wrong_rim(puzzle, board)]

        return judge(puzzle, placement, lambda board: mismatched(puzzle, board), truth, faults)

    def draw(self, puzzle: Puzzle, solution: Solution | None = None) -> Drawing:
        """The board, or the tiles laid apart when there is no solution yet."""
        from .draw import draw_tiles

        assert isinstance(puzzle, Tiles)
        if solution is None:
            return draw_tiles(puzzle, None, [])
        board = oriented_board(puzzle, drawable(puzzle, self.name, solution))
        return draw_tiles(puzzle, board, mismatched(puzzle, board))


def mismatched(puzzle: Tiles, board: Board) -> list[tuple[Cell, Cell]]:
    """The neighbours whose touching sides disagree. A grey rim belongs outside: inside, it agrees with nothing."""
    outside = puzzle.grey
    wrong = []
    for (r1, c1), (r2, c2) in touching_pairs(board):
        one, other = board[r1][c1], board[r2][c2]
        assert one is not None
        assert other is not None
        a, b = (one[1], other[3]) if r1 == r2 else (one[2], other[0])
        if a == outside or b == outside or a != (b if puzzle.match == EQUAL else -b):
            wrong.append(((r1, c1), (r2, c2)))
    return wrong


def _moved_pins(puzzle: Tiles, board: Board) -> list[str]:
    """Hints that are not where they belong; a tile that looks alike is as good."""
    return [
        f"the hint at row {pin.row + 1}, column {pin.col + 1} is tile {pin.tile} turned {pin.turns} times, "
        "and something else lies there"
        for pin in puzzle.pins
        if board[pin.row][pin.col] != puzzle.turned(puzzle.tiles[pin.tile], pin.turns)
    ]


def _wrong_rim(puzzle: Tiles, board: Board) -> list[str]:
    """Where a tile does not show the frame's colour."""
    if puzzle.frame is None:
        return []
    faults = []
    for colour, (r, c, side) in zip(puzzle.frame, frame_sides(puzzle.rows, puzzle.cols), strict=True):
        tile = board[r][c]
        if tile is not None and tile[side] != colour:
            faults.append(f"row {r + 1}, column {c + 1}: the {SIDES[side]} side meets the frame, which wants {colour}")
    return faults


def decode(data: Mapping[str, Any]) -> Tiles:
    """From what ``Tiles.encode`` wrote, as it stands."""
    size = [data.get(key) for key in ("rows", "cols")]
    for key, value in zip(("rows", "cols"), size, strict=True):
        if type(value) is not int:
            raise BadInput(f"a tiles puzzle needs a whole number {key!r}")
    rows, cols = (int(value) for value in size if value is not None)
    tiles = data.get("tiles")
    if not isinstance(tiles, list) or not tiles:
        raise BadInput("a tiles puzzle needs a list 'tiles'")
    for number, tile in enumerate(tiles, start=1):
        if not (isinstance(tile, list) and len(tile) == 4 and all(type(colour) is int for colour in tile)):
            raise BadInput(f"tile {number} is not a list of four colours [N, E, S, W]")
    for key in ("rotate", "distinct"):
        if not isinstance(data.get(key, True), bool):
            raise BadInput(f"{key!r} is true or false, not {data[key]!r}")
    pins = data.get("pins", [])
    if not isinstance(pins, list) or not all(
        isinstance(pin, list) and len(pin) == 4 and all(type(n) is int for n in pin) for pin in pins
    ):
        raise BadInput("'pins' is not a list of [row, column, tile, turns]")
    return Tiles(
        rows,
        cols,
        tuple((t[0], t[1], t[2], t[3]) for t in tiles),
        data.get("rotate", True),
        str(data.get("match", EQUAL)),
        _decode_frame(data.get("frame"), rows, cols),
        tuple(Pin(*pin) for pin in pins),
        data.get("distinct", False),
    )


def _decode_frame(frame: Any, rows: int, cols: int) -> tuple[int, ...] | None:
    if frame is None:
        return None
    if type(frame) is int and 1 <= rows <= MOST_SIDE and 1 <= cols <= MOST_SIDE:
        return grey_frame(rows, cols, frame)
    if isinstance(frame, list) and all(type(colour) is int for colour in frame):
        return tuple(frame)
    raise BadInput("'frame' is a colour, a list of colours clockwise from the top left, or null")
