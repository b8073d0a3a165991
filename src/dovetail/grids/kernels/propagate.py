"""Everything that follows: constraints run until no domain changes any more, or one of them fails."""

import numpy as np

from ...kernel import kernel
from .arithmetic import arithmetic
from .bits import NONE, ONE, single
from .graphs import loop, paths
from .lines import runs
from .simple import all_different, clause, count, table
from .state import COUNT, FAILED, HEAD, LATE_COUNT, LATE_HEAD, RUNS_MADE, TRAIL, enqueue, forget, keep, undo

ALL_DIFFERENT, ARITHMETIC, COUNTS, CLAUSE, TABLE, RUNS, LOOP, PATHS = 0, 1, 2, 3, 4, 5, 6, 7


@kernel
def propagate(structure, state):
    """Run what is queued. False when a constraint cannot be met; its variables' scores rise then."""
    tally, ring = state.tally, state.queue.shape[1]
    while tally[COUNT] or tally[LATE_COUNT]:
        late = 0 if tally[COUNT] else 1
        head = HEAD if late == 0 else LATE_HEAD
        c = state.queue[late, tally[head]]
        tally[head] = 0 if tally[head] + 1 == ring else tally[head] + 1
        tally[head + 1] -= 1
        state.queued[c] = 0
        tally[RUNS_MADE] += 1
        if not _narrow(structure, state, c):
            tally[FAILED] = c
            for i in range(structure.scope_at[c], structure.scope_at[c + 1]):
                state.score[structure.scope[i]] += 1.0
            forget(state)
            return False
    return True


@kernel
def _narrow(structure, state, c):
    kind = structure.kind[c]
    if kind == TABLE:
        return table(structure, state, c)
    if kind == COUNTS:
        return count(structure, state, c)
    if kind == CLAUSE:
        return clause(structure, state, c)
    if kind == ALL_DIFFERENT:
        return all_different(structure, state, c)
    if kind == ARITHMETIC:
        return arithmetic(structure, state, c)
    if kind == RUNS:
        return runs(structure, state, c)
    if kind == LOOP:
        return loop(structure, state, c)
    return paths(structure, state, c)


@kernel
def begin(structure, state):
    """Propagate everything once: what follows from the givens alone."""
    for v in range(len(state.dom)):
        if state.dom[v] == NONE:
            return False
    for c in range(len(structure.kind)):
        enqueue(structure, state, c)
    return propagate(structure, state)


@kernel
def look_ahead(structure, state, where, budget):
    """Try every value of every open variable: one that fails goes, and what follows from all of them holds.

    Until nothing changes, or so many constraints have run; ``where`` [2] (the next variable, and how many before it
    changed nothing; zeros at first) lets it go on later. Returns (whether the model can still hold, whether that is
    all).
    """
    number = len(state.dom)
    until = state.tally[RUNS_MADE] + budget
    while where[1] < number:
        if state.tally[RUNS_MADE] >= until:
            return True, False
        v = where[0]
        where[0] = 0 if v + 1 == number else v + 1
        where[1] += 1
        if not single(state.dom[v]):
            before = state.tally[TRAIL]
            if not _try_all(structure, state, v):
                return False, True
            if state.tally[TRAIL] > before:
                where[1] = 0
    return True, True


@kernel
def _try_all(structure, state, v):
    """Look at what follows from every value of one variable, and keep what follows from each of them."""
    dom, union, touched = state.dom, state.union, state.touched
    mark = state.tally[TRAIL]
    left, possible = dom[v], NONE
    common = np.int64(-1)  # how many variables changed whatever the value; -1: no value tried yet
    while left:
        value = left & (~left + ONE)
        left &= left - ONE
        if keep(structure, state, v, value) and propagate(structure, state):
            possible |= value
            if common < 0:
                common = np.int64(0)
                for place in range(state.tally[TRAIL] - 1, mark - 1, -1):
                    other = state.trail_var[place]
                    union[other] = dom[other]
                    touched[common] = other
                    common += 1
            else:
                for place in range(common):
                    union[touched[place]] |= dom[touched[place]]
        undo(state, mark)
    if not possible:
        return False
    for place in range(common):
        if not keep(structure, state, touched[place], union[touched[place]]):
            return False
    return keep(structure, state, v, possible) and propagate(structure, state)


@kernel
def next_variable(state, shown):
    """The open variable to decide next: few values, often in a constraint that failed; the answer's before others."""
    best, least = np.int64(-1), np.inf
    for v in range(len(state.dom)):
        if v == shown and best >= 0:
            break
        domain = state.dom[v]
        if not single(domain):
            values = 0
            while domain:
                domain &= domain - ONE
                values += 1
            cost = values / (1.0 + state.score[v])
            if cost < least:
                best, least = np.int64(v), cost
    return best
