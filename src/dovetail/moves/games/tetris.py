"""Tetris as research has it (Bertsekas & Tsitsiklis 1996; Thiery & Scherrer 2009): pieces drop, nobody steers them."""

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

ROWS, COLS, GOAL = 20, 10, 100
LEAST_SIDE, MOST_ROWS, MOST_COLS = 4, limits.TETRIS_ROWS, limits.TETRIS_COLS
MOST_GOAL, MOST_SEED = limits.TETRIS_GOAL, limits.SEED
PIECES = "IOTSZJL"
OUTLINES = {
    "I": ("####",),
    "O": ("##", "##"),
    "T": (".#.", "###"),
    "S": (".##", "##."),
    "Z": ("##.", ".##"),
    "J": ("#..", "###"),
    "L": ("..#", "###"),
}
EMPTY, GIVEN = ".", "#"
_WORD = 2**64


@dataclass(frozen=True)
class Tetris(MovesPuzzle):
    """``cells`` by row from the top: whether each is filled. ``pieces``: those that may come, all as likely.

    ``preview``: how many pieces after the one to be dropped are known, 0 or 1.
    """

    rows: int
    cols: int
    cells: tuple[bool, ...]
    goal: int = GOAL
    seed: int = 0
    pieces: str = PIECES
    preview: int = 0
    kind: ClassVar[str] = "tetris"
    rules: ClassVar[str] = "dovetail.moves.rules.tetris"

    def __post_init__(self) -> None:
        if not (LEAST_SIDE <= self.rows <= MOST_ROWS and LEAST_SIDE <= self.cols <= MOST_COLS):
            raise BadInput(
                f"a Tetris board has {LEAST_SIDE} to {MOST_ROWS} rows and {LEAST_SIDE} to {MOST_COLS} columns, "
                f"not {self.size}"
            )
        if len(self.cells) != self.rows * self.cols:
            raise BadInput(f"a {self.size} board has {self.rows * self.cols} cells, but {len(self.cells)} are given")
        for row in range(self.rows):
            if all(self.cells[row * self.cols : (row + 1) * self.cols]):
                raise BadInput(f"row {row + 1} is full: it would have vanished already")
        if not 1 <= self.goal <= MOST_GOAL:
            raise BadInput(f"a Tetris goal is 1 to {MOST_GOAL} lines, not {self.goal}")
        if not 0 <= self.seed <= MOST_SEED:
            raise BadInput(f"a Tetris seed is a number from 0 to {MOST_SEED}, not {self.seed}")
        if not self.pieces or len(set(self.pieces)) < len(self.pieces) or not set(self.pieces) <= set(PIECES):
            raise BadInput(f"Tetris pieces are letters of {PIECES}, each at most once, not {self.pieces[:20]!r}")
        if self.preview not in (0, 1):
            raise BadInput(f"a Tetris preview shows 0 or 1 pieces, not {self.preview}")

    @property
    def size(self) -> str:
        """Rows by columns."""
        return f"{self.rows}x{self.cols}"

    def encode(self) -> dict[str, Any]:
        """As JSON types: a text a row."""
        return {
            "board": board_lines(self),
            "goal": self.goal,
            "seed": self.seed,
            "pieces": self.pieces,
            "preview": self.preview,
        }


def board_lines(puzzle: Tetris) -> list[str]:
    """The cells as texts, one for each row."""
    text = "".join(GIVEN if filled else EMPTY for filled in puzzle.cells)
    return [text[start : start + puzzle.cols] for start in range(0, len(text), puzzle.cols)]


def from_lines(lines: list[str], goal: int, seed: int, pieces: str, preview: int, place: str = "row {}") -> Tetris:
    """A puzzle from such texts; ``place``: how a row is named where something is wrong with it."""
    for row, line in enumerate(lines, start=1):
        if len(line) != len(lines[0]):
            raise BadInput(f"{place.format(row)} has {len(line)} cells, but the first one has {len(lines[0])}")
        for col, letter in enumerate(line, start=1):
            if letter not in (EMPTY, GIVEN):
                raise BadInput(f"{place.format(row)}, column {col}: a cell is '.' or '#', not {letter!r}")
    cells = tuple(letter == GIVEN for line in lines for letter in line)
    return Tetris(len(lines), len(lines[0]) if lines else 0, cells, goal, seed, pieces, preview)


def turned(piece: str, turns: int) -> tuple[tuple[int, int], ...]:
    """The cells (row, col) of a piece after so many quarter turns clockwise, in the corner of the board."""
    outline = list(OUTLINES[piece])
    for _ in range(turns):
        outline = ["".join(column) for column in zip(*reversed(outline), strict=True)]
    return tuple((row, col) for row, line in enumerate(outline) for col, letter in enumerate(line) if letter == "#")


class TetrisPlay(Play):
    """``board[row][col]``: EMPTY, GIVEN, or the letter of the piece that filled it; ``coming``: the pieces known."""

    def __init__(self, puzzle: Tetris) -> None:
        self.puzzle = puzzle
        self.board = [list(line) for line in board_lines(puzzle)]
        self.lines = 0
        self.last: list[tuple[int, int]] = []  # where the last piece is now, as far as it is left
        self._word = (puzzle.seed * 0x9E3779B97F4A7C15 + 0x1234567) % _WORD or 1
        self.coming = [self._draw() for _ in range(puzzle.preview + 1)]

    def make(self, move: str) -> None:
        """Drop the piece; then full lines vanish, and the next piece comes."""
        if self.solved:
            raise IllegalMove(f"the {self.puzzle.goal} lines are cleared, and the game is over")
        cells = self.landed(*self._read(move))
        for row, col in cells:
            self.board[row][col] = self.coming[0]
        full = [row for row, line in enumerate(self.board) if EMPTY not in line]
        self.board = [[EMPTY] * self.puzzle.cols for _ in full] + [line for line in self.board if EMPTY in line]
        # a line that vanishes lets those above it down by one
        self.last = [(row + sum(gone > row for gone in full), col) for row, col in cells if row not in full]
        self.lines += len(full)
        self.coming = [*self.coming[1:], self._draw()]

    def landed(self, turns: int, col: int) -> list[tuple[int, int]]:
        """The cells where the piece comes to rest, its left-most cells in that column; raises IllegalMove."""
        shape = turned(self.coming[0], turns)
        if col + max(across for _, across in shape) >= self.puzzle.cols:
            raise IllegalMove(f"the {self.coming[0]} turned {turns} times reaches beyond the last column")
        drop = -max(down for down, _ in shape) - 1  # it comes from above the board
        while all(self._free(drop + 1 + down, col + across) for down, across in shape):
            drop += 1
        if drop < 0:
            raise IllegalMove(f"the {self.coming[0]} turned {turns} times does not fit below the top there")
        return [(drop + down, col + across) for down, across in shape]

    @property
    def options(self) -> list[tuple[int, int]]:
        """Turns and column of every move that is allowed; turns that look alike are listed once."""
        found = []
        seen = set()
        for turns in range(4):
            shape = turned(self.coming[0], turns)
            for col in range(self.puzzle.cols if shape not in seen else 0):
                try:
                    self.landed(turns, col)
                except IllegalMove:
                    continue
                found.append((turns, col))
            seen.add(shape)
        return [] if self.solved else found

    @property
    def solved(self) -> bool:
        """Whether enough lines are cleared."""
        return self.lines >= self.puzzle.goal

    @property
    def missing(self) -> str:
        """How many lines."""
        over = "" if self.options else f", and the {self.coming[0]} fits nowhere"
        return f"{self.lines} of {self.puzzle.goal} lines are cleared{over}"

    @property
    def share(self) -> float:
        """Lines cleared, of those to clear."""
        return min(1.0, self.lines / self.puzzle.goal)

    @property
    def scores(self) -> Mapping[str, float]:
        """Lines cleared."""
        return {"lines": self.lines}

    def _read(self, move: str) -> tuple[int, int]:
        turns, comma, col = move.partition(",")
        if not (comma and turns in ("0", "1", "2", "3") and col.isascii() and col.isdigit() and len(col) <= 2):
            raise IllegalMove("a move is quarter turns and a column, as in 1,4")
        if not 1 <= int(col) <= self.puzzle.cols:
            raise IllegalMove(f"there is no column {int(col)}")
        return int(turns), int(col) - 1

    def _free(self, row: int, col: int) -> bool:
        return row < 0 or (row < self.puzzle.rows and self.board[row][col] == EMPTY)

    def _draw(self) -> str:
        """The next piece; see the rules."""
        word = self._word
        word ^= (word << 13) % _WORD
        word ^= word >> 7
        word ^= (word << 17) % _WORD
        self._word = word
        return self.puzzle.pieces[(word >> 1) % len(self.puzzle.pieces)]


@dataclass(frozen=True)
class Making:
    """What game to make."""

    width: int = setting(6, "columns of the board", least=LEAST_SIDE, most=MOST_COLS)
    height: int = setting(12, "rows of the board", least=LEAST_SIDE * 2, most=MOST_ROWS)
    filled: int = setting(4, "rows at the bottom that are partly filled", least=0, most=10)
    goal: int = setting(8, "lines to clear", least=1, most=100)
    preview: int = setting(0, "pieces known beforehand", least=0, most=1)


class TetrisKind(MovesKind):
    """See the module text."""

    name = "tetris"
    title = "Tetris: drop pieces so that lines fill and vanish"
    rules = (
        "The piece is turned, put above the board in some columns, and falls straight down until it rests on the floor "
        "or on filled cells. It must then lie wholly on the board; after that, full lines vanish and what is above "
        "them comes down by as many rows. A move is 'turns,column': quarter turns clockwise, 0 to 3, and the left-most "
        "column that the turned piece covers, from 1. Solved is a game with 'goal' lines cleared; it is lost when the "
        "piece fits nowhere. Pieces come from the seed, one by one: a 64-bit word w begins as seed * "
        "0x9E3779B97F4A7C15 + 0x1234567 modulo 2^64 (1 if that is 0); for each piece w ^= w << 13 modulo 2^64, "
        "w ^= w >> 7, w ^= w << 17 modulo 2^64, and the piece is number (w >> 1) modulo their number, from 0, among "
        f"'pieces' ({PIECES}). Without turns I lies flat, T, J and L lie on their long side, S and Z lie flat."
    )
    puzzle_class = "C"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """The usual board, a small one with a preview, and one to clear first."""
        return {
            "tetris-start": partial(Tetris, ROWS, COLS, (False,) * (ROWS * COLS), GOAL, 1),
            "tetris-small": partial(Tetris, 10, 6, (False,) * 60, 10, 2, PIECES, 1),
            "tetris-rubble": partial(from_lines, RUBBLE, 20, 3, PIECES, 0),
        }

    def formats(self) -> tuple[Format, ...]:
        """The small text format."""
        from .tetris_formats import FORMATS

        return FORMATS

    def decode(self, data: Mapping[str, Any]) -> Tetris:
        """From Dovetail's JSON."""
        lines = data.get("board")
        if not isinstance(lines, list) or not lines or not all(isinstance(line, str) for line in lines):
            raise BadInput("a tetris puzzle needs a list 'board' of texts, one for each row")
        numbers = {"goal": GOAL, "seed": 0, "preview": 0}
        for name, default in numbers.items():
            found = data.get(name, default)
            if not isinstance(found, int) or isinstance(found, bool):
                raise BadInput(f"the {name} of a tetris puzzle is a whole number, not {str(found)[:40]!r}")
            numbers[name] = found
        pieces = data.get("pieces", PIECES)
        if not isinstance(pieces, str):
            raise BadInput("the pieces of a tetris puzzle are a text of letters")
        return from_lines(lines, numbers["goal"], numbers["seed"], pieces, numbers["preview"])

    def make(self, settings: Making, seed: int) -> tuple[Tetris, Moves]:
        """A board with some rows partly filled, and a play that clears the goal."""
        from .tetris_making import made

        return made(settings, seed)

    def begin(self, puzzle: Tetris) -> TetrisPlay:
        """The board as given, with its first piece."""
        return TetrisPlay(puzzle)

    def picture(self, puzzle: Tetris, play: TetrisPlay) -> Picture:
        """The board, the last piece outlined, the next piece above it."""
        from .tetris_draw import drawn

        return drawn(puzzle, play)


RUBBLE = ["." * 10] * 10 + ["#..####.##", "##.####.##", ".#########", "#.########", "########.#", "###.######"]
