"""2048: all tiles slide, equal ones merge, and chance puts a new tile after every move."""

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

SIDES = (2, limits.TWENTY48_SIDE)  # fewest and most rows and columns
MOST_TILE = limits.TWENTY48_TILE  # exponent of the largest tile a puzzle may begin with: 32768
GOALS = (4, 131072)  # the second is out of reach in practice: the game is played to its end
MOST_SEED = limits.SEED
WAYS = {"L": "left", "U": "up", "R": "right", "D": "down"}


@dataclass(frozen=True)
class Game2048(MovesPuzzle):
    """``cells`` by row: exponents, so that 11 is a tile of 2048; 0 is empty. On an empty board two tiles come first.

    ``seed`` is where chance begins; the kind's rules say how it goes on.
    """

    cells: tuple[int, ...]
    goal: int = 2048
    seed: int = 0
    rows: int = 4
    cols: int = 4
    kind: ClassVar[str] = "2048"
    rules: ClassVar[str] = "dovetail.moves.rules.twenty48"

    def __post_init__(self) -> None:
        least, most = SIDES
        if not (least <= self.rows <= most and least <= self.cols <= most):
            raise BadInput(f"a 2048 board has {least} to {most} rows and columns, not {self.size}")
        if len(self.cells) != self.rows * self.cols:
            raise BadInput(f"a {self.size} board has {self.rows * self.cols} cells, but {len(self.cells)} are given")
        for index, tile in enumerate(self.cells):
            if not 0 <= tile <= MOST_TILE:
                place = f"row {index // self.cols + 1}, column {index % self.cols + 1}"
                raise BadInput(f"{place}: a tile is a power of two from 2 to {2**MOST_TILE}, not 2 to the power {tile}")
        if not (GOALS[0] <= self.goal <= GOALS[1] and self.goal.bit_count() == 1):
            raise BadInput(f"the goal is a power of two from {GOALS[0]} to {GOALS[1]}, not {self.goal}")
        if not 0 <= self.seed <= MOST_SEED:
            raise BadInput(f"the seed is a whole number from 0 to {MOST_SEED}, not {self.seed}")

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.rows}x{self.cols}"

    def encode(self) -> dict[str, Any]:
        """As JSON types: the tiles by row as they are seen, 0 where there is none."""
        tiles = [1 << tile if tile else 0 for tile in self.cells]
        board = [tiles[start : start + self.cols] for start in range(0, len(tiles), self.cols)]
        return {"board": board, "goal": self.goal, "seed": self.seed}


class Play2048(Play):
    """The rules in plain Python, with numbers as they are seen: ``board[row][col]`` is 0 or a power of two."""

    def __init__(self, puzzle: Game2048) -> None:
        self.goal = puzzle.goal
        self.score = 0
        self.board: list[list[int]] = [list(row) for row in puzzle.encode()["board"]]
        self.came: tuple[int, int] | None = None  # where the last tile came
        self._word = (puzzle.seed * 0x9E3779B97F4A7C15 + 0x1234567) % 2**64 or 1
        if not any(map(any, self.board)):
            self._new_tile()
            self._new_tile()

    def make(self, move: str) -> None:
        """Slide all tiles one way; then a tile comes."""
        if move not in WAYS:
            raise IllegalMove("a move is L, U, R or D")
        if self.solved:
            raise IllegalMove(f"the goal, {self.goal}, is reached already")
        board, points = self.after(move)
        if board == self.board:
            raise IllegalMove(f"nothing can move {WAYS[move]}")
        self.board = board
        self.score += points
        self._new_tile()

    def after(self, move: str) -> tuple[list[list[int]], int]:
        """The board after a slide, and the points for it; no tile has come yet."""
        board, points = [list(row) for row in self.board], 0
        for line in self._lines(move):
            tiles, scored = slid([board[row][col] for row, col in line])
            for (row, col), tile in zip(line, tiles, strict=True):
                board[row][col] = tile
            points += scored
        return board, points

    def _lines(self, move: str) -> list[list[tuple[int, int]]]:
        """The cells of every row or column, from the side that tiles slide to."""
        rows, cols = range(len(self.board)), range(len(self.board[0]))
        if move in "LR":
            lines = [[(row, col) for col in cols] for row in rows]
        else:
            lines = [[(row, col) for row in rows] for col in cols]
        return lines if move in "LU" else [line[::-1] for line in lines]

    def _new_tile(self) -> None:
        """In an empty cell: 2, or one time in ten 4."""
        free = [(row, col) for row, line in enumerate(self.board) for col, tile in enumerate(line) if not tile]
        row, col = free[self._draw(len(free))]
        self.board[row][col] = 4 if self._draw(10) == 0 else 2
        self.came = (row, col)

    def _draw(self, below: int) -> int:
        """The next whole number of this puzzle's chance, from 0 up to but not ``below``."""
        word = self._word
        word ^= word << 13 & 0xFFFFFFFFFFFFFFFF
        word ^= word >> 7
        word ^= word << 17 & 0xFFFFFFFFFFFFFFFF
        self._word = word
        return (word >> 1) % below

    @property
    def solved(self) -> bool:
        """Whether the goal is on the board."""
        return self.largest >= self.goal

    @property
    def largest(self) -> int:
        """The largest tile."""
        return max(max(row) for row in self.board)

    @property
    def missing(self) -> str:
        """How far it came."""
        return f"the largest tile is {self.largest}, and the goal is {self.goal}"

    @property
    def share(self) -> float:
        """How far the largest tile has come, in doublings."""
        return min(1.0, (self.largest.bit_length() - 1) / (self.goal.bit_length() - 1))

    @property
    def scores(self) -> Mapping[str, float]:
        """The points of all merged tiles, and the largest tile."""
        return {"score": self.score, "largest": self.largest}


def slid(line: list[int]) -> tuple[list[int], int]:
    """The tiles of a line pushed to its start, and the points for those that merged."""
    tiles: list[int] = []
    points, merged = 0, False  # whether the last of them has merged already
    for tile in filter(None, line):
        if tiles and tiles[-1] == tile and not merged:
            tiles[-1] *= 2
            points += tiles[-1]
            merged = True
        else:
            tiles.append(tile)
            merged = False
    return tiles + [0] * (len(line) - len(tiles)), points


@dataclass(frozen=True)
class Making:
    """What kind of game to make."""

    goal: int = setting(256, "the tile to reach: a power of two", least=16, most=1024)


class Kind2048(MovesKind):
    """See the module text."""

    name = "2048"
    title = "2048: slide and merge tiles, one more comes by chance after each move"
    rules = (
        "A move slides all tiles left, up, right or down (L, U, R, D) as far as they go; two equal tiles that meet "
        "merge, once in a move, and score their sum. A move must change the board; then a tile comes in an empty cell: "
        "2, or one time in ten 4. The game is won with a tile as large as the goal, and ends there. Chance is a 64-bit "
        "word w, at first seed × 0x9E3779B97F4A7C15 + 0x1234567 (1 if that is 0); a draw below n does w ^= w << 13, "
        "w ^= w >> 7, w ^= w << 17 (all modulo 2^64) and is (w >> 1) mod n. A tile takes two draws: which of the empty "
        "cells in reading order, and below 10, where 0 makes it a 4. On an empty board two tiles come first."
    )
    puzzle_class = "C"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """The usual game, and a short one."""
        empty = (0,) * 16
        return {
            "2048-256": partial(Game2048, empty, goal=256, seed=1),
            "2048-start": partial(Game2048, empty, goal=2048, seed=1),
        }

    def formats(self) -> tuple[Format, ...]:
        """A text of tiles."""
        from .twenty48_text import FORMAT

        return (FORMAT,)

    def decode(self, data: Mapping[str, Any]) -> Game2048:
        """From Dovetail's JSON."""
        board = data.get("board")
        if not isinstance(board, list) or not board or not all(isinstance(row, list) for row in board):
            raise BadInput("a 2048 puzzle needs a list 'board' of rows, each a list of tiles")
        cells: list[int] = []
        for row, line in enumerate(board, start=1):
            if len(line) != len(board[0]):
                raise BadInput(f"row {row} has {len(line)} cells, but row 1 has {len(board[0])}")
            cells += (exponent(tile, f"row {row}, column {col}") for col, tile in enumerate(line, start=1))
        goal, seed = (_whole(data, name, default) for name, default in (("goal", 2048), ("seed", 0)))
        return Game2048(tuple(cells), goal, seed, len(board), len(board[0]))

    def make(self, settings: Making, seed: int) -> tuple[Game2048, Moves]:
        """A new game that a simple player wins."""
        from .twenty48_making import made

        return made(settings.goal, seed)

    def begin(self, puzzle: Game2048) -> Play2048:
        """The rules in plain Python."""
        return Play2048(puzzle)

    def picture(self, puzzle: Game2048, play: Play2048) -> Picture:
        """The familiar look."""
        from .twenty48_draw import drawn

        return drawn(puzzle, play)


def exponent(tile: Any, place: str) -> int:
    """Of a tile as it is seen; 0 if there is none."""
    if isinstance(tile, bool) or not isinstance(tile, int) or not 0 <= tile <= 2**MOST_TILE or tile.bit_count() > 1:
        raise BadInput(f"{place}: a tile is a power of two from 2 to {2**MOST_TILE}, or 0 for none, not {tile!r:.20}")
    if tile == 1:
        raise BadInput(f"{place}: the smallest tile is 2, not 1")
    return tile.bit_length() - 1 if tile else 0


def _whole(data: Mapping[str, Any], name: str, default: int) -> int:
    found = data.get(name, default)
    if isinstance(found, bool) or not isinstance(found, int):
        raise BadInput(f"the {name} of a 2048 puzzle is a whole number, not {found!r:.20}")
    return found
