"""The hot loop of ``seams.py``, compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernel import kernel


@kernel
def summed(worth: NDArray[np.float32], ends: NDArray[np.uint8], begins: NDArray[np.uint8], totals: Any) -> None:
    """Over all rows, what two states that face each other are worth, by each table.

    ``worth`` is [tables, states, states], ``ends`` [n, rows], ``begins`` [m, rows]; ``totals`` [tables, n, m] is set.
    """
    for table in range(len(worth)):
        for i in range(len(ends)):
            for j in range(len(begins)):
                total = np.float32(0.0)
                for row in range(ends.shape[1]):
                    total += worth[table, ends[i, row], begins[j, row]]
                totals[table, i, j] = total
