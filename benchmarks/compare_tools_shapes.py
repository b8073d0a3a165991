"""What the models of compare_tools.py share: Dovetail's own JSON of a puzzle, as plain lists. Imports nothing of ours:
the other tools run where Dovetail need not be installed."""

from collections.abc import Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]
Answer = Json | None  # the data of a solution as Dovetail's files have it


class Option(NamedTuple):
    """A tile that may lie in a cell as the rim allows it; its sides are north, east, south, west."""

    cell: int
    tile: int
    turns: int
    sides: tuple[int, ...]


def options(puzzle: Json) -> list[Option]:
    """Every tile in every cell and turn that the rim allows."""
    rows, cols = puzzle["rows"], puzzle["cols"]
    turns = range(4 if puzzle.get("rotate", True) else 1)
    rims = [_rim(puzzle, *divmod(cell, cols)) for cell in range(rows * cols)]
    found = []
    for number, tile in enumerate(puzzle["tiles"]):
        for turn in turns:
            sides = (*tile[turn:], *tile[:turn])  # counter-clockwise: the east side comes to lie north
            fits = (
                cell
                for cell, rim in enumerate(rims)
                if all(shown in (None, side) for shown, side in zip(rim, sides, strict=True))
            )
            found += [Option(cell, number, turn, sides) for cell in fits]
    return found


def _rim(puzzle: Json, row: int, col: int) -> tuple[int | None, ...]:
    """What the frame shows north, east, south and west of a cell; None where there is none."""
    rows, cols, frame = puzzle["rows"], puzzle["cols"], puzzle.get("frame")
    if frame is None:
        return (None,) * 4
    if isinstance(frame, int):
        frame = [frame] * (2 * (rows + cols))
    top, right, bottom, left = (
        frame[col],
        frame[cols + row],
        frame[2 * cols + rows - 1 - col],
        frame[2 * (cols + rows) - 1 - row],
    )
    return (
        top if row == 0 else None,
        right if col == cols - 1 else None,
        bottom if row == rows - 1 else None,
        left if col == 0 else None,
    )


def seams(puzzle: Json) -> Iterator[tuple[int, int, int, int]]:
    """Two cells that touch, and the sides they touch with."""
    rows, cols = puzzle["rows"], puzzle["cols"]
    for cell in range(rows * cols):
        if cell % cols < cols - 1:
            yield cell, cell + 1, 1, 3
        if cell // cols < rows - 1:
            yield cell, cell + cols, 2, 0


def placement(puzzle: Json, chosen: list[Option]) -> Json:
    """A board, given the option taken in every cell."""
    cols = puzzle["cols"]
    chosen = sorted(chosen)
    boards = [[option.tile for option in chosen], [option.turns for option in chosen]]
    pieces, turns = ([flat[i : i + cols] for i in range(0, len(flat), cols)] for flat in boards)
    return {"pieces": pieces, "turns": turns}


def units(puzzle: Json) -> list[list[int]]:
    """The rows, columns and boxes of a sudoku."""
    n, (high, wide) = puzzle["n"], puzzle["box"]
    rows = [[row * n + col for col in range(n)] for row in range(n)]
    cols = [[row * n + col for row in range(n)] for col in range(n)]
    boxes = [
        [(top + i // wide) * n + left + i % wide for i in range(n)]
        for top in range(0, n, high)
        for left in range(0, n, wide)
    ]
    return [*rows, *cols, *boxes]


def givens(puzzle: Json) -> list[int]:
    """The numbers of a sudoku by row, 0 where there is none."""
    return [number for row in puzzle["givens"] for number in row]


def edges(rows: int, cols: int) -> list[tuple[int, int]]:
    """Between points in rows and columns: along the rows first, then between them, as solutions list them."""
    along = [(row * cols + col, row * cols + col + 1) for row in range(rows) for col in range(cols - 1)]
    between = [(row * cols + col, (row + 1) * cols + col) for row in range(rows - 1) for col in range(cols)]
    return [*along, *between]


def around(rows: int, cols: int, row: int, col: int) -> list[int]:
    """The four edges around a cell of a slitherlink: above, below, left, right."""
    first = (rows + 1) * cols
    down = first + row * (cols + 1) + col
    return [row * cols + col, (row + 1) * cols + col, down, down + 1]
