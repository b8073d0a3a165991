"""What the checkers and drawings of all square-tile kinds share: boards of oriented tiles, judged from the rules alone.

No solver uses this module; a test sees to it.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeAlias

from ..core.errors import BadInput
from ..core.puzzle import EMPTY, Placement, Solution, Verdict, as_placement, named

Tile: TypeAlias = tuple[int, int, int, int]
Cell: TypeAlias = tuple[int, int]
Board: TypeAlias = list[list[Tile | None]]


class TilePuzzle(Protocol):
    """A rectangular board and square tiles."""

    @property
    def rows(self) -> int:
        """Of the board."""

    @property
    def cols(self) -> int:
        """Of the board."""

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """As the puzzle lists them."""

    def turned(self, tile: Tile, turns: int) -> Tile:
        """After quarter turns counter-clockwise."""


def oriented_board(puzzle: TilePuzzle, solution: Placement) -> Board:
    """The tiles as they lie, None for a hole."""
    return [
        [
            None if piece == EMPTY else puzzle.turned(puzzle.tiles[piece], turn)
            for piece, turn in zip(*rows, strict=True)
        ]
        for rows in zip(solution.pieces, solution.turns, strict=True)
    ]


def touching_pairs(board: Board) -> Iterator[tuple[Cell, Cell]]:
    """Each pair of neighbouring tiles, left before right and upper before lower."""
    for r, row in enumerate(board):
        for c, tile in enumerate(row):
            if tile is None:
                continue
            if c + 1 < len(row) and row[c + 1] is not None:
                yield (r, c), (r, c + 1)
            if r + 1 < len(board) and board[r + 1][c] is not None:
                yield (r, c), (r + 1, c)


def judge(
    puzzle: TilePuzzle,
    solution: Placement,
    mismatched: Callable[[Board], Sequence[tuple[Cell, Cell]]],
    truth: Solution | None,
    faults: Callable[[Board], Sequence[str]] = lambda _: (),
) -> Verdict:
    """Every tile once, every pair of neighbours agreeing, and no further fault."""
    if misuse := [*misused(puzzle, solution)]:
        return Verdict(False, False, named(misuse))
    board = oriented_board(puzzle, solution)
    wrong = mismatched(board)
    holes = sum(tile is None for row in board for tile in row)
    violations = [f"{holes} cell{'s are' if holes > 1 else ' is'} empty"] if holes else []
    violations += faults(board)
    violations += [
        f"the tiles at row {r1 + 1}, column {c1 + 1} and row {r2 + 1}, column {c2 + 1} disagree"
        for (r1, c1), (r2, c2) in wrong
    ]
    scores: dict[str, float] = {
        "matched": sum(1 for _ in touching_pairs(board)) - len(wrong),
        "seams": puzzle.rows * (puzzle.cols - 1) + (puzzle.rows - 1) * puzzle.cols,
        "placed": puzzle.rows * puzzle.cols - holes,
    }
    if truth is not None:
        scores["as_planted"] = _agreement(puzzle, board, truth)
    return Verdict(True, not violations, named(violations), scores)


def drawable(puzzle: TilePuzzle, kind: str, solution: Solution) -> Placement:
    """The solution, if it can be drawn at all."""
    placement = as_placement(kind, solution)
    for fault in misused(puzzle, placement):
        raise BadInput(f"cannot draw this solution: {fault}")
    return placement


def misused(puzzle: TilePuzzle, solution: Placement) -> Iterator[str]:
    """What makes a placement meaningless: wrong board, unknown tiles, tiles used twice."""
    rows, cols = len(solution.pieces), len(solution.pieces[0]) if solution.pieces else 0
    if (rows, cols) != (puzzle.rows, puzzle.cols):
        yield f"the solution's board is {rows}x{cols}, the puzzle's {puzzle.rows}x{puzzle.cols}"
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


def _agreement(puzzle: TilePuzzle, board: Board, truth: Solution) -> float:
    """The share of cells that look like the planted board (another solution is as good)."""
    if not isinstance(truth, Placement) or [*misused(puzzle, truth)]:
        raise BadInput("the truth is not a placement for this puzzle")
    planted = oriented_board(puzzle, truth)
    alike = sum(a == b for ours, theirs in zip(board, planted, strict=True) for a, b in zip(ours, theirs, strict=True))
    return alike / (puzzle.rows * puzzle.cols)
