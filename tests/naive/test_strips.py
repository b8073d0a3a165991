"""The slow twin of the kernel that compares edges of shredded paper."""

import numpy as np
import pytest

from dovetail.jigsaw.strips.seams import BLANK, STATES, compared


def twin(tables: np.ndarray, end: np.ndarray, begin: np.ndarray) -> float:
    """The slow twin of the kernel: row by row, table by table."""
    faced = [*zip(end.tolist(), begin.tolist(), strict=True)]
    return max(sum(float(table[pair] - table[BLANK, BLANK]) for pair in faced) for table in tables)


def test_sums_are_those_of_the_slow_twin() -> None:
    rng = np.random.default_rng(0)
    tables = rng.normal(0, 1, (2, STATES, STATES)).astype(np.float32)
    ends, begins = rng.integers(0, STATES, (2, 4, 30)).astype(np.uint8)
    slow = np.array([[twin(tables, end, begin) for begin in begins] for end in ends])
    assert compared(tables, ends, begins) == pytest.approx(slow, abs=1e-3)
