"""Networks that come with the package, run by onnxruntime: from the patches of a puzzle to its tables.

``weights/NAME.onnx`` is a network and ``weights/NAME.json`` its card (weights/README.md says what it holds). A file
whose SHA-256 is not the one on its card is not run. Networks see patches of 40 pixels: others are resampled, and the
gap with them. Unless told otherwise a puzzle is shown twice, once in the mirror, and the means count.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import BadInput
from ..puzzle import Jigsaw
from .tables import Tables, checked

PATCH = 40  # pixels along one side of a patch, as the networks see it
INPUTS, OUTPUTS = ("patches", "cells", "shape"), ("right", "down", "place")
NEEDED = {"sha256": str, "patch": int, "gaps": list, "data": str, "licence": str}  # of a card
RED_GREEN_BLUE = {1: [0, 0, 0], 2: [0, 0, 0], 3: [0, 1, 2], 4: [0, 1, 2]}  # channels that count, alpha left out


@dataclass(frozen=True)
class Card:
    """What the package needs to know of a network; the file says more, for people."""

    name: str
    sha256: str
    low: float  # the narrowest gap it was trained for, in pixels of a 40-pixel patch
    high: float  # and the widest
    temper: float = 1.0  # what its scores are multiplied by to be log probabilities
    folder: Path | None = None  # where it lies, if it did not come with the package

    def far(self, gap: float) -> float:
        """How far a gap is from what it was trained for."""
        return max(self.low - gap, gap - self.high, 0.0)


def shipped() -> Traversable:
    """Where the networks are that come with the package."""
    return files(__package__) / "weights"


def cards(folder: Path | None = None) -> tuple[Card, ...]:
    """All networks there are, by name."""
    found = (folder or shipped()).iterdir()
    names = sorted(file.name.removesuffix(".json") for file in found if file.name.endswith(".json"))
    return tuple(card(name, folder) for name in names)


def card(name: str, folder: Path | None = None) -> Card:
    """The card of a network; raises BadInput if there is none, or if it is not what it should be."""
    try:
        text = ((folder or shipped()) / f"{name}.json").read_text("utf-8")
        data = json.loads(text)
    except (OSError, ValueError, RecursionError):
        raise BadInput(f"the card of the network {name} cannot be read: {folder or 'weights'}/{name}.json") from None
    for key, type_ in NEEDED.items():
        if not isinstance(data, Mapping) or not isinstance(data.get(key), type_):
            raise BadInput(f"the card of the network {name} does not say {key!r}")
    gaps = data["gaps"]
    if data["patch"] != PATCH:
        raise BadInput(f"the network {name} sees patches of {data['patch']} pixels, and not of {PATCH}")
    if not (len(gaps) == 2 and all(type(gap) in (int, float) for gap in gaps) and 0 <= gaps[0] <= gaps[1] <= 1e6):
        raise BadInput(f"the card of the network {name} gives no 'gaps', from the narrowest to the widest")
    temper = data.get("temper", 1.0)
    if type(temper) not in (int, float) or not 0 < temper <= 1:
        raise BadInput(f"on the card of the network {name}, 'temper' is not a number above 0 and up to 1")
    return Card(name, data["sha256"], float(gaps[0]), float(gaps[1]), float(temper), folder)


def chosen(gap: float, folder: Path | None = None) -> Card | None:
    """The network for a gap, in pixels of a 40-pixel patch: the most special of those trained for it.

    If none was, the one that was trained for the nearest. None if there are no networks.
    """
    return min(cards(folder), key=lambda card: (card.far(gap), card.high - card.low, card.name), default=None)


def session(name: str, threads: int = 0, folder: Path | None = None) -> Any:
    """A network ready to run, on so many threads, 0 for one a core; loaded once, if it is the one on its card."""
    return loaded(name, threads, folder)


@cache
def loaded(name: str, threads: int, folder: Path | None) -> Any:
    """See ``session``, which always asks in the same way, so that nothing is loaded twice."""
    try:
        data = ((folder or shipped()) / f"{name}.onnx").read_bytes()
    except OSError:
        raise BadInput(f"the network {name} is not there: {folder or 'weights'}/{name}.onnx cannot be read") from None
    network = started(name, data, card(name, folder).sha256, threads)
    inputs, outputs = {node.name for node in network.get_inputs()}, {node.name for node in network.get_outputs()}
    if inputs != set(INPUTS) or not set(OUTPUTS) <= outputs:
        wanted = f"{', '.join(INPUTS)} to {', '.join(OUTPUTS)}"
        raise BadInput(f"the network {name} goes from {', '.join(sorted(inputs))} to {', '.join(sorted(outputs))}, "
                       f"and not from {wanted}")  # fmt: skip
    return network


def started(name: str, data: bytes, expected: str, threads: int) -> Any:
    """A network from the bytes of its file, on so many threads, if it is the one that is expected."""
    import onnxruntime

    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise BadInput(
            f"the network {name} is not the one on its card, and is not run: "
            f"its SHA-256 begins with {found[:12]}, not with {expected[:12]}; install the package again"
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3  # errors only: what it says of its own choices helps nobody here
    try:
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # what onnxruntime raises shares no base but this
        raise BadInput(f"the network {name} does not load: {str(error)[:200]}") from error


def read(puzzle: Jigsaw, card: Card, mirrored: bool = True, threads: int = 0) -> Tables:
    """What a network says of a puzzle whose frame is known."""
    assert puzzle.rows is not None
    assert puzzle.cols is not None
    rows, cols = puzzle.rows, puzzle.cols
    network = session(card.name, threads, card.folder)
    patches = seen(puzzle)
    row, col = np.divmod(np.arange(rows * cols), cols)
    shape = np.array([rows, cols, relative_gap(puzzle)], np.float32)

    def said(patches: NDArray[np.float32], col: NDArray[np.int64]) -> Tables:
        given = {"patches": patches, "cells": np.stack([row, col], axis=1).astype(np.float32), "shape": shape}
        try:
            return checked(Tables(*network.run(OUTPUTS, given)), rows, cols)
        except Exception as error:  # what onnxruntime raises shares no base but this
            raise BadInput(f"the network {card.name} fails on this puzzle: {str(error)[:200]}") from error

    tables = said(patches, col)
    if not mirrored:
        return tables
    # in the mirror, who lies right of a patch lies left of it, and columns count from the other end
    other = said(np.ascontiguousarray(patches[..., ::-1]), cols - 1 - col)
    pairs = zip(tables, (other.right.T, other.down, other.place), strict=True)
    return checked(Tables(*(np.float32(0.5) * (one + mirror) for one, mirror in pairs)), rows, cols)


def relative_gap(puzzle: Jigsaw) -> float:
    """The gap in pixels of a patch of 40 pixels; 0 of a plain jigsaw."""
    return float(getattr(puzzle, "gap", 0)) * PATCH / puzzle.width


def seen(puzzle: Jigsaw) -> NDArray[np.float32]:
    """The patches as networks see them: RGB from 0 to 1, 40 pixels a side. [n, 3, 40, 40]"""
    from PIL import Image

    colours = puzzle.array[..., RED_GREEN_BLUE[puzzle.channels]].astype(np.float32) / (2**puzzle.depth - 1)
    planes = colours.transpose(0, 3, 1, 2)
    if planes.shape[2:] == (PATCH, PATCH):
        return np.ascontiguousarray(planes)
    resized = [
        np.asarray(Image.fromarray(np.ascontiguousarray(plane)).resize((PATCH, PATCH), Image.Resampling.LANCZOS))
        for plane in planes.reshape(-1, *planes.shape[2:])
    ]
    return np.stack(resized).reshape(-1, 3, PATCH, PATCH).clip(0, 1)
