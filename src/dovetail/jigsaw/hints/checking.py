"""The checker of hints: whether an answer keeps to what was told. What looks exactly alike counts as the same piece.

No solver uses this module.
"""

from dataclasses import replace

import numpy as np

from ...core.puzzle import EMPTY, Placement, Solution, Verdict, named
from ..puzzle import Jigsaw
from ..scores import contents_of
from .told import STEPS, Beside, Lies, Pin, touches


def held_to_hints(puzzle: Jigsaw, solution: Solution, verdict: Verdict) -> Verdict:
    """The verdict of an answer, and what it does not keep to."""
    if not puzzle.hinted or not verdict.valid or not isinstance(solution, Placement):
        return verdict
    faults = broken(puzzle, solution)
    if not faults:
        return verdict
    return replace(verdict, solved=False, violations=named([*faults, *verdict.violations]))


def broken(puzzle: Jigsaw, answer: Placement) -> list[str]:
    """The hints that a legal answer does not keep to, in words."""
    assert puzzle.hinted is not None
    contents = contents_of(puzzle)
    cells = {
        piece: Lies(row, col, answer.turns[row][col])
        for row, pieces in enumerate(answer.pieces)
        for col, piece in enumerate(pieces)
        if piece != EMPTY
    }
    # without a frame, an answer lies where its first pinned piece says
    down = across = 0
    if puzzle.rows is None:
        for pin in puzzle.hinted.pins[:1]:
            if pin.piece in cells:
                down, across = cells[pin.piece].row - pin.row, cells[pin.piece].col - pin.col
    pieces, turns = np.array(answer.pieces), np.array(answer.turns)

    def kept(pin: Pin) -> bool:
        row, col = pin.row + down, pin.col + across
        if not (0 <= row < pieces.shape[0] and 0 <= col < pieces.shape[1]) or pieces[row, col] == EMPTY:
            return False
        lies = contents[pieces[row, col], turns[row, col]]
        return bool(np.isin(lies, contents[pin.piece] if pin.turn is None else contents[pin.piece, pin.turn]))

    def touch(hint: Beside) -> bool:
        """Whether two pieces that look like those of a hint touch as it says."""
        looks = contents[:-1] == contents[[hint.piece, hint.other], None]
        one, other = (set(np.flatnonzero(same.all(axis=1)).tolist()) for same in looks)
        at = {lies[:2]: piece for piece, lies in cells.items() if piece in other}
        return any(
            touches(lies, cells[at[beside]], hint)
            for piece, lies in cells.items()
            if piece in one
            for beside in ((lies.row + step[0], lies.col + step[1]) for step in STEPS)
            if beside in at
        )

    return [
        *(f"{pin.said} is not kept" for pin in puzzle.hinted.pins if not kept(pin)),
        *(f"{hint.said} is not kept" for hint in puzzle.hinted.neighbours if not touch(hint)),
        *(f"{hint.said} is not kept: they touch" for hint in puzzle.hinted.apart if touch(hint)),
    ]
