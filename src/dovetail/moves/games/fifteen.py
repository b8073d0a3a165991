"""The n-puzzle (fifteen): numbered tiles in a tray with one gap; a tile beside the gap slides into it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from ...core import limits
from ...core.errors import BadInput
from ...core.kind import Format
from ...core.puzzle import Moves, Puzzle
from ...core.settings import setting
from ...picture import Picture
from ..kind import IllegalMove, MovesKind, MovesPuzzle, Play

LEAST_SIDE, MOST_SIDE = 2, limits.FIFTEEN_SIDE
GAP = 0
BLANKS = ("last", "first")


@dataclass(frozen=True)
class Fifteen(MovesPuzzle):
    """``tiles`` by row, 0 for the gap. The goal is 1 2 3 … with the gap last, or 0 1 2 … with the gap first."""

    rows: int
    cols: int
    tiles: tuple[int, ...]
    blank_first: bool = False
    kind: ClassVar[str] = "fifteen"
    rules: ClassVar[str] = "dovetail.moves.rules.fifteen"
    plays_cut_off: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (LEAST_SIDE <= self.rows <= MOST_SIDE and LEAST_SIDE <= self.cols <= MOST_SIDE):
            raise BadInput(f"a fifteen tray has {LEAST_SIDE} to {MOST_SIDE} rows and columns, not {self.size}")
        cells = self.rows * self.cols
        if len(self.tiles) != cells:
            raise BadInput(f"a {self.size} tray has {cells} cells, but {len(self.tiles)} are given")
        seen: dict[int, int] = {}
        for index, tile in enumerate(self.tiles):
            if not GAP <= tile < cells:
                raise BadInput(f"{self.place(index)}: a tile is a number from 1 to {cells - 1}, or 0 for the gap")
            if tile in seen:
                raise BadInput(f"{self.place(index)}: {tile} is already in {self.place(seen[tile])}")
            seen[tile] = index

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.rows}x{self.cols}"

    def encode(self) -> dict[str, Any]:
        """As JSON types: the numbers of every row, and where the gap belongs."""
        rows = [list(self.tiles[start : start + self.cols]) for start in range(0, len(self.tiles), self.cols)]
        return {"tiles": rows, "blank": BLANKS[self.blank_first]}

    def place(self, index: int) -> str:
        """A cell in words."""
        return f"row {index // self.cols + 1}, column {index % self.cols + 1}"

    @property
    def goal(self) -> tuple[int, ...]:
        """The tiles as they should lie."""
        order = tuple(range(len(self.tiles)))
        return order if self.blank_first else (*order[1:], GAP)


class FifteenPlay(Play):
    """The tray after some moves. ``slid`` is the cell that the last tile slid to, None before the first move."""

    def __init__(self, puzzle: Fifteen) -> None:
        self.rows, self.cols, self.goal = puzzle.rows, puzzle.cols, puzzle.goal
        self.tiles = list(puzzle.tiles)
        self.slid: int | None = None

    def make(self, move: str) -> None:
        """Slide the tile of that number."""
        found = [index for index, tile in enumerate(self.tiles) if tile != GAP and str(tile) == move]
        if not found:
            raise IllegalMove(f"a move is the number of a tile, from 1 to {len(self.tiles) - 1}")
        gap = self.tiles.index(GAP)
        (row, col), (gap_row, gap_col) = divmod(found[0], self.cols), divmod(gap, self.cols)
        if abs(row - gap_row) + abs(col - gap_col) != 1:
            raise IllegalMove(
                f"the tile in row {row + 1}, column {col + 1} is not beside the gap in row {gap_row + 1}, "
                f"column {gap_col + 1}"
            )
        self.tiles[gap], self.tiles[found[0]] = self.tiles[found[0]], GAP
        self.slid = gap

    @property
    def in_place(self) -> int:
        """How many tiles lie where they should."""
        return sum(tile == wanted != GAP for tile, wanted in zip(self.tiles, self.goal, strict=True))

    @property
    def solved(self) -> bool:
        """Whether all do."""
        return tuple(self.tiles) == self.goal

    @property
    def missing(self) -> str:
        """How many do not."""
        out = len(self.tiles) - 1 - self.in_place
        return f"{out} tile{'s are' if out > 1 else ' is'} not in place"

    @property
    def scores(self) -> Mapping[str, float]:
        """Tiles in place."""
        return {"in_place": self.in_place}


@dataclass(frozen=True)
class Reading:
    """What a list of numbers does not say."""

    blank: str = setting("first", "where the gap belongs in a list of numbers: first (Korf) or last", choices=BLANKS)


@dataclass(frozen=True)
class Making:
    """What kind of tray to make."""

    width: int = setting(3, "columns of the tray", least=LEAST_SIDE, most=MOST_SIDE)
    height: int = setting(3, "rows of the tray", least=LEAST_SIDE, most=MOST_SIDE)
    shuffle: int = setting(200, "random slides from the goal; the more, the better mixed", least=1, most=20_000)
    blank: str = setting("last", "where the gap belongs", choices=BLANKS)


class FifteenKind(MovesKind):
    """See the module text."""

    name = "fifteen"
    title = "The n-puzzle (15-puzzle): slide the tiles into order"
    rules = (
        "Numbered tiles lie in a tray with one gap; a tile beside the gap slides into it. Bring them into the order "
        "1, 2, 3, … by row, with the gap at the end (or, as in Korf's list, at the beginning). A move is the number "
        "of the tile that slides."
    )
    puzzle_class = "B"
    reading_type = Reading
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """Small, of the usual size, hard, oblong, and large."""
        return {name: partial(self.decode, data) for name, data in SAMPLES.items()}

    def formats(self) -> tuple[Format, ...]:
        """Game ids and Korf's list."""
        from ..formats import FIFTEEN_FORMATS

        return FIFTEEN_FORMATS

    def decode(self, data: Mapping[str, Any]) -> Fifteen:
        """From Dovetail's JSON."""
        rows, blank = data.get("tiles"), data.get("blank", "last")
        if not isinstance(rows, list) or not rows or not all(isinstance(row, list) for row in rows):
            raise BadInput("a fifteen puzzle needs a list 'tiles' of rows, each a list of whole numbers")
        if blank not in BLANKS:
            raise BadInput(f"'blank' of a fifteen puzzle is one of {', '.join(BLANKS)}, not {str(blank)[:20]!r}")
        for number, row in enumerate(rows, start=1):
            if len(row) != len(rows[0]):
                raise BadInput(f"row {number} has {len(row)} tiles, but row 1 has {len(rows[0])}")
            for col, tile in enumerate(row, start=1):
                if not isinstance(tile, int) or isinstance(tile, bool):
                    raise BadInput(f"row {number}, column {col}: a tile is a whole number, not {str(tile)[:20]!r}")
        return Fifteen(len(rows), len(rows[0]), tuple(tile for row in rows for tile in row), blank == "first")

    def make(self, settings: Making, seed: int) -> tuple[Fifteen, Moves]:
        """Slides from the goal at random; the answer takes them back."""
        from .fifteen_making import made

        return made(settings, seed)

    def begin(self, puzzle: Fifteen) -> FifteenPlay:
        """The tray before the first move."""
        return FifteenPlay(puzzle)

    def picture(self, puzzle: Fifteen, play: FifteenPlay) -> Picture:
        """Wooden tiles, those in place in another wood, the last that slid with a bright rim."""
        from .fifteen_draw import drawn

        return drawn(play)

    def facts(self, puzzle: Puzzle) -> dict[str, float | str]:
        """Whether the goal can be reached at all: half of all orders of the tiles cannot."""
        assert isinstance(puzzle, Fifteen)
        return {"solvable": "yes" if _even(puzzle) else "no, two tiles are the wrong way round"}


def _even(puzzle: Fifteen) -> bool:
    """Every slide swaps the gap with a tile and takes the gap one cell further: both have the same parity, always."""
    order = [puzzle.goal.index(tile) for tile in puzzle.tiles]
    swaps = sum(order[later] < order[first] for later in range(len(order)) for first in range(later))
    at, home = puzzle.tiles.index(GAP), puzzle.goal.index(GAP)
    (row, col), (home_row, home_col) = divmod(at, puzzle.cols), divmod(home, puzzle.cols)
    return (swaps + row - home_row + col - home_col) % 2 == 0


SAMPLES: Mapping[str, Mapping[str, Any]] = {
    "fifteen-3x3": {"tiles": [[8, 7, 4], [0, 6, 3], [1, 2, 5]]},
    "fifteen-3x4": {"tiles": [[1, 7, 10, 0], [6, 11, 4, 5], [2, 8, 9, 3]]},
    "fifteen-4x4": {"tiles": [[14, 0, 8, 11], [9, 3, 4, 2], [7, 15, 5, 6], [1, 12, 10, 13]]},
    "fifteen-4x4-hard": {"tiles": [[0, 14, 12, 4], [10, 2, 6, 11], [8, 9, 7, 13], [15, 3, 5, 1]], "blank": "first"},
    "fifteen-6x6": {
        "tiles": [
            [19, 34, 7, 18, 6, 4], [35, 13, 5, 27, 11, 8], [21, 3, 30, 1, 20, 25],
            [9, 24, 26, 32, 16, 15], [2, 10, 22, 0, 12, 33], [17, 28, 29, 14, 23, 31],
        ]
    },
}  # fmt: skip
