"""How sure a pair of edges is: a small network, taught on pictures whose seams are known.

``odds.json`` holds it; benchmarks/teach_odds.py makes that file, and says from which pictures.
"""

import json
from functools import cache
from importlib.resources import files
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Model: TypeAlias = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], np.float32]


@cache
def model() -> Model:
    """Weights into the hidden numbers, their biases, weights out, and the bias of the log odds."""
    data = json.loads((files(__package__) / "odds.json").read_text())
    into, bias, out = (np.array(data[name], np.float32) for name in ("into", "bias", "out"))
    return into, bias, out, np.float32(data["shift"])
