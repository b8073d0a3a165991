"""A bound for orders of strips: the cheapest way to give everyone one follower, circles allowed, and its prices.

H. Kuhn's Hungarian method in the form that lengthens one shortest path a row. Its prices say by how much any other
pair would make the whole dearer, at least: what costs more than there is to win can be left out of an exact search.
"""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def assigned(costs: Numbers) -> tuple[NDArray[np.int64], Numbers, Numbers]:
    """Of each row its column, the sum of costs being least; prices of rows and of columns, which never exceed a cost.

    ``costs`` is [n, n]; where a pair is forbidden, larger than all that could matter.
    """
    count = len(costs)
    rows, cols = np.zeros(count + 1), np.zeros(count + 1)  # prices; column ``count`` is where a path begins
    holder = np.full(count + 1, -1, np.int64)  # of each column its row
    for row in range(count):
        holder[count] = row
        col = count
        least, before = np.full(count, np.inf), np.full(count, count, np.int64)
        reached = np.zeros(count + 1, np.bool_)
        while holder[col] != -1:
            reached[col] = True
            here = holder[col]
            nearer = costs[here] - rows[here] - cols[:count]
            better = ~reached[:count] & (nearer < least)
            least[better], before[better] = nearer[better], col
            open_ = np.where(reached[:count], np.inf, least)
            following = int(open_.argmin())
            step = open_[following]
            rows[holder[reached]] += step
            cols[reached] -= step
            least[~reached[:count]] -= step
            col = following
        while col != count:
            holder[col] = holder[before[col]]
            col = int(before[col])
    chosen = np.empty(count, np.int64)
    chosen[holder[:count]] = np.arange(count)
    return chosen, rows[:count], cols[:count]
