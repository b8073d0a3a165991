"""Boards of boxes and hexagons solved by trying, straight from the rules: what solvers are held against.

Shares no code with checkers, layouts and solvers: coordinates are worked out here once more. For boards of some ten or
twenty pieces.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import product

from dovetail.core.puzzle import EMPTY, Placement
from dovetail.tiles.boxes import Boxes
from dovetail.tiles.hexagons import Hexagons

Face = tuple[int, ...]  # a piece as it lies, a colour for every side
Board = tuple[Face, ...]  # in reading order
Place = tuple[int, ...]
AROUND = ((0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0))  # of a hexagon, counter-clockwise from east


def places(puzzle: Boxes | Hexagons) -> list[Place]:
    """The cells in reading order."""
    if isinstance(puzzle, Boxes):
        return [*product(*map(range, puzzle.shape))]
    last = puzzle.side - 1
    return [(r, c) for r in range(2 * last + 1) for c in range(2 * last + 1) if abs(r + c - 2 * last) <= last]


def sides(puzzle: Boxes | Hexagons, place: Place) -> list[tuple[Place, int]]:
    """For every side of a cell the place beyond, on the board or off it, and the side of that one that touches."""
    if isinstance(puzzle, Hexagons):
        return [((place[0] + dr, place[1] + dc), AROUND.index((-dr, -dc))) for dr, dc in AROUND]
    found = []
    for axis in range(len(place)):
        for towards, step in enumerate((-1, 1)):
            beyond = tuple(at + step * (i == axis) for i, at in enumerate(place))
            found.append((beyond, 2 * axis + 1 - towards))
    return found


def faces(puzzle: Boxes | Hexagons, piece: Face) -> list[Face]:
    """How a piece can lie, each look once."""
    turns = 6 if isinstance(puzzle, Hexagons) and puzzle.rotate else 1
    return list(dict.fromkeys(turned(piece, turn) for turn in range(turns)))


def turned(piece: Face, turns: int) -> Face:
    """The colour on side i comes to side i + turns."""
    return tuple(piece[(side - turns) % len(piece)] for side in range(len(piece)))


def wanted(puzzle: Boxes | Hexagons) -> dict[tuple[Place, int], int]:
    """What the frame asks of the sides that look outwards."""
    board = places(puzzle)
    outwards = [(p, side) for p in board for side, (beyond, _) in enumerate(sides(puzzle, p)) if beyond not in board]
    return dict(zip(outwards, puzzle.frame, strict=True)) if puzzle.frame is not None else {}


def boards(puzzle: Boxes | Hexagons) -> Iterator[Board]:
    """Every solution, as its pieces lie; pieces that are alike are the same."""
    board, rim = places(puzzle), wanted(puzzle)
    stock = Counter(min(faces(puzzle, piece)) for piece in puzzle.pieces)
    laid: dict[Place, Face] = {}

    def descend() -> Iterator[Board]:
        if len(laid) == len(board):
            yield tuple(laid[place] for place in board)
            return
        place = board[len(laid)]
        needs = {side: rim[place, side] for side in range(len(puzzle.pieces[0])) if (place, side) in rim}
        needs |= {side: laid[p][back] for side, (p, back) in enumerate(sides(puzzle, place)) if p in laid}
        for look in [look for look, left in stock.items() if left]:
            for face in faces(puzzle, look):
                if all(face[side] == colour for side, colour in needs.items()):
                    laid[place] = face
                    stock[look] -= 1
                    yield from descend()
                    stock[look] += 1
                    del laid[place]

    return descend()


def shown(puzzle: Boxes | Hexagons, placement: Placement) -> Board:
    """A placement as its pieces lie."""
    cells = [
        (piece, turn)
        for pieces, turns in zip(placement.pieces, placement.turns, strict=True)
        for piece, turn in zip(pieces, turns, strict=True)
        if piece != EMPTY
    ]
    return tuple(turned(puzzle.pieces[piece], turn) for piece, turn in cells)


def turned_board(puzzle: Hexagons, board: Board) -> Board:
    """The whole board after a sixth of a turn counter-clockwise about its middle: east comes to lie north-east."""
    middle = puzzle.side - 1
    after: dict[Place, Face] = {
        (middle - (c - middle), c + r - middle): turned(face, 1)
        for (r, c), face in zip(places(puzzle), board, strict=True)
    }
    return tuple(after[place] for place in places(puzzle))


def distinct(puzzle: Hexagons, found: list[Board]) -> int:
    """Boards that differ, however the whole of them is turned."""
    looks = set()
    for board in found:
        turns = [board]
        for _ in range(5):
            turns.append(turned_board(puzzle, turns[-1]))
        looks.add(min(turns))
    return len(looks)
