"""The line of a nonogram: which values every cell can have, over all ways to lay the runs."""

import numpy as np

from ...kernel import kernel
from .bits import NONE, ONE, bit
from .state import keep


@kernel
def runs(structure, state, c):
    """Data: length, colour of every run. Exact: a value stays if and only if some way to lay the runs has it.

    before[i, j]: the first i cells can hold the first j runs; after[i, j]: the cells from i on can hold the runs
    from j on; both by dynamic programming, then every place of every run that fits between the two is looked at.
    """
    begin, at = structure.scope_at[c], structure.data_at[c]
    cells, number = structure.scope_at[c + 1] - begin, (structure.data_at[c + 1] - at) // 2
    scope, dom, data, work = structure.scope, state.dom, structure.data, state.work
    width = number + 1
    before, after = np.int64(0), (cells + 1) * width
    found = 2 * (cells + 1) * width  # [cells] the values seen, as bits
    for i in range(2 * (cells + 1) * width):
        work[i] = 0
    for i in range(cells):
        work[found + i] = 0

    work[before] = 1
    for j in range(number + 1):
        if j:
            length, colour = data[at + 2 * j - 2], bit(data[at + 2 * j - 1])
            same = j > 1 and data[at + 2 * j - 3] == data[at + 2 * j - 1]
        else:
            length, colour, same = np.int64(0), NONE, False
        stretch = np.int64(0)
        for i in range(1, cells + 1):
            domain = dom[scope[begin + i - 1]]
            reached = domain & ONE and work[before + (i - 1) * width + j]
            stretch = stretch + 1 if domain & colour else np.int64(0)
            if j and not reached and stretch >= length:
                reached = _free_before(structure, state, begin, before, width, i - length, j - 1, same)
            work[before + i * width + j] = 1 if reached else 0
    if not work[before + cells * width + number]:
        return False

    work[after + cells * width + number] = 1
    for j in range(number, -1, -1):
        if j < number:
            length, colour = data[at + 2 * j], bit(data[at + 2 * j + 1])
            same = j + 1 < number and data[at + 2 * j + 3] == data[at + 2 * j + 1]
        else:
            length, colour, same = np.int64(0), NONE, False
        stretch = np.int64(0)
        for i in range(cells - 1, -1, -1):
            domain = dom[scope[begin + i]]
            reached = domain & ONE and work[after + (i + 1) * width + j]
            if domain & ONE and work[before + i * width + j] and work[after + (i + 1) * width + j]:
                work[found + i] |= 1
            stretch = stretch + 1 if domain & colour else np.int64(0)
            if j < number and stretch >= length:
                behind = _free_after(structure, state, begin, after, width, cells, i + length, j + 1, same)
                if behind:
                    reached = True
                    own = j > 0 and data[at + 2 * j - 1] == data[at + 2 * j + 1]
                    if _free_before(structure, state, begin, before, width, i, j, own):
                        for k in range(i, i + length):
                            work[found + k] |= np.int64(colour)
            work[after + i * width + j] = 1 if reached else 0
    for i in range(cells):
        if not keep(structure, state, scope[begin + i], np.uint64(work[found + i])):
            return False
    return True


@kernel
def _free_before(structure, state, begin, before, width, i, j, same):
    """Whether a run can begin at cell i after j others, the one before it of the same colour or not."""
    if not same:
        return state.work[before + i * width + j] != 0
    return (
        i > 0
        and state.dom[structure.scope[begin + i - 1]] & ONE != NONE
        and state.work[before + (i - 1) * width + j] != 0
    )


@kernel
def _free_after(structure, state, begin, after, width, cells, i, j, same):
    """Whether a run can end before cell i with the runs from j on to come, the next of the same colour or not."""
    if not same:
        return state.work[after + i * width + j] != 0
    return (
        i < cells
        and state.dom[structure.scope[begin + i]] & ONE != NONE
        and state.work[after + (i + 1) * width + j] != 0
    )
