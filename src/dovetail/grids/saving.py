"""Domains as they are saved: taken up again only if a search of this model could have come to them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.state import Misfit, within
from .kernels.state import State


def narrowed(state: State, begun: NDArray[np.uint64], dom: Any, score: Any) -> None:
    """Set the domains, each of some of the values that it began with, and how often constraints failed."""
    for values, into in ((dom, state.dom), (score, state.score)):
        if not isinstance(values, np.ndarray) or values.dtype != into.dtype or values.shape != into.shape:
            raise Misfit("domains")
    if (dom & ~begun).any() or (dom == 0).any():
        raise Misfit("domains")
    within(score, 0, 2.0**1000, "scores")
    state.dom[:], state.score[:] = dom, score


def check_trail(state: State, begun: NDArray[np.uint64], changed: Any, before: Any) -> int:
    """Set what domains were before; each change took values away, so that there is room for all that can follow."""
    for values, into in ((changed, state.trail_var), (before, state.trail_dom)):
        if not isinstance(values, np.ndarray) or values.dtype != into.dtype or values.ndim != 1:
            raise Misfit("changes")
    if len(changed) != len(before) or len(changed) > len(state.trail_var):
        raise Misfit("changes")
    within(changed, 0, len(begun) - 1, "variables")
    now = state.dom.tolist()
    for variable, old in zip(changed[::-1].tolist(), before[::-1].tolist(), strict=True):
        if now[variable] & ~old or now[variable] == old:
            raise Misfit("changes")
        now[variable] = old
    if any(domain & ~first for domain, first in zip(now, begun.tolist(), strict=True)):
        raise Misfit("changes")
    state.trail_var[: len(changed)], state.trail_dom[: len(before)] = changed, before
    return len(changed)
