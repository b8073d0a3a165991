"""What all trainings share: where they run, and that their curves, judgements and states are kept as they go."""

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import __version__
from ...core.checkpoint import Checkpoint
from ...core.files import write_atomically

FULL, SMALL = "full", "small"  # sizes of networks
JUDGE_S, SAVE_S = 60.0, 120.0  # between two looks at unseen pictures, and between two checkpoints
GLANCE = 200  # unseen pictures looked at while it learns; all of them at the end


def device_for(asked: str) -> str:
    """A GPU if there is one, unless something else is asked for."""
    import torch

    return asked if asked != "auto" else "cuda" if torch.cuda.is_available() else "cpu"


@contextmanager
def kept(
    path: Path, network: str, recipe: Any, seed: int, pictures: NDArray[Any], trouble: Callable[[str], None]
) -> Iterator[Checkpoint]:
    """The checkpoint of a training: of the same recipe, seed and pictures."""
    checkpoint = Checkpoint(path, trouble=trouble)
    digest = hashlib.sha256(np.ascontiguousarray(pictures).data).hexdigest()
    of = {
        "version": __version__, "network": network, "recipe": json.loads(json.dumps(recipe, default=str)),
        "seed": seed, "set of pictures": digest,
    }  # fmt: skip
    with checkpoint.held(of):
        yield checkpoint


def followed(
    lines: Iterable[dict[str, Any]],
    curve: Path,
    judge: Callable[[], Mapping[str, float]] | None,
    save: Callable[[], None],
) -> Iterator[dict[str, Any]]:
    """The lines of a curve, each kept in its file; now and then with what unseen pictures say, and a saved state."""
    judged_at = saved_at = time.monotonic()
    with curve.open("a", encoding="utf-8") as file:
        for line in lines:
            now = time.monotonic()
            if judge and now - judged_at > JUDGE_S:
                line |= {f"judged {key}": value for key, value in judge().items()}
                judged_at = now
            file.write(json.dumps(line) + "\n")
            file.flush()
            if now - saved_at > SAVE_S:
                save()
                saved_at = now
            yield line


def mend(curve: Path, step: int) -> None:
    """Leave the lines up to a step: those after it were never saved, and come again; the last may be torn."""
    if curve.exists():
        lines = curve.read_bytes().splitlines(keepends=True)
        right = [line for line in lines if _step(line) <= step]
        if right != lines:
            write_atomically(curve, b"".join(right))


def _step(line: bytes) -> float:
    try:
        return float(json.loads(line)["step"]) if line.endswith(b"\n") else math.inf
    except (ValueError, TypeError, KeyError, RecursionError):
        return math.inf
