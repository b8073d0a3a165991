"""Depth-first search over the domains: resumable, counting, in an order of values that a seed can shuffle."""

import numpy as np

from ...kernel import kernel
from ...search.chance import draw
from .bits import ONE, lowest, size
from .propagate import next_variable, propagate
from .state import RUNS_MADE, TRAIL, keep, undo

# what ended a call
PAUSED, FOUND, EXHAUSTED = 0, 1, 2


@kernel
def search(structure, state, shown, variable, left, mark, depth, found, budget, chance):
    """Go on until an answer is found, the tree is exhausted, or so many constraints have run.

    variable, left, mark [variables]: the decision at each depth, its values still to try, the trail before it. At an
    answer the state holds it; called again with ``found``, it goes on to another answer of the ``shown`` variables.
    ``chance`` [1] is the state of a random generator (0: values in their order). Returns (why it ended, depth).
    """
    until = state.tally[RUNS_MADE] + budget
    fresh = not found  # else: go back first
    while state.tally[RUNS_MADE] < until:
        if fresh:
            v = next_variable(state, shown)
            if v < 0:
                return FOUND, depth
            variable[depth] = v
            left[depth] = state.dom[v]
            mark[depth] = state.tally[TRAIL]
            depth += 1
        while True:  # the next value of the deepest decision that has one
            if depth == 0:
                return EXHAUSTED, depth
            top = depth - 1
            undo(state, mark[top])
            if not left[top] or (not fresh and variable[top] >= shown):
                depth -= 1
                continue
            value = _choose(left[top], chance)
            left[top] &= ~value
            fresh = True
            if keep(structure, state, variable[top], value) and propagate(structure, state):
                break
    return PAUSED, depth


@kernel
def _choose(left, chance):
    """One value of a domain: the lowest, or a random one."""
    if chance[0] == np.uint64(0):
        return left & (~left + ONE)
    for _ in range(draw(chance, size(left))):
        left &= left - ONE
    return ONE << np.uint64(lowest(left))
