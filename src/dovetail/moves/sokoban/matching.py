"""The fewest pushes that bring every box to a goal of its own, if boxes were not in each other's way.

The assignment problem by shortest augmenting paths (Kuhn; Jonker and Volgenant). A position is solved once; each push
from it changes one row, which is matched anew.
"""

from collections import namedtuple

import numpy as np

from ...kernel import kernel

# for n boxes; numbers from 1, as 0 stands for "none". row_price, column_price [n + 1]: the dual solution. matched
# [n + 1]: the box of each goal. slack, way, used [n + 1]: of the search for a path.
Matching = namedtuple("Matching", ["row_price", "column_price", "matched", "slack", "way", "used"])

_MOST = np.int32(1 << 30)


def matching(boxes: int) -> Matching:
    """Room for so many boxes."""
    return Matching._make([*(np.zeros(boxes + 1, np.int32) for _ in range(5)), np.zeros(boxes + 1, np.uint8)])


@kernel
def match_row(m, costs, row):
    """Give box ``row`` (from 1) a goal, moving others over. ``costs`` [n, n] by box and goal."""
    n = len(costs)
    least = _MOST
    for goal in range(1, n + 1):
        least = min(least, costs[row - 1, goal - 1] - m.column_price[goal])
    m.row_price[row] = least
    m.matched[0] = row
    for goal in range(n + 1):
        m.slack[goal] = _MOST
        m.used[goal] = 0
    at = 0
    while True:
        m.used[at] = 1
        box = m.matched[at]
        delta, to = _MOST, 0
        for goal in range(1, n + 1):
            if m.used[goal]:
                continue
            slack = costs[box - 1, goal - 1] - m.row_price[box] - m.column_price[goal]
            if slack < m.slack[goal]:
                m.slack[goal] = slack
                m.way[goal] = at
            if m.slack[goal] < delta:
                delta = m.slack[goal]
                to = goal
        for goal in range(n + 1):
            if m.used[goal]:
                m.row_price[m.matched[goal]] += delta
                m.column_price[goal] -= delta
            else:
                m.slack[goal] -= delta
        at = to
        if m.matched[at] == 0:
            break
    while at:
        m.matched[at] = m.matched[m.way[at]]
        at = m.way[at]


@kernel
def match(m, costs):
    """All boxes. Returns the sum of their distances."""
    m.column_price[:] = 0
    m.matched[:] = 0
    for row in range(1, len(costs) + 1):
        match_row(m, costs, row)
    return cost(m, costs)


@kernel
def cost(m, costs):
    """What the matching costs."""
    total = 0
    for goal in range(1, len(costs) + 1):
        total += costs[m.matched[goal] - 1, goal - 1]
    return total


@kernel
def rematch(m, after, costs, row):
    """The cost when box ``row`` (from 1) has new ``costs``, found in ``after``; ``m``, the matching before, is kept."""
    for goal in range(len(costs) + 1):
        after.row_price[goal] = m.row_price[goal]
        after.column_price[goal] = m.column_price[goal]
        after.matched[goal] = 0 if m.matched[goal] == row else m.matched[goal]
    match_row(after, costs, row)
    return cost(after, costs)
