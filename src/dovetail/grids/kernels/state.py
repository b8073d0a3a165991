"""A compiled model and a search state as flat arrays, and the one way to change a domain: ``keep``."""

from collections import namedtuple

import numpy as np

from ...kernel import kernel
from .bits import NONE

# Constraint c: kind[c]; variables scope[scope_at[c]:scope_at[c+1]]; numbers data[data_at[c]:data_at[c+1]].
# Constraints of variable v: near[near_at[v]:near_at[v+1]]. late[c]: runs only when no other constraint has work.
Structure = namedtuple("Structure", ["kind", "scope_at", "scope", "data_at", "data", "near_at", "near", "late"])

# dom [variables]: the domains as bits. trail_var, trail_dom [growing use]: what a domain was before it changed.
# queue [2, constraints]: two rings of constraints with work; queued [constraints]. tally: see below.
# score [variables]: how often a constraint of this variable failed. work: scratch of the constraints.
# union [variables], touched: scratch of looking ahead.
State = namedtuple(
    "State", ["dom", "trail_var", "trail_dom", "queue", "queued", "tally", "score", "work", "union", "touched"]
)

# places in tally
TRAIL, HEAD, COUNT, LATE_HEAD, LATE_COUNT, FAILED, RUNS_MADE = 0, 1, 2, 3, 4, 5, 6
TALLIES = 8


@kernel
def enqueue(structure, state, constraint):
    """Note that a constraint has work."""
    if state.queued[constraint]:
        return
    state.queued[constraint] = 1
    late = np.int64(structure.late[constraint])
    tally, ring = state.tally, state.queue.shape[1]
    place = tally[HEAD + 2 * late] + tally[COUNT + 2 * late]
    if place >= ring:
        place -= ring
    state.queue[late, place] = constraint
    tally[COUNT + 2 * late] += 1


@kernel
def keep(structure, state, variable, allowed):
    """Leave a variable only the allowed values; False if none is left."""
    old = state.dom[variable]
    new = old & allowed
    if new == old:
        return True
    if new == NONE:
        return False
    at = state.tally[TRAIL]
    state.trail_var[at] = variable
    state.trail_dom[at] = old
    state.tally[TRAIL] = at + 1
    state.dom[variable] = new
    for place in range(structure.near_at[variable], structure.near_at[variable + 1]):
        enqueue(structure, state, structure.near[place])
    return True


@kernel
def undo(state, mark):
    """Take back every change after the trail had ``mark`` entries; forget what was queued."""
    tally = state.tally
    while tally[TRAIL] > mark:
        tally[TRAIL] -= 1
        state.dom[state.trail_var[tally[TRAIL]]] = state.trail_dom[tally[TRAIL]]
    forget(state)


@kernel
def forget(state):
    """Empty the queues."""
    tally, ring = state.tally, state.queue.shape[1]
    for late in range(2):
        head, count = tally[HEAD + 2 * late], tally[COUNT + 2 * late]
        for place in range(head, head + count):
            state.queued[state.queue[late, place - ring if place >= ring else place]] = 0
        tally[HEAD + 2 * late] = 0
        tally[COUNT + 2 * late] = 0
