"""The checker of puzzles with gaps: legal or not from the rules alone, how right from the original where it is known.

No solver uses this module, and it uses none of theirs.
"""

import numpy as np

from ..core.puzzle import EMPTY, Solution, Verdict, as_placement, named
from .gapped import Gapped, hint_text
from .scores import board_of, compared, misused, original_of, rounded

# what Paumard et al. call the scores of a jigsaw
NAMES = {"direct": "patch", "neighbour": "neighbour", "perfect": "puzzle"}


def judge(puzzle: Gapped, solution: Solution, truth: Solution | None) -> Verdict:
    """Every patch once and hints in place; with the original, how much of it is there and whether all of it is.

    ``patch`` is the share of the patches in their own cell, ``neighbour`` that of the original's pairs of neighbours
    which are neighbours again, the same way round, ``puzzle`` 1 or 0. Under ``…_content``, patches of equal pixels
    count as the same patch, and ``solved`` means that the puzzle is right by content.
    """
    placement = as_placement(puzzle.kind, solution)
    if faults := misused(puzzle, placement):
        return Verdict(False, False, named(faults))
    answer = board_of(puzzle, placement)
    flat = answer.pieces.ravel()
    missed = np.setdiff1d(np.arange(puzzle.count), flat)
    violations = [f"patch {patch} is not laid" for patch in missed.tolist()]
    for patch, cell in puzzle.hints:
        if flat[cell] != patch:
            lies = "nothing" if flat[cell] == EMPTY else f"patch {flat[cell]}"
            violations.append(f"by a hint {hint_text(puzzle, (patch, cell))}, and {lies} does")
    if truth is None:
        return Verdict(True, False if violations else None, named(violations), remarks=puzzle.found_out)
    original = original_of(puzzle, truth)
    found = compared(puzzle, answer, original)
    scores = {f"{ours}{by}": found[f"{theirs}{by}"] for by in ("", "_content") for theirs, ours in NAMES.items()}
    right = scores["puzzle_content"] == 1
    if not right and not violations:
        violations = ["the patches do not show what they showed in the original"]
    return Verdict(True, right and not violations, named(violations), rounded(scores), puzzle.found_out)
