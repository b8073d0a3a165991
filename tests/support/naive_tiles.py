"""Tile puzzles solved by trying, straight from the rules: what engines are held against. Shares no code with them."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial, prod

from dovetail.core.puzzle import Placement
from dovetail.tiles.puzzle import EQUAL, SIGNED, Pin, Tiles
from dovetail.tiles.terracotta import Terracotta

Face = tuple[int, int, int, int]
Board = tuple[Face, ...]  # by rows, as the tiles lie
Laid = dict[int, Face]  # cell → tile as it lies
FRAMES = ("free", "grey", "coloured")


@dataclass
class Tree:
    """A search tree, fully visited: partial boards at each depth, and the full ones."""

    widths: list[int]
    boards: list[Board]

    @property
    def placements(self) -> int:
        return sum(self.widths)


def faces(puzzle: Tiles | Terracotta, tile: Face) -> list[Face]:
    """How a tile can lie, each look once."""
    turns = 4 if isinstance(puzzle, Terracotta) or puzzle.rotate else 1
    return list(dict.fromkeys(puzzle.turned(tile, turn) for turn in range(turns)))


def look(puzzle: Tiles | Terracotta, tile: Face) -> Face:
    """One name for a tile, however it is turned."""
    return min(faces(puzzle, tile))


def touch(puzzle: Tiles | Terracotta, cell: int) -> list[tuple[int, int | None]]:
    """(side, cell beyond it or None) for north, east, south, west."""
    row, col = divmod(cell, puzzle.cols)
    near = [(row - 1, col), (row, col + 1), (row + 1, col), (row, col - 1)]
    inside = [0 <= r < puzzle.rows and 0 <= c < puzzle.cols for r, c in near]
    return [(side, r * puzzle.cols + c if inside[side] else None) for side, (r, c) in enumerate(near)]


def agree(puzzle: Tiles | Terracotta, face: Face, side: int, other: Face) -> bool:
    """Whether a tile's side agrees with the tile that lies beyond it."""
    if isinstance(puzzle, Terracotta):
        corners = ((0, 1), (1, 3), (2, 3), (0, 2))  # of each side, left before right, top before bottom
        back = corners[(side + 2) % 4]
        return all(face[a] == other[b] for a, b in zip(corners[side], back, strict=True))
    return face[side] == (other[(side + 2) % 4] if puzzle.match == EQUAL else -other[(side + 2) % 4])


def rim_colour(puzzle: Tiles, cell: int, side: int) -> int | None:
    """What the frame wants of a side that looks outwards."""
    if puzzle.frame is None:
        return None
    row, col = divmod(cell, puzzle.cols)
    rows, cols = puzzle.rows, puzzle.cols
    return puzzle.frame[(col, cols + row, 2 * cols + rows - 1 - col, 2 * (cols + rows) - 1 - row)[side]]


def may_lie(puzzle: Tiles | Terracotta, cell: int, face: Face) -> bool:
    """By the frame, and since a rim's own colour does not belong inside."""
    if isinstance(puzzle, Terracotta):
        return True
    for side, beyond in touch(puzzle, cell):
        if beyond is None:
            if rim_colour(puzzle, cell, side) not in (None, face[side]):
                return False
        elif puzzle.grey is not None and face[side] == puzzle.grey:
            return False
    return True


def hints(puzzle: Tiles | Terracotta) -> Laid:
    """Cells that are given, as they look."""
    if isinstance(puzzle, Terracotta):
        return {}
    return {p.row * puzzle.cols + p.col: puzzle.turned(puzzle.tiles[p.tile], p.turns) for p in puzzle.pins}


def pinned_agree(puzzle: Tiles | Terracotta) -> bool:
    """Whether the hints contradict neither frame nor each other."""
    given = hints(puzzle)
    return all(
        may_lie(puzzle, cell, face)
        and all(agree(puzzle, face, side, given[b]) for side, b in touch(puzzle, cell) if b in given)
        for cell, face in given.items()
    )


def tree(puzzle: Tiles | Terracotta, order: Sequence[int]) -> Tree:
    """Fill the cells in this order with every tile that agrees with all that lies; alike tiles are the same."""
    laid = hints(puzzle)
    cells = [cell for cell in order if cell not in laid]
    stock = Counter(look(puzzle, tile) for tile in puzzle.tiles)
    stock.subtract(look(puzzle, face) for face in laid.values())
    offered = {cell: [f for key in stock for f in faces(puzzle, key) if may_lie(puzzle, cell, f)] for cell in cells}
    around = {cell: touch(puzzle, cell) for cell in cells}
    found = Tree([0] * len(cells), [])

    def descend(depth: int) -> None:
        if depth == len(cells):
            found.boards.append(tuple(laid[cell] for cell in range(puzzle.rows * puzzle.cols)))
            return
        cell = cells[depth]
        for face in offered[cell]:
            key = look(puzzle, face)
            if stock[key] and all(agree(puzzle, face, s, laid[b]) for s, b in around[cell] if b in laid):
                stock[key] -= 1
                laid[cell] = face
                found.widths[depth] += 1
                descend(depth + 1)
                del laid[cell]
                stock[key] += 1

    if pinned_agree(puzzle):
        descend(0)
    return found


def by_rows(puzzle: Tiles | Terracotta) -> range:
    return range(puzzle.rows * puzzle.cols)


def shown(puzzle: Tiles | Terracotta, placement: Placement) -> Board:
    """A placement as its tiles lie."""
    pieces = [piece for row in placement.pieces for piece in row]
    turns = [turn for row in placement.turns for turn in row]
    return tuple(puzzle.turned(puzzle.tiles[p], t) for p, t in zip(pieces, turns, strict=True))


def turned_board(puzzle: Tiles | Terracotta, board: Board, quarters: int) -> Board:
    """The whole board after quarter turns counter-clockwise."""
    rows, cols = puzzle.rows, puzzle.cols
    for _ in range(quarters):
        board = tuple(puzzle.turned(board[c * cols + cols - 1 - r], 1) for r in range(cols) for c in range(rows))
        rows, cols = cols, rows
    return board


def board_turns(puzzle: Tiles | Terracotta) -> list[int]:
    """Quarter turns of the whole board after which the puzzle asks for the same; hints stay where they are."""
    if isinstance(puzzle, Tiles) and (puzzle.pins or not puzzle.rotate):
        return [0]
    turns = [0, 1, 2, 3] if puzzle.rows == puzzle.cols else [0, 2]
    if isinstance(puzzle, Terracotta) or puzzle.frame is None:
        return turns
    return [turn for turn in turns if _frame_after(puzzle, turn) == puzzle.frame]


def _frame_after(puzzle: Tiles, turn: int) -> tuple[int, ...]:
    """Clockwise from the top left, the frame shows what lay so many edges further before a turn counter-clockwise."""
    assert puzzle.frame is not None
    edges = (0, puzzle.cols, puzzle.cols + puzzle.rows, 2 * puzzle.cols + puzzle.rows)[turn]
    return puzzle.frame[edges:] + puzzle.frame[:edges]


def distinct(puzzle: Tiles | Terracotta, boards: list[Board]) -> int:
    """Boards that differ, however they are turned."""
    turns = board_turns(puzzle)
    return len({min(turned_board(puzzle, board, turn) for turn in turns) for board in boards})


def labellings(puzzle: Tiles | Terracotta) -> int:
    """In how many ways tiles that are alike can change places; a hint says which of them it means."""
    given = {pin.tile for pin in puzzle.pins} if isinstance(puzzle, Tiles) else set()
    free = Counter(look(puzzle, tile) for number, tile in enumerate(puzzle.tiles) if number not in given)
    return prod(factorial(n) for n in free.values())


def dealt(
    rows: int,
    cols: int,
    seed: int,
    rotate: bool = True,
    match: str = EQUAL,
    frame: str = "free",
    pins: int = 0,
    colours: int = 3,
) -> Tiles:
    """A puzzle with a solution, its tiles shuffled and turned. Few colours make tiles that are alike."""
    chance = random.Random(f"{rows} {cols} {seed}")
    sign = -1 if match == SIGNED else 1

    def colour() -> int:
        return chance.randint(1, colours) * chance.choice((1, sign))

    down = [[colour() for _ in range(cols)] for _ in range(rows + 1)]
    right = [[colour() for _ in range(cols + 1)] for _ in range(rows)]
    if frame == "grey":
        down[0] = down[rows] = [0] * cols
        for row in right:
            row[0] = row[cols] = 0
    flat: list[Face] = [
        (sign * down[r][c], right[r][c + 1], down[r + 1][c], sign * right[r][c])
        for r in range(rows)
        for c in range(cols)
    ]
    rim = None
    if frame != "free":
        top = [flat[c][0] for c in range(cols)]
        east = [flat[r * cols + cols - 1][1] for r in range(rows)]
        bottom = [flat[(rows - 1) * cols + c][2] for c in reversed(range(cols))]
        west = [flat[r * cols][3] for r in reversed(range(rows))]
        rim = (*top, *east, *bottom, *west)
    order = chance.sample(range(len(flat)), len(flat))
    turns = [chance.randrange(4) if rotate else 0 for _ in flat]
    tiles = tuple(_listed(flat[cell], turn) for cell, turn in zip(order, turns, strict=True))
    given = tuple(Pin(*divmod(order[n], cols), n, -turns[n] % 4) for n in range(pins))
    return Tiles(rows, cols, tiles, rotate, match, rim, given)


def spoilt(puzzle: Tiles, seed: int) -> Tiles:
    """One side of one tile recoloured, so that mostly nothing fits any more."""
    chance = random.Random(seed)
    tiles = [list(tile) for tile in puzzle.tiles]
    tiles[chance.randrange(len(tiles))][chance.randrange(4)] = chance.choice((1, 2, 3))
    recoloured = tuple((n, e, s, w) for n, e, s, w in tiles)
    return Tiles(puzzle.rows, puzzle.cols, recoloured, puzzle.rotate, puzzle.match, puzzle.frame, puzzle.pins)


def arrows(rows: int, cols: int, seed: int, directions: int = 4) -> Terracotta:
    """A Terracotta puzzle with a solution."""
    chance = random.Random(f"{rows} {cols} {seed}")
    points = [[chance.randrange(directions) for _ in range(cols + 1)] for _ in range(rows + 1)]
    bare = Terracotta(1, 1, ((0, 0, 0, 0),))
    tiles = [
        bare.turned(
            (points[r][c], points[r][c + 1], points[r + 1][c], points[r + 1][c + 1]), chance.randrange(4)
        )
        for r in range(rows)
        for c in range(cols)
    ]  # fmt: skip
    chance.shuffle(tiles)
    return Terracotta(rows, cols, tuple(tiles))


def _listed(face: Face, turn: int) -> Face:
    a, b, c, d = (face[(side + turn) % 4] for side in range(4))
    return (a, b, c, d)
