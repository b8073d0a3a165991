"""What the checkers of boxes and hexagons share: a placement judged from the rules alone.

No solver uses this module.
"""

from collections.abc import Iterator
from typing import TypeAlias

from ..core.errors import BadInput
from ..core.puzzle import EMPTY, Placement, Solution, Verdict, as_placement, named
from .solids import Piece, Seam, Solids

Laid: TypeAlias = list[Piece | None]  # for every cell its piece as it lies, None for a hole


def judge(puzzle: Solids, solution: Placement, truth: Solution | None) -> Verdict:
    """Every piece once, touching faces alike, the frame's colours shown."""
    if misuse := [*misused(puzzle, solution)]:
        return Verdict(False, False, named(misuse))
    board, layout = laid(puzzle, solution), puzzle.layout
    seams, rim = wrong_seams(puzzle, board), wrong_rim(puzzle, board)
    holes = board.count(None)
    violations = [f"{holes} cell{'s are' if holes > 1 else ' is'} empty"] if holes else []
    violations += [
        f"{puzzle.where(cell)}: the {puzzle.face_names[face]} {puzzle.face_word} shows {_shown(board, cell, face)}, "
        f"and the frame wants {colour}"
        for cell, face, colour in rim
    ]
    violations += [
        f"{puzzle.where(cell)}: the {puzzle.face_names[face]} {puzzle.face_word} shows {_shown(board, cell, face)}, "
        f"and meets {_shown(board, other, back)} of the piece at {puzzle.where(other)}"
        for cell, face, other, back in seams
    ]
    touching = sum(board[cell] is not None and board[other] is not None for cell, _, other, _ in layout.seams)
    scores: dict[str, float] = {
        "matched": touching - len(seams),
        "seams": len(layout.seams),
        "placed": len(board) - holes,
    }
    if truth is not None:
        scores["as_planted"] = _agreement(puzzle, board, truth)
    return Verdict(True, not violations, named(violations), scores)


def drawable(puzzle: Solids, solution: Solution) -> Laid:
    """The board of a solution, if it can be drawn at all."""
    placement = as_placement(puzzle.kind, solution)
    for fault in misused(puzzle, placement):
        raise BadInput(f"cannot draw this solution: {fault}")
    return laid(puzzle, placement)


def laid(puzzle: Solids, solution: Placement) -> Laid:
    """The pieces as they lie, cell by cell."""
    return [
        None
        if solution.pieces[r][c] == EMPTY
        else puzzle.turned(puzzle.pieces[solution.pieces[r][c]], solution.turns[r][c])
        for r, c in puzzle.layout.cells
    ]


def wrong_seams(puzzle: Solids, board: Laid) -> list[Seam]:
    """The touching faces that disagree. A grey rim belongs outside: inside, it agrees with nothing."""
    wrong = []
    for seam in puzzle.layout.seams:
        cell, face, other, back = seam
        one, two = board[cell], board[other]
        if one is not None and two is not None and (one[face] != two[back] or one[face] == puzzle.grey):
            wrong.append(seam)
    return wrong


def wrong_rim(puzzle: Solids, board: Laid) -> list[tuple[int, int, int]]:
    """(cell, face, what the frame wants there) wherever a piece shows another colour outwards."""
    wrong = []
    for cell, face, colour in puzzle.wanted:
        piece = board[cell]
        if piece is not None and piece[face] != colour:
            wrong.append((cell, face, colour))
    return wrong


def misused(puzzle: Solids, solution: Placement) -> Iterator[str]:
    """What makes a placement meaningless: wrong board, unknown pieces, pieces used twice or outside the board."""
    layout = puzzle.layout
    rows, cols = len(solution.pieces), len(solution.pieces[0]) if solution.pieces else 0
    if (rows, cols) != (layout.rows, layout.cols):
        yield f"the solution is a grid of {rows}x{cols}, and this puzzle takes one of {layout.rows}x{layout.cols}"
        return
    cell_at = {place: cell for cell, place in enumerate(layout.cells)}
    seen: dict[int, int] = {}
    for r, (pieces, turns) in enumerate(zip(solution.pieces, solution.turns, strict=True)):
        for c, (piece, turn) in enumerate(zip(pieces, turns, strict=True)):
            if piece == EMPTY:
                continue
            if (r, c) not in cell_at:
                yield f"row {r + 1}, column {c + 1} of the grid is no cell of the board, and holds a piece"
                continue
            cell = cell_at[r, c]
            if not 0 <= piece < len(puzzle.pieces):
                yield (
                    f"{puzzle.where(cell)}: there is no piece {str(piece)[:20]} "
                    f"(pieces are 0 to {len(puzzle.pieces) - 1})"
                )
            elif turn not in puzzle.turns:
                allowed = f"turns are 0 to {puzzle.turns[-1]}" if len(puzzle.turns) > 1 else "pieces are not turned"
                yield f"{puzzle.where(cell)}: {allowed}, and this one has {str(turn)[:20]}"
            elif piece in seen:
                yield f"{puzzle.where(cell)}: piece {piece} already lies at {puzzle.where(seen[piece])}"
            else:
                seen[piece] = cell


def _shown(board: Laid, cell: int, face: int) -> int:
    piece = board[cell]
    assert piece is not None
    return piece[face]


def _agreement(puzzle: Solids, board: Laid, truth: Solution) -> float:
    """The share of cells that look like the planted board (another solution is as good)."""
    if not isinstance(truth, Placement) or [*misused(puzzle, truth)]:
        raise BadInput("the truth is not a placement for this puzzle")
    return sum(a == b for a, b in zip(board, laid(puzzle, truth), strict=True)) / len(board)
